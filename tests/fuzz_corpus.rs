//! The fuzz targets' corpora and crashes, replayed without a fuzzer.

use std::fs;
use std::path::Path;

#[path = "../fuzz/src/lib.rs"]
#[allow(unreachable_pub, dead_code, reason = "written for a crate of its own")]
mod bodies;

/// Runs a target's body on each file of its committed corpus, and of what a fuzzer left on this machine.
fn replay(target: &str, body: fn(&[u8])) {
    let fuzz = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz");
    let mut replayed = 0;
    for folder in ["corpus", "artifacts"] {
        let Ok(files) = fs::read_dir(fuzz.join(folder).join(target)) else { continue };
        for file in files {
            let path = file.unwrap().path();
            let bytes = fs::read(&path).unwrap();
            if std::panic::catch_unwind(|| body(&bytes)).is_err() {
                panic!("{target} fails on {}", path.display());
            }
            replayed += 1;
        }
    }
    assert!(replayed > 20, "{target} has a corpus of {replayed} files");
}

#[test]
fn decode() {
    replay("decode", bodies::decode);
}

#[test]
fn parts() {
    replay("parts", bodies::parts);
    replay("decode", bodies::parts);
}

#[cfg(feature = "snapshot")]
#[test]
fn mapped() {
    replay("decode", bodies::mapped);
    replay("parts", bodies::mapped);
}

#[cfg(feature = "remote")]
#[test]
fn remote() {
    replay("decode", bodies::remote);
    replay("parts", bodies::remote);
}

#[test]
fn graph() {
    replay("graph", bodies::graph);
}

#[test]
fn original() {
    replay("original", bodies::original);
}

#[test]
fn typed() {
    replay("typed", bodies::typed);
    replay("decode", bodies::typed);
}

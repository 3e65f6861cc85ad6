//! Faults below the writer, and what is left behind.

use super::replace::Step;
use super::*;
use crate::graph::Value;

/// Refuses the n-th step.
struct Refuse {
    left: usize,
    refused: Option<Step>,
}

impl Watch for Refuse {
    fn before(&mut self, step: Step) -> io::Result<()> {
        match self.left {
            0 => {
                self.refused.get_or_insert(step);
                Err(io::Error::from(io::ErrorKind::StorageFull))
            }
            _ => {
                self.left -= 1;
                Ok(())
            }
        }
    }
}

fn numbered(n: u32) -> Graph<'static> {
    let mut graph = Graph::new();
    let noise = graph.typed_array(&(0..40_000u32).map(|i| i.wrapping_mul(2_654_435_761) ^ n).collect::<Vec<u32>>());
    let root = graph.object([("n", Value::from(n)), ("noise", noise)]);
    graph.set_root(root);
    graph
}

fn names(directory: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn a_fault_at_any_step_leaves_the_old_state_and_no_litter_and_names_the_step() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("state");
    for compression in [None, Some(Compression::Zstd)] {
        let options = SaveOptions { compression, generations: 2, ..SaveOptions::new() };
        Snapshot::save_with(&path, &numbered(1), &options).unwrap();
        Snapshot::save_with(&path, &numbered(2), &options).unwrap();
        let message = Encoder::new(&numbered(3), &EncodeOptions::new()).finish().unwrap();
        let mut seen = Vec::new();
        for fault in 0.. {
            let mut refuse = Refuse { left: fault, refused: None };
            let result = save_watched(&path, &message, &options, &mut refuse);
            let Some(step) = refuse.refused else {
                result.unwrap();
                break;
            };
            seen.push(step);
            let error = result.unwrap_err();
            assert_eq!(error.io_kind(), Some(io::ErrorKind::StorageFull), "{error}");
            let (kind, state, words) = match step {
                Step::SyncDirectory => (ErrorKind::NotDurable, 3, "sync the directory"),
                Step::Resolve => (ErrorKind::Io, 2, "look up"),
                Step::Create => (ErrorKind::Io, 2, "create a temporary file"),
                Step::Lock => (ErrorKind::Io, 2, "lock the temporary file"),
                Step::Write => (ErrorKind::Io, 2, "write the temporary file"),
                Step::Sync => (ErrorKind::Io, 2, "sync the temporary file"),
                Step::KeepGeneration => (ErrorKind::Io, 2, "keep the older generation"),
                Step::Rename => (ErrorKind::Io, 2, "rename the temporary file"),
            };
            assert_eq!(error.kind(), kind);
            assert!(error.to_string().contains(words) && error.to_string().contains("state"), "{error}");
            assert_eq!(Snapshot::load(&path).unwrap(), numbered(state), "{step:?}");
            // The generation behind is the same, however often a save failed after keeping it.
            let names = names(dir.path());
            assert!(names.iter().all(|name| name.starts_with("state")), "{names:?}");
        }
        for step in [Step::Create, Step::Write, Step::Sync, Step::KeepGeneration, Step::Rename, Step::SyncDirectory] {
            assert!(seen.contains(&step), "{step:?} in {seen:?}");
        }
        assert_eq!(Snapshot::load(&path).unwrap(), numbered(3));
    }
}

#[test]
fn litter_of_killed_processes_is_swept_and_files_in_use_are_not() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("state");
    let litter = dir.path().join(".state.abc.marshal-tmp");
    let in_use = dir.path().join(".state.def.marshal-tmp");
    let others = dir.path().join(".another.abc.marshal-tmp");
    for file in [&litter, &in_use, &others] {
        std::fs::write(file, "half a snapshot").unwrap();
    }
    let locked = File::open(&in_use).unwrap();
    fs4::FileExt::lock(&locked).unwrap();
    Snapshot::save(&path, &numbered(1)).unwrap();
    assert_eq!(names(dir.path()), [".another.abc.marshal-tmp", ".state.def.marshal-tmp", "state"]);
}

#[test]
fn generations_are_kept_in_order_and_no_more_than_asked_for() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("state");
    let options = SaveOptions::new().generations(3);
    for n in 0..7 {
        Snapshot::save_with(&path, &numbered(n), &options).unwrap();
    }
    assert_eq!(names(dir.path()), ["state", "state.1", "state.2", "state.3"]);
    for index in 0..4 {
        assert_eq!(Snapshot::load(generation(&path, index)).unwrap(), numbered(6 - index));
    }
    // All damaged but the last: that one is found, and what was wrong with the newest is said.
    for index in 0..3 {
        let path = generation(&path, index);
        let mut bytes = std::fs::read(&path).unwrap();
        let at = bytes.len() / 2;
        bytes[at] ^= 0x10;
        std::fs::write(&path, bytes).unwrap();
    }
    let snapshot = Snapshot::read_with(&path, &LoadOptions::new().fall_back(true)).unwrap();
    assert_eq!((snapshot.generation(), snapshot.damage().unwrap().kind()), (3, ErrorKind::Damaged));
    assert_eq!(snapshot.graph().unwrap(), numbered(3));
}

#[cfg(unix)]
#[test]
fn links_are_followed_and_modes_are_kept() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let dir = tempfile::tempdir().unwrap();
    let (link, other, path) = (dir.path().join("link"), dir.path().join("other"), dir.path().join("state"));
    symlink("other", &link).unwrap();
    symlink(&path, &other).unwrap();
    // A link to what does not exist yet creates it.
    Snapshot::save(&link, &numbered(1)).unwrap();
    let mode = std::fs::metadata(&path).unwrap().permissions().mode() & 0o777;
    std::fs::write(dir.path().join("plain"), "").unwrap();
    let plain = std::fs::metadata(dir.path().join("plain")).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode, plain, "a new file has the mode that any new file has");
    std::fs::set_permissions(&path, PermissionsExt::from_mode(0o640)).unwrap();
    Snapshot::save(&link, &numbered(2)).unwrap();
    assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
    assert!(std::fs::symlink_metadata(&link).unwrap().is_symlink());
    assert!(std::fs::symlink_metadata(&other).unwrap().is_symlink());
    assert_eq!(Snapshot::load(&path).unwrap(), numbered(2));
    // Only a file is replaced.
    let error = Snapshot::save(dir.path(), &numbered(3)).unwrap_err();
    assert!(error.to_string().contains("no regular file"), "{error}");
}

//! The object that says which other objects hold the snapshots of a place, newest first (`spec/snapshot.md`, section 8).

use std::hash::{BuildHasher, Hasher, RandomState};

use object_store::path::Path;

use crate::error::{Error, ErrorKind};
use crate::graph::{Graph, Value};
use crate::snapshot::options::{LoadOptions, SaveOptions};
use crate::snapshot::{Snapshot, header};

/// As that of a snapshot, with another name.
pub(super) const MAGIC: [u8; 8] = *b"\xD7Head\r\n\x1A";

/// A head has at most this many bytes.
pub(super) const MAX_LEN: u64 = 4096;

const _: () = assert!((34 * SaveOptions::MAX_GENERATIONS + 34 + 256) as u64 <= MAX_LEN);

/// The head that names these bodies.
pub(super) fn to_bytes(bodies: &[String]) -> Result<Vec<u8>, Error> {
    let mut graph = Graph::new();
    let names: Vec<Value> = bodies.iter().map(|name| graph.string(name)).collect();
    let root = graph.array(names);
    graph.set_root(root);
    let mut bytes = MAGIC.to_vec();
    bytes.extend(Snapshot::to_bytes(&graph, &SaveOptions::new())?);
    Ok(bytes)
}

/// The bodies that a head names, if the first bytes of an object are one.
pub(super) fn read(object: &[u8], size: u64) -> Option<Result<Vec<String>, Error>> {
    let snapshot = object.strip_prefix(&MAGIC)?;
    Some(read_names(snapshot, size))
}

fn read_names(snapshot: &[u8], size: u64) -> Result<Vec<String>, Error> {
    let bad = || Error::new(ErrorKind::BadSnapshot, "the head of a place in a store names what cannot be");
    if size > MAX_LEN || size != (MAGIC.len() + snapshot.len()) as u64 || !snapshot.starts_with(&header::MAGIC) {
        return Err(bad());
    }
    let snapshot = Snapshot::from_bytes(snapshot, &LoadOptions::new().max_bytes(MAX_LEN))?;
    let graph = snapshot.graph()?;
    // A name is one that a writer made, so none leads to another place.
    let is_name = |name: &&str| name.len() == 32 && name.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    let names: Option<Vec<String>> = graph
        .root()
        .iter()
        .map(|name| name.and_then(|name| name.as_str()).filter(is_name).map(str::to_owned))
        .collect();
    names.filter(|names| !names.is_empty()).ok_or_else(bad)
}

/// The object with a body's bytes.
pub(super) fn body(place: &Path, name: &str) -> Path {
    bodies(place).join(name)
}

/// What the names of all bodies begin with.
pub(super) fn bodies(place: &Path) -> Path {
    Path::from(format!("{place}.snapshots"))
}

/// A number that nobody else has.
pub(super) fn unique() -> u128 {
    let number = || u128::from(RandomState::new().build_hasher().finish());
    number() << 64 | number()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_goes_both_ways_and_leads_nowhere_else() {
        let read_all = |bytes: &[u8]| read(bytes, bytes.len() as u64).unwrap();
        let names: Vec<String> = (0..=SaveOptions::MAX_GENERATIONS).map(|_| format!("{:032x}", unique())).collect();
        let bytes = to_bytes(&names).unwrap();
        assert!(bytes.len() as u64 <= MAX_LEN);
        assert_eq!(read_all(&bytes).unwrap(), names);
        for bit in 64..8 * bytes.len() {
            let mut flipped = bytes.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            assert!(read_all(&flipped).is_err(), "bit {bit}");
        }
        for len in 8..bytes.len() {
            assert!(read_all(&bytes[..len]).is_err());
            assert!(read(&bytes[..len], bytes.len() as u64).unwrap().is_err());
        }
        for name in ["", "../../etc", "0123456789ABCDEF0123456789ABCDEF", "0123/56789abcdef0123456789abcdef"] {
            let bytes = to_bytes(&[name.to_owned()]).unwrap();
            assert_eq!(read_all(&bytes).unwrap_err().kind(), ErrorKind::BadSnapshot, "{name}");
        }
        assert!(read_all(&to_bytes(&[]).unwrap()).is_err());
        assert!(read(b"\xD7Snap\r\n\x1A", 8).is_none());
    }
}

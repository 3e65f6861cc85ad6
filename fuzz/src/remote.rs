//! The bytes as an object in a store, fetched block by block. While fuzzing, blocks are so small that most messages have
//! several.

use std::sync::Arc;

use futures_util::FutureExt;
use marshal::object_store::memory::InMemory;
use marshal::object_store::path::Path;
use marshal::object_store::{ObjectStore, ObjectStoreExt};
use marshal::{Encoded, Error, ErrorKind, Lazy, LazyCursor, OpenRemote, Remote, SaveOptions, Snapshot};

/// What is read of an object is what is read of the same message in memory.
pub(crate) fn of_bytes(bytes: &[u8]) {
    // Compressed bytes are read as a whole, and may be long.
    if !bytes.starts_with(b"\xD7") {
        return;
    }
    let in_memory = Lazy::new(bytes);
    let options = SaveOptions::new();
    let snapshot = Snapshot::to_bytes(&Encoded(bytes), &options).ok();
    for object in std::iter::once(bytes.to_vec()).chain(snapshot) {
        match (open(object), &in_memory) {
            (Ok(open), Ok(in_memory)) => {
                let read = open.read(|open| Ok(describe(open.root(), |name| open.entry(name), open.entries())));
                let remote = read.now_or_never().expect("memory answers at once").unwrap();
                assert_eq!(remote, describe(in_memory.root(), |name| in_memory.entry(name), in_memory.entries()));
            }
            // Padding that has not been fetched is not looked at; and what is no message may be another form of one.
            (Ok(_), Err(error)) => {
                assert!(matches!(error.kind(), ErrorKind::BadPadding | ErrorKind::BadMagic), "{error}");
            }
            (Err(error), Ok(_)) => panic!("{error}"),
            (Err(_), Err(_)) => {}
        }
    }
}

fn open(object: Vec<u8>) -> Result<OpenRemote, Error> {
    let (store, path) = (Arc::new(InMemory::new()), Path::from("object"));
    store.put(&path, object.into()).now_or_never().expect("memory answers at once").unwrap();
    let store: Arc<dyn ObjectStore> = store;
    Remote::new(store, path).open().now_or_never().expect("memory answers at once")
}

/// All that there is to read, up to a bound.
fn describe<'l>(
    root: Result<LazyCursor<'l>, Error>,
    entry: impl Fn(&str) -> Result<LazyCursor<'l>, Error>,
    entries: Result<Vec<&str>, Error>,
) -> Vec<String> {
    let mut said = vec![format!("{entries:?}")];
    value(root, &mut 60, &mut said);
    for name in entries.unwrap_or_default().into_iter().take(4) {
        value(entry(name), &mut 20, &mut said);
    }
    said
}

fn value(cursor: Result<LazyCursor<'_>, Error>, left: &mut usize, said: &mut Vec<String>) {
    if *left == 0 {
        return;
    }
    *left -= 1;
    let cursor = match cursor {
        Ok(cursor) => cursor,
        Err(error) => return said.push(error.to_string()),
    };
    said.push(format!("{cursor:?} {:?} {} {:?} {:?}", cursor.kind(), cursor.len(), cursor.size(), cursor.bigint()));
    said.push(format!("{:?} {:?} {:?}", cursor.elements(), cursor.regexp(), cursor.buffer()));
    if left.is_multiple_of(8) {
        said.push(format!("{:?}", cursor.to_graph().map(|graph| graph.to_string())));
    }
    value(cursor.get("a"), left, said);
    value(cursor.at(1), left, said);
    value(cursor.at(40), left, said);
    cursor.iter().take(8).filter_map(Result::transpose).for_each(|found| value(found, left, said));
    for property in cursor.properties().take(8) {
        match property {
            Ok(property) => {
                said.push(format!("{:?}", property.name()));
                value(Ok(property.value()), left, said);
            }
            Err(error) => said.push(error.to_string()),
        }
    }
    cursor.members().take(8).for_each(|found| value(found, left, said));
    for entry in cursor.entries().take(8) {
        match entry {
            Ok((key, found)) => {
                value(Ok(key), left, said);
                value(Ok(found), left, said);
            }
            Err(error) => said.push(error.to_string()),
        }
    }
}

//! What each fuzz target does with its bytes. The plain tests include this file and replay the corpora with it.

use laws::of_graph;
use marshal::{DecodeOptions, EncodeOptions, Graph, Lazy, LazyCursor, Marshal};
#[cfg(feature = "snapshot")]
use marshal::{Encoded, OpenSnapshot, SaveOptions, Snapshot, Sync};
use recipe::Recipe;

#[path = "../../tests/arbitrary/bytes.rs"]
mod bytes;
#[allow(missing_docs)]
#[path = "../../tests/arbitrary/classes.rs"]
mod classes;
#[path = "../../tests/arbitrary/laws.rs"]
mod laws;
#[path = "../../tests/arbitrary/recipe.rs"]
mod recipe;
#[cfg(feature = "remote")]
#[path = "remote.rs"]
mod stored;
#[path = "../../tests/arbitrary/zoo.rs"]
mod zoo;

/// The bytes are a message, or not.
pub fn decode(bytes: &[u8]) {
    laws::of_bytes(bytes);
}

/// The bytes are a message of a zoo of classes, or not.
pub fn class(bytes: &[u8]) {
    classes::of_bytes(bytes);
}

/// The bytes say how to build a graph.
pub fn graph(bytes: &[u8]) {
    of_graph(&Recipe::from_bytes(bytes).build());
}

/// The bytes are a message that is read part by part, or not. What is a message reads the same in parts as whole.
pub fn parts(bytes: &[u8]) {
    let graph = Marshal::decode(bytes);
    if let Ok(lazy) = Lazy::new(bytes) {
        let _ = lazy.root().map(|root| touch(root, &mut 200));
        for name in lazy.entries().unwrap_or_default() {
            let _ = lazy.entry(name).map(|entry| touch(entry, &mut 50));
        }
        // An index that says what is so; there may be none.
        if let Ok(graph) = Marshal::decode_with(bytes, &DecodeOptions::new().verify_index(true)) {
            same(&graph, lazy.root().unwrap());
        }
    }
    let Ok(graph) = graph else { return };
    for intern in [false, true] {
        let options = EncodeOptions::new().index(true).intern_strings(intern).max_bytes(1 << 22);
        let Ok(indexed) = Marshal::encode_with(&graph, &options) else { continue };
        Marshal::check_with(&indexed, &DecodeOptions::new().verify_index(true)).unwrap();
        same(&graph, Lazy::new(&indexed).unwrap().root().unwrap());
    }
}

/// The parts are those of the whole.
fn same(graph: &Graph<'_>, root: LazyCursor<'_>) {
    assert_eq!(root.to_graph().as_ref(), Ok(graph));
    assert_eq!(Marshal::decode(&root.to_message().unwrap()).as_ref(), Ok(graph));
    for (eager, lazy) in graph.root().properties().zip(root.properties()).take(4) {
        let mut part = graph.clone();
        part.set_root(eager.value().value());
        let lazy = lazy.unwrap().value();
        assert_eq!(lazy.to_graph().as_ref(), Ok(&part));
        assert_eq!(Marshal::decode(&lazy.to_message().unwrap()).as_ref(), Ok(&part));
    }
}

/// The bytes are a file, or a message in one, that is mapped and read part by part. What is mapped reads the same as in
/// memory.
#[cfg(feature = "snapshot")]
pub fn mapped(bytes: &[u8]) {
    thread_local! {
        static FILE: (tempfile::TempDir, std::path::PathBuf) = {
            let directory = tempfile::tempdir().unwrap();
            let path = directory.path().join("file");
            (directory, path)
        };
    }
    FILE.with(|(_, path)| {
        // As the file itself: a message, a snapshot, a compressed message, or nothing of the kind.
        std::fs::write(path, bytes).unwrap();
        if let Ok(open) = Snapshot::open(path) {
            read_open(&open, None);
        }
        let in_memory = Lazy::new(bytes);
        let options = SaveOptions::new().sync(Sync::None);
        let Ok(snapshot) = Snapshot::to_bytes(&Encoded(bytes), &options) else { return };
        std::fs::write(path, &snapshot).unwrap();
        match (Snapshot::open(path), in_memory) {
            (Ok(open), Ok(in_memory)) => read_open(&open, Some(&in_memory)),
            (Err(open), Err(in_memory)) => assert_eq!(open, in_memory),
            (open, in_memory) => panic!("{open:?}, {in_memory:?}"),
        }
    });
}

#[cfg(feature = "snapshot")]
fn read_open(open: &OpenSnapshot, in_memory: Option<&Lazy<&[u8]>>) {
    let _ = open.root().map(|root| touch(root, &mut 100));
    for name in open.entries().unwrap_or_default() {
        let _ = open.entry(name).map(|entry| touch(entry, &mut 30));
    }
    if let Some(in_memory) = in_memory {
        let graph = open.root().and_then(LazyCursor::to_graph);
        assert_eq!(graph, in_memory.root().and_then(LazyCursor::to_graph));
        assert_eq!(open.entries(), in_memory.entries());
    }
}

/// Reads whatever there is, up to a bound.
fn touch(cursor: LazyCursor<'_>, left: &mut usize) {
    if *left == 0 {
        return;
    }
    *left -= 1;
    let _ = (
        cursor.kind(),
        cursor.len(),
        cursor.size(),
        cursor.elements(),
        cursor.regexp(),
        cursor.buffer(),
        cursor.bigint(),
    );
    if left.is_multiple_of(16) {
        let _ = cursor.to_graph();
    }
    let _ = cursor.get("a").map(|value| touch(value, left));
    let _ = cursor.at(1).map(|value| touch(value, left));
    cursor.iter().take(8).flatten().flatten().for_each(|value| touch(value, left));
    cursor.properties().take(8).flatten().for_each(|property| touch(property.value(), left));
    cursor.members().take(8).flatten().for_each(|value| touch(value, left));
    for (key, value) in cursor.entries().take(8).flatten() {
        touch(key, left);
        touch(value, left);
    }
}

/// The bytes are an object in a store, or a message in one, that is fetched block by block.
#[cfg(feature = "remote")]
pub fn remote(bytes: &[u8]) {
    stored::of_bytes(bytes);
}

/// The bytes are an archive of the original library, or not. What it holds obeys the laws of every graph.
pub fn original(bytes: &[u8]) {
    match marshal::original::decode(bytes) {
        Ok(graph) => {
            let message = of_graph(&graph);
            assert_eq!(Marshal::decode(&message).as_ref(), Ok(&graph));
        }
        Err(error) => laws::of_error(&error, bytes.len()),
    }
}

/// The bytes are a message, or not, which types of every form read.
pub fn typed(bytes: &[u8]) {
    zoo::of_typed_bytes(bytes);
}

//! What each fuzz target does with its bytes. The plain tests include this file and replay the corpora with it.

use laws::of_graph;
use marshal::{EncodeOptions, Lazy, LazyCursor, Marshal};
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
        if let (Ok(graph), false) = (&graph, lazy.has_index()) {
            assert_eq!(lazy.root().and_then(LazyCursor::to_graph).as_ref(), Ok(graph));
        }
    }
    let Ok(graph) = graph else { return };
    for intern in [false, true] {
        let options = EncodeOptions::new().index(true).intern_strings(intern).max_bytes(1 << 22);
        let Ok(indexed) = Marshal::encode_with(&graph, &options) else { continue };
        let lazy = Lazy::new(&indexed).unwrap();
        let root = lazy.root().unwrap();
        assert_eq!(root.to_graph().as_ref(), Ok(&graph));
        for (eager, lazy) in graph.root().properties().zip(root.properties()).take(4) {
            let mut part = graph.clone();
            part.set_root(eager.value().value());
            assert_eq!(lazy.unwrap().value().to_graph(), Ok(part));
        }
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

//! What each fuzz target does with its bytes. The plain tests include this file and replay the corpus with it.

use laws::of_graph;
use marshal::Marshal;
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

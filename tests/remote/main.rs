//! Snapshots in object stores: memory, a local disk, and stores that count, fail and lie. Those in a real server are in
//! `tests/s3`.
#![cfg(feature = "remote")]

mod faults;
mod parts;
mod saving;
mod store;

use std::sync::Arc;

use marshal::{Graph, Remote, Value};
use object_store::ObjectStore;
use object_store::local::LocalFileSystem;
use object_store::memory::InMemory;

/// A place in memory.
fn place() -> Remote {
    Remote::new(Arc::new(InMemory::new()), "team/state.marshal")
}

/// Both stores that need no server; the directory of the second.
fn stores() -> ([Arc<dyn ObjectStore>; 2], tempfile::TempDir) {
    let dir = tempfile::tempdir().unwrap();
    let disk = LocalFileSystem::new_with_prefix(dir.path()).unwrap();
    ([Arc::new(InMemory::new()), Arc::new(disk)], dir)
}

/// A state with a number, and `len` bytes that follow from it.
fn numbered(n: u32, len: usize) -> Graph<'static> {
    let mut graph = Graph::new();
    let noise: Vec<u32> = (0..len as u32 / 4).map(|i| (i ^ n).wrapping_mul(2_654_435_761)).collect();
    let noise = graph.typed_array(&noise);
    let root = graph.object([("n", Value::from(n)), ("noise", noise)]);
    graph.set_root(root);
    graph
}

fn number_of(state: &Graph<'_>) -> u32 {
    let n = state.root().get("n").and_then(|n| n.as_i64()).unwrap() as u32;
    let len = 4 * state.root().get("noise").unwrap().len();
    assert!(*state == numbered(n, len), "the state is whole");
    n
}

/// What stands in a store, by path, in order.
async fn names(store: &dyn ObjectStore) -> Vec<String> {
    use futures_util::TryStreamExt;
    let listed: Vec<_> = store.list(None).try_collect().await.unwrap();
    let mut names: Vec<String> = listed.into_iter().map(|object| object.location.to_string()).collect();
    names.sort();
    names
}

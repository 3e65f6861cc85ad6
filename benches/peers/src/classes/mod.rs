//! Live Rust objects to bytes and back, as classes: graphs with identity (`graph`), and plain values as derived classes
//! (`log`, `updates`). Against fory, and where identity counts against v8_valueserializer's heap.

mod plain;
mod world;

use anyhow::Result;
use marshal_bench_data::Dataset;

use crate::input::Input;
use crate::options::Options;
use crate::peers::{Entrant, LIBRARIES, Operation, Peer};
use crate::stopwatch::Sample;

/// The libraries that take part; the first is ours.
pub const NAMES: [&str; 3] = ["marshal", "fory", "v8_valueserializer"];

/// Every library that was asked for, its round trip checked.
pub fn entrants(options: &Options, dataset: Dataset) -> Result<Vec<Entrant>> {
    let mut entrants = match dataset {
        Dataset::Graph => world::entrants(options.scale)?,
        Dataset::Log => plain::log(options.scale)?,
        Dataset::Updates => plain::updates(options.scale)?,
        _ => Vec::new(),
    };
    if dataset == Dataset::Graph && options.wants(NAMES[2]) {
        let library = LIBRARIES.iter().find(|library| library.name == NAMES[2]);
        let peer = library.map(|library| (library.prepare)(&Input::new(dataset, options.scale))).transpose()?;
        entrants.extend(peer.flatten().map(|peer| Entrant { name: NAMES[2], peer: Box::new(Heap(peer)) }));
    }
    entrants.retain(|entrant| options.wants(entrant.name));
    Ok(entrants)
}

/// A library that has no types: its own value stands for the objects.
struct Heap(Box<dyn Peer>);

impl Peer for Heap {
    fn message_len(&self) -> usize {
        self.0.message_len()
    }

    fn sample(&mut self, operation: Operation, times: usize) -> Option<Sample> {
        match operation {
            Operation::GraphEncode => self.0.sample(Operation::Encode, times),
            Operation::GraphDecode => self.0.sample(Operation::Decode, times),
            _ => None,
        }
    }
}

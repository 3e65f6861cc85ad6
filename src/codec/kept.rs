//! What an encoder and a decoder leave to the next one on their thread, so that small messages do not pay for allocations.

use std::cell::Cell;
use std::thread::LocalKey;

use super::decode;
use super::emit::Parts;
use super::known::Known;
use super::write;
use super::write_shapes::ShapeWriter;
use crate::graph::{Distinct, Graph, Slot};

/// All of an encoder's state that is on the heap: it is taken and kept by a pointer.
#[derive(Default)]
pub(super) struct Writing {
    pub(super) parts: Parts,
    pub(super) shapes: ShapeWriter,
    /// By node: identity + 1, or 0 for one not yet met.
    pub(super) identities: Vec<u32>,
    /// The containers around the one that is being written.
    pub(super) stack: Vec<write::Frame>,
}

/// All of a decoder's state that is on the heap and does not go into the graph.
#[derive(Default)]
pub(super) struct Reading {
    /// The strings that were interned.
    pub(super) strings: Vec<Slot>,
    pub(super) known: Known,
    pub(super) distinct: Distinct,
    /// The open containers, the root's frame at the bottom, the one that is being read on top.
    pub(super) stack: Vec<decode::Frame>,
}

/// Larger buffers are given up: a thread does not hold on to much for one large message.
const MAX_KEPT: usize = 1 << 17;

type Place<T> = LocalKey<Cell<Option<Box<T>>>>;

thread_local! {
    static WRITING: Cell<Option<Box<Writing>>> = const { Cell::new(None) };
    static READING: Cell<Option<Box<Reading>>> = const { Cell::new(None) };
}

fn take<T: Default>(place: &'static Place<T>) -> Box<T> {
    place.take().unwrap_or_default()
}

impl Writing {
    /// What the last encoder on this thread has left, emptied, for a graph.
    #[inline]
    pub(super) fn take(graph: &Graph<'_>) -> Box<Self> {
        let mut kept = take(&WRITING);
        kept.parts.begin(graph.text.border());
        kept.shapes.begin(graph);
        kept.identities.clear();
        kept.identities.resize(graph.nodes.len(), 0);
        kept.stack.clear();
        kept
    }

    #[inline]
    pub(super) fn keep(self: Box<Self>) {
        let largest = self.parts.largest().max(self.shapes.largest());
        if largest.max(self.identities.capacity()).max(self.stack.capacity()) <= MAX_KEPT {
            WRITING.set(Some(self));
        }
    }
}

impl Reading {
    /// What the last decoder on this thread has left, emptied.
    #[inline]
    pub(super) fn take() -> Box<Self> {
        let mut kept = take(&READING);
        kept.strings.clear();
        kept.known.clear();
        kept.stack.clear();
        kept
    }

    #[inline]
    pub(super) fn keep(self: Box<Self>) {
        let largest = self.strings.capacity().max(self.known.capacity());
        if largest.max(self.distinct.capacity()).max(self.stack.capacity()) <= MAX_KEPT {
            READING.set(Some(self));
        }
    }
}

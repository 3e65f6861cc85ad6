//! Buffers that an encoder leaves to the next one on its thread, so that small messages do not pay for allocations.

use std::cell::Cell;

use super::emit::Run;
use super::write::Frame;
use super::write_shapes::{Numbered, Source};

/// What is in them is of no account: who takes a buffer clears it.
#[derive(Default)]
pub(super) struct Scratch {
    pub(super) structure: Vec<u8>,
    pub(super) runs: Vec<Run>,
    pub(super) identities: Vec<u32>,
    pub(super) stack: Vec<Frame>,
    pub(super) numbers: Vec<Option<Numbered>>,
    pub(super) sources: Vec<Source>,
}

/// Larger buffers are given up: a thread does not hold on to much for one large message.
const MAX_KEPT: usize = 1 << 20;

thread_local! {
    static KEPT: Cell<Option<Scratch>> = const { Cell::new(None) };
}

impl Scratch {
    pub(super) fn take() -> Self {
        KEPT.take().unwrap_or_default()
    }

    pub(super) fn keep(self) {
        let items = [
            self.structure.capacity(),
            self.runs.capacity(),
            self.identities.capacity(),
            self.stack.capacity(),
            self.numbers.capacity(),
            self.sources.capacity(),
        ];
        if items.into_iter().all(|capacity| capacity <= MAX_KEPT) {
            KEPT.set(Some(self));
        }
    }
}

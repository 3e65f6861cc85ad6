//! The shapes of the classes that have been written: found by one comparison where the message has them already.

use std::any::TypeId;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use foldhash::fast::RandomState;
use hashbrown::HashMap;

use super::describe::Description;
use crate::wire::shapes::ShapeId;

/// The shapes of classes, in this message and others.
#[derive(Default)]
pub(super) struct Shapes {
    /// A power of two of places; as many as keep the shapes of a message apart.
    recent: Vec<Recent>,
    pub(super) all: HashMap<(TypeId, usize), (Arc<Description>, ShapeId), RandomState>,
    /// Counts messages, in the upper half: in each, a class is registered when its shape is used first.
    message: u64,
}

/// A shape that has been used in a message.
#[derive(Clone, Copy)]
pub(super) struct Recent {
    type_id: TypeId,
    /// The message, and in the lower half the form.
    key: u64,
    /// The number that the shape has in the message.
    pub(super) number: u64,
    pub(super) id: ShapeId,
}

/// The number of a shape that waits for one.
pub(super) const UNNUMBERED: u64 = u64::MAX;

const FEWEST_RECENT: usize = 32;
const MOST_RECENT: usize = 1 << 14;

impl Shapes {
    /// Begins a message.
    pub(super) fn start(&mut self) {
        // Never 0, which is no message.
        self.message = self.message.checked_add(1 << 32).unwrap_or(1 << 32);
    }

    #[inline(always)]
    fn place(&self, type_id: TypeId, form: usize) -> usize {
        let mut hasher = Passing(0);
        type_id.hash(&mut hasher);
        (hasher.0 as usize).wrapping_add(form) & self.recent.len().wrapping_sub(1)
    }

    /// The shape of a form of a class, if it has been used in this message.
    #[inline(always)]
    pub(super) fn recent(&self, type_id: TypeId, form: usize) -> Option<&Recent> {
        let recent = self.recent.get(self.place(type_id, form))?;
        (recent.key == self.message + form as u64 && recent.type_id == type_id).then_some(recent)
    }

    pub(super) fn remember(&mut self, type_id: TypeId, form: usize, id: ShapeId, number: u64) {
        let recent = Recent { type_id, key: self.message + form as u64, number, id };
        let none = Recent { key: 0, ..recent };
        if self.recent.is_empty() {
            self.recent.resize(FEWEST_RECENT, none);
        }
        loop {
            let place = self.place(type_id, form);
            let other = self.recent[place];
            if other.key >> 32 != self.message >> 32
                || (other.type_id, other.key) == (type_id, recent.key)
                || self.recent.len() >= MOST_RECENT
            {
                self.recent[place] = recent;
                return;
            }
            let more = 2 * self.recent.len();
            let before = std::mem::replace(&mut self.recent, vec![none; more]);
            for known in before.into_iter().filter(|known| known.key > 0) {
                let place = self.place(known.type_id, known.key as u32 as usize);
                self.recent[place] = known;
            }
        }
    }
}

/// A `TypeId` is a hash already.
struct Passing(u64);

impl Hasher for Passing {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.0 = self.0.rotate_left(8) ^ u64::from(byte));
    }

    #[inline(always)]
    fn write_u64(&mut self, n: u64) {
        self.0 = n;
    }
}

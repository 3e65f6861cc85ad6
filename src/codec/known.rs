//! What has been found out about long strings that were interned.
//!
//! Each use of one takes two bytes of a message, so whatever costs its length may be done once and not at each use.

use std::hash::{BuildHasher, Hash, Hasher};

use foldhash::fast::RandomState;
use hashbrown::{HashMap, HashSet};

use crate::graph::{Extent, Graph, SameKey, Slot};

/// Shorter strings are looked at again: that costs no more than looking them up.
const LONG: u32 = 64;

#[derive(Default)]
pub(super) struct Known {
    hashes: HashMap<Extent, u64, RandomState>,
    sources: HashSet<Extent, RandomState>,
    state: RandomState,
}

/// A key of a container, with the hash of one that is a long string.
pub(super) struct KnownKey<'g> {
    hash: Option<u64>,
    key: SameKey<'g>,
}

impl PartialEq for KnownKey<'_> {
    /// Two long strings with one hash are one string, up to chance: the comparison of them finds a doubled key.
    fn eq(&self, other: &Self) -> bool {
        self.hash == other.hash && self.key == other.key
    }
}

impl Hash for KnownKey<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        match self.hash {
            Some(hash) => hash.hash(state),
            None => self.key.hash(state),
        }
    }
}

impl Known {
    pub(super) fn clear(&mut self) {
        self.hashes.clear();
        self.sources.clear();
    }

    /// The larger capacity of its tables.
    pub(super) fn capacity(&self) -> usize {
        self.hashes.capacity().max(self.sources.capacity())
    }

    /// Takes note of the string in `slot`, if it is long.
    pub(super) fn note(&mut self, graph: &Graph<'_>, slot: Slot) {
        if let Slot::Text(text) = slot
            && text.len() >= LONG
        {
            let state = &self.state;
            self.hashes.entry(text).or_insert_with(|| state.hash_one(graph.lend_text(text)));
        }
    }

    /// The key in `slot`, which has been noted.
    pub(super) fn key<'g>(&self, graph: &'g Graph<'_>, slot: Slot) -> KnownKey<'g> {
        let hash = match slot {
            Slot::Text(text) => self.hashes.get(&text).copied(),
            _ => None,
        };
        KnownKey { hash, key: graph.same_key(slot) }
    }

    /// Whether `text` is known to be the source of a RegExp; if not, `is_source` finds out.
    pub(super) fn is_source(&mut self, text: Extent, is_source: impl FnOnce() -> bool) -> bool {
        if text.len() < LONG {
            return is_source();
        }
        self.sources.contains(&text) || (is_source() && self.sources.insert(text))
    }
}

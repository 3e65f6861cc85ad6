//! Strings that are written once however often they occur.

use foldhash::fast::RandomState;
use hashbrown::HashMap;

use crate::graph::{Extent, Graph, JsStr, Slot};

/// The strings of a graph that occur more than once, with the id that the first occurrence gave them.
pub(super) struct Interned<'g> {
    graph: &'g Graph<'g>,
    by_content: HashMap<JsStr<'g>, usize, RandomState>,
    /// Long strings also by where they stand: any number of values may share one, which is not hashed for each.
    by_place: HashMap<Extent, usize, RandomState>,
    entries: Vec<Entry>,
    next: u64,
}

#[derive(Default)]
struct Entry {
    again: bool,
    id: Option<u64>,
}

/// What stands for a string.
pub(super) enum Intern {
    /// The string itself.
    Whole,
    /// The string itself, which takes the next id.
    First,
    Again(u64),
}

/// Shorter strings cost no more than their id.
const MIN: u32 = 2;
/// Hashing shorter strings costs no more than looking up their place.
const LONG: u32 = 64;

impl<'g> Interned<'g> {
    pub(super) fn of(graph: &'g Graph<'_>) -> Self {
        let mut this = Interned {
            graph,
            by_content: HashMap::default(),
            by_place: HashMap::default(),
            entries: Vec::new(),
            next: 0,
        };
        for slot in graph.slots.iter().chain([&graph.root]) {
            if let Slot::Text(text) = *slot
                && text.len() >= MIN
            {
                let entry = this.entry(text);
                let is_new = entry == this.entries.len();
                if is_new {
                    this.entries.push(Entry::default());
                } else {
                    this.entries[entry].again = true;
                }
            }
        }
        this
    }

    /// The string's entry, or the place where it belongs.
    fn entry(&mut self, text: Extent) -> usize {
        let (graph, next) = (self.graph, self.entries.len());
        let mut by_content = || *self.by_content.entry(graph.lend_text(text)).or_insert(next);
        if text.len() < LONG { by_content() } else { *self.by_place.entry(text).or_insert_with(by_content) }
    }

    pub(super) fn intern(&mut self, text: Extent) -> Intern {
        if text.len() < MIN {
            return Intern::Whole;
        }
        let entry = self.entry(text);
        match self.entries.get_mut(entry) {
            Some(Entry { again: true, id: Some(id) }) => Intern::Again(*id),
            Some(Entry { again: true, id }) => {
                *id = Some(self.next);
                self.next += 1;
                Intern::First
            }
            _ => Intern::Whole,
        }
    }
}

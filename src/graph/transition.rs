//! From the keys of plain objects, one after the other, to their shapes, as engines do it: a tree in which each key
//! leads on. Objects that repeat the keys of one before cost a comparison a key, and no hashing of whole shapes.
//!
//! Knows keys and shapes; where the keys come from is the caller's.

use std::hash::BuildHasher;

use foldhash::fast::RandomState;
use hashbrown::HashTable;

use super::shape::{Key, MAX_PLAIN_SHAPES, MAX_SHAPE_KEYS, Rank, ShapeKind};
use super::text::JsStr;
use super::{Graph, short};

/// More places than this are not remembered: keys that never come again would otherwise fill memory.
const MAX_PLACES: usize = 1 << 16;

/// The tree. One serves one graph.
#[derive(Debug)]
pub(crate) struct Transitions {
    places: Vec<Entry>,
    /// Finds a place by the one before it and its key.
    table: HashTable<u32>,
    state: RandomState,
    text: String,
}

/// A place in the tree: the keys that have led there from the root.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place(u32);

#[derive(Debug, Clone, Copy)]
struct Entry {
    before: u32,
    key_at: u32,
    key_len: u32,
    /// Keys up to here.
    depth: u32,
    /// Where the last object went on from here; 0 for nowhere yet.
    latest: u32,
    shape: Found,
}

#[derive(Debug, Clone, Copy)]
enum Found {
    NotSought,
    Shape(u32),
    /// The keys are not in order, or one stands twice, or there is no room in the table.
    None,
}

impl Default for Transitions {
    fn default() -> Self {
        let root = Entry { before: 0, key_at: 0, key_len: 0, depth: 0, latest: 0, shape: Found::None };
        Transitions { places: vec![root], table: HashTable::new(), state: RandomState::default(), text: String::new() }
    }
}

impl Transitions {
    /// Where an object without keys stands.
    pub(crate) const ROOT: Place = Place(0);

    /// Where `key` leads from `from`. `None` where nothing is remembered: such an object finds its shape by all its keys.
    #[inline]
    pub(crate) fn follow(&mut self, from: Place, key: &str) -> Option<Place> {
        let latest = self.places[from.0 as usize].latest;
        if latest != 0 && self.key(latest) == key {
            return Some(Place(latest));
        }
        self.follow_other(from, key)
    }

    fn follow_other(&mut self, from: Place, key: &str) -> Option<Place> {
        let hash = self.state.hash_one((from.0, key));
        let found =
            self.table.find(hash, |&place| self.places[place as usize].before == from.0 && self.key(place) == key);
        let place = match found {
            Some(&place) => place,
            None => {
                let depth = self.places[from.0 as usize].depth + 1;
                if self.places.len() >= MAX_PLACES || depth as usize > MAX_SHAPE_KEYS {
                    return None;
                }
                let place = self.places.len() as u32;
                let key_at = u32::try_from(self.text.len()).ok()?;
                self.text.push_str(key);
                let key_len = short(key.len());
                self.places.push(Entry { before: from.0, key_at, key_len, depth, latest: 0, shape: Found::NotSought });
                let (places, text, state) = (&self.places, &self.text, &self.state);
                self.table.insert_unique(hash, place, |&place| {
                    let Entry { before, key_at, key_len, .. } = places[place as usize];
                    state.hash_one((before, &text[key_at as usize..(key_at + key_len) as usize]))
                });
                place
            }
        };
        self.places[from.0 as usize].latest = place;
        Some(Place(place))
    }

    /// The shape of a plain object in `graph` whose keys have led to `place`, if they are in order and distinct.
    #[inline]
    pub(crate) fn shape(&mut self, graph: &mut Graph<'_>, place: Place) -> Option<u32> {
        match self.places[place.0 as usize].shape {
            Found::Shape(shape) => Some(shape),
            Found::None => None,
            Found::NotSought => self.seek_shape(graph, place),
        }
    }

    fn seek_shape(&mut self, graph: &mut Graph<'_>, place: Place) -> Option<u32> {
        let mut keys = Vec::with_capacity(self.places[place.0 as usize].depth as usize);
        let mut at = place.0;
        while at != 0 {
            keys.push(Key::String(JsStr::utf8(self.key(at))));
            at = self.places[at as usize].before;
        }
        keys.reverse();
        let ordered = keys.windows(2).all(|pair| match (pair[0].rank(), pair[1].rank()) {
            (Rank::Index(before), Rank::Index(index)) => before < index,
            (before, rank) => rank.may_follow(before),
        });
        let distinct = super::Distinct::default().first_duplicate(keys.len(), |i| keys[i]).is_none();
        let shape = if ordered && distinct { graph.shape_for(ShapeKind::Plain, &keys) } else { None };
        // A full table stays full, so neither answer changes.
        debug_assert!(shape.is_some() || !ordered || !distinct || graph.shapes.len() >= MAX_PLAIN_SHAPES);
        self.places[place.0 as usize].shape = shape.map_or(Found::None, Found::Shape);
        shape
    }

    #[inline]
    fn key(&self, place: u32) -> &str {
        let Entry { key_at, key_len, .. } = self.places[place as usize];
        &self.text[key_at as usize..key_at as usize + key_len as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(transitions: &mut Transitions, keys: &[&str]) -> Option<Place> {
        keys.iter().try_fold(Transitions::ROOT, |place, key| transitions.follow(place, key))
    }

    #[test]
    fn the_same_keys_lead_to_the_shape_that_building_gives() {
        let mut graph = Graph::new();
        let mut tree = Transitions::default();
        for keys in [&["a", "b"][..], &["b", "a"], &["a", "b"], &["1", "7", "a"], &["a"]] {
            let place = place(&mut tree, keys).unwrap();
            let lent: Vec<Key<'_>> = keys.iter().map(|key| Key::String(JsStr::utf8(key))).collect();
            assert_eq!(tree.shape(&mut graph, place), graph.shape_for(ShapeKind::Plain, &lent));
        }
        assert_eq!(graph.shapes.len(), 4);
        for keys in [&["a", "a"][..], &["7", "1"], &["a", "1"], &["1", "1"]] {
            let place = place(&mut tree, keys).unwrap();
            assert_eq!(tree.shape(&mut graph, place), None, "{keys:?}");
        }
        assert_eq!(tree.shape(&mut graph, Transitions::ROOT), None);
    }

    #[test]
    fn what_never_comes_again_does_not_fill_memory() {
        let mut tree = Transitions::default();
        for i in 0..2 * MAX_PLACES {
            tree.follow(Transitions::ROOT, &i.to_string());
        }
        assert_eq!(tree.places.len(), MAX_PLACES);
        let keys: Vec<String> = (0..=MAX_SHAPE_KEYS).map(|i| format!("k{i}")).collect();
        let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
        assert_eq!(place(&mut Transitions::default(), &keys), None);
        assert!(place(&mut Transitions::default(), &keys[1..]).is_some());
    }
}

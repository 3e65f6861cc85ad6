//! The ways from the names of structs to their last fields, laid out one behind the other.

use super::fields::NONE;

/// When so many places are taken, all tracks are laid anew. Place 0 is none.
const PLACES: usize = 2048;

/// A track leads over fewer fields.
pub(super) const LONGEST: usize = 64;

/// Of a static string, and its length: no string lies at address 0.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Address(pub(super) usize, pub(super) usize);

impl Address {
    #[inline(always)]
    pub(super) fn of(text: &'static str) -> Self {
        Address(text.as_ptr().addr(), text.len())
    }
}

/// Where the track of an object begins: its field `n` is at the `n`th place from there on. Off all tracks, that place is
/// behind the last one.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Track(u32);

impl Track {
    /// The track that begins at `place`.
    #[inline(always)]
    pub(super) fn at(place: u32) -> Track {
        // So a compiler knows that a few places on it still lies within.
        Track(place % PLACES as u32)
    }

    /// Where a track would begin that is off after `n` fields.
    pub(super) fn off(n: usize) -> u32 {
        (n as u32).wrapping_neg() % PLACES as u32
    }

    /// Where field `n` is.
    #[inline(always)]
    pub(super) fn place(self, n: usize) -> usize {
        self.0 as usize + n
    }
}

pub(super) struct Tracks {
    /// The key that comes after each place, if there is one.
    next: Box<Keys>,
    /// The node at each place that is taken.
    nodes: Vec<u32>,
    pub(super) is_full: bool,
}

/// Two arrays, because an index into pairs takes two more instructions.
struct Keys {
    starts: [usize; PLACES + LONGEST],
    lens: [usize; PLACES + LONGEST],
}

impl Default for Tracks {
    fn default() -> Self {
        let next = Keys { starts: [0; PLACES + LONGEST], lens: [0; PLACES + LONGEST] };
        Tracks { next: Box::new(next), nodes: vec![NONE], is_full: false }
    }
}

impl Tracks {
    /// Whether `key` comes next after `n` fields.
    #[inline(always)]
    pub(super) fn is_next(&self, track: Track, n: usize, key: &'static str) -> bool {
        let Address(start, len) = Address::of(key);
        let place = track.place(n);
        n < LONGEST && self.next.starts[place] == start && self.next.lens[place] == len
    }

    /// The node of the last of `n` fields, unless it is off the tracks.
    pub(super) fn node(&self, track: Track, n: usize) -> Option<u32> {
        match track.place(n) % PLACES {
            0 => None,
            place => Some(self.nodes[place]),
        }
    }

    /// Lays a track over `n` nodes, fewer than [`LONGEST`], and the beginning of their struct, each with its key; the last
    /// comes first. Where it begins, if there is room for it.
    pub(super) fn lay(&mut self, n: usize, back: impl Iterator<Item = (u32, &'static str)>) -> Option<u32> {
        let begin = self.nodes.len();
        if begin + n >= PLACES {
            self.is_full = true;
            return None;
        }
        self.nodes.resize(begin + n + 1, NONE);
        for (place, (node, key)) in (begin..=begin + n).rev().zip(back) {
            self.nodes[place] = node;
            if place > begin {
                (self.next.starts[place - 1], self.next.lens[place - 1]) = (key.as_ptr().addr(), key.len());
            }
        }
        Some(begin as u32)
    }

    pub(super) fn clear(&mut self) {
        self.next.starts.fill(0);
        self.nodes.truncate(1);
        self.is_full = false;
    }
}

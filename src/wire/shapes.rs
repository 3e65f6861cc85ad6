//! The shapes section of a message that is written without a graph (`spec/format.md`, section 6).
//!
//! What a program writes has a few shapes, each known by names in its static memory. They are remembered from one
//! message to the next, with the bytes that describe them, so that a shape costs a lookup by address and, once a
//! message, a copy of those bytes.

use std::hash::BuildHasher;

use foldhash::fast::RandomState;
use hashbrown::{HashMap, HashTable};

use super::{copy, structure, varint};

/// First bytes of a shape: its kind.
pub(crate) const PLAIN: u8 = 0;
pub(crate) const NULL_PROTOTYPE: u8 = 1;
pub(crate) const CLASS: u8 = 2;
pub(crate) const DERIVED: u8 = 3;
pub(crate) const ERROR: u8 = 4;
pub(crate) const CUSTOM: u8 = 5;

/// A string in UTF-8.
#[inline]
pub(crate) fn utf8(out: &mut Vec<u8>, text: &str) {
    varint::write(out, (text.len() as u64) << 2);
    out.extend_from_slice(text.as_bytes());
}

/// A string with a lone surrogate, as little-endian code units.
pub(crate) fn utf16(out: &mut Vec<u8>, units: &[u8]) {
    varint::write(out, (units.len() as u64 / 2) << 2 | 1);
    out.extend_from_slice(units);
}

/// A key that is the symbol with this number.
pub(crate) fn symbol(out: &mut Vec<u8>, number: u32) {
    varint::write(out, u64::from(number) << 2 | 2);
}

/// A shape as its section describes it, known for good. Valid for the [`ShapeTable`] that gave it, until
/// [`ShapeTable::start`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ShapeId(u32);

/// The shapes and symbols of the message that is being written, and what is remembered of shapes.
#[derive(Default)]
pub(crate) struct ShapeTable {
    known: Vec<Known>,
    /// The bytes of all known shapes.
    bytes: Vec<u8>,
    by_content: HashTable<u32>,
    by_address: HashMap<Address, u32, RandomState>,
    /// Where `by_address` was last asked for addresses that end alike.
    recent: Vec<(Address, u32)>,
    state: RandomState,
    /// Goes up with each message, so that no number of an earlier one counts.
    message: u32,
    symbols: Vec<u8>,
    symbols_count: u32,
    /// The numbers of registered and well-known symbols, by what describes them.
    lasting_symbols: HashMap<Box<[u8]>, u32, RandomState>,
    shapes: Vec<u8>,
    shapes_count: u32,
}

struct Known {
    start: u32,
    len: u32,
    /// The message for which `number` holds.
    message: u32,
    number: u32,
}

/// Of a static string or list: two that are equal in both are one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
struct Address(usize, usize);

const RECENT: usize = 256;

/// With more bytes of known shapes than this, all are forgotten before the next message.
const MAX_KNOWN_BYTES: usize = 1 << 18;

impl ShapeTable {
    /// Begins a message. True where what was remembered is forgotten: every [`ShapeId`] is void.
    pub(crate) fn start(&mut self) -> bool {
        self.symbols.clear();
        self.lasting_symbols.clear();
        self.symbols_count = 0;
        self.shapes.clear();
        self.shapes_count = 0;
        self.message = self.message.wrapping_add(1);
        let forget = self.bytes.len() > MAX_KNOWN_BYTES || self.message == 0;
        if forget {
            self.known.clear();
            self.bytes.clear();
            self.by_content.clear();
            self.by_address.clear();
            self.recent.clear();
            self.message = 1;
        }
        forget
    }

    /// The shape that `content` describes.
    pub(crate) fn id(&mut self, content: &[u8]) -> ShapeId {
        let hash = self.state.hash_one(content);
        let (known, bytes) = (&self.known, &self.bytes);
        let of = |index: u32| known[index as usize].content(bytes);
        if let Some(&index) = self.by_content.find(hash, |&index| of(index) == content) {
            return ShapeId(index);
        }
        let index = self.known.len() as u32;
        let start = self.bytes.len() as u32;
        self.bytes.extend_from_slice(content);
        self.known.push(Known { start, len: content.len() as u32, message: 0, number: 0 });
        let (known, bytes, state) = (&self.known, &self.bytes, &self.state);
        self.by_content.insert_unique(hash, index, |&index| state.hash_one(known[index as usize].content(bytes)));
        ShapeId(index)
    }

    /// What `make` gave for the static item of this length at `at` when it was first asked.
    #[inline]
    pub(crate) fn remembered(&mut self, at: usize, len: usize, make: impl FnOnce(&mut Self) -> u32) -> u32 {
        let address = Address(at, len);
        // Lengths that say in their top bit what the item is go elsewhere than those that don't.
        let place = (at ^ len.rotate_left(8)).wrapping_mul(0x9E37_79B9) >> 16 & (RECENT - 1);
        match self.recent.get(place) {
            Some(&(known, found)) if known == address => found,
            _ => self.look_up(address, place, make),
        }
    }

    #[cold]
    fn look_up(&mut self, address: Address, place: usize, make: impl FnOnce(&mut Self) -> u32) -> u32 {
        let found = match self.by_address.get(&address) {
            Some(&found) => found,
            None => {
                let made = make(self);
                self.by_address.insert(address, made);
                made
            }
        };
        // No item lies at address 0.
        self.recent.resize(RECENT, (Address::default(), 0));
        self.recent[place] = (address, found);
        found
    }

    /// Which message this is, among those since shapes were last forgotten. Never 0 once it has begun.
    #[inline]
    pub(crate) fn message(&self) -> u32 {
        self.message
    }

    /// The shape's number in this message.
    #[inline]
    pub(crate) fn number(&mut self, id: ShapeId) -> u32 {
        let known = &mut self.known[id.0 as usize];
        if known.message != self.message {
            known.message = self.message;
            known.number = self.shapes_count;
            self.shapes_count += 1;
            copy::append(&mut self.shapes, known.content(&self.bytes));
        }
        known.number
    }

    /// The number of a symbol; `describe` writes it. A registered or well-known one that the message has already keeps its
    /// number, any other is a new one.
    pub(crate) fn push_symbol(&mut self, describe: impl FnOnce(&mut Vec<u8>)) -> u32 {
        let start = self.symbols.len();
        describe(&mut self.symbols);
        let described = &self.symbols[start..];
        if matches!(described.first(), Some(2 | 3)) {
            if let Some(&known) = self.lasting_symbols.get(described) {
                self.symbols.truncate(start);
                return known;
            }
            self.lasting_symbols.insert(described.into(), self.symbols_count);
        }
        self.symbols_count += 1;
        self.symbols_count - 1
    }

    /// Bytes of the section; 0 where there is none.
    pub(crate) fn section_len(&self) -> usize {
        if self.symbols_count + self.shapes_count == 0 {
            return 0;
        }
        let counts = varint::len(u64::from(self.symbols_count)) + varint::len(u64::from(self.shapes_count));
        counts + self.symbols.len() + self.shapes.len()
    }

    /// Appends the section.
    #[inline]
    pub(crate) fn write_section(&self, out: &mut Vec<u8>) {
        if self.symbols_count + self.shapes_count == 0 {
            return;
        }
        if self.symbols_count > 0 || self.shapes_count >= 0x80 {
            varint::write(out, u64::from(self.symbols_count));
            copy::append(out, &self.symbols);
            varint::write(out, u64::from(self.shapes_count));
        } else {
            // As varints, in one step.
            structure::row(out, u64::from(self.shapes_count) << 8, 2);
        }
        copy::append(out, &self.shapes);
    }
}

impl Known {
    #[inline]
    fn content<'b>(&self, bytes: &'b [u8]) -> &'b [u8] {
        &bytes[self.start as usize..][..self.len as usize]
    }
}

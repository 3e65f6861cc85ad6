//! Which shape a struct has, found by the addresses of the names that its code gives.
//!
//! The names of a struct and of its fields are static: the same type gives the same addresses each time. A tree has
//! them in the order in which they come. The way from a struct's name to its last field is also laid out as a
//! [`Track`], where one address lies behind the other: then a field costs a comparison with the next, and nothing leads
//! there but its number. Where another field comes (`skip_serializing_if`), the tree knows the track to go on with.
//! Nothing relies on an address standing for one type: where names differ, the tree branches.

pub(super) use super::tracks::Track;
use super::tracks::{Address, LONGEST, Tracks};
use crate::error::{Error, ErrorKind};
use crate::graph::{JsStr, Key};
use crate::wire::shapes::{self, ShapeId, ShapeTable};
use crate::wire::{tag, varint};

/// The fields of all structs that have been met.
#[derive(Default)]
pub(super) struct Fields {
    nodes: Vec<Node>,
    orders: Vec<Box<[u32]>>,
    tracks: Tracks,
    /// The structs and variants that were met last whose names end in addresses alike.
    recent: Box<Recents>,
    /// The last fields of the objects that are open and off the tracks, by depth.
    off: Vec<u32>,
    /// Bits for the places in `recent` of which something is known in this message.
    known: [u64; RECENT / 64],
}

/// A field, given those before it; or the beginning of a struct.
struct Node {
    key: &'static str,
    parent: u32,
    /// Where the struct begins; its key is the struct's name.
    start: u32,
    /// The first field that came after this one; others are its siblings. 0: none.
    child: u32,
    sibling: u32,
    /// A track that leads over this field. 0: none.
    track: u32,
    /// The shape of a struct that ends here.
    shape: Option<ShapeId>,
    /// 1 + the place in `orders`, where the fields do not come in the order in which a shape has its keys.
    order: u32,
    /// The message in which the tag of an object of this shape is `tag`. 0: never, or it is not so simple.
    message: u32,
    tag: u8,
}

/// No node, and no track.
pub(super) const NONE: u32 = 0;
const RECENT: usize = 256;

/// What was met last of those whose names have the same [`place_of`].
#[derive(Clone, Copy, Default)]
struct Recent {
    name: Address,
    known: Known,
}

struct Recents([Recent; RECENT]);

impl Default for Recents {
    fn default() -> Self {
        Recents([Recent::default(); RECENT])
    }
}

/// What is known of the structs with a name, or of a variant, that were met last.
#[derive(Clone, Copy, Default)]
pub(super) struct Known {
    /// Where the track begins.
    track: u32,
    /// The place of the last field, if it is known what tag the struct has in this message; else [`UNKNOWN`].
    pub(super) last: u32,
    pub(super) tag: u8,
}

/// No place.
const UNKNOWN: u32 = u32::MAX;

impl Known {
    fn of(track: u32) -> Known {
        Known { track, last: UNKNOWN, tag: tag::OBJECT }
    }

    #[inline(always)]
    pub(super) fn track(&self) -> Track {
        Track::at(self.track)
    }
}

/// A role for a name that is that of a variant, where structs have the length alone: no string is as long as this.
const VARIANT: usize = 1 << (usize::BITS - 1);

#[inline(always)]
fn variant_address(name: &'static str) -> Address {
    Address(name.as_ptr().addr(), name.len() | VARIANT)
}

/// Where what is known of a name is kept. A variant often has the name of the struct in it.
#[inline(always)]
fn place_of(name: Address) -> usize {
    (name.0 ^ if name.1 & VARIANT == 0 { 0 } else { RECENT / 2 }) % RECENT
}

impl Fields {
    /// Begins a message, with or without what is known of shapes.
    pub(super) fn start(&mut self, is_forgotten: bool) {
        if is_forgotten || self.tracks.is_full {
            self.forget(is_forgotten);
        }
        for (word, bits) in self.known.iter_mut().enumerate() {
            while *bits != 0 {
                let known = &mut self.recent.0[word * 64 + bits.trailing_zeros() as usize].known;
                *known = Known::of(known.track);
                *bits &= *bits - 1;
            }
        }
    }

    /// Forgets the tracks, and maybe all that they lead over.
    #[cold]
    #[inline(never)]
    fn forget(&mut self, all: bool) {
        self.tracks.clear();
        self.recent.0.fill(Recent::default());
        if all {
            self.nodes.clear();
            self.orders.clear();
        }
        self.nodes.iter_mut().for_each(|node| node.track = NONE);
    }

    /// What is known of structs with this name, of which one begins at this depth.
    #[inline]
    pub(super) fn object(&mut self, table: &mut ShapeTable, depth: usize, name: &'static str) -> Known {
        let address = Address::of(name);
        let recent = &self.recent.0[place_of(address)];
        if recent.name == address { recent.known } else { Known::of(self.look_up(table, depth, name)) }
    }

    #[cold]
    #[inline(never)]
    fn look_up(&mut self, table: &mut ShapeTable, depth: usize, name: &'static str) -> u32 {
        let start = self.start_of(table, name);
        self.lay(start, 0);
        let place = self.nodes[start as usize].track;
        if place == NONE {
            self.go_off(depth, start);
            return NONE;
        }
        let name = Address::of(name);
        self.recent.0[place_of(name)] = Recent { name, known: Known::of(place) };
        place
    }

    /// The object at this depth, of which `node` is the last field, goes on off the tracks.
    fn go_off(&mut self, depth: usize, node: u32) {
        let len = self.off.len().max(depth + 1);
        self.off.resize(len, NONE);
        self.off[depth] = node;
    }

    /// The tag of this variant, the object `{variant: …}`, if it is known in this message.
    #[inline]
    pub(super) fn variant_tag(&self, variant: &'static str) -> Option<u8> {
        let address = variant_address(variant);
        let recent = &self.recent.0[place_of(address)];
        (recent.name == address && recent.known.last != UNKNOWN).then_some(recent.known.tag)
    }

    /// The node of the one field of a variant.
    pub(super) fn variant(&mut self, table: &mut ShapeTable, variant: &'static str) -> u32 {
        self.first(table, variant_address(variant), variant)
    }

    /// The node where the structs with this name begin, or of the one field of a variant.
    fn first(&mut self, table: &mut ShapeTable, address: Address, name: &'static str) -> u32 {
        table.remembered(address.0, address.1, |_| {
            // The name leads back to what is known of it.
            let start = self.add(name, NONE);
            if address.1 & VARIANT == 0 { start } else { self.add(name, start) }
        })
    }

    /// The node where the structs with this name begin.
    pub(super) fn start_of(&mut self, table: &mut ShapeTable, name: &'static str) -> u32 {
        self.first(table, Address::of(name), name)
    }

    /// Whether the track goes on with the field `key` after `n` others.
    #[inline(always)]
    pub(super) fn is_next(&self, track: Track, n: usize, key: &'static str) -> bool {
        self.tracks.is_next(track, n, key)
    }

    /// The node of the last of the `n` fields of the object at this depth.
    pub(super) fn node(&self, depth: usize, track: Track, n: usize) -> u32 {
        // Where an error was passed over, the depth is not what it was; then nothing will come of the message.
        self.tracks.node(track, n).or_else(|| self.off.get(depth).copied()).unwrap_or(NONE)
    }

    /// The track on which the object at this depth goes on with the field `key` after `n` others, if that is not the next of
    /// its own.
    pub(super) fn switch(&mut self, depth: usize, track: Track, n: usize, key: &'static str) -> u32 {
        let node = self.next(self.node(depth, track, n), key);
        match self.nodes[node as usize].track {
            NONE => {
                self.go_off(depth, node);
                Track::off(n + 1)
            }
            place => place,
        }
    }

    /// The tag of an object whose last field was `node`, if it has been written in this message.
    pub(super) fn known_tag(&self, message: u32, node: u32) -> Option<u8> {
        let node = &self.nodes[node as usize];
        (node.message == message).then_some(node.tag)
    }

    /// Remembers the tag of an object of `n` fields, of which `node` is the last, for the rest of the message.
    pub(super) fn remember_tag(&mut self, message: u32, node: u32, n: usize, tag: u8) {
        if self.nodes[node as usize].track == NONE {
            self.lay(node, n);
        }
        let last = &mut self.nodes[node as usize];
        (last.message, last.tag) = (message, tag);
        self.expect(node, n, tag);
    }

    /// The next object of the name will likely be as this one: of `n` fields, of which `node` is the last.
    pub(super) fn expect(&mut self, node: u32, n: usize, tag: u8) {
        let Node { start, track, .. } = self.nodes[node as usize];
        let Node { key: name, track: first, .. } = self.nodes[start as usize];
        // A track may not reach as far.
        let known = match track {
            NONE => Known { track: first, last: UNKNOWN, tag },
            place => Known { track: place, last: place + n as u32, tag },
        };
        self.remember(Address::of(name), known);
    }

    /// Remembers the tag of the object `{variant: …}` for the rest of the message.
    pub(super) fn remember_variant(&mut self, variant: &'static str, tag: u8) {
        let name = variant_address(variant);
        let place = place_of(name);
        if self.recent.0[place].name != name {
            self.recent.0[place] = Recent { name, known: Known::of(NONE) };
        }
        self.remember(name, Known { track: NONE, last: NONE, tag });
    }

    fn remember(&mut self, name: Address, known: Known) {
        let place = place_of(name);
        if self.recent.0[place].name == name {
            self.recent.0[place].known = known;
            self.known[place / 64] |= 1 << (place % 64);
        }
    }

    /// Lays a track that leads over `n` fields to `node`, or as far as it can, if none does yet.
    #[cold]
    fn lay(&mut self, mut node: u32, mut n: usize) {
        while n >= LONGEST {
            (node, n) = (self.nodes[node as usize].parent, n - 1);
        }
        if self.nodes[node as usize].track != NONE {
            return;
        }
        let nodes = &self.nodes;
        let back = |from: &u32| Some(nodes[*from as usize].parent);
        let way = std::iter::successors(Some(node), back).map(|node| (node, nodes[node as usize].key));
        let Some(track) = self.tracks.lay(n, way) else { return };
        let mut at = node;
        for _ in 0..=n {
            let node = &mut self.nodes[at as usize];
            if node.track == NONE || node.start == at {
                node.track = track;
            }
            at = node.parent;
        }
    }

    /// The field `key` after `node`.
    pub(super) fn next(&mut self, node: u32, key: &'static str) -> u32 {
        let mut next = self.nodes[node as usize].child;
        while next != NONE {
            if std::ptr::eq(self.nodes[next as usize].key, key) {
                return next;
            }
            next = self.nodes[next as usize].sibling;
        }
        let added = self.add(key, node);
        self.nodes[added as usize].sibling = self.nodes[node as usize].child;
        self.nodes[node as usize].child = added;
        added
    }

    fn add(&mut self, key: &'static str, parent: u32) -> u32 {
        let start = if parent == NONE { self.nodes.len().max(1) as u32 } else { self.nodes[parent as usize].start };
        let node = Node {
            key,
            parent,
            start,
            child: NONE,
            sibling: NONE,
            track: NONE,
            shape: None,
            order: 0,
            message: 0,
            tag: 0,
        };
        if self.nodes.is_empty() {
            self.nodes.push(Node { key: "", ..node });
        }
        self.nodes.push(node);
        self.nodes.len() as u32 - 1
    }

    /// The shape of a struct whose last field was `node`.
    #[inline]
    pub(super) fn shape(&mut self, table: &mut ShapeTable, node: u32) -> Result<ShapeId, Error> {
        match self.nodes[node as usize].shape {
            Some(shape) => Ok(shape),
            None => self.make(table, node),
        }
    }

    /// Which of the fields stands at each place of the shape, where that is not as they come.
    #[inline]
    pub(super) fn order(&self, node: u32) -> Option<&[u32]> {
        let order = self.nodes[node as usize].order;
        if order == 0 { None } else { self.orders.get(order as usize - 1).map(|order| &**order) }
    }

    #[cold]
    fn make(&mut self, table: &mut ShapeTable, node: u32) -> Result<ShapeId, Error> {
        let mut keys = Vec::new();
        let mut at = node;
        while self.nodes[at as usize].parent != NONE {
            keys.push(self.nodes[at as usize].key);
            at = self.nodes[at as usize].parent;
        }
        keys.reverse();
        let order = key_order(&keys)?;
        let mut content = vec![shapes::PLAIN];
        varint::write(&mut content, keys.len() as u64);
        for index in 0..keys.len() {
            let index = order.as_ref().map_or(index, |order| order[index] as usize);
            shapes::utf8(&mut content, keys[index]);
        }
        let shape = table.id(&content);
        if let Some(order) = order {
            self.orders.push(order);
            self.nodes[node as usize].order = self.orders.len() as u32;
        }
        self.nodes[node as usize].shape = Some(shape);
        Ok(shape)
    }
}

/// Which of `keys` stands at each place of an object (`spec/format.md`, section 6); `None` where they come in that order.
///
/// # Errors
///
/// `duplicate-key`.
pub(super) fn key_order(keys: &[&str]) -> Result<Option<Box<[u32]>>, Error> {
    let mut distinct = crate::graph::Distinct::default();
    if let Some(second) = distinct.first_duplicate(keys.len(), |i| keys[i]) {
        let key: String = keys[second].chars().take(64).collect();
        return Err(Error::new(ErrorKind::DuplicateKey, format!("the key {key:?} is written twice")));
    }
    let rank = |index: u32| Key::String(JsStr::utf8(keys[index as usize])).rank();
    let mut order: Vec<u32> = (0..keys.len() as u32).collect();
    if order.is_sorted_by_key(|&index| rank(index)) {
        return Ok(None);
    }
    order.sort_by_key(|&index| rank(index));
    Ok(Some(order.into()))
}

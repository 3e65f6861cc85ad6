//! Which shape a struct has, found by the addresses of the names that its code gives.
//!
//! The names of a struct and of its fields are static: the same type gives the same addresses each time. A tree has
//! them in the order in which they come, so that a field costs a comparison of pointers, also where fields are left
//! out (`skip_serializing_if`). Nothing relies on an address standing for one type: where names differ, the tree
//! branches.

use crate::error::{Error, ErrorKind};
use crate::graph::{JsStr, Key};
use crate::wire::shapes::{self, ShapeId, ShapeTable};
use crate::wire::varint;

/// The fields of all structs that have been met.
#[derive(Default)]
pub(super) struct Fields {
    nodes: Vec<Node>,
    orders: Vec<Box<[u32]>>,
    /// The structs and variants that were met last whose names end in addresses alike.
    recent: Vec<Recent>,
}

#[derive(Clone, Copy, Default)]
struct Recent {
    name: Address,
    known: Known,
}

/// What is known of the structs with a name, or of a variant.
#[derive(Clone, Copy, Default)]
pub(super) struct Known {
    /// Where its fields begin.
    pub(super) first: u32,
    /// The last field of such a struct and the tag that it has in the message `message`. (Others of the name may have
    /// other fields.) Of a variant, its one field.
    pub(super) last: u32,
    pub(super) message: u32,
    pub(super) tag: u8,
}

/// A field, given those before it; or the beginning of a struct.
struct Node {
    /// The field that came after this one the last time, and its node.
    expected: Address,
    expected_node: u32,
    key: &'static str,
    parent: u32,
    /// Where the struct begins; its key is the struct's name.
    start: u32,
    /// The first field that came after this one; others are its siblings. 0: none.
    child: u32,
    sibling: u32,
    /// The shape of a struct that ends here.
    shape: Option<ShapeId>,
    /// 1 + the place in `orders`, where the fields do not come in the order in which a shape has its keys.
    order: u32,
    /// The message in which the tag of an object of this shape is `tag`. 0: never, or it is not so simple.
    message: u32,
    tag: u8,
}

/// Of a static string: no string lies at address 0.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
struct Address(usize, usize);

impl Address {
    #[inline]
    fn of(text: &'static str) -> Self {
        Address(text.as_ptr().addr(), text.len())
    }

    #[inline]
    fn of_variant(name: &'static str) -> Self {
        Address(name.as_ptr().addr(), name.len() | VARIANT)
    }
}

/// A role for a name that is that of a variant, where structs have the length alone: no string is as long as this.
const VARIANT: usize = 1 << (usize::BITS - 1);

/// The place before the first field of any struct: no node is a field's child with this index.
pub(super) const NONE: u32 = 0;

const RECENT: usize = 256;

/// Where what is known of a name is kept. A variant often has the name of the struct in it.
#[inline]
fn place(name: Address) -> usize {
    (name.0 ^ if name.1 & VARIANT == 0 { 0 } else { RECENT / 2 }) % RECENT
}

impl Fields {
    pub(super) fn clear(&mut self) {
        self.nodes.clear();
        self.orders.clear();
        self.recent.clear();
    }

    /// What is known of structs with this name.
    #[inline]
    pub(super) fn start(&mut self, table: &mut ShapeTable, name: &'static str) -> Known {
        let address = Address::of(name);
        match self.recent.get(place(address)) {
            Some(recent) if recent.name == address => recent.known,
            _ => Known { first: self.look_up(table, address, name), ..Known::default() },
        }
    }

    /// What is known of this variant: the object `{variant: …}`.
    #[inline]
    pub(super) fn variant(&mut self, table: &mut ShapeTable, variant: &'static str) -> Known {
        let address = Address::of_variant(variant);
        match self.recent.get(place(address)) {
            Some(recent) if recent.name == address => recent.known,
            _ => {
                let last = self.look_up(table, address, variant);
                Known { first: last, last, ..Known::default() }
            }
        }
    }

    #[cold]
    #[inline(never)]
    fn look_up(&mut self, table: &mut ShapeTable, address: Address, name: &'static str) -> u32 {
        let is_variant = address.1 & VARIANT != 0;
        let first = table.remembered(address.0, address.1, |_| {
            // The name leads back to what is known of it.
            let start = self.add(name, NONE);
            if is_variant { self.add(name, start) } else { start }
        });
        let known = Known { first, last: if is_variant { first } else { NONE }, message: 0, tag: 0 };
        self.recent.resize(RECENT, Recent::default());
        self.recent[place(address)] = Recent { name: address, known };
        first
    }

    /// The field `key` after `node`, if it is the one that came last time.
    #[inline]
    pub(super) fn expected(&self, node: u32, key: &'static str) -> Option<u32> {
        let node = self.nodes.get(node as usize)?;
        (node.expected == Address::of(key)).then_some(node.expected_node)
    }

    /// The field `key` after `node`. It will be expected there.
    pub(super) fn next(&mut self, node: u32, key: &'static str) -> u32 {
        let found = self.find(node, key);
        let node = &mut self.nodes[node as usize];
        (node.expected, node.expected_node) = (Address::of(key), found);
        found
    }

    /// The tag of an object whose last field was `node`, if it has been written in this message.
    #[inline]
    pub(super) fn known_tag(&self, message: u32, node: u32) -> Option<u8> {
        let node = &self.nodes[node as usize];
        (node.message == message).then_some(node.tag)
    }

    /// Remembers the tag for the rest of the message.
    pub(super) fn remember_tag(&mut self, message: u32, node: u32, tag: u8) {
        let last = &mut self.nodes[node as usize];
        (last.message, last.tag) = (message, tag);
        let start = last.start;
        let name = Address::of(self.nodes[start as usize].key);
        self.remember(name, node, message, tag);
    }

    /// Remembers the tag of the object `{variant: …}`, whose field is `node`, for the rest of the message.
    pub(super) fn remember_variant(&mut self, variant: &'static str, node: u32, message: u32, tag: u8) {
        self.remember(Address::of_variant(variant), node, message, tag);
    }

    fn remember(&mut self, name: Address, last: u32, message: u32, tag: u8) {
        if let Some(recent) = self.recent.get_mut(place(name)).filter(|recent| recent.name == name) {
            recent.known = Known { last, message, tag, ..recent.known };
        }
    }

    fn find(&mut self, node: u32, key: &'static str) -> u32 {
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
            start,
            expected: Address::default(),
            expected_node: NONE,
            key,
            parent,
            child: NONE,
            sibling: NONE,
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

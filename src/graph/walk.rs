//! Where the values lie that an object holds: the one description of it that copying, comparing, printing and
//! searching share.

use super::Graph;
use super::node::{Node, NodeId};
use super::shape::{Key, ShapeKind};
use super::slot::Slot;
use crate::wire::ElementKind;

/// Values in the slots: `count` of them, the first at `start`, each `stride` behind the one before.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Values {
    pub(crate) start: usize,
    pub(crate) count: usize,
    pub(crate) stride: usize,
}

impl Values {
    #[inline]
    pub(crate) fn at(self, index: usize) -> usize {
        self.start + index * self.stride
    }

    /// Which value stands in `slot`, or has its key or index there.
    pub(crate) fn index_of(self, slot: usize) -> usize {
        (slot + self.stride).saturating_sub(self.start + 1) / self.stride.max(1)
    }
}

/// The own properties of an object, or the extra ones of an array: keys in a shape or in the slots, values in the slots.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Properties {
    pub(crate) keys: KeysAt,
    pub(crate) values: Values,
}

#[derive(Debug, Clone, Copy, Default)]
pub(crate) enum KeysAt {
    Shape(u32),
    /// Each one slot before its value.
    #[default]
    Slots,
}

impl Graph<'_> {
    /// The values that `node` holds and that may be objects: elements, property values, entries, base, payload.
    /// The buffer of a view is not among them, as it stands in the side table.
    pub(crate) fn values_of(&self, node: Node) -> Values {
        let flat = |start: u32, count: usize| Values { start: start as usize, count, stride: 1 };
        match node {
            Node::Array(span) | Node::Map(span) | Node::Set(span) => flat(span.start, span.len as usize),
            Node::Dictionary(span) | Node::NullDictionary(span) => {
                Values { start: span.start as usize + 1, count: span.len as usize / 2, stride: 2 }
            }
            Node::Sparse(side) => {
                let span = self.sparse[side as usize].span;
                Values { start: span.start as usize + 1, count: span.len as usize / 2, stride: 2 }
            }
            Node::Object { shape, start, .. } => flat(start, self.shapes.keys_len(shape)),
            Node::Derived { shape, start, .. } => flat(start, 1 + self.shapes.keys_len(shape)),
            Node::Boxed { start } | Node::Custom { start, .. } => flat(start, 1),
            Node::Packed { .. } | Node::Date(_) | Node::RegExp { .. } | Node::Buffer(_) | Node::View(_) => {
                Values::default()
            }
        }
    }

    /// The own properties that `node` has as keys and values: all of an object, the extra ones of an array.
    pub(crate) fn properties_of(&self, node: Node) -> Option<Properties> {
        let all = self.values_of(node);
        Some(match node {
            Node::Object { shape, .. } => Properties { keys: KeysAt::Shape(shape), values: all },
            Node::Derived { shape, .. } => Properties {
                keys: KeysAt::Shape(shape),
                values: Values { start: all.start + 1, count: all.count - 1, stride: 1 },
            },
            Node::Dictionary(_) | Node::NullDictionary(_) => Properties { keys: KeysAt::Slots, values: all },
            Node::Sparse(side) => {
                let present = self.sparse[side as usize].present as usize;
                let values = Values { start: all.at(present), count: all.count - present, stride: 2 };
                Properties { keys: KeysAt::Slots, values }
            }
            Node::Array(_) | Node::Packed { .. } => {
                Properties { keys: KeysAt::Slots, values: Values { stride: 2, ..Values::default() } }
            }
            _ => return None,
        })
    }

    /// Key `index` of properties.
    pub(crate) fn property_key(&self, properties: Properties, index: usize) -> Key<'_> {
        match properties.keys {
            KeysAt::Shape(shape) => self.shapes.key(shape, index),
            // What stands before a property's value is always a key.
            KeysAt::Slots => self
                .slot_key(self.slots[properties.values.at(index) - 1])
                .unwrap_or(Key::String(super::JsStr::utf8(""))),
        }
    }

    /// What kind of object `node` is, as far as a shape says it; dictionaries are plain or null-prototype objects.
    pub(crate) fn shape_kind(&self, node: Node) -> Option<ShapeKind<'_>> {
        match node {
            Node::Object { shape, .. } | Node::Derived { shape, .. } | Node::Custom { shape, .. } => {
                Some(self.shapes.kind(shape))
            }
            Node::Dictionary(_) => Some(ShapeKind::Plain),
            Node::NullDictionary(_) => Some(ShapeKind::NullPrototype),
            _ => None,
        }
    }

    /// The bytes of a packed array's elements.
    pub(crate) fn packed_bytes(&self, kind: ElementKind, len: u32, at: u64) -> &[u8] {
        self.bytes.get(at, u64::from(len) * kind.size() as u64)
    }

    /// The length of an array.
    pub(crate) fn array_len(&self, node: Node) -> Option<u32> {
        match node {
            Node::Array(span) => Some(span.len),
            Node::Packed { len, .. } => Some(len),
            Node::Sparse(side) => Some(self.sparse[side as usize].length),
            _ => None,
        }
    }

    /// Element `index` of an array: `None` for a hole and beyond the end.
    pub(crate) fn element(&self, node: Node, index: u32) -> Option<Slot> {
        match node {
            Node::Array(span) if index < span.len => Some(self.slots[span.start as usize + index as usize]),
            Node::Packed { kind, len, at } => {
                super::number::element(kind, self.packed_bytes(kind, len, at), index as usize).map(Slot::number)
            }
            Node::Sparse(side) => {
                let at = self.sparse_place(side, index).ok()?;
                Some(self.slots[at + 1])
            }
            _ => None,
        }
    }

    /// Where the pair with `index` stands in the slots, or where it would be put in.
    pub(crate) fn sparse_place(&self, side: u32, index: u32) -> Result<usize, usize> {
        let sparse = self.sparse[side as usize];
        let start = sparse.span.start as usize;
        let (mut low, mut high) = (0, sparse.present as usize);
        while low < high {
            let middle = (low + high) / 2;
            match self.slots[start + 2 * middle] {
                Slot::Number(found) if found < f64::from(index) => low = middle + 1,
                Slot::Number(found) if found == f64::from(index) => return Ok(start + 2 * middle),
                _ => high = middle,
            }
        }
        Err(start + 2 * low)
    }

    /// The elements of a packed array as numbers.
    pub(crate) fn packed_numbers(&self, kind: ElementKind, len: u32, at: u64) -> impl Iterator<Item = f64> + '_ {
        let bytes = self.packed_bytes(kind, len, at);
        (0..len as usize).map(move |i| super::number::element(kind, bytes, i).unwrap_or(f64::NAN))
    }

    /// The bytes of an ArrayBuffer.
    pub(crate) fn buffer_bytes(&self, buffer: NodeId) -> &[u8] {
        match self.node(buffer) {
            Some(Node::Buffer(side)) => {
                let buffer = self.buffers[side as usize];
                self.bytes.get(buffer.at, buffer.len)
            }
            _ => &[],
        }
    }

    /// Every object that is reached from `root`, each once, in no promised order.
    pub(crate) fn reachable(&self, root: Slot, mut visit: impl FnMut(NodeId, Visit)) {
        let mut seen = vec![false; self.nodes.len()];
        let mut open: Vec<NodeId> = Vec::new();
        let mut meet = |slot: Slot, open: &mut Vec<NodeId>| {
            let Slot::Node(id) = slot else { return };
            match seen.get_mut(id.index()) {
                Some(seen) if *seen => visit(id, Visit::Again),
                Some(seen) => {
                    *seen = true;
                    visit(id, Visit::First);
                    open.push(id);
                }
                None => {}
            }
        };
        meet(root, &mut open);
        while let Some(id) = open.pop() {
            let node = self.nodes[id.index()];
            let values = self.values_of(node);
            for i in 0..values.count {
                meet(self.slots[values.at(i)], &mut open);
            }
            if let Node::View(side) = node {
                meet(Slot::Node(self.views[side as usize].buffer), &mut open);
            }
        }
    }
}

/// Whether an object is met for the first time on a walk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Visit {
    First,
    Again,
}

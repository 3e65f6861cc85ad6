//! How built objects are put into the arena: their shapes, the order of their keys, doubled keys.

use super::distinct::Distinct;
use super::key::PropertyKey;
use super::node::{Buffer, Node, NodeId, Span, Sparse, View};
use super::number::{MIN_PACKED, packed_kind, push_element};
use super::shape::{ClassRef, Key, MAX_PLAIN_SHAPES, MAX_SHAPE_KEYS, ShapeKind};
use super::slot::{Slot, Value};
use super::text::JsStr;
use super::{Graph, short};
use crate::error::{Error, ErrorKind};
use crate::wire::ElementKind;

/// The largest integer up to which every integer is a Number.
pub(crate) const MAX_SAFE_INTEGER: u64 = (1 << 53) - 1;

impl Buffer {
    /// Whether `view` lies in this buffer (`spec/format.md`, section 8).
    pub(crate) fn holds(&self, view: &View) -> bool {
        let size = view.kind.size() as u64;
        let end = match view.len {
            Some(len) => len.checked_mul(size).and_then(|bytes| bytes.checked_add(view.offset)),
            None if self.max.is_some() => Some(view.offset),
            None => None,
        };
        view.offset.is_multiple_of(size) && end.is_some_and(|end| end <= self.len)
    }
}

pub(super) fn class(name: JsStr<'_>, version: u32) -> Result<ClassRef<'_>, Error> {
    if name.is_empty() {
        return Err(Error::new(ErrorKind::BadClass, "a class needs a name"));
    }
    Ok(ClassRef { name, version })
}

/// Maps and Sets hold no −0 (ECMA-262, CanonicalizeKeyedCollectionKey).
pub(super) fn normal_key(slot: Slot) -> Slot {
    if slot.is_minus_zero() { Slot::Number(0.0) } else { slot }
}

impl Graph<'_> {
    pub(crate) fn add(&mut self, node: Node) -> Value {
        Value(Slot::Node(self.push_node(node)))
    }

    pub(crate) fn push_sparse(&mut self, sparse: Sparse) -> u32 {
        self.sparse.push(sparse);
        short(self.sparse.len() - 1)
    }

    pub(crate) fn push_buffer(&mut self, bytes: &[u8], max: Option<u64>) -> NodeId {
        let at = self.bytes.push(bytes, true);
        self.buffers.push(Buffer { at, len: bytes.len() as u64, max });
        self.push_node(Node::Buffer(short(self.buffers.len() - 1)))
    }

    pub(crate) fn push_view(&mut self, view: View) -> NodeId {
        self.views.push(view);
        self.push_node(Node::View(short(self.views.len() - 1)))
    }

    pub(super) fn whole_view(&mut self, kind: ElementKind, bytes: &[u8]) -> Value {
        let buffer = self.push_buffer(bytes, None);
        let len = Some((bytes.len() / kind.size()) as u64);
        Value(Slot::Node(self.push_view(View { kind, buffer, offset: 0, len })))
    }

    /// Whether `node` can be the built-in part of a derived instance.
    pub(crate) fn is_base(&self, node: Node) -> bool {
        match node {
            Node::Array(_) | Node::Packed { .. } | Node::Map(_) | Node::Set(_) | Node::Date(_) => true,
            Node::RegExp { .. } | Node::Boxed { .. } | Node::Buffer(_) | Node::View(_) => true,
            Node::Sparse(side) => self.sparse[side as usize].span.len == 2 * self.sparse[side as usize].present,
            Node::Object { shape, .. } => {
                matches!(self.shapes.kind(shape), ShapeKind::Error(_)) && self.shapes.keys_len(shape) == 0
            }
            Node::Dictionary(_) | Node::NullDictionary(_) | Node::Derived { .. } | Node::Custom { .. } => false,
        }
    }

    /// An array of these elements, packed where a canonical writer would pack it. `scratch` is memory to reuse.
    pub(crate) fn array_from(&mut self, elements: &[Slot], scratch: &mut Vec<u8>) -> Value {
        let number = |slot: &Slot| match *slot {
            Slot::Number(number) => Some(number),
            _ => None,
        };
        if elements.len() >= MIN_PACKED
            && elements.iter().all(|slot| number(slot).is_some())
            && let Some(kind) = packed_kind(elements.len(), elements.iter().filter_map(number))
        {
            scratch.clear();
            elements.iter().filter_map(number).for_each(|number| push_element(scratch, kind, number));
            let at = self.bytes.push(scratch, true);
            return self.add(Node::Packed { kind, len: short(elements.len()), at });
        }
        let start = self.slots.len();
        self.slots.extend_from_slice(elements);
        let len = short(elements.len());
        self.add(Node::Array(Span { start: short(start), len, cap: len }))
    }

    /// An object of a shape that is known: a value for each of its keys.
    pub(crate) fn object_from(&mut self, shape: u32, values: &[Slot]) -> Value {
        debug_assert_eq!(values.len(), self.shapes.keys_len(shape));
        let start = short(self.slots.len());
        self.slots.extend_from_slice(values);
        self.add(Node::Object { shape, start, cap: short(values.len()) })
    }

    /// An object of this kind: `before` stand in the slots in front of the values.
    pub(super) fn shaped<'k, K: Into<PropertyKey<'k>>>(
        &mut self,
        kind: ShapeKind<'_>,
        before: Vec<Slot>,
        properties: impl IntoIterator<Item = (K, Value)>,
    ) -> Value {
        let properties: Vec<(PropertyKey<'k>, Value)> =
            properties.into_iter().map(|(key, value)| (key.into(), value)).collect();
        let mut pairs: Vec<(Key<'_>, Slot)> = properties.iter().map(|(key, value)| (key.lend(), value.0)).collect();
        self.shaped_from(kind, before, &mut pairs)
    }

    /// The same, from lent keys in any order, doubled or not.
    pub(crate) fn shaped_from(
        &mut self,
        kind: ShapeKind<'_>,
        mut values: Vec<Slot>,
        pairs: &mut Vec<(Key<'_>, Slot)>,
    ) -> Value {
        let may_shape = may_shape(kind, pairs.len());
        let keys: Vec<Key<'_>> = pairs.iter().map(|&(key, _)| key).collect();
        // A shape that is there already is in order and has no key twice.
        let known = if may_shape { self.shapes_mut().find(kind, &keys) } else { None };
        let shape = known.or_else(|| {
            put_in_order(pairs);
            let keys: Vec<Key<'_>> = pairs.iter().map(|&(key, _)| key).collect();
            self.shape_for(kind, &keys)
        });
        let node = match shape {
            Some(shape) => {
                values.extend(pairs.iter().map(|&(_, value)| value));
                let Span { start, cap, .. } = self.push_slots(values);
                match kind {
                    ShapeKind::Derived(_) => Node::Derived { shape, start, cap },
                    _ => Node::Object { shape, start, cap },
                }
            }
            None => {
                let mut slots = Vec::with_capacity(2 * pairs.len());
                for &mut (key, value) in pairs {
                    slots.extend([self.key_slot(key), value]);
                }
                let span = self.push_slots(slots);
                if kind == ShapeKind::NullPrototype { Node::NullDictionary(span) } else { Node::Dictionary(span) }
            }
        };
        self.add(node)
    }

    /// The shape for these keys, in order and distinct; `None` where a dictionary takes its place.
    pub(crate) fn shape_for(&mut self, kind: ShapeKind<'_>, keys: &[Key<'_>]) -> Option<u32> {
        if !may_shape(kind, keys.len()) {
            return None;
        }
        let is_plain = matches!(kind, ShapeKind::Plain | ShapeKind::NullPrototype);
        if is_plain && self.shapes.len() >= MAX_PLAIN_SHAPES {
            return self.shapes_mut().find(kind, keys);
        }
        Some(self.shapes_mut().intern(kind, keys))
    }

    /// Of entries (of `width` slots, the key first) with equal keys: the place of the first, the value of the last.
    pub(super) fn keep_last_of_equals(&self, slots: &mut Vec<Slot>, width: usize) {
        let mut distinct = Distinct::default();
        let n = slots.len() / width;
        if distinct.first_duplicate(n, |i| self.same_key(slots[width * i])).is_none() {
            return;
        }
        let mut places = hashbrown::HashMap::<_, usize, foldhash::fast::RandomState>::default();
        let mut kept: Vec<Slot> = Vec::with_capacity(slots.len());
        for entry in slots.chunks_exact(width) {
            let place = *places.entry(self.same_key(entry[0])).or_insert(kept.len());
            if place == kept.len() {
                kept.extend_from_slice(entry);
            } else {
                kept[place + 1..place + width].copy_from_slice(&entry[1..]);
            }
        }
        *slots = kept;
    }
}

/// Whether an object of this kind with this many keys may have a shape (`spec/format.md`, section 9, rule 8).
pub(crate) fn may_shape(kind: ShapeKind<'_>, keys: usize) -> bool {
    !matches!(kind, ShapeKind::Plain | ShapeKind::NullPrototype) || (1..=MAX_SHAPE_KEYS).contains(&keys)
}

/// Puts properties in the order of OrdinaryOwnPropertyKeys; of equal keys the place of the first, the value of the last.
fn put_in_order(pairs: &mut Vec<(Key<'_>, Slot)>) {
    if Distinct::default().first_duplicate(pairs.len(), |i| pairs[i].0).is_some() {
        let mut places = hashbrown::HashMap::<Key<'_>, usize, foldhash::fast::RandomState>::default();
        let mut kept: Vec<(Key<'_>, Slot)> = Vec::with_capacity(pairs.len());
        for &(key, value) in pairs.iter() {
            let place = *places.entry(key).or_insert(kept.len());
            match kept.get_mut(place) {
                Some(first) => first.1 = value,
                None => kept.push((key, value)),
            }
        }
        *pairs = kept;
    }
    pairs.sort_by_key(|&(key, _)| key.rank());
}

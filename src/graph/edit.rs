//! Changing properties and elements, and the moves behind that.

use super::assemble::may_shape;
use super::key::PropertyKey;
use super::node::{Node, NodeId, Span, Sparse};
use super::shape::{Key, MAX_PLAIN_SHAPES, ShapeKind};
use super::slot::{Slot, Value};
use super::walk::{KeysAt, Properties};
use super::{Graph, short};
use crate::error::{Error, ErrorKind};

impl Graph<'_> {
    /// Sets an own property, as `target[key] = value` does for a plain property: of an object, instance or error, or an
    /// element (by its index as a string) or extra property of an array. Cost: the number of properties.
    ///
    /// # Errors
    ///
    /// `wrong-type` for a value without own properties; `bad-key` for an array's `length`
    /// (see [`set_length`](Self::set_length)).
    pub fn set<'k>(&mut self, target: Value, key: impl Into<PropertyKey<'k>>, value: Value) -> Result<(), Error> {
        let key = key.into();
        let key = key.lend();
        let (id, node) = self.target(target)?;
        if let Some(length) = self.array_len(node) {
            if let Key::String(text) = key {
                if let Some(index) = text.array_index() {
                    return self.set_at(target, index, value);
                }
                if text == "length" {
                    return Err(Error::new(ErrorKind::BadKey, "the length of an array is changed with set_length"));
                }
            }
            if !matches!(node, Node::Sparse(_)) {
                self.make_sparse(id, length);
            }
        }
        let properties = self.properties_of(self.nodes[id.index()]).ok_or_else(no_properties)?;
        match self.find_property(properties, key) {
            Ok(index) => self.slots[properties.values.at(index)] = value.0,
            Err(index) => self.insert_property(id, properties, index, key, value.0),
        }
        Ok(())
    }

    /// Removes an own property, as `delete target[key]` does; an element of an array leaves a hole. Says whether it was
    /// there.
    ///
    /// # Errors
    ///
    /// `wrong-type` for a value without own properties.
    pub fn remove<'k>(&mut self, target: Value, key: impl Into<PropertyKey<'k>>) -> Result<bool, Error> {
        let key = key.into();
        let key = key.lend();
        let (id, node) = self.target(target)?;
        if let (Some(_), Key::String(text)) = (self.array_len(node), key)
            && let Some(index) = text.array_index()
        {
            return self.remove_at(id, index);
        }
        let properties = self.properties_of(node).ok_or_else(no_properties)?;
        let Ok(index) = self.find_property(properties, key) else { return Ok(false) };
        let place = properties.values.at(index);
        match (&mut self.nodes[id.index()], properties.keys) {
            (Node::Object { shape, .. } | Node::Derived { shape, .. }, KeysAt::Shape(old)) => {
                let shapes = std::sync::Arc::make_mut(&mut self.shapes);
                *shape = shapes.without_key(old, index);
                self.slots.copy_within(place + 1..properties.values.at(properties.values.count), place);
            }
            (Node::Dictionary(span) | Node::NullDictionary(span), _) => {
                let end = span.range().end;
                span.len -= 2;
                self.slots.copy_within(place + 1..end, place - 1);
            }
            (Node::Sparse(side), _) => {
                let side = *side;
                self.remove_pair(side, place - 1);
                self.settle(id);
            }
            _ => {}
        }
        Ok(true)
    }

    /// Sets an element of an array; at or beyond its end the array grows, with holes between.
    ///
    /// # Errors
    ///
    /// `wrong-type` for anything but an array, `bad-array` for index 2³²−1.
    pub fn set_at(&mut self, target: Value, index: u32, value: Value) -> Result<(), Error> {
        let (id, node) = self.target(target)?;
        let length = self.array_len(node).ok_or_else(no_array)?;
        if index == u32::MAX {
            return Err(Error::new(ErrorKind::BadArray, ""));
        }
        self.unpack(id);
        match self.nodes[id.index()] {
            Node::Array(span) if index < length => self.slots[span.start as usize + index as usize] = value.0,
            Node::Array(span) if index == length => {
                let span = self.append(span, &[value.0]);
                self.nodes[id.index()] = Node::Array(span);
            }
            Node::Array(_) => {
                self.make_sparse(id, length);
                return self.set_at(target, index, value);
            }
            Node::Sparse(side) => {
                match self.sparse_place(side, index) {
                    Ok(place) => self.slots[place + 1] = value.0,
                    Err(place) => {
                        self.insert_pair(side, place, [Slot::Number(f64::from(index)), value.0]);
                        self.sparse[side as usize].present += 1;
                    }
                }
                let sparse = &mut self.sparse[side as usize];
                sparse.length = sparse.length.max(index + 1);
                self.settle(id);
            }
            _ => {}
        }
        Ok(())
    }

    /// Appends an element to an array.
    ///
    /// # Errors
    ///
    /// `wrong-type` for anything but an array, `bad-array` for one that is full.
    pub fn push(&mut self, target: Value, value: Value) -> Result<(), Error> {
        let (_, node) = self.target(target)?;
        let length = self.array_len(node).ok_or_else(no_array)?;
        self.set_at(target, length, value)
    }

    /// Sets the length of an array: elements beyond it go, and what it gains are holes.
    ///
    /// # Errors
    ///
    /// `wrong-type` for anything but an array.
    pub fn set_length(&mut self, target: Value, length: u32) -> Result<(), Error> {
        let (id, node) = self.target(target)?;
        let old = self.array_len(node).ok_or_else(no_array)?;
        match &mut self.nodes[id.index()] {
            Node::Array(span) if length <= old => span.len = length,
            Node::Packed { len, .. } if length <= old => *len = length,
            _ if length == old => {}
            _ => {
                self.make_sparse(id, old);
                if let Node::Sparse(side) = self.nodes[id.index()] {
                    let start = self.sparse[side as usize].span.start as usize;
                    let (Ok(first) | Err(first)) = self.sparse_place(side, length);
                    let sparse = &mut self.sparse[side as usize];
                    let end = start + 2 * sparse.present as usize;
                    let all = sparse.span.range().end;
                    sparse.length = length;
                    sparse.present -= short((end - first) / 2);
                    sparse.span.len -= short(end - first);
                    self.slots.copy_within(end..all, first);
                }
                self.settle(id);
            }
        }
        Ok(())
    }

    fn remove_at(&mut self, id: NodeId, index: u32) -> Result<bool, Error> {
        let length = self.array_len(self.nodes[id.index()]).ok_or_else(no_array)?;
        if self.element(self.nodes[id.index()], index).is_none() {
            return Ok(false);
        }
        self.make_sparse(id, length);
        if let Node::Sparse(side) = self.nodes[id.index()]
            && let Ok(place) = self.sparse_place(side, index)
        {
            self.remove_pair(side, place);
            self.sparse[side as usize].present -= 1;
        }
        Ok(true)
    }
}

fn no_properties() -> Error {
    Error::new(ErrorKind::WrongType, "only objects, instances, errors and arrays have properties to change")
}

fn no_array() -> Error {
    Error::new(ErrorKind::WrongType, "not an array")
}

/// Objects that are referred to before they are built.
impl Graph<'_> {
    /// An object that is still to be built: what it will hold can refer to it already.
    pub(crate) fn reserve(&mut self) -> Value {
        self.add(Node::Array(Span::default()))
    }

    /// Makes the reserved object what `built` is: the object that was added last, to which nothing refers yet. Takes
    /// constant time, however much it holds.
    pub(crate) fn fill(&mut self, reserved: Value, built: Value) {
        debug_assert_eq!(built.0.node().map(NodeId::index), self.nodes.len().checked_sub(1), "not the last object");
        if let (Some(id), Some(node)) = (reserved.0.node(), self.nodes.pop()) {
            self.nodes[id.index()] = node;
        }
    }
}

/// The moves behind the changes.
impl Graph<'_> {
    pub(super) fn target(&self, target: Value) -> Result<(NodeId, Node), Error> {
        let id = target.0.node().ok_or_else(no_properties)?;
        let node = self.node(id).ok_or_else(|| Error::new(ErrorKind::UnknownValue, ""))?;
        Ok((id, node))
    }

    /// Where a property stands, or where a new one with this key belongs.
    fn find_property(&self, properties: Properties, key: Key<'_>) -> Result<usize, usize> {
        let count = properties.values.count;
        match (0..count).find(|&i| self.property_key(properties, i) == key) {
            Some(index) => Ok(index),
            None => {
                let rank = key.rank();
                let before = |i: &usize| self.property_key(properties, *i).rank() <= rank;
                Err((0..count).rev().find(before).map_or(0, |last| last + 1))
            }
        }
    }

    fn insert_property(&mut self, id: NodeId, properties: Properties, index: usize, key: Key<'_>, value: Slot) {
        match (self.nodes[id.index()], properties.keys) {
            (Node::Object { shape, start, cap }, KeysAt::Shape(_)) => {
                let kind = self.shapes.kind(shape);
                let is_plain = matches!(kind, ShapeKind::Plain | ShapeKind::NullPrototype);
                let fits =
                    may_shape(kind, properties.values.count + 1) && (!is_plain || self.shapes.len() < MAX_PLAIN_SHAPES);
                if !fits {
                    self.make_dictionary(id, shape, start);
                    let Some(properties) = self.properties_of(self.nodes[id.index()]) else { return };
                    return self.insert_property(id, properties, index, key, value);
                }
                let len = short(properties.values.count);
                let span = self.insert(Span { start, len, cap }, index, &[value]);
                let shape = self.shapes_mut().with_key(shape, index, key);
                self.nodes[id.index()] = Node::Object { shape, start: span.start, cap: span.cap };
            }
            (Node::Derived { shape, start, cap }, _) => {
                let len = short(properties.values.count + 1);
                let span = self.insert(Span { start, len, cap }, index + 1, &[value]);
                let shape = self.shapes_mut().with_key(shape, index, key);
                self.nodes[id.index()] = Node::Derived { shape, start: span.start, cap: span.cap };
            }
            (Node::Dictionary(span), _) => {
                let key = self.key_slot(key);
                self.nodes[id.index()] = Node::Dictionary(self.insert(span, 2 * index, &[key, value]));
            }
            (Node::NullDictionary(span), _) => {
                let key = self.key_slot(key);
                self.nodes[id.index()] = Node::NullDictionary(self.insert(span, 2 * index, &[key, value]));
            }
            (Node::Sparse(side), _) => {
                let key = self.key_slot(key);
                self.insert_pair(side, properties.values.at(index) - 1, [key, value]);
            }
            _ => {}
        }
    }

    /// Gives a plain object its keys in pairs: it has too many, or the table of shapes is full.
    fn make_dictionary(&mut self, id: NodeId, shape: u32, start: u32) {
        let shapes = std::sync::Arc::clone(&self.shapes);
        let mut slots = Vec::with_capacity(2 * shapes.keys_len(shape));
        for (i, key) in shapes.keys(shape).enumerate() {
            slots.extend([self.key_slot(key), self.slots[start as usize + i]]);
        }
        let span = self.push_slots(slots);
        self.nodes[id.index()] = match shapes.kind(shape) {
            ShapeKind::NullPrototype => Node::NullDictionary(span),
            _ => Node::Dictionary(span),
        };
    }

    /// Gives a packed array its elements as values.
    fn unpack(&mut self, id: NodeId) {
        if let Node::Packed { kind, len, at } = self.nodes[id.index()] {
            let numbers: Vec<Slot> = self.packed_numbers(kind, len, at).map(Slot::number).collect();
            let span = self.push_slots(numbers);
            self.nodes[id.index()] = Node::Array(span);
        }
    }

    /// Gives an array its elements in pairs, as one with holes has them.
    fn make_sparse(&mut self, id: NodeId, length: u32) {
        self.unpack(id);
        if let Node::Array(elements) = self.nodes[id.index()] {
            let pairs: Vec<Slot> = elements
                .range()
                .enumerate()
                .flat_map(|(i, place)| [Slot::Number(i as f64), self.slots[place]])
                .collect();
            let span = self.push_slots(pairs);
            let side = self.push_sparse(Sparse { length, present: length, span });
            self.nodes[id.index()] = Node::Sparse(side);
        }
    }

    /// Gives an array that has neither holes nor extra properties any more its elements in a row again.
    pub(crate) fn settle(&mut self, id: NodeId) {
        let Node::Sparse(side) = self.nodes[id.index()] else { return };
        let sparse = self.sparse[side as usize];
        if sparse.present == sparse.length && sparse.span.len == 2 * sparse.present {
            let start = sparse.span.start as usize;
            for i in 0..sparse.present as usize {
                self.slots[start + i] = self.slots[start + 2 * i + 1];
            }
            self.nodes[id.index()] = Node::Array(Span { len: sparse.present, ..sparse.span });
        }
    }

    fn insert_pair(&mut self, side: u32, place: usize, pair: [Slot; 2]) {
        let span = self.sparse[side as usize].span;
        self.sparse[side as usize].span = self.insert(span, place - span.start as usize, &pair);
    }

    fn remove_pair(&mut self, side: u32, place: usize) {
        let span = &mut self.sparse[side as usize].span;
        let end = span.range().end;
        span.len -= 2;
        self.slots.copy_within(place + 2..end, place);
    }

    pub(super) fn append(&mut self, span: Span, values: &[Slot]) -> Span {
        self.insert(span, span.len as usize, values)
    }

    /// Puts values into a range at `index`; the range moves to the end of the arena when it is full, with room to grow.
    fn insert(&mut self, span: Span, index: usize, values: &[Slot]) -> Span {
        let len = span.len as usize + values.len();
        let mut span = span;
        if len > span.cap as usize {
            let cap = len.max(2 * span.cap as usize).max(4);
            let start = self.slots.len();
            self.slots.reserve(cap);
            self.slots.extend_from_within(span.range());
            self.slots.resize(start + cap, Slot::Undefined);
            span = Span { start: short(start), len: span.len, cap: short(cap) };
        }
        let at = span.start as usize + index;
        self.slots.copy_within(at..span.range().end, at + values.len());
        self.slots[at..at + values.len()].copy_from_slice(values);
        Span { len: short(len), ..span }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_symbol_that_was_read_is_a_key() {
        let mut graph = Graph::new();
        let key = graph.symbol_described("k");
        let object = graph.object([(key, Value::TRUE)]);
        let read = graph.cursor(object).properties().next().unwrap().symbol().unwrap().id();
        graph.set(object, read, Value::FALSE).unwrap();
        assert_eq!(graph.cursor(object).get(read).and_then(|value| value.as_bool()), Some(false));
    }
}

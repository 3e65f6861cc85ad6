//! Equality up to identity: two graphs are equal when they are isomorphic from their roots.

use std::hash::{Hash, Hasher};

use foldhash::fast::RandomState;
use hashbrown::HashMap;

use super::Graph;
use super::node::{Node, NodeId};
use super::slot::Slot;
use super::text::JsStr;
use super::walk::Values;

impl PartialEq<Graph<'_>> for Graph<'_> {
    fn eq(&self, other: &Graph<'_>) -> bool {
        Isomorphism::new(self, other).holds(self.root, other.root)
    }
}

impl Eq for Graph<'_> {}

/// Values of the two graphs that remain to be compared.
struct Frame {
    left: Values,
    right: Values,
    next: usize,
}

/// Which object of one graph is which of the other, and which symbol.
struct Isomorphism<'g> {
    left: &'g Graph<'g>,
    right: &'g Graph<'g>,
    nodes: Pairing,
    symbols: Pairing,
    /// By shape of the left graph: the shape of the right one, + 1, that was last found to be equal. It stays equal, as
    /// symbols stay paired.
    shapes: Vec<u32>,
    texts: LongTexts<'g>,
}

/// Tells long strings apart by number, so that one is looked at once, however many values and keys share it.
#[derive(Default)]
struct LongTexts<'g> {
    /// By where the string lies in memory.
    by_place: HashMap<(usize, usize), usize, RandomState>,
    by_content: HashMap<JsStr<'g>, usize, RandomState>,
}

impl<'g> LongTexts<'g> {
    /// Comparing shorter strings costs no more than looking them up.
    const LONG: usize = 64;

    #[inline]
    fn equal(&mut self, left: JsStr<'g>, right: JsStr<'g>) -> bool {
        if left.bytes().len() < Self::LONG || left.bytes().len() != right.bytes().len() {
            return left == right;
        }
        self.number(left) == self.number(right)
    }

    fn number(&mut self, text: JsStr<'g>) -> usize {
        let place = (text.bytes().as_ptr().addr(), text.bytes().len());
        *self.by_place.entry(place).or_insert_with(|| {
            let next = self.by_content.len();
            *self.by_content.entry(text).or_insert(next)
        })
    }
}

/// A one-to-one pairing of indices. 0 stands for none, n + 1 for n.
#[derive(Default)]
struct Pairing {
    right_of: Vec<u32>,
    left_of: Vec<u32>,
}

/// What adding a pair to a pairing means.
#[derive(PartialEq)]
enum Met {
    New,
    Paired,
    Conflict,
}

impl Pairing {
    fn new(left: usize, right: usize) -> Self {
        Pairing { right_of: vec![0; left], left_of: vec![0; right] }
    }

    fn pair(&mut self, left: u32, right: u32) -> Met {
        let (Some(to_right), Some(to_left)) =
            (self.right_of.get_mut(left as usize), self.left_of.get_mut(right as usize))
        else {
            return Met::Conflict;
        };
        match (*to_right, *to_left) {
            (0, 0) => {
                (*to_right, *to_left) = (right + 1, left + 1);
                Met::New
            }
            (r, l) if r == right + 1 && l == left + 1 => Met::Paired,
            _ => Met::Conflict,
        }
    }
}

impl<'g> Isomorphism<'g> {
    fn new(left: &'g Graph<'_>, right: &'g Graph<'_>) -> Self {
        Isomorphism {
            left,
            right,
            nodes: Pairing::new(left.nodes.len(), right.nodes.len()),
            symbols: Pairing::new(left.shapes.symbols_len(), right.shapes.symbols_len()),
            shapes: vec![0; left.shapes.len()],
            texts: LongTexts::default(),
        }
    }

    fn holds(mut self, left: Slot, right: Slot) -> bool {
        let mut open: Vec<Frame> = Vec::new();
        if !self.slots(left, right, &mut open) {
            return false;
        }
        while let Some(frame) = open.last_mut() {
            if frame.next == frame.left.count {
                open.pop();
                continue;
            }
            let (left, right) = (frame.left.at(frame.next), frame.right.at(frame.next));
            frame.next += 1;
            if !self.slots(self.left.slots[left], self.right.slots[right], &mut open) {
                return false;
            }
        }
        true
    }

    fn slots(&mut self, left: Slot, right: Slot, open: &mut Vec<Frame>) -> bool {
        match (left, right) {
            (Slot::Node(left), Slot::Node(right)) => match self.nodes.pair(left.0, right.0) {
                Met::Paired => true,
                Met::Conflict => false,
                Met::New => self.objects(left, right, open),
            },
            (Slot::Symbol(left), Slot::Symbol(right)) => self.symbol(left, right),
            (Slot::Text(left), Slot::Text(right)) => {
                self.texts.equal(self.left.lend_text(left), self.right.lend_text(right))
            }
            _ => self.left.same_value(left, self.right, right),
        }
    }

    fn symbol(&mut self, left: u32, right: u32) -> bool {
        self.symbols.pair(left, right) != Met::Conflict
            && self.left.shapes.symbol(left).map(|symbol| symbol.kind)
                == self.right.shapes.symbol(right).map(|symbol| symbol.kind)
    }

    /// Compares two objects in themselves and opens a frame for the values they hold.
    fn objects(&mut self, left: NodeId, right: NodeId, open: &mut Vec<Frame>) -> bool {
        let (l, r) = (self.left, self.right);
        let (a, b) = (l.nodes[left.index()], r.nodes[right.index()]);
        match (a, b) {
            (Node::Packed { .. }, Node::Packed { .. } | Node::Array(_)) | (Node::Array(_), Node::Packed { .. }) => {
                return self.numbers(a, b);
            }
            (Node::Array(_), Node::Array(_)) | (Node::Set(_), Node::Set(_)) | (Node::Map(_), Node::Map(_)) => {}
            (Node::Sparse(x), Node::Sparse(y)) => {
                let (x, y) = (l.sparse[x as usize], r.sparse[y as usize]);
                let same_places = x.length == y.length && x.present == y.present && x.span.len == y.span.len;
                let places = |i: usize| {
                    let (i, j) = (x.span.start as usize + 2 * i, y.span.start as usize + 2 * i);
                    matches!((l.slots[i], r.slots[j]), (Slot::Number(a), Slot::Number(b)) if a == b)
                };
                if !same_places || !(0..x.present as usize).all(places) || !self.keys(a, b) {
                    return false;
                }
            }
            (Node::Date(x), Node::Date(y)) => return x == y || (x.is_nan() && y.is_nan()),
            (Node::RegExp { flags: f, start: x }, Node::RegExp { flags: g, start: y }) => {
                let same = |i: usize| l.same_value(l.slots[x as usize + i], r, r.slots[y as usize + i]);
                return f == g && same(0) && same(1);
            }
            (Node::Boxed { .. }, Node::Boxed { .. }) => {}
            (Node::Buffer(x), Node::Buffer(y)) => {
                return l.buffers[x as usize].max == r.buffers[y as usize].max
                    && l.buffer_bytes(left) == r.buffer_bytes(right);
            }
            (Node::View(x), Node::View(y)) => {
                let (x, y) = (l.views[x as usize], r.views[y as usize]);
                return (x.kind, x.offset, x.len) == (y.kind, y.offset, y.len)
                    && self.slots(Slot::Node(x.buffer), Slot::Node(y.buffer), open);
            }
            _ => {
                if !self.shapes(a, b) {
                    return false;
                }
            }
        }
        let (left, right) = (l.values_of(a), r.values_of(b));
        if left.count != right.count {
            return false;
        }
        if left.count > 0 {
            open.push(Frame { left, right, next: 0 });
        }
        true
    }

    /// Compares what two objects are, apart from their values.
    fn shapes(&mut self, a: Node, b: Node) -> bool {
        let pair = a.shape().zip(b.shape());
        if pair.is_some_and(|(x, y)| self.shapes[x as usize] == y + 1) {
            return true;
        }
        let kinds = (self.left.shape_kind(a), self.right.shape_kind(b));
        let equal = kinds.0.is_some() && kinds.0 == kinds.1 && self.keys(a, b);
        if let Some((x, y)) = pair
            && equal
        {
            self.shapes[x as usize] = y + 1;
        }
        equal
    }

    /// Compares the property keys of two objects.
    fn keys(&mut self, a: Node, b: Node) -> bool {
        let (l, r) = (self.left, self.right);
        let (Some(x), Some(y)) = (l.properties_of(a), r.properties_of(b)) else {
            // Custom values have none.
            return l.properties_of(a).is_none() && r.properties_of(b).is_none();
        };
        x.values.count == y.values.count
            && (0..x.values.count).all(|i| match (l.property_key(x, i), r.property_key(y, i)) {
                (super::Key::Symbol(x), super::Key::Symbol(y)) => self.symbol(x, y),
                (super::Key::String(x), super::Key::String(y)) => self.texts.equal(x, y),
                _ => false,
            })
    }

    /// Compares two arrays of which one is packed: element by element, as no object is among the elements.
    fn numbers(&self, a: Node, b: Node) -> bool {
        let (l, r) = (self.left, self.right);
        let len = l.array_len(a).unwrap_or(0);
        let same = |i| match (l.element(a, i), r.element(b, i)) {
            (Some(Slot::Number(x)), Some(Slot::Number(y))) => same_number(x, y),
            _ => false,
        };
        r.array_len(b) == Some(len) && (0..len).all(same)
    }
}

/// SameValue for Numbers.
fn same_number(a: f64, b: f64) -> bool {
    a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan())
}

impl Graph<'_> {
    /// Whether two primitives that are no symbols are equal under SameValue.
    fn same_value(&self, own: Slot, graph: &Graph<'_>, other: Slot) -> bool {
        match (own, other) {
            (Slot::Undefined, Slot::Undefined) | (Slot::Null, Slot::Null) => true,
            (Slot::Bool(a), Slot::Bool(b)) => a == b,
            (Slot::Number(a), Slot::Number(b)) => same_number(a, b),
            (Slot::Text(a), Slot::Text(b)) => self.lend_text(a) == graph.lend_text(b),
            (Slot::BigInt(a), Slot::BigInt(b)) => a.flag() == b.flag() && self.magnitude(a) == graph.magnitude(b),
            _ => false,
        }
    }

    /// Whether two primitives of one graph are equal under SameValue.
    pub(crate) fn same_primitive(&self, own: Slot, graph: &Graph<'_>, other: Slot) -> bool {
        match (own, other) {
            (Slot::Symbol(a), Slot::Symbol(b)) => a == b,
            _ => self.same_value(own, graph, other),
        }
    }

    /// A slot as a key of a Map or Set: equal and hashed under SameValueZero, objects by identity.
    pub(crate) fn same_key(&self, slot: Slot) -> SameKey<'_> {
        SameKey { graph: self, slot }
    }
}

/// See [`Graph::same_key`].
#[derive(Clone, Copy)]
pub(crate) struct SameKey<'g> {
    graph: &'g Graph<'g>,
    slot: Slot,
}

impl PartialEq for SameKey<'_> {
    fn eq(&self, other: &Self) -> bool {
        match (self.slot, other.slot) {
            (Slot::Node(a), Slot::Node(b)) => a == b,
            (Slot::Number(a), Slot::Number(b)) => a == b || (a.is_nan() && b.is_nan()),
            (a, b) => self.graph.same_primitive(a, other.graph, b),
        }
    }
}

impl Eq for SameKey<'_> {}

impl Hash for SameKey<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        std::mem::discriminant(&self.slot).hash(state);
        match self.slot {
            Slot::Undefined | Slot::Null => {}
            Slot::Bool(value) => value.hash(state),
            // NaN is one, and 0 and −0 are the same key.
            Slot::Number(number) => (if number == 0.0 { 0.0 } else { number }).to_bits().hash(state),
            Slot::Text(text) => self.graph.lend_text(text).hash(state),
            Slot::BigInt(n) => (n.flag(), self.graph.magnitude(n)).hash(state),
            Slot::Symbol(index) => index.hash(state),
            Slot::Node(id) => id.hash(state),
        }
    }
}

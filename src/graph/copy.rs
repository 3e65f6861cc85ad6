//! Carrying values over from another graph.

use foldhash::fast::RandomState;
use hashbrown::HashMap;

use super::node::{Buffer, Node, NodeId, Span, Sparse, View};
use super::shape::{Key, ShapeKind};
use super::slot::{Extent, Slot, Value};
use super::symbol::SymbolKind;
use super::walk::Values;
use super::{Cursor, Graph};

impl Graph<'_> {
    /// Copies a value of another graph, with all it refers to, into this one: isomorphic, sharing nothing. Registered and
    /// well-known symbols become the ones of this graph. Cost: what is reached, and once the other graph's node count.
    ///
    /// # Examples
    ///
    /// ```
    /// use marshal::{Graph, js};
    ///
    /// let ada = js!({ name: "Ada" });
    /// let mut team = Graph::new();
    /// let lead = team.import(ada.root());
    /// let members = team.array([lead, lead]);
    /// team.set_root(members);
    /// assert_eq!(team.to_string(), r#"[&1 {name: "Ada"}, *1]"#);
    /// ```
    pub fn import(&mut self, value: Cursor<'_>) -> Value {
        let from = value.graph();
        let mut import = Import {
            from,
            nodes: vec![0; from.nodes.len()],
            symbols: vec![0; from.shapes.symbols_len()],
            shapes: vec![None; from.shapes.len()],
            long_texts: HashMap::default(),
            open: Vec::new(),
        };
        let root = import.slot(self, value.slot());
        while let Some(frame) = import.open.last_mut() {
            if frame.next == frame.from.count {
                import.open.pop();
                continue;
            }
            let (source, target) = (frame.from.at(frame.next), frame.to.at(frame.next));
            frame.next += 1;
            self.slots[target] = import.slot(self, from.slots[source]);
        }
        Value(root)
    }
}

/// Values that remain to be copied.
struct Frame {
    from: Values,
    to: Values,
    next: usize,
}

/// What has been copied: index + 1 in the target, 0 for not yet.
struct Import<'f> {
    from: &'f Graph<'f>,
    nodes: Vec<u32>,
    symbols: Vec<u32>,
    shapes: Vec<Option<Copied>>,
    /// Any number of values may share one long string; so do their copies.
    long_texts: HashMap<Extent, Slot, RandomState>,
    open: Vec<Frame>,
}

/// Copying shorter strings costs no more than looking them up.
const LONG: u32 = 64;

/// What a shape has become: a shape of the target, or, where its table has no room for another plain one, the slots that
/// hold its keys, which all objects of this shape share.
type Copied = Result<u32, Span>;

impl Import<'_> {
    fn slot(&mut self, to: &mut Graph<'_>, slot: Slot) -> Slot {
        match slot {
            Slot::Undefined | Slot::Null | Slot::Bool(_) | Slot::Number(_) => slot,
            Slot::Text(text) if text.len() < LONG => to.store_text(self.from.lend_text(text)),
            Slot::Text(text) => {
                *self.long_texts.entry(text).or_insert_with(|| to.store_text(self.from.lend_text(text)))
            }
            Slot::BigInt(n) => {
                let at = to.bytes.push(self.from.magnitude(n), false);
                Slot::BigInt(Extent::new(n.flag(), n.len(), at))
            }
            Slot::Symbol(index) => Slot::Symbol(self.symbol(to, index)),
            Slot::Node(id) => match self.nodes.get(id.index()) {
                None => Slot::Undefined,
                Some(0) => Slot::Node(self.node(to, id)),
                Some(&copied) => Slot::Node(NodeId(copied - 1)),
            },
        }
    }

    fn symbol(&mut self, to: &mut Graph<'_>, index: u32) -> u32 {
        let Some(symbol) = self.from.shapes.symbol(index) else { return index };
        let copied = &mut self.symbols[index as usize];
        if *copied == 0 {
            *copied = 1 + match symbol.kind {
                kind @ (SymbolKind::Unique | SymbolKind::Described(_)) => to.shapes_mut().push_symbol(kind),
                kind @ (SymbolKind::Registered(_) | SymbolKind::WellKnown(_)) => to.shapes_mut().intern_symbol(kind),
            };
        }
        *copied - 1
    }

    fn key<'k>(&mut self, to: &mut Graph<'_>, key: Key<'k>) -> Key<'k> {
        match key {
            Key::String(_) => key,
            Key::Symbol(index) => Key::Symbol(self.symbol(to, index)),
        }
    }

    fn shape(&mut self, to: &mut Graph<'_>, shape: u32) -> Copied {
        if let Some(copied) = self.shapes[shape as usize] {
            return copied;
        }
        let from = self.from;
        let keys: Vec<Key<'_>> = from.shapes.keys(shape).map(|key| self.key(to, key)).collect();
        let copied = to.shape_for(from.shapes.kind(shape), &keys).ok_or_else(|| {
            let keys: Vec<Slot> = keys.iter().map(|&key| to.key_slot(key)).collect();
            to.push_slots(keys)
        });
        self.shapes[shape as usize] = Some(copied);
        copied
    }

    /// Copies an object; its values follow when its frame comes up.
    fn node(&mut self, to: &mut Graph<'_>, id: NodeId) -> NodeId {
        let from = self.from;
        let node = from.nodes[id.index()];
        let values = from.values_of(node);
        let room = |to: &mut Graph<'_>, slots: usize| to.push_slots((0..slots).map(|_| Slot::Undefined));
        let copied = match node {
            Node::Array(_) => Node::Array(room(to, values.count)),
            Node::Map(_) => Node::Map(room(to, values.count)),
            Node::Set(_) => Node::Set(room(to, values.count)),
            Node::Boxed { .. } => Node::Boxed { start: room(to, 1).start },
            Node::Packed { kind, len, at } => {
                let at = to.bytes.push(from.packed_bytes(kind, len, at), true);
                Node::Packed { kind, len, at }
            }
            Node::Date(ms) => Node::Date(ms),
            Node::RegExp { flags, start } => {
                let source = self.slot(to, from.slots[start as usize]);
                let span = to.push_slots([source, from.slots[start as usize + 1]]);
                Node::RegExp { flags, start: span.start }
            }
            Node::Buffer(side) => {
                let Buffer { at, len, max } = from.buffers[side as usize];
                let copied = to.push_buffer(from.bytes.get(at, len), max);
                self.nodes[id.index()] = copied.0 + 1;
                return copied;
            }
            Node::View(side) => {
                let view = from.views[side as usize];
                let Slot::Node(buffer) = self.slot(to, Slot::Node(view.buffer)) else { return id };
                let copied = to.push_view(View { buffer, ..view });
                self.nodes[id.index()] = copied.0 + 1;
                return copied;
            }
            Node::Sparse(side) => {
                let sparse = from.sparse[side as usize];
                let span = self.pairs(to, sparse.span.range());
                Node::Sparse(to.push_sparse(Sparse { span, ..sparse }))
            }
            Node::Dictionary(span) => Node::Dictionary(self.pairs(to, span.range())),
            Node::NullDictionary(span) => Node::NullDictionary(self.pairs(to, span.range())),
            Node::Custom { shape, .. } => {
                let shape = self.shape(to, shape).unwrap_or_default();
                Node::Custom { shape, start: room(to, 1).start }
            }
            Node::Derived { shape, .. } => {
                let shape = self.shape(to, shape).unwrap_or_default();
                let span = room(to, values.count);
                Node::Derived { shape, start: span.start, cap: span.cap }
            }
            Node::Object { shape, .. } => match self.shape(to, shape) {
                Ok(shape) => {
                    let span = room(to, values.count);
                    Node::Object { shape, start: span.start, cap: span.cap }
                }
                Err(keys) => {
                    let pairs: Vec<Slot> = keys.range().flat_map(|place| [to.slots[place], Slot::Undefined]).collect();
                    let span = to.push_slots(pairs);
                    match from.shapes.kind(shape) {
                        ShapeKind::NullPrototype => Node::NullDictionary(span),
                        _ => Node::Dictionary(span),
                    }
                }
            },
        };
        let copied_values = to.values_of(copied);
        if values.count > 0 {
            self.open.push(Frame { from: values, to: copied_values, next: 0 });
        }
        let copied = to.push_node(copied);
        self.nodes[id.index()] = copied.0 + 1;
        copied
    }

    /// Room for pairs of which the first slots (keys, indices) are copied at once.
    fn pairs(&mut self, to: &mut Graph<'_>, range: std::ops::Range<usize>) -> Span {
        let mut slots = Vec::with_capacity(range.len());
        for pair in self.from.slots[range].chunks_exact(2) {
            slots.extend([self.slot(to, pair[0]), Slot::Undefined]);
        }
        to.push_slots(slots)
    }
}

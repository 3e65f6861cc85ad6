//! The JavaScript value model in memory: an arena in which identity is an index.
//!
//! Knows values, and nothing of how they are written. A graph is a few flat vectors, so it is cloned by copying them,
//! dropped without recursion, and holds cycles without counting references.

mod assemble;
mod build;
mod bytes;
mod copy;
mod cursor;
mod data;
mod distinct;
mod edit;
mod edit_builtin;
mod equal;
mod js;
mod key;
mod literal;
mod node;
mod number;
mod path;
mod print;
mod regexp;
mod shape;
mod slot;
mod symbol;
mod text;
mod transition;
mod walk;

use std::sync::Arc;

use crate::wire::copy::vec_of;

pub(crate) use assemble::{MAX_SAFE_INTEGER, may_shape};
pub use bytes::Element;
pub(crate) use bytes::{ByteStore, bytes_of, numbers, read};
pub use cursor::{Cursor, Kind, Property};
pub use data::{BufferRef, Elements, JsBigInt, RegExpRef, ViewRef};
pub(crate) use distinct::Distinct;
pub(crate) use equal::SameKey;
#[doc(hidden)]
pub use js::Interpolate;
pub use key::{PropertyKey, SymbolId};
pub(crate) use literal::{write_key, write_number, write_text};
pub use node::NodeId;
pub(crate) use node::{Buffer, Node, Span, Sparse, View};
pub(crate) use number::{MIN_PACKED, element, is_canonical_packing, is_time_value, packed_kind, push_element};
pub(crate) use path::{Segment, Step, path, path_of};
pub use print::Printer;
pub use regexp::RegExpFlags;
pub(crate) use regexp::{escape_pattern, is_source};
pub use shape::{ClassRef, ErrorConstructor};
pub(crate) use shape::{Key, MAX_PLAIN_SHAPES, Rank, ShapeForm, ShapeKind, Shapes};
pub use slot::Value;
pub(crate) use slot::{Extent, Slot};
pub use symbol::{Symbol, SymbolKind, WellKnown};
pub use text::JsStr;
pub(crate) use text::{TextStore, well_formed};
pub(crate) use transition::{Place, Transitions};
pub(crate) use walk::Visit;

/// A JavaScript value with everything it refers to.
///
/// One value is the [root](Graph::root). A graph that was decoded borrows text and buffers from the message
/// (`Graph<'a>`); [`into_owned`](Graph::into_owned) lets go of it. A graph that was built is a `Graph<'static>`.
///
/// Two graphs are equal when they are isomorphic from the root: same values, same own-property order, and the same
/// sharing, whatever the order in which they were built. `NaN` equals `NaN`, and `-0` does not equal `0`.
///
/// # Examples
///
/// ```
/// use marshal::{Graph, Value};
///
/// let mut graph = Graph::new();
/// let name = graph.string("Ada");
/// let user = graph.object([("name", name), ("age", Value::from(36))]);
/// graph.set(user, "self", user)?;
/// graph.set_root(user);
///
/// let root = graph.root();
/// assert_eq!(root.get("name").and_then(|name| name.as_str()), Some("Ada"));
/// assert!(root.get("self").unwrap().is_same(root));
/// assert_eq!(graph.to_string(), r#"&1 {name: "Ada", age: 36, self: *1}"#);
/// # Ok::<(), marshal::Error>(())
/// ```
pub struct Graph<'a> {
    pub(crate) root: Slot,
    pub(crate) slots: Vec<Slot>,
    pub(crate) nodes: Vec<Node>,
    pub(crate) shapes: Arc<Shapes>,
    pub(crate) text: TextStore<'a>,
    pub(crate) bytes: ByteStore<'a>,
    pub(crate) sparse: Vec<Sparse>,
    pub(crate) buffers: Vec<Buffer>,
    pub(crate) views: Vec<View>,
}

impl Clone for Graph<'_> {
    fn clone(&self) -> Self {
        Graph {
            root: self.root,
            slots: vec_of(&self.slots),
            nodes: vec_of(&self.nodes),
            shapes: self.shapes.clone(),
            text: self.text.clone(),
            bytes: self.bytes.clone(),
            sparse: self.sparse.clone(),
            buffers: self.buffers.clone(),
            views: self.views.clone(),
        }
    }
}

impl Default for Graph<'_> {
    fn default() -> Self {
        Self::decoding(Vec::new(), Vec::new(), Shapes::none(), &[])
    }
}

impl<'a> Graph<'a> {
    /// An empty graph whose root is `undefined`.
    pub fn new() -> Self {
        Self::default()
    }

    /// A graph with these slots, nodes and shapes that lends from `data`.
    #[inline]
    pub(crate) fn decoding(slots: Vec<Slot>, nodes: Vec<Node>, shapes: Arc<Shapes>, data: &'a [u8]) -> Self {
        Graph {
            root: Slot::Undefined,
            slots,
            nodes,
            shapes,
            text: TextStore::default(),
            bytes: ByteStore::borrowing(data),
            sparse: Vec::new(),
            buffers: Vec::new(),
            views: Vec::new(),
        }
    }

    /// A cursor on the root, to read from.
    pub fn root(&self) -> Cursor<'_> {
        self.cursor(Value(self.root))
    }

    /// Makes `value` the root.
    pub fn set_root(&mut self, value: Value) {
        self.root = value.0;
    }

    /// A cursor on a value of this graph, to read from.
    pub fn cursor(&self, value: Value) -> Cursor<'_> {
        Cursor::new(self, value.0)
    }

    /// The same graph without the message that it borrows from. Values keep their meaning.
    pub fn into_owned(self) -> Graph<'static> {
        let Graph { root, slots, nodes, shapes, text, bytes, sparse, buffers, views } = self;
        let (text, bytes) = (text.into_owned(), bytes.into_owned());
        Graph { root, slots, nodes, shapes, text, bytes, sparse, buffers, views }
    }

    /// How many objects the arena holds, those that the root does not reach among them.
    pub fn node_count(&self) -> usize {
        self.nodes.len()
    }

    /// Bytes that values, objects, text and payloads take, without the table of shapes.
    pub(crate) fn bytes_held(&self) -> u64 {
        let fixed = self.slots.len() * size_of::<Slot>() + self.nodes.len() * size_of::<Node>();
        fixed as u64 + self.text.len() + self.bytes.len()
    }

    #[inline]
    pub(crate) fn node(&self, id: NodeId) -> Option<Node> {
        self.nodes.get(id.index()).copied()
    }

    #[inline]
    pub(crate) fn lend_text(&self, text: Extent) -> JsStr<'_> {
        if text.flag() {
            JsStr::utf16(self.bytes.get(text.at(), u64::from(text.len()) * 2))
        } else {
            JsStr::utf8(self.text.get(text.at(), text.len()))
        }
    }

    /// The magnitude of a BigInt.
    pub(crate) fn magnitude(&self, n: Extent) -> &[u8] {
        self.bytes.get(n.at(), u64::from(n.len()))
    }

    /// The string or symbol in `slot` as a property key.
    #[inline]
    pub(crate) fn slot_key(&self, slot: Slot) -> Option<Key<'_>> {
        match slot {
            Slot::Text(text) => Some(Key::String(self.lend_text(text))),
            Slot::Symbol(index) => Some(Key::Symbol(index)),
            _ => None,
        }
    }

    /// The slot of `key`: text is copied into the graph.
    pub(crate) fn key_slot(&mut self, key: Key<'_>) -> Slot {
        match key {
            Key::String(text) => self.store_text(text),
            Key::Symbol(index) => Slot::Symbol(index),
        }
    }

    pub(crate) fn store_text(&mut self, text: JsStr<'_>) -> Slot {
        match (text.as_str(), text.as_utf16()) {
            (_, Some(units)) => {
                let at = self.bytes.push(units, false);
                Slot::Text(Extent::new(true, short(units.len() / 2), at))
            }
            (text, None) => {
                let text = text.unwrap_or_default();
                let at = self.text.push(text);
                Slot::Text(Extent::new(false, short(text.len()), at))
            }
        }
    }

    pub(crate) fn push_node(&mut self, node: Node) -> NodeId {
        let id = NodeId(short(self.nodes.len()));
        self.nodes.push(node);
        id
    }

    /// Copies `slots` to the end of the arena.
    pub(crate) fn push_slots(&mut self, slots: impl IntoIterator<Item = Slot>) -> Span {
        let start = self.slots.len();
        self.slots.extend(slots);
        let len = short(self.slots.len() - start);
        Span { start: short(start), len, cap: len }
    }

    pub(crate) fn shapes_mut(&mut self) -> &mut Shapes {
        Arc::make_mut(&mut self.shapes)
    }
}

/// A position or length in the arena.
///
/// # Panics
///
/// From 2³² values or objects in one graph, 64 GiB of them. A decoder refuses such input before it gets here.
fn short(n: usize) -> u32 {
    u32::try_from(n).expect("a graph holds fewer than 2^32 values")
}

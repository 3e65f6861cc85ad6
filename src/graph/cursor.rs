//! Reading a graph: a cursor is a place in it, copied freely.

use super::Graph;
use super::data::{BufferRef, Elements, JsBigInt, RegExpRef, ViewRef};
use super::key::PropertyKey;
use super::node::{Node, NodeId};
use super::regexp::RegExpFlags;
use super::shape::{ClassRef, ErrorConstructor, Key, ShapeKind};
use super::slot::{Slot, Value};
use super::symbol::Symbol;
use super::text::JsStr;
use super::walk::Values;

/// A value of a graph, to read from.
///
/// What a value does not have is `None`, so a path through a graph is a chain of `?`.
///
/// # Examples
///
/// ```
/// use marshal::js;
///
/// let state = js!({ users: [{ name: "Ada" }, { name: "Grace" }] });
/// let second = || state.root().get("users")?.at(1)?.get("name")?.as_str();
/// assert_eq!(second(), Some("Grace"));
/// ```
#[derive(Clone, Copy)]
pub struct Cursor<'g> {
    graph: &'g Graph<'g>,
    slot: Slot,
}

/// What a value is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs, reason = "the names are those of ECMA-262")]
#[non_exhaustive]
pub enum Kind {
    Undefined,
    Null,
    Boolean,
    Number,
    BigInt,
    String,
    Symbol,
    Array,
    /// A plain object, with or without a prototype.
    Object,
    /// An instance of a class.
    Instance,
    /// An instance of a class that extends a built-in.
    Derived,
    /// A value that a registered function turns into a payload and back.
    Custom,
    Map,
    Set,
    Date,
    RegExp,
    Error,
    /// A wrapper object around a primitive.
    Boxed,
    ArrayBuffer,
    TypedArray,
    DataView,
}

/// A key of an object and its value.
#[derive(Clone, Copy)]
pub struct Property<'g> {
    key: Key<'g>,
    value: Cursor<'g>,
}

impl<'g> Property<'g> {
    /// The key, if it is a string.
    pub fn name(self) -> Option<JsStr<'g>> {
        match self.key {
            Key::String(text) => Some(text),
            Key::Symbol(_) => None,
        }
    }

    /// The key, if it is a Symbol.
    pub fn symbol(self) -> Option<Symbol<'g>> {
        match self.key {
            Key::String(_) => None,
            Key::Symbol(index) => self.value.graph.shapes.symbol(index),
        }
    }

    /// The key, to look up or set a property with.
    pub fn key(self) -> PropertyKey<'g> {
        self.key.into()
    }

    /// The value.
    pub fn value(self) -> Cursor<'g> {
        self.value
    }
}

impl<'g> Cursor<'g> {
    pub(crate) fn new(graph: &'g Graph<'g>, slot: Slot) -> Self {
        Cursor { graph, slot }
    }

    /// The graph that the value is in.
    pub fn graph(self) -> &'g Graph<'g> {
        self.graph
    }

    pub(crate) fn slot(self) -> Slot {
        self.slot
    }

    /// The value, as a handle to build and change its graph with.
    pub fn value(self) -> Value {
        Value(self.slot)
    }

    /// The identity of an object; `None` for a primitive.
    pub fn id(self) -> Option<NodeId> {
        self.slot.node()
    }

    /// Whether this and `other` are the same object, or equal primitives (SameValue of ECMA-262). Both are of one graph.
    pub fn is_same(self, other: Cursor<'_>) -> bool {
        self.graph.same_primitive(self.slot, other.graph, other.slot)
            || (self.id().is_some() && self.id() == other.id())
    }

    fn node(self) -> Option<Node> {
        self.graph.node(self.slot.node()?)
    }

    fn with(self, slot: Slot) -> Cursor<'g> {
        Cursor { graph: self.graph, slot }
    }

    /// What the value is.
    pub fn kind(self) -> Kind {
        match self.slot {
            Slot::Undefined => Kind::Undefined,
            Slot::Null => Kind::Null,
            Slot::Bool(_) => Kind::Boolean,
            Slot::Number(_) => Kind::Number,
            Slot::Text(_) => Kind::String,
            Slot::BigInt(_) => Kind::BigInt,
            Slot::Symbol(_) => Kind::Symbol,
            Slot::Node(id) => match self.graph.node(id) {
                None => Kind::Undefined,
                Some(node) => self.object_kind(node),
            },
        }
    }

    fn object_kind(self, node: Node) -> Kind {
        match node {
            Node::Array(_) | Node::Packed { .. } | Node::Sparse(_) => Kind::Array,
            Node::Map(_) => Kind::Map,
            Node::Set(_) => Kind::Set,
            Node::Date(_) => Kind::Date,
            Node::RegExp { .. } => Kind::RegExp,
            Node::Boxed { .. } => Kind::Boxed,
            Node::Buffer(_) => Kind::ArrayBuffer,
            Node::View(side) if self.graph.views[side as usize].kind == crate::wire::ElementKind::DataView => {
                Kind::DataView
            }
            Node::View(_) => Kind::TypedArray,
            Node::Object { .. }
            | Node::Dictionary(_)
            | Node::NullDictionary(_)
            | Node::Derived { .. }
            | Node::Custom { .. } => match self.graph.shape_kind(node) {
                Some(ShapeKind::Class(_)) => Kind::Instance,
                Some(ShapeKind::Derived(_)) => Kind::Derived,
                Some(ShapeKind::Custom(_)) => Kind::Custom,
                Some(ShapeKind::Error(_)) => Kind::Error,
                _ => Kind::Object,
            },
        }
    }

    /// Whether the value is `undefined`.
    pub fn is_undefined(self) -> bool {
        matches!(self.slot, Slot::Undefined)
    }

    /// Whether the value is `null`.
    pub fn is_null(self) -> bool {
        matches!(self.slot, Slot::Null)
    }

    /// The boolean that the value is.
    pub fn as_bool(self) -> Option<bool> {
        match self.slot {
            Slot::Bool(value) => Some(value),
            _ => None,
        }
    }

    /// The Number that the value is.
    pub fn as_f64(self) -> Option<f64> {
        match self.slot {
            Slot::Number(number) => Some(number),
            _ => None,
        }
    }

    /// The Number that the value is, if it is an integer other than −0 that an `i64` holds exactly.
    pub fn as_i64(self) -> Option<i64> {
        let number = self.as_f64()?;
        let exact = number.trunc() == number && (-(2f64.powi(63))..2f64.powi(63)).contains(&number);
        (exact && !self.slot.is_minus_zero()).then_some(number as i64)
    }

    /// The string that the value is, if it has no lone surrogate.
    pub fn as_str(self) -> Option<&'g str> {
        self.text()?.as_str()
    }

    /// The string that the value is.
    pub fn text(self) -> Option<JsStr<'g>> {
        match self.slot {
            Slot::Text(text) => Some(self.graph.lend_text(text)),
            _ => None,
        }
    }

    /// The BigInt that the value is.
    pub fn bigint(self) -> Option<JsBigInt<'g>> {
        match self.slot {
            Slot::BigInt(n) => Some(JsBigInt { negative: n.flag(), magnitude: self.graph.magnitude(n) }),
            _ => None,
        }
    }

    /// The Symbol that the value is.
    pub fn symbol(self) -> Option<Symbol<'g>> {
        match self.slot {
            Slot::Symbol(index) => self.graph.shapes.symbol(index),
            _ => None,
        }
    }

    /// The time value of a Date in milliseconds since 1970 (UTC); NaN for an invalid one.
    pub fn date(self) -> Option<f64> {
        match self.node()? {
            Node::Date(ms) => Some(ms),
            _ => None,
        }
    }

    /// The RegExp that the value is.
    pub fn regexp(self) -> Option<RegExpRef<'g>> {
        let Node::RegExp { flags, start } = self.node()? else { return None };
        let source = self.with(self.graph.slots[start as usize]).text()?;
        let last_index = self.with(self.graph.slots[start as usize + 1]).as_f64()? as u64;
        Some(RegExpRef { source, flags: RegExpFlags::from_bits(flags)?, last_index })
    }

    /// The primitive in a wrapper object.
    pub fn boxed(self) -> Option<Cursor<'g>> {
        match self.node()? {
            Node::Boxed { start } => Some(self.with(self.graph.slots[start as usize])),
            _ => None,
        }
    }

    /// The ArrayBuffer that the value is.
    pub fn buffer(self) -> Option<BufferRef<'g>> {
        match self.node()? {
            Node::Buffer(side) => {
                let buffer = self.graph.buffers[side as usize];
                Some(BufferRef { bytes: self.graph.bytes.get(buffer.at, buffer.len), max: buffer.max })
            }
            _ => None,
        }
    }

    /// The typed array or DataView that the value is.
    pub fn view(self) -> Option<ViewRef<'g>> {
        let Node::View(side) = self.node()? else { return None };
        let view = self.graph.views[side as usize];
        let buffer = self.graph.buffer_bytes(view.buffer);
        let len = view.elements(buffer.len() as u64) as usize * view.kind.size();
        let bytes = buffer.get(view.offset as usize..).and_then(|rest| rest.get(..len)).unwrap_or_default();
        Some(ViewRef {
            elements: Elements { kind: view.kind, bytes },
            buffer: self.with(Slot::Node(view.buffer)),
            offset: view.offset,
            tracks: view.len.is_none(),
        })
    }

    /// The raw elements of a typed array, or of an array of numbers that is packed.
    pub fn elements(self) -> Option<Elements<'g>> {
        match self.node()? {
            Node::Packed { kind, len, at } => Some(Elements { kind, bytes: self.graph.packed_bytes(kind, len, at) }),
            _ => self.view().map(ViewRef::elements),
        }
    }

    /// The class of an instance, derived instance or custom value.
    pub fn class(self) -> Option<ClassRef<'g>> {
        match self.graph.shape_kind(self.node()?)? {
            ShapeKind::Class(class) | ShapeKind::Derived(class) | ShapeKind::Custom(class) => Some(class),
            _ => None,
        }
    }

    /// Which of the standard constructors made the error that the value is.
    pub fn error(self) -> Option<ErrorConstructor> {
        match self.graph.shape_kind(self.node()?)? {
            ShapeKind::Error(constructor) => Some(constructor),
            _ => None,
        }
    }

    /// Whether an object's prototype is null.
    pub fn has_null_prototype(self) -> bool {
        self.node().and_then(|node| self.graph.shape_kind(node)) == Some(ShapeKind::NullPrototype)
    }

    /// The built-in part of a derived instance.
    pub fn base(self) -> Option<Cursor<'g>> {
        match self.node()? {
            Node::Derived { start, .. } => Some(self.with(self.graph.slots[start as usize])),
            _ => None,
        }
    }

    /// The payload of a custom value.
    pub fn payload(self) -> Option<Cursor<'g>> {
        match self.node()? {
            Node::Custom { start, .. } => Some(self.with(self.graph.slots[start as usize])),
            _ => None,
        }
    }

    /// How much the value holds: the length of an array or typed array, the size of a Map or Set, the number of own
    /// properties of an object; 0 for anything else.
    pub fn len(self) -> usize {
        let Some(node) = self.node() else { return 0 };
        match node {
            Node::Map(span) => span.len as usize / 2,
            Node::Set(span) => span.len as usize,
            Node::View(_) => self.elements().map_or(0, Elements::len),
            _ => match self.graph.array_len(node) {
                Some(len) => len as usize,
                None => self.graph.properties_of(node).map_or(0, |properties| properties.values.count),
            },
        }
    }

    /// Whether [`len`](Self::len) is 0.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// Element `index` of an array or typed array; `None` for a hole, beyond the end, and for anything else. An element
    /// of a BigInt64 or BigUint64 array is read through [`elements`](Self::elements).
    pub fn at(self, index: usize) -> Option<Cursor<'g>> {
        let node = self.node()?;
        match node {
            Node::View(_) => Some(self.with(Slot::number(self.elements()?.get(index)?))),
            _ => Some(self.with(self.graph.element(node, u32::try_from(index).ok()?)?)),
        }
    }

    /// The own property `key` of an object, an extra property of an array, or the entry of a Map with that string or
    /// Symbol as key.
    pub fn get<'k>(self, key: impl Into<PropertyKey<'k>>) -> Option<Cursor<'g>> {
        let key = key.into();
        let key = key.lend();
        let node = self.node()?;
        if let Node::Map(_) = node {
            return self.entries().find(|(own, _)| self.graph.slot_key(own.slot) == Some(key)).map(|(_, value)| value);
        }
        let properties = self.graph.properties_of(node)?;
        let index = (0..properties.values.count).find(|&i| self.graph.property_key(properties, i) == key)?;
        Some(self.with(self.graph.slots[properties.values.at(index)]))
    }

    /// The entry of a Map with this key, under SameValueZero. The key is of the same graph.
    pub fn entry(self, key: Value) -> Option<Cursor<'g>> {
        let wanted = self.with(key.0);
        self.entries().find(|(own, _)| own.is_same(wanted)).map(|(_, value)| value)
    }

    /// Whether a Set holds this value, under SameValueZero. The value is of the same graph.
    pub fn has(self, value: Value) -> bool {
        let wanted = self.with(value.0);
        self.members().any(|own| own.is_same(wanted))
    }

    fn values(self, values: Values) -> impl ExactSizeIterator<Item = Cursor<'g>> + use<'g> {
        (0..values.count).map(move |i| self.with(self.graph.slots[values.at(i)]))
    }

    /// The elements of an array or typed array, holes as `None`; nothing for anything else.
    pub fn iter(self) -> impl ExactSizeIterator<Item = Option<Cursor<'g>>> + use<'g> {
        let is_list = self
            .node()
            .is_some_and(|node| matches!(node, Node::Array(_) | Node::Packed { .. } | Node::Sparse(_) | Node::View(_)));
        (0..if is_list { self.len() } else { 0 }).map(move |index| self.at(index))
    }

    /// The own properties of an object, or the extra properties of an array, in their order; nothing for anything else.
    pub fn properties(self) -> impl ExactSizeIterator<Item = Property<'g>> + use<'g> {
        let properties = self.node().and_then(|node| self.graph.properties_of(node)).unwrap_or_default();
        (0..properties.values.count).map(move |index| Property {
            key: self.graph.property_key(properties, index),
            value: self.with(self.graph.slots[properties.values.at(index)]),
        })
    }

    /// The entries of a Map, in their order; nothing for anything else.
    pub fn entries(self) -> impl ExactSizeIterator<Item = (Cursor<'g>, Cursor<'g>)> + use<'g> {
        let (start, pairs) = match self.node() {
            Some(Node::Map(span)) => (span.start as usize, span.len as usize / 2),
            _ => (0, 0),
        };
        (0..pairs).map(move |i| {
            let pair = &self.graph.slots[start + 2 * i..];
            (self.with(pair[0]), self.with(pair[1]))
        })
    }

    /// The values of a Set, in their order; nothing for anything else.
    pub fn members(self) -> impl ExactSizeIterator<Item = Cursor<'g>> + use<'g> {
        let values = match self.node() {
            Some(node @ Node::Set(_)) => self.graph.values_of(node),
            _ => Values::default(),
        };
        self.values(values)
    }

    /// The value with all it refers to as a graph of its own. Cost: what is reached.
    pub fn to_graph(self) -> Graph<'static> {
        let mut graph = Graph::new();
        let root = graph.import(self);
        graph.set_root(root);
        graph
    }
}

//! Building values. Each call adds one value and returns its handle; what it holds has been built before.

use num_bigint::{BigInt, Sign};

use super::assemble::{MAX_SAFE_INTEGER, class, normal_key};
use super::bytes::{Element, bytes_of};
use super::key::{PropertyKey, SymbolId};
use super::node::{Node, Sparse, View};
use super::number::is_time_value;
use super::regexp::{RegExpFlags, escape_pattern};
use super::shape::{ErrorConstructor, ShapeKind};
use super::slot::{Extent, Slot, Value};
use super::symbol::{SymbolKind, WellKnown};
use super::text::{JsStr, well_formed};
use super::{Graph, short};
use crate::error::{Error, ErrorKind};
use crate::wire::ElementKind;

/// Primitives.
impl Graph<'_> {
    /// A string.
    pub fn string(&mut self, text: &str) -> Value {
        Value(self.store_text(JsStr::utf8(text)))
    }

    /// A string of 16-bit code units, which may hold lone surrogates.
    pub fn string_utf16(&mut self, units: &[u16]) -> Value {
        Value(match well_formed(units.iter().copied()) {
            Some(text) => self.store_text(JsStr::utf8(&text)),
            None => self.store_text(JsStr::utf16(&bytes_of(units))),
        })
    }

    /// A BigInt.
    pub fn bigint(&mut self, number: impl Into<BigInt>) -> Value {
        let (sign, magnitude) = number.into().to_bytes_le();
        self.bigint_from_magnitude(sign == Sign::Minus, &magnitude)
    }

    /// A BigInt with this little-endian magnitude; leading zero bytes are dropped.
    pub fn bigint_from_magnitude(&mut self, negative: bool, magnitude: &[u8]) -> Value {
        let len = magnitude.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
        let at = self.bytes.push(&magnitude[..len], false);
        Value(Slot::BigInt(Extent::new(negative && len > 0, short(len), at)))
    }

    /// `Symbol()`: a new one, equal to no other.
    pub fn symbol(&mut self) -> SymbolId {
        SymbolId(self.shapes_mut().push_symbol(SymbolKind::Unique))
    }

    /// `Symbol(description)`: a new one, equal to no other.
    pub fn symbol_described<'k>(&mut self, description: impl Into<JsStr<'k>>) -> SymbolId {
        SymbolId(self.shapes_mut().push_symbol(SymbolKind::Described(description.into())))
    }

    /// `Symbol.for(key)`: the one with this key.
    pub fn symbol_for<'k>(&mut self, key: impl Into<JsStr<'k>>) -> SymbolId {
        SymbolId(self.shapes_mut().intern_symbol(SymbolKind::Registered(key.into())))
    }

    /// `Symbol.iterator` and its like.
    pub fn symbol_well_known(&mut self, symbol: WellKnown) -> SymbolId {
        SymbolId(self.shapes_mut().intern_symbol(SymbolKind::WellKnown(symbol)))
    }
}

/// Objects.
impl Graph<'_> {
    /// An array of these elements.
    pub fn array(&mut self, elements: impl IntoIterator<Item = Value>) -> Value {
        let span = self.push_slots(elements.into_iter().map(|value| value.0));
        self.add(Node::Array(span))
    }

    /// An array of numbers, packed: its elements are lent as a slice by [`elements`](super::Cursor::elements) and
    /// written as one block. It stays packed until [`set`](Graph::set_at) or [`push`](Graph::push) change it.
    /// `T` is any number but a 64-bit integer, which JavaScript's Number can't hold.
    ///
    /// # Errors
    ///
    /// `wrong-type` for `i64` and `u64`: build a [`typed_array`](Graph::typed_array) of them.
    pub fn numbers<T: Element>(&mut self, numbers: &[T]) -> Result<Value, Error> {
        let kind = T::KIND;
        if !kind.packs() {
            return Err(Error::new(ErrorKind::WrongType, "a 64-bit integer is no Number; use typed_array or bigint"));
        }
        let at = self.bytes.push(&bytes_of(numbers), true);
        Ok(self.add(Node::Packed { kind, len: short(numbers.len()), at }))
    }

    /// An array of `length` with holes: `elements` gives index and value of those that are there, in any order; of two
    /// with one index the last counts.
    ///
    /// # Errors
    ///
    /// `bad-array` for an index at or over `length`.
    pub fn sparse_array(
        &mut self,
        length: u32,
        elements: impl IntoIterator<Item = (u32, Value)>,
    ) -> Result<Value, Error> {
        let mut present: Vec<(u32, Value)> = elements.into_iter().collect();
        present.sort_by_key(|&(index, _)| index);
        // Of equal indices the last stays.
        present.reverse();
        present.dedup_by_key(|&mut (index, _)| index);
        present.reverse();
        if present.last().is_some_and(|&(index, _)| index >= length) {
            return Err(Error::new(ErrorKind::BadArray, format!("an element at or beyond the length, {length}")));
        }
        if present.len() == length as usize {
            return Ok(self.array(present.into_iter().map(|(_, value)| value)));
        }
        let pairs = present.iter().flat_map(|&(index, value)| [Slot::Number(f64::from(index)), value.0]);
        let span = self.push_slots(pairs);
        let side = self.push_sparse(Sparse { length, present: short(present.len()), span });
        Ok(self.add(Node::Sparse(side)))
    }

    /// A plain object. Keys are put in JavaScript's order (array indices, strings, symbols); of two equal keys the
    /// place of the first and the value of the last count, as in an object literal.
    pub fn object<'k, K: Into<PropertyKey<'k>>>(&mut self, properties: impl IntoIterator<Item = (K, Value)>) -> Value {
        self.shaped(ShapeKind::Plain, Vec::new(), properties)
    }

    /// An object with a null prototype.
    pub fn null_object<'k, K: Into<PropertyKey<'k>>>(
        &mut self,
        properties: impl IntoIterator<Item = (K, Value)>,
    ) -> Value {
        self.shaped(ShapeKind::NullPrototype, Vec::new(), properties)
    }

    /// An error. `message`, `cause`, `errors` and `stack` are properties like others.
    pub fn error<'k, K: Into<PropertyKey<'k>>>(
        &mut self,
        constructor: ErrorConstructor,
        properties: impl IntoIterator<Item = (K, Value)>,
    ) -> Value {
        self.shaped(ShapeKind::Error(constructor), Vec::new(), properties)
    }

    /// An instance of the class `name` in this version.
    ///
    /// # Errors
    ///
    /// `bad-class` for an empty name.
    pub fn instance<'k, K: Into<PropertyKey<'k>>>(
        &mut self,
        name: impl Into<JsStr<'k>>,
        version: u32,
        fields: impl IntoIterator<Item = (K, Value)>,
    ) -> Result<Value, Error> {
        let class = class(name.into(), version)?;
        Ok(self.shaped(ShapeKind::Class(class), Vec::new(), fields))
    }

    /// An instance of a class that extends a built-in: `base` is the built-in part, which nothing else refers to and
    /// which has no properties of its own.
    ///
    /// # Errors
    ///
    /// `bad-class` for an empty name, `wrong-type` where `base` can't be one (`spec/format.md`, section 6).
    pub fn derived<'k, K: Into<PropertyKey<'k>>>(
        &mut self,
        name: impl Into<JsStr<'k>>,
        version: u32,
        base: Value,
        fields: impl IntoIterator<Item = (K, Value)>,
    ) -> Result<Value, Error> {
        let class = class(name.into(), version)?;
        if !base.0.node().and_then(|id| self.node(id)).is_some_and(|base| self.is_base(base)) {
            return Err(Error::new(
                ErrorKind::WrongType,
                "the base is an array, Map, Set, Date, RegExp, wrapper, buffer, view or error without properties of its own",
            ));
        }
        Ok(self.shaped(ShapeKind::Derived(class), vec![base.0], fields))
    }

    /// A value of the registered kind `name`, with what its function made of it.
    ///
    /// # Errors
    ///
    /// `bad-class` for an empty name.
    pub fn custom<'k>(&mut self, name: impl Into<JsStr<'k>>, version: u32, payload: Value) -> Result<Value, Error> {
        let class = class(name.into(), version)?;
        let shape = self.shapes_mut().intern(ShapeKind::Custom(class), &[]);
        let start = self.push_slots([payload.0]).start;
        Ok(self.add(Node::Custom { shape, start }))
    }

    /// A Map of these entries, under SameValueZero: of two equal keys the place of the first and the value of the last
    /// count, and −0 becomes 0.
    pub fn map(&mut self, entries: impl IntoIterator<Item = (Value, Value)>) -> Value {
        let mut pairs: Vec<Slot> = entries.into_iter().flat_map(|(key, value)| [normal_key(key.0), value.0]).collect();
        self.keep_last_of_equals(&mut pairs, 2);
        let span = self.push_slots(pairs);
        self.add(Node::Map(span))
    }

    /// A Set of these values, under SameValueZero: of two equal ones the first counts, and −0 becomes 0.
    pub fn set_of(&mut self, members: impl IntoIterator<Item = Value>) -> Value {
        let mut members: Vec<Slot> = members.into_iter().map(|value| normal_key(value.0)).collect();
        self.keep_last_of_equals(&mut members, 1);
        let span = self.push_slots(members);
        self.add(Node::Set(span))
    }

    /// A Date of this many milliseconds since 1970, brought to what a Date can hold (ECMA-262, TimeClip): a fraction is
    /// cut, and what is out of range makes an invalid Date.
    pub fn date(&mut self, ms: f64) -> Value {
        let whole = ms.trunc() + 0.0;
        self.add(Node::Date(if is_time_value(whole) && !whole.is_nan() { whole } else { f64::NAN }))
    }

    /// A RegExp from the text of its pattern, as `new RegExp(pattern, flags)` makes it. Whether the pattern parses is
    /// for an engine to say.
    ///
    /// # Errors
    ///
    /// `bad-regexp` for unknown or doubled flags, `u` with `v`, a pattern that ends in a backslash, and a `last_index`
    /// over 2⁵³−1.
    pub fn regexp<'k>(&mut self, pattern: impl Into<JsStr<'k>>, flags: &str, last_index: u64) -> Result<Value, Error> {
        let flags = RegExpFlags::parse(flags).ok_or_else(|| {
            Error::new(
                ErrorKind::BadRegExp,
                format!("flags {flags:?}: each of dgimsuvy at most once, and not u with v"),
            )
        })?;
        if last_index > MAX_SAFE_INTEGER {
            return Err(Error::new(ErrorKind::BadRegExp, "lastIndex is over 2^53-1"));
        }
        let source = escape_pattern(pattern.into());
        let source = self.string_utf16(&source).0;
        if !matches!(source, Slot::Text(text) if super::is_source(self.lend_text(text))) {
            return Err(Error::new(ErrorKind::BadRegExp, "the pattern ends in a backslash"));
        }
        let start = self.push_slots([source, Slot::Number(last_index as f64)]).start;
        Ok(self.add(Node::RegExp { flags: flags.bits(), start }))
    }

    /// A wrapper object around a primitive, as `Object(primitive)` makes it.
    ///
    /// # Errors
    ///
    /// `wrong-type` for undefined, null and objects.
    pub fn boxed(&mut self, primitive: Value) -> Result<Value, Error> {
        if !primitive.0.is_boxable() {
            return Err(Error::new(
                ErrorKind::WrongType,
                "only booleans, numbers, strings, BigInts and symbols have wrappers",
            ));
        }
        let start = self.push_slots([primitive.0]).start;
        Ok(self.add(Node::Boxed { start }))
    }

    /// An ArrayBuffer.
    pub fn buffer(&mut self, bytes: &[u8]) -> Value {
        Value(Slot::Node(self.push_buffer(bytes, None)))
    }

    /// A resizable ArrayBuffer that can grow to `max` bytes.
    ///
    /// # Errors
    ///
    /// `bad-buffer` where it is longer than that, or where that is over 2⁵³−1.
    pub fn resizable_buffer(&mut self, bytes: &[u8], max: u64) -> Result<Value, Error> {
        if bytes.len() as u64 > max || max > MAX_SAFE_INTEGER {
            return Err(Error::new(ErrorKind::BadBuffer, ""));
        }
        Ok(Value(Slot::Node(self.push_buffer(bytes, Some(max)))))
    }

    /// A typed array over a buffer of its own; its kind is that of `T`.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut graph = marshal::Graph::new();
    /// let xs = graph.typed_array(&[1.0f64, 2.5]);
    /// graph.set_root(xs);
    /// assert_eq!(graph.to_string(), "Float64Array[1, 2.5]");
    /// ```
    pub fn typed_array<T: Element>(&mut self, elements: &[T]) -> Value {
        self.whole_view(T::KIND, &bytes_of(elements))
    }

    /// A typed array of any kind over a buffer of its own, from little-endian bytes: for `Uint8ClampedArray`,
    /// `Float16Array` and a DataView over all of its buffer.
    ///
    /// # Errors
    ///
    /// `bad-view` where the bytes are not a whole number of elements.
    pub fn typed_array_from_bytes(&mut self, kind: ElementKind, bytes: &[u8]) -> Result<Value, Error> {
        if !bytes.len().is_multiple_of(kind.size()) {
            return Err(Error::new(
                ErrorKind::BadView,
                format!("{} bytes are no whole {} elements", bytes.len(), kind.constructor()),
            ));
        }
        Ok(self.whole_view(kind, bytes))
    }

    /// A view of `buffer` from `byte_offset`: `length` elements (bytes for a DataView), or `None` to track the length of
    /// a resizable buffer.
    ///
    /// # Errors
    ///
    /// `wrong-type` if `buffer` is no ArrayBuffer; `bad-view` if the view is misaligned, goes beyond it, or tracks the
    /// length of a fixed one.
    pub fn view(
        &mut self,
        kind: ElementKind,
        buffer: Value,
        byte_offset: u64,
        length: Option<u64>,
    ) -> Result<Value, Error> {
        let Some((id, Node::Buffer(side))) = buffer.0.node().and_then(|id| Some((id, self.node(id)?))) else {
            return Err(Error::new(ErrorKind::WrongType, "a view needs an ArrayBuffer"));
        };
        let view = View { kind, buffer: id, offset: byte_offset, len: length };
        if !self.buffers[side as usize].holds(&view) {
            return Err(Error::new(ErrorKind::BadView, ""));
        }
        Ok(Value(Slot::Node(self.push_view(view))))
    }
}

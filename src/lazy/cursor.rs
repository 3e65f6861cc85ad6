//! A place in a message that is read as it is needed, with the reading interface of a graph's cursor.

use std::fmt;

use super::View;
use super::record::InRecord;
use crate::codec::{Head, Scan, TextHead, ViewBuffer, is_derived};
use crate::error::{Error, ErrorKind};
use crate::graph::{
    BufferRef, ClassRef, Elements, ErrorConstructor, JsBigInt, JsStr, Key, Kind, PropertyKey, RegExpRef, ShapeKind,
    Symbol,
};
use crate::wire::ElementKind;
use crate::wire::index::Position;

/// A value of a [`Lazy`](super::Lazy) message, to read from.
///
/// It has what a graph's [`Cursor`](crate::Cursor) has. The steps to other values read bytes that may be damaged, so they
/// give a `Result`: `not-found` for what is not there, another kind for what is wrong. A string or number is read when
/// its cursor is made.
///
/// # Examples
///
/// ```
/// use marshal::{Error, Lazy, Marshal, js};
///
/// let bytes = Marshal::encode(&js!({ users: [{ name: "Ada" }, { name: "Grace" }] }))?;
/// let lazy = Lazy::new(&bytes)?;
/// let second = || -> Result<Option<String>, Error> {
///     Ok(lazy.root()?.get("users")?.at(1)?.get("name")?.as_str().map(str::to_owned))
/// };
/// assert_eq!(second()?.as_deref(), Some("Grace"));
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy)]
pub struct LazyCursor<'l> {
    pub(super) view: View<'l>,
    pub(super) at: Position,
    /// Where its values begin.
    pub(super) inside: Position,
    /// Its own identity, if it has one.
    pub(super) identity: Option<u64>,
    pub(super) what: What<'l>,
}

/// A head with what is behind it.
#[derive(Clone, Copy)]
pub(super) enum What<'l> {
    Head(Head),
    Text(JsStr<'l>),
    /// An object or array in a record.
    InRecord(InRecord),
    /// A BigInt in one.
    Integer {
        negative: bool,
        magnitude: &'l [u8],
    },
}

impl<'l> LazyCursor<'l> {
    pub(super) fn head(self) -> Option<Head> {
        match self.what {
            What::Head(head) => Some(head),
            _ => None,
        }
    }

    fn shape_kind(self) -> Option<ShapeKind<'l>> {
        if let What::InRecord(inside) = self.what {
            return inside.shape.map(|shape| self.view.shapes.kind(shape));
        }
        match self.head()? {
            Head::Object(shape) => Some(self.view.shapes.kind(shape)),
            Head::Dictionary { null: false, .. } => Some(ShapeKind::Plain),
            Head::Dictionary { null: true, .. } => Some(ShapeKind::NullPrototype),
            _ => None,
        }
    }

    /// What the value is.
    pub fn kind(self) -> Kind {
        let head = match self.what {
            What::Head(head) => head,
            What::Text(_) => return Kind::String,
            What::InRecord(inside) => return inside.kind(),
            What::Integer { .. } => return Kind::BigInt,
        };
        match head {
            Head::Undefined | Head::Reference(_) => Kind::Undefined,
            Head::Null => Kind::Null,
            Head::Bool(_) => Kind::Boolean,
            Head::Number(_) => Kind::Number,
            Head::BigInt { .. } => Kind::BigInt,
            Head::Text(_) => Kind::String,
            Head::Symbol(_) => Kind::Symbol,
            Head::Array(_) | Head::Sparse { .. } | Head::Packed { .. } | Head::Records { .. } => Kind::Array,
            Head::Map(_) => Kind::Map,
            Head::Set(_) => Kind::Set,
            Head::Date(_) => Kind::Date,
            Head::RegExp { .. } => Kind::RegExp,
            Head::Boxed => Kind::Boxed,
            Head::Buffer { .. } => Kind::ArrayBuffer,
            Head::View { kind: ElementKind::DataView, .. } => Kind::DataView,
            Head::TypedArray { .. } | Head::View { .. } => Kind::TypedArray,
            Head::Object(_) | Head::Dictionary { .. } => match self.shape_kind() {
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
        self.kind() == Kind::Undefined
    }

    /// Whether the value is `null`.
    pub fn is_null(self) -> bool {
        self.kind() == Kind::Null
    }

    /// The boolean that the value is.
    pub fn as_bool(self) -> Option<bool> {
        match self.head()? {
            Head::Bool(value) => Some(value),
            _ => None,
        }
    }

    /// The Number that the value is.
    pub fn as_f64(self) -> Option<f64> {
        match self.head()? {
            Head::Number(number) => Some(number),
            _ => None,
        }
    }

    /// The Number that the value is, if it is an integer other than −0 that an `i64` holds exactly.
    pub fn as_i64(self) -> Option<i64> {
        let number = self.as_f64()?;
        let exact = number.trunc() == number && (-(2f64.powi(63))..2f64.powi(63)).contains(&number);
        (exact && !(number == 0.0 && number.is_sign_negative())).then_some(number as i64)
    }

    /// The string that the value is, if it has no lone surrogate.
    pub fn as_str(self) -> Option<&'l str> {
        self.text()?.as_str()
    }

    /// The string that the value is.
    pub fn text(self) -> Option<JsStr<'l>> {
        match self.what {
            What::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The BigInt that the value is.
    pub fn bigint(self) -> Option<JsBigInt<'l>> {
        if let What::Integer { negative, magnitude } = self.what {
            return Some(JsBigInt { negative, magnitude });
        }
        match self.head()? {
            Head::BigInt { negative, at, len } => {
                let magnitude = self.view.structure.get(at as usize..(at + len) as usize)?;
                Some(JsBigInt { negative, magnitude })
            }
            _ => None,
        }
    }

    /// The Symbol that the value is.
    pub fn symbol(self) -> Option<Symbol<'l>> {
        match self.head()? {
            Head::Symbol(index) => self.view.shapes.symbol(index),
            _ => None,
        }
    }

    /// The time value of a Date in milliseconds since 1970 (UTC); NaN for an invalid one.
    pub fn date(self) -> Option<f64> {
        match self.head()? {
            Head::Date(ms) => Some(ms),
            _ => None,
        }
    }

    /// The class of an instance, derived instance or custom value.
    pub fn class(self) -> Option<ClassRef<'l>> {
        match self.shape_kind()? {
            ShapeKind::Class(class) | ShapeKind::Derived(class) | ShapeKind::Custom(class) => Some(class),
            _ => None,
        }
    }

    /// Which of the standard constructors made the error that the value is.
    pub fn error(self) -> Option<ErrorConstructor> {
        match self.shape_kind()? {
            ShapeKind::Error(constructor) => Some(constructor),
            _ => None,
        }
    }

    /// Whether an object's prototype is null.
    pub fn has_null_prototype(self) -> bool {
        self.shape_kind() == Some(ShapeKind::NullPrototype)
    }

    /// Whether this and `other` are the same object of one message.
    pub fn is_same_object(self, other: LazyCursor<'_>) -> bool {
        self.identity.is_some()
            && self.identity == other.identity
            && std::ptr::eq(self.view.message.as_ptr(), other.view.message.as_ptr())
    }

    /// The identity of an object in its message; `None` for a primitive.
    pub fn id(self) -> Option<u64> {
        self.identity
    }

    /// How many bytes of the message the value takes with all that it holds: of structure, text and data. What it only
    /// refers to is not counted. Reads over the value's structure.
    ///
    /// # Errors
    ///
    /// What is wrong with the structure.
    pub fn size(self) -> Result<u64, Error> {
        if let What::InRecord(inside) = self.what {
            return Ok(inside.size);
        }
        let mut scan = self.view.scan_at(self.at)?;
        self.view.skip(&mut scan, 1)?;
        let end = scan.position();
        Ok(end.structure - self.at.structure + end.text - self.at.text + end.data - self.at.data)
    }

    /// How much the value holds: the length of an array or typed array, the size of a Map or Set, the number of own
    /// properties of an object; 0 for anything else.
    pub fn len(self) -> usize {
        let shapes = self.view.shapes;
        if let What::InRecord(inside) = self.what {
            return inside.count;
        }
        match self.head() {
            Some(Head::Records { n, .. }) => n as usize,
            Some(Head::Array(n) | Head::Map(n) | Head::Set(n) | Head::Dictionary { len: n, .. }) => n as usize,
            Some(Head::Sparse { length, .. }) => length as usize,
            Some(Head::Object(shape)) => shapes.keys_len(shape),
            Some(Head::Packed { kind, payload } | Head::TypedArray { kind, payload }) => {
                payload.len as usize / kind.size()
            }
            Some(Head::View { .. }) => self.elements().map_or(0, |elements| elements.len()),
            _ => 0,
        }
    }

    /// Whether [`len`](Self::len) is 0.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// Element `index` of an array or typed array.
    ///
    /// # Errors
    ///
    /// `not-found` for a hole, beyond the end, and where the value is neither.
    pub fn at(self, index: usize) -> Result<LazyCursor<'l>, Error> {
        let missing = || Error::new(ErrorKind::NotFound, format!("there is no element {index}"));
        match self.head() {
            Some(Head::Array(n)) if (index as u64) < n => self.child(index as u64),
            Some(Head::Sparse { .. }) => self.sparse_element(index)?.ok_or_else(missing),
            Some(Head::Packed { .. } | Head::TypedArray { .. } | Head::View { .. }) => {
                let number = self.elements()?.get(index).ok_or_else(missing)?;
                let number = if number.is_nan() { f64::NAN } else { number };
                Ok(LazyCursor { identity: None, what: What::Head(Head::Number(number)), ..self })
            }
            _ => self.at_in_records(index)?.ok_or_else(missing),
        }
    }

    /// The own property `key` of an object, an extra property of an array, or the entry of a Map with that string or
    /// Symbol as key.
    ///
    /// In an object with a shape the key is looked up, and its value found through the index. In a dictionary (an object
    /// of many keys, see `spec/format.md`, section 9) or a Map, keys are compared one after the other, which reads over the
    /// structure of all entries before: about a millisecond for 10,000. What is to be found at once among more is an
    /// element of an array, or [named](crate::EncodeOptions::entry).
    ///
    /// # Errors
    ///
    /// `not-found` where there is none.
    pub fn get<'k>(self, key: impl Into<PropertyKey<'k>>) -> Result<LazyCursor<'l>, Error> {
        let key = key.into();
        let key = key.lend();
        if let What::InRecord(inside) = self.what {
            return self.get_in_record(inside, key)?.ok_or_else(|| missing(key));
        }
        if let Some(Head::Object(shape)) = self.head() {
            let first = u64::from(is_derived(self.view.shapes, shape));
            let index = self.view.shapes.keys(shape).position(|own| own == key);
            return self.child(first + index.ok_or_else(|| missing(key))? as u64);
        }
        let (mut scan, pairs) = self.pairs()?;
        for _ in 0..pairs {
            let at = scan.position();
            let head = self.view.head(&mut scan)?;
            if self.is_key(head, at, key)? {
                return self.view.cursor(scan.position());
            }
            // A Map's key may hold values itself.
            let mut behind = self.view.scan_at(at)?;
            self.view.skip(&mut behind, 2)?;
            scan = behind;
        }
        Err(missing(key))
    }

    /// The built-in part of a derived instance.
    ///
    /// # Errors
    ///
    /// `not-found` where the value is none.
    pub fn base(self) -> Result<LazyCursor<'l>, Error> {
        self.only_child(matches!(self.shape_kind(), Some(ShapeKind::Derived(_))), "is no derived instance")
    }

    /// The payload of a custom value.
    ///
    /// # Errors
    ///
    /// `not-found` where the value is none.
    pub fn payload(self) -> Result<LazyCursor<'l>, Error> {
        self.only_child(matches!(self.shape_kind(), Some(ShapeKind::Custom(_))), "is no custom value")
    }

    /// The primitive in a wrapper object.
    ///
    /// # Errors
    ///
    /// `not-found` where the value is none.
    pub fn boxed(self) -> Result<LazyCursor<'l>, Error> {
        self.only_child(matches!(self.head(), Some(Head::Boxed)), "is no wrapper object")
    }

    /// The RegExp that the value is.
    ///
    /// # Errors
    ///
    /// `not-found` where it is none.
    pub fn regexp(self) -> Result<RegExpRef<'l>, Error> {
        match self.head() {
            Some(Head::RegExp { flags, source, last_index }) => {
                Ok(RegExpRef { source: self.view.text(source, self.at)?, flags, last_index })
            }
            _ => Err(self.is_no("is no RegExp")),
        }
    }

    /// The ArrayBuffer that the value is.
    ///
    /// # Errors
    ///
    /// `not-found` where it is none.
    pub fn buffer(self) -> Result<BufferRef<'l>, Error> {
        match self.head() {
            Some(Head::Buffer { payload, max }) => Ok(BufferRef { bytes: self.view.bytes(payload)?, max }),
            _ => Err(self.is_no("is no ArrayBuffer")),
        }
    }

    /// The raw elements of a typed array or DataView, or of an array of numbers that is packed.
    ///
    /// # Errors
    ///
    /// `not-found` where it is none, `bad-view` where it goes beyond its buffer.
    pub fn elements(self) -> Result<Elements<'l>, Error> {
        match self.head() {
            Some(Head::Packed { kind, payload } | Head::TypedArray { kind, payload }) => {
                Ok(Elements { kind, bytes: self.view.bytes(payload)? })
            }
            Some(Head::View { kind, buffer, offset, len }) => {
                let bytes = match buffer {
                    ViewBuffer::Inline { payload, .. } => self.view.bytes(payload)?,
                    ViewBuffer::Reference(identity) => self.referenced_buffer(identity)?,
                };
                let shown = usize::try_from(offset).ok().and_then(|offset| bytes.get(offset..));
                let shown = shown.and_then(|rest| match len {
                    Some(len) => rest.get(..usize::try_from(len).ok()?.checked_mul(kind.size())?),
                    None => rest.get(..rest.len() / kind.size() * kind.size()),
                });
                let bytes = shown.ok_or_else(|| self.view.fault(ErrorKind::BadView, self.at))?;
                Ok(Elements { kind, bytes })
            }
            _ => Err(self.is_no("has no raw elements")),
        }
    }

    /// Child `n` in the order in which a reader reads (`spec/format.md`, section 14): from the nearest place that the
    /// index knows.
    fn child(self, n: u64) -> Result<LazyCursor<'l>, Error> {
        let mut from = (0, self.inside);
        if let (Some(index), Some(identity), true) = (self.view.index, self.identity, n > 0) {
            let found = index.child(identity, n, |place| self.view.check(&self.view.layout.index, place))?;
            from = found.unwrap_or(from);
            if from.0 > 0 && !self.inside.is_before(from.1) {
                return Err(self.view.bad_index());
            }
        }
        let mut scan = self.view.scan_at(from.1)?;
        self.view.skip(&mut scan, n - from.0)?;
        self.view.cursor(scan.position())
    }

    fn only_child(self, is_one: bool, otherwise: &str) -> Result<LazyCursor<'l>, Error> {
        if is_one { self.child(0) } else { Err(self.is_no(otherwise)) }
    }

    fn is_no(self, what: &str) -> Error {
        Error::new(ErrorKind::NotFound, format!("the value {what}"))
    }

    fn referenced_buffer(self, identity: u64) -> Result<&'l [u8], Error> {
        let position = self.view.resolve(identity)?;
        let mut scan = self.view.scan_at(position)?;
        match self.view.head(&mut scan)? {
            Head::Buffer { payload, .. }
            | Head::TypedArray { payload, .. }
            | Head::View { buffer: ViewBuffer::Inline { payload, .. }, .. } => self.view.bytes(payload),
            _ => Err(self.view.fault(ErrorKind::WrongType, self.at)),
        }
    }

    /// A scan at the first pair of keys and values, and how many there are.
    pub(super) fn pairs(self) -> Result<(Scan<'l>, u64), Error> {
        let mut scan = self.view.scan_at(self.inside).or_else(|_| Ok::<_, Error>(self.view.scan()))?;
        match self.head() {
            Some(Head::Dictionary { len, .. } | Head::Map(len)) => Ok((scan, len)),
            Some(Head::Sparse { present, .. }) => {
                for _ in 0..present {
                    scan.varint()?;
                    self.view.skip(&mut scan, 1)?;
                }
                let n = scan.varint()?;
                if n > scan.remaining() {
                    return Err(self.view.fault(ErrorKind::LengthOutOfBounds, self.at));
                }
                Ok((scan, n))
            }
            _ => Ok((scan, 0)),
        }
    }

    fn is_key(self, head: Head, at: Position, key: Key<'_>) -> Result<bool, Error> {
        match (head, key) {
            (Head::Symbol(index), Key::Symbol(wanted)) => Ok(index == wanted),
            (Head::Text(TextHead::Utf8 { len, .. }), Key::String(wanted))
                if wanted.as_str().is_none_or(|wanted| wanted.len() as u64 != len) =>
            {
                Ok(false)
            }
            (Head::Text(text), Key::String(wanted)) => Ok(self.view.text(text, at)? == wanted),
            _ => Ok(false),
        }
    }
}

impl fmt::Debug for LazyCursor<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.what {
            What::Text(text) => write!(f, "LazyCursor({text:?})"),
            What::Head(head) => write!(f, "LazyCursor({:?}, {head:?})", self.kind()),
            _ => write!(f, "LazyCursor({:?} in a record)", self.kind()),
        }
    }
}

fn missing(key: Key<'_>) -> Error {
    let detail = match key {
        Key::String(name) => format!("there is no property {name:?}"),
        Key::Symbol(_) => "there is no property with this Symbol".to_owned(),
    };
    Error::new(ErrorKind::NotFound, detail)
}

//! The deserializer: a visitor gets what it asks for straight from the sections of a message.

use serde::de::{self, Unexpected, Visitor};

use super::access::{Entries, Fields, Keys, Sequence, Variant};
use super::number::{visit_bigint, visit_bigint_as_float, visit_elements, visit_float, visit_float_as_integer};
use super::options::DeserializeOptions;
use super::special::{RegExpText, Special};
use crate::error::{Error, ErrorKind, Fault};
use crate::graph::{JsStr, RegExpFlags, well_formed};
use crate::wire::item::{Identity, Item, Place, Source, ViewBuffer};
use crate::wire::shape_list::{ShapeList, Text};
use crate::wire::shapes::{CUSTOM, DERIVED};
use crate::wire::splice;
use crate::wire::{ElementKind, tag};

use byteorder::{ByteOrder, LittleEndian};

/// Reads one value of a message. [`from_slice`](super::from_slice) and [`from_reader`](super::from_reader) use it.
///
/// # Examples
///
/// ```
/// use marshal::{Deserializer, to_vec};
/// use serde::Deserialize;
///
/// let mut bytes = to_vec(&(1, "two"))?;
/// bytes.extend(to_vec(&3)?);
/// let mut first = Deserializer::from_prefix(&bytes)?;
/// assert_eq!(<(u8, &str)>::deserialize(&mut first)?, (1, "two"));
/// let len = first.end()?;
/// let mut second = Deserializer::from_slice(&bytes[len..])?;
/// assert_eq!(u8::deserialize(&mut second)?, 3);
/// second.end()?;
/// # Ok::<(), marshal::Error>(())
/// ```
pub struct Deserializer<'de> {
    pub(super) source: Source<'de>,
    /// How many containers may still open in one another.
    depth: usize,
    len: usize,
    root: Place,
    /// Where each identity stands: found out at the first reference.
    identities: Option<Vec<Identity>>,
    /// References that are being followed, outermost first.
    following: Vec<u64>,
}

impl<'de> Deserializer<'de> {
    /// A deserializer of the message that `input` is.
    ///
    /// # Errors
    ///
    /// Those of the message's head, its shapes and its text (`spec/format.md`, sections 2, 4 and 6).
    pub fn from_slice(input: &'de [u8]) -> Result<Self, Error> {
        Self::with_options(input, &DeserializeOptions::new())
    }

    /// A deserializer with other options.
    ///
    /// # Errors
    ///
    /// Those of [`from_slice`](Self::from_slice).
    pub fn with_options(input: &'de [u8], options: &DeserializeOptions) -> Result<Self, Error> {
        let deserializer = Self::new(input, options, ShapeList::default())?;
        deserializer.refuse_trailing(input)?;
        Ok(deserializer)
    }

    /// A deserializer of the message that `input` begins with. [`end`](Self::end) tells its length.
    ///
    /// # Errors
    ///
    /// Those of [`from_slice`](Self::from_slice), except `trailing-bytes`.
    pub fn from_prefix(input: &'de [u8]) -> Result<Self, Error> {
        Self::new(input, &DeserializeOptions::new(), ShapeList::default())
    }

    pub(super) fn new(input: &'de [u8], options: &DeserializeOptions, shapes: ShapeList) -> Result<Self, Error> {
        let (mut source, len) = Source::new(input, shapes)?;
        // A part of the message as large as itself may be repeated without asking.
        source.expansion = options.max_expansion.saturating_add(16 * len as u64);
        let root = source.place();
        Ok(Deserializer { source, depth: options.max_depth, len, root, identities: None, following: Vec::new() })
    }

    pub(super) fn refuse_trailing(&self, input: &[u8]) -> Result<(), Error> {
        if self.len == input.len() { Ok(()) } else { Err(Fault::new(ErrorKind::TrailingBytes, self.len).into()) }
    }

    /// Sees that the value has been read, and all that belongs to it. How long the message is.
    ///
    /// # Errors
    ///
    /// `unused-bytes`.
    pub fn end(&self) -> Result<usize, Error> {
        self.source.finish()?;
        Ok(self.len)
    }

    #[inline]
    pub(super) fn at(&self) -> usize {
        self.source.structure.offset()
    }

    /// A container opens whose tag is at `at`.
    #[inline]
    pub(super) fn enter(&mut self, at: usize) -> Result<(), Error> {
        match self.depth.checked_sub(1) {
            Some(depth) => {
                self.depth = depth;
                Ok(())
            }
            None => Err(Fault::new(ErrorKind::LimitExceeded, at).into()),
        }
    }

    #[inline]
    pub(super) fn leave(&mut self) {
        self.depth += 1;
    }

    /// Reads what the reference at `at` refers to, as `read` does, and comes back.
    #[cold]
    fn follow<T>(&mut self, id: u64, at: usize, read: impl FnOnce(&mut Self) -> Result<T, Error>) -> Result<T, Error> {
        let target = self.identity(id, at)?;
        if self.following.contains(&id) {
            return Err(Error::new(ErrorKind::Unrepresentable, "a cycle, and Rust's types are trees").at_offset(at));
        }
        let back = self.source.place();
        self.source.go_back(target.place, at)?;
        self.enter(at)?;
        self.following.push(id);
        let value = read(self)?;
        self.following.pop();
        self.leave();
        self.source.go_to(back);
        Ok(value)
    }

    fn identity(&mut self, id: u64, at: usize) -> Result<Identity, Error> {
        if self.identities.is_none() {
            self.identities = Some(self.source.identities(self.root));
        }
        let identities = self.identities.as_deref().unwrap_or_default();
        let known = usize::try_from(id).ok().and_then(|id| identities.get(id));
        // What stands behind the reference has not taken its identity yet.
        match known {
            Some(known) if !known.is_base && known.place.structure < at => Ok(*known),
            _ => Err(Fault::new(ErrorKind::BadReference, at).into()),
        }
    }

    /// The bytes that a view shows.
    fn view(
        &mut self,
        kind: ElementKind,
        buffer: ViewBuffer<'de>,
        offset: u64,
        len: Option<u64>,
        at: usize,
    ) -> Result<&'de [u8], Error> {
        let buffer = match buffer {
            ViewBuffer::Inline { bytes, .. } => bytes,
            ViewBuffer::Reference(id) => {
                let target = self.identity(id, at)?;
                let back = self.source.place();
                self.source.go_to(target.place);
                let item = self.source.item()?;
                self.source.go_to(back);
                match item {
                    Item::Buffer { bytes, .. } | Item::TypedArray { bytes, .. } => bytes,
                    Item::View { buffer: ViewBuffer::Inline { bytes, .. }, .. } => bytes,
                    _ => return Err(Fault::new(ErrorKind::WrongType, at).into()),
                }
            }
        };
        let size = kind.size();
        let shown = usize::try_from(offset).ok().and_then(|offset| buffer.get(offset..)).and_then(|from| match len {
            Some(len) => from.get(..usize::try_from(len).ok()?.checked_mul(size)?),
            None => Some(&from[..from.len() - from.len() % size]),
        });
        let shown = shown.ok_or_else(|| Fault::new(ErrorKind::BadView, at))?;
        self.source.expand(shown.len() as u64, at)?;
        Ok(shown)
    }

    #[inline]
    fn integer<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value, Error> {
        // Which of the forms it is can't be predicted where numbers are of all sizes: all are read alike.
        if let [tag, a, b, c, d, ..] = *self.source.structure.rest()
            && (tag <= tag::INT_MAX || matches!(tag, tag::U8..=tag::I32))
        {
            let raw = u64::from(u32::from_le_bytes([a, b, c, d]));
            let form = tag.wrapping_sub(tag::U8) % 8;
            let is_signed = form >= 3;
            let size = 1u32 << (form - if is_signed { 3 } else { 0 }).min(2);
            let unused = 64 - 8 * size;
            let up = raw << unused;
            let number = if is_signed { up as i64 >> unused } else { (up >> unused) as i64 };
            let is_small = tag <= tag::INT_MAX;
            let number = if is_small { i64::from(tag) } else { number };
            self.source.structure.skip(if is_small { 1 } else { 1 + size as usize });
            return if number < 0 { visitor.visit_i64(number) } else { visitor.visit_u64(number as u64) };
        }
        let at = self.at();
        let tag = self.source.structure.u8()?;
        self.other_integer(tag, at, visitor)
    }

    #[cold]
    fn other_integer<V: Visitor<'de>>(&mut self, tag: u8, at: usize, visitor: V) -> Result<V::Value, Error> {
        match self.source.item_of(tag, at)? {
            Item::Single(n) => visit_float_as_integer(f64::from(n), visitor),
            Item::Double(n) => visit_float_as_integer(n, visitor),
            item => self.visit(item, at, visitor),
        }
    }

    #[inline]
    fn float<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value, Error> {
        let at = self.at();
        let s = &mut self.source.structure;
        match s.u8()? {
            tag::F32 => visitor.visit_f32(s.f32()?),
            tag::F64 => visitor.visit_f64(s.f64()?),
            n @ ..=tag::INT_MAX => visitor.visit_u8(n),
            tag => self.other_float(tag, at, visitor),
        }
    }

    #[cold]
    fn other_float<V: Visitor<'de>>(&mut self, tag: u8, at: usize, visitor: V) -> Result<V::Value, Error> {
        match self.source.item_of(tag, at)? {
            Item::BigInt { negative, magnitude } => visit_bigint_as_float(negative, magnitude, visitor),
            item => self.visit(item, at, visitor),
        }
    }

    #[inline]
    fn text<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value, Error> {
        let at = self.at();
        match self.source.structure.u8()? {
            tag @ tag::STRING..tag::ARRAY => {
                visitor.visit_borrowed_str(self.source.text(usize::from(tag - tag::STRING), at)?)
            }
            tag::STRING_LONG => {
                let len = self.source.structure.varint()?;
                visitor.visit_borrowed_str(self.source.text(usize::try_from(len).unwrap_or(usize::MAX), at)?)
            }
            tag => self.any_of(tag, at, visitor),
        }
    }

    /// Whatever begins with `tag`, which stands at `at`, for a visitor that has not got what it asked for.
    #[cold]
    pub(super) fn any_of<V: Visitor<'de>>(&mut self, tag: u8, at: usize, visitor: V) -> Result<V::Value, Error> {
        let item = self.source.item_of(tag, at)?;
        self.visit(item, at, visitor)
    }

    /// Calls the visitor with an item that has been read, whatever it is.
    fn visit<V: Visitor<'de>>(&mut self, item: Item<'de>, at: usize, visitor: V) -> Result<V::Value, Error> {
        match item {
            Item::Null | Item::Undefined => visitor.visit_unit(),
            Item::Bool(flag) => visitor.visit_bool(flag),
            Item::Integer(n) if n < 0 => visitor.visit_i64(n),
            Item::Integer(n) => visitor.visit_u64(n as u64),
            Item::Single(n) => visit_float(f64::from(n), visitor),
            Item::Double(n) => visit_float(n, visitor),
            Item::BigInt { negative, magnitude } => visit_bigint(negative, magnitude, visitor),
            Item::Text(text) => visit_text(text, at, visitor),
            Item::Symbol(_) => {
                Err(Error::new(ErrorKind::WrongType, format!("a Symbol, expected {}", expected(&visitor))))
            }
            Item::Array(n) | Item::Set(n) => self.sequence(n, at, visitor),
            Item::Sparse { length, present } => self.holes(length, present, at, visitor),
            Item::Packed { kind, bytes } => visit_elements(kind, bytes, visitor),
            Item::Object(shape) => self.object(shape, at, visitor),
            Item::Dictionary { len, .. } | Item::Map(len) => self.map(Keys::Written, len, at, visitor),
            Item::Date(ms) if ms.is_nan() => visitor.visit_f64(ms),
            Item::Date(ms) => visitor.visit_i64(ms as i64),
            Item::RegExp { flags, source, .. } => {
                let Some(source) = utf8(source) else { return Err(lone_surrogate(at)) };
                let flags = RegExpFlags::from_bits(flags).ok_or_else(|| Fault::new(ErrorKind::BadRegExp, at))?;
                visitor.visit_string(format!("/{source}/{flags}"))
            }
            Item::Boxed => {
                self.enter(at)?;
                let value = de::Deserializer::deserialize_any(&mut *self, visitor)?;
                self.leave();
                Ok(value)
            }
            Item::Buffer { bytes, .. } => visitor.visit_borrowed_bytes(bytes),
            Item::TypedArray { kind, bytes } => visit_typed_array(kind, bytes, visitor),
            Item::View { kind, buffer, offset, len } => {
                let bytes = self.view(kind, buffer, offset, len, at)?;
                visit_typed_array(kind, bytes, visitor)
            }
            Item::Reference(id) => self.follow(id, at, |de| de::Deserializer::deserialize_any(de, visitor)),
        }
    }

    /// `n` values that follow.
    #[inline]
    fn sequence<V: Visitor<'de>>(&mut self, n: u64, at: usize, visitor: V) -> Result<V::Value, Error> {
        self.enter(at)?;
        let mut sequence = Sequence { de: self, left: n, n };
        let value = visitor.visit_seq(&mut sequence)?;
        let left = sequence.left;
        if left > 0 {
            return Err(too_long(n));
        }
        self.leave();
        Ok(value)
    }

    /// An array with holes, which read as undefined.
    #[cold]
    fn holes<V: Visitor<'de>>(&mut self, length: u32, present: u64, at: usize, visitor: V) -> Result<V::Value, Error> {
        self.source.expand(u64::from(length), at)?;
        self.enter(at)?;
        let value = {
            let mut elements = super::access::Sparse { de: self, next: 0, length, present, gap: None };
            let value = visitor.visit_seq(&mut elements)?;
            if elements.next < length {
                return Err(too_long(u64::from(length)));
            }
            value
        };
        let properties = self.source.structure.varint()?;
        for _ in 0..properties.saturating_mul(2) {
            self.source.skip()?;
        }
        self.leave();
        Ok(value)
    }

    /// `n` entries that follow: with keys of their own, or of a shape.
    pub(super) fn map<V: Visitor<'de>>(
        &mut self,
        keys: Keys,
        n: u64,
        at: usize,
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.enter(at)?;
        let mut entries = Entries { de: self, keys, n, next: 0, key: None };
        let value = visitor.visit_map(&mut entries)?;
        let left = entries.n - entries.next;
        if left > 0 {
            return Err(too_long(n));
        }
        self.leave();
        Ok(value)
    }

    /// An object of a shape, to a visitor that takes what there is.
    fn object<V: Visitor<'de>>(&mut self, shape: u64, at: usize, visitor: V) -> Result<V::Value, Error> {
        let (kind, keys) = self.shape(shape, at)?;
        match kind {
            CUSTOM => self.inner(at, |de| de::Deserializer::deserialize_any(de, visitor)),
            DERIVED => self.derived(keys, at, |de| de::Deserializer::deserialize_any(de, visitor)),
            _ => self.map(Keys::Shape(shape), keys, at, visitor),
        }
    }

    fn shape(&self, shape: u64, at: usize) -> Result<(u8, u64), Error> {
        match self.source.shapes.shape(shape) {
            Some(shape) => Ok((shape.kind, shape.keys_len() as u64)),
            None => Err(Fault::new(ErrorKind::UnknownShape, at).into()),
        }
    }

    /// The one value of a container.
    fn inner<T>(&mut self, at: usize, read: impl FnOnce(&mut Self) -> Result<T, Error>) -> Result<T, Error> {
        self.enter(at)?;
        let value = read(self)?;
        self.leave();
        Ok(value)
    }

    /// The base of a derived instance; its fields are passed over.
    fn derived<T>(
        &mut self,
        fields: u64,
        at: usize,
        read: impl FnOnce(&mut Self) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let value = self.inner(at, read)?;
        for _ in 0..fields {
            self.source.skip()?;
        }
        Ok(value)
    }

    /// An object of a shape, to the visitor of a struct or map.
    #[inline]
    fn record<V: Visitor<'de>>(
        &mut self,
        shape: u64,
        at: usize,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        let Some(entry) = self.source.shapes.shape(shape) else {
            return Err(Fault::new(ErrorKind::UnknownShape, at).into());
        };
        let n = entry.values();
        let found = if entry.seen == (fields.as_ptr().addr(), fields.len()) {
            entry.found
        } else {
            self.compare(shape, fields)
        };
        self.source.claim(n, at)?;
        if !found {
            return self.by_name(shape, at, visitor);
        }
        self.enter(at)?;
        let mut by_position = Fields { de: self, names: fields, next: 0 };
        let value = visitor.visit_seq(&mut by_position)?;
        // Fields with aliases are fewer than their names: then two names of one field are in the message.
        if by_position.next < fields.len() {
            return Err(de::Error::custom("a field stands twice, under two of its names"));
        }
        self.leave();
        Ok(value)
    }

    /// Remembers whether the keys of a shape are the fields of a struct, in the same order.
    #[cold]
    fn compare(&mut self, shape: u64, fields: &'static [&'static str]) -> bool {
        let shapes = &mut self.source.shapes;
        let Some(entry) = shapes.shape(shape) else { return false };
        let found = entry.values() == fields.len() as u64 && shapes.keys_are(entry, fields);
        if let Some(entry) = shapes.shape_mut(shape) {
            entry.seen = (fields.as_ptr().addr(), fields.len());
            entry.found = found;
        }
        found
    }

    /// An object of a shape, of which the visitor looks for names.
    fn by_name<V: Visitor<'de>>(&mut self, shape: u64, at: usize, visitor: V) -> Result<V::Value, Error> {
        let (kind, keys) = self.shape(shape, at)?;
        match kind {
            CUSTOM => self.inner(at, |de| de::Deserializer::deserialize_map(de, visitor)),
            // Without fields of its own, an instance that is a Map or an object is read as that.
            DERIVED if keys == 0 => self.inner(at, |de| de::Deserializer::deserialize_map(de, visitor)),
            DERIVED => {
                self.source.skip()?;
                self.map(Keys::Shape(shape), keys, at, visitor)
            }
            _ => self.map(Keys::Shape(shape), keys, at, visitor),
        }
    }

    /// The shape of the object whose tag, at `at`, is `tag`; `None` where it is none of a shape.
    #[inline]
    fn shape_of(&mut self, tag: u8) -> Result<Option<u64>, Error> {
        match tag {
            tag::OBJECT..tag::NULL => Ok(Some(u64::from(tag - tag::OBJECT))),
            tag::OBJECT_LONG => Ok(Some(self.source.structure.varint()?)),
            _ => Ok(None),
        }
    }

    /// The bytes of an item that is made of bytes.
    pub(super) fn bytes(&mut self, item: Item<'de>, at: usize) -> Result<Option<&'de [u8]>, Error> {
        Ok(match item {
            Item::Buffer { bytes, .. } | Item::TypedArray { bytes, .. } => Some(bytes),
            Item::Packed { kind: ElementKind::Uint8, bytes } => Some(bytes),
            Item::View { kind, buffer, offset, len } => Some(self.view(kind, buffer, offset, len, at)?),
            _ => None,
        })
    }

    /// What a newtype struct with one of our names asks for.
    fn special<V: Visitor<'de>>(&mut self, special: Special, visitor: V) -> Result<V::Value, Error> {
        let at = self.at();
        if special == Special::Message {
            let root = self.root;
            if self.source.refs && self.identities.is_none() {
                self.identities = Some(self.source.identities(root));
            }
            let message = splice::extract(&mut self.source, self.identities.as_deref())?;
            return visitor.visit_byte_buf(message);
        }
        let item = self.source.item()?;
        match (special, item) {
            (_, Item::Reference(id)) => self.follow(id, at, |de| de.special(special, visitor)),
            (_, Item::Boxed) => self.inner(at, |de| de.special(special, visitor)),
            (Special::Date, Item::Date(ms)) => visitor.visit_f64(ms),
            (Special::BigInt, Item::BigInt { negative, magnitude }) => {
                let sign = if negative { num_bigint::Sign::Minus } else { num_bigint::Sign::Plus };
                visitor.visit_byte_buf(num_bigint::BigInt::from_bytes_le(sign, magnitude).to_signed_bytes_le())
            }
            (Special::BigInt, Item::Integer(n)) => visitor.visit_byte_buf(n.to_le_bytes().to_vec()),
            (Special::RegExp, Item::RegExp { flags, source, last_index }) => {
                let Some(source) = utf8(source) else { return Err(lone_surrogate(at)) };
                let flags = RegExpFlags::from_bits(flags).ok_or_else(|| Fault::new(ErrorKind::BadRegExp, at))?;
                let text = format!("{last_index}/{flags}/{source}");
                if RegExpText::parse(&text).is_none() {
                    return Err(Fault::new(ErrorKind::BadRegExp, at).into());
                }
                visitor.visit_string(text)
            }
            (Special::TypedArray(wanted), Item::TypedArray { kind, bytes }) if kind == wanted => {
                visitor.visit_borrowed_bytes(bytes)
            }
            (Special::TypedArray(wanted), Item::Packed { kind, bytes }) if kind == wanted => {
                visitor.visit_borrowed_bytes(bytes)
            }
            (Special::TypedArray(wanted), Item::View { kind, buffer, offset, len }) if kind == wanted => {
                visitor.visit_borrowed_bytes(self.view(kind, buffer, offset, len, at)?)
            }
            (Special::Buffer, Item::Buffer { bytes, .. }) => visitor.visit_borrowed_bytes(bytes),
            // A wrapper that takes other forms too says so in its visitor.
            (Special::Map | Special::Set, item) => self.visit(item, at, visitor),
            (_, item) => self.visit(item, at, visitor),
        }
    }
}

/// A typed array to a visitor that takes what there is: bytes are bytes, other elements a sequence.
fn visit_typed_array<'de, V: Visitor<'de>>(kind: ElementKind, bytes: &'de [u8], visitor: V) -> Result<V::Value, Error> {
    match kind {
        ElementKind::Uint8 | ElementKind::Uint8Clamped | ElementKind::DataView => visitor.visit_borrowed_bytes(bytes),
        _ => visit_elements(kind, bytes, visitor),
    }
}

fn visit_text<'de, V: Visitor<'de>>(text: Text<'de>, at: usize, visitor: V) -> Result<V::Value, Error> {
    match text {
        Text::Utf8(text) => visitor.visit_borrowed_str(text),
        Text::Utf16(_) => match utf8(text) {
            Some(text) => visitor.visit_str(&text),
            None => Err(lone_surrogate(at)),
        },
    }
}

/// The string in UTF-8, unless a surrogate of it is lone.
pub(super) fn utf8(text: Text<'_>) -> Option<std::borrow::Cow<'_, str>> {
    match text {
        Text::Utf8(text) => Some(text.into()),
        Text::Utf16(units) => well_formed(units.chunks_exact(2).map(LittleEndian::read_u16)).map(Into::into),
    }
}

#[cold]
pub(super) fn lone_surrogate(at: usize) -> Error {
    Error::new(ErrorKind::Unrepresentable, "a string with a lone surrogate is no Rust string").at_offset(at)
}

#[cold]
fn too_long(n: u64) -> Error {
    de::Error::invalid_length(usize::try_from(n).unwrap_or(usize::MAX), &"fewer elements")
}

pub(super) fn expected<'v, 'de, V: Visitor<'de>>(visitor: &'v V) -> &'v (dyn de::Expected + 'v) {
    visitor
}

macro_rules! integers {
    ($($method:ident)*) => {
        $(#[inline]
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
            self.integer(visitor)
        })*
    };
}

impl<'de> de::Deserializer<'de> for &mut Deserializer<'de> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let at = self.at();
        let item = self.source.item()?;
        self.visit(item, at, visitor)
    }

    #[inline]
    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let at = self.at();
        match self.source.structure.u8()? {
            tag::FALSE => visitor.visit_bool(false),
            tag::TRUE => visitor.visit_bool(true),
            tag => self.any_of(tag, at, visitor),
        }
    }

    integers! {
        deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64 deserialize_i128
        deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64 deserialize_u128
    }

    #[inline]
    fn deserialize_f32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.float(visitor)
    }

    #[inline]
    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.float(visitor)
    }

    fn deserialize_char<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.text(visitor)
    }

    #[inline]
    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.text(visitor)
    }

    #[inline]
    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.text(visitor)
    }

    #[inline]
    fn deserialize_bytes<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let at = self.at();
        let item = self.source.item()?;
        match item {
            Item::Reference(id) => self.follow(id, at, |de| de.deserialize_bytes(visitor)),
            _ => match self.bytes(item, at)? {
                Some(bytes) => visitor.visit_borrowed_bytes(bytes),
                None => self.visit(item, at, visitor),
            },
        }
    }

    #[inline]
    fn deserialize_byte_buf<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_bytes(visitor)
    }

    #[inline]
    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.source.structure.rest().first() {
            Some(&(tag::NULL | tag::UNDEFINED)) => {
                self.source.structure.u8()?;
                visitor.visit_none()
            }
            _ => visitor.visit_some(self),
        }
    }

    #[inline]
    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_any(visitor)
    }

    #[inline]
    fn deserialize_unit_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_any(visitor)
    }

    #[inline]
    fn deserialize_newtype_struct<V: Visitor<'de>>(self, name: &'static str, visitor: V) -> Result<V::Value, Error> {
        match Special::from_name(name) {
            None => visitor.visit_newtype_struct(self),
            Some(special) => self.special(special, visitor),
        }
    }

    #[inline]
    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let at = self.at();
        let n = match self.source.structure.u8()? {
            tag @ tag::ARRAY..tag::OBJECT => u64::from(tag - tag::ARRAY),
            tag::ARRAY_LONG => self.source.structure.varint()?,
            tag => {
                let item = self.source.item_of(tag, at)?;
                return match item {
                    Item::Reference(id) => self.follow(id, at, |de| de.deserialize_seq(visitor)),
                    Item::TypedArray { kind, bytes } => visit_elements(kind, bytes, visitor),
                    Item::View { kind, buffer, offset, len } => {
                        let bytes = self.view(kind, buffer, offset, len, at)?;
                        visit_elements(kind, bytes, visitor)
                    }
                    Item::Buffer { bytes, .. } => visit_elements(ElementKind::Uint8, bytes, visitor),
                    Item::Object(shape) if self.shape(shape, at)?.0 == DERIVED => {
                        let (_, keys) = self.shape(shape, at)?;
                        self.derived(keys, at, |de| de.deserialize_seq(visitor))
                    }
                    item => self.visit(item, at, visitor),
                };
            }
        };
        self.source.claim(n, at)?;
        self.sequence(n, at, visitor)
    }

    #[inline]
    fn deserialize_tuple<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_seq(visitor)
    }

    #[inline]
    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: usize,
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let at = self.at();
        match self.source.item()? {
            Item::Object(shape) => self.by_name(shape, at, visitor),
            Item::Reference(id) => self.follow(id, at, |de| de.deserialize_map(visitor)),
            item => self.visit(item, at, visitor),
        }
    }

    #[inline]
    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        let at = self.at();
        let tag = self.source.structure.u8()?;
        match self.shape_of(tag)? {
            Some(shape) => self.record(shape, at, fields, visitor),
            None => match self.source.item_of(tag, at)? {
                Item::Reference(id) => self.follow(id, at, |de| de.deserialize_struct("", fields, visitor)),
                item => self.visit(item, at, visitor),
            },
        }
    }

    #[inline]
    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        let at = self.at();
        let item = self.source.item()?;
        match item {
            Item::Text(Text::Utf8(variant)) => visitor.visit_enum(de::value::BorrowedStrDeserializer::new(variant)),
            Item::Text(text) => match utf8(text) {
                Some(variant) => visitor.visit_enum(de::value::CowStrDeserializer::new(variant)),
                None => Err(lone_surrogate(at)),
            },
            Item::Object(shape) if self.source.values_of(shape, at)? == 1 => {
                let (kind, _) = self.shape(shape, at)?;
                if matches!(kind, CUSTOM | DERIVED) {
                    return self.inner(at, |de| de.deserialize_enum(name, variants, visitor));
                }
                self.enter(at)?;
                let value = visitor.visit_enum(Variant { de: self, shape: Some(shape) })?;
                self.leave();
                Ok(value)
            }
            Item::Dictionary { len: 1, .. } | Item::Map(1) => {
                self.enter(at)?;
                let value = visitor.visit_enum(Variant { de: self, shape: None })?;
                self.leave();
                Ok(value)
            }
            Item::Boxed => self.inner(at, |de| de.deserialize_enum(name, variants, visitor)),
            Item::Reference(id) => self.follow(id, at, |de| de.deserialize_enum(name, variants, visitor)),
            Item::Object(_) | Item::Dictionary { .. } | Item::Map(_) => {
                Err(de::Error::invalid_value(Unexpected::Map, &"an object with one key, the variant"))
            }
            item => self.visit(item, at, visitor),
        }
    }

    #[inline]
    fn deserialize_identifier<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.text(visitor)
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.source.skip()?;
        visitor.visit_unit()
    }

    fn is_human_readable(&self) -> bool {
        false
    }
}

/// The name of a key, for a path.
pub(super) fn shown(text: Text<'_>) -> String {
    match text {
        Text::Utf8(text) => text.to_owned(),
        Text::Utf16(units) => JsStr::utf16(units).to_string_lossy().into_owned(),
    }
}

//! Calling a visitor with what stands in the message, and the containers that it may be given.

use serde::de::{self, Visitor};

use super::access::{Entries, Fields, Keys, Sequence, Sparse};
use super::de::Deserializer;
use super::number::{visit_bigint, visit_elements, visit_float};
use super::special::{RegExpText, Special};
use crate::error::{Error, ErrorKind, Fault};
use crate::graph::{JsStr, RegExpFlags, well_formed};
use crate::wire::ElementKind;
use crate::wire::item::{Item, ViewBuffer};
use crate::wire::shape_list::Text;
use crate::wire::shapes::{CUSTOM, DERIVED};
use crate::wire::splice;

use byteorder::{ByteOrder, LittleEndian};

impl<'de> Deserializer<'de> {
    /// Calls the visitor with an item that has been read, whatever it is.
    pub(super) fn visit<V: Visitor<'de>>(&mut self, item: Item<'de>, at: usize, visitor: V) -> Result<V::Value, Error> {
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
            Item::Records(records) => self.records(records, at, visitor),
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
    pub(super) fn sequence<V: Visitor<'de>>(&mut self, n: u64, at: usize, visitor: V) -> Result<V::Value, Error> {
        self.enter(at)?;
        let mut left = n;
        let value = visitor.visit_seq(Sequence { de: &mut *self, left: &mut left, n })?;
        if left > 0 {
            return Err(too_long(n));
        }
        self.leave();
        Ok(value)
    }

    /// An array with holes, which read as undefined.
    #[cold]
    pub(super) fn holes<V: Visitor<'de>>(
        &mut self,
        length: u32,
        present: u64,
        at: usize,
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.source.expand(u64::from(length), at)?;
        self.enter(at)?;
        let value = {
            let mut elements = Sparse { de: self, next: 0, length, present, gap: None };
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
    pub(super) fn object<V: Visitor<'de>>(&mut self, shape: u64, at: usize, visitor: V) -> Result<V::Value, Error> {
        let (kind, keys) = self.shape(shape, at)?;
        match kind {
            CUSTOM => self.inner(at, |de| de::Deserializer::deserialize_any(de, visitor)),
            DERIVED => self.derived(keys, at, |de| de::Deserializer::deserialize_any(de, visitor)),
            _ => self.map(Keys::Shape(shape), keys, at, visitor),
        }
    }

    pub(super) fn shape(&self, shape: u64, at: usize) -> Result<(u8, u64), Error> {
        match self.source.shapes.shape(shape) {
            Some(shape) => Ok((shape.kind, shape.keys_len() as u64)),
            None => Err(Fault::new(ErrorKind::UnknownShape, at).into()),
        }
    }

    /// The one value of a container.
    pub(super) fn inner<T>(&mut self, at: usize, read: impl FnOnce(&mut Self) -> Result<T, Error>) -> Result<T, Error> {
        self.enter(at)?;
        let value = read(self)?;
        self.leave();
        Ok(value)
    }

    /// The base of a derived instance; its fields are passed over.
    pub(super) fn derived<T>(
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

    /// The values of an object whose keys are these fields and whose tag is at `place`, to the visitor of a struct.
    #[inline(always)]
    pub(super) fn fields<V: Visitor<'de>>(
        &mut self,
        fields: &'static [&'static str],
        place: usize,
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.enter(self.source.structure.offset_of(place))?;
        let mut next = 0;
        let value = visitor.visit_seq(Fields { de: &mut *self, names: fields, next: &mut next })?;
        // Fields with aliases are fewer than their names: then two names of one field are in the message.
        if next < fields.len() {
            return Err(twice());
        }
        self.leave();
        Ok(value)
    }

    /// An object of a shape, of which the visitor looks for names.
    pub(super) fn by_name<V: Visitor<'de>>(&mut self, shape: u64, at: usize, visitor: V) -> Result<V::Value, Error> {
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

    /// The bytes of an item that is made of bytes.
    pub(super) fn bytes(&mut self, item: Item<'de>, at: usize) -> Result<Option<&'de [u8]>, Error> {
        Ok(match item {
            Item::Buffer { bytes, .. } | Item::TypedArray { bytes, .. } => Some(bytes),
            Item::Packed { kind: ElementKind::Uint8, bytes } => Some(bytes),
            Item::View { kind, buffer, offset, len } => Some(self.view(kind, buffer, offset, len, at)?),
            _ => None,
        })
    }

    /// The bytes that a view shows.
    pub(super) fn view(
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

    /// What a newtype struct with one of our names asks for.
    pub(super) fn special<V: Visitor<'de>>(&mut self, special: Special, visitor: V) -> Result<V::Value, Error> {
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
fn twice() -> Error {
    Error::new(ErrorKind::DuplicateKey, "a field stands twice, under two of its names")
}

#[cold]
pub(super) fn too_long(n: u64) -> Error {
    de::Error::invalid_length(usize::try_from(n).unwrap_or(usize::MAX), &"fewer elements")
}

pub(super) fn expected<'v, 'de, V: Visitor<'de>>(visitor: &'v V) -> &'v (dyn de::Expected + 'v) {
    visitor
}

/// The name of a key, for a path.
pub(super) fn shown(text: Text<'_>) -> String {
    match text {
        Text::Utf8(text) => text.to_owned(),
        Text::Utf16(units) => JsStr::utf16(units).to_string_lossy().into_owned(),
    }
}

//! The deserializer: a visitor gets what it asks for straight from the sections of a message.

use serde::de::{self, Unexpected, Visitor};

use super::access::Variant;
use super::number::{FORMS, Form, visit_bigint_as_float, visit_elements, visit_float_as_integer};
use super::options::DeserializeOptions;
use super::special::Special;
use super::visit::{lone_surrogate, utf8};
use crate::error::{Error, ErrorKind, Fault};
use crate::wire::item::{Identity, Item, Place, Source};
use crate::wire::shape_list::{ShapeList, Text};
use crate::wire::shapes::{CUSTOM, DERIVED};
use crate::wire::{ElementKind, tag};

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
    pub(super) root: Place,
    /// Where each identity stands: found out at the first reference.
    pub(super) identities: Option<Vec<Identity>>,
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

    /// So many more containers open in one another at `at`.
    pub(super) fn admit_depth(&self, depth: usize, at: usize) -> Result<(), Error> {
        if depth > self.depth { Err(Fault::new(ErrorKind::LimitExceeded, at).into()) } else { Ok(()) }
    }

    #[inline]
    pub(super) fn leave(&mut self) {
        self.depth += 1;
    }

    /// Reads what the reference at `at` refers to, as `read` does, and comes back.
    #[cold]
    pub(super) fn follow<T>(
        &mut self,
        id: u64,
        at: usize,
        read: impl FnOnce(&mut Self) -> Result<T, Error>,
    ) -> Result<T, Error> {
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

    pub(super) fn identity(&mut self, id: u64, at: usize) -> Result<Identity, Error> {
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

    /// An integer; to a visitor that is known to take negative ones if `SIGNED`.
    #[inline]
    fn integer<const SIGNED: bool, V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value, Error> {
        // Which of the forms it is can't be predicted where numbers are of all sizes: all are read alike.
        if let [tag, a, b, c, d, ..] = *self.source.structure.rest() {
            let Form { mask, sign, tag: small, len } = FORMS[usize::from(tag)];
            if len > 0 {
                self.source.structure.skip(usize::from(len));
                let bits = u32::from_le_bytes([a, b, c, d]) & mask;
                let number = i64::from(bits ^ sign) - i64::from(sign) + i64::from(small);
                // What sign a signed number has can't be predicted either.
                let as_signed = SIGNED || number < 0;
                return if as_signed { visitor.visit_i64(number) } else { visitor.visit_u64(number as u64) };
            }
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
        if let [tag::F32, a, b, c, d, ..] = *self.source.structure.rest() {
            self.source.structure.skip(5);
            return visitor.visit_f32(f32::from_le_bytes([a, b, c, d]));
        }
        let at = self.at();
        let s = &mut self.source.structure;
        match s.u8()? {
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
}

macro_rules! integers {
    ($($method:ident $signed:literal)*) => {
        $(#[inline]
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
            self.integer::<$signed, V>(visitor)
        })*
    };
}

impl<'de> de::Deserializer<'de> for &mut Deserializer<'de> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let at = self.at();
        match self.source.structure.u8()? {
            n @ ..=tag::INT_MAX => visitor.visit_u64(u64::from(n)),
            tag @ tag::STRING..tag::ARRAY => {
                visitor.visit_borrowed_str(self.source.text(usize::from(tag - tag::STRING), at)?)
            }
            tag => {
                let item = self.source.item_of(tag, at)?;
                self.visit(item, at, visitor)
            }
        }
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
        deserialize_i8 true deserialize_i16 true deserialize_i32 true deserialize_i64 true deserialize_i128 true
        deserialize_u8 false deserialize_u16 false deserialize_u32 false deserialize_u64 false deserialize_u128 false
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
        const UINT8: u8 = ElementKind::Uint8.code();
        // What the serializer writes, if it is short.
        if let [tag::TYPED_ARRAY, UINT8, n @ ..0x80, ..] = *self.source.structure.rest() {
            self.source.structure.skip(3);
            return visitor.visit_borrowed_bytes(self.source.payload(u64::from(n), 1, 1, at)?);
        }
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
        let tag = self.source.structure.u8()?;
        if let tag::STRING..tag::ARRAY = tag {
            let variant = self.source.text(usize::from(tag - tag::STRING), at)?;
            return visitor.visit_enum(de::value::BorrowedStrDeserializer::new(variant));
        }
        let item = self.source.item_of(tag, at)?;
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

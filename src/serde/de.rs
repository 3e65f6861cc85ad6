//! The deserializer: a visitor gets what it asks for straight from the sections of a message.

use serde::de::{self, Visitor};

use super::access::KnownVariant;
use super::error::surfaced;
use super::number::{FORMS, Form};
use super::options::DeserializeOptions;
use super::special::Special;
use crate::error::{Error, ErrorKind, Fault};
use crate::wire::item::{Identity, Item, Place, Source};
use crate::wire::shape_list::ShapeList;
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
        let mut deserializer = Self::closed(options, Box::default());
        deserializer.open(input)?;
        Ok(deserializer)
    }

    /// A deserializer of the message that `input` begins with. [`end`](Self::end) tells its length.
    ///
    /// # Errors
    ///
    /// Those of [`from_slice`](Self::from_slice), except `trailing-bytes`.
    pub fn from_prefix(input: &'de [u8]) -> Result<Self, Error> {
        let mut deserializer = Self::closed(&DeserializeOptions::new(), Box::default());
        deserializer.open_prefix(input)?;
        Ok(deserializer)
    }

    /// A deserializer of nothing, until it is opened: it is large, and so need not be moved.
    #[inline]
    pub(super) fn closed(options: &DeserializeOptions, shapes: Box<ShapeList>) -> Self {
        let mut source = Source::closed(shapes);
        source.expansion = options.max_expansion;
        let root = source.place();
        Deserializer { source, depth: options.max_depth, len: 0, root, identities: None, following: Vec::new() }
    }

    /// Begins the message that `input` is.
    pub(super) fn open(&mut self, input: &'de [u8]) -> Result<(), Error> {
        self.open_prefix(input)?;
        if self.len == input.len() { Ok(()) } else { Err(Fault::new(ErrorKind::TrailingBytes, self.len).into()) }
    }

    /// Begins the message that `input` begins with.
    fn open_prefix(&mut self, input: &'de [u8]) -> Result<(), Error> {
        self.len = self.source.open(input)?;
        // A part of the message as large as itself may be repeated without asking.
        self.source.expansion = self.source.expansion.saturating_add(16 * self.len as u64);
        self.root = self.source.place();
        Ok(())
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

    /// An error of the value at this place of the structure, if it does not say where it is.
    #[cold]
    pub(super) fn located(&self, error: Error, place: usize) -> Error {
        error.at_offset_or(self.source.structure.offset_of(place))
    }

    /// The error with which reading ended.
    #[cold]
    pub(super) fn surfaced(&self, error: Error) -> Error {
        surfaced(error.at_offset_or(self.at()))
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
        let Some(&[tag, a, b, c, d]) = self.source.structure.ahead() else { return apart(self.other_integer(visitor)) };
        let Form { mask, sign, tag: small, len } = FORMS[usize::from(tag)];
        let bits = u32::from_le_bytes([a, b, c, d]) & mask;
        let number = i64::from(bits ^ sign) - i64::from(sign) + i64::from(small);
        // What sign a signed number has can't be predicted either.
        if len == 0 || !SIGNED && number < 0 {
            return apart(self.other_integer(visitor));
        }
        self.source.structure.skip(usize::from(len));
        if SIGNED { visitor.visit_i64(number) } else { visitor.visit_u64(number as u64) }
    }

    #[inline]
    fn float<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value, Error> {
        if let Some(&[tag::F32, a, b, c, d]) = self.source.structure.ahead() {
            self.source.structure.skip(5);
            return visitor.visit_f32(f32::from_le_bytes([a, b, c, d]));
        }
        apart(self.other_float(visitor))
    }

    #[inline]
    fn text<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value, Error> {
        if let Some(tag @ tag::STRING..tag::ARRAY) = self.source.structure.peek()
            && let Some(text) = self.source.short_text(usize::from(tag - tag::STRING))
        {
            self.source.structure.skip(1);
            return visitor.visit_borrowed_str(text);
        }
        apart(self.other(visitor))
    }
}

/// What a function that is not inlined has returned. Taken apart here, so that what is returned beside it need not lie in
/// memory as well.
#[inline(always)]
#[expect(clippy::needless_match, reason = "what a compiler is to do is written out")]
fn apart<T>(result: Result<T, Error>) -> Result<T, Error> {
    match result {
        Ok(value) => Ok(value),
        Err(error) => Err(error),
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
        match self.source.structure.peek() {
            Some(tag::STRING..tag::ARRAY) => self.text(visitor),
            Some(..=tag::INT_MAX | tag::U8..=tag::I32) => self.integer::<false, V>(visitor),
            Some(tag::FALSE | tag::TRUE) => self.deserialize_bool(visitor),
            _ => apart(self.other(visitor)),
        }
    }

    #[inline]
    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        if let Some(tag @ (tag::FALSE | tag::TRUE)) = self.source.structure.peek() {
            self.source.structure.skip(1);
            return visitor.visit_bool(tag == tag::TRUE);
        }
        apart(self.other(visitor))
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
        if let Some(&[tag::F64, a, b, c, d, e, f, g, h]) = self.source.structure.ahead() {
            self.source.structure.skip(9);
            return visitor.visit_f64(f64::from_le_bytes([a, b, c, d, e, f, g, h]));
        }
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
        const UINT8: u8 = ElementKind::Uint8.code();
        // What the serializer writes, if it is short.
        if let Some(&[tag::TYPED_ARRAY, UINT8, n @ ..0x80]) = self.source.structure.ahead()
            && let Some(bytes) = self.source.bytes(usize::from(n))
        {
            self.source.structure.skip(3);
            return visitor.visit_borrowed_bytes(bytes);
        }
        apart(self.other_bytes(visitor))
    }

    #[inline]
    fn deserialize_byte_buf<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_bytes(visitor)
    }

    #[inline]
    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.source.structure.peek() {
            Some(tag::NULL | tag::UNDEFINED) => {
                self.source.structure.skip(1);
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
        match self.source.structure.peek() {
            Some(tag @ tag::ARRAY..tag::OBJECT) => {
                self.source.structure.skip(1);
                let n = u64::from(tag - tag::ARRAY);
                self.source.claim(n, at)?;
                self.sequence(n, at, visitor)
            }
            _ => apart(self.other_sequence(visitor)),
        }
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

    #[inline(always)]
    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        let place = self.source.structure.place();
        let is_known = match self.source.structure.peek() {
            Some(tag @ tag::OBJECT..tag::NULL) => {
                let is_known = self.source.shapes.keys_are(u64::from(tag - tag::OBJECT), fields);
                self.source.structure.skip(usize::from(is_known));
                is_known
            }
            _ => self.long_object(fields),
        };
        // The visitor is called from here alone, so that it is compiled into this function.
        if is_known { self.fields(fields, place, visitor) } else { apart(self.other_struct(visitor)) }
    }

    #[inline]
    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        match self.source.structure.peek() {
            Some(tag @ tag::STRING..tag::ARRAY) => {
                if let Some(variant) = self.source.short_text(usize::from(tag - tag::STRING)) {
                    self.source.structure.skip(1);
                    return visitor.visit_enum(de::value::BorrowedStrDeserializer::new(variant));
                }
            }
            Some(tag @ tag::OBJECT..tag::NULL) => {
                if let Some(name) = self.source.shapes.one_key(u64::from(tag - tag::OBJECT), variants) {
                    self.enter(self.at())?;
                    self.source.structure.skip(1);
                    let value = visitor.visit_enum(KnownVariant { de: &mut *self, name });
                    self.leave();
                    return value;
                }
            }
            _ => {}
        }
        apart(self.other_enum(variants, visitor))
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

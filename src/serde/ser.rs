//! The serializer: values go straight to the sections of a message.

use std::fmt::Display;
use std::io::Write as _;

use serde::ser::{self, Serialize};

use super::compound::{LastKey, MapSerializer, SeqSerializer};
use super::fields::Fields;
use super::options::SerializeOptions;
use super::pack;
use super::records::Sketch;
use super::settle::is_one_value;
use super::special::{self, Special};
use super::structs::StructSerializer;
use crate::error::{Error, ErrorKind};
use crate::wire::message::{Mark, Message};
use crate::wire::{structure, tag, varint};

/// Writes one value as a message. [`to_vec`](super::to_vec) and [`to_writer`](super::to_writer) use it.
///
/// A serializer that is used again keeps its memory and what it has learned of the types.
///
/// # Examples
///
/// ```
/// use marshal::Serializer;
/// use serde::Serialize;
///
/// let mut serializer = Serializer::new();
/// let mut out = Vec::new();
/// for n in 0..3 {
///     serializer.start();
///     [n, n + 1].serialize(&mut serializer)?;
///     serializer.finish_into(&mut out)?;
/// }
/// assert_eq!(out.len(), 3 * 8);
/// # Ok::<(), marshal::Error>(())
/// ```
pub struct Serializer {
    pub(super) message: Message,
    pub(super) fields: Fields,
    pub(super) depth: usize,
    pub(super) options: SerializeOptions,
    /// Where the entries begin of the Sets that are open.
    pub(super) sets: Vec<Mark>,
    /// Of the first element of the last sequence that was looked at.
    pub(super) sketch: Box<Sketch>,
}

impl Default for Serializer {
    fn default() -> Self {
        Self::with_options(SerializeOptions::default())
    }
}

impl Serializer {
    /// A serializer with the default options.
    pub fn new() -> Self {
        Self::default()
    }

    /// A serializer with other options.
    pub fn with_options(options: SerializeOptions) -> Self {
        let (message, fields, sketch) = Default::default();
        let mut serializer = Serializer { message, fields, depth: 0, options, sets: Vec::new(), sketch };
        serializer.start();
        serializer
    }

    /// Begins another message; the first has begun.
    pub fn start(&mut self) {
        self.depth = 0;
        let is_forgotten = self.message.start();
        self.fields.start(is_forgotten);
        self.sets.clear();
    }

    /// Appends the message to `out`.
    ///
    /// # Errors
    ///
    /// `rejected` where no value or more than one has been serialized.
    pub fn finish_into(&self, out: &mut Vec<u8>) -> Result<(), Error> {
        self.check_complete()?;
        if !is_one_value(&self.message) {
            return Err(Error::new(ErrorKind::Rejected, "a message is one value, and this is more"));
        }
        self.message.append_to(out);
        Ok(())
    }

    pub(super) fn check_complete(&self) -> Result<(), Error> {
        match self.message.structure.first() {
            Some(_) if self.depth == 0 => Ok(()),
            _ => Err(Error::new(ErrorKind::Rejected, "a message is one value, and none is complete")),
        }
    }

    /// Bytes that the sections have room for.
    pub(super) fn kept(&self) -> usize {
        self.message.structure.capacity() + self.message.text.capacity() + self.message.data.capacity()
    }

    pub(super) fn out(&mut self) -> &mut Vec<u8> {
        &mut self.message.structure
    }

    /// A container begins.
    #[inline]
    pub(super) fn enter(&mut self) -> Result<(), Error> {
        self.depth += 1;
        self.message.identities += 1;
        if self.depth > self.options.max_depth { Err(self.too_deep()) } else { Ok(()) }
    }

    /// Whether so many more containers may stand in one another.
    pub(super) fn has_depth(&self, more: usize) -> bool {
        self.depth.saturating_add(more) <= self.options.max_depth
    }

    /// A container is complete.
    #[inline]
    pub(super) fn leave(&mut self) {
        self.depth -= 1;
    }

    #[cold]
    fn too_deep(&self) -> Error {
        Error::new(ErrorKind::LimitExceeded, format!("more than {} values in one another", self.options.max_depth))
    }

    #[inline]
    fn unsigned(&mut self, n: u64) {
        match u32::try_from(n) {
            Ok(n) => structure::unsigned(self.out(), n),
            Err(_) => self.wide(i128::from(n)),
        }
    }

    #[inline]
    fn signed(&mut self, n: i64) {
        match i32::try_from(n) {
            Ok(n) => structure::integer(self.out(), n),
            Err(_) => self.wide(i128::from(n)),
        }
    }

    /// An integer that is no `i32`: a number while JavaScript's numbers hold all integers of this size, then a BigInt.
    #[cold]
    fn wide(&mut self, n: i128) {
        if n.unsigned_abs() <= MAX_EXACT {
            structure::number(self.out(), n as f64);
        } else {
            self.bigint(n < 0, n.unsigned_abs());
        }
    }

    fn bigint(&mut self, negative: bool, magnitude: u128) {
        let bytes = magnitude.to_le_bytes();
        let len = 16 - magnitude.leading_zeros() as usize / 8;
        structure::bigint(self.out(), negative, &bytes[..len]);
    }

    #[inline]
    pub(super) fn sequence(&mut self, len: Option<usize>) -> Result<SeqSerializer<'_>, Error> {
        let at = self.open_array(len)?;
        Ok(SeqSerializer { ser: self, at, declared: len, n: 0, is_set: false })
    }

    /// An array is open: where its header is.
    #[inline]
    pub(super) fn open_array(&mut self, len: Option<usize>) -> Result<usize, Error> {
        self.enter()?;
        let at = self.message.structure.len();
        match len {
            Some(len) => structure::array(self.out(), len),
            None => self.out().extend_from_slice(&[tag::ARRAY_LONG, 0]),
        }
        Ok(at)
    }

    /// An array of `n` values is complete whose header at `at` says `len`.
    #[inline]
    pub(super) fn close_array(&mut self, at: usize, len: Option<usize>, n: usize) {
        self.leave();
        if len != Some(n) {
            self.correct_array(at, len, n);
        }
    }

    #[cold]
    fn correct_array(&mut self, at: usize, len: Option<usize>, n: usize) {
        let mut right = Vec::new();
        structure::array(&mut right, n);
        self.message.structure.splice(at..at + array_header(len), right);
    }

    #[cold]
    pub(super) fn set(&mut self, len: Option<usize>) -> Result<SeqSerializer<'_>, Error> {
        self.enter()?;
        let at = self.message.structure.len();
        structure::tagged(self.out(), tag::SET, len.unwrap_or(0) as u64);
        self.sets.push(self.message.mark());
        Ok(SeqSerializer { ser: self, at, declared: len, n: 0, is_set: true })
    }

    pub(super) fn map(&mut self, len: Option<usize>, as_map: bool) -> Result<MapSerializer<'_>, Error> {
        self.enter()?;
        let at = self.message.structure.len();
        structure::tagged(self.out(), tag::DICTIONARY, len.unwrap_or(0) as u64);
        let mark = self.message.mark();
        Ok(MapSerializer {
            ser: self,
            at,
            mark,
            declared: len.unwrap_or(0),
            n: 0,
            as_map,
            key: mark,
            last: LastKey::None,
            ascending: true,
            in_order: true,
        })
    }
}

/// Bytes of an array's header, as [`Serializer::open_array`] writes it.
pub(super) fn array_header(len: Option<usize>) -> usize {
    match len {
        Some(len) if len as u64 <= tag::ARRAY_MAX => 1,
        len => 1 + varint::len(len.unwrap_or(0) as u64),
    }
}

/// Integers of this magnitude and below are numbers, exactly.
const MAX_EXACT: u128 = 1 << 53;

impl<'s> ser::Serializer for &'s mut Serializer {
    type Ok = ();
    type Error = Error;
    type SerializeSeq = SeqSerializer<'s>;
    type SerializeTuple = SeqSerializer<'s>;
    type SerializeTupleStruct = SeqSerializer<'s>;
    type SerializeTupleVariant = SeqSerializer<'s>;
    type SerializeMap = MapSerializer<'s>;
    type SerializeStruct = StructSerializer<'s>;
    type SerializeStructVariant = StructSerializer<'s>;

    #[inline]
    fn serialize_bool(self, v: bool) -> Result<(), Error> {
        structure::bare(self.out(), if v { tag::TRUE } else { tag::FALSE });
        Ok(())
    }

    #[inline]
    fn serialize_i8(self, v: i8) -> Result<(), Error> {
        structure::short(self.out(), structure::short_signed_byte(v));
        Ok(())
    }

    #[inline]
    fn serialize_i16(self, v: i16) -> Result<(), Error> {
        structure::integer(self.out(), i32::from(v));
        Ok(())
    }

    #[inline]
    fn serialize_i32(self, v: i32) -> Result<(), Error> {
        structure::integer(self.out(), v);
        Ok(())
    }

    #[inline]
    fn serialize_i64(self, v: i64) -> Result<(), Error> {
        self.signed(v);
        Ok(())
    }

    fn serialize_i128(self, v: i128) -> Result<(), Error> {
        match i64::try_from(v) {
            Ok(v) => self.signed(v),
            Err(_) => self.bigint(v < 0, v.unsigned_abs()),
        }
        Ok(())
    }

    #[inline]
    fn serialize_u8(self, v: u8) -> Result<(), Error> {
        structure::short(self.out(), structure::short_byte(v));
        Ok(())
    }

    #[inline]
    fn serialize_u16(self, v: u16) -> Result<(), Error> {
        structure::unsigned(self.out(), u32::from(v));
        Ok(())
    }

    #[inline]
    fn serialize_u32(self, v: u32) -> Result<(), Error> {
        structure::unsigned(self.out(), v);
        Ok(())
    }

    #[inline]
    fn serialize_u64(self, v: u64) -> Result<(), Error> {
        self.unsigned(v);
        Ok(())
    }

    fn serialize_u128(self, v: u128) -> Result<(), Error> {
        match u64::try_from(v) {
            Ok(v) => self.unsigned(v),
            Err(_) => self.bigint(false, v),
        }
        Ok(())
    }

    #[inline]
    fn serialize_f32(self, v: f32) -> Result<(), Error> {
        structure::single(self.out(), v);
        Ok(())
    }

    #[inline]
    fn serialize_f64(self, v: f64) -> Result<(), Error> {
        structure::float(self.out(), v);
        Ok(())
    }

    fn serialize_char(self, v: char) -> Result<(), Error> {
        self.serialize_str(v.encode_utf8(&mut [0; 4]))
    }

    #[inline]
    fn serialize_str(self, v: &str) -> Result<(), Error> {
        self.message.string(v);
        Ok(())
    }

    #[inline]
    fn serialize_bytes(self, v: &[u8]) -> Result<(), Error> {
        self.message.bytes(v);
        Ok(())
    }

    #[inline]
    fn serialize_none(self) -> Result<(), Error> {
        structure::bare(self.out(), tag::NULL);
        Ok(())
    }

    #[inline]
    fn serialize_some<T: ?Sized + Serialize>(self, value: &T) -> Result<(), Error> {
        value.serialize(self)
    }

    #[inline]
    fn serialize_unit(self) -> Result<(), Error> {
        self.serialize_none()
    }

    fn serialize_unit_struct(self, name: &'static str) -> Result<(), Error> {
        self.out().push(if name == special::UNDEFINED { tag::UNDEFINED } else { tag::NULL });
        Ok(())
    }

    #[inline]
    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Result<(), Error> {
        self.serialize_str(variant)
    }

    #[inline]
    fn serialize_newtype_struct<T: ?Sized + Serialize>(self, name: &'static str, value: &T) -> Result<(), Error> {
        match Special::from_name(name) {
            None => value.serialize(self),
            Some(special) => value.serialize(special::SpecialSerializer { ser: self, special }),
        }
    }

    #[inline]
    fn serialize_newtype_variant<T: ?Sized + Serialize>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<(), Error> {
        self.variant(variant)?;
        value.serialize(&mut *self).map_err(|error| error.within_name(variant))?;
        self.depth -= 1;
        Ok(())
    }

    #[inline]
    fn serialize_seq(self, len: Option<usize>) -> Result<Self::SerializeSeq, Error> {
        self.sequence(len)
    }

    #[inline]
    fn serialize_tuple(self, len: usize) -> Result<Self::SerializeTuple, Error> {
        self.sequence(Some(len))
    }

    #[inline]
    fn serialize_tuple_struct(self, _: &'static str, len: usize) -> Result<Self::SerializeTupleStruct, Error> {
        self.sequence(Some(len))
    }

    #[inline]
    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        len: usize,
    ) -> Result<Self::SerializeTupleVariant, Error> {
        self.tuple_variant(variant, len)
    }

    #[inline]
    fn serialize_map(self, len: Option<usize>) -> Result<Self::SerializeMap, Error> {
        self.map(len, false)
    }

    #[inline]
    fn serialize_struct(self, name: &'static str, _: usize) -> Result<Self::SerializeStruct, Error> {
        self.object(name)
    }

    #[inline]
    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Self::SerializeStructVariant, Error> {
        self.struct_variant(variant)
    }

    #[inline]
    fn collect_seq<I>(self, items: I) -> Result<(), Error>
    where
        I: IntoIterator<Item: Serialize>,
    {
        pack::collect(self, items.into_iter())
    }

    fn collect_str<T: ?Sized + Display>(self, value: &T) -> Result<(), Error> {
        let start = self.message.text.len();
        let written = write!(self.message.text, "{value}");
        written.map_err(|_| Error::new(ErrorKind::Rejected, "a Display implementation failed"))?;
        let len = self.message.text.len() - start;
        structure::string(self.out(), len);
        Ok(())
    }

    fn is_human_readable(&self) -> bool {
        false
    }
}

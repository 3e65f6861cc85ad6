//! The serializer: values go straight to the sections of a message.

use std::fmt::{Display, Write as _};
use std::marker::PhantomData;

use serde::ser::{self, Serialize};

use super::fields::Fields;
use super::options::SerializeOptions;
use super::pack;
use super::settle::{reorder, set_count, settle_distinct, settle_object};
use super::special::{self, Special};
use crate::error::{Error, ErrorKind, Step};
use crate::graph::JsStr;
use crate::wire::message::{Mark, Message};
use crate::wire::shapes::{self, ShapeId};
use crate::wire::{ElementKind, structure, tag, varint};

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
#[derive(Default)]
pub struct Serializer {
    pub(super) message: Message,
    fields: Fields,
    depth: usize,
    pub(super) options: SerializeOptions,
    /// A shape that variants are written with, by the address of their name.
    variants: Vec<ShapeId>,
}

impl Serializer {
    /// A serializer with the default options.
    pub fn new() -> Self {
        Self::default()
    }

    /// A serializer with other options.
    pub fn with_options(options: SerializeOptions) -> Self {
        Serializer { options, ..Self::default() }
    }

    /// Begins another message.
    pub fn start(&mut self) {
        self.depth = 0;
        if self.message.start() {
            self.fields.clear();
            self.variants.clear();
        }
    }

    /// Appends the message to `out`.
    ///
    /// # Errors
    ///
    /// `rejected` where no value or more than one has been serialized.
    pub fn finish_into(&self, out: &mut Vec<u8>) -> Result<(), Error> {
        self.check_complete()?;
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
    fn enter(&mut self) -> Result<(), Error> {
        self.depth += 1;
        self.message.identities += 1;
        if self.depth > self.options.max_depth { Err(self.too_deep()) } else { Ok(()) }
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

    /// The object `{variant: …}`, of which the value follows.
    fn variant(&mut self, variant: &'static str) -> Result<(), Error> {
        self.enter()?;
        let variants = &mut self.variants;
        // A struct of the same name is another thing; no string is as long as a length with this bit.
        let role = variant.len() | 1 << (usize::BITS - 1);
        let index = self.message.shapes.remembered(variant.as_ptr().addr(), role, |table| {
            let mut content = vec![shapes::PLAIN, 1];
            shapes::utf8(&mut content, variant);
            variants.push(table.id(&content));
            variants.len() as u32 - 1
        });
        let number = self.message.shapes.number(self.variants[index as usize]);
        structure::object(self.out(), number);
        Ok(())
    }

    #[inline]
    pub(super) fn sequence<O>(&mut self, len: Option<usize>, as_set: bool) -> Result<SeqSerializer<'_, O>, Error> {
        self.enter()?;
        let at = self.message.structure.len();
        match len {
            Some(len) if as_set => structure::tagged(self.out(), tag::SET, len as u64),
            Some(len) => structure::array(self.out(), len),
            None => {
                let tag = if as_set { tag::SET } else { tag::ARRAY_LONG };
                structure::tagged(self.out(), tag, 0);
            }
        }
        let (mark, declared) = (self.message.mark(), len);
        Ok(SeqSerializer { ser: self, at, mark, declared, n: 0, as_set, outcome: PhantomData })
    }

    pub(super) fn tuple_variant<O>(
        &mut self,
        variant: &'static str,
        len: usize,
    ) -> Result<SeqSerializer<'_, O>, Error> {
        self.variant(variant)?;
        // The array closes for both.
        self.depth -= 1;
        self.sequence(Some(len), false)
    }

    pub(super) fn struct_variant<O>(&mut self, variant: &'static str) -> Result<StructSerializer<'_, O>, Error> {
        self.variant(variant)?;
        // The inner object closes for both.
        self.depth -= 1;
        self.object(variant)
    }

    #[inline]
    pub(super) fn object<O>(&mut self, name: &'static str) -> Result<StructSerializer<'_, O>, Error> {
        self.enter()?;
        let start = self.fields.start(&mut self.message.shapes, name);
        let at = self.message.structure.len();
        self.message.structure.push(tag::OBJECT);
        let (text, data) = (self.message.text.len(), self.message.data.len());
        Ok(StructSerializer { ser: self, at, text, data, node: start, outcome: PhantomData })
    }

    pub(super) fn map<O>(&mut self, len: Option<usize>, as_map: bool) -> Result<MapSerializer<'_, O>, Error> {
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
            outcome: PhantomData,
        })
    }
}

/// Integers of this magnitude and below are numbers, exactly.
const MAX_EXACT: u128 = 1 << 53;

impl<'s> ser::Serializer for &'s mut Serializer {
    type Ok = ();
    type Error = Error;
    type SerializeSeq = SeqSerializer<'s, ()>;
    type SerializeTuple = SeqSerializer<'s, ()>;
    type SerializeTupleStruct = SeqSerializer<'s, ()>;
    type SerializeTupleVariant = SeqSerializer<'s, ()>;
    type SerializeMap = MapSerializer<'s, ()>;
    type SerializeStruct = StructSerializer<'s, ()>;
    type SerializeStructVariant = StructSerializer<'s, ()>;

    #[inline]
    fn serialize_bool(self, v: bool) -> Result<(), Error> {
        self.out().push(if v { tag::TRUE } else { tag::FALSE });
        Ok(())
    }

    #[inline]
    fn serialize_i8(self, v: i8) -> Result<(), Error> {
        structure::integer(self.out(), i32::from(v));
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
        structure::unsigned(self.out(), u32::from(v));
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
        self.typed_array(ElementKind::Uint8, v);
        Ok(())
    }

    #[inline]
    fn serialize_none(self) -> Result<(), Error> {
        self.out().push(tag::NULL);
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
        self.sequence(len, false)
    }

    #[inline]
    fn serialize_tuple(self, len: usize) -> Result<Self::SerializeTuple, Error> {
        self.sequence(Some(len), false)
    }

    #[inline]
    fn serialize_tuple_struct(self, _: &'static str, len: usize) -> Result<Self::SerializeTupleStruct, Error> {
        self.sequence(Some(len), false)
    }

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

/// Writes the elements of an array or Set.
pub struct SeqSerializer<'s, O> {
    ser: &'s mut Serializer,
    at: usize,
    mark: Mark,
    declared: Option<usize>,
    n: usize,
    as_set: bool,
    outcome: PhantomData<O>,
}

impl<O: Default> SeqSerializer<'_, O> {
    #[inline]
    fn element<T: ?Sized + Serialize>(&mut self, value: &T) -> Result<(), Error> {
        let n = self.n;
        self.n += 1;
        value.serialize(&mut *self.ser).map_err(|error| error.within_index(n))
    }

    #[inline]
    fn close(self) -> Result<O, Error> {
        self.ser.depth -= 1;
        if self.declared != Some(self.n) {
            let mut header = Vec::new();
            match self.as_set {
                true => structure::tagged(&mut header, tag::SET, self.n as u64),
                false => structure::array(&mut header, self.n),
            }
            self.ser.message.structure.splice(self.at..self.mark.structure, header);
        }
        if self.as_set {
            // A header of another length has moved the entries.
            let count = 1 + varint::len(self.n as u64);
            let mark = Mark { structure: self.at + count, ..self.mark };
            settle_distinct(&self.ser.message, mark, 1, self.n)?;
        }
        Ok(O::default())
    }
}

impl<O: Default> ser::SerializeSeq for SeqSerializer<'_, O> {
    type Ok = O;
    type Error = Error;

    #[inline]
    fn serialize_element<T: ?Sized + Serialize>(&mut self, value: &T) -> Result<(), Error> {
        self.element(value)
    }

    #[inline]
    fn end(self) -> Result<O, Error> {
        self.close()
    }
}

impl<O: Default> ser::SerializeTuple for SeqSerializer<'_, O> {
    type Ok = O;
    type Error = Error;

    #[inline]
    fn serialize_element<T: ?Sized + Serialize>(&mut self, value: &T) -> Result<(), Error> {
        self.element(value)
    }

    #[inline]
    fn end(self) -> Result<O, Error> {
        self.close()
    }
}

impl<O: Default> ser::SerializeTupleStruct for SeqSerializer<'_, O> {
    type Ok = O;
    type Error = Error;

    #[inline]
    fn serialize_field<T: ?Sized + Serialize>(&mut self, value: &T) -> Result<(), Error> {
        self.element(value)
    }

    #[inline]
    fn end(self) -> Result<O, Error> {
        self.close()
    }
}

impl<O: Default> ser::SerializeTupleVariant for SeqSerializer<'_, O> {
    type Ok = O;
    type Error = Error;

    #[inline]
    fn serialize_field<T: ?Sized + Serialize>(&mut self, value: &T) -> Result<(), Error> {
        self.element(value)
    }

    #[inline]
    fn end(self) -> Result<O, Error> {
        self.close()
    }
}

/// Writes the fields of a struct.
pub struct StructSerializer<'s, O> {
    ser: &'s mut Serializer,
    /// Where the tag stands.
    at: usize,
    text: usize,
    data: usize,
    /// The last field.
    node: u32,
    outcome: PhantomData<O>,
}

impl<O: Default> StructSerializer<'_, O> {
    #[inline]
    fn field<T: ?Sized + Serialize>(&mut self, key: &'static str, value: &T) -> Result<(), Error> {
        self.node = self.ser.fields.next(self.node, key);
        value.serialize(&mut *self.ser).map_err(|error| error.within_name(key))
    }

    #[inline]
    fn close(mut self) -> Result<O, Error> {
        self.ser.depth -= 1;
        let Serializer { message, fields, .. } = &mut *self.ser;
        match fields.known_tag(message.shapes.message(), self.node) {
            Some(tag) => message.structure[self.at] = tag,
            None => self.close_first()?,
        }
        Ok(O::default())
    }

    /// The first object of its shape in the message, or one whose tag has to be longer or its fields to be moved.
    #[inline(never)]
    fn close_first(&mut self) -> Result<(), Error> {
        let Serializer { message, fields, .. } = &mut *self.ser;
        let shape = fields.shape(&mut message.shapes, self.node)?;
        let number = message.shapes.number(shape);
        let order = fields.order(self.node);
        if let Some(order) = order {
            let mark = Mark { structure: self.at + 1, text: self.text, data: self.data, identities: 0 };
            reorder(message, mark, 1, order)?;
        }
        match u8::try_from(number) {
            Ok(number) if u64::from(number) <= tag::OBJECT_MAX => {
                let tag = tag::OBJECT + number;
                message.structure[self.at] = tag;
                if order.is_none() {
                    fields.remember_tag(message.shapes.message(), self.node, tag);
                }
            }
            _ => {
                let mut header = Vec::new();
                structure::object(&mut header, number);
                message.structure.splice(self.at..self.at + 1, header);
            }
        }
        Ok(())
    }
}

impl<O: Default> ser::SerializeStruct for StructSerializer<'_, O> {
    type Ok = O;
    type Error = Error;

    #[inline]
    fn serialize_field<T: ?Sized + Serialize>(&mut self, key: &'static str, value: &T) -> Result<(), Error> {
        self.field(key, value)
    }

    #[inline]
    fn end(self) -> Result<O, Error> {
        self.close()
    }
}

impl<O: Default> ser::SerializeStructVariant for StructSerializer<'_, O> {
    type Ok = O;
    type Error = Error;

    #[inline]
    fn serialize_field<T: ?Sized + Serialize>(&mut self, key: &'static str, value: &T) -> Result<(), Error> {
        self.field(key, value)
    }

    #[inline]
    fn end(self) -> Result<O, Error> {
        self.close()
    }
}

/// Writes the entries of a map: an object where all keys are strings, else a Map.
pub struct MapSerializer<'s, O> {
    ser: &'s mut Serializer,
    at: usize,
    mark: Mark,
    declared: usize,
    n: usize,
    as_map: bool,
    /// Where the key begins that has been written last.
    key: Mark,
    last: LastKey,
    /// Each key so far is greater than the one before it, so none stands twice.
    ascending: bool,
    /// The keys so far are in the order of an object's.
    in_order: bool,
    outcome: PhantomData<O>,
}

/// The last key, for comparison with the next.
enum LastKey {
    None,
    /// Its place in the text, and whether it is an array index.
    Text {
        from: usize,
        to: usize,
        index: Option<u32>,
    },
    Number(i64),
    Other,
}

impl<O> MapSerializer<'_, O> {
    fn look_at_key(&mut self) {
        let Message { structure, text, .. } = &mut self.ser.message;
        let key = &structure[self.key.structure..];
        let now = match *key {
            [tag::STRING..tag::ARRAY | tag::STRING_LONG, ..] => {
                let (from, to) = (self.key.text, text.len());
                let now = &text[from..to];
                let is_digit = now.as_bytes().first().is_some_and(u8::is_ascii_digit);
                let index = if is_digit { JsStr::utf8(now).array_index() } else { None };
                match self.last {
                    LastKey::None => {}
                    LastKey::Text { from, to, index: before } => {
                        self.ascending &= text[from..to] < *now;
                        self.in_order &= match (before, index) {
                            (Some(before), Some(index)) => before < index,
                            (None, Some(_)) => false,
                            _ => true,
                        };
                    }
                    _ => self.ascending = false,
                }
                LastKey::Text { from, to, index }
            }
            [n @ ..=tag::INT_MAX] => LastKey::Number(i64::from(n)),
            [tag::U8, n] => LastKey::Number(i64::from(n)),
            [tag::U16, a, b] => LastKey::Number(i64::from(u16::from_le_bytes([a, b]))),
            [tag::U32, a, b, c, d] => LastKey::Number(i64::from(u32::from_le_bytes([a, b, c, d]))),
            [tag::F32, 0, 0, 0, 0x80] => {
                // JavaScript has no key -0.
                structure.truncate(self.key.structure);
                structure.push(0);
                LastKey::Number(0)
            }
            _ => LastKey::Other,
        };
        match now {
            LastKey::Text { .. } => {}
            LastKey::Number(n) => {
                self.as_map = true;
                self.ascending &= match self.last {
                    LastKey::None => true,
                    LastKey::Number(before) => before < n,
                    _ => false,
                };
            }
            _ => {
                self.as_map = true;
                self.ascending = false;
            }
        }
        self.last = now;
    }
}

impl<O: Default> ser::SerializeMap for MapSerializer<'_, O> {
    type Ok = O;
    type Error = Error;

    #[inline]
    fn serialize_key<T: ?Sized + Serialize>(&mut self, key: &T) -> Result<(), Error> {
        self.key = self.ser.message.mark();
        let result = key.serialize(&mut *self.ser);
        result.map_err(|error| error.within(Step::Entry("key", self.n as u32)))?;
        self.look_at_key();
        Ok(())
    }

    #[inline]
    fn serialize_value<T: ?Sized + Serialize>(&mut self, value: &T) -> Result<(), Error> {
        let n = self.n;
        self.n += 1;
        value.serialize(&mut *self.ser).map_err(|error| {
            error.within(match self.last {
                LastKey::Text { from, to, .. } => Step::Name(self.ser.message.text[from..to].to_owned()),
                _ => Step::Entry("value", n as u32),
            })
        })
    }

    fn end(self) -> Result<O, Error> {
        let message = &mut self.ser.message;
        self.ser.depth -= 1;
        if self.as_map {
            message.structure[self.at] = tag::MAP;
        }
        let count = self.mark.structure - self.at - 1;
        if self.declared != self.n {
            set_count(&mut message.structure, self.at + 1, count, self.n as u64);
        }
        let mark = Mark { structure: self.at + 1 + varint::len(self.n as u64), ..self.mark };
        if self.as_map && !self.ascending {
            settle_distinct(message, mark, 2, self.n)?;
        } else if !self.as_map && !(self.ascending && self.in_order) {
            settle_object(message, mark, self.n)?;
        }
        Ok(O::default())
    }
}

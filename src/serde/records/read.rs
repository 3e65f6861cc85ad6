//! Reading records as any type, as if they stood in the message as ordinary values.

use serde::de::value::BorrowedStrDeserializer;
use serde::de::{
    self, Deserialize, DeserializeSeed, EnumAccess, IntoDeserializer, MapAccess, SeqAccess, VariantAccess, Visitor,
};

use super::quick::Quick;
use super::{MAX_VALUES, WINDOW};
use crate::error::{Error, ErrorKind, Step};
use crate::serde::de::Deserializer;
use crate::serde::key::KeyDeserializer;
use crate::serde::number::{visit_float, visit_float_as_integer};
use crate::serde::special::Special;
use crate::serde::visit::{lone_surrogate, shown, too_long, utf8};
use crate::wire::layout::{Layout, Records, Scalar, Value, What};
use crate::wire::message::Message;
use crate::wire::shape_list::{Key, Text};
use crate::wire::splice;

impl<'de> Deserializer<'de> {
    /// The array of records whose tag is at `at`, as a sequence.
    pub(in crate::serde) fn records<V: Visitor<'de>>(
        &mut self,
        records: Records<'de>,
        at: usize,
        visitor: V,
    ) -> Result<V::Value, Error> {
        let layout = self.source.layout(&records);
        self.enter(at)?;
        // What is read quickly is not counted one by one.
        self.admit_depth(layout.depth, at)?;
        let quick = Quick::of(&layout);
        let n = u64::from(records.n);
        let mut rows = Rows { de: self, layout: &layout, quick, misses: 0, bytes: records.bytes, at, n, left: n };
        let value = visitor.visit_seq(&mut rows)?;
        if rows.left > 0 {
            return Err(too_long(n));
        }
        self.leave();
        Ok(value)
    }
}

/// The records of an array.
struct Rows<'r, 'de> {
    de: &'r mut Deserializer<'de>,
    layout: &'r Layout,
    quick: Option<Box<Quick>>,
    /// How often a record could not be read quickly.
    misses: u32,
    bytes: &'de [u8],
    at: usize,
    n: u64,
    left: u64,
}

/// After so many misses no record is tried quickly. The lists of fields are learned one a miss; more mean that the type
/// asks for something else.
const MAX_MISSES: u32 = MAX_VALUES as u32 + 8;

impl<'de> Rows<'_, 'de> {
    /// The record that comes next, read as any type.
    fn row(&mut self) -> Option<Row<'_, 'de>> {
        self.left = self.left.checked_sub(1)?;
        let (record, rest) = self.bytes.split_at_checked(self.layout.size)?;
        self.bytes = rest;
        Some(Row { de: &mut *self.de, layout: self.layout, record, place: 0, at: self.at })
    }

    #[cold]
    fn step(&self, error: Error) -> Error {
        error.at_offset_or(self.at).within_index((self.n - self.left - 1) as usize)
    }

    /// A record has not been read quickly: whether it can be now.
    #[cold]
    fn missed(&mut self) -> bool {
        let Some(quick) = &mut self.quick else { return false };
        let known = quick.missed.take().filter(|&(place, fields)| match self.layout.values.get(place) {
            Some(Value { what: What::Object(shape), .. }) => self.de.source.shapes.keys_are(u64::from(*shape), fields),
            _ => false,
        });
        let learned = known.is_some_and(|(place, fields)| quick.learn(place, fields));
        self.misses += 1;
        if self.misses == MAX_MISSES {
            self.quick = None;
        }
        learned
    }

    /// The last record, with zeros behind it.
    #[cold]
    fn last_window(&self) -> [u8; WINDOW] {
        let mut window = [0; WINDOW];
        let seen = self.bytes.len().min(WINDOW);
        window[..seen].copy_from_slice(&self.bytes[..seen]);
        window
    }

    /// The record that comes next, where it is not read quickly: as a type that asks for something else. In a box, so that
    /// it has no place in memory in common with those that are.
    #[inline(never)]
    fn next_at_leisure<T: Deserialize<'de>>(&mut self) -> Result<Option<Box<T>>, Error> {
        Ok(self.next_element_seed(std::marker::PhantomData)?.map(Box::new))
    }
}

impl<'de> SeqAccess<'de> for Rows<'_, 'de> {
    type Error = Error;

    fn next_element_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, Error> {
        match self.row() {
            Some(row) => seed.deserialize(row).map(Some).map_err(|error| self.step(error)),
            None => Ok(None),
        }
    }

    // Unlike a seed, a type can be asked again. It is asked in one place, from which its value has one way: so it is
    // compiled in here and stays in registers. In memory it would be moved in larger pieces than it was made of, and wait
    // for them.
    #[inline(always)]
    fn next_element<T: Deserialize<'de>>(&mut self) -> Result<Option<T>, Error> {
        let mut last = None;
        while let Some(quick) = &self.quick
            && self.left > 0
        {
            let window = match self.bytes.first_chunk() {
                Some(window) => window,
                None => last.get_or_insert_with(|| self.last_window()),
            };
            if let Ok(value) = quick.read(window) {
                self.left -= 1;
                self.bytes = &self.bytes[self.layout.size..];
                return Ok(Some(value));
            }
            if !self.missed() {
                break;
            }
        }
        Ok(self.next_at_leisure()?.map(|value| *value))
    }

    #[inline]
    fn size_hint(&self) -> Option<usize> {
        usize::try_from(self.left).ok()
    }
}

/// A value in a record.
struct Row<'r, 'de> {
    de: &'r mut Deserializer<'de>,
    layout: &'r Layout,
    record: &'de [u8],
    place: usize,
    /// Where the tag of the array is.
    at: usize,
}

impl<'r, 'de> Row<'r, 'de> {
    fn value(&self) -> Value {
        self.layout.values[self.place]
    }

    fn scalar(&self) -> Option<Scalar> {
        self.layout.scalar(self.place, self.record)
    }

    /// The values in it, one after the other.
    fn inside(&mut self) -> Inside<'_, 'de> {
        let Value { what, count, .. } = self.value();
        let shape = match what {
            What::Object(shape) => Some(u64::from(shape)),
            _ => None,
        };
        let row =
            Row { de: &mut *self.de, layout: self.layout, record: self.record, place: self.place + 1, at: self.at };
        Inside { row, shape, n: count, next: 0, key: None }
    }

    fn open<T>(mut self, read: impl FnOnce(&mut Inside<'_, 'de>) -> Result<T, Error>) -> Result<T, Error> {
        self.de.enter(self.at)?;
        let mut inside = self.inside();
        let value = read(&mut inside)?;
        if inside.next < inside.n {
            return Err(too_long(u64::from(inside.n)));
        }
        self.de.leave();
        Ok(value)
    }

    fn integer<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.scalar() {
            Some(Scalar::Single(n)) => visit_float_as_integer(f64::from(n), visitor),
            Some(Scalar::Double(n)) => visit_float_as_integer(n, visitor),
            _ => de::Deserializer::deserialize_any(self, visitor),
        }
    }

    fn float<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.scalar() {
            Some(Scalar::Single(n)) => visitor.visit_f32(n),
            Some(Scalar::Double(n)) => visitor.visit_f64(n),
            _ => de::Deserializer::deserialize_any(self, visitor),
        }
    }

    /// The value as a message by itself.
    fn message(self) -> Result<Vec<u8>, Error> {
        let mut message = Message::default();
        message.start();
        let mut copy = splice::Copy::new(&self.de.source);
        let mut structure = Vec::new();
        self.layout.write_values(&mut structure, self.place, self.record, |shape| {
            copy.shape_number(&self.de.source, &mut message, u64::from(shape)).unwrap_or(0)
        });
        message.structure = structure;
        let mut bytes = Vec::new();
        message.append_to(&mut bytes);
        Ok(bytes)
    }
}

macro_rules! forward {
    ($($method:ident => $to:ident;)*) => {
        $(fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
            self.$to(visitor)
        })*
    };
}

impl<'de> de::Deserializer<'de> for Row<'_, 'de> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match (self.value().what, self.scalar()) {
            (What::Object(_), _) => self.open(|inside| visitor.visit_map(inside)),
            (What::Array, _) | (_, None) => self.open(|inside| visitor.visit_seq(inside)),
            (_, Some(Scalar::Boolean(flag))) => visitor.visit_bool(flag),
            (_, Some(Scalar::Integer(n))) if n < 0 => visitor.visit_i64(n),
            (_, Some(Scalar::Integer(n))) => visitor.visit_u64(n as u64),
            (_, Some(Scalar::Unsigned(n))) => visitor.visit_u64(n),
            (_, Some(Scalar::Single(n))) => visit_float(f64::from(n), visitor),
            (_, Some(Scalar::Double(n))) => visit_float(n, visitor),
        }
    }

    forward! {
        deserialize_i8 => integer;
        deserialize_i16 => integer;
        deserialize_i32 => integer;
        deserialize_i64 => integer;
        deserialize_i128 => integer;
        deserialize_u8 => integer;
        deserialize_u16 => integer;
        deserialize_u32 => integer;
        deserialize_u64 => integer;
        deserialize_u128 => integer;
        deserialize_f32 => float;
        deserialize_f64 => float;
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, name: &'static str, visitor: V) -> Result<V::Value, Error> {
        match (Special::from_name(name), self.scalar()) {
            (None, _) => visitor.visit_newtype_struct(self),
            (Some(Special::Message), _) => visitor.visit_byte_buf(self.message()?),
            (Some(Special::BigInt), Some(Scalar::Integer(n))) => visitor.visit_byte_buf(n.to_le_bytes().to_vec()),
            (Some(Special::BigInt), Some(Scalar::Unsigned(n))) => {
                visitor.visit_byte_buf(i128::from(n).to_le_bytes().to_vec())
            }
            _ => self.deserialize_any(visitor),
        }
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        match self.value() {
            Value { what: What::Object(_), count: 1, .. } => self.open(|inside| visitor.visit_enum(Variant(inside))),
            Value { what: What::Object(_), .. } => {
                Err(de::Error::invalid_value(de::Unexpected::Map, &"an object with one key, the variant"))
            }
            _ => self.deserialize_any(visitor),
        }
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_unit()
    }

    fn is_human_readable(&self) -> bool {
        false
    }

    serde::forward_to_deserialize_any! {
        bool char str string bytes byte_buf unit unit_struct seq tuple tuple_struct map struct identifier
    }
}

/// The values of an object or array.
struct Inside<'r, 'de> {
    /// The one that comes next.
    row: Row<'r, 'de>,
    shape: Option<u64>,
    n: u32,
    next: u32,
    key: Option<Text<'de>>,
}

impl<'de> Inside<'_, 'de> {
    /// Passes to the value behind, and gives this one.
    fn take(&mut self) -> Row<'_, 'de> {
        let place = self.row.place;
        self.row.place = self.row.value().end as usize;
        self.next += 1;
        Row { de: &mut *self.row.de, layout: self.row.layout, record: self.row.record, place, at: self.row.at }
    }

    /// The next key that is a string; values of Symbol keys are passed over.
    fn next_name(&mut self) -> Result<Option<Text<'de>>, Error> {
        while self.next < self.n {
            let source = &mut self.row.de.source;
            let entry = self.shape.and_then(|shape| source.shapes.shape(shape));
            let key = entry.and_then(|entry| source.shapes.key(source.shapes_section, entry, self.next as usize));
            if let Some(Key::Text(text)) = key {
                source.repeat(text.len(), self.row.at)?;
                self.key = Some(text);
                return Ok(Some(text));
            }
            self.take();
        }
        Ok(None)
    }

    fn within(&self, error: Error) -> Error {
        error.within(match self.key {
            Some(text) => Step::Name(shown(text)),
            None => Step::Index(self.next.saturating_sub(1)),
        })
    }
}

impl<'de> SeqAccess<'de> for &mut Inside<'_, 'de> {
    type Error = Error;

    fn next_element_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, Error> {
        if self.next == self.n {
            return Ok(None);
        }
        seed.deserialize(self.take()).map(Some).map_err(|error| self.within(error))
    }

    fn size_hint(&self) -> Option<usize> {
        Some((self.n - self.next) as usize)
    }
}

impl<'de> MapAccess<'de> for &mut Inside<'_, 'de> {
    type Error = Error;

    fn next_key_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, Error> {
        let key = match self.next_name()? {
            None => return Ok(None),
            Some(Text::Utf8(key)) => seed.deserialize(KeyDeserializer::Borrowed(key)),
            Some(key) => match utf8(key) {
                Some(key) => seed.deserialize(KeyDeserializer::Owned(key.into_owned())),
                None => return Err(lone_surrogate(self.row.at)),
            },
        };
        key.map(Some).map_err(|error| self.within(error))
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, Error> {
        seed.deserialize(self.take()).map_err(|error| self.within(error))
    }

    fn size_hint(&self) -> Option<usize> {
        Some((self.n - self.next) as usize)
    }
}

/// A variant that is an object with one key.
struct Variant<'i, 'r, 'de>(&'i mut Inside<'r, 'de>);

impl<'i, 'r, 'de> EnumAccess<'de> for Variant<'i, 'r, 'de> {
    type Error = Error;
    type Variant = Content<'i, 'r, 'de>;

    fn variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<(S::Value, Self::Variant), Error> {
        let variant = match self.0.next_name()? {
            None => return Err(Error::new(ErrorKind::WrongType, "a Symbol names no variant")),
            Some(Text::Utf8(name)) => seed.deserialize(BorrowedStrDeserializer::<Error>::new(name)),
            Some(name) => match utf8(name) {
                Some(name) => seed.deserialize(name.into_deserializer()),
                None => return Err(lone_surrogate(self.0.row.at)),
            },
        };
        Ok((variant?, Content(self.0)))
    }
}

/// A variant whose name has been read.
struct Content<'i, 'r, 'de>(&'i mut Inside<'r, 'de>);

impl<'de> Content<'_, '_, 'de> {
    fn read<T>(self, read: impl FnOnce(Row<'_, 'de>) -> Result<T, Error>) -> Result<T, Error> {
        read(self.0.take()).map_err(|error| self.0.within(error))
    }
}

impl<'de> VariantAccess<'de> for Content<'_, '_, 'de> {
    type Error = Error;

    fn unit_variant(self) -> Result<(), Error> {
        self.read(|row| Deserialize::deserialize(row))
    }

    fn newtype_variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<S::Value, Error> {
        self.read(|row| seed.deserialize(row))
    }

    fn tuple_variant<V: Visitor<'de>>(self, len: usize, visitor: V) -> Result<V::Value, Error> {
        self.read(|row| de::Deserializer::deserialize_tuple(row, len, visitor))
    }

    fn struct_variant<V: Visitor<'de>>(self, fields: &'static [&'static str], visitor: V) -> Result<V::Value, Error> {
        self.read(|row| de::Deserializer::deserialize_struct(row, "", fields, visitor))
    }
}

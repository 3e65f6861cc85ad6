//! A deserializer that does nothing but read the bytes, and trusts them: what a tag says is taken, fields are taken to come
//! in order; no shapes but for the names of variants, no depth, no limits, no places of errors.

use serde::de::value::BorrowedStrDeserializer;
use serde::de::{self, DeserializeSeed, EnumAccess, SeqAccess, VariantAccess, Visitor};

use super::write::Refused;

impl de::Error for Refused {
    fn custom<T: std::fmt::Display>(_: T) -> Self {
        serde::ser::Error::custom("")
    }
}

pub struct Floor<'de> {
    structure: &'de [u8],
    text: &'de str,
    data: &'de [u8],
    /// The first key of each shape.
    names: Vec<&'de str>,
}

/// The varint that comes next.
fn varint(bytes: &mut &[u8]) -> usize {
    let mut value = 0;
    for shift in (0..).step_by(7) {
        let byte = next(bytes);
        value |= usize::from(byte & 0x7F) << shift;
        if byte < 0x80 {
            break;
        }
    }
    value
}

#[inline(always)]
fn next(bytes: &mut &[u8]) -> u8 {
    let byte = bytes[0];
    *bytes = &bytes[1..];
    byte
}

#[inline(always)]
fn array<const N: usize>(bytes: &mut &[u8]) -> [u8; N] {
    let (array, rest) = bytes.split_first_chunk().expect("as many bytes");
    *bytes = rest;
    *array
}

impl<'de> Floor<'de> {
    pub fn new(message: &'de [u8]) -> Self {
        let flags = message[3];
        let mut rest = &message[4..];
        let mut len = |flag: u8| if flags & flag == flag { varint(&mut rest) } else { 0 };
        let [structure, shapes, text, data] = [len(0), len(1), len(2), len(4)];
        let (mut section, rest) = rest.split_at(shapes);
        let (structure, rest) = rest.split_at(structure);
        let text = simdutf8::basic::from_utf8(&rest[..text]).expect("text");
        let mut names = Vec::new();
        if shapes > 0 {
            varint(&mut section);
            for _ in 0..varint(&mut section) {
                next(&mut section);
                for key in 0..varint(&mut section) {
                    let len = varint(&mut section) / 4;
                    let (name, rest) = section.split_at(len);
                    section = rest;
                    if key == 0 {
                        names.push(std::str::from_utf8(name).expect("a name"));
                    }
                }
            }
        }
        Floor { structure, text, data: &message[message.len() - data..], names }
    }

    #[inline(always)]
    fn next(&mut self) -> u8 {
        next(&mut self.structure)
    }

    #[inline(always)]
    fn integer(&mut self) -> i64 {
        match self.next() {
            tag @ ..0x40 => tag.into(),
            0xC4 => self.next().into(),
            0xC5 => u16::from_le_bytes(array(&mut self.structure)).into(),
            0xC6 => u32::from_le_bytes(array(&mut self.structure)).into(),
            0xC7 => (self.next() as i8).into(),
            0xC8 => i16::from_le_bytes(array(&mut self.structure)).into(),
            0xC9 => i32::from_le_bytes(array(&mut self.structure)).into(),
            _ => f64::from_le_bytes(array(&mut self.structure)) as i64,
        }
    }

    #[inline(always)]
    fn float(&mut self) -> f64 {
        match self.next() {
            0xCA => f32::from_le_bytes(array(&mut self.structure)).into(),
            _ => f64::from_le_bytes(array(&mut self.structure)),
        }
    }

    #[inline(always)]
    fn text(&mut self) -> &'de str {
        let len = match self.next() {
            tag @ 0x40..0x80 => usize::from(tag & 0x3F),
            _ => varint(&mut self.structure),
        };
        let (text, rest) = self.text.split_at(len);
        self.text = rest;
        text
    }
}

/// So many values.
struct Values<'r, 'de> {
    floor: &'r mut Floor<'de>,
    left: usize,
}

impl<'de> SeqAccess<'de> for Values<'_, 'de> {
    type Error = Refused;

    #[inline(always)]
    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Refused> {
        let Some(left) = self.left.checked_sub(1) else { return Ok(None) };
        self.left = left;
        seed.deserialize(&mut *self.floor).map(Some)
    }

    #[inline(always)]
    fn next_element<T: de::Deserialize<'de>>(&mut self) -> Result<Option<T>, Refused> {
        let Some(left) = self.left.checked_sub(1) else { return Ok(None) };
        self.left = left;
        T::deserialize(&mut *self.floor).map(Some)
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.left)
    }
}

struct Variant<'r, 'de>(&'r mut Floor<'de>);

impl<'de> EnumAccess<'de> for Variant<'_, 'de> {
    type Error = Refused;
    type Variant = Self;

    #[inline(always)]
    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Self), Refused> {
        let shape = usize::from(self.0.next() & 0x1F);
        Ok((seed.deserialize(BorrowedStrDeserializer::<Refused>::new(self.0.names[shape]))?, self))
    }
}

impl<'de> VariantAccess<'de> for Variant<'_, 'de> {
    type Error = Refused;

    fn unit_variant(self) -> Result<(), Refused> {
        Ok(())
    }

    #[inline(always)]
    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, Refused> {
        seed.deserialize(self.0)
    }

    #[inline(always)]
    fn tuple_variant<V: Visitor<'de>>(self, len: usize, visitor: V) -> Result<V::Value, Refused> {
        de::Deserializer::deserialize_tuple(self.0, len, visitor)
    }

    #[inline(always)]
    fn struct_variant<V: Visitor<'de>>(self, fields: &'static [&'static str], visitor: V) -> Result<V::Value, Refused> {
        de::Deserializer::deserialize_struct(self.0, "", fields, visitor)
    }
}

macro_rules! read {
    ($($method:ident($($ty:ty),*) |$floor:ident, $visitor:ident| $read:expr;)*) => {
        $(#[inline(always)]
        fn $method<V: Visitor<'de>>(self $(, _: $ty)*, $visitor: V) -> Result<V::Value, Refused> {
            let $floor = self;
            $read
        })*
    };
}

impl<'de> de::Deserializer<'de> for &mut Floor<'de> {
    type Error = Refused;

    read! {
        deserialize_any() |floor, visitor| match floor.structure[0] {
            0x40..0x80 | 0xCE => visitor.visit_borrowed_str(floor.text()),
            0xC2 | 0xC3 => visitor.visit_bool(floor.next() == 0xC3),
            0xCA | 0xCB => visitor.visit_f64(floor.float()),
            _ => visitor.visit_i64(floor.integer()),
        };
        deserialize_bool() |floor, visitor| visitor.visit_bool(floor.next() == 0xC3);
        deserialize_i8() |floor, visitor| visitor.visit_i64(floor.integer());
        deserialize_i16() |floor, visitor| visitor.visit_i64(floor.integer());
        deserialize_i32() |floor, visitor| visitor.visit_i64(floor.integer());
        deserialize_i64() |floor, visitor| visitor.visit_i64(floor.integer());
        deserialize_u8() |floor, visitor| visitor.visit_u64(floor.integer() as u64);
        deserialize_u16() |floor, visitor| visitor.visit_u64(floor.integer() as u64);
        deserialize_u32() |floor, visitor| visitor.visit_u64(floor.integer() as u64);
        deserialize_u64() |floor, visitor| visitor.visit_u64(floor.integer() as u64);
        deserialize_f32() |floor, visitor| visitor.visit_f64(floor.float());
        deserialize_f64() |floor, visitor| visitor.visit_f64(floor.float());
        deserialize_str() |floor, visitor| visitor.visit_borrowed_str(floor.text());
        deserialize_string() |floor, visitor| visitor.visit_borrowed_str(floor.text());
        deserialize_identifier() |floor, visitor| visitor.visit_borrowed_str(floor.text());
        deserialize_bytes() |floor, visitor| {
            floor.structure = &floor.structure[2..];
            let (bytes, rest) = floor.data.split_at(varint(&mut floor.structure));
            floor.data = rest;
            visitor.visit_borrowed_bytes(bytes)
        };
        deserialize_byte_buf() |floor, visitor| floor.deserialize_bytes(visitor);
        deserialize_option() |floor, visitor| {
            if floor.structure[0] == 0xC0 {
                floor.next();
                return visitor.visit_none();
            }
            visitor.visit_some(floor)
        };
        deserialize_newtype_struct(&'static str) |floor, visitor| visitor.visit_newtype_struct(floor);
        deserialize_seq() |floor, visitor| {
            let left = match floor.next() {
                tag @ 0x80..0xA0 => usize::from(tag & 0x1F),
                _ => varint(&mut floor.structure),
            };
            visitor.visit_seq(Values { floor, left })
        };
        deserialize_tuple(usize) |floor, visitor| floor.deserialize_seq(visitor);
        deserialize_struct(&'static str, &'static [&'static str]) |floor, visitor| {
            floor.next();
            visitor.visit_seq(Values { floor, left: usize::MAX })
        };
        deserialize_enum(&'static str, &'static [&'static str]) |floor, visitor| match floor.structure[0] {
            0x40..0x80 => visitor.visit_enum(BorrowedStrDeserializer::new(floor.text())),
            _ => visitor.visit_enum(Variant(floor)),
        };
    }

    fn is_human_readable(&self) -> bool {
        false
    }

    serde::forward_to_deserialize_any! {
        i128 u128 char unit unit_struct tuple_struct map ignored_any
    }
}

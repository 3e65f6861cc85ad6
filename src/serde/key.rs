//! Keys of objects, which are strings: also those that stand for something else in a Rust map.

use serde::de::value::{BorrowedStrDeserializer, StringDeserializer};
use serde::de::{self, Visitor};

use crate::error::Error;

/// A key. Integers, floats and booleans are read from their text, as JavaScript writes them into keys.
pub(super) enum KeyDeserializer<'de> {
    Borrowed(&'de str),
    Owned(String),
}

impl KeyDeserializer<'_> {
    fn as_str(&self) -> &str {
        match self {
            KeyDeserializer::Borrowed(key) => key,
            KeyDeserializer::Owned(key) => key,
        }
    }
}

/// A number whose text is the key, and no other text for it.
macro_rules! parsed {
    ($($method:ident $ty:ty, $visit:ident;)*) => {
        $(fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
            match self.as_str().parse::<$ty>() {
                Ok(value) if value.to_string() == self.as_str() => visitor.$visit(value),
                _ => self.deserialize_any(visitor),
            }
        })*
    };
}

impl<'de> de::Deserializer<'de> for KeyDeserializer<'de> {
    type Error = Error;

    #[inline]
    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self {
            KeyDeserializer::Borrowed(key) => visitor.visit_borrowed_str(key),
            KeyDeserializer::Owned(key) => visitor.visit_string(key),
        }
    }

    parsed! {
        deserialize_bool bool, visit_bool;
        deserialize_i8 i8, visit_i8;
        deserialize_i16 i16, visit_i16;
        deserialize_i32 i32, visit_i32;
        deserialize_i64 i64, visit_i64;
        deserialize_i128 i128, visit_i128;
        deserialize_u8 u8, visit_u8;
        deserialize_u16 u16, visit_u16;
        deserialize_u32 u32, visit_u32;
        deserialize_u64 u64, visit_u64;
        deserialize_u128 u128, visit_u128;
        deserialize_f32 f32, visit_f32;
        deserialize_f64 f64, visit_f64;
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        match self {
            KeyDeserializer::Borrowed(key) => visitor.visit_enum(BorrowedStrDeserializer::new(key)),
            KeyDeserializer::Owned(key) => visitor.visit_enum(StringDeserializer::new(key)),
        }
    }

    fn is_human_readable(&self) -> bool {
        false
    }

    serde::forward_to_deserialize_any! {
        char str string bytes byte_buf unit unit_struct seq tuple tuple_struct map struct identifier ignored_any
    }
}

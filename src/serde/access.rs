//! What a container holds, one value after the other.

use serde::de::value::BorrowedStrDeserializer;
use serde::de::{
    self, Deserialize, DeserializeSeed, EnumAccess, IntoDeserializer, MapAccess, SeqAccess, VariantAccess, Visitor,
};

use super::de::Deserializer;
use super::key::KeyDeserializer;
use super::visit::{lone_surrogate, shown, utf8};
use crate::error::{Error, Step};
use crate::wire::item::Item;
use crate::wire::shape_list::{Key, Text};

/// The fields of a struct, in the order in which both the message and the type have them.
pub(super) struct Fields<'r, 'de> {
    pub(super) de: &'r mut Deserializer<'de>,
    pub(super) names: &'static [&'static str],
    /// How many have been read: whoever gives the fields looks at it again.
    pub(super) next: &'r mut usize,
}

impl<'de> Fields<'_, 'de> {
    #[inline(always)]
    fn next_with<T>(
        &mut self,
        read: impl FnOnce(&mut Deserializer<'de>) -> Result<T, Error>,
    ) -> Result<Option<T>, Error> {
        let Some(name) = self.names.get(*self.next) else { return Ok(None) };
        *self.next += 1;
        let place = self.de.source.structure.place();
        match read(&mut *self.de) {
            Ok(value) => Ok(Some(value)),
            Err(error) => Err(self.de.located(error, place).within_name(name)),
        }
    }
}

/// The elements of an array or Set.
pub(super) struct Sequence<'r, 'de> {
    pub(super) de: &'r mut Deserializer<'de>,
    /// How many there are still: whoever gives the elements looks at it again.
    pub(super) left: &'r mut u64,
    pub(super) n: u64,
}

impl<'de> Sequence<'_, 'de> {
    #[inline(always)]
    fn next_with<T>(
        &mut self,
        read: impl FnOnce(&mut Deserializer<'de>) -> Result<T, Error>,
    ) -> Result<Option<T>, Error> {
        if *self.left == 0 {
            return Ok(None);
        }
        *self.left -= 1;
        let place = self.de.source.structure.place();
        match read(&mut *self.de) {
            Ok(value) => Ok(Some(value)),
            Err(error) => Err(self.de.located(error, place).within_index((self.n - *self.left - 1) as usize)),
        }
    }
}

/// What serde has for types, which can be asked without a seed, is not always inlined.
macro_rules! in_turn {
    ($($access:ident |$values:ident| $left:expr;)*) => {
        $(impl<'de> SeqAccess<'de> for $access<'_, 'de> {
            type Error = Error;

            #[inline(always)]
            fn next_element_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, Error> {
                self.next_with(|de| seed.deserialize(de))
            }

            #[inline(always)]
            fn next_element<T: Deserialize<'de>>(&mut self) -> Result<Option<T>, Error> {
                self.next_with(|de| T::deserialize(de))
            }

            #[inline]
            fn size_hint(&self) -> Option<usize> {
                let $values = self;
                $left
            }
        })*
    };
}

in_turn! {
    Fields |fields| Some(fields.names.len() - *fields.next);
    Sequence |sequence| usize::try_from(*sequence.left).ok();
}

/// The elements of an array with holes.
pub(super) struct Sparse<'r, 'de> {
    pub(super) de: &'r mut Deserializer<'de>,
    pub(super) next: u32,
    pub(super) length: u32,
    /// Elements that are there and have not been read.
    pub(super) present: u64,
    /// Holes before the next of them, once known.
    pub(super) gap: Option<u64>,
}

impl<'de> SeqAccess<'de> for Sparse<'_, 'de> {
    type Error = Error;

    fn next_element_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, Error> {
        if self.gap.is_none() && self.present > 0 {
            self.gap = Some(self.de.source.structure.varint()?);
        }
        if self.next == self.length {
            return match self.present {
                0 => Ok(None),
                _ => Err(Error::new(crate::error::ErrorKind::BadArray, "").at_offset(self.de.at())),
            };
        }
        let index = self.next;
        self.next += 1;
        let at = self.de.at();
        let result = match &mut self.gap {
            Some(0) => {
                self.gap = None;
                self.present -= 1;
                seed.deserialize(&mut *self.de)
            }
            gap => {
                *gap = gap.map(|gap| gap - 1);
                seed.deserialize(Hole)
            }
        };
        result.map(Some).map_err(|error| error.at_offset_or(at).within(Step::Index(index)))
    }
}

/// What is where an array has nothing.
struct Hole;

impl<'de> de::Deserializer<'de> for Hole {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_unit()
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_none()
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct
        newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

/// Where the keys of an object or Map are.
#[derive(Clone, Copy)]
pub(super) enum Keys {
    /// In the shape with this number.
    Shape(u64),
    /// In front of each value.
    Written,
}

/// The entries of an object or Map.
pub(super) struct Entries<'r, 'de> {
    pub(super) de: &'r mut Deserializer<'de>,
    pub(super) keys: Keys,
    pub(super) n: u64,
    pub(super) next: u64,
    /// The key of the value that comes next, where it is a string.
    pub(super) key: Option<Text<'de>>,
}

impl<'de> Entries<'_, 'de> {
    /// The next key of the shape that is a string; values of Symbol keys are passed over.
    #[inline]
    fn key_of_shape(&mut self, shape: u64) -> Result<Option<Text<'de>>, Error> {
        let source = &mut self.de.source;
        while self.next < self.n {
            let entry = source.shapes.shape(shape);
            let key = entry.and_then(|shape| source.shapes.key(source.shapes_section, shape, self.next as usize));
            self.next += 1;
            match key {
                Some(Key::Text(text)) => {
                    source.repeat(text.len(), source.place().structure)?;
                    return Ok(Some(text));
                }
                _ => source.skip()?,
            }
        }
        Ok(None)
    }

    fn step(&self) -> Step {
        match self.key {
            Some(text) => Step::Name(shown(text)),
            None => Step::Entry("value", self.next.wrapping_sub(1) as u32),
        }
    }
}

impl<'de> MapAccess<'de> for Entries<'_, 'de> {
    type Error = Error;

    #[inline]
    fn next_key_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, Error> {
        let at = self.de.at();
        let key = match self.keys {
            Keys::Shape(shape) => match self.key_of_shape(shape)? {
                Some(text) => text,
                None => return Ok(None),
            },
            Keys::Written => {
                if self.next == self.n {
                    return Ok(None);
                }
                self.next += 1;
                let tag = self.de.source.structure.rest().first().copied();
                if !matches!(tag, Some(crate::wire::tag::STRING..crate::wire::tag::ARRAY | 0xCE | 0xCF | 0xE1 | 0xE2)) {
                    self.key = None;
                    let entry = Step::Entry("key", self.next as u32 - 1);
                    let key = seed.deserialize(&mut *self.de).map_err(|error| error.at_offset_or(at).within(entry))?;
                    return Ok(Some(key));
                }
                match self.de.source.item()? {
                    Item::Text(text) => text,
                    _ => Text::Utf8(""),
                }
            }
        };
        self.key = Some(key);
        let result = match key {
            Text::Utf8(key) => seed.deserialize(KeyDeserializer::Borrowed(key)),
            Text::Utf16(_) => match utf8(key) {
                Some(key) => seed.deserialize(KeyDeserializer::Owned(key.into_owned())),
                None => return Err(lone_surrogate(at)),
            },
        };
        result.map(Some).map_err(|error| error.at_offset_or(at).within(self.step()))
    }

    #[inline]
    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, Error> {
        let at = self.de.at();
        seed.deserialize(&mut *self.de).map_err(|error| error.at_offset_or(at).within(self.step()))
    }

    #[inline]
    fn size_hint(&self) -> Option<usize> {
        usize::try_from(self.n - self.next).ok()
    }
}

/// A variant that is an object whose only key is known to be this name.
pub(super) struct KnownVariant<'r, 'de> {
    pub(super) de: &'r mut Deserializer<'de>,
    pub(super) name: &'static str,
}

impl<'r, 'de> EnumAccess<'de> for KnownVariant<'r, 'de> {
    type Error = Error;
    type Variant = Content<'r, 'de>;

    #[inline]
    fn variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<(S::Value, Self::Variant), Error> {
        let variant = seed.deserialize(BorrowedStrDeserializer::<Error>::new(self.name))?;
        Ok((variant, Content { de: self.de, name: Text::Utf8(self.name) }))
    }
}

/// A variant that is an object with one key.
pub(super) struct Variant<'r, 'de> {
    pub(super) de: &'r mut Deserializer<'de>,
    /// The shape whose key is the name; else the name stands before the value.
    pub(super) shape: Option<u64>,
}

/// A variant whose name has been read.
pub(super) struct Content<'r, 'de> {
    de: &'r mut Deserializer<'de>,
    name: Text<'de>,
}

impl<'r, 'de> EnumAccess<'de> for Variant<'r, 'de> {
    type Error = Error;
    type Variant = Content<'r, 'de>;

    #[inline]
    fn variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<(S::Value, Self::Variant), Error> {
        let at = self.de.at();
        let source = &mut self.de.source;
        let name = match self.shape {
            Some(shape) => {
                let entry = source.shapes.shape(shape);
                match entry.and_then(|shape| source.shapes.key(source.shapes_section, shape, 0)) {
                    Some(Key::Text(text)) => {
                        source.repeat(text.len(), at)?;
                        text
                    }
                    _ => return Err(de::Error::custom("a Symbol names no variant")),
                }
            }
            None => match source.item()? {
                Item::Text(text) => text,
                _ => return Err(de::Error::custom("only a string names a variant")),
            },
        };
        let variant = match name {
            Text::Utf8(name) => seed.deserialize(BorrowedStrDeserializer::<Error>::new(name)),
            Text::Utf16(_) => match utf8(name) {
                Some(name) => seed.deserialize(name.into_deserializer()),
                None => return Err(lone_surrogate(at)),
            },
        };
        Ok((variant?, Content { de: self.de, name }))
    }
}

impl<'de> Content<'_, 'de> {
    #[inline]
    fn read<T>(self, read: impl FnOnce(&mut Deserializer<'de>) -> Result<T, Error>) -> Result<T, Error> {
        let at = self.de.at();
        read(self.de).map_err(|error| error.at_offset_or(at).within(Step::Name(shown(self.name))))
    }
}

impl<'de> VariantAccess<'de> for Content<'_, 'de> {
    type Error = Error;

    fn unit_variant(self) -> Result<(), Error> {
        self.read(|de| de::Deserialize::deserialize(de))
    }

    #[inline]
    fn newtype_variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<S::Value, Error> {
        self.read(|de| seed.deserialize(de))
    }

    #[inline]
    fn tuple_variant<V: Visitor<'de>>(self, len: usize, visitor: V) -> Result<V::Value, Error> {
        self.read(|de| de::Deserializer::deserialize_tuple(de, len, visitor))
    }

    #[inline]
    fn struct_variant<V: Visitor<'de>>(self, fields: &'static [&'static str], visitor: V) -> Result<V::Value, Error> {
        self.read(|de| de::Deserializer::deserialize_struct(de, "", fields, visitor))
    }
}

//! What is asked for and does not stand there in its usual form: every form that holds the value is taken.

use serde::de::{self, Unexpected, Visitor};

use super::access::Variant;
use super::de::Deserializer;
use super::number::{visit_bigint_as_float, visit_elements, visit_float_as_integer};
use super::visit::{lone_surrogate, utf8};
use crate::error::Error;
use crate::wire::item::Item;
use crate::wire::shape_list::Text;
use crate::wire::shapes::{CUSTOM, DERIVED};
use crate::wire::{ElementKind, tag};

impl<'de> Deserializer<'de> {
    #[inline(never)]
    pub(super) fn other_integer<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value, Error> {
        // One of the last bytes of the structure.
        if let Some(n @ ..=tag::INT_MAX) = self.source.structure.peek() {
            self.source.structure.skip(1);
            return visitor.visit_u64(u64::from(n));
        }
        // Beyond 32 bits, up to 53: most moments in milliseconds.
        if let Some(&[tag::F64, ref bytes @ ..]) = self.source.structure.ahead::<9>() {
            let number = f64::from_le_bytes(*bytes);
            let integer = number as i64;
            if integer as f64 == number && (1..=1 << 53).contains(&integer) {
                self.source.structure.skip(9);
                return visitor.visit_u64(integer as u64);
            }
        }
        let at = self.at();
        match self.source.item()? {
            Item::Single(n) => visit_float_as_integer(f64::from(n), visitor),
            Item::Double(n) => visit_float_as_integer(n, visitor),
            item => self.visit(item, at, visitor),
        }
    }

    #[cold]
    pub(super) fn other_float<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value, Error> {
        let at = self.at();
        match self.source.item()? {
            Item::BigInt { negative, magnitude } => visit_bigint_as_float(negative, magnitude, visitor),
            item => self.visit(item, at, visitor),
        }
    }

    /// Whatever comes, for a visitor that has not got what it asked for.
    #[inline(never)]
    pub(super) fn other<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value, Error> {
        let at = self.at();
        let item = self.source.item()?;
        self.visit(item, at, visitor)
    }

    #[cold]
    pub(super) fn other_bytes<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value, Error> {
        let at = self.at();
        let item = self.source.item()?;
        match item {
            Item::Reference(id) => self.follow(id, at, |de| de::Deserializer::deserialize_bytes(de, visitor)),
            _ => match self.bytes(item, at)? {
                Some(bytes) => visitor.visit_borrowed_bytes(bytes),
                None => self.visit(item, at, visitor),
            },
        }
    }

    #[inline(never)]
    pub(super) fn other_sequence<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value, Error> {
        let at = self.at();
        let item = self.source.item()?;
        match item {
            Item::Reference(id) => self.follow(id, at, |de| de::Deserializer::deserialize_seq(de, visitor)),
            Item::TypedArray { kind, bytes } => visit_elements(kind, bytes, visitor),
            Item::View { kind, buffer, offset, len } => {
                let bytes = self.view(kind, buffer, offset, len, at)?;
                visit_elements(kind, bytes, visitor)
            }
            Item::Buffer { bytes, .. } => visit_elements(ElementKind::Uint8, bytes, visitor),
            Item::Object(shape) if self.shape(shape, at)?.0 == DERIVED => {
                let (_, keys) = self.shape(shape, at)?;
                self.derived(keys, at, |de| de::Deserializer::deserialize_seq(de, visitor))
            }
            item => self.visit(item, at, visitor),
        }
    }

    /// Whether an object comes next whose keys are these fields, and whose shape's number takes more than a tag: behind it,
    /// if so.
    #[inline(never)]
    pub(super) fn long_object(&mut self, fields: &'static [&'static str]) -> bool {
        let mut structure = self.source.structure.clone();
        match (structure.u8(), structure.varint()) {
            (Ok(tag::OBJECT_LONG), Ok(shape)) if self.source.shapes.keys_are(shape, fields) => {
                self.source.structure = structure;
                true
            }
            _ => false,
        }
    }

    #[inline(never)]
    pub(super) fn other_struct<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value, Error> {
        let at = self.at();
        match self.source.item()? {
            Item::Object(shape) => self.by_name(shape, at, visitor),
            Item::Reference(id) => self.follow(id, at, |de| de.other_struct(visitor)),
            item => self.visit(item, at, visitor),
        }
    }

    #[inline(never)]
    pub(super) fn other_enum<V: Visitor<'de>>(
        &mut self,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        let again = |de: &mut Self, visitor| de::Deserializer::deserialize_enum(de, "", variants, visitor);
        let at = self.at();
        match self.source.item()? {
            Item::Text(Text::Utf8(variant)) => visitor.visit_enum(de::value::BorrowedStrDeserializer::new(variant)),
            Item::Text(text) => match utf8(text) {
                Some(variant) => visitor.visit_enum(de::value::CowStrDeserializer::new(variant)),
                None => Err(lone_surrogate(at)),
            },
            Item::Object(shape) if self.source.values_of(shape, at)? == 1 => {
                let (kind, _) = self.shape(shape, at)?;
                if matches!(kind, CUSTOM | DERIVED) {
                    return self.inner(at, |de| again(de, visitor));
                }
                self.inner(at, |de| visitor.visit_enum(Variant { de, shape: Some(shape) }))
            }
            Item::Dictionary { len: 1, .. } | Item::Map(1) => {
                self.inner(at, |de| visitor.visit_enum(Variant { de, shape: None }))
            }
            Item::Boxed => self.inner(at, |de| again(de, visitor)),
            Item::Reference(id) => self.follow(id, at, |de| again(de, visitor)),
            Item::Object(_) | Item::Dictionary { .. } | Item::Map(_) => {
                Err(de::Error::invalid_value(Unexpected::Map, &"an object with one key, the variant"))
            }
            item => self.visit(item, at, visitor),
        }
    }
}

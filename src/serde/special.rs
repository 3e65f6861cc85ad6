//! How the JavaScript kinds that serde has no word for pass through it: as newtype structs with names of our own.
//!
//! Another format sees what stands inside: a number, a string, bytes, a sequence, a map.

use serde::ser::{self, Impossible, Serialize};

use super::compound::{MapSerializer, SeqSerializer};
use super::ser::Serializer;
use crate::error::{Error, ErrorKind};
use crate::graph::{JsStr, RegExpFlags, is_source, is_time_value};
use crate::wire::splice;
use crate::wire::{ElementKind, structure, tag, varint};

pub(super) const UNDEFINED: &str = "$marshal::Undefined";
pub(super) const DATE: &str = "$marshal::Date";
pub(super) const BIGINT: &str = "$marshal::BigInt";
pub(super) const REGEXP: &str = "$marshal::RegExp";
pub(super) const MAP: &str = "$marshal::Map";
pub(super) const SET: &str = "$marshal::Set";
pub(super) const BUFFER: &str = "$marshal::ArrayBuffer";
pub(super) const MESSAGE: &str = "$marshal::Message";

/// A kind by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Special {
    /// f64 milliseconds.
    Date,
    /// Bytes: two's complement, little-endian.
    BigInt,
    /// A string: see [`RegExpText`].
    RegExp,
    Map,
    Set,
    /// Bytes.
    Buffer,
    /// Bytes: the elements, little-endian.
    TypedArray(ElementKind),
    /// Bytes: a message, whose value stands here.
    Message,
}

/// The name of the newtype struct that a typed array of this kind is.
pub(super) fn typed_array_name(kind: ElementKind) -> &'static str {
    match kind {
        ElementKind::Int8 => "$marshal::Int8Array",
        ElementKind::Uint8 => "$marshal::Uint8Array",
        ElementKind::Uint8Clamped => "$marshal::Uint8ClampedArray",
        ElementKind::Int16 => "$marshal::Int16Array",
        ElementKind::Uint16 => "$marshal::Uint16Array",
        ElementKind::Int32 => "$marshal::Int32Array",
        ElementKind::Uint32 => "$marshal::Uint32Array",
        ElementKind::Float16 => "$marshal::Float16Array",
        ElementKind::Float32 => "$marshal::Float32Array",
        ElementKind::Float64 => "$marshal::Float64Array",
        ElementKind::BigInt64 => "$marshal::BigInt64Array",
        ElementKind::BigUint64 => "$marshal::BigUint64Array",
        ElementKind::DataView => "$marshal::DataView",
    }
}

impl Special {
    #[inline]
    pub(super) fn from_name(name: &str) -> Option<Special> {
        if name.as_bytes().first() == Some(&b'$') { Self::look_up(name) } else { None }
    }

    #[cold]
    fn look_up(name: &str) -> Option<Special> {
        Some(match name {
            DATE => Special::Date,
            BIGINT => Special::BigInt,
            REGEXP => Special::RegExp,
            MAP => Special::Map,
            SET => Special::Set,
            BUFFER => Special::Buffer,
            MESSAGE => Special::Message,
            _ => {
                let is = |kind: &ElementKind| *kind != ElementKind::DataView && typed_array_name(*kind) == name;
                Special::TypedArray(ElementKind::ALL.into_iter().find(is)?)
            }
        })
    }
}

/// A RegExp in one string: `lastIndex/flags/source`.
pub(super) struct RegExpText<'t> {
    pub(super) last_index: u64,
    pub(super) flags: RegExpFlags,
    pub(super) source: &'t str,
}

impl<'t> RegExpText<'t> {
    pub(super) fn parse(text: &'t str) -> Option<Self> {
        let (last_index, rest) = text.split_once('/')?;
        let (flags, source) = rest.split_once('/')?;
        let last_index = last_index.parse().ok().filter(|&index| index <= crate::graph::MAX_SAFE_INTEGER)?;
        let flags = RegExpFlags::parse(flags)?;
        is_source(JsStr::utf8(source)).then_some(RegExpText { last_index, flags, source })
    }
}

impl Serializer {
    /// A typed array whose elements are these bytes.
    pub(super) fn typed_array(&mut self, kind: ElementKind, bytes: &[u8]) {
        structure::elements(&mut self.message.structure, tag::TYPED_ARRAY, kind, bytes.len() / kind.size());
        self.message.payload(kind.size(), bytes);
        self.message.identities += 2;
    }
}

/// Takes what stands inside of the newtype struct, and nothing else.
pub(super) struct SpecialSerializer<'s> {
    pub(super) ser: &'s mut Serializer,
    pub(super) special: Special,
}

impl SpecialSerializer<'_> {
    #[cold]
    fn misuse<T>(&self) -> Result<T, Error> {
        Err(Error::new(ErrorKind::Rejected, "a newtype struct with a name of marshal's holds something else"))
    }
}

macro_rules! misuse {
    ($($method:ident($($ty:ty),*) -> $ok:ty;)*) => {
        $(fn $method(self $(, _: $ty)*) -> Result<$ok, Error> {
            self.misuse()
        })*
    };
}

impl<'s> ser::Serializer for SpecialSerializer<'s> {
    type Ok = ();
    type Error = Error;
    type SerializeSeq = SeqSerializer<'s>;
    type SerializeTuple = Impossible<(), Error>;
    type SerializeTupleStruct = Impossible<(), Error>;
    type SerializeTupleVariant = Impossible<(), Error>;
    type SerializeMap = MapSerializer<'s>;
    type SerializeStruct = Impossible<(), Error>;
    type SerializeStructVariant = Impossible<(), Error>;

    fn serialize_f64(self, ms: f64) -> Result<(), Error> {
        if self.special != Special::Date {
            return self.misuse();
        }
        if !is_time_value(ms) {
            return Err(Error::new(ErrorKind::BadDate, ""));
        }
        structure::date(&mut self.ser.message.structure, ms);
        self.ser.message.identities += 1;
        Ok(())
    }

    fn serialize_str(self, text: &str) -> Result<(), Error> {
        if self.special != Special::RegExp {
            return self.misuse();
        }
        let regexp = RegExpText::parse(text).ok_or_else(|| Error::new(ErrorKind::BadRegExp, ""))?;
        let message = &mut self.ser.message;
        message.structure.extend_from_slice(&[tag::REGEXP, regexp.flags.bits()]);
        message.string(regexp.source);
        varint::write(&mut message.structure, regexp.last_index);
        message.identities += 1;
        Ok(())
    }

    fn serialize_bytes(self, bytes: &[u8]) -> Result<(), Error> {
        let message = &mut self.ser.message;
        match self.special {
            Special::BigInt => {
                let (sign, magnitude) = num_bigint::BigInt::from_signed_bytes_le(bytes).to_bytes_le();
                let magnitude = if sign == num_bigint::Sign::NoSign { &[][..] } else { &magnitude };
                structure::bigint(&mut message.structure, sign == num_bigint::Sign::Minus, magnitude);
            }
            Special::Buffer => {
                structure::tagged(&mut message.structure, tag::BUFFER, bytes.len() as u64);
                message.payload(8, bytes);
                message.identities += 1;
            }
            Special::TypedArray(kind) if bytes.len().is_multiple_of(kind.size()) => self.ser.typed_array(kind, bytes),
            Special::Message => splice::append(message, bytes)?,
            _ => return self.misuse(),
        }
        Ok(())
    }

    fn serialize_seq(self, len: Option<usize>) -> Result<Self::SerializeSeq, Error> {
        if self.special == Special::Set { self.ser.set(len) } else { self.misuse() }
    }

    fn serialize_map(self, len: Option<usize>) -> Result<Self::SerializeMap, Error> {
        if self.special == Special::Map { self.ser.map(len, true) } else { self.misuse() }
    }

    fn serialize_newtype_struct<T: ?Sized + Serialize>(self, _: &'static str, value: &T) -> Result<(), Error> {
        value.serialize(self)
    }

    fn serialize_some<T: ?Sized + Serialize>(self, _: &T) -> Result<(), Error> {
        self.misuse()
    }

    fn serialize_newtype_variant<T: ?Sized + Serialize>(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: &T,
    ) -> Result<(), Error> {
        self.misuse()
    }

    misuse! {
        serialize_bool(bool) -> ();
        serialize_i8(i8) -> ();
        serialize_i16(i16) -> ();
        serialize_i32(i32) -> ();
        serialize_i64(i64) -> ();
        serialize_u8(u8) -> ();
        serialize_u16(u16) -> ();
        serialize_u32(u32) -> ();
        serialize_u64(u64) -> ();
        serialize_f32(f32) -> ();
        serialize_char(char) -> ();
        serialize_none() -> ();
        serialize_unit() -> ();
        serialize_unit_struct(&'static str) -> ();
        serialize_unit_variant(&'static str, u32, &'static str) -> ();
        serialize_tuple(usize) -> Self::SerializeTuple;
        serialize_tuple_struct(&'static str, usize) -> Self::SerializeTupleStruct;
        serialize_tuple_variant(&'static str, u32, &'static str, usize) -> Self::SerializeTupleVariant;
        serialize_struct(&'static str, usize) -> Self::SerializeStruct;
        serialize_struct_variant(&'static str, u32, &'static str, usize) -> Self::SerializeStructVariant;
    }

    fn is_human_readable(&self) -> bool {
        false
    }
}

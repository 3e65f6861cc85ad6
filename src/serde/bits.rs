//! A look at an element without writing it: the bits of a number. Nothing in it but what a compiler makes vector code of.

use std::fmt;

use serde::ser::{Impossible, Serialize, Serializer};

use super::special::Special;
use crate::wire::ElementKind;

/// Gives a macro the numbers that a packed array can hold: the method, its type, the kind, and what bits it has.
macro_rules! packed_numbers {
    ($made:ident) => {
        $made! {
            serialize_i8 i8, Int8, |n| n as u8 as u64;
            serialize_u8 u8, Uint8, |n| n as u64;
            serialize_i16 i16, Int16, |n| n as u16 as u64;
            serialize_u16 u16, Uint16, |n| n as u64;
            serialize_i32 i32, Int32, |n| n as u32 as u64;
            serialize_u32 u32, Uint32, |n| n as u64;
            serialize_f32 f32, Float32, |n| n.to_bits() as u64;
            serialize_f64 f64, Float64, |n| n.to_bits();
        }
    };
}
pub(super) use packed_numbers;

/// Serializes a number that a packed array can hold to its kind and bits, and refuses everything else.
pub(super) struct Bits;

type Kept = (ElementKind, u64);

macro_rules! kept {
    ($($method:ident $number:ty, $kind:ident, |$n:ident| $bits:expr;)*) => {
        $(#[inline(always)]
        fn $method(self, $n: $number) -> Result<Kept, fmt::Error> {
            Ok((ElementKind::$kind, $bits))
        })*
    };
}

macro_rules! refused {
    ($($method:ident($($ty:ty),*) $result:ty;)*) => {
        $(#[inline(always)]
        fn $method(self $(, _: $ty)*) -> Result<$result, fmt::Error> {
            Err(fmt::Error)
        })*
    };
}

type Never = Impossible<Kept, fmt::Error>;

impl Serializer for Bits {
    type Ok = Kept;
    type Error = fmt::Error;
    type SerializeSeq = Never;
    type SerializeTuple = Never;
    type SerializeTupleStruct = Never;
    type SerializeTupleVariant = Never;
    type SerializeMap = Never;
    type SerializeStruct = Never;
    type SerializeStructVariant = Never;

    packed_numbers!(kept);

    refused! {
        serialize_bool(bool) Kept;
        serialize_i64(i64) Kept;
        serialize_i128(i128) Kept;
        serialize_u64(u64) Kept;
        serialize_u128(u128) Kept;
        serialize_char(char) Kept;
        serialize_str(&str) Kept;
        serialize_bytes(&[u8]) Kept;
        serialize_none() Kept;
        serialize_unit() Kept;
        serialize_unit_struct(&'static str) Kept;
        serialize_unit_variant(&'static str, u32, &'static str) Kept;
        serialize_seq(Option<usize>) Never;
        serialize_tuple(usize) Never;
        serialize_tuple_struct(&'static str, usize) Never;
        serialize_tuple_variant(&'static str, u32, &'static str, usize) Never;
        serialize_map(Option<usize>) Never;
        serialize_struct(&'static str, usize) Never;
        serialize_struct_variant(&'static str, u32, &'static str, usize) Never;
    }

    #[inline(always)]
    fn serialize_some<T: ?Sized + Serialize>(self, _: &T) -> Result<Kept, fmt::Error> {
        Err(fmt::Error)
    }

    #[inline(always)]
    fn serialize_newtype_struct<T: ?Sized + Serialize>(
        self,
        name: &'static str,
        value: &T,
    ) -> Result<Kept, fmt::Error> {
        if Special::from_name(name).is_none() { value.serialize(self) } else { Err(fmt::Error) }
    }

    #[inline(always)]
    fn serialize_newtype_variant<T: ?Sized + Serialize>(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: &T,
    ) -> Result<Kept, fmt::Error> {
        Err(fmt::Error)
    }

    #[inline(always)]
    fn collect_str<T: ?Sized + fmt::Display>(self, _: &T) -> Result<Kept, fmt::Error> {
        Err(fmt::Error)
    }

    #[inline(always)]
    fn is_human_readable(&self) -> bool {
        false
    }
}

//! The bytes of one datum: its tag and what stands right behind it.
//!
//! Knows nothing of graphs, nor of what a container holds.

use byteorder::{ByteOrder, LittleEndian};

use crate::error::{ErrorKind, Fault};
use crate::wire::{ElementKind, Reader};

/// The tags that the original library writes.
#[rustfmt::skip]
pub(super) mod tag {
    pub(in crate::original) const STRING: u8 = 1;
    pub(in crate::original) const U8: u8 = 2;
    pub(in crate::original) const U16: u8 = 4;
    pub(in crate::original) const U32: u8 = 5;
    pub(in crate::original) const U64: u8 = 6;
    pub(in crate::original) const I8: u8 = 7;
    pub(in crate::original) const I16: u8 = 8;
    pub(in crate::original) const I32: u8 = 9;
    pub(in crate::original) const I64: u8 = 10;
    pub(in crate::original) const F64: u8 = 12;
    pub(in crate::original) const TRUE: u8 = 13;
    pub(in crate::original) const FALSE: u8 = 14;
    pub(in crate::original) const NULL: u8 = 15;
    pub(in crate::original) const UNDEFINED: u8 = 16;
    pub(in crate::original) const ARRAY: u8 = 17;
    pub(in crate::original) const RECORD: u8 = 18;
    pub(in crate::original) const SET: u8 = 19;
    pub(in crate::original) const MAP: u8 = 20;
    pub(in crate::original) const DATE: u8 = 21;
    pub(in crate::original) const UINT8_ARRAY: u8 = 22;
    pub(in crate::original) const UINT16_ARRAY: u8 = 23;
    pub(in crate::original) const UINT32_ARRAY: u8 = 24;
    pub(in crate::original) const INT8_ARRAY: u8 = 25;
    pub(in crate::original) const INT16_ARRAY: u8 = 26;
    pub(in crate::original) const INT32_ARRAY: u8 = 27;
    pub(in crate::original) const SYMBOL: u8 = 28;
    pub(in crate::original) const CLASS: u8 = 29;
    pub(in crate::original) const REGEXP: u8 = 30;
    pub(in crate::original) const REFERENCE: u8 = 31;
}

/// A datum; of a container just its head, with how many elements or pairs follow.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Datum<'i> {
    String(&'i str),
    /// With its description, which is empty for a symbol that has none.
    Symbol(&'i str),
    Number(f64),
    /// A BigInt; with dynamic numbers perhaps a Number.
    Int64(i64),
    Bool(bool),
    Null,
    Undefined,
    Array(u32),
    Record(u32),
    Set(u32),
    Map(u32),
    Class {
        index: u32,
        count: u32,
    },
    /// Milliseconds.
    Date(i64),
    Elements(ElementKind, &'i [u8]),
    /// A record follows.
    RegExp,
    /// The absolute offset of a tag.
    Reference(u32),
}

impl<'i> Datum<'i> {
    pub(super) fn read(reader: &mut Reader<'i>) -> Result<Self, Fault> {
        let at = reader.offset();
        Ok(match reader.u8()? {
            tag::STRING => Datum::String(text(reader, at)?),
            tag::SYMBOL => Datum::Symbol(text(reader, at)?),
            tag::U8 => Datum::Number(f64::from(reader.u8()?)),
            tag::U16 => Datum::Number(f64::from(reader.u16()?)),
            tag::U32 => Datum::Number(f64::from(reader.u32()?)),
            // Exact, as it was a Number when it was written.
            tag::U64 => Datum::Number(reader.take(8).map(LittleEndian::read_u64)? as f64),
            tag::I8 => Datum::Number(f64::from(reader.u8()? as i8)),
            tag::I16 => Datum::Number(f64::from(reader.u16()? as i16)),
            tag::I32 => Datum::Number(f64::from(reader.u32()? as i32)),
            tag::I64 => Datum::Int64(reader.take(8).map(LittleEndian::read_i64)?),
            tag::F64 => Datum::Number(reader.f64()?),
            tag::TRUE => Datum::Bool(true),
            tag::FALSE => Datum::Bool(false),
            tag::NULL => Datum::Null,
            tag::UNDEFINED => Datum::Undefined,
            tag::ARRAY => Datum::Array(reader.u32()?),
            tag::RECORD => Datum::Record(reader.u32()?),
            tag::SET => Datum::Set(reader.u32()?),
            tag::MAP => Datum::Map(reader.u32()?),
            tag::DATE => Datum::Date(reader.take(8).map(LittleEndian::read_i64)?),
            tag::UINT8_ARRAY => elements(reader, at, ElementKind::Uint8)?,
            tag::UINT16_ARRAY => elements(reader, at, ElementKind::Uint16)?,
            tag::UINT32_ARRAY => elements(reader, at, ElementKind::Uint32)?,
            tag::INT8_ARRAY => elements(reader, at, ElementKind::Int8)?,
            tag::INT16_ARRAY => elements(reader, at, ElementKind::Int16)?,
            tag::INT32_ARRAY => elements(reader, at, ElementKind::Int32)?,
            tag::CLASS => Datum::Class { index: reader.u32()?, count: reader.u32()? },
            tag::REGEXP => Datum::RegExp,
            tag::REFERENCE => Datum::Reference(reader.u32()?),
            _ => return Err(Fault::new(ErrorKind::BadTag, at)),
        })
    }
}

/// `n` bytes that the datum at `at` claims to have.
fn claimed<'i>(reader: &mut Reader<'i>, at: usize, n: u64) -> Result<&'i [u8], Fault> {
    match usize::try_from(n) {
        Ok(n) if n <= reader.remaining() => reader.take(n),
        _ => Err(Fault::new(ErrorKind::LengthOutOfBounds, at)),
    }
}

fn text<'i>(reader: &mut Reader<'i>, at: usize) -> Result<&'i str, Fault> {
    let length = reader.u32()?;
    let start = reader.offset();
    let bytes = claimed(reader, at, length.into())?;
    simdutf8::compat::from_utf8(bytes).map_err(|error| Fault::new(ErrorKind::InvalidUtf8, start + error.valid_up_to()))
}

fn elements<'i>(reader: &mut Reader<'i>, at: usize, kind: ElementKind) -> Result<Datum<'i>, Fault> {
    let count = u64::from(reader.u32()?);
    Ok(Datum::Elements(kind, claimed(reader, at, count * kind.size() as u64)?))
}

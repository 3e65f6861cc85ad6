//! Sequences of numbers, which go to the data as they are in memory while they stay of one kind.

use std::fmt::Display;
use std::ops::Range;

use serde::ser::{self, Serialize};

use super::compound::{MapSerializer, SeqSerializer, StructSerializer};
use super::records::{self, Before, Watch, WatchedSeq, WatchedStruct};
use super::ser::Serializer;
use crate::error::Error;
use crate::graph::MIN_PACKED;
use crate::wire::{ElementKind, structure, tag};

/// Writes a sequence that gives its elements itself.
#[inline]
pub(super) fn collect(ser: &mut Serializer, mut items: impl Iterator<Item: Serialize>) -> Result<(), Error> {
    use ser::SerializeSeq;
    let (least, most) = items.size_hint();
    let len = most.filter(|&most| most == least);
    if least < MIN_PACKED {
        let mut seq = ser.sequence::<()>(len, false)?;
        items.try_for_each(|item| seq.serialize_element(&item))?;
        return seq.end();
    }
    // The first element tells what it is when it is written.
    let mut pending = Pending { len, ..Pending::default() };
    let mut block = [0; BLOCK];
    let mut n = 'numbers: loop {
        let mut filled = 0;
        while filled < BLOCK {
            let Some(item) = items.next() else {
                return pending.close(ser, &block[..filled]);
            };
            let element = Element { ser: &mut *ser, pending: &mut pending, block: &block[..filled] };
            match item.serialize(element) {
                Ok(Written::Raw(kind, bits)) if kind == pending.kind || pending.kind == UNKNOWN => {
                    pending.kind = kind;
                    block[filled] = bits;
                    filled += 1;
                }
                Ok(Written::Raw(kind, bits)) => {
                    pending.unpack(ser, &block[..filled])?;
                    write_tagged(&mut ser.message.structure, kind, bits);
                    break 'numbers pending.flushed + 1;
                }
                Ok(Written::Plain) => {
                    if let Some(before) =
                        pending.watched.filter(|watch| ser.sketch.is_record(*watch)).and_then(|_| pending.opened())
                    {
                        return records::collect(ser, before, items);
                    }
                    break 'numbers pending.flushed + 1;
                }
                Err(error) => {
                    // Those before it have been flushed if it is no number.
                    let index = pending.flushed + if pending.header.is_some() { 0 } else { filled };
                    return Err(error.within_index(index));
                }
            }
        }
        pending.flush(ser, &block);
    };
    for item in items {
        item.serialize(&mut *ser).map_err(|error| error.within_index(n))?;
        n += 1;
    }
    if let Some(header) = pending.header {
        close_array(ser, header, pending.len, n);
    }
    Ok(())
}

/// What became of an element.
#[derive(Default)]
pub(super) enum Written {
    /// Nothing yet: a number of this kind, with these bits.
    Raw(ElementKind, u64),
    /// It has been written as a value, and so have those before it.
    #[default]
    Plain,
}

/// Numbers are gathered in blocks of this many.
const BLOCK: usize = 64;

/// The kind before the first element; no number has it.
const UNKNOWN: ElementKind = ElementKind::DataView;

/// Elements that are all numbers so far.
struct Pending {
    kind: ElementKind,
    /// How many are in the data already, and where they and what is before them begin.
    flushed: usize,
    start: usize,
    before: usize,
    /// How many elements there will be, if that is known.
    len: Option<usize>,
    /// Where the header of an array is that is not packed, and how many identities were taken before it.
    header: Option<Range<usize>>,
    identities: u32,
    /// The first element is watched, under this number.
    watched: Option<u32>,
}

impl Default for Pending {
    fn default() -> Self {
        Pending {
            kind: UNKNOWN,
            flushed: 0,
            start: 0,
            before: 0,
            len: None,
            header: None,
            identities: 0,
            watched: None,
        }
    }
}

impl Pending {
    /// Moves a block to the data.
    fn flush(&mut self, ser: &mut Serializer, block: &[u64]) {
        let (kind, filled) = (self.kind, block.len());
        if filled == 0 {
            return;
        }
        if self.flushed == 0 {
            self.before = ser.message.data.len();
            ser.message.align(kind.size());
            self.start = ser.message.data.len();
        }
        self.flushed += filled;
        let data = &mut ser.message.data;
        let at = data.len();
        data.resize(at + filled * kind.size(), 0);
        let out = &mut data[at..];
        match kind.size() {
            1 => out.iter_mut().zip(block).for_each(|(out, &bits)| *out = bits as u8),
            2 => {
                let (out, _) = out.as_chunks_mut::<2>();
                out.iter_mut().zip(block).for_each(|(out, &bits)| *out = (bits as u16).to_le_bytes());
            }
            4 => {
                let (out, _) = out.as_chunks_mut::<4>();
                out.iter_mut().zip(block).for_each(|(out, &bits)| *out = (bits as u32).to_le_bytes());
            }
            _ => {
                let (out, _) = out.as_chunks_mut::<8>();
                out.iter_mut().zip(block).for_each(|(out, &bits)| *out = bits.to_le_bytes());
            }
        }
    }

    /// All elements are numbers of one kind: the array is packed.
    fn close(&mut self, ser: &mut Serializer, block: &[u64]) -> Result<(), Error> {
        self.flush(ser, block);
        if self.flushed == 0 {
            // An iterator that promised more.
            use ser::SerializeSeq;
            return ser.sequence::<()>(Some(0), false)?.end();
        }
        ser.message.identities += 1;
        structure::elements(&mut ser.message.structure, tag::ARRAY_PACKED, self.kind, self.flushed);
        Ok(())
    }

    /// An element is not a number of the kind of those before it: writes them as values.
    #[cold]
    fn unpack(&mut self, ser: &mut Serializer, block: &[u64]) -> Result<(), Error> {
        self.flush(ser, block);
        let at = ser.message.structure.len();
        self.identities = ser.message.identities;
        // Opens the array; it is closed by hand.
        let _ = ser.sequence::<()>(self.len, false)?;
        self.header = Some(at..ser.message.structure.len());
        if self.flushed > 0 {
            let (kind, size) = (self.kind, self.kind.size());
            let raw = ser.message.data.split_off(self.start);
            ser.message.data.truncate(self.before);
            for number in raw.chunks_exact(size) {
                let mut bits = [0; 8];
                bits[..size].copy_from_slice(number);
                write_tagged(&mut ser.message.structure, kind, u64::from_le_bytes(bits));
            }
        }
        Ok(())
    }

    /// What was written before the array, if its elements are written as values.
    fn opened(&self) -> Option<Before> {
        let structure = self.header.as_ref()?.start;
        Some(Before { structure, identities: self.identities, len: self.len })
    }
}

/// Closes an array of `n` values, of which `len` were declared in its header.
pub(super) fn close_array(ser: &mut Serializer, header: Range<usize>, len: Option<usize>, n: usize) {
    ser.leave();
    if len != Some(n) {
        let mut right = Vec::new();
        structure::array(&mut right, n);
        ser.message.structure.splice(header, right);
    }
}

/// The number of this kind with these bits, as a value.
fn write_tagged(out: &mut Vec<u8>, kind: ElementKind, bits: u64) {
    match kind {
        ElementKind::Int8 => structure::integer(out, i32::from(bits as i8)),
        ElementKind::Int16 => structure::integer(out, i32::from(bits as i16)),
        ElementKind::Int32 => structure::integer(out, bits as i32),
        ElementKind::Float32 => structure::single(out, f32::from_bits(bits as u32)),
        ElementKind::Float64 => structure::float(out, f64::from_bits(bits)),
        _ => structure::unsigned(out, bits as u32),
    }
}

/// Serializes one element of a sequence that may become a packed array.
struct Element<'r> {
    ser: &'r mut Serializer,
    pending: &'r mut Pending,
    /// The numbers before it that are not in the data yet.
    block: &'r [u64],
}

impl<'r> Element<'r> {
    /// It is no number: those before it are written as values, and it itself by the serializer that this gives.
    fn plain(self) -> Result<&'r mut Serializer, Error> {
        self.pending.unpack(self.ser, self.block)?;
        Ok(self.ser)
    }

    /// It may be a record: the first element is watched.
    fn watched(self) -> Result<(&'r mut Serializer, Watch), Error> {
        let is_first = self.pending.flushed == 0 && self.block.is_empty();
        self.pending.unpack(self.ser, self.block)?;
        let watch = if is_first { Watch::start(self.ser) } else { Watch::NONE };
        self.pending.watched = is_first.then_some(watch.id);
        Ok((self.ser, watch))
    }
}

/// Numbers that are kept raw.
macro_rules! raw {
    ($($method:ident $number:ty, $kind:ident, |$n:ident| $bits:expr;)*) => {
        $(#[inline(always)]
        fn $method(self, $n: $number) -> Result<Written, Error> {
            Ok(Written::Raw(ElementKind::$kind, $bits))
        })*
    };
}

/// Values that are passed to the serializer.
macro_rules! plain {
    ($($method:ident($($arg:ident: $ty:ty),*);)*) => {
        $(fn $method(self $(, $arg: $ty)*) -> Result<Written, Error> {
            self.plain()?.$method($($arg),*)?;
            Ok(Written::Plain)
        })*
    };
}

impl<'r> ser::Serializer for Element<'r> {
    type Ok = Written;
    type Error = Error;
    type SerializeSeq = SeqSerializer<'r, Written>;
    type SerializeTuple = WatchedSeq<'r, Written>;
    type SerializeTupleStruct = WatchedSeq<'r, Written>;
    type SerializeTupleVariant = SeqSerializer<'r, Written>;
    type SerializeMap = MapSerializer<'r, Written>;
    type SerializeStruct = WatchedStruct<'r, Written>;
    type SerializeStructVariant = StructSerializer<'r, Written>;

    raw! {
        serialize_i8 i8, Int8, |n| n as u8 as u64;
        serialize_u8 u8, Uint8, |n| n as u64;
        serialize_i16 i16, Int16, |n| n as u16 as u64;
        serialize_u16 u16, Uint16, |n| n as u64;
        serialize_i32 i32, Int32, |n| n as u32 as u64;
        serialize_u32 u32, Uint32, |n| n as u64;
        serialize_f32 f32, Float32, |n| n.to_bits() as u64;
        serialize_f64 f64, Float64, |n| n.to_bits();
    }

    plain! {
        serialize_bool(v: bool);
        serialize_i64(v: i64);
        serialize_i128(v: i128);
        serialize_u64(v: u64);
        serialize_u128(v: u128);
        serialize_char(v: char);
        serialize_str(v: &str);
        serialize_bytes(v: &[u8]);
        serialize_none();
        serialize_unit();
        serialize_unit_struct(name: &'static str);
        serialize_unit_variant(name: &'static str, index: u32, variant: &'static str);
    }

    fn serialize_some<T: ?Sized + Serialize>(self, value: &T) -> Result<Written, Error> {
        value.serialize(self.plain()?)?;
        Ok(Written::Plain)
    }

    #[inline]
    fn serialize_newtype_struct<T: ?Sized + Serialize>(self, name: &'static str, value: &T) -> Result<Written, Error> {
        if super::special::Special::from_name(name).is_none() {
            return value.serialize(self);
        }
        self.plain()?.serialize_newtype_struct(name, value)?;
        Ok(Written::Plain)
    }

    fn serialize_newtype_variant<T: ?Sized + Serialize>(
        self,
        name: &'static str,
        index: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<Written, Error> {
        self.plain()?.serialize_newtype_variant(name, index, variant, value)?;
        Ok(Written::Plain)
    }

    fn serialize_seq(self, len: Option<usize>) -> Result<Self::SerializeSeq, Error> {
        self.plain()?.sequence(len, false)
    }

    fn serialize_tuple(self, len: usize) -> Result<Self::SerializeTuple, Error> {
        let (ser, watch) = self.watched()?;
        WatchedSeq::open(ser, watch, len)
    }

    fn serialize_tuple_struct(self, _: &'static str, len: usize) -> Result<Self::SerializeTupleStruct, Error> {
        self.serialize_tuple(len)
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        len: usize,
    ) -> Result<Self::SerializeTupleVariant, Error> {
        self.plain()?.tuple_variant(variant, len)
    }

    fn serialize_map(self, len: Option<usize>) -> Result<Self::SerializeMap, Error> {
        self.plain()?.map(len, false)
    }

    fn serialize_struct(self, name: &'static str, _: usize) -> Result<Self::SerializeStruct, Error> {
        let (ser, watch) = self.watched()?;
        WatchedStruct::open(ser, watch, name)
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Self::SerializeStructVariant, Error> {
        self.plain()?.struct_variant(variant)
    }

    fn collect_seq<I>(self, items: I) -> Result<Written, Error>
    where
        I: IntoIterator<Item: Serialize>,
    {
        collect(self.plain()?, items.into_iter())?;
        Ok(Written::Plain)
    }

    fn collect_str<T: ?Sized + Display>(self, value: &T) -> Result<Written, Error> {
        self.plain()?.collect_str(value)?;
        Ok(Written::Plain)
    }

    fn is_human_readable(&self) -> bool {
        false
    }
}

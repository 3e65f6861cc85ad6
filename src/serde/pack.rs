//! Sequences of numbers, which go to the data as they are in memory while they stay of one kind.

use std::fmt::Display;

use serde::ser::{self, Serialize};

use super::bits::{Bits, packed_numbers};
use super::compound::{MapSerializer, SeqSerializer, StructSerializer};
use super::records::{self, Before, Watch, WatchedSeq, WatchedStruct};
use super::ser::Serializer;
use crate::error::Error;
use crate::graph::MIN_PACKED;
use crate::wire::{ElementKind, structure, tag};

/// Writes a sequence that gives its elements itself.
#[inline]
pub(super) fn collect(ser: &mut Serializer, mut items: impl Iterator<Item: Serialize>) -> Result<(), Error> {
    let (least, most) = items.size_hint();
    let len = most.filter(|&most| most == least);
    if least < MIN_PACKED {
        let at = ser.open_array(len)?;
        return rest(ser, at, len, 0, items);
    }
    // The first element tells what it is when it is written.
    let mut pending = Pending { len, ..Pending::default() };
    let n = loop {
        let Some(item) = pending.numbers(ser, &mut items) else { return pending.close(ser) };
        match item.serialize(Element { ser: &mut *ser, pending: &mut pending }) {
            Ok(Written::Raw(kind, bits)) if pending.n == 0 => pending.begin(ser, kind, bits),
            Ok(Written::Raw(kind, bits)) => {
                pending.unpack(ser)?;
                write_tagged(&mut ser.message.structure, kind, bits);
                break pending.n + 1;
            }
            Ok(Written::Plain) => {
                let is_record = |watch: &u32| ser.sketch.is_record(*watch);
                if let Some(before) = pending.watched.filter(is_record).and_then(|_| pending.opened()) {
                    return records::collect(ser, before, items);
                }
                break pending.n + 1;
            }
            Err(error) => return Err(error.within_index(pending.n)),
        }
    };
    match pending.header {
        Some(at) => rest(ser, at, len, n, items),
        None => Ok(()),
    }
}

/// Writes the elements that follow the first `n` of an array that is open, and closes it.
#[inline]
fn rest(
    ser: &mut Serializer,
    at: usize,
    len: Option<usize>,
    mut n: usize,
    items: impl Iterator<Item: Serialize>,
) -> Result<(), Error> {
    for item in items {
        match item.serialize(&mut *ser) {
            Ok(()) => n += 1,
            Err(error) => return Err(error.within_index(n)),
        }
    }
    ser.close_array(at, len, n);
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

/// Room for this many numbers is made at a time.
const BLOCK: usize = 256;

/// The kind before the first element; no number has it.
const UNKNOWN: ElementKind = ElementKind::DataView;

/// Elements that are all numbers so far.
struct Pending {
    kind: ElementKind,
    /// How many there are, all in the data, and where they and what is before them begin.
    n: usize,
    start: usize,
    before: usize,
    /// How many elements there will be, if that is known.
    len: Option<usize>,
    /// Where the header of an array is that is not packed, and how many identities were taken before it.
    header: Option<usize>,
    identities: u32,
    /// The first element is watched, under this number.
    watched: Option<u32>,
}

impl Default for Pending {
    fn default() -> Self {
        Pending { kind: UNKNOWN, n: 0, start: 0, before: 0, len: None, header: None, identities: 0, watched: None }
    }
}

impl Pending {
    /// The first element is a number.
    fn begin(&mut self, ser: &mut Serializer, kind: ElementKind, bits: u64) {
        self.kind = kind;
        self.before = ser.message.data.len();
        ser.message.align(kind.size());
        self.start = ser.message.data.len();
        ser.message.data.extend_from_slice(&bits.to_le_bytes()[..kind.size()]);
        self.n = 1;
    }

    /// Moves numbers to the data while they are of the kind of the first. The first element that is not, if there is one.
    #[inline(always)]
    fn numbers<T: Serialize>(&mut self, ser: &mut Serializer, items: &mut impl Iterator<Item = T>) -> Option<T> {
        let data = &mut ser.message.data;
        match self.kind.size() {
            _ if self.n == 0 => items.next(),
            1 => self.numbers_of::<1, T>(data, items),
            2 => self.numbers_of::<2, T>(data, items),
            4 => self.numbers_of::<4, T>(data, items),
            _ => self.numbers_of::<8, T>(data, items),
        }
    }

    #[inline(always)]
    fn numbers_of<const SIZE: usize, T: Serialize>(
        &mut self,
        data: &mut Vec<u8>,
        items: &mut impl Iterator<Item = T>,
    ) -> Option<T> {
        loop {
            let at = data.len();
            let room = items.size_hint().0.clamp(1, BLOCK);
            data.resize(at + room * SIZE, 0);
            let (places, _) = data[at..].as_chunks_mut::<SIZE>();
            let mut filled = 0;
            let mut other = None;
            let mut is_end = false;
            // Nothing in this loop keeps a compiler from making vector code of it.
            for place in places {
                let Some(item) = items.next() else {
                    is_end = true;
                    break;
                };
                match (item.serialize(Bits), place) {
                    (Ok((kind, bits)), place) if kind == self.kind => {
                        for (byte, place) in bits.to_le_bytes().into_iter().zip(place) {
                            *place = byte;
                        }
                    }
                    _ => {
                        other = Some(item);
                        break;
                    }
                }
                filled += 1;
            }
            data.truncate(at + filled * SIZE);
            self.n += filled;
            if is_end || other.is_some() {
                return other;
            }
        }
    }

    /// All elements are numbers of one kind: the array is packed.
    fn close(&mut self, ser: &mut Serializer) -> Result<(), Error> {
        if self.n == 0 {
            // An iterator that promised more.
            let at = ser.open_array(Some(0))?;
            ser.close_array(at, Some(0), 0);
            return Ok(());
        }
        ser.message.identities += 1;
        structure::elements(&mut ser.message.structure, tag::ARRAY_PACKED, self.kind, self.n);
        Ok(())
    }

    /// An element is not a number of the kind of those before it: writes them as values.
    #[cold]
    fn unpack(&mut self, ser: &mut Serializer) -> Result<(), Error> {
        self.identities = ser.message.identities;
        self.header = Some(ser.open_array(self.len)?);
        if self.n > 0 {
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
        let structure = self.header?;
        Some(Before { structure, identities: self.identities, len: self.len })
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
}

impl<'r> Element<'r> {
    /// It is no number: those before it are written as values, and it itself by the serializer that this gives.
    fn plain(self) -> Result<&'r mut Serializer, Error> {
        self.pending.unpack(self.ser)?;
        Ok(self.ser)
    }

    /// It may be a record: the first element is watched.
    fn watched(self) -> Result<(&'r mut Serializer, Watch), Error> {
        let is_first = self.pending.n == 0;
        self.pending.unpack(self.ser)?;
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

    packed_numbers!(raw);

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
        self.plain()?.sequence(len)
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

//! Sequences of numbers, which go to the data as they are in memory while they stay of one kind.

use serde::ser::Serialize;

use super::bits::Bits;
use super::records::{self, Seen};
use super::ser::Serializer;
use crate::error::Error;
use crate::graph::MIN_PACKED;
use crate::wire::{ElementKind, structure, tag};

/// Writes a sequence that gives its elements itself.
#[inline]
pub(super) fn collect(ser: &mut Serializer, mut items: impl Iterator<Item: Serialize>) -> Result<(), Error> {
    let (least, most) = items.size_hint();
    let len = most.filter(|&most| most == least);
    if least >= MIN_PACKED
        && let Some(first) = items.next()
    {
        return match records::look(ser, &first) {
            Seen::Number(kind, bits) => pack(ser, len, kind, bits, items),
            Seen::Record => records::collect(ser, len, items),
            Seen::Other => values(ser, len, first, items),
        };
    }
    let at = ser.open_array(len)?;
    rest(ser, at, len, 0, items)
}

/// Writes `first` and the `items` as values.
#[inline]
fn values<T: Serialize>(
    ser: &mut Serializer,
    len: Option<usize>,
    first: T,
    items: impl Iterator<Item = T>,
) -> Result<(), Error> {
    let at = ser.open_array(len)?;
    first.serialize(&mut *ser).map_err(|error| error.within_index(0))?;
    rest(ser, at, len, 1, items)
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

/// Writes an array whose first element is a number of this kind, with these bits: packed, if the other `items` are of it too.
#[inline]
fn pack(
    ser: &mut Serializer,
    len: Option<usize>,
    kind: ElementKind,
    bits: u64,
    mut items: impl Iterator<Item: Serialize>,
) -> Result<(), Error> {
    let data = &mut ser.message.data;
    let before = data.len();
    data.resize(before.next_multiple_of(kind.size()), 0);
    let start = data.len();
    data.extend_from_slice(&bits.to_le_bytes()[..kind.size()]);
    let other = match kind.size() {
        1 => more::<1, _>(data, kind, &mut items),
        2 => more::<2, _>(data, kind, &mut items),
        4 => more::<4, _>(data, kind, &mut items),
        _ => more::<8, _>(data, kind, &mut items),
    };
    let n = (data.len() - start) / kind.size();
    let Some(other) = other else {
        ser.message.identities += 1;
        structure::elements(&mut ser.message.structure, tag::ARRAY_PACKED, kind, n);
        return Ok(());
    };
    let at = unpack(ser, len, kind, start)?;
    ser.message.data.truncate(before);
    other.serialize(&mut *ser).map_err(|error| error.within_index(n))?;
    rest(ser, at, len, n + 1, items)
}

/// Room for this many numbers is made at a time.
const BLOCK: usize = 256;

/// Moves numbers to the data while they are of this kind. The first element that is not, if there is one.
#[inline(always)]
fn more<const SIZE: usize, T: Serialize>(
    data: &mut Vec<u8>,
    kind: ElementKind,
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
                (Ok((its, bits)), place) if its == kind => {
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
        if is_end || other.is_some() {
            return other;
        }
    }
}

/// Writes the numbers that are in the data from `start` as values of an array that is now open: where its header is.
#[cold]
fn unpack(ser: &mut Serializer, len: Option<usize>, kind: ElementKind, start: usize) -> Result<usize, Error> {
    let raw = ser.message.data.split_off(start);
    let at = ser.open_array(len)?;
    for number in raw.chunks_exact(kind.size()) {
        let mut bits = [0; 8];
        bits[..kind.size()].copy_from_slice(number);
        write_tagged(&mut ser.message.structure, kind, u64::from_le_bytes(bits));
    }
    Ok(at)
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

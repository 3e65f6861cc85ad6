//! Appending items to a structure, each in its shortest form (`spec/format.md`, sections 3 and 9).
//!
//! Both encoders write through these functions: that of graphs, and those that have no graph.

use std::hint::select_unpredictable;

use super::{ElementKind, tag, varint};

/// A tag without anything after it.
#[inline]
pub(crate) fn bare(out: &mut Vec<u8>, tag: u8) {
    // Room is made apart: see `put`.
    if out.len() == out.capacity() { put_with_room(out, u64::from(tag), 1) } else { out.push(tag) }
}

/// A tag that holds its number in itself up to `max`, and one that is followed by a varint.
#[inline]
fn counted(out: &mut Vec<u8>, short: u8, max: u64, long: u8, n: u64) {
    if n <= max {
        bare(out, short + n as u8);
    } else {
        tagged_apart(out, long, n);
    }
}

/// [`tagged`], out of the way of what is usual.
#[inline(never)]
fn tagged_apart(out: &mut Vec<u8>, tag: u8, n: u64) {
    tagged(out, tag, n);
}

/// A tag and a varint: a count, a length, an index.
#[inline]
pub(crate) fn tagged(out: &mut Vec<u8>, tag: u8, n: u64) {
    out.push(tag);
    varint::write(out, n);
}

/// A string of `len` bytes, which go to the text.
#[inline]
pub(crate) fn string(out: &mut Vec<u8>, len: usize) {
    counted(out, tag::STRING, tag::STRING_MAX, tag::STRING_LONG, len as u64);
}

/// An array of `len` elements, which follow.
#[inline]
pub(crate) fn array(out: &mut Vec<u8>, len: usize) {
    counted(out, tag::ARRAY, tag::ARRAY_MAX, tag::ARRAY_LONG, len as u64);
}

/// An object of the shape with this number; its values follow.
#[inline]
pub(crate) fn object(out: &mut Vec<u8>, shape: u32) {
    counted(out, tag::OBJECT, tag::OBJECT_MAX, tag::OBJECT_LONG, u64::from(shape));
}

/// A packed array or a typed array of `len` elements, which go to the data.
#[inline]
pub(crate) fn elements(out: &mut Vec<u8>, tag: u8, kind: ElementKind, len: usize) {
    let (tag, kind) = (u64::from(tag), u64::from(kind.code()));
    put(out, tag | kind << 8 | (len as u64 & 0x7F) << 16, 3);
    if len > 0x7F {
        out.truncate(out.len() - 1);
        varint::write(out, len as u64);
    }
}

/// A BigInt; `magnitude` is little-endian and without zero bytes at its end.
pub(crate) fn bigint(out: &mut Vec<u8>, negative: bool, magnitude: &[u8]) {
    tagged(out, if negative { tag::BIGINT_NEGATIVE } else { tag::BIGINT }, magnitude.len() as u64);
    out.extend_from_slice(magnitude);
}

/// A Date; NaN takes one form.
pub(crate) fn date(out: &mut Vec<u8>, ms: f64) {
    out.push(tag::DATE);
    double(out, ms);
}

/// An item of at most five bytes, the first of them lowest, and how many they are.
pub(crate) type Short = (u64, usize);

/// A number.
#[inline(always)]
pub(crate) fn number(out: &mut Vec<u8>, number: f64) {
    match short_number(number) {
        Some((item, len)) => put(out, item, len),
        None => {
            out.push(tag::F64);
            double(out, number);
        }
    }
}

/// A number, unless it takes all bytes of a double.
#[inline(always)]
pub(crate) fn short_number(number: f64) -> Option<Short> {
    // Added to a small number, this leaves its integer in the lowest bits: cheaper than a conversion that has to be right for
    // all numbers. What was no integer of 32 bits is not what it was; neither is −0.
    const INTEGER_IN_LOW_BITS: f64 = 6_755_399_441_055_744.0;
    let int = (number + INTEGER_IN_LOW_BITS).to_bits() as i32;
    if f64::from(int).to_bits() == number.to_bits() {
        return Some(short_integer(int));
    }
    if number >= 2_147_483_648.0 && f64::from(number as u32) == number {
        return Some(short_unsigned(number as u32));
    }
    short_float(number)
}

/// A number that is an `f32`.
#[inline(always)]
pub(crate) fn short_number_single(number: f32) -> Short {
    const EXPONENT_OF_ONE: u32 = 127;
    const FRACTION_BITS: u32 = 23;
    let bits = number.to_bits();
    let exponent = (bits >> FRACTION_BITS) & 0xFF;
    // From 1 on, and with something behind the point: what most are that are no integers.
    let integer_bits = exponent.wrapping_sub(EXPONENT_OF_ONE);
    if integer_bits < FRACTION_BITS && bits << (32 - FRACTION_BITS + integer_bits) != 0 {
        return short_single(number);
    }
    if bits == 0 || exponent >= EXPONENT_OF_ONE {
        let (int, wide) = (number as i32, f64::from(number));
        if f64::from(int) == wide {
            return short_integer(int);
        }
        if number >= 2_147_483_648.0 && f64::from(number as u32) == wide {
            return short_unsigned(number as u32);
        }
    }
    short_single(if number.is_nan() { f32::NAN } else { number })
}

/// An item.
#[inline]
pub(crate) fn short(out: &mut Vec<u8>, (item, len): Short) {
    put(out, item, len);
}

/// A number that is an `i32`.
#[inline]
pub(crate) fn integer(out: &mut Vec<u8>, n: i32) {
    let (item, len) = short_integer(n);
    put(out, item, len);
}

/// A number that is a `u32`.
#[inline]
pub(crate) fn unsigned(out: &mut Vec<u8>, n: u32) {
    let (item, len) = short_unsigned(n);
    put(out, item, len);
}

/// A number that is an `i32`.
#[inline(always)]
pub(crate) fn short_integer(n: i32) -> Short {
    // Neither sign nor size can be predicted, so there is no branch on them. A negative number takes the bits of its
    // complement, and one more for the sign.
    let sign = n >> 31;
    sized(((n ^ sign) as u32 | 1).ilog2() + (sign as u32 & 32), n as u32)
}

/// A number that is a `u32`.
#[inline(always)]
pub(crate) fn short_unsigned(n: u32) -> Short {
    sized((n | 1).ilog2(), n)
}

/// A number that is a `u8`.
#[inline(always)]
pub(crate) fn short_byte(n: u8) -> Short {
    one_byte(tag::U8, n)
}

/// A number that is an `i8`.
#[inline(always)]
pub(crate) fn short_signed_byte(n: i8) -> Short {
    one_byte(tag::U8 + ((n >> 7) as u8 & (tag::I8 - tag::U8)), n as u8)
}

#[inline(always)]
fn one_byte(tag: u8, n: u8) -> Short {
    let is_long = n > tag::INT_MAX;
    let (short, long) = (u64::from(tag::INT | n), u64::from(tag) | u64::from(n) << 8);
    (select_unpredictable(is_long, long, short), 1 + usize::from(is_long))
}

/// The tag of an integer that is not in its tag, by its highest bit, and how many bytes both take, or one; 32 more for a
/// negative one.
const SIZES: [(u8, u8); 64] = {
    let mut sizes = [(0, 0); 64];
    let mut bit = 0;
    while bit < 32 {
        let more = (bit > 5) as u8 + (bit > 7) as u8 + (bit > 15) as u8;
        sizes[bit] = (tag::U8 - 1 + more, 1 + more + (more == 3) as u8);
        let more = 1 + (bit > 6) as u8 + (bit > 14) as u8;
        sizes[32 + bit] = (tag::I8 - 1 + more, 1 + more + (more == 3) as u8);
        bit += 1;
    }
    sizes
};

#[inline(always)]
fn sized(bit: u32, n: u32) -> Short {
    let (tag, len) = SIZES[bit as usize & 63];
    let item = u64::from(tag) | u64::from(n) << 8;
    // The mask says to a compiler that it is no more than eight.
    (select_unpredictable(n <= u32::from(tag::INT_MAX), u64::from(n), item), usize::from(len & 7))
}

/// How many bytes [`row`] takes.
pub(crate) const MAX_ROW: usize = size_of::<u64>();

/// `n` items of a byte each, the first of them lowest.
#[inline]
pub(crate) fn row(out: &mut Vec<u8>, items: u64, n: usize) {
    put(out, items, n);
}

/// The `len` lowest bytes of `item`. All are written and what is too much is taken back.
#[inline]
fn put(out: &mut Vec<u8>, item: u64, len: usize) {
    // Room is made apart, so that there is no call on this path, nor what has to be kept over one.
    if out.capacity() - out.len() < size_of::<u64>() {
        return put_with_room(out, item, len);
    }
    let at = out.len();
    out.extend_from_slice(&item.to_le_bytes());
    out.truncate(at + len);
}

#[cold]
#[inline(never)]
fn put_with_room(out: &mut Vec<u8>, item: u64, len: usize) {
    out.extend_from_slice(&item.to_le_bytes()[..len]);
}

/// A number as a float, whether or not it is an integer: the 32-bit one where that is exact.
#[inline]
pub(crate) fn float(out: &mut Vec<u8>, number: f64) {
    match short_float(number) {
        Some((item, len)) => put(out, item, len),
        None => {
            out.push(tag::F64);
            double(out, number);
        }
    }
}

/// A number as a 32-bit float, where that is exact.
#[inline]
fn short_float(number: f64) -> Option<Short> {
    let narrow = if number.is_nan() { f32::NAN } else { number as f32 };
    (f64::from(narrow) == number || number.is_nan()).then(|| short_single(narrow))
}

#[inline]
fn short_single(number: f32) -> Short {
    (u64::from(tag::F32) | u64::from(number.to_bits()) << 8, 5)
}

/// A number as the 32-bit float that it is.
#[inline]
pub(crate) fn single(out: &mut Vec<u8>, number: f32) {
    let (item, len) = short_single(number);
    put(out, item, len);
}

/// The eight bytes of a double; NaN takes one form.
fn double(out: &mut Vec<u8>, number: f64) {
    let number = if number.is_nan() { f64::NAN } else { number };
    out.extend_from_slice(&number.to_le_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_byte_is_written_as_the_integer_that_it_is() {
        for n in 0..=u8::MAX {
            let bytes = |(item, len): Short| item.to_le_bytes()[..len].to_vec();
            assert_eq!(bytes(short_byte(n)), bytes(short_unsigned(n.into())));
            assert_eq!(bytes(short_signed_byte(n as i8)), bytes(short_integer((n as i8).into())));
        }
    }

    #[test]
    fn a_single_is_written_as_the_double_that_it_is() {
        // Every exponent and both signs, with fractions that end at every bit.
        for high in 0..=0x1FF_u32 {
            for fraction in (0..23).flat_map(|bit| [0, 1 << bit, (1 << bit) - 1, !0 << bit & 0x7F_FFFF]) {
                let number = f32::from_bits(high << 23 | fraction);
                assert_eq!(Some(short_number_single(number)), short_number(f64::from(number)), "{number}");
            }
        }
    }

    #[test]
    fn a_number_takes_its_shortest_form() {
        for (n, bytes) in [
            (0.0, &[0x00][..]),
            (63.0, &[0x3F]),
            (64.0, &[tag::U8, 64]),
            (256.0, &[tag::U16, 0, 1]),
            (65536.0, &[tag::U32, 0, 0, 1, 0]),
            (4294967295.0, &[tag::U32, 255, 255, 255, 255]),
            (2147483647.0, &[tag::U32, 255, 255, 255, 127]),
            (-1.0, &[tag::I8, 255]),
            (-128.0, &[tag::I8, 0x80]),
            (-129.0, &[tag::I16, 0x7F, 0xFF]),
            (-32768.0, &[tag::I16, 0, 0x80]),
            (-32769.0, &[tag::I32, 0xFF, 0x7F, 0xFF, 0xFF]),
            (-2147483648.0, &[tag::I32, 0, 0, 0, 0x80]),
            (-0.0, &[tag::F32, 0, 0, 0, 0x80]),
            (0.5, &[tag::F32, 0, 0, 0, 0x3F]),
            (2147483648.0, &[tag::U32, 0, 0, 0, 0x80]),
            (4294967296.0, &[tag::F32, 0, 0, 0x80, 0x4F]),
            (-2147483648.0, &[tag::I32, 0, 0, 0, 0x80]),
            (-4294967296.0, &[tag::F32, 0, 0, 0x80, 0xCF]),
            (1.5, &[tag::F32, 0, 0, 0xC0, 0x3F]),
            (-1.5, &[tag::F32, 0, 0, 0xC0, 0xBF]),
            (f64::INFINITY, &[tag::F32, 0, 0, 0x80, 0x7F]),
            (f64::NAN, &[tag::F32, 0, 0, 0xC0, 0x7F]),
        ] {
            let mut out = Vec::new();
            number(&mut out, n);
            assert_eq!(out, bytes, "{n}");
            let narrow = n as f32;
            if f64::from(narrow) == n || n.is_nan() {
                let (short, len) = short_number_single(narrow);
                assert_eq!(short.to_le_bytes()[..len], *bytes, "{n}");
            }
        }
    }
}

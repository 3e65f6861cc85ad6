//! The layout of records: what an array of them has in common, so that each is its numbers alone
//! (`spec/format.md`, section 8).

use byteorder::{ByteOrder, LittleEndian as Le};

use super::{ElementKind, Reader, structure, tag, varint};
use crate::error::{ErrorKind, Fault};

/// First bytes of a layout beyond those of the kinds of number.
pub(crate) const BOOLEAN: u8 = 0x0D;
pub(crate) const OBJECT: u8 = 0x0E;
pub(crate) const ARRAY: u8 = 0x0F;

/// A record holds at most so many values, with itself.
pub(crate) const MAX_VALUES: usize = 255;
/// And at most so many for each of its bytes: what is made of a message is bounded by its length.
const MAX_VALUES_PER_BYTE: usize = 2;

/// Integers of this magnitude and below are Numbers, exactly.
const MAX_EXACT: u64 = 1 << 53;

/// A layout, value by value in the order in which a reader reads.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Layout {
    pub(crate) values: Vec<Value>,
    /// Bytes of a record.
    pub(crate) size: usize,
    /// Identities that a record takes.
    pub(crate) objects: usize,
    /// How many objects stand in one another.
    pub(crate) depth: usize,
}

/// A value of a record.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Value {
    pub(crate) what: What,
    /// Where in a record it begins.
    pub(crate) at: u32,
    /// Values directly in it.
    pub(crate) count: u32,
    /// The place in the layout behind it and all in it.
    pub(crate) end: u32,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum What {
    Number(ElementKind),
    Boolean,
    /// An object of the shape with this number.
    Object(u32),
    Array,
}

/// A value that holds no others.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Scalar {
    Boolean(bool),
    Integer(i64),
    /// One that may be too large for an `i64`.
    Unsigned(u64),
    Single(f32),
    Double(f64),
}

/// Records, lent.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Records<'a> {
    /// The layout as it stands in the structure: it has been read once and is right.
    pub(crate) layout: &'a [u8],
    pub(crate) n: u32,
    pub(crate) bytes: &'a [u8],
    /// Identities that the array and all in it take.
    pub(crate) identities: u32,
}

impl What {
    /// Bytes of a value that holds no others.
    pub(crate) fn size(self) -> usize {
        match self {
            What::Number(kind) => kind.size(),
            What::Boolean => 1,
            What::Object(_) | What::Array => 0,
        }
    }

    pub(crate) fn is_object(self) -> bool {
        matches!(self, What::Object(_) | What::Array)
    }
}

/// Whether a record may hold numbers of this kind.
pub(crate) fn lays(kind: ElementKind) -> bool {
    !matches!(kind, ElementKind::Uint8Clamped | ElementKind::Float16 | ElementKind::DataView)
}

impl Layout {
    /// Reads the layout of the records whose tag is at `at`. `keys` says how many keys a shape has, if it is plain.
    pub(crate) fn read(
        reader: &mut Reader<'_>,
        at: usize,
        keys: impl Fn(u64) -> Result<u64, ErrorKind>,
    ) -> Result<Layout, Fault> {
        let bad = |kind| Fault::new(kind, at);
        let mut layout = Layout::default();
        // The containers that are open: their place, and how many values they still have to come.
        let mut open: Vec<(usize, u64)> = Vec::new();
        loop {
            let (what, count) = match reader.u8()? {
                BOOLEAN => (What::Boolean, 0),
                OBJECT => {
                    let shape = reader.varint()?;
                    (What::Object(shape as u32), keys(shape).map_err(bad)?)
                }
                ARRAY => (What::Array, reader.varint()?),
                code => match ElementKind::from_code(code).filter(|&kind| lays(kind)) {
                    Some(kind) => (What::Number(kind), 0),
                    None => return Err(bad(ErrorKind::BadKind)),
                },
            };
            // The values that it is known to have are not read first.
            if layout.values.len() as u64 + count.saturating_add(1) > MAX_VALUES as u64 {
                return Err(bad(ErrorKind::BadArray));
            }
            let place = layout.values.len();
            layout.values.push(Value { what, at: layout.size as u32, count: count as u32, end: place as u32 + 1 });
            layout.size += what.size();
            layout.objects += usize::from(what.is_object());
            layout.depth = layout.depth.max(open.len() + usize::from(what.is_object()));
            if count > 0 {
                open.push((place, count));
                continue;
            }
            loop {
                match open.last_mut() {
                    None => return Ok(layout),
                    Some((_, left)) if *left > 1 => {
                        *left -= 1;
                        break;
                    }
                    Some((place, _)) => {
                        layout.values[*place].end = layout.values.len() as u32;
                        open.pop();
                    }
                }
            }
        }
    }

    /// Sees that `n` records can stand in an array whose tag is at `at`: how many identities it takes with them.
    pub(crate) fn admit(&self, n: u64, at: usize) -> Result<u32, Fault> {
        if n > u64::from(u32::MAX) || self.values.len() > MAX_VALUES_PER_BYTE * self.size {
            return Err(Fault::new(ErrorKind::BadArray, at));
        }
        let identities = n * self.objects as u64 + 1;
        u32::try_from(identities).map_err(|_| Fault::new(ErrorKind::LimitExceeded, at))
    }

    /// The layout that `bytes` begin with, which has been read before.
    pub(crate) fn again(bytes: &[u8], keys: impl Fn(u64) -> Result<u64, ErrorKind>) -> Layout {
        Layout::read(&mut Reader::new(bytes, 0), 0, keys).unwrap_or_default()
    }

    /// Writes the layout, with shapes by the numbers that `number` gives.
    pub(crate) fn write(&self, out: &mut Vec<u8>, mut number: impl FnMut(u32) -> u32) {
        for value in &self.values {
            match value.what {
                What::Number(kind) => out.push(kind.code()),
                What::Boolean => out.push(BOOLEAN),
                What::Object(shape) => {
                    out.push(OBJECT);
                    varint::write(out, u64::from(number(shape)));
                }
                What::Array => {
                    out.push(ARRAY);
                    varint::write(out, u64::from(value.count));
                }
            }
        }
    }

    /// Writes the value at `place`, and all in it, as ordinary values; shapes by the numbers that `number` gives.
    pub(crate) fn write_values(
        &self,
        out: &mut Vec<u8>,
        place: usize,
        record: &[u8],
        mut number: impl FnMut(u32) -> u32,
    ) {
        let end = self.values.get(place).map_or(0, |value| value.end as usize);
        for (place, value) in self.values.iter().enumerate().take(end).skip(place) {
            match value.what {
                What::Object(shape) => structure::object(out, number(shape)),
                What::Array => structure::array(out, value.count as usize),
                _ => match self.scalar(place, record) {
                    Some(Scalar::Boolean(flag)) => out.push(if flag { tag::TRUE } else { tag::FALSE }),
                    Some(Scalar::Single(n)) => structure::single(out, n),
                    Some(Scalar::Double(n)) => structure::float(out, n),
                    Some(integer) => match integer.number() {
                        Ok(n) => structure::number(out, n),
                        Err((negative, n)) => structure::bigint(out, negative, magnitude(&n.to_le_bytes())),
                    },
                    None => {}
                },
            }
        }
    }

    /// The value at a place of the layout, in a record; `None` for one that holds others.
    #[inline]
    pub(crate) fn scalar(&self, place: usize, record: &[u8]) -> Option<Scalar> {
        let value = self.values.get(place)?;
        scalar(value.what, record.get(value.at as usize..)?)
    }

    /// The place of child `n` of the container at `place`.
    pub(crate) fn child(&self, place: usize, n: usize) -> Option<usize> {
        let container = self.values.get(place)?;
        if n >= container.count as usize {
            return None;
        }
        (0..n).try_fold(place + 1, |place, _| Some(self.values.get(place)?.end as usize))
    }
}

/// The value that `bytes` begin with.
#[inline]
pub(crate) fn scalar(what: What, bytes: &[u8]) -> Option<Scalar> {
    let bytes = bytes.get(..what.size())?;
    Some(match what {
        What::Boolean => Scalar::Boolean(bytes[0] != 0),
        What::Number(kind) => match kind {
            ElementKind::Int8 => Scalar::Integer(i64::from(bytes[0] as i8)),
            ElementKind::Int16 => Scalar::Integer(i64::from(Le::read_i16(bytes))),
            ElementKind::Uint16 => Scalar::Integer(i64::from(Le::read_u16(bytes))),
            ElementKind::Int32 => Scalar::Integer(i64::from(Le::read_i32(bytes))),
            ElementKind::Uint32 => Scalar::Integer(i64::from(Le::read_u32(bytes))),
            ElementKind::Float32 => Scalar::Single(Le::read_f32(bytes)),
            ElementKind::Float64 => Scalar::Double(Le::read_f64(bytes)),
            ElementKind::BigInt64 => Scalar::Integer(Le::read_i64(bytes)),
            ElementKind::BigUint64 => Scalar::Unsigned(Le::read_u64(bytes)),
            _ => Scalar::Integer(i64::from(bytes[0])),
        },
        What::Object(_) | What::Array => return None,
    })
}

impl Scalar {
    /// The Number that it is; `Err` with sign and magnitude for an integer that is none exactly.
    pub(crate) fn number(self) -> Result<f64, (bool, u64)> {
        let integer = |negative, magnitude| match magnitude {
            ..=MAX_EXACT if negative => Ok(-(magnitude as f64)),
            ..=MAX_EXACT => Ok(magnitude as f64),
            _ => Err((negative, magnitude)),
        };
        match self {
            Scalar::Boolean(flag) => Ok(f64::from(u8::from(flag))),
            Scalar::Integer(n) => integer(n < 0, n.unsigned_abs()),
            Scalar::Unsigned(n) => integer(false, n),
            Scalar::Single(n) => Ok(f64::from(n)),
            Scalar::Double(n) => Ok(n),
        }
    }
}

/// The bytes of a BigInt's magnitude.
pub(crate) fn magnitude(n: &[u8; 8]) -> &[u8] {
    let zeros = n.iter().rev().take_while(|&&byte| byte == 0).count();
    &n[..8 - zeros]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Shape 0 has two keys, shape 1 none, shape 2 is no plain one.
    fn read(bytes: &[u8]) -> Result<Layout, ErrorKind> {
        let keys = |shape| [Ok(2), Ok(0), Err(ErrorKind::WrongType)].get(shape as usize).copied();
        let keys = |shape| keys(shape).unwrap_or(Err(ErrorKind::UnknownShape));
        let mut reader = Reader::new(bytes, 0);
        let layout = Layout::read(&mut reader, 0, keys).map_err(|fault| fault.kind)?;
        assert_eq!(reader.remaining(), 0);
        layout.admit(1, 0).map_err(|fault| fault.kind)?;
        Ok(layout)
    }

    #[test]
    fn values_stand_one_behind_the_other_in_the_order_of_reading() {
        let layout = read(&[OBJECT, 0, ARRAY, 2, 0x08, 0x09, BOOLEAN]).unwrap();
        let values = layout.values.iter().map(|value| (value.at, value.count, value.end));
        assert_eq!(values.collect::<Vec<_>>(), [(0, 2, 5), (0, 2, 4), (0, 0, 3), (4, 0, 4), (12, 0, 5)]);
        assert_eq!((layout.size, layout.objects, layout.depth), (13, 2, 2));
        assert_eq!([layout.child(0, 0), layout.child(0, 1), layout.child(0, 2)], [Some(1), Some(4), None]);
        let mut again = Vec::new();
        layout.write(&mut again, |shape| shape);
        assert_eq!(again, [OBJECT, 0, ARRAY, 2, 0x08, 0x09, BOOLEAN]);
    }

    #[test]
    fn a_layout_that_is_not_right_is_told() {
        for (bytes, kind) in [
            (&[][..], ErrorKind::Truncated),
            (&[OBJECT, 0, 8], ErrorKind::Truncated),
            (&[2], ErrorKind::BadKind),
            (&[7], ErrorKind::BadKind),
            (&[12], ErrorKind::BadKind),
            (&[16], ErrorKind::BadKind),
            (&[OBJECT, 2], ErrorKind::WrongType),
            (&[OBJECT, 3], ErrorKind::UnknownShape),
            (&[OBJECT, 1], ErrorKind::BadArray),
            (&[ARRAY, 0], ErrorKind::BadArray),
            (&[ARRAY, 1, ARRAY, 1, 1], ErrorKind::BadArray),
            (&[ARRAY, 0xFF, 1], ErrorKind::BadArray),
        ] {
            assert_eq!(read(bytes), Err(kind), "{bytes:?}");
        }
        assert!(read(&[ARRAY, 1, 1]).is_ok());
    }

    #[test]
    fn integers_are_numbers_as_long_as_those_hold_them() {
        assert_eq!(Scalar::Unsigned(1 << 53).number(), Ok(9007199254740992.0));
        assert_eq!(Scalar::Unsigned((1 << 53) + 1).number(), Err((false, (1 << 53) + 1)));
        assert_eq!(Scalar::Integer(i64::MIN).number(), Err((true, 1 << 63)));
        assert_eq!(Scalar::Integer(-(1 << 53)).number(), Ok(-9007199254740992.0));
        assert_eq!(magnitude(&0x1234u64.to_le_bytes()), [0x34, 0x12]);
    }
}

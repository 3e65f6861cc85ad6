//! Numbers and booleans.

use num_bigint::{BigInt, Sign};

use crate::class::{Copier, Field, Identity, Items, Reader, Rest, Writer};
use crate::error::{Error, ErrorKind, Fault};
use crate::wire::{structure, tag};

/// Integers beyond ±(2⁵³−1) are BigInts, as a Number can't tell them apart.
const MAX_SAFE: i128 = (1 << 53) - 1;

/// An integer as the message has it.
#[inline(always)]
fn read_integer<T: TryFrom<i64> + TryFrom<i128>>(from: &mut Reader<'_>, name: &str) -> Result<T, Error> {
    let at = from.source.structure.offset();
    let tag = from.source.structure.u8()?;
    // Every type holds what a tag holds.
    match T::try_from(i64::from(tag)) {
        Ok(small) if tag < tag::STRING => Ok(small),
        _ => read_sized(from, tag, at, name),
    }
}

/// An integer whose tag says how many bytes it has.
fn read_sized<T: TryFrom<i64> + TryFrom<i128>>(
    from: &mut Reader<'_>,
    tag: u8,
    at: usize,
    name: &str,
) -> Result<T, Error> {
    let n: i64 = match tag {
        tag::U8 => i64::from(from.source.structure.u8()?),
        tag::U16 => i64::from(from.source.structure.u16()?),
        tag::U32 => i64::from(from.source.structure.u32()?),
        tag::I8 => i64::from(from.source.structure.u8()? as i8),
        tag::I16 => i64::from(from.source.structure.u16()? as i16),
        tag::I32 => i64::from(from.source.structure.u32()? as i32),
        tag => return read_wide(from, tag, at).and_then(|n| T::try_from(n).map_err(|_| out_of_range(n, name, at))),
    };
    T::try_from(n).map_err(|_| out_of_range(i128::from(n), name, at))
}

#[cold]
fn out_of_range(n: i128, name: &str, at: usize) -> Error {
    Error::new(ErrorKind::WrongType, format!("{n} does not fit {name}")).at_offset(at)
}

/// An integer in another form: a float without a fraction, or a BigInt.
fn read_wide(from: &mut Reader<'_>, tag: u8, at: usize) -> Result<i128, Error> {
    match tag {
        tag::F32 | tag::F64 => {
            let number =
                if tag == tag::F32 { f64::from(from.source.structure.f32()?) } else { from.source.structure.f64()? };
            integer_of(number).ok_or_else(|| {
                Error::new(ErrorKind::WrongType, format!("expected an integer, found {number}")).at_offset(at)
            })
        }
        tag::BIGINT | tag::BIGINT_NEGATIVE => {
            let (negative, magnitude) = read_magnitude(from, tag, at)?;
            let mut bytes = [0; 16];
            let low = magnitude.get(..16).unwrap_or(magnitude);
            bytes[..low.len()].copy_from_slice(low);
            let n = i128::from_le_bytes(bytes);
            let fits = magnitude.len() <= 16 && n >= 0;
            match fits {
                true => Ok(if negative { -n } else { n }),
                false => Err(Error::new(ErrorKind::WrongType, "a BigInt beyond 128 bits").at_offset(at)),
            }
        }
        _ => Err(from.wrong(at, "a number")),
    }
}

/// The integer that a Number is, if it is one that it holds exactly.
#[inline]
fn integer_of(number: f64) -> Option<i128> {
    let n = number as i64;
    let is_safe = i128::from(n).abs() <= MAX_SAFE;
    (n as f64 == number && is_safe).then_some(i128::from(n))
}

fn read_magnitude<'a>(from: &mut Reader<'a>, tag: u8, at: usize) -> Result<(bool, &'a [u8]), Error> {
    let n = from.source.structure.varint()?;
    let magnitude = from.source.structure.take(usize::try_from(n).unwrap_or(usize::MAX))?;
    let negative = tag == tag::BIGINT_NEGATIVE;
    if magnitude.last().map_or(negative, |&top| top == 0) {
        return Err(Fault::new(ErrorKind::BadBigInt, at).into());
    }
    Ok((negative, magnitude))
}

fn write_bigint(to: &mut Writer, negative: bool, magnitude: &[u8]) {
    let len = magnitude.len() - magnitude.iter().rev().take_while(|&&byte| byte == 0).count();
    structure::bigint(&mut to.message.structure, negative, &magnitude[..len]);
}

/// Integers that are always exact as a Number.
macro_rules! small_integers {
    ($($int:ident $write:ident as $wide:ty, $short:ident as $narrow:ty;)*) => {
        $(impl Field for $int {
            const IDENTITY: Identity = Identity::Boxed;

            fn type_name() -> String {
                stringify!($int).to_owned()
            }

            #[inline]
            fn write(&self, to: &mut Writer) -> Result<(), Error> {
                structure::$write(&mut to.message.structure, <$wide>::from(*self));
                Ok(())
            }

            const ITEMS: usize = 1;

            #[inline(always)]
            fn gather(&self, items: &mut Items, _: &mut Writer) -> Result<(), Error> {
                items.push(structure::$short(<$narrow>::from(*self)));
                Ok(())
            }

            #[inline(always)]
            fn gather_option(this: Option<&Self>, items: &mut Items, _: &mut Writer) -> Result<(), Error> {
                let n = this.copied().unwrap_or_default();
                items.push_or_null(this.is_some(), structure::$short(<$narrow>::from(n)));
                Ok(())
            }

            #[inline]
            fn read(from: &mut Reader<'_>) -> Result<Self, Error> {
                read_integer(from, stringify!($int))
            }

            #[inline(always)]
            fn take<'a>(rest: &mut Rest<'a>, from: &mut Reader<'a>) -> Result<Self, Error> {
                match rest.integer::<$int, { size_of::<$int>() }, { <$int>::MIN != 0 }>() {
                    Some(n) => Ok(n),
                    None => rest.read_seldom(from),
                }
            }

            #[inline]
            fn copy(&self, _: &mut Copier) -> Result<Self, Error> {
                Ok(*self)
            }

            #[inline]
            fn as_number(&self) -> Option<f64> {
                Some(f64::from(*self))
            }

            #[inline]
            fn from_number(number: f64) -> Option<Self> {
                integer_of(number).and_then(|n| n.try_into().ok())
            }
        })*
    };
}

small_integers! {
    u8 unsigned as u32, short_byte as u8;
    u16 unsigned as u32, short_unsigned as u32;
    u32 unsigned as u32, short_unsigned as u32;
    i8 integer as i32, short_integer as i32;
    i16 integer as i32, short_integer as i32;
    i32 integer as i32, short_integer as i32;
}

/// Integers that may be beyond what a Number holds.
macro_rules! large_integers {
    ($($int:ident)*) => {
        $(impl Field for $int {
            const IDENTITY: Identity = Identity::Boxed;

            fn type_name() -> String {
                stringify!($int).to_owned()
            }

            #[inline]
            fn write(&self, to: &mut Writer) -> Result<(), Error> {
                if let Ok(small) = i32::try_from(*self) {
                    structure::integer(&mut to.message.structure, small);
                    return Ok(());
                }
                match self.as_number() {
                    Some(number) => structure::number(&mut to.message.structure, number),
                    #[allow(unused_comparisons)]
                    None => write_bigint(to, *self < 0, &self.abs_diff(0).to_le_bytes()),
                }
                Ok(())
            }

            const ITEMS: usize = 1;

            #[inline(always)]
            fn gather(&self, items: &mut Items, to: &mut Writer) -> Result<(), Error> {
                match i32::try_from(*self) {
                    Ok(small) => {
                        items.push(structure::short_integer(small));
                        Ok(())
                    }
                    Err(_) => items.pass(to, |to| self.write(to)),
                }
            }

            #[inline]
            fn read(from: &mut Reader<'_>) -> Result<Self, Error> {
                read_integer(from, stringify!($int))
            }

            #[inline(always)]
            fn take<'a>(rest: &mut Rest<'a>, from: &mut Reader<'a>) -> Result<Self, Error> {
                match rest.integer::<$int, { size_of::<$int>() }, { <$int>::MIN != 0 }>() {
                    Some(n) => Ok(n),
                    None => rest.read_seldom(from),
                }
            }

            #[inline]
            fn copy(&self, _: &mut Copier) -> Result<Self, Error> {
                Ok(*self)
            }

            #[inline]
            fn as_number(&self) -> Option<f64> {
                i128::try_from(*self).ok().filter(|n| n.abs() <= MAX_SAFE).map(|n| n as f64)
            }

            #[inline]
            fn from_number(number: f64) -> Option<Self> {
                integer_of(number).and_then(|n| n.try_into().ok())
            }
        })*
    };
}

large_integers!(u64 i64 usize isize i128);

impl Field for u128 {
    const IDENTITY: Identity = Identity::Boxed;

    fn type_name() -> String {
        "u128".to_owned()
    }

    fn write(&self, to: &mut Writer) -> Result<(), Error> {
        match i128::try_from(*self) {
            Ok(n) => n.write(to),
            Err(_) => {
                write_bigint(to, false, &self.to_le_bytes());
                Ok(())
            }
        }
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, Error> {
        let at = from.source.structure.offset();
        let n = BigInt::read(from)?;
        n.try_into().map_err(|_| Error::new(ErrorKind::WrongType, "the integer does not fit u128").at_offset(at))
    }

    fn copy(&self, _: &mut Copier) -> Result<Self, Error> {
        Ok(*self)
    }

    fn as_number(&self) -> Option<f64> {
        i128::try_from(*self).ok()?.as_number()
    }

    fn from_number(number: f64) -> Option<Self> {
        integer_of(number).and_then(|n| n.try_into().ok())
    }
}

/// Always a BigInt.
impl Field for BigInt {
    const IDENTITY: Identity = Identity::Boxed;

    fn type_name() -> String {
        "BigInt".to_owned()
    }

    fn write(&self, to: &mut Writer) -> Result<(), Error> {
        let (sign, magnitude) = self.to_bytes_le();
        write_bigint(to, sign == Sign::Minus, &magnitude);
        Ok(())
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, Error> {
        let at = from.source.structure.offset();
        match from.peek()? {
            tag @ (tag::BIGINT | tag::BIGINT_NEGATIVE) => {
                from.source.structure.u8()?;
                let (negative, magnitude) = read_magnitude(from, tag, at)?;
                Ok(BigInt::from_bytes_le(if negative { Sign::Minus } else { Sign::Plus }, magnitude))
            }
            _ => read_integer::<i128>(from, "BigInt").map(BigInt::from),
        }
    }

    fn copy(&self, _: &mut Copier) -> Result<Self, Error> {
        Ok(self.clone())
    }
}

fn read_float(from: &mut Reader<'_>) -> Result<f64, Error> {
    let at = from.source.structure.offset();
    let number = match from.source.structure.u8()? {
        tag @ ..tag::STRING => f64::from(tag),
        tag::F32 => f64::from(from.source.structure.f32()?),
        tag::F64 => from.source.structure.f64()?,
        tag::U8 => f64::from(from.source.structure.u8()?),
        tag::U16 => f64::from(from.source.structure.u16()?),
        tag::U32 => f64::from(from.source.structure.u32()?),
        tag::I8 => f64::from(from.source.structure.u8()? as i8),
        tag::I16 => f64::from(from.source.structure.u16()? as i16),
        tag::I32 => f64::from(from.source.structure.u32()? as i32),
        _ => return Err(from.wrong(at, "a number")),
    };
    Ok(if number.is_nan() { f64::NAN } else { number })
}

/// Whether a 32-bit float holds the number: a NaN is a NaN.
fn narrow(number: f64) -> Option<f32> {
    let narrow = number as f32;
    (f64::from(narrow) == number || number.is_nan()).then_some(narrow)
}

impl Field for f64 {
    const IDENTITY: Identity = Identity::Boxed;

    fn type_name() -> String {
        "f64".to_owned()
    }

    #[inline]
    fn write(&self, to: &mut Writer) -> Result<(), Error> {
        structure::number(&mut to.message.structure, *self);
        Ok(())
    }

    const ITEMS: usize = 1;

    #[inline(always)]
    fn gather(&self, items: &mut Items, _: &mut Writer) -> Result<(), Error> {
        items.number(*self);
        Ok(())
    }

    #[inline]
    fn read(from: &mut Reader<'_>) -> Result<Self, Error> {
        read_float(from)
    }

    #[inline(always)]
    fn take<'a>(rest: &mut Rest<'a>, from: &mut Reader<'a>) -> Result<Self, Error> {
        match rest.double() {
            Some(number) => Ok(number),
            None => rest.read_seldom(from),
        }
    }

    #[inline]
    fn copy(&self, _: &mut Copier) -> Result<Self, Error> {
        Ok(*self)
    }

    #[inline]
    fn as_number(&self) -> Option<f64> {
        Some(*self)
    }

    #[inline]
    fn from_number(number: f64) -> Option<Self> {
        Some(number)
    }
}

impl Field for f32 {
    const IDENTITY: Identity = Identity::Boxed;

    fn type_name() -> String {
        "f32".to_owned()
    }

    #[inline]
    fn write(&self, to: &mut Writer) -> Result<(), Error> {
        structure::number(&mut to.message.structure, f64::from(*self));
        Ok(())
    }

    const ITEMS: usize = 1;

    #[inline(always)]
    fn gather(&self, items: &mut Items, _: &mut Writer) -> Result<(), Error> {
        items.push(structure::short_number_single(*self));
        Ok(())
    }

    #[inline]
    fn read(from: &mut Reader<'_>) -> Result<Self, Error> {
        let at = from.source.structure.offset();
        let number = read_float(from)?;
        narrow(number)
            .ok_or_else(|| Error::new(ErrorKind::WrongType, format!("{number} does not fit f32")).at_offset(at))
    }

    #[inline(always)]
    fn take<'a>(rest: &mut Rest<'a>, from: &mut Reader<'a>) -> Result<Self, Error> {
        match rest.single() {
            Some(number) => Ok(number),
            None => rest.read_seldom(from),
        }
    }

    #[inline]
    fn copy(&self, _: &mut Copier) -> Result<Self, Error> {
        Ok(*self)
    }

    #[inline]
    fn as_number(&self) -> Option<f64> {
        Some(f64::from(*self))
    }

    #[inline]
    fn from_number(number: f64) -> Option<Self> {
        narrow(number)
    }
}

impl Field for bool {
    const IDENTITY: Identity = Identity::Boxed;

    fn type_name() -> String {
        "bool".to_owned()
    }

    #[inline]
    fn write(&self, to: &mut Writer) -> Result<(), Error> {
        to.message.structure.push(if *self { tag::TRUE } else { tag::FALSE });
        Ok(())
    }

    const ITEMS: usize = 1;

    #[inline(always)]
    fn gather(&self, items: &mut Items, _: &mut Writer) -> Result<(), Error> {
        items.tag(if *self { tag::TRUE } else { tag::FALSE });
        Ok(())
    }

    #[inline]
    fn read(from: &mut Reader<'_>) -> Result<Self, Error> {
        let at = from.source.structure.offset();
        match from.source.structure.u8()? {
            tag::FALSE => Ok(false),
            tag::TRUE => Ok(true),
            _ => Err(from.wrong(at, "a boolean")),
        }
    }

    #[inline(always)]
    fn take<'a>(rest: &mut Rest<'a>, from: &mut Reader<'a>) -> Result<Self, Error> {
        match rest.flag() {
            Some(flag) => Ok(flag),
            None => rest.read_seldom(from),
        }
    }

    #[inline]
    fn copy(&self, _: &mut Copier) -> Result<Self, Error> {
        Ok(*self)
    }
}

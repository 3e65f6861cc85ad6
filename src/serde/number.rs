//! Numbers and sequences of numbers, as visitors get them.

use std::marker::PhantomData;

use serde::de::{self, DeserializeSeed, IntoDeserializer, SeqAccess, Unexpected, Visitor};

use crate::error::{Error, ErrorKind};
use crate::graph::Element;
use crate::wire::{ElementKind, tag};

/// How the integer with a tag is made of the four bytes behind it.
#[derive(Clone, Copy)]
pub(super) struct Form {
    /// The bits that belong to it, and which of them says that it is negative.
    pub(super) mask: u32,
    pub(super) sign: u32,
    /// The tag, where it is the number.
    pub(super) tag: u8,
    /// Bytes with the tag. 0: no integer.
    pub(super) len: u8,
}

pub(super) static FORMS: [Form; 256] = {
    let mut forms = [Form { mask: 0, sign: 0, tag: 0, len: 0 }; 256];
    let mut n = 0;
    while n <= tag::INT_MAX {
        forms[n as usize] = Form { mask: 0, sign: 0, tag: n, len: 1 };
        n += 1;
    }
    let mut size = 0;
    while size < 3 {
        let bytes = 1 << size;
        let mask = u32::MAX >> (32 - 8 * bytes);
        forms[tag::U8 as usize + size] = Form { mask, sign: 0, tag: 0, len: 1 + bytes };
        forms[tag::I8 as usize + size] = Form { mask, sign: mask ^ mask >> 1, tag: 0, len: 1 + bytes };
        size += 1;
    }
    forms
};

/// Calls the visitor of an integer with a float that is one, exactly.
#[cold]
pub(super) fn visit_float_as_integer<'de, V: Visitor<'de>>(number: f64, visitor: V) -> Result<V::Value, Error> {
    let n = number as i128;
    if n as f64 != number || (n == 0 && number.is_sign_negative()) {
        return Err(de::Error::invalid_value(Unexpected::Float(number), &visitor));
    }
    visit_integer(n, visitor)
}

fn visit_integer<'de, V: Visitor<'de>>(n: i128, visitor: V) -> Result<V::Value, Error> {
    match (u64::try_from(n), i64::try_from(n)) {
        (Ok(n), _) => visitor.visit_u64(n),
        (_, Ok(n)) => visitor.visit_i64(n),
        _ => visitor.visit_i128(n),
    }
}

/// Calls any visitor with a float. One that is an integer too large for an integer tag may have been one: it is given as
/// an integer. (A smaller one was written as a float on purpose.)
pub(super) fn visit_float<'de, V: Visitor<'de>>(number: f64, visitor: V) -> Result<V::Value, Error> {
    const MAX_EXACT: f64 = 9007199254740992.0;
    let small = (f64::from(i32::MIN)..=f64::from(u32::MAX)).contains(&number);
    if small || number.abs() > MAX_EXACT || number.trunc() != number {
        visitor.visit_f64(number)
    } else {
        visit_integer(number as i128, visitor)
    }
}

/// A magnitude of at most 128 bits.
fn small_magnitude(magnitude: &[u8]) -> Option<u128> {
    let mut bytes = [0; 16];
    bytes.get_mut(..magnitude.len())?.copy_from_slice(magnitude);
    Some(u128::from_le_bytes(bytes))
}

/// Calls a visitor with a BigInt, if it has at most 128 bits.
#[cold]
pub(super) fn visit_bigint<'de, V: Visitor<'de>>(
    negative: bool,
    magnitude: &[u8],
    visitor: V,
) -> Result<V::Value, Error> {
    if let Some(n) = small_magnitude(magnitude) {
        match (i128::try_from(n), negative) {
            (Ok(n), _) => return visit_integer(if negative { -n } else { n }, visitor),
            (Err(_), false) => return visitor.visit_u128(n),
            (Err(_), true) if n == 1 << 127 => return visitor.visit_i128(i128::MIN),
            _ => {}
        }
    }
    let detail = format!("a BigInt of {} bits, expected {}", 8 * magnitude.len(), &visitor as &dyn de::Expected);
    Err(Error::new(ErrorKind::Rejected, detail))
}

/// Calls the visitor of a float with a BigInt that is one, exactly.
#[cold]
pub(super) fn visit_bigint_as_float<'de, V: Visitor<'de>>(
    negative: bool,
    magnitude: &[u8],
    visitor: V,
) -> Result<V::Value, Error> {
    let n = small_magnitude(magnitude);
    match n {
        Some(n) if (n as f64) as u128 == n => visitor.visit_f64(if negative { -(n as f64) } else { n as f64 }),
        _ => visit_bigint(negative, magnitude, visitor),
    }
}

/// A number of a typed or packed array.
struct Number<T>(T);

/// How a number of this type is given to a visitor.
trait Visit: Copy {
    fn visit<'de, V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error>;

    fn visit_as_integer<'de, V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.visit(visitor)
    }
}

macro_rules! visit {
    ($($ty:ty, $visit:ident;)*) => {
        $(impl Visit for $ty {
            #[inline(always)]
            fn visit<'de, V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
                visitor.$visit(self)
            }
        })*
    };
}

visit! {
    i8, visit_i8;
    u8, visit_u8;
    i16, visit_i16;
    u16, visit_u16;
    i32, visit_i32;
    u32, visit_u32;
    i64, visit_i64;
    u64, visit_u64;
}

impl Visit for f32 {
    #[inline(always)]
    fn visit<'de, V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_f32(self)
    }

    fn visit_as_integer<'de, V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visit_float_as_integer(f64::from(self), visitor)
    }
}

impl Visit for f64 {
    #[inline(always)]
    fn visit<'de, V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_f64(self)
    }

    fn visit_as_integer<'de, V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visit_float_as_integer(self, visitor)
    }
}

macro_rules! as_integer {
    ($($method:ident)*) => {
        $(#[inline(always)]
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
            self.0.visit_as_integer(visitor)
        })*
    };
}

impl<'de, T: Visit> de::Deserializer<'de> for Number<T> {
    type Error = Error;

    #[inline(always)]
    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.0.visit(visitor)
    }

    as_integer! {
        deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64 deserialize_i128
        deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64 deserialize_u128
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    fn is_human_readable(&self) -> bool {
        false
    }

    serde::forward_to_deserialize_any! {
        bool f32 f64 char str string bytes byte_buf unit unit_struct seq tuple tuple_struct map struct enum identifier
        ignored_any
    }
}

/// The elements of a typed or packed array.
struct Numbers<'de, T> {
    bytes: &'de [u8],
    at: usize,
    element: PhantomData<T>,
}

impl<'de, T: Visit + Element> SeqAccess<'de> for Numbers<'de, T> {
    type Error = Error;

    #[inline(always)]
    fn next_element_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, Error> {
        let end = self.at + size_of::<T>();
        let Some(bytes) = self.bytes.get(self.at..end) else { return Ok(None) };
        self.at = end;
        match seed.deserialize(Number(crate::graph::read::<T>(bytes))) {
            Ok(value) => Ok(Some(value)),
            Err(error) => Err(error.within_index(end / size_of::<T>() - 1)),
        }
    }

    #[inline]
    fn size_hint(&self) -> Option<usize> {
        Some((self.bytes.len() - self.at) / size_of::<T>())
    }
}

/// Calls a visitor with the elements of a typed or packed array as a sequence.
pub(super) fn visit_elements<'de, V: Visitor<'de>>(
    kind: ElementKind,
    bytes: &'de [u8],
    visitor: V,
) -> Result<V::Value, Error> {
    fn visit<'de, T: Visit + Element, V: Visitor<'de>>(bytes: &'de [u8], visitor: V) -> Result<V::Value, Error> {
        let mut numbers = Numbers::<T> { bytes, at: 0, element: PhantomData };
        let value = visitor.visit_seq(&mut numbers)?;
        match numbers.size_hint() {
            Some(0) => Ok(value),
            _ => Err(de::Error::invalid_length(bytes.len() / size_of::<T>(), &"fewer elements")),
        }
    }
    match kind {
        ElementKind::Int8 => visit::<i8, V>(bytes, visitor),
        ElementKind::Uint8 | ElementKind::Uint8Clamped | ElementKind::DataView => visit::<u8, V>(bytes, visitor),
        ElementKind::Int16 => visit::<i16, V>(bytes, visitor),
        ElementKind::Uint16 => visit::<u16, V>(bytes, visitor),
        ElementKind::Int32 => visit::<i32, V>(bytes, visitor),
        ElementKind::Uint32 => visit::<u32, V>(bytes, visitor),
        ElementKind::Float32 => visit::<f32, V>(bytes, visitor),
        ElementKind::Float64 => visit::<f64, V>(bytes, visitor),
        ElementKind::BigInt64 => visit::<i64, V>(bytes, visitor),
        ElementKind::BigUint64 => visit::<u64, V>(bytes, visitor),
        ElementKind::Float16 => {
            let numbers = bytes.chunks_exact(2).map(|n| half::f16::from_le_bytes([n[0], n[1]]).to_f32());
            let mut numbers = de::value::SeqDeserializer::new(numbers.map(Number));
            let value = visitor.visit_seq(&mut numbers)?;
            numbers.end()?;
            Ok(value)
        }
    }
}

impl<'de, T: Visit> IntoDeserializer<'de, Error> for Number<T> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

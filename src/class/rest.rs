//! What is left of the structure, held where the small fields of an instance are read one after the other: where the
//! next one stands is in a register, not in the reader.

use std::hint::select_unpredictable;

use super::{Class, Field, Reader};
use crate::error::Error;
use crate::wire::{tag, varint};

/// The structure from the next value on. What can't be read from it alone is read by the reader, which is told where
/// the values stand and asked where they end.
#[doc(hidden)]
#[derive(Debug, Clone, Copy)]
pub struct Rest<'a>(&'a [u8]);

impl<'a> Rest<'a> {
    /// A value that is no small one.
    #[doc(hidden)]
    #[inline(always)]
    pub fn read<T: Field>(&mut self, from: &mut Reader<'a>) -> Result<T, Error> {
        self.pass(from, T::read)
    }

    /// What the reader reads.
    #[doc(hidden)]
    #[inline(always)]
    pub fn pass<T>(
        &mut self,
        from: &mut Reader<'a>,
        read: impl FnOnce(&mut Reader<'a>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        from.resume(*self);
        let value = read(from)?;
        *self = from.rest();
        Ok(value)
    }

    /// A value that is mostly a small one, and is none here.
    #[inline(always)]
    pub(super) fn read_seldom<T: Field>(&mut self, from: &mut Reader<'a>) -> Result<T, Error> {
        #[cold]
        #[inline(never)]
        fn read<T: Field>(from: &mut Reader<'_>) -> Result<T, Error> {
            T::read(from)
        }
        self.pass(from, read)
    }

    /// Passes `tag`, if the next value has it.
    #[inline(always)]
    pub(super) fn skip(&mut self, tag: u8) -> bool {
        match self.0.split_first() {
            Some((&next, rest)) if next == tag => {
                self.0 = rest;
                true
            }
            _ => false,
        }
    }

    /// An integer, where its tag is one of those that are usual for `T`, of `SIZE` bytes.
    #[inline(always)]
    pub(super) fn integer<T: TryFrom<i64>, const SIZE: usize, const SIGNED: bool>(&mut self) -> Option<T> {
        let (&tag, rest) = self.0.split_first()?;
        // Which size it is can mostly be predicted, the sign can't.
        let signed = SIGNED && tag >= tag::I8;
        let (n, rest) = match tag {
            ..tag::STRING => (i64::from(tag), rest),
            tag::U8 | tag::I8 if SIGNED || tag == tag::U8 => {
                let (&n, rest) = rest.split_first()?;
                (select_unpredictable(signed, i64::from(n as i8), i64::from(n)), rest)
            }
            tag::U16 | tag::I16 if SIZE > 1 && (SIGNED || tag == tag::U16) => {
                let (bytes, rest) = rest.split_first_chunk()?;
                let n = u16::from_le_bytes(*bytes);
                (select_unpredictable(signed, i64::from(n as i16), i64::from(n)), rest)
            }
            tag::U32 | tag::I32 if SIZE > 2 && (SIGNED || tag == tag::U32) => {
                let (bytes, rest) = rest.split_first_chunk()?;
                let n = u32::from_le_bytes(*bytes);
                (select_unpredictable(signed, i64::from(n as i32), i64::from(n)), rest)
            }
            _ => return None,
        };
        let n = T::try_from(n).ok()?;
        self.0 = rest;
        Some(n)
    }

    /// A number that is written as an `f32`.
    #[inline(always)]
    pub(super) fn single(&mut self) -> Option<f32> {
        let &[tag::F32, a, b, c, d] = self.0.first_chunk()? else { return None };
        self.0 = &self.0[5..];
        let number = f32::from_le_bytes([a, b, c, d]);
        Some(if number.is_nan() { f32::NAN } else { number })
    }

    /// A number that is written as an `f64`.
    #[inline(always)]
    pub(super) fn double(&mut self) -> Option<f64> {
        let (&[tag], rest) = self.0.split_first_chunk()?;
        let (bytes, rest) = rest.split_first_chunk()?;
        let number = f64::from_le_bytes(*bytes);
        if tag != tag::F64 {
            return None;
        }
        self.0 = rest;
        Some(if number.is_nan() { f64::NAN } else { number })
    }

    #[inline(always)]
    pub(super) fn flag(&mut self) -> Option<bool> {
        let (&tag, rest) = self.0.split_first()?;
        let flag = match tag {
            tag::FALSE => false,
            tag::TRUE => true,
            _ => return None,
        };
        self.0 = rest;
        Some(flag)
    }

    /// A string of the next bytes of the text.
    #[inline(always)]
    pub(super) fn string(&mut self, from: &mut Reader<'a>) -> Option<&'a str> {
        let (&tag, rest) = self.0.split_first()?;
        if !(tag::STRING..tag::ARRAY).contains(&tag) {
            return None;
        }
        let text = from.source.short_text(usize::from(tag - tag::STRING))?;
        self.0 = rest;
        Some(text)
    }

    /// The identity that a reference refers to, and what is left behind it.
    #[inline(always)]
    pub(super) fn reference(self) -> Option<(u64, Self)> {
        let (&tag, rest) = self.0.split_first()?;
        if tag != tag::REFERENCE {
            return None;
        }
        let (identity, len) = varint::read_short(rest)?;
        Some((identity, Rest(&rest[len..])))
    }
}

/// The shape of an object whose tag does not hold it, and what follows.
#[cold]
#[inline(never)]
fn long_shape(bytes: &[u8]) -> Option<(usize, &[u8])> {
    let (shape, len) = varint::read_short(bytes)?;
    Some((shape as usize, &bytes[len..]))
}

impl<'a> Reader<'a> {
    /// What has not been read yet.
    #[doc(hidden)]
    #[inline(always)]
    pub fn rest(&self) -> Rest<'a> {
        Rest(self.source.structure.rest())
    }

    /// Goes on at `rest`.
    #[doc(hidden)]
    #[inline(always)]
    pub fn resume(&mut self, rest: Rest<'a>) {
        self.source.structure.go_to_rest(rest.0);
    }

    /// The tag of an instance of `T` whose fields stand in turn, if it is one: which struct or variant it is.
    #[doc(hidden)]
    #[inline(always)]
    pub fn begin<T: Class>(&mut self, rest: &mut Rest<'a>) -> Option<usize> {
        let (&tag, after) = rest.0.split_first()?;
        let (shape, after) = match tag {
            tag::OBJECT..tag::NULL => (usize::from(tag - tag::OBJECT), after),
            tag::OBJECT_LONG => long_shape(after)?,
            _ => return None,
        };
        let form = self.form_in_turn::<T>(shape)?;
        let id = self.identities;
        if self.source.refs && self.filling != id && !self.note_value(id) {
            return None;
        }
        self.identities += 1;
        rest.0 = after;
        Some(form)
    }

    /// Any instance of `T`.
    #[doc(hidden)]
    #[cold]
    #[inline(never)]
    pub fn instance<T: Class>(&mut self) -> Result<T, Error> {
        let opened = self.open::<T>()?;
        T::read_opened(opened, self)
    }
}

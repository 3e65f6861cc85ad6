//! Reading a record as a type that asks for just what it is: number for number, struct for struct.
//!
//! Where the compiler inlines what a type's `Deserialize` does, all places are constants: a number costs a comparison and
//! a load. That is why there is no bound to compare with (a window of the data is seen, all of which is there), why the
//! place is one number, and why the error is none: whatever is not as expected is read again, by [`super::read`].

use std::cell::Cell;

use serde::de::{self, Deserialize, DeserializeSeed, SeqAccess, Visitor};

use super::{Deviates, MAX_SIZE, MAX_VALUES, WINDOW};
use crate::wire::ElementKind;
use crate::wire::layout::{ARRAY, BOOLEAN, Layout, What};

/// A layout, for looking at one value after the other.
pub(super) struct Quick {
    codes: [u8; MAX_VALUES],
    counts: [u8; MAX_VALUES],
    /// The list of fields, by address, that each object is known to be read as.
    fields: [(usize, usize); MAX_VALUES],
    /// The place behind the last value.
    end: u32,
    /// A list of fields that was not known, and where it was asked for.
    pub(super) missed: Cell<Option<(usize, &'static [&'static str])>>,
}

/// No kind of value has it.
const OBJECT_OF_FIELDS: u8 = 0xFF;

/// The value behind the one at `place` of which `bytes` have been passed.
#[inline(always)]
fn after(place: u32, bytes: usize) -> u32 {
    place.wrapping_add((1 << 16) + bytes as u32)
}

impl Quick {
    /// `None` for a layout that is read without haste.
    pub(super) fn of(layout: &Layout) -> Option<Box<Quick>> {
        if layout.values.len() > MAX_VALUES || layout.size > MAX_SIZE {
            return None;
        }
        let mut quick = Box::new(Quick {
            codes: [OBJECT_OF_FIELDS; MAX_VALUES],
            counts: [0; MAX_VALUES],
            fields: [(0, 0); MAX_VALUES],
            end: (layout.values.len() as u32) << 16 | layout.size as u32,
            missed: Cell::new(None),
        });
        for (place, value) in layout.values.iter().enumerate() {
            quick.counts[place] = value.count as u8;
            quick.codes[place] = match value.what {
                What::Number(kind) => kind.code(),
                What::Boolean => BOOLEAN,
                What::Array => ARRAY,
                What::Object(_) => OBJECT_OF_FIELDS,
            };
        }
        Some(quick)
    }

    /// The object at `place` is read as a struct with these fields. `false` where that is known.
    pub(super) fn learn(&mut self, place: usize, fields: &'static [&'static str]) -> bool {
        let known = (fields.as_ptr().addr(), fields.len());
        std::mem::replace(&mut self.fields[place], known) != known
    }

    /// Reads the record at the start of `window`.
    #[inline(always)]
    pub(super) fn read<'de, T: Deserialize<'de>>(&self, window: &[u8; WINDOW]) -> Result<T, Deviates> {
        T::deserialize(Row { quick: self, window })
    }

    #[cold]
    #[inline(never)]
    fn miss(&self, place: usize, fields: &'static [&'static str]) -> Deviates {
        self.missed.set(Some((place, fields)));
        Deviates
    }
}

/// A record.
struct Row<'r> {
    quick: &'r Quick,
    window: &'r [u8; WINDOW],
}

/// A value in it.
struct Item<'r, 'p> {
    quick: &'r Quick,
    window: &'r [u8; WINDOW],
    /// Where it stands in the layout, and in the lower half where in the record.
    place: &'p mut u32,
}

impl Item<'_, '_> {
    #[inline(always)]
    fn number<const N: usize>(self, code: u8) -> Result<[u8; N], Deviates> {
        let place = *self.place;
        *self.place = after(place, N);
        // No layout and no record is as long as it would take to come around.
        if self.quick.codes[(place >> 16) as usize % MAX_VALUES] != code {
            return Err(Deviates);
        }
        let at = place as usize % (1 << 16) % MAX_SIZE;
        match self.window[at..at + N].try_into() {
            Ok(bytes) => Ok(bytes),
            Err(_) => Err(Deviates),
        }
    }
}

macro_rules! numbers {
    ($($method:ident $visit:ident $number:ty, $kind:ident;)*) => {
        $(#[inline(always)]
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Deviates> {
            match self.number(ElementKind::$kind as u8) {
                Ok(bytes) => visitor.$visit(<$number>::from_le_bytes(bytes)),
                Err(deviates) => Err(deviates),
            }
        })*
    };
}

macro_rules! deviates {
    ($($method:ident)*) => {
        $(#[inline(always)]
        fn $method<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Deviates> {
            Err(Deviates)
        })*
    };
}

/// What is asked for in other ways than by number, tuple or struct.
macro_rules! others {
    () => {
        deviates! {
            deserialize_any deserialize_i128 deserialize_u128 deserialize_char deserialize_str deserialize_string
            deserialize_bytes deserialize_byte_buf deserialize_unit deserialize_map deserialize_identifier
            deserialize_ignored_any
        }

        #[inline(always)]
        fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Deviates> {
            visitor.visit_some(self)
        }

        #[inline(always)]
        fn deserialize_newtype_struct<V: Visitor<'de>>(
            self,
            name: &'static str,
            visitor: V,
        ) -> Result<V::Value, Deviates> {
            if name.as_bytes().first() == Some(&b'$') { Err(Deviates) } else { visitor.visit_newtype_struct(self) }
        }

        fn deserialize_unit_struct<V: Visitor<'de>>(self, _: &'static str, _: V) -> Result<V::Value, Deviates> {
            Err(Deviates)
        }

        #[inline(always)]
        fn deserialize_tuple_struct<V: Visitor<'de>>(
            self,
            _: &'static str,
            len: usize,
            visitor: V,
        ) -> Result<V::Value, Deviates> {
            self.deserialize_tuple(len, visitor)
        }

        fn deserialize_enum<V: Visitor<'de>>(
            self,
            _: &'static str,
            _: &'static [&'static str],
            _: V,
        ) -> Result<V::Value, Deviates> {
            Err(Deviates)
        }

        fn is_human_readable(&self) -> bool {
            false
        }
    };
}

impl<'de> de::Deserializer<'de> for Item<'_, '_> {
    type Error = Deviates;

    others!();
    deviates! { deserialize_seq }

    numbers! {
        deserialize_i8 visit_i8 i8, Int8;
        deserialize_u8 visit_u8 u8, Uint8;
        deserialize_i16 visit_i16 i16, Int16;
        deserialize_u16 visit_u16 u16, Uint16;
        deserialize_i32 visit_i32 i32, Int32;
        deserialize_u32 visit_u32 u32, Uint32;
        deserialize_i64 visit_i64 i64, BigInt64;
        deserialize_u64 visit_u64 u64, BigUint64;
        deserialize_f32 visit_f32 f32, Float32;
        deserialize_f64 visit_f64 f64, Float64;
    }

    #[inline(always)]
    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Deviates> {
        match self.number::<1>(BOOLEAN) {
            Ok([byte]) => visitor.visit_bool(byte != 0),
            Err(deviates) => Err(deviates),
        }
    }

    #[inline(always)]
    fn deserialize_tuple<V: Visitor<'de>>(self, len: usize, visitor: V) -> Result<V::Value, Deviates> {
        let at = (*self.place >> 16) as usize % MAX_VALUES;
        if self.quick.codes[at] != ARRAY || usize::from(self.quick.counts[at]) != len {
            return Err(Deviates);
        }
        *self.place = after(*self.place, 0);
        visitor.visit_seq(Items { quick: self.quick, window: self.window, place: self.place, left: len })
    }

    #[inline(always)]
    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Deviates> {
        let at = (*self.place >> 16) as usize % MAX_VALUES;
        // Only of an object fields are known.
        let (address, len) = self.quick.fields[at];
        if address != fields.as_ptr().addr() || len != fields.len() {
            return Err(self.quick.miss(at, fields));
        }
        *self.place = after(*self.place, 0);
        visitor.visit_seq(Items { quick: self.quick, window: self.window, place: self.place, left: fields.len() })
    }
}

impl<'r> Row<'r> {
    /// Reads from the start of the record to its end.
    #[inline(always)]
    fn whole<T>(self, read: impl FnOnce(Item<'r, '_>) -> Result<T, Deviates>) -> Result<T, Deviates> {
        let mut place = 0;
        match read(Item { quick: self.quick, window: self.window, place: &mut place }) {
            Ok(value) if place == self.quick.end => Ok(value),
            _ => Err(Deviates),
        }
    }
}

impl<'de> de::Deserializer<'de> for Row<'_> {
    type Error = Deviates;

    others!();

    deviates! {
        deserialize_seq deserialize_bool deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64 deserialize_u8
        deserialize_u16 deserialize_u32 deserialize_u64 deserialize_f32 deserialize_f64
    }

    #[inline(always)]
    fn deserialize_tuple<V: Visitor<'de>>(self, len: usize, visitor: V) -> Result<V::Value, Deviates> {
        self.whole(|item| item.deserialize_tuple(len, visitor))
    }

    #[inline(always)]
    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Deviates> {
        self.whole(|item| item.deserialize_struct(name, fields, visitor))
    }
}

/// The values of an object or array.
struct Items<'r, 'p> {
    quick: &'r Quick,
    window: &'r [u8; WINDOW],
    place: &'p mut u32,
    left: usize,
}

impl<'de> SeqAccess<'de> for Items<'_, '_> {
    type Error = Deviates;

    #[inline(always)]
    fn next_element_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, Deviates> {
        if self.left == 0 {
            return Ok(None);
        }
        self.left -= 1;
        let item = Item { quick: self.quick, window: self.window, place: &mut *self.place };
        match seed.deserialize(item) {
            Ok(value) => Ok(Some(value)),
            Err(deviates) => Err(deviates),
        }
    }

    // What serde has here is not always inlined.
    #[inline(always)]
    fn next_element<T: Deserialize<'de>>(&mut self) -> Result<Option<T>, Deviates> {
        if self.left == 0 {
            return Ok(None);
        }
        self.left -= 1;
        let item = Item { quick: self.quick, window: self.window, place: &mut *self.place };
        match T::deserialize(item) {
            Ok(value) => Ok(Some(value)),
            Err(deviates) => Err(deviates),
        }
    }

    #[inline(always)]
    fn size_hint(&self) -> Option<usize> {
        Some(self.left)
    }
}

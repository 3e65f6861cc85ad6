//! Writing an element as a record, as long as it has the layout of the first.
//!
//! Where the compiler inlines what a type's `Serialize` does, all that is compared here and all places are constants: a
//! number costs a comparison and a store. That is why state goes through by value.

use serde::ser::{self, Impossible, Serialize};

use super::{Deviates, MAX_SIZE, MAX_VALUES, WINDOW};
use crate::wire::ElementKind;
use crate::wire::layout::{ARRAY, BOOLEAN, OBJECT, What};

/// What an element has to give, call by call.
pub(super) struct Plan {
    steps: [Step; MAX_VALUES],
    pub(super) len: usize,
}

#[derive(Clone, Copy, Default)]
struct Step {
    /// The address of the key. The same code gives the same each time; where it does not, records become values.
    key: usize,
    /// Kind, depth and length of the key.
    word: u32,
}

impl Default for Plan {
    fn default() -> Self {
        Plan { steps: [Step::default(); MAX_VALUES], len: 0 }
    }
}

fn code(what: What) -> u8 {
    match what {
        What::Number(kind) => kind.code(),
        What::Boolean => BOOLEAN,
        What::Object(_) => OBJECT,
        What::Array => ARRAY,
    }
}

#[inline(always)]
fn step(code: u8, depth: u32, key: &'static str) -> Step {
    let address = if key.is_empty() { 0 } else { key.as_ptr().addr() };
    Step { key: address, word: u32::from(code) | depth << 8 | (key.len() as u32) << 16 }
}

impl Plan {
    /// Adds a step; `false` where it can't be told from others.
    pub(super) fn push(&mut self, what: What, depth: u32, key: &'static str) -> bool {
        if self.len == MAX_VALUES || key.len() > usize::from(u16::MAX) {
            return false;
        }
        self.steps[self.len] = step(code(what), depth, key);
        self.len += 1;
        true
    }
}

/// An element.
pub(super) struct Row<'r> {
    pub(super) plan: &'r Plan,
    pub(super) out: &'r mut [u8; WINDOW],
}

/// How far it has come: steps and bytes.
#[derive(Clone, Copy)]
pub(super) struct Done {
    pub(super) steps: u32,
    bytes: u32,
}

/// A value in it.
struct Cell<'r> {
    plan: &'r Plan,
    out: &'r mut [u8; WINDOW],
    done: Done,
    depth: u32,
    key: &'static str,
}

impl<'r> Row<'r> {
    #[inline(always)]
    fn first(self) -> Cell<'r> {
        Cell { plan: self.plan, out: self.out, done: Done { steps: 0, bytes: 0 }, depth: 0, key: "" }
    }
}

impl<'r> Cell<'r> {
    #[inline(always)]
    fn step(&mut self, code: u8) -> Result<(), Deviates> {
        // No plan and no record is as long as it would take to come around.
        let expected = self.plan.steps[self.done.steps as usize % MAX_VALUES];
        let step = step(code, self.depth, self.key);
        if expected.key != step.key || expected.word != step.word {
            return Err(Deviates);
        }
        self.done.steps += 1;
        Ok(())
    }

    #[inline(always)]
    fn number<const N: usize>(mut self, code: u8, bytes: [u8; N]) -> Result<Done, Deviates> {
        self.step(code)?;
        let at = self.done.bytes as usize % MAX_SIZE;
        self.out[at..at + N].copy_from_slice(&bytes);
        self.done.bytes += N as u32;
        Ok(self.done)
    }

    #[inline(always)]
    fn open(mut self, code: u8) -> Result<Cells<'r>, Deviates> {
        self.step(code)?;
        Ok(Cells { plan: self.plan, out: self.out, done: self.done, depth: self.depth + 1 })
    }
}

/// What has one layout only if all of its values had: nothing else is a record.
macro_rules! no_record {
    ($done:ty, $cells:ty) => {
        type Ok = $done;
        type Error = Deviates;
        type SerializeSeq = Impossible<$done, Deviates>;
        type SerializeTuple = $cells;
        type SerializeTupleStruct = $cells;
        type SerializeTupleVariant = Impossible<$done, Deviates>;
        type SerializeMap = Impossible<$done, Deviates>;
        type SerializeStruct = $cells;
        type SerializeStructVariant = Impossible<$done, Deviates>;

        no_record! {
            serialize_i128(i128) -> $done; serialize_u128(u128) -> $done; serialize_char(char) -> $done;
            serialize_str(&str) -> $done; serialize_bytes(&[u8]) -> $done; serialize_none() -> $done;
            serialize_unit() -> $done; serialize_unit_struct(&'static str) -> $done;
            serialize_unit_variant(&'static str, u32, &'static str) -> $done;
            serialize_seq(Option<usize>) -> Self::SerializeSeq;
            serialize_tuple_variant(&'static str, u32, &'static str, usize) -> Self::SerializeTupleVariant;
            serialize_map(Option<usize>) -> Self::SerializeMap;
            serialize_struct_variant(&'static str, u32, &'static str, usize) -> Self::SerializeStructVariant;
        }

        fn serialize_some<T: ?Sized + Serialize>(self, _: &T) -> Result<$done, Deviates> {
            Err(Deviates)
        }

        fn serialize_newtype_variant<T: ?Sized + Serialize>(
            self,
            _: &'static str,
            _: u32,
            _: &'static str,
            _: &T,
        ) -> Result<$done, Deviates> {
            Err(Deviates)
        }

        #[inline(always)]
        fn serialize_newtype_struct<T: ?Sized + Serialize>(
            self,
            name: &'static str,
            value: &T,
        ) -> Result<$done, Deviates> {
            if name.as_bytes().first() == Some(&b'$') { Err(Deviates) } else { value.serialize(self) }
        }

        #[inline(always)]
        fn serialize_tuple_struct(self, _: &'static str, len: usize) -> Result<$cells, Deviates> {
            self.serialize_tuple(len)
        }

        fn collect_seq<I: IntoIterator<Item: Serialize>>(self, _: I) -> Result<$done, Deviates> {
            Err(Deviates)
        }

        fn collect_str<T: ?Sized + std::fmt::Display>(self, _: &T) -> Result<$done, Deviates> {
            Err(Deviates)
        }

        fn is_human_readable(&self) -> bool {
            false
        }
    };
    ($($method:ident($($ty:ty),*) -> $ok:ty;)*) => {
        $(fn $method(self $(, _: $ty)*) -> Result<$ok, Deviates> {
            Err(Deviates)
        })*
    };
}
pub(super) use no_record;

macro_rules! numbers {
    ($($method:ident $number:ty, $kind:ident;)*) => {
        $(#[inline(always)]
        fn $method(self, n: $number) -> Result<Done, Deviates> {
            self.number(ElementKind::$kind as u8, n.to_le_bytes())
        })*
    };
}

impl<'r> ser::Serializer for Cell<'r> {
    no_record!(Done, Cells<'r>);

    numbers! {
        serialize_i8 i8, Int8;
        serialize_u8 u8, Uint8;
        serialize_i16 i16, Int16;
        serialize_u16 u16, Uint16;
        serialize_i32 i32, Int32;
        serialize_u32 u32, Uint32;
        serialize_i64 i64, BigInt64;
        serialize_u64 u64, BigUint64;
        serialize_f32 f32, Float32;
        serialize_f64 f64, Float64;
    }

    #[inline(always)]
    fn serialize_bool(self, v: bool) -> Result<Done, Deviates> {
        self.number(BOOLEAN, [u8::from(v)])
    }

    #[inline(always)]
    fn serialize_tuple(self, _: usize) -> Result<Cells<'r>, Deviates> {
        self.open(ARRAY)
    }

    #[inline(always)]
    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Cells<'r>, Deviates> {
        self.open(OBJECT)
    }
}

impl<'r> ser::Serializer for Row<'r> {
    no_record!(Done, Cells<'r>);

    no_record! {
        serialize_bool(bool) -> Done;
        serialize_i8(i8) -> Done; serialize_i16(i16) -> Done; serialize_i32(i32) -> Done; serialize_i64(i64) -> Done;
        serialize_u8(u8) -> Done; serialize_u16(u16) -> Done; serialize_u32(u32) -> Done; serialize_u64(u64) -> Done;
        serialize_f32(f32) -> Done; serialize_f64(f64) -> Done;
    }

    #[inline(always)]
    fn serialize_tuple(self, _: usize) -> Result<Cells<'r>, Deviates> {
        self.first().open(ARRAY)
    }

    #[inline(always)]
    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Cells<'r>, Deviates> {
        self.first().open(OBJECT)
    }
}

/// The values of an object or array.
pub(super) struct Cells<'r> {
    plan: &'r Plan,
    out: &'r mut [u8; WINDOW],
    done: Done,
    depth: u32,
}

impl Cells<'_> {
    #[inline(always)]
    fn value<T: ?Sized + Serialize>(&mut self, key: &'static str, value: &T) -> Result<(), Deviates> {
        let Cells { plan, done, depth, .. } = *self;
        self.done = value.serialize(Cell { plan, out: &mut *self.out, done, depth, key })?;
        Ok(())
    }
}

impl ser::SerializeTuple for Cells<'_> {
    type Ok = Done;
    type Error = Deviates;

    #[inline(always)]
    fn serialize_element<T: ?Sized + Serialize>(&mut self, value: &T) -> Result<(), Deviates> {
        self.value("", value)
    }

    #[inline(always)]
    fn end(self) -> Result<Done, Deviates> {
        Ok(self.done)
    }
}

impl ser::SerializeTupleStruct for Cells<'_> {
    type Ok = Done;
    type Error = Deviates;

    #[inline(always)]
    fn serialize_field<T: ?Sized + Serialize>(&mut self, value: &T) -> Result<(), Deviates> {
        self.value("", value)
    }

    #[inline(always)]
    fn end(self) -> Result<Done, Deviates> {
        Ok(self.done)
    }
}

impl ser::SerializeStruct for Cells<'_> {
    type Ok = Done;
    type Error = Deviates;

    #[inline(always)]
    fn serialize_field<T: ?Sized + Serialize>(&mut self, key: &'static str, value: &T) -> Result<(), Deviates> {
        self.value(key, value)
    }

    #[inline(always)]
    fn end(self) -> Result<Done, Deviates> {
        Ok(self.done)
    }
}

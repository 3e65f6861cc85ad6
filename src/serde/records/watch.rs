//! Watching how the first element of a sequence is written: whether it is made of numbers alone, and of which.

use std::fmt::Display;

use serde::ser::{self, Serialize};

use super::row::Plan;
use super::{MAX_SIZE, MAX_VALUES};
use crate::error::Error;
use crate::serde::bits::packed_numbers;
use crate::serde::compound::{MapSerializer, SeqSerializer, StructSerializer};
use crate::serde::pack;
use crate::serde::ser::Serializer;
use crate::serde::special::Special;
use crate::wire::ElementKind;
use crate::wire::layout::{Layout, Value, What};

/// What is known of the element that is watched.
#[derive(Default)]
pub(in crate::serde) struct Sketch {
    /// Which sequence it is of: sequences in that element may have taken its place.
    id: u32,
    is_fixed: bool,
    pub(super) layout: Layout,
    pub(super) plan: Plan,
    /// The element as a record.
    pub(super) record: Vec<u8>,
}

impl Sketch {
    fn start(&mut self) -> u32 {
        self.id = self.id.wrapping_add(1).max(1);
        self.is_fixed = true;
        self.layout.values.clear();
        (self.layout.size, self.layout.objects) = (0, 0);
        self.plan.len = 0;
        self.record.clear();
        self.id
    }

    /// Whether the element that was watched as `id` can be a record.
    pub(in crate::serde) fn is_record(&self, id: u32) -> bool {
        let values = self.layout.values.len();
        self.id == id && self.is_fixed && values <= 2 * self.layout.size && self.layout.size <= MAX_SIZE
    }

    fn value(&mut self, watch: Watch, what: What, bits: u64) {
        if self.id != watch.id || !self.is_fixed {
            return;
        }
        let values = &mut self.layout.values;
        if values.len() == MAX_VALUES || !self.plan.push(what, watch) {
            self.is_fixed = false;
            return;
        }
        let end = values.len() as u32 + 1;
        values.push(Value { what, at: self.layout.size as u32, count: 0, end });
        self.layout.size += what.size();
        self.layout.objects += usize::from(what.is_object());
        self.record.extend_from_slice(&bits.to_le_bytes()[..what.size()]);
    }

    fn close(&mut self, watch: Watch, place: usize, count: u32) {
        let end = self.layout.values.len() as u32;
        if self.id == watch.id
            && self.is_fixed
            && let Some(value) = self.layout.values.get_mut(place)
        {
            (value.count, value.end) = (count, end);
        }
    }

    #[inline]
    fn spoil(&mut self, watch: Watch) {
        if self.id == watch.id {
            self.is_fixed = false;
        }
    }
}

/// Where a value stands in the element.
#[derive(Debug, Clone, Copy)]
pub(in crate::serde) struct Watch {
    pub(in crate::serde) id: u32,
    pub(super) depth: u32,
    pub(super) key: &'static str,
}

impl Watch {
    /// Begins to watch an element.
    pub(in crate::serde) fn start(ser: &mut Serializer) -> Watch {
        Watch { id: ser.sketch.start(), depth: 0, key: "" }
    }

    /// Of an element that is not watched.
    pub(in crate::serde) const NONE: Watch = Watch { id: 0, depth: 0, key: "" };
}

/// Writes a value as the serializer does, and notes what it is.
struct Watched<'r> {
    ser: &'r mut Serializer,
    watch: Watch,
}

impl<'r> Watched<'r> {
    /// The value is no number.
    fn plain(self) -> &'r mut Serializer {
        self.ser.sketch.spoil(self.watch);
        self.ser
    }
}

macro_rules! numbers {
    ($($method:ident $number:ty, $kind:ident, |$n:ident| $bits:expr;)*) => {
        $(fn $method(self, $n: $number) -> Result<(), Error> {
            self.ser.sketch.value(self.watch, What::Number(ElementKind::$kind), $bits);
            self.ser.$method($n)
        })*
    };
}

macro_rules! plain {
    ($($method:ident($($arg:ident: $ty:ty),*) -> $ok:ty;)*) => {
        $(fn $method(self $(, $arg: $ty)*) -> Result<$ok, Error> {
            self.plain().$method($($arg),*)
        })*
    };
}

impl<'r> ser::Serializer for Watched<'r> {
    type Ok = ();
    type Error = Error;
    type SerializeSeq = SeqSerializer<'r, ()>;
    type SerializeTuple = WatchedSeq<'r, ()>;
    type SerializeTupleStruct = WatchedSeq<'r, ()>;
    type SerializeTupleVariant = SeqSerializer<'r, ()>;
    type SerializeMap = MapSerializer<'r, ()>;
    type SerializeStruct = WatchedStruct<'r, ()>;
    type SerializeStructVariant = StructSerializer<'r, ()>;

    packed_numbers!(numbers);
    numbers! {
        serialize_i64 i64, BigInt64, |n| n as u64;
        serialize_u64 u64, BigUint64, |n| n;
    }

    fn serialize_bool(self, v: bool) -> Result<(), Error> {
        self.ser.sketch.value(self.watch, What::Boolean, u64::from(v));
        self.ser.serialize_bool(v)
    }

    plain! {
        serialize_i128(v: i128) -> ();
        serialize_u128(v: u128) -> ();
        serialize_char(v: char) -> ();
        serialize_str(v: &str) -> ();
        serialize_bytes(v: &[u8]) -> ();
        serialize_none() -> ();
        serialize_unit() -> ();
        serialize_unit_struct(name: &'static str) -> ();
        serialize_unit_variant(name: &'static str, index: u32, variant: &'static str) -> ();
        serialize_seq(len: Option<usize>) -> Self::SerializeSeq;
        serialize_tuple_variant(name: &'static str, index: u32, variant: &'static str, len: usize)
            -> Self::SerializeTupleVariant;
        serialize_map(len: Option<usize>) -> Self::SerializeMap;
        serialize_struct_variant(name: &'static str, index: u32, variant: &'static str, len: usize)
            -> Self::SerializeStructVariant;
    }

    fn serialize_some<T: ?Sized + Serialize>(self, value: &T) -> Result<(), Error> {
        value.serialize(self.plain())
    }

    fn serialize_newtype_struct<T: ?Sized + Serialize>(self, name: &'static str, value: &T) -> Result<(), Error> {
        match Special::from_name(name) {
            None => value.serialize(self),
            Some(_) => self.plain().serialize_newtype_struct(name, value),
        }
    }

    fn serialize_newtype_variant<T: ?Sized + Serialize>(
        self,
        name: &'static str,
        index: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<(), Error> {
        self.plain().serialize_newtype_variant(name, index, variant, value)
    }

    fn serialize_tuple(self, len: usize) -> Result<WatchedSeq<'r, ()>, Error> {
        WatchedSeq::open(self.ser, self.watch, len)
    }

    fn serialize_tuple_struct(self, _: &'static str, len: usize) -> Result<WatchedSeq<'r, ()>, Error> {
        WatchedSeq::open(self.ser, self.watch, len)
    }

    fn serialize_struct(self, name: &'static str, _: usize) -> Result<WatchedStruct<'r, ()>, Error> {
        WatchedStruct::open(self.ser, self.watch, name)
    }

    fn collect_seq<I>(self, items: I) -> Result<(), Error>
    where
        I: IntoIterator<Item: Serialize>,
    {
        pack::collect(self.plain(), items.into_iter())
    }

    fn collect_str<T: ?Sized + Display>(self, value: &T) -> Result<(), Error> {
        self.plain().collect_str(value)
    }

    fn is_human_readable(&self) -> bool {
        false
    }
}

/// Writes the values of a tuple.
pub(in crate::serde) struct WatchedSeq<'r, O> {
    inner: SeqSerializer<'r, O>,
    watch: Watch,
    place: usize,
}

impl<'r, O: Default> WatchedSeq<'r, O> {
    pub(in crate::serde) fn open(ser: &'r mut Serializer, watch: Watch, len: usize) -> Result<Self, Error> {
        let place = ser.sketch.layout.values.len();
        ser.sketch.value(watch, What::Array, 0);
        let watch = Watch { depth: watch.depth + 1, key: "", ..watch };
        Ok(WatchedSeq { inner: ser.sequence(Some(len))?, watch, place })
    }

    fn element<T: ?Sized + Serialize>(&mut self, value: &T) -> Result<(), Error> {
        let n = self.inner.n;
        self.inner.n += 1;
        let watched = Watched { ser: &mut *self.inner.ser, watch: self.watch };
        value.serialize(watched).map_err(|error| error.within_index(n))
    }

    fn close(self) -> Result<O, Error> {
        self.inner.ser.sketch.close(self.watch, self.place, self.inner.n as u32);
        ser::SerializeTuple::end(self.inner)
    }
}

impl<O: Default> ser::SerializeTuple for WatchedSeq<'_, O> {
    type Ok = O;
    type Error = Error;

    fn serialize_element<T: ?Sized + Serialize>(&mut self, value: &T) -> Result<(), Error> {
        self.element(value)
    }

    fn end(self) -> Result<O, Error> {
        self.close()
    }
}

impl<O: Default> ser::SerializeTupleStruct for WatchedSeq<'_, O> {
    type Ok = O;
    type Error = Error;

    fn serialize_field<T: ?Sized + Serialize>(&mut self, value: &T) -> Result<(), Error> {
        self.element(value)
    }

    fn end(self) -> Result<O, Error> {
        self.close()
    }
}

/// Writes the fields of a struct.
pub(in crate::serde) struct WatchedStruct<'r, O> {
    inner: StructSerializer<'r, O>,
    watch: Watch,
    place: usize,
    n: u32,
}

impl<'r, O: Default> WatchedStruct<'r, O> {
    pub(in crate::serde) fn open(ser: &'r mut Serializer, watch: Watch, name: &'static str) -> Result<Self, Error> {
        let place = ser.sketch.layout.values.len();
        // Its shape is known at its end.
        ser.sketch.value(watch, What::Object(0), 0);
        Ok(WatchedStruct { inner: ser.object(name)?, watch, place, n: 0 })
    }
}

impl<O: Default> ser::SerializeStruct for WatchedStruct<'_, O> {
    type Ok = O;
    type Error = Error;

    fn serialize_field<T: ?Sized + Serialize>(&mut self, key: &'static str, value: &T) -> Result<(), Error> {
        self.n += 1;
        let watch = Watch { depth: self.watch.depth + 1, key, ..self.watch };
        let ser = self.inner.next_field(key);
        value.serialize(Watched { ser, watch }).map_err(|error| error.within_name(key))
    }

    fn end(mut self) -> Result<O, Error> {
        let shape = self.inner.shape_in_order()?;
        let sketch = &mut self.inner.ser.sketch;
        match shape {
            Some(shape) => {
                sketch.close(self.watch, self.place, self.n);
                if self.watch.id != 0
                    && let Some(value) = sketch.layout.values.get_mut(self.place)
                {
                    value.what = What::Object(shape);
                }
            }
            None => sketch.spoil(self.watch),
        }
        self.inner.end()
    }
}

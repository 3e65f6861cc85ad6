//! A look at the first element of a sequence before it is written: whether it is a number, or made of numbers alone, and
//! of which. It ends at the first value that is something else, and writes nothing.

use serde::ser::{self, Impossible, Serialize};

use super::row::{Plan, no_record};
use super::{Deviates, MAX_SIZE, MAX_VALUES};
use crate::serde::bits::packed_numbers;
use crate::serde::ser::Serializer;
use crate::wire::ElementKind;
use crate::wire::layout::{Layout, Value, What};

/// What is known of an element that may be a record.
#[derive(Default)]
pub(in crate::serde) struct Sketch {
    pub(super) layout: Layout,
    pub(super) plan: Plan,
    /// The element as a record.
    pub(super) record: Vec<u8>,
}

/// What an element is.
pub(in crate::serde) enum Seen {
    /// A number of this kind, with these bits.
    Number(ElementKind, u64),
    /// A record: the serializer's sketch is of it.
    Record,
    Other,
}

/// Looks at an element.
#[inline]
pub(in crate::serde) fn look<T: Serialize>(ser: &mut Serializer, element: &T) -> Seen {
    match element.serialize(Look { ser: &mut *ser, depth: 0, key: "" }) {
        Ok(Found::Number(kind, bits)) => Seen::Number(kind, bits),
        Ok(Found::Noted) if ser.sketch.is_record() => Seen::Record,
        _ => Seen::Other,
    }
}

impl Sketch {
    fn clear(&mut self) {
        self.layout.values.clear();
        (self.layout.size, self.layout.objects) = (0, 0);
        self.plan.len = 0;
        self.record.clear();
    }

    fn is_record(&self) -> bool {
        self.layout.values.len() <= 2 * self.layout.size && self.layout.size <= MAX_SIZE
    }

    #[inline(never)]
    fn note(&mut self, what: What, depth: u32, key: &'static str, bits: u64) -> Result<(), Deviates> {
        let Layout { values, size, objects, .. } = &mut self.layout;
        if values.len() == MAX_VALUES || !self.plan.push(what, depth, key) {
            return Err(Deviates);
        }
        values.push(Value { what, at: *size as u32, count: 0, end: values.len() as u32 + 1 });
        *size += what.size();
        self.record.extend_from_slice(&bits.to_le_bytes());
        self.record.truncate(*size);
        *objects += usize::from(what.is_object());
        Ok(())
    }
}

/// Notes a value.
struct Look<'r> {
    ser: &'r mut Serializer,
    /// Where it stands in the element.
    depth: u32,
    key: &'static str,
}

/// What a value was.
enum Found {
    /// The element, which is a number that a packed array can hold.
    Number(ElementKind, u64),
    Noted,
}

impl<'r> Look<'r> {
    #[inline(always)]
    fn note(self, what: What, bits: u64) -> Result<Found, Deviates> {
        match self.depth {
            0 => Err(Deviates),
            depth => self.ser.sketch.note(what, depth, self.key, bits).map(|()| Found::Noted),
        }
    }

    #[inline(always)]
    fn number(self, kind: ElementKind, bits: u64) -> Result<Found, Deviates> {
        if self.depth == 0 { Ok(Found::Number(kind, bits)) } else { self.note(What::Number(kind), bits) }
    }

    fn open(self, what: What, node: u32) -> Result<Looks<'r>, Deviates> {
        let Look { ser, depth, key } = self;
        if depth == 0 {
            ser.sketch.clear();
        }
        // The sequence is a container too. What lies too deeply is refused when it is written.
        if !ser.has_depth(depth as usize + 2) {
            return Err(Deviates);
        }
        let place = ser.sketch.layout.values.len();
        ser.sketch.note(what, depth, key, 0)?;
        Ok(Looks { ser, node, place, count: 0, depth: depth + 1 })
    }
}

macro_rules! numbers {
    ($($method:ident $number:ty, $kind:ident, |$n:ident| $bits:expr;)*) => {
        $(#[inline(always)]
        fn $method(self, $n: $number) -> Result<Found, Deviates> {
            self.number(ElementKind::$kind, $bits)
        })*
    };
}

impl<'r> ser::Serializer for Look<'r> {
    no_record!(Found, Looks<'r>);

    packed_numbers!(numbers);

    fn serialize_i64(self, n: i64) -> Result<Found, Deviates> {
        self.note(What::Number(ElementKind::BigInt64), n as u64)
    }

    fn serialize_u64(self, n: u64) -> Result<Found, Deviates> {
        self.note(What::Number(ElementKind::BigUint64), n)
    }

    fn serialize_bool(self, v: bool) -> Result<Found, Deviates> {
        self.note(What::Boolean, u64::from(v))
    }

    fn serialize_tuple(self, _: usize) -> Result<Looks<'r>, Deviates> {
        self.open(What::Array, 0)
    }

    fn serialize_struct(self, name: &'static str, _: usize) -> Result<Looks<'r>, Deviates> {
        let Serializer { message, fields, .. } = &mut *self.ser;
        let node = fields.start_of(&mut message.shapes, name);
        // Its shape is known at its end.
        self.open(What::Object(0), node)
    }
}

/// Notes the values of an object or array.
struct Looks<'r> {
    ser: &'r mut Serializer,
    /// Of an object: its last field.
    node: u32,
    place: usize,
    count: u32,
    depth: u32,
}

impl Looks<'_> {
    #[inline]
    fn value<T: ?Sized + Serialize>(&mut self, key: &'static str, value: &T) -> Result<(), Deviates> {
        self.count += 1;
        value.serialize(Look { ser: &mut *self.ser, depth: self.depth, key }).map(|_| ())
    }

    fn close(&mut self, what: What) -> Result<Found, Deviates> {
        let values = &mut self.ser.sketch.layout.values;
        let end = values.len() as u32;
        let value = values.get_mut(self.place).ok_or(Deviates)?;
        (value.what, value.count, value.end) = (what, self.count, end);
        Ok(Found::Noted)
    }
}

impl ser::SerializeTuple for Looks<'_> {
    type Ok = Found;
    type Error = Deviates;

    fn serialize_element<T: ?Sized + Serialize>(&mut self, value: &T) -> Result<(), Deviates> {
        self.value("", value)
    }

    fn end(mut self) -> Result<Found, Deviates> {
        self.close(What::Array)
    }
}

impl ser::SerializeTupleStruct for Looks<'_> {
    type Ok = Found;
    type Error = Deviates;

    fn serialize_field<T: ?Sized + Serialize>(&mut self, value: &T) -> Result<(), Deviates> {
        self.value("", value)
    }

    fn end(mut self) -> Result<Found, Deviates> {
        self.close(What::Array)
    }
}

impl ser::SerializeStruct for Looks<'_> {
    type Ok = Found;
    type Error = Deviates;

    #[inline]
    fn serialize_field<T: ?Sized + Serialize>(&mut self, key: &'static str, value: &T) -> Result<(), Deviates> {
        self.node = self.ser.fields.next(self.node, key);
        self.value(key, value)
    }

    fn end(mut self) -> Result<Found, Deviates> {
        let Serializer { message, fields, .. } = &mut *self.ser;
        let shape = fields.shape(&mut message.shapes, self.node).map_err(|_| Deviates)?;
        // The shape has its number from here on, as if the object had been written.
        let number = message.shapes.number(shape);
        match fields.order(self.node) {
            None => self.close(What::Object(number)),
            Some(_) => Err(Deviates),
        }
    }
}

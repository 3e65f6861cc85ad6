//! What containers are written with, one value after the other.

use serde::ser::{self, Serialize};

use super::ser::Serializer;
use super::settle::{set_count, settle_distinct, settle_object};
use crate::error::{Error, Step};
use crate::graph::JsStr;
use crate::wire::message::{Mark, Message};
use crate::wire::{tag, varint};

/// Writes the elements of an array or Set.
pub struct SeqSerializer<'s> {
    pub(super) ser: &'s mut Serializer,
    pub(super) at: usize,
    pub(super) declared: Option<usize>,
    pub(super) n: usize,
    pub(super) is_set: bool,
}

impl SeqSerializer<'_> {
    #[inline]
    fn element<T: ?Sized + Serialize>(&mut self, value: &T) -> Result<(), Error> {
        let n = self.n;
        self.n += 1;
        match value.serialize(&mut *self.ser) {
            Ok(()) => Ok(()),
            Err(error) => Err(error.within_index(n)),
        }
    }

    #[inline]
    fn close(self) -> Result<(), Error> {
        if self.is_set {
            return self.close_set();
        }
        self.ser.close_array(self.at, self.declared, self.n);
        Ok(())
    }

    #[cold]
    fn close_set(self) -> Result<(), Error> {
        self.ser.leave();
        let Serializer { message, sets, .. } = self.ser;
        let Some(mark) = sets.pop() else { return Ok(()) };
        if self.declared != Some(self.n) {
            set_count(&mut message.structure, self.at + 1, mark.structure - self.at - 1, self.n as u64);
        }
        // A header of another length has moved the entries.
        let count = 1 + varint::len(self.n as u64);
        settle_distinct(message, Mark { structure: self.at + count, ..mark }, 1, self.n)
    }
}

/// serde's traits for one way of writing a container: by a method for a value and one for the end.
macro_rules! compounds {
    (#[$inline:meta] $serializer:ty: $($compound:ident $method:ident($($key:ident: $of:ty)?) => $value:ident;)*) => {
        $(impl ser::$compound for $serializer {
            type Ok = ();
            type Error = Error;

            #[$inline]
            fn $method<T: ?Sized + Serialize>(&mut self, $($key: $of,)? value: &T) -> Result<(), Error> {
                self.$value($($key,)? value)
            }

            #[$inline]
            fn end(self) -> Result<(), Error> {
                self.close()
            }
        })*
    };
}
pub(super) use compounds;

compounds! {
    #[inline] SeqSerializer<'_>:
    SerializeSeq serialize_element() => element;
    SerializeTuple serialize_element() => element;
    SerializeTupleStruct serialize_field() => element;
    SerializeTupleVariant serialize_field() => element;
}

/// Writes the entries of a map: an object where all keys are strings, else a Map.
pub struct MapSerializer<'s> {
    pub(super) ser: &'s mut Serializer,
    pub(super) at: usize,
    pub(super) mark: Mark,
    pub(super) declared: usize,
    pub(super) n: usize,
    pub(super) as_map: bool,
    /// Where the key begins that has been written last.
    pub(super) key: Mark,
    pub(super) last: LastKey,
    /// Each key so far is greater than the one before it, so none stands twice.
    pub(super) ascending: bool,
    /// The keys so far are in the order of an object's.
    pub(super) in_order: bool,
}

/// The last key, for comparison with the next.
pub(super) enum LastKey {
    None,
    /// Its place in the text, and whether it is an array index.
    Text {
        from: usize,
        to: usize,
        index: Option<u32>,
    },
    Number(i64),
    Other,
}

impl MapSerializer<'_> {
    fn look_at_key(&mut self) {
        let Message { structure, text, .. } = &mut self.ser.message;
        let key = &structure[self.key.structure..];
        let now = match *key {
            [tag::STRING..tag::ARRAY | tag::STRING_LONG, ..] => {
                let (from, to) = (self.key.text, text.len());
                let now = &text[from..to];
                let is_digit = now.first().is_some_and(u8::is_ascii_digit);
                let digits = if is_digit { std::str::from_utf8(now).ok() } else { None };
                let index = digits.and_then(|digits| JsStr::utf8(digits).array_index());
                match self.last {
                    LastKey::None => {}
                    LastKey::Text { from, to, index: before } => {
                        self.ascending &= text[from..to] < *now;
                        self.in_order &= match (before, index) {
                            (Some(before), Some(index)) => before < index,
                            (None, Some(_)) => false,
                            _ => true,
                        };
                    }
                    _ => self.ascending = false,
                }
                LastKey::Text { from, to, index }
            }
            [n @ ..=tag::INT_MAX] => LastKey::Number(i64::from(n)),
            [tag::U8, n] => LastKey::Number(i64::from(n)),
            [tag::U16, a, b] => LastKey::Number(i64::from(u16::from_le_bytes([a, b]))),
            [tag::U32, a, b, c, d] => LastKey::Number(i64::from(u32::from_le_bytes([a, b, c, d]))),
            [tag::F32, 0, 0, 0, 0x80] => {
                // JavaScript has no key -0.
                structure.truncate(self.key.structure);
                structure.push(0);
                LastKey::Number(0)
            }
            _ => LastKey::Other,
        };
        match now {
            LastKey::Text { .. } => {}
            LastKey::Number(n) => {
                self.as_map = true;
                self.ascending &= match self.last {
                    LastKey::None => true,
                    LastKey::Number(before) => before < n,
                    _ => false,
                };
            }
            _ => {
                self.as_map = true;
                self.ascending = false;
            }
        }
        self.last = now;
    }
}

impl ser::SerializeMap for MapSerializer<'_> {
    type Ok = ();
    type Error = Error;

    #[inline]
    fn serialize_key<T: ?Sized + Serialize>(&mut self, key: &T) -> Result<(), Error> {
        self.key = self.ser.message.mark();
        let result = key.serialize(&mut *self.ser);
        result.map_err(|error| error.within(Step::Entry("key", self.n as u32)))?;
        self.look_at_key();
        Ok(())
    }

    #[inline]
    fn serialize_value<T: ?Sized + Serialize>(&mut self, value: &T) -> Result<(), Error> {
        let n = self.n;
        self.n += 1;
        value.serialize(&mut *self.ser).map_err(|error| {
            error.within(match self.last {
                LastKey::Text { from, to, .. } => {
                    Step::Name(String::from_utf8_lossy(&self.ser.message.text[from..to]).into_owned())
                }
                _ => Step::Entry("value", n as u32),
            })
        })
    }

    fn end(self) -> Result<(), Error> {
        self.ser.leave();
        let message = &mut self.ser.message;
        if self.as_map {
            message.structure[self.at] = tag::MAP;
        }
        let count = self.mark.structure - self.at - 1;
        if self.declared != self.n {
            set_count(&mut message.structure, self.at + 1, count, self.n as u64);
        }
        let mark = Mark { structure: self.at + 1 + varint::len(self.n as u64), ..self.mark };
        if self.as_map && !self.ascending {
            settle_distinct(message, mark, 2, self.n)?;
        } else if !self.as_map && (!self.ascending || !self.in_order) {
            settle_object(message, mark, self.n)?;
        }
        Ok(())
    }
}

//! What containers are written with, one value after the other.

use std::marker::PhantomData;

use serde::ser::{self, Serialize};

use super::ser::Serializer;
use super::settle::{reorder, set_count, settle_distinct, settle_object};
use crate::error::{Error, Step};
use crate::graph::JsStr;
use crate::wire::message::{Mark, Message};
use crate::wire::{structure, tag, varint};

/// Writes the elements of an array or Set.
pub struct SeqSerializer<'s, O> {
    pub(super) ser: &'s mut Serializer,
    pub(super) at: usize,
    pub(super) mark: Mark,
    pub(super) declared: Option<usize>,
    pub(super) n: usize,
    pub(super) as_set: bool,
    pub(super) outcome: PhantomData<O>,
}

impl<O: Default> SeqSerializer<'_, O> {
    #[inline]
    fn element<T: ?Sized + Serialize>(&mut self, value: &T) -> Result<(), Error> {
        let n = self.n;
        self.n += 1;
        value.serialize(&mut *self.ser).map_err(|error| error.within_index(n))
    }

    #[inline]
    fn close(self) -> Result<O, Error> {
        self.ser.leave();
        if self.declared != Some(self.n) {
            let mut header = Vec::new();
            match self.as_set {
                true => structure::tagged(&mut header, tag::SET, self.n as u64),
                false => structure::array(&mut header, self.n),
            }
            self.ser.message.structure.splice(self.at..self.mark.structure, header);
        }
        if self.as_set {
            // A header of another length has moved the entries.
            let count = 1 + varint::len(self.n as u64);
            let mark = Mark { structure: self.at + count, ..self.mark };
            settle_distinct(&self.ser.message, mark, 1, self.n)?;
        }
        Ok(O::default())
    }
}

impl<O: Default> ser::SerializeSeq for SeqSerializer<'_, O> {
    type Ok = O;
    type Error = Error;

    #[inline]
    fn serialize_element<T: ?Sized + Serialize>(&mut self, value: &T) -> Result<(), Error> {
        self.element(value)
    }

    #[inline]
    fn end(self) -> Result<O, Error> {
        self.close()
    }
}

impl<O: Default> ser::SerializeTuple for SeqSerializer<'_, O> {
    type Ok = O;
    type Error = Error;

    #[inline]
    fn serialize_element<T: ?Sized + Serialize>(&mut self, value: &T) -> Result<(), Error> {
        self.element(value)
    }

    #[inline]
    fn end(self) -> Result<O, Error> {
        self.close()
    }
}

impl<O: Default> ser::SerializeTupleStruct for SeqSerializer<'_, O> {
    type Ok = O;
    type Error = Error;

    #[inline]
    fn serialize_field<T: ?Sized + Serialize>(&mut self, value: &T) -> Result<(), Error> {
        self.element(value)
    }

    #[inline]
    fn end(self) -> Result<O, Error> {
        self.close()
    }
}

impl<O: Default> ser::SerializeTupleVariant for SeqSerializer<'_, O> {
    type Ok = O;
    type Error = Error;

    #[inline]
    fn serialize_field<T: ?Sized + Serialize>(&mut self, value: &T) -> Result<(), Error> {
        self.element(value)
    }

    #[inline]
    fn end(self) -> Result<O, Error> {
        self.close()
    }
}

/// Writes the fields of a struct.
pub struct StructSerializer<'s, O> {
    pub(super) ser: &'s mut Serializer,
    /// Where the tag stands.
    pub(super) at: usize,
    pub(super) text: usize,
    pub(super) data: usize,
    /// The last field.
    pub(super) node: u32,
    pub(super) outcome: PhantomData<O>,
}

impl<O: Default> StructSerializer<'_, O> {
    /// The field `key` comes next, from this serializer.
    #[inline]
    pub(super) fn next_field(&mut self, key: &'static str) -> &mut Serializer {
        self.node = self.ser.fields.next(self.node, key);
        self.ser
    }

    /// The number of the shape, if its keys stand in the order in which the fields came.
    pub(super) fn shape_in_order(&mut self) -> Result<Option<u32>, Error> {
        let Serializer { message, fields, .. } = &mut *self.ser;
        let shape = fields.shape(&mut message.shapes, self.node)?;
        Ok(fields.order(self.node).is_none().then(|| message.shapes.number(shape)))
    }

    #[inline]
    fn field<T: ?Sized + Serialize>(&mut self, key: &'static str, value: &T) -> Result<(), Error> {
        match self.ser.fields.expected(self.node, key) {
            Some(node) => self.node = node,
            None => return self.other_field(key, value),
        }
        match value.serialize(&mut *self.ser) {
            Ok(()) => Ok(()),
            Err(error) => Err(error.within_name(key)),
        }
    }

    /// A field that did not come here last time. Apart from the others, so that they need not keep anything for it.
    #[cold]
    #[inline(never)]
    fn other_field<T: ?Sized + Serialize>(&mut self, key: &'static str, value: &T) -> Result<(), Error> {
        let ser = self.next_field(key);
        value.serialize(ser).map_err(|error| error.within_name(key))
    }

    #[inline]
    fn close(mut self) -> Result<O, Error> {
        self.ser.leave();
        let Serializer { message, fields, .. } = &mut *self.ser;
        match fields.known_tag(message.shapes.message(), self.node) {
            Some(tag) => message.structure[self.at] = tag,
            None => self.close_first()?,
        }
        Ok(O::default())
    }

    /// The first object of its shape in the message, or one whose tag has to be longer or its fields to be moved.
    #[inline(never)]
    fn close_first(&mut self) -> Result<(), Error> {
        let Serializer { message, fields, .. } = &mut *self.ser;
        let shape = fields.shape(&mut message.shapes, self.node)?;
        let number = message.shapes.number(shape);
        let order = fields.order(self.node);
        if let Some(order) = order {
            let mark = Mark { structure: self.at + 1, text: self.text, data: self.data, identities: 0 };
            reorder(message, mark, 1, order)?;
        }
        match u8::try_from(number) {
            Ok(number) if u64::from(number) <= tag::OBJECT_MAX => {
                let tag = tag::OBJECT + number;
                message.structure[self.at] = tag;
                if order.is_none() {
                    fields.remember_tag(message.shapes.message(), self.node, tag);
                }
            }
            _ => {
                let mut header = Vec::new();
                structure::object(&mut header, number);
                message.structure.splice(self.at..self.at + 1, header);
            }
        }
        Ok(())
    }
}

impl<O: Default> ser::SerializeStruct for StructSerializer<'_, O> {
    type Ok = O;
    type Error = Error;

    #[inline]
    fn serialize_field<T: ?Sized + Serialize>(&mut self, key: &'static str, value: &T) -> Result<(), Error> {
        self.field(key, value)
    }

    #[inline]
    fn end(self) -> Result<O, Error> {
        self.close()
    }
}

impl<O: Default> ser::SerializeStructVariant for StructSerializer<'_, O> {
    type Ok = O;
    type Error = Error;

    #[inline]
    fn serialize_field<T: ?Sized + Serialize>(&mut self, key: &'static str, value: &T) -> Result<(), Error> {
        self.field(key, value)
    }

    #[inline]
    fn end(self) -> Result<O, Error> {
        self.close()
    }
}

/// Writes the entries of a map: an object where all keys are strings, else a Map.
pub struct MapSerializer<'s, O> {
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
    pub(super) outcome: PhantomData<O>,
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

impl<O> MapSerializer<'_, O> {
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

impl<O: Default> ser::SerializeMap for MapSerializer<'_, O> {
    type Ok = O;
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

    fn end(self) -> Result<O, Error> {
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
        Ok(O::default())
    }
}

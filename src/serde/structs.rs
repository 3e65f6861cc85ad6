//! Structs and variants: objects whose shape is found while their fields come.

use serde::ser::{self, Serialize};

use super::compound::{SeqSerializer, compounds};
use super::fields::Track;
use super::ser::Serializer;
use super::settle::reorder;
use crate::error::Error;
use crate::wire::message::Mark;
use crate::wire::{structure, tag};

impl Serializer {
    /// The object `{variant: …}`, of which the value follows.
    #[inline]
    pub(super) fn variant(&mut self, variant: &'static str) -> Result<(), Error> {
        self.enter()?;
        let Serializer { message, fields, .. } = self;
        match fields.variant_tag(variant) {
            Some(tag) => structure::bare(&mut message.structure, tag),
            None => self.variant_first(variant)?,
        }
        Ok(())
    }

    /// The first object of its shape in the message, or one whose tag is longer.
    #[inline(never)]
    fn variant_first(&mut self, variant: &'static str) -> Result<(), Error> {
        let Serializer { message, fields, .. } = self;
        let node = fields.variant(&mut message.shapes, variant);
        let shape = fields.shape(&mut message.shapes, node)?;
        let number = message.shapes.number(shape);
        let at = message.structure.len();
        structure::object(&mut message.structure, number);
        if let [tag] = message.structure[at..] {
            fields.remember_variant(variant, tag);
        }
        Ok(())
    }

    #[inline]
    pub(super) fn tuple_variant(&mut self, variant: &'static str, len: usize) -> Result<SeqSerializer<'_>, Error> {
        self.variant(variant)?;
        // The array closes for both.
        self.leave();
        self.sequence(Some(len))
    }

    #[inline]
    pub(super) fn struct_variant(&mut self, variant: &'static str) -> Result<StructSerializer<'_>, Error> {
        self.variant(variant)?;
        // The inner object closes for both.
        self.leave();
        self.object(variant)
    }

    #[inline]
    pub(super) fn object(&mut self, name: &'static str) -> Result<StructSerializer<'_>, Error> {
        self.enter()?;
        let Serializer { message, fields, depth, .. } = &mut *self;
        let known = fields.object(&mut message.shapes, *depth, name);
        let (at, text, data) = (message.structure.len(), message.text.len(), message.data.len());
        // What is likely its tag, if not yet any.
        structure::bare(&mut message.structure, known.tag);
        Ok(StructSerializer { ser: self, at, text, data, track: known.track(), n: 0, likely: known.last })
    }
}

/// Writes the fields of a struct.
pub struct StructSerializer<'s> {
    ser: &'s mut Serializer,
    /// Where the tag stands.
    at: usize,
    text: usize,
    data: usize,
    /// How many fields have come, and what they were.
    track: Track,
    n: usize,
    /// If this is the place of the last of all, the tag is right.
    likely: u32,
}

impl StructSerializer<'_> {
    #[inline(always)]
    fn field<T: ?Sized + Serialize>(&mut self, key: &'static str, value: &T) -> Result<(), Error> {
        if !self.ser.fields.is_next(self.track, self.n, key) {
            self.track = Track::at(other_field(self.ser, self.track, self.n, key));
        }
        self.n += 1;
        match value.serialize(&mut *self.ser) {
            Ok(()) => Ok(()),
            Err(error) => Err(error.within_name(key)),
        }
    }

    #[inline(always)]
    fn close(self) -> Result<(), Error> {
        if self.track.place(self.n) != self.likely as usize {
            close_other(self.ser, self.track, self.n, self.at, self.text, self.data)?;
        }
        self.ser.leave();
        Ok(())
    }
}

/// Closes an object that is not of the shape that those of its name have mostly, or the first in the message.
#[cold]
#[inline(never)]
fn close_other(ser: &mut Serializer, track: Track, n: usize, at: usize, text: usize, data: usize) -> Result<(), Error> {
    let Serializer { message, fields, depth, .. } = ser;
    let node = fields.node(*depth, track, n);
    if let Some(tag) = fields.known_tag(message.shapes.message(), node) {
        message.structure[at] = tag;
        fields.expect(node, n, tag);
        return Ok(());
    }
    let shape = fields.shape(&mut message.shapes, node)?;
    let number = message.shapes.number(shape);
    let order = fields.order(node);
    if let Some(order) = order {
        reorder(message, Mark { structure: at + 1, text, data, identities: 0 }, 1, order)?;
    }
    match u8::try_from(number) {
        Ok(number) if u64::from(number) <= tag::OBJECT_MAX => {
            let tag = tag::OBJECT + number;
            message.structure[at] = tag;
            if order.is_none() {
                fields.remember_tag(message.shapes.message(), node, n, tag);
            }
        }
        _ => {
            let mut header = Vec::new();
            structure::object(&mut header, number);
            message.structure.splice(at..at + 1, header);
        }
    }
    Ok(())
}

/// A field that is not the next of its track. A function of its own that takes values, so that the others need not keep
/// anything for it.
#[cold]
#[inline(never)]
fn other_field(ser: &mut Serializer, track: Track, n: usize, key: &'static str) -> u32 {
    ser.fields.switch(ser.depth, track, n, key)
}

compounds! {
    #[inline(always)] StructSerializer<'_>:
    SerializeStruct serialize_field(key: &'static str) => field;
    SerializeStructVariant serialize_field(key: &'static str) => field;
}

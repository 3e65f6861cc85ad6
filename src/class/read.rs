//! The wire to class values: one value of the structure at a time, as the type that asks for it.
//!
//! Reading recurses with the types up to a fixed depth. What a pointer leads to beyond it is passed over (`skim`) and
//! read later, from where it begins: the pointer is there at once, its content when it has been read.

use std::borrow::Cow;
use std::rc::Rc;
use std::sync::Arc;

use byteorder::{ByteOrder, LittleEndian};

use super::known::{Known, Pointers};
use super::node::AnyNode;
use super::plan::{InTurn, Plan};
use super::write::{MAX_DEPTH, too_deep};
use super::{Classes, Field};
use crate::codec::path_at;
use crate::error::{Error, ErrorKind, Fault};
use crate::graph::well_formed;
use crate::wire::item::{self, Item, Source};
use crate::wire::shape_list::{ShapeList, Text};
use crate::wire::{self, ElementKind, splice, structure, tag};

/// Reads the fields of class values: what a [`Field`] is given to read itself with.
pub struct Reader<'a> {
    pub(super) source: Source<'a>,
    /// Identities that have been taken up to where the source stands.
    pub(super) identities: u32,
    pub(super) plans: Vec<Plan<'a>>,
    /// What of them is asked for most; as many.
    pub(super) in_turn: Vec<InTurn>,
    pub(super) classes: &'a Classes,
    /// What has been read, by identity; only kept where there are references.
    pub(super) known: Vec<Known>,
    pub(super) pointers: Pointers,
    /// Where what has been passed over begins and ends, by identity.
    pub(super) extents: Vec<Extent>,
    /// Where the fields of instances begin whose shape is not that of their class.
    pub(super) columns: Vec<Option<Place>>,
    pub(super) waiting: Vec<Waiting>,
    /// Where the root stands, and where each identity does, once that has been asked for.
    first: item::Place,
    places: Option<Vec<item::Identity>>,
    pub(super) depth: u32,
    /// Bytes of room that may still be made for elements that are only announced.
    room: usize,
    /// The identity of the pointer whose content is read next.
    pub(super) filling: u32,
}

/// A place in the message: all that tells how to read on from it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    pub(super) at: item::Place,
    pub(super) identities: u32,
}

/// From an object's tag to behind it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Extent {
    pub(super) start: Place,
    pub(super) end: Option<Place>,
}

/// Content that is read later.
pub(super) struct Waiting {
    pub(super) at: Place,
    pub(super) node: Node,
}

pub(super) enum Node {
    Rc(Rc<dyn AnyNode>),
    Arc(Arc<dyn AnyNode>),
}

/// Bytes of text that interned strings may repeat: what is one string in the message is as many in Rust.
const MAX_EXPANSION: u64 = 1 << 24;

/// Room for elements that are announced is made at once up to so many bytes for each byte of the message, all together;
/// then up to so many for each array.
const ROOM: usize = 2;
const LEAST_ROOM: usize = 1 << 14;

/// Decodes the message that `input` is.
pub(crate) fn decode<T: Field>(input: &[u8], classes: &Classes) -> Result<T, Error> {
    let mut reader = Reader::new(input, classes)?;
    reader.whole().map_err(|error: Error| match error.offset() {
        Some(offset) if error.path().is_none() => match path_at(input, offset as usize) {
            Some(path) => error.at_path(path),
            None => error,
        },
        _ => error,
    })
}

impl<'a> Reader<'a> {
    pub(super) fn new(input: &'a [u8], classes: &'a Classes) -> Result<Self, Error> {
        classes.check()?;
        let (mut source, end) = Source::new(input, Box::default())?;
        if end != input.len() {
            return Err(Fault::new(ErrorKind::TrailingBytes, end).into());
        }
        source.expansion = MAX_EXPANSION;
        classes.check_shapes(&source)?;
        Ok(Reader {
            first: source.place(),
            places: None,
            identities: 0,
            plans: vec![Plan::default(); source.shapes.shapes_len()],
            in_turn: vec![InTurn::default(); source.shapes.shapes_len()],
            source,
            classes,
            known: Vec::new(),
            pointers: Pointers::default(),
            extents: Vec::new(),
            columns: Vec::new(),
            waiting: Vec::new(),
            room: ROOM.saturating_mul(input.len()),
            depth: 0,
            filling: u32::MAX,
        })
    }

    /// The root, and all that waits.
    pub(super) fn whole<T: Field>(&mut self) -> Result<T, Error> {
        let value = T::read(self)?;
        self.source.finish()?;
        self.finish_waiting()?;
        Ok(value)
    }

    /// Reads what waits until nothing does.
    pub(super) fn finish_waiting(&mut self) -> Result<(), Error> {
        while let Some(waiting) = self.waiting.pop() {
            self.depth = 0;
            self.go(waiting.at);
            match waiting.node {
                Node::Rc(node) => node.fill(self)?,
                Node::Arc(node) => node.fill(self)?,
            }
        }
        Ok(())
    }

    pub(super) fn place(&self) -> Place {
        Place { at: self.source.place(), identities: self.identities }
    }

    pub(super) fn go(&mut self, place: Place) {
        self.source.go_to(place.at);
        self.identities = place.identities;
    }

    /// Takes the identity of a value that is not behind a pointer, or of the content of one that is being read.
    #[inline]
    pub(super) fn take_identity(&mut self, at: usize) -> Result<(), Error> {
        let id = self.identities;
        self.identities += 1;
        if !self.source.refs || self.filling == id {
            return Ok(());
        }
        if self.known.len() == id as usize {
            self.known.push(Known::Value);
            return Ok(());
        }
        self.take_known(id as usize, at)
    }

    /// Notes that a value has this identity; false where something else has.
    #[inline(never)]
    pub(super) fn note_value(&mut self, id: u32) -> bool {
        let known = self.known_mut(id as usize);
        if matches!(known, Known::Nothing) {
            *known = Known::Value;
        }
        !matches!(known, Known::Pointer { .. })
    }

    #[cold]
    fn take_known(&mut self, id: usize, at: usize) -> Result<(), Error> {
        match self.known_mut(id) {
            known @ Known::Nothing => *known = Known::Value,
            // The content of a pointer that is being read.
            Known::Value | Known::Open => {}
            Known::Pointer { .. } => return Err(self.wrong_reference(at)),
        }
        Ok(())
    }

    pub(super) fn known_mut(&mut self, id: usize) -> &mut Known {
        if id >= self.known.len() {
            self.known.resize(id + 1, Known::Nothing);
        }
        &mut self.known[id]
    }

    /// The tag of the next value, which is not passed.
    #[inline]
    pub(super) fn peek(&mut self) -> Result<u8, Error> {
        let at = self.source.structure.offset();
        let tag = self.source.structure.u8()?;
        self.source.structure.rewind(at);
        Ok(tag)
    }

    /// Passes `null` or `undefined`, if the next value is one.
    #[inline]
    pub(super) fn skip_null(&mut self) -> Result<bool, Error> {
        let at = self.source.structure.offset();
        let is_null = matches!(self.source.structure.u8()?, tag::NULL | tag::UNDEFINED);
        if !is_null {
            self.source.structure.rewind(at);
        }
        Ok(is_null)
    }

    pub(super) fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> Result<T, Error>) -> Result<T, Error> {
        if self.depth >= MAX_DEPTH {
            return Err(too_deep().at_offset(self.source.structure.offset()));
        }
        self.depth += 1;
        let value = read(self)?;
        self.depth -= 1;
        Ok(value)
    }

    /// A string.
    #[inline]
    pub(super) fn string(&mut self, what: &str) -> Result<Cow<'a, str>, Error> {
        let at = self.source.structure.offset();
        match self.source.structure.u8()? {
            tag @ tag::STRING..tag::ARRAY => Ok(Cow::Borrowed(self.source.text(usize::from(tag - tag::STRING), at)?)),
            tag => self.long_string(tag, at, what),
        }
    }

    fn long_string(&mut self, tag: u8, at: usize, what: &str) -> Result<Cow<'a, str>, Error> {
        if !matches!(tag, tag::STRING_LONG | tag::STRING_UTF16 | tag::INTERN | tag::INTERNED) {
            return Err(self.wrong(at, what));
        }
        match self.source.text_of(tag, at)? {
            Text::Utf8(text) => Ok(Cow::Borrowed(text)),
            Text::Utf16(units) => match well_formed(units.chunks_exact(2).map(LittleEndian::read_u16)) {
                Some(text) => Ok(Cow::Owned(text)),
                None => Err(Error::new(ErrorKind::WrongType, "a string with a lone surrogate, which Rust has not")
                    .at_offset(at)),
            },
        }
    }

    /// The count of values that follow it, `values` for each, in the container whose tag is at `at`.
    pub(super) fn count(&mut self, values: u64, at: usize) -> Result<usize, Error> {
        let n = self.source.structure.varint()?;
        self.source.claim(n.saturating_mul(values), at)?;
        Ok(n as usize)
    }

    /// How many elements to make room for when `n` are announced.
    #[inline]
    pub(super) fn room<T>(&mut self, n: usize) -> usize {
        let bytes = n.saturating_mul(size_of::<T>());
        if bytes <= LEAST_ROOM {
            return n;
        }
        match self.room.checked_sub(bytes) {
            Some(left) => {
                self.room = left;
                n
            }
            None => n.min(LEAST_ROOM / size_of::<T>() + 1),
        }
    }

    /// The next value as a message by itself.
    pub(super) fn extract(&mut self) -> Result<Vec<u8>, Error> {
        let start = self.place();
        self.skim()?;
        let end = self.place();
        if self.source.refs && self.places.is_none() {
            self.places = Some(self.source.identities(self.first));
        }
        self.source.go_to(start.at);
        let bytes = splice::extract(&mut self.source, self.places.as_deref())?;
        self.go(end);
        Ok(bytes)
    }

    /// Reads the array of records whose tag, at `at`, has been read as if its values stood in the structure.
    pub(super) fn expanded<T>(
        &mut self,
        at: usize,
        read: impl FnOnce(&mut Reader<'_>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let Item::Records(records) = self.source.item_of(tag::RECORDS, at)? else {
            return Err(self.wrong(at, "an array"));
        };
        let layout = self.source.layout(&records);
        let mut values = Vec::new();
        structure::array(&mut values, records.n as usize);
        for record in records.bytes.chunks_exact(layout.size) {
            layout.write_values(&mut values, 0, record, |shape| shape);
        }
        let mut shapes = Box::<ShapeList>::default();
        shapes.read(&wire::Reader::new(self.source.shapes_section, 0))?;
        let mut source = Source::of_parts(&values, "", &[], shapes);
        source.shapes_section = self.source.shapes_section;
        source.refs = false;
        let mut inner = Reader {
            first: source.place(),
            source,
            places: None,
            identities: 0,
            plans: vec![Plan::default(); self.plans.len()],
            in_turn: vec![InTurn::default(); self.plans.len()],
            classes: self.classes,
            known: Vec::new(),
            pointers: Pointers::default(),
            extents: Vec::new(),
            columns: Vec::new(),
            waiting: Vec::new(),
            room: ROOM.saturating_mul(values.len()),
            depth: self.depth,
            filling: u32::MAX,
        };
        let value = read(&mut inner).and_then(|value| inner.finish_waiting().map(|()| value));
        // Nothing may refer to what is in records, so it need not be known which identities it has.
        self.take_identity(at)?;
        self.identities += records.identities - 1;
        // Places in what has been expanded say nothing about the message.
        value.map_err(|error| error.at_offset(at))
    }

    /// The elements of a packed or typed array, whose tag has been read.
    pub(super) fn elements(&mut self, tag: u8, at: usize) -> Result<(ElementKind, &'a [u8]), Error> {
        match self.source.item_of(tag, at)? {
            Item::Packed { kind, bytes } | Item::TypedArray { kind, bytes } => Ok((kind, bytes)),
            _ => Err(self.wrong(at, "an array of numbers")),
        }
    }

    /// The value at `at` is of another type than what is read.
    #[cold]
    pub(super) fn wrong(&self, at: usize, expected: &str) -> Error {
        let mut structure = self.source.structure.clone();
        structure.rewind(at);
        match structure.u8() {
            Ok(tag::REFERENCE) => self.wrong_reference(at),
            Ok(tag) if tag <= tag::RECORDS => {
                let detail = format!("expected {expected}, found {}", super::found::name(self, tag, structure));
                Error::new(ErrorKind::WrongType, detail).at_offset(at)
            }
            _ => Fault::new(ErrorKind::BadTag, at).into(),
        }
    }

    #[cold]
    pub(super) fn wrong_reference(&self, at: usize) -> Error {
        let detail = "a reference to, or from, a value that the class holds itself; hold it through Shared";
        Error::new(if self.source.refs { ErrorKind::WrongType } else { ErrorKind::BadReference }, detail).at_offset(at)
    }

    /// What a hook or transformer says.
    #[doc(hidden)]
    #[cold]
    pub fn refused<T: Field>(&self, reason: &dyn std::fmt::Display) -> Error {
        let detail = format!("{} can't be restored: {reason}", T::type_name());
        Error::new(ErrorKind::Refused, detail).at_offset(self.source.structure.offset().saturating_sub(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn room_for_what_is_announced_is_a_multiple_of_the_message() {
        type Large = [u8; 1000];
        let message = crate::Marshal::encode_with_classes(&"x".repeat(50_000)).unwrap().0;
        let classes = Classes::new();
        let mut reader = Reader::new(&message, &classes).unwrap();
        // Little is always there, and nothing takes nothing.
        assert_eq!((reader.room::<Large>(16), reader.room::<()>(usize::MAX)), (16, usize::MAX));
        assert_eq!((reader.room::<Large>(60), reader.room::<Large>(usize::MAX)), (60, 17));
        assert_eq!([(); 3].map(|()| reader.room::<Large>(40)), [40, 17, 17]);
        assert_eq!(reader.room::<Large>(16), 16);
    }
}

//! The wire to class values: one value of the structure at a time, as the type that asks for it.
//!
//! Reading recurses with the types up to a fixed depth. What a pointer leads to beyond it is passed over (`skim`) and
//! read later, from where it begins: the pointer is there at once, its content when it has been read.

use std::any::Any;
use std::borrow::Cow;
use std::rc::Rc;
use std::sync::Arc;

use byteorder::{ByteOrder, LittleEndian};

use super::node::AnyNode;
use super::plan::Plan;
use super::write::{MAX_DEPTH, too_deep};
use super::{Classes, Field};
use crate::codec::{path_at, read_shapes};
use crate::error::{Error, ErrorKind, Fault};
use crate::graph::{Shapes, well_formed};
use crate::wire::{self, ElementKind, Sections, tag};

/// Reads the fields of class values: what a [`Field`] is given to read itself with.
pub struct Reader<'a> {
    pub(super) structure: wire::Reader<'a>,
    text: &'a str,
    text_base: usize,
    data: &'a [u8],
    data_base: usize,
    pub(super) refs: bool,
    /// Everything that moves when values are read, apart from the place in the structure.
    pub(super) text_used: usize,
    pub(super) data_used: usize,
    pub(super) identities: u32,
    pub(super) strings_used: u32,
    /// Interned strings, by id.
    pub(super) strings: Vec<(usize, usize)>,
    pub(super) shapes: Arc<Shapes>,
    pub(super) plans: Vec<Plan<'a>>,
    pub(super) classes: &'a Classes,
    /// What has been read, by identity; only kept where there are references.
    pub(super) known: Vec<Known>,
    /// Where what has been passed over begins and ends, by identity.
    pub(super) extents: Vec<Extent>,
    /// Where the fields of instances begin whose shape is not that of their class.
    pub(super) columns: Vec<Option<Place>>,
    pub(super) waiting: Vec<Waiting>,
    kept: Vec<Box<dyn Any>>,
    pub(super) depth: u32,
    /// The identity of the pointer whose content is read next.
    pub(super) filling: u32,
}

/// What an identity stands for.
#[derive(Clone, Default)]
pub(super) enum Known {
    #[default]
    Nothing,
    /// A value that is not behind a pointer.
    Value,
    /// Something behind an `Rc` or `Arc` that is being read.
    Open,
    Rc(Rc<dyn Any>),
}

/// A place in the message: all that tells how to read on from it.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Place {
    pub(super) structure: usize,
    pub(super) text: usize,
    pub(super) data: usize,
    pub(super) identities: u32,
    pub(super) strings: u32,
}

/// From an object's tag to behind it. The end is at 0 where it is not known.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Extent {
    pub(super) start: Place,
    pub(super) end: Place,
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
        let sections = Sections::read(input)?;
        if sections.end != input.len() {
            return Err(Fault::new(ErrorKind::TrailingBytes, sections.end).into());
        }
        let shapes = read_shapes(sections.shapes)?;
        classes.check_shapes(&shapes)?;
        let text = match simdutf8::basic::from_utf8(sections.text) {
            Ok(text) => text,
            Err(_) => {
                let valid = simdutf8::compat::from_utf8(sections.text).map_or_else(|e| e.valid_up_to(), str::len);
                return Err(Fault::new(ErrorKind::InvalidUtf8, sections.text_at + valid).into());
            }
        };
        Ok(Reader {
            structure: sections.structure,
            text,
            text_base: sections.text_at,
            data: sections.data,
            data_base: sections.data_at,
            refs: sections.refs,
            text_used: 0,
            data_used: 0,
            identities: 0,
            strings_used: 0,
            strings: Vec::new(),
            plans: vec![Plan::default(); shapes.len()],
            shapes,
            classes,
            known: Vec::new(),
            extents: Vec::new(),
            columns: Vec::new(),
            waiting: Vec::new(),
            kept: Vec::new(),
            depth: 0,
            filling: u32::MAX,
        })
    }

    /// The root, and all that waits.
    pub(super) fn whole<T: Field>(&mut self) -> Result<T, Error> {
        let value = T::read(self)?;
        self.structure.finish()?;
        if self.text_used < self.text.len() {
            return Err(Fault::new(ErrorKind::UnusedBytes, self.text_base + self.text_used).into());
        }
        if self.data_used < self.data.len() {
            return Err(Fault::new(ErrorKind::UnusedBytes, self.data_base + self.data_used).into());
        }
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
        Place {
            structure: self.structure.offset(),
            text: self.text_used,
            data: self.data_used,
            identities: self.identities,
            strings: self.strings_used,
        }
    }

    pub(super) fn go(&mut self, place: Place) {
        self.structure.rewind(place.structure);
        (self.text_used, self.data_used) = (place.text, place.data);
        (self.identities, self.strings_used) = (place.identities, place.strings);
    }

    /// Keeps something alive until decoding is done.
    pub(super) fn keep(&mut self, node: Rc<dyn AnyNode>) {
        self.kept.push(Box::new(node));
    }

    pub(super) fn keep_sync(&mut self, node: Arc<dyn AnyNode>) {
        self.kept.push(Box::new(node));
    }

    /// Takes the identity of a value that is not behind a pointer.
    #[inline]
    pub(super) fn take_identity(&mut self, at: usize) -> Result<(), Error> {
        let id = self.identities as usize;
        self.identities += 1;
        if self.refs { self.take_known(id, at) } else { Ok(()) }
    }

    fn take_known(&mut self, id: usize, at: usize) -> Result<(), Error> {
        let filling = self.filling;
        match self.known_mut(id) {
            known @ Known::Nothing => *known = Known::Value,
            // The content of a pointer that is being read.
            Known::Value | Known::Open => {}
            Known::Rc(_) if filling == id as u32 => {}
            Known::Rc(_) => return Err(self.wrong_reference(at)),
        }
        Ok(())
    }

    #[inline]
    pub(super) fn known_mut(&mut self, id: usize) -> &mut Known {
        if id >= self.known.len() {
            self.known.resize(id + 1, Known::Nothing);
        }
        &mut self.known[id]
    }

    /// The tag of the next value, which is not passed.
    #[inline]
    pub(super) fn peek(&mut self) -> Result<u8, Error> {
        let at = self.structure.offset();
        let tag = self.structure.u8()?;
        self.structure.rewind(at);
        Ok(tag)
    }

    /// Passes `null` or `undefined`, if the next value is one.
    #[inline]
    pub(super) fn skip_null(&mut self) -> Result<bool, Error> {
        let at = self.structure.offset();
        let is_null = matches!(self.structure.u8()?, tag::NULL | tag::UNDEFINED);
        if !is_null {
            self.structure.rewind(at);
        }
        Ok(is_null)
    }

    pub(super) fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> Result<T, Error>) -> Result<T, Error> {
        if self.depth >= MAX_DEPTH {
            return Err(too_deep().at_offset(self.structure.offset()));
        }
        self.depth += 1;
        let value = read(self)?;
        self.depth -= 1;
        Ok(value)
    }

    /// A string.
    #[inline]
    pub(super) fn string(&mut self, what: &str) -> Result<Cow<'a, str>, Error> {
        let at = self.structure.offset();
        match self.structure.u8()? {
            tag @ tag::STRING..tag::ARRAY => Ok(Cow::Borrowed(self.text(u64::from(tag - tag::STRING), at)?)),
            tag => self.long_string(tag, at, what),
        }
    }

    fn long_string(&mut self, tag: u8, at: usize, what: &str) -> Result<Cow<'a, str>, Error> {
        match tag {
            tag::STRING_LONG => {
                let n = self.structure.varint()?;
                self.text(n, at).map(Cow::Borrowed)
            }
            tag::STRING_UTF16 => {
                let n = self.structure.varint()?;
                let units = self.payload(n, 2, 2, at)?;
                match well_formed(units.chunks_exact(2).map(LittleEndian::read_u16)) {
                    Some(text) => Ok(Cow::Owned(text)),
                    None => Err(Error::new(ErrorKind::WrongType, "a string with a lone surrogate, which Rust has not")
                        .at_offset(at)),
                }
            }
            tag::INTERN => {
                let start = self.text_used;
                let text = self.string(what)?;
                let id = self.strings_used as usize;
                self.strings_used += 1;
                if id == self.strings.len() {
                    self.strings.push((start, self.text_used - start));
                }
                Ok(text)
            }
            tag::INTERNED => {
                let id = self.structure.varint()?;
                let known = usize::try_from(id).ok().and_then(|id| self.strings.get(id));
                match known {
                    Some(&(start, len)) if id < u64::from(self.strings_used) => {
                        Ok(Cow::Borrowed(&self.text[start..start + len]))
                    }
                    _ => Err(Fault::new(ErrorKind::UnknownString, at).into()),
                }
            }
            _ => Err(self.wrong(at, what)),
        }
    }

    /// The next `len` bytes of the text.
    #[inline]
    pub(super) fn text(&mut self, len: u64, at: usize) -> Result<&'a str, Error> {
        let start = self.text_used;
        if len > (self.text.len() - start) as u64 {
            return Err(Fault::new(ErrorKind::LengthOutOfBounds, at).into());
        }
        let end = start + len as usize;
        match self.text.get(start..end) {
            Some(text) => {
                self.text_used = end;
                Ok(text)
            }
            None => Err(Fault::new(ErrorKind::SplitCharacter, at).into()),
        }
    }

    /// The next `n` elements of `size` bytes in the data, aligned to `align`.
    pub(super) fn payload(&mut self, n: u64, size: usize, align: usize, at: usize) -> Result<&'a [u8], Error> {
        if n == 0 {
            return Ok(&[]);
        }
        let used = self.data_used;
        let start = used.next_multiple_of(align);
        let skipped = &self.data[used.min(self.data.len())..start.min(self.data.len())];
        if let Some(bad) = skipped.iter().position(|&byte| byte != 0) {
            return Err(Fault::new(ErrorKind::BadPadding, self.data_base + used + bad).into());
        }
        let end = n.checked_mul(size as u64).and_then(|bytes| bytes.checked_add(start as u64));
        match end.filter(|&end| end <= self.data.len() as u64) {
            Some(end) => {
                self.data_used = end as usize;
                Ok(&self.data[start..end as usize])
            }
            None => Err(Fault::new(ErrorKind::LengthOutOfBounds, at).into()),
        }
    }

    /// The next count of values that take at least a byte each.
    pub(super) fn count(&mut self, values: u64, at: usize) -> Result<usize, Error> {
        let n = self.structure.varint()?;
        self.check_count(n, values, at)
    }

    pub(super) fn check_count(&mut self, n: u64, values: u64, at: usize) -> Result<usize, Error> {
        if n.saturating_mul(values) > self.structure.remaining() as u64 {
            return Err(Fault::new(ErrorKind::LengthOutOfBounds, at).into());
        }
        Ok(n as usize)
    }

    /// The kind of the elements of a packed or typed array.
    pub(super) fn element_kind(&mut self, at: usize, packed: bool) -> Result<ElementKind, Error> {
        let kind = ElementKind::from_code(self.structure.u8()?);
        let is_allowed = |kind: &ElementKind| if packed { kind.packs() } else { *kind != ElementKind::DataView };
        kind.filter(is_allowed).ok_or_else(|| Fault::new(ErrorKind::BadKind, at).into())
    }

    /// The value at `at` is of another type than what is read.
    #[cold]
    pub(super) fn wrong(&self, at: usize, expected: &str) -> Error {
        let mut structure = self.structure.clone();
        structure.rewind(at);
        match structure.u8() {
            Ok(tag::REFERENCE) => self.wrong_reference(at),
            Ok(tag) if tag <= tag::INTERNED => {
                let detail = format!("expected {expected}, found {}", super::found::name(self, tag, structure));
                Error::new(ErrorKind::WrongType, detail).at_offset(at)
            }
            _ => Fault::new(ErrorKind::BadTag, at).into(),
        }
    }

    #[cold]
    pub(super) fn wrong_reference(&self, at: usize) -> Error {
        let detail = "a reference to, or from, a value that the class holds itself; hold it through Shared";
        Error::new(if self.refs { ErrorKind::WrongType } else { ErrorKind::BadReference }, detail).at_offset(at)
    }

    /// What a hook or transformer says.
    #[doc(hidden)]
    #[cold]
    pub fn refused<T: Field>(&self, reason: &dyn std::fmt::Display) -> Error {
        let detail = format!("{} can't be restored: {reason}", T::type_name());
        Error::new(ErrorKind::Refused, detail).at_offset(self.structure.offset().saturating_sub(1))
    }
}

//! Reading a structure item by item, without a graph and without recursion (`spec/format.md`, sections 3 to 5).
//!
//! Readers that know what they expect look at a tag and take what follows it; everything else goes through
//! [`Source::item`], which reads any one item, and [`Source::skip`], which reads over a whole value.

mod limits;
mod records;
mod walk;

use super::layout::Records;
use super::shape_list::{ShapeList, Text};
use super::{ElementKind, Reader, Sections, tag};
use crate::error::{ErrorKind, Fault};

pub(crate) use walk::Identity;

/// Where in the three sections the next value stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place {
    /// Offset in the message.
    pub(crate) structure: usize,
    /// Bytes of the text and of the data that are used.
    pub(crate) text: usize,
    pub(crate) data: usize,
}

/// A message that is being read.
pub(crate) struct Source<'a> {
    pub(crate) structure: Reader<'a>,
    pub(crate) shapes: Box<ShapeList>,
    /// The section that `shapes` was read from: keys are lent from it.
    pub(crate) shapes_section: &'a [u8],
    text: &'a str,
    text_base: usize,
    /// What of the text is not used yet.
    text_rest: &'a str,
    data: &'a [u8],
    data_base: usize,
    data_used: usize,
    pub(crate) refs: bool,
    /// Values that containers may still claim to hold, all together. A message has no more than it has bytes of structure.
    pub(crate) unclaimed: u64,
    strings: Vec<Text<'a>>,
    /// Bytes that may still be read again, where the message repeats by reference what it has once.
    pub(crate) expansion: u64,
    /// What lies before this offset has been read before: its `INTERN`s count no more.
    frontier: usize,
}

/// One item: a tag and what belongs to it, but for the values that a container holds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Item<'a> {
    Null,
    Undefined,
    Bool(bool),
    Integer(i64),
    Single(f32),
    Double(f64),
    BigInt { negative: bool, magnitude: &'a [u8] },
    Text(Text<'a>),
    Symbol(u64),
    Array(u64),
    Sparse { length: u32, present: u64 },
    Packed { kind: ElementKind, bytes: &'a [u8] },
    Records(Records<'a>),
    Object(u64),
    Dictionary { null: bool, len: u64 },
    Map(u64),
    Set(u64),
    Date(f64),
    RegExp { flags: u8, source: Text<'a>, last_index: u64 },
    Boxed,
    Buffer { bytes: &'a [u8], max: Option<u64> },
    TypedArray { kind: ElementKind, bytes: &'a [u8] },
    View { kind: ElementKind, buffer: ViewBuffer<'a>, offset: u64, len: Option<u64> },
    Reference(u64),
}

/// The buffer of a view.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum ViewBuffer<'a> {
    Inline { bytes: &'a [u8], max: Option<u64> },
    Reference(u64),
}

impl Item<'_> {
    /// How many identities the item takes (`spec/format.md`, section 7).
    pub(crate) fn identities(&self) -> u32 {
        match self {
            Item::Null | Item::Undefined | Item::Bool(_) | Item::Integer(_) | Item::Single(_) | Item::Double(_) => 0,
            Item::BigInt { .. } | Item::Text(_) | Item::Symbol(_) | Item::Reference(_) => 0,
            Item::TypedArray { .. } | Item::View { buffer: ViewBuffer::Inline { .. }, .. } => 2,
            Item::Records(records) => records.identities,
            _ => 1,
        }
    }
}

impl<'a> Source<'a> {
    /// The message at the start of `input`, and where it ends. `shapes` may remember an earlier one.
    pub(crate) fn new(input: &'a [u8], shapes: Box<ShapeList>) -> Result<(Self, usize), Fault> {
        let mut source = Self::closed(shapes);
        let end = source.open(input)?;
        Ok((source, end))
    }

    /// A source of nothing, until it is [opened](Self::open): it is large, and so need not be moved.
    #[inline]
    pub(crate) fn closed(shapes: Box<ShapeList>) -> Self {
        Source {
            structure: Reader::new(&[], 0),
            shapes,
            shapes_section: &[],
            text: "",
            text_base: 0,
            text_rest: "",
            data: &[],
            data_base: 0,
            data_used: 0,
            refs: false,
            unclaimed: u64::MAX,
            strings: Vec::new(),
            expansion: u64::MAX,
            frontier: 0,
        }
    }

    /// Begins the message at the start of `input`. Where it ends.
    pub(crate) fn open(&mut self, input: &'a [u8]) -> Result<usize, Fault> {
        let sections = Sections::read(input)?;
        self.shapes.read(&sections.shapes)?;
        let text = match simdutf8::basic::from_utf8(sections.text) {
            Ok(text) => text,
            Err(_) => {
                let valid = simdutf8::compat::from_utf8(sections.text).map_or_else(|e| e.valid_up_to(), str::len);
                return Err(Fault::new(ErrorKind::InvalidUtf8, sections.text_at + valid));
            }
        };
        self.unclaimed = sections.structure.remaining() as u64;
        self.structure = sections.structure;
        self.shapes_section = sections.shapes.rest();
        (self.text, self.text_base, self.text_rest) = (text, sections.text_at, text);
        (self.data, self.data_base) = (sections.data, sections.data_at);
        self.refs = sections.refs;
        Ok(sections.end)
    }

    /// The sections of a message that is being written: offsets are places in its structure.
    pub(crate) fn of_parts(structure: &'a [u8], text: &'a str, data: &'a [u8], shapes: Box<ShapeList>) -> Self {
        let structure = Reader::new(structure, 0);
        Source { structure, text, text_rest: text, data, refs: true, ..Self::closed(shapes) }
    }

    /// All sections are used up.
    pub(crate) fn finish(&self) -> Result<(), Fault> {
        self.structure.finish()?;
        if !self.text_rest.is_empty() {
            return Err(Fault::new(ErrorKind::UnusedBytes, self.text_base + self.text_used()));
        }
        if self.data_used < self.data.len() {
            return Err(Fault::new(ErrorKind::UnusedBytes, self.data_base + self.data_used));
        }
        Ok(())
    }

    #[inline]
    pub(crate) fn place(&self) -> Place {
        Place { structure: self.structure.offset(), text: self.text_used(), data: self.data_used }
    }

    fn text_used(&self) -> usize {
        self.text.len() - self.text_rest.len()
    }

    /// Goes to another place. What lies before the farthest place so far has been read before.
    pub(crate) fn go_to(&mut self, place: Place) {
        self.frontier = self.frontier.max(self.structure.offset());
        self.structure.rewind(place.structure);
        // Texts end between characters.
        self.text_rest = self.text.get(place.text..).unwrap_or_default();
        self.data_used = place.data;
    }

    /// The next `len` bytes of the text, for the string whose tag is at `at`.
    #[inline]
    pub(crate) fn text(&mut self, len: usize, at: usize) -> Result<&'a str, Fault> {
        match self.short_text(len) {
            Some(text) => Ok(text),
            None => Err(self.bad_text(len, at)),
        }
    }

    /// The next `len` bytes of the text, if they are whole characters of it.
    #[inline(always)]
    pub(crate) fn short_text(&mut self, len: usize) -> Option<&'a str> {
        let (text, rest) = self.text_rest.split_at_checked(len)?;
        self.text_rest = rest;
        Some(text)
    }

    #[cold]
    fn bad_text(&self, len: usize, at: usize) -> Fault {
        let is_split = len <= self.text_rest.len();
        Fault::new(if is_split { ErrorKind::SplitCharacter } else { ErrorKind::LengthOutOfBounds }, at)
    }

    /// The next `n` elements of `size` bytes of the data, for the tag at `at`.
    pub(crate) fn payload(&mut self, n: u64, size: usize, align: usize, at: usize) -> Result<&'a [u8], Fault> {
        if n == 0 {
            return Ok(&[]);
        }
        let used = self.data_used;
        let start = used.next_multiple_of(align);
        let skipped = &self.data[used.min(self.data.len())..start.min(self.data.len())];
        if let Some(bad) = skipped.iter().position(|&byte| byte != 0) {
            return Err(Fault::new(ErrorKind::BadPadding, self.data_base + used + bad));
        }
        let len = n.checked_mul(size as u64).and_then(|len| usize::try_from(len).ok());
        match len.and_then(|len| self.data.get(start..)?.get(..len)) {
            Some(bytes) => {
                self.data_used = start + bytes.len();
                Ok(bytes)
            }
            None => Err(Fault::new(ErrorKind::LengthOutOfBounds, at)),
        }
    }

    /// The next `n` bytes of the data, where all have them that need no alignment.
    #[inline]
    pub(crate) fn bytes(&mut self, n: usize) -> Option<&'a [u8]> {
        let bytes = self.data.get(self.data_used..)?.get(..n)?;
        self.data_used += n;
        Some(bytes)
    }

    /// How many values the object with this shape holds, whose tag is at `at`.
    #[inline]
    pub(crate) fn values_of(&self, shape: u64, at: usize) -> Result<u64, Fault> {
        match self.shapes.shape(shape) {
            Some(shape) => Ok(shape.values()),
            None => Err(Fault::new(ErrorKind::UnknownShape, at)),
        }
    }

    /// Reads the next item. Containers claim what they hold.
    pub(crate) fn item(&mut self) -> Result<Item<'a>, Fault> {
        let at = self.structure.offset();
        let tag = self.structure.u8()?;
        self.item_of(tag, at)
    }

    /// Reads what follows `tag`, which stands at `at`.
    pub(crate) fn item_of(&mut self, tag: u8, at: usize) -> Result<Item<'a>, Fault> {
        let s = &mut self.structure;
        Ok(match tag {
            ..=tag::INT_MAX => Item::Integer(i64::from(tag)),
            tag::STRING..tag::ARRAY => Item::Text(Text::Utf8(self.text(usize::from(tag - tag::STRING), at)?)),
            tag::ARRAY..tag::OBJECT => self.array(u64::from(tag - tag::ARRAY), at)?,
            tag::OBJECT..tag::NULL => self.object(u64::from(tag - tag::OBJECT), at)?,
            tag::NULL => Item::Null,
            tag::UNDEFINED => Item::Undefined,
            tag::FALSE => Item::Bool(false),
            tag::TRUE => Item::Bool(true),
            tag::U8 => Item::Integer(i64::from(s.u8()?)),
            tag::U16 => Item::Integer(i64::from(s.u16()?)),
            tag::U32 => Item::Integer(i64::from(s.u32()?)),
            tag::I8 => Item::Integer(i64::from(s.u8()? as i8)),
            tag::I16 => Item::Integer(i64::from(s.u16()? as i16)),
            tag::I32 => Item::Integer(i64::from(s.u32()? as i32)),
            tag::F32 => Item::Single(s.f32()?),
            tag::F64 => Item::Double(s.f64()?),
            tag::BIGINT | tag::BIGINT_NEGATIVE => {
                let n = s.varint()?;
                let magnitude = s.take(usize::try_from(n).unwrap_or(usize::MAX))?;
                let negative = tag == tag::BIGINT_NEGATIVE;
                if magnitude.last().map_or(negative, |&top| top == 0) {
                    return Err(Fault::new(ErrorKind::BadBigInt, at));
                }
                Item::BigInt { negative, magnitude }
            }
            tag::STRING_LONG | tag::STRING_UTF16 | tag::INTERN | tag::INTERNED => Item::Text(self.long_text(tag, at)?),
            tag::ARRAY_LONG => {
                let n = s.varint()?;
                self.array(n, at)?
            }
            tag::OBJECT_LONG => {
                let shape = s.varint()?;
                self.object(shape, at)?
            }
            tag::ARRAY_SPARSE => {
                let length = s.varint()?;
                let length = u32::try_from(length).map_err(|_| Fault::new(ErrorKind::BadArray, at))?;
                let present = s.varint()?;
                self.claim(present, at)?;
                if present > u64::from(length) {
                    return Err(Fault::new(ErrorKind::BadArray, at));
                }
                Item::Sparse { length, present }
            }
            tag::ARRAY_PACKED => {
                let (kind, bytes) = self.elements(at, ElementKind::packs)?;
                Item::Packed { kind, bytes }
            }
            tag::DICTIONARY | tag::DICTIONARY_NULL | tag::MAP => {
                let n = s.varint()?;
                self.claim(n.saturating_mul(2), at)?;
                match tag {
                    tag::MAP => Item::Map(n),
                    _ => Item::Dictionary { null: tag == tag::DICTIONARY_NULL, len: n },
                }
            }
            tag::SET => {
                let n = s.varint()?;
                self.claim(n, at)?;
                Item::Set(n)
            }
            tag::DATE => {
                let ms = s.f64()?;
                let is_date = ms.is_nan() || (ms.abs() <= 8.64e15 && ms.trunc() == ms);
                if !is_date || (ms == 0.0 && ms.is_sign_negative()) {
                    return Err(Fault::new(ErrorKind::BadDate, at));
                }
                Item::Date(ms)
            }
            tag::REGEXP => {
                let flags = s.u8()?;
                let source_at = s.offset();
                let tag = s.u8()?;
                let source = self.text_of(tag, source_at)?;
                let last_index = self.structure.varint()?;
                Item::RegExp { flags, source, last_index }
            }
            tag::SYMBOL => {
                let symbol = s.varint()?;
                if symbol >= self.shapes.symbols_len() as u64 {
                    return Err(Fault::new(ErrorKind::UnknownSymbol, at));
                }
                Item::Symbol(symbol)
            }
            tag::BOXED => {
                self.claim(1, at)?;
                Item::Boxed
            }
            tag::BUFFER | tag::BUFFER_RESIZABLE => {
                let (bytes, max) = self.buffer(tag, at)?;
                Item::Buffer { bytes, max }
            }
            tag::TYPED_ARRAY => {
                let (kind, bytes) = self.elements(at, |kind| kind != ElementKind::DataView)?;
                Item::TypedArray { kind, bytes }
            }
            tag::VIEW => self.view(at)?,
            tag::RECORDS => Item::Records(self.records(at)?),
            tag::REFERENCE => {
                let id = s.varint()?;
                if !self.refs {
                    return Err(Fault::new(ErrorKind::BadReference, at));
                }
                Item::Reference(id)
            }
            _ => return Err(Fault::new(ErrorKind::BadTag, at)),
        })
    }

    #[inline]
    fn array(&mut self, n: u64, at: usize) -> Result<Item<'a>, Fault> {
        self.claim(n, at)?;
        Ok(Item::Array(n))
    }

    #[inline]
    fn object(&mut self, shape: u64, at: usize) -> Result<Item<'a>, Fault> {
        let values = self.values_of(shape, at)?;
        self.claim(values, at)?;
        Ok(Item::Object(shape))
    }

    fn elements(&mut self, at: usize, allowed: impl Fn(ElementKind) -> bool) -> Result<(ElementKind, &'a [u8]), Fault> {
        let kind = ElementKind::from_code(self.structure.u8()?).filter(|&kind| allowed(kind));
        let kind = kind.ok_or_else(|| Fault::new(ErrorKind::BadKind, at))?;
        let n = self.structure.varint()?;
        Ok((kind, self.payload(n, kind.size(), kind.size(), at)?))
    }

    fn buffer(&mut self, tag: u8, at: usize) -> Result<(&'a [u8], Option<u64>), Fault> {
        let n = self.structure.varint()?;
        let max = if tag == tag::BUFFER_RESIZABLE { Some(self.structure.varint()?) } else { None };
        if max.is_some_and(|max| max < n) {
            return Err(Fault::new(ErrorKind::BadBuffer, at));
        }
        Ok((self.payload(n, 1, 8, at)?, max))
    }

    fn view(&mut self, at: usize) -> Result<Item<'a>, Fault> {
        let kind = ElementKind::from_code(self.structure.u8()?).ok_or_else(|| Fault::new(ErrorKind::BadKind, at))?;
        let buffer_at = self.structure.offset();
        let buffer = match self.structure.u8()? {
            tag @ (tag::BUFFER | tag::BUFFER_RESIZABLE) => {
                let (bytes, max) = self.buffer(tag, buffer_at)?;
                ViewBuffer::Inline { bytes, max }
            }
            tag::REFERENCE if self.refs => ViewBuffer::Reference(self.structure.varint()?),
            tag::REFERENCE => return Err(Fault::new(ErrorKind::BadReference, buffer_at)),
            ..=tag::RECORDS => return Err(Fault::new(ErrorKind::WrongType, buffer_at)),
            _ => return Err(Fault::new(ErrorKind::BadTag, buffer_at)),
        };
        let offset = self.structure.varint()?;
        let len = self.structure.varint()?.checked_sub(1);
        Ok(Item::View { kind, buffer, offset, len })
    }

    /// The string whose tag, at `at`, is `tag`.
    #[inline]
    pub(crate) fn text_of(&mut self, tag: u8, at: usize) -> Result<Text<'a>, Fault> {
        match tag {
            tag::STRING..tag::ARRAY => self.text(usize::from(tag - tag::STRING), at).map(Text::Utf8),
            _ => self.long_text(tag, at),
        }
    }

    fn long_text(&mut self, tag: u8, at: usize) -> Result<Text<'a>, Fault> {
        match tag {
            tag::STRING_LONG => {
                let n = self.structure.varint()?;
                self.text(usize::try_from(n).unwrap_or(usize::MAX), at).map(Text::Utf8)
            }
            tag::STRING_UTF16 => {
                let n = self.structure.varint()?;
                self.payload(n, 2, 2, at).map(Text::Utf16)
            }
            tag::INTERN => {
                let tag = self.structure.u8()?;
                if matches!(tag, tag::INTERN | tag::INTERNED) {
                    return Err(Fault::new(ErrorKind::WrongType, at));
                }
                let text = self.text_of(tag, at)?;
                if at >= self.frontier {
                    self.strings.push(text);
                }
                Ok(text)
            }
            tag::INTERNED => {
                let id = self.structure.varint()?;
                let known = usize::try_from(id).ok().and_then(|id| self.strings.get(id));
                let text = known.copied().ok_or_else(|| Fault::new(ErrorKind::UnknownString, at))?;
                self.repeat(text.len(), at)?;
                Ok(text)
            }
            ..tag::INTERN | tag::RECORDS => Err(Fault::new(ErrorKind::WrongType, at)),
            _ => Err(Fault::new(ErrorKind::BadTag, at)),
        }
    }

    /// Reads over the next value.
    pub(crate) fn skip(&mut self) -> Result<(), Fault> {
        // Nothing is made of what is read over, however often it is repeated.
        let expansion = std::mem::replace(&mut self.expansion, u64::MAX);
        let skipped = self.walk(|_, _, _, _| {});
        self.expansion = expansion;
        skipped
    }
}

#[cfg(test)]
mod tests;

//! Reading over a structure without touching text or data: what a value is, and where its parts lie.

mod over;

use std::sync::Arc;

use super::records::plain_keys;
use crate::error::{ErrorKind, Fault};
use crate::graph::{MAX_SAFE_INTEGER, RegExpFlags, ShapeForm, Shapes, is_time_value};
use crate::wire::index::Position;
use crate::wire::layout::Layout;
use crate::wire::{ElementKind, Reader, tag};

/// Walks the structure from any place.
#[derive(Clone)]
pub(crate) struct Scan<'m> {
    reader: Reader<'m>,
    base: usize,
    text_len: u64,
    data_len: u64,
    refs: bool,
    shapes: &'m Arc<Shapes>,
    at: Position,
    /// The payload that the last item took from the data.
    pub(crate) payload: Option<Payload>,
}

/// Bytes of the data section.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Payload {
    pub(crate) at: u64,
    pub(crate) len: u64,
    pub(crate) align: u64,
}

/// What a value is, but for the values that it holds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Head {
    Undefined,
    Null,
    Bool(bool),
    Number(f64),
    /// Its magnitude stands in the structure.
    BigInt {
        negative: bool,
        at: u64,
        len: u64,
    },
    Text(TextHead),
    Symbol(u32),
    Array(u64),
    Sparse {
        length: u32,
        present: u64,
    },
    Packed {
        kind: ElementKind,
        payload: Payload,
    },
    Records {
        /// Where in the structure the layout begins.
        layout: u64,
        n: u32,
        payload: Payload,
        identities: u32,
    },
    Object(u32),
    Dictionary {
        null: bool,
        len: u64,
    },
    Map(u64),
    Set(u64),
    Date(f64),
    RegExp {
        flags: RegExpFlags,
        source: TextHead,
        last_index: u64,
    },
    Boxed,
    Buffer {
        payload: Payload,
        max: Option<u64>,
    },
    TypedArray {
        kind: ElementKind,
        payload: Payload,
    },
    View {
        kind: ElementKind,
        buffer: ViewBuffer,
        offset: u64,
        len: Option<u64>,
    },
    Reference(u64),
}

/// A string: where it stands in the text or the data, or the id of the one that it is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum TextHead {
    Utf8 { at: u64, len: u64, interns: bool },
    Utf16 { payload: Payload, interns: bool },
    Interned(u64),
}

impl TextHead {
    /// Whether it takes a string id.
    pub(crate) fn interns(self) -> bool {
        matches!(self, TextHead::Utf8 { interns: true, .. } | TextHead::Utf16 { interns: true, .. })
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum ViewBuffer {
    Inline { payload: Payload, max: Option<u64> },
    Reference(u64),
}

impl Head {
    /// How many identities the item takes (`spec/format.md`, section 7).
    pub(crate) fn identities(&self) -> u64 {
        match self {
            Head::Undefined | Head::Null | Head::Bool(_) | Head::Number(_) | Head::BigInt { .. } => 0,
            Head::Text(_) | Head::Symbol(_) | Head::Reference(_) => 0,
            Head::TypedArray { .. } | Head::View { buffer: ViewBuffer::Inline { .. }, .. } => 2,
            Head::Records { identities, .. } => u64::from(*identities),
            _ => 1,
        }
    }

    /// How many values follow; those of an array with holes have more between them.
    pub(crate) fn values(&self, shapes: &Shapes) -> u64 {
        match *self {
            Head::Array(n) | Head::Set(n) => n,
            Head::Dictionary { len, .. } => len.saturating_mul(2),
            Head::Map(n) => n.saturating_mul(2),
            Head::Boxed => 1,
            Head::Object(shape) => {
                let (form, keys) = shapes.form(shape);
                keys as u64 + u64::from(form != ShapeForm::Object)
            }
            _ => 0,
        }
    }
}

impl<'m> Scan<'m> {
    pub(crate) fn new(
        structure: Reader<'m>,
        base: usize,
        text_len: usize,
        data_len: usize,
        refs: bool,
        shapes: &'m Arc<Shapes>,
    ) -> Self {
        Scan {
            reader: structure,
            base,
            text_len: text_len as u64,
            data_len: data_len as u64,
            refs,
            shapes,
            at: Position::default(),
            payload: None,
        }
    }

    /// Where the next value begins.
    pub(crate) fn position(&self) -> Position {
        self.at
    }

    /// Goes to a position, which an index may have claimed.
    pub(crate) fn go_to(&mut self, at: Position) -> Result<(), Fault> {
        let whole = self.reader.offset() - self.base + self.reader.remaining();
        let is_inside = at.structure < whole as u64 && at.text <= self.text_len && at.data <= self.data_len;
        if !is_inside {
            return Err(Fault::new(ErrorKind::BadIndex, self.base));
        }
        self.at = at;
        self.reader.rewind(self.base + at.structure as usize);
        Ok(())
    }

    /// Reads the next item.
    pub(crate) fn head(&mut self) -> Result<Head, Fault> {
        let at = self.reader.offset();
        self.payload = None;
        let tag = self.reader.u8()?;
        let head = self.head_of(tag, at)?;
        if self.remaining() < head.values(self.shapes) {
            return Err(Fault::new(ErrorKind::LengthOutOfBounds, at));
        }
        self.at.identity = self.at.identity.saturating_add(head.identities());
        self.settle();
        Ok(head)
    }

    fn settle(&mut self) {
        self.at.structure = (self.reader.offset() - self.base) as u64;
    }

    pub(crate) fn remaining(&self) -> u64 {
        self.reader.remaining() as u64
    }

    fn head_of(&mut self, tag: u8, at: usize) -> Result<Head, Fault> {
        let bad = |kind| Fault::new(kind, at);
        let reader = &mut self.reader;
        Ok(match tag {
            ..=tag::INT_MAX => Head::Number(f64::from(tag)),
            tag::STRING..tag::ARRAY | tag::STRING_LONG | tag::STRING_UTF16 | tag::INTERN | tag::INTERNED => {
                Head::Text(self.text_of(tag, at)?)
            }
            tag::ARRAY..tag::OBJECT => Head::Array(u64::from(tag - tag::ARRAY)),
            tag::OBJECT..tag::NULL => self.object(u64::from(tag - tag::OBJECT), at)?,
            tag::NULL => Head::Null,
            tag::UNDEFINED => Head::Undefined,
            tag::FALSE => Head::Bool(false),
            tag::TRUE => Head::Bool(true),
            tag::U8 => Head::Number(f64::from(reader.u8()?)),
            tag::U16 => Head::Number(f64::from(reader.u16()?)),
            tag::U32 => Head::Number(f64::from(reader.u32()?)),
            tag::I8 => Head::Number(f64::from(reader.u8()? as i8)),
            tag::I16 => Head::Number(f64::from(reader.u16()? as i16)),
            tag::I32 => Head::Number(f64::from(reader.u32()? as i32)),
            tag::F32 => number(f64::from(reader.f32()?)),
            tag::F64 => number(reader.f64()?),
            tag::BIGINT | tag::BIGINT_NEGATIVE => {
                let len = reader.varint()?;
                let start = (reader.offset() - self.base) as u64;
                reader.take(usize::try_from(len).unwrap_or(usize::MAX))?;
                // The bytes may lie beyond what has been checked so far: whoever shows the value looks at them.
                Head::BigInt { negative: tag == tag::BIGINT_NEGATIVE, at: start, len }
            }
            tag::ARRAY_LONG => Head::Array(reader.varint()?),
            tag::OBJECT_LONG => {
                let shape = reader.varint()?;
                self.object(shape, at)?
            }
            tag::ARRAY_SPARSE => {
                let length = u32::try_from(reader.varint()?).map_err(|_| bad(ErrorKind::BadArray))?;
                let present = reader.varint()?;
                if present > reader.remaining() as u64 {
                    return Err(bad(ErrorKind::LengthOutOfBounds));
                }
                Head::Sparse { length, present }
            }
            tag::ARRAY_PACKED => {
                let (kind, payload) = self.elements(at, ElementKind::packs)?;
                Head::Packed { kind, payload }
            }
            tag::RECORDS => self.records(at)?,
            tag::DICTIONARY | tag::DICTIONARY_NULL => {
                Head::Dictionary { null: tag == tag::DICTIONARY_NULL, len: reader.varint()? }
            }
            tag::MAP => Head::Map(reader.varint()?),
            tag::SET => Head::Set(reader.varint()?),
            tag::DATE => match reader.f64()? {
                ms if is_time_value(ms) => Head::Date(if ms.is_nan() { f64::NAN } else { ms }),
                _ => return Err(bad(ErrorKind::BadDate)),
            },
            tag::REGEXP => {
                let flags = RegExpFlags::from_bits(reader.u8()?).ok_or_else(|| bad(ErrorKind::BadRegExp))?;
                let source_at = reader.offset();
                let tag = reader.u8()?;
                let source = self.text_of(tag, source_at)?;
                let last_index = self.reader.varint()?;
                if last_index > MAX_SAFE_INTEGER {
                    return Err(bad(ErrorKind::BadRegExp));
                }
                Head::RegExp { flags, source, last_index }
            }
            tag::SYMBOL => match reader.varint()? {
                index if index < self.shapes.symbols_len() as u64 => Head::Symbol(index as u32),
                _ => return Err(bad(ErrorKind::UnknownSymbol)),
            },
            tag::BOXED => Head::Boxed,
            tag::BUFFER | tag::BUFFER_RESIZABLE => {
                let (payload, max) = self.buffer(tag, at)?;
                Head::Buffer { payload, max }
            }
            tag::TYPED_ARRAY => {
                let (kind, payload) = self.elements(at, |kind| kind != ElementKind::DataView)?;
                Head::TypedArray { kind, payload }
            }
            tag::VIEW => {
                let kind = ElementKind::from_code(reader.u8()?).ok_or_else(|| bad(ErrorKind::BadKind))?;
                let buffer_at = reader.offset();
                let buffer = match reader.u8()? {
                    tag @ (tag::BUFFER | tag::BUFFER_RESIZABLE) => {
                        let (payload, max) = self.buffer(tag, buffer_at)?;
                        ViewBuffer::Inline { payload, max }
                    }
                    tag::REFERENCE if self.refs => ViewBuffer::Reference(reader.varint()?),
                    tag::REFERENCE => return Err(Fault::new(ErrorKind::BadReference, buffer_at)),
                    _ => return Err(Fault::new(ErrorKind::WrongType, buffer_at)),
                };
                let offset = self.reader.varint()?;
                let len = self.reader.varint()?.checked_sub(1);
                Head::View { kind, buffer, offset, len }
            }
            tag::REFERENCE if self.refs => Head::Reference(reader.varint()?),
            tag::REFERENCE => return Err(bad(ErrorKind::BadReference)),
            _ => return Err(bad(ErrorKind::BadTag)),
        })
    }

    fn records(&mut self, at: usize) -> Result<Head, Fault> {
        let start = (self.reader.offset() - self.base) as u64;
        let shapes = self.shapes;
        let layout = Layout::read(&mut self.reader, at, |shape| plain_keys(shapes, shape))?;
        let n = self.reader.varint()?;
        let identities = layout.admit(n, at)?;
        let payload = self.take_payload(n, layout.size as u64, 1, at)?;
        Ok(Head::Records { layout: start, n: n as u32, payload, identities })
    }

    fn object(&self, shape: u64, at: usize) -> Result<Head, Fault> {
        match u32::try_from(shape) {
            Ok(shape) if (shape as usize) < self.shapes.len() => Ok(Head::Object(shape)),
            _ => Err(Fault::new(ErrorKind::UnknownShape, at)),
        }
    }

    fn elements(&mut self, at: usize, allowed: impl Fn(ElementKind) -> bool) -> Result<(ElementKind, Payload), Fault> {
        let kind = ElementKind::from_code(self.reader.u8()?).filter(|&kind| allowed(kind));
        let kind = kind.ok_or_else(|| Fault::new(ErrorKind::BadKind, at))?;
        let n = self.reader.varint()?;
        Ok((kind, self.take_payload(n, kind.size() as u64, kind.size() as u64, at)?))
    }

    fn buffer(&mut self, tag: u8, at: usize) -> Result<(Payload, Option<u64>), Fault> {
        let n = self.reader.varint()?;
        let max = if tag == tag::BUFFER_RESIZABLE { Some(self.reader.varint()?) } else { None };
        if max.is_some_and(|max| max < n || max > MAX_SAFE_INTEGER) {
            return Err(Fault::new(ErrorKind::BadBuffer, at));
        }
        Ok((self.take_payload(n, 1, 8, at)?, max))
    }

    fn take_payload(&mut self, n: u64, size: u64, align: u64, at: usize) -> Result<Payload, Fault> {
        let start = if n == 0 { self.at.data } else { self.at.data.next_multiple_of(align) };
        let len = n.checked_mul(size);
        match len.and_then(|len| Some((len, start.checked_add(len)?))).filter(|&(_, end)| end <= self.data_len) {
            Some((len, end)) => {
                self.at.data = end;
                let payload = Payload { at: start, len, align };
                self.payload = Some(payload);
                Ok(payload)
            }
            None => Err(Fault::new(ErrorKind::LengthOutOfBounds, at)),
        }
    }

    fn text_of(&mut self, tag: u8, at: usize) -> Result<TextHead, Fault> {
        match tag {
            tag::STRING..tag::ARRAY => self.take_text(u64::from(tag - tag::STRING), at),
            tag::STRING_LONG => {
                let len = self.reader.varint()?;
                self.take_text(len, at)
            }
            tag::STRING_UTF16 => {
                let units = self.reader.varint()?;
                Ok(TextHead::Utf16 { payload: self.take_payload(units, 2, 2, at)?, interns: false })
            }
            tag::INTERN => {
                let tag = self.reader.u8()?;
                if matches!(tag, tag::INTERN | tag::INTERNED) {
                    return Err(Fault::new(ErrorKind::WrongType, at));
                }
                let text = self.text_of(tag, at)?;
                self.at.strings += 1;
                Ok(match text {
                    TextHead::Utf8 { at, len, .. } => TextHead::Utf8 { at, len, interns: true },
                    TextHead::Utf16 { payload, .. } => TextHead::Utf16 { payload, interns: true },
                    interned => interned,
                })
            }
            tag::INTERNED => Ok(TextHead::Interned(self.reader.varint()?)),
            ..tag::INTERN | tag::RECORDS => Err(Fault::new(ErrorKind::WrongType, at)),
            _ => Err(Fault::new(ErrorKind::BadTag, at)),
        }
    }

    fn take_text(&mut self, len: u64, at: usize) -> Result<TextHead, Fault> {
        let start = self.at.text;
        match start.checked_add(len).filter(|&end| end <= self.text_len) {
            Some(end) => {
                self.at.text = end;
                Ok(TextHead::Utf8 { at: start, len, interns: false })
            }
            None => Err(Fault::new(ErrorKind::LengthOutOfBounds, at)),
        }
    }

    /// The gap before an element of an array with holes, or the count of its extra properties.
    pub(crate) fn varint(&mut self) -> Result<u64, Fault> {
        let n = self.reader.varint()?;
        self.settle();
        Ok(n)
    }
}

/// Every NaN is the one that JavaScript has.
fn number(number: f64) -> Head {
    Head::Number(if number.is_nan() { f64::NAN } else { number })
}

//! The lines of the structure: one a tag, and one for each item that stands between or behind the values of a container
//! (`spec/format.md`, section 3).

use super::Parts;
use super::line::{Label, Line, What};
use super::shapes::{CLASS, CUSTOM, DERIVED, ERROR, NULL_PROTOTYPE, Shape, ShapeKey, valid_prefix};
use super::summary::Counted;
use crate::JsStr;
use crate::error::{ErrorKind, Fault};
use crate::wire::layout::Layout;
use crate::wire::shapes::PLAIN;
use crate::wire::{ElementKind, Reader, Sections, tag};

/// The walk through the structure, with a stack of its own.
pub(super) struct Walk<'a> {
    input: &'a [u8],
    reader: Reader<'a>,
    text: &'a [u8],
    text_used: usize,
    data_at: usize,
    data_used: usize,
    identities: u64,
    strings: Vec<JsStr<'a>>,
    open: Vec<Frame>,
}

/// An open container.
#[derive(Clone, Copy)]
struct Frame {
    role: Role,
    /// Values read so far, of `count`.
    next: u64,
    count: u64,
    kind: Counted,
}

#[derive(Clone, Copy, PartialEq)]
enum Role {
    Root,
    Array,
    Set,
    /// Keys and values in turn: of a dictionary, a Map, an array's extra properties.
    Pairs,
    Map,
    /// Fields of this shape.
    Fields(usize),
    Derived(usize),
    /// One value: the payload of a custom value, the primitive in a wrapper.
    Inner(&'static str),
    /// Elements of an array with holes, the last of which had this index (plus one); `true`: the gap has been read.
    Sparse(u64, bool),
    RegExp,
    View,
    /// Behind the buffer: the offset, then the length.
    ViewPlace,
}

impl<'a> Walk<'a> {
    pub(super) fn new(input: &'a [u8], sections: &Sections<'a>) -> Self {
        Walk {
            input,
            reader: sections.structure.clone(),
            text: sections.text,
            text_used: 0,
            data_at: sections.data_at,
            data_used: 0,
            identities: 0,
            strings: Vec::new(),
            open: vec![Frame { role: Role::Root, next: 0, count: 1, kind: Counted::Simple }],
        }
    }

    pub(super) fn offset(&self) -> usize {
        self.reader.offset()
    }

    /// The next line; `None` when the root is complete.
    pub(super) fn next(&mut self, parts: &mut Parts<'a>) -> Result<Option<Line<'a>>, Fault> {
        while let Some(frame) = self.open.last_mut() {
            let at = self.reader.offset();
            if frame.next < frame.count {
                if let Role::Sparse(index, false) = frame.role {
                    let gap = self.reader.varint()?;
                    frame.role = Role::Sparse(index.saturating_add(gap).saturating_add(1), true);
                    return Ok(Some(self.trailer(at, What::Number("gap", gap), parts)));
                }
                return self.value(parts).map(Some);
            }
            let what = match frame.role {
                Role::Sparse(..) => {
                    let n = self.reader.varint()?;
                    (frame.role, frame.next, frame.count) = (Role::Pairs, 0, n.saturating_mul(2));
                    What::Count(n, "extra property")
                }
                Role::RegExp => {
                    frame.role = Role::Root;
                    What::Number("lastIndex", self.reader.varint()?)
                }
                Role::View => {
                    frame.role = Role::ViewPlace;
                    What::Number("byte offset", self.reader.varint()?)
                }
                Role::ViewPlace => {
                    frame.role = Role::Root;
                    match self.reader.varint()? {
                        0 => What::Fixed("tracks the buffer's length"),
                        len => What::Number("length", len - 1),
                    }
                }
                _ => {
                    self.open.pop();
                    continue;
                }
            };
            return Ok(Some(self.trailer(at, what, parts)));
        }
        Ok(None)
    }

    /// A line for what belongs to the innermost container and is no value.
    fn trailer(&mut self, at: usize, what: What<'a>, parts: &mut Parts<'a>) -> Line<'a> {
        let bytes = &self.input[at..self.reader.offset()];
        if let Some(frame) = self.open.last() {
            parts.summary.count(frame.kind, 0, bytes.len() as u64);
        }
        Line { offset: at, bytes, depth: self.open.len(), label: Label::None, what }
    }

    fn value(&mut self, parts: &mut Parts<'a>) -> Result<Line<'a>, Fault> {
        let at = self.reader.offset();
        let depth = self.open.len();
        let label = self.label(parts);
        let (text_before, data_before) = (self.text_used, self.data_used);
        let tag = self.reader.u8()?;
        let mut kind = Counted::of(tag);
        let what = match tag {
            tag::OBJECT..tag::NULL => self.object(u64::from(tag - tag::OBJECT), parts, &mut kind)?,
            tag::OBJECT_LONG => {
                let shape = self.reader.varint()?;
                self.object(shape, parts, &mut kind)?
            }
            _ => match self.scalar(tag, at)? {
                Some(what) => what,
                None => self.container(tag, kind, at, parts)?,
            },
        };
        let bytes = &self.input[at..self.reader.offset()];
        let elsewhere = self.text_used - text_before + self.data_used - data_before;
        parts.summary.count(kind, 1, (bytes.len() + elsewhere) as u64);
        Ok(Line { offset: at, bytes, depth, label, what })
    }

    /// What the next value is to its container, which from then on counts it as read.
    fn label(&mut self, parts: &Parts<'a>) -> Label<'a> {
        let Some(frame) = self.open.last_mut() else { return Label::None };
        let next = frame.next;
        frame.next += 1;
        let field = |shape: usize, index: u64| match parts.shapes[shape].keys.get(index as usize) {
            Some(&ShapeKey::Name(name)) => Label::Name(name),
            Some(&ShapeKey::Symbol(symbol)) => Label::Symbol(symbol),
            None => Label::None,
        };
        let turn = if next % 2 == 0 { "key" } else { "value" };
        match frame.role {
            Role::Array => Label::Index(next),
            Role::Sparse(after, _) => {
                frame.role = Role::Sparse(after, false);
                Label::Index(after - 1)
            }
            Role::Set => Label::Numbered("member", next),
            Role::Map => Label::Numbered(turn, next / 2),
            Role::Pairs => Label::Fixed(turn),
            Role::Fields(shape) => field(shape, next),
            Role::Derived(_) if next == 0 => Label::Fixed("base"),
            Role::Derived(shape) => field(shape, next - 1),
            Role::Inner(name) => Label::Fixed(name),
            Role::RegExp => Label::Fixed("source"),
            Role::View => Label::Fixed("buffer"),
            Role::Root | Role::ViewPlace => Label::None,
        }
    }

    /// A value that holds no others and has no identity.
    fn scalar(&mut self, tag: u8, at: usize) -> Result<Option<What<'a>>, Fault> {
        Ok(Some(match tag {
            ..=tag::INT_MAX => What::Integer(i64::from(tag)),
            tag::STRING..tag::ARRAY | tag::STRING_LONG | tag::STRING_UTF16 => self.string(tag, "string ")?,
            tag::NULL => What::Fixed("null"),
            tag::UNDEFINED => What::Fixed("undefined"),
            tag::FALSE => What::Fixed("false"),
            tag::TRUE => What::Fixed("true"),
            tag::U8 => What::Integer(i64::from(self.reader.u8()?)),
            tag::U16 => What::Integer(i64::from(self.reader.u16()?)),
            tag::U32 => What::Integer(i64::from(self.reader.u32()?)),
            tag::I8 => What::Integer(i64::from(self.reader.u8()? as i8)),
            tag::I16 => What::Integer(i64::from(self.reader.u16()? as i16)),
            tag::I32 => What::Integer(i64::from(self.reader.u32()? as i32)),
            tag::F32 => What::Float(f64::from(self.reader.f32()?)),
            tag::F64 => What::Float(self.reader.f64()?),
            tag::BIGINT | tag::BIGINT_NEGATIVE => {
                let n = self.reader.varint()?;
                let magnitude = self.reader.take(usize::try_from(n).unwrap_or(usize::MAX))?;
                What::BigInt { negative: tag == tag::BIGINT_NEGATIVE, magnitude }
            }
            tag::SYMBOL => What::SymbolValue(self.reader.varint()?),
            tag::REFERENCE => What::Reference(self.reader.varint()?),
            tag::INTERN => {
                let inner = self.reader.u8()?;
                let what = self.string(inner, "string that takes an id, ")?;
                if let What::Text { text, .. } = what {
                    self.strings.push(text);
                }
                what
            }
            tag::INTERNED => {
                let id = self.reader.varint()?;
                What::Interned { id, text: usize::try_from(id).ok().and_then(|id| self.strings.get(id)).copied() }
            }
            _ if tag > tag::RECORDS => return Err(Fault::new(ErrorKind::BadTag, at)),
            _ => return Ok(None),
        }))
    }

    fn string(&mut self, tag: u8, form: &'static str) -> Result<What<'a>, Fault> {
        let bad = |at| Fault::new(ErrorKind::LengthOutOfBounds, at);
        let n = match tag {
            tag::STRING..tag::ARRAY => u64::from(tag - tag::STRING),
            _ => self.reader.varint()?,
        };
        let text = if tag == tag::STRING_UTF16 {
            let start = self.payload(n, 2, 2)?;
            JsStr::utf16(&self.input[start..self.data_at + self.data_used])
        } else {
            let end = usize::try_from(n).ok().and_then(|n| n.checked_add(self.text_used));
            let text = end.and_then(|end| self.text.get(self.text_used..end)).ok_or(bad(self.reader.offset()))?;
            self.text_used += text.len();
            valid_prefix(text)
        };
        Ok(What::Text { form, text })
    }

    /// The next `n` elements of the data: where they begin in the message.
    fn payload(&mut self, n: u64, size: u64, align: usize) -> Result<usize, Fault> {
        if n == 0 {
            return Ok(self.data_at + self.data_used);
        }
        let start = self.data_used.next_multiple_of(align);
        let end = n.checked_mul(size).and_then(|len| usize::try_from(len).ok()?.checked_add(start));
        match end.filter(|&end| end <= self.input.len() - self.data_at) {
            Some(end) => self.data_used = end,
            None => return Err(Fault::new(ErrorKind::LengthOutOfBounds, self.reader.offset())),
        }
        Ok(self.data_at + start)
    }

    fn identity(&mut self, taken: u64) -> u64 {
        self.identities += taken;
        self.identities - taken
    }

    fn enter(&mut self, role: Role, count: u64, kind: Counted) {
        self.open.push(Frame { role, next: 0, count, kind });
    }

    fn object(&mut self, index: u64, parts: &mut Parts<'a>, kind: &mut Counted) -> Result<What<'a>, Fault> {
        let unknown = || Fault::new(ErrorKind::UnknownShape, self.reader.offset());
        let at = usize::try_from(index).ok().filter(|&at| at < parts.shapes.len()).ok_or_else(unknown)?;
        let shape = &parts.shapes[at];
        let keys = shape.keys.len() as u64;
        *kind = match shape.kind {
            CLASS | DERIVED => Counted::Instance,
            ERROR => Counted::Error,
            CUSTOM => Counted::Custom,
            _ => Counted::Object,
        };
        let (role, count) = match shape.kind {
            CUSTOM => (Role::Inner("payload"), 1),
            DERIVED => (Role::Derived(at), keys + 1),
            _ => (Role::Fields(at), keys),
        };
        let name = shape.name;
        parts.summary.use_shape(at, || describe(&parts.shapes[at]));
        self.enter(role, count, *kind);
        Ok(What::Object { shape: index, name, identity: self.identity(1) })
    }

    /// What has an identity and is no object with a shape.
    fn container(&mut self, tag: u8, kind: Counted, at: usize, parts: &Parts<'a>) -> Result<What<'a>, Fault> {
        let element_kind = |code: u8| ElementKind::from_code(code).ok_or(Fault::new(ErrorKind::BadKind, at));
        let (name, role, width) = match tag {
            tag::ARRAY..tag::OBJECT => {
                let n = u64::from(tag - tag::ARRAY);
                self.enter(Role::Array, n, kind);
                return Ok(What::Open { name: "array", count: Some(n), identity: self.identity(1) });
            }
            tag::ARRAY_SPARSE => {
                let (length, present) = (self.reader.varint()?, self.reader.varint()?);
                self.enter(Role::Sparse(0, false), present, kind);
                return Ok(What::Sparse { length, present, identity: self.identity(1) });
            }
            tag::ARRAY_PACKED | tag::TYPED_ARRAY => {
                let element = element_kind(self.reader.u8()?)?;
                let n = self.reader.varint()?;
                let at = self.payload(n, element.size() as u64, element.size())?;
                let (name, taken) = if tag == tag::ARRAY_PACKED { ("array packed as ", 1) } else { ("", 2) };
                return Ok(What::Payload { name, kind: Some(element), n, at, identity: self.identity(taken) });
            }
            tag::RECORDS => {
                let keys = |shape: u64| match usize::try_from(shape).ok().and_then(|shape| parts.shapes.get(shape)) {
                    Some(shape) if shape.kind == PLAIN => Ok(shape.keys.len() as u64),
                    Some(_) => Err(ErrorKind::WrongType),
                    None => Err(ErrorKind::UnknownShape),
                };
                let layout = Layout::read(&mut self.reader, at, keys)?;
                let n = self.reader.varint()?;
                let taken = layout.admit(n, at)?;
                let at = self.payload(n, layout.size as u64, 1)?;
                let (values, bytes) = (layout.values.len(), layout.size);
                return Ok(What::Records { n, values, bytes, at, identity: self.identity(u64::from(taken)) });
            }
            tag::BUFFER => {
                let n = self.reader.varint()?;
                let at = self.payload(n, 1, 8)?;
                return Ok(What::Payload { name: "ArrayBuffer", kind: None, n, at, identity: self.identity(1) });
            }
            tag::BUFFER_RESIZABLE => {
                let (n, max) = (self.reader.varint()?, self.reader.varint()?);
                let at = self.payload(n, 1, 8)?;
                return Ok(What::Resizable { n, max, at, identity: self.identity(1) });
            }
            tag::VIEW => {
                let element = element_kind(self.reader.u8()?)?;
                self.enter(Role::View, 1, kind);
                return Ok(What::View { kind: element, identity: self.identity(1) });
            }
            tag::DATE => {
                let ms = self.reader.f64()?;
                return Ok(What::Date { ms, identity: self.identity(1) });
            }
            tag::REGEXP => {
                let flags = self.reader.u8()?;
                self.enter(Role::RegExp, 1, kind);
                return Ok(What::RegExp { flags, identity: self.identity(1) });
            }
            tag::BOXED => {
                self.enter(Role::Inner("primitive"), 1, kind);
                return Ok(What::Open { name: "wrapper object", count: None, identity: self.identity(1) });
            }
            tag::ARRAY_LONG => ("array", Role::Array, 1),
            tag::DICTIONARY => ("dictionary", Role::Pairs, 2),
            tag::DICTIONARY_NULL => ("null-prototype dictionary", Role::Pairs, 2),
            tag::MAP => ("Map", Role::Map, 2),
            tag::SET => ("Set", Role::Set, 1),
            _ => return Err(Fault::new(ErrorKind::BadTag, at)),
        };
        let n = self.reader.varint()?;
        self.enter(role, n.saturating_mul(width), kind);
        Ok(What::Open { name, count: Some(n), identity: self.identity(1) })
    }
}

/// A shape as the summary shows it: `User {name, age}`.
fn describe(shape: &Shape<'_>) -> String {
    use crate::graph::write_key;
    use std::fmt::Write;
    const KEYS_SHOWN: usize = 12;
    const KEY_SHOWN: usize = 48;

    let mut text = String::new();
    // Writing to a String does not fail.
    let _ = match shape.kind {
        NULL_PROTOTYPE => write!(text, "null "),
        CLASS | DERIVED | ERROR | CUSTOM => {
            write_key(&mut text, shape.name, KEY_SHOWN).and_then(|()| write!(text, " "))
        }
        _ => Ok(()),
    };
    text.push('{');
    for (i, key) in shape.keys.iter().take(KEYS_SHOWN).enumerate() {
        text.push_str(if i > 0 { ", " } else { "" });
        let _ = match key {
            ShapeKey::Name(name) => write_key(&mut text, *name, KEY_SHOWN),
            ShapeKey::Symbol(index) => write!(text, "[symbol {index}]"),
        };
    }
    if shape.keys.len() > KEYS_SHOWN {
        let _ = write!(text, ", … {} more", shape.keys.len() - KEYS_SHOWN);
    }
    text.push('}');
    text
}

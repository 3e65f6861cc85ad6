//! The lines of the shapes section (`spec/format.md`, section 6).

use super::Parts;
use super::line::{Label, Line, What};
use crate::JsStr;
use crate::error::{ErrorKind, Fault};
use crate::graph::ErrorConstructor;
use crate::wire::Reader;

/// A shape as far as its instances' lines need it.
#[derive(Debug, Clone)]
pub(super) struct Shape<'a> {
    pub(super) kind: u8,
    /// Of a class, a custom kind or an error's constructor.
    pub(super) name: JsStr<'a>,
    pub(super) keys: Vec<ShapeKey<'a>>,
}

#[derive(Debug, Clone, Copy)]
pub(super) enum ShapeKey<'a> {
    Name(JsStr<'a>),
    Symbol(u64),
}

/// The bytes that open a shape.
pub(super) const NULL_PROTOTYPE: u8 = 1;
pub(super) const CLASS: u8 = 2;
pub(super) const DERIVED: u8 = 3;
pub(super) const ERROR: u8 = 4;
pub(super) const CUSTOM: u8 = 5;

pub(super) struct ShapesWalk<'a> {
    reader: Reader<'a>,
    left: Left,
    /// Keys that the shape which was read last still has.
    keys: u64,
}

enum Left {
    Start,
    Symbols(u64),
    Shapes(u64),
}

impl<'a> ShapesWalk<'a> {
    pub(super) fn new(reader: Reader<'a>) -> Self {
        let left = if reader.remaining() == 0 { Left::Shapes(0) } else { Left::Start };
        ShapesWalk { reader, left, keys: 0 }
    }

    pub(super) fn offset(&self) -> usize {
        self.reader.offset()
    }

    pub(super) fn next(&mut self, input: &'a [u8], parts: &mut Parts<'a>) -> Result<Option<Line<'a>>, Fault> {
        let at = self.reader.offset();
        let (depth, label, what) = match self.left {
            Left::Start => {
                let n = self.reader.varint()?;
                self.left = Left::Symbols(n);
                (1, Label::None, What::Count(n, "symbol"))
            }
            Left::Symbols(0) => {
                let n = self.reader.varint()?;
                self.left = Left::Shapes(n);
                (1, Label::None, What::Count(n, "shape"))
            }
            Left::Symbols(n) => {
                self.left = Left::Symbols(n - 1);
                let kind = self.reader.u8()?;
                let text = if kind == 0 { JsStr::from("") } else { self.string()? };
                parts.symbols.push((kind, text));
                (2, Label::Numbered("symbol", parts.symbols.len() as u64 - 1), What::Symbol { kind, text })
            }
            Left::Shapes(_) if self.keys > 0 => {
                self.keys -= 1;
                let header = self.reader.varint()?;
                let key = match header & 3 {
                    2 => ShapeKey::Symbol(header >> 2),
                    _ => ShapeKey::Name(self.text(header)?),
                };
                if let Some(shape) = parts.shapes.last_mut() {
                    shape.keys.push(key);
                }
                let what = match key {
                    ShapeKey::Name(name) => What::Key(name),
                    ShapeKey::Symbol(index) => What::SymbolKey(index),
                };
                (3, Label::None, what)
            }
            Left::Shapes(0) => return Ok(None),
            Left::Shapes(n) => {
                self.left = Left::Shapes(n - 1);
                let what = self.shape(parts)?;
                (2, Label::Numbered("shape", parts.shapes.len() as u64 - 1), what)
            }
        };
        Ok(Some(Line { offset: at, bytes: &input[at..self.reader.offset()], depth, label, what }))
    }

    /// A shape up to its keys.
    fn shape(&mut self, parts: &mut Parts<'a>) -> Result<What<'a>, Fault> {
        let kind = self.reader.u8()?;
        let (mut name, mut version, mut error) = (JsStr::from(""), 0, None);
        match kind {
            CLASS | DERIVED | CUSTOM => {
                name = self.string()?;
                version = self.reader.varint()?;
            }
            ERROR => {
                error = ErrorConstructor::ALL.get(usize::from(self.reader.u8()?)).copied();
                name = JsStr::from(error.map_or("", ErrorConstructor::name));
            }
            _ => {}
        }
        self.keys = if kind == CUSTOM { 0 } else { self.reader.varint()? };
        parts.shapes.push(Shape { kind, name, keys: Vec::new() });
        parts.summary.shape();
        Ok(What::Shape { kind, name, version, error, keys: self.keys })
    }

    fn string(&mut self) -> Result<JsStr<'a>, Fault> {
        let header = self.reader.varint()?;
        self.text(header)
    }

    fn text(&mut self, header: u64) -> Result<JsStr<'a>, Fault> {
        let len = usize::try_from(header >> 2).unwrap_or(usize::MAX);
        match header & 3 {
            0 => self.reader.take(len).map(valid_prefix),
            1 => self.reader.take(len.saturating_mul(2)).map(JsStr::utf16),
            _ => Err(Fault::new(ErrorKind::BadKind, self.reader.offset())),
        }
    }
}

/// The bytes as text, up to where they stop being it.
pub(super) fn valid_prefix(bytes: &[u8]) -> JsStr<'_> {
    JsStr::from(bytes.utf8_chunks().next().map_or("", |chunk| chunk.valid()))
}

//! Reading the shapes section into the graph's table (`spec/format.md`, section 6).

use std::cell::RefCell;
use std::collections::VecDeque;
use std::sync::Arc;

use crate::error::{ErrorKind, Fault};
use crate::graph::{
    ClassRef, Distinct, ErrorConstructor, JsStr, Key, Rank, ShapeKind, Shapes, SymbolKind, WellKnown, well_formed,
};
use crate::wire::Reader;

use byteorder::{ByteOrder, LittleEndian};

/// Sections of up to this many bytes are kept, this many for each thread.
const KEPT_BYTES: usize = 1 << 14;
const KEPT: usize = 4;

/// The bytes of a section, and what they hold.
type Known = (Box<[u8]>, Arc<Shapes>);

thread_local! {
    /// Sections that were read on this thread, with what they hold: messages of one kind repeat theirs.
    static KNOWN: RefCell<VecDeque<Known>> = const { RefCell::new(VecDeque::new()) };
}

/// What `section` holds, if it was read here before or is empty.
pub(super) fn known(section: &Reader<'_>) -> Option<Arc<Shapes>> {
    let section = section.rest();
    if section.is_empty() {
        return Some(Shapes::none());
    }
    KNOWN.with_borrow(|known| known.iter().find(|(bytes, _)| **bytes == *section).map(|(_, shapes)| Arc::clone(shapes)))
}

fn keep(section: &[u8], shapes: &Arc<Shapes>) {
    if section.len() <= KEPT_BYTES {
        KNOWN.with_borrow_mut(|known| {
            known.truncate(KEPT - 1);
            known.push_front((section.into(), Arc::clone(shapes)));
        });
    }
}

/// Reads the symbols and shapes of a section, one a step.
pub(super) struct ShapesReader<'a> {
    section: &'a [u8],
    reader: Reader<'a>,
    table: Shapes,
    left: Left,
    distinct: Distinct,
    /// Where each symbol and each shape begins, to say which one is doubled.
    symbols_at: Vec<usize>,
    shapes_at: Vec<usize>,
}

/// What comes next, and how many of it.
enum Left {
    CountOfSymbols,
    Symbols(u64),
    Shapes(u64),
}

/// A string of this section: UTF-8 or code units, or a well-formed string that came as code units.
enum Text<'a> {
    Lent(JsStr<'a>),
    Owned(String),
}

impl Text<'_> {
    fn lend(&self) -> JsStr<'_> {
        match self {
            Text::Lent(text) => *text,
            Text::Owned(text) => JsStr::utf8(text),
        }
    }
}

impl<'a> ShapesReader<'a> {
    pub(super) fn new(reader: Reader<'a>) -> Self {
        ShapesReader {
            section: reader.rest(),
            reader,
            table: Shapes::default(),
            left: Left::CountOfSymbols,
            distinct: Distinct::default(),
            symbols_at: Vec::new(),
            shapes_at: Vec::new(),
        }
    }

    /// Reads up to `steps` symbols and shapes. The table is there when all have been read.
    pub(super) fn run(&mut self, steps: usize) -> Result<Option<Arc<Shapes>>, Fault> {
        for _ in 0..steps {
            match self.left {
                Left::CountOfSymbols => {
                    let symbols = self.count(self.reader.offset())?;
                    self.left = Left::Symbols(symbols);
                }
                Left::Symbols(0) => {
                    self.check_symbols()?;
                    let shapes = self.count(self.reader.offset())?;
                    if shapes == 0 && self.table.symbols_len() == 0 {
                        // Two counts of one byte each: the section's first byte.
                        return Err(Fault::new(ErrorKind::EmptySection, self.reader.offset() - 2));
                    }
                    self.left = Left::Shapes(shapes);
                }
                Left::Symbols(left) => {
                    self.symbol()?;
                    self.left = Left::Symbols(left - 1);
                }
                Left::Shapes(0) => {
                    if let Some(second) = self.table.first_duplicate(&mut self.distinct) {
                        return Err(Fault::new(ErrorKind::DuplicateShape, self.shapes_at[second]));
                    }
                    self.reader.finish()?;
                    let shapes = Arc::new(std::mem::take(&mut self.table));
                    keep(self.section, &shapes);
                    return Ok(Some(shapes));
                }
                Left::Shapes(left) => {
                    self.shape()?;
                    self.left = Left::Shapes(left - 1);
                }
            }
        }
        Ok(None)
    }

    /// A count of items that take at least one byte each, as part of the item at `at`.
    fn count(&mut self, at: usize) -> Result<u64, Fault> {
        let n = self.reader.varint()?;
        if n > self.reader.remaining() as u64 { Err(Fault::new(ErrorKind::LengthOutOfBounds, at)) } else { Ok(n) }
    }

    fn symbol(&mut self) -> Result<(), Fault> {
        let at = self.reader.offset();
        self.symbols_at.push(at);
        let kind = self.reader.u8()?;
        let text = match kind {
            0 => Text::Lent(JsStr::utf8("")),
            1..=3 => self.string(at)?,
            _ => return Err(Fault::new(ErrorKind::BadKind, at)),
        };
        let text = text.lend();
        self.table.push_symbol(match kind {
            0 => SymbolKind::Unique,
            1 => SymbolKind::Described(text),
            2 => SymbolKind::Registered(text),
            _ => SymbolKind::WellKnown(
                text.as_str().and_then(WellKnown::from_name).ok_or_else(|| Fault::new(ErrorKind::UnknownSymbol, at))?,
            ),
        });
        Ok(())
    }

    /// Symbols that exist once stand once.
    fn check_symbols(&mut self) -> Result<(), Fault> {
        /// Told apart by what it is, or by its place.
        #[derive(Hash, PartialEq)]
        enum Identity<'t> {
            Content(SymbolKind<'t>),
            Place(usize),
        }
        let identity = |i: usize| match self.table.symbol(i as u32).map(|symbol| symbol.kind()) {
            Some(kind @ (SymbolKind::Registered(_) | SymbolKind::WellKnown(_))) => Identity::Content(kind),
            _ => Identity::Place(i),
        };
        match self.distinct.first_duplicate(self.table.symbols_len(), identity) {
            Some(second) => Err(Fault::new(ErrorKind::DuplicateSymbol, self.symbols_at[second])),
            None => Ok(()),
        }
    }

    fn shape(&mut self) -> Result<(), Fault> {
        let at = self.reader.offset();
        self.shapes_at.push(at);
        let kind = self.reader.u8()?;
        let mut keys_follow = true;
        match kind {
            0 => self.table.push(ShapeKind::Plain),
            1 => self.table.push(ShapeKind::NullPrototype),
            2 | 3 | 5 => {
                let bad = || Fault::new(ErrorKind::BadClass, at);
                let name = self.string(at)?;
                let name = name.lend();
                if name.is_empty() {
                    return Err(bad());
                }
                let version = self.reader.varint()?;
                let class = ClassRef { name, version: u32::try_from(version).map_err(|_| bad())? };
                keys_follow = kind != 5;
                self.table.push(match kind {
                    2 => ShapeKind::Class(class),
                    3 => ShapeKind::Derived(class),
                    _ => ShapeKind::Custom(class),
                })
            }
            4 => {
                let constructor = usize::from(self.reader.u8()?);
                let constructor = ErrorConstructor::ALL.get(constructor);
                let constructor = constructor.ok_or_else(|| Fault::new(ErrorKind::BadKind, at))?;
                self.table.push(ShapeKind::Error(*constructor))
            }
            _ => return Err(Fault::new(ErrorKind::BadKind, at)),
        };
        if keys_follow { self.keys(at) } else { Ok(()) }
    }

    /// The keys of the shape that was added last.
    fn keys(&mut self, shape_at: usize) -> Result<(), Fault> {
        let n = self.count(shape_at)?;
        let shape = self.table.len() as u32 - 1;
        let first_at = self.reader.offset();
        let mut before: Option<Rank> = None;
        for _ in 0..n {
            let at = self.reader.offset();
            let rank = self.key(at)?;
            if before.is_some_and(|before| !rank.may_follow(before)) {
                return Err(Fault::new(ErrorKind::KeyOrder, at));
            }
            before = Some(rank);
        }
        let table = &self.table;
        match self.distinct.first_duplicate(n as usize, |i| table.key(shape, i)) {
            Some(second) => {
                // Only now is it worth knowing where each key begins.
                self.reader.rewind(first_at);
                for _ in 0..second {
                    self.key(first_at)?;
                }
                Err(Fault::new(ErrorKind::DuplicateKey, self.reader.offset()))
            }
            None => Ok(()),
        }
    }

    fn key(&mut self, at: usize) -> Result<Rank, Fault> {
        let header = self.reader.varint()?;
        if header & 3 == 2 {
            let index = header >> 2;
            if index >= self.table.symbols_len() as u64 {
                return Err(Fault::new(ErrorKind::UnknownSymbol, at));
            }
            self.table.push_key(Key::Symbol(index as u32));
            return Ok(Rank::Symbol);
        }
        let text = self.text(header, at)?;
        let key = Key::String(text.lend());
        self.table.push_key(key);
        Ok(key.rank())
    }

    fn string(&mut self, at: usize) -> Result<Text<'a>, Fault> {
        let header = self.reader.varint()?;
        self.text(header, at)
    }

    /// The string that `header` announces, of the item that begins at `at`.
    fn text(&mut self, header: u64, at: usize) -> Result<Text<'a>, Fault> {
        let len = usize::try_from(header >> 2).unwrap_or(usize::MAX);
        match header & 3 {
            0 => {
                let bytes_at = self.reader.offset();
                let bytes = self.reader.take(len)?;
                match simdutf8::compat::from_utf8(bytes) {
                    Ok(text) => Ok(Text::Lent(JsStr::utf8(text))),
                    Err(error) => Err(Fault::new(ErrorKind::InvalidUtf8, bytes_at + error.valid_up_to())),
                }
            }
            1 => {
                let units = self.reader.take(len.saturating_mul(2))?;
                Ok(match well_formed(units.chunks_exact(2).map(LittleEndian::read_u16)) {
                    Some(text) => Text::Owned(text),
                    None => Text::Lent(JsStr::utf16(units)),
                })
            }
            _ => Err(Fault::new(ErrorKind::BadKind, at)),
        }
    }
}

/// Reads a whole section of shapes.
pub(crate) fn read_shapes(section: &Reader<'_>) -> Result<Arc<Shapes>, Fault> {
    match known(section) {
        Some(known) => Ok(known),
        None => ShapesReader::new(section.clone()).run(usize::MAX).map(Option::unwrap_or_default),
    }
}

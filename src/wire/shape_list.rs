//! The shapes section as a reader without a graph keeps it: where in the section each name and key stands
//! (`spec/format.md`, section 6).

use super::Reader;
use super::shapes::{CLASS, CUSTOM, DERIVED, ERROR, NULL_PROTOTYPE, PLAIN};
use crate::error::{ErrorKind, Fault};

/// The symbols and shapes of a message. It remembers the bytes that it was read from: messages of one kind repeat them.
#[derive(Debug, Default)]
pub(crate) struct ShapeList {
    section: Vec<u8>,
    symbols: Vec<SymbolEntry>,
    shapes: Vec<ShapeEntry>,
    keys: Vec<KeyEntry>,
    /// What was last found of each shape: for the reader's use.
    seen: Vec<Seen>,
}

/// How the keys of a shape stand to a list of names, which is known by its address: no list lies at 0.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Seen {
    names: usize,
    /// How many names there are, if they are the keys, in the same order; or one of these flags and a number.
    found: usize,
}

/// The keys are not these names, of which there are so many.
const OTHERS: usize = 1 << (usize::BITS - 1);
/// There is one key: the name with this index.
const ONE: usize = OTHERS >> 1;

#[derive(Debug, Clone, Copy)]
struct SymbolEntry {
    /// 0 to 3, as in the section.
    kind: u8,
    name: TextAt,
}

#[derive(Debug, Clone)]
pub(crate) struct ShapeEntry {
    /// [`PLAIN`] to [`CUSTOM`].
    pub(crate) kind: u8,
    pub(crate) version: u32,
    pub(crate) constructor: u8,
    name: TextAt,
    first_key: u32,
    keys: u32,
}

/// A string of the section, by place.
#[derive(Debug, Clone, Copy, Default)]
struct TextAt {
    at: u32,
    /// Bytes.
    len: u32,
    utf16: bool,
}

#[derive(Debug, Clone, Copy)]
enum KeyEntry {
    Text(TextAt),
    Symbol(u32),
}

/// A string, lent: UTF-8, or little-endian code units (which may be well-formed all the same).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Text<'a> {
    Utf8(&'a str),
    Utf16(&'a [u8]),
}

/// A key, lent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Key<'a> {
    Text(Text<'a>),
    Symbol(u32),
}

impl Text<'_> {
    /// Bytes.
    pub(crate) fn len(self) -> usize {
        match self {
            Text::Utf8(text) => text.len(),
            Text::Utf16(units) => units.len(),
        }
    }
}

impl ShapeEntry {
    /// Values that follow the tag of an object of this shape.
    #[inline]
    pub(crate) fn values(&self) -> u64 {
        u64::from(self.keys) + u64::from(matches!(self.kind, DERIVED | CUSTOM))
    }

    #[inline]
    pub(crate) fn keys_len(&self) -> usize {
        self.keys as usize
    }
}

impl ShapeList {
    /// Reads the section, unless it is the one that was read last.
    pub(crate) fn read(&mut self, reader: &Reader<'_>) -> Result<(), Fault> {
        if self.section == reader.rest() {
            return Ok(());
        }
        self.section.clear();
        self.symbols.clear();
        self.shapes.clear();
        self.keys.clear();
        self.seen.clear();
        if reader.remaining() == 0 {
            return Ok(());
        }
        if reader.remaining() > u32::MAX as usize {
            return Err(Fault::new(ErrorKind::LimitExceeded, 4));
        }
        let mut parse = Parse { list: self, reader: reader.clone() };
        let result = parse.section();
        if result.is_ok() {
            // Only a section that is right is remembered.
            self.section.extend_from_slice(reader.rest());
        } else {
            *self = ShapeList::default();
        }
        result
    }

    /// Bytes that are kept for the next message.
    pub(crate) fn kept(&self) -> usize {
        self.section.len()
    }

    #[inline]
    pub(crate) fn shape(&self, number: u64) -> Option<&ShapeEntry> {
        self.shapes.get(usize::try_from(number).ok()?)
    }

    /// How many keys the shape of a plain object has.
    pub(crate) fn plain_keys(&self, number: u64) -> Result<u64, ErrorKind> {
        match self.shape(number) {
            Some(shape) if shape.kind == PLAIN => Ok(shape.values()),
            Some(_) => Err(ErrorKind::WrongType),
            None => Err(ErrorKind::UnknownShape),
        }
    }

    pub(crate) fn shapes_len(&self) -> usize {
        self.shapes.len()
    }

    pub(crate) fn symbols_len(&self) -> usize {
        self.symbols.len()
    }

    /// The key of a shape, lent from `section`: the bytes that this list was read from, or the copy that it keeps.
    #[inline]
    pub(crate) fn key<'a>(&self, section: &'a [u8], shape: &ShapeEntry, index: usize) -> Option<Key<'a>> {
        let keys = self.keys.get(shape.first_key as usize..)?.get(..shape.keys as usize)?;
        Some(match keys.get(index)? {
            KeyEntry::Text(text) => Key::Text(text.lend(section)),
            KeyEntry::Symbol(number) => Key::Symbol(*number),
        })
    }

    #[inline]
    fn seen(&self, number: u64) -> Option<&Seen> {
        self.seen.get(usize::try_from(number).ok()?)
    }

    /// Whether the keys of a shape are these, in this order. What was found for the same list is remembered.
    #[inline]
    pub(crate) fn keys_are(&mut self, number: u64, names: &'static [&'static str]) -> bool {
        match self.seen(number) {
            Some(seen) if *seen == Seen::new(names, names.len()) => true,
            _ => self.compare_keys(number, names),
        }
    }

    #[cold]
    fn compare_keys(&mut self, number: u64, names: &'static [&'static str]) -> bool {
        let others = Seen::new(names, names.len() | OTHERS);
        let Some(shape) = self.shape(number).filter(|_| self.seen(number) != Some(&others)) else {
            return false;
        };
        let is = |index: usize, key: &str| self.key(&self.section, shape, index) == Some(Key::Text(Text::Utf8(key)));
        // A base, which has no key, is a value too.
        let all = shape.values() == names.len() as u64 && names.iter().enumerate().all(|(index, key)| is(index, key));
        self.seen[number as usize] = if all { Seen::new(names, names.len()) } else { others };
        all
    }

    /// Which of the names is the only key of a shape. What was found for the same list is remembered.
    #[inline]
    pub(crate) fn one_key(&mut self, number: u64, names: &'static [&'static str]) -> Option<&'static str> {
        match self.seen(number) {
            Some(seen) if seen.names == names.as_ptr().addr() && seen.found & ONE != 0 => {
                names.get(seen.found & !ONE).copied()
            }
            _ => self.look_for_key(number, names),
        }
    }

    #[cold]
    fn look_for_key(&mut self, number: u64, names: &'static [&'static str]) -> Option<&'static str> {
        let shape = self.shape(number).filter(|shape| shape.values() == 1)?;
        let Some(Key::Text(Text::Utf8(key))) = self.key(&self.section, shape, 0) else { return None };
        let index = names.iter().position(|name| *name == key)?;
        self.seen[number as usize] = Seen::new(names, index | ONE);
        names.get(index).copied()
    }

    /// The name of the class of a shape, lent from `section`.
    pub(crate) fn class_name<'a>(&self, section: &'a [u8], shape: &ShapeEntry) -> Text<'a> {
        shape.name.lend(section)
    }

    /// Kind and string of a symbol, lent from `section`.
    pub(crate) fn symbol<'a>(&self, section: &'a [u8], number: u64) -> Option<(u8, Text<'a>)> {
        let symbol = self.symbols.get(usize::try_from(number).ok()?)?;
        Some((symbol.kind, symbol.name.lend(section)))
    }
}

impl Seen {
    #[inline]
    fn new(names: &'static [&'static str], found: usize) -> Self {
        Seen { names: names.as_ptr().addr(), found }
    }
}

impl TextAt {
    #[inline]
    fn lend(self, section: &[u8]) -> Text<'_> {
        let bytes = section.get(self.at as usize..).and_then(|from| from.get(..self.len as usize)).unwrap_or_default();
        if self.utf16 { Text::Utf16(bytes) } else { Text::Utf8(std::str::from_utf8(bytes).unwrap_or_default()) }
    }
}

struct Parse<'l, 'a> {
    list: &'l mut ShapeList,
    reader: Reader<'a>,
}

impl Parse<'_, '_> {
    fn section(&mut self) -> Result<(), Fault> {
        let start = self.reader.offset();
        let symbols = self.count(start)?;
        for _ in 0..symbols {
            let at = self.reader.offset();
            let kind = self.reader.u8()?;
            let name = match kind {
                0 => TextAt::default(),
                1..=3 => self.string(at)?,
                _ => return Err(Fault::new(ErrorKind::BadKind, at)),
            };
            self.list.symbols.push(SymbolEntry { kind, name });
        }
        let at = self.reader.offset();
        let shapes = self.count(at)?;
        if symbols == 0 && shapes == 0 {
            return Err(Fault::new(ErrorKind::EmptySection, start));
        }
        for _ in 0..shapes {
            self.shape()?;
        }
        self.reader.finish()
    }

    fn count(&mut self, at: usize) -> Result<u64, Fault> {
        let n = self.reader.varint()?;
        if n > self.reader.remaining() as u64 { Err(Fault::new(ErrorKind::LengthOutOfBounds, at)) } else { Ok(n) }
    }

    fn shape(&mut self) -> Result<(), Fault> {
        let at = self.reader.offset();
        let kind = self.reader.u8()?;
        let (mut name, mut version, mut constructor) = (TextAt::default(), 0, 0);
        match kind {
            PLAIN | NULL_PROTOTYPE => {}
            CLASS | DERIVED | CUSTOM => {
                let bad = || Fault::new(ErrorKind::BadClass, at);
                name = self.string(at)?;
                if name.len == 0 {
                    return Err(bad());
                }
                version = u32::try_from(self.reader.varint()?).map_err(|_| bad())?;
            }
            ERROR => {
                constructor = self.reader.u8()?;
                if constructor > 8 {
                    return Err(Fault::new(ErrorKind::BadKind, at));
                }
            }
            _ => return Err(Fault::new(ErrorKind::BadKind, at)),
        }
        let first_key = self.list.keys.len() as u32;
        let keys = if kind == CUSTOM { 0 } else { self.count(at)? };
        for _ in 0..keys {
            let at = self.reader.offset();
            let header = self.reader.varint()?;
            let key = if header & 3 == 2 {
                if header >> 2 >= self.list.symbols.len() as u64 {
                    return Err(Fault::new(ErrorKind::UnknownSymbol, at));
                }
                KeyEntry::Symbol((header >> 2) as u32)
            } else {
                KeyEntry::Text(self.text(header, at)?)
            };
            self.list.keys.push(key);
        }
        let keys = keys as u32;
        self.list.shapes.push(ShapeEntry { kind, version, constructor, name, first_key, keys });
        self.list.seen.push(Seen::default());
        Ok(())
    }

    fn string(&mut self, at: usize) -> Result<TextAt, Fault> {
        let header = self.reader.varint()?;
        self.text(header, at)
    }

    fn text(&mut self, header: u64, at: usize) -> Result<TextAt, Fault> {
        let len = usize::try_from(header >> 2).unwrap_or(usize::MAX);
        let offset = self.reader.offset();
        let place = self.reader.place_of(offset);
        let utf16 = match header & 3 {
            0 => false,
            1 => true,
            _ => return Err(Fault::new(ErrorKind::BadKind, at)),
        };
        let bytes = self.reader.take(if utf16 { len.saturating_mul(2) } else { len })?;
        if !utf16 && let Err(error) = std::str::from_utf8(bytes) {
            return Err(Fault::new(ErrorKind::InvalidUtf8, offset + error.valid_up_to()));
        }
        Ok(TextAt { at: place, len: bytes.len() as u32, utf16 })
    }
}

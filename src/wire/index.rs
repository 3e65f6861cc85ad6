//! The index section (`spec/format.md`, section 14): tables of fixed width, so that one look-up touches a few entries.

use std::ops::Range;

use byteorder::{ByteOrder, LittleEndian};

use crate::error::{ErrorKind, Fault};

/// Where a value begins, in each of the sections, and how many identities and interned strings come before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Position {
    pub(crate) structure: u64,
    pub(crate) text: u64,
    pub(crate) data: u64,
    pub(crate) identity: u64,
    pub(crate) strings: u64,
}

impl Position {
    const WORDS: usize = 5;

    /// Whether it lies before `other` as an earlier item does: behind none of the numbers, and in the structure before it.
    pub(crate) fn is_before(self, other: Position) -> bool {
        self.structure < other.structure
            && self.text <= other.text
            && self.data <= other.data
            && self.identity <= other.identity
            && self.strings <= other.strings
    }

    fn words(self) -> [u64; Self::WORDS] {
        [self.structure, self.text, self.data, self.identity, self.strings]
    }

    fn from_words(words: &[u64]) -> Self {
        let word = |i: usize| words.get(i).copied().unwrap_or_default();
        Position { structure: word(0), text: word(1), data: word(2), identity: word(3), strings: word(4) }
    }
}

/// What an index is made of.
#[derive(Debug, Default)]
pub(crate) struct Tables {
    /// By name, ascending, each once.
    pub(crate) entries: Vec<(String, Position)>,
    /// By identity, ascending: where the item stands that takes it.
    pub(crate) references: Vec<(u64, Position)>,
    /// By string id, from 0.
    pub(crate) strings: Vec<Position>,
    /// By container and number of the child, ascending.
    pub(crate) children: Vec<(u64, u64, Position)>,
}

/// Words of one row of each table.
const ENTRY: usize = 2 + Position::WORDS;
const REFERENCE: usize = 1 + Position::WORDS;
const STRING: usize = Position::WORDS;
const CHILD: usize = 2 + Position::WORDS;

/// Words of the head behind its first: rows of each table, bytes of the names.
const COUNTS: usize = 5;

impl Tables {
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let names: String = self.entries.iter().map(|(name, _)| name.as_str()).collect();
        let mut words: Vec<u64> = vec![
            self.entries.len() as u64,
            self.references.len() as u64,
            self.strings.len() as u64,
            self.children.len() as u64,
            names.len() as u64,
        ];
        let mut at = 0;
        for (name, position) in &self.entries {
            words.extend([at, name.len() as u64]);
            words.extend(position.words());
            at += name.len() as u64;
        }
        for (identity, position) in &self.references {
            words.push(*identity);
            words.extend(position.words());
        }
        self.strings.iter().for_each(|position| words.extend(position.words()));
        for (container, child, position) in &self.children {
            words.extend([*container, *child]);
            words.extend(position.words());
        }
        let width = if words.iter().all(|&word| u32::try_from(word).is_ok()) { 4 } else { 8 };
        let mut bytes = vec![0; 8];
        bytes[0] = width as u8;
        for word in words {
            bytes.extend_from_slice(&word.to_le_bytes()[..width]);
        }
        bytes.extend_from_slice(names.as_bytes());
        bytes
    }
}

/// An index that is read in place. Only its head has been looked at.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Index<'m> {
    /// The words behind the head, and the names behind them.
    words: &'m [u8],
    names: &'m [u8],
    width: usize,
    entries: usize,
    references: usize,
    strings: usize,
    children: usize,
}

impl<'m> Index<'m> {
    /// `at`: offset of the section in the message.
    pub(crate) fn read(section: &'m [u8], at: usize) -> Result<Self, Fault> {
        let bad = || Fault::new(ErrorKind::BadIndex, at);
        let head = section.get(..8).ok_or_else(bad)?;
        let width = usize::from(head[0]);
        if !matches!(width, 4 | 8) || head[1..].iter().any(|&byte| byte != 0) {
            return Err(bad());
        }
        let counts = section.get(8..8 + COUNTS * width).ok_or_else(bad)?;
        let count = |i: usize| usize::try_from(word(counts, width, i)).map_err(|_| bad());
        let (entries, references, strings, children) = (count(0)?, count(1)?, count(2)?, count(3)?);
        let rows = [(entries, ENTRY), (references, REFERENCE), (strings, STRING), (children, CHILD)];
        let words = rows.iter().try_fold(0usize, |sum, &(rows, words)| sum.checked_add(rows.checked_mul(words)?));
        let words_len = words.and_then(|words| words.checked_mul(width)).ok_or_else(bad)?;
        let rest = &section[8 + COUNTS * width..];
        let (words, names) = rest.split_at_checked(words_len).ok_or_else(bad)?;
        if names.len() != count(4)? {
            return Err(bad());
        }
        Ok(Index { words, names, width, entries, references, strings, children })
    }

    fn row<const WORDS: usize>(&self, first: usize, row: usize) -> [u64; WORDS] {
        let start = first + row * WORDS;
        std::array::from_fn(|i| word(self.words, self.width, start + i))
    }

    fn entry_row(&self, row: usize) -> (&'m [u8], Position) {
        let words = self.row::<ENTRY>(0, row);
        let name = usize::try_from(words[0]).ok().zip(usize::try_from(words[1]).ok());
        let name = name.and_then(|(at, len)| self.names.get(at..at.checked_add(len)?)).unwrap_or_default();
        (name, Position::from_words(&words[2..]))
    }

    /// Where so many words stand in the section.
    fn place(&self, first: usize, words: usize) -> Range<usize> {
        let at = 8 + (COUNTS + first) * self.width;
        at..at + words * self.width
    }

    /// Where the entries and their names stand in the section.
    pub(crate) fn entries_places(&self) -> [Range<usize>; 2] {
        let names = self.place(0, self.words.len() / self.width).end;
        [self.place(0, self.entries * ENTRY), names..names + self.names.len()]
    }

    /// The entry with this name. `ask` is asked before bytes of the section are believed, here and below.
    pub(crate) fn entry<E>(
        &self,
        name: &str,
        ask: impl Fn(Range<usize>) -> Result<(), E>,
    ) -> Result<Option<Position>, E> {
        self.entries_places().into_iter().try_for_each(ask)?;
        let row = partition_point(self.entries, |row| Ok(self.entry_row(row).0 < name.as_bytes()))?;
        let found = (row < self.entries).then(|| self.entry_row(row));
        Ok(found.filter(|found| found.0 == name.as_bytes()).map(|found| found.1))
    }

    /// The names of all entries with their places, in order.
    pub(crate) fn entries(&self) -> impl ExactSizeIterator<Item = (&'m [u8], Position)> + use<'m> {
        let index = *self;
        (0..self.entries).map(move |row| index.entry_row(row))
    }

    /// Where the item stands that takes this identity.
    pub(crate) fn reference<E>(
        &self,
        identity: u64,
        ask: impl Fn(Range<usize>) -> Result<(), E>,
    ) -> Result<Option<Position>, E> {
        let first = self.entries * ENTRY;
        let key = |row: usize| {
            ask(self.place(first + row * REFERENCE, REFERENCE))?;
            Ok(word(self.words, self.width, first + row * REFERENCE))
        };
        let row = partition_point(self.references, |row| Ok(key(row)? < identity))?;
        let found = row < self.references && key(row)? == identity;
        Ok(found.then(|| Position::from_words(&self.row::<REFERENCE>(first, row)[1..])))
    }

    /// Where the string with this id is defined.
    pub(crate) fn string<E>(
        &self,
        id: u64,
        ask: impl Fn(Range<usize>) -> Result<(), E>,
    ) -> Result<Option<Position>, E> {
        let Some(row) = usize::try_from(id).ok().filter(|&row| row < self.strings) else { return Ok(None) };
        let first = self.entries * ENTRY + self.references * REFERENCE;
        ask(self.place(first + row * STRING, STRING))?;
        Ok(Some(Position::from_words(&self.row::<STRING>(first, row))))
    }

    /// The last child of `container` up to number `child` whose place is known: its number and its place.
    pub(crate) fn child<E>(
        &self,
        container: u64,
        child: u64,
        ask: impl Fn(Range<usize>) -> Result<(), E>,
    ) -> Result<Option<(u64, Position)>, E> {
        let first = self.entries * ENTRY + self.references * REFERENCE + self.strings * STRING;
        let key = |row: usize| {
            let start = first + row * CHILD;
            ask(self.place(start, CHILD))?;
            Ok((word(self.words, self.width, start), word(self.words, self.width, start + 1)))
        };
        let row = partition_point(self.children, |row| Ok(key(row)? <= (container, child)))?;
        Ok(row.checked_sub(1).and_then(|row| {
            let words = self.row::<CHILD>(first, row);
            (words[0] == container).then(|| (words[1], Position::from_words(&words[2..])))
        }))
    }
}

/// Word `i`; 0 beyond the end, where no row points that has been counted.
fn word(bytes: &[u8], width: usize, i: usize) -> u64 {
    match bytes.get(i * width..(i + 1) * width) {
        Some(word) => LittleEndian::read_uint(word, width),
        None => 0,
    }
}

/// The first of `n` rows that is not `before`.
fn partition_point<E>(n: usize, before: impl Fn(usize) -> Result<bool, E>) -> Result<usize, E> {
    let (mut low, mut high) = (0, n);
    while low < high {
        let middle = low + (high - low) / 2;
        if before(middle)? { low = middle + 1 } else { high = middle }
    }
    Ok(low)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(structure: u64) -> Position {
        Position { structure, text: structure * 2, ..Position::default() }
    }

    #[test]
    fn every_table_is_found_in_again_in_both_widths() {
        for far in [9, 1 << 40] {
            let tables = Tables {
                entries: vec![("a".into(), at(1)), ("zoë".into(), at(far))],
                references: vec![(3, at(2)), (7, at(4))],
                strings: vec![at(5), at(6)],
                children: vec![(0, 8, at(10)), (0, 16, at(20)), (4, 2, at(15))],
            };
            let bytes = tables.to_bytes();
            assert_eq!(bytes[0], if far > 9 { 8 } else { 4 });
            let index = Index::read(&bytes, 0).unwrap();
            let ask = |place: Range<usize>| -> Result<(), ()> {
                assert!(place.end <= bytes.len() && place.start >= 8);
                Ok(())
            };
            let entry = |name| index.entry(name, ask).unwrap();
            assert_eq!((entry("a"), entry("zoë")), (Some(at(1)), Some(at(far))));
            assert_eq!((entry(""), entry("b"), entry("zz")), (None, None, None));
            let reference = |identity| index.reference(identity, ask).unwrap();
            assert_eq!((reference(3), reference(7)), (Some(at(2)), Some(at(4))));
            assert_eq!((reference(0), reference(5), reference(8)), (None, None, None));
            assert_eq!((index.string(1, ask), index.string(2, ask)), (Ok(Some(at(6))), Ok(None)));
            let child = |container, child| index.child(container, child, ask).unwrap();
            assert_eq!(child(0, 7), None);
            assert_eq!((child(0, 8), child(0, 15)), (Some((8, at(10))), Some((8, at(10)))));
            assert_eq!((child(0, 99), child(4, 2), child(4, 1)), (Some((16, at(20))), Some((2, at(15))), None));
            let places = index.entries_places();
            assert_eq!(bytes[places[1].clone()], *"azoë".as_bytes());
            // What is not believed is not looked at.
            assert_eq!(index.reference(3, |_| Err("no")), Err("no"));
            assert_eq!(index.child(0, 8, |_| Err("no")), Err("no"));
            assert_eq!(index.entry("a", |_| Err("no")), Err("no"));
            assert_eq!(index.string(1, |_| Err("no")), Err("no"));
            for len in 0..bytes.len() {
                assert!(Index::read(&bytes[..len], 3).is_err_and(|fault| fault.at == 3));
            }
        }
    }
}

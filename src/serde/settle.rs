//! What is written again when a container closes: entries that have to stand in another order, counts that were not
//! known, keys that must not stand twice.
//!
//! All of it is rare. What has been written is read again, so that nothing need be recorded while writing.

use foldhash::fast::RandomState;
use hashbrown::HashSet;

use super::fields::key_order;
use crate::error::{Error, ErrorKind};
use crate::wire::item::{Item, Place, Source, ViewBuffer};
use crate::wire::message::{Mark, Message};
use crate::wire::shape_list::{ShapeList, Text};
use crate::wire::{Reader, varint};

/// The values of a container, as they have been written.
struct Entries<'m> {
    /// Where each begins, and where the last one ends.
    places: Vec<Place>,
    /// The first item of each.
    first: Vec<Item<'m>>,
    payloads: Vec<Payload<'m>>,
    has_references: bool,
}

struct Payload<'m> {
    /// Whose it is.
    entry: usize,
    align: usize,
    bytes: &'m [u8],
}

/// Reads what `message` has behind `mark`: entries of `width` values.
fn entries(message: &Message, mark: Mark, width: usize, n: usize) -> Result<Entries<'_>, Error> {
    let mut section = Vec::new();
    message.shapes.write_section(&mut section);
    let mut list = Box::<ShapeList>::default();
    list.read(&Reader::new(&section, 0))?;
    // Whole strings, so it is valid. What stands before them is not looked at: there may be many containers.
    let text = std::str::from_utf8(&message.text[mark.text..]).unwrap_or_default();
    let mut source = Source::of_parts(&message.structure, text, &message.data, list);
    source.go_to(Place { structure: mark.structure, text: 0, data: mark.data });
    let place = |source: &Source<'_>| {
        let place = source.place();
        Place { text: mark.text + place.text, ..place }
    };
    let mut entries =
        Entries { places: vec![place(&source)], first: Vec::new(), payloads: Vec::new(), has_references: false };
    for entry in 0..n {
        let Entries { first, payloads, has_references, .. } = &mut entries;
        for value in 0..width {
            let mut is_first = value == 0;
            source.walk(|_, _, item, _| {
                if std::mem::take(&mut is_first) {
                    first.push(*item);
                }
                let payload = match *item {
                    Item::Text(Text::Utf16(bytes)) => Some((2, bytes)),
                    Item::Packed { kind, bytes } | Item::TypedArray { kind, bytes } => Some((kind.size(), bytes)),
                    Item::Records(records) => Some((1, records.bytes)),
                    Item::Buffer { bytes, .. } => Some((8, bytes)),
                    Item::View { buffer: ViewBuffer::Inline { bytes, .. }, .. } => Some((8, bytes)),
                    Item::RegExp { source: Text::Utf16(bytes), .. } => Some((2, bytes)),
                    Item::Reference(_) | Item::View { .. } => {
                        *has_references = true;
                        None
                    }
                    _ => None,
                };
                payloads.extend(payload.map(|(align, bytes)| Payload { entry, align, bytes }));
            })?;
        }
        entries.places.push(place(&source));
    }
    Ok(entries)
}

/// Whether what has been written is one value.
pub(super) fn is_one_value(message: &Message) -> bool {
    let start = Mark { structure: 0, text: 0, data: 0, identities: 0 };
    entries(message, start, 1, 1).is_ok_and(|read| read.places[1].structure == message.structure.len())
}

/// Puts the `order.len()` entries behind `mark` into that order: which of them stands at each place.
#[cold]
pub(super) fn reorder(message: &mut Message, mark: Mark, width: usize, order: &[u32]) -> Result<(), Error> {
    let Entries { places, payloads, has_references, .. } = entries(message, mark, width, order.len())?;
    if has_references {
        let why = "a graph with shared values stands in an object whose array indices do not come in order";
        return Err(Error::new(ErrorKind::Unrepresentable, why));
    }
    let mut moved = Message::default();
    moved.data.extend_from_slice(&message.data[..mark.data]);
    for &entry in order {
        let [from, to] = [places[entry as usize], places[entry as usize + 1]];
        moved.structure.extend_from_slice(&message.structure[from.structure..to.structure]);
        moved.text.append(&message.text[from.text..to.text]);
        let first = payloads.partition_point(|payload| payload.entry < entry as usize);
        for payload in payloads[first..].iter().take_while(|payload| payload.entry == entry as usize) {
            moved.payload(payload.align, payload.bytes);
        }
    }
    message.structure.truncate(mark.structure);
    message.structure.extend_from_slice(&moved.structure);
    message.text.truncate(mark.text);
    message.text.append(&moved.text);
    message.data = moved.data;
    Ok(())
}

/// Puts the `n` entries of an object behind `mark` into the order of its keys, and sees that none stands twice.
#[cold]
pub(super) fn settle_object(message: &mut Message, mark: Mark, n: usize) -> Result<(), Error> {
    let read = entries(message, mark, 2, n)?;
    let keys = read.first.iter().map(|item| match item {
        Item::Text(Text::Utf8(key)) => *key,
        _ => "",
    });
    let keys: Vec<&str> = keys.collect();
    match key_order(&keys)? {
        Some(order) => reorder(message, mark, 2, &order),
        None => Ok(()),
    }
}

/// What two keys of a Map or entries of a Set must not have in common: SameValueZero.
#[derive(Hash, PartialEq, Eq)]
enum Same<'m> {
    Number(u64),
    Text(Text<'m>),
    BigInt(bool, &'m [u8]),
    Other(u64),
}

/// Sees that the `n` entries of a Map (`width` 2) or Set (1) behind `mark` are distinct.
#[cold]
pub(super) fn settle_distinct(message: &Message, mark: Mark, width: usize, n: usize) -> Result<(), Error> {
    let read = entries(message, mark, width, n)?;
    let mut seen: HashSet<Same<'_>, RandomState> = HashSet::with_capacity_and_hasher(n, RandomState::default());
    let number = |n: f64| Same::Number(if n.is_nan() { f64::NAN } else { n + 0.0 }.to_bits());
    for (index, item) in read.first.iter().enumerate() {
        let same = match *item {
            Item::Integer(n) => number(n as f64),
            Item::Single(n) => number(f64::from(n)),
            Item::Double(n) => number(n),
            Item::Text(text) => Same::Text(text),
            Item::BigInt { negative, magnitude } => Same::BigInt(negative, magnitude),
            Item::Null => Same::Other(0),
            Item::Undefined => Same::Other(1),
            Item::Bool(flag) => Same::Other(2 + u64::from(flag)),
            Item::Symbol(number) => Same::Other(4 + number),
            // Objects differ in identity.
            _ => continue,
        };
        if !seen.insert(same) {
            let what = if width == 2 { "key" } else { "entry" };
            return Err(Error::new(ErrorKind::DuplicateKey, format!("{what} {index} is equal to one before it")));
        }
    }
    Ok(())
}

/// Puts the varint `n` in the place of the `old` bytes at `at`.
pub(super) fn set_count(structure: &mut Vec<u8>, at: usize, old: usize, n: u64) {
    let mut count = Vec::new();
    varint::write(&mut count, n);
    structure.splice(at..at + old, count);
}

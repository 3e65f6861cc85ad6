//! Copying a value from one message into another: its shapes, symbols and identities take other numbers there.

use foldhash::fast::RandomState;
use hashbrown::HashMap;

use super::item::{Identity, Item, Place, Source, ViewBuffer};
use super::message::Message;
use super::shape_list::{Key, Text};
use super::shapes::{self, CLASS, CUSTOM, DERIVED, ERROR, ShapeId};
use super::{ElementKind, structure, tag, varint};
use crate::error::{Error, ErrorKind, Fault};

/// Appends the value of the message `bytes`.
pub(crate) fn append(message: &mut Message, bytes: &[u8]) -> Result<(), Error> {
    let (mut source, end) = Source::new(bytes, Box::default())?;
    if end != bytes.len() {
        return Err(Fault::new(ErrorKind::TrailingBytes, end).into());
    }
    Copy::new(&source).run(&mut source, message)?;
    source.finish()?;
    Ok(())
}

/// Takes the next value out of `source`, as a message of its own. References to what stands outside of it are replaced
/// by what they refer to.
/// `identities` are those of the whole message, if it has references.
pub(crate) fn extract(source: &mut Source<'_>, identities: Option<&[Identity]>) -> Result<Vec<u8>, Error> {
    let mut message = Message::default();
    message.start();
    Copy { places: identities, ..Copy::new(source) }.run(source, &mut message)?;
    let mut bytes = Vec::new();
    message.append_to(&mut bytes);
    Ok(bytes)
}

pub(crate) struct Copy<'i> {
    /// By number in the source, as far as they have been met.
    shapes: Vec<Option<ShapeId>>,
    symbols: Vec<Option<u32>>,
    /// Of a whole message: the identity of the root there and here, which keep their distance.
    base: u32,
    /// Of a part of a message: where each identity of it stands.
    places: Option<&'i [Identity]>,
    /// Of a part: the identities here of what has been copied, by that in the source.
    copied: HashMap<usize, u32, RandomState>,
}

/// What else a container that is being copied has to come.
enum Open {
    /// Values.
    Values(u64),
    /// Elements of an array with holes, each behind a gap; then its extra properties.
    Elements(u64),
    /// A value from elsewhere: where to go on.
    Return(Place),
}

impl<'i> Copy<'i> {
    pub(crate) fn new(source: &Source<'_>) -> Self {
        Copy {
            shapes: vec![None; source.shapes.shapes_len()],
            symbols: vec![None; source.shapes.symbols_len()],
            base: 0,
            places: None,
            copied: HashMap::default(),
        }
    }

    fn run(mut self, source: &mut Source<'_>, message: &mut Message) -> Result<(), Error> {
        self.base = message.identities;
        let mut open = vec![Open::Values(1)];
        while let Some(top) = open.last_mut() {
            match top {
                Open::Values(0) => {
                    open.pop();
                    continue;
                }
                Open::Return(place) => {
                    let place = *place;
                    source.go_to(place);
                    open.pop();
                    continue;
                }
                Open::Elements(0) => {
                    let n = source.structure.varint()?;
                    varint::write(&mut message.structure, n);
                    *top = Open::Values(n.saturating_mul(2));
                    continue;
                }
                Open::Elements(left) => {
                    *left -= 1;
                    varint::write(&mut message.structure, source.structure.varint()?);
                }
                Open::Values(left) => *left -= 1,
            }
            let place = source.place();
            let item = source.item()?;
            if let (Item::Reference(id), Some(places)) = (item, self.places) {
                let target = usize::try_from(id).ok().and_then(|id| Some((id, places.get(id)?)));
                let (id, target) = target
                    .filter(|(_, target)| !target.is_base && target.place.structure < place.structure)
                    .ok_or(Fault::new(ErrorKind::BadReference, place.structure))?;
                if let Some(&copied) = self.copied.get(&id) {
                    self.reference(message, copied);
                    continue;
                }
                if id > 0 && places[id - 1].place == target.place {
                    return Err(buffer_outside(place));
                }
                open.push(Open::Return(source.place()));
                open.push(Open::Values(1));
                source.go_back(target.place, place.structure)?;
                continue;
            }
            self.note(place, &item, message);
            self.item(source, message, item, place)?;
            match item {
                Item::Array(n) | Item::Set(n) => open.push(Open::Values(n)),
                Item::Dictionary { len, .. } => open.push(Open::Values(2 * len)),
                Item::Map(n) => open.push(Open::Values(2 * n)),
                Item::Boxed => open.push(Open::Values(1)),
                Item::Object(shape) => open.push(Open::Values(source.values_of(shape, place.structure)?)),
                Item::Sparse { present, .. } => open.push(Open::Elements(present)),
                _ => {}
            }
        }
        Ok(())
    }

    /// Notes which identities the item takes.
    fn note(&mut self, place: Place, item: &Item<'_>, message: &mut Message) {
        let taken = item.identities();
        if let Some(places) = &self.places {
            let first = places.partition_point(|known| known.place.structure < place.structure);
            for i in 0..taken {
                self.copied.insert(first + i as usize, message.identities + i);
            }
        }
        message.identities += taken;
    }

    fn reference(&self, message: &mut Message, identity: u32) {
        structure::tagged(&mut message.structure, tag::REFERENCE, u64::from(identity));
        message.refs = true;
    }

    fn item(&mut self, source: &Source<'_>, message: &mut Message, item: Item<'_>, place: Place) -> Result<(), Error> {
        let out = &mut message.structure;
        match item {
            Item::Null => out.push(tag::NULL),
            Item::Undefined => out.push(tag::UNDEFINED),
            Item::Bool(flag) => out.push(if flag { tag::TRUE } else { tag::FALSE }),
            Item::Integer(n) => structure::number(out, n as f64),
            Item::Single(n) => structure::number(out, f64::from(n)),
            Item::Double(n) => structure::number(out, n),
            Item::BigInt { negative, magnitude } => structure::bigint(out, negative, magnitude),
            Item::Text(text) => write_text(message, text),
            Item::Symbol(number) => {
                let number = self.symbol(source, message, number);
                structure::tagged(&mut message.structure, tag::SYMBOL, u64::from(number));
            }
            Item::Array(n) => structure::array(out, n as usize),
            Item::Sparse { length, present } => {
                structure::tagged(out, tag::ARRAY_SPARSE, u64::from(length));
                varint::write(out, present);
            }
            Item::Packed { kind, bytes } => {
                structure::elements(out, tag::ARRAY_PACKED, kind, bytes.len() / kind.size());
                message.payload(kind.size(), bytes);
            }
            Item::Records(records) => {
                let layout = source.layout(&records);
                let mut bytes = Vec::new();
                layout.write(&mut bytes, |shape| self.shape_number(source, message, u64::from(shape)).unwrap_or(0));
                message.structure.push(tag::RECORDS);
                message.structure.extend_from_slice(&bytes);
                varint::write(&mut message.structure, u64::from(records.n));
                message.payload(1, records.bytes);
            }
            Item::Object(shape) => {
                let id =
                    self.shape(source, message, shape).ok_or(Fault::new(ErrorKind::UnknownShape, place.structure))?;
                let number = message.shapes.number(id);
                structure::object(&mut message.structure, number);
            }
            Item::Dictionary { null, len } => {
                structure::tagged(out, if null { tag::DICTIONARY_NULL } else { tag::DICTIONARY }, len);
            }
            Item::Map(n) => structure::tagged(out, tag::MAP, n),
            Item::Set(n) => structure::tagged(out, tag::SET, n),
            Item::Date(ms) => structure::date(out, ms),
            Item::RegExp { flags, source, last_index } => {
                out.extend_from_slice(&[tag::REGEXP, flags]);
                write_text(message, source);
                varint::write(&mut message.structure, last_index);
            }
            Item::Boxed => out.push(tag::BOXED),
            Item::Buffer { bytes, max } => write_buffer(message, bytes, max),
            Item::TypedArray { kind, bytes } => {
                structure::elements(out, tag::TYPED_ARRAY, kind, bytes.len() / kind.size());
                message.payload(kind.size(), bytes);
            }
            Item::View { kind, buffer, offset, len } => {
                self.view(message, kind, buffer, [offset, len.map_or(0, |n| n + 1)], place)?
            }
            // Of a whole message: all identities move by the same distance.
            Item::Reference(id) => {
                let id = u32::try_from(id).ok().and_then(|id| self.base.checked_add(id));
                let id = id.filter(|&id| id < message.identities);
                self.reference(message, id.ok_or(Fault::new(ErrorKind::BadReference, place.structure))?);
            }
        }
        Ok(())
    }

    fn view(
        &mut self,
        message: &mut Message,
        kind: ElementKind,
        buffer: ViewBuffer<'_>,
        ends: [u64; 2],
        place: Place,
    ) -> Result<(), Error> {
        message.structure.extend_from_slice(&[tag::VIEW, kind.code()]);
        match buffer {
            ViewBuffer::Inline { bytes, max } => write_buffer(message, bytes, max),
            ViewBuffer::Reference(id) => {
                let copied = match self.places {
                    None => u32::try_from(id).ok().and_then(|id| self.base.checked_add(id)),
                    Some(_) => usize::try_from(id).ok().and_then(|id| self.copied.get(&id).copied()),
                };
                self.reference(message, copied.ok_or_else(|| buffer_outside(place))?);
            }
        }
        ends.into_iter().for_each(|end| varint::write(&mut message.structure, end));
        Ok(())
    }

    fn symbol(&mut self, source: &Source<'_>, message: &mut Message, number: u64) -> u32 {
        let known = &mut self.symbols[number as usize];
        match *known {
            Some(number) => number,
            None => {
                let (kind, name) = source.shapes.symbol(source.shapes_section, number).unwrap_or((0, Text::Utf8("")));
                let number = message.shapes.push_symbol(|out| {
                    out.push(kind);
                    if kind != 0 {
                        write_name(out, name);
                    }
                });
                *known = Some(number);
                number
            }
        }
    }

    /// The number in `message` of a shape of the source.
    pub(crate) fn shape_number(&mut self, source: &Source<'_>, message: &mut Message, number: u64) -> Option<u32> {
        self.shape(source, message, number).map(|id| message.shapes.number(id))
    }

    fn shape(&mut self, source: &Source<'_>, message: &mut Message, number: u64) -> Option<ShapeId> {
        if let Some(known) = *self.shapes.get(number as usize)? {
            return Some(known);
        }
        let section = source.shapes_section;
        let shape = source.shapes.shape(number)?;
        let mut content = vec![shape.kind];
        match shape.kind {
            CLASS | DERIVED | CUSTOM => {
                write_name(&mut content, source.shapes.class_name(section, shape));
                varint::write(&mut content, u64::from(shape.version));
            }
            ERROR => content.push(shape.constructor),
            _ => {}
        }
        if shape.kind != CUSTOM {
            varint::write(&mut content, shape.keys_len() as u64);
            for index in 0..shape.keys_len() {
                match source.shapes.key(section, shape, index)? {
                    Key::Text(text) => write_name(&mut content, text),
                    Key::Symbol(number) => {
                        let number = self.symbol(source, message, u64::from(number));
                        shapes::symbol(&mut content, number);
                    }
                }
            }
        }
        let id = message.shapes.id(&content);
        self.shapes[number as usize] = Some(id);
        Some(id)
    }
}

#[cold]
fn buffer_outside(place: Place) -> Error {
    let why = "a view of this part is over a buffer outside of it";
    Error::new(ErrorKind::Unrepresentable, why).at_offset(place.structure)
}

/// A name or key in its one form, so that equal ones of two messages are equal here: as UTF-8 if it is well-formed.
fn write_name(out: &mut Vec<u8>, text: Text<'_>) {
    match text {
        Text::Utf8(text) => shapes::utf8(out, text),
        Text::Utf16(units) => {
            let code_units = units.chunks_exact(2).map(|unit| u16::from_le_bytes([unit[0], unit[1]]));
            match char::decode_utf16(code_units).collect::<Result<String, _>>() {
                Ok(text) => shapes::utf8(out, &text),
                Err(_) => shapes::utf16(out, units),
            }
        }
    }
}

fn write_text(message: &mut Message, text: Text<'_>) {
    match text {
        Text::Utf8(text) => message.string(text),
        Text::Utf16(units) => {
            structure::tagged(&mut message.structure, tag::STRING_UTF16, units.len() as u64 / 2);
            message.payload(2, units);
        }
    }
}

fn write_buffer(message: &mut Message, bytes: &[u8], max: Option<u64>) {
    let tag = if max.is_some() { tag::BUFFER_RESIZABLE } else { tag::BUFFER };
    structure::tagged(&mut message.structure, tag, bytes.len() as u64);
    max.inspect(|&max| varint::write(&mut message.structure, max));
    message.payload(8, bytes);
}

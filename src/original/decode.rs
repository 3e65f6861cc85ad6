//! From data to a graph: one walk over the root, with a stack of its own.
//!
//! Time and memory are linear in the archive: what open containers claim is bounded by the bytes that remain, by one
//! counter for all of them, and nothing is allocated for a claim.

use std::collections::HashMap;

use super::archive::Archive;
use super::classes::ClassNames;
use super::datum::Datum;
use crate::error::{Error, ErrorKind, Fault};
use crate::graph::{Distinct, Graph, Key, PropertyKey, Segment, SymbolId, Value, path_of};
use crate::wire::Reader;

/// The description of the exported symbol `index` of the original library.
const INDEX: &str = "Marshal.index";

/// The largest time value of a Date.
const MAX_TIME: u64 = 8_640_000_000_000_000;

/// The largest lastIndex of a RegExp.
const MAX_LAST_INDEX: f64 = 9_007_199_254_740_991.0;

/// How many bytes of strings references may stand for, as a multiple of the archive, above a free amount. A graph has
/// such a string once; who compares or copies its values meets it each time.
const MAX_EXPANSION: usize = 16;
const FREE_EXPANSION: usize = 1 << 20;

pub(super) struct Decoder<'i, 'n> {
    root: &'i [u8],
    root_at: usize,
    reader: Reader<'i>,
    dynamic_numbers: bool,
    names: ClassNames<'n>,
    graph: Graph<'static>,
    open: Vec<Frame>,
    /// Elements, keys of Maps, and values of the open containers.
    values: Vec<Value>,
    /// Keys of the open records and instances.
    keys: Vec<PropertyKey<'i>>,
    /// Offsets of the keys and members that must be distinct.
    keys_at: Vec<usize>,
    /// Data that open containers still owe.
    owed: u64,
    /// Where data begin.
    begun: Begun,
    /// What has an identity, by ascending offset.
    identities: Vec<(u32, Value)>,
    /// Strings that references have asked for.
    strings: HashMap<u32, Value, foldhash::fast::RandomState>,
    expansion: usize,
    class_bytes: usize,
    distinct: Distinct,
}

/// A container whose data are being read.
struct Frame {
    container: Container,
    object: Value,
    at: usize,
    /// Elements or pairs that are still to come.
    left: u32,
    /// Where the container's part of `values`, `keys` and `keys_at` begins.
    values: usize,
    keys: usize,
    keys_at: usize,
}

#[derive(Clone, Copy, PartialEq)]
enum Container {
    Array,
    Set,
    Map,
    Record,
    /// An instance, with its constructor index.
    Class(u32),
}

impl<'i, 'n> Decoder<'i, 'n> {
    pub(super) fn new(archive: &Archive<'i>, names: ClassNames<'n>) -> Self {
        let expansion = FREE_EXPANSION + MAX_EXPANSION * archive.root.len();
        Decoder {
            root: archive.root,
            root_at: archive.root_at,
            reader: Reader::new(archive.root, archive.root_at),
            dynamic_numbers: archive.dynamic_numbers,
            class_bytes: expansion + names.given_bytes(),
            names,
            graph: Graph::new(),
            open: Vec::new(),
            values: Vec::new(),
            keys: Vec::new(),
            keys_at: Vec::new(),
            owed: 1,
            begun: Begun::new(archive.root.len()),
            identities: Vec::new(),
            strings: HashMap::default(),
            expansion,
            distinct: Distinct::default(),
        }
    }

    /// Reads the root, with everything in it.
    pub(super) fn root(&mut self) -> Result<Value, Error> {
        self.walk().map_err(|error| error.at_path(self.path()))
    }

    fn walk(&mut self) -> Result<Value, Error> {
        let mut complete = self.datum()?;
        let root = loop {
            if let Some(value) = complete {
                let Some(frame) = self.open.last_mut() else { break value };
                frame.left -= 1;
                self.values.push(value);
            }
            complete = match self.open.pop_if(|frame| frame.left == 0) {
                Some(frame) => Some(self.close(frame)?),
                None => {
                    self.key()?;
                    self.datum()?
                }
            };
        };
        self.reader.finish().map_err(|fault| {
            Error::new(fault.kind, "bytes between the root and the map of entries").at_offset(fault.at)
        })?;
        Ok(root)
    }

    /// The value whose tag stands at `target`, once the root is read. `at` is where the target is given.
    pub(super) fn datum_at(&mut self, target: f64, at: usize) -> Result<Value, Error> {
        let exact = target as usize;
        if exact as f64 != target || !self.has_begun(exact) {
            return Err(Error::new(ErrorKind::BadReference, "no datum begins at this offset").at_offset(at));
        }
        Ok(self.resolve(exact, at)?)
    }

    pub(super) fn into_graph(self) -> Graph<'static> {
        self.graph
    }

    /// Reads a datum; a container is opened, and complete when it is closed.
    fn datum(&mut self) -> Result<Option<Value>, Fault> {
        let at = self.reader.offset();
        let datum = Datum::read(&mut self.reader)?;
        self.owed -= 1;
        if let Datum::Reference(target) = datum {
            let target = target as usize;
            if target >= at || !self.has_begun(target) {
                return Err(Fault::new(ErrorKind::BadReference, at));
            }
            let value = self.resolve(target, at)?;
            self.note_member(at);
            return Ok(Some(value));
        }
        self.begun.insert(at - self.root_at);
        self.note_member(at);
        match datum {
            Datum::Array(count) => self.open(Container::Array, count, at)?,
            Datum::Set(count) => self.open(Container::Set, count, at)?,
            Datum::Map(count) => self.open(Container::Map, count, at)?,
            Datum::Record(count) => self.open(Container::Record, count, at)?,
            Datum::Class { index, count } => self.open(Container::Class(index), count, at)?,
            Datum::Date(ms) => {
                if ms.unsigned_abs() > MAX_TIME {
                    return Err(Fault::new(ErrorKind::BadDate, at));
                }
                let date = self.graph.date(ms as f64);
                return Ok(Some(self.identify(at, date)));
            }
            Datum::Elements(kind, bytes) => {
                let view = self.graph.typed_array_from_bytes(kind, bytes);
                let view = view.map_err(|error| Fault::new(error.kind(), at))?;
                return Ok(Some(self.identify(at, view)));
            }
            Datum::RegExp => {
                let regexp = self.regexp(at)?;
                return Ok(Some(self.identify(at, regexp)));
            }
            Datum::Symbol(description) => {
                let symbol = self.symbol(description);
                return Ok(Some(self.identify(at, symbol.into())));
            }
            other => return Ok(self.primitive(other)),
        }
        Ok(None)
    }

    /// The members of a Set must be distinct.
    fn note_member(&mut self, at: usize) {
        if self.open.last().is_some_and(|frame| frame.container == Container::Set) {
            self.keys_at.push(at);
        }
    }

    /// What a datum is that has neither an identity nor parts.
    fn primitive(&mut self, datum: Datum<'_>) -> Option<Value> {
        Some(match datum {
            Datum::String(text) => self.graph.string(text),
            Datum::Number(number) => Value::number(number),
            Datum::Int64(n) if self.dynamic_numbers && n < i64::from(i32::MIN) && is_number(n) => {
                Value::number(n as f64)
            }
            Datum::Int64(n) => self.graph.bigint(n),
            Datum::Bool(value) => Value::from(value),
            Datum::Null => Value::NULL,
            Datum::Undefined => Value::UNDEFINED,
            _ => return None,
        })
    }

    fn symbol(&mut self, description: &str) -> SymbolId {
        match description {
            "" => self.graph.symbol(),
            INDEX => self.graph.symbol_for(INDEX),
            _ => self.graph.symbol_described(description),
        }
    }

    fn identify(&mut self, at: usize, value: Value) -> Value {
        self.identities.push((at as u32, value));
        value
    }
}

/// Containers.
impl Decoder<'_, '_> {
    fn open(&mut self, container: Container, count: u32, at: usize) -> Result<(), Fault> {
        let width = if matches!(container, Container::Array | Container::Set) { 1 } else { 2 };
        self.owe(width * u64::from(count), at)?;
        let object = self.graph.reserve();
        self.identify(at, object);
        let (values, keys, keys_at) = (self.values.len(), self.keys.len(), self.keys_at.len());
        self.open.push(Frame { container, object, at, left: count, values, keys, keys_at });
        Ok(())
    }

    /// Each datum takes at least a byte, so no more can be owed than bytes remain.
    fn owe(&mut self, data: u64, at: usize) -> Result<(), Fault> {
        self.owed += data;
        if self.owed > self.reader.remaining() as u64 {
            return Err(Fault::new(ErrorKind::LengthOutOfBounds, at));
        }
        Ok(())
    }

    /// Reads the key that comes next, where the open container has keys: a string, symbol or number.
    fn key(&mut self) -> Result<(), Fault> {
        let Some(&Frame { container, .. }) = self.open.last() else { return Ok(()) };
        if matches!(container, Container::Array | Container::Set) {
            return Ok(());
        }
        let at = self.reader.offset();
        let key = Datum::read(&mut self.reader)?;
        self.owed -= 1;
        self.begun.insert(at - self.root_at);
        self.keys_at.push(at);
        match (container, key) {
            (Container::Map, Datum::Symbol(description)) => {
                let symbol = Value::from(self.symbol(description));
                self.identify(at, symbol);
                self.values.push(symbol);
            }
            (Container::Map, Datum::String(_) | Datum::Number(_)) => {
                let key = self.primitive(key);
                self.values.extend(key);
            }
            (_, Datum::Symbol(description)) => {
                let symbol = self.symbol(description);
                self.identify(at, symbol.into());
                self.keys.push(symbol.into());
            }
            (_, Datum::String(text)) => self.keys.push(text.into()),
            (_, Datum::Number(number)) => self.keys.push(ryu_js::Buffer::new().format(number).to_owned().into()),
            _ => return Err(Fault::new(ErrorKind::WrongType, at)),
        }
        Ok(())
    }

    /// Builds the container whose data are complete.
    fn close(&mut self, frame: Frame) -> Result<Value, Error> {
        let built = self.build(&frame);
        self.values.truncate(frame.values);
        self.keys.truncate(frame.keys);
        self.keys_at.truncate(frame.keys_at);
        self.graph.fill(frame.object, built?);
        Ok(frame.object)
    }

    fn build(&mut self, frame: &Frame) -> Result<Value, Error> {
        self.refuse_duplicates(frame)?;
        let mut values = self.values.drain(frame.values..);
        Ok(match frame.container {
            Container::Array => self.graph.array(values),
            Container::Set => self.graph.set_of(values),
            Container::Map => {
                let entries = std::iter::from_fn(|| Some((values.next()?, values.next()?)));
                self.graph.map(entries)
            }
            Container::Record => self.graph.object(self.keys.drain(frame.keys..).zip(values)),
            Container::Class(index) => {
                let name = self.names.name(index).ok_or_else(|| {
                    Error::new(ErrorKind::BadClass, format!("no class name for constructor index {index}"))
                        .at_offset(frame.at)
                })?;
                self.class_bytes = self.class_bytes.checked_sub(name.len()).ok_or_else(|| {
                    Error::new(ErrorKind::LimitExceeded, "constructor indices repeat").at_offset(frame.at)
                })?;
                self.graph
                    .instance(&*name, 0, self.keys.drain(frame.keys..).zip(values))
                    .map_err(|error| error.at_offset(frame.at))?
            }
        })
    }

    fn refuse_duplicates(&mut self, frame: &Frame) -> Result<(), Fault> {
        let keys_at = &self.keys_at[frame.keys_at..];
        let width = if frame.container == Container::Map { 2 } else { 1 };
        let second = match frame.container {
            Container::Array => None,
            Container::Set | Container::Map => {
                let values = &self.values[frame.values..];
                self.distinct.first_duplicate(keys_at.len(), |i| self.graph.same_key(values[width * i].0))
            }
            Container::Record | Container::Class(_) => {
                let keys = &self.keys[frame.keys..];
                self.distinct.first_duplicate(keys_at.len(), |i| keys[i].lend())
            }
        };
        second.map_or(Ok(()), |i| Err(Fault::new(ErrorKind::DuplicateKey, keys_at[i])))
    }

    /// Reads the record that a RegExp was written as. Its fields are plain values; `source`, `flags` and `lastIndex` count.
    fn regexp(&mut self, at: usize) -> Result<Value, Fault> {
        self.owe(1, at)?;
        let record_at = self.reader.offset();
        let Datum::Record(fields) = Datum::read(&mut self.reader)? else {
            return Err(Fault::new(ErrorKind::WrongType, record_at));
        };
        self.owed -= 1;
        self.owe(2 * u64::from(fields), record_at)?;
        let (mut source, mut flags, mut last_index) = (None, None, None);
        for _ in 0..fields {
            let key_at = self.reader.offset();
            let Datum::String(key) = Datum::read(&mut self.reader)? else {
                return Err(Fault::new(ErrorKind::WrongType, key_at));
            };
            let value_at = self.reader.offset();
            let value = Datum::read(&mut self.reader)?;
            self.owed -= 2;
            let known = match (key, value) {
                ("source", Datum::String(text)) => source.replace(text).is_some(),
                ("flags", Datum::String(text)) => flags.replace(text).is_some(),
                ("lastIndex", Datum::Number(number)) => last_index.replace(number).is_some(),
                ("source" | "flags" | "lastIndex", _) => return Err(Fault::new(ErrorKind::WrongType, value_at)),
                (_, Datum::Bool(_) | Datum::String(_) | Datum::Number(_)) => false,
                _ => return Err(Fault::new(ErrorKind::WrongType, value_at)),
            };
            if known {
                return Err(Fault::new(ErrorKind::DuplicateKey, key_at));
            }
        }
        let (Some(source), Some(flags)) = (source, flags) else {
            return Err(Fault::new(ErrorKind::BadRegExp, at));
        };
        // ECMA-262's ToLength, as an engine reads lastIndex.
        let last_index = last_index.unwrap_or(0.0).trunc().clamp(0.0, MAX_LAST_INDEX) as u64;
        self.graph.regexp(source, flags, last_index).map_err(|error| Fault::new(error.kind(), at))
    }
}

/// Where in the root the decoder stands.
impl Decoder<'_, '_> {
    fn path(&self) -> String {
        path_of(self.open.iter().enumerate().filter_map(|(depth, frame)| {
            let next = self.open.get(depth + 1);
            let values = next.map_or(self.values.len(), |next| next.values) - frame.values;
            let keys = next.map_or(self.keys.len(), |next| next.keys) - frame.keys;
            let (count, pairs) = (values as u32, (values / 2) as u32);
            match frame.container {
                Container::Array => Some(Segment::Index(count)),
                Container::Set => Some(Segment::Entry("member", count)),
                Container::Map => Some(Segment::Entry(if values.is_multiple_of(2) { "key" } else { "value" }, pairs)),
                // A key without its value yet leads on; else the fault is in a key, which is part of the object itself.
                Container::Record | Container::Class(_) if keys > values => {
                    self.keys.get(frame.keys + values).map(|key| match key.lend() {
                        Key::String(name) => Segment::Name(name),
                        Key::Symbol(index) => Segment::Symbol(self.graph.shapes.symbol(index)),
                    })
                }
                Container::Record | Container::Class(_) => None,
            }
        }))
    }
}

/// References.
impl Decoder<'_, '_> {
    fn has_begun(&self, offset: usize) -> bool {
        offset.checked_sub(self.root_at).is_some_and(|offset| self.begun.contains(offset))
    }

    /// The value of the datum that has begun at `target`.
    fn resolve(&mut self, target: usize, at: usize) -> Result<Value, Fault> {
        let key = target as u32;
        if let Ok(place) = self.identities.binary_search_by_key(&key, |&(at, _)| at) {
            return Ok(self.identities[place].1);
        }
        let datum = Datum::read(&mut Reader::new(&self.root[target - self.root_at..], target))?;
        if let Datum::String(text) = datum {
            self.expansion = self.expansion.checked_sub(text.len()).ok_or(Fault::new(ErrorKind::LimitExceeded, at))?;
            return Ok(match self.strings.get(&key) {
                Some(&value) => value,
                None => {
                    let value = self.graph.string(text);
                    self.strings.insert(key, value);
                    value
                }
            });
        }
        self.primitive(datum).ok_or(Fault::new(ErrorKind::BadReference, at))
    }
}

/// Whether a Number holds the integer exactly.
fn is_number(n: i64) -> bool {
    n as f64 as i128 == i128::from(n)
}

/// A set of offsets, a bit each.
struct Begun(Vec<u64>);

impl Begun {
    fn new(len: usize) -> Self {
        Begun(vec![0; len.div_ceil(64)])
    }

    fn insert(&mut self, offset: usize) {
        if let Some(word) = self.0.get_mut(offset / 64) {
            *word |= 1 << (offset % 64);
        }
    }

    fn contains(&self, offset: usize) -> bool {
        self.0.get(offset / 64).is_some_and(|word| word >> (offset % 64) & 1 == 1)
    }
}

//! Arbitrary graphs as recipes: a list of build operations, each of which refers to values that others made.
//!
//! Any list builds a graph, so a recipe shrinks by losing operations. It knows the public API alone; where recipes come
//! from is for others to say (`bytes.rs`, `quick.rs`).

use marshal::{ElementKind, ErrorConstructor, Graph, JsStr, PropertyKey, SymbolId, Value, WellKnown};

/// Code units, lone surrogates among them.
pub(crate) type Text = Vec<u16>;

/// A value that an operation made, by its place; counted modulo how many there are.
pub(crate) type Pick = u16;

pub(crate) type Properties = Vec<(Key, Pick)>;

#[derive(Debug, Clone)]
pub(crate) enum Key {
    Text(Text),
    /// One of the recipe's [`SYMBOLS`] symbols.
    Symbol(u8),
}

#[derive(Debug, Clone)]
pub(crate) struct Class {
    pub(crate) name: Text,
    pub(crate) version: u32,
}

/// What can be made and changed.
#[derive(Debug, Clone)]
pub(crate) enum Op {
    Undefined,
    Null,
    Bool(bool),
    Number(f64),
    BigInt(bool, Vec<u8>),
    Text(Text),
    Symbol(u8),
    Array(Vec<Pick>),
    /// As many elements as there are numbers, in the first of these kinds that is one of packed arrays.
    Packed(ElementKind, Vec<f64>),
    Sparse(u32, Vec<(u32, Pick)>),
    Object(Properties),
    NullObject(Properties),
    /// So many keys `k0`, `k1`, …: from 257 on a dictionary.
    Wide(u16, Pick),
    Instance(Class, Properties),
    Error(ErrorConstructor, Properties),
    /// A class over what the first operation makes, which nothing else gets to see.
    Derived(Box<Op>, Class, Properties),
    Custom(Class, Pick),
    Map(Vec<(Pick, Pick)>),
    Set(Vec<Pick>),
    Date(f64),
    RegExp(Text, u8, u64),
    Boxed(Pick),
    Buffer(Vec<u8>, Option<u64>),
    TypedArray(ElementKind, Vec<u8>),
    /// Offset and length count modulo what fits.
    View(ElementKind, Pick, u16, Option<u16>),
    /// So many arrays in one another.
    Chain(u16, Pick),
    // Changes, which also make cycles. They do nothing where the target is of another kind.
    SetProperty(Pick, Key, Pick),
    Remove(Pick, Key),
    SetAt(Pick, u32, Pick),
    Push(Pick, Pick),
    SetLength(Pick, u32),
    MapSet(Pick, Pick, Pick),
    MapDelete(Pick, Pick),
    SetAdd(Pick, Pick),
    SetDelete(Pick, Pick),
    SetDate(Pick, f64),
    Write(Pick, u16, u8),
}

#[derive(Debug, Clone)]
pub(crate) struct Recipe {
    pub(crate) ops: Vec<Op>,
    /// The root is an array of all that was made; else the last value.
    pub(crate) all: bool,
}

/// How many symbols a recipe has, of every kind.
pub(crate) const SYMBOLS: u8 = 10;

impl Recipe {
    pub(crate) fn build(&self) -> Graph<'static> {
        let mut kitchen = Kitchen { graph: Graph::new(), made: Vec::new(), symbols: [None; SYMBOLS as usize] };
        for op in &self.ops {
            if let Some(value) = kitchen.make(op) {
                kitchen.made.push(value);
            }
        }
        let Kitchen { mut graph, made, .. } = kitchen;
        let root = if self.all { graph.array(made) } else { made.last().copied().unwrap_or(Value::UNDEFINED) };
        graph.set_root(root);
        graph
    }
}

struct Kitchen {
    graph: Graph<'static>,
    made: Vec<Value>,
    symbols: [Option<SymbolId>; SYMBOLS as usize],
}

impl Kitchen {
    fn pick(&self, pick: Pick) -> Value {
        match self.made.len() {
            0 => Value::UNDEFINED,
            len => self.made[usize::from(pick) % len],
        }
    }

    fn picks(&self, picks: &[Pick]) -> Vec<Value> {
        picks.iter().map(|&pick| self.pick(pick)).collect()
    }

    /// What the operation makes; `None` for a change, and for what can't be made of these parts.
    fn make(&mut self, op: &Op) -> Option<Value> {
        Some(match op {
            Op::Undefined => Value::UNDEFINED,
            Op::Null => Value::NULL,
            Op::Bool(truth) => Value::from(*truth),
            Op::Number(number) => Value::from(*number),
            Op::BigInt(negative, magnitude) => self.graph.bigint_from_magnitude(*negative, magnitude),
            Op::Text(units) => self.graph.string_utf16(units),
            Op::Symbol(symbol) => self.symbol(*symbol).into(),
            Op::Array(elements) => {
                let elements = self.picks(elements);
                self.graph.array(elements)
            }
            Op::Packed(kind, numbers) => self.packed(*kind, numbers),
            Op::Sparse(length, elements) => {
                let fitting = elements.iter().filter(|(index, _)| index < length);
                let elements: Vec<_> = fitting.map(|&(index, pick)| (index, self.pick(pick))).collect();
                self.graph.sparse_array(*length, elements).expect("indices below the length")
            }
            Op::Object(properties) => {
                let properties = self.properties(properties);
                self.graph.object(properties)
            }
            Op::NullObject(properties) => {
                let properties = self.properties(properties);
                self.graph.null_object(properties)
            }
            Op::Wide(keys, pick) => {
                let value = self.pick(*pick);
                self.graph.object((0..*keys).map(|i| (format!("k{i}"), value)))
            }
            Op::Instance(class, properties) => {
                let properties = self.properties(properties);
                with_name(class, |name| self.graph.instance(name, class.version, properties)).expect("a name")
            }
            Op::Error(constructor, properties) => {
                let properties = self.properties(properties);
                self.graph.error(*constructor, properties)
            }
            Op::Derived(base, class, properties) => {
                let base = self.make(base)?;
                let properties = self.properties(properties);
                with_name(class, |name| self.graph.derived(name, class.version, base, properties)).ok()?
            }
            Op::Custom(class, pick) => {
                let payload = self.pick(*pick);
                with_name(class, |name| self.graph.custom(name, class.version, payload)).expect("a name")
            }
            Op::Map(entries) => {
                let entries: Vec<_> = entries.iter().map(|&(key, value)| (self.pick(key), self.pick(value))).collect();
                self.graph.map(entries)
            }
            Op::Set(members) => {
                let members = self.picks(members);
                self.graph.set_of(members)
            }
            Op::Date(ms) => self.graph.date(*ms),
            Op::RegExp(pattern, flags, last_index) => {
                // `u` and `v` exclude each other.
                let flags: String =
                    "dgimsvy".chars().enumerate().filter(|(bit, _)| flags & (1 << bit) != 0).map(|(_, c)| c).collect();
                with_text(pattern, |pattern| self.graph.regexp(pattern, &flags, *last_index)).ok()?
            }
            Op::Boxed(primitive) => {
                let primitive = self.pick(*primitive);
                self.graph.boxed(primitive).ok()?
            }
            Op::Buffer(bytes, None) => self.graph.buffer(bytes),
            Op::Buffer(bytes, Some(max)) => self.graph.resizable_buffer(bytes, *max).ok()?,
            Op::TypedArray(kind, bytes) => {
                let whole = &bytes[..bytes.len() - bytes.len() % kind.size()];
                self.graph.typed_array_from_bytes(*kind, whole).expect("whole elements")
            }
            Op::View(kind, buffer, offset, len) => self.view(*kind, *buffer, *offset, *len)?,
            Op::Chain(depth, pick) => {
                let innermost = self.pick(*pick);
                (0..*depth).fold(innermost, |inner, _| self.graph.array([inner]))
            }
            change => {
                self.change(change);
                return None;
            }
        })
    }

    fn packed(&mut self, kind: ElementKind, numbers: &[f64]) -> Value {
        let graph = &mut self.graph;
        match kind {
            ElementKind::Int8 => graph.numbers(&numbers.iter().map(|&n| n as i8).collect::<Vec<_>>()),
            ElementKind::Uint8 | ElementKind::Uint8Clamped => {
                graph.numbers(&numbers.iter().map(|&n| n as u8).collect::<Vec<_>>())
            }
            ElementKind::Int16 => graph.numbers(&numbers.iter().map(|&n| n as i16).collect::<Vec<_>>()),
            ElementKind::Uint16 => graph.numbers(&numbers.iter().map(|&n| n as u16).collect::<Vec<_>>()),
            ElementKind::Int32 => graph.numbers(&numbers.iter().map(|&n| n as i32).collect::<Vec<_>>()),
            ElementKind::Uint32 => graph.numbers(&numbers.iter().map(|&n| n as u32).collect::<Vec<_>>()),
            ElementKind::Float32 | ElementKind::Float16 => {
                graph.numbers(&numbers.iter().map(|&n| n as f32).collect::<Vec<_>>())
            }
            // Not packed, so that the encoder has to decide.
            ElementKind::DataView => Ok(graph.array(numbers.iter().map(|&n| Value::from(n)))),
            _ => graph.numbers(numbers),
        }
        .expect("a kind that packs")
    }

    /// A view of a picked buffer, of the buffer under a picked view, or of none.
    fn view(&mut self, kind: ElementKind, buffer: Pick, offset: u16, len: Option<u16>) -> Option<Value> {
        let picked = self.graph.cursor(self.pick(buffer));
        let under = picked.view().map_or(picked, |view| view.buffer());
        let under_len = under.buffer()?.bytes().len();
        let resizable = under.buffer()?.max_byte_length().is_some();
        let buffer = under.value();
        let offset = usize::from(offset) % (under_len + 1);
        let offset = offset - offset % kind.size();
        let fits = (under_len - offset) / kind.size();
        let len = match len {
            None if resizable => None,
            len => Some((usize::from(len.unwrap_or(u16::MAX)) % (fits + 1)) as u64),
        };
        Some(self.graph.view(kind, buffer, offset as u64, len).expect("a view that fits"))
    }

    fn change(&mut self, op: &Op) {
        // An error says that the target is of another kind, or full; that is as good as no change.
        let _ = match *op {
            Op::SetProperty(target, ref key, value) => {
                let key = self.key(key);
                self.graph.set(self.pick(target), key, self.pick(value))
            }
            Op::Remove(target, ref key) => {
                let key = self.key(key);
                self.graph.remove(self.pick(target), key).map(drop)
            }
            Op::SetAt(target, index, value) => self.graph.set_at(self.pick(target), index, self.pick(value)),
            Op::Push(target, value) => self.graph.push(self.pick(target), self.pick(value)),
            Op::SetLength(target, length) => self.graph.set_length(self.pick(target), length),
            Op::MapSet(target, key, value) => self.graph.map_set(self.pick(target), self.pick(key), self.pick(value)),
            Op::MapDelete(target, key) => self.graph.map_delete(self.pick(target), self.pick(key)).map(drop),
            Op::SetAdd(target, value) => self.graph.set_add(self.pick(target), self.pick(value)),
            Op::SetDelete(target, value) => self.graph.set_delete(self.pick(target), self.pick(value)).map(drop),
            Op::SetDate(target, ms) => self.graph.set_date(self.pick(target), ms),
            Op::Write(target, place, byte) => self.graph.buffer_mut(self.pick(target)).map(|bytes| {
                if let Some(at) = usize::from(place).checked_rem(bytes.len()) {
                    bytes[at] = byte;
                }
            }),
            _ => Ok(()),
        };
    }

    fn properties(&mut self, properties: &Properties) -> Vec<(PropertyKey<'static>, Value)> {
        properties.iter().map(|(key, pick)| (self.key(key), self.pick(*pick))).collect()
    }

    fn key(&mut self, key: &Key) -> PropertyKey<'static> {
        match key {
            Key::Text(units) => PropertyKey::utf16(units),
            Key::Symbol(symbol) => self.symbol(*symbol).into(),
        }
    }

    fn symbol(&mut self, symbol: u8) -> SymbolId {
        let symbol = symbol % SYMBOLS;
        let graph = &mut self.graph;
        *self.symbols[usize::from(symbol)].get_or_insert_with(|| match symbol {
            0 | 1 => graph.symbol(),
            2 => graph.symbol_described(""),
            3 | 4 => graph.symbol_described("described"),
            5 => graph.symbol_for("described"),
            6 => graph.symbol_for(""),
            7 => with_text(&[0x61, 0xDC00], |lone| graph.symbol_for(lone)),
            8 => graph.symbol_well_known(WellKnown::Iterator),
            _ => graph.symbol_well_known(WellKnown::ToStringTag),
        })
    }
}

/// Lends code units as the library lends strings.
fn with_text<T>(units: &[u16], act: impl FnOnce(JsStr<'_>) -> T) -> T {
    let mut page = Graph::new();
    let text = page.string_utf16(units);
    act(page.cursor(text).text().expect("a string"))
}

fn with_name<T>(class: &Class, act: impl FnOnce(JsStr<'_>) -> T) -> T {
    with_text(if class.name.is_empty() { &[0x43] } else { &class.name }, act)
}

//! The table of shapes and symbols: what objects of one kind share (`spec/format.md`, section 6).
//!
//! It holds its own text, so graphs can share one table until one of them adds to it.

use std::hash::{BuildHasher, Hash, Hasher};
use std::sync::{Arc, LazyLock, OnceLock};

use foldhash::fast::RandomState;
use hashbrown::HashTable;

use super::symbol::{Symbol, SymbolKind, WellKnown};
use super::text::JsStr;

/// Plain objects with more keys than this, and those met when the table is full, are dictionaries.
pub(crate) const MAX_SHAPE_KEYS: usize = 256;
pub(crate) const MAX_PLAIN_SHAPES: usize = 4096;

/// Which of the standard constructors made an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names are the constructors'")]
pub enum ErrorConstructor {
    Error = 0,
    EvalError = 1,
    RangeError = 2,
    ReferenceError = 3,
    SyntaxError = 4,
    TypeError = 5,
    URIError = 6,
    AggregateError = 7,
    SuppressedError = 8,
}

impl ErrorConstructor {
    /// Every constructor, in the order of its code.
    pub const ALL: [ErrorConstructor; 9] = {
        use ErrorConstructor::*;
        [
            Error,
            EvalError,
            RangeError,
            ReferenceError,
            SyntaxError,
            TypeError,
            URIError,
            AggregateError,
            SuppressedError,
        ]
    };

    /// The constructor's name, as in `TypeError`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Error => "Error",
            Self::EvalError => "EvalError",
            Self::RangeError => "RangeError",
            Self::ReferenceError => "ReferenceError",
            Self::SyntaxError => "SyntaxError",
            Self::TypeError => "TypeError",
            Self::URIError => "URIError",
            Self::AggregateError => "AggregateError",
            Self::SuppressedError => "SuppressedError",
        }
    }
}

/// What an object with this shape is, apart from its keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum ShapeKind<'t> {
    Plain,
    NullPrototype,
    Class(ClassRef<'t>),
    Derived(ClassRef<'t>),
    Error(ErrorConstructor),
    Custom(ClassRef<'t>),
}

/// How the values of a shaped object lie: what comes before those of its keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ShapeForm {
    /// Nothing.
    Object,
    /// The base.
    Derived,
    /// The payload, and there are no keys.
    Custom,
}

/// The class of an instance: its name and version.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ClassRef<'t> {
    pub(crate) name: JsStr<'t>,
    pub(crate) version: u32,
}

impl<'t> ClassRef<'t> {
    /// The name under which the class is registered; never empty.
    pub fn name(self) -> JsStr<'t> {
        self.name
    }

    /// The version of the class that wrote the instance.
    pub fn version(self) -> u32 {
        self.version
    }
}

/// A property key, lent: a string, or a symbol by its index in the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Key<'t> {
    String(JsStr<'t>),
    Symbol(u32),
}

impl Key<'_> {
    /// Where the key stands among others: OrdinaryOwnPropertyKeys of ECMA-262.
    pub(crate) fn rank(self) -> Rank {
        match self {
            Key::String(text) => text.array_index().map_or(Rank::String, Rank::Index),
            Key::Symbol(_) => Rank::Symbol,
        }
    }
}

/// Array indices come first, ascending; then strings, then symbols, each as inserted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Rank {
    Index(u32),
    String,
    Symbol,
}

impl Rank {
    /// Whether a key of this rank may follow one of rank `before`. (The same index twice is for the check of duplicates.)
    pub(crate) fn may_follow(self, before: Rank) -> bool {
        before <= self
    }
}

#[derive(Debug, Clone, Copy)]
pub(super) struct StoredText {
    utf16: bool,
    at: u32,
    len: u32,
}

#[derive(Debug, Clone, Copy)]
enum StoredKey {
    Text(StoredText),
    Symbol(u32),
}

#[derive(Debug, Clone, Copy)]
enum StoredKind {
    Plain,
    NullPrototype,
    Class(StoredText, u32),
    Derived(StoredText, u32),
    Error(ErrorConstructor),
    Custom(StoredText, u32),
}

#[derive(Debug, Clone, Copy)]
struct Shape {
    kind: StoredKind,
    first_key: u32,
    keys: u32,
}

/// Shapes and symbols with their keys and text. A shape's index is its number; equal shapes stand once.
#[derive(Debug, Clone, Default)]
pub(crate) struct Shapes {
    shapes: Vec<Shape>,
    keys: Vec<StoredKey>,
    symbols: Vec<StoredSymbol>,
    text: String,
    units: Vec<u8>,
    /// Finds a shape by its content. Built when first asked for, so that decoding does not pay for it.
    by_content: Lookup,
    by_symbol: Lookup,
    has_symbol_keys: bool,
    /// The section that this whole table makes in a message, once an encoder has made it.
    section: OnceLock<Box<[u8]>>,
}

#[derive(Debug, Clone, Copy)]
enum StoredSymbol {
    Unique,
    Described(StoredText),
    Registered(StoredText),
    WellKnown(WellKnown),
}

/// An index over a table that only grows; catches up with the table when it is used.
#[derive(Debug, Clone, Default)]
struct Lookup {
    table: HashTable<u32>,
    state: RandomState,
    known: usize,
}

impl Lookup {
    /// The entry that equals `wanted`, of the `len` that `item` gives.
    fn find<T: Hash + PartialEq>(&mut self, len: usize, item: impl Fn(usize) -> T, wanted: &T) -> Option<u32> {
        let hash = |value: &T| self.state.hash_one(value);
        for i in self.known..len {
            self.table.insert_unique(hash(&item(i)), i as u32, |&other| hash(&item(other as usize)));
        }
        self.known = len;
        self.table.find(hash(wanted), |&i| item(i as usize) == *wanted).copied()
    }
}

/// A shape with its keys, compared and hashed by content.
struct Content<'t, K> {
    kind: ShapeKind<'t>,
    keys: K,
}

impl<'t, K: Iterator<Item = Key<'t>> + Clone> PartialEq for Content<'t, K> {
    fn eq(&self, other: &Self) -> bool {
        self.kind == other.kind && self.keys.clone().eq(other.keys.clone())
    }
}

impl<'t, K: Iterator<Item = Key<'t>> + Clone> Hash for Content<'t, K> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.kind.hash(state);
        self.keys.clone().for_each(|key| key.hash(state));
    }
}

/// The keys of a stored shape, or keys from elsewhere.
#[derive(Clone)]
enum Keys<'t> {
    Stored(&'t Shapes, std::slice::Iter<'t, StoredKey>),
    Given(std::slice::Iter<'t, Key<'t>>),
}

impl<'t> Iterator for Keys<'t> {
    type Item = Key<'t>;

    fn next(&mut self) -> Option<Key<'t>> {
        match self {
            Keys::Stored(shapes, keys) => keys.next().map(|&key| shapes.lend_key(key)),
            Keys::Given(keys) => keys.next().copied(),
        }
    }
}

impl Shapes {
    /// The empty table, of which there is one.
    pub(crate) fn none() -> Arc<Shapes> {
        static NONE: LazyLock<Arc<Shapes>> = LazyLock::new(Arc::default);
        Arc::clone(&NONE)
    }

    pub(crate) fn len(&self) -> usize {
        self.shapes.len()
    }

    pub(crate) fn symbols_len(&self) -> usize {
        self.symbols.len()
    }

    /// Whether any key of any shape is a symbol.
    pub(crate) fn has_symbol_keys(&self) -> bool {
        self.has_symbol_keys
    }

    /// The section that this whole table makes in a message, as `make` gives it the first time.
    pub(crate) fn section(&self, make: impl FnOnce() -> Vec<u8>) -> &[u8] {
        self.section.get_or_init(|| make().into())
    }

    /// How many keys shape `shape` has.
    #[inline]
    pub(crate) fn keys_len(&self, shape: u32) -> usize {
        self.shapes[shape as usize].keys as usize
    }

    /// The form of an object of this shape, and its number of keys.
    #[inline]
    pub(crate) fn form(&self, shape: u32) -> (ShapeForm, usize) {
        let shape = &self.shapes[shape as usize];
        let form = match shape.kind {
            StoredKind::Derived(..) => ShapeForm::Derived,
            StoredKind::Custom(..) => ShapeForm::Custom,
            _ => ShapeForm::Object,
        };
        (form, shape.keys as usize)
    }

    #[inline]
    pub(crate) fn key(&self, shape: u32, index: usize) -> Key<'_> {
        self.lend_key(self.keys[self.shapes[shape as usize].first_key as usize + index])
    }

    pub(crate) fn keys(&self, shape: u32) -> impl ExactSizeIterator<Item = Key<'_>> + Clone {
        self.stored_keys(shape).iter().map(|&key| self.lend_key(key))
    }

    pub(crate) fn kind(&self, shape: u32) -> ShapeKind<'_> {
        let class = |name, version| ClassRef { name: self.lend(name), version };
        match self.shapes[shape as usize].kind {
            StoredKind::Plain => ShapeKind::Plain,
            StoredKind::NullPrototype => ShapeKind::NullPrototype,
            StoredKind::Class(name, version) => ShapeKind::Class(class(name, version)),
            StoredKind::Derived(name, version) => ShapeKind::Derived(class(name, version)),
            StoredKind::Error(constructor) => ShapeKind::Error(constructor),
            StoredKind::Custom(name, version) => ShapeKind::Custom(class(name, version)),
        }
    }

    pub(crate) fn symbol(&self, index: u32) -> Option<Symbol<'_>> {
        let kind = match *self.symbols.get(index as usize)? {
            StoredSymbol::Unique => SymbolKind::Unique,
            StoredSymbol::Described(text) => SymbolKind::Described(self.lend(text)),
            StoredSymbol::Registered(text) => SymbolKind::Registered(self.lend(text)),
            StoredSymbol::WellKnown(name) => SymbolKind::WellKnown(name),
        };
        Some(Symbol { kind, index })
    }

    /// Adds a symbol, whether or not there is an equal one.
    pub(crate) fn push_symbol(&mut self, kind: SymbolKind<'_>) -> u32 {
        let stored = match kind {
            SymbolKind::Unique => StoredSymbol::Unique,
            SymbolKind::Described(text) => StoredSymbol::Described(self.store(text)),
            SymbolKind::Registered(text) => StoredSymbol::Registered(self.store(text)),
            SymbolKind::WellKnown(name) => StoredSymbol::WellKnown(name),
        };
        self.section.take();
        self.symbols.push(stored);
        self.symbols.len() as u32 - 1
    }

    /// The index of a symbol that exists once, registered or well-known; added if it is not there.
    pub(crate) fn intern_symbol(&mut self, kind: SymbolKind<'_>) -> u32 {
        let mut lookup = std::mem::take(&mut self.by_symbol);
        let found = lookup.find(self.symbols.len(), |i| self.symbol(i as u32).map(|s| s.kind), &Some(kind));
        self.by_symbol = lookup;
        found.unwrap_or_else(|| self.push_symbol(kind))
    }

    /// The shape of this kind with these keys, if there is one.
    pub(crate) fn find(&mut self, kind: ShapeKind<'_>, keys: &[Key<'_>]) -> Option<u32> {
        let mut lookup = std::mem::take(&mut self.by_content);
        let wanted = Content { kind, keys: Keys::Given(keys.iter()) };
        let found = lookup.find(self.shapes.len(), |i| self.content(i), &wanted);
        self.by_content = lookup;
        found
    }

    /// The shape of this kind with these keys, which are in order and distinct; added if it is not there.
    pub(crate) fn intern(&mut self, kind: ShapeKind<'_>, keys: &[Key<'_>]) -> u32 {
        match self.find(kind, keys) {
            Some(shape) => shape,
            None => {
                let shape = self.push(kind);
                keys.iter().for_each(|&key| self.push_key(key));
                shape
            }
        }
    }

    /// Adds a shape without keys, whether or not there is an equal one.
    pub(crate) fn push(&mut self, kind: ShapeKind<'_>) -> u32 {
        let kind = match kind {
            ShapeKind::Plain => StoredKind::Plain,
            ShapeKind::NullPrototype => StoredKind::NullPrototype,
            ShapeKind::Class(class) => StoredKind::Class(self.store(class.name), class.version),
            ShapeKind::Derived(class) => StoredKind::Derived(self.store(class.name), class.version),
            ShapeKind::Error(constructor) => StoredKind::Error(constructor),
            ShapeKind::Custom(class) => StoredKind::Custom(self.store(class.name), class.version),
        };
        self.section.take();
        self.shapes.push(Shape { kind, first_key: self.keys.len() as u32, keys: 0 });
        self.shapes.len() as u32 - 1
    }

    /// Adds a key to the shape that was added last.
    pub(crate) fn push_key(&mut self, key: Key<'_>) {
        let key = match key {
            Key::String(text) => StoredKey::Text(self.store(text)),
            Key::Symbol(index) => {
                self.has_symbol_keys = true;
                StoredKey::Symbol(index)
            }
        };
        self.section.take();
        self.keys.push(key);
        if let Some(shape) = self.shapes.last_mut() {
            shape.keys += 1;
        }
    }

    /// The shape that has one key more than `shape`, at `index`.
    pub(crate) fn with_key(&mut self, shape: u32, index: usize, key: Key<'_>) -> u32 {
        let mut keys = self.stored_keys(shape).to_vec();
        let key = match key {
            Key::String(text) => StoredKey::Text(self.store(text)),
            Key::Symbol(symbol) => {
                self.has_symbol_keys = true;
                StoredKey::Symbol(symbol)
            }
        };
        keys.insert(index, key);
        self.intern_stored(shape, &keys)
    }

    /// The shape that has all keys of `shape` but the one at `index`.
    pub(crate) fn without_key(&mut self, shape: u32, index: usize) -> u32 {
        let mut keys = self.stored_keys(shape).to_vec();
        keys.remove(index);
        self.intern_stored(shape, &keys)
    }

    /// The shape of the same kind as `like` with these keys, whose text stands in the table already.
    fn intern_stored(&mut self, like: u32, keys: &[StoredKey]) -> u32 {
        let mut lookup = std::mem::take(&mut self.by_content);
        let lent: Vec<Key<'_>> = keys.iter().map(|&key| self.lend_key(key)).collect();
        let wanted = Content { kind: self.kind(like), keys: Keys::Given(lent.iter()) };
        let found = lookup.find(self.shapes.len(), |i| self.content(i), &wanted);
        self.by_content = lookup;
        found.unwrap_or_else(|| {
            let shape = Shape {
                kind: self.shapes[like as usize].kind,
                first_key: self.keys.len() as u32,
                keys: keys.len() as u32,
            };
            self.section.take();
            self.keys.extend_from_slice(keys);
            self.shapes.push(shape);
            self.shapes.len() as u32 - 1
        })
    }

    fn content(&self, shape: usize) -> Content<'_, Keys<'_>> {
        let shape = shape as u32;
        Content { kind: self.kind(shape), keys: Keys::Stored(self, self.stored_keys(shape).iter()) }
    }

    /// The index of the first shape that equals one before it.
    pub(crate) fn first_duplicate(&self, distinct: &mut super::Distinct) -> Option<usize> {
        distinct.first_duplicate(self.shapes.len(), |i| self.content(i))
    }

    fn stored_keys(&self, shape: u32) -> &[StoredKey] {
        let Shape { first_key, keys, .. } = self.shapes[shape as usize];
        &self.keys[first_key as usize..(first_key + keys) as usize]
    }

    #[inline]
    fn lend_key(&self, key: StoredKey) -> Key<'_> {
        match key {
            StoredKey::Text(text) => Key::String(self.lend(text)),
            StoredKey::Symbol(index) => Key::Symbol(index),
        }
    }

    #[inline]
    fn lend(&self, text: StoredText) -> JsStr<'_> {
        let range = text.at as usize..text.at as usize + text.len as usize;
        if text.utf16 { JsStr::utf16(&self.units[range]) } else { JsStr::utf8(&self.text[range]) }
    }

    fn store(&mut self, text: JsStr<'_>) -> StoredText {
        match (text.as_str(), text.as_utf16()) {
            (_, Some(units)) => {
                let at = self.units.len() as u32;
                self.units.extend_from_slice(units);
                StoredText { utf16: true, at, len: units.len() as u32 }
            }
            (text, None) => {
                let text = text.unwrap_or_default();
                let at = self.text.len() as u32;
                self.text.push_str(text);
                StoredText { utf16: false, at, len: text.len() as u32 }
            }
        }
    }
}

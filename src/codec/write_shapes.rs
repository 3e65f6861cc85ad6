//! Writing the shapes section: each shape and symbol when it is first used (`spec/format.md`, sections 6 and 9).

use std::borrow::Cow;
use std::hash::{BuildHasher, Hash, Hasher};
use std::num::NonZeroU32;

use foldhash::fast::RandomState;
use hashbrown::HashTable;

use crate::graph::{
    ClassRef, Graph, JsStr, Key, MAX_PLAIN_SHAPES, Node, NodeId, ShapeKind, Symbol, SymbolKind, may_shape,
};
use crate::wire::{shapes, varint};

/// Numbers shapes and symbols in the order of first use, and collects their section.
#[derive(Default)]
pub(super) struct ShapeWriter {
    /// By shape of the graph.
    numbers: Vec<Option<Numbered>>,
    /// By symbol of the graph: number + 1, or 0 for one not yet used.
    symbol_numbers: Vec<u32>,
    /// What each numbered shape was made from, and the index of each numbered symbol.
    sources: Vec<Source>,
    symbols: Vec<u32>,
    /// Finds a numbered shape by content. Only objects that are dictionaries in the graph need it.
    by_content: Option<HashTable<u32>>,
    state: RandomState,
    /// A key is a symbol of another graph.
    pub(super) has_unknown_symbol: bool,
}

/// A shape that has been used.
#[derive(Clone, Copy)]
pub(super) struct Numbered {
    /// One more than the number, so that one that is not there takes no more than a register.
    after: NonZeroU32,
    pub(super) keys: u32,
}

impl Numbered {
    #[inline]
    pub(super) fn number(self) -> u32 {
        self.after.get() - 1
    }
}

#[derive(Clone, Copy)]
pub(super) enum Source {
    Shape(u32),
    Dictionary(NodeId),
}

impl ShapeWriter {
    /// Empties it for a graph; all its functions are for that graph from then on.
    #[inline]
    pub(super) fn begin(&mut self, graph: &Graph<'_>) {
        self.numbers.clear();
        self.numbers.resize(graph.shapes.len(), None);
        self.symbol_numbers.clear();
        self.symbol_numbers.resize(graph.shapes.symbols_len(), 0);
        self.sources.clear();
        self.symbols.clear();
        self.by_content = None;
        self.has_unknown_symbol = false;
    }

    /// The largest capacity of its buffers.
    pub(super) fn largest(&self) -> usize {
        let symbols = self.symbol_numbers.capacity().max(self.symbols.capacity());
        self.numbers.capacity().max(self.sources.capacity()).max(symbols)
    }

    /// The number of a shape of the graph; `None` where the object is written as a dictionary.
    #[inline]
    pub(super) fn number(&mut self, graph: &Graph<'_>, shape: u32) -> Option<Numbered> {
        match self.numbers[shape as usize] {
            None => self.first_use(graph, shape),
            numbered => numbered,
        }
    }

    #[inline(never)]
    fn first_use(&mut self, graph: &Graph<'_>, shape: u32) -> Option<Numbered> {
        let number = self.number_of(graph, Source::Shape(shape))?;
        let keys = graph.shapes.keys_len(shape) as u32;
        self.numbers[shape as usize] = NonZeroU32::new(number + 1).map(|after| Numbered { after, keys });
        self.numbers[shape as usize]
    }

    /// The number of the shape that a dictionary's keys make; `None` where it is written as the dictionary that it is.
    pub(super) fn number_of_dictionary(&mut self, graph: &Graph<'_>, node: NodeId) -> Option<u32> {
        if self.by_content.is_none()
            && may_shape(self.kind(graph, Source::Dictionary(node)), self.len(graph, Source::Dictionary(node)))
        {
            let mut table = HashTable::with_capacity(self.sources.len());
            for (number, &source) in self.sources.iter().enumerate() {
                table.insert_unique(self.hash(graph, source), number as u32, |&n| {
                    self.hash(graph, self.sources[n as usize])
                });
            }
            self.by_content = Some(table);
        }
        self.number_of(graph, Source::Dictionary(node))
    }

    /// The number of a symbol of the graph.
    pub(super) fn symbol(&mut self, index: u32) -> Option<u32> {
        let number = self.symbol_numbers.get_mut(index as usize)?;
        if *number == 0 {
            self.symbols.push(index);
            *number = self.symbols.len() as u32;
        }
        Some(*number - 1)
    }

    /// The section; empty where there is none.
    pub(super) fn section<'g>(&self, graph: &'g Graph<'_>) -> Cow<'g, [u8]> {
        if self.symbols.is_empty() && self.sources.is_empty() {
            return Cow::Borrowed(&[]);
        }
        let table = &graph.shapes;
        let in_order =
            |(number, source): (usize, &Source)| matches!(*source, Source::Shape(shape) if shape as usize == number);
        let is_whole = self.sources.len() == table.len() && self.symbols.len() == table.symbols_len();
        if is_whole && self.sources.iter().enumerate().all(in_order) && self.symbols.is_sorted() {
            // The table as it stands, which many messages may share.
            return Cow::Borrowed(table.section(|| self.build_section(graph)));
        }
        Cow::Owned(self.build_section(graph))
    }

    fn build_section(&self, graph: &Graph<'_>) -> Vec<u8> {
        let mut out = Vec::new();
        varint::write(&mut out, self.symbols.len() as u64);
        for &index in &self.symbols {
            let kind = graph.shapes.symbol(index).map_or(SymbolKind::Unique, Symbol::kind);
            let (code, text) = match kind {
                SymbolKind::Unique => (0, None),
                SymbolKind::Described(text) => (1, Some(text)),
                SymbolKind::Registered(text) => (2, Some(text)),
                SymbolKind::WellKnown(symbol) => (3, Some(JsStr::from(symbol.name()))),
            };
            out.push(code);
            text.inspect(|&text| write_text(&mut out, text));
        }
        varint::write(&mut out, self.sources.len() as u64);
        self.sources.iter().for_each(|&source| self.write_shape(graph, &mut out, source));
        out
    }

    fn write_shape(&self, graph: &Graph<'_>, out: &mut Vec<u8>, source: Source) {
        match self.kind(graph, source) {
            ShapeKind::Plain => out.push(shapes::PLAIN),
            ShapeKind::NullPrototype => out.push(shapes::NULL_PROTOTYPE),
            ShapeKind::Class(class) => write_class(out, shapes::CLASS, class),
            ShapeKind::Derived(class) => write_class(out, shapes::DERIVED, class),
            ShapeKind::Error(constructor) => out.extend([shapes::ERROR, constructor as u8]),
            ShapeKind::Custom(class) => return write_class(out, shapes::CUSTOM, class),
        }
        let n = self.len(graph, source);
        varint::write(out, n as u64);
        for i in 0..n {
            match self.key(graph, source, i) {
                Key::String(text) => write_text(out, text),
                Key::Symbol(index) => {
                    let number = self.symbol_numbers.get(index as usize).map_or(0, |number| number.saturating_sub(1));
                    shapes::symbol(out, number);
                }
            }
        }
    }

    fn number_of(&mut self, graph: &Graph<'_>, source: Source) -> Option<u32> {
        let kind = self.kind(graph, source);
        if !may_shape(kind, self.len(graph, source)) {
            return None;
        }
        if let Some(table) = &self.by_content {
            let same = |&n: &u32| self.is_same(graph, self.sources[n as usize], source);
            if let Some(&number) = table.find(self.hash(graph, source), same) {
                return Some(number);
            }
        }
        let is_plain = matches!(kind, ShapeKind::Plain | ShapeKind::NullPrototype);
        if is_plain && self.sources.len() >= MAX_PLAIN_SHAPES {
            return None;
        }
        Some(self.add(graph, source))
    }

    fn add(&mut self, graph: &Graph<'_>, source: Source) -> u32 {
        let number = self.sources.len() as u32;
        let hash = self.by_content.is_some().then(|| self.hash(graph, source));
        self.sources.push(source);
        if let (Some(hash), Some(mut table)) = (hash, self.by_content.take()) {
            table.insert_unique(hash, number, |&n| self.hash(graph, self.sources[n as usize]));
            self.by_content = Some(table);
        }
        // Symbols are numbered when they are first used, so before what follows; the rest of the shape can wait.
        let may_have_symbols = graph.shapes.has_symbol_keys() || matches!(source, Source::Dictionary(_));
        for i in 0..if may_have_symbols { self.len(graph, source) } else { 0 } {
            if let Key::Symbol(index) = self.key(graph, source, i) {
                self.has_unknown_symbol |= self.symbol(index).is_none();
            }
        }
        number
    }

    fn kind<'g>(&self, graph: &'g Graph<'_>, source: Source) -> ShapeKind<'g> {
        match source {
            Source::Shape(shape) => graph.shapes.kind(shape),
            Source::Dictionary(id) => match graph.node(id) {
                Some(Node::NullDictionary(_)) => ShapeKind::NullPrototype,
                _ => ShapeKind::Plain,
            },
        }
    }

    fn len(&self, graph: &Graph<'_>, source: Source) -> usize {
        match source {
            Source::Shape(shape) => graph.shapes.keys_len(shape),
            Source::Dictionary(id) => graph.node(id).map_or(0, |node| graph.values_of(node).count),
        }
    }

    fn key<'g>(&self, graph: &'g Graph<'_>, source: Source, index: usize) -> Key<'g> {
        match source {
            Source::Shape(shape) => graph.shapes.key(shape, index),
            Source::Dictionary(id) => match graph.node(id).and_then(|node| graph.properties_of(node)) {
                Some(properties) => graph.property_key(properties, index),
                None => Key::String(JsStr::from("")),
            },
        }
    }

    fn hash(&self, graph: &Graph<'_>, source: Source) -> u64 {
        let mut hasher = self.state.build_hasher();
        self.kind(graph, source).hash(&mut hasher);
        (0..self.len(graph, source)).for_each(|i| self.key(graph, source, i).hash(&mut hasher));
        hasher.finish()
    }

    fn is_same(&self, graph: &Graph<'_>, a: Source, b: Source) -> bool {
        self.kind(graph, a) == self.kind(graph, b)
            && self.len(graph, a) == self.len(graph, b)
            && (0..self.len(graph, a)).all(|i| self.key(graph, a, i) == self.key(graph, b, i))
    }
}

fn write_class(out: &mut Vec<u8>, code: u8, class: ClassRef<'_>) {
    out.push(code);
    write_text(out, class.name());
    varint::write(out, u64::from(class.version()));
}

/// A string of this section.
fn write_text(out: &mut Vec<u8>, text: JsStr<'_>) {
    match (text.as_str(), text.as_utf16()) {
        (_, Some(units)) => shapes::utf16(out, units),
        (utf8, None) => shapes::utf8(out, utf8.unwrap_or_default()),
    }
}

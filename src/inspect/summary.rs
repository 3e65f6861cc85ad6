//! What a message consists of: bytes by section, values and bytes by kind, uses of each shape.

use crate::wire::tag;

/// What a message consists of.
#[derive(Debug, Clone, Default)]
pub struct Summary {
    bytes: usize,
    sections: Vec<(&'static str, usize)>,
    kinds: [(u64, u64); KINDS.len()],
    shapes: Vec<u64>,
    /// Uses of each shape are counted by index; what it looks like is kept with it.
    names: Vec<String>,
}

/// How much of a message is of one kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Share {
    /// The kind of value.
    pub name: &'static str,
    /// How many values are of it.
    pub values: u64,
    /// Bytes of the structure, the text and the data that they take, without what they hold.
    pub bytes: u64,
}

/// How often a shape is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ShapeUse<'s> {
    /// The shape's index.
    pub index: usize,
    /// Its kind and keys.
    pub description: &'s str,
    /// How many objects have it.
    pub objects: u64,
}

/// The kinds of value that are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Counted {
    Integer,
    Float,
    BigInt,
    String,
    Symbol,
    Simple,
    Array,
    PackedArray,
    Records,
    SparseArray,
    Object,
    Instance,
    Error,
    Custom,
    Dictionary,
    Map,
    Set,
    Date,
    RegExp,
    Boxed,
    Buffer,
    TypedArray,
    View,
    Reference,
}

const KINDS: [&str; 24] = [
    "integers",
    "floats",
    "BigInts",
    "strings",
    "symbols",
    "null, undefined, booleans",
    "arrays",
    "packed arrays",
    "arrays of records",
    "arrays with holes or properties",
    "objects",
    "class instances",
    "errors",
    "custom values",
    "dictionaries",
    "Maps",
    "Sets",
    "Dates",
    "RegExps",
    "wrapper objects",
    "ArrayBuffers",
    "typed arrays",
    "views",
    "references",
];

impl Counted {
    /// The kind of value that a tag opens; what an object is, its shape says.
    pub(super) fn of(tag: u8) -> Counted {
        match tag {
            ..=tag::INT_MAX | tag::U8..=tag::I32 => Counted::Integer,
            ..tag::ARRAY | tag::STRING_LONG | tag::STRING_UTF16 | tag::INTERN | tag::INTERNED => Counted::String,
            ..tag::OBJECT | tag::ARRAY_LONG => Counted::Array,
            tag::NULL..=tag::TRUE => Counted::Simple,
            tag::F32 | tag::F64 => Counted::Float,
            tag::BIGINT | tag::BIGINT_NEGATIVE => Counted::BigInt,
            tag::ARRAY_SPARSE => Counted::SparseArray,
            tag::ARRAY_PACKED => Counted::PackedArray,
            tag::RECORDS => Counted::Records,
            tag::DICTIONARY | tag::DICTIONARY_NULL => Counted::Dictionary,
            tag::MAP => Counted::Map,
            tag::SET => Counted::Set,
            tag::DATE => Counted::Date,
            tag::REGEXP => Counted::RegExp,
            tag::SYMBOL => Counted::Symbol,
            tag::BOXED => Counted::Boxed,
            tag::BUFFER | tag::BUFFER_RESIZABLE => Counted::Buffer,
            tag::TYPED_ARRAY => Counted::TypedArray,
            tag::VIEW => Counted::View,
            tag::REFERENCE => Counted::Reference,
            _ => Counted::Object,
        }
    }
}

impl Summary {
    pub(super) fn of(bytes: usize) -> Self {
        Summary { bytes, ..Summary::default() }
    }

    pub(super) fn section(&mut self, name: &'static str, bytes: usize) {
        if bytes > 0 {
            self.sections.push((name, bytes));
        }
    }

    pub(super) fn shape(&mut self) {
        self.shapes.push(0);
    }

    pub(super) fn use_shape(&mut self, index: usize, describe: impl FnOnce() -> String) {
        if let Some(uses) = self.shapes.get_mut(index) {
            *uses += 1;
            if *uses == 1 {
                self.names.resize(self.shapes.len(), String::new());
                self.names[index] = describe();
            }
        }
    }

    #[inline]
    pub(super) fn count(&mut self, kind: Counted, values: u64, bytes: u64) {
        let (all_values, all_bytes) = &mut self.kinds[kind as usize];
        *all_values += values;
        *all_bytes += bytes;
    }

    /// Bytes of the whole input.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// The sections and their bytes, in their order.
    pub fn sections(&self) -> &[(&'static str, usize)] {
        &self.sections
    }

    /// The kinds of value that occur, those that take the most bytes first.
    pub fn kinds(&self) -> Vec<Share> {
        let share = |(&name, &(values, bytes)): (&&'static str, &(u64, u64))| Share { name, values, bytes };
        let mut shares: Vec<Share> =
            KINDS.iter().zip(&self.kinds).map(share).filter(|share| share.values > 0).collect();
        shares.sort_by_key(|share| std::cmp::Reverse(share.bytes));
        shares
    }

    /// The shapes that are used, the most used first.
    pub fn shapes(&self) -> Vec<ShapeUse<'_>> {
        let with_names = self.shapes.iter().zip(&self.names).enumerate();
        let mut uses: Vec<ShapeUse<'_>> = with_names
            .map(|(index, (&objects, description))| ShapeUse { index, description, objects })
            .filter(|shape| shape.objects > 0)
            .collect();
        uses.sort_by_key(|shape| std::cmp::Reverse(shape.objects));
        uses
    }
}

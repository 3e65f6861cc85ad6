//! One line: a few bytes and what they mean.

use crate::graph::ErrorConstructor;
use crate::{ElementKind, JsStr};

/// Some bytes of a message and what they mean. The meaning is what it displays.
#[derive(Debug, Clone, Copy)]
pub struct Line<'a> {
    pub(super) offset: usize,
    pub(super) bytes: &'a [u8],
    pub(super) depth: usize,
    pub(super) label: Label<'a>,
    pub(super) what: What<'a>,
}

impl<'a> Line<'a> {
    /// Where the bytes begin, from the start of the message.
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// The bytes; none for the heading of a section whose bytes follow line by line.
    pub fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// How many containers the value is in; a section's lines are one deeper than its heading.
    pub fn depth(&self) -> usize {
        self.depth
    }

    /// Whether the line opens a section.
    pub fn is_heading(&self) -> bool {
        matches!(self.what, What::Section(..))
    }
}

/// What a value is to its container.
#[derive(Debug, Clone, Copy)]
pub(super) enum Label<'a> {
    None,
    Index(u64),
    Name(JsStr<'a>),
    Symbol(u64),
    Fixed(&'static str),
    Numbered(&'static str, u64),
}

#[derive(Debug, Clone, Copy)]
pub(super) enum What<'a> {
    Section(&'static str, u64),
    Fixed(&'static str),
    Version(u8),
    Flags(u8),
    Length(&'static str, u64),
    /// How many of something follow.
    Count(u64, &'static str),
    /// Something's number: `lastIndex 3`.
    Number(&'static str, u64),
    Symbol {
        kind: u8,
        text: JsStr<'a>,
    },
    Shape {
        kind: u8,
        name: JsStr<'a>,
        version: u64,
        error: Option<ErrorConstructor>,
        keys: u64,
    },
    Key(JsStr<'a>),
    SymbolKey(u64),
    Integer(i64),
    Float(f64),
    BigInt {
        negative: bool,
        magnitude: &'a [u8],
    },
    Text {
        form: &'static str,
        text: JsStr<'a>,
    },
    Interned {
        id: u64,
        text: Option<JsStr<'a>>,
    },
    SymbolValue(u64),
    Reference(u64),
    /// A container: what it is, how many it holds, its identity.
    Open {
        name: &'static str,
        count: Option<u64>,
        identity: u64,
    },
    Object {
        shape: u64,
        name: JsStr<'a>,
        identity: u64,
    },
    Records {
        n: u64,
        /// Of one record.
        values: usize,
        bytes: usize,
        at: usize,
        identity: u64,
    },
    Payload {
        name: &'static str,
        kind: Option<ElementKind>,
        n: u64,
        at: usize,
        identity: u64,
    },
    Resizable {
        n: u64,
        max: u64,
        at: usize,
        identity: u64,
    },
    View {
        kind: ElementKind,
        identity: u64,
    },
    Date {
        ms: f64,
        identity: u64,
    },
    RegExp {
        flags: u8,
        identity: u64,
    },
    Sparse {
        length: u64,
        present: u64,
        identity: u64,
    },
}

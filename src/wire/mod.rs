//! Bytes: tags, varints, the header and its sections, bounded reading, writing.
//!
//! Knows how a message is laid out (`spec/format.md`, sections 1 to 3), and no values.

pub(crate) mod copy;
pub(crate) mod element;
pub(crate) mod header;
pub(crate) mod index;
pub(crate) mod item;
pub(crate) mod layout;
pub(crate) mod message;
pub(crate) mod reader;
pub(crate) mod runs;
pub(crate) mod shape_list;
pub(crate) mod shapes;
pub(crate) mod splice;
pub(crate) mod structure;
pub(crate) mod tag;
pub(crate) mod varint;

pub use element::ElementKind;
pub(crate) use header::{Header, Sections};
pub(crate) use reader::Reader;

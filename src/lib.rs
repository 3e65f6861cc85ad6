//! Marshal
#![forbid(unsafe_code)]

mod codec;
mod error;
mod graph;
mod marshal;
mod wire;

pub use codec::{DecodeOptions, Decoder, EncodeOptions, Encoder};
pub use error::{Error, ErrorKind};
#[doc(hidden)]
pub use graph::Interpolate;
pub use graph::{
    BufferRef, ClassRef, Cursor, Element, Elements, ErrorConstructor, Graph, JsBigInt, JsStr, Kind, NodeId, Printer,
    Property, PropertyKey, RegExpFlags, RegExpRef, Symbol, SymbolId, SymbolKind, Value, ViewRef, WellKnown,
};
pub use marshal::Marshal;
pub use wire::ElementKind;

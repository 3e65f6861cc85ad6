//! Marshal
#![forbid(unsafe_code)]

mod error;
mod graph;
#[cfg(feature = "json")]
pub mod json;
mod wire;

pub use error::{Error, ErrorKind};
#[doc(hidden)]
pub use graph::Interpolate;
pub use graph::{
    BufferRef, ClassRef, Cursor, Element, Elements, ErrorConstructor, Graph, JsBigInt, JsStr, Kind, NodeId, Printer,
    Property, PropertyKey, RegExpFlags, RegExpRef, Symbol, SymbolId, SymbolKind, Value, ViewRef, WellKnown,
};
pub use wire::ElementKind;

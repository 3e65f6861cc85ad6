//! Marshal
#![forbid(unsafe_code)]

pub mod class;
mod codec;
mod error;
mod graph;
mod marshal;
mod wire;

#[cfg(feature = "derive")]
pub use js_marshal_derive::{Class, class_trait};
pub use class::{Class, Classes, Shared, SyncShared, SyncWeak, Weak};
pub use codec::{DecodeOptions, Decoder, EncodeOptions, Encoder};
pub use error::{Error, ErrorKind};
#[doc(hidden)]
pub use graph::Interpolate;
pub use graph::{
    BufferRef, ClassRef, Cursor, Element, Elements, ErrorConstructor, Graph, JsBigInt, JsStr, Kind, NodeId, Printer,
    Property, PropertyKey, RegExpFlags, RegExpRef, Symbol, SymbolId, SymbolKind, Value, ViewRef, WellKnown,
};
pub use marshal::{DeepClone, Marshal};
pub use wire::ElementKind;

//! Turns a live JavaScript-shaped value into bytes and back: identity, cycles and every built-in kind kept.
//!
//! JSON loses most of what a program holds: `undefined`, BigInt, Date, Map, cycles, class instances, typed arrays.
//! Marshal writes all of it to one documented binary format (`spec/format.md`), which any language can read, and reads
//! it back without losing, crashing on, or believing anything.
//!
//! # A tour
//!
//! **Write a value down and send it.** [`js!`] reads like JavaScript; [`Marshal`] is the facade.
//!
//! ```
//! use marshal::{Marshal, js};
//!
//! let state = js!({ user: "Ada", seen: Set["a", "b"], at: Date(1.7e12), re: RegExp("[a-z]+", "gi"), xs: Float64Array[1.0, 2.5] });
//! let bytes = Marshal::encode(&state)?;
//! assert_eq!(Marshal::decode(&bytes)?, state);
//! # Ok::<(), marshal::Error>(())
//! ```
//!
//! **Read it.** A [`Graph`] is an arena; a [`Cursor`] is a place in it. A decoded graph borrows text and buffers from
//! the message, so decoding allocates a handful of times in all.
//!
//! ```
//! # use marshal::{Marshal, js};
//! # let bytes = Marshal::encode(&js!({ users: [{ name: "Ada" }] }))?;
//! let graph = Marshal::decode(&bytes)?;
//! let name = || graph.root().get("users")?.at(0)?.get("name")?.as_str();
//! assert_eq!(name(), Some("Ada"));
//! # Ok::<(), marshal::Error>(())
//! ```
//!
//! **Build and change it.** Handles ([`Value`]) are copied freely, and a cycle is an assignment.
//!
//! ```
//! use marshal::{Graph, Marshal, Value};
//!
//! let mut graph = Graph::new();
//! let me = graph.object([("n", Value::from(1))]);
//! graph.set(me, "self", me)?;
//! graph.set_root(me);
//! assert_eq!(graph.to_string(), "&1 {n: 1, self: *1}");
//! assert_eq!(Marshal::decode(&Marshal::encode(&graph)?)?, graph);
//! # Ok::<(), marshal::Error>(())
//! ```
//!
//! **Clone it.** [`Marshal::deep_clone`] copies a few flat vectors.
//!
//! **Meet classes without knowing them.** An instance keeps name, version and fields, and is written back unchanged.
//!
//! ```
//! use marshal::{Marshal, js};
//!
//! let bytes = Marshal::encode(&js!([User{ name: "Ada" }]))?;
//! let graph = Marshal::decode(&bytes)?;
//! let user = graph.root().at(0).unwrap();
//! assert_eq!(user.class().unwrap().name(), "User");
//! assert_eq!(Marshal::encode(&graph)?, bytes);
//! # Ok::<(), marshal::Error>(())
//! ```
//!
//! **Trust nothing.** Bad input gets an [`Error`] with its kind, byte offset and path; nothing partial comes back.
//! No input makes the library panic, recurse, hang, or allocate more than a fixed multiple of its size.
//!
//! ```
//! use marshal::{ErrorKind, Marshal, js};
//!
//! let mut bytes = Marshal::encode(&js!({ user: { born: Date(0) } }))?;
//! let last = bytes.len() - 1;
//! bytes[last] = 0x7F; // 1.79e308 milliseconds
//! let error = Marshal::decode(&bytes).unwrap_err();
//! assert_eq!((error.kind(), error.path()), (ErrorKind::BadDate, Some("$.user.born")));
//! # Ok::<(), marshal::Error>(())
//! ```
//!
//! **Do it in slices.** [`Encoder`] and [`Decoder`] stop after any number of steps and go on.
//!
//! **Read a part.** [`Lazy`] reads one value of a message, by path or by name, and nothing else: as a graph, a class
//! value, or a type that serde knows.
//!
//! **Keep it.** `Snapshot` (feature `snapshot`) saves any of these to disk so that a kill, a power cut or a flipped bit
//! never costs more than the save that it hit. `Remote` (feature `remote`) saves it to an object store.
//!
//! **Bring what you have.** [`json`] reads and writes JSON; [`original`] reads the archives of the original library.
//!
//! **Use your own types.** [`serde`] writes and reads whatever derives `Serialize` and `Deserialize`, with the names of
//! serde's other formats: [`to_vec`], [`to_writer`], [`from_slice`], [`from_reader`].
//!
//! **Keep identity in your own types.** [`class`]: shared pointers, cycles and trait objects, restored through a registry of
//! constructors.
//!
//! # Features
//!
//! | feature | default | what it brings |
//! | --- | --- | --- |
//! | `derive` | yes | `#[derive(Class)]` and `#[class_trait]` |
//! | `json` | yes | [`json`]: JSON in and out of a graph |
//! | `serde` | yes | [`serde`]: Rust types in and out of a message |
//! | `compress` | no | `compress`: zstd, lz4, gzip, deflate and brotli over any bytes |
//! | `chrono`, `jiff`, `time` | no | their moments as Dates ([`serde::date`](mod@serde::date)), also as fields of classes |
//! | `rust_decimal`, `url`, `uuid` | no | decimals, URLs and UUIDs as fields of classes |
//! | `snapshot` | no | `Snapshot`: messages on disk that survive kills, power cuts and flipped bits |
//! | `remote` | no | `Remote`: the same in an object store, through the crate `object_store`, which is re-exported |
#![forbid(unsafe_code)]
// What only some of the features need stays in a build without them; the build with all of them is checked in full.
#![cfg_attr(
    not(all(feature = "derive", feature = "json", feature = "serde", feature = "snapshot")),
    allow(dead_code, unused_imports)
)]

pub mod class;
mod codec;
#[cfg(feature = "compress")]
pub mod compress;
mod error;
mod graph;
pub mod inspect;
#[cfg(feature = "json")]
pub mod json;
mod lazy;
mod marshal;
mod moment;
pub mod original;
#[cfg(feature = "serde")]
pub mod serde;
#[cfg(feature = "snapshot")]
mod snapshot;
#[cfg(test)]
mod spec_tests;
mod wire;

pub use class::{Class, Classes, Shared, SyncShared, SyncWeak, Weak};
pub use codec::{DecodeOptions, Decoder, EncodeOptions, Encoder};
pub use error::{Error, ErrorKind};
#[doc(hidden)]
pub use graph::Interpolate;
pub use graph::{
    BufferRef, ClassRef, Cursor, Element, Elements, ErrorConstructor, Graph, JsBigInt, JsStr, Kind, NodeId, Printer,
    Property, PropertyKey, RegExpFlags, RegExpRef, Symbol, SymbolId, SymbolKind, Value, ViewRef, WellKnown,
};
#[cfg(feature = "derive")]
pub use js_marshal_derive::{Class, class_trait};
pub use lazy::{Lazy, LazyCursor, LazyProperty};
pub use marshal::{DeepClone, Marshal};
#[cfg(feature = "remote")]
pub use object_store;
#[cfg(feature = "serde")]
pub use serde::{
    DeserializeOptions, Deserializer, SerializeOptions, Serializer, from_reader, from_reader_with, from_slice,
    from_slice_with, to_vec, to_vec_with, to_writer, to_writer_with,
};
#[cfg(all(feature = "snapshot", feature = "serde"))]
pub use snapshot::Serde;
#[cfg(feature = "snapshot")]
pub use snapshot::{Encoded, LoadOptions, Metadata, OpenSnapshot, SaveOptions, Saving, Snapshot, Sync, ToMessage};
#[cfg(feature = "remote")]
pub use snapshot::{OpenRemote, Remote, RemoteVersion};
pub use wire::ElementKind;

/// The page in the README works when pasted.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

//! Any `Serialize` and `Deserialize` type to a message and back, without a graph in between.
//!
//! The calls are at the crate's root and named as in serde's other formats: [`to_vec`],
//! [`to_writer`], [`from_slice`], [`from_reader`]. The bytes need
//! no schema: [`Marshal::decode`](crate::Marshal::decode) and every other reader of the format understand them.
//!
//! ```
//! use marshal::{Marshal, from_slice, serde::Date, to_vec};
//! use serde::{Deserialize, Serialize};
//!
//! #[derive(Serialize, Deserialize, PartialEq, Debug)]
//! struct User { name: String, joined: Date, tags: Vec<String> }
//!
//! let user = User { name: "Ada".into(), joined: Date::from_ms(0.0).unwrap(), tags: vec!["admin".into()] };
//! let bytes = to_vec(&user)?;
//! assert_eq!(Marshal::decode(&bytes)?.to_string(), r#"{name: "Ada", joined: Date(0), tags: ["admin"]}"#);
//! assert_eq!(from_slice::<User>(&bytes)?, user);
//! # Ok::<(), marshal::Error>(())
//! ```
//!
//! # What becomes what
//!
//! | Rust | JavaScript |
//! | --- | --- |
//! | integers | numbers up to 2⁵³ in magnitude, BigInts beyond |
//! | `f32`, `f64` | numbers, written as floats |
//! | `char`, `str` | strings |
//! | bytes (`serde_bytes`) | `Uint8Array` |
//! | `None`, `()`, unit structs | `null`; `undefined` is read as it too, and [`Undefined`] writes it |
//! | newtype structs | what is in them |
//! | tuples, sequences | arrays; from 8 numbers of one kind on (not of 64 bits) packed arrays; from 8 structs or tuples on that are numbers and booleans alone, each as the first, arrays of records |
//! | maps | objects where all keys are strings, in the order of an object's keys; else `Map`s ([`map`] always) |
//! | structs | objects |
//! | enums | `"Unit"`, `{Newtype: …}`, `{Tuple: […]}`, `{Struct: {…}}` |
//!
//! Reading takes any form that holds the value exactly: `7`, `7.0` and `7n` are all a `u8`, a `Float64Array` of whole
//! numbers is a `Vec<u32>`, a `Set` is a sequence, an instance of a class is a struct. What does not fit is an error with
//! the value, its path and its offset. (A float is read into an `f32` by rounding, as everywhere.)
//!
//! The kinds that serde has no word for have types and `with` modules here: [`Date`] and [`mod@date`] (for the moments of
//! std, chrono, jiff and time), [`RegExp`], [`BigInt`], [`Undefined`], [`TypedArray`] and [`typed_array`],
//! [`array_buffer`], [`map`], [`set`]. A [`Graph`](crate::Graph) can be
//! a field, and [`Raw`] passes a part of a message through.
//!
//! # What serde can't carry
//!
//! Rust's types are trees for serde. A value that is shared in the message is read once for each place, against a budget
//! ([`DeserializeOptions::max_expansion`]); a cycle is an error. Two keys that are equal are an error when written; when
//! read, a struct refuses them and a map keeps the last.
//!
//! A value has to serialize itself the same way each time it is asked: an element of a sequence may be asked twice, the
//! first because it is looked at before it is written, others where they are not of the kind of those before them. (A
//! wrapper that gives an iterator away once is collected first.) A type that does not fit is read twice too, so that only
//! errors that come to the surface are put into words.
//!
//! The same program's messages repeat their shapes, so the shapes and the memory of the last call on a thread are kept
//! for the next: at most 16 MiB and 64 KiB.

mod access;
mod bits;
mod compound;
mod dates;
mod de;
mod error;
mod fields;
mod key;
mod kinds;
mod lazy;
mod number;
mod options;
mod other;
mod pack;
mod part;
mod records;
mod run;
mod ser;
mod settle;
mod special;
mod structs;
mod tracks;
mod visit;

pub use dates::{Date, date};
pub use de::Deserializer;
pub use kinds::{BigInt, RegExp, TypedArray, Undefined, array_buffer, map, set, typed_array};
pub use options::{DeserializeOptions, SerializeOptions};
pub use part::Raw;
pub use run::{
    from_reader, from_reader_with, from_slice, from_slice_with, to_vec, to_vec_with, to_writer, to_writer_with,
};
pub use ser::Serializer;

//! The calls: from a value to bytes and back.

use std::cell::Cell;
use std::io::{Read, Write};

use serde::Serialize;
use serde::de::{Deserialize, DeserializeOwned};

use super::de::Deserializer;
use super::error::{Words, io, surfaced};
use super::options::{DeserializeOptions, SerializeOptions};
use super::ser::Serializer;
use crate::error::Error;
use crate::wire::shape_list::ShapeList;

/// Bytes of memory of a serializer that are kept for the next call on its thread; what took more gives all of it back.
const MAX_KEPT: usize = 16 << 20;
/// Bytes of shapes that are.
const MAX_KEPT_SHAPES: usize = 1 << 16;

thread_local! {
    /// The serializer of the last call: its memory, and the shapes that it knows.
    static SERIALIZER: Cell<Option<Box<Serializer>>> = const { Cell::new(None) };
    /// The shapes of the last message that was read.
    static SHAPES: Cell<Option<Box<ShapeList>>> = const { Cell::new(None) };
}

/// Serializes a value to a message.
///
/// # Examples
///
/// ```
/// use serde::Serialize;
///
/// #[derive(Serialize)]
/// struct User<'a> { name: &'a str, age: u8 }
///
/// let bytes = marshal::to_vec(&User { name: "Ada", age: 36 })?;
/// let graph = marshal::Marshal::decode(&bytes)?;
/// assert_eq!(graph.to_string(), r#"{name: "Ada", age: 36}"#);
/// # Ok::<(), marshal::Error>(())
/// ```
///
/// # Errors
///
/// What the type's `Serialize` says; `limit-exceeded` beyond 128 containers in one another; `duplicate-key` where a map
/// or struct writes a key twice. Each with the path.
pub fn to_vec<T: ?Sized + Serialize>(value: &T) -> Result<Vec<u8>, Error> {
    to_vec_with(value, &SerializeOptions::new())
}

/// Serializes with [options](SerializeOptions).
///
/// # Errors
///
/// Those of [`to_vec`].
pub fn to_vec_with<T: ?Sized + Serialize>(value: &T, options: &SerializeOptions) -> Result<Vec<u8>, Error> {
    serialized(value, options, |serializer| {
        let mut out = Vec::with_capacity(serializer.message.len());
        serializer.message.append_to(&mut out);
        Ok(out)
    })
}

/// Serializes a value to a writer. Nothing is written before the value is complete.
///
/// # Examples
///
/// ```
/// let mut out = Vec::with_capacity(64);
/// marshal::to_writer(&mut out, &["a", "b"])?;
/// assert_eq!(out, marshal::to_vec(&["a", "b"])?);
/// # Ok::<(), marshal::Error>(())
/// ```
///
/// # Errors
///
/// Those of [`to_vec`], and `io` where the writer fails.
pub fn to_writer<W: Write, T: ?Sized + Serialize>(writer: W, value: &T) -> Result<(), Error> {
    to_writer_with(writer, value, &SerializeOptions::new())
}

/// Serializes to a writer with [options](SerializeOptions).
///
/// # Errors
///
/// Those of [`to_writer`].
pub fn to_writer_with<W: Write, T: ?Sized + Serialize>(
    mut writer: W,
    value: &T,
    options: &SerializeOptions,
) -> Result<(), Error> {
    serialized(value, options, |serializer| serializer.message.write_to(&mut writer).map_err(io))
}

/// Serializes with what the last call on this thread has left.
fn serialized<T: ?Sized + Serialize, R>(
    value: &T,
    options: &SerializeOptions,
    finish: impl FnOnce(&mut Serializer) -> Result<R, Error>,
) -> Result<R, Error> {
    // While a value that serializes another is on its way, the cell is empty.
    let mut serializer = SERIALIZER.take().unwrap_or_default();
    serializer.options = options.clone();
    serializer.start();
    let result = value.serialize(&mut *serializer).map_err(surfaced).and_then(|()| {
        serializer.check_complete()?;
        finish(&mut serializer)
    });
    if serializer.kept() <= MAX_KEPT {
        SERIALIZER.set(Some(serializer));
    }
    result
}

/// Deserializes the message that `bytes` is. Strings and bytes can be borrowed from it.
///
/// # Examples
///
/// ```
/// use serde::Deserialize;
///
/// #[derive(Deserialize, Debug, PartialEq)]
/// struct User<'a> { name: &'a str, age: u8 }
///
/// let bytes = marshal::Marshal::encode(&marshal::js!({ age: 36, name: "Ada", more: [1, 2] }))?;
/// let user: User = marshal::from_slice(&bytes)?;
/// assert_eq!(user, User { name: "Ada", age: 36 });
///
/// let bytes = marshal::to_vec(&[("Ada", 36), ("Bob", 256)])?;
/// let error = marshal::from_slice::<Vec<(String, u8)>>(&bytes).unwrap_err();
/// assert_eq!(error.path(), Some("$[1][1]"));
/// # Ok::<(), marshal::Error>(())
/// ```
///
/// # Errors
///
/// What is wrong with the bytes (`spec/format.md`, section 11), and what the type does not take, with offset and path. To put
/// the latter into words, the message is read a second time.
pub fn from_slice<'de, T: Deserialize<'de>>(bytes: &'de [u8]) -> Result<T, Error> {
    from_slice_with(bytes, &DeserializeOptions::new())
}

/// Deserializes with [options](DeserializeOptions).
///
/// # Errors
///
/// Those of [`from_slice`].
pub fn from_slice_with<'de, T: Deserialize<'de>>(bytes: &'de [u8], options: &DeserializeOptions) -> Result<T, Error> {
    let mut deserializer = Deserializer::closed(options, SHAPES.take().unwrap_or_default());
    deserializer.open(bytes)?;
    // Most errors never come to the surface: an untagged enum makes one for each variant that does not fit.
    let words = Words::are(false);
    let result = T::deserialize(&mut deserializer);
    drop(words);
    match (&result, deserializer.end()) {
        (Ok(_), Ok(_)) => keep(deserializer.source.shapes),
        (Ok(_), Err(error)) => return Err(error),
        (Err(error), _) if error.is_unworded() => return with_words(bytes, options),
        (Err(_), _) => return result.map_err(|error| deserializer.surfaced(error)),
    }
    result
}

/// Reads once more, to put into words what went wrong.
#[cold]
fn with_words<'de, T: Deserialize<'de>>(bytes: &'de [u8], options: &DeserializeOptions) -> Result<T, Error> {
    let mut deserializer = Deserializer::closed(options, Box::default());
    deserializer.open(bytes)?;
    let _words = Words::are(true);
    let value = T::deserialize(&mut deserializer).map_err(|error| deserializer.surfaced(error))?;
    deserializer.end()?;
    Ok(value)
}

/// Keeps the shapes for the next message.
fn keep(shapes: Box<ShapeList>) {
    if shapes.kept() <= MAX_KEPT_SHAPES {
        SHAPES.set(Some(shapes));
    }
}

/// Deserializes the message that a reader has up to its end.
///
/// # Examples
///
/// ```
/// let bytes = marshal::to_vec("text")?;
/// let text: String = marshal::from_reader(&bytes[..])?;
/// assert_eq!(text, "text");
/// # Ok::<(), marshal::Error>(())
/// ```
///
/// # Errors
///
/// Those of [`from_slice`], and `io` where the reader fails.
pub fn from_reader<R: Read, T: DeserializeOwned>(reader: R) -> Result<T, Error> {
    from_reader_with(reader, &DeserializeOptions::new())
}

/// Deserializes from a reader with [options](DeserializeOptions).
///
/// # Errors
///
/// Those of [`from_reader`].
pub fn from_reader_with<R: Read, T: DeserializeOwned>(mut reader: R, options: &DeserializeOptions) -> Result<T, Error> {
    let mut bytes = Vec::new();
    reader.read_to_end(&mut bytes).map_err(io)?;
    from_slice_with(&bytes, options)
}

//! Reading of the archives that the original library, a JavaScript one, wrote (its wire version "0.2.0").
//!
//! Knows that wire format and the graph; of our own format it knows nothing. Three parts: the archive's frame, the bytes
//! of a datum, and the decoder that turns data into a graph.
//!
//! The reader takes from an archive what its writer meant: dates before 1970, cycles through any container, references in
//! Maps. What the writer itself lost stays lost:
//!
//! * A symbol is a new one each time it is written, as an archive does not say which are the same. The original's exported
//!   `index` symbol is the exception: it becomes `Symbol.for("Marshal.index")`, so that
//!   [`symbol_for`](crate::Graph::symbol_for) finds it.
//! * With dynamic numbers (`useDynamicNumbers`) an integer from 2⁶⁴ up was cut to its low 64 bits, and an integer below
//!   −2³¹ has the tag of a BigInt. It is read as a Number where a Number holds it exactly, else as a BigInt; in other
//!   archives, and from −2³¹ up, the tag always means a BigInt.
//! * Class names are not in the archive: see [`decode_with_classes`]. Neither are versions: instances have version 0.

mod archive;
mod classes;
mod datum;
mod decode;

use archive::Archive;
use classes::ClassNames;
use decode::Decoder;

use crate::error::{Error, ErrorKind};
use crate::graph::Graph;

/// Reads an archive.
///
/// An archive numbers its class instances and does not name their classes: the instance with constructor index 7 gets the
/// class name `Class7`. With the names at hand, use [`decode_with_classes`].
///
/// # Examples
///
/// ```
/// // encode([1, -1], { useDynamicNumbers: true })
/// let mut archive = vec![109, 0, 0, 0, 18, 7, 0, 0, 0, 1, 1, 0, 0, 0, b'v', 1, 5, 0, 0, 0];
/// archive.extend(b"0.2.0");
/// for (name, set) in ["be", "re", "hs", "hn", "aa", "dn"].into_iter().zip([14, 14, 14, 14, 13, 13]) {
///     archive.extend([1, 2, 0, 0, 0]);
///     archive.extend(name.bytes().chain([set]));
/// }
/// archive.resize(100, 0);
/// archive.extend([17, 2, 0, 0, 0, 2, 1, 7, 255, 20, 0, 0, 0, 0]);
///
/// let graph = marshal::original::decode(&archive)?;
/// assert_eq!(graph.to_string(), "[1, -1]");
/// # Ok::<(), marshal::Error>(())
/// ```
///
/// # Errors
///
/// With the offset of the fault, and its path from the root where it is in a value. `bad-magic` and `unsupported-version` for what is no such archive; `truncated` for one
/// that ends early; `length-out-of-bounds`, `bad-reference`, `duplicate-key` and their like for data that can't be read;
/// `limit-exceeded` for more than 1 GiB, and for references that would repeat strings many times over.
pub fn decode(bytes: &[u8]) -> Result<Graph<'static>, Error> {
    read(bytes, ClassNames::numbered())
}

/// Reads an archive whose instances are of the classes `names`: one name for each instance, by its constructor index, as
/// the original's `encodeWithClasses` gave out constructors.
///
/// # Errors
///
/// Those of [`decode`], and `bad-class` for an instance without a name or with an empty one.
pub fn decode_with_classes(bytes: &[u8], names: &[&str]) -> Result<Graph<'static>, Error> {
    read(bytes, ClassNames::given(names))
}

/// Reads the named entry of an archive: the value that had `[index]: name` among its properties. References that leave
/// the entry resolve. Instances are named as [`decode`] names them.
///
/// The whole archive is checked, since only a walk from its start tells where data begin; the graph holds the entry and
/// what it refers to.
///
/// # Errors
///
/// Those of [`decode`], and `bad-reference` if no entry has this name (without an offset), or if its offset is not that of
/// a datum.
pub fn read_from_index(bytes: &[u8], name: &str) -> Result<Graph<'static>, Error> {
    read_entry(bytes, name, ClassNames::numbered())
}

/// The same, with class names as in [`decode_with_classes`]. The names are those of the whole archive.
///
/// # Errors
///
/// Those of [`read_from_index`] and of [`decode_with_classes`].
pub fn read_from_index_with_classes(bytes: &[u8], name: &str, names: &[&str]) -> Result<Graph<'static>, Error> {
    read_entry(bytes, name, ClassNames::given(names))
}

/// The names of an archive's entries, in the order in which they were written. The values are not looked at.
///
/// # Errors
///
/// Those of [`decode`] about the frame of an archive.
pub fn entry_names(bytes: &[u8]) -> Result<Vec<&str>, Error> {
    let archive = Archive::open(bytes)?;
    Ok(archive.entries.iter().map(|entry| entry.name).collect())
}

fn read(bytes: &[u8], names: ClassNames<'_>) -> Result<Graph<'static>, Error> {
    let archive = Archive::open(bytes)?;
    let mut decoder = Decoder::new(&archive, names);
    let root = decoder.root()?;
    let mut graph = decoder.into_graph();
    graph.set_root(root);
    Ok(graph)
}

fn read_entry(bytes: &[u8], name: &str, names: ClassNames<'_>) -> Result<Graph<'static>, Error> {
    let archive = Archive::open(bytes)?;
    let Some(entry) = archive.entries.iter().find(|entry| entry.name == name) else {
        return Err(Error::new(ErrorKind::BadReference, format!("no entry is named {name:?}")));
    };
    let mut decoder = Decoder::new(&archive, names);
    decoder.root()?;
    let value = decoder.datum_at(entry.target, entry.at)?;
    let all = decoder.into_graph();
    let mut graph = Graph::new();
    let root = graph.import(all.cursor(value));
    graph.set_root(root);
    Ok(graph)
}

//! The frame of an archive: the head, the region of the root, the map of named entries behind it.
//!
//! ```text
//! 0    u32: where the map of entries begins
//! 4    the head, a record: v, the version; be re hs hn aa dn, booleans
//! 73   bytes without meaning, which may be anything
//! 100  the root
//!      the map of entries: name → offset of the entry's tag
//! ```
//!
//! Knows nothing of what the root holds.

use super::datum::{Datum, tag};
use crate::error::{Error, ErrorKind, Fault};
use crate::graph::Distinct;
use crate::wire::Reader;

/// Where the root begins.
const ROOT: usize = 100;
/// Where the head begins.
const HEAD: usize = 4;
const VERSION: &str = "0.2.0";

/// The largest archive that is read. Its writer failed beyond 2 KiB; this keeps every count within a graph's bounds.
const MAX_BYTES: usize = 1 << 30;

/// An archive whose frame is sound.
pub(super) struct Archive<'i> {
    /// The root, and nothing else.
    pub(super) root: &'i [u8],
    /// Offset of the root in the archive.
    pub(super) root_at: usize,
    /// Numbers were written in the smallest form.
    pub(super) dynamic_numbers: bool,
    pub(super) entries: Vec<Entry<'i>>,
}

/// A named entry.
pub(super) struct Entry<'i> {
    pub(super) name: &'i str,
    /// The offset that the map gives, whatever it is worth.
    pub(super) target: f64,
    /// Where it is given.
    pub(super) at: usize,
}

impl<'i> Archive<'i> {
    pub(super) fn open(bytes: &'i [u8]) -> Result<Self, Error> {
        if bytes.len() > MAX_BYTES {
            return Err(Error::new(ErrorKind::LimitExceeded, "archives of up to 1 GiB are read").at_offset(MAX_BYTES));
        }
        let mut reader = Reader::new(bytes, 0);
        let map_at = reader.u32()? as usize;
        let dynamic_numbers = head(&mut Reader::new(&bytes[HEAD..], HEAD))?;
        if map_at <= ROOT && bytes.len() >= ROOT {
            let detail = "the map of entries can't begin before the root does";
            return Err(Error::new(ErrorKind::BadReference, detail).at_offset(0));
        }
        let (Some(root), Some(map)) = (bytes.get(ROOT..map_at), bytes.get(map_at..)) else {
            return Err(Fault::new(ErrorKind::Truncated, bytes.len()).into());
        };
        let entries = entries(&mut Reader::new(map, map_at))?;
        Ok(Archive { root, root_at: ROOT, dynamic_numbers, entries })
    }
}

/// Reads the head and says whether numbers are dynamic.
fn head(reader: &mut Reader<'_>) -> Result<bool, Error> {
    expect(reader, &[tag::RECORD, 7, 0, 0, 0, tag::STRING, 1, 0, 0, 0, b'v', tag::STRING], ErrorKind::BadMagic)
        .map_err(|fault| match fault.kind {
            ErrorKind::BadMagic => {
                Error::new(ErrorKind::BadMagic, "not an archive of the original library").at_offset(HEAD)
            }
            _ => fault.into(),
        })?;
    let at = reader.offset();
    let length = reader.u32()? as usize;
    let version = reader.take(length.min(VERSION.len()))?;
    if length != VERSION.len() || version != VERSION.as_bytes() {
        let detail = format!("version \"{}\" of the original library; \"{VERSION}\" is read", version.escape_ascii());
        return Err(Error::new(ErrorKind::UnsupportedVersion, detail).at_offset(at));
    }
    // be: big-endian, which its writer never was. re hs hn aa: references, symbols, numeric keys, no text beyond Latin-1;
    // they tell nothing that the data don't.
    let [big_endian, .., dynamic_numbers] = [
        flag(reader, "be")?,
        flag(reader, "re")?,
        flag(reader, "hs")?,
        flag(reader, "hn")?,
        flag(reader, "aa")?,
        flag(reader, "dn")?,
    ];
    if big_endian.set {
        let detail = "the archive says that it is big-endian";
        return Err(Error::new(ErrorKind::UnsupportedFlags, detail).at_offset(big_endian.at));
    }
    Ok(dynamic_numbers.set)
}

struct Flag {
    set: bool,
    at: usize,
}

/// Reads the key `name` and its boolean.
fn flag(reader: &mut Reader<'_>, name: &'static str) -> Result<Flag, Error> {
    expect(reader, &[tag::STRING, 2, 0, 0, 0], ErrorKind::BadSyntax)?;
    expect(reader, name.as_bytes(), ErrorKind::BadSyntax)?;
    let at = reader.offset();
    match reader.u8()? {
        tag::TRUE => Ok(Flag { set: true, at }),
        tag::FALSE => Ok(Flag { set: false, at }),
        _ => Err(Error::new(ErrorKind::WrongType, format!("{name} in the head is no boolean")).at_offset(at)),
    }
}

/// Reads bytes that are the same in all archives. Input that ends among them, alike up to there, is truncated.
fn expect(reader: &mut Reader<'_>, bytes: &[u8], otherwise: ErrorKind) -> Result<(), Fault> {
    for &byte in bytes {
        let at = reader.offset();
        if reader.u8()? != byte {
            return Err(Fault::new(otherwise, at));
        }
    }
    Ok(())
}

/// Reads the map of entries, with which an archive ends.
fn entries<'i>(reader: &mut Reader<'i>) -> Result<Vec<Entry<'i>>, Error> {
    let map_at = reader.offset();
    if reader.u8()? != tag::MAP {
        return Err(Error::new(ErrorKind::WrongType, "the map of entries is no map").at_offset(map_at));
    }
    let count = reader.u32()? as usize;
    if count > reader.remaining() / 2 {
        return Err(Fault::new(ErrorKind::LengthOutOfBounds, map_at).into());
    }
    let mut entries = Vec::new();
    let mut names_at = Vec::new();
    for _ in 0..count {
        names_at.push(reader.offset());
        let Datum::String(name) = Datum::read(reader)? else {
            return Err(Error::new(ErrorKind::WrongType, "the name of an entry is no string")
                .at_offset(names_at[entries.len()]));
        };
        let at = reader.offset();
        let Datum::Number(target) = Datum::read(reader)? else {
            return Err(Error::new(ErrorKind::WrongType, "the offset of an entry is no number").at_offset(at));
        };
        entries.push(Entry { name, target, at });
    }
    if let Some(second) = Distinct::default().first_duplicate(entries.len(), |i| entries[i].name) {
        return Err(Fault::new(ErrorKind::DuplicateKey, names_at[second]).into());
    }
    match reader.remaining() {
        0 => Ok(entries),
        _ => Err(Error::new(ErrorKind::TrailingBytes, "bytes follow the archive").at_offset(reader.offset())),
    }
}

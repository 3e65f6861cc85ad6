//! Making a cursor: the value at a position, or what the reference there stands for, with the bytes that it needs at once.

use byteorder::{ByteOrder, LittleEndian};

use super::View;
use super::cursor::{LazyCursor, What};
use crate::codec::{Head, Payload, Scan, TextHead, ViewBuffer};
use crate::error::{Error, ErrorKind, Fault};
use crate::graph::{JsStr, well_formed};
use crate::wire::index::Position;

impl<'l> View<'l> {
    /// A cursor on the value at `at`, or on the one that the reference there stands for.
    pub(super) fn cursor(&self, at: Position) -> Result<LazyCursor<'l>, Error> {
        let mut scan = self.scan_at(at)?;
        let head = self.head(&mut scan)?;
        let Head::Reference(identity) = head else { return self.cursor_on(at, scan, head, at.identity) };
        if identity >= at.identity {
            return Err(self.fault(ErrorKind::BadReference, at));
        }
        let target = self.resolve(identity)?;
        if !target.is_before(at) {
            return Err(self.bad_index());
        }
        self.cursor_of(identity, target)
    }

    /// A cursor on the object that is named, whose place in the index this is.
    pub(super) fn entry(&self, at: Position) -> Result<LazyCursor<'l>, Error> {
        self.scan_at(at)?;
        // The buffer of a typed array has its place, and an identity of its own.
        let item = self.resolve(at.identity)?;
        if (Position { identity: at.identity, ..item }) != at {
            return Err(self.bad_index());
        }
        self.cursor_of(at.identity, item)
    }

    /// A cursor on the object with this identity, which the item at `target` takes.
    fn cursor_of(&self, identity: u64, target: Position) -> Result<LazyCursor<'l>, Error> {
        let mut scan = self.scan_at(target)?;
        let head = self.head(&mut scan)?;
        let taken = target.identity..target.identity.saturating_add(head.identities());
        if !taken.contains(&identity) {
            return Err(self.fault(ErrorKind::BadIndex, target));
        }
        match head {
            // The second identity of a typed array or view is that of its buffer.
            Head::TypedArray { payload, .. } if identity != target.identity => {
                self.cursor_on(target, scan, Head::Buffer { payload, max: None }, identity)
            }
            // Nothing may refer to what is in records.
            Head::Records { .. } if identity != target.identity => Err(self.fault(ErrorKind::BadReference, target)),
            Head::View { buffer: ViewBuffer::Inline { payload, max }, .. } if identity != target.identity => {
                self.cursor_on(target, scan, Head::Buffer { payload, max }, identity)
            }
            _ => self.cursor_on(target, scan, head, identity),
        }
    }

    fn cursor_on(&self, at: Position, scan: Scan<'l>, head: Head, identity: u64) -> Result<LazyCursor<'l>, Error> {
        let what = match head {
            Head::Text(text) => What::Text(self.text(text, at)?),
            Head::BigInt { at: start, len, negative } => {
                let range = start as usize..(start + len) as usize;
                self.check(&self.layout.structure, range.clone())?;
                if self.structure[range].last().map_or(negative, |&top| top == 0) {
                    return Err(self.fault(ErrorKind::BadBigInt, at));
                }
                What::Head(head)
            }
            _ => What::Head(head),
        };
        let identity = (head.identities() > 0).then_some(identity);
        Ok(LazyCursor { view: *self, at, inside: scan.position(), identity, what })
    }

    /// The index says what cannot be.
    pub(super) fn bad_index(&self) -> Error {
        Fault::new(ErrorKind::BadIndex, self.layout.index.start).into()
    }

    pub(super) fn fault(&self, kind: ErrorKind, at: Position) -> Error {
        Fault::new(kind, self.layout.structure.start + at.structure as usize).into()
    }

    /// The string, checked.
    pub(super) fn text(&self, text: TextHead, at: Position) -> Result<JsStr<'l>, Error> {
        match text {
            TextHead::Utf8 { at: start, len, .. } => {
                let range = start as usize..(start + len) as usize;
                self.check(&self.layout.text, range.clone())?;
                let bytes = &self.text[range];
                match simdutf8::compat::from_utf8(bytes) {
                    Ok(text) => Ok(JsStr::utf8(text)),
                    Err(error) => {
                        let at = self.layout.text.start + start as usize + error.valid_up_to();
                        Err(Fault::new(ErrorKind::InvalidUtf8, at).into())
                    }
                }
            }
            TextHead::Utf16 { payload, .. } => {
                let units = self.bytes(payload)?;
                match well_formed(units.chunks_exact(2).map(LittleEndian::read_u16)) {
                    // One string has one form.
                    Some(text) => Ok(JsStr::utf8(self.texts.push_get(text))),
                    None => Ok(JsStr::utf16(units)),
                }
            }
            TextHead::Interned(id) => self.text(self.interned(id, at)?, at),
        }
    }

    /// The bytes of a payload, and that those skipped before it are zero is not looked at: they may be another part's.
    pub(super) fn bytes(&self, payload: Payload) -> Result<&'l [u8], Error> {
        let range = payload.at as usize..(payload.at + payload.len) as usize;
        self.check(&self.layout.data, range.clone())?;
        Ok(&self.data[range])
    }
}

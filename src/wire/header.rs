//! The head of a message and where its sections lie (`spec/format.md`, section 2).

use super::{Reader, structure, varint};
use crate::error::{ErrorKind, Fault};

pub(crate) const MAGIC: [u8; 2] = [0xD7, 0x4D];
pub(crate) const VERSION: u8 = 1;

pub(crate) const SHAPES: u8 = 1 << 0;
pub(crate) const TEXT: u8 = 1 << 1;
pub(crate) const DATA: u8 = 1 << 2;
pub(crate) const INDEX: u8 = 1 << 3;
pub(crate) const REFS: u8 = 1 << 4;

/// The data and index sections begin at a multiple of this from the start of the message.
pub(crate) const DATA_ALIGN: usize = 8;

/// The lengths of a message's sections, in bytes; 0 for one that is not there.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Header {
    pub(crate) refs: bool,
    pub(crate) structure: usize,
    pub(crate) shapes: usize,
    pub(crate) text: usize,
    pub(crate) data: usize,
}

/// The sections of a message that lies whole in memory.
#[derive(Debug, Clone)]
pub(crate) struct Sections<'a> {
    pub(crate) refs: bool,
    pub(crate) shapes: Reader<'a>,
    pub(crate) structure: Reader<'a>,
    pub(crate) text: &'a [u8],
    pub(crate) text_at: usize,
    pub(crate) data: &'a [u8],
    pub(crate) data_at: usize,
    /// Tables to read parts by. Readers of the whole have no use for them.
    pub(crate) index: &'a [u8],
    pub(crate) index_at: usize,
    /// Where the message ends.
    pub(crate) end: usize,
}

impl Header {
    /// Appends magic, version, flags and lengths.
    #[inline]
    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        let mut flags = if self.refs { REFS } else { 0 };
        for (flag, len) in [(SHAPES, self.shapes), (TEXT, self.text), (DATA, self.data)] {
            flags |= if len > 0 { flag } else { 0 };
        }
        let head = [MAGIC[0], MAGIC[1], VERSION, flags];
        if self.structure | self.shapes | self.text | self.data >= 0x80 {
            return self.write_long(head, out);
        }
        // All of it in one step.
        let (mut item, mut n) = (u64::from(u32::from_le_bytes(head)) | (self.structure as u64) << 32, 5);
        for len in [self.shapes, self.text, self.data] {
            item |= (len as u64) << (8 * n);
            n += usize::from(len > 0);
        }
        structure::row(out, item, n);
    }

    #[inline(never)]
    fn write_long(&self, head: [u8; 4], out: &mut Vec<u8>) {
        out.extend_from_slice(&head);
        varint::write(out, self.structure as u64);
        for len in [self.shapes, self.text, self.data] {
            if len > 0 {
                varint::write(out, len as u64);
            }
        }
    }

    /// Appends the head of the message with an index of so many bytes.
    pub(crate) fn write_indexed(&self, index: usize, out: &mut Vec<u8>) {
        let start = out.len();
        self.write(out);
        out[start + 3] |= INDEX;
        varint::write(out, index as u64);
    }

    /// Bytes of the whole message.
    pub(crate) fn message_len(&self) -> usize {
        let optional = |len| if len > 0 { varint::len(len as u64) } else { 0 };
        let lengths = optional(self.shapes) + optional(self.text) + optional(self.data);
        let before_data = 4 + varint::len(self.structure as u64) + lengths + self.shapes + self.structure + self.text;
        if self.data > 0 { before_data.next_multiple_of(DATA_ALIGN) + self.data } else { before_data }
    }
}

/// What is wrong before the flags.
#[cold]
fn bad_head(input: &[u8]) -> Fault {
    let magic = &MAGIC[..MAGIC.len().min(input.len())];
    match *input {
        _ if !input.starts_with(magic) => Fault::new(ErrorKind::BadMagic, 0),
        [] | [_] => Fault::new(ErrorKind::Truncated, 0),
        [_, _, version, ..] if version != VERSION => Fault::new(ErrorKind::UnsupportedVersion, 2),
        _ => Fault::new(ErrorKind::Truncated, input.len()),
    }
}

impl<'a> Sections<'a> {
    /// Reads the head of the message at the start of `input` and cuts its sections.
    ///
    /// Always inlined: they are many words, and copying them takes longer than reading them.
    #[inline(always)]
    pub(crate) fn read(input: &'a [u8]) -> Result<Self, Fault> {
        let flags = match *input {
            [a, b, VERSION, flags, ..] if [a, b] == MAGIC => flags,
            _ => return Err(bad_head(input)),
        };
        let mut head = Reader::new(input, 0);
        head.skip(4);
        if flags & !(SHAPES | TEXT | DATA | INDEX | REFS) != 0 {
            return Err(Fault::new(ErrorKind::UnsupportedFlags, 3));
        }
        let mut length = |present: bool| {
            let at = head.offset();
            match if present { head.varint()? } else { return Ok(0) } {
                0 => Err(Fault::new(ErrorKind::EmptySection, at)),
                n => Ok(n),
            }
        };
        let structure = length(true)?;
        let shapes = length(flags & SHAPES != 0)?;
        let text = length(flags & TEXT != 0)?;
        let data = length(flags & DATA != 0)?;
        let index = length(flags & INDEX != 0)?;

        let mut at = head.offset();
        let mut cut = |len: u64| {
            let end = usize::try_from(len).ok().and_then(|len| at.checked_add(len)).filter(|&end| end <= input.len());
            let end = end.ok_or_else(|| Fault::new(ErrorKind::Truncated, input.len()))?;
            let section = (&input[at..end], at);
            at = end;
            Ok::<_, Fault>(section)
        };
        let shapes = cut(shapes)?;
        let structure = cut(structure)?;
        let text = cut(text)?;
        let pad_to = |at: usize, next: u64| if next > 0 { at.wrapping_neg() % DATA_ALIGN } else { 0 };
        let before_data = cut(pad_to(text.1 + text.0.len(), data) as u64)?;
        let data = cut(data)?;
        let before_index = cut(pad_to(data.1 + data.0.len(), index) as u64)?;
        let index = cut(index)?;
        for pad in [before_data, before_index] {
            if let Some(bad) = pad.0.iter().position(|&byte| byte != 0) {
                return Err(Fault::new(ErrorKind::BadPadding, pad.1 + bad));
            }
        }
        Ok(Sections {
            refs: flags & REFS != 0,
            shapes: Reader::new(shapes.0, shapes.1),
            structure: Reader::new(structure.0, structure.1),
            text: text.0,
            text_at: text.1,
            data: data.0,
            data_at: data.1,
            index: index.0,
            index_at: index.1,
            end: index.1 + index.0.len(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_length_is_what_is_written() {
        let header = Header { refs: true, structure: 200, shapes: 3, text: 70_000, data: 16 };
        let mut out = Vec::new();
        header.write(&mut out);
        out.resize(header.message_len(), 0);
        let sections = Sections::read(&out).unwrap();
        assert_eq!(sections.end, out.len());
        assert_eq!(sections.data_at % DATA_ALIGN, 0);
        assert_eq!((sections.text.len(), sections.data.len(), sections.refs), (70_000, 16, true));
        let cut = Sections::read(&out[..out.len() - 1]).unwrap_err();
        assert_eq!(cut, Fault { kind: ErrorKind::Truncated, at: out.len() - 1 });
    }
}

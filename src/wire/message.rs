//! A message under construction, for writers that have no graph: its sections, and how they become bytes.

use std::io;

use super::header::DATA_ALIGN;
use super::runs::Runs;
use super::shapes::ShapeTable;
use super::{ElementKind, Header, copy, structure, tag};

/// The sections of a message that is being written. The structure is appended to through [`structure`].
#[derive(Default)]
pub(crate) struct Message {
    pub(crate) structure: Vec<u8>,
    /// UTF-8, of whole strings.
    pub(crate) text: Runs,
    pub(crate) data: Vec<u8>,
    pub(crate) shapes: ShapeTable,
    /// The structure holds a reference.
    pub(crate) refs: bool,
    /// Identities that have been taken (`spec/format.md`, section 7).
    pub(crate) identities: u32,
    /// What is written first; its memory is kept.
    head: Vec<u8>,
}

/// A message begins with room for so much of it.
const ROOM: usize = 1024;

/// A message whose sections are up to this long is written by one call.
const SMALL: usize = 4096;

/// The head of such a message and what stands before its data take no more.
const MAX_HEAD: usize = 32;

/// How far each section has been written: to come back to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Mark {
    pub(crate) structure: usize,
    pub(crate) text: usize,
    pub(crate) data: usize,
    pub(crate) identities: u32,
}

impl Message {
    /// Begins the next message and keeps the memory of the last, with the shapes that are known. True where they are
    /// forgotten.
    pub(crate) fn start(&mut self) -> bool {
        self.structure.clear();
        self.text.truncate(0);
        // Where little room is left, what is short is not written in the quickest way.
        self.structure.reserve(ROOM);
        self.text.reserve(ROOM);
        self.data.clear();
        self.refs = false;
        self.identities = 0;
        self.shapes.start()
    }

    pub(crate) fn mark(&self) -> Mark {
        Mark {
            structure: self.structure.len(),
            text: self.text.len(),
            data: self.data.len(),
            identities: self.identities,
        }
    }

    /// A string value. A function of its own: what would be inlined into every field would keep fields from being.
    #[inline(never)]
    pub(crate) fn string(&mut self, text: &str) {
        let len = text.len();
        if len as u64 > tag::STRING_MAX || self.structure.len() == self.structure.capacity() {
            return self.long_string(text);
        }
        // No call is left on this path, if the text has room.
        self.structure.push(tag::STRING + len as u8);
        self.text.append(text.as_bytes());
    }

    #[inline(never)]
    fn long_string(&mut self, text: &str) {
        structure::string(&mut self.structure, text.len());
        self.text.append(text.as_bytes());
    }

    /// A `Uint8Array`. What is usual has no call in it, as with strings.
    #[inline(never)]
    pub(crate) fn bytes(&mut self, bytes: &[u8]) {
        self.identities += 2;
        let room = self.structure.capacity() - self.structure.len();
        if bytes.len() > copy::SHORT || room < structure::MAX_ROW {
            return self.long_bytes(bytes);
        }
        structure::elements(&mut self.structure, tag::TYPED_ARRAY, ElementKind::Uint8, bytes.len());
        copy::append(&mut self.data, bytes);
    }

    #[inline(never)]
    fn long_bytes(&mut self, bytes: &[u8]) {
        structure::elements(&mut self.structure, tag::TYPED_ARRAY, ElementKind::Uint8, bytes.len());
        copy::append(&mut self.data, bytes);
    }

    /// Zero bytes up to where a payload may start that is aligned to `align`, a power of two.
    #[inline]
    pub(crate) fn align(&mut self, align: usize) {
        let len = self.data.len();
        self.data.resize(len.next_multiple_of(align), 0);
    }

    /// A payload: after the operands of its tag.
    #[inline]
    pub(crate) fn payload(&mut self, align: usize, bytes: &[u8]) {
        // An empty one takes no padding either.
        if !bytes.is_empty() {
            self.align(align);
            copy::append(&mut self.data, bytes);
        }
    }

    fn header(&self) -> Header {
        Header {
            refs: self.refs,
            structure: self.structure.len(),
            shapes: self.shapes.section_len(),
            text: self.text.len(),
            data: self.data.len(),
        }
    }

    /// Bytes of the message.
    pub(crate) fn len(&self) -> usize {
        self.header().message_len()
    }

    /// Appends the message to `out`.
    pub(crate) fn append_to(&self, out: &mut Vec<u8>) {
        let header = self.header();
        out.reserve(header.message_len());
        self.append_with(&header, out);
    }

    #[inline]
    fn append_with(&self, header: &Header, out: &mut Vec<u8>) {
        let start = out.len();
        header.write(out);
        self.shapes.write_section(out);
        copy::append(out, &self.structure);
        copy::append(out, &self.text);
        if !self.data.is_empty() {
            let len = out.len() - start;
            out.resize(start + len.next_multiple_of(DATA_ALIGN), 0);
            copy::append(out, &self.data);
        }
    }

    /// Writes the message to `out`.
    pub(crate) fn write_to(&mut self, out: &mut impl io::Write) -> io::Result<()> {
        let mut head = std::mem::take(&mut self.head);
        head.clear();
        let written = self.write_from(&mut head, out);
        self.head = head;
        written
    }

    fn write_from(&self, head: &mut Vec<u8>, out: &mut impl io::Write) -> io::Result<()> {
        let header = self.header();
        let sections = self.structure.len() + self.text.len() + self.data.len() + header.shapes;
        if sections <= SMALL {
            // The last of it is short too.
            head.reserve(sections + MAX_HEAD + copy::SHORT);
            self.append_with(&header, head);
            return out.write_all(head);
        }
        header.write(head);
        self.shapes.write_section(head);
        let before_data = head.len() + self.structure.len() + self.text.len();
        copy::write_all(out, head)?;
        copy::write_all(out, &self.structure)?;
        copy::write_all(out, &self.text)?;
        if !self.data.is_empty() {
            let pad = before_data.next_multiple_of(DATA_ALIGN) - before_data;
            out.write_all(&[0; DATA_ALIGN][..pad])?;
            copy::write_all(out, &self.data)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const USER: &[u8] = b"\x00\x02\x08id\x10name";

    /// The first example of `spec/format.md`, section 13.
    const EXAMPLE: &[u8] = b"\xD7\x4D\x01\x03\x08\x0C\x07\x00\x01\x00\x02\x08id\x10name\
        \x82\xA0\x01\x43\xA0\xC4\xC8\x44AdaZo\xC3\xAB";

    #[test]
    fn what_is_known_of_the_last_message_gives_the_same_bytes() {
        let mut message = Message::default();
        for _ in 0..3 {
            message.start();
            structure::array(&mut message.structure, 2);
            for (id, name) in [(1, "Ada"), (200, "Zoë")] {
                let shape = message.shapes.id(USER);
                let number = message.shapes.number(shape);
                structure::object(&mut message.structure, number);
                structure::integer(&mut message.structure, id);
                message.string(name);
            }
            let mut bytes = vec![0xFF];
            message.append_to(&mut bytes);
            assert_eq!(bytes[1..], *EXAMPLE);
            assert_eq!(message.len(), EXAMPLE.len());
            let mut written = Vec::new();
            message.write_to(&mut written).unwrap();
            assert_eq!(written, EXAMPLE);
        }
    }

    #[test]
    fn data_begins_at_a_multiple_of_8_of_the_message_and_payloads_at_their_size() {
        let mut message = Message::default();
        message.start();
        message.payload(1, &[1]);
        message.payload(4, &[]);
        message.payload(4, &[2; 4]);
        structure::array(&mut message.structure, 0);
        let mut bytes = vec![0; 3];
        message.append_to(&mut bytes);
        assert_eq!(bytes[3 + 8..], [1, 0, 0, 0, 2, 2, 2, 2]);
    }

    #[test]
    fn a_long_message_is_written_as_it_is_appended_and_takes_no_room_beyond_its_own() {
        for len in [0, 1, 50, 63, 64, 500, 4000, 5000, 300_000] {
            let mut message = Message::default();
            message.start();
            structure::array(&mut message.structure, 2);
            message.string(&"é".repeat(len));
            structure::elements(&mut message.structure, tag::TYPED_ARRAY, ElementKind::Uint8, len);
            message.payload(1, &vec![7; len]);
            let mut appended = Vec::with_capacity(message.len());
            message.append_to(&mut appended);
            assert_eq!((appended.len(), appended.capacity()), (message.len(), message.len()), "{len}");
            let mut written = Vec::new();
            message.write_to(&mut written).unwrap();
            assert_eq!(written, appended, "{len}");
        }
    }
}

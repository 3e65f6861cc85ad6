//! A message under construction, for writers that have no graph: its sections, and how they become bytes.

use std::io;

use super::header::DATA_ALIGN;
use super::shapes::ShapeTable;
use super::{Header, structure, varint};

/// The sections of a message that is being written. The structure is appended to through [`structure`].
#[derive(Default)]
pub(crate) struct Message {
    pub(crate) structure: Vec<u8>,
    pub(crate) text: String,
    pub(crate) data: Vec<u8>,
    pub(crate) shapes: ShapeTable,
    /// The structure holds a reference.
    pub(crate) refs: bool,
    /// Identities that have been taken (`spec/format.md`, section 7).
    pub(crate) identities: u32,
}

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
        self.text.clear();
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

    /// A string value.
    #[inline]
    pub(crate) fn string(&mut self, text: &str) {
        structure::string(&mut self.structure, text.len());
        self.text.push_str(text);
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
            self.data.extend_from_slice(bytes);
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
        header.write(out);
        self.shapes.write_section(out);
        out.extend_from_slice(&self.structure);
        out.extend_from_slice(self.text.as_bytes());
        out.extend_from_slice(self.pad(&header));
        out.extend_from_slice(&self.data);
    }

    /// Writes the message to `out`.
    pub(crate) fn write_to(&self, out: &mut impl io::Write) -> io::Result<()> {
        let header = self.header();
        let mut head = Vec::with_capacity(32 + header.shapes);
        header.write(&mut head);
        self.shapes.write_section(&mut head);
        out.write_all(&head)?;
        out.write_all(&self.structure)?;
        out.write_all(self.text.as_bytes())?;
        out.write_all(self.pad(&header))?;
        out.write_all(&self.data)
    }

    /// The zero bytes before the data.
    fn pad(&self, header: &Header) -> &'static [u8] {
        // Without data the message ends with the text.
        let before_data = header.message_len() - self.data.len();
        let text_end = Header { data: 0, ..*header }.message_len()
            + if self.data.is_empty() { 0 } else { varint::len(self.data.len() as u64) };
        &[0; DATA_ALIGN][..before_data - text_end]
    }
}

#[cfg(test)]
mod tests {
    use super::super::shapes::{PLAIN, StaticShape};
    use super::*;

    static USER: StaticShape = StaticShape { kind: PLAIN, name: "", version: 0, constructor: 0, keys: &["id", "name"] };

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
                let shape = message.shapes.id_of(&USER);
                let number = message.shapes.number(shape);
                structure::object(&mut message.structure, number);
                structure::integer(&mut message.structure, id);
                message.string(name);
            }
            let mut bytes = vec![0xFF];
            message.append_to(&mut bytes);
            assert_eq!(bytes[1..], *EXAMPLE);
            assert_eq!(message.len(), EXAMPLE.len());
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
}

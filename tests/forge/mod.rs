//! Messages made by hand: sections as bytes, put together without asking whether they make sense.
#![allow(dead_code, reason = "each test takes what it needs")]

#[derive(Debug, Clone, Default)]
pub(crate) struct Message {
    pub(crate) shapes: Vec<u8>,
    pub(crate) structure: Vec<u8>,
    pub(crate) text: Vec<u8>,
    pub(crate) data: Vec<u8>,
    pub(crate) refs: bool,
}

impl Message {
    /// A message without references that is nothing but this structure.
    pub(crate) fn of(structure: impl Into<Vec<u8>>) -> Self {
        Message { structure: structure.into(), ..Message::default() }
    }

    pub(crate) fn refs(self) -> Self {
        Message { refs: true, ..self }
    }

    pub(crate) fn text(self, text: impl Into<Vec<u8>>) -> Self {
        Message { text: text.into(), ..self }
    }

    pub(crate) fn data(self, data: impl Into<Vec<u8>>) -> Self {
        Message { data: data.into(), ..self }
    }

    pub(crate) fn shapes(self, shapes: impl Into<Vec<u8>>) -> Self {
        Message { shapes: shapes.into(), ..self }
    }

    pub(crate) fn build(&self) -> Vec<u8> {
        let optional = [(1, &self.shapes), (2, &self.text), (4, &self.data)];
        let flags: u8 = optional.iter().filter(|(_, section)| !section.is_empty()).map(|&(flag, _)| flag).sum();
        let mut out = vec![0xD7, 0x4D, 1, flags | if self.refs { 0x10 } else { 0 }];
        out.extend(varint(self.structure.len() as u64));
        for (_, section) in optional {
            if !section.is_empty() {
                out.extend(varint(section.len() as u64));
            }
        }
        out.extend([&self.shapes[..], &self.structure, &self.text].concat());
        if !self.data.is_empty() {
            out.resize(out.len().next_multiple_of(8), 0);
            out.extend(&self.data);
        }
        out
    }

    /// Where the structure begins.
    pub(crate) fn structure_at(&self) -> u64 {
        let sections = [&self.shapes, &self.text, &self.data];
        let lengths = sections.iter().filter(|section| !section.is_empty()).map(|section| varint(section.len() as u64));
        let lengths: usize = lengths.map(|length| length.len()).sum();
        (4 + varint(self.structure.len() as u64).len() + lengths + self.shapes.len()) as u64
    }
}

pub(crate) fn varint(mut value: u64) -> Vec<u8> {
    let mut out = Vec::new();
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
    out
}

/// Tag and count.
pub(crate) fn counted(tag: u8, count: u64) -> Vec<u8> {
    let mut out = vec![tag];
    out.extend(varint(count));
    out
}

/// A plain shape with these keys, as it stands in the shapes section.
pub(crate) fn plain_shape<K: AsRef<[u8]>>(keys: &[K]) -> Vec<u8> {
    let mut out = counted(0, keys.len() as u64);
    for key in keys {
        out.extend(varint((key.as_ref().len() as u64) << 2));
        out.extend(key.as_ref());
    }
    out
}

/// A shapes section without symbols.
pub(crate) fn shapes_section(shapes: &[Vec<u8>]) -> Vec<u8> {
    let mut out = vec![0];
    out.extend(varint(shapes.len() as u64));
    out.extend(shapes.concat());
    out
}

//! What has an identity: arrays, objects, and all other kinds of object, as ranges of slots.

use crate::wire::ElementKind;

/// The identity of an object in its graph: two values are the same object when their `NodeId` is the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(pub(crate) u32);

impl NodeId {
    #[inline]
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// A range of slots that may grow up to `cap` before it has to move to the end of the arena.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) start: u32,
    pub(crate) len: u32,
    pub(crate) cap: u32,
}

impl Span {
    #[inline]
    pub(crate) fn range(self) -> std::ops::Range<usize> {
        self.start as usize..(self.start as usize + self.len as usize)
    }
}

/// One object. Pairs lie in the slots as key, value, key, value.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Node {
    /// An array without holes and without extra properties: its elements.
    Array(Span),
    /// An array of numbers, as raw elements in the bytes.
    Packed {
        kind: ElementKind,
        len: u32,
        at: u64,
    },
    /// An array that has a hole or an extra property: index in the side table.
    Sparse(u32),
    /// A plain object, null-prototype object, class instance or error: a value for each key of the shape.
    /// The range may be longer than the shape's key count, never shorter.
    Object {
        shape: u32,
        start: u32,
        cap: u32,
    },
    /// A plain object with its keys in pairs.
    Dictionary(Span),
    /// The same with a null prototype.
    NullDictionary(Span),
    /// Pairs.
    Map(Span),
    Set(Span),
    /// Time value: NaN or an integer.
    Date(f64),
    /// Two slots: the source and lastIndex.
    RegExp {
        flags: u8,
        start: u32,
    },
    /// One slot: the primitive.
    Boxed {
        start: u32,
    },
    /// Index in the side table.
    Buffer(u32),
    /// Index in the side table.
    View(u32),
    /// An instance over a built-in: the base value, then a value for each key of the shape.
    Derived {
        shape: u32,
        start: u32,
        cap: u32,
    },
    /// One slot: the payload.
    Custom {
        shape: u32,
        start: u32,
    },
}

impl Node {
    /// The shape of an object that has one.
    pub(crate) fn shape(self) -> Option<u32> {
        match self {
            Node::Object { shape, .. } | Node::Derived { shape, .. } | Node::Custom { shape, .. } => Some(shape),
            _ => None,
        }
    }
}

/// The side of an array with holes or extra properties. In the slots: `present` pairs of index (a number) and value in
/// ascending order, then the extra properties as pairs.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sparse {
    pub(crate) length: u32,
    pub(crate) present: u32,
    pub(crate) span: Span,
}

/// An ArrayBuffer's bytes; `max` makes it resizable.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Buffer {
    pub(crate) at: u64,
    pub(crate) len: u64,
    pub(crate) max: Option<u64>,
}

/// A typed array or DataView.
#[derive(Debug, Clone, Copy)]
pub(crate) struct View {
    pub(crate) kind: ElementKind,
    pub(crate) buffer: NodeId,
    pub(crate) offset: u64,
    /// Elements (bytes for a DataView); `None` tracks the length of a resizable buffer.
    pub(crate) len: Option<u64>,
}

impl View {
    /// Elements that the view shows of a buffer of `buffer_len` bytes.
    pub(crate) fn elements(&self, buffer_len: u64) -> u64 {
        self.len.unwrap_or_else(|| buffer_len.saturating_sub(self.offset) / self.kind.size() as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_takes_16_bytes() {
        assert_eq!(size_of::<Node>(), 16);
    }
}

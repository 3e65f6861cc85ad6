//! What a cursor lends of values that are more than a number or a string.

use std::borrow::Cow;
use std::fmt;

use num_bigint::{BigInt, Sign};

use super::bytes::{Element, numbers};
use super::number;
use super::regexp::RegExpFlags;
use super::text::JsStr;
use crate::wire::ElementKind;

/// A BigInt, lent.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct JsBigInt<'g> {
    pub(crate) negative: bool,
    pub(crate) magnitude: &'g [u8],
}

/// Beyond this many bytes a BigInt prints in hexadecimal, because decimal digits take more than linear time.
pub(super) const MAX_DECIMAL_BYTES: usize = 64;

impl<'g> JsBigInt<'g> {
    /// Whether it is below zero.
    pub fn is_negative(self) -> bool {
        self.negative
    }

    /// Its magnitude: little-endian, without leading zero bytes; empty for zero.
    pub fn magnitude(self) -> &'g [u8] {
        self.magnitude
    }

    /// Its value, if it fits.
    pub fn to_i128(self) -> Option<i128> {
        let mut bytes = [0; 16];
        bytes.get_mut(..self.magnitude.len())?.copy_from_slice(self.magnitude);
        let magnitude = u128::from_le_bytes(bytes);
        if self.negative { 0i128.checked_sub_unsigned(magnitude) } else { i128::try_from(magnitude).ok() }
    }

    /// Its value as an arbitrary-precision integer.
    pub fn to_bigint(self) -> BigInt {
        BigInt::from_bytes_le(if self.negative { Sign::Minus } else { Sign::Plus }, self.magnitude)
    }
}

impl fmt::Display for JsBigInt<'_> {
    /// Decimal, or hexadecimal (`0x…`) beyond 64 bytes.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.magnitude.len() <= MAX_DECIMAL_BYTES {
            return write!(f, "{}", self.to_bigint());
        }
        f.write_str(if self.negative { "-0x" } else { "0x" })?;
        let mut bytes = self.magnitude.iter().rev();
        bytes.next().map_or(Ok(()), |byte| write!(f, "{byte:x}"))?;
        bytes.try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for JsBigInt<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}n")
    }
}

/// A RegExp, lent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RegExpRef<'g> {
    pub(crate) source: JsStr<'g>,
    pub(crate) flags: RegExpFlags,
    pub(crate) last_index: u64,
}

impl<'g> RegExpRef<'g> {
    /// The pattern as it stands between the slashes of a literal. Whether it parses is for an engine to say.
    pub fn source(self) -> JsStr<'g> {
        self.source
    }

    /// The flags.
    pub fn flags(self) -> RegExpFlags {
        self.flags
    }

    /// Where the next match of a global or sticky RegExp starts, in code units.
    pub fn last_index(self) -> u64 {
        self.last_index
    }
}

/// An ArrayBuffer, lent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BufferRef<'g> {
    pub(crate) bytes: &'g [u8],
    pub(crate) max: Option<u64>,
}

impl<'g> BufferRef<'g> {
    /// Its bytes.
    pub fn bytes(self) -> &'g [u8] {
        self.bytes
    }

    /// The length in bytes that a resizable buffer can grow to; `None` for a fixed one.
    pub fn max_byte_length(self) -> Option<u64> {
        self.max
    }
}

/// Raw elements of one kind, lent: what a typed array shows, or the numbers of a packed array.
///
/// # Examples
///
/// ```
/// use marshal::{ElementKind, Graph};
///
/// let mut graph = Graph::new();
/// let samples = graph.typed_array(&[0.5f32, 1.5]);
/// graph.set_root(samples);
/// let elements = graph.root().elements().unwrap();
/// assert_eq!(elements.kind(), ElementKind::Float32);
/// assert_eq!(elements.to_slice::<f32>()[..], [0.5, 1.5]);
/// assert_eq!(elements.iter().sum::<f64>(), 2.0);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Elements<'g> {
    pub(crate) kind: ElementKind,
    pub(crate) bytes: &'g [u8],
}

impl<'g> Elements<'g> {
    /// The kind of the elements.
    pub fn kind(self) -> ElementKind {
        self.kind
    }

    /// Their little-endian bytes.
    pub fn bytes(self) -> &'g [u8] {
        self.bytes
    }

    /// How many there are.
    pub fn len(self) -> usize {
        self.bytes.len() / self.kind.size()
    }

    /// Whether there are none.
    pub fn is_empty(self) -> bool {
        self.bytes.is_empty()
    }

    /// Element `index` as a Number; `None` beyond the end, and for the kinds that hold BigInts.
    pub fn get(self, index: usize) -> Option<f64> {
        number::element(self.kind, self.bytes, index)
    }

    /// The elements as Numbers; none for the kinds that hold BigInts.
    pub fn iter(self) -> impl Iterator<Item = f64> + 'g {
        (0..self.len()).map_while(move |index| self.get(index))
    }

    /// The bytes as numbers of type `T`, whatever the kind: lent where they are aligned for it, copied where not.
    /// An incomplete last number is left out.
    pub fn to_slice<T: Element>(self) -> Cow<'g, [T]> {
        numbers(self.bytes)
    }
}

/// A typed array or DataView with its place in the buffer, lent.
#[derive(Debug, Clone, Copy)]
pub struct ViewRef<'g> {
    pub(crate) elements: Elements<'g>,
    pub(crate) buffer: super::Cursor<'g>,
    pub(crate) offset: u64,
    pub(crate) tracks: bool,
}

impl<'g> ViewRef<'g> {
    /// What the view shows.
    pub fn elements(self) -> Elements<'g> {
        self.elements
    }

    /// The ArrayBuffer under it, which other views may share.
    pub fn buffer(self) -> super::Cursor<'g> {
        self.buffer
    }

    /// Where in the buffer the view begins, in bytes.
    pub fn byte_offset(self) -> u64 {
        self.offset
    }

    /// Whether the view's length follows that of a resizable buffer.
    pub fn tracks_length(self) -> bool {
        self.tracks
    }
}

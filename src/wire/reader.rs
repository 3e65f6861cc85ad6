//! Reading that never goes beyond its section, and that knows where in the message it stands.

use byteorder::{ByteOrder, LittleEndian};

use super::varint::{self, Malformed};
use crate::error::{ErrorKind, Fault};

/// A section of a message, read from front to back.
#[derive(Debug, Clone)]
pub(crate) struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    /// Where the section begins in the message.
    base: usize,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(bytes: &'a [u8], base: usize) -> Self {
        Reader { bytes, at: 0, base }
    }

    /// Offset in the message of the next byte.
    #[inline]
    pub(crate) fn offset(&self) -> usize {
        self.base + self.at
    }

    /// Place in the section of the next byte: cheaper than its offset.
    #[inline]
    pub(crate) fn place(&self) -> usize {
        self.at
    }

    /// An offset as a place in the section, in 32 bits: for sections that are known to be short enough.
    pub(crate) fn place_of(&self, offset: usize) -> u32 {
        (offset - self.base) as u32
    }

    /// The offset of a place in the section.
    pub(crate) fn offset_of(&self, place: usize) -> usize {
        self.base + place
    }

    /// Bytes of the whole section.
    pub(crate) fn len(&self) -> usize {
        self.bytes.len()
    }

    #[inline]
    pub(crate) fn remaining(&self) -> usize {
        self.bytes.len() - self.at
    }

    #[inline]
    pub(crate) fn u8(&mut self) -> Result<u8, Fault> {
        match self.bytes.get(self.at) {
            Some(&byte) => {
                self.at += 1;
                Ok(byte)
            }
            None => Err(self.truncated()),
        }
    }

    /// Passes over `n` bytes of the [`rest`](Self::rest).
    #[inline]
    pub(crate) fn skip(&mut self, n: usize) {
        debug_assert!(n <= self.remaining());
        self.at += n;
    }

    /// What has not been read yet.
    #[inline]
    pub(crate) fn rest(&self) -> &'a [u8] {
        &self.bytes[self.at..]
    }

    /// The byte that comes next.
    #[inline(always)]
    pub(crate) fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    /// The `N` bytes that come next.
    #[inline(always)]
    pub(crate) fn ahead<const N: usize>(&self) -> Option<&'a [u8; N]> {
        self.bytes.get(self.at..)?.first_chunk()
    }

    /// The next `n` bytes.
    #[inline]
    pub(crate) fn take(&mut self, n: usize) -> Result<&'a [u8], Fault> {
        match self.bytes[self.at..].get(..n) {
            Some(taken) => {
                self.at += n;
                Ok(taken)
            }
            None => Err(self.truncated()),
        }
    }

    #[inline]
    pub(crate) fn varint(&mut self) -> Result<u64, Fault> {
        match varint::read(&self.bytes[self.at..]) {
            Ok((value, n)) => {
                self.at += n;
                Ok(value)
            }
            Err(Malformed::Truncated) => Err(self.truncated()),
            Err(Malformed::NotShortest) => Err(Fault::new(ErrorKind::BadVarint, self.offset())),
        }
    }

    #[inline]
    pub(crate) fn u16(&mut self) -> Result<u16, Fault> {
        self.take(2).map(LittleEndian::read_u16)
    }

    #[inline]
    pub(crate) fn u32(&mut self) -> Result<u32, Fault> {
        self.take(4).map(LittleEndian::read_u32)
    }

    #[inline]
    pub(crate) fn f32(&mut self) -> Result<f32, Fault> {
        self.take(4).map(LittleEndian::read_f32)
    }

    #[inline]
    pub(crate) fn f64(&mut self) -> Result<f64, Fault> {
        self.take(8).map(LittleEndian::read_f64)
    }

    /// Goes to where `rest` begins, which is a [`rest`](Self::rest) of the section.
    #[inline]
    pub(crate) fn go_to_rest(&mut self, rest: &[u8]) {
        self.at = self.bytes.len() - rest.len();
    }

    /// Goes back to an earlier offset.
    pub(crate) fn rewind(&mut self, offset: usize) {
        self.at = offset - self.base;
    }

    /// The section is used up.
    pub(crate) fn finish(&self) -> Result<(), Fault> {
        if self.remaining() == 0 { Ok(()) } else { Err(Fault::new(ErrorKind::UnusedBytes, self.offset())) }
    }

    #[cold]
    fn truncated(&self) -> Fault {
        Fault::new(ErrorKind::Truncated, self.offset())
    }
}

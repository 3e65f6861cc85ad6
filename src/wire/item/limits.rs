//! How much a message may claim to hold, and how often it may repeat what it has once (`spec/format.md`, section 3).

use super::{Place, Source};
use crate::error::{ErrorKind, Fault};

/// What is read again counts for at least so many bytes: a value takes more in memory than in a message.
const LEAST_EXPANSION: u64 = 64;

/// Strings of so many bytes may be used again as often as the message says.
const FREE_REPEAT: usize = 32;

impl Source<'_> {
    /// Says that the container whose tag is at `at` holds `n` values. All that are claimed together are no more than
    /// the structure has bytes, so what is allocated for them is bounded by the message.
    #[inline]
    pub(crate) fn claim(&mut self, n: u64, at: usize) -> Result<(), Fault> {
        match self.unclaimed.checked_sub(n) {
            Some(left) if n <= self.structure.remaining() as u64 => {
                self.unclaimed = left;
                Ok(())
            }
            _ => Err(Fault::new(ErrorKind::LengthOutOfBounds, at)),
        }
    }

    /// Takes `bytes` of what may be read again, for the value at `at`.
    pub(crate) fn expand(&mut self, bytes: u64, at: usize) -> Result<(), Fault> {
        let left = self.expansion.checked_sub(bytes);
        self.expansion = left.ok_or_else(|| Fault::new(ErrorKind::LimitExceeded, at))?;
        Ok(())
    }

    /// A string of `len` bytes that stands once in the message, as a key of a shape or interned, is used again by the
    /// value at `at`. A short one costs no more than other values.
    #[inline]
    pub(crate) fn repeat(&mut self, len: usize, at: usize) -> Result<(), Fault> {
        if len > FREE_REPEAT { self.expand((len - FREE_REPEAT) as u64, at) } else { Ok(()) }
    }

    /// Goes back to `target`, which will be read again: takes what it has of the expansion.
    pub(crate) fn go_back(&mut self, target: Place, at: usize) -> Result<(), Fault> {
        let unclaimed = std::mem::replace(&mut self.unclaimed, u64::MAX);
        self.go_to(target);
        self.skip()?;
        let end = self.place();
        let structure = (end.structure - target.structure) as u64;
        self.unclaimed = unclaimed.saturating_add(structure);
        self.go_to(target);
        let bytes = structure + (end.text - target.text + end.data - target.data) as u64;
        self.expand(bytes.max(LEAST_EXPANSION), at)
    }
}

//! Bytes to which short runs are appended.
//!
//! What lies behind them is there already, as zeros or whatever stood there before. So a short run is a few stores of
//! fixed length, and what is too much is written over by the next.

use std::io;
use std::ops::Deref;

use super::copy::{self, SHORT};

#[derive(Default)]
pub(crate) struct Runs {
    bytes: Vec<u8>,
    /// How many of them count.
    len: usize,
}

impl Deref for Runs {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        &self.bytes[..self.len]
    }
}

impl Runs {
    #[inline(always)]
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    pub(crate) fn capacity(&self) -> usize {
        self.bytes.capacity()
    }

    #[inline]
    pub(crate) fn truncate(&mut self, len: usize) {
        self.len = self.len.min(len);
    }

    /// Makes room for `more` bytes.
    pub(crate) fn reserve(&mut self, more: usize) {
        if self.bytes.len() - self.len < more {
            self.bytes.truncate(self.len);
            self.bytes.reserve(more);
            self.bytes.resize(self.bytes.capacity(), 0);
        }
    }

    /// Appends `run`.
    #[inline]
    pub(crate) fn append(&mut self, run: &[u8]) {
        match self.bytes.get_mut(self.len..).and_then(|rest| rest.first_chunk_mut()) {
            Some(room) if run.len() <= SHORT => {
                copy::put(room, run);
                self.len += run.len();
            }
            _ => self.append_long(run),
        }
    }

    #[inline(never)]
    fn append_long(&mut self, run: &[u8]) {
        // Room for the next one too, which then comes here no more.
        self.reserve(run.len() + SHORT);
        copy::fill(&mut self.bytes[self.len..], run);
        self.len += run.len();
    }
}

impl io::Write for Runs {
    fn write(&mut self, run: &[u8]) -> io::Result<usize> {
        self.append(run);
        Ok(run.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_of_every_length_stand_behind_one_another() {
        for lens in [&[0, 1, 3, 64, 65, 2048, 5000, 2][..], &[5000, 64, 64, 0, 1], &[63; 100]] {
            let (mut runs, mut bytes) = (Runs::default(), Vec::new());
            for round in 0..3 {
                for (n, &len) in lens.iter().enumerate() {
                    let run: Vec<u8> = (0..len).map(|at| (at * 7 + n + round) as u8).collect();
                    runs.append(&run);
                    bytes.extend_from_slice(&run);
                    assert_eq!(*runs, *bytes);
                }
                // What stood there is no part of what comes.
                let half = bytes.len() / 2;
                runs.truncate(half);
                bytes.truncate(half);
                assert_eq!((&*runs, runs.len()), (&*bytes, half));
                runs.reserve(round * 3000);
            }
        }
    }
}

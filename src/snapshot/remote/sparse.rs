//! A message of which some blocks have been fetched: room for all of it, and what to fetch next.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::error::{Error, ErrorKind};
use crate::lazy::Guard;
use crate::snapshot::header::BLOCK;

/// Which blocks are there, and which were asked for in vain.
#[derive(Debug, Clone, Default)]
pub(super) struct Fetched(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    there: BTreeSet<u64>,
    wanted: Vec<Range<u64>>,
}

impl Guard for Fetched {
    fn check(&self, _: &[u8], range: Range<usize>) -> Result<(), Error> {
        let blocks = blocks(range);
        let mut state = self.state();
        if blocks.clone().all(|block| state.there.contains(&block)) {
            return Ok(());
        }
        state.wanted.push(blocks);
        Err(Error::new(ErrorKind::Io, "this part of the object has not been fetched"))
    }
}

impl Fetched {
    fn state(&self) -> MutexGuard<'_, State> {
        // Nothing is half done in there.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn insert(&self, block: u64) {
        self.state().there.insert(block);
    }

    pub(super) fn forget_wanted(&self) {
        self.state().wanted.clear();
    }

    /// The blocks of what was asked for that are not there, of `count` in all, with those that are likely to be next: as
    /// many as are there without a gap before them, so that who reads on takes the more the further he has come; and at
    /// least `more`, wherever they are.
    pub(super) fn missing(&self, count: u64, more: u64) -> Vec<Range<u64>> {
        let mut state = self.state();
        let wanted = std::mem::take(&mut state.wanted);
        let there = |block: &u64| state.there.contains(block);
        let mut missing = BTreeSet::new();
        for range in wanted {
            missing.extend(range.clone().filter(|block| !there(block)));
            let before = (0..range.start).rev().take_while(there).count() as u64;
            let ahead: Vec<u64> =
                (range.end..count).filter(|block| !there(block)).take(before.max(more) as usize).collect();
            let behind = more.saturating_sub(ahead.len() as u64);
            missing.extend((0..range.start).rev().filter(|block| !there(block)).take(behind as usize));
            missing.extend(ahead);
        }
        let mut runs: Vec<Range<u64>> = Vec::new();
        for block in missing {
            match runs.last_mut() {
                Some(run) if run.end == block => run.end += 1,
                _ => runs.push(block..block + 1),
            }
        }
        runs
    }
}

/// The blocks that these bytes of a message are in.
pub(super) fn blocks(range: Range<usize>) -> Range<u64> {
    match range.is_empty() {
        true => 0..0,
        false => (range.start / BLOCK) as u64..(range.end - 1) as u64 / BLOCK as u64 + 1,
    }
}

#[allow(clippy::single_range_in_vec_init, reason = "runs are compared with lists of ranges")]
#[cfg(test)]
mod tests {
    use super::*;

    fn asked(fetched: &Fetched, range: Range<usize>, more: u64) -> Vec<Range<u64>> {
        assert!(fetched.check(&[], range).is_err());
        fetched.missing(100, more)
    }

    #[test]
    fn who_reads_on_gets_as_much_again() {
        let fetched = Fetched::default();
        assert_eq!(asked(&fetched, 10 * BLOCK..10 * BLOCK + 1, 0), [10..11]);
        (10..14).for_each(|block| fetched.insert(block));
        assert!(fetched.check(&[], 10 * BLOCK..14 * BLOCK).is_ok());
        assert_eq!(asked(&fetched, 14 * BLOCK..14 * BLOCK + 1, 0), [14..19]);
        assert_eq!(asked(&fetched, 98 * BLOCK..98 * BLOCK + 1, 0), [98..99]);
        assert_eq!(asked(&fetched, 98 * BLOCK..98 * BLOCK + 1, 5), [94..100]);
        assert_eq!(asked(&fetched, 9 * BLOCK..9 * BLOCK + 1, 3), [9..10, 14..17]);
        assert!(fetched.missing(100, 50).is_empty());
    }
}

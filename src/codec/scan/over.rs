//! Reading over values that nobody asks for, as fast as it goes, or with each of them shown.

use super::{Head, Scan};
use crate::error::Fault;
use crate::wire::index::Position;
use crate::wire::tag;

impl Scan<'_> {
    /// Reads over up to `n` values that are numbers, short strings and the like, as far as they begin before `until` in the
    /// structure; how many. What is wrong with one is left to [`head`](Self::head).
    #[inline]
    pub(crate) fn pass_leaves(&mut self, n: u64, until: u64) -> u64 {
        let bytes = self.reader.rest();
        let within = usize::try_from(until.saturating_sub(self.at.structure)).unwrap_or(usize::MAX);
        let (mut at, mut text, mut passed) = (0, self.at.text, 0);
        while passed < n && at < within {
            let Some(&tag) = bytes.get(at) else { break };
            let len = match tag {
                ..=tag::INT_MAX | tag::NULL | tag::UNDEFINED | tag::FALSE | tag::TRUE => 1,
                tag::STRING..tag::ARRAY => {
                    let end = text + u64::from(tag - tag::STRING);
                    if end > self.text_len {
                        break;
                    }
                    text = end;
                    1
                }
                tag::U8 | tag::I8 => 2,
                tag::U16 | tag::I16 => 3,
                tag::U32 | tag::I32 | tag::F32 => 5,
                tag::F64 => 9,
                _ => break,
            };
            if len > bytes.len() - at {
                break;
            }
            at += len;
            passed += 1;
        }
        self.reader.skip(at);
        self.at.text = text;
        self.settle();
        passed
    }

    /// Reads over `n` values. `ahead` is told where in the structure the scan stands, and says up to where it may go
    /// before it asks again.
    pub(crate) fn skip<E: From<Fault>>(
        &mut self,
        n: u64,
        mut ahead: impl FnMut(u64) -> Result<u64, E>,
    ) -> Result<(), E> {
        let (mut left, mut until) = (n, 0);
        // The arrays with holes around the value: what else they have to come.
        let mut sparse: Vec<(u64, u64)> = Vec::new();
        loop {
            if self.at.structure >= until {
                until = ahead(self.at.structure)?;
            }
            if left == 0 {
                match sparse.pop() {
                    None => return Ok(()),
                    // Behind its last element an array with holes has its extra properties.
                    Some((outer, 0)) => left = outer.saturating_add(self.varint()?.saturating_mul(2)),
                    Some((outer, elements)) => {
                        self.varint()?;
                        sparse.push((outer, elements - 1));
                        left = 1;
                    }
                }
                continue;
            }
            let passed = self.pass_leaves(left, until);
            left -= passed;
            if left == 0 || self.at.structure >= until {
                continue;
            }
            left -= 1;
            match self.head()? {
                Head::Sparse { present, .. } => {
                    sparse.push((left, present));
                    left = 0;
                }
                head => left = left.saturating_add(head.values(self.shapes)),
            }
        }
    }

    /// Reads over the next value, and shows each item with where it begins and the scan behind it. The visitor may stop
    /// the walk; whether it came to its end is returned.
    pub(crate) fn walk(
        &mut self,
        mut visit: impl FnMut(&Self, Position, &Head) -> Result<bool, Fault>,
    ) -> Result<bool, Fault> {
        // Values to come, and the arrays with holes around them: what else they have to come.
        let mut left = 1u64;
        let mut sparse: Vec<(u64, u64)> = Vec::new();
        loop {
            while left == 0 {
                match sparse.pop() {
                    None => return Ok(true),
                    // Behind its last element an array with holes has its extra properties.
                    Some((outer, 0)) => left = outer.saturating_add(self.varint()?.saturating_mul(2)),
                    Some((outer, elements)) => {
                        self.varint()?;
                        sparse.push((outer, elements - 1));
                        left = 1;
                    }
                }
            }
            left -= 1;
            let position = self.at;
            let head = self.head()?;
            if !visit(self, position, &head)? {
                return Ok(false);
            }
            if let Head::Sparse { present, .. } = head {
                sparse.push((left, present));
                left = 0;
            } else {
                left = left.saturating_add(head.values(self.shapes));
            }
        }
    }
}

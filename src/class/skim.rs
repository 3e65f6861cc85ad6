//! Passing over a value without reading it, and noting where the objects in it begin and end.
//!
//! No recursion, and nothing is passed over twice: what has been noted is passed in one step.

use super::read::{Extent, Place, Reader};
use crate::error::Error;
use crate::wire::item::Item;
use crate::wire::tag;

/// A container that is passed over.
#[derive(Clone, Copy)]
struct Frame {
    /// Values that are still to come.
    left: u64,
    /// An array with holes: a gap before each value, a count of properties after them.
    sparse: bool,
    identity: Option<u32>,
}

impl Reader<'_> {
    /// Passes over the next value.
    pub(super) fn skim(&mut self) -> Result<(), Error> {
        // What is passed over and then read claims its values twice.
        let all = self.source.structure.len() as u64;
        let unclaimed = std::mem::replace(&mut self.source.unclaimed, all);
        let expansion = std::mem::replace(&mut self.source.expansion, u64::MAX);
        let result = self.skim_value();
        (self.source.unclaimed, self.source.expansion) = (unclaimed, expansion);
        result
    }

    fn skim_value(&mut self) -> Result<(), Error> {
        let mut stack = Vec::new();
        let mut frame = Frame { left: 1, sparse: false, identity: None };
        loop {
            while frame.left == 0 {
                if frame.sparse {
                    let at = self.source.structure.offset();
                    frame.left = 2 * self.count(2, at)? as u64;
                    frame.sparse = false;
                    continue;
                }
                if let Some(identity) = frame.identity {
                    self.extents[identity as usize].end = Some(self.place());
                }
                match stack.pop() {
                    Some(parent) => frame = parent,
                    None => return Ok(()),
                }
            }
            frame.left -= 1;
            if frame.sparse {
                self.source.structure.varint()?;
            }
            if let Some(inner) = self.skim_item()? {
                stack.push(frame);
                frame = inner;
            }
        }
    }

    /// Passes over an item; the values that follow, if any do.
    fn skim_item(&mut self) -> Result<Option<Frame>, Error> {
        let start = self.place();
        if let Some(end) = self.noted(&start)
            && (tag::ARRAY..=tag::VIEW).contains(&self.peek()?)
        {
            self.go(end);
            return Ok(None);
        }
        let item = self.source.item()?;
        let identities = item.identities();
        if identities == 0 {
            return Ok(None);
        }
        let identity = self.identities as usize;
        let unknown = Extent { start, end: None };
        if identity >= self.extents.len() {
            self.extents.resize(identity + 1, unknown);
        }
        self.extents[identity] = unknown;
        self.identities += identities;
        let left = match item {
            Item::Array(n) | Item::Set(n) => n,
            Item::Dictionary { len, .. } => 2 * len,
            Item::Map(n) => 2 * n,
            Item::Boxed => 1,
            Item::Object(shape) => self.source.values_of(shape, start.at.structure)?,
            Item::Sparse { present, .. } => present,
            _ => 0,
        };
        let sparse = matches!(item, Item::Sparse { .. });
        Ok(Some(Frame { left, sparse, identity: Some(identity as u32) }))
    }

    /// Where the object ends whose tag is at `start`, if it has been passed over before.
    fn noted(&self, start: &Place) -> Option<Place> {
        let extent = self.extents.get(start.identities as usize)?;
        extent.end.filter(|_| extent.start.at == start.at)
    }
}

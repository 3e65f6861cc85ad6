//! Walking over a value item by item, without recursion: to find where the objects stand that references mean.

use super::super::shapes::DERIVED;
use super::{Item, Place, Source};
use crate::error::Fault;

/// Where an object stands that can be referred to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Identity {
    pub(crate) place: Place,
    /// The base of a derived instance, or an object in records: nothing may refer to it.
    pub(crate) is_base: bool,
}

impl<'a> Source<'a> {
    /// Reads over the next value and shows each item: where it stands, what it is, whether it is the base of a derived
    /// instance, and the source behind it. Keys of dictionaries are items too.
    pub(crate) fn walk(&mut self, mut visit: impl FnMut(&Self, Place, &Item<'a>, bool)) -> Result<(), Fault> {
        // Values to come, and the arrays with holes around them: what else they have to come.
        let mut left = 1u64;
        let mut sparse: Vec<(u64, u64)> = Vec::new();
        let mut base_next = false;
        loop {
            while left == 0 {
                match sparse.pop() {
                    None => return Ok(()),
                    // Behind its last element an array with holes has its extra properties.
                    Some((outer, 0)) => {
                        let at = self.structure.offset();
                        let n = self.structure.varint()?;
                        self.claim(n.saturating_mul(2), at)?;
                        left = outer + n * 2;
                    }
                    Some((outer, elements)) => {
                        self.structure.varint()?;
                        sparse.push((outer, elements - 1));
                        left = 1;
                    }
                }
            }
            left -= 1;
            let place = self.place();
            let item = self.item()?;
            visit(self, place, &item, std::mem::take(&mut base_next));
            match item {
                Item::Array(n) | Item::Set(n) => left += n,
                Item::Dictionary { len, .. } => left += 2 * len,
                Item::Map(n) => left += 2 * n,
                Item::Boxed => left += 1,
                Item::Object(shape) => {
                    left += self.values_of(shape, place.structure)?;
                    base_next = self.shapes.shape(shape).is_some_and(|shape| shape.kind == DERIVED);
                }
                Item::Sparse { present, .. } => {
                    sparse.push((left, present));
                    left = 0;
                }
                _ => {}
            }
        }
    }

    /// Where each identity stands, up to where the message ends or is not right. The buffer of a typed array or of a view
    /// has its owner's place.
    pub(crate) fn identities(&mut self, start: Place) -> Vec<Identity> {
        let before = self.place();
        let limits = (self.unclaimed, self.expansion);
        self.go_to(start);
        (self.unclaimed, self.expansion) = (u64::MAX, u64::MAX);
        let mut found = Vec::new();
        // A fault is met again, and told, when the value that has it is read.
        let _ = self.walk(|_, place, item, is_base| {
            // The buffer of a base may be referred to, what is in records not.
            let in_records = matches!(item, Item::Records(_));
            let identities =
                (0..item.identities()).map(|i| Identity { place, is_base: if i == 0 { is_base } else { in_records } });
            found.extend(identities);
        });
        self.go_to(before);
        (self.unclaimed, self.expansion) = limits;
        found
    }
}

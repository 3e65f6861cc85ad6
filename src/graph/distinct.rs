//! Finding what stands twice, in linear time and against keys chosen to collide.

use std::hash::{BuildHasher, Hash};

use foldhash::fast::RandomState;

/// Up to this many items are compared each with each: no table to clear.
const FEW: usize = 8;

/// A table that is kept from one use to the next. Its cost is that of the items, however large it once was.
#[derive(Debug, Default, Clone)]
pub(crate) struct Distinct {
    /// Index + 1 of an item; 0 where there is none.
    table: Vec<u32>,
    state: RandomState,
}

impl Distinct {
    /// How much its table can hold.
    pub(crate) fn capacity(&self) -> usize {
        self.table.capacity()
    }

    /// The index of the first of `n` items that equals one before it.
    pub(crate) fn first_duplicate<T: Hash + PartialEq>(
        &mut self,
        n: usize,
        item: impl Fn(usize) -> T,
    ) -> Option<usize> {
        if n <= FEW {
            return (1..n).find(|&i| {
                let this = item(i);
                (0..i).any(|before| item(before) == this)
            });
        }
        let size = (2 * n).next_power_of_two();
        if self.table.len() < size {
            self.table.resize(size, 0);
        }
        let table = &mut self.table[..size];
        table.fill(0);
        (0..n).find(|&i| {
            let this = item(i);
            let mut place = self.state.hash_one(&this) as usize & (size - 1);
            loop {
                match table[place] {
                    0 => {
                        table[place] = i as u32 + 1;
                        return false;
                    }
                    before if item(before as usize - 1) == this => return true,
                    _ => place = (place + 1) & (size - 1),
                }
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_of_two_is_found_in_few_and_in_many() {
        let mut distinct = Distinct::default();
        for n in [0, 1, 2, FEW, FEW + 1, 1000] {
            assert_eq!(distinct.first_duplicate(n, |i| i), None);
            if n > 1 {
                assert_eq!(distinct.first_duplicate(n, |i| if i == n - 1 { 0 } else { i }), Some(n - 1));
            }
        }
    }
}

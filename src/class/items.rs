//! Items of the structure that follow one another: while the small fields of an instance are written, the structure is
//! held here, so that each costs a few instructions: where the next one goes is in a register, not in the message.

use std::hint::select_unpredictable;
use std::mem::swap;

use super::Writer;
use crate::error::Error;
use crate::wire::structure::{self, Short};
use crate::wire::tag;

/// The structure of a message, which the writer is without until [`append`](Self::append) gives it back.
#[doc(hidden)]
pub struct Items(Vec<u8>);

impl Items {
    /// Begins behind what has been written.
    #[inline(always)]
    pub fn of(to: &mut Writer) -> Self {
        Items(std::mem::take(&mut to.message.structure))
    }

    /// Gives the structure back.
    #[inline(always)]
    pub fn append(mut self, to: &mut Writer) {
        swap(&mut self.0, &mut to.message.structure);
    }

    /// What the writer writes, behind the items so far. After an error the writer has the structure.
    #[inline(always)]
    pub fn pass(&mut self, to: &mut Writer, write: impl FnOnce(&mut Writer) -> Result<(), Error>) -> Result<(), Error> {
        swap(&mut self.0, &mut to.message.structure);
        write(to).map_err(failed)?;
        swap(&mut self.0, &mut to.message.structure);
        Ok(())
    }

    /// Appends an item: all bytes are written, and what is too much is taken back.
    #[inline(always)]
    pub(super) fn push(&mut self, (item, len): Short) {
        let out = &mut self.0;
        // Room is made apart, so that there is no call on this path.
        if out.capacity() - out.len() < size_of::<u64>() {
            *out = push_with_room(std::mem::take(out), (item, len));
            return;
        }
        let end = out.len() + len;
        out.extend_from_slice(&item.to_le_bytes());
        out.truncate(end);
    }

    /// An item that is only a tag.
    #[inline(always)]
    pub(super) fn tag(&mut self, tag: u8) {
        let out = &mut self.0;
        if out.len() == out.capacity() {
            *out = push_with_room(std::mem::take(out), (u64::from(tag), 1));
            return;
        }
        out.push(tag);
    }

    /// The item, or `null`: which, can't be predicted.
    #[inline(always)]
    pub(super) fn push_or_null(&mut self, is_some: bool, (item, len): Short) {
        let item = select_unpredictable(is_some, item, u64::from(tag::NULL));
        self.push((item, select_unpredictable(is_some, len, 1)));
    }

    /// A reference to what has this identity.
    #[inline(always)]
    pub(super) fn reference(&mut self, identity: u32) {
        // A varint: seven bits a byte, and the top bit in all but the last.
        let (mut item, mut len, mut left) = (u64::from(tag::REFERENCE), 1, u64::from(identity));
        while left > 0x7F {
            item |= (left & 0x7F | 0x80) << (8 * len);
            (len, left) = (len + 1, left >> 7);
        }
        self.push((item | left << (8 * len), len + 1));
    }

    #[inline(always)]
    pub(super) fn number(&mut self, number: f64) {
        match structure::short_number(number) {
            Some(short) => self.push(short),
            None => {
                self.tag(tag::F64);
                // No NaN comes here.
                self.push((number.to_bits(), size_of::<f64>()));
            }
        }
    }
}

/// The items of a class whose fields are of so many: none where they are not gathered.
#[doc(hidden)]
pub const fn items_of(fields: &[usize]) -> usize {
    // More would make the code of every class that holds one longer than it is worth.
    const MOST: usize = 16;
    let (mut index, mut items) = (0, 1);
    while index < fields.len() {
        if fields[index] == 0 {
            return 0;
        }
        items += fields[index];
        index += 1;
    }
    if items > MOST { 0 } else { items }
}

/// Says to the compiler that errors are rare: it takes either outcome for as likely, and what stands behind a few of
/// them for code that hardly runs and need not be inlined.
#[cold]
#[inline(never)]
fn failed(error: Error) -> Error {
    error
}

/// Where there is too little room: seldom, and out of the way. Nothing that is held elsewhere is lent to it.
#[cold]
#[inline(never)]
fn push_with_room(mut structure: Vec<u8>, (item, len): Short) -> Vec<u8> {
    structure.extend_from_slice(&item.to_le_bytes()[..len]);
    structure
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_are_those_of_the_structure_whatever_room_there_is() {
        for room in 0..40 {
            let (mut items, mut out) = (Items(Vec::with_capacity(room)), Vec::new());
            for identity in [0, 127, 128, (1 << 14) - 1, 1 << 14, (1 << 21) - 1, 1 << 21, 1 << 28, u32::MAX] {
                items.reference(identity);
                structure::tagged(&mut out, tag::REFERENCE, u64::from(identity));
            }
            items.tag(tag::TRUE);
            structure::bare(&mut out, tag::TRUE);
            for number in [0.5, 0.1, -1e300, 70_000.0] {
                items.number(number);
                structure::number(&mut out, number);
            }
            items.push_or_null(false, structure::short_integer(-300));
            structure::bare(&mut out, tag::NULL);
            items.push_or_null(true, structure::short_integer(-300));
            structure::integer(&mut out, -300);
            assert_eq!(items.0, out, "{room}");
        }
    }
}

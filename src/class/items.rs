//! Items of the structure that are gathered before they are appended, so that the small fields of an instance cost a few
//! instructions each: where the next one goes is in a register, not in the message.

use super::Writer;
use crate::wire::structure::{self, Short};
use crate::wire::tag;

/// Items that follow one another. They are lost unless [`append`](Self::append) is called at the end, and before
/// anything else is written.
#[doc(hidden)]
pub struct Items {
    bytes: [u8; Self::ROOM],
    len: usize,
}

/// The bytes of the largest item that is gathered: a double.
const LARGEST: usize = 9;

impl Default for Items {
    #[inline(always)]
    fn default() -> Self {
        Items { bytes: [0; Self::ROOM], len: 0 }
    }
}

impl Items {
    const ROOM: usize = 64;

    /// Appends them to the structure.
    #[inline(always)]
    pub fn append(&mut self, to: &mut Writer) {
        // A constant number of bytes is copied without a call.
        let structure = &mut to.message.structure;
        let end = structure.len() + self.len;
        structure.extend_from_slice(&self.bytes);
        structure.truncate(end);
        self.len = 0;
    }

    /// Makes room for one more.
    #[inline(always)]
    fn make_room(&mut self, to: &mut Writer) {
        if self.len > Self::ROOM - LARGEST {
            append_many(&self.bytes, self.len, to);
            self.len = 0;
        }
    }

    #[inline(always)]
    fn push(&mut self, (item, len): Short, to: &mut Writer) {
        self.make_room(to);
        self.bytes[self.len..self.len + size_of::<u64>()].copy_from_slice(&item.to_le_bytes());
        self.len += len;
    }

    /// An item that is only a tag.
    #[inline(always)]
    pub(super) fn tag(&mut self, tag: u8, to: &mut Writer) {
        self.make_room(to);
        self.bytes[self.len] = tag;
        self.len += 1;
    }

    #[inline(always)]
    pub(super) fn unsigned(&mut self, n: u32, to: &mut Writer) {
        self.push(structure::short_unsigned(n), to);
    }

    #[inline(always)]
    pub(super) fn integer(&mut self, n: i32, to: &mut Writer) {
        self.push(structure::short_integer(n), to);
    }

    #[inline(always)]
    pub(super) fn single(&mut self, number: f32, to: &mut Writer) {
        self.push(structure::short_number_single(number), to);
    }

    /// An array of `len` elements, which follow.
    #[inline(always)]
    pub(super) fn array(&mut self, len: usize, to: &mut Writer) {
        if len as u64 <= tag::ARRAY_MAX {
            self.tag(tag::ARRAY + len as u8, to);
            to.message.identities += 1;
        } else {
            self.append(to);
            to.container(tag::ARRAY, len);
        }
    }

    #[inline(always)]
    pub(super) fn number(&mut self, number: f64, to: &mut Writer) {
        match structure::short_number(number) {
            Some(short) => self.push(short, to),
            None => {
                self.tag(tag::F64, to);
                // There is room: the tag made it for a whole item. No NaN comes here.
                self.bytes[self.len..self.len + 8].copy_from_slice(&number.to_le_bytes());
                self.len += 8;
            }
        }
    }
}

/// The items of a class whose fields are of so many: none where they are not gathered.
#[doc(hidden)]
pub const fn items_of(fields: &[usize]) -> usize {
    // More would make the code of every class that holds one longer than it is worth.
    const MOST: usize = 10;
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

/// Where more come than there is room for: seldom, and out of the way.
#[cold]
#[inline(never)]
fn append_many(bytes: &[u8], len: usize, to: &mut Writer) {
    to.message.structure.extend_from_slice(&bytes[..len]);
}

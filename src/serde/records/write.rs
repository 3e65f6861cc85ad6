//! Sequences as arrays of records.

use serde::ser::Serialize;

use super::row::Row;
use super::{MAX_SIZE, WINDOW};
use crate::error::Error;
use crate::serde::ser::Serializer;
use crate::wire::{tag, varint};

/// Records are written in blocks of about so many bytes: room is made for all of a block at once.
const BLOCK: usize = 8 * MAX_SIZE;

/// Writes an array whose first element has been found to be a record: that one and the other `items`.
pub(in crate::serde) fn collect(
    ser: &mut Serializer,
    len: Option<usize>,
    mut items: impl Iterator<Item: Serialize>,
) -> Result<(), Error> {
    let Serializer { message, sketch, .. } = &mut *ser;
    let start = message.data.len();
    let size = sketch.layout.size;
    message.data.extend_from_slice(&sketch.record);
    let mut n = 1;
    let deviating = 'all: loop {
        let mut at = message.data.len();
        let likely = items.size_hint().0.max(1).saturating_mul(size);
        let end = at + likely.min(BLOCK);
        message.data.resize(end + WINDOW, 0);
        while at < end {
            let Some(item) = items.next() else {
                message.data.truncate(at);
                break 'all None;
            };
            let done = match message.data.get_mut(at..).and_then(|rest| rest.first_chunk_mut()) {
                Some(out) => item.serialize(Row { plan: &sketch.plan, out }).map_or(0, |done| done.steps),
                None => 0,
            };
            if done as usize != sketch.plan.len {
                message.data.truncate(at);
                break 'all Some(item);
            }
            at += size;
            n += 1;
        }
        message.data.truncate(at);
    };
    let Some(item) = deviating else {
        let Serializer { message, sketch, .. } = ser;
        message.structure.push(tag::RECORDS);
        sketch.layout.write(&mut message.structure, |shape| shape);
        varint::write(&mut message.structure, n as u64);
        message.identities = message.identities.saturating_add((1 + n * sketch.layout.objects) as u32);
        return Ok(());
    };
    // An element that deviates is serialized a second time; what was written of it is not in the message.
    let at = unlay(ser, len, start, n)?;
    for item in std::iter::once(item).chain(items) {
        item.serialize(&mut *ser).map_err(|error| error.within_index(n))?;
        n += 1;
    }
    ser.close_array(at, len, n);
    Ok(())
}

/// Writes the `n` records that are in the data from `start` as values of an array that is now open: where its header is.
#[cold]
fn unlay(ser: &mut Serializer, len: Option<usize>, start: usize, n: usize) -> Result<usize, Error> {
    let records = ser.message.data.split_off(start);
    let layout = std::mem::take(&mut ser.sketch.layout);
    let at = ser.open_array(len)?;
    for record in records.chunks_exact(layout.size).take(n) {
        layout.write_values(&mut ser.message.structure, 0, record, |shape| shape);
    }
    ser.message.identities = ser.message.identities.saturating_add((n * layout.objects) as u32);
    Ok(at)
}

//! simd-json: JSON text, parsed in place into a value that borrows from it, or into a tape.

use std::hint::black_box;

use anyhow::Context;
use simd_json::prelude::Writable;
use simd_json::{BorrowedValue, Buffers, Tape};

use super::{CHECKED, Operation, Peer, Prepared};
use crate::input::Input;
use crate::sameness::ensure_same;
use crate::stopwatch::{Sample, time, time_each};

pub fn prepare(input: &Input) -> Prepared {
    let Some(tree) = input.tree() else {
        return Ok(None);
    };
    let message = serde_json::to_vec(tree)?;
    let mut scratch = message.clone();
    // Its strings are owned, so a clone is a deep one.
    let value = simd_json::to_borrowed_value(&mut scratch)?.into_static();
    let mut written = Vec::new();
    value.write(&mut written)?;
    ensure_same(tree, &serde_json::from_slice(&written)?)?;
    let buffers = Buffers::new(message.len());
    Ok(Some(Box::new(Borrowed { value, message, buffers, out: Vec::new() })))
}

pub fn prepare_tape(input: &Input) -> Prepared {
    let Some(tree) = input.tree() else {
        return Ok(None);
    };
    let message = serde_json::to_vec(tree)?;
    let mut scratch = message.clone();
    let tape = simd_json::to_tape(&mut scratch)?;
    let value: serde_json::Value = tape.deserialize().context("as a serde_json value")?;
    ensure_same(tree, &value)?;
    let buffers = Buffers::new(message.len());
    Ok(Some(Box::new(AsTape { message, buffers })))
}

struct Borrowed {
    value: BorrowedValue<'static>,
    message: Vec<u8>,
    buffers: Buffers,
    out: Vec<u8>,
}

impl Peer for Borrowed {
    fn message_len(&self) -> usize {
        self.message.len()
    }

    fn sample(&mut self, operation: Operation, times: usize) -> Option<Sample> {
        Some(match operation {
            Operation::Encode => time(times, || {
                self.out.clear();
                self.value.write(&mut self.out).expect(CHECKED);
                black_box(&self.out);
            }),
            Operation::Decode => {
                let mut inputs = vec![self.message.clone(); times];
                time_each(inputs.iter_mut(), |input| {
                    simd_json::to_borrowed_value_with_buffers(input, &mut self.buffers).expect(CHECKED)
                })
            }
            Operation::Clone => time(times, || self.value.clone()),
            _ => return None,
        })
    }
}

struct AsTape {
    message: Vec<u8>,
    buffers: Buffers,
}

impl Peer for AsTape {
    fn message_len(&self) -> usize {
        self.message.len()
    }

    fn sample(&mut self, operation: Operation, times: usize) -> Option<Sample> {
        match operation {
            Operation::Decode => {
                let mut inputs = vec![self.message.clone(); times];
                Some(time_each(inputs.iter_mut(), |input| -> Tape<'_> {
                    simd_json::to_tape_with_buffers(input, &mut self.buffers).expect(CHECKED)
                }))
            }
            // A tape is a way to read.
            _ => None,
        }
    }
}

//! sonic-rs: JSON text and `Value`, an arena that is shared by reference count.

use std::hint::black_box;

use sonic_rs::Value;

use super::{CHECKED, Operation, Peer, Prepared};
use crate::input::Input;
use crate::sameness::ensure_same;
use crate::stopwatch::{Sample, time};

pub fn prepare(input: &Input) -> Prepared {
    let Some(tree) = input.tree() else {
        return Ok(None);
    };
    let message = serde_json::to_vec(tree)?;
    let value: Value = sonic_rs::from_slice(&message)?;
    ensure_same(tree, &serde_json::from_slice(&sonic_rs::to_vec(&value)?)?)?;
    Ok(Some(Box::new(SonicRs { value, message, out: Vec::new() })))
}

struct SonicRs {
    value: Value,
    message: Vec<u8>,
    out: Vec<u8>,
}

impl Peer for SonicRs {
    fn message_len(&self) -> usize {
        self.message.len()
    }

    fn sample(&mut self, operation: Operation, times: usize) -> Option<Sample> {
        match operation {
            Operation::Encode => Some(time(times, || {
                self.out.clear();
                sonic_rs::to_writer(&mut self.out, &self.value).expect(CHECKED);
                black_box(&self.out);
            })),
            Operation::Decode => Some(time(times, || sonic_rs::from_slice::<Value>(&self.message).expect(CHECKED))),
            // A clone of a parsed value counts one reference more: it shares all of it.
            _ => None,
        }
    }
}

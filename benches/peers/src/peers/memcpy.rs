//! memcpy: no library, but the limit for `numbers`: the payload, four bytes an integer, copied from one
//! place that is there to another.

use std::hint::black_box;

use anyhow::{Context, ensure};
use marshal_bench_data::Dataset;

use super::{Operation, Peer, Prepared};
use crate::input::Input;
use crate::stopwatch::{Sample, time};

pub fn prepare(input: &Input) -> Prepared {
    if input.dataset != Dataset::Numbers {
        return Ok(None);
    }
    let numbers = input.tree().and_then(|tree| tree.as_array()).context("no array")?;
    let mut payload = Vec::with_capacity(4 * numbers.len());
    for number in numbers {
        let integer = number.as_i64().context("no integer")?;
        payload.extend(i32::try_from(integer)?.to_le_bytes());
    }
    let mut out = Vec::new();
    copy(&payload, &mut out);
    ensure!(out == payload);
    Ok(Some(Box::new(Memcpy { payload, out })))
}

struct Memcpy {
    payload: Vec<u8>,
    out: Vec<u8>,
}

impl Peer for Memcpy {
    fn message_len(&self) -> usize {
        self.payload.len()
    }

    fn sample(&mut self, operation: Operation, times: usize) -> Option<Sample> {
        match operation {
            Operation::Encode | Operation::Decode => Some(time(times, || {
                copy(&self.payload, &mut self.out);
                black_box(&self.out);
            })),
            _ => None,
        }
    }
}

fn copy(from: &[u8], to: &mut Vec<u8>) {
    to.clear();
    to.extend_from_slice(from);
}

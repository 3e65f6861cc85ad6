//! ciborium: CBOR and its `Value`.

use std::hint::black_box;

use ciborium::Value;

use super::{CHECKED, Operation, Peer, Prepared};
use crate::input::Input;
use crate::sameness::ensure_same;
use crate::stopwatch::{Sample, time};

pub fn prepare(input: &Input) -> Prepared {
    let Some(tree) = input.tree() else {
        return Ok(None);
    };
    let value = Value::serialized(tree)?;
    let mut message = Vec::new();
    ciborium::into_writer(&value, &mut message)?;
    let read: Value = ciborium::from_reader(&message[..])?;
    ensure_same(tree, &read.deserialized()?)?;
    Ok(Some(Box::new(Ciborium { value, message, out: Vec::new() })))
}

struct Ciborium {
    value: Value,
    message: Vec<u8>,
    out: Vec<u8>,
}

impl Peer for Ciborium {
    fn message_len(&self) -> usize {
        self.message.len()
    }

    fn sample(&mut self, operation: Operation, times: usize) -> Option<Sample> {
        Some(match operation {
            Operation::Encode => time(times, || {
                self.out.clear();
                ciborium::into_writer(&self.value, &mut self.out).expect(CHECKED);
                black_box(&self.out);
            }),
            Operation::Decode => time(times, || ciborium::from_reader::<Value, _>(&self.message[..]).expect(CHECKED)),
            Operation::Clone => time(times, || self.value.clone()),
            _ => return None,
        })
    }
}

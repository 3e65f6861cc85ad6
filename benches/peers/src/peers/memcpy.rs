//! memcpy: no library, but the limit: the payload copied from one place that is there to another. That of `numbers` is four
//! bytes an integer; that of `text` is its strings, which every library copies to write them.

use std::hint::black_box;

use anyhow::{Context, Result, ensure};
use marshal_bench_data::Dataset;
use serde_json::Value as Json;

use super::{Operation, Peer, Prepared};
use crate::input::Input;
use crate::stopwatch::{Sample, time};

pub fn prepare(input: &Input) -> Prepared {
    let Some(tree) = input.tree() else {
        return Ok(None);
    };
    let (payload, is_lent) = match input.dataset {
        Dataset::Numbers => (integers(tree)?, false),
        Dataset::Text => (strings(tree), true),
        _ => return Ok(None),
    };
    let mut out = Vec::new();
    copy(&payload, &mut out);
    ensure!(out == payload);
    Ok(Some(Box::new(Memcpy { payload, is_lent, out })))
}

fn integers(tree: &Json) -> Result<Vec<u8>> {
    let mut payload = Vec::new();
    for number in tree.as_array().context("no array")? {
        let integer = number.as_i64().context("no integer")?;
        payload.extend(i32::try_from(integer)?.to_le_bytes());
    }
    Ok(payload)
}

fn strings(tree: &Json) -> Vec<u8> {
    match tree {
        Json::String(text) => text.clone().into_bytes(),
        Json::Array(items) => items.iter().flat_map(strings).collect(),
        Json::Object(fields) => fields.values().flat_map(strings).collect(),
        _ => Vec::new(),
    }
}

struct Memcpy {
    payload: Vec<u8>,
    /// Whether who decodes may lend the payload, so that no copy is a limit.
    is_lent: bool,
    out: Vec<u8>,
}

impl Peer for Memcpy {
    fn message_len(&self) -> usize {
        self.payload.len()
    }

    fn sample(&mut self, operation: Operation, times: usize) -> Option<Sample> {
        let is_limit = match operation {
            Operation::Encode => true,
            Operation::Decode => !self.is_lent,
            _ => false,
        };
        is_limit.then(|| {
            time(times, || {
                copy(&self.payload, &mut self.out);
                black_box(&self.out);
            })
        })
    }
}

fn copy(from: &[u8], to: &mut Vec<u8>) {
    to.clear();
    to.extend_from_slice(from);
}

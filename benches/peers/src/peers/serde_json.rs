//! serde_json: JSON text and `Value`, whose objects are ordered maps.

use std::hint::black_box;

use serde_json::Value;

use super::{CHECKED, Operation, Peer, Prepared};
use crate::input::Input;
use crate::sameness::ensure_same;
use crate::stopwatch::{Sample, time};

pub fn prepare(input: &Input) -> Prepared {
    let Some(tree) = input.tree() else {
        return Ok(None);
    };
    let message = serde_json::to_vec(tree)?;
    ensure_same(tree, &serde_json::from_slice(&message)?)?;
    Ok(Some(Box::new(SerdeJson { value: tree.clone(), message, out: Vec::new() })))
}

struct SerdeJson {
    value: Value,
    message: Vec<u8>,
    out: Vec<u8>,
}

impl Peer for SerdeJson {
    fn message_len(&self) -> usize {
        self.message.len()
    }

    fn sample(&mut self, operation: Operation, times: usize) -> Option<Sample> {
        Some(match operation {
            Operation::Encode => time(times, || {
                self.out.clear();
                serde_json::to_writer(&mut self.out, &self.value).expect(CHECKED);
                black_box(&self.out);
            }),
            Operation::Decode => time(times, || serde_json::from_slice::<Value>(&self.message).expect(CHECKED)),
            Operation::Clone => time(times, || self.value.clone()),
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Value;

    #[test]
    fn no_dependency_switches_on_a_feature_that_changes_what_is_measured() {
        // With `preserve_order`, objects would be hash maps.
        let value: Value = serde_json::from_str(r#"{"b": 1, "a": 2}"#).unwrap();
        assert_eq!(value.to_string(), r#"{"a":2,"b":1}"#);
    }
}

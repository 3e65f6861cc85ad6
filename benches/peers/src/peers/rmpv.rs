//! rmpv: MessagePack and its `Value`; `rmpv-borrowed` reads into a value that borrows its text.

use std::hint::black_box;

use anyhow::{Context, Result, ensure};
use rmpv::{Integer, Value};
use serde_json::Value as Json;

use super::{CHECKED, Operation, Peer, Prepared};
use crate::input::Input;
use crate::sameness::ensure_same;
use crate::stopwatch::{Sample, time};

pub fn prepare(input: &Input) -> Prepared {
    let Some(tree) = input.tree() else {
        return Ok(None);
    };
    let (value, message) = build(tree)?;
    ensure_same(tree, &to_json(&rmpv::decode::read_value(&mut &message[..])?)?)?;
    Ok(Some(Box::new(Owned { value, message, out: Vec::new() })))
}

pub fn prepare_borrowed(input: &Input) -> Prepared {
    let Some(tree) = input.tree() else {
        return Ok(None);
    };
    let (value, message) = build(tree)?;
    let read = rmpv::decode::read_value_ref(&mut &message[..])?;
    ensure!(read == value.as_ref(), "the borrowed value is another");
    Ok(Some(Box::new(Borrowed { message })))
}

struct Owned {
    value: Value,
    message: Vec<u8>,
    out: Vec<u8>,
}

impl Peer for Owned {
    fn message_len(&self) -> usize {
        self.message.len()
    }

    fn sample(&mut self, operation: Operation, times: usize) -> Option<Sample> {
        Some(match operation {
            Operation::Encode => time(times, || {
                self.out.clear();
                rmpv::encode::write_value(&mut self.out, &self.value).expect(CHECKED);
                black_box(&self.out);
            }),
            Operation::Decode => time(times, || rmpv::decode::read_value(&mut &self.message[..]).expect(CHECKED)),
            Operation::Clone => time(times, || self.value.clone()),
            _ => return None,
        })
    }
}

struct Borrowed {
    message: Vec<u8>,
}

impl Peer for Borrowed {
    fn message_len(&self) -> usize {
        self.message.len()
    }

    fn sample(&mut self, operation: Operation, times: usize) -> Option<Sample> {
        match operation {
            Operation::Decode => {
                Some(time(times, || rmpv::decode::read_value_ref(&mut &self.message[..]).expect(CHECKED)))
            }
            // Writing is the same as of an owned value, and a clone would share the text.
            _ => None,
        }
    }
}

fn build(tree: &Json) -> Result<(Value, Vec<u8>)> {
    let value = from_json(tree)?;
    let mut message = Vec::new();
    rmpv::encode::write_value(&mut message, &value)?;
    Ok((value, message))
}

fn from_json(json: &Json) -> Result<Value> {
    Ok(match json {
        Json::Null => Value::Nil,
        Json::Bool(flag) => Value::Boolean(*flag),
        Json::Number(number) => match number.as_i64() {
            Some(integer) => Value::Integer(integer.into()),
            None => float(number.as_f64().context("a number out of range")?),
        },
        Json::String(text) => Value::String(text.as_str().into()),
        Json::Array(items) => Value::Array(items.iter().map(from_json).collect::<Result<_>>()?),
        Json::Object(fields) => Value::Map(
            fields
                .iter()
                .map(|(key, field)| Ok((Value::String(key.as_str().into()), from_json(field)?)))
                .collect::<Result<_>>()?,
        ),
    })
}

/// The smaller form where it is exact, as a writer of MessagePack that cares for size does.
fn float(number: f64) -> Value {
    let single = number as f32;
    if f64::from(single) == number { Value::F32(single) } else { Value::F64(number) }
}

fn to_json(value: &Value) -> Result<Json> {
    Ok(match value {
        Value::Nil => Json::Null,
        Value::Boolean(flag) => Json::Bool(*flag),
        Value::Integer(integer) => integer_to_json(*integer)?,
        Value::F32(number) => f64::from(*number).into(),
        Value::F64(number) => (*number).into(),
        Value::String(text) => text.as_str().context("text that is not UTF-8")?.into(),
        Value::Array(items) => Json::Array(items.iter().map(to_json).collect::<Result<_>>()?),
        Value::Map(fields) => Json::Object(
            fields
                .iter()
                .map(|(key, field)| {
                    let key = key.as_str().context("a key that is no text")?;
                    Ok((key.to_owned(), to_json(field)?))
                })
                .collect::<Result<_>>()?,
        ),
        Value::Binary(_) | Value::Ext(..) => anyhow::bail!("a value that JSON lacks"),
    })
}

fn integer_to_json(integer: Integer) -> Result<Json> {
    Ok(integer.as_i64().context("an integer out of range")?.into())
}

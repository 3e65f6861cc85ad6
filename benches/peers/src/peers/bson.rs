//! bson: BSON and its `Document`. A message is always a document, so any other value goes in as its one
//! field.

use anyhow::{Context, Result, bail};
use bson::{Bson, Document, RawDocument};
use serde_json::Value as Json;

use super::{CHECKED, Operation, Peer, Prepared};
use crate::input::Input;
use crate::sameness::ensure_same;
use crate::stopwatch::{Sample, time};

const FIELD: &str = "value";

pub fn prepare(input: &Input) -> Prepared {
    let Some(tree) = input.tree() else {
        return Ok(None);
    };
    let value = match from_json(tree)? {
        Bson::Document(document) => document,
        other => Document::from_iter([(FIELD.to_owned(), other)]),
    };
    let message = value.to_vec()?;
    let read = Bson::Document(decode(&message)?);
    let read = to_json(&read)?;
    ensure_same(tree, if tree.is_object() { &read } else { &read[FIELD] })?;
    Ok(Some(Box::new(BsonDocument { value, message })))
}

struct BsonDocument {
    value: Document,
    message: Vec<u8>,
}

impl Peer for BsonDocument {
    fn message_len(&self) -> usize {
        self.message.len()
    }

    fn sample(&mut self, operation: Operation, times: usize) -> Option<Sample> {
        Some(match operation {
            // `to_writer` calls this and copies: a kept buffer would gain nothing.
            Operation::Encode => time(times, || self.value.to_vec().expect(CHECKED)),
            Operation::Decode => time(times, || decode(&self.message).expect(CHECKED)),
            Operation::Clone => time(times, || self.value.clone()),
            _ => return None,
        })
    }
}

/// Without the copy that `Document::from_reader` makes of its input.
fn decode(message: &[u8]) -> bson::error::Result<Document> {
    RawDocument::from_bytes(message)?.try_into()
}

fn from_json(json: &Json) -> Result<Bson> {
    Ok(match json {
        Json::Null => Bson::Null,
        Json::Bool(flag) => Bson::Boolean(*flag),
        Json::Number(number) => match number.as_i64() {
            Some(integer) => i32::try_from(integer).map_or(Bson::Int64(integer), Bson::Int32),
            None => Bson::Double(number.as_f64().context("a number out of range")?),
        },
        Json::String(text) => Bson::String(text.clone()),
        Json::Array(items) => Bson::Array(items.iter().map(from_json).collect::<Result<_>>()?),
        Json::Object(fields) => {
            let fields = fields.iter().map(|(key, field)| Ok((key.clone(), from_json(field)?)));
            Bson::Document(fields.collect::<Result<_>>()?)
        }
    })
}

fn to_json(value: &Bson) -> Result<Json> {
    Ok(match value {
        Bson::Null => Json::Null,
        Bson::Boolean(flag) => Json::Bool(*flag),
        Bson::Int32(integer) => (*integer).into(),
        Bson::Int64(integer) => (*integer).into(),
        Bson::Double(number) => (*number).into(),
        Bson::String(text) => text.as_str().into(),
        Bson::Array(items) => Json::Array(items.iter().map(to_json).collect::<Result<_>>()?),
        Bson::Document(fields) => {
            let fields = fields.iter().map(|(key, field)| Ok((key.clone(), to_json(field)?)));
            Json::Object(fields.collect::<Result<_>>()?)
        }
        _ => bail!("a value that JSON lacks"),
    })
}

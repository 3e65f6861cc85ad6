//! v8_valueserializer: V8's own format and a heap of values with identity, so the one competitor here that
//! can hold a graph.

use std::collections::HashMap;

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value as Json;
use v8_valueserializer::{
    DenseArray, Heap, HeapBuilder, HeapReference, HeapValue, Object, ParseError, PropertyKey, StringValue, Value,
    ValueDeserializer, ValueSerializer,
};

use super::{CHECKED, Operation, Peer, Prepared};
use crate::input::{Content, Input, Objects, Property};
use crate::sameness::{ensure_same, ensure_same_objects};
use crate::stopwatch::{Sample, time};

pub fn prepare(input: &Input) -> Prepared {
    let mut builder = HeapBuilder::default();
    let value = match &input.content {
        Content::Tree(tree) => from_json(tree, &mut builder)?,
        Content::Graph(objects) => from_objects(objects, &mut builder)?,
    };
    let heap = builder.build()?;
    let message = ValueSerializer::default().finish(&heap, &value)?;
    let (read, read_heap) = decode(&message).map_err(|error| anyhow::anyhow!("{error:?}"))?;
    match &input.content {
        Content::Tree(tree) => ensure_same(tree, &to_json(&read, &read_heap)?)?,
        Content::Graph(objects) => ensure_same_objects(objects, &to_objects(&read, &read_heap)?)?,
    }
    Ok(Some(Box::new(V8 { value, heap, message })))
}

struct V8 {
    value: Value,
    heap: Heap,
    message: Vec<u8>,
}

impl Peer for V8 {
    fn message_len(&self) -> usize {
        self.message.len()
    }

    fn sample(&mut self, operation: Operation, times: usize) -> Option<Sample> {
        match operation {
            Operation::Encode => {
                Some(time(times, || ValueSerializer::default().finish(&self.heap, &self.value).expect(CHECKED)))
            }
            Operation::Decode => Some(time(times, || decode(&self.message).expect(CHECKED))),
            // A heap has no clone.
            _ => None,
        }
    }
}

fn decode(message: &[u8]) -> Result<(Value, Heap), ParseError> {
    ValueDeserializer::default().read(message)
}

fn from_json(json: &Json, heap: &mut HeapBuilder) -> Result<Value> {
    Ok(match json {
        Json::Null => Value::Null,
        Json::Bool(flag) => Value::Bool(*flag),
        Json::Number(number) => match number.as_i64().map(i32::try_from) {
            Some(Ok(small)) => Value::I32(small),
            _ => Value::Double(number.as_f64().context("a number out of range")?),
        },
        Json::String(text) => string(text),
        Json::Array(items) => {
            let elements = items.iter().map(|item| Ok(Some(from_json(item, heap)?))).collect::<Result<_>>()?;
            Value::HeapReference(heap.insert(array(elements)))
        }
        Json::Object(fields) => {
            let properties =
                fields.iter().map(|(name, field)| Ok((key(name), from_json(field, heap)?))).collect::<Result<_>>()?;
            Value::HeapReference(heap.insert(HeapValue::Object(Object { properties })))
        }
    })
}

fn to_json(value: &Value, heap: &Heap) -> Result<Json> {
    Ok(match value {
        Value::Null => Json::Null,
        Value::Bool(flag) => Json::Bool(*flag),
        Value::I32(integer) => (*integer).into(),
        Value::U32(integer) => (*integer).into(),
        Value::Double(number) => (*number).into(),
        Value::String(text) => text.to_string().into(),
        Value::HeapReference(reference) => match reference.open(heap) {
            HeapValue::DenseArray(array) => {
                let items = array.elements.iter().map(|element| to_json(element.as_ref().context("a hole")?, heap));
                Json::Array(items.collect::<Result<_>>()?)
            }
            HeapValue::Object(object) => {
                let fields = object.properties.iter().map(|(key, field)| Ok((name(key)?, to_json(field, heap)?)));
                Json::Object(fields.collect::<Result<_>>()?)
            }
            _ => bail!("an object that JSON lacks"),
        },
        Value::Undefined | Value::BigInt(_) => bail!("a value that JSON lacks"),
    })
}

/// The array of all objects.
fn from_objects(objects: &Objects, heap: &mut HeapBuilder) -> Result<Value> {
    let places: Vec<HeapReference> = objects.iter().map(|_| heap.reserve()).collect();
    let to = |target: usize| Value::HeapReference(places[target]);
    for (object, &place) in objects.iter().zip(&places) {
        let mut properties = Vec::with_capacity(object.len());
        for (name, property) in object {
            let value = match property {
                Property::Scalar(scalar) => from_json(scalar, heap)?,
                Property::Edge(target) => to(*target),
                Property::Links(targets) => {
                    let elements = targets.iter().map(|&target| Some(to(target))).collect();
                    Value::HeapReference(heap.insert(array(elements)))
                }
            };
            properties.push((key(name), value));
        }
        heap.insert_reserved(place, HeapValue::Object(Object { properties }));
    }
    let elements = (0..objects.len()).map(|index| Some(to(index))).collect();
    Ok(Value::HeapReference(heap.insert(array(elements))))
}

fn to_objects(root: &Value, heap: &Heap) -> Result<Objects> {
    let places = targets(root, heap)?;
    let indices: HashMap<HeapReference, usize> =
        places.iter().enumerate().map(|(index, &place)| (place, index)).collect();
    ensure!(indices.len() == places.len(), "one object stands for several");
    let index_of = |place: &HeapReference| indices.get(place).copied().context("an object that is not in the list");
    let property = |value: &Value| -> Result<Property> {
        let Value::HeapReference(reference) = value else {
            return Ok(Property::Scalar(to_json(value, heap)?));
        };
        match reference.open(heap) {
            HeapValue::Object(_) => Ok(Property::Edge(index_of(reference)?)),
            _ => Ok(Property::Links(targets(value, heap)?.iter().map(index_of).collect::<Result<_>>()?)),
        }
    };
    let object = |place: &HeapReference| -> Result<Vec<(String, Property)>> {
        let HeapValue::Object(object) = place.open(heap) else { bail!("an element that is no object") };
        object.properties.iter().map(|(key, value)| Ok((name(key)?, property(value)?))).collect()
    };
    places.iter().map(object).collect()
}

/// The elements of an array of objects.
fn targets(value: &Value, heap: &Heap) -> Result<Vec<HeapReference>> {
    let Value::HeapReference(reference) = value else { bail!("no array") };
    let HeapValue::DenseArray(array) = reference.open(heap) else { bail!("no array") };
    let elements = array.elements.iter().map(|element| match element {
        Some(Value::HeapReference(reference)) => Ok(*reference),
        _ => bail!("an element that is no object"),
    });
    elements.collect()
}

fn array(elements: Vec<Option<Value>>) -> HeapValue {
    HeapValue::DenseArray(DenseArray { elements, properties: Vec::new() })
}

fn string(text: &str) -> Value {
    Value::String(StringValue::new(text.to_owned()))
}

fn key(name: &str) -> PropertyKey {
    PropertyKey::String(StringValue::new(name.to_owned()))
}

fn name(key: &PropertyKey) -> Result<String> {
    match key {
        PropertyKey::String(text) => Ok(text.to_string().into_owned()),
        _ => bail!("a key that is a number"),
    }
}

//! marshal: ours. A graph in an arena; a decoded one borrows its text and numbers from the message.

use std::collections::HashMap;
use std::hint::black_box;

use anyhow::{Context, Result, bail, ensure};
use marshal::{Cursor, Element, Graph, Kind, Marshal, NodeId, Value};
use serde_json::Value as Json;

use super::{CHECKED, Operation, Peer, Prepared};
use crate::input::{Content, Input, Objects, Property};
use crate::sameness::{ensure_same, ensure_same_objects};
use crate::stopwatch::{Sample, time};

/// An array of at least as many numbers is built packed, as a decoder would give it back.
const FEWEST_PACKED: usize = 8;

pub fn prepare(input: &Input) -> Prepared {
    let mut graph = Graph::new();
    let root = match &input.content {
        Content::Tree(tree) => from_json(tree, &mut graph)?,
        Content::Graph(objects) => from_objects(objects, &mut graph)?,
    };
    graph.set_root(root);
    let message = Marshal::encode(&graph)?;
    for read in [Marshal::decode(&message)?, Marshal::deep_clone(&graph)] {
        match &input.content {
            Content::Tree(tree) => ensure_same(tree, &to_json(read.root())?)?,
            Content::Graph(objects) => ensure_same_objects(objects, &to_objects(read.root())?)?,
        }
    }
    Ok(Some(Box::new(Ours { graph, message, out: Vec::new() })))
}

struct Ours {
    graph: Graph<'static>,
    message: Vec<u8>,
    out: Vec<u8>,
}

impl Peer for Ours {
    fn message_len(&self) -> usize {
        self.message.len()
    }

    fn sample(&mut self, operation: Operation, times: usize) -> Option<Sample> {
        Some(match operation {
            Operation::Encode => time(times, || {
                self.out.clear();
                Marshal::encode_into(&self.graph, &mut self.out).expect(CHECKED);
                black_box(&self.out);
            }),
            Operation::Decode => time(times, || Marshal::decode(&self.message).expect(CHECKED)),
            Operation::Clone => time(times, || Marshal::deep_clone(&self.graph)),
            _ => return None,
        })
    }
}

fn from_json(json: &Json, graph: &mut Graph<'static>) -> Result<Value> {
    Ok(match json {
        Json::Null => Value::NULL,
        Json::Bool(true) => Value::TRUE,
        Json::Bool(false) => Value::FALSE,
        Json::Number(number) => Value::number(number.as_f64().context("a number out of range")?),
        Json::String(text) => graph.string(text),
        Json::Array(items) => match packed(items, graph) {
            Some(array) => array,
            None => {
                let elements: Vec<Value> = items.iter().map(|item| from_json(item, graph)).collect::<Result<_>>()?;
                graph.array(elements)
            }
        },
        Json::Object(fields) => {
            let properties: Vec<(&str, Value)> = fields
                .iter()
                .map(|(key, field)| Ok((key.as_str(), from_json(field, graph)?)))
                .collect::<Result<_>>()?;
            graph.object(properties)
        }
    })
}

/// The array in the smallest kind that holds all its numbers; `None` where it has anything else.
fn packed(items: &[Json], graph: &mut Graph<'static>) -> Option<Value> {
    if items.len() < FEWEST_PACKED {
        return None;
    }
    if let Some(integers) = items.iter().map(Json::as_i64).collect::<Option<Vec<i64>>>() {
        return narrow::<u8>(&integers, graph)
            .or_else(|| narrow::<i8>(&integers, graph))
            .or_else(|| narrow::<u16>(&integers, graph))
            .or_else(|| narrow::<i16>(&integers, graph))
            .or_else(|| narrow::<u32>(&integers, graph))
            .or_else(|| narrow::<i32>(&integers, graph));
    }
    let numbers = items.iter().map(Json::as_f64).collect::<Option<Vec<f64>>>()?;
    let single: Vec<f32> = numbers.iter().map(|&number| number as f32).collect();
    let exact = numbers.iter().zip(&single).all(|(&wide, &narrow)| wide == f64::from(narrow));
    if exact { graph.numbers(&single).ok() } else { graph.numbers(&numbers).ok() }
}

fn narrow<T: Element + TryFrom<i64>>(integers: &[i64], graph: &mut Graph<'static>) -> Option<Value> {
    let narrowed: Option<Vec<T>> = integers.iter().map(|&integer| T::try_from(integer).ok()).collect();
    graph.numbers(&narrowed?).ok()
}

fn to_json(value: Cursor<'_>) -> Result<Json> {
    Ok(match value.kind() {
        Kind::Null => Json::Null,
        Kind::Boolean => value.as_bool().into(),
        Kind::Number => match value.as_i64() {
            Some(integer) => integer.into(),
            None => value.as_f64().into(),
        },
        Kind::String => value.as_str().context("a lone surrogate")?.into(),
        Kind::Array => {
            Json::Array(value.iter().map(|element| to_json(element.context("a hole")?)).collect::<Result<_>>()?)
        }
        Kind::Object => Json::Object(
            value
                .properties()
                .map(|property| Ok((name(property.name())?, to_json(property.value())?)))
                .collect::<Result<_>>()?,
        ),
        other => bail!("{other:?} became of a value"),
    })
}

/// The array of all objects.
fn from_objects(objects: &Objects, graph: &mut Graph<'static>) -> Result<Value> {
    // First every object with what it owns, then what takes the others.
    let mut places = Vec::with_capacity(objects.len());
    for object in objects {
        let mut properties = Vec::with_capacity(object.len());
        for (name, property) in object {
            let value = match property {
                Property::Scalar(scalar) => from_json(scalar, graph)?,
                Property::Edge(_) | Property::Links(_) => Value::UNDEFINED,
            };
            properties.push((name.as_str(), value));
        }
        places.push(graph.object(properties));
    }
    for (object, &place) in objects.iter().zip(&places) {
        for (name, property) in object {
            let value = match property {
                Property::Scalar(_) => continue,
                Property::Edge(target) => places[*target],
                Property::Links(targets) => graph.array(targets.iter().map(|&target| places[target])),
            };
            graph.set(place, name.as_str(), value)?;
        }
    }
    Ok(graph.array(places))
}

fn to_objects(root: Cursor<'_>) -> Result<Objects> {
    let places: Vec<NodeId> = root.iter().map(place_of).collect::<Result<_>>()?;
    let indices: HashMap<NodeId, usize> = places.iter().enumerate().map(|(index, &place)| (place, index)).collect();
    ensure!(indices.len() == places.len(), "one object stands for several");
    let index_of = |element: Option<Cursor<'_>>| -> Result<usize> {
        indices.get(&place_of(element)?).copied().context("an object that is not in the list")
    };
    let property = |value: Cursor<'_>| -> Result<Property> {
        Ok(match value.kind() {
            Kind::Object => Property::Edge(index_of(Some(value))?),
            Kind::Array => Property::Links(value.iter().map(index_of).collect::<Result<_>>()?),
            _ => Property::Scalar(to_json(value)?),
        })
    };
    let object = |element: Option<Cursor<'_>>| -> Result<Vec<(String, Property)>> {
        let properties = element.context("a hole")?.properties();
        properties.map(|own| Ok((name(own.name())?, property(own.value())?))).collect()
    };
    root.iter().map(object).collect()
}

fn place_of(element: Option<Cursor<'_>>) -> Result<NodeId> {
    element.and_then(Cursor::id).context("an element that is no object")
}

fn name(key: Option<marshal::JsStr<'_>>) -> Result<String> {
    Ok(key.and_then(marshal::JsStr::as_str).context("a key that is no text")?.to_owned())
}

//! `graph`: objects that point at each other. Described plainly (a class, its scalar fields, its edges as
//! indices), so that each library can build it out of its own kind of reference: 100,000 objects.
//!
//! What is in it: every object has an edge to one before it (many share a target: the first few are
//! popular), a `next` edge that closes a ring of up to 16, and an array of links to earlier objects. Walked
//! depth first from the list of all objects, no path is longer than a ring, so that libraries that recurse
//! can be measured too.

use serde::{Deserialize, Serialize};

use crate::random::Random;
use crate::words;

/// 100,000 objects for each unit of `scale`.
pub fn generate(scale: usize) -> Graph {
    let mut random = Random::named("graph");
    let count = 100_000 * scale;
    let mut objects = Vec::with_capacity(count);
    while objects.len() < count {
        let first = objects.len();
        let ring = (random.between(1, 16) as usize).min(count - first);
        for index in first..first + ring {
            let next = if index + 1 < first + ring { index + 1 } else { first };
            objects.push(Object::new(index, next, &mut random));
        }
    }
    Graph { classes: classes(), objects }
}

/// The whole: its value is the array of all objects, in order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(wincode::SchemaWrite, wincode::SchemaRead, bitcode::Encode, bitcode::Decode))]
#[cfg_attr(feature = "schemas", derive(rkyv::Archive, rkyv::Serialize, rkyv::Deserialize, fory::ForyStruct))]
#[cfg_attr(feature = "schemas", derive(zerompk::ToMessagePack, zerompk::FromMessagePack))]
pub struct Graph {
    pub classes: Vec<Class>,
    pub objects: Vec<Object>,
}

/// What the objects of one class are made of. Their properties are the fields, then the edges, then
/// `links`, an array that belongs to the object alone.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(wincode::SchemaWrite, wincode::SchemaRead, bitcode::Encode, bitcode::Decode))]
#[cfg_attr(feature = "schemas", derive(rkyv::Archive, rkyv::Serialize, rkyv::Deserialize, fory::ForyStruct))]
#[cfg_attr(feature = "schemas", derive(zerompk::ToMessagePack, zerompk::FromMessagePack))]
pub struct Class {
    pub name: String,
    pub fields: Vec<String>,
    pub edges: Vec<String>,
}

/// One object: a value for each field and a target for each edge of its class.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(wincode::SchemaWrite, wincode::SchemaRead, bitcode::Encode, bitcode::Decode))]
#[cfg_attr(feature = "schemas", derive(rkyv::Archive, rkyv::Serialize, rkyv::Deserialize, fory::ForyStruct))]
#[cfg_attr(feature = "schemas", derive(zerompk::ToMessagePack, zerompk::FromMessagePack))]
pub struct Object {
    pub class: usize,
    pub fields: Vec<Scalar>,
    pub edges: Vec<usize>,
    pub links: Vec<usize>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(wincode::SchemaWrite, wincode::SchemaRead, bitcode::Encode, bitcode::Decode))]
#[cfg_attr(feature = "schemas", derive(rkyv::Archive, rkyv::Serialize, rkyv::Deserialize))]
#[cfg_attr(feature = "schemas", derive(zerompk::ToMessagePack, zerompk::FromMessagePack))]
#[serde(untagged)]
pub enum Scalar {
    Bool(bool),
    Integer(i32),
    Float(f64),
    Text(String),
}

fn classes() -> Vec<Class> {
    let class = |name: &str, fields: &[&str], edge: &str| Class {
        name: name.to_owned(),
        fields: fields.iter().map(|&field| field.to_owned()).collect(),
        edges: vec![edge.to_owned(), "next".to_owned()],
    };
    vec![
        class("Person", &["name", "age", "active"], "team"),
        class("Team", &["title", "rank"], "lead"),
        class("Task", &["title", "points", "done", "progress"], "owner"),
        class("Note", &["text"], "about"),
    ]
}

impl Object {
    fn new(index: usize, next: usize, random: &mut Random) -> Object {
        let class = random.below(4);
        let fields = match class {
            0 => vec![
                Scalar::Text(words::name(random)),
                Scalar::Integer(random.between(18, 90) as i32),
                Scalar::Bool(random.chance(50)),
            ],
            1 => vec![Scalar::Text(random.pick(&words::PLACES).to_owned()), Scalar::Integer(random.below(1000) as i32)],
            2 => vec![
                Scalar::Text(random.pick(&words::LATIN).to_owned()),
                Scalar::Integer(random.between(-100_000, 100_000) as i32),
                Scalar::Bool(random.chance(30)),
                // An odd multiple: never an integer, which some libraries would write as one.
                Scalar::Float((random.below(4096) * 2 + 1) as f64 / 8192.0),
            ],
            _ => vec![Scalar::Text(words::sentence(random))],
        };
        Object {
            class,
            fields,
            edges: vec![earlier(index, random), next],
            links: (0..random.below(4)).map(|_| earlier(index, random)).collect(),
        }
    }
}

/// An object up to and with this one; one of the first hundred three times in ten.
fn earlier(index: usize, random: &mut Random) -> usize {
    let end = if random.chance(30) { index.min(99) } else { index };
    random.below(end + 1)
}

/// fory derives no enum whose variants all hold one value.
#[cfg(feature = "schemas")]
impl fory::Serializer for Scalar {
    type Target = Scalar;

    fn write_data(value: &Scalar, to: &mut fory::WriteContext) -> Result<(), fory::Error> {
        let variant = match value {
            Scalar::Bool(_) => 0,
            Scalar::Integer(_) => 1,
            Scalar::Float(_) => 2,
            Scalar::Text(_) => 3,
        };
        to.writer.write_u8(variant);
        match value {
            Scalar::Bool(flag) => bool::write_data(flag, to),
            Scalar::Integer(integer) => i32::write_data(integer, to),
            Scalar::Float(number) => f64::write_data(number, to),
            Scalar::Text(text) => String::write_data(text, to),
        }
    }

    fn read_data(from: &mut fory::ReadContext) -> Result<Scalar, fory::Error> {
        match from.reader.read_u8()? {
            0 => bool::read_data(from).map(Scalar::Bool),
            1 => i32::read_data(from).map(Scalar::Integer),
            2 => f64::read_data(from).map(Scalar::Float),
            3 => String::read_data(from).map(Scalar::Text),
            _ => Err(fory::Error::invalid_data("no such variant")),
        }
    }
}

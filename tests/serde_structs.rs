//! Structs of any fields, in one another and one after the other: what is remembered of the fields of one must not be taken
//! for those of another.

use marshal::{Marshal, from_slice, to_vec};
use serde::ser::{Serialize, SerializeStruct, Serializer};

/// A struct as it is met at run time: its names lie wherever the program has them.
struct Struct {
    name: &'static str,
    fields: Vec<(&'static str, Value)>,
}

enum Value {
    Number(u32),
    Struct(Struct),
}

impl Serialize for Struct {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_struct(self.name, self.fields.len())?;
        for (key, value) in &self.fields {
            match value {
                Value::Number(n) => fields.serialize_field(key, n)?,
                Value::Struct(inner) => fields.serialize_field(key, inner)?,
            }
        }
        fields.end()
    }
}

struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(0x1405_7B7E_F767_814F);
        (self.0 >> 33) as usize % n
    }
}

/// Names of which many begin at one address, or are equal at two.
fn names() -> Vec<&'static str> {
    let text: &'static str = Box::leak("abcdefghijklmnopqrstuvwxyz".repeat(2).into_boxed_str());
    let own = (0..400).map(|n| &*Box::leak(format!("k{}", n % 300).into_boxed_str()));
    (1..text.len()).map(|len| &text[..len]).chain(own).collect()
}

/// Some of the first `most` names, mostly in turn.
fn structure(random: &mut Random, names: &[&'static str], most: usize, depth: usize) -> Struct {
    let name = names[random.below(if depth > 1 { 4 } else { names.len() })];
    let len = if random.below(20) == 0 { most } else { random.below(most.min(12)) };
    let mut next = if random.below(3) == 0 { random.below(names.len()) } else { 0 };
    let mut fields: Vec<(&'static str, Value)> = Vec::new();
    while fields.len() < len {
        next += 1 + usize::from(random.below(8) == 0);
        let key = names[next % names.len()];
        if fields.iter().any(|(other, _)| *other == key) {
            continue;
        }
        let inner = depth > 0 && random.below(6) == 0;
        let value = if inner { Value::Struct(structure(random, names, 8, depth - 1)) } else { Value::Number(7) };
        fields.push((key, value));
    }
    Struct { name, fields }
}

#[test]
fn each_struct_has_its_own_fields() {
    let (mut random, names) = (Random(1), names());
    for round in 0..3000 {
        let most = if round % 50 == 0 { 150 } else { 40 };
        let structs: Vec<Struct> = (0..1 + random.below(12)).map(|_| structure(&mut random, &names, most, 3)).collect();
        let bytes = to_vec(&structs).unwrap();
        let read: serde_json::Value = from_slice(&bytes).unwrap();
        assert_eq!(read, serde_json::to_value(&structs).unwrap());
        Marshal::check(&bytes).unwrap();
    }
}

/// A struct that goes on after a field that could not be written.
struct Stubborn;

impl Serialize for Stubborn {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_struct("Stubborn", 3)?;
        assert!(fields.serialize_field("deep", &Failing(4)).is_err());
        fields.serialize_field("next", &1)?;
        fields.serialize_field("last", &[Failing(0); 0])?;
        fields.end()
    }
}

#[derive(Clone, Copy)]
struct Failing(u32);

impl Serialize for Failing {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.0 == 0 {
            return Err(serde::ser::Error::custom("no"));
        }
        let mut fields = serializer.serialize_struct("Failing", 1)?;
        fields.serialize_field("inner", &Failing(self.0 - 1))?;
        fields.end()
    }
}

#[test]
fn an_error_that_is_passed_over_gives_no_message() {
    for _ in 0..3 {
        assert!(to_vec(&Stubborn).is_err());
        assert!(to_vec(&vec![Stubborn, Stubborn]).is_err());
        to_vec(&structure(&mut Random(3), &names(), 9, 2)).unwrap();
    }
}

#[test]
fn a_serializer_writes_one_value_a_message_and_the_first_has_begun() {
    #[derive(serde::Serialize)]
    struct Pair {
        a: u8,
        b: Option<Box<Pair>>,
    }
    let value = vec![Pair { a: 1, b: Some(Box::new(Pair { a: 2, b: None })) }, Pair { a: 3, b: None }];
    let mut serializer = marshal::Serializer::new();
    let finished = |serializer: &marshal::Serializer| {
        let mut out = Vec::new();
        serializer.finish_into(&mut out).map(|()| out)
    };
    assert!(finished(&serializer).is_err());
    for _ in 0..3 {
        value.serialize(&mut serializer).unwrap();
        assert_eq!(finished(&serializer).unwrap(), marshal::to_vec(&value).unwrap());
        for more in ["x", ""] {
            more.serialize(&mut serializer).unwrap();
            assert!(finished(&serializer).is_err());
        }
        serializer.start();
        assert!(finished(&serializer).is_err());
    }
}

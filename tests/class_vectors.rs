//! The specification's vectors of classes (`spec/vectors/classes.json`), read as the types of section 15.

use marshal::class::Field;
use marshal::{Class, Classes, Error, Marshal, Shared};
use serde::Deserialize;

#[derive(Deserialize)]
struct Vector {
    name: String,
    read: String,
    hex: String,
    again: Option<String>,
    error: Option<String>,
}

#[derive(Class)]
struct Point {
    x: f64,
    y: f64,
}

#[derive(Class)]
#[class(version = 2)]
struct User {
    name: String,
    #[class(alias = "years")]
    age: u64,
    email: Option<String>,
    #[class(default = 1)]
    level: u32,
    #[class(default)]
    friends: Vec<Shared<User>>,
}

#[derive(Class)]
#[class(name = "Temperature")]
struct Celsius {
    celsius: f64,
}

#[derive(Class)]
#[class(version = 1, previous = Celsius)]
struct Temperature {
    kelvin: f64,
}

impl From<Celsius> for Temperature {
    fn from(old: Celsius) -> Self {
        Temperature { kelvin: old.celsius + 273.15 }
    }
}

#[derive(Class)]
enum Figure {
    Circle { r: f64 },
    Line(Point, Point),
    Empty,
}

#[derive(Class)]
struct Stack {
    #[class(base)]
    items: Vec<String>,
    limit: u32,
}

fn again<T: Field>(bytes: &[u8]) -> Result<Vec<u8>, Error> {
    let classes = Classes::new().with::<Point>().with::<User>().with::<Temperature>().with::<Figure>().with::<Stack>();
    Marshal::encode_using(&Marshal::decode_with_classes::<Shared<T>>(bytes, &classes)?, &classes)
}

#[test]
fn every_vector() {
    let path = format!("{}/spec/vectors/classes.json", env!("CARGO_MANIFEST_DIR"));
    let vectors: Vec<Vector> = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    assert!(vectors.len() > 20);
    let mut failures = Vec::new();
    for Vector { name, read, hex, again: expected, error } in &vectors {
        let bytes: Vec<u8> =
            (0..hex.len()).step_by(2).map(|i| u8::from_str_radix(&hex[i..i + 2], 16).unwrap()).collect();
        let found = match read.as_str() {
            "Point" => again::<Point>(&bytes),
            "User" => again::<User>(&bytes),
            "Temperature" => again::<Temperature>(&bytes),
            "Figure" => again::<Figure>(&bytes),
            _ => again::<Stack>(&bytes),
        };
        let found = found.map(|bytes| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>());
        match (&found, expected, error) {
            (Ok(found), Some(expected), _) if found == expected => {}
            (Err(found), _, Some(error)) if found.kind().as_str() == error => {}
            _ => failures.push(format!("{name}: {found:?}")),
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

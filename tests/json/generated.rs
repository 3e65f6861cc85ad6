//! Laws, on generated values and texts, with serde_json as the other opinion.

use std::collections::BTreeSet;

use marshal::json::{self, JsonOptions, Lossy};
use quickcheck::{Arbitrary, Gen, quickcheck};
use serde_json::Value as Json;

/// A JSON value of bounded size, with keys that repeat and keys that look like numbers.
#[derive(Debug, Clone)]
struct AnyJson(Json);

impl Arbitrary for AnyJson {
    fn arbitrary(g: &mut Gen) -> Self {
        AnyJson(value(g, 4))
    }
}

fn value(g: &mut Gen, depth: usize) -> Json {
    let pick = |g: &mut Gen, n: u8| u8::arbitrary(g) % n;
    match pick(g, if depth == 0 { 6 } else { 9 }) {
        0 => Json::Null,
        1 => Json::Bool(bool::arbitrary(g)),
        2 => Json::from(i32::arbitrary(g)),
        3 | 4 => serde_json::Number::from_f64(f64::arbitrary(g)).map_or(Json::Null, Json::Number),
        5 => Json::String(String::arbitrary(g)),
        6 => Json::Array((0..pick(g, 12)).map(|_| value(g, depth - 1)).collect()),
        7 => Json::Array((0..pick(g, 40)).map(|_| Json::from(i16::arbitrary(g))).collect()),
        _ => {
            let key = |g: &mut Gen| match pick(g, 4) {
                0 => String::arbitrary(g),
                1 => pick(g, 20).to_string(),
                _ => ["a", "b", "__proto__", "length"][usize::from(pick(g, 4))].to_owned(),
            };
            let keys: BTreeSet<String> = (0..pick(g, 6)).map(|_| key(g)).collect();
            Json::Object(keys.into_iter().map(|key| (key, value(g, depth - 1))).collect())
        }
    }
}

/// With every number as the double that JSON.parse makes of it.
fn doubles(json: &Json) -> Json {
    match json {
        Json::Number(number) => Json::from(number.as_f64().unwrap()),
        Json::Array(items) => Json::Array(items.iter().map(doubles).collect()),
        Json::Object(members) => members.iter().map(|(key, value)| (key.clone(), doubles(value))).collect(),
        other => other.clone(),
    }
}

quickcheck! {
    fn text_comes_back_with_the_same_meaning(json: AnyJson, indent: u8) -> bool {
        let graph = json::parse(json.0.to_string().as_bytes()).unwrap();
        let options = JsonOptions::new().lossy(Lossy::Refuse).indent(indent % 5);
        let text = json::to_string(&graph, &options).unwrap();
        let mut written = Vec::new();
        json::write(&graph, &mut written, &options).unwrap();
        assert_eq!(written, text.as_bytes());
        assert_eq!(json::parse(text.as_bytes()).unwrap(), graph);
        doubles(&serde_json::from_str(&text).unwrap()) == doubles(&json.0)
    }

    /// Random bytes over the alphabet of JSON, so that a part of them parses.
    fn what_another_parser_accepts_is_accepted(bytes: Vec<u8>) -> bool {
        let alphabet = b"[]{},:\"\\u019-+.eE truefalsn\x00\xC3\xA9";
        let text: Vec<u8> = bytes.iter().take(12).map(|&byte| alphabet[usize::from(byte) % alphabet.len()]).collect();
        // It does not look at the text of what it ignores.
        let theirs = serde_json::from_slice::<serde::de::IgnoredAny>(&text).is_ok() && std::str::from_utf8(&text).is_ok();
        json::parse(&text).is_ok() == theirs
    }
}

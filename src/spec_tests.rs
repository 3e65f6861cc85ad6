//! The constants of the code and the specification's tables say the same (`spec/tags.json`, `spec/format.md`).

use std::collections::BTreeSet;

use serde_json::Value;

use crate::error::ErrorKind;
use crate::graph::{ErrorConstructor, RegExpFlags, WellKnown};
use crate::wire::{ElementKind, header, layout, shapes, tag};

fn tables() -> Value {
    serde_json::from_str(include_str!("../spec/tags.json")).unwrap()
}

fn byte(value: &Value) -> u8 {
    u8::from_str_radix(value.as_str().unwrap(), 16).unwrap()
}

fn names(value: &Value) -> Vec<&str> {
    value.as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect()
}

#[test]
fn tags_are_those_of_the_specification() {
    let tables = tables();
    let tags = tables["tags"].as_array().unwrap().iter().map(|tag| {
        let first = byte(&tag["first"]);
        (tag["name"].as_str().unwrap(), first, tag.get("last").map_or(first, byte))
    });
    assert_eq!(tags.collect::<Vec<_>>(), tag::TABLE);
    assert_eq!(tag::TABLE.first().map(|tag| tag.1), Some(0));
    assert!(tag::TABLE.windows(2).all(|pair| pair[0].2 + 1 == pair[1].1), "no gap and no overlap");
    assert_eq!(tag::INT_MAX, 0x3F);
    for (max, first, last) in [
        (tag::STRING_MAX, tag::STRING, tag::ARRAY),
        (tag::ARRAY_MAX, tag::ARRAY, tag::OBJECT),
        (tag::OBJECT_MAX, tag::OBJECT, tag::NULL),
    ] {
        assert_eq!(max, u64::from(last - first - 1));
    }
}

#[test]
fn the_head_is_that_of_the_specification() {
    let tables = tables();
    assert_eq!(tables["magic"].as_array().unwrap().iter().map(byte).collect::<Vec<_>>(), header::MAGIC);
    assert_eq!(tables["version"], header::VERSION);
    let flags = [
        ("SHAPES", header::SHAPES),
        ("TEXT", header::TEXT),
        ("DATA", header::DATA),
        ("INDEX", header::INDEX),
        ("REFS", header::REFS),
    ];
    assert_eq!(tables["flags"].as_object().unwrap().len(), flags.len());
    for (name, flag) in flags {
        assert_eq!(tables["flags"][name], flag.trailing_zeros(), "{name}");
        assert!(flag.is_power_of_two());
    }
}

#[test]
fn kinds_and_names_are_those_of_the_specification() {
    let tables = tables();
    let kinds = tables["element_kinds"].as_array().unwrap();
    assert_eq!(kinds.len(), ElementKind::ALL.len());
    for (kind, row) in ElementKind::ALL.into_iter().zip(kinds) {
        assert_eq!(row["code"], kind.code());
        assert_eq!(ElementKind::from_code(kind.code()), Some(kind));
        assert_eq!(kind.constructor().trim_end_matches("Array"), row["name"].as_str().unwrap());
        assert_eq!((&row["size"], &row["packed"]), (&Value::from(kind.size()), &Value::from(kind.packs())));
        assert_eq!(row["laid"], layout::lays(kind));
    }
    assert_eq!(ElementKind::from_code(ElementKind::ALL.len() as u8), None);
    let layouts = [("BOOLEAN", layout::BOOLEAN), ("OBJECT", layout::OBJECT), ("ARRAY", layout::ARRAY)];
    assert_eq!(tables["layouts"].as_object().unwrap().len(), layouts.len());
    assert!(
        layouts.iter().all(|&(name, code)| tables["layouts"][name] == code && ElementKind::from_code(code).is_none())
    );
    assert_eq!(names(&tables["error_constructors"]), ErrorConstructor::ALL.map(ErrorConstructor::name));
    assert!(ErrorConstructor::ALL.into_iter().enumerate().all(|(code, constructor)| constructor as usize == code));
    let symbols: Vec<&str> = WellKnown::ALL.iter().map(|symbol| symbol.name()).collect();
    assert_eq!(names(&tables["well_known_symbols"]), symbols);
    assert!(symbols.iter().all(|name| WellKnown::from_name(name).map(WellKnown::name) == Some(name)));
    let shapes = [
        ("Plain", shapes::PLAIN),
        ("NullPrototype", shapes::NULL_PROTOTYPE),
        ("Class", shapes::CLASS),
        ("Derived", shapes::DERIVED),
        ("Error", shapes::ERROR),
        ("Custom", shapes::CUSTOM),
    ];
    assert_eq!(names(&tables["shape_kinds"]), shapes.map(|(name, _)| name));
    assert!(shapes.into_iter().enumerate().all(|(code, shape)| usize::from(shape.1) == code));
    let letters: Vec<char> = tables["regexp_flags"].as_str().unwrap().chars().collect();
    for (bit, letter) in letters.iter().enumerate() {
        assert_eq!(RegExpFlags::from_bits(1 << bit).unwrap().to_string(), letter.to_string());
    }
}

/// The table of section 11 of the specification, by the names in its first column.
#[test]
fn errors_are_those_of_the_specification() {
    let text = include_str!("../spec/format.md");
    let table = text.split("| kind | when |").nth(1).unwrap();
    let rows = table.lines().skip(2).take_while(|line| line.starts_with('|'));
    let named: Vec<&str> = rows.flat_map(|row| row.split('|').nth(1).unwrap().split('`').skip(1).step_by(2)).collect();
    assert!(named.len() >= 32);
    let known: Vec<&str> = ErrorKind::ALL.iter().map(|kind| kind.as_str()).collect();
    assert_eq!(named, known[..named.len()], "in the table's order, which decides between faults of one value");
    // What is not of reading a message.
    let others = [
        "shared-base",
        "unknown-value",
        "unknown-class",
        "duplicate-class",
        "missing-field",
        "unknown-field",
        "cyclic-value",
        "refused",
        "borrowed",
        "bad-syntax",
        "bad-compression",
        "not-found",
        "bad-snapshot",
        "damaged",
        "io",
        "not-durable",
        "changed",
        "unrepresentable",
        "rejected",
    ];
    assert_eq!(known[named.len()..], others);
    assert_eq!(known.iter().collect::<BTreeSet<_>>().len(), known.len());
}

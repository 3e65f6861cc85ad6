//! The inspector explains every byte of a valid message, and of an invalid one those before the fault.

use marshal::inspect::{Inspector, Line};
use marshal::{Marshal, Value, js};
use serde::Deserialize;

#[derive(Deserialize)]
struct Vector {
    name: String,
    hex: String,
}

fn vectors(file: &str) -> Vec<(String, Vec<u8>)> {
    let path = format!("{}/spec/vectors/{file}", env!("CARGO_MANIFEST_DIR"));
    let vectors: Vec<Vector> = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
    let bytes =
        |hex: &str| (0..hex.len()).step_by(2).map(|i| u8::from_str_radix(&hex[i..i + 2], 16).unwrap()).collect();
    vectors.into_iter().map(|vector| (vector.name, bytes(&vector.hex))).collect()
}

fn shown(line: Line<'_>) -> String {
    format!("{:02x}{} {line}", line.offset(), "  ".repeat(line.depth()))
}

#[test]
fn every_byte_of_a_valid_message_is_explained_once() {
    for (name, bytes) in vectors("valid.json").into_iter().chain(vectors("noncanonical.json")) {
        let mut inspector = Inspector::new(&bytes);
        let mut explained = Vec::new();
        for line in inspector.by_ref() {
            assert!(!line.to_string().is_empty());
            assert_eq!(line.offset(), explained.len(), "{name}: {}", shown(line));
            explained.extend_from_slice(line.bytes());
        }
        assert!(inspector.error().is_none(), "{name}");
        assert_eq!(explained, bytes, "{name}");
        let summary = inspector.summary();
        assert_eq!(summary.sections().iter().map(|(_, bytes)| bytes).sum::<usize>(), bytes.len(), "{name}");
    }
}

#[test]
fn of_an_invalid_message_the_lines_end_at_the_fault() {
    for (name, bytes) in vectors("invalid.json") {
        let mut inspector = Inspector::new(&bytes);
        let lines: Vec<Line<'_>> = inspector.by_ref().collect();
        let error = inspector.error().unwrap_or_else(|| panic!("{name}"));
        assert_eq!(Some(error), Marshal::check(&bytes).as_ref().err(), "{name}");
        assert!(lines.iter().all(|line| line.offset() as u64 <= error.offset().unwrap()), "{name}");
    }
}

#[test]
fn damage_anywhere_is_survived() {
    for (_, bytes) in vectors("valid.json").into_iter().filter(|(_, bytes)| bytes.len() <= 256) {
        for cut in 0..bytes.len() {
            Inspector::new(&bytes[..cut]).for_each(|line| drop(line.to_string()));
        }
        for bit in 0..8 * bytes.len() {
            let mut damaged = bytes.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            Inspector::new(&damaged).for_each(|line| drop(line.to_string()));
        }
    }
}

#[test]
fn a_message_reads_like_its_specification() {
    let mut state = js!({ user: "Ada", seen: Set["a"], re: RegExp("x", "g"), xs: Float64Array[1.0, 2.5] });
    let gap = state.sparse_array(3, [(0, Value::from(1)), (2, Value::from(2))]).unwrap();
    state.set(state.root().value(), "gap", gap).unwrap();
    let bytes = Marshal::encode(&state).unwrap();
    let lines: Vec<String> = Inspector::new(&bytes).map(shown).collect();
    let text = lines.join("\n");
    for line in [
        "00 magic",
        "02 version 1",
        "03 flags: shapes text data",
        "  shape 0: plain object, 5 keys",
        "    key \"user\"",
        "  object of shape 0, identity 0",
        "    user: string \"Ada\"",
        "    seen: Set of 1, identity 1",
        "      member 0: string \"a\"",
        "    re: RegExp with flags g, identity 2",
        "      source: string \"x\"",
        "      lastIndex 0",
        "    xs: Float64Array of 2, data at ",
        "identity 3, its buffer 4",
        "    gap: array of length 3, 2 present, identity 5",
        "      gap 1",
        "      [2]: 2",
        "      0 extra properties",
        " text: 5 bytes",
        " data: 16 bytes",
    ] {
        assert!(text.contains(line), "{line}\nis not in\n{text}");
    }
}

#[test]
fn the_summary_counts_values_and_uses_of_shapes() {
    let bytes = Marshal::encode(&js!([{ a: 1, b: "x" }, { a: 2, b: "yz" }, { c: [] }])).unwrap();
    let mut inspector = Inspector::new(&bytes);
    inspector.by_ref().for_each(drop);
    let summary = inspector.summary();
    let shapes: Vec<(usize, &str, u64)> =
        summary.shapes().iter().map(|shape| (shape.index, shape.description, shape.objects)).collect();
    assert_eq!(shapes, [(0, "{a, b}", 2), (1, "{c}", 1)]);
    let kinds: Vec<(&str, u64, u64)> =
        summary.kinds().iter().map(|share| (share.name, share.values, share.bytes)).collect();
    assert_eq!(kinds, [("strings", 2, 5), ("objects", 3, 3), ("integers", 2, 2), ("arrays", 2, 2)]);
    assert_eq!(summary.bytes(), bytes.len());
}

#[test]
fn a_million_levels_are_walked() {
    let text = "[".repeat(1_000_000) + &"]".repeat(1_000_000);
    let bytes = Marshal::encode(&marshal::json::parse(text.as_bytes()).unwrap()).unwrap();
    assert_eq!(Inspector::new(&bytes).count(), 4 + 1 + 1_000_000);
}

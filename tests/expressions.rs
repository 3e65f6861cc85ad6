//! The evaluator of the fixtures' expressions, by itself and against every vector of the specification.

mod support;

use marshal::Marshal;
use serde::Deserialize;
use support::{js, unhex};

/// A line of `spec/vectors/valid.json`.
#[derive(Deserialize)]
struct Vector {
    js: String,
    hex: String,
}

fn print(expression: &str) -> String {
    js::evaluate(expression).unwrap_or_else(|why| panic!("{expression}: {why}")).to_string()
}

#[test]
fn every_expression_makes_the_value_of_its_message_and_is_encoded_to_it() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/spec/vectors/valid.json");
    let vectors: Vec<Vector> = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    assert!(vectors.len() >= 700);
    for vector in vectors {
        let (graph, message) = (js::evaluate(&vector.js), unhex(&vector.hex));
        let graph = graph.unwrap_or_else(|why| panic!("{}: {why}", vector.js));
        assert!(Marshal::decode(&message).unwrap() == graph, "{} made {graph}", vector.js);
        assert_eq!(Marshal::encode(&graph).unwrap(), message, "{}", vector.js);
    }
}

#[test]
fn expressions_mean_what_they_mean_in_javascript() {
    for (expression, printed) in [
        ("2**53 - 1", "9007199254740991"),
        ("-(2**2) + 7 % 4 * 2", "2"),
        ("-0", "-0"),
        ("2n**64n", "18446744073709551616n"),
        (r#"'\x41\u{1F600}\u0042' + 1.5 + "'""#, r#""A😀B1.5'""#),
        ("String.fromCharCode(55357, 56832)", r#""😀""#),
        ("[1, , 3, ,]", "[1, <1 empty>, 3, <1 empty>]"),
        ("[,]", "[<1 empty>]"),
        (r#"{b: 1, 1: 2, ["__proto__"]: 3, 'c d': 4,}"#, r#"{"1": 2, b: 1, __proto__: 3, "c d": 4}"#),
        ("{__proto__: null, a: 1}", "null {a: 1}"),
        (r"/[/]\//g", r"/[/]\//g"),
        ("new Array(2).fill(7)", "[7, 7]"),
        ("Array.from({length: 3}, (_, i) => ({[i]: 'k' + i * 2}))", r#"[{"0": "k0"}, {"1": "k2"}, {"2": "k4"}]"#),
        ("(()=>{const a=[1],b={a};a.length=2;a.push(b);b.x=a[0];return a})()", "&1 [1, <1 empty>, {a: *1, x: 1}]"),
        ("(() => { let a = 0; for (let i = 1; i < 5; i++) { a = a + i } return a })()", "10"),
        ("new Set([-0, 0, 1])", "Set[0, 1]"),
        ("new Int8Array([200, -1, 1.9])", "Int8Array[-56, -1, 1]"),
        ("new Uint8ClampedArray([-5, 300, 1.5])", "Uint8ClampedArray[0, 255, 2]"),
    ] {
        assert_eq!(print(expression), printed, "{expression}");
    }
}

#[test]
fn what_is_no_part_of_the_subset_is_an_error() {
    for expression in ["", "1 2", "foo", "[1", "'a", "new Nothing()", "({}).x()", "a => 1", "`a`", "{__proto__: 1}"] {
        assert!(js::evaluate(expression).is_err(), "{expression}");
    }
}

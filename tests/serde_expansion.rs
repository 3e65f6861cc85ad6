//! What is shared in a message is repeated in Rust's types: within bounds, whatever it is that is shared.

use std::collections::BTreeMap;

use marshal::serde::Raw;
use marshal::{DeserializeOptions, Graph, Marshal, Value, from_slice, from_slice_with};
use serde::Deserialize;
use serde::de::{DeserializeOwned, IgnoredAny};

/// What a container makes of two values that are one.
type Pair = fn(&mut Graph<'static>, Value) -> Value;

const PAIRS: [(&str, Pair); 4] = [
    ("array", |graph, half| graph.array([half, half])),
    ("object", |graph, half| graph.object([("a", half), ("b", half)])),
    ("map", |graph, half| graph.map([(Value::from(1), half), (Value::from(2), half)])),
    ("array of arrays", |graph, half| {
        let inner = graph.array([half]);
        graph.array([inner, inner, half])
    }),
];

/// A message whose value is `levels` pairs in one another, 2^levels as a tree.
fn doubled(pair: Pair, levels: usize, leaf: Pair) -> Vec<u8> {
    let mut graph = Graph::new();
    let mut value = leaf(&mut graph, Value::NULL);
    for _ in 0..levels {
        value = pair(&mut graph, value);
    }
    graph.set_root(value);
    Marshal::encode(&graph).unwrap()
}

/// Any value, in the form that takes serde the most: it is kept until a variant takes it.
#[derive(Deserialize)]
#[serde(untagged)]
#[allow(dead_code, reason = "read, and not looked at")]
enum Any {
    Nothing(()),
    Number(f64),
    Text(String),
    Many(Vec<Any>),
    Named(BTreeMap<String, Any>),
    Numbered(Vec<(u8, Any)>),
}

/// 126 bytes took half a gigabyte and seconds. What may be read again does not grow with what it would become.
#[test]
fn doubling_is_refused_before_it_takes_much() {
    fn refused<T: DeserializeOwned>(name: &str, bytes: &[u8]) {
        let mut kind = None;
        let counted = allocation_counter::measure(|| kind = from_slice::<T>(bytes).err().map(|error| error.is_limit()));
        assert_eq!(kind, Some(true), "{name}");
        assert!(counted.bytes_max < 150 << 20, "{name}: {counted:?}");
    }
    let leaves: [(&str, Pair); 3] = [
        ("an empty array", |graph, _| graph.array([])),
        ("text", |graph, _| {
            let text = graph.string("some text, which is not long");
            graph.array([text])
        }),
        ("numbers", |graph, _| graph.array([1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5, 8.5].map(Value::from))),
    ];
    for (container, pair) in PAIRS {
        for (leaf, make) in leaves {
            let name = format!("{container} of {leaf}");
            let bytes = doubled(pair, 60, make);
            assert!(bytes.len() < 1024);
            Marshal::check(&bytes).unwrap();
            refused::<Any>(&name, &bytes);
            if container != "map" {
                refused::<serde_json::Value>(&name, &bytes);
            }
            // What is passed over, passed through or kept with its identity is not repeated.
            from_slice::<IgnoredAny>(&bytes).unwrap();
            from_slice::<Raw>(&bytes).unwrap();
            assert_eq!(from_slice::<Graph<'static>>(&bytes).unwrap(), Marshal::decode(&bytes).unwrap());
        }
    }
}

#[test]
fn as_much_may_be_repeated_as_the_options_say() {
    let shared = |times: usize, len: usize| {
        let mut graph = Graph::new();
        let text = graph.string(&"x".repeat(len));
        let one = graph.array([text]);
        let all = graph.array(std::iter::repeat_n(one, times));
        graph.set_root(all);
        Marshal::encode(&graph).unwrap()
    };
    let read = |bytes: &[u8], options: &DeserializeOptions| {
        from_slice_with::<Vec<[&str; 1]>>(bytes, options).map(|all| all.len())
    };
    let (none, some) = (DeserializeOptions::new().max_expansion(0), DeserializeOptions::new());
    // Sixteen times the message itself without asking, and a mebibyte beside.
    let bytes = shared(16, 10_000);
    assert_eq!(read(&bytes, &none), Ok(16));
    let bytes = shared(100, 10_000);
    assert_eq!(read(&bytes, &some), Ok(100));
    for (times, limit) in [(100, &none), (200, &some)] {
        let error = read(&shared(times, 10_000), limit).unwrap_err();
        assert!(error.is_limit() && error.path().is_some_and(|path| path.starts_with("$[")), "{error}");
    }
    assert_eq!(read(&shared(200, 10_000), &DeserializeOptions::new().max_expansion(4 << 20)), Ok(200));
}

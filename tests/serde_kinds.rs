//! JavaScript's kinds from Rust types, and every vector of the specification that serde can read.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use marshal::serde::{BigInt, Date, Raw, RegExp, TypedArray, Undefined};
use marshal::{Graph, Marshal, Value, from_slice, js, to_vec};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

#[track_caller]
fn same<T: Serialize + DeserializeOwned + PartialEq + std::fmt::Debug>(value: T, printed: &str) {
    let bytes = to_vec(&value).unwrap();
    assert_eq!(Marshal::decode(&bytes).unwrap().to_string(), printed);
    assert_eq!(from_slice::<T>(&bytes).unwrap(), value);
    // Through another format, too.
    let json = serde_json::to_string(&value).unwrap();
    assert_eq!(serde_json::from_str::<T>(&json).unwrap(), value, "{json}");
}

#[derive(Serialize, Deserialize, PartialEq, Debug)]
struct Collections {
    #[serde(with = "marshal::serde::map")]
    map: BTreeMap<String, u8>,
    #[serde(with = "marshal::serde::set")]
    set: BTreeSet<String>,
    #[serde(with = "marshal::serde::array_buffer")]
    buffer: Vec<u8>,
}

#[derive(Serialize, Deserialize, PartialEq, Debug)]
#[serde(transparent, bound(deserialize = "T: marshal::Element + Clone", serialize = "T: marshal::Element + Clone"))]
struct Array<T>(#[serde(with = "marshal::serde::typed_array")] Vec<T>);

#[test]
fn kinds() {
    same(Undefined, "undefined");
    same(Date::from_ms(1.7e12).unwrap(), "Date(1700000000000)");
    same(BigInt((-5).into()), "-5n");
    same(BigInt(0.into()), "0n");
    same(BigInt(num_bigint::BigInt::from(1) << 200), &format!("{}n", num_bigint::BigInt::from(1) << 200));
    same(RegExp::new("[/]", "dgimsuy").unwrap(), "/[/]/dgimsuy");
    same(Array(vec![1i16, -2]), "Int16Array[1, -2]");
    same(Array(vec![0.1f64]), "Float64Array[0.1]");
    same(Array(vec![u64::MAX]), "BigUint64Array[18446744073709551615n]");
    same(
        Collections {
            map: BTreeMap::from([("9".into(), 1), ("10".into(), 2)]),
            set: BTreeSet::from(["b".into(), "a".into()]),
            buffer: vec![1, 2],
        },
        "{map: Map{\"10\" => 2, \"9\" => 1}, set: Set[\"a\", \"b\"], buffer: ArrayBuffer[01 02]}",
    );
}

#[test]
fn typed_arrays_are_lent_where_the_message_is_aligned() {
    let bytes = to_vec(&("pad", TypedArray::from(&[1.0f64, 2.0][..]))).unwrap();
    let mut room = vec![0u64; bytes.len() / 8 + 2];
    let room: &mut [u8] = bytemuck::cast_slice_mut(&mut room);
    for (start, lent) in [(0, true), (1, false), (8, true)] {
        let message = &mut room[start..][..bytes.len()];
        message.copy_from_slice(&bytes);
        let (_, array): (&str, TypedArray<'_, f64>) = from_slice(message).unwrap();
        assert_eq!((&*array, array.is_borrowed()), (&[1.0, 2.0][..], lent));
    }
}

#[test]
fn numbers_come_from_every_form_that_holds_them() {
    let bytes = |graph: &Graph<'_>| Marshal::encode(graph).unwrap();
    assert_eq!(from_slice::<Vec<u8>>(&bytes(&js!(Uint8Array[1, 2]))).unwrap(), [1, 2]);
    assert_eq!(from_slice::<Vec<u64>>(&bytes(&js!(Float64Array[1.0, 2.0]))).unwrap(), [1, 2]);
    assert_eq!(from_slice::<Vec<f64>>(&bytes(&js!(Int8Array[1, -2]))).unwrap(), [1.0, -2.0]);
    assert_eq!(from_slice::<HashSet<u8>>(&bytes(&js!(Set[1, 2]))).unwrap(), HashSet::from([1, 2]));
    let mut graph = Graph::new();
    let seven = graph.bigint(7);
    graph.set_root(seven);
    assert_eq!(from_slice::<u8>(&bytes(&graph)).unwrap(), 7);
    assert_eq!(from_slice::<f32>(&bytes(&graph)).unwrap(), 7.0);
    for (value, path) in
        [(js!([1, 2.5]), "$[1]"), (js!([1, -1]), "$[1]"), (js!([1, 256]), "$[1]"), (js!([1, "1"]), "$[1]")]
    {
        let message = bytes(&value);
        let error = from_slice::<Vec<u8>>(&message).unwrap_err();
        assert_eq!(error.path(), Some(path), "{error}");
        assert!(error.offset().is_some());
    }
}

#[test]
fn a_graph_is_a_field_with_all_that_it_is() {
    let mut graph = js!([User{ name: "Ada" }, Date(0), Int16Array[1, 2]]);
    let root = graph.root().value();
    let cyclic = graph.object([("list", root), ("again", root)]);
    graph.set(cyclic, "me", cyclic).unwrap();
    graph.set_root(cyclic);
    let two = (graph.clone().into_owned(), "between", graph.clone().into_owned());
    let bytes = to_vec(&two).unwrap();
    let (first, _, second): (Graph<'static>, String, Graph<'static>) = from_slice(&bytes).unwrap();
    assert_eq!((&first, &second), (&two.0, &two.2));
    // Read as anything, they are still valid in the whole.
    let whole = Marshal::decode(&bytes).unwrap();
    assert_eq!(
        from_slice::<(Graph<'static>, String, Graph<'static>)>(&Marshal::encode(&whole).unwrap()).unwrap().2,
        graph
    );
    let raw: Raw = from_slice(&bytes).unwrap();
    assert_eq!(Marshal::decode(raw.as_bytes()).unwrap(), whole);
}

#[test]
fn a_part_takes_with_it_what_it_shares_with_the_rest() {
    let mut graph = Graph::new();
    let shared = graph.object([("x", Value::from(1))]);
    let inner = graph.array([shared, shared]);
    let root = graph.object([("first", shared), ("part", inner)]);
    graph.set_root(root);
    #[derive(Deserialize)]
    struct Whole {
        part: Graph<'static>,
    }
    let whole: Whole = from_slice(&Marshal::encode(&graph).unwrap()).unwrap();
    assert_eq!(whole.part.to_string(), "[&1 {x: 1}, *1]");
}

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

#[test]
fn every_valid_vector_can_be_passed_over_passed_through_and_held_as_a_graph() {
    for (name, bytes) in vectors("valid.json").into_iter().chain(vectors("noncanonical.json")) {
        let expected = Marshal::decode(&bytes).unwrap();
        from_slice::<serde::de::IgnoredAny>(&bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
        let raw: Raw = from_slice(&bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
        let again = Marshal::decode(raw.as_bytes()).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(again, expected, "{name}");
        let nested = to_vec(&(1, &raw, 2)).unwrap();
        let (_, inner, _): (u8, Graph<'static>, u8) = from_slice(&nested).unwrap();
        assert_eq!(inner, expected, "{name}");
    }
}

#[test]
fn every_vector_that_json_can_hold_is_the_same_through_serde() {
    let mut read = 0;
    for (name, bytes) in vectors("valid.json").into_iter().chain(vectors("noncanonical.json")) {
        let Ok(value) = from_slice::<serde_json::Value>(&bytes) else { continue };
        read += 1;
        let again = to_vec(&value).unwrap();
        let value2: serde_json::Value = from_slice(&again).unwrap();
        assert_eq!(value2, value, "{name}");
        Marshal::check(&again).unwrap_or_else(|error| panic!("{name}: {error}"));
    }
    assert!(read > 100, "{read}");
}

#[test]
fn invalid_vectors_do_no_harm() {
    for (name, bytes) in vectors("invalid.json") {
        // No panic, no hang; most are refused.
        let _ = from_slice::<serde_json::Value>(&bytes);
        let _ = from_slice::<serde::de::IgnoredAny>(&bytes);
        let _ = from_slice::<Raw>(&bytes);
        assert!(from_slice::<Graph<'static>>(&bytes).is_err() || Marshal::decode(&bytes).is_err(), "{name}");
    }
}

/// Found by fuzzing: each part brought its registered symbols again, and its names in the form that they came in.
#[test]
fn parts_that_share_symbols_and_shapes_make_one_table() {
    // `Symbol.for("\u{2E200}")` in code units; a class and a key in code units beside the same in UTF-8.
    let registered: &[u8] = &[215, 77, 1, 1, 2, 8, 1, 2, 9, 120, 218, 0, 222, 0, 218, 0];
    let wide: &[u8] = &[215, 77, 1, 1, 2, 11, 0, 1, 2, 5, 65, 0, 0, 1, 5, 98, 0, 160, 7];
    let narrow = Marshal::encode(&js!(A { b: 7 })).unwrap();
    for parts in [[registered, registered], [wide, &narrow], [&narrow, wide]] {
        let parts = parts.map(|part| {
            Marshal::check(part).unwrap();
            marshal::serde::Raw::from_message(part.to_vec()).unwrap()
        });
        let bytes = to_vec(&parts).unwrap();
        Marshal::check(&bytes).unwrap_or_else(|error| panic!("{error}: {bytes:?}"));
    }
}

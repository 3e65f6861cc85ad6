//! How values appear as JSON that JSON can't hold, and how they are refused.

use marshal::json::{self, JsonOptions, Lossy};
use marshal::{ElementKind, ErrorConstructor, ErrorKind, Graph, Value, WellKnown, js};

fn shown(build: impl FnOnce(&mut Graph<'static>) -> Value) -> String {
    let mut graph = Graph::new();
    let root = build(&mut graph);
    graph.set_root(root);
    let text = json::to_string(&graph, &JsonOptions::new()).unwrap();
    serde_json::from_str::<serde::de::IgnoredAny>(&text).unwrap_or_else(|error| panic!("{text}: {error}"));
    let pretty = json::to_string(&graph, &JsonOptions::new().indent(3)).unwrap();
    assert_eq!(json::parse(pretty.as_bytes()).unwrap(), json::parse(text.as_bytes()).unwrap());
    text
}

const ONE: Value = Value::TRUE;

#[test]
fn primitives() {
    assert_eq!(shown(|_| Value::UNDEFINED), r#"{"$undefined":true}"#);
    assert_eq!(shown(|_| Value::from(-0.0)), "-0");
    assert_eq!(
        shown(|g| g.array([f64::NAN, f64::INFINITY, f64::NEG_INFINITY].map(Value::from))),
        r#"[{"$number":"NaN"},{"$number":"Infinity"},{"$number":"-Infinity"}]"#
    );
    assert_eq!(shown(|g| g.bigint(-123)), r#"{"$bigint":"-123"}"#);
    assert_eq!(shown(|g| g.string_utf16(&[0x61, 0xD800, 0x22])), r#""a\ud800\"""#);
    assert_eq!(
        shown(|g| g.string("\u{8}\u{c}\n\r\t\u{1}\"\\/\u{2028}")),
        "\"\\b\\f\\n\\r\\t\\u0001\\\"\\\\/\u{2028}\""
    );
    assert_eq!(shown(|g| g.symbol_well_known(WellKnown::Iterator).into()), r#"{"$symbol":{"wellKnown":"iterator"}}"#);
    assert_eq!(shown(|g| g.symbol_for("k").into()), r#"{"$symbol":{"for":"k"}}"#);
    let symbols = shown(|g| {
        let symbols = [g.symbol_described("d"), g.symbol()];
        g.array(symbols.map(Value::from))
    });
    assert_eq!(symbols, r#"[{"$symbol":{"id":0,"description":"d"}},{"$symbol":{"id":1}}]"#);
}

#[test]
fn built_in_objects() {
    assert_eq!(shown(|g| g.date(1.7e12)), r#"{"$date":"2023-11-14T22:13:20.000Z"}"#);
    assert_eq!(shown(|g| g.date(f64::NAN)), r#"{"$date":null}"#);
    assert_eq!(shown(|g| g.regexp("a/b", "gi", 3).unwrap()), r#"{"$regexp":"a\\/b","flags":"gi","lastIndex":3}"#);
    let map = shown(|g| {
        let inner = g.map([(Value::from(1), Value::from(2))]);
        let key = g.array([Value::from(1)]);
        g.map([(key, inner), (Value::NULL, ONE)])
    });
    assert_eq!(map, r#"{"$map":[[[1],{"$map":[[1,2]]}],[null,true]]}"#);
    assert_eq!(shown(|g| g.map([])), r#"{"$map":[]}"#);
    assert_eq!(shown(|g| g.set_of([ONE, Value::UNDEFINED])), r#"{"$set":[true,{"$undefined":true}]}"#);
    let error = shown(|g| g.error(ErrorConstructor::TypeError, [("message", ONE)]));
    assert_eq!(error, r#"{"$error":"TypeError","fields":{"message":true}}"#);
    assert_eq!(shown(|g| g.boxed(ONE).unwrap()), r#"{"$boxed":true}"#);
    assert_eq!(shown(|g| g.null_object([("a", ONE)])), r#"{"$null":{"a":true}}"#);
    let sparse = shown(|g| {
        let array = g.sparse_array(5, [(1, ONE), (3, ONE)]).unwrap();
        g.set(array, "extra", Value::NULL).unwrap();
        array
    });
    assert_eq!(sparse, r#"{"$array":[[1,true],[3,true]],"length":5,"properties":{"extra":null}}"#);
    assert_eq!(shown(|g| g.sparse_array(u32::MAX, []).unwrap()), r#"{"$array":[],"length":4294967295}"#);
    let symbol_key = shown(|g| {
        let key = g.symbol_well_known(WellKnown::Iterator);
        let object = g.object([("a", ONE)]);
        g.set(object, key, Value::NULL).unwrap();
        object
    });
    assert_eq!(symbol_key, r#"{"a":true,"$symbols":[[{"$symbol":{"wellKnown":"iterator"}},null]]}"#);
}

#[test]
fn classes() {
    let user = shown(|g| g.instance("User", 2, [("n", ONE)]).unwrap());
    assert_eq!(user, r#"{"$class":"User","version":2,"fields":{"n":true}}"#);
    let stack = shown(|g| {
        let base = g.array([ONE]);
        g.derived("Stack", 0, base, [("top", ONE)]).unwrap()
    });
    assert_eq!(stack, r#"{"$class":"Stack","version":0,"base":[true],"fields":{"top":true}}"#);
    assert_eq!(shown(|g| g.custom("URL", 0, ONE).unwrap()), r#"{"$custom":"URL","version":0,"payload":true}"#);
}

#[test]
fn buffers_and_views() {
    assert_eq!(shown(|g| g.buffer(&[1, 255])), r#"{"$buffer":"01ff"}"#);
    assert_eq!(shown(|g| g.resizable_buffer(&[1], 4).unwrap()), r#"{"$buffer":"01","maxByteLength":4}"#);
    assert_eq!(
        shown(|g| g.typed_array(&[0.5f32, f32::NAN])),
        r#"{"$typedArray":"Float32Array","values":[0.5,{"$number":"NaN"}]}"#
    );
    assert_eq!(
        shown(|g| g.typed_array(&[-1i64, 1 << 60])),
        r#"{"$typedArray":"BigInt64Array","values":[{"$bigint":"-1"},{"$bigint":"1152921504606846976"}]}"#
    );
    let views = shown(|g| {
        let buffer = g.resizable_buffer(&[1, 2, 3], 8).unwrap();
        let tracking = g.view(ElementKind::DataView, buffer, 1, None).unwrap();
        let part = g.view(ElementKind::Uint8, buffer, 1, Some(2)).unwrap();
        g.array([tracking, part])
    });
    let [first, second] = [
        r#"{"$view":"DataView","buffer":{"$id":1,"value":{"$buffer":"010203","maxByteLength":8}},"byteOffset":1,"length":null}"#,
        r#"{"$view":"Uint8Array","buffer":{"$ref":1},"byteOffset":1,"length":2}"#,
    ];
    assert_eq!(views, format!("[{first},{second}]"));
}

#[test]
fn shared_objects_and_cycles_are_shown_by_number() {
    let text = shown(|g| {
        let shared = g.object([("a", Value::from(1))]);
        let map = g.map([(shared, shared)]);
        let root = g.array([map, shared]);
        g.push(root, root).unwrap();
        root
    });
    assert_eq!(text, r#"{"$id":1,"value":[{"$map":[[{"$id":2,"value":{"a":1}},{"$ref":2}]]},{"$ref":2},{"$ref":1}]}"#);
}

#[test]
fn keys_that_look_like_forms_come_back_as_they_are() {
    let schema = r##"{"$ref":"#/definitions/x","$id":"https://example.com","a":{"$date":1}}"##;
    let graph = json::parse(schema.as_bytes()).unwrap();
    assert_eq!(json::to_string(&graph, &JsonOptions::new()).unwrap(), schema);
}

#[test]
fn strict_writing_names_the_path_of_what_json_cannot_hold() {
    let strict = JsonOptions::new().lossy(Lossy::Refuse);
    let refused = |graph: &Graph<'_>| {
        let error = json::to_string(graph, &strict).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unrepresentable);
        error.to_string()
    };
    let state = js!({ users: [{ id: 1 }, { id: 2, seen: Set["a"] }] });
    assert_eq!(refused(&state), "unrepresentable in $.users[1].seen: JSON has no Set");
    assert_eq!(refused(&js!([1, undefined])), "unrepresentable in $[1]: JSON has no undefined");
    assert_eq!(refused(&js!({ a: Date(0) })), "unrepresentable in $.a: JSON has no Date");
    let mut nan = Graph::new();
    let root = nan.object([("a b", Value::from(f64::NAN))]);
    nan.set_root(root);
    assert_eq!(refused(&nan), "unrepresentable in $[\"a b\"]: JSON has no NaN and no Infinity");
    let mut cycle = Graph::new();
    let inner = cycle.array([Value::from(1)]);
    let outer = cycle.object([("list", inner)]);
    cycle.push(inner, outer).unwrap();
    cycle.set_root(outer);
    assert_eq!(refused(&cycle), "unrepresentable in $.list[1]: JSON has no references, and this object holds itself");
    let mut shared = Graph::new();
    let object = shared.object([("a", Value::from(-0.0))]);
    let root = shared.array([object, object]);
    shared.set_root(root);
    assert_eq!(json::to_string(&shared, &strict).unwrap(), r#"[{"a":-0},{"a":-0}]"#);
}

#[test]
fn what_would_double_forty_times_is_refused() {
    let mut graph = Graph::new();
    let mut value = graph.array([Value::from(1)]);
    for _ in 0..40 {
        value = graph.array([value, value]);
    }
    graph.set_root(value);
    let strict = JsonOptions::new().lossy(Lossy::Refuse).max_bytes(1 << 20);
    let error = json::to_string(&graph, &strict).unwrap_err();
    assert!(error.is_limit(), "{error}");
    assert!(json::to_string(&graph, &JsonOptions::new()).unwrap().len() < 4096);
    // One string that many values name.
    let text = graph.string(&"x".repeat(1 << 16));
    let root = graph.array(std::iter::repeat_n(text, 1 << 10));
    graph.set_root(root);
    let bounded = JsonOptions::new().max_bytes(1 << 24);
    assert!(json::to_string(&graph, &bounded).unwrap_err().is_limit());
    let error = json::write(&graph, &mut std::io::sink(), &bounded).unwrap_err();
    assert!(error.get_ref().unwrap().downcast_ref::<marshal::Error>().unwrap().is_limit());
}

#[test]
fn indentation_is_that_of_json_stringify() {
    let graph = json::parse(br#"{"a":[1,{"b":[]}],"c":{}}"#).unwrap();
    assert_eq!(
        json::to_string(&graph, &JsonOptions::new().indent(2)).unwrap(),
        "{\n  \"a\": [\n    1,\n    {\n      \"b\": []\n    }\n  ],\n  \"c\": {}\n}"
    );
}

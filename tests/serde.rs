//! serde's data model through the format, as a table (`marshal::to_vec`, `marshal::from_slice`).

use std::collections::{BTreeMap, BTreeSet, HashMap};

use marshal::{ErrorKind, Marshal, from_slice, to_vec};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// What a value is as a JavaScript value, and that it comes back: from its own bytes, and from those of the graph.
#[track_caller]
fn same<T: Serialize + DeserializeOwned + PartialEq + std::fmt::Debug>(value: T, printed: &str) {
    let bytes = to_vec(&value).unwrap();
    let graph = Marshal::decode(&bytes).unwrap();
    assert_eq!(graph.to_string(), printed);
    assert_eq!(from_slice::<T>(&bytes).unwrap(), value);
    let canonical = Marshal::encode(&graph).unwrap();
    assert_eq!(from_slice::<T>(&canonical).unwrap(), value, "from canonical bytes");
    assert_eq!(from_slice::<serde::de::IgnoredAny>(&bytes).unwrap(), serde::de::IgnoredAny);
}

#[derive(Serialize, Deserialize, PartialEq, Debug)]
struct Unit;
#[derive(Serialize, Deserialize, PartialEq, Debug)]
struct Newtype(u8);
#[derive(Serialize, Deserialize, PartialEq, Debug)]
struct Pair(u8, String);
#[derive(Serialize, Deserialize, PartialEq, Debug)]
struct Point {
    x: i32,
    y: i32,
}

#[derive(Serialize, Deserialize, PartialEq, Debug)]
enum External {
    Unit,
    Newtype(u8),
    Tuple(u8, u8),
    Struct { a: u8 },
}

#[derive(Serialize, Deserialize, PartialEq, Debug)]
#[serde(tag = "type")]
enum Internal {
    Unit,
    Newtype(Point),
    Struct { a: u8 },
}

#[derive(Serialize, Deserialize, PartialEq, Debug)]
#[serde(tag = "t", content = "c")]
enum Adjacent {
    Unit,
    Newtype(u8),
    Tuple(u8, u8),
    Struct { a: u8 },
}

#[derive(Serialize, Deserialize, PartialEq, Debug)]
#[serde(untagged)]
enum Untagged {
    Bool(bool),
    Integer(i64),
    Float(f64),
    Text(String),
    Point(Point),
    Many(Vec<Untagged>),
    Map(BTreeMap<String, Untagged>),
    Nothing(()),
}

#[test]
fn scalars() {
    same(true, "true");
    same(0u8, "0");
    same(255u8, "255");
    same(-128i8, "-128");
    same(i16::MIN, "-32768");
    same(u16::MAX, "65535");
    same(i32::MIN, "-2147483648");
    same(u32::MAX, "4294967295");
    same(1u64 << 40, "1099511627776");
    same(1u64 << 53, "9007199254740992");
    same((1u64 << 53) + 1, "9007199254740993n");
    same(-(1i64 << 53), "-9007199254740992");
    same(-(1i64 << 53) - 1, "-9007199254740993n");
    same(u64::MAX, "18446744073709551615n");
    same(i64::MIN, "-9223372036854775808n");
    same(u128::MAX, "340282366920938463463374607431768211455n");
    same(i128::MIN, "-170141183460469231731687303715884105728n");
    same(i128::MAX, "170141183460469231731687303715884105727n");
    same(7i128, "7");
    same(0.5f32, "0.5");
    same(0.1f64, "0.1");
    same(1.0f64, "1");
    same(-0.0f64, "-0");
    same(f64::INFINITY, "Infinity");
    same('ß', "\"ß\"");
    same("text".to_owned(), "\"text\"");
    same((), "null");
    same(None::<u8>, "null");
    same(Some(5u8), "5");
    assert!(from_slice::<f64>(&to_vec(&f64::NAN).unwrap()).unwrap().is_nan());
    assert!(from_slice::<f32>(&to_vec(&f32::NAN).unwrap()).unwrap().is_nan());
}

#[test]
fn structs_and_sequences() {
    same(Unit, "null");
    same(Newtype(5), "5");
    same(Pair(1, "a".into()), "[1, \"a\"]");
    same(Point { x: 1, y: -1 }, "{x: 1, y: -1}");
    same(vec![Point { x: 1, y: -1 }, Point { x: 2, y: 70000 }], "[{x: 1, y: -1}, {x: 2, y: 70000}]");
    same(vec![1u8, 2], "[1, 2]");
    same((0..10u8).collect::<Vec<_>>(), "[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]");
    same((0..3).map(|n| vec![n as f32 + 0.5; 9]).collect::<Vec<_>>().len(), "3");
    same(vec![1.5f64; 9], "[1.5, 1.5, 1.5, 1.5, 1.5, 1.5, 1.5, 1.5, 1.5]");
    same(vec![Some(1u8); 9], "[1, 1, 1, 1, 1, 1, 1, 1, 1]");
    same([1u16; 12], "[1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]");
    same((1u8, "x".to_owned(), [true, false]), "[1, \"x\", [true, false]]");
    same(BTreeSet::from([3u8, 1]), "[1, 3]");
    for n in [0, 1, 7, 8, 63, 64, 65, 128, 1000] {
        let numbers: Vec<i32> = (0..n).map(|n| n * 1_000_003).collect();
        assert_eq!(from_slice::<Vec<i32>>(&to_vec(&numbers).unwrap()).unwrap(), numbers);
    }
}

#[test]
fn maps() {
    same(BTreeMap::from([("b".to_owned(), 1), ("a".to_owned(), 2)]), "{a: 2, b: 1}");
    same(BTreeMap::from([(2u32, 1), (1, 2)]), "Map{1 => 2, 2 => 1}");
    same(BTreeMap::<String, u8>::new(), "{}");
    same(BTreeMap::from([((1u8, 2u8), 'x')]), "Map{[1, 2] => \"x\"}");
    same(BTreeMap::from([(Newtype2("k".into()), 'x')]), "{k: \"x\"}");
    let odd = ["10", "9", "a", "4294967295", "", "01", "__proto__"].map(|key| (key.to_owned(), vec![key.len(); 9]));
    let map = BTreeMap::from(odd.clone());
    let bytes = to_vec(&map).unwrap();
    let graph = Marshal::decode(&bytes).unwrap();
    let keys: Vec<_> = graph.root().properties().map(|p| p.name().unwrap().as_str().unwrap().to_owned()).collect();
    assert_eq!(keys, ["9", "10", "", "01", "4294967295", "__proto__", "a"]);
    assert_eq!(from_slice::<BTreeMap<String, Vec<usize>>>(&bytes).unwrap(), map);
    let map = HashMap::from(odd);
    assert_eq!(from_slice::<HashMap<String, Vec<usize>>>(&to_vec(&map).unwrap()).unwrap(), map);
    let many: HashMap<u64, String> = (0..500).map(|n| (n * 7, n.to_string())).collect();
    assert_eq!(from_slice::<HashMap<u64, String>>(&to_vec(&many).unwrap()).unwrap(), many);
    let as_object: BTreeMap<u32, u8> = from_slice(&to_vec(&BTreeMap::from([("7", 1)])).unwrap()).unwrap();
    assert_eq!(as_object, BTreeMap::from([(7, 1)]));
}

#[derive(Serialize, Deserialize, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Newtype2(String);

#[test]
fn enums() {
    same(External::Unit, "\"Unit\"");
    same(External::Newtype(1), "{Newtype: 1}");
    same(External::Tuple(1, 2), "{Tuple: [1, 2]}");
    same(External::Struct { a: 1 }, "{Struct: {a: 1}}");
    same(vec![External::Struct { a: 1 }, External::Unit], "[{Struct: {a: 1}}, \"Unit\"]");
    same(Internal::Unit, "{type: \"Unit\"}");
    same(Internal::Newtype(Point { x: 1, y: 2 }), "{type: \"Newtype\", x: 1, y: 2}");
    same(Internal::Struct { a: 1 }, "{type: \"Struct\", a: 1}");
    same(Adjacent::Unit, "{t: \"Unit\"}");
    same(Adjacent::Newtype(1), "{t: \"Newtype\", c: 1}");
    same(Adjacent::Tuple(1, 2), "{t: \"Tuple\", c: [1, 2]}");
    same(Adjacent::Struct { a: 1 }, "{t: \"Struct\", c: {a: 1}}");
    same(Untagged::Bool(true), "true");
    same(Untagged::Integer(1 << 40), "1099511627776");
    same(Untagged::Integer(i64::MIN), "-9223372036854775808n");
    same(Untagged::Float(0.5), "0.5");
    same(Untagged::Text("t".into()), "\"t\"");
    same(Untagged::Point(Point { x: 1, y: 2 }), "{x: 1, y: 2}");
    same(Untagged::Nothing(()), "null");
    same(
        Untagged::Many(vec![
            Untagged::Integer(1),
            Untagged::Map(BTreeMap::from([("k".into(), Untagged::Bool(false))])),
        ]),
        "[1, {k: false}]",
    );
    same(BTreeMap::from([("k", External::Unit)]).into_values().collect::<Vec<_>>(), "[\"Unit\"]");
}

#[derive(Serialize, Deserialize, PartialEq, Debug, Default)]
struct Options {
    #[serde(rename = "first-name")]
    name: String,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    a: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    b: Option<u8>,
    #[serde(alias = "old")]
    c: u8,
    #[serde(default)]
    d: u8,
    #[serde(skip)]
    e: u8,
}

#[derive(Serialize, Deserialize, PartialEq, Debug)]
struct Flat {
    id: u8,
    #[serde(flatten)]
    point: Point,
    #[serde(flatten)]
    rest: BTreeMap<String, u8>,
}

#[derive(Serialize, Deserialize, PartialEq, Debug)]
struct Digits {
    #[serde(rename = "b")]
    b: Vec<u16>,
    #[serde(rename = "10")]
    ten: String,
    #[serde(rename = "9")]
    nine: Vec<f64>,
}

#[derive(Deserialize, PartialEq, Debug)]
#[serde(deny_unknown_fields)]
#[allow(dead_code)]
struct Strict {
    x: u8,
}

#[test]
fn attributes() {
    let options = |a, b| Options { name: "n".into(), a, b, c: 1, d: 2, e: 0 };
    same(options(None, None), "{\"first-name\": \"n\", c: 1, d: 2}");
    same(
        vec![options(Some(1), None), options(None, Some(2)), options(Some(1), Some(2)), options(None, None)],
        "[{\"first-name\": \"n\", a: 1, c: 1, d: 2}, {\"first-name\": \"n\", b: 2, c: 1, d: 2}, \
         {\"first-name\": \"n\", a: 1, b: 2, c: 1, d: 2}, {\"first-name\": \"n\", c: 1, d: 2}]",
    );
    let old: Options = from_slice(&Marshal::encode(&marshal::js!({ old: 3, "first-name": "n" })).unwrap()).unwrap();
    assert_eq!(old, Options { name: "n".into(), c: 3, ..Options::default() });
    same(
        Flat { id: 1, point: Point { x: 2, y: 3 }, rest: BTreeMap::from([("z".into(), 4)]) },
        "{id: 1, x: 2, y: 3, z: 4}",
    );
    let digits = Digits { b: vec![1; 9], ten: "ten".into(), nine: vec![0.1; 8] };
    let bytes = to_vec(&[&digits, &digits]).unwrap();
    let graph = Marshal::decode(&bytes).unwrap();
    assert!(graph.to_string().starts_with("[{\"9\": [0.1, "), "{graph}");
    assert_eq!(from_slice::<[Digits; 2]>(&bytes).unwrap()[1], digits);
    let unknown = from_slice::<Strict>(&to_vec(&Point { x: 1, y: 2 }).unwrap()).unwrap_err();
    assert_eq!((unknown.kind(), unknown.path()), (ErrorKind::Rejected, Some("$.y")));
}

#[test]
fn borrowed_and_bytes() {
    #[derive(Serialize, Deserialize, PartialEq, Debug)]
    struct Lent<'a> {
        text: &'a str,
        #[serde(with = "serde_bytes_like")]
        bytes: &'a [u8],
    }
    mod serde_bytes_like {
        pub(super) fn serialize<S: serde::Serializer>(bytes: &[u8], s: S) -> Result<S::Ok, S::Error> {
            s.serialize_bytes(bytes)
        }
        pub(super) fn deserialize<'de, D: serde::Deserializer<'de>>(d: D) -> Result<&'de [u8], D::Error> {
            serde::Deserialize::deserialize(d)
        }
    }
    let bytes = to_vec(&Lent { text: "t", bytes: &[1, 2] }).unwrap();
    assert_eq!(Marshal::decode(&bytes).unwrap().to_string(), "{text: \"t\", bytes: Uint8Array[1, 2]}");
    assert_eq!(from_slice::<Lent<'_>>(&bytes).unwrap(), Lent { text: "t", bytes: &[1, 2] });
    let as_numbers: (String, Vec<u8>) = {
        #[derive(Deserialize)]
        struct Owned {
            text: String,
            bytes: Vec<u8>,
        }
        let owned: Owned = from_slice(&bytes).unwrap();
        (owned.text, owned.bytes)
    };
    assert_eq!(as_numbers, ("t".into(), vec![1, 2]));
}

#[test]
fn a_type_that_nests_without_end_is_refused() {
    struct Endless;
    impl Serialize for Endless {
        fn serialize<S: serde::Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
            s.collect_seq([Endless])
        }
    }
    assert!(to_vec(&Endless).unwrap_err().is_limit());
    #[derive(Deserialize, Serialize, Debug)]
    struct Nest(Vec<Nest>);
    let mut graph = marshal::Graph::new();
    let mut inner = graph.array([]);
    for _ in 0..100_000 {
        inner = graph.array([inner]);
    }
    graph.set_root(inner);
    let bytes = Marshal::encode(&graph).unwrap();
    assert!(from_slice::<Nest>(&bytes).unwrap_err().is_limit());
    from_slice::<serde::de::IgnoredAny>(&bytes).unwrap();
}

#[test]
fn what_is_shared_is_read_again_and_cycles_are_refused() {
    let mut graph = marshal::Graph::new();
    let point = graph.object([("x", marshal::Value::from(1)), ("y", marshal::Value::from(2))]);
    let both = graph.array([point, point]);
    graph.set_root(both);
    let bytes = Marshal::encode(&graph).unwrap();
    assert_eq!(from_slice::<[Point; 2]>(&bytes).unwrap()[1], Point { x: 1, y: 2 });
    let me = graph.object([("a", marshal::Value::from(1))]);
    graph.set(me, "next", me).unwrap();
    graph.set_root(me);
    #[derive(Deserialize, Debug)]
    #[allow(dead_code)]
    struct Link {
        a: u8,
        next: Option<Box<Link>>,
    }
    let error = from_slice::<Link>(&Marshal::encode(&graph).unwrap()).unwrap_err();
    assert_eq!((error.kind(), error.path()), (ErrorKind::Unrepresentable, Some("$.next.next")));
    // Doubling: 2⁴⁰ as a tree.
    let mut twice = graph.array([]);
    for _ in 0..40 {
        twice = graph.array([twice, twice]);
    }
    graph.set_root(twice);
    #[derive(Deserialize, Debug)]
    struct Nest(#[allow(dead_code)] Vec<Nest>);
    assert!(from_slice::<Nest>(&Marshal::encode(&graph).unwrap()).unwrap_err().is_limit());
}

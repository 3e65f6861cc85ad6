//! Arrays of records: what types of one layout are written as, and that every reader takes them for ordinary objects
//! (`spec/format.md`, section 8).

mod forge;

use std::collections::BTreeMap;

use forge::{Message, plain_shape, shapes_section, varint};
use marshal::serde::Raw;
use marshal::{
    Class, Classes, DecodeOptions, Decoder, DeserializeOptions, Graph, Lazy, LazyCursor, Marshal, from_slice,
    from_slice_with, to_vec,
};
use serde::de::{DeserializeOwned, IgnoredAny};
use serde::{Deserialize, Serialize};

const RECORDS: u8 = 0xE3;

/// The first byte of the structure.
fn first_tag(bytes: &[u8]) -> u8 {
    // The head has a varint for each section that is there.
    let lengths = 1 + (bytes[3] & 0x0F).count_ones() as usize;
    let mut at = 4;
    let mut shapes = 0;
    for length in 0..lengths {
        let mut value = 0;
        for shift in (0..).step_by(7) {
            value |= usize::from(bytes[at] & 0x7F) << shift;
            at += 1;
            if bytes[at - 1] < 0x80 {
                break;
            }
        }
        if length == 1 && bytes[3] & 1 == 1 {
            shapes = value;
        }
    }
    bytes[at + shapes]
}

/// The value is written as records, is read back, and is to a graph what its elements are one by one.
#[track_caller]
fn records<T: Serialize + DeserializeOwned + PartialEq + std::fmt::Debug>(value: &[T]) -> Vec<u8> {
    let bytes = to_vec(value).unwrap();
    assert_eq!(first_tag(&bytes), RECORDS);
    same(value, bytes)
}

/// It is read back, also from the bytes of the graph, whatever it is written as.
#[track_caller]
fn same<T: Serialize + DeserializeOwned + PartialEq + std::fmt::Debug>(value: &[T], bytes: Vec<u8>) -> Vec<u8> {
    Marshal::check(&bytes).unwrap();
    assert_eq!(from_slice::<Vec<T>>(&bytes).unwrap(), value);
    assert_eq!(from_slice::<IgnoredAny>(&bytes).unwrap(), IgnoredAny);
    let graph = Marshal::decode(&bytes).unwrap();
    // One element is no sequence to pack.
    let ones: Vec<Graph<'_>> =
        value.iter().map(|item| Marshal::decode(&to_vec(item).unwrap()).unwrap().into_owned()).collect();
    let printed: Vec<String> = ones.iter().map(Graph::to_string).collect();
    assert_eq!(graph.to_string(), format!("[{}]", printed.join(", ")));
    let canonical = Marshal::encode(&graph).unwrap();
    assert_eq!(Marshal::encode(&Marshal::decode(&canonical).unwrap()).unwrap(), canonical);
    assert_eq!(from_slice::<Vec<T>>(&canonical).unwrap(), value);
    assert_eq!(Marshal::decode(&canonical).unwrap(), graph);
    bytes
}

#[derive(Serialize, Deserialize, PartialEq, Debug, Clone, Copy)]
struct Point {
    x: f32,
    y: f32,
}

#[derive(Serialize, Deserialize, PartialEq, Debug, Clone, Copy)]
struct Edge {
    from: Point,
    to: Point,
    weight: f64,
    ends: (u8, i16),
    grid: [[i8; 2]; 3],
    is_open: bool,
}

#[derive(Serialize, Deserialize, PartialEq, Debug, Clone, Copy)]
struct Numbers {
    a: i8,
    b: u8,
    c: i16,
    d: u16,
    e: i32,
    f: u32,
    g: i64,
    h: u64,
    i: f32,
    j: f64,
    k: bool,
}

#[derive(Serialize, Deserialize, PartialEq, Debug, Clone, Copy)]
struct Meters(f64);

#[derive(Serialize, Deserialize, PartialEq, Debug, Clone, Copy)]
struct Pair(u16, Meters);

fn edge(n: u8) -> Edge {
    let point = |n: u8| Point { x: f32::from(n) / 2.0, y: -f32::from(n) };
    let i = n as i8;
    Edge {
        from: point(n),
        to: point(n / 3),
        weight: f64::from(n) / 7.0,
        ends: (n, -i16::from(n)),
        grid: [[i, 1], [2, i], [3, 4]],
        is_open: n.is_multiple_of(2),
    }
}

fn numbers(n: u64) -> Numbers {
    Numbers {
        a: n as i8,
        b: n as u8,
        c: n as i16,
        d: n as u16,
        e: n as i32,
        f: n as u32,
        g: n as i64,
        h: n,
        i: n as f32,
        j: n as f64,
        k: n % 2 == 1,
    }
}

#[test]
fn elements_of_one_layout_are_records() {
    records(&[Point { x: 0.5, y: 2.0 }; 8]);
    for n in [8, 9, 63, 64, 65, 100, 255] {
        records(&(0..n).map(edge).collect::<Vec<_>>());
    }
    records(&[[1u8, 2, 3]; 20]);
    records(&[(1u8, 0.5f32); 20]);
    records(&[[Pair(1, Meters(0.5)); 2]; 20]);
    records(&[Meters(0.5); 20].map(|meters| (meters,)));
    let edges = [0, 1, 63, 64, 127, 128, 1 << 31, (1 << 53) - 1, 1 << 53, (1 << 53) + 1, 1 << 63, u64::MAX - 1];
    records(&edges.into_iter().flat_map(|n| [n, n.wrapping_neg()]).map(numbers).collect::<Vec<_>>());
}

#[test]
fn the_message_is_what_the_specification_says() {
    let bytes = records(&[Point { x: 0.5, y: 1.0 }; 8]);
    let shapes = shapes_section(&[plain_shape(&["x", "y"])]);
    let data = [0.5f32.to_le_bytes(), 1.0f32.to_le_bytes()].concat().repeat(8);
    assert_eq!(bytes, Message::of([RECORDS, 0x0E, 0, 8, 8, 8]).shapes(shapes).data(data).build());
}

#[test]
fn other_elements_are_values_as_before() {
    fn not<T: Serialize + DeserializeOwned + PartialEq + std::fmt::Debug>(value: &[T]) {
        let bytes = to_vec(value).unwrap();
        assert_ne!(first_tag(&bytes), RECORDS);
        same(value, bytes);
    }
    not(&[Point { x: 0.5, y: 2.0 }; 7]);
    not(&vec![(1, "a".to_owned()); 9]);
    not(&[(1, Some(2)); 9]);
    not(&[(1u8, 2i128); 9]);
    not(&[(1u8, 'c'); 9]);
    not(&[(1u8, ()); 9]);
    not(&vec![(1u8, vec![1u8, 2]); 9]);
    not(&vec![(1u8, BTreeMap::from([(1u8, 2u8)])); 9]);
    not(&vec![vec![[1u8, 2]; 3]; 9]);
    // Three values in a byte.
    not(&[((1u8,),); 9]);
    // More values, and more bytes, than a record may have here.
    not(&[[[1u8; 32]; 2]; 9]);
    not(&[[[[1u64; 8]; 4]; 2]; 9]);
    // Inner sequences become records by themselves, and do not make the outer ones such.
    let nested = vec![(1u8, vec![[1u8, 2]; 9], 2u8); 9];
    let bytes = to_vec(&nested).unwrap();
    assert_eq!(first_tag(&bytes), 0x89);
    same(&nested, bytes);
}

#[derive(Serialize, Deserialize, PartialEq, Debug, Clone, Copy)]
#[serde(untagged)]
enum Shape {
    Circle { r: f64 },
    Wide { side: f64, more: u8 },
    Square { side: f64 },
    Line([f64; 2]),
}

#[derive(Serialize, Deserialize, PartialEq, Debug, Clone, Copy)]
struct Sparse {
    a: u8,
    #[serde(skip_serializing_if = "is_zero", default)]
    b: u8,
    c: u8,
}

fn is_zero(n: &u8) -> bool {
    *n == 0
}

#[test]
fn where_an_element_deviates_all_are_values() {
    let others = [Shape::Square { side: 1.0 }, Shape::Line([1.0, 2.0]), Shape::Wide { side: 1.0, more: 2 }];
    for other in others {
        for len in [9, 40, 700] {
            for at in [0, 1, 2, len / 2, len - 1] {
                let mut shapes = vec![Shape::Circle { r: 0.5 }; len];
                shapes[at] = other;
                let bytes = to_vec(&(&shapes, &shapes)).unwrap();
                assert_eq!(from_slice::<(Vec<Shape>, Vec<Shape>)>(&bytes).unwrap(), (shapes.clone(), shapes.clone()));
                let bytes = to_vec(&shapes).unwrap();
                assert_ne!(first_tag(&bytes), RECORDS);
                same(&shapes, bytes);
            }
        }
    }
    let sparse: Vec<Sparse> = (0..30).map(|n| Sparse { a: n, b: n / 29, c: 7 }).collect();
    same(&sparse, to_vec(&sparse).unwrap());
    records(&sparse[..29]);
}

#[test]
fn an_element_that_fails_is_told_with_its_place() {
    struct Item(u8);
    impl Serialize for Item {
        fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            match self.0 {
                20 => Err(serde::ser::Error::custom("twenty")),
                n => [n, n].serialize(serializer),
            }
        }
    }
    let items: Vec<Item> = (0..30).map(Item).collect();
    let error = to_vec(&items).unwrap_err();
    assert_eq!((error.path(), error.to_string().contains("twenty")), (Some("$[20]"), true));
}

#[test]
fn a_sequence_of_unknown_or_wrong_length_is_records_too() {
    struct Unknown<I>(I);
    impl<I: Iterator<Item = [u8; 2]> + Clone> Serialize for Unknown<I> {
        fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            serializer.collect_seq(self.0.clone())
        }
    }
    let pairs = (0..20u8).map(|n| [n, n]);
    let expected: Vec<[u8; 2]> = pairs.clone().collect();
    assert_eq!(to_vec(&Unknown(pairs.clone())).unwrap(), records(&expected));
    let filtered = Unknown(pairs.filter(|_| true));
    assert_eq!(from_slice::<Vec<[u8; 2]>>(&to_vec(&filtered).unwrap()).unwrap(), expected);
}

#[test]
fn records_are_read_as_whatever_their_values_can_be_read_as() {
    let bytes = records(&(0..10).map(edge).collect::<Vec<_>>());

    #[derive(Deserialize, PartialEq, Debug)]
    struct Other {
        #[serde(alias = "weight")]
        w: f32,
        ends: Vec<i64>,
        from: BTreeMap<String, f64>,
        is_open: Option<bool>,
        #[serde(default)]
        none: Option<u8>,
        grid: serde_json::Value,
    }
    let others: Vec<Other> = from_slice(&bytes).unwrap();
    assert_eq!(others[7].w, 1.0);
    assert_eq!((&others[7].ends, others[7].is_open, others[7].none), (&vec![7, -7], Some(false), None));
    assert_eq!(others[7].from, BTreeMap::from([("x".to_owned(), 3.5), ("y".to_owned(), -7.0)]));
    assert_eq!(others[7].grid, serde_json::json!([[7, 1], [2, 7], [3, 4]]));

    let any: serde_json::Value = from_slice(&bytes).unwrap();
    assert_eq!(any[3]["to"], serde_json::json!({ "x": 0.5, "y": -1.0 }));
    assert_eq!(from_slice::<Vec<IgnoredAny>>(&bytes).unwrap().len(), 10);
    assert_eq!(from_slice::<Graph<'static>>(&bytes).unwrap(), Marshal::decode(&bytes).unwrap());
    let raw: Vec<Raw> = from_slice(&bytes).unwrap();
    assert_eq!(from_slice::<Edge>(raw[7].as_bytes()).unwrap(), edge(7));
    #[derive(Deserialize)]
    struct Inner {
        from: Raw,
        to: Graph<'static>,
    }
    let inner: Vec<Inner> = from_slice(&bytes).unwrap();
    assert_eq!(from_slice::<Point>(inner[7].from.as_bytes()).unwrap(), edge(7).from);
    assert_eq!(inner[7].to.to_string(), "{x: 1, y: -2}");
    let whole: Raw = from_slice(&bytes).unwrap();
    assert_eq!(from_slice::<(u8, Vec<Edge>)>(&to_vec(&(1, &whole)).unwrap()).unwrap().1[9], edge(9));

    #[derive(Deserialize, PartialEq, Debug)]
    enum Variant {
        #[serde(rename = "r")]
        Radius(f64),
    }
    let circles = to_vec(&vec![Shape::Circle { r: 0.5 }; 9]).unwrap();
    assert_eq!(first_tag(&circles), RECORDS);
    assert_eq!(from_slice::<Vec<Variant>>(&circles).unwrap()[8], Variant::Radius(0.5));
    assert_eq!(from_slice::<Vec<Shape>>(&circles).unwrap()[8], Shape::Circle { r: 0.5 });

    // Integers as floats, floats that are integers as those, and large ones as BigInts.
    let pairs = to_vec(&vec![(1u64, 2.0f64); 9]).unwrap();
    assert_eq!(from_slice::<Vec<(f64, u8)>>(&pairs).unwrap()[3], (1.0, 2));
    assert_eq!(from_slice::<Vec<(marshal::serde::BigInt, f32)>>(&pairs).unwrap()[3].1, 2.0);
    let large = to_vec(&vec![(u64::MAX, i64::MIN); 9]).unwrap();
    assert_eq!(from_slice::<Vec<(u128, i128)>>(&large).unwrap()[3], (u128::from(u64::MAX), i128::from(i64::MIN)));
    assert_eq!(
        Marshal::decode(&large).unwrap().root().at(3).unwrap().to_string(),
        "[18446744073709551615n, -9223372036854775808n]"
    );
}

#[test]
fn what_does_not_fit_is_told_with_path_and_offset() {
    let bytes = records(&(0..200).map(numbers).collect::<Vec<_>>());
    #[derive(Deserialize, Debug)]
    #[allow(dead_code)]
    struct Narrow {
        e: u32,
        f: u8,
        h: i8,
    }
    let error = from_slice::<Vec<Narrow>>(&bytes).unwrap_err();
    assert_eq!(error.path(), Some("$[128].h"), "{error}");
    let error = from_slice::<Vec<(u8,)>>(&bytes).unwrap_err();
    assert_eq!(error.path(), Some("$[0]"), "{error}");
    let pairs = to_vec(&vec![[1u8, 2]; 9]).unwrap();
    for error in [from_slice::<Vec<[u8; 3]>>(&pairs).map(drop), from_slice::<Vec<[u8; 1]>>(&pairs).map(drop)] {
        let error = error.unwrap_err();
        assert_eq!((error.path(), error.offset()), (Some("$[0]"), Some(6)), "{error}");
    }
    assert_eq!(from_slice::<[[u8; 2]; 8]>(&pairs).unwrap_err().path(), Some("$"));
    let deep = from_slice_with::<Vec<[u8; 2]>>(&pairs, &DeserializeOptions::new().max_depth(1)).unwrap_err();
    assert!(deep.is_limit(), "{deep}");
}

/// Compares what is read as it is needed with the graph.
fn compare(lazy: LazyCursor<'_>, graph: marshal::Cursor<'_>) {
    assert_eq!((lazy.kind(), lazy.len()), (graph.kind(), graph.len()));
    assert_eq!((lazy.as_f64(), lazy.as_bool()), (graph.as_f64(), graph.as_bool()));
    assert_eq!(lazy.bigint().map(|n| n.to_bigint()), graph.bigint().map(|n| n.to_bigint()));
    assert_eq!(lazy.to_graph().unwrap().to_string(), graph.to_string());
    assert!(lazy.size().unwrap() > 0);
    for (lazy, graph) in lazy.properties().zip(graph.properties()) {
        let lazy = lazy.unwrap();
        assert_eq!(lazy.name().map(|name| name.to_string()), graph.name().map(|name| name.to_string()));
        compare(lazy.value(), graph.value());
    }
    for (index, value) in lazy.iter().enumerate() {
        compare(value.unwrap().unwrap(), graph.at(index).unwrap());
        compare(lazy.at(index).unwrap(), graph.at(index).unwrap());
    }
    assert!(lazy.at(lazy.len()).unwrap_err().is_not_found());
    assert!(lazy.get("nothing").unwrap_err().is_not_found());
}

#[test]
fn parts_are_read_without_the_rest() {
    for bytes in [
        records(&(0..10).map(edge).collect::<Vec<_>>()),
        records(&[1u64 << 60, 1 << 53, 3, u64::MAX].repeat(3).into_iter().map(numbers).collect::<Vec<_>>()),
        to_vec(&("before", vec![[1u8, 2]; 9], "behind", vec![[Point { x: 1.0, y: 2.0 }]; 9])).unwrap(),
    ] {
        let graph = Marshal::decode(&bytes).unwrap();
        let lazy = Lazy::new(&bytes).unwrap();
        compare(lazy.root().unwrap(), graph.root());
        let found = lazy.root().unwrap();
        assert!(found.is_same_object(lazy.root().unwrap()));
        if let (Ok(one), Ok(two)) = (found.at(0), found.at(1)) {
            assert!(one.is_same_object(found.at(0).unwrap()) || one.id().is_none());
            assert!(!one.is_same_object(two));
        }
    }
    let bytes = records(&(0..10).map(edge).collect::<Vec<_>>());
    let lazy = Lazy::new(&bytes).unwrap();
    let to = lazy.root().unwrap().at(6).unwrap().get("to").unwrap();
    assert_eq!(to.deserialize::<Point>().unwrap(), edge(6).to);
    assert_eq!((to.size().unwrap(), to.get("y").unwrap().as_f64()), (8, Some(-2.0)));
}

#[derive(Class, PartialEq, Debug)]
struct Known {
    list: Vec<[f32; 2]>,
    nested: Vec<(u8, [u64; 2])>,
    whole: [(bool, i32); 2],
}

#[test]
fn classes_read_records() {
    #[derive(Serialize)]
    struct Typed {
        list: Vec<[f32; 2]>,
        nested: Vec<(u8, [u64; 2])>,
    }
    let typed = Typed { list: vec![[0.5, 1.0]; 9], nested: vec![(7, [1, u64::MAX]); 9] };
    let bytes = to_vec(&typed).unwrap();
    assert_eq!(Marshal::decode(&bytes).unwrap().root().get("list").unwrap().len(), 9);
    // The same as an instance, by hand.
    let class = [&[2, 20][..], b"Known", &[0, 3, 16], b"list", &[24], b"nested", &[20], b"whole"].concat();
    let structure = [&[0xA0, RECORDS, 0x0F, 2, 8, 8, 9][..], &[RECORDS, 0x0F, 2, 1, 0x0F, 2, 11, 11, 9]].concat();
    let structure = [&structure[..], &[RECORDS, 0x0F, 2, 0x0D, 5, 2]].concat();
    let pair = [0.5f32.to_le_bytes(), 1.0f32.to_le_bytes()].concat();
    let nested = [&[7][..], &1u64.to_le_bytes(), &u64::MAX.to_le_bytes()].concat();
    let data = [pair.repeat(9), nested.repeat(9), vec![1, 1, 0, 0, 0, 0, 2, 0, 0, 0]].concat();
    let bytes = Message::of(structure).shapes([vec![0, 1], class].concat()).data(data).build();
    let known: Known = Marshal::decode_with_classes(&bytes, &Classes::new().with::<Known>()).unwrap();
    let expected = Known { list: typed.list, nested: typed.nested, whole: [(true, 1), (false, 2)] };
    assert_eq!(known, expected);
}

fn hostile() -> Vec<(&'static str, Message)> {
    let n: u32 = 100_000;
    let count = varint(u64::from(n));
    let with = |layout: &[u8], size: usize| {
        let structure = [&[RECORDS][..], layout, &count].concat();
        Message::of(structure).data(vec![1; size * n as usize])
    };
    let one = shapes_section(&[plain_shape(&["x"])]);
    let nested = [&[0x0F, 1].repeat(15)[..], &[9]].concat();
    vec![
        ("objects of a byte", with(&[0x0E, 0, 1], 1).shapes(one)),
        ("arrays of a byte", with(&[0x0F, 1, 1], 1)),
        ("BigInts", with(&[0x0A], 8)),
        ("arrays in one another", with(&nested, 8)),
        ("empty arrays beside bytes", with(&[0x0F, 3, 0x0F, 0, 9, 0x0F, 0], 8)),
    ]
}

#[test]
fn hostile_records_take_a_bounded_multiple() {
    for (name, message) in hostile() {
        let bytes = message.build();
        let decode = allocation_counter::measure(|| drop(Marshal::decode(&bytes).unwrap()));
        let check = allocation_counter::measure(|| Marshal::check(&bytes).unwrap());
        for (way, info) in [("decode", decode), ("check", check)] {
            let multiple = info.bytes_max as f64 / bytes.len() as f64;
            println!("{name}: {way} takes {multiple:.1} × the message, {} allocations", info.count_total);
            assert!(multiple <= 128.0, "{name}: {way} takes {multiple}");
            assert!(info.count_total < 100);
        }
    }
}

/// What grows for each array must not be copied for each.
#[test]
fn many_small_arrays_take_linear_time() {
    let n: u32 = 300_000;
    let structure = [&[0xD0][..], &varint(u64::from(n)), &[RECORDS, 0x0F, 1, 1, 1].repeat(n as usize)].concat();
    let bytes = Message::of(structure).data(vec![7; n as usize]).build();
    let graph = Marshal::decode(&bytes).unwrap();
    assert_eq!(graph.root().at(n as usize - 1).unwrap().to_string(), "[[7]]");
    Marshal::check(&bytes).unwrap();
    let typed: Vec<Vec<[u8; 1]>> = from_slice(&bytes).unwrap();
    assert_eq!((typed.len(), &typed[7]), (n as usize, &vec![[7]]));
}

#[test]
fn limits_count_what_is_in_records() {
    let bytes = to_vec(&vec![[1u8, 2]; 100]).unwrap();
    let with = |options: DecodeOptions| Marshal::decode_with(&bytes, &options).map(drop);
    assert!(with(DecodeOptions::new().max_values(300)).is_ok());
    assert!(with(DecodeOptions::new().max_values(299)).unwrap_err().is_limit());
    assert!(with(DecodeOptions::new().max_depth(2)).is_ok());
    assert!(with(DecodeOptions::new().max_depth(1)).unwrap_err().is_limit());
}

#[test]
fn a_decoder_that_stops_after_every_step_gives_the_same() {
    let bytes = to_vec(&(1, (0..20).map(edge).collect::<Vec<_>>(), "end")).unwrap();
    let whole = Marshal::decode(&bytes).unwrap();
    for steps in [1, 2, 3, 7, 100] {
        let mut decoder = Decoder::new(&bytes, &DecodeOptions::new()).unwrap();
        let mut runs = 1;
        while !decoder.run(steps).unwrap() {
            runs += 1;
        }
        assert!(runs >= 20 / steps);
        assert_eq!(decoder.finish().unwrap(), whole);
    }
}

#[test]
fn a_message_that_is_cut_off_is_told_from_others() {
    let bytes = to_vec(&(1, (0..9).map(edge).collect::<Vec<_>>())).unwrap();
    for len in 0..bytes.len() {
        assert!(Marshal::decode(&bytes[..len]).unwrap_err().is_truncated(), "{len}");
        assert!(from_slice::<(u8, Vec<Edge>)>(&bytes[..len]).is_err(), "{len}");
    }
    // And one whose bytes are others: no reader panics.
    for at in 0..bytes.len() {
        for byte in [0, 1, 0x0C, 0x0D, 0x0E, 0x0F, 0x10, 0x7F, 0x80, 0xE3, 0xFF] {
            let mut bytes = bytes.clone();
            bytes[at] = byte;
            let graph = Marshal::decode(&bytes);
            assert_eq!(graph.is_ok(), Marshal::check(&bytes).is_ok(), "{at} {byte}");
            let _ = from_slice::<(u8, Vec<Edge>)>(&bytes);
            let _ = from_slice::<serde_json::Value>(&bytes);
            marshal::inspect::Inspector::new(&bytes).for_each(drop);
            if let (Ok(lazy), Ok(graph)) = (Lazy::new(&bytes), graph) {
                assert_eq!(lazy.root().unwrap().to_graph().unwrap(), graph);
            }
        }
    }
}

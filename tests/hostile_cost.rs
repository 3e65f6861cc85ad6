//! Messages that make a little work many times over. Each test ends at once, or, where the cost is not linear, not
//! within minutes: nothing here is timed.

mod forge;

use forge::{Message, counted, plain_shape, shapes_section};
use marshal::{EncodeOptions, ErrorKind, Marshal};

/// A string of this many bytes,
const LONG: usize = 1 << 21;
/// used this many times, in two bytes each.
const USES: usize = 1 << 19;

/// Two strings that differ in their last byte.
fn two_long_strings() -> Vec<u8> {
    let mut text = vec![b'x'; 2 * LONG];
    text[2 * LONG - 1] = b'y';
    text
}

/// An array of the two strings, interned, and of `uses` times `value`.
fn with_interned(value: &[u8], uses: usize) -> Vec<u8> {
    let mut structure = counted(0xD0, 2 + uses as u64);
    for _ in 0..2 {
        structure.push(0xE1);
        structure.extend(counted(0xCE, LONG as u64));
    }
    structure.extend(value.repeat(uses));
    Message::of(structure).text(two_long_strings()).build()
}

/// What is used again and again.
fn shared() -> [(&'static str, Vec<u8>); 2] {
    let key = vec![b'k'; LONG];
    let objects = [counted(0xD0, USES as u64), [0xA0, 0xC0].repeat(USES)].concat();
    let shape = shapes_section(&[plain_shape(&[&key])]);
    [("a string", with_interned(&[0xE2, 0], USES)), ("a key", Message::of(objects).shapes(shape).build())]
}

#[test]
fn keys_that_are_long_interned_strings() {
    for container in [
        [0xD4, 2, 0xE2, 0, 0xC0, 0xE2, 1, 0xC0], // two keys of a dictionary
        [0xD6, 2, 0xE2, 0, 0xC0, 0xE2, 1, 0xC0], // of a Map
        [0xD7, 4, 0xE2, 0, 0xE2, 1, 0xC0, 0xC1], // of a Set
    ] {
        let message = with_interned(&container, USES);
        Marshal::check(&message).unwrap();
        assert_eq!(Marshal::decode(&message).unwrap().root().len(), 2 + USES);
    }
    // More keys than are compared each with each.
    let mut set = vec![0xD7, 12, 0xE2, 0, 0xE2, 1];
    set.extend(0..10);
    Marshal::check(&with_interned(&set, USES)).unwrap();
    // Equal keys are still found, also where the strings stand in two places.
    let doubled = with_interned(&[0xD7, 3, 0xE2, 0, 0xE2, 1, 0xE2, 0], 1);
    assert_eq!(Marshal::check(&doubled).unwrap_err().kind(), ErrorKind::DuplicateKey);
    let two_places = Message::of([0x82, 0xE1, 0xCE, 70, 0xD7, 2, 0xE2, 0, 0xCE, 70]).text([b'x'; 140]).build();
    assert_eq!(Marshal::check(&two_places).unwrap_err().kind(), ErrorKind::DuplicateKey);
}

#[test]
fn sources_that_are_long_interned_strings() {
    let message = with_interned(&[0xD9, 0, 0xE2, 0, 0, 0xD9, 1, 0xE2, 1, 0], USES / 2);
    assert!(Marshal::check(&message).is_err(), "2 values, not one");
    let message = with_interned(&[0x82, 0xD9, 0, 0xE2, 0, 0, 0xD9, 1, 0xE2, 1, 0], USES / 2);
    Marshal::check(&message).unwrap();
}

#[test]
fn what_is_shared_is_compared_once() {
    for (what, message) in shared() {
        let (one, other) =
            (Marshal::decode(&message).unwrap(), Marshal::deep_clone(&Marshal::decode(&message).unwrap()));
        assert_eq!(one, other, "{what}");
    }
    // Against one that has the string in another place each time.
    let few = 1 << 10;
    let strings = |count: usize| Marshal::decode(&with_interned(&[0xE2, 0], count)).unwrap().into_owned();
    let plain = {
        let mut graph = marshal::Graph::new();
        let text = std::str::from_utf8(&two_long_strings()).unwrap().to_owned();
        let copies: Vec<_> = (0..4).map(|_| graph.string(&text[..LONG])).collect();
        let second = graph.string(&text[LONG..]);
        let all = [copies[0], second].into_iter().chain((0..few).map(|i| copies[i % 4]));
        let root = graph.array(all.collect::<Vec<_>>());
        graph.set_root(root);
        graph
    };
    assert_eq!(strings(few), plain);
}

#[test]
fn what_is_shared_is_copied_once() {
    for (what, message) in shared() {
        let graph = Marshal::decode(&message).unwrap();
        // Were each use a copy, this would take a terabyte.
        assert_eq!(graph.root().to_graph(), graph, "{what}");
        assert_eq!(Marshal::deep_clone(&graph).root().len(), graph.root().len());
    }
    // Where the table of shapes is full, objects get their keys one by one.
    let message = beyond_all_shapes(USES);
    let graph = Marshal::decode(&message).unwrap();
    let mut full = marshal::Graph::new();
    for i in 0..4096 {
        full.object([(format!("other{i}"), marshal::Value::NULL)]);
    }
    let imported = full.import(graph.root());
    full.set_root(imported);
    assert_eq!(full, graph);
}

#[test]
fn what_is_shared_is_hashed_once_when_strings_are_interned() {
    for (what, message) in shared() {
        let graph = Marshal::decode(&message).unwrap();
        let again = Marshal::encode_with(&graph, &EncodeOptions::new().intern_strings(true)).unwrap();
        assert!(again.len() <= message.len() + USES, "{what}: {} of {}", again.len(), message.len());
        assert_eq!(Marshal::decode(&again).unwrap(), graph, "{what}");
    }
}

/// As many shapes as plain objects may have, then objects of one more with a long key.
fn beyond_all_shapes(uses: usize) -> Vec<u8> {
    let mut shapes: Vec<Vec<u8>> = (0..4096u16).map(|i| plain_shape(&[format!("k{i}")])).collect();
    shapes.push(plain_shape(&[vec![b'k'; LONG]]));
    let mut structure = counted(0xD0, 4096 + uses as u64);
    for shape in (0..4096).chain(std::iter::repeat_n(4096, uses)) {
        structure.extend(counted(0xD3, shape));
        structure.push(0xC0);
    }
    Message::of(structure).shapes(shapes_section(&shapes)).build()
}

#[test]
fn a_bound_on_the_message_holds_before_it_is_made() {
    let strings = with_interned(&[0xE2, 0], USES);
    let keys = beyond_all_shapes(USES);
    for message in [strings, keys] {
        let graph = Marshal::decode(&message).unwrap();
        let bound = EncodeOptions::new().max_bytes(4 * message.len() as u64);
        assert_eq!(Marshal::encode_with(&graph, &bound).unwrap_err().kind(), ErrorKind::LimitExceeded);
    }
}

#[test]
fn what_is_long_prints_within_bounds() {
    let mut wide = counted(0xD0, 8);
    wide.extend([0xDA, 0].repeat(2)); // a Symbol with a long description
    wide.extend([0xA0, 0xC0]); // a long key
    wide.extend([0xA1]); // a long class name
    wide.extend([0xD9, 0, 0xCE, 0x80, 0x80, 0x40, 0]); // a long source
    wide.extend([0xCF, 0x80, 0x80, 0x20]); // a long string with lone surrogates
    wide.extend(counted(0xCC, LONG as u64));
    wide.extend(vec![1; LONG]);
    wide.extend([0xCE, 0x80, 0x80, 0x40]);
    let long = |header: u8| [forge::varint((1 << 20) << 2 | u64::from(header)), vec![b'k'; 1 << 20]].concat();
    let shapes = [vec![1, 1], long(0), vec![2, 0, 1], long(0), vec![2], long(0), vec![0, 0]].concat();
    let message = Message::of(wide).text(vec![b'x'; 2 << 20]).data([0, 0xD8].repeat(1 << 19)).shapes(shapes).build();
    let graph = Marshal::decode(&message).unwrap();
    let text = format!("{graph:?}");
    assert!(text.len() < 16 * 1024, "{} bytes", text.len());
    assert_eq!(graph.root().to_graph().to_string(), graph.to_string());
}

#[test]
fn paths_through_long_names_are_bounded() {
    let long = [forge::varint((LONG as u64) << 2), vec![b'k'; LONG]].concat();
    let lone = [forge::varint((1 << 20) << 2 | 1), [0, 0xD8].repeat(1 << 20)].concat();
    let shapes = [vec![1, 1], long.clone(), vec![3, 0, 1, 2, 0, 1], long, vec![0, 1], lone].concat();
    for shape in 0..3 {
        let message = Message::of([0xA0 + shape, 0x81, 0xFF]).shapes(shapes.clone()).build();
        let error = Marshal::decode(&message).unwrap_err();
        assert!(error.to_string().len() < 2048, "{} bytes", error.to_string().len());
    }
}

#[test]
fn elements_that_are_not_aligned_are_copied_once_to_print() {
    let n = 1 << 17;
    let message = Message::of([0xDE, 10].into_iter().chain(forge::varint(n)).collect::<Vec<_>>());
    let message = message.data(vec![7; 8 * n as usize]).build();
    for shift in 0..8 {
        let mut bytes = vec![0; shift];
        bytes.extend(&message);
        assert!(Marshal::decode(&bytes[shift..]).unwrap().to_string().len() > n as usize);
    }
}

#[test]
fn indentation_does_not_outgrow_a_deep_value() {
    let depth = 1 << 18;
    let graph = Marshal::decode(&Message::of([vec![0x81; depth], vec![0x80]].concat()).build()).unwrap().into_owned();
    assert!(format!("{graph:#}").len() < 300 * depth);
}

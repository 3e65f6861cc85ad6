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

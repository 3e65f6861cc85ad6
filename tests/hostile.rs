//! What a decoder must survive: messages forged by hand, each with the kind and place of its fault, or its value.

mod forge;

use forge::{Message, counted, plain_shape, shapes_section, varint};
use marshal::{DecodeOptions, ErrorKind, Marshal};

/// The message is refused with this kind at this offset in the structure, by all who read it.
#[track_caller]
fn refused(message: Message, kind: ErrorKind, at: u64) {
    let bytes = message.build();
    let error = Marshal::decode(&bytes).expect_err("a message that is refused");
    let place = message.structure_at() + at;
    assert_eq!((error.kind(), error.offset()), (kind, Some(place)), "{error}");
    assert_eq!(Marshal::check(&bytes), Err(error));
}

/// The message is refused with this kind at this offset from its start.
#[track_caller]
fn refused_at(bytes: &[u8], kind: ErrorKind, at: u64) {
    let error = Marshal::decode(bytes).expect_err("a message that is refused");
    assert_eq!((error.kind(), error.offset()), (kind, Some(at)), "{error}");
    assert_eq!(Marshal::check(bytes), Err(error));
}

/// The message is the value that prints so.
#[track_caller]
fn reads(message: Message, printed: &str) {
    let bytes = message.build();
    Marshal::check(&bytes).unwrap();
    let graph = Marshal::decode(&bytes).unwrap();
    assert_eq!(graph.to_string(), printed);
    let canonical = Marshal::encode(&graph).unwrap();
    assert_eq!(Marshal::decode(&canonical).unwrap(), graph);
}

fn float(tag: u8, bits: u64) -> Vec<u8> {
    [vec![tag], bits.to_le_bytes()[..if tag == 0xCA { 4 } else { 8 }].to_vec()].concat()
}

fn with_varint(head: &[u8], n: u64) -> Vec<u8> {
    [head.to_vec(), varint(n)].concat()
}

// Lengths.

#[test]
fn lengths_beyond_what_remains() {
    use ErrorKind::*;
    for (structure, kind) in [
        (counted(0xCE, u64::MAX), LengthOutOfBounds),
        (counted(0xCE, (1 << 53) - 1), LengthOutOfBounds),
        (counted(0xCF, u64::MAX / 2 + 1), LengthOutOfBounds),
        (counted(0xD0, u64::from(u32::MAX)), LengthOutOfBounds),
        (counted(0xD0, u64::MAX), LengthOutOfBounds),
        (counted(0xD4, u64::MAX), LengthOutOfBounds),
        (counted(0xD5, u64::MAX / 2 + 1), LengthOutOfBounds),
        (counted(0xD6, u64::MAX), LengthOutOfBounds),
        (counted(0xD7, u64::MAX), LengthOutOfBounds),
        (with_varint(&[0xD2, 9], 1 << 61), LengthOutOfBounds), // × 8 overflows
        (with_varint(&[0xD2, 9], u64::MAX), LengthOutOfBounds),
        (with_varint(&[0xDE, 9], u64::MAX / 8 + 1), LengthOutOfBounds),
        (counted(0xDC, u64::MAX), LengthOutOfBounds),
        ([counted(0xDD, 1 << 52), varint(1 << 53)].concat(), BadBuffer),
        ([counted(0xDD, 1 << 52), varint(1 << 52)].concat(), LengthOutOfBounds),
        ([counted(0xD1, u64::from(u32::MAX)), varint(u64::from(u32::MAX))].concat(), LengthOutOfBounds),
        ([counted(0xD1, 1 << 32), vec![0, 0]].concat(), BadArray),
        ([counted(0xD1, u64::MAX), vec![0, 0]].concat(), BadArray),
    ] {
        refused(Message::of(structure), kind, 0);
    }
    // A BigInt's bytes are inline: they are cut off, wherever the length says they end.
    refused(Message::of(counted(0xCC, u64::MAX)), Truncated, 11);
}

#[test]
fn nested_arrays_that_each_claim_what_remains() {
    // The first may; with what it owes, the second claims more than is there.
    let structure = [counted(0xD0, 8), counted(0xD0, 8), vec![0; 7]].concat();
    refused(Message::of(structure), ErrorKind::LengthOutOfBounds, 2);
}

#[test]
fn arrays_of_holes_alone() {
    reads(Message::of([counted(0xD1, u64::from(u32::MAX)), vec![0, 0]].concat()), "[<4294967295 empty>]");
    let limit = DecodeOptions::new().max_array_length(1000);
    let bytes = Message::of([counted(0xD1, 1001), vec![0, 0]].concat()).build();
    assert_eq!(Marshal::decode_with(&bytes, &limit).unwrap_err().kind(), ErrorKind::LimitExceeded);
    // Indices at the length, beyond it, and beyond 64 bits.
    refused(Message::of([0xD1, 3, 1, 3, 0xC0, 0]), ErrorKind::BadArray, 0);
    refused(Message::of([vec![0xD1, 3, 2, 0, 0xC0], varint(u64::MAX), vec![0xC0, 0]].concat()), ErrorKind::BadArray, 0);
    refused(Message::of([0xD1, 1, 2, 0, 0xC0, 0, 0xC0, 0]), ErrorKind::BadArray, 0);
}

#[test]
fn varints_that_are_not_the_shortest() {
    let eleven = [vec![0xCE], vec![0x80; 10], vec![0]].concat();
    for structure in [eleven, vec![0xCE, 0x80, 0], [vec![0xCE], vec![0xFF; 9], vec![2]].concat()] {
        refused(Message::of(structure), ErrorKind::BadVarint, 1);
    }
    // In the head.
    refused_at(&[0xD7, 0x4D, 1, 0, 0x81, 0, 0xC0], ErrorKind::BadVarint, 4);
}

#[test]
fn elements_of_no_bytes_are_bounded() {
    // Objects without keys take a byte each, never less.
    let shape = shapes_section(&[plain_shape::<&str>(&[])]);
    let few = [counted(0xD0, 1_000_000_000), vec![0xA0; 100]].concat();
    refused(Message::of(few).shapes(shape.clone()), ErrorKind::LengthOutOfBounds, 0);
    reads(Message::of([0x82, 0xA0, 0xA0]).shapes(shape), "[{}, {}]");
}

// References.

#[test]
fn references_that_lead_nowhere() {
    let refused = |structure: &[u8], kind, at| refused(Message::of(structure).refs(), kind, at);
    refused(&[0xE0, 0], ErrorKind::BadReference, 0); // the root is itself
    refused(&[0x82, 0xE0, 1, 0x80], ErrorKind::BadReference, 1); // forward
    refused(&[0x82, 0x80, 0xE0, 2], ErrorKind::BadReference, 2); // as many as there are
    refused(&[0x81, 0xE0, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 1], ErrorKind::BadReference, 1);
    refused(&[0x82, 0xD8, 0, 0, 0, 0, 0, 0, 0, 0, 0xDF, 1, 0xE0, 1, 0, 1], ErrorKind::WrongType, 12); // a view over a Date
    refused(&[0xDB, 0xE0, 0], ErrorKind::WrongType, 1);
    refused(&[0xD4, 1, 0xE0, 0, 0], ErrorKind::WrongType, 2);
    refused_without_the_flag();
}

/// In a message that says that it has none.
fn refused_without_the_flag() {
    refused(Message::of([0x81, 0xE0, 0]), ErrorKind::BadReference, 1);
}

#[test]
fn references_that_make_cycles() {
    reads(Message::of([0x81, 0xE0, 0]).refs(), "&1 [*1]");
    reads(Message::of([0xD6, 1, 0xE0, 0, 0xC0]).refs(), "&1 Map{*1 => null}");
    reads(Message::of([0xD7, 1, 0xE0, 0]).refs(), "&1 Set[*1]");
    refused(Message::of([0xD7, 2, 0xE0, 0, 0xE0, 0]).refs(), ErrorKind::DuplicateKey, 4);
}

#[test]
fn what_was_never_defined() {
    refused(Message::of([0xE2, 0]), ErrorKind::UnknownString, 0);
    refused(Message::of([0x82, 0xE1, 0x40, 0xE2, 1]), ErrorKind::UnknownString, 3);
    refused(Message::of([0xA0]), ErrorKind::UnknownShape, 0);
    refused(Message::of(counted(0xD3, u64::MAX)), ErrorKind::UnknownShape, 0);
    refused(Message::of([0xDA, 0]), ErrorKind::UnknownSymbol, 0);
    refused(Message::of([0xE1, 0xC0]), ErrorKind::WrongType, 0);
}

// Shapes.

#[test]
fn shapes_that_promise_more_than_is_there() {
    let keys: Vec<String> = (0..1000).map(|i| format!("k{i}")).collect();
    let shape = shapes_section(&[plain_shape(&keys)]);
    refused(Message::of(vec![0xA0; 1000]).shapes(shape.clone()), ErrorKind::LengthOutOfBounds, 0);
    // Recursive: each object is the first value of the one before.
    let structure = [vec![0xA0; 3], vec![0xC0; 1500]].concat();
    refused(Message::of(structure).shapes(shape), ErrorKind::LengthOutOfBounds, 1);
    // One value too few shows at its own place.
    let two = shapes_section(&[plain_shape(&["a", "b"])]);
    refused(Message::of([0xA0, 0xC0]).shapes(two), ErrorKind::LengthOutOfBounds, 0);
}

#[test]
fn keys_that_stand_twice() {
    let doubled = Message::of([0xA0, 0, 0]).shapes(shapes_section(&[plain_shape(&["a", "a"])]));
    let bytes = doubled.build();
    refused_at(&bytes, ErrorKind::DuplicateKey, 6 + 2 + 2 + 2);
    let twice = shapes_section(&[plain_shape(&["a"]), plain_shape(&["a"])]);
    refused_at(&Message::of([0xA0, 0]).shapes(twice).build(), ErrorKind::DuplicateShape, 6 + 2 + 4);
    refused(Message::of([0xD4, 2, 0x41, 0, 0x41, 0]).text("aa"), ErrorKind::DuplicateKey, 4);
    refused(Message::of([0xD6, 2, 0, 0, 0xCA, 0, 0, 0, 0, 0]), ErrorKind::DuplicateKey, 4); // 0 and 0.0
    refused(Message::of([0xD6, 1, 0xCA, 0, 0, 0, 0x80, 0]), ErrorKind::BadKey, 2); // −0
    let nan = |bits: u32| float(0xCA, u64::from(bits));
    let two_nans = [vec![0xD7, 2], nan(0x7FC0_0000), nan(0xFFC0_0001)].concat();
    refused(Message::of(two_nans), ErrorKind::DuplicateKey, 7);
    reads(Message::of([0xD7, 2, 0x80, 0x80]), "Set[[], []]");
}

#[test]
fn keys_that_mean_something_elsewhere() {
    let names = ["__proto__", "constructor", "toJSON", "then", "hasOwnProperty", ""];
    let shape = shapes_section(&[plain_shape(&names)]);
    let printed = r#"{__proto__: 0, constructor: 1, toJSON: 2, then: 3, hasOwnProperty: 4, "": 5}"#;
    reads(Message::of([0xA0, 0, 1, 2, 3, 4, 5]).shapes(shape), printed);
    reads(Message::of([0xA0, 0, 1]).shapes(shapes_section(&[plain_shape(&["7", "a"])])), r#"{"7": 0, a: 1}"#);
    let wrong_order = Message::of([0xA0, 0, 1]).shapes(shapes_section(&[plain_shape(&["a", "7"])]));
    refused_at(&wrong_order.build(), ErrorKind::KeyOrder, 6 + 4 + 2);
    refused(Message::of([0xD1, 0, 0, 1, 0x46, 0]).text("length"), ErrorKind::BadKey, 4);
    refused(Message::of([0xD1, 0, 0, 1, 0x41, 0]).text("7"), ErrorKind::BadKey, 4);
}

/// Keys that fall into one place of a table that is not keyed would take hours.
#[test]
fn keys_chosen_to_collide() {
    let n = 300_000u64;
    for key in [|i: u64| i << 40, |i: u64| i << 32, |i: u64| (i << 20).reverse_bits() >> 1, |i: u64| i | 0x3FF0 << 48] {
        let mut structure = counted(0xD7, n);
        (1..=n).for_each(|i| structure.extend(float(0xCB, key(i))));
        let bytes = Message::of(structure).build();
        let checked = Marshal::check(&bytes).map_err(|error| error.kind());
        assert!(matches!(checked, Ok(()) | Err(ErrorKind::DuplicateKey)), "{checked:?}");
    }
}

// Text.

#[test]
fn text_that_is_not_utf8() {
    for (bad, at) in [
        (&[0x61, 0xFF, 0x61][..], 1),
        (&[0x61, 0xC0, 0xAF], 1),                   // overlong
        (&[0x61, 0xED, 0xA0, 0x80], 1),             // a surrogate
        (&[0xED, 0xA0, 0xBD, 0xED, 0xB8, 0x80], 0), // CESU-8
        (&[0x61, 0x61, 0xF4, 0x90, 0x80, 0x80], 2), // beyond U+10FFFF
        (&[0x61, 0xE2, 0x82], 1),                   // ends inside a character
    ] {
        let message = Message::of([0x40 + bad.len() as u8]).text(bad);
        let text_at = message.build().len() as u64 - bad.len() as u64;
        refused_at(&message.build(), ErrorKind::InvalidUtf8, text_at + at);
    }
    refused(Message::of([0x82, 0x41, 0x41]).text("é"), ErrorKind::SplitCharacter, 1);
    refused_at(&Message::of([0x41]).text("ab").build(), ErrorKind::UnusedBytes, 8);
}

#[test]
fn lone_surrogates_wherever_a_string_may_stand() {
    let lone = [0x61, 0, 0, 0xD8];
    reads(Message::of([0xCF, 2]).data(lone), r#""a\uD800""#);
    reads(Message::of([0xD4, 1, 0xCF, 2, 0xC0]).data(lone), r#"{"a\uD800": null}"#);
    reads(Message::of([0xD9, 0, 0xCF, 2, 0]).data(lone), "/a\u{FFFD}/");
    let utf16 = [varint(2 << 2 | 1), lone.to_vec()].concat();
    let symbol = [vec![1, 1], utf16.clone(), vec![0]].concat();
    reads(Message::of([0xDA, 0]).shapes(symbol), r#"Symbol("a\uD800")"#);
    let class = [vec![0, 1, 2], utf16, vec![0, 0]].concat();
    reads(Message::of([0xA0]).shapes(class), r#""a\uD800" {}"#);
    // Well-formed in that form: not canonical, and read.
    reads(Message::of([0xCF, 2]).data([0x61, 0, 0xE9, 0]), "\"aé\"");
    refused(Message::of([0xCF, 2]).data([0x61, 0, 0]), ErrorKind::LengthOutOfBounds, 0); // an odd byte
}

// Numbers.

#[test]
fn numbers_at_the_edges() {
    reads(Message::of(float(0xCB, 0x7FF0_0000_0000_0001)), "NaN");
    reads(Message::of(float(0xCA, 0xFFC1_2345)), "NaN");
    reads(Message::of(float(0xCB, 1 << 63)), "-0");
    let nan = Message::of([0xDE, 8, 1]).data([1, 0, 0xA0, 0x7F]).build();
    let graph = Marshal::decode(&nan).unwrap();
    assert_eq!(graph.root().elements().unwrap().bytes(), [1, 0, 0xA0, 0x7F], "typed arrays keep their bits");
    assert_eq!(Marshal::encode(&graph).unwrap(), nan);
    reads(Message::of([0xDE, 7, 2]).data([0, 0x3C, 1, 0]), "Float16Array[1, 5.960464477539063e-8]");
    refused(Message::of([0xD2, 7, 1]).data([0, 0x3C]), ErrorKind::BadKind, 0);
    refused(Message::of([0xDE, 12, 0]), ErrorKind::BadKind, 0);
}

#[test]
fn dates_that_are_none() {
    let date = |ms: f64| Message::of(float(0xD8, ms.to_bits()));
    reads(date(f64::NAN), "Date(NaN)");
    reads(date(-8.64e15), "Date(-8640000000000000)");
    for ms in [8.64e15 + 1.0, 0.5, -0.0, f64::INFINITY] {
        refused(date(ms), ErrorKind::BadDate, 0);
    }
}

#[test]
fn bigints_at_the_edges() {
    reads(Message::of([0xCC, 0]), "0n");
    refused(Message::of([0xCD, 0]), ErrorKind::BadBigInt, 0);
    refused(Message::of([0xCC, 2, 1, 0]), ErrorKind::BadBigInt, 0);
    refused(Message::of([0xCC, 1, 0]), ErrorKind::BadBigInt, 0);
    let at_limit = [counted(0xCC, 1 << 27), vec![1; 1 << 27]].concat();
    Marshal::check(&Message::of(at_limit).build()).unwrap();
    let over = [counted(0xCC, (1 << 27) + 1), vec![1; (1 << 27) + 1]].concat();
    refused(Message::of(over), ErrorKind::LimitExceeded, 0);
}

// RegExps.

#[test]
fn regexps_that_are_none() {
    let regexp = |flags: u8, source: &str, last_index: u64| {
        Message::of([vec![0xD9, flags, 0x40 + source.len() as u8], varint(last_index)].concat()).text(source)
    };
    reads(regexp(0b1011_1111, "a", 0), "/a/dgimsuy");
    refused(regexp(0b0110_0000, "a", 0), ErrorKind::BadRegExp, 0);
    for source in ["\n", "a/b", "[/]/", "a\\", "\u{2028}"] {
        refused(regexp(0, source, 0), ErrorKind::BadRegExp, 0);
    }
    refused(Message::of([0xD9, 0, 0x40, 0]), ErrorKind::BadRegExp, 0); // an empty source
    reads(regexp(0, "(", 0), "/(/"); // whether it parses is for an engine to say
    reads(regexp(0, "a", (1 << 53) - 1), "/a/@9007199254740991");
    refused(regexp(0, "a", 1 << 53), ErrorKind::BadRegExp, 0);
}

// Buffers and views.

#[test]
fn views_that_do_not_fit() {
    let view = |kind: u8, buffer: &[u8], offset: u64, len: u64| {
        Message::of([vec![0xDF, kind], buffer.to_vec(), varint(offset), varint(len)].concat()).data([7; 8])
    };
    let fixed = [0xDC, 8];
    reads(view(3, &fixed, 2, 3), "Int16Array(ArrayBuffer[07 07 07 07 07 07 07 07], 2, 2)");
    refused(view(3, &fixed, 1, 2), ErrorKind::BadView, 0); // misaligned
    refused(view(3, &fixed, 0, 6), ErrorKind::BadView, 0); // outside
    refused(view(3, &fixed, 8, 2), ErrorKind::BadView, 0);
    refused(view(9, &fixed, u64::MAX - 7, 2), ErrorKind::BadView, 0); // offset + length overflows
    refused(view(9, &fixed, 0, u64::MAX), ErrorKind::BadView, 0);
    refused(view(1, &fixed, 0, 0), ErrorKind::BadView, 0); // tracks the length of a fixed buffer
    refused(view(1, &[0xDD, 8, 8], 9, 0), ErrorKind::BadView, 0);
    reads(view(1, &[0xDD, 8, 9], 7, 0), "Uint8Array(ArrayBuffer[07 07 07 07 07 07 07 07; max 9], 7)");
    refused(view(1, &[0xDD, 8, 7], 0, 0), ErrorKind::BadBuffer, 2);
    refused(view(1, &[0xDE, 1, 8], 0, 1), ErrorKind::WrongType, 2);
    refused(view(13, &fixed, 0, 1), ErrorKind::BadKind, 0);
    // What is behind whole elements is nobody's.
    refused_at(&Message::of([0xDE, 3, 1]).data([1, 2, 3]).build(), ErrorKind::UnusedBytes, 18);
    refused_at(&Message::of([0x82, 0xDE, 1, 1, 0xDE, 9, 1]).data([1; 16]).build(), ErrorKind::BadPadding, 17);
}

// Classes.

#[test]
fn classes_that_are_none() {
    let class = |kind: u8, name: &[u8], version: u64| {
        let body = [vec![0, 1, kind], varint((name.len() as u64) << 2), name.to_vec(), varint(version)].concat();
        [body, if kind == 5 { vec![] } else { vec![0] }].concat()
    };
    for kind in [2, 3, 5] {
        let bad = |name: &[u8], version| Message::of([0xA0, 0x80]).shapes(class(kind, name, version)).build();
        refused_at(&bad(b"", 0), ErrorKind::BadClass, 8);
        refused_at(&bad(b"C", u64::MAX), ErrorKind::BadClass, 8);
        refused_at(&bad(b"C", 1 << 32), ErrorKind::BadClass, 8);
    }
    reads(Message::of([0xA0]).shapes(class(2, b"Array", u64::from(u32::MAX))), "Array@4294967295 {}");
    // Derived over what is no built-in, and over what refers to one.
    let derived = |structure: &[u8]| Message::of(structure).shapes(class(3, b"D", 0));
    reads(derived(&[0xA0, 0x80]), "D([])");
    for base in [&[0xA0, 0xA0][..], &[0xA0, 0xC0], &[0xA0, 0xD4, 0], &[0xA0, 0x40]] {
        refused(derived(base), ErrorKind::WrongType, 1);
    }
    refused(derived(&[0x82, 0x80, 0xA0, 0xE0, 1]).refs(), ErrorKind::WrongType, 3);
    refused(derived(&[0x82, 0xA0, 0x80, 0xE0, 2]).refs(), ErrorKind::BadReference, 3); // a base is not referred to
}

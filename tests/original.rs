//! The reader of the original library's archives, against archives that library wrote and against forged ones.

mod support;

use std::collections::BTreeMap;

use marshal::{Error, ErrorKind, Graph, Kind, original};
use quickcheck::quickcheck;
use serde::Deserialize;
use support::archive::{forge, tagged, text};
use support::{js, unhex};

/// One archive as the original library wrote it.
#[derive(Deserialize)]
struct Sample {
    expr: String,
    #[serde(rename = "dynamicNumbers")]
    dynamic_numbers: bool,
    /// Class names by constructor index.
    #[serde(default)]
    classes: Vec<String>,
    /// Expressions by the name of the entry.
    #[serde(default)]
    index: BTreeMap<String, String>,
    hex: String,
}

impl Sample {
    fn names(&self) -> Vec<&str> {
        self.classes.iter().map(String::as_str).collect()
    }
}

fn samples() -> Vec<(Sample, Vec<u8>)> {
    let samples: Vec<Sample> = serde_json::from_str(include_str!("vectors/original-v0.2.0.json")).unwrap();
    samples
        .into_iter()
        .map(|sample| {
            let bytes = unhex(&sample.hex);
            (sample, bytes)
        })
        .collect()
}

fn evaluate(expression: &str) -> Graph<'static> {
    js::evaluate(expression).unwrap_or_else(|why| panic!("{expression}: {why}"))
}

#[test]
fn every_archive_decodes_to_what_its_expression_makes() {
    let samples = samples();
    assert_eq!(samples.len(), 118);
    for (sample, bytes) in samples {
        let graph = original::decode_with_classes(&bytes, &sample.names())
            .unwrap_or_else(|error| panic!("{}: {error}", sample.expr));
        // The one value that is not in its archive: the writer cut it to its low 64 bits, all of them zero.
        let lost = sample.expr == "1e300" && sample.dynamic_numbers;
        let expected = evaluate(if lost { "0" } else { &sample.expr });
        assert_eq!(graph, expected, "{} (dynamic numbers: {})", sample.expr, sample.dynamic_numbers);
        if sample.classes.is_empty() {
            assert_eq!(original::decode(&bytes).unwrap(), expected);
        }
    }
}

#[test]
fn classes_are_numbered_where_no_names_are_given() {
    for (sample, bytes) in samples().iter().filter(|(sample, _)| !sample.classes.is_empty()) {
        let names: Vec<String> = (0..sample.classes.len()).map(|i| format!("Class{i}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let graph = original::decode(bytes).unwrap();
        assert_eq!(graph, original::decode_with_classes(bytes, &names).unwrap());
        let error = original::decode_with_classes(bytes, &names[1..]).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::BadClass, "{}", sample.expr);
        let error = original::decode_with_classes(bytes, &vec![""; names.len()]).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::BadClass, "{}", sample.expr);
    }
}

#[test]
fn named_entries_are_what_their_expressions_make() {
    let mut entries = 0;
    for (sample, bytes) in samples() {
        let names = original::entry_names(&bytes).unwrap();
        assert_eq!(names, sample.index.keys().collect::<Vec<_>>(), "{}", sample.expr);
        for (name, expression) in &sample.index {
            entries += 1;
            assert_eq!(original::read_from_index(&bytes, name).unwrap(), evaluate(expression), "{name}");
        }
        let error = original::read_from_index(&bytes, "no such name").unwrap_err();
        assert_eq!((error.kind(), error.offset()), (ErrorKind::BadReference, None));
    }
    assert_eq!(entries, 3);
}

#[test]
fn an_archive_that_is_cut_short_is_refused() {
    for (sample, bytes) in samples() {
        for end in 0..bytes.len() {
            let error = original::decode(&bytes[..end]).expect_err(&sample.expr);
            assert!(error.offset().is_some_and(|at| at <= end as u64), "{} cut at {end}: {error}", sample.expr);
            // Within the map of entries its count claims more than is there.
            let in_map = error.kind() == ErrorKind::LengthOutOfBounds && !sample.index.is_empty();
            assert!(error.is_truncated() || in_map, "{} cut at {end}: {error}", sample.expr);
            original::entry_names(&bytes[..end]).unwrap_err();
        }
    }
}

#[test]
fn no_flipped_bit_does_harm() {
    let (mut refused, mut read) = (0, 0);
    for (sample, mut bytes) in samples() {
        for bit in 0..8 * bytes.len() {
            bytes[bit / 8] ^= 1 << (bit % 8);
            match read_all(&bytes, &sample) {
                Ok(()) => read += 1,
                Err(error) => {
                    assert!(error.offset().is_none_or(|at| at <= bytes.len() as u64));
                    refused += 1;
                }
            }
            bytes[bit / 8] ^= 1 << (bit % 8);
        }
    }
    assert!(refused > 0 && read > 0);
}

/// Reads in every way, and uses what was read.
fn read_all(bytes: &[u8], sample: &Sample) -> Result<(), Error> {
    let named = original::decode_with_classes(bytes, &sample.names());
    for name in original::entry_names(bytes).unwrap_or_default() {
        original::read_from_index(bytes, name).map(|entry| entry.to_string()).unwrap_or_default();
    }
    let graph = original::decode(bytes)?;
    assert!(graph == graph.clone() && !graph.to_string().is_empty());
    named.map(drop)
}

quickcheck! {
    fn no_bytes_do_harm(root: Vec<u8>, dynamic_numbers: bool) -> bool {
        // Small bytes are tags and counts more often.
        let root: Vec<u8> = root.into_iter().map(|byte| if byte < 200 { byte % 33 } else { byte }).collect();
        let bytes = forge(&root, dynamic_numbers, &[("a", 100), ("b", 107)]);
        let whole = original::decode(&bytes);
        let _ = original::read_from_index(&bytes, "b");
        whole.is_err() || original::read_from_index(&bytes, "a") == whole
    }
}

fn decode(root: &[u8]) -> Result<Graph<'static>, Error> {
    original::decode(&forge(root, false, &[]))
}

/// Kind and offset of the error that a root gives; the root begins at 100.
fn fault(root: &[u8]) -> (ErrorKind, u64) {
    let error = decode(root).unwrap_err();
    (error.kind(), error.offset().unwrap())
}

#[test]
fn numbers_have_any_width() {
    let mut root = tagged(17, 10, &[]);
    root.extend([2, 255, 4, 255, 255, 5, 255, 255, 255, 255]);
    root.extend([6, 0, 0, 0, 0, 0, 0, 0, 128, 7, 255, 8, 255, 255, 9, 255, 255, 255, 255]);
    root.extend([12, 0, 0, 0, 0, 0, 0, 0, 128, 12, 1, 0, 0, 0, 0, 0, 0xF8, 0xFF, 16]);
    let expected = "[255, 65535, 4294967295, 9223372036854775808, -1, -1, -1, -0, NaN, undefined]";
    assert_eq!(decode(&root).unwrap(), evaluate(expected));
}

#[test]
fn a_bigint_and_a_dynamic_number_share_a_tag() {
    for (n, fixed, dynamic) in [
        (10, "10n", "10n"),
        (-2147483648, "-2147483648n", "-2147483648n"),
        (-2147483649, "-2147483649n", "-2147483649"),
        (-9007199254740992, "-9007199254740992n", "-9007199254740992"),
        (-9007199254740993, "-9007199254740993n", "-9007199254740993n"),
        (i64::MIN, "-9223372036854775808n", "-9223372036854775808"),
        (i64::MAX, "9223372036854775807n", "9223372036854775807n"),
    ] {
        let root = [&[10], &i64::to_le_bytes(n)[..]].concat();
        assert_eq!(original::decode(&forge(&root, false, &[])).unwrap(), evaluate(fixed));
        assert_eq!(original::decode(&forge(&root, true, &[])).unwrap(), evaluate(dynamic));
    }
}

#[test]
fn keys_are_strings_symbols_and_numbers() {
    let mut root = tagged(18, 5, &[]);
    root.extend([&text("__proto__")[..], &[15]].concat());
    root.extend([&text("")[..], &[16]].concat());
    root.extend([2, 7, 13]);
    root.extend([12, 0, 0, 0, 0, 0, 0, 0xF8, 0x3F, 14]);
    root.extend([&tagged(28, 1, b"s")[..], &[2, 1]].concat());
    let expected = r#"{7: true, ["__proto__"]: null, "": undefined, "1.5": false, [Symbol("s")]: 1}"#;
    assert_eq!(decode(&root).unwrap(), evaluate(expected));

    let mut root = tagged(20, 3, &[]);
    root.extend([12, 0, 0, 0, 0, 0, 0, 0, 0x80, 15]);
    root.extend([&tagged(28, 13, b"Marshal.index")[..], &[15]].concat());
    root.extend([&text("k")[..], &[15]].concat());
    assert_eq!(decode(&root).unwrap(), evaluate(r#"new Map([[0, null], [index, null], ["k", null]])"#));

    for container in [18, 20] {
        for key in [&[15][..], &[13], &[17, 0, 0, 0, 0], &[31, 100, 0, 0, 0], &[10, 1, 0, 0, 0, 0, 0, 0, 0]] {
            assert_eq!(fault(&tagged(container, 1, &[key, &[15]].concat())), (ErrorKind::WrongType, 105));
        }
    }
}

#[test]
fn keys_and_members_stand_once() {
    let twice = [&text("a")[..], &[15], &text("a"), &[15]].concat();
    assert_eq!(fault(&tagged(18, 2, &twice)), (ErrorKind::DuplicateKey, 112));
    assert_eq!(fault(&tagged(20, 2, &twice)), (ErrorKind::DuplicateKey, 112));
    assert_eq!(fault(&tagged(18, 2, &[&text("1")[..], &[15, 2, 1, 15]].concat())), (ErrorKind::DuplicateKey, 112));
    assert_eq!(fault(&tagged(29, 0, &[&[2, 0, 0, 0][..], &twice].concat())), (ErrorKind::DuplicateKey, 116));
    assert_eq!(fault(&tagged(19, 3, &[2, 1, 15, 4, 1, 0])), (ErrorKind::DuplicateKey, 108));
    // Symbols are each their own, but for the one that the library exports.
    let symbols = |name: &[u8]| {
        tagged(19, 2, &[tagged(28, name.len() as u32, name), tagged(28, name.len() as u32, name)].concat())
    };
    assert_eq!(decode(&symbols(b"s")).unwrap(), evaluate(r#"new Set([Symbol("s"), Symbol("s")])"#));
    assert_eq!(fault(&symbols(b"Marshal.index")), (ErrorKind::DuplicateKey, 123));
    // Many: the table takes the place of comparing each with each. The nested Set's members are its own.
    let mut many = tagged(19, 302, &[]);
    (0..300u16).for_each(|i| many.extend([4, i as u8, (i >> 8) as u8]));
    many.extend(tagged(19, 1, &[2, 0]));
    let end = many.len();
    assert_eq!(decode(&[&many[..], &[2, 0]].concat()).unwrap_err().offset(), Some(100 + end as u64));
    assert_eq!(decode(&[&many[..], &[15]].concat()).unwrap().root().len(), 302);
}

#[test]
fn references_resolve_to_what_has_begun() {
    let mut root = tagged(17, 9, &text("str")); // the string at 105
    root.extend([17, 0, 0, 0, 0]); // the array at 113
    root.extend(tagged(28, 0, &[])); // the symbol at 118
    root.extend([&tagged(18, 1, &text("key"))[..], &[2, 9]].concat()); // the key at 128, its value at 136
    for target in [113, 105, 118, 128, 136] {
        root.extend(tagged(31, target, &[]));
    }
    let expected =
        r#"(() => { const a = []; const s = Symbol(); return ["str", a, s, {key: 9}, a, "str", s, "key", 9] })()"#;
    assert_eq!(decode(&root).unwrap(), evaluate(expected));
}

#[test]
fn cycles_run_through_every_container() {
    let me = [31, 100, 0, 0, 0];
    for (root, expected) in [
        (tagged(17, 1, &me), "(() => { const a = []; a.push(a); return a })()"),
        (tagged(19, 1, &me), "(() => { const s = new Set(); s.add(s); return s })()"),
        (tagged(18, 1, &[&text("a")[..], &me].concat()), "(() => { const o = {}; o.a = o; return o })()"),
        (
            tagged(20, 1, &[&text("a")[..], &me].concat()),
            r#"(() => { const m = new Map(); m.set("a", m); return m })()"#,
        ),
        (
            tagged(29, 0, &[&[1, 0, 0, 0][..], &text("a"), &me].concat()),
            r#"(() => { const i = instance("Class0", 0, {}); i.a = i; return i })()"#,
        ),
    ] {
        assert_eq!(decode(&root).unwrap(), evaluate(expected), "{expected}");
    }
}

#[test]
fn references_to_anything_else_are_refused() {
    let refused = |root: &[u8], at| assert_eq!(fault(root), (ErrorKind::BadReference, at));
    refused(&[31, 100, 0, 0, 0], 100); // itself
    refused(&tagged(17, 1, &[31, 105, 0, 0, 0]), 105); // itself, within
    refused(&tagged(17, 2, &[31, 110, 0, 0, 0, 15]), 105); // what follows
    refused(&tagged(17, 1, &[31, 0xFF, 0xFF, 0xFF, 0xFF]), 105); // nothing
    refused(&tagged(17, 1, &[31, 4, 0, 0, 0]), 105); // the head
    refused(&tagged(17, 1, &[31, 101, 0, 0, 0]), 105); // the middle of an array's head
    refused(&tagged(17, 2, &[&text("\u{11}")[..], &[31, 110, 0, 0, 0]].concat()), 111); // the middle of a string
    refused(&tagged(17, 3, &[&[31, 100, 0, 0, 0][..], &[31, 105, 0, 0, 0], &[15]].concat()), 110); // a reference
    let regexp = [&[30][..], &tagged(18, 2, &[text("source"), text("a"), text("flags"), text("g")].concat())].concat();
    refused(&[&tagged(17, 2, &regexp)[..], &[31, 106, 0, 0, 0]].concat(), 105 + regexp.len() as u64); // its record
}

#[test]
fn references_can_not_repeat_a_string_without_bound() {
    let long = "x".repeat(100_000);
    let mut root = tagged(17, 201, &text(&long));
    (0..200).for_each(|_| root.extend([31, 105, 0, 0, 0]));
    assert_eq!(decode(&root).unwrap_err().kind(), ErrorKind::LimitExceeded);
    let mut root = tagged(17, 11, &text(&long));
    (0..10).for_each(|_| root.extend([31, 105, 0, 0, 0]));
    assert_eq!(decode(&root).unwrap().root().len(), 11);
}

#[test]
fn claims_are_bounded_by_what_remains() {
    let huge = u32::MAX;
    for tag in [1, 28, 17, 19, 18, 20, 22, 23, 24, 25, 26, 27] {
        assert_eq!(fault(&tagged(tag, huge, &[])), (ErrorKind::LengthOutOfBounds, 100), "tag {tag}");
        assert_eq!(fault(&tagged(tag, 1, &[])), (ErrorKind::LengthOutOfBounds, 100), "tag {tag}");
    }
    assert_eq!(fault(&tagged(29, 0, &huge.to_le_bytes())), (ErrorKind::LengthOutOfBounds, 100));
    assert_eq!(fault(&[&[30][..], &tagged(18, huge, &[])].concat()), (ErrorKind::LengthOutOfBounds, 101));
    // Each array claims all that remains; one counter for all refuses the second.
    let mut nested = Vec::new();
    for level in 0..10_000u32 {
        nested.extend(tagged(17, 50_000 - 5 * (level + 1), &[]));
    }
    assert_eq!(fault(&nested), (ErrorKind::LengthOutOfBounds, 105));
    // The region of the root ends in the middle of an item, or in front of one.
    assert_eq!(fault(&[2]), (ErrorKind::Truncated, 101));
    assert_eq!(fault(&[12, 0, 0, 0]), (ErrorKind::Truncated, 101));
    assert_eq!(fault(&tagged(17, 2, &[2, 1])), (ErrorKind::Truncated, 107));
    assert_eq!(fault(&[15, 15]), (ErrorKind::UnusedBytes, 101));
}

#[test]
fn depth_is_bounded_by_the_bytes_alone() {
    const DEPTH: usize = 1_000_000;
    let levels: [(Vec<u8>, Kind); 5] = [
        (tagged(17, 1, &[]), Kind::Array),
        (tagged(19, 1, &[]), Kind::Set),
        (tagged(18, 1, &text("a")), Kind::Object),
        (tagged(20, 1, &text("a")), Kind::Map),
        (tagged(29, 0, &[&[1, 0, 0, 0][..], &text("a")].concat()), Kind::Instance),
    ];
    for (level, kind) in levels {
        let mut root = [level.repeat(DEPTH), vec![15]].concat();
        let graph = decode(&root).unwrap();
        assert_eq!((graph.root().kind(), graph.node_count()), (kind, DEPTH));
        root.pop();
        let (kind, at) = fault(&root);
        assert!(matches!(kind, ErrorKind::LengthOutOfBounds | ErrorKind::Truncated), "{kind}");
        assert!(at >= 100 + ((DEPTH - 1) * level.len()) as u64);
    }
    let root = [tagged(17, 1, &[]).repeat(DEPTH), vec![15]].concat();
    let entry = original::read_from_index(&forge(&root, false, &[("inner", 105)]), "inner").unwrap();
    assert_eq!(entry.node_count(), DEPTH - 1);
}

#[test]
fn errors_name_the_path_of_what_is_wrong() {
    let path = |root: &[u8]| decode(root).unwrap_err().path().unwrap().to_owned();
    let bad = [255];
    let inner = tagged(18, 2, &[&text("a b")[..], &[15], &text("list"), &tagged(17, 2, &[15, 255])].concat());
    assert_eq!(path(&bad), "$");
    assert_eq!(path(&inner), "$.list[1]");
    assert_eq!(path(&tagged(18, 1, &[&tagged(28, 1, b"s")[..], &bad].concat())), "$[Symbol(\"s\")]");
    assert_eq!(path(&tagged(18, 1, &[&text("a b")[..], &bad].concat())), "$[\"a b\"]");
    assert_eq!(path(&tagged(18, 1, &[255, 0])), "$");
    assert_eq!(path(&tagged(19, 2, &[15, 255])), "$<member 1>");
    assert_eq!(path(&tagged(20, 2, &[2, 1, 15, 2, 2, 255])), "$<value 1>");
    assert_eq!(path(&tagged(20, 2, &[2, 1, 15, 15, 15])), "$<key 1>");
    assert_eq!(path(&tagged(17, 2, &[&[15][..], &tagged(19, 2, &[15, 15])].concat())), "$[1]");
    let instance = tagged(29, 0, &[&[1, 0, 0, 0][..], &text("next"), &inner].concat());
    assert_eq!(path(&tagged(17, 1, &instance)), "$[0].next.list[1]");
}

#[test]
fn values_outside_what_javascript_has_are_refused() {
    for tag in [0, 3, 11, 32, 255] {
        assert_eq!(fault(&[tag, 0, 0, 0, 0, 0, 0, 0, 0]), (ErrorKind::BadTag, 100));
    }
    let date = |ms: i64| [&[21], &ms.to_le_bytes()[..]].concat();
    assert_eq!(decode(&date(-8_640_000_000_000_000)).unwrap(), evaluate("new Date(-8640000000000000)"));
    assert_eq!(fault(&date(8_640_000_000_000_001)), (ErrorKind::BadDate, 100));
    assert_eq!(fault(&date(i64::MIN)), (ErrorKind::BadDate, 100));
    for malformed in [&[0xFF][..], &[0xC0, 0x80], &[0xED, 0xA0, 0x80], &[0xF4, 0x90, 0x80, 0x80]] {
        let ascii = [b"ab", malformed].concat();
        assert_eq!(fault(&tagged(1, ascii.len() as u32, &ascii)), (ErrorKind::InvalidUtf8, 107));
    }
}

#[test]
fn a_regexp_is_what_its_record_says() {
    let regexp = |fields: &[(&str, Vec<u8>)]| {
        let fields_bytes: Vec<u8> =
            fields.iter().flat_map(|(key, value)| [text(key), value.clone()].concat()).collect();
        [&[30][..], &tagged(18, fields.len() as u32, &fields_bytes)].concat()
    };
    let with = |source: &str, flags: &str, rest: &[(&str, Vec<u8>)]| {
        regexp(&[&[("source", text(source)), ("flags", text(flags))], rest].concat())
    };
    let number = |n: f64| [&[12], &n.to_le_bytes()[..]].concat();
    let last_index = |n: f64| decode(&with("a", "g", &[("lastIndex", number(n))])).map(|graph| graph.to_string());
    assert_eq!(last_index(3.0), Ok(evaluate("(() => { const r = /a/g; r.lastIndex = 3; return r })()").to_string()));
    assert_eq!(last_index(-1.0), Ok("/a/g".into()));
    assert_eq!(last_index(f64::NAN), Ok("/a/g".into()));
    assert_eq!(last_index(1e300), last_index(9007199254740991.0));
    assert_eq!(decode(&with("[/]\\/", "", &[])).unwrap(), evaluate(r"/[/]\//"));

    assert_eq!(fault(&with("a", "gg", &[])), (ErrorKind::BadRegExp, 100));
    assert_eq!(fault(&with("a", "uv", &[])), (ErrorKind::BadRegExp, 100));
    assert_eq!(fault(&with("a\\", "", &[])), (ErrorKind::BadRegExp, 100));
    assert_eq!(fault(&regexp(&[("source", text("a"))])), (ErrorKind::BadRegExp, 100));
    assert_eq!(fault(&[30, 15]), (ErrorKind::WrongType, 101));
    assert_eq!(fault(&regexp(&[("source", vec![15])])), (ErrorKind::WrongType, 117));
    assert_eq!(fault(&regexp(&[("other", tagged(17, 0, &[]))])), (ErrorKind::WrongType, 116));
    assert_eq!(fault(&regexp(&[("flags", text("")), ("flags", text(""))])), (ErrorKind::DuplicateKey, 121));
}

#[test]
fn the_head_says_what_an_archive_is() {
    let good = forge(&[15], false, &[]);
    let fault = |bytes: &[u8]| {
        let error = original::decode(bytes).unwrap_err();
        (error.kind(), error.offset().unwrap())
    };
    let patched = |at: usize, byte: u8| {
        let mut bytes = good.clone();
        bytes[at] = byte;
        fault(&bytes)
    };
    assert_eq!(fault(b"{\"a\": 1}"), (ErrorKind::BadMagic, 4));
    assert_eq!(fault(&[0xD7, 0x4D, 1, 0, 1, 0xC3]), (ErrorKind::BadMagic, 4));
    assert_eq!(fault(&[]), (ErrorKind::Truncated, 0));
    for at in 4..16 {
        assert_eq!(patched(at, 0xEE), (ErrorKind::BadMagic, 4));
    }
    assert_eq!(patched(22, b'3'), (ErrorKind::UnsupportedVersion, 16));
    assert_eq!(patched(16, 6), (ErrorKind::UnsupportedVersion, 16));
    assert_eq!(patched(32, 13), (ErrorKind::UnsupportedFlags, 32));
    assert_eq!(patched(32, 15), (ErrorKind::WrongType, 32));
    assert_eq!(patched(38, b'x'), (ErrorKind::BadSyntax, 38));
    assert_eq!(patched(0, 100), (ErrorKind::BadReference, 0));
    assert_eq!(patched(0, 0), (ErrorKind::BadReference, 0));
    assert_eq!(patched(0, 102), (ErrorKind::WrongType, 102));
    assert_eq!(patched(1, 1), (ErrorKind::Truncated, 106));
    assert_eq!(fault(&[&good[..], &[0]].concat()), (ErrorKind::TrailingBytes, 106));
}

#[test]
fn the_map_of_entries_may_lie() {
    let root = tagged(17, 2, &[&[17, 0, 0, 0, 0][..], &text("s")].concat());
    let bytes = forge(&root, true, &[("all", 100), ("inner", 105), ("text", 110)]);
    assert_eq!(original::entry_names(&bytes).unwrap(), ["all", "inner", "text"]);
    assert_eq!(original::read_from_index(&bytes, "all").unwrap(), evaluate(r#"[[], "s"]"#));
    assert_eq!(original::read_from_index(&bytes, "inner").unwrap(), evaluate("[]"));
    assert_eq!(original::read_from_index(&bytes, "text").unwrap(), evaluate(r#""s""#));
    // The offset is given at 127; whatever it is, the root can be read.
    for lie in [0, 4, 99, 101, 109, 111, 115, 116, 117, u32::MAX] {
        let bytes = forge(&root, false, &[("a", lie)]);
        let error = original::read_from_index(&bytes, "a").unwrap_err();
        assert_eq!((error.kind(), error.offset()), (ErrorKind::BadReference, Some(127)), "{lie}");
        assert_eq!(original::decode(&bytes).unwrap(), evaluate(r#"[[], "s"]"#));
    }
    let faults: [(&[u8], ErrorKind, u64); 6] = [
        (&[20, 255, 255, 255, 255], ErrorKind::LengthOutOfBounds, 101),
        (&[20, 1, 0, 0, 0, 2, 1], ErrorKind::WrongType, 106),
        (&[20, 1, 0, 0, 0, 1, 0, 0, 0, 0, 15], ErrorKind::WrongType, 111),
        (&[20, 2, 0, 0, 0, 1, 0, 0, 0, 0, 2, 100, 1, 0, 0, 0, 0, 2, 100], ErrorKind::DuplicateKey, 113),
        (&[20, 0, 0, 0, 0, 20], ErrorKind::TrailingBytes, 106),
        (&[18, 0, 0, 0, 0], ErrorKind::WrongType, 101),
    ];
    for (map, kind, at) in faults {
        let bytes = [&forge(&[15], false, &[])[..101], map].concat();
        for error in [original::decode(&bytes).unwrap_err(), original::entry_names(&bytes).unwrap_err()] {
            assert_eq!((error.kind(), error.offset()), (kind, Some(at)));
        }
    }
}

#[test]
fn references_that_leave_an_entry_resolve() {
    // {n: 1, child: {parent: the root, [index]: "c"}}
    let parent = [&text("parent")[..], &[31, 100, 0, 0, 0]].concat();
    let index = [tagged(28, 13, b"Marshal.index"), text("c")].concat();
    let child = tagged(18, 2, &[parent, index].concat());
    let root = tagged(18, 2, &[&text("n")[..], &[2, 1], &text("child"), &child].concat());
    let bytes = forge(&root, true, &[("c", 123)]);
    let entry = original::read_from_index(&bytes, "c").unwrap();
    let expected = r#"(() => { const c = {parent: null, [index]: "c"}; c.parent = {n: 1, child: c}; return c })()"#;
    assert_eq!(entry, evaluate(expected));
    assert!(entry.root().get("parent").unwrap().get("child").unwrap().is_same(entry.root()));
    // An entry that refers to nothing else comes without the rest.
    let siblings = tagged(17, 2, &[17, 0, 0, 0, 0, 17, 0, 0, 0, 0]);
    let entry = original::read_from_index(&forge(&siblings, true, &[("b", 110)]), "b").unwrap();
    assert_eq!(entry.node_count(), 1);
}

#[test]
fn names_of_entries_may_be_given_classes() {
    let instance = tagged(29, 1, &[&[0, 0, 0, 0][..]].concat());
    let root = tagged(17, 2, &[tagged(29, 0, &[0, 0, 0, 0]), instance].concat());
    let bytes = forge(&root, false, &[("second", 114)]);
    let entry = original::read_from_index_with_classes(&bytes, "second", &["First", "Second"]).unwrap();
    assert_eq!(entry, evaluate(r#"instance("Second", 0, {})"#));
    assert_eq!(original::read_from_index(&bytes, "second").unwrap(), evaluate(r#"instance("Class1", 0, {})"#));
}

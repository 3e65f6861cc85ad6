//! What JSON.parse reads and refuses.

use marshal::json::{self, JsonOptions, Lossy};
use marshal::{ElementKind, ErrorKind};

fn parsed(text: &str) -> String {
    json::parse(text.as_bytes()).map_or_else(|error| panic!("{text}: {error}"), |graph| graph.to_string())
}

/// Text and what JSON.parse makes of it, as the graph prints.
#[test]
fn it_reads_what_json_parse_reads() {
    for (text, printed) in [
        ("null", "null"),
        (" \t\r\n true \n", "true"),
        ("false", "false"),
        ("0", "0"),
        ("-0", "-0"),
        ("-0.0", "-0"),
        ("-0e5", "-0"),
        ("123456789012345", "123456789012345"),
        ("1234567890123456", "1234567890123456"),
        ("9007199254740993", "9007199254740992"),
        ("12345678901234567890123", "1.2345678901234568e+22"),
        ("1e400", "Infinity"),
        ("-1e400", "-Infinity"),
        ("1e-400", "0"),
        ("-1e-400", "-0"),
        ("5e-324", "5e-324"),
        ("1.7976931348623157e308", "1.7976931348623157e+308"),
        ("1E+2", "100"),
        ("1e05", "100000"),
        ("0.1e1", "1"),
        ("0e0", "0"),
        (r#""""#, r#""""#),
        (r#""a\"\\\/\b\f\n\r\t""#, "\"a\\\"\\\\/\\u{8}\\u{C}\\n\\r\\t\""),
        (r#""\u0041\u00e9\u4e2d\uD83D\uDE00""#, "\"Aé中😀\""),
        (r#""\u0000""#, "\"\\u{0}\""),
        (r#""\uD800""#, r#""\uD800""#),
        (r#""\uDC00\uD800x""#, r#""\uDC00\uD800x""#),
        (r#""x\uD800\uD83D\uDE00é""#, r#""x\uD800😀é""#),
        (r#""\uD83D\n""#, r#""\uD83D\n""#),
        (r#""\uD83D\u0041""#, r#""\uD83DA""#),
        ("\"\u{7f}\u{2028}\u{10FFFF}\"", "\"\\u{7F}\\u{2028}\u{10FFFF}\""),
        ("[]", "[]"),
        ("{}", "{}"),
        ("[[],{}]", "[[], {}]"),
        (r#"{"a":1,"b":[true,null]}"#, "{a: 1, b: [true, null]}"),
        (r#"{"a":1,"a":2}"#, "{a: 2}"),
        (r#"{"a":1,"b":2,"a":3}"#, "{a: 3, b: 2}"),
        (r#"{"a":1,"\u0061":2}"#, "{a: 2}"),
        (r#"{"b":1,"2":2,"a":3,"1":4}"#, "{\"1\": 4, \"2\": 2, b: 1, a: 3}"),
        (r#"{"4294967295":1,"4294967294":2,"01":3}"#, "{\"4294967294\": 2, \"4294967295\": 1, \"01\": 3}"),
        (r#"{"__proto__":{"x":1},"constructor":2,"":3}"#, "{__proto__: {x: 1}, constructor: 2, \"\": 3}"),
        (r#"{"a\nb":1,"\uD800":2,"\ud83d\ude00":3}"#, "{\"a\\nb\": 1, \"\\uD800\": 2, \"😀\": 3}"),
        (r#"[{"a":1},{"a":2},{"b":1,"a":2},{"a":3}]"#, "[{a: 1}, {a: 2}, {b: 1, a: 2}, {a: 3}]"),
        ("\u{FEFF}1", "1"),
    ] {
        assert_eq!(parsed(text), printed, "{text}");
    }
}

/// Texts in the manner of JSONTestSuite that JSON.parse accepts, among them those that the suite leaves open.
#[test]
#[rustfmt::skip]
fn it_accepts_what_is_valid() {
    for text in [
        "[1 ]", "[ 1]", " [1] ", "[\n1\n]", "[\t]", "[1,null,2]", "[[]   ]", "[\"\"]", "[\"a\"]", "[false]", "[null,1,\"1\",{}]", "[1\n]", "[1,null,null,null,2]", "[2] ",
        "[0e+1]", "[0e1]", "[ 4]", "[-0.000000000000000001]", "[20e1]", "[-0]", "[-123]", "[-1]", "[1E22]", "[1E-2]", "[1E+2]", "[123e45]", "[123.456e78]", "[1e-2]", "[1e+2]", "[123]",
        "[123.456789]", "[-237462374673276894279832749832423479823246327846]", "[0.4e00669999999999999999999999999999999999999999999999999999999]", r#"{"asd":"sdf"}"#,
        r#"{"a":"b","a":"b"}"#, r#"{"":0}"#, r#"{"foo\u0000bar": 42}"#, r#"{ "min": -1.0e+28, "max": 1.0e+28 }"#, r#"{"a":[]}"#, "{\n\"a\": \"b\"\n}", r#"["\u0060\u012a\u12AB"]"#,
        r#"["\uD801\udc37"]"#, r#"["\"\\\/\b\f\n\r\t"]"#, r#"["\\u0000"]"#, r#"["\""]"#, r#"["a/*b*/c/*d//e"]"#, r#"["\\a"]"#, r#"["\\n"]"#, r#"["\u0012"]"#, r#"["\uFFFF"]"#, r#"["asd "]"#,
        r#"["\uDBFF\uDFFF"]"#, r#"["new\u00A0line"]"#, "[\"\u{10FFFF}\"]", "[\"\u{FFFF}\"]", r#"["\u002c"]"#, "[\"π\"]", "[\"\u{1BFFF}\"]", r#"" ""#, r#"["\uD834\uDd1e"]"#, r#"["\u0821"]"#,
        "[\"\u{2028}\"]", "[\"\u{2029}\"]", r#"["\u0061\u30af\u30EA\u30b9"]"#, "[\"new\u{A0}line\"]", r#"["\uA66D"]"#, r#"["\u005C"]"#, "[\"⍂㈴⍂\"]", r#"["\uDBFF\uDFFE"]"#, r#"["\u200B"]"#,
        r#"["\uFDD0"]"#, r#"["\uFFFE"]"#, r#"["\u0022"]"#, "[\"€𝄞\"]", "false", "42", "-0.1", "null", "\"asd\"", "true", "\"\"", "[\"a\"]\n", "[true]", " [] ", r#"["\uDADA"]"#, r#"["\uD888\u1234"]"#,
        r#"["\uD800\n"]"#, r#"["\uDd1ea"]"#, r#"["\uD800\uD800\n"]"#, r#"["\ud800"]"#, r#"["\ud800abc"]"#, r#"["\uDd1e\uD834"]"#, r#"["\uDFAA"]"#, "[123123e100000]", "[-1e+9999]", "[1.5e+9999]",
    ] {
        let graph = json::parse(text.as_bytes()).unwrap_or_else(|error| panic!("{text}: {error}"));
        let again = json::to_string(&graph, &JsonOptions::new()).unwrap();
        assert!(json::parse(again.as_bytes()).is_ok(), "{text}");
    }
}

/// Texts that JSON.parse refuses, with the offset of the first byte that can't stand where it does.
#[test]
#[rustfmt::skip]
fn it_refuses_what_is_not_json() {
    let cases: &[(&[u8], u64)] = &[
        (b"", 0), (b" ", 1), (b"\xEF\xBB\xBF", 3), (b"\xEF\xBB\xBF\xEF\xBB\xBF1", 3), (b"[1 true]", 3), (b"[a\xe5]", 1), (b"[\"\": 1]", 3), (b"[\"\"],", 4), (b"[,1]", 1),
        (b"[1,,2]", 3), (b"[\"x\",,]", 5), (b"[\"x\"]]", 5), (b"[\"\",]", 4), (b"[\"x\"", 4), (b"[x", 1), (b"[3[4]]", 2), (b"[\xff]", 1), (b"[1:2]", 2), (b"[,]", 1), (b"[-]", 2),
        (b"[   , \"\"]", 4), (b"[\"a\",\n4\n,1,", 11), (b"[1,]", 3), (b"[1,,]", 3), (b"[*]", 1), (b"[\"\"", 3), (b"[1,", 3), (b"[1,\n1\n,1", 8), (b"[{}", 3), (b"[fals]", 1), (b"[nul]", 1),
        (b"[tru]", 1), (b"[++1234]", 1), (b"[+1]", 1), (b"[+Inf]", 1), (b"[-01]", 3), (b"[-1.0.]", 5), (b"[-2.]", 4), (b"[-NaN]", 2), (b"[.-1]", 1), (b"[.2e-3]", 1), (b"[0.1.2]", 4),
        (b"[0.3e+]", 6), (b"[0.3e]", 5), (b"[0.e1]", 3), (b"[0E+]", 4), (b"[0E]", 3), (b"[0e]", 3), (b"[0e+]", 4), (b"[1.0e+]", 6), (b"[1.0e-]", 6), (b"[1.0e]", 5), (b"[1 000.0]", 3),
        (b"[1eE2]", 3), (b"[2.e+3]", 3), (b"[2.e3]", 3), (b"[9.e+]", 3), (b"[Inf]", 1), (b"[NaN]", 1), (b"[\xef\xbc\x91]", 1), (b"[1+2]", 2), (b"[0x1]", 2), (b"[0x42]", 2),
        (b"[Infinity]", 1), (b"[0e+-1]", 4), (b"[-123.123foo]", 9), (b"[123\xe5]", 4), (b"[1e1\xe5]", 4), (b"[0\xe5]", 2), (b"[-Infinity]", 2), (b"[-foo]", 2), (b"[- 1]", 2), (b"[-012]", 3),
        (b"[-.123]", 2), (b"[-1x]", 3), (b"[1ea]", 3), (b"[1e\xe5]", 3), (b"[1.]", 3), (b"[.123]", 1), (b"[1.2a-3]", 4), (b"[1.8011670033376514H-308]", 19), (b"[012]", 2), (b"01", 1), (b"-", 1),
        (b"[\"x\", truth]", 6), (b"{[: \"x\"}", 1), (b"{\"x\", null}", 4), (b"{\"x\"::\"b\"}", 5), (b"{\xf0\x9f\x87\xa8}", 1), (b"{\"a\":\"a\" 123}", 9), (b"{key: 'value'}", 1),
        (b"{\"\xb9\":\"0\",}", 2), (b"{\"a\" b}", 5), (b"{:\"b\"}", 1), (b"{\"a\" \"b\"}", 5), (b"{\"a\":", 5), (b"{\"a\"", 4), (b"{1:1}", 1), (b"{9999E9999:1}", 1), (b"{null:null,null:null}", 1),
        (b"{\"id\":0,,,,,}", 8), (b"{'a':0}", 1), (b"{\"id\":0,}", 8), (b"{\"a\":\"b\"}/**/", 9), (b"{\"a\":\"b\"}/", 9), (b"{\"a\":\"b\",,\"c\":\"d\"}", 9), (b"{a: \"b\"}", 1), (b"{\"a\":\"a", 7),
        (b"{ \"foo\" : \"bar\", \"a\" }", 21), (b"{\"a\":\"b\"}#", 9), (b"[\"\\uD800\\\"]", 11), (b"[\"\\uD800\\u\"]", 10), (b"[\"\\uD800\\u1\"]", 11), (b"[\"\\uD800\\u1x\"]", 11), (b"[\xc3\xa9]", 1),
        (b"[\"\\x00\"]", 3), (b"[\"\\\\\\\"]", 7), (b"[\"\\\t\"]", 3), (b"[\"\\\xf0\x9f\x8c\x80\"]", 3), (b"[\"\\\"]", 5), (b"[\"\\u00A\"]", 7), (b"[\"\\uD834\\uDd\"]", 12), (b"[\"\\uD800\\uD800\\x\"]", 15),
        (b"[\"\\u\xe5\"]", 4), (b"[\"\\a\"]", 3), (b"[\"\\uqqqq\"]", 4), (b"[\"\\\xe5\"]", 3), (b"[\\u0020\"asd\"]", 1), (b"[\\n]", 1), (b"\"", 1), (b"['single quote']", 1), (b"abc", 0), (b"[\"\\", 3),
        (b"[\"a\x00a\"]", 3), (b"[\"new\nline\"]", 5), (b"[\"\t\"]", 2), (b"\"\\UA66D\"", 2), (b"\"\"x", 2), (b"[\xe2\x81\xa0]", 1), (b"<.>", 0), (b"[<null>]", 1), (b"[1]x", 3), (b"[1]]", 3),
        (b"[\"asd]", 6), (b"a\xc3\xa5", 0), (b"[True]", 1), (b"1]", 1), (b"{\"x\": true,", 11), (b"[][]", 2), (b"]", 0), (b"\xef\xbb{}", 0), (b"\xe5", 0), (b"[", 1), (b"[\x00]", 1), (b"2@", 1),
        (b"{}}", 2), (b"{\"\":", 4), (b"{\"a\":/*c*/\"b\"}", 5), (b"{\"a\": true} \"x\"", 12), (b"['", 1), (b"[\"a", 3), (b"[\"a\"", 4), (b"{", 1), (b"{]", 1), (b"{,", 1), (b"{[", 1), (b"{\"a", 3),
        (b"{'a'", 1), (b"*", 0), (b"[\"\\{[\"\\{[\"\\{", 3), (b"[1\x0c]", 2), (b"[\x0c]", 1), (b"\xc2\xa01", 0), (b"[\"\xff\"]", 2), (b"[\"ab\xc0\x80\"]", 4), (b"[\"\xed\xa0\x80\"]", 2),
        (b"[\"\xf4\x90\x80\x80\"]", 2), (b"[\"\\n\xe9\"]", 4), (b"[\"x\xe2\x82\"]", 3), (b"{\"\xfe\":1}", 2), (b"nullx", 4), (b"truefalse", 4), (b"1 2", 2), (b"undefined", 0),
    ];
    assert!(cases.len() > 150);
    for &(text, offset) in cases {
        let shown = String::from_utf8_lossy(text);
        match json::parse(text) {
            Ok(graph) => panic!("{shown}: accepted as {graph}"),
            Err(error) => {
                assert_eq!((error.kind(), error.offset()), (ErrorKind::BadSyntax, Some(offset)), "{shown}: {error}");
                assert!(serde_json::from_slice::<serde_json::Value>(text).is_err(), "{shown}");
            }
        }
    }
}

#[test]
#[rustfmt::skip]
fn errors_say_where_and_what() {
    for (text, message) in [
        ("", "at byte 0 in $: the text ends where a value is expected"),
        ("[1,2,]", "at byte 5 in $[2]: expected a value: JSON has no comma before ]"),
        ("{\"a\":[{},{\"b\":+1}]}", "at byte 14 in $.a[1].b: expected a value: a number begins with a digit or -"),
        ("{\"a\":1,}", "at byte 7 in $: expected a key: JSON has no comma before }"),
        ("{\"a\" 1}", "at byte 5 in $.a: expected a colon"),
        ("{\"a b\":[[1],[2 3]]}", "at byte 15 in $[\"a b\"][1]: expected a comma or ]"),
        ("{\"a\":{\"b\":1 \"c\":2}}", "at byte 12 in $.a: expected a comma or }"),
        ("[012]", "at byte 2 in $: a number has no leading zero"),
        ("01", "at byte 1 in $: a number has no leading zero"),
        ("[NaN]", "at byte 1 in $[0]: expected a value: JSON has no NaN, Infinity and undefined"),
        ("[1, // one\n2]", "at byte 4 in $[1]: expected a value: JSON has no comments"),
        ("{'a':1}", "at byte 1 in $: expected a key: keys take double quotes"),
        ("1 2", "at byte 2 in $: something follows the value"),
        ("[tru]", "at byte 1 in $[0]: expected true, false or null"),
        ("[\"a\tb\"]", "at byte 3 in $[0]: a control character in a string has to be escaped"),
        ("[\"\\x\"]", "at byte 3 in $[0]: no such escape; there are \\\" \\\\ \\/ \\b \\f \\n \\r \\t and \\u with four digits"),
        ("[\"\\u12x4\"]", "at byte 6 in $[0]: \\u takes four hexadecimal digits"),
        ("{\"a", "at byte 3 in $: the text ends inside a string"),
    ] {
        let error = json::parse(text.as_bytes()).unwrap_err().to_string();
        assert_eq!(error, format!("bad-syntax {message}"), "{text}");
    }
    let error = json::parse(&[b'['; 1_000_000]).unwrap_err();
    assert_eq!(error.offset(), Some(1_000_000));
    assert!(error.path().unwrap().len() < 256);
}

#[test]
fn a_million_levels_go_both_ways() {
    let n = 1_000_000;
    let arrays = "[".repeat(n) + &"]".repeat(n);
    let graph = json::parse(arrays.as_bytes()).unwrap();
    for lossy in [Lossy::Show, Lossy::Refuse] {
        assert!(json::to_string(&graph, &JsonOptions::new().lossy(lossy)).unwrap() == arrays);
    }
    let objects = "{\"a\":".repeat(n) + "1" + &"}".repeat(n);
    let graph = json::parse(objects.as_bytes()).unwrap();
    assert!(json::to_string(&graph, &JsonOptions::new()).unwrap() == objects);
    // Indentation stops growing, or this would be a terabyte.
    assert!(json::to_string(&graph, &JsonOptions::new().indent(2)).unwrap().len() < 300 * n);
}

#[test]
fn arrays_of_numbers_are_packed_as_a_canonical_writer_packs_them() {
    let kind = |text: &str| json::parse(text.as_bytes()).unwrap().root().elements().map(|elements| elements.kind());
    assert_eq!(kind("[1,2,3,4,5,6,7,8]"), Some(ElementKind::Int8));
    assert_eq!(kind("[0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8]"), Some(ElementKind::Float64));
    assert_eq!(kind("[1,2,3,4,5,6,7]"), None);
    assert_eq!(kind("[1,2,3,4,5,6,7,null]"), None);
    let numbers: Vec<String> = (100_000..200_000).map(|i| i.to_string()).collect();
    let text = format!("[{}]", numbers.join(","));
    assert_eq!(kind(&text), Some(ElementKind::Int32));
    assert_eq!(json::to_string(&json::parse(text.as_bytes()).unwrap(), &JsonOptions::new()).unwrap(), text);
}

#[test]
fn keys_that_never_come_again_and_very_wide_objects_are_read() {
    let objects: Vec<String> = (0..20_000).map(|i| format!("{{\"k{i}\":{i},\"x\":[\"{i}\"]}}")).collect();
    let text = format!("[{}]", objects.join(","));
    assert_eq!(json::to_string(&json::parse(text.as_bytes()).unwrap(), &JsonOptions::new()).unwrap(), text);
    let keys: Vec<String> = (0..300_000).map(|i| format!("\"k{i}\":{i}")).collect();
    let text = format!("{{{}}}", keys.join(","));
    let graph = json::parse(text.as_bytes()).unwrap();
    assert_eq!(graph.root().len(), 300_000);
    assert_eq!(json::to_string(&graph, &JsonOptions::new()).unwrap(), text);
}

#[test]
fn a_parser_run_in_steps_gives_the_same() {
    let text = br#"{"a":[1,2,{"b":"c"}],"d":{"e":null}}"#;
    for steps in 1..20 {
        let mut parser = json::Parser::new(text).unwrap();
        while !parser.run(steps).unwrap() {}
        assert_eq!(parser.position(), text.len());
        let graph = parser.finish();
        assert_eq!(graph, json::parse(text).unwrap());
        let mut writer = json::Writer::new(&graph, &JsonOptions::new());
        let mut out = Vec::new();
        while !writer.run(steps).unwrap() {
            writer.drain(&mut out).unwrap();
        }
        writer.drain(&mut out).unwrap();
        assert_eq!(out, text);
    }
}

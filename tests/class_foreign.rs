//! Types of other crates as fields: those that features bring, and any through a transformer.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use marshal::class::Field;
use marshal::{Class, Classes, ErrorKind, Graph, Marshal, Value, js};

/// A value in a field, there and back.
#[derive(Class, Debug, PartialEq)]
struct Holder<T> {
    name: String,
    value: T,
    others: Vec<Option<T>>,
}

/// Goes both ways, is written as `shown`, and every message of `bad` in its place is an error of this kind at its path.
#[track_caller]
fn check<T: Field + Clone + PartialEq + std::fmt::Debug>(value: T, shown: &str, bad: &[(Graph, ErrorKind, &str)]) {
    let holder = Holder { name: "it".into(), value: value.clone(), others: vec![None, Some(value)] };
    let (bytes, classes) = Marshal::encode_with_classes(&holder).unwrap();
    let graph = Marshal::decode(&bytes).unwrap();
    assert_eq!(graph.root().get("value").unwrap().to_graph().to_string(), shown);
    assert_eq!(Marshal::encode(&graph).unwrap(), bytes);
    let back: Holder<T> = Marshal::decode_with_classes(&bytes, &classes).unwrap();
    assert_eq!(back, holder);
    assert_eq!(Marshal::deep_clone(&holder).unwrap(), holder);
    let class = Holder::<T>::type_name();
    for (data, kind, path) in bad {
        let mut graph = Graph::new();
        let name = graph.string("it");
        let root = graph.instance(class.as_str(), 0, [("name", name)]).unwrap();
        let value = graph.import(data.root());
        graph.set(root, "value", value).unwrap();
        let others = graph.array([]);
        graph.set(root, "others", others).unwrap();
        graph.set_root(root);
        let bytes = Marshal::encode(&graph).unwrap();
        let error = Marshal::decode_with_classes::<Holder<T>>(&bytes, &classes).unwrap_err();
        assert_eq!((error.kind(), error.path()), (*kind, Some(*path)), "{data}: {error}");
        assert!(error.offset().is_some());
    }
}

/// A custom value.
fn custom(name: &str, payload: impl Into<Literal>) -> Graph<'static> {
    let mut graph = Graph::new();
    let payload = match payload.into() {
        Literal::Text(text) => graph.string(text),
        Literal::Number(number) => Value::from(number),
    };
    let root = graph.custom(name, 0, payload).unwrap();
    graph.set_root(root);
    graph
}

enum Literal {
    Text(&'static str),
    Number(f64),
}

impl From<&'static str> for Literal {
    fn from(text: &'static str) -> Self {
        Literal::Text(text)
    }
}

impl From<i32> for Literal {
    fn from(number: i32) -> Self {
        Literal::Number(f64::from(number))
    }
}

/// What is no Date is none of the moments either.
fn no_dates() -> [(Graph<'static>, ErrorKind, &'static str); 3] {
    [
        (js!(Date(f64::NAN)), ErrorKind::BadDate, "$.value"),
        (js!(5), ErrorKind::WrongType, "$.value"),
        (js!("2020-01-01"), ErrorKind::WrongType, "$.value"),
    ]
}

#[test]
fn a_system_time_is_a_date() {
    check(UNIX_EPOCH + Duration::from_millis(7), "Date(7)", &no_dates());
    check(UNIX_EPOCH - Duration::from_millis(1), "Date(-1)", &[]);
    // Parts of a millisecond are cut off, towards the past.
    let (bytes, classes) = Marshal::encode_with_classes(&(UNIX_EPOCH + Duration::from_nanos(1_999_999))).unwrap();
    let back: SystemTime = Marshal::decode_with_classes(&bytes, &classes).unwrap();
    assert_eq!(back, UNIX_EPOCH + Duration::from_millis(1));
    let beyond = UNIX_EPOCH + Duration::from_secs(8_640_000_000_001);
    assert_eq!(Marshal::encode_with_classes(&beyond).unwrap_err().kind(), ErrorKind::BadDate);
}

#[cfg(feature = "chrono")]
#[test]
fn a_moment_of_chrono_is_a_date() {
    let moment: chrono::DateTime<chrono::Utc> = "2026-11-30T16:20:00.125Z".parse().unwrap();
    check(moment, "Date(1796055600125)", &no_dates());
    // It reaches farther than a Date does.
    let beyond = chrono::DateTime::<chrono::Utc>::MAX_UTC;
    assert!(beyond.timestamp_millis() as f64 <= 8.64e15);
}

#[cfg(feature = "jiff")]
#[test]
fn a_moment_of_jiff_is_a_date() {
    let far = [(js!(Date(8.64e15)), ErrorKind::BadDate, "$.value")];
    check("2026-11-30T16:20:00.125Z".parse::<jiff::Timestamp>().unwrap(), "Date(1796055600125)", &no_dates());
    check("2026-11-30T16:20:00.125Z".parse::<jiff::Timestamp>().unwrap(), "Date(1796055600125)", &far);
}

#[cfg(feature = "time")]
#[test]
fn moments_of_time_are_dates() {
    let moment = time::OffsetDateTime::from_unix_timestamp(1_796_055_600).unwrap();
    let far = [(js!(Date(8.64e15)), ErrorKind::BadDate, "$.value")];
    check(moment, "Date(1796055600000)", &no_dates());
    check(moment, "Date(1796055600000)", &far);
    check(time::UtcDateTime::from(moment), "Date(1796055600000)", &no_dates());
}

#[cfg(feature = "url")]
#[test]
fn a_url_is_a_custom_text() {
    let bad = [
        (custom("URL", "no url"), ErrorKind::Refused, "$.value<payload>"),
        (custom("URL", 5), ErrorKind::WrongType, "$.value<payload>"),
        (custom("Decimal", "5"), ErrorKind::WrongType, "$.value"),
        (js!("https://example.org"), ErrorKind::WrongType, "$.value"),
    ];
    let url = url::Url::parse("https://example.org/a?b=ü#c").unwrap();
    check(url, r#"URL("https://example.org/a?b=%C3%BC#c")"#, &bad);
}

#[cfg(feature = "rust_decimal")]
#[test]
fn a_decimal_is_a_custom_text_and_keeps_its_digits() {
    let bad = [
        (custom("Decimal", "1,5"), ErrorKind::Refused, "$.value<payload>"),
        // More digits than it holds: refused, not rounded.
        (custom("Decimal", "0.12345678901234567890123456789012345"), ErrorKind::Refused, "$.value<payload>"),
        (custom("Decimal", "99999999999999999999999999999999999999"), ErrorKind::Refused, "$.value<payload>"),
    ];
    let exact = |text| rust_decimal::Decimal::from_str_exact(text).unwrap();
    check(exact("-1.50"), r#"Decimal("-1.50")"#, &bad);
    check(rust_decimal::Decimal::MAX, r#"Decimal("79228162514264337593543950335")"#, &[]);
    let (bytes, classes) = Marshal::encode_with_classes(&exact("1.500")).unwrap();
    let back: rust_decimal::Decimal = Marshal::decode_with_classes(&bytes, &classes).unwrap();
    assert_eq!(back.to_string(), "1.500");
}

#[cfg(feature = "uuid")]
#[test]
fn a_uuid_is_a_custom_text() {
    let bad = [(custom("UUID", "67e55044"), ErrorKind::Refused, "$.value<payload>")];
    let uuid = uuid::Uuid::from_u128(0x67e5504410b1426f9247bb680e5fe0c8);
    check(uuid, r#"UUID("67e55044-10b1-426f-9247-bb680e5fe0c8")"#, &bad);
}

/// The same crates, and any other, without their features: a transformer of the program's own, by another name and as
/// another payload.
#[cfg(all(feature = "url", feature = "rust_decimal", feature = "chrono"))]
#[test]
fn foreign_types_through_transformers_of_the_program() {
    type Moment = chrono::DateTime<chrono::Utc>;

    #[derive(Class, Debug, PartialEq)]
    struct Order {
        #[class(custom)]
        at: Moment,
        #[class(custom)]
        shop: url::Url,
        #[class(custom)]
        total: rust_decimal::Decimal,
    }

    let mut classes = Classes::new().with::<Order>();
    let beyond = "beyond what a moment is";
    classes
        .register_custom("Moment", Moment::timestamp_micros, move |at: i64| {
            Moment::from_timestamp_micros(at).ok_or(beyond)
        })
        .unwrap();
    classes.register_custom("Shop", url::Url::to_string, |text: String| url::Url::parse(&text)).unwrap();
    let parts = |total: &rust_decimal::Decimal| (total.mantissa(), total.scale());
    classes
        .register_custom("Total", parts, |(mantissa, scale): (i128, u32)| {
            rust_decimal::Decimal::try_from_i128_with_scale(mantissa, scale)
        })
        .unwrap();
    let order = Order {
        at: Moment::from_timestamp_micros(1_796_055_600_000_001).unwrap(),
        shop: url::Url::parse("https://example.org/").unwrap(),
        total: rust_decimal::Decimal::new(1999, 2),
    };
    let bytes = Marshal::encode_using(&order, &classes).unwrap();
    let shown = r#"Order {at: Moment(1796055600000001), shop: Shop("https://example.org/"), total: Total([1999, 2])}"#;
    assert_eq!(Marshal::decode(&bytes).unwrap().to_string(), shown);
    assert_eq!(Marshal::decode_with_classes::<Order>(&bytes, &classes).unwrap(), order);
    let mut graph = Marshal::decode(&bytes).unwrap();
    let pair = graph.array([Value::from(1.0), Value::from(99.0)]);
    let bad = graph.custom("Total", 0, pair).unwrap();
    let root = graph.root().value();
    graph.set(root, "total", bad).unwrap();
    let error = Marshal::decode_with_classes::<Order>(&Marshal::encode(&graph).unwrap(), &classes).unwrap_err();
    assert_eq!((error.kind(), error.path()), (ErrorKind::Refused, Some("$.total<payload>")));
}

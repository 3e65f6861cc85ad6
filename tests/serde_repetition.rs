//! What the serializer does quickly because it was so the last time: numbers after numbers, structs after structs of the
//! same name. Where it is not so this time, the message is the same as without a last time.

use std::iter;

use marshal::{ErrorKind, Marshal, from_slice, to_vec};
use serde::{Deserialize, Serialize, Serializer};

/// The bytes, which are the same again, and on a thread that has met none of the types.
#[track_caller]
fn bytes<T: Serialize + Sync>(value: &T) -> Vec<u8> {
    let first = to_vec(value).unwrap();
    let fresh = std::thread::scope(|scope| scope.spawn(|| to_vec(value).unwrap()).join().unwrap());
    assert_eq!(first, to_vec(value).unwrap());
    assert_eq!(first, fresh);
    Marshal::check(&first).unwrap();
    first
}

#[derive(Serialize, Deserialize, Debug, PartialEq, Clone)]
#[serde(untagged)]
enum Mixed {
    Integer(i32),
    Float(f32),
    Text(String),
    Pair(u8, u8),
    Nothing(()),
}

#[test]
fn another_element_may_come_after_any_number_of_numbers() {
    let others =
        [Mixed::Float(0.5), Mixed::Text("x".into()), Mixed::Pair(1, 2), Mixed::Nothing(()), Mixed::Integer(i32::MIN)];
    for n in [1, 7, 8, 9, 255, 256, 257, 258, 512, 513, 600] {
        for at in [0, 1, 7, 8, 254, 255, 256, 257, 258, 511, 512, 513, 599] {
            for other in others.iter().filter(|_| at < n) {
                let mut values: Vec<Mixed> = (0..n).map(|n| Mixed::Integer(n as i32 - 300)).collect();
                values[at] = other.clone();
                let bytes = bytes(&values);
                assert_eq!(from_slice::<Vec<Mixed>>(&bytes).unwrap(), values, "{other:?} at {at} of {n}");
                assert_eq!(Marshal::decode(&bytes).unwrap().root().len(), n);
            }
        }
    }
}

#[test]
fn numbers_of_every_kind_are_packed_in_any_number() {
    fn packed<T: Serialize + for<'de> Deserialize<'de> + PartialEq + Sync>(size: usize, make: impl Fn(usize) -> T) {
        for n in [8, 9, 255, 256, 257, 511, 512, 513, 1000] {
            let values: Vec<T> = (0..n).map(&make).collect();
            let bytes = bytes(&values);
            assert!(from_slice::<Vec<T>>(&bytes).unwrap() == values);
            // A head of 8 bytes, the array's of 3 or 4, and what is skipped to a multiple of 8.
            assert!(bytes.len() <= n * size + 24, "{n} of {size}: {}", bytes.len());
        }
    }
    packed(1, |n| n as u8);
    packed(1, |n| n as i8);
    packed(2, |n| n as u16);
    packed(2, |n| -(n as i16));
    packed(4, |n| n as u32);
    packed(4, |n| -(n as i32));
    packed(4, |n| n as f32 / 2.0);
    packed(8, |n| n as f64 / 3.0);
}

/// Gives `n` numbers and promises what it says.
struct Promise {
    n: u32,
    says: (usize, Option<usize>),
}

impl Iterator for Promise {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        self.n = self.n.checked_sub(1)?;
        Some(self.n)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.says
    }
}

#[test]
fn what_an_iterator_promises_need_not_be_true() {
    struct Given(u32, (usize, Option<usize>));
    impl Serialize for Given {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            serializer.collect_seq(Promise { n: self.0, says: self.1 })
        }
    }
    let told = |n: usize| (n, Some(n));
    for n in [0, 1, 7, 8, 9, 31, 32, 33, 200, 256, 257, 300] {
        for says in [(0, None), told(0), told(1), told(7), told(8), told(32), told(300), (9, None), (usize::MAX, None)]
        {
            let read: Vec<u32> = from_slice(&bytes(&Given(n, says))).unwrap();
            assert!(read.into_iter().eq((0..n).rev()), "{n} {says:?}");
        }
    }
}

#[derive(Serialize, Deserialize, Debug, PartialEq, Default, Clone)]
#[serde(default)]
struct Sparse {
    #[serde(skip_serializing_if = "Option::is_none")]
    a: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    b: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    c: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    d: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    e: Option<Box<Sparse>>,
    // Out of an object's order.
    #[serde(skip_serializing_if = "Option::is_none", rename = "7")]
    f: Option<u8>,
}

impl Sparse {
    /// Of the 64 shapes the one with this number.
    fn new(shape: u8) -> Self {
        let field = |bit: u8| (shape & 1 << bit != 0).then_some(bit);
        let inner = Sparse { c: Some(3), ..Sparse::default() };
        Sparse { a: field(0), b: field(1), c: field(2), d: field(3), e: field(4).map(|_| inner.into()), f: field(5) }
    }
}

#[test]
fn structs_of_one_name_may_have_other_fields_each_time() {
    // One after the other, in turns, and in an order without any.
    let orders: [Vec<u8>; 4] = [
        (0..64).collect(),
        iter::repeat_n([1, 2, 1, 1, 2, 2], 10).flatten().collect(),
        (0..200).map(|n: u32| (n.wrapping_mul(2_654_435_761) >> 26) as u8).collect(),
        iter::repeat_n([33, 32, 0], 20).flatten().collect(),
    ];
    for order in &orders {
        let values: Vec<Sparse> = order.iter().map(|&shape| Sparse::new(shape)).collect();
        let read = from_slice::<Vec<Sparse>>(&bytes(&values)).unwrap();
        assert_eq!(read, values, "{order:?}");
    }
    // What is known from one message holds in no other: shapes have other numbers there.
    for pair in orders[0].windows(2) {
        let values = [Sparse::new(pair[1]), Sparse::new(pair[0])];
        assert_eq!(from_slice::<[Sparse; 2]>(&bytes(&values)).unwrap(), values);
    }
}

mod first {
    #[derive(super::Serialize, super::Deserialize, Debug, PartialEq)]
    pub(super) struct Circle {
        pub(super) r: u8,
    }
}

mod second {
    #[derive(super::Serialize, super::Deserialize, Debug, PartialEq)]
    pub(super) struct Circle {
        pub(super) radius: u8,
        pub(super) r: Option<super::first::Circle>,
    }
}

#[derive(Serialize, Deserialize, Debug, PartialEq)]
enum Figure {
    Circle(first::Circle),
    Other { r: second::Circle },
    Pair(first::Circle, second::Circle),
    None,
}

#[test]
fn structs_and_variants_may_have_one_name() {
    let (one, two) = (|| first::Circle { r: 1 }, || second::Circle { radius: 2, r: Some(first::Circle { r: 3 }) });
    let make = |n: usize| match n % 4 {
        0 => Figure::Circle(one()),
        1 => Figure::Other { r: two() },
        2 => Figure::Pair(one(), two()),
        _ => Figure::None,
    };
    for order in [[0, 1, 2, 3], [3, 2, 1, 0], [2, 2, 0, 0], [1, 0, 1, 0]] {
        let values = order.map(make);
        let bytes = bytes(&values);
        assert_eq!(from_slice::<[Figure; 4]>(&bytes).unwrap(), values);
        let graph = Marshal::decode(&bytes).unwrap();
        for (n, figure) in order.into_iter().enumerate() {
            let printed = graph.root().at(n).unwrap().to_string();
            let expected = [
                "{Circle: {r: 1}}",
                "{Other: {r: {radius: 2, r: {r: 3}}}}",
                "{Pair: [{r: 1}, {radius: 2, r: {r: 3}}]}",
                r#""None""#,
            ];
            assert_eq!(printed, expected[figure], "{order:?}");
        }
    }
}

#[test]
fn what_was_found_is_told_and_long_texts_are_cut() {
    fn told<'de, T: Deserialize<'de> + std::fmt::Debug>(bytes: &'de [u8]) -> String {
        let error = from_slice::<T>(bytes).unwrap_err();
        assert_eq!((error.kind(), error.path()), (ErrorKind::WrongType, Some("$")));
        error.to_string().split_once("invalid type: ").unwrap().1.to_owned()
    }
    assert_eq!(told::<u8>(&to_vec("text").unwrap()), r#"string "text", expected u8"#);
    assert_eq!(told::<u8>(&to_vec(&true).unwrap()), "boolean `true`, expected u8");
    assert_eq!(told::<String>(&to_vec(&7).unwrap()), "integer `7`, expected a string");
    assert_eq!(told::<String>(&to_vec(&-7).unwrap()), "integer `-7`, expected a string");
    assert_eq!(told::<String>(&to_vec(&1.0).unwrap()), "floating point `1.0`, expected a string");
    assert_eq!(told::<String>(&to_vec(&None::<u8>).unwrap()), "unit value, expected a string");
    assert_eq!(told::<String>(&to_vec(&[1, 2]).unwrap()), "sequence, expected a string");
    let long = to_vec(&"é".repeat(1000)).unwrap();
    assert_eq!(told::<u8>(&long), format!(r#"string "{}"…, expected u8"#, "é".repeat(32)));

    /// What it expects takes more words than are kept.
    #[derive(Debug)]
    struct Wordy;
    impl<'de> Deserialize<'de> for Wordy {
        fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            struct Visitor;
            impl serde::de::Visitor<'_> for Visitor {
                type Value = Wordy;
                fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                    write!(f, "{}", "word ".repeat(20))
                }
            }
            deserializer.deserialize_u8(Visitor)
        }
    }
    assert_eq!(told::<Wordy>(&to_vec("text").unwrap()), format!(r#"string "text", expected {}"#, "word ".repeat(20)));
}

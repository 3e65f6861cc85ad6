//! What serde's users get where a value, a message or a stream is not right (`marshal::to_vec`, `marshal::from_slice`).

use std::collections::BTreeMap;
use std::io;

use marshal::{Error, ErrorKind, Graph, Marshal, Value, from_reader, from_slice, js, to_vec, to_writer};
use serde::ser::SerializeMap;
use serde::{Deserialize, Serialize, Serializer};

/// Writes, or reads, so many bytes and then fails.
struct Failing(usize);

impl Failing {
    fn take(&mut self, len: usize) -> io::Result<usize> {
        let taken = len.min(self.0);
        self.0 -= taken;
        if taken == 0 { Err(io::Error::other("the cable is out")) } else { Ok(taken) }
    }
}

impl io::Write for Failing {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.take(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl io::Read for Failing {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        self.take(bytes.len())
    }
}

#[test]
fn a_stream_that_fails_is_told() {
    for len in [10, 100_000] {
        let value = (vec!["text"; len], vec![1.5; len]);
        for most in [0, 1, len] {
            let error = to_writer(Failing(most), &value).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Io);
            assert!(error.to_string().ends_with("the cable is out"), "{error}");
        }
        let mut out = Vec::new();
        to_writer(&mut out, &value).unwrap();
        assert_eq!(out, to_vec(&value).unwrap());
        assert_eq!(from_reader::<_, (Vec<String>, Vec<f64>)>(&out[..]).unwrap().1, value.1);
    }
    assert_eq!(from_reader::<_, u8>(Failing(3)).unwrap_err().kind(), ErrorKind::Io);
    assert!(from_reader::<_, u8>(&to_vec(&7).unwrap()[..3]).unwrap_err().is_truncated());
}

/// A map that writes these keys.
struct Keys(&'static [&'static str]);

impl Serialize for Keys {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        self.0.iter().try_for_each(|key| map.serialize_entry(key, &1))?;
        map.end()
    }
}

#[test]
fn a_key_is_written_once() {
    for keys in [&["a", "a"][..], &["b", "a", "b"], &["7", "1", "7"], &["", "x", ""]] {
        let error = to_vec(&(0, Keys(keys))).unwrap_err();
        assert_eq!((error.kind(), error.path()), (ErrorKind::DuplicateKey, Some("$[1]")), "{keys:?}: {error}");
    }
    #[derive(Serialize)]
    struct Twice {
        a: u8,
        #[serde(rename = "a")]
        b: u8,
    }
    assert_eq!(to_vec(&Twice { a: 1, b: 2 }).unwrap_err().kind(), ErrorKind::DuplicateKey);
}

#[test]
fn a_key_that_is_read_twice_is_the_last_of_a_map_and_an_error_of_a_struct() {
    #[derive(Deserialize, Debug)]
    #[allow(dead_code)]
    struct One {
        #[serde(alias = "b")]
        a: u8,
    }
    let both = Marshal::encode(&js!({ a: 1, b: 2 })).unwrap();
    // In the order of the type's own names, which is read by position, and in another.
    for message in [both, Marshal::encode(&js!({ b: 2, more: 3, a: 1 })).unwrap()] {
        let error = from_slice::<One>(&message).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::DuplicateKey, "{error}");
    }
    // Keys of a Map that are one as numbers.
    let mut graph = Graph::new();
    let seven = graph.string("7");
    let map = graph.map([(Value::from(7), Value::from(1)), (seven, Value::from(2))]);
    graph.set_root(map);
    let read: BTreeMap<u8, u8> = from_slice(&Marshal::encode(&graph).unwrap()).unwrap();
    assert_eq!(read, BTreeMap::from([(7, 2)]));
}

#[test]
fn a_number_that_does_not_fit_is_told_with_its_value_and_place() {
    #[derive(Deserialize, Debug)]
    #[allow(dead_code)]
    struct Deep<T> {
        list: Vec<BTreeMap<String, T>>,
    }
    fn told<T: for<'de> Deserialize<'de> + std::fmt::Debug>(bytes: &[u8]) -> (String, Error) {
        let error = from_slice::<Deep<T>>(bytes).unwrap_err();
        assert_eq!(error.path(), Some("$.list[1].x"), "{error}");
        assert!(error.offset().is_some_and(|at| at < bytes.len() as u64));
        (error.to_string().rsplit(": ").next().unwrap().to_owned(), error)
    }
    let deep = |x: Value| {
        let mut graph = Graph::new();
        let maps = [Value::from(1), x].map(|x| graph.object([("x", x)]));
        let list = graph.array(maps);
        let root = graph.object([("list", list)]);
        graph.set_root(root);
        Marshal::encode(&graph).unwrap()
    };
    assert_eq!(told::<u8>(&deep(256.into())).0, "integer `256`, expected u8");
    assert_eq!(told::<i8>(&deep(128.into())).0, "integer `128`, expected i8");
    assert_eq!(told::<u64>(&deep((-1).into())).0, "integer `-1`, expected u64");
    assert_eq!(told::<i64>(&deep(Value::from(0.5))).0, "floating point `0.5`, expected i64");
    assert_eq!(told::<u128>(&deep(Value::from(-0.0))).0, "floating point `-0.0`, expected u128");
    assert_eq!(told::<u32>(&deep(Value::NULL)).1.kind(), ErrorKind::WrongType);
}

#[test]
fn text_that_rust_can_not_hold_is_refused() {
    let mut graph = Graph::new();
    let lone = graph.string_utf16(&[0x61, 0xD800]);
    let list = graph.array([lone]);
    graph.set_root(list);
    let error = from_slice::<Vec<String>>(&Marshal::encode(&graph).unwrap()).unwrap_err();
    assert_eq!(error.path(), Some("$[0]"), "{error}");
    assert_eq!(from_slice::<char>(&to_vec("ab").unwrap()).unwrap_err().path(), Some("$"));
}

/// Errors that a type makes while it is read are put into words when one comes to the surface.
mod words {
    use std::cell::Cell;

    use serde::de::Error as _;

    use super::*;

    thread_local! {
        static READ: Cell<u32> = const { Cell::new(0) };
    }

    /// An integer; counts how often it is read, and panics at 0.
    #[derive(Debug)]
    struct Counted;

    impl<'de> Deserialize<'de> for Counted {
        fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            READ.set(READ.get() + 1);
            assert_ne!(u8::deserialize(deserializer)?, 0);
            Ok(Counted)
        }
    }

    #[test]
    fn what_fits_is_read_once_and_what_does_not_once_more() {
        let read = |bytes: &[u8]| {
            READ.set(0);
            (from_slice::<Vec<Counted>>(bytes).map_err(|error| error.to_string()), READ.get())
        };
        assert!(matches!(read(&to_vec(&[1, 2]).unwrap()), (Ok(_), 2)));
        let (told, times) = read(&to_vec(&(1, "x")).unwrap());
        assert_eq!(times, 4);
        assert!(told.unwrap_err().ends_with(r#" in $[1]: invalid type: string "x", expected u8"#));
        // A message that is not right needs no words of a type.
        let mut bytes = to_vec(&(1, 300)).unwrap();
        bytes.push(0);
        assert!(matches!(read(&bytes), (Err(_), 0)));
    }

    #[test]
    fn words_are_not_lost_to_a_panic() {
        assert!(std::panic::catch_unwind(|| from_slice::<Counted>(&to_vec(&0).unwrap())).is_err());
        let bytes = to_vec("x").unwrap();
        let error = u8::deserialize(&mut marshal::Deserializer::from_slice(&bytes).unwrap()).unwrap_err();
        assert!(error.to_string().ends_with(r#"invalid type: string "x", expected u8"#), "{error}");
    }

    #[test]
    fn a_message_in_a_message_tells_too() {
        #[derive(Debug)]
        struct Inner;
        impl<'de> Deserialize<'de> for Inner {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let bytes = Vec::<u8>::deserialize(deserializer)?;
                from_slice::<Vec<u8>>(&bytes).map_err(D::Error::custom)?;
                Ok(Inner)
            }
        }
        let inner = |value: &[i32]| to_vec(value).unwrap();
        assert_eq!(from_slice::<Vec<Inner>>(&to_vec(&[inner(&[1]), inner(&[2, 3])]).unwrap()).unwrap().len(), 2);
        let error = from_slice::<Vec<Inner>>(&to_vec(&[inner(&[1]), inner(&[2, -3])]).unwrap()).unwrap_err();
        let told = error.to_string();
        assert!(
            told.contains(" in $[1]: ") && told.ends_with("$[1]: invalid value: integer `-3`, expected u8"),
            "{told}"
        );
    }
}

#[test]
fn what_lies_too_deeply_is_told_where_its_tag_stands() {
    #[derive(Serialize, Deserialize, Debug)]
    #[allow(dead_code)]
    enum Tree {
        Leaf(u8),
        Struct { next: Box<Tree> },
        Pair(Box<Tree>, u8),
    }
    #[derive(Serialize, Deserialize, Debug)]
    struct Link {
        next: Option<Box<Link>>,
    }
    // Structures of one byte for each container: the offset is the limit's.
    let link = (0..10).fold(Link { next: None }, |next, _| Link { next: Some(Box::new(next)) });
    let tree = (0..5).fold(Tree::Leaf(1), |next, _| Tree::Struct { next: Box::new(next) });
    let pairs = (0..5).fold(Tree::Leaf(1), |next, _| Tree::Pair(Box::new(next), 2));
    fn told<T: for<'de> Deserialize<'de> + std::fmt::Debug>(
        value: &impl Serialize,
        structure: usize,
        containers: usize,
    ) {
        let bytes = to_vec(value).unwrap();
        let options = |depth| marshal::DeserializeOptions::new().max_depth(depth);
        marshal::from_slice_with::<T>(&bytes, &options(containers)).unwrap();
        for depth in 0..containers {
            let error = marshal::from_slice_with::<T>(&bytes, &options(depth)).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::LimitExceeded);
            assert_eq!(error.offset(), Some((bytes.len() - structure + depth) as u64), "{error}");
        }
    }
    told::<Link>(&link, 12, 11);
    told::<Tree>(&tree, 12, 11);
    told::<Tree>(&pairs, 17, 11);
}

//! Class values and serde's types as snapshots, and as parts of messages that are read as they are needed.
#![cfg(all(feature = "snapshot", feature = "serde", feature = "derive"))]

use std::cell::RefCell;

use marshal::compress::Compression;
use marshal::{
    Class, Classes, EncodeOptions, Encoded, ErrorKind, Graph, Kind, Lazy, LoadOptions, Marshal, SaveOptions, Serde,
    Shared, Snapshot, Sync, SyncShared, Value, js,
};
use serde::{Deserialize, Serialize};

/// Parents know their children and children their parents.
#[derive(Class)]
struct Person {
    name: String,
    children: RefCell<Vec<Shared<Person>>>,
    parent: RefCell<Option<Shared<Person>>>,
}

fn person(name: &str) -> Shared<Person> {
    Shared::new(Person { name: name.into(), children: RefCell::default(), parent: RefCell::default() })
}

/// A family of so many generations, each of three; the oldest first.
fn family(generations: usize) -> Vec<Shared<Person>> {
    let mut all = vec![person("0")];
    let mut first = 0;
    for _ in 1..generations {
        let last = all.len();
        for at in first..last {
            for i in 0..3 {
                let child = person(&format!("{}.{i}", all[at].name));
                *child.parent.borrow_mut() = Some(all[at].clone());
                all[at].children.borrow_mut().push(child.clone());
                all.push(child);
            }
        }
        first = last;
    }
    all
}

#[derive(Serialize, Deserialize, PartialEq, Debug, Clone)]
struct Config {
    name: String,
    retries: Option<u32>,
    servers: Vec<Server>,
}

#[derive(Serialize, Deserialize, PartialEq, Debug, Clone)]
struct Server {
    host: String,
    ports: Vec<u16>,
}

fn config(n: u16) -> Config {
    let servers = (0..n).map(|i| Server {
        host: format!("host-{i}.example.org"),
        ports: (0..12).map(|port| i % 600 * 100 + port).collect(),
    });
    Config { name: "main".into(), retries: Some(3), servers: servers.collect() }
}

/// With and without compression and an index.
fn options() -> Vec<SaveOptions> {
    let plain = SaveOptions::new().sync(Sync::None);
    vec![
        plain.clone(),
        plain.clone().encode(EncodeOptions::new().index(true)),
        plain.clone().encode(EncodeOptions::new().index(true).intern_strings(true)),
        plain.compression(Compression::Zstd),
    ]
}

#[test]
fn graphs_class_values_and_serde_types_all_save_and_load() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("state.marshal");
    let classes = Classes::new().with::<Person>();
    let family = family(3);
    for options in options() {
        Snapshot::save_with(&path, &family, &options).unwrap();
        let read: Vec<Shared<Person>> = Snapshot::load_with_classes(&path, &classes).unwrap();
        assert!(Marshal::deep_equal(&read, &family).unwrap());
        assert!(read[1] == read[0].children.borrow()[0], "the same object");
        // Any reader of the format reads it.
        assert_eq!(Snapshot::load(&path).unwrap(), Marshal::decode(&encoded(&family)).unwrap());

        Snapshot::save_with(&path, &Serde(&config(40)), &options).unwrap();
        assert_eq!(Snapshot::load_serde::<Config>(&path).unwrap(), config(40));
        let snapshot = Snapshot::read(&path).unwrap();
        #[derive(Deserialize)]
        struct Named<'a> {
            name: &'a str,
        }
        assert_eq!(snapshot.deserialize::<Named<'_>>().unwrap().name, "main");

        Snapshot::save_with(&path, &js!({ at: Date(5) }), &options).unwrap();
        assert_eq!(Snapshot::load(&path).unwrap(), js!({ at: Date(5) }));
    }
    let error = Snapshot::load_with_classes::<Vec<Shared<Person>>>(&path, &classes).err().unwrap();
    assert_eq!(error.kind(), ErrorKind::WrongType);
    assert_eq!(Snapshot::load_serde::<Config>(&path).unwrap_err().path(), Some("$"));
}

fn encoded<T: marshal::class::Field>(value: &T) -> Vec<u8> {
    Marshal::encode_with_classes(value).unwrap().0
}

#[test]
fn every_kind_of_value_is_saved_by_another_thread() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    #[derive(Class)]
    struct Counter {
        n: u32,
    }
    let counters = vec![SyncShared::new(Counter { n: 7 })];
    let savings = [
        Snapshot::save_owned(at("graph"), js!([1, 2]), SaveOptions::new()),
        Snapshot::save_owned(at("class"), counters, SaveOptions::new()),
        Snapshot::save_owned(at("serde"), Serde(config(2)), SaveOptions::new()),
        Snapshot::save_owned(at("encoded"), Encoded(encoded(&family(2))), SaveOptions::new()),
    ];
    savings.into_iter().for_each(|saving| saving.wait().unwrap());
    assert_eq!(Snapshot::load(at("graph")).unwrap(), js!([1, 2]));
    let classes = Classes::new().with::<Counter>().with::<Person>();
    let counters: Vec<SyncShared<Counter>> = Snapshot::load_with_classes(at("class"), &classes).unwrap();
    assert_eq!(counters[0].n, 7);
    assert_eq!(Snapshot::load_serde::<Config>(at("serde")).unwrap(), config(2));
    let family: Vec<Shared<Person>> = Snapshot::load_with_classes(at("encoded"), &classes).unwrap();
    assert_eq!(family.len(), 4);
}

#[test]
fn what_options_ask_of_typed_values_is_done_or_refused() {
    let save = |encode: EncodeOptions| {
        let bytes = Snapshot::to_bytes(&Serde(&config(500)), &SaveOptions::new().encode(encode))?;
        Snapshot::from_bytes(&bytes, &LoadOptions::new()).map(Snapshot::into_message)
    };
    let message = save(EncodeOptions::new()).unwrap();
    assert_eq!(message, marshal::to_vec(&config(500)).unwrap());
    assert!(Lazy::new(save(EncodeOptions::new().index(true)).unwrap()).unwrap().has_index());
    let interned = Snapshot::to_bytes(
        &Serde(vec!["a long word"; 50]),
        &SaveOptions::new().encode(EncodeOptions::new().intern_strings(true)),
    );
    assert!(interned.unwrap().len() < 250);
    assert!(save(EncodeOptions::new().max_bytes(message.len() as u64 - 1)).unwrap_err().is_limit());
    assert!(save(EncodeOptions::new().max_bytes(message.len() as u64)).is_ok());
    // A handle is of a graph, and there is none.
    let error = save(EncodeOptions::new().entry("a", js!([]).root().value())).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::UnknownValue);
}

#[test]
fn any_part_becomes_a_typed_value() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("state.marshal");
    let family = family(4);
    let classes = Classes::new().with::<Person>();
    for options in options() {
        Snapshot::save_with(&path, &Serde(&config(900)), &options).unwrap();
        let open = Snapshot::open(&path).unwrap();
        let servers = open.root().unwrap().get("servers").unwrap();
        for i in [0, 1, 450, 899] {
            assert_eq!(servers.at(i).unwrap().deserialize::<Server>().unwrap(), config(900).servers[i]);
        }
        // An element of a packed array, and one that is too large.
        let port = servers.at(899).unwrap().get("ports").unwrap().at(3).unwrap();
        assert_eq!(port.deserialize::<u16>().unwrap(), config(900).servers[899].ports[3]);
        assert_eq!(port.deserialize::<u8>().unwrap_err().kind(), ErrorKind::Rejected);

        Snapshot::save_with(&path, &family, &options).unwrap();
        let open = Snapshot::open(&path).unwrap();
        for i in [0, 1, 7, family.len() - 1] {
            // A child knows its parent, which it does not hold itself: the part is put together from it.
            let read: Shared<Person> = open.root().unwrap().at(i).unwrap().decode_with_classes(&classes).unwrap();
            assert!(Marshal::deep_equal(&read, &family[i]).unwrap(), "{i}");
        }
    }
}

#[test]
fn class_values_are_read_by_name_when_all_else_is_damaged() {
    #[derive(Class)]
    struct City {
        name: String,
    }
    #[derive(Class)]
    struct User {
        name: String,
        city: Shared<City>,
    }
    let cities: Vec<_> = (0..5).map(|i| Shared::new(City { name: format!("city {i}") })).collect();
    let users: Vec<_> =
        (0..1000).map(|i| Shared::new(User { name: format!("user {i}"), city: cities[i % 5].clone() })).collect();
    let (bytes, classes) = Marshal::encode_with_classes(&users).unwrap();
    let lazy = Lazy::new(&bytes).unwrap();
    let user = lazy.root().unwrap().at(777).unwrap();
    let named = lazy.with_index([("the user", user), ("all", lazy.root().unwrap())]).unwrap();
    assert_eq!(Lazy::new(&named).unwrap().entries().unwrap(), ["all", "the user"]);

    let find = |text: &str| named.windows(text.len()).position(|window| window == text.as_bytes()).unwrap();
    let (name, city) = (find("user 777"), find("city 2"));
    let mut damaged = named.clone();
    let end = find("user 999") + 8;
    for (at, byte) in damaged.iter_mut().enumerate().take(end).skip(find("user 0")) {
        if !(name..name + 8).contains(&at) && !(city..city + 6).contains(&at) {
            *byte = 0xFF;
        }
    }
    assert!(Marshal::decode(&damaged).is_err());
    for message in [named, damaged] {
        let read: Shared<User> = Marshal::read_from_index_with_classes(&message, "the user", &classes).unwrap();
        assert_eq!((read.name.as_str(), read.city.name.as_str()), ("user 777", "city 2"));
    }
}

#[test]
fn only_objects_of_the_message_are_named() {
    let mut graph = Graph::new();
    let numbers = graph.typed_array(&[1u8, 2, 3]);
    graph.set_root(numbers);
    let buffer = graph.root().view().unwrap().buffer().value();
    let base = graph.array([]);
    let derived = graph.derived("Stack", 0, base, [("top", numbers)]).unwrap();
    let root = graph.array([Value::from(1), numbers, derived]);
    graph.set_root(root);
    let bytes = Marshal::encode(&graph).unwrap();
    let (lazy, other) = (Lazy::new(&bytes).unwrap(), Lazy::new(bytes.clone()).unwrap());
    let root = lazy.root().unwrap();
    let refused = |cursor| lazy.with_index([("a", cursor)]).unwrap_err().kind();
    assert_eq!(refused(root.at(0).unwrap()), ErrorKind::UnknownValue);
    assert_eq!(refused(other.root().unwrap()), ErrorKind::UnknownValue);
    assert_eq!(refused(root.at(2).unwrap().base().unwrap()), ErrorKind::SharedBase);
    assert_eq!(lazy.with_index([("a", root), ("a", root)]).unwrap_err().kind(), ErrorKind::DuplicateKey);

    // The buffer of a typed array has the typed array's place and is another object.
    let entries = EncodeOptions::new().entry("buffer", buffer).entry("numbers", numbers);
    let bytes = Marshal::encode_with(&graph, &entries).unwrap();
    let lazy = Lazy::new(&bytes).unwrap();
    assert_eq!(lazy.entry("buffer").unwrap().kind(), Kind::ArrayBuffer);
    assert_eq!(lazy.entry("numbers").unwrap().kind(), Kind::TypedArray);
    let buffer = Marshal::read_from_index(&bytes, "buffer").unwrap();
    assert_eq!(buffer.root().buffer().unwrap().bytes(), [1, 2, 3]);
}

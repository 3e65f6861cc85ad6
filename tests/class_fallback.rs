//! Instances of classes that are not registered, where a trait object is expected.

use std::cell::RefCell;

use marshal::class::Data;
use marshal::{Class, Classes, ErrorKind, Marshal, Shared, class_trait, js};

#[class_trait]
trait Animal {
    fn says(&self) -> String;
}

#[derive(Class)]
struct Dog {
    name: String,
    friend: RefCell<Option<Shared<dyn Animal>>>,
}

impl Animal for Dog {
    fn says(&self) -> String {
        format!("{}: woof", self.name)
    }
}

/// What is known of an animal of another program.
#[derive(Class)]
struct Stranger {
    class: String,
    data: Data,
}

impl Animal for Stranger {
    fn says(&self) -> String {
        format!("{}?", self.class)
    }
}

fn stranger(data: Data) -> Result<Stranger, &'static str> {
    let class = data.root().class().map(|class| class.name().to_string()).ok_or("no instance")?;
    if class == "Wolf" { Err("no wolves") } else { Ok(Stranger { class, data }) }
}

fn strangers() -> Classes {
    Classes::new().with_trait::<Dog, dyn Animal>().with_fallback::<Stranger, dyn Animal, _>(stranger)
}

#[test]
fn an_unknown_class_is_an_error_without_a_fallback() {
    let bytes = Marshal::encode(&js!([Dog { name: "Rex", friend: null }, Okapi { age: 3 }])).unwrap();
    let classes = Classes::new().with_trait::<Dog, dyn Animal>();
    let shared = Marshal::decode_with_classes::<Vec<Shared<dyn Animal>>>(&bytes, &classes).err().unwrap();
    let boxed = Marshal::decode_with_classes::<Vec<Box<dyn Animal>>>(&bytes, &classes).err().unwrap();
    for error in [shared, boxed] {
        assert_eq!((error.kind(), error.path()), (ErrorKind::UnknownClass, Some("$[1]")), "{error}");
        assert!(error.to_string().contains("Okapi is not registered as a dyn Animal"), "{error}");
    }
}

#[test]
fn the_fallback_makes_the_trait_object() {
    let bytes = Marshal::encode(&js!([Dog { name: "Rex", friend: null }, Okapi { age: 3, tags: ["x"] }])).unwrap();
    let classes = strangers();
    let shared: Vec<Shared<dyn Animal>> = Marshal::decode_with_classes(&bytes, &classes).unwrap();
    assert_eq!(shared.iter().map(|animal| animal.says()).collect::<Vec<_>>(), ["Rex: woof", "Okapi?"]);
    let boxed: Vec<Box<dyn Animal>> = Marshal::decode_with_classes(&bytes, &classes).unwrap();
    assert_eq!(boxed.iter().map(|animal| animal.says()).collect::<Vec<_>>(), ["Rex: woof", "Okapi?"]);
    // What was made of it is a class of this program, which goes both ways.
    let (again, used) = Marshal::encode_with_classes(&boxed).unwrap();
    let shown = r#"[Dog {name: "Rex", friend: null}, Stranger {class: "Okapi", data: Okapi {age: 3, tags: ["x"]}}]"#;
    assert_eq!(Marshal::decode(&again).unwrap().to_string(), shown);
    let boxed: Vec<Box<dyn Animal>> = Marshal::decode_with_classes(&again, &used).unwrap();
    assert_eq!(boxed[1].says(), "Okapi?");
}

#[test]
fn one_object_is_one_stranger_and_cycles_are_kept_as_data() {
    let mut graph = marshal::Graph::new();
    let name = graph.string("Rex");
    let okapi = graph.instance("Okapi", 1, [("age", marshal::Value::from(3.0))]).unwrap();
    graph.set(okapi, "itself", okapi).unwrap();
    let dog = graph.instance("Dog", 0, [("name", name), ("friend", okapi)]).unwrap();
    let all = graph.array([dog, okapi, dog, okapi]);
    graph.set_root(all);
    let bytes = Marshal::encode(&graph).unwrap();
    let all: Vec<Shared<dyn Animal>> = Marshal::decode_with_classes(&bytes, &strangers()).unwrap();
    assert_eq!(
        all.iter().map(|animal| animal.says()).collect::<Vec<_>>(),
        ["Rex: woof", "Okapi?", "Rex: woof", "Okapi?"]
    );
    assert_eq!((&all[0], &all[1]), (&all[2], &all[3]));
    // One in the vector at each of two places, one in the dog.
    assert_eq!(Shared::strong_count(&all[1]), 3);
    let copy = Marshal::deep_clone(&all).unwrap();
    assert_eq!(copy[1], copy[3]);
    assert_ne!(copy[1], all[1]);
}

#[test]
fn what_was_passed_over_is_a_stranger_too() {
    // `friend` comes before `name` in the message, so the dog is read out of turn.
    let bytes = Marshal::encode(&js!([Dog { friend: Okapi {}, name: "Rex" }])).unwrap();
    let all: Vec<Box<dyn Animal>> = Marshal::decode_with_classes(&bytes, &strangers()).unwrap();
    let (again, _) = Marshal::encode_with_classes(&all).unwrap();
    let shown = r#"[Dog {name: "Rex", friend: Stranger {class: "Okapi", data: Okapi {}}}]"#;
    assert_eq!(Marshal::decode(&again).unwrap().to_string(), shown);
}

#[test]
fn only_an_unknown_class_reaches_the_fallback() {
    let classes = strangers().with::<Plain>();
    for (graph, kind) in [
        // Registered, and no animal.
        (js!([Plain { x: 1 }]), ErrorKind::WrongType),
        // No instances.
        (js!([{ x: 1 }]), ErrorKind::UnknownClass),
        (js!([5]), ErrorKind::WrongType),
        (js!([null]), ErrorKind::WrongType),
        // What the fallback says.
        (js!([Wolf {}]), ErrorKind::Refused),
        // Refused before anything is read.
        (js!([Dog { name: 5, friend: null }]), ErrorKind::WrongType),
    ] {
        let bytes = Marshal::encode(&graph).unwrap();
        let shared = Marshal::decode_with_classes::<Vec<Shared<dyn Animal>>>(&bytes, &classes).err().unwrap();
        let boxed = Marshal::decode_with_classes::<Vec<Box<dyn Animal>>>(&bytes, &classes).err().unwrap();
        assert_eq!((shared.kind(), boxed.kind()), (kind, kind), "{graph}: {shared} / {boxed}");
        assert!(shared.path().is_some_and(|path| path.starts_with("$[0]")), "{shared}");
    }
    let bytes = Marshal::encode(&js!([Okapi {}])).unwrap();
    let classes = strangers().refuse_unknown_classes();
    let error = Marshal::decode_with_classes::<Vec<Shared<dyn Animal>>>(&bytes, &classes).err().unwrap();
    assert_eq!(error.kind(), ErrorKind::UnknownClass);
}

#[derive(Class)]
struct Plain {
    x: u32,
}

//! Classes: cloning objects against encoding and decoding them, which would give a copy too: `cargo bench --bench class`.

use std::cell::RefCell;

use divan::{Bencher, black_box};
use marshal::{Class, Marshal, Shared, Weak};
use marshal_bench_data::graph::{self, Scalar};

fn main() {
    divan::main();
}

#[derive(Class)]
struct Thing {
    kind: u8,
    texts: Vec<String>,
    numbers: Vec<f64>,
    edges: RefCell<Vec<Weak<Thing>>>,
    owned: RefCell<Option<Shared<Thing>>>,
}

/// The objects of the data set `graph`: each is pointed at by others, and every second one owned by the one before.
fn things() -> Vec<Shared<Thing>> {
    let thing = |object: &graph::Object| {
        let text = |scalar: &Scalar| if let Scalar::Text(text) = scalar { Some(text.clone()) } else { None };
        let number = |scalar: &Scalar| match *scalar {
            Scalar::Integer(integer) => Some(f64::from(integer)),
            Scalar::Float(float) => Some(float),
            _ => None,
        };
        Shared::new(Thing {
            kind: object.class as u8,
            texts: object.fields.iter().filter_map(text).collect(),
            numbers: object.fields.iter().filter_map(number).collect(),
            edges: RefCell::default(),
            owned: RefCell::default(),
        })
    };
    let graph = graph::generate(1);
    let things: Vec<_> = graph.objects.iter().map(thing).collect();
    for (index, object) in graph.objects.iter().enumerate() {
        let edges = object.edges.iter().chain(&object.links);
        *things[index].edges.borrow_mut() = edges.map(|&target| Shared::downgrade(&things[target])).collect();
        if index % 2 == 0 {
            *things[index].owned.borrow_mut() = things.get(index + 1).cloned();
        }
    }
    things
}

#[divan::bench]
fn deep_clone(bencher: Bencher) {
    let things = things();
    bencher.bench_local(|| Marshal::deep_clone(black_box(&things)));
}

#[divan::bench]
fn encode_and_decode(bencher: Bencher) {
    let things = things();
    bencher.bench_local(|| {
        let (bytes, classes) = Marshal::encode_with_classes(black_box(&things)).expect("a message");
        Marshal::decode_with_classes::<Vec<Shared<Thing>>>(&bytes, &classes)
    });
}

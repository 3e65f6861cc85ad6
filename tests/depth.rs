//! Values of any depth, on a small stack.

mod forge;

use std::fmt::Write;

use forge::{Message, shapes_section};
use marshal::{DecodeOptions, EncodeOptions, ErrorConstructor, ErrorKind, Graph, Marshal, Value};

/// A quarter of what the smallest main threads have.
const STACK: usize = 256 * 1024;

fn on_a_small_stack(test: impl FnOnce() + Send + 'static) {
    std::thread::Builder::new().stack_size(STACK).spawn(test).unwrap().join().unwrap();
}

/// Counts characters instead of keeping them.
struct Sink(usize);

impl Write for Sink {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        self.0 += text.len();
        Ok(())
    }
}

/// What can be done with a graph, and what it is as a message.
fn all_that_can_be_done(graph: &Graph<'_>) -> Vec<u8> {
    let mut printed = Sink(0);
    write!(printed, "{graph}").unwrap();
    assert!(printed.0 > graph.node_count());
    assert!(format!("{graph:?}").len() < 4096);
    assert!(graph.print().depth(3).pretty(true).to_string().len() < 1024);

    let bytes = Marshal::encode(graph).unwrap();
    Marshal::check(&bytes).unwrap();
    let decoded = Marshal::decode(&bytes).unwrap();
    assert!(decoded == *graph);
    drop(Marshal::deep_clone(&decoded));
    let imported = decoded.root().to_graph();
    assert!(imported == decoded);
    drop(imported);

    // A deep fault, found, explained and placed.
    let error = Marshal::check(&bytes[..bytes.len() - 1]).unwrap_err();
    assert!(error.is_truncated());
    let limit = DecodeOptions::new().max_depth(graph.node_count() / 2);
    let error = Marshal::decode_with(&bytes, &limit).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::LimitExceeded);
    assert!(error.path().is_some_and(|path| path.len() < 4096));
    bytes
}

#[test]
fn ten_million_arrays_in_one_another() {
    const DEPTH: usize = 10_000_000;
    on_a_small_stack(|| {
        let mut graph = Graph::new();
        let mut inner = Value::NULL;
        for _ in 0..DEPTH {
            inner = graph.array([inner]);
        }
        graph.set_root(inner);
        let bytes = all_that_can_be_done(&graph);
        assert_eq!(bytes.len(), 4 + 4 + DEPTH + 1);
    });
}

const DEPTH: usize = 1_000_000;

fn nested(wrap: impl Fn(&mut Graph<'static>, Value) -> Value + Send + 'static) {
    on_a_small_stack(move || {
        let mut graph = Graph::new();
        let mut inner = Value::NULL;
        for _ in 0..DEPTH {
            inner = wrap(&mut graph, inner);
        }
        graph.set_root(inner);
        all_that_can_be_done(&graph);
        let interned = Marshal::encode_with(&graph, &EncodeOptions::new().intern_strings(true)).unwrap();
        assert!(Marshal::decode(&interned).unwrap() == graph);
    });
}

#[test]
fn a_million_objects() {
    nested(|graph, inner| graph.object([("a", inner)]));
}

#[test]
fn a_million_maps_by_value() {
    nested(|graph, inner| graph.map([(Value::NULL, inner)]));
}

#[test]
fn a_million_maps_by_key() {
    nested(|graph, inner| graph.map([(inner, Value::NULL)]));
}

#[test]
fn a_million_sets() {
    nested(|graph, inner| graph.set_of([inner]));
}

#[test]
fn a_million_sparse_arrays() {
    nested(|graph, inner| graph.sparse_array(9, [(3, inner)]).unwrap());
}

#[test]
fn a_million_custom_values() {
    nested(|graph, inner| graph.custom("C", 0, inner).unwrap());
}

#[test]
fn a_million_derived_instances_by_base() {
    nested(|graph, inner| {
        let base = graph.array([inner]);
        graph.derived("D", 0, base, [("f", Value::NULL)]).unwrap()
    });
}

#[test]
fn a_million_derived_instances_by_field() {
    nested(|graph, inner| {
        let base = graph.set_of([]);
        graph.derived("D", 0, base, [("f", inner)]).unwrap()
    });
}

#[test]
fn a_million_causes() {
    nested(|graph, inner| graph.error(ErrorConstructor::TypeError, [("cause", inner)]));
}

#[test]
fn a_million_extra_properties() {
    nested(|graph, inner| {
        let array = graph.array([]);
        graph.set(array, "extra", inner).unwrap();
        array
    });
}

/// Wrappers hold primitives and bases are no instances, so such chains are refused at their second link.
#[test]
fn wrappers_do_not_nest() {
    on_a_small_stack(|| {
        let boxed = Message::of([vec![0xDB; DEPTH], vec![0]].concat()).build();
        assert_eq!(Marshal::decode(&boxed).unwrap_err().kind(), ErrorKind::WrongType);
        let derived = [3, 1 << 2, b'D', 0, 0].to_vec();
        let chain = Message::of(vec![0xA0; DEPTH]).shapes(shapes_section(&[derived])).build();
        assert_eq!(Marshal::decode(&chain).unwrap_err().kind(), ErrorKind::WrongType);
    });
}

/// Each array holds the one before twice: 2⁴⁰ leaves when walked as a tree.
#[test]
fn doubling_through_references_is_walked_once() {
    on_a_small_stack(|| {
        let mut graph = Graph::new();
        let mut inner = graph.array([]);
        for _ in 0..40 {
            inner = graph.array([inner, inner]);
        }
        graph.set_root(inner);
        let bytes = Marshal::encode(&graph).unwrap();
        let decoded = Marshal::decode(&bytes).unwrap();
        assert_eq!(decoded, graph);
        assert_eq!(decoded.root().to_graph().to_string(), graph.to_string());
    });
}

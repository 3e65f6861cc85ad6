//! Laws that hold of every graph: encoding, decoding, copying, comparing and printing.

mod arbitrary;

use arbitrary::{Recipe, laws};
use marshal::{Cursor, ErrorKind, Graph, Marshal, Value};
use quickcheck::{Arbitrary, Gen, QuickCheck, TestResult};

fn check(tests: u64, law: impl quickcheck::Testable) {
    QuickCheck::new().tests(tests).max_tests(10 * tests).quickcheck(law);
}

#[test]
fn graphs_obey_the_laws() {
    fn law(recipe: Recipe) {
        laws::of_graph(&recipe.build());
    }
    check(2_000, law as fn(Recipe));
}

#[test]
fn graphs_are_equal_exactly_where_their_messages_are() {
    fn law(recipe: Recipe, other: Recipe, drop: usize) {
        let mut variant = recipe.clone();
        if !variant.ops.is_empty() {
            variant.ops.remove(drop % recipe.ops.len());
        }
        let graphs = [recipe.build(), variant.build(), other.build()];
        let messages = graphs.each_ref().map(|graph| Marshal::encode(graph).unwrap());
        for (i, a) in graphs.iter().enumerate() {
            for (j, b) in graphs.iter().enumerate() {
                assert_eq!(a == b, messages[i] == messages[j], "{a}\n{b}");
                assert_eq!(a == b, b == a);
                assert!(a != b || a.to_string() == b.to_string());
            }
        }
    }
    check(1_000, law as fn(Recipe, Recipe, usize));
}

#[test]
fn check_agrees_with_decode_on_damaged_messages() {
    fn law(recipe: Recipe, damages: Vec<Damage>) {
        let mut bytes = Marshal::encode(&recipe.build()).unwrap();
        for damage in damages.iter().take(4) {
            damage.apply(&mut bytes);
        }
        laws::of_bytes(&bytes);
    }
    check(5_000, law as fn(Recipe, Vec<Damage>));
}

/// What happens to bytes on their way.
#[derive(Debug, Clone)]
enum Damage {
    Flip(usize, u8),
    Set(usize, u8),
    Insert(usize, u8),
    Delete(usize, u8),
    Truncate(usize),
    /// Copies a stretch over another.
    Repeat(usize, usize, u8),
}

impl Arbitrary for Damage {
    fn arbitrary(g: &mut Gen) -> Self {
        let at = usize::arbitrary(g);
        match u8::arbitrary(g) % 8 {
            0 | 1 => Damage::Flip(at, u8::arbitrary(g)),
            2 | 3 => Damage::Set(at, u8::arbitrary(g)),
            4 => Damage::Insert(at, u8::arbitrary(g)),
            5 => Damage::Delete(at, u8::arbitrary(g)),
            6 => Damage::Truncate(at),
            _ => Damage::Repeat(at, usize::arbitrary(g), u8::arbitrary(g)),
        }
    }
}

impl Damage {
    fn apply(&self, bytes: &mut Vec<u8>) {
        if bytes.is_empty() {
            return;
        }
        let len = bytes.len();
        match *self {
            Damage::Flip(at, bit) => bytes[at % len] ^= 1 << (bit % 8),
            Damage::Set(at, byte) => bytes[at % len] = byte,
            Damage::Insert(at, byte) => bytes.insert(at % len, byte),
            Damage::Delete(at, n) => drop(bytes.drain(at % len..(at % len + usize::from(n % 4) + 1).min(len))),
            Damage::Truncate(at) => bytes.truncate(at % len),
            Damage::Repeat(from, to, n) => {
                let (from, to) = (from % len, to % len);
                let n = usize::from(n % 8).min(len - from).min(len - to);
                bytes.copy_within(from..from + n, to);
            }
        }
    }
}

#[test]
fn messages_cut_anywhere_are_truncated() {
    fn law(recipe: Recipe, at: usize) {
        let bytes = Marshal::encode(&recipe.build()).unwrap();
        let cut = &bytes[..at % bytes.len()];
        let error = Marshal::decode(cut).unwrap_err();
        assert!(error.is_truncated(), "{error}");
        laws::of_bytes(cut);
    }
    check(2_000, law as fn(Recipe, usize));
}

/// Changes something that the root reaches, if there is something to change.
fn change(graph: &mut Graph<'_>) -> bool {
    let root = graph.root();
    let value = root.value();
    let changed = match root.kind() {
        marshal::Kind::Array => graph.push(value, Value::from("changed".len() as u8)),
        marshal::Kind::Map => graph.map_set(value, Value::from(12345.25), Value::NULL),
        marshal::Kind::Set => graph.set_add(value, Value::from(12345.25)),
        marshal::Kind::Date => {
            let now = root.date().unwrap();
            graph.set_date(value, if now == 7.0 { 8.0 } else { 7.0 })
        }
        _ => graph.set(value, "changed", Value::from(12345.25)),
    };
    changed.is_ok()
}

#[test]
fn a_clone_and_its_original_change_apart() {
    fn law(recipe: Recipe) -> TestResult {
        let original = recipe.build();
        let bytes = Marshal::encode(&original).unwrap();
        let mut changed = Marshal::deep_clone(&original);
        if !change(&mut changed) {
            return TestResult::discard();
        }
        assert_ne!(changed, original);
        assert_eq!(Marshal::encode(&original).unwrap(), bytes);

        // The other way round, and from a graph that borrows.
        let mut borrowing = Marshal::decode(&bytes).unwrap();
        let copies = [Marshal::deep_clone(&borrowing), borrowing.root().to_graph(), borrowing.clone().into_owned()];
        assert!(change(&mut borrowing));
        assert_eq!(borrowing, changed);
        for copy in copies {
            assert_eq!(copy, original);
        }
        laws::of_graph(&borrowing);
        TestResult::passed()
    }
    check(1_000, law as fn(Recipe) -> TestResult);
}

#[test]
fn buffers_of_clones_are_written_apart() {
    fn law(recipe: Recipe) -> TestResult {
        let bytes = Marshal::encode(&recipe.build()).unwrap();
        let original = Marshal::decode(&bytes).unwrap();
        let mut changed = original.clone();
        let is_buffer = |value: &Cursor<'_>| value.buffer().is_some_and(|buffer| !buffer.bytes().is_empty());
        let Some(buffer) = elements(&changed).find(is_buffer).map(Cursor::value) else {
            return TestResult::discard();
        };
        changed.buffer_mut(buffer).unwrap()[0] ^= 1;
        assert_ne!(changed, original);
        assert_eq!(Marshal::encode(&original).unwrap(), bytes);
        laws::of_graph(&changed);
        TestResult::passed()
    }
    check(200, law as fn(Recipe) -> TestResult);
}

#[test]
fn equality_is_an_equivalence_over_construction_order() {
    // The same value, its parts built in another order, with values around that nothing reaches.
    let forward = {
        let mut g = Graph::new();
        let a = g.string("a");
        let shared = g.array([a]);
        let map = g.map([(shared, a)]);
        let root = g.object([("x", shared), ("y", map)]);
        g.set_root(root);
        g
    };
    let backward = {
        let mut g = Graph::new();
        let root = g.object([("x", Value::NULL), ("y", Value::NULL)]);
        let map = g.map([]);
        g.string("unreached");
        let shared = g.array([]);
        let a = g.string("a");
        g.object([("unreached", a)]);
        g.push(shared, a).unwrap();
        let other_a = g.string("a");
        g.map_set(map, shared, other_a).unwrap();
        g.set(root, "y", map).unwrap();
        g.set(root, "x", shared).unwrap();
        g.set_root(root);
        g
    };
    let imported = backward.root().to_graph();
    assert_eq!(forward, backward);
    assert_eq!(backward, imported);
    assert_eq!(forward, imported);
    assert_eq!(Marshal::encode(&forward), Marshal::encode(&backward));
}

#[test]
fn sharing_and_copies_are_told_apart() {
    let one = |shared: bool| {
        let mut g = Graph::new();
        let first = g.array([]);
        let second = if shared { first } else { g.array([]) };
        let root = g.array([first, second]);
        g.set_root(root);
        g
    };
    assert_ne!(one(true), one(false));
    assert_ne!(Marshal::encode(&one(true)), Marshal::encode(&one(false)));
}

/// The elements of the root. An array that is mostly holes may say that it has four billion.
fn elements<'g>(graph: &'g Graph<'g>) -> impl Iterator<Item = Cursor<'g>> {
    graph.root().iter().take(10_000).flatten()
}

#[test]
fn a_handle_of_another_graph_never_panics_and_never_makes_a_torn_message() {
    fn law(recipe: Recipe, other: Recipe) -> TestResult {
        let donor = recipe.build();
        let elements = elements(&donor).map(Cursor::value);
        let foreign: Vec<Value> = elements.chain(donor.root().properties().map(|p| p.value().value())).collect();
        if foreign.is_empty() {
            return TestResult::discard();
        }
        let mut graph = other.build();
        let root = graph.array(foreign);
        graph.set_root(root);
        let _ = (graph.to_string(), format!("{graph:?}"), graph.root().to_graph() == graph);
        match Marshal::encode(&graph).map_err(|error| error.kind()) {
            // A foreign string can cut a character of this graph's, or be equal to a key beside it. All else is sound.
            Ok(bytes) => match Marshal::decode(&bytes).map_err(|error| error.kind()) {
                Ok(_) | Err(ErrorKind::SplitCharacter | ErrorKind::DuplicateKey) => {}
                Err(kind) => panic!("{kind} in what was encoded of {graph:?}"),
            },
            Err(ErrorKind::UnknownValue | ErrorKind::SharedBase | ErrorKind::WrongType) => {}
            Err(kind) => panic!("{kind} for a foreign handle"),
        }
        TestResult::passed()
    }
    check(1_000, law as fn(Recipe, Recipe) -> TestResult);
}

#[test]
fn recipes_reach_every_kind() {
    let mut seen = std::collections::BTreeSet::new();
    let mut source = Gen::new(100);
    for _ in 0..500 {
        let recipe = Recipe::arbitrary(&mut source);
        seen.extend(elements(&recipe.build()).map(Cursor::kind));
        for smaller in recipe.shrink().step_by(7).take(3) {
            assert!(Marshal::encode(&smaller.build()).is_ok());
        }
    }
    assert_eq!(seen.len(), 21, "{seen:?}");
}

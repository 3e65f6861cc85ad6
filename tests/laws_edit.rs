//! Changing a graph, against models that are lists.

mod arbitrary;

use arbitrary::laws;
use marshal::{Cursor, ErrorKind, Graph, Value};
use quickcheck::{Arbitrary, Gen, QuickCheck};

/// A value that is told apart by its number.
fn number(n: u8) -> Value {
    Value::from(n)
}

const KEYS: [&str; 12] =
    ["a", "b", "", "__proto__", "length", "7", "0", "10", "4294967294", "4294967295", "01", "constructor"];

/// What an own property's key is as an array index.
fn array_index(key: &str) -> Option<u32> {
    key.parse::<u32>().ok().filter(|&index| index != u32::MAX && index.to_string() == key)
}

// Objects.

#[derive(Debug, Clone)]
enum ObjectChange {
    Set(usize, u8),
    Remove(usize),
}

impl Arbitrary for ObjectChange {
    fn arbitrary(g: &mut Gen) -> Self {
        let key = usize::arbitrary(g);
        if u8::arbitrary(g) % 3 == 0 { ObjectChange::Remove(key) } else { ObjectChange::Set(key, u8::arbitrary(g)) }
    }
}

/// An object as a list: array indices ascending, then other keys in the order in which they were added.
#[derive(Default)]
struct ObjectModel(Vec<(String, u8)>);

impl ObjectModel {
    fn set(&mut self, key: &str, value: u8) {
        match self.0.iter_mut().find(|(own, _)| own == key) {
            Some(property) => property.1 = value,
            None => self.0.push((key.to_owned(), value)),
        }
        self.0.sort_by_key(|(key, _)| array_index(key).map_or((1, 0), |index| (0, index)));
    }

    fn remove(&mut self, key: &str) -> bool {
        let before = self.0.len();
        self.0.retain(|(own, _)| own != key);
        self.0.len() < before
    }
}

fn properties(object: Cursor<'_>) -> Vec<(String, u8)> {
    let property = |p: marshal::Property<'_>| (p.name().unwrap().to_string(), p.value().as_f64().unwrap() as u8);
    object.properties().map(property).collect()
}

#[test]
fn objects_change_like_lists() {
    fn law(form: u8, changes: Vec<ObjectChange>) {
        let mut graph = Graph::new();
        // So many properties before that there is a shape, the last one that may be, or a dictionary.
        let before = [0, 1, 254, 257][usize::from(form % 4)];
        let first: Vec<(String, Value)> = (0..before).map(|i| (format!("k{i}"), number(1))).collect();
        let mut model = ObjectModel(first.iter().map(|(key, _)| (key.clone(), 1)).collect());
        let target = match form / 4 % 4 {
            0 => graph.object(first),
            1 => graph.null_object(first),
            2 => graph.instance("C", 0, first).unwrap(),
            _ => {
                let base = graph.array([]);
                graph.derived("D", 0, base, first).unwrap()
            }
        };
        // One of the same shape, which must not change.
        let twin = graph.array([target]);
        let copied = graph.clone().cursor(twin).to_graph();
        graph.set_root(target);
        for change in &changes {
            match *change {
                ObjectChange::Set(key, value) => {
                    let key = KEYS[key % KEYS.len()];
                    model.set(key, value);
                    graph.set(target, key, number(value)).unwrap();
                }
                ObjectChange::Remove(key) => {
                    let key = KEYS[key % KEYS.len()];
                    assert_eq!(graph.remove(target, key).unwrap(), model.remove(key));
                }
            }
            assert_eq!(graph.root().len(), model.0.len());
        }
        assert_eq!(properties(graph.root()), model.0);
        for (key, value) in &model.0 {
            assert_eq!(graph.root().get(key).and_then(Cursor::as_f64), Some(f64::from(*value)));
        }
        laws::of_graph(&graph);
        laws::of_graph(&copied);
    }
    QuickCheck::new().tests(600).quickcheck(law as fn(u8, Vec<ObjectChange>));
}

// Arrays.

#[derive(Debug, Clone)]
enum ArrayChange {
    Push(u8),
    SetAt(u8, u8),
    Remove(u8),
    SetLength(u8),
    SetExtra(usize, u8),
    RemoveExtra(usize),
}

impl Arbitrary for ArrayChange {
    fn arbitrary(g: &mut Gen) -> Self {
        let (a, b) = (u8::arbitrary(g), u8::arbitrary(g));
        match u8::arbitrary(g) % 8 {
            0 | 1 => ArrayChange::Push(a),
            2 | 3 => ArrayChange::SetAt(a % 24, b),
            4 => ArrayChange::Remove(a % 24),
            5 => ArrayChange::SetLength(a % 24),
            6 => ArrayChange::SetExtra(usize::from(a), b),
            _ => ArrayChange::RemoveExtra(usize::from(a)),
        }
    }
}

#[test]
fn arrays_change_like_lists() {
    fn law(form: u8, changes: Vec<ArrayChange>) {
        let mut graph = Graph::new();
        let (target, mut elements) = match form % 4 {
            0 => (graph.array([]), vec![]),
            1 => (graph.numbers(&[1u8; 10]).unwrap(), vec![Some(1); 10]),
            2 => (graph.array([number(1); 3]), vec![Some(1); 3]),
            _ => {
                let sparse = graph.sparse_array(4, [(1, number(1))]).unwrap();
                (sparse, vec![None, Some(1), None, None])
            }
        };
        let mut extra = ObjectModel::default();
        graph.set_root(target);
        for change in &changes {
            match *change {
                ArrayChange::Push(value) => {
                    elements.push(Some(value));
                    graph.push(target, number(value)).unwrap();
                }
                ArrayChange::SetAt(index, value) => {
                    let place = usize::from(index);
                    if place >= elements.len() {
                        elements.resize(place + 1, None);
                    }
                    elements[place] = Some(value);
                    if value % 2 == 0 {
                        graph.set_at(target, u32::from(index), number(value)).unwrap();
                    } else {
                        graph.set(target, index.to_string(), number(value)).unwrap();
                    }
                }
                ArrayChange::Remove(index) => {
                    let was_there = elements.get_mut(usize::from(index)).and_then(Option::take).is_some();
                    assert_eq!(graph.remove(target, index.to_string()).unwrap(), was_there);
                }
                ArrayChange::SetLength(length) => {
                    elements.resize(usize::from(length), None);
                    graph.set_length(target, u32::from(length)).unwrap();
                }
                ArrayChange::SetExtra(key, value) => {
                    let key = ["a", "b", "", "01", "4294967295"][key % 5];
                    extra.set(key, value);
                    graph.set(target, key, number(value)).unwrap();
                }
                ArrayChange::RemoveExtra(key) => {
                    let key = ["a", "b", "", "01", "4294967295"][key % 5];
                    assert_eq!(graph.remove(target, key).unwrap(), extra.remove(key));
                }
            }
            let read: Vec<Option<u8>> =
                graph.root().iter().map(|element| element.map(|e| e.as_f64().unwrap() as u8)).collect();
            assert_eq!(read, elements, "after {change:?}");
            assert_eq!(properties(graph.root()), extra.0, "after {change:?}");
        }
        assert_eq!(graph.set(target, "length", number(0)).unwrap_err().kind(), ErrorKind::BadKey);
        laws::of_graph(&graph);
    }
    QuickCheck::new().tests(1_500).quickcheck(law as fn(u8, Vec<ArrayChange>));
}

#[test]
fn arrays_as_long_as_may_be() {
    let mut graph = Graph::new();
    let array = graph.array([]);
    graph.set_root(array);
    graph.set_at(array, u32::MAX - 1, number(1)).unwrap();
    assert_eq!(graph.root().len(), u32::MAX as usize);
    assert_eq!(graph.push(array, number(1)).unwrap_err().kind(), ErrorKind::BadArray);
    assert_eq!(graph.set_at(array, u32::MAX, number(1)).unwrap_err().kind(), ErrorKind::BadArray);
    laws::of_graph(&graph);
    graph.set_length(array, u32::MAX - 1).unwrap();
    assert_eq!(graph.to_string(), "[<4294967294 empty>]");
}

// Maps and Sets.

#[derive(Debug, Clone)]
enum EntryChange {
    Set(u8, u8),
    Delete(u8),
}

impl Arbitrary for EntryChange {
    fn arbitrary(g: &mut Gen) -> Self {
        let key = u8::arbitrary(g);
        if u8::arbitrary(g) % 3 == 0 { EntryChange::Delete(key) } else { EntryChange::Set(key, u8::arbitrary(g)) }
    }
}

/// Keys of a Map, in groups that are one key under SameValueZero.
fn entry_keys(graph: &mut Graph<'_>) -> Vec<Vec<Value>> {
    let symbol = graph.symbol();
    vec![
        vec![number(0), Value::from(-0.0)],
        vec![Value::from(f64::NAN), Value::from(-f64::NAN)],
        vec![graph.string("text"), graph.string("text")],
        vec![graph.string_utf16(&[0xD800]), graph.string_utf16(&[0xD800])],
        vec![graph.bigint(5), graph.bigint(5)],
        vec![graph.bigint(-5)],
        vec![symbol.into(), symbol.into()],
        vec![graph.array([])],
        vec![graph.array([])],
        vec![Value::NULL],
        vec![Value::UNDEFINED],
        vec![Value::TRUE],
        vec![number(5)],
    ]
}

#[test]
fn maps_and_sets_change_like_lists() {
    fn law(changes: Vec<EntryChange>) {
        let mut graph = Graph::new();
        let keys = entry_keys(&mut graph);
        let (map, set) = (graph.map([]), graph.set_of([]));
        let root = graph.array([map, set]);
        graph.set_root(root);
        let mut model: Vec<(usize, u8)> = Vec::new();
        for change in &changes {
            match *change {
                EntryChange::Set(key, value) => {
                    let group = usize::from(key) % keys.len();
                    let key = keys[group][usize::from(value) % keys[group].len()];
                    match model.iter_mut().find(|(own, _)| *own == group) {
                        Some(entry) => entry.1 = value,
                        None => model.push((group, value)),
                    }
                    graph.map_set(map, key, number(value)).unwrap();
                    graph.set_add(set, key).unwrap();
                }
                EntryChange::Delete(key) => {
                    let group = usize::from(key) % keys.len();
                    let was_there = model.iter().any(|(own, _)| *own == group);
                    model.retain(|(own, _)| *own != group);
                    let key = *keys[group].last().unwrap();
                    assert_eq!(graph.map_delete(map, key).unwrap(), was_there);
                    assert_eq!(graph.set_delete(set, key).unwrap(), was_there);
                }
            }
        }
        let (map, set) = (graph.cursor(map), graph.cursor(set));
        assert_eq!((map.len(), set.len()), (model.len(), model.len()));
        let values: Vec<u8> = map.entries().map(|(_, value)| value.as_f64().unwrap() as u8).collect();
        assert_eq!(values, model.iter().map(|&(_, value)| value).collect::<Vec<_>>());
        for (group, all) in keys.iter().enumerate() {
            let entry = model.iter().find(|(own, _)| *own == group);
            // −0 is no key: it became 0.
            let first = all[0];
            assert_eq!(set.has(first), entry.is_some());
            assert_eq!(map.entry(first).and_then(Cursor::as_f64), entry.map(|&(_, value)| f64::from(value)));
        }
        laws::of_graph(&graph);
    }
    QuickCheck::new().tests(600).quickcheck(law as fn(Vec<EntryChange>));
}

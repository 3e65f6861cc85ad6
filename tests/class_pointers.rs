//! Every place that a value can be in: pointers, cells, tuples, arrays, built-ins; and what they must not be.

use std::borrow::Cow;
use std::cell::{Cell, OnceCell, RefCell};
use std::collections::{BTreeMap, HashMap};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;
use std::sync::{Arc, Mutex, RwLock};

use marshal::class::{Data, Date, Field, TypedArray};
use marshal::{Class, Classes, ErrorKind, Marshal, Shared, SyncShared, SyncWeak, Weak, js};

fn round<T: Field>(value: &T) -> T {
    let (bytes, classes) = Marshal::encode_with_classes(value).unwrap();
    let graph = Marshal::decode(&bytes).unwrap();
    assert_eq!(Marshal::encode(&graph).unwrap(), bytes, "{graph}");
    let back: T = Marshal::decode_with_classes(&bytes, &classes).unwrap();
    let copy = Marshal::deep_clone(value).unwrap();
    assert!(Marshal::deep_equal(value, &back).unwrap());
    assert!(Marshal::deep_equal(value, &copy).unwrap());
    back
}

fn shown<T: Field>(value: &T) -> String {
    Marshal::decode(&Marshal::encode_with_classes(value).unwrap().0).unwrap().to_string()
}

#[derive(Class)]
struct Worker {
    name: String,
    boss: Mutex<SyncWeak<Worker>>,
    team: RwLock<Vec<SyncShared<Worker>>>,
    peer: Mutex<Option<SyncShared<Worker>>>,
}

#[test]
fn cycles_through_sync_shared_and_sync_weak() {
    let worker = |name: &str| {
        SyncShared::new(Worker {
            name: name.into(),
            boss: Mutex::default(),
            team: RwLock::default(),
            peer: Mutex::default(),
        })
    };
    let boss = worker("boss");
    for name in ["a", "b", "c"] {
        let member = worker(name);
        *member.boss.lock().unwrap() = SyncShared::downgrade(&boss);
        boss.team.write().unwrap().push(member);
    }
    // A ring of strong pointers, as long as one can be without another object, and one through two.
    let (first, second) = (boss.team.read().unwrap()[0].clone(), boss.team.read().unwrap()[1].clone());
    *first.peer.lock().unwrap() = Some(second.clone());
    *second.peer.lock().unwrap() = Some(first.clone());
    let back = round(&boss);
    // On another thread, as nothing of it is of one.
    let names = std::thread::spawn(move || {
        let team = back.team.read().unwrap();
        for member in team.iter() {
            assert_eq!(member.boss.lock().unwrap().upgrade().as_ref(), Some(&back));
        }
        assert_eq!(team[0].peer.lock().unwrap().as_ref(), Some(&team[1]));
        assert_eq!(team[1].peer.lock().unwrap().as_ref(), Some(&team[0]));
        let names: Vec<String> = team.iter().map(|member| member.name.clone()).collect();
        // So that the ring is freed.
        team[0].peer.lock().unwrap().take();
        names
    });
    assert_eq!(names.join().unwrap(), ["a", "b", "c"]);
    first.peer.lock().unwrap().take();
}

#[derive(Class)]
struct Knows {
    myself: Weak<Knows>,
}

#[derive(Class)]
struct SyncKnows {
    myself: SyncWeak<SyncKnows>,
}

#[test]
fn objects_that_know_themselves() {
    let object = Shared::new_cyclic(|myself| Knows { myself: myself.clone() });
    let back = round(&object);
    assert_eq!(back.myself.upgrade(), Some(back.clone()));
    assert_eq!(Shared::strong_count(&back), 1);
    let object = SyncShared::new_cyclic(|myself| SyncKnows { myself: myself.clone() });
    let back = round(&object);
    assert_eq!(back.myself.upgrade(), Some(back.clone()));
    // Nobody else holds it.
    let alone = SyncShared::new(SyncKnows { myself: SyncShared::downgrade(&object) });
    let (bytes, classes) = Marshal::encode_with_classes(&alone).unwrap();
    let back: SyncShared<SyncKnows> = Marshal::decode_with_classes(&bytes, &classes).unwrap();
    assert!(back.myself.upgrade().is_none());
}

type Eight = (u8, i16, String, bool, (f64, f64), Option<u32>, [u8; 2], char);

#[derive(Class, Debug, PartialEq)]
struct Places {
    cow: Cow<'static, str>,
    owned: Cow<'static, str>,
    one: (u8,),
    eight: Eight,
    numbers: (f32, f32, f32, f32, f32, f32, f32, f32),
    none: [u8; 0],
    texts: [String; 2],
    nested: [[i32; 2]; 9],
    long: [u16; 40],
    cell: Cell<Option<i8>>,
    once: OnceCell<String>,
    empty: OnceCell<u32>,
    boxed: Box<(u8,)>,
}

#[test]
fn cow_tuples_arrays_and_cells() {
    let places = Places {
        cow: Cow::Borrowed("lent"),
        owned: Cow::Owned("x".repeat(100)),
        one: (1,),
        eight: (1, -300, "t".into(), false, (0.5, 2.0), None, [1, 2], 'ü'),
        numbers: (1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.5),
        none: [],
        texts: ["a".into(), String::new()],
        nested: [[1, -2]; 9],
        long: [7; 40],
        cell: Cell::new(Some(-1)),
        once: OnceCell::from("set".to_owned()),
        empty: OnceCell::new(),
        boxed: Box::new((9,)),
    };
    assert_eq!(round(&places), places);
}

#[derive(Class, Debug, PartialEq)]
struct BuiltIns {
    epoch: Date,
    last: Date,
    bytes: TypedArray<u8>,
    shorts: TypedArray<i16>,
    floats: TypedArray<f32>,
    big: TypedArray<u64>,
    none: TypedArray<f64>,
    data: Data,
}

#[test]
fn dates_typed_arrays_and_graphs() {
    let mut data = js!({ at: [3, 4], set: Set["k", Unknown { x: 1 }] });
    let root = data.root().value();
    data.set(root, "itself", root).unwrap();
    let value = BuiltIns {
        epoch: Date(0.0),
        last: Date(-8.64e15),
        bytes: TypedArray(vec![0, 255]),
        shorts: TypedArray(vec![i16::MIN, 5]),
        floats: TypedArray(vec![0.1, f32::MIN_POSITIVE]),
        big: TypedArray(vec![u64::MAX]),
        none: TypedArray(vec![]),
        data: Data(data),
    };
    assert_eq!(round(&value), value);
    // An invalid Date is one, and equal to no other as a number.
    let back = round(&(Date(f64::NAN), Date(1.5)));
    assert!(back.0.0.is_nan() && back.1.0.is_nan());
    // Bits of a NaN are kept where they are a typed array's.
    let odd = f64::from_bits(0x7FF8_0000_0000_1234);
    assert_eq!(round(&TypedArray(vec![odd])).0[0].to_bits(), odd.to_bits());
}

#[test]
fn the_same_object_through_every_counted_pointer() {
    let (rc, arc) = (Rc::new(vec![1u8]), Arc::new("t".to_owned()));
    let (rcs, arcs) = (vec![rc.clone(), rc.clone()], vec![arc.clone(), arc]);
    let back = round(&(rcs, arcs, BTreeMap::from([(1u8, rc)])));
    assert!(Rc::ptr_eq(&back.0[0], &back.0[1]) && Rc::ptr_eq(&back.0[0], &back.2[&1]));
    assert!(Arc::ptr_eq(&back.1[0], &back.1[1]));
    let table: HashMap<String, Shared<u8>> = (0..9).map(|i| (i.to_string(), Shared::new(i))).collect();
    assert!((0..9).all(|i| *round(&table)[&i.to_string()] == i));
}

#[derive(Class)]
struct Base {
    items: Vec<u32>,
}

/// A class that extends an array, and has a field that every array has.
#[derive(Class)]
struct Lengthy {
    #[class(base)]
    items: Vec<u32>,
    length: u32,
}

#[derive(Class)]
struct Indexed(#[class(base)] Vec<u32>, u32);

#[derive(Class, Debug, PartialEq)]
struct Renamed {
    #[class(base)]
    items: Vec<u32>,
    #[class(rename = "len")]
    length: u32,
}

/// A Map has no property of its own called `length`, nor a typed array.
#[derive(Class, Debug, PartialEq)]
struct LongMap {
    #[class(base)]
    items: BTreeMap<u32, u32>,
    length: u32,
}

#[derive(Class, Debug, PartialEq)]
struct Bytes {
    #[class(base)]
    items: TypedArray<u8>,
    length: u32,
}

#[derive(Class)]
struct Extended {
    #[class(base)]
    items: TypedArray<u8>,
    #[class(rename = "tail")]
    zero: u32,
}

#[test]
fn a_field_is_no_property_of_the_built_in_that_the_class_extends() {
    let lengthy = Marshal::encode_with_classes(&Lengthy { items: vec![1], length: 5 }).unwrap_err();
    let indexed = Marshal::encode_with_classes(&Indexed(vec![1], 5)).unwrap_err();
    let registered = Classes::new().register::<Lengthy>().unwrap_err();
    for (error, key) in [(lengthy, "length"), (indexed, "0"), (registered, "length")] {
        assert_eq!(error.kind(), ErrorKind::BadClass);
        assert!(error.to_string().contains(&format!("has a field {key}, which is the built-in's own")), "{error}");
    }
    let renamed = Renamed { items: vec![1, 2], length: 5 };
    assert_eq!(round(&renamed), renamed);
    assert_eq!(shown(&renamed), "Renamed([1, 2]) {len: 5}");
    let map = LongMap { items: BTreeMap::from([(1, 2)]), length: 5 };
    assert_eq!(round(&map), map);
    let bytes = Bytes { items: TypedArray(vec![1]), length: 5 };
    assert_eq!(round(&bytes), bytes);
    round(&Extended { items: TypedArray(vec![1]), zero: 1 });
    round(&Base { items: vec![1] });
    // A reader without types keeps such a field.
    let mut graph = marshal::Graph::new();
    let items = graph.array([marshal::Value::from(1.0)]);
    let odd = graph.derived("Lengthy", 0, items, [("length", marshal::Value::from(5.0))]).unwrap();
    graph.set_root(odd);
    let bytes = Marshal::encode(&graph).unwrap();
    assert_eq!(Marshal::decode(&bytes).unwrap(), graph);
}

#[test]
fn a_view_over_a_buffer_that_a_class_extends_has_no_form() {
    let mut graph = marshal::Graph::new();
    let buffer = graph.buffer(&[1, 2, 3]);
    let derived = graph.derived("Blob", 0, buffer, [("kind", marshal::Value::from(1.0))]).unwrap();
    let error = graph.view(marshal::ElementKind::Uint8, derived, 0, Some(3)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::WrongType);
}

#[derive(Class)]
#[class(restored = Fragile::check)]
struct Fragile {
    panics: bool,
    next: Option<Shared<Fragile>>,
    token: Shared<String>,
}

impl Fragile {
    fn check(&mut self) -> Result<(), String> {
        assert!(!self.panics, "the hook panics");
        Ok(())
    }
}

#[test]
fn a_hook_that_panics_leaves_nothing_behind() {
    let fragile = |panics, next| Shared::new(Fragile { panics, next, token: Shared::new("t".into()) });
    let chain = fragile(false, Some(fragile(true, Some(fragile(false, None)))));
    let (bytes, classes) = Marshal::encode_with_classes(&chain).unwrap();
    let decoded = catch_unwind(AssertUnwindSafe(|| Marshal::decode_with_classes::<Shared<Fragile>>(&bytes, &classes)));
    assert!(decoded.is_err());
    let cloned = catch_unwind(AssertUnwindSafe(|| Marshal::deep_clone(&chain)));
    assert!(cloned.is_err());
    // The original is as it was, and all goes on working.
    assert_eq!((Shared::strong_count(&chain), Shared::weak_count(&chain)), (1, 0));
    assert_eq!(Marshal::encode_with_classes(&chain).unwrap().0, bytes);
    let good = fragile(false, None);
    let (bytes, classes) = Marshal::encode_with_classes(&good).unwrap();
    let good: Shared<Fragile> = Marshal::decode_with_classes(&bytes, &classes).unwrap();
    assert_eq!(Shared::strong_count(&good), 1);
}

#[derive(Class)]
struct Strict {
    a: u32,
    #[class(alias = "bee")]
    b: RefCell<Option<Shared<Strict>>>,
}

#[test]
fn missing_doubled_and_wrong_fields_and_references_name_their_place() {
    let classes = Classes::new().with::<Strict>().with::<Knows>();
    let mut twice = marshal::Graph::new();
    let inner = twice.instance("Knows", 0, [("myself", marshal::Value::NULL)]).unwrap();
    let outer = twice.instance("Strict", 0, [("a", marshal::Value::from(1.0)), ("b", inner)]).unwrap();
    let all = twice.array([outer]);
    twice.set_root(all);
    for (graph, kind, path, what) in [
        (js!([Strict { b: null }]), ErrorKind::MissingField, "$[0]", "Strict has no value for the field a"),
        (js!([Strict { a: 1, b: null, bee: null }]), ErrorKind::DuplicateKey, "$[0]", "Strict has the field b twice"),
        (js!([Strict { a: "1", b: null }]), ErrorKind::WrongType, "$[0].a", "expected a number, found a string"),
        (js!([Strict { a: (-1), b: null }]), ErrorKind::WrongType, "$[0].a", "-1 does not fit u32"),
        (
            js!([Strict { a: 1, b: 5 }]),
            ErrorKind::WrongType,
            "$[0].b",
            "expected an instance of Strict, found a number",
        ),
        (js!([Strict { a: 1, b: { a: 1 } }]), ErrorKind::WrongType, "$[0].b", "found an object"),
        (twice, ErrorKind::WrongType, "$[0].b", "expected an instance of Strict, found an instance of Knows"),
    ] {
        let bytes = Marshal::encode(&graph).unwrap();
        let error = Marshal::decode_with_classes::<Vec<Shared<Strict>>>(&bytes, &classes).err().unwrap();
        assert_eq!((error.kind(), error.path()), (kind, Some(path)), "{graph}: {error}");
        assert!(error.to_string().contains(what), "{error}");
    }
    // A reference to an object that was read as another type.
    let known = Shared::new(Knows { myself: Weak::new() });
    let (bytes, _) = Marshal::encode_with_classes(&(known.clone(), known)).unwrap();
    let error = Marshal::decode_with_classes::<(Shared<Knows>, Shared<Strict>)>(&bytes, &classes).err().unwrap();
    assert_eq!((error.kind(), error.path()), (ErrorKind::WrongType, Some("$[1]")), "{error}");
    // The same object behind another kind of pointer.
    let error = Marshal::decode_with_classes::<(Shared<Knows>, SyncShared<SyncKnows>)>(&bytes, &classes).err().unwrap();
    assert_eq!(error.kind(), ErrorKind::WrongType, "{error}");
}

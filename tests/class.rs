//! Classes through the public API: what goes in comes out, typed and with identity.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::rc::Rc;
use std::sync::{Arc, Mutex, RwLock};

use marshal::class::{Date, ErrorBase, Field, TypedArray};
use marshal::{Class, Classes, ErrorConstructor, ErrorKind, Marshal, Shared, SyncShared, SyncWeak, Weak, class_trait};

fn round<T: Field>(value: &T) -> T {
    let (bytes, classes) = Marshal::encode_with_classes(value).unwrap();
    let back = Marshal::decode_with_classes(&bytes, &classes).unwrap();
    // The message is the canonical one of the graph that it holds.
    let graph = Marshal::decode(&bytes).unwrap();
    assert_eq!(Marshal::encode(&graph).unwrap(), bytes, "{graph}");
    assert!(Marshal::deep_equal(value, &back).unwrap());
    let copy = Marshal::deep_clone(value).unwrap();
    assert!(Marshal::deep_equal(value, &copy).unwrap());
    back
}

#[derive(Class, Debug, PartialEq)]
struct Everything {
    a: u8,
    b: u16,
    c: u32,
    d: u64,
    e: i8,
    f: i16,
    g: i32,
    h: i64,
    i: u128,
    j: i128,
    k: f32,
    l: f64,
    m: bool,
    n: char,
    o: String,
    p: (),
    q: Option<String>,
    r: Box<Option<u32>>,
    s: Vec<Vec<u8>>,
    t: [f32; 3],
    u: (String, u8),
    v: HashMap<String, i32>,
    w: BTreeMap<i32, Vec<String>>,
    x: HashSet<u32>,
    y: BTreeSet<String>,
    z: VecDeque<Option<i64>>,
    date: Date,
    floats: TypedArray<f64>,
    text: Rc<str>,
    cell: Cell<i32>,
    cow: std::borrow::Cow<'static, str>,
    boxed: Box<[u16]>,
}

fn everything() -> Everything {
    Everything {
        a: 255,
        b: 65535,
        c: u32::MAX,
        d: u64::MAX,
        e: -128,
        f: i16::MIN,
        g: i32::MIN,
        h: i64::MIN,
        i: u128::MAX,
        j: i128::MIN + 1,
        k: 0.5,
        l: 0.1,
        m: true,
        n: '😀',
        o: "Zoë".repeat(40),
        p: (),
        q: None,
        r: Box::new(Some(7)),
        s: vec![vec![], (0..100).collect(), vec![1, 2, 3]],
        t: [1.0, -0.0, f32::MAX],
        u: ("x".into(), 3),
        v: (0..50).map(|i| (format!("key{i}"), i)).collect(),
        w: BTreeMap::from([(-5, vec!["a".into()]), (0, vec![]), (7, vec!["b".into(), "c".into()])]),
        x: (0..500).collect(),
        y: BTreeSet::from(["b".into(), "a".into()]),
        z: VecDeque::from([Some(1), None, Some(1 << 60)]),
        date: Date(1.7e12),
        floats: TypedArray(vec![1.5, f64::INFINITY, -0.0]),
        text: "shared".into(),
        cell: Cell::new(-1),
        cow: "cow".into(),
        boxed: (0..20).collect(),
    }
}

#[test]
fn every_type_goes_both_ways() {
    assert_eq!(round(&everything()), everything());
}

#[derive(Class, Debug, PartialEq, Clone)]
enum Figure {
    Empty,
    Circle { x: f64, y: f64, r: f64 },
    Polygon(Vec<(i32, i32)>),
    Group(Vec<Figure>, String),
}

#[derive(Class, Debug, PartialEq, Clone)]
struct Unit;

#[derive(Class, Debug, PartialEq, Clone)]
struct Meters(f64);

#[derive(Class, Debug, PartialEq, Clone)]
struct Pair<A, B: Clone> {
    first: A,
    second: B,
}

#[test]
fn enums_tuple_and_unit_structs_and_generics() {
    let figures = vec![
        Figure::Empty,
        Figure::Circle { x: 1.0, y: 2.5, r: 3.0 },
        Figure::Polygon(vec![(1, 2), (3, 4)]),
        Figure::Group(vec![Figure::Empty, Figure::Group(vec![], "inner".into())], "outer".into()),
    ];
    assert_eq!(round(&figures), figures);
    assert_eq!(round(&(Unit, Meters(2.5))), (Unit, Meters(2.5)));
    let pair = Pair { first: Pair { first: 1u8, second: "x".to_string() }, second: Unit };
    assert_eq!(round(&pair), pair);
    let (_, classes) = Marshal::encode_with_classes(&pair).unwrap();
    let names: Vec<_> = classes.names().collect();
    assert_eq!(names, ["Pair<Pair<u8, String>, Unit>", "Pair<u8, String>", "Unit"]);
}

#[derive(Class)]
struct Person {
    name: String,
    friends: RefCell<Vec<Shared<Person>>>,
    best: RefCell<Weak<Person>>,
}

fn person(name: &str) -> Shared<Person> {
    Shared::new(Person { name: name.into(), friends: RefCell::default(), best: RefCell::default() })
}

#[test]
fn shared_pointers_keep_identity_and_cycles_close() {
    let (ada, bob, cy) = (person("ada"), person("bob"), person("cy"));
    ada.friends.borrow_mut().extend([bob.clone(), cy.clone(), bob.clone()]);
    bob.friends.borrow_mut().push(ada.clone());
    cy.friends.borrow_mut().push(cy.clone());
    *bob.best.borrow_mut() = Shared::downgrade(&cy);
    let back = round(&ada);
    let friends = back.friends.borrow();
    assert_eq!(friends[0], friends[2]);
    assert_ne!(friends[0], friends[1]);
    assert_eq!(friends[0].friends.borrow()[0], back);
    assert_eq!(friends[1].friends.borrow()[0], friends[1]);
    assert_eq!(friends[0].best.borrow().upgrade().as_ref(), Some(&friends[1]));
    assert_eq!((friends[0].name.as_str(), friends[1].name.as_str()), ("bob", "cy"));
}

#[derive(Class)]
struct Mixed {
    rc: Vec<Rc<RefCell<Vec<u32>>>>,
    arc: (Arc<Mutex<Meters>>, Arc<Mutex<Meters>>),
    text: (Rc<String>, Rc<String>, Shared<String>),
    lock: RwLock<Option<Box<Meters>>>,
    sync: (SyncShared<Meters>, SyncShared<Meters>, SyncWeak<Meters>),
}

#[test]
fn plain_counted_pointers_keep_identity() {
    let list = Rc::new(RefCell::new(vec![1, 2]));
    let meters = Arc::new(Mutex::new(Meters(1.0)));
    let text = Rc::new("text".to_string());
    let sync = SyncShared::new(Meters(4.0));
    let value = Mixed {
        rc: vec![list.clone(), list.clone(), Rc::new(RefCell::new(vec![1, 2]))],
        arc: (meters.clone(), meters),
        text: (text.clone(), text, Shared::new("own".to_string())),
        lock: RwLock::new(Some(Box::new(Meters(3.0)))),
        sync: (sync.clone(), sync.clone(), SyncShared::downgrade(&sync)),
    };
    let back = round(&value);
    assert!(Rc::ptr_eq(&back.rc[0], &back.rc[1]));
    assert!(!Rc::ptr_eq(&back.rc[0], &back.rc[2]));
    assert!(Arc::ptr_eq(&back.arc.0, &back.arc.1));
    assert!(Rc::ptr_eq(&back.text.0, &back.text.1));
    assert_eq!(back.sync.0, back.sync.1);
    assert_eq!(back.sync.2.upgrade(), Some(back.sync.0.clone()));
}

#[derive(Class)]
struct Link {
    value: u32,
    next: RefCell<Option<Shared<Link>>>,
    name: String,
}

#[test]
fn a_list_of_a_million_nodes() {
    let mut head: Option<Shared<Link>> = None;
    for value in 0..1_000_000 {
        let next = RefCell::new(head.take());
        head = Some(Shared::new(Link {
            value,
            next,
            name: if value % 1000 == 0 { value.to_string() } else { String::new() },
        }));
    }
    let head = head.unwrap();
    let (bytes, classes) = Marshal::encode_with_classes(&head).unwrap();
    let back: Shared<Link> = Marshal::decode_with_classes(&bytes, &classes).unwrap();
    assert!(Marshal::deep_equal(&head, &back).unwrap());
    let copy = Marshal::deep_clone(&back).unwrap();
    assert!(Marshal::deep_equal(&head, &copy).unwrap());
    let graph = Marshal::decode(&bytes).unwrap();
    assert!(Marshal::encode(&graph).unwrap() == bytes);
    let mut at = Some(back.clone());
    let mut expected = 1_000_000;
    while let Some(link) = at {
        expected -= 1;
        assert_eq!(link.value, expected);
        at = link.next.borrow().clone();
    }
    assert_eq!(expected, 0);
}

#[class_trait]
trait Animal {
    fn says(&self) -> String;
}

#[derive(Class)]
struct Dog {
    name: String,
}

#[derive(Class)]
struct Cat {
    lives: u8,
    prey: Vec<Shared<dyn Animal>>,
}

impl Animal for Dog {
    fn says(&self) -> String {
        format!("{}: woof", self.name)
    }
}

impl Animal for Cat {
    fn says(&self) -> String {
        format!("meow {}", self.lives)
    }
}

#[derive(Class)]
struct Zoo {
    animals: Vec<Shared<dyn Animal>>,
    owned: Vec<Box<dyn Animal>>,
    star: Shared<Dog>,
}

#[test]
fn trait_objects_restore_their_class() {
    let star = Shared::new(Dog { name: "Rex".into() });
    let rex: Shared<dyn Animal> = star.clone().upcast();
    let cat = Shared::new(Cat { lives: 9, prey: vec![rex.clone()] }).upcast();
    let zoo = Zoo {
        animals: vec![rex.clone(), cat, rex],
        owned: vec![Box::new(Dog { name: "Fifi".into() }), Box::new(Cat { lives: 1, prey: vec![] })],
        star,
    };
    let back = round(&zoo);
    let said: Vec<_> = back.animals.iter().map(|animal| animal.says()).collect();
    assert_eq!(said, ["Rex: woof", "meow 9", "Rex: woof"]);
    let said: Vec<_> = back.owned.iter().map(|animal| animal.says()).collect();
    assert_eq!(said, ["Fifi: woof", "meow 1"]);
    assert_eq!(back.animals[0], back.animals[2]);
    assert_eq!(Shared::strong_count(&back.star), 4);
}

#[derive(Class, Debug, PartialEq)]
struct Base {
    id: u32,
    label: String,
}

#[derive(Class, Debug, PartialEq)]
struct Item {
    before: bool,
    #[class(flatten)]
    base: Base,
    #[class(skip)]
    cache: Option<Vec<u8>>,
    #[class(skip, default = 5)]
    five: u32,
    #[class(rename = "kind")]
    type_: String,
}

#[derive(Class)]
#[class(name = "Stack")]
struct Stack {
    name: String,
    #[class(base)]
    items: Vec<Shared<Stack>>,
}

#[derive(Class, Debug, PartialEq)]
struct HttpError {
    #[class(base)]
    base: ErrorBase,
    message: String,
    status: u16,
}

#[test]
fn flattened_skipped_renamed_and_derived() {
    let base = Base { id: 7, label: "seven".into() };
    let item = Item { before: true, base, cache: Some(vec![1]), five: 6, type_: "t".into() };
    let back = round(&item);
    assert_eq!((back.cache, back.five, back.base, back.type_.as_str()), (None, 5, item.base, "t"));
    let (bytes, _) = Marshal::encode_with_classes(&item_like()).unwrap();
    assert_eq!(
        Marshal::decode(&bytes).unwrap().to_string(),
        r#"Item {before: true, id: 7, label: "seven", kind: "t"}"#
    );
    let inner = Shared::new(Stack { name: "inner".into(), items: vec![] });
    let stack = Stack { name: "outer".into(), items: vec![inner.clone(), inner] };
    let back = round(&stack);
    assert_eq!(back.items[0], back.items[1]);
    assert_eq!((back.name.as_str(), back.items[0].name.as_str()), ("outer", "inner"));
    let error = HttpError { base: ErrorBase(ErrorConstructor::TypeError), message: "gone".into(), status: 410 };
    assert_eq!(round(&error), error);
}

fn item_like() -> Item {
    let base = Base { id: 7, label: "seven".into() };
    Item { before: true, base, cache: None, five: 0, type_: "t".into() }
}

#[test]
fn only_registered_classes_are_restored() {
    let (bytes, _) = Marshal::encode_with_classes(&Meters(1.0)).unwrap();
    let error = Marshal::decode_with_classes::<Meters>(&bytes, &Classes::new()).unwrap_err();
    assert_eq!((error.kind(), error.path()), (ErrorKind::UnknownClass, Some("$")));
    mod other {
        #[derive(marshal::Class)]
        pub(super) struct Meters(pub(super) u8);
    }
    let classes = Classes::new().with::<Meters>().with::<other::Meters>();
    let error = Marshal::decode_with_classes::<Meters>(&bytes, &classes).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::DuplicateClass);
    let error = Marshal::encode_with_classes(&(Meters(1.0), other::Meters(2))).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::DuplicateClass);
}

macro_rules! many {
    ($($variant:ident)*) => {
        #[derive(Class, Debug, PartialEq)]
        enum Many { $($variant { text: String, number: u16 },)* }

        fn many() -> Vec<Many> {
            vec![$(Many::$variant { text: stringify!($variant).into(), number: 1000 },)*]
        }
    };
}

many! {
    A0 A1 A2 A3 A4 A5 A6 A7 A8 A9 B0 B1 B2 B3 B4 B5 B6 B7 B8 B9 C0 C1 C2 C3 C4 C5 C6 C7 C8 C9 D0 D1 D2 D3 D4 D5 D6 D7 D8 D9
}

#[test]
fn more_shapes_than_a_tag_holds() {
    let all = (many(), many());
    assert_eq!(round(&all), all);
}

macro_rules! declared {
    ($name:ident, $pointer:ident, $($field:ident: $type:ty),*) => {
        #[derive(Class)]
        struct $name {
            $($field: $type,)*
            next: Option<$pointer<$name>>,
        }
    };
}

declared!(FromMacro, Shared, a: u8, b: Vec<String>);

#[test]
fn a_class_may_come_out_of_a_macro() {
    let value = FromMacro { a: 1, b: vec!["x".into()], next: None };
    assert_eq!(round(&value).b, ["x"]);
}

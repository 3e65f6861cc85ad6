//! Classes of every kind, for bytes that may or may not be messages of them.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::rc::Rc;
use std::sync::{Arc, Mutex};

use marshal::class::{Data, Date, ErrorBase, TypedArray};
use marshal::{Class, Classes, Marshal, Shared, SyncShared, SyncWeak, Weak, class_trait};

#[class_trait]
pub trait Animal {
    fn count(&self) -> usize;
}

#[derive(Class)]
pub struct Dog {
    name: String,
    age: u8,
    friends: RefCell<Vec<Shared<dyn Animal>>>,
    best: RefCell<Weak<Dog>>,
    owner: Option<Rc<Owner>>,
    toys: HashMap<String, Shared<Toy>>,
}

#[derive(Class)]
#[class(version = 1, previous = OldCat)]
pub struct Cat {
    lives: i64,
    #[class(default)]
    prey: Vec<Box<dyn Animal>>,
    next: RefCell<Option<Shared<Cat>>>,
    #[class(alias = "colour")]
    color: Option<char>,
}

#[derive(Class)]
#[class(name = "Cat")]
pub struct OldCat {
    lives: u8,
}

#[derive(Class)]
pub enum Owner {
    Nobody,
    Person { name: Box<str>, since: Date, home: (f64, f32) },
    Group(BTreeSet<String>, Box<[u16]>, Arc<Mutex<Vec<Owner>>>),
}

#[derive(Class)]
pub struct Toy {
    #[class(base)]
    parts: VecDeque<Option<i32>>,
    weights: TypedArray<f64>,
    sync: SyncShared<RefCell<Vec<u128>>>,
    weak: SyncWeak<RefCell<Vec<u128>>>,
    tree: Option<Box<Toy>>,
}

#[derive(Class)]
pub struct Oops {
    #[class(base)]
    base: ErrorBase,
    #[class(flatten)]
    site: Site,
    data: Vec<Data>,
    map: BTreeMap<i32, Vec<(u8, bool)>>,
}

#[derive(Class)]
pub struct Site {
    line: u32,
    column: [u64; 2],
}

impl Animal for Dog {
    fn count(&self) -> usize {
        self.friends.borrow().len() + self.toys.len() + usize::from(self.age) + self.name.len()
    }
}

impl Animal for Cat {
    fn count(&self) -> usize {
        self.prey.iter().map(|animal| animal.count()).fold(0, usize::wrapping_add)
    }
}

impl Animal for Oops {
    fn count(&self) -> usize {
        self.data.len() + self.map.len()
    }
}

impl From<OldCat> for Cat {
    fn from(old: OldCat) -> Self {
        Cat { lives: old.lives.into(), prey: Vec::new(), next: RefCell::default(), color: None }
    }
}

pub fn classes() -> Classes {
    Classes::new()
        .with_trait::<Dog, dyn Animal>()
        .with_trait::<Cat, dyn Animal>()
        .with_trait::<Oops, dyn Animal>()
        .with::<Owner>()
        .with::<Toy>()
        .with::<Site>()
}

type Zoo = Vec<Shared<dyn Animal>>;

/// Whatever the bytes are: an error, or a value that can be used, encoded, decoded and cloned.
pub fn of_bytes(bytes: &[u8]) {
    let classes = classes();
    let Ok(zoo) = Marshal::decode_with_classes::<Zoo>(bytes, &classes) else { return };
    let _ = zoo.iter().map(|animal| animal.count()).fold(0, usize::wrapping_add);
    let (again, used) = Marshal::encode_with_classes(&zoo).expect("what was decoded encodes");
    let back: Zoo = Marshal::decode_with_classes(&again, &used).expect("what was encoded decodes");
    assert_eq!(Marshal::encode_with_classes(&back).expect("encodes").0, again);
    let copy = Marshal::deep_clone(&back).expect("what was decoded can be cloned");
    assert_eq!(Marshal::encode_with_classes(&copy).expect("encodes").0, again);
}

/// A message that has one of each.
pub fn seed() -> Vec<u8> {
    let sync = SyncShared::new(RefCell::new(vec![1, u128::MAX]));
    let toy = Shared::new(Toy {
        parts: [Some(1), None].into(),
        weights: TypedArray(vec![0.5]),
        weak: SyncShared::downgrade(&sync),
        sync,
        tree: None,
    });
    let person = Owner::Person { name: "Ann".into(), since: Date(1.7e12), home: (0.1, 0.5) };
    let group =
        Owner::Group(["a".to_string()].into(), Box::new([1, 2]), Arc::new(Mutex::new(vec![Owner::Nobody, person])));
    let dog = Shared::new(Dog {
        name: "Rex".into(),
        age: 3,
        friends: RefCell::default(),
        best: RefCell::default(),
        owner: Some(Rc::new(group)),
        toys: [("ball".to_string(), toy)].into(),
    });
    *dog.best.borrow_mut() = Shared::downgrade(&dog);
    let cat = Shared::new(Cat {
        lives: 9,
        prey: vec![Box::new(Cat { lives: -1, prey: vec![], next: RefCell::default(), color: None })],
        next: RefCell::default(),
        color: Some('b'),
    });
    *cat.next.borrow_mut() = Some(cat.clone());
    dog.friends.borrow_mut().push(cat.clone().upcast());
    let oops = Shared::new(Oops {
        base: ErrorBase(marshal::ErrorConstructor::RangeError),
        site: Site { line: 7, column: [1, 2] },
        data: vec![Data(marshal::js!({ a: [1, Unknown{ b: 2 }] }))],
        map: [(3, vec![(1, true)])].into(),
    });
    let zoo: Zoo = vec![dog.clone().upcast(), cat.clone().upcast(), oops.upcast(), dog.upcast()];
    let bytes = Marshal::encode_with_classes(&zoo).expect("the seed encodes").0;
    cat.next.borrow_mut().take();
    bytes
}

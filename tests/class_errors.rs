//! What is wrong is said with kind, offset, path, class, and what was expected. Nothing half-built comes out.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use marshal::class::{Field, TypedArray};
use marshal::{Class, Classes, ErrorKind, Graph, Marshal, Shared, SyncShared, Weak, class_trait, js};

#[derive(Class)]
struct User {
    name: String,
    age: u8,
    tags: Vec<String>,
    best: Option<Shared<User>>,
    pet: Option<Shared<Pet>>,
}

#[derive(Class)]
struct Pet {
    name: String,
}

#[derive(Class)]
struct Tree {
    left: Option<Box<Tree>>,
}

#[class_trait]
trait Named {
    fn name(&self) -> &str;
}

#[test]
fn a_trait_object_is_what_it_was() {
    let pet: Shared<dyn Named> = Shared::new(Pet { name: "Rex".into() }).upcast();
    let (bytes, classes) = Marshal::encode_with_classes(&pet).unwrap();
    assert_eq!(Marshal::decode_with_classes::<Shared<dyn Named>>(&bytes, &classes).unwrap().name(), "Rex");
}

impl Named for Pet {
    fn name(&self) -> &str {
        &self.name
    }
}

fn error<T: Field>(graph: &Graph<'_>) -> (ErrorKind, Option<String>, String) {
    let classes = Classes::new().with::<User>().with_trait::<Pet, dyn Named>().with::<Tree>();
    let bytes = Marshal::encode(graph).unwrap();
    let error = Marshal::decode_with_classes::<T>(&bytes, &classes).err().expect("it is an error");
    (error.kind(), error.path().map(str::to_owned), error.to_string())
}

/// Checks the kind, the path and a part of the text.
macro_rules! fails {
    ($type:ty, $graph:expr, $kind:ident, $path:literal, $text:literal) => {
        let (kind, path, text) = error::<$type>(&$graph);
        assert_eq!((kind, path.as_deref()), (ErrorKind::$kind, Some($path)), "{text}");
        assert!(text.contains($text), "{text}");
    };
}

#[test]
fn values_of_the_wrong_kind() {
    fails!(u8, js!(300), WrongType, "$", "300 does not fit u8");
    fails!(Vec<u8>, js!([1, 2, -3]), WrongType, "$[2]", "-3 does not fit u8");
    fails!(u32, js!(1.5), WrongType, "$", "expected an integer, found 1.5");
    fails!(f32, js!(0.1), WrongType, "$", "does not fit f32");
    fails!(String, js!(1), WrongType, "$", "expected a string, found a number");
    fails!(bool, js!("x"), WrongType, "$", "expected a boolean, found a string");
    fails!(char, js!("xy"), WrongType, "$", "one character");
    fails!(Vec<u8>, js!({ a: 1 }), WrongType, "$", "expected an array, found an object");
    fails!([u8; 3], js!([1, 2]), WrongType, "$", "an array of 3 elements, found one of 2");
    fails!((u8, String), js!([1]), WrongType, "$", "an array of 2 elements, found one of 1");
    fails!(HashMap<String, u8>, js!([1]), WrongType, "$", "expected a Map, found an array");
    fails!(TypedArray<u8>, js!(Float64Array[1.0]), WrongType, "$", "expected Uint8Array, found Float64Array");
    fails!(User, js!({ name: "x" }), WrongType, "$", "expected an instance of User, found an object");
    fails!(User, js!(Pet { name: "x" }), WrongType, "$", "expected an instance of User, found an instance of Pet");
    fails!(
        User,
        js!(User { name: "x", age: 3, tags: ["a", 5], best: null, pet: null }),
        WrongType,
        "$.tags[1]",
        "expected a string, found a number"
    );
    fails!(
        Vec<Shared<User>>,
        js!([User {
            name: "x",
            age: 3,
            tags: [],
            best: User { name: "y", age: 256, tags: [], best: null, pet: null },
            pet: null
        }]),
        WrongType,
        "$[0].best.age",
        "256 does not fit u8"
    );
    fails!(Shared<dyn Named>, js!(User {}), WrongType, "$", "User is not registered as a dyn Named");
    fails!(Shared<dyn Named>, js!(Mystery {}), UnknownClass, "$", "Mystery is not registered as a dyn Named");
    fails!(Box<dyn Named>, js!([]), WrongType, "$", "expected dyn Named, found an array");
}

/// `[pet, pet]`, the second a reference.
fn twice() -> Graph<'static> {
    let mut graph = Graph::new();
    let name = graph.string("Rex");
    let pet = graph.instance("Pet", 0, [("name", name)]).unwrap();
    let root = graph.array([pet, pet]);
    graph.set_root(root);
    graph
}

#[test]
fn references_are_checked_by_identity_and_type() {
    fails!((Shared<Pet>, Shared<User>), twice(), WrongType, "$[1]", "no User here");
    fails!((Shared<Pet>, Rc<Pet>), twice(), WrongType, "$[1]", "no Pet here");
    fails!((Shared<Pet>, SyncShared<Pet>), twice(), WrongType, "$[1]", "held in another way");
    fails!((Shared<Pet>, Pet), twice(), WrongType, "$[1]", "hold it through Shared");
    fails!((Pet, Shared<Pet>), twice(), WrongType, "$[1]", "here, or is held in another way");
    let mut graph = twice();
    let root = graph.array([]);
    graph.set_root(root);
    let own = graph.array([root, root]);
    graph.set_root(own);
    fails!((Vec<u8>, Vec<u8>), graph, WrongType, "$[1]", "hold it through Shared");
}

#[test]
fn a_cycle_through_an_rc_is_an_error() {
    #[derive(Class)]
    struct Ring(RefCell<Option<Rc<Ring>>>);
    let ring = Rc::new(Ring(RefCell::default()));
    *ring.0.borrow_mut() = Some(ring.clone());
    let (bytes, classes) = Marshal::encode_with_classes(&ring).unwrap();
    let error = Marshal::decode_with_classes::<Rc<Ring>>(&bytes, &classes).err().unwrap();
    assert_eq!(error.kind(), ErrorKind::CyclicValue);
    assert!(error.to_string().contains("Rc or Arc of Ring; hold it through Shared"), "{error}");
    assert_eq!(Marshal::deep_clone(&ring).err().unwrap().kind(), ErrorKind::CyclicValue);
    ring.0.borrow_mut().take();
}

#[test]
fn boxes_that_lie_too_deep_are_an_error_in_every_direction() {
    let deep = |depth: usize| (0..depth).fold(Tree { left: None }, |tree, _| Tree { left: Some(Box::new(tree)) });
    let classes = Classes::new().with::<Tree>();
    let bytes = Marshal::encode_using(&deep(120), &classes).unwrap();
    assert!(Marshal::decode_with_classes::<Tree>(&bytes, &classes).is_ok());
    assert!(Marshal::encode_using(&deep(200), &classes).unwrap_err().is_limit());
    assert!(Marshal::deep_clone(&deep(200)).err().unwrap().is_limit());
    let mut graph = Graph::new();
    let mut tree = marshal::Value::NULL;
    for _ in 0..1_000_000 {
        tree = graph.instance("Tree", 0, [("left", tree)]).unwrap();
    }
    graph.set_root(tree);
    let bytes = Marshal::encode(&graph).unwrap();
    assert!(Marshal::decode_with_classes::<Tree>(&bytes, &classes).err().unwrap().is_limit());
}

#[test]
fn a_borrowed_cell_is_an_error() {
    let cell = RefCell::new(5u8);
    let guard = cell.borrow_mut();
    assert_eq!(Marshal::encode_with_classes(&cell).unwrap_err().kind(), ErrorKind::Borrowed);
    assert_eq!(Marshal::deep_clone(&cell).unwrap_err().kind(), ErrorKind::Borrowed);
    drop(guard);
}

#[test]
fn a_weak_to_nothing_is_null() {
    let weak = Shared::downgrade(&Shared::new(Pet { name: "gone".into() }));
    let (bytes, classes) = Marshal::encode_with_classes(&weak).unwrap();
    assert_eq!(Marshal::decode(&bytes).unwrap(), js!(null));
    let back: Weak<Pet> = Marshal::decode_with_classes(&bytes, &classes).unwrap();
    assert!(back.upgrade().is_none());
}

#[test]
fn a_hook_that_panics_leaves_the_encoder_and_decoder_usable() {
    #[derive(Class)]
    #[class(restored = Bomb::explode)]
    struct Bomb {
        armed: bool,
    }
    impl Bomb {
        fn explode(&mut self) -> Result<(), String> {
            assert!(!self.armed, "boom");
            Ok(())
        }
    }
    let (bytes, classes) = Marshal::encode_with_classes(&vec![Shared::new(Bomb { armed: true })]).unwrap();
    let decode = || Marshal::decode_with_classes::<Vec<Shared<Bomb>>>(&bytes, &classes).map(|bombs| bombs.len());
    let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(decode));
    assert!(panicked.is_err());
    let (bytes, classes) = Marshal::encode_with_classes(&vec![Shared::new(Bomb { armed: false })]).unwrap();
    assert_eq!(Marshal::decode_with_classes::<Vec<Shared<Bomb>>>(&bytes, &classes).unwrap().len(), 1);
}

#[test]
fn every_cut_is_an_error() {
    let bytes = Marshal::encode(&twice()).unwrap();
    let classes = Classes::new().with::<Pet>();
    for len in 0..bytes.len() {
        assert!(Marshal::decode_with_classes::<Vec<Shared<Pet>>>(&bytes[..len], &classes).is_err(), "{len}");
    }
}

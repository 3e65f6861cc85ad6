//! Trait objects behind `SyncShared`: as behind `Shared`, for several threads.

use std::sync::Mutex;

use marshal::class::Data;
use marshal::{Class, Classes, ErrorKind, Marshal, SyncShared, SyncWeak, class_trait, js};

#[class_trait]
trait Task: Send + Sync {
    fn run(&self) -> u64;
}

#[derive(Class)]
struct Add {
    a: u64,
    b: u64,
}

#[derive(Class)]
struct Twice {
    task: SyncShared<dyn Task>,
    owner: Mutex<SyncWeak<Owner>>,
}

#[derive(Class)]
struct Unknown {
    fields: u64,
}

#[derive(Class)]
struct Owner {
    tasks: Mutex<Vec<SyncShared<dyn Task>>>,
    star: Mutex<Option<SyncShared<Add>>>,
    latest: Mutex<SyncWeak<dyn Task>>,
}

impl Task for Add {
    fn run(&self) -> u64 {
        self.a + self.b
    }
}

impl Task for Twice {
    fn run(&self) -> u64 {
        2 * self.task.run()
    }
}

impl Task for Unknown {
    fn run(&self) -> u64 {
        self.fields
    }
}

fn runs(owner: &Owner) -> Vec<u64> {
    owner.tasks.lock().unwrap().iter().map(|task| task.run()).collect()
}

#[test]
fn trait_objects_restore_their_class_and_go_to_other_threads() {
    let star = SyncShared::new(Add { a: 1, b: 2 });
    let owner = SyncShared::new(Owner { tasks: Mutex::default(), star: Mutex::default(), latest: Mutex::default() });
    let add: SyncShared<dyn Task> = star.clone().upcast();
    let twice = SyncShared::new(Twice { task: add.clone(), owner: Mutex::new(SyncShared::downgrade(&owner)) });
    let twice: SyncShared<dyn Task> = twice.upcast();
    *owner.latest.lock().unwrap() = SyncShared::downgrade(&twice);
    *owner.tasks.lock().unwrap() = vec![twice.clone(), add, twice];
    *owner.star.lock().unwrap() = Some(star);
    let (bytes, classes) = Marshal::encode_with_classes(&owner).unwrap();
    let back: SyncShared<Owner> = Marshal::decode_with_classes(&bytes, &classes).unwrap();
    assert_eq!(Marshal::encode_with_classes(&back).unwrap().0, bytes);
    for owner in [Marshal::deep_clone(&back).unwrap(), back] {
        let tasks = owner.tasks.lock().unwrap().clone();
        assert_eq!(tasks[0], tasks[2]);
        assert_ne!(tasks[0], tasks[1]);
        assert_eq!(owner.latest.lock().unwrap().upgrade().as_ref(), Some(&tasks[0]));
        // In the vector and in its copy, in `Twice`, and as what it is.
        assert_eq!(SyncShared::strong_count(owner.star.lock().unwrap().as_ref().unwrap()), 4);
        drop(tasks);
        assert_eq!(std::thread::spawn(move || runs(&owner)).join().unwrap(), [6, 3, 6]);
    }
}

#[test]
fn a_class_that_is_not_known_is_an_error_or_what_the_fallback_makes() {
    let bytes = Marshal::encode(&js!([Add { a: 1, b: 2 }, Odd { x: 1, y: 2 }])).unwrap();
    type Tasks = Vec<SyncShared<dyn Task>>;
    let classes = Classes::new().with_trait::<Add, dyn Task>();
    let error = Marshal::decode_with_classes::<Tasks>(&bytes, &classes).err().unwrap();
    assert_eq!((error.kind(), error.path()), (ErrorKind::UnknownClass, Some("$[1]")));
    let make = |data: Data| Ok::<_, String>(Unknown { fields: data.root().properties().count() as u64 });
    let classes = classes.with_fallback::<Unknown, dyn Task, _>(make);
    let tasks = Marshal::decode_with_classes::<Tasks>(&bytes, &classes).unwrap();
    assert_eq!(tasks.iter().map(|task| task.run()).collect::<Vec<_>>(), [3, 2]);
    let shared = Marshal::encode(&js!({ one: Odd {} })).unwrap();
    assert!(Marshal::decode_with_classes::<Tasks>(&shared, &classes).is_err());
    let mut graph = marshal::Graph::new();
    let odd = graph.instance("Odd", 0, [("x", marshal::Value::from(1.0))]).unwrap();
    let all = graph.array([odd, odd]);
    graph.set_root(all);
    let tasks = Marshal::decode_with_classes::<Tasks>(&Marshal::encode(&graph).unwrap(), &classes).unwrap();
    assert_eq!(tasks[0], tasks[1]);
    // A reference to what is no task here.
    let known = Classes::new().with::<Plain>().with_trait::<Add, dyn Task>();
    let plain = SyncShared::new(Plain { x: 1 });
    let (bytes, _) = Marshal::encode_with_classes(&(plain.clone(), plain)).unwrap();
    let error =
        Marshal::decode_with_classes::<(SyncShared<Plain>, SyncShared<dyn Task>)>(&bytes, &known).err().unwrap();
    assert_eq!((error.kind(), error.path()), (ErrorKind::WrongType, Some("$[1]")));
}

#[derive(Class)]
struct Plain {
    x: u32,
}

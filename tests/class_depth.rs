//! Values of any depth, on a small stack, at a cost that grows with their number alone.

use std::cell::RefCell;
use std::collections::BTreeMap;

use marshal::class::Field;
use marshal::{Class, Classes, Marshal, Shared, SyncShared, Weak, class_trait};

/// A quarter of what a thread has.
const STACK: usize = 512 * 1024;

fn on_a_small_stack(test: impl FnOnce() + Send + 'static) {
    std::thread::Builder::new().stack_size(STACK).spawn(test).unwrap().join().unwrap();
}

fn all_that_can_be_done<T: Field>(value: T) -> Vec<u8> {
    let (bytes, classes) = Marshal::encode_with_classes(&value).unwrap();
    let back: T = Marshal::decode_with_classes(&bytes, &classes).unwrap();
    assert!(Marshal::deep_equal(&value, &back).unwrap());
    drop(value);
    let copy = Marshal::deep_clone(&back).unwrap();
    drop(back);
    assert!(Marshal::encode_with_classes(&copy).unwrap().0 == bytes);
    drop(copy);
    let graph = Marshal::decode(&bytes).unwrap();
    assert!(Marshal::encode(&graph).unwrap() == bytes);
    bytes
}

#[derive(Class)]
struct Tree {
    value: u32,
    left: RefCell<Option<Shared<Tree>>>,
    name: String,
    parent: RefCell<Weak<Tree>>,
    right: RefCell<Option<Shared<Tree>>>,
    more: RefCell<BTreeMap<String, Shared<Tree>>>,
    tail: [u16; 2],
}

fn tree(depth: u32) -> Shared<Tree> {
    let node = |value: u32| {
        Shared::new(Tree {
            value,
            left: RefCell::default(),
            name: (value % 7).to_string(),
            parent: RefCell::default(),
            right: RefCell::default(),
            more: RefCell::default(),
            tail: [7, value as u16],
        })
    };
    let root = node(0);
    let mut parent = root.clone();
    for value in 1..depth {
        let child = node(value);
        *child.parent.borrow_mut() = Shared::downgrade(&parent);
        match value % 3 {
            0 => *parent.left.borrow_mut() = Some(child.clone()),
            1 => *parent.right.borrow_mut() = Some(child.clone()),
            _ => drop(parent.more.borrow_mut().insert("child".into(), child.clone())),
        }
        if value % 5 == 0 {
            let leaf = node(value);
            *leaf.left.borrow_mut() = Some(node(1));
            parent.more.borrow_mut().insert("leaf".into(), leaf);
        }
        parent = child;
    }
    root
}

#[test]
fn a_tree_as_deep_as_a_million() {
    on_a_small_stack(|| drop(all_that_can_be_done(tree(1_000_000))));
}

#[derive(Class)]
#[class(name = "Tree")]
struct Later {
    parent: RefCell<Weak<Later>>,
    right: RefCell<Option<Shared<Later>>>,
    left: RefCell<Option<Shared<Later>>>,
    #[class(default = 9)]
    new: u32,
    more: RefCell<BTreeMap<String, Shared<Later>>>,
}

#[test]
fn a_deep_tree_of_an_older_form() {
    on_a_small_stack(|| {
        let (bytes, _) = Marshal::encode_with_classes(&tree(300_000)).unwrap();
        let classes = Classes::new().with::<Later>();
        let root: Shared<Later> = Marshal::decode_with_classes(&bytes, &classes).unwrap();
        let mut depth = 1;
        let mut node = root.clone();
        loop {
            assert_eq!(node.new, 9);
            let (left, right, more) = (node.left.borrow().clone(), node.right.borrow().clone(), node.more.borrow());
            let Some(next) = left.or(right).or_else(|| more.get("child").cloned()) else { break };
            drop(more);
            assert_eq!(next.parent.borrow().upgrade().as_ref(), Some(&node));
            node = next;
            depth += 1;
        }
        assert_eq!(depth, 300_000);
    });
}

#[class_trait]
trait Step {
    fn next(&self) -> Option<Shared<dyn Step>>;
}

#[derive(Class)]
struct One(Option<Shared<dyn Step>>, f64);

#[derive(Class)]
struct Two {
    before: Vec<Option<i32>>,
    next: Vec<Option<Shared<dyn Step>>>,
}

impl Step for One {
    fn next(&self) -> Option<Shared<dyn Step>> {
        self.0.clone()
    }
}

impl Step for Two {
    fn next(&self) -> Option<Shared<dyn Step>> {
        self.next[0].clone()
    }
}

#[test]
fn a_chain_of_trait_objects() {
    on_a_small_stack(|| {
        let mut head: Option<Shared<dyn Step>> = None;
        for i in 0..500_000 {
            head = Some(if i % 2 == 0 {
                Shared::new(One(head, 0.5)).upcast()
            } else {
                Shared::new(Two { before: vec![Some(i), None], next: vec![head, None] }).upcast()
            });
        }
        let mut steps = 0;
        let mut at = head.clone();
        while let Some(step) = at {
            at = step.next();
            steps += 1;
        }
        assert_eq!(steps, 500_000);
        all_that_can_be_done(head.unwrap());
    });
}

#[derive(Class)]
struct Sync {
    next: Option<SyncShared<Sync>>,
}

#[test]
fn a_chain_for_several_threads() {
    on_a_small_stack(|| {
        let mut head = None;
        for _ in 0..500_000 {
            head = Some(SyncShared::new(Sync { next: head.take() }));
        }
        all_that_can_be_done(head.unwrap());
    });
}

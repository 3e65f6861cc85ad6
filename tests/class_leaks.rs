//! Every object is freed where no cycle keeps it: after decoding, cloning, failing, and dropping in any order.

use std::alloc::System;
use std::cell::RefCell;
use std::rc::Rc;

use marshal::{Class, Classes, Marshal, Shared, SyncShared, Weak, js};
use stats_alloc::{INSTRUMENTED_SYSTEM, StatsAlloc};

#[global_allocator]
static COUNTING: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// What the process holds: the tests here are one, so that no other thread allocates.
fn held() -> isize {
    let stats = COUNTING.stats();
    stats.bytes_allocated as isize - stats.bytes_deallocated as isize
}

#[derive(Class)]
struct Folder {
    name: String,
    parent: RefCell<Weak<Folder>>,
    children: RefCell<Vec<Shared<Folder>>>,
    tag: Rc<String>,
    other: SyncShared<Tag>,
}

#[derive(Class)]
struct Tag {
    text: String,
}

/// A tree of 13 folders, or a chain of many.
fn tree(depth: usize, width: usize) -> Shared<Folder> {
    let (tag, other) = (Rc::new("tag".to_string()), SyncShared::new(Tag { text: "other".into() }));
    let folder = |name: String| {
        let (parent, children) = (RefCell::default(), RefCell::default());
        Shared::new(Folder { name, parent, children, tag: tag.clone(), other: other.clone() })
    };
    let root = folder("root".into());
    let mut level = vec![root.clone()];
    for depth in 0..depth {
        let mut next = Vec::new();
        for parent in &level {
            for i in 0..width {
                let child = folder(format!("{depth}.{i}"));
                *child.parent.borrow_mut() = Shared::downgrade(parent);
                parent.children.borrow_mut().push(child.clone());
                next.push(child);
            }
        }
        level = next;
    }
    root
}

/// Runs `work` twice and checks that the second time leaves nothing behind: the first one fills buffers that are kept.
fn frees_all(work: impl Fn()) {
    work();
    let before = held();
    work();
    assert_eq!(held() - before, 0);
}

#[test]
fn every_object_is_freed() {
    what_is_decoded_and_cloned_is_freed();
    what_fails_is_freed();
    memory_while_decoding_is_a_multiple_of_the_message();
}

fn what_is_decoded_and_cloned_is_freed() {
    for (depth, width) in [(2, 3), (0, 0), (50_000, 1)] {
        let value = tree(depth, width);
        let (bytes, classes) = Marshal::encode_with_classes(&value).unwrap();
        frees_all(|| drop(Marshal::encode_with_classes(&value).unwrap()));
        frees_all(|| drop(Marshal::decode_with_classes::<Shared<Folder>>(&bytes, &classes).unwrap()));
        frees_all(|| drop(Marshal::deep_clone(&value).unwrap()));
        frees_all(|| {
            // One child survives its tree.
            let copy = Marshal::deep_clone(&value).unwrap();
            let child = copy.children.borrow().last().cloned();
            drop(copy);
            drop(child);
        });
        frees_all(|| drop(tree(depth, width)));
    }
}

fn what_fails_is_freed() {
    let (mut bytes, _) = Marshal::encode_with_classes(&tree(3, 3)).unwrap();
    let classes = Classes::new().with::<Folder>();
    frees_all(|| drop(Marshal::decode_with_classes::<Shared<Folder>>(&bytes, &classes).err().unwrap()));
    let classes = classes.with::<Tag>();
    bytes.truncate(bytes.len() - 1);
    frees_all(|| drop(Marshal::decode_with_classes::<Shared<Folder>>(&bytes, &classes).err().unwrap()));
    let wrong = Marshal::encode(&js!([Tag { text: "a" }, Tag { text: "b" }, Tag { text: 5 }])).unwrap();
    frees_all(|| drop(Marshal::decode_with_classes::<Vec<Shared<Tag>>>(&wrong, &classes).err().unwrap()));
}

fn memory_while_decoding_is_a_multiple_of_the_message() {
    let value = tree(20_000, 1);
    let (bytes, classes) = Marshal::encode_with_classes(&value).unwrap();
    drop(value);
    let before = held();
    let back: Shared<Folder> = Marshal::decode_with_classes(&bytes, &classes).unwrap();
    let taken = held() - before;
    assert!(taken < 64 * bytes.len() as isize, "{taken} bytes for {}", bytes.len());
    drop(back);
}

//! The editor of `examples/editor.rs`: what its user would notice if something were lost.

#[path = "../examples/editor.rs"]
#[allow(dead_code)]
mod editor;

use editor::{Editor, Layer, Shape};
use marshal::{Marshal, Shared};

fn used() -> Editor {
    let mut editor = Editor::new();
    *editor.document.title.borrow_mut() = "A drawing".to_owned();
    let background = Layer::add(&editor.document.root, "background");
    let deep = Layer::add(&Layer::add(&background, "a"), "b");
    *editor.document.selection.borrow_mut() = Shared::downgrade(&deep);
    editor.click(1.0, 2.0);
    editor.click(3.0, 4.0);
    editor.active = editor.tools[1].clone();
    editor.click(5.0, 6.0);
    editor.undo();
    editor
}

fn check(editor: &Editor) {
    let layer = editor.selected().unwrap();
    assert_eq!(layer.path(), "root/background/a/b");
    assert_eq!(layer.shapes.borrow().len(), 2);
    assert_eq!((editor.active.name(), &editor.active), ("stamp", &editor.tools[1]));
    // The history acts on the document's own layer, in both directions.
    editor.redo();
    assert!(matches!(&layer.shapes.borrow()[2], Shape::Text { text, .. } if text == "hello"));
    (0..3).for_each(|_| editor.undo());
    assert!(layer.shapes.borrow().is_empty());
    (0..2).for_each(|_| editor.redo());
    // The pencil remembers where it was.
    assert!(matches!(&layer.shapes.borrow()[1], Shape::Line { from, to } if from.x == 1.0 && to.x == 3.0));
    assert_eq!(editor.history.undone.borrow().len(), 1);
}

#[test]
fn a_document_comes_back_with_its_history() {
    let (bytes, classes) = Marshal::encode_with_classes(&used()).unwrap();
    check(&Marshal::decode_with_classes(&bytes, &classes).unwrap());
}

#[test]
fn a_copy_is_a_document_of_its_own() {
    let editor = used();
    let copy = Marshal::deep_clone(&editor).unwrap();
    Layer::add(&copy.selected().unwrap(), "only in the copy");
    check(&copy);
    assert!(editor.selected().unwrap().children.borrow().is_empty());
    check(&editor);
}

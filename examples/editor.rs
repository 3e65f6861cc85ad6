//! A drawing editor in miniature: a document whose layers know their parents, tools that are trait objects, and an undo
//! history that shares what it holds with the document. All of it goes to bytes and comes back as it was.

use std::cell::{Cell, RefCell};
use std::error::Error;

use marshal::{Class, Marshal, Shared, Weak, class_trait};

#[derive(Class)]
pub(crate) struct Editor {
    pub(crate) document: Shared<Document>,
    pub(crate) tools: Vec<Shared<dyn Tool>>,
    pub(crate) active: Shared<dyn Tool>,
    pub(crate) history: History,
}

#[derive(Class)]
pub(crate) struct Document {
    pub(crate) title: RefCell<String>,
    pub(crate) root: Shared<Layer>,
    pub(crate) selection: RefCell<Weak<Layer>>,
}

#[derive(Class)]
pub(crate) struct Layer {
    pub(crate) name: String,
    pub(crate) parent: Weak<Layer>,
    pub(crate) children: RefCell<Vec<Shared<Layer>>>,
    pub(crate) shapes: RefCell<Vec<Shape>>,
}

#[derive(Class, Clone, Debug, PartialEq)]
pub(crate) enum Shape {
    Line { from: Point, to: Point },
    Text { at: Point, text: String },
}

#[derive(Class, Clone, Copy, Debug, PartialEq)]
pub(crate) struct Point {
    pub(crate) x: f32,
    pub(crate) y: f32,
}

/// What a tool does where one clicks.
#[class_trait]
pub(crate) trait Tool {
    fn name(&self) -> &'static str;
    fn click(&self, layer: &Shared<Layer>, at: Point) -> Shared<dyn Command>;
}

/// Something done, which can be undone and done again.
#[class_trait]
pub(crate) trait Command {
    fn redo(&self);
    fn undo(&self);
}

#[derive(Class, Default)]
pub(crate) struct History {
    pub(crate) done: RefCell<Vec<Shared<dyn Command>>>,
    pub(crate) undone: RefCell<Vec<Shared<dyn Command>>>,
}

#[derive(Class)]
pub(crate) struct Pencil {
    pub(crate) from: Cell<Point>,
}

#[derive(Class)]
pub(crate) struct Stamp {
    pub(crate) text: String,
}

#[derive(Class)]
pub(crate) struct Draw {
    pub(crate) layer: Shared<Layer>,
    pub(crate) shape: Shape,
}

impl Tool for Pencil {
    fn name(&self) -> &'static str {
        "pencil"
    }

    fn click(&self, layer: &Shared<Layer>, at: Point) -> Shared<dyn Command> {
        let from = self.from.replace(at);
        Shared::new(Draw { layer: layer.clone(), shape: Shape::Line { from, to: at } }).upcast()
    }
}

impl Tool for Stamp {
    fn name(&self) -> &'static str {
        "stamp"
    }

    fn click(&self, layer: &Shared<Layer>, at: Point) -> Shared<dyn Command> {
        Shared::new(Draw { layer: layer.clone(), shape: Shape::Text { at, text: self.text.clone() } }).upcast()
    }
}

impl Command for Draw {
    fn redo(&self) {
        self.layer.shapes.borrow_mut().push(self.shape.clone());
    }

    fn undo(&self) {
        self.layer.shapes.borrow_mut().pop();
    }
}

impl Layer {
    pub(crate) fn add(this: &Shared<Layer>, name: &str) -> Shared<Layer> {
        let layer = Layer {
            name: name.to_owned(),
            parent: Shared::downgrade(this),
            children: RefCell::default(),
            shapes: RefCell::default(),
        };
        let layer = Shared::new(layer);
        this.children.borrow_mut().push(layer.clone());
        layer
    }

    /// The names from the root to the layer.
    pub(crate) fn path(&self) -> String {
        match self.parent.upgrade() {
            Some(parent) => format!("{}/{}", parent.path(), self.name),
            None => self.name.clone(),
        }
    }
}

impl Editor {
    pub(crate) fn new() -> Editor {
        let root = Shared::new(Layer {
            name: "root".to_owned(),
            parent: Weak::new(),
            children: RefCell::default(),
            shapes: RefCell::default(),
        });
        let pencil = Shared::new(Pencil { from: Cell::new(Point { x: 0.0, y: 0.0 }) }).upcast::<dyn Tool>();
        let stamp = Shared::new(Stamp { text: "hello".to_owned() }).upcast();
        let selection = RefCell::new(Shared::downgrade(&root));
        let document = Document { title: RefCell::new("Untitled".to_owned()), root, selection };
        Editor {
            document: Shared::new(document),
            tools: vec![pencil.clone(), stamp],
            active: pencil,
            history: History::default(),
        }
    }

    pub(crate) fn selected(&self) -> Option<Shared<Layer>> {
        self.document.selection.borrow().upgrade()
    }

    pub(crate) fn click(&self, x: f32, y: f32) {
        if let Some(layer) = self.selected() {
            let command = self.active.click(&layer, Point { x, y });
            command.redo();
            self.history.done.borrow_mut().push(command);
            self.history.undone.borrow_mut().clear();
        }
    }

    pub(crate) fn undo(&self) {
        if let Some(command) = self.history.done.borrow_mut().pop() {
            command.undo();
            self.history.undone.borrow_mut().push(command);
        }
    }

    pub(crate) fn redo(&self) {
        if let Some(command) = self.history.undone.borrow_mut().pop() {
            command.redo();
            self.history.done.borrow_mut().push(command);
        }
    }
}

impl Default for Editor {
    fn default() -> Self {
        Self::new()
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut editor = Editor::new();
    let sketch = Layer::add(&editor.document.root, "sketch");
    *editor.document.selection.borrow_mut() = Shared::downgrade(&sketch);
    editor.click(1.0, 2.0);
    editor.active = editor.tools[1].clone();
    editor.click(3.0, 4.0);
    editor.click(5.0, 6.0);
    editor.undo();

    let (bytes, classes) = Marshal::encode_with_classes(&editor)?;
    println!("{} bytes, classes {classes:?}", bytes.len());

    let editor: Editor = Marshal::decode_with_classes(&bytes, &classes)?;
    editor.redo();
    let layer = editor.selected().ok_or("nothing is selected")?;
    println!("{} with {:?}", layer.path(), layer.shapes.borrow());
    println!("the active tool is the {}, one of the tools: {}", editor.active.name(), editor.tools[1] == editor.active);
    Ok(())
}

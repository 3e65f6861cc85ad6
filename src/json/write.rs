//! A graph into JSON text: the options, the stack, and what JSON can hold. What it can't is `show`'s.

use std::io;

use super::emit::Emit;
use crate::error::{Error, ErrorKind};
use crate::graph::{Graph, Key, Node, NodeId, ShapeKind, Slot, Step, Visit, path};

/// How to write JSON text.
///
/// # Examples
///
/// ```
/// use marshal::json::{self, JsonOptions, Lossy};
/// use marshal::js;
///
/// let state = js!({ at: Date(1.7e12), tags: Set["a"] });
/// assert_eq!(
///     json::to_string(&state, &JsonOptions::new())?,
///     r#"{"at":{"$date":"2023-11-14T22:13:20.000Z"},"tags":{"$set":["a"]}}"#,
/// );
/// let error = json::to_string(&state, &JsonOptions::new().lossy(Lossy::Refuse)).unwrap_err();
/// assert_eq!(error.to_string(), "unrepresentable in $.at: JSON has no Date");
/// # Ok::<(), marshal::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct JsonOptions {
    lossy: Lossy,
    indent: u8,
    max_bytes: Option<u64>,
}

/// What to do with a value that JSON can't hold: all but null, booleans, finite numbers, strings, arrays without holes
/// and extra properties, and plain objects with string keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Lossy {
    /// Shows it as an object whose first key begins with `$`. This is a form to look at and to search, not one to read
    /// back: an object that has such a key of its own is written as it is.
    ///
    /// | value | form |
    /// | --- | --- |
    /// | undefined | `{"$undefined": true}` |
    /// | NaN, Infinity, -Infinity | `{"$number": "NaN"}` |
    /// | BigInt | `{"$bigint": "-123"}`; beyond 64 bytes in hexadecimal, `"0x…"` |
    /// | Symbol | `{"$symbol": {"wellKnown": "iterator"}}`, `{"$symbol": {"for": "key"}}`, `{"$symbol": {"id": 0, "description": "d"}}`: unique ones are told apart by `id` |
    /// | Date | `{"$date": "2023-11-14T22:13:20.000Z"}`; an invalid one `{"$date": null}` |
    /// | RegExp | `{"$regexp": "a+", "flags": "gi", "lastIndex": 0}` |
    /// | Map | `{"$map": [[key, value], …]}` |
    /// | Set | `{"$set": [value, …]}` |
    /// | Error | `{"$error": "TypeError", "fields": {"message": …}}` |
    /// | wrapper object | `{"$boxed": primitive}` |
    /// | array with holes or properties | `{"$array": [[index, value], …], "length": 5, "properties": {…}}` |
    /// | object with a null prototype | `{"$null": {…}}` |
    /// | symbol keys of any object | `"$symbols": [[symbol, value], …]`, behind its other keys |
    /// | class instance | `{"$class": "User", "version": 1, "fields": {…}}`, with `"base"` before the fields where it extends a built-in |
    /// | custom value | `{"$custom": "URL", "version": 0, "payload": …}` |
    /// | ArrayBuffer | `{"$buffer": "01ff"}`, bytes in hexadecimal, with `"maxByteLength"` where it is resizable |
    /// | typed array | `{"$typedArray": "Float64Array", "values": […]}` |
    /// | view of a buffer that is shared, larger or resizable; DataView | `{"$view": "Uint8Array", "buffer": …, "byteOffset": 1, "length": 2}`, with length null where it follows the buffer's |
    /// | object that is referred to again | `{"$id": 1, "value": …}` in the first place, `{"$ref": 1}` from then on; cycles too |
    #[default]
    Show,
    /// Fails with `unrepresentable`. What `JSON.parse` makes of the text is then the same graph, but for objects that are
    /// referred to more than once, which are written each time, as JSON.stringify does; a cycle is refused.
    Refuse,
}

impl JsonOptions {
    /// All on one line; what JSON can't hold is shown.
    pub fn new() -> Self {
        Self::default()
    }

    /// What to do with values that JSON can't hold.
    pub fn lossy(self, lossy: Lossy) -> Self {
        JsonOptions { lossy, ..self }
    }

    /// One item a line, indented by this many spaces a level, at most 64 levels; 0 for all on one line.
    pub fn indent(self, spaces: u8) -> Self {
        JsonOptions { indent: spaces, ..self }
    }

    /// How many bytes the text may have, give or take one value; more is `limit-exceeded`. Default: 64 MiB and 64 times what the graph takes
    /// in memory, which bounds what a small hostile message can grow to by naming one large value many times.
    pub fn max_bytes(self, bytes: u64) -> Self {
        JsonOptions { max_bytes: Some(bytes), ..self }
    }
}

/// The graph's root as JSON text. Numbers and strings are written as JSON.stringify writes them, except that −0 keeps
/// its sign. Cost: linear in the text.
///
/// # Errors
///
/// `unrepresentable` with the path, only under [`Lossy::Refuse`]; `limit-exceeded` where the text gets longer than
/// [`JsonOptions::max_bytes`].
pub fn to_string(graph: &Graph<'_>, options: &JsonOptions) -> Result<String, Error> {
    let mut writer = Writer::new(graph, options);
    writer.run(usize::MAX)?;
    Ok(writer.emit.text)
}

/// Writes the graph's root as JSON text, without holding more than a part of it in memory.
///
/// # Errors
///
/// Those of `out`, and those of [`to_string`] as the inner error of one of kind `InvalidData`; what has been written by then stays
/// written.
pub fn write(graph: &Graph<'_>, out: &mut impl io::Write, options: &JsonOptions) -> io::Result<()> {
    const STEPS: usize = 1024;
    let mut writer = Writer::new(graph, options);
    loop {
        let done = writer.run(STEPS).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))?;
        writer.drain(out)?;
        if done {
            return Ok(());
        }
    }
}

/// Writes JSON text a part at a time: what [`write`](write()) does, in as many calls as the caller likes.
pub struct Writer<'g> {
    pub(super) graph: &'g Graph<'g>,
    pub(super) emit: Emit,
    pub(super) tasks: Vec<Task>,
    lossy: Lossy,
    max_bytes: u64,
    drained: u64,
    /// By node. Showing: whether it is referred to again. Refusing: whether it is open.
    pub(super) marks: Vec<bool>,
    /// The number of each node that is referred to again and has been written.
    pub(super) labels: hashbrown::HashMap<NodeId, u64, foldhash::fast::RandomState>,
}

/// What remains to be written, the next on top.
#[derive(Debug, Clone, Copy)]
pub(super) enum Task {
    Value(Slot),
    /// Elements of an array without holes, or members of a Set, from `next` on.
    Items {
        node: NodeId,
        next: u32,
    },
    /// Properties of an object, or the extra ones of an array.
    Properties {
        node: NodeId,
        next: u32,
    },
    /// The rest of them, whose keys are symbols, as pairs.
    Symbols {
        node: NodeId,
        next: u32,
    },
    /// Pairs of a Map.
    Entries {
        node: NodeId,
        next: u32,
    },
    /// Pairs of index and element of an array with holes.
    Present {
        node: NodeId,
        next: u32,
    },
    /// Elements of a typed array.
    Elements {
        node: NodeId,
        next: u32,
    },
    /// A value with what stands before an element.
    Item(Slot),
    /// A key and a value.
    Member(&'static str, Slot),
    /// A key and an object of properties.
    Fields(&'static str, NodeId),
    /// A key and a number, or null.
    Count(&'static str, Option<u64>),
    Close(char),
    /// The object is no longer open.
    Leave(NodeId),
}

impl<'g> Writer<'g> {
    /// A writer at the start of the graph's text. Cost: the graph's node count.
    pub fn new(graph: &'g Graph<'_>, options: &JsonOptions) -> Self {
        let mut marks = vec![false; graph.nodes.len()];
        if options.lossy == Lossy::Show {
            graph.reachable(graph.root, |id, visit| marks[id.index()] |= visit == Visit::Again);
        }
        let by_size = graph.bytes_held().saturating_mul(64).saturating_add(64 << 20);
        Writer {
            graph,
            emit: Emit::new(usize::from(options.indent)),
            tasks: vec![Task::Value(graph.root)],
            lossy: options.lossy,
            max_bytes: options.max_bytes.unwrap_or(by_size),
            drained: 0,
            marks,
            labels: Default::default(),
        }
    }

    /// Writes up to `steps` values and ends of containers. Says whether all is written.
    ///
    /// # Errors
    ///
    /// Those of [`to_string`].
    pub fn run(&mut self, steps: usize) -> Result<bool, Error> {
        for _ in 0..steps {
            if self.tasks.is_empty() {
                return Ok(true);
            }
            self.step()?;
            if self.drained + self.emit.text.len() as u64 > self.max_bytes {
                let detail = format!("the JSON text is over {} bytes; raise JsonOptions::max_bytes", self.max_bytes);
                return Err(Error::new(ErrorKind::LimitExceeded, detail));
            }
        }
        Ok(self.tasks.is_empty())
    }

    /// Hands over the text that has been written since the last call.
    ///
    /// # Errors
    ///
    /// Those of `out`.
    pub fn drain(&mut self, out: &mut impl io::Write) -> io::Result<()> {
        out.write_all(self.emit.text.as_bytes())?;
        self.drained += self.emit.text.len() as u64;
        self.emit.text.clear();
        Ok(())
    }

    /// How many bytes of text have been written so far.
    pub fn position(&self) -> u64 {
        self.drained + self.emit.text.len() as u64
    }

    fn step(&mut self) -> Result<(), Error> {
        let Some(&task) = self.tasks.last() else { return Ok(()) };
        match task {
            Task::Items { node, next } => match self.item(node, next) {
                Some(slot) => {
                    self.advance();
                    self.emit.item();
                    self.value(slot)
                }
                None => self.done(),
            },
            Task::Properties { node, next } => self.property(node, next),
            Task::Value(slot) => {
                self.tasks.pop();
                self.value(slot)
            }
            Task::Close(bracket) => {
                self.emit.close(bracket);
                self.done()
            }
            Task::Leave(node) => {
                self.marks[node.index()] = false;
                self.done()
            }
            Task::Symbols { .. }
            | Task::Entries { .. }
            | Task::Present { .. }
            | Task::Elements { .. }
            | Task::Item(_)
            | Task::Member(..)
            | Task::Fields(..)
            | Task::Count(..) => self.show_task(task),
        }
    }

    /// Takes the task on top off.
    pub(super) fn done(&mut self) -> Result<(), Error> {
        self.tasks.pop();
        Ok(())
    }

    /// Puts the list on top one further.
    #[inline]
    pub(super) fn advance(&mut self) {
        if let Some(
            Task::Items { next, .. }
            | Task::Properties { next, .. }
            | Task::Symbols { next, .. }
            | Task::Entries { next, .. }
            | Task::Present { next, .. }
            | Task::Elements { next, .. },
        ) = self.tasks.last_mut()
        {
            *next += 1;
        }
    }

    #[inline]
    fn item(&self, node: NodeId, index: u32) -> Option<Slot> {
        match self.graph.node(node)? {
            Node::Array(span) | Node::Set(span) => {
                (index < span.len).then(|| self.graph.slots[span.start as usize + index as usize])
            }
            packed => self.graph.element(packed, index),
        }
    }

    fn property(&mut self, node: NodeId, next: u32) -> Result<(), Error> {
        let graph = self.graph;
        let Some(properties) = graph.node(node).and_then(|node| graph.properties_of(node)) else { return self.done() };
        if next as usize >= properties.values.count {
            return self.done();
        }
        match graph.property_key(properties, next as usize) {
            Key::String(name) => {
                self.advance();
                self.emit.key(name);
                self.value(graph.slots[properties.values.at(next as usize)])
            }
            Key::Symbol(_) if self.lossy == Lossy::Show => {
                self.tasks.pop();
                self.emit.name("$symbols");
                self.open('[', ']', Task::Symbols { node, next });
                Ok(())
            }
            Key::Symbol(_) => {
                self.advance();
                Err(self.refusal("symbol keys"))
            }
        }
    }

    /// Opens a container whose content is `content`.
    pub(super) fn open(&mut self, open: char, close: char, content: Task) {
        self.emit.open(open);
        self.tasks.extend([Task::Close(close), content]);
    }

    /// Writes a value as far as it has no parts, and puts on the stack what remains.
    pub(super) fn value(&mut self, slot: Slot) -> Result<(), Error> {
        match slot {
            Slot::Null => self.emit.text.push_str("null"),
            Slot::Bool(truth) => self.emit.text.push_str(if truth { "true" } else { "false" }),
            Slot::Number(number) if number.is_finite() => self.emit.number(number),
            Slot::Text(text) => self.emit.string(self.graph.lend_text(text)),
            Slot::Node(id) => return self.object(id),
            _ if self.lossy == Lossy::Show => self.show_primitive(slot),
            Slot::Undefined => return Err(self.refusal("undefined")),
            Slot::Number(_) => return Err(self.refusal("NaN and no Infinity")),
            Slot::BigInt(_) => return Err(self.refusal("BigInt")),
            Slot::Symbol(_) => return Err(self.refusal("Symbol")),
        }
        Ok(())
    }

    fn object(&mut self, id: NodeId) -> Result<(), Error> {
        let graph = self.graph;
        let Some(node) = graph.node(id) else { return self.value(Slot::Null) };
        if self.lossy == Lossy::Show {
            if self.show_reference(id) {
                return Ok(());
            }
        } else {
            if std::mem::replace(&mut self.marks[id.index()], true) {
                let detail = "JSON has no references, and this object holds itself";
                return Err(Error::new(ErrorKind::Unrepresentable, detail).at_path(self.path()));
            }
            self.tasks.push(Task::Leave(id));
        }
        match node {
            Node::Array(_) | Node::Packed { .. } => self.open('[', ']', Task::Items { node: id, next: 0 }),
            Node::Object { .. } | Node::Dictionary(_) if graph.shape_kind(node) == Some(ShapeKind::Plain) => {
                self.open('{', '}', Task::Properties { node: id, next: 0 });
            }
            _ if self.lossy == Lossy::Show => self.show_object(id, node),
            _ => {
                let what = super::show::kind_name(graph, id);
                return Err(self.refusal(what));
            }
        }
        Ok(())
    }

    #[cold]
    fn refusal(&self, what: &str) -> Error {
        Error::new(ErrorKind::Unrepresentable, format!("JSON has no {what}")).at_path(self.path())
    }

    /// The path to the value that is being written. The lists on the stack stand behind it already.
    fn path(&self) -> String {
        let steps = self.tasks.iter().filter_map(|task| match *task {
            Task::Items { node, next } | Task::Properties { node, next } if next > 0 => {
                Some(Step { node, index: next - 1 })
            }
            _ => None,
        });
        path(self.graph, steps)
    }
}

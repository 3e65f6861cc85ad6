//! Printing a graph as text that reads like JavaScript, with a label where a value is referred to again.

use std::fmt::{self, Display, Write};

use super::Graph;
use super::cursor::{Cursor, Kind};
use super::literal::{
    shorten, write_bigint, write_bytes, write_elements, write_key, write_left_out, write_number, write_symbol,
    write_text,
};
use super::node::{Node, NodeId};
use super::shape::Key;
use super::slot::{Slot, Value};
use super::walk::Visit;

/// How to print a graph: how deep, how much of each container, on one line or several.
///
/// `&1` marks a value that is referred to again, `*1` stands for it. Holes print as `<3 empty>`, what is left out as
/// `…`. Nothing recurses, so any depth prints.
///
/// # Examples
///
/// ```
/// use marshal::js;
///
/// let deep = js!({ a: [1, 2, 3, [4, [5]]], t: "text" });
/// assert_eq!(deep.print().depth(2).items(3).to_string(), r#"{a: [1, 2, 3, … 1 more], t: "text"}"#);
/// assert_eq!(format!("{deep:#}"), "{\n  a: [\n    1,\n    2,\n    3,\n    [\n      4,\n      [\n        5\n      ]\n    ]\n  ],\n  t: \"text\"\n}");
/// ```
#[derive(Clone, Copy)]
pub struct Printer<'g> {
    root: Cursor<'g>,
    depth: usize,
    items: usize,
    text: usize,
    pretty: bool,
}

impl Graph<'_> {
    /// A printer of the whole graph, without bounds.
    pub fn print(&self) -> Printer<'_> {
        Printer { root: self.root(), depth: usize::MAX, items: usize::MAX, text: usize::MAX, pretty: false }
    }
}

impl Printer<'_> {
    /// Containers deeper than this print as `…`; the root is at depth 0.
    pub fn depth(self, depth: usize) -> Self {
        Printer { depth, ..self }
    }

    /// Of a container with more values than this the first print; so do the first bytes of a buffer.
    pub fn items(self, items: usize) -> Self {
        Printer { items, ..self }
    }

    /// Of a string, key or name longer than this many characters the first print; of a long BigInt the first bytes.
    pub fn text(self, characters: usize) -> Self {
        Printer { text: characters, ..self }
    }

    /// One value a line, indented; beyond 64 levels no further, as spaces would outgrow the values.
    pub fn pretty(self, pretty: bool) -> Self {
        Printer { pretty, ..self }
    }
}

impl fmt::Display for Graph<'_> {
    /// The whole graph; `{:#}` indents.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.print().pretty(f.alternate()).fmt(f)
    }
}

impl fmt::Debug for Graph<'_> {
    /// The graph within bounds that suit a failed assertion: 64 levels, 256 items, 1,024 characters.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.print().depth(64).items(256).text(1024).pretty(f.alternate()).fmt(f)
    }
}

impl fmt::Debug for Cursor<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Printer { root: *self, depth: 8, items: 64, text: 1024, pretty: f.alternate() }.fmt(f)
    }
}

impl fmt::Display for Cursor<'_> {
    /// The value with all it refers to.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Printer { root: *self, ..self.graph().print() }.pretty(f.alternate()).fmt(f)
    }
}

impl fmt::Display for Printer<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut again = vec![false; self.root.graph().nodes.len()];
        self.root.graph().reachable(self.root.slot(), |id, visit| {
            if visit == Visit::Again {
                again[id.index()] = true;
            }
        });
        let graph = self.root.graph();
        let mut print = Print { options: *self, graph, out: f, again, labels: Default::default(), open: Vec::new() };
        print.value(self.root.slot())?;
        while let Some(frame) = print.open.pop() {
            print.step(frame)?;
        }
        Ok(())
    }
}

/// Levels of indentation: the text of a deep graph stays linear in its size.
const MAX_INDENT: usize = 64;

/// A container whose parts are being printed.
struct Frame {
    node: Node,
    parts: Parts,
    /// Parts printed so far, of `count`.
    next: usize,
    count: usize,
    /// Elements of an array with holes that have been printed or passed over.
    passed: u32,
    empty: bool,
    close: &'static str,
}

/// What the parts of a container are.
#[derive(Clone, Copy, PartialEq)]
enum Parts {
    Elements,
    /// Pairs of index and element, holes between them, then extra properties.
    Sparse,
    Properties,
    /// Keys and values in turn.
    Map,
    Set,
    /// The value in a wrapper, a base, a payload.
    Inner,
    /// The buffer of a view.
    Buffer,
}

struct Print<'p, 'g, 'f> {
    options: Printer<'g>,
    graph: &'g Graph<'g>,
    out: &'p mut fmt::Formatter<'f>,
    /// By node: whether it is referred to again.
    again: Vec<bool>,
    labels: hashbrown::HashMap<NodeId, usize, foldhash::fast::RandomState>,
    open: Vec<Frame>,
}

impl Print<'_, '_, '_> {
    /// Prints a value as far as it has no parts, and opens a frame for those.
    fn value(&mut self, slot: Slot) -> fmt::Result {
        let value = self.graph.cursor(Value(slot));
        if let Some(id) = value.id() {
            if let Some(label) = self.labels.get(&id) {
                return write!(self.out, "*{label}");
            }
            if self.again.get(id.index()) == Some(&true) {
                let label = self.labels.len() + 1;
                self.labels.insert(id, label);
                write!(self.out, "&{label} ")?;
            }
            if let Some(node) = self.graph.node(id) {
                return self.object(value, node);
            }
        }
        match slot {
            Slot::Undefined | Slot::Node(_) => self.out.write_str("undefined"),
            Slot::Null => self.out.write_str("null"),
            Slot::Bool(truth) => write!(self.out, "{truth}"),
            Slot::Number(number) => write_number(self.out, number),
            Slot::Text(text) => write_text(self.out, self.graph.lend_text(text), self.options.text),
            Slot::BigInt(_) => value.bigint().map_or(Ok(()), |n| write_bigint(self.out, n, self.options.text)),
            Slot::Symbol(_) => write_symbol(self.out, value.symbol(), self.options.text),
        }
    }

    fn object(&mut self, value: Cursor<'_>, node: Node) -> fmt::Result {
        match value.kind() {
            Kind::Date => {
                self.out.write_str("Date(")?;
                write_number(self.out, value.date().unwrap_or(f64::NAN))?;
                self.out.write_char(')')
            }
            Kind::RegExp => {
                let Some(regexp) = value.regexp() else { return Ok(()) };
                let (source, left_out) = shorten(regexp.source(), self.options.text);
                write!(self.out, "/{source}")?;
                write_left_out(self.out, left_out)?;
                write!(self.out, "/{}", regexp.flags())?;
                if regexp.last_index() > 0 {
                    write!(self.out, "@{}", regexp.last_index())?;
                }
                Ok(())
            }
            Kind::ArrayBuffer => {
                let Some(buffer) = value.buffer() else { return Ok(()) };
                write_bytes(self.out, buffer, self.options.items)
            }
            Kind::TypedArray | Kind::DataView => self.view(value, node),
            Kind::Array => {
                let parts = if matches!(node, Node::Sparse(_)) { Parts::Sparse } else { Parts::Elements };
                self.open(node, parts, "[", "]")
            }
            Kind::Map => self.open(node, Parts::Map, "Map{", "}"),
            Kind::Set => self.open(node, Parts::Set, "Set[", "]"),
            Kind::Boxed => self.open(node, Parts::Inner, "Object(", ")"),
            Kind::Error => {
                self.out.write_str(value.error().map_or("", super::ErrorConstructor::name))?;
                self.open(node, Parts::Properties, " {", "}")
            }
            Kind::Instance => {
                self.class(value)?;
                self.open(node, Parts::Properties, " {", "}")
            }
            Kind::Custom | Kind::Derived => {
                self.class(value)?;
                self.open(node, Parts::Inner, "(", ")")
            }
            _ if value.has_null_prototype() => self.open(node, Parts::Properties, "null {", "}"),
            _ => self.open(node, Parts::Properties, "{", "}"),
        }
    }

    /// `Name` or `Name@2`, quoted where it is no identifier.
    fn class(&mut self, value: Cursor<'_>) -> fmt::Result {
        let Some(class) = value.class() else { return Ok(()) };
        write_key(self.out, class.name(), self.options.text)?;
        if class.version() != 0 {
            write!(self.out, "@{}", class.version())?;
        }
        Ok(())
    }

    /// Elements alone, where the view shows all of a fixed buffer that nothing else refers to; else the buffer with the
    /// view's offset and length.
    fn view(&mut self, value: Cursor<'_>, node: Node) -> fmt::Result {
        let Some(view) = value.view() else { return Ok(()) };
        let elements = view.elements();
        let own = view.buffer().id().is_some_and(|id| !self.again[id.index()] && !self.labels.contains_key(&id));
        let whole = view
            .buffer()
            .buffer()
            .is_some_and(|buffer| buffer.max_byte_length().is_none() && buffer.bytes().len() == elements.bytes().len());
        self.out.write_str(elements.kind().constructor())?;
        if own && whole && value.kind() == Kind::TypedArray {
            return write_elements(self.out, elements, self.options.items);
        }
        self.open(node, Parts::Buffer, "(", ")")
    }

    fn open(&mut self, node: Node, parts: Parts, open: &str, close: &'static str) -> fmt::Result {
        self.out.write_str(open)?;
        let values = self.graph.values_of(node).count;
        let count = match parts {
            Parts::Inner | Parts::Buffer => 1,
            Parts::Elements => self.graph.array_len(node).unwrap_or(0) as usize,
            Parts::Properties => self.graph.properties_of(node).map_or(0, |all| all.values.count),
            // One more, for the holes at the end.
            Parts::Sparse => values + 1,
            Parts::Map | Parts::Set => values,
        };
        if self.open.len() >= self.options.depth && count > 0 {
            return write!(self.out, "…{close}");
        }
        self.open.push(Frame { node, parts, next: 0, count, passed: 0, empty: true, close });
        Ok(())
    }

    /// Prints the next part of a frame, which has been taken off the stack; puts it back unless it is done.
    fn step(&mut self, mut frame: Frame) -> fmt::Result {
        if frame.next >= frame.count {
            return self.close(frame);
        }
        let is_value = frame.parts == Parts::Map && frame.next % 2 == 1;
        let shown = if frame.parts == Parts::Map { frame.next / 2 } else { frame.next };
        if shown >= self.options.items && !is_value {
            let left = if frame.parts == Parts::Map { frame.count / 2 } else { frame.count } - shown;
            self.separate(&mut frame)?;
            write!(self.out, "… {left} more")?;
            return self.close(frame);
        }
        if frame.parts == Parts::Sparse && self.holes(&mut frame)? {
            self.open.push(frame);
            return Ok(());
        }
        if is_value {
            self.out.write_str(" => ")?;
        } else {
            self.separate(&mut frame)?;
        }
        let slot = self.part(&frame)?;
        frame.next += 1;
        self.open.push(frame);
        self.value(slot)
    }

    /// The value of the next part of a frame; its key is printed.
    fn part(&mut self, frame: &Frame) -> Result<Slot, fmt::Error> {
        let values = self.graph.values_of(frame.node);
        let property = |this: &mut Self, index: usize| -> Result<Slot, fmt::Error> {
            let Some(all) = this.graph.properties_of(frame.node) else { return Ok(Slot::Undefined) };
            match this.graph.property_key(all, index) {
                Key::String(name) => write_key(this.out, name, this.options.text)?,
                Key::Symbol(symbol) => {
                    this.out.write_char('[')?;
                    write_symbol(this.out, this.graph.shapes.symbol(symbol), this.options.text)?;
                    this.out.write_char(']')?;
                }
            }
            this.out.write_str(": ")?;
            Ok(this.graph.slots[all.values.at(index)])
        };
        Ok(match (frame.parts, frame.node) {
            (Parts::Elements, node) => self.graph.element(node, frame.next as u32).unwrap_or(Slot::Undefined),
            (Parts::Properties, _) => property(self, frame.next)?,
            (Parts::Sparse, Node::Sparse(side)) if frame.next >= self.graph.sparse[side as usize].present as usize => {
                property(self, frame.next - self.graph.sparse[side as usize].present as usize)?
            }
            (Parts::Buffer, Node::View(side)) => Slot::Node(self.graph.views[side as usize].buffer),
            (Parts::Inner, _) => self.graph.slots[values.start],
            _ => self.graph.slots[values.at(frame.next)],
        })
    }

    /// Prints the holes in front of the next element of an array, if there are any.
    fn holes(&mut self, frame: &mut Frame) -> Result<bool, fmt::Error> {
        let Node::Sparse(side) = frame.node else { return Ok(false) };
        let sparse = self.graph.sparse[side as usize];
        let index = match self.graph.slots.get(sparse.span.start as usize + 2 * frame.next) {
            Some(&Slot::Number(index)) if frame.next < sparse.present as usize => index as u32,
            _ => sparse.length,
        };
        let holes = index.saturating_sub(frame.passed);
        if frame.next + 1 == frame.count {
            // Only the holes at the end are left.
            frame.next += 1;
        }
        let last = frame.next >= sparse.present as usize;
        frame.passed = if last { sparse.length } else { index + u32::from(holes == 0) };
        if holes > 0 {
            self.separate(frame)?;
            write!(self.out, "<{holes} empty>")?;
        }
        Ok(holes > 0 || frame.next == frame.count)
    }

    fn close(&mut self, frame: Frame) -> fmt::Result {
        if !frame.empty && self.options.pretty && frame.parts != Parts::Inner && frame.parts != Parts::Buffer {
            self.line(self.open.len())?;
        }
        self.out.write_str(match frame.parts {
            Parts::Buffer => "",
            _ => frame.close,
        })?;
        match (frame.parts, frame.node) {
            (Parts::Buffer, Node::View(side)) => {
                let view = self.graph.views[side as usize];
                write!(self.out, ", {}", view.offset)?;
                if let Some(len) = view.len {
                    write!(self.out, ", {len}")?;
                }
                self.out.write_str(frame.close)
            }
            // The fields of a derived instance follow its base.
            (Parts::Inner, node @ Node::Derived { .. }) if self.graph.values_of(node).count > 1 => {
                self.open(node, Parts::Properties, " {", "}")
            }
            _ => Ok(()),
        }
    }

    fn separate(&mut self, frame: &mut Frame) -> fmt::Result {
        if !frame.empty {
            self.out.write_char(',')?;
        }
        if self.options.pretty && !matches!(frame.parts, Parts::Inner | Parts::Buffer) {
            self.line(self.open.len() + 1)?;
        } else if !frame.empty {
            self.out.write_char(' ')?;
        }
        frame.empty = false;
        Ok(())
    }

    fn line(&mut self, depth: usize) -> fmt::Result {
        self.out.write_char('\n')?;
        (0..depth.min(MAX_INDENT)).try_for_each(|_| self.out.write_str("  "))
    }
}

#[cfg(test)]
mod tests {
    use super::super::{ErrorConstructor, WellKnown};
    use super::*;

    fn print(build: impl FnOnce(&mut Graph<'static>) -> Value) -> String {
        let mut graph = Graph::new();
        let root = build(&mut graph);
        graph.set_root(root);
        graph.to_string()
    }

    #[test]
    fn every_kind_prints() {
        let one = Value::from(1);
        assert_eq!(
            print(|g| g.sparse_array(5, [(1, one), (3, one)]).unwrap()),
            "[<1 empty>, 1, <1 empty>, 1, <1 empty>]"
        );
        assert_eq!(print(|g| g.sparse_array(u32::MAX, []).unwrap()), "[<4294967295 empty>]");
        assert_eq!(
            print(|g| {
                let array = g.sparse_array(2, [(0, one)]).unwrap();
                g.set(array, "extra", Value::NULL).unwrap();
                array
            }),
            "[1, <1 empty>, extra: null]"
        );
        assert_eq!(
            print(|g| {
                let array = g.array([one]);
                g.set(array, "extra", Value::NULL).unwrap();
                array
            }),
            "[1, extra: null]"
        );
        assert_eq!(print(|g| g.map([(one, Value::TRUE), (Value::NULL, one)])), "Map{1 => true, null => 1}");
        assert_eq!(print(|g| g.set_of([one, one])), "Set[1]");
        assert_eq!(print(|g| g.date(f64::NAN)), "Date(NaN)");
        assert_eq!(print(|g| g.regexp("a/b", "gi", 3).unwrap()), "/a\\/b/gi@3");
        assert_eq!(print(|g| g.boxed(one).unwrap()), "Object(1)");
        assert_eq!(print(|g| g.null_object([("a b", one)])), "null {\"a b\": 1}");
        assert_eq!(print(|g| g.instance("User", 2, [("n", one)]).unwrap()), "User@2 {n: 1}");
        assert_eq!(print(|g| g.custom("URL", 0, Value::NULL).unwrap()), "URL(null)");
        assert_eq!(print(|g| g.error(ErrorConstructor::TypeError, [("code", one)])), "TypeError {code: 1}");
        assert_eq!(print(|g| g.bigint(-5)), "-5n");
        assert_eq!(print(|g| g.string_utf16(&[0xD800])), "\"\\uD800\"");
        assert_eq!(print(|_| Value::from(-0.0)), "-0");
        assert_eq!(print(|g| Value::from(g.symbol_well_known(WellKnown::Iterator))), "Symbol.iterator");
        assert_eq!(
            print(|g| {
                let key = g.symbol_for("k");
                g.object([(key, one)])
            }),
            "{[Symbol.for(\"k\")]: 1}"
        );
        assert_eq!(
            print(|g| {
                let base = g.array([one]);
                g.derived("Stack", 0, base, [("top", one)]).unwrap()
            }),
            "Stack([1]) {top: 1}"
        );
        assert_eq!(
            print(|g| {
                let buffer = g.buffer(&[1, 2, 3]);
                let view = g.view(crate::wire::ElementKind::Uint8, buffer, 1, Some(2)).unwrap();
                g.array([view, buffer])
            }),
            "[Uint8Array(&1 ArrayBuffer[01 02 03], 1, 2), *1]"
        );
    }

    #[test]
    fn a_map_whose_keys_are_containers_prints_in_order() {
        let text = print(|g| {
            let key = g.array([Value::from(1)]);
            let value = g.array([key]);
            g.map([(key, value)])
        });
        assert_eq!(text, "Map{&1 [1] => [*1]}");
    }
}

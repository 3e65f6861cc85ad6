//! What JSON can't hold, in the form that [`Lossy::Show`](super::Lossy::Show) documents.

use super::write::{Task, Writer};
use crate::error::Error;
use crate::graph::{Cursor, Graph, JsStr, Key, Kind, Node, NodeId, ShapeKind, Slot, SymbolKind, Value};
use crate::wire::ElementKind;

/// What a refusal says that JSON does not have.
pub(super) fn kind_name(graph: &Graph<'_>, id: NodeId) -> &'static str {
    match graph.cursor(Value(Slot::Node(id))).kind() {
        Kind::Array => "arrays with holes or extra properties",
        Kind::Object => "objects with a null prototype",
        Kind::Instance | Kind::Derived => "class instances",
        Kind::Custom => "custom values",
        Kind::Map => "Map",
        Kind::Set => "Set",
        Kind::Date => "Date",
        Kind::RegExp => "RegExp",
        Kind::Error => "Error",
        Kind::Boxed => "wrapper objects",
        Kind::ArrayBuffer => "ArrayBuffer",
        Kind::TypedArray => "typed arrays",
        Kind::DataView => "DataView",
        _ => "such value",
    }
}

impl<'g> Writer<'g> {
    /// Writes a reference to an object that has been written, or the number under which it will be referred to.
    pub(super) fn show_reference(&mut self, id: NodeId) -> bool {
        if self.marks.get(id.index()) != Some(&true) {
            return false;
        }
        let next = self.labels.len() as u64 + 1;
        let (name, label) = match self.labels.get(&id) {
            Some(&label) => ("$ref", label),
            None => ("$id", next),
        };
        self.emit.open('{');
        self.emit.name(name);
        self.emit.integer(label);
        if name == "$ref" {
            self.emit.close('}');
            return true;
        }
        self.labels.insert(id, label);
        self.emit.name("value");
        self.tasks.push(Task::Close('}'));
        false
    }

    pub(super) fn show_primitive(&mut self, slot: Slot) {
        let value = self.cursor(slot);
        self.emit.open('{');
        match slot {
            Slot::Number(number) => {
                self.emit.name("$number");
                let name = if number.is_nan() { "NaN" } else { ["Infinity", "-Infinity"][usize::from(number < 0.0)] };
                self.emit.quoted(name);
            }
            Slot::BigInt(_) => {
                self.emit.name("$bigint");
                value.bigint().into_iter().for_each(|n| self.emit.quoted(n));
            }
            Slot::Symbol(index) => {
                self.emit.name("$symbol");
                self.symbol(index);
            }
            _ => {
                self.emit.name("$undefined");
                self.emit.text.push_str("true");
            }
        }
        self.emit.close('}');
    }

    fn symbol(&mut self, index: u32) {
        self.emit.open('{');
        match self.graph.shapes.symbol(index).map(|symbol| symbol.kind()) {
            Some(SymbolKind::WellKnown(symbol)) => {
                self.emit.name("wellKnown");
                self.emit.quoted(symbol.name());
            }
            Some(SymbolKind::Registered(key)) => {
                self.emit.name("for");
                self.emit.string(key);
            }
            described => {
                self.emit.name("id");
                self.emit.integer(u64::from(index));
                if let Some(SymbolKind::Described(text)) = described {
                    self.emit.name("description");
                    self.emit.string(text);
                }
            }
        }
        self.emit.close('}');
    }

    /// Opens the form of an object that is neither a plain one nor an array without holes.
    pub(super) fn show_object(&mut self, id: NodeId, node: Node) {
        let graph = self.graph;
        let value = self.cursor(Slot::Node(id));
        self.emit.open('{');
        self.tasks.push(Task::Close('}'));
        match node {
            Node::Map(_) => self.list("$map", Task::Entries { node: id, next: 0 }),
            Node::Set(_) => self.list("$set", Task::Items { node: id, next: 0 }),
            Node::Date(ms) => {
                self.emit.name("$date");
                match iso(ms) {
                    Some(text) => self.emit.quoted(text),
                    None => self.emit.text.push_str("null"),
                }
            }
            Node::RegExp { .. } => {
                let Some(regexp) = value.regexp() else { return };
                self.text("$regexp", regexp.source());
                self.emit.name("flags");
                self.emit.quoted(regexp.flags());
                self.emit.name("lastIndex");
                self.emit.integer(regexp.last_index());
            }
            Node::Boxed { start } => self.tasks.push(Task::Member("$boxed", graph.slots[start as usize])),
            Node::Buffer(_) => {
                let Some(buffer) = value.buffer() else { return };
                self.emit.name("$buffer");
                self.emit.quoted(Hex(buffer.bytes()));
                if let Some(max) = buffer.max_byte_length() {
                    self.emit.name("maxByteLength");
                    self.emit.integer(max);
                }
            }
            Node::View(_) => self.view(id, value),
            Node::Sparse(side) => {
                let sparse = graph.sparse[side as usize];
                if sparse.span.len > 2 * sparse.present {
                    self.tasks.push(Task::Fields("properties", id));
                }
                self.tasks.push(Task::Count("length", Some(u64::from(sparse.length))));
                self.list("$array", Task::Present { node: id, next: 0 });
            }
            Node::Object { .. }
            | Node::NullDictionary(_)
            | Node::Derived { .. }
            | Node::Custom { .. }
            | Node::Dictionary(_)
            | Node::Array(_)
            | Node::Packed { .. } => match graph.shape_kind(node) {
                Some(ShapeKind::Error(constructor)) => {
                    self.text("$error", constructor.name().into());
                    self.tasks.push(Task::Fields("fields", id));
                }
                Some(ShapeKind::Class(class)) => {
                    self.class("$class", class);
                    self.tasks.push(Task::Fields("fields", id));
                }
                Some(ShapeKind::Derived(class)) => {
                    self.class("$class", class);
                    let base = graph.slots[graph.values_of(node).start];
                    self.tasks.extend([Task::Fields("fields", id), Task::Member("base", base)]);
                }
                Some(ShapeKind::Custom(class)) => {
                    self.class("$custom", class);
                    self.tasks.push(Task::Member("payload", graph.slots[graph.values_of(node).start]));
                }
                _ => self.tasks.push(Task::Fields("$null", id)),
            },
        }
    }

    pub(super) fn show_task(&mut self, task: Task) -> Result<(), Error> {
        let graph = self.graph;
        match task {
            Task::Symbols { node, next } => {
                let properties = graph.node(node).and_then(|node| graph.properties_of(node)).unwrap_or_default();
                if next as usize >= properties.values.count {
                    return self.done();
                }
                if let Key::Symbol(symbol) = graph.property_key(properties, next as usize) {
                    self.pair(|this| this.show_primitive(Slot::Symbol(symbol)));
                }
                self.tasks.push(Task::Item(graph.slots[properties.values.at(next as usize)]));
            }
            Task::Entries { node, next } => {
                let values = graph.node(node).map(|node| graph.values_of(node)).unwrap_or_default();
                let at = 2 * next as usize;
                if at >= values.count {
                    return self.done();
                }
                self.advance();
                self.emit.item();
                self.emit.open('[');
                let [key, value] = [graph.slots[values.at(at)], graph.slots[values.at(at + 1)]];
                self.tasks.extend([Task::Close(']'), Task::Item(value), Task::Item(key)]);
            }
            Task::Present { node, next } => {
                let Some(Node::Sparse(side)) = graph.node(node) else { return self.done() };
                let sparse = graph.sparse[side as usize];
                if next >= sparse.present {
                    return self.done();
                }
                let pair = &graph.slots[sparse.span.start as usize + 2 * next as usize..];
                if let Slot::Number(index) = pair[0] {
                    self.pair(|this| this.emit.number(index));
                }
                self.tasks.push(Task::Item(pair[1]));
            }
            Task::Elements { node, next } => {
                let Some(elements) = self.cursor(Slot::Node(node)).elements() else { return self.done() };
                if next as usize >= elements.len() {
                    return self.done();
                }
                self.advance();
                self.emit.item();
                let raw = elements.bytes().get(8 * next as usize..8 * next as usize + 8);
                let word = raw.and_then(|raw| raw.try_into().ok()).map_or(0, u64::from_le_bytes);
                match elements.kind() {
                    ElementKind::BigInt64 => self.bigint(word as i64),
                    ElementKind::BigUint64 => self.bigint(word),
                    _ => return self.value(Slot::number(elements.get(next as usize).unwrap_or(f64::NAN))),
                }
            }
            Task::Item(slot) => {
                self.tasks.pop();
                self.emit.item();
                return self.value(slot);
            }
            Task::Member(name, slot) => {
                self.tasks.pop();
                self.emit.name(name);
                return self.value(slot);
            }
            Task::Fields(name, node) => {
                self.tasks.pop();
                self.emit.name(name);
                self.open('{', '}', Task::Properties { node, next: 0 });
            }
            Task::Count(name, count) => {
                self.tasks.pop();
                self.emit.name(name);
                match count {
                    Some(count) => self.emit.integer(count),
                    None => self.emit.text.push_str("null"),
                }
            }
            _ => self.tasks.truncate(self.tasks.len() - 1),
        }
        Ok(())
    }

    /// Takes the next of a list as a pair, and writes its first half.
    fn pair(&mut self, first: impl FnOnce(&mut Self)) {
        self.advance();
        self.emit.item();
        self.emit.open('[');
        self.emit.item();
        first(self);
        self.tasks.push(Task::Close(']'));
    }

    /// The values alone, where the view shows all of a fixed buffer that nothing else refers to; else the buffer and what
    /// is seen of it.
    fn view(&mut self, id: NodeId, value: Cursor<'g>) {
        let Some(view) = value.view() else { return };
        let elements = view.elements();
        let buffer = view.buffer();
        let whole = buffer
            .buffer()
            .is_some_and(|buffer| buffer.max_byte_length().is_none() && buffer.bytes().len() == elements.bytes().len());
        let own = buffer.id().is_some_and(|id| !self.marks[id.index()]);
        let constructor = JsStr::from(elements.kind().constructor());
        if own && whole && elements.kind() != ElementKind::DataView {
            self.text("$typedArray", constructor);
            return self.list("values", Task::Elements { node: id, next: 0 });
        }
        self.text("$view", constructor);
        self.tasks.extend([
            Task::Count("length", (!view.tracks_length()).then_some(elements.len() as u64)),
            Task::Count("byteOffset", Some(view.byte_offset())),
            Task::Member("buffer", buffer.slot()),
        ]);
    }

    fn class(&mut self, name: &'static str, class: crate::graph::ClassRef<'_>) {
        self.text(name, class.name());
        self.emit.name("version");
        self.emit.integer(u64::from(class.version()));
    }

    fn text(&mut self, name: &'static str, text: JsStr<'_>) {
        self.emit.name(name);
        self.emit.string(text);
    }

    fn list(&mut self, name: &'static str, content: Task) {
        self.emit.name(name);
        self.open('[', ']', content);
    }

    fn bigint(&mut self, n: impl std::fmt::Display) {
        self.emit.open('{');
        self.emit.name("$bigint");
        self.emit.quoted(n);
        self.emit.close('}');
    }

    fn cursor(&self, slot: Slot) -> Cursor<'g> {
        self.graph.cursor(Value(slot))
    }
}

struct Hex<'g>(&'g [u8]);

impl std::fmt::Display for Hex<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// A time value as Date's toISOString gives it; `None` for an invalid Date.
fn iso(ms: f64) -> Option<String> {
    const MS_A_DAY: i64 = 86_400_000;
    if ms.is_nan() {
        return None;
    }
    let (days, ms) = ((ms as i64).div_euclid(MS_A_DAY), (ms as i64).rem_euclid(MS_A_DAY));
    // Days since 1 March of year 0, in eras of 400 years, so that the leap day is the last of its year.
    let days = days + 719_468;
    let (era, day) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let date = day - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = year + 400 * era + i64::from(month <= 2);
    let year = match year {
        0..=9999 => format!("{year:04}"),
        _ => format!("{}{:06}", if year < 0 { '-' } else { '+' }, year.abs()),
    };
    let (hour, minute, second) = (ms / 3_600_000, ms / 60_000 % 60, ms / 1000 % 60);
    Some(format!("{year}-{month:02}-{date:02}T{hour:02}:{minute:02}:{second:02}.{:03}Z", ms % 1000))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_print_as_to_iso_string_gives_them() {
        for (ms, text) in [
            (0.0, "1970-01-01T00:00:00.000Z"),
            (1.7e12, "2023-11-14T22:13:20.000Z"),
            (-1.0, "1969-12-31T23:59:59.999Z"),
            (951_782_400_000.0, "2000-02-29T00:00:00.000Z"),
            (8.64e15, "+275760-09-13T00:00:00.000Z"),
            (-8.64e15, "-271821-04-20T00:00:00.000Z"),
            (-62_167_219_200_000.0, "0000-01-01T00:00:00.000Z"),
            (-62_167_219_200_001.0, "-000001-12-31T23:59:59.999Z"),
            (253_402_300_800_000.0, "+010000-01-01T00:00:00.000Z"),
        ] {
            assert_eq!(iso(ms).as_deref(), Some(text));
        }
        assert_eq!(iso(f64::NAN), None);
    }
}

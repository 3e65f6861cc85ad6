//! The path from the root to a value, as errors name it: `$.users[3].name`.
//!
//! Knows how an object holds its values ([`Graph::values_of`]), and nothing of who walks it.

use std::collections::VecDeque;
use std::fmt::Write;

use super::Graph;
use super::literal::{is_identifier, write_symbol, write_text};
use super::node::{Node, NodeId};
use super::shape::Key;
use super::slot::Slot;
use super::symbol::Symbol;

/// A step from an object to a value that it holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Step {
    pub(crate) node: NodeId,
    /// The value's index among those that [`Graph::values_of`] gives for the node, so a property counts once and a Map's
    /// entry twice; of a packed array, the element's index. Of no account where an object holds one thing: the buffer
    /// of a view, the source of a RegExp.
    pub(crate) index: u32,
}

/// One part of a path.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Segment<'t> {
    /// `.name`, `["a b"]`
    Name(super::JsStr<'t>),
    /// `[Symbol.iterator]`
    Symbol(Option<Symbol<'t>>),
    /// `[3]`
    Index(u32),
    /// `<key 0>`, `<value 0>`, `<member 0>`
    Entry(&'static str, u32),
    /// `<base>`, `<payload>`, `<primitive>`, `<buffer>`, `<source>`
    Inner(&'static str),
}

/// Of a long path this many segments are shown at its beginning, and as many at its end.
const SHOWN: usize = 16;
/// Of a long key this many characters are shown.
const KEY_SHOWN: usize = 64;

/// The path that leads from the root through `steps`, outermost first. Bounded, however many steps and however long the
/// keys: `$[0][0]…(999968 more)…[0].name`. Cost: linear in the number of steps.
pub(crate) fn path(graph: &Graph<'_>, steps: impl IntoIterator<Item = Step>) -> String {
    path_of(steps.into_iter().map(|step| graph.segment(step)))
}

/// The path that consists of `segments`, outermost first, bounded in the same way.
pub(crate) fn path_of<'t>(segments: impl IntoIterator<Item = Segment<'t>>) -> String {
    let mut segments = segments.into_iter();
    let mut path = String::from("$");
    segments.by_ref().take(SHOWN).for_each(|segment| write_segment(&mut path, segment));
    let mut last = VecDeque::with_capacity(SHOWN);
    let mut left_out = 0usize;
    for segment in segments {
        if last.len() == SHOWN {
            last.pop_front();
            left_out += 1;
        }
        last.push_back(segment);
    }
    if left_out > 0 {
        path.push_str(&format!("…({left_out} more)…"));
    }
    last.into_iter().for_each(|segment| write_segment(&mut path, segment));
    path
}

impl Graph<'_> {
    fn segment(&self, step: Step) -> Segment<'_> {
        let index = step.index;
        let Some(node) = self.node(step.node) else { return Segment::Inner("?") };
        match node {
            Node::Array(_) | Node::Packed { .. } => Segment::Index(index),
            Node::Sparse(side) if index < self.sparse[side as usize].present => {
                match self.slots.get(self.values_of(node).at(index as usize) - 1) {
                    Some(&Slot::Number(place)) => Segment::Index(place as u32),
                    _ => Segment::Index(index),
                }
            }
            Node::Sparse(side) => self.property_segment(node, index - self.sparse[side as usize].present),
            Node::Object { .. } | Node::Dictionary(_) | Node::NullDictionary(_) => self.property_segment(node, index),
            Node::Derived { .. } if index == 0 => Segment::Inner("base"),
            Node::Derived { .. } => self.property_segment(node, index - 1),
            Node::Map(_) => Segment::Entry(if index.is_multiple_of(2) { "key" } else { "value" }, index / 2),
            Node::Set(_) => Segment::Entry("member", index),
            Node::Custom { .. } => Segment::Inner("payload"),
            Node::Boxed { .. } => Segment::Inner("primitive"),
            Node::RegExp { .. } => Segment::Inner("source"),
            Node::View(_) => Segment::Inner("buffer"),
            Node::Date(_) | Node::Buffer(_) => Segment::Inner("?"),
        }
    }

    fn property_segment(&self, node: Node, index: u32) -> Segment<'_> {
        match self.properties_of(node) {
            Some(properties) if (index as usize) < properties.values.count => {
                match self.property_key(properties, index as usize) {
                    Key::String(name) => Segment::Name(name),
                    Key::Symbol(symbol) => Segment::Symbol(self.shapes.symbol(symbol)),
                }
            }
            // A container that is still being filled.
            _ => Segment::Inner("?"),
        }
    }
}

fn write_segment(path: &mut String, segment: Segment<'_>) {
    // Writing to a String does not fail.
    let _ = match segment {
        Segment::Name(name) => match (name.as_str(), name.array_index()) {
            (Some(name), _) if is_identifier(name) && name.len() <= KEY_SHOWN => write!(path, ".{name}"),
            (_, Some(index)) => write!(path, "[{index}]"),
            _ => in_brackets(path, |path| write_text(path, name, KEY_SHOWN)),
        },
        Segment::Symbol(symbol) => in_brackets(path, |path| write_symbol(path, symbol, KEY_SHOWN)),
        Segment::Index(index) => write!(path, "[{index}]"),
        Segment::Entry(what, index) => write!(path, "<{what} {index}>"),
        Segment::Inner(what) => write!(path, "<{what}>"),
    };
}

fn in_brackets(path: &mut String, write: impl FnOnce(&mut String) -> std::fmt::Result) -> std::fmt::Result {
    path.push('[');
    write(path)?;
    path.push(']');
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::{Value, WellKnown};
    use super::*;

    /// The path to each value that `value` holds.
    fn inside(graph: &Graph<'_>, value: Value) -> Vec<String> {
        let node = value.0.node().unwrap();
        let count = graph.values_of(graph.node(node).unwrap()).count as u32;
        (0..count).map(|index| path(graph, [Step { node, index }])).collect()
    }

    #[test]
    fn every_container_names_its_parts() {
        let mut g = Graph::new();
        let one = Value::from(1);
        let iterator = g.symbol_well_known(WellKnown::Iterator);
        let object = g.object([("a", one), ("a b", one), ("7", one)]);
        g.set(object, iterator, one).unwrap();
        assert_eq!(inside(&g, object), ["$[7]", "$.a", "$[\"a b\"]", "$[Symbol.iterator]"]);
        let sparse = g.sparse_array(9, [(2, one), (8, one)]).unwrap();
        g.set(sparse, "extra", one).unwrap();
        assert_eq!(inside(&g, sparse), ["$[2]", "$[8]", "$.extra"]);
        let map = g.map([(one, one), (Value::NULL, one)]);
        assert_eq!(inside(&g, map), ["$<key 0>", "$<value 0>", "$<key 1>", "$<value 1>"]);
        let set = g.set_of([one]);
        assert_eq!(inside(&g, set), ["$<member 0>"]);
        let base = g.array([one]);
        let derived = g.derived("Stack", 0, base, [("top", one)]).unwrap();
        assert_eq!(inside(&g, derived), ["$<base>", "$.top"]);
        let custom = g.custom("URL", 0, one).unwrap();
        assert_eq!(inside(&g, custom), ["$<payload>"]);
        let keys: Vec<String> = (0..300).map(|i| format!("k{i}")).collect();
        let dictionary = g.object(keys.iter().map(|key| (key, one)));
        assert_eq!(inside(&g, dictionary)[299], "$.k299");
        let packed = g.numbers(&[1u8, 2]).unwrap();
        assert_eq!(path(&g, [Step { node: packed.0.node().unwrap(), index: 1 }]), "$[1]");
    }

    #[test]
    fn long_paths_and_long_keys_are_bounded() {
        let mut g = Graph::new();
        let array = g.array([Value::NULL]);
        let step = Step { node: array.0.node().unwrap(), index: 0 };
        assert_eq!(path(&g, [step; 32]), format!("${}", "[0]".repeat(32)));
        let long = path(&g, (0..1_000_000).map(|_| step));
        assert_eq!(long, format!("${0}…(999968 more)…{0}", "[0]".repeat(16)));
        let key = "x".repeat(1 << 20);
        let object = g.object([(&key, Value::NULL)]);
        assert!(inside(&g, object)[0].len() < 128);
        let symbol = g.symbol_described(key.as_str());
        let object = g.object([(symbol, Value::NULL)]);
        assert!(inside(&g, object)[0].len() < 128);
        let object = g.object([(super::super::PropertyKey::utf16(&[0xD800; 1 << 20]), Value::NULL)]);
        assert!(inside(&g, object)[0].len() < 512);
    }
}

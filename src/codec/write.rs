//! Writing the structure: one value a step (`spec/format.md`, sections 3 to 9).

mod objects;

use foldhash::fast::RandomState;
use hashbrown::HashSet;

use super::emit::Emission;
use super::intern::{Intern, Interned};
use super::kept::Writing;
use super::options::EncodeOptions;
use super::write_shapes::Numbered;
use crate::error::ErrorKind;
use crate::graph::{Extent, Graph, Key, Node, NodeId, ShapeKind, Slot, Span, packed_kind};
use crate::wire::{structure, tag, varint};

/// The state of writing the structure.
pub(super) struct Write<'g> {
    pub(super) graph: &'g Graph<'g>,
    /// What grows while it is written.
    pub(super) kept: Box<Writing>,
    next_identity: u32,
    refs: bool,
    bases: HashSet<NodeId, RandomState>,
    strings: Option<Interned<'g>>,
    max_bytes: u64,
    /// Steps that are left of this run.
    left: usize,
}

/// A container that is being written: which of its slots comes next, and up to where.
#[derive(Debug, Clone, Copy)]
pub(super) struct Frame {
    next: u32,
    end: u32,
    /// [`NO_NODE`] for the frame of the root.
    pub(super) node: NodeId,
    role: Role,
}

const NO_NODE: NodeId = NodeId(u32::MAX);

/// How the slots of a container are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    /// Each slot as a value.
    Plain,
    Root,
    /// Every second slot: the values of a dictionary that is written with a shape.
    Values,
    /// A key of the shape before each: a shaped object that is written as a dictionary.
    Keyed,
    /// Pairs of index and value, as gap and value; the count of extra properties after them.
    Elements,
    /// `next` and `end` are element numbers of a packed array that is not written as one.
    Numbers,
    /// The base of a derived instance, then its fields.
    Derived,
}

impl Frame {
    /// The place of the value that is being written among the values of its object.
    pub(super) fn value_index(&self, graph: &Graph<'_>, node: Node) -> u32 {
        match self.role {
            Role::Numbers => self.next.saturating_sub(1),
            _ => graph.values_of(node).index_of(self.next.saturating_sub(1) as usize) as u32,
        }
    }
}

impl<'g> Write<'g> {
    #[inline]
    pub(super) fn new(graph: &'g Graph<'_>, options: &EncodeOptions) -> Self {
        let mut kept = Writing::take(graph);
        kept.stack.push(Frame { next: 0, end: 1, node: NO_NODE, role: Role::Root });
        Write {
            graph,
            kept,
            next_identity: 0,
            refs: false,
            bases: HashSet::default(),
            strings: options.intern_strings.then(|| Interned::of(graph)),
            max_bytes: options.max_bytes.unwrap_or(u64::MAX),
            left: 0,
        }
    }

    /// The open containers, outermost first.
    pub(super) fn frames(&self) -> impl Iterator<Item = &Frame> {
        self.kept.stack.iter()
    }

    /// What puts together what has been written.
    pub(super) fn emission(&mut self) -> Emission<'g> {
        Emission::new(self.kept.shapes.section(self.graph), &mut self.kept.parts, self.refs)
    }

    /// The identity that an object has been written with.
    pub(super) fn identity(&self, slot: Slot) -> Result<u64, ErrorKind> {
        let id = slot.node().ok_or(ErrorKind::UnknownValue)?;
        match self.kept.identities.get(id.index()) {
            // With its instance it is one object.
            Some(_) if self.bases.contains(&id) => Err(ErrorKind::SharedBase),
            Some(&identity) if identity > 0 => Ok(u64::from(identity - 1)),
            _ => Err(ErrorKind::UnknownValue),
        }
    }

    /// Whether all text that has been written is the graph's own.
    pub(super) fn has_own_text(&self) -> bool {
        self.kept.parts.text.is_of(self.graph)
    }

    /// Puts together what has been written, see [`Emission::run`].
    pub(super) fn emit(&self, emission: &mut Emission<'g>, steps: usize, out: &mut Vec<u8>) -> bool {
        emission.run(steps, self.graph, &self.kept.parts, out)
    }

    /// Puts together what has been written at once, and leaves the buffers to the next encoder.
    #[inline]
    pub(super) fn emit_whole(self, emission: Emission<'g>, out: &mut Vec<u8>) {
        emission.whole(self.graph, &self.kept.parts, out);
        self.kept.keep();
    }

    /// Writes up to `steps` values and says whether the root is complete.
    pub(super) fn run(&mut self, steps: usize) -> Result<bool, ErrorKind> {
        self.left = steps;
        while self.left > 0 {
            let &Frame { next, end, role, .. } = self.frame();
            if role == Role::Plain {
                let leaves = match self.graph.slots[next as usize] {
                    Slot::Node(_) => 0,
                    _ => self.leaves(next, end),
                };
                let next = next + leaves;
                self.frame_mut().next = next;
                if next < end {
                    if self.left == 0 {
                        return Ok(false);
                    }
                    self.left -= 1;
                    self.frame_mut().next += 1;
                    match self.graph.slots[next as usize] {
                        Slot::Node(id) => self.node(id)?,
                        slot => self.value(slot)?,
                    }
                }
            } else {
                self.left -= 1;
                self.frame_mut().next += 1;
                self.special(next as usize)?;
            }
            loop {
                let &Frame { next, end, role, .. } = self.frame();
                if next < end {
                    break;
                }
                if role == Role::Elements {
                    self.extra_properties();
                } else if self.kept.stack.len() == 1 {
                    return Ok(true);
                } else {
                    self.kept.stack.pop();
                }
            }
        }
        Ok(false)
    }

    #[inline]
    fn frame(&self) -> &Frame {
        &self.kept.stack[self.kept.stack.len() - 1]
    }

    /// The root's frame is never taken off the stack.
    #[inline]
    fn frame_mut(&mut self) -> &mut Frame {
        let current = self.kept.stack.len() - 1;
        &mut self.kept.stack[current]
    }

    /// Writes values that hold no others of the slots from `start` to `end`, up to the first that is something else: how
    /// many. Most values of most graphs are written here.
    #[inline(never)]
    fn leaves(&mut self, start: u32, end: u32) -> u32 {
        if self.strings.is_some() {
            return 0;
        }
        let slots = &self.graph.slots[start as usize..end as usize];
        let out = &mut self.kept.parts.structure;
        let mut run = self.kept.parts.text.run();
        let mut written = 0;
        for slot in slots.iter().take(self.left) {
            match *slot {
                Slot::Text(text) if !text.flag() => {
                    structure::string(out, text.len() as usize);
                    if !run.extend(text.at(), u64::from(text.len())) {
                        run = self.kept.parts.text.next_run(run, text.at(), u64::from(text.len()));
                    }
                }
                Slot::Number(number) => structure::number(out, number),
                Slot::Null => out.push(tag::NULL),
                Slot::Undefined => out.push(tag::UNDEFINED),
                Slot::Bool(truth) => out.push(tag::FALSE + u8::from(truth)),
                _ => break,
            }
            written += 1;
        }
        self.kept.parts.text.set_run(run);
        self.left -= written as usize;
        written
    }

    /// The next value of a container whose slots are not simply its values.
    fn special(&mut self, next: usize) -> Result<(), ErrorKind> {
        let graph = self.graph;
        match self.frame().role {
            Role::Plain => self.value(graph.slots[next]),
            Role::Root => self.value(graph.root),
            Role::Values => {
                self.frame_mut().next += 1;
                self.value(graph.slots[next + 1])
            }
            Role::Keyed => {
                if let Some(Node::Object { shape, start, .. }) = graph.node(self.frame().node) {
                    self.key(graph.shapes.key(shape, next - start as usize))?;
                }
                self.value(graph.slots[next])
            }
            Role::Elements => {
                self.frame_mut().next += 1;
                let index = |place: usize| match graph.slots[place] {
                    Slot::Number(index) => index as u64,
                    _ => 0,
                };
                let first = self.elements().map_or(next, |span| span.start as usize);
                let expected = if next == first { 0 } else { index(next - 2) + 1 };
                varint::write(&mut self.kept.parts.structure, index(next) - expected);
                self.value(graph.slots[next + 1])
            }
            Role::Numbers => {
                let number = graph.node(self.frame().node).and_then(|node| graph.element(node, next as u32));
                self.value(number.unwrap_or(Slot::Undefined))
            }
            Role::Derived => {
                self.frame_mut().role = Role::Plain;
                self.base(graph.slots[next])
            }
        }
    }

    /// The pairs of the array with holes that is being written.
    fn elements(&self) -> Option<Span> {
        match self.graph.node(self.frame().node)? {
            Node::Sparse(side) => Some(self.graph.sparse[side as usize].span),
            _ => None,
        }
    }

    fn value(&mut self, slot: Slot) -> Result<(), ErrorKind> {
        match slot {
            Slot::Number(number) => structure::number(&mut self.kept.parts.structure, number),
            Slot::Text(text) => return self.text(text),
            Slot::Node(id) => return self.node(id),
            Slot::Null => self.kept.parts.structure.push(tag::NULL),
            Slot::Undefined => self.kept.parts.structure.push(tag::UNDEFINED),
            Slot::Bool(false) => self.kept.parts.structure.push(tag::FALSE),
            Slot::Bool(true) => self.kept.parts.structure.push(tag::TRUE),
            Slot::BigInt(n) => {
                let magnitude = self.graph.magnitude(n);
                if magnitude.len() != n.len() as usize || magnitude.last().map_or(n.flag(), |&top| top == 0) {
                    return Err(ErrorKind::UnknownValue);
                }
                structure::bigint(&mut self.kept.parts.structure, n.flag(), magnitude);
            }
            Slot::Symbol(index) => {
                let number = self.kept.shapes.symbol(index).ok_or(ErrorKind::UnknownValue)?;
                structure::tagged(&mut self.kept.parts.structure, tag::SYMBOL, u64::from(number));
            }
        }
        Ok(())
    }

    fn key(&mut self, key: Key<'_>) -> Result<(), ErrorKind> {
        match key {
            Key::Symbol(index) => self.value(Slot::Symbol(index)),
            // The text of a shape's key is not in the graph's text, so it is copied, for each object that has it.
            Key::String(text) => {
                match (text.as_str(), text.as_utf16()) {
                    _ if self.kept.parts.copied_len() + text.bytes().len() as u64 > self.max_bytes => {
                        return Err(ErrorKind::LimitExceeded);
                    }
                    (_, Some(units)) => {
                        self.utf16_tag(units.len() / 2);
                        self.kept.parts.copied_payload(2, units);
                    }
                    (utf8, None) => {
                        let utf8 = utf8.unwrap_or_default();
                        structure::string(&mut self.kept.parts.structure, utf8.len());
                        self.kept.parts.text.push_copied(utf8);
                    }
                }
                Ok(())
            }
        }
    }

    #[inline]
    fn text(&mut self, text: Extent) -> Result<(), ErrorKind> {
        if self.strings.is_some() && self.interned(text) {
            return Ok(());
        }
        let len = text.len() as usize;
        if text.flag() {
            if self.graph.bytes.get(text.at(), 2 * len as u64).len() != 2 * len {
                return Err(ErrorKind::UnknownValue);
            }
            self.utf16_tag(len);
            self.kept.parts.payload(2, text.at(), 2 * len as u64);
        } else {
            structure::string(&mut self.kept.parts.structure, len);
            self.kept.parts.text.push(text.at(), len as u64);
        }
        Ok(())
    }

    fn utf16_tag(&mut self, units: usize) {
        structure::tagged(&mut self.kept.parts.structure, tag::STRING_UTF16, units as u64);
    }

    /// Writes what interning adds to a string; whether that is all of it.
    fn interned(&mut self, text: Extent) -> bool {
        match self.strings.as_mut().map(|strings| strings.intern(text)) {
            None | Some(Intern::Whole) => false,
            Some(Intern::First) => {
                self.kept.parts.structure.push(tag::INTERN);
                false
            }
            Some(Intern::Again(id)) => {
                structure::tagged(&mut self.kept.parts.structure, tag::INTERNED, id);
                true
            }
        }
    }

    #[inline]
    fn node(&mut self, id: NodeId) -> Result<(), ErrorKind> {
        match self.kept.identities.get_mut(id.index()) {
            None => Err(ErrorKind::UnknownValue),
            Some(identity @ 0) => {
                self.next_identity += 1;
                *identity = self.next_identity;
                self.first(id)
            }
            Some(_) if self.bases.contains(&id) => Err(ErrorKind::SharedBase),
            Some(&mut identity) => {
                self.refs = true;
                structure::tagged(&mut self.kept.parts.structure, tag::REFERENCE, u64::from(identity - 1));
                Ok(())
            }
        }
    }

    /// The base of a derived instance: an object that has not been met and will not be met again.
    fn base(&mut self, slot: Slot) -> Result<(), ErrorKind> {
        let id = slot.node().ok_or(ErrorKind::WrongType)?;
        let node = self.graph.node(id).ok_or(ErrorKind::UnknownValue)?;
        if !self.graph.is_base(node) {
            return Err(ErrorKind::WrongType);
        }
        if self.kept.identities[id.index()] != 0 {
            return Err(ErrorKind::SharedBase);
        }
        self.bases.insert(id);
        self.node(id)
    }

    /// Goes on with the slots of an object whose tag and counts have been written.
    #[inline]
    fn enter(&mut self, id: NodeId, start: u32, len: usize, role: Role) {
        let (mut next, end) = (start, start + len as u32);
        if role == Role::Plain {
            // Most objects hold no others: they are written at once, and need no frame.
            next += self.leaves(next, end);
            if next == end {
                return;
            }
        }
        self.kept.stack.push(Frame { next, end, node: id, role });
    }

    #[inline]
    fn first(&mut self, id: NodeId) -> Result<(), ErrorKind> {
        match self.graph.nodes[id.index()] {
            Node::Object { shape, start, .. } => {
                match self.kept.shapes.number(self.graph, shape) {
                    Some(Numbered { number, keys }) => {
                        structure::object(&mut self.kept.parts.structure, number);
                        self.enter(id, start, keys as usize, Role::Plain);
                    }
                    None => {
                        let len = self.graph.shapes.keys_len(shape);
                        let is_null = self.graph.shapes.kind(shape) == ShapeKind::NullPrototype;
                        structure::tagged(
                            &mut self.kept.parts.structure,
                            if is_null { tag::DICTIONARY_NULL } else { tag::DICTIONARY },
                            len as u64,
                        );
                        self.enter(id, start, len, Role::Keyed);
                    }
                }
                Ok(())
            }
            Node::Array(span) => self.array(id, span),
            node => self.other(id, node),
        }
    }

    #[inline]
    fn array(&mut self, id: NodeId, span: Span) -> Result<(), ErrorKind> {
        let slots = &self.graph.slots[span.range()];
        let number = |slot: &Slot| match *slot {
            Slot::Number(number) => Some(number),
            _ => None,
        };
        // The last element is looked at first: most arrays that are not of numbers are found out at once.
        if slots.len() >= crate::graph::MIN_PACKED
            && number(&slots[slots.len() - 1]).is_some()
            && slots.iter().all(|slot| number(slot).is_some())
            && let Some(kind) = packed_kind(slots.len(), slots.iter().filter_map(number))
        {
            self.packed(kind, slots.len(), slots.iter().filter_map(number));
            return Ok(());
        }
        structure::array(&mut self.kept.parts.structure, slots.len());
        self.enter(id, span.start, slots.len(), Role::Plain);
        Ok(())
    }
}

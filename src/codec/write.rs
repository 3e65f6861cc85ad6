//! Writing the structure: one value a step (`spec/format.md`, sections 3 to 9).

mod objects;

use foldhash::fast::RandomState;
use hashbrown::HashSet;

use super::emit::{Emission, Parts, TextParts};
use super::intern::{Intern, Interned};
use super::kept::Writing;
use super::options::EncodeOptions;
use crate::error::ErrorKind;
use crate::graph::{Extent, Graph, Key, Node, NodeId, ShapeKind, Slot, Span, packed_kind};
use crate::wire::{structure, tag, varint};

/// The state of writing the structure.
pub(super) struct Write<'g> {
    pub(super) graph: &'g Graph<'g>,
    /// What grows while it is written.
    pub(super) kept: Box<Writing>,
    /// The container that is being written; those around it lie on the stack.
    current: Frame,
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

/// What to go on with after a value: a container whose tag and counts have been written, if it is one.
type Entered = Result<Option<Frame>, ErrorKind>;

impl Frame {
    #[inline]
    fn new(node: NodeId, start: u32, len: usize, role: Role) -> Self {
        Frame { next: start, end: start + len as u32, node, role }
    }

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
        Write {
            graph,
            kept: Writing::take(graph),
            current: Frame { next: 0, end: 1, node: NO_NODE, role: Role::Root },
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
        self.kept.stack.iter().chain([&self.current])
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
        // In registers: a frame in memory that is written by field and then moved as a whole has to reach the cache first.
        let Frame { mut next, mut end, mut node, mut role } = self.current;
        let result = loop {
            if role == Role::Plain && next < end && !matches!(self.graph.slots[next as usize], Slot::Node(_)) {
                next += self.leaves(next, end);
            }
            if next == end {
                if role == Role::Elements {
                    Frame { next, end, node, role } = self.extra_properties(node);
                } else {
                    let Some(frame) = self.kept.stack.pop() else { break Ok(true) };
                    Frame { next, end, node, role } = frame;
                }
                continue;
            }
            if self.left == 0 {
                break Ok(false);
            }
            self.left -= 1;
            let slot = match role {
                Role::Plain => &self.graph.slots[next as usize],
                Role::Root => &self.graph.root,
                // Told by more than a slot.
                _ => &Slot::Undefined,
            };
            let inner = match *slot {
                Slot::Node(id) => {
                    next += 1;
                    self.node(id)
                }
                _ => {
                    let mut frame = Frame { next, end, node, role };
                    let inner = self.special(&mut frame);
                    Frame { next, end, node, role } = frame;
                    inner
                }
            };
            match inner {
                Ok(None) => {}
                Ok(Some(inner)) => {
                    self.kept.stack.push(Frame { next, end, node, role });
                    Frame { next, end, node, role } = inner;
                }
                Err(kind) => break Err(kind),
            }
        };
        self.current = Frame { next, end, node, role };
        result
    }

    /// Writes the values from slot `next` to slot `end`, up to the first that holds others or is seldom: how many. Most values
    /// of most graphs are written here.
    #[inline(always)]
    fn leaves(&mut self, next: u32, end: u32) -> u32 {
        if self.strings.is_some() {
            return 0;
        }
        let slots = &self.graph.slots[next as usize..end as usize];
        let slots = &slots[..slots.len().min(self.left)];
        let Parts { structure: out, text, .. } = &mut self.kept.parts;
        let mut written = 0;
        while let Some(slot) = slots.get(written) {
            match *slot {
                Slot::Text(_) => match short_strings(&slots[written..], text, out) {
                    0 => match long_string(slot, text, out) {
                        true => {}
                        false => break,
                    },
                    n => written += n - 1,
                },
                Slot::Number(number) => structure::number(out, number),
                Slot::Null => structure::bare(out, tag::NULL),
                Slot::Undefined => structure::bare(out, tag::UNDEFINED),
                Slot::Bool(truth) => structure::bare(out, tag::FALSE + u8::from(truth)),
                _ => break,
            }
            written += 1;
        }
        self.left -= written;
        written as u32
    }

    /// The next value of a container, whatever its slots are.
    #[inline(never)]
    fn special(&mut self, frame: &mut Frame) -> Entered {
        let graph = self.graph;
        let next = frame.next as usize;
        frame.next += 1;
        match frame.role {
            Role::Plain => self.value(graph.slots[next]),
            Role::Root => self.value(graph.root),
            Role::Values => {
                frame.next += 1;
                self.value(graph.slots[next + 1])
            }
            Role::Keyed => {
                if let Some(Node::Object { shape, start, .. }) = graph.node(frame.node) {
                    self.key(graph.shapes.key(shape, next - start as usize))?;
                }
                self.value(graph.slots[next])
            }
            Role::Elements => {
                frame.next += 1;
                let index = |place: usize| match graph.slots[place] {
                    Slot::Number(index) => index as u64,
                    _ => 0,
                };
                let first = self.elements(frame.node).map_or(next, |span| span.start as usize);
                let expected = if next == first { 0 } else { index(next - 2) + 1 };
                varint::write(&mut self.kept.parts.structure, index(next) - expected);
                self.value(graph.slots[next + 1])
            }
            Role::Numbers => {
                let number = graph.node(frame.node).and_then(|node| graph.element(node, next as u32));
                self.value(number.unwrap_or(Slot::Undefined))
            }
            Role::Derived => {
                frame.role = Role::Plain;
                self.base(graph.slots[next])
            }
        }
    }

    /// The pairs of the array with holes that is being written.
    fn elements(&self, array: NodeId) -> Option<Span> {
        match self.graph.node(array)? {
            Node::Sparse(side) => Some(self.graph.sparse[side as usize].span),
            _ => None,
        }
    }

    fn value(&mut self, slot: Slot) -> Entered {
        match slot {
            Slot::Number(number) => structure::number(&mut self.kept.parts.structure, number),
            Slot::Text(text) => self.text(text)?,
            Slot::Node(id) => return self.node_apart(id),
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
            Slot::Symbol(index) => self.symbol(index)?,
        }
        Ok(None)
    }

    fn symbol(&mut self, index: u32) -> Result<(), ErrorKind> {
        let number = self.kept.shapes.symbol(index).ok_or(ErrorKind::UnknownValue)?;
        structure::tagged(&mut self.kept.parts.structure, tag::SYMBOL, u64::from(number));
        Ok(())
    }

    fn key(&mut self, key: Key<'_>) -> Result<(), ErrorKind> {
        match key {
            Key::Symbol(index) => self.symbol(index),
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

    /// [`node`](Self::node) where it is no loss to call it.
    #[inline(never)]
    fn node_apart(&mut self, id: NodeId) -> Entered {
        self.node(id)
    }

    #[inline(always)]
    fn node(&mut self, id: NodeId) -> Entered {
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
                Ok(None)
            }
        }
    }

    /// The base of a derived instance: an object that has not been met and will not be met again.
    fn base(&mut self, slot: Slot) -> Entered {
        let id = slot.node().ok_or(ErrorKind::WrongType)?;
        let node = self.graph.node(id).ok_or(ErrorKind::UnknownValue)?;
        if !self.graph.is_base(node) {
            return Err(ErrorKind::WrongType);
        }
        if self.kept.identities[id.index()] != 0 {
            return Err(ErrorKind::SharedBase);
        }
        self.bases.insert(id);
        self.node_apart(id)
    }

    #[inline(always)]
    fn first(&mut self, id: NodeId) -> Entered {
        match self.graph.nodes[id.index()] {
            Node::Object { shape, start, .. } => match self.kept.shapes.number(self.graph, shape) {
                Some(shape) => {
                    structure::object(&mut self.kept.parts.structure, shape.number());
                    Ok(Some(Frame::new(id, start, shape.keys as usize, Role::Plain)))
                }
                None => Ok(Some(self.dictionary(id, shape, start))),
            },
            Node::Array(span) => Ok(self.array(id, span)),
            node => self.other(id, node),
        }
    }

    /// A shaped object that is written as a dictionary.
    #[cold]
    fn dictionary(&mut self, id: NodeId, shape: u32, start: u32) -> Frame {
        let len = self.graph.shapes.keys_len(shape);
        let is_null = self.graph.shapes.kind(shape) == ShapeKind::NullPrototype;
        let tag = if is_null { tag::DICTIONARY_NULL } else { tag::DICTIONARY };
        structure::tagged(&mut self.kept.parts.structure, tag, len as u64);
        Frame::new(id, start, len, Role::Keyed)
    }

    #[inline(always)]
    fn array(&mut self, id: NodeId, span: Span) -> Option<Frame> {
        let slots = &self.graph.slots[span.range()];
        // The last element is looked at first: most arrays that are not of numbers are found out at once.
        if slots.len() >= crate::graph::MIN_PACKED
            && matches!(slots[slots.len() - 1], Slot::Number(_))
            && self.packed_array(slots)
        {
            return None;
        }
        structure::array(&mut self.kept.parts.structure, slots.len());
        Some(Frame::new(id, span.start, slots.len(), Role::Plain))
    }

    /// Writes an array as a packed one, if that is its form.
    #[inline(never)]
    fn packed_array(&mut self, slots: &[Slot]) -> bool {
        let number = |slot: &Slot| match *slot {
            Slot::Number(number) => Some(number),
            _ => None,
        };
        if !slots.iter().all(|slot| number(slot).is_some()) {
            return false;
        }
        match packed_kind(slots.len(), slots.iter().filter_map(number)) {
            Some(kind) => {
                self.packed(kind, slots.len(), slots.iter().filter_map(number));
                true
            }
            None => false,
        }
    }
}

/// Writes a string, whatever its length and wherever it stands; `false` for one that is not in the text.
#[inline(never)]
fn long_string(slot: &Slot, text: &mut TextParts, out: &mut Vec<u8>) -> bool {
    match *slot {
        Slot::Text(string) if !string.flag() => {
            structure::string(out, string.len() as usize);
            text.push(string.at(), u64::from(string.len()));
            true
        }
        _ => false,
    }
}

/// Writes the strings at the start of `slots` that take one byte each in the structure and follow each other in the text, as
/// most do: how many.
#[inline(always)]
fn short_strings(slots: &[Slot], text: &mut TextParts, out: &mut Vec<u8>) -> usize {
    // Kept in a register: bytes on the stack that are then read as one word have to reach the cache first.
    let mut tags = 0;
    let mut end = text.end();
    let mut n = 0;
    while n < slots.len().min(structure::MAX_ROW) {
        match slots[n] {
            Slot::Text(text)
                if text.len() <= tag::STRING_MAX as u32 && end.extend(text.flag_and_at(), u64::from(text.len())) =>
            {
                tags |= (u64::from(tag::STRING) + u64::from(text.len())) << (8 * n);
                n += 1;
            }
            _ => break,
        }
    }
    text.set_end(end);
    structure::row(out, tags, n);
    n
}

//! The decoder: its phases, its stack, and what callers see of it.

use std::ops::Range;
use std::sync::Arc;

use super::index::check_index;
use super::kept::Reading;
use super::options::DecodeOptions;
use super::records::Records;
use super::shapes::{self, ShapesReader};
use crate::error::{Error, ErrorKind, Fault};
use crate::graph::{Graph, NodeId, Shapes, Slot, Step, TextStore, path};
use crate::wire::{Reader, Sections};

/// Decodes a message a step at a time: a step is one value, one shape, or the validation of the text.
///
/// [`Marshal::decode`](crate::Marshal::decode) runs it in one go.
///
/// # Examples
///
/// ```
/// use marshal::{DecodeOptions, Decoder, Marshal, js};
///
/// let bytes = Marshal::encode(&js!({ a: [1, 2, 3] }))?;
/// let mut decoder = Decoder::new(&bytes, &DecodeOptions::new())?;
/// let mut slices = 0;
/// while !decoder.run(2)? {
///     slices += 1; // here other work can be done
/// }
/// assert!(slices > 1);
/// assert_eq!(decoder.finish()?.to_string(), "{a: [1, 2, 3]}");
/// # Ok::<(), marshal::Error>(())
/// ```
pub struct Decoder<'a> {
    input: &'a [u8],
    phase: Phase<'a>,
    failed: Option<Error>,
    end: usize,
    read: Read<'a>,
}

enum Phase<'a> {
    Shapes(Box<ShapesReader<'a>>),
    Text,
    Structure,
    Done,
}

impl<'a> Decoder<'a> {
    /// A decoder of the message at the start of `input`.
    ///
    /// # Errors
    ///
    /// Those of the message's head (`spec/format.md`, section 2).
    pub fn new(input: &'a [u8], options: &DecodeOptions) -> Result<Self, Error> {
        let sections = sections(input)?;
        let known = shapes::known(&sections.shapes);
        let phase = match &known {
            None => Phase::Shapes(Box::new(ShapesReader::new(sections.shapes.clone()))),
            Some(_) => Phase::Text,
        };
        let read = Read::new(&sections, known.unwrap_or_else(Shapes::none), options, true);
        Ok(Decoder { input, phase, failed: None, end: sections.end, read })
    }

    /// Runs for up to `steps` steps and says whether the message is decoded.
    ///
    /// # Errors
    ///
    /// What is wrong with the message, with the offset and the path of it. A decoder that has failed fails again.
    pub fn run(&mut self, steps: usize) -> Result<bool, Error> {
        if let Some(error) = &self.failed {
            return Err(error.clone());
        }
        self.step(steps).inspect_err(|error| self.failed = Some(error.clone()))
    }

    /// Where the message ends in the input.
    pub fn message_len(&self) -> usize {
        self.end
    }

    /// The graph; what is left to decode is decoded first.
    ///
    /// # Errors
    ///
    /// Those of [`run`](Self::run).
    pub fn finish(mut self) -> Result<Graph<'a>, Error> {
        while !self.run(usize::MAX)? {}
        self.read.kept.keep();
        Ok(self.read.graph)
    }

    fn step(&mut self, steps: usize) -> Result<bool, Error> {
        match &mut self.phase {
            Phase::Shapes(reader) => {
                if let Some(shapes) = reader.run(steps)? {
                    self.read.graph.shapes = shapes;
                    self.phase = Phase::Text;
                }
            }
            Phase::Text => {
                self.read.validate_text()?;
                self.phase = Phase::Structure;
            }
            Phase::Structure => {
                if self.read.run(steps).map_err(|fault| self.read.explain(fault, self.input))? {
                    self.phase = Phase::Done;
                    self.read.verify_index(self.input)?;
                }
            }
            Phase::Done => {}
        }
        Ok(matches!(self.phase, Phase::Done))
    }
}

/// Validates a message and keeps no more of it than the containers that are open.
pub(crate) fn check(input: &[u8], options: &DecodeOptions) -> Result<(), Error> {
    let sections = whole_sections(input)?;
    let mut read = Read::new(&sections, shapes::read_shapes(&sections.shapes)?, options, false);
    read.read_all(input)?;
    read.kept.keep();
    Ok(())
}

/// Decodes the message that `input` is.
pub(crate) fn decode<'a>(input: &'a [u8], options: &DecodeOptions) -> Result<Graph<'a>, Error> {
    let sections = whole_sections(input)?;
    let mut read = Read::new(&sections, shapes::read_shapes(&sections.shapes)?, options, true);
    read.read_all(input)?;
    read.kept.keep();
    Ok(read.graph)
}

/// Decodes the message that `input` begins with, and says how long it is.
pub(crate) fn decode_prefix<'a>(input: &'a [u8], options: &DecodeOptions) -> Result<(Graph<'a>, usize), Error> {
    let sections = sections(input)?;
    let mut read = Read::new(&sections, shapes::read_shapes(&sections.shapes)?, options, true);
    read.read_all(input)?;
    read.kept.keep();
    Ok((read.graph, sections.end))
}

/// The path to the value whose tag is at `offset`, or to the one that it is part of. Decodes up to there.
#[cold]
pub(crate) fn path_at(input: &[u8], offset: usize) -> Option<String> {
    let mut decoder = Decoder::new(input, &DecodeOptions::new()).ok()?;
    while !matches!(decoder.phase, Phase::Structure) || decoder.read.structure.offset() < offset {
        if decoder.step(1).ok()? {
            return None;
        }
    }
    matches!(decoder.phase, Phase::Structure).then(|| decoder.read.path())
}

/// The sections of the message that `input` is.
#[inline(always)]
fn whole_sections(input: &[u8]) -> Result<Sections<'_>, Fault> {
    let sections = sections(input)?;
    match sections.end == input.len() {
        true => Ok(sections),
        false => Err(Fault::new(ErrorKind::TrailingBytes, sections.end)),
    }
}

/// The sections of the message at the start of `input`.
#[inline(always)]
fn sections(input: &[u8]) -> Result<Sections<'_>, Fault> {
    let sections = Sections::read(input)?;
    match sections.structure.remaining().max(sections.shapes.remaining()) > MAX_SECTION {
        true => Err(Fault::new(ErrorKind::LimitExceeded, 4)),
        false => Ok(sections),
    }
}

/// The state of reading the structure.
pub(super) struct Read<'a> {
    pub(super) structure: Reader<'a>,
    /// The section's bytes, before they are known to be UTF-8.
    text_bytes: &'a [u8],
    pub(super) text: &'a str,
    /// Offset of the text in the message, and how much of it is used.
    text_base: usize,
    pub(super) text_used: usize,
    pub(super) data: &'a [u8],
    pub(super) data_base: usize,
    pub(super) data_used: usize,
    pub(super) refs: bool,
    pub(super) options: DecodeOptions,
    /// Values that open containers still owe, and all that they have ever owed.
    pub(super) owed: u64,
    pub(super) values: u64,
    pub(super) graph: Graph<'a>,
    /// Steps that are left of this run.
    pub(super) left: usize,
    /// Whether values are kept when their container closes.
    pub(super) build: bool,
    pub(super) kept: Box<Reading>,
    /// Which key or entry of the container that is open stands twice.
    pub(super) doubled: Option<Doubled>,
    /// What is left of the records of the array that is open.
    pub(super) laid: Records,
    /// The identities in records, of a message with references.
    pub(super) in_records: Vec<Range<u32>>,
}

/// A container that is being read: where its next value goes, and up to where.
#[derive(Debug, Clone, Copy)]
pub(super) struct Frame {
    pub(super) next: u32,
    pub(super) end: u32,
    pub(super) node: NodeId,
    pub(super) role: Role,
}

/// What the values of a container have to be, and what follows them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// Any values and nothing after them.
    Plain,
    /// The root, which has no container.
    Root,
    /// Records, which stand in the data.
    Records,
    Map,
    Set,
    /// Keys and values in turn.
    Dictionary,
    /// A gap before each value; the extra properties after them.
    Elements,
    /// The extra properties of an array.
    Extra,
    Boxed,
    /// The buffer, then the view's offset and length.
    View,
    /// The source, then lastIndex.
    RegExp,
    /// The base of a derived instance, then its fields.
    Derived,
}

/// A frame in which nothing is left to read.
pub(super) const DONE: Frame = Frame { next: 0, end: 0, node: NodeId(u32::MAX), role: Role::Root };

/// A key or entry that stands twice, told by what does not depend on which slots have been given back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Doubled {
    pub(super) node: NodeId,
    pub(super) role: Role,
    /// Slots from it to the container's end.
    pub(super) left: u32,
}

impl Doubled {
    /// Where in the input it begins: found by decoding again up to there, so that no offsets need to be kept for messages
    /// that are right.
    #[cold]
    fn locate(self, input: &[u8], options: &DecodeOptions) -> Option<usize> {
        let mut again = Decoder::new(input, options).ok()?;
        loop {
            let Frame { next, end, node, role } = *again.read.frame();
            if matches!(again.phase, Phase::Structure) && self == (Doubled { node, role, left: end - next }) {
                return Some(again.read.structure.offset());
            }
            if again.step(1).ok()? {
                return None;
            }
        }
    }
}

impl Role {
    /// Whether a container of this role minds which values it gets.
    #[inline]
    pub(super) fn is_choosy(self) -> bool {
        !matches!(self, Role::Plain | Role::Records | Role::Root | Role::Elements)
    }
}

impl Frame {
    /// Whether the next value of pairs is a key: what is left is a whole number of pairs.
    #[inline]
    pub(super) fn is_key(self) -> bool {
        (self.end - self.next).is_multiple_of(2)
    }
}

/// Structure and shapes of at most this many bytes: their values are counted in 32 bits.
const MAX_SECTION: usize = 1 << 31;

/// Room for slots that is taken at once; each value has at least a byte of structure.
const MAX_FIRST_SLOTS: usize = 1 << 16;

/// Room for nodes that is taken at once: growing costs more than the allocation.
const FIRST_NODES: usize = 4;

impl<'a> Read<'a> {
    /// Everything is made where it is to lie: moving it costs more than a small message does.
    #[inline(always)]
    fn new(sections: &Sections<'a>, shapes: Arc<Shapes>, options: &DecodeOptions, build: bool) -> Self {
        let mut kept = Reading::take();
        kept.stack.push(Frame { next: 0, end: 1, node: NodeId(u32::MAX), role: Role::Root });
        let mut slots = Vec::with_capacity(1 + sections.structure.remaining().min(MAX_FIRST_SLOTS));
        slots.push(Slot::Undefined);
        Read {
            structure: sections.structure.clone(),
            text_bytes: sections.text,
            text: "",
            text_base: sections.text_at,
            text_used: 0,
            data: sections.data,
            data_base: sections.data_at,
            data_used: 0,
            refs: sections.refs,
            options: options.clone(),
            owed: 1,
            values: 0,
            graph: Graph::decoding(slots, Vec::with_capacity(FIRST_NODES), shapes, sections.data),
            left: 0,
            build,
            kept,
            doubled: None,
            laid: Records::default(),
            in_records: Vec::new(),
        }
    }

    /// Reads everything that comes after the shapes.
    fn read_all(&mut self, input: &[u8]) -> Result<(), Error> {
        self.validate_text()?;
        while !self.run(usize::MAX).map_err(|fault| self.explain(fault, input))? {}
        Ok(self.verify_index(input)?)
    }

    /// Checks the index of a message that has been read, if that was asked for.
    #[inline]
    fn verify_index(&self, input: &[u8]) -> Result<(), Fault> {
        if self.options.verify_index { check_index(input) } else { Ok(()) }
    }

    /// Adds to a fault of the structure where in the value it is.
    #[cold]
    fn explain(&self, fault: Fault, input: &[u8]) -> Error {
        let mut fault = fault;
        if let (ErrorKind::DuplicateKey, Some(doubled)) = (fault.kind, self.doubled) {
            fault.at = doubled.locate(input, &self.options).unwrap_or(fault.at);
        }
        Error::from(fault).at_path(self.path())
    }

    /// Where the value stands that is being read.
    #[cold]
    fn path(&self) -> String {
        // A parent stands behind the value that is being read; a frame that is full is itself at fault.
        let (current, parents) = self.kept.stack.split_last().unwrap_or((&DONE, &[]));
        let parents = parents.iter().map(|frame| (frame, frame.next - 1));
        let current = (current.next < current.end).then_some((current, current.next));
        let index_of = |frame: &Frame, slot: u32| {
            let node = self.graph.node(frame.node);
            node.map_or(0, |node| self.graph.values_of(node).index_of(slot as usize) as u32)
        };
        let steps = parents
            .chain(current)
            .filter(|(frame, _)| frame.role != Role::Root)
            .map(|(frame, slot)| Step { node: frame.node, index: index_of(frame, slot) });
        path(&self.graph, steps)
    }

    /// The text is UTF-8. All of it at once: a vectorised pass over bytes that are then lent as one `str`.
    fn validate_text(&mut self) -> Result<(), Fault> {
        self.text = match simdutf8::basic::from_utf8(self.text_bytes) {
            Ok(text) => text,
            Err(_) => {
                let valid = simdutf8::compat::from_utf8(self.text_bytes).map_or_else(|e| e.valid_up_to(), str::len);
                return Err(Fault::new(ErrorKind::InvalidUtf8, self.text_base + valid));
            }
        };
        self.graph.text = TextStore::borrowing(self.text);
        Ok(())
    }

    /// All sections are used up, and the first slot is the root.
    pub(super) fn finish(&mut self) -> Result<(), Fault> {
        self.structure.finish()?;
        if self.text_used < self.text.len() {
            return Err(Fault::new(ErrorKind::UnusedBytes, self.text_base + self.text_used));
        }
        if self.data_used < self.data.len() {
            return Err(Fault::new(ErrorKind::UnusedBytes, self.data_base + self.data_used));
        }
        self.graph.root = self.graph.slots[0];
        Ok(())
    }

    #[inline]
    pub(super) fn frame(&self) -> &Frame {
        self.kept.stack.last().unwrap_or(&DONE)
    }

    /// The root's frame is never taken off the stack.
    #[inline]
    pub(super) fn frame_mut(&mut self) -> &mut Frame {
        let current = self.kept.stack.len() - 1;
        &mut self.kept.stack[current]
    }

    pub(super) fn shapes(&self) -> &Shapes {
        Arc::as_ref(&self.graph.shapes)
    }
}

//! Putting a message together from its parts, of which text and payloads have not been copied yet.

use std::borrow::Cow;

use crate::graph::Graph;
use crate::wire::header::DATA_ALIGN;
use crate::wire::{Header, copy};

/// The structure that is being written, and what it refers to.
#[derive(Default)]
pub(super) struct Parts {
    pub(super) structure: Vec<u8>,
    pub(super) text: TextParts,
    payloads: Vec<Payload>,
    data_len: u64,
    /// Payloads that the graph does not hold in this form.
    copied: Vec<u8>,
}

/// The text as runs of the graph's: neighbouring strings are copied as one.
#[derive(Default)]
pub(super) struct TextParts {
    runs: Vec<Run>,
    /// The run that is open.
    start: u64,
    end: RunEnd,
    len: u64,
    /// Text that the graph does not hold as such.
    copied: String,
}

/// Bytes of the graph's text, or of the copied text.
#[derive(Clone, Copy, Default)]
pub(super) struct Run {
    copied: bool,
    at: u64,
    end: u64,
}

/// Where the open run ends: what is looked at for each string.
#[derive(Clone, Copy, Default)]
pub(super) struct RunEnd {
    end: u64,
    /// Where the graph's text is in two parts: no run goes over it.
    border: u64,
}

impl RunEnd {
    /// Takes in the string at `at` if it is the run's neighbour.
    #[inline]
    pub(super) fn extend(&mut self, at: u64, len: u64) -> bool {
        let neighbour = at == self.end && self.end != self.border;
        if neighbour {
            self.end += len;
        }
        neighbour
    }
}

impl TextParts {
    fn begin(&mut self, border: u64) {
        self.runs.clear();
        self.start = 0;
        // Where there is one part only there is no border.
        self.end = RunEnd { end: 0, border: if border == 0 { u64::MAX } else { border } };
        self.len = 0;
        self.copied.clear();
    }

    /// Where the open run ends. Whoever extends it says so through [`set_end`](Self::set_end).
    #[inline]
    pub(super) fn end(&self) -> RunEnd {
        self.end
    }

    #[inline]
    pub(super) fn set_end(&mut self, end: RunEnd) {
        self.end = end;
    }

    /// Adds text of the graph.
    #[inline(never)]
    pub(super) fn push(&mut self, at: u64, len: u64) {
        if !self.end.extend(at, len) && len > 0 {
            self.close();
            (self.start, self.end.end) = (at, at + len);
        }
    }

    pub(super) fn push_copied(&mut self, text: &str) {
        self.close();
        (self.start, self.end.end) = (0, 0);
        let at = self.copied.len() as u64;
        self.copied.push_str(text);
        self.add(Run { copied: true, at, end: self.copied.len() as u64 });
    }

    /// Ends the open run. The next string has to open one.
    fn close(&mut self) {
        self.add(Run { copied: false, at: self.start, end: self.end.end });
    }

    fn add(&mut self, run: Run) {
        if run.end > run.at {
            self.len += run.end - run.at;
            self.runs.push(run);
        }
    }

    /// Whether every run is text of `graph`: a string of another graph may stand for anything. Looked at by run, so that it
    /// costs nothing by string.
    pub(super) fn is_of(&self, graph: &Graph<'_>) -> bool {
        let is_text = |run: &Run| run.copied || graph.text.is_run(run.at, run.end);
        self.runs.iter().all(is_text) && graph.text.is_run(self.start, self.end.end)
    }

    #[inline]
    fn bytes<'a>(&'a self, run: Run, graph: &'a Graph<'_>) -> &'a [u8] {
        if run.copied {
            &self.copied.as_bytes()[run.at as usize..run.end as usize]
        } else {
            graph.text.run(run.at, run.end - run.at)
        }
    }
}

/// Bytes for the data section, of the graph or copied.
#[derive(Clone, Copy)]
struct Payload {
    copied: bool,
    /// Zero bytes before it.
    pad: u8,
    at: u64,
    len: u64,
}

impl Parts {
    pub(super) fn begin(&mut self, border: u64) {
        self.structure.clear();
        self.text.begin(border);
        self.payloads.clear();
        self.data_len = 0;
        self.copied.clear();
    }

    /// The largest capacity of its buffers.
    pub(super) fn largest(&self) -> usize {
        let text = self.text.runs.capacity().max(self.text.copied.capacity());
        self.structure.capacity().max(text).max(self.payloads.capacity()).max(self.copied.capacity())
    }

    /// Bytes that the message will hold and that take memory already.
    pub(super) fn copied_len(&self) -> u64 {
        (self.text.copied.len() + self.copied.len()) as u64
    }

    /// Adds bytes of the graph, aligned.
    pub(super) fn payload(&mut self, align: usize, at: u64, len: u64) {
        self.push_payload(align, Payload { copied: false, pad: 0, at, len });
    }

    pub(super) fn copied_payload(&mut self, align: usize, bytes: &[u8]) {
        let at = self.copied.len() as u64;
        self.copied.extend_from_slice(bytes);
        self.push_payload(align, Payload { copied: true, pad: 0, at, len: bytes.len() as u64 });
    }

    #[inline]
    fn bytes<'a>(&'a self, payload: Payload, graph: &'a Graph<'_>) -> &'a [u8] {
        let Payload { copied, at, len, .. } = payload;
        if copied { &self.copied[at as usize..(at + len) as usize] } else { graph.bytes.get(at, len) }
    }

    fn push_payload(&mut self, align: usize, payload: Payload) {
        if payload.len > 0 {
            let start = self.data_len.next_multiple_of(align as u64);
            self.payloads.push(Payload { pad: (start - self.data_len) as u8, ..payload });
            self.data_len = start + payload.len;
        }
    }
}

/// Copies the parts into one message, a block at a time.
pub(super) struct Emission<'g> {
    header: Header,
    message_len: usize,
    shapes: Cow<'g, [u8]>,
    /// Where in the buffer the message begins.
    start: usize,
    part: Part,
}

/// Which part comes next, and how much of it has been copied.
#[derive(Clone, Copy)]
enum Part {
    Head,
    Structure(usize),
    Text(usize, usize),
    Pad,
    Data(usize, usize),
}

/// A step copies this many bytes.
const BLOCK: usize = 1 << 16;

impl<'g> Emission<'g> {
    #[inline]
    pub(super) fn new(shapes: Cow<'g, [u8]>, parts: &mut Parts, refs: bool) -> Self {
        parts.text.close();
        let header = Header {
            refs,
            structure: parts.structure.len(),
            shapes: shapes.len(),
            text: parts.text.len as usize,
            data: parts.data_len as usize,
        };
        Emission { message_len: header.message_len(), header, shapes, start: 0, part: Part::Head }
    }

    pub(super) fn message_len(&self) -> usize {
        self.message_len
    }

    /// Copies everything to the end of `out`: what [`run`](Self::run) does in steps, whose states cost a small message a fifth
    /// of its time.
    #[inline]
    pub(super) fn whole(&self, graph: &Graph<'_>, parts: &Parts, out: &mut Vec<u8>) {
        let start = self.head(out);
        copy::append(out, &parts.structure);
        for &run in &parts.text.runs {
            copy::append(out, parts.text.bytes(run, graph));
        }
        if !parts.payloads.is_empty() {
            pad(out, start);
        }
        for &payload in &parts.payloads {
            out.resize(out.len() + usize::from(payload.pad), 0);
            copy::append(out, parts.bytes(payload, graph));
        }
    }

    /// Copies up to `steps` blocks to the end of `out`, and says whether all have been copied.
    pub(super) fn run(&mut self, steps: usize, graph: &Graph<'_>, parts: &Parts, out: &mut Vec<u8>) -> bool {
        let Parts { structure, text, payloads, .. } = parts;
        for _ in 0..steps {
            self.part = match self.part {
                Part::Head => {
                    self.start = self.head(out);
                    Part::Structure(0)
                }
                Part::Structure(done) => match copy_block(out, structure, done) {
                    0 => Part::Text(0, 0),
                    n => Part::Structure(done + n),
                },
                Part::Text(index, done) => match text.runs.get(index) {
                    None => Part::Pad,
                    Some(&run) => match copy_block(out, text.bytes(run, graph), done) {
                        0 => Part::Text(index + 1, 0),
                        n => Part::Text(index, done + n),
                    },
                },
                Part::Pad => {
                    if !payloads.is_empty() {
                        pad(out, self.start);
                    }
                    Part::Data(0, 0)
                }
                Part::Data(index, done) => match payloads.get(index) {
                    None => return true,
                    Some(&payload) => {
                        if done == 0 {
                            out.resize(out.len() + usize::from(payload.pad), 0);
                        }
                        match copy_block(out, parts.bytes(payload, graph), done) {
                            0 => Part::Data(index + 1, 0),
                            n => Part::Data(index, done + n),
                        }
                    }
                },
            };
        }
        false
    }

    /// Makes room, writes header and shapes, and says where in `out` they begin.
    fn head(&self, out: &mut Vec<u8>) -> usize {
        let start = out.len();
        out.reserve_exact(self.message_len);
        self.header.write(out);
        out.extend_from_slice(&self.shapes);
        start
    }
}

/// Brings the message that begins at `start` to where its data may begin.
fn pad(out: &mut Vec<u8>, start: usize) {
    let len = out.len() - start;
    out.resize(start + len.next_multiple_of(DATA_ALIGN), 0);
}

/// Copies what is left of `bytes` from `done`, at most a block of it: how much that was.
fn copy_block(out: &mut Vec<u8>, bytes: &[u8], done: usize) -> usize {
    let rest = &bytes[done..];
    let now = &rest[..rest.len().min(BLOCK)];
    out.extend_from_slice(now);
    now.len()
}

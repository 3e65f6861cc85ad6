//! Putting a message together from its parts, of which text and payloads have not been copied yet.

use std::borrow::Cow;

use super::scratch::Scratch;
use crate::graph::Graph;
use crate::wire::Header;
use crate::wire::header::DATA_ALIGN;

/// What the structure, once written, refers to.
pub(super) struct Parts {
    pub(super) structure: Vec<u8>,
    pub(super) text: TextParts,
    payloads: Vec<Payload>,
    data_len: u64,
    /// Payloads that the graph does not hold in this form.
    copied: Vec<u8>,
}

/// The text as runs of the graph's: neighbouring strings are copied as one.
pub(super) struct TextParts {
    runs: Vec<Run>,
    current: Run,
    len: u64,
    /// Where the graph's text is in two parts: no run goes over it.
    border: u64,
    /// Text that the graph does not hold as such.
    copied: String,
}

/// Bytes of the graph's text, or of the copied text.
#[derive(Clone, Copy)]
pub(super) struct Run {
    copied: bool,
    at: u64,
    end: u64,
    border: u64,
}

impl Run {
    /// Takes in the string at `at` if it is the run's neighbour.
    #[inline]
    pub(super) fn extend(&mut self, at: u64, len: u64) -> bool {
        let neighbour = (at == self.end && at != self.border) || len == 0;
        self.end += if neighbour { len } else { 0 };
        neighbour
    }
}

impl TextParts {
    fn new(border: u64, runs: Vec<Run>) -> Self {
        let current = Run { copied: false, at: 0, end: 0, border };
        TextParts { runs, current, len: 0, border, copied: String::new() }
    }

    /// Adds text of the graph.
    #[inline]
    pub(super) fn push(&mut self, at: u64, len: u64) {
        let mut run = self.current;
        if !run.extend(at, len) {
            run = self.next_run(run, at, len);
        }
        self.current = run;
    }

    pub(super) fn push_copied(&mut self, text: &str) {
        let at = self.copied.len() as u64;
        self.copied.push_str(text);
        let end = self.copied.len() as u64;
        self.close(self.current);
        self.close(Run { copied: true, at, end, border: self.border });
        self.current = Run { copied: false, at: 0, end: 0, border: self.border };
    }

    /// The run that is open. Whoever extends it gives it back through [`set_run`](Self::set_run).
    #[inline]
    pub(super) fn run(&self) -> Run {
        self.current
    }

    #[inline]
    pub(super) fn set_run(&mut self, run: Run) {
        self.current = run;
    }

    /// Closes `run`, and opens one with the string at `at`.
    #[inline(never)]
    pub(super) fn next_run(&mut self, run: Run, at: u64, len: u64) -> Run {
        self.close(run);
        Run { at, end: at + len, ..run }
    }

    /// Whether every run is text of `graph`: a string of another graph may stand for anything. Looked at by run, so that it
    /// costs nothing by string.
    pub(super) fn is_of(&self, graph: &Graph<'_>) -> bool {
        let is_text = |run: &Run| run.copied || graph.text.is_run(run.at, run.end);
        self.runs.iter().chain([&self.current]).all(is_text)
    }

    fn close(&mut self, run: Run) {
        if run.end > run.at {
            self.len += run.end - run.at;
            self.runs.push(run);
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
    #[inline]
    pub(super) fn new(border: u64, scratch: &mut Scratch) -> Self {
        let mut structure = std::mem::take(&mut scratch.structure);
        structure.clear();
        let mut runs = std::mem::take(&mut scratch.runs);
        runs.clear();
        Parts { structure, text: TextParts::new(border, runs), payloads: Vec::new(), data_len: 0, copied: Vec::new() }
    }

    /// Bytes that the message will hold and that take memory already.
    pub(super) fn copied_len(&self) -> u64 {
        (self.text.copied.len() + self.copied.len()) as u64
    }

    /// Gives back what the next encoder can use again.
    pub(super) fn recycle(&mut self, scratch: &mut Scratch) {
        scratch.structure = std::mem::take(&mut self.structure);
        scratch.runs = std::mem::take(&mut self.text.runs);
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
        parts.text.close(parts.text.current);
        let header = Header {
            refs,
            structure: parts.structure.len(),
            shapes: shapes.len(),
            text: parts.text.len as usize,
            data: parts.data_len as usize,
        };
        Emission { header, shapes, start: 0, part: Part::Head }
    }

    pub(super) fn message_len(&self) -> usize {
        self.header.message_len()
    }

    /// Copies up to `steps` blocks to the end of `out`, and says whether all have been copied.
    pub(super) fn run(&mut self, steps: usize, graph: &Graph<'_>, parts: &Parts, out: &mut Vec<u8>) -> bool {
        let block = if steps == usize::MAX { usize::MAX } else { BLOCK };
        let Parts { structure, text, payloads, copied, .. } = parts;
        for _ in 0..steps {
            self.part = match self.part {
                Part::Head => {
                    self.start = out.len();
                    out.reserve_exact(self.header.message_len());
                    self.header.write(out);
                    out.extend_from_slice(&self.shapes);
                    Part::Structure(0)
                }
                Part::Structure(done) => match copy_block(out, structure, done, block) {
                    0 => Part::Text(0, 0),
                    n => Part::Structure(done + n),
                },
                Part::Text(index, done) => match text.runs.get(index) {
                    None => Part::Pad,
                    Some(&Run { copied: is_copied, at, end, .. }) => {
                        let bytes = if is_copied {
                            &text.copied.as_bytes()[at as usize..end as usize]
                        } else {
                            graph.text.run(at, end - at)
                        };
                        match copy_block(out, bytes, done, block) {
                            0 => Part::Text(index + 1, 0),
                            n => Part::Text(index, done + n),
                        }
                    }
                },
                Part::Pad => {
                    if !payloads.is_empty() {
                        let len = out.len() - self.start;
                        out.resize(self.start + len.next_multiple_of(DATA_ALIGN), 0);
                    }
                    Part::Data(0, 0)
                }
                Part::Data(index, done) => match payloads.get(index) {
                    None => return true,
                    Some(&Payload { copied: is_copied, pad, at, len }) => {
                        if done == 0 {
                            out.resize(out.len() + usize::from(pad), 0);
                        }
                        let bytes = if is_copied {
                            &copied[at as usize..(at + len) as usize]
                        } else {
                            graph.bytes.get(at, len)
                        };
                        match copy_block(out, bytes, done, block) {
                            0 => Part::Data(index + 1, 0),
                            n => Part::Data(index, done + n),
                        }
                    }
                },
            };
        }
        false
    }
}

/// Copies what is left of `bytes` from `done`, at most `block` of it: how much that was.
fn copy_block(out: &mut Vec<u8>, bytes: &[u8], done: usize, block: usize) -> usize {
    let rest = &bytes[done..];
    let now = &rest[..rest.len().min(block)];
    out.extend_from_slice(now);
    now.len()
}

//! Putting a message together from its parts, of which text and payloads have not been copied yet.

use crate::graph::Graph;
use crate::wire::Header;
use crate::wire::header::DATA_ALIGN;

/// What the structure, once written, refers to.
pub(super) struct Parts {
    pub(super) structure: Vec<u8>,
    /// Runs of the graph's text: neighbouring strings are copied as one.
    runs: Vec<Run>,
    text_len: u64,
    payloads: Vec<Payload>,
    data_len: u64,
    /// Text and payloads that the graph does not hold in this form.
    copied_text: String,
    copied: Vec<u8>,
    /// Where the message goes, behind what is there already.
    out: Vec<u8>,
}

/// Bytes of the graph's text, or of the copied text.
#[derive(Clone, Copy)]
struct Run {
    copied: bool,
    at: u64,
    len: u64,
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
    pub(super) fn new(out: Vec<u8>) -> Self {
        Parts {
            structure: Vec::new(),
            runs: Vec::new(),
            text_len: 0,
            payloads: Vec::new(),
            data_len: 0,
            copied_text: String::new(),
            copied: Vec::new(),
            out,
        }
    }

    pub(super) fn into_out(self) -> Vec<u8> {
        self.out
    }

    /// Adds text of the graph. A run does not go over `border`, where the graph's text is in two parts.
    #[inline]
    pub(super) fn text(&mut self, at: u64, len: u64, border: u64) {
        self.text_len += len;
        match self.runs.last_mut() {
            Some(run) if run.at + run.len == at && !run.copied && at != border => run.len += len,
            _ if len > 0 => self.runs.push(Run { copied: false, at, len }),
            _ => {}
        }
    }

    pub(super) fn copied_text(&mut self, text: &str) {
        let (at, len) = (self.copied_text.len() as u64, text.len() as u64);
        self.copied_text.push_str(text);
        self.text_len += len;
        self.runs.push(Run { copied: true, at, len });
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
pub(super) struct Emitter<'g> {
    graph: &'g Graph<'g>,
    parts: Parts,
    header: Header,
    shapes: Vec<u8>,
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

impl<'g> Emitter<'g> {
    pub(super) fn new(graph: &'g Graph<'g>, shapes: Vec<u8>, parts: Parts, refs: bool) -> Self {
        let header = Header {
            refs,
            structure: parts.structure.len(),
            shapes: shapes.len(),
            text: parts.text_len as usize,
            data: parts.data_len as usize,
        };
        let start = parts.out.len();
        Emitter { graph, parts, header, shapes, start, part: Part::Head }
    }

    /// The caller's buffer as it was.
    pub(super) fn into_out(mut self) -> Vec<u8> {
        self.parts.out.truncate(self.start);
        self.parts.out
    }

    pub(super) fn message_len(&self) -> usize {
        self.header.message_len()
    }

    /// Copies up to `steps` blocks. The message is there when all have been copied.
    pub(super) fn run(&mut self, steps: usize) -> Option<Vec<u8>> {
        let block = if steps == usize::MAX { usize::MAX } else { BLOCK };
        for _ in 0..steps {
            let Parts { structure, runs, payloads, copied_text, copied, out, .. } = &mut self.parts;
            self.part = match self.part {
                Part::Head => {
                    out.reserve_exact(self.header.message_len());
                    self.header.write(out);
                    out.extend_from_slice(&self.shapes);
                    Part::Structure(0)
                }
                Part::Structure(done) => match copy_block(out, structure, done, block) {
                    0 => Part::Text(0, 0),
                    n => Part::Structure(done + n),
                },
                Part::Text(index, done) => match runs.get(index) {
                    None => Part::Pad,
                    Some(&Run { copied: is_copied, at, len }) => {
                        let bytes = if is_copied {
                            &copied_text.as_bytes()[at as usize..(at + len) as usize]
                        } else {
                            self.graph.text.run(at, len)
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
                    None => return Some(std::mem::take(out)),
                    Some(&Payload { copied: is_copied, pad, at, len }) => {
                        if done == 0 {
                            out.resize(out.len() + usize::from(pad), 0);
                        }
                        let bytes = if is_copied {
                            &copied[at as usize..(at + len) as usize]
                        } else {
                            self.graph.bytes.get(at, len)
                        };
                        match copy_block(out, bytes, done, block) {
                            0 => Part::Data(index + 1, 0),
                            n => Part::Data(index, done + n),
                        }
                    }
                },
            };
        }
        None
    }
}

/// Copies what is left of `bytes` from `done`, at most `block` of it: how much that was.
fn copy_block(out: &mut Vec<u8>, bytes: &[u8], done: usize, block: usize) -> usize {
    let rest = &bytes[done..];
    let now = &rest[..rest.len().min(block)];
    out.extend_from_slice(now);
    now.len()
}

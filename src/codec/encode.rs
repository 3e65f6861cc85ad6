//! The encoder: its phases, its stack, and what callers see of it.

use super::emit::Emitter;
use super::index::add_index;
use super::options::EncodeOptions;
use super::write::Write;
use crate::error::{Error, ErrorKind};
use crate::graph::{Graph, Step, Value, path};

/// Encodes a graph a step at a time: a step is one value, or 64 KiB of the message that is put together at the end.
///
/// [`Marshal::encode`](crate::Marshal::encode) runs it in one go.
///
/// # Examples
///
/// ```
/// use marshal::{EncodeOptions, Encoder, Marshal, js};
///
/// let state = js!({ a: [1, "two", null] });
/// let mut encoder = Encoder::new(&state, &EncodeOptions::new());
/// while !encoder.run(2)? {
///     // here other work can be done
/// }
/// assert_eq!(encoder.finish()?, Marshal::encode(&state)?);
/// # Ok::<(), marshal::Error>(())
/// ```
pub struct Encoder<'g> {
    phase: Phase<'g>,
    failed: Option<Error>,
    max_bytes: u64,
    index: Option<PendingIndex>,
}

/// The index that is added when the message is there.
struct PendingIndex {
    /// Where the message begins in the buffer.
    start: usize,
    named: Vec<(String, Value)>,
    /// Names and identities, once those are known.
    entries: Vec<(String, u64)>,
}

enum Phase<'g> {
    Write(Box<Write<'g>>),
    Emit(Emitter<'g>),
    Done(Vec<u8>),
}

impl<'g> Encoder<'g> {
    /// An encoder of `graph`.
    pub fn new(graph: &'g Graph<'_>, options: &EncodeOptions) -> Self {
        Self::appending(graph, options, Vec::new())
    }

    /// An encoder that appends to `out`.
    fn appending(graph: &'g Graph<'_>, options: &EncodeOptions, out: Vec<u8>) -> Self {
        let index = (options.index || !options.entries.is_empty()).then(|| PendingIndex {
            start: out.len(),
            named: options.entries.clone(),
            entries: Vec::new(),
        });
        let write = Box::new(Write::new(graph, options, out));
        let max_bytes = options.max_bytes.unwrap_or(u64::MAX);
        Encoder { phase: Phase::Write(write), failed: None, max_bytes, index }
    }

    /// Runs for up to `steps` steps and says whether the message is complete.
    ///
    /// # Errors
    ///
    /// `shared-base` and `unknown-value` with the path, `limit-exceeded` for the size. An encoder that has failed fails
    /// again.
    pub fn run(&mut self, steps: usize) -> Result<bool, Error> {
        if let Some(error) = &self.failed {
            return Err(error.clone());
        }
        self.step(steps).inspect_err(|error| self.failed = Some(error.clone()))
    }

    /// Runs to the end; the buffer comes back whole or as it was.
    fn into_buffer(mut self) -> Result<Vec<u8>, (Error, Vec<u8>)> {
        match self.run(usize::MAX) {
            Ok(_) => Ok(match self.phase {
                Phase::Done(message) => message,
                _ => Vec::new(),
            }),
            Err(error) => Err((
                error,
                match self.phase {
                    Phase::Write(write) => write.into_out(),
                    Phase::Emit(emitter) => emitter.into_out(),
                    Phase::Done(out) => out,
                },
            )),
        }
    }

    /// The message; what is left to encode is encoded first.
    ///
    /// # Errors
    ///
    /// Those of [`run`](Self::run).
    pub fn finish(self) -> Result<Vec<u8>, Error> {
        self.into_buffer().map_err(|(error, _)| error)
    }

    fn step(&mut self, steps: usize) -> Result<bool, Error> {
        match &mut self.phase {
            Phase::Write(write) => {
                if write.run(steps).map_err(|kind| explain(write, kind))? {
                    if write.shapes.has_unknown_symbol {
                        return Err(Error::new(ErrorKind::UnknownValue, "a property key is a Symbol of another graph"));
                    }
                    if let Some(index) = &mut self.index {
                        for (name, value) in std::mem::take(&mut index.named) {
                            let identity = write.identity(value.0).map_err(|kind| {
                                let detail = format!("entry {name:?} is no object that the root reaches");
                                Error::new(kind, detail)
                            })?;
                            index.entries.push((name, identity));
                        }
                        index.entries.sort();
                        if let Some(twice) = index.entries.windows(2).find(|pair| pair[0].0 == pair[1].0) {
                            let detail = format!("two entries are named {:?}", twice[0].0);
                            return Err(Error::new(ErrorKind::DuplicateKey, detail));
                        }
                    }
                    let emitter = write.take_emitter();
                    if emitter.message_len() as u64 > self.max_bytes {
                        let detail = format!("the message takes {} bytes", emitter.message_len());
                        return Err(Error::new(ErrorKind::LimitExceeded, detail));
                    }
                    self.phase = Phase::Emit(emitter);
                }
            }
            Phase::Emit(emitter) => {
                if let Some(mut message) = emitter.run(steps) {
                    if let Some(index) = self.index.take() {
                        let indexed = add_index(&message[index.start..], index.entries)?;
                        match index.start {
                            0 => message = indexed,
                            start => message.splice(start.., indexed).for_each(drop),
                        }
                    }
                    self.phase = Phase::Done(message);
                }
            }
            Phase::Done(_) => return Ok(true),
        }
        if steps == usize::MAX { self.step(steps) } else { Ok(matches!(self.phase, Phase::Done(_))) }
    }
}

/// Appends the message of `graph` to `out`; after an error `out` is as it was.
pub(crate) fn encode_into(graph: &Graph<'_>, options: &EncodeOptions, out: &mut Vec<u8>) -> Result<(), Error> {
    let encoder = Encoder::appending(graph, options, std::mem::take(out));
    let (result, buffer) = match encoder.into_buffer() {
        Ok(buffer) => (Ok(()), buffer),
        Err((error, buffer)) => (Err(error), buffer),
    };
    *out = buffer;
    result
}

/// Adds to an error where in the value it is.
#[cold]
fn explain(write: &Write<'_>, kind: ErrorKind) -> Error {
    let frames = write.frames().filter_map(|frame| {
        let node = write.graph.node(frame.node)?;
        Some(Step { node: frame.node, index: frame.value_index(write.graph, node) })
    });
    Error::new(kind, "").at_path(path(write.graph, frames))
}

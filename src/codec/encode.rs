//! The encoder: its phases, its stack, and what callers see of it.

use super::emit::Emission;
use super::index::add_index;
use super::options::EncodeOptions;
use super::write::Write;
use crate::error::{Error, ErrorKind};
use crate::graph::{Graph, Step, path};

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
    message: Vec<u8>,
    failed: Option<Error>,
    options: EncodeOptions,
    /// The entries of the index to add.
    entries: Option<Vec<(String, u64)>>,
}

enum Phase<'g> {
    Write(Box<Write<'g>>),
    Emit(Box<Write<'g>>, Emission<'g>),
    Done,
}

impl<'g> Encoder<'g> {
    /// An encoder of `graph`.
    pub fn new(graph: &'g Graph<'_>, options: &EncodeOptions) -> Self {
        let write = Box::new(Write::new(graph, options));
        let options = options.clone();
        Encoder { phase: Phase::Write(write), message: Vec::new(), failed: None, options, entries: None }
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

    /// The message; what is left to encode is encoded first.
    ///
    /// # Errors
    ///
    /// Those of [`run`](Self::run).
    pub fn finish(mut self) -> Result<Vec<u8>, Error> {
        while !self.run(usize::MAX)? {}
        Ok(self.message)
    }

    fn step(&mut self, steps: usize) -> Result<bool, Error> {
        match &mut self.phase {
            Phase::Write(write) => {
                if write.run(steps).map_err(|kind| explain(write, kind))? {
                    let emission = assemble(write, &self.options)?;
                    self.entries = entries(write, &self.options)?;
                    if let Phase::Write(write) = std::mem::replace(&mut self.phase, Phase::Done) {
                        self.phase = Phase::Emit(write, emission);
                    }
                }
            }
            Phase::Emit(write, emission) => {
                if write.emit(emission, steps, &mut self.message) {
                    if let Some(entries) = self.entries.take() {
                        add_index(&mut self.message, 0, entries)?;
                    }
                    if let Phase::Emit(write, _) = std::mem::replace(&mut self.phase, Phase::Done) {
                        write.kept.keep();
                    }
                }
            }
            Phase::Done => {}
        }
        Ok(matches!(self.phase, Phase::Done))
    }
}

/// Goes from what has been written to putting it together.
fn assemble<'g>(write: &mut Write<'g>, options: &EncodeOptions) -> Result<Emission<'g>, Error> {
    if write.kept.shapes.has_unknown_symbol {
        return Err(Error::new(ErrorKind::UnknownValue, "a property key is a Symbol of another graph"));
    }
    if !write.has_own_text() {
        return Err(Error::new(ErrorKind::UnknownValue, "a string is of another graph"));
    }
    let emission = write.emission();
    if emission.message_len() as u64 > options.max_bytes.unwrap_or(u64::MAX) {
        let detail = format!("the message takes {} bytes", emission.message_len());
        return Err(Error::new(ErrorKind::LimitExceeded, detail));
    }
    Ok(emission)
}

/// Names and identities of the entries of the index, if one is asked for.
fn entries(write: &Write<'_>, options: &EncodeOptions) -> Result<Option<Vec<(String, u64)>>, Error> {
    if !options.index && options.entries.is_empty() {
        return Ok(None);
    }
    let mut entries = Vec::with_capacity(options.entries.len());
    for (name, value) in &options.entries {
        let identity = write.identity(value.0).map_err(|kind| {
            let detail = format!("entry {name:?} is no object of its own that the root reaches");
            Error::new(kind, detail)
        })?;
        entries.push((name.clone(), identity));
    }
    Ok(Some(entries))
}

/// Appends the message of `graph` to `out`; after an error `out` is as it was.
pub(crate) fn encode_into(graph: &Graph<'_>, options: &EncodeOptions, out: &mut Vec<u8>) -> Result<(), Error> {
    let mut write = Write::new(graph, options);
    write.run(usize::MAX).map_err(|kind| explain(&write, kind))?;
    let emission = assemble(&mut write, options)?;
    let entries = entries(&write, options)?;
    let start = out.len();
    write.emit_whole(emission, out);
    match entries {
        None => Ok(()),
        Some(entries) => add_index(out, start, entries).inspect_err(|_| out.truncate(start)),
    }
}

/// The message of `graph`, and for each of its nodes the identity it has there + 1; 0 for one that the root does not reach.
pub(crate) fn encode_noting(graph: &Graph<'_>) -> Result<(Vec<u8>, Vec<u32>), Error> {
    let options = EncodeOptions::new();
    let mut write = Write::new(graph, &options);
    write.run(usize::MAX).map_err(|kind| explain(&write, kind))?;
    let emission = assemble(&mut write, &options)?;
    // Putting together gives the table away.
    let identities = write.kept.identities.clone();
    let mut message = Vec::new();
    write.emit_whole(emission, &mut message);
    Ok((message, identities))
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

//! A part of a message as a message of its own: with everything that references in it stand for.

use std::collections::BTreeMap;

use super::View;
use super::cursor::{LazyCursor, What};
use crate::codec::{DecodeOptions, EncodeOptions, Head, Payload, Scan, TextHead, ViewBuffer, decode, encode_into};
use crate::error::Error;
use crate::graph::{Graph, NodeId, Slot, Value};
use crate::wire::index::Position;
use crate::wire::{Header, structure, tag, varint};

impl LazyCursor<'_> {
    /// The value with all that it refers to, as a graph of its own. References in it to other parts of the message
    /// are followed; nothing else is read.
    ///
    /// # Errors
    ///
    /// Those of [`Marshal::decode`](crate::Marshal::decode), with offsets in the part.
    pub fn to_graph(self) -> Result<Graph<'static>, Error> {
        match self.placeless()? {
            Some(graph) => Ok(graph),
            None => graph_of(&self.view, self.at, self.identity),
        }
    }

    /// The value with all that it refers to, as a message of its own, for any reader of messages. It is not canonical:
    /// it has all shapes of the message that it comes from.
    ///
    /// # Errors
    ///
    /// What is wrong with the structure of the part; what else may be wrong with it is found when it is read.
    pub fn to_message(self) -> Result<Vec<u8>, Error> {
        match self.placeless()? {
            Some(graph) => {
                let mut message = Vec::new();
                encode_into(&graph, &EncodeOptions::new(), &mut message)?;
                Ok(message)
            }
            None => message_of(&self.view, self.at, self.identity),
        }
    }

    /// What is in a packed array or in records has no place of its own.
    fn placeless(self) -> Result<Option<Graph<'static>>, Error> {
        let mut graph = Graph::new();
        let root = match self.what {
            What::InRecord(inside) => return self.graph_in_record(inside).map(Some),
            What::Integer { negative, magnitude } => graph.bigint_from_magnitude(negative, magnitude),
            What::Head(Head::Number(number)) => number.into(),
            What::Head(Head::Bool(flag)) => flag.into(),
            _ => return Ok(None),
        };
        graph.set_root(root);
        Ok(Some(graph))
    }
}

/// What is copied: the values from `start` to `end`, which follow one another.
#[derive(Debug, Clone, Copy)]
struct Stretch {
    start: Position,
    end: Position,
}

/// The graph of the value at `at`.
/// `identity`: the value's own, where it has one.
pub(super) fn graph_of(view: &View<'_>, at: Position, identity: Option<u64>) -> Result<Graph<'static>, Error> {
    let (message, root) = extract(view, at, identity)?;
    let mut graph = decode(&message, &DecodeOptions::new())?;
    if let Some(identity) = root {
        graph.set_root(Value(Slot::Node(NodeId(identity))));
    }
    Ok(graph.into_owned())
}

/// The value at `at` as the root of a message of its own.
pub(super) fn message_of(view: &View<'_>, at: Position, identity: Option<u64>) -> Result<Vec<u8>, Error> {
    match extract(view, at, identity)? {
        (message, None) => Ok(message),
        // It stands among the others that it refers to: put in order from it.
        _ => {
            let mut message = Vec::new();
            encode_into(&graph_of(view, at, identity)?, &EncodeOptions::new(), &mut message)?;
            Ok(message)
        }
    }
}

/// The graph of a structure that has the shapes of the message, and neither text nor data.
pub(super) fn graph_of_structure(view: &View<'_>, structure: Vec<u8>) -> Result<Graph<'static>, Error> {
    let message = Copy { structure, ..Copy::new(view, 0) }.finish();
    let graph = decode(&message, &DecodeOptions::new())?;
    Ok(graph.into_owned())
}

/// A message with the value at `at`, and which identity in it the value has, where it is not the root.
fn extract(view: &View<'_>, at: Position, identity: Option<u64>) -> Result<(Vec<u8>, Option<u32>), Error> {
    let stretches = closure(view, at)?;
    // The buffer of a typed array stands at the typed array's place.
    let alone = stretches.len() == 1 && stretches[0].start == at && identity.is_none_or(|own| own == at.identity);
    let mut copy = Copy::new(view, if alone { 0 } else { 1 });
    if !alone {
        structure::array(&mut copy.structure, stretches.len());
    }
    for stretch in &stretches {
        copy.stretch(stretch)?;
    }
    let root = (!alone).then(|| copy.identity(identity.unwrap_or(at.identity))).flatten();
    Ok((copy.finish(), root.map(|identity| identity as u32)))
}

/// The value, and the values that references in it stand for and that it does not hold itself, and so on: in the order
/// in which they stand, none inside another.
fn closure(view: &View<'_>, at: Position) -> Result<Vec<Stretch>, Error> {
    let mut by_identity: BTreeMap<u64, Stretch> = BTreeMap::new();
    let mut work = vec![at];
    // Stretches that grow outwards one step at a time would be read again and again.
    let mut left = 4 * view.structure.len() as u64 + 64;
    while let Some(start) = work.pop() {
        if holds(&by_identity, start.identity) {
            continue;
        }
        let mut outside = Vec::new();
        let mut scan = view.scan_at(start)?;
        view.walk(&mut scan, |_, _, head| {
            if let Head::Reference(identity) | Head::View { buffer: ViewBuffer::Reference(identity), .. } = *head
                && identity < start.identity
            {
                outside.push(identity);
            }
            Ok(true)
        })?;
        let end = scan.position();
        left = left.saturating_sub(end.structure - start.structure + 1);
        if end.identity == start.identity && outside.is_empty() {
            // A value without identity.
            return Ok(vec![Stretch { start, end }]);
        }
        by_identity.retain(|&identity, _| !(start.identity..end.identity).contains(&identity));
        by_identity.insert(start.identity, Stretch { start, end });
        outside.retain(|&identity| !holds(&by_identity, identity));
        outside.sort_unstable();
        outside.dedup();
        if !outside.is_empty() && (view.index.is_none() || left == 0) {
            // All of it, then: at once instead of piece by piece.
            let mut scan = view.scan();
            view.walk(&mut scan, |_, _, _| Ok(true))?;
            return Ok(vec![Stretch { start: Position::default(), end: scan.position() }]);
        }
        for identity in outside {
            work.push(view.resolve(identity)?);
        }
    }
    Ok(by_identity.into_values().collect())
}

/// Whether one of the stretches has this identity.
fn holds(stretches: &BTreeMap<u64, Stretch>, identity: u64) -> bool {
    stretches.range(..=identity).next_back().is_some_and(|(_, stretch)| identity < stretch.end.identity)
}

/// The message that is being put together.
struct Copy<'v, 'l> {
    view: &'v View<'l>,
    structure: Vec<u8>,
    text: Vec<u8>,
    data: Vec<u8>,
    refs: bool,
    /// The next identity, and for each stretch its first identity there and here.
    next_identity: u64,
    identities: Vec<(u64, u64, u64)>,
    /// Ids of strings, there and here.
    strings: BTreeMap<u64, u64>,
}

impl<'v, 'l> Copy<'v, 'l> {
    fn new(view: &'v View<'l>, next_identity: u64) -> Self {
        Copy {
            view,
            structure: Vec::new(),
            text: Vec::new(),
            data: Vec::new(),
            refs: false,
            next_identity,
            identities: Vec::new(),
            strings: BTreeMap::new(),
        }
    }

    /// What an identity of the whole message is here.
    fn identity(&self, identity: u64) -> Option<u64> {
        let before = self.identities.partition_point(|&(there, _, _)| there <= identity).checked_sub(1)?;
        let (there, here, len) = self.identities[before];
        (identity - there < len).then_some(here + identity - there)
    }

    fn stretch(&mut self, stretch: &Stretch) -> Result<(), Error> {
        let (start, end) = (stretch.start, stretch.end);
        let len = end.identity.saturating_sub(start.identity);
        self.identities.push((start.identity, self.next_identity, len));
        self.next_identity += len;
        let view = self.view;
        view.check(&view.layout.text, start.text as usize..end.text.max(start.text) as usize)?;
        let mut copied = start.structure as usize;
        let mut text_copied = start.text as usize;
        let mut scan = view.scan_at(start)?;
        view.walk(&mut scan, |scan, position, head| {
            let rewritten = match *head {
                Head::Reference(_) | Head::View { buffer: ViewBuffer::Reference(_), .. } => true,
                Head::Text(text) | Head::RegExp { source: text, .. } => is_interned(text),
                _ => false,
            };
            if rewritten {
                self.structure.extend_from_slice(&view.structure[copied..position.structure as usize]);
                self.text.extend_from_slice(&view.text[text_copied..position.text as usize]);
                copied = scan.position().structure as usize;
                text_copied = scan.position().text as usize;
                self.rewrite(position, head)?;
            } else {
                self.payload(scan)?;
            }
            Ok(true)
        })?;
        self.structure.extend_from_slice(&view.structure[copied..end.structure as usize]);
        self.text.extend_from_slice(&view.text[text_copied..end.text as usize]);
        Ok(())
    }

    fn rewrite(&mut self, position: Position, head: &Head) -> Result<(), Error> {
        match *head {
            Head::Reference(identity) => {
                self.refs = true;
                // One that is not there is found out when the copy is decoded.
                let identity = self.identity(identity).unwrap_or(u64::from(u32::MAX));
                structure::tagged(&mut self.structure, tag::REFERENCE, identity);
            }
            Head::View { kind, buffer: ViewBuffer::Reference(identity), offset, len } => {
                self.refs = true;
                let identity = self.identity(identity).unwrap_or(u64::from(u32::MAX));
                self.structure.extend([tag::VIEW, kind.code()]);
                structure::tagged(&mut self.structure, tag::REFERENCE, identity);
                varint::write(&mut self.structure, offset);
                varint::write(&mut self.structure, len.map_or(0, |len| len + 1));
            }
            Head::Text(text) => self.text_value(position, text)?,
            Head::RegExp { flags, source, last_index } => {
                self.structure.extend([tag::REGEXP, flags.bits()]);
                self.text_value(position, source)?;
                varint::write(&mut self.structure, last_index);
            }
            _ => {}
        }
        Ok(())
    }

    /// A string that defines an id, or stands for one.
    fn text_value(&mut self, position: Position, text: TextHead) -> Result<(), Error> {
        let id = match text {
            TextHead::Interned(id) => id,
            _ => position.strings,
        };
        match (text, self.strings.get(&id)) {
            (TextHead::Interned(_), Some(&here)) => structure::tagged(&mut self.structure, tag::INTERNED, here),
            (TextHead::Interned(_), None) => {
                // Defined outside of what is copied: here it is defined where it is first met.
                let outside = self.view.interned(id, position)?;
                self.define(id, outside)?;
            }
            _ => self.define(id, text)?,
        }
        Ok(())
    }

    fn define(&mut self, id: u64, text: TextHead) -> Result<(), Error> {
        let here = self.strings.len() as u64;
        self.strings.insert(id, here);
        self.structure.push(tag::INTERN);
        let view = self.view;
        match text {
            TextHead::Utf8 { at, len, .. } => {
                let range = at as usize..(at + len) as usize;
                view.check(&view.layout.text, range.clone())?;
                structure::string(&mut self.structure, len as usize);
                self.text.extend_from_slice(&view.text[range]);
            }
            TextHead::Utf16 { payload, .. } => {
                structure::tagged(&mut self.structure, tag::STRING_UTF16, payload.len / 2);
                self.copy_payload(payload)?;
            }
            TextHead::Interned(_) => {}
        }
        Ok(())
    }

    /// The payload of the item that the scan has just read.
    fn payload(&mut self, scan: &Scan<'l>) -> Result<(), Error> {
        match scan.payload {
            Some(payload) => self.copy_payload(payload),
            None => Ok(()),
        }
    }

    fn copy_payload(&mut self, payload: Payload) -> Result<(), Error> {
        if payload.len > 0 {
            let range = payload.at as usize..(payload.at + payload.len) as usize;
            self.view.check(&self.view.layout.data, range.clone())?;
            self.data.resize(self.data.len().next_multiple_of(payload.align as usize), 0);
            self.data.extend_from_slice(&self.view.data[range]);
        }
        Ok(())
    }

    fn finish(self) -> Vec<u8> {
        let shapes = self.view.message.get(self.view.layout.shapes.clone()).unwrap_or_default();
        let header = Header {
            refs: self.refs,
            structure: self.structure.len(),
            shapes: shapes.len(),
            text: self.text.len(),
            data: self.data.len(),
        };
        let mut out = Vec::with_capacity(header.message_len());
        header.write(&mut out);
        out.extend_from_slice(shapes);
        out.extend_from_slice(&self.structure);
        out.extend_from_slice(&self.text);
        if !self.data.is_empty() {
            out.resize(out.len().next_multiple_of(crate::wire::header::DATA_ALIGN), 0);
            out.extend_from_slice(&self.data);
        }
        out
    }
}

fn is_interned(text: TextHead) -> bool {
    text.interns() || matches!(text, TextHead::Interned(_))
}

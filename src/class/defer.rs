//! What waits to be written: how a depth-first form is written without recursion.
//!
//! When a pointer lies too deep, it waits, and all that is written behind it, until the engine is back at its own loop,
//! goes aside, as pieces: bytes up to another pointer, a shape or a payload, whose numbers and places are not known yet.
//! The loop then takes up the pieces in order. What is written for a pointer meanwhile goes to the message again, until
//! it is too deep again: then its pieces lie on top of those that wait. Every byte is copied once more at most.

use std::rc::Rc;
use std::sync::Arc;

use super::Writer;
use super::write::{Handle, Mode};
use crate::error::Error;
use crate::wire::runs::Runs;
use crate::wire::shapes::ShapeId;
use crate::wire::{splice, structure};

/// Pieces that wait, with their bytes, as a stack of sessions.
#[derive(Default)]
pub(super) struct Deferred {
    /// While a session is written, these are swapped with those of the message.
    structure: Vec<u8>,
    text: Runs,
    data: Vec<u8>,
    pieces: Vec<Piece>,
    sessions: Vec<Session>,
    /// Where the session that is being written begins.
    open: Option<Session>,
}

/// Bytes up to a place, and what stands there.
struct Piece {
    end: Place,
    then: Then,
}

enum Then {
    Nothing,
    Pointer(Handle),
    Shape(ShapeId),
    Message(Vec<u8>),
    Payload { align: usize, end: usize },
}

/// How far pieces have been written or taken up.
#[derive(Clone, Copy)]
struct Place {
    structure: usize,
    text: usize,
    identities: u32,
}

/// Pieces that were written between two turns of the loop.
struct Session {
    first: usize,
    next: usize,
    start: Place,
    at: Place,
    data_start: usize,
    data_at: usize,
}

impl Deferred {
    /// Bytes of memory, more or less.
    pub(super) fn kept(&self) -> usize {
        let pieces = self.pieces.capacity() * size_of::<Piece>() + self.sessions.capacity() * size_of::<Session>();
        self.structure.capacity() + self.text.capacity() + self.data.capacity() + pieces
    }
}

impl Writer {
    /// A pointer waits, and so does what follows it.
    pub(super) fn wait(&mut self, handle: Handle) {
        match self.mode {
            Mode::Order => return,
            Mode::Direct => self.set_aside(),
            Mode::Aside => {}
        }
        self.piece(Then::Pointer(handle));
    }

    pub(super) fn shape_aside(&mut self, shape: ShapeId) {
        self.piece(Then::Shape(shape));
    }

    pub(super) fn message_aside(&mut self, bytes: Vec<u8>) {
        self.piece(Then::Message(bytes));
    }

    pub(super) fn payload_aside(&mut self, align: usize, bytes: &[u8]) {
        self.message.data.extend_from_slice(bytes);
        let end = self.message.data.len();
        self.piece(Then::Payload { align, end });
    }

    /// Takes up what waits until nothing does.
    pub(super) fn finish_deferred(&mut self) -> Result<(), Error> {
        loop {
            self.take_back();
            let Some(session) = self.deferred.sessions.last_mut() else { return Ok(()) };
            let Some(piece) = self.deferred.pieces.get_mut(session.next) else {
                self.deferred.pieces.truncate(session.first);
                self.deferred.structure.truncate(session.start.structure);
                self.deferred.text.truncate(session.start.text);
                self.deferred.data.truncate(session.data_start);
                self.deferred.sessions.pop();
                continue;
            };
            session.next += 1;
            let (from, to) = (session.at, piece.end);
            session.at = to;
            let then = std::mem::replace(&mut piece.then, Then::Nothing);
            let message = &mut self.message;
            message.structure.extend_from_slice(&self.deferred.structure[from.structure..to.structure]);
            message.text.append(&self.deferred.text[from.text..to.text]);
            message.identities += to.identities - from.identities;
            match then {
                Then::Nothing => {}
                Then::Shape(shape) => {
                    let number = message.shapes.number(shape);
                    structure::object(&mut message.structure, number);
                }
                Then::Message(bytes) => splice::append(message, &bytes)?,
                Then::Payload { align, end } => {
                    message.payload(align, &self.deferred.data[session.data_at..end]);
                    session.data_at = end;
                }
                Then::Pointer(handle) => {
                    self.depth = 0;
                    match &handle {
                        Handle::Rc(target) => {
                            self.pointer(Rc::as_ptr(target).cast::<()>().addr(), &**target, || {
                                Handle::Rc(target.clone())
                            })?;
                        }
                        Handle::Arc(target) => {
                            self.pointer(Arc::as_ptr(target).cast::<()>().addr(), &**target, || {
                                Handle::Arc(target.clone())
                            })?;
                        }
                    }
                }
            }
        }
    }

    /// From here on, what is written goes aside.
    fn set_aside(&mut self) {
        self.mode = Mode::Aside;
        self.swap();
        let start = self.place();
        let data = self.message.data.len();
        let first = self.deferred.pieces.len();
        self.deferred.open = Some(Session { first, next: first, start, at: start, data_start: data, data_at: data });
    }

    /// From here on, what is written goes to the message.
    fn take_back(&mut self) {
        if let Some(session) = self.deferred.open.take() {
            self.piece(Then::Nothing);
            self.message.identities = session.start.identities;
            self.deferred.sessions.push(session);
            self.swap();
            self.mode = Mode::Direct;
        }
    }

    fn swap(&mut self) {
        std::mem::swap(&mut self.message.structure, &mut self.deferred.structure);
        std::mem::swap(&mut self.message.text, &mut self.deferred.text);
        std::mem::swap(&mut self.message.data, &mut self.deferred.data);
    }

    fn place(&self) -> Place {
        let message = &self.message;
        Place { structure: message.structure.len(), text: message.text.len(), identities: message.identities }
    }

    fn piece(&mut self, then: Then) {
        let piece = Piece { end: self.place(), then };
        self.deferred.pieces.push(piece);
    }
}

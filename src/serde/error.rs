//! The crate's error as serde makes it, and the path that it gathers on its way out.

use std::cell::Cell;
use std::fmt::{self, Arguments, Display};

use serde::de::{Expected, Unexpected};

use crate::error::{Error, ErrorKind, Step};
use crate::graph::{JsStr, Segment, path_of};

impl serde::ser::Error for Error {
    #[cold]
    fn custom<T: Display>(message: T) -> Self {
        Error::new(ErrorKind::Rejected, message.to_string())
    }
}

impl serde::de::Error for Error {
    fn custom<T: Display>(message: T) -> Self {
        worded(ErrorKind::Rejected, format_args!("{message}"))
    }

    fn invalid_type(unexpected: Unexpected<'_>, expected: &dyn Expected) -> Self {
        worded(ErrorKind::WrongType, format_args!("invalid type: {}, expected {expected}", Shown(unexpected)))
    }

    fn invalid_value(unexpected: Unexpected<'_>, expected: &dyn Expected) -> Self {
        worded(ErrorKind::Rejected, format_args!("invalid value: {}, expected {expected}", Shown(unexpected)))
    }

    fn duplicate_field(field: &'static str) -> Self {
        worded(ErrorKind::DuplicateKey, format_args!("duplicate field `{field}`"))
    }
}

/// What was found; of a long text, its beginning.
struct Shown<'u>(Unexpected<'u>);

impl Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const MOST: usize = 32;
        match self.0 {
            Unexpected::Str(text) if text.chars().nth(MOST).is_some() => {
                write!(f, "string {:?}…", text.chars().take(MOST).collect::<String>())
            }
            shown => shown.fmt(f),
        }
    }
}

thread_local! {
    /// The errors that types make on this thread are put into words.
    static WORDS: Cell<bool> = const { Cell::new(true) };
}

#[cold]
fn worded(kind: ErrorKind, words: Arguments<'_>) -> Error {
    if WORDS.get() { Error::new(kind, words.to_string()) } else { Error::unworded() }
}

/// While it is there, the errors that types make are put into words, or are not.
pub(super) struct Words {
    before: bool,
}

impl Words {
    #[inline]
    pub(super) fn are(wanted: bool) -> Self {
        Words { before: WORDS.replace(wanted) }
    }
}

impl Drop for Words {
    #[inline]
    fn drop(&mut self) {
        WORDS.set(self.before);
    }
}

/// The error as the caller gets it: with the path that the steps make.
#[cold]
pub(super) fn surfaced(mut error: Error) -> Error {
    let trail = error.take_trail();
    let path = path_of(trail.iter().rev().map(|step| match step {
        Step::Name(name) => Segment::Name(JsStr::utf8(name)),
        Step::Index(index) => Segment::Index(*index),
        Step::Entry(what, index) => Segment::Entry(what, *index),
    }));
    error.at_path(path)
}

/// An error of reading or writing that is not about the value.
#[cold]
pub(super) fn io(error: std::io::Error) -> Error {
    Error::new(ErrorKind::Io, error.to_string())
}

//! The crate's error as serde makes it, and the path that it gathers on its way out.

use std::fmt::{Display, Write as _};

use serde::de::{Expected, Unexpected};

use crate::error::{Error, ErrorKind, Found, Step};
use crate::graph::{JsStr, Segment, path_of};

impl serde::ser::Error for Error {
    #[cold]
    fn custom<T: Display>(message: T) -> Self {
        Error::new(ErrorKind::Rejected, message.to_string())
    }
}

impl serde::de::Error for Error {
    #[cold]
    fn custom<T: Display>(message: T) -> Self {
        Error::new(ErrorKind::Rejected, message.to_string())
    }

    #[cold]
    fn invalid_type(unexpected: Unexpected<'_>, expected: &dyn Expected) -> Self {
        mismatch(ErrorKind::WrongType, "invalid type", unexpected, expected)
    }

    #[cold]
    fn invalid_value(unexpected: Unexpected<'_>, expected: &dyn Expected) -> Self {
        mismatch(ErrorKind::Rejected, "invalid value", unexpected, expected)
    }

    #[cold]
    fn duplicate_field(field: &'static str) -> Self {
        Error::new(ErrorKind::DuplicateKey, format!("duplicate field `{field}`"))
    }
}

/// Untagged enums make such an error for each variant that does not fit, and drop it: what often comes is not put into
/// words at once.
fn mismatch(kind: ErrorKind, what: &'static str, unexpected: Unexpected<'_>, expected: &dyn Expected) -> Error {
    let kept = Error::mismatch(kind, what, |mismatch| {
        match unexpected {
            Unexpected::Bool(flag) => mismatch.found = Found::Bool(flag),
            Unexpected::Unsigned(n) => mismatch.found = Found::Unsigned(n),
            Unexpected::Signed(n) => mismatch.found = Found::Signed(n),
            Unexpected::Float(n) => mismatch.found = Found::Float(n.to_bits()),
            Unexpected::Str(text) => mismatch.found_text(text),
            _ => return false,
        }
        write!(mismatch, "{expected}").is_ok()
    });
    kept.unwrap_or_else(|| Error::new(kind, format!("{what}: {unexpected}, expected {expected}")))
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

//! The crate's error as serde makes it, and the path that it gathers on its way out.

use std::fmt::Display;

use serde::de::Unexpected;

use crate::error::{Error, ErrorKind, Step};
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
    fn invalid_type(unexpected: Unexpected<'_>, expected: &dyn serde::de::Expected) -> Self {
        Error::new(ErrorKind::WrongType, format!("invalid type: {unexpected}, expected {expected}"))
    }

    #[cold]
    fn duplicate_field(field: &'static str) -> Self {
        Error::new(ErrorKind::DuplicateKey, format!("duplicate field `{field}`"))
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

//! The one error of the crate: what was wrong, where, and what to do.
//!
//! Knows nothing of values or bytes; every other module reports through it.

mod kind;

use std::borrow::Cow;
use std::{fmt, io};

pub use kind::ErrorKind;

/// Why a value could not be encoded, decoded, built or changed.
///
/// Carries a [kind](Error::kind), the [byte offset](Error::offset) in the input where decoding stopped, and the
/// [path](Error::path) from the root to the value, as far as each is known.
///
/// # Examples
///
/// ```
/// use marshal::{ErrorKind, Marshal};
///
/// // An array that claims two elements and holds one (`spec/format.md`, section 3).
/// let error = Marshal::decode(&[0xD7, 0x4D, 1, 0, 2, 0x82, 0x01]).unwrap_err();
/// assert_eq!(error.kind(), ErrorKind::LengthOutOfBounds);
/// assert_eq!(error.offset(), Some(5));
/// assert_eq!(error.path(), Some("$"));
/// ```
#[derive(thiserror::Error, Clone, PartialEq, Eq)]
#[error("{}", self.report())]
pub struct Error(
    /// `None` while it is not put into words, see [`Error::unworded`].
    Option<Box<Report>>,
);

#[derive(Clone, PartialEq, Eq)]
struct Report {
    kind: ErrorKind,
    offset: Option<u64>,
    path: Option<String>,
    /// The steps of the path, innermost first, while the error is on its way out.
    trail: Vec<Step>,
    /// Empty: what the kind says.
    detail: Cow<'static, str>,
    io: Option<io::ErrorKind>,
}

impl Report {
    const fn new(kind: ErrorKind, detail: Cow<'static, str>) -> Self {
        Report { kind, offset: None, path: None, trail: Vec::new(), detail, io: None }
    }
}

/// A step of a path on its way out, see [`Error::within`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Step {
    Name(String),
    Index(u32),
    /// `<key 0>`, `<value 0>`, `<member 0>`
    Entry(&'static str, u32),
}

impl Error {
    /// An error of `kind` that explains itself with `detail`.
    #[cold]
    pub(crate) fn new(kind: ErrorKind, detail: impl Into<Cow<'static, str>>) -> Self {
        Error(Some(Box::new(Report::new(kind, detail.into()))))
    }

    /// An error that says nothing: for a reader that makes many errors and drops them, as of a type that tries one form
    /// after another, and that reads once more if one comes to the surface.
    #[cfg(feature = "serde")]
    #[inline]
    pub(crate) fn unworded() -> Self {
        Error(None)
    }

    #[cfg(feature = "serde")]
    #[inline]
    pub(crate) fn is_unworded(&self) -> bool {
        self.0.is_none()
    }

    fn report(&self) -> &Report {
        static UNWORDED: Report = Report::new(ErrorKind::Rejected, Cow::Borrowed(""));
        self.0.as_deref().unwrap_or(&UNWORDED)
    }

    fn change(mut self, change: impl FnOnce(&mut Report)) -> Self {
        if let Some(report) = &mut self.0 {
            change(report);
        }
        self
    }

    pub(crate) fn at_offset(self, offset: usize) -> Self {
        self.change(|report| report.offset = Some(offset as u64))
    }

    pub(crate) fn at_path(self, path: String) -> Self {
        self.change(|report| report.path = Some(path))
    }

    /// The value is inside of another one.
    #[cold]
    #[inline(never)]
    pub(crate) fn within(self, step: Step) -> Self {
        self.change(|report| report.trail.push(step))
    }

    /// The value is the one that has this name in another one.
    #[cold]
    #[inline(never)]
    pub(crate) fn within_name(self, name: &str) -> Self {
        // Not copied for an error that says nothing.
        self.change(|report| report.trail.push(Step::Name(name.to_owned())))
    }

    /// The value is the element with this index of another one.
    #[cold]
    #[inline(never)]
    pub(crate) fn within_index(self, index: usize) -> Self {
        self.within(Step::Index(u32::try_from(index).unwrap_or(u32::MAX)))
    }

    /// Offset of the tag of the faulty value, unless one further in is known.
    #[cold]
    #[inline(never)]
    pub(crate) fn at_offset_or(self, offset: usize) -> Self {
        self.change(|report| _ = report.offset.get_or_insert(offset as u64))
    }

    /// The steps taken, innermost first.
    pub(crate) fn take_trail(&mut self) -> Vec<Step> {
        self.0.as_mut().map(|report| std::mem::take(&mut report.trail)).unwrap_or_default()
    }

    /// The operating system refused `step`, which is named as in "sync the temporary file".
    #[cfg(feature = "snapshot")]
    #[cold]
    pub(crate) fn io(kind: ErrorKind, step: &str, path: &std::path::Path, error: &io::Error) -> Self {
        let own = Error::new(kind, format!("could not {step} {}: {error}", path.display()));
        own.change(|report| report.io = Some(error.kind()))
    }

    /// What was wrong.
    pub fn kind(&self) -> ErrorKind {
        self.report().kind
    }

    /// Where in the input, in bytes from its start. `None` for errors that are not about input bytes.
    /// Which byte of a faulty item is meant is laid down in `spec/format.md`, section 11.
    pub fn offset(&self) -> Option<u64> {
        self.report().offset
    }

    /// The path from the root (`$`) to the faulty value, as in `$.users[3].name`. `None` where no value is concerned.
    pub fn path(&self) -> Option<&str> {
        self.report().path.as_deref()
    }

    /// Whether the input ended early: more bytes may complete it.
    pub fn is_truncated(&self) -> bool {
        self.kind() == ErrorKind::Truncated
    }

    /// Whether the input is not a message at all, or one of a newer format.
    pub fn is_unsupported(&self) -> bool {
        matches!(self.kind(), ErrorKind::BadMagic | ErrorKind::UnsupportedVersion | ErrorKind::UnsupportedFlags)
    }

    /// What the operating system said, where it refused something: `NotFound` for a file that is not there.
    pub fn io_kind(&self) -> Option<io::ErrorKind> {
        self.report().io
    }

    /// Whether a part was asked for that is not there.
    pub fn is_not_found(&self) -> bool {
        self.kind() == ErrorKind::NotFound
    }

    /// Whether a bound set in the options was reached: the same input may pass with a higher one.
    pub fn is_limit(&self) -> bool {
        self.kind() == ErrorKind::LimitExceeded
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.kind)?;
        if let Some(offset) = self.offset {
            write!(f, " at byte {offset}")?;
        }
        if let Some(path) = &self.path {
            write!(f, " in {path}")?;
        }
        write!(f, ": {}", if self.detail.is_empty() { self.kind.explain() } else { &self.detail })
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Error({})", self.report())
    }
}

/// An error on its way through an engine: small, without allocation, turned into an [`Error`] at the surface.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(crate) kind: ErrorKind,
    /// Offset in the whole input.
    pub(crate) at: usize,
}

impl Fault {
    #[cold]
    pub(crate) fn new(kind: ErrorKind, at: usize) -> Self {
        Fault { kind, at }
    }
}

impl From<Fault> for Error {
    // Out of line: it stands behind every read.
    #[cold]
    #[inline(never)]
    fn from(fault: Fault) -> Self {
        Error::new(fault.kind, "").at_offset(fault.at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_is_one_pointer_wide() {
        assert_eq!(size_of::<Error>(), size_of::<usize>());
        assert_eq!(size_of::<Fault>(), 16);
    }

    #[test]
    fn display_says_what_where_and_why() {
        let error = Error::new(ErrorKind::BadDate, "").at_offset(9).at_path("$.at".into());
        assert_eq!(
            error.to_string(),
            "bad-date at byte 9 in $.at: a time value is NaN or an integer of at most 8.64e15 milliseconds"
        );
    }
}

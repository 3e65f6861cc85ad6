//! Sequences whose elements all have one fixed layout: records, raw in the data (`spec/format.md`, section 8).
//!
//! The first element is looked at ([`sketch`]). If it is made of numbers alone, it becomes a record, and so does each that
//! has the same layout ([`write`]); at the first that deviates all become values.
//! Reading has a quick way for types that ask for just what the records are ([`quick`]) and one for all others
//! ([`read`]).

mod quick;
mod read;
mod row;
mod sketch;
mod write;

pub(super) use sketch::{Seen, Sketch, look};
pub(super) use write::collect;

/// Longer records, and such of more values, are written as values, and read without haste.
const MAX_VALUES: usize = 64;
const MAX_SIZE: usize = 512;
/// What is seen of the data at a time: a record, and what the largest number at its end may reach beyond it.
const WINDOW: usize = MAX_SIZE + 8;

/// A type does not ask for, or give, what a layout has. What then happens finds out why.
#[derive(Debug)]
struct Deviates;

impl std::fmt::Display for Deviates {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("not of the layout")
    }
}

impl std::error::Error for Deviates {}

impl serde::ser::Error for Deviates {
    fn custom<T: std::fmt::Display>(_: T) -> Self {
        Deviates
    }
}

impl serde::de::Error for Deviates {
    fn custom<T: std::fmt::Display>(_: T) -> Self {
        Deviates
    }
}

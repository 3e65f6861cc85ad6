//! JSON text into a graph and out of it, both without recursion and without a tree of values in between.
//!
//! Knows JSON and graphs, and nothing of messages. `parse` does what `JSON.parse` does; writing decides what to do with
//! values that JSON can't hold.

mod emit;
mod parse;
mod show;
mod string;
mod write;

pub use parse::{Parser, parse};
pub use write::{JsonOptions, Lossy, Writer, to_string, write};

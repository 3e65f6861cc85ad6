//! The types of the standard library, and the built-ins of JavaScript that it has not, as fields.

mod builtin;
mod cells;
mod counted;
mod data;
mod foreign;
mod lists;
mod maps;
mod numbers;
mod option;
mod text;

pub use builtin::{Date, ErrorBase, TypedArray};
pub use data::Data;

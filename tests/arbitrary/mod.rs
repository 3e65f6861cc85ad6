//! Arbitrary graphs and the laws that hold of them, for the tests here and for the fuzz targets.
#![allow(dead_code, reason = "each test takes what it needs")]

pub mod bytes;
pub mod laws;
mod quick;
pub mod recipe;

pub use recipe::Recipe;

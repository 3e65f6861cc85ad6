//! Arbitrary graphs and the laws that hold of them, for the tests here and for the fuzz targets.
#![allow(dead_code, reason = "each test takes what it needs")]

pub(crate) mod bytes;
pub(crate) mod laws;
mod quick;
pub(crate) mod recipe;

pub(crate) use recipe::Recipe;

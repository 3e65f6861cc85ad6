//! JSON in and out through the public API: what JSON.parse reads, what it refuses, and what the text holds.
#![cfg(feature = "json")]

mod generated;
mod read;
mod shown;

//! Graph to message and back: two engines with a stack of their own that stop after any step and go on.
//!
//! Knows the graph and the wire, and nothing of who drives it.

mod close;
mod decode;
mod emit;
mod encode;
mod guard;
mod index;
mod intern;
mod kept;
mod known;
mod open;
mod options;
mod read;
mod records;
mod scan;
mod shapes;
mod write;
mod write_shapes;

pub use decode::Decoder;
pub(crate) use decode::{check, decode, decode_prefix, path_at};
pub use encode::Encoder;
pub(crate) use encode::{encode_into, encode_noting};
pub(crate) use index::{add_index, as_asked, is_derived};
pub use options::{DecodeOptions, EncodeOptions};
pub(crate) use records::plain_keys;
pub(crate) use scan::{Head, Payload, Scan, TextHead, ViewBuffer};
pub(crate) use shapes::read_shapes;

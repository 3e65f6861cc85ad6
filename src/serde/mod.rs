//! serde types.
mod access;
mod de;
mod error;
mod fields;
mod key;
mod kinds;
mod number;
mod options;
mod pack;
mod run;
mod ser;
mod settle;
mod special;

pub use de::Deserializer;
pub use kinds::{BigInt, Date, Raw, RegExp, TypedArray, Undefined, array_buffer, map, set, typed_array};
pub use options::{DeserializeOptions, SerializeOptions};
pub use run::{
    from_reader, from_reader_with, from_slice, from_slice_with, to_vec, to_vec_with, to_writer, to_writer_with,
};
pub use ser::Serializer;

//! Who takes part: what each library has to offer, and the list of them. A library's own file knows that
//! library and nothing of the others.

mod bson;
mod ciborium;
mod marshal;
mod memcpy;
mod rmpv;
mod serde_json;
mod simd_json;
mod sonic_rs;
mod v8_valueserializer;

use anyhow::Result;

use crate::input::Input;
use crate::stopwatch::Sample;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// The library's own dynamic value to bytes.
    Encode,
    /// Bytes to the library's own dynamic value.
    Decode,
    /// The value to one like it that shares nothing with it.
    Clone,
    /// The data set's own types to bytes.
    TypedEncode,
    /// Bytes to the data set's own types.
    TypedDecode,
    /// Bytes to types that borrow text and bytes from them.
    TypedDecodeBorrowed,
    /// Live objects that point at each other to bytes.
    GraphEncode,
    /// Bytes to live objects that point at each other.
    GraphDecode,
    /// A value of derived classes to bytes.
    ClassEncode,
    /// Bytes to a value of derived classes.
    ClassDecode,
}

impl Operation {
    pub const ALL: [Operation; 10] = [
        Operation::Encode,
        Operation::Decode,
        Operation::Clone,
        Operation::TypedEncode,
        Operation::TypedDecode,
        Operation::TypedDecodeBorrowed,
        Operation::GraphEncode,
        Operation::GraphDecode,
        Operation::ClassEncode,
        Operation::ClassDecode,
    ];

    /// Of derived classes, with or without identity.
    pub const fn is_class(self) -> bool {
        matches!(
            self,
            Operation::GraphEncode | Operation::GraphDecode | Operation::ClassEncode | Operation::ClassDecode
        )
    }

    pub const fn is_typed(self) -> bool {
        matches!(self, Operation::TypedEncode | Operation::TypedDecode | Operation::TypedDecodeBorrowed)
    }

    pub const fn name(self) -> &'static str {
        match self {
            Operation::Encode => "encode",
            Operation::Decode => "decode",
            Operation::Clone => "clone",
            Operation::TypedEncode => "typed_encode",
            Operation::TypedDecode => "typed_decode",
            Operation::TypedDecodeBorrowed => "typed_decode_borrowed",
            Operation::GraphEncode => "graph_encode",
            Operation::GraphDecode => "graph_decode",
            Operation::ClassEncode => "class_encode",
            Operation::ClassDecode => "class_decode",
        }
    }
}

/// One library, holding one input as its own value and as its own message.
pub trait Peer {
    /// Bytes of the message.
    fn message_len(&self) -> usize;

    /// Runs the operation `times` times. `None` where the library has none, or one that isn't comparable.
    fn sample(&mut self, operation: Operation, times: usize) -> Option<Sample>;
}

pub struct Library {
    pub name: &'static str,
    /// Builds the value and the message and sees that the round trip gives the input back.
    pub prepare: fn(&Input) -> Prepared,
}

/// `None` where the library has no way to hold the input.
pub type Prepared = Result<Option<Box<dyn Peer>>>;

/// A library in a race.
pub struct Entrant {
    pub name: &'static str,
    pub peer: Box<dyn Peer>,
}

/// No library, but the limit of what is only copied.
pub const LIMIT: &str = "memcpy";

/// In the order of the rows. A library goes by its crate's name; a mode is a suffix.
pub const LIBRARIES: &[Library] = &[
    Library { name: "marshal", prepare: marshal::prepare },
    Library { name: "serde_json", prepare: serde_json::prepare },
    Library { name: "simd-json", prepare: simd_json::prepare },
    Library { name: "simd-json-tape", prepare: simd_json::prepare_tape },
    Library { name: "sonic-rs", prepare: sonic_rs::prepare },
    Library { name: "rmpv", prepare: rmpv::prepare },
    Library { name: "rmpv-borrowed", prepare: rmpv::prepare_borrowed },
    Library { name: "ciborium", prepare: ciborium::prepare },
    Library { name: "bson", prepare: bson::prepare },
    Library { name: "v8_valueserializer", prepare: v8_valueserializer::prepare },
    Library { name: LIMIT, prepare: memcpy::prepare },
];

/// Why the calls that are timed may unwrap.
pub(crate) const CHECKED: &str = "the same call succeeded when the input was prepared";

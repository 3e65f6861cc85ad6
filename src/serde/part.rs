//! Parts of a message as fields of a Rust type: a graph, or bytes that are passed through.

use std::borrow::Cow;

use serde::de::{self, Deserialize, Deserializer};
use serde::ser::{self, Serialize, Serializer};

use super::kinds::{Bytes, BytesVisitor};
use super::special;
use crate::codec::{self, DecodeOptions, EncodeOptions};
use crate::error::Error;
use crate::graph::Graph;

fn message(graph: &Graph<'_>) -> Result<Vec<u8>, Error> {
    let mut message = Vec::new();
    codec::encode_into(graph, &EncodeOptions::new(), &mut message)?;
    Ok(message)
}

/// Any value: a graph as a field of a Rust type, with all that serde can't carry (cycles, shared values, kinds).
///
/// Its message stands in the place of the field; identity is kept within the graph.
///
/// ```
/// use marshal::{Graph, Marshal, from_slice, js, to_vec};
/// use serde::{Deserialize, Serialize};
///
/// #[derive(Serialize, Deserialize)]
/// struct Entry { id: u32, state: Graph<'static> }
///
/// let entry = Entry { id: 7, state: js!({ at: Date(0), seen: Set[1, 2] }) };
/// let bytes = to_vec(&entry)?;
/// assert_eq!(Marshal::decode(&bytes)?.to_string(), "{id: 7, state: {at: Date(0), seen: Set[1, 2]}}");
/// assert_eq!(from_slice::<Entry>(&bytes)?.state, entry.state);
/// # Ok::<(), marshal::Error>(())
/// ```
impl Serialize for Graph<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let message = message(self).map_err(ser::Error::custom)?;
        serializer.serialize_newtype_struct(special::MESSAGE, &Bytes(message.into()))
    }
}

impl<'de> Deserialize<'de> for Graph<'static> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Raw::deserialize(deserializer)?;
        let graph = codec::decode(&raw.0, &DecodeOptions::new()).map_err(de::Error::custom)?;
        Ok(graph.into_owned())
    }
}

/// A part of a message that is passed through as it is, without being looked at: a message of its own.
///
/// ```
/// use marshal::{Marshal, from_slice, js, serde::Raw, to_vec};
/// use serde::{Deserialize, Serialize};
///
/// #[derive(Serialize, Deserialize)]
/// struct Envelope { to: String, body: Raw }
///
/// let bytes = Marshal::encode(&js!({ to: "Ada", body: { at: Date(0) } }))?;
/// let envelope: Envelope = from_slice(&bytes)?;
/// assert_eq!(Marshal::decode(envelope.body.as_bytes())?, js!({ at: Date(0) }));
/// assert_eq!(Marshal::decode(&to_vec(&envelope)?)?, Marshal::decode(&bytes)?);
/// # Ok::<(), marshal::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Raw(Vec<u8>);

impl Raw {
    /// The part that this message is.
    ///
    /// # Errors
    ///
    /// Those of [`Marshal::check`](crate::Marshal::check).
    pub fn from_message(bytes: Vec<u8>) -> Result<Raw, Error> {
        codec::check(&bytes, &DecodeOptions::new())?;
        Ok(Raw(bytes))
    }

    /// The part of a message that this value is.
    ///
    /// # Errors
    ///
    /// Those of [`to_vec`](crate::to_vec).
    pub fn from_value<T: ?Sized + Serialize>(value: &T) -> Result<Raw, Error> {
        super::to_vec(value).map(Raw)
    }

    /// The message that the part is.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

impl Serialize for Raw {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_newtype_struct(special::MESSAGE, &Bytes(Cow::Borrowed(&self.0)))
    }
}

impl<'de> Deserialize<'de> for Raw {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let bytes = deserializer.deserialize_newtype_struct(special::MESSAGE, BytesVisitor("a message"))?;
        Ok(Raw(bytes.0.into_owned()))
    }
}

//! The facade: the calls that most users need.

use crate::codec::{self, DecodeOptions, EncodeOptions};
use crate::error::Error;
use crate::graph::Graph;
use crate::lazy::Lazy;

/// Encodes, decodes and clones graphs.
pub struct Marshal;

impl Marshal {
    /// Encodes a graph to its canonical message (`spec/format.md`, section 9): equal graphs give equal bytes.
    ///
    /// Cost: linear in what the root reaches. Allocates the message once, and a handful of scratch buffers.
    ///
    /// # Examples
    ///
    /// ```
    /// use marshal::{Marshal, js};
    ///
    /// let state = js!({ user: "Ada", seen: Set["a", "b"] });
    /// let bytes = Marshal::encode(&state)?;
    /// assert_eq!(Marshal::decode(&bytes)?, state);
    /// # Ok::<(), marshal::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// `shared-base` where the base of a derived instance is referred to from elsewhere, `unknown-value` for a handle of
    /// another graph; both with the path.
    pub fn encode(graph: &Graph<'_>) -> Result<Vec<u8>, Error> {
        Self::encode_with(graph, &EncodeOptions::new())
    }

    /// Encodes with [options](EncodeOptions).
    ///
    /// # Errors
    ///
    /// Those of [`encode`](Self::encode), and `limit-exceeded` over the bound in the options.
    pub fn encode_with(graph: &Graph<'_>, options: &EncodeOptions) -> Result<Vec<u8>, Error> {
        let mut message = Vec::new();
        codec::encode_into(graph, options, &mut message)?;
        Ok(message)
    }

    /// Encodes to the end of a caller's buffer, which grows as needed. What is in it stays; after an error it is as it was.
    ///
    /// # Examples
    ///
    /// ```
    /// use marshal::{Marshal, js};
    ///
    /// let mut buffer = Vec::with_capacity(1024);
    /// for n in 0..3 {
    ///     buffer.clear();
    ///     Marshal::encode_into(&js!([n]), &mut buffer)?;
    ///     assert_eq!(Marshal::decode(&buffer)?, js!([n]));
    /// }
    /// # Ok::<(), marshal::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Those of [`encode`](Self::encode).
    pub fn encode_into(graph: &Graph<'_>, out: &mut Vec<u8>) -> Result<(), Error> {
        codec::encode_into(graph, &EncodeOptions::new(), out)
    }

    /// Decodes a message. The graph borrows text and buffers from it.
    ///
    /// One pass, without recursion and without an allocation for each value. Whatever the bytes, the memory taken is at
    /// most 128 times their number (plus a constant), and the time linear.
    ///
    /// # Errors
    ///
    /// Whatever is wrong with the bytes, with kind, offset and path (`spec/format.md`, section 11).
    pub fn decode(bytes: &[u8]) -> Result<Graph<'_>, Error> {
        Self::decode_with(bytes, &DecodeOptions::new())
    }

    /// Decodes with [options](DecodeOptions).
    ///
    /// # Errors
    ///
    /// Those of [`decode`](Self::decode), and `limit-exceeded` over a bound in the options.
    pub fn decode_with<'a>(bytes: &'a [u8], options: &DecodeOptions) -> Result<Graph<'a>, Error> {
        codec::decode(bytes, options, false).map(|(graph, _)| graph)
    }

    /// Decodes the message at the start of `bytes`, and says how long it is.
    ///
    /// # Examples
    ///
    /// ```
    /// use marshal::{Marshal, js};
    ///
    /// let mut stream = Marshal::encode(&js!("first"))?;
    /// stream.extend(Marshal::encode(&js!("second"))?);
    /// let (first, len) = Marshal::decode_prefix(&stream)?;
    /// let (second, _) = Marshal::decode_prefix(&stream[len..])?;
    /// assert_eq!((first, second), (js!("first"), js!("second")));
    /// # Ok::<(), marshal::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Those of [`decode`](Self::decode), except `trailing-bytes`.
    pub fn decode_prefix(bytes: &[u8]) -> Result<(Graph<'_>, usize), Error> {
        codec::decode(bytes, &DecodeOptions::new(), true)
    }

    /// Validates a message as [`decode`](Self::decode) does, and builds nothing but what is open at a time.
    ///
    /// # Errors
    ///
    /// Those of [`decode`](Self::decode).
    pub fn check(bytes: &[u8]) -> Result<(), Error> {
        Self::check_with(bytes, &DecodeOptions::new())
    }

    /// Validates with [options](DecodeOptions).
    ///
    /// # Errors
    ///
    /// Those of [`decode_with`](Self::decode_with).
    pub fn check_with(bytes: &[u8], options: &DecodeOptions) -> Result<(), Error> {
        codec::check(bytes, options)
    }

    /// Decodes the object that was [named](EncodeOptions::entry) when the message was encoded, and what references in it
    /// stand for. Nothing else is read. [`Lazy`] reads more than one part.
    ///
    /// # Errors
    ///
    /// `not-found` where there is no such entry; what is wrong with it.
    pub fn read_from_index(bytes: &[u8], name: &str) -> Result<Graph<'static>, Error> {
        Lazy::new(bytes)?.entry(name)?.to_graph()
    }

    /// A clone that shares nothing with the graph nor with the message that it borrows from. Copies a few flat vectors.
    ///
    /// # Examples
    ///
    /// ```
    /// use marshal::{Marshal, Value, js};
    ///
    /// let state = js!({ n: 1 });
    /// let mut copy = Marshal::deep_clone(&state);
    /// copy.set(copy.root().value(), "n", Value::from(2))?;
    /// assert_eq!((state, copy), (js!({ n: 1 }), js!({ n: 2 })));
    /// # Ok::<(), marshal::Error>(())
    /// ```
    pub fn deep_clone(graph: &Graph<'_>) -> Graph<'static> {
        graph.clone().into_owned()
    }
}

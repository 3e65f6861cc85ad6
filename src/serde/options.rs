//! What a caller can ask of the serializer and the deserializer.

/// How deep values may stand in one another, unless an option says otherwise.
const MAX_DEPTH: usize = 128;

/// How to write.
///
/// # Examples
///
/// ```
/// use marshal::{SerializeOptions, to_vec_with};
///
/// let error = to_vec_with(&[[[1]]], &SerializeOptions::new().max_depth(2)).unwrap_err();
/// assert!(error.is_limit());
/// assert_eq!(error.path(), Some("$[0][0]"));
/// ```
#[derive(Debug, Clone)]
pub struct SerializeOptions {
    pub(super) max_depth: usize,
}

impl Default for SerializeOptions {
    fn default() -> Self {
        SerializeOptions { max_depth: MAX_DEPTH }
    }
}

impl SerializeOptions {
    /// The defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// At most this many containers in one another; 128 by default. Serializing recurses in the program's own types, so
    /// a bound keeps a type that nests without end from overflowing the stack.
    pub fn max_depth(self, depth: usize) -> Self {
        SerializeOptions { max_depth: depth }
    }
}

/// How to read: the bounds that a message must keep.
///
/// # Examples
///
/// ```
/// use marshal::{DeserializeOptions, from_slice_with, to_vec};
///
/// let bytes = to_vec(&[[[1]]])?;
/// let deep: Result<Vec<Vec<Vec<u8>>>, _> = from_slice_with(&bytes, &DeserializeOptions::new().max_depth(2));
/// assert!(deep.unwrap_err().is_limit());
/// # Ok::<(), marshal::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct DeserializeOptions {
    pub(super) max_depth: usize,
    pub(super) max_expansion: u64,
}

/// A message without much in it may still repeat it: references are read again where they stand. A byte may become thirty
/// in memory, so this is what a hostile message of few bytes can take of that.
const MAX_EXPANSION: u64 = 1 << 20;

impl Default for DeserializeOptions {
    fn default() -> Self {
        DeserializeOptions { max_depth: MAX_DEPTH, max_expansion: MAX_EXPANSION }
    }
}

impl DeserializeOptions {
    /// The defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// At most this many containers in one another; 128 by default. Deserializing recurses in the program's own types.
    pub fn max_depth(self, depth: usize) -> Self {
        DeserializeOptions { max_depth: depth, ..self }
    }

    /// At most this many bytes of the message that are read again because a value is referred to more than once, and
    /// holes of arrays, all together, beside sixteen times the message itself; 1 MiB by default. Rust's types are trees,
    /// so what is shared in the message is repeated in the value.
    pub fn max_expansion(self, bytes: u64) -> Self {
        DeserializeOptions { max_expansion: bytes, ..self }
    }
}

//! What a caller can ask of the engines.

use crate::graph::Value;

/// How to encode: the canonical form by default.
///
/// # Examples
///
/// ```
/// use marshal::{EncodeOptions, Marshal, js};
///
/// let state = js!(["a long word", "a long word", "a long word"]);
/// let short = Marshal::encode_with(&state, &EncodeOptions::new().intern_strings(true))?;
/// assert!(short.len() < Marshal::encode(&state)?.len());
/// assert_eq!(Marshal::decode(&short)?, state);
/// # Ok::<(), marshal::Error>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct EncodeOptions {
    pub(super) intern_strings: bool,
    pub(super) max_bytes: Option<u64>,
    pub(super) index: bool,
    pub(super) entries: Vec<(String, Value)>,
}

impl EncodeOptions {
    /// The canonical form, without a bound on its size.
    pub fn new() -> Self {
        Self::default()
    }

    /// Writes a string that occurs again only once. Smaller where long strings repeat, and slower, since every string is
    /// hashed; the message is then not the canonical one (`spec/format.md`, section 9).
    pub fn intern_strings(self, intern: bool) -> Self {
        EncodeOptions { intern_strings: intern, ..self }
    }

    /// Adds an index (`spec/format.md`, section 14), by which a part is read without reading the rest. The message is a
    /// little larger, encoding passes over the structure twice more, and the message is then not the canonical one.
    pub fn index(self, index: bool) -> Self {
        EncodeOptions { index, ..self }
    }

    /// Names an object that the root reaches, for [`Marshal::read_from_index`](crate::Marshal::read_from_index). The
    /// message has an index then.
    ///
    /// # Examples
    ///
    /// ```
    /// use marshal::{EncodeOptions, Marshal, js};
    ///
    /// let state = js!({ settings: { volume: 7 }, users: ["Ada"] });
    /// let settings = state.root().get("settings").unwrap().value();
    /// let bytes = Marshal::encode_with(&state, &EncodeOptions::new().entry("settings", settings))?;
    /// assert_eq!(Marshal::read_from_index(&bytes, "settings")?, js!({ volume: 7 }));
    /// # Ok::<(), marshal::Error>(())
    /// ```
    pub fn entry(mut self, name: impl Into<String>, value: Value) -> Self {
        self.entries.push((name.into(), value));
        self
    }

    /// Refuses, with `limit-exceeded` and before it is allocated, a message of more than this many bytes. A graph can be
    /// far larger as a canonical message than the one it came from: strings that were interned stand in it each time, and
    /// so do the keys of plain objects whose shape comes after 4,096 others.
    pub fn max_bytes(self, bytes: u64) -> Self {
        EncodeOptions { max_bytes: Some(bytes), ..self }
    }
}

/// How to decode: the bounds that a message must keep (`spec/format.md`, section 10). What goes over one is
/// `limit-exceeded`.
///
/// Memory needs no bound of its own: a graph takes at most 128 times the bytes of its message, see
/// [`Marshal::decode`](crate::Marshal::decode).
///
/// # Examples
///
/// ```
/// use marshal::{DecodeOptions, Marshal, js};
///
/// let bytes = Marshal::encode(&js!([[[1]]]))?;
/// let error = Marshal::decode_with(&bytes, &DecodeOptions::new().max_depth(2)).unwrap_err();
/// assert!(error.is_limit());
/// assert_eq!(error.path(), Some("$[0][0]"));
/// # Ok::<(), marshal::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct DecodeOptions {
    pub(super) max_values: u64,
    pub(super) max_depth: usize,
    pub(super) max_bigint_bytes: u64,
    pub(super) max_regexp_bytes: u64,
    pub(super) max_array_length: u64,
    pub(super) verify_index: bool,
}

impl Default for DecodeOptions {
    fn default() -> Self {
        DecodeOptions {
            max_values: u64::MAX,
            max_depth: usize::MAX,
            max_bigint_bytes: 1 << 27,
            max_regexp_bytes: 1 << 24,
            max_array_length: u64::from(u32::MAX),
            verify_index: false,
        }
    }
}

impl DecodeOptions {
    /// The bounds of the specification.
    pub fn new() -> Self {
        Self::default()
    }

    /// At most this many values in containers, all together. No bound by default.
    pub fn max_values(self, values: u64) -> Self {
        DecodeOptions { max_values: values, ..self }
    }

    /// At most this many containers in one another. No bound by default: the engine keeps its own stack.
    pub fn max_depth(self, depth: usize) -> Self {
        DecodeOptions { max_depth: depth, ..self }
    }

    /// At most this many bytes in a BigInt. 2²⁷ by default, what JavaScript engines hold.
    pub fn max_bigint_bytes(self, bytes: u64) -> Self {
        DecodeOptions { max_bigint_bytes: bytes, ..self }
    }

    /// At most this many bytes in the source of a RegExp. 2²⁴ by default.
    pub fn max_regexp_bytes(self, bytes: u64) -> Self {
        DecodeOptions { max_regexp_bytes: bytes, ..self }
    }

    /// Whether the index, if the message has one, is compared with the message: `bad-index` where it says anything else
    /// than the message itself. Reading the whole makes no use of the index, and passes over it by default; reading parts
    /// (through [`Lazy`](crate::Lazy)) believes it, so bytes from those who are not trusted, of which parts are to be read
    /// later, are checked with this. Costs two more passes over the structure.
    ///
    /// # Examples
    ///
    /// ```
    /// use marshal::{DecodeOptions, EncodeOptions, ErrorKind, Marshal, js};
    ///
    /// let state = js!({ settings: { volume: 7 }, other: {} });
    /// let settings = state.root().get("settings").unwrap().value();
    /// let mut bytes = Marshal::encode_with(&state, &EncodeOptions::new().entry("settings", settings))?;
    /// let verify = DecodeOptions::new().verify_index(true);
    /// Marshal::check_with(&bytes, &verify)?;
    ///
    /// *bytes.last_mut().unwrap() = b'!'; // of the name
    /// Marshal::check(&bytes)?;
    /// Marshal::check_with(&bytes, &verify)?; // "setting!" is a name too
    /// let at = bytes.len() - 9; // but a place that nothing stands at is none
    /// bytes[at] ^= 1;
    /// assert_eq!(Marshal::check_with(&bytes, &verify).unwrap_err().kind(), ErrorKind::BadIndex);
    /// # Ok::<(), marshal::Error>(())
    /// ```
    pub fn verify_index(self, verify: bool) -> Self {
        DecodeOptions { verify_index: verify, ..self }
    }

    /// At most this length of an array with holes. 2³²−1 by default; such an array takes memory only for what it holds,
    /// but a consumer may loop over its length.
    pub fn max_array_length(self, length: u64) -> Self {
        DecodeOptions { max_array_length: length, ..self }
    }
}

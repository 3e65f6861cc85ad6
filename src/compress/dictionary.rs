//! zstd dictionaries: what many small inputs have in common, kept apart from them.

use std::fmt;
use std::sync::Arc;

use twox_hash::XxHash3_64;

use crate::error::{Error, ErrorKind};

/// A zstd dictionary: trained from samples, or any bytes that resemble what is compressed. Cloning shares the bytes.
///
/// It pays for many small inputs of one kind. What was compressed with a dictionary can be read only with the same one,
/// so keep it; a snapshot names it by its [id](Dictionary::id), never by a path.
///
/// # Examples
///
/// ```
/// use marshal::compress::{CompressOptions, Compression, DecompressOptions, Dictionary};
///
/// let samples: Vec<String> =
///     (0..1000).map(|i| format!("{{\"user\": \"user{i}\", \"visits\": {}, \"active\": true}}", i * 7)).collect();
/// let dictionary = Dictionary::train(&samples, 4096)?;
///
/// let plain = Compression::Zstd.compress(samples[7].as_bytes())?;
/// let options = CompressOptions::new(Compression::Zstd).dictionary(dictionary.clone());
/// let packed = options.compress(samples[7].as_bytes())?;
/// assert!(packed.len() < plain.len());
///
/// let options = DecompressOptions::new().dictionary(dictionary);
/// assert_eq!(options.decompress(&packed)?, samples[7].as_bytes());
/// # Ok::<(), marshal::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Dictionary {
    bytes: Arc<[u8]>,
    id: u64,
}

impl Dictionary {
    /// A dictionary of these bytes: what [`bytes`](Self::bytes) gave, what the `zstd` tool trained, or raw content.
    pub fn from_bytes(bytes: impl Into<Arc<[u8]>>) -> Self {
        let bytes = bytes.into();
        let id = XxHash3_64::oneshot(&bytes);
        Dictionary { bytes, id }
    }

    /// Trains a dictionary of at most `max_bytes` from samples: at least a hundred or so, together a hundred times as
    /// large as the dictionary for a good one.
    ///
    /// # Errors
    ///
    /// `bad-compression` where the samples are too few or too small.
    pub fn train(samples: &[impl AsRef<[u8]>], max_bytes: usize) -> Result<Self, Error> {
        let bytes = zstd::dict::from_samples(samples, max_bytes).map_err(|error| {
            let detail = format!("no dictionary can be made of these samples ({error}); give more or larger ones");
            Error::new(ErrorKind::BadCompression, detail)
        })?;
        Ok(Dictionary::from_bytes(bytes))
    }

    /// What the dictionary is, to store it.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The XXH3 hash of the bytes (64 bits), by which a snapshot names it.
    pub fn id(&self) -> u64 {
        self.id
    }
}

impl fmt::Debug for Dictionary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Dictionary({:016x}, {} bytes)", self.id, self.bytes.len())
    }
}

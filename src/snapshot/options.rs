//! What a caller can ask of saving and loading.

use super::metadata::Metadata;
use crate::codec::{DecodeOptions, EncodeOptions};
use crate::compress::{CompressOptions, Compression, DecompressOptions, Dictionary};

/// What a save waits for before it returns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Sync {
    /// Data and directory: a save that has returned survives a power cut.
    #[default]
    Full,
    /// The data only: after a power cut the file holds this save or an earlier one, whole.
    Data,
    /// Nothing. Survives the process being killed; after a power cut the file may be empty or torn, which loading
    /// notices.
    None,
}

/// How to save.
///
/// # Examples
///
/// ```
/// use marshal::{SaveOptions, Snapshot, compress::Compression, js};
///
/// let dir = tempfile::tempdir()?;
/// let path = dir.path().join("state.marshal");
/// let options = SaveOptions::new().compression(Compression::Zstd).level(9).generations(2);
/// for n in 0..5 {
///     Snapshot::save_with(&path, &js!({ n: n }), &options)?;
/// }
/// assert_eq!(Snapshot::load(&path)?, js!({ n: 4 }));
/// assert_eq!(Snapshot::load(dir.path().join("state.marshal.2"))?, js!({ n: 2 }));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct SaveOptions {
    pub(super) compression: Option<Compression>,
    pub(super) level: Option<i32>,
    pub(super) dictionary: Option<Dictionary>,
    pub(super) sync: Sync,
    pub(super) metadata: Metadata,
    pub(super) generations: u32,
    pub(super) encode: EncodeOptions,
}

impl SaveOptions {
    /// As many generations can be kept.
    pub const MAX_GENERATIONS: u32 = 64;

    /// Uncompressed, synced, without metadata, no generations.
    pub fn new() -> Self {
        Self::default()
    }

    /// Compresses the message. A compressed snapshot is smaller, and is read as a whole: [`Snapshot::open`] maps only
    /// uncompressed ones.
    ///
    /// [`Snapshot::open`]: super::Snapshot::open
    pub fn compression(self, compression: Compression) -> Self {
        SaveOptions { compression: Some(compression), ..self }
    }

    /// The compression's level; see [`Compression::levels`].
    pub fn level(self, level: i32) -> Self {
        SaveOptions { level: Some(level), ..self }
    }

    /// Compresses with zstd and this dictionary, which loading then needs too.
    pub fn dictionary(self, dictionary: Dictionary) -> Self {
        SaveOptions { compression: Some(Compression::Zstd), dictionary: Some(dictionary), ..self }
    }

    /// What a save waits for.
    pub fn sync(self, sync: Sync) -> Self {
        SaveOptions { sync, ..self }
    }

    /// What the snapshot says about itself.
    pub fn metadata(self, metadata: Metadata) -> Self {
        SaveOptions { metadata, ..self }
    }

    /// Keeps this many earlier snapshots beside the newest: `NAME.1` is the one before it, `NAME.2` the one before
    /// that. At most 64. They are renamed or linked, so keeping them costs disk space and no writing.
    pub fn generations(self, generations: u32) -> Self {
        SaveOptions { generations: generations.min(Self::MAX_GENERATIONS), ..self }
    }

    /// How the value is encoded.
    pub fn encode(self, encode: EncodeOptions) -> Self {
        SaveOptions { encode, ..self }
    }

    pub(super) fn compress(&self) -> Option<CompressOptions> {
        let mut options = CompressOptions::new(self.compression?);
        if let Some(level) = self.level {
            options = options.level(level);
        }
        if let Some(dictionary) = &self.dictionary {
            options = options.dictionary(dictionary.clone());
        }
        Some(options)
    }
}

/// How to load.
///
/// # Examples
///
/// ```
/// use marshal::{LoadOptions, SaveOptions, Snapshot, js};
///
/// let dir = tempfile::tempdir()?;
/// let path = dir.path().join("state.marshal");
/// let options = SaveOptions::new().generations(1);
/// Snapshot::save_with(&path, &js!("older"), &options)?;
/// Snapshot::save_with(&path, &js!("newest"), &options)?;
///
/// let mut bytes = std::fs::read(&path)?;
/// bytes[70] ^= 1;
/// std::fs::write(&path, bytes)?;
/// assert!(Snapshot::load(&path).is_err());
///
/// let snapshot = Snapshot::read_with(&path, &LoadOptions::new().fall_back(true))?;
/// assert_eq!(snapshot.graph()?, js!("older"));
/// assert_eq!(snapshot.generation(), 1);
/// assert!(snapshot.damage().is_some());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct LoadOptions {
    pub(super) verify: bool,
    pub(super) fall_back: bool,
    pub(super) max_bytes: u64,
    pub(super) dictionary: Option<Dictionary>,
    pub(super) decode: DecodeOptions,
}

impl Default for LoadOptions {
    fn default() -> Self {
        LoadOptions {
            verify: true,
            fall_back: false,
            max_bytes: 4 << 30,
            dictionary: None,
            decode: DecodeOptions::new(),
        }
    }
}

impl LoadOptions {
    /// Checksums are verified, a damaged snapshot is an error, and a message has at most 4 GiB.
    pub fn new() -> Self {
        Self::default()
    }

    /// Whether the stored bytes are compared with their checksums. Without that a flipped bit may pass as data.
    pub fn verify(self, verify: bool) -> Self {
        LoadOptions { verify, ..self }
    }

    /// Whether the newest good generation is taken when the newest one is damaged or gone. The snapshot then says
    /// [which](super::Snapshot::generation), and what was [wrong](super::Snapshot::damage) with the newest.
    pub fn fall_back(self, fall_back: bool) -> Self {
        LoadOptions { fall_back, ..self }
    }

    /// A message of more bytes than this is `limit-exceeded`, before it takes memory: a bound for compressed ones.
    pub fn max_bytes(self, bytes: u64) -> Self {
        LoadOptions { max_bytes: bytes, ..self }
    }

    /// The dictionary that the snapshot was compressed with.
    pub fn dictionary(self, dictionary: Dictionary) -> Self {
        LoadOptions { dictionary: Some(dictionary), ..self }
    }

    /// The bounds that the message must keep.
    pub fn decode(self, decode: DecodeOptions) -> Self {
        LoadOptions { decode, ..self }
    }

    pub(super) fn decompress(&self, format: Option<Compression>, max: u64) -> DecompressOptions {
        let mut options = DecompressOptions::new().max_output(max);
        if let Some(format) = format {
            options = options.format(format);
        }
        match &self.dictionary {
            // One that is at hand does not hurt another format.
            Some(dictionary) if format.is_none_or(|format| format == Compression::Zstd) => {
                options.dictionary(dictionary.clone())
            }
            _ => options,
        }
    }
}

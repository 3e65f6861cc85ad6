//! Compression of any bytes: five formats behind one interface, always with a bound on what comes out.
//!
//! Knows bytes, and nothing of messages or files. The formats themselves are the work of other crates.
//!
//! # Examples
//!
//! ```
//! use marshal::compress::{Compression, DecompressOptions};
//!
//! let text = b"the same words, the same words, the same words".repeat(100);
//! let packed = Compression::Zstd.compress(&text)?;
//! assert!(packed.len() < 100);
//! assert_eq!(Compression::detect(&packed), Some(Compression::Zstd));
//! assert_eq!(marshal::compress::decompress(&packed)?, text);
//!
//! let error = DecompressOptions::new().max_output(1000).decompress(&packed).unwrap_err();
//! assert!(error.is_limit());
//! # Ok::<(), marshal::Error>(())
//! ```

mod dictionary;
mod lz4;
mod stream;

use std::fmt;
use std::io::{self, Read, Write};
use std::ops::RangeInclusive;

pub use dictionary::Dictionary;
pub use stream::{Compressor, Decompressor};

use crate::error::{Error, ErrorKind};

/// A compression format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Compression {
    /// Zstandard (RFC 8878): the best ratio for its speed, and the one with dictionaries.
    Zstd,
    /// The LZ4 frame format: the fastest to read and write.
    Lz4,
    /// gzip (RFC 1952).
    Gzip,
    /// The zlib format (RFC 1950), which HTTP calls `deflate`.
    Deflate,
    /// Brotli (RFC 7932). It has no signature, so it is never [detected](Compression::detect).
    Brotli,
}

impl Compression {
    /// Every format.
    pub const ALL: &'static [Compression] =
        &[Compression::Zstd, Compression::Lz4, Compression::Gzip, Compression::Deflate, Compression::Brotli];

    /// The format's name: `zstd`, `lz4`, `gzip`, `deflate` or `brotli`.
    pub fn name(self) -> &'static str {
        match self {
            Compression::Zstd => "zstd",
            Compression::Lz4 => "lz4",
            Compression::Gzip => "gzip",
            Compression::Deflate => "deflate",
            Compression::Brotli => "brotli",
        }
    }

    /// The format with this [name](Compression::name).
    pub fn from_name(name: &str) -> Option<Compression> {
        Compression::ALL.iter().copied().find(|compression| compression.name() == name)
    }

    /// The format that `bytes` begin with, by its signature. `None` for anything else, Brotli included.
    pub fn detect(bytes: &[u8]) -> Option<Compression> {
        match bytes {
            [0x28, 0xB5, 0x2F, 0xFD, ..] => Some(Compression::Zstd),
            [0x04, 0x22, 0x4D, 0x18, ..] => Some(Compression::Lz4),
            [0x1F, 0x8B, ..] => Some(Compression::Gzip),
            // Deflate with a window of up to 32 KiB and without a preset dictionary; the two bytes are a multiple of 31.
            [head, flags, ..]
                if head & 0x0F == 8
                    && head >> 4 <= 7
                    && flags & 0x20 == 0
                    && (u16::from(*head) << 8 | u16::from(*flags)) % 31 == 0 =>
            {
                Some(Compression::Deflate)
            }
            _ => None,
        }
    }

    /// The levels of the format, from the fastest to the smallest. LZ4 has one.
    pub fn levels(self) -> RangeInclusive<i32> {
        match self {
            Compression::Zstd => -7..=22,
            Compression::Lz4 => 1..=1,
            Compression::Gzip | Compression::Deflate => 0..=9,
            Compression::Brotli => 0..=11,
        }
    }

    /// The level that is used where none is given: one that keeps up with a disk.
    pub fn default_level(self) -> i32 {
        match self {
            Compression::Zstd => 3,
            Compression::Lz4 => 1,
            Compression::Gzip | Compression::Deflate => 6,
            Compression::Brotli => 5,
        }
    }

    /// Compresses `bytes` at the default level.
    ///
    /// # Errors
    ///
    /// None that is known; what the format's crate reports.
    pub fn compress(self, bytes: &[u8]) -> Result<Vec<u8>, Error> {
        CompressOptions::new(self).compress(bytes)
    }
}

impl fmt::Display for Compression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// How to compress.
///
/// # Examples
///
/// ```
/// use marshal::compress::{CompressOptions, Compression, decompress};
///
/// let bytes = [7; 10_000];
/// let packed = CompressOptions::new(Compression::Gzip).level(9).compress(&bytes)?;
/// assert_eq!(decompress(&packed)?, bytes);
/// # Ok::<(), marshal::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct CompressOptions {
    compression: Compression,
    level: i32,
    dictionary: Option<Dictionary>,
}

impl CompressOptions {
    /// This format at its default level.
    pub fn new(compression: Compression) -> Self {
        CompressOptions { compression, level: compression.default_level(), dictionary: None }
    }

    /// The level, brought into the [format's range](Compression::levels).
    pub fn level(self, level: i32) -> Self {
        let levels = self.compression.levels();
        CompressOptions { level: level.clamp(*levels.start(), *levels.end()), ..self }
    }

    /// A dictionary, which reading then needs too. Only zstd has them: another format is refused when it is used.
    pub fn dictionary(self, dictionary: Dictionary) -> Self {
        CompressOptions { dictionary: Some(dictionary), ..self }
    }

    /// Compresses `bytes`.
    ///
    /// # Errors
    ///
    /// `bad-compression` for a dictionary with a format that has none.
    pub fn compress(&self, bytes: &[u8]) -> Result<Vec<u8>, Error> {
        let out = Vec::with_capacity(bytes.len() / 4 + 64);
        let mut compressor = Compressor::sized(out, self, Some(bytes.len() as u64)).map_err(failed)?;
        compressor.write_all(bytes).and_then(|()| compressor.finish()).map_err(failed)
    }
}

/// How to decompress: which format, which dictionary, and how much may come out.
///
/// # Examples
///
/// ```
/// use marshal::compress::{Compression, DecompressOptions};
///
/// let packed = Compression::Brotli.compress(b"no signature")?;
/// let options = DecompressOptions::new().format(Compression::Brotli);
/// assert_eq!(options.decompress(&packed)?, b"no signature");
/// # Ok::<(), marshal::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct DecompressOptions {
    format: Option<Compression>,
    max_output: u64,
    dictionary: Option<Dictionary>,
}

impl Default for DecompressOptions {
    fn default() -> Self {
        DecompressOptions { format: None, max_output: DecompressOptions::DEFAULT_MAX_OUTPUT, dictionary: None }
    }
}

impl DecompressOptions {
    /// 1 GiB.
    pub const DEFAULT_MAX_OUTPUT: u64 = 1 << 30;

    /// The format is detected, and at most 1 GiB comes out.
    pub fn new() -> Self {
        Self::default()
    }

    /// The format, where it is known: Brotli has to be.
    pub fn format(self, format: Compression) -> Self {
        DecompressOptions { format: Some(format), ..self }
    }

    /// At most this many bytes come out; more are `limit-exceeded`, before they take memory.
    pub fn max_output(self, bytes: u64) -> Self {
        DecompressOptions { max_output: bytes, ..self }
    }

    /// The dictionary that the bytes were compressed with.
    pub fn dictionary(self, dictionary: Dictionary) -> Self {
        DecompressOptions { dictionary: Some(dictionary), ..self }
    }

    #[cfg(feature = "snapshot")]
    pub(crate) fn without_dictionary(self) -> Self {
        DecompressOptions { dictionary: None, ..self }
    }

    /// Decompresses all of `bytes`.
    ///
    /// Beyond the output, memory is bounded by the format: at most 128 MiB for a zstd window, 8 MiB for the others.
    ///
    /// # Errors
    ///
    /// `bad-compression` for bytes that are of no known format, damaged, cut off, or followed by others;
    /// `limit-exceeded` for more than [`max_output`](Self::max_output) bytes.
    pub fn decompress(&self, bytes: &[u8]) -> Result<Vec<u8>, Error> {
        let mut out = Vec::new();
        Decompressor::new(bytes, self).and_then(|mut reader| reader.read_to_end(&mut out)).map_err(failed)?;
        Ok(out)
    }
}

/// Decompresses all of `bytes`, in whatever format they are, to at most 1 GiB.
///
/// # Errors
///
/// Those of [`DecompressOptions::decompress`].
pub fn decompress(bytes: &[u8]) -> Result<Vec<u8>, Error> {
    DecompressOptions::new().decompress(bytes)
}

/// An error of a stream as the crate's own: what it carries, or what a format's crate says.
pub(crate) fn failed(error: io::Error) -> Error {
    match error.downcast::<Error>() {
        Ok(error) => error,
        Err(error) => Error::new(ErrorKind::BadCompression, format!("the compressed bytes are damaged: {error}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn samples() -> Vec<Vec<u8>> {
        let mut seed = 1u32;
        let noise = (0..20_000).map(|_| {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (seed >> 24) as u8
        });
        vec![vec![], vec![1], vec![0; 100_000], noise.collect(), b"{\"name\": \"Ada\"}, ".repeat(5_000)]
    }

    #[test]
    fn every_format_and_level_goes_both_ways() {
        for &compression in Compression::ALL {
            let levels = compression.levels();
            for level in [*levels.start(), compression.default_level(), (*levels.end()).min(9)] {
                for sample in samples() {
                    let packed = CompressOptions::new(compression).level(level).compress(&sample).unwrap();
                    let options = DecompressOptions::new().format(compression);
                    assert!(options.decompress(&packed).unwrap() == sample, "{compression} {level}");
                    let detected = Compression::detect(&packed);
                    assert!(detected == Some(compression) || compression == Compression::Brotli, "{detected:?}");
                }
            }
        }
    }

    #[test]
    fn cut_and_lengthened_streams_are_refused() {
        let sample = b"{\"name\": \"Ada\", \"n\": 12345}, ".repeat(300);
        for &compression in Compression::ALL {
            let packed = compression.compress(&sample).unwrap();
            let options = DecompressOptions::new().format(compression);
            for len in 0..packed.len() {
                let error = options.decompress(&packed[..len]).map(|out| out.len()).map_err(|error| error.kind());
                assert_eq!(error, Err(ErrorKind::BadCompression), "{compression} cut to {len} of {}", packed.len());
            }
            let mut longer = packed.clone();
            longer.push(0xAB);
            let error = options.decompress(&longer).map(|out| out.len()).map_err(|error| error.kind());
            assert_eq!(error, Err(ErrorKind::BadCompression), "{compression} with a byte behind it");
        }
    }

    #[test]
    fn a_bomb_is_refused_with_no_more_output_than_allowed() {
        let zeros = vec![0u8; 5_000_000];
        for &compression in Compression::ALL {
            let bomb = compression.compress(&zeros).unwrap();
            let options = DecompressOptions::new().format(compression).max_output(1 << 20);
            assert!(options.decompress(&bomb).unwrap_err().is_limit(), "{compression}");
            let mut kept = 0;
            let mut reader = Decompressor::new(&bomb[..], &options).unwrap();
            let mut buffer = vec![0; 65_536];
            let error = loop {
                match reader.read(&mut buffer) {
                    Ok(n) => kept += n,
                    Err(error) => break error,
                }
            };
            assert!(kept <= 1 << 20 && failed(error).is_limit());
            let exact = DecompressOptions::new().format(compression).max_output(zeros.len() as u64);
            assert_eq!(exact.decompress(&bomb).unwrap().len(), zeros.len());
        }
    }

    #[test]
    fn unknown_bytes_have_no_format() {
        for bytes in [&b""[..], b"\xD7\x4D\x01\x00\x01\xC3", b"{}", b"\x78\x00"] {
            assert_eq!(Compression::detect(bytes), None);
            assert_eq!(decompress(bytes).unwrap_err().kind(), ErrorKind::BadCompression);
        }
    }
}

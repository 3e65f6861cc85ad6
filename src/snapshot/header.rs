//! The container's head (`spec/snapshot.md`, section 2): what it says, and that it says it consistently.

use byteorder::{ByteOrder, LittleEndian};
use twox_hash::XxHash3_64;

use crate::compress::Compression;
use crate::error::{Error, ErrorKind};

/// `D7`, then text that a transfer in text mode would change.
pub(super) const MAGIC: [u8; 8] = *b"\xD7Snap\r\n\x1A";
const VERSION: u8 = 1;

pub(super) const HEADER_LEN: usize = 64;

/// The stored bytes are checked in blocks of this many. While fuzzing, few enough for small messages to have several.
pub(super) const BLOCK: usize = if cfg!(fuzzing) { 64 } else { 1 << 16 };

/// Metadata of at most this many bytes.
pub(super) const MAX_METADATA: usize = 1 << 20;

/// What a snapshot's header says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Header {
    pub(super) compression: Option<Compression>,
    pub(super) metadata_len: u32,
    /// Bytes of the message as they stand in the file.
    pub(super) stored_len: u64,
    /// Bytes of the message.
    pub(super) message_len: u64,
    /// Of the table of block checksums.
    pub(super) table_checksum: u64,
    /// Of the message; 0 where it is stored as it is.
    pub(super) message_checksum: u64,
    /// Of the dictionary; 0 for none.
    pub(super) dictionary: u64,
}

impl Header {
    /// Where the stored bytes begin: at a multiple of 8, so a mapped message is aligned.
    pub(super) fn stored_at(&self) -> u64 {
        (HEADER_LEN as u64 + u64::from(self.metadata_len)).next_multiple_of(8)
    }

    /// Where the table of block checksums begins.
    pub(super) fn table_at(&self) -> u64 {
        (self.stored_at() + self.stored_len).next_multiple_of(8)
    }

    pub(super) fn blocks(&self) -> u64 {
        self.stored_len.div_ceil(BLOCK as u64)
    }

    /// Bytes of the whole file.
    pub(super) fn file_len(&self) -> u64 {
        self.table_at() + 8 * self.blocks()
    }

    pub(super) fn to_bytes(self, metadata: &[u8]) -> [u8; HEADER_LEN] {
        let mut bytes = [0; HEADER_LEN];
        bytes[..8].copy_from_slice(&MAGIC);
        bytes[8] = VERSION;
        bytes[9] = code(self.compression);
        LittleEndian::write_u32(&mut bytes[12..], self.metadata_len);
        let words = [self.stored_len, self.message_len, self.table_checksum, self.message_checksum, self.dictionary];
        for (i, word) in words.into_iter().enumerate() {
            LittleEndian::write_u64(&mut bytes[16 + 8 * i..], word);
        }
        let checksum = checksum(&bytes, metadata);
        LittleEndian::write_u64(&mut bytes[CHECKSUM_AT..], checksum);
        bytes
    }

    /// Reads the header; its checksum is [checked](Self::check) when the metadata is there too.
    pub(super) fn read(bytes: &[u8; HEADER_LEN]) -> Result<Header, Error> {
        let bad = |at: usize, detail: &'static str| Error::new(ErrorKind::BadSnapshot, detail).at_offset(at);
        if bytes[..8] != MAGIC {
            return Err(Error::new(ErrorKind::BadMagic, "neither a snapshot nor a message").at_offset(0));
        }
        if bytes[8] != VERSION {
            let detail = "a snapshot made by a newer version; update the reader";
            return Err(Error::new(ErrorKind::UnsupportedVersion, detail).at_offset(8));
        }
        let compression = match bytes[9] {
            0 => None,
            known if usize::from(known) <= BY_CODE.len() => Some(BY_CODE[usize::from(known) - 1]),
            _ => return Err(bad(9, "an unknown compression")),
        };
        if let Some(at) = bytes[10..12].iter().position(|&byte| byte != 0) {
            return Err(bad(10 + at, "a reserved byte is not zero"));
        }
        let word = |i: usize| LittleEndian::read_u64(&bytes[16 + 8 * i..]);
        let header = Header {
            compression,
            metadata_len: LittleEndian::read_u32(&bytes[12..]),
            stored_len: word(0),
            message_len: word(1),
            table_checksum: word(2),
            message_checksum: word(3),
            dictionary: word(4),
        };
        if header.metadata_len as usize > MAX_METADATA {
            return Err(bad(12, "more than 1 MiB of metadata"));
        }
        // No file is that long; so no sum below overflows.
        if header.stored_len > 1 << 56 {
            return Err(bad(16, "a length that no file has"));
        }
        let is_plain = header.compression.is_none();
        if is_plain && header.message_len != header.stored_len {
            return Err(bad(24, "an uncompressed message of another length than its own"));
        }
        if is_plain && header.message_checksum != 0 {
            return Err(bad(40, "a second checksum of an uncompressed message"));
        }
        if header.compression != Some(Compression::Zstd) && header.dictionary != 0 {
            return Err(bad(48, "a dictionary for a format that has none"));
        }
        Ok(header)
    }

    /// Header and metadata are those that were written.
    pub(super) fn check(bytes: &[u8; HEADER_LEN], metadata: &[u8]) -> Result<(), Error> {
        if LittleEndian::read_u64(&bytes[CHECKSUM_AT..]) == checksum(bytes, metadata) {
            return Ok(());
        }
        Err(Error::new(ErrorKind::Damaged, "the header's checksum does not match").at_offset(CHECKSUM_AT))
    }
}

const CHECKSUM_AT: usize = 56;

const BY_CODE: [Compression; 5] =
    [Compression::Zstd, Compression::Lz4, Compression::Gzip, Compression::Deflate, Compression::Brotli];

fn code(compression: Option<Compression>) -> u8 {
    compression.and_then(|wanted| BY_CODE.iter().position(|&known| known == wanted)).map_or(0, |i| i as u8 + 1)
}

fn checksum(bytes: &[u8; HEADER_LEN], metadata: &[u8]) -> u64 {
    let mut hasher = twox_hash::xxhash3_64::Hasher::new();
    std::hash::Hasher::write(&mut hasher, &bytes[..CHECKSUM_AT]);
    std::hash::Hasher::write(&mut hasher, metadata);
    std::hash::Hasher::finish(&hasher)
}

/// The checksum of everything that a snapshot holds: XXH3, 64 bits, seed 0.
pub(super) fn hash(bytes: &[u8]) -> u64 {
    XxHash3_64::oneshot(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_goes_both_ways_and_every_flipped_bit_is_noticed() {
        let metadata = b"about the state";
        let header = Header {
            compression: Some(Compression::Zstd),
            metadata_len: metadata.len() as u32,
            stored_len: 123_456,
            message_len: 1_234_567,
            table_checksum: 1,
            message_checksum: 2,
            dictionary: 3,
        };
        let bytes = header.to_bytes(metadata);
        assert_eq!(Header::read(&bytes).unwrap(), header);
        Header::check(&bytes, metadata).unwrap();
        for bit in 0..8 * HEADER_LEN {
            let mut flipped = bytes;
            flipped[bit / 8] ^= 1 << (bit % 8);
            assert!(Header::read(&flipped).and_then(|_| Header::check(&flipped, metadata)).is_err(), "bit {bit}");
        }
    }
}

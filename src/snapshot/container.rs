//! One message with what guards it: writing the container and reading it back (`spec/snapshot.md`).

use std::io::{self, Read, Seek, SeekFrom, Write};

use super::blocks::{BlockReader, BlockWriter, check_block, check_table};
use super::header::{BLOCK, HEADER_LEN, Header, MAGIC, hash};
use super::metadata::Metadata;
use super::options::{LoadOptions, SaveOptions};
use super::replace::WriteSeek;
use crate::compress::{Compression, Compressor, Decompressor};
use crate::error::{Error, ErrorKind};
use crate::wire::header::MAGIC as MESSAGE_MAGIC;

/// Writes the snapshot of `message`. The head, which needs the checksums, is written last.
pub(super) fn write(out: &mut dyn WriteSeek, message: &[u8], options: &SaveOptions) -> io::Result<()> {
    let metadata = options.metadata.to_bytes().map_err(io::Error::other)?;
    let stored_at = (HEADER_LEN + metadata.len()).next_multiple_of(8);
    let mut head = vec![0; stored_at];
    out.write_all(&head)?;
    let blocks = BlockWriter::new(&mut *out);
    let (_, table, stored_len) = match options.compress() {
        None => {
            let mut blocks = blocks;
            blocks.write_all(message)?;
            blocks.finish()?
        }
        Some(compress) => {
            let mut compressor = Compressor::new(blocks, &compress)?;
            compressor.write_all(message)?;
            compressor.finish()?.finish()?
        }
    };
    let pad = (stored_at as u64 + stored_len).wrapping_neg() % 8;
    out.write_all(&[0; 8][..pad as usize])?;
    out.write_all(&table)?;
    let header = Header {
        compression: options.compression,
        metadata_len: metadata.len() as u32,
        stored_len,
        message_len: message.len() as u64,
        table_checksum: hash(&table),
        message_checksum: if options.compression.is_some() { hash(message) } else { 0 },
        dictionary: options.dictionary.as_ref().map_or(0, |dictionary| dictionary.id()),
    };
    head[..HEADER_LEN].copy_from_slice(&header.to_bytes(&metadata));
    head[HEADER_LEN..HEADER_LEN + metadata.len()].copy_from_slice(&metadata);
    out.seek(SeekFrom::Start(0))?;
    out.write_all(&head)
}

/// What a file holds.
pub(super) struct Contents {
    pub(super) message: Vec<u8>,
    pub(super) metadata: Metadata,
    pub(super) compression: Option<Compression>,
}

/// Reads a snapshot, a message, or a compressed message of `len` bytes.
pub(super) fn read(input: &mut (impl Read + Seek), len: u64, options: &LoadOptions) -> io::Result<Contents> {
    let mut first = Vec::new();
    input.by_ref().take(MAGIC.len() as u64).read_to_end(&mut first)?;
    input.seek(SeekFrom::Start(0))?;
    let plain = |message, compression| Contents { message, metadata: Metadata::default(), compression };
    if first.starts_with(&MESSAGE_MAGIC) {
        check_size(len, options)?;
        let mut message = Vec::with_capacity(len as usize);
        input.read_to_end(&mut message)?;
        return Ok(plain(message, None));
    }
    if first[..] == MAGIC[..first.len()] {
        return read_container(input, len, options);
    }
    match Compression::detect(&first) {
        Some(compression) => {
            let mut message = Vec::new();
            let decompress = options.decompress(Some(compression), options.max_bytes);
            let mut reader = Decompressor::new(input, &decompress).map_err(own)?;
            reader.read_to_end(&mut message).map_err(own)?;
            Ok(plain(message, Some(compression)))
        }
        None => {
            let detail = "neither a snapshot, nor a message, nor one that is compressed";
            Err(io::Error::other(Error::new(ErrorKind::BadMagic, detail).at_offset(0)))
        }
    }
}

fn read_container(input: &mut (impl Read + Seek), len: u64, options: &LoadOptions) -> io::Result<Contents> {
    let (header, metadata) = read_head(input, len)?;
    let mut table = vec![0; 8 * header.blocks() as usize];
    if options.verify {
        input.seek(SeekFrom::Start(header.table_at()))?;
        input.read_exact(&mut table)?;
        check_table(&header, &table).map_err(io::Error::other)?;
    }
    check_size(header.message_len, options)?;
    let pad_at = header.stored_at() + header.stored_len;
    input.seek(SeekFrom::Start(pad_at))?;
    check_pad(input, pad_at)?;
    input.seek(SeekFrom::Start(header.stored_at()))?;
    let message = match header.compression {
        None => {
            // Not more than the file has: its length has been compared.
            let mut message = vec![0; header.stored_len as usize];
            input.read_exact(&mut message)?;
            if options.verify {
                for (index, block) in message.chunks(BLOCK).enumerate() {
                    check_block(&header, &table, index as u64, block).map_err(io::Error::other)?;
                }
            }
            message
        }
        Some(compression) => decompress(input, header, table, compression, options)?,
    };
    Ok(Contents { message, metadata, compression: header.compression })
}

/// Header and metadata, checked, of a file that has the length that they say.
pub(super) fn read_head(input: &mut impl Read, len: u64) -> io::Result<(Header, Metadata)> {
    let truncated = || {
        let error = Error::new(ErrorKind::Truncated, "the snapshot is cut off");
        io::Error::other(error.at_offset(usize::try_from(len).unwrap_or(usize::MAX)))
    };
    if len < HEADER_LEN as u64 {
        return Err(truncated());
    }
    let mut bytes = [0; HEADER_LEN];
    input.read_exact(&mut bytes)?;
    let header = Header::read(&bytes).map_err(io::Error::other)?;
    if len < header.stored_at() {
        return Err(truncated());
    }
    let mut metadata = vec![0; header.metadata_len as usize];
    input.read_exact(&mut metadata)?;
    Header::check(&bytes, &metadata).map_err(io::Error::other)?;
    check_pad(input, HEADER_LEN as u64 + u64::from(header.metadata_len))?;
    if len < header.file_len() {
        return Err(truncated());
    }
    if len > header.file_len() {
        let error = Error::new(ErrorKind::TrailingBytes, "bytes follow the snapshot");
        return Err(io::Error::other(error.at_offset(header.file_len() as usize)));
    }
    let metadata = Metadata::from_bytes(&metadata).map_err(io::Error::other)?;
    Ok((header, metadata))
}

fn decompress(
    input: &mut impl Read,
    header: Header,
    table: Vec<u8>,
    compression: Compression,
    options: &LoadOptions,
) -> io::Result<Vec<u8>> {
    let given = options.dictionary.as_ref().map_or(0, |dictionary| dictionary.id());
    if header.dictionary != 0 && header.dictionary != given {
        let detail = format!("made with the dictionary {:016x}; load with it", header.dictionary);
        return Err(io::Error::other(Error::new(ErrorKind::BadCompression, detail)));
    }
    let mut decompress = options.decompress(Some(compression), header.message_len);
    if header.dictionary == 0 {
        decompress = decompress.without_dictionary();
    }
    let blocks = BlockReader::new(input, header, table, options.verify);
    // What the header claims is believed up to here: more is allocated as it comes.
    let mut message = Vec::with_capacity(header.message_len.min(1 << 20) as usize);
    Decompressor::new(blocks, &decompress).and_then(|mut reader| reader.read_to_end(&mut message)).map_err(own)?;
    if message.len() as u64 != header.message_len || options.verify && hash(&message) != header.message_checksum {
        let error = Error::new(ErrorKind::Damaged, "decompressed to other bytes than those that were saved");
        return Err(io::Error::other(error.at_offset(header.stored_at() as usize)));
    }
    Ok(message)
}

fn check_size(len: u64, options: &LoadOptions) -> io::Result<()> {
    if len <= options.max_bytes && usize::try_from(len).is_ok() {
        return Ok(());
    }
    let detail = format!("a message of {len} bytes; LoadOptions::max_bytes allows {}", options.max_bytes);
    Err(io::Error::other(Error::new(ErrorKind::LimitExceeded, detail)))
}

/// The bytes from `at` up to a multiple of 8 are zero.
fn check_pad(input: &mut impl Read, at: u64) -> io::Result<()> {
    let mut pad = [0; 8];
    let pad = &mut pad[..(at.wrapping_neg() % 8) as usize];
    input.read_exact(pad)?;
    match pad.iter().position(|&byte| byte != 0) {
        None => Ok(()),
        Some(i) => {
            let error = Error::new(ErrorKind::BadPadding, "").at_offset(at as usize + i);
            Err(io::Error::other(error))
        }
    }
}

/// What a decompressor reports is about the bytes, unless it carries an error of our own.
fn own(error: io::Error) -> io::Error {
    io::Error::other(crate::compress::failed(error))
}

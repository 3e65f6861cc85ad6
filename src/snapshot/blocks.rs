//! Checksums of the stored bytes, one for each block of 64 KiB (`spec/snapshot.md`, section 3): so a reader of a part
//! checks what it reads, and nothing is handed on that has not been checked.

use std::io::{self, Read, Write};

use byteorder::{ByteOrder, LittleEndian};

use super::header::{BLOCK, Header, hash};
use crate::error::{Error, ErrorKind};

/// Writes the stored bytes through, and gathers their table.
pub(super) struct BlockWriter<W> {
    out: W,
    block: Vec<u8>,
    table: Vec<u8>,
    len: u64,
}

impl<W: Write> BlockWriter<W> {
    pub(super) fn new(out: W) -> Self {
        BlockWriter { out, block: Vec::with_capacity(BLOCK), table: Vec::new(), len: 0 }
    }

    /// Writes what is left. The writer, the table, and how many bytes were stored.
    pub(super) fn finish(mut self) -> io::Result<(W, Vec<u8>, u64)> {
        let last = std::mem::take(&mut self.block);
        self.put(&last)?;
        Ok((self.out, self.table, self.len))
    }

    fn put(&mut self, block: &[u8]) -> io::Result<()> {
        if !block.is_empty() {
            self.table.extend_from_slice(&hash(block).to_le_bytes());
            self.len += block.len() as u64;
            self.out.write_all(block)?;
        }
        Ok(())
    }
}

impl<W: Write> Write for BlockWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.block.is_empty() && bytes.len() >= BLOCK {
            // A whole block at hand needs no copy.
            self.put(&bytes[..BLOCK])?;
            return Ok(BLOCK);
        }
        let n = bytes.len().min(BLOCK - self.block.len());
        self.block.extend_from_slice(&bytes[..n]);
        if self.block.len() == BLOCK {
            let full = std::mem::take(&mut self.block);
            self.put(&full)?;
            self.block = full;
            self.block.clear();
        }
        Ok(n)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Reads the stored bytes and checks each block before any of it is handed on.
pub(super) struct BlockReader<R> {
    input: R,
    table: Vec<u8>,
    verify: bool,
    header: Header,
    next: u64,
    block: Vec<u8>,
    used: usize,
}

impl<R: Read> BlockReader<R> {
    /// `input` stands at the stored bytes; `table` has been [checked](check_table).
    pub(super) fn new(input: R, header: Header, table: Vec<u8>, verify: bool) -> Self {
        BlockReader { input, table, verify, header, next: 0, block: Vec::new(), used: 0 }
    }
}

impl<R: Read> Read for BlockReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.used == self.block.len() {
            let len = block_len(&self.header, self.next);
            self.block.resize(len, 0);
            self.used = 0;
            // As an error of our own, so that it is not taken for one of the compressed bytes.
            self.input.read_exact(&mut self.block).map_err(|error| {
                io::Error::other(Error::new(ErrorKind::Io, format!("could not read the stored bytes: {error}")))
            })?;
            if len > 0 && self.verify {
                check_block(&self.header, &self.table, self.next, &self.block).map_err(io::Error::other)?;
            }
            self.next += 1;
        }
        let n = buffer.len().min(self.block.len() - self.used);
        buffer[..n].copy_from_slice(&self.block[self.used..self.used + n]);
        self.used += n;
        Ok(n)
    }
}

/// How long block `index` is; 0 behind the last.
pub(super) fn block_len(header: &Header, index: u64) -> usize {
    header.stored_len.saturating_sub(index * BLOCK as u64).min(BLOCK as u64) as usize
}

/// The table is the one that the header is of.
pub(super) fn check_table(header: &Header, table: &[u8]) -> Result<(), Error> {
    if table.len() as u64 == 8 * header.blocks() && hash(table) == header.table_checksum {
        return Ok(());
    }
    let detail = "the checksum of the block table does not match";
    Err(Error::new(ErrorKind::Damaged, detail).at_offset(header.table_at() as usize))
}

/// Block `index` is the one that was saved.
pub(super) fn check_block(header: &Header, table: &[u8], index: u64, block: &[u8]) -> Result<(), Error> {
    let wanted = table.get(8 * index as usize..).filter(|rest| rest.len() >= 8).map(LittleEndian::read_u64);
    if wanted == Some(hash(block)) {
        return Ok(());
    }
    let at = header.stored_at() + index * BLOCK as u64;
    let detail = format!("the checksum of the block of {} bytes does not match", block.len());
    Err(Error::new(ErrorKind::Damaged, detail).at_offset(at as usize))
}

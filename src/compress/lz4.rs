//! Notices where an LZ4 stream is cut off: the decoder's crate takes the end of input between two blocks for the end of
//! the frame (seen in lz4_flex 0.14). This follows the frame format's lengths, and decodes nothing.

use std::io::{self, BufRead, Read};

/// A reader that fails where its input ends inside a frame.
pub(super) struct WholeFrames<R> {
    input: R,
    state: State,
    /// What has been gathered of the item that `state` names.
    item: Vec<u8>,
    /// Bytes that pass before the next item.
    passing: u64,
    /// Of the frame's descriptor.
    block_checksums: bool,
    content_checksum: bool,
    frames: u64,
}

#[derive(Clone, Copy, PartialEq)]
enum State {
    Magic,
    Descriptor,
    Block,
}

impl<R: BufRead> WholeFrames<R> {
    pub(super) fn new(input: R) -> Self {
        WholeFrames {
            input,
            state: State::Magic,
            item: Vec::new(),
            passing: 0,
            block_checksums: false,
            content_checksum: false,
            frames: 0,
        }
    }

    /// Whether all input has been read.
    pub(super) fn is_at_end(&mut self) -> io::Result<bool> {
        self.input.fill_buf().map(<[u8]>::is_empty)
    }

    fn follow(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            let now = usize::try_from(self.passing).unwrap_or(usize::MAX).min(bytes.len());
            self.passing -= now as u64;
            bytes = &bytes[now..];
            let wanted = match self.state {
                State::Magic | State::Block => 4,
                State::Descriptor => 2,
            };
            let more = (wanted - self.item.len()).min(bytes.len());
            self.item.extend_from_slice(&bytes[..more]);
            bytes = &bytes[more..];
            if self.item.len() == wanted {
                self.item_read();
                self.item.clear();
            }
        }
    }

    fn item_read(&mut self) {
        match self.state {
            State::Magic => self.state = State::Descriptor,
            State::Descriptor => {
                let flags = self.item[0];
                self.block_checksums = flags & 0x10 != 0;
                self.content_checksum = flags & 0x04 != 0;
                // Content size, dictionary id, and the byte that checks the header.
                self.passing = u64::from(flags & 0x08) + u64::from(flags & 0x01) * 4 + 1;
                self.state = State::Block;
            }
            State::Block => {
                let [a, b, c, d] = [self.item[0], self.item[1], self.item[2], self.item[3]];
                match u32::from_le_bytes([a, b, c, d]) & 0x7FFF_FFFF {
                    0 => {
                        self.passing = if self.content_checksum { 4 } else { 0 };
                        self.state = State::Magic;
                        self.frames += 1;
                    }
                    len => self.passing = u64::from(len) + if self.block_checksums { 4 } else { 0 },
                }
            }
        }
    }

    fn is_between_frames(&self) -> bool {
        self.state == State::Magic && self.item.is_empty() && self.passing == 0 && self.frames > 0
    }
}

impl<R: BufRead> Read for WholeFrames<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.input.read(buffer)?;
        if n == 0 && !buffer.is_empty() && !self.is_between_frames() {
            // Not UnexpectedEof, which the decoder would take for the end.
            return Err(io::Error::new(io::ErrorKind::InvalidData, "the LZ4 frame is cut off"));
        }
        self.follow(&buffer[..n]);
        Ok(n)
    }
}

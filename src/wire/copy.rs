//! Copying: short runs of bytes without a call, long ones in blocks.

use std::io::{self, IoSlice, Write};

/// Runs up to this long are copied without a call.
pub(crate) const SHORT: usize = 64;

/// Longer ones are copied in blocks of this many bytes. What is longer still the C library copies by one instruction,
/// `rep movsb`, which on AMD's processors takes fourteen times as long where the destination begins 1 to 15 bytes
/// behind the source within a page.
const BLOCK: usize = 2048;

/// How many blocks are written by one call.
const BLOCKS: usize = 64;

/// Appends `bytes` to `out`.
#[inline]
pub(crate) fn append(out: &mut Vec<u8>, bytes: &[u8]) {
    let at = out.len();
    if bytes.len() > SHORT || out.capacity() - at < SHORT {
        return append_long(out, bytes);
    }
    // A fixed length needs no call; what is too much is taken back.
    out.extend_from_slice(&[0; SHORT]);
    if let Some(room) = out[at..].first_chunk_mut() {
        put(room, bytes);
    }
    out.truncate(at + bytes.len());
}

#[inline(never)]
fn append_long(out: &mut Vec<u8>, bytes: &[u8]) {
    out.reserve(bytes.len());
    for block in bytes.chunks(BLOCK) {
        out.extend_from_slice(block);
    }
}

/// Writes `bytes` to the start of `room`, which is not shorter.
pub(crate) fn fill(room: &mut [u8], bytes: &[u8]) {
    for (room, block) in room.chunks_mut(BLOCK).zip(bytes.chunks(BLOCK)) {
        room[..block.len()].copy_from_slice(block);
    }
}

/// A vector of the same items.
pub(crate) fn vec_of<T: Copy>(items: &[T]) -> Vec<T> {
    let mut out = Vec::with_capacity(items.len());
    for block in items.chunks((BLOCK / size_of::<T>()).max(1)) {
        out.extend_from_slice(block);
    }
    out
}

/// Writes up to [`SHORT`] bytes to the start of `room`.
#[inline]
pub(crate) fn put(room: &mut [u8; SHORT], bytes: &[u8]) {
    match bytes.len() {
        0 => {}
        n @ 1..4 => {
            room[0] = bytes[0];
            room[n / 2] = bytes[n / 2];
            room[n - 1] = bytes[n - 1];
        }
        4..8 => put_ends::<4>(room, bytes),
        8..16 => put_ends::<8>(room, bytes),
        16..32 => put_ends::<16>(room, bytes),
        _ => put_ends::<32>(room, bytes),
    }
}

/// Writes `N` to twice as many bytes: the first `N` and the last, which may overlap.
#[inline]
fn put_ends<const N: usize>(room: &mut [u8; SHORT], bytes: &[u8]) {
    if let (Some(first), Some(last)) = (bytes.first_chunk::<N>(), bytes.last_chunk::<N>()) {
        room[..N].copy_from_slice(first);
        room[bytes.len() - N..bytes.len()].copy_from_slice(last);
    }
}

/// Writes `bytes` to `out`, many blocks by a call.
pub(crate) fn write_all(out: &mut impl Write, bytes: &[u8]) -> io::Result<()> {
    for blocks in bytes.chunks(BLOCK * BLOCKS) {
        let mut slices = [IoSlice::new(&[]); BLOCKS];
        let filled = slices.iter_mut().zip(blocks.chunks(BLOCK)).map(|(slice, block)| *slice = IoSlice::new(block));
        let filled = filled.count();
        let mut left = &mut slices[..filled];
        while !left.is_empty() {
            match out.write_vectored(left) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(n) => IoSlice::advance_slices(&mut left, n),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bytes that differ from their neighbours.
    fn bytes(len: usize) -> Vec<u8> {
        (0..len).map(|n| (n * 7 + n / 251) as u8).collect()
    }

    #[test]
    fn every_length_is_appended_with_room_and_without() {
        for len in (0..200).chain([2047, 2048, 2049, 10_000]) {
            for room in [0, 1, len, 100_000] {
                let mut out = Vec::with_capacity(room);
                out.push(0xFF);
                append(&mut out, &bytes(len));
                append(&mut out, &[1, 2]);
                assert_eq!(out, [&[0xFF], &bytes(len)[..], &[1, 2]].concat(), "{len} into {room}");
            }
        }
    }

    #[test]
    fn a_vector_has_the_same_items() {
        for len in [0, 1, 127, 128, 129, 1000] {
            let items: Vec<u128> = (0..len).collect();
            assert_eq!(vec_of(&items), items);
        }
    }

    /// Takes `most` bytes at a time, and says every third time that it was interrupted.
    struct Slow {
        out: Vec<u8>,
        most: usize,
        calls: usize,
    }

    impl Write for Slow {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.calls += 1;
            if self.calls.is_multiple_of(3) {
                return Err(io::ErrorKind::Interrupted.into());
            }
            let taken = &bytes[..bytes.len().min(self.most)];
            self.out.extend_from_slice(taken);
            Ok(taken.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn writers_take_what_they_like() {
        for len in [0, 1, 2048, 2049, BLOCK * BLOCKS, BLOCK * BLOCKS + 1, 300_000] {
            let mut out = Vec::new();
            write_all(&mut out, &bytes(len)).unwrap();
            assert_eq!(out, bytes(len));
            let mut slow = Slow { out: Vec::new(), most: 1000, calls: 0 };
            write_all(&mut slow, &bytes(len)).unwrap();
            assert_eq!(slow.out, bytes(len));
        }
        let mut full = &mut [0; 5000][..];
        assert_eq!(write_all(&mut full, &bytes(6000)).unwrap_err().kind(), io::ErrorKind::WriteZero);
    }
}

//! A snapshot that is read in part: mapped, and each block checked when it is first touched.

use std::fs::File;
use std::io::{self, Read, Seek};
use std::ops::Range;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use js_marshal_map::Map;

use super::blocks::{check_block, check_table};
use super::container::read_head;
use super::header::{BLOCK, Header, MAGIC};
use super::{LoadOptions, Metadata, Snapshot, reading};
use crate::error::Error;
use crate::lazy::{Guard, Lazy, LazyCursor};
use crate::wire::header::MAGIC as MESSAGE_MAGIC;

/// A snapshot of which only what is asked for is read: see [`Snapshot::open`].
#[derive(Debug)]
pub struct OpenSnapshot {
    lazy: Lazy<Bytes>,
    metadata: Metadata,
}

/// Where the message is.
#[derive(Debug)]
enum Bytes {
    Mapped(Map, Range<usize>),
    Read(Vec<u8>),
    #[cfg(feature = "remote")]
    Sparse(memmap2::MmapMut),
}

impl AsRef<[u8]> for Bytes {
    fn as_ref(&self) -> &[u8] {
        match self {
            Bytes::Mapped(map, range) => map.as_ref().get(range.clone()).unwrap_or_default(),
            Bytes::Read(message) => message,
            #[cfg(feature = "remote")]
            Bytes::Sparse(room) => room,
        }
    }
}

impl Snapshot {
    /// Opens the snapshot at `path` to read parts of it. An uncompressed one is mapped, so this takes microseconds
    /// whatever its size, and what is not asked for is never read. A compressed one is read as a whole first.
    ///
    /// Each block of 64 KiB is compared with its checksum when it is first touched, so a damaged part is an error where
    /// it is read, and does not stand in the way of others. Save with [`EncodeOptions::index`] to have values far into a
    /// large snapshot found at once.
    ///
    /// # What the file must not do
    ///
    /// Saving replaces files, and a replaced file stays whole for those who have it open. But a file that another
    /// program *truncates* while it is open here ends the process (SIGBUS), and one that is *rewritten in place* may give
    /// wrong values where a block has been checked before. Where that can happen, use [`Snapshot::read`], which copies.
    ///
    /// # Examples
    ///
    /// ```
    /// use marshal::{EncodeOptions, SaveOptions, Snapshot, js};
    ///
    /// let dir = tempfile::tempdir()?;
    /// let path = dir.path().join("state.marshal");
    /// let state = js!({ users: [{ name: "Ada" }, { name: "Grace" }] });
    /// Snapshot::save_with(&path, &state, &SaveOptions::new().encode(EncodeOptions::new().index(true)))?;
    ///
    /// let open = Snapshot::open(&path)?;
    /// assert_eq!(open.root()?.get("users")?.at(1)?.get("name")?.as_str(), Some("Grace"));
    /// assert_eq!(open.root()?.get("users")?.at(0)?.to_graph()?, js!({ name: "Ada" }));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Those of [`Snapshot::read`], as far as header, table and shapes are concerned.
    ///
    /// [`EncodeOptions::index`]: crate::EncodeOptions::index
    pub fn open(path: impl AsRef<Path>) -> Result<OpenSnapshot, Error> {
        let path = path.as_ref();
        let refused = |error| reading(path, error);
        let mut file = File::open(path).map_err(refused)?;
        let len = file.metadata().map_err(refused)?.len();
        let mut first = Vec::new();
        file.by_ref().take(MAGIC.len() as u64).read_to_end(&mut first).map_err(refused)?;
        file.rewind().map_err(refused)?;
        if first.starts_with(&MESSAGE_MAGIC) {
            let map = Map::of(&file).map_err(refused)?;
            let range = 0..map.as_ref().len();
            return Ok(OpenSnapshot { lazy: Lazy::new(Bytes::Mapped(map, range))?, metadata: Metadata::new() });
        }
        if first[..] == MAGIC {
            let (header, metadata) = read_head(&mut file, len).map_err(refused)?;
            if header.compression.is_none() {
                return mapped(&file, header, metadata).map_err(refused)?;
            }
        }
        OpenSnapshot::whole(Snapshot::read_with(path, &LoadOptions::new())?)
    }
}

fn mapped(file: &File, header: Header, metadata: Metadata) -> io::Result<Result<OpenSnapshot, Error>> {
    let map = Map::of(file)?;
    let all = map.as_ref();
    let (stored_at, table_at) = (header.stored_at() as usize, header.table_at() as usize);
    let range = stored_at..stored_at + header.stored_len as usize;
    // The length has been compared with the header's, but the file may have changed since.
    let Some(table) = all.get(table_at..table_at + 8 * header.blocks() as usize) else {
        return Err(io::ErrorKind::UnexpectedEof.into());
    };
    let guard = BlockGuard {
        header,
        table: table.to_vec(),
        checked: (0..header.blocks().div_ceil(64)).map(|_| AtomicU64::new(0)).collect(),
    };
    if let Err(error) = check_table(&header, &guard.table) {
        return Ok(Err(error));
    }
    let lazy = Lazy::guarded(Bytes::Mapped(map, range), Some(Box::new(guard)));
    Ok(lazy.map(|lazy| OpenSnapshot { lazy, metadata }))
}

impl OpenSnapshot {
    /// One that was read as a whole.
    pub(super) fn whole(snapshot: Snapshot) -> Result<Self, Error> {
        let metadata = snapshot.metadata().clone();
        Ok(OpenSnapshot { lazy: Lazy::new(Bytes::Read(snapshot.into_message()))?, metadata })
    }

    /// A message that has room and is not all there: `guard` knows what is.
    #[cfg(feature = "remote")]
    pub(super) fn sparse(room: memmap2::MmapMut, guard: Box<dyn Guard>, metadata: Metadata) -> Result<Self, Error> {
        Ok(OpenSnapshot { lazy: Lazy::guarded(Bytes::Sparse(room), Some(guard))?, metadata })
    }

    /// The room of a sparse message.
    #[cfg(feature = "remote")]
    pub(super) fn room(&mut self) -> &mut [u8] {
        match self.lazy.bytes_mut() {
            Bytes::Sparse(room) => room,
            _ => &mut [],
        }
    }

    /// A cursor on the root.
    ///
    /// # Errors
    ///
    /// Those of [`Lazy::root`].
    pub fn root(&self) -> Result<LazyCursor<'_>, Error> {
        self.lazy.root()
    }

    /// A cursor on the value that was named when the snapshot was saved.
    ///
    /// # Errors
    ///
    /// Those of [`Lazy::entry`].
    pub fn entry(&self, name: &str) -> Result<LazyCursor<'_>, Error> {
        self.lazy.entry(name)
    }

    /// The names of all entries, in order.
    ///
    /// # Errors
    ///
    /// Those of [`Lazy::entries`].
    pub fn entries(&self) -> Result<Vec<&str>, Error> {
        self.lazy.entries()
    }

    /// What the snapshot says about itself.
    pub fn metadata(&self) -> &Metadata {
        &self.metadata
    }

    /// Whether the message has an index. Without one, reading a value reads over the structure before it.
    pub fn has_index(&self) -> bool {
        self.lazy.has_index()
    }
}

/// Compares each block with its checksum once.
struct BlockGuard {
    header: Header,
    table: Vec<u8>,
    checked: Vec<AtomicU64>,
}

impl Guard for BlockGuard {
    fn check(&self, message: &[u8], range: Range<usize>) -> Result<(), Error> {
        if range.is_empty() {
            return Ok(());
        }
        for index in range.start / BLOCK..=(range.end - 1) / BLOCK {
            let (word, bit) = (&self.checked[index / 64], 1 << (index % 64));
            if word.load(Ordering::Relaxed) & bit == 0 {
                let block = &message[index * BLOCK..message.len().min((index + 1) * BLOCK)];
                check_block(&self.header, &self.table, index as u64, block)?;
                word.fetch_or(bit, Ordering::Relaxed);
            }
        }
        Ok(())
    }
}

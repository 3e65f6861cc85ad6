//! A snapshot in a store that is read in part: the reader of mapped files, over blocks that are fetched when they are
//! first asked for.

use std::fmt;
use std::io;
use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use memmap2::MmapOptions;

use super::object::{Object, changed};
use super::sparse::{Fetched, blocks};
use super::{Remote, RemoteVersion, TRIES, own, read_whole};
use crate::error::{Error, ErrorKind};
use crate::snapshot::blocks::{check_block, check_table};
use crate::snapshot::container::read_head;
use crate::snapshot::header::{BLOCK, HEADER_LEN, Header, MAGIC};
use crate::snapshot::open::OpenSnapshot;
use crate::snapshot::{LoadOptions, Metadata};
use crate::wire::Sections;
use crate::wire::header::MAGIC as MESSAGE_MAGIC;

/// An index of up to this many bytes is fetched as a whole when a snapshot is opened: that takes no longer than asking.
const INDEX: usize = if cfg!(fuzzing) { 64 } else { 4 << 20 };

/// After so many round trips of one read, each fetches as much as all before it: whatever is read, there are few more.
const PATIENCE: u32 = 16;

/// A snapshot in a store of which only what is asked for is fetched: see [`Remote::open`].
pub struct OpenRemote {
    version: RemoteVersion,
    object: Object,
    /// Where the message begins in the object.
    base: u64,
    /// Bytes of the message that are in blocks.
    len: u64,
    /// Of the blocks; a message that is no snapshot has none.
    checksums: Option<(Header, Bytes)>,
    fetched: Fetched,
    open: Mutex<OpenSnapshot>,
}

impl fmt::Debug for OpenRemote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (path, size) = (&self.object.path, self.object.size);
        f.debug_struct("OpenRemote").field("path", path).field("size", &size).finish_non_exhaustive()
    }
}

impl Remote {
    /// Opens the snapshot that stands there, to read parts of it. Takes two round trips, three where a head stands there,
    /// and one for what is small; fetches the header, the checksums of the blocks (8 bytes for each 64 KiB), the shapes,
    /// and of the index up to 4 MiB. A compressed one is read as a whole.
    ///
    /// Each block of 64 KiB is compared with its checksum before anything of it is believed. What is not fetched is not
    /// verified: that would be to fetch it. A message without a snapshot around it has no checksums; of it only what is
    /// being read is checked, as [`Lazy`](crate::Lazy) does.
    ///
    /// Save with [`EncodeOptions::index`](crate::EncodeOptions::index): without an index, reading a value fetches the
    /// structure before it.
    ///
    /// # Examples
    ///
    /// See [`Remote`].
    ///
    /// # Errors
    ///
    /// Those of [`Remote::read`], as far as header, checksums and shapes are concerned.
    pub async fn open(&self) -> Result<OpenRemote, Error> {
        for _ in 0..TRIES {
            match self.open_once().await {
                Err(error) if error.kind() == ErrorKind::Changed => continue,
                open => return open,
            }
        }
        Err(changed(&self.path))
    }

    async fn open_once(&self) -> Result<OpenRemote, Error> {
        let (mut object, mut first, version) = self.place().await?;
        if let Some(newest) = version.bodies.first() {
            (object, first) = self.body(newest, &version).await?;
        }
        if first.starts_with(&MESSAGE_MAGIC) {
            return sparse(object, first, None, version).await;
        }
        if let Some(bytes) = first.first_chunk::<HEADER_LEN>().filter(|bytes| bytes.starts_with(&MAGIC)) {
            let behind = Header::read(bytes)?.stored_at();
            if (first.len() as u64) < behind.min(object.size) {
                // Much metadata.
                let rest = first.len() as u64..behind.min(object.size);
                first = [&first[..], &object.fetch(&[rest]).await?[0]].concat().into();
            }
            let (header, metadata) = read_head(&mut &first[..], object.size).map_err(own)?;
            if header.compression.is_none() {
                return sparse(object, first, Some((header, metadata)), version).await;
            }
        }
        let snapshot = read_whole(&object, first, &LoadOptions::new()).await?;
        let open = Mutex::new(OpenSnapshot::whole(snapshot)?);
        Ok(OpenRemote { version, object, base: 0, len: 0, checksums: None, fetched: Fetched::default(), open })
    }
}

/// Opens an uncompressed message: in one more round trip, or none if all of it is in `first`.
async fn sparse(
    object: Object,
    first: Bytes,
    container: Option<(Header, Metadata)>,
    version: RemoteVersion,
) -> Result<OpenRemote, Error> {
    let header = container.as_ref().map(|(header, _)| *header);
    let (base, len) = header.map_or((0, object.size), |header| (header.stored_at(), header.stored_len));
    let too_long = |error| Error::io(ErrorKind::Io, "make room for", object.path.as_ref().as_ref(), &error);
    let size = usize::try_from(len).map_err(|_| too_long(io::ErrorKind::OutOfMemory.into()))?;
    // Room for all of it, of which what is not written to takes no memory.
    let mut room = MmapOptions::new().len(size).no_reserve_swap().map_anon().map_err(too_long)?;
    let known = &first[(base as usize).min(first.len())..];
    let known = &known[..known.len().min(size)];
    room[..known.len()].copy_from_slice(known);

    // The message's head is not verified yet: this only says what to ask for, and the reader looks again.
    let first_block = 0..size.min(BLOCK);
    let mut wanted = vec![first_block];
    if let Ok(sections) = Sections::read(&room) {
        let shapes = sections.shapes.offset();
        wanted.push(shapes..shapes + sections.shapes.remaining());
        let index = sections.index_at..sections.index_at + sections.index.len();
        wanted.push(index.start..if index.len() <= INDEX { index.end } else { index.start + BLOCK });
    }
    let mut wanted: Vec<u64> = wanted.into_iter().flat_map(blocks).collect();
    wanted.sort_unstable();
    wanted.dedup();
    let mut ranges: Vec<Range<u64>> = wanted.iter().map(|&block| place_of(block, base, len)).collect();
    ranges.extend(header.map(|header| header.table_at()..header.file_len()));
    let mut parts = in_part(&object, &first, &ranges).await?;
    let checksums = header.zip(if header.is_some() { parts.pop() } else { None });
    if let Some((header, table)) = &checksums {
        check_table(header, table)?;
    }

    let fetched = Fetched::default();
    for (block, bytes) in wanted.into_iter().zip(parts) {
        insert(&mut room, &fetched, &checksums, block, &bytes)?;
    }
    let metadata = container.map(|(_, metadata)| metadata).unwrap_or_default();
    let open = Mutex::new(OpenSnapshot::sparse(room, Box::new(fetched.clone()), metadata)?);
    Ok(OpenRemote { version, object, base, len, checksums, fetched, open })
}

/// These ranges: out of the first bytes if they are all in there.
async fn in_part(object: &Object, first: &Bytes, ranges: &[Range<u64>]) -> Result<Vec<Bytes>, Error> {
    if ranges.iter().all(|range| range.end <= first.len() as u64) {
        return Ok(ranges.iter().map(|range| first.slice(range.start as usize..range.end as usize)).collect());
    }
    object.fetch(ranges).await
}

/// Where a block lies in an object.
fn place_of(block: u64, base: u64, len: u64) -> Range<u64> {
    let start = block * BLOCK as u64;
    base + start..base + len.min(start + BLOCK as u64)
}

/// Puts a block where it belongs, if it is what was saved.
fn insert(
    room: &mut [u8],
    fetched: &Fetched,
    checksums: &Option<(Header, Bytes)>,
    block: u64,
    bytes: &[u8],
) -> Result<(), Error> {
    if let Some((header, table)) = checksums {
        check_block(header, table, block, bytes)?;
    }
    let start = block as usize * BLOCK;
    room[start..start + bytes.len()].copy_from_slice(bytes);
    fetched.insert(block);
    Ok(())
}

impl OpenRemote {
    /// Runs `part`, which reads what it wants through the [`OpenSnapshot`], as of a mapped file. Where that touches what
    /// has not been fetched, it is told an error; then what it asked for is fetched and `part` runs again, until it had
    /// all that it touched. So it should do nothing but read, and what it returns while something is missing does not
    /// matter.
    ///
    /// Each run takes one round trip to the store, and whoever reads on where he has read before gets as much again each
    /// time: reading one value by an index takes one to three, and reading everything about as many as the size has
    /// binary digits. To read several parts at once, ask for all before looking at the errors: what the first run asks
    /// for is fetched together.
    ///
    /// What has been fetched is kept until this is dropped, in memory. Several tasks may read at once; while one waits
    /// for the store, others go on.
    ///
    /// # Examples
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use marshal::{EncodeOptions, Error, Remote, SaveOptions, js};
    /// # use object_store::memory::InMemory;
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Error> {
    /// # let place = Remote::new(Arc::new(InMemory::new()), "state.marshal");
    /// # let state = js!({ users: [{ name: "Ada" }, { name: "Grace" }, { name: "Edsger" }] });
    /// # place.save_with(&state, &SaveOptions::new().encode(EncodeOptions::new().index(true))).await?;
    /// let open = place.open().await?;
    /// let names: Vec<String> = open
    ///     .read(|open| {
    ///         let users = open.root()?.get("users")?;
    ///         let name = |i| Ok(users.at(i)?.get("name")?.as_str().unwrap_or_default().to_owned());
    ///         let names: Vec<Result<String, Error>> = [0, 2].map(name).into();
    ///         names.into_iter().collect()
    ///     })
    ///     .await?;
    /// assert_eq!(names, ["Ada", "Edsger"]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// What the last run of `part` returned; `damaged` where a fetched block is not what was saved; `changed` where the
    /// object has been replaced since it was opened, and its store keeps no versions: open it again; `io`.
    pub async fn read<T>(&self, mut part: impl FnMut(&OpenSnapshot) -> Result<T, Error>) -> Result<T, Error> {
        let (mut trips, mut so_far) = (0, 0);
        loop {
            let more = if trips < PATIENCE { 0 } else { so_far };
            let runs = {
                let open = self.lock();
                self.fetched.forget_wanted();
                let result = part(&open);
                let runs = self.fetched.missing(self.len.div_ceil(BLOCK as u64), more);
                if runs.is_empty() {
                    return result;
                }
                runs
            };
            let blocks: Vec<u64> = runs.into_iter().flatten().collect();
            let ranges: Vec<Range<u64>> = blocks.iter().map(|&block| place_of(block, self.base, self.len)).collect();
            let parts = self.object.fetch(&ranges).await?;
            trips += 1;
            so_far += blocks.len() as u64;
            let mut open = self.lock();
            for (block, bytes) in blocks.into_iter().zip(parts) {
                insert(open.room(), &self.fetched, &self.checksums, block, &bytes)?;
            }
        }
    }

    /// Which save this is of, for [`Remote::save_if`].
    pub fn version(&self) -> &RemoteVersion {
        &self.version
    }

    /// What the snapshot says about itself.
    pub fn metadata(&self) -> Metadata {
        self.lock().metadata().clone()
    }

    /// Whether the message has an index. Without one, reading a value fetches the structure before it.
    pub fn has_index(&self) -> bool {
        self.lock().has_index()
    }

    fn lock(&self) -> MutexGuard<'_, OpenSnapshot> {
        // A caller's `part` that panics only reads.
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

//! A message on disk: a container with checksums, replaced atomically, in as many generations as are asked for.
//!
//! Knows messages as bytes, and of values only how they become one ([`ToMessage`]) and are made of one.

mod blocks;
mod container;
mod header;
mod metadata;
mod open;
mod options;
#[cfg(feature = "remote")]
mod remote;
mod replace;
mod typed;

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Cursor};
use std::path::{Path, PathBuf};
use std::thread::JoinHandle;

use crate::codec::{DecodeOptions, EncodeOptions, Encoder, decode};
use crate::compress::Compression;
use crate::error::{Error, ErrorKind};
use crate::graph::Graph;
use container::Contents;
pub use metadata::Metadata;
pub use open::OpenSnapshot;
pub use options::{LoadOptions, SaveOptions, Sync};
#[cfg(feature = "remote")]
pub use remote::{OpenRemote, Remote, RemoteVersion};
use replace::{Undisturbed, Watch, generation, replace};
#[cfg(feature = "serde")]
pub use typed::Serde;

/// What can be saved: a [`Graph`], every class value and [`Field`](crate::class::Field), a value of a type that serde knows
/// in `Serde`, and a message in [`Encoded`].
pub trait ToMessage {
    /// The message, lent where there is one already.
    ///
    /// # Errors
    ///
    /// Those of encoding.
    fn to_message(&self, options: &EncodeOptions) -> Result<Cow<'_, [u8]>, Error>;
}

impl ToMessage for Graph<'_> {
    fn to_message(&self, options: &EncodeOptions) -> Result<Cow<'_, [u8]>, Error> {
        Encoder::new(self, options).finish().map(Cow::Owned)
    }
}

/// A message that has been encoded already: its bytes are saved as they are, whatever the options say of encoding.
///
/// # Examples
///
/// ```
/// use marshal::{Encoded, Marshal, Snapshot, js};
///
/// let dir = tempfile::tempdir()?;
/// let path = dir.path().join("state.marshal");
/// let bytes = Marshal::encode(&js!({ n: 1 }))?;
/// Snapshot::save(&path, &Encoded(&bytes))?;
/// assert_eq!(Snapshot::read(&path)?.message(), bytes);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Encoded<B>(pub B);

impl<B: AsRef<[u8]>> ToMessage for Encoded<B> {
    fn to_message(&self, _: &EncodeOptions) -> Result<Cow<'_, [u8]>, Error> {
        let bytes = self.0.as_ref();
        crate::wire::Sections::read(bytes)?;
        Ok(Cow::Borrowed(bytes))
    }
}

/// A value on disk. A kill, a full disk or a flipped bit never costs more than the snapshot being written.
///
/// Saving writes a temporary file beside the target, syncs it, renames it over the target and syncs the directory:
/// whoever reads sees the old snapshot or the new one, and one that `save` has returned from is there after a power
/// cut. Each 64 KiB of the file has a checksum, which is verified before anything is decoded.
///
/// The file format is `spec/snapshot.md`. A file that is nothing but a message loads too, also a compressed one.
///
/// # Examples
///
/// ```
/// use marshal::{Snapshot, js};
///
/// let dir = tempfile::tempdir()?;
/// let path = dir.path().join("state.marshal");
/// let state = js!({ user: "Ada", seen: Set["a", "b"] });
/// Snapshot::save(&path, &state)?;
/// assert_eq!(Snapshot::load(&path)?, state);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Snapshot {
    message: Vec<u8>,
    metadata: Metadata,
    compression: Option<Compression>,
    generation: u32,
    damage: Option<Error>,
    decode: DecodeOptions,
}

/// Saving.
impl Snapshot {
    /// Saves a value, uncompressed and synced. Takes the place of what is at `path`. The value is a graph, a class value, a
    /// value of a type that serde knows in `Serde`, or a message in [`Encoded`].
    ///
    /// # Errors
    ///
    /// Those of encoding; `io`, which names the step that failed: the old file is as it was, and no other is left
    /// behind; `not-durable` where only the directory's sync failed: the new file is in place.
    pub fn save(path: impl AsRef<Path>, value: &(impl ToMessage + ?Sized)) -> Result<(), Error> {
        Self::save_with(path, value, &SaveOptions::new())
    }

    /// Saves with [options](SaveOptions).
    ///
    /// # Errors
    ///
    /// Those of [`save`](Self::save).
    pub fn save_with(
        path: impl AsRef<Path>,
        value: &(impl ToMessage + ?Sized),
        options: &SaveOptions,
    ) -> Result<(), Error> {
        let message = value.to_message(&options.encode)?;
        save_watched(path.as_ref(), &message, options, &mut Undisturbed)
    }

    /// Saves on a thread of its own and returns at once. The value moves there: nothing is copied, and nobody can change
    /// it meanwhile. [`Saving::wait`] gives the result. A value that can't move to another thread, such as one that holds
    /// a [`Shared`](crate::Shared), is encoded first, and its message moves there in [`Encoded`].
    ///
    /// # Examples
    ///
    /// ```
    /// use marshal::{SaveOptions, Snapshot, js};
    ///
    /// let dir = tempfile::tempdir()?;
    /// let path = dir.path().join("state.marshal");
    /// let saving = Snapshot::save_owned(&path, js!([1, 2, 3]), SaveOptions::new());
    /// // here other work is done
    /// saving.wait()?;
    /// assert_eq!(Snapshot::load(&path)?, js!([1, 2, 3]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn save_owned(
        path: impl Into<PathBuf>,
        value: impl ToMessage + Send + 'static,
        options: SaveOptions,
    ) -> Saving {
        let path = path.into();
        Saving { thread: std::thread::spawn(move || Self::save_with(path, &value, &options)) }
    }

    /// The snapshot of a value as bytes, for a place that is no file.
    ///
    /// # Errors
    ///
    /// Those of encoding.
    pub fn to_bytes(value: &(impl ToMessage + ?Sized), options: &SaveOptions) -> Result<Vec<u8>, Error> {
        let message = value.to_message(&options.encode)?;
        let mut out =
            Cursor::new(Vec::with_capacity(message.len() / if options.compression.is_some() { 2 } else { 1 }));
        container::write(&mut out, &message, options).map_err(|error| reading(Path::new("memory"), error))?;
        Ok(out.into_inner())
    }
}

/// Loading.
impl Snapshot {
    /// Loads the graph of the snapshot, message or compressed message at `path`.
    ///
    /// # Errors
    ///
    /// `io` where the file can't be read; `damaged`, `truncated`, `bad-snapshot` and others where it is not what was
    /// saved; those of decoding.
    pub fn load(path: impl AsRef<Path>) -> Result<Graph<'static>, Error> {
        Self::read(path)?.graph().map(Graph::into_owned)
    }

    /// Reads and verifies the snapshot at `path`, and decodes nothing but its container.
    ///
    /// # Errors
    ///
    /// Those of [`load`](Self::load), except decoding.
    pub fn read(path: impl AsRef<Path>) -> Result<Snapshot, Error> {
        Self::read_with(path, &LoadOptions::new())
    }

    /// Reads with [options](LoadOptions).
    ///
    /// # Errors
    ///
    /// Those of [`read`](Self::read). Where falling back is asked for and no generation is good: what is wrong with the
    /// newest.
    pub fn read_with(path: impl AsRef<Path>, options: &LoadOptions) -> Result<Snapshot, Error> {
        let path = path.as_ref();
        let newest = match read_file(path, options) {
            Err(error) if options.fall_back => error,
            other => return other,
        };
        // A save that was cut off while it renamed generations leaves a gap.
        (1..=SaveOptions::MAX_GENERATIONS)
            .find_map(|index| {
                let older = read_file(&generation(path, index), options).ok()?;
                // It has to decode too: nothing good follows from a message that does not.
                decode(&older.message, &options.decode).ok()?;
                Some(Snapshot { generation: index, damage: Some(newest.clone()), ..older })
            })
            .ok_or(newest)
    }

    /// Reads a snapshot, message or compressed message from memory.
    ///
    /// # Errors
    ///
    /// Those of [`read`](Self::read).
    pub fn from_bytes(bytes: &[u8], options: &LoadOptions) -> Result<Snapshot, Error> {
        let contents = container::read(&mut Cursor::new(bytes), bytes.len() as u64, options);
        contents.map(|contents| Snapshot::of(contents, options)).map_err(|error| reading(Path::new("memory"), error))
    }

    /// The message.
    pub fn message(&self) -> &[u8] {
        &self.message
    }

    /// The message, without a copy.
    pub fn into_message(self) -> Vec<u8> {
        self.message
    }

    /// Decodes the message; the graph borrows text and buffers from it. Keeps to the bounds of
    /// [`LoadOptions::decode`].
    ///
    /// # Errors
    ///
    /// Those of [`Marshal::decode`](crate::Marshal::decode).
    pub fn graph(&self) -> Result<Graph<'_>, Error> {
        decode(&self.message, &self.decode)
    }

    /// What the snapshot says about itself.
    pub fn metadata(&self) -> &Metadata {
        &self.metadata
    }

    /// How the message was compressed.
    pub fn compression(&self) -> Option<Compression> {
        self.compression
    }

    /// Which generation was read: 0 for the newest.
    pub fn generation(&self) -> u32 {
        self.generation
    }

    /// What was wrong with the newest generation, where an older one was read in its place.
    pub fn damage(&self) -> Option<&Error> {
        self.damage.as_ref()
    }
}

impl Snapshot {
    fn of(Contents { message, metadata, compression }: Contents, options: &LoadOptions) -> Self {
        let decode = options.decode.clone();
        Snapshot { message, metadata, compression, generation: 0, damage: None, decode }
    }
}

/// A save that runs on a thread of its own. Dropping it does not stop the save.
#[derive(Debug)]
pub struct Saving {
    thread: JoinHandle<Result<(), Error>>,
}

impl Saving {
    /// Whether the save has ended, well or not.
    pub fn is_finished(&self) -> bool {
        self.thread.is_finished()
    }

    /// Waits for the save to end.
    ///
    /// # Errors
    ///
    /// Those of [`Snapshot::save`].
    pub fn wait(self) -> Result<(), Error> {
        self.thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    }
}

fn save_watched(path: &Path, message: &[u8], options: &SaveOptions, watch: &mut dyn Watch) -> Result<(), Error> {
    replace(path, options.sync, options.generations, watch, |out| container::write(out, message, options))
}

fn read_file(path: &Path, options: &LoadOptions) -> Result<Snapshot, Error> {
    let read = || {
        let mut file = File::open(path)?;
        let len = file.metadata()?.len();
        container::read(&mut file, len, options)
    };
    read().map(|contents| Snapshot::of(contents, options)).map_err(|error| reading(path, error))
}

/// The crate's own error, or what the operating system refused.
fn reading(path: &Path, error: io::Error) -> Error {
    match error.downcast::<Error>() {
        Ok(own) => own,
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
            Error::new(ErrorKind::Truncated, format!("{} became shorter while it was read", path.display()))
        }
        Err(error) => Error::io(ErrorKind::Io, "read", path, &error),
    }
}

#[cfg(test)]
mod tests;

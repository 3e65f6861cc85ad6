//! Snapshots in an object store: saved on the condition that nobody else has saved, loaded, and read in part.
//!
//! Knows stores through the crate `object_store` and has no runtime of its own: whoever awaits its futures provides what
//! the store needs.

mod head;
mod object;
mod open;
mod sparse;

use std::fmt;
use std::future::Future;
use std::io;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use futures_util::TryStreamExt;
use object_store::path::Path;
use object_store::{ObjectStore, ObjectStoreExt, PutMode, UpdateVersion};

use super::container::read_head;
use super::header::{HEADER_LEN, Header, MAGIC};
use super::{LoadOptions, SaveOptions, Snapshot, ToMessage};
use crate::codec::decode;
use crate::error::{Error, ErrorKind};
use crate::graph::Graph;
use object::{Object, changed, put, refused, upload};
pub use open::OpenRemote;

/// A snapshot of up to this many bytes is one object, put in one request.
const ONE_PUT: usize = 16 << 20;

/// Whoever only wants the newest tries so often to be faster than others are.
const TRIES: usize = 16;

/// The place of a snapshot in an object store: Amazon's S3 and what speaks its protocol, Google's, Azure's, a local disk,
/// memory, or whatever else implements [`ObjectStore`].
///
/// A snapshot of up to 16 MiB is one object, the very bytes of a snapshot on disk. A larger one, and one of which earlier
/// [generations](SaveOptions::generations) are kept, is uploaded in parts to an object of its own under
/// `PATH.snapshots/`, and what stands at the path is then a short *head* that names it. Either way saving ends with one
/// conditional put at the path, so readers see the old snapshot or the new one, a save that fails leaves the old one as
/// it was, and of two that save at once on top of the same version, one gets the error `changed`.
///
/// Requests are repeated as the store is configured to (`object_store::RetryConfig`). Where a store did save and the
/// answer was lost, that is found out and is no error.
///
/// The futures need what the store needs: those of the cloud stores a Tokio runtime, others none.
///
/// # Examples
///
/// ```
/// use std::sync::Arc;
/// use marshal::{EncodeOptions, ErrorKind, Remote, SaveOptions, js};
/// use object_store::memory::InMemory;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), marshal::Error> {
/// let place = Remote::new(Arc::new(InMemory::new()), "team/state.marshal");
/// let state = js!({ users: [{ name: "Ada" }, { name: "Grace" }] });
/// let options = SaveOptions::new().encode(EncodeOptions::new().index(true));
/// let version = place.save_with(&state, &options).await?;
/// assert_eq!(place.load().await?, state);
///
/// // Of a large one, only what is touched is fetched.
/// let open = place.open().await?;
/// let name = open.read(|open| Ok(open.root()?.get("users")?.at(1)?.get("name")?.as_str().map(str::to_owned))).await?;
/// assert_eq!(name.as_deref(), Some("Grace"));
///
/// // Saved only on top of what is known.
/// place.save_if(&version, &js!("newer"), &options).await?;
/// let late = place.save_if(&version, &js!("too late"), &options).await.unwrap_err();
/// assert_eq!(late.kind(), ErrorKind::Changed);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Remote {
    store: Arc<dyn ObjectStore>,
    path: Path,
}

/// Which save stands at a place, or that none does: what [`Remote::save_if`] saves on top of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RemoteVersion {
    /// None where there is nothing.
    object: Option<UpdateVersion>,
    /// The objects that a head names, newest first.
    bodies: Vec<String>,
}

impl RemoteVersion {
    /// Nothing has been saved: to be the first.
    pub fn absent() -> Self {
        RemoteVersion { object: None, bodies: Vec::new() }
    }
}

impl fmt::Debug for Remote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Remote").field(&format_args!("{}/{}", self.store, self.path)).finish()
    }
}

impl Remote {
    /// The place `path` in `store`. Nothing is asked of the store.
    pub fn new(store: Arc<dyn ObjectStore>, path: impl Into<Path>) -> Self {
        Remote { store, path: path.into() }
    }

    /// Which save stands there now.
    ///
    /// # Errors
    ///
    /// `io` where the store refuses.
    pub async fn version(&self) -> Result<RemoteVersion, Error> {
        match Object::find(&self.store, &self.path, head::MAX_LEN).await {
            Err(error) if is_not_there(&error) => Ok(RemoteVersion::absent()),
            found => found.map(|(object, first)| RemoteVersion {
                // What is no head, or a damaged one, names nothing and can be replaced.
                bodies: head::read(&first, object.size).and_then(Result::ok).unwrap_or_default(),
                object: Some(object.version),
            }),
        }
    }
}

/// Saving.
impl Remote {
    /// Saves a value, whatever stands there. See [`save_with`](Self::save_with).
    ///
    /// # Errors
    ///
    /// Those of [`save_with`](Self::save_with).
    pub fn save<'r, V: ToMessage + ?Sized>(
        &'r self,
        value: &V,
    ) -> impl Future<Output = Result<RemoteVersion, Error>> + Send + use<'r, V> {
        self.save_with(value, &SaveOptions::new())
    }

    /// Saves with [options](SaveOptions), whatever stands there; the version is that of this save. The value is encoded
    /// and compressed before the future is returned; where that takes long, encode elsewhere and save
    /// [`Encoded`](crate::Encoded).
    ///
    /// What the options say of syncing means nothing here. Generations are objects of their own: keeping them costs
    /// room and no copying; a snapshot that was saved as one object, without generations, does not become one.
    ///
    /// # Errors
    ///
    /// Those of encoding; `io` where the store refuses: what stood there does so still, unless the connection broke as the
    /// last request was under way, when it may be either. So it is when the future is dropped before its end.
    pub fn save_with<'r, V: ToMessage + ?Sized>(
        &'r self,
        value: &V,
        options: &SaveOptions,
    ) -> impl Future<Output = Result<RemoteVersion, Error>> + Send + use<'r, V> {
        self.save_on(None, unique_bytes(value, options), options.generations)
    }

    /// Saves if `version` is what stands there: the one that [`read`](Self::read), [`open`](Self::open) or a save gave, or
    /// [none](RemoteVersion::absent). So nobody's save is overwritten unseen.
    ///
    /// # Examples
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use marshal::{Error, ErrorKind, Remote, RemoteVersion, SaveOptions, Value, js};
    /// # use object_store::memory::InMemory;
    /// async fn count(place: &Remote) -> Result<(), Error> {
    ///     loop {
    ///         let (snapshot, version) = place.read().await?;
    ///         let mut state = snapshot.graph()?;
    ///         let n = state.root().get("n").and_then(|n| n.as_f64()).unwrap_or(0.0);
    ///         state.set(state.root().value(), "n", Value::from(n + 1.0))?;
    ///         match place.save_if(&version, &state, &SaveOptions::new()).await {
    ///             Err(error) if error.kind() == ErrorKind::Changed => continue,
    ///             saved => return saved.map(|_| ()),
    ///         }
    ///     }
    /// }
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Error> {
    /// # let place = Remote::new(Arc::new(InMemory::new()), "n");
    /// # place.save_if(&RemoteVersion::absent(), &js!({ n: 1 }), &SaveOptions::new()).await?;
    /// # count(&place).await?;
    /// # assert_eq!(place.load().await?, js!({ n: 2 }));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// `changed` where it does not: nothing is saved then. `io` with [`Unsupported`](std::io::ErrorKind::Unsupported) where
    /// the store has no conditional put (`object_store`'s local disk, but for the first save; on a disk
    /// [`Snapshot::save`] is the way). Those of [`save_with`](Self::save_with).
    pub fn save_if<'r, V: ToMessage + ?Sized>(
        &'r self,
        version: &RemoteVersion,
        value: &V,
        options: &SaveOptions,
    ) -> impl Future<Output = Result<RemoteVersion, Error>> + Send + use<'r, V> {
        self.save_on(Some(version.clone()), unique_bytes(value, options), options.generations)
    }

    /// Removes what saves that were cut off have left under `PATH.snapshots/`, if it is older than `age`, which must be
    /// longer than any save takes. Parts of uploads that were never completed are not among it: stores have rules for
    /// those, such as S3's `AbortIncompleteMultipartUpload`.
    ///
    /// # Errors
    ///
    /// `io` where the store refuses; what is wrong with the head.
    pub async fn sweep(&self, age: Duration) -> Result<(), Error> {
        let listed: Vec<_> = self
            .store
            .list(Some(&head::bodies(&self.path)))
            .try_collect()
            .await
            .map_err(|error| refused("list", &self.path, error))?;
        // Only now, so that what is new in the head is no litter.
        let named = match Object::find(&self.store, &self.path, head::MAX_LEN).await {
            Err(error) if is_not_there(&error) => Vec::new(),
            found => {
                let (object, first) = found?;
                head::read(&first, object.size).transpose()?.unwrap_or_default()
            }
        };
        let named: Vec<Path> = named.iter().map(|name| head::body(&self.path, name)).collect();
        let is_old = |time| SystemTime::now().duration_since(SystemTime::from(time)).is_ok_and(|passed| passed > age);
        for litter in listed.into_iter().filter(|object| is_old(object.last_modified)) {
            if !named.contains(&litter.location) {
                let deleted = self.store.delete(&litter.location).await;
                deleted.map_err(|error| refused("remove", &litter.location, error))?;
            }
        }
        Ok(())
    }

    /// Saves these bytes on top of `version`, or of whatever stands there.
    async fn save_on(
        &self,
        version: Option<RemoteVersion>,
        bytes: Result<Vec<u8>, Error>,
        generations: u32,
    ) -> Result<RemoteVersion, Error> {
        let bytes = Bytes::from(bytes?);
        if generations == 0 && bytes.len() <= ONE_PUT {
            return self.commit(version, |_| Ok((bytes.clone(), Vec::new()))).await;
        }
        let name = format!("{:032x}", head::unique());
        let body = head::body(&self.path, &name);
        upload(&self.store, &body, &bytes).await?;
        let head = |on: &RemoteVersion| {
            let older = on.bodies.iter().take(generations as usize);
            let bodies: Vec<String> = std::iter::once(&name).chain(older).cloned().collect();
            Ok((Bytes::from(head::to_bytes(&bodies)?), bodies))
        };
        let saved = self.commit(version, head).await;
        if saved.as_ref().is_err_and(|error| error.kind() == ErrorKind::Changed) {
            // No head names it. After another error one may yet: what is left then, `sweep` removes.
            let _ = self.store.delete(&body).await;
        }
        saved
    }

    /// Puts what `content` makes of the version that stands there, and removes the bodies that nothing names any more.
    async fn commit(
        &self,
        version: Option<RemoteVersion>,
        content: impl Fn(&RemoteVersion) -> Result<(Bytes, Vec<String>), Error>,
    ) -> Result<RemoteVersion, Error> {
        let whatever = version.is_none();
        for _ in 0..TRIES {
            let on = match &version {
                Some(version) => version.clone(),
                None => self.version().await?,
            };
            let (content, bodies) = content(&on)?;
            let mode = on.object.map_or(PutMode::Create, PutMode::Update);
            match self.replace(content, mode, whatever).await {
                Err(error) if whatever && error.kind() == ErrorKind::Changed => continue,
                Err(error) => return Err(error),
                Ok(object) => {
                    for name in on.bodies.iter().filter(|name| !bodies.contains(name)) {
                        // Saved is saved; `sweep` removes it another time.
                        let _ = self.store.delete(&head::body(&self.path, name)).await;
                    }
                    return Ok(RemoteVersion { object: Some(object), bodies });
                }
            }
        }
        Err(changed(&self.path))
    }

    async fn replace(&self, content: Bytes, mode: PutMode, whatever: bool) -> Result<UpdateVersion, Error> {
        let error = match put(&self.store, &self.path, content.clone(), mode).await {
            Err(error) if whatever && error.io_kind() == Some(io::ErrorKind::Unsupported) => {
                return put(&self.store, &self.path, content, PutMode::Overwrite).await;
            }
            Err(error) => error,
            done => return done,
        };
        // It may have been done and the answer lost, before the store's client asked again. No two saves begin alike.
        let first = content.slice(..content.len().min(head::MAX_LEN as usize));
        match Object::find(&self.store, &self.path, first.len() as u64).await {
            Ok((object, found)) if found == first && object.size == content.len() as u64 => Ok(object.version),
            Err(unknown) if error.kind() == ErrorKind::Changed && !is_not_there(&unknown) => Err(unknown),
            _ => Err(error),
        }
    }
}

/// Loading.
impl Remote {
    /// Loads the graph of the snapshot, message or compressed message that stands there.
    ///
    /// # Errors
    ///
    /// Those of [`read`](Self::read), and those of decoding.
    pub async fn load(&self) -> Result<Graph<'static>, Error> {
        self.read().await?.0.graph().map(Graph::into_owned)
    }

    /// Reads and verifies all of the snapshot, and decodes nothing but its container. The version is for
    /// [`save_if`](Self::save_if).
    ///
    /// # Errors
    ///
    /// `io` where the store refuses, with [`NotFound`](std::io::ErrorKind::NotFound) where nothing has been saved;
    /// `damaged`, `truncated`, `bad-snapshot` and others where it is not what was saved.
    pub async fn read(&self) -> Result<(Snapshot, RemoteVersion), Error> {
        self.read_with(&LoadOptions::new()).await
    }

    /// Reads with [options](LoadOptions).
    ///
    /// # Errors
    ///
    /// Those of [`read`](Self::read). Where falling back is asked for and no generation is good: what is wrong with the
    /// newest.
    pub async fn read_with(&self, options: &LoadOptions) -> Result<(Snapshot, RemoteVersion), Error> {
        for _ in 0..TRIES {
            match self.read_once(options).await {
                // Replaced while it was read: then the newer one is wanted.
                Err(error) if error.kind() == ErrorKind::Changed => continue,
                read => return read,
            }
        }
        Err(changed(&self.path))
    }

    async fn read_once(&self, options: &LoadOptions) -> Result<(Snapshot, RemoteVersion), Error> {
        let (object, first, version) = self.place().await?;
        if version.bodies.is_empty() {
            return Ok((read_whole(&object, first, options).await?, version));
        }
        let mut damage: Option<Error> = None;
        for (index, name) in version.bodies.iter().enumerate() {
            let read = match self.body(name, &version).await {
                Ok((object, first)) => read_whole(&object, first, options).await,
                Err(error) => Err(error),
            };
            match read {
                Ok(snapshot) if damage.is_none() => return Ok((snapshot, version)),
                // It has to decode too: nothing good follows from a message that does not.
                Ok(older) if decode(&older.message, &options.decode).is_err() => {}
                Ok(older) => return Ok((Snapshot { generation: index as u32, damage, ..older }, version)),
                Err(error) if !options.fall_back || error.kind() == ErrorKind::Changed => return Err(error),
                Err(error) => damage = damage.or(Some(error)),
            }
        }
        Err(damage.unwrap_or_else(|| changed(&self.path)))
    }

    /// What stands at the path, with its first bytes.
    async fn place(&self) -> Result<(Object, Bytes, RemoteVersion), Error> {
        let (object, first) = Object::find(&self.store, &self.path, FIRST).await?;
        let bodies = head::read(&first, object.size).transpose()?.unwrap_or_default();
        let version = RemoteVersion { object: Some(object.version.clone()), bodies };
        Ok((object, first, version))
    }

    /// A body that the head of `version` names.
    async fn body(&self, name: &str, version: &RemoteVersion) -> Result<(Object, Bytes), Error> {
        let body = head::body(&self.path, name);
        match Object::find(&self.store, &body, FIRST).await {
            Err(error) if is_not_there(&error) => match self.version().await? == *version {
                true => Err(Error::new(ErrorKind::Damaged, format!("{} names {body}, which is gone", self.path))),
                false => Err(changed(&self.path)),
            },
            found => found,
        }
    }
}

/// The first request for an object asks for so much: header, metadata of the usual length, and a whole block.
const FIRST: u64 = if cfg!(fuzzing) { 128 } else { 4096 + super::header::BLOCK as u64 };

async fn read_whole(object: &Object, first: Bytes, options: &LoadOptions) -> Result<Snapshot, Error> {
    let len = match first.first_chunk::<HEADER_LEN>() {
        Some(bytes) if bytes.starts_with(&MAGIC) => {
            let header = Header::read(bytes)?;
            if header.stored_at() <= first.len() as u64 {
                read_head(&mut &first[..], object.size).map_err(own)?;
            }
            header.message_len
        }
        _ => object.size,
    };
    if len > options.max_bytes {
        let detail = format!("a message of {len} bytes; LoadOptions::max_bytes allows {}", options.max_bytes);
        return Err(Error::new(ErrorKind::LimitExceeded, detail));
    }
    if first.len() as u64 == object.size {
        return Snapshot::from_bytes(&first, options);
    }
    let rest = first.len() as u64..object.size;
    let rest = object.fetch(&[rest]).await?;
    Snapshot::from_bytes(&[&first[..], &rest[0]].concat(), options)
}

/// The snapshot of a value, with a number that no other save has.
fn unique_bytes(value: &(impl ToMessage + ?Sized), options: &SaveOptions) -> Result<Vec<u8>, Error> {
    let metadata = options.metadata.clone().numbered(head::unique());
    Snapshot::to_bytes(value, &options.clone().metadata(metadata))
}

/// The crate's own error out of reading the first bytes; those end where the object does.
fn own(error: io::Error) -> Error {
    error.downcast::<Error>().unwrap_or_else(|_| Error::new(ErrorKind::Truncated, "the snapshot is cut off"))
}

fn is_not_there(error: &Error) -> bool {
    error.io_kind() == Some(io::ErrorKind::NotFound)
}

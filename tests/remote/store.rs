//! A store in front of another one: it takes its time, keeps count, and does what a test asks of it.

use std::fmt;
use std::ops::Range;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use futures_util::StreamExt;
use futures_util::stream::BoxStream;
use object_store::path::Path;
use object_store::{
    CopyOptions, Error, GetOptions, GetResult, GetResultPayload, ListResult, MultipartUpload, ObjectMeta, ObjectStore,
    PutMultipartOptions, PutOptions, PutPayload, PutResult, Result, UploadPart,
};

/// How long every request takes: on a clock that is paused, elapsed time counts round trips.
pub(crate) const TRIP: Duration = Duration::from_millis(100);

/// What becomes of an answer: of the bytes of a range, with what is said of them.
pub(crate) type Bend = dyn Fn(&mut Vec<u8>, &mut Range<u64>, &mut ObjectMeta) + Send + Sync;

#[derive(Clone)]
pub(crate) struct Watched {
    inner: Arc<dyn ObjectStore>,
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    fetched: Vec<Range<u64>>,
    puts: usize,
    parts: usize,
    /// The part of an upload that fails.
    failing_part: Option<usize>,
    /// Completing an upload fails.
    failing_complete: bool,
    /// Puts that are done and then said to have failed: like this.
    lost: Vec<fn(&Path) -> Error>,
    bend: Option<Arc<Bend>>,
}

impl Watched {
    pub(crate) fn new(inner: Arc<dyn ObjectStore>) -> Self {
        Watched { inner, state: Arc::default() }
    }

    fn with<T>(&self, change: impl FnOnce(&mut State) -> T) -> T {
        change(&mut self.state.lock().unwrap())
    }

    /// The ranges fetched since this was last asked.
    pub(crate) fn fetched(&self) -> Vec<Range<u64>> {
        self.with(|state| std::mem::take(&mut state.fetched))
    }

    /// Puts and parts of uploads since this was last asked.
    pub(crate) fn puts(&self) -> (usize, usize) {
        self.with(|state| (std::mem::take(&mut state.puts), std::mem::take(&mut state.parts)))
    }

    pub(crate) fn fail_part(&self, part: Option<usize>) {
        self.with(|state| state.failing_part = part);
    }

    pub(crate) fn fail_complete(&self, fails: bool) {
        self.with(|state| state.failing_complete = fails);
    }

    pub(crate) fn lose_answer(&self, as_error: fn(&Path) -> Error) {
        self.with(|state| state.lost.push(as_error));
    }

    pub(crate) fn bend(&self, bend: impl Fn(&mut Vec<u8>, &mut Range<u64>, &mut ObjectMeta) + Send + Sync + 'static) {
        self.with(|state| state.bend = Some(Arc::new(bend)));
    }
}

pub(crate) fn broken() -> Error {
    Error::Generic { store: "Watched", source: "the connection broke".into() }
}

impl fmt::Debug for Watched {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for Watched {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Watched({})", self.inner)
    }
}

#[async_trait]
impl ObjectStore for Watched {
    async fn put_opts(&self, path: &Path, payload: PutPayload, options: PutOptions) -> Result<PutResult> {
        tokio::time::sleep(TRIP).await;
        self.with(|state| state.puts += 1);
        let done = self.inner.put_opts(path, payload, options).await?;
        match self.with(|state| state.lost.pop()) {
            Some(as_error) => Err(as_error(path)),
            None => Ok(done),
        }
    }

    async fn put_multipart_opts(&self, path: &Path, options: PutMultipartOptions) -> Result<Box<dyn MultipartUpload>> {
        let inner = self.inner.put_multipart_opts(path, options).await?;
        Ok(Box::new(Upload { store: self.clone(), inner, part: 0 }))
    }

    async fn get_opts(&self, path: &Path, options: GetOptions) -> Result<GetResult> {
        tokio::time::sleep(TRIP).await;
        let got = self.inner.get_opts(path, options).await?;
        self.with(|state| state.fetched.push(got.range.clone()));
        let Some(bend) = self.with(|state| state.bend.clone()) else { return Ok(got) };
        let (mut range, mut meta, attributes) = (got.range.clone(), got.meta.clone(), got.attributes.clone());
        let mut bytes = got.bytes().await?.to_vec();
        bend(&mut bytes, &mut range, &mut meta);
        let payload = GetResultPayload::Stream(futures_util::stream::once(async { Ok(bytes.into()) }).boxed());
        Ok(GetResult { payload, meta, range, attributes, extensions: Default::default() })
    }

    fn delete_stream(&self, paths: BoxStream<'static, Result<Path>>) -> BoxStream<'static, Result<Path>> {
        self.inner.delete_stream(paths)
    }

    fn list(&self, prefix: Option<&Path>) -> BoxStream<'static, Result<ObjectMeta>> {
        self.inner.list(prefix)
    }

    async fn list_with_delimiter(&self, prefix: Option<&Path>) -> Result<ListResult> {
        self.inner.list_with_delimiter(prefix).await
    }

    async fn copy_opts(&self, from: &Path, to: &Path, options: CopyOptions) -> Result<()> {
        self.inner.copy_opts(from, to, options).await
    }
}

#[derive(Debug)]
struct Upload {
    store: Watched,
    inner: Box<dyn MultipartUpload>,
    part: usize,
}

#[async_trait]
impl MultipartUpload for Upload {
    fn put_part(&mut self, data: PutPayload) -> UploadPart {
        let (store, sent) = (self.store.clone(), self.inner.put_part(data));
        let part = self.part;
        self.part += 1;
        Box::pin(async move {
            tokio::time::sleep(TRIP).await;
            if store.with(|state| state.failing_part == Some(part)) {
                return Err(broken());
            }
            store.with(|state| state.parts += 1);
            sent.await
        })
    }

    async fn complete(&mut self) -> Result<PutResult> {
        if self.store.with(|state| state.failing_complete) {
            return Err(broken());
        }
        self.inner.complete().await
    }

    async fn abort(&mut self) -> Result<()> {
        self.inner.abort().await
    }
}

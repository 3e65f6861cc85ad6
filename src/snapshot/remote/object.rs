//! One object of a store: reading ranges of one version of it, putting another in its place, and uploading in parts.

use std::io;
use std::ops::Range;
use std::sync::Arc;

use bytes::Bytes;
use futures_util::{StreamExt, TryStreamExt, stream};
use object_store::path::Path;
use object_store::{
    GetOptions, GetRange, ObjectMeta, ObjectStore, ObjectStoreExt, PutMode, PutOptions, PutPayload, UpdateVersion,
};

use crate::error::{Error, ErrorKind};

/// One request asks for, and one part of an upload has, at most this many bytes: several are under way at once, and a
/// store that lies about lengths is believed no further.
const PIECE: u64 = 8 << 20;

/// An upload has at most this many parts.
const MAX_PARTS: u64 = 10_000;

/// Requests under way at once.
const AT_ONCE: usize = 8;

/// Ranges with no more than this between them are one request: a further one costs more than so many bytes.
const GAP: u64 = 256 << 10;

/// An object as it was when it was first read.
#[derive(Debug, Clone)]
pub(super) struct Object {
    store: Arc<dyn ObjectStore>,
    pub(super) path: Path,
    pub(super) size: u64,
    pub(super) version: UpdateVersion,
}

impl Object {
    /// The object that stands at `path`, with the first `len` of its bytes or all that it has.
    pub(super) async fn find(store: &Arc<dyn ObjectStore>, path: &Path, len: u64) -> Result<(Object, Bytes), Error> {
        let of = |meta: ObjectMeta| Object {
            store: store.clone(),
            path: path.clone(),
            size: meta.size,
            version: UpdateVersion { e_tag: meta.e_tag, version: meta.version },
        };
        let options = GetOptions { range: Some(GetRange::Bounded(0..len)), ..GetOptions::default() };
        let found = match store.get_opts(path, options).await {
            Ok(found) => found,
            Err(error @ object_store::Error::NotFound { .. }) => return Err(refused("read", path, error)),
            // An object without bytes has no range.
            Err(error) => match store.head(path).await {
                Ok(meta) if meta.size == 0 => return Ok((of(meta), Bytes::new())),
                _ => return Err(refused("read", path, error)),
            },
        };
        let (range, object) = (found.range.clone(), of(found.meta.clone()));
        if range != (0..len.min(object.size)) {
            return Err(other_range(path));
        }
        let first = found.bytes().await.map_err(|error| refused("read", path, error))?;
        if first.len() as u64 != range.end {
            return Err(cut_off(path));
        }
        Ok((object, first))
    }

    /// The bytes of these ranges: in as few requests as make sense, all under way at once.
    pub(super) async fn fetch(&self, ranges: &[Range<u64>]) -> Result<Vec<Bytes>, Error> {
        let runs = merged(ranges);
        let pieces = runs.clone().into_iter().flat_map(|run| {
            let end = run.end;
            run.step_by(PIECE as usize).map(move |at| at..end.min(at + PIECE))
        });
        let requests = stream::iter(pieces).map(|piece| self.get(piece)).buffered(AT_ONCE);
        let mut pieces = requests.try_collect::<Vec<Bytes>>().await?.into_iter();
        let runs: Vec<(u64, Bytes)> = runs
            .into_iter()
            .map(|run| {
                let count = (run.end - run.start).div_ceil(PIECE) as usize;
                let bytes = match count {
                    1 => pieces.next().unwrap_or_default(),
                    _ => pieces.by_ref().take(count).flatten().collect(),
                };
                (run.start, bytes)
            })
            .collect();
        let cut = |range: &Range<u64>| {
            let (start, bytes) = &runs[runs.partition_point(|run| run.0 <= range.start).checked_sub(1)?];
            Some(bytes.slice((range.start - start) as usize..(range.end - start) as usize))
        };
        Ok(ranges.iter().map(|range| cut(range).unwrap_or_default()).collect())
    }

    /// One range of this version, checked for being just that.
    async fn get(&self, range: Range<u64>) -> Result<Bytes, Error> {
        let UpdateVersion { e_tag, version } = &self.version;
        let options = GetOptions {
            range: Some(GetRange::Bounded(range.clone())),
            // A weak one never matches.
            if_match: e_tag.clone().filter(|tag| version.is_none() && !tag.starts_with("W/")),
            version: version.clone(),
            ..GetOptions::default()
        };
        let found = self.store.get_opts(&self.path, options).await.map_err(|error| match error {
            object_store::Error::NotFound { .. } => changed(&self.path),
            other => refused("read", &self.path, other),
        })?;
        // A store may not know the condition.
        if found.meta.size != self.size || found.meta.e_tag != *e_tag {
            return Err(changed(&self.path));
        }
        if found.range != range {
            return Err(other_range(&self.path));
        }
        let bytes = found.bytes().await.map_err(|error| refused("read", &self.path, error))?;
        if bytes.len() as u64 == range.end - range.start { Ok(bytes) } else { Err(cut_off(&self.path)) }
    }
}

/// Puts an object in one request.
pub(super) async fn put(
    store: &Arc<dyn ObjectStore>,
    path: &Path,
    bytes: Bytes,
    mode: PutMode,
) -> Result<UpdateVersion, Error> {
    let options = PutOptions { mode, ..PutOptions::default() };
    let put = store.put_opts(path, PutPayload::from_bytes(bytes), options).await;
    put.map(UpdateVersion::from).map_err(|error| refused("write", path, error))
}

/// Uploads an object in parts. Nothing stands at `path` before all of them are there.
pub(super) async fn upload(store: &Arc<dyn ObjectStore>, path: &Path, bytes: &Bytes) -> Result<(), Error> {
    let refused = |error| refused("upload", path, error);
    let size = bytes.len() as u64;
    if size <= PIECE {
        return put(store, path, bytes.clone(), PutMode::Overwrite).await.map(|_| ());
    }
    // All but the last of one length, as some stores ask for.
    let part = PIECE.max(size.div_ceil(MAX_PARTS));
    let mut upload = store.put_multipart(path).await.map_err(refused)?;
    let parts: Vec<_> = (0..size)
        .step_by(part as usize)
        .map(|at| upload.put_part(bytes.slice(at as usize..size.min(at + part) as usize).into()))
        .collect();
    let sent = stream::iter(parts).buffer_unordered(AT_ONCE).try_collect::<Vec<()>>().await;
    let result = match sent {
        Ok(_) => upload.complete().await.map(|_| ()),
        Err(error) => Err(error),
    };
    if result.is_err() {
        // What the store has of it costs its owner money; the first error is the one to tell of.
        let _ = upload.abort().await;
    }
    result.map_err(refused)
}

/// The ranges in order, those close to one another as one.
fn merged(ranges: &[Range<u64>]) -> Vec<Range<u64>> {
    let mut sorted: Vec<_> = ranges.iter().filter(|range| !range.is_empty()).cloned().collect();
    sorted.sort_unstable_by_key(|range| range.start);
    let mut runs: Vec<Range<u64>> = Vec::new();
    for range in sorted {
        match runs.last_mut() {
            Some(last) if range.start <= last.end.saturating_add(GAP) => last.end = last.end.max(range.end),
            _ => runs.push(range),
        }
    }
    runs
}

/// What a store said, as the crate's own error.
pub(super) fn refused(step: &str, path: &Path, error: object_store::Error) -> Error {
    use object_store::Error as Store;
    let kind = match &error {
        Store::Precondition { .. } | Store::AlreadyExists { .. } | Store::NotModified { .. } => return changed(path),
        Store::NotFound { .. } => io::ErrorKind::NotFound,
        Store::PermissionDenied { .. } | Store::Unauthenticated { .. } => io::ErrorKind::PermissionDenied,
        Store::NotImplemented { .. } | Store::NotSupported { .. } => io::ErrorKind::Unsupported,
        _ => io::ErrorKind::Other,
    };
    Error::io(ErrorKind::Io, step, path.as_ref().as_ref(), &io::Error::new(kind, error))
}

pub(super) fn changed(path: &Path) -> Error {
    Error::new(ErrorKind::Changed, format!("somebody else has saved {path} in between; read it again"))
}

fn cut_off(path: &Path) -> Error {
    Error::new(ErrorKind::Truncated, format!("the store gave other bytes of {path} than it announced"))
}

fn other_range(path: &Path) -> Error {
    let told = io::Error::other("the store answered with another range than it was asked for");
    Error::io(ErrorKind::Io, "read", path.as_ref().as_ref(), &told)
}

#[allow(clippy::single_range_in_vec_init, reason = "runs are compared with lists of ranges")]
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_that_are_close_are_one_request() {
        assert_eq!(merged(&[10..20, 0..5, 20..30]), [0..30]);
        assert_eq!(merged(&[0..1, GAP + 1..GAP + 2, 3 * GAP..3 * GAP + 1, 7..7]), [0..GAP + 2, 3 * GAP..3 * GAP + 1]);
        assert_eq!(merged(&[0..10, 2..3]), [0..10]);
    }
}

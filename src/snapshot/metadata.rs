//! What a snapshot says about itself beside its value: which application wrote it, in which version of its own, when.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::codec::{DecodeOptions, EncodeOptions, Encoder, decode};
use crate::error::{Error, ErrorKind};
use crate::graph::{Graph, Value};

/// Metadata of a snapshot, all of it optional. It is read without reading the value.
///
/// # Examples
///
/// ```
/// use marshal::{Metadata, SaveOptions, Snapshot, js};
///
/// let dir = tempfile::tempdir()?;
/// let path = dir.path().join("state.marshal");
/// let about = Metadata::new().application("planner").schema_version(3).now();
/// Snapshot::save_with(&path, &js!([1, 2]), &SaveOptions::new().metadata(about.clone()))?;
/// assert_eq!(Snapshot::read(&path)?.metadata(), &about);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Metadata {
    application: Option<String>,
    schema_version: Option<u32>,
    /// Milliseconds since 1970.
    time: Option<i64>,
    /// What tells a save from every other; not read again.
    number: Option<u128>,
}

impl Metadata {
    /// Nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// The name of the application.
    pub fn application(self, name: impl Into<String>) -> Self {
        Metadata { application: Some(name.into()), ..self }
    }

    /// The version of what the application saves, for it to migrate old snapshots by.
    pub fn schema_version(self, version: u32) -> Self {
        Metadata { schema_version: Some(version), ..self }
    }

    /// When the state was saved, to the millisecond.
    pub fn time(self, time: SystemTime) -> Self {
        let ms = match time.duration_since(UNIX_EPOCH) {
            Ok(after) => after.as_millis() as i64,
            Err(before) => -(before.duration().as_millis() as i64),
        };
        Metadata { time: Some(ms.clamp(-MAX_TIME, MAX_TIME)), ..self }
    }

    /// [`time`](Self::time) with the clock's.
    pub fn now(self) -> Self {
        self.time(SystemTime::now())
    }

    /// With a number that tells this save from every other.
    #[cfg(feature = "remote")]
    pub(super) fn numbered(self, number: u128) -> Self {
        Metadata { number: Some(number), ..self }
    }

    /// The name of the application, if it was given.
    pub fn application_name(&self) -> Option<&str> {
        self.application.as_deref()
    }

    /// The application's own version, if it was given.
    pub fn schema(&self) -> Option<u32> {
        self.schema_version
    }

    /// When the state was saved, if that was given.
    pub fn saved_at(&self) -> Option<SystemTime> {
        let ms = self.time?;
        let distance = Duration::from_millis(ms.unsigned_abs());
        if ms < 0 { UNIX_EPOCH.checked_sub(distance) } else { UNIX_EPOCH.checked_add(distance) }
    }

    /// As it stands in the file: nothing, or a message of an object with `application`, `schemaVersion` and `time`.
    pub(super) fn to_bytes(&self) -> Result<Vec<u8>, Error> {
        if *self == Metadata::default() {
            return Ok(Vec::new());
        }
        let mut graph = Graph::new();
        let mut properties: Vec<(&str, Value)> = Vec::new();
        if let Some(name) = &self.application {
            properties.push(("application", graph.string(name)));
        }
        if let Some(version) = self.schema_version {
            properties.push(("schemaVersion", Value::from(version)));
        }
        if let Some(ms) = self.time {
            properties.push(("time", graph.date(ms as f64)));
        }
        if let Some(number) = self.number {
            properties.push(("save", graph.string(&format!("{number:032x}"))));
        }
        let root = graph.object(properties);
        graph.set_root(root);
        let bytes = Encoder::new(&graph, &EncodeOptions::new()).finish()?;
        if bytes.len() > super::header::MAX_METADATA {
            return Err(Error::new(ErrorKind::LimitExceeded, "more than 1 MiB of metadata"));
        }
        Ok(bytes)
    }

    /// Properties of other names are passed over: a later version may add some.
    pub(super) fn from_bytes(bytes: &[u8]) -> Result<Self, Error> {
        if bytes.is_empty() {
            return Ok(Metadata::default());
        }
        let graph = decode(bytes, &DecodeOptions::new())?;
        let root = graph.root();
        let application = root.get("application").and_then(|name| name.as_str());
        let schema_version = root.get("schemaVersion").and_then(|version| version.as_i64());
        let time = root.get("time").and_then(|time| time.date()).filter(|ms| !ms.is_nan());
        Ok(Metadata {
            application: application.map(str::to_owned),
            schema_version: schema_version.and_then(|version| u32::try_from(version).ok()),
            time: time.map(|ms| ms as i64),
            number: None,
        })
    }
}

/// What a Date can hold.
const MAX_TIME: i64 = 8_640_000_000_000_000;

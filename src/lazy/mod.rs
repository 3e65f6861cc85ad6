//! Reading a part of a message without reading the rest: by path, by index, by name (`spec/format.md`, section 14).
//!
//! Knows messages in memory, a mapped file among them, and nothing of files. Everything is looked up as it is asked for;
//! what is not touched may be damaged without being noticed, and what is touched is checked as decoding checks it.

mod cursor;
mod extract;
mod read;
mod record;
mod values;

use std::fmt;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use elsa::sync::FrozenVec;

pub use cursor::LazyCursor;
pub use values::LazyProperty;

use crate::codec::{Head, Scan, TextHead, add_index, read_shapes};
use crate::error::{Error, ErrorKind, Fault};
use crate::graph::Shapes;
use crate::wire::index::{Index, Position};
use crate::wire::{Reader, Sections};

/// A message of which only what is asked for is read.
///
/// `B` holds its bytes: a slice, a vector, a mapped file. Opening reads the head and the shapes; the cost does not depend
/// on the size of the message. With an index ([`EncodeOptions::index`](crate::EncodeOptions::index)) reading a value
/// touches a few KiB; without one it reads over what stands before it, in the structure only.
///
/// What is read is checked; the index itself is believed, as any other byte of whoever wrote the message. Bytes from those
/// who are not trusted are checked first with [`DecodeOptions::verify_index`](crate::DecodeOptions::verify_index), if it
/// matters that their parts are those of the whole.
///
/// # Examples
///
/// ```
/// use marshal::{EncodeOptions, Lazy, Marshal, js};
///
/// let state = js!({ title: "players", users: [{ name: "Ada" }, { name: "Grace" }] });
/// let bytes = Marshal::encode_with(&state, &EncodeOptions::new().index(true))?;
/// let lazy = Lazy::new(&bytes)?;
/// let name = lazy.root()?.get("users")?.at(1)?.get("name")?;
/// assert_eq!(name.as_str(), Some("Grace"));
/// assert_eq!(lazy.root()?.get("users")?.at(0)?.to_graph()?, js!({ name: "Ada" }));
/// assert!(lazy.root()?.get("nobody").unwrap_err().is_not_found());
/// # Ok::<(), marshal::Error>(())
/// ```
pub struct Lazy<B> {
    bytes: B,
    layout: Layout,
    shapes: Arc<Shapes>,
    /// Strings that the message holds in another form than they are lent in.
    texts: FrozenVec<String>,
    /// Magnitudes of BigInts that stand in records.
    numbers: FrozenVec<Box<[u8]>>,
    /// Where strings with an id are defined, for a message without an index.
    strings: OnceLock<Vec<Position>>,
    guard: Option<Box<dyn Guard>>,
}

/// Where the sections lie.
#[derive(Clone)]
struct Layout {
    shapes: Range<usize>,
    structure: Range<usize>,
    text: Range<usize>,
    data: Range<usize>,
    index: Range<usize>,
    refs: bool,
}

/// Is asked before bytes are believed.
pub(crate) trait Guard: Send + Sync {
    /// Whether these bytes of the message are those that were saved.
    fn check(&self, message: &[u8], range: Range<usize>) -> Result<(), Error>;
}

impl<B: AsRef<[u8]>> fmt::Debug for Lazy<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (len, index) = (self.bytes.as_ref().len(), self.has_index());
        f.debug_struct("Lazy").field("bytes", &len).field("index", &index).finish_non_exhaustive()
    }
}

impl<B: AsRef<[u8]>> Lazy<B> {
    /// Opens a message. Reads its head and its shapes.
    ///
    /// # Errors
    ///
    /// What is wrong with those.
    pub fn new(bytes: B) -> Result<Self, Error> {
        Self::guarded(bytes, None)
    }

    pub(crate) fn guarded(bytes: B, guard: Option<Box<dyn Guard>>) -> Result<Self, Error> {
        let message = bytes.as_ref();
        let check = |range: Range<usize>| match &guard {
            Some(guard) => guard.check(message, range),
            None => Ok(()),
        };
        check(0..message.len().min(MAX_HEAD))?;
        let sections = Sections::read(message)?;
        if sections.end != message.len() {
            return Err(Fault::new(ErrorKind::TrailingBytes, sections.end).into());
        }
        let span = |reader: &Reader<'_>| reader.offset()..reader.offset() + reader.remaining();
        let layout = Layout {
            shapes: span(&sections.shapes),
            structure: span(&sections.structure),
            text: sections.text_at..sections.text_at + sections.text.len(),
            data: sections.data_at..sections.data_at + sections.data.len(),
            index: sections.index_at..sections.index_at + sections.index.len(),
            refs: sections.refs,
        };
        check(layout.shapes.clone())?;
        let shapes = read_shapes(&sections.shapes)?;
        if !layout.index.is_empty() {
            check(layout.index.start..layout.index.end.min(layout.index.start + MAX_HEAD))?;
            Index::read(sections.index, layout.index.start)?;
        }
        Ok(Lazy {
            bytes,
            layout,
            shapes,
            texts: FrozenVec::new(),
            numbers: FrozenVec::new(),
            strings: OnceLock::new(),
            guard,
        })
    }

    /// The bytes, of which more may be there than before.
    #[cfg(feature = "remote")]
    pub(crate) fn bytes_mut(&mut self) -> &mut B {
        &mut self.bytes
    }

    /// A cursor on the root.
    ///
    /// # Errors
    ///
    /// What is wrong with the root's first bytes.
    pub fn root(&self) -> Result<LazyCursor<'_>, Error> {
        self.view()?.cursor(Position::default())
    }

    /// A cursor on the value that was [named](crate::EncodeOptions::entry) when the message was encoded.
    ///
    /// # Errors
    ///
    /// `not-found` where there is no such entry.
    pub fn entry(&self, name: &str) -> Result<LazyCursor<'_>, Error> {
        let view = self.view()?;
        let position = match view.index {
            Some(index) => index.entry(name, |place| view.check(&view.layout.index, place))?,
            None => None,
        };
        let position = position
            .ok_or_else(|| Error::new(ErrorKind::NotFound, format!("the message has no entry named {name:?}")))?;
        view.entry(position)
    }

    /// The names of all entries, in order.
    ///
    /// # Errors
    ///
    /// `bad-index` where one is not UTF-8.
    pub fn entries(&self) -> Result<Vec<&str>, Error> {
        let view = self.view()?;
        let Some(index) = view.index else { return Ok(Vec::new()) };
        index.entries_places().into_iter().try_for_each(|place| view.check(&view.layout.index, place))?;
        let bad = |_| Fault::new(ErrorKind::BadIndex, self.layout.index.start).into();
        index.entries().map(|(name, _)| std::str::from_utf8(name).map_err(bad)).collect()
    }

    /// The message with an index in which these objects are named, in place of any that it has. So a message of any encoder
    /// gets one: [`to_vec`](crate::to_vec), [`Marshal::encode_with_classes`](crate::Marshal::encode_with_classes), another
    /// language.
    ///
    /// # Examples
    ///
    /// ```
    /// use marshal::{Lazy, Marshal, js};
    ///
    /// let bytes = Marshal::encode(&js!({ users: [{ name: "Ada" }], volume: { left: 7 } }))?;
    /// let lazy = Lazy::new(&bytes)?;
    /// let bytes = lazy.with_index([("volume", lazy.root()?.get("volume")?)])?;
    /// assert_eq!(Marshal::read_from_index(&bytes, "volume")?, js!({ left: 7 }));
    /// # Ok::<(), marshal::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// `unknown-value` for what is no object or of another message, `shared-base` for the base of a derived instance,
    /// `duplicate-key` for a name that stands twice; what is wrong with the structure.
    pub fn with_index<'l, N: Into<String>>(
        &'l self,
        entries: impl IntoIterator<Item = (N, LazyCursor<'l>)>,
    ) -> Result<Vec<u8>, Error> {
        let view = self.view()?;
        let mut named = Vec::new();
        for (name, cursor) in entries {
            let name = name.into();
            match cursor.id().filter(|_| std::ptr::eq(cursor.view.message, view.message)) {
                Some(identity) => named.push((name, identity)),
                None => {
                    let detail = format!("entry {name:?} is no object of this message");
                    return Err(Error::new(ErrorKind::UnknownValue, detail));
                }
            }
        }
        if let Some(guard) = view.guard {
            guard.check(view.message, 0..view.message.len())?;
        }
        let mut message = view.message.to_vec();
        add_index(&mut message, 0, named)?;
        Ok(message)
    }

    /// Whether the message has an index.
    pub fn has_index(&self) -> bool {
        !self.layout.index.is_empty()
    }

    fn view(&self) -> Result<View<'_>, Error> {
        let message = self.bytes.as_ref();
        let layout = &self.layout;
        // A mapped file may have become shorter; the map has not.
        let cut = |range: &Range<usize>| message.get(range.clone()).unwrap_or_default();
        let index = match layout.index.is_empty() {
            true => None,
            false => Some(Index::read(cut(&layout.index), layout.index.start)?),
        };
        Ok(View {
            message,
            structure: cut(&layout.structure),
            text: cut(&layout.text),
            data: cut(&layout.data),
            index,
            layout,
            shapes: &self.shapes,
            texts: &self.texts,
            numbers: &self.numbers,
            strings: &self.strings,
            guard: self.guard.as_deref(),
        })
    }
}

/// Magic, version, flags and the lengths of five sections; the head of an index.
const MAX_HEAD: usize = 64;

/// The structure is checked this far ahead, so that the guard is not asked for each byte. Half of it is more than any
/// item takes, but for the bytes of a BigInt.
const AHEAD: usize = if cfg!(fuzzing) { 256 } else { 1 << 14 };

/// A message as cursors see it.
#[derive(Clone, Copy)]
struct View<'l> {
    message: &'l [u8],
    structure: &'l [u8],
    text: &'l [u8],
    data: &'l [u8],
    index: Option<Index<'l>>,
    layout: &'l Layout,
    shapes: &'l Arc<Shapes>,
    texts: &'l FrozenVec<String>,
    numbers: &'l FrozenVec<Box<[u8]>>,
    strings: &'l OnceLock<Vec<Position>>,
    guard: Option<&'l dyn Guard>,
}

impl<'l> View<'l> {
    fn check(&self, section: &Range<usize>, range: Range<usize>) -> Result<(), Error> {
        match self.guard {
            Some(guard) => guard.check(self.message, section.start + range.start..section.start + range.end),
            None => Ok(()),
        }
    }

    fn scan(&self) -> Scan<'l> {
        let base = self.layout.structure.start;
        let reader = Reader::new(self.structure, base);
        Scan::new(reader, base, self.text.len(), self.data.len(), self.layout.refs, self.shapes)
    }

    fn scan_at(&self, position: Position) -> Result<Scan<'l>, Error> {
        let mut scan = self.scan();
        scan.go_to(position)?;
        Ok(scan)
    }

    /// Reads the item at the scan, after the bytes of it have been checked.
    fn head(&self, scan: &mut Scan<'l>) -> Result<Head, Error> {
        self.check_ahead(scan, 0)?;
        Ok(scan.head()?)
    }

    /// Checks the structure from the scan on, and the BigInt that may stand there of `len` bytes.
    fn check_ahead(&self, scan: &Scan<'l>, len: usize) -> Result<(), Error> {
        let start = scan.position().structure as usize;
        let end = start.saturating_add(len.max(AHEAD)).min(self.structure.len());
        self.check(&self.layout.structure, start..end)
    }

    /// Reads over `n` values. The structure is checked as it is read.
    fn skip(&self, scan: &mut Scan<'l>, n: u64) -> Result<(), Error> {
        scan.skip(n, |at| {
            let end = self.structure.len().min(at as usize + AHEAD);
            self.check(&self.layout.structure, (at as usize).min(end)..end)?;
            Ok(at + AHEAD as u64 / 2)
        })
    }

    fn walk(
        &self,
        scan: &mut Scan<'l>,
        mut visit: impl FnMut(&Scan<'l>, Position, &Head) -> Result<bool, Error>,
    ) -> Result<bool, Error> {
        self.check_ahead(scan, 0)?;
        let mut checked = scan.position().structure + AHEAD as u64 / 2;
        let mut failed = None;
        let walked = scan.walk(|scan, position, head| {
            let mut step = || {
                if scan.position().structure >= checked {
                    self.check(
                        &self.layout.structure,
                        (checked as usize).min(self.structure.len())
                            ..(scan.position().structure as usize + AHEAD).min(self.structure.len()),
                    )?;
                    checked = scan.position().structure + AHEAD as u64 / 2;
                }
                visit(scan, position, head)
            };
            match step() {
                Ok(goes_on) => Ok(goes_on),
                Err(error) => {
                    failed = Some(error);
                    Ok(false)
                }
            }
        });
        match failed {
            Some(error) => Err(error),
            None => Ok(walked?),
        }
    }

    /// Where the item stands that takes this identity, and which of the two of a typed array or view it is.
    fn resolve(&self, identity: u64) -> Result<Position, Error> {
        let bad = || Error::new(ErrorKind::BadReference, format!("no value has the identity {identity}"));
        if let Some(index) = self.index {
            let found = index.reference(identity, |place| self.check(&self.layout.index, place))?;
            return found.ok_or_else(|| self.bad_index());
        }
        let mut found = None;
        let mut scan = self.scan();
        self.walk(&mut scan, |scan, position, _| {
            if scan.position().identity > identity {
                found = Some(position);
            }
            Ok(found.is_none())
        })?;
        found.ok_or_else(bad)
    }

    /// The string with this id, of which the item at `at` makes use.
    fn interned(&self, id: u64, at: Position) -> Result<TextHead, Error> {
        let unknown = || self.fault(ErrorKind::UnknownString, at);
        if id >= at.strings {
            return Err(unknown());
        }
        let position = match &self.index {
            Some(index) => {
                let found = index.string(id, |place| self.check(&self.layout.index, place))?;
                found.filter(|position| position.strings == id && position.is_before(at))
            }
            None => {
                let strings = match self.strings.get() {
                    Some(strings) => strings,
                    None => {
                        let mut strings = Vec::new();
                        self.walk(&mut self.scan(), |scan, position, _| {
                            // A RegExp's source may define one too: its position is the RegExp's.
                            strings.resize(scan.position().strings as usize, position);
                            Ok(true)
                        })?;
                        self.strings.get_or_init(|| strings)
                    }
                };
                let position = usize::try_from(id).ok().and_then(|id| strings.get(id)).copied();
                Some(position.ok_or_else(unknown)?)
            }
        };
        let position = position.ok_or_else(|| self.bad_index())?;
        match self.head(&mut self.scan_at(position)?)? {
            Head::Text(text) | Head::RegExp { source: text, .. } if text.interns() => Ok(text),
            _ => Err(self.fault(ErrorKind::BadIndex, position)),
        }
    }
}

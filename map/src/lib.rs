//! A file mapped for reading.
//!
//! `js-marshal` forbids unsafe code, and creating a map is unsafe in every crate that has maps: the file may change while
//! it is lent as a slice. So that one call stands here, with what it relies on.

use std::fs::File;
use std::io;

/// The bytes of a file, read from disk as they are touched.
///
/// # What the file must not do
///
/// While it is mapped the file must keep its length and its bytes. A file that is *replaced*, by renaming another over
/// it, is a new file: the map keeps the old one, whole. That is how snapshots are saved. A file that is *rewritten in
/// place* changes under the map, and one that is *truncated* ends the process with SIGBUS where bytes are touched that
/// are no longer there (on Windows truncating a mapped file fails). Map no file that others write in place; read it into
/// memory instead.
///
/// # Examples
///
/// ```
/// use js_marshal_map::Map;
///
/// let dir = tempfile::tempdir()?;
/// let path = dir.path().join("file");
/// std::fs::write(&path, "some bytes")?;
/// let map = Map::of(&std::fs::File::open(&path)?)?;
/// assert_eq!(map.as_ref(), b"some bytes");
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct Map(memmap2::Mmap);

impl Map {
    /// Maps all of a regular file.
    ///
    /// # Errors
    ///
    /// Those of the operating system; for what is no regular file, whose bytes may change by themselves.
    pub fn of(file: &File) -> io::Result<Map> {
        if !file.metadata()?.is_file() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "only a regular file can be mapped"));
        }
        // SAFETY: `Mmap::map` asks that the file is not changed while it is mapped. No program can make sure of that for a
        // file that others may open; what can be done is done: the map is read-only, so nothing changes through it; the
        // file is a regular one; and the type's contract, above, is that it is replaced and not rewritten. Where that is
        // broken all the same, bytes change or a signal ends the process. Readers of the map check UTF-8, lengths and
        // offsets of what they read, when they read it, and keep no pointers that they read from it, so a change seen
        // later can give wrong text or values, and no access outside of the map.
        let map = unsafe { memmap2::Mmap::map(file) }?;
        Ok(Map(map))
    }
}

impl AsRef<[u8]> for Map {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_replaced_stays_as_it_was() {
        let dir = tempfile::tempdir().unwrap();
        let (path, other) = (dir.path().join("file"), dir.path().join("other"));
        std::fs::write(&path, vec![7; 100_000]).unwrap();
        let map = Map::of(&File::open(&path).unwrap()).unwrap();
        std::fs::write(&other, "new").unwrap();
        std::fs::rename(&other, &path).unwrap();
        assert_eq!(map.as_ref(), vec![7; 100_000]);
        std::fs::remove_file(&path).unwrap();
        assert_eq!(map.as_ref()[99_999], 7);
    }

    #[test]
    fn what_is_no_file_is_refused_and_an_empty_file_is_empty() {
        let dir = tempfile::tempdir().unwrap();
        if let Ok(directory) = File::open(dir.path()) {
            assert!(Map::of(&directory).is_err());
        }
        let path = dir.path().join("empty");
        std::fs::write(&path, "").unwrap();
        assert_eq!(Map::of(&File::open(&path).unwrap()).unwrap().as_ref(), b"");
    }
}

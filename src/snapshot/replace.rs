//! Replacing a file so that readers see the old one or the new one, whatever happens in between.
//!
//! Knows files and no snapshots. The order of steps is what the guarantee rests on:
//!
//! 1. the symbolic link is resolved, so that its target is replaced and not the link;
//! 2. a temporary file is created in the target's directory (exclusive, closed on exec, named `.NAME.….marshal-tmp`) and
//!    locked, so that others can tell it from what a killed process left;
//! 3. everything is written, mode and owner are made those of the old file (best effort), the data is synced;
//! 4. older generations are renamed, the current file is linked as the newest of them;
//! 5. the temporary file is renamed over the target, and the directory is synced.
//!
//! The `tempfile` crate creates, renames, and removes after a failure; it does not sync, follow links, keep modes or
//! sweep, so that is done here. A failed sync is not repeated: the kernel may have dropped what it could not write.

use std::fs::{self, File};
use std::io::{self, Seek, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use super::options::Sync;
use crate::error::{Error, ErrorKind};

/// What can fail, each at its place in the order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    Resolve,
    Create,
    Lock,
    Write,
    Sync,
    KeepGeneration,
    Rename,
    SyncDirectory,
}

impl Step {
    /// As it stands in "could not … PATH".
    fn name(self) -> &'static str {
        match self {
            Step::Resolve => "look up",
            Step::Create => "create a temporary file beside",
            Step::Lock => "lock the temporary file for",
            Step::Write => "write the temporary file for",
            Step::Sync => "sync the temporary file for",
            Step::KeepGeneration => "keep the older generation of",
            Step::Rename => "rename the temporary file to",
            Step::SyncDirectory => "sync the directory of",
        }
    }
}

/// Is asked before each step, and may refuse it as a disk would.
pub(super) trait Watch {
    fn before(&mut self, step: Step) -> io::Result<()>;
}

/// Nothing but the operating system refuses steps.
pub(super) struct Undisturbed;

impl Watch for Undisturbed {
    fn before(&mut self, _: Step) -> io::Result<()> {
        Ok(())
    }
}

pub(super) trait WriteSeek: Write + Seek {}

impl<T: Write + Seek> WriteSeek for T {}

/// Replaces the file at `path` by what `write` writes. After an error the file is as it was, unless the error is
/// `not-durable`.
pub(super) fn replace(
    path: &Path,
    sync: Sync,
    generations: u32,
    watch: &mut dyn Watch,
    write: impl FnOnce(&mut dyn WriteSeek) -> io::Result<()>,
) -> Result<(), Error> {
    let mut doing = Doing { path, watch };
    let target = doing.step(Step::Resolve, || resolve(path))?;
    let name = target.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let directory = match target.parent() {
        Some(parent) if parent != Path::new("") => parent,
        _ => Path::new("."),
    };
    let old = doing.step(Step::Resolve, || match fs::metadata(&target) {
        Ok(old) if old.is_file() => Ok(Some(old)),
        Ok(_) => Err(io::Error::other("it is there and no regular file")),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    })?;
    sweep(directory, &name);
    let mut temporary = doing.create(directory, &name, old.is_some())?;

    let mut watched = Watched { out: temporary.as_file_mut(), watch: &mut *doing.watch };
    let written = write(&mut watched);
    written.map_err(|error| doing.failed(Step::Write, error))?;
    if let Some(old) = &old {
        keep_owner_and_mode(temporary.as_file(), old);
    }
    if sync != Sync::None {
        doing.step(Step::Sync, || temporary.as_file().sync_all())?;
    }
    if generations > 0 && old.is_some() {
        doing.step(Step::KeepGeneration, || keep_generations(&target, generations))?;
    }
    doing.step(Step::Rename, || temporary.persist(&target).map(drop).map_err(|error| error.error))?;
    if sync == Sync::Full {
        doing.step(Step::SyncDirectory, || sync_directory(directory))?;
    }
    Ok(())
}

/// The path of generation `index` of the snapshot at `path`; 0 is the newest.
pub(super) fn generation(path: &Path, index: u32) -> PathBuf {
    if index == 0 {
        return path.to_owned();
    }
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{index}"));
    name.into()
}

struct Doing<'p, 'w> {
    path: &'p Path,
    watch: &'w mut dyn Watch,
}

impl Doing<'_, '_> {
    fn step<T>(&mut self, step: Step, act: impl FnOnce() -> io::Result<T>) -> Result<T, Error> {
        self.watch.before(step).and_then(|()| act()).map_err(|error| self.failed(step, error))
    }

    fn failed(&self, step: Step, error: io::Error) -> Error {
        let kind = if step == Step::SyncDirectory { ErrorKind::NotDurable } else { ErrorKind::Io };
        match error.downcast::<Error>() {
            Ok(own) => own,
            Err(error) => Error::io(kind, step.name(), self.path, &error),
        }
    }

    /// A temporary file that is locked and has not been swept in between.
    fn create(&mut self, directory: &Path, name: &str, replaces: bool) -> Result<NamedTempFile, Error> {
        loop {
            let mut builder = tempfile::Builder::new();
            let (prefix, suffix) = (format!(".{name}."), SUFFIX);
            builder.prefix(&prefix).suffix(suffix).rand_bytes(12);
            #[cfg(unix)]
            if !replaces {
                use std::os::unix::fs::PermissionsExt;
                // What File::create asks for. One that replaces another is private until it has that one's mode.
                builder.permissions(fs::Permissions::from_mode(0o666));
            }
            let _ = replaces;
            let file = self.step(Step::Create, || builder.tempfile_in(directory))?;
            self.step(Step::Lock, || {
                // Where the file system has no locks, others sweep nothing either.
                let _ = fs4::FileExt::try_lock(file.as_file());
                Ok(())
            })?;
            // Another process may have swept it before it was locked.
            if file.path().try_exists().unwrap_or(true) {
                return Ok(file);
            }
        }
    }
}

/// Passes each write by the watch.
struct Watched<'a> {
    out: &'a mut File,
    watch: &'a mut dyn Watch,
}

impl Write for Watched<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.watch.before(Step::Write)?;
        self.out.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

impl Seek for Watched<'_> {
    fn seek(&mut self, to: io::SeekFrom) -> io::Result<u64> {
        self.out.seek(to)
    }
}

const SUFFIX: &str = ".marshal-tmp";

/// What symbolic links at `path` lead to, also where that does not exist yet.
fn resolve(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_owned();
    for _ in 0..MAX_LINKS {
        match fs::symlink_metadata(&path) {
            Ok(metadata) if metadata.is_symlink() => {
                let target = fs::read_link(&path)?;
                path = path.parent().unwrap_or(Path::new("")).join(target);
            }
            Ok(_) => return Ok(path),
            Err(error) if error.kind() == io::ErrorKind::NotFound && path.file_name().is_some() => return Ok(path),
            Err(error) => return Err(error),
        }
    }
    Err(io::Error::other("too many symbolic links"))
}

const MAX_LINKS: usize = 40;

/// Removes what killed processes left of earlier saves of `name`: temporary files that nobody has locked.
fn sweep(directory: &Path, name: &str) {
    let Ok(entries) = fs::read_dir(directory) else { return };
    let prefix = format!(".{name}.");
    for entry in entries.flatten() {
        let file_name = entry.file_name();
        let is_temporary = file_name.to_str().is_some_and(|own| own.starts_with(&prefix) && own.ends_with(SUFFIX));
        if is_temporary
            && let Ok(file) = File::open(entry.path())
            && fs4::FileExt::try_lock(&file).is_ok()
        {
            // One that cannot be removed is left to the next save.
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Best effort: where it fails, the file keeps the private mode that it was created with.
fn keep_owner_and_mode(file: &File, old: &fs::Metadata) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::{MetadataExt, fchown};
        if let Ok(new) = file.metadata()
            && (new.uid(), new.gid()) != (old.uid(), old.gid())
        {
            let _ = fchown(file, Some(old.uid()), Some(old.gid()));
        }
    }
    let _ = file.set_permissions(old.permissions());
}

/// `NAME` becomes `NAME.1`, `NAME.1` becomes `NAME.2`, up to `count`. `NAME` itself stays in its place meanwhile.
fn keep_generations(path: &Path, count: u32) -> io::Result<()> {
    let newest = generation(path, 1);
    if is_same_file(path, &newest) {
        // An earlier save came as far as this and failed behind it.
        return Ok(());
    }
    for index in (1..count).rev() {
        ignore(fs::rename(generation(path, index), generation(path, index + 1)), io::ErrorKind::NotFound)?;
    }
    if count == 1 {
        ignore(fs::remove_file(&newest), io::ErrorKind::NotFound)?;
    }
    match fs::hard_link(path, &newest) {
        Ok(()) => Ok(()),
        // Another process keeps the same one at this moment.
        Err(error) if matches!(error.kind(), io::ErrorKind::AlreadyExists | io::ErrorKind::NotFound) => Ok(()),
        // A file system without links.
        Err(_) => fs::copy(path, &newest).map(drop),
    }
}

fn ignore(result: io::Result<()>, expected: io::ErrorKind) -> io::Result<()> {
    result.or_else(|error| if error.kind() == expected { Ok(()) } else { Err(error) })
}

#[cfg(unix)]
fn is_same_file(a: &Path, b: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let identity = |path| fs::metadata(path).ok().map(|metadata| (metadata.dev(), metadata.ino()));
    identity(a).is_some() && identity(a) == identity(b)
}

#[cfg(not(unix))]
fn is_same_file(_: &Path, _: &Path) -> bool {
    false
}

/// On Windows a rename is durable with the file's own sync, and directories can't be opened.
fn sync_directory(directory: &Path) -> io::Result<()> {
    if cfg!(unix) { File::open(directory)?.sync_all() } else { Ok(()) }
}

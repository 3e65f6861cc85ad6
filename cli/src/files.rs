//! Reading input whole; writing output so that nobody ever sees half of it.

use std::fs::{self, File};
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::failure::Failure;
use crate::progress::Progress;

/// All bytes of a file, or of standard input for `-`.
pub(crate) fn read(file: &Path) -> Result<Vec<u8>, Failure> {
    let failed = |error| Failure::io(file, "read", error);
    let (mut reader, len): (Box<dyn Read>, Option<u64>) = if file.as_os_str() == "-" {
        (Box::new(io::stdin().lock()), None)
    } else {
        let open = File::open(file).map_err(failed)?;
        let len = open.metadata().ok().filter(fs::Metadata::is_file).map(|metadata| metadata.len());
        (Box::new(open), len)
    };
    let mut bytes = Vec::with_capacity(len.and_then(|len| usize::try_from(len).ok()).unwrap_or(0));
    let mut progress = Progress::new("reading", len);
    // A slice at a time, so that there is progress to show.
    while reader.by_ref().take(4 << 20).read_to_end(&mut bytes).map_err(failed)? > 0 {
        progress.at(bytes.len() as u64);
    }
    Ok(bytes)
}

/// Where output goes: standard output, or a file that appears when all is written.
pub(crate) enum Output {
    Standard(BufWriter<io::StdoutLock<'static>>),
    /// Something that can't be replaced: a device, a pipe.
    Special(BufWriter<File>, PathBuf),
    Replace {
        temporary: BufWriter<NamedTempFile>,
        target: PathBuf,
    },
}

const BUFFER: usize = 1 << 16;

impl Output {
    /// The file that `-o` names; standard output for `-` and without it.
    pub(crate) fn open(file: Option<&Path>) -> Result<Self, Failure> {
        let Some(file) = file.filter(|file| file.as_os_str() != "-") else {
            return Ok(Output::Standard(BufWriter::with_capacity(BUFFER, io::stdout().lock())));
        };
        let failed = |error| Failure::io(file, "write", error);
        // What a link points to is replaced, not the link.
        let target = fs::canonicalize(file).unwrap_or_else(|_| file.to_owned());
        let old = fs::metadata(&target).ok();
        if old.as_ref().is_some_and(|old| !old.is_file() && !old.is_dir()) {
            let special = File::options().write(true).open(&target).map_err(failed)?;
            return Ok(Output::Special(BufWriter::with_capacity(BUFFER, special), target));
        }
        if old.as_ref().is_some_and(fs::Metadata::is_dir) {
            return Err(failed(io::ErrorKind::IsADirectory.into()));
        }
        let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let temporary = temporary(folder, &target).map_err(failed)?;
        if let Some(old) = old {
            // Best effort: some file systems have none.
            let _ = temporary.as_file().set_permissions(old.permissions());
        }
        Ok(Output::Replace { temporary: BufWriter::with_capacity(BUFFER, temporary), target })
    }

    /// What messages call it.
    pub(crate) fn path(&self) -> &Path {
        match self {
            Output::Standard(_) => Path::new("standard output"),
            Output::Special(_, target) | Output::Replace { target, .. } => target,
        }
    }

    /// Completes the output. Until then a file is as it was before.
    pub(crate) fn finish(self) -> Result<(), Failure> {
        let path = self.path().to_owned();
        let failed = |error: io::Error| Failure::io(&path, "write", error);
        match self {
            Output::Standard(mut out) => out.flush().map_err(failed),
            Output::Special(mut out, _) => out.flush().map_err(failed),
            Output::Replace { temporary, target } => {
                let temporary = temporary.into_inner().map_err(|error| failed(error.into_error()))?;
                // Renamed before its bytes are on disk, a power cut could leave an empty file in place of the old one.
                temporary.as_file().sync_all().map_err(failed)?;
                temporary.persist(&target).map_err(|error| failed(error.error))?;
                Ok(())
            }
        }
    }
}

/// A temporary file beside the target. It is named and locked as those of [`marshal::Snapshot::save`], so whoever writes
/// the target next tells it from what a killed process left, and removes that.
fn temporary(folder: &Path, target: &Path) -> io::Result<NamedTempFile> {
    let name = target.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
    let prefix = format!(".{name}.");
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let is_temporary =
            entry.file_name().to_str().is_some_and(|own| own.starts_with(&prefix) && own.ends_with(SUFFIX));
        if is_temporary && File::open(entry.path()).is_ok_and(|file| fs4::FileExt::try_lock(&file).is_ok()) {
            // One that can't be removed is left to the next.
            let _ = fs::remove_file(entry.path());
        }
    }
    let mut builder = tempfile::Builder::new();
    builder.prefix(&prefix).suffix(SUFFIX);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // As a file that the shell creates; the umask takes its part.
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    loop {
        let file = builder.tempfile_in(folder)?;
        // Where the file system has no locks, nobody removes anything either.
        let _ = fs4::FileExt::try_lock(file.as_file());
        // Another process may have removed it before it was locked.
        if file.path().try_exists().unwrap_or(true) {
            return Ok(file);
        }
    }
}

const SUFFIX: &str = ".marshal-tmp";

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Output::Standard(out) => out.write(bytes),
            Output::Special(out, _) => out.write(bytes),
            Output::Replace { temporary, .. } => temporary.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Output::Standard(out) => out.flush(),
            Output::Special(out, _) => out.flush(),
            Output::Replace { temporary, .. } => temporary.flush(),
        }
    }
}

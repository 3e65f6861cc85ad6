//! What went wrong with which file, and what to do about it.

use std::fmt;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anstyle::{AnsiColor, Style};
use marshal::Error;

/// A command that did not do what it should.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The reader of our output has gone: nobody to tell.
    BrokenPipe,
    /// What was wrong has been said.
    Reported,
    Usage(String),
    File {
        file: PathBuf,
        what: String,
        hint: Option<&'static str>,
    },
}

impl Failure {
    pub(crate) fn usage(what: impl Into<String>) -> Self {
        Failure::Usage(what.into())
    }

    /// Reading or writing failed.
    pub(crate) fn io(file: &Path, doing: &str, error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe {
            return Failure::BrokenPipe;
        }
        Failure::File { file: file.into(), what: format!("can't {doing}: {error}"), hint: None }
    }

    /// The library refused a value or its bytes.
    pub(crate) fn value(file: &Path, error: &Error, hint: Option<&'static str>) -> Self {
        Failure::File { file: file.into(), what: error.to_string(), hint }
    }

    /// Says what was wrong, on standard error.
    pub(crate) fn report(self) -> ExitCode {
        let code = match self {
            Failure::BrokenPipe => return ExitCode::SUCCESS,
            Failure::Reported => return ExitCode::from(1),
            Failure::Usage(_) => 2,
            Failure::File { .. } => 1,
        };
        let bold = Style::new().bold();
        let red = bold.fg_color(Some(AnsiColor::Red.into()));
        // Where standard error is closed there is nobody to tell.
        let _ = writeln!(anstream::stderr(), "{red}error:{red:#} {self}");
        ExitCode::from(code)
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::BrokenPipe | Failure::Reported => Ok(()),
            Failure::Usage(what) => f.write_str(what),
            Failure::File { file, what, hint } => {
                write!(f, "{}: {what}", name(file))?;
                hint.map_or(Ok(()), |hint| write!(f, "\n  hint: {hint}"))
            }
        }
    }
}

/// How a file is called in messages.
pub(crate) fn name(file: &Path) -> String {
    if file.as_os_str() == "-" { "standard input".into() } else { file.display().to_string() }
}

/// What bytes that should be a message may be instead.
pub(crate) fn hint_for_no_message(bytes: &[u8]) -> Option<&'static str> {
    // The record with the version begins at byte 4 and is always as long.
    let is_archive = bytes.get(4) == Some(&18) && bytes.get(20..25) == Some(b"0.2.0");
    let text = bytes.trim_ascii_start();
    match text.first() {
        _ if is_archive => Some("this looks like an archive of the original library; marshal import reads those"),
        Some(b'{' | b'[' | b'"') => Some("this looks like JSON; marshal encode makes a message of it"),
        _ => None,
    }
}

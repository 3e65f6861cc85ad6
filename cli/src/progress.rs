//! Progress on standard error: only on a terminal, and only for work that lasts.

use std::io::{self, IsTerminal};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Work that takes less than this shows nothing.
const PATIENCE: Duration = Duration::from_millis(500);

/// Work that is under way.
pub(crate) struct Progress {
    what: &'static str,
    /// Bytes to do, if that is known.
    total: Option<u64>,
    start: Instant,
    is_terminal: bool,
    bar: Option<ProgressBar>,
}

impl Progress {
    pub(crate) fn new(what: &'static str, total: Option<u64>) -> Self {
        let is_terminal = io::stderr().is_terminal();
        Progress { what, total, start: Instant::now(), is_terminal, bar: None }
    }

    /// Shows that `bytes` are done. Cheap enough for each slice of work.
    pub(crate) fn at(&mut self, bytes: u64) {
        if !self.is_terminal || (self.bar.is_none() && self.start.elapsed() < PATIENCE) {
            return;
        }
        self.bar.get_or_insert_with(|| bar(self.what, self.total)).set_position(bytes);
    }

    /// The same where it is not known how much is done.
    pub(crate) fn tick(&mut self) {
        if self.is_terminal && self.start.elapsed() >= PATIENCE {
            self.bar.get_or_insert_with(|| bar(self.what, None)).tick();
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

fn bar(what: &'static str, total: Option<u64>) -> ProgressBar {
    let template = match total {
        Some(_) => "{msg:>10} {bar:40} {bytes}/{total_bytes} {bytes_per_sec} {eta}",
        None => "{msg:>10} {spinner} {elapsed}",
    };
    let bar = ProgressBar::with_draw_target(total, ProgressDrawTarget::stderr_with_hz(10)).with_message(what);
    match ProgressStyle::with_template(template) {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}

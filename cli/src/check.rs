//! `check`: one line a file.

use std::io::Write;
use std::path::Path;
use std::time::Instant;

use marshal::{DecodeOptions, Marshal};

use crate::Outcome;
use crate::args::Check;
use crate::failure::{Failure, hint_for_no_message, name};
use crate::files::{self, Output};

pub(crate) fn check(args: &Check) -> Outcome {
    let mut output = Output::open(None)?;
    let mut all_valid = true;
    for input in &args.inputs {
        let (valid, line) = one(input, args.verbose);
        all_valid &= valid;
        let written = writeln!(output, "{line}").and_then(|()| output.flush());
        written.map_err(|error| Failure::io(output.path(), "write", error))?;
    }
    if all_valid { Ok(()) } else { Err(Failure::Reported) }
}

fn one(input: &Path, verbose: bool) -> (bool, String) {
    let bytes = match files::read(input) {
        Ok(bytes) => bytes,
        Err(failure) => return (false, failure.to_string()),
    };
    let start = Instant::now();
    let result = Marshal::check_with(&bytes, &DecodeOptions::new().verify_index(true));
    let elapsed = start.elapsed().as_secs_f64();
    let mut line = match &result {
        Ok(()) => format!("{}: ok", name(input)),
        Err(error) => {
            let hint = if error.is_unsupported() { hint_for_no_message(&bytes) } else { None };
            let hint = hint.map_or(String::new(), |hint| format!(" ({hint})"));
            format!("{}: {error}{hint}", name(input))
        }
    };
    if verbose {
        let speed = bytes.len() as f64 / elapsed.max(1e-9) / 1e6;
        line.push_str(&format!(", {} bytes, {:.3} ms, {speed:.0} MB/s", bytes.len(), elapsed * 1e3));
    }
    (result.is_ok(), line)
}

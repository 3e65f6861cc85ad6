//! The `marshal` command: reads the arguments, does what they say, and turns a failure into a message and an exit code.

mod args;
mod check;
mod convert;
mod failure;
mod files;
mod inspect;
mod progress;

use std::process::ExitCode;

use clap::Parser;

use args::{Args, Command};
use failure::Failure;

fn main() -> ExitCode {
    let result = match Args::parse().command {
        Command::Encode(args) => convert::encode(&args),
        Command::Decode(args) => convert::decode(&args),
        Command::Import(args) => convert::import(&args),
        Command::Inspect(args) => inspect::inspect(&args),
        Command::Check(args) => check::check(&args),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}

/// What a command gives back.
type Outcome = Result<(), Failure>;

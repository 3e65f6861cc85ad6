//! The `marshal` command: reads the arguments, does what they say, and turns a failure into a message and an exit code.

mod args;
mod check;
mod convert;
mod diff;
mod failure;
mod files;
mod inspect;
mod path;
mod progress;
mod query;
mod sizes;
mod snapshot;

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
        Command::Save(args) => snapshot::save(&args),
        Command::Load(args) => snapshot::load(&args),
        Command::Query(args) => query::query(&args),
        Command::Diff(args) => diff::diff(&args),
        Command::Sizes(args) => sizes::sizes(&args),
        Command::Verify(args) => snapshot::verify(&args),
        Command::Train(args) => snapshot::train(&args),
        Command::Recompress(args) => snapshot::recompress(&args),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}

/// What a command gives back.
type Outcome = Result<(), Failure>;

//! The command line: what can be asked for, and how the answer is to be read.

use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::builder::TypedValueParser;
use clap::error::ErrorKind;
use clap::{CommandFactory, Parser};
use marshal_bench_data::Dataset;

use crate::memory;
use crate::peers::{LIBRARIES, Operation};
use crate::report::Row;
use crate::typed;

/// Measures marshal and its competitors on the same input, in one process.
///
/// For each data set, every library builds its own value and message, and the message is decoded and
/// compared with the source before anything is timed. Then the libraries take turns, one sample of each a
/// round, and the median of each is printed. Machines are noisy: what counts are the ratios of one run.
///
/// Timed: the call alone. The value that a decoder or a clone gives is dropped after the clock has
/// stopped; so is the encoder's message. Encoders write into one Vec that is kept from sample to sample,
/// except those that only hand out a new one (v8_valueserializer, bson). Parsers that write over their
/// input (simd-json) get a copy, made before the clock starts, and keep their scratch buffers. `small` is
/// run 1000 times a sample. `graph` has only the libraries that keep identity.
///
/// With --tsv, each line is: data set, operation, library, median in nanoseconds, bytes of the message.
#[derive(Debug, Parser)]
#[command(max_term_width = 100)]
pub struct Options {
    /// Prints one tab-separated row a measurement, and nothing else
    #[arg(long)]
    pub tsv: bool,

    /// Measures this data set only (repeatable)
    #[arg(long, value_name = "NAME", value_parser = datasets())]
    dataset: Vec<Dataset>,

    /// Measures this operation only (repeatable)
    #[arg(long, value_name = "NAME", value_parser = operations())]
    operation: Vec<Operation>,

    /// Measures this library only (repeatable)
    #[arg(long, value_name = "NAME", value_parser = libraries())]
    library: Vec<String>,

    /// Makes the data sets this many times as large
    #[arg(long, value_name = "FACTOR", default_value_t = 1, value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(1..=1000))]
    pub scale: usize,

    /// How long to measure one operation on one data set, all libraries together (5 rounds at least)
    #[arg(long, default_value_t = 3.0, conflicts_with = "rounds", value_parser = seconds)]
    pub seconds: f64,

    /// How many rounds to measure, however long they take
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..))]
    pub rounds: Option<u32>,

    /// Counts what one decode allocates, instead of timing (needs a build with `--features memory`).
    /// The fourth column is then bytes at the peak, or a count, as the operation's name says
    #[arg(long)]
    pub memory: bool,

    /// Prints the times of dynamic and typed values as the tables of COMPARE.md, with what is missed of what we mean to reach in bold
    #[arg(long, conflicts_with_all = ["memory", "tsv"])]
    pub markdown: bool,

    /// Draws the times as a picture into this file, also
    #[arg(long, value_name = "FILE", conflicts_with = "memory")]
    pub svg: Option<PathBuf>,

    /// Measures nothing: takes the rows that --tsv wrote into this file
    #[arg(long, value_name = "FILE", conflicts_with_all = ["memory", "rounds"])]
    pub from: Option<PathBuf>,

    /// Lists the data sets, operations and libraries
    #[arg(long)]
    pub list: bool,
}

impl Options {
    /// What was asked for; ends the program where that makes no sense, or cannot be had in this build.
    pub fn from_command_line() -> Options {
        let options = Options::parse();
        let misuse = match (options.memory, memory::COUNTED) {
            (true, false) => "this build does not count allocations: add `--features memory` before the `--`",
            (false, true) if !options.list => {
                "this build counts allocations, which distorts times: leave `--features memory` out, or add `--memory`"
            }
            _ => return options,
        };
        Options::command().error(ErrorKind::ArgumentConflict, misuse).exit()
    }

    pub fn datasets(&self) -> Vec<Dataset> {
        all_unless(&self.dataset, &Dataset::ALL)
    }

    pub fn operations(&self) -> Vec<Operation> {
        if self.memory { vec![Operation::Decode] } else { all_unless(&self.operation, &Operation::ALL) }
    }

    /// Whether a row that was measured is of what was asked for.
    pub fn takes(&self, row: &Row) -> bool {
        self.datasets().contains(&row.dataset)
            && self.operations().contains(&row.operation)
            && self.wants(row.result.library)
    }

    pub fn wants(&self, library: &str) -> bool {
        self.library.is_empty() || self.library.iter().any(|wanted| wanted == library)
    }
}

fn all_unless<T: Copy>(asked: &[T], all: &[T]) -> Vec<T> {
    if asked.is_empty() { all.to_vec() } else { asked.to_vec() }
}

fn datasets() -> impl TypedValueParser<Value = Dataset> {
    PossibleValuesParser::new(Dataset::ALL.map(Dataset::name)).try_map(|name: String| name.parse::<Dataset>())
}

fn operations() -> impl TypedValueParser<Value = Operation> {
    PossibleValuesParser::new(Operation::ALL.map(Operation::name)).map(|name: String| {
        // The parser lets no other name through.
        Operation::ALL.into_iter().find(|operation| operation.name() == name).unwrap()
    })
}

fn libraries() -> PossibleValuesParser {
    PossibleValuesParser::new(known_libraries())
}

/// Whoever takes part in anything.
pub fn known_libraries() -> impl Iterator<Item = &'static str> {
    let typed = typed::names().filter(|name| LIBRARIES.iter().all(|library| library.name != *name));
    LIBRARIES.iter().map(|library| library.name).chain(typed)
}

fn seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(seconds) if seconds.is_finite() && seconds >= 0.0 => Ok(seconds),
        _ => Err("not a number of seconds".to_owned()),
    }
}

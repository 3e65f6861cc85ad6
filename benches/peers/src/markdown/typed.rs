//! The typed times.

use std::io::{self, Write};

use marshal_bench_data::Dataset;

use super::{Score, best, times_of};
use crate::peers::Operation;
use crate::report::{OURS, Row, duration};
use crate::typed::NEED_TYPES;

/// An operation, and by what factor the best that names fields in the bytes is to be slower than ours.
const OPERATIONS: [(Operation, f64); 3] =
    [(Operation::TypedEncode, 1.5), (Operation::TypedDecode, 2.0), (Operation::TypedDecodeBorrowed, 2.5)];

/// Libraries with a column of their own, and the factor that is meant to be reached, where there is one.
const COLUMNS: [(&str, Option<f64>); 8] = [
    ("serde_json", None),
    ("rmp-serde", None),
    ("fory", Some(1.2)),
    ("postcard", Some(0.8)),
    ("wincode", Some(0.4)),
    ("bitcode", None),
    ("zerompk", None),
    ("rkyv", None),
];

/// Whose messages ours are compared with, and what part of them ours may be.
const SIZES: [(&str, f64); 2] = [("serde_json", 0.75), ("rmp-serde", 0.85)];

/// Operations and libraries without rows have no column.
pub fn print(out: &mut impl Write, rows: &[Row], score: &mut Score) -> io::Result<()> {
    for (operation, named) in OPERATIONS {
        let of = times_of(rows, operation);
        let takes_part = |library: &str| Dataset::ALL.into_iter().any(|dataset| of(dataset, library).is_some());
        if !takes_part(OURS) {
            continue;
        }
        let columns = || COLUMNS.into_iter().filter(|(library, _)| takes_part(library));
        let heads: Vec<&str> = columns().map(|(library, _)| library).collect();
        writeln!(out, "| {} | ours | best that names fields | {} |", operation.name(), heads.join(" | "))?;
        writeln!(out, "|{}", " --- |".repeat(3 + heads.len()))?;
        for dataset in Dataset::ALL {
            let Some(ours) = of(dataset, OURS) else { continue };
            let names = |library: &str| !NEED_TYPES.contains(&library);
            let best = best(rows, operation, dataset, names).map(|(time, library)| (time / ours, library));
            let best = score.named_cell(best, Some(named));
            write!(out, "| `{dataset}` | {} | {best} |", duration(ours))?;
            for (library, meant) in columns() {
                // What is meant of those that need the types is said of owned values.
                let meant = meant.filter(|_| operation != Operation::TypedDecodeBorrowed);
                let cell = of(dataset, library).map(|time| time / ours);
                let cell = cell.map(|factor| score.cell(factor, meant.map(|meant| factor >= meant)));
                write!(out, " {} |", cell.as_deref().unwrap_or("–"))?;
            }
            writeln!(out)?;
        }
        writeln!(out)?;
    }
    sizes(out, rows, score)
}

fn sizes(out: &mut impl Write, rows: &[Row], score: &mut Score) -> io::Result<()> {
    writeln!(out, "| bytes | ours | of JSON | of rmp-serde |\n| --- | --- | --- | --- |")?;
    for dataset in Dataset::ALL {
        let of = |library: &str| {
            let here = |row: &&Row| row.operation == Operation::TypedEncode && row.result.library == library;
            rows.iter().filter(|row| row.dataset == dataset).find(here).map(|row| row.result.message_bytes)
        };
        let Some(ours) = of(OURS) else { continue };
        write!(out, "| `{dataset}` | {ours} |")?;
        for (library, meant) in SIZES {
            let part = of(library).map(|theirs| ours as f64 / theirs as f64);
            let cell = part.map(|part| score.cell(part, Some(part <= meant)));
            write!(out, " {} |", cell.as_deref().unwrap_or("–"))?;
        }
        writeln!(out)?;
    }
    writeln!(out)
}

//! The typed times as the tables of COMPARE.md: factors of ours, with what we mean to reach, and where that is missed.

use std::io::{self, Write};

use marshal_bench_data::Dataset;

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

/// How many targets were met, of how many.
#[derive(Default)]
struct Score {
    met: usize,
    all: usize,
}

impl Score {
    /// The factor, in bold where it misses what is meant.
    fn cell(&mut self, factor: f64, meant: Option<bool>) -> String {
        self.all += usize::from(meant.is_some());
        self.met += usize::from(meant == Some(true));
        let digits = match factor {
            ..0.1 => 3,
            ..9.95 => 2,
            _ => 0,
        };
        let bold = if meant == Some(false) { "**" } else { "" };
        format!("{bold}{factor:.digits$}{bold}")
    }
}

/// Operations and libraries without rows have no column.
pub fn print(out: &mut impl Write, rows: &[Row]) -> io::Result<()> {
    let mut score = Score::default();
    for (operation, named) in OPERATIONS {
        let of = |dataset: Dataset, library: &str| {
            let here = |row: &&Row| (row.dataset, row.operation, row.result.library) == (dataset, operation, library);
            rows.iter().find(here).map(|row| row.result.median_nanoseconds)
        };
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
            let names = |row: &&Row| {
                let library = row.result.library;
                (row.dataset, row.operation) == (dataset, operation)
                    && library != OURS
                    && !NEED_TYPES.contains(&library)
            };
            let best = rows.iter().filter(names).map(|row| (row.result.median_nanoseconds, row.result.library));
            let best = match best.min_by(|a, b| a.0.total_cmp(&b.0)) {
                Some((time, library)) => format!("{} {library}", score.cell(time / ours, Some(time / ours >= named))),
                None => "–".to_owned(),
            };
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
    sizes(out, rows, &mut score)?;
    writeln!(out, "Met: {} of {}.", score.met, score.all)
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

#[cfg(test)]
mod tests {
    use super::print;
    use crate::report::times_from_tsv;

    #[test]
    fn what_is_missed_is_bold_and_counted() {
        let tsv = "log\ttyped_encode\tmarshal\t1000\t60\nlog\ttyped_encode\tserde_json\t3000\t100\n\
                   log\ttyped_encode\trmp-serde\t1400\t80\nlog\ttyped_encode\tfory\t1300\t70\n\
                   log\ttyped_encode\twincode\t300\t70\n";
        let mut out = Vec::new();
        print(&mut out, &times_from_tsv(tsv).unwrap()).unwrap();
        let out = String::from_utf8(out).unwrap();
        assert!(out.contains("| `log` | 1.00 µs | **1.40** rmp-serde | 3.00 | 1.40 | 1.30 | **0.30** |\n"), "{out}");
        assert!(
            out.contains("| typed_encode | ours | best that names fields | serde_json | rmp-serde | fory | wincode |")
        );
        assert!(out.contains("| `log` | 60 | 0.60 | 0.75 |") && out.ends_with("Met: 3 of 5.\n"), "{out}");
    }
}

//! The times as the tables of COMPARE.md: factors of ours, with what we mean to reach, and where that is missed.

mod dynamic;
mod typed;

use std::io::{self, Write};

use marshal_bench_data::Dataset;

use crate::peers::Operation;
use crate::report::{OURS, Row};

/// A table for each operation that was measured; last, how much of what we mean to reach was met.
pub fn print(out: &mut impl Write, rows: &[Row]) -> io::Result<()> {
    let mut score = Score::default();
    if rows.iter().any(|row| row.operation.is_typed()) {
        typed::print(out, rows, &mut score)?;
    }
    dynamic::print(out, rows, &mut score)?;
    writeln!(out, "Met: {} of {}.", score.met, score.all)
}

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

    /// The factor and the name of a library, or what stands where there is none.
    fn named_cell(&mut self, best: Option<(f64, &str)>, meant: Option<f64>) -> String {
        match best {
            Some((factor, library)) => {
                format!("{} {library}", self.cell(factor, meant.map(|meant| factor >= meant)))
            }
            None => "–".to_owned(),
        }
    }
}

/// The median of a library on a data set.
fn times_of(rows: &[Row], operation: Operation) -> impl Fn(Dataset, &str) -> Option<f64> {
    move |dataset, library| {
        let here = |row: &&Row| (row.dataset, row.operation, row.result.library) == (dataset, operation, library);
        rows.iter().find(here).map(|row| row.result.median_nanoseconds)
    }
}

/// The shortest time of the others that count.
fn best(
    rows: &[Row],
    operation: Operation,
    dataset: Dataset,
    counts: impl Fn(&str) -> bool,
) -> Option<(f64, &'static str)> {
    let here = |row: &&Row| (row.dataset, row.operation) == (dataset, operation);
    let others = rows.iter().filter(here).map(|row| (row.result.median_nanoseconds, row.result.library));
    others.filter(|(_, library)| *library != OURS && counts(library)).min_by(|a, b| a.0.total_cmp(&b.0))
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

    #[test]
    fn a_copy_is_a_limit_and_no_competitor() {
        let tsv = "records\tdecode\tmarshal\t1000\t60\nrecords\tdecode\tserde_json\t41000\t100\n\
                   records\tdecode\tsonic-rs\t2400\t100\nrecords\tdecode\tmemcpy\t700\t60\n";
        let mut out = Vec::new();
        print(&mut out, &times_from_tsv(tsv).unwrap()).unwrap();
        let out = String::from_utf8(out).unwrap();
        assert!(out.contains("| decode | ours | best other | serde_json | sonic-rs | memcpy |\n"), "{out}");
        assert!(out.contains("| `records` | 1.00 µs | 2.40 sonic-rs | 41 | **2.40** | 0.70 |\n"), "{out}");
        assert!(out.ends_with("Met: 2 of 3.\n"), "{out}");
    }
}

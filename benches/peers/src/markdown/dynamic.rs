//! The times of dynamic values.

use std::io::{self, Write};

use marshal_bench_data::Dataset;

use super::{Score, best, times_of};
use crate::peers::{LIBRARIES, LIMIT, Operation};
use crate::report::{OURS, Row, duration};

const OPERATIONS: [Operation; 3] = [Operation::Encode, Operation::Decode, Operation::Clone];

/// By what factor the best of the others is to be slower than ours, to encode and to decode.
const BEST: f64 = 1.5;

/// The factors that are meant to be reached on one data set.
const MEANT: [(Dataset, Operation, &str, f64); 8] = [
    (Dataset::Records, Operation::Encode, "serde_json", 7.0),
    (Dataset::Records, Operation::Encode, "rmpv", 5.0),
    (Dataset::Records, Operation::Decode, "serde_json", 40.0),
    (Dataset::Records, Operation::Decode, "rmpv", 40.0),
    (Dataset::Records, Operation::Decode, "simd-json", 8.0),
    (Dataset::Records, Operation::Decode, "sonic-rs", 2.5),
    (Dataset::Records, Operation::Clone, "serde_json", 100.0),
    (Dataset::Numbers, Operation::Encode, LIMIT, 0.5),
];

/// Operations and libraries without rows have no column.
pub fn print(out: &mut impl Write, rows: &[Row], score: &mut Score) -> io::Result<()> {
    for operation in OPERATIONS {
        let of = times_of(rows, operation);
        let takes_part = |library: &str| Dataset::ALL.into_iter().any(|dataset| of(dataset, library).is_some());
        if !takes_part(OURS) {
            continue;
        }
        let others: Vec<&str> =
            LIBRARIES.iter().map(|library| library.name).filter(|name| *name != OURS && takes_part(name)).collect();
        writeln!(out, "| {} | ours | best other | {} |", operation.name(), others.join(" | "))?;
        writeln!(out, "|{}", " --- |".repeat(3 + others.len()))?;
        for dataset in Dataset::ALL {
            let Some(ours) = of(dataset, OURS) else { continue };
            let best = best(rows, operation, dataset, |library| library != LIMIT);
            let best = best.map(|(time, library)| (time / ours, library));
            let meant = (operation != Operation::Clone).then_some(BEST);
            write!(out, "| `{dataset}` | {} | {} |", duration(ours), score.named_cell(best, meant))?;
            for library in &others {
                let meant = MEANT.iter().find(|meant| (meant.0, meant.1, meant.2) == (dataset, operation, *library));
                let cell = of(dataset, library).map(|time| time / ours);
                let cell = cell.map(|factor| score.cell(factor, meant.map(|meant| factor >= meant.3)));
                write!(out, " {} |", cell.as_deref().unwrap_or("–"))?;
            }
            writeln!(out)?;
        }
        writeln!(out)?;
    }
    Ok(())
}

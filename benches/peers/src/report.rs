//! How results are shown: rows for a program, tables for a person. Knows nothing of how they came about.

use std::io::{self, Write};

use anyhow::{Context, Result};
use marshal_bench_data::Dataset;

use crate::memory::Memory;
use crate::options::known_libraries;
use crate::peers::Operation;
use crate::rounds::Outcome;

/// The library that the others are compared with.
pub const OURS: &str = "marshal";

pub struct Row {
    pub dataset: Dataset,
    pub operation: Operation,
    pub result: Outcome,
}

/// `dataset  operation  library  median_ns  bytes`.
pub fn times_as_tsv(out: &mut impl Write, rows: &[Row]) -> io::Result<()> {
    for Row { dataset, operation, result } in rows {
        let operation = operation.name();
        let Outcome { library, median_nanoseconds, message_bytes, .. } = result;
        writeln!(out, "{dataset}\t{operation}\t{library}\t{median_nanoseconds:.0}\t{message_bytes}")?;
    }
    Ok(())
}

/// What [`times_as_tsv`] wrote.
pub fn times_from_tsv(text: &str) -> Result<Vec<Row>> {
    let row = |line: &str| -> Option<Row> {
        let mut columns = line.split('\t');
        let mut column = || columns.next();
        let dataset = column()?.parse().ok()?;
        let operation = column()?;
        let operation = Operation::ALL.into_iter().find(|other| other.name() == operation)?;
        let library = column()?;
        let library = known_libraries().find(|other| *other == library)?;
        let (median_nanoseconds, message_bytes) = (column()?.parse().ok()?, column()?.parse().ok()?);
        let result = Outcome { library, median_nanoseconds, message_bytes, memory: Memory::default() };
        columns.next().is_none().then_some(Row { dataset, operation, result })
    };
    text.lines().map(|line| row(line).with_context(|| format!("not a row of times: {line:?}"))).collect()
}

/// Two rows a library: the peak in bytes, the number of allocations; then the size of the message.
pub fn memory_as_tsv(out: &mut impl Write, rows: &[Row]) -> io::Result<()> {
    for Row { dataset, operation, result } in rows {
        let operation = operation.name();
        let Outcome { library, memory, message_bytes, .. } = result;
        let (peak, count) = (memory.peak_bytes, memory.allocations);
        writeln!(out, "{dataset}\t{operation}-peak-bytes\t{library}\t{peak}\t{message_bytes}")?;
        writeln!(out, "{dataset}\t{operation}-allocations\t{library}\t{count}\t{message_bytes}")?;
    }
    Ok(())
}

/// Fastest first. `time` and `size` are in multiples of ours, or of the fastest where we did not run.
pub fn times_as_table(out: &mut impl Write, rows: &[Row]) -> io::Result<()> {
    let mut results: Vec<&Outcome> = rows.iter().map(|row| &row.result).collect();
    results.sort_by(|left, right| left.median_nanoseconds.total_cmp(&right.median_nanoseconds));
    let (Some(row), Some(&fastest)) = (rows.first(), results.first()) else {
        return Ok(());
    };
    let base = results.iter().copied().find(|result| result.library == OURS).unwrap_or(fastest);
    let title = format!("{} {}", row.dataset, row.operation.name());
    writeln!(out, "{title:<24}{:>13}{:>10}{:>14}{:>9}   ({} = 1)", "median", "time", "bytes", "size", base.library)?;
    for result in results {
        writeln!(
            out,
            "  {:<22}{:>13}{:>9.2}×{:>14}{:>9}",
            result.library,
            duration(result.median_nanoseconds),
            result.median_nanoseconds / base.median_nanoseconds,
            bytes(result.message_bytes),
            ratio(result.message_bytes, base.message_bytes),
        )?;
    }
    writeln!(out)
}

/// Least memory first.
pub fn memory_as_table(out: &mut impl Write, rows: &[Row]) -> io::Result<()> {
    let mut results: Vec<&Outcome> = rows.iter().map(|row| &row.result).collect();
    results.sort_by_key(|result| result.memory.peak_bytes);
    let Some(row) = rows.first() else {
        return Ok(());
    };
    let title = format!("{} {}", row.dataset, row.operation.name());
    writeln!(out, "{title:<24}{:>16}{:>10}{:>14}{:>14}", "peak bytes", "÷ message", "allocations", "message")?;
    for result in results {
        let memory = result.memory;
        writeln!(
            out,
            "  {:<22}{:>16}{:>10}{:>14}{:>14}",
            result.library,
            memory.peak_bytes,
            ratio(memory.peak_bytes, result.message_bytes),
            memory.allocations,
            bytes(result.message_bytes),
        )?;
    }
    writeln!(out)
}

/// What the options `--dataset`, `--operation` and `--library` take.
pub fn list(out: &mut impl Write) -> io::Result<()> {
    let datasets = Dataset::ALL.map(Dataset::name).join(" ");
    let operations = Operation::ALL.map(Operation::name).join(" ");
    let libraries: Vec<&str> = known_libraries().collect();
    writeln!(out, "datasets:   {datasets}")?;
    writeln!(out, "operations: {operations}")?;
    writeln!(out, "libraries:  {}", libraries.join(" "))
}

pub fn duration(nanoseconds: f64) -> String {
    match nanoseconds {
        0.0..1e3 => format!("{nanoseconds:.1} ns"),
        1e3..1e6 => format!("{:.2} µs", nanoseconds / 1e3),
        _ => format!("{:.3} ms", nanoseconds / 1e6),
    }
}

fn bytes(count: usize) -> String {
    if count == 0 { "–".to_owned() } else { count.to_string() }
}

fn ratio(part: usize, whole: usize) -> String {
    if whole == 0 { "–".to_owned() } else { format!("{:.2}×", part as f64 / whole as f64) }
}

#[cfg(test)]
mod tests {
    use marshal_bench_data::Dataset;

    use super::{Row, memory_as_tsv, times_as_table, times_as_tsv, times_from_tsv};
    use crate::memory::Memory;
    use crate::peers::Operation;
    use crate::rounds::Outcome;

    fn row(library: &'static str, median_nanoseconds: f64) -> Row {
        let memory = Memory { peak_bytes: 640, allocations: 7 };
        let result = Outcome { library, median_nanoseconds, message_bytes: 320, memory };
        Row { dataset: Dataset::Small, operation: Operation::Decode, result }
    }

    fn text(print: impl FnOnce(&mut Vec<u8>)) -> String {
        let mut out = Vec::new();
        print(&mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn a_row_has_five_columns() {
        let rows = [row("bson", 1234.4)];
        assert_eq!(text(|out| times_as_tsv(out, &rows).unwrap()), "small\tdecode\tbson\t1234\t320\n");
        let read = times_from_tsv("small\tdecode\tbson\t1234\t320\n").unwrap();
        assert_eq!(text(|out| times_as_tsv(out, &read).unwrap()), "small\tdecode\tbson\t1234\t320\n");
        for wrong in ["small\tdecode\tbson\t1234\n", "small\tdecode\tnobody\t1234\t320\n", "\n"] {
            assert!(times_from_tsv(wrong).is_err(), "{wrong}");
        }
        assert_eq!(
            text(|out| memory_as_tsv(out, &rows).unwrap()),
            "small\tdecode-peak-bytes\tbson\t640\t320\nsmall\tdecode-allocations\tbson\t7\t320\n",
        );
    }

    #[test]
    fn ratios_are_to_ours_even_where_another_is_faster() {
        let rows = [row("bson", 3000.0), row("marshal", 2000.0), row("rmpv", 1000.0)];
        let table = text(|out| times_as_table(out, &rows).unwrap());
        let lines: Vec<&str> = table.lines().collect();
        assert!(lines[0].contains("marshal = 1"));
        assert!(lines[1].contains("rmpv") && lines[1].contains("0.50×"));
        assert!(lines[3].contains("bson") && lines[3].contains("1.50×"));
    }
}

//! `inspect`: the bytes of a message, one item a line, and a summary.

use std::fmt::Write as _;
use std::io::{self, Write};

use anstyle::{AnsiColor, Style};
use marshal::inspect::{Inspector, Line, Summary};

use crate::Outcome;
use crate::args::Inspect;
use crate::failure::{Failure, hint_for_no_message};
use crate::files::{self, Output};
use crate::progress::Progress;

/// Bytes that a line shows.
const BYTES_SHOWN: usize = 8;
/// Deeper values are not indented further.
const LEVELS_SHOWN: usize = 40;
/// Shapes that the summary lists.
const SHAPES_SHOWN: usize = 40;

pub(crate) fn inspect(args: &Inspect) -> Outcome {
    let bytes = files::read(&args.input)?;
    let mut output = Output::open(None)?;
    let palette = Palette::of_standard_output();
    let mut inspector = Inspector::new(&bytes);
    let written = (|| {
        let left_out = lines(args, &mut inspector, &palette, &mut output)?;
        if left_out > 0 && !args.summary {
            writeln!(output, "… {left_out} lines more")?;
        }
        if !args.bytes && inspector.error().is_none() {
            if !args.summary {
                writeln!(output)?;
            }
            summary(inspector.summary(), &palette, &mut output)?;
        }
        output.flush()
    })();
    written.map_err(|error| Failure::io(output.path(), "write", error))?;
    match inspector.error() {
        None => Ok(()),
        Some(error) => {
            let hint = if error.is_unsupported() { hint_for_no_message(&bytes) } else { None };
            Err(Failure::value(&args.input, error, hint))
        }
    }
}

/// Writes the lines that are asked for, walks through the others, and says how many were over the limit.
fn lines(args: &Inspect, inspector: &mut Inspector<'_>, palette: &Palette, output: &mut impl Write) -> io::Result<u64> {
    let mut progress = Progress::new("inspecting", Some(inspector.summary().bytes() as u64));
    let (mut shown, mut left_out, mut seen) = (0, 0, 0u64);
    let mut text = String::new();
    while let Some(line) = inspector.next() {
        seen += 1;
        if seen % (1 << 16) == 0 {
            progress.at(inspector.offset() as u64);
        }
        if args.summary || args.depth.is_some_and(|depth| line.depth() > depth + 1) {
            continue;
        }
        if args.limit.is_some_and(|limit| shown >= limit) {
            left_out += 1;
            continue;
        }
        shown += 1;
        text.clear();
        palette.line(&mut text, line);
        output.write_all(text.as_bytes())?;
    }
    Ok(left_out)
}

/// Colours, or none.
struct Palette {
    offset: Style,
    bytes: Style,
    heading: Style,
}

impl Palette {
    fn of_standard_output() -> Self {
        let plain = Style::new();
        // Knows terminals, NO_COLOR, CLICOLOR and dumb ones.
        match anstream::AutoStream::choice(&io::stdout()) {
            anstream::ColorChoice::Never => Palette { offset: plain, bytes: plain, heading: plain },
            _ => Palette {
                offset: plain.dimmed(),
                bytes: plain.fg_color(Some(AnsiColor::Cyan.into())),
                heading: plain.bold(),
            },
        }
    }

    fn line(&self, text: &mut String, line: Line<'_>) {
        let mut hex = String::new();
        for (i, byte) in line.bytes().iter().take(BYTES_SHOWN).enumerate() {
            let _ = write!(hex, "{}{byte:02x}", if i > 0 { " " } else { "" });
        }
        if line.bytes().len() > BYTES_SHOWN {
            hex.push('…');
        }
        let width = 3 * BYTES_SHOWN;
        let indent = 2 * line.depth().min(LEVELS_SHOWN);
        let (offset, bytes) = (self.offset, self.bytes);
        let heading = if line.is_heading() { self.heading } else { Style::new() };
        // Writing to a String does not fail.
        let _ = write!(text, "{offset}{:08x}{offset:#}  {bytes}{hex:<width$}{bytes:#}  ", line.offset());
        let _ = writeln!(text, "{:indent$}{heading}{line}{heading:#}", "");
    }
}

fn summary(summary: &Summary, palette: &Palette, output: &mut impl Write) -> io::Result<()> {
    let heading = palette.heading;
    let all = summary.bytes();
    let share = |bytes: u64| 100.0 * bytes as f64 / all.max(1) as f64;
    writeln!(output, "{heading}{all} bytes{heading:#}")?;
    for &(name, bytes) in summary.sections() {
        writeln!(output, "{bytes:>12} {:>5.1}%  {name}", share(bytes as u64))?;
    }
    writeln!(output, "\n{heading}{:>12} {:>12}         values{heading:#}", "count", "bytes")?;
    for kind in summary.kinds() {
        writeln!(output, "{:>12} {:>12} {:>5.1}%  {}", kind.values, kind.bytes, share(kind.bytes), kind.name)?;
    }
    let shapes = summary.shapes();
    if !shapes.is_empty() {
        writeln!(output, "\n{heading}{:>12}  shapes by use{heading:#}", "objects")?;
        for shape in shapes.iter().take(SHAPES_SHOWN) {
            writeln!(output, "{:>12}  {} {}", shape.objects, shape.index, shape.description)?;
        }
        if shapes.len() > SHAPES_SHOWN {
            writeln!(output, "{:>12}  … {} more", "", shapes.len() - SHAPES_SHOWN)?;
        }
    }
    Ok(())
}

//! `encode`, `decode` and `import`: from one form to another.

use std::io::{self, IsTerminal, Write};
use std::path::Path;

use marshal::json::{self, JsonOptions, Lossy};
use marshal::{DecodeOptions, Decoder, EncodeOptions, Encoder, Error, ErrorKind, Graph, original};

use crate::Outcome;
use crate::args::{Decode, Encode, Import};
use crate::failure::{Failure, hint_for_no_message};
use crate::files::{self, Output};
use crate::progress::Progress;

/// Between two looks at the clock: well below a tenth of a second of work.
const STEPS: usize = 1 << 16;

pub(crate) fn encode(args: &Encode) -> Outcome {
    refuse_terminal(args.output.as_deref())?;
    let text = files::read(&args.input)?;
    let graph = parse(&text).map_err(|error| syntax_failure(&args.input, &text, &error))?;
    // The graph holds its own copy of what it needs.
    drop(text);
    write_message(&args.input, &graph, args.output.as_deref())
}

pub(crate) fn decode(args: &Decode) -> Outcome {
    let bytes = files::read(&args.input)?;
    let failed = |error: Error| {
        let hint = (error.kind() == ErrorKind::BadMagic).then(|| hint_for_no_message(&bytes)).flatten();
        Failure::value(&args.input, &error, hint)
    };
    let graph = {
        let mut progress = Progress::new("decoding", None);
        let mut decoder = Decoder::new(&bytes, &DecodeOptions::new()).map_err(failed)?;
        if decoder.message_len() < bytes.len() {
            // The call that refuses trailing bytes says so best.
            marshal::Marshal::check(&bytes).map_err(failed)?;
        }
        while !decoder.run(STEPS).map_err(failed)? {
            progress.tick();
        }
        decoder.finish().map_err(failed)?
    };
    let mut options = JsonOptions::new().indent(if args.pretty { 2 } else { 0 }).lossy(if args.strict {
        Lossy::Refuse
    } else {
        Lossy::Show
    });
    if let Some(bytes) = args.max_bytes {
        options = options.max_bytes(bytes);
    }
    let mut output = Output::open(args.output.as_deref())?;
    let mut writer = json::Writer::new(&graph, &options);
    let mut progress = Progress::new("writing", None);
    loop {
        let done = writer.run(STEPS).map_err(|error| {
            let hint = match error.kind() {
                ErrorKind::Unrepresentable => Some("without --strict it is shown in a form of its own"),
                ErrorKind::LimitExceeded => Some("--max-bytes sets the bound"),
                _ => None,
            };
            Failure::value(&args.input, &error, hint)
        })?;
        writer.drain(&mut output).map_err(|error| Failure::io(output.path(), "write", error))?;
        if done {
            break;
        }
        progress.tick();
    }
    output.write_all(b"\n").map_err(|error| Failure::io(output.path(), "write", error))?;
    output.finish()
}

pub(crate) fn import(args: &Import) -> Outcome {
    refuse_terminal(args.output.as_deref())?;
    let bytes = files::read(&args.original)?;
    let names: Vec<&str> = args.classes.iter().map(String::as_str).collect();
    let graph = match (&args.entry, names.is_empty()) {
        (None, true) => original::decode(&bytes),
        (None, false) => original::decode_with_classes(&bytes, &names),
        (Some(entry), true) => original::read_from_index(&bytes, entry),
        (Some(entry), false) => original::read_from_index_with_classes(&bytes, entry, &names),
    };
    let graph = graph.map_err(|error| {
        let hint = match error.kind() {
            ErrorKind::BadMagic if bytes.starts_with(b"\xD7M") => {
                Some("this is a Marshal message already; marshal decode shows it")
            }
            ErrorKind::BadClass => Some("--classes takes one name for each instance, or leave it away"),
            _ => None,
        };
        Failure::value(&args.original, &error, hint)
    })?;
    write_message(&args.original, &graph, args.output.as_deref())
}

fn parse(text: &[u8]) -> Result<Graph<'static>, Error> {
    let mut progress = Progress::new("parsing", Some(text.len() as u64));
    let mut parser = json::Parser::new(text)?;
    while !parser.run(STEPS)? {
        progress.at(parser.position() as u64);
    }
    Ok(parser.finish())
}

fn write_message(input: &Path, graph: &Graph<'_>, output: Option<&Path>) -> Outcome {
    let failed = |error: Error| Failure::value(input, &error, None);
    let message = {
        let mut progress = Progress::new("encoding", None);
        let mut encoder = Encoder::new(graph, &EncodeOptions::new());
        while !encoder.run(STEPS).map_err(failed)? {
            progress.tick();
        }
        encoder.finish().map_err(failed)?
    };
    let mut output = Output::open(output)?;
    output.write_all(&message).map_err(|error| Failure::io(output.path(), "write", error))?;
    output.finish()
}

/// Bytes on a terminal help nobody, and may leave it in a strange state.
fn refuse_terminal(output: Option<&Path>) -> Outcome {
    if output.is_none() && io::stdout().is_terminal() {
        return Err(Failure::usage(
            "a message is bytes, and standard output is a terminal; name a file with -o, or insist with -o -",
        ));
    }
    Ok(())
}

/// A syntax error with line and column, which editors go by.
fn syntax_failure(file: &Path, text: &[u8], error: &Error) -> Failure {
    if text.starts_with(b"\xD7M") {
        return Failure::value(file, error, Some("this is a Marshal message already; marshal decode shows it"));
    }
    let Some(at) = error.offset().and_then(|at| text.get(..at as usize)) else {
        return Failure::value(file, error, None);
    };
    let line = 1 + at.iter().filter(|&&byte| byte == b'\n').count();
    let start = at.iter().rposition(|&byte| byte == b'\n').map_or(0, |newline| newline + 1);
    let column = 1 + String::from_utf8_lossy(&at[start..]).chars().count();
    let what = format!("line {line}, column {column}: {error}");
    Failure::File { file: file.into(), what, hint: None }
}

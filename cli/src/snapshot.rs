//! `save`, `load`, `verify`, `train` and `recompress`: whole snapshots.

use std::io::Write;
use std::path::{Path, PathBuf};

use marshal::compress::{Compression, Dictionary};
use marshal::{DecodeOptions, EncodeOptions, Encoded, Error, ErrorKind, LoadOptions, Marshal, SaveOptions, Snapshot};

use crate::Outcome;
use crate::args::{Load, Packing, Recompress, Save, Train, Verify};
use crate::convert::{json_options, parse, syntax_failure, write_json};
use crate::failure::{Failure, hint_for_no_message, name};
use crate::files::{self, Output};
use crate::progress::Progress;

pub(crate) fn save(args: &Save) -> Outcome {
    let options = options(&args.packing)?;
    let text = files::read(&args.input)?;
    let graph = parse(&text).map_err(|error| syntax_failure(&args.input, &text, &error))?;
    drop(text);
    // A compressed message is read as a whole: an index would help nobody.
    let is_plain = compression(&args.packing)?.is_none();
    let options = options.encode(EncodeOptions::new().index(is_plain));
    let mut progress = Progress::new("saving", None);
    let saving = Snapshot::save_owned(&args.file, graph, options);
    while !saving.is_finished() {
        std::thread::sleep(std::time::Duration::from_millis(20));
        progress.tick();
    }
    saving.wait().map_err(|error| failed(&args.file, &error))
}

pub(crate) fn load(args: &Load) -> Outcome {
    let options = load_options(args.dictionary.as_deref())?.fall_back(args.fall_back);
    let snapshot = Snapshot::read_with(&args.file, &options).map_err(|error| failed(&args.file, &error))?;
    if let Some(damage) = snapshot.damage() {
        let generation = snapshot.generation();
        let _ = writeln!(anstream::stderr(), "{}: {damage}; this is generation {generation}", name(&args.file));
    }
    let graph = snapshot.graph().map_err(|error| failed(&args.file, &error))?;
    write_json(&args.file, &graph, &json_options(args.pretty), args.output.as_deref())
}

pub(crate) fn verify(args: &Verify) -> Outcome {
    let options = load_options(args.dictionary.as_deref())?;
    let mut output = Output::open(None)?;
    let mut progress = Progress::new("verifying", None);
    let mut all_good = true;
    for file in &args.files {
        let result = Snapshot::read_with(file, &options).and_then(|snapshot| {
            Marshal::check_with(snapshot.message(), &DecodeOptions::new().verify_index(true))?;
            Ok(snapshot)
        });
        let line = match &result {
            Ok(snapshot) => {
                let compression = snapshot.compression().map_or("uncompressed", Compression::name);
                format!("{}: ok, {} bytes of message, {compression}", name(file), snapshot.message().len())
            }
            Err(error) => format!("{}: {error}", name(file)),
        };
        all_good &= result.is_ok();
        writeln!(output, "{line}").map_err(|error| Failure::io(output.path(), "write", error))?;
        progress.tick();
    }
    output.finish()?;
    if all_good { Ok(()) } else { Err(Failure::Reported) }
}

pub(crate) fn train(args: &Train) -> Outcome {
    let mut progress = Progress::new("reading", None);
    let mut samples = Vec::with_capacity(args.files.len());
    for file in &args.files {
        samples.push(Snapshot::read(file).map_err(|error| failed(file, &error))?.into_message());
        progress.tick();
    }
    let dictionary = Dictionary::train(&samples, args.max_bytes).map_err(|error| failed(&args.output, &error))?;
    let mut output = Output::open(Some(&args.output))?;
    output.write_all(dictionary.bytes()).map_err(|error| Failure::io(&args.output, "write", error))?;
    output.finish()
}

pub(crate) fn recompress(args: &Recompress) -> Outcome {
    let dictionary = args.packing.dictionary.as_deref();
    let snapshot = Snapshot::read_with(&args.file, &load_options(dictionary)?);
    let snapshot = snapshot.map_err(|error| failed(&args.file, &error))?;
    let options = options(&args.packing)?.metadata(snapshot.metadata().clone());
    let target: PathBuf = args.output.clone().unwrap_or_else(|| args.file.clone());
    Snapshot::save_with(&target, &Encoded(snapshot.message()), &options).map_err(|error| failed(&target, &error))
}

fn compression(packing: &Packing) -> Result<Option<Compression>, Failure> {
    match packing.compression.as_str() {
        _ if packing.zstd || packing.dictionary.is_some() => Ok(Some(Compression::Zstd)),
        "none" => Ok(None),
        name => Compression::from_name(name).map(Some).ok_or_else(|| {
            Failure::usage(format!(
                "no compression is named {name}; there are none, zstd, lz4, gzip, deflate and brotli"
            ))
        }),
    }
}

fn options(packing: &Packing) -> Result<SaveOptions, Failure> {
    let mut options = SaveOptions::new().generations(packing.generations);
    if let Some(compression) = compression(packing)? {
        options = options.compression(compression);
    }
    if let Some(level) = packing.level {
        options = options.level(level);
    }
    if let Some(file) = &packing.dictionary {
        options = options.dictionary(Dictionary::from_bytes(files::read(file)?));
    }
    Ok(options)
}

fn load_options(dictionary: Option<&Path>) -> Result<LoadOptions, Failure> {
    Ok(match dictionary {
        Some(file) => LoadOptions::new().dictionary(Dictionary::from_bytes(files::read(file)?)),
        None => LoadOptions::new(),
    })
}

/// What the library said of a snapshot.
pub(crate) fn failed(file: &Path, error: &Error) -> Failure {
    let hint = match error.kind() {
        ErrorKind::BadMagic => std::fs::read(file).ok().and_then(|bytes| hint_for_no_message(&bytes)),
        ErrorKind::Damaged => Some("marshal load --fall-back takes the newest good generation, if some were kept"),
        _ => None,
    };
    Failure::value(file, error, hint)
}

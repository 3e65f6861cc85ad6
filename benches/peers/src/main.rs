//! Runs the competitors and prints what was measured. Knows the order of things only: what can be asked
//! is in `options`, how a sample is taken in `stopwatch`, who takes part in `peers`, how it is shown in
//! `report`.

#![forbid(unsafe_code)]

mod classes;
mod input;
mod markdown;
mod memory;
mod options;
mod peers;
mod picture;
mod report;
mod rounds;
mod sameness;
mod stopwatch;
mod typed;

use std::io::{self, Write};
use std::{fs, thread};

use anyhow::{Context, Result, bail};

use crate::input::Input;
use crate::options::Options;
use crate::peers::{Entrant, LIBRARIES};
use crate::report::Row;
use crate::rounds::Progress;

/// Some competitors recurse once or twice for each level of the value.
const STACK: usize = 256 << 20;

fn main() -> Result<()> {
    let options = Options::from_command_line();
    // Errors come back through `join`; a panic has already been printed by the thread.
    match thread::Builder::new().stack_size(STACK).spawn(move || run(&options))?.join() {
        Ok(outcome) => outcome,
        Err(_) => bail!("a library panicked"),
    }
}

fn run(options: &Options) -> Result<()> {
    let mut out = io::stdout().lock();
    if options.list {
        return Ok(report::list(&mut out)?);
    }
    if let Some(file) = &options.from {
        let text = fs::read_to_string(file).with_context(|| format!("could not read {}", file.display()))?;
        let mut rows = report::times_from_tsv(&text)?;
        rows.retain(|row| options.takes(row));
        if !options.tsv && !options.markdown {
            rows.chunk_by(|a, b| (a.dataset, a.operation) == (b.dataset, b.operation))
                .try_for_each(|rows| report::times_as_table(&mut out, rows))?;
        }
        return show(&mut out, options, &rows);
    }
    stopwatch::keep_memory();
    let progress = Progress::new(options);
    let mut measured = Vec::new();
    for dataset in options.datasets() {
        progress.says(format!("{dataset}: building"));
        let (class, others): (Vec<_>, Vec<_>) = options.operations().into_iter().partition(|op| op.is_class());
        let (typed, dynamic): (Vec<_>, Vec<_>) = others.into_iter().partition(|op| op.is_typed());
        let mut dynamic_entrants = Vec::new();
        if !dynamic.is_empty() {
            dynamic_entrants = entrants(options, &Input::new(dataset, options.scale), &progress)?;
        }
        let mut typed_entrants = Vec::new();
        if !typed.is_empty() {
            progress.says(format!("{dataset}: checking types"));
            typed_entrants = typed::entrants(options, dataset)?;
        }
        let mut class_entrants = Vec::new();
        if !class.is_empty() {
            progress.says(format!("{dataset}: checking classes"));
            class_entrants = classes::entrants(options, dataset)?;
        }
        for operation in dynamic.into_iter().chain(typed).chain(class) {
            let entrants = match operation {
                _ if operation.is_typed() => &mut typed_entrants,
                _ if operation.is_class() => &mut class_entrants,
                _ => &mut dynamic_entrants,
            };
            let results = rounds::measure(entrants, operation, options, dataset, &progress);
            let rows: Vec<Row> = results.into_iter().map(|result| Row { dataset, operation, result }).collect();
            progress.hidden_while(|| -> io::Result<()> {
                match (options.tsv, options.memory) {
                    _ if options.markdown => Ok(()),
                    (true, false) => report::times_as_tsv(&mut out, &rows),
                    (true, true) => report::memory_as_tsv(&mut out, &rows),
                    (false, false) => report::times_as_table(&mut out, &rows),
                    (false, true) => report::memory_as_table(&mut out, &rows),
                }?;
                out.flush()
            })?;
            measured.extend(rows);
        }
    }
    progress.ends();
    show(&mut out, options, &measured)
}

/// What takes all rows at once.
fn show(out: &mut impl Write, options: &Options, rows: &[Row]) -> Result<()> {
    if options.markdown {
        markdown::print(out, rows)?;
    }
    match &options.svg {
        Some(file) => {
            fs::write(file, picture::draw(rows)).with_context(|| format!("could not write {}", file.display()))
        }
        None => Ok(()),
    }
}

/// Every library that was asked for and can hold the input, its round trip checked.
fn entrants(options: &Options, input: &Input, progress: &Progress) -> Result<Vec<Entrant>> {
    let mut entrants = Vec::new();
    for library in LIBRARIES.iter().filter(|library| options.wants(library.name)) {
        progress.says(format!("{}: checking {}", input.dataset, library.name));
        let peer = (library.prepare)(input)
            .with_context(|| format!("{} does not give {} back", library.name, input.dataset))?;
        entrants.extend(peer.map(|peer| Entrant { name: library.name, peer }));
    }
    Ok(entrants)
}

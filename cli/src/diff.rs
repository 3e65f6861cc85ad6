//! `diff`: two states side by side, by path.

use std::collections::HashSet;
use std::io::Write;

use marshal::{Cursor, Kind, NodeId, Snapshot};

use crate::Outcome;
use crate::args::Diff;
use crate::failure::Failure;
use crate::files::Output;
use crate::snapshot::failed;

pub(crate) fn diff(args: &Diff) -> Outcome {
    let read = |file| Snapshot::read(file).map_err(|error| failed(file, &error));
    let (old, new) = (read(&args.old)?, read(&args.new)?);
    let old = old.graph().map_err(|error| failed(&args.old, &error))?;
    let new = new.graph().map_err(|error| failed(&args.new, &error))?;
    let mut differences = Differences { lines: Vec::new(), limit: args.limit, more: false, met: HashSet::new() };
    differences.compare(old.root(), new.root());
    let mut output = Output::open(None)?;
    let mut say = |line: &str| {
        let written = writeln!(output, "{line}");
        written.map_err(|error| Failure::io(output.path(), "write", error))
    };
    differences.lines.iter().try_for_each(|line| say(line))?;
    if differences.more {
        say(&format!("… more than {} differences; --limit shows more", args.limit))?;
    }
    output.finish()?;
    if differences.lines.is_empty() && !differences.more { Ok(()) } else { Err(Failure::Reported) }
}

struct Differences {
    lines: Vec<String>,
    limit: usize,
    more: bool,
    /// Pairs of objects that are being compared or have been.
    met: HashSet<(NodeId, NodeId)>,
}

impl Differences {
    fn compare(&mut self, old: Cursor<'_>, new: Cursor<'_>) {
        // Not recursive: states may be deep.
        let mut open = vec![(String::new(), old, new)];
        while let Some((path, old, new)) = open.pop() {
            if self.more {
                return;
            }
            let met = matches!((old.id(), new.id()), (Some(a), Some(b)) if !self.met.insert((a, b)));
            if met {
                continue;
            }
            let same_kind = old.kind() == new.kind() && old.class() == new.class() && old.error() == new.error();
            let mut inner = Vec::new();
            match old.kind() {
                Kind::Array if same_kind => {
                    for i in 0..old.len().max(new.len()) {
                        self.step(format!("{path}[{i}]"), old.at(i), new.at(i), &mut inner);
                        if self.more {
                            return;
                        }
                    }
                    self.properties(&path, old, new, &mut inner);
                }
                Kind::Object | Kind::Instance | Kind::Error if same_kind => {
                    self.properties(&path, old, new, &mut inner);
                }
                _ if same_kind && is_equal(old, new) => {}
                _ => self.say(format!("~ {}: {} -> {}", shown(&path), short(old), short(new))),
            }
            // The first is compared first.
            open.extend(inner.into_iter().rev());
        }
    }

    fn properties<'a, 'b>(
        &mut self,
        path: &str,
        old: Cursor<'a>,
        new: Cursor<'b>,
        inner: &mut Vec<(String, Cursor<'a>, Cursor<'b>)>,
    ) {
        let path_of = |name: &str| match name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '$')) {
            true => format!("{path}.{name}"),
            false => format!("{path}[{name:?}]"),
        };
        for property in old.properties() {
            let Some(name) = property.name() else { continue };
            let path = path_of(&name.to_string_lossy());
            self.step(path, Some(property.value()), new.get(property.key()), inner);
        }
        for property in new.properties().filter(|property| old.get(property.key()).is_none()) {
            let Some(name) = property.name() else { continue };
            self.step(path_of(&name.to_string_lossy()), None, Some(property.value()), inner);
        }
    }

    fn step<'a, 'b>(
        &mut self,
        path: String,
        old: Option<Cursor<'a>>,
        new: Option<Cursor<'b>>,
        inner: &mut Vec<(String, Cursor<'a>, Cursor<'b>)>,
    ) {
        match (old, new) {
            (Some(old), Some(new)) => inner.push((path, old, new)),
            (Some(old), None) => self.say(format!("- {}: {}", shown(&path), short(old))),
            (None, Some(new)) => self.say(format!("+ {}: {}", shown(&path), short(new))),
            (None, None) => {}
        }
    }

    fn say(&mut self, line: String) {
        if self.lines.len() == self.limit {
            self.more = true;
        } else {
            self.lines.push(line);
        }
    }
}

fn shown(path: &str) -> String {
    format!("${path}")
}

/// The value in a few words.
fn short(value: Cursor<'_>) -> String {
    // Bounded, whatever the value holds.
    let text = format!("{value:?}");
    if text.chars().count() <= SHOWN { text } else { text.chars().take(SHOWN).chain(['…']).collect() }
}

const SHOWN: usize = 60;

/// Two values of one kind that are not compared part by part.
fn is_equal(old: Cursor<'_>, new: Cursor<'_>) -> bool {
    match old.kind() {
        Kind::Date => old.date().map(f64::to_bits) == new.date().map(f64::to_bits),
        Kind::TypedArray | Kind::DataView => {
            let bytes =
                |value: Cursor<'_>| value.elements().map(|elements| (elements.kind(), elements.bytes().to_vec()));
            bytes(old) == bytes(new)
        }
        _ if old.id().is_none() => old.is_same(new),
        _ => old.to_string() == new.to_string(),
    }
}

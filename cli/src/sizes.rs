//! `sizes`: where the bytes go, as a tree on the terminal or as a treemap in a page.

use std::collections::{BTreeMap, HashSet};
use std::fmt::Write as _;
use std::io::Write;

use marshal::{Error, Kind, LazyCursor, Snapshot};

use crate::Outcome;
use crate::args::Sizes;
use crate::failure::Failure;
use crate::files::Output;
use crate::progress::Progress;
use crate::snapshot::failed;

pub(crate) fn sizes(args: &Sizes) -> Outcome {
    let file = &args.file;
    let open = Snapshot::open(file).map_err(|error| failed(file, &error))?;
    let mut survey = Survey { met: HashSet::new(), progress: Progress::new("measuring", None) };
    let mut root = Place::default();
    let measured = open.root().and_then(|cursor| survey.add(cursor, &mut root, 0));
    measured.map_err(|error| failed(file, &error))?;
    let mut output = Output::open(args.html.as_deref())?;
    let text = match args.html {
        Some(_) => PAGE.replace("/*DATA*/", &root.to_json("$")),
        None => {
            let mut text = String::new();
            root.write(&mut text, "$", 0, args.depth, root.bytes.max(1));
            text
        }
    };
    output.write_all(text.as_bytes()).map_err(|error| Failure::io(output.path(), "write", error))?;
    output.finish()
}

/// Values that stand at one path, elements of an array taken together.
#[derive(Default)]
struct Place {
    bytes: u64,
    count: u64,
    inside: BTreeMap<String, Place>,
}

struct Survey {
    /// Objects that have been counted where they stand; elsewhere they are only referred to.
    met: HashSet<u64>,
    progress: Progress,
}

/// Deeper values are counted with what holds them.
const MAX_DEPTH: usize = 64;

/// An object with more keys than this is a table: its values are taken together.
const MANY_KEYS: usize = 256;

impl Survey {
    fn add(&mut self, value: LazyCursor<'_>, place: &mut Place, depth: usize) -> Result<(), Error> {
        place.count += 1;
        if value.id().is_some_and(|id| !self.met.insert(id)) {
            // A tag and an identity.
            place.bytes += 2;
            return Ok(());
        }
        place.bytes += value.size()?;
        self.progress.tick();
        if depth == MAX_DEPTH {
            return Ok(());
        }
        match value.kind() {
            Kind::Array if value.elements().is_err() => {
                for element in value.iter().filter_map(Result::transpose) {
                    self.add(element?, place.inside.entry(ELEMENTS.into()).or_default(), depth + 1)?;
                }
            }
            Kind::Map => {
                for entry in value.entries() {
                    let (key, value) = entry?;
                    self.add(key, place.inside.entry("<keys>".into()).or_default(), depth + 1)?;
                    self.add(value, place.inside.entry("<values>".into()).or_default(), depth + 1)?;
                }
            }
            Kind::Set => {
                for member in value.members() {
                    self.add(member?, place.inside.entry("<members>".into()).or_default(), depth + 1)?;
                }
            }
            _ => {}
        }
        let keys = value.len();
        for property in value.properties() {
            let property = property?;
            let name = match property.name() {
                _ if keys > MANY_KEYS => "[key]".into(),
                Some(name) => format!(".{}", name.to_string_lossy()),
                None => "[symbol]".into(),
            };
            self.add(property.value(), place.inside.entry(name).or_default(), depth + 1)?;
        }
        Ok(())
    }
}

impl Place {
    /// An array stands for its elements, which are nearly all of it: `.users[]` instead of `.users` with `[]` in it.
    fn merged(&self, name: &str) -> (String, u64, &BTreeMap<String, Place>) {
        let (mut name, mut place) = (name.to_owned(), self);
        while let (1, Some(elements)) = (place.inside.len(), place.inside.get(ELEMENTS)) {
            name.push_str(ELEMENTS);
            place = elements;
        }
        (name, place.count, &place.inside)
    }

    fn write(&self, out: &mut String, name: &str, level: usize, depth: usize, all: u64) {
        let (name, count, inside) = self.merged(name);
        let share = self.bytes as f64 * 100.0 / all as f64;
        let count = if count > 1 { format!(" in {count} values") } else { String::new() };
        // Writing to a String does not fail.
        let _ = writeln!(out, "{:>12} {share:>5.1}%  {}{name}{count}", self.bytes, "  ".repeat(level));
        if level < depth {
            let inside = largest_first(inside);
            // Those that the rest of the screen is worth: a thousandth of all, or the first few.
            let shown =
                inside.iter().take_while(|(_, place)| place.bytes * 1000 >= all).count().max(FEW).min(inside.len());
            for (name, place) in &inside[..shown] {
                place.write(out, name, level + 1, depth, all);
            }
            if let rest @ [_, ..] = &inside[shown..] {
                let bytes: u64 = rest.iter().map(|(_, place)| place.bytes).sum();
                let share = bytes as f64 * 100.0 / all as f64;
                let indent = "  ".repeat(level + 1);
                let _ = writeln!(out, "{bytes:>12} {share:>5.1}%  {indent}… {} more", rest.len());
            }
        }
    }

    fn to_json(&self, name: &str) -> String {
        let (name, count, inside) = self.merged(name);
        let inside = largest_first(inside).into_iter().map(|(name, place)| place.to_json(name)).collect::<Vec<_>>();
        // No text of the data may end the script.
        let name: String = name
            .chars()
            .flat_map(|c| match c {
                '"' | '\\' | '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => {
                    format!("\\u{:04x}", c as u32).chars().collect()
                }
                c if c.is_control() => format!("\\u{:04x}", c as u32).chars().collect(),
                c => vec![c],
            })
            .collect();
        format!("{{\"n\":\"{name}\",\"b\":{},\"c\":{},\"i\":[{}]}}", self.bytes, count, inside.join(","))
    }
}

fn largest_first(inside: &BTreeMap<String, Place>) -> Vec<(&String, &Place)> {
    let mut inside: Vec<_> = inside.iter().collect();
    inside.sort_by_key(|(_, place)| std::cmp::Reverse(place.bytes));
    inside
}

/// Of the values in a place at least so many are shown.
const FEW: usize = 3;

/// What the elements of an array are called, taken together.
const ELEMENTS: &str = "[]";

const PAGE: &str = include_str!("sizes.html");

//! The layers of `src/`: a module uses what stands below it, and a file has one subject and is short.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// From the bottom up; modules of one row do not know each other, but for what [`ASIDE`] says.
const LAYERS: [&[&str]; 7] = [
    &["error"],
    &["compress", "wire"],
    &["graph"],
    &["codec", "moment"],
    &["lazy"],
    &["class", "cooperative", "inspect", "json", "original", "serde"],
    &["snapshot"],
];

/// What modules of one row use of each other.
const ASIDE: [(&str, &str); 1] = [("json", "cooperative")];

/// These see everything: the crate's root, its facade, and the comparison of all tables with the specification's.
const ROOT: [&str; 3] = ["lib", "marshal", "spec_tests"];

const MAX_LINES: usize = 500;

fn source_files(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            source_files(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}

/// The files of `src/` by their path in it, and what they say.
fn sources() -> BTreeMap<String, String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    source_files(&root, &mut files);
    let name = |path: &Path| path.strip_prefix(&root).unwrap().to_string_lossy().replace('\\', "/");
    files.iter().map(|path| (name(path), fs::read_to_string(path).unwrap())).collect()
}

/// `wire/tag.rs` is of module `wire`, `marshal.rs` is module `marshal`.
fn module(file: &str) -> &str {
    file.split(['/', '.']).next().unwrap()
}

fn layer(module: &str) -> Option<usize> {
    LAYERS.iter().position(|layer| layer.contains(&module))
}

/// What a line of code names as `crate::name`, or in `crate::{name, …}`; comments may name anything.
fn used(line: &str) -> Vec<&str> {
    let code = line.split("//").next().unwrap();
    let name = |text: &str| text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(text.len());
    let mut names = Vec::new();
    for (at, _) in code.match_indices("crate::").filter(|&(at, _)| !code[..at].ends_with('$')) {
        let rest = &code[at + "crate::".len()..];
        match rest.strip_prefix('{') {
            // Only names of one part stand in such lists here: rustfmt gives each module a line.
            Some(list) => names.extend(list.split(',').map(str::trim).map(|item| &item[..name(item)])),
            None => names.push(&rest[..name(rest)]),
        }
    }
    names
}

#[test]
fn modules_use_what_stands_below_them() {
    let mut wrong = Vec::new();
    for (file, text) in sources() {
        let own = module(&file);
        if ROOT.contains(&own) {
            continue;
        }
        let Some(own_layer) = layer(own) else {
            wrong.push(format!("{file}: module {own} has no layer; give it one in tests/layers.rs"));
            continue;
        };
        // Tests beside the code may use the whole library.
        let code = text.split("#[cfg(test)]\nmod tests").next().unwrap();
        for (number, line) in code.lines().enumerate() {
            for other in used(line).into_iter().filter(|&other| other != own) {
                let below = layer(other).is_some_and(|other| other < own_layer) || ASIDE.contains(&(own, other));
                // A type by its public name says nothing of where it lives.
                let is_type = other.starts_with(|c: char| c.is_ascii_uppercase());
                if !below && !is_type {
                    wrong.push(format!("{file}:{}: {own} uses {other}, which is not below it", number + 1));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn files_are_short() {
    let long: Vec<String> = sources()
        .iter()
        .map(|(file, text)| (file, text.lines().count()))
        .filter(|&(_, lines)| lines > MAX_LINES)
        .map(|(file, lines)| format!("src/{file}: {lines} lines"))
        .collect();
    assert!(long.is_empty(), "over {MAX_LINES} lines:\n{}", long.join("\n"));
}

#[test]
fn a_line_is_read_for_what_it_uses() {
    assert_eq!(used("use crate::{ElementKind, json};"), ["ElementKind", "json"]);
    assert_eq!(used("use crate::graph::{Graph, Value};"), ["graph"]);
    assert_eq!(used("    let n: crate::wire::Reader = crate::codec::read();"), ["wire", "codec"]);
    assert_eq!(used("// crate::json is above"), [""; 0]);
    assert_eq!(used("($crate::Value::from(1))"), [""; 0]);
}

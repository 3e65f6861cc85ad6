//! `query`: one value by its path, without reading the rest.

use marshal::{Error, LazyCursor, Snapshot};

use crate::Outcome;
use crate::args::Query;
use crate::convert::{json_options, write_json};
use crate::failure::Failure;
use crate::path::{Step, parse};
use crate::snapshot::failed;

pub(crate) fn query(args: &Query) -> Outcome {
    let steps = parse(&args.path).map_err(Failure::usage)?;
    let file = &args.file;
    let open = Snapshot::open(file).map_err(|error| failed(file, &error))?;
    let start = match &args.entry {
        Some(name) => open.entry(name),
        None => open.root(),
    };
    let mut cursor = start.map_err(|error| failed(file, &error))?;
    for step in &steps {
        cursor = down(cursor, step).map_err(|error| failed(file, &error))?;
    }
    let graph = cursor.to_graph().map_err(|error| failed(file, &error))?;
    write_json(file, &graph, &json_options(args.pretty), None)
}

fn down<'l>(cursor: LazyCursor<'l>, step: &Step) -> Result<LazyCursor<'l>, Error> {
    match step {
        Step::Name(name) => cursor.get(name.as_str()),
        // In JavaScript a number in brackets is a key, too.
        Step::Index(index) => match cursor.at(*index) {
            Err(error) if error.is_not_found() => cursor.get(index.to_string().as_str()).or(Err(error)),
            other => other,
        },
    }
}

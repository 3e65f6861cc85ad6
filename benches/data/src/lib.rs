//! The data sets that benches and tests measure with: what each is called, how it is made, and how
//! large it can sensibly be made. Knows nothing of the format or of any library that is measured.
//!
//! Each data set has a module with its types (for typed benches) and a `generate(scale)`. The same
//! scale gives the same data on every machine: there is a seed for each data set and no other source.
//!
//! Two rules keep every library's result comparable with the source value: an integer lies within
//! ±2⁵³, as JavaScript's do, and a fraction is a small multiple of a power of two, so that its decimal
//! form is short and exact, both as f32 and as f64.
//!
//! ```
//! use marshal_bench_data::{Dataset, json, records};
//!
//! assert_eq!(records::generate(1).len(), 603);
//! assert_eq!(json(Dataset::Records, 1).as_array().unwrap().len(), 603);
//! ```

#![forbid(unsafe_code)]

pub mod borrowed;
pub mod graph;
pub mod log;
pub mod mesh;
pub mod numbers;
pub mod records;
pub mod save;
pub mod small;
pub mod text;
pub mod updates;

mod random;
mod words;

use std::fmt;
use std::str::FromStr;

use serde::Serialize;
use serde_json::Value;

/// The data set as a JSON value, at `scale` times its usual size (see [`Dataset::scales`]).
pub fn json(dataset: Dataset, scale: usize) -> Value {
    match dataset {
        Dataset::Records => value(&records::generate(scale)),
        Dataset::Log => value(&log::generate(scale)),
        Dataset::Mesh => value(&mesh::generate(scale)),
        Dataset::Save => value(&save::generate(scale)),
        Dataset::Updates => value(&updates::generate(scale)),
        Dataset::Numbers => value(&numbers::generate(scale)),
        Dataset::Text => value(&text::generate(scale)),
        Dataset::Graph => value(&graph::generate(scale)),
        Dataset::Small => value(&small::generate()),
    }
}

/// A data set by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Dataset {
    /// 603 records of 20 fields, mostly text.
    Records,
    /// 10,000 lines of a web server's log.
    Log,
    /// 125,000 triangles of 12 floats.
    Mesh,
    /// 500 saved players of 28 fields.
    Save,
    /// 1,000 game messages of 20–39 contacts.
    Updates,
    /// 500,000 integers.
    Numbers,
    /// Long strings, half of them not ASCII.
    Text,
    /// 100,000 objects with shared references and cycles, described as lists and indices.
    Graph,
    /// One record of 10 fields.
    Small,
}

impl Dataset {
    /// Every data set.
    pub const ALL: [Dataset; 9] = [
        Dataset::Records,
        Dataset::Log,
        Dataset::Mesh,
        Dataset::Save,
        Dataset::Updates,
        Dataset::Numbers,
        Dataset::Text,
        Dataset::Graph,
        Dataset::Small,
    ];

    /// The name that tables and options use.
    pub const fn name(self) -> &'static str {
        match self {
            Dataset::Records => "records",
            Dataset::Log => "log",
            Dataset::Mesh => "mesh",
            Dataset::Save => "save",
            Dataset::Updates => "updates",
            Dataset::Numbers => "numbers",
            Dataset::Text => "text",
            Dataset::Graph => "graph",
            Dataset::Small => "small",
        }
    }

    /// The scales that make sense: as a JSON value, the largest of each takes a few gigabytes of
    /// memory at most. `small` is one record and has no other size.
    pub const fn scales(self) -> &'static [usize] {
        match self {
            Dataset::Records | Dataset::Log | Dataset::Save | Dataset::Text => &[1, 10, 100],
            Dataset::Updates | Dataset::Numbers | Dataset::Graph => &[1, 10],
            Dataset::Mesh | Dataset::Small => &[1],
        }
    }
}

impl fmt::Display for Dataset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Dataset {
    type Err = UnknownDataset;

    fn from_str(name: &str) -> Result<Self, UnknownDataset> {
        Dataset::ALL.into_iter().find(|dataset| dataset.name() == name).ok_or_else(|| UnknownDataset(name.to_owned()))
    }
}

/// No data set has this name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownDataset(String);

impl fmt::Display for UnknownDataset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let known = Dataset::ALL.map(Dataset::name).join(", ");
        write!(f, "no data set is called {:?}; there are {known}", self.0)
    }
}

impl std::error::Error for UnknownDataset {}

fn value(data: &impl Serialize) -> Value {
    // The types here have string keys and finite floats only, which is all that can fail.
    serde_json::to_value(data).expect("the data sets are plain JSON")
}

//! What is measured: one data set as every library gets it. Knows no library.

use std::iter;

use marshal_bench_data::{Dataset, graph, json};
use serde_json::Value;

pub struct Input {
    pub dataset: Dataset,
    pub content: Content,
}

pub enum Content {
    /// What every library can hold.
    Tree(Value),
    /// What takes identity: an array of all these objects, which point at each other.
    Graph(Objects),
}

/// Each object's properties, in their order.
pub type Objects = Vec<Vec<(String, Property)>>;

#[derive(Clone, Debug, PartialEq)]
pub enum Property {
    Scalar(Value),
    /// The object with this index.
    Edge(usize),
    /// An array, the object's own, of objects.
    Links(Vec<usize>),
}

impl Input {
    pub fn new(dataset: Dataset, scale: usize) -> Input {
        let content = match dataset {
            Dataset::Graph => Content::Graph(objects(&graph::generate(scale))),
            _ => Content::Tree(json(dataset, scale)),
        };
        Input { dataset, content }
    }

    /// The value, where a library without identity can hold it.
    pub fn tree(&self) -> Option<&Value> {
        match &self.content {
            Content::Tree(value) => Some(value),
            Content::Graph(_) => None,
        }
    }
}

/// How often one sample runs an operation: often, where a single run is too short for the clock.
pub fn runs_per_sample(dataset: Dataset) -> usize {
    match dataset {
        Dataset::Small => 1000,
        _ => 1,
    }
}

fn objects(graph: &graph::Graph) -> Objects {
    graph
        .objects
        .iter()
        .map(|object| {
            let class = &graph.classes[object.class];
            let fields = object.fields.iter().map(|field| Property::Scalar(scalar(field)));
            let edges = object.edges.iter().map(|&edge| Property::Edge(edge));
            let links = Property::Links(object.links.clone());
            let names = class.fields.iter().chain(&class.edges).cloned();
            names.zip(fields.chain(edges)).chain(iter::once(("links".to_owned(), links))).collect()
        })
        .collect()
}

fn scalar(scalar: &graph::Scalar) -> Value {
    match scalar {
        graph::Scalar::Bool(flag) => (*flag).into(),
        graph::Scalar::Integer(integer) => (*integer).into(),
        graph::Scalar::Float(number) => (*number).into(),
        graph::Scalar::Text(text) => text.as_str().into(),
    }
}

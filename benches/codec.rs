//! Our own speed, to watch a change by: `cargo bench`. Comparisons with others are in `benches/peers`.

use divan::counter::BytesCount;
use divan::{Bencher, black_box};
use marshal::{Graph, Marshal};
use marshal_bench_data::{Dataset, json};

fn main() {
    divan::main();
}

const SETS: [&str; 8] = ["records", "log", "mesh", "save", "updates", "numbers", "text", "small"];

/// Cost is linear: the figure for each byte stays as the data grows.
const SCALES: [usize; 3] = [1, 10, 100];

fn graph(name: &str, scale: usize) -> Graph<'static> {
    let set: Dataset = name.parse().expect("a data set");
    let text = serde_json::to_vec(&json(set, scale)).expect("JSON");
    marshal::json::parse(&text).expect("a graph")
}

#[divan::bench(args = SETS)]
fn encode(bencher: Bencher, name: &str) {
    let graph = graph(name, 1);
    let mut message = Marshal::encode(&graph).expect("a message");
    bencher.counter(BytesCount::new(message.len())).bench_local(|| {
        message.clear();
        Marshal::encode_into(black_box(&graph), &mut message).expect("a message");
    });
}

#[divan::bench(args = SETS)]
fn decode(bencher: Bencher, name: &str) {
    let message = Marshal::encode(&graph(name, 1)).expect("a message");
    bencher.counter(BytesCount::new(message.len())).bench_local(|| Marshal::decode(black_box(&message)));
}

#[divan::bench(args = SETS)]
fn check(bencher: Bencher, name: &str) {
    let message = Marshal::encode(&graph(name, 1)).expect("a message");
    bencher.counter(BytesCount::new(message.len())).bench_local(|| Marshal::check(black_box(&message)));
}

#[divan::bench(args = SETS)]
fn deep_clone(bencher: Bencher, name: &str) {
    let graph = graph(name, 1);
    bencher.bench_local(|| Marshal::deep_clone(black_box(&graph)));
}

#[divan::bench(args = SCALES)]
fn decode_records_at_scale(bencher: Bencher, scale: usize) {
    let message = Marshal::encode(&graph("records", scale)).expect("a message");
    bencher.counter(BytesCount::new(message.len())).bench_local(|| Marshal::decode(black_box(&message)));
}

/// Shapes of input that a decoder must not take more than linear time for.
fn hostile(name: &str, n: usize) -> Vec<u8> {
    let mut graph = Graph::new();
    let root = match name {
        "deep" => (0..n).fold(graph.array([]), |inner, _| graph.array([inner])),
        "wide" => {
            let items: Vec<_> = (0..n).map(|_| graph.array([])).collect();
            graph.array(items)
        }
        "shapes" => {
            let items: Vec<_> = (0..n).map(|i| graph.object([(format!("key {i}"), marshal::Value::NULL)])).collect();
            graph.array(items)
        }
        "references" => {
            let one = graph.array([]);
            graph.array(std::iter::repeat_n(one, n))
        }
        _ => {
            let pairs: Vec<_> = (0..n).map(|i| (marshal::Value::from(i as f64 + 0.5), marshal::Value::NULL)).collect();
            graph.map(pairs)
        }
    };
    graph.set_root(root);
    Marshal::encode(&graph).expect("a message")
}

#[divan::bench(args = ["deep", "wide", "shapes", "references", "keys"], consts = [1_000, 10_000, 100_000])]
fn decode_hostile<const N: usize>(bencher: Bencher, name: &str) {
    let message = hostile(name, N);
    bencher.counter(BytesCount::new(message.len())).bench_local(|| Marshal::decode(black_box(&message)));
}

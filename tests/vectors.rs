//! The specification's vectors, in every direction (`spec/vectors/`).

use marshal::{DecodeOptions, Decoder, EncodeOptions, Encoder, Error, Graph, Marshal};
use serde::Deserialize;

#[derive(Deserialize)]
struct Valid {
    name: String,
    hex: String,
}

#[derive(Deserialize)]
struct Invalid {
    name: String,
    hex: String,
    error: String,
    offset: u64,
}

#[derive(Deserialize)]
struct NonCanonical {
    name: String,
    hex: String,
    canonical: String,
}

fn vectors<T: for<'d> Deserialize<'d>>(file: &str) -> Vec<T> {
    let path = format!("{}/spec/vectors/{file}", env!("CARGO_MANIFEST_DIR"));
    serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap()
}

fn bytes(hex: &str) -> Vec<u8> {
    (0..hex.len()).step_by(2).map(|i| u8::from_str_radix(&hex[i..i + 2], 16).unwrap()).collect()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Fails with all that went wrong, not with the first.
fn report(failures: Vec<String>, of: usize) {
    assert!(failures.is_empty(), "{} of {of} vectors:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn valid_vectors_decode_and_encode_to_the_same_bytes() {
    let vectors: Vec<Valid> = vectors("valid.json");
    assert!(vectors.len() >= 300);
    let failures = vectors.iter().filter_map(|vector| {
        let bytes = bytes(&vector.hex);
        let again = Marshal::check(&bytes).and_then(|()| Marshal::decode(&bytes)).and_then(|g| Marshal::encode(&g));
        match again {
            Ok(again) if again == bytes => None,
            Ok(again) => Some(format!("{}: {}\n    not {}", vector.name, hex(&again), vector.hex)),
            Err(error) => Some(format!("{}: {error} ({})", vector.name, vector.hex)),
        }
    });
    report(failures.collect(), vectors.len());
}

#[test]
fn invalid_vectors_give_their_error_at_their_offset() {
    let vectors: Vec<Invalid> = vectors("invalid.json");
    assert!(vectors.len() >= 200);
    let mut failures = Vec::new();
    for vector in &vectors {
        let bytes = bytes(&vector.hex);
        for (way, result) in [("decode", Marshal::decode(&bytes).map(drop)), ("check", Marshal::check(&bytes))] {
            let got = result.map_err(|error| (error.kind().as_str().to_owned(), error.offset().unwrap_or(u64::MAX)));
            if got != Err((vector.error.clone(), vector.offset)) {
                failures.push(format!(
                    "{} ({way}): {got:?}, not {} at {} {}",
                    vector.name, vector.error, vector.offset, vector.hex
                ));
            }
        }
    }
    report(failures, vectors.len());
}

#[test]
fn messages_that_are_not_canonical_become_so() {
    let vectors: Vec<NonCanonical> = vectors("noncanonical.json");
    let failures = vectors.iter().filter_map(|vector| {
        let bytes = bytes(&vector.hex);
        let again = Marshal::decode(&bytes).and_then(|graph| Marshal::encode(&graph)).map(|again| hex(&again));
        (again.as_ref() != Ok(&vector.canonical))
            .then(|| format!("{}: {again:?}\n    not {}", vector.name, vector.canonical))
    });
    report(failures.collect(), vectors.len());
}

/// Decodes `steps` at a time.
fn decode_in_slices(bytes: &[u8], steps: usize) -> Result<Graph<'_>, Error> {
    let mut decoder = Decoder::new(bytes, &DecodeOptions::new())?;
    while !decoder.run(steps)? {}
    decoder.finish()
}

/// Encodes `steps` at a time.
fn encode_in_slices(graph: &Graph<'_>, steps: usize) -> Result<Vec<u8>, Error> {
    let mut encoder = Encoder::new(graph, &EncodeOptions::new());
    while !encoder.run(steps)? {}
    encoder.finish()
}

#[test]
fn engines_that_stop_after_every_step_give_the_same() {
    for vector in vectors::<Valid>("valid.json") {
        let bytes = bytes(&vector.hex);
        let graph = Marshal::decode(&bytes).unwrap();
        let all = (1..=40).chain([1000, usize::MAX - 1]).take(if bytes.len() > 2000 { 3 } else { 42 });
        for steps in all {
            assert_eq!(decode_in_slices(&bytes, steps).unwrap(), graph, "{} in steps of {steps}", vector.name);
            assert_eq!(encode_in_slices(&graph, steps).unwrap(), bytes, "{} in steps of {steps}", vector.name);
        }
    }
    for vector in vectors::<Invalid>("invalid.json") {
        let bytes = bytes(&vector.hex);
        let whole = Marshal::decode_prefix(&bytes).map(|_| ()).unwrap_err_or_default();
        for steps in [1, 2, 3, 7] {
            let sliced = decode_in_slices(&bytes, steps).map(|_| ()).unwrap_err_or_default();
            assert_eq!(sliced, whole, "{} in steps of {steps}", vector.name);
        }
    }
}

/// An error to compare; some invalid messages are valid as a prefix.
trait UnwrapErr {
    fn unwrap_err_or_default(self) -> String;
}

impl UnwrapErr for Result<(), Error> {
    fn unwrap_err_or_default(self) -> String {
        self.err().map_or_else(String::new, |error| error.to_string())
    }
}

//! The main job, end to end: a value that JSON can't hold goes to bytes and comes back whole.
//!
//! `cargo run --example tour`

use std::error::Error;

use marshal::{DecodeOptions, Decoder, EncodeOptions, Encoder, Graph, Marshal, Value, js};

/// Runs the tour; the tests call it too.
pub(crate) fn main() -> Result<(), Box<dyn Error>> {
    // A small application state: a document whose parts point back at it, a history, raw samples.
    let mut state = js!({
        title: "Tour",
        tags: Set["graph", "bytes"],
        opened: Date(1.7e12),
        filter: RegExp("^draft-", "i"),
        big: BigInt(2i128.pow(100)),
        samples: Float64Array[0.5, 1.5, 2.5],
        missing: undefined,
        minus_zero: -0.0,
        author: User{ name: "Ada", langs: Map{ "en" => "fluent", "fr" => "good" } },
    });
    let document = state.root().value();
    let part = state.object([("text", Value::NULL), ("document", document)]);
    let parts = state.array([part, part]); // the same part twice, and a cycle through its document
    state.set(document, "parts", parts)?;
    println!("the value:\n{state:#}\n");

    let bytes = Marshal::encode(&state)?;
    println!("{} bytes: {}…", bytes.len(), bytes[..24].iter().map(|b| format!("{b:02x} ")).collect::<String>());

    // Back again: equal up to identity, so the shared part is one part and the cycle is closed.
    let read = Marshal::decode(&bytes)?;
    assert_eq!(read, state);
    let first = read.root().get("parts").and_then(|parts| parts.at(0)).ok_or("a part")?;
    let second = read.root().get("parts").and_then(|parts| parts.at(1)).ok_or("a part")?;
    assert!(first.is_same(second));
    assert!(first.get("document").ok_or("a document")?.is_same(read.root()));

    // Raw numbers are lent from the message where they are aligned.
    let samples = read.root().get("samples").and_then(|samples| samples.elements()).ok_or("samples")?;
    println!("samples: {:?}", samples.to_slice::<f64>());

    // Equal values give equal bytes, so messages can be compared and hashed.
    assert_eq!(Marshal::encode(&read)?, bytes);

    // In slices: other work can be done between them.
    let mut encoder = Encoder::new(&state, &EncodeOptions::new());
    let mut slices = 0;
    while !encoder.run(10)? {
        slices += 1;
    }
    assert_eq!(encoder.finish()?, bytes);
    println!("encoded again in {} slices", slices + 1);
    let mut decoder = Decoder::new(&bytes, &DecodeOptions::new())?;
    while !decoder.run(10)? {}
    assert_eq!(decoder.finish()?, state);

    // Damage is told apart, with its place.
    let error = Marshal::decode(&bytes[..bytes.len() - 1]).unwrap_err();
    println!("cut short: {error}");

    // A clone shares nothing.
    let mut clone: Graph<'static> = Marshal::deep_clone(&read);
    clone.set(clone.root().value(), "title", Value::TRUE)?;
    assert_ne!(clone, read);
    Ok(())
}

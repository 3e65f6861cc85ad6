//! `spec/vectors/snapshots.json`: files of `spec/snapshot.md`.
#![cfg(feature = "snapshot")]

use marshal::{Encoded, LoadOptions, SaveOptions, Snapshot};
use serde::Deserialize;

#[derive(Deserialize)]
struct Vector {
    name: String,
    /// The file.
    hex: String,
    /// Its message; none for a file that is refused.
    message: Option<String>,
    error: Option<String>,
    offset: Option<u64>,
    /// Whether a writer without options makes this file of the message.
    #[serde(default)]
    plain: bool,
}

fn bytes(hex: &str) -> Vec<u8> {
    (0..hex.len()).step_by(2).map(|i| u8::from_str_radix(&hex[i..i + 2], 16).unwrap()).collect()
}

#[test]
fn every_vector_is_read_or_refused_as_it_says() {
    let path = format!("{}/spec/vectors/snapshots.json", env!("CARGO_MANIFEST_DIR"));
    let vectors: Vec<Vector> = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    assert!(vectors.len() > 30);
    for vector in vectors {
        let file = bytes(&vector.hex);
        match (Snapshot::from_bytes(&file, &LoadOptions::new()), vector.message) {
            (Ok(snapshot), Some(message)) => {
                assert_eq!(snapshot.message(), bytes(&message), "{}", vector.name);
                if vector.plain {
                    let again = Snapshot::to_bytes(&Encoded(bytes(&message)), &SaveOptions::new()).unwrap();
                    assert_eq!(again, file, "{}", vector.name);
                }
            }
            (Err(error), None) => {
                assert_eq!(Some(error.kind().as_str()), vector.error.as_deref(), "{}: {error}", vector.name);
                assert_eq!(error.offset(), vector.offset, "{}: {error}", vector.name);
            }
            (result, _) => panic!("{}: {result:?}", vector.name),
        }
    }
}

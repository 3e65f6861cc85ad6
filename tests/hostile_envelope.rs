//! Damage to the specification's messages: cut at every byte, every bit flipped, something before and behind.

mod arbitrary;

use arbitrary::laws;
use marshal::{ErrorKind, Marshal};

/// The valid vectors of the specification that are short enough to be damaged everywhere.
fn messages() -> Vec<Vec<u8>> {
    let path = format!("{}/spec/vectors/valid.json", env!("CARGO_MANIFEST_DIR"));
    let vectors: Vec<serde_json::Value> = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let bytes = |hex: &str| -> Vec<u8> {
        (0..hex.len()).step_by(2).map(|i| u8::from_str_radix(&hex[i..i + 2], 16).unwrap()).collect()
    };
    let all = vectors.iter().map(|vector| bytes(vector["hex"].as_str().unwrap()));
    let short: Vec<Vec<u8>> = all.filter(|bytes| bytes.len() <= 100).collect();
    assert!(short.len() > 250);
    short
}

#[test]
fn cut_at_every_byte() {
    for message in messages() {
        for end in 0..message.len() {
            let error = Marshal::decode(&message[..end]).unwrap_err();
            assert!(error.is_truncated(), "{error} of {message:02x?} cut at {end}");
            laws::of_bytes(&message[..end]);
        }
    }
}

#[test]
fn every_bit_flipped() {
    for message in messages() {
        for bit in 0..8 * message.len() {
            let mut damaged = message.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            laws::of_bytes(&damaged);
        }
    }
}

#[test]
fn something_behind_the_message() {
    for message in messages() {
        for extra in [&[0][..], &[0xD7], &message] {
            let bytes = [&message, extra].concat();
            let error = Marshal::decode(&bytes).unwrap_err();
            assert_eq!((error.kind(), error.offset()), (ErrorKind::TrailingBytes, Some(message.len() as u64)));
            assert_eq!(Marshal::check(&bytes), Err(error));
            assert_eq!(Marshal::decode_prefix(&bytes).map(|(_, len)| len), Ok(message.len()));
        }
    }
}

#[test]
fn what_is_no_message_of_this_version() {
    for (bytes, kind, at) in [
        (&b""[..], ErrorKind::Truncated, 0),
        (b"\xD7", ErrorKind::Truncated, 0),
        (b"{\"a\": 1}", ErrorKind::BadMagic, 0),
        (b"\xD7M\x02", ErrorKind::UnsupportedVersion, 2),
        (b"\xD7M\x01\x40\x01\xC0", ErrorKind::UnsupportedFlags, 3),
        (b"\xD7M\x01\x08\x01\x00\xC0", ErrorKind::EmptySection, 5),
        (b"\xD7M\x01\x20\x01\xC0", ErrorKind::UnsupportedFlags, 3),
        (b"\xD7M\x01\x00\x00", ErrorKind::EmptySection, 4),
        (b"\xD7M\x01\x02\x01\x00\xC0", ErrorKind::EmptySection, 5),
        (b"\xD7M\x01\x00\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01\xC0", ErrorKind::Truncated, 15),
    ] {
        let error = Marshal::decode(bytes).unwrap_err();
        assert_eq!((error.kind(), error.offset()), (kind, Some(at)), "{bytes:02x?}");
        laws::of_bytes(bytes);
    }
}

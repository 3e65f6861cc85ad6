//! Faults that the laws and the fuzzer found, each with a test named for what went wrong.

use marshal::{ErrorKind, Graph, Marshal};

#[test]
fn a_buffer_could_be_given_a_maximum_that_no_reader_accepts() {
    let mut graph = Graph::new();
    assert!(graph.resizable_buffer(&[], (1 << 53) - 1).is_ok());
    assert_eq!(graph.resizable_buffer(&[], 1 << 53).unwrap_err().kind(), ErrorKind::BadBuffer);
}

#[test]
fn check_placed_a_doubled_key_elsewhere_than_decode() {
    // [[1], Map {1 => 1, 1 => 1}]
    let message = [0xD7, 0x4D, 1, 0, 9, 0x82, 0x81, 1, 0xD6, 2, 1, 1, 1, 1];
    let decoded = Marshal::decode(&message).unwrap_err();
    assert_eq!((decoded.kind(), decoded.offset()), (ErrorKind::DuplicateKey, Some(12)));
    assert_eq!(Marshal::check(&message), Err(decoded));
}

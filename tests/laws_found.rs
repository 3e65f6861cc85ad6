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

#[test]
fn a_string_of_another_graph_made_a_torn_message() {
    let mut donor = Graph::new();
    donor.string("some text before it");
    let (text, lone, bigint) = (donor.string("text"), donor.string_utf16(&[0xD800; 9]), donor.bigint(1u64 << 40));
    for foreign in [text, lone, bigint] {
        let mut graph = Graph::new();
        let root = graph.array([foreign]);
        graph.set_root(root);
        assert_eq!(Marshal::encode(&graph).unwrap_err().kind(), ErrorKind::UnknownValue);
    }
    let mut graph = Graph::new();
    graph.string("éééééééééééééééééééé");
    graph.set_root(text);
    assert_eq!(Marshal::encode(&graph).unwrap_err().kind(), ErrorKind::UnknownValue);
}

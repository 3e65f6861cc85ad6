//! Faults that the laws and the fuzzer found, each with a test named for what went wrong.

use marshal::{ErrorKind, Graph};

#[test]
fn a_buffer_could_be_given_a_maximum_that_no_reader_accepts() {
    let mut graph = Graph::new();
    assert!(graph.resizable_buffer(&[], (1 << 53) - 1).is_ok());
    assert_eq!(graph.resizable_buffer(&[], 1 << 53).unwrap_err().kind(), ErrorKind::BadBuffer);
}

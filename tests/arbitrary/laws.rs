//! What holds of every graph and of every sequence of bytes.

use marshal::{DecodeOptions, Decoder, EncodeOptions, Encoder, Error, ErrorKind, Graph, Marshal};

/// A path shows so many segments of so many characters at most, whatever the message.
const MAX_PATH: usize = 32 * 1024;

/// The laws of a graph that can be encoded. Says what it is as a message.
pub(crate) fn of_graph(graph: &Graph<'_>) -> Vec<u8> {
    let bytes = Marshal::encode(graph).expect("a graph that can be encoded");
    round_trip(graph, &bytes);
    copies(graph, &bytes);
    engines(graph, &bytes);
    printing(graph);
    bytes
}

/// The laws of bytes that may be a message: those who read them agree, and a message obeys the laws of its graph.
pub(crate) fn of_bytes(bytes: &[u8]) {
    let decoded = Marshal::decode(bytes);
    let outcome = decoded.as_ref().map(|_| ()).map_err(Clone::clone);
    assert_eq!(Marshal::check(bytes), outcome, "check and decode");
    for steps in [1, 7] {
        let sliced = decode_in_slices(bytes, steps);
        match (&decoded, sliced) {
            (Ok(whole), Ok(sliced)) => assert_eq!(sliced, *whole, "in steps of {steps}"),
            // The engine does not look beyond its message.
            (Err(error), _) if error.kind() == ErrorKind::TrailingBytes => {}
            (Err(whole), Err(sliced)) => assert_eq!(sliced, *whole, "in steps of {steps}"),
            (whole, sliced) => panic!("{whole:?} in one go, {sliced:?} in steps of {steps}"),
        }
    }
    match decoded {
        Ok(graph) => {
            assert_eq!(Marshal::decode_prefix(bytes).map(|(_, len)| len), Ok(bytes.len()));
            of_graph(&graph);
        }
        Err(error) => of_error(&error, bytes.len()),
    }
}

/// An error of decoding is at a byte of the input or its end, and explains itself in bounds.
pub(crate) fn of_error(error: &Error, input_len: usize) {
    assert!(error.offset().is_some_and(|at| at <= input_len as u64), "{error}");
    assert!(error.path().is_none_or(|path| path.starts_with('$') && path.len() <= MAX_PATH), "{error}");
    let before_structure = matches!(
        error.kind(),
        ErrorKind::BadMagic
            | ErrorKind::UnsupportedVersion
            | ErrorKind::UnsupportedFlags
            | ErrorKind::EmptySection
            | ErrorKind::TrailingBytes
            | ErrorKind::InvalidUtf8
            | ErrorKind::KeyOrder
            | ErrorKind::DuplicateShape
            | ErrorKind::DuplicateSymbol
            | ErrorKind::DuplicateKey
            | ErrorKind::BadClass
    );
    let of_any_part = matches!(
        error.kind(),
        ErrorKind::Truncated
            | ErrorKind::BadVarint
            | ErrorKind::BadPadding
            | ErrorKind::BadKind
            | ErrorKind::LengthOutOfBounds
            | ErrorKind::UnknownSymbol
            | ErrorKind::UnusedBytes
    );
    assert!(before_structure || of_any_part || error.path().is_some(), "no path: {error}");
}

/// decode ∘ encode = id, and encode ∘ decode = id on canonical bytes.
fn round_trip(graph: &Graph<'_>, bytes: &[u8]) {
    assert_eq!(Marshal::check(bytes), Ok(()));
    let decoded = Marshal::decode(bytes).expect("what was encoded");
    assert_eq!(decoded, *graph);
    assert_eq!(*graph, decoded);
    assert_eq!(Marshal::encode(&decoded).as_deref(), Ok(bytes));

    let interned = Marshal::encode_with(graph, &EncodeOptions::new().intern_strings(true)).unwrap();
    let again = Marshal::decode(&interned).expect("what was encoded with interned strings");
    assert_eq!(again, *graph);
    assert_eq!(Marshal::encode(&again).as_deref(), Ok(bytes));

    let twice = [bytes, &interned].concat();
    let (first, len) = Marshal::decode_prefix(&twice).unwrap();
    assert_eq!((first, len), (decoded, bytes.len()));
    assert_eq!(Marshal::decode_prefix(&twice[len..]).map(|(_, len)| len), Ok(interned.len()));
    assert_eq!(Marshal::decode(&twice).unwrap_err().offset(), Some(len as u64));
}

/// All ways to copy a graph give an equal one.
fn copies(graph: &Graph<'_>, bytes: &[u8]) {
    let decoded = Marshal::decode(bytes).expect("what was encoded");
    let imported = decoded.root().to_graph();
    let mut within = graph.clone();
    let doubled = within.import(graph.root());
    within.set_root(doubled);
    for copy in
        [Marshal::deep_clone(graph), Marshal::deep_clone(&decoded), decoded.into_owned(), imported, within.into_owned()]
    {
        assert_eq!(copy, *graph);
        assert_eq!(Marshal::encode(&copy).as_deref(), Ok(bytes));
    }
}

/// Engines that stop and go on give what they give in one go.
fn engines(graph: &Graph<'_>, bytes: &[u8]) {
    for steps in [1, 2, 5, 1000] {
        assert_eq!(encode_in_slices(graph, steps).as_deref(), Ok(bytes), "in steps of {steps}");
        assert_eq!(decode_in_slices(bytes, steps).as_ref(), Ok(graph), "in steps of {steps}");
    }
    let mut out = vec![1, 2, 3];
    Marshal::encode_into(graph, &mut out).unwrap();
    assert_eq!((&out[..3], &out[3..]), (&[1, 2, 3][..], bytes));
    let tight = |max| Marshal::encode_with(graph, &EncodeOptions::new().max_bytes(max)).map_err(|error| error.kind());
    assert_eq!(tight(bytes.len() as u64).as_deref(), Ok(bytes));
    assert_eq!(tight(bytes.len() as u64 - 1), Err(ErrorKind::LimitExceeded));
}

/// Equal graphs print equally, within bounds and without.
fn printing(graph: &Graph<'_>) {
    let imported = graph.root().to_graph();
    assert_eq!(imported.to_string(), graph.to_string());
    assert_eq!(format!("{imported:?}"), format!("{graph:?}"));
    for items in [0, 1, 3] {
        let print = |graph: &Graph<'_>| graph.print().depth(items + 1).items(items).text(2).pretty(true).to_string();
        assert_eq!(print(&imported), print(graph));
    }
}

pub(crate) fn decode_in_slices(bytes: &[u8], steps: usize) -> Result<Graph<'_>, Error> {
    let mut decoder = Decoder::new(bytes, &DecodeOptions::new())?;
    while !decoder.run(steps)? {}
    decoder.finish()
}

pub(crate) fn encode_in_slices(graph: &Graph<'_>, steps: usize) -> Result<Vec<u8>, Error> {
    let mut encoder = Encoder::new(graph, &EncodeOptions::new());
    while !encoder.run(steps)? {}
    encoder.finish()
}

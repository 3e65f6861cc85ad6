use super::*;

/// `[{a: 1}, [5, <hole>, "x"], <the object again>]`, with a Uint16Array behind it.
const MESSAGE: &[u8] = b"\xD7\x4D\x01\x17\x10\x06\x01\x04\x00\x01\x00\x01\x04a\
    \x84\xA0\x01\xD1\x03\x02\x00\x05\x01\x41\x00\xE0\x01\xDE\x04\x02x\x00\x07\x00\x08\x00";

#[test]
fn a_value_is_read_over_with_all_that_it_holds() {
    let bytes = [MESSAGE, &[0xFF]].concat();
    let (mut source, end) = Source::new(&bytes, ShapeList::default()).unwrap();
    assert_eq!(end, MESSAGE.len());
    let start = source.place();
    source.skip().unwrap();
    source.finish().unwrap();
    let places = source.identities(start);
    assert_eq!(places.len(), 5);
    source.go_to(places[3].unwrap());
    assert_eq!(source.item(), Ok(Item::TypedArray { kind: ElementKind::Uint16, bytes: &[7, 0, 8, 0] }));
    source.go_to(places[1].unwrap());
    assert_eq!(source.item(), Ok(Item::Object(0)));
    let shape = source.shapes.shape(0).unwrap().clone();
    assert!(source.shapes.keys_are(&shape, &["a"]));
}

#[test]
fn what_containers_claim_together_is_bounded() {
    // Three arrays in one another that each claim all that remains.
    let bytes = b"\xD7\x4D\x01\x00\x04\x83\x82\x81\x00";
    let (mut source, _) = Source::new(bytes, ShapeList::default()).unwrap();
    assert_eq!(source.skip(), Err(Fault { kind: ErrorKind::LengthOutOfBounds, at: 6 }));
}

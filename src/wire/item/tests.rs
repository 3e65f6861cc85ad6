use super::*;

/// `[{a: 1}, [5, <hole>, "x"], <the object again>]`, with a Uint16Array behind it.
const MESSAGE: &[u8] = b"\xD7\x4D\x01\x17\x10\x06\x01\x04\x00\x01\x00\x01\x04a\
    \x84\xA0\x01\xD1\x03\x02\x00\x05\x01\x41\x00\xE0\x01\xDE\x04\x02x\x00\x07\x00\x08\x00";

#[test]
fn a_value_is_read_over_with_all_that_it_holds() {
    let bytes = [MESSAGE, &[0xFF]].concat();
    let (mut source, end) = Source::new(&bytes, Box::default()).unwrap();
    assert_eq!(end, MESSAGE.len());
    let start = source.place();
    source.skip().unwrap();
    source.finish().unwrap();
    let places = source.identities(start);
    assert_eq!(places.len(), 5);
    source.go_to(places[3].place);
    assert_eq!(source.item(), Ok(Item::TypedArray { kind: ElementKind::Uint16, bytes: &[7, 0, 8, 0] }));
    source.go_to(places[1].place);
    assert_eq!(source.item(), Ok(Item::Object(0)));
    assert!(source.shapes.keys_are(0, &["a"]));
}

#[test]
fn what_is_remembered_of_a_shape_is_about_one_list_of_names() {
    // Shapes with the keys a and b; a; a and b again.
    let section = b"\x00\x03\x00\x02\x04a\x04b\x00\x01\x04a\x00\x02\x04a\x04b";
    let mut shapes = ShapeList::default();
    shapes.read(&Reader::new(section, 0)).unwrap();
    static NAMES: [&str; 3] = ["a", "b", "c"];
    for _ in 0..3 {
        for len in 0..=3 {
            let names = &NAMES[..len];
            assert_eq!([0, 1, 2, 3].map(|shape| shapes.keys_are(shape, names)), [len == 2, len == 1, len == 2, false]);
            // A variant is an object with one key, which is any of the names.
            let known = (len > 0).then_some("a");
            assert_eq!([0, 1, 2, 3].map(|shape| shapes.one_key(shape, names)), [None, known, None, None]);
        }
        assert_eq!(shapes.one_key(1, &["c", "a"]), Some("a"));
        assert!(!shapes.keys_are(0, &["b", "a"]));
    }
}

#[test]
fn what_containers_claim_together_is_bounded() {
    // Three arrays in one another that each claim all that remains.
    let bytes = b"\xD7\x4D\x01\x00\x04\x83\x82\x81\x00";
    let (mut source, _) = Source::new(bytes, Box::default()).unwrap();
    assert_eq!(source.skip(), Err(Fault { kind: ErrorKind::LengthOutOfBounds, at: 6 }));
}

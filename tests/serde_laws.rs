//! Laws of typed values, over types of every form.

#[path = "arbitrary/zoo.rs"]
mod zoo;

use quickcheck::{Arbitrary, Gen, QuickCheck};
use zoo::{Adjacent, Any, Form, Internal, Newtype, Row, Zoo, of_typed_bytes, of_value};

/// A generator for what is one level further in.
fn inner(g: &Gen) -> Gen {
    Gen::new(g.size() / 3)
}

impl Arbitrary for Form {
    fn arbitrary(g: &mut Gen) -> Self {
        match if g.size() < 2 { 0 } else { u8::arbitrary(g) % 4 } {
            0 => Form::Unit,
            1 => Form::Newtype(Arbitrary::arbitrary(g)),
            2 => Form::Tuple(Arbitrary::arbitrary(g), Arbitrary::arbitrary(g)),
            _ => Form::Struct { a: Arbitrary::arbitrary(g), b: Arbitrary::arbitrary(&mut inner(g)) },
        }
    }
}

impl Arbitrary for Any {
    fn arbitrary(g: &mut Gen) -> Self {
        match u8::arbitrary(g) % if g.size() < 2 { 4 } else { 5 } {
            0 => Any::Bool(Arbitrary::arbitrary(g)),
            1 => Any::Integer(Arbitrary::arbitrary(g)),
            2 => Any::Float(Arbitrary::arbitrary(g)),
            3 => Any::Text(Arbitrary::arbitrary(g)),
            _ => Any::Many(Arbitrary::arbitrary(&mut inner(g))),
        }
    }
}

impl Arbitrary for Row {
    fn arbitrary(g: &mut Gen) -> Self {
        Row {
            at: [Arbitrary::arbitrary(g), Arbitrary::arbitrary(g)],
            n: Arbitrary::arbitrary(g),
            rare: Arbitrary::arbitrary(g),
            flag: Arbitrary::arbitrary(g),
        }
    }
}

impl Arbitrary for Zoo {
    fn arbitrary(g: &mut Gen) -> Self {
        // Many fields of a few values each.
        let g = &mut Gen::new(g.size().min(12));
        let mut rest: std::collections::BTreeMap<String, Any> = Arbitrary::arbitrary(&mut inner(g));
        // Fields of its own are no rest.
        rest.retain(|key, _| {
            key != "7" && key != "small" && key != "wide" && key != "pair" && key != "any" && key != "huge"
        });
        let internal = match u8::arbitrary(g) % 3 {
            0 => None,
            1 => Some(Internal::Unit),
            _ => Some(Internal::Struct { a: Arbitrary::arbitrary(g), b: Arbitrary::arbitrary(g) }),
        };
        let adjacent = match u8::arbitrary(g) % 3 {
            0 => Adjacent::Unit,
            1 => Adjacent::Newtype(Arbitrary::arbitrary(g)),
            _ => Adjacent::Tuple(Arbitrary::arbitrary(g), Arbitrary::arbitrary(g)),
        };
        Zoo {
            small: Arbitrary::arbitrary(g),
            wide: Arbitrary::arbitrary(g),
            huge: Arbitrary::arbitrary(g),
            maybe: Arbitrary::arbitrary(g),
            numbers: Arbitrary::arbitrary(g),
            floats: Arbitrary::arbitrary(g),
            pair: (Arbitrary::arbitrary(g), Arbitrary::arbitrary(g), ()),
            forms: Arbitrary::arbitrary(g),
            internal,
            adjacent: vec![adjacent],
            any: Arbitrary::arbitrary(g),
            names: Arbitrary::arbitrary(g),
            entries: Arbitrary::arbitrary(g),
            rows: Arbitrary::arbitrary(g),
            seven: Newtype(Arbitrary::arbitrary(g)),
            rest,
        }
    }
}

#[test]
fn values_obey_the_laws() {
    fn law(first: Zoo, second: Zoo) {
        of_value(&first);
        of_value(&[first, second]);
    }
    QuickCheck::new().tests(200).quickcheck(law as fn(Zoo, Zoo));
}

#[test]
fn a_message_with_a_byte_changed_or_cut_off_does_no_harm() {
    fn law(zoo: Zoo, at: usize, byte: u8, cut: bool) {
        let mut bytes = marshal::to_vec(&zoo).unwrap();
        let at = at % bytes.len();
        if cut {
            bytes.truncate(at)
        } else {
            bytes[at] = byte
        }
        of_typed_bytes(&bytes);
    }
    QuickCheck::new().tests(300).quickcheck(law as fn(Zoo, usize, u8, bool));
}

//! What decoding `records` takes at least: a loop that tells its tags apart and keeps a slot for each value, with nothing
//! checked and no value where it could be found again, and the check of its text. Beside them the decoder, in one run:
//! `cargo bench --bench limit`. COMPARE.md says what follows from it.

use divan::{Bencher, black_box};
use marshal::Marshal;
use marshal_bench_data::{Dataset, json};

fn main() {
    divan::main();
}

fn message() -> Vec<u8> {
    let text = serde_json::to_vec(&json(Dataset::Records, 1)).expect("JSON");
    Marshal::encode(&marshal::json::parse(&text).expect("a graph")).expect("a message")
}

fn varint(bytes: &[u8], at: &mut usize) -> usize {
    let (mut value, mut shift) = (0, 0);
    loop {
        let byte = bytes[*at];
        *at += 1;
        value |= usize::from(byte & 0x7F) << shift;
        shift += 7;
        if byte < 0x80 {
            return value;
        }
    }
}

/// Structure and text of a message that has shapes and text, and no data.
fn sections(message: &[u8]) -> (&[u8], &[u8]) {
    let mut at = 4;
    let [structure, shapes, text] = [(); 3].map(|()| varint(message, &mut at));
    message[at + shapes..][..structure + text].split_at(structure)
}

/// As large as the slots of a graph.
#[derive(Clone, Copy)]
#[allow(dead_code, reason = "they are written and never read")]
enum Slot {
    Other(u8),
    Number(f64),
    Text(u32, usize),
    Object(u32),
}

fn tell_apart(structure: &[u8], slots: &mut Vec<Slot>, objects: &mut Vec<[u32; 4]>) {
    let (mut at, mut text) = (0, 0);
    while at < structure.len() {
        let tag = structure[at];
        at += 1;
        match tag {
            0x40..0x80 => {
                slots.push(Slot::Text(u32::from(tag - 0x40), text));
                text += usize::from(tag - 0x40);
            }
            ..0x40 => slots.push(Slot::Number(f64::from(tag))),
            0x80..0xC0 => {
                objects.push([u32::from(tag), slots.len() as u32, 0, 0]);
                slots.push(Slot::Object(objects.len() as u32 - 1));
            }
            0xCE => {
                let len = varint(structure, &mut at);
                slots.push(Slot::Text(len as u32, text));
                text += len;
            }
            0xC4 | 0xC7 => slots.push(Slot::Number(number::<1>(structure, &mut at))),
            0xC5 | 0xC8 => slots.push(Slot::Number(number::<2>(structure, &mut at))),
            0xC6 | 0xC9 | 0xCA => slots.push(Slot::Number(number::<4>(structure, &mut at))),
            0xCB => slots.push(Slot::Number(number::<8>(structure, &mut at))),
            _ => slots.push(Slot::Other(tag)),
        }
    }
}

fn number<const N: usize>(structure: &[u8], at: &mut usize) -> f64 {
    let mut word = [0; 8];
    word[..N].copy_from_slice(&structure[*at..*at + N]);
    *at += N;
    u64::from_le_bytes(word) as f64
}

#[divan::bench]
fn tags_and_slots(bencher: Bencher) {
    let message = message();
    let (structure, _) = sections(&message);
    let (mut slots, mut objects) = (Vec::new(), Vec::new());
    bencher.bench_local(|| {
        slots.clear();
        objects.clear();
        tell_apart(black_box(structure), &mut slots, &mut objects);
        black_box((&slots, &objects));
    });
}

#[divan::bench]
fn text_is_utf8(bencher: Bencher) {
    let message = message();
    let (_, text) = sections(&message);
    bencher.bench_local(|| simdutf8::basic::from_utf8(black_box(text)).is_ok());
}

#[divan::bench]
fn decode(bencher: Bencher) {
    let message = message();
    bencher.bench_local(|| Marshal::decode(black_box(&message)));
}

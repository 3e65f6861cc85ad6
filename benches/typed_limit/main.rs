//! What typed work takes at least. `floor` is a serializer that does nothing but write the bytes, or a deserializer that
//! does nothing but read them. Beside them the real ones, in one run, and what single steps take:
//! `cargo bench --bench typed_limit`. COMPARE.md says what follows from it.

mod read;
mod write;

use divan::{Bencher, black_box};
use marshal_bench_data as data;
use serde::{Deserialize, Serialize};

fn main() {
    divan::main();
}

macro_rules! sets {
    ($($name:ident $value:expr, $type:ty;)*) => {
        $(mod $name {
            use super::*;

            #[divan::bench]
            fn encode_floor(bencher: Bencher) {
                let value = $value;
                let (mut floor, mut out) = (write::Floor::default(), Vec::new());
                bencher.bench_local(|| {
                    floor.begin();
                    out.clear();
                    black_box(&value).serialize(&mut floor).expect("it refuses nothing");
                    floor.finish(&mut out);
                    black_box(&out);
                });
            }

            #[divan::bench]
            fn encode_marshal(bencher: Bencher) {
                let value = $value;
                let mut out = Vec::new();
                bencher.bench_local(|| {
                    out.clear();
                    marshal::to_writer(&mut out, black_box(&value)).expect("a message");
                    black_box(&out);
                });
            }

            #[divan::bench]
            fn decode_floor(bencher: Bencher) {
                let value = $value;
                let bytes = marshal::to_vec(&value).expect("a message");
                let read = |bytes| <$type>::deserialize(&mut read::Floor::new(bytes)).expect("what was written");
                assert_eq!(read(&bytes), value);
                bencher.bench_local(|| read(black_box(&bytes)));
            }

            #[divan::bench]
            fn decode_marshal(bencher: Bencher) {
                let bytes = marshal::to_vec(&$value).expect("a message");
                bencher.bench_local(|| marshal::from_slice::<$type>(black_box(&bytes)).expect("what was written"));
            }
        })*
    };
}

sets! {
    records data::records::generate(1), Vec<data::records::Record>;
    log data::log::generate(1), Vec<data::log::Line>;
    save data::save::generate(1), Vec<data::save::Player>;
    updates data::updates::generate(1), Vec<data::updates::Update>;
    graph data::graph::generate(1), data::graph::Graph;
    small data::small::generate(), data::small::Account;
    text data::text::generate(1), Vec<String>;
}

/// What serde's `Vec` does with a sequence, without reading one.
#[divan::bench]
fn numbers_pushed(bencher: Bencher) {
    let numbers = data::numbers::generate(1);
    bencher.bench_local(|| {
        // No more is taken at once from a message that only says how much there is.
        let mut read = Vec::with_capacity((1 << 20) / size_of::<i32>());
        for &number in black_box(&numbers) {
            read.push(number);
        }
        read
    });
}

#[divan::bench]
fn numbers_copied_twice(bencher: Bencher) {
    let numbers = marshal::to_vec(&data::numbers::generate(1)).expect("a message");
    copied_twice(bencher, &numbers);
}

#[divan::bench]
fn mesh_copied_twice(bencher: Bencher) {
    let mesh = marshal::to_vec(&data::mesh::generate(1)).expect("a message");
    copied_twice(bencher, &mesh);
}

#[divan::bench]
fn text_copied_twice(bencher: Bencher) {
    copied_twice(bencher, data::text::generate(1).concat().as_bytes());
}

/// Into a section, and from there into the message.
fn copied_twice(bencher: Bencher, bytes: &[u8]) {
    let (mut section, mut out) = (Vec::new(), Vec::new());
    bencher.bench_local(|| {
        section.clear();
        out.clear();
        section.extend_from_slice(black_box(bytes));
        out.extend_from_slice(black_box(&section));
        black_box(&out);
    });
}

#[divan::bench]
fn text_validated(bencher: Bencher) {
    let text = data::text::generate(1).concat();
    bencher.bench_local(|| simdutf8::basic::from_utf8(black_box(text.as_bytes())).is_ok());
}

#[divan::bench]
fn text_owned(bencher: Bencher) {
    let text = data::text::generate(1);
    bencher.bench_local(|| black_box(&text).clone());
}

//! What decoding and encoding allocate: how often, and how much at a time.
//!
//! The counter takes a reallocation for a new block beside the old one, so a peak here is the worst case.

mod forge;

use allocation_counter::{AllocationInfo, measure};
use forge::{Message, counted, plain_shape, shapes_section, varint};
use marshal::{EncodeOptions, Graph, Marshal, Value};

/// What decoding a message allocates. The graph has been dropped by then.
fn decoding(bytes: &[u8]) -> AllocationInfo {
    measure(|| drop(Marshal::decode(bytes).unwrap()))
}

// Data as applications have it.

/// Records of 20 fields, most of them text.
fn records(n: usize) -> (Graph<'static>, usize) {
    let mut g = Graph::new();
    let keys: Vec<String> = (0..20).map(|i| format!("field{i}")).collect();
    let all: Vec<Value> = (0..n)
        .map(|row| {
            let fields: Vec<_> = keys
                .iter()
                .enumerate()
                .map(|(i, key)| {
                    let value = match i {
                        0..4 => Value::from((row * 37 % 4096) as u32),
                        4 => Value::from(row % 3 == 0),
                        5 => Value::from(row as f64 / 8.0),
                        _ => g.string(&format!("text {row} of field {i}, as long as text is")[..15 + (row + i) % 18]),
                    };
                    (key, value)
                })
                .collect();
            g.object(fields)
        })
        .collect();
    let root = g.array(all);
    g.set_root(root);
    (g, n * 21 + 1)
}

/// Lines of a log: an address of four numbers, four strings, two numbers.
fn log(n: usize) -> (Graph<'static>, usize) {
    let mut g = Graph::new();
    let all: Vec<Value> = (0..n)
        .map(|row| {
            let address = g.array([10, 0, (row / 251 % 251) as u8, (row % 251) as u8].map(Value::from));
            let strings = [
                g.string("-"),
                g.string("05/Nov/2026:08:14:31 +0000"),
                g.string(&format!("GET /article/{row} HTTP/1.1")),
                g.string("Mozilla/5.0"),
            ];
            let [identity, date, request, agent] = strings;
            g.object([
                ("address", address),
                ("identity", identity),
                ("date", date),
                ("request", request),
                ("agent", agent),
                ("code", Value::from(200)),
                ("size", Value::from((row * 7919 % 1_000_000) as u32)),
            ])
        })
        .collect();
    let root = g.array(all);
    g.set_root(root);
    (g, n * 12 + 1)
}

/// Triangles of four vectors of three numbers that a 32-bit float holds.
fn mesh(n: usize) -> (Graph<'static>, usize) {
    let mut g = Graph::new();
    let all: Vec<Value> = (0..n)
        .map(|row| {
            let vector = |g: &mut Graph<'static>, k: usize| {
                let [x, y, z] = [1, 2, 3].map(|i| Value::from((row * 31 + k * 7 + i) as f64 / 64.0 + 0.015625));
                g.object([("x", x), ("y", y), ("z", z)])
            };
            let [a, b, c, normal] = [0, 1, 2, 3].map(|k| vector(&mut g, k));
            g.object([("v0", a), ("v1", b), ("v2", c), ("normal", normal)])
        })
        .collect();
    let root = g.array(all);
    g.set_root(root);
    (g, n * 17 + 1)
}

type Data = fn(usize) -> (Graph<'static>, usize);

const REALISTIC: [(&str, Data, usize); 3] = [("records", records, 60), ("log", log, 100), ("mesh", mesh, 100)];

#[test]
fn allocations_do_not_count_nodes() {
    for (name, data, n) in REALISTIC {
        for scale in [1, 10, 100] {
            let (graph, values) = data(n * scale);
            let bytes = Marshal::encode(&graph).unwrap();
            let growth = 3 * u64::from(usize::BITS - values.leading_zeros());
            let info = decoding(&bytes);
            println!("{name} × {scale}: {values} values, {} allocations to decode", info.count_total);
            assert!(info.count_total <= 24 + growth, "{name} × {scale}: {} allocations to decode", info.count_total);
            let encode = || measure(|| drop(Marshal::encode(&graph).unwrap()));
            let info = std::thread::scope(|scope| scope.spawn(encode).join().unwrap());
            println!("{name} × {scale}: {} allocations to encode", info.count_total);
            assert!(info.count_total <= 24 + growth, "{name} × {scale}: {} allocations to encode", info.count_total);
            let info = measure(|| drop(Marshal::deep_clone(&graph)));
            assert!(info.count_total <= 16, "{name} × {scale}: {} allocations to clone", info.count_total);
            let info = measure(|| Marshal::check(&bytes).unwrap());
            assert!(info.count_total <= 24 + growth, "{name} × {scale}: {} allocations to check", info.count_total);
        }
    }
}

#[test]
fn realistic_data_takes_twice_the_message_and_a_slot_for_each_value() {
    for (name, data, n) in REALISTIC {
        for scale in [1, 7, 10, 63, 100] {
            let (graph, values) = data(n * scale);
            let bytes = Marshal::encode(&graph).unwrap();
            let peak = decoding(&bytes).bytes_max;
            let target = (2 * bytes.len() + 16 * values) as u64;
            println!(
                "{name} × {scale}: {} bytes, {values} values, peak {peak}: {:.2} of the target, {:.2} × message, {:.1} a value",
                bytes.len(),
                peak as f64 / target as f64,
                peak as f64 / bytes.len() as f64,
                peak as f64 / values as f64
            );
            // The room that is made at once for small messages comes to a mebibyte.
            assert!(peak <= target + (1 << 20), "{name} × {scale}: {peak} bytes, {target} aimed at");
        }
    }
}

// Messages made to take memory.

/// Name, unit that repeats, what stands before and behind all units, and shapes.
fn hostile(n: usize) -> Vec<(&'static str, Vec<u8>)> {
    let repeated = |head: Vec<u8>, unit: &[u8]| Message::of([head, unit.repeat(n)].concat());
    let array = || counted(0xD0, n as u64);
    let held = |extra: &[u8]| {
        let mut head = counted(0xD0, 1 + n as u64);
        head.extend(extra);
        head
    };
    let dictionary = |tag: u8| {
        let mut structure = counted(tag, n as u64);
        let mut text = Vec::new();
        for i in 0..n {
            let key = format!("{i:x}k");
            structure.extend([0x40 + key.len() as u8, 0xC0]);
            text.extend(key.as_bytes());
        }
        Message::of(structure).text(text)
    };
    let pairs = |tag: u8, per: usize| {
        let mut structure = counted(tag, n as u64);
        for i in 0..n as u32 {
            structure.push(0xC6);
            structure.extend((i + 65536).to_le_bytes());
            structure.extend(vec![0xC0; per - 1]);
        }
        Message::of(structure)
    };
    let empty_shape = shapes_section(&[plain_shape::<&str>(&[])]);
    let derived = shapes_section(&[[vec![3, 1 << 2, b'D', 0], varint(0)].concat()]);
    let custom = shapes_section(&[vec![5, 1 << 2, b'C', 0]]);
    let many_shapes: Vec<Vec<u8>> =
        (0..n as u32).map(|i| plain_shape(&[i.to_le_bytes().map(|b| b'0' + b % 64)])).collect();
    let many_shapes: std::collections::BTreeSet<_> = many_shapes.into_iter().collect();
    let many_shapes: Vec<Vec<u8>> = many_shapes.into_iter().collect();
    let wide: Vec<String> = (0..n).map(|i| format!("{i:x}k")).collect();
    let wide = Message::of([vec![0xA0], vec![0xC0; n]].concat()).shapes(shapes_section(&[plain_shape(&wide)]));
    let symbols = [varint(n as u64), vec![0; n], varint(0)].concat();
    let described = [varint(n as u64), [1, 0].repeat(n), varint(0)].concat();
    let keyed_by_symbols = {
        let mut shapes = [varint(n as u64), vec![0; n], varint(1), vec![0], varint(n as u64)].concat();
        (0..n as u64).for_each(|i| shapes.extend(varint(i << 2 | 2)));
        Message::of([vec![0xA0], vec![0xC0; n]].concat()).shapes(shapes)
    };
    let nested_sparse = Message::of([[0xD1, 1, 1, 0].repeat(n), vec![0xC0], vec![0; n]].concat());
    let nested_extra = {
        let (mut structure, text) = ([0xD1, 0, 0, 1, 0x41].repeat(n), vec![b'x'; n]);
        structure.push(0xC0);
        Message::of(structure).text(text)
    };
    let sparse_elements = {
        let head = [vec![0xD1], varint(u64::from(u32::MAX)), varint(n as u64)].concat();
        Message::of([head, [1, 0xC0].repeat(n), vec![0]].concat())
    };
    let inner_extra =
        Message::of([[0xD1, 1, 1, 0].repeat(n), vec![0xC0], [1, 0x41, 0xC0].repeat(n)].concat()).text(vec![b'x'; n]);
    [
        ("nested arrays", Message::of([vec![0x81; n], vec![0x80]].concat())),
        ("arrays that claim all", Message::of([vec![0x81; n - 1], vec![0x81, 0xC0]].concat())),
        ("empty arrays", repeated(array(), &[0x80])),
        ("empty sets", repeated(array(), &[0xD7, 0])),
        ("empty dictionaries", repeated(array(), &[0xD4, 0])),
        ("nested maps", Message::of([[0xD6, 1, 0xC0].repeat(n), vec![0xC0]].concat())),
        ("nested sets", Message::of([[0xD7, 1].repeat(n), vec![0xC0]].concat())),
        ("boxed", repeated(array(), &[0xDB, 0])),
        ("dates", repeated(array(), &[0xD8, 0, 0, 0, 0, 0, 0, 0, 0])),
        ("regexps", repeated(array(), &[0xD9, 0, 0x41, 0]).text(vec![b'x'; n])),
        ("buffers", repeated(array(), &[0xDC, 0])),
        ("resizable buffers", repeated(array(), &[0xDD, 0, 0])),
        ("typed arrays", repeated(array(), &[0xDE, 1, 0])),
        ("packed arrays", repeated(array(), &[0xD2, 1, 0])),
        ("views in place", repeated(array(), &[0xDF, 1, 0xDC, 0, 0, 1])),
        ("views of one buffer", repeated(held(&[0xDC, 0]), &[0xDF, 1, 0xE0, 1, 0, 1]).refs()),
        ("references", repeated(array(), &[0xE0, 0]).refs()),
        ("empty sparse arrays", repeated(array(), &[0xD1, 9, 0, 0])),
        ("nested sparse arrays", nested_sparse),
        ("nested extra properties", nested_extra),
        ("extra properties inside elements", inner_extra),
        ("sparse elements", sparse_elements),
        ("bigints", repeated(array(), &[0xCC, 0])),
        ("short bigints", repeated(array(), &[0xCC, 1, 1])),
        ("code units that are well-formed", repeated(array(), &[0xCF, 1]).data([b'x', 0].repeat(n))),
        ("lone surrogates", repeated(array(), &[0xCF, 1]).data([0, 0xD8].repeat(n))),
        ("interned strings", repeated(array(), &[0xE1, 0x40])),
        ("uses of an interned string", repeated(held(&[0xE1, 0x40]), &[0xE2, 0])),
        ("objects without keys", repeated(array(), &[0xA0]).shapes(empty_shape)),
        ("derived", repeated(array(), &[0xA0, 0x80]).shapes(derived)),
        ("nested custom", Message::of([vec![0xA0; n], vec![0xC0]].concat()).shapes(custom)),
        ("keys of a dictionary", dictionary(0xD4)),
        ("entries of a Map", pairs(0xD6, 2)),
        ("members of a Set", pairs(0xD7, 1)),
        ("shapes", Message::of([0xC0]).shapes(shapes_section(&many_shapes))),
        ("keys of a shape", wide),
        ("unique symbols", Message::of([0xC0]).shapes(symbols)),
        ("described symbols", Message::of([0xC0]).shapes(described)),
        ("symbols as keys", keyed_by_symbols),
        ("small numbers", repeated(array(), &[0])),
        ("empty strings", repeated(array(), &[0x40])),
    ]
    .into_iter()
    .map(|(name, message)| (name, message.build()))
    .collect()
}

#[test]
fn hostile_messages_take_a_bounded_multiple() {
    let mut worst = Vec::new();
    // Sizes on both sides of where a vector doubles.
    for n in [1000, 1 << 16, (1 << 16) + 1, (1 << 17) + 1] {
        for (name, bytes) in hostile(n) {
            let info = measure(|| match Marshal::decode(&bytes) {
                Ok(graph) => drop(graph),
                Err(error) => panic!("{name}: {error}"),
            });
            let multiple = info.bytes_max as f64 / bytes.len() as f64;
            worst.push((multiple, name, n, info.count_total));
            let check = measure(|| Marshal::check(&bytes).unwrap());
            assert!(
                check.bytes_max <= 128 * bytes.len() as u64 + 8192,
                "{name} × {n}: check takes {}",
                check.bytes_max
            );
            assert!(info.bytes_max <= 128 * bytes.len() as u64 + 8192, "{name} × {n}: {multiple:.1} times the message");
            // Such strings, which no canonical message has, are converted one by one.
            let may_convert = name == "code units that are well-formed";
            assert!(info.count_total <= 160 || may_convert, "{name} × {n}: {} allocations", info.count_total);
        }
    }
    worst.sort_by(|a, b| b.0.total_cmp(&a.0));
    for (multiple, name, n, allocations) in worst.iter().take(40) {
        println!("{multiple:6.1} × the message, {allocations} allocations: {name} × {n}");
    }
}

#[test]
fn refused_messages_take_no_more() {
    let claims = [
        counted(0xD0, u64::from(u32::MAX)),
        counted(0xD6, u64::MAX),
        counted(0xD7, 1 << 40),
        [vec![0xD1], varint(u64::from(u32::MAX)), varint(u64::from(u32::MAX))].concat(),
        counted(0xCC, 1 << 40),
        counted(0xCE, u64::MAX),
        counted(0xCF, 1 << 62),
        [vec![0xD2, 9], varint(1 << 61)].concat(),
        [vec![0xDD, 0], varint((1 << 53) - 1)].concat(),
    ];
    for claim in claims {
        let bytes = Message::of(claim.clone()).build();
        let info = measure(|| drop(Marshal::decode(&bytes)));
        assert!(info.bytes_max < 4096, "{claim:02x?}: {} bytes", info.bytes_max);
    }
    // Headers in one another that each ask for all that is left.
    let mut structure = Vec::new();
    for left in (4..60_000u64).rev().step_by(4) {
        structure.extend(counted(0xD0, left));
    }
    let bytes = Message::of(structure).build();
    let info = measure(|| drop(Marshal::decode(&bytes)));
    assert!(info.bytes_max <= 128 * bytes.len() as u64, "{} bytes", info.bytes_max);
    // A shape of many keys, and more objects of it than there is room for.
    let keys: Vec<String> = (0..100_000).map(|i| format!("k{i}")).collect();
    let shape = shapes_section(&[plain_shape(&keys)]);
    let bytes = Message::of([counted(0xD0, 1000), vec![0xA0; 100_010]].concat()).shapes(shape).build();
    let info = measure(|| assert!(Marshal::decode(&bytes).is_err()));
    assert!(info.bytes_max <= 128 * bytes.len() as u64, "{} bytes", info.bytes_max);
}

/// On a thread of its own, where no encoder has left buffers yet.
#[test]
fn encoding_takes_a_bounded_multiple() {
    for (name, data, n) in REALISTIC {
        let (graph, values) = data(100 * n);
        let len = Marshal::encode(&graph).unwrap().len() as u64;
        for intern in [false, true] {
            let options = EncodeOptions::new().intern_strings(intern);
            let encode = || measure(|| drop(Marshal::encode_with(&graph, &options).unwrap()));
            let info = std::thread::scope(|scope| scope.spawn(encode).join().unwrap());
            println!(
                "{name}: encode takes {:.2} × the message, {} allocations (interning: {intern})",
                info.bytes_max as f64 / len as f64,
                info.count_total
            );
            let bound = 8 * len + if intern { 128 * values as u64 } else { 0 };
            assert!(info.bytes_max <= bound, "{name}: {} bytes for {len}", info.bytes_max);
        }
    }
}

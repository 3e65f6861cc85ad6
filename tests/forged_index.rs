//! Indexes that say what is not so: what a reader of a part notices, and that checking the whole notices everything.

use marshal::{DecodeOptions, EncodeOptions, ErrorKind, Graph, Lazy, LazyCursor, Marshal, Value, js};

/// Users with text, numbers, cities that they share, and typed arrays: rows in every table.
fn state() -> (Graph<'static>, Value) {
    let mut graph = Graph::new();
    let cities: Vec<Value> = (0..3)
        .map(|i| {
            let name = graph.string(&format!("city {i}"));
            let bytes = graph.typed_array(&[i as u8, 2, 3]);
            graph.object([("name", name), ("bytes", bytes)])
        })
        .collect();
    let users: Vec<Value> = (0..700)
        .map(|i| {
            let name = graph.string(&format!("user {i}"));
            let kind = graph.string("a rather long word that stands in every user");
            let at = graph.date(f64::from(i));
            graph.object([("name", name), ("kind", kind), ("at", at), ("city", cities[i as usize % 3])])
        })
        .collect();
    let named = users[500];
    let users = graph.array(users);
    let root = graph.object([("users", users)]);
    graph.set_root(root);
    (graph, named)
}

fn message(graph: &Graph<'_>, named: Value) -> Vec<u8> {
    let options =
        EncodeOptions::new().index(true).intern_strings(true).entry("him", named).entry("all", graph.root().value());
    Marshal::encode_with(graph, &options).unwrap()
}

/// Words of four bytes behind the index's head: how many rows each table has, then the rows.
struct Index {
    at: usize,
    counts: [usize; 4],
}

/// The five numbers of a position, and words before it in a row of each table.
const POSITION: usize = 5;
const BEFORE: [usize; 4] = [2, 1, 0, 2];

impl Index {
    /// It is the last section, and the only place where this head can stand behind the data.
    fn of(message: &[u8]) -> Self {
        let head = [4, 0, 0, 0, 0, 0, 0, 0];
        let is_index = |at: usize| {
            let index = Index::at(message, at);
            let rows: usize = (0..4).map(|table| index.counts[table] * (BEFORE[table] + POSITION)).sum();
            message.len().checked_sub(at + 28 + 4 * rows) == Some(word(message, at + 24))
        };
        let at = (0..message.len() - 28).step_by(8).find(|&at| message[at..].starts_with(&head) && is_index(at));
        Index::at(message, at.unwrap())
    }

    fn at(message: &[u8], at: usize) -> Self {
        Index { at, counts: std::array::from_fn(|table| word(message, at + 8 + 4 * table) & 0xFF_FFFF) }
    }

    /// Where word `word` of row `row` of `table` stands.
    fn word(&self, table: usize, row: usize, word: usize) -> usize {
        let before: usize = (0..table).map(|table| self.counts[table] * (BEFORE[table] + POSITION)).sum();
        self.at + 28 + 4 * (before + row * (BEFORE[table] + POSITION) + word)
    }
}

fn word(message: &[u8], at: usize) -> usize {
    u32::from_le_bytes(message[at..at + 4].try_into().unwrap()) as usize
}

const ENTRIES: usize = 0;
const REFERENCES: usize = 1;
const STRINGS: usize = 2;
const CHILDREN: usize = 3;

fn verify(message: &[u8]) -> Result<(), ErrorKind> {
    let options = DecodeOptions::new().verify_index(true);
    let checked = Marshal::check_with(message, &options).map_err(|error| error.kind());
    let decoded = Marshal::decode_with(message, &options).map(drop).map_err(|error| error.kind());
    assert_eq!(checked, decoded);
    checked
}

/// Reads what every table is used for.
fn read(message: &[u8]) -> Result<(String, String, String, f64), marshal::Error> {
    let lazy = Lazy::new(message)?;
    let user = lazy.root()?.get("users")?.at(650)?;
    let text = |cursor: LazyCursor<'_>| cursor.as_str().unwrap_or_default().to_owned();
    let (kind, city) = (text(user.get("kind")?), text(user.get("city")?.get("name")?));
    let him = lazy.entry("him")?;
    Ok((kind, city, text(him.get("name")?), him.get("at")?.date().unwrap_or(f64::NAN)))
}

#[test]
fn a_true_index_is_verified() {
    let (graph, named) = state();
    let message = message(&graph, named);
    let index = Index::of(&message);
    assert_eq!(index.counts[ENTRIES], 2);
    assert!(index.counts.iter().all(|&rows| rows > 0), "every table has rows: {:?}", index.counts);
    assert_eq!(verify(&message), Ok(()));
    assert_eq!(read(&message).unwrap().2, "user 500");
    for other in [js!([1, 2]), js!({ a: Set["b"] })] {
        assert_eq!(verify(&Marshal::encode(&other).unwrap()), Ok(()));
        assert_eq!(verify(&Marshal::encode_with(&other, &EncodeOptions::new().index(true)).unwrap()), Ok(()));
    }
}

#[test]
fn every_flipped_bit_of_an_index_is_found_by_verifying_it() {
    let (graph, named) = state();
    let message = message(&graph, named);
    let index = Index::of(&message);
    let names = word(&message, index.at + 24);
    // Another name is as true as the first.
    let end = message.len() - names;
    let step = if cfg!(debug_assertions) { 7 } else { 1 };
    for bit in (8 * index.at..8 * end).step_by(step) {
        let mut forged = message.clone();
        forged[bit / 8] ^= 1 << (bit % 8);
        assert_eq!(verify(&forged), Err(ErrorKind::BadIndex), "bit {bit}");
        // Reading all without asking makes no use of it.
        if bit % 64 == 0 {
            Marshal::check(&forged).unwrap();
        }
        // Reading a part ends, and fails or reads something.
        let _ = read(&forged);
    }
}

#[test]
fn what_a_reader_of_a_part_can_notice_it_notices() {
    let (graph, named) = state();
    let message = message(&graph, named);
    let index = Index::of(&message);
    let set = |table: usize, row: usize, at: usize, value: u32| {
        let mut forged = message.clone();
        let at = index.word(table, row, at);
        forged[at..at + 4].copy_from_slice(&value.to_le_bytes());
        read(&forged).map_err(|error| error.kind())
    };
    let get = |table: usize, row: usize, at: usize| word(&message, index.word(table, row, at)) as u32;
    let bad = Err(ErrorKind::BadIndex);
    let row_of =
        |table: usize, wanted: &dyn Fn(usize) -> bool| (0..index.counts[table]).rfind(|&row| wanted(row)).unwrap();

    // An entry: that is a value inside the object, not where its identity is, of another identity, outside.
    let him = row_of(ENTRIES, &|row| get(ENTRIES, row, 1) == 3 && get(ENTRIES, row, 2) > 0);
    assert_eq!(set(ENTRIES, him, 2, get(ENTRIES, him, 2) + 1), bad);
    assert_eq!(set(ENTRIES, him, 5, get(ENTRIES, him, 5) + 1), bad);
    assert_eq!(set(ENTRIES, him, 5, get(ENTRIES, him, 5) - 2), bad);
    assert_eq!(set(ENTRIES, him, 3, get(ENTRIES, him, 3) - 1), bad);
    assert_eq!(set(ENTRIES, him, 2, u32::MAX), bad);

    // The city of the user that is read: behind the reference, of another identity, or nowhere.
    let user = Lazy::new(&message).unwrap();
    let city = user.root().unwrap().get("users").unwrap().at(650).unwrap().get("city").unwrap().id().unwrap() as u32;
    let row = row_of(REFERENCES, &|row| get(REFERENCES, row, 0) == city);
    assert_eq!(set(REFERENCES, row, 4, city + 1), bad);
    assert_eq!(set(REFERENCES, row, 4, city - 1), bad);
    assert_eq!(set(REFERENCES, row, 0, city + 1), bad);
    assert_eq!(set(REFERENCES, row, 1, 20_000), bad);
    assert_eq!(set(REFERENCES, row, 2, 20_000), bad);

    // The string that all users have: of another id, of another item, behind where it is used.
    let text = message.windows(6).position(|window| window == b"user 0").unwrap();
    let kind = row_of(STRINGS, &|row| message[text + get(STRINGS, row, 1) as usize..].starts_with(b"a rather"));
    assert_eq!(set(STRINGS, kind, 4, get(STRINGS, kind, 4) + 1), bad);
    assert_eq!(set(STRINGS, kind, 0, get(STRINGS, kind, 0) + 3), bad);
    assert_eq!(set(STRINGS, kind, 0, 20_000), bad);

    // A place of children that does not lie inside their container.
    let users = row_of(CHILDREN, &|row| get(CHILDREN, row, 1) <= 650 && get(CHILDREN, row, 0) == 1);
    assert_eq!(set(CHILDREN, users, 2, 1), bad);
    assert_eq!(set(CHILDREN, users, 5, 1), bad);
    assert_eq!(set(CHILDREN, users, 2, u32::MAX), bad);
}

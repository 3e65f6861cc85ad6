//! Reading parts: the same as decoding all of it, and nothing else touched.

use marshal::{Cursor, DecodeOptions, EncodeOptions, ErrorKind, Graph, Kind, Lazy, LazyCursor, Marshal, Value, js};
use serde::Deserialize;

#[derive(Deserialize)]
struct Vector {
    name: String,
    hex: String,
}

fn bytes(hex: &str) -> Vec<u8> {
    (0..hex.len()).step_by(2).map(|i| u8::from_str_radix(&hex[i..i + 2], 16).unwrap()).collect()
}

fn vectors(file: &str) -> Vec<Vector> {
    let path = format!("{}/spec/vectors/{file}", env!("CARGO_MANIFEST_DIR"));
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

/// The forms of a message: as it is, with an index, with interned strings and an index.
fn forms(graph: &Graph<'_>) -> Vec<Vec<u8>> {
    let options = EncodeOptions::new().index(true);
    vec![
        Marshal::encode(graph).unwrap(),
        Marshal::encode_with(graph, &EncodeOptions::new().intern_strings(true)).unwrap(),
        Marshal::encode_with(graph, &options).unwrap(),
        Marshal::encode_with(graph, &options.intern_strings(true)).unwrap(),
    ]
}

/// Both say the same, at every step down to `depth`; and each part makes the graph that it is.
fn compare(eager: Cursor<'_>, lazy: LazyCursor<'_>, depth: usize, left: &mut usize) {
    if *left == 0 {
        return;
    }
    *left -= 1;
    assert_eq!(lazy.kind(), eager.kind());
    assert_eq!(lazy.text(), eager.text());
    assert_eq!(lazy.as_f64().map(f64::to_bits), eager.as_f64().map(f64::to_bits));
    assert_eq!(lazy.as_bool(), eager.as_bool());
    assert_eq!(lazy.bigint(), eager.bigint());
    assert_eq!(lazy.date().map(f64::to_bits), eager.date().map(f64::to_bits));
    assert_eq!(lazy.len(), eager.len());
    assert_eq!(lazy.class(), eager.class());
    assert_eq!(lazy.error(), eager.error());
    assert_eq!(lazy.has_null_prototype(), eager.has_null_prototype());
    assert_eq!(lazy.symbol().map(|symbol| symbol.kind()), eager.symbol().map(|symbol| symbol.kind()));
    assert_eq!(lazy.regexp().is_ok(), eager.regexp().is_some());
    assert_eq!(lazy.buffer().ok().map(|buffer| buffer.bytes()), eager.buffer().map(|buffer| buffer.bytes()));
    assert_eq!(
        lazy.elements().ok().map(|elements| (elements.kind(), elements.bytes())),
        eager.elements().map(|elements| (elements.kind(), elements.bytes()))
    );
    let mut part = eager.graph().clone();
    part.set_root(eager.value());
    assert_eq!(lazy.to_graph().unwrap(), part);
    if depth == 0 {
        return;
    }
    let mut down = |eager: Cursor<'_>, lazy: LazyCursor<'_>| compare(eager, lazy, depth - 1, left);
    if let (Some(eager), Ok(lazy)) = (eager.base(), lazy.base()) {
        down(eager, lazy);
    }
    if let (Some(eager), Ok(lazy)) = (eager.payload(), lazy.payload()) {
        down(eager, lazy);
    }
    if let (Some(eager), Ok(lazy)) = (eager.boxed(), lazy.boxed()) {
        down(eager, lazy);
    }
    if !matches!(eager.kind(), Kind::TypedArray | Kind::DataView) {
        for (index, element) in eager.iter().enumerate().take(300) {
            match element {
                Some(element) => down(element, lazy.at(index).unwrap()),
                None => assert_eq!(lazy.at(index).err().map(|error| error.kind()), Some(ErrorKind::NotFound)),
            }
        }
        let lazy: Vec<_> = lazy.iter().take(300).map(Result::unwrap).collect();
        assert_eq!(lazy.len(), eager.len().min(300) * usize::from(eager.kind() == Kind::Array));
        for (eager, lazy) in eager.iter().zip(lazy) {
            assert_eq!(eager.map(Cursor::kind), lazy.map(LazyCursor::kind));
        }
    }
    let mut properties = lazy.properties();
    for property in eager.properties().take(300) {
        let lazy_property = properties.next().unwrap().unwrap();
        assert_eq!(lazy_property.name(), property.name());
        assert_eq!(lazy_property.symbol().map(|own| own.kind()), property.symbol().map(|own| own.kind()));
        down(property.value(), lazy_property.value());
        down(property.value(), lazy.get(property.key()).unwrap());
    }
    let mut entries = lazy.entries();
    for (eager_key, eager_value) in eager.entries().take(300) {
        let (key, value) = entries.next().unwrap().unwrap();
        down(eager_key, key);
        down(eager_value, value);
        if let Some(name) = eager_key.as_str() {
            down(eager_value, lazy.get(name).unwrap());
        }
    }
    let mut members = lazy.members();
    for eager in eager.members().take(300) {
        down(eager, members.next().unwrap().unwrap());
    }
    assert!(lazy.get("no such key").unwrap_err().is_not_found());
    assert!(lazy.at(1 << 40).unwrap_err().is_not_found());
}

#[test]
fn every_vector_reads_the_same_part_by_part() {
    for file in ["valid.json", "noncanonical.json"] {
        for vector in vectors(file) {
            let original = bytes(&vector.hex);
            let graph = Marshal::decode(&original).unwrap();
            for message in [vec![original.clone()], forms(&graph)].concat() {
                let eager = Marshal::decode(&message).unwrap();
                assert_eq!(eager, graph, "{}", vector.name);
                Marshal::check(&message).unwrap();
                let lazy = match Lazy::new(&message) {
                    // An index of no sense, which readers of the whole pass over.
                    Err(error) if error.kind() == ErrorKind::BadIndex && message == original => continue,
                    lazy => lazy.unwrap(),
                };
                let root = lazy.root().unwrap_or_else(|error| panic!("{}: {error}", vector.name));
                compare(eager.root(), root, 3, &mut 80);
            }
        }
    }
}

/// Records with strings, shared objects and numbers: large enough for places of children to be noted.
fn records(n: u32) -> Graph<'static> {
    let mut graph = Graph::new();
    let cities: Vec<Value> = (0..5)
        .map(|i| {
            let name = graph.string(&format!("city {i}"));
            graph.object([("name", name)])
        })
        .collect();
    let users: Vec<Value> = (0..n)
        .map(|i| {
            let name = graph.string(&format!("user {i}"));
            let tags = (0..i % 5).map(|tag| graph.string(&format!("tag {tag}"))).collect::<Vec<_>>();
            let tags = graph.array(tags);
            graph.object([("name", name), ("id", Value::from(i)), ("tags", tags), ("city", cities[i as usize % 5])])
        })
        .collect();
    let by_name: Vec<(String, Value)> = users.iter().enumerate().map(|(i, &user)| (format!("u{i}"), user)).collect();
    let users = graph.array(users);
    let by_name = graph.object(by_name.iter().map(|(name, user)| (name.as_str(), *user)));
    let last = graph.string("the end");
    let root = graph.object([("users", users), ("byName", by_name), ("last", last)]);
    graph.set_root(root);
    graph
}

#[test]
fn places_in_a_large_message_are_found() {
    let graph = records(2000);
    for message in forms(&graph) {
        let lazy = Lazy::new(message).unwrap();
        let root = lazy.root().unwrap();
        assert_eq!(root.get("last").unwrap().as_str(), Some("the end"));
        for i in [0, 1, 2, 99, 1203, 1999] {
            let user = root.get("users").unwrap().at(i).unwrap();
            compare(graph.root().get("users").unwrap().at(i).unwrap(), user, 2, &mut 100);
            let same = root.get("byName").unwrap().get(&*format!("u{i}")).unwrap();
            assert!(user.is_same_object(same));
            assert_eq!(user.get("city").unwrap().get("name").unwrap().as_str(), Some(&*format!("city {}", i % 5)));
        }
        assert!(root.get("users").unwrap().at(2000).unwrap_err().is_not_found());
    }
}

#[test]
fn an_index_is_added_and_replaced_where_the_message_is() {
    for vector in vectors("valid.json") {
        let graph = Marshal::decode(&bytes(&vector.hex)).unwrap().into_owned();
        let [plain, _, indexed, _] = forms(&graph).try_into().unwrap();
        let again = |message: &[u8]| Lazy::new(message).unwrap().with_index::<String>([]).unwrap();
        assert_eq!(again(&plain), indexed, "{}", vector.name);
        assert_eq!(again(&indexed), indexed, "{}", vector.name);
        let verify = DecodeOptions::new().verify_index(true);
        Marshal::check_with(&indexed, &verify).unwrap();

        let lazy = Lazy::new(&plain).unwrap();
        if lazy.root().unwrap().id().is_none() {
            continue;
        }
        // A long name makes a longer head, and its removal a shorter one.
        let name = "name ".repeat(60);
        let named = lazy.with_index([(name.as_str(), lazy.root().unwrap())]).unwrap();
        let root = graph.root().value();
        assert_eq!(Marshal::encode_with(&graph, &EncodeOptions::new().entry(&name, root)).unwrap(), named);
        Marshal::check_with(&named, &verify).unwrap();
        assert_eq!(again(&named), indexed, "{}", vector.name);
        assert_eq!(Marshal::read_from_index(&named, &name).unwrap(), graph, "{}", vector.name);
    }
}

#[test]
fn an_entry_is_read_when_all_else_is_damaged() {
    let mut graph = records(1000);
    let user = graph.root().get("users").unwrap().at(777).unwrap().value();
    graph.set(user, "self", user).unwrap();
    let root = graph.root().value();
    let options = EncodeOptions::new().entry("the user", user).entry("all", root);
    let message = Marshal::encode_with(&graph, &options).unwrap();
    let mut wanted = graph.clone();
    wanted.set_root(user);
    assert_eq!(Marshal::read_from_index(&message, "the user").unwrap(), wanted);
    assert_eq!(Marshal::read_from_index(&message, "all").unwrap(), graph);
    assert!(Marshal::read_from_index(&message, "nobody").unwrap_err().is_not_found());
    assert_eq!(Lazy::new(&message).unwrap().entries().unwrap(), ["all", "the user"]);

    // Where the user and his city stand, and the head and shapes and index, are left alone.
    let lazy = Lazy::new(&message).unwrap();
    let entry = lazy.entry("the user").unwrap();
    assert_eq!(entry.get("name").unwrap().as_str(), Some("user 777"));
    let find = |text: &str| message.windows(text.len()).position(|window| window == text.as_bytes()).unwrap();
    let (name, city) = (find("user 777"), find("city 2"));
    let mut damaged = message.clone();
    let text = find("user 0");
    let text_end = find("the end");
    for (at, byte) in damaged.iter_mut().enumerate().take(text_end).skip(text) {
        if !(name..name + 30).contains(&at) && !(city..city + 6).contains(&at) {
            *byte = 0xFF;
        }
    }
    assert!(Marshal::decode(&damaged).is_err());
    assert_eq!(Marshal::read_from_index(&damaged, "the user").unwrap(), wanted);
}

#[test]
fn what_cannot_be_an_entry_is_refused() {
    let mut graph = Graph::new();
    let text = graph.string("text");
    let inner = graph.array([text]);
    let unreached = graph.array([]);
    let base = graph.array([]);
    let derived = graph.derived("Stack", 0, base, [("top", inner)]).unwrap();
    graph.set_root(derived);
    let kind = |options: EncodeOptions| Marshal::encode_with(&graph, &options).unwrap_err().kind();
    assert_eq!(kind(EncodeOptions::new().entry("a", text)), ErrorKind::UnknownValue);
    assert_eq!(kind(EncodeOptions::new().entry("a", unreached)), ErrorKind::UnknownValue);
    assert_eq!(kind(EncodeOptions::new().entry("a", base)), ErrorKind::SharedBase);
    assert_eq!(kind(EncodeOptions::new().entry("a", inner).entry("a", derived)), ErrorKind::DuplicateKey);
    let mut buffer = vec![1, 2, 3];
    let options = EncodeOptions::new().entry("a", inner);
    buffer.extend(Marshal::encode_with(&graph, &options).unwrap());
    assert_eq!(Marshal::read_from_index(&buffer[3..], "a").unwrap().to_string(), r#"["text"]"#);
}

#[test]
fn references_that_leave_a_part_are_followed_inwards_and_outwards() {
    // A tree whose children know their parents: any part is all of it.
    let mut graph = Graph::new();
    let mut parent = graph.object([("name", Value::from(0))]);
    graph.set_root(parent);
    for i in 1..50 {
        let child = graph.object([("name", Value::from(i)), ("parent", parent)]);
        graph.set(parent, "child", child).unwrap();
        parent = child;
    }
    for message in forms(&graph) {
        let lazy = Lazy::new(message).unwrap();
        let mut cursor = lazy.root().unwrap();
        let mut eager = graph.root();
        while let Ok(child) = cursor.get("child") {
            cursor = child;
            eager = eager.get("child").unwrap();
        }
        let mut wanted = graph.clone();
        wanted.set_root(eager.value());
        assert_eq!(cursor.to_graph().unwrap(), wanted);
    }
}

#[test]
fn damage_never_panics_nor_hangs() {
    let state = js!({
        users: [{ name: "Ada", tags: Set["a", "b"] }, { name: "Zoë", at: Date(5), re: RegExp("a+", "g") }],
        xs: Float64Array[1.0, 2.5], map: Map { "k" => [1, 2] }, big: [1, 2, 3, 4, 5, 6, 7, 8, 9]
    });
    let mut seed = 99u64;
    let mut random = move |n: usize| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        (seed % n as u64) as usize
    };
    for message in [forms(&state), forms(&records(40))].concat() {
        for _ in 0..400 {
            let mut damaged = message.clone();
            for _ in 0..=random(3) {
                let at = random(damaged.len());
                damaged[at] = random(256) as u8;
            }
            let Ok(lazy) = Lazy::new(&damaged) else { continue };
            let mut left = 200;
            if let Ok(root) = lazy.root() {
                touch(root, &mut left);
            }
            for name in lazy.entries().unwrap_or_default() {
                let _ = lazy.entry(name).and_then(LazyCursor::to_graph);
            }
        }
    }
}

/// Reads whatever there is, up to a bound.
fn touch(cursor: LazyCursor<'_>, left: &mut usize) {
    if *left == 0 {
        return;
    }
    *left -= 1;
    let _ = (cursor.kind(), cursor.len(), cursor.elements(), cursor.regexp(), cursor.buffer(), cursor.bigint());
    if left.is_multiple_of(16) {
        let _ = cursor.to_graph();
    }
    let _ = cursor.get("name").map(|value| touch(value, left));
    let _ = cursor.at(1).map(|value| touch(value, left));
    for value in cursor.iter().take(20).flatten().flatten() {
        touch(value, left);
    }
    for property in cursor.properties().take(20).flatten() {
        touch(property.value(), left);
    }
    for (key, value) in cursor.entries().take(20).flatten() {
        touch(key, left);
        touch(value, left);
    }
    for value in cursor.members().take(20).flatten() {
        touch(value, left);
    }
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Step {
    Element(usize),
    Property(String),
}

#[derive(Deserialize)]
struct Part {
    name: String,
    hex: String,
    entry: Option<String>,
    #[serde(default)]
    path: Vec<Step>,
    canonical: Option<String>,
    error: Option<String>,
    offset: Option<u64>,
}

#[test]
fn every_part_of_the_vectors_is_read_or_refused_as_it_says() {
    let path = format!("{}/spec/vectors/parts.json", env!("CARGO_MANIFEST_DIR"));
    let parts: Vec<Part> = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    assert!(parts.len() >= 30);
    for part in parts {
        let message = bytes(&part.hex);
        let read = || {
            let lazy = Lazy::new(&message)?;
            let mut cursor = match &part.entry {
                Some(name) => lazy.entry(name)?,
                None => lazy.root()?,
            };
            for step in &part.path {
                cursor = match step {
                    Step::Element(index) => cursor.at(*index)?,
                    Step::Property(name) => cursor.get(name.as_str())?,
                };
            }
            cursor.to_graph().and_then(|graph| Marshal::encode(&graph))
        };
        match (read(), &part.canonical) {
            (Ok(read), Some(canonical)) => assert_eq!(read, bytes(canonical), "{}", part.name),
            (Err(error), None) => {
                assert_eq!(Some(error.kind().as_str()), part.error.as_deref(), "{}: {error}", part.name);
                assert_eq!(error.offset(), part.offset, "{}: {error}", part.name);
            }
            (result, _) => panic!("{}: {result:?}", part.name),
        }
    }
}

//! Snapshots through the public API: damage, bombs, kills, writers at once. `tests/snapshot-full.sh` runs the long forms.
#![cfg(feature = "snapshot")]

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use marshal::compress::{CompressOptions, Compression, Dictionary};
use marshal::{
    EncodeOptions, Encoded, ErrorKind, Graph, LoadOptions, Marshal, Metadata, SaveOptions, Snapshot, Sync, Value, js,
};

/// Every compression, and none.
fn all() -> impl Iterator<Item = Option<Compression>> {
    Compression::ALL.iter().copied().map(Some).chain([None])
}

fn options(compression: Option<Compression>) -> SaveOptions {
    let options = SaveOptions::new().sync(Sync::None).metadata(Metadata::new().application("test").schema_version(7));
    match compression {
        Some(compression) => options.compression(compression),
        None => options,
    }
}

fn load(bytes: &[u8]) -> Result<Vec<u8>, marshal::Error> {
    Snapshot::from_bytes(bytes, &LoadOptions::new()).map(Snapshot::into_message)
}

/// A state with a number, and bytes that follow from it.
fn numbered(n: u32, len: u32) -> Graph<'static> {
    let mut graph = Graph::new();
    let noise: Vec<u32> = (0..len).map(|i| (i ^ n).wrapping_mul(2_654_435_761)).collect();
    let noise = graph.typed_array(&noise);
    let root = graph.object([("n", Value::from(n)), ("noise", noise)]);
    graph.set_root(root);
    graph
}

fn number_of(state: &Graph<'_>) -> u32 {
    let n = state.root().get("n").and_then(|n| n.as_i64()).unwrap() as u32;
    let len = state.root().get("noise").unwrap().len() as u32;
    assert_eq!(*state, numbered(n, len), "the state is whole");
    n
}

fn names(directory: &Path) -> Vec<String> {
    let mut names: Vec<_> =
        fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// As many as the short tests do, or all of them.
fn times(short: u32, full: u32) -> u32 {
    if std::env::var_os("MARSHAL_FULL_TESTS").is_some() { full } else { short }
}

struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % n
    }
}

#[test]
fn every_compression_goes_both_ways_and_plain_files_load_too() {
    let state = js!({ user: "Ada", list: [1, 2, 3], text: "zoë zoë zoë zoë" });
    let message = Marshal::encode(&state).unwrap();
    for compression in all() {
        let bytes = Snapshot::to_bytes(&state, &options(compression)).unwrap();
        let snapshot = Snapshot::from_bytes(&bytes, &LoadOptions::new()).unwrap();
        assert_eq!(snapshot.graph().unwrap(), state);
        assert_eq!(snapshot.compression(), compression);
        assert_eq!(snapshot.metadata().application_name(), Some("test"));
        assert_eq!(snapshot.metadata().schema(), Some(7));
        assert_eq!(Snapshot::to_bytes(&Encoded(&message), &options(compression)).unwrap(), bytes);
    }
    assert_eq!(load(&message).unwrap(), message);
    for compression in [Compression::Zstd, Compression::Lz4, Compression::Gzip, Compression::Deflate] {
        assert_eq!(load(&compression.compress(&message).unwrap()).unwrap(), message);
    }
    assert_eq!(load(b"{}").unwrap_err().kind(), ErrorKind::BadMagic);
    let missing = Snapshot::load("no/such/file").unwrap_err();
    assert_eq!(missing.io_kind(), Some(std::io::ErrorKind::NotFound));
    assert_eq!(Snapshot::to_bytes(&Encoded(b"{}"), &SaveOptions::new()).unwrap_err().kind(), ErrorKind::BadMagic);
}

#[test]
fn every_flipped_bit_and_every_cut_of_a_small_snapshot_is_noticed() {
    let state = js!({ user: "Ada", seen: Set["a", "b"], xs: Float64Array[1.0, 2.5] });
    let indexed = EncodeOptions::new().index(true).entry("all", state.root().value());
    for options in all().map(options).chain([options(None).encode(indexed)]) {
        let bytes = Snapshot::to_bytes(&state, &options).unwrap();
        for bit in 0..8 * bytes.len() {
            let mut flipped = bytes.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            assert!(load(&flipped).is_err(), "{options:?} bit {bit} of {}", 8 * bytes.len());
        }
        for len in 0..bytes.len() {
            assert!(load(&bytes[..len]).is_err(), "{options:?} cut to {len}");
        }
        let longer = [&bytes[..], &[0]].concat();
        assert_eq!(load(&longer).unwrap_err().kind(), ErrorKind::TrailingBytes);
    }
}

/// Some bytes in the file are not what they were. Where, and what stood there.
fn damage(bytes: &mut [u8], random: &mut Random) -> (usize, Vec<u8>) {
    let at = random.below(bytes.len() as u64) as usize;
    let len = (1 + random.below(16) as usize).min(bytes.len() - at);
    let was = bytes[at..at + len].to_vec();
    match random.below(4) {
        // One bit; some bytes; a run of zeros; a run moved here from elsewhere.
        0 => bytes[at] ^= 1 << random.below(8),
        1 => bytes[at..at + len].iter_mut().for_each(|byte| *byte = random.below(256) as u8),
        2 => bytes[at..at + len].fill(0),
        _ => {
            let from = random.below((bytes.len() - len) as u64) as usize;
            bytes.copy_within(from..from + len, at);
        }
    }
    (at, was)
}

/// Users of which a part can be read: several blocks of structure, of text, and of an index.
fn users() -> Graph<'static> {
    let mut graph = Graph::new();
    let users: Vec<Value> = (0..6000)
        .map(|i| {
            let name = graph.string(&format!("user {i}"));
            let tags: Vec<Value> = (0..i % 4).map(|tag| graph.string(&format!("tag {tag}"))).collect();
            let tags = graph.array(tags);
            let big = f64::from(i) / 3.0;
            graph.object([("name", name), ("id", Value::from(i)), ("tags", tags), ("third", Value::from(big))])
        })
        .collect();
    let root = graph.array(users);
    graph.set_root(root);
    graph
}

#[test]
fn random_damage_to_a_large_snapshot_is_noticed() {
    let mut random = Random(7);
    let indexed = options(None).encode(EncodeOptions::new().index(true));
    let cases = [
        (numbered(1, 60_000), options(None), 34_000),
        (users(), indexed, 33_000),
        (numbered(1, 60_000), options(Some(Compression::Lz4)), 33_000),
    ];
    for (state, options, full) in cases {
        let whole = Snapshot::to_bytes(&state, &options).unwrap();
        let mut bytes = whole.clone();
        for _ in 0..times(300, full) {
            let (at, was) = damage(&mut bytes, &mut random);
            let is_same = bytes == whole;
            match load(&bytes) {
                Ok(_) => assert!(is_same, "damage at {at} was not noticed"),
                Err(error) => assert!(!is_same, "{error}"),
            }
            bytes[at..at + was.len()].copy_from_slice(&was);
        }
        assert_eq!(bytes, whole);
    }
}

#[test]
fn random_damage_to_a_large_open_snapshot_gives_no_wrong_values() {
    use std::io::{Seek, SeekFrom, Write};
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("state.marshal");
    let (state, mut random) = (users(), Random(11));
    Snapshot::save_with(&path, &state, &options(None).encode(EncodeOptions::new().index(true))).unwrap();
    let whole = fs::read(&path).unwrap();
    let mut bytes = whole.clone();
    let mut file = fs::File::options().write(true).open(&path).unwrap();
    let mut write = |at: usize, bytes: &[u8]| {
        file.seek(SeekFrom::Start(at as u64)).unwrap();
        file.write_all(bytes).unwrap();
    };
    let (mut noticed, mut elsewhere) = (0, 0);
    for _ in 0..times(600, 100_000) {
        let (at, was) = damage(&mut bytes, &mut random);
        // The file is mapped only after it has been changed, and changed back when it is no longer.
        write(at, &bytes[at..at + was.len()]);
        let wanted = random.below(6000) as usize;
        let read = || {
            let open = Snapshot::open(&path)?;
            open.root()?.at(wanted)?.to_graph()
        };
        match read() {
            Ok(read) => {
                let mut part = state.clone();
                part.set_root(state.root().at(wanted).unwrap().value());
                assert_eq!(read, part, "damage at {at}");
                elsewhere += 1;
            }
            Err(_) => noticed += 1,
        }
        write(at, &was);
        bytes[at..at + was.len()].copy_from_slice(&was);
    }
    println!("{noticed} damages were met, {elsewhere} stood elsewhere");
    assert!(noticed > 0 && elsewhere > 0);
}

#[test]
fn a_bomb_is_refused_before_it_takes_memory() {
    // 16 MiB of zeros that a header of our own making announces, and that a bare stream does not.
    let mut graph = Graph::new();
    let zeros = graph.buffer(&vec![0; 16 << 20]);
    graph.set_root(zeros);
    let bounded = LoadOptions::new().max_bytes(1 << 20);
    for compression in [Compression::Zstd, Compression::Gzip] {
        let bomb = Snapshot::to_bytes(&graph, &options(Some(compression))).unwrap();
        assert!(bomb.len() < 100_000);
        assert!(Snapshot::from_bytes(&bomb, &bounded).unwrap_err().is_limit());
        let bare = compression.compress(&Marshal::encode(&graph).unwrap()).unwrap();
        assert!(Snapshot::from_bytes(&bare, &bounded).unwrap_err().is_limit());
    }
}

#[test]
fn a_dictionary_is_named_by_its_content() {
    let samples: Vec<Vec<u8>> = (0..500u32)
        .map(|n| Marshal::encode(&js!({ name: "player", level: n, inventory: ["sword", "shield"] })).unwrap())
        .collect();
    let dictionary = Dictionary::train(&samples, 2048).unwrap();
    let state = js!({ name: "player", level: 9, inventory: ["sword", "shield"] });
    let bytes = Snapshot::to_bytes(&state, &SaveOptions::new().dictionary(dictionary.clone())).unwrap();
    let error = load(&bytes).unwrap_err();
    assert!(error.to_string().contains(&format!("{:016x}", dictionary.id())), "{error}");
    let other = LoadOptions::new().dictionary(Dictionary::from_bytes(samples[0].clone()));
    assert!(Snapshot::from_bytes(&bytes, &other).is_err());
    let same = LoadOptions::new().dictionary(dictionary.clone());
    assert_eq!(Snapshot::from_bytes(&bytes, &same).unwrap().graph().unwrap(), state);
    // One that is not needed does no harm.
    let plain = Snapshot::to_bytes(&state, &options(Some(Compression::Zstd))).unwrap();
    assert_eq!(Snapshot::from_bytes(&plain, &same).unwrap().graph().unwrap(), state);
    assert!(CompressOptions::new(Compression::Gzip).dictionary(dictionary).compress(b"").is_err());
}

/// Not a test by itself: what the tests below run in a process of its own.
#[test]
#[ignore = "run by other tests as a process of its own"]
fn child() {
    let Ok(path) = std::env::var("MARSHAL_CHILD_PATH") else { return };
    let var = |name: &str| std::env::var(name).unwrap().parse::<u32>().unwrap();
    let (first, step, len) = (var("MARSHAL_CHILD_FIRST"), var("MARSHAL_CHILD_STEP"), var("MARSHAL_CHILD_LEN"));
    let writer = std::env::var("MARSHAL_CHILD_WRITER").unwrap_or_default();
    let sync = match writer.as_str() {
        "full" => Sync::Full,
        "data" => Sync::Data,
        _ => Sync::None,
    };
    let options = SaveOptions::new().sync(sync);
    let count = var("MARSHAL_CHILD_COUNT");
    for i in 0..count {
        let n = first + i * step;
        let saved = match writer.as_str() {
            // Prints what is there, for `snapshot-power-cut.py`.
            "check" => {
                match Snapshot::load(&path) {
                    Ok(state) => println!("holds {}", number_of(&state)),
                    Err(error) => println!("torn {error}"),
                }
                return;
            }
            // What nobody should do: the script has to notice it.
            "in-place" => {
                fs::write(&path, Snapshot::to_bytes(&numbered(n, len), &options).unwrap()).unwrap();
                Ok(())
            }
            _ => Snapshot::save_with(&path, &numbered(n, len), &options),
        };
        match saved {
            Ok(()) => println!("saved {n}"),
            Err(error) => {
                println!("failed {error}");
                return;
            }
        }
    }
}

struct Child<'a> {
    path: &'a Path,
    first: u32,
    step: u32,
    len: u32,
    count: u32,
}

impl Child<'_> {
    fn command(&self) -> Command {
        let mut command = Command::new(std::env::current_exe().unwrap());
        self.arrange(&mut command);
        command.args(CHILD_ARGS);
        command
    }

    fn arrange(&self, command: &mut Command) {
        command
            .env("MARSHAL_CHILD_PATH", self.path)
            .env("MARSHAL_CHILD_FIRST", self.first.to_string())
            .env("MARSHAL_CHILD_STEP", self.step.to_string())
            .env("MARSHAL_CHILD_LEN", self.len.to_string())
            .env("MARSHAL_CHILD_COUNT", self.count.to_string())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
    }
}

const CHILD_ARGS: [&str; 4] = ["--exact", "child", "--ignored", "--nocapture"];

#[test]
fn a_process_killed_at_any_instant_leaves_a_state_that_was_saved() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("state.marshal");
    let len = 100_000;
    Snapshot::save(&path, &numbered(0, len)).unwrap();
    let (mut last, mut random, mut litter) = (0, Random(42), 0);
    for _ in 0..times(20, 1000) {
        let mut child =
            Child { path: &path, first: last + 1, step: 1, len, count: u32::MAX }.command().spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        // After the first save is acknowledged, at a random instant of the saves that follow.
        let mut acknowledged = lines
            .by_ref()
            .map_while(Result::ok)
            .find_map(|line| line.split("saved ").nth(1).map(|n| n.parse::<u32>().unwrap()))
            .unwrap();
        std::thread::sleep(Duration::from_micros(random.below(20_000)));
        child.kill().unwrap();
        child.wait().unwrap();
        for line in lines.map_while(Result::ok) {
            // The line itself may be cut off.
            if let Some(n) = line.split("saved ").nth(1).and_then(|n| n.parse::<u32>().ok()) {
                acknowledged = acknowledged.max(n);
            }
        }
        let found = number_of(&Snapshot::load(&path).unwrap());
        assert!(found >= acknowledged, "{found} after {acknowledged} was acknowledged");
        assert!(found > last, "states come in order");
        litter += names(dir.path()).len() - 1;
        last = found;
    }
    Snapshot::save(&path, &numbered(last + 1, len)).unwrap();
    assert_eq!(names(dir.path()), ["state.marshal"]);
    println!("{last} states saved; {litter} temporary files were left by killed processes and swept");
}

#[test]
fn writers_at_once_never_tear_a_file() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("state.marshal");
    Snapshot::save(&path, &numbered(0, 50_000)).unwrap();
    let children: Vec<_> = (0..2)
        .map(|i| Child { path: &path, first: 2 + i, step: 2, len: 50_000, count: 60 }.command().spawn().unwrap())
        .collect();
    let mut reads = 0;
    let mut done = false;
    let outputs = std::thread::spawn(move || {
        children.into_iter().map(|child| child.wait_with_output().unwrap()).collect::<Vec<_>>()
    });
    while !done {
        done = outputs.is_finished();
        number_of(&Snapshot::load(&path).unwrap());
        reads += 1;
    }
    for output in outputs.join().unwrap() {
        let text = String::from_utf8(output.stdout).unwrap();
        assert_eq!(text.matches("saved ").count(), 60, "{text}");
    }
    assert!(reads > 1);
    assert_eq!(names(dir.path()), ["state.marshal"]);
}

/// The kernel itself refuses the write: a bound on the size of files.
#[cfg(unix)]
#[test]
fn a_write_that_the_kernel_refuses_leaves_the_old_state() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("state.marshal");
    Snapshot::save(&path, &numbered(1, 1000)).unwrap();
    let child = Child { path: &path, first: 2, step: 1, len: 100_000, count: 1 };
    let mut shell = Command::new("sh");
    child.arrange(&mut shell);
    // Without the trap the kernel kills the process instead of refusing the write.
    let exe = std::env::current_exe().unwrap();
    let script = format!("trap '' XFSZ; ulimit -f 100; exec \"{}\" {}", exe.display(), CHILD_ARGS.join(" "));
    let output = shell.args(["-c", &script]).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("failed io: could not write the temporary file"), "{text}");
    assert_eq!(number_of(&Snapshot::load(&path).unwrap()), 1);
    assert_eq!(names(dir.path()), ["state.marshal"]);
}

#[test]
fn an_open_snapshot_reads_what_it_is_asked_for_and_checks_it() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("state.marshal");
    let mut graph = Graph::new();
    let parts: Vec<Value> = (0..40)
        .map(|i| {
            let text = graph.string(&format!("part {i} ").repeat(3000));
            graph.object([("i", Value::from(i)), ("text", text)])
        })
        .collect();
    let root = graph.array(parts.iter().copied());
    graph.set_root(root);
    let encode = EncodeOptions::new().index(true).entry("the fifth", parts[5]);
    Snapshot::save_with(&path, &graph, &SaveOptions::new().encode(encode).metadata(Metadata::new().schema_version(2)))
        .unwrap();
    let open = Snapshot::open(&path).unwrap();
    assert!(open.has_index() && open.metadata().schema() == Some(2));
    assert_eq!(open.entries().unwrap(), ["the fifth"]);
    for i in [39, 0, 17] {
        let part = open.root().unwrap().at(i).unwrap();
        assert_eq!(part.get("i").unwrap().as_i64(), Some(i as i64));
        let mut wanted = graph.clone();
        wanted.set_root(parts[i]);
        assert_eq!(part.to_graph().unwrap(), wanted);
    }
    // A file that is replaced stays as it was for those who have it open.
    Snapshot::save(&path, &js!("replaced")).unwrap();
    assert_eq!(open.entry("the fifth").unwrap().get("i").unwrap().as_i64(), Some(5));
    assert_eq!(Snapshot::open(&path).unwrap().root().unwrap().as_str(), Some("replaced"));

    // Damage in one part is met there, and nowhere else.
    Snapshot::save_with(&path, &graph, &SaveOptions::new().encode(EncodeOptions::new().index(true))).unwrap();
    let mut bytes = fs::read(&path).unwrap();
    let at = bytes.windows(8).position(|window| window == b"part 20 ").unwrap() + 10_000;
    bytes[at] ^= 1;
    fs::write(&path, &bytes).unwrap();
    assert_eq!(Snapshot::read(&path).unwrap_err().kind(), ErrorKind::Damaged);
    let open = Snapshot::open(&path).unwrap();
    let text = |i| open.root().unwrap().at(i).unwrap().get("text").map(|text| text.as_str().unwrap().len());
    assert_eq!(text(3).unwrap(), 21_000);
    assert_eq!(text(39).unwrap(), 24_000);
    assert_eq!(text(20).unwrap_err().kind(), ErrorKind::Damaged);

    // Compressed snapshots and plain messages open too.
    for compression in all() {
        Snapshot::save_with(&path, &js!([1, { a: "b" }]), &options(compression)).unwrap();
        let open = Snapshot::open(&path).unwrap();
        assert_eq!(open.root().unwrap().at(1).unwrap().get("a").unwrap().as_str(), Some("b"));
    }
    fs::write(&path, Marshal::encode(&js!([7])).unwrap()).unwrap();
    assert_eq!(Snapshot::open(&path).unwrap().root().unwrap().at(0).unwrap().as_i64(), Some(7));
}

#[test]
fn no_damage_to_an_open_snapshot_gives_wrong_values() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("state.marshal");
    let state = js!({ users: [{ name: "Ada", age: 36 }, { name: "Grace", age: 85 }], last: "the end" });
    let named = state.root().get("users").unwrap().at(1).unwrap().value();
    let encode = EncodeOptions::new().entry("admiral", named);
    Snapshot::save_with(&path, &state, &SaveOptions::new().encode(encode).sync(Sync::None)).unwrap();
    let whole = fs::read(&path).unwrap();
    let read = || {
        let open = Snapshot::open(&path)?;
        let user = open.root()?.get("users")?.at(1)?;
        let (name, age) = (user.get("name")?.as_str().map(str::to_owned), user.get("age")?.as_i64());
        Ok::<_, marshal::Error>((name, age, open.entry("admiral")?.to_graph()?))
    };
    let wanted = (Some("Grace".to_owned()), Some(85), js!({ name: "Grace", age: 85 }));
    assert_eq!(read().unwrap(), wanted);
    for bit in 0..8 * whole.len() {
        let mut flipped = whole.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        fs::write(&path, &flipped).unwrap();
        match read() {
            Ok(read) => assert_eq!(read, wanted, "bit {bit}"),
            // What is not there was not looked for in damaged bytes.
            Err(error) => assert!(!error.is_not_found(), "bit {bit}: {error}"),
        }
        if let Ok(open) = Snapshot::open(&path)
            && let Ok(names) = open.entries()
        {
            assert_eq!(names, ["admiral"], "bit {bit}");
        }
    }
}

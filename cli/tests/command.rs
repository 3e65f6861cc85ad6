//! The command as a user runs it: what it writes, what it says, how it ends.

use std::fs;
use std::path::{Path, PathBuf};

use assert_cmd::Command;
use assert_cmd::assert::Assert;
use marshal::{Marshal, js};

/// A folder of its own for each test.
struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Folder(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn file(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        fs::write(self.path(name), bytes).unwrap();
        self.path(name)
    }

    /// Runs the command in the folder, so that messages name files without it.
    fn run(&self, args: &[&str]) -> Assert {
        self.run_with(args, Vec::new())
    }

    fn run_with(&self, args: &[&str], input: impl Into<Vec<u8>>) -> Assert {
        Command::cargo_bin("marshal").unwrap().current_dir(self.0.path()).args(args).write_stdin(input).assert()
    }

    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.0.path()).unwrap();
        let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

fn stdout(assert: &Assert) -> String {
    String::from_utf8(assert.get_output().stdout.clone()).unwrap()
}

fn stderr(assert: &Assert) -> String {
    String::from_utf8(assert.get_output().stderr.clone()).unwrap()
}

/// Checks that the command failed in this way and said exactly this.
#[track_caller]
fn failed(assert: Assert, code: i32, message: &str) {
    let assert = assert.code(code);
    assert_eq!(stderr(&assert), format!("{message}\n"));
}

fn message() -> Vec<u8> {
    Marshal::encode(&js!({ user: "Ada", seen: Set["a"], at: Date(1.7e12) })).unwrap()
}

#[test]
fn json_goes_to_a_message_and_comes_back() {
    let folder = Folder::new();
    let text = r#"{"name":"Ada","n":[1,2.5,-0,1e21],"deep":{"é\n":null}}"#;
    folder.file("in.json", text);
    folder.run(&["encode", "in.json", "-o", "out.marshal"]).success();
    let bytes = fs::read(folder.path("out.marshal")).unwrap();
    assert_eq!(bytes, Marshal::encode(&marshal::json::parse(text.as_bytes()).unwrap()).unwrap());
    let back = folder.run(&["decode", "out.marshal"]).success();
    assert_eq!(stdout(&back), format!("{}\n", text.replace("1e21", "1e+21")));
    folder.run(&["decode", "out.marshal", "-o", "back.json", "--strict", "--pretty"]).success();
    let pretty = fs::read_to_string(folder.path("back.json")).unwrap();
    assert!(pretty.starts_with("{\n  \"name\": \"Ada\",\n  \"n\": [\n    1,\n"), "{pretty}");
    assert_eq!(folder.names(), ["back.json", "in.json", "out.marshal"]);
}

#[test]
fn a_realistic_file_comes_back_as_it_was() {
    let folder = Folder::new();
    let users: Vec<String> = (0..2000)
        .map(|i| {
            let tags: Vec<String> = (0..i % 7).map(|tag| format!("\"tag {tag}\"")).collect();
            let scores: Vec<String> = (0..i % 40).map(|score| (score * i).to_string()).collect();
            format!(
                "{{\"id\":{i},\"name\":\"User Ünal {i}\",\"ok\":{},\"balance\":{}.25,\"tags\":[{}],\"scores\":[{}],\"none\":null}}",
                i % 2 == 0,
                i * 37,
                tags.join(","),
                scores.join(",")
            )
        })
        .collect();
    let text = format!("{{\"users\":[{}],\"total\":2000}}\n", users.join(","));
    let message = folder.run_with(&["encode", "-"], text.as_str()).success();
    let message = message.get_output().stdout.clone();
    assert!(message.len() < text.len() / 2);
    let back = folder.run_with(&["decode", "-", "--strict"], message.clone()).success();
    assert!(stdout(&back) == text);
    assert_eq!(stdout(&folder.run_with(&["check", "-"], message).success()), "standard input: ok\n");
}

#[test]
fn a_million_levels_go_through_every_command() {
    let folder = Folder::new();
    let text = "[".repeat(1_000_000) + &"]".repeat(1_000_000) + "\n";
    folder.file("deep.json", &text);
    folder.run(&["encode", "deep.json", "-o", "deep.marshal"]).success();
    assert!(stdout(&folder.run(&["decode", "deep.marshal"]).success()) == text);
    assert!(stdout(&folder.run(&["decode", "deep.marshal", "--strict"]).success()) == text);
    assert_eq!(stdout(&folder.run(&["check", "deep.marshal"]).success()), "deep.marshal: ok\n");
    let summary = stdout(&folder.run(&["inspect", "deep.marshal", "--summary"]).success());
    assert!(summary.contains("     1000000      1000000 100.0%  arrays"), "{summary}");
}

#[test]
fn what_json_cannot_hold_is_shown_or_refused() {
    let folder = Folder::new();
    folder.file("m", message());
    let shown = r#"{"user":"Ada","seen":{"$set":["a"]},"at":{"$date":"2023-11-14T22:13:20.000Z"}}"#;
    assert_eq!(stdout(&folder.run(&["decode", "m"]).success()), format!("{shown}\n"));
    failed(
        folder.run(&["decode", "m", "--strict", "-o", "out.json"]),
        1,
        "error: m: unrepresentable in $.seen: JSON has no Set\n  hint: without --strict it is shown in a form of its own",
    );
    assert_eq!(folder.names(), ["m"]);
}

#[test]
fn bad_json_is_named_by_line_byte_and_path() {
    let folder = Folder::new();
    folder.file("bad.json", "{\n  \"users\": [\n    {\"näme\": 1},\n    {\"näme\": ?}\n  ]\n}\n");
    failed(
        folder.run(&["encode", "bad.json", "-o", "out"]),
        1,
        "error: bad.json: line 4, column 14: bad-syntax at byte 47 in $.users[1][\"näme\"]: expected a value",
    );
    failed(
        folder.run_with(&["encode", "-", "-o", "out"], ""),
        1,
        "error: standard input: line 1, column 1: bad-syntax at byte 0 in $: the text ends where a value is expected",
    );
    failed(
        folder.run_with(&["encode", "-", "-o", "out"], message()),
        1,
        "error: standard input: bad-syntax at byte 0 in $: expected a value\n  hint: this is a Marshal message already; marshal decode shows it",
    );
    assert_eq!(folder.names(), ["bad.json"]);
}

#[test]
fn bad_messages_are_named_by_byte_and_path() {
    let folder = Folder::new();
    let bytes = message();
    let end = bytes.len() - 1;
    folder.file("cut", &bytes[..end]);
    let cut = format!("cut: truncated at byte {end}: the input ends inside an item");
    failed(folder.run(&["decode", "cut"]), 1, &format!("error: {cut}"));
    let check = folder.run(&["check", "cut"]).code(1);
    assert_eq!((stdout(&check), stderr(&check)), (format!("{cut}\n"), String::new()));

    let mut late = bytes.clone();
    let date = late.windows(8).position(|window| window == 1.7e12f64.to_le_bytes()).unwrap();
    late[date + 7] = 0x7F;
    folder.file("late", &late);
    failed(
        folder.run(&["decode", "late"]),
        1,
        &format!(
            "error: late: bad-date at byte {} in $.at: a time value is NaN or an integer of at most 8.64e15 milliseconds",
            date - 1
        ),
    );
    failed(
        folder.run_with(&["decode", "-"], "[1]"),
        1,
        "error: standard input: bad-magic at byte 0: not a Marshal message: it does not begin with D7 4D\n  hint: this looks like JSON; marshal encode makes a message of it",
    );
    let twice = [bytes.clone(), bytes.clone()].concat();
    folder.file("twice", twice);
    let assert = folder.run(&["decode", "twice"]).code(1);
    assert!(stderr(&assert).starts_with(&format!("error: twice: trailing-bytes at byte {}", bytes.len())));
}

#[test]
fn check_goes_through_all_files() {
    let folder = Folder::new();
    folder.file("good", message());
    folder.file("bad", "nothing");
    let assert = folder.run(&["check", "bad", "missing", "good"]).code(1);
    let text = stdout(&assert);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "bad: bad-magic at byte 0: not a Marshal message: it does not begin with D7 4D");
    assert!(lines[1].starts_with("missing: can't read: "), "{text}");
    assert_eq!(lines[2], "good: ok");
    let verbose = stdout(&folder.run(&["check", "-v", "good"]).success());
    assert!(verbose.starts_with(&format!("good: ok, {} bytes, ", message().len())), "{verbose}");
    assert!(verbose.ends_with(" MB/s\n"), "{verbose}");
}

#[test]
fn inspect_shows_bytes_and_a_summary() {
    let folder = Folder::new();
    folder.file("m", Marshal::encode(&js!({ a: [1, "two"] })).unwrap());
    let lines = "\
00000000  d7 4d                     magic
00000002  01                        version 1
00000003  03                        flags: shapes text
00000004  04                        length of structure: 4
00000005  06                        length of shapes: 6
00000006  03                        length of text: 3
00000007                            shapes: 6 bytes
00000007  00                          0 symbols
00000008  01                          1 shape
00000009  00 01                         shape 0: plain object, 1 key
0000000b  04 61                           key \"a\"
0000000d                            structure: 4 bytes
0000000d  a0                          object of shape 0, identity 0
0000000e  82                            a: array of 2, identity 1
0000000f  01                              [0]: 1
00000010  43                              [1]: string \"two\"
00000011  74 77 6f                  text: 3 bytes
";
    let summary = "\
20 bytes
           7  35.0%  head
           6  30.0%  shapes
           4  20.0%  structure
           3  15.0%  text

       count        bytes         values
           1            4  20.0%  strings
           1            1   5.0%  integers
           1            1   5.0%  arrays
           1            1   5.0%  objects

     objects  shapes by use
           1  0 {a}
";
    assert_eq!(stdout(&folder.run(&["inspect", "m"]).success()), format!("{lines}\n{summary}"));
    assert_eq!(stdout(&folder.run(&["inspect", "m", "--bytes"]).success()), lines);
    assert_eq!(stdout(&folder.run(&["inspect", "m", "--summary"]).success()), summary);
    let first: String = lines.lines().take(2).map(|line| format!("{line}\n")).collect();
    assert_eq!(stdout(&folder.run(&["inspect", "m", "-b", "-l", "2"]).success()), format!("{first}… 15 lines more\n"));
    let shallow = stdout(&folder.run(&["inspect", "m", "--bytes", "--depth", "0"]).success());
    assert!(shallow.contains("object of shape 0") && !shallow.contains("a: array"), "{shallow}");
}

#[test]
fn inspect_shows_a_damaged_message_up_to_its_fault() {
    let folder = Folder::new();
    let mut bytes = Marshal::encode(&js!([1, 2, 3])).unwrap();
    bytes[7] = 0xE5;
    folder.file("m", &bytes);
    let assert = folder.run(&["inspect", "m"]).code(1);
    let text = stdout(&assert);
    assert!(text.ends_with("00000006  01                            [0]: 1\n"), "{text}");
    assert_eq!(stderr(&assert), "error: m: bad-tag at byte 7 in $[1]: no value has this tag\n");
}

/// An archive of the original library: the fixed head, a root, an empty index.
fn archive(root: &[u8]) -> Vec<u8> {
    let mut archive = Vec::from(&(100 + root.len() as u32).to_le_bytes()[..]);
    archive.extend([18, 7, 0, 0, 0, 1, 1, 0, 0, 0, b'v', 1, 5, 0, 0, 0]);
    archive.extend(b"0.2.0");
    for (name, set) in ["be", "re", "hs", "hn", "aa", "dn"].into_iter().zip([14, 14, 14, 14, 13, 13]) {
        archive.extend([1, 2, 0, 0, 0]);
        archive.extend(name.bytes().chain([set]));
    }
    archive.resize(100, 0);
    archive.extend(root);
    archive.extend([20, 0, 0, 0, 0]);
    archive
}

#[test]
fn archives_of_the_original_are_imported() {
    let folder = Folder::new();
    // [1, an instance of class 0 without fields]
    folder.file("old", archive(&[17, 2, 0, 0, 0, 2, 1, 29, 0, 0, 0, 0, 0, 0, 0, 0]));
    folder.run(&["import", "--original", "old", "-o", "new"]).success();
    let class = |name| format!("[1,{{\"$class\":\"{name}\",\"version\":0,\"fields\":{{}}}}]\n");
    assert_eq!(stdout(&folder.run(&["decode", "new"]).success()), class("Class0"));
    folder.run(&["import", "--original", "old", "--classes", "User", "-o", "new"]).success();
    assert_eq!(stdout(&folder.run(&["decode", "new"]).success()), class("User"));
    let hint = "this looks like an archive of the original library; marshal import reads those";
    let assert = folder.run(&["decode", "old"]).code(1);
    assert!(stderr(&assert).ends_with(&format!("  hint: {hint}\n")), "{}", stderr(&assert));
    let assert = folder.run_with(&["import", "--original", "-", "-o", "x"], message()).code(1);
    assert!(stderr(&assert).contains("marshal decode shows it"), "{}", stderr(&assert));
    assert_eq!(folder.names(), ["new", "old"]);
}

#[test]
fn files_that_cannot_be_read_or_written_are_named() {
    let folder = Folder::new();
    folder.file("in.json", "1");
    let assert = folder.run(&["encode", "missing.json", "-o", "x"]).code(1);
    assert!(stderr(&assert).starts_with("error: missing.json: can't read: "), "{}", stderr(&assert));
    let missing = Path::new("no").join("out");
    let assert = folder.run(&["encode", "in.json", "-o", missing.to_str().unwrap()]).code(1);
    assert!(stderr(&assert).contains("out: can't write: "), "{}", stderr(&assert));
    let assert = folder.run(&["encode", "in.json", "-o", "."]).code(1);
    assert!(stderr(&assert).contains("can't write: "), "{}", stderr(&assert));
    assert_eq!(folder.names(), ["in.json"]);
}

#[test]
fn a_failed_write_leaves_the_old_file() {
    let folder = Folder::new();
    folder.file("out", "old");
    folder.run_with(&["encode", "-", "-o", "out"], "[1").code(1);
    folder.file("m", message());
    folder.run(&["decode", "m", "-o", "out", "--max-bytes", "10"]).code(1);
    assert_eq!(fs::read_to_string(folder.path("out")).unwrap(), "old");
    folder.run_with(&["encode", "-", "-o", "out"], "[1]").success();
    assert_ne!(fs::read(folder.path("out")).unwrap(), b"old");
    assert_eq!(folder.names(), ["m", "out"]);
}

#[cfg(unix)]
#[test]
fn links_modes_and_devices_are_respected() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let folder = Folder::new();
    let target = folder.file("target", "old");
    fs::set_permissions(&target, fs::Permissions::from_mode(0o600)).unwrap();
    symlink("target", folder.path("link")).unwrap();
    folder.run_with(&["encode", "-", "-o", "link"], "1").success();
    assert!(fs::symlink_metadata(folder.path("link")).unwrap().is_symlink());
    assert_eq!(fs::metadata(&target).unwrap().permissions().mode() & 0o777, 0o600);
    assert_ne!(fs::read(&target).unwrap(), b"old");
    folder.run_with(&["encode", "-", "-o", "/dev/null"], "1").success();
    folder.run_with(&["encode", "-", "-o", "fresh"], "1").success();
    let mode = fs::metadata(folder.path("fresh")).unwrap().permissions().mode();
    assert_eq!(mode & 0o600, 0o600);
}

#[cfg(unix)]
#[test]
fn a_reader_that_goes_away_is_no_error() {
    let folder = Folder::new();
    folder.file("big.json", format!("[{}1]", "1,".repeat(200_000)));
    folder.run(&["encode", "big.json", "-o", "big"]).success();
    let program = assert_cmd::cargo::cargo_bin("marshal");
    for command in ["decode big --pretty", "inspect big", "decode big"] {
        let line = format!("'{}' {command} | head -c 10 >/dev/null; exit ${{PIPESTATUS[0]}}", program.display());
        let assert = Command::new("bash").current_dir(folder.0.path()).args(["-c", &line]).assert().success();
        assert_eq!(stderr(&assert), "");
    }
}

#[test]
fn wrong_usage_is_told_apart() {
    let folder = Folder::new();
    for args in [&["encode"][..], &["nonsense"], &["decode", "x", "--nonsense"], &["check"], &["import"], &[]] {
        folder.run(args).code(2);
    }
    folder.run(&["inspect", "x", "--summary", "--bytes"]).code(2);
}

#[test]
fn help_explains_with_examples() {
    let folder = Folder::new();
    let all = stdout(&folder.run(&["--help"]).success());
    for command in ["encode", "decode", "inspect", "check", "import"] {
        assert!(all.contains(&format!("  {command}")), "{all}");
        let help = stdout(&folder.run(&[command, "--help"]).success());
        assert!(help.contains(&format!("Examples:\n  marshal {command} ")), "{help}");
        let short = stdout(&folder.run(&[command, "-h"]).success());
        assert!(short.contains("Examples:"), "{short}");
    }
    let decode = stdout(&folder.run(&["decode", "--help"]).success());
    for form in ["$undefined", "$map", "$date", "$class", "$typedArray", "$ref"] {
        assert!(decode.contains(form), "{form}");
    }
    assert!(stdout(&folder.run(&["--version"]).success()).starts_with("marshal "));
}

#[test]
fn a_snapshot_is_saved_queried_compared_and_verified() {
    let folder = Folder::new();
    let users: Vec<String> = (0..2000).map(|i| format!(r#"{{"name":"user {i}","tags":["a","b"]}}"#)).collect();
    let json = format!(r#"{{"users":[{}],"odd key":[1,2]}}"#, users.join(","));
    folder.file("in.json", &json);
    folder.run(&["save", "in.json", "s.snap"]).success();
    folder.run(&["save", "in.json", "z.snap", "--zstd", "--level", "9", "--generations", "2"]).success();
    for file in ["s.snap", "z.snap"] {
        assert_eq!(stdout(&folder.run(&["load", file]).success()), format!("{json}\n"));
        assert_eq!(stdout(&folder.run(&["query", file, "users[1203].name"]).success()), "\"user 1203\"\n");
        assert_eq!(stdout(&folder.run(&["query", file, r#"["odd key"][1]"#]).success()), "2\n");
        assert!(stdout(&folder.run(&["verify", file]).success()).starts_with(&format!("{file}: ok, ")));
    }
    failed(folder.run(&["query", "s.snap", "users[2000]"]), 1, "error: s.snap: not-found: there is no element 2000");
    failed(folder.run(&["query", "s.snap", "a..b"]), 2, "error: expected a name before \".b\"");

    folder.file("other.json", json.replace("user 7\"", "user seven\"").replace("odd key", "even key"));
    folder.run(&["save", "other.json", "t.snap"]).success();
    let differences = stdout(&folder.run(&["diff", "s.snap", "t.snap"]).code(1));
    assert_eq!(
        differences,
        "- $[\"odd key\"]: [1, 2]\n+ $[\"even key\"]: [1, 2]\n~ $.users[7].name: \"user 7\" -> \"user seven\"\n"
    );
    folder.run(&["diff", "s.snap", "z.snap"]).success();

    let sizes = stdout(&folder.run(&["sizes", "s.snap"]).success());
    assert!(
        sizes.lines().any(|line| line.ends_with(".users[] in 2000 values")) && sizes.contains(".name in 2000 values"),
        "{sizes}"
    );
    folder.run(&["sizes", "s.snap", "--html", "sizes.html"]).success();
    assert!(fs::read_to_string(folder.path("sizes.html")).unwrap().contains("\"n\":\".users[]\""));

    folder.run(&["recompress", "z.snap", "--compression", "lz4"]).success();
    assert!(stdout(&folder.run(&["verify", "z.snap"]).success()).ends_with("lz4\n"));
    let mut bytes = fs::read(folder.path("z.snap")).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 4;
    folder.file("z.snap", bytes);
    assert!(stdout(&folder.run(&["verify", "s.snap", "z.snap"]).code(1)).contains("z.snap: damaged at byte"));
}

#[test]
fn a_dictionary_is_trained_and_needed() {
    let folder = Folder::new();
    let mut args = vec!["train".to_owned()];
    for i in 0..150 {
        folder.file("p.json", format!(r#"{{"name":"player {i}","items":["sword","shield"],"level":{}}}"#, i * 7919));
        let name = format!("p{i}.snap");
        folder.run(&["save", "p.json", &name]).success();
        args.push(name);
    }
    args.extend(["-o", "dict", "--max-bytes", "1000"].map(str::to_owned));
    folder.run(&args.iter().map(String::as_str).collect::<Vec<_>>()).success();
    folder.run(&["save", "p.json", "d.snap", "--dictionary", "dict"]).success();
    assert!(stderr(&folder.run(&["load", "d.snap"]).code(1)).contains("made with the dictionary"));
    assert_eq!(
        stdout(&folder.run(&["load", "d.snap", "--dictionary", "dict"]).success()),
        fs::read_to_string(folder.path("p.json")).unwrap() + "\n"
    );
}

#[test]
fn what_a_killed_command_left_is_removed_by_the_next() {
    let folder = Folder::new();
    folder.file("a.json", "[1]");
    for name in [".out.json.abc.marshal-tmp", ".other.json.abc.marshal-tmp", ".out.json.bak"] {
        folder.file(name, "half");
    }
    folder.run(&["encode", "a.json", "-o", "a.marshal"]).success();
    folder.run(&["decode", "a.marshal", "-o", "out.json"]).success();
    let mut names: Vec<_> =
        fs::read_dir(folder.path("")).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    assert_eq!(names, [".other.json.abc.marshal-tmp", ".out.json.bak", "a.json", "a.marshal", "out.json"]);
}

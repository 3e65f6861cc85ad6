//! The arguments and their help.

use std::path::PathBuf;

use clap::{Args as ClapArgs, Parser, Subcommand};

/// Turns JavaScript-shaped values into bytes and back.
///
/// A Marshal message holds what JSON loses: undefined, BigInt, Date, Map, Set, class instances, typed arrays, shared and
/// circular references. This command makes messages from JSON and shows what is in them.
#[derive(Debug, Parser)]
#[command(
    name = "marshal",
    version,
    arg_required_else_help = true,
    after_help = "\
Examples:
  marshal encode users.json -o users.marshal     JSON to a message
  marshal decode users.marshal --pretty          and back, to read
  marshal inspect users.marshal                  what each byte means
  marshal check *.marshal                        are these valid?
  marshal import --original old.bin -o new.marshal
  marshal save state.json state.snap --zstd      a snapshot that survives a crash
  marshal query state.snap 'users[1203].name'    one value, without reading the rest

FILE may be - for standard input, OUT may be - for standard output.
Exit code: 0 done, 1 bad input or a file that can't be read or written, 2 wrong usage."
)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Encode(Encode),
    Decode(Decode),
    Inspect(Inspect),
    Check(Check),
    Import(Import),
    Save(Save),
    Load(Load),
    Query(Query),
    Diff(Diff),
    Sizes(Sizes),
    Verify(Verify),
    Train(Train),
    Recompress(Recompress),
}

/// Makes a message from JSON.
///
/// Reads the text as JSON.parse does: of a key that stands twice the last value counts, numbers become doubles. The
/// message is canonical: the same values give the same bytes.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Examples:
  marshal encode users.json -o users.marshal
  curl -s https://example.com/users | marshal encode - -o users.marshal
  marshal encode users.json | marshal decode - | diff users.json -")]
pub(crate) struct Encode {
    /// JSON text in UTF-8; - for standard input
    #[arg(value_name = "FILE")]
    pub(crate) input: PathBuf,
    /// Where to write the message. It is replaced in one go, never left half written [default: standard output]
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: Option<PathBuf>,
}

/// Shows a message as JSON.
///
/// What came from JSON comes back as it was. What JSON can't hold is shown as an object whose first key begins with $, to
/// look at and to search, not to read back:
///
///   {"$undefined": true}   {"$number": "NaN"}   {"$bigint": "123"}   {"$date": "2023-11-14T22:13:20.000Z"}
///   {"$map": [[key, value], …]}   {"$set": [value, …]}   {"$regexp": "a+", "flags": "g", "lastIndex": 0}
///   {"$symbol": {"for": "key"}}   {"$error": "TypeError", "fields": {…}}   {"$boxed": 1}   {"$null": {…}}
///   {"$array": [[index, value], …], "length": 9}   an array with holes   {"$buffer": "00ff"}   bytes in hexadecimal
///   {"$class": "User", "version": 1, "fields": {…}}   {"$custom": "URL", "version": 0, "payload": …}
///   {"$typedArray": "Float64Array", "values": […]}   {"$view": "Uint8Array", "buffer": …, "byteOffset": 0, "length": 4}
///   {"$id": 1, "value": …} where an object stands first that others refer to, {"$ref": 1} where they do
///
/// With --strict all of this is an error that names the path. An object that is referred to more than once is then
/// written each time, and a cycle is an error.
#[derive(Debug, ClapArgs)]
#[command(
    verbatim_doc_comment,
    after_help = "\
Examples:
  marshal decode users.marshal --pretty | less
  marshal decode users.marshal -o users.json --strict
  marshal decode users.marshal | jq '.users[0]'"
)]
pub(crate) struct Decode {
    /// A message; - for standard input
    #[arg(value_name = "FILE")]
    pub(crate) input: PathBuf,
    /// Where to write the JSON. It is replaced in one go, never left half written [default: standard output]
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: Option<PathBuf>,
    /// One item a line, indented by two spaces
    #[arg(short, long)]
    pub(crate) pretty: bool,
    /// Fail where JSON can't hold a value, instead of showing it in a form of its own
    #[arg(short, long)]
    pub(crate) strict: bool,
    /// Fail when the JSON gets longer than this [default: 64 MiB and 64 times the size of the values]
    #[arg(long, value_name = "BYTES")]
    pub(crate) max_bytes: Option<u64>,
}

/// Explains a message byte by byte, and sums up what it consists of.
///
/// Each line shows where the bytes stand (in hexadecimal), the bytes, and what they mean, indented by how deep the value
/// lies. Of a message that is not valid the lines end at the fault. The meanings are those of spec/format.md.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Examples:
  marshal inspect users.marshal | less -R
  marshal inspect users.marshal --summary        what takes the space?
  marshal inspect users.marshal --bytes --depth 2 --limit 50
  marshal encode x.json | marshal inspect -")]
pub(crate) struct Inspect {
    /// A message; - for standard input
    #[arg(value_name = "FILE")]
    pub(crate) input: PathBuf,
    /// Only the summary: values and bytes by kind, shapes by use
    #[arg(short, long, conflicts_with = "bytes")]
    pub(crate) summary: bool,
    /// Only the bytes
    #[arg(short, long)]
    pub(crate) bytes: bool,
    /// At most this many lines of bytes [default: all]
    #[arg(short, long, value_name = "LINES")]
    pub(crate) limit: Option<u64>,
    /// Only values that lie in at most this many containers [default: all]
    #[arg(short, long, value_name = "LEVELS")]
    pub(crate) depth: Option<usize>,
}

/// Validates messages without building them: one line a file.
///
/// An index is compared with the message too, so that what is read in parts later is what was checked.
/// The exit code is 1 if one of them is not valid or can't be read; the others are checked all the same.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Examples:
  marshal check users.marshal
  marshal check -v backup/*.marshal              with size, time and speed
  marshal check *.marshal | grep -v ': ok'       those that are damaged")]
pub(crate) struct Check {
    /// Messages; - for standard input
    #[arg(value_name = "FILE", required = true)]
    pub(crate) inputs: Vec<PathBuf>,
    /// Say how large each is and how long the check took
    #[arg(short, long)]
    pub(crate) verbose: bool,
}

/// Makes a message from an archive of the original library.
///
/// Such an archive (wire version 0.2.0) numbers its class instances and does not name their classes. Without --classes
/// they get the names Class0, Class1, …
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Examples:
  marshal import --original old.bin -o new.marshal
  marshal import --original old.bin --classes User,User,Team -o new.marshal
  marshal import --original old.bin --entry config | marshal decode - --pretty")]
pub(crate) struct Import {
    /// The archive; - for standard input
    #[arg(long, value_name = "FILE")]
    pub(crate) original: PathBuf,
    /// Names of the classes, one for each instance in the order of the archive's constructor list
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) classes: Vec<String>,
    /// Only the entry of the archive's index with this name
    #[arg(long, value_name = "NAME")]
    pub(crate) entry: Option<String>,
    /// Where to write the message. It is replaced in one go, never left half written [default: standard output]
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: Option<PathBuf>,
}

/// How a snapshot's message is stored.
#[derive(Debug, ClapArgs)]
pub(crate) struct Packing {
    /// Compress with zstd
    #[arg(long, conflicts_with = "compression")]
    pub(crate) zstd: bool,
    /// Compress with this format: none, zstd, lz4, gzip, deflate or brotli
    #[arg(long, value_name = "FORMAT", default_value = "none")]
    pub(crate) compression: String,
    /// The format's level
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(crate) level: Option<i32>,
    /// Compress with zstd and this dictionary, which loading then needs too
    #[arg(long, value_name = "DICT", conflicts_with = "compression")]
    pub(crate) dictionary: Option<PathBuf>,
    /// Keep this many earlier snapshots beside the new one, as FILE.1, FILE.2, …
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) generations: u32,
}

/// Saves JSON as a snapshot.
///
/// The file is replaced in one go and synced to disk: whatever happens, it holds the old snapshot or the new one. An
/// uncompressed snapshot has an index, by which marshal query reads a value without reading the rest.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Examples:
  marshal save state.json state.snap
  marshal save state.json state.snap --zstd --level 19 --generations 3")]
pub(crate) struct Save {
    /// JSON text in UTF-8; - for standard input
    #[arg(value_name = "IN.json")]
    pub(crate) input: PathBuf,
    /// The snapshot
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    #[command(flatten)]
    pub(crate) packing: Packing,
}

/// Shows a snapshot as JSON.
///
/// Every byte is compared with its checksum before anything is shown. A plain message loads too, also a compressed one.
/// What JSON can't hold is shown as marshal decode shows it.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Examples:
  marshal load state.snap --pretty | less
  marshal load state.snap --fall-back -o state.json")]
pub(crate) struct Load {
    /// The snapshot
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// Where to write the JSON. It is replaced in one go, never left half written [default: standard output]
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: Option<PathBuf>,
    /// One item a line, indented by two spaces
    #[arg(short, long)]
    pub(crate) pretty: bool,
    /// Take the newest good generation when the newest is damaged, and say so
    #[arg(long)]
    pub(crate) fall_back: bool,
    /// The dictionary that the snapshot was compressed with
    #[arg(long, value_name = "DICT")]
    pub(crate) dictionary: Option<PathBuf>,
}

/// Shows one value of a snapshot or message as JSON, and reads only what it needs.
///
/// PATH is written as in JavaScript: users[1203].name, ["a key"].x; nothing for all of it.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Examples:
  marshal query state.snap 'users[1203].name'
  marshal query state.snap '[\"odd key\"][0]' --pretty
  marshal query state.snap --entry settings volume")]
pub(crate) struct Query {
    /// The snapshot or message
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// Where the value stands
    #[arg(value_name = "PATH", default_value = "")]
    pub(crate) path: String,
    /// Begin at the entry with this name instead of the root
    #[arg(long, value_name = "NAME")]
    pub(crate) entry: Option<String>,
    /// One item a line, indented by two spaces
    #[arg(short, long)]
    pub(crate) pretty: bool,
}

/// Shows what differs between two snapshots or messages, by path.
///
/// The exit code is 1 if they differ.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Examples:
  marshal diff yesterday.snap today.snap
  marshal diff a.snap b.snap --limit 20")]
pub(crate) struct Diff {
    /// The old one
    #[arg(value_name = "A")]
    pub(crate) old: PathBuf,
    /// The new one
    #[arg(value_name = "B")]
    pub(crate) new: PathBuf,
    /// Show at most this many differences
    #[arg(short, long, value_name = "N", default_value_t = 100)]
    pub(crate) limit: usize,
}

/// Shows where the bytes of a snapshot or message go: a tree, the largest first.
///
/// The elements of an array are taken together, as users[].name. Shapes (the keys of objects) and the index are left out.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Examples:
  marshal sizes state.snap
  marshal sizes state.snap --depth 6
  marshal sizes state.snap --html sizes.html     a map to click through")]
pub(crate) struct Sizes {
    /// The snapshot or message
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// So many levels
    #[arg(short, long, value_name = "LEVELS", default_value_t = 3)]
    pub(crate) depth: usize,
    /// Write a treemap as one self-contained page
    #[arg(long, value_name = "OUT")]
    pub(crate) html: Option<PathBuf>,
}

/// Verifies snapshots: container, checksums, and every value. One line a file.
///
/// The exit code is 1 if one of them is damaged or can't be read; the others are verified all the same.
#[derive(Debug, ClapArgs)]
pub(crate) struct Verify {
    /// Snapshots or messages
    #[arg(value_name = "FILE", required = true)]
    pub(crate) files: Vec<PathBuf>,
    /// The dictionary that they were compressed with
    #[arg(long, value_name = "DICT")]
    pub(crate) dictionary: Option<PathBuf>,
}

/// Makes a zstd dictionary from earlier snapshots or messages.
///
/// It pays for many small snapshots of one kind. A hundred samples or so are needed, together a hundred times as large
/// as the dictionary.
#[derive(Debug, ClapArgs)]
pub(crate) struct Train {
    /// Snapshots or messages
    #[arg(value_name = "FILE", required = true)]
    pub(crate) files: Vec<PathBuf>,
    /// Where to write the dictionary
    #[arg(short, long, value_name = "DICT")]
    pub(crate) output: PathBuf,
    /// At most this large
    #[arg(long, value_name = "BYTES", default_value_t = 112_640)]
    pub(crate) max_bytes: usize,
}

/// Stores a snapshot with another compression. What it says about itself is kept.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Examples:
  marshal recompress state.snap --zstd --level 19
  marshal recompress state.snap -o plain.snap")]
pub(crate) struct Recompress {
    /// The snapshot
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// Where to write it [default: in place of FILE]
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) packing: Packing,
}

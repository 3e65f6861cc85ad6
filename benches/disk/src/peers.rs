//! The libraries, each with what a program would do with it.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use anyhow::{Context, Result};
use marshal::compress::Compression;
use marshal::{EncodeOptions, Graph, OpenSnapshot, SaveOptions, Serde, Snapshot, Sync};
use rkyv::rancor;

use crate::users::{User, graph};

pub trait Peer {
    fn name(&self) -> &'static str;
    fn save(&self) -> Result<()>;
    /// How many users there are, once all of them are in memory.
    fn load(&self) -> Result<usize>;
    fn open_read_one(&self, index: usize) -> Result<String>;
    fn bytes(&self) -> Result<u64>;
    /// Opens the file to read from it again and again; false where there is no such thing.
    fn open(&mut self) -> Result<bool> {
        Ok(false)
    }
    fn read_one(&self, _: usize) -> Result<String> {
        anyhow::bail!("not open")
    }
}

type Make = for<'u> fn(&'u [User], &Path) -> Result<Box<dyn Peer + 'u>>;

/// Those that take part; `whole`: also those that have to read everything to read anything.
pub fn all(_: &[User], whole: bool) -> Vec<Make> {
    let in_place: [Make; 4] = [
        |users, dir| Ours::make("marshal", SaveOptions::new(), users, dir),
        |users, dir| Ours::make("marshal-unsynced", SaveOptions::new().sync(Sync::None), users, dir),
        |users, dir| Ok(Box::new(Typed { users, path: dir.join("marshal-typed") })),
        |users, dir| Ok(Box::new(Rkyv { users, path: dir.join("rkyv") })),
    ];
    let others: [Make; 7] = [
        |users, dir| Ours::make("marshal-zstd", SaveOptions::new().compression(Compression::Zstd), users, dir),
        |users, dir| {
            let value = serde_json::to_value(users)?;
            Ok(Box::new(Json { name: "serde_json", sync: false, value, path: dir.join("json") }))
        },
        |users, dir| {
            let value = serde_json::to_value(users)?;
            Ok(Box::new(Json { name: "serde_json-synced", sync: true, value, path: dir.join("json-synced") }))
        },
        |users, dir| Ok(Box::new(Packed { name: "rmp-serde-zstd", users, path: dir.join("rmp"), write: rmp, read: from_rmp })),
        |users, dir| {
            let write = |users: &[User]| Ok(bincode::serde::encode_to_vec(users, bincode::config::standard())?);
            let read = |bytes: &[u8]| Ok(bincode::serde::decode_from_slice(bytes, bincode::config::standard())?.0);
            Ok(Box::new(Packed { name: "bincode-zstd", users, path: dir.join("bincode"), write, read }))
        },
        |users, dir| Ok(Box::new(Sqlite { users, path: dir.join("sqlite") })),
        |users, dir| Ok(Box::new(Redb { users, path: dir.join("redb") })),
    ];
    in_place.into_iter().chain(others.into_iter().filter(|_| whole)).collect()
}

fn rmp(users: &[User]) -> Result<Vec<u8>> {
    Ok(rmp_serde::to_vec_named(users)?)
}

fn from_rmp(bytes: &[u8]) -> Result<Vec<User>> {
    Ok(rmp_serde::from_slice(bytes)?)
}

struct Ours {
    name: &'static str,
    graph: Graph<'static>,
    options: SaveOptions,
    path: PathBuf,
    open: OnceLock<OpenSnapshot>,
}

impl Ours {
    fn make<'u>(name: &'static str, options: SaveOptions, users: &[User], dir: &Path) -> Result<Box<dyn Peer + 'u>> {
        let options = options.encode(EncodeOptions::new().index(true));
        Ok(Box::new(Ours { name, graph: graph(users), options, path: dir.join(name), open: OnceLock::new() }))
    }
}

fn name_of(open: &OpenSnapshot, index: usize) -> Result<String> {
    Ok(open.root()?.get("users")?.at(index)?.get("name")?.as_str().context("no name")?.to_owned())
}

impl Peer for Ours {
    fn name(&self) -> &'static str {
        self.name
    }

    fn save(&self) -> Result<()> {
        Ok(Snapshot::save_with(&self.path, &self.graph, &self.options)?)
    }

    fn load(&self) -> Result<usize> {
        let snapshot = Snapshot::read(&self.path)?;
        Ok(snapshot.graph()?.root().get("users").context("no users")?.len())
    }

    fn open_read_one(&self, index: usize) -> Result<String> {
        name_of(&Snapshot::open(&self.path)?, index)
    }

    fn bytes(&self) -> Result<u64> {
        Ok(fs::metadata(&self.path)?.len())
    }

    fn open(&mut self) -> Result<bool> {
        self.open = Snapshot::open(&self.path)?.into();
        Ok(true)
    }

    fn read_one(&self, index: usize) -> Result<String> {
        name_of(self.open.get().context("not open")?, index)
    }
}

/// Users as a serde type, saved as ours does by default, with an index.
struct Typed<'u> {
    users: &'u [User],
    path: PathBuf,
}

impl Peer for Typed<'_> {
    fn name(&self) -> &'static str {
        "marshal-typed"
    }

    fn save(&self) -> Result<()> {
        let options = SaveOptions::new().encode(EncodeOptions::new().index(true));
        Ok(Snapshot::save_with(&self.path, &Serde(self.users), &options)?)
    }

    fn load(&self) -> Result<usize> {
        Ok(Snapshot::load_serde::<Vec<User>>(&self.path)?.len())
    }

    fn open_read_one(&self, index: usize) -> Result<String> {
        let user: User = Snapshot::open(&self.path)?.root()?.at(index)?.deserialize()?;
        Ok(user.name)
    }

    fn bytes(&self) -> Result<u64> {
        Ok(fs::metadata(&self.path)?.len())
    }
}

struct Json {
    name: &'static str,
    sync: bool,
    value: serde_json::Value,
    path: PathBuf,
}

impl Peer for Json {
    fn name(&self) -> &'static str {
        self.name
    }

    fn save(&self) -> Result<()> {
        fs::write(&self.path, serde_json::to_vec(&self.value)?)?;
        if self.sync {
            File::open(&self.path)?.sync_all()?;
        }
        Ok(())
    }

    fn load(&self) -> Result<usize> {
        let value: serde_json::Value = serde_json::from_slice(&fs::read(&self.path)?)?;
        Ok(value.as_array().context("no array")?.len())
    }

    fn open_read_one(&self, index: usize) -> Result<String> {
        let value: serde_json::Value = serde_json::from_slice(&fs::read(&self.path)?)?;
        Ok(value[index]["name"].as_str().context("no name")?.to_owned())
    }

    fn bytes(&self) -> Result<u64> {
        Ok(fs::metadata(&self.path)?.len())
    }
}

/// Typed bytes under zstd.
struct Packed<'u> {
    name: &'static str,
    users: &'u [User],
    path: PathBuf,
    write: fn(&[User]) -> Result<Vec<u8>>,
    read: fn(&[u8]) -> Result<Vec<User>>,
}

impl Packed<'_> {
    fn all(&self) -> Result<Vec<User>> {
        (self.read)(&zstd::decode_all(&fs::read(&self.path)?[..])?)
    }
}

impl Peer for Packed<'_> {
    fn name(&self) -> &'static str {
        self.name
    }

    fn save(&self) -> Result<()> {
        Ok(fs::write(&self.path, zstd::encode_all(&(self.write)(self.users)?[..], 3)?)?)
    }

    fn load(&self) -> Result<usize> {
        Ok(self.all()?.len())
    }

    fn open_read_one(&self, index: usize) -> Result<String> {
        Ok(self.all()?.swap_remove(index).name)
    }

    fn bytes(&self) -> Result<u64> {
        Ok(fs::metadata(&self.path)?.len())
    }
}

struct Rkyv<'u> {
    users: &'u [User],
    path: PathBuf,
}

type Archived = rkyv::vec::ArchivedVec<crate::users::ArchivedUser>;

impl Peer for Rkyv<'_> {
    fn name(&self) -> &'static str {
        "rkyv"
    }

    fn save(&self) -> Result<()> {
        let bytes = rkyv::to_bytes::<rancor::Error>(&self.users.to_vec())?;
        Ok(fs::write(&self.path, bytes)?)
    }

    fn load(&self) -> Result<usize> {
        let bytes = fs::read(&self.path)?;
        let users: Vec<User> = rkyv::from_bytes::<_, rancor::Error>(&aligned(&bytes))?;
        Ok(users.len())
    }

    fn open_read_one(&self, index: usize) -> Result<String> {
        let map = js_map(&self.path)?;
        let users = rkyv::access::<Archived, rancor::Error>(map.as_ref())?;
        Ok(users[index].name.as_str().to_owned())
    }

    fn bytes(&self) -> Result<u64> {
        Ok(fs::metadata(&self.path)?.len())
    }
}

fn aligned(bytes: &[u8]) -> rkyv::util::AlignedVec {
    let mut aligned = rkyv::util::AlignedVec::with_capacity(bytes.len());
    aligned.extend_from_slice(bytes);
    aligned
}

fn js_map(path: &Path) -> Result<js_marshal_map::Map> {
    Ok(js_marshal_map::Map::of(&File::open(path)?)?)
}

struct Sqlite<'u> {
    users: &'u [User],
    path: PathBuf,
}

impl Sqlite<'_> {
    fn all(&self) -> Result<Vec<User>> {
        let database = rusqlite::Connection::open(&self.path)?;
        let bytes: Vec<u8> = database.query_row("SELECT state FROM states WHERE id = 1", [], |row| row.get(0))?;
        from_rmp(&bytes)
    }
}

impl Peer for Sqlite<'_> {
    fn name(&self) -> &'static str {
        "rusqlite"
    }

    fn save(&self) -> Result<()> {
        let database = rusqlite::Connection::open(&self.path)?;
        database.execute("CREATE TABLE IF NOT EXISTS states (id INTEGER PRIMARY KEY, state BLOB)", [])?;
        database.execute("INSERT OR REPLACE INTO states VALUES (1, ?1)", [rmp(self.users)?])?;
        Ok(())
    }

    fn load(&self) -> Result<usize> {
        Ok(self.all()?.len())
    }

    fn open_read_one(&self, index: usize) -> Result<String> {
        Ok(self.all()?.swap_remove(index).name)
    }

    fn bytes(&self) -> Result<u64> {
        Ok(fs::metadata(&self.path)?.len())
    }
}

struct Redb<'u> {
    users: &'u [User],
    path: PathBuf,
}

const STATES: redb::TableDefinition<'_, u32, &[u8]> = redb::TableDefinition::new("states");

impl Redb<'_> {
    fn all(&self) -> Result<Vec<User>> {
        use redb::ReadableDatabase;
        let database = redb::Database::open(&self.path)?;
        let read = database.begin_read()?;
        let table = read.open_table(STATES)?;
        let value = table.get(1)?.context("no state")?;
        from_rmp(value.value())
    }
}

impl Peer for Redb<'_> {
    fn name(&self) -> &'static str {
        "redb"
    }

    fn save(&self) -> Result<()> {
        let database = redb::Database::create(&self.path)?;
        let write = database.begin_write()?;
        write.open_table(STATES)?.insert(1, &rmp(self.users)?[..])?;
        Ok(write.commit()?)
    }

    fn load(&self) -> Result<usize> {
        Ok(self.all()?.len())
    }

    fn open_read_one(&self, index: usize) -> Result<String> {
        Ok(self.all()?.swap_remove(index).name)
    }

    fn bytes(&self) -> Result<u64> {
        Ok(fs::metadata(&self.path)?.len())
    }
}

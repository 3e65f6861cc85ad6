//! The typed calls of libraries that have a derive of their own. They lend to no types that serde derives.

use std::mem;
use std::sync::LazyLock;

use anyhow::Result;
use marshal_bench_data::{graph, log, mesh, records, save, small, updates};
use rkyv::api::high::{HighDeserializer, HighSerializer, HighValidator};
use rkyv::rancor;
use rkyv::ser::allocator::ArenaHandle;
use serde::Deserialize;
use wincode::config::Configuration;

use super::{Codec, Message, Value};

/// What the derives of all these libraries give a type.
pub(super) trait Schemas:
    Sized
    + fory::Serializer<Target = Self>
    + bitcode::Encode
    + bitcode::DecodeOwned
    + wincode::SchemaWrite<WincodeConfig, Src = Self>
    + for<'de> wincode::SchemaRead<'de, WincodeConfig, Dst = Self>
    + zerompk::ToMessagePack
    + zerompk::FromMessagePackOwned
    + rkyv::Archive<
        Archived: for<'a> rkyv::bytecheck::CheckBytes<HighValidator<'a, rancor::Error>>
                      + rkyv::Deserialize<Self, HighDeserializer<rancor::Error>>,
    > + for<'a> rkyv::Serialize<HighSerializer<Vec<u8>, ArenaHandle<'a>, rancor::Error>>
{
}

impl<T> Schemas for T where
    T: Sized
        + fory::Serializer<Target = T>
        + bitcode::Encode
        + bitcode::DecodeOwned
        + wincode::SchemaWrite<WincodeConfig, Src = T>
        + for<'de> wincode::SchemaRead<'de, WincodeConfig, Dst = T>
        + zerompk::ToMessagePack
        + zerompk::FromMessagePackOwned
        + rkyv::Archive<
            Archived: for<'a> rkyv::bytecheck::CheckBytes<HighValidator<'a, rancor::Error>>
                          + rkyv::Deserialize<T, HighDeserializer<rancor::Error>>,
        > + for<'a> rkyv::Serialize<HighSerializer<Vec<u8>, ArenaHandle<'a>, rancor::Error>>
{
}

/// In the mode in which its readers take other versions of a type, as ours do.
pub(super) struct Fory;

static FORY: LazyLock<fory::Fory> = LazyLock::new(|| {
    let mut fory = fory::Fory::builder().xlang(false).compatible(true).build();
    register(&mut fory).expect("each type has an id of its own");
    fory
});

fn register(fory: &mut fory::Fory) -> Result<(), fory::Error> {
    fory.register::<records::Record>(1)?;
    fory.register::<records::Friend>(2)?;
    fory.register::<log::Line>(3)?;
    fory.register::<log::Address>(4)?;
    fory.register::<mesh::Triangle>(5)?;
    fory.register::<mesh::Vector>(6)?;
    fory.register::<save::Player>(7)?;
    fory.register::<save::Mode>(8)?;
    fory.register::<save::Item>(9)?;
    fory.register::<save::Abilities>(10)?;
    fory.register::<save::Vehicle>(11)?;
    fory.register::<save::Creature>(12)?;
    fory.register::<save::RecipeBook>(13)?;
    fory.register::<updates::Update>(14)?;
    fory.register::<updates::Contact>(15)?;
    fory.register::<updates::EntityKind>(16)?;
    fory.register::<updates::Guidance>(17)?;
    fory.register::<updates::Order>(18)?;
    fory.register::<updates::Transform>(19)?;
    fory.register::<updates::Point>(20)?;
    fory.register::<updates::Event>(21)?;
    fory.register::<graph::Graph>(22)?;
    fory.register::<graph::Class>(23)?;
    fory.register::<graph::Object>(24)?;
    fory.register_serializer::<graph::Scalar>(25)?;
    fory.register::<small::Account>(26)?;
    fory.register::<small::Role>(27)
}

impl Codec for Fory {
    const NAME: &'static str = "fory";

    fn encode<T: Value>(value: &T, out: &mut Vec<u8>) -> Result<()> {
        FORY.serialize_to(out, value)?;
        Ok(())
    }

    fn decode<T: Value>(message: Message<'_>) -> Result<T> {
        Ok(FORY.deserialize(message.bytes())?)
    }

    fn decode_borrowed<'a, B: Deserialize<'a>>(_: Message<'a>) -> Option<Result<B>> {
        None
    }
}

pub(super) struct Bitcode;

impl Codec for Bitcode {
    const NAME: &'static str = "bitcode";

    fn encode<T: Value>(value: &T, out: &mut Vec<u8>) -> Result<()> {
        *out = bitcode::encode(value);
        Ok(())
    }

    fn decode<T: Value>(message: Message<'_>) -> Result<T> {
        Ok(bitcode::decode(message.bytes())?)
    }

    fn decode_borrowed<'a, B: Deserialize<'a>>(_: Message<'a>) -> Option<Result<B>> {
        None
    }
}

/// Its bound on what it allocates at once would refuse the larger data sets.
type WincodeConfig = Configuration<true, { usize::MAX }>;

pub(super) struct Wincode;

impl Codec for Wincode {
    const NAME: &'static str = "wincode";

    fn encode<T: Value>(value: &T, out: &mut Vec<u8>) -> Result<()> {
        Ok(wincode::config::serialize_into(out, value, WincodeConfig::new())?)
    }

    fn decode<T: Value>(message: Message<'_>) -> Result<T> {
        Ok(wincode::config::deserialize(message.bytes(), WincodeConfig::new())?)
    }

    fn decode_borrowed<'a, B: Deserialize<'a>>(_: Message<'a>) -> Option<Result<B>> {
        None
    }
}

/// Structs as arrays, which is what it does unless told.
pub(super) struct Zerompk;

impl Codec for Zerompk {
    const NAME: &'static str = "zerompk";

    fn encode<T: Value>(value: &T, out: &mut Vec<u8>) -> Result<()> {
        *out = zerompk::to_msgpack_vec(value)?;
        Ok(())
    }

    fn decode<T: Value>(message: Message<'_>) -> Result<T> {
        Ok(zerompk::from_msgpack(message.bytes())?)
    }

    fn decode_borrowed<'a, B: Deserialize<'a>>(_: Message<'a>) -> Option<Result<B>> {
        None
    }
}

/// Decoding validates the archive and makes the types of it. What it lends is not the types but the archive itself, for
/// which validating is all there is to do.
pub(super) struct Rkyv;

impl Codec for Rkyv {
    const NAME: &'static str = "rkyv";

    fn encode<T: Value>(value: &T, out: &mut Vec<u8>) -> Result<()> {
        *out = rkyv::api::high::to_bytes_in::<_, rancor::Error>(value, mem::take(out))?;
        Ok(())
    }

    fn decode<T: Value>(message: Message<'_>) -> Result<T> {
        // An allocation of its own is aligned enough; if one were not, this would fail and not give nonsense.
        Ok(rkyv::from_bytes::<T, rancor::Error>(message.bytes())?)
    }

    fn decode_borrowed<'a, B: Deserialize<'a>>(_: Message<'a>) -> Option<Result<B>> {
        None
    }
}

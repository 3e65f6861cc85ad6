//! Each library's typed calls through serde, and the list of all codecs.

use anyhow::Result;
use serde::Deserialize;

use super::schemas::{Bitcode, Fory, Rkyv, Wincode, Zerompk};
use super::{Codec, Message, Typed, Types, Value};
use crate::options::Options;
use crate::peers::Entrant;

/// Lists the codecs, in the order of the rows: those whose messages name the fields, then those that read nothing
/// without the types, or without what the types were registered as.
macro_rules! codecs {
    ($($named:ident)*; $($typed:ident)*) => {
        /// Who takes part.
        pub fn names() -> impl Iterator<Item = &'static str> {
            [$($named::NAME,)*].into_iter().chain(NEED_TYPES.iter().copied())
        }

        /// Those that need the types to read.
        pub const NEED_TYPES: &[&str] = &[$($typed::NAME,)*];

        pub(super) fn each<T: Types + 'static>(
            value: &T::Owned,
            options: &Options,
            entrants: &mut Vec<Entrant>,
        ) -> Result<()>
        where
            T::Owned: Clone,
        {
            $(if options.wants($named::NAME) {
                entrants.extend(Typed::<$named, T>::prepare(value)?);
            })*
            $(if options.wants($typed::NAME) {
                entrants.extend(Typed::<$typed, T>::prepare(value)?);
            })*
            Ok(())
        }
    };
}

codecs! {
    Marshal SerdeJson SimdJson SonicRs RmpSerde Cbor4ii Ciborium Bson Flexbuffers;
    Fory RmpSerdeArrays Postcard BitcodeSerde Bitcode Wincode Zerompk Rkyv
}

struct Marshal;

impl Codec for Marshal {
    const NAME: &'static str = "marshal";

    fn encode<T: Value>(value: &T, out: &mut Vec<u8>) -> Result<()> {
        Ok(marshal::to_writer(out, value)?)
    }

    fn decode<T: Value>(message: Message<'_>) -> Result<T> {
        Ok(marshal::from_slice(message.bytes())?)
    }

    fn decode_borrowed<'a, B: Deserialize<'a>>(message: Message<'a>) -> Option<Result<B>> {
        Some(marshal::from_slice(message.bytes()).map_err(Into::into))
    }
}

struct SerdeJson;

impl Codec for SerdeJson {
    const NAME: &'static str = "serde_json";

    fn encode<T: Value>(value: &T, out: &mut Vec<u8>) -> Result<()> {
        Ok(serde_json::to_writer(out, value)?)
    }

    fn decode<T: Value>(message: Message<'_>) -> Result<T> {
        Ok(serde_json::from_slice(message.bytes())?)
    }

    fn decode_borrowed<'a, B: Deserialize<'a>>(message: Message<'a>) -> Option<Result<B>> {
        // Bytes are an array of numbers, which can't be lent.
        serde_json::from_slice(message.bytes()).ok().map(Ok)
    }
}

struct SimdJson;

impl Codec for SimdJson {
    const NAME: &'static str = "simd-json";
    const OVERWRITES: bool = true;

    fn encode<T: Value>(value: &T, out: &mut Vec<u8>) -> Result<()> {
        Ok(simd_json::to_writer(out, value)?)
    }

    fn decode<T: Value>(message: Message<'_>) -> Result<T> {
        let Message::Own(bytes) = message else { anyhow::bail!("not a copy") };
        Ok(simd_json::from_slice(bytes)?)
    }

    fn decode_borrowed<'a, B: Deserialize<'a>>(message: Message<'a>) -> Option<Result<B>> {
        let Message::Own(bytes) = message else { return None };
        simd_json::from_slice(bytes).ok().map(Ok)
    }
}

struct SonicRs;

impl Codec for SonicRs {
    const NAME: &'static str = "sonic-rs";

    fn encode<T: Value>(value: &T, out: &mut Vec<u8>) -> Result<()> {
        Ok(sonic_rs::to_writer(out, value)?)
    }

    fn decode<T: Value>(message: Message<'_>) -> Result<T> {
        Ok(sonic_rs::from_slice(message.bytes())?)
    }

    fn decode_borrowed<'a, B: Deserialize<'a>>(message: Message<'a>) -> Option<Result<B>> {
        sonic_rs::from_slice(message.bytes()).ok().map(Ok)
    }
}

struct RmpSerde;

impl Codec for RmpSerde {
    const NAME: &'static str = "rmp-serde";

    fn encode<T: Value>(value: &T, out: &mut Vec<u8>) -> Result<()> {
        Ok(rmp_serde::encode::write_named(out, value)?)
    }

    fn decode<T: Value>(message: Message<'_>) -> Result<T> {
        Ok(rmp_serde::from_slice(message.bytes())?)
    }

    fn decode_borrowed<'a, B: Deserialize<'a>>(message: Message<'a>) -> Option<Result<B>> {
        Some(rmp_serde::from_slice(message.bytes()).map_err(Into::into))
    }
}

struct RmpSerdeArrays;

impl Codec for RmpSerdeArrays {
    const NAME: &'static str = "rmp-serde-arrays";

    fn encode<T: Value>(value: &T, out: &mut Vec<u8>) -> Result<()> {
        Ok(rmp_serde::encode::write(out, value)?)
    }

    fn decode<T: Value>(message: Message<'_>) -> Result<T> {
        Ok(rmp_serde::from_slice(message.bytes())?)
    }

    fn decode_borrowed<'a, B: Deserialize<'a>>(message: Message<'a>) -> Option<Result<B>> {
        Some(rmp_serde::from_slice(message.bytes()).map_err(Into::into))
    }
}

struct Cbor4ii;

impl Codec for Cbor4ii {
    const NAME: &'static str = "cbor4ii";

    fn encode<T: Value>(value: &T, out: &mut Vec<u8>) -> Result<()> {
        *out = cbor4ii::serde::to_vec(std::mem::take(out), value)?;
        Ok(())
    }

    fn decode<T: Value>(message: Message<'_>) -> Result<T> {
        Ok(cbor4ii::serde::from_slice(message.bytes())?)
    }

    fn decode_borrowed<'a, B: Deserialize<'a>>(message: Message<'a>) -> Option<Result<B>> {
        Some(cbor4ii::serde::from_slice(message.bytes()).map_err(Into::into))
    }
}

struct Ciborium;

impl Codec for Ciborium {
    const NAME: &'static str = "ciborium";

    fn encode<T: Value>(value: &T, out: &mut Vec<u8>) -> Result<()> {
        Ok(ciborium::into_writer(value, out)?)
    }

    fn decode<T: Value>(message: Message<'_>) -> Result<T> {
        Ok(ciborium::from_reader(message.bytes())?)
    }

    fn decode_borrowed<'a, B: Deserialize<'a>>(_: Message<'a>) -> Option<Result<B>> {
        None
    }
}

/// A message is always a document, so the value goes in as its one field.
struct Bson;

#[derive(serde::Serialize, Deserialize)]
struct Document<T> {
    value: T,
}

impl Codec for Bson {
    const NAME: &'static str = "bson";

    fn encode<T: Value>(value: &T, out: &mut Vec<u8>) -> Result<()> {
        *out = bson::serialize_to_vec(&Document { value })?;
        Ok(())
    }

    fn decode<T: Value>(message: Message<'_>) -> Result<T> {
        Ok(bson::deserialize_from_slice::<Document<T>>(message.bytes())?.value)
    }

    fn decode_borrowed<'a, B: Deserialize<'a>>(message: Message<'a>) -> Option<Result<B>> {
        let document = bson::deserialize_from_slice::<Document<B>>(message.bytes());
        Some(document.map(|document| document.value).map_err(Into::into))
    }
}

struct Flexbuffers;

impl Codec for Flexbuffers {
    const NAME: &'static str = "flexbuffers";

    fn encode<T: Value>(value: &T, out: &mut Vec<u8>) -> Result<()> {
        *out = flexbuffers::to_vec(value)?;
        Ok(())
    }

    fn decode<T: Value>(message: Message<'_>) -> Result<T> {
        Ok(flexbuffers::from_slice(message.bytes())?)
    }

    fn decode_borrowed<'a, B: Deserialize<'a>>(message: Message<'a>) -> Option<Result<B>> {
        Some(flexbuffers::from_slice(message.bytes()).map_err(Into::into))
    }
}

struct Postcard;

impl Codec for Postcard {
    const NAME: &'static str = "postcard";

    fn encode<T: Value>(value: &T, out: &mut Vec<u8>) -> Result<()> {
        *out = postcard::to_extend(value, std::mem::take(out))?;
        Ok(())
    }

    fn decode<T: Value>(message: Message<'_>) -> Result<T> {
        Ok(postcard::from_bytes(message.bytes())?)
    }

    fn decode_borrowed<'a, B: Deserialize<'a>>(message: Message<'a>) -> Option<Result<B>> {
        Some(postcard::from_bytes(message.bytes()).map_err(Into::into))
    }
}

struct BitcodeSerde;

impl Codec for BitcodeSerde {
    const NAME: &'static str = "bitcode-serde";

    fn encode<T: Value>(value: &T, out: &mut Vec<u8>) -> Result<()> {
        *out = bitcode::serialize(value)?;
        Ok(())
    }

    fn decode<T: Value>(message: Message<'_>) -> Result<T> {
        Ok(bitcode::deserialize(message.bytes())?)
    }

    fn decode_borrowed<'a, B: Deserialize<'a>>(message: Message<'a>) -> Option<Result<B>> {
        Some(bitcode::deserialize(message.bytes()).map_err(Into::into))
    }
}

//! The typed operations: the data sets' own types to bytes and back, in each library as its users would do it.
//! Knows how a sample is taken of any codec; which ones there are is in `codecs`.

mod codecs;
mod schemas;

use std::fmt::Debug;
use std::hint::black_box;
use std::marker::PhantomData;
use std::panic::{self, AssertUnwindSafe};

use anyhow::{Result, ensure};
use marshal_bench_data::{Dataset, borrowed, graph, log, mesh, numbers, records, save, small, text, updates};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::options::Options;
use crate::peers::{CHECKED, Entrant, Operation, Peer};
use crate::stopwatch::{Sample, time, time_each};
use schemas::Schemas;

pub use codecs::{NEED_TYPES, names};

/// A library's typed calls.
trait Codec {
    const NAME: &'static str;
    /// Decoding overwrites the message.
    const OVERWRITES: bool = false;

    fn encode<T: Value>(value: &T, out: &mut Vec<u8>) -> Result<()>;
    fn decode<T: Value>(message: Message<'_>) -> Result<T>;
    /// To a type that borrows; `None` where the library lends nothing.
    fn decode_borrowed<'a, B: Deserialize<'a>>(message: Message<'a>) -> Option<Result<B>>;
}

/// A message, and where the library overwrites it a copy for it alone.
enum Message<'a> {
    Shared(&'a [u8]),
    Own(&'a mut [u8]),
}

impl<'a> Message<'a> {
    fn bytes(self) -> &'a [u8] {
        match self {
            Message::Shared(bytes) => bytes,
            Message::Own(bytes) => bytes,
        }
    }
}

/// What the types of the data sets can do.
trait Value: Serialize + DeserializeOwned + PartialEq + Debug + Schemas {}

impl<T: Serialize + DeserializeOwned + PartialEq + Debug + Schemas> Value for T {}

/// A data set's type, and the one that borrows, if anything in it can be borrowed.
trait Types {
    type Owned: Value + 'static;
    type Borrowed<'a>: Deserialize<'a> + Serialize;
    const BORROWS: bool = true;
}

macro_rules! types {
    ($($name:ident: $owned:ty, $borrowed:ty $(, $borrows:literal)?;)*) => {
        $(struct $name;
        impl Types for $name {
            type Owned = $owned;
            type Borrowed<'a> = $borrowed;
            $(const BORROWS: bool = $borrows;)?
        })*
    };
}

types! {
    Records: Vec<records::Record>, Vec<borrowed::records::Record<'a>>;
    Log: Vec<log::Line>, Vec<borrowed::log::Line<'a>>;
    Mesh: Vec<mesh::Triangle>, Vec<mesh::Triangle>, false;
    Save: Vec<save::Player>, Vec<borrowed::save::Player<'a>>;
    Updates: Vec<updates::Update>, Vec<borrowed::updates::Update<'a>>;
    Numbers: Vec<i32>, Vec<i32>, false;
    Texts: Vec<String>, Vec<borrowed::Text<'a>>;
    Graph: graph::Graph, borrowed::graph::Graph<'a>;
    Small: small::Account, borrowed::small::Account<'a>;
}

/// Every library that was asked for, its round trip checked.
pub fn entrants(options: &Options, dataset: Dataset) -> Result<Vec<Entrant>> {
    let scale = options.scale;
    match dataset {
        Dataset::Records => all::<Records>(options, &records::generate(scale)),
        Dataset::Log => all::<Log>(options, &log::generate(scale)),
        Dataset::Mesh => all::<Mesh>(options, &mesh::generate(scale)),
        Dataset::Save => all::<Save>(options, &save::generate(scale)),
        Dataset::Updates => all::<Updates>(options, &updates::generate(scale)),
        Dataset::Numbers => all::<Numbers>(options, &numbers::generate(scale)),
        Dataset::Text => all::<Texts>(options, &text::generate(scale)),
        Dataset::Graph => all::<Graph>(options, &graph::generate(scale)),
        Dataset::Small => all::<Small>(options, &small::generate()),
    }
}

fn all<T: Types + 'static>(options: &Options, value: &T::Owned) -> Result<Vec<Entrant>>
where
    T::Owned: Clone,
{
    let mut entrants = Vec::new();
    codecs::each::<T>(value, options, &mut entrants)?;
    Ok(entrants)
}

/// A library and a value of a data set.
struct Typed<C, T: Types> {
    value: T::Owned,
    message: Vec<u8>,
    out: Vec<u8>,
    codec: PhantomData<C>,
}

impl<C: Codec + 'static, T: Types + 'static> Typed<C, T>
where
    T::Owned: Clone,
{
    /// `None` where the library can't hold the value, and a line that says why.
    fn prepare(value: &T::Owned) -> Result<Option<Entrant>> {
        let mut message = Vec::new();
        let mut copy = Vec::new();
        let read = panic::catch_unwind(AssertUnwindSafe(|| {
            C::encode(value, &mut message)?;
            copy.clone_from(&message);
            C::decode::<T::Owned>(Self::input(&message, &mut copy))
        }));
        let read = match read {
            Ok(Ok(read)) => read,
            Ok(Err(error)) => {
                eprintln!("{} has no row: {error}", C::NAME);
                return Ok(None);
            }
            Err(_) => {
                eprintln!("{} has no row: it panics", C::NAME);
                return Ok(None);
            }
        };
        ensure!(read == *value, "{} gives another value back", C::NAME);
        let mut copy = message.clone();
        if T::BORROWS
            && let Some(Ok(read)) = C::decode_borrowed::<T::Borrowed<'_>>(Self::input(&message, &mut copy))
        {
            let same = serde_json::to_vec(&read)? == serde_json::to_vec(value)?;
            ensure!(same, "{} lends another value", C::NAME);
        }
        let peer = Typed::<C, T> { value: value.clone(), message, out: Vec::new(), codec: PhantomData };
        Ok(Some(Entrant { name: C::NAME, peer: Box::new(peer) }))
    }

    fn input<'a>(message: &'a [u8], copy: &'a mut [u8]) -> Message<'a> {
        if C::OVERWRITES { Message::Own(copy) } else { Message::Shared(message) }
    }
}

impl<C: Codec + 'static, T: Types + 'static> Peer for Typed<C, T>
where
    T::Owned: Clone,
{
    fn message_len(&self) -> usize {
        self.message.len()
    }

    fn sample(&mut self, operation: Operation, times: usize) -> Option<Sample> {
        let mut copies = Vec::new();
        if C::OVERWRITES {
            copies.resize(times, self.message.clone());
        }
        match operation {
            Operation::TypedEncode => Some(time(times, || {
                self.out.clear();
                C::encode(&self.value, &mut self.out).expect(CHECKED);
                black_box(&self.out);
            })),
            Operation::TypedDecode if C::OVERWRITES => {
                Some(time_each(copies.iter_mut(), |copy| C::decode::<T::Owned>(Message::Own(copy)).expect(CHECKED)))
            }
            Operation::TypedDecode => {
                Some(time(times, || C::decode::<T::Owned>(Message::Shared(&self.message)).expect(CHECKED)))
            }
            Operation::TypedDecodeBorrowed if !T::BORROWS => None,
            Operation::TypedDecodeBorrowed if C::OVERWRITES => {
                let mut copy = self.message.clone();
                C::decode_borrowed::<T::Borrowed<'_>>(Message::Own(&mut copy))?.ok()?;
                Some(time_each(copies.iter_mut(), |copy| {
                    C::decode_borrowed::<T::Borrowed<'_>>(Message::Own(copy)).expect(CHECKED).expect(CHECKED)
                }))
            }
            Operation::TypedDecodeBorrowed => {
                // What can't be lent, as bytes in JSON, is an error.
                C::decode_borrowed::<T::Borrowed<'_>>(Message::Shared(&self.message))?.ok()?;
                Some(time(times, || {
                    let read = C::decode_borrowed::<T::Borrowed<'_>>(Message::Shared(&self.message));
                    read.expect(CHECKED).expect(CHECKED)
                }))
            }
            _ => None,
        }
    }
}

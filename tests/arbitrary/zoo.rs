//! Types of every form that serde derives, and what holds of their bytes.

use std::collections::BTreeMap;
use std::fmt::Debug;

use marshal::{Marshal, from_slice, to_vec};
use serde::de::{DeserializeOwned, IgnoredAny};
use serde::{Deserialize, Serialize};

/// One animal of each kind.
#[derive(Serialize, Deserialize, Debug, Clone, PartialEq, Default)]
pub(crate) struct Zoo {
    pub(crate) small: u8,
    pub(crate) wide: i64,
    pub(crate) huge: u128,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(crate) maybe: Option<String>,
    pub(crate) numbers: Vec<i32>,
    pub(crate) floats: Vec<f64>,
    pub(crate) pair: (char, bool, ()),
    pub(crate) forms: Vec<Form>,
    pub(crate) internal: Option<Internal>,
    pub(crate) adjacent: Vec<Adjacent>,
    pub(crate) any: Vec<Any>,
    pub(crate) names: BTreeMap<String, f32>,
    pub(crate) entries: BTreeMap<i16, Vec<u8>>,
    #[serde(default)]
    pub(crate) rows: Vec<Row>,
    #[serde(rename = "7")]
    pub(crate) seven: Newtype,
    #[serde(flatten)]
    pub(crate) rest: BTreeMap<String, Any>,
}

/// Externally tagged.
#[derive(Serialize, Deserialize, Debug, Clone, PartialEq)]
#[allow(missing_docs)]
pub(crate) enum Form {
    Unit,
    Newtype(u16),
    Tuple(i8, String),
    Struct { a: Option<u32>, b: Vec<Form> },
}

/// Internally tagged.
#[derive(Serialize, Deserialize, Debug, Clone, PartialEq)]
#[serde(tag = "type")]
#[allow(missing_docs)]
pub(crate) enum Internal {
    Unit,
    Struct { a: u8, b: String },
}

/// Adjacently tagged.
#[derive(Serialize, Deserialize, Debug, Clone, PartialEq)]
#[serde(tag = "t", content = "c")]
#[allow(missing_docs)]
pub(crate) enum Adjacent {
    Unit,
    Newtype(i64),
    Tuple(u8, u8),
}

/// Untagged.
#[derive(Serialize, Deserialize, Debug, Clone, PartialEq)]
#[serde(untagged)]
#[allow(missing_docs)]
pub(crate) enum Any {
    Bool(bool),
    Integer(i64),
    Float(f64),
    Text(String),
    Many(Vec<Any>),
}

/// Made of numbers alone: many of them are records.
#[derive(Serialize, Deserialize, Debug, Clone, PartialEq)]
#[allow(missing_docs)]
pub(crate) struct Row {
    pub(crate) at: [f32; 2],
    pub(crate) n: (u64, i64),
    #[serde(skip_serializing_if = "is_zero", default)]
    pub(crate) rare: u8,
    pub(crate) flag: bool,
}

fn is_zero(n: &u8) -> bool {
    *n == 0
}

/// A newtype.
#[derive(Serialize, Deserialize, Debug, Clone, PartialEq, Default)]
pub(crate) struct Newtype(pub(crate) Vec<u16>);

/// Laws of a value: it comes back from its bytes, and from the canonical bytes of the same graph.
pub(crate) fn of_value<T: Serialize + DeserializeOwned + Debug>(value: &T) {
    let bytes = to_vec(value).unwrap();
    Marshal::check(&bytes).unwrap();
    let graph = Marshal::decode(&bytes).unwrap();
    from_slice::<IgnoredAny>(&bytes).unwrap();
    // Compared as graphs, where NaN is NaN, and an integer is one however it was written.
    let back: T = from_slice(&bytes).unwrap_or_else(|error| panic!("{error}\n{value:?}"));
    assert_eq!(Marshal::decode(&to_vec(&back).unwrap()).unwrap(), graph, "{value:?}");
    let canonical = Marshal::encode(&graph).unwrap();
    assert_eq!(Marshal::encode(&Marshal::decode(&canonical).unwrap()).unwrap(), canonical);
    let back: T = from_slice(&canonical).unwrap_or_else(|error| panic!("{error}\n{value:?}"));
    assert_eq!(Marshal::decode(&to_vec(&back).unwrap()).unwrap(), graph, "{value:?}");
}

/// Laws of bytes that may be a message: whatever type reads them, nothing worse than an error happens.
pub(crate) fn of_typed_bytes(bytes: &[u8]) {
    fn read<T: Serialize + DeserializeOwned + Debug>(bytes: &[u8]) {
        match from_slice::<T>(bytes) {
            Ok(value) => of_value(&value),
            Err(error) => {
                assert!(error.path().is_none_or(|path| path.starts_with('$')) && error.to_string().len() < 1 << 20)
            }
        }
    }
    read::<Zoo>(bytes);
    read::<Vec<Any>>(bytes);
    read::<Vec<Form>>(bytes);
    read::<Vec<Row>>(bytes);
    read::<Vec<BTreeMap<String, Any>>>(bytes);
    read::<Any>(bytes);
    read::<BTreeMap<String, Vec<u8>>>(bytes);
    read::<BTreeMap<i16, Option<f32>>>(bytes);
    read::<(u64, i128, char)>(bytes);
    let _ = from_slice::<IgnoredAny>(bytes);
    if let Ok(raw) = from_slice::<marshal::serde::Raw>(bytes) {
        let nested = to_vec(&[raw.clone(), raw]);
        // What is passed through has not been looked at: a message is as right as it was.
        if Marshal::check(bytes).is_ok() {
            Marshal::check(&nested.unwrap()).unwrap();
        }
    }
}

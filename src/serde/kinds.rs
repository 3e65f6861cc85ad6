//! JavaScript's kinds as Rust types that go through serde.
//!
//! In this format each becomes what it is named after. Another serde format sees what it is made of: milliseconds, a
//! string, bytes, a sequence, a map.

use std::borrow::Cow;
use std::fmt;

use num_bigint::BigInt as Integer;
use serde::de::{self, Deserialize, Deserializer, Visitor};
use serde::ser::{Serialize, Serializer};

use super::special::{self, RegExpText, typed_array_name};
use crate::graph::{Element, JsStr, RegExpFlags, bytes_of, escape_pattern, numbers};

/// Bytes on their way in or out: `serialize_bytes`, `visit_bytes`.
pub(super) struct Bytes<'a>(pub(super) Cow<'a, [u8]>);

impl Serialize for Bytes<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(&self.0)
    }
}

impl<'de> Deserialize<'de> for Bytes<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_bytes(BytesVisitor("bytes"))
    }
}

/// Takes bytes, also inside of a newtype struct, and borrows them where it can.
pub(super) struct BytesVisitor(pub(super) &'static str);

impl<'de> Visitor<'de> for BytesVisitor {
    type Value = Bytes<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }

    fn visit_borrowed_bytes<E: de::Error>(self, bytes: &'de [u8]) -> Result<Bytes<'de>, E> {
        Ok(Bytes(Cow::Borrowed(bytes)))
    }

    fn visit_bytes<E: de::Error>(self, bytes: &[u8]) -> Result<Bytes<'de>, E> {
        Ok(Bytes(Cow::Owned(bytes.to_vec())))
    }

    fn visit_byte_buf<E: de::Error>(self, bytes: Vec<u8>) -> Result<Bytes<'de>, E> {
        Ok(Bytes(Cow::Owned(bytes)))
    }

    fn visit_seq<A: de::SeqAccess<'de>>(self, mut seq: A) -> Result<Bytes<'de>, A::Error> {
        let mut bytes = Vec::new();
        while let Some(byte) = seq.next_element()? {
            bytes.push(byte);
        }
        Ok(Bytes(Cow::Owned(bytes)))
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<Bytes<'de>, D::Error> {
        deserializer.deserialize_bytes(self)
    }
}

/// JavaScript's `undefined`, where `()` and `None` are `null`.
///
/// ```
/// use marshal::{Marshal, serde::Undefined, to_vec};
///
/// let bytes = to_vec(&(Undefined, ()))?;
/// assert_eq!(Marshal::decode(&bytes)?.to_string(), "[undefined, null]");
/// # Ok::<(), marshal::Error>(())
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Undefined;

impl Serialize for Undefined {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_unit_struct(special::UNDEFINED)
    }
}

impl<'de> Deserialize<'de> for Undefined {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        <()>::deserialize(deserializer).map(|()| Undefined)
    }
}

/// A BigInt of any size, whatever its value. (Rust's integers are numbers up to 2⁵³ and BigInts beyond.)
///
/// ```
/// use marshal::{Marshal, from_slice, serde::BigInt, to_vec};
///
/// let bytes = to_vec(&BigInt(7.into()))?;
/// assert_eq!(Marshal::decode(&bytes)?.to_string(), "7n");
/// assert_eq!(from_slice::<BigInt>(&bytes)?, BigInt(7.into()));
/// # Ok::<(), marshal::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct BigInt(pub Integer);

impl Serialize for BigInt {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if serializer.is_human_readable() {
            return serializer.collect_str(&self.0);
        }
        serializer.serialize_newtype_struct(special::BIGINT, &Bytes(self.0.to_signed_bytes_le().into()))
    }
}

impl<'de> Deserialize<'de> for BigInt {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        if deserializer.is_human_readable() {
            let text = String::deserialize(deserializer)?;
            return text.parse().map(BigInt).map_err(de::Error::custom);
        }
        let bytes = deserializer.deserialize_newtype_struct(special::BIGINT, BytesVisitor("a BigInt"))?;
        Ok(BigInt(Integer::from_signed_bytes_le(&bytes.0)))
    }
}

/// A RegExp: the source as between the slashes of a literal, the flags, and where it matches next.
///
/// ```
/// use marshal::{Marshal, from_slice, serde::RegExp, to_vec};
///
/// let re = RegExp::new("a/b", "gi").unwrap();
/// let bytes = to_vec(&re)?;
/// assert_eq!(Marshal::decode(&bytes)?.to_string(), r"/a\/b/gi");
/// assert_eq!(from_slice::<RegExp>(&bytes)?, re);
/// # Ok::<(), marshal::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct RegExp {
    source: String,
    flags: RegExpFlags,
    last_index: u64,
}

impl RegExp {
    /// A RegExp of a pattern, as JavaScript's constructor makes it. `None` for flags that there are not.
    pub fn new(pattern: &str, flags: &str) -> Option<RegExp> {
        let source = String::from_utf16(&escape_pattern(JsStr::utf8(pattern))).ok()?;
        let text = format!("0/{flags}/{source}");
        RegExpText::parse(&text).map(Into::into)
    }

    /// The pattern, escaped to stand between slashes.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// The flags.
    pub fn flags(&self) -> RegExpFlags {
        self.flags
    }

    /// Where the next match begins that is looked for, in code units.
    pub fn last_index(&self) -> u64 {
        self.last_index
    }
}

impl From<RegExpText<'_>> for RegExp {
    fn from(text: RegExpText<'_>) -> Self {
        RegExp { source: text.source.to_owned(), flags: text.flags, last_index: text.last_index }
    }
}

impl Serialize for RegExp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let text = format!("{}/{}/{}", self.last_index, self.flags, self.source);
        serializer.serialize_newtype_struct(special::REGEXP, &text)
    }
}

impl<'de> Deserialize<'de> for RegExp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Text;
        impl<'de> Visitor<'de> for Text {
            type Value = RegExp;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a RegExp")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<RegExp, E> {
                let parsed = RegExpText::parse(text).map(Into::into);
                parsed.ok_or_else(|| E::invalid_value(de::Unexpected::Str(text), &self))
            }

            fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<RegExp, D::Error> {
                deserializer.deserialize_str(self)
            }
        }
        deserializer.deserialize_newtype_struct(special::REGEXP, Text)
    }
}

/// The elements of a typed array, in place where the message is aligned; `Vec<T>` and `&[T]` convert into it.
///
/// ```
/// use marshal::{Marshal, from_slice, serde::TypedArray, to_vec};
///
/// let bytes = to_vec(&TypedArray::from(&[0.5f32, 1.5][..]))?;
/// assert_eq!(Marshal::decode(&bytes)?.to_string(), "Float32Array[0.5, 1.5]");
/// let array: TypedArray<f32> = from_slice(&bytes)?;
/// assert_eq!(*array, [0.5, 1.5]);
/// # Ok::<(), marshal::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct TypedArray<'a, T: Clone>(Cow<'a, [T]>);

impl<T: Clone> TypedArray<'_, T> {
    /// The elements as a vector; copied where they were borrowed.
    pub fn into_vec(self) -> Vec<T> {
        self.0.into_owned()
    }

    /// Whether the elements lie in the message.
    pub fn is_borrowed(&self) -> bool {
        matches!(self.0, Cow::Borrowed(_))
    }
}

impl<T: Clone> std::ops::Deref for TypedArray<'_, T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.0
    }
}

impl<'a, T: Clone> From<&'a [T]> for TypedArray<'a, T> {
    fn from(elements: &'a [T]) -> Self {
        TypedArray(Cow::Borrowed(elements))
    }
}

impl<T: Clone> From<Vec<T>> for TypedArray<'_, T> {
    fn from(elements: Vec<T>) -> Self {
        TypedArray(Cow::Owned(elements))
    }
}

impl<T: Element + Clone> Serialize for TypedArray<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_newtype_struct(typed_array_name(T::KIND), &Bytes(bytes_of(&self.0)))
    }
}

impl<'de: 'a, 'a, T: Element + Clone> Deserialize<'de> for TypedArray<'a, T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = typed_array_name(T::KIND);
        let bytes = deserializer.deserialize_newtype_struct(name, BytesVisitor(T::KIND.constructor()))?;
        if bytes.0.len() % size_of::<T>() != 0 {
            return Err(de::Error::invalid_length(bytes.0.len(), &"whole elements"));
        }
        Ok(TypedArray(match bytes.0 {
            Cow::Borrowed(bytes) => numbers(bytes),
            Cow::Owned(bytes) => numbers(&bytes).into_owned().into(),
        }))
    }
}

/// A typed array, for `#[serde(with = "marshal::serde::typed_array")]` on a `Vec` of numbers.
///
/// ```
/// # use serde::{Serialize, Deserialize};
/// #[derive(Serialize, Deserialize)]
/// struct Curve {
///     #[serde(with = "marshal::serde::typed_array")]
///     points: Vec<f64>,
/// }
///
/// let bytes = marshal::to_vec(&Curve { points: vec![0.5] })?;
/// assert_eq!(marshal::Marshal::decode(&bytes)?.to_string(), "{points: Float64Array[0.5]}");
/// # Ok::<(), marshal::Error>(())
/// ```
pub mod typed_array {
    use super::*;

    /// Serializes numbers as a typed array.
    ///
    /// # Errors
    ///
    /// Those of the serializer.
    pub fn serialize<T: Element + Clone, S: Serializer>(numbers: &[T], serializer: S) -> Result<S::Ok, S::Error> {
        TypedArray::from(numbers).serialize(serializer)
    }

    /// Deserializes a typed array, or a packed array of the same kind.
    ///
    /// # Errors
    ///
    /// `wrong-type` for another value.
    pub fn deserialize<'de, T: Element + Clone, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<T>, D::Error> {
        TypedArray::deserialize(deserializer).map(TypedArray::into_vec)
    }
}

/// An ArrayBuffer, for `#[serde(with = "marshal::serde::array_buffer")]` on `Vec<u8>`.
///
/// ```
/// # use serde::{Serialize, Deserialize};
/// #[derive(Serialize, Deserialize)]
/// struct File {
///     #[serde(with = "marshal::serde::array_buffer")]
///     content: Vec<u8>,
/// }
/// ```
pub mod array_buffer {
    use super::*;

    /// Serializes bytes as an ArrayBuffer.
    ///
    /// # Errors
    ///
    /// Those of the serializer.
    pub fn serialize<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_newtype_struct(special::BUFFER, &Bytes(bytes.into()))
    }

    /// Deserializes an ArrayBuffer.
    ///
    /// # Errors
    ///
    /// `wrong-type` for another value.
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u8>, D::Error> {
        let bytes = deserializer.deserialize_newtype_struct(special::BUFFER, BytesVisitor("an ArrayBuffer"))?;
        Ok(bytes.0.into_owned())
    }
}

/// Makes a `with` module that puts a collection into a newtype struct with a name of ours.
macro_rules! collection {
    ($(#[$doc:meta])* $module:ident, $name:expr) => {
        $(#[$doc])*
        pub mod $module {
            use super::*;

            /// Serializes the collection.
            ///
            /// # Errors
            ///
            /// Those of the serializer; `duplicate-key` where an entry stands twice.
            pub fn serialize<T: Serialize, S: Serializer>(value: &T, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_newtype_struct($name, value)
            }

            /// Deserializes the collection.
            ///
            /// # Errors
            ///
            /// `wrong-type` for another value.
            pub fn deserialize<'de, T: Deserialize<'de>, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
                T::deserialize(deserializer)
            }
        }
    };
}

collection! {
    /// A Map, for `#[serde(with = "marshal::serde::map")]` on a map: also where its keys are strings, which without it
    /// make an object.
    map, special::MAP
}
collection! {
    /// A Set, for `#[serde(with = "marshal::serde::set")]` on a set or vector, which without it are arrays.
    set, special::SET
}

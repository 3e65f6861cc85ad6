//! What a value must be able to do to stand in a field of a class: be written, read and copied.

use super::{Copier, Items, Reader, Rest, Writer};
use crate::error::Error;
use crate::wire::tag;

/// Whether a value of a type is an object, with an identity, in JavaScript.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Identity {
    /// It is: an instance, an array, a Map, a Set, a Date.
    Own,
    /// It is a primitive; behind a pointer that keeps identity it is wrapped (`Object("text")`).
    Boxed,
    /// It is sometimes `null`, or stands for another value: it can't be behind a pointer that keeps identity.
    None,
}

/// A value that can be a field of a [`Class`](super::Class).
///
/// Implemented for classes (by `#[derive(Class)]`), for [`Shared`](super::Shared) and [`Weak`](super::Weak), and for
/// what the standard library has: numbers, strings, `Option`, `Box`, `Rc`, `Arc`, `Cell`, `RefCell`, `Mutex`,
/// `RwLock`, `Cow`, tuples, arrays, `Vec`, `VecDeque`, maps and sets. Types of other crates become fields
/// under `#[class(custom)]`, see [`Classes::register_custom`](super::Classes::register_custom).
///
/// | Rust | JavaScript |
/// | --- | --- |
/// | `u8` to `u64`, `i8` to `i64`, `usize`, `isize`, `u128`, `i128` | Number within ±(2⁵³−1), else BigInt |
/// | `f32`, `f64`; `bool`; `()` | Number; boolean; `undefined` |
/// | `String`, `Box<str>`, `Rc<str>`, `Arc<str>`, `Cow<'static, str>`, `char` | string |
/// | `Option` | `null` or the value; `undefined` and a missing field are read as `None` |
/// | `Vec`, `VecDeque`, `Box<[T]>`, `[T; N]`, tuples | Array |
/// | `HashMap`, `BTreeMap`; `HashSet`, `BTreeSet` | Map; Set |
/// | [`Date`](super::Date), [`TypedArray`](super::TypedArray), [`ErrorBase`](super::ErrorBase) | Date; typed array; Error |
/// | `SystemTime`; with features, moments of `chrono`, `jiff`, `time` | Date, to the millisecond |
/// | with features, `url::Url`, `rust_decimal::Decimal`, `uuid::Uuid` | a custom `URL`, `Decimal`, `UUID` of the text |
/// | `Shared`, `Weak`, `Rc`, `Arc` | the object that they point at |
/// | `Box`, `Cell`, `RefCell`, `Mutex`, `RwLock` | what is in them |
#[diagnostic::on_unimplemented(
    message = "`{Self}` can't be a field of a class",
    label = "not a field",
    note = "derive `Class` for it, or mark a field of a foreign type with `#[class(custom)]`"
)]
pub trait Field: Sized + 'static {
    /// Whether it is an object.
    const IDENTITY: Identity;

    /// Whether it may be written as `null` or `undefined`, so that an `Option` around it would lose something.
    const NULLABLE: bool = false;

    /// What errors call the type, and what names of generic classes are made of.
    fn type_name() -> String;

    /// Writes one value.
    ///
    /// # Errors
    ///
    /// `borrowed` where a `RefCell` or a lock can't be read, `limit-exceeded` for values nested too deeply.
    fn write(&self, to: &mut Writer) -> Result<(), Error>;

    /// How many items a value is at most, where values are [gathered](Self::gather); else 0.
    #[doc(hidden)]
    const ITEMS: usize = 0;

    /// Writes one value behind `items`, as one of them if it is a small one.
    #[doc(hidden)]
    #[inline(always)]
    fn gather(&self, items: &mut Items, to: &mut Writer) -> Result<(), Error> {
        items.pass(to, |to| self.write(to))
    }

    /// The same of a value that may not be there.
    #[doc(hidden)]
    #[inline(always)]
    fn gather_option(this: Option<&Self>, items: &mut Items, to: &mut Writer) -> Result<(), Error> {
        match this {
            Some(value) => value.gather(items, to),
            None => {
                items.tag(tag::NULL);
                Ok(())
            }
        }
    }

    /// Reads one value.
    ///
    /// # Errors
    ///
    /// What is wrong with the message, or with the value as one of this type.
    fn read(from: &mut Reader<'_>) -> Result<Self, Error>;

    /// Reads one value from the start of `rest`, a small one without the reader.
    #[doc(hidden)]
    #[inline(always)]
    fn take<'a>(rest: &mut Rest<'a>, from: &mut Reader<'a>) -> Result<Self, Error> {
        rest.read(from)
    }

    /// Copies the value so that it shares nothing with this one.
    ///
    /// # Errors
    ///
    /// Those of [`write`](Self::write), and what a hook that runs after restoring says.
    fn copy(&self, copier: &mut Copier) -> Result<Self, Error>;

    /// The value of a field that a message does not have; `None` where that is an error.
    fn absent() -> Option<Self> {
        None
    }

    /// Whether every such object has a property of its own with this key: an array's `length`.
    #[doc(hidden)]
    fn is_own_key(key: &str) -> bool {
        let _ = key;
        false
    }

    /// The value as a Number, if it is one: arrays of them are packed.
    #[inline]
    fn as_number(&self) -> Option<f64> {
        None
    }

    /// The value that a Number is: the other way of [`as_number`](Self::as_number).
    #[inline]
    fn from_number(number: f64) -> Option<Self> {
        let _ = number;
        None
    }
}

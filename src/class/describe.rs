//! What a class says about itself: its name, its version and its keys.

use std::any::TypeId;

use super::{Field, Instance, Items, Opened, Reader, Rest, Writer};
use crate::error::Error;
use crate::wire::{shapes, varint};

/// A Rust type whose values are instances of a class in JavaScript. Derived: `#[derive(Class)]`.
///
/// # Attributes
///
/// On the type, as `#[class(name = "User", version = 2)]`:
///
/// | attribute | |
/// | --- | --- |
/// | `name = "…"` | the name in the bytes; the type's by default. A generic class adds its arguments: `Pair<String, u32>` |
/// | `version = n` | the version in the bytes, 0 by default. An older message is read if no field is missing; a newer one is refused |
/// | `previous = Type` | the class of the version before: older messages are read as it, then migrated |
/// | `migrate = function` | makes this class from `previous`: `fn(Previous) -> Result<Self, E>`. `From` by default |
/// | `restored = function` | runs when the fields have been restored: `fn(&mut Self) -> Result<(), E>` |
/// | `refuse_unknown` | a field that the class does not have is an error; it is ignored by default |
/// | `crate = path` | where this crate is found, if not at `::marshal` |
///
/// On a field: `rename = "…"`, `alias = "…"` (also read under this key), `default` or `default = expression` (where the
/// message has no such field), `skip` (not written; its default when restored), `flatten` (the fields of a base class
/// as fields of this one), `custom` (a foreign type that
/// [`Classes::register_custom`](super::Classes::register_custom) knows, and `Clone`), `base` (the built-in that the class extends: an array, Map, Set, Date, typed array or error).
///
/// An enum's variants are classes of their own, called `Shape.Circle`; `rename` on a variant changes what follows the
/// dot. Fields of tuple structs have the keys `0`, `1`, ….
///
/// # Examples
///
/// ```
/// use marshal::{Class, Classes, Marshal, Shared};
///
/// #[derive(Class)]
/// struct User { username: String, age: u32, friends: Vec<Shared<User>> }
///
/// let ada = Shared::new(User { username: "ada".into(), age: 36, friends: vec![] });
/// let (bytes, classes) = Marshal::encode_with_classes(&ada)?;
/// let user: Shared<User> = Marshal::decode_with_classes(&bytes, &classes)?;
/// assert_eq!((user.username.as_str(), user.age), ("ada", 36));
/// # Ok::<(), marshal::Error>(())
/// ```
///
/// # Specification
///
/// `spec/format.md`, sections 6 and 15.
pub trait Class: Field {
    /// Says the name, version and keys.
    #[doc(hidden)]
    fn describe(about: &mut Description);

    /// Reads the fields of an instance whose tag has been read.
    #[doc(hidden)]
    fn read_opened(opened: Opened, from: &mut Reader<'_>) -> Result<Self, Error>;
}

/// A class whose fields can be those of another one.
#[doc(hidden)]
pub trait Flatten: Class {
    const COUNT: usize;
    fn describe_fields(about: &mut Description);
    fn write_fields(&self, items: &mut Items, to: &mut Writer) -> Result<(), Error>;
    fn read_fields(from: &mut Reader<'_>, instance: &Instance, first: usize) -> Result<Self, Error>;
    /// The same where they stand in turn.
    fn take_fields<'a>(rest: &mut Rest<'a>, from: &mut Reader<'a>) -> Result<Self, Error>;
}

/// The description of a class, filled by [`Class::describe`].
#[doc(hidden)]
#[derive(Debug, Clone)]
pub struct Description {
    pub(super) type_id: TypeId,
    pub(super) class: String,
    pub(super) version: u32,
    pub(super) refuse_unknown: bool,
    pub(super) forms: Vec<FormDescription>,
}

/// A struct, or a variant of an enum: what has a shape.
#[derive(Debug, Clone)]
pub(super) struct FormDescription {
    pub(super) name: String,
    /// Whether it extends a built-in.
    pub(super) derived: bool,
    /// Whether the built-in has a property of its own with this key.
    pub(super) is_own_key: fn(&str) -> bool,
    pub(super) keys: Vec<KeyDescription>,
}

#[derive(Debug, Clone)]
pub(super) struct KeyDescription {
    pub(super) key: &'static str,
    pub(super) aliases: &'static [&'static str],
}

impl Description {
    pub(super) fn of<T: Class>() -> Self {
        let mut about = Description {
            type_id: TypeId::of::<T>(),
            class: String::new(),
            version: 0,
            refuse_unknown: false,
            forms: Vec::new(),
        };
        T::describe(&mut about);
        about
    }

    /// Name, version, and whether fields that it does not have are refused.
    pub fn class(&mut self, name: String, version: u32, refuse_unknown: bool) {
        (self.class, self.version, self.refuse_unknown) = (name, version, refuse_unknown);
    }

    /// The struct, or the next variant.
    pub fn form(&mut self, suffix: &str, derived: bool) {
        let name = if suffix.is_empty() { self.class.clone() } else { format!("{}.{suffix}", self.class) };
        self.forms.push(FormDescription { name, derived, is_own_key: |_| false, keys: Vec::new() });
    }

    /// The built-in that the form extends.
    pub fn base<T: Field>(&mut self) {
        if let Some(form) = self.forms.last_mut() {
            form.is_own_key = T::is_own_key;
        }
    }

    /// The next key of the form.
    pub fn key(&mut self, key: &'static str, aliases: &'static [&'static str]) {
        if let Some(form) = self.forms.last_mut() {
            form.keys.push(KeyDescription { key, aliases });
        }
    }

    /// The shape of a form, as the section of shapes has it.
    pub(super) fn shape(&self, form: usize) -> Vec<u8> {
        let form = &self.forms[form];
        let mut content = vec![if form.derived { shapes::DERIVED } else { shapes::CLASS }];
        shapes::utf8(&mut content, &form.name);
        varint::write(&mut content, u64::from(self.version));
        varint::write(&mut content, form.keys.len() as u64);
        form.keys.iter().for_each(|key| shapes::utf8(&mut content, key.key));
        content
    }
}

/// The name of a generic class.
#[doc(hidden)]
pub fn generic_name(name: &str, arguments: &[String]) -> String {
    format!("{name}<{}>", arguments.join(", "))
}

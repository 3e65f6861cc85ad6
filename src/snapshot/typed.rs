//! Class values and the types that serde knows, to a snapshot and back.

use std::borrow::Cow;
use std::path::Path;

use super::{Snapshot, ToMessage};
use crate::class::{self, Classes, Field};
use crate::codec::{EncodeOptions, as_asked};
use crate::error::Error;

/// Every class value, and anything that can be a field of one, as
/// [`Marshal::encode_with_classes`](crate::Marshal::encode_with_classes) writes it. Entries of the options, which are
/// handles of a graph, are `unknown-value`: [`Lazy::with_index`](crate::Lazy::with_index) names parts of any message.
impl<T: Field> ToMessage for T {
    fn to_message(&self, options: &EncodeOptions) -> Result<Cow<'_, [u8]>, Error> {
        let (message, _) = class::encode(self, &Classes::new())?;
        as_asked(message, options).map(Cow::Owned)
    }
}

impl Snapshot {
    /// Loads a class value, or anything that can be a field of one. Only classes in the registry are restored.
    ///
    /// # Examples
    ///
    /// ```
    /// use marshal::{Class, Classes, Shared, Snapshot};
    ///
    /// #[derive(Class)]
    /// struct User { name: String, friends: Vec<Shared<User>> }
    ///
    /// let dir = tempfile::tempdir()?;
    /// let path = dir.path().join("users.marshal");
    /// let ada = Shared::new(User { name: "Ada".into(), friends: Vec::new() });
    /// Snapshot::save(&path, &vec![ada.clone(), ada])?;
    ///
    /// let classes = Classes::new().with::<User>();
    /// let users: Vec<Shared<User>> = Snapshot::load_with_classes(&path, &classes)?;
    /// assert_eq!(users[1].name, "Ada");
    /// assert!(users[0] == users[1]); // the same object
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Those of [`read`](Self::read) and of [`Marshal::decode_with_classes`](crate::Marshal::decode_with_classes).
    pub fn load_with_classes<T: Field>(path: impl AsRef<Path>, classes: &Classes) -> Result<T, Error> {
        Self::read(path)?.decode_with_classes(classes)
    }

    /// Decodes the message to a class value, or anything that can be a field of one.
    ///
    /// # Errors
    ///
    /// Those of [`Marshal::decode_with_classes`](crate::Marshal::decode_with_classes).
    pub fn decode_with_classes<T: Field>(&self, classes: &Classes) -> Result<T, Error> {
        class::decode(self.message(), classes)
    }
}

#[cfg(feature = "serde")]
mod through_serde {
    use ::serde::Serialize;
    use ::serde::de::{Deserialize, DeserializeOwned};

    use super::*;
    use crate::serde::{from_slice, to_vec};

    /// A value of a type that serde knows, to be saved. (A type may be a class too, or a graph, so saving is told which is
    /// meant.)
    ///
    /// # Examples
    ///
    /// ```
    /// use marshal::{Serde, Snapshot};
    /// use serde::{Deserialize, Serialize};
    ///
    /// #[derive(Serialize, Deserialize, PartialEq, Debug)]
    /// struct Config { name: String, retries: Option<u32> }
    ///
    /// let dir = tempfile::tempdir()?;
    /// let path = dir.path().join("config.marshal");
    /// let config = Config { name: "main".into(), retries: None };
    /// Snapshot::save(&path, &Serde(&config))?;
    /// assert_eq!(Snapshot::load_serde::<Config>(&path)?, config);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[derive(Debug, Clone, Copy)]
    pub struct Serde<T>(pub T);

    impl<T: Serialize> ToMessage for Serde<T> {
        fn to_message(&self, options: &EncodeOptions) -> Result<Cow<'_, [u8]>, Error> {
            as_asked(to_vec(&self.0)?, options).map(Cow::Owned)
        }
    }

    impl Snapshot {
        /// Loads a value of a type that serde knows.
        ///
        /// # Examples
        ///
        /// See [`Serde`].
        ///
        /// # Errors
        ///
        /// Those of [`read`](Self::read) and of [`from_slice`](crate::from_slice).
        pub fn load_serde<T: DeserializeOwned>(path: impl AsRef<Path>) -> Result<T, Error> {
            Self::read(path)?.deserialize()
        }

        /// Deserializes the message. Strings and bytes can be borrowed from it.
        ///
        /// # Errors
        ///
        /// Those of [`from_slice`](crate::from_slice).
        pub fn deserialize<'de, T: Deserialize<'de>>(&'de self) -> Result<T, Error> {
            from_slice(self.message())
        }
    }
}

#[cfg(feature = "serde")]
pub use through_serde::Serde;

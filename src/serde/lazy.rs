//! A part of a message that is read as it is needed, as a Rust type.

use serde::de::DeserializeOwned;

use super::run::from_slice;
use crate::error::Error;
use crate::lazy::LazyCursor;

impl LazyCursor<'_> {
    /// The value as a type that serde knows. Only the value is read, and what references in it stand for.
    ///
    /// # Examples
    ///
    /// ```
    /// use marshal::{Lazy, Marshal, js};
    /// use serde::Deserialize;
    ///
    /// #[derive(Deserialize, PartialEq, Debug)]
    /// struct User { name: String, age: u8 }
    ///
    /// let bytes = Marshal::encode(&js!({ users: [{ name: "Ada", age: 36 }, { name: "Grace", age: 85 }] }))?;
    /// let user: User = Lazy::new(&bytes)?.root()?.get("users")?.at(1)?.deserialize()?;
    /// assert_eq!(user, User { name: "Grace".into(), age: 85 });
    /// # Ok::<(), marshal::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Those of [`from_slice`](crate::from_slice), with offsets in the part as a
    /// [message](LazyCursor::to_message).
    pub fn deserialize<T: DeserializeOwned>(self) -> Result<T, Error> {
        from_slice(&self.to_message()?)
    }
}

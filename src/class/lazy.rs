//! A part of a message that is read as it is needed, as a class value.

use super::{Classes, Field, decode};
use crate::error::Error;
use crate::lazy::LazyCursor;

impl LazyCursor<'_> {
    /// The value as a class value, or anything that can be a field of one. Only the value is read, and what references in
    /// it stand for.
    ///
    /// # Examples
    ///
    /// ```
    /// use marshal::{Class, Classes, Lazy, Marshal, Shared};
    ///
    /// #[derive(Class)]
    /// struct User { name: String, best_friend: Option<Shared<User>> }
    ///
    /// let ada = Shared::new(User { name: "Ada".into(), best_friend: None });
    /// let grace = Shared::new(User { name: "Grace".into(), best_friend: Some(ada.clone()) });
    /// let (bytes, classes) = Marshal::encode_with_classes(&vec![ada, grace])?;
    ///
    /// let lazy = Lazy::new(&bytes)?;
    /// let grace: Shared<User> = lazy.root()?.at(1)?.decode_with_classes(&classes)?;
    /// assert_eq!(grace.best_friend.as_ref().unwrap().name, "Ada");
    /// # Ok::<(), marshal::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Those of [`Marshal::decode_with_classes`](crate::Marshal::decode_with_classes), with offsets in the part as a
    /// [message](LazyCursor::to_message).
    pub fn decode_with_classes<T: Field>(self, classes: &Classes) -> Result<T, Error> {
        decode(&self.to_message()?, classes)
    }
}

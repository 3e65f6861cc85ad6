//! Dates, and the moments of Rust's time crates as them.

use std::fmt;

use serde::de::{self, Deserialize, Deserializer, Visitor};
use serde::ser::{self, Serialize, Serializer};

use super::special;
use crate::error::Error;
use crate::graph::is_time_value;
use crate::moment;

/// A Date: milliseconds since 1970, or NaN for an invalid one (`spec/format.md`, section 8).
///
/// ```
/// use marshal::{Marshal, from_slice, serde::Date, to_vec};
/// use std::time::SystemTime;
///
/// let now = Date::try_from(SystemTime::now())?;
/// let bytes = to_vec(&now)?;
/// assert_eq!(Marshal::decode(&bytes)?.root().kind(), marshal::Kind::Date);
/// assert_eq!(from_slice::<Date>(&bytes)?, now);
/// # Ok::<(), marshal::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct Date(f64);

impl Date {
    /// The Date with this time value. `None` for what is no time value: a fraction, or beyond 8.64e15 either way.
    pub fn from_ms(ms: f64) -> Option<Date> {
        // JavaScript's TimeClip makes -0 a 0.
        is_time_value(ms + 0.0).then_some(Date(ms + 0.0))
    }

    /// Milliseconds since 1970; NaN for an invalid Date.
    pub fn ms(self) -> f64 {
        self.0
    }
}

macro_rules! conversions {
    ($moment:ty) => {
        impl TryFrom<$moment> for Date {
            type Error = Error;

            /// To the millisecond, the earlier one of two.
            ///
            /// # Errors
            ///
            /// `bad-date` for what lies beyond 8.64e15 milliseconds from 1970.
            fn try_from(moment: $moment) -> Result<Date, Error> {
                moment::time_value(&moment).map(Date)
            }
        }

        impl TryFrom<Date> for $moment {
            type Error = Error;

            /// # Errors
            ///
            /// `bad-date` for an invalid Date and for one that the type can't hold.
            fn try_from(date: Date) -> Result<Self, Error> {
                moment::from_time_value(date.0)
            }
        }
    };
}
moment::each_moment!(conversions);

impl Serialize for Date {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_newtype_struct(special::DATE, &self.0)
    }
}

impl<'de> Deserialize<'de> for Date {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Ms;
        impl<'de> Visitor<'de> for Ms {
            type Value = Date;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a Date")
            }

            fn visit_f64<E: de::Error>(self, ms: f64) -> Result<Date, E> {
                Date::from_ms(ms).ok_or_else(|| E::invalid_value(de::Unexpected::Float(ms), &self))
            }

            fn visit_i64<E: de::Error>(self, ms: i64) -> Result<Date, E> {
                self.visit_f64(ms as f64)
            }

            fn visit_u64<E: de::Error>(self, ms: u64) -> Result<Date, E> {
                self.visit_f64(ms as f64)
            }

            fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<Date, D::Error> {
                deserializer.deserialize_f64(self)
            }
        }
        deserializer.deserialize_newtype_struct(special::DATE, Ms)
    }
}

/// A Date, for `#[serde(with = "marshal::serde::date")]` on a `SystemTime`, and with the feature of that name on a
/// `chrono::DateTime<Utc>`, a `jiff::Timestamp`, a `time::OffsetDateTime` or a `time::UtcDateTime`. On an `Option` of
/// one, [`date::option`].
///
/// A Date is a moment to the millisecond: parts of one are cut off, towards the past, and an `OffsetDateTime` comes back
/// in UTC.
///
/// ```
/// # use serde::{Serialize, Deserialize};
/// use std::time::{Duration, SystemTime};
///
/// #[derive(Serialize, Deserialize, PartialEq, Debug)]
/// struct Event {
///     #[serde(with = "marshal::serde::date")]
///     at: SystemTime,
///     #[serde(with = "marshal::serde::date::option")]
///     done: Option<SystemTime>,
/// }
///
/// let event = Event { at: SystemTime::UNIX_EPOCH + Duration::from_millis(7), done: None };
/// let bytes = marshal::to_vec(&event)?;
/// assert_eq!(marshal::Marshal::decode(&bytes)?.to_string(), "{at: Date(7), done: null}");
/// assert_eq!(marshal::from_slice::<Event>(&bytes)?, event);
/// # Ok::<(), marshal::Error>(())
/// ```
///
/// With the feature `chrono` (or `jiff`, or `time`):
///
/// ```
/// # #[cfg(feature = "chrono")] {
/// # use serde::{Serialize, Deserialize};
/// use chrono::{DateTime, Utc};
///
/// #[derive(Serialize, Deserialize)]
/// struct Login(#[serde(with = "marshal::serde::date")] DateTime<Utc>);
///
/// let login = Login("2026-11-30T16:20:00Z".parse().unwrap());
/// assert_eq!(marshal::Marshal::decode(&marshal::to_vec(&login)?)?.to_string(), "Date(1796055600000)");
/// # }
/// # Ok::<(), marshal::Error>(())
/// ```
///
/// Any type that converts into a [`Date`] and back will do.
pub mod date {
    use super::*;

    /// Serializes a moment as a Date.
    ///
    /// # Errors
    ///
    /// Those of the serializer; `rejected` for what a Date can't hold.
    pub fn serialize<T, S>(moment: &T, serializer: S) -> Result<S::Ok, S::Error>
    where
        T: Clone + TryInto<Date, Error: fmt::Display>,
        S: Serializer,
    {
        moment.clone().try_into().map_err(ser::Error::custom)?.serialize(serializer)
    }

    /// Deserializes a moment from a Date.
    ///
    /// # Errors
    ///
    /// `wrong-type` for another value; `rejected` for an invalid Date and for one that the type can't hold.
    pub fn deserialize<'de, T, D>(deserializer: D) -> Result<T, D::Error>
    where
        T: TryFrom<Date, Error: fmt::Display>,
        D: Deserializer<'de>,
    {
        T::try_from(Date::deserialize(deserializer)?).map_err(de::Error::custom)
    }

    /// The same for a moment that may be missing: a Date or `null`.
    pub mod option {
        use super::*;

        /// Serializes a moment as a Date, none as `null`.
        ///
        /// # Errors
        ///
        /// Those of [`date::serialize`](super::serialize).
        pub fn serialize<T, S>(moment: &Option<T>, serializer: S) -> Result<S::Ok, S::Error>
        where
            T: Clone + TryInto<Date, Error: fmt::Display>,
            S: Serializer,
        {
            let date = moment.clone().map(T::try_into).transpose().map_err(ser::Error::custom)?;
            date.serialize(serializer)
        }

        /// Deserializes a moment from a Date, none from `null` and `undefined`.
        ///
        /// # Errors
        ///
        /// Those of [`date::deserialize`](super::deserialize).
        pub fn deserialize<'de, T, D>(deserializer: D) -> Result<Option<T>, D::Error>
        where
            T: TryFrom<Date, Error: fmt::Display>,
            D: Deserializer<'de>,
        {
            let date = Option::<Date>::deserialize(deserializer)?;
            date.map(T::try_from).transpose().map_err(de::Error::custom)
        }
    }
}

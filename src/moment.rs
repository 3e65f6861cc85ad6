//! Moments of the usual time crates as the time values of Dates, and back: to the millisecond, the earlier one of two.
//! Knows neither serde nor classes.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::error::{Error, ErrorKind};
use crate::graph::is_time_value;

/// A type that says when something was, and nothing else that a Date would lose (but for parts of a millisecond).
pub(crate) trait Moment: Sized {
    /// As in a message: "beyond what … can hold".
    const NAME: &'static str;

    /// Milliseconds since 1970, rounded down.
    fn to_ms(&self) -> i128;

    /// `None` for what the type can't hold.
    fn from_ms(ms: i64) -> Option<Self>;
}

/// Makes what a macro makes of each type that is a [`Moment`] in this build.
macro_rules! each_moment {
    ($for:ident) => {
        $for!(std::time::SystemTime);
        #[cfg(feature = "chrono")]
        $for!(chrono::DateTime<chrono::Utc>);
        #[cfg(feature = "jiff")]
        $for!(jiff::Timestamp);
        #[cfg(feature = "time")]
        $for!(time::OffsetDateTime);
        #[cfg(feature = "time")]
        $for!(time::UtcDateTime);
    };
}
pub(crate) use each_moment;

/// The time value of the Date that stands for this moment.
pub(crate) fn time_value<T: Moment>(moment: &T) -> Result<f64, Error> {
    let ms = moment.to_ms() as f64;
    let beyond = || Error::new(ErrorKind::BadDate, "beyond what a Date can hold: 8.64e15 ms from 1970");
    is_time_value(ms).then_some(ms).ok_or_else(beyond)
}

/// The moment that a Date with this time value stands for.
pub(crate) fn from_time_value<T: Moment>(ms: f64) -> Result<T, Error> {
    if ms.is_nan() {
        return Err(Error::new(ErrorKind::BadDate, "an invalid Date is no moment"));
    }
    let beyond = || Error::new(ErrorKind::BadDate, format!("{ms} ms from 1970 is beyond what {} can hold", T::NAME));
    T::from_ms(ms as i64).ok_or_else(beyond)
}

/// In nanoseconds.
const MILLISECOND: i128 = 1_000_000;

impl Moment for SystemTime {
    const NAME: &'static str = "SystemTime";

    fn to_ms(&self) -> i128 {
        // No Duration is over 2^94 nanoseconds.
        let nanoseconds = match self.duration_since(UNIX_EPOCH) {
            Ok(after) => after.as_nanos() as i128,
            Err(before) => -(before.duration().as_nanos() as i128),
        };
        nanoseconds.div_euclid(MILLISECOND)
    }

    fn from_ms(ms: i64) -> Option<Self> {
        let distance = Duration::from_millis(ms.unsigned_abs());
        if ms < 0 { UNIX_EPOCH.checked_sub(distance) } else { UNIX_EPOCH.checked_add(distance) }
    }
}

#[cfg(feature = "chrono")]
impl Moment for chrono::DateTime<chrono::Utc> {
    const NAME: &'static str = "chrono::DateTime";

    fn to_ms(&self) -> i128 {
        i128::from(self.timestamp_millis())
    }

    fn from_ms(ms: i64) -> Option<Self> {
        Self::from_timestamp_millis(ms)
    }
}

#[cfg(feature = "jiff")]
impl Moment for jiff::Timestamp {
    const NAME: &'static str = "jiff::Timestamp";

    fn to_ms(&self) -> i128 {
        self.as_nanosecond().div_euclid(MILLISECOND)
    }

    fn from_ms(ms: i64) -> Option<Self> {
        // from_millisecond refuses the last second.
        Self::from_nanosecond(i128::from(ms) * MILLISECOND).ok()
    }
}

#[cfg(feature = "time")]
impl Moment for time::OffsetDateTime {
    const NAME: &'static str = "time::OffsetDateTime";

    fn to_ms(&self) -> i128 {
        self.unix_timestamp_nanos().div_euclid(MILLISECOND)
    }

    fn from_ms(ms: i64) -> Option<Self> {
        Self::from_unix_timestamp_nanos(i128::from(ms) * MILLISECOND).ok()
    }
}

#[cfg(feature = "time")]
impl Moment for time::UtcDateTime {
    const NAME: &'static str = "time::UtcDateTime";

    fn to_ms(&self) -> i128 {
        self.unix_timestamp_nanos().div_euclid(MILLISECOND)
    }

    fn from_ms(ms: i64) -> Option<Self> {
        Self::from_unix_timestamp_nanos(i128::from(ms) * MILLISECOND).ok()
    }
}

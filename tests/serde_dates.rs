//! Dates, and the moments of std and the time crates as Dates.

use std::fmt::Debug;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use marshal::serde::Date;
use marshal::{Error, ErrorKind, Marshal, from_slice, js, to_vec};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, PartialEq, Debug)]
#[serde(bound(
    serialize = "T: Clone + TryInto<Date, Error: std::fmt::Display>",
    deserialize = "T: TryFrom<Date, Error: std::fmt::Display>"
))]
struct Event<T> {
    #[serde(with = "marshal::serde::date")]
    at: T,
    #[serde(with = "marshal::serde::date::option")]
    done: Option<T>,
}

/// What holds of every type that is a moment: made from seconds and nanoseconds, `first` and `last` being the first and
/// the last whole millisecond that the type and a Date hold.
fn of_moments<T>(make: impl Fn(i64, u32) -> T, first: i64, last: i64)
where
    T: Clone + PartialEq + Debug + TryInto<Date, Error = Error> + TryFrom<Date, Error = Error>,
    Event<T>: Serialize + DeserializeOwned,
{
    let at = |ms: i64| make(ms.div_euclid(1000), ms.rem_euclid(1000) as u32 * 1_000_000);
    for ms in [0, 1, -1, 1_700_000_000_123, -62_135_596_800_000, first, first + 1, last - 1, last] {
        for done in [None, Some(at(ms))] {
            let shown = done.as_ref().map_or("null".to_owned(), |_| format!("Date({ms})"));
            let event = Event { at: at(ms), done };
            let bytes = to_vec(&event).unwrap();
            assert_eq!(Marshal::decode(&bytes).unwrap().to_string(), format!("{{at: Date({ms}), done: {shown}}}"));
            assert_eq!(from_slice::<Event<T>>(&bytes).unwrap(), event);
            // Through another format, too.
            let json = serde_json::to_string(&event).unwrap();
            assert_eq!(serde_json::from_str::<Event<T>>(&json).unwrap(), event, "{json}");
        }
    }
    // Parts of a millisecond are cut off towards the past, on both sides of 1970.
    for (seconds, nanoseconds, ms) in
        [(0, 999_999, 0.0), (0, 1_999_999, 1.0), (-1, 999_999_999, -1.0), (-1, 1, -1000.0)]
    {
        let date: Date = make(seconds, nanoseconds).try_into().unwrap();
        assert_eq!(date.ms(), ms, "{seconds} s {nanoseconds} ns");
    }
    // No moment, and moments that this type has not.
    let beyond = [first as f64 - 1.0, last as f64 + 1.0].into_iter().filter(|ms| ms.abs() <= 8.64e15);
    for ms in beyond.chain([f64::NAN]) {
        let date = Date::from_ms(ms).unwrap();
        assert_eq!(T::try_from(date).unwrap_err().kind(), ErrorKind::BadDate, "{ms}");
        for (message, path) in
            [(js!({ at: Date(ms), done: null }), "$.at"), (js!({ at: Date(0), done: Date(ms) }), "$.done")]
        {
            let bytes = Marshal::encode(&message).unwrap();
            let error = from_slice::<Event<T>>(&bytes).unwrap_err();
            assert_eq!((error.kind(), error.path()), (ErrorKind::Rejected, Some(path)), "{error}");
            assert!(error.to_string().contains("bad-date") && error.offset().is_some(), "{error}");
        }
    }
    // No Date.
    for (message, path) in [(js!({ at: "today", done: null }), "$.at"), (js!({ at: Date(0), done: true }), "$.done")] {
        let error = from_slice::<Event<T>>(&Marshal::encode(&message).unwrap()).unwrap_err();
        assert_eq!((error.kind(), error.path()), (ErrorKind::WrongType, Some(path)), "{error}");
    }
    let undefined = Marshal::encode(&js!({ at: Date(0), done: undefined })).unwrap();
    assert_eq!(from_slice::<Event<T>>(&undefined).unwrap().done, None);
}

#[test]
fn std_moments() {
    let make = |seconds: i64, nanoseconds| {
        let whole = Duration::from_secs(seconds.unsigned_abs());
        let whole = if seconds < 0 { UNIX_EPOCH - whole } else { UNIX_EPOCH + whole };
        whole + Duration::from_nanos(u64::from(nanoseconds))
    };
    of_moments::<SystemTime>(make, -8_640_000_000_000_000, 8_640_000_000_000_000);
}

#[cfg(feature = "chrono")]
#[test]
fn chrono_moments() {
    use chrono::{DateTime, Utc};
    let (first, last) = (DateTime::<Utc>::MIN_UTC.timestamp_millis(), DateTime::<Utc>::MAX_UTC.timestamp_millis());
    of_moments(|seconds, nanoseconds| DateTime::from_timestamp(seconds, nanoseconds).unwrap(), first, last);
}

#[cfg(feature = "jiff")]
#[test]
fn jiff_moments() {
    use jiff::Timestamp;
    let (first, last) = (Timestamp::MIN.as_millisecond(), Timestamp::MAX.as_millisecond());
    of_moments(|seconds, nanoseconds| Timestamp::new(seconds, nanoseconds as i32).unwrap(), first, last);
}

#[cfg(feature = "time")]
#[test]
fn time_moments() {
    use time::{OffsetDateTime, UtcDateTime, UtcOffset};
    // The years -9999 to 9999, unless a crate in the tree asks `time` for larger ones.
    let ms = |moment: UtcDateTime| moment.unix_timestamp_nanos().div_euclid(1_000_000) as i64;
    let (first, last) = (ms(UtcDateTime::MIN), ms(UtcDateTime::MAX));
    let nanoseconds = |seconds: i64, nanoseconds: u32| i128::from(seconds) * 1_000_000_000 + i128::from(nanoseconds);
    of_moments(|s, ns| UtcDateTime::from_unix_timestamp_nanos(nanoseconds(s, ns)).unwrap(), first, last);
    of_moments(|s, ns| OffsetDateTime::from_unix_timestamp_nanos(nanoseconds(s, ns)).unwrap(), first, last);
    // The same moment, in UTC.
    let there = OffsetDateTime::from_unix_timestamp(86_400).unwrap().to_offset(UtcOffset::from_hms(-9, 30, 0).unwrap());
    let date = Date::try_from(there).unwrap();
    assert_eq!(date.ms(), 86_400_000.0);
    let back = OffsetDateTime::try_from(date).unwrap();
    assert_eq!((back, back.offset()), (there, UtcOffset::UTC));
}

#[test]
fn a_moment_that_no_date_holds_is_refused_with_its_path() {
    // One millisecond and one nanosecond too many, on either side. Not every system's clock holds so much.
    let furthest = Duration::from_millis(8_640_000_000_000_000);
    let beyond = |extra| [UNIX_EPOCH.checked_add(furthest + extra), UNIX_EPOCH.checked_sub(furthest + extra)];
    for at in beyond(Duration::from_millis(1)).into_iter().flatten() {
        assert_eq!(Date::try_from(at).unwrap_err().kind(), ErrorKind::BadDate);
        for (event, path) in [(Event { at, done: None }, "$.at"), (Event { at: UNIX_EPOCH, done: Some(at) }, "$.done")]
        {
            let error = to_vec(&event).unwrap_err();
            assert_eq!((error.kind(), error.path()), (ErrorKind::Rejected, Some(path)), "{error}");
        }
    }
    let [after, before] = beyond(Duration::from_nanos(1));
    assert!(after.is_none_or(|after| Date::try_from(after).unwrap().ms() == 8.64e15));
    assert!(before.is_none_or(|before| Date::try_from(before).is_err()));
}

#[test]
fn a_date_is_a_time_value() {
    for ms in [8.64e15, -8.64e15, 0.0, 1.0] {
        assert_eq!(Date::from_ms(ms).unwrap().ms(), ms);
    }
    assert!(Date::from_ms(f64::NAN).unwrap().ms().is_nan());
    assert!(Date::from_ms(-0.0).unwrap().ms().is_sign_positive());
    for ms in [0.5, 8.64e15 + 1.0, -8.64e15 - 1.0, f64::INFINITY, f64::NEG_INFINITY] {
        assert_eq!(Date::from_ms(ms), None, "{ms}");
    }
    for json in ["0.5", "8640000000000001", "-8640000000000001", "1e300"] {
        let error = serde_json::from_str::<Date>(json).unwrap_err();
        assert!(error.to_string().contains("expected a Date"), "{error}");
    }
}

//! Types of the usual crates, behind features of their names, and `SystemTime`.

use crate::class::{Copier, Date, Field, Identity, Reader, Writer};
use crate::error::Error;
use crate::moment;

/// Moments: a Date, to the millisecond.
macro_rules! moments {
    ($moment:ty) => {
        impl Field for $moment {
            const IDENTITY: Identity = Identity::Own;

            fn type_name() -> String {
                Date::type_name()
            }

            fn write(&self, to: &mut Writer) -> Result<(), Error> {
                Date(moment::time_value(self)?).write(to)
            }

            fn read(from: &mut Reader<'_>) -> Result<Self, Error> {
                let at = from.source.structure.offset();
                let Date(ms) = Date::read(from)?;
                moment::from_time_value(ms).map_err(|error| error.at_offset(at))
            }

            fn copy(&self, _: &mut Copier) -> Result<Self, Error> {
                Ok(self.clone())
            }
        }
    };
}
moment::each_moment!(moments);

/// Types with a text of their own: a custom value with this name, of the text.
#[cfg(any(feature = "rust_decimal", feature = "url", feature = "uuid"))]
macro_rules! texts {
    ($($type:ty, $name:literal, $parse:expr;)*) => {
        $(impl Field for $type {
            const IDENTITY: Identity = Identity::Own;

            fn type_name() -> String {
                $name.to_owned()
            }

            fn write(&self, to: &mut Writer) -> Result<(), Error> {
                to.named($name, |to| self.to_string().write(to))
            }

            fn read(from: &mut Reader<'_>) -> Result<Self, Error> {
                from.named($name, |from| {
                    let at = from.source.structure.offset();
                    let text = from.string("a string")?;
                    $parse(&text).map_err(|reason| crate::class::custom::refused::<Self>(&reason, at))
                })
            }

            fn copy(&self, _: &mut Copier) -> Result<Self, Error> {
                Ok(self.clone())
            }
        })*
    };
}

#[cfg(feature = "rust_decimal")]
texts!(rust_decimal::Decimal, "Decimal", rust_decimal::Decimal::from_str_exact;);
#[cfg(feature = "url")]
texts!(url::Url, "URL", url::Url::parse;);
#[cfg(feature = "uuid")]
texts!(uuid::Uuid, "UUID", uuid::Uuid::parse_str;);

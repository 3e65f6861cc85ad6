//! What may be nothing: the unit type and `Option`.

use crate::class::{Copier, Field, Identity, Items, Reader, Rest, Writer};
use crate::error::Error;
use crate::wire::tag;

/// `undefined`
impl Field for () {
    const IDENTITY: Identity = Identity::None;
    const NULLABLE: bool = true;

    fn type_name() -> String {
        "()".to_owned()
    }

    fn write(&self, to: &mut Writer) -> Result<(), Error> {
        to.message.structure.push(tag::UNDEFINED);
        Ok(())
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, Error> {
        let at = from.source.structure.offset();
        if from.skip_null()? { Ok(()) } else { Err(from.wrong(at, "undefined")) }
    }

    fn copy(&self, _: &mut Copier) -> Result<Self, Error> {
        Ok(())
    }
}

/// `null`, or the value.
impl<T: Field> Field for Option<T> {
    const IDENTITY: Identity = Identity::None;
    const NULLABLE: bool = true;

    fn type_name() -> String {
        format!("Option<{}>", T::type_name())
    }

    #[inline]
    fn write(&self, to: &mut Writer) -> Result<(), Error> {
        const { assert!(!T::NULLABLE, "an Option of what may be null itself would lose a level") };
        match self {
            Some(value) => value.write(to),
            None => to.null(),
        }
    }

    const ITEMS: usize = T::ITEMS;

    #[inline(always)]
    fn gather(&self, items: &mut Items, to: &mut Writer) -> Result<(), Error> {
        T::gather_option(self.as_ref(), items, to)
    }

    #[inline]
    fn read(from: &mut Reader<'_>) -> Result<Self, Error> {
        const { assert!(!T::NULLABLE, "an Option of what may be null itself would lose a level") };
        if from.skip_null()? { Ok(None) } else { T::read(from).map(Some) }
    }

    #[inline(always)]
    fn take<'a>(rest: &mut Rest<'a>, from: &mut Reader<'a>) -> Result<Self, Error> {
        const { assert!(!T::NULLABLE, "an Option of what may be null itself would lose a level") };
        if rest.skip(tag::NULL) || rest.skip(tag::UNDEFINED) { Ok(None) } else { T::take(rest, from).map(Some) }
    }

    #[inline]
    fn copy(&self, copier: &mut Copier) -> Result<Self, Error> {
        self.as_ref().map(|value| value.copy(copier)).transpose()
    }

    fn absent() -> Option<Self> {
        Some(None)
    }

    #[inline]
    fn as_number(&self) -> Option<f64> {
        self.as_ref()?.as_number()
    }

    #[inline]
    fn from_number(number: f64) -> Option<Self> {
        T::from_number(number).map(Some)
    }
}

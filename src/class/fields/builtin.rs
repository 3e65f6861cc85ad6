//! Built-ins of JavaScript that Rust's standard library has not.

use super::lists::is_array_index;
use crate::class::{Copier, Field, Identity, Reader, Writer};
use crate::error::{Error, ErrorKind, Fault};
use crate::graph::{Element, ErrorConstructor, bytes_of, is_time_value, numbers};
use crate::wire::{shapes, structure, tag, varint};

/// A Date: milliseconds since 1970 (UTC), a whole number of at most 8.64 × 10¹⁵ in magnitude, or NaN for an invalid one.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct Date(pub f64);

impl Field for Date {
    const IDENTITY: Identity = Identity::Own;

    fn type_name() -> String {
        "Date".to_owned()
    }

    fn write(&self, to: &mut Writer) -> Result<(), Error> {
        // What TimeClip of ECMA-262 makes of it.
        let ms = if is_time_value(self.0) { self.0 } else { f64::NAN };
        structure::date(&mut to.message.structure, ms);
        to.message.identities += 1;
        Ok(())
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, Error> {
        let at = from.source.structure.offset();
        if from.source.structure.u8()? != tag::DATE {
            return Err(from.wrong(at, "a Date"));
        }
        let ms = from.source.structure.f64()?;
        if !is_time_value(ms) {
            return Err(Fault::new(ErrorKind::BadDate, at).into());
        }
        from.take_identity(at)?;
        Ok(Date(if ms.is_nan() { f64::NAN } else { ms }))
    }

    fn copy(&self, _: &mut Copier) -> Result<Self, Error> {
        Ok(*self)
    }
}

/// A typed array over a buffer of its own: `TypedArray<f64>` is a Float64Array, `TypedArray<u8>` a Uint8Array,
/// `TypedArray<u64>` a BigUint64Array. Any bits are kept.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct TypedArray<T>(pub Vec<T>);

impl<T: Element + 'static> Field for TypedArray<T> {
    const IDENTITY: Identity = Identity::Own;

    fn type_name() -> String {
        T::KIND.constructor().to_owned()
    }

    fn is_own_key(key: &str) -> bool {
        // `length` is a property of what typed arrays inherit.
        is_array_index(key)
    }

    fn write(&self, to: &mut Writer) -> Result<(), Error> {
        structure::elements(&mut to.message.structure, tag::TYPED_ARRAY, T::KIND, self.0.len());
        // One for the buffer.
        to.message.identities += 2;
        to.payload(T::KIND.size(), &bytes_of(&self.0));
        Ok(())
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, Error> {
        let at = from.source.structure.offset();
        if from.source.structure.u8()? != tag::TYPED_ARRAY {
            return Err(from.wrong(at, T::KIND.constructor()));
        }
        let (kind, bytes) = from.elements(tag::TYPED_ARRAY, at)?;
        if kind != T::KIND {
            let detail = format!("expected {}, found {}", T::KIND.constructor(), kind.constructor());
            return Err(Error::new(ErrorKind::WrongType, detail).at_offset(at));
        }
        from.take_identity(at)?;
        from.take_identity(at)?;
        Ok(TypedArray(numbers(bytes).into_owned()))
    }

    fn copy(&self, _: &mut Copier) -> Result<Self, Error> {
        Ok(self.clone())
    }
}

/// The base of a class that extends an Error: which of the standard constructors made it. `message`, `stack` and
/// `cause` are fields of the class.
///
/// # Examples
///
/// ```
/// use marshal::{Class, ErrorConstructor, Marshal, class::ErrorBase};
///
/// #[derive(Class)]
/// struct HttpError { #[class(base)] base: ErrorBase, message: String, status: u16 }
///
/// let error = HttpError { base: ErrorBase(ErrorConstructor::TypeError), message: "gone".into(), status: 410 };
/// let (bytes, classes) = Marshal::encode_with_classes(&error)?;
/// assert_eq!(Marshal::decode_with_classes::<HttpError>(&bytes, &classes)?.status, 410);
/// # Ok::<(), marshal::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ErrorBase(pub ErrorConstructor);

impl Field for ErrorBase {
    const IDENTITY: Identity = Identity::Own;

    fn type_name() -> String {
        "Error".to_owned()
    }

    fn write(&self, to: &mut Writer) -> Result<(), Error> {
        let mut content = vec![shapes::ERROR, self.0 as u8];
        varint::write(&mut content, 0);
        to.object(&content);
        Ok(())
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, Error> {
        let at = from.source.structure.offset();
        let shape = from.peek_shape(&Self::type_name)?;
        let entry = from.source.shapes.shape(u64::from(shape));
        let error = entry.filter(|entry| entry.kind == shapes::ERROR && entry.keys_len() == 0);
        match error.and_then(|entry| ErrorConstructor::ALL.get(usize::from(entry.constructor))) {
            Some(&constructor) => {
                if from.source.structure.u8()? == tag::OBJECT_LONG {
                    from.source.structure.varint()?;
                }
                from.take_identity(at)?;
                Ok(ErrorBase(constructor))
            }
            None => Err(from.wrong(at, "an Error without fields of its own")),
        }
    }

    fn copy(&self, _: &mut Copier) -> Result<Self, Error> {
        Ok(*self)
    }
}

//! Arrays: `Vec`, `VecDeque`, boxed slices, arrays and tuples.

use std::collections::VecDeque;

use crate::class::{Copier, Field, Identity, Items, Reader, Writer};
use crate::error::{Error, ErrorKind};
use crate::graph::{self, MIN_PACKED};
use crate::wire::tag;

/// Reads an array into `items`: `begin` is told how many elements to make room for, `each` is given one after the other.
#[inline]
fn read_each<C, T: Field>(
    from: &mut Reader<'_>,
    mut items: C,
    begin: impl FnOnce(&mut C, usize),
    each: impl Fn(&mut C, T),
) -> Result<C, Error> {
    let at = from.source.structure.offset();
    let n = match from.source.structure.u8()? {
        tag @ tag::ARRAY..tag::OBJECT => {
            let n = tag - tag::ARRAY;
            from.source.claim(u64::from(n), at)?;
            usize::from(n)
        }
        tag::ARRAY_LONG => from.count(1, at)?,
        tag::ARRAY_PACKED => return read_packed(from, at, items, begin, each),
        tag::RECORDS => return from.expanded(at, |from| read_each(from, items, begin, each)),
        tag::ARRAY_SPARSE => {
            let detail = "an array with holes or properties of its own, which Rust has not";
            return Err(Error::new(ErrorKind::WrongType, detail).at_offset(at));
        }
        _ => return Err(from.wrong(at, "an array")),
    };
    from.take_identity(at)?;
    begin(&mut items, from.room::<T>(n));
    from.nested(|from| {
        let mut rest = from.rest();
        for _ in 0..n {
            each(&mut items, T::take(&mut rest, from)?);
        }
        from.resume(rest);
        Ok(items)
    })
}

fn read_packed<C, T: Field>(
    from: &mut Reader<'_>,
    at: usize,
    mut items: C,
    begin: impl FnOnce(&mut C, usize),
    each: impl Fn(&mut C, T),
) -> Result<C, Error> {
    from.take_identity(at)?;
    let (kind, bytes) = from.elements(tag::ARRAY_PACKED, at)?;
    let n = bytes.len() / kind.size();
    begin(&mut items, from.room::<T>(n));
    for index in 0..n {
        let number = graph::element(kind, bytes, index).unwrap_or_default();
        let item = T::from_number(number).ok_or_else(|| {
            let detail = format!("expected {}, found the number {number}", T::type_name());
            Error::new(ErrorKind::WrongType, detail).at_offset(at)
        })?;
        each(&mut items, item);
    }
    Ok(items)
}

impl<T: Field> Field for Vec<T> {
    const IDENTITY: Identity = Identity::Own;

    fn is_own_key(key: &str) -> bool {
        is_array_key(key)
    }

    fn type_name() -> String {
        format!("Vec<{}>", T::type_name())
    }

    fn write(&self, to: &mut Writer) -> Result<(), Error> {
        to.array(self)
    }

    #[inline(always)]
    fn gather(&self, items: &mut Items, to: &mut Writer) -> Result<(), Error> {
        // Elements that are gathered hold no others but behind pointers: how deep they lie need not be counted.
        if T::ITEMS == 0 || self.len() >= MIN_PACKED {
            return items.pass(to, |to| self.write(to));
        }
        items.tag(tag::ARRAY + self.len() as u8);
        to.message.identities += 1;
        self.iter().try_for_each(|item| item.gather(items, to))
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, Error> {
        read_each(from, Vec::new(), Vec::reserve_exact, Vec::push)
    }

    fn copy(&self, copier: &mut Copier) -> Result<Self, Error> {
        copier.nested(|copier| self.iter().map(|item| item.copy(copier)).collect())
    }
}

impl<T: Field> Field for Box<[T]> {
    const IDENTITY: Identity = Identity::Own;

    fn is_own_key(key: &str) -> bool {
        is_array_key(key)
    }

    fn type_name() -> String {
        format!("Box<[{}]>", T::type_name())
    }

    fn write(&self, to: &mut Writer) -> Result<(), Error> {
        to.array(self)
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, Error> {
        Vec::read(from).map(Vec::into_boxed_slice)
    }

    fn copy(&self, copier: &mut Copier) -> Result<Self, Error> {
        copier.nested(|copier| self.iter().map(|item| item.copy(copier)).collect())
    }
}

impl<T: Field> Field for VecDeque<T> {
    const IDENTITY: Identity = Identity::Own;

    fn is_own_key(key: &str) -> bool {
        is_array_key(key)
    }

    fn type_name() -> String {
        format!("VecDeque<{}>", T::type_name())
    }

    fn write(&self, to: &mut Writer) -> Result<(), Error> {
        match self.as_slices() {
            (all, []) => to.array(all),
            _ => to.array_of(self.len(), || self.iter()),
        }
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, Error> {
        Vec::read(from).map(VecDeque::from)
    }

    fn copy(&self, copier: &mut Copier) -> Result<Self, Error> {
        copier.nested(|copier| self.iter().map(|item| item.copy(copier)).collect())
    }
}

impl<T: Field, const N: usize> Field for [T; N] {
    const IDENTITY: Identity = Identity::Own;

    fn is_own_key(key: &str) -> bool {
        is_array_key(key)
    }

    fn type_name() -> String {
        format!("[{}; {N}]", T::type_name())
    }

    fn write(&self, to: &mut Writer) -> Result<(), Error> {
        to.array(self)
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, Error> {
        let at = from.source.structure.offset();
        let empty = ([const { None }; N], 0);
        let (items, len) = read_each(
            from,
            empty,
            |_, _| (),
            |(items, len), item| {
                if let Some(place) = items.get_mut(*len) {
                    *place = Some(item);
                }
                *len += 1;
            },
        )?;
        if len != N {
            return Err(wrong_len(N, len, at));
        }
        // As many have been read as there are places.
        Ok(items.map(|item| item.expect("every place is filled")))
    }

    fn copy(&self, copier: &mut Copier) -> Result<Self, Error> {
        let mut copies = [const { None }; N];
        for (place, item) in copies.iter_mut().zip(self) {
            *place = Some(item.copy(copier)?);
        }
        Ok(copies.map(|item| item.expect("every place is filled")))
    }
}

/// Whether an object with elements may have this key as that of one.
pub(super) fn is_array_index(key: &str) -> bool {
    graph::JsStr::from(key).array_index().is_some()
}

/// An array has a length and elements.
fn is_array_key(key: &str) -> bool {
    key == "length" || is_array_index(key)
}

#[cold]
fn wrong_len(expected: usize, found: usize, at: usize) -> Error {
    let detail = format!("expected an array of {expected} elements, found one of {found}");
    Error::new(ErrorKind::WrongType, detail).at_offset(at)
}

macro_rules! tuples {
    ($($len:literal: $($T:ident $index:tt),*;)*) => {
        $(impl<$($T: Field),*> Field for ($($T,)*) {
            const IDENTITY: Identity = Identity::Own;

            fn is_own_key(key: &str) -> bool {
                is_array_key(key)
            }

            fn type_name() -> String {
                format!("({})", [$($T::type_name()),*].join(", "))
            }

            fn write(&self, to: &mut Writer) -> Result<(), Error> {
                let numbers = [$(self.$index.as_number()),*];
                to.tuple(&numbers, |to| {
                    $(self.$index.write(to)?;)*
                    Ok(())
                })
            }

            fn read(from: &mut Reader<'_>) -> Result<Self, Error> {
                let at = from.source.structure.offset();
                let n = match from.source.structure.u8()? {
                    tag @ tag::ARRAY..tag::OBJECT => usize::from(tag - tag::ARRAY),
                    tag::ARRAY_LONG => from.count(1, at)?,
                    tag::ARRAY_PACKED => {
                        from.source.structure.rewind(at);
                        let numbers = <[f64; $len]>::read(from)?;
                        return Ok(($($T::from_number(numbers[$index]).ok_or_else(|| from.wrong(at, "a tuple"))?,)*));
                    }
                    tag::RECORDS => return from.expanded(at, Self::read),
                    _ => return Err(from.wrong(at, "an array")),
                };
                if n != $len {
                    return Err(wrong_len($len, n, at));
                }
                from.take_identity(at)?;
                from.nested(|from| Ok(($($T::read(from)?,)*)))
            }

            fn copy(&self, copier: &mut Copier) -> Result<Self, Error> {
                Ok(($(self.$index.copy(copier)?,)*))
            }
        })*
    };
}

tuples! {
    1: A 0;
    2: A 0, B 1;
    3: A 0, B 1, C 2;
    4: A 0, B 1, C 2, D 3;
    5: A 0, B 1, C 2, D 3, E 4;
    6: A 0, B 1, C 2, D 3, E 4, F 5;
    7: A 0, B 1, C 2, D 3, E 4, F 5, G 6;
    8: A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7;
}

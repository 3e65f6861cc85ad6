//! Maps and sets. The entries of a hash table are written in the order of their keys' bytes, so that equal tables give
//! equal messages.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::hash::{BuildHasher, Hash};

use crate::class::{Copier, Field, Identity, Reader, Writer};
use crate::error::{Error, ErrorKind};
use crate::wire::tag;

/// Reads the values of a Map (two for each entry) or Set, and refuses one that stands twice.
fn read_entries(
    from: &mut Reader<'_>,
    container: u8,
    mut each: impl FnMut(&mut Reader<'_>) -> Result<bool, Error>,
) -> Result<(), Error> {
    let at = from.source.structure.offset();
    let (values, what) = if container == tag::MAP { (2, "a Map") } else { (1, "a Set") };
    if from.source.structure.u8()? != container {
        return Err(from.wrong(at, what));
    }
    let n = from.count(values, at)?;
    from.take_identity(at)?;
    from.nested(|from| {
        for _ in 0..n {
            let key_at = from.source.structure.offset();
            if !each(from)? {
                return Err(Error::new(ErrorKind::DuplicateKey, "").at_offset(key_at));
            }
        }
        Ok(())
    })
}

/// Entries in the order of the bytes that their keys write.
fn ordered<'t, K: Field, E: Copy>(
    to: &mut Writer,
    entries: impl Iterator<Item = E>,
    key: impl Fn(E) -> &'t K,
) -> Result<Vec<E>, Error> {
    let mut ordered = Vec::new();
    for entry in entries {
        ordered.push((to.order_of(key(entry))?, entry));
    }
    ordered.sort_by(|(a, _), (b, _)| a.cmp(b));
    Ok(ordered.into_iter().map(|(_, entry)| entry).collect())
}

/// Entries that have an order of their own.
fn in_turn<'t, K: Field, I: Iterator>(_: &mut Writer, entries: I, _: impl Fn(I::Item) -> &'t K) -> Result<I, Error> {
    Ok(entries)
}

/// −0 is no key of a Map: it is the same key as 0.
fn write_key<K: Field>(key: &K, to: &mut Writer) -> Result<(), Error> {
    match key.as_number() {
        // Also −0.
        Some(0.0) => 0u8.write(to),
        _ => key.write(to),
    }
}

/// Maps, with the bounds of their keys and how their entries are brought into order.
macro_rules! maps {
    ($($Map:ident<K, V $(, $S:ident)?>, $name:literal, $(+ $bound:ident)*, $order:expr;)*) => {
        $(impl<K: Field $(+ $bound)*, V: Field $(, $S: BuildHasher + Default + 'static)?> Field for $Map<K, V $(, $S)?> {
            const IDENTITY: Identity = Identity::Own;

            fn type_name() -> String {
                format!(concat!($name, "<{}, {}>"), K::type_name(), V::type_name())
            }

            fn write(&self, to: &mut Writer) -> Result<(), Error> {
                let entries = $order(to, self.iter(), |(key, _)| key)?;
                to.container(tag::MAP, self.len());
                to.nested(|to| {
                    entries.into_iter().try_for_each(|(key, value)| {
                        write_key(key, to)?;
                        value.write(to)
                    })
                })
            }

            fn read(from: &mut Reader<'_>) -> Result<Self, Error> {
                let mut map = Self::default();
                read_entries(from, tag::MAP, |from| {
                    let key = K::read(from)?;
                    let value = V::read(from)?;
                    Ok(map.insert(key, value).is_none())
                })?;
                Ok(map)
            }

            fn copy(&self, copier: &mut Copier) -> Result<Self, Error> {
                let copy = |copier: &mut Copier, (key, value): (&K, &V)| Ok((key.copy(copier)?, value.copy(copier)?));
                copier.nested(|copier| self.iter().map(|entry| copy(copier, entry)).collect())
            }
        })*
    };
}

maps! {
    HashMap<K, V, S>, "HashMap", + Eq + Hash, ordered;
    BTreeMap<K, V>, "BTreeMap", + Ord, in_turn;
}

/// Sets, in the same way.
macro_rules! sets {
    ($($Set:ident<T $(, $S:ident)?>, $name:literal, $(+ $bound:ident)*, $order:expr;)*) => {
        $(impl<T: Field $(+ $bound)* $(, $S: BuildHasher + Default + 'static)?> Field for $Set<T $(, $S)?> {
            const IDENTITY: Identity = Identity::Own;

            fn type_name() -> String {
                format!(concat!($name, "<{}>"), T::type_name())
            }

            fn write(&self, to: &mut Writer) -> Result<(), Error> {
                let entries = $order(to, self.iter(), |entry| entry)?;
                to.container(tag::SET, self.len());
                to.nested(|to| entries.into_iter().try_for_each(|entry| write_key(entry, to)))
            }

            fn read(from: &mut Reader<'_>) -> Result<Self, Error> {
                let mut set = Self::default();
                read_entries(from, tag::SET, |from| Ok(set.insert(T::read(from)?)))?;
                Ok(set)
            }

            fn copy(&self, copier: &mut Copier) -> Result<Self, Error> {
                copier.nested(|copier| self.iter().map(|entry| entry.copy(copier)).collect())
            }
        })*
    };
}

sets! {
    HashSet<T, S>, "HashSet", + Eq + Hash, ordered;
    BTreeSet<T>, "BTreeSet", + Ord, in_turn;
}

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

/// −0 is no key of a Map: it is the same key as 0.
fn write_key<K: Field>(key: &K, to: &mut Writer) -> Result<(), Error> {
    match key.as_number() {
        // Also −0.
        Some(0.0) => 0u8.write(to),
        _ => key.write(to),
    }
}

impl<K: Field + Eq + Hash, V: Field, S: BuildHasher + Default + 'static> Field for HashMap<K, V, S> {
    const IDENTITY: Identity = Identity::Own;

    fn type_name() -> String {
        format!("HashMap<{}, {}>", K::type_name(), V::type_name())
    }

    fn write(&self, to: &mut Writer) -> Result<(), Error> {
        let entries = ordered(to, self.iter(), |(key, _)| key)?;
        to.container(tag::MAP, self.len());
        to.nested(|to| {
            entries.into_iter().try_for_each(|(key, value)| {
                write_key(key, to)?;
                value.write(to)
            })
        })
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, Error> {
        let mut map = HashMap::default();
        read_entries(from, tag::MAP, |from| {
            let key = K::read(from)?;
            let value = V::read(from)?;
            Ok(map.insert(key, value).is_none())
        })?;
        Ok(map)
    }

    fn copy(&self, copier: &mut Copier) -> Result<Self, Error> {
        copier.nested(|copier| self.iter().map(|(key, value)| Ok((key.copy(copier)?, value.copy(copier)?))).collect())
    }
}

impl<K: Field + Ord, V: Field> Field for BTreeMap<K, V> {
    const IDENTITY: Identity = Identity::Own;

    fn type_name() -> String {
        format!("BTreeMap<{}, {}>", K::type_name(), V::type_name())
    }

    fn write(&self, to: &mut Writer) -> Result<(), Error> {
        to.container(tag::MAP, self.len());
        to.nested(|to| {
            self.iter().try_for_each(|(key, value)| {
                write_key(key, to)?;
                value.write(to)
            })
        })
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, Error> {
        let mut map = BTreeMap::new();
        read_entries(from, tag::MAP, |from| {
            let key = K::read(from)?;
            let value = V::read(from)?;
            Ok(map.insert(key, value).is_none())
        })?;
        Ok(map)
    }

    fn copy(&self, copier: &mut Copier) -> Result<Self, Error> {
        copier.nested(|copier| self.iter().map(|(key, value)| Ok((key.copy(copier)?, value.copy(copier)?))).collect())
    }
}

impl<T: Field + Eq + Hash, S: BuildHasher + Default + 'static> Field for HashSet<T, S> {
    const IDENTITY: Identity = Identity::Own;

    fn type_name() -> String {
        format!("HashSet<{}>", T::type_name())
    }

    fn write(&self, to: &mut Writer) -> Result<(), Error> {
        let entries = ordered(to, self.iter(), |entry| entry)?;
        to.container(tag::SET, self.len());
        to.nested(|to| entries.into_iter().try_for_each(|entry| write_key(entry, to)))
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, Error> {
        let mut set = HashSet::default();
        read_entries(from, tag::SET, |from| Ok(set.insert(T::read(from)?)))?;
        Ok(set)
    }

    fn copy(&self, copier: &mut Copier) -> Result<Self, Error> {
        copier.nested(|copier| self.iter().map(|entry| entry.copy(copier)).collect())
    }
}

impl<T: Field + Ord> Field for BTreeSet<T> {
    const IDENTITY: Identity = Identity::Own;

    fn type_name() -> String {
        format!("BTreeSet<{}>", T::type_name())
    }

    fn write(&self, to: &mut Writer) -> Result<(), Error> {
        to.container(tag::SET, self.len());
        to.nested(|to| self.iter().try_for_each(|entry| write_key(entry, to)))
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, Error> {
        let mut set = BTreeSet::new();
        read_entries(from, tag::SET, |from| Ok(set.insert(T::read(from)?)))?;
        Ok(set)
    }

    fn copy(&self, copier: &mut Copier) -> Result<Self, Error> {
        copier.nested(|copier| self.iter().map(|entry| entry.copy(copier)).collect())
    }
}

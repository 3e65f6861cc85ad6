//! The values inside a lazy value, one after the other.

use super::View;
use super::cursor::{LazyCursor, What};
use crate::codec::{Head, Scan, is_derived};
use crate::error::{Error, ErrorKind};
use crate::graph::{JsStr, Key, Kind, PropertyKey, Symbol};

/// A key of an object and its value.
#[derive(Clone, Copy)]
pub struct LazyProperty<'l> {
    key: Key<'l>,
    value: LazyCursor<'l>,
}

impl<'l> LazyProperty<'l> {
    /// The key, if it is a string.
    pub fn name(self) -> Option<JsStr<'l>> {
        match self.key {
            Key::String(text) => Some(text),
            Key::Symbol(_) => None,
        }
    }

    /// The key, if it is a Symbol.
    pub fn symbol(self) -> Option<Symbol<'l>> {
        match self.key {
            Key::String(_) => None,
            Key::Symbol(index) => self.value.view.shapes.symbol(index),
        }
    }

    /// The key, to look up a property with.
    pub fn key(self) -> PropertyKey<'l> {
        self.key.into()
    }

    /// The value.
    pub fn value(self) -> LazyCursor<'l> {
        self.value
    }
}

impl<'l> LazyCursor<'l> {
    /// The keys and values of an object, or the extra properties of an array, in their order; nothing for anything else.
    pub fn properties(self) -> impl Iterator<Item = Result<LazyProperty<'l>, Error>> + use<'l> {
        let shape = match self.head() {
            Some(Head::Object(shape)) => Some(shape),
            _ => None,
        };
        let keys = shape.map_or(0, |shape| self.view.shapes.keys_len(shape));
        let values = shape.and_then(|shape| {
            let mut scan = self.view.scan_at(self.inside).ok()?;
            let base = u64::from(is_derived(self.view.shapes, shape));
            self.view.skip(&mut scan, base).ok()?;
            Some((scan, keys as u64))
        });
        let in_record = match self.what {
            What::InRecord(inside) => Some(inside),
            _ => None,
        };
        let laid = in_record.into_iter().flat_map(move |inside| {
            (0..inside.count).filter_map(move |i| {
                let key = self.view.shapes.key(inside.shape?, i);
                let value = self.child_in_record(inside, i).transpose()?;
                Some(value.map(|value| LazyProperty { key, value }))
            })
        });
        let shaped = Values::new(self.view, values).enumerate().filter_map(move |(i, value)| {
            let key = self.view.shapes.key(shape?, i);
            Some(value.map(|value| LazyProperty { key, value }))
        });
        let is_map = matches!(self.head(), Some(Head::Map(_)));
        let (pairs, failed) = match self.pairs() {
            Ok((scan, n)) if !is_map => (Some((scan, n)), None),
            Ok(_) => (None, None),
            Err(error) => (None, Some(Err(error))),
        };
        let in_pairs = Values::new(self.view, pairs.map(|(scan, n)| (scan, 2 * n))).pairs().map(|pair| {
            let (key, value) = pair?;
            let key = match (key.text(), key.head()) {
                (Some(text), _) => Key::String(text),
                (None, Some(Head::Symbol(index))) => Key::Symbol(index),
                _ => return Err(key.view.fault(ErrorKind::WrongType, key.at)),
            };
            Ok(LazyProperty { key, value })
        });
        laid.chain(shaped).chain(failed).chain(in_pairs)
    }

    /// The elements of an array, holes as `None`; nothing for anything else. Those of a typed array are read through
    /// [`elements`](Self::elements).
    pub fn iter(self) -> impl Iterator<Item = Result<Option<LazyCursor<'l>>, Error>> + use<'l> {
        let values = match self.head() {
            Some(Head::Array(n)) => Values::new(self.view, self.view.scan_at(self.inside).ok().map(|scan| (scan, n))),
            _ => Values::new(self.view, None),
        };
        let others = match self.head() {
            Some(Head::Sparse { .. } | Head::Packed { .. } | Head::Records { .. }) => self.len(),
            None if self.kind() == Kind::Array => self.len(),
            _ => 0,
        };
        let found = move |index| match self.at(index) {
            Err(error) if error.is_not_found() => Ok(None),
            other => other.map(Some),
        };
        values.map(|value| value.map(Some)).chain((0..others).map(found))
    }

    /// The element of an array with holes; `None` for a hole.
    pub(super) fn sparse_element(self, wanted: usize) -> Result<Option<LazyCursor<'l>>, Error> {
        let Some(Head::Sparse { present, .. }) = self.head() else { return Ok(None) };
        let mut scan = self.view.scan_at(self.inside)?;
        let mut next = 0u64;
        for _ in 0..present {
            let index = next.saturating_add(scan.varint()?);
            if index >= wanted as u64 {
                return if index == wanted as u64 { self.view.cursor(scan.position()).map(Some) } else { Ok(None) };
            }
            self.view.skip(&mut scan, 1)?;
            next = index + 1;
        }
        Ok(None)
    }

    /// The entries of a Map, in their order; nothing for anything else.
    pub fn entries(self) -> impl Iterator<Item = Result<(LazyCursor<'l>, LazyCursor<'l>), Error>> + use<'l> {
        let values = match self.head() {
            Some(Head::Map(n)) => self.view.scan_at(self.inside).ok().map(|scan| (scan, 2 * n)),
            _ => None,
        };
        Values::new(self.view, values).pairs()
    }

    /// The values of a Set, in their order; nothing for anything else.
    pub fn members(self) -> impl Iterator<Item = Result<LazyCursor<'l>, Error>> + use<'l> {
        let values = match self.head() {
            Some(Head::Set(n)) => self.view.scan_at(self.inside).ok().map(|scan| (scan, n)),
            _ => None,
        };
        Values::new(self.view, values)
    }
}

/// Values that follow one another.
struct Values<'l> {
    view: View<'l>,
    next: Option<(Scan<'l>, u64)>,
}

impl<'l> Values<'l> {
    fn new(view: View<'l>, next: Option<(Scan<'l>, u64)>) -> Self {
        Values { view, next }
    }

    fn pairs(mut self) -> impl Iterator<Item = Result<(LazyCursor<'l>, LazyCursor<'l>), Error>> {
        std::iter::from_fn(move || {
            let key = self.next()?;
            let value = self.next()?;
            Some(key.and_then(|key| Ok((key, value?))))
        })
    }
}

impl<'l> Iterator for Values<'l> {
    type Item = Result<LazyCursor<'l>, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        let (scan, left) = self.next.as_mut().filter(|(_, left)| *left > 0)?;
        *left -= 1;
        let cursor = self.view.cursor(scan.position()).and_then(|cursor| {
            self.view.skip(scan, 1)?;
            Ok(cursor)
        });
        if cursor.is_err() {
            // Where the next value begins is not known.
            self.next = None;
        }
        Some(cursor)
    }
}

//! Values in records, which stand in the data as their numbers alone.

use super::cursor::{LazyCursor, What};
use super::{View, extract};
use crate::codec::{Head, Payload, plain_keys};
use crate::error::{Error, ErrorKind};
use crate::graph::{Graph, Key, Kind};
use crate::wire::layout::{self, Layout, Scalar};

/// An object or array in a record.
#[derive(Debug, Clone, Copy)]
pub(super) struct InRecord {
    /// Where in the structure the layout stands, and where in the data the record.
    layout: u64,
    record: u64,
    /// Which value of the layout it is.
    place: usize,
    /// The identity of the record.
    identity: u64,
    /// The shape of an object.
    pub(super) shape: Option<u32>,
    /// Values in it, and bytes.
    pub(super) count: usize,
    pub(super) size: u64,
}

impl InRecord {
    pub(super) fn kind(&self) -> Kind {
        if self.shape.is_some() { Kind::Object } else { Kind::Array }
    }
}

impl<'l> View<'l> {
    fn layout_at(&self, at: u64) -> Layout {
        let bytes = self.structure.get(at as usize..).unwrap_or_default();
        Layout::again(bytes, |shape| plain_keys(self.shapes, shape))
    }
}

impl<'l> LazyCursor<'l> {
    /// Element `index` of an array of records or of an array in a record; `None` beyond the end.
    pub(super) fn at_in_records(self, index: usize) -> Result<Option<LazyCursor<'l>>, Error> {
        match self.what {
            What::Head(Head::Records { layout, n, payload, identities }) if index < n as usize => {
                let index = index as u64;
                let record = payload.at + payload.len / u64::from(n) * index;
                let identity = self.at.identity + 1 + u64::from(identities - 1) / u64::from(n) * index;
                let inside = InRecord { layout, record, place: 0, identity, shape: None, count: 0, size: 0 };
                self.value(&self.view.layout_at(layout), inside).map(Some)
            }
            What::InRecord(inside) if inside.shape.is_none() => self.child_in_record(inside, index),
            _ => Ok(None),
        }
    }

    /// The value of `key` of an object in a record.
    pub(super) fn get_in_record(self, inside: InRecord, key: Key<'_>) -> Result<Option<LazyCursor<'l>>, Error> {
        let found = inside.shape.and_then(|shape| self.view.shapes.keys(shape).position(|own| own == key));
        match found {
            Some(index) => self.child_in_record(inside, index),
            None => Ok(None),
        }
    }

    pub(super) fn child_in_record(self, inside: InRecord, index: usize) -> Result<Option<LazyCursor<'l>>, Error> {
        let layout = self.view.layout_at(inside.layout);
        match layout.child(inside.place, index) {
            Some(place) => self.value(&layout, InRecord { place, ..inside }).map(Some),
            None => Ok(None),
        }
    }

    /// The value at the place that `inside` has.
    fn value(self, layout: &Layout, inside: InRecord) -> Result<LazyCursor<'l>, Error> {
        let missing = || self.view.fault(ErrorKind::LengthOutOfBounds, self.at);
        let value = layout.values.get(inside.place).ok_or_else(missing)?;
        if value.what.is_object() {
            let (before, within) = layout.values.split_at(inside.place);
            let objects = before.iter().filter(|value| value.what.is_object()).count();
            let within = within.iter().take(value.end as usize - inside.place);
            let shape = match value.what {
                layout::What::Object(shape) => Some(shape),
                _ => None,
            };
            let size = within.map(|value| value.what.size() as u64).sum();
            let what = What::InRecord(InRecord { shape, count: value.count as usize, size, ..inside });
            return Ok(LazyCursor { identity: Some(inside.identity + objects as u64), what, ..self });
        }
        let at = inside.record + u64::from(value.at);
        let bytes = self.view.bytes(Payload { at, len: value.what.size() as u64, align: 1 })?;
        let what = match layout::scalar(value.what, bytes).ok_or_else(missing)? {
            Scalar::Boolean(flag) => What::Head(Head::Bool(flag)),
            scalar => match scalar.number() {
                Ok(number) => What::Head(Head::Number(if number.is_nan() { f64::NAN } else { number })),
                Err((negative, n)) => {
                    let bytes = n.to_le_bytes();
                    let magnitude = self.view.numbers.push_get(layout::magnitude(&bytes).into());
                    What::Integer { negative, magnitude }
                }
            },
        };
        Ok(LazyCursor { identity: None, what, ..self })
    }

    /// The object or array in a record as a graph.
    pub(super) fn graph_in_record(self, inside: InRecord) -> Result<Graph<'static>, Error> {
        let layout = self.view.layout_at(inside.layout);
        let record = self.view.bytes(Payload { at: inside.record, len: layout.size as u64, align: 1 })?;
        let mut structure = Vec::new();
        layout.write_values(&mut structure, inside.place, record, |shape| shape);
        extract::graph_of_structure(&self.view, structure)
    }
}

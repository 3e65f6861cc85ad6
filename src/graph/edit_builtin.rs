//! Changing what the built-in kinds hold: Maps, Sets, Dates, RegExps, buffers.

use super::assemble::{MAX_SAFE_INTEGER, normal_key};
use super::node::{Buffer, Node, NodeId, Span};
use super::number::is_time_value;
use super::slot::{Slot, Value};
use super::{Graph, short};
use crate::error::{Error, ErrorKind};

impl Graph<'_> {
    /// Sets an entry of a Map, as `map.set(key, value)` does. Cost: the number of entries.
    ///
    /// # Errors
    ///
    /// `wrong-type` for anything but a Map.
    pub fn map_set(&mut self, target: Value, key: Value, value: Value) -> Result<(), Error> {
        let (id, node) = self.target(target)?;
        let Node::Map(span) = node else { return Err(Error::new(ErrorKind::WrongType, "not a Map")) };
        match self.find_entry(span, 2, key.0) {
            Some(place) => self.slots[place + 1] = value.0,
            None => self.nodes[id.index()] = Node::Map(self.append(span, &[normal_key(key.0), value.0])),
        }
        Ok(())
    }

    /// Removes an entry of a Map, and says whether it was there.
    ///
    /// # Errors
    ///
    /// `wrong-type` for anything but a Map.
    pub fn map_delete(&mut self, target: Value, key: Value) -> Result<bool, Error> {
        match self.target(target)? {
            (id, Node::Map(span)) => Ok(self.delete_entry(id, span, 2, key.0)),
            _ => Err(Error::new(ErrorKind::WrongType, "not a Map")),
        }
    }

    /// Adds a value to a Set, as `set.add(value)` does. Cost: the number of values.
    ///
    /// # Errors
    ///
    /// `wrong-type` for anything but a Set.
    pub fn set_add(&mut self, target: Value, value: Value) -> Result<(), Error> {
        let (id, node) = self.target(target)?;
        let Node::Set(span) = node else { return Err(Error::new(ErrorKind::WrongType, "not a Set")) };
        if self.find_entry(span, 1, value.0).is_none() {
            self.nodes[id.index()] = Node::Set(self.append(span, &[normal_key(value.0)]));
        }
        Ok(())
    }

    /// Removes a value of a Set, and says whether it was there.
    ///
    /// # Errors
    ///
    /// `wrong-type` for anything but a Set.
    pub fn set_delete(&mut self, target: Value, value: Value) -> Result<bool, Error> {
        match self.target(target)? {
            (id, Node::Set(span)) => Ok(self.delete_entry(id, span, 1, value.0)),
            _ => Err(Error::new(ErrorKind::WrongType, "not a Set")),
        }
    }

    /// Sets the time value of a Date, in milliseconds, brought to what a Date can hold.
    ///
    /// # Errors
    ///
    /// `wrong-type` for anything but a Date.
    pub fn set_date(&mut self, target: Value, ms: f64) -> Result<(), Error> {
        let (id, _) = self.target(target)?;
        let Node::Date(old) = &mut self.nodes[id.index()] else {
            return Err(Error::new(ErrorKind::WrongType, "not a Date"));
        };
        let whole = ms.trunc() + 0.0;
        *old = if is_time_value(whole) { whole } else { f64::NAN };
        Ok(())
    }

    /// The bytes of an ArrayBuffer, to write to. All views of it show the change.
    ///
    /// # Errors
    ///
    /// `wrong-type` for anything but an ArrayBuffer.
    pub fn buffer_mut(&mut self, target: Value) -> Result<&mut [u8], Error> {
        let (_, Node::Buffer(side)) = self.target(target)? else {
            return Err(Error::new(ErrorKind::WrongType, "not an ArrayBuffer"));
        };
        let buffer = &mut self.buffers[side as usize];
        Ok(self.bytes.make_mut(&mut buffer.at, buffer.len))
    }

    /// Sets where the next match of a RegExp starts, in code units.
    ///
    /// # Errors
    ///
    /// `wrong-type` for anything but a RegExp, `bad-regexp` over 2⁵³−1.
    pub fn set_last_index(&mut self, target: Value, last_index: u64) -> Result<(), Error> {
        let (_, Node::RegExp { start, .. }) = self.target(target)? else {
            return Err(Error::new(ErrorKind::WrongType, "not a RegExp"));
        };
        if last_index > MAX_SAFE_INTEGER {
            return Err(Error::new(ErrorKind::BadRegExp, "lastIndex is over 2^53-1"));
        }
        self.slots[start as usize + 1] = Slot::Number(last_index as f64);
        Ok(())
    }

    /// Resizes a resizable ArrayBuffer, as `buffer.resize(len)` does: what it gains is zero. A view must not lose its
    /// place: what an engine would call out of bounds is refused.
    ///
    /// # Errors
    ///
    /// `wrong-type` for anything but a resizable ArrayBuffer, `bad-buffer` beyond its maximum, `bad-view` where a view of
    /// it would be out of bounds.
    pub fn resize_buffer(&mut self, target: Value, len: u64) -> Result<(), Error> {
        let (id, Node::Buffer(side)) = self.target(target)? else {
            return Err(Error::new(ErrorKind::WrongType, "not an ArrayBuffer"));
        };
        let old = self.buffers[side as usize];
        let Some(max) = old.max else {
            return Err(Error::new(ErrorKind::WrongType, "the ArrayBuffer is not resizable"));
        };
        if len > max {
            return Err(Error::new(ErrorKind::BadBuffer, "beyond the maximum of the ArrayBuffer"));
        }
        if self.views.iter().any(|view| view.buffer == id && !Buffer { len, ..old }.holds(view)) {
            return Err(Error::new(ErrorKind::BadView, "a view of the ArrayBuffer would be out of bounds"));
        }
        let mut bytes = self.bytes.get(old.at, old.len.min(len)).to_vec();
        bytes.resize(len as usize, 0);
        let at = self.bytes.push(&bytes, true);
        self.buffers[side as usize] = Buffer { at, len, ..old };
        Ok(())
    }

    fn find_entry(&self, span: Span, width: usize, key: Slot) -> Option<usize> {
        let wanted = self.same_key(key);
        span.range().step_by(width).find(|&place| self.same_key(self.slots[place]) == wanted)
    }

    fn delete_entry(&mut self, id: NodeId, span: Span, width: usize, key: Slot) -> bool {
        let Some(place) = self.find_entry(span, width, key) else { return false };
        self.slots.copy_within(place + width..span.range().end, place);
        if let Node::Map(span) | Node::Set(span) = &mut self.nodes[id.index()] {
            span.len -= short(width);
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::ElementKind;

    #[test]
    fn a_buffer_grows_with_zeros_and_does_not_shrink_under_a_view() {
        let mut graph = Graph::new();
        let buffer = graph.resizable_buffer(&[1, 2, 3, 4], 8).unwrap();
        let tracking = graph.view(ElementKind::Uint16, buffer, 0, None).unwrap();
        graph.set_root(tracking);
        graph.resize_buffer(buffer, 6).unwrap();
        assert_eq!(graph.root().elements().unwrap().to_slice::<u16>()[..], [0x0201, 0x0403, 0]);
        graph.view(ElementKind::Uint8, buffer, 4, Some(2)).unwrap();
        assert_eq!(graph.resize_buffer(buffer, 5).unwrap_err().kind(), ErrorKind::BadView);
        assert_eq!(graph.resize_buffer(buffer, 9).unwrap_err().kind(), ErrorKind::BadBuffer);
        let fixed = graph.buffer(&[]);
        assert_eq!(graph.resize_buffer(fixed, 0).unwrap_err().kind(), ErrorKind::WrongType);
    }

    #[test]
    fn last_index_is_set() {
        let mut graph = Graph::new();
        let regexp = graph.regexp("a", "g", 0).unwrap();
        graph.set_last_index(regexp, 7).unwrap();
        assert_eq!(graph.cursor(regexp).regexp().unwrap().last_index(), 7);
        assert_eq!(graph.set_last_index(regexp, 1 << 53).unwrap_err().kind(), ErrorKind::BadRegExp);
        assert_eq!(graph.set_last_index(Value::NULL, 0).unwrap_err().kind(), ErrorKind::WrongType);
    }
}

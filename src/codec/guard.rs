//! Which values may stand where: keys, bases, buffers, sources (`spec/format.md`, sections 3, 6 and 8).

use super::decode::{Read, Role};
use crate::error::{ErrorKind, Fault};
use crate::graph::{Key, Node, Rank, Slot, is_source};
use crate::wire::tag;

impl Read<'_> {
    /// Whether a value with this tag may stand where the next one belongs.
    pub(super) fn admit(&self, tag: u8, at: usize) -> Result<(), Fault> {
        let is_string =
            matches!(tag, tag::STRING..tag::ARRAY | tag::STRING_LONG | tag::STRING_UTF16 | tag::INTERN | tag::INTERNED);
        let admitted = match self.frame().role {
            Role::Dictionary | Role::Extra if self.frame().is_key() => is_string || tag == tag::SYMBOL,
            Role::RegExp => is_string,
            Role::View => matches!(tag, tag::BUFFER | tag::BUFFER_RESIZABLE | tag::REFERENCE),
            Role::Boxed => is_string || matches!(tag, ..tag::STRING | tag::FALSE..tag::STRING_LONG | tag::SYMBOL),
            Role::Derived => {
                matches!(tag, tag::ARRAY..tag::NULL | tag::ARRAY_LONG..=tag::OBJECT_LONG | tag::MAP..=tag::REGEXP)
                    || matches!(tag, tag::BOXED..=tag::VIEW | tag::RECORDS)
            }
            _ => true,
        };
        match tag {
            _ if admitted => Ok(()),
            tag::REFERENCE if !self.refs => Err(Fault::new(ErrorKind::BadReference, at)),
            ..=tag::RECORDS => Err(Fault::new(ErrorKind::WrongType, at)),
            _ => Err(Fault::new(ErrorKind::BadTag, at)),
        }
    }

    /// Whether this value, which has an admitted tag, may stand where the next one belongs.
    pub(super) fn accept(&mut self, slot: Slot, at: usize) -> Result<(), Fault> {
        let kind = match self.frame().role {
            Role::Set if slot.is_minus_zero() => ErrorKind::BadKey,
            Role::Map if self.frame().is_key() && slot.is_minus_zero() => ErrorKind::BadKey,
            Role::Dictionary | Role::Extra if self.frame().is_key() => return self.accept_key(slot, at),
            Role::View if !slot.node().is_some_and(|id| matches!(self.graph.node(id), Some(Node::Buffer(_)))) => {
                ErrorKind::WrongType
            }
            Role::RegExp => {
                let Slot::Text(text) = slot else { return Ok(()) };
                let source = self.graph.lend_text(text);
                if u64::from(text.len()) > self.options.max_regexp_bytes {
                    ErrorKind::LimitExceeded
                } else if self.kept.known.is_source(text, || is_source(source)) {
                    return Ok(());
                } else {
                    ErrorKind::BadRegExp
                }
            }
            _ => return Ok(()),
        };
        Err(Fault::new(kind, if self.frame().role == Role::RegExp { self.regexp_at() } else { at }))
    }

    /// Where the tag of the RegExp stands whose source or lastIndex is being read.
    pub(super) fn regexp_at(&self) -> usize {
        match self.graph.slots[self.frame().end as usize] {
            Slot::Number(at) => at as usize,
            _ => 0,
        }
    }

    /// A key of an object or an extra property of an array: which it may be, and in which order.
    fn accept_key(&self, slot: Slot, at: usize) -> Result<(), Fault> {
        let Some(key) = self.graph.slot_key(slot) else { return Ok(()) };
        let rank = key.rank();
        if self.frame().role == Role::Extra {
            let is_length = matches!(key, Key::String(text) if text == "length");
            if is_length || matches!(rank, Rank::Index(_)) {
                return Err(Fault::new(ErrorKind::BadKey, at));
            }
        }
        let first = match self.graph.nodes[self.frame().node.index()] {
            Node::Dictionary(span) | Node::NullDictionary(span) => span.start,
            Node::Sparse(side) => {
                let sparse = self.graph.sparse[side as usize];
                sparse.span.start + 2 * sparse.present
            }
            _ => return Ok(()),
        };
        if self.frame().next > first {
            let before = self.graph.slot_key(self.graph.slots[self.frame().next as usize - 2]);
            if before.is_some_and(|before| !rank.may_follow(before.rank())) {
                return Err(Fault::new(ErrorKind::KeyOrder, at));
            }
        }
        Ok(())
    }
}

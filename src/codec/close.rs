//! What follows the values of a container, and what is checked when all of them are there.

use super::decode::{Doubled, Frame, Read, Role};
use crate::error::{ErrorKind, Fault};
use crate::graph::{MAX_SAFE_INTEGER, Node, NodeId, Slot, Span, View};

impl Read<'_> {
    /// Completes the container whose values have been read. `false`: values follow after all.
    #[inline(never)]
    pub(super) fn close(&mut self) -> Result<bool, Fault> {
        let complete = match self.frame().role {
            Role::Plain | Role::Records | Role::Root | Role::Boxed | Role::Derived => true,
            Role::Map | Role::Set | Role::Dictionary | Role::Extra => self.distinct_keys()?,
            Role::Elements => self.extra_properties()?,
            Role::View => self.view()?,
            Role::RegExp => self.last_index()?,
        };
        if complete && !self.build {
            self.drop_values();
        }
        Ok(complete)
    }

    /// Gives back the slots of a container that is complete: only what it is remains, not what it holds.
    fn drop_values(&mut self) {
        if self.frame().role == Role::Root {
            return;
        }
        let node = self.graph.nodes[self.frame().node.index()];
        let first = match node {
            Node::RegExp { start, .. } => start as usize,
            Node::View(_) => self.frame().end as usize - 1,
            _ => {
                let values = self.graph.values_of(node);
                if values.count == 0 { return } else { values.start - (values.stride - 1) }
            }
        };
        self.graph.slots.truncate(first);
    }

    fn distinct_keys(&mut self) -> Result<bool, Fault> {
        let (first, width) = match self.graph.nodes[self.frame().node.index()] {
            Node::Set(span) => (span.start, 1),
            Node::Map(span) | Node::Dictionary(span) | Node::NullDictionary(span) => (span.start, 2),
            Node::Sparse(side) => {
                let sparse = self.graph.sparse[side as usize];
                (sparse.span.start + 2 * sparse.present, 2)
            }
            _ => return Ok(true),
        };
        let (graph, n) = (&self.graph, (self.frame().end - first) as usize / width);
        let slot = |i: usize| graph.slots[first as usize + width * i];
        let second = if self.kept.strings.is_empty() {
            self.kept.distinct.first_duplicate(n, |i| graph.same_key(slot(i)))
        } else {
            (0..n).for_each(|i| self.kept.known.note(graph, slot(i)));
            self.kept.distinct.first_duplicate(n, |i| self.kept.known.key(graph, slot(i)))
        };
        match second {
            None => Ok(true),
            Some(second) => {
                let &Frame { node, role, end, .. } = self.frame();
                self.doubled = Some(Doubled { node, role, left: end - first - (width * second) as u32 });
                // The offset is found by the engine, which can decode again.
                Err(Fault::new(ErrorKind::DuplicateKey, self.structure.offset()))
            }
        }
    }

    /// The extra properties of an array whose elements have been read.
    fn extra_properties(&mut self) -> Result<bool, Fault> {
        let Node::Sparse(side) = self.graph.nodes[self.frame().node.index()] else { return Ok(true) };
        let sparse = self.graph.sparse[side as usize];
        let at = self.structure.offset_of(sparse.span.cap as usize);
        let n = self.structure.varint()?;
        let pairs = self.owe(n.saturating_mul(2), at)?;
        if n > 0 && self.is_base(self.frame().node) {
            return Err(Fault::new(ErrorKind::WrongType, at));
        }
        let span = if n == 0 {
            Span { cap: sparse.span.len, ..sparse.span }
        } else {
            // Elements and properties lie together, and what the elements hold lies behind them by now.
            let start = self.graph.slots.len();
            self.graph.slots.extend_from_within(sparse.span.range());
            self.graph.slots.resize(self.graph.slots.len() + pairs as usize, Slot::Undefined);
            let len = sparse.span.len + pairs;
            Span { start: start as u32, len, cap: len }
        };
        self.graph.sparse[side as usize].span = span;
        if n == 0 {
            self.graph.settle(self.frame().node);
            return Ok(true);
        }
        let next = span.start + sparse.span.len;
        *self.frame_mut() = Frame { next, end: span.start + span.len, role: Role::Extra, ..*self.frame() };
        Ok(false)
    }

    /// Whether this object is the base of a derived instance, whose identity it follows.
    fn is_base(&self, id: NodeId) -> bool {
        id.index() > 0 && matches!(self.graph.nodes[id.index() - 1], Node::Derived { .. })
    }

    fn view(&mut self) -> Result<bool, Fault> {
        let Node::View(side) = self.graph.nodes[self.frame().node.index()] else { return Ok(true) };
        let View { kind, offset: tag_at, .. } = self.graph.views[side as usize];
        let offset = self.structure.varint()?;
        let len = self.structure.varint()?.checked_sub(1);
        let bad = || Fault::new(ErrorKind::BadView, tag_at as usize);
        let buffer = self.graph.slots[self.frame().end as usize - 1].node().ok_or_else(bad)?;
        let Node::Buffer(bytes) = self.graph.nodes[buffer.index()] else { return Err(bad()) };
        let view = View { kind, buffer, offset, len };
        if !self.graph.buffers[bytes as usize].holds(&view) {
            return Err(bad());
        }
        self.graph.views[side as usize] = view;
        Ok(true)
    }

    fn last_index(&mut self) -> Result<bool, Fault> {
        let last_index = self.structure.varint()?;
        if last_index > MAX_SAFE_INTEGER {
            return Err(Fault::new(ErrorKind::BadRegExp, self.regexp_at()));
        }
        let place = self.frame().end as usize;
        self.graph.slots[place] = Slot::Number(last_index as f64);
        Ok(true)
    }
}

//! Opening objects: their counts, their room in the arena, their payloads (`spec/format.md`, sections 3 to 8).

use super::decode::{Frame, Read, Role};
use crate::error::{ErrorKind, Fault};
use crate::graph::{
    Buffer, MAX_SAFE_INTEGER, Node, NodeId, RegExpFlags, ShapeForm, ShapeKind, Slot, Span, Sparse, View, is_time_value,
};
use crate::wire::{ElementKind, tag};

/// Buffers are aligned for elements of every size.
const BUFFER_ALIGN: usize = 8;

impl Read<'_> {
    /// Adds `n` values to what is owed.
    #[inline]
    pub(super) fn owe(&mut self, n: u64, at: usize) -> Result<u32, Fault> {
        if n == 0 {
            return Ok(0);
        }
        let remaining = self.structure.remaining() as u64;
        if n > remaining || self.owed + n > remaining {
            return Err(Fault::new(ErrorKind::LengthOutOfBounds, at));
        }
        self.owed += n;
        self.values += n;
        if self.values > self.options.max_values {
            return Err(Fault::new(ErrorKind::LimitExceeded, at));
        }
        Ok(n as u32)
    }

    /// `n` slots at the end of the arena.
    #[inline(always)]
    pub(super) fn room(&mut self, n: u32) -> Span {
        const FEW: usize = 8;
        let slots = &mut self.graph.slots;
        let (start, len) = (slots.len(), n as usize);
        // Those that are too many are taken back: a loop whose length can't be predicted costs more.
        if len <= FEW && slots.capacity() - start >= FEW {
            slots.extend_from_slice(&[Slot::Undefined; FEW]);
            slots.truncate(start + len);
        } else {
            self.room_for_many(start + len);
        }
        Span { start: start as u32, len: n, cap: n }
    }

    /// Fills the arena up to `len` slots.
    #[inline(never)]
    fn room_for_many(&mut self, len: usize) {
        let start = self.graph.slots.len();
        if self.graph.slots.capacity() < len {
            let more = self.forecast(len) - start;
            self.graph.slots.reserve_exact(more);
        }
        self.graph.slots.resize(len, Slot::Undefined);
    }

    /// The next identity.
    #[inline(always)]
    fn push_node(&mut self, node: Node) -> NodeId {
        let id = self.graph.nodes.len();
        if self.graph.nodes.capacity() == id {
            let more = self.forecast(id + 1) - id;
            self.graph.nodes.reserve_exact(more);
        }
        self.graph.nodes.push(node);
        NodeId(id as u32)
    }

    /// How many items to make room for, `len` of which have come from the structure that has been read: as many as the
    /// rest makes likely, so that a large graph is not twice as large as it needs to be; but half as many again at least,
    /// so that what is copied stays linear.
    #[cold]
    fn forecast(&self, len: usize) -> usize {
        const FEW: usize = 4096;
        let rest = self.structure.remaining() as u64;
        let read = (self.structure.len() as u64 - rest).max(1);
        let likely = len as u64 + (len as u64 * rest / read) * 17 / 16;
        // Each byte of the rest makes two slots at most, and few items say little about it.
        let most = len as u64 + 2 * rest;
        let most = if len < FEW { most.min(len as u64 * 16 + FEW as u64) } else { most };
        likely.max(len as u64 * 3 / 2).min(most).max(len as u64 + 16) as usize
    }

    /// The next object, whose values are to be read.
    ///
    /// Always inlined, so that the node is made where it is to lie: read as a whole just after it was written in parts, it
    /// would be waited for.
    #[inline(always)]
    fn begin(&mut self, node: Node, span: Span, role: Role) -> Frame {
        let node = self.push_node(node);
        Frame { next: span.start, end: span.start + span.len, node, role }
    }

    /// Places an object and goes on with its values.
    #[inline(always)]
    pub(super) fn enter(&mut self, inner: Frame, at: usize) -> Result<(), Fault> {
        if self.kept.stack.len() > self.options.max_depth {
            return Err(Fault::new(ErrorKind::LimitExceeded, at));
        }
        self.place(Slot::Node(inner.node));
        self.kept.stack.push(inner);
        Ok(())
    }

    #[inline(always)]
    pub(super) fn array(&mut self, n: u64, at: usize) -> Result<Frame, Fault> {
        let n = self.owe(n, at)?;
        let span = self.room(n);
        Ok(self.begin(Node::Array(span), span, Role::Plain))
    }

    #[inline(always)]
    pub(super) fn object(&mut self, shape: u64, is_base: bool, at: usize) -> Result<Frame, Fault> {
        if shape >= self.shapes().len() as u64 {
            return Err(Fault::new(ErrorKind::UnknownShape, at));
        }
        let shape = shape as u32;
        let (form, keys) = self.shapes().form(shape);
        if is_base && (keys > 0 || !matches!(self.shapes().kind(shape), ShapeKind::Error(_))) {
            return Err(Fault::new(ErrorKind::WrongType, at));
        }
        let values = keys as u64 + u64::from(form != ShapeForm::Object);
        let n = self.owe(values, at)?;
        let span = self.room(n);
        let Span { start, cap, .. } = span;
        Ok(match form {
            ShapeForm::Object => self.begin(Node::Object { shape, start, cap }, span, Role::Plain),
            ShapeForm::Derived => self.begin(Node::Derived { shape, start, cap }, span, Role::Derived),
            ShapeForm::Custom => self.begin(Node::Custom { shape, start }, span, Role::Plain),
        })
    }

    /// The kinds of object that have tags of their own.
    pub(super) fn open(&mut self, tag: u8, at: usize) -> Result<(), Fault> {
        match tag {
            tag::DICTIONARY | tag::DICTIONARY_NULL | tag::MAP => {
                let n = self.structure.varint()?;
                let n = self.owe(n.saturating_mul(2), at)?;
                let span = self.room(n);
                let (node, role) = match tag {
                    tag::MAP => (Node::Map(span), Role::Map),
                    tag::DICTIONARY => (Node::Dictionary(span), Role::Dictionary),
                    _ => (Node::NullDictionary(span), Role::Dictionary),
                };
                self.start(node, span, role, at)?;
            }
            tag::SET => {
                let n = self.structure.varint()?;
                let n = self.owe(n, at)?;
                let span = self.room(n);
                self.start(Node::Set(span), span, Role::Set, at)?;
            }
            tag::ARRAY_SPARSE => self.sparse(at)?,
            tag::ARRAY_PACKED => {
                let kind = self.element_kind(at, ElementKind::packs)?;
                let n = self.structure.varint()?;
                let start = self.payload(n, kind.size(), kind.size(), at)?;
                let len = u32::try_from(n).map_err(|_| Fault::new(ErrorKind::BadArray, at))?;
                self.whole(Node::Packed { kind, len, at: start });
            }
            tag::RECORDS => self.records(at)?,
            tag::DATE => {
                let ms = self.structure.f64()?;
                if !is_time_value(ms) {
                    return Err(Fault::new(ErrorKind::BadDate, at));
                }
                self.whole(Node::Date(if ms.is_nan() { f64::NAN } else { ms }));
            }
            tag::REGEXP => {
                let flags = self.structure.u8()?;
                self.owe(1, at)?;
                let Some(flags) = RegExpFlags::from_bits(flags) else {
                    return Err(Fault::new(ErrorKind::BadRegExp, at));
                };
                let start = self.room(2).start;
                // The place of lastIndex holds the tag's offset until it is read.
                self.graph.slots[start as usize + 1] = Slot::Number(at as f64);
                let source = Span { start, len: 1, cap: 1 };
                self.start(Node::RegExp { flags: flags.bits(), start }, source, Role::RegExp, at)?;
            }
            tag::BOXED => {
                self.owe(1, at)?;
                let span = self.room(1);
                self.start(Node::Boxed { start: span.start }, span, Role::Boxed, at)?;
            }
            tag::BUFFER => {
                let n = self.structure.varint()?;
                let start = self.payload(n, 1, BUFFER_ALIGN, at)?;
                self.buffer(Buffer { at: start, len: n, max: None });
            }
            tag::BUFFER_RESIZABLE => {
                let n = self.structure.varint()?;
                let max = self.structure.varint()?;
                if max < n || max > MAX_SAFE_INTEGER {
                    return Err(Fault::new(ErrorKind::BadBuffer, at));
                }
                let start = self.payload(n, 1, BUFFER_ALIGN, at)?;
                self.buffer(Buffer { at: start, len: n, max: Some(max) });
            }
            tag::TYPED_ARRAY => {
                let kind = self.element_kind(at, |kind| kind != ElementKind::DataView)?;
                let n = self.structure.varint()?;
                let start = self.payload(n, kind.size(), kind.size(), at)?;
                let buffer = NodeId(self.graph.nodes.len() as u32 + 1);
                let view = self.side_view(View { kind, buffer, offset: 0, len: Some(n) });
                self.whole(Node::View(view));
                let side = self.graph.buffers.len() as u32;
                self.graph.buffers.push(Buffer { at: start, len: n * kind.size() as u64, max: None });
                self.push_node(Node::Buffer(side));
            }
            tag::VIEW => {
                let kind = self.element_kind(at, |_| true)?;
                self.owe(1, at)?;
                let span = self.room(1);
                // The place of the byte offset holds the tag's offset until it is read.
                let view = self.side_view(View { kind, buffer: NodeId(u32::MAX), offset: at as u64, len: None });
                self.start(Node::View(view), span, Role::View, at)?;
            }
            _ => return Err(Fault::new(ErrorKind::BadTag, at)),
        }
        Ok(())
    }

    /// Opens an object that is neither an array nor a shaped one.
    #[inline(never)]
    pub(super) fn start(&mut self, node: Node, span: Span, role: Role, at: usize) -> Result<(), Fault> {
        let inner = self.begin(node, span, role);
        self.enter(inner, at)
    }

    /// Places an object that holds no values.
    fn whole(&mut self, node: Node) {
        let id = self.push_node(node);
        self.place(Slot::Node(id));
    }

    fn buffer(&mut self, buffer: Buffer) {
        let side = self.graph.buffers.len() as u32;
        self.graph.buffers.push(buffer);
        self.whole(Node::Buffer(side))
    }

    fn side_view(&mut self, view: View) -> u32 {
        self.graph.views.push(view);
        self.graph.views.len() as u32 - 1
    }

    fn element_kind(&mut self, at: usize, allowed: impl Fn(ElementKind) -> bool) -> Result<ElementKind, Fault> {
        let kind = ElementKind::from_code(self.structure.u8()?);
        kind.filter(|&kind| allowed(kind)).ok_or_else(|| Fault::new(ErrorKind::BadKind, at))
    }

    /// An array with holes or extra properties: its elements first, see [`close`](Self::close) for the rest.
    fn sparse(&mut self, at: usize) -> Result<(), Fault> {
        let length = self.structure.varint()?;
        let bad = || Fault::new(ErrorKind::BadArray, at);
        let length32 = u32::try_from(length).map_err(|_| bad())?;
        let present = self.structure.varint()?;
        let present = self.owe(present, at)?;
        if present > length32 {
            return Err(bad());
        }
        if length > self.options.max_array_length {
            return Err(Fault::new(ErrorKind::LimitExceeded, at));
        }
        let mut span = self.room(2 * present);
        let side = self.graph.sparse.len() as u32;
        // The capacity holds the place of the tag until the elements are read.
        let frame = span;
        span.cap = self.structure.place_of(at);
        self.graph.sparse.push(Sparse { length: length32, present, span });
        self.start(Node::Sparse(side), frame, Role::Elements, at)
    }

    /// The gap before an element, which gives its index.
    pub(super) fn gap(&mut self) -> Result<(), Fault> {
        let gap = self.structure.varint()?;
        let Node::Sparse(side) = self.graph.nodes[self.frame().node.index()] else { return Ok(()) };
        let sparse = self.graph.sparse[side as usize];
        let first = if self.frame().next == sparse.span.start {
            0
        } else {
            match self.graph.slots[self.frame().next as usize - 2] {
                Slot::Number(before) => before as u64 + 1,
                _ => 0,
            }
        };
        let index = first.saturating_add(gap);
        if index >= u64::from(sparse.length) {
            return Err(Fault::new(ErrorKind::BadArray, self.structure.offset_of(sparse.span.cap as usize)));
        }
        self.place(Slot::Number(index as f64));
        Ok(())
    }
}

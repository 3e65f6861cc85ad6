//! Reading the structure: one value a step (`spec/format.md`, sections 3 to 8).

use super::decode::{Frame, Read, Role};
use crate::error::{ErrorKind, Fault};
use crate::graph::{
    Buffer, Extent, Key, MAX_SAFE_INTEGER, Node, NodeId, Rank, RegExpFlags, ShapeForm, ShapeKind, Slot, Span, Sparse,
    View, is_source, is_time_value, well_formed,
};
use crate::wire::{ElementKind, tag};

use byteorder::{ByteOrder, LittleEndian};

/// Buffers are aligned for elements of every size.
const BUFFER_ALIGN: usize = 8;

impl Read<'_> {
    /// Reads up to `steps` values and says whether the root is complete.
    pub(super) fn run<const BUILD: bool>(&mut self, steps: usize) -> Result<bool, Fault> {
        for _ in 0..steps {
            if self.frame.role == Role::Elements {
                self.gap()?;
            }
            let at = self.structure.offset();
            let tag = self.structure.u8()?;
            self.owed -= 1;
            let mut is_base = false;
            if self.frame.role.is_choosy() {
                self.admit(tag, at)?;
                is_base = self.frame.role == Role::Derived;
                if is_base {
                    // Only the first value of a derived instance is one.
                    self.frame.role = Role::Plain;
                }
            }
            // An object is placed when its tag is read, before its values.
            match tag {
                ..=tag::INT_MAX => self.place(Slot::Number(f64::from(tag))),
                ..tag::ARRAY => {
                    let text = self.text(u64::from(tag - tag::STRING), at)?;
                    self.place_checked(text, at)?;
                }
                ..tag::OBJECT => self.array(u64::from(tag - tag::ARRAY), at)?,
                ..tag::NULL => self.object(u64::from(tag - tag::OBJECT), is_base, at)?,
                tag::OBJECT_LONG => {
                    let shape = self.structure.varint()?;
                    self.object(shape, is_base, at)?;
                }
                tag::ARRAY_LONG => {
                    let n = self.structure.varint()?;
                    self.array(n, at)?;
                }
                _ => match self.scalar(tag, at)? {
                    Some(slot) => self.place_checked(slot, at)?,
                    None => self.open(tag, at)?,
                },
            }
            while self.frame.next == self.frame.end {
                if !self.close::<BUILD>()? {
                    continue;
                }
                match self.stack.pop() {
                    Some(parent) => self.frame = parent,
                    None => return Ok(true),
                }
            }
        }
        Ok(false)
    }

    #[inline]
    fn place(&mut self, slot: Slot) {
        self.graph.slots[self.frame.next as usize] = slot;
        self.frame.next += 1;
    }

    /// Places a value that is no container, where its container may mind which it is.
    #[inline]
    fn place_checked(&mut self, slot: Slot, at: usize) -> Result<(), Fault> {
        if self.frame.role.is_choosy() {
            self.accept(slot, at)?;
        }
        self.place(slot);
        Ok(())
    }

    /// A value that holds no others; `None` for the tag of one that does.
    fn scalar(&mut self, tag: u8, at: usize) -> Result<Option<Slot>, Fault> {
        let number = |n: f64| Ok(Some(Slot::number(n)));
        match tag {
            tag::NULL => Ok(Some(Slot::Null)),
            tag::UNDEFINED => Ok(Some(Slot::Undefined)),
            tag::FALSE => Ok(Some(Slot::Bool(false))),
            tag::TRUE => Ok(Some(Slot::Bool(true))),
            tag::U8 => number(f64::from(self.structure.u8()?)),
            tag::U16 => number(f64::from(self.structure.u16()?)),
            tag::U32 => number(f64::from(self.structure.u32()?)),
            tag::I8 => number(f64::from(self.structure.u8()? as i8)),
            tag::I16 => number(f64::from(self.structure.u16()? as i16)),
            tag::I32 => number(f64::from(self.structure.u32()? as i32)),
            tag::F32 => number(f64::from(self.structure.f32()?)),
            tag::F64 => number(self.structure.f64()?),
            tag::BIGINT | tag::BIGINT_NEGATIVE => self.bigint(tag == tag::BIGINT_NEGATIVE, at).map(Some),
            tag::STRING_LONG => {
                let n = self.structure.varint()?;
                self.text(n, at).map(Some)
            }
            tag::STRING_UTF16 => self.utf16(at).map(Some),
            tag::SYMBOL => {
                let index = self.structure.varint()?;
                if index >= self.shapes().symbols_len() as u64 {
                    return Err(Fault::new(ErrorKind::UnknownSymbol, at));
                }
                Ok(Some(Slot::Symbol(index as u32)))
            }
            tag::REFERENCE => self.reference(at).map(Some),
            tag::INTERN => {
                let text = match self.structure.u8()? {
                    short @ tag::STRING..tag::ARRAY => self.text(u64::from(short - tag::STRING), at)?,
                    tag::STRING_LONG => {
                        let n = self.structure.varint()?;
                        self.text(n, at)?
                    }
                    tag::STRING_UTF16 => self.utf16(at)?,
                    ..=tag::INTERNED => return Err(Fault::new(ErrorKind::WrongType, at)),
                    _ => return Err(Fault::new(ErrorKind::BadTag, at)),
                };
                self.strings.push(text);
                Ok(Some(text))
            }
            tag::INTERNED => {
                let id = self.structure.varint()?;
                let known = usize::try_from(id).ok().and_then(|id| self.strings.get(id));
                known.copied().map(Some).ok_or_else(|| Fault::new(ErrorKind::UnknownString, at))
            }
            _ => Ok(None),
        }
    }

    /// The string that is the next `len` bytes of the text.
    #[inline]
    fn text(&mut self, len: u64, at: usize) -> Result<Slot, Fault> {
        let start = self.text_used;
        if len > (self.text.len() - start) as u64 {
            return Err(Fault::new(ErrorKind::LengthOutOfBounds, at));
        }
        let end = start + len as usize;
        if !self.text.is_char_boundary(end) {
            return Err(Fault::new(ErrorKind::SplitCharacter, at));
        }
        let len = u32::try_from(len).map_err(|_| Fault::new(ErrorKind::LimitExceeded, at))?;
        self.text_used = end;
        Ok(Slot::Text(Extent::new(false, len, start as u64)))
    }

    /// A string of code units. One that is well-formed becomes UTF-8: a string has one form in a graph.
    #[cold]
    fn utf16(&mut self, at: usize) -> Result<Slot, Fault> {
        let n = self.structure.varint()?;
        let start = self.payload(n, 2, 2, at)?;
        let len = u32::try_from(n).map_err(|_| Fault::new(ErrorKind::LimitExceeded, at))?;
        let units = self.graph.bytes.get(start, n * 2);
        match well_formed(units.chunks_exact(2).map(LittleEndian::read_u16)) {
            Some(text) => Ok(self.graph.store_text(text.as_str().into())),
            None => Ok(Slot::Text(Extent::new(true, len, start))),
        }
    }

    fn bigint(&mut self, negative: bool, at: usize) -> Result<Slot, Fault> {
        let n = self.structure.varint()?;
        let magnitude = self.structure.take(usize::try_from(n).unwrap_or(usize::MAX))?;
        if n > self.options.max_bigint_bytes || n > u64::from(u32::MAX) {
            return Err(Fault::new(ErrorKind::LimitExceeded, at));
        }
        if magnitude.last().map_or(negative, |&top| top == 0) {
            return Err(Fault::new(ErrorKind::BadBigInt, at));
        }
        let start = self.graph.bytes.push(magnitude, false);
        Ok(Slot::BigInt(Extent::new(negative, n as u32, start)))
    }

    fn reference(&mut self, at: usize) -> Result<Slot, Fault> {
        let bad = || Fault::new(ErrorKind::BadReference, at);
        if !self.refs {
            return Err(bad());
        }
        let id = self.structure.varint()?;
        if id >= self.graph.nodes.len() as u64 {
            return Err(bad());
        }
        // The base of a derived instance has the identity after it.
        if id > 0 && matches!(self.graph.nodes[id as usize - 1], Node::Derived { .. }) {
            return Err(bad());
        }
        Ok(Slot::Node(NodeId(id as u32)))
    }

    /// The next `n` elements of `size` bytes in the data, aligned to `align`: where they begin.
    fn payload(&mut self, n: u64, size: usize, align: usize, at: usize) -> Result<u64, Fault> {
        let used = self.data_used;
        if n == 0 {
            return Ok(used as u64);
        }
        let start = used.next_multiple_of(align);
        let skipped = &self.data[used.min(self.data.len())..start.min(self.data.len())];
        if let Some(bad) = skipped.iter().position(|&byte| byte != 0) {
            return Err(Fault::new(ErrorKind::BadPadding, self.data_base + used + bad));
        }
        let end = n.checked_mul(size as u64).and_then(|bytes| bytes.checked_add(start as u64));
        match end.filter(|&end| end <= self.data.len() as u64) {
            Some(end) => self.data_used = end as usize,
            None => return Err(Fault::new(ErrorKind::LengthOutOfBounds, at)),
        }
        Ok(start as u64)
    }

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
    #[inline]
    fn room(&mut self, n: u32) -> Span {
        let start = self.graph.slots.len();
        self.graph.slots.resize(start + n as usize, Slot::Undefined);
        Span { start: start as u32, len: n, cap: n }
    }

    /// Places an object and goes on with its values.
    #[inline]
    fn enter(&mut self, node: Node, span: Span, role: Role, at: usize) -> Result<(), Fault> {
        if self.stack.len() >= self.options.max_depth {
            return Err(Fault::new(ErrorKind::LimitExceeded, at));
        }
        let id = NodeId(self.graph.nodes.len() as u32);
        self.graph.nodes.push(node);
        self.place(Slot::Node(id));
        self.stack.push(self.frame);
        self.frame = Frame { next: span.start, end: span.start + span.len, node: id, role };
        Ok(())
    }

    #[inline]
    fn array(&mut self, n: u64, at: usize) -> Result<(), Fault> {
        let n = self.owe(n, at)?;
        let span = self.room(n);
        self.enter(Node::Array(span), span, Role::Plain, at)
    }

    #[inline]
    fn object(&mut self, shape: u64, is_base: bool, at: usize) -> Result<(), Fault> {
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
        match form {
            ShapeForm::Object => self.enter(Node::Object { shape, start, cap }, span, Role::Plain, at),
            ShapeForm::Derived => self.enter(Node::Derived { shape, start, cap }, span, Role::Derived, at),
            ShapeForm::Custom => self.enter(Node::Custom { shape, start }, span, Role::Plain, at),
        }
    }

    /// The kinds of object that have tags of their own.
    fn open(&mut self, tag: u8, at: usize) -> Result<(), Fault> {
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
                self.enter(node, span, role, at)?;
            }
            tag::SET => {
                let n = self.structure.varint()?;
                let n = self.owe(n, at)?;
                let span = self.room(n);
                self.enter(Node::Set(span), span, Role::Set, at)?;
            }
            tag::ARRAY_SPARSE => self.sparse(at)?,
            tag::ARRAY_PACKED => {
                let kind = self.element_kind(at, ElementKind::packs)?;
                let n = self.structure.varint()?;
                let start = self.payload(n, kind.size(), kind.size(), at)?;
                let len = u32::try_from(n).map_err(|_| Fault::new(ErrorKind::BadArray, at))?;
                self.whole(Node::Packed { kind, len, at: start });
            }
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
                self.enter(Node::RegExp { flags: flags.bits(), start }, source, Role::RegExp, at)?;
            }
            tag::BOXED => {
                self.owe(1, at)?;
                let span = self.room(1);
                self.enter(Node::Boxed { start: span.start }, span, Role::Boxed, at)?;
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
                self.graph.nodes.push(Node::Buffer(side));
            }
            tag::VIEW => {
                let kind = self.element_kind(at, |_| true)?;
                self.owe(1, at)?;
                let span = self.room(1);
                // The place of the byte offset holds the tag's offset until it is read.
                let view = self.side_view(View { kind, buffer: NodeId(u32::MAX), offset: at as u64, len: None });
                self.enter(Node::View(view), span, Role::View, at)?;
            }
            _ => return Err(Fault::new(ErrorKind::BadTag, at)),
        }
        Ok(())
    }

    /// Places an object that holds no values.
    fn whole(&mut self, node: Node) {
        let id = NodeId(self.graph.nodes.len() as u32);
        self.graph.nodes.push(node);
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
        self.enter(Node::Sparse(side), frame, Role::Elements, at)
    }

    /// The gap before an element, which gives its index.
    fn gap(&mut self) -> Result<(), Fault> {
        let gap = self.structure.varint()?;
        let Node::Sparse(side) = self.graph.nodes[self.frame.node.index()] else { return Ok(()) };
        let sparse = self.graph.sparse[side as usize];
        let first = if self.frame.next == sparse.span.start {
            0
        } else {
            match self.graph.slots[self.frame.next as usize - 2] {
                Slot::Number(before) => before as u64 + 1,
                _ => 0,
            }
        };
        let index = first.saturating_add(gap);
        if index >= u64::from(sparse.length) {
            return Err(Fault::new(ErrorKind::BadArray, self.structure.offset_of(sparse.span.cap)));
        }
        self.place(Slot::Number(index as f64));
        Ok(())
    }

    /// Whether a value with this tag may stand where the next one belongs.
    fn admit(&self, tag: u8, at: usize) -> Result<(), Fault> {
        let is_string =
            matches!(tag, tag::STRING..tag::ARRAY | tag::STRING_LONG | tag::STRING_UTF16 | tag::INTERN | tag::INTERNED);
        let admitted = match self.frame.role {
            Role::Dictionary | Role::Extra if self.frame.is_key() => is_string || tag == tag::SYMBOL,
            Role::RegExp => is_string,
            Role::View => matches!(tag, tag::BUFFER | tag::BUFFER_RESIZABLE | tag::REFERENCE),
            Role::Boxed => is_string || matches!(tag, ..tag::STRING | tag::FALSE..tag::STRING_LONG | tag::SYMBOL),
            Role::Derived => {
                matches!(tag, tag::ARRAY..tag::NULL | tag::ARRAY_LONG..=tag::OBJECT_LONG | tag::MAP..=tag::REGEXP)
                    || matches!(tag, tag::BOXED..=tag::VIEW)
            }
            _ => true,
        };
        match tag {
            _ if admitted => Ok(()),
            tag::REFERENCE if !self.refs => Err(Fault::new(ErrorKind::BadReference, at)),
            ..=tag::INTERNED => Err(Fault::new(ErrorKind::WrongType, at)),
            _ => Err(Fault::new(ErrorKind::BadTag, at)),
        }
    }

    /// Whether this value, which has an admitted tag, may stand where the next one belongs.
    fn accept(&mut self, slot: Slot, at: usize) -> Result<(), Fault> {
        let kind = match self.frame.role {
            Role::Set if slot.is_minus_zero() => ErrorKind::BadKey,
            Role::Map if self.frame.is_key() && slot.is_minus_zero() => ErrorKind::BadKey,
            Role::Dictionary | Role::Extra if self.frame.is_key() => return self.accept_key(slot, at),
            Role::View if !slot.node().is_some_and(|id| matches!(self.graph.node(id), Some(Node::Buffer(_)))) => {
                ErrorKind::WrongType
            }
            Role::RegExp => {
                let Slot::Text(text) = slot else { return Ok(()) };
                let source = self.graph.lend_text(text);
                if u64::from(text.len()) > self.options.max_regexp_bytes {
                    ErrorKind::LimitExceeded
                } else if is_source(source) {
                    return Ok(());
                } else {
                    ErrorKind::BadRegExp
                }
            }
            _ => return Ok(()),
        };
        Err(Fault::new(kind, if self.frame.role == Role::RegExp { self.regexp_at() } else { at }))
    }

    /// Where the tag of the RegExp stands whose source or lastIndex is being read.
    pub(super) fn regexp_at(&self) -> usize {
        match self.graph.slots[self.frame.end as usize] {
            Slot::Number(at) => at as usize,
            _ => 0,
        }
    }

    /// A key of an object or an extra property of an array: which it may be, and in which order.
    fn accept_key(&self, slot: Slot, at: usize) -> Result<(), Fault> {
        let Some(key) = self.graph.slot_key(slot) else { return Ok(()) };
        let rank = key.rank();
        if self.frame.role == Role::Extra {
            let is_length = matches!(key, Key::String(text) if text == "length");
            if is_length || matches!(rank, Rank::Index(_)) {
                return Err(Fault::new(ErrorKind::BadKey, at));
            }
        }
        let first = match self.graph.nodes[self.frame.node.index()] {
            Node::Dictionary(span) | Node::NullDictionary(span) => span.start,
            Node::Sparse(side) => {
                let sparse = self.graph.sparse[side as usize];
                sparse.span.start + 2 * sparse.present
            }
            _ => return Ok(()),
        };
        if self.frame.next > first {
            let before = self.graph.slot_key(self.graph.slots[self.frame.next as usize - 2]);
            if before.is_some_and(|before| !rank.may_follow(before.rank())) {
                return Err(Fault::new(ErrorKind::KeyOrder, at));
            }
        }
        Ok(())
    }
}

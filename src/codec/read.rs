//! Reading the structure: one value a step (`spec/format.md`, sections 3 to 8).

use byteorder::{ByteOrder, LittleEndian as Le};

use super::decode::{DONE, Frame, Read, Role};
use crate::error::{ErrorKind, Fault};
use crate::graph::{Extent, Node, NodeId, Slot, Span, well_formed};
use crate::wire::{tag, varint};

impl Read<'_> {
    /// Reads up to `steps` values and says whether the root is complete, and with it the message.
    pub(super) fn run(&mut self, steps: usize) -> Result<bool, Fault> {
        self.left = steps;
        // The container that is being read: in registers while its leaves are read and arrays and shaped objects in it are
        // opened, on top of the stack while anything else is done. (A frame in memory that is written by field and then
        // moved as a whole has to reach the cache first.)
        let Frame { mut next, mut end, mut node, mut role } = self.kept.stack.pop().unwrap_or(DONE);
        let result = loop {
            // Where the next value is an array or a shaped object, there are no leaves before it.
            let is_container = matches!(self.structure.rest(), [tag::ARRAY..tag::NULL, ..]);
            if role == Role::Plain && next < end && !is_container {
                next += self.leaves(next, end);
            }
            if next == end && role == Role::Plain && (self.build || self.give_back(node)) {
                Frame { next, end, node, role } = self.kept.stack.pop().unwrap_or(DONE);
            } else if next < end && self.left == 0 {
                break Ok(false);
            } else if next < end
                && matches!(role, Role::Plain | Role::Root)
                && let Some(&tag @ tag::ARRAY..tag::NULL) = self.structure.rest().first()
            {
                match self.container(tag) {
                    Ok(inner) => {
                        self.graph.slots[next as usize] = Slot::Node(inner.node);
                        self.kept.stack.push(Frame { next: next + 1, end, node, role });
                        Frame { next, end, node, role } = inner;
                    }
                    Err(fault) => break Err(fault),
                }
            } else {
                self.kept.stack.push(Frame { next, end, node, role });
                let is_root = self.kept.stack.len() == 1;
                match if next < end { self.step().map(|()| false) } else { self.close() } {
                    Ok(true) if is_root => break self.finish().map(|()| true),
                    Ok(complete) => {
                        if complete {
                            self.kept.stack.pop();
                        }
                        Frame { next, end, node, role } = self.kept.stack.pop().unwrap_or(DONE);
                    }
                    Err(fault) => return Err(fault),
                }
            }
        };
        self.kept.stack.push(Frame { next, end, node, role });
        result
    }

    /// Gives back the slots of an array or a shaped object that is complete; `false` for others, which
    /// [`close`](Self::close) knows.
    #[inline]
    fn give_back(&mut self, node: NodeId) -> bool {
        match self.graph.nodes[node.index()] {
            Node::Array(Span { start, .. }) | Node::Object { start, .. } => self.graph.slots.truncate(start as usize),
            _ => return false,
        }
        true
    }

    /// Reads one value, or the records for which there are steps.
    #[inline(never)]
    fn step(&mut self) -> Result<(), Fault> {
        let role = self.frame().role;
        if role == Role::Records {
            self.read_records();
            return Ok(());
        }
        self.left -= 1;
        if role == Role::Plain { self.value(false) } else { self.choosy_value() }
    }

    /// Opens an array or a shaped object whose tag holds its number, in a container that is not on the stack.
    #[inline(always)]
    fn container(&mut self, tag: u8) -> Result<Frame, Fault> {
        let at = self.structure.offset();
        self.structure.skip(1);
        self.left -= 1;
        self.owed -= 1;
        let inner = match tag {
            ..tag::OBJECT => self.array(u64::from(tag - tag::ARRAY), at),
            _ => self.object(u64::from(tag - tag::OBJECT), false, at),
        }?;
        match self.kept.stack.len() < self.options.max_depth {
            true => Ok(inner),
            false => Err(Fault::new(ErrorKind::LimitExceeded, at)),
        }
    }

    /// Reads a value, or the tag and the counts of one that holds others. An object is placed before its values.
    fn value(&mut self, is_base: bool) -> Result<(), Fault> {
        let at = self.structure.offset();
        let tag = self.structure.u8()?;
        self.owed -= 1;
        match tag {
            tag::OBJECT..tag::NULL | tag::OBJECT_LONG => {
                let shape = match tag {
                    tag::OBJECT_LONG => self.structure.varint()?,
                    _ => u64::from(tag - tag::OBJECT),
                };
                let inner = self.object(shape, is_base, at)?;
                self.enter(inner, at)
            }
            tag::ARRAY..tag::OBJECT | tag::ARRAY_LONG => {
                let n = match tag {
                    tag::ARRAY_LONG => self.structure.varint()?,
                    _ => u64::from(tag - tag::ARRAY),
                };
                let inner = self.array(n, at)?;
                self.enter(inner, at)
            }
            _ => match self.scalar(tag, at)? {
                Some(slot) => self.place_checked(slot, at),
                None => self.open(tag, at),
            },
        }
    }

    /// Reads a value in a container that minds which values it gets.
    fn choosy_value(&mut self) -> Result<(), Fault> {
        if self.frame().role == Role::Elements {
            self.gap()?;
            return self.value(false);
        }
        // What is cut off here is told by reading it.
        if let Some(&tag) = self.structure.rest().first() {
            self.admit(tag, self.structure.offset())?;
        }
        let is_base = self.frame().role == Role::Derived;
        if is_base {
            // Only the first value of a derived instance is one.
            self.frame_mut().role = Role::Plain;
        }
        self.value(is_base)
    }

    /// Reads values that hold no others to the slots from `start` to `end`, up to the first that is something else or is
    /// wrong: how many.
    ///
    /// Most values of most messages are read here, so it keeps its state in locals; whatever is rare or wrong is left to
    /// [`run`](Self::run), which begins again at its tag.
    #[inline(always)]
    fn leaves(&mut self, start: u32, end: u32) -> u32 {
        let (mut bytes, text) = (self.structure.rest(), self.text.as_bytes());
        let (before, mut text_used) = (bytes.len(), self.text_used);
        let slots = &mut self.graph.slots[start as usize..end as usize];
        let most = slots.len().min(self.left);
        let mut read = 0;
        for slot in &mut slots[..most] {
            let Some((&tag, operand)) = bytes.split_first() else { break };
            let (len, rest) = match tag {
                tag::STRING..tag::ARRAY => (usize::from(tag - tag::STRING), operand),
                tag::STRING_LONG => match varint::read(operand) {
                    Ok((len, taken)) if len <= u64::from(u32::MAX) => (len as usize, &operand[taken..]),
                    _ => break,
                },
                _ => {
                    let Some((leaf, taken)) = leaf(tag, operand) else { break };
                    *slot = leaf;
                    bytes = &operand[taken..];
                    read += 1;
                    continue;
                }
            };
            // The text that follows has to be there, and not to begin within a character.
            let end = text_used + len;
            match text.get(end) {
                Some(&byte) if (byte as i8) >= -0x40 => {}
                None if end == text.len() => {}
                _ => break,
            }
            *slot = Slot::Text(Extent::new(false, len as u32, text_used as u64));
            (text_used, bytes) = (end, rest);
            read += 1;
        }
        self.text_used = text_used;
        self.structure.skip(before - bytes.len());
        self.owed -= u64::from(read);
        self.left -= read as usize;
        read
    }

    #[inline]
    pub(super) fn place(&mut self, slot: Slot) {
        let frame = self.frame_mut();
        let next = frame.next;
        frame.next += 1;
        self.graph.slots[next as usize] = slot;
    }

    /// Places a value that is no container, where its container may mind which it is.
    #[inline]
    fn place_checked(&mut self, slot: Slot, at: usize) -> Result<(), Fault> {
        if self.frame().role.is_choosy() {
            self.accept(slot, at)?;
        }
        self.place(slot);
        Ok(())
    }

    /// A value that holds no others; `None` for the tag of one that does.
    fn scalar(&mut self, tag: u8, at: usize) -> Result<Option<Slot>, Fault> {
        let number = |n: f64| Ok(Some(Slot::number(n)));
        match tag {
            ..=tag::INT_MAX => number(f64::from(tag)),
            tag::STRING..tag::ARRAY => self.text(u64::from(tag - tag::STRING), at).map(Some),
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
                    ..=tag::RECORDS => return Err(Fault::new(ErrorKind::WrongType, at)),
                    _ => return Err(Fault::new(ErrorKind::BadTag, at)),
                };
                self.kept.strings.push(text);
                Ok(Some(text))
            }
            tag::INTERNED => {
                let id = self.structure.varint()?;
                let known = usize::try_from(id).ok().and_then(|id| self.kept.strings.get(id));
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
        match well_formed(units.chunks_exact(2).map(Le::read_u16)) {
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
        if self.is_in_records(id) || id > 0 && matches!(self.graph.nodes[id as usize - 1], Node::Derived { .. }) {
            return Err(bad());
        }
        Ok(Slot::Node(NodeId(id as u32)))
    }

    /// The next `n` elements of `size` bytes in the data, aligned to `align`: where they begin.
    pub(super) fn payload(&mut self, n: u64, size: usize, align: usize, at: usize) -> Result<u64, Fault> {
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
}

/// The value with this tag, if it is no string and holds no others, and how many bytes follow the tag.
#[inline(always)]
fn leaf(tag: u8, operand: &[u8]) -> Option<(Slot, usize)> {
    Some(match tag {
        ..=tag::INT_MAX => (Slot::Number(f64::from(tag)), 0),
        tag::NULL => (Slot::Null, 0),
        tag::UNDEFINED => (Slot::Undefined, 0),
        tag::FALSE => (Slot::Bool(false), 0),
        tag::TRUE => (Slot::Bool(true), 0),
        tag::U8 if !operand.is_empty() => (Slot::Number(f64::from(operand[0])), 1),
        tag::U16 if operand.len() >= 2 => (Slot::Number(f64::from(Le::read_u16(operand))), 2),
        tag::U32 if operand.len() >= 4 => (Slot::Number(f64::from(Le::read_u32(operand))), 4),
        tag::I8 if !operand.is_empty() => (Slot::Number(f64::from(operand[0] as i8)), 1),
        tag::I16 if operand.len() >= 2 => (Slot::Number(f64::from(Le::read_i16(operand))), 2),
        tag::I32 if operand.len() >= 4 => (Slot::Number(f64::from(Le::read_i32(operand))), 4),
        tag::F32 if operand.len() >= 4 => (Slot::number(f64::from(Le::read_f32(operand))), 4),
        tag::F64 if operand.len() >= 8 => (Slot::number(Le::read_f64(operand)), 8),
        _ => return None,
    })
}

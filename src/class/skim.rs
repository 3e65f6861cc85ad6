//! Passing over a value without reading it, and noting where the objects in it begin and end.
//!
//! No recursion, and nothing is passed over twice: what has been noted is passed in one step.

use super::read::{Extent, Reader};
use crate::error::{Error, ErrorKind, Fault};
use crate::graph::ShapeForm;
use crate::wire::{ElementKind, tag};

/// A container that is passed over.
#[derive(Clone, Copy)]
struct Frame {
    /// Values that are still to come.
    left: u64,
    role: Role,
    /// Of the object; `NONE` for none.
    identity: u32,
}

const NONE: u32 = u32::MAX;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Plain,
    /// A gap before each value, a count of properties after them.
    Elements,
    /// A varint follows.
    RegExp,
    /// Two varints follow.
    View,
}

impl Reader<'_> {
    /// Passes over the next value.
    pub(super) fn skim(&mut self) -> Result<(), Error> {
        let mut stack = Vec::new();
        let mut frame = Frame { left: 1, role: Role::Plain, identity: NONE };
        loop {
            while frame.left == 0 {
                match frame.role {
                    Role::Plain => {}
                    Role::RegExp => drop(self.structure.varint()?),
                    Role::View => drop((self.structure.varint()?, self.structure.varint()?)),
                    Role::Elements => {
                        let at = self.structure.offset();
                        frame.left = 2 * self.count(2, at)? as u64;
                        frame.role = Role::Plain;
                        continue;
                    }
                }
                if frame.identity != NONE {
                    let end = self.place();
                    self.extents[frame.identity as usize].end = end;
                }
                match stack.pop() {
                    Some(parent) => frame = parent,
                    None => return Ok(()),
                }
            }
            frame.left -= 1;
            if frame.role == Role::Elements {
                self.structure.varint()?;
            }
            if let Some(inner) = self.skim_one()? {
                stack.push(frame);
                frame = inner;
            }
        }
    }

    /// Passes over a tag and its operands; the values that follow, if any do.
    fn skim_one(&mut self) -> Result<Option<Frame>, Error> {
        let at = self.structure.offset();
        let start = self.place();
        let tag = self.structure.u8()?;
        let size = match tag {
            ..tag::STRING | tag::NULL..=tag::TRUE => return Ok(None),
            tag::STRING..tag::ARRAY => {
                self.text(u64::from(tag - tag::STRING), at)?;
                return Ok(None);
            }
            tag::U8 | tag::I8 => 1,
            tag::U16 | tag::I16 => 2,
            tag::U32 | tag::I32 | tag::F32 => 4,
            tag::F64 => 8,
            tag::BIGINT | tag::BIGINT_NEGATIVE => {
                let n = self.structure.varint()?;
                usize::try_from(n).unwrap_or(usize::MAX)
            }
            tag::STRING_LONG | tag::STRING_UTF16 | tag::INTERN | tag::INTERNED => {
                self.structure.rewind(at);
                return self.skim_string().map(|()| None);
            }
            tag::SYMBOL | tag::REFERENCE => {
                self.structure.varint()?;
                return Ok(None);
            }
            tag::ARRAY..=tag::BUFFER_RESIZABLE | tag::TYPED_ARRAY | tag::VIEW => {
                return self.skim_object(tag, start.identities, at, start);
            }
            _ => return Err(Fault::new(ErrorKind::BadTag, at).into()),
        };
        self.structure.take(size)?;
        Ok(None)
    }

    fn skim_string(&mut self) -> Result<(), Error> {
        let at = self.structure.offset();
        if self.peek()? == tag::STRING_UTF16 {
            self.structure.u8()?;
            let n = self.structure.varint()?;
            return self.payload(n, 2, 2, at).map(drop);
        }
        self.string("a string").map(drop)
    }

    fn skim_object(
        &mut self,
        tag: u8,
        identity: u32,
        at: usize,
        start: super::read::Place,
    ) -> Result<Option<Frame>, Error> {
        let id = identity as usize;
        if let Some(known) = self.extents.get(id)
            && known.end.structure > 0
            && known.start.structure == at
        {
            let end = known.end;
            self.go(end);
            return Ok(None);
        }
        if id >= self.extents.len() {
            self.extents.resize(id + 1, Extent::default());
        }
        self.extents[id] = Extent { start, end: Default::default() };
        self.identities += 1;
        let mut role = Role::Plain;
        let left = match tag {
            tag::ARRAY..tag::OBJECT => self.check_count(u64::from(tag - tag::ARRAY), 1, at)? as u64,
            tag::OBJECT..tag::NULL => self.values_of(u64::from(tag - tag::OBJECT), at)?,
            tag::OBJECT_LONG => {
                let shape = self.structure.varint()?;
                self.values_of(shape, at)?
            }
            tag::ARRAY_LONG | tag::SET => self.count(1, at)? as u64,
            tag::DICTIONARY | tag::DICTIONARY_NULL | tag::MAP => 2 * self.count(2, at)? as u64,
            tag::ARRAY_SPARSE => {
                self.structure.varint()?;
                role = Role::Elements;
                self.count(1, at)? as u64
            }
            tag::ARRAY_PACKED | tag::TYPED_ARRAY => {
                let kind = self.element_kind(at, tag == tag::ARRAY_PACKED)?;
                let n = self.structure.varint()?;
                self.payload(n, kind.size(), kind.size(), at)?;
                if tag == tag::TYPED_ARRAY {
                    self.identities += 1;
                }
                0
            }
            tag::DATE => {
                self.structure.take(8)?;
                0
            }
            tag::REGEXP => {
                self.structure.u8()?;
                role = Role::RegExp;
                1
            }
            tag::BOXED => 1,
            tag::BUFFER | tag::BUFFER_RESIZABLE => {
                let n = self.structure.varint()?;
                if tag == tag::BUFFER_RESIZABLE {
                    self.structure.varint()?;
                }
                self.payload(n, 1, 8, at)?;
                0
            }
            _ => {
                let kind = self.structure.u8()?;
                ElementKind::from_code(kind).ok_or_else(|| Fault::new(ErrorKind::BadKind, at))?;
                role = Role::View;
                1
            }
        };
        Ok(Some(Frame { left, role, identity }))
    }

    /// How many values an object of this shape has.
    fn values_of(&self, shape: u64, at: usize) -> Result<u64, Error> {
        if shape >= self.shapes.len() as u64 {
            return Err(Fault::new(ErrorKind::UnknownShape, at).into());
        }
        let (form, keys) = self.shapes.form(shape as u32);
        Ok(keys as u64 + u64::from(form != ShapeForm::Object))
    }
}

//! Reading the structure: one value a step (`spec/format.md`, sections 3 to 8).

use super::decode::{Frame, Read, Role};
use crate::error::{ErrorKind, Fault};
use crate::graph::{
    Buffer, Extent, Graph, Key, MAX_REGEXP_LAST_INDEX, Node, NodeId, Rank, RegExpFlags, ShapeForm, Slot, Span, Sparse,
    View, is_source, is_time_value, well_formed,
};
use crate::wire::{ElementKind, tag};

use byteorder::{ByteOrder, LittleEndian};
use ErrorKind::*;

impl<'a> Read<'a> {
    /// Reads up to `steps` values and says whether the root is complete.
    pub(super) fn run<const BUILD: bool>(&mut self, steps: usize) -> Result<bool, Fault> {
        for _ in 0..steps {
            if self.frame.role == Role::Elements {
                self.gap()?;
            }
            let at = self.structure.offset();
            let tag = self.structure.u8()?;
            self.owed -= 1;
            let slot = match tag {
                ..=tag::INT_MAX => Slot::Number(f64::from(tag)),
                ..tag::ARRAY => self.text(u64::from(tag - tag::STRING), at)?,
                ..tag::OBJECT => {
                    self.array(u64::from(tag - tag::ARRAY), at)?;
                    continue;
                }
                _ => todo!(),
            };
        }
        Ok(false)
    }
}

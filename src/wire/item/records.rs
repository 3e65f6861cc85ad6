//! Reading an array of records (`spec/format.md`, section 8).

use super::super::layout::{Layout, Records};
use super::Source;
use crate::error::Fault;

impl<'a> Source<'a> {
    /// The array of records whose tag, at `at`, has been read.
    pub(super) fn records(&mut self, at: usize) -> Result<Records<'a>, Fault> {
        let before = self.structure.rest();
        let layout = Layout::read(&mut self.structure, at, |shape| self.shapes.plain_keys(shape))?;
        let taken = before.len() - self.structure.remaining();
        let n = self.structure.varint()?;
        let identities = layout.admit(n, at)?;
        let bytes = self.payload(n, layout.size, 1, at)?;
        Ok(Records { layout: &before[..taken], n: n as u32, bytes, identities })
    }

    /// The layout of records that have been read.
    pub(crate) fn layout(&self, records: &Records<'_>) -> Layout {
        Layout::again(records.layout, |shape| self.shapes.plain_keys(shape))
    }
}

//! What the instances of an archive are called. Knows constructor indices and nothing of bytes.

use std::borrow::Cow;

/// Names by constructor index.
pub(super) struct ClassNames<'n> {
    given: Option<&'n [&'n str]>,
}

impl<'n> ClassNames<'n> {
    /// `Class0`, `Class1`, …
    pub(super) fn numbered() -> Self {
        ClassNames { given: None }
    }

    pub(super) fn given(names: &'n [&'n str]) -> Self {
        ClassNames { given: Some(names) }
    }

    /// The name of the instance with this index; `None` where none was given.
    pub(super) fn name(&self, index: u32) -> Option<Cow<'n, str>> {
        match self.given {
            None => Some(format!("Class{index}").into()),
            Some(names) => {
                names.get(usize::try_from(index).ok()?).copied().filter(|name| !name.is_empty()).map(Cow::from)
            }
        }
    }

    /// How many bytes the names have that were given: what they take once each.
    pub(super) fn given_bytes(&self) -> usize {
        self.given.unwrap_or_default().iter().map(|name| name.len()).sum()
    }
}

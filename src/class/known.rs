//! What has been read, by identity. The pointers of each type lie together, so that it takes eight bytes to say what an
//! identity stands for: references lead anywhere, and this is looked at for each of them.

use std::any::{Any, TypeId};

use foldhash::fast::RandomState;
use hashbrown::HashMap;

/// What an identity stands for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[doc(hidden)]
pub enum Known {
    #[default]
    Nothing,
    /// A value that is not behind a pointer.
    Value,
    /// Something behind an `Rc` or `Arc` that is being read.
    Open,
    /// One of the [`Pointers`] of a type.
    Pointer { kind: u16, index: u32 },
}

/// Pointers to what has been read, which keep it until all is read.
#[derive(Default)]
#[doc(hidden)]
pub struct Pointers {
    kinds: Vec<Kind>,
    by_type: HashMap<TypeId, u16, RandomState>,
    /// The kind that was added to last.
    last: u16,
}

struct Kind {
    pointer: TypeId,
    /// A `Vec` of them.
    all: Box<dyn Any>,
}

impl Pointers {
    pub(super) fn add<P: Any>(&mut self, pointer: P) -> Known {
        match self.kinds.get(usize::from(self.last)) {
            Some(kind) if kind.pointer == TypeId::of::<P>() => {}
            _ => self.last = self.kind_of::<P>(),
        }
        match self.kinds[usize::from(self.last)].all.downcast_mut::<Vec<P>>() {
            Some(all) => {
                all.push(pointer);
                Known::Pointer { kind: self.last, index: (all.len() - 1) as u32 }
            }
            None => Known::Nothing,
        }
    }

    fn kind_of<P: Any>(&mut self) -> u16 {
        let pointer = TypeId::of::<P>();
        *self.by_type.entry(pointer).or_insert_with(|| {
            self.kinds.push(Kind { pointer, all: Box::new(Vec::<P>::new()) });
            u16::try_from(self.kinds.len() - 1).expect("no program has so many types of pointers")
        })
    }

    /// The pointer, if it is one of this type.
    #[inline]
    pub(super) fn get<P: Any>(&self, known: Known) -> Option<&P> {
        let Known::Pointer { kind, index } = known else { return None };
        self.kinds.get(usize::from(kind))?.all.downcast_ref::<Vec<P>>()?.get(index as usize)
    }

    /// The type of the pointer, if it is one.
    pub(super) fn type_of(&self, known: Known) -> Option<TypeId> {
        let Known::Pointer { kind, .. } = known else { return None };
        self.kinds.get(usize::from(kind)).map(|kind| kind.pointer)
    }
}

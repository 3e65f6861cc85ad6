//! What is only a place for a value: boxes, cells and locks.

use std::cell::{Cell, OnceCell, RefCell};
use std::sync::{Mutex, RwLock};

use crate::class::{Copier, Field, Identity, Pointee, Reader, Writer};
use crate::error::{Error, ErrorKind};

/// Of a trait object too, where its trait is declared with `class_trait`.
impl<T: ?Sized + Pointee> Field for Box<T> {
    const IDENTITY: Identity = T::CONTENT_IDENTITY;
    const NULLABLE: bool = T::CONTENT_NULLABLE;

    fn type_name() -> String {
        T::pointee_name()
    }

    fn write(&self, to: &mut Writer) -> Result<(), Error> {
        to.nested(|to| T::write_boxed(self, to))
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, Error> {
        from.nested(T::read_boxed)
    }

    fn copy(&self, copier: &mut Copier) -> Result<Self, Error> {
        copier.nested(|copier| T::copy_boxed(self, copier))
    }
}

/// Types that are written as the value in them.
macro_rules! places {
    ($($place:ident, $cell:ident => $lend:expr;)*) => {
        $(impl<T: Field> Field for $place<T> {
            const IDENTITY: Identity = T::IDENTITY;
            const NULLABLE: bool = T::NULLABLE;

            fn type_name() -> String {
                T::type_name()
            }

            #[inline]
            fn write(&self, to: &mut Writer) -> Result<(), Error> {
                let $cell = self;
                $lend?.write(to)
            }

            #[inline]
            fn read(from: &mut Reader<'_>) -> Result<Self, Error> {
                T::read(from).map($place::new)
            }

            fn copy(&self, copier: &mut Copier) -> Result<Self, Error> {
                let $cell = self;
                $lend?.copy(copier).map($place::new)
            }

            fn absent() -> Option<Self> {
                T::absent().map($place::new)
            }

            fn from_number(number: f64) -> Option<Self> {
                T::from_number(number).map($place::new)
            }
        })*
    };
}

places! {
    RefCell, cell => cell.try_borrow().map_err(|_| busy("a RefCell is borrowed mutably"));
    Mutex, lock => lock.lock().map_err(|_| busy("a Mutex is poisoned"));
    RwLock, lock => lock.read().map_err(|_| busy("a RwLock is poisoned"));
}

#[cold]
fn busy(detail: &'static str) -> Error {
    Error::new(ErrorKind::Borrowed, detail)
}

impl<T: Field + Copy> Field for Cell<T> {
    const IDENTITY: Identity = T::IDENTITY;
    const NULLABLE: bool = T::NULLABLE;

    fn type_name() -> String {
        T::type_name()
    }

    fn write(&self, to: &mut Writer) -> Result<(), Error> {
        self.get().write(to)
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, Error> {
        T::read(from).map(Cell::new)
    }

    fn copy(&self, copier: &mut Copier) -> Result<Self, Error> {
        self.get().copy(copier).map(Cell::new)
    }

    fn absent() -> Option<Self> {
        T::absent().map(Cell::new)
    }
}

/// `null` while it is empty.
impl<T: Field> Field for OnceCell<T> {
    const IDENTITY: Identity = Identity::None;
    const NULLABLE: bool = true;

    fn type_name() -> String {
        T::type_name()
    }

    fn write(&self, to: &mut Writer) -> Result<(), Error> {
        const { assert!(!T::NULLABLE, "a OnceCell of what may be null itself would lose a level") };
        match self.get() {
            Some(value) => value.write(to),
            None => to.null(),
        }
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, Error> {
        Option::<T>::read(from).map(|value| value.map_or_else(OnceCell::new, OnceCell::from))
    }

    fn copy(&self, copier: &mut Copier) -> Result<Self, Error> {
        self.get().map_or_else(|| Ok(OnceCell::new()), |value| value.copy(copier).map(OnceCell::from))
    }

    fn absent() -> Option<Self> {
        Some(OnceCell::new())
    }
}

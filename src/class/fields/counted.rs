//! `Rc` and `Arc`: shared, and without cycles.

use std::rc::Rc;
use std::sync::Arc;

use crate::class::write::Handle;
use crate::class::{Copier, Field, Identity, Reader, Writer};
use crate::error::Error;

/// One object, however often it is met. A cycle through it can't be restored (`cyclic-value`): use `Shared` for that.
impl<T: Field> Field for Rc<T> {
    const IDENTITY: Identity = Identity::None;

    fn type_name() -> String {
        format!("Rc<{}>", T::type_name())
    }

    fn write(&self, to: &mut Writer) -> Result<(), Error> {
        to.pointer(Rc::as_ptr(self).cast::<()>().addr(), &**self, || Handle::Rc(self.clone()))
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, Error> {
        from.counted(Rc::new)
    }

    fn copy(&self, copier: &mut Copier) -> Result<Self, Error> {
        copier.counted(Rc::as_ptr(self).cast::<()>().addr(), &**self, Rc::new)
    }
}

/// As an `Rc`.
impl<T: Field> Field for Arc<T> {
    const IDENTITY: Identity = Identity::None;

    fn type_name() -> String {
        format!("Arc<{}>", T::type_name())
    }

    fn write(&self, to: &mut Writer) -> Result<(), Error> {
        to.pointer(Arc::as_ptr(self).cast::<()>().addr(), &**self, || Handle::Arc(self.clone()))
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, Error> {
        from.counted(Arc::new)
    }

    fn copy(&self, copier: &mut Copier) -> Result<Self, Error> {
        copier.counted(Arc::as_ptr(self).cast::<()>().addr(), &**self, Arc::new)
    }
}

//! `SyncShared` and `SyncWeak`: `Shared` and `Weak` for several threads.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Deref;
use std::sync::{self, Arc};

use super::drop::{Dropped, drop_pointer};
use super::node::SyncNode;
use super::write::Handle;
use super::{Copier, Field, Identity, Reader, Writer};
use crate::error::Error;

/// [`Shared`](super::Shared) on an `Arc`: several threads may hold pointers to one object.
///
/// # Examples
///
/// ```
/// use marshal::{Class, Marshal, SyncShared};
///
/// #[derive(Class)]
/// struct Config { name: String }
///
/// let config = SyncShared::new(Config { name: "main".into() });
/// let (bytes, classes) = Marshal::encode_with_classes(&vec![config.clone(), config])?;
/// let both: Vec<SyncShared<Config>> = Marshal::decode_with_classes(&bytes, &classes)?;
/// let thread = { let config = both[0].clone(); std::thread::spawn(move || config.name.len()) };
/// assert_eq!(thread.join().unwrap(), 4);
/// assert_eq!(both[0], both[1]);
/// # Ok::<(), marshal::Error>(())
/// ```
pub struct SyncShared<T: Field>(
    /// `None` only while it is dropped.
    Option<Arc<SyncNode<T>>>,
);

/// [`Weak`](super::Weak) for a [`SyncShared`].
pub struct SyncWeak<T: Field>(Option<sync::Weak<SyncNode<T>>>);

impl<T: Field> SyncShared<T> {
    /// A new object.
    pub fn new(value: T) -> Self {
        Self::from_node(Arc::new(SyncNode::from(value)))
    }

    /// A new object that knows itself.
    pub fn new_cyclic(make: impl FnOnce(&SyncWeak<T>) -> T) -> Self {
        let node = Arc::new(SyncNode::empty());
        let value = make(&SyncWeak(Some(Arc::downgrade(&node))));
        let _ = node.value.set(value);
        Self::from_node(node)
    }

    pub(super) fn from_node(node: Arc<SyncNode<T>>) -> Self {
        SyncShared(Some(node))
    }

    fn node(&self) -> &Arc<SyncNode<T>> {
        // It is taken only by functions that consume the pointer.
        self.0.as_ref().expect("a SyncShared points at something until it is dropped")
    }

    /// A pointer to the same object that does not keep it alive.
    pub fn downgrade(this: &Self) -> SyncWeak<T> {
        SyncWeak(Some(Arc::downgrade(this.node())))
    }

    /// The object; `None` in a hook or transformer that runs while the object is being restored.
    pub fn try_get(this: &Self) -> Option<&T> {
        this.node().value.get()
    }

    /// Whether both point at the same object.
    pub fn ptr_eq(this: &Self, other: &Self) -> bool {
        Arc::ptr_eq(this.node(), other.node())
    }

    /// How many `SyncShared` point at the object.
    pub fn strong_count(this: &Self) -> usize {
        Arc::strong_count(this.node())
    }
}

impl<T: Field> SyncWeak<T> {
    /// A pointer to nothing.
    pub const fn new() -> Self {
        SyncWeak(None)
    }

    /// The object, if it is still there.
    pub fn upgrade(&self) -> Option<SyncShared<T>> {
        self.0.as_ref()?.upgrade().map(SyncShared::from_node)
    }
}

impl<T: Field> Deref for SyncShared<T> {
    type Target = T;

    /// # Panics
    ///
    /// In a hook or transformer that runs while the object is being restored: see [`SyncShared::try_get`].
    fn deref(&self) -> &T {
        Self::try_get(self).expect("the object is still being restored; SyncShared::try_get tells")
    }
}

impl<T: Field> Drop for SyncShared<T> {
    fn drop(&mut self) {
        // Another thread may drop its pointer at the same time, so the count does not say which is the last.
        if let Some(node) = self.0.take() {
            drop_pointer(node, |node| Dropped::Arc(node));
        }
    }
}

impl<T: Field> Clone for SyncShared<T> {
    fn clone(&self) -> Self {
        SyncShared(self.0.clone())
    }
}

impl<T: Field> Clone for SyncWeak<T> {
    fn clone(&self) -> Self {
        SyncWeak(self.0.clone())
    }
}

impl<T: Field> Default for SyncWeak<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: Field> From<T> for SyncShared<T> {
    fn from(value: T) -> Self {
        Self::new(value)
    }
}

impl<T: Field> PartialEq for SyncShared<T> {
    fn eq(&self, other: &Self) -> bool {
        Self::ptr_eq(self, other)
    }
}

impl<T: Field> Eq for SyncShared<T> {}

impl<T: Field> Hash for SyncShared<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        Arc::as_ptr(self.node()).addr().hash(state);
    }
}

/// Prints the class and the address: an object may lead back to itself.
impl<T: Field> fmt::Debug for SyncShared<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SyncShared<{}>({:#x})", T::type_name(), Arc::as_ptr(self.node()).addr())
    }
}

impl<T: Field> fmt::Debug for SyncWeak<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SyncWeak<{}>", T::type_name())
    }
}

impl<T: Field> Field for SyncShared<T> {
    const IDENTITY: Identity = Identity::None;

    fn type_name() -> String {
        format!("SyncShared<{}>", T::type_name())
    }

    fn write(&self, to: &mut Writer) -> Result<(), Error> {
        let node = self.node();
        to.pointer(Arc::as_ptr(node).addr(), &**node, || Handle::Arc(node.clone()))
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, Error> {
        from.sync_shared::<T>().map(Self::from_node)
    }

    fn copy(&self, copier: &mut Copier) -> Result<Self, Error> {
        copier.sync_shared(self.node()).map(Self::from_node)
    }
}

impl<T: Field> Field for SyncWeak<T> {
    const IDENTITY: Identity = Identity::None;
    const NULLABLE: bool = true;

    fn type_name() -> String {
        format!("SyncWeak<{}>", T::type_name())
    }

    fn write(&self, to: &mut Writer) -> Result<(), Error> {
        match self.upgrade() {
            Some(object) => object.write(to),
            None => to.null(),
        }
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, Error> {
        if from.skip_null()? {
            return Ok(SyncWeak::new());
        }
        let node = from.sync_shared::<T>()?;
        Ok(SyncWeak(Some(Arc::downgrade(&node))))
    }

    fn copy(&self, copier: &mut Copier) -> Result<Self, Error> {
        match self.upgrade() {
            Some(object) => {
                let copy = copier.sync_shared(object.node())?;
                Ok(SyncWeak(Some(Arc::downgrade(&copy))))
            }
            None => Ok(SyncWeak::new()),
        }
    }

    fn absent() -> Option<Self> {
        Some(SyncWeak::new())
    }
}

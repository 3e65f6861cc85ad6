//! `SyncShared` and `SyncWeak`: `Shared` and `Weak` for several threads.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Deref;
use std::sync::{self, Arc};

use super::drop::{Dropped, drop_pointer};
use super::node::SyncNode;
use super::sync_node::{SyncImplements, SyncNodeOf, SyncPointee};
use super::write::Handle;
use super::{Class, Copier, Field, Identity, Reader, Writer};
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
///
/// Of a trait object, where its trait is declared with [`class_trait`](crate::class_trait) and has `Send` and `Sync` as
/// supertraits.
pub struct SyncShared<T: ?Sized + SyncPointee>(
    /// `None` only while it is dropped.
    Option<Arc<T::SyncNode>>,
);

/// [`Weak`](super::Weak) for a [`SyncShared`].
pub struct SyncWeak<T: ?Sized + SyncPointee>(Option<sync::Weak<T::SyncNode>>);

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
}

impl<C: Class> SyncShared<C> {
    /// The same object as one of which only a trait is known.
    ///
    /// # Examples
    ///
    /// ```
    /// use marshal::{Class, Marshal, SyncShared, class_trait};
    ///
    /// #[class_trait]
    /// trait Job: Send + Sync { fn run(&self) -> u32; }
    ///
    /// #[derive(Class)]
    /// struct Add { a: u32, b: u32 }
    /// impl Job for Add { fn run(&self) -> u32 { self.a + self.b } }
    ///
    /// let jobs: Vec<SyncShared<dyn Job>> = vec![SyncShared::new(Add { a: 1, b: 2 }).upcast()];
    /// let (bytes, classes) = Marshal::encode_with_classes(&jobs)?;
    /// let jobs: Vec<SyncShared<dyn Job>> = Marshal::decode_with_classes(&bytes, &classes)?;
    /// let thread = std::thread::spawn(move || jobs[0].run());
    /// assert_eq!(thread.join().unwrap(), 3);
    /// # Ok::<(), marshal::Error>(())
    /// ```
    pub fn upcast<T: ?Sized + SyncPointee>(mut self) -> SyncShared<T>
    where
        SyncNode<C>: SyncImplements<T>,
    {
        SyncShared(self.0.take().map(SyncNode::<C>::upcast))
    }
}

impl<T: ?Sized + SyncPointee> SyncShared<T> {
    fn from_node(node: Arc<T::SyncNode>) -> Self {
        SyncShared(Some(node))
    }

    fn node(&self) -> &Arc<T::SyncNode> {
        // It is taken only by functions that consume the pointer.
        self.0.as_ref().expect("a SyncShared points at something until it is dropped")
    }

    /// A pointer to the same object that does not keep it alive.
    pub fn downgrade(this: &Self) -> SyncWeak<T> {
        SyncWeak(Some(Arc::downgrade(this.node())))
    }

    /// The object; `None` in a hook or transformer that runs while the object is being restored.
    pub fn try_get(this: &Self) -> Option<&T> {
        this.node().content()
    }

    /// Whether both point at the same object.
    pub fn ptr_eq(this: &Self, other: &Self) -> bool {
        this.address() == other.address()
    }

    /// How many `SyncShared` point at the object.
    pub fn strong_count(this: &Self) -> usize {
        Arc::strong_count(this.node())
    }

    fn address(&self) -> usize {
        Arc::as_ptr(self.node()).cast::<()>().addr()
    }
}

impl<T: ?Sized + SyncPointee> SyncWeak<T> {
    /// A pointer to nothing.
    pub const fn new() -> Self {
        SyncWeak(None)
    }

    /// The object, if it is still there.
    pub fn upgrade(&self) -> Option<SyncShared<T>> {
        self.0.as_ref()?.upgrade().map(SyncShared::from_node)
    }
}

impl<T: ?Sized + SyncPointee> Deref for SyncShared<T> {
    type Target = T;

    /// # Panics
    ///
    /// In a hook or transformer that runs while the object is being restored: see [`SyncShared::try_get`].
    fn deref(&self) -> &T {
        Self::try_get(self).expect("the object is still being restored; SyncShared::try_get tells")
    }
}

impl<T: ?Sized + SyncPointee> Drop for SyncShared<T> {
    fn drop(&mut self) {
        // Another thread may drop its pointer at the same time, so the count does not say which is the last.
        if let Some(node) = self.0.take() {
            drop_pointer(node, |node| Dropped::Arc(node.erase()));
        }
    }
}

impl<T: ?Sized + SyncPointee> Clone for SyncShared<T> {
    fn clone(&self) -> Self {
        SyncShared(self.0.clone())
    }
}

impl<T: ?Sized + SyncPointee> Clone for SyncWeak<T> {
    fn clone(&self) -> Self {
        SyncWeak(self.0.clone())
    }
}

impl<T: ?Sized + SyncPointee> Default for SyncWeak<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: Field> From<T> for SyncShared<T> {
    fn from(value: T) -> Self {
        Self::new(value)
    }
}

impl<T: ?Sized + SyncPointee> PartialEq for SyncShared<T> {
    fn eq(&self, other: &Self) -> bool {
        Self::ptr_eq(self, other)
    }
}

impl<T: ?Sized + SyncPointee> Eq for SyncShared<T> {}

impl<T: ?Sized + SyncPointee> Hash for SyncShared<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.address().hash(state);
    }
}

/// Prints the class and the address: an object may lead back to itself.
impl<T: ?Sized + SyncPointee> fmt::Debug for SyncShared<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SyncShared<{}>({:#x})", T::pointee_name(), self.address())
    }
}

impl<T: ?Sized + SyncPointee> fmt::Debug for SyncWeak<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SyncWeak<{}>", T::pointee_name())
    }
}

impl<T: ?Sized + SyncPointee> Field for SyncShared<T> {
    const IDENTITY: Identity = Identity::None;

    fn type_name() -> String {
        format!("SyncShared<{}>", T::pointee_name())
    }

    fn write(&self, to: &mut Writer) -> Result<(), Error> {
        let node = self.node();
        node.declare(to);
        to.pointer(self.address(), &**node, || Handle::Arc(node.clone().target()))
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, Error> {
        T::read_sync(from).map(Self::from_node)
    }

    fn copy(&self, copier: &mut Copier) -> Result<Self, Error> {
        T::copy_sync(self.node(), copier).map(Self::from_node)
    }
}

impl<T: ?Sized + SyncPointee> Field for SyncWeak<T> {
    const IDENTITY: Identity = Identity::None;
    const NULLABLE: bool = true;

    fn type_name() -> String {
        format!("SyncWeak<{}>", T::pointee_name())
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
        let node = T::read_sync(from)?;
        Ok(SyncWeak(Some(Arc::downgrade(&node))))
    }

    fn copy(&self, copier: &mut Copier) -> Result<Self, Error> {
        match self.upgrade() {
            Some(object) => {
                let copy = T::copy_sync(object.node(), copier)?;
                Ok(SyncWeak(Some(Arc::downgrade(&copy))))
            }
            None => Ok(SyncWeak::new()),
        }
    }

    fn absent() -> Option<Self> {
        Some(SyncWeak::new())
    }
}

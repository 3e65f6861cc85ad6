//! Pointers that keep identity and close cycles: `Shared` and `Weak`, and for several threads `SyncShared` and `SyncWeak`.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Deref;
use std::rc::{self, Rc};
use std::sync::{self, Arc};

use super::drop::{Dropped, drop_pointer};
use super::node::{Implements, Node, NodeOf, Pointee, SyncNode};
use super::sync_node::{SyncImplements, SyncNodeOf, SyncPointee};
use super::write::Handle;
use super::{Class, Copier, Field, Identity, Items, Reader, Rest, Writer};
use crate::error::Error;
use crate::wire::tag;

/// A pointer to an object that others may point at too: what a reference to an object is in JavaScript.
///
/// An `Rc` with three differences. The same object is written once, however many pointers there are to it, and is one
/// object after decoding; cycles are restored, of any length. A chain of any length is dropped without recursion. And
/// it compares as `===` does: two `Shared` are equal, and hash alike, when they point at the same object;
/// [`Marshal::deep_equal`](crate::Marshal::deep_equal) compares what they point at.
///
/// A cycle of `Shared` keeps itself alive, as one of `Rc` does: let one of its edges be a [`Weak`].
/// [`SyncShared`](super::SyncShared) is the same for several threads.
///
/// # Examples
///
/// ```
/// use std::cell::RefCell;
/// use marshal::{Class, Marshal, Shared, Weak};
///
/// #[derive(Class)]
/// struct Folder { name: String, parent: RefCell<Weak<Folder>>, children: RefCell<Vec<Shared<Folder>>> }
///
/// let folder = |name: &str| {
///     Shared::new(Folder { name: name.into(), parent: RefCell::default(), children: RefCell::default() })
/// };
/// let (root, src) = (folder("/"), folder("src"));
/// *src.parent.borrow_mut() = Shared::downgrade(&root);
/// root.children.borrow_mut().push(src);
///
/// let (bytes, classes) = Marshal::encode_with_classes(&root)?;
/// let root: Shared<Folder> = Marshal::decode_with_classes(&bytes, &classes)?;
/// let src = root.children.borrow()[0].clone();
/// assert_eq!(src.parent.borrow().upgrade(), Some(root));
/// # Ok::<(), marshal::Error>(())
/// ```
pub struct Shared<T: ?Sized + Pointee>(
    /// `None` only while it is dropped.
    Option<Rc<T::Node>>,
);

/// A pointer that does not keep its object alive: an edge back to where one came from.
///
/// It is written as the object that it points at, and as `null` when that is gone. After decoding the object is there
/// if a [`Shared`] in the same value leads to it.
pub struct Weak<T: ?Sized + Pointee>(Option<rc::Weak<T::Node>>);

impl<C: Class> Shared<C> {
    /// The same object as one of which only a trait is known.
    ///
    /// # Examples
    ///
    /// ```
    /// use marshal::{Class, Classes, Marshal, Shared, class_trait};
    ///
    /// #[class_trait]
    /// trait Animal { fn says(&self) -> String; }
    ///
    /// #[derive(Class)]
    /// struct Dog { name: String }
    /// impl Animal for Dog { fn says(&self) -> String { format!("{}: woof", self.name) } }
    ///
    /// let animals: Vec<Shared<dyn Animal>> = vec![Shared::new(Dog { name: "Rex".into() }).upcast()];
    /// let (bytes, classes) = Marshal::encode_with_classes(&animals)?;
    /// let animals: Vec<Shared<dyn Animal>> = Marshal::decode_with_classes(&bytes, &classes)?;
    /// assert_eq!(animals[0].says(), "Rex: woof");
    /// # Ok::<(), marshal::Error>(())
    /// ```
    pub fn upcast<T: ?Sized + Pointee>(mut self) -> Shared<T>
    where
        Node<C>: Implements<T, Class = C>,
    {
        Shared(self.0.take().map(Node::<C>::upcast))
    }
}

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

/// What a pointer and its weak sister do, on `$Rc` and `$rc::Weak`. What they point at is in a `$Node`, which is also its
/// name for the type of that, and is read, looked up and copied by the functions that are named.
macro_rules! pointers {
    (
        $Strong:ident, $Weak:ident,
        on: $Rc:ident and $rc:ident::Weak,
        holding: $Pointee:ident::$Node:ident,
        by: $read:ident, $again:ident, $copy:ident,
        is_last: $is_last:expr,
    ) => {
        impl<T: Field> $Strong<T> {
            /// A new object.
            pub fn new(value: T) -> Self {
                Self::from_node($Rc::new($Node::from(value)))
            }

            /// A new object that knows itself, as a parent that its children point back to: `make` is given the pointer
            /// that the object will have.
            pub fn new_cyclic(make: impl FnOnce(&$Weak<T>) -> T) -> Self {
                let node = $Rc::new($Node::empty());
                let value = make(&$Weak(Some($Rc::downgrade(&node))));
                node.set(value);
                Self::from_node(node)
            }

            /// The value, if this is the only pointer to it (weak ones aside).
            ///
            /// # Errors
            ///
            /// The pointer itself, where there are others.
            pub fn try_unwrap(mut self) -> Result<T, Self> {
                let Some(node) = self.0.take() else { return Err(self) };
                match $Rc::try_unwrap(node) {
                    // A node that is still being restored is held by the decoder too, so it does not come here.
                    Ok(node) => node.into_inner().ok_or($Strong(None)),
                    Err(node) => Err(Self::from_node(node)),
                }
            }

            /// The value to change, if this is the only pointer to it.
            pub fn get_mut(this: &mut Self) -> Option<&mut T> {
                $Rc::get_mut(this.0.as_mut()?)?.get_mut()
            }
        }

        impl<T: ?Sized + $Pointee> $Strong<T> {
            #[inline]
            pub(super) fn from_node(node: $Rc<T::$Node>) -> Self {
                $Strong(Some(node))
            }

            #[inline]
            pub(super) fn node(&self) -> &$Rc<T::$Node> {
                // It is taken only by functions that consume the pointer.
                self.0.as_ref().expect("a pointer points at something until it is dropped")
            }

            /// A pointer to the same object that does not keep it alive.
            pub fn downgrade(this: &Self) -> $Weak<T> {
                $Weak(Some($Rc::downgrade(this.node())))
            }

            /// The object; `None` in a hook or transformer that runs while the object is being restored.
            #[inline]
            pub fn try_get(this: &Self) -> Option<&T> {
                this.node().content()
            }

            /// Whether both point at the same object.
            pub fn ptr_eq(this: &Self, other: &Self) -> bool {
                this.address() == other.address()
            }

            #[doc = concat!("How many `", stringify!($Strong), "` point at the object.")]
            pub fn strong_count(this: &Self) -> usize {
                $Rc::strong_count(this.node())
            }

            #[doc = concat!("How many `", stringify!($Weak), "` point at the object.")]
            pub fn weak_count(this: &Self) -> usize {
                $Rc::weak_count(this.node())
            }

            #[inline]
            pub(super) fn address(&self) -> usize {
                $Rc::as_ptr(self.node()).cast::<()>().addr()
            }

            fn write_node(node: &$Rc<T::$Node>, to: &mut Writer) -> Result<(), Error> {
                // Also where it has been met as something else.
                node.declare(to);
                let address = $Rc::as_ptr(node).cast::<()>().addr();
                to.pointer(address, &**node, || Handle::$Rc(node.clone().target()))
            }

            #[inline(always)]
            fn gather_node(node: &$Rc<T::$Node>, items: &mut Items, to: &mut Writer) -> Result<(), Error> {
                node.declare(to);
                if to.refer(&**node, items) {
                    return Ok(());
                }
                items.pass(to, |to| Self::write_node(node, to))
            }

            #[inline(always)]
            fn take_node<'a, P>(
                rest: &mut Rest<'a>,
                from: &mut Reader<'a>,
                pointer: impl Fn(&$Rc<T::$Node>) -> P,
            ) -> Result<P, Error> {
                match from.again(rest, |pointers, known| T::$again(pointers, known).map(&pointer)) {
                    Some(pointer) => Ok(pointer),
                    None => rest.pass(from, |from| T::$read(from).map(|node| pointer(&node))),
                }
            }
        }

        impl<T: ?Sized + $Pointee> $Weak<T> {
            /// A pointer to nothing.
            pub const fn new() -> Self {
                $Weak(None)
            }

            /// The object, if it is still there.
            pub fn upgrade(&self) -> Option<$Strong<T>> {
                self.upgrade_node().map($Strong::from_node)
            }

            #[inline]
            fn upgrade_node(&self) -> Option<$Rc<T::$Node>> {
                self.0.as_ref()?.upgrade()
            }

            #[inline]
            fn to_node(node: &$Rc<T::$Node>) -> Self {
                $Weak(Some($Rc::downgrade(node)))
            }
        }

        impl<T: ?Sized + $Pointee> Deref for $Strong<T> {
            type Target = T;

            /// # Panics
            ///
            /// In a hook or transformer that runs while the object is being restored, which `try_get` can tell.
            #[inline]
            fn deref(&self) -> &T {
                Self::try_get(self).expect("the object is still being restored; try_get tells")
            }
        }

        impl<T: ?Sized + $Pointee> Drop for $Strong<T> {
            #[inline]
            fn drop(&mut self) {
                let is_last: fn(&$Rc<T::$Node>) -> bool = $is_last;
                if let Some(node) = self.0.take()
                    && is_last(&node)
                {
                    drop_pointer(node, |node| Dropped::$Rc(node.erase()));
                }
            }
        }

        impl<T: ?Sized + $Pointee> Clone for $Strong<T> {
            #[inline]
            fn clone(&self) -> Self {
                $Strong(self.0.clone())
            }
        }

        impl<T: ?Sized + $Pointee> Clone for $Weak<T> {
            fn clone(&self) -> Self {
                $Weak(self.0.clone())
            }
        }

        impl<T: ?Sized + $Pointee> Default for $Weak<T> {
            fn default() -> Self {
                Self::new()
            }
        }

        impl<T: Field + Default> Default for $Strong<T> {
            fn default() -> Self {
                Self::new(T::default())
            }
        }

        impl<T: Field> From<T> for $Strong<T> {
            fn from(value: T) -> Self {
                Self::new(value)
            }
        }

        impl<T: ?Sized + $Pointee> PartialEq for $Strong<T> {
            fn eq(&self, other: &Self) -> bool {
                Self::ptr_eq(self, other)
            }
        }

        impl<T: ?Sized + $Pointee> Eq for $Strong<T> {}

        impl<T: ?Sized + $Pointee> Hash for $Strong<T> {
            fn hash<H: Hasher>(&self, state: &mut H) {
                self.address().hash(state);
            }
        }

        /// Prints the class and the address: an object may lead back to itself.
        impl<T: ?Sized + $Pointee> fmt::Debug for $Strong<T> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}<{}>({:#x})", stringify!($Strong), T::pointee_name(), self.address())
            }
        }

        impl<T: ?Sized + $Pointee> fmt::Debug for $Weak<T> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}<{}>", stringify!($Weak), T::pointee_name())
            }
        }

        impl<T: ?Sized + $Pointee> Field for $Strong<T> {
            const IDENTITY: Identity = Identity::None;

            fn type_name() -> String {
                format!("{}<{}>", stringify!($Strong), T::pointee_name())
            }

            #[inline]
            fn write(&self, to: &mut Writer) -> Result<(), Error> {
                Self::write_node(self.node(), to)
            }

            const ITEMS: usize = 1;

            #[inline(always)]
            fn gather(&self, items: &mut Items, to: &mut Writer) -> Result<(), Error> {
                Self::gather_node(self.node(), items, to)
            }

            #[inline]
            fn read(from: &mut Reader<'_>) -> Result<Self, Error> {
                T::$read(from).map(Self::from_node)
            }

            #[inline(always)]
            fn take<'a>(rest: &mut Rest<'a>, from: &mut Reader<'a>) -> Result<Self, Error> {
                Self::take_node(rest, from, |node| Self::from_node(node.clone()))
            }

            fn copy(&self, copier: &mut Copier) -> Result<Self, Error> {
                T::$copy(self.node(), copier).map(Self::from_node)
            }
        }

        impl<T: ?Sized + $Pointee> Field for $Weak<T> {
            const IDENTITY: Identity = Identity::None;
            const NULLABLE: bool = true;

            fn type_name() -> String {
                format!("{}<{}>", stringify!($Weak), T::pointee_name())
            }

            fn write(&self, to: &mut Writer) -> Result<(), Error> {
                match self.upgrade_node() {
                    Some(node) => $Strong::<T>::write_node(&node, to),
                    None => to.null(),
                }
            }

            const ITEMS: usize = 1;

            #[inline(always)]
            fn gather(&self, items: &mut Items, to: &mut Writer) -> Result<(), Error> {
                match self.upgrade_node() {
                    Some(node) => $Strong::<T>::gather_node(&node, items, to),
                    None => {
                        items.tag(tag::NULL);
                        Ok(())
                    }
                }
            }

            fn read(from: &mut Reader<'_>) -> Result<Self, Error> {
                if from.skip_null()? {
                    return Ok($Weak::new());
                }
                // Where something else refers to it, the reader keeps it until all is read.
                T::$read(from).map(|node| Self::to_node(&node))
            }

            #[inline(always)]
            fn take<'a>(rest: &mut Rest<'a>, from: &mut Reader<'a>) -> Result<Self, Error> {
                if rest.skip(tag::NULL) || rest.skip(tag::UNDEFINED) {
                    return Ok($Weak::new());
                }
                $Strong::<T>::take_node(rest, from, Self::to_node)
            }

            fn copy(&self, copier: &mut Copier) -> Result<Self, Error> {
                match self.upgrade_node() {
                    Some(node) => T::$copy(&node, copier).map(|copy| Self::to_node(&copy)),
                    None => Ok($Weak::new()),
                }
            }

            fn absent() -> Option<Self> {
                Some($Weak::new())
            }
        }
    };
}

pointers! {
    Shared, Weak,
    on: Rc and rc::Weak,
    holding: Pointee::Node,
    by: read_shared, again, copy_shared,
    is_last: |node| Rc::strong_count(node) == 1,
}

pointers! {
    SyncShared, SyncWeak,
    on: Arc and sync::Weak,
    holding: SyncPointee::SyncNode,
    by: read_sync, again_sync, copy_sync,
    // Another thread may drop its pointer at the same time, so the count does not say which is the last.
    is_last: |_| true,
}

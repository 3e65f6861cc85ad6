//! What pointers point at: a place that is filled once, known by its type, by a trait, or not at all.

use std::any::Any;
use std::cell::{Cell, OnceCell};
use std::fmt::Display;
use std::rc::Rc;
use std::sync::OnceLock;

use super::known::{Known, Pointers};
use super::{Class, Classes, Copier, Data, Field, Identity, Reader, Writer};
use crate::error::Error;
use crate::wire::tag;

/// What can be behind a [`Shared`](super::Shared) or a `Box`: any field, or a trait object whose trait is declared with
/// [`class_trait`](crate::class_trait).
pub trait Pointee: 'static {
    /// What the pointer holds.
    #[doc(hidden)]
    type Node: ?Sized + NodeOf<Self>;
    #[doc(hidden)]
    const CONTENT_IDENTITY: Identity = Identity::Own;
    #[doc(hidden)]
    const CONTENT_NULLABLE: bool = false;
    #[doc(hidden)]
    fn pointee_name() -> String;
    #[doc(hidden)]
    fn read_shared(from: &mut Reader<'_>) -> Result<Rc<Self::Node>, Error>;
    /// What has been read before, if it can be told without a registry that it is of this type.
    #[doc(hidden)]
    #[inline]
    fn again(_: &Pointers, _: Known) -> Option<&Rc<Self::Node>> {
        None
    }
    #[doc(hidden)]
    fn copy_shared(node: &Rc<Self::Node>, copier: &mut Copier) -> Result<Rc<Self::Node>, Error>;
    #[doc(hidden)]
    fn write_boxed(&self, to: &mut Writer) -> Result<(), Error>;
    #[doc(hidden)]
    fn read_boxed(from: &mut Reader<'_>) -> Result<Box<Self>, Error>;
    #[doc(hidden)]
    fn copy_boxed(&self, copier: &mut Copier) -> Result<Box<Self>, Error>;
}

/// The content of something with an identity, written when it is met for the first time.
#[doc(hidden)]
pub trait Target: Any {
    fn write_target(&self, to: &mut Writer) -> Result<(), Error>;
    /// Where its identity is noted, if it has a place for that.
    #[inline]
    fn mark(&self) -> Option<&Mark> {
        None
    }
}

/// A node whose type is not known here.
#[doc(hidden)]
pub trait AnyNode: Target {
    /// Reads the content at the place where the reader stands.
    fn fill(&self, from: &mut Reader<'_>) -> Result<(), Error>;
    /// Copies the content to a node of the same type.
    fn copy_to(&self, other: &dyn Any, copier: &mut Copier) -> Result<(), Error>;
}

/// A node whose content is a `T`, which may be a trait object.
#[doc(hidden)]
pub trait NodeOf<T: ?Sized>: AnyNode {
    fn content(&self) -> Option<&T>;
    fn erase(self: Rc<Self>) -> Rc<dyn AnyNode>;
    fn target(self: Rc<Self>) -> Rc<dyn Target>;
    /// Says to the writer that values of this type are met as `T`.
    fn declare(&self, to: &mut Writer);
    /// A copy, where `T` is a trait object; others are copied through their type.
    fn copy_object(self: Rc<Self>, copier: &mut Copier) -> Result<Rc<dyn NodeOf<T>>, Error>;
}

/// A class that implements the trait of `T`: what turns its nodes into those of the trait object.
#[doc(hidden)]
pub trait Implements<T: ?Sized + Pointee>: NodeOf<T> + Sized {
    type Class: Class;
    fn upcast(node: Rc<Self>) -> Rc<T::Node>;
    fn unsize(value: Box<Self::Class>) -> Box<T>;
    /// Registers it behind a `SyncShared` too, where the trait allows that.
    fn register_sync(_: &mut Classes) {}
    /// The same for what `make` makes of instances of unknown classes.
    fn register_sync_fallback<E: Display>(
        _: impl Fn(Data) -> Result<Self::Class, E> + Send + Sync + 'static,
        _: &mut Classes,
    ) {
    }
}

/// Stands for a trait object where the trait itself can't be named yet: in its own supertraits.
#[doc(hidden)]
pub trait TraitTag: 'static {
    type Object: ?Sized + Pointee;
}

/// What a trait object can be asked: the supertrait that [`class_trait`](crate::class_trait) adds.
#[doc(hidden)]
pub trait InstanceOf<G: TraitTag> {
    fn write_instance(&self, to: &mut Writer) -> Result<(), Error>;
    fn copy_instance(&self, copier: &mut Copier) -> Result<Box<G::Object>, Error>;
}

impl<C: Class, G: TraitTag> InstanceOf<G> for C
where
    Node<C>: Implements<G::Object, Class = C>,
{
    fn write_instance(&self, to: &mut Writer) -> Result<(), Error> {
        to.declare_trait::<C, G::Object>();
        self.write(to)
    }

    fn copy_instance(&self, copier: &mut Copier) -> Result<Box<G::Object>, Error> {
        self.copy(copier).map(|value| <Node<C> as Implements<G::Object>>::unsize(Box::new(value)))
    }
}

/// How instances of one class are restored as one trait object.
pub(super) struct Casts<T: ?Sized + Pointee> {
    pub(super) read_shared: Box<Restore<Rc<T::Node>>>,
    pub(super) read_boxed: Box<Restore<Box<T>>>,
    pub(super) upcast: Upcast<T>,
}

pub(super) type Restore<P> = dyn Fn(&mut Reader<'_>) -> Result<P, Error> + Send + Sync;
type Upcast<T> = fn(&Pointers, Known) -> Option<Rc<<T as Pointee>::Node>>;

impl<T: ?Sized + Pointee> Casts<T> {
    pub(super) fn of<C: Class>() -> Self
    where
        Node<C>: Implements<T, Class = C>,
    {
        Casts {
            read_shared: Box::new(|from| from.shared::<C>().map(Node::<C>::upcast)),
            read_boxed: Box::new(|from| C::read(from).map(|value| Node::<C>::unsize(Box::new(value)))),
            upcast: |pointers, known| pointers.get(known).cloned().map(Node::<C>::upcast),
        }
    }

    /// How an instance of a class that is not known becomes the `C` that `make` makes of it.
    pub(super) fn fallback<C: Class, E: Display>(
        make: impl Fn(Data) -> Result<C, E> + Clone + Send + Sync + 'static,
    ) -> Self
    where
        Node<C>: Implements<T, Class = C>,
    {
        let shared = make.clone();
        Casts {
            read_shared: Box::new(move |from| {
                from.fallback_behind(&shared, |value| Rc::new(Node::from(value))).map(Node::<C>::upcast)
            }),
            read_boxed: Box::new(move |from| from.fallback(&make).map(|value| Node::<C>::unsize(Box::new(value)))),
            upcast: |pointers, known| pointers.get(known).cloned().map(Node::<C>::upcast),
        }
    }
}

/// What a [`Shared`](super::Shared) holds. The mark comes first, beside the counts of the `Rc`, which are looked at too.
#[doc(hidden)]
#[repr(C)]
pub struct Node<T> {
    mark: Mark,
    value: OnceCell<T>,
}

/// What a [`SyncShared`](super::SyncShared) holds.
#[doc(hidden)]
pub struct SyncNode<T> {
    pub(super) value: OnceLock<T>,
}

/// When something was last written, and the identity that it had then. Of one thread, as a `Shared` is.
#[doc(hidden)]
#[derive(Default)]
pub struct Mark(Cell<(u32, u32)>);

impl Mark {
    /// The identity in the message with this number, if it has one there.
    #[inline]
    pub(super) fn identity(&self, message: u32) -> Option<u32> {
        let (marked, identity) = self.0.get();
        (marked == message).then_some(identity)
    }

    #[inline]
    pub(super) fn set(&self, message: u32, identity: u32) {
        self.0.set((message, identity));
    }
}

fn unfinished() -> Error {
    use crate::error::ErrorKind;
    Error::new(ErrorKind::Refused, "a Shared is used whose value is still being restored")
}

impl<T: Field> Target for T {
    fn write_target(&self, to: &mut Writer) -> Result<(), Error> {
        const {
            assert!(
                !matches!(T::IDENTITY, Identity::None),
                "what Rc, Arc and Shared point at is no Option and no pointer"
            )
        };
        if T::IDENTITY == Identity::Boxed {
            to.open_box();
        }
        self.write(to)
    }
}

macro_rules! node {
    ($Node:ident, $Cell:ident, {$($field:ident: $empty:expr)?}, $mark:expr) => {
        impl<T> From<T> for $Node<T> {
            fn from(value: T) -> Self {
                $Node { $($field: $empty,)? value: $Cell::from(value) }
            }
        }

        impl<T> $Node<T> {
            pub(super) fn empty() -> Self {
                $Node { $($field: $empty,)? value: $Cell::new() }
            }

            /// A place is filled once; a second value is dropped.
            pub(super) fn set(&self, value: T) {
                let _ = self.value.set(value);
            }

            pub(super) fn get_mut(&mut self) -> Option<&mut T> {
                self.value.get_mut()
            }

            pub(super) fn into_inner(self) -> Option<T> {
                self.value.into_inner()
            }
        }

        impl<T: Field> Target for $Node<T> {
            fn write_target(&self, to: &mut Writer) -> Result<(), Error> {
                self.value.get().ok_or_else(unfinished)?.write_target(to)
            }

            #[inline]
            fn mark(&self) -> Option<&Mark> {
                let mark: fn(&Self) -> Option<&Mark> = $mark;
                mark(self)
            }
        }

        impl<T: Field> AnyNode for $Node<T> {
            fn fill(&self, from: &mut Reader<'_>) -> Result<(), Error> {
                // Each identity is read once.
                from.target::<T>().map(|value| self.set(value))
            }

            fn copy_to(&self, other: &dyn Any, copier: &mut Copier) -> Result<(), Error> {
                let copy = self.value.get().ok_or_else(unfinished)?.copy(copier)?;
                if let Some(other) = other.downcast_ref::<Self>() {
                    let _ = other.value.set(copy);
                }
                Ok(())
            }
        }
    };
}

node!(Node, OnceCell, { mark: Mark::default() }, |node| Some(&node.mark));
node!(SyncNode, OnceLock, {}, |_| None);

impl<T: Field> NodeOf<T> for Node<T> {
    #[inline]
    fn content(&self) -> Option<&T> {
        self.value.get()
    }

    fn erase(self: Rc<Self>) -> Rc<dyn AnyNode> {
        self
    }

    fn target(self: Rc<Self>) -> Rc<dyn Target> {
        self
    }

    #[inline]
    fn declare(&self, _: &mut Writer) {}

    fn copy_object(self: Rc<Self>, copier: &mut Copier) -> Result<Rc<dyn NodeOf<T>>, Error> {
        copier.shared(&self).map(|copy| copy as Rc<dyn NodeOf<T>>)
    }
}

impl<T: Field> Pointee for T {
    type Node = Node<T>;
    const CONTENT_IDENTITY: Identity = T::IDENTITY;
    const CONTENT_NULLABLE: bool = T::NULLABLE;

    fn pointee_name() -> String {
        T::type_name()
    }

    fn read_shared(from: &mut Reader<'_>) -> Result<Rc<Node<T>>, Error> {
        from.shared::<T>()
    }

    #[inline]
    fn again(pointers: &Pointers, known: Known) -> Option<&Rc<Node<T>>> {
        pointers.get(known)
    }

    fn copy_shared(node: &Rc<Node<T>>, copier: &mut Copier) -> Result<Rc<Node<T>>, Error> {
        copier.shared(node)
    }

    fn write_boxed(&self, to: &mut Writer) -> Result<(), Error> {
        self.write(to)
    }

    fn read_boxed(from: &mut Reader<'_>) -> Result<Box<T>, Error> {
        T::read(from).map(Box::new)
    }

    fn copy_boxed(&self, copier: &mut Copier) -> Result<Box<T>, Error> {
        self.copy(copier).map(Box::new)
    }
}

/// The engine's part of `class_trait`: what a trait object's `Pointee` does.
#[doc(hidden)]
pub fn read_shared_object<T: ?Sized + Pointee>(from: &mut Reader<'_>) -> Result<Rc<T::Node>, Error> {
    from.shared_object::<T>()
}

#[doc(hidden)]
pub fn read_boxed_object<T: ?Sized + Pointee>(from: &mut Reader<'_>) -> Result<Box<T>, Error> {
    from.boxed_object::<T>()
}

#[doc(hidden)]
pub fn copy_shared_as<C: Class, T: ?Sized + Pointee>(
    node: Rc<Node<C>>,
    copier: &mut Copier,
) -> Result<Rc<T::Node>, Error>
where
    Node<C>: Implements<T, Class = C>,
{
    copier.shared(&node).map(Node::<C>::upcast)
}

#[doc(hidden)]
pub fn declare<C: Class, T: ?Sized + Pointee>(to: &mut Writer)
where
    Node<C>: Implements<T, Class = C>,
{
    to.declare_trait::<C, T>();
}

/// Registers a class as an implementor, as a function without captures.
pub(super) fn register_cast<C: Class, T: ?Sized + Pointee>(classes: &mut Classes)
where
    Node<C>: Implements<T, Class = C>,
{
    classes.cast::<C, T>();
}

/// A wrapper around a primitive, so that it has an identity.
impl Writer {
    fn open_box(&mut self) {
        self.message.structure.push(tag::BOXED);
        self.message.identities += 1;
    }
}

//! What a `SyncShared` can point at: `node` for several threads.

use std::any::{Any, TypeId};
use std::fmt::Display;
use std::sync::Arc;

use super::known::{Known, Pointers};
use super::node::{AnyNode, Pointee, Restore, SyncNode, Target};
use super::{Class, Classes, Copier, Data, Field, Reader, Writer};
use crate::error::Error;

/// What can be behind a [`SyncShared`](super::SyncShared): any field, or a trait object whose trait is declared with
/// [`class_trait`](crate::class_trait) and has `Send` and `Sync` as supertraits.
pub trait SyncPointee: Pointee {
    /// What the pointer holds.
    #[doc(hidden)]
    type SyncNode: ?Sized + SyncNodeOf<Self>;
    #[doc(hidden)]
    fn read_sync(from: &mut Reader<'_>) -> Result<Arc<Self::SyncNode>, Error>;
    /// What has been read before, if it can be told without a registry that it is of this type.
    #[doc(hidden)]
    #[inline]
    fn again_sync(_: &Pointers, _: Known) -> Option<&Arc<Self::SyncNode>> {
        None
    }
    #[doc(hidden)]
    fn copy_sync(node: &Arc<Self::SyncNode>, copier: &mut Copier) -> Result<Arc<Self::SyncNode>, Error>;
}

/// A node whose content is a `T`, which may be a trait object.
#[doc(hidden)]
pub trait SyncNodeOf<T: ?Sized + SyncPointee>: AnyNode {
    fn content(&self) -> Option<&T>;
    fn erase(self: Arc<Self>) -> Arc<dyn Any>;
    fn target(self: Arc<Self>) -> Arc<dyn Target>;
    /// Says to the writer that values of this type are met as `T`.
    fn declare(&self, to: &mut Writer);
    /// A copy, where `T` is a trait object; others are copied through their type.
    fn copy_object(self: Arc<Self>, copier: &mut Copier) -> Result<Arc<T::SyncNode>, Error>;
}

/// A class that implements the trait of `T`.
#[doc(hidden)]
pub trait SyncImplements<T: ?Sized + SyncPointee>: SyncNodeOf<T> + Sized {
    fn upcast(node: Arc<Self>) -> Arc<T::SyncNode>;
}

/// How instances of one class are restored as one trait object.
pub(super) struct SyncCasts<T: ?Sized + SyncPointee> {
    pub(super) read: Box<Restore<Arc<T::SyncNode>>>,
    pub(super) upcast: Upcast<T>,
}

type Upcast<T> = fn(&Pointers, Known) -> Option<Arc<<T as SyncPointee>::SyncNode>>;

/// Stands for the pointer in what is registered for a trait object.
pub(super) struct Sync<T: ?Sized>(std::marker::PhantomData<T>);

impl<T: ?Sized + SyncPointee> SyncCasts<T> {
    fn new<C: Class>(read: Box<Restore<Arc<T::SyncNode>>>) -> Self
    where
        SyncNode<C>: SyncImplements<T>,
    {
        SyncCasts { read, upcast: |pointers, known| pointers.get(known).cloned().map(SyncNode::<C>::upcast) }
    }
}

/// The engine's part of `class_trait`: instances of `C` as `SyncShared` of the trait object.
#[doc(hidden)]
pub fn register_sync<C: Class, T: ?Sized + SyncPointee>(classes: &mut Classes)
where
    SyncNode<C>: SyncImplements<T>,
{
    let casts = SyncCasts::<T>::new::<C>(Box::new(|from| from.sync_shared::<C>().map(SyncNode::<C>::upcast)));
    classes.insert_casts(
        (TypeId::of::<C>(), TypeId::of::<Arc<SyncNode<C>>>()),
        TypeId::of::<Sync<T>>(),
        Arc::new(casts),
    );
}

/// The same of instances of unknown classes, of which `make` makes a `C`.
#[doc(hidden)]
pub fn register_sync_fallback<C: Class, T: ?Sized + SyncPointee, E: Display>(
    make: impl Fn(Data) -> Result<C, E> + Send + std::marker::Sync + 'static,
    classes: &mut Classes,
) where
    SyncNode<C>: SyncImplements<T>,
{
    let read = move |from: &mut Reader<'_>| {
        from.fallback_behind(&make, |value| Arc::new(SyncNode::from(value))).map(SyncNode::<C>::upcast)
    };
    let casts = SyncCasts::<T>::new::<C>(Box::new(read));
    classes.insert_fallback(TypeId::of::<Sync<T>>(), Arc::new(casts));
}

#[doc(hidden)]
pub fn declare_sync<C: Class, T: ?Sized + SyncPointee>(to: &mut Writer)
where
    SyncNode<C>: SyncImplements<T>,
{
    to.declare::<C, Sync<T>>(register_sync::<C, T>);
}

#[doc(hidden)]
pub fn read_sync_object<T: ?Sized + SyncPointee>(from: &mut Reader<'_>) -> Result<Arc<T::SyncNode>, Error> {
    from.sync_object::<T>()
}

#[doc(hidden)]
pub fn copy_sync_as<C: Class, T: ?Sized + SyncPointee>(
    node: Arc<SyncNode<C>>,
    copier: &mut Copier,
) -> Result<Arc<T::SyncNode>, Error>
where
    SyncNode<C>: SyncImplements<T>,
{
    copier.sync_shared(&node).map(SyncNode::<C>::upcast)
}

impl<T: Field> SyncPointee for T {
    type SyncNode = SyncNode<T>;

    fn read_sync(from: &mut Reader<'_>) -> Result<Arc<SyncNode<T>>, Error> {
        from.sync_shared::<T>()
    }

    #[inline]
    fn again_sync(pointers: &Pointers, known: Known) -> Option<&Arc<SyncNode<T>>> {
        pointers.get(known)
    }

    fn copy_sync(node: &Arc<SyncNode<T>>, copier: &mut Copier) -> Result<Arc<SyncNode<T>>, Error> {
        copier.sync_shared(node)
    }
}

impl<T: Field> SyncNodeOf<T> for SyncNode<T> {
    fn content(&self) -> Option<&T> {
        self.value.get()
    }

    fn erase(self: Arc<Self>) -> Arc<dyn Any> {
        self
    }

    fn target(self: Arc<Self>) -> Arc<dyn Target> {
        self
    }

    fn declare(&self, _: &mut Writer) {}

    fn copy_object(self: Arc<Self>, copier: &mut Copier) -> Result<Arc<SyncNode<T>>, Error> {
        copier.sync_shared(&self)
    }
}

//! Reading pointers: each identity is read once, and all pointers to it are made of the one that was first.

use std::any::{Any, TypeId};
use std::fmt::Display;
use std::rc::Rc;
use std::sync::Arc;

use super::node::{Casts, Node, Pointee, SyncNode};
use super::read::{self, Known, Place, Reader, Waiting};
use super::sync_node::{Sync, SyncCasts, SyncPointee};
use super::{Class, Data, Field, Identity, Rest, custom};
use crate::error::{Error, ErrorKind, Fault};
use crate::wire::tag;

/// What pointers lead to is read by recursion up to this depth.
const MAX_POINTER_DEPTH: u32 = 24;

const NONE: u32 = u32::MAX;

/// What stands where a pointer is read.
enum Found {
    /// Something that is known already, or has just been read.
    Known(Known),
    /// A value that takes this identity; [`NONE`] for a primitive, which takes none.
    New(u32),
}

impl<'a> Reader<'a> {
    /// The object that comes next, as the content of a [`Shared`](super::Shared).
    #[inline]
    pub(super) fn shared<T: Field>(&mut self) -> Result<Rc<Node<T>>, Error> {
        let at = self.source.structure.offset();
        let new = |node: &Rc<Node<T>>| (Known::Rc(node.clone()), read::Node::Rc(node.clone()));
        let id = match self.find::<T>(at, |from| from.shared::<T>().map(|node| Known::Rc(node)))? {
            Found::New(id) => id,
            Found::Known(Known::Rc(any)) => return any.downcast().map_err(|_| self.wrong_type::<T>(at)),
            Found::Known(_) => return Err(self.wrong_type::<T>(at)),
        };
        let node = Rc::new(Node::empty());
        if let Some(value) = self.content(id, || new(&node))? {
            node.set(value);
        }
        Ok(node)
    }

    /// The object that comes next, as the content of a [`SyncShared`](super::SyncShared).
    pub(super) fn sync_shared<T: Field>(&mut self) -> Result<Arc<SyncNode<T>>, Error> {
        let at = self.source.structure.offset();
        let new = |node: &Arc<SyncNode<T>>| (known_arc(node), read::Node::Arc(node.clone()));
        let id = match self.find::<T>(at, |from| from.sync_shared::<T>().map(|node| known_arc(&node)))? {
            Found::New(id) => id,
            Found::Known(known) => return as_arc(known).ok_or_else(|| self.wrong_type::<T>(at)),
        };
        let node = Arc::new(SyncNode::empty());
        if let Some(value) = self.content(id, || new(&node))? {
            let _ = node.value.set(value);
        }
        Ok(node)
    }

    /// The object that a reference refers to, if one comes next and to an object that is known as such.
    #[inline(always)]
    pub(super) fn again<T: ?Sized + Pointee>(&mut self, rest: &mut Rest<'a>) -> Option<Rc<T::Node>> {
        let (id, after) = rest.reference()?;
        match self.known.get(id as usize)? {
            Known::Rc(known) if id < u64::from(self.identities) => {
                let node = T::again(known)?;
                *rest = after;
                Some(node)
            }
            _ => None,
        }
    }

    /// The object that comes next behind an `Rc`, which can't be made before its content.
    pub(super) fn counted<T: Field>(&mut self) -> Result<Rc<T>, Error> {
        let at = self.source.structure.offset();
        match self.find::<T>(at, |from| from.counted::<T>().map(|value| Known::Rc(value)))? {
            Found::New(id) => {
                let value = Rc::new(self.closed_content::<T>(id)?);
                self.learn(id, || Known::Rc(value.clone()));
                Ok(value)
            }
            Found::Known(Known::Rc(any)) => any.downcast().map_err(|_| self.wrong_type::<T>(at)),
            Found::Known(_) => Err(self.wrong_type::<T>(at)),
        }
    }

    /// The object that comes next behind an `Arc`.
    pub(super) fn counted_sync<T: Field>(&mut self) -> Result<Arc<T>, Error> {
        let at = self.source.structure.offset();
        match self.find::<T>(at, |from| from.counted_sync::<T>().map(|value| known_arc(&value)))? {
            Found::New(id) => {
                let value = Arc::new(self.closed_content::<T>(id)?);
                self.learn(id, || known_arc(&value));
                Ok(value)
            }
            Found::Known(known) => as_arc(known).ok_or_else(|| self.wrong_type::<T>(at)),
        }
    }

    /// The instance that comes next, as a trait object that its class is registered for.
    pub(super) fn shared_object<T: ?Sized + Pointee>(&mut self) -> Result<Rc<T::Node>, Error> {
        let at = self.source.structure.offset();
        if self.peek()? != tag::REFERENCE {
            return (self.casts::<T, Casts<T>>(TypeId::of::<T>(), at)?.read_shared)(self);
        }
        let (again, upcast) = (Self::shared_object::<T>, |casts: &Casts<T>, any| (casts.upcast)(any));
        self.object_again::<T, Casts<T>, _>(TypeId::of::<T>(), at, again, upcast)
    }

    /// The same behind a [`SyncShared`](super::SyncShared).
    pub(super) fn sync_object<T: ?Sized + SyncPointee>(&mut self) -> Result<Arc<T::SyncNode>, Error> {
        let at = self.source.structure.offset();
        let object = TypeId::of::<Sync<T>>();
        if self.peek()? != tag::REFERENCE {
            return (self.casts::<T, SyncCasts<T>>(object, at)?.read)(self);
        }
        let (again, upcast) = (Self::sync_object::<T>, |casts: &SyncCasts<T>, any| (casts.upcast)(any));
        self.object_again::<T, SyncCasts<T>, _>(object, at, again, upcast)
    }

    /// What the reference at `at` leads to, as a trait object: `again` reads what was passed over.
    fn object_again<T: ?Sized + Pointee, C: Any, P>(
        &mut self,
        object: TypeId,
        at: usize,
        again: impl FnOnce(&mut Self) -> Result<P, Error>,
        upcast: impl FnOnce(&C, Rc<dyn Any>) -> Option<P>,
    ) -> Result<P, Error> {
        self.source.structure.u8()?;
        let id = self.reference(at)?;
        let any = match self.known.get(id).cloned().unwrap_or_default() {
            Known::Rc(any) => any,
            Known::Nothing => return self.elsewhere(id, at, again),
            _ => return Err(self.wrong_object::<T>(at)),
        };
        let casts = self.classes.casts_of_node::<C>((*any).type_id(), object);
        casts.and_then(|casts| upcast(casts, any)).ok_or_else(|| self.wrong_object::<T>(at))
    }

    /// The instance that comes next, owned, as a trait object that its class is registered for.
    pub(super) fn boxed_object<T: ?Sized + Pointee>(&mut self) -> Result<Box<T>, Error> {
        let at = self.source.structure.offset();
        (self.casts::<T, Casts<T>>(TypeId::of::<T>(), at)?.read_boxed)(self)
    }

    /// The instance of an unknown class that comes next, as what `make` makes of it.
    pub(super) fn fallback<C: Class, E: Display>(&mut self, make: &impl Fn(Data) -> Result<C, E>) -> Result<C, Error> {
        let at = self.source.structure.offset();
        make(Data::read(self)?).map_err(|reason| custom::refused::<C>(&reason, at))
    }

    /// The same, behind a pointer.
    pub(super) fn shared_fallback<C: Class, E: Display>(
        &mut self,
        make: &impl Fn(Data) -> Result<C, E>,
    ) -> Result<Rc<Node<C>>, Error> {
        let at = self.source.structure.offset();
        match self.find::<C>(at, |from| from.shared_fallback(make).map(|node| Known::Rc(node)))? {
            Found::New(id) => {
                let node = Rc::new(Node::from(self.fallback(make)?));
                self.learn(id, || Known::Rc(node.clone()));
                Ok(node)
            }
            Found::Known(Known::Rc(any)) => any.downcast().map_err(|_| self.wrong_type::<C>(at)),
            Found::Known(_) => Err(self.wrong_type::<C>(at)),
        }
    }

    /// The same, behind a pointer for several threads.
    pub(super) fn sync_fallback<C: Class, E: Display>(
        &mut self,
        make: &impl Fn(Data) -> Result<C, E>,
    ) -> Result<Arc<SyncNode<C>>, Error> {
        let at = self.source.structure.offset();
        match self.find::<C>(at, |from| from.sync_fallback(make).map(|node| known_arc(&node)))? {
            Found::New(id) => {
                let node = Arc::new(SyncNode::from(self.fallback(make)?));
                self.learn(id, || known_arc(&node));
                Ok(node)
            }
            Found::Known(known) => as_arc(known).ok_or_else(|| self.wrong_type::<C>(at)),
        }
    }

    /// How the instance at `at` becomes a trait object.
    fn casts<T: ?Sized + Pointee, C: Any>(&mut self, trait_id: TypeId, at: usize) -> Result<&'a C, Error> {
        let opened = self.peek_shape(&T::pointee_name)?;
        let classes = self.classes;
        let casts = match self.plans[opened as usize].casts {
            Some((known, casts)) if known == trait_id => casts,
            _ => {
                let name = self.class_name(opened).unwrap_or_default();
                let fallback = || classes.fallback_of(trait_id).filter(|_| !name.is_empty() && !classes.has_name(name));
                let casts = classes.casts_of_name(name, trait_id).or_else(fallback).ok_or_else(|| {
                    let kind = if classes.has_name(name) { ErrorKind::WrongType } else { ErrorKind::UnknownClass };
                    let detail = format!("{name} is not registered as a {}", T::pointee_name());
                    Error::new(kind, detail).at_offset(at)
                })?;
                self.plans[opened as usize].casts = Some((trait_id, casts));
                casts
            }
        };
        casts.downcast_ref::<C>().ok_or_else(|| Fault::new(ErrorKind::WrongType, at).into())
    }

    /// The content of a pointer: reads what a wrapper around a primitive holds, or the object.
    pub(super) fn target<T: Field>(&mut self) -> Result<T, Error> {
        self.filling = self.identities;
        if T::IDENTITY == Identity::Boxed {
            let at = self.source.structure.offset();
            if self.peek()? == tag::BOXED {
                self.source.structure.u8()?;
                self.take_identity(at)?;
            }
        }
        T::read(self)
    }

    /// What the pointer at `at` leads to. `again` reads a pointer of the same type from where something begins that was
    /// passed over.
    #[inline]
    fn find<T: Field>(
        &mut self,
        at: usize,
        again: impl FnOnce(&mut Self) -> Result<Known, Error>,
    ) -> Result<Found, Error> {
        const {
            assert!(
                !matches!(T::IDENTITY, Identity::None),
                "what Rc, Arc and Shared point at is no Option and no pointer"
            )
        };
        let tag = self.peek()?;
        if tag != tag::REFERENCE {
            if T::IDENTITY == Identity::Boxed && tag != tag::BOXED {
                return Ok(Found::New(NONE));
            }
            let id = self.identities;
            return match self.known.get(id as usize) {
                None | Some(Known::Nothing) => Ok(Found::New(id)),
                // A reference led here before: the object is known, or being read.
                Some(known) => {
                    let known = known.clone();
                    self.skim()?;
                    Ok(Found::Known(known))
                }
            };
        }
        self.source.structure.u8()?;
        let id = self.reference(at)?;
        match self.known.get(id).cloned().unwrap_or_default() {
            Known::Nothing => self.elsewhere(id, at, again).map(Found::Known),
            Known::Open => {
                let detail = format!("a cycle through an Rc or Arc of {}; hold it through Shared", T::type_name());
                Err(Error::new(ErrorKind::CyclicValue, detail).at_offset(at))
            }
            known => Ok(Found::Known(known)),
        }
    }

    /// The identity that a reference whose tag has been read refers to.
    fn reference(&mut self, at: usize) -> Result<usize, Error> {
        if !self.source.refs {
            return Err(Fault::new(ErrorKind::BadReference, at).into());
        }
        let id = self.source.structure.varint()?;
        usize::try_from(id)
            .ok()
            .filter(|&id| id < self.identities as usize)
            .ok_or_else(|| Fault::new(ErrorKind::BadReference, at).into())
    }

    /// Reads something that was passed over, and comes back.
    fn elsewhere<T>(
        &mut self,
        id: usize,
        at: usize,
        read: impl FnOnce(&mut Self) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let start = match self.extents.get(id) {
            Some(extent) if extent.end.is_some() => extent.start,
            // It has been read, and not as something that can be referred to.
            _ => return Err(self.wrong_reference(at)),
        };
        let here = self.place();
        self.go(start);
        let value = self.nested(read)?;
        self.go(here);
        Ok(value)
    }

    /// The content that takes identity `id`; `None` where it is too deep and is read later.
    #[inline]
    fn content<T: Field>(&mut self, id: u32, new: impl Fn() -> (Known, read::Node)) -> Result<Option<T>, Error> {
        if self.depth >= MAX_POINTER_DEPTH {
            let (known, node) = new();
            let at: Place = self.place();
            self.learn(id, || known);
            self.skim()?;
            self.waiting.push(Waiting { at, node });
            return Ok(None);
        }
        self.learn(id, || new().0);
        self.depth += 1;
        let value = self.target::<T>()?;
        self.depth -= 1;
        Ok(Some(value))
    }

    /// The content of something that can be referred to only when it is complete.
    fn closed_content<T: Field>(&mut self, id: u32) -> Result<T, Error> {
        self.learn(id, || Known::Open);
        self.nested(Self::target::<T>)
    }

    #[inline]
    fn learn(&mut self, id: u32, known: impl FnOnce() -> Known) {
        if !self.source.refs || id == NONE {
        } else if self.known.len() == id as usize {
            self.known.push(known());
        } else {
            *self.known_mut(id as usize) = known();
        }
    }

    #[cold]
    fn wrong_type<T: Field>(&self, at: usize) -> Error {
        let detail = format!("a reference to something that is no {} here, or is held in another way", T::type_name());
        Error::new(ErrorKind::WrongType, detail).at_offset(at)
    }

    #[cold]
    fn wrong_object<T: ?Sized + Pointee>(&self, at: usize) -> Error {
        let detail = format!("a reference to something that is not registered as a {}", T::pointee_name());
        Error::new(ErrorKind::WrongType, detail).at_offset(at)
    }
}

/// An `Arc` is known through an `Rc`, as only the latter can become what it was.
fn known_arc<T: Any>(arc: &Arc<T>) -> Known {
    Known::Rc(Rc::new(arc.clone()))
}

fn as_arc<T: Any>(known: Known) -> Option<Arc<T>> {
    match known {
        Known::Rc(any) => any.downcast::<Arc<T>>().ok().map(|arc| Arc::clone(&arc)),
        _ => None,
    }
}

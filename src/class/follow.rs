//! Reading pointers: each identity is read once, and all pointers to it are made of the one that was first.

use std::any::{Any, TypeId};
use std::fmt::Display;
use std::rc::Rc;
use std::sync::Arc;

use super::known::{Known, Pointers};
use super::node::{Casts, Node, Pointee, SyncNode};
use super::read::{self, Place, Reader, Waiting};
use super::sync_node::{Sync, SyncCasts, SyncPointee};
use super::{Class, Data, Field, Identity, Rest, custom};
use crate::error::{Error, ErrorKind, Fault};
use crate::wire::tag;

/// What pointers lead to is read by recursion up to this depth.
const MAX_POINTER_DEPTH: u32 = 24;

const NONE: u32 = u32::MAX;

/// What stands where a pointer is read.
enum Found<P> {
    /// Something that is known already, or has just been read.
    Known(P),
    /// A value that takes this identity; [`NONE`] for a primitive, which takes none.
    New(u32),
}

impl<'a> Reader<'a> {
    /// The object that comes next, as the content of a [`Shared`](super::Shared).
    #[inline]
    pub(super) fn shared<T: Field>(&mut self) -> Result<Rc<Node<T>>, Error> {
        let id = match self.find::<T, _>(Self::shared::<T>)? {
            Found::New(id) => id,
            Found::Known(node) => return Ok(node),
        };
        let node = Rc::new(Node::empty());
        if let Some(value) = self.content(id, &node, |node| read::Node::Rc(node))? {
            node.set(value);
        }
        Ok(node)
    }

    /// The object that comes next, as the content of a [`SyncShared`](super::SyncShared).
    pub(super) fn sync_shared<T: Field>(&mut self) -> Result<Arc<SyncNode<T>>, Error> {
        let id = match self.find::<T, _>(Self::sync_shared::<T>)? {
            Found::New(id) => id,
            Found::Known(node) => return Ok(node),
        };
        let node = Arc::new(SyncNode::empty());
        if let Some(value) = self.content(id, &node, |node| read::Node::Arc(node))? {
            node.set(value);
        }
        Ok(node)
    }

    /// What a reference refers to, if one comes next and to something that is known as what the pointer points at.
    #[inline(always)]
    pub(super) fn again<P>(
        &self,
        rest: &mut Rest<'a>,
        pointer: impl FnOnce(&Pointers, Known) -> Option<P>,
    ) -> Option<P> {
        let (id, after) = rest.reference()?;
        let &known = self.known.get(id as usize)?;
        if id >= u64::from(self.identities) {
            return None;
        }
        let pointer = pointer(&self.pointers, known)?;
        *rest = after;
        Some(pointer)
    }

    /// The object that comes next behind an `Rc` or `Arc`, which `wrap` makes when its content has been read.
    pub(super) fn counted<T: Field, P: Any + Clone>(&mut self, wrap: fn(T) -> P) -> Result<P, Error> {
        match self.find::<T, P>(|from| from.counted(wrap))? {
            Found::New(id) => {
                self.note(id, |_| Known::Open);
                let value = wrap(self.nested(Self::target::<T>)?);
                self.learn(id, &value);
                Ok(value)
            }
            Found::Known(value) => Ok(value),
        }
    }

    /// The instance that comes next, as a trait object that its class is registered for.
    pub(super) fn shared_object<T: ?Sized + Pointee>(&mut self) -> Result<Rc<T::Node>, Error> {
        let at = self.source.structure.offset();
        if self.peek()? != tag::REFERENCE {
            return (self.casts::<T, Casts<T>>(TypeId::of::<T>(), at)?.read_shared)(self);
        }
        let (again, upcast) =
            (Self::shared_object::<T>, |casts: &Casts<T>, pointers: &_, known| (casts.upcast)(pointers, known));
        self.object_again::<T, Casts<T>, _>(TypeId::of::<T>(), at, again, upcast)
    }

    /// The same behind a [`SyncShared`](super::SyncShared).
    pub(super) fn sync_object<T: ?Sized + SyncPointee>(&mut self) -> Result<Arc<T::SyncNode>, Error> {
        let at = self.source.structure.offset();
        let object = TypeId::of::<Sync<T>>();
        if self.peek()? != tag::REFERENCE {
            return (self.casts::<T, SyncCasts<T>>(object, at)?.read)(self);
        }
        let (again, upcast) =
            (Self::sync_object::<T>, |casts: &SyncCasts<T>, pointers: &_, known| (casts.upcast)(pointers, known));
        self.object_again::<T, SyncCasts<T>, _>(object, at, again, upcast)
    }

    /// What the reference at `at` leads to, as a trait object: `again` reads what was passed over.
    fn object_again<T: ?Sized + Pointee, C: Any, P>(
        &mut self,
        object: TypeId,
        at: usize,
        again: impl FnOnce(&mut Self) -> Result<P, Error>,
        upcast: impl FnOnce(&C, &Pointers, Known) -> Option<P>,
    ) -> Result<P, Error> {
        self.source.structure.u8()?;
        let id = self.reference(at)?;
        let known = self.known.get(id).copied().unwrap_or_default();
        if known == Known::Nothing {
            return self.elsewhere(id, at, again);
        }
        let casts =
            self.pointers.type_of(known).and_then(|pointer| self.classes.casts_of_pointer::<C>(pointer, object));
        let object = casts.and_then(|casts| upcast(casts, &self.pointers, known));
        object.ok_or_else(|| self.wrong_object::<T>(at))
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

    /// The same, behind a pointer, which `wrap` makes.
    pub(super) fn fallback_behind<C: Class, E: Display, P: Any + Clone>(
        &mut self,
        make: &impl Fn(Data) -> Result<C, E>,
        wrap: fn(C) -> P,
    ) -> Result<P, Error> {
        match self.find::<C, P>(|from| from.fallback_behind(make, wrap))? {
            Found::New(id) => {
                let pointer = wrap(self.fallback(make)?);
                self.learn(id, &pointer);
                Ok(pointer)
            }
            Found::Known(pointer) => Ok(pointer),
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

    /// What the pointer that comes next leads to. `again` reads a pointer of the same type from where something begins
    /// that was passed over.
    #[inline]
    fn find<T: Field, P: Any + Clone>(
        &mut self,
        again: impl FnOnce(&mut Self) -> Result<P, Error>,
    ) -> Result<Found<P>, Error> {
        const {
            assert!(
                !matches!(T::IDENTITY, Identity::None),
                "what Rc, Arc and Shared point at is no Option and no pointer"
            )
        };
        let at = self.source.structure.offset();
        let tag = self.peek()?;
        let known = if tag == tag::REFERENCE {
            self.source.structure.u8()?;
            let id = self.reference(at)?;
            match self.known.get(id).copied().unwrap_or_default() {
                Known::Nothing => return self.elsewhere(id, at, again).map(Found::Known),
                Known::Open => {
                    let detail = format!("a cycle through an Rc or Arc of {}; hold it through Shared", T::type_name());
                    return Err(Error::new(ErrorKind::CyclicValue, detail).at_offset(at));
                }
                known => known,
            }
        } else if T::IDENTITY == Identity::Boxed && tag != tag::BOXED {
            return Ok(Found::New(NONE));
        } else {
            let id = self.identities;
            match self.known.get(id as usize) {
                None | Some(Known::Nothing) => return Ok(Found::New(id)),
                // A reference led here before: the object is known, or being read.
                Some(&known) => {
                    self.skim()?;
                    known
                }
            }
        };
        match self.pointers.get::<P>(known) {
            Some(pointer) => Ok(Found::Known(pointer.clone())),
            None => Err(self.wrong_type::<T>(at)),
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

    /// The content that takes identity `id`, of what `pointer` points at; `None` where it is too deep and is read later.
    #[inline]
    fn content<T: Field, P: Any + Clone>(
        &mut self,
        id: u32,
        pointer: &P,
        waiting: impl FnOnce(P) -> read::Node,
    ) -> Result<Option<T>, Error> {
        self.learn(id, pointer);
        if self.depth >= MAX_POINTER_DEPTH {
            let at: Place = self.place();
            self.skim()?;
            self.waiting.push(Waiting { at, node: waiting(pointer.clone()) });
            return Ok(None);
        }
        self.depth += 1;
        let value = self.target::<T>()?;
        self.depth -= 1;
        Ok(Some(value))
    }

    #[inline]
    fn learn<P: Any + Clone>(&mut self, id: u32, pointer: &P) {
        self.note(id, |pointers| pointers.add(pointer.clone()));
    }

    #[inline]
    fn note(&mut self, id: u32, known: impl FnOnce(&mut Pointers) -> Known) {
        if !self.source.refs || id == NONE {
            return;
        }
        let known = known(&mut self.pointers);
        if self.known.len() == id as usize {
            self.known.push(known);
        } else {
            *self.known_mut(id as usize) = known;
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

//! Class values to the wire, with no graph in between.
//!
//! A class writes its fields one after the other. What a pointer leads to is written in place, by recursion up to a
//! fixed depth; what lies deeper waits (`defer`), so that no chain of pointers overflows the stack.

use std::any::TypeId;
use std::hash::{Hash, Hasher};
use std::rc::Rc;
use std::sync::Arc;

use foldhash::fast::RandomState;
use hashbrown::HashMap;

use super::defer::Deferred;
use super::describe::Description;
use super::node::{Implements, Node, Pointee, Target, register_cast};
use super::{Class, Classes, Field};
use crate::error::{Error, ErrorKind};
use crate::graph::{MIN_PACKED, packed_kind, push_element};
use crate::wire::message::Message;
use crate::wire::shapes::ShapeId;
use crate::wire::splice;
use crate::wire::{ElementKind, structure, tag, varint};

/// Writes the fields of class values: what a [`Field`] is given to write itself with.
pub struct Writer {
    pub(super) message: Message,
    /// Identities by address.
    met: HashMap<usize, u32, RandomState>,
    shapes: Shapes,
    traits: Vec<(TypeId, TypeId)>,
    /// The classes that have been written.
    pub(super) classes: Classes,
    pub(super) mode: Mode,
    pub(super) deferred: Deferred,
    /// How deeply the values lie in one another that are being written.
    pub(super) depth: u32,
}

/// Where what is written goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    /// To the message.
    Direct,
    /// Aside, behind something that waits: no identity and no shape can be numbered yet.
    Aside,
    /// Nowhere: the bytes only give an order.
    Order,
}

/// A pointer to something that waits to be written.
pub(super) enum Handle {
    Rc(Rc<dyn Target>),
    Arc(Arc<dyn Target>),
}

/// What pointers lead to is written by recursion up to this depth.
const MAX_POINTER_DEPTH: u32 = 32;

/// Values that are not behind pointers lie at most this deep in one another.
pub(super) const MAX_DEPTH: u32 = 128;

impl Writer {
    /// A writer that knows the transformers of `known`.
    pub(super) fn new(known: &Classes) -> Self {
        let mut message = Message::default();
        message.start();
        Writer {
            message,
            met: HashMap::default(),
            shapes: Shapes::default(),
            traits: Vec::new(),
            classes: known.without_classes(),
            mode: Mode::Direct,
            deferred: Deferred::default(),
            depth: 0,
        }
    }

    /// Writes the root with all it leads to.
    pub(super) fn root<T: Field>(&mut self, root: &T) -> Result<(), Error> {
        root.write(self)?;
        self.finish_deferred()
    }

    pub(super) fn into_parts(self) -> (Message, Classes) {
        (self.message, self.classes)
    }

    /// The tag of an instance; its fields follow.
    #[doc(hidden)]
    #[inline]
    pub fn instance<T: Class>(&mut self, form: usize) -> Result<(), Error> {
        let id = match self.shapes.recent(TypeId::of::<T>(), form) {
            Some(id) => id,
            None => self.shape::<T>(form)?,
        };
        self.shape_tag(id, form);
        Ok(())
    }

    #[inline]
    fn shape_tag(&mut self, id: ShapeId, form: usize) {
        match self.mode {
            Mode::Direct => {
                let number = self.message.shapes.number(id);
                structure::object(&mut self.message.structure, number);
            }
            Mode::Aside => self.shape_aside(id),
            Mode::Order => varint::write(&mut self.message.structure, form as u64),
        }
        self.message.identities += 1;
    }

    /// The tag of an instance that extends a built-in; the base and the fields follow.
    #[doc(hidden)]
    pub fn derived<T: Class>(&mut self, form: usize) -> Result<(), Error> {
        self.instance::<T>(form)
    }

    /// A value that waits or refers to itself, by the address that identifies it.
    #[inline]
    pub(super) fn pointer<N: Target + ?Sized>(
        &mut self,
        address: usize,
        target: &N,
        handle: impl FnOnce() -> Handle,
    ) -> Result<(), Error> {
        if self.mode != Mode::Direct {
            self.wait(handle());
            return Ok(());
        }
        if let Some(&identity) = self.met.get(&address) {
            self.message.refs = true;
            structure::tagged(&mut self.message.structure, tag::REFERENCE, u64::from(identity));
            return Ok(());
        }
        if self.depth >= MAX_POINTER_DEPTH {
            self.wait(handle());
            return Ok(());
        }
        self.met.insert(address, self.message.identities);
        self.depth += 1;
        target.write_target(self)?;
        self.depth -= 1;
        Ok(())
    }

    /// One level deeper into values that are not behind pointers.
    ///
    /// # Errors
    ///
    /// `limit-exceeded` beyond the depth that such values may have.
    #[doc(hidden)]
    #[inline]
    pub fn nested(&mut self, write: impl FnOnce(&mut Self) -> Result<(), Error>) -> Result<(), Error> {
        if self.depth >= MAX_DEPTH {
            return Err(too_deep());
        }
        self.depth += 1;
        write(self)?;
        self.depth -= 1;
        Ok(())
    }

    /// `null`.
    pub(super) fn null(&mut self) -> Result<(), Error> {
        self.message.structure.push(tag::NULL);
        Ok(())
    }

    /// The tag and count of an array, Map or Set; its values follow.
    pub(super) fn container(&mut self, container: u8, len: usize) {
        if container == tag::ARRAY {
            structure::array(&mut self.message.structure, len);
        } else {
            structure::tagged(&mut self.message.structure, container, len as u64);
        }
        self.message.identities += 1;
    }

    /// A value that is a message by itself.
    pub(super) fn message(&mut self, bytes: Vec<u8>) -> Result<(), Error> {
        match self.mode {
            Mode::Direct => splice::append(&mut self.message, &bytes)?,
            Mode::Aside => self.message_aside(bytes),
            Mode::Order => self.message.structure.extend_from_slice(&bytes),
        }
        Ok(())
    }

    /// A payload, after the operands of its tag.
    pub(super) fn payload(&mut self, align: usize, bytes: &[u8]) {
        match self.mode {
            Mode::Direct => self.message.payload(align, bytes),
            Mode::Aside => self.payload_aside(align, bytes),
            Mode::Order => self.message.structure.extend_from_slice(bytes),
        }
    }

    /// An array: packed where all elements are numbers and that pays off.
    pub(super) fn array<T: Field>(&mut self, items: &[T]) -> Result<(), Error> {
        self.array_of(items.len(), || items.iter())
    }

    /// The same of elements that do not lie behind one another.
    pub(super) fn array_of<'t, T: Field, I: DoubleEndedIterator<Item = &'t T>>(
        &mut self,
        len: usize,
        items: impl Fn() -> I,
    ) -> Result<(), Error> {
        let numbers = || items().filter_map(T::as_number);
        // The last element is looked at first: most arrays that are not of numbers are found out at once.
        if len >= MIN_PACKED
            && items().next_back().is_some_and(|item| item.as_number().is_some())
            && items().all(|item| item.as_number().is_some())
            && let Some(kind) = packed_kind(len, numbers())
        {
            self.packed(kind, len, numbers());
            return Ok(());
        }
        self.container(tag::ARRAY, len);
        self.nested(|to| {
            for item in items() {
                item.write(to)?;
            }
            Ok(())
        })
    }

    /// An array whose elements, of several types, `write` writes; packed as others are.
    pub(super) fn tuple(
        &mut self,
        numbers: &[Option<f64>],
        write: impl FnOnce(&mut Self) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let all = || numbers.iter().copied().flatten();
        if numbers.iter().all(Option::is_some)
            && let Some(kind) = packed_kind(numbers.len(), all())
        {
            self.packed(kind, numbers.len(), all());
            return Ok(());
        }
        self.container(tag::ARRAY, numbers.len());
        self.nested(write)
    }

    /// The tag of an object of a shape that is not of a class.
    pub(super) fn object(&mut self, content: &[u8], values: u32) {
        let id = self.message.shapes.id(content, values);
        self.shape_tag(id, 0);
    }

    fn packed(&mut self, kind: ElementKind, len: usize, numbers: impl Iterator<Item = f64>) {
        structure::elements(&mut self.message.structure, tag::ARRAY_PACKED, kind, len);
        self.message.identities += 1;
        let mut bytes = Vec::with_capacity(len * kind.size());
        numbers.for_each(|number| push_element(&mut bytes, kind, number));
        self.payload(kind.size(), &bytes);
    }

    /// The bytes that a key writes, by which the entries of a hash table are ordered.
    pub(super) fn order_of<K: Field>(&mut self, key: &K) -> Result<Vec<u8>, Error> {
        let mode = std::mem::replace(&mut self.mode, Mode::Order);
        let before = self.message.mark();
        let result = key.write(self);
        let mut order = self.message.structure.split_off(before.structure);
        order.extend_from_slice(&self.message.text.as_bytes()[before.text..]);
        self.message.text.truncate(before.text);
        self.message.identities = before.identities;
        self.mode = mode;
        result.map(|()| order)
    }

    /// The shape of a form of a class, which becomes known when it is first used.
    #[cold]
    fn shape<T: Class>(&mut self, form: usize) -> Result<ShapeId, Error> {
        let type_id = TypeId::of::<T>();
        if let Some(&id) = self.shapes.all.get(&(type_id, form)) {
            self.shapes.remember(type_id, form, id);
            return Ok(id);
        }
        self.classes.register::<T>()?;
        let (content, values) = Description::of::<T>().shape(form);
        let id = self.message.shapes.id(&content, values);
        self.shapes.all.insert((type_id, form), id);
        self.shapes.remember(type_id, form, id);
        Ok(id)
    }

    /// Notes that instances of `C` are met as trait objects, so that the registry can restore them as such.
    pub(super) fn declare_trait<C: Class, T: ?Sized + Pointee>(&mut self)
    where
        Node<C>: Implements<T, Class = C>,
    {
        let pair = (TypeId::of::<C>(), TypeId::of::<T>());
        if !self.traits.contains(&pair) {
            self.traits.push(pair);
            // A class that can't be registered fails when its instance is written.
            register_cast::<C, T>(&mut self.classes);
        }
    }
}

/// What is said of values that lie too deeply in one another.
#[cold]
pub(super) fn too_deep() -> Error {
    let detail = format!("values lie more than {MAX_DEPTH} deep in one another; hold them through Shared");
    Error::new(ErrorKind::LimitExceeded, detail)
}

/// The shapes of the classes that have been written.
#[derive(Default)]
struct Shapes {
    recent: [Option<(TypeId, usize, ShapeId)>; RECENT],
    all: HashMap<(TypeId, usize), ShapeId, RandomState>,
}

const RECENT: usize = 16;

impl Shapes {
    #[inline]
    fn place(type_id: TypeId, form: usize) -> usize {
        let mut hasher = Passing(0);
        type_id.hash(&mut hasher);
        (hasher.0 as usize).wrapping_add(form) % RECENT
    }

    #[inline]
    fn recent(&self, type_id: TypeId, form: usize) -> Option<ShapeId> {
        match self.recent[Self::place(type_id, form)] {
            Some((known, known_form, id)) if known == type_id && known_form == form => Some(id),
            _ => None,
        }
    }

    fn remember(&mut self, type_id: TypeId, form: usize, id: ShapeId) {
        self.recent[Self::place(type_id, form)] = Some((type_id, form, id));
    }
}

/// A `TypeId` is a hash already.
struct Passing(u64);

impl Hasher for Passing {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.0 = self.0.rotate_left(8) ^ u64::from(byte));
    }

    #[inline]
    fn write_u64(&mut self, n: u64) {
        self.0 = n;
    }
}

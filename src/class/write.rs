//! Class values to the wire, with no graph in between.
//!
//! A class writes its fields one after the other. What a pointer leads to is written in place, by recursion up to a
//! fixed depth; what lies deeper waits (`defer`), so that no chain of pointers overflows the stack.

use std::any::TypeId;
use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;

use foldhash::fast::RandomState;
use hashbrown::HashMap;
use hashbrown::hash_map::Entry;

use super::defer::Deferred;
use super::describe::Description;
use super::node::{Implements, Node, Pointee, Target, register_cast};
use super::shapes::{Recent, Shapes, UNNUMBERED};
use super::{Class, Classes, Field, Items};
use crate::error::{Error, ErrorKind};
use crate::graph::{MIN_PACKED, packed_kind, push_element};
use crate::wire::message::Message;
use crate::wire::shapes::ShapeId;
use crate::wire::splice;
use crate::wire::{ElementKind, structure, tag, varint};

/// Writes the fields of class values: what a [`Field`] is given to write itself with.
pub struct Writer {
    pub(super) message: Message,
    /// Identities by address, of what has no mark.
    met: HashMap<usize, u32, RandomState>,
    /// The number of the message, by which marks are known; `None` where another message is being written on this
    /// thread, whose marks must stay.
    number: Option<u32>,
    shapes: Shapes,
    traits: Vec<(TypeId, TypeId)>,
    /// The classes that have been written.
    pub(super) classes: Classes,
    pub(super) mode: Mode,
    pub(super) deferred: Deferred,
    /// How deeply the values lie in one another that are being written.
    pub(super) depth: u32,
}

thread_local! {
    /// The writer of the last message: its memory, and the shapes that it knows.
    static LAST: Cell<Option<Box<Writer>>> = const { Cell::new(None) };
    /// How many messages have been begun, and whether one is being written.
    static MESSAGES: Cell<u32> = const { Cell::new(0) };
    static WRITING: Cell<bool> = const { Cell::new(false) };
}

/// Memory of a writer that is kept for the next message.
const MAX_KEPT: usize = 8 << 20;

/// A message is being written, until this is dropped.
struct Writing(bool);

impl Writing {
    /// The number for marks, if they are free and numbers are left.
    fn begin() -> (Self, Option<u32>) {
        let is_nested = WRITING.replace(true);
        let number = MESSAGES.get().checked_add(1);
        number.inspect(|&number| MESSAGES.set(number));
        (Writing(is_nested), number.filter(|_| !is_nested))
    }
}

impl Drop for Writing {
    fn drop(&mut self) {
        WRITING.set(self.0);
    }
}

/// Encodes a value with all it leads to, with the transformers of `known`: the message, and the classes that it names.
pub(crate) fn encode<T: Field>(value: &T, known: &Classes) -> Result<(Vec<u8>, Classes), Error> {
    known.check()?;
    let mut writer = LAST.take().unwrap_or_else(|| Box::new(Writer::new()));
    let (writing, number) = Writing::begin();
    writer.start(known, number);
    let written = value.write(&mut writer).and_then(|()| writer.finish_deferred());
    drop(writing);
    written?;
    let mut bytes = Vec::with_capacity(writer.message.len());
    writer.message.append_to(&mut bytes);
    let classes = std::mem::take(&mut writer.classes);
    if writer.kept() <= MAX_KEPT {
        LAST.set(Some(writer));
    }
    Ok((bytes, classes))
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
    fn new() -> Self {
        Writer {
            message: Message::default(),
            met: HashMap::default(),
            number: None,
            shapes: Shapes::default(),
            traits: Vec::new(),
            classes: Classes::new(),
            mode: Mode::Direct,
            deferred: Deferred::default(),
            depth: 0,
        }
    }

    /// Begins a message, with the transformers of `known`.
    fn start(&mut self, known: &Classes, number: Option<u32>) {
        if self.message.start() {
            self.shapes = Shapes::default();
        }
        self.shapes.start();
        self.met.clear();
        self.number = number;
        self.traits.clear();
        self.classes = known.without_classes();
        self.mode = Mode::Direct;
        self.depth = 0;
    }

    /// Bytes of memory, more or less.
    fn kept(&self) -> usize {
        let message = &self.message;
        let sections = message.structure.capacity() + message.text.capacity() + message.data.capacity();
        sections + self.met.capacity() * 16 + self.deferred.kept()
    }

    /// The tag of an instance; its fields, or the built-in that it extends, follow.
    #[doc(hidden)]
    #[inline(always)]
    pub fn instance<T: Class>(&mut self, form: usize, items: &mut Items) -> Result<(), Error> {
        match self.shapes.recent(TypeId::of::<T>(), form) {
            Some(&Recent { number: number @ ..=tag::OBJECT_MAX, .. }) if self.mode == Mode::Direct => {
                items.tag(tag::OBJECT + number as u8);
                self.message.identities += 1;
                Ok(())
            }
            _ => items.pass(self, |to| to.instance_apart::<T>(form)),
        }
    }

    /// An instance of a shape that the message does not have yet, or has at a large number, or that waits.
    #[cold]
    #[inline(never)]
    fn instance_apart<T: Class>(&mut self, form: usize) -> Result<(), Error> {
        let id = match self.shapes.recent(TypeId::of::<T>(), form) {
            Some(known) => known.id,
            None => self.shape::<T>(form)?,
        };
        self.shape_tag(id, form);
        if self.mode == Mode::Direct {
            let number = self.message.shapes.number(id);
            self.shapes.remember(TypeId::of::<T>(), form, id, u64::from(number));
        }
        Ok(())
    }

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

    /// Writes a reference to what has been written already; false where that has to be looked for, or is not so.
    #[inline(always)]
    pub(super) fn refer<N: Target + ?Sized>(&mut self, target: &N, items: &mut Items) -> bool {
        let (Some(mark), Some(message), Mode::Direct) = (target.mark(), self.number, self.mode) else { return false };
        let Some(identity) = mark.identity(message) else { return false };
        self.message.refs = true;
        items.reference(identity);
        true
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
        let identity = self.message.identities;
        let met = match (target.mark(), self.number) {
            (Some(mark), Some(message)) => {
                let met = mark.identity(message);
                if met.is_none() && self.depth < MAX_POINTER_DEPTH {
                    mark.set(message, identity);
                }
                met
            }
            _ if self.depth < MAX_POINTER_DEPTH => match self.met.entry(address) {
                Entry::Occupied(met) => Some(*met.get()),
                Entry::Vacant(new) => {
                    new.insert(identity);
                    None
                }
            },
            _ => self.met.get(&address).copied(),
        };
        if let Some(identity) = met {
            self.message.refs = true;
            structure::tagged(&mut self.message.structure, tag::REFERENCE, u64::from(identity));
            return Ok(());
        }
        if self.depth >= MAX_POINTER_DEPTH {
            self.wait(handle());
            return Ok(());
        }
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
    #[inline]
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
            let mut gathered = Items::of(to);
            items().try_for_each(|item| item.gather(&mut gathered, to))?;
            gathered.append(to);
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
    pub(super) fn object(&mut self, content: &[u8]) {
        let id = self.message.shapes.id(content);
        self.shape_tag(id, 0);
    }

    fn packed(&mut self, kind: ElementKind, len: usize, numbers: impl Iterator<Item = f64>) {
        structure::elements(&mut self.message.structure, tag::ARRAY_PACKED, kind, len);
        self.message.identities += 1;
        if self.mode == Mode::Direct {
            self.message.align(kind.size());
            return numbers.for_each(|number| push_element(&mut self.message.data, kind, number));
        }
        let mut bytes = Vec::with_capacity(len * kind.size());
        numbers.for_each(|number| push_element(&mut bytes, kind, number));
        self.payload(kind.size(), &bytes);
    }

    /// The bytes that a key writes, by which the entries of a hash table are ordered.
    pub(super) fn order_of<K: Field>(&mut self, key: &K) -> Result<Vec<u8>, Error> {
        let mode = std::mem::replace(&mut self.mode, Mode::Order);
        let before = self.message.mark();
        // After an error the message is given up.
        key.write(self)?;
        let mut order = self.message.structure.split_off(before.structure);
        order.extend_from_slice(&self.message.text[before.text..]);
        self.message.text.truncate(before.text);
        self.message.identities = before.identities;
        self.mode = mode;
        Ok(order)
    }

    /// The shape of a form of a class that is used for the first time in a message.
    #[cold]
    fn shape<T: Class>(&mut self, form: usize) -> Result<ShapeId, Error> {
        let key = (TypeId::of::<T>(), form);
        if let Some((about, id)) = self.shapes.all.get(&key) {
            self.classes.insert(about)?;
            let id = *id;
            self.shapes.remember(key.0, form, id, UNNUMBERED);
            return Ok(id);
        }
        let about = match self.shapes.all.get(&(key.0, 0)) {
            Some((about, _)) => about.clone(),
            None => Arc::new(Description::of::<T>()),
        };
        self.classes.insert(&about)?;
        let content = about.shape(form);
        let id = self.message.shapes.id(&content);
        self.shapes.all.insert(key, (about, id));
        self.shapes.remember(key.0, form, id, UNNUMBERED);
        Ok(id)
    }

    /// Notes that instances of `C` are met as trait objects, so that the registry can restore them as such.
    pub(super) fn declare_trait<C: Class, T: ?Sized + Pointee>(&mut self)
    where
        Node<C>: Implements<T, Class = C>,
    {
        self.declare::<C, T>(register_cast::<C, T>);
    }

    /// Registers, once, how instances of `C` become what `T` stands for.
    pub(super) fn declare<C: Class, T: ?Sized + 'static>(&mut self, register: fn(&mut Classes)) {
        let pair = (TypeId::of::<C>(), TypeId::of::<T>());
        if !self.traits.contains(&pair) {
            self.traits.push(pair);
            // A class that can't be registered fails when its instance is written.
            register(&mut self.classes);
        }
    }
}

/// What is said of values that lie too deeply in one another.
#[cold]
pub(super) fn too_deep() -> Error {
    let detail = format!("values lie more than {MAX_DEPTH} deep in one another; hold them through Shared");
    Error::new(ErrorKind::LimitExceeded, detail)
}

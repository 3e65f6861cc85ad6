//! Foreign types: what is written in their place, and how they are made of it again.

use std::any::{Any, TypeId, type_name};
use std::fmt::Display;
use std::sync::Arc;

use foldhash::fast::RandomState;
use hashbrown::HashMap;

use super::{Field, Items, Reader, Writer};
use crate::error::{Error, ErrorKind};
use crate::wire::shape_list::Text;
use crate::wire::{shapes, tag, varint};

/// The transformers of a registry.
#[derive(Clone, Default)]
pub(super) struct Customs {
    by_type: HashMap<TypeId, Arc<dyn Any + Send + Sync>, RandomState>,
    names: HashMap<String, TypeId, RandomState>,
}

/// How a `T` is written and read.
pub(super) struct Custom<T> {
    name: String,
    write: Box<Transform<T>>,
    read: Box<Restore<T>>,
}

type Transform<T> = dyn Fn(&T, &mut Writer) -> Result<(), Error> + Send + Sync;
type Restore<T> = dyn Fn(&mut Reader<'_>) -> Result<T, Error> + Send + Sync;

impl Customs {
    pub(super) fn insert<T: 'static, P: Field, E: Display>(
        &mut self,
        name: &str,
        to: impl Fn(&T) -> P + Send + Sync + 'static,
        from: impl Fn(P) -> Result<T, E> + Send + Sync + 'static,
    ) {
        let custom = Custom::<T> {
            name: name.to_owned(),
            write: Box::new(move |value, writer| to(value).write(writer)),
            read: Box::new(move |reader| {
                let at = reader.source.structure.offset();
                let payload = P::read(reader)?;
                from(payload).map_err(|reason| refused::<T>(&reason, at))
            }),
        };
        self.by_type.insert(TypeId::of::<T>(), Arc::new(custom));
        self.names.insert(name.to_owned(), TypeId::of::<T>());
    }

    pub(super) fn of<T: 'static>(&self) -> Option<Arc<Custom<T>>> {
        self.by_type.get(&TypeId::of::<T>())?.clone().downcast().ok()
    }

    pub(super) fn has_name(&self, name: &str) -> bool {
        self.names.contains_key(name)
    }
}

/// What a transformer says of the payload at `at`.
#[cold]
pub(super) fn refused<T>(reason: &dyn Display, at: usize) -> Error {
    Error::new(ErrorKind::Refused, format!("{} can't be restored: {reason}", type_name::<T>())).at_offset(at)
}

#[cold]
fn unknown<T>() -> Error {
    let detail = format!(
        "no transformer is registered for {}; see Classes::register_custom and Marshal::encode_using",
        type_name::<T>()
    );
    Error::new(ErrorKind::UnknownClass, detail)
}

/// The shape of custom values with this name.
fn shape(name: &str) -> Vec<u8> {
    let mut content = vec![shapes::CUSTOM];
    shapes::utf8(&mut content, name);
    varint::write(&mut content, 0);
    content
}

impl Writer {
    /// A field of a foreign type.
    #[doc(hidden)]
    pub fn custom<T: 'static>(&mut self, value: &T, items: &mut Items) -> Result<(), Error> {
        items.pass(self, |to| {
            let custom = to.classes.customs().of::<T>().ok_or_else(unknown::<T>)?;
            to.named(&custom.name, |to| (custom.write)(value, to))
        })
    }

    /// A custom value with this name, whose payload `write` writes.
    pub(super) fn named(
        &mut self,
        name: &str,
        write: impl FnOnce(&mut Self) -> Result<(), Error>,
    ) -> Result<(), Error> {
        self.object(&shape(name));
        self.nested(write)
    }
}

impl Reader<'_> {
    /// A field of a foreign type.
    #[doc(hidden)]
    pub fn custom<T: 'static>(&mut self) -> Result<T, Error> {
        let at = self.source.structure.offset();
        let custom = self.classes.customs().of::<T>().ok_or_else(|| unknown::<T>().at_offset(at))?;
        self.named(&custom.name, |from| (custom.read)(from))
    }

    /// A custom value with this name, whose payload `read` reads.
    pub(super) fn named<T>(
        &mut self,
        name: &str,
        read: impl FnOnce(&mut Self) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let at = self.source.structure.offset();
        let expected = || format!("a custom {name}");
        let shape = self.peek_shape(&expected)?;
        let entry = self.source.shapes.shape(u64::from(shape)).filter(|entry| entry.kind == shapes::CUSTOM);
        let found = entry.map(|entry| self.source.shapes.class_name(self.source.shapes_section, entry));
        if found != Some(Text::Utf8(name)) {
            return Err(self.wrong(at, &expected()));
        }
        if self.source.structure.u8()? == tag::OBJECT_LONG {
            self.source.structure.varint()?;
        }
        self.take_identity(at)?;
        self.nested(read)
    }

    /// A field of a foreign type.
    #[doc(hidden)]
    pub fn custom_field<T: 'static>(
        &mut self,
        instance: &super::Instance,
        field: usize,
        default: Option<fn() -> T>,
    ) -> Result<T, Error> {
        if self.stands(instance, field) {
            return self.custom();
        }
        default.map(|default| default()).ok_or_else(|| self.missing(instance, field))
    }
}

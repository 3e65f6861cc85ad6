//! Instances: how the fields of a shape in the message become those of a class.
//!
//! Where both are the same, which is found out once for a shape, fields are read one after the other. Otherwise the
//! values of an instance are passed over first, so that each field can be read from where it is.

use std::any::{Any, TypeId};
use std::rc::Rc;

use super::describe::Description;
use super::read::Reader;
use super::{Class, Field};
use crate::error::{Error, ErrorKind, Fault};
use crate::wire::shape_list::{Key, Text};
use crate::wire::{shapes, tag};

/// What is known of a shape of the message.
#[derive(Clone, Default)]
pub(super) struct Plan<'a> {
    /// The class whose name this is.
    class: Option<TypeId>,
    /// The class that its fields are read as: `class`, or one of its previous versions.
    read_as: Option<TypeId>,
    form: usize,
    /// For each key, the field that it is; empty where keys and fields are the same.
    columns: Option<Rc<Columns>>,
    version: u32,
    /// How instances become trait objects of the trait that was asked for last.
    pub(super) casts: Option<(TypeId, &'a dyn Any)>,
}

/// What is known of a shape whose fields stand in turn.
#[derive(Clone, Copy)]
pub(super) struct InTurn {
    /// The class that both is meant and reads it; the unit type, which is none, where they do not stand in turn.
    class: TypeId,
    form: usize,
}

impl Default for InTurn {
    fn default() -> Self {
        InTurn { class: TypeId::of::<()>(), form: 0 }
    }
}

struct Columns {
    /// `None` for a key that the class does not have.
    fields: Vec<Option<u32>>,
    count: usize,
}

/// An instance whose tag has been read.
#[doc(hidden)]
#[derive(Debug, Clone, Copy)]
pub struct Opened {
    shape: u32,
    at: usize,
}

/// An instance whose fields are being read.
#[doc(hidden)]
#[derive(Debug)]
pub struct Instance {
    form: usize,
    /// Where the places of its fields are, if they are not read in turn: base, fields, end.
    columns: Option<usize>,
    fields: usize,
    opened: Opened,
}

impl Instance {
    /// Which struct or variant it is.
    pub fn form(&self) -> usize {
        self.form
    }
}

impl<'a> Reader<'a> {
    /// The tag of an instance of `T`.
    #[doc(hidden)]
    #[inline]
    pub fn open<T: Class>(&mut self) -> Result<Opened, Error> {
        let at = self.source.structure.offset();
        let shape = match self.source.structure.u8()? {
            tag @ tag::OBJECT..tag::NULL => u64::from(tag - tag::OBJECT),
            tag::OBJECT_LONG => self.source.structure.varint()?,
            _ => return Err(self.wrong_class::<T>(at)),
        };
        match self.plans.get(shape as usize) {
            Some(plan) if plan.class == Some(TypeId::of::<T>()) => {}
            _ => self.check_class::<T>(shape, at)?,
        }
        self.take_identity(at)?;
        Ok(Opened { shape: shape as u32, at })
    }

    /// Which struct or variant of `T` has the shape, if its fields stand in turn.
    #[inline(always)]
    pub(super) fn form_in_turn<T: Class>(&self, shape: usize) -> Option<usize> {
        let known = self.in_turn.get(shape)?;
        (known.class == TypeId::of::<T>()).then_some(known.form)
    }

    /// The version of the class that wrote the instance.
    #[doc(hidden)]
    pub fn version(&self, opened: Opened) -> u32 {
        self.plans[opened.shape as usize].version
    }

    /// How the fields of the instance are read as those of `T`.
    #[doc(hidden)]
    #[inline]
    pub fn plan<T: Class>(&mut self, opened: Opened) -> Result<Instance, Error> {
        let plan = &self.plans[opened.shape as usize];
        if plan.read_as != Some(TypeId::of::<T>()) {
            self.compare::<T>(opened)?;
        }
        let plan = &self.plans[opened.shape as usize];
        let instance = Instance { form: plan.form, columns: None, fields: 0, opened };
        match &plan.columns {
            None => Ok(instance),
            Some(columns) => {
                let columns = columns.clone();
                self.find_fields(instance, &columns)
            }
        }
    }

    /// The built-in that the instance extends.
    #[doc(hidden)]
    pub fn base<T: Field>(&mut self, instance: &Instance) -> Result<T, Error> {
        if let Some(first) = instance.columns
            && let Some(place) = self.columns[first]
        {
            self.go(place);
        }
        T::read(self)
    }

    /// A field that the message must have, or whose type says what it is otherwise.
    #[doc(hidden)]
    #[inline]
    pub fn field<T: Field>(&mut self, instance: &Instance, field: usize) -> Result<T, Error> {
        if self.stands(instance, field) {
            return T::read(self);
        }
        T::absent().ok_or_else(|| self.missing(instance, field))
    }

    /// A field that has a default.
    #[doc(hidden)]
    #[inline]
    pub fn field_or<T: Field>(
        &mut self,
        instance: &Instance,
        field: usize,
        default: impl FnOnce() -> T,
    ) -> Result<T, Error> {
        if self.stands(instance, field) { T::read(self) } else { Ok(default()) }
    }

    /// Behind the instance.
    #[doc(hidden)]
    #[inline]
    pub fn close(&mut self, instance: Instance) -> Result<(), Error> {
        if let Some(first) = instance.columns {
            if let Some(end) = self.columns[first + 1 + instance.fields] {
                self.go(end);
            }
            self.columns.truncate(first);
        }
        Ok(())
    }

    /// An instance of a variant that the enum does not have; found out before, when its shape was compared.
    #[doc(hidden)]
    #[cold]
    pub fn no_form<T: Class>(&self) -> Error {
        Error::new(ErrorKind::UnknownClass, T::type_name())
    }

    /// The shape of the object that comes next, which is not passed.
    pub(super) fn peek_shape(&mut self, expected: &dyn Fn() -> String) -> Result<u32, Error> {
        let at = self.source.structure.offset();
        let shape = match self.source.structure.u8()? {
            tag @ tag::OBJECT..tag::NULL => u64::from(tag - tag::OBJECT),
            tag::OBJECT_LONG => self.source.structure.varint()?,
            _ => return Err(self.wrong(at, &expected())),
        };
        self.source.structure.rewind(at);
        self.source.values_of(shape, at)?;
        Ok(shape as u32)
    }

    /// The name of the class whose instances have the shape.
    pub(super) fn class_name(&self, shape: u32) -> Option<&'a str> {
        let entry = self.source.shapes.shape(u64::from(shape))?;
        match self.source.shapes.class_name(self.source.shapes_section, entry) {
            Text::Utf8(name) if matches!(entry.kind, shapes::CLASS | shapes::DERIVED) => Some(name),
            _ => None,
        }
    }

    /// Goes to where the field stands, if the message has it.
    #[inline]
    pub(super) fn stands(&mut self, instance: &Instance, field: usize) -> bool {
        instance.columns.is_none() || self.seek(instance, field)
    }

    fn seek(&mut self, instance: &Instance, field: usize) -> bool {
        let place = instance.columns.and_then(|first| self.columns[first + 1 + field]);
        match place {
            Some(place) => {
                self.go(place);
                true
            }
            None => false,
        }
    }

    /// Whether a shape that is met as `T` for the first time has its name.
    #[cold]
    fn check_class<T: Class>(&mut self, shape: u64, at: usize) -> Result<(), Error> {
        let Some(entry) = self.source.shapes.shape(shape) else {
            return Err(Fault::new(ErrorKind::UnknownShape, at).into());
        };
        let (version, derived) = (entry.version, entry.kind == shapes::DERIVED);
        let about = Description::of::<T>();
        let name = self.class_name(shape as u32);
        let Some(form) = about.forms.iter().position(|form| name == Some(form.name.as_str())) else {
            return Err(self.wrong_class::<T>(at));
        };
        if !self.classes.has_type(TypeId::of::<T>()) {
            let detail = format!("the class {} is not registered", about.class);
            return Err(Error::new(ErrorKind::UnknownClass, detail).at_offset(at));
        }
        if about.forms[form].derived != derived {
            let (is, should) = if derived { ("extends", "does not") } else { ("does not extend", "does") };
            let detail = format!("{} {is} a built-in in the message, and {should} here", about.class);
            return Err(Error::new(ErrorKind::WrongType, detail).at_offset(at));
        }
        if version > about.version {
            let detail = format!("{} of version {version}; this is version {}", about.class, about.version);
            return Err(Error::new(ErrorKind::UnknownClass, detail).at_offset(at));
        }
        let plan = &mut self.plans[shape as usize];
        (plan.class, plan.version) = (Some(TypeId::of::<T>()), version);
        self.in_turn[shape as usize] = InTurn::default();
        Ok(())
    }

    /// Compares the keys of a shape with the fields of a class.
    #[cold]
    fn compare<T: Class>(&mut self, opened: Opened) -> Result<(), Error> {
        let about = Description::of::<T>();
        let name = self.class_name(opened.shape).unwrap_or_default();
        let Some(form) = about.forms.iter().position(|form| form.name == name) else {
            let detail = format!("{} has no previous version called {name}", about.class);
            return Err(Error::new(ErrorKind::UnknownClass, detail).at_offset(opened.at));
        };
        let keys = &about.forms[form].keys;
        let entry = self.source.shapes.shape(u64::from(opened.shape));
        let written = (0..).map_while(|index| self.source.shapes.key(self.source.shapes_section, entry?, index));
        let mut fields = Vec::new();
        let mut taken = vec![false; keys.len()];
        for key in written {
            let is = |name: &str| key == Key::Text(Text::Utf8(name));
            let field = keys.iter().position(|field| is(field.key) || field.aliases.iter().any(|alias| is(alias)));
            match field {
                Some(field) if taken[field] => {
                    let detail =
                        format!("{} has the field {} twice, once under an alias", about.class, keys[field].key);
                    return Err(Error::new(ErrorKind::DuplicateKey, detail).at_offset(opened.at));
                }
                Some(field) => taken[field] = true,
                None if about.refuse_unknown || self.classes.refuses_unknown_fields() => {
                    let name = match key {
                        Key::Text(Text::Utf8(name)) => name,
                        Key::Text(Text::Utf16(_)) => "with a lone surrogate",
                        Key::Symbol(_) => "that is a Symbol",
                    };
                    let detail = format!("{} has no field {name}", about.class);
                    return Err(Error::new(ErrorKind::UnknownField, detail).at_offset(opened.at));
                }
                None => {}
            }
            fields.push(field.map(|field| field as u32));
        }
        let count = keys.len();
        let in_turn = fields.len() == count && fields.iter().enumerate().all(|(i, field)| *field == Some(i as u32));
        let plan = &mut self.plans[opened.shape as usize];
        plan.read_as = Some(TypeId::of::<T>());
        plan.form = form;
        plan.columns = (!in_turn).then(|| Rc::new(Columns { fields, count }));
        let class = if in_turn && plan.class == plan.read_as { TypeId::of::<T>() } else { TypeId::of::<()>() };
        self.in_turn[opened.shape as usize] = InTurn { class, form };
        Ok(())
    }

    /// Passes over an instance to find its fields.
    fn find_fields(&mut self, mut instance: Instance, columns: &Columns) -> Result<Instance, Error> {
        let first = self.columns.len();
        self.columns.resize(first + columns.count + 2, None);
        (instance.columns, instance.fields) = (Some(first), columns.count);
        let entry = self.source.shapes.shape(u64::from(instance.opened.shape));
        if entry.is_some_and(|entry| entry.kind == shapes::DERIVED) {
            self.columns[first] = Some(self.place());
            self.skim()?;
        }
        for field in &columns.fields {
            let place = self.place();
            self.skim()?;
            if let Some(field) = field {
                self.columns[first + 1 + *field as usize] = Some(place);
            }
        }
        self.columns[first + 1 + columns.count] = Some(self.place());
        Ok(instance)
    }

    #[cold]
    pub(super) fn missing(&self, instance: &Instance, field: usize) -> Error {
        // The class is what the shape was last compared with.
        let class = self.class_name(instance.opened.shape).unwrap_or_default();
        let detail = match self.classes.key_of(class, instance.form, field) {
            Some(key) => format!("{class} has no value for the field {key}"),
            None => format!("{class} has no value for its field {field}"),
        };
        Error::new(ErrorKind::MissingField, detail).at_offset(instance.opened.at)
    }

    #[cold]
    fn wrong_class<T: Class>(&self, at: usize) -> Error {
        self.wrong(at, &format!("an instance of {}", T::type_name()))
    }
}

//! The constructor registry: which names in a message become which types.

use std::any::{Any, TypeId};
use std::fmt;
use std::rc::Rc;
use std::sync::Arc;

use foldhash::fast::RandomState;
use hashbrown::HashMap;

use super::custom::Customs;
use super::describe::Description;
use super::node::{Casts, Implements, Node, Pointee};
use super::{Class, Data, Field};
use crate::error::{Error, ErrorKind};
use crate::wire::item::Source;
use crate::wire::shape_list::Text;
use crate::wire::shapes;

/// The classes that a message may name, and the Rust types that they become.
///
/// Nothing else in a message makes a value: a name that is not registered reaches no type. A class that is met through a
/// trait object is registered for that trait too.
///
/// # Examples
///
/// ```
/// use marshal::{Class, Classes, ErrorKind, Marshal};
///
/// #[derive(Class)]
/// struct Point { x: f64, y: f64 }
///
/// let (bytes, used) = Marshal::encode_with_classes(&Point { x: 1.0, y: 0.5 })?;
/// assert_eq!(used.names().collect::<Vec<_>>(), ["Point"]);
///
/// let classes = Classes::new().with::<Point>();
/// let point: Point = Marshal::decode_with_classes(&bytes, &classes)?;
/// assert_eq!((point.x, point.y), (1.0, 0.5));
///
/// let error = Marshal::decode_with_classes::<Point>(&bytes, &Classes::new()).err().unwrap();
/// assert_eq!(error.kind(), ErrorKind::UnknownClass);
/// # Ok::<(), marshal::Error>(())
/// ```
#[derive(Clone, Default)]
pub struct Classes {
    /// In the order in which they were registered.
    classes: Vec<Arc<Description>>,
    by_type: HashMap<TypeId, usize, RandomState>,
    /// Of a form: the class and which of its forms it is.
    by_name: HashMap<String, (usize, usize), RandomState>,
    /// By class and trait.
    casts: HashMap<(TypeId, TypeId), Arc<dyn Any + Send + Sync>, RandomState>,
    /// By what a `Shared` holds, and trait.
    pointer_casts: HashMap<(TypeId, TypeId), Arc<dyn Any + Send + Sync>, RandomState>,
    /// By trait: how instances of unknown classes become its trait objects.
    fallbacks: HashMap<TypeId, Arc<dyn Any + Send + Sync>, RandomState>,
    customs: Customs,
    /// What was wrong with a class that [`with`](Self::with) registered.
    wrong: Option<Error>,
    refuse_unknown_fields: bool,
    refuse_unknown_classes: bool,
}

impl Classes {
    /// A registry of no classes.
    pub fn new() -> Self {
        Self::default()
    }

    /// Registers a class. Where that is an error, every use of the registry is that error: see
    /// [`register`](Self::register).
    #[must_use]
    pub fn with<T: Class>(mut self) -> Self {
        if let Err(error) = self.register::<T>() {
            self.wrong.get_or_insert(error);
        }
        self
    }

    /// Registers a class to be restored as a trait object too.
    ///
    /// # Examples
    ///
    /// ```
    /// use marshal::{Class, Classes, Marshal, Shared, class_trait};
    ///
    /// #[class_trait]
    /// trait Shape { fn area(&self) -> f64; }
    ///
    /// #[derive(Class)]
    /// struct Square { side: f64 }
    /// impl Shape for Square { fn area(&self) -> f64 { self.side * self.side } }
    ///
    /// let shapes: Vec<Box<dyn Shape>> = vec![Box::new(Square { side: 2.0 })];
    /// let (bytes, _) = Marshal::encode_with_classes(&shapes)?;
    /// let classes = Classes::new().with_trait::<Square, dyn Shape>();
    /// let shapes: Vec<Box<dyn Shape>> = Marshal::decode_with_classes(&bytes, &classes)?;
    /// assert_eq!(shapes[0].area(), 4.0);
    /// # Ok::<(), marshal::Error>(())
    /// ```
    #[must_use]
    pub fn with_trait<C: Class, T: ?Sized + Pointee>(self) -> Self
    where
        Node<C>: Implements<T, Class = C>,
    {
        let mut classes = self.with::<C>();
        classes.cast::<C, T>();
        classes
    }

    /// Registers what stands for an instance of a class that is not registered, where a trait object is expected:
    /// `make` is given the instance as data. Registers `C` too. Without it, such an instance is an error there
    /// (`unknown-class`), as nothing else can be made of it.
    ///
    /// # Examples
    ///
    /// ```
    /// use marshal::{Class, Classes, Marshal, Shared, class::Data, class_trait, js};
    ///
    /// #[class_trait]
    /// trait Animal { fn says(&self) -> String; }
    ///
    /// #[derive(Class)]
    /// struct Stranger { data: Data }
    /// impl Animal for Stranger {
    ///     fn says(&self) -> String { format!("{}?", self.data.root().class().unwrap().name()) }
    /// }
    ///
    /// let bytes = Marshal::encode(&js!([Okapi { age: 3 }]))?;
    /// let stranger = |data: Data| Ok::<_, String>(Stranger { data });
    /// let classes = Classes::new().with_fallback::<Stranger, dyn Animal, _>(stranger);
    /// let animals: Vec<Shared<dyn Animal>> = Marshal::decode_with_classes(&bytes, &classes)?;
    /// assert_eq!(animals[0].says(), "Okapi?");
    /// # Ok::<(), marshal::Error>(())
    /// ```
    #[must_use]
    pub fn with_fallback<C: Class, T: ?Sized + Pointee, E: fmt::Display>(
        self,
        make: impl Fn(Data) -> Result<C, E> + Clone + Send + Sync + 'static,
    ) -> Self
    where
        Node<C>: Implements<T, Class = C>,
    {
        let mut classes = self.with_trait::<C, T>();
        Node::<C>::register_sync_fallback(make.clone(), &mut classes);
        classes.insert_fallback(TypeId::of::<T>(), Arc::new(Casts::<T>::fallback(make)));
        classes
    }

    /// Registers a class. The same class twice is one entry.
    ///
    /// # Errors
    ///
    /// `duplicate-class` where another class has its name, or the name of one of its variants; `bad-class` where the
    /// built-in that it extends has one of its fields as a property of its own: `length` of an array.
    pub fn register<T: Class>(&mut self) -> Result<(), Error> {
        let type_id = TypeId::of::<T>();
        if self.by_type.contains_key(&type_id) {
            return Ok(());
        }
        self.insert(&Arc::new(Description::of::<T>()))
    }

    /// Registers the class that describes itself so.
    pub(super) fn insert(&mut self, about: &Arc<Description>) -> Result<(), Error> {
        if self.by_type.contains_key(&about.type_id) {
            return Ok(());
        }
        let is_taken = |name: &str| self.by_name.contains_key(name) || self.customs.has_name(name);
        if let Some(form) = about.forms.iter().find(|form| is_taken(&form.name)) {
            let detail = format!("two classes are called {}; give one another name", form.name);
            return Err(Error::new(ErrorKind::DuplicateClass, detail));
        }
        for form in &about.forms {
            if let Some(key) = form.keys.iter().find(|key| (form.is_own_key)(key.key)) {
                let detail = format!("{} has a field {}, which is the built-in's own; rename it", form.name, key.key);
                return Err(Error::new(ErrorKind::BadClass, detail));
            }
        }
        let index = self.classes.len();
        for (form, about) in about.forms.iter().enumerate() {
            self.by_name.insert(about.name.clone(), (index, form));
        }
        self.by_type.insert(about.type_id, index);
        self.classes.push(about.clone());
        Ok(())
    }

    /// Registers how values of a foreign type are written and made: `to` gives what is written in their place, `from`
    /// makes them of it again. They are fields under `#[class(custom)]`; the message names them, as `custom` shapes.
    ///
    /// As the message is written with the registry too, it is encoded with
    /// [`Marshal::encode_using`](crate::Marshal::encode_using).
    ///
    /// # Examples
    ///
    /// ```
    /// use std::net::Ipv4Addr;
    /// use marshal::{Class, Classes, Marshal};
    ///
    /// #[derive(Class)]
    /// struct Host { name: String, #[class(custom)] address: Ipv4Addr }
    ///
    /// let mut classes = Classes::new().with::<Host>();
    /// classes.register_custom("Ipv4Addr", |ip: &Ipv4Addr| ip.to_string(), |text: String| text.parse::<Ipv4Addr>())?;
    ///
    /// let host = Host { name: "localhost".into(), address: Ipv4Addr::LOCALHOST };
    /// let bytes = Marshal::encode_using(&host, &classes)?;
    /// let host: Host = Marshal::decode_with_classes(&bytes, &classes)?;
    /// assert!(host.address.is_loopback());
    /// # Ok::<(), marshal::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// `duplicate-class` where the name is taken, or the type has another name already; `bad-class` for an empty name.
    pub fn register_custom<T: 'static, P: Field, E: fmt::Display>(
        &mut self,
        name: &str,
        to: impl Fn(&T) -> P + Send + Sync + 'static,
        from: impl Fn(P) -> Result<T, E> + Send + Sync + 'static,
    ) -> Result<(), Error> {
        if name.is_empty() {
            return Err(Error::new(ErrorKind::BadClass, ""));
        }
        if self.by_name.contains_key(name) || self.customs.has_name(name) || self.customs.of::<T>().is_some() {
            let detail = format!("{name}, or its type, is registered already");
            return Err(Error::new(ErrorKind::DuplicateClass, detail));
        }
        self.customs.insert(name, to, from);
        Ok(())
    }

    /// A field that a class does not have is an error, `unknown-field`; it is ignored by default.
    #[must_use]
    pub fn refuse_unknown_fields(self) -> Self {
        Classes { refuse_unknown_fields: true, ..self }
    }

    /// A message that names a class that is not registered is an error, `unknown-class`, also where the class would not
    /// be restored: in a field that is ignored, or in data.
    #[must_use]
    pub fn refuse_unknown_classes(self) -> Self {
        Classes { refuse_unknown_classes: true, ..self }
    }

    /// The names of the classes, in the order in which they were registered.
    pub fn names(&self) -> impl ExactSizeIterator<Item = &str> {
        self.classes.iter().map(|about| about.class.as_str())
    }

    /// How many classes are registered.
    pub fn len(&self) -> usize {
        self.classes.len()
    }

    /// Whether no class is registered.
    pub fn is_empty(&self) -> bool {
        self.classes.is_empty()
    }

    pub(super) fn cast<C: Class, T: ?Sized + Pointee>(&mut self)
    where
        Node<C>: Implements<T, Class = C>,
    {
        let types = (TypeId::of::<C>(), TypeId::of::<Rc<Node<C>>>());
        self.insert_casts(types, TypeId::of::<T>(), Arc::new(Casts::<T>::of::<C>()));
        Node::<C>::register_sync(self);
    }

    /// How a class, behind a pointer of a type, becomes what `object` stands for.
    pub(super) fn insert_casts(
        &mut self,
        (class, pointer): (TypeId, TypeId),
        object: TypeId,
        casts: Arc<dyn Any + Send + Sync>,
    ) {
        self.casts.insert((class, object), casts.clone());
        self.pointer_casts.insert((pointer, object), casts);
    }

    pub(super) fn insert_fallback(&mut self, object: TypeId, casts: Arc<dyn Any + Send + Sync>) {
        self.fallbacks.insert(object, casts);
    }

    /// Every class that was used is registered here.
    pub(crate) fn check_has(&self, used: &Classes) -> Result<(), Error> {
        match used.classes.iter().find(|about| !self.has_type(about.type_id)) {
            None => Ok(()),
            Some(about) => {
                let detail = format!("the class {} is not registered", about.class);
                Err(Error::new(ErrorKind::UnknownClass, detail))
            }
        }
    }

    /// What was wrong when classes were registered.
    pub(super) fn check(&self) -> Result<(), Error> {
        self.wrong.clone().map_or(Ok(()), Err)
    }

    pub(super) fn check_shapes(&self, source: &Source<'_>) -> Result<(), Error> {
        if !self.refuse_unknown_classes {
            return Ok(());
        }
        for entry in (0..).map_while(|shape| source.shapes.shape(shape)) {
            let is_known = match source.shapes.class_name(source.shapes_section, entry) {
                _ if !matches!(entry.kind, shapes::CLASS | shapes::DERIVED | shapes::CUSTOM) => true,
                Text::Utf8(name) => self.has_name(name),
                Text::Utf16(_) => false,
            };
            if !is_known {
                let text = source.shapes.class_name(source.shapes_section, entry);
                return Err(Error::new(ErrorKind::UnknownClass, format!("{text:?} is not registered")));
            }
        }
        Ok(())
    }

    pub(super) fn refuses_unknown_fields(&self) -> bool {
        self.refuse_unknown_fields
    }

    pub(super) fn has_type(&self, type_id: TypeId) -> bool {
        self.by_type.contains_key(&type_id)
    }

    pub(super) fn has_name(&self, name: &str) -> bool {
        self.by_name.contains_key(name) || self.customs.has_name(name)
    }

    pub(super) fn customs(&self) -> &Customs {
        &self.customs
    }

    /// The same transformers and no classes: what an encoder begins with.
    pub(super) fn without_classes(&self) -> Self {
        Classes { customs: self.customs.clone(), ..Classes::new() }
    }

    /// The key of a field of a registered class.
    pub(super) fn key_of(&self, name: &str, form: usize, field: usize) -> Option<&'static str> {
        let &(index, _) = self.by_name.get(name)?;
        self.classes[index].forms.get(form)?.keys.get(field).map(|key| key.key)
    }

    /// How instances with this name become trait objects.
    pub(super) fn casts_of_name(&self, name: &str, trait_id: TypeId) -> Option<&dyn Any> {
        let &(index, _) = self.by_name.get(name)?;
        let casts: &dyn Any = &**self.casts.get(&(self.classes[index].type_id, trait_id))?;
        Some(casts)
    }

    /// How instances of unknown classes become trait objects.
    pub(super) fn fallback_of(&self, trait_id: TypeId) -> Option<&dyn Any> {
        let casts: &dyn Any = &**self.fallbacks.get(&trait_id)?;
        Some(casts)
    }

    /// How what a pointer of a type holds becomes what a pointer to a trait object holds.
    pub(super) fn casts_of_pointer<P: Any>(&self, pointer: TypeId, object: TypeId) -> Option<&P> {
        self.pointer_casts.get(&(pointer, object))?.downcast_ref()
    }
}

impl fmt::Debug for Classes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.names()).finish()
    }
}

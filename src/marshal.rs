//! The facade: the calls that most users need.

use crate::class::{self, Classes, Field};
use crate::codec::{self, DecodeOptions, EncodeOptions};
use crate::error::Error;
use crate::graph::Graph;
use crate::lazy::Lazy;

/// Encodes, decodes and clones graphs.
pub struct Marshal;

impl Marshal {
    /// Encodes a graph to its canonical message (`spec/format.md`, section 9): equal graphs give equal bytes.
    ///
    /// Cost: linear in what the root reaches. Allocates the message once, and a handful of scratch buffers.
    ///
    /// # Examples
    ///
    /// ```
    /// use marshal::{Marshal, js};
    ///
    /// let state = js!({ user: "Ada", seen: Set["a", "b"] });
    /// let bytes = Marshal::encode(&state)?;
    /// assert_eq!(Marshal::decode(&bytes)?, state);
    /// # Ok::<(), marshal::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// `shared-base` where the base of a derived instance is referred to from elsewhere, `unknown-value` for a handle of
    /// another graph; both with the path.
    pub fn encode(graph: &Graph<'_>) -> Result<Vec<u8>, Error> {
        Self::encode_with(graph, &EncodeOptions::new())
    }

    /// Encodes with [options](EncodeOptions).
    ///
    /// # Errors
    ///
    /// Those of [`encode`](Self::encode), and `limit-exceeded` over the bound in the options.
    pub fn encode_with(graph: &Graph<'_>, options: &EncodeOptions) -> Result<Vec<u8>, Error> {
        let mut message = Vec::new();
        codec::encode_into(graph, options, &mut message)?;
        Ok(message)
    }

    /// Encodes to the end of a caller's buffer, which grows as needed. What is in it stays; after an error it is as it was.
    ///
    /// # Examples
    ///
    /// ```
    /// use marshal::{Marshal, js};
    ///
    /// let mut buffer = Vec::with_capacity(1024);
    /// for n in 0..3 {
    ///     buffer.clear();
    ///     Marshal::encode_into(&js!([n]), &mut buffer)?;
    ///     assert_eq!(Marshal::decode(&buffer)?, js!([n]));
    /// }
    /// # Ok::<(), marshal::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Those of [`encode`](Self::encode).
    pub fn encode_into(graph: &Graph<'_>, out: &mut Vec<u8>) -> Result<(), Error> {
        codec::encode_into(graph, &EncodeOptions::new(), out)
    }

    /// Decodes a message. The graph borrows text and buffers from it.
    ///
    /// One pass, without recursion and without an allocation for each value. Whatever the bytes, the memory taken is at
    /// most 128 times their number (plus a constant), and the time linear.
    ///
    /// # Errors
    ///
    /// Whatever is wrong with the bytes, with kind, offset and path (`spec/format.md`, section 11).
    pub fn decode(bytes: &[u8]) -> Result<Graph<'_>, Error> {
        Self::decode_with(bytes, &DecodeOptions::new())
    }

    /// Decodes with [options](DecodeOptions).
    ///
    /// # Errors
    ///
    /// Those of [`decode`](Self::decode), and `limit-exceeded` over a bound in the options.
    pub fn decode_with<'a>(bytes: &'a [u8], options: &DecodeOptions) -> Result<Graph<'a>, Error> {
        codec::decode(bytes, options)
    }

    /// Decodes the message at the start of `bytes`, and says how long it is.
    ///
    /// # Examples
    ///
    /// ```
    /// use marshal::{Marshal, js};
    ///
    /// let mut stream = Marshal::encode(&js!("first"))?;
    /// stream.extend(Marshal::encode(&js!("second"))?);
    /// let (first, len) = Marshal::decode_prefix(&stream)?;
    /// let (second, _) = Marshal::decode_prefix(&stream[len..])?;
    /// assert_eq!((first, second), (js!("first"), js!("second")));
    /// # Ok::<(), marshal::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Those of [`decode`](Self::decode), except `trailing-bytes`.
    pub fn decode_prefix(bytes: &[u8]) -> Result<(Graph<'_>, usize), Error> {
        codec::decode_prefix(bytes, &DecodeOptions::new())
    }

    /// Validates a message as [`decode`](Self::decode) does, and builds nothing but what is open at a time.
    ///
    /// # Errors
    ///
    /// Those of [`decode`](Self::decode).
    pub fn check(bytes: &[u8]) -> Result<(), Error> {
        Self::check_with(bytes, &DecodeOptions::new())
    }

    /// Validates with [options](DecodeOptions).
    ///
    /// # Errors
    ///
    /// Those of [`decode_with`](Self::decode_with).
    pub fn check_with(bytes: &[u8], options: &DecodeOptions) -> Result<(), Error> {
        codec::check(bytes, options)
    }

    /// Decodes the object that was [named](EncodeOptions::entry) when the message was encoded, and what references in it
    /// stand for. Nothing else is read. [`Lazy`] reads more than one part.
    ///
    /// # Errors
    ///
    /// `not-found` where there is no such entry; what is wrong with it.
    pub fn read_from_index(bytes: &[u8], name: &str) -> Result<Graph<'static>, Error> {
        Lazy::new(bytes)?.entry(name)?.to_graph()
    }

    /// Decodes the object that was [named](Lazy::with_index) in the message to a class value. Nothing else is read.
    ///
    /// # Examples
    ///
    /// ```
    /// use marshal::{Class, Lazy, Marshal, Shared};
    ///
    /// #[derive(Class)]
    /// struct User { name: String }
    ///
    /// let users = vec![Shared::new(User { name: "Ada".into() }), Shared::new(User { name: "Grace".into() })];
    /// let (bytes, classes) = Marshal::encode_with_classes(&users)?;
    /// let lazy = Lazy::new(&bytes)?;
    /// let bytes = lazy.with_index([("the admiral", lazy.root()?.at(1)?)])?;
    ///
    /// let user: Shared<User> = Marshal::read_from_index_with_classes(&bytes, "the admiral", &classes)?;
    /// assert_eq!(user.name, "Grace");
    /// # Ok::<(), marshal::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Those of [`read_from_index`](Self::read_from_index) and of [`decode_with_classes`](Self::decode_with_classes).
    pub fn read_from_index_with_classes<T: Field>(bytes: &[u8], name: &str, classes: &Classes) -> Result<T, Error> {
        Lazy::new(bytes)?.entry(name)?.decode_with_classes(classes)
    }

    /// Encodes a class value, or anything that can be a field of one, with all it leads to: the message, and the registry
    /// of just the classes that it names, so that the two decode by themselves. Equal values give equal bytes.
    ///
    /// No graph is built in between. The cost of each further instance is one byte and its field values.
    ///
    /// # Examples
    ///
    /// See [`Class`](trait@crate::Class).
    ///
    /// # Errors
    ///
    /// `duplicate-class` where two of the classes have one name; `borrowed` where a `RefCell` is borrowed mutably or a lock
    /// is poisoned; `limit-exceeded` where values that are not behind a pointer lie more than 128 deep in one another.
    pub fn encode_with_classes<T: Field>(value: &T) -> Result<(Vec<u8>, Classes), Error> {
        class::encode(value, &Classes::new())
    }

    /// Encodes a class value with a registry, whose transformers
    /// ([`register_custom`](Classes::register_custom)) write fields of foreign types. Every class must be in it.
    ///
    /// # Examples
    ///
    /// See [`Classes::register_custom`].
    ///
    /// # Errors
    ///
    /// Those of [`encode_with_classes`](Self::encode_with_classes); `unknown-class` for one that is not registered.
    pub fn encode_using<T: Field>(value: &T, classes: &Classes) -> Result<Vec<u8>, Error> {
        let (bytes, used) = class::encode(value, classes)?;
        classes.check_has(&used)?;
        Ok(bytes)
    }

    /// Decodes a message to a class value, or anything that can be a field of one. Only classes in the registry are
    /// restored.
    ///
    /// # Examples
    ///
    /// See [`Class`](trait@crate::Class) and [`Classes`].
    ///
    /// # Errors
    ///
    /// What is wrong with the bytes, and what is wrong with the value as a `T`: `wrong-type`, `unknown-class`,
    /// `missing-field`, `unknown-field`, `cyclic-value`, `refused`, with offset and path.
    pub fn decode_with_classes<T: Field>(bytes: &[u8], classes: &Classes) -> Result<T, Error> {
        class::decode(bytes, classes)
    }

    /// Whether two class values are the same but for their identity: equal fields, and pointers that lead to the same
    /// objects in the same way. Cost: that of encoding both.
    ///
    /// # Examples
    ///
    /// ```
    /// use marshal::{Marshal, Shared};
    ///
    /// let one = Shared::new(vec![1, 2]);
    /// let (shared, apart) = (vec![one.clone(), one.clone()], vec![one.clone(), Marshal::deep_clone(&one)?]);
    /// assert!(!Marshal::deep_equal(&shared, &apart)?);
    /// assert!(Marshal::deep_equal(&shared, &Marshal::deep_clone(&shared)?)?);
    /// # Ok::<(), marshal::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Those of [`encode_with_classes`](Self::encode_with_classes).
    pub fn deep_equal<T: Field>(one: &T, other: &T) -> Result<bool, Error> {
        let known = Classes::new();
        Ok(class::encode(one, &known)?.0 == class::encode(other, &known)?.0)
    }

    /// A clone that shares nothing with the original: of a graph, nor with the message that it borrows from, by copying a
    /// few flat vectors; of a class value with all it leads to, its shared pointers and cycles kept. (A graph's own text,
    /// which nothing changes in place, stays one copy until either of the two adds to it.)
    ///
    /// # Examples
    ///
    /// ```
    /// use marshal::{Marshal, Value, js};
    ///
    /// let state = js!({ n: 1 });
    /// let mut copy = Marshal::deep_clone(&state);
    /// copy.set(copy.root().value(), "n", Value::from(2))?;
    /// assert_eq!((state, copy), (js!({ n: 1 }), js!({ n: 2 })));
    /// # Ok::<(), marshal::Error>(())
    /// ```
    pub fn deep_clone<T: DeepClone>(value: &T) -> T::Cloned {
        value.deep_clone()
    }
}

/// What [`Marshal::deep_clone`] clones: a [`Graph`], whose clone can't fail, and every [`Field`], where a `RefCell` may be
/// borrowed or a hook may refuse.
pub trait DeepClone {
    /// The clone, or why there is none.
    type Cloned;

    #[doc(hidden)]
    fn deep_clone(&self) -> Self::Cloned;
}

impl DeepClone for Graph<'_> {
    type Cloned = Graph<'static>;

    fn deep_clone(&self) -> Graph<'static> {
        self.clone().into_owned()
    }
}

impl<T: Field> DeepClone for T {
    type Cloned = Result<T, Error>;

    fn deep_clone(&self) -> Result<T, Error> {
        class::deep_clone(self)
    }
}

//! Instances in a graph as typed values.

use super::pointer::Shared;
use super::read::Reader;
use super::{Classes, Field};
use crate::codec::{encode_noting, path_at};
use crate::error::{Error, ErrorKind};
use crate::graph::{Cursor, Graph};

/// A graph whose instances are to be restored: see [`Graph::instances`].
pub struct InstanceSource {
    message: Vec<u8>,
    /// By node: the identity in the message + 1.
    identities: Vec<u32>,
}

/// Typed values of the instances in a graph: one node is always the same shared object.
pub struct Instances<'a> {
    source: &'a InstanceSource,
    reader: Reader<'a>,
}

impl Cursor<'_> {
    /// The instance that the value is, as a typed value with all it leads to.
    ///
    /// Each call makes a new value; [`Graph::instances`] makes one for each node.
    ///
    /// # Examples
    ///
    /// ```
    /// use marshal::{Class, Classes, Shared, js};
    ///
    /// #[derive(Class)]
    /// struct User { name: String }
    ///
    /// let graph = js!({ users: [User{ name: "Ada" }], more: Unknown{} });
    /// let classes = Classes::new().with::<User>();
    /// let node = graph.root().get("users").unwrap().at(0).unwrap();
    /// let ada: Shared<User> = node.instance(&classes)?;
    /// assert_eq!(ada.name, "Ada");
    /// # Ok::<(), marshal::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Those of [`decode_with_classes`](crate::Marshal::decode_with_classes), and those of encoding what is no tree.
    pub fn instance<T: Field>(self, classes: &Classes) -> Result<Shared<T>, Error> {
        super::read::decode(&crate::Marshal::encode(&self.to_graph())?, classes)
    }
}

impl Graph<'_> {
    /// What [`Instances`] are restored from. Cost: that of encoding the graph.
    ///
    /// # Examples
    ///
    /// ```
    /// use marshal::{Class, Classes, Shared, js};
    ///
    /// #[derive(Class)]
    /// struct User { name: String, friend: Option<Shared<User>> }
    ///
    /// let graph = js!([User{ name: "Ada", friend: User{ name: "Bob", friend: null } }]);
    /// let classes = Classes::new().with::<User>();
    /// let source = graph.instances()?;
    /// let mut instances = source.restore(&classes)?;
    /// let ada = graph.root().at(0).unwrap();
    /// let bob: Shared<User> = instances.get(ada.get("friend").unwrap())?;
    /// let ada: Shared<User> = instances.get(ada)?;
    /// assert_eq!(ada.friend, Some(bob));
    /// # Ok::<(), marshal::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Those of [`encode`](crate::Marshal::encode).
    pub fn instances(&self) -> Result<InstanceSource, Error> {
        let (message, identities) = encode_noting(self)?;
        Ok(InstanceSource { message, identities })
    }
}

impl InstanceSource {
    /// Begins to restore instances of these classes.
    ///
    /// # Errors
    ///
    /// What was wrong when the classes were registered.
    pub fn restore<'a>(&'a self, classes: &'a Classes) -> Result<Instances<'a>, Error> {
        let mut reader = Reader::new(&self.message, classes)?;
        // Notes where every object is; as any of them may be asked for again, all are known by identity.
        reader.source.refs = true;
        reader.skim()?;
        Ok(Instances { source: self, reader })
    }
}

impl Instances<'_> {
    /// The instance that `node`, of the same graph, is.
    ///
    /// # Errors
    ///
    /// Those of [`decode_with_classes`](crate::Marshal::decode_with_classes); `unknown-value` for a value without identity
    /// or one that the root does not reach. After an error of an object, what led to it can't be restored either.
    pub fn get<T: Field>(&mut self, node: Cursor<'_>) -> Result<Shared<T>, Error> {
        let identity = node.id().and_then(|id| self.source.identities.get(id.index())?.checked_sub(1));
        let extent = identity.and_then(|identity| self.reader.extents.get(identity as usize));
        let Some(extent) = extent else {
            return Err(Error::new(ErrorKind::UnknownValue, "no object that the root of the graph leads to"));
        };
        self.reader.go(extent.start);
        self.reader.depth = 0;
        let read = Shared::<T>::read(&mut self.reader).and_then(|value| {
            self.reader.finish_waiting()?;
            Ok(value)
        });
        read.map_err(|error| match error.offset().and_then(|at| path_at(&self.source.message, at as usize)) {
            Some(path) if error.path().is_none() => error.at_path(path),
            _ => error,
        })
    }
}

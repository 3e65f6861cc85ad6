//! Deep copies of class values: shared structure and cycles kept, nothing shared with the original, no bytes.

use std::any::Any;
use std::rc::Rc;
use std::sync::Arc;

use foldhash::fast::RandomState;
use hashbrown::HashMap;

use super::Field;
use super::node::{AnyNode, Node, SyncNode};
use super::write::{MAX_DEPTH, too_deep};
use crate::error::{Error, ErrorKind};

/// Copies the fields of class values: what a [`Field`] is given to copy itself with.
pub struct Copier {
    /// Copies, or what stands for one that is being made, by the address of the original.
    made: HashMap<usize, Made, RandomState>,
    waiting: Vec<Waiting>,
    depth: u32,
}

#[derive(Clone)]
enum Made {
    Open,
    Copy(Rc<dyn Any>),
}

/// Content that is copied later: the original and where the copy goes.
enum Waiting {
    Rc(Rc<dyn AnyNode>, Rc<dyn Any>),
    Arc(Arc<dyn AnyNode>, Arc<dyn Any>),
}

/// What pointers lead to is copied by recursion up to this depth.
const MAX_POINTER_DEPTH: u32 = 32;

/// Copies a value with all it leads to.
pub(crate) fn deep_clone<T: Field>(value: &T) -> Result<T, Error> {
    let mut copier = Copier { made: HashMap::default(), waiting: Vec::new(), depth: 0 };
    let copy = value.copy(&mut copier)?;
    while let Some(waiting) = copier.waiting.pop() {
        copier.depth = 0;
        match waiting {
            Waiting::Rc(original, copy) => original.copy_to(&*copy, &mut copier)?,
            Waiting::Arc(original, copy) => original.copy_to(&*copy, &mut copier)?,
        }
    }
    Ok(copy)
}

impl Copier {
    pub(super) fn shared<T: Field>(&mut self, original: &Rc<Node<T>>) -> Result<Rc<Node<T>>, Error> {
        let address = Rc::as_ptr(original).addr();
        if let Some(Made::Copy(copy)) = self.made.get(&address)
            && let Ok(copy) = copy.clone().downcast()
        {
            return Ok(copy);
        }
        let copy = Rc::new(Node::empty());
        self.made.insert(address, Made::Copy(copy.clone()));
        if self.depth >= MAX_POINTER_DEPTH {
            self.waiting.push(Waiting::Rc(original.clone(), copy.clone()));
        } else {
            self.depth += 1;
            original.copy_to(&*copy, self)?;
            self.depth -= 1;
        }
        Ok(copy)
    }

    pub(super) fn sync_shared<T: Field>(&mut self, original: &Arc<SyncNode<T>>) -> Result<Arc<SyncNode<T>>, Error> {
        let address = Arc::as_ptr(original).addr();
        if let Some(Made::Copy(copy)) = self.made.get(&address)
            && let Some(copy) = copy.downcast_ref::<Arc<SyncNode<T>>>()
        {
            return Ok(copy.clone());
        }
        let copy = Arc::new(SyncNode::empty());
        self.made.insert(address, Made::Copy(Rc::new(copy.clone())));
        if self.depth >= MAX_POINTER_DEPTH {
            self.waiting.push(Waiting::Arc(original.clone(), copy.clone()));
        } else {
            self.depth += 1;
            original.copy_to(&*copy, self)?;
            self.depth -= 1;
        }
        Ok(copy)
    }

    /// Something that can be pointed at only when it is complete: `wrap` puts it behind its pointer.
    pub(super) fn counted<T: Field, P: Any + Clone>(
        &mut self,
        address: usize,
        original: &T,
        wrap: impl FnOnce(T) -> P,
    ) -> Result<P, Error> {
        match self.made.get(&address) {
            Some(Made::Copy(copy)) => {
                if let Some(copy) = copy.downcast_ref::<P>() {
                    return Ok(copy.clone());
                }
            }
            Some(Made::Open) => {
                let detail = format!("a cycle through an Rc or Arc of {}; hold it through Shared", T::type_name());
                return Err(Error::new(ErrorKind::CyclicValue, detail));
            }
            None => {}
        }
        self.made.insert(address, Made::Open);
        let copy = wrap(self.nested(|copier| original.copy(copier))?);
        self.made.insert(address, Made::Copy(Rc::new(copy.clone())));
        Ok(copy)
    }

    pub(super) fn nested<T>(&mut self, copy: impl FnOnce(&mut Self) -> Result<T, Error>) -> Result<T, Error> {
        if self.depth >= MAX_DEPTH {
            return Err(too_deep());
        }
        self.depth += 1;
        let copy = copy(self)?;
        self.depth -= 1;
        Ok(copy)
    }

    /// What a hook says.
    #[doc(hidden)]
    #[cold]
    pub fn refused<T: Field>(&self, reason: &dyn std::fmt::Display) -> Error {
        Error::new(ErrorKind::Refused, format!("{} can't be restored: {reason}", T::type_name()))
    }
}

//! A graph as a field: values whose types the program does not know.

use std::ops::{Deref, DerefMut};

use crate::class::{Copier, Field, Identity, Reader, Writer};
use crate::codec::{self, DecodeOptions, EncodeOptions};
use crate::error::Error;
use crate::graph::Graph;

/// A [`Graph`] as a field: any value at all, also instances of classes that are not registered.
///
/// What it shares inside stays shared. An object that it shares with the rest of the message is copied.
///
/// # Examples
///
/// ```
/// use marshal::{Class, Marshal, class::Data, js};
///
/// #[derive(Class)]
/// struct Event { name: String, detail: Data }
///
/// let event = Event { name: "click".into(), detail: Data(js!({ at: [3, 4], target: Button{ id: 7 } })) };
/// let (bytes, classes) = Marshal::encode_with_classes(&event)?;
/// let event: Event = Marshal::decode_with_classes(&bytes, &classes)?;
/// assert_eq!(event.detail.root().get("target").unwrap().class().unwrap().name(), "Button");
/// # Ok::<(), marshal::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Data(pub Graph<'static>);

impl Deref for Data {
    type Target = Graph<'static>;

    fn deref(&self) -> &Graph<'static> {
        &self.0
    }
}

impl DerefMut for Data {
    fn deref_mut(&mut self) -> &mut Graph<'static> {
        &mut self.0
    }
}

impl Field for Data {
    const IDENTITY: Identity = Identity::None;
    const NULLABLE: bool = true;

    fn type_name() -> String {
        "Data".to_owned()
    }

    fn write(&self, to: &mut Writer) -> Result<(), Error> {
        let mut bytes = Vec::new();
        codec::encode_into(&self.0, &EncodeOptions::new(), &mut bytes)?;
        to.message(bytes)
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, Error> {
        let bytes = from.extract()?;
        codec::decode(&bytes, &DecodeOptions::new()).map(|graph| Data(graph.into_owned()))
    }

    fn copy(&self, _: &mut Copier) -> Result<Self, Error> {
        Ok(self.clone())
    }
}

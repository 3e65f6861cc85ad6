//! Classes: Rust values as instances of JavaScript classes, typed and with identity, to bytes and back.
//!
//! What users need is at the root of the crate: [`Class`] and its derive, [`Classes`], [`Shared`] and [`Weak`]. Here is
//! what fields are made of.

mod classes;
mod copy;
mod custom;
mod defer;
mod describe;
mod drop;
mod field;
mod fields;
mod follow;
mod found;
mod instances;
mod items;
mod known;
mod lazy;
mod node;
mod plan;
mod pointer;
mod read;
mod rest;
mod shapes;
mod skim;
mod sync_node;
mod write;

pub use classes::Classes;
pub use copy::Copier;
pub(crate) use copy::deep_clone;
pub use describe::Class;
#[doc(hidden)]
pub use describe::{Description, Flatten, generic_name};
pub use field::{Field, Identity};
pub use fields::{Data, Date, ErrorBase, TypedArray};
pub use instances::{InstanceSource, Instances};
#[doc(hidden)]
pub use items::{Items, items_of};
#[doc(hidden)]
pub use known::{Known, Pointers};
pub use node::Pointee;
#[doc(hidden)]
pub use node::{
    AnyNode, Implements, InstanceOf, Node, NodeOf, SyncNode, Target, TraitTag, copy_shared_as, declare,
    read_boxed_object, read_shared_object,
};
#[doc(hidden)]
pub use plan::{Instance, Opened};
pub use pointer::{Shared, SyncShared, SyncWeak, Weak};
pub use read::Reader;
pub(crate) use read::decode;
#[doc(hidden)]
pub use rest::Rest;
pub use sync_node::SyncPointee;
#[doc(hidden)]
pub use sync_node::{
    SyncImplements, SyncNodeOf, copy_sync_as, declare_sync, read_sync_object, register_sync, register_sync_fallback,
};
pub use write::Writer;
pub(crate) use write::encode;

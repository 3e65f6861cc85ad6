//! Property keys as users give them.

use super::bytes::bytes_of;
use super::shape::Key;
use super::slot::{Slot, Value};
use super::text::{JsStr, well_formed};

/// A Symbol of a graph, as a handle: a [`Value`] or a [`PropertyKey`] is made from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct SymbolId(pub(crate) u32);

impl From<SymbolId> for Value {
    fn from(symbol: SymbolId) -> Value {
        Value(Slot::Symbol(symbol.0))
    }
}

/// The key of a property: a string or a Symbol. Made from `&str`, [`JsStr`] or [`SymbolId`]; array indices are the
/// strings that they are in JavaScript (`"7"`).
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct PropertyKey<'k>(Form<'k>);

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Form<'k> {
    Lent(JsStr<'k>),
    Utf8(String),
    /// Little-endian code units with a lone surrogate.
    Utf16(Vec<u8>),
    Symbol(u32),
}

impl PropertyKey<'_> {
    /// The key that these code units are; they may hold lone surrogates.
    pub fn utf16(units: &[u16]) -> PropertyKey<'static> {
        PropertyKey(match well_formed(units.iter().copied()) {
            Some(text) => Form::Utf8(text),
            None => Form::Utf16(bytes_of(units).into_owned()),
        })
    }

    pub(crate) fn lend(&self) -> Key<'_> {
        match &self.0 {
            Form::Lent(text) => Key::String(*text),
            Form::Utf8(text) => Key::String(JsStr::utf8(text)),
            Form::Utf16(units) => Key::String(JsStr::utf16(units)),
            Form::Symbol(index) => Key::Symbol(*index),
        }
    }
}

impl<'k> From<&'k str> for PropertyKey<'k> {
    fn from(text: &'k str) -> Self {
        PropertyKey(Form::Lent(JsStr::utf8(text)))
    }
}

impl<'k> From<&'k String> for PropertyKey<'k> {
    fn from(text: &'k String) -> Self {
        text.as_str().into()
    }
}

impl From<String> for PropertyKey<'_> {
    fn from(text: String) -> Self {
        PropertyKey(Form::Utf8(text))
    }
}

impl<'k> From<JsStr<'k>> for PropertyKey<'k> {
    fn from(text: JsStr<'k>) -> Self {
        PropertyKey(Form::Lent(text))
    }
}

impl From<SymbolId> for PropertyKey<'_> {
    fn from(symbol: SymbolId) -> Self {
        PropertyKey(Form::Symbol(symbol.0))
    }
}

impl<'k> From<Key<'k>> for PropertyKey<'k> {
    fn from(key: Key<'k>) -> Self {
        PropertyKey(match key {
            Key::String(text) => Form::Lent(text),
            Key::Symbol(index) => Form::Symbol(index),
        })
    }
}

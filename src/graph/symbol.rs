//! The four kinds of Symbol.

use super::key::SymbolId;
use super::text::JsStr;

/// A Symbol of a graph. Unique symbols are told apart by their index in the graph's table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Symbol<'g> {
    pub(crate) kind: SymbolKind<'g>,
    pub(crate) index: u32,
}

/// What makes a Symbol what it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SymbolKind<'g> {
    /// `Symbol()`
    Unique,
    /// `Symbol(description)`
    Described(JsStr<'g>),
    /// `Symbol.for(key)`
    Registered(JsStr<'g>),
    /// `Symbol.iterator` and its like
    WellKnown(WellKnown),
}

impl<'g> Symbol<'g> {
    /// The handle of the Symbol in its graph, to make values and property keys of.
    pub fn id(self) -> SymbolId {
        SymbolId(self.index)
    }

    /// Which kind of Symbol it is, with its description or key.
    pub fn kind(self) -> SymbolKind<'g> {
        self.kind
    }
}

macro_rules! well_known {
    ($($variant:ident $name:literal,)*) => {
        /// The well-known symbols (ECMA-262, section 6.1.5.1).
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[allow(missing_docs, reason = "the names are the symbols'")]
        #[non_exhaustive]
        pub enum WellKnown { $($variant,)* }

        impl WellKnown {
            /// Every well-known symbol, in the order of the specification's list.
            pub const ALL: &'static [WellKnown] = &[$(WellKnown::$variant,)*];

            /// The name of the property of `Symbol` that holds it, as in `iterator`.
            pub fn name(self) -> &'static str {
                match self { $(WellKnown::$variant => $name,)* }
            }

            /// The symbol that `Symbol[name]` is.
            pub fn from_name(name: &str) -> Option<WellKnown> {
                match name { $($name => Some(WellKnown::$variant),)* _ => None }
            }
        }
    };
}

well_known! {
    AsyncDispose "asyncDispose",
    AsyncIterator "asyncIterator",
    Dispose "dispose",
    HasInstance "hasInstance",
    IsConcatSpreadable "isConcatSpreadable",
    Iterator "iterator",
    Match "match",
    MatchAll "matchAll",
    Replace "replace",
    Search "search",
    Species "species",
    Split "split",
    ToPrimitive "toPrimitive",
    ToStringTag "toStringTag",
    Unscopables "unscopables",
}

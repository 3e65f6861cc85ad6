//! One value in 16 bytes: what arrays, objects and the root are made of.

use super::node::NodeId;

/// A value of a [`Graph`](super::Graph): a small copyable handle.
///
/// Undefined, null, booleans and numbers are whole in themselves and mean the same in every graph. Other values refer
/// to what their graph holds, so they mean something in that graph (and its clones) only;
/// [`Graph::import`](super::Graph::import) carries a value over to another one.
///
/// # Examples
///
/// ```
/// use marshal::{Graph, Value};
///
/// let mut graph = Graph::new();
/// let name = graph.string("Ada");
/// let list = graph.array([Value::from(1), Value::TRUE, name, Value::UNDEFINED]);
/// graph.set_root(list);
/// assert_eq!(graph.to_string(), r#"[1, true, "Ada", undefined]"#);
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Value(pub(crate) Slot);

#[derive(Debug, Clone, Copy)]
pub(crate) enum Slot {
    Undefined,
    Null,
    Bool(bool),
    /// Never a NaN other than `f64::NAN`.
    Number(f64),
    Text(Extent),
    BigInt(Extent),
    /// Index in the table of symbols.
    Symbol(u32),
    Node(NodeId),
}

/// Where a string or the magnitude of a BigInt stands: three words, so that a slot takes 16 bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Extent {
    len: u32,
    at_low: u32,
    /// The top bit is the flag.
    at_high: u32,
}

const FLAG: u32 = 1 << 31;

impl Extent {
    #[inline]
    pub(crate) fn new(flag: bool, len: u32, at: u64) -> Self {
        Extent { len, at_low: at as u32, at_high: (at >> 32) as u32 | if flag { FLAG } else { 0 } }
    }

    /// Of a string: it has a lone surrogate and stands in the graph's bytes as code units; else it stands in the graph's
    /// text as UTF-8. Of a BigInt: it is negative; its magnitude stands in the graph's bytes.
    #[inline]
    pub(crate) fn flag(self) -> bool {
        self.at_high & FLAG != 0
    }

    /// Bytes; code units where the flag says so.
    #[inline]
    pub(crate) fn len(self) -> u32 {
        self.len
    }

    /// Both in one: that of a string in UTF-8 is its place.
    #[inline]
    pub(crate) fn flag_and_at(self) -> u64 {
        u64::from(self.at_low) | u64::from(self.at_high) << 32
    }

    #[inline]
    pub(crate) fn at(self) -> u64 {
        u64::from(self.at_low) | u64::from(self.at_high & !FLAG) << 32
    }
}

impl Value {
    /// `undefined`
    pub const UNDEFINED: Value = Value(Slot::Undefined);
    /// `null`
    pub const NULL: Value = Value(Slot::Null);
    /// `true`
    pub const TRUE: Value = Value(Slot::Bool(true));
    /// `false`
    pub const FALSE: Value = Value(Slot::Bool(false));

    /// A Number. Every NaN becomes the one NaN that JavaScript has.
    #[inline]
    pub fn number(number: f64) -> Value {
        Value(Slot::number(number))
    }
}

impl Slot {
    #[inline]
    pub(crate) fn number(number: f64) -> Slot {
        Slot::Number(if number.is_nan() { f64::NAN } else { number })
    }

    #[inline]
    pub(crate) fn node(self) -> Option<NodeId> {
        match self {
            Slot::Node(id) => Some(id),
            _ => None,
        }
    }

    pub(crate) fn is_minus_zero(self) -> bool {
        matches!(self, Slot::Number(number) if number == 0.0 && number.is_sign_negative())
    }

    /// Whether `Object(value)` makes a wrapper around it.
    pub(crate) fn is_boxable(self) -> bool {
        matches!(self, Slot::Bool(_) | Slot::Number(_) | Slot::Text(_) | Slot::BigInt(_) | Slot::Symbol(_))
    }
}

macro_rules! exact_numbers {
    ($($int:ty)*) => {
        $(impl From<$int> for Value {
            #[inline]
            fn from(number: $int) -> Value {
                Value(Slot::Number(f64::from(number)))
            }
        })*
    };
}

exact_numbers!(u8 u16 u32 i8 i16 i32);

impl From<f64> for Value {
    #[inline]
    fn from(number: f64) -> Value {
        Value::number(number)
    }
}

impl From<f32> for Value {
    #[inline]
    fn from(number: f32) -> Value {
        Value::number(f64::from(number))
    }
}

impl From<bool> for Value {
    #[inline]
    fn from(value: bool) -> Value {
        Value(Slot::Bool(value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_takes_16_bytes() {
        assert_eq!(size_of::<Value>(), 16);
    }
}

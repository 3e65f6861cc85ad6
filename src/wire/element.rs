//! The kinds of numeric element (`spec/format.md`, section 3).

/// The kind of the elements of a typed array, a packed array or a view.
///
/// [`DataView`](ElementKind::DataView) is the kind of a view that has no elements of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ElementKind {
    /// `Int8Array`
    Int8 = 0,
    /// `Uint8Array`
    Uint8 = 1,
    /// `Uint8ClampedArray`
    Uint8Clamped = 2,
    /// `Int16Array`
    Int16 = 3,
    /// `Uint16Array`
    Uint16 = 4,
    /// `Int32Array`
    Int32 = 5,
    /// `Uint32Array`
    Uint32 = 6,
    /// `Float16Array`
    Float16 = 7,
    /// `Float32Array`
    Float32 = 8,
    /// `Float64Array`
    Float64 = 9,
    /// `BigInt64Array`
    BigInt64 = 10,
    /// `BigUint64Array`
    BigUint64 = 11,
    /// `DataView`
    DataView = 12,
}

impl ElementKind {
    /// Every kind, in the order of its code.
    pub const ALL: [ElementKind; 13] = {
        use ElementKind::*;
        [
            Int8,
            Uint8,
            Uint8Clamped,
            Int16,
            Uint16,
            Int32,
            Uint32,
            Float16,
            Float32,
            Float64,
            BigInt64,
            BigUint64,
            DataView,
        ]
    };

    pub(crate) fn from_code(code: u8) -> Option<Self> {
        Self::ALL.get(usize::from(code)).copied()
    }

    pub(crate) const fn code(self) -> u8 {
        self as u8
    }

    /// Bytes of one element; 1 for a `DataView`.
    pub fn size(self) -> usize {
        match self {
            Self::Int8 | Self::Uint8 | Self::Uint8Clamped | Self::DataView => 1,
            Self::Int16 | Self::Uint16 | Self::Float16 => 2,
            Self::Int32 | Self::Uint32 | Self::Float32 => 4,
            Self::Float64 | Self::BigInt64 | Self::BigUint64 => 8,
        }
    }

    /// Whether the elements of an ordinary array may be packed as this kind.
    pub(crate) fn packs(self) -> bool {
        !matches!(self, Self::Uint8Clamped | Self::Float16 | Self::BigInt64 | Self::BigUint64 | Self::DataView)
    }

    /// The name of the constructor, as in `Float64Array`.
    pub fn constructor(self) -> &'static str {
        match self {
            Self::Int8 => "Int8Array",
            Self::Uint8 => "Uint8Array",
            Self::Uint8Clamped => "Uint8ClampedArray",
            Self::Int16 => "Int16Array",
            Self::Uint16 => "Uint16Array",
            Self::Int32 => "Int32Array",
            Self::Uint32 => "Uint32Array",
            Self::Float16 => "Float16Array",
            Self::Float32 => "Float32Array",
            Self::Float64 => "Float64Array",
            Self::BigInt64 => "BigInt64Array",
            Self::BigUint64 => "BigUint64Array",
            Self::DataView => "DataView",
        }
    }
}

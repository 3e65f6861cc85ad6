//! The tag table (`spec/format.md`, section 3). `src/spec_tests.rs` holds it equal to `spec/tags.json`.

/// Names each tag and lists it with its range of bytes, for the test that compares with the specification.
macro_rules! tags {
    ($($name:ident = $first:literal $(..= $last:literal)?,)*) => {
        $(pub(crate) const $name: u8 = $first;)*

        /// Name, first and last byte of each tag.
        #[cfg(test)]
        pub(crate) const TABLE: &[(&str, u8, u8)] = &[$((stringify!($name), $first, tags!(@last $first $(, $last)?)),)*];
    };
    (@last $first:literal) => { $first };
    (@last $first:literal, $last:literal) => { $last };
}

tags! {
    INT = 0x00 ..= 0x3F,
    STRING = 0x40 ..= 0x7F,
    ARRAY = 0x80 ..= 0x9F,
    OBJECT = 0xA0 ..= 0xBF,
    NULL = 0xC0,
    UNDEFINED = 0xC1,
    FALSE = 0xC2,
    TRUE = 0xC3,
    U8 = 0xC4,
    U16 = 0xC5,
    U32 = 0xC6,
    I8 = 0xC7,
    I16 = 0xC8,
    I32 = 0xC9,
    F32 = 0xCA,
    F64 = 0xCB,
    BIGINT = 0xCC,
    BIGINT_NEGATIVE = 0xCD,
    STRING_LONG = 0xCE,
    STRING_UTF16 = 0xCF,
    ARRAY_LONG = 0xD0,
    ARRAY_SPARSE = 0xD1,
    ARRAY_PACKED = 0xD2,
    OBJECT_LONG = 0xD3,
    DICTIONARY = 0xD4,
    DICTIONARY_NULL = 0xD5,
    MAP = 0xD6,
    SET = 0xD7,
    DATE = 0xD8,
    REGEXP = 0xD9,
    SYMBOL = 0xDA,
    BOXED = 0xDB,
    BUFFER = 0xDC,
    BUFFER_RESIZABLE = 0xDD,
    TYPED_ARRAY = 0xDE,
    VIEW = 0xDF,
    REFERENCE = 0xE0,
    INTERN = 0xE1,
    INTERNED = 0xE2,
    RECORDS = 0xE3,
}

/// The largest number that an `INT`, `STRING`, `ARRAY` or `OBJECT` tag holds in itself.
pub(crate) const INT_MAX: u8 = 0x3F;
pub(crate) const STRING_MAX: u64 = 0x3F;
pub(crate) const ARRAY_MAX: u64 = 0x1F;
pub(crate) const OBJECT_MAX: u64 = 0x1F;

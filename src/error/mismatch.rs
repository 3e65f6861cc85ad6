//! What was found where something else was expected: kept as it is, and put into words when it is shown.
//!
//! A type that tries one form after another (serde's untagged enums) makes such an error for each, and drops it.

#![cfg_attr(not(feature = "serde"), allow(dead_code))]

use std::fmt::{self, Write as _};

/// A value that does not fit.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Mismatch {
    /// What kind of mistake it is: the words begin with it.
    what: &'static str,
    pub(crate) found: Found,
    /// What was found, where it is a text.
    pub(crate) text: Excerpt,
    expected: Excerpt,
}

/// The value.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Found {
    Bool(bool),
    Unsigned(u64),
    Signed(i64),
    /// The bits of an `f64`.
    Float(u64),
    Text,
}

/// The beginning of a text.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Excerpt {
    bytes: [u8; Excerpt::MOST],
    len: usize,
    is_cut: bool,
}

impl Mismatch {
    #[inline]
    pub(super) fn new(what: &'static str) -> Self {
        Mismatch { what, found: Found::Text, text: Excerpt::EMPTY, expected: Excerpt::EMPTY }
    }

    /// Notes what was expected, if it is not too long.
    pub(super) fn expects(&mut self, expected: &dyn fmt::Display) -> bool {
        write!(self.expected, "{expected}").is_ok()
    }
}

impl Excerpt {
    /// Bytes of text that are kept.
    const MOST: usize = 48;

    const EMPTY: Excerpt = Excerpt { bytes: [0; Self::MOST], len: 0, is_cut: false };

    /// Adds as much of `text` as there is room for. Whether that is all.
    pub(crate) fn put(&mut self, text: &str) -> bool {
        let room = &mut self.bytes[self.len..];
        let mut len = text.len().min(room.len());
        while !text.is_char_boundary(len) {
            len -= 1;
        }
        room[..len].copy_from_slice(&text.as_bytes()[..len]);
        self.len += len;
        self.is_cut = len < text.len();
        !self.is_cut
    }
}

impl fmt::Write for Excerpt {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        if self.put(text) { Ok(()) } else { Err(fmt::Error) }
    }
}

impl fmt::Display for Excerpt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Only whole characters were put there.
        f.write_str(std::str::from_utf8(&self.bytes[..self.len]).unwrap_or_default())
    }
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.what)?;
        match &self.found {
            Found::Bool(flag) => write!(f, "boolean `{flag}`"),
            Found::Unsigned(n) => write!(f, "integer `{n}`"),
            Found::Signed(n) => write!(f, "integer `{n}`"),
            Found::Float(bits) => match f64::from_bits(*bits) {
                n if n.is_finite() && n.trunc() == n => write!(f, "floating point `{n:.1}`"),
                n => write!(f, "floating point `{n}`"),
            },
            Found::Text => write!(f, "string {:?}{}", self.text.to_string(), if self.text.is_cut { "…" } else { "" }),
        }?;
        write!(f, ", expected {}", self.expected)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mismatch_is_worded_as_serde_words_it() {
        for (found, words) in [
            (Found::Bool(true), "boolean `true`"),
            (Found::Unsigned(7), "integer `7`"),
            (Found::Signed(-7), "integer `-7`"),
            (Found::Float(1f64.to_bits()), "floating point `1.0`"),
            (Found::Float((-0.5f64).to_bits()), "floating point `-0.5`"),
            (Found::Float(f64::INFINITY.to_bits()), "floating point `inf`"),
            (Found::Text, r#"string "a\"b""#),
        ] {
            let mut mismatch = Mismatch { found, ..Mismatch::new("invalid type") };
            assert!(mismatch.text.put("a\"b"));
            assert!(mismatch.expects(&"i32"));
            assert_eq!(mismatch.to_string(), format!("invalid type: {words}, expected i32"));
        }
    }

    #[test]
    fn a_long_text_is_cut_between_two_characters() {
        for (text, kept) in
            [("é".repeat(40), "é".repeat(24)), (format!("a{}", "é".repeat(40)), format!("a{}", "é".repeat(23)))]
        {
            let mut mismatch = Mismatch::new("invalid value");
            mismatch.text.put(&text);
            assert_eq!(mismatch.to_string(), format!("invalid value: string {kept:?}…, expected "));
        }
        let expects = |len| Mismatch::new("").expects(&"x".repeat(len));
        assert!(expects(48) && !expects(49));
    }
}

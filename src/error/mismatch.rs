//! What was found where something else was expected: kept as it is, and put into words when it is shown.
//!
//! A type that tries one form after another (serde's untagged enums) makes such an error for each, and drops it.

#![cfg_attr(not(feature = "serde"), allow(dead_code))]

use std::fmt;

/// A value that does not fit. It is made in places that are in a hurry, so it is small.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Mismatch {
    pub(crate) found: Found,
    /// The text that was found, if it is one, and what was expected.
    words: [u8; Mismatch::ROOM],
    text: u8,
    len: u8,
    is_cut: bool,
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

impl Mismatch {
    /// Bytes of words.
    const ROOM: usize = 64;
    /// Bytes of a text that are kept.
    const MOST: usize = 32;

    #[inline]
    pub(super) fn new() -> Self {
        Mismatch { found: Found::Text, words: [0; Self::ROOM], text: 0, len: 0, is_cut: false }
    }

    /// A text was found: keeps its beginning.
    pub(crate) fn found_text(&mut self, text: &str) {
        let mut len = text.len().min(Self::MOST);
        while !text.is_char_boundary(len) {
            len -= 1;
        }
        self.words[..len].copy_from_slice(&text.as_bytes()[..len]);
        (self.found, self.text, self.len) = (Found::Text, len as u8, len as u8);
        self.is_cut = len < text.len();
    }

    fn words(&self, from: u8, to: u8) -> &str {
        // Only whole characters were put there.
        std::str::from_utf8(&self.words[from.into()..to.into()]).unwrap_or_default()
    }
}

/// What is written is what was expected. An error where there is no room for it.
impl fmt::Write for Mismatch {
    fn write_str(&mut self, words: &str) -> fmt::Result {
        let from = usize::from(self.len);
        let place = self.words.get_mut(from..from + words.len()).ok_or(fmt::Error)?;
        place.copy_from_slice(words.as_bytes());
        self.len += words.len() as u8;
        Ok(())
    }
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.found {
            Found::Bool(flag) => write!(f, "boolean `{flag}`"),
            Found::Unsigned(n) => write!(f, "integer `{n}`"),
            Found::Signed(n) => write!(f, "integer `{n}`"),
            Found::Float(bits) => match f64::from_bits(*bits) {
                n if n.is_finite() && n.trunc() == n => write!(f, "floating point `{n:.1}`"),
                n => write!(f, "floating point `{n}`"),
            },
            Found::Text => write!(f, "string {:?}{}", self.words(0, self.text), if self.is_cut { "…" } else { "" }),
        }?;
        write!(f, ", expected {}", self.words(self.text, self.len))
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

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
            let mut mismatch = Mismatch::new();
            mismatch.found_text("a\"b");
            mismatch.found = found;
            ["one", " of ", "two"].into_iter().try_for_each(|words| mismatch.write_str(words)).unwrap();
            assert_eq!(mismatch.to_string(), format!("{words}, expected one of two"));
        }
    }

    #[test]
    fn a_long_text_is_cut_between_two_characters() {
        for (text, kept) in
            [("é".repeat(40), "é".repeat(16)), (format!("a{}", "é".repeat(40)), format!("a{}", "é".repeat(15)))]
        {
            let mut mismatch = Mismatch::new();
            mismatch.found_text(&text);
            assert_eq!(mismatch.to_string(), format!("string {kept:?}…, expected "));
        }
    }

    #[test]
    fn what_is_expected_is_kept_whole_or_refused() {
        let mut mismatch = Mismatch::new();
        mismatch.found_text("abcd");
        assert!(mismatch.write_str(&"x".repeat(61)).is_err());
        mismatch.write_str(&"x".repeat(60)).unwrap();
        assert_eq!(mismatch.to_string(), format!("string \"abcd\", expected {}", "x".repeat(60)));
        assert!(mismatch.write_str("y").is_err());
    }
}

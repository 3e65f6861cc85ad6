//! Regular expressions: flags, and which texts can stand between the slashes of a literal.

use std::fmt;

use super::text::JsStr;

/// The flags of a RegExp.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct RegExpFlags(u8);

/// The letters from bit 0 up (`spec/format.md`, section 8).
const LETTERS: [char; 8] = ['d', 'g', 'i', 'm', 's', 'u', 'v', 'y'];
const UNICODE: u8 = 1 << 5;
const UNICODE_SETS: u8 = 1 << 6;

impl RegExpFlags {
    /// The flags with these letters, each at most once. `None` for others, and for `u` together with `v`.
    pub fn parse(letters: &str) -> Option<RegExpFlags> {
        let mut bits = 0u8;
        for letter in letters.chars() {
            let bit = 1 << LETTERS.iter().position(|&known| known == letter)?;
            if bits & bit != 0 {
                return None;
            }
            bits |= bit;
        }
        RegExpFlags::from_bits(bits)
    }

    /// The flags as one byte. `None` for `u` together with `v`.
    pub(crate) fn from_bits(bits: u8) -> Option<RegExpFlags> {
        (bits & (UNICODE | UNICODE_SETS) != UNICODE | UNICODE_SETS).then_some(RegExpFlags(bits))
    }

    pub(crate) fn bits(self) -> u8 {
        self.0
    }

    /// Whether the flag with this letter is set.
    pub fn contains(self, letter: char) -> bool {
        LETTERS.iter().position(|&known| known == letter).is_some_and(|bit| self.0 & (1 << bit) != 0)
    }
}

impl fmt::Display for RegExpFlags {
    /// The letters in the order of the `flags` property.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        LETTERS.into_iter().filter(|&letter| self.contains(letter)).try_for_each(|letter| write!(f, "{letter}"))
    }
}

/// What a code unit of a source needs to stand in a literal.
enum Need {
    Nothing,
    /// An unescaped `/` outside a class.
    Backslash,
    /// A line terminator.
    Escape(&'static str),
}

/// Follows escapes and classes through a source.
#[derive(Default)]
struct Scan {
    escaped: bool,
    class: bool,
}

impl Scan {
    fn next(&mut self, unit: u16) -> Need {
        let escaped = std::mem::take(&mut self.escaped);
        // Within a code unit that is not ASCII nothing below can match but the line terminators.
        match unit {
            0x0A => return Need::Escape(if escaped { "n" } else { "\\n" }),
            0x0D => return Need::Escape(if escaped { "r" } else { "\\r" }),
            0x2028 => return Need::Escape(if escaped { "u2028" } else { "\\u2028" }),
            0x2029 => return Need::Escape(if escaped { "u2029" } else { "\\u2029" }),
            _ if escaped => return Need::Nothing,
            0x5C => self.escaped = true,
            0x5B => self.class = true,
            0x5D => self.class = false,
            0x2F if !self.class => return Need::Backslash,
            _ => {}
        }
        Need::Nothing
    }
}

/// Whether `source` is what the `source` property of a RegExp can be.
pub(crate) fn is_source(source: JsStr<'_>) -> bool {
    let mut scan = Scan::default();
    !source.is_empty() && source.code_units().all(|unit| matches!(scan.next(unit), Need::Nothing)) && !scan.escaped
}

/// ECMA-262's EscapeRegExpPattern: the `source` property of a RegExp made from `pattern`.
pub(crate) fn escape_pattern(pattern: JsStr<'_>) -> Vec<u16> {
    if pattern.is_empty() {
        return "(?:)".encode_utf16().collect();
    }
    let mut scan = Scan::default();
    let mut source = Vec::new();
    for unit in pattern.code_units() {
        match scan.next(unit) {
            Need::Nothing => source.push(unit),
            Need::Backslash => source.extend([0x5C, unit]),
            Need::Escape(text) => source.extend(text.encode_utf16()),
        }
    }
    source
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_are_letters_in_order() {
        assert_eq!(RegExpFlags::parse("yg").unwrap().to_string(), "gy");
        assert_eq!(RegExpFlags::parse("gg"), None);
        assert_eq!(RegExpFlags::parse("uv"), None);
        assert_eq!(RegExpFlags::parse("x"), None);
        assert_eq!(RegExpFlags::from_bits(0xFF), None);
    }

    #[test]
    fn patterns_become_sources() {
        for (pattern, source) in [
            ("", "(?:)"),
            ("a/b", "a\\/b"),
            ("a\\/b", "a\\/b"),
            ("[/]", "[/]"),
            ("\n", "\\n"),
            ("\\\n", "\\n"),
            ("\u{2028}", "\\u2028"),
        ] {
            let escaped = String::from_utf16(&escape_pattern(pattern.into())).unwrap();
            assert_eq!(escaped, source);
            assert!(is_source(source.into()));
            assert_eq!(is_source(pattern.into()), pattern == source, "{pattern:?}");
        }
        assert!(!is_source("a\\".into()));
    }
}

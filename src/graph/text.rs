//! Strings as JavaScript has them, and the store that lends them.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use byteorder::{ByteOrder, LittleEndian};

/// A JavaScript string, lent: UTF-8, or 16-bit code units where it has a lone surrogate.
///
/// One string has one form, so equality and hashing are by content.
///
/// # Examples
///
/// ```
/// use marshal::Graph;
///
/// let mut graph = Graph::new();
/// let lone = graph.string_utf16(&[0x61, 0xD800]);
/// graph.set_root(lone);
/// let text = graph.root().text().unwrap();
/// assert_eq!(text.as_str(), None);
/// assert_eq!(text.to_string_lossy(), "a\u{FFFD}");
/// assert_eq!(text.code_units().collect::<Vec<_>>(), [0x61, 0xD800]);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct JsStr<'g>(Form<'g>);

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Form<'g> {
    Utf8(&'g str),
    /// Little-endian code units; at least one is a lone surrogate.
    Utf16(&'g [u8]),
}

impl<'g> JsStr<'g> {
    #[inline]
    pub(crate) fn utf8(text: &'g str) -> Self {
        JsStr(Form::Utf8(text))
    }

    /// `units`: little-endian code units with a lone surrogate among them.
    pub(crate) fn utf16(units: &'g [u8]) -> Self {
        JsStr(Form::Utf16(units))
    }

    /// The string as UTF-8, unless it has a lone surrogate.
    #[inline]
    pub fn as_str(self) -> Option<&'g str> {
        match self.0 {
            Form::Utf8(text) => Some(text),
            Form::Utf16(_) => None,
        }
    }

    /// The little-endian code units of a string that has a lone surrogate.
    pub(crate) fn as_utf16(self) -> Option<&'g [u8]> {
        match self.0 {
            Form::Utf8(_) => None,
            Form::Utf16(units) => Some(units),
        }
    }

    /// The bytes that the string takes in memory, in either form.
    #[inline]
    pub(crate) fn bytes(self) -> &'g [u8] {
        match self.0 {
            Form::Utf8(text) => text.as_bytes(),
            Form::Utf16(units) => units,
        }
    }

    /// The string as UTF-8, with U+FFFD in place of each lone surrogate.
    pub fn to_string_lossy(self) -> Cow<'g, str> {
        match self.0 {
            Form::Utf8(text) => Cow::Borrowed(text),
            Form::Utf16(_) => char::decode_utf16(self.code_units())
                .map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER))
                .collect::<String>()
                .into(),
        }
    }

    /// The string's 16-bit code units.
    pub fn code_units(self) -> impl Iterator<Item = u16> + 'g {
        let (utf8, utf16) = match self.0 {
            Form::Utf8(text) => (text, &[][..]),
            Form::Utf16(units) => ("", units),
        };
        utf8.encode_utf16().chain(utf16.chunks_exact(2).map(LittleEndian::read_u16))
    }

    /// Whether the string is empty.
    pub fn is_empty(self) -> bool {
        self.0 == Form::Utf8("")
    }

    /// The array index (`spec/format.md`, section 1) that the string is the canonical text of.
    pub(crate) fn array_index(self) -> Option<u32> {
        let text = self.as_str()?;
        let canonical = match text.as_bytes() {
            [b'0'] => true,
            [b'1'..=b'9', rest @ ..] => rest.len() < 10 && rest.iter().all(u8::is_ascii_digit),
            _ => false,
        };
        if !canonical {
            return None;
        }
        text.parse().ok().filter(|&index| index != u32::MAX)
    }

    /// How it is written in JavaScript, with quotes and escapes.
    pub(crate) fn write_quoted(self, out: &mut impl fmt::Write) -> fmt::Result {
        out.write_char('"')?;
        match self.0 {
            Form::Utf8(text) => text.chars().try_for_each(|c| write_escaped(out, c))?,
            Form::Utf16(_) => {
                for unit in char::decode_utf16(self.code_units()) {
                    match unit {
                        Ok(c) => write_escaped(out, c)?,
                        Err(lone) => write!(out, "\\u{:04X}", lone.unpaired_surrogate())?,
                    }
                }
            }
        }
        out.write_char('"')
    }
}

fn write_escaped(out: &mut impl fmt::Write, c: char) -> fmt::Result {
    match c {
        '"' => out.write_str("\\\""),
        '\\' => out.write_str("\\\\"),
        '\n' => out.write_str("\\n"),
        '\r' => out.write_str("\\r"),
        '\t' => out.write_str("\\t"),
        c if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{FEFF}') => {
            write!(out, "\\u{{{:X}}}", u32::from(c))
        }
        c => out.write_char(c),
    }
}

impl<'g> From<&'g str> for JsStr<'g> {
    fn from(text: &'g str) -> Self {
        JsStr::utf8(text)
    }
}

impl PartialEq<str> for JsStr<'_> {
    fn eq(&self, other: &str) -> bool {
        self.0 == Form::Utf8(other)
    }
}

impl PartialEq<&str> for JsStr<'_> {
    fn eq(&self, other: &&str) -> bool {
        self.0 == Form::Utf8(other)
    }
}

impl fmt::Display for JsStr<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_string_lossy())
    }
}

impl fmt::Debug for JsStr<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write_quoted(f)
    }
}

/// What `units` are as UTF-8, unless a surrogate among them is lone.
pub(crate) fn well_formed(units: impl Iterator<Item = u16>) -> Option<String> {
    char::decode_utf16(units).collect::<Result<String, _>>().ok()
}

/// Text that is borrowed from a message, followed by text of the graph's own. Positions count through both.
///
/// Nothing changes text that is there, so clones share their own text until one of them adds to it.
#[derive(Debug, Clone, Default)]
pub(crate) struct TextStore<'a> {
    base: &'a str,
    own: Option<Arc<String>>,
}

impl<'a> TextStore<'a> {
    pub(crate) fn borrowing(base: &'a str) -> Self {
        TextStore { base, own: None }
    }

    /// The text from `at`, `len` bytes of it. Empty for a position that is not of this store.
    #[inline]
    pub(crate) fn get(&self, at: u64, len: u32) -> &str {
        let (at, len) = (at as usize, len as usize);
        match at.checked_sub(self.base.len()) {
            None => self.base.get(at..at + len).unwrap_or_default(),
            Some(at) => self.own().get(at..at + len).unwrap_or_default(),
        }
    }

    fn own(&self) -> &str {
        self.own.as_ref().map_or("", |own| own)
    }

    /// The bytes from `at`, `len` of them, as far as they lie in one of the two parts: a run of neighbouring strings.
    pub(crate) fn run(&self, at: u64, len: u64) -> &[u8] {
        let (at, len) = (at as usize, len as usize);
        match at.checked_sub(self.base.len()) {
            None => self.base.as_bytes().get(at..at + len).unwrap_or_default(),
            Some(at) => self.own().as_bytes().get(at..at + len).unwrap_or_default(),
        }
    }

    /// Whether `at` to `end` lies in one of the two parts and cuts no character.
    pub(crate) fn is_run(&self, at: u64, end: u64) -> bool {
        let (at, end, border) = (at as usize, end as usize, self.base.len());
        match at.checked_sub(border) {
            None => self.base.get(at..end).is_some(),
            Some(own) => self.own().get(own..end - border).is_some(),
        }
    }

    /// Where the borrowed part ends and the graph's own begins.
    pub(crate) fn border(&self) -> u64 {
        self.base.len() as u64
    }

    pub(crate) fn len(&self) -> u64 {
        (self.base.len() + self.own().len()) as u64
    }

    pub(crate) fn push(&mut self, text: &str) -> u64 {
        let own = Arc::make_mut(self.own.get_or_insert_default());
        let at = self.base.len() + own.len();
        own.push_str(text);
        at as u64
    }

    pub(crate) fn into_owned(self) -> TextStore<'static> {
        let own = if self.base.is_empty() { self.own } else { Some(Arc::new([self.base, self.own()].concat())) };
        TextStore { base: "", own }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn array_indices_are_canonical_and_below_two_to_the_32_less_one() {
        for (text, index) in [
            ("0", Some(0)),
            ("7", Some(7)),
            ("4294967294", Some(u32::MAX - 1)),
            ("4294967295", None),
            ("99999999999", None),
            ("01", None),
            ("-1", None),
            ("1.0", None),
            ("", None),
        ] {
            assert_eq!(JsStr::utf8(text).array_index(), index, "{text:?}");
        }
    }

    #[test]
    fn positions_stay_when_the_borrowed_part_becomes_owned() {
        let mut store = TextStore::borrowing("base");
        let at = store.push("own");
        let owned = store.clone().into_owned();
        for store in [&store, &owned] {
            assert_eq!((store.get(1, 3), store.get(at, 3), store.get(90, 2)), ("ase", "own", ""));
        }
    }
}

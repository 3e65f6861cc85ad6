//! JSON text as it is put together: brackets, commas, indentation, strings and numbers. Knows no graph.

use std::fmt::Write;

use crate::graph::JsStr;

/// Levels deeper than this are not indented further, so that indentation stays linear in the number of values.
const INDENT_LEVELS: usize = 64;

const SPACES: &str = "                                                                ";

/// Text so far, and where in it the next item stands.
#[derive(Debug, Default)]
pub(super) struct Emit {
    pub(super) text: String,
    /// Spaces a level; 0 for all on one line.
    indent: usize,
    depth: usize,
    /// Whether the container that is open has no item yet.
    empty: bool,
    numbers: Numbers,
}

#[derive(Default)]
struct Numbers(ryu_js::Buffer);

impl std::fmt::Debug for Numbers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Numbers")
    }
}

impl Emit {
    pub(super) fn new(indent: usize) -> Self {
        Emit { indent, ..Emit::default() }
    }

    pub(super) fn open(&mut self, bracket: char) {
        self.text.push(bracket);
        self.depth += 1;
        self.empty = true;
    }

    pub(super) fn close(&mut self, bracket: char) {
        self.depth -= 1;
        if !self.empty {
            self.line();
        }
        self.text.push(bracket);
        self.empty = false;
    }

    /// What stands before an element or key.
    #[inline]
    pub(super) fn item(&mut self) {
        if !self.empty {
            self.text.push(',');
        }
        self.empty = false;
        self.line();
    }

    pub(super) fn key(&mut self, key: JsStr<'_>) {
        self.item();
        self.string(key);
        self.text.push_str(if self.indent > 0 { ": " } else { ":" });
    }

    /// A key of a form that shows what JSON can't hold.
    pub(super) fn name(&mut self, key: &'static str) {
        self.key(JsStr::from(key));
    }

    #[inline]
    fn line(&mut self) {
        if self.indent > 0 {
            self.text.push('\n');
            let mut spaces = self.indent * self.depth.min(INDENT_LEVELS);
            while spaces > 0 {
                let run = &SPACES[..spaces.min(SPACES.len())];
                self.text.push_str(run);
                spaces -= run.len();
            }
        }
    }

    /// A finite number; −0 keeps its sign, which JSON.parse reads.
    #[inline]
    pub(super) fn number(&mut self, number: f64) {
        const EXACT: f64 = 9_007_199_254_740_992.0;
        if number == 0.0 && number.is_sign_negative() {
            self.text.push_str("-0");
        } else if number.abs() < EXACT && number.trunc() == number {
            // A good deal faster than the shortest digits of a double, which for these are the same.
            self.display(number as i64);
        } else {
            self.text.push_str(self.numbers.0.format(number));
        }
    }

    pub(super) fn integer(&mut self, number: u64) {
        self.display(number);
    }

    /// Text that needs no escapes, in quotes.
    pub(super) fn quoted(&mut self, text: impl std::fmt::Display) {
        self.text.push('"');
        self.display(text);
        self.text.push('"');
    }

    fn display(&mut self, text: impl std::fmt::Display) {
        // Writing to a String does not fail.
        let _ = write!(self.text, "{text}");
    }

    /// A string as JSON.stringify writes it: lone surrogates as escapes.
    pub(super) fn string(&mut self, text: JsStr<'_>) {
        self.text.push('"');
        match text.as_str() {
            Some(text) => self.escaped(text),
            None => {
                for unit in char::decode_utf16(text.code_units()) {
                    match unit {
                        Ok(c) => self.escaped(c.encode_utf8(&mut [0; 4])),
                        Err(lone) => self.display(format_args!("\\u{:04x}", lone.unpaired_surrogate())),
                    }
                }
            }
        }
        self.text.push('"');
    }

    fn escaped(&mut self, text: &str) {
        let mut rest = text;
        while let Some(at) = rest.bytes().position(|byte| matches!(byte, b'"' | b'\\' | 0..=0x1F)) {
            self.text.push_str(&rest[..at]);
            match rest.as_bytes()[at] {
                byte @ (b'"' | b'\\') => self.text.extend(['\\', char::from(byte)]),
                0x08 => self.text.push_str("\\b"),
                b'\t' => self.text.push_str("\\t"),
                b'\n' => self.text.push_str("\\n"),
                0x0C => self.text.push_str("\\f"),
                b'\r' => self.text.push_str("\\r"),
                byte => self.display(format_args!("\\u{byte:04x}")),
            }
            rest = &rest[at + 1..];
        }
        self.text.push_str(rest);
    }
}

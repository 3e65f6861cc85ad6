//! The strings of JSON text: escapes, lone surrogates, UTF-8.

use hifijson::escape::Lex as _;
use hifijson::str::LexWrite as _;
use hifijson::{Read as _, SliceLexer, Write as _};

use super::parse::Syntax;

/// Memory in which strings with escapes are put together, kept from one to the next.
#[derive(Debug, Default)]
pub(super) struct Unescaped {
    text: String,
    /// In use instead of `text` from the first lone surrogate on.
    units: Vec<u16>,
    lone: bool,
}

/// A string that has been read.
pub(super) enum Text<'p, 't> {
    /// As it stands in the input.
    Plain(&'t str),
    Unescaped(&'p str),
    /// Code units with a lone surrogate among them.
    Units(&'p [u16]),
}

/// Reads a string whose opening quote has been taken.
pub(super) fn read<'p, 't>(lexer: &mut SliceLexer<'t>, scratch: &'p mut Unescaped) -> Result<Text<'p, 't>, Syntax> {
    let start = lexer.as_slice();
    let mut plain: &'t [u8] = &[];
    lexer.write_until(&mut plain, |byte| matches!(byte, b'"' | b'\\' | 0..=0x1F));
    if lexer.peek_next() == Some(b'"') {
        let text = utf8(plain).map_err(|back| Syntax::back("the text is not UTF-8", back))?;
        lexer.take_next();
        return Ok(Text::Plain(text));
    }
    *lexer = SliceLexer::new(start);
    scratch.text.clear();
    scratch.lone = false;
    lexer.str_fold(
        &mut *scratch,
        |bytes, out| {
            out.push_str(utf8(bytes).map_err(|back| Syntax::back("the text is not UTF-8", back))?);
            Ok(())
        },
        |lexer, out| escape(lexer, out),
    )?;
    Ok(if scratch.lone { Text::Units(&scratch.units) } else { Text::Unescaped(&scratch.text) })
}

/// The bytes as text, or how far before their end the first is that is not UTF-8.
fn utf8(bytes: &[u8]) -> Result<&str, usize> {
    simdutf8::basic::from_utf8(bytes).map_err(|_| match simdutf8::compat::from_utf8(bytes) {
        Ok(_) => 0,
        Err(error) => bytes.len() - error.valid_up_to(),
    })
}

/// Reads an escape whose backslash has been taken. A surrogate that is not half of a pair is kept, as JSON.parse keeps
/// it.
fn escape(lexer: &mut SliceLexer<'_>, out: &mut Unescaped) -> Result<(), Syntax> {
    if lexer.peek_next() != Some(b'u') {
        let kind = lexer.take_next().ok_or(hifijson::escape::Error::Eof).map_err(hifijson::str::Error::Escape)?;
        out.push(lexer.escape(kind).map_err(hifijson::str::Error::Escape)?);
        return Ok(());
    }
    lexer.take_next();
    let unit = lexer.hex::<u16>().map_err(hifijson::str::Error::Escape)?;
    match char::from_u32(u32::from(unit)) {
        Some(c) => out.push(c),
        None => match low_half(lexer, unit) {
            Some(c) => out.push(c),
            None => out.push_lone(unit),
        },
    }
    Ok(())
}

/// The character that `high` makes with the escape that follows; takes that if so.
fn low_half(lexer: &mut SliceLexer<'_>, high: u16) -> Option<char> {
    let mut ahead = SliceLexer::new(lexer.as_slice());
    let low = if ahead.strip_prefix(b"\\u") { ahead.hex::<u16>().ok()? } else { return None };
    let c = char::decode_utf16([high, low]).next()?.ok()?;
    *lexer = ahead;
    Some(c)
}

impl Unescaped {
    fn push(&mut self, c: char) {
        if self.lone {
            self.units.extend_from_slice(c.encode_utf16(&mut [0; 2]));
        } else {
            self.text.push(c);
        }
    }

    fn push_str(&mut self, text: &str) {
        if self.lone {
            self.units.extend(text.encode_utf16());
        } else {
            self.text.push_str(text);
        }
    }

    fn push_lone(&mut self, unit: u16) {
        if !self.lone {
            self.lone = true;
            self.units.clear();
            self.units.extend(self.text.encode_utf16());
        }
        self.units.push(unit);
    }
}

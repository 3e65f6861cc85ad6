//! How values without parts are written in JavaScript's notation.

use std::fmt::{self, Write};

use super::data::{BufferRef, Elements};
use super::symbol::{Symbol, SymbolKind};
use super::text::JsStr;
use crate::wire::ElementKind;

/// A Number as JavaScript prints it, but −0 with its sign.
pub(crate) fn write_number(out: &mut impl Write, number: f64) -> fmt::Result {
    if number == 0.0 && number.is_sign_negative() {
        return out.write_str("-0");
    }
    out.write_str(ryu_js::Buffer::new().format(number))
}

/// A quoted string; beyond `limit` characters its length takes the place of the rest.
pub(crate) fn write_text(out: &mut impl Write, text: JsStr<'_>, limit: usize) -> fmt::Result {
    if let Some(units) = text.as_utf16() {
        if units.len() / 2 <= limit {
            return text.write_quoted(out);
        }
        JsStr::utf16(&units[..2 * limit]).write_quoted(out)?;
        return write!(out, "… {} code units more", units.len() / 2 - limit);
    }
    let utf8 = text.as_str().unwrap_or_default();
    match utf8.char_indices().nth(limit) {
        None => text.write_quoted(out),
        Some((end, _)) => {
            JsStr::utf8(&utf8[..end]).write_quoted(out)?;
            write!(out, "… {} bytes more", utf8.len() - end)
        }
    }
}

/// A property key or class name: bare where it is an identifier of ASCII letters, quoted where it is not.
pub(crate) fn write_key(out: &mut impl Write, key: JsStr<'_>) -> fmt::Result {
    match key.as_str() {
        Some(name) if is_identifier(name) => out.write_str(name),
        _ => key.write_quoted(out),
    }
}

pub(crate) fn is_identifier(name: &str) -> bool {
    !name.starts_with(|c: char| c.is_ascii_digit())
        && !name.is_empty()
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$')
}

pub(super) fn write_symbol(out: &mut impl Write, symbol: Option<Symbol<'_>>, limit: usize) -> fmt::Result {
    let (open, text) = match symbol.map(Symbol::kind) {
        None => return out.write_str("Symbol(?)"),
        Some(SymbolKind::Unique) => return out.write_str("Symbol()"),
        Some(SymbolKind::WellKnown(symbol)) => return write!(out, "Symbol.{}", symbol.name()),
        Some(SymbolKind::Described(text)) => ("Symbol(", text),
        Some(SymbolKind::Registered(text)) => ("Symbol.for(", text),
    };
    out.write_str(open)?;
    write_text(out, text, limit)?;
    out.write_char(')')
}

/// `ArrayBuffer[01 02]`, with the maximum of a resizable one.
pub(super) fn write_bytes(out: &mut impl Write, buffer: BufferRef<'_>, limit: usize) -> fmt::Result {
    out.write_str("ArrayBuffer[")?;
    for (i, byte) in buffer.bytes().iter().take(limit).enumerate() {
        write!(out, "{}{byte:02x}", if i > 0 { " " } else { "" })?;
    }
    if buffer.bytes().len() > limit {
        write!(out, " … {} more", buffer.bytes().len() - limit)?;
    }
    if let Some(max) = buffer.max_byte_length() {
        write!(out, "; max {max}")?;
    }
    out.write_char(']')
}

/// The elements of a typed array in brackets.
pub(super) fn write_elements(out: &mut impl Write, elements: Elements<'_>, limit: usize) -> fmt::Result {
    out.write_char('[')?;
    let n = elements.len();
    for i in 0..n.min(limit) {
        if i > 0 {
            out.write_str(", ")?;
        }
        match elements.kind() {
            ElementKind::BigInt64 => write!(out, "{}n", elements.to_slice::<i64>()[i])?,
            ElementKind::BigUint64 => write!(out, "{}n", elements.to_slice::<u64>()[i])?,
            _ => write_number(out, elements.get(i).unwrap_or(f64::NAN))?,
        }
    }
    if n > limit {
        write!(out, ", … {} more", n - limit)?;
    }
    out.write_char(']')
}

//! How values without parts are written in JavaScript's notation.

use std::fmt::{self, Write};

use super::data::{BufferRef, Elements, JsBigInt, MAX_DECIMAL_BYTES};
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
    let (shown, left_out) = shorten(text, limit);
    shown.write_quoted(out)?;
    write_left_out(out, left_out)
}

/// The first `limit` characters (code units where one is a lone surrogate), and how many bytes that leaves out.
pub(super) fn shorten(text: JsStr<'_>, limit: usize) -> (JsStr<'_>, usize) {
    let bytes = text.bytes();
    let shown = match (text.as_str(), text.as_utf16()) {
        _ if bytes.len() <= limit => return (text, 0),
        (Some(utf8), _) => match utf8.char_indices().nth(limit) {
            Some((end, _)) => JsStr::utf8(&utf8[..end]),
            None => text,
        },
        (None, units) => JsStr::utf16(units.and_then(|units| units.get(..2 * limit)).unwrap_or(bytes)),
    };
    (shown, bytes.len() - shown.bytes().len())
}

pub(super) fn write_left_out(out: &mut impl Write, bytes: usize) -> fmt::Result {
    if bytes > 0 { write!(out, "… {bytes} bytes more") } else { Ok(()) }
}

/// A BigInt; beyond `limit` bytes its first ones in hexadecimal.
pub(super) fn write_bigint(out: &mut impl Write, n: JsBigInt<'_>, limit: usize) -> fmt::Result {
    let left_out = n.magnitude.len().saturating_sub(limit.max(MAX_DECIMAL_BYTES));
    let top = JsBigInt { magnitude: &n.magnitude[left_out..], ..n };
    write!(out, "{top}")?;
    write_left_out(out, left_out)?;
    out.write_char('n')
}

/// A property key or class name: bare where it is an identifier of ASCII letters, quoted where it is not or is longer
/// than `limit` characters.
pub(crate) fn write_key(out: &mut impl Write, key: JsStr<'_>, limit: usize) -> fmt::Result {
    match key.as_str() {
        Some(name) if name.len() <= limit && is_identifier(name) => out.write_str(name),
        _ => write_text(out, key, limit),
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
    // Copied where they are not aligned, so once and not for each element.
    let shown = Elements { bytes: &elements.bytes[..n.min(limit) * elements.kind.size()], ..elements };
    let (signed, unsigned) = (shown.to_slice::<i64>(), shown.to_slice::<u64>());
    for i in 0..n.min(limit) {
        if i > 0 {
            out.write_str(", ")?;
        }
        match elements.kind() {
            ElementKind::BigInt64 => write!(out, "{}n", signed[i])?,
            ElementKind::BigUint64 => write!(out, "{}n", unsigned[i])?,
            _ => write_number(out, elements.get(i).unwrap_or(f64::NAN))?,
        }
    }
    if n > limit {
        write!(out, ", … {} more", n - limit)?;
    }
    out.write_char(']')
}

//! How a line reads.

use std::fmt::{self, Display, Write};

use super::line::{Label, Line, What};
use crate::graph::{JsBigInt, RegExpFlags, write_key, write_number, write_text};
use crate::wire::header;
use crate::{ElementKind, JsStr};

/// Of a long string this many characters are shown.
const TEXT_SHOWN: usize = 48;
const SHAPE_KINDS: [&str; 6] =
    ["plain object", "null-prototype object", "instance of", "derived instance of", "error", "custom"];
const SYMBOL_KINDS: [&str; 4] = ["unique", "unique, described as", "Symbol.for", "well-known"];

impl Display for Line<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.label {
            Label::None => {}
            Label::Index(index) => write!(f, "[{index}]: ")?,
            Label::Name(name) => {
                key(f, name)?;
                f.write_str(": ")?;
            }
            Label::Symbol(index) => write!(f, "[symbol {index}]: ")?,
            Label::Fixed(name) => write!(f, "{name}: ")?,
            Label::Numbered(name, index) => write!(f, "{name} {index}: ")?,
        }
        self.what.fmt(f)
    }
}

impl Display for What<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            What::Section(name, len) => write!(f, "{name}: {len} {}", plural(len, "byte")),
            What::Fixed(text) => f.write_str(text),
            What::Version(version) => write!(f, "version {version}"),
            What::Flags(flags) => self::flags(f, flags),
            What::Length(name, len) => write!(f, "length of {name}: {len}"),
            What::Count(n, of) => write!(f, "{n} {}", plural(n, of)),
            What::Number(name, n) => write!(f, "{name} {n}"),
            What::Symbol { kind, text: description } => {
                f.write_str(SYMBOL_KINDS.get(usize::from(kind)).unwrap_or(&"?"))?;
                if kind > 0 {
                    f.write_char(' ')?;
                    text(f, description)?;
                }
                Ok(())
            }
            What::Shape { kind, name, version, error, keys } => {
                f.write_str(SHAPE_KINDS.get(usize::from(kind)).unwrap_or(&"?"))?;
                if let Some(error) = error {
                    write!(f, " {}", error.name())?;
                }
                if matches!(kind, 2 | 3 | 5) {
                    f.write_char(' ')?;
                    key(f, name)?;
                    write!(f, ", version {version}")?;
                }
                if kind == 5 { Ok(()) } else { write!(f, ", {keys} {}", plural(keys, "key")) }
            }
            What::Key(name) => {
                f.write_str("key ")?;
                text(f, name)
            }
            What::SymbolKey(index) => write!(f, "key symbol {index}"),
            What::Integer(n) => write!(f, "{n}"),
            What::Float(number) => {
                f.write_str("float ")?;
                write_number(f, number)
            }
            What::BigInt { magnitude, .. } if magnitude.len() > TEXT_SHOWN => {
                write!(f, "BigInt of {} bytes", magnitude.len())
            }
            What::BigInt { negative, magnitude } => {
                write!(f, "BigInt {}", JsBigInt { negative, magnitude })
            }
            What::Text { form, text: string } => {
                f.write_str(form)?;
                text(f, string)
            }
            What::Interned { id, text: string } => {
                write!(f, "string id {id}")?;
                string.map_or(Ok(()), |string| {
                    f.write_str(", ")?;
                    text(f, string)
                })
            }
            What::SymbolValue(index) => write!(f, "symbol {index}"),
            What::Reference(identity) => write!(f, "reference to identity {identity}"),
            What::Open { name, count, identity } => {
                f.write_str(name)?;
                if let Some(count) = count {
                    write!(f, " of {count}")?;
                }
                write!(f, ", identity {identity}")
            }
            What::Object { shape, name, identity } => {
                if name.is_empty() {
                    f.write_str("object")?;
                } else {
                    key(f, name)?;
                }
                write!(f, " of shape {shape}, identity {identity}")
            }
            What::Payload { name, kind, n, at, identity } => {
                match kind {
                    Some(kind) => write!(f, "{name}{} of {n}", kind.constructor())?,
                    None => write!(f, "{name} of {n} {}", plural(n, "byte"))?,
                }
                payload(f, n, at)?;
                write!(f, ", identity {identity}")?;
                if name.is_empty() { write!(f, ", its buffer {}", identity + 1) } else { Ok(()) }
            }
            What::Records { n, values, bytes, at, identity } => {
                write!(
                    f,
                    "array of {n} {} of {values} {} in {bytes} {}",
                    plural(n, "record"),
                    plural(values as u64, "value"),
                    plural(bytes as u64, "byte")
                )?;
                payload(f, n, at)?;
                write!(f, ", identity {identity}")
            }
            What::Resizable { n, max, at, identity } => {
                write!(f, "resizable ArrayBuffer of {n} {}, at most {max}", plural(n, "byte"))?;
                payload(f, n, at)?;
                write!(f, ", identity {identity}")
            }
            What::View { kind: ElementKind::DataView, identity } => write!(f, "DataView, identity {identity}"),
            What::View { kind, identity } => write!(f, "{} as a view, identity {identity}", kind.constructor()),
            What::Date { ms, identity } => {
                f.write_str("Date ")?;
                write_number(f, ms)?;
                write!(f, ", identity {identity}")
            }
            What::RegExp { flags, identity } => {
                f.write_str("RegExp")?;
                match RegExpFlags::from_bits(flags) {
                    Some(flags) if flags.bits() > 0 => write!(f, " with flags {flags}")?,
                    Some(_) => {}
                    None => write!(f, " with impossible flags {flags:02x}")?,
                }
                write!(f, ", identity {identity}")
            }
            What::Sparse { length, present, identity } => {
                write!(f, "array of length {length}, {present} present, identity {identity}")
            }
        }
    }
}

fn plural(n: u64, word: &'static str) -> Plural {
    Plural(word, n != 1)
}

struct Plural(&'static str, bool);

impl Display for Plural {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.0, self.1) {
            ("extra property", true) => f.write_str("extra properties"),
            (word, many) => write!(f, "{word}{}", if many { "s" } else { "" }),
        }
    }
}

fn payload(f: &mut fmt::Formatter<'_>, n: u64, at: usize) -> fmt::Result {
    if n > 0 { write!(f, ", data at {at:#x}") } else { Ok(()) }
}

fn flags(f: &mut fmt::Formatter<'_>, flags: u8) -> fmt::Result {
    let known = [
        (header::SHAPES, "shapes"),
        (header::TEXT, "text"),
        (header::DATA, "data"),
        (header::INDEX, "index"),
        (header::REFS, "references"),
    ];
    f.write_str("flags:")?;
    if flags == 0 {
        f.write_str(" none")?;
    }
    known.iter().filter(|(flag, _)| flags & flag != 0).try_for_each(|(_, name)| write!(f, " {name}"))?;
    let unknown = known.iter().fold(flags, |flags, (flag, _)| flags & !flag);
    if unknown != 0 { write!(f, " and unknown {unknown:#04x}") } else { Ok(()) }
}

fn text(f: &mut fmt::Formatter<'_>, string: JsStr<'_>) -> fmt::Result {
    write_text(f, string, TEXT_SHOWN)
}

fn key(f: &mut fmt::Formatter<'_>, name: JsStr<'_>) -> fmt::Result {
    write_key(f, name, TEXT_SHOWN)
}

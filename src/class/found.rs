//! How an error calls a value by its tag.

use super::Reader;
use crate::wire::shape_list::Text;
use crate::wire::{self, shapes, tag};

/// What a value with this tag is, which stands before what `rest` reads.
pub(super) fn name(reader: &Reader<'_>, tag: u8, mut rest: wire::Reader<'_>) -> String {
    let name = match tag {
        ..tag::STRING | tag::U8..=tag::F64 => "a number",
        tag::STRING..tag::ARRAY | tag::STRING_LONG | tag::STRING_UTF16 | tag::INTERN | tag::INTERNED => "a string",
        tag::ARRAY..tag::OBJECT | tag::ARRAY_LONG..=tag::ARRAY_PACKED | tag::RECORDS => "an array",
        tag::OBJECT..tag::NULL => return shape_name(reader, u64::from(tag - tag::OBJECT)),
        tag::OBJECT_LONG => match rest.varint() {
            Ok(shape) => return shape_name(reader, shape),
            Err(_) => "an object",
        },
        tag::NULL => "null",
        tag::UNDEFINED => "undefined",
        tag::FALSE | tag::TRUE => "a boolean",
        tag::BIGINT | tag::BIGINT_NEGATIVE => "a BigInt",
        tag::DICTIONARY | tag::DICTIONARY_NULL => "an object",
        tag::MAP => "a Map",
        tag::SET => "a Set",
        tag::DATE => "a Date",
        tag::REGEXP => "a RegExp",
        tag::SYMBOL => "a Symbol",
        tag::BOXED => "a wrapped primitive",
        tag::BUFFER | tag::BUFFER_RESIZABLE => "an ArrayBuffer",
        tag::TYPED_ARRAY | tag::VIEW => "a typed array",
        _ => "a reference",
    };
    name.to_owned()
}

fn shape_name(reader: &Reader<'_>, shape: u64) -> String {
    let Some(entry) = reader.source.shapes.shape(shape) else { return "an object of an unknown shape".to_owned() };
    let name = match reader.source.shapes.class_name(reader.source.shapes_section, entry) {
        Text::Utf8(name) => name,
        Text::Utf16(_) => "a class with a lone surrogate in its name",
    };
    match entry.kind {
        shapes::CLASS | shapes::DERIVED => format!("an instance of {name}"),
        shapes::CUSTOM => format!("a custom {name}"),
        shapes::ERROR => "an Error".to_owned(),
        _ => "an object".to_owned(),
    }
}

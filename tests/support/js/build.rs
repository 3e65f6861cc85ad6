//! What values are made of: keys, texts, elements, bytes.

use marshal::{ElementKind, Kind, PropertyKey, Value};

use super::interpret::{Interpreter, text};

impl Interpreter {
    pub(super) fn number(&self, value: Value) -> Result<f64, String> {
        let cursor = self.graph.cursor(value);
        cursor.as_f64().ok_or_else(|| format!("{:?} in place of a number", cursor.kind()))
    }

    /// ToString of strings and numbers.
    pub(super) fn to_text(&self, value: Value) -> Result<Vec<u16>, String> {
        let cursor = self.graph.cursor(value);
        match (cursor.text(), cursor.as_f64()) {
            (Some(text), _) => Ok(text.code_units().collect()),
            (None, Some(number)) => Ok(ryu_js::Buffer::new().format(number).encode_utf16().collect()),
            _ => Err(format!("{:?} in place of text", cursor.kind())),
        }
    }

    /// ToPropertyKey of strings, numbers and symbols.
    pub(super) fn key(&self, value: Value) -> Result<PropertyKey<'static>, String> {
        let cursor = self.graph.cursor(value);
        match cursor.symbol() {
            None => self.to_text(value).map(|units| PropertyKey::utf16(&units)),
            symbol => {
                let same = |id: &&marshal::SymbolId| self.graph.cursor(Value::from(**id)).symbol() == symbol;
                let id = self.symbols.iter().find(same).ok_or("a symbol from nowhere")?;
                Ok((*id).into())
            }
        }
    }

    /// Own properties, with keys that outlive changes to the graph.
    pub(super) fn own_properties(&self, value: Value) -> Result<Vec<(PropertyKey<'static>, Value)>, String> {
        let properties = self.graph.cursor(value).properties();
        properties
            .map(|property| {
                let key = match (property.name(), property.symbol()) {
                    (Some(name), _) => PropertyKey::utf16(&name.code_units().collect::<Vec<_>>()),
                    (None, symbol) => {
                        let same = |id: &&marshal::SymbolId| self.graph.cursor(Value::from(**id)).symbol() == symbol;
                        (*self.symbols.iter().find(same).ok_or("a symbol from nowhere")?).into()
                    }
                };
                Ok((key, property.value().value()))
            })
            .collect()
    }

    /// What a value gives when it is iterated: an array (holes as undefined) or a Set.
    pub(super) fn elements(&self, value: Value) -> Result<Vec<Value>, String> {
        let cursor = self.graph.cursor(value);
        let cursor = cursor.base().unwrap_or(cursor);
        match cursor.kind() {
            Kind::Undefined | Kind::Null => Ok(Vec::new()),
            Kind::Set => Ok(cursor.members().map(|member| member.value()).collect()),
            Kind::Array | Kind::TypedArray => {
                Ok(cursor.iter().map(|element| element.map_or(Value::UNDEFINED, |element| element.value())).collect())
            }
            kind => Err(format!("{kind:?} is not iterable")),
        }
    }

    /// Pairs, as `new Map` and `Object.fromEntries` take them.
    pub(super) fn pairs(&self, value: Value) -> Result<Vec<(Value, Value)>, String> {
        let pairs = self.elements(value)?.into_iter().map(|pair| match self.elements(pair)?[..] {
            [first, second] => Ok((first, second)),
            ref other => Err(format!("a pair of {}", other.len())),
        });
        pairs.collect()
    }

    /// The bytes of an element of a typed array: `value` brought to its kind as an engine does.
    pub(super) fn element_bytes(&self, kind: ElementKind, value: Value) -> Result<Vec<u8>, String> {
        if let Some(n) = self.graph.cursor(value).bigint() {
            let low = n.to_i128().ok_or("a BigInt too large for an element")? as i64;
            return Ok(low.to_le_bytes().to_vec());
        }
        let number = self.number(value)?;
        let integer = || if number.is_finite() { number.trunc() as i64 } else { 0 };
        Ok(match kind {
            ElementKind::Int8 | ElementKind::Uint8 => vec![integer() as u8],
            ElementKind::Uint8Clamped => vec![number.clamp(0.0, 255.0).round_ties_even() as u8],
            ElementKind::Int16 | ElementKind::Uint16 => (integer() as u16).to_le_bytes().to_vec(),
            ElementKind::Int32 | ElementKind::Uint32 => (integer() as u32).to_le_bytes().to_vec(),
            ElementKind::Float16 => half::f16::from_f64(number).to_le_bytes().to_vec(),
            ElementKind::Float32 => (number as f32).to_le_bytes().to_vec(),
            ElementKind::Float64 => number.to_le_bytes().to_vec(),
            kind => return Err(format!("a number in a {}", kind.constructor())),
        })
    }

    /// `array[index] = value`; beyond the end nothing happens.
    pub(super) fn set_element(&mut self, array: Value, index: usize, value: Value) -> Result<(), String> {
        let Some(view) = self.graph.cursor(array).view() else { return Err("no typed array".into()) };
        let kind = view.elements().kind();
        let (buffer, len) = (view.buffer().value(), view.elements().len());
        let at = view.byte_offset() as usize + index * kind.size();
        let bytes = self.element_bytes(kind, value)?;
        if index < len {
            self.graph.buffer_mut(buffer).map_err(text)?[at..at + bytes.len()].copy_from_slice(&bytes);
        }
        Ok(())
    }

    pub(super) fn with_last_index(&mut self, regexp: Value, last_index: Value) -> Result<Value, String> {
        let last_index = self.number(last_index)? as u64;
        let regexp = self.graph.cursor(regexp).regexp().ok_or("lastIndex of no RegExp")?;
        let (source, flags) = (regexp.source().code_units().collect::<Vec<_>>(), regexp.flags().to_string());
        self.regexp(&source, &flags, last_index)
    }

    pub(super) fn regexp(&mut self, source: &[u16], flags: &str, last_index: u64) -> Result<Value, String> {
        // The text is lent by a graph, since only a graph holds lone surrogates.
        let mut holder = marshal::Graph::new();
        let source = holder.string_utf16(source);
        let source = holder.cursor(source).text().ok_or("no text")?;
        self.graph.regexp(source, flags, last_index).map_err(text)
    }

    /// `buffer.resize(length)`. A buffer of a graph keeps its length, so every variable that holds the buffer or a view of
    /// it gets another one.
    pub(super) fn resize(&mut self, buffer: Value, length: Value) -> Result<(), String> {
        let length = self.number(length)? as usize;
        let old = self.graph.cursor(buffer);
        let id = old.id();
        let content = old.buffer().ok_or("resize of no ArrayBuffer")?;
        let max = content.max_byte_length().ok_or("resize of a fixed ArrayBuffer")?;
        let mut bytes = content.bytes().to_vec();
        bytes.resize(length, 0);
        let resized = self.graph.resizable_buffer(&bytes, max).map_err(text)?;
        let names: Vec<(String, Value)> = self.names.iter().map(|(name, &value)| (name.clone(), value)).collect();
        for (name, value) in names {
            let cursor = self.graph.cursor(value);
            let replacement = match cursor.view() {
                _ if cursor.id() == id => resized,
                Some(view) if view.buffer().id() == id => {
                    let (elements, offset) = (view.elements(), view.byte_offset());
                    let len = if view.tracks_length() { None } else { Some(elements.len() as u64) };
                    self.graph.view(elements.kind(), resized, offset, len).map_err(text)?
                }
                _ => continue,
            };
            self.names.insert(name, replacement);
        }
        Ok(())
    }
}

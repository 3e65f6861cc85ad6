//! Constructors, functions and methods.

use marshal::{ElementKind, ErrorConstructor, Kind, PropertyKey, Value};

use super::interpret::{Interpreter, text};
use super::parse::{Expr, Statement};

impl Interpreter {
    /// `new constructor(…)`
    pub(super) fn construct(&mut self, constructor: &str, arguments: &[Value]) -> Result<Value, String> {
        let argument = |i: usize| arguments.get(i).copied().unwrap_or(Value::UNDEFINED);
        let first = argument(0);
        Ok(match constructor {
            "Map" => {
                let entries = self.pairs(first)?;
                self.graph.map(entries)
            }
            "Set" => {
                let members = self.elements(first)?;
                self.graph.set_of(members)
            }
            "Date" => {
                let ms = self.number(first)?;
                self.graph.date(ms)
            }
            "RegExp" => {
                let source = self.to_text(first)?;
                let flags = if arguments.len() > 1 { self.to_text(argument(1))? } else { Vec::new() };
                self.regexp(&source, &String::from_utf16_lossy(&flags), 0)?
            }
            "Array" => match arguments {
                [length] if self.graph.cursor(*length).kind() == Kind::Number => {
                    let length = self.number(*length)?;
                    self.graph.sparse_array(length as u32, []).map_err(text)?
                }
                elements => self.graph.array(elements.iter().copied()),
            },
            "Object" if arguments.is_empty() => self.graph.object::<&str>([]),
            "Number" | "String" | "Boolean" | "Object" => self.graph.boxed(first).map_err(text)?,
            "ArrayBuffer" => {
                let bytes = vec![0; self.number(first)? as usize];
                match self.graph.cursor(argument(1)).get("maxByteLength").map(|max| max.value()) {
                    Some(max) => {
                        let max = self.number(max)? as u64;
                        self.graph.resizable_buffer(&bytes, max).map_err(text)?
                    }
                    None => self.graph.buffer(&bytes),
                }
            }
            "User" => {
                let fields = [("username", first), ("age", argument(1))];
                self.graph.instance("User", 0, fields).map_err(text)?
            }
            _ => {
                if let Some(kind) = ElementKind::ALL.into_iter().find(|kind| kind.constructor() == constructor) {
                    return self.view(kind, first, arguments.get(1).copied(), arguments.get(2).copied());
                }
                let error = ErrorConstructor::ALL.into_iter().find(|error| error.name() == constructor);
                return self.error(error.ok_or_else(|| format!("new {constructor}"))?, arguments);
            }
        })
    }

    fn view(
        &mut self,
        kind: ElementKind,
        source: Value,
        offset: Option<Value>,
        length: Option<Value>,
    ) -> Result<Value, String> {
        let cursor = self.graph.cursor(source);
        if let Some(buffer) = cursor.buffer() {
            let (size, resizable) = (buffer.bytes().len() as u64, buffer.max_byte_length().is_some());
            let offset = offset.map_or(Ok(0.0), |offset| self.number(offset))? as u64;
            let length = match length {
                Some(length) => Some(self.number(length)? as u64),
                None if resizable => None,
                None => Some((size - offset) / kind.size() as u64),
            };
            return self.graph.view(kind, source, offset, length).map_err(text);
        }
        let bytes = match cursor.as_f64() {
            Some(length) => vec![0; length as usize * kind.size()],
            None => {
                let elements = self.elements(source)?;
                let bytes = elements.into_iter().map(|element| self.element_bytes(kind, element));
                bytes.collect::<Result<Vec<_>, _>>()?.concat()
            }
        };
        self.graph.typed_array_from_bytes(kind, &bytes).map_err(text)
    }

    /// Own properties in the order in which ECMA-262 defines them; `stack` is an engine's own.
    fn error(&mut self, constructor: ErrorConstructor, arguments: &[Value]) -> Result<Value, String> {
        let argument = |i: usize| arguments.get(i).copied().unwrap_or(Value::UNDEFINED);
        let (message, options) = match constructor {
            ErrorConstructor::AggregateError => (argument(1), argument(2)),
            ErrorConstructor::SuppressedError => (argument(2), Value::UNDEFINED),
            _ => (argument(0), argument(1)),
        };
        let mut properties = Vec::new();
        if !self.graph.cursor(message).is_undefined() {
            properties.push(("message", message));
        }
        if let Some(cause) = self.graph.cursor(options).get("cause") {
            properties.push(("cause", cause.value()));
        }
        match constructor {
            ErrorConstructor::AggregateError => {
                let errors = self.elements(argument(0))?;
                properties.push(("errors", self.graph.array(errors)));
            }
            ErrorConstructor::SuppressedError => {
                properties.extend([("error", argument(0)), ("suppressed", argument(1))]);
            }
            _ => {}
        }
        Ok(self.graph.error(constructor, properties))
    }

    pub(super) fn call(&mut self, callee: &Expr, arguments: &[Expr]) -> Result<Value, String> {
        match callee {
            Expr::Arrow(parameters, body) if parameters.is_empty() => self.block(body),
            Expr::Name(function) => {
                let arguments = self.all(arguments)?;
                self.function(function, &arguments)
            }
            Expr::Member(object, method) => {
                if let Expr::Name(namespace) = &**object
                    && !self.names.contains_key(namespace)
                {
                    return self.namespaced(namespace, method, arguments);
                }
                let object = self.eval(object)?;
                let arguments = self.all(arguments)?;
                self.method(object, method, &arguments)
            }
            _ => Err("a call of something that is no function".into()),
        }
    }

    fn function(&mut self, function: &str, arguments: &[Value]) -> Result<Value, String> {
        Ok(match (function, arguments) {
            ("Symbol", []) => self.symbol(|graph| graph.symbol()),
            ("Symbol", [description]) => {
                let description = self.to_text(*description)?;
                self.named_symbol(&description, |graph, text| graph.symbol_described(text))?
            }
            ("Object", [primitive]) => self.graph.boxed(*primitive).map_err(text)?,
            ("instance", [name, version, fields]) => {
                let (version, fields) = (self.number(*version)? as u32, self.own_properties(*fields)?);
                self.with_text(*name, |graph, name| graph.instance(name, version, fields))?.map_err(text)?
            }
            ("derived", [name, version, base, rest @ ..]) => self.derived(*name, *version, *base, rest)?,
            ("custom", [name, version, payload]) => {
                let version = self.number(*version)? as u32;
                self.with_text(*name, |graph, name| graph.custom(name, version, *payload))?.map_err(text)?
            }
            _ => return Err(format!("{function} with {} arguments", arguments.len())),
        })
    }

    /// The base loses its own properties to the instance, where they come first.
    fn derived(&mut self, name: Value, version: Value, base: Value, fields: &[Value]) -> Result<Value, String> {
        let version = self.number(version)? as u32;
        let mut properties = self.own_properties(base)?;
        for (key, _) in &properties {
            self.graph.remove(base, key.clone()).map_err(text)?;
        }
        for fields in fields {
            properties.extend(self.own_properties(*fields)?);
        }
        self.with_text(name, |graph, name| graph.derived(name, version, base, properties))?.map_err(text)
    }

    /// Calls `build` with a text, which may hold lone surrogates.
    fn with_text<T>(
        &mut self,
        value: Value,
        build: impl FnOnce(&mut marshal::Graph<'static>, marshal::JsStr<'_>) -> T,
    ) -> Result<T, String> {
        let mut holder = marshal::Graph::new();
        let held = holder.import(self.graph.cursor(value));
        let text = holder.cursor(held).text().ok_or("a name that is no text")?;
        Ok(build(&mut self.graph, text))
    }

    fn named_symbol(
        &mut self,
        units: &[u16],
        make: impl FnOnce(&mut marshal::Graph<'static>, marshal::JsStr<'_>) -> marshal::SymbolId,
    ) -> Result<Value, String> {
        let units = self.graph.string_utf16(units);
        let symbol = self.with_text(units, make)?;
        Ok(self.symbol(|_| symbol))
    }

    /// `Symbol.for`, `Object.assign` and the like.
    fn namespaced(&mut self, namespace: &str, function: &str, arguments: &[Expr]) -> Result<Value, String> {
        if let ("Array", "from", [like, Expr::Arrow(parameters, body)]) = (namespace, function, arguments) {
            return self.array_from(like, parameters, body);
        }
        let arguments = self.all(arguments)?;
        Ok(match (namespace, function, &arguments[..]) {
            ("Symbol", "for", [key]) => {
                let key = self.to_text(*key)?;
                self.named_symbol(&key, |graph, key| graph.symbol_for(key))?
            }
            ("Array", "from", [iterable]) => {
                let elements = self.elements(*iterable)?;
                self.graph.array(elements)
            }
            ("Object", "create", [prototype]) if self.graph.cursor(*prototype).is_null() => {
                self.graph.null_object::<&str>([])
            }
            ("Object", "assign", [target, sources @ ..]) => {
                for source in sources {
                    for (key, value) in self.own_properties(*source)? {
                        self.graph.set(*target, key, value).map_err(text)?;
                    }
                }
                *target
            }
            ("Object", "fromEntries", [pairs]) => {
                let pairs = self.pairs(*pairs)?.into_iter().map(|(key, value)| Ok((self.key(key)?, value)));
                let properties: Vec<(PropertyKey<'static>, Value)> = pairs.collect::<Result<_, String>>()?;
                self.graph.object(properties)
            }
            ("String", "fromCharCode", units) => {
                let units: Result<Vec<u16>, String> =
                    units.iter().map(|unit| Ok(self.number(*unit)? as u32 as u16)).collect();
                self.graph.string_utf16(&units?)
            }
            _ => return Err(format!("{namespace}.{function} with {} arguments", arguments.len())),
        })
    }

    /// `Array.from({length: n}, (_, i) => …)`
    fn array_from(&mut self, like: &Expr, parameters: &[String], body: &[Statement]) -> Result<Value, String> {
        let like = self.eval(like)?;
        let length = self.graph.cursor(like).get("length").map(|length| length.value());
        let length = self.number(length.ok_or("Array.from without a length")?)? as u32;
        let mut elements = Vec::new();
        for i in 0..length {
            for (parameter, value) in parameters.iter().zip([Value::UNDEFINED, Value::from(i)]) {
                self.names.insert(parameter.clone(), value);
            }
            elements.push(self.block(body)?);
        }
        Ok(self.graph.array(elements))
    }

    fn method(&mut self, object: Value, method: &str, arguments: &[Value]) -> Result<Value, String> {
        let cursor = self.graph.cursor(object);
        let built_in = cursor.base().unwrap_or(cursor).value();
        match (method, arguments) {
            ("repeat", [count]) => {
                let count = self.number(*count)? as usize;
                let units = self.to_text(object)?.repeat(count);
                return Ok(self.graph.string_utf16(&units));
            }
            ("fill", [value]) => {
                let filled = vec![*value; self.graph.cursor(object).len()];
                return Ok(self.graph.array(filled));
            }
            ("push", values) => {
                for value in values {
                    self.graph.push(built_in, *value).map_err(text)?;
                }
            }
            ("set", [key, value]) => self.graph.map_set(built_in, *key, *value).map_err(text)?,
            ("add", [member]) => self.graph.set_add(built_in, *member).map_err(text)?,
            ("resize", [length]) => self.resize(object, *length)?,
            _ => return Err(format!(".{method}() with {} arguments", arguments.len())),
        }
        Ok(object)
    }
}

//! The interpreter: names, statements, operators, literals, assignment.

use std::collections::HashMap;

use marshal::{Graph, Kind, SymbolId, Value, WellKnown};

use super::parse::{Expr, Key, Statement};

pub(super) struct Interpreter {
    pub(super) graph: Graph<'static>,
    /// Variables. The fixtures have no use for scopes within one another that reuse a name.
    pub(super) names: HashMap<String, Value>,
    /// A symbol's value does not lead back to its id.
    pub(super) symbols: Vec<SymbolId>,
}

impl Interpreter {
    pub(super) fn run(expression: &Expr) -> Result<Graph<'static>, String> {
        let mut interpreter = Interpreter { graph: Graph::new(), names: HashMap::new(), symbols: Vec::new() };
        let root = interpreter.eval(expression)?;
        interpreter.graph.set_root(root);
        Ok(interpreter.graph)
    }

    pub(super) fn eval(&mut self, expression: &Expr) -> Result<Value, String> {
        Ok(match expression {
            Expr::Number(number) => Value::number(*number),
            Expr::BigInt(digits) => {
                let number: num_bigint::BigInt = digits.parse().map_err(|_| format!("{digits}n"))?;
                self.graph.bigint(number)
            }
            Expr::String(units) => self.graph.string_utf16(units),
            Expr::RegExp { source, flags } => self.graph.regexp(source.as_str(), flags, 0).map_err(text)?,
            Expr::Name(name) => self.name(name)?,
            Expr::Array(elements) => self.array(elements)?,
            Expr::Object(properties) => self.object(properties)?,
            Expr::New(constructor, arguments) => {
                let arguments = self.all(arguments)?;
                self.construct(constructor, &arguments)?
            }
            Expr::Call(callee, arguments) => self.call(callee, arguments)?,
            Expr::Member(object, name) => self.member(object, name)?,
            Expr::Index(object, index) => {
                let object = self.eval(object)?;
                let index = self.eval(index)?;
                self.element(object, index)?
            }
            Expr::Minus(operand) => {
                let operand = self.eval(operand)?;
                self.negate(operand)?
            }
            Expr::Binary(sign, left, right) => {
                let (left, right) = (self.eval(left)?, self.eval(right)?);
                self.binary(sign, left, right)?
            }
            Expr::Assign(target, value) => self.assign(target, value)?,
            Expr::Arrow(..) => return Err("a function is no value here".into()),
        })
    }

    pub(super) fn all(&mut self, expressions: &[Expr]) -> Result<Vec<Value>, String> {
        expressions.iter().map(|expression| self.eval(expression)).collect()
    }

    fn name(&mut self, name: &str) -> Result<Value, String> {
        if let Some(&value) = self.names.get(name) {
            return Ok(value);
        }
        Ok(match name {
            "undefined" => Value::UNDEFINED,
            "null" => Value::NULL,
            "true" => Value::TRUE,
            "false" => Value::FALSE,
            "NaN" => Value::number(f64::NAN),
            "Infinity" => Value::number(f64::INFINITY),
            // The key under which the original library names entries.
            "index" => self.symbol(|graph| graph.symbol_for("Marshal.index")),
            _ => return Err(format!("{name} is not defined")),
        })
    }

    pub(super) fn symbol(&mut self, make: impl FnOnce(&mut Graph<'static>) -> SymbolId) -> Value {
        let symbol = make(&mut self.graph);
        self.symbols.push(symbol);
        symbol.into()
    }

    /// Runs the body of a function.
    pub(super) fn block(&mut self, statements: &[Statement]) -> Result<Value, String> {
        for statement in statements {
            match statement {
                Statement::Declare(name, value) => {
                    let value = self.eval(value)?;
                    self.names.insert(name.clone(), value);
                }
                Statement::Expr(expression) => {
                    self.eval(expression)?;
                }
                Statement::Return(expression) => return self.eval(expression),
                Statement::For { name, from, below, body } => {
                    let from = self.eval(from)?;
                    let below = self.eval(below)?;
                    for i in self.number(from)? as i64..self.number(below)? as i64 {
                        self.names.insert(name.clone(), Value::number(i as f64));
                        self.block(body)?;
                    }
                }
            }
        }
        Ok(Value::UNDEFINED)
    }

    fn array(&mut self, elements: &[Option<Expr>]) -> Result<Value, String> {
        let mut present = Vec::with_capacity(elements.len());
        for (i, element) in elements.iter().enumerate() {
            if let Some(element) = element {
                present.push((i as u32, self.eval(element)?));
            }
        }
        self.graph.sparse_array(elements.len() as u32, present).map_err(text)
    }

    fn object(&mut self, properties: &[(Key, Expr)]) -> Result<Value, String> {
        let mut evaluated = Vec::with_capacity(properties.len());
        let mut null_prototype = false;
        for (key, value) in properties {
            let key = match key {
                Key::Text(units) => self.graph.string_utf16(units),
                Key::Number(number) => Value::number(*number),
                Key::Computed(key) => self.eval(key)?,
                Key::Prototype => {
                    let prototype = self.eval(value)?;
                    if !self.graph.cursor(prototype).is_null() {
                        return Err("a prototype other than null".into());
                    }
                    null_prototype = true;
                    continue;
                }
            };
            let key = self.key(key)?;
            evaluated.push((key, self.eval(value)?));
        }
        Ok(if null_prototype { self.graph.null_object(evaluated) } else { self.graph.object(evaluated) })
    }

    fn member(&mut self, object: &Expr, name: &str) -> Result<Value, String> {
        if matches!(object, Expr::Name(object) if object == "Symbol") {
            let symbol = WellKnown::from_name(name).ok_or_else(|| format!("Symbol.{name}"))?;
            return Ok(self.symbol(|graph| graph.symbol_well_known(symbol)));
        }
        let object = self.eval(object)?;
        let key = self.graph.string(name);
        self.element(object, key)
    }

    /// `object[key]`, among own properties first, then among what the built-in part has.
    fn element(&mut self, object: Value, key: Value) -> Result<Value, String> {
        let own = self.key(key)?;
        let cursor = self.graph.cursor(object);
        if let Some(value) = cursor.get(own) {
            return Ok(value.value());
        }
        let built_in = cursor.base().unwrap_or(cursor);
        let key = self.graph.cursor(key);
        let value = match (key.as_f64(), key.as_str()) {
            (Some(index), _) => built_in.at(index as usize).map(|element| element.value()),
            (_, Some("buffer")) => built_in.view().map(|view| view.buffer().value()),
            (_, Some("length" | "size")) => Some(Value::number(built_in.len() as f64)),
            _ => None,
        };
        Ok(value.unwrap_or(Value::UNDEFINED))
    }

    fn assign(&mut self, target: &Expr, value: &Expr) -> Result<Value, String> {
        match target {
            Expr::Name(name) => {
                let value = self.eval(value)?;
                self.names.insert(name.clone(), value);
                Ok(value)
            }
            Expr::Member(object, name) if name == "lastIndex" => {
                let Expr::Name(variable) = &**object else { return Err("lastIndex of no variable".into()) };
                let regexp = self.eval(object)?;
                let value = self.eval(value)?;
                // A RegExp of a graph does not change: the variable gets another one.
                let regexp = self.with_last_index(regexp, value)?;
                self.names.insert(variable.clone(), regexp);
                Ok(value)
            }
            Expr::Member(object, name) => {
                let object = self.eval(object)?;
                let value = self.eval(value)?;
                let key = self.graph.string(name);
                self.set(object, key, value)
            }
            Expr::Index(object, key) => {
                let object = self.eval(object)?;
                let key = self.eval(key)?;
                let value = self.eval(value)?;
                self.set(object, key, value)
            }
            _ => Err("no target of an assignment".into()),
        }
    }

    /// `object[key] = value`
    fn set(&mut self, object: Value, key: Value, value: Value) -> Result<Value, String> {
        let own = self.key(key)?;
        let cursor = self.graph.cursor(object);
        let built_in = cursor.base().unwrap_or(cursor);
        let (kind, target) = (built_in.kind(), built_in.value());
        let name = self.graph.cursor(key).as_str().map(str::to_owned);
        let index = self.graph.cursor(key).as_f64().filter(|n| *n >= 0.0 && *n < 4294967295.0 && n.trunc() == *n);
        match (kind, name.as_deref(), index) {
            (Kind::Array, Some("length"), _) => {
                let length = self.number(value)?;
                self.graph.set_length(target, length as u32).map_err(text)?;
            }
            (Kind::Array, _, Some(index)) => self.graph.set_at(target, index as u32, value).map_err(text)?,
            (Kind::TypedArray, _, Some(index)) => self.set_element(target, index as usize, value)?,
            _ => self.graph.set(object, own, value).map_err(text)?,
        }
        Ok(value)
    }

    fn negate(&mut self, operand: Value) -> Result<Value, String> {
        let cursor = self.graph.cursor(operand);
        match cursor.bigint() {
            Some(n) => {
                let n = -n.to_bigint();
                Ok(self.graph.bigint(n))
            }
            None => self.number(operand).map(|number| Value::number(-number)),
        }
    }

    fn binary(&mut self, sign: &str, left: Value, right: Value) -> Result<Value, String> {
        let (l, r) = (self.graph.cursor(left), self.graph.cursor(right));
        if sign == "+" && (l.kind() == Kind::String || r.kind() == Kind::String) {
            let mut units = self.to_text(left)?;
            units.extend(self.to_text(right)?);
            return Ok(self.graph.string_utf16(&units));
        }
        if let (Some(l), Some(r)) = (l.bigint(), r.bigint()) {
            let (l, r) = (l.to_bigint(), r.to_bigint());
            let result = match sign {
                "+" => l + r,
                "-" => l - r,
                "*" => l * r,
                "**" => l.pow(u32::try_from(r).map_err(|_| "a BigInt's exponent")?),
                _ => return Err(format!("{sign} of BigInts")),
            };
            return Ok(self.graph.bigint(result));
        }
        let (l, r) = (self.number(left)?, self.number(right)?);
        Ok(Value::number(match sign {
            "+" => l + r,
            "-" => l - r,
            "*" => l * r,
            "/" => l / r,
            "%" => l % r,
            _ => l.powf(r),
        }))
    }
}

pub(super) fn text(error: marshal::Error) -> String {
    error.to_string()
}

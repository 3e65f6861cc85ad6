//! Tokens to a tree. Knows grammar and no meaning.

use super::token::Token;

#[derive(Debug, Clone)]
pub(super) enum Expr {
    Number(f64),
    BigInt(String),
    String(Vec<u16>),
    RegExp {
        source: String,
        flags: String,
    },
    Name(String),
    /// `None` is a hole.
    Array(Vec<Option<Expr>>),
    Object(Vec<(Key, Expr)>),
    New(String, Vec<Expr>),
    Call(Box<Expr>, Vec<Expr>),
    Member(Box<Expr>, String),
    Index(Box<Expr>, Box<Expr>),
    Minus(Box<Expr>),
    Binary(&'static str, Box<Expr>, Box<Expr>),
    Assign(Box<Expr>, Box<Expr>),
    Arrow(Vec<String>, Vec<Statement>),
}

#[derive(Debug, Clone)]
pub(super) enum Key {
    Text(Vec<u16>),
    Number(f64),
    Computed(Expr),
    /// `__proto__`, which sets the prototype.
    Prototype,
}

#[derive(Debug, Clone)]
pub(super) enum Statement {
    Declare(String, Expr),
    Expr(Expr),
    For { name: String, from: Expr, below: Expr, body: Vec<Statement> },
    Return(Expr),
}

pub(super) fn parse(tokens: Vec<Token>) -> Result<Expr, String> {
    let mut parser = Parser { tokens, at: 0 };
    let expression = parser.expression()?;
    match parser.tokens.get(parser.at) {
        None => Ok(expression),
        Some(token) => Err(format!("{token:?} behind the expression")),
    }
}

struct Parser {
    tokens: Vec<Token>,
    at: usize,
}

/// Signs of equal strength, the weakest first; all of them bind to the left.
const BINARY: [&[&str]; 2] = [&["+", "-"], &["*", "/", "%"]];

impl Parser {
    fn peek(&self, ahead: usize) -> Option<&Token> {
        self.tokens.get(self.at + ahead)
    }

    fn is(&self, sign: &str) -> bool {
        self.peek(0).is_some_and(|token| is_sign(token, sign))
    }

    fn take(&mut self, sign: &str) -> bool {
        let is = self.is(sign);
        self.at += usize::from(is);
        is
    }

    fn expect(&mut self, sign: &str) -> Result<(), String> {
        if self.take(sign) { Ok(()) } else { Err(format!("{:?} in place of {sign}", self.peek(0))) }
    }

    fn next(&mut self) -> Result<Token, String> {
        let token = self.peek(0).cloned().ok_or("the expression ends early")?;
        self.at += 1;
        Ok(token)
    }

    fn name(&mut self) -> Result<String, String> {
        match self.next()? {
            Token::Name(name) => Ok(name),
            other => Err(format!("{other:?} in place of a name")),
        }
    }

    fn take_name(&mut self, word: &str) -> bool {
        let is = matches!(self.peek(0), Some(Token::Name(name)) if name == word);
        self.at += usize::from(is);
        is
    }

    fn expression(&mut self) -> Result<Expr, String> {
        if let Some(arrow) = self.arrow()? {
            return Ok(arrow);
        }
        let left = self.binary(0)?;
        if self.take("=") {
            return Ok(Expr::Assign(Box::new(left), Box::new(self.expression()?)));
        }
        Ok(left)
    }

    fn arrow(&mut self) -> Result<Option<Expr>, String> {
        let mut parameters = Vec::new();
        let start = self.at;
        if self.take("(") {
            while let Some(Token::Name(name)) = self.peek(0) {
                parameters.push(name.clone());
                self.at += 1;
                self.take(",");
            }
            if !self.take(")") || !self.take("=>") {
                self.at = start;
                return Ok(None);
            }
        } else {
            match (self.peek(0), self.peek(1)) {
                (Some(Token::Name(name)), Some(token)) if is_sign(token, "=>") => parameters.push(name.clone()),
                _ => return Ok(None),
            }
            self.at += 2;
        }
        let body = if self.is("{") { self.block()? } else { vec![Statement::Return(self.expression()?)] };
        Ok(Some(Expr::Arrow(parameters, body)))
    }

    fn binary(&mut self, level: usize) -> Result<Expr, String> {
        let Some(signs) = BINARY.get(level) else { return self.unary() };
        let mut left = self.binary(level + 1)?;
        while let Some(&sign) = signs.iter().find(|sign| self.is(sign)) {
            self.at += 1;
            left = Expr::Binary(sign, Box::new(left), Box::new(self.binary(level + 1)?));
        }
        Ok(left)
    }

    fn unary(&mut self) -> Result<Expr, String> {
        if self.take("-") {
            return Ok(Expr::Minus(Box::new(self.unary()?)));
        }
        let base = self.postfix()?;
        if self.take("**") {
            return Ok(Expr::Binary("**", Box::new(base), Box::new(self.unary()?)));
        }
        Ok(base)
    }

    fn postfix(&mut self) -> Result<Expr, String> {
        let mut value = self.primary()?;
        loop {
            value = if self.take(".") {
                Expr::Member(Box::new(value), self.name()?)
            } else if self.take("[") {
                let index = self.expression()?;
                self.expect("]")?;
                Expr::Index(Box::new(value), Box::new(index))
            } else if self.is("(") {
                Expr::Call(Box::new(value), self.arguments()?)
            } else {
                return Ok(value);
            };
        }
    }

    fn arguments(&mut self) -> Result<Vec<Expr>, String> {
        self.expect("(")?;
        let mut arguments = Vec::new();
        while !self.take(")") {
            arguments.push(self.expression()?);
            if !self.is(")") {
                self.expect(",")?;
            }
        }
        Ok(arguments)
    }

    fn primary(&mut self) -> Result<Expr, String> {
        Ok(match self.next()? {
            Token::Number(number) => Expr::Number(number),
            Token::BigInt(digits) => Expr::BigInt(digits),
            Token::String(units) => Expr::String(units),
            Token::RegExp { source, flags } => Expr::RegExp { source, flags },
            Token::Name(name) if name == "new" => {
                let constructor = self.name()?;
                let arguments = if self.is("(") { self.arguments()? } else { Vec::new() };
                Expr::New(constructor, arguments)
            }
            Token::Name(name) => Expr::Name(name),
            Token::Sign("(") => {
                let inner = self.expression()?;
                self.expect(")")?;
                inner
            }
            Token::Sign("[") => self.array()?,
            Token::Sign("{") => self.object()?,
            other => return Err(format!("{other:?} begins no expression")),
        })
    }

    fn array(&mut self) -> Result<Expr, String> {
        let mut elements = Vec::new();
        while !self.take("]") {
            if self.take(",") {
                elements.push(None);
                continue;
            }
            elements.push(Some(self.expression()?));
            if !self.is("]") {
                self.expect(",")?;
            }
        }
        Ok(Expr::Array(elements))
    }

    fn object(&mut self) -> Result<Expr, String> {
        let mut properties = Vec::new();
        while !self.take("}") {
            let key = match self.next()? {
                Token::Name(name) if name == "__proto__" => Key::Prototype,
                Token::Name(name) if self.is(",") || self.is("}") => {
                    self.take(",");
                    properties.push((Key::Text(name.encode_utf16().collect()), Expr::Name(name)));
                    continue;
                }
                Token::Name(name) => Key::Text(name.encode_utf16().collect()),
                Token::String(units) if String::from_utf16_lossy(&units) == "__proto__" => Key::Prototype,
                Token::String(units) => Key::Text(units),
                Token::Number(number) => Key::Number(number),
                Token::Sign("[") => {
                    let key = self.expression()?;
                    self.expect("]")?;
                    Key::Computed(key)
                }
                other => return Err(format!("{other:?} in place of a key")),
            };
            self.expect(":")?;
            properties.push((key, self.expression()?));
            if !self.is("}") {
                self.expect(",")?;
            }
        }
        Ok(Expr::Object(properties))
    }

    fn block(&mut self) -> Result<Vec<Statement>, String> {
        self.expect("{")?;
        let mut statements = Vec::new();
        while !self.take("}") {
            self.statement(&mut statements)?;
            while self.take(";") {}
        }
        Ok(statements)
    }

    fn statement(&mut self, statements: &mut Vec<Statement>) -> Result<(), String> {
        if self.take_name("const") || self.take_name("let") {
            loop {
                let name = self.name()?;
                self.expect("=")?;
                statements.push(Statement::Declare(name, self.expression()?));
                if !self.take(",") {
                    return Ok(());
                }
            }
        }
        if self.take_name("return") {
            statements.push(Statement::Return(self.expression()?));
        } else if self.take_name("for") {
            statements.push(self.counting_loop()?);
        } else {
            statements.push(Statement::Expr(self.expression()?));
        }
        Ok(())
    }

    /// `(let i = FROM; i < BELOW; i++) { … }`
    fn counting_loop(&mut self) -> Result<Statement, String> {
        self.expect("(")?;
        if !self.take_name("let") {
            return Err("a loop declares its counter".into());
        }
        let name = self.name()?;
        self.expect("=")?;
        let from = self.expression()?;
        self.expect(";")?;
        let counts = self.take_name(&name);
        self.expect("<")?;
        let below = self.expression()?;
        self.expect(";")?;
        if !counts || !self.take_name(&name) {
            return Err("a loop counts its counter".into());
        }
        self.expect("++")?;
        self.expect(")")?;
        let body = self.block()?;
        Ok(Statement::For { name, from, below, body })
    }
}

fn is_sign(token: &Token, sign: &str) -> bool {
    matches!(token, Token::Sign(own) if *own == sign)
}

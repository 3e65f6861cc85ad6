//! JSON text into a graph, as JSON.parse reads it.
//!
//! The tokens are hifijson's, which leaves numbers and escapes to its caller: JSON.parse keeps lone surrogates, which
//! parsers that end in `str` refuse. The stack is our own, so depth is bounded by memory alone.

use std::borrow::Cow;

use hifijson::num::LexWrite as _;
use hifijson::token::Lex as _;
use hifijson::{Read as _, SliceLexer};

use super::string::{self, Text, Unescaped};
use crate::error::{Error, ErrorKind};
use crate::graph::{Graph, JsStr, Key, Place, PropertyKey, Segment, ShapeKind, Slot, Transitions, path_of};

/// Reads JSON text into a graph.
///
/// The result is that of `JSON.parse`: of a key that stands twice the last value counts, keys that are array indices
/// come first, `__proto__` is a key like others, numbers become the nearest double (`1e400` is `Infinity`, `-0` keeps
/// its sign), and a surrogate that is escaped without its other half stays one. The text is UTF-8; a byte order mark in
/// front of it is passed over, as `Response.json` does. Any depth is read. Cost: linear.
///
/// # Examples
///
/// ```
/// let graph = marshal::json::parse(br#"{"name": "Ada", "tags": [1, 2], "name": "Grace"}"#)?;
/// assert_eq!(graph.to_string(), r#"{name: "Grace", tags: [1, 2]}"#);
///
/// let error = marshal::json::parse(br#"{"users": [{"age": 1}, {"age": ?}]}"#).unwrap_err();
/// assert_eq!(error.to_string(), "bad-syntax at byte 31 in $.users[1].age: expected a value");
/// # Ok::<(), marshal::Error>(())
/// ```
///
/// # Errors
///
/// `bad-syntax` with the offset of the first byte that can't stand where it does (the text's length where the text ends
/// early) and the path; `limit-exceeded` for a text of 4 GiB or more.
pub fn parse(text: &[u8]) -> Result<Graph<'static>, Error> {
    let mut parser = Parser::new(text)?;
    parser.run(usize::MAX)?;
    Ok(parser.finish())
}

/// Reads JSON text a part at a time: what [`parse`] does, in as many calls as the caller likes.
///
/// # Examples
///
/// ```
/// let mut parser = marshal::json::Parser::new(b"[1, [2, 3], {\"a\": 4}]")?;
/// while !parser.run(2)? {
///     // Something else has its turn.
/// }
/// assert_eq!(parser.finish().to_string(), "[1, [2, 3], {a: 4}]");
/// # Ok::<(), marshal::Error>(())
/// ```
pub struct Parser<'t> {
    text: &'t [u8],
    lexer: SliceLexer<'t>,
    expect: Expect,
    graph: Graph<'static>,
    open: Vec<Frame>,
    /// Values of the open containers, those of the innermost last; then the root.
    values: Vec<Slot>,
    /// Keys of the open objects.
    keys: Vec<KeyAt>,
    /// Keys that are not as they stand in the text.
    unescaped_keys: Vec<PropertyKey<'static>>,
    transitions: Transitions,
    unescaped: Unescaped,
    packed: Vec<u8>,
}

/// What may come next.
#[derive(Clone, Copy, PartialEq)]
enum Expect {
    Value,
    FirstElement,
    FirstKey,
    Key,
    /// A comma or the end of the container.
    Next,
    End,
}

/// An open container.
struct Frame {
    is_object: bool,
    /// Where its values, keys and unescaped keys begin.
    values: u32,
    keys: u32,
    unescaped_keys: u32,
    place: Option<Place>,
}

#[derive(Clone, Copy)]
enum KeyAt {
    Text { start: u32, len: u32 },
    Unescaped(u32),
}

/// What was wrong, and how many bytes before the lexer's position.
pub(super) struct Syntax {
    what: Cow<'static, str>,
    back: usize,
}

impl Syntax {
    pub(super) fn back(what: &'static str, back: usize) -> Self {
        Syntax { what: what.into(), back }
    }
}

impl From<&'static str> for Syntax {
    fn from(what: &'static str) -> Self {
        Syntax::back(what, 0)
    }
}

impl From<hifijson::str::Error> for Syntax {
    #[cold]
    fn from(error: hifijson::str::Error) -> Self {
        use hifijson::escape::Error as Escape;
        use hifijson::str::Error::{Control, Eof, Escape as InEscape, Utf8};
        match error {
            Control => Syntax::back("a control character in a string has to be escaped", 1),
            Eof | InEscape(Escape::Eof) => "the text ends inside a string".into(),
            InEscape(Escape::InvalidKind(_)) => {
                Syntax::back("no such escape; there are \\\" \\\\ \\/ \\b \\f \\n \\r \\t and \\u with four digits", 1)
            }
            InEscape(_) => Syntax::back("\\u takes four hexadecimal digits", 1),
            Utf8(_) => "the text is not UTF-8".into(),
        }
    }
}

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

impl<'t> Parser<'t> {
    /// A parser at the start of `text`.
    ///
    /// # Errors
    ///
    /// `limit-exceeded` for a text of 4 GiB or more.
    pub fn new(text: &'t [u8]) -> Result<Self, Error> {
        // Fewer bytes than that make fewer values and shorter strings than a graph can hold.
        if u32::try_from(text.len()).is_err() {
            return Err(Error::new(ErrorKind::LimitExceeded, "a JSON text of 4 GiB or more; split it"));
        }
        Ok(Parser {
            text,
            lexer: SliceLexer::new(text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text)),
            expect: Expect::Value,
            graph: Graph::new(),
            open: Vec::new(),
            values: Vec::new(),
            keys: Vec::new(),
            unescaped_keys: Vec::new(),
            transitions: Transitions::default(),
            unescaped: Unescaped::default(),
            packed: Vec::new(),
        })
    }

    /// Reads up to `steps` values, keys and ends of containers. Says whether the text is read to its end.
    ///
    /// # Errors
    ///
    /// Those of [`parse`].
    pub fn run(&mut self, steps: usize) -> Result<bool, Error> {
        for _ in 0..steps {
            if self.expect == Expect::End {
                return self.end().map(|()| true).map_err(|syntax| self.error(syntax));
            }
            self.step().map_err(|syntax| self.error(syntax))?;
        }
        Ok(false)
    }

    /// How many bytes have been read so far.
    pub fn position(&self) -> usize {
        self.text.len() - self.lexer.as_slice().len()
    }

    /// The graph. Its root is `undefined` unless the text was read to its end.
    pub fn finish(self) -> Graph<'static> {
        self.graph
    }

    fn step(&mut self) -> Result<(), Syntax> {
        let next = self.lexer.ws_peek();
        match self.expect {
            Expect::Value => self.value(next),
            Expect::FirstElement if next == Some(b']') => self.close(),
            Expect::FirstElement => self.value(next),
            Expect::FirstKey if next == Some(b'}') => self.close(),
            Expect::FirstKey | Expect::Key => self.key(next),
            Expect::Next => {
                let is_object = self.open.last().is_some_and(|frame| frame.is_object);
                match next {
                    Some(b',') => {
                        self.lexer.take_next();
                        let next = self.lexer.ws_peek();
                        self.expect = if is_object { Expect::Key } else { Expect::Value };
                        if is_object { self.key(next) } else { self.value(next) }
                    }
                    Some(b'}') if is_object => self.close(),
                    Some(b']') if !is_object => self.close(),
                    _ if is_object => Err("expected a comma or }".into()),
                    Some(b'0'..=b'9') if self.text[self.position() - 1] == b'0' => {
                        Err("a number has no leading zero".into())
                    }
                    _ => Err("expected a comma or ]".into()),
                }
            }
            Expect::End => self.end(),
        }
    }

    fn end(&mut self) -> Result<(), Syntax> {
        match self.lexer.ws_peek() {
            None => {
                if let Some(root) = self.values.pop() {
                    self.graph.root = root;
                }
                Ok(())
            }
            Some(b'0'..=b'9') if self.text[self.position() - 1] == b'0' => Err("a number has no leading zero".into()),
            Some(_) => Err("something follows the value".into()),
        }
    }

    #[inline]
    fn value(&mut self, next: Option<u8>) -> Result<(), Syntax> {
        let slot = match next {
            Some(b'"') => {
                self.lexer.take_next();
                match string::read(&mut self.lexer, &mut self.unescaped)? {
                    Text::Plain(text) => self.graph.string(text).0,
                    Text::Unescaped(text) => self.graph.string(text).0,
                    Text::Units(units) => self.graph.string_utf16(units).0,
                }
            }
            Some(b'0'..=b'9' | b'-') => Slot::Number(self.number()?),
            Some(open @ (b'[' | b'{')) => {
                self.lexer.take_next();
                self.open.push(Frame {
                    is_object: open == b'{',
                    values: self.values.len() as u32,
                    keys: self.keys.len() as u32,
                    unescaped_keys: self.unescaped_keys.len() as u32,
                    place: Some(Transitions::ROOT),
                });
                self.expect = if open == b'{' { Expect::FirstKey } else { Expect::FirstElement };
                return Ok(());
            }
            Some(b't' | b'f' | b'n') => {
                let before = self.lexer.as_slice();
                match self.lexer.null_or_bool() {
                    Some(None) => Slot::Null,
                    Some(Some(truth)) => Slot::Bool(truth),
                    None => {
                        self.lexer = SliceLexer::new(before);
                        return Err("expected true, false or null".into());
                    }
                }
            }
            other => return Err(self.no_value(other)),
        };
        self.take(slot);
        Ok(())
    }

    #[inline]
    fn take(&mut self, slot: Slot) {
        self.values.push(slot);
        self.expect = if self.open.is_empty() { Expect::End } else { Expect::Next };
    }

    #[cold]
    fn no_value(&self, next: Option<u8>) -> Syntax {
        match next {
            None => "the text ends where a value is expected".into(),
            Some(b']') => "expected a value: JSON has no comma before ]".into(),
            Some(b'\'') => "expected a value: strings take double quotes".into(),
            Some(b'/') => "expected a value: JSON has no comments".into(),
            Some(b'N' | b'I' | b'u') => "expected a value: JSON has no NaN, Infinity and undefined".into(),
            Some(b'+' | b'.') => "expected a value: a number begins with a digit or -".into(),
            Some(_) => "expected a value".into(),
        }
    }

    #[inline]
    fn number(&mut self) -> Result<f64, Syntax> {
        if let Some((number, rest)) = short_integer(self.lexer.as_slice()) {
            self.lexer = SliceLexer::new(rest);
            return Ok(number);
        }
        let (text, _) = self.lexer.num_string().validated().map_err(|_| "expected a digit")?;
        // What a double can't hold becomes an infinity here, as in JavaScript.
        text.parse().map_err(|_| "expected a number".into())
    }

    fn key(&mut self, next: Option<u8>) -> Result<(), Syntax> {
        match next {
            Some(b'"') => self.lexer.take_next(),
            None => return Err("the text ends inside an object".into()),
            Some(b'}') => return Err("expected a key: JSON has no comma before }".into()),
            Some(b'\'') => return Err("expected a key: keys take double quotes".into()),
            Some(_) => return Err("expected a key in double quotes".into()),
        };
        let start = self.position();
        let (key, text) = match string::read(&mut self.lexer, &mut self.unescaped)? {
            Text::Plain(text) => (KeyAt::Text { start: start as u32, len: text.len() as u32 }, Some(text)),
            Text::Unescaped(text) => {
                self.unescaped_keys.push(text.to_owned().into());
                (KeyAt::Unescaped(self.unescaped_keys.len() as u32 - 1), Some(text))
            }
            Text::Units(units) => {
                self.unescaped_keys.push(PropertyKey::utf16(units));
                (KeyAt::Unescaped(self.unescaped_keys.len() as u32 - 1), None)
            }
        };
        self.keys.push(key);
        if let Some(frame) = self.open.last_mut() {
            frame.place = match (frame.place, text) {
                (Some(place), Some(text)) => self.transitions.follow(place, text),
                _ => None,
            };
        }
        self.expect = Expect::Value;
        self.lexer.expect(SliceLexer::ws_peek, b':').ok_or("expected a colon".into())
    }

    /// Takes the end of the innermost container.
    fn close(&mut self) -> Result<(), Syntax> {
        self.lexer.take_next();
        let Some(frame) = self.open.pop() else { return Err("nothing to close".into()) };
        let start = frame.values as usize;
        let value = if frame.is_object {
            let value = self.object(&frame);
            self.keys.truncate(frame.keys as usize);
            self.unescaped_keys.truncate(frame.unescaped_keys as usize);
            value
        } else {
            self.graph.array_from(&self.values[start..], &mut self.packed).0
        };
        self.values.truncate(start);
        self.take(value);
        Ok(())
    }

    fn object(&mut self, frame: &Frame) -> Slot {
        let values = &self.values[frame.values as usize..];
        if let Some(place) = frame.place
            && let Some(shape) = self.transitions.shape(&mut self.graph, place)
        {
            return self.graph.object_from(shape, values).0;
        }
        let keys = self.keys[frame.keys as usize..].iter().map(|&key| lend(self.text, &self.unescaped_keys, key));
        let mut pairs: Vec<(Key<'_>, Slot)> = keys.zip(values.iter().copied()).collect();
        self.graph.shaped_from(ShapeKind::Plain, Vec::new(), &mut pairs).0
    }

    #[cold]
    fn error(&self, syntax: Syntax) -> Error {
        Error::new(ErrorKind::BadSyntax, syntax.what)
            .at_offset(self.position() - syntax.back)
            .at_path(path_of(self.open.iter().enumerate().filter_map(|(i, frame)| self.segment(i, frame))))
    }

    /// Where the next value of open container `index` belongs.
    fn segment(&self, index: usize, frame: &Frame) -> Option<Segment<'_>> {
        let inner = self.open.get(index + 1);
        if frame.is_object {
            let keys = inner.map_or(self.keys.len(), |inner| inner.keys as usize);
            let values = inner.map_or(self.values.len(), |inner| inner.values as usize);
            let awaits_value = keys - frame.keys as usize > values - frame.values as usize;
            return match lend(self.text, &self.unescaped_keys, *self.keys[..keys].last().filter(|_| awaits_value)?) {
                Key::String(name) => Some(Segment::Name(name)),
                Key::Symbol(_) => None,
            };
        }
        let values = inner.map_or(self.values.len(), |inner| inner.values as usize);
        (inner.is_some() || self.expect != Expect::Next)
            .then(|| Segment::Index((values - frame.values as usize) as u32))
    }
}

/// An integer of at most 15 digits at the start of `text`, and what follows it: most numbers are that, and a double holds
/// it exactly. Whatever else begins there is `None`.
#[inline]
fn short_integer(text: &[u8]) -> Option<(f64, &[u8])> {
    let digits = text.strip_prefix(b"-").unwrap_or(text);
    let mut n = 0i64;
    let mut len = 0;
    while let Some(digit @ b'0'..=b'9') = digits.get(len) {
        if len == 15 {
            return None;
        }
        n = 10 * n + i64::from(digit - b'0');
        len += 1;
    }
    let rest = &digits[len..];
    let is_whole = !matches!(rest.first(), Some(b'.' | b'e' | b'E'));
    let is_integer = is_whole && len > 0 && (digits[0] != b'0' || len == 1);
    let number = if digits.len() < text.len() { -(n as f64) } else { n as f64 };
    is_integer.then_some((number, rest))
}

fn lend<'k>(text: &'k [u8], unescaped: &'k [PropertyKey<'static>], key: KeyAt) -> Key<'k> {
    match key {
        KeyAt::Text { start, len } => {
            let key = text.get(start as usize..start as usize + len as usize).unwrap_or_default();
            // It was validated when it was read.
            Key::String(JsStr::utf8(simdutf8::basic::from_utf8(key).unwrap_or_default()))
        }
        KeyAt::Unescaped(index) => unescaped[index as usize].lend(),
    }
}

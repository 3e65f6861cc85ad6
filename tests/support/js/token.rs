//! Text to tokens. Knows nothing of grammar but where a slash begins a RegExp.

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Token {
    Number(f64),
    /// Decimal digits.
    BigInt(String),
    /// Code units.
    String(Vec<u16>),
    RegExp {
        source: String,
        flags: String,
    },
    Name(String),
    Sign(&'static str),
}

/// Longer signs first.
const SIGNS: [&str; 21] =
    ["=>", "**", "++", "(", ")", "[", "]", "{", "}", ",", ";", ":", ".", "=", "<", "+", "-", "*", "/", "%", "?"];

pub(super) fn tokens(text: &str) -> Result<Vec<Token>, String> {
    let mut rest = text.trim_start();
    let mut tokens: Vec<Token> = Vec::new();
    while let Some(first) = rest.chars().next() {
        let (token, after) = match first {
            '"' | '\'' => string(&rest[1..], first)?,
            '0'..='9' => number(rest)?,
            '.' if rest[1..].starts_with(|c: char| c.is_ascii_digit()) => number(rest)?,
            '/' if !ends_operand(tokens.last()) => regexp(&rest[1..])?,
            c if is_name(c) => {
                let end = rest.find(|c| !is_name(c)).unwrap_or(rest.len());
                (Token::Name(rest[..end].to_owned()), &rest[end..])
            }
            _ => {
                let sign = SIGNS.into_iter().find(|sign| rest.starts_with(sign));
                let sign = sign.ok_or_else(|| format!("no token begins with {rest:.20?}"))?;
                (Token::Sign(sign), &rest[sign.len()..])
            }
        };
        tokens.push(token);
        rest = after.trim_start();
    }
    Ok(tokens)
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

/// Whether a slash behind `token` divides.
fn ends_operand(token: Option<&Token>) -> bool {
    match token {
        None => false,
        Some(Token::Name(name)) => name != "return",
        Some(Token::Sign(sign)) => matches!(*sign, ")" | "]" | "}"),
        Some(_) => true,
    }
}

fn number(text: &str) -> Result<(Token, &str), String> {
    let mut end = 0;
    let bytes = text.as_bytes();
    while let Some(&byte) = bytes.get(end) {
        let in_exponent = byte == b'+' || byte == b'-';
        let continues = byte.is_ascii_digit()
            || matches!(byte, b'.' | b'e' | b'E')
            || (in_exponent && end > 0 && matches!(bytes[end - 1], b'e' | b'E'));
        if !continues {
            break;
        }
        end += 1;
    }
    let (digits, rest) = text.split_at(end);
    if let Some(rest) = rest.strip_prefix('n') {
        return Ok((Token::BigInt(digits.to_owned()), rest));
    }
    let number = digits.parse().map_err(|_| format!("{digits:?} is no number"))?;
    Ok((Token::Number(number), rest))
}

fn regexp(text: &str) -> Result<(Token, &str), String> {
    let (mut escaped, mut class) = (false, false);
    for (at, c) in text.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '[' => class = true,
            ']' => class = false,
            '/' if !class => {
                let after = &text[at + 1..];
                let end = after.find(|c| !is_name(c)).unwrap_or(after.len());
                let (source, flags) = (text[..at].to_owned(), after[..end].to_owned());
                return Ok((Token::RegExp { source, flags }, &after[end..]));
            }
            _ => {}
        }
    }
    Err("a RegExp without end".into())
}

fn string(text: &str, quote: char) -> Result<(Token, &str), String> {
    let mut units = Vec::new();
    let mut chars = text.chars();
    loop {
        let c = chars.next().ok_or("a string without end")?;
        match c {
            _ if c == quote => return Ok((Token::String(units), chars.as_str())),
            '\\' => escape(&mut chars, &mut units)?,
            _ => units.extend(c.encode_utf16(&mut [0; 2]).iter()),
        }
    }
}

fn escape(chars: &mut std::str::Chars<'_>, units: &mut Vec<u16>) -> Result<(), String> {
    let c = chars.next().ok_or("a string without end")?;
    let hex = |digits: &str| u32::from_str_radix(digits, 16).map_err(|_| format!("{digits:?} in an escape"));
    let code = match c {
        'n' => 0x0A,
        't' => 0x09,
        'r' => 0x0D,
        'b' => 0x08,
        'f' => 0x0C,
        'v' => 0x0B,
        '0' => 0,
        'u' if chars.as_str().starts_with('{') => {
            let digits: String = chars.by_ref().skip(1).take_while(|&c| c != '}').collect();
            let c = char::from_u32(hex(&digits)?);
            units.extend(c.ok_or("an escape beyond Unicode")?.encode_utf16(&mut [0; 2]).iter());
            return Ok(());
        }
        'u' => hex(&chars.by_ref().take(4).collect::<String>())?,
        'x' => hex(&chars.by_ref().take(2).collect::<String>())?,
        other => u32::from(other),
    };
    units.push(u16::try_from(code).map_err(|_| "an escape of more than a code unit")?);
    Ok(())
}

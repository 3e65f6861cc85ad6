//! Paths as people write them: `users[1203].name`, `["a key"].x`, with or without the `$` of error messages.

/// A step of a path.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Step {
    Name(String),
    Index(usize),
}

/// The steps of `path`; what is wrong with it otherwise.
pub(crate) fn parse(path: &str) -> Result<Vec<Step>, String> {
    let mut rest = path.trim();
    rest = rest.strip_prefix('$').unwrap_or(rest);
    let mut steps = Vec::new();
    while !rest.is_empty() {
        if let Some(inside) = rest.strip_prefix('[') {
            let (step, behind) =
                bracket(inside).ok_or_else(|| format!("expected a number or \"text\" and ] in [{inside}"))?;
            steps.push(step);
            rest = behind;
            continue;
        }
        let name = match rest.strip_prefix('.') {
            Some(name) => name,
            None if steps.is_empty() => rest,
            None => return Err(format!("expected . or [ before {rest}")),
        };
        let len = name.find(['.', '[']).unwrap_or(name.len());
        if len == 0 {
            return Err(format!("expected a name before {name:?}"));
        }
        steps.push(Step::Name(name[..len].to_owned()));
        rest = &name[len..];
    }
    Ok(steps)
}

fn bracket(inside: &str) -> Option<(Step, &str)> {
    let quote = inside.chars().next().filter(|c| matches!(c, '"' | '\''));
    let Some(quote) = quote else {
        let (number, behind) = inside.split_once(']')?;
        return Some((Step::Index(number.trim().parse().ok()?), behind));
    };
    let mut name = String::new();
    let mut chars = inside.char_indices().skip(1);
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' => name.push(chars.next()?.1),
            c if c == quote => return Some((Step::Name(name), inside[at + 1..].strip_prefix(']')?)),
            c => name.push(c),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_read_as_they_are_written() {
        let name = |name: &str| Step::Name(name.into());
        assert_eq!(parse("users[1203].name").unwrap(), [name("users"), Step::Index(1203), name("name")]);
        assert_eq!(parse("$.a[\"b.c\\\"]\"]['d']").unwrap(), [name("a"), name("b.c\"]"), name("d")]);
        assert_eq!(parse("[0][1]").unwrap(), [Step::Index(0), Step::Index(1)]);
        assert_eq!(parse("").unwrap(), []);
        for bad in ["a..b", "a[", "a[x]", "a[1", "a[\"b]", "a[1]b", "."] {
            assert!(parse(bad).is_err(), "{bad}");
        }
    }
}

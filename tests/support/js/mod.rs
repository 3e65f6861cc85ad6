//! Evaluates a small subset of JavaScript to a graph, so that fixtures can say in JavaScript what their bytes mean.
//!
//! The subset is what the fixtures use (`spec/vectors/README.md`); anything else is an error. Tokens, then a tree, then an
//! interpreter that builds the graph through the library's public API. Expressions are the fixtures' own, so the depth of
//! their text is not guarded.

mod build;
mod call;
mod interpret;
mod parse;
mod token;

use marshal::Graph;

/// The value of the expression `text`.
pub(crate) fn evaluate(text: &str) -> Result<Graph<'static>, String> {
    let expression = parse::parse(token::tokens(text)?)?;
    interpret::Interpreter::run(&expression)
}

#[cfg(test)]
mod tests {
    use super::evaluate;

    fn print(expression: &str) -> String {
        match evaluate(expression) {
            Ok(graph) => graph.to_string(),
            Err(why) => panic!("{expression}: {why}"),
        }
    }

    #[test]
    fn expressions_mean_what_they_mean_in_javascript() {
        for (expression, printed) in [
            ("2**53 - 1", "9007199254740991"),
            ("-2**2 + 7 % 4 * 2", "2"),
            ("-0", "-0"),
            ("2n**64n", "18446744073709551616n"),
            (r#"'\x41\u{1F600}\u0042' + 1.5 + "'""#, r#""A😀B1.5'""#),
            (r#"String.fromCharCode(0xD83D, 0xDE00)"#.replace("0xD83D", "55357").replace("0xDE00", "56832").as_str(), r#""😀""#),
            ("[1, , 3, ,]", "[1, <1 empty>, 3, <1 empty>]"),
            ("[,]", "[<1 empty>]"),
            (r#"{b: 1, 1: 2, ["__proto__"]: 3, 'c d': 4,}"#, r#"{"1": 2, b: 1, __proto__: 3, "c d": 4}"#),
            ("{__proto__: null, a: 1}", "{__proto__: null, a: 1}"),
            ("/[/]\\//g", "/[/]\\//g"),
            ("new Array(2).fill(7)", "[7, 7]"),
            ("Array.from({length: 3}, (_, i) => ({[i]: 'k' + i * 2}))", r#"[{"0": "k0"}, {"1": "k2"}, {"2": "k4"}]"#),
            ("(()=>{const a=[1],b={a};a.length=2;a.push(b);b.x=a[0];return a})()", "&1 [1, <1 empty>, {a: *1, x: 1}]"),
            ("(() => { let a = 0; for (let i = 1; i < 5; i++) { a = a + i } return a })()", "10"),
            ("new Set([-0, 0, 1])", "Set [0, 1]"),
            ("new Int8Array([200, -1, 1.9])", "Int8Array[-56, -1, 1]"),
            ("new Uint8ClampedArray([-5, 300, 1.5])", "Uint8ClampedArray[0, 255, 2]"),
        ] {
            assert_eq!(print(expression), printed, "{expression}");
        }
    }

    #[test]
    fn what_is_no_part_of_the_subset_is_an_error() {
        for expression in ["", "1 2", "foo", "[1", "'a", "new Nothing()", "({}).x()", "a => 1", "`a`", "{__proto__: 1}"] {
            assert!(evaluate(expression).is_err(), "{expression}");
        }
    }
}

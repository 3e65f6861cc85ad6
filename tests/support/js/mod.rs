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

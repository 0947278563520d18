//! From tokens to the syntax tree, by recursive descent.
//!
//! Every test of the current token records what the parser could go on with. If nothing fits, the
//! record becomes the list of expectations in the error.

mod cursor;
mod expression;
mod message;
mod program;
mod statement;
mod tasks;

use super::ast::SyntaxTree;
use super::diagnostic::Diagnostic;
use super::lexer;
use super::source::Source;
use cursor::Cursor;

/// How deep statements, blocks and parentheses can be inside each other.
pub const MAX_NESTING: u32 = 100;

/// How many operators and functions can be above each other in the tree of one expression. A sum of
/// `n` terms needs `n - 1`.
pub const MAX_HEIGHT: u32 = 400;

/// How many variables one `LET` or one range can bind, and how many options a program can declare.
pub const MAX_VARIABLES: usize = 100;

type Parsed<T> = Result<T, Box<Diagnostic>>;

/// The syntax tree of a program, and warnings about its text.
///
/// The tree follows the grammar only; [`check`](super::check()) tests its meaning.
pub fn parse(source: &Source) -> Result<(SyntaxTree, Vec<Diagnostic>), Diagnostic> {
    let (tokens, warnings) = lexer::tokens(source)?;
    let program = Cursor::new(source, tokens).program().map_err(|diagnostic| *diagnostic)?;
    Ok((program, warnings))
}

//! The language itself: from the text of a program to a checked syntax tree.
//!
//! [`read`] parses a text and checks it. [`ast`] defines the tree. Every node has a
//! [`Span`](source::Span), and two trees are equal whatever their spans are.
//!
//! ```
//! use pantala_ncptl::language::{Source, read};
//!
//! let source = Source::new("ring.ncptl", "all tasks t send a 5-byte message to task t+1");
//! let (program, warnings) = read(&source).unwrap();
//! assert_eq!(program.sentences.len(), 1);
//! assert!(warnings.is_empty());
//!
//! let source = Source::new("ring.ncptl", "task 0 snds a message to task 1");
//! let errors = read(&source).unwrap_err();
//! assert!(errors[0].one_line(&source).starts_with("ring.ncptl:1:8: unexpected `snds`"));
//! ```

pub mod ast;
mod check;
mod diagnostic;
mod lexer;
mod names;
mod parser;
pub mod source;
mod token;

pub use check::{Findings, PREDECLARED, check};
pub use diagnostic::Diagnostic;
pub use lexer::MAX_BYTES;
pub use parser::{MAX_HEIGHT, MAX_NESTING, MAX_VARIABLES, parse};
pub use source::Source;
pub use token::is_keyword;

use ast::SyntaxTree;

/// The syntax tree of a program that can run, and warnings; or all errors, at least one.
pub fn read(source: &Source) -> Result<(SyntaxTree, Vec<Diagnostic>), Vec<Diagnostic>> {
    let (program, mut warnings) = parse(source).map_err(|error| vec![error])?;
    let mut findings = check(&program);
    if findings.errors.is_empty() {
        warnings.append(&mut findings.warnings);
        Ok((program, warnings))
    } else {
        Err(findings.errors)
    }
}

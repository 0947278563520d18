//! From the syntax tree to steps: names become slots, options become constants.

mod expressions;
mod files;
mod options;
mod scope;
mod statements;
mod tasks;

use std::collections::{BTreeMap, BTreeSet};

use crate::compile::scope::Scope;
use crate::compiled::expression::Slot;
use crate::compiled::step::{Code, Step};
use crate::compiled::view::Failure;
use crate::language::ast::SyntaxTree;

pub use options::{ArgumentValue, OptionError, values as option_values};

/// Compiles a program for a number of tasks. `options` are the values of its options, and
/// `data` are the texts of files that it reads; other files are read from the file system.
///
/// # Errors
/// If a name is unknown, or if the program is too large.
pub fn compile(
    program: &SyntaxTree,
    tasks: u32,
    options: &BTreeMap<String, i64>,
    data: &BTreeMap<String, String>,
) -> Result<Code, Failure> {
    let mut compiler = Compiler::new(Scope::new(tasks, options), data.clone());
    for sentence in &program.sentences {
        let start = compiler.code.steps.len();
        compiler.code.steps.push(Step::Table);
        for statement in &sentence.statements {
            compiler.statement(statement)?;
        }
        let logs = compiler.code.steps[start..].iter().any(|step| matches!(step, Step::Log(..)));
        compiler.code.tables += usize::from(logs);
    }
    compiler.code.slots = compiler.scope.slots();
    Ok(compiler.code)
}

/// The state of a compilation.
struct Compiler {
    code: Code,
    scope: Scope,
    /// The variables that statements around others bind. An evaluated statement depends on these
    /// only.
    outer: BTreeSet<Slot>,
    /// The texts of files by name.
    data: BTreeMap<String, String>,
    /// The number of random numbers and unique messages so far: loops with such are unrolled.
    unrolled: usize,
}

impl Compiler {
    fn new(scope: Scope, data: BTreeMap<String, String>) -> Self {
        Self { code: Code::default(), scope, outer: BTreeSet::new(), data, unrolled: 0 }
    }
}

//! The meaning of a program, as far as its text alone decides it.

mod options;
mod scope;
mod statement;

use std::collections::BTreeSet;

use super::ast::SyntaxTree;
use super::diagnostic::Diagnostic;
use scope::Scope;

/// The variables that exist without a declaration. `num_tasks` is a constant of the run, the others
/// are counters of a task.
pub const PREDECLARED: [&str; 9] = [
    "num_tasks",
    "elapsed_usecs",
    "bytes_sent",
    "bytes_received",
    "total_bytes",
    "msgs_sent",
    "msgs_received",
    "total_msgs",
    "bit_errors",
];

/// What a check has found, in the order of the text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Findings {
    /// Reasons not to run the program.
    pub errors: Vec<Diagnostic>,
    /// Oddities of a program that runs.
    pub warnings: Vec<Diagnostic>,
    /// The files whose words the program reads.
    pub files: BTreeSet<String>,
}

/// Checks names, sets of tasks, options and the rules of each statement.
pub fn check(program: &SyntaxTree) -> Findings {
    let mut scope = Scope::default();
    if let Some(version) = program.version.as_ref().filter(|version| version.value != "1.5") {
        let value = version.value.escape_debug();
        let message = format!("the program requires version \"{value}\" of the language");
        let help = "Pantala knows version \"1.5\"";
        scope.findings.warnings.push(Diagnostic::new(version.span, message).help(help));
    }
    for option in &program.options {
        scope.option(option, &program.options);
    }
    for sentence in &program.sentences {
        for statement in &sentence.statements {
            scope.statement(statement);
        }
    }
    scope.leave(program.options.len());
    scope.findings
}

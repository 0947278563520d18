//! Strategies for whole coNCePTuaL programs.
//!
//! A program is built from a tape of numbers: each decision takes the next number, and an empty
//! tape takes the simplest way. A shorter tape gives a smaller program, so failures shrink.

mod expressions;
mod statements;

use pantala_ncptl::language::ast::{
    Name, OptionDeclaration, Sentence, Statement, StatementKind, SyntaxTree, Tasks, TasksKind, Text,
};
use pantala_ncptl::language::source::Span;
use proptest::collection::vec;
use proptest::prelude::*;

/// Programs that pass the check: every variable is declared, and loops are short. They can still
/// fail when they run: divide by zero, send a blocking message to the sender.
pub(crate) fn valid_programs() -> impl Strategy<Value = SyntaxTree> {
    vec(any::<u32>(), 0..300).prop_map(|tape| Builder::new(tape, false).program())
}

/// Programs that follow the grammar and no other rule.
pub(crate) fn grammatical_programs() -> impl Strategy<Value = SyntaxTree> {
    vec(any::<u32>(), 0..300).prop_map(|tape| Builder::new(tape, true).program())
}

struct Builder {
    tape: std::vec::IntoIter<u32>,
    /// True if only the grammar counts.
    wild: bool,
    /// Variables and task groups that are visible.
    variables: Vec<String>,
    groups: Vec<String>,
    depth: u32,
    timed: bool,
}

impl Builder {
    fn new(tape: Vec<u32>, wild: bool) -> Self {
        let (variables, groups) = (Vec::new(), Vec::new());
        Self { tape: tape.into_iter(), wild, variables, groups, depth: 0, timed: false }
    }

    /// A number below `bound`.
    fn below(&mut self, bound: u32) -> u32 {
        self.tape.next().unwrap_or(0) % bound
    }

    /// True in `percent` of all cases, and false on an empty tape.
    fn chance(&mut self, percent: u32) -> bool {
        self.below(100) + percent >= 100
    }

    fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len() as u32) as usize]
    }

    fn maybe<T>(&mut self, percent: u32, make: impl FnOnce(&mut Self) -> T) -> Option<T> {
        self.chance(percent).then(|| make(self))
    }

    /// One to `most` items.
    fn some<T>(&mut self, most: u32, make: impl Fn(&mut Self) -> T) -> Vec<T> {
        (0..=self.below(most)).map(|_| make(self)).collect()
    }

    fn empty_tape(&self) -> bool {
        self.tape.len() == 0
    }

    fn name(&mut self) -> Name {
        let text = self.pick(&["t", "u", "x", "y", "size", "s_2", "aa"]).to_owned();
        Name { text, span: Span::default() }
    }

    fn text(&mut self) -> Text {
        let value = self.pick(&["", "abc", "a \"b\" \\ c", "two\nlines\t\r", "é # ½", "n"]);
        Text { value: value.to_owned(), span: Span::default() }
    }

    fn program(mut self) -> SyntaxTree {
        let mut program = SyntaxTree { version: None, options: Vec::new(), sentences: Vec::new() };
        program.version = self.maybe(10, Self::text);
        for (name, long, short) in [("reps", "--reps", "-r"), ("maxbytes", "--max-bytes", "-2")] {
            if self.chance(30) {
                let option = self.option(name, long, short);
                program.options.push(option);
            }
        }
        while !self.empty_tape() {
            let statements = self.some(3, Self::statement);
            program.sentences.push(Sentence { statements });
        }
        let everybody = Tasks { kind: TasksKind::All(None), span: Span::default() };
        let wait = Statement { kind: StatementKind::Await(everybody), span: Span::default() };
        program.sentences.push(Sentence { statements: vec![wait] });
        program
    }

    fn option(&mut self, name: &str, long: &str, short: &str) -> OptionDeclaration {
        let text = |value: &str| Text { value: value.to_owned(), span: Span::default() };
        let default = if self.wild { self.expression() } else { self.literal(4) };
        self.variables.push(name.to_owned());
        OptionDeclaration {
            name: Name { text: name.to_owned(), span: Span::default() },
            description: self.text(),
            long: text(long),
            short: text(short),
            default,
        }
    }

    /// Runs `make` as a message sees the variables: a name outside wins over the source's variable.
    fn as_message<T>(&mut self, source: &Tasks, make: impl FnOnce(&mut Self) -> T) -> T {
        let variable = source.variable().filter(|name| !self.groups.contains(&name.text));
        self.with(variable, make)
    }

    /// Runs `make` with a variable visible.
    fn with<T>(&mut self, name: Option<&Name>, make: impl FnOnce(&mut Self) -> T) -> T {
        let visible = self.variables.len();
        self.variables.extend(name.map(|name| name.text.clone()));
        // A variable can hide a group.
        let groups = self.groups.clone();
        self.groups.retain(|group| name.is_none_or(|name| name.text != *group));
        let made = make(self);
        self.variables.truncate(visible);
        self.groups = groups;
        made
    }
}

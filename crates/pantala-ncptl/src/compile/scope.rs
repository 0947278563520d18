//! The names that are visible at a place of the program.

use std::collections::BTreeMap;

use crate::compiled::expression::{Counter, Expr, Slot};
use crate::compiled::tasks::TaskSet;
use crate::compiled::view::Failure;
use crate::language::source::Span;

/// The meaning of a name.
#[derive(Clone, Debug)]
enum Meaning {
    Value(Expr),
    Group(TaskSet),
}

/// The visible names; the last one of a name hides the others.
#[derive(Clone, Debug)]
pub(super) struct Scope {
    names: Vec<(String, Meaning)>,
    slots: usize,
}

impl Scope {
    pub(super) fn new(tasks: u32, options: &BTreeMap<String, i64>) -> Self {
        let mut scope = Self { names: Vec::new(), slots: 0 };
        let constants = options.iter().map(|(name, value)| (name.clone(), *value));
        for (name, value) in constants.chain([("num_tasks".to_owned(), i64::from(tasks))]) {
            scope.names.push((name, Meaning::Value(Expr::Constant(value))));
        }
        scope
    }

    /// Number of slots so far.
    pub(super) const fn slots(&self) -> usize {
        self.slots
    }

    /// The state to which [`forget`](Self::forget) returns.
    pub(super) fn mark(&self) -> usize {
        self.names.len()
    }

    /// Forgets the names since a mark.
    pub(super) fn forget(&mut self, mark: usize) {
        self.names.truncate(mark);
    }

    /// Binds a name to a new slot.
    pub(super) fn bind(&mut self, name: &str, span: Span) -> Result<Slot, Failure> {
        let slot = Slot::try_from(self.slots)
            .map_err(|_| Failure::new(span, &"the program binds more than 65,536 variables"))?;
        self.slots += 1;
        self.names.push((name.to_owned(), Meaning::Value(Expr::Slot(slot))));
        Ok(slot)
    }

    /// Makes a name visible again that a set of tasks has bound.
    pub(super) fn show(&mut self, name: &str, slot: Slot) {
        self.names.push((name.to_owned(), Meaning::Value(Expr::Slot(slot))));
    }

    /// Binds a name to a group of tasks.
    pub(super) fn group(&mut self, name: &str, tasks: TaskSet) {
        self.names.push((name.to_owned(), Meaning::Group(tasks)));
    }

    fn meaning(&self, name: &str) -> Option<&Meaning> {
        self.names.iter().rev().find(|(other, _)| other == name).map(|(_, meaning)| meaning)
    }

    /// Whether a name has a meaning.
    pub(super) fn is_visible(&self, name: &str) -> bool {
        self.meaning(name).is_some() || Counter::named(name).is_some()
    }

    /// The value of a name.
    pub(super) fn value(&self, name: &str, span: Span) -> Result<Expr, Failure> {
        match self.meaning(name) {
            Some(Meaning::Value(value)) => Ok(value.clone()),
            Some(Meaning::Group(_)) => {
                Err(Failure::new(span, &format!("'{name}' is a group of tasks, not a number")))
            }
            None => Counter::named(name)
                .map(Expr::Counter)
                .ok_or_else(|| Failure::new(span, &format!("there is no variable '{name}' here"))),
        }
    }

    /// The tasks of a group.
    pub(super) fn tasks(&self, name: &str, span: Span) -> Result<TaskSet, Failure> {
        let mut meanings = self.names.iter().rev().filter(|(other, _)| other == name);
        let group = meanings.find_map(|(_, meaning)| match meaning {
            Meaning::Group(tasks) => Some(tasks.clone()),
            Meaning::Value(_) => None,
        });
        match group {
            Some(tasks) => Ok(tasks),
            None => Err(Failure::new(span, &format!("there is no group of tasks '{name}' here"))),
        }
    }
}

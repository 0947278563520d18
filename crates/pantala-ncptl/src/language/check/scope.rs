//! The variables that are visible at a place of the program.

use std::ops::Range as Places;

use super::{Findings, PREDECLARED};
use crate::language::ast::{Expression, Name, Range, Relation, Tasks, TasksKind};
use crate::language::diagnostic::Diagnostic;
use crate::language::names::{self, Event};
use crate::language::source::Span;

/// The check keeps the first errors and warnings, up to this number each.
const MAX_FINDINGS: usize = 100;

/// The visible variables that an error lists at most.
const MAX_LISTED: usize = 12;

/// Where an expression stands; the place decides which names it can use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// The default of an option.
    Default,
    /// A set of tasks.
    Tasks,
    /// The condition of `IF`.
    Condition,
    /// The count of a loop, its values, or an assertion.
    Control,
    /// The value of a `LET`.
    Binding,
    /// A message.
    Message,
    /// The time of `COMPUTES`, `SLEEPS` or `TOUCHES`: of one task, but known before it runs.
    Delay,
    /// A statement of one task, evaluated when the task runs it.
    Local,
}

impl Place {
    fn name(self) -> &'static str {
        match self {
            Self::Default => "the default of an option",
            Self::Tasks => "a set of tasks",
            Self::Condition => "a condition",
            Self::Control => "a loop or an assertion",
            Self::Binding => "LET",
            Self::Message => "a message",
            Self::Delay => "the time of COMPUTES, SLEEPS or TOUCHES",
            Self::Local => "a statement of one task",
        }
    }
}

/// What a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Number,
    /// A set of tasks, and whether it binds a variable: `TASKS t SUCH THAT …`, `ALL TASKS t`.
    Group {
        binds: bool,
    },
    /// A task of the group of this name, in a statement that has `TASK GROUP` and the name.
    Member,
}

struct Variable {
    name: String,
    span: Span,
    kind: Kind,
    used: bool,
}

#[derive(Default)]
pub(super) struct Scope {
    variables: Vec<Variable>,
    pub(super) findings: Findings,
    /// True inside a timed loop.
    pub(super) timed: bool,
}

impl Scope {
    pub(super) fn error(&mut self, error: Diagnostic) {
        if self.findings.errors.len() < MAX_FINDINGS {
            self.findings.errors.push(error);
        }
    }

    pub(super) fn warn(&mut self, span: Span, message: impl Into<String>) {
        self.add_warning(Diagnostic::new(span, message));
    }

    fn add_warning(&mut self, found: Diagnostic) {
        if self.findings.warnings.len() < MAX_FINDINGS {
            self.findings.warnings.push(found);
        }
    }

    pub(super) fn bind(&mut self, name: &Name) {
        self.bind_as(name, Kind::Number);
    }

    pub(super) fn bind_as(&mut self, name: &Name, kind: Kind) {
        let text = name.text.clone();
        if PREDECLARED.contains(&text.as_str()) {
            let message = format!("{text} is predeclared and cannot be redefined");
            self.error(Diagnostic::new(name.span, message).help("choose another name"));
        } else if self.is_bound(&text) {
            self.warn(name.span, format!("{text} hides another variable of this name"));
        }
        self.variables.push(Variable { name: text, span: name.span, kind, used: false });
    }

    /// Ends the scope of the last `count` variables.
    pub(super) fn leave(&mut self, count: usize) {
        for variable in self.variables.split_off(self.variables.len() - count) {
            if !variable.used {
                let message = format!("variable {} is never used", variable.name);
                let found = Diagnostic::new(variable.span, message);
                self.add_warning(Diagnostic { harmless: true, ..found });
            }
        }
    }

    pub(super) fn is_bound(&self, name: &str) -> bool {
        self.variables.iter().any(|variable| variable.name == name)
    }

    pub(super) fn depth(&self) -> usize {
        self.variables.len()
    }

    /// Runs a check without the variables after the first `from` whose names other variables have.
    pub(super) fn preferring_outer(&mut self, from: usize, check: impl FnOnce(&mut Self)) {
        let mut hidden = Vec::new();
        for at in from..self.variables.len() {
            let (outer, own) = self.variables.split_at_mut(at);
            let name = &mut own[0].name;
            if outer[..from].iter().any(|outer| outer.name == *name) {
                hidden.push((at, std::mem::take(name)));
            }
        }
        check(self);
        for (at, name) in hidden {
            self.variables[at].name = name;
        }
    }

    /// Runs a check without some variables.
    pub(super) fn hiding(&mut self, variables: Places<usize>, check: impl FnOnce(&mut Self)) {
        let take = |variable: &mut Variable| std::mem::take(&mut variable.name);
        let hidden: Vec<_> = self.variables[variables.clone()].iter_mut().map(take).collect();
        check(self);
        for (variable, name) in self.variables[variables].iter_mut().zip(hidden) {
            variable.name = name;
        }
    }

    fn find(&mut self, name: &str) -> Option<&mut Variable> {
        self.variables.iter_mut().rev().find(|variable| variable.name == name)
    }

    fn event(&mut self, event: &Event<'_>, place: Place) {
        match *event {
            Event::Bind(name) => self.bind(name),
            Event::Unbind => self.leave(1),
            Event::File(name) => {
                self.findings.files.insert((*name).to_owned());
            }
            Event::Variable(name, span) => self.variable(name, span, place),
            Event::MyTask(span) if place == Place::Condition => {
                let message = "MY TASK makes tasks disagree on the condition";
                self.warn(span, message);
            }
            Event::MyTask(span) => {
                let message = format!("MY TASK in {}", place.name());
                let help = "use the variable of ALL TASKS t, or MY TASK in the condition of IF";
                self.error(Diagnostic::new(span, message).help(help));
            }
            Event::Disagreement(name, span) if !matches!(place, Place::Delay | Place::Local) => {
                let name = name.to_uppercase();
                let message =
                    format!("{name} in {}: tasks would disagree on its value", place.name());
                let help = "use it in OUTPUTS, LOGS, COMPUTES, SLEEPS or TOUCHES; \
                            for a random task write LET r BE A RANDOM TASK";
                self.error(Diagnostic::new(span, message).help(help));
            }
            Event::Disagreement(..) => {}
        }
    }

    fn variable(&mut self, name: &str, span: Span, place: Place) {
        if let Some(variable) = self.find(name) {
            variable.used = true;
            if matches!(variable.kind, Kind::Group { .. }) {
                let message = format!("{name} is a task group, not a number");
                let help = format!("write TASK GROUP {name}");
                self.error(Diagnostic::new(span, message).help(help));
            }
            return;
        }
        let allowed = match place {
            Place::Default => &PREDECLARED[..0],
            Place::Binding => &PREDECLARED[..1],
            _ => &PREDECLARED[..],
        };
        if allowed.contains(&name) {
            if name != "num_tasks" && place != Place::Local {
                let message = format!(
                    "{name} is always 0 in {}, which is evaluated before the program runs",
                    place.name()
                );
                self.warn(span, message);
            }
        } else if PREDECLARED.contains(&name) {
            let message = format!("{name} in {}", place.name());
            let help = match place {
                Place::Default => "use numbers and options declared before",
                _ => "num_tasks is the only predeclared variable that LET can use",
            };
            self.error(Diagnostic::new(span, message).help(help));
        } else {
            let message = format!("variable {name} is not declared here");
            let help = format!("visible variables: {}", self.visible());
            self.error(Diagnostic::new(span, message).help(help));
        }
    }

    fn visible(&self) -> String {
        let names = self.variables.iter().map(|variable| variable.name.as_str());
        let mut names: Vec<_> = names.filter(|name| !name.is_empty()).collect();
        names.sort_unstable();
        names.dedup();
        if names.len() > MAX_LISTED {
            names.truncate(MAX_LISTED);
            names.push("…");
        }
        if names.is_empty() { "none".to_owned() } else { names.join(", ") }
    }

    pub(super) fn expression(&mut self, expression: &Expression, place: Place) {
        names::expression(expression, &mut |event| self.event(&event, place));
    }

    pub(super) fn relation(&mut self, relation: &Relation, place: Place) {
        names::relation(relation, &mut |event| self.event(&event, place));
    }

    pub(super) fn ranges(&mut self, ranges: &[Range], place: Place) {
        names::ranges(ranges, &mut |event| self.event(&event, place));
    }

    /// Checks the subject of a statement. Its variable becomes visible.
    pub(super) fn source(&mut self, tasks: &Tasks) {
        if tasks.kind == TasksKind::AllOthers {
            let message = "ALL OTHER TASKS can only be a target";
            self.error(Diagnostic::new(tasks.span, message).help("write ALL TASKS"));
        }
        self.tasks(tasks);
    }

    /// Checks the target of a statement. Its variable becomes visible.
    pub(super) fn target(&mut self, tasks: &Tasks) {
        if let TasksKind::All(variable) = &tasks.kind {
            let message = "ALL TASKS cannot be a target";
            let name = variable.as_ref().map_or("t", |name| name.text.as_str());
            let help = format!("write TASKS {name} SUCH THAT {name} >= 0, or ALL OTHER TASKS");
            self.error(Diagnostic::new(tasks.span, message).help(help));
        }
        self.tasks(tasks);
    }

    fn find_group(&mut self, name: &str) -> Option<&mut Variable> {
        let all = self.variables.iter_mut().rev();
        all.filter(|variable| variable.kind != Kind::Member).find(|variable| variable.name == name)
    }

    /// Whether a set of tasks binds a variable, also as a group that does.
    pub(super) fn binds(&mut self, tasks: &Tasks) -> bool {
        match &tasks.kind {
            TasksKind::Group(name) => matches!(
                self.find_group(&name.text),
                Some(Variable { kind: Kind::Group { binds: true }, .. })
            ),
            _ => tasks.variable().is_some(),
        }
    }

    fn tasks(&mut self, tasks: &Tasks) {
        if let TasksKind::Group(name) = &tasks.kind {
            match self.find_group(&name.text) {
                Some(Variable { kind: Kind::Group { binds }, used, .. }) => {
                    *used = true;
                    if *binds {
                        let (name, span) = (name.text.clone(), name.span);
                        let member = Variable { name, span, kind: Kind::Member, used: true };
                        self.variables.push(member);
                    }
                }
                found => {
                    let message = match found {
                        Some(_) => format!("{} is a number, not a task group", name.text),
                        None => format!("task group {} is not declared here", name.text),
                    };
                    let help = format!("bind it: LET {} BE TASKS t SUCH THAT …", name.text);
                    self.error(Diagnostic::new(name.span, message).help(help));
                }
            }
        }
        names::tasks(tasks, &mut |event| self.event(&event, Place::Tasks));
    }
}

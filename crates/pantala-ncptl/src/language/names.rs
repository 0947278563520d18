//! The names that an expression uses and binds.

use super::ast::{
    Expression, ExpressionKind, Name, Range, Receive, Relation, RelationKind, Tasks, TasksKind,
};
use super::source::Span;

/// What a walk through an expression meets, in the order of the text.
pub(super) enum Event<'a> {
    /// A use of a variable.
    Variable(&'a str, Span),
    /// `MY TASK`.
    MyTask(Span),
    /// A function whose value tasks do not agree on.
    Disagreement(&'static str, Span),
    /// A file whose words the expression reads.
    File(&'a str),
    /// A variable becomes visible.
    Bind(&'a Name),
    /// The last variable disappears.
    Unbind,
}

pub(super) type Visit<'a, 'v> = &'v mut dyn FnMut(Event<'a>);

pub(super) fn expression<'a>(expression: &'a Expression, visit: Visit<'a, '_>) {
    let span = expression.span;
    match &expression.kind {
        ExpressionKind::Integer(_) => {}
        ExpressionKind::Variable(name) => visit(Event::Variable(name, span)),
        ExpressionKind::MyTask => visit(Event::MyTask(span)),
        ExpressionKind::Unary(_, operand) => self::expression(operand, visit),
        ExpressionKind::Binary(_, left, right) => {
            self::expression(left, visit);
            self::expression(right, visit);
        }
        ExpressionKind::Conditional { value, condition, otherwise } => {
            self::expression(value, visit);
            relation(condition, visit);
            self::expression(otherwise, visit);
        }
        ExpressionKind::Real(value) => self::expression(value, visit),
        ExpressionKind::Call(function, arguments) => {
            if function.is_random() {
                visit(Event::Disagreement(function.name(), span));
            }
            expressions(arguments, visit);
        }
        ExpressionKind::FileWord(word) => {
            if !word.is_static {
                visit(Event::Disagreement("file_data", span));
            }
            visit(Event::File(&word.file.value));
            expressions(word.column.iter().chain(&word.row), visit);
        }
        ExpressionKind::MeshNeighbor { mesh, task, offset } => {
            expressions(mesh.iter().map(|dimension| &dimension.extent), visit);
            self::expression(task, visit);
            expressions(offset, visit);
        }
        ExpressionKind::MeshCoordinate { mesh, task: first, axis: second }
        | ExpressionKind::MeshDistance { mesh, from: first, to: second } => {
            expressions(mesh.iter().map(|dimension| &dimension.extent), visit);
            self::expression(first, visit);
            self::expression(second, visit);
        }
    }
}

fn expressions<'a>(items: impl IntoIterator<Item = &'a Expression>, visit: Visit<'a, '_>) {
    for item in items {
        expression(item, visit);
    }
}

pub(super) fn relation<'a>(relation: &'a Relation, visit: Visit<'a, '_>) {
    match &relation.kind {
        RelationKind::Or(left, right) | RelationKind::And(left, right) => {
            self::relation(left, visit);
            self::relation(right, visit);
        }
        RelationKind::Compare(_, left, right) | RelationKind::Divides(left, right) => {
            expression(left, visit);
            expression(right, visit);
        }
        RelationKind::Even(value) | RelationKind::Odd(value) => expression(value, visit),
        RelationKind::InRanges { value, ranges, .. } => {
            expression(value, visit);
            self::ranges(ranges, visit);
        }
        RelationKind::InInterval { value, low, high, .. } => {
            expression(value, visit);
            expression(low, visit);
            expression(high, visit);
        }
    }
}

pub(super) fn ranges<'a>(ranges: &'a [Range], visit: Visit<'a, '_>) {
    for range in ranges {
        match range {
            Range::List(values) => expressions(values, visit),
            Range::Progression { first, last, .. } => {
                expressions(first, visit);
                expression(last, visit);
            }
            Range::Comprehension { value, variables, condition } => {
                for (name, ranges) in variables {
                    self::ranges(ranges, visit);
                    visit(Event::Bind(name));
                }
                expression(value, visit);
                if let Some(condition) = condition {
                    relation(condition, visit);
                }
                for _ in variables {
                    visit(Event::Unbind);
                }
            }
        }
    }
}

/// The names in a set of tasks. The set's own variable stays bound.
pub(super) fn tasks<'a>(tasks: &'a Tasks, visit: Visit<'a, '_>) {
    match &tasks.kind {
        TasksKind::One(task) => expression(task, visit),
        TasksKind::SuchThat { variable, condition } => {
            visit(Event::Bind(variable));
            relation(condition, visit);
        }
        TasksKind::All(Some(variable)) => visit(Event::Bind(variable)),
        TasksKind::All(None) | TasksKind::AllOthers | TasksKind::Group(_) => {}
        TasksKind::Ranges(ranges) => self::ranges(ranges, visit),
    }
}

impl Tasks {
    /// The variable that the set binds.
    pub fn variable(&self) -> Option<&Name> {
        match &self.kind {
            TasksKind::SuchThat { variable, .. } => Some(variable),
            TasksKind::All(variable) => variable.as_ref(),
            _ => None,
        }
    }

    /// True if an expression of the set has this name.
    fn uses(&self, wanted: &str) -> bool {
        let (mut own, mut found) = (Vec::new(), false);
        tasks(self, &mut |event| match event {
            Event::Variable(name, _) => found |= name == wanted && !own.contains(&name),
            Event::Bind(name) => own.push(&name.text),
            Event::Unbind => {
                own.pop();
            }
            Event::MyTask(_) | Event::Disagreement(..) | Event::File(_) => {}
        });
        found
    }

    /// True if every variable of the set is its own or one of those that `is_bound` accepts.
    fn is_closed(&self, is_bound: impl Fn(&str) -> bool) -> bool {
        let mut own: Vec<&str> = Vec::new();
        let mut closed = true;
        tasks(self, &mut |event| match event {
            Event::Variable(name, _) => closed &= own.contains(&name) || is_bound(name),
            Event::Bind(name) => own.push(&name.text),
            Event::Unbind => {
                own.pop();
            }
            Event::MyTask(_) | Event::Disagreement(..) | Event::File(_) => {}
        });
        closed
    }
}

impl Receive {
    /// True if the senders are evaluated first, so that the receivers can use the senders'
    /// variable: `TASKS src-1 RECEIVE … FROM ALL TASKS src`. Otherwise the receivers come first.
    ///
    /// `is_bound` tells whether a variable is visible to the statement. The senders come first if
    /// they bind a variable, unless only the other order gives all variables a value.
    pub fn sender_binds_first(&self, is_bound: impl Fn(&str) -> bool) -> bool {
        let works = |first: &Tasks, second: &Tasks| {
            let variable = first.variable().map(|name| name.text.as_str());
            let hides_group = match &second.kind {
                TasksKind::Group(group) => variable == Some(&group.text),
                _ => false,
            };
            !hides_group
                && first.is_closed(&is_bound)
                && second.is_closed(|name| variable == Some(name) || is_bound(name))
        };
        let (sender, receiver) = (&self.source, &self.target);
        // A group binds its own name in the statement.
        let uses = |tasks: &Tasks, group: &Tasks| match &group.kind {
            TasksKind::Group(name) => tasks.uses(&name.text),
            _ => false,
        };
        if uses(receiver, sender) || uses(sender, receiver) {
            return uses(receiver, sender);
        }
        if sender.variable().is_some() {
            works(sender, receiver) || !works(receiver, sender)
        } else {
            !works(receiver, sender) && works(sender, receiver)
        }
    }
}

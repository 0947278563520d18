//! Sets of tasks.

use super::{Expression, Name, Range, Relation};
use crate::language::source::Span;

/// A set of tasks: the source or the target of a statement, or a task group.
#[derive(Clone, Debug, PartialEq)]
pub struct Tasks {
    /// The set.
    pub kind: TasksKind,
    /// Its place in the source.
    pub span: Span,
}

/// The forms of a set of tasks.
#[derive(Clone, Debug, PartialEq)]
pub enum TasksKind {
    /// `TASK e`; the empty set if there is no such task.
    One(Expression),
    /// `TASKS v SUCH THAT relation`, in ascending order.
    SuchThat {
        /// The variable, visible in the statement.
        variable: Name,
        /// The condition, which sees the variable.
        condition: Relation,
    },
    /// `ALL TASKS` or `ALL TASKS v`.
    All(Option<Name>),
    /// `ALL OTHER TASKS`: as a target, all tasks but the source.
    AllOthers,
    /// `TASK GROUP g`: a set that `LET` has bound.
    Group(Name),
    /// `TASKS {0, 2}, {4, ..., 8}`
    Ranges(Vec<Range>),
}

/// `A RANDOM TASK …`: one task, the same for all tasks of the program. The value of `LET` only.
#[derive(Clone, Debug, PartialEq)]
pub struct RandomTask {
    /// The tasks to choose from.
    pub choice: RandomChoice,
    /// Its place in the source.
    pub span: Span,
}

/// The tasks from which a random task comes.
#[derive(Clone, Debug, PartialEq)]
pub enum RandomChoice {
    /// All tasks.
    Any,
    /// `OTHER THAN e`
    OtherThan(Expression),
    /// `LESS THAN limit [BUT NOT e]`
    LessThan {
        /// The first task above the choice.
        limit: Expression,
        /// A task outside the choice.
        but_not: Option<Expression>,
    },
    /// `GREATER THAN limit [BUT NOT e]`
    GreaterThan {
        /// The last task below the choice.
        limit: Expression,
        /// A task outside the choice.
        but_not: Option<Expression>,
    },
    /// `IN [low, high] [BUT NOT e]`
    In {
        /// The first task.
        low: Expression,
        /// The last task.
        high: Expression,
        /// A task outside the choice.
        but_not: Option<Expression>,
    },
}

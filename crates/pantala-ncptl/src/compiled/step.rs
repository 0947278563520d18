//! The steps of a program: control flow as jumps in one list, communication as statements.

use crate::compiled::expression::Range;
use crate::compiled::expression::{Expr, Relation, Slot};
use crate::compiled::tasks::TaskSet;
use crate::compiled::visit::Uses;
use crate::language::ast::{AggregateFunction, CounterAction};
use crate::language::source::Span;
use std::sync::Arc;

/// A program for a number of tasks.
#[derive(Clone, Debug, Default)]
pub struct Code {
    /// The steps.
    pub steps: Vec<Step>,
    /// Number of variables.
    pub slots: usize,
    /// Number of statements whose communication is evaluated once for all ranks.
    pub shared: usize,
    /// Number of tables of the log.
    pub tables: usize,
    /// Whether tasks change processors.
    pub assigns: bool,
}

/// A step. A target of a jump is the index of a step.
#[derive(Clone, Debug)]
pub enum Step {
    /// Messages between pairs of tasks.
    Messages(Shared, Box<Messages>),
    /// A multicast, a reduction or a barrier.
    Collective(Shared, Box<Collective>),
    /// Tasks change processors.
    Assign(Shared, TaskSet, Option<Expr>, Span),
    /// Tasks wait for their asynchronous messages.
    Await(TaskSet, Span),
    /// Tasks compute for a number of units of this many microseconds.
    Delay(TaskSet, Expr, u64, Span),
    /// Tasks touch memory.
    Touch(Box<Touch>),
    /// Tasks log values.
    Log(TaskSet, Arc<[Column]>, Span),
    /// Tasks compute the aggregates of the current table.
    Aggregate(TaskSet, Span),
    /// Tasks act on their counters.
    Counters(TaskSet, CounterAction, Span),
    /// Tasks print a line.
    Output(TaskSet, Vec<Item>, Span),
    /// The program stops unless the relation holds.
    Assert(Arc<str>, Relation, Span),
    /// A variable gets a value.
    Let(Slot, Expr, Span),
    /// A variable gets a random task.
    Draw(Slot, Random, Span),
    /// If the relation does not hold, jump.
    Unless(Relation, usize, Span),
    /// Jump.
    Jump(usize),
    /// Repeat the steps up to the matching [`Step::End`], or jump after it.
    Repeat(Box<Repeat>),
    /// Repeat the steps up to the matching [`Step::End`] for each value, or jump after it.
    ForEach(Shared, Slot, Vec<Range>, usize, Span),
    /// Repeat the steps up to the matching [`Step::End`] for a time.
    Timed(Box<Timed>),
    /// The end of a loop.
    End,
    /// A new table of the log.
    Table,
}

impl Step {
    /// The step after the end of the loop whose body starts at `start`.
    #[must_use]
    pub fn loop_end(steps: &[Self], start: usize) -> usize {
        let mut depth = 1;
        for (index, step) in steps.iter().enumerate().skip(start) {
            match step {
                Self::Repeat(_) | Self::ForEach(..) | Self::Timed(_) => depth += 1,
                Self::End => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                return index + 1;
            }
        }
        steps.len()
    }

    /// The place of the statement; `None` for a step that is none of its own.
    #[must_use]
    pub const fn span(&self) -> Option<Span> {
        Some(match self {
            Self::Messages(_, messages) => messages.span,
            Self::Collective(_, collective) => collective.span,
            Self::Touch(touch) => touch.span,
            Self::Repeat(repeat) => repeat.span,
            Self::Timed(timed) => timed.span,
            Self::Assign(.., span)
            | Self::Await(_, span)
            | Self::Delay(.., span)
            | Self::Log(.., span)
            | Self::Aggregate(_, span)
            | Self::Counters(.., span)
            | Self::Output(.., span)
            | Self::Assert(.., span)
            | Self::Let(.., span)
            | Self::Draw(.., span)
            | Self::Unless(.., span)
            | Self::ForEach(.., span) => *span,
            Self::Jump(_) | Self::End | Self::Table => return None,
        })
    }

    /// Whether the step, without the steps of its body, uses a variable.
    #[must_use]
    pub fn depends(&self, slot: Slot) -> bool {
        let mut uses = Uses::default();
        match self {
            Self::Messages(shared, _)
            | Self::Collective(shared, _)
            | Self::ForEach(shared, ..)
            | Self::Assign(shared, ..) => return shared.depends.contains(&slot),
            Self::Await(tasks, _)
            | Self::Aggregate(tasks, _)
            | Self::Counters(tasks, ..)
            | Self::Log(tasks, ..)
            | Self::Output(tasks, ..) => uses.tasks(tasks),
            Self::Delay(tasks, duration, ..) => {
                uses.tasks(tasks);
                uses.expr(duration);
            }
            Self::Touch(touch) => {
                uses.tasks(&touch.tasks);
                uses.bytes(&touch.bytes);
                uses.expr(&touch.times);
            }
            Self::Assert(_, relation, _) | Self::Unless(relation, ..) => uses.relation(relation),
            Self::Let(_, value, _) => uses.expr(value),
            Self::Draw(_, random, _) => {
                [&random.low, &random.high, &random.but_not]
                    .into_iter()
                    .flatten()
                    .for_each(|expr| uses.expr(expr));
            }
            Self::Repeat(repeat) => {
                uses.expr(&repeat.count);
                repeat.warmup.iter().for_each(|warmup| uses.expr(warmup));
            }
            Self::Timed(timed) => {
                uses.expr(&timed.duration.0);
                timed.warmup.iter().for_each(|(time, _)| uses.expr(time));
            }
            Self::Jump(_) | Self::End | Self::Table => {}
        }
        uses.slots.contains(&slot)
    }
}

/// A step with a result that all ranks share.
#[derive(Clone, Debug)]
pub struct Shared {
    /// The number among such steps.
    pub number: usize,
    /// The variables that the result depends on.
    pub depends: Box<[Slot]>,
    /// Whether the result depends on the assignment of tasks to processors.
    pub mapped: bool,
}

/// Messages from sources to targets.
#[derive(Clone, Debug)]
pub struct Messages {
    /// The senders.
    pub source: TaskSet,
    /// The receivers.
    pub target: TaskSet,
    /// Whether the source's variable is bound first.
    pub source_first: bool,
    /// Number of messages per pair.
    pub count: Expr,
    /// The size of a message.
    pub size: Bytes,
    /// The tag of the sends.
    pub tag: Tag,
    /// The tag of the receives.
    pub receive_tag: Tag,
    /// How the senders send: `Some(true)` without blocking; `None` if the statement only receives.
    pub sends: Option<bool>,
    /// How the receivers receive: `Some(true)` without blocking; `None` if they do not.
    pub receives: Option<bool>,
    /// Whether senders and receivers touch the data.
    pub touches: (bool, bool),
    /// The place of the statement.
    pub span: Span,
}

/// A tag.
#[derive(Clone, Debug)]
pub enum Tag {
    /// A number.
    Number(Expr),
    /// A text, hashed.
    Known(i32),
}

/// A number of bytes.
#[derive(Clone, Debug)]
pub enum Bytes {
    /// The value times a unit in bytes.
    Times(Expr, u64, Span),
    /// The value in bits, rounded up to bytes.
    Bits(Expr, Span),
}

/// A collective of some tasks.
#[derive(Clone, Debug)]
pub struct Collective {
    /// The operation.
    pub kind: CollectiveKind,
    /// Whether senders and receivers touch the data.
    pub touches: (bool, bool),
    /// The place of the statement.
    pub span: Span,
}

/// The operations on sets of tasks.
#[derive(Clone, Debug)]
pub enum CollectiveKind {
    /// A barrier.
    Synchronize(TaskSet),
    /// Messages from each source to each target, repeated.
    Multicast {
        /// The senders.
        source: TaskSet,
        /// The receivers.
        target: TaskSet,
        /// Number of repetitions.
        count: Expr,
        /// The size of a message.
        size: Bytes,
        /// The tag, which must be 0.
        tag: Tag,
    },
    /// A reduction.
    Reduce {
        /// The tasks with data.
        source: TaskSet,
        /// The tasks that get the result; `None` for the sources.
        target: Option<TaskSet>,
        /// Number of elements.
        count: Expr,
        /// The elements of the result, which must be as many.
        result: Option<Expr>,
        /// The size of an element.
        element: u64,
        /// The tag, which must be 0.
        tag: Tag,
    },
}

/// Memory that tasks touch.
#[derive(Clone, Debug)]
pub struct Touch {
    /// The tasks.
    pub tasks: TaskSet,
    /// The number of bytes that are touched at a time.
    pub bytes: Bytes,
    /// How many times.
    pub times: Expr,
    /// The place of the statement.
    pub span: Span,
}

/// A column of a log.
#[derive(Clone, Debug)]
pub struct Column {
    /// The title.
    pub title: Arc<str>,
    /// The values.
    pub value: Expr,
    /// What is logged of them.
    pub kind: ColumnKind,
}

/// What is logged of a column's values.
#[derive(Clone, Debug)]
pub enum ColumnKind {
    /// All of them.
    All,
    /// The only one.
    Only,
    /// Functions of them, each with the percentage of a percentile.
    Functions(Vec<(AggregateFunction, Option<Expr>)>),
    /// Each value and how often it occurs.
    Histogram,
}

/// An item of an output.
#[derive(Clone, Debug)]
pub enum Item {
    /// A text.
    Text(Arc<str>),
    /// A number.
    Number(Expr),
}

/// The tasks from which a random task comes.
#[derive(Clone, Debug)]
pub struct Random {
    /// The first; the lowest task if absent.
    pub low: Option<Expr>,
    /// The last; the highest task if absent.
    pub high: Option<Expr>,
    /// Whether `low` and `high` are outside.
    pub exclusive: bool,
    /// A task that is left out.
    pub but_not: Option<Expr>,
}

/// The most repetitions of a counted loop that is unrolled before the program runs.
pub const UNROLLED: u64 = 5;

/// A counted loop.
#[derive(Clone, Debug)]
pub struct Repeat {
    /// Number of repetitions.
    pub count: Expr,
    /// Number of warm-up repetitions.
    pub warmup: Option<Expr>,
    /// Whether all tasks synchronize after the warm-up.
    pub synchronizes: bool,
    /// Whether all repetitions are equal, each from the mapping before the loop: the body draws
    /// nothing, and assigns no processors if it has unique messages or random numbers.
    pub uniform: bool,
    /// The step after the loop.
    pub after: usize,
    /// The place of the statement.
    pub span: Span,
}

/// A loop for a time.
#[derive(Clone, Debug)]
pub struct Timed {
    /// The duration, in units of so many microseconds.
    pub duration: (Expr, u64),
    /// The time of the warm-up.
    pub warmup: Option<(Expr, u64)>,
    /// Whether all repetitions are equal.
    pub uniform: bool,
    /// The place of the statement.
    pub span: Span,
}

//! What a rank sees while it evaluates: variables, counters, the mapping of tasks; and failures.

use crate::compiled::expression::{Counter, Slot};
use crate::language::source::Span;
use pantala_engine::Stream;
use std::cell::Cell;
use std::fmt::Display;

/// A value that cannot be calculated, and the place of its expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The place in the program.
    pub span: Span,
    /// What is wrong, in one line.
    pub message: String,
}

impl Failure {
    /// A failure of the expression at `span`. A text of the program in it may have several lines:
    /// a space replaces each control character.
    #[cold]
    pub fn new(span: Span, message: &dyn Display) -> Self {
        Self { span, message: message.to_string().replace(char::is_control, " ") }
    }
}

/// The assignment of tasks to ranks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mapping {
    /// A number that is equal for equal mappings only.
    pub id: u64,
    /// The rank of each task.
    pub rank_of: Vec<u32>,
    /// The task of each rank.
    pub task_of: Vec<u32>,
}

/// The counters of a task as numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CounterValues {
    /// Simulated microseconds since the start or the last reset.
    pub elapsed_microseconds: f64,
    /// Bytes and messages sent.
    pub sent: (u64, u64),
    /// Bytes and messages received.
    pub received: (u64, u64),
}

impl CounterValues {
    pub(super) fn value(&self, counter: Counter) -> f64 {
        let (sent, received) = (self.sent, self.received);
        let count = match counter {
            Counter::ElapsedMicroseconds => return self.elapsed_microseconds,
            Counter::BytesSent => sent.0,
            Counter::MessagesSent => sent.1,
            Counter::BytesReceived => received.0,
            Counter::MessagesReceived => received.1,
            Counter::TotalBytes => sent.0 + received.0,
            Counter::TotalMessages => sent.1 + received.1,
            Counter::BitErrors => 0,
        };
        count as f64
    }
}

/// What an expression sees.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    /// The variables. Evaluation sets those that expressions bind.
    pub slots: &'a [Cell<i64>],
    /// Number of tasks.
    pub tasks: i64,
    /// The task that evaluates, for `MY TASK`.
    pub me: i64,
    /// The ranks of the tasks; `None` if each task has the rank of its number.
    pub mapping: Option<&'a Mapping>,
    /// The counters; `None` where they are 0: everywhere but in `OUTPUTS` and `LOGS`.
    pub counters: Option<&'a CounterValues>,
    /// The random numbers of the task.
    pub random: Option<&'a Cell<Stream>>,
}

impl View<'_> {
    /// Sets a variable.
    #[inline]
    pub fn set(&self, slot: Slot, value: i64) {
        self.slots[usize::from(slot)].set(value);
    }

    /// The value of a variable.
    #[inline]
    #[must_use]
    pub fn get(&self, slot: Slot) -> i64 {
        self.slots[usize::from(slot)].get()
    }
}

/// A result with the place of its expression.
pub(crate) fn at<T, E: Display>(span: Span, result: Result<T, E>) -> Result<T, Failure> {
    result.map_err(|error| Failure::new(span, &error))
}

//! Sets of tasks.

use crate::compiled::expression::Range;
use crate::compiled::expression::{Expr, Relation, Slot};
use crate::compiled::sequence::{contains, pieces};
use crate::compiled::view::{Failure, View};

/// A set of tasks.
#[derive(Clone, Debug)]
pub enum TaskSet {
    /// One task, if it exists.
    One(Expr),
    /// The tasks for which a relation holds; the slot holds the task.
    SuchThat(Slot, Relation),
    /// All tasks; the slot holds the task.
    All(Option<Slot>),
    /// All tasks but the other side of the statement.
    AllOthers,
    /// The tasks in ranges.
    Ranges(Vec<Range>),
}

impl TaskSet {
    /// The slot that holds each task of the set in turn.
    #[must_use]
    pub const fn bound(&self) -> Option<Slot> {
        match self {
            Self::SuchThat(slot, _) | Self::All(Some(slot)) => Some(*slot),
            _ => None,
        }
    }

    /// Calls `found` for each task in ascending order, with the set's slot set to it. `other` is
    /// the task on the other side of the statement.
    ///
    /// # Errors
    /// If the set cannot be calculated, or the first error of `found`.
    pub fn for_each(
        &self,
        view: &View,
        other: Option<i64>,
        mut found: impl FnMut(i64) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        match self {
            Self::One(task) => {
                let task = task.integer(view)?;
                if (0..view.tasks).contains(&task) { found(task) } else { Ok(()) }
            }
            Self::SuchThat(slot, relation) => (0..view.tasks).try_for_each(|task| {
                view.set(*slot, task);
                if relation.holds(view)? { found(task) } else { Ok(()) }
            }),
            Self::All(slot) => (0..view.tasks).try_for_each(|task| {
                if let Some(slot) = slot {
                    view.set(*slot, task);
                }
                found(task)
            }),
            Self::AllOthers => {
                (0..view.tasks).filter(|task| Some(*task) != other).try_for_each(found)
            }
            Self::Ranges(ranges) => {
                let pieces = pieces(ranges, view)?;
                let inside = |task: &i64| pieces.iter().any(|piece| piece.contains(*task));
                (0..view.tasks).filter(inside).try_for_each(found)
            }
        }
    }

    /// Whether a task is in the set. If so, the set's slot is set to it.
    ///
    /// # Errors
    /// If the set cannot be calculated.
    pub fn has(&self, task: i64, view: &View) -> Result<bool, Failure> {
        match self {
            Self::One(only) => Ok(only.integer(view)? == task),
            Self::SuchThat(slot, relation) => {
                view.set(*slot, task);
                relation.holds(view)
            }
            Self::All(slot) => {
                if let Some(slot) = slot {
                    view.set(*slot, task);
                }
                Ok(true)
            }
            Self::AllOthers => Ok(false),
            Self::Ranges(ranges) => contains(ranges, task, view),
        }
    }
}

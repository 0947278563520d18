//! Feedback on its way: one queue per link between routers, in order of time.
//!
//! An input port grants its packets one after another and all its feedback has one delay, so what
//! is pushed for a link comes due in the order of pushing.

use super::Via;
use pantala_engine::{DuePool, DueQueue, FlatArray, NEVER, Time};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// The feedback about a packet, for the router that sent it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Feedback {
    /// The row of its table that the feedback corrects. The column is the port that the packet left
    /// by.
    pub(super) row: u32,
    /// Time of the hop plus the estimate at its end, in ns.
    pub(super) target: f32,
    /// The kind of that port.
    pub(super) via: Via,
}

/// All queues.
#[derive(Debug)]
pub(super) struct FeedbackQueues {
    columns: usize,
    /// By router and column.
    queues: FlatArray<DueQueue>,
    /// Likewise: when the first entry of the queue comes due.
    firsts: FlatArray<Time>,
    /// By router: when the first entry of any of its queues comes due.
    due: FlatArray<Time>,
    pool: DuePool<Feedback>,
}

impl Default for FeedbackQueues {
    fn default() -> Self {
        Self::new(0..0, 0)
    }
}

impl FeedbackQueues {
    /// Empty queues for these routers, with so many ports to other routers each.
    pub(super) fn new(routers: Range<u32>, columns: u32) -> Self {
        let (first, count, columns) = (routers.start as usize, routers.len(), columns as usize);
        Self {
            columns,
            queues: FlatArray::numbered_from(
                first * columns,
                vec![DueQueue::EMPTY; count * columns],
            ),
            firsts: FlatArray::numbered_from(first * columns, vec![NEVER; count * columns]),
            due: FlatArray::numbered_from(first, vec![NEVER; count]),
            // SAFETY: `queues` is private, starts empty, and is used with this pool only.
            pool: unsafe { DuePool::new() },
        }
    }

    /// The routers.
    pub(super) fn routers(&self) -> Range<u32> {
        let first = self.due.first() as u32;
        first..first + self.due.len() as u32
    }

    /// When the first feedback for `router` comes due.
    #[inline]
    pub(super) fn due(&self, router: u32) -> Time {
        self.due[router]
    }

    /// Feedback for a port of `router` comes due at `time`, not before what was pushed for that
    /// port earlier.
    #[inline]
    pub(super) fn push(&mut self, router: u32, column: u32, feedback: Feedback, time: Time) {
        let index = router as usize * self.columns + column as usize;
        let first = &mut self.firsts[index];
        if *first == NEVER {
            *first = time;
            let due = &mut self.due[router];
            *due = time.min(*due);
        }
        self.queues[index].push(&mut self.pool, time, feedback);
    }

    /// Takes all feedback for `router` up to `now`, port by port: column, feedback and time.
    pub(super) fn take(
        &mut self,
        router: u32,
        now: Time,
        mut each: impl FnMut(u32, Feedback, Time),
    ) {
        let mut due = NEVER;
        let first = router as usize * self.columns;
        let firsts = self.firsts.run_mut(first, self.columns);
        let queues = self.queues.run_mut(first, self.columns);
        for (column, (first, queue)) in (0..).zip(firsts.iter_mut().zip(queues)) {
            if *first <= now {
                *first =
                    queue.take(&mut self.pool, now, |time, feedback| each(column, feedback, time));
            }
            due = due.min(*first);
        }
        self.due[router] = due;
    }

    /// Bytes of memory held.
    pub(super) fn memory(&self) -> usize {
        self.queues.memory() + self.firsts.memory() + self.due.memory() + self.pool.memory()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn feedback(row: u32) -> Feedback {
        Feedback { row, target: 0.0, via: Via::Local }
    }

    fn taken(queues: &mut FeedbackQueues, router: u32, now: Time) -> Vec<(u32, u32, Time)> {
        let mut taken = Vec::new();
        queues.take(router, now, |column, feedback, time| taken.push((column, feedback.row, time)));
        taken
    }

    #[test]
    fn feedback_is_taken_from_its_time_on_and_once() {
        let mut queues = FeedbackQueues::new(0..2, 3);
        queues.push(1, 2, feedback(7), 50);
        queues.push(1, 0, feedback(8), 40);
        queues.push(1, 2, feedback(9), 60);
        assert_eq!((queues.due(0), queues.due(1)), (NEVER, 40));
        assert_eq!(taken(&mut queues, 1, 39), []);
        assert_eq!(taken(&mut queues, 1, 50), [(0, 8, 40), (2, 7, 50)]);
        assert_eq!(queues.due(1), 60);
        assert_eq!(taken(&mut queues, 1, 59), []);
        assert_eq!(taken(&mut queues, 1, 60), [(2, 9, 60)]);
        assert_eq!(queues.due(1), NEVER);
    }
}

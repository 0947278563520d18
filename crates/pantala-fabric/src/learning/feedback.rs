//! Feedback on its way: a queue for every link between routers, its entries in the order of their times.
//!
//! An input port grants its packets one after another and all its feedback has one delay, so what is pushed for a link comes
//! due in the order of pushing.

use super::Via;
use crate::packet::NONE;
use crate::slab::Slab;
use pantala_engine::{NEVER, Time};

/// What a router hears of a packet that it has sent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Feedback {
    /// The row of its table that it corrects; the column is the port that the packet left by.
    pub(super) row: u32,
    /// Time of the hop plus the estimate at its end, in ns.
    pub(super) target: f32,
    /// What kind of port it was.
    pub(super) via: Via,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    time: Time,
    feedback: Feedback,
    next: u32,
}

#[derive(Clone, Copy, Debug)]
struct Queue {
    head: u32,
    tail: u32,
}

/// All queues, and their entries in one slab with a free list.
#[derive(Debug, Default)]
pub(super) struct FeedbackQueues {
    columns: usize,
    /// By router and column.
    queues: Slab<Queue>,
    /// By router: when the first entry of any of its queues comes due.
    due: Slab<Time>,
    entries: Slab<Entry>,
    free: u32,
}

impl FeedbackQueues {
    pub(super) fn new(routers: u32, columns: u32) -> Self {
        let (routers, columns) = (routers as usize, columns as usize);
        Self {
            columns,
            queues: vec![Queue { head: NONE, tail: NONE }; routers * columns].into(),
            due: vec![NEVER; routers].into(),
            entries: Slab::default(),
            free: NONE,
        }
    }

    pub(super) fn routers(&self) -> u32 {
        self.due.len() as u32
    }

    /// When the first feedback for `router` comes due.
    #[inline]
    pub(super) fn due(&self, router: u32) -> Time {
        self.due[router]
    }

    /// Feedback for a port of `router` comes due at `time`, not before what was pushed for that port earlier.
    #[inline]
    pub(super) fn push(&mut self, router: u32, column: u32, feedback: Feedback, time: Time) {
        let entry = Entry { time, feedback, next: NONE };
        let index = if self.free == NONE {
            self.entries.push(entry);
            (self.entries.len() - 1) as u32
        } else {
            let index = self.free;
            self.free = self.entries[index].next;
            self.entries[index] = entry;
            index
        };
        let queue = &mut self.queues[router as usize * self.columns + column as usize];
        if queue.head == NONE {
            queue.head = index;
            let due = &mut self.due[router];
            *due = time.min(*due);
        } else {
            debug_assert!(self.entries[queue.tail].time <= time, "feedback out of order");
            self.entries[queue.tail].next = index;
        }
        queue.tail = index;
    }

    /// Takes all feedback for `router` up to `now`, port by port: column, feedback and time.
    pub(super) fn take(&mut self, router: u32, now: Time, mut each: impl FnMut(u32, Feedback, Time)) {
        let mut due = NEVER;
        for column in 0..self.columns {
            let queue = &mut self.queues[router as usize * self.columns + column];
            while queue.head != NONE {
                let index = queue.head;
                let entry = self.entries[index];
                if entry.time > now {
                    due = due.min(entry.time);
                    break;
                }
                each(column as u32, entry.feedback, entry.time);
                queue.head = entry.next;
                self.entries[index].next = self.free;
                self.free = index;
            }
        }
        self.due[router] = due;
    }

    pub(super) fn memory(&self) -> usize {
        self.queues.memory() + self.due.memory() + self.entries.memory()
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
        let mut queues = FeedbackQueues::new(2, 3);
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

    #[test]
    fn entries_are_used_again() {
        let mut queues = FeedbackQueues::new(1, 2);
        for time in 1..1_000 {
            queues.push(0, (time % 2) as u32, feedback(time as u32), time);
            queues.push(0, (time % 2) as u32, feedback(time as u32), time);
            assert_eq!(taken(&mut queues, 0, time).len(), 2);
        }
        assert_eq!(queues.entries.len(), 2);
    }
}

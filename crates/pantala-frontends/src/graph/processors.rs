//! The processors of a rank: each does one task at a time, in the order in which tasks got ready.

use std::collections::VecDeque;

use super::task::{NO_PROCESSOR, Processor};

/// An entry of a queue: a node that is to start, or a receive whose message has arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    Start(u32),
    Arrived(u32),
}

#[derive(Clone, Debug, Default)]
struct Queue {
    busy: bool,
    waiting: VecDeque<Step>,
}

/// The processors of a rank.
#[derive(Clone, Debug, Default)]
pub(super) struct Processors(Vec<Queue>);

impl Processors {
    /// Whether a task runs on the processor.
    pub(super) fn busy(&self, processor: Processor) -> bool {
        self.0.get(usize::from(processor)).is_some_and(|queue| queue.busy)
    }

    /// Starts a task on a free processor.
    pub(super) fn occupy(&mut self, processor: Processor) {
        if processor != NO_PROCESSOR {
            let index = usize::from(processor);
            if index >= self.0.len() {
                self.0.resize(index + 1, Queue::default());
            }
            self.0[index].busy = true;
        }
    }

    /// Queues a step behind a busy processor.
    pub(super) fn wait(&mut self, processor: Processor, step: Step) {
        self.0[usize::from(processor)].waiting.push_back(step);
    }

    /// Ends the task of a processor. The waiting steps up to the first one that occupies the
    /// processor go to the front of `ready`.
    pub(super) fn release(
        &mut self,
        processor: Processor,
        ready: &mut VecDeque<Step>,
        occupies: impl Fn(u32) -> bool,
    ) {
        let Some(queue) = self.0.get_mut(usize::from(processor)) else {
            return;
        };
        queue.busy = false;
        let first = queue
            .waiting
            .iter()
            .position(|step| matches!(step, Step::Start(node) if occupies(*node)));
        let count = first.map_or(queue.waiting.len(), |first| first + 1);
        for step in queue.waiting.drain(..count).rev() {
            ready.push_front(step);
        }
    }
}

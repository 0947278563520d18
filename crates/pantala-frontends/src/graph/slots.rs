//! The requests of running tasks, numbered densely from zero.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use pantala_mpi::{MAX_REQUESTS, Request};

/// The number of no node.
const NONE: u32 = u32::MAX;
/// Marks a node for whose end nothing waits.
const LOOSE: u32 = 1 << 31;

/// The running task of each request. A new task gets the lowest free request, so a wait for all
/// requests looks at few of them.
#[derive(Clone, Debug, Default)]
pub(super) struct Slots {
    /// The node of each request, [`NONE`] if it is free; the last one is not free.
    nodes: Vec<u32>,
    /// The free requests, and requests beyond the end of `nodes`.
    free: BinaryHeap<Reverse<Request>>,
    running: u32,
    /// Number of running tasks for whose end something waits.
    awaited: u32,
}

impl Slots {
    /// Number of running tasks.
    pub(super) const fn running(&self) -> u32 {
        self.running
    }

    /// Number of running tasks for whose end something waits.
    pub(super) const fn awaited(&self) -> u32 {
        self.awaited
    }

    /// Whether no further task can run.
    pub(super) const fn full(&self) -> bool {
        self.running >= MAX_REQUESTS
    }

    /// One more than the largest request of a running task.
    pub(super) fn end(&self) -> u32 {
        self.nodes.len() as u32
    }

    /// Gives the node a request. `awaited` says that something waits for its end.
    pub(super) fn open(&mut self, node: u32, awaited: bool) -> Request {
        self.running += 1;
        self.awaited += u32::from(awaited);
        let node = if awaited { node } else { node | LOOSE };
        match self.free.pop() {
            Some(Reverse(request)) if request < self.end() => {
                self.nodes[request as usize] = node;
                request
            }
            _ => {
                self.free.clear();
                self.nodes.push(node);
                self.end() - 1
            }
        }
    }

    /// Takes the node of a request, and frees the request.
    pub(super) fn close(&mut self, request: Request) -> Option<u32> {
        let slot = self.nodes.get_mut(request as usize)?;
        let node = std::mem::replace(slot, NONE);
        if node == NONE {
            return None;
        }
        self.running -= 1;
        self.awaited -= u32::from(node & LOOSE == 0);
        if request + 1 == self.end() {
            while self.nodes.last() == Some(&NONE) {
                self.nodes.pop();
            }
        } else {
            self.free.push(Reverse(request));
        }
        Some(node & !LOOSE)
    }
}

#[cfg(test)]
mod tests {
    use super::Slots;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        #![proptest_config(pantala_testing::cases(200))]

        #[test]
        fn requests_are_the_lowest_free_ones(steps in prop::collection::vec((any::<bool>(), 0u32..20), 0..200)) {
            let (mut slots, mut model) = (Slots::default(), BTreeMap::new());
            for (node, (open, request)) in (0u32..).zip(steps) {
                if open {
                    let lowest = (0..).find(|free| !model.contains_key(free)).unwrap();
                    prop_assert_eq!(slots.open(node, node % 3 > 0), lowest);
                    model.insert(lowest, node);
                } else {
                    prop_assert_eq!(slots.close(request), model.remove(&request));
                }
                prop_assert_eq!(slots.running() as usize, model.len());
                let awaited = model.values().filter(|node| **node % 3 > 0).count();
                prop_assert_eq!(slots.awaited() as usize, awaited);
                prop_assert_eq!(slots.end(), model.keys().next_back().map_or(0, |last| last + 1));
            }
        }
    }
}

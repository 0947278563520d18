//! Far events: lists per epoch for events within a millisecond, a heap for later ones.
//!
//! An epoch is as long as the reach of the buckets, a little over a microsecond. The events of an
//! epoch are unordered. When the wheel comes to an epoch, it deals them out to the buckets. So each
//! event is moved once and never sifted through a heap.

use super::event::{Event, SLOTS, WIDTH_LOG2};
use super::nodes::{END, Node, Nodes};
use super::occupancy::Occupancy;
use crate::time::{NEVER, Time};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Number of buckets of an epoch, and its length in picoseconds, as powers of two.
const EPOCH_SLOTS_LOG2: u32 = SLOTS.trailing_zeros();
const EPOCH_LOG2: u32 = EPOCH_SLOTS_LOG2 + WIDTH_LOG2;
/// Number of epochs that have lists.
const EPOCHS: usize = 1 << 10;

/// An event in the heap, with its hint.
type Late = Reverse<(Event, u32)>;

/// The events beyond the reach of the buckets.
#[derive(Debug)]
pub(super) struct Far {
    /// The list of each epoch, by its number modulo the number of epochs.
    epochs: Box<[u32; EPOCHS]>,
    occupied: Occupancy<{ EPOCHS / 64 }, { EPOCHS / 4096 + 1 }>,
    heap: BinaryHeap<Late>,
    /// The first epoch (absolute number) whose list is not empty; [`u64::MAX`] if there is none.
    first_epoch: u64,
}

impl Far {
    pub(super) fn new() -> Self {
        Self {
            epochs: Box::new([END; EPOCHS]),
            occupied: Occupancy::EMPTY,
            heap: BinaryHeap::new(),
            first_epoch: u64::MAX,
        }
    }

    /// Schedules an event of a later epoch than that of bucket `slot`, the wheel's current one.
    pub(super) fn push(&mut self, nodes: &mut Nodes, event: Event, hint: u32, slot: u64) {
        let epoch = event.time >> EPOCH_LOG2;
        debug_assert!(epoch > slot >> EPOCH_SLOTS_LOG2, "an event of this epoch");
        if epoch - (slot >> EPOCH_SLOTS_LOG2) >= EPOCHS as u64 {
            self.heap.push(Reverse((event, hint)));
            return;
        }
        let list = epoch as usize % EPOCHS;
        let key = Node::key_of::<EPOCH_LOG2>(event.time, event.phase);
        self.epochs[list] = nodes.insert(Node { id: event.id, next: self.epochs[list], key, hint });
        self.occupied.insert(list);
        self.first_epoch = self.first_epoch.min(epoch);
    }

    /// The bucket (absolute number) at which the wheel has to stop to take far events: the start of
    /// an epoch, or the bucket of the heap's first event. [`u64::MAX`] if there are none.
    #[inline(always)]
    pub(super) fn next_slot(&self) -> u64 {
        let epoch = if self.first_epoch == u64::MAX {
            u64::MAX
        } else {
            self.first_epoch << EPOCH_SLOTS_LOG2
        };
        epoch.min(self.heap.peek().map_or(u64::MAX, |Reverse((event, _))| event.time >> WIDTH_LOG2))
    }

    /// The time of the first event, or [`NEVER`].
    pub(super) fn next_time(&self, nodes: &Nodes) -> Time {
        let late = self.heap.peek().map_or(NEVER, |Reverse((event, _))| event.time);
        if self.first_epoch == u64::MAX {
            return late;
        }
        let list = self.epochs[self.first_epoch as usize % EPOCHS];
        let first =
            nodes.list(list).map(|node| (self.first_epoch << EPOCH_LOG2) + node.offset()).min();
        late.min(first.unwrap_or(NEVER))
    }

    /// Removes an event that the wheel needs in bucket `slot`, with its hint. [`None`] if none is
    /// left.
    pub(super) fn pop(&mut self, nodes: &mut Nodes, slot: u64) -> Option<(Event, u32)> {
        if self.first_epoch <= slot >> EPOCH_SLOTS_LOG2 {
            let list = self.first_epoch as usize % EPOCHS;
            let node = nodes.pop(&mut self.epochs[list]);
            let time = self.first_epoch << EPOCH_LOG2;
            if self.epochs[list] == END {
                self.occupied.remove(list);
                self.first_epoch = self.next_epoch();
            }
            return node.map(|node| {
                let event = Event { time: time + node.offset(), phase: node.phase(), id: node.id };
                (event, node.hint)
            });
        }
        let Reverse((event, _)) = self.heap.peek()?;
        if event.time >> WIDTH_LOG2 > slot {
            return None;
        }
        self.heap.pop().map(|Reverse(late)| late)
    }

    /// The first epoch after the present one that has events.
    fn next_epoch(&self) -> u64 {
        let behind = |list: usize| list.wrapping_sub(self.first_epoch as usize) % EPOCHS;
        let next = self.occupied.next_from((self.first_epoch + 1) as usize % EPOCHS);
        next.map_or(u64::MAX, |list| self.first_epoch + behind(list) as u64)
    }

    /// Phase and identity of all events, in no order.
    pub(super) fn iter<'a>(
        &'a self,
        nodes: &'a Nodes,
    ) -> impl Iterator<Item = (u8, u32)> + use<'a> {
        let listed = self
            .epochs
            .iter()
            .flat_map(move |&list| nodes.list(list).map(|node| (node.phase(), node.id)));
        listed.chain(self.heap.iter().map(|Reverse((event, _))| (event.phase, event.id)))
    }

    /// Bytes of memory held.
    pub(super) fn memory(&self) -> usize {
        size_of_val(&*self.epochs) + self.heap.capacity() * size_of::<Late>()
    }
}

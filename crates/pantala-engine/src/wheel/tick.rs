//! The events of one clock tick, in a list of their own.
//!
//! Events that a clock schedules for its next edge share one time and phase. They need no buckets:
//! the wheel keeps one such list and compares its time with that of the next bucket.

use super::Wheel;
use super::event::{PHASES, PHASES_LOG2, WIDTH_LOG2};
use super::nodes::{END, Node};
use crate::time::Time;

/// The time and phase of no tick, after all others.
pub(super) const NO_TICK: u64 = u64::MAX;

impl Wheel {
    /// Schedules an event that shares its time and phase with many others, such as the next edge of
    /// a clock. The wheel keeps the events of one tick in a list of their own, without buckets. An
    /// event of another tick takes the usual way.
    #[inline]
    pub fn push_tick(&mut self, time: Time, phase: u8, id: u32) {
        if self.tick_order == Self::order_of(time, phase) || self.starts_tick(time, phase) {
            let key = Node::key_of::<WIDTH_LOG2>(time, phase);
            self.tick = self.nodes.insert(Node { id, next: self.tick, key, hint: 0 });
        } else {
            self.push(time, phase, id);
        }
    }

    /// Makes this time and phase the tick, if there is none and they are not before the batch being
    /// taken. Returns whether it did.
    #[inline]
    fn starts_tick(&mut self, time: Time, phase: u8) -> bool {
        let later = self.batch == END || self.batch_key <= (time, phase);
        let starts = self.tick == END && later && time >> WIDTH_LOG2 >= self.slot;
        if starts {
            self.tick_order = Self::order_of(time, phase);
        }
        starts
    }

    /// Whether a key of the current bucket comes before the tick, or with it.
    #[inline(always)]
    pub(super) const fn is_due(&self, key: usize) -> bool {
        (self.slot << (WIDTH_LOG2 + PHASES_LOG2)) + key as u64 <= self.tick_order
    }

    /// The time of the tick; after all events if there is none.
    #[inline(always)]
    pub(super) const fn tick_time(&self) -> Time {
        self.tick_order >> PHASES_LOG2
    }

    /// Time and phase as one number, in the order of events.
    #[inline(always)]
    const fn order_of(time: Time, phase: u8) -> u64 {
        time << PHASES_LOG2 | phase as u64
    }

    /// Takes the events of the tick. All events of the current bucket are later, or it is empty and
    /// so are all buckets up to that of the tick.
    pub(super) fn take_tick(&mut self) {
        let time = self.tick_time();
        self.slot = time >> WIDTH_LOG2;
        self.foreseen = self.foreseen.max(self.slot);
        self.batch = std::mem::replace(&mut self.tick, END);
        self.batch_key = (time, self.tick_order as u8 & (PHASES - 1));
        self.tick_order = NO_TICK;
        if let Some(seed) = self.scramble {
            self.batch = self.scrambled(self.batch, seed);
        }
    }
}

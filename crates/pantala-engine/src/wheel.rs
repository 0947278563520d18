//! The order of events: a timing wheel for what is near, a heap for what is far, one total order over both.

use crate::time::{NEVER, Time};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// An event of 16 bytes: a time and a word.
///
/// Events come out in the order of (time, word), whatever order they went in. A simulation puts the phase into the
/// word's highest bits and the receiving entity below it, so that ties break by what an event is and never by when
/// it was scheduled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Event {
    /// When, in picoseconds.
    pub time: Time,
    /// What: packed by the simulation; the lower word goes first.
    pub word: u64,
}

/// A timing wheel with an overflow heap.
///
/// The wheel has `2^slots_log2` buckets of `2^width_log2` picoseconds. A bucket is sorted when its time comes; storage of
/// drained buckets is handed to the next ones, so that the memory in use stays small and warm.
///
/// Invariant: nothing is ever scheduled before the time of the event popped last.
#[derive(Debug)]
pub struct Wheel {
    width_log2: u32,
    mask: u64,
    buckets: Vec<Vec<Event>>,
    occupied: Vec<u64>,
    in_buckets: usize,
    spare: Vec<Vec<Event>>,
    /// The bucket being drained (absolute number) and its events in order.
    slot: u64,
    current: Vec<Event>,
    position: usize,
    far: BinaryHeap<Reverse<Event>>,
}

impl Wheel {
    /// A wheel at time zero.
    ///
    /// # Panics
    /// If `slots_log2` is below 6: the occupancy map works in words of 64 slots.
    #[must_use]
    pub fn new(width_log2: u32, slots_log2: u32) -> Self {
        assert!(slots_log2 >= 6, "a wheel has at least 64 slots");
        let slots = 1usize << slots_log2;
        Self {
            width_log2,
            mask: slots as u64 - 1,
            buckets: (0..slots).map(|_| Vec::new()).collect(),
            occupied: vec![0; slots / 64],
            in_buckets: 0,
            spare: Vec::new(),
            slot: 0,
            current: Vec::new(),
            position: 0,
            far: BinaryHeap::new(),
        }
    }

    /// Schedules an event; its time must not lie before that of the event popped last.
    #[inline]
    pub fn push(&mut self, event: Event) {
        let slot = event.time >> self.width_log2;
        if slot > self.slot && slot - self.slot <= self.mask {
            let index = (slot & self.mask) as usize;
            let bucket = &mut self.buckets[index];
            if bucket.is_empty() {
                self.occupied[index / 64] |= 1 << (index % 64);
                if bucket.capacity() == 0 {
                    if let Some(storage) = self.spare.pop() {
                        *bucket = storage;
                    }
                }
            }
            bucket.push(event);
            self.in_buckets += 1;
        } else if slot <= self.slot {
            self.push_into_current(event);
        } else {
            self.far.push(Reverse(event));
        }
    }

    #[cold]
    #[inline(never)]
    fn push_into_current(&mut self, event: Event) {
        debug_assert!(
            self.position == 0 || event.time >= self.current[self.position - 1].time,
            "an event in the past: {event:?}"
        );
        let at = self.position + self.current[self.position..].partition_point(|e| *e <= event);
        self.current.insert(at, event);
    }

    /// The next event if it comes before `until`; the wheel moves there.
    #[inline]
    pub fn pop_before(&mut self, until: Time) -> Option<Event> {
        loop {
            if let Some(&event) = self.current.get(self.position) {
                if event.time >= until {
                    return None;
                }
                self.position += 1;
                return Some(event);
            }
            if !self.turn() {
                return None;
            }
        }
    }

    /// The next event if it comes exactly at `time` and in the bucket being drained.
    ///
    /// All events of one time share a bucket, so after [`Self::pop_before`] has returned an event of `time` this returns the
    /// others, and those scheduled for the same time meanwhile.
    #[inline]
    pub fn pop_at(&mut self, time: Time) -> Option<Event> {
        let &event = self.current.get(self.position)?;
        if event.time != time {
            return None;
        }
        self.position += 1;
        Some(event)
    }

    /// The event `ahead` places after the next one, if it is in the bucket being drained: for prefetching.
    #[inline]
    #[must_use]
    pub fn peek(&self, ahead: usize) -> Option<Event> {
        self.current.get(self.position + ahead).copied()
    }

    /// The time of the next event, [`NEVER`] if there is none.
    #[must_use]
    pub fn next_time(&mut self) -> Time {
        loop {
            if let Some(event) = self.current.get(self.position) {
                return event.time;
            }
            if !self.turn() {
                return NEVER;
            }
        }
    }

    /// How many events are scheduled.
    #[must_use]
    pub fn len(&self) -> usize {
        self.in_buckets + self.far.len() + self.current.len() - self.position
    }

    /// Whether nothing is scheduled.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All scheduled events, in no order: for audits at the end of a run.
    pub fn iter(&self) -> impl Iterator<Item = &Event> {
        self.buckets
            .iter()
            .flatten()
            .chain(&self.current[self.position..])
            .chain(self.far.iter().map(|Reverse(event)| event))
    }

    /// Moves to the next bucket that holds anything; false if there is none.
    #[cold]
    #[inline(never)]
    fn turn(&mut self) -> bool {
        let near = self.next_occupied();
        let far = self.far.peek().map(|Reverse(e)| e.time >> self.width_log2);
        let slot = match (near, far) {
            (None, None) => return false,
            (Some(a), None) => a,
            (None, Some(b)) => b,
            (Some(a), Some(b)) => a.min(b),
        };
        let mut drained = std::mem::take(&mut self.current);
        drained.clear();
        if near == Some(slot) {
            let index = (slot & self.mask) as usize;
            self.current = std::mem::replace(&mut self.buckets[index], Vec::new());
            self.occupied[index / 64] &= !(1 << (index % 64));
            self.in_buckets -= self.current.len();
            if drained.capacity() > 0 {
                self.spare.push(drained);
            }
        } else {
            self.current = drained;
        }
        self.slot = slot;
        self.position = 0;
        while let Some(Reverse(event)) = self.far.peek() {
            if event.time >> self.width_log2 != slot {
                break;
            }
            self.current.push(*event);
            self.far.pop();
        }
        self.current.sort_unstable();
        true
    }

    /// The absolute number of the first occupied bucket after the current one.
    fn next_occupied(&self) -> Option<u64> {
        if self.in_buckets == 0 {
            return None;
        }
        let start = ((self.slot + 1) & self.mask) as usize;
        let words = self.occupied.len();
        let (mut word, mut bits) = (start / 64, self.occupied[start / 64] & (u64::MAX << (start % 64)));
        for _ in 0..=words {
            if bits != 0 {
                let index = (word * 64) as u64 + u64::from(bits.trailing_zeros());
                let distance = index.wrapping_sub(self.slot) & self.mask;
                return Some(self.slot + distance);
            }
            word = (word + 1) % words;
            bits = self.occupied[word];
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn drain(wheel: &mut Wheel) -> Vec<Event> {
        std::iter::from_fn(|| wheel.pop_before(NEVER)).collect()
    }

    #[test]
    fn an_empty_wheel_has_nothing() {
        let mut wheel = Wheel::new(6, 6);
        assert!(wheel.is_empty());
        assert_eq!(wheel.next_time(), NEVER);
        assert_eq!(wheel.pop_before(NEVER), None);
    }

    #[test]
    fn until_is_exclusive() {
        let mut wheel = Wheel::new(6, 6);
        wheel.push(Event { time: 100, word: 0 });
        assert_eq!(wheel.pop_before(100), None);
        assert!(wheel.pop_before(101).is_some());
    }

    proptest! {
        /// Whatever the times, near and far, the order out is the total order.
        #[test]
        fn pops_in_order(times in prop::collection::vec((0u64..100_000, 0u64..4), 1..300)) {
            let mut wheel = Wheel::new(5, 6);
            let mut events: Vec<Event> = times.iter().map(|&(time, word)| Event { time, word }).collect();
            for &event in &events {
                wheel.push(event);
            }
            prop_assert_eq!(wheel.len(), events.len());
            prop_assert_eq!(wheel.iter().count(), events.len());
            events.sort_unstable();
            prop_assert_eq!(drain(&mut wheel), events);
        }

        /// Events scheduled while others are being popped (now or later) still come out in order.
        #[test]
        fn order_holds_while_scheduling(delays in prop::collection::vec(0u64..9_000, 1..400)) {
            let mut wheel = Wheel::new(5, 6);
            let mut heap = BinaryHeap::new();
            let seed = Event { time: 0, word: 0 };
            wheel.push(seed);
            heap.push(Reverse(seed));
            let mut next = delays.iter();
            loop {
                let event = wheel.pop_before(NEVER);
                prop_assert_eq!(event, heap.pop().map(|Reverse(e)| e));
                let Some(event) = event else { break };
                for word in 1..=2 {
                    if let Some(delay) = next.next() {
                        let e = Event { time: event.time + delay, word: event.word + word };
                        wheel.push(e);
                        heap.push(Reverse(e));
                    }
                }
            }
        }
    }
}

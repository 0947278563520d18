//! The order of events: a timing wheel for what is near, a heap for what is far, one order over both.

use crate::random::mix;
use crate::time::{NEVER, Time};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// An event: a time, a phase and an identity.
///
/// Events come out in the order of (time, phase). What a simulation does at one time in one phase must commute: the order of
/// events of equal time and phase is not defined, and [`Wheel::scramble`] lets a test draw it. So nothing can depend on
/// which partition, thread or earlier event scheduled what first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Event {
    /// When, in picoseconds.
    pub time: Time,
    /// Which phase of that time, below [`PHASES`]; the lower goes first.
    pub phase: u8,
    /// What, in the simulation's own numbers.
    pub id: u32,
}

/// How many phases a time can have.
pub const PHASES: u8 = 8;

/// Bits of an event in a bucket: the time's offset in the bucket, the phase, the identity.
const PHASE_SHIFT: u32 = 32;
const OFFSET_SHIFT: u32 = 35;

/// A bucket up to this long is sorted by insertion.
const INSERTION: usize = 40;

/// A timing wheel with an overflow heap.
///
/// The wheel has `2^slots_log2` buckets of `2^width_log2` picoseconds; an event in it takes 8 bytes. A bucket is sorted when
/// its time comes; storage of drained buckets is handed to the next ones, so that the memory in use stays small and warm.
///
/// Invariant: nothing is ever scheduled before the time of the event popped last.
#[derive(Debug)]
pub struct Wheel {
    width_log2: u32,
    mask: u64,
    buckets: Vec<Vec<u64>>,
    occupied: Vec<u64>,
    in_buckets: usize,
    spare: Vec<Vec<u64>>,
    /// The bucket being drained (absolute number) and its events in order.
    slot: u64,
    current: Vec<u64>,
    position: usize,
    far: BinaryHeap<Reverse<Event>>,
    scramble: Option<u64>,
}

impl Wheel {
    /// A wheel at time zero.
    ///
    /// # Panics
    /// If `slots_log2` is below 6 (the occupancy map works in words of 64 slots) or `width_log2` above 28.
    #[must_use]
    pub fn new(width_log2: u32, slots_log2: u32) -> Self {
        assert!(slots_log2 >= 6, "a wheel has at least 64 slots");
        assert!(width_log2 < 64 - OFFSET_SHIFT, "a bucket's offset must fit its event");
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
            scramble: None,
        }
    }

    /// From now on, draws the order of events of equal time and phase: for tests that such events commute.
    pub fn scramble(&mut self, seed: u64) {
        self.scramble = Some(seed);
    }

    /// Schedules an event; its time must not lie before that of the event popped last.
    #[inline]
    pub fn push(&mut self, time: Time, phase: u8, id: u32) {
        debug_assert!(phase < PHASES, "phase {phase}");
        let slot = time >> self.width_log2;
        let distance = slot.wrapping_sub(self.slot);
        // Zero, "negative" (wrapped) and far distances leave by the other path.
        if distance.wrapping_sub(1) < self.mask {
            let offset = time & ((1 << self.width_log2) - 1);
            let event = (offset << OFFSET_SHIFT) | (u64::from(phase) << PHASE_SHIFT) | u64::from(id);
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
        } else {
            self.push_aside(Event { time, phase, id });
        }
    }

    #[cold]
    #[inline(never)]
    fn push_aside(&mut self, event: Event) {
        if event.time >> self.width_log2 > self.slot {
            self.far.push(Reverse(event));
            return;
        }
        // The bucket being drained, or (when the wheel has moved ahead to its next event) one before it.
        if event.time >> self.width_log2 < self.slot {
            self.rewind(event.time >> self.width_log2);
        }
        let packed = self.pack(event);
        let key = packed >> PHASE_SHIFT;
        let at = self.position + self.current[self.position..].partition_point(|e| (e >> PHASE_SHIFT) <= key);
        self.current.insert(at, packed);
    }

    /// Goes back to an earlier bucket: all that is near becomes far. Needed only right after the wheel has moved to an event
    /// that nobody has popped yet, so it may be slow.
    #[cold]
    fn rewind(&mut self, slot: u64) {
        debug_assert!(self.position == 0, "an event in the past");
        while !self.current.is_empty() {
            for event in std::mem::take(&mut self.current) {
                self.far.push(Reverse(self.unpack(event)));
            }
            if let Some(next) = self.next_occupied() {
                let index = (next & self.mask) as usize;
                self.current = std::mem::take(&mut self.buckets[index]);
                self.occupied[index / 64] &= !(1 << (index % 64));
                self.in_buckets -= self.current.len();
                self.slot = next;
            }
        }
        self.slot = slot;
    }

    #[inline]
    fn pack(&self, event: Event) -> u64 {
        let offset = event.time & ((1 << self.width_log2) - 1);
        (offset << OFFSET_SHIFT) | (u64::from(event.phase) << PHASE_SHIFT) | u64::from(event.id)
    }

    #[inline]
    fn unpack(&self, packed: u64) -> Event {
        Event {
            time: (self.slot << self.width_log2) | (packed >> OFFSET_SHIFT),
            phase: (packed >> PHASE_SHIFT) as u8 & (PHASES - 1),
            id: packed as u32,
        }
    }

    /// The next event if it comes before `until`; the wheel moves there.
    #[inline]
    pub fn pop_before(&mut self, until: Time) -> Option<Event> {
        loop {
            if let Some(&packed) = self.current.get(self.position) {
                let event = self.unpack(packed);
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
        let &packed = self.current.get(self.position)?;
        let event = self.unpack(packed);
        if event.time != time {
            return None;
        }
        self.position += 1;
        Some(event)
    }

    /// The phase and identity of the event `ahead` places after the next one, if it is in the bucket being drained: for
    /// prefetching.
    #[inline]
    #[must_use]
    pub fn peek(&self, ahead: usize) -> Option<(u8, u32)> {
        let packed = self.current.get(self.position + ahead)?;
        Some(((packed >> PHASE_SHIFT) as u8 & (PHASES - 1), *packed as u32))
    }

    /// The time of the next event, [`NEVER`] if there is none.
    #[must_use]
    pub fn next_time(&mut self) -> Time {
        loop {
            if let Some(&packed) = self.current.get(self.position) {
                return self.unpack(packed).time;
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

    /// Phase and identity of all scheduled events, in no order: for audits.
    pub fn iter(&self) -> impl Iterator<Item = (u8, u32)> {
        let near = self.buckets.iter().flatten().chain(&self.current[self.position..]);
        near.map(|packed| ((packed >> PHASE_SHIFT) as u8 & (PHASES - 1), *packed as u32))
            .chain(self.far.iter().map(|Reverse(event)| (event.phase, event.id)))
    }

    /// Bytes of memory held.
    #[must_use]
    pub fn memory(&self) -> usize {
        let events: usize = self.buckets.iter().chain(&self.spare).map(Vec::capacity).sum();
        (events + self.current.capacity()) * size_of::<u64>()
            + self.buckets.capacity() * size_of::<Vec<u64>>()
            + self.far.capacity() * size_of::<Event>()
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
            self.current = std::mem::take(&mut self.buckets[index]);
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
        while let Some(&Reverse(event)) = self.far.peek() {
            if event.time >> self.width_log2 != slot {
                break;
            }
            self.far.pop();
            self.current.push(self.pack(event));
        }
        self.sort();
        true
    }

    /// Puts the current bucket in the order of (time, phase).
    #[inline]
    fn sort(&mut self) {
        if let Some(seed) = self.scramble {
            self.current.sort_unstable_by_key(|e| (e >> PHASE_SHIFT, mix(seed ^ e)));
        } else if self.current.len() <= INSERTION {
            insertion_sort(&mut self.current);
        } else {
            self.current.sort_unstable();
        }
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

/// Sorts by (offset, phase), equal ones left as they are: most buckets are short and hold few distinct times.
#[inline]
fn insertion_sort(events: &mut [u64]) {
    for i in 1..events.len() {
        let event = events[i];
        let mut at = i;
        while at > 0 && (events[at - 1] >> PHASE_SHIFT) > (event >> PHASE_SHIFT) {
            events[at] = events[at - 1];
            at -= 1;
        }
        events[at] = event;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn drain(wheel: &mut Wheel) -> Vec<Event> {
        std::iter::from_fn(|| wheel.pop_before(NEVER)).collect()
    }

    /// Events in order, and those of equal time and phase by identity, so that sequences can be compared.
    fn canonical(mut events: Vec<Event>) -> Vec<Event> {
        assert!(events.is_sorted_by_key(|e| (e.time, e.phase)), "out of order: {events:?}");
        events.sort_unstable();
        events
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
        wheel.push(100, 0, 0);
        assert_eq!(wheel.pop_before(100), None);
        assert!(wheel.pop_before(101).is_some());
    }

    #[test]
    fn an_event_may_come_before_the_one_the_wheel_waits_at() {
        let mut wheel = Wheel::new(4, 6);
        wheel.push(700, 0, 1);
        assert_eq!(wheel.pop_before(500), None);
        wheel.push(510, 0, 2);
        wheel.push(640, 1, 3);
        wheel.push(700 + 16 * 63, 0, 4);
        let ids: Vec<u32> = drain(&mut wheel).iter().map(|e| e.id).collect();
        assert_eq!(ids, [2, 3, 1, 4]);
        wheel.push(5_000, 0, 5);
        assert_eq!(wheel.next_time(), 5_000);
        wheel.push(5_000 + 16 * 60, 0, 6);
        wheel.push(3_000, 0, 7);
        wheel.push(3_000 + 16 * 63, 0, 8);
        let ids: Vec<u32> = drain(&mut wheel).iter().map(|e| e.id).collect();
        assert_eq!(ids, [7, 8, 5, 6]);
    }

    proptest! {
        /// Whatever the times, near and far, the order out is that of time and phase, and nothing is lost.
        #[test]
        fn pops_in_order(
            times in prop::collection::vec((0u64..100_000, 0u8..PHASES, 0u32..9), 1..300), scramble: bool, width in 0u32..8,
        ) {
            let mut wheel = Wheel::new(width, 6);
            if scramble {
                wheel.scramble(5);
            }
            let mut events: Vec<Event> = times.iter().map(|&(time, phase, id)| Event { time, phase, id }).collect();
            for event in &events {
                wheel.push(event.time, event.phase, event.id);
            }
            prop_assert_eq!(wheel.len(), events.len());
            prop_assert_eq!(wheel.iter().count(), events.len());
            events.sort_unstable();
            prop_assert_eq!(canonical(drain(&mut wheel)), events);
        }

        /// Events scheduled while others are being popped (now or later) still come out in order.
        #[test]
        fn order_holds_while_scheduling(delays in prop::collection::vec(0u64..9_000, 1..400)) {
            let mut wheel = Wheel::new(5, 6);
            let mut pushed = vec![Event { time: 0, phase: 0, id: 0 }];
            wheel.push(0, 0, 0);
            let mut next = delays.iter();
            let mut popped = Vec::new();
            while let Some(event) = wheel.pop_before(NEVER) {
                popped.push(event);
                for step in 1..=2u32 {
                    if let Some(delay) = next.next() {
                        let phase = if *delay == 0 { event.phase } else { (step % 3) as u8 };
                        let e = Event { time: event.time + delay, phase, id: event.id + step };
                        wheel.push(e.time, e.phase, e.id);
                        pushed.push(e);
                    }
                }
            }
            pushed.sort_unstable();
            prop_assert_eq!(canonical(popped), pushed);
        }
    }
}

//! Queues of entries that take effect at a given time. All queues share one arena with a free list.
//!
//! An entry costs no event. A reader at time t first takes all entries up to t.

use crate::flat_array::ProvenArray;
use crate::time::{NEVER, Time};

/// The end of a list.
const NONE: u32 = u32::MAX;

#[derive(Clone, Copy, Debug)]
struct Entry<T> {
    time: Time,
    item: T,
    next: u32,
}

/// The entries of all queues.
#[derive(Debug)]
pub struct DuePool<T> {
    entries: ProvenArray<Entry<T>>,
    free: u32,
}

impl<T> DuePool<T> {
    /// An empty pool.
    ///
    /// # Safety
    /// Every queue that is used with the pool must have got all its entries from this pool.
    #[must_use]
    pub unsafe fn new() -> Self {
        // SAFETY: an index is `NONE`, which is tested before each access, or the number of an entry
        // that `insert` has given out. Such numbers are in `free`, in the entries, and (by the
        // contract above) in queues of this pool. The array never shrinks.
        Self { entries: unsafe { ProvenArray::proven(0, Vec::new()) }, free: NONE }
    }
}

impl<T: Copy> DuePool<T> {
    #[inline]
    fn insert(&mut self, time: Time, item: T) -> u32 {
        let entry = Entry { time, item, next: NONE };
        if self.free == NONE {
            self.entries.push(entry);
            (self.entries.len() - 1) as u32
        } else {
            let index = self.free;
            self.free = self.entries[index].next;
            self.entries[index] = entry;
            index
        }
    }

    /// Bytes of memory held.
    pub fn memory(&self) -> usize {
        self.entries.memory()
    }
}

/// A queue of entries, ordered by time.
#[derive(Clone, Copy, Debug)]
pub struct DueQueue {
    head: u32,
    tail: u32,
}

impl DueQueue {
    /// An empty queue.
    pub const EMPTY: Self = Self { head: NONE, tail: NONE };

    /// Whether the queue has no entries.
    #[inline(always)]
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.head == NONE
    }

    /// Adds `item` with the time `time`, which is not before that of any earlier entry.
    #[inline]
    pub fn push<T: Copy>(&mut self, pool: &mut DuePool<T>, time: Time, item: T) {
        let index = pool.insert(time, item);
        if self.head == NONE {
            self.head = index;
        } else {
            debug_assert!(pool.entries[self.tail].time <= time, "entries out of order");
            pool.entries[self.tail].next = index;
        }
        self.tail = index;
    }

    /// Removes and returns the first entry, if there is one.
    #[inline]
    pub fn pop<T: Copy>(&mut self, pool: &mut DuePool<T>) -> Option<(Time, T)> {
        let index = self.head;
        if index == NONE {
            return None;
        }
        let entry = &mut pool.entries[index];
        let taken = (entry.time, entry.item);
        self.head = std::mem::replace(&mut entry.next, pool.free);
        pool.free = index;
        Some(taken)
    }

    /// Removes the entries up to `now`, in order. Returns the time of the first remaining entry, or
    /// `NEVER`.
    #[inline]
    pub fn take<T: Copy>(
        &mut self,
        pool: &mut DuePool<T>,
        now: Time,
        mut each: impl FnMut(Time, T),
    ) -> Time {
        let (mut index, mut first) = (self.head, NEVER);
        while index != NONE {
            let entry = &mut pool.entries[index];
            if entry.time > now {
                first = entry.time;
                break;
            }
            each(entry.time, entry.item);
            let next = entry.next;
            entry.next = pool.free;
            pool.free = index;
            index = next;
        }
        self.head = index;
        first
    }

    /// Applies the entries up to `now`, in order. `each` gets the time of an entry and the entry. It
    /// returns the time at which the rest of the entry, which it leaves in it, takes effect, after
    /// `now` and not after the next entry; [`NEVER`] if there is no rest. Returns the time of the
    /// first remaining entry, or [`NEVER`].
    #[inline]
    pub fn apply<T: Copy>(
        &mut self,
        pool: &mut DuePool<T>,
        now: Time,
        mut each: impl FnMut(Time, &mut T) -> Time,
    ) -> Time {
        while self.head != NONE {
            let index = self.head;
            let entry = &mut pool.entries[index];
            if entry.time > now {
                return entry.time;
            }
            let rest = each(entry.time, &mut entry.item);
            if rest != NEVER {
                debug_assert!(rest > now, "the entries up to now are applied");
                entry.time = rest;
                return rest;
            }
            self.head = std::mem::replace(&mut entry.next, pool.free);
            pool.free = index;
        }
        NEVER
    }

    /// Prefetches the first entry, which will be read soon.
    #[inline(always)]
    pub fn prefetch<T: Copy>(self, pool: &DuePool<T>) {
        pool.entries.prefetch::<1>(self.head as usize);
    }

    /// The first entry and its time, if there is one.
    #[inline]
    #[must_use]
    pub fn first<T: Copy>(self, pool: &DuePool<T>) -> Option<(Time, T)> {
        (self.head != NONE).then(|| (pool.entries[self.head].time, pool.entries[self.head].item))
    }

    /// The entries and their times, in order.
    #[inline]
    pub fn iter<T: Copy>(self, pool: &DuePool<T>) -> impl Iterator<Item = (Time, T)> {
        let mut index = self.head;
        std::iter::from_fn(move || {
            if index == NONE {
                return None;
            }
            let entry = pool.entries[index];
            index = entry.next;
            Some((entry.time, entry.item))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The items taken at `now`, and the time of the next entry.
    fn taken(queue: &mut DueQueue, pool: &mut DuePool<u8>, now: Time) -> (Vec<(Time, u8)>, Time) {
        let mut taken = Vec::new();
        let first = queue.take(pool, now, |time, item| taken.push((time, item)));
        (taken, first)
    }

    #[test]
    fn entries_are_taken_from_their_time_on_and_once() {
        // SAFETY: all queues below use this pool only.
        let mut pool = unsafe { DuePool::new() };
        let (mut one, mut other) = (DueQueue::EMPTY, DueQueue::EMPTY);
        one.push(&mut pool, 10, 1);
        other.push(&mut pool, 15, 2);
        one.push(&mut pool, 20, 3);
        one.push(&mut pool, 20, 4);
        assert_eq!(one.iter(&pool).collect::<Vec<_>>(), [(10, 1), (20, 3), (20, 4)]);
        assert_eq!(taken(&mut one, &mut pool, 9), (vec![], 10));
        assert_eq!(taken(&mut one, &mut pool, 10), (vec![(10, 1)], 20));
        assert_eq!(taken(&mut one, &mut pool, 30), (vec![(20, 3), (20, 4)], NEVER));
        assert!(one.is_empty());
        assert_eq!(taken(&mut other, &mut pool, 30), (vec![(15, 2)], NEVER));
    }

    #[test]
    fn the_rest_of_an_entry_stays_first() {
        // SAFETY: all queues below use this pool only.
        let mut pool = unsafe { DuePool::new() };
        let mut queue = DueQueue::EMPTY;
        queue.push(&mut pool, 10, 2u8); // takes effect twice, 5 ps apart
        queue.push(&mut pool, 20, 1);
        let mut applied = Vec::new();
        let mut apply = |queue: &mut DueQueue, pool: &mut DuePool<u8>, now| {
            queue.apply(pool, now, |time, item| {
                applied.push(time);
                *item -= 1;
                if *item > 0 { time + 5 } else { NEVER }
            })
        };
        assert_eq!(apply(&mut queue, &mut pool, 9), 10);
        assert_eq!(apply(&mut queue, &mut pool, 10), 15);
        assert_eq!(queue.first(&pool), Some((15, 1)));
        assert_eq!(apply(&mut queue, &mut pool, 20), NEVER);
        assert_eq!(applied, [10, 15, 20]);
        assert_eq!(queue.first(&pool), None);
    }

    #[test]
    fn the_pool_reuses_its_entries() {
        // SAFETY: all queues below use this pool only.
        let mut pool = unsafe { DuePool::new() };
        let mut queues = [DueQueue::EMPTY; 2];
        for time in 1..1_000 {
            let queue = &mut queues[time as usize % 2];
            queue.push(&mut pool, time, 1);
            queue.push(&mut pool, time, 2);
            assert_eq!(taken(queue, &mut pool, time), (vec![(time, 1), (time, 2)], NEVER));
        }
        assert_eq!(pool.entries.len(), 2);
    }
}

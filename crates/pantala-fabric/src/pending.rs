//! Lazy credits: counters with entries that come due in the future.
//!
//! An account holds what is available now and a queue of what comes back later, each entry with its time. Before any read
//! at time t, all entries up to t are applied. No event is needed for a credit that nobody waits for.

use crate::packet::NONE;
use crate::slab::Slab;
use pantala_engine::Time;

#[derive(Clone, Copy, Debug)]
struct Entry {
    time: Time,
    flits: u32,
    next: u32,
}

/// The entries of all accounts, in one slab.
#[derive(Debug, Default)]
pub struct PendingPool {
    entries: Slab<Entry>,
    free: u32,
}

impl PendingPool {
    /// An empty pool.
    #[must_use]
    pub fn new() -> Self {
        Self { entries: Slab::default(), free: NONE }
    }

    #[inline]
    fn insert(&mut self, time: Time, flits: u32) -> u32 {
        let entry = Entry { time, flits, next: NONE };
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
    #[must_use]
    pub fn memory(&self) -> usize {
        self.entries.memory()
    }
}

/// Flits available now, and those that come back later, in the order of time.
#[derive(Clone, Copy, Debug)]
pub struct Account {
    available: i32,
    head: u32,
    tail: u32,
}

impl Account {
    /// An account with `flits` available.
    #[must_use]
    pub fn new(flits: i32) -> Self {
        Self { available: flits, head: NONE, tail: NONE }
    }

    /// What is available at `now`.
    #[inline]
    pub fn at(&mut self, pool: &mut PendingPool, now: Time) -> i32 {
        if self.head != NONE {
            self.apply(pool, now);
        }
        self.available
    }

    /// Applies the entries up to `now`.
    #[inline]
    fn apply(&mut self, pool: &mut PendingPool, now: Time) {
        let mut index = self.head;
        while index != NONE {
            let entry = &mut pool.entries[index];
            if entry.time > now {
                break;
            }
            self.available += entry.flits as i32;
            let next = entry.next;
            entry.next = pool.free;
            pool.free = index;
            index = next;
        }
        self.head = index;
    }

    /// Takes `flits`, which the caller has seen to be there.
    #[inline]
    pub fn take(&mut self, flits: u32) {
        self.available -= flits as i32;
    }

    /// `flits` come back now.
    #[inline]
    pub fn put(&mut self, flits: u32) {
        self.available += flits as i32;
    }

    /// `flits` come back at `time`, not before those given back earlier.
    #[inline]
    pub fn give(&mut self, pool: &mut PendingPool, time: Time, flits: u32) {
        let index = pool.insert(time, flits);
        if self.head == NONE {
            self.head = index;
        } else {
            debug_assert!(pool.entries[self.tail].time <= time, "credits out of order");
            pool.entries[self.tail].next = index;
        }
        self.tail = index;
    }

    /// `flits` come back one by one, the first at `first` and the last at `last`, those between evenly spread; all at once if
    /// the two are one time, as `ONCE` says that they are.
    #[inline(always)]
    pub fn give_over<const ONCE: bool>(&mut self, pool: &mut PendingPool, first: Time, last: Time, flits: u32) {
        if ONCE || first == last {
            self.give(pool, last, flits);
        } else {
            self.give_spread(pool, first, last, flits);
        }
    }

    fn give_spread(&mut self, pool: &mut PendingPool, first: Time, last: Time, flits: u32) {
        let steps = Time::from(flits.max(2) - 1);
        for flit in 0..Time::from(flits) {
            self.give(pool, first + (last - first) * flit / steps, 1);
        }
    }

    /// When `flits` will be available by what is already on its way; `None` if that is not enough.
    #[must_use]
    pub fn when(&self, pool: &PendingPool, flits: u32) -> Option<Time> {
        let mut sum = self.available;
        let mut at = self.head;
        while at != NONE {
            let entry = pool.entries[at];
            sum += entry.flits as i32;
            if sum >= flits as i32 {
                return Some(entry.time);
            }
            at = entry.next;
        }
        None
    }

    /// What will be available when all has come back.
    #[must_use]
    pub fn eventually(&self, pool: &PendingPool) -> i32 {
        let mut sum = self.available;
        let mut at = self.head;
        while at != NONE {
            let entry = pool.entries[at];
            sum += entry.flits as i32;
            at = entry.next;
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_count_from_their_time_on() {
        let mut pool = PendingPool::new();
        let mut account = Account::new(4);
        account.take(4);
        account.give(&mut pool, 10, 3);
        account.give(&mut pool, 20, 1);
        assert_eq!(account.at(&mut pool, 9), 0);
        assert_eq!(account.when(&pool, 3), Some(10));
        assert_eq!(account.when(&pool, 4), Some(20));
        assert_eq!(account.when(&pool, 5), None);
        assert_eq!(account.eventually(&pool), 4);
        assert_eq!(account.at(&mut pool, 10), 3);
        assert_eq!(account.at(&mut pool, 20), 4);
        assert_eq!(pool.entries.len(), 2);
    }

    #[test]
    fn flits_that_come_back_one_by_one_are_evenly_spread() {
        let mut pool = PendingPool::new();
        let mut account = Account::new(0);
        account.give_over::<false>(&mut pool, 10, 20, 4);
        account.give_over::<false>(&mut pool, 30, 30, 1);
        let times = [10, 13, 16, 20, 30].map(|time| {
            let there = account.at(&mut pool, time) as u32;
            account.when(&pool, there + 1)
        });
        assert_eq!(times, [Some(13), Some(16), Some(20), Some(30), None]);
        assert_eq!(account.at(&mut pool, 30), 5);
    }

    #[test]
    fn the_pool_reuses_its_entries() {
        let mut pool = PendingPool::new();
        let mut account = Account::new(0);
        for time in 0..1_000 {
            account.give(&mut pool, time, 1);
            assert_eq!(account.at(&mut pool, time), time as i32 + 1);
        }
        assert_eq!(pool.entries.len(), 1);
    }
}

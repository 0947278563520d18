//! Lazy credits: counters with entries that come due in the future.
//!
//! An account holds the flits available now, and a queue of entries that come back later, each with
//! its time. Before a read at time t, all entries up to t are applied. So a credit that no packet
//! waits for needs no event.

use crate::variant::Variant;
use pantala_engine::{DuePool, DueQueue};
use pantala_engine::{NEVER, Time};

/// The entries of all accounts that come back later.
pub(crate) type PendingPool = DuePool<u32>;

/// Returns an empty pool of entries.
pub(crate) fn pending_pool() -> PendingPool {
    // SAFETY: a partition has one pool and one set of accounts, and no account leaves the
    // partition.
    unsafe { PendingPool::new() }
}

/// Flits available now, and those that come back later, in the order of time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Account {
    available: i32,
    pending: DueQueue,
}

impl Account {
    /// Makes an account with `flits` available.
    pub(crate) fn new(flits: i32) -> Self {
        Self { available: flits, pending: DueQueue::EMPTY }
    }

    /// Returns the flits available at `now`.
    #[inline]
    pub(crate) fn at(&mut self, pool: &mut PendingPool, now: Time) -> i32 {
        if !self.pending.is_empty() {
            self.apply(pool, now);
        }
        self.available
    }

    /// Applies the entries up to `now`.
    #[inline]
    fn apply(&mut self, pool: &mut PendingPool, now: Time) {
        let available = &mut self.available;
        self.pending.take(pool, now, |_, flits| *available += flits as i32);
    }

    /// Takes `flits`. The caller has checked that they are available.
    #[inline]
    pub(crate) fn take(&mut self, flits: u32) {
        self.available -= flits as i32;
    }

    /// Gives `flits` back now.
    #[inline]
    pub(crate) fn put(&mut self, flits: u32) {
        self.available += flits as i32;
    }

    /// Returns when `flits` will be available, given the entries so far; `None` if they are not
    /// enough.
    pub(crate) fn when(&self, pool: &PendingPool, flits: u32) -> Option<Time> {
        let mut sum = self.available;
        self.pending.iter(pool).find_map(|(time, back)| {
            sum += back as i32;
            (sum >= flits as i32).then_some(time)
        })
    }

    /// Returns the flits that will be available after all entries.
    pub(crate) fn eventually(&self, pool: &PendingPool) -> i32 {
        self.available + self.pending.iter(pool).map(|(_, back)| back as i32).sum::<i32>()
    }
}

/// An account of credits, which holds its first entry itself. Most links never have a second one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Credits {
    /// When the first entry is due; [`NEVER`]: there is none.
    first: Time,
    flits: u32,
    rest: Account,
}

impl Credits {
    /// Makes an account with `flits` available.
    pub(crate) fn new(flits: i32) -> Self {
        Self { first: NEVER, flits: 0, rest: Account::new(flits) }
    }

    /// Returns the flits available at `now`.
    #[inline]
    pub(crate) fn at(&mut self, pool: &mut PendingPool, now: Time) -> i32 {
        if self.first <= now {
            self.rest.available += self.flits as i32;
            self.apply(pool, now);
        }
        self.rest.available
    }

    /// Applies the entries after the first up to `now`, and moves the next one to its place.
    #[inline]
    fn apply(&mut self, pool: &mut PendingPool, now: Time) {
        let Account { available, pending } = &mut self.rest;
        self.first = NEVER;
        while let Some((time, flits)) = pending.pop(pool) {
            if time > now {
                (self.first, self.flits) = (time, flits);
                return;
            }
            *available += flits as i32;
        }
    }

    /// See [`Account::take`].
    #[inline]
    pub(crate) fn take(&mut self, flits: u32) {
        self.rest.take(flits);
    }

    /// See [`Account::when`].
    pub(crate) fn when(&self, pool: &PendingPool, flits: u32) -> Option<Time> {
        if self.first == NEVER {
            return None;
        }
        let first = Account { available: self.rest.available + self.flits as i32, ..self.rest };
        if first.available >= flits as i32 { Some(self.first) } else { first.when(pool, flits) }
    }

    /// See [`Account::eventually`].
    pub(crate) fn eventually(&self, pool: &PendingPool) -> i32 {
        let first = if self.first == NEVER { 0 } else { self.flits as i32 };
        first + self.rest.eventually(pool)
    }
}

/// An account that flits come back to.
pub(crate) trait Repayment {
    /// Gives `flits` back at `time`, which is not before earlier entries.
    fn give(&mut self, pool: &mut PendingPool, time: Time, flits: u32);

    /// Gives `flits` back one by one, evenly spread from `first` to `last`; all at once if the
    /// times are equal. `F::DEFAULT` says that they are.
    #[inline(always)]
    fn give_over<F: Variant>(
        &mut self,
        pool: &mut PendingPool,
        first: Time,
        last: Time,
        flits: u32,
    ) {
        if F::DEFAULT || first == last {
            self.give(pool, last, flits);
            return;
        }
        let steps = Time::from(flits.max(2) - 1);
        for flit in 0..Time::from(flits) {
            self.give(pool, first + (last - first) * flit / steps, 1);
        }
    }
}

impl Repayment for Account {
    #[inline]
    fn give(&mut self, pool: &mut PendingPool, time: Time, flits: u32) {
        self.pending.push(pool, time, flits);
    }
}

impl Repayment for Credits {
    #[inline]
    fn give(&mut self, pool: &mut PendingPool, time: Time, flits: u32) {
        if self.first == NEVER {
            (self.first, self.flits) = (time, flits);
        } else {
            self.rest.give(pool, time, flits);
        }
    }
}

/// Returns the capacity of an output VC. An unlimited VC has more room than any run can fill.
pub(crate) const fn space_of(output_buffer: u32) -> i32 {
    match output_buffer {
        0 => i32::MAX / 2,
        flits => flits as i32,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::variant::General;

    #[test]
    fn entries_count_from_their_time_on() {
        let mut pool = pending_pool();
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
    }

    /// Both kinds of accounts give the same answers.
    #[test]
    fn credits_are_an_account() {
        let mut pool = pending_pool();
        let (mut account, mut credits) = (Account::new(8), Credits::new(8));
        let mut draws = pantala_engine::Stream::new(1, 2, 3);
        let (mut now, mut latest) = (0, 0);
        for _ in 0..5_000 {
            match draws.below(4) {
                0 => {
                    latest = (now + 1 + u64::from(draws.below(40))).max(latest);
                    account.give(&mut pool, latest, 3);
                    credits.give(&mut pool, latest, 3);
                }
                1 => {
                    let last = latest.max(now + 1) + 9;
                    account.give_over::<General>(&mut pool, latest.max(now + 1), last, 4);
                    credits.give_over::<General>(&mut pool, latest.max(now + 1), last, 4);
                    latest = last;
                }
                2 => now += u64::from(draws.below(30)),
                _ => {
                    account.take(2);
                    credits.take(2);
                }
            }
            assert_eq!(account.eventually(&pool), credits.eventually(&pool));
            let there = account.at(&mut pool, now);
            assert_eq!(credits.at(&mut pool, now), there);
            for more in [1, 5, 30] {
                let wanted = (there + more).max(0) as u32;
                if wanted as i32 > there {
                    assert_eq!(account.when(&pool, wanted), credits.when(&pool, wanted));
                }
            }
        }
    }

    #[test]
    fn flits_that_come_back_one_by_one_are_evenly_spread() {
        let mut pool = pending_pool();
        let mut account = Account::new(0);
        account.give_over::<General>(&mut pool, 10, 20, 4);
        account.give_over::<General>(&mut pool, 30, 30, 1);
        let times = [10, 13, 16, 20, 30].map(|time| {
            let there = account.at(&mut pool, time) as u32;
            account.when(&pool, there + 1)
        });
        assert_eq!(times, [Some(13), Some(16), Some(20), Some(30), None]);
        assert_eq!(account.at(&mut pool, 30), 5);
    }
}

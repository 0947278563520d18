//! Lazy credits: counters with entries that come due in the future.
//!
//! An account holds the flits available now, and a queue of entries that come back later, each with
//! its time. Before a read at time t, all entries up to t are applied. So a credit that no packet
//! waits for needs no event. Flits that come back one by one at even distances are one entry.

mod lot;

use crate::variant::Variant;
use lot::Lot;
use pantala_engine::{DuePool, DueQueue};
use pantala_engine::{NEVER, Time};

/// The entries of all accounts that come back later.
pub(crate) type PendingPool = DuePool<Lot>;

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

    /// Applies the entries up to `now`. Returns the time of the next one, or [`NEVER`].
    #[inline]
    fn apply(&mut self, pool: &mut PendingPool, now: Time) -> Time {
        let available = &mut self.available;
        self.pending.apply(pool, now, |time, lot| {
            let (flits, next) = lot.take(time, now);
            *available += flits;
            next
        })
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
        self.pending.iter(pool).find_map(|(time, lot)| {
            let lacking = flits as i32 - sum;
            sum += lot.left();
            let number = i32::from(lot.back) + (lacking - 1).max(0);
            (sum >= flits as i32)
                .then(|| if lot.span == 0 { time } else { lot.time_of(time, number as u32) })
        })
    }

    /// Returns the flits that will be available after all entries.
    pub(crate) fn eventually(&self, pool: &PendingPool) -> i32 {
        self.available + self.pending.iter(pool).map(|(_, lot)| lot.left()).sum::<i32>()
    }
}

/// What an account of credits holds.
#[derive(Clone, Debug)]
pub(crate) struct VcCredits {
    /// The flits that were available at its latest read, less those taken since.
    pub(crate) left: i32,
    /// What comes back after that read: times and flits, in the order of time.
    pub(crate) pending: Vec<(Time, u32)>,
}

/// An account of credits, which holds its first entry itself. Most links never have a second one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Credits {
    /// When the first entry is due; [`NEVER`]: there is none.
    first: Time,
    /// The flits that come back then; zero if their entry is the first of `rest`, because they come
    /// back one by one.
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

    /// Returns when the first entry is due, or [`NEVER`].
    #[inline]
    pub(crate) fn due(&self) -> Time {
        self.first
    }

    /// Prefetches the entry after the first if [`Self::at`] will read it at `now`.
    #[inline(always)]
    pub(crate) fn prefetch(&self, pool: &PendingPool, now: Time) {
        if self.first <= now {
            self.rest.pending.prefetch(pool);
        }
    }

    /// Applies the entries after the first up to `now`, and moves the next one to its place.
    #[inline]
    fn apply(&mut self, pool: &mut PendingPool, now: Time) {
        let Account { available, pending } = &mut self.rest;
        self.first = NEVER;
        while let Some((time, lot)) = pending.first(pool) {
            if lot.span != 0 {
                return self.apply_one_by_one(pool, now);
            }
            pending.pop(pool);
            if time > now {
                (self.first, self.flits) = (time, lot.flits.into());
                return;
            }
            *available += i32::from(lot.flits);
        }
    }

    /// As [`Self::apply`], if the first entry of the rest comes back flit by flit. It stays there
    /// as long as it has flits.
    #[inline(never)]
    fn apply_one_by_one(&mut self, pool: &mut PendingPool, now: Time) {
        self.flits = 0;
        let next = self.rest.apply(pool, now);
        if next == NEVER {
            return;
        }
        self.first = next;
        if let Some((_, lot)) = self.rest.pending.first(pool).filter(|(_, lot)| lot.span == 0) {
            self.flits = lot.flits.into();
            self.rest.pending.pop(pool);
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

    /// See [`VcCredits::left`].
    #[inline]
    pub(crate) fn left(&self) -> i32 {
        self.rest.available
    }

    /// Returns all that the account holds.
    pub(crate) fn state(&self, pool: &PendingPool) -> VcCredits {
        VcCredits { left: self.left(), pending: self.pending(pool).collect() }
    }

    /// See [`VcCredits::pending`].
    fn pending(&self, pool: &PendingPool) -> impl Iterator<Item = (Time, u32)> {
        let first = (self.first != NEVER && self.flits > 0).then_some((self.first, self.flits));
        let rest = self.rest.pending.iter(pool).flat_map(|(time, lot)| {
            let one_by_one = lot.span != 0;
            let steps = if one_by_one { lot.back..lot.flits } else { 0..1 };
            steps.map(move |number| {
                if one_by_one {
                    (lot.time_of(time, number.into()), 1)
                } else {
                    (time, lot.flits.into())
                }
            })
        });
        first.into_iter().chain(rest)
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
        // More than 4 ms, or more flits than a packet has: flit by flit.
        let (Ok(span), Ok(number)) = (u32::try_from(last - first), u16::try_from(flits)) else {
            let steps = Time::from(flits.max(2) - 1);
            for flit in 0..Time::from(flits) {
                self.give(pool, first + (last - first) * flit / steps, 1);
            }
            return;
        };
        if number == 1 {
            self.give(pool, first, 1);
        } else {
            self.give_lot(pool, first, Lot { flits: number, back: 0, span });
        }
    }

    /// Gives a lot back whose flits come back one by one, the first at `time`.
    fn give_lot(&mut self, pool: &mut PendingPool, time: Time, lot: Lot);
}

impl Repayment for Account {
    #[inline]
    fn give(&mut self, pool: &mut PendingPool, time: Time, flits: u32) {
        // A packet has fewer flits than 2^16.
        self.pending.push(pool, time, Lot { flits: flits as u16, back: 0, span: 0 });
    }

    #[inline]
    fn give_lot(&mut self, pool: &mut PendingPool, time: Time, lot: Lot) {
        self.pending.push(pool, time, lot);
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

    #[inline]
    fn give_lot(&mut self, pool: &mut PendingPool, time: Time, lot: Lot) {
        if self.first == NEVER {
            (self.first, self.flits) = (time, 0);
        }
        self.rest.give_lot(pool, time, lot);
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
            let pending: Vec<(Time, u32)> = credits.pending(&pool).collect();
            assert!(pending.is_sorted_by_key(|(time, _)| *time));
            let coming: u32 = pending.iter().map(|(_, flits)| flits).sum();
            assert_eq!(credits.left() + coming as i32, credits.eventually(&pool));
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

    /// Flits that come back one by one are one entry, with the answers of many.
    #[test]
    fn a_lot_is_its_flits() {
        let mut pool = pending_pool();
        let mut draws = pantala_engine::Stream::new(4, 5, 6);
        for _ in 0..300 {
            let (mut lots, mut credits) = (Account::new(3), Credits::new(3));
            let mut flits = Account::new(3);
            let (mut now, mut latest) = (0, 1);
            for _ in 0..40 {
                let (number, span) = (1 + draws.below(9), u64::from(draws.below(40)));
                if draws.below(2) == 0 {
                    let (first, last) = (latest, latest + span);
                    lots.give_over::<General>(&mut pool, first, last, number);
                    credits.give_over::<General>(&mut pool, first, last, number);
                    let steps = Time::from(number.max(2) - 1);
                    for flit in 0..Time::from(number) {
                        let time = if span == 0 { last } else { first + span * flit / steps };
                        flits.give(&mut pool, time, 1);
                    }
                    latest = last + u64::from(draws.below(9));
                }
                now += u64::from(draws.below(30));
                latest = latest.max(now + 1);
                let there = flits.at(&mut pool, now);
                assert_eq!([lots.at(&mut pool, now), credits.at(&mut pool, now)], [there; 2]);
                for wanted in (there + 1..there + 12).filter(|wanted| *wanted > 0) {
                    let when = flits.when(&pool, wanted as u32);
                    assert_eq!(lots.when(&pool, wanted as u32), when);
                    assert_eq!(credits.when(&pool, wanted as u32), when);
                }
                assert_eq!(lots.eventually(&pool), flits.eventually(&pool));
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

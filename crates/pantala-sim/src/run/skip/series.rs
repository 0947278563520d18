//! The cycles of a job's loop in an epoch, as sums: the mean of any of them is one subtraction.

use crate::run::skip::cycles::CycleSums;
use crate::run::skip::steady::Mean;
use std::collections::BTreeMap;

/// Sums over the first cycles of an epoch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sums {
    pub(crate) time: u128,
    pub(crate) communication: u128,
    pub(crate) longest: u128,
    /// How much later than the mean rank the last one has started.
    pub(crate) skew: u128,
}

/// The cycles of a job's present loop since the epoch began, as far as all ranks have completed
/// them in order. Sums make the mean of any of them one subtraction, so that a check costs the same
/// however long the epoch is.
#[derive(Clone, Debug)]
pub(super) struct Series {
    pub(super) of_loop: u16,
    /// The number of the first cycle.
    pub(super) first: u32,
    ranks: u32,
    /// `sums[k]` is of the first `k` cycles.
    pub(super) sums: Vec<Sums>,
    /// Cycles that some ranks have completed.
    pub(super) pending: BTreeMap<u32, CycleSums>,
}

impl Series {
    pub(super) fn new(of_loop: u16, first: u32, ranks: u32) -> Self {
        let (sums, pending) = (vec![Sums::default()], BTreeMap::new());
        Self { of_loop, first, ranks, sums, pending }
    }

    pub(super) fn next(&self) -> u32 {
        self.first + (self.sums.len() as u32 - 1)
    }

    /// Moves the cycles that all ranks have completed from those pending to the sums.
    pub(super) fn settle(&mut self) {
        loop {
            let next = self.next();
            let Some(cycle) = self.pending.first_entry() else { return };
            if *cycle.key() != next || cycle.get().ranks != self.ranks {
                return;
            }
            let cycle = cycle.remove();
            let last = self.sums.last().copied().unwrap_or_default();
            self.sums.push(Sums {
                time: last.time + cycle.time,
                communication: last.communication + cycle.communication,
                longest: last.longest + u128::from(cycle.longest),
                skew: last.skew + cycle.skew(),
            });
        }
    }
}

/// Complete cycles of a job, one after the other.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Complete<'a> {
    /// One more than there are cycles.
    pub(super) sums: &'a [Sums],
}

impl Complete<'_> {
    /// Number of cycles.
    pub(crate) const fn len(&self) -> usize {
        self.sums.len().saturating_sub(1)
    }

    /// Returns the mean over cycles of a sum, divided by `by`.
    pub(crate) fn mean(&self, of: fn(&Sums) -> u128, by: u32) -> Option<Mean> {
        let mean = |from: usize, to: usize| {
            let sum = of(&self.sums[to]) - of(&self.sums[from]);
            sum as f64 / (f64::from(by) * (to - from) as f64)
        };
        Mean::of_parts(self.len(), mean)
    }
}

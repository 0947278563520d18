//! Recorded computing times of loops, so that skipped iterations can be compared with simulated ones.

use super::Loop;
use super::levels::{Computing, ComputingTimes};

/// The computing times of the iterations of a job's loops, as its operations state them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RecordedComputing {
    ranks: u32,
    /// By loop: the motif, the first iteration and the sums over the first `k` iterations.
    loops: Vec<(u16, u32, Vec<Computing>)>,
    /// The iterations of a pass of a program that starts again.
    pass: Option<u32>,
}

/// What ranks compute per iteration in a stretch of iterations, in ps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PerIteration {
    /// The mean over ranks and iterations.
    pub mean: f64,
    /// The longest time of a rank in an iteration: the mean over iterations.
    pub longest: f64,
}

impl RecordedComputing {
    /// Returns the times of these loops of a job of `ranks` ranks.
    pub(super) fn of(loops: &[Loop], times: &ComputingTimes, ranks: u32) -> Self {
        let sums = |known: &Loop| {
            let mut sums = vec![Computing::default()];
            let mut sum = Computing::default();
            for number in known.first..known.end {
                let of = times.of(known.motif, number);
                sum.sum += of.sum;
                sum.longest += of.longest;
                sums.push(sum);
            }
            (known.motif, known.first, sums)
        };
        Self { ranks, loops: loops.iter().map(sums).collect(), pass: None }
    }

    /// The times of a program that starts again after so many iterations.
    pub(crate) fn repeated(self, pass: u32) -> Self {
        Self { pass: Some(pass), ..self }
    }

    /// Returns what ranks compute in the iterations from `first` up to `end` of a motif; `None` if
    /// they are not in one loop.
    #[must_use]
    pub fn between(&self, motif: u16, first: u64, end: u64) -> Option<PerIteration> {
        let count = end.checked_sub(first).filter(|count| *count > 0)? as f64;
        let pass = u64::from(self.pass.unwrap_or(u32::MAX));
        let up_to = |sums: &[Computing], from: u32, number: u64| {
            let within = sums.get((number % pass).checked_sub(u64::from(from))? as usize)?;
            // A program that starts again has one loop, which is its pass.
            let passes = u128::from(number / pass);
            let all = sums.last().copied().unwrap_or_default();
            let of = |within: u128, all: u128| (passes * all + within) as f64;
            Some((of(within.sum, all.sum), of(within.longest, all.longest)))
        };
        self.loops.iter().filter(|of| of.0 == motif).find_map(|(_, from, sums)| {
            let (before, after) = (up_to(sums, *from, first)?, up_to(sums, *from, end)?);
            Some(PerIteration {
                mean: (after.0 - before.0) / count / f64::from(self.ranks.max(1)),
                longest: (after.1 - before.1) / count,
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stretches_are_compared_by_their_means() {
        let mut times = ComputingTimes::default();
        for (rank, i) in (0..2).flat_map(|rank| (0..30).map(move |i| (rank, i))) {
            times.add((0, i), if i == 25 { 1_000 } else { 10 * (1 + rank) });
        }
        let whole = Loop { motif: 0, first: 5, end: 30, period: 1 };
        let known = RecordedComputing::of(&[whole], &times, 2);
        let per = |mean, longest| Some(PerIteration { mean, longest });
        assert_eq!(known.between(0, 5, 15), per(15.0, 20.0));
        assert_eq!(known.between(0, 20, 30), per(113.5, 118.0));
        assert_eq!(known.between(0, 4, 15), None);
        assert_eq!(known.between(1, 5, 15), None);
        assert_eq!(known.between(0, 9, 9), None);
        // A program that starts again has the times of its passes.
        let whole = Loop { first: 0, ..whole };
        let known = RecordedComputing::of(&[whole], &times, 2).repeated(30);
        assert_eq!(known.between(0, 20, 30), known.between(0, 50, 60));
        assert_eq!(known.between(0, 0, 30), known.between(0, 45, 75));
    }
}

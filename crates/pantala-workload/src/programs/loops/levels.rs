//! Levels of the computing times of a loop: where they change, another loop begins.
//!
//! Iterations with the same operations may compute for different times: measured times vary, and a
//! program may compute more every tenth iteration. But a run that has seen the first iterations says
//! nothing of later ones that compute ten times as long, or in which one rank does the work of all.
//! So the sums over ranks and the longest time of a rank are compared by blocks of iterations.
//! Rare long iterations look like noise here: [`super::recorded`] compares what is skipped.

use super::{FEWEST, Loop};
use pantala_engine::Time;
use std::collections::HashMap;

/// Iterations whose mean is compared.
const BLOCK: u32 = 8;
/// The standard errors, and the share of the mean, by which blocks of one level may differ.
const ERRORS: f64 = 5.0;
const SHARE: f64 = 1e-3;

/// The computing time of each iteration of a job.
#[derive(Debug, Default)]
pub(super) struct ComputingTimes {
    /// By motif and number of the iteration.
    of: HashMap<(u16, u32), Computing>,
}

/// The computing times of one iteration, or the sums of those of several.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Computing {
    /// Sum over ranks.
    pub(super) sum: u128,
    /// The longest of a rank.
    pub(super) longest: u128,
}

impl ComputingTimes {
    /// Adds the time of one rank to an iteration, by its motif and number.
    pub(super) fn add(&mut self, iteration: (u16, u32), time: Time) {
        let known = self.of.entry(iteration).or_default();
        known.sum += u128::from(time);
        known.longest = known.longest.max(time.into());
    }

    /// Returns the times of an iteration.
    pub(super) fn of(&self, motif: u16, number: u32) -> Computing {
        self.of.get(&(motif, number)).copied().unwrap_or_default()
    }

    /// Returns the parts of a loop in which computing times have one level, as sums over ranks and
    /// as the longest of a rank.
    pub(super) fn levels(&self, known: &Loop) -> Vec<Loop> {
        let by_sum = self.parts(known, |of| of.sum);
        by_sum.iter().flat_map(|part| self.parts(part, |of| of.longest)).collect()
    }

    /// Returns the parts of a loop in which computing times have one level.
    ///
    /// A block of [`BLOCK`] iterations begins another level if its mean differs from that of the
    /// level so far by more than [`ERRORS`] standard errors, of the variance inside all blocks, and
    /// more than [`SHARE`] of the mean.
    fn parts(&self, known: &Loop, of: fn(Computing) -> u128) -> Vec<Loop> {
        let blocks = (known.end - known.first) / BLOCK;
        if blocks < 2 {
            return vec![*known];
        }
        let time = |number| of(self.of(known.motif, number)) as f64;
        let of_block = |block: u32| {
            let first = known.first + block * BLOCK;
            (first..first + BLOCK).map(time)
        };
        let size = f64::from(BLOCK);
        let means: Vec<f64> =
            (0..blocks).map(|block| of_block(block).sum::<f64>() / size).collect();
        let squares = |(block, mean): (u32, &f64)| -> f64 {
            of_block(block).map(|time| (time - mean).powi(2)).sum()
        };
        let freedom = f64::from(blocks * (BLOCK - 1));
        let variance = (0..).zip(&means).map(squares).sum::<f64>() / freedom;
        let error = ERRORS * (variance / size).sqrt();
        let mut parts = vec![*known];
        let (mut sum, mut count) = (0.0, 0.0);
        for (block, mean) in (0..blocks).zip(means) {
            let level = if count > 0.0 { sum / count } else { mean };
            if (mean - level).abs() > error.max(SHARE * level) {
                let first = known.first + block * BLOCK;
                if let Some(last) = parts.last_mut() {
                    last.end = first;
                }
                parts.push(Loop { first, ..*known });
                (sum, count) = (0.0, 0.0);
            }
            sum += mean;
            count += 1.0;
        }
        parts.retain(|part| part.end >= part.first.saturating_add(FEWEST));
        parts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ends(times: impl Fn(u32) -> u64, iterations: u32) -> Vec<(u32, u32)> {
        let mut of = ComputingTimes::default();
        for rank in 0..3 {
            (0..iterations).for_each(|i| of.add((1, i), times(i) + rank));
        }
        let whole = Loop { motif: 1, first: 0, end: iterations, period: 1 };
        of.levels(&whole).iter().map(|part| (part.first, part.end)).collect()
    }

    /// A number of 0 to 999 that looks random.
    fn noise(i: u32) -> u64 {
        u64::from(i.wrapping_mul(2_654_435_761) >> 8) % 1000
    }

    #[test]
    fn times_that_vary_have_one_level() {
        assert_eq!(ends(|_| 5000, 1000), [(0, 1000)]);
        assert_eq!(ends(|_| 0, 1000), [(0, 1000)]);
        assert_eq!(ends(|i| 5000 + noise(i), 1000), [(0, 1000)]);
        assert_eq!(ends(|i| if i % 10 == 9 { 50_000 } else { 5000 }, 1000), [(0, 1000)]);
        assert_eq!(ends(|i| 5000 + u64::from(i / 50), 100), [(0, 100)]);
        assert_eq!(ends(|i| if i < 9 { 5000 } else { 90_000 }, 15), [(0, 15)]);
    }

    #[test]
    fn a_change_begins_another_loop() {
        let step = |i| if (300..700).contains(&i) { 50_000 } else { 5000 };
        assert_eq!(ends(step, 1000), [(0, 296), (296, 304), (304, 696), (696, 704), (704, 1000)]);
        let step = |i| noise(i) + if i < 512 { 5000 } else { 7000 };
        assert_eq!(ends(step, 1000), [(0, 512), (512, 1000)]);
        // What grows all the time has no level.
        assert!(
            ends(|i| 5000 + 10 * u64::from(i), 100).iter().all(|(first, end)| end - first < 20)
        );
        // One long iteration is in a loop of its own, which is too short to skip anything.
        let once = |i| if i == 500 { 1_000_000 } else { 5000 };
        assert_eq!(ends(once, 1000), [(0, 496), (496, 504), (504, 1000)]);
        // One rank does the work of all: the sums are equal, the longest times are not.
        let mut of = ComputingTimes::default();
        for (rank, i) in (0..4).flat_map(|rank| (0..400).map(move |i| (rank, i))) {
            let time = if i < 200 { 100 } else { 400 * u64::from(i % 4 == rank) };
            of.add((1, i), time);
        }
        let parts = of.levels(&Loop { motif: 1, first: 0, end: 400, period: 1 });
        let ends: Vec<(u32, u32)> = parts.iter().map(|part| (part.first, part.end)).collect();
        assert_eq!(ends, [(0, 200), (200, 400)]);
    }
}

//! Latencies over time: one sketch per window, which two partitions can merge.

use pantala_engine::Time;
use serde::{Deserialize, Serialize};

use crate::accounting::latency::LatencyStatistics;

/// The most latencies that a sketch keeps one by one. A sketch with more counts them in bins.
pub const MOST_EXACT: usize = 4_096;

/// The latencies of one window, in ps.
///
/// Count, mean and maximum are exact. The quantiles of up to [`MOST_EXACT`] latencies are exact.
/// Quantiles of more come from the bins of an HDR histogram with three significant digits
/// ([`LatencyStatistics`]): they are at most 0.1 % above the exact ones, and never below. A sketch
/// depends only on its latencies, not on their order or on how sketches were merged.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct LatencySketch {
    /// All latencies, unless there are bins.
    few: Vec<Time>,
    bins: Option<Box<LatencyStatistics>>,
    most: Time,
}

/// What a sketch says of its latencies, in ps.
#[derive(Clone, Debug, PartialEq)]
pub struct LatencySummary<const N: usize> {
    /// Number of latencies.
    pub count: u64,
    /// Whether the quantiles are exact.
    pub exact: bool,
    /// Their mean.
    pub mean: f64,
    /// Quantiles, in the order in which they were asked for.
    pub quantiles: [Time; N],
    /// The longest latency.
    pub most: Time,
}

impl LatencySketch {
    /// Adds one latency.
    pub fn record(&mut self, latency: Time) {
        self.most = self.most.max(latency);
        if let Some(bins) = &mut self.bins {
            return bins.record(latency);
        }
        self.few.push(latency);
        if self.few.len() > MOST_EXACT {
            self.fill_bins();
        }
    }

    /// Adds the latencies of `other`.
    pub fn merge(&mut self, other: &Self) {
        self.most = self.most.max(other.most);
        if let Some(theirs) = &other.bins {
            self.fill_bins().add(theirs);
        }
        other.few.iter().for_each(|&latency| self.record(latency));
    }

    /// Moves all latencies to bins.
    fn fill_bins(&mut self) -> &mut LatencyStatistics {
        let bins = self.bins.get_or_insert_default();
        std::mem::take(&mut self.few).into_iter().for_each(|latency| bins.record(latency));
        bins
    }

    /// Returns the summary of at least one latency; `None` without any. A quantile, in
    /// ten-thousandths, is the least latency that this share of all latencies does not exceed.
    #[must_use]
    pub fn summary<const N: usize>(mut self, quantiles: [u16; N]) -> Option<LatencySummary<N>> {
        let most = self.most;
        if let Some(bins) = &self.bins {
            let histogram = bins.histogram();
            let quantile = |q| histogram.value_at_quantile(f64::from(q) / 10_000.0).min(most);
            return Some(LatencySummary {
                count: bins.count(),
                exact: false,
                mean: bins.mean()?,
                quantiles: quantiles.map(quantile),
                most,
            });
        }
        let count = self.few.len();
        if count == 0 {
            return None;
        }
        self.few.sort_unstable();
        let place = |q| (count * usize::from(q)).div_ceil(10_000).clamp(1, count) - 1;
        let sum: u128 = self.few.iter().map(|&latency| u128::from(latency)).sum();
        Some(LatencySummary {
            count: count as u64,
            exact: true,
            mean: sum as f64 / count as f64,
            quantiles: quantiles.map(|q| self.few[place(q)]),
            most,
        })
    }
}

/// The sketches of windows of one length that are not complete, in order. Windows without a latency
/// are left out.
#[derive(Clone, Debug, Default)]
pub struct LatencyWindows {
    windows: Vec<(u64, LatencySketch)>,
}

impl LatencyWindows {
    /// Adds a latency that ended `now`, in windows of `length`.
    pub fn record(&mut self, length: Time, latency: Time, now: Time) {
        let number = now / length;
        let place = match self.windows.last() {
            Some((last, _)) if *last == number => self.windows.len() - 1,
            _ => self.place_of(number),
        };
        self.windows[place].1.record(latency);
    }

    /// Returns the place of a window, and inserts the window if it is missing. Between the events of
    /// two groups of the network, time may go back by several windows.
    fn place_of(&mut self, number: u64) -> usize {
        let place = self.windows.partition_point(|(other, _)| *other < number);
        if self.windows.get(place).is_none_or(|(other, _)| *other != number) {
            self.windows.insert(place, (number, LatencySketch::default()));
        }
        place
    }

    /// Removes the windows of `length` that end by `time`, and returns each one's start and sketch.
    pub fn take_before(
        &mut self,
        length: Time,
        time: Time,
    ) -> impl Iterator<Item = (Time, LatencySketch)> + '_ {
        let complete = self
            .windows
            .partition_point(|(number, _)| number.saturating_add(1).saturating_mul(length) <= time);
        self.windows.drain(..complete).map(move |(number, sketch)| (number * length, sketch))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pantala_engine::random::mix;
    use proptest::prelude::*;

    const SHARES: [u16; 5] = [500, 5_000, 9_900, 9_999, 10_000];

    fn latencies(count: u64) -> impl Iterator<Item = Time> {
        (0..count).map(|i| 300_000 + mix(i) % 5_000_000)
    }

    fn sketch(latencies: impl Iterator<Item = Time>) -> LatencySketch {
        let mut sketch = LatencySketch::default();
        latencies.for_each(|latency| sketch.record(latency));
        sketch
    }

    #[test]
    fn quantiles_are_exact_or_close() {
        for count in [1, 2, 100, MOST_EXACT as u64, MOST_EXACT as u64 + 1, 50_000] {
            let mut sorted: Vec<Time> = latencies(count).collect();
            sorted.sort_unstable();
            let summary = sketch(latencies(count)).summary(SHARES).unwrap();
            assert_eq!((summary.count, summary.most), (count, sorted[count as usize - 1]));
            assert_eq!(summary.exact, count <= MOST_EXACT as u64);
            let mean = sorted.iter().sum::<Time>() as f64 / count as f64;
            assert!((summary.mean / mean - 1.0).abs() < 1e-12);
            for (share, told) in SHARES.into_iter().zip(summary.quantiles) {
                let place = (count * u64::from(share)).div_ceil(10_000).max(1) - 1;
                let exact = sorted[place as usize];
                let room = if summary.exact { 0 } else { exact / 1_000 };
                assert!((exact..=exact + room).contains(&told), "{count} {share}: {told} {exact}");
            }
        }
        assert_eq!(LatencySketch::default().summary(SHARES), None);
    }

    /// However the latencies are divided.
    #[test]
    fn merged_sketches_are_one_sketch() {
        for count in [10, 4_000, 4_096, 4_097, 7_000, 20_000] {
            let whole = sketch(latencies(count)).summary(SHARES);
            for part in [1, count / 3, count / 2, count - 1] {
                let (one, other) = (
                    sketch(latencies(count).take(part as usize)),
                    sketch(latencies(count).skip(part as usize)),
                );
                for (mut first, second) in [(one.clone(), &other), (other.clone(), &one)] {
                    first.merge(second);
                    assert_eq!(first.summary(SHARES), whole, "{count} {part}");
                }
            }
        }
    }

    proptest! {
        #![proptest_config(pantala_testing::cases(100))]

        /// Whoever has which latency, and however far latencies differ.
        #[test]
        fn partitions_change_no_percentile(
            few in proptest::collection::vec((0_u32..40, 0_usize..4), 1..100),
            copies in 1_usize..150,
        ) {
            let spread = |i: usize, octave: u32| (1 << octave) + mix(i as u64) % (1 << octave);
            let latencies = few.iter().cycle().take(few.len() * copies).enumerate();
            let mut parts = [const { Vec::new() }; 4];
            for (i, &(octave, part)) in latencies {
                parts[part].push(spread(i, octave));
            }
            let mut all = parts.concat();
            let whole = sketch(all.iter().copied()).summary(SHARES);
            let mut merged = LatencySketch::default();
            parts.into_iter().for_each(|part| merged.merge(&sketch(part.into_iter())));
            prop_assert_eq!(merged.summary(SHARES), whole.clone());
            all.sort_unstable();
            let whole = whole.unwrap();
            for (share, told) in SHARES.into_iter().zip(whole.quantiles) {
                let exact = all[(all.len() * usize::from(share)).div_ceil(10_000).max(1) - 1];
                let room = if whole.exact { 0 } else { exact / 1_000 };
                prop_assert!((exact..=exact + room).contains(&told), "{told} {exact}");
            }
        }
    }

    #[test]
    fn windows_leave_in_order() {
        let mut windows = LatencyWindows::default();
        for (latency, now) in [(7, 25), (8, 3), (9, 29), (1, 40), (2, 10)] {
            windows.record(10, latency, now);
        }
        let mut take = |time| -> Vec<(Time, u64)> {
            let taken = windows.take_before(10, time);
            taken.map(|(start, sketch)| (start, sketch.summary(SHARES).unwrap().most)).collect()
        };
        assert_eq!(take(29), [(0, 8), (10, 2)]);
        assert_eq!(take(30), [(20, 9)]);
        assert_eq!(take(Time::MAX), [(40, 1)]);
    }
}

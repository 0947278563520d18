//! Distributions of latencies: exact count and mean, quantiles to three significant digits.

use hdrhistogram::Histogram;
use pantala_engine::Time;
use serde::Deserialize;
use serde::Serialize;

/// A distribution of latencies in ps: exact count and mean, quantiles to three significant digits.
///
/// A message's latency is the time from the send call to the arrival of the payload's last byte.
/// Packet latencies use the same type.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct LatencyStatistics {
    /// Counts in the layout of an HDR histogram of three digits: see [`bin_of`].
    bins: Vec<u64>,
    count: u64,
    sum: u128,
}

/// Number of bins per octave above 2,048 ps. Each smaller latency has a bin of its own. This is the
/// layout of an HDR histogram with three significant digits. The counting is done here, not in the
/// HDR library, because it happens twice per packet.
const HALF: u64 = 1_024;

/// `value * share.0 / share.1`, rounded to the nearest number; 0 of nothing.
#[must_use]
pub const fn scaled(value: u64, (part, whole): (u128, u128)) -> u64 {
    match (value as u128 * part + whole / 2).checked_div(whole) {
        Some(scaled) => scaled as u64,
        None => 0,
    }
}

#[inline]
const fn bin_of(latency: Time) -> usize {
    let octave = 53 - (latency | (2 * HALF - 1)).leading_zeros();
    (octave as u64 * HALF + (latency >> octave)) as usize
}

/// The largest latency of a bin.
const fn top_of(bin: usize) -> Time {
    let bin = bin as u64;
    let octave = if bin < 2 * HALF { 0 } else { bin / HALF - 1 };
    ((bin - octave * HALF + 1) << octave) - 1
}

impl Default for LatencyStatistics {
    fn default() -> Self {
        Self::new()
    }
}

impl LatencyStatistics {
    /// An empty distribution.
    #[must_use]
    pub const fn new() -> Self {
        Self { bins: Vec::new(), count: 0, sum: 0 }
    }

    /// Counts one latency, ps.
    #[inline]
    pub fn record(&mut self, latency: Time) {
        self.count += 1;
        self.sum += u128::from(latency);
        let bin = bin_of(latency);
        match self.bins.get_mut(bin) {
            Some(count) => *count += 1,
            None => self.grow(bin),
        }
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self, bin: usize) {
        // The bins grow by whole octaves, so that a run grows them only a few times.
        self.bins.resize((bin / HALF as usize + 1) * HALF as usize, 0);
        self.bins[bin] += 1;
    }

    /// Adds the counts of `other`.
    pub fn add(&mut self, other: &Self) {
        self.count += other.count;
        self.sum += other.sum;
        if self.bins.len() < other.bins.len() {
            self.bins.resize(other.bins.len(), 0);
        }
        for (count, more) in self.bins.iter_mut().zip(&other.bins) {
            *count += more;
        }
    }

    /// The latencies since an `earlier` state of the same distribution.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Self {
        let mut bins = self.bins.clone();
        bins.iter_mut().zip(&earlier.bins).for_each(|(count, before)| *count -= before);
        Self { bins, count: self.count - earlier.count, sum: self.sum - earlier.sum }
    }

    /// The latencies with weights: each counts `share.0 / share.1` times, rounded by bin. The mean
    /// stays.
    #[must_use]
    pub fn weighted(&self, share: (u128, u128)) -> Self {
        let bins: Vec<u64> = self.bins.iter().map(|count| scaled(*count, share)).collect();
        let count = bins.iter().sum::<u64>();
        let sum = self.sum * u128::from(count) / u128::from(self.count.max(1));
        Self { bins, count, sum }
    }

    /// Number of latencies.
    #[must_use]
    pub const fn count(&self) -> u64 {
        self.count
    }

    /// Sum of the latencies, in ps.
    #[must_use]
    pub const fn sum(&self) -> u128 {
        self.sum
    }

    /// The exact mean latency in ps; `None` if there is none.
    #[must_use]
    pub fn mean(&self) -> Option<f64> {
        (self.count > 0).then(|| self.sum as f64 / self.count as f64)
    }

    /// The latency in ps that a share `quantile` of all latencies does not exceed, to three digits.
    /// `None` if there is none.
    #[must_use]
    pub fn quantile(&self, quantile: f64) -> Option<Time> {
        (self.count > 0).then(|| self.histogram().value_at_quantile(quantile))
    }

    /// The latencies as an HDR histogram, in ps with three significant digits.
    #[must_use]
    pub fn histogram(&self) -> Histogram<u64> {
        let most = top_of(self.bins.len().max(2));
        let Ok(mut histogram) = Histogram::new_with_bounds(1, most, 3) else {
            unreachable!("legal bounds")
        };
        for (bin, &count) in self.bins.iter().enumerate().filter(|(_, count)| **count > 0) {
            histogram.saturating_record_n(top_of(bin), count);
        }
        histogram
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn latencies_are_summarised() {
        let mut statistics = LatencyStatistics::new();
        assert_eq!((statistics.mean(), statistics.quantile(0.5)), (None, None));
        for latency in 1..=1_000 {
            statistics.record(latency * 1_000);
        }
        assert_eq!((statistics.count(), statistics.mean()), (1_000, Some(500_500.0)));
        let p99 = statistics.quantile(0.99).unwrap();
        assert!(p99.abs_diff(990_000) <= 1_000, "{p99}");
        statistics.record(3_000_000_000_000);
        assert!(statistics.quantile(1.0).unwrap() >= 3_000_000_000_000);
        let mut sum = LatencyStatistics::default();
        sum.record(7);
        sum.add(&statistics);
        assert_eq!(
            (sum.count(), sum.quantile(0.0), sum.quantile(1.0)),
            (1_002, Some(7), statistics.quantile(1.0))
        );
    }

    #[test]
    fn weighted_latencies_keep_mean_and_quantiles() {
        let mut statistics = LatencyStatistics::new();
        (1..=100).for_each(|latency| statistics.record(latency * 1_000));
        let earlier = statistics.clone();
        (1..=100).for_each(|latency| (0..3).for_each(|_| statistics.record(latency * 2_000)));
        let since = statistics.since(&earlier);
        assert_eq!((since.count(), since.mean()), (300, Some(101_000.0)));
        let weighted = since.weighted((5, 2));
        // A bin of three is rounded to eight.
        assert_eq!((weighted.count(), weighted.mean()), (800, Some(101_000.0)));
        assert_eq!(weighted.quantile(0.99), since.quantile(0.99));
    }

    #[test]
    fn bins_are_those_of_three_digits() {
        for latency in (0..10_000)
            .chain((4..44).flat_map(|e| (0..50).map(move |k| (1 << e) + k * (1 << e) / 50)))
        {
            let bin = bin_of(latency);
            assert!(
                latency <= top_of(bin) && top_of(bin) - latency <= latency / 1_024,
                "{latency}"
            );
            assert!(bin == 0 || top_of(bin - 1) < latency, "{latency}");
        }
        let mut last = 0;
        for latency in 0..100_000 {
            let bin = bin_of(latency);
            assert!(bin == last || bin == last + 1, "{latency}");
            last = bin;
        }
    }
}

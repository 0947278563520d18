//! What is written down: messages, iterations, ranks, and the distribution of message latency.

use hdrhistogram::Histogram;
use pantala_engine::Time;

use crate::message::Protocol;

/// A message whose payload has arrived. Messages of a rank to itself are not recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MessageRecord {
    /// When the send was called.
    pub posted: Time,
    /// When the last byte of the payload arrived.
    pub delivered: Time,
    /// Payload bytes.
    pub bytes: u64,
    /// The sending rank of the job.
    pub source: u32,
    /// The receiving rank of the job.
    pub destination: u32,
    /// The tag; negative for messages of collectives (see [`crate::collectives::CollectiveKind::tag`]).
    pub tag: i32,
    /// The job, as numbered in the plan.
    pub job: u16,
    /// How the payload travelled.
    pub protocol: Protocol,
}

/// One iteration of one rank, between its marks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IterationRecord {
    /// When it started.
    pub start: Time,
    /// When it ended.
    pub end: Time,
    /// Time spent blocked in MPI calls during it.
    pub communication: Time,
    /// The rank of the job.
    pub rank: u32,
    /// Its number, from zero.
    pub iteration: u32,
    /// The job, as numbered in the plan.
    pub job: u16,
}

/// Kinds of calls by which communication time is told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallKind {
    /// Blocking sends.
    Send,
    /// Blocking receives; a sendrecv counts here.
    Recv,
    /// Waits for requests.
    Wait,
    /// Collectives.
    Collective,
}

/// The account of one rank: times in picoseconds, payload bytes; control messages and messages to itself are not
/// counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Account {
    /// Time in compute operations.
    pub compute: Time,
    /// Time blocked in sends.
    pub send: Time,
    /// Time blocked in receives.
    pub recv: Time,
    /// Time blocked in waits.
    pub wait: Time,
    /// Time blocked in collectives.
    pub collective: Time,
    /// Messages sent, those inside collectives included, counted when posted.
    pub messages_sent: u64,
    /// Their payload.
    pub bytes_sent: u64,
    /// Messages whose payload has arrived.
    pub messages_received: u64,
    /// Their payload.
    pub bytes_received: u64,
}

impl Account {
    /// Time blocked in MPI calls of any kind.
    #[must_use]
    pub const fn communication(&self) -> Time {
        self.send + self.recv + self.wait + self.collective
    }

    pub(crate) const fn blocked(&mut self, kind: CallKind, time: Time) {
        match kind {
            CallKind::Send => self.send += time,
            CallKind::Recv => self.recv += time,
            CallKind::Wait => self.wait += time,
            CallKind::Collective => self.collective += time,
        }
    }
}

/// What there is to say of one rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RankReport {
    /// The job, as numbered in the plan.
    pub job: u16,
    /// The rank of the job.
    pub rank: u32,
    /// The node it runs on.
    pub node: u32,
    /// When its program started; `None` if it has not.
    pub start: Option<Time>,
    /// When its program ended; `None` if it has not.
    pub end: Option<Time>,
    /// Its account up to now: a phase that still lasts is counted up to the time of the report.
    pub account: Account,
}

/// A distribution of latencies in ps: exact count and mean, quantiles to three significant digits.
///
/// A job's messages have one, from the send call to the arrival of the payload's last byte; packets can be counted
/// likewise.
#[derive(Clone, Debug)]
pub struct LatencyStatistics {
    histogram: Histogram<u64>,
    count: u64,
    sum: u128,
}

impl Default for LatencyStatistics {
    fn default() -> Self {
        Self::new()
    }
}

impl LatencyStatistics {
    /// The histogram's upper bound before it grows: one second.
    const BOUND: Time = 1_000_000_000_000;

    /// Nothing so far.
    #[must_use]
    pub fn new() -> Self {
        let histogram = Histogram::new_with_bounds(1, Self::BOUND, 3).map_or_else(
            |_| unreachable!("constant bounds are legal"),
            |mut histogram: Histogram<u64>| {
                histogram.auto(true);
                histogram
            },
        );
        Self { histogram, count: 0, sum: 0 }
    }

    /// Counts one latency, ps.
    #[inline]
    pub fn record(&mut self, latency: Time) {
        self.count += 1;
        self.sum += u128::from(latency);
        if self.histogram.record(latency).is_err() {
            self.histogram.saturating_record(latency);
        }
    }

    /// Counts all that `other` has counted.
    pub fn add(&mut self, other: &Self) {
        self.count += other.count;
        self.sum += other.sum;
        if self.histogram.add(&other.histogram).is_err() {
            for value in other.histogram.iter_recorded() {
                self.histogram.saturating_record_n(value.value_iterated_to(), value.count_at_value());
            }
        }
    }

    /// How many latencies.
    #[must_use]
    pub const fn count(&self) -> u64 {
        self.count
    }

    /// The exact mean latency in ps; `None` if there is none.
    #[must_use]
    pub fn mean(&self) -> Option<f64> {
        (self.count > 0).then(|| self.sum as f64 / self.count as f64)
    }

    /// The latency in ps that a share `quantile` of them does not exceed, to three digits; `None` without
    /// messages.
    #[must_use]
    pub fn quantile(&self, quantile: f64) -> Option<Time> {
        (self.count > 0).then(|| self.histogram.value_at_quantile(quantile))
    }

    /// The histogram itself, in ps with three significant digits.
    #[must_use]
    pub const fn histogram(&self) -> &Histogram<u64> {
        &self.histogram
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
        statistics.record(3 * LatencyStatistics::BOUND);
        assert!(statistics.quantile(1.0).unwrap() >= 3 * LatencyStatistics::BOUND);
        let mut sum = LatencyStatistics::default();
        sum.record(7);
        sum.add(&statistics);
        assert_eq!((sum.count(), sum.quantile(0.0), sum.quantile(1.0)), (1_002, Some(7), statistics.quantile(1.0)));
    }
}

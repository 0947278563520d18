//! The table `latency_windows`: its columns and how a run fills them.

use super::streamed::Streamed;
use crate::output::columns::{ns, table};
use crate::output::latency_record::{LatencyKind, LatencyWindow};
use pantala_engine::Time;

/// The percentiles of the table, in ten-thousandths.
const PERCENTILES: [u16; 9] = [500, 2_500, 5_000, 7_500, 9_000, 9_500, 9_900, 9_990, 9_999];

table! {
    /// One row per job, kind of latency and time window in which such a latency of the job ended.
    /// The length of a window is `record.latency_windows_ps` of the plan. The percentiles of up to
    /// 4,096 latencies are exact. Those of more come from an HDR histogram with three significant
    /// digits: they are between the exact value and 0.1 % above it. A percentile is the least
    /// latency that this share of the latencies does not exceed. Number, mean and maximum are
    /// always exact. Rows are ordered by window, job and kind.
    pub(crate) latency_windows: LatencyWindowRow if "record.latency_windows" {
        /// Number of the job in the plan, from 0.
        job: u16,
        /// `packet`, `message` or `request_response`. The sums of `count` are `packets` and
        /// `responses` of the jobs table, and the number of messages.
        kind: &'static str,
        /// Start of the window in which the latencies ended.
        window_start_ns: f64 [ns],
        /// Number of latencies.
        count: u64,
        /// Whether the percentiles are exact.
        exact: bool,
        /// Mean.
        mean_ns: f64 [ns],
        /// 5th percentile.
        p5_ns: f64 [ns],
        /// 25th percentile.
        p25_ns: f64 [ns],
        /// Median.
        p50_ns: f64 [ns],
        /// 75th percentile.
        p75_ns: f64 [ns],
        /// 90th percentile.
        p90_ns: f64 [ns],
        /// 95th percentile.
        p95_ns: f64 [ns],
        /// 99th percentile.
        p99_ns: f64 [ns],
        /// 99.9th percentile.
        p99_9_ns: f64 [ns],
        /// 99.99th percentile.
        p99_99_ns: f64 [ns],
        /// Maximum.
        max_ns: f64 [ns],
    }
}

impl Streamed for LatencyWindow {
    type Row = LatencyWindowRow;
    type Key = (Time, u16, LatencyKind);

    /// A time in the window's last part.
    fn completed(&self) -> Time {
        self.start.saturating_add(self.length - 1)
    }

    fn key(&self) -> Self::Key {
        (self.start, self.job, self.kind)
    }

    /// Several partitions have latencies of one job.
    fn absorb(&mut self, other: &Self) -> bool {
        let same = self.key() == other.key();
        if same {
            self.sketch.merge(&other.sketch);
        }
        same
    }

    fn shift(&mut self, by: Time) {
        self.start += by;
    }

    fn into_row(self) -> LatencyWindowRow {
        let Some(summary) = self.sketch.summary(PERCENTILES) else {
            unreachable!("a window without a latency is left out")
        };
        let [p5, p25, p50, p75, p90, p95, p99, p99_9, p99_99] = summary.quantiles.map(ns);
        LatencyWindowRow {
            job: self.job,
            kind: self.kind.name(),
            window_start_ns: ns(self.start),
            count: summary.count,
            exact: summary.exact,
            mean_ns: summary.mean / 1_000.0,
            p5_ns: p5,
            p25_ns: p25,
            p50_ns: p50,
            p75_ns: p75,
            p90_ns: p90,
            p95_ns: p95,
            p99_ns: p99,
            p99_9_ns: p99_9,
            p99_99_ns: p99_99,
            max_ns: ns(summary.most),
        }
    }
}

//! The table `job_windows`: its columns and how a run fills them.

use super::source::Run;
use crate::output::columns::{ns, table};
use crate::output::recorder::JobWindow;

table! {
    /// One row per job and time window in which a packet of the job entered the network or arrived:
    /// the job's throughput over time. The length of a window is `record.window_ps` of the plan.
    pub(super) job_windows: JobWindowRow {
        /// Number of the job in the plan, from 0.
        job: u16,
        /// Start of the window.
        window_start_ns: f64 [ns],
        /// Duration of the window. The last window may be shorter.
        window_ns: f64 [ns],
        /// Bytes that entered the network, those of control messages included.
        injected_bytes: u64 [bytes],
        /// Bytes that reached their destination NIC, those of control messages included.
        delivered_bytes: u64 [bytes],
        /// Packets delivered.
        packets: u64,
        /// Mean latency of the packets delivered; null if there were none.
        latency_mean_ns: Option<f64> [ns],
    }
}

pub(super) fn rows(run: &Run<'_>) -> impl Iterator<Item = JobWindowRow> {
    let jobs = run.results.jobs.iter().enumerate();
    jobs.flat_map(move |(job, packets)| {
        packets.windows.iter().map(move |window| row(run, job as u16, window))
    })
}

fn row(run: &Run<'_>, job: u16, window: &JobWindow) -> JobWindowRow {
    let length = run.plan.record.window_ps;
    let start = window.number * length;
    let mean = || window.latency_sum as f64 / window.packets as f64 / 1_000.0;
    JobWindowRow {
        job,
        window_start_ns: ns(start),
        window_ns: ns((run.simulated.max(start + 1) - start).min(length)),
        injected_bytes: window.injected_bytes,
        delivered_bytes: window.delivered_bytes,
        packets: window.packets,
        latency_mean_ns: (window.packets > 0).then(mean),
    }
}

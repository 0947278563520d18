//! The table `q_learning`: its columns and how a run fills them.

use super::source::Run;
use crate::output::columns::{ns, table};
use pantala_routing::learning::{LearningSums, Via};

table! {
    /// One row per time window and kind of port for which feedback of q_adaptive arrived, over all
    /// routers. The columns that end in `_mean_ns` are durations: means over the feedback of the
    /// window.
    pub(super) q_learning: LearningRow if "record.q_learning" {
        /// Start of the window; its length is `record.window_ps` of the plan.
        window_start_ns: f64 [ns],
        /// Kind of port by which the packet left the router: `local` to another router of the
        /// group, `direct` to the destination's group, `detour` to any other group.
        via: &'static str,
        /// Number of estimates corrected by feedback.
        updates: u64,
        /// Measured value: the packet's time to the next router plus the best estimate of that
        /// router.
        feedback_mean_ns: f64 [ns],
        /// Estimate after the correction.
        estimate_mean_ns: f64 [ns],
        /// Absolute difference between the measured value and the estimate before the correction.
        error_mean_ns: f64 [ns],
    }
}

pub(super) fn rows(run: &Run<'_>) -> impl Iterator<Item = LearningRow> {
    let length = run.plan.record.window_ps;
    let windows = run.results.learning.iter();
    let sums = windows
        .flat_map(move |w| Via::ALL.map(|via| (w.number * length, via, w.via[via as usize])));
    sums.filter(|(_, _, sums)| sums.updates > 0).map(|(start, via, sums)| row(start, via, &sums))
}

fn row(start: u64, via: Via, sums: &LearningSums) -> LearningRow {
    let mean = |sum: u64| sum as f64 / sums.updates as f64 / 1_000.0;
    LearningRow {
        window_start_ns: ns(start),
        via: via.name(),
        updates: sums.updates,
        feedback_mean_ns: mean(sums.feedback),
        estimate_mean_ns: mean(sums.estimate),
        error_mean_ns: mean(sums.error),
    }
}

//! The table `epochs`: its columns and how a run fills them.

use super::source::Run;
use crate::output::columns::{ns, table};
use crate::output::epoch_record::EpochRow as Epoch;

table! {
    /// One row per job and stretch of a run with `skip`: a time in which the set of running jobs and
    /// the loop that each is in do not change, simulated or skipped. Rows of other tables with times
    /// (windows, packets, messages, iterations, calls, blame) are of simulated time only. Totals
    /// (jobs, ranks, links, calls, rank_messages) include skipped time at the rates of the sample
    /// before it.
    pub(super) epochs: EpochRow if "skip" {
        /// Number of the stretch, from 0.
        epoch: u32,
        /// Start of the stretch.
        start_ns: f64 [ns],
        /// End of the stretch.
        end_ns: f64 [ns],
        /// Whether the time was skipped.
        skipped: bool,
        /// Number of the job in the plan, from 0.
        job: u16,
        /// What the job did: `repeats` iterations of a loop, sends as a `pattern`, runs without
        /// equal iterations (`other`), `waits` for its start, or is `over`.
        state: String,
        /// Iterations that all ranks completed in the stretch, or that were skipped; null if the
        /// job does not repeat.
        iterations: Option<u64>,
        /// Mean duration of an iteration; of skipped time, in the sample that it relies on.
        iteration_mean_ns: Option<f64> [ns],
        /// Standard error of the mean.
        iteration_error_ns: Option<f64> [ns],
        /// Relative difference of the mean duration of iterations after skipped time to that before
        /// it.
        change: Option<f64>,
    }
}

pub(super) fn rows(run: &Run<'_>) -> impl Iterator<Item = EpochRow> {
    run.results.epochs.iter().map(|epoch: &Epoch| EpochRow {
        epoch: epoch.number,
        start_ns: ns(epoch.start),
        end_ns: ns(epoch.end),
        skipped: epoch.skipped,
        job: epoch.job,
        state: epoch.state.clone(),
        iterations: epoch.iterations,
        iteration_mean_ns: epoch.mean.map(|mean| mean / 1_000.0),
        iteration_error_ns: epoch.error.map(|error| error / 1_000.0),
        change: epoch.change,
    })
}

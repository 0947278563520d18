//! The table `call_windows`: its columns and how a run fills them.

use super::source::Run;
use crate::output::columns::{ns, table};

table! {
    /// One row per time window, job and MPI call in which ranks of the job were blocked in that
    /// window. Over windows, the times of a call sum to its `time_ns` in the calls table, unless the
    /// run skipped time, which has no windows. The length of a window is `record.call_windows_ps` of the plan. Rows are ordered by window, job and
    /// call.
    pub(super) call_windows: CallWindowRow if "record.call_windows" {
        /// Start of the window.
        window_start_ns: f64 [ns],
        /// Number of the job in the plan, from 0.
        job: u16,
        /// The call: `isend`, `waitall`, `allreduce` and so on.
        call: String,
        /// Time that the job's ranks were blocked in the call inside the window, summed over ranks.
        time_ns: f64 [ns],
    }
}

pub(super) fn rows(run: &Run<'_>) -> impl Iterator<Item = CallWindowRow> {
    let length = run.plan.record.call_windows_ps;
    run.results.call_windows.iter().map(move |window| CallWindowRow {
        window_start_ns: ns(window.window * length),
        job: window.job,
        call: window.call.clone(),
        time_ns: ns(window.time),
    })
}

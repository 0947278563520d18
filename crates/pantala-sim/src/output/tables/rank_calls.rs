//! The table `rank_calls`: its columns and how a run fills them.

use super::source::Run;
use crate::output::columns::{ns, table};
use pantala_mpi::CallReport;

table! {
    /// One row per rank and MPI call. The rows of a job and call sum to their row of the calls
    /// table.
    pub(super) rank_calls: RankCallRow if "record.rank_calls" {
        /// Number of the job in the plan, from 0.
        job: u16,
        /// Rank within the job, from 0.
        rank: u32,
        /// The call: `isend`, `waitall`, `allreduce` and so on.
        call: String,
        /// Number of calls.
        calls: u64,
        /// Payload in the arguments of the calls, as in the calls table.
        bytes: u64 [bytes],
        /// Duration inside the calls. A call that is not over counts until the end of the run.
        time_ns: f64 [ns],
    }
}

pub(super) fn rows(run: &Run<'_>) -> impl Iterator<Item = RankCallRow> {
    let recorded = run.plan.record.rank_calls;
    let calls = if recorded { run.results.calls.clone() } else { Vec::new() };
    CallReport::summed(calls).into_iter().filter_map(|report| {
        Some(RankCallRow {
            job: report.job,
            rank: report.rank?,
            call: report.call,
            calls: report.calls,
            bytes: report.bytes,
            time_ns: ns(report.time),
        })
    })
}

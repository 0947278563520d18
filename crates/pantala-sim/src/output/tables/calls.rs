//! The table `calls`: its columns and how a run fills them.

use super::source::Run;
use crate::output::columns::{ns, table};
use pantala_mpi::CallReport;

table! {
    /// One row per job and MPI call, summed over all ranks of the job, as a profiler between the
    /// program and MPI reports them (AutoPerf in Chunduri et al., IPDPS 2021, III.B). `init` and
    /// `finalize` have rows if they take time; their time is no communication time.
    pub(super) calls: CallRow {
        /// Number of the job in the plan, from 0.
        job: u16,
        /// The call: `isend`, `waitall`, `allreduce` and so on.
        call: String,
        /// Number of calls.
        calls: u64,
        /// Payload in the arguments of the calls: the data of a send or collective, the buffer of a
        /// receive; 0 for waits.
        bytes: u64 [bytes],
        /// Duration inside the calls, summed over ranks.
        time_ns: f64 [ns],
    }
}

pub(super) fn rows(run: &Run<'_>) -> impl Iterator<Item = CallRow> {
    let of_job = |report: &CallReport| CallReport { rank: None, ..report.clone() };
    let reports = CallReport::summed(run.results.calls.iter().map(of_job).collect());
    reports.into_iter().map(|report| CallRow {
        job: report.job,
        call: report.call,
        calls: report.calls,
        bytes: report.bytes,
        time_ns: ns(report.time),
    })
}

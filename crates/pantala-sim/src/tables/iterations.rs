//! The table `iterations`: its columns and how a run fills them.

use super::Run;
use crate::columns::{Table, ns, table};

table! {
    /// One row per rank and iteration of its program.
    pub(super) iterations: IterationRow if "record.iterations" {
        /// Number of the job in the plan, from 0.
        job: u16,
        /// Rank within the job, from 0.
        rank: u32,
        /// Number of the iteration, from 0.
        iteration: u32,
        /// Start of the iteration on this rank.
        start_ns: f64 [ns],
        /// End of the iteration on this rank.
        end_ns: f64 [ns],
        /// Duration inside MPI calls in this iteration.
        communication_time_ns: f64 [ns],
    }
}

pub(super) fn table(run: &Run<'_>) -> Table {
    let mut records = run.results.iterations.clone();
    records.sort_unstable_by_key(|record| (record.job, record.iteration, record.rank));
    Table::of(records.into_iter().map(|record| IterationRow {
        job: record.job,
        rank: record.rank,
        iteration: record.iteration,
        start_ns: ns(record.start),
        end_ns: ns(record.end),
        communication_time_ns: ns(record.communication),
    }))
}

//! The table `iterations`: its columns and how a run fills them.

use super::streamed::Streamed;
use crate::output::columns::{ns, table};
use pantala_engine::Time;
use pantala_mpi::IterationRecord;

table! {
    /// One row per rank and iteration of its program that ended. Rows are ordered by the window of
    /// `end_ns` (of length `record.window_ps`), and in a window by `job`, `iteration` and `rank`.
    pub(crate) iterations: IterationRow if "record.iterations" {
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

impl Streamed for IterationRecord {
    type Row = IterationRow;
    type Key = (u16, u32, u32);

    fn completed(&self) -> Time {
        self.end
    }

    fn key(&self) -> Self::Key {
        (self.job, self.iteration, self.rank)
    }

    fn into_row(self) -> IterationRow {
        IterationRow {
            job: self.job,
            rank: self.rank,
            iteration: self.iteration,
            start_ns: ns(self.start),
            end_ns: ns(self.end),
            communication_time_ns: ns(self.communication),
        }
    }
}

//! The table `iterations`: its columns and how a run fills them.

use super::streamed::Streamed;
use crate::output::columns::{ns, table};
use pantala_engine::Time;
use pantala_mpi::{IterationMark, IterationRecord, PhaseName};

table! {
    /// One row per rank and iteration of its program that ended. Motifs that report by phase have
    /// one row per phase of an iteration. Rows are ordered by the window of `end_ns` (of length
    /// `record.window_ps`), and in a window by `job`, `motif`, `iteration`, `rank`,
    /// `start_ns`, `end_ns` and `phase`.
    pub(crate) iterations: IterationRow if "record.iterations" {
        /// Number of the job in the plan, from 0.
        job: u16,
        /// Rank within the job, from 0.
        rank: u32,
        /// Number of the motif in the job's sequence of motifs, from 0.
        motif: u16,
        /// Number of the iteration of the motif, from 0.
        iteration: u32,
        /// Name of the phase of the iteration; null if the motif does not report by phase.
        phase: Option<String>,
        /// Start of the iteration on this rank.
        start_ns: f64 [ns],
        /// End of the iteration on this rank.
        end_ns: f64 [ns],
        /// Duration inside MPI calls in this iteration: its duration without the compute phases.
        communication_time_ns: f64 [ns],
        /// Duration of computing in this iteration; null without `record.rank_calls`.
        compute_time_ns: Option<f64> [ns] = "record.rank_calls",
    }
}

impl Streamed for IterationRecord {
    type Row = IterationRow;
    type Key = (u16, u16, u32, u32, Time, Time, Option<PhaseName>);

    fn completed(&self) -> Time {
        self.end
    }

    fn key(&self) -> Self::Key {
        let IterationMark { motif, iteration, phase } = self.mark;
        (self.job, motif, iteration, self.rank, self.start, self.end, phase)
    }

    fn shift(&mut self, by: Time) {
        self.start += by;
        self.end += by;
    }

    fn into_row(self) -> IterationRow {
        IterationRow {
            job: self.job,
            rank: self.rank,
            motif: self.mark.motif,
            iteration: self.mark.iteration,
            phase: self.mark.phase.map(|phase| phase.as_str().to_owned()),
            start_ns: ns(self.start),
            end_ns: ns(self.end),
            communication_time_ns: ns(self.communication),
            compute_time_ns: self.computation.map(ns),
        }
    }
}

//! The table `call_events`: its columns and how a run fills them.

use super::streamed::Streamed;
use crate::output::columns::{ns, table};
use pantala_engine::Time;
use pantala_mpi::CallRecord;

table! {
    /// One row per MPI call that ended, of the ranks that `record.call_events` chooses. Rows are
    /// ordered by the window of `end_ns` (of length `record.window_ps`), and in a window by `job`,
    /// `rank` and `number`.
    pub(crate) call_events: CallEventRow if "record.call_events" {
        /// Number of the job in the plan, from 0.
        job: u16,
        /// Rank within the job, from 0.
        rank: u32,
        /// Place of the call among the calls of the rank, from 0.
        number: u64,
        /// The call: `isend`, `waitall`, `allreduce` and so on.
        call: String,
        /// Time at which the rank entered the call.
        start_ns: f64 [ns],
        /// Time at which the rank left the call.
        end_ns: f64 [ns],
        /// Time blocked in the call: its duration, without computations beside the rank that
        /// ran meanwhile. The calls of a rank sum to `time_ns` of rank_calls.
        time_ns: f64 [ns],
        /// Payload in the arguments of the call, as in the calls table.
        bytes: u64 [bytes],
    }
}

impl Streamed for CallRecord {
    type Row = CallEventRow;
    type Key = (u16, u32, u64);

    fn completed(&self) -> Time {
        self.end
    }

    fn key(&self) -> Self::Key {
        (self.job, self.rank, self.number)
    }

    fn shift(&mut self, by: Time) {
        self.start += by;
        self.end += by;
    }

    fn into_row(self) -> CallEventRow {
        let Self { job, rank, number, call, start, end, time, bytes } = self;
        CallEventRow {
            job,
            rank,
            number,
            call,
            start_ns: ns(start),
            end_ns: ns(end),
            time_ns: ns(time),
            bytes,
        }
    }
}

//! The record of single MPI calls: when a rank enters and leaves each.

use pantala_engine::Time;

use crate::accounting::call_events::{CallRecord, RankCalls};
use crate::accounting::call_profile::payload;
use crate::layer::MpiLayer;
use crate::program::operation::{Op, OperationStream};
use crate::rank::Rank;

impl<P: OperationStream> MpiLayer<P> {
    /// Records every call of the ranks that `chosen` accepts: the job's number in the plan, and the
    /// rank. Call it when all jobs are added, before they start.
    pub fn record_calls(&mut self, chosen: impl Fn(u16, u32) -> bool) {
        let calls = |rank: &Rank<P>| RankCalls {
            chosen: chosen(self.jobs.list[rank.job as usize].id, rank.number),
            ..RankCalls::default()
        };
        self.records.rank_calls = self.ranks.iter().map(calls).collect();
    }

    /// Moves the records of calls so far to the end of `into`.
    pub fn take_calls(&mut self, into: &mut Vec<CallRecord>) {
        into.append(&mut self.records.call_records);
    }

    /// Notes that a rank enters a call, unless it has entered it already.
    pub(crate) fn open_call(&mut self, r: usize, op: &Op, now: Time) {
        let rank = &self.ranks[r];
        if op.is_call() && self.records.rank_calls[r].chosen {
            let members = |id| rank.communicator(id).map_or((0, 0), |c| (c.me(), c.size()));
            let bytes = payload(op, members);
            self.records.open_call(r, rank, (op.name(), bytes), now);
        }
    }

    /// Records the call that the rank has left, if it has executed one.
    pub(crate) fn close_call(&mut self, r: usize, now: Time) {
        if self.hosts.calls.get(r).is_some_and(|call| call.entered.is_some()) {
            return;
        }
        let rank = &self.ranks[r];
        self.records.close_call(r, self.jobs.list[rank.job as usize].id, rank, now);
    }
}

//! The record of single MPI calls: when a rank enters and leaves each.

use pantala_engine::Time;

use crate::accounting::call_events::{CallRecord, OpenCall, RankCalls};
use crate::accounting::call_profile::payload;
use crate::layer::MpiLayer;
use crate::program::operation::{Op, Program};
use crate::rank::Rank;

impl<P: Program> MpiLayer<P> {
    /// Records every call of the ranks that `chosen` accepts: the job's number in the plan, and the
    /// rank. Call it when all jobs are added, before they start.
    pub fn record_calls(&mut self, chosen: impl Fn(u16, u32) -> bool) {
        let calls = |rank: &Rank<P>| RankCalls {
            chosen: chosen(self.jobs[rank.job as usize].id, rank.number),
            ..RankCalls::default()
        };
        self.rank_calls = self.ranks.iter().map(calls).collect();
    }

    /// Moves the records of calls so far to the end of `into`.
    pub fn take_calls(&mut self, into: &mut Vec<CallRecord>) {
        into.append(&mut self.call_records);
    }

    /// Notes that a rank enters a call, unless it has entered it already.
    pub(crate) fn open_call(&mut self, r: usize, op: &Op, now: Time) {
        let rank = &self.ranks[r];
        if op.is_call() && self.rank_calls[r].chosen {
            let members = |id| rank.communicator(id).map_or((0, 0), |c| (c.me(), c.size()));
            self.open_named_call(r, op.name(), payload(op, members), now);
        }
    }

    /// Notes that a rank enters the call of this name, unless it is in a call already.
    pub(crate) fn open_named_call(&mut self, r: usize, call: &'static str, bytes: u64, now: Time) {
        let calls = &mut self.rank_calls[r];
        if !calls.chosen || calls.open.is_some() {
            return;
        }
        let before = self.ranks[r].account.in_calls();
        calls.open = Some(OpenCall { call, start: now, bytes, before });
        calls.entered += 1;
    }

    /// Records the call that the rank has left, if it has executed one.
    pub(crate) fn close_call(&mut self, r: usize, now: Time) {
        if self.calls.get(r).is_some_and(|call| call.entered.is_some()) {
            return;
        }
        let (calls, rank) = (&mut self.rank_calls[r], &self.ranks[r]);
        let Some(open) = calls.open.take() else { return };
        self.call_records.push(CallRecord {
            job: self.jobs[rank.job as usize].id,
            rank: rank.number,
            number: calls.entered - 1,
            call: open.call.to_owned(),
            start: open.start,
            end: now,
            time: rank.account.in_calls() - open.before,
            bytes: open.bytes,
        });
    }
}

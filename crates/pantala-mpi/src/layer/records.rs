//! [`Records`]: what a layer counts and records, for reports and tables.

use pantala_engine::Time;

use crate::accounting::call_events::{CallRecord, OpenCall, RankCalls};
use crate::accounting::call_profile::Profile;
use crate::accounting::call_windows::CallWindows;
use crate::accounting::progress_estimate::ProgressEstimate;
use crate::accounting::records::{IterationRecord, IterationStart, MessageRecord};
use crate::program::error::RankError;
use crate::rank::Rank;

/// The counts and records of a layer.
#[derive(Clone, Debug)]
pub(crate) struct Records {
    /// The calls by job, or by rank if the calls of each rank are recorded.
    pub(crate) profiles: Vec<Profile>,
    /// By rank: the record of its calls. Empty if no call is recorded.
    pub(crate) rank_calls: Vec<RankCalls>,
    pub(crate) call_records: Vec<CallRecord>,
    pub(crate) call_windows: CallWindows,
    pub(crate) message_records: Vec<MessageRecord>,
    pub(crate) iteration_records: Vec<IterationRecord>,
    pub(crate) iteration_starts: Vec<IterationStart>,
    /// The errors of programs, in the order in which they were found.
    pub(crate) errors: Vec<RankError>,
    pub(crate) progress_estimate: ProgressEstimate,
    /// Number of ranks that have ended or failed.
    pub(crate) ended: u32,
}

impl Records {
    /// `call_window`: the length of the windows of the time in calls; zero for none.
    pub(crate) fn new(call_window: Time) -> Self {
        Self {
            profiles: Vec::new(),
            rank_calls: Vec::new(),
            call_records: Vec::new(),
            call_windows: CallWindows::new(call_window),
            message_records: Vec::new(),
            iteration_records: Vec::new(),
            iteration_starts: Vec::new(),
            errors: Vec::new(),
            progress_estimate: ProgressEstimate::new(),
            ended: 0,
        }
    }

    /// Accounts for a call that was blocked until `now`.
    pub(crate) fn blocked<P>(&mut self, rank: &mut Rank<P>, now: Time) {
        let computing = rank.computing_until.min(now).saturating_sub(rank.since);
        let time = now - rank.since - computing;
        rank.totals.compute += computing;
        rank.totals.blocked(rank.call, time);
        self.profiles[rank.profile as usize].took(rank.operation, time);
        self.call_windows.took(rank.job, rank.operation, now - time, now);
    }

    /// Notes that a rank enters the call of this name, with its bytes, unless it is in a call
    /// already.
    pub(crate) fn open_call<P>(
        &mut self,
        r: usize,
        rank: &Rank<P>,
        (call, bytes): (&'static str, u64),
        now: Time,
    ) {
        let calls = &mut self.rank_calls[r];
        if !calls.chosen || calls.open.is_some() {
            return;
        }
        let before = rank.totals.in_calls();
        calls.open = Some(OpenCall { call, start: now, bytes, before });
        calls.entered += 1;
    }

    /// Records the call that a rank has left, if it has executed one. `job` is the number of its
    /// job in the plan.
    pub(crate) fn close_call<P>(&mut self, r: usize, job: u16, rank: &Rank<P>, now: Time) {
        let calls = &mut self.rank_calls[r];
        let Some(open) = calls.open.take() else { return };
        self.call_records.push(CallRecord {
            job,
            rank: rank.number,
            number: calls.entered - 1,
            call: open.call.to_owned(),
            start: open.start,
            end: now,
            time: rank.totals.in_calls() - open.before,
            bytes: open.bytes,
        });
    }
}

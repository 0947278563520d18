//! The cause of an output's time: the packet on the link, the flits beyond it without credits, or
//! the last packet that crossed.

use super::BlameWatch;
use super::output::{Hold, MIXED};
use super::sums::NO_JOB;
use pantala_engine::{NEVER, Time};

impl BlameWatch {
    /// Drops the packets on a link that are over, except the last.
    #[inline]
    pub(super) fn drop_holds(&mut self, out: usize) {
        let output = &mut self.outputs[out];
        if output.more && output.end <= output.charged {
            let later = &mut self.queues[out].later;
            while output.end <= output.charged {
                let Some(Hold { start, end, job }) = later.pop_front() else { break };
                (output.start, output.end, output.holder) = (start, end, job);
            }
            output.more = !later.is_empty();
        }
    }

    /// A packet of `room` flits is the next one that its link starts on `out_vc`.
    #[inline]
    pub(crate) fn goes_next(&mut self, out_vc: usize, job: u16, room: u32) {
        if self.jobs > 1 {
            self.sent.add(out_vc, job, room);
        }
    }

    /// A packet is on the link of an output from `start` to `end`. It has crossed or started at
    /// `now`, so the interval before now has ended.
    #[inline]
    pub(crate) fn sends(&mut self, out: usize, job: u16, (start, end): (Time, Time), now: Time) {
        debug_assert_eq!(self.outputs[out].charged, now, "crosses or starts come first");
        if self.jobs == 1 {
            return;
        }
        let output = &mut self.outputs[out];
        output.may_end(job, start);
        if output.more || !output.holds(Hold { start, end, job }, now) {
            self.sends_later(out, Hold { start, end, job }, now);
        }
    }

    /// As [`sends`](Self::sends), if other packets may be on the link before this one.
    #[inline(never)]
    fn sends_later(&mut self, out: usize, hold: Hold, now: Time) {
        self.drop_holds(out);
        let output = &mut self.outputs[out];
        if !output.more && output.holds(hold, now) {
            return;
        }
        output.more = true;
        let later = &mut self.queues[out].later;
        match later.back_mut() {
            Some(last) if last.job == hold.job && last.end == hold.start => last.end = hold.end,
            _ => later.push_back(hold),
        }
    }

    /// A stall begins at `since`, which is now or later. `flits` beyond the link of `out_vc` have no
    /// credit.
    pub(crate) fn stalls(&mut self, (out, out_vc): (usize, usize), flits: u32, since: Time) {
        let output = &mut self.outputs[out];
        output.stalled = since;
        if self.jobs == 1 {
            return;
        }
        if let Some(job) = self.sent.only(out_vc, flits) {
            output.shares = job;
            output.may_end(job, since);
            return;
        }
        if output.cause == MIXED {
            // The last stall ended at the last event, and its time has the shares of then.
            self.charge(out);
        }
        let shares = self.shares.run_mut(out * self.jobs, self.jobs);
        shares.fill(0);
        let (mut sum, mut jobs) = (0, NO_JOB);
        self.sent.last(out_vc, flits, |job, flits| {
            shares[usize::from(job)] += flits;
            sum += flits;
            jobs = if jobs == NO_JOB || jobs == job { job } else { MIXED };
        });
        self.queues[out].stalled_flits = sum;
        let output = &mut self.outputs[out];
        output.shares = jobs;
        if jobs != NO_JOB {
            output.may_end(jobs, since);
        }
    }

    /// Returns whether a stall lasts.
    pub(crate) fn is_stalled(&self, out: usize) -> bool {
        self.outputs[out].stalled != NEVER
    }

    /// The stall ends.
    pub(crate) fn stall_ends(&mut self, out: usize, now: Time) {
        self.advance(out, now);
        let output = &mut self.outputs[out];
        if output.stalled != NEVER {
            (output.stalled, output.shares) = (NEVER, NO_JOB);
            output.may_end(output.last, now);
        }
    }

    /// A packet of a job crosses to an output.
    #[inline(always)]
    pub(super) fn crosses_to(&mut self, out: usize, job: u16, now: Time) {
        let output = &mut self.outputs[out];
        if output.last != job {
            output.last = job;
            let held = output.start <= now && now < output.end;
            output.may_end(job, if held { output.end } else { now });
        }
    }
}

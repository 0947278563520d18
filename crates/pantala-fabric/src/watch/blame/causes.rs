//! The cause of an output's time: the packet on the link, the flits beyond it without credits, or
//! the last packet that crossed.

use super::BlameWatch;
use super::sums::NO_JOB;
use pantala_engine::{NEVER, Time};
use std::collections::VecDeque;

/// A cause: several jobs share it.
pub(super) const MIXED: u16 = NO_JOB - 1;

/// A job's packets on a link, without a gap from the first to the last.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hold {
    start: Time,
    end: Time,
    job: u16,
}

/// The blame of one output. It takes one cache line.
#[repr(align(64))]
#[derive(Clone, Copy, Debug)]
pub(super) struct OutputBlame {
    /// When the last interval ended.
    pub(super) charged: Time,
    /// The cause and the window are the same from `charged` up to this time.
    pub(super) steady: Time,
    /// The end of the window of the last interval.
    pub(super) window_end: Time,
    /// The packets on the link that are not over, or the last ones: see [`Hold`].
    start: Time,
    end: Time,
    /// The start of the current stall; [`NEVER`]: none.
    stalled: Time,
    holder: u16,
    /// The job of the last packet that crossed to the output.
    last: u16,
    /// The job of the flits beyond the link without credits when the current stall began;
    /// [`MIXED`]: several; [`NO_JOB`]: there are none.
    pub(super) shares: u16,
    /// The job that causes the time before `charged`, [`MIXED`], or [`NO_JOB`]: each job its own.
    pub(super) cause: u16,
    pub(super) class: u8,
    /// Whether there are packets on the link after `end`.
    more: bool,
    /// Whether waits are not charged yet.
    pub(super) waits: bool,
    /// Whether there may be planned changes.
    pub(super) planned: bool,
}

/// The parts of an output's cause that few events use.
#[derive(Clone, Debug, Default)]
pub(super) struct OutputQueues {
    /// The packets on the link after the first hold, in order. They have been sent ahead.
    later: VecDeque<Hold>,
    /// Sum of the output's `shares`.
    pub(super) stalled_flits: u32,
}

impl OutputBlame {
    /// Makes the record of an output. `only` is the job if there is only one.
    pub(super) fn new(class: u8, only: Option<u16>) -> Self {
        Self {
            charged: 0,
            steady: 0,
            window_end: 0,
            start: 0,
            end: 0,
            stalled: NEVER,
            holder: NO_JOB,
            last: NO_JOB,
            shares: NO_JOB,
            cause: only.unwrap_or(NO_JOB),
            class,
            more: false,
            waits: false,
            planned: false,
        }
    }

    /// Returns the cause from `charged` on, and a later time up to which it stays.
    #[inline]
    pub(super) fn cause(&self) -> (u16, Time) {
        // Whether nothing but the packet that crossed last is the cause after the link's packets.
        let simple = !self.more && self.stalled == NEVER && self.holder == self.last;
        if self.start <= self.charged && self.charged < self.end {
            return (self.holder, if simple { NEVER } else { self.end });
        }
        let next = if self.start > self.charged && !simple { self.start } else { NEVER };
        if self.stalled > self.charged {
            (self.last, next.min(self.stalled))
        } else {
            (if self.shares == NO_JOB { self.last } else { self.shares }, next)
        }
    }

    /// Notes that a job may be another cause from `time` on.
    #[inline]
    fn may_end(&mut self, job: u16, time: Time) {
        if job != self.cause {
            self.steady = self.steady.min(time);
        }
    }
}

impl BlameWatch {
    /// Drops the packets on a link that are over, except the last.
    #[inline]
    pub(super) fn drop_holds(&mut self, out: usize) {
        let output = &mut self.outputs[out];
        if output.more && output.end <= output.charged {
            let later = &mut self.queues[out].later;
            while output.end <= output.charged
                && let Some(Hold { start, end, job }) = later.pop_front()
            {
                (output.start, output.end, output.holder) = (start, end, job);
            }
            output.more = !later.is_empty();
        }
    }

    /// A packet of `room` flits is on the link of `out_vc` from `start` to `end`.
    #[inline]
    pub(crate) fn sends(
        &mut self,
        (out, out_vc): (usize, usize),
        (job, room): (u16, u32),
        (start, end): (Time, Time),
        now: Time,
    ) {
        self.advance(out, now);
        if self.jobs == 1 {
            return;
        }
        self.sent.add(out_vc, job, room);
        self.drop_holds(out);
        let output = &mut self.outputs[out];
        output.may_end(job, start);
        if !output.more {
            if output.holder == job && output.end == start {
                output.end = end;
                return;
            }
            if output.end <= now {
                (output.start, output.end, output.holder) = (start, end, job);
                return;
            }
        }
        output.more = true;
        let later = &mut self.queues[out].later;
        match later.back_mut() {
            Some(last) if last.job == job && last.end == start => last.end = end,
            _ => later.push_back(Hold { start, end, job }),
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
        let shares = self.shares.run_mut(out * self.jobs, self.jobs);
        shares.fill(0);
        let (mut sum, mut jobs) = (0, NO_JOB);
        self.sent.last(out_vc, flits, |job, flits| {
            shares[usize::from(job)] += flits;
            sum += flits;
            jobs = if jobs == NO_JOB || jobs == job { job } else { MIXED };
        });
        self.queues[out].stalled_flits = sum;
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
    #[inline]
    pub(super) fn crosses_to(&mut self, out: usize, job: u16, now: Time) {
        let output = &mut self.outputs[out];
        if output.last != job {
            output.last = job;
            let held = output.start <= now && now < output.end;
            output.may_end(job, if held { output.end } else { now });
        }
    }
}

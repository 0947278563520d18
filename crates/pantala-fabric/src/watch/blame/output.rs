//! What the record of blame knows of one output.

use super::sums::NO_JOB;
use pantala_engine::{NEVER, Time};
use std::collections::VecDeque;

/// A cause: several jobs share it.
pub(super) const MIXED: u16 = NO_JOB - 1;

/// A job's packets on a link, without a gap from the first to the last.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hold {
    pub(super) start: Time,
    pub(super) end: Time,
    pub(super) job: u16,
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
    pub(super) start: Time,
    pub(super) end: Time,
    /// The start of the current stall; [`NEVER`]: none.
    pub(super) stalled: Time,
    pub(super) holder: u16,
    /// The job of the last packet that crossed to the output.
    pub(super) last: u16,
    /// The job of the flits beyond the link without credits when the current stall began;
    /// [`MIXED`]: several; [`NO_JOB`]: there are none.
    pub(super) shares: u16,
    /// The job that causes the time before `charged`, [`MIXED`], or [`NO_JOB`]: each job its own.
    pub(super) cause: u16,
    pub(super) class: u8,
    /// Whether there are packets on the link after `end`.
    pub(super) more: bool,
    /// Whether waits are not charged yet.
    pub(super) waits: bool,
    /// Whether there may be planned changes.
    pub(super) planned: bool,
}

/// The parts of an output's cause that few events use.
#[derive(Clone, Debug, Default)]
pub(super) struct OutputQueues {
    /// The packets on the link after the first hold, in order. They have been sent ahead.
    pub(super) later: VecDeque<Hold>,
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

    /// Takes a packet on the link, the only one that is not over or one that continues the hold;
    /// returns whether it is that.
    #[inline(always)]
    pub(super) fn holds(&mut self, hold: Hold, now: Time) -> bool {
        if self.holder == hold.job && self.end == hold.start {
            self.end = hold.end;
        } else if self.end <= now {
            (self.start, self.end, self.holder) = (hold.start, hold.end, hold.job);
        } else {
            return false;
        }
        true
    }

    /// Notes that a job may be another cause from `time` on.
    #[inline]
    pub(super) fn may_end(&mut self, job: u16, time: Time) {
        if job != self.cause {
            self.steady = self.steady.min(time);
        }
    }
}

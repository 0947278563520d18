//! The packets before injection links.
//!
//! A NIC has one packet that waits: the next one to start. It waits for the packet on the link, and
//! then for credits. While it waits for credits, it waits behind the head of the input buffer
//! behind the link, as a guest of that queue.

use super::BlameWatch;
use super::places::At;
use super::sums::{INJECTION, NO_JOB};
use pantala_engine::{NEVER, Time};

/// The blame of one injection link.
#[derive(Clone, Copy, Debug)]
pub(super) struct NicBlame {
    /// The last packet on the link.
    start: Time,
    end: Time,
    job: u16,
    /// The input VC that a packet waits for credits for.
    in_vc: u32,
    /// When the last stall began; [`NEVER`]: none since the last packet.
    stalled: Time,
}

impl NicBlame {
    pub(super) const NEW: Self = Self { start: 0, end: 0, job: NO_JOB, in_vc: 0, stalled: NEVER };
}

impl BlameWatch {
    /// A packet of `job` waits for credits for `in_vc` from `now` on.
    pub(crate) fn nic_stalls(&mut self, terminal: u32, in_vc: u32, job: u16, now: Time) {
        let nic = &mut self.nics[terminal];
        (nic.in_vc, nic.stalled) = (in_vc, now);
        self.inputs[in_vc].guest = job;
        self.alone[in_vc] = now;
        self.begin_behind(in_vc, job, now);
        self.joins(in_vc, job);
    }

    /// It no longer waits for credits.
    pub(crate) fn nic_stall_ends(&mut self, terminal: u32, now: Time) {
        let in_vc = self.nics[terminal].in_vc;
        let job = self.inputs[in_vc].guest;
        if self.awaited(in_vc).is_none() {
            self.end_alone(in_vc, now);
        }
        self.end_behind(in_vc, job, now);
        self.parts(in_vc, job);
        self.inputs[in_vc].guest = NO_JOB;
    }

    /// A packet of `job` is on the injection link from `start` to `end`. It could have started at
    /// `ready` on an idle link. `follows` says that it is a flit of the packet that was there last.
    pub(crate) fn injects(
        &mut self,
        terminal: u32,
        (job, follows): (u16, bool),
        ready: Time,
        (start, end): (Time, Time),
    ) {
        let nic = &mut self.nics[terminal];
        let NicBlame { start: before, end: busy, job: holder, stalled, .. } = *nic;
        let from = ready.max(if follows { busy } else { before });
        (nic.start, nic.end, nic.job, nic.stalled) = (start, end, job, NEVER);
        let until = start.min(stalled);
        if from >= until {
            return;
        }
        let busy = busy.clamp(from, until);
        if busy > from {
            self.charge_nic(terminal, (job, holder), busy - from, start);
        }
        if until > busy {
            self.charge_nic(terminal, (job, job), until - busy, start);
        }
    }

    /// Charges a wait before an injection link that ends at `end`.
    fn charge_nic(&mut self, terminal: u32, jobs: (u16, u16), wait: Time, end: Time) {
        self.ledger.charge(INJECTION, At::Nic(terminal), end, |matrix| {
            matrix.add(jobs.0, jobs.1, wait);
        });
    }
}

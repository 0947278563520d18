//! The packets in input buffers: all packets of an input VC wait for the output of its head, or for
//! the input port if another packet crosses from it.

use super::BlameWatch;
use super::output::MIXED;
use super::places::At;
use super::sums::{INJECTION, NO_JOB};
use crate::store::packet::NONE;
use pantala_engine::{NEVER, Time};

/// The blame of one input VC.
#[derive(Clone, Copy, Debug)]
pub(super) struct InputBlame {
    /// The output that the head waits for; [`NONE`]: none waits.
    pub(super) out: u32,
    /// The job of the packet that holds the input port at first, and the time up to which the wait
    /// is charged to it.
    holder: u16,
    /// The job of the packet in the NIC before the link that waits for credits; [`NO_JOB`]: none
    /// waits.
    pub(super) guest: u16,
    held: Time,
    /// The packets in the buffer, with the guest.
    pub(super) packets: u32,
    /// Their job; [`MIXED`]: there have been several since the buffer was empty, and `queued` counts
    /// the packets of each.
    pub(super) job: u16,
}

impl InputBlame {
    pub(super) const NEW: Self =
        Self { out: NONE, holder: NO_JOB, guest: NO_JOB, held: 0, packets: 0, job: NO_JOB };
}

impl BlameWatch {
    /// A packet enters an input buffer in which another packet is the head.
    #[inline(never)]
    pub(crate) fn follows(&mut self, in_vc: u32, job: u16, now: Time) {
        self.begin_behind(in_vc, job, now);
        self.joins(in_vc, job);
    }

    /// A packet enters an empty input buffer and does not cross at once.
    #[inline]
    pub(crate) fn leads(&mut self, in_vc: u32, job: u16) {
        self.joins(in_vc, job);
    }

    /// A packet is in the buffer of an input VC from now on.
    #[inline(always)]
    pub(super) fn joins(&mut self, in_vc: u32, job: u16) {
        let input = &mut self.inputs[in_vc];
        if input.packets == 0 {
            input.job = job;
        }
        if input.job == job {
            input.packets += 1;
        } else {
            self.joins_others(in_vc, job);
        }
    }

    #[inline(never)]
    fn joins_others(&mut self, in_vc: u32, job: u16) {
        let (from, input) = (in_vc as usize * self.jobs, &mut self.inputs[in_vc]);
        if input.job != MIXED {
            self.queued[from + usize::from(input.job)] = input.packets;
            input.job = MIXED;
        }
        input.packets += 1;
        self.queued[from + usize::from(job)] += 1;
    }

    /// A packet is no longer in the buffer of an input VC.
    #[inline(always)]
    pub(super) fn parts(&mut self, in_vc: u32, job: u16) {
        let input = &mut self.inputs[in_vc];
        input.packets -= 1;
        if input.job == MIXED {
            self.queued[in_vc as usize * self.jobs + usize::from(job)] -= 1;
        }
    }

    /// The head of an input VC waits for an output. The input port is free at `free`.
    #[inline(always)]
    pub(crate) fn awaits(&mut self, (in_vc, in_port): (u32, u32), out: u32, free: Time, now: Time) {
        let input = &mut self.inputs[in_vc];
        (input.out, input.held) = (out, now);
        let out = out as usize;
        if input.guest != NO_JOB {
            self.end_alone(in_vc, now);
        }
        if free <= now {
            self.advance(out, now);
            self.count_queue(out, in_vc, 1, now);
        } else {
            self.awaits_port((in_vc, in_port), out, free, now);
        }
    }

    /// As [`awaits`](Self::awaits), if another packet crosses from the input port up to `free`.
    #[inline(never)]
    fn awaits_port(&mut self, (in_vc, in_port): (u32, u32), out: usize, free: Time, now: Time) {
        let (holder, input) = (self.crossed[in_port], &mut self.inputs[in_vc]);
        (input.holder, input.held) = (holder, free);
        let (job, packets, class) = (input.job, input.packets, self.outputs[out].class);
        if job == MIXED {
            let queued = self.queued.run(in_vc as usize * self.jobs, self.jobs);
            self.ledger.charge(class, At::Output(out), free, |matrix| {
                matrix.charge(queued, holder, free - now);
            });
            self.plan_queue(out, in_vc, free);
        } else {
            let wait = Time::from(packets) * (free - now);
            self.ledger.charge(class, At::Output(out), free, |matrix| {
                matrix.add(job, holder, wait);
            });
            self.plan_ahead(out, job, packets as i32, free);
        }
    }

    /// The head of an input VC, of `job`, no longer waits for an output, nor do the packets behind
    /// it.
    #[inline(always)]
    pub(crate) fn leaves(&mut self, in_vc: u32, out: usize, job: u16, now: Time) {
        self.advance(out, now);
        self.count_queue(out, in_vc, -1, now);
        self.parts(in_vc, job);
        let input = &mut self.inputs[in_vc];
        input.out = NONE;
        if input.guest != NO_JOB {
            self.alone[in_vc] = now;
        }
    }

    /// A packet of `job` crosses from an input port to an output. `WAITED`: it has just
    /// [left](Self::leaves) a queue or [ended](Self::ends) its wait.
    #[inline(always)]
    pub(crate) fn crosses<const WAITED: bool>(
        &mut self,
        in_port: u32,
        out: usize,
        job: u16,
        now: Time,
    ) {
        if !WAITED {
            self.advance(out, now);
        }
        self.crosses_to(out, job, now);
        self.crossed[in_port] = job;
    }

    /// A packet begins to wait behind the head of an input VC.
    #[inline(always)]
    pub(super) fn begin_behind(&mut self, in_vc: u32, job: u16, now: Time) {
        let Some(out) = self.awaited(in_vc) else { return };
        let (held, holder) = (self.inputs[in_vc].held, self.inputs[in_vc].holder);
        if held > now {
            let class = self.outputs[out].class;
            self.ledger.charge(class, At::Output(out), held, |matrix| {
                matrix.add(job, holder, held - now);
            });
            self.plan_ahead(out, job, 1, held);
        } else {
            self.advance(out, now);
            self.count(out, job, 1, now);
        }
    }

    /// That packet no longer waits behind the head.
    pub(super) fn end_behind(&mut self, in_vc: u32, job: u16, now: Time) {
        let Some(out) = self.awaited(in_vc) else { return };
        let (held, holder) = (self.inputs[in_vc].held, self.inputs[in_vc].holder);
        if held > now {
            let class = self.outputs[out].class;
            self.ledger.charge(class, At::Output(out), held, |matrix| {
                matrix.take_back(job, holder, held - now);
            });
            self.plan_ahead(out, job, -1, held);
        } else {
            self.advance(out, now);
            self.count(out, job, -1, now);
        }
    }

    /// Returns the output of an input VC's head that waits.
    #[inline(always)]
    pub(super) fn awaited(&self, in_vc: u32) -> Option<usize> {
        let out = self.inputs[in_vc].out;
        (out != NONE).then_some(out as usize)
    }

    /// Charges the time in which a NIC has waited for credits and no head has waited behind its
    /// link.
    #[inline(never)]
    pub(super) fn end_alone(&mut self, in_vc: u32, now: Time) {
        let job = self.inputs[in_vc].guest;
        let alone = std::mem::replace(&mut self.alone[in_vc], NEVER);
        if alone < now {
            self.ledger.charge(INJECTION, At::Before(in_vc), now, |matrix| {
                matrix.add(job, job, now - alone);
            });
        }
    }
}

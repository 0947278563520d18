//! How long packets wait for an output, and the charges of these times.
//!
//! A time with one cause is not charged at each event. Per output and waiting job, [`Waits`](super::waits::Waits) keeps
//! the number of packets that wait and a sum: the ends of the waits since the last charge, less
//! their starts. A charge at time t adds t for each packet that still waits, and starts anew. So an
//! event costs an addition, and a charge is due only if the cause or the window changes.
//!
//! Starts and ends of waits can lie in the future. They are in [`Waits`](super::waits::Waits) at once, and stay among the
//! planned changes, so that a charge before their time can leave them out.

use super::BlameWatch;
use super::inputs::InputBlame;
use super::output::MIXED;
use super::places::At;
use super::waits::{Change, product};
use pantala_engine::Time;

impl BlameWatch {
    /// From `time` on, `count` more packets of a job wait for an output, or fewer. The time is not
    /// before the last event at the output.
    #[inline]
    pub(super) fn plan(&mut self, out: usize, job: u16, count: i32, time: Time) {
        self.count(out, job, count, time);
        let output = &mut self.outputs[out];
        if time > output.charged {
            output.planned = true;
            self.planned[out].add(Change { time, count, job }, output.charged);
        }
    }

    /// As [`plan`](Self::plan), at a time after that of the last event.
    #[inline(always)]
    pub(super) fn plan_ahead(&mut self, out: usize, job: u16, count: i32, time: Time) {
        self.count(out, job, count, time);
        let output = &mut self.outputs[out];
        output.planned = true;
        self.planned[out].add(Change { time, count, job }, output.charged);
    }

    /// A packet of a job waits for an output between two times.
    #[inline]
    pub(super) fn plan_wait(&mut self, out: usize, job: u16, (from, until): (Time, Time)) {
        let waits = &mut self.waits[out * self.jobs + usize::from(job)];
        waits.sum = waits.sum.wrapping_add(until - from);
        let output = &mut self.outputs[out];
        output.waits = true;
        if until > output.charged {
            output.planned = true;
            let planned = &mut self.planned[out];
            if from > output.charged {
                planned.add(Change { time: from, count: 1, job }, output.charged);
            }
            planned.add(Change { time: until, count: -1, job }, output.charged);
        }
    }

    /// As [`plan`](Self::plan), at the time of the last event.
    #[inline(always)]
    pub(super) fn count(&mut self, out: usize, job: u16, count: i32, now: Time) {
        let waits = &mut self.waits[out * self.jobs + usize::from(job)];
        waits.count += i64::from(count);
        waits.sum = waits.sum.wrapping_sub(product(count.into(), now));
        self.outputs[out].waits = true;
    }

    /// From now on, all packets of an input VC wait for an output, or no longer. Now is the time of
    /// the output's last event.
    #[inline(always)]
    pub(super) fn count_queue(&mut self, out: usize, in_vc: u32, sign: i32, now: Time) {
        let &InputBlame { job, packets, .. } = &self.inputs[in_vc];
        if job == MIXED {
            self.count_mixed(out, in_vc, sign, now);
        } else {
            self.count(out, job, sign * packets as i32, now);
        }
    }

    #[inline(never)]
    fn count_mixed(&mut self, out: usize, in_vc: u32, sign: i32, now: Time) {
        let from = in_vc as usize * self.jobs;
        for job in 0..self.jobs {
            let count = self.queued[from + job] as i32;
            self.count(out, job as u16, sign * count, now);
        }
    }

    /// From `time` on, all packets of an input VC, of several jobs, wait for an output.
    #[inline(never)]
    pub(super) fn plan_queue(&mut self, out: usize, in_vc: u32, time: Time) {
        let from = in_vc as usize * self.jobs;
        for job in 0..self.jobs {
            let count = self.queued[from + job] as i32;
            if count != 0 {
                self.plan(out, job as u16, count, time);
            }
        }
    }

    /// Ends an interval of the time of an output at `now`, which is not before the last one.
    #[inline]
    pub(super) fn advance(&mut self, out: usize, now: Time) {
        let output = &mut self.outputs[out];
        if now <= output.steady {
            output.charged = now;
        } else {
            self.catch_up(out, now);
        }
    }

    /// As [`advance`](Self::advance), if the cause or the window may have changed.
    #[inline(never)]
    fn catch_up(&mut self, out: usize, now: Time) {
        let output = &self.outputs[out];
        // Each planned change ends an interval. This matters only if the ends decide on the window.
        if output.planned && now > output.window_end {
            while let Some(time) = self.planned[out].next(self.outputs[out].charged, now) {
                self.step(out, time);
            }
        }
        self.step(out, now);
    }

    /// Charges one interval up to `until`, as far as its cause ends.
    fn step(&mut self, out: usize, until: Time) {
        if until > self.outputs[out].window_end {
            self.charge(out);
            self.outputs[out].window_end = self.ledger.sums.window_end(until);
        }
        let output = &mut self.outputs[out];
        if self.jobs == 1 {
            (output.charged, output.steady) = (until, output.window_end);
            return;
        }
        loop {
            self.drop_holds(out);
            let output = &mut self.outputs[out];
            let (cause, end) = output.cause();
            if cause != output.cause {
                self.charge(out);
                self.outputs[out].cause = cause;
            }
            let output = &mut self.outputs[out];
            output.charged = end.min(until);
            if end >= until {
                output.steady = end.min(output.window_end);
                return;
            }
        }
    }

    /// Charges all waits up to `charged`, since the last charge, to the cause.
    #[inline(always)]
    pub(super) fn charge(&mut self, out: usize) {
        let output = &self.outputs[out];
        if output.waits && output.charged > 0 {
            if output.cause < MIXED {
                self.charge_one(out);
            } else {
                self.charge_jobs(out);
            }
        }
    }

    /// As [`charge`](Self::charge), if one job is the cause.
    #[inline(never)]
    fn charge_one(&mut self, out: usize) {
        let output = &mut self.outputs[out];
        let at = output.charged;
        let waits = self.waits.run_mut(out * self.jobs, self.jobs);
        let (matrix, place) =
            self.ledger.matrices(output.class, At::Output(out), output.window_end);
        let column = matrix.column(output.cause);
        let mut place = place.map(|place| place.column(output.cause));
        let mut waiting = false;
        for (victim, (waits, cell)) in
            waits.iter_mut().zip(column.chunks_mut(self.jobs)).enumerate()
        {
            let up_to_now = product(waits.count, at);
            let wait = waits.sum.wrapping_add(up_to_now);
            cell[0] = cell[0].wrapping_add(wait);
            if let Some(place) = &mut place {
                let cell = &mut place[victim * self.jobs];
                *cell = cell.wrapping_add(wait);
            }
            waits.sum = up_to_now.wrapping_neg();
            waiting |= waits.count != 0;
        }
        if output.planned {
            output.planned = self.planned[out].after(at, |change| {
                // The change is in the sum, and its time is after the charge.
                let too_few = product(change.count.into(), change.time - at);
                let job = usize::from(change.job);
                let cell = &mut column[job * self.jobs];
                *cell = cell.wrapping_add(too_few);
                if let Some(place) = &mut place {
                    let cell = &mut place[job * self.jobs];
                    *cell = cell.wrapping_add(too_few);
                }
                waits[job].sum = waits[job].sum.wrapping_sub(too_few);
            });
        }
        output.waits = waiting || output.planned;
    }

    /// As [`charge`](Self::charge), if several jobs share the cause or each job causes its own wait.
    #[inline(never)]
    fn charge_jobs(&mut self, out: usize) {
        let output = &mut self.outputs[out];
        let (at, later) = (output.charged, &mut self.later);
        if output.planned {
            output.planned = self.planned[out].after(at, |change| {
                // The change is in the sum, and its time is after the charge.
                let early = &mut later[usize::from(change.job)];
                *early = early.wrapping_add(product(change.count.into(), change.time - at));
            });
        }
        let from = out * self.jobs;
        let (mut matrix, mut place) =
            self.ledger.matrices(output.class, At::Output(out), output.window_end);
        let (shares, mut waiting) = (self.shares.run(from, self.jobs), 0);
        for (victim, early) in (0..).zip(later) {
            let waits = &mut self.waits[from + victim];
            let after = product(waits.count, at).wrapping_add(std::mem::take(early));
            let wait = waits.sum.wrapping_add(after);
            waits.sum = after.wrapping_neg();
            waiting |= waits.count;
            if wait == 0 {
                continue;
            }
            for matrix in std::iter::once(&mut matrix).chain(&mut place) {
                if output.cause == MIXED {
                    matrix.add_shares(victim as u16, wait, shares, self.queues[out].stalled_flits);
                } else {
                    matrix.add(victim as u16, output.cause, wait);
                }
            }
        }
        output.waits = waiting != 0 || output.planned;
    }
}

//! How long packets wait for an output, and the charges of these times.
//!
//! A time with one cause is not charged at each event. Per output and waiting job, `Waits` keeps
//! the number of packets that wait and a sum: the ends of the waits since the last charge, less
//! their starts. A charge at time t adds t for each packet that still waits, and starts anew. So an
//! event costs an addition, and a charge is due only if the cause or the window changes.
//!
//! Starts and ends of waits can lie in the future. They are in `Waits` at once, and stay among the
//! planned changes, so that a charge before their time can leave them out.

use super::BlameWatch;
use super::causes::MIXED;
use pantala_engine::Time;

/// The packets of one job that wait for one output.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Waits {
    /// The number of packets, with planned changes.
    count: i64,
    /// Ends less starts of the waits since the last charge, modulo 2^64.
    sum: Time,
}

/// A change of the packets that wait for an output.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Change {
    time: Time,
    count: i32,
    job: u16,
}

/// The changes of an output whose time has perhaps not come, in no order. An output has few at a
/// time. It takes one cache line.
#[repr(align(64))]
#[derive(Clone, Debug, Default)]
pub(super) struct Planned {
    first: [Change; 2],
    used: usize,
    more: Vec<Change>,
}

impl Planned {
    /// Adds a change, and drops those that are not after `charged`.
    #[inline]
    fn add(&mut self, change: Change, charged: Time) {
        let Self { first, used, more } = self;
        if *used > 0 && first[0].time <= charged {
            first[0] = first[1];
            *used -= 1;
            if *used > 0 && first[0].time <= charged {
                *used = 0;
            }
        } else if *used > 1 && first[1].time <= charged {
            *used = 1;
        }
        if *used < 2 {
            first[*used] = change;
            *used += 1;
        } else {
            more.retain(|change| change.time > charged);
            more.push(change);
        }
    }

    fn iter(&self) -> impl Iterator<Item = &Change> {
        self.first[..self.used].iter().chain(&self.more)
    }

    /// Returns the time of the next change after `from` and before `until`.
    fn next(&self, from: Time, until: Time) -> Option<Time> {
        self.iter().map(|change| change.time).filter(|time| (from + 1..until).contains(time)).min()
    }

    pub(super) fn memory(&self) -> usize {
        self.more.capacity() * size_of::<Change>()
    }
}

/// `count` times `time` modulo 2^64.
#[inline(always)]
fn product(count: i64, time: Time) -> Time {
    (count as u64).wrapping_mul(time)
}

impl BlameWatch {
    /// From `time` on, `count` more packets of a job wait for an output, or fewer. The time is not
    /// before the last event at the output.
    #[inline]
    pub(super) fn plan(&mut self, out: usize, job: u16, count: i32, time: Time) {
        let waits = &mut self.waits[out * self.jobs + usize::from(job)];
        waits.count += i64::from(count);
        waits.sum = waits.sum.wrapping_sub(product(count.into(), time));
        let output = &mut self.outputs[out];
        output.waits = true;
        if time > output.charged {
            output.planned = true;
            self.planned[out].add(Change { time, count, job }, output.charged);
        }
    }

    /// From `time` on, all packets of an input VC wait for an output, or no longer.
    #[inline]
    pub(super) fn plan_queue(&mut self, out: usize, in_vc: u32, sign: i32, time: Time) {
        let from = in_vc as usize * self.jobs;
        for job in 0..self.jobs {
            let count = self.queued[from + job] as i32;
            if count != 0 {
                self.plan(out, job as u16, sign * count, time);
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
        // Each planned change ends an interval. This matters only if the ends decide on the window,
        // or if each interval is rounded.
        if output.planned && (now > output.window_end || output.shares == MIXED) {
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
            self.outputs[out].window_end = self.sums.window_end(until);
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
            if cause == MIXED {
                self.charge(out);
            }
            let output = &mut self.outputs[out];
            if end >= until {
                output.steady = if cause == MIXED { until } else { end.min(output.window_end) };
                return;
            }
        }
    }

    /// Charges all waits up to `charged`, since the last charge, to the cause.
    pub(super) fn charge(&mut self, out: usize) {
        let output = &mut self.outputs[out];
        let at = output.charged;
        if !output.waits || at == 0 {
            return;
        }
        let waits = self.waits.run_mut(out * self.jobs, self.jobs);
        let mut later = false;
        if output.planned {
            for change in self.planned[out].iter().filter(|change| change.time > at) {
                let sum = &mut waits[usize::from(change.job)].sum;
                *sum = sum.wrapping_add(product(change.count.into(), change.time - at));
                later = true;
            }
        }
        let mut matrix = self.sums.matrix(output.class, output.window_end);
        let mut waiting = false;
        for (victim, waits) in waits.iter_mut().enumerate() {
            let up_to_now = product(waits.count, at);
            let wait = waits.sum.wrapping_add(up_to_now);
            waits.sum = up_to_now.wrapping_neg();
            waiting |= waits.count != 0;
            if wait == 0 {
            } else if output.cause == MIXED {
                let shares = self.shares.run(out * self.jobs, self.jobs);
                matrix.add_shares(victim as u16, wait, shares, self.queues[out].stalled_flits);
            } else {
                matrix.add(victim as u16, output.cause, wait);
            }
        }
        if later {
            for change in self.planned[out].iter().filter(|change| change.time > at) {
                let sum = &mut waits[usize::from(change.job)].sum;
                *sum = sum.wrapping_sub(product(change.count.into(), change.time - at));
            }
        }
        (output.planned, output.waits) = (later, waiting || later);
    }
}

//! [`SentFlits`]: the flits that each output VC has sent last, by job.

use pantala_engine::FlatArray;
use std::collections::VecDeque;

/// The flits that each output VC has sent last, as many as the buffer behind the link holds.
///
/// Credits return in the order of packets, so the flits without returned credits are the last ones.
#[derive(Debug)]
pub(super) struct SentFlits {
    /// Flits of the buffer behind a link.
    buffer: u32,
    latest: FlatArray<Latest>,
    earlier: FlatArray<Earlier>,
}

/// Flits of one job.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Run {
    flits: u32,
    job: u16,
}

/// The latest run.
#[derive(Clone, Copy, Debug)]
struct Latest {
    run: Run,
    /// The number of its flits from which on the earliest of the earlier runs is not needed.
    limit: u32,
}

/// The runs before the latest one, from the latest to the earliest, and their sum.
#[derive(Clone, Debug, Default)]
struct Earlier {
    runs: VecDeque<Run>,
    flits: u32,
}

impl SentFlits {
    pub(super) fn new((first, count): (usize, usize), buffer: u32) -> Self {
        let none = Latest { run: Run { flits: 0, job: 0 }, limit: u32::MAX };
        Self {
            buffer,
            latest: FlatArray::numbered_from(first, vec![none; count]),
            earlier: FlatArray::numbered_from(first, vec![Earlier::default(); count]),
        }
    }

    /// Adds a packet.
    #[inline(always)]
    pub(super) fn add(&mut self, out_vc: usize, job: u16, flits: u32) {
        let Latest { run, limit } = &mut self.latest[out_vc];
        if run.job == job {
            run.flits = self.buffer.min(run.flits + flits);
            if run.flits < *limit {
                return;
            }
        }
        self.add_run(out_vc, Run { flits, job });
    }

    /// Begins a run, unless the latest one has the same job and the flits already, and drops the
    /// runs that are not needed.
    #[inline(never)]
    fn add_run(&mut self, out_vc: usize, new: Run) {
        let (Latest { run, limit }, earlier) =
            (&mut self.latest[out_vc], &mut self.earlier[out_vc]);
        if run.job != new.job {
            if run.flits > 0 {
                earlier.runs.push_front(*run);
                earlier.flits += run.flits;
            }
            *run = Run { flits: self.buffer.min(new.flits), ..new };
        }
        *limit = u32::MAX;
        while let Some(first) = earlier.runs.back() {
            *limit = self.buffer + first.flits - earlier.flits;
            if run.flits < *limit {
                break;
            }
            earlier.flits -= first.flits;
            earlier.runs.pop_back();
            *limit = u32::MAX;
        }
    }

    /// Returns the job of the last `count` flits, if it is one.
    #[inline]
    pub(super) fn only(&self, out_vc: usize, count: u32) -> Option<u16> {
        let latest = &self.latest[out_vc].run;
        (latest.flits >= count && count > 0).then_some(latest.job)
    }

    /// Calls `each` with the jobs and numbers of the last `count` flits.
    pub(super) fn last(&self, out_vc: usize, mut count: u32, mut each: impl FnMut(u16, u32)) {
        for run in std::iter::once(&self.latest[out_vc].run).chain(&self.earlier[out_vc].runs) {
            let flits = run.flits.min(count);
            if flits > 0 {
                each(run.job, flits);
            }
            count -= flits;
        }
    }

    #[inline(always)]
    pub(super) fn prefetch(&self, out_vc: usize) {
        self.latest.prefetch::<1>(out_vc);
    }

    /// Returns the bytes of memory held.
    pub(super) fn memory(&self) -> usize {
        self.latest.memory() + self.earlier.memory()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_flits_are_those_of_the_last_packets() {
        let mut sent = SentFlits::new((0, 1), 10);
        for (job, flits) in [(0, 4), (1, 4), (1, 1), (0, 2), (2, 3)] {
            sent.add(0, job, flits);
        }
        let last = |count| {
            let mut jobs = [0; 3];
            sent.last(0, count, |job, flits| jobs[usize::from(job)] += flits);
            jobs
        };
        assert_eq!(last(2), [0, 0, 2]);
        assert_eq!(last(6), [2, 1, 3]);
        assert_eq!(last(10), [2, 5, 3]);
        assert_eq!(sent.earlier[0_usize].runs.len(), 2);
    }
}

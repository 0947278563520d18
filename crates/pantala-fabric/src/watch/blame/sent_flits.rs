//! [`SentFlits`]: the flits that each output VC has sent last, by job.

use crate::store::bounds::filled;
use pantala_engine::ProvenArray;

/// The flits that each output VC has sent last, at least as many as the buffer behind the link
/// holds.
///
/// Credits return in the order of packets, so the flits without returned credits are the last ones.
/// The flits of one job, one after another, are a run.
#[derive(Debug)]
pub(super) struct SentFlits {
    /// Flits of the buffer behind a link.
    buffer: u32,
    latest: ProvenArray<Latest>,
    /// Per VC, a ring of the runs before the latest one. Its size is a power of two.
    earlier: ProvenArray<Run>,
    ring: usize,
}

/// The runs of a VC that are in the ring at first. The rings grow together when one is too small.
const RUNS: usize = 8;

/// Flits of one job. A longer run takes several places.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Run {
    flits: u16,
    job: u16,
}

/// The latest run of a VC.
#[derive(Clone, Copy, Debug, Default)]
struct Latest {
    /// Its flits, or those that the buffer holds if there are more.
    flits: u32,
    job: u16,
    /// The place of the earliest run in the ring, which the next one takes.
    place: u32,
    /// The flits of all runs in the ring.
    earlier: u32,
}

impl SentFlits {
    pub(super) fn new((first, count): (usize, usize), buffer: u32) -> Self {
        Self {
            buffer,
            // SAFETY: the proof of ports (store/bounds.rs).
            latest: unsafe { filled((first, count), Latest::default()) },
            // SAFETY: likewise; a place is less than the size of the ring.
            earlier: unsafe { filled((first * RUNS, count * RUNS), Run::default()) },
            ring: RUNS,
        }
    }

    /// Adds a packet.
    #[inline(always)]
    pub(super) fn add(&mut self, out_vc: usize, job: u16, flits: u32) {
        let latest = &mut self.latest[out_vc];
        if latest.job == job {
            latest.flits = self.buffer.min(latest.flits + flits);
        } else {
            self.add_run(out_vc, job, flits);
        }
    }

    /// Begins a run.
    #[inline(never)]
    fn add_run(&mut self, out_vc: usize, job: u16, flits: u32) {
        while self.latest[out_vc].flits > 0 {
            let latest = &mut self.latest[out_vc];
            let part = latest.flits.min(u16::MAX.into());
            let place = &mut self.earlier[out_vc * self.ring + latest.place as usize];
            let kept = latest.earlier - u32::from(place.flits) + part;
            if place.flits > 0 && kept < self.buffer {
                self.grow();
                continue;
            }
            *place = Run { flits: part as u16, job: latest.job };
            latest.place = (latest.place + 1) & (self.ring - 1) as u32;
            latest.earlier = kept;
            latest.flits -= part;
        }
        let latest = &mut self.latest[out_vc];
        (latest.job, latest.flits) = (job, self.buffer.min(flits));
    }

    /// Doubles the rings.
    #[cold]
    fn grow(&mut self) {
        let (first, ring) = (self.latest.first(), self.ring);
        let mut earlier = Vec::with_capacity(2 * self.earlier.len());
        for out_vc in first..first + self.latest.len() {
            let mut runs = self.earlier.run(out_vc * ring, ring).to_vec();
            runs.rotate_left(self.latest[out_vc].place as usize);
            earlier.extend(runs);
            earlier.resize(earlier.len() + ring, Run::default());
            self.latest[out_vc].place = ring as u32;
        }
        self.ring = 2 * ring;
        // SAFETY: as in `new`, with a larger ring.
        self.earlier = unsafe { ProvenArray::proven(first * self.ring, earlier) };
    }

    /// Returns the job of the last `count` flits, if it is one.
    #[inline]
    pub(super) fn only(&self, out_vc: usize, count: u32) -> Option<u16> {
        let latest = &self.latest[out_vc];
        (latest.flits >= count && count > 0).then_some(latest.job)
    }

    /// Calls `each` with the jobs and numbers of the last `count` flits.
    pub(super) fn last(&self, out_vc: usize, mut count: u32, mut each: impl FnMut(u16, u32)) {
        let latest = &self.latest[out_vc];
        let (before, after) =
            self.earlier.run(out_vc * self.ring, self.ring).split_at(latest.place as usize);
        let earlier = before.iter().rev().chain(after.iter().rev());
        let runs = earlier.map(|run| (run.job, u32::from(run.flits)));
        for (job, flits) in std::iter::once((latest.job, latest.flits)).chain(runs) {
            let flits = flits.min(count);
            if flits > 0 {
                each(job, flits);
            }
            count -= flits;
            if count == 0 {
                return;
            }
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
    use proptest::prelude::*;

    /// A VC's packets and the buffer behind it. Runs may be longer than a place of the ring holds.
    fn packets() -> impl Strategy<Value = (u32, Vec<(u16, u32)>)> {
        (1u32..=40, prop_oneof![Just(1u32), Just(5000)]).prop_flat_map(|(buffer, unit)| {
            let packet = (0u16..3, (1u32..=4).prop_map(move |flits| flits * unit));
            (Just(buffer * unit), prop::collection::vec(packet, 0..200))
        })
    }

    proptest! {
        #[test]
        fn the_last_flits_are_those_of_the_last_packets_of_any_sizes(
            (buffer, packets) in packets(),
            vcs in 1usize..4,
            share in 0u32..=100,
        ) {
            let mut sent = SentFlits::new((7, vcs), buffer);
            let mut flits: Vec<u16> = Vec::new();
            for (job, size) in packets {
                sent.add(6 + vcs, job, size);
                flits.extend(std::iter::repeat_n(job, size as usize));
                let count = buffer.min(flits.len() as u32) * share / 100;
                let last = &flits[flits.len() - count as usize..];
                let mut found = [0; 3];
                sent.last(6 + vcs, count, |job, flits| found[usize::from(job)] += flits);
                for (job, number) in (0u16..).zip(found) {
                    prop_assert_eq!(number as usize, last.iter().filter(|each| **each == job).count());
                }
                let only = sent.only(6 + vcs, count);
                prop_assert!(only.is_none_or(|job| found[usize::from(job)] == count));
            }
        }
    }

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
    }
}

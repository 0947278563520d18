//! The cycles of jobs: how long each iteration of a loop takes on all ranks.
//!
//! A cycle is the time of a rank from the start of an iteration to the start of the one after a
//! period of the loop. Each process hears of its own ranks; all processes add up what they have
//! heard, in integers, so that their sums and what follows from them are equal.

use crate::run::skip::series::{Complete, Series};
use pantala_engine::Time;
use pantala_mpi::{IterationStart, RankTotals};
use pantala_workload::programs::Loop;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The sums of one cycle over ranks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct CycleSums {
    /// Number of ranks that have completed it.
    pub(crate) ranks: u32,
    /// Sum of its durations, in ps.
    pub(crate) time: u128,
    /// Sum of the communication times in it, in ps.
    pub(crate) communication: u128,
    /// The longest communication time of a rank in it, in ps.
    pub(crate) longest: Time,
    /// Sum of its starts, and the latest of them, in ps.
    pub(crate) starts: u128,
    pub(crate) latest: Time,
}

impl CycleSums {
    /// How much later than the mean rank the last one has started it, in ps.
    pub(super) fn skew(&self) -> u128 {
        let mean = self.starts.checked_div(self.ranks.into()).unwrap_or_default();
        u128::from(self.latest).saturating_sub(mean)
    }

    pub(super) fn add(&mut self, more: &Self) {
        self.ranks += more.ranks;
        self.time += more.time;
        self.communication += more.communication;
        self.longest = self.longest.max(more.longest);
        self.starts += more.starts;
        self.latest = self.latest.max(more.latest);
    }
}

/// The place of a cycle: job, loop of the job, number in the loop.
pub(crate) type Place = (u16, u16, u32);

/// What one process has heard since the last time.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Heard {
    pub(crate) cycles: Vec<(Place, CycleSums)>,
    /// By job and loop: how many ranks are in it now.
    pub(crate) inside: Vec<((u16, u16), u32)>,
    /// By job and loop: the number of the latest iteration that a rank has started.
    pub(crate) latest: Vec<((u16, u16), u32)>,
    /// By job: what patterns have delivered.
    pub(crate) delivered: Vec<Delivered>,
}

/// What a pattern has delivered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Delivered {
    pub(crate) bytes: u64,
    pub(crate) packets: u64,
    /// Sum of the latencies of the packets, from their creation on, in ps.
    pub(crate) latency: u128,
}

impl Delivered {
    pub(super) fn add(&mut self, more: Self) {
        self.bytes += more.bytes;
        self.packets += more.packets;
        self.latency += more.latency;
    }
}

/// The start of a rank's latest cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CycleStart {
    pub(crate) of_loop: u16,
    /// The number of the cycle in the loop.
    pub(crate) cycle: u32,
    pub(crate) time: Time,
    pub(crate) totals: RankTotals,
}

/// The latest two starts of cycles of a rank.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Starts {
    pub(crate) latest: Option<CycleStart>,
    before: Option<CycleStart>,
}

impl Starts {
    /// Returns the start of a cycle, or else of the latest one.
    pub(crate) fn of(&self, cycle: u32) -> Option<CycleStart> {
        self.before.filter(|start| start.cycle == cycle).or(self.latest)
    }
}

/// The cycles of the ranks of this process.
#[derive(Debug)]
pub(crate) struct OwnCycles {
    /// By job.
    loops: Vec<Vec<Loop>>,
    /// By job and rank, the latest start and the one before; `None` for ranks elsewhere or outside
    /// of loops.
    starts: Vec<Vec<Starts>>,
    /// By job and loop: how many ranks are in it now.
    inside: BTreeMap<(u16, u16), u32>,
    heard: BTreeMap<Place, CycleSums>,
    latest: BTreeMap<(u16, u16), u32>,
    /// By job and loop: the first iteration left out by the last jump, and their number.
    left_out: BTreeMap<(u16, u16), (u32, u32)>,
}

impl OwnCycles {
    /// Returns the cycles of jobs with these loops and numbers of ranks.
    pub(crate) fn new(loops: Vec<Vec<Loop>>, ranks: &[u32]) -> Self {
        let starts = ranks.iter().map(|ranks| vec![Starts::default(); *ranks as usize]).collect();
        Self {
            loops,
            starts,
            inside: BTreeMap::new(),
            heard: BTreeMap::new(),
            latest: BTreeMap::new(),
            left_out: BTreeMap::new(),
        }
    }

    /// Returns the latest starts of cycles of a job, by rank.
    pub(crate) fn starts(&self, job: usize) -> &[Starts] {
        &self.starts[job]
    }

    /// Takes the start of an iteration.
    pub(crate) fn take(&mut self, start: &IterationStart) {
        let (job, mark) = (start.job, start.mark);
        let known = &mut self.starts[usize::from(job)][start.rank as usize];
        let place = self.loops[usize::from(job)].iter().position(|of| of.has(&mark));
        let Some(place) = place else {
            if let Some(left) = std::mem::take(known).latest {
                Self::leave(&mut self.inside, (job, left.of_loop));
            }
            return;
        };
        let (of_loop, shape) = (place as u16, self.loops[usize::from(job)][place]);
        let iteration = match self.left_out.get(&(job, of_loop)) {
            Some((first, count)) if mark.iteration < *first => mark.iteration + count,
            _ => mark.iteration,
        };
        let latest = self.latest.entry((job, of_loop)).or_insert(iteration);
        *latest = iteration.max(*latest);
        let at = iteration - shape.first;
        let (cycle, inside) = (at / shape.period, at % shape.period);
        let same = |known: CycleStart| (known.of_loop, known.cycle) == (of_loop, cycle);
        if inside != 0 || known.latest.is_some_and(same) {
            return;
        }
        let next = CycleStart { of_loop, cycle, time: start.time, totals: start.totals };
        known.before = known.latest.replace(next);
        if known.before.is_none_or(|before| before.of_loop != of_loop) {
            *self.inside.entry((job, of_loop)).or_default() += 1;
            if let Some(before) = known.before {
                Self::leave(&mut self.inside, (job, before.of_loop));
            }
        }
        if let Some(before) = known.before {
            if before.of_loop == of_loop && before.cycle + 1 == cycle {
                let communication = start.totals.communication() - before.totals.communication();
                self.heard.entry((job, of_loop, before.cycle)).or_default().add(&CycleSums {
                    ranks: 1,
                    time: (start.time - before.time).into(),
                    communication: communication.into(),
                    longest: communication,
                    starts: before.time.into(),
                    latest: before.time,
                });
            }
        }
    }

    fn leave(inside: &mut BTreeMap<(u16, u16), u32>, key: (u16, u16)) {
        match inside.get_mut(&key) {
            Some(ranks) if *ranks > 1 => *ranks -= 1,
            _ => drop(inside.remove(&key)),
        }
    }

    /// Returns what was heard since the last call.
    pub(crate) fn heard(&mut self, delivered: Vec<Delivered>) -> Heard {
        Heard {
            cycles: std::mem::take(&mut self.heard).into_iter().collect(),
            inside: self.inside.iter().map(|(key, ranks)| (*key, *ranks)).collect(),
            latest: self.latest.iter().map(|(key, latest)| (*key, *latest)).collect(),
            delivered,
        }
    }

    /// Takes `count` iterations of a finite loop as left out before number `first`, which no rank
    /// has started: the present iterations and those up to `first` have numbers as if they followed
    /// them.
    pub(crate) fn leave_out(&mut self, (job, of_loop): (u16, u16), first: u32, count: u32) {
        let period = self.loops[usize::from(job)][usize::from(of_loop)].period;
        for starts in &mut self.starts[usize::from(job)] {
            for start in [&mut starts.latest, &mut starts.before].into_iter().flatten() {
                if start.of_loop == of_loop {
                    start.cycle += count / period;
                }
            }
        }
        if let Some(latest) = self.latest.get_mut(&(job, of_loop)) {
            *latest += count;
        }
        self.left_out.insert((job, of_loop), (first, count));
    }
}

/// The cycles of all jobs, equal in all processes.
#[derive(Debug, Default)]
pub(crate) struct AllCycles {
    /// By job: the cycles of its loop in the present epoch.
    series: Vec<Option<Series>>,
    /// By job and loop: how many ranks of all processes are in it now.
    pub(crate) inside: BTreeMap<(u16, u16), u32>,
    /// By job and loop: the number of the latest iteration that a rank of any process has started.
    pub(crate) latest: BTreeMap<(u16, u16), u32>,
    /// By job: what patterns have delivered.
    pub(crate) delivered: Vec<Delivered>,
}

impl AllCycles {
    /// Adds what all processes have heard. Returns whether a cycle has news.
    pub(crate) fn add(&mut self, all: Vec<Heard>) -> bool {
        self.inside.clear();
        self.delivered.clear();
        let mut news = false;
        for heard in all {
            news |= !heard.cycles.is_empty();
            for ((job, of_loop, number), sums) in &heard.cycles {
                let series = self.series.get_mut(usize::from(*job)).and_then(Option::as_mut);
                // Cycles of other loops, and those that began before the epoch, are not judged.
                let Some(series) = series.filter(|of| of.of_loop == *of_loop) else { continue };
                if *number >= series.next() {
                    series.pending.entry(*number).or_default().add(sums);
                }
            }
            for (key, ranks) in heard.inside {
                *self.inside.entry(key).or_default() += ranks;
            }
            for (key, latest) in heard.latest {
                let known = self.latest.entry(key).or_insert(latest);
                *known = latest.max(*known);
            }
            let jobs = heard.delivered.len().max(self.delivered.len());
            self.delivered.resize(jobs, Delivered::default());
            for (sum, more) in self.delivered.iter_mut().zip(heard.delivered) {
                sum.add(more);
            }
        }
        self.series.iter_mut().flatten().for_each(Series::settle);
        news
    }

    /// Begins an epoch and forgets all cycles before it: of each job, its loop, the first cycle
    /// that is judged and the number of ranks.
    pub(crate) fn begin(&mut self, jobs: impl Iterator<Item = Option<(u16, u32, u32)>>) {
        let series =
            |of: Option<(u16, u32, u32)>| of.map(|(of, first, n)| Series::new(of, first, n));
        self.series = jobs.map(series).collect();
    }

    /// Returns the cycles of a job in the epoch that all ranks have completed, from number `first`
    /// on, up to the first that one of them has not.
    pub(crate) fn complete(&self, job: usize, first: u32) -> Complete<'_> {
        let series = self.series.get(job).and_then(Option::as_ref);
        let from = |series: &Series| first.saturating_sub(series.first) as usize;
        let sums = series.and_then(|series| series.sums.get(from(series)..));
        Complete { sums: sums.unwrap_or_default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::skip::series::Sums;
    use pantala_mpi::IterationMark;

    fn start(rank: u32, iteration: u32, time: Time) -> IterationStart {
        let totals = RankTotals { wait: time / 2, ..RankTotals::default() };
        let mark = IterationMark { iteration, ..IterationMark::default() };
        IterationStart { time, rank, job: 0, mark, totals }
    }

    fn complete(all: &AllCycles, first: u32) -> Vec<(u128, u128)> {
        let of = |pair: &[Sums]| {
            (pair[1].time - pair[0].time, pair[1].communication - pair[0].communication)
        };
        all.complete(0, first).sums.windows(2).map(of).collect()
    }

    #[test]
    fn cycles_go_on_over_iterations_that_are_left_out() {
        let shape = Loop { motif: 0, first: 1, end: 100, period: 2 };
        let mut own = OwnCycles::new(vec![vec![shape]], &[2]);
        let mut all = AllCycles::default();
        all.begin([Some((0, 0, 2))].into_iter());
        // Iteration 0 is before the loop; cycles are two iterations long.
        for (iteration, time) in (0..8).zip([0, 10, 14, 30, 34, 50, 54, 70]) {
            own.take(&start(0, iteration, time));
            if iteration < 6 {
                own.take(&start(1, iteration, time + 3));
            }
        }
        assert!(all.add(vec![own.heard(vec![])]));
        assert_eq!(all.inside[&(0, 0)], 2);
        assert_eq!(all.latest[&(0, 0)], 7);
        assert_eq!(complete(&all, 0), [(40, 20), (40, 20)]);
        // Both ranks leave out iterations 8 to 27: rank 1 still has to start 6 and 7.
        own.leave_out((0, 0), 8, 20);
        all.begin([Some((0, 13, 2))].into_iter());
        for (rank, iteration, time) in [(0, 28, 74), (1, 6, 57), (1, 7, 73), (1, 28, 77)] {
            own.take(&start(rank, iteration, time));
        }
        for rank in [0, 1] {
            own.take(&start(rank, 29, 90 + 3 * u64::from(rank)));
        }
        assert!(all.add(vec![own.heard(vec![])]));
        assert_eq!(all.latest[&(0, 0)], 29);
        // Rank 0 started cycle 3 before the jump, rank 1 cycle 2; they are now 13 and 12.
        assert_eq!(complete(&all, 13), [(40, 20)]);
    }

    /// An epoch that is never steady keeps sums of its cycles, and what it asks for at each check
    /// does not grow with them.
    #[test]
    fn long_epochs_keep_sums_and_a_new_one_forgets_them() {
        let shape = Loop { motif: 0, first: 0, end: u32::MAX, period: 1 };
        let mut own = OwnCycles::new(vec![vec![shape]], &[2]);
        let mut all = AllCycles::default();
        all.begin([Some((0, 0, 2))].into_iter());
        for iteration in 0..50_000 {
            let time = 10 * Time::from(iteration);
            own.take(&start(0, iteration, time));
            // Rank 1 is two iterations behind.
            if iteration >= 2 {
                own.take(&start(1, iteration - 2, time));
            }
            all.add(vec![own.heard(vec![])]);
            let series = all.series[0].as_ref().unwrap();
            assert!(series.pending.len() <= 2, "{}", series.pending.len());
        }
        let complete = all.complete(0, 0);
        assert_eq!(complete.len(), 49_997);
        let mean = complete.mean(|sums| sums.time, 2).unwrap();
        assert_eq!((mean.value, mean.half_width, mean.drift), (10.0, 0.0, 0.0));
        all.begin([Some((0, 50_000, 2))].into_iter());
        // Cycles that began before the epoch are not judged.
        own.take(&start(1, 49_998, 499_990));
        assert!(all.add(vec![own.heard(vec![])]));
        let series = all.series[0].as_ref().unwrap();
        assert_eq!((series.sums.len(), series.pending.len()), (1, 0));
    }
}

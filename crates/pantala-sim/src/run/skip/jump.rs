//! A jump: how far it goes, what it moves and what it counts.

use crate::output::epoch_record::EpochRow;
use crate::output::recorder::Net;
use crate::run::process_group::ProcessGroup;
use crate::run::skip::counts::{Counts, Progress, Share, Shares};
use crate::run::skip::epochs::{Doing, Stretch};
use crate::run::skip::horizon::{Distance, Repeating, distance};
use crate::run::skip::judgement::Known;
use crate::run::skip::skipper::{Outlook, Promise, Renumbered, Skipper};
use pantala_engine::{NEVER, Time};
use pantala_mpi::IterationRecord;
use pantala_workload::programs::{LeftOut, PerIteration};

/// How many times the cycles that a job has been watched for a jump may skip: of fewer than twice
/// as many as asked for at least, and of fewer than four times as many. Ranks that start in step take
/// 15 to 30 iterations to drift apart in cases of docs/explanation/skipping.md.
const FIRST_JUMP: f64 = 5.0;
const SECOND_JUMP: f64 = 100.0;

impl Skipper {
    /// Returns how far to jump, if that is worth its while.
    ///
    /// Every job simulates as many cycles after the jump as it is watched before it at least. A
    /// network in which ranks start in step may look steady before they drift apart. So the first
    /// jumps are short beside what has been simulated of a job's loop, and the run looks again.
    pub(super) fn distance(
        &self,
        known: &[Option<Known>],
        now: Time,
        outlook: Outlook,
    ) -> Option<Distance> {
        let mut repeating: Vec<Repeating> = Vec::new();
        // The longest time of the fewest cycles: of all jobs, and of those that end.
        let (mut rest, mut least) = (self.grid as f64, 0.0_f64);
        let mut trusted = f64::INFINITY;
        for (job, known) in known.iter().enumerate() {
            let (Some(known), Doing::Repeats(of_loop)) = (known, self.doing[job]) else { continue };
            let cycle = known.duration.value;
            let shape = self.jobs[job].loops[usize::from(of_loop)];
            let fewest = self.jobs[job].fewest(of_loop, self.plan.minimum);
            rest = rest.max(f64::from(fewest) * cycle);
            trusted = trusted.min(self.trusted(job, of_loop) * cycle);
            let left = if shape.is_endless() {
                u64::MAX
            } else {
                least = least.max(f64::from(fewest) * cycle);
                let latest = self.all.latest.get(&(job as u16, of_loop)).copied().unwrap_or(0);
                let left = u64::from(shape.end.saturating_sub(latest.saturating_add(1)));
                let minimum = u64::from(self.plan.minimum.max(shape.period));
                left.saturating_sub(minimum + 1) / u64::from(shape.period)
            };
            repeating.push(Repeating { cycle, left });
        }
        let rest = if repeating.is_empty() {
            u64::from(self.plan.minimum) * self.grid
        } else {
            rest as Time
        };
        let least = if least > 0.0 { least as Time } else { rest };
        let shown = self.timeline.shown(now);
        let starts = self.jobs.iter().map(|job| job.start).filter(|start| *start > shown);
        let ends = self.jobs.iter().map(|job| job.end).filter(|end| *end > shown);
        let detail = match self.detail {
            Some((from, until)) if shown < until => from,
            _ => NEVER,
        };
        let next = starts.chain(ends).chain([outlook.duration, detail]).min().unwrap_or(NEVER);
        let most =
            if next == NEVER { NEVER } else { next.saturating_sub(shown).saturating_sub(rest) };
        let most = if trusted < most as f64 { trusted as Time } else { most };
        let tolerance = f64::from(self.plan.tolerance_millionths) / 1e6;
        // A jump costs as much as it saves if it is not longer than what must be simulated after it.
        distance(&repeating, most, self.grid, tolerance / 4.0, least)
    }

    /// The cycles of a job's loop that may be skipped, beside those that it has been watched for.
    fn trusted(&self, job: usize, of_loop: u16) -> f64 {
        let watched = self.watched(job);
        let fewest = self.jobs[job].fewest(of_loop, self.plan.minimum).max(2);
        let times = match watched / fewest {
            0 | 1 => FIRST_JUMP,
            2 | 3 => SECOND_JUMP,
            _ => return f64::INFINITY,
        };
        f64::from(watched) * times
    }

    /// Whether each job computes in the skipped iterations as it does in the sample, as far as
    /// operations state it.
    pub(super) fn computes_alike(
        &self,
        at: usize,
        known: &mut [Option<Known>],
        found: &Distance,
    ) -> Result<(), String> {
        let mut cycles = found.cycles.iter();
        for (job, known) in known.iter_mut().enumerate() {
            let (Some(known), Doing::Repeats(of_loop)) = (known, self.doing[job]) else { continue };
            let Some(cycles) = cycles.next() else { break };
            let (of, shape) = (&self.jobs[job], self.jobs[job].loops[usize::from(of_loop)]);
            let period = u64::from(shape.period);
            let sample = u64::from(self.samples[at].first[job]) * period + u64::from(shape.first);
            let sampled = self.all.complete(job, self.samples[at].first[job]).len() as u64 * period;
            let first = u64::from(self.all.latest[&(job as u16, of_loop)]) + 1;
            let before = of.computing.between(shape.motif, sample, sample + sampled);
            let skipped = of.computing.between(shape.motif, first, first + cycles * period);
            let (Some(before), Some(skipped)) = (before, skipped) else { continue };
            let iteration = known.duration.value / f64::from(shape.period);
            let of = |of: fn(&PerIteration) -> f64| (of(&skipped) - of(&before)) / iteration;
            let (mean, longest) = (of(|of| of.mean), of(|of| of.longest));
            let most = if mean.abs() > longest.abs() { mean } else { longest };
            if most.abs() > f64::from(self.plan.tolerance_millionths) / 1e6 {
                let (more, name) =
                    (if most > 0.0 { "longer" } else { "shorter" }, &self.jobs[job].name);
                return Err(format!(
                    "the iterations of job '{name}' that could be skipped compute {:.2} % of an \
                     iteration {more} than those watched",
                    100.0 * most.abs()
                ));
            }
            known.computing = most.abs();
        }
        Ok(())
    }

    /// Jumps.
    pub(super) fn jump<Q: ProcessGroup>(
        &mut self,
        network: &mut Net,
        peers: &mut Q,
        at: usize,
        known: &[Option<Known>],
        found: &Distance,
        now: Time,
    ) {
        self.close(now);
        let mut cycles = found.cycles.iter().copied();
        let by_job: Vec<Option<u64>> = (0..self.jobs.len())
            .map(|job| {
                matches!(self.doing[job], Doing::Repeats(_)).then(|| cycles.next()).flatten()
            })
            .collect();
        self.count(network, peers, at, &by_job, found.time, now);
        self.note(known, &by_job, found, now);
        for (job, cycles) in by_job.iter().enumerate() {
            if let Some(cycles) = cycles {
                self.leave_out(network, job, *cycles, now);
            }
        }
        let mut terminals = Vec::new();
        for host in network.hosts_mut() {
            terminals.append(&mut host.bring_forward(now, found.time));
        }
        terminals.sort_unstable();
        network.start_again(&terminals, now);
        network.probes_mut().for_each(|recorder| recorder.rows.bring_forward(now, found.time));
        network.bring_paths_forward(now, found.time);
        self.timeline.jump(now, found.time);
        self.restart(now);
    }

    /// Lets all ranks of a job leave out iterations, and notes how later records number theirs.
    fn leave_out(&mut self, network: &mut Net, job: usize, cycles: u64, now: Time) {
        let Doing::Repeats(of_loop) = self.doing[job] else { return };
        let shape = self.jobs[job].loops[usize::from(of_loop)];
        let id = job as u16;
        let count = (cycles * u64::from(shape.period)).min(u64::from(u32::MAX)) as u32;
        if count == 0 {
            return;
        }
        let mut before = u32::MAX;
        if !shape.is_endless() {
            // Programs number their iterations as if nothing had been left out.
            let first = self.all.latest[&(id, of_loop)] + 1;
            before = first;
            let gap = LeftOut { motif: shape.motif, first, count };
            network.hosts_mut().for_each(|host| host.leave_out(id, gap));
            self.own.leave_out((id, of_loop), first, count);
            if let Some(latest) = self.all.latest.get_mut(&(id, of_loop)) {
                *latest += count;
            }
        }
        self.renumbered.push(Renumbered { at: now, job: id, motif: shape.motif, before, count });
    }

    /// Counts skipped time at the rates of a sample.
    fn count<Q: ProcessGroup>(
        &mut self,
        network: &Net,
        peers: &mut Q,
        at: usize,
        by_job: &[Option<u64>],
        time: Time,
        now: Time,
    ) {
        let sample = &self.samples[at];
        let counts = Counts::of(network, self.jobs.len(), now);
        // By job: the latest cycle that all of its ranks have started.
        let of_ranks = |job: usize| {
            let latest = self.own.starts(job).iter().filter_map(|starts| starts.latest);
            latest.map(|start| start.cycle).min().unwrap_or(u32::MAX)
        };
        let common: Vec<u32> = (0..self.jobs.len()).map(of_ranks).collect();
        let common = peers.all_gather(common).into_iter().reduce(|one, other| {
            one.into_iter().zip(other).map(|(one, other)| one.min(other)).collect()
        });
        let common = common.unwrap_or_default();
        // By job: how far its ranks come in skipped time, and how far they have come in the sample.
        let mut both = vec![(Progress::default(), Progress::default()); self.jobs.len()];
        for (job, cycles) in by_job.iter().enumerate() {
            let Some(cycles) = cycles else { continue };
            let latest = self.own.starts(job);
            for (rank, (first, last)) in sample.starts[job].iter().zip(latest).enumerate() {
                let (Some(first), Some(last)) = (first, last.of(common[job])) else { continue };
                let share = (u128::from(*cycles), u128::from(last.cycle - first.cycle));
                let place = (job as u16, rank as u32);
                self.skipped.add_rank(place, &first.totals, &last.totals, share);
                both[job].0.add(&first.totals, &last.totals, share);
            }
            both[job].1 = counts.progress[job].since(sample.counts.progress[job]);
        }
        let both = peers.all_gather(both).into_iter().reduce(|sums, more| {
            let pairs = sums.into_iter().zip(more);
            pairs.map(|(sum, more)| (sum.0.and(more.0), sum.1.and(more.1))).collect()
        });
        let whole: Share = (u128::from(time), u128::from(now - sample.at));
        let both = both.unwrap_or_default().into_iter();
        let shares: Vec<Shares> =
            both.map(|(skipped, sampled)| Shares::of(skipped, sampled, whole)).collect();
        self.skipped.add_links(&sample.counts, &counts, &shares);
        let both = peers.gather((sample.counts.of_jobs.clone(), counts.of_jobs));
        let both = both.and_then(|all| {
            all.into_iter().reduce(|sums, more| (sums.0.and(more.0), sums.1.and(more.1)))
        });
        if let Some((before, after)) = both {
            self.skipped.add_jobs(after.since(&before, &shares));
        }
    }

    /// Adds the rows of skipped time, and what it relies on.
    fn note(
        &mut self,
        known: &[Option<Known>],
        by_job: &[Option<u64>],
        found: &Distance,
        now: Time,
    ) {
        let start = self.timeline.shown(now);
        let of = |job: usize| {
            let period = u64::from(self.period(job)?);
            Some((by_job[job]? * period, known[job].map(|of| of.duration)))
        };
        let stretch = Stretch {
            number: self.stretches,
            start,
            end: start + found.time,
            doing: &self.doing,
            skipped: true,
        };
        let rows: Vec<EpochRow> =
            stretch.rows(of).into_iter().map(|row| self.per_iteration(row)).collect();
        self.rows.extend(rows);
        let rest = |job: usize| {
            let (known, cycles) = (known[job]?, by_job[job]?);
            let time = cycles as f64 * known.duration.value;
            Some((known, (time - found.time as f64).abs()))
        };
        self.promises.push(Promise {
            stretch: self.stretches,
            jump: found.time,
            jobs: (0..self.jobs.len()).map(rest).collect(),
            change: vec![None; self.jobs.len()],
            over: false,
        });
        self.stretches += 1;
    }

    /// Gives the record of an iteration the number that it has with those left out.
    pub(crate) fn renumber(&self, record: &mut IterationRecord) {
        for gap in &self.renumbered {
            let of_job = (gap.job, gap.motif) == (record.job, record.mark.motif);
            if of_job && record.end >= gap.at && record.mark.iteration < gap.before {
                record.mark.iteration = record.mark.iteration.saturating_add(gap.count);
            }
        }
    }
}

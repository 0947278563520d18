//! [`Skipper`]: follows the epochs of a run and decides when it jumps.

use crate::output::epoch_record::EpochRow;
use crate::output::recorder::Net;
use crate::plan::{PacketRecord, Plan, SkipPlan};
use crate::run::process_group::ProcessGroup;
use crate::run::rank_reports::Status;
use crate::run::skip::counts::{Counts, Skipped};
use crate::run::skip::cycles::{AllCycles, CycleStart, Delivered, OwnCycles};
use crate::run::skip::epochs::{Doing, Job, Stretch, doing, why_other};
use crate::run::skip::judgement::Known;
use crate::run::skip::steady::Mean;
use crate::run::skip::timeline::Timeline;
use pantala_engine::{NEVER, Time};
use pantala_mpi::IterationStart;
use pantala_workload::programs::Loop;
use pantala_workload::{Endpoints, Workload};

/// The start of a sample.
#[derive(Debug)]
pub(super) struct Sample {
    /// The core's time.
    pub(super) at: Time,
    /// The cycles of the slowest job of the epoch until then.
    pub(super) cycles: u32,
    /// By job: the first cycle that starts after it on all ranks.
    pub(super) first: Vec<u32>,
    pub(super) counts: Counts,
    /// By job and rank: the first start of a cycle after it.
    pub(super) starts: Vec<Vec<Option<CycleStart>>>,
    /// Sum of the estimates of q_adaptive.
    pub(super) estimates: u128,
}

/// What a jump relied on, to be compared with what follows it.
#[derive(Clone, Debug)]
pub(super) struct Promise {
    /// The number of its stretch in the table.
    pub(super) stretch: u32,
    pub(super) jump: Time,
    /// By job: what was known before it, and the rest of its cycles.
    pub(super) jobs: Vec<Option<(Known, f64)>>,
    pub(super) change: Vec<Option<Change>>,
    /// Whether its epoch has ended: what comes later says nothing of it.
    pub(super) over: bool,
}

/// How the cycles of a job after a jump differ from those before it, relative to these.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Change {
    /// The difference of the mean durations.
    pub(super) duration: f64,
    /// The half width that epochs add to the duration, and to the communication time.
    pub(super) between: f64,
    pub(super) communication: f64,
}

/// What the plan has set, as the core's clock sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Outlook {
    /// The end of the run; `NEVER` without one.
    pub(crate) duration: Time,
}

/// Iterations left out in one jump, for the numbers of later records.
#[derive(Clone, Copy, Debug)]
pub(super) struct Renumbered {
    pub(super) at: Time,
    pub(super) job: u16,
    pub(super) motif: u16,
    /// Marks below this number get `count` more.
    pub(super) before: u32,
    pub(super) count: u32,
}

/// Follows a run.
#[derive(Debug)]
pub(crate) struct Skipper {
    pub(super) plan: SkipPlan,
    /// Jumps happen at multiples of this time and are multiples of it.
    pub(super) grid: Time,
    /// The longest window of the record.
    pub(super) longest_window: Time,
    pub(super) jobs: Vec<Job>,
    /// The time from which, and until which, packets are recorded, if the plan sets an end.
    pub(super) detail: Option<(Time, Time)>,
    pub(super) own: OwnCycles,
    pub(super) all: AllCycles,
    pub(crate) timeline: Timeline,
    pub(super) renumbered: Vec<Renumbered>,
    /// The present epoch: its start in the core's time, what jobs do, and the first cycles in it.
    pub(super) begins: Time,
    pub(super) doing: Vec<Doing>,
    pub(super) first: Vec<u32>,
    /// By job: what a pattern has delivered at each check of the epoch.
    pub(super) delivered: Vec<Vec<Delivered>>,
    /// By job: its loop, and the cycles of it that were simulated before the epoch.
    pub(super) before: Vec<(Doing, u32)>,
    /// The cycles of the slowest job from which a jump is tried again.
    pub(super) again: u32,
    pub(super) samples: Vec<Sample>,
    pub(super) skipped: Skipped,
    pub(super) rows: Vec<EpochRow>,
    pub(super) stretches: u32,
    pub(super) promises: Vec<Promise>,
    /// Why nothing was skipped in the present epoch so far.
    pub(super) reason: Option<String>,
    /// Why nothing was skipped in the longest epoch without a jump, and its length.
    pub(super) longest: Option<(Time, String)>,
    pub(super) starts: Vec<IterationStart>,
    /// The time of the latest check.
    pub(super) checked: Time,
}

impl Skipper {
    /// Returns the skipper of a plan with `skip`, whose jobs have these workloads.
    pub(crate) fn of(plan: &Plan, workloads: &[Workload]) -> Option<Self> {
        let skip = plan.skip?;
        let record = &plan.record;
        let windows = [
            Some(record.window_ps),
            record.link_windows.then_some(record.link_window_ps),
            Some(record.routing_windows_ps),
            Some(record.latency_windows_ps),
            Some(record.nic_windows_ps),
            record.blame.map(|blame| blame.window_ps),
            Some(record.call_windows_ps),
        ];
        let of_links = [
            record.ports.as_ref().map(|of| &of.windows_ps),
            record.system.as_ref().map(|of| &of.windows_ps),
            record.routers.as_ref().map(|of| &of.windows_ps),
        ];
        let windows = windows.into_iter().flatten();
        let all: Vec<Time> =
            windows.chain(of_links.into_iter().flatten().flatten().copied()).collect();
        let grid = all.iter().copied().filter(|length| *length > 0).fold(1, common_multiple);
        let job = |(job, workload): (&crate::plan::JobPlan, &Workload)| {
            let (loops, computing) = match workload {
                Workload::Pattern(_) => Default::default(),
                Workload::Programs(programs) => programs.recorded_loops(job.ranks, job.repeat),
            };
            let works = match workload {
                Workload::Programs(of) if !loops.is_empty() => of.ranks_that_work(job.ranks),
                _ => vec![true; job.ranks as usize],
            };
            Job {
                name: job.name.clone(),
                ranks: job.ranks,
                busy: works.iter().filter(|works| **works).count() as u32,
                works,
                start: job.start_ps,
                end: if job.end_ps > 0 { job.end_ps } else { NEVER },
                is_pattern: workload.is_endless(),
                loops,
                computing,
            }
        };
        let jobs: Vec<Job> = plan.jobs.iter().zip(workloads).map(job).collect();
        let loops: Vec<Vec<Loop>> = jobs.iter().map(|job| job.loops.clone()).collect();
        let ranks: Vec<u32> = jobs.iter().map(|job| job.ranks).collect();
        let (from, until) = (record.packet_from_ps, record.packet_until_ps);
        let detail = record.packets != PacketRecord::Off && until > 0;
        Some(Self {
            plan: skip,
            grid,
            longest_window: all.into_iter().max().unwrap_or(0),
            detail: detail.then_some((from, until)),
            own: OwnCycles::new(loops, &ranks),
            all: AllCycles::default(),
            timeline: Timeline::default(),
            renumbered: Vec::new(),
            begins: 0,
            doing: jobs.iter().map(Job::first).collect(),
            first: vec![0; jobs.len()],
            delivered: vec![Vec::new(); jobs.len()],
            before: vec![(Doing::Waits, 0); jobs.len()],
            again: 0,
            samples: Vec::new(),
            skipped: Skipped::default(),
            rows: Vec::new(),
            stretches: 0,
            promises: Vec::new(),
            reason: None,
            longest: None,
            starts: Vec::new(),
            checked: 0,
            jobs,
        })
    }

    /// Returns the time of which jumps happen at multiples.
    pub(crate) const fn grid(&self) -> Time {
        self.grid
    }

    /// Returns the next time at which a jump can happen, if all before `done` is handled and the
    /// next event is at `next`: the last one before that event, or else the first one after it. A
    /// job whose ranks all compute at that time is followed, too.
    pub(crate) const fn next(&self, done: Time, next: Time) -> Time {
        let before = next - next % self.grid;
        if before > done { before } else { before.saturating_add(self.grid) }
    }

    /// Takes the starts of iterations from the hosts here.
    pub(crate) fn listen<'a>(&mut self, hosts: impl Iterator<Item = &'a mut Endpoints>) {
        let mut starts = std::mem::take(&mut self.starts);
        hosts.for_each(|host| host.take_starts(&mut starts));
        // The order inside a step does not matter, as each rank is in one host.
        for start in starts.drain(..) {
            let job = usize::from(start.job);
            if !self.jobs[job].works[start.rank as usize] {
                continue;
            }
            self.own.take(&start);
            let Some(latest) = self.own.starts(job)[start.rank as usize].latest else { continue };
            for sample in &mut self.samples {
                let first = &mut sample.starts[job][start.rank as usize];
                if first.is_none() && latest.time >= sample.at && latest.cycle >= sample.first[job]
                {
                    *first = Some(latest);
                }
            }
        }
        self.starts = starts;
    }

    /// Follows the run at `now`, a multiple of the grid up to which everything is handled, and
    /// jumps if all is steady. Returns whether it has jumped.
    pub(crate) fn check<Q: ProcessGroup>(
        &mut self,
        network: &mut Net,
        peers: &mut Q,
        status: &Status,
        now: Time,
        outlook: Outlook,
    ) -> bool {
        self.checked = now;
        let jobs = 0..self.jobs.len();
        let sum = |job: usize| {
            let mut sum = Delivered::default();
            for of in network.probes().map(|recorder| &recorder.jobs[job]) {
                let (bytes, packets) = (of.delivered_bytes, of.latency.count());
                sum.add(Delivered { bytes, packets, latency: of.latency.sum() });
            }
            sum
        };
        let of =
            |job: usize| if self.jobs[job].is_pattern { sum(job) } else { Delivered::default() };
        let delivered = jobs.map(of).collect();
        let heard = self.own.heard(delivered);
        let news = self.all.add(peers.all_gather(heard));
        let shown = self.timeline.shown(now);
        let doing = doing(&self.jobs, &self.all, status, shown);
        if doing != self.doing {
            self.begin(doing, now);
        }
        for (series, delivered) in self.delivered.iter_mut().zip(&self.all.delivered) {
            series.push(*delivered);
        }
        if !self.can_be_steady() {
            let other = self.doing.iter().position(|doing| *doing == Doing::Other);
            if let (Some(job), None) = (other, &self.reason) {
                self.reason = Some(why_other(&self.jobs[job]));
            }
            return false;
        }
        if !(news || self.only_patterns()) {
            return false;
        }
        let cycles = self.cycles_of_slowest();
        if cycles == 0 {
            return false;
        }
        let due = self.samples.last().map_or(1, |last| last.cycles * 2);
        if cycles >= due {
            self.sample(network, peers, now, cycles);
        }
        if cycles < self.again {
            return false;
        }
        let Some((at, mut known)) = self.steady() else { return false };
        if !self.has_learned(network, peers, at) {
            self.reason = Some("the estimates of q_adaptive still change".to_owned());
            return false;
        }
        let found = self
            .distance(&known, now, outlook)
            .ok_or_else(|| "what is left to simulate is too short".to_owned());
        let found =
            found.and_then(|found| self.computes_alike(at, &mut known, &found).map(|()| found));
        match found {
            Ok(found) => {
                self.jump(network, peers, at, &known, &found, now);
                true
            }
            Err(reason) => {
                self.reason = Some(reason);
                self.again = 2 * cycles;
                false
            }
        }
    }

    /// Begins an epoch.
    pub(super) fn begin(&mut self, doing: Vec<Doing>, now: Time) {
        self.close(now);
        if let Some(promise) = self.promises.last_mut() {
            promise.over = true;
        }
        self.doing = doing;
        self.restart(now);
    }

    /// Forgets the samples: what follows `now` is judged by itself.
    pub(super) fn restart(&mut self, now: Time) {
        self.begins = now;
        self.again = 0;
        self.samples.clear();
        self.delivered.iter_mut().for_each(Vec::clear);
        self.first = self.next_cycles();
        let of = |((doing, first), job): ((&Doing, &u32), &Job)| match doing {
            Doing::Repeats(of_loop) => Some((*of_loop, *first, job.busy)),
            _ => None,
        };
        self.all.begin(self.doing.iter().zip(&self.first).zip(&self.jobs).map(of));
    }

    /// By job, the first cycle of its present loop that starts after now on all ranks.
    fn next_cycles(&self) -> Vec<u32> {
        let of = |(job, doing): (u16, &Doing)| match doing {
            Doing::Repeats(of_loop) => {
                let shape = self.jobs[usize::from(job)].loops[usize::from(*of_loop)];
                let latest = self.all.latest.get(&(job, *of_loop)).copied();
                latest.map_or(0, |latest| (latest - shape.first) / shape.period + 1)
            }
            _ => 0,
        };
        (0..).zip(&self.doing).map(of).collect()
    }

    /// Ends the present stretch of simulated time in the table, and compares it with what the last
    /// jump promised.
    pub(super) fn close(&mut self, now: Time) {
        let (start, end) = (self.timeline.shown(self.begins), now + self.timeline.skipped_at(now));
        let means: Vec<(usize, Option<Mean>)> =
            (0..self.jobs.len()).map(|job| self.durations(job)).collect();
        self.keep_reason(now);
        for (before, (doing, (cycles, _))) in
            self.before.iter_mut().zip(self.doing.iter().zip(&means))
        {
            match doing {
                Doing::Repeats(_) if before.0 == *doing => before.1 += *cycles as u32,
                Doing::Repeats(_) => *before = (*doing, *cycles as u32),
                _ => {}
            }
        }
        let communication: Vec<Option<Mean>> =
            (0..self.jobs.len()).map(|job| self.communication(job)).collect();
        if let Some(promise) = self.promises.last_mut().filter(|promise| !promise.over) {
            for (job, change) in promise.change.iter_mut().enumerate() {
                let (Some((before, _)), None) = (promise.jobs[job], *change) else { continue };
                let Some(after) = means[job].1 else { continue };
                let duration = before.duration;
                *change = Some(Change {
                    duration: after.value / duration.value - 1.0,
                    between: duration.between(&after) / duration.value,
                    communication: communication[job]
                        .map_or(0.0, |after| before.communication.between(&after))
                        / before.communication.value.max(1.0),
                });
            }
        }
        if end > start {
            let of = |job: usize| {
                let period = self.period(job)?;
                Some((means[job].0 as u64 * u64::from(period), means[job].1))
            };
            let doing = &self.doing;
            let stretch = Stretch { number: self.stretches, start, end, doing, skipped: false };
            let rows = stretch.rows(of).into_iter().map(|row| self.per_iteration(row));
            let rows: Vec<EpochRow> = rows.collect();
            self.rows.extend(rows);
            self.stretches += 1;
        }
    }

    /// The iterations of a cycle of a job that repeats.
    pub(super) fn period(&self, job: usize) -> Option<u32> {
        match self.doing[job] {
            Doing::Repeats(of_loop) => Some(self.jobs[job].loops[usize::from(of_loop)].period),
            _ => None,
        }
    }

    /// A row whose times are those of iterations instead of cycles.
    pub(super) fn per_iteration(&self, mut row: EpochRow) -> EpochRow {
        let period = f64::from(self.period(usize::from(row.job)).unwrap_or(1));
        row.mean = row.mean.map(|mean| mean / period);
        row.error = row.error.map(|error| error / period);
        row
    }

    /// The number of complete cycles of a job in the epoch, and their mean duration in ps.
    fn durations(&self, job: usize) -> (usize, Option<Mean>) {
        let cycles = self.all.complete(job, self.first[job]);
        (cycles.len(), cycles.mean(|sums| sums.time, self.jobs[job].busy))
    }

    /// The mean communication time of the complete cycles of a job in the epoch, in ps.
    fn communication(&self, job: usize) -> Option<Mean> {
        let cycles = self.all.complete(job, self.first[job]);
        cycles.mean(|sums| sums.communication, self.jobs[job].busy)
    }

    /// The cycles of its present loop that a job has been watched for, in all epochs.
    pub(super) fn watched(&self, job: usize) -> u32 {
        let before = self.before[job];
        let earlier = if before.0 == self.doing[job] { before.1 } else { 0 };
        earlier + self.all.complete(job, self.first[job]).len() as u32
    }

    /// Keeps the reason of the present epoch if it is the longest one so far.
    fn keep_reason(&mut self, now: Time) {
        let length = now.saturating_sub(self.begins);
        let Some(reason) = self.reason.take() else { return };
        if self.longest.as_ref().is_none_or(|(longest, _)| length > *longest) {
            self.longest = Some((length, reason));
        }
    }

    /// Whether every job that runs repeats or is a pattern, and one does run.
    fn can_be_steady(&self) -> bool {
        let runs = |doing: &&Doing| !matches!(doing, Doing::Waits | Doing::Over);
        self.doing.iter().any(|doing| runs(&doing)) && !self.doing.contains(&Doing::Other)
    }

    fn only_patterns(&self) -> bool {
        !self.doing.iter().any(|doing| matches!(doing, Doing::Repeats(_)))
    }

    /// The cycles of the epoch that the slowest job has completed; without one, the checks.
    fn cycles_of_slowest(&self) -> u32 {
        let of = |(job, doing): (usize, &Doing)| match doing {
            Doing::Repeats(_) => Some(self.all.complete(job, self.first[job]).len()),
            Doing::Pattern => Some(self.delivered[job].len().saturating_sub(1)),
            _ => None,
        };
        self.doing.iter().enumerate().filter_map(of).min().unwrap_or(0) as u32
    }

    /// Starts a sample, and forgets the oldest one if there are many.
    fn sample<Q: ProcessGroup>(&mut self, network: &Net, peers: &mut Q, now: Time, cycles: u32) {
        const MOST: usize = 4;
        if self.samples.len() == MOST {
            self.samples.remove(0);
        }
        let none = |job: &Job| vec![None; job.ranks as usize];
        self.samples.push(Sample {
            at: now,
            cycles,
            first: self.next_cycles(),
            counts: Counts::of(network, self.jobs.len(), now),
            starts: self.jobs.iter().map(none).collect(),
            estimates: estimates(network, peers),
        });
    }
}

/// Returns the sum of all finite estimates of q_adaptive in all processes, in ns.
pub(super) fn estimates<Q: ProcessGroup>(network: &Net, peers: &mut Q) -> u128 {
    peers.all_gather(network.estimates().sum_ns()).into_iter().sum()
}

/// Returns the least common multiple of two lengths.
fn common_multiple(one: Time, other: Time) -> Time {
    let (mut a, mut b) = (one, other);
    while b > 0 {
        (a, b) = (b, a % b);
    }
    (one / a.max(1)).saturating_mul(other)
}

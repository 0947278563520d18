//! A simulation: the loop of steps and windows in which a plan runs.

mod records;
mod setup;
mod watchdog;

pub use setup::MAX_THREADS;

use crate::output::epoch_record::SkipSummary;
use crate::output::link_record::LinkRecord;
use crate::output::link_traffic::LinkTraffic;
use crate::output::recorder::JobPackets;
use crate::output::recorder::Net;
use crate::output::results::Results;
use crate::output::streamed_tables::{Records, StreamedTables};
use crate::plan::Plan;
use crate::run::process_group::{ProcessGroup, SingleProcess};
use crate::run::rank_reports::Status;
use crate::run::skip::{Outlook, Skipper};
use crate::run::termination::{End, Progress};
use pantala_engine::{NEVER, Time};
use pantala_fabric::{MOST_GROUP_CELLS, MOST_LINK_CELLS};
use pantala_topology::Topology;
use pantala_workload::Endpoints;
use std::path::PathBuf;
use std::sync::Arc;

/// A plan with its network, hosts and recorders. With several processes, it holds the partitions of
/// this process.
pub struct Simulation<Q = SingleProcess> {
    /// The resolved plan.
    pub plan: Plan,
    /// The network, its hosts and recorders.
    pub network: Net,
    peers: Q,
    /// Packets per job in the local partitions, complete at the end of a run.
    jobs: Vec<JobPackets>,
    /// Records that no table has yet: records of the current window.
    records: Records,
    /// The tables have the records completed before this time.
    written: Time,
    /// The delivered packets when the rows of packets were last written.
    packets_written: u64,
    /// Largest number of records held at a time.
    max_held: usize,
    tables: StreamedTables,
    /// The run directory. `None`: tables are only hashed.
    directory: Option<PathBuf>,
    link_traffic: LinkTraffic,
    link_record: Option<LinkRecord>,
    /// Skips time, if the plan asks for it.
    skipper: Option<Skipper>,
    topology: Arc<Topology>,
    /// By job: whether the run ends only after this job has ended.
    awaited: Vec<bool>,
    /// Number of packet moves up to the latest step with a move, and the end of that step.
    moved: (u64, Time),
    /// When to look next for ranks that wait for each other beside jobs without an end.
    next_look: Time,
    /// All events before this time have been handled.
    until: Time,
    /// Length of the run in simulated time.
    simulated: Time,
    /// Time of the last event of all partitions.
    now: Time,
}

/// Returns the length of a step, after which the observer is called: a sixteenth of a window, but
/// at most ten microseconds, and at least one or, if it is shorter, the window. Results do not
/// depend on it.
fn step_of(window: Time) -> Time {
    (window / 16).min(10_000_000).max(window.min(1_000_000)).max(1)
}

impl<Q: ProcessGroup> Simulation<Q> {
    /// Lengthens the plan's duration after it has ended a run. [`run`](Self::run) then continues,
    /// and the results are the results of one run of the longer plan. If link windows are recorded,
    /// the old duration must be a multiple of the window.
    pub fn extend(&mut self, duration: Time) {
        debug_assert!(duration > self.plan.stop.duration_ps, "longer");
        self.plan.stop.duration_ps = duration;
    }

    /// Runs to the end. After each step it calls `observe`, which stops the run by returning false.
    pub fn run(&mut self, mut observe: impl FnMut(&Progress) -> bool) -> End {
        let (window, step) = self.pieces();
        let mut duration = self.duration();
        let mut window_ends = (self.until / window).saturating_add(1).saturating_mul(window);
        self.link_traffic.begin(self.until);
        let until_next = |simulation: &Self, now: Time, window_ends: Time, duration: Time| {
            let ends = simulation.links_end().min(simulation.link_traffic.ends);
            let done = simulation.until;
            let jump = simulation.skipper.as_ref().map_or(NEVER, |skipper| skipper.next(done, now));
            let look = simulation.next_look;
            ((now / step + 1) * step).min(window_ends).min(ends).min(duration).min(jump).min(look)
        };
        let mut until = until_next(self, self.until, window_ends, duration);
        let (end, status) = loop {
            self.advance(until);
            let mut status = self.status();
            if until == self.link_traffic.ends {
                self.close_window(if status.idle() { status.now } else { until });
                self.link_traffic.begin(until);
            }
            if until == window_ends {
                window_ends += window;
                if self.accompanied() && status.finished(&self.awaited) {
                    self.network.hosts_mut().for_each(|host| host.settle(until));
                    let status = self.status();
                    break (status.failure().unwrap_or(End::Finished), status);
                }
            }
            // A failed job ends; the others run on.
            if let Some(end) = status.failure().filter(|_| status.finished(&self.awaited)) {
                break (end, status);
            }
            if until == duration {
                break (status.failure().unwrap_or(End::Duration), status);
            }
            if status.idle() {
                break (self.standstill(&status), status);
            }
            if let Some(end) = self.watchdog(&status) {
                break (end, status);
            }
            if let Some(end) = self.deadlocked(&status) {
                break (end, status);
            }
            if self.any(!observe(&self.progress(&status)) || self.tables.failed()) {
                break (End::Interrupted, status);
            }
            // The window in which the run ends stays open for what the links still send.
            if until == self.links_end() {
                self.close_links(until, until, false);
            }
            self.write_packets(until, status.totals.packets_delivered);
            self.write_records(until - until % self.plan.record.window_ps);
            if self.jumps(&status, until) {
                duration = self.duration();
                status = self.status();
            }
            // Skip steps and windows without an event, but not the end of the window that ends the
            // run.
            let over = self.accompanied() && status.finished(&self.awaited);
            let next = if over { status.next.min(window_ends - 1) } else { status.next };
            if next >= window_ends {
                window_ends = (next - next % window).saturating_add(window);
            }
            while next >= self.link_traffic.ends {
                let ends = self.link_traffic.ends;
                let stalls = self.close_window(ends);
                let stalls = self.any(stalls);
                self.link_traffic.begin(if stalls { ends } else { next });
            }
            while next >= self.links_end() {
                self.close_links(self.links_end(), next, false);
            }
            until = until_next(self, next, window_ends, duration);
        };
        self.simulated = match end {
            End::Duration => duration,
            _ if status.idle() => status.now,
            _ => until,
        };
        self.close_window(self.simulated);
        self.close_links(self.simulated, NEVER, true);
        self.network.learn_before(self.simulated);
        if let Some(skipper) = &mut self.skipper {
            skipper.end(self.simulated);
        }
        self.take_jobs();
        let names: Vec<&str> = self.plan.jobs.iter().map(|job| job.name.as_str()).collect();
        end.with_names(&names)
    }

    /// Returns the end of the run that the plan sets, in the core's time.
    fn duration(&self) -> Time {
        let skipped = self.skipper.as_ref().map_or(0, |skipper| skipper.timeline.skipped());
        match self.plan.stop.duration_ps {
            0 => NEVER,
            duration => duration - skipped,
        }
    }

    /// Skips time at `until` if all jobs repeat. Returns whether it has.
    fn jumps(&mut self, status: &Status, until: Time) -> bool {
        let Some(skipper) = &mut self.skipper else { return false };
        if until % skipper.grid() != 0 {
            return false;
        }
        let duration = self.plan.stop.duration_ps;
        let outlook = Outlook { duration: if duration > 0 { duration } else { NEVER } };
        skipper.check(&mut self.network, &mut self.peers, status, until, outlook)
    }

    /// Returns the length of windows and steps. The end of a window matters only for jobs that the
    /// run waits for and that run with others. Otherwise there is one endless window.
    fn pieces(&self) -> (Time, Time) {
        let window = self.plan.record.window_ps;
        if self.accompanied() && self.awaited.contains(&true) {
            return (window, step_of(window));
        }
        (NEVER, step_of(window.max(1_000_000)))
    }

    /// Returns whether there are jobs that the run does not wait for.
    fn accompanied(&self) -> bool {
        self.awaited.contains(&false)
    }

    /// Stops the injection of patterns after a run and continues until the network is empty.
    pub fn drain(&mut self, mut observe: impl FnMut(&Progress) -> bool) -> End {
        let (window, step) = self.pieces();
        self.network.hosts_mut().for_each(Endpoints::stop_injection);
        let end = loop {
            let status = self.status();
            if status.idle() {
                break self.standstill(&status);
            }
            if let Some(end) = self.watchdog(&status) {
                break end;
            }
            if self.any(!observe(&self.progress(&status))) {
                break End::Interrupted;
            }
            // A step lies in one window, as in `run`.
            self.advance(status.next.saturating_add(step).min((status.next / window + 1) * window));
        };
        self.take_jobs();
        let names: Vec<&str> = self.plan.jobs.iter().map(|job| job.name.as_str()).collect();
        end.with_names(&names)
    }

    /// Handles all events before `until`.
    fn advance(&mut self, until: Time) {
        self.peers.advance(&mut self.network, until);
        self.until = until;
        for host in self.network.hosts_mut() {
            host.take_messages(&mut self.records.messages);
            host.take_iterations(&mut self.records.iterations);
            host.take_calls(&mut self.records.call_events);
        }
        if let Some(skipper) = &mut self.skipper {
            skipper.listen(self.network.hosts_mut());
        }
    }

    /// Returns the status of all partitions of all processes.
    fn status(&mut self) -> Status {
        let all = self.peers.all_gather(Status::of(&self.network));
        let Some(status) = all.into_iter().reduce(Status::and) else {
            unreachable!("this process is one of all")
        };
        self.now = status.now;
        status
    }

    /// Returns whether a fact holds in any process.
    fn any(&mut self, here: bool) -> bool {
        self.peers.all_gather(here).contains(&true)
    }

    /// Returns the packets per job in the local partitions, complete at the end of a run.
    #[must_use]
    pub fn jobs(&self) -> &[JobPackets] {
        &self.jobs
    }

    /// Returns the payload that each job has delivered in the local partitions up to the end of a
    /// run: window numbers, in order, and bytes.
    pub fn delivered(&self) -> impl Iterator<Item = Vec<(u64, u64)>> + '_ {
        let of =
            |job: &JobPackets| job.windows.iter().map(|w| (w.number, w.delivered_bytes)).collect();
        self.jobs.iter().map(of)
    }

    /// Returns the results after a run, to the first process only. The recorded data move to that
    /// process.
    pub fn results(&mut self) -> Option<Results> {
        self.write_records(NEVER);
        let jobs = std::mem::take(&mut self.jobs);
        let mut here = Results::of(&self.plan, &mut self.network, jobs, self.simulated);
        if let Some(blame) = self.plan.record.blame {
            let places = [
                (&mut here.blame_groups, MOST_GROUP_CELLS),
                (&mut here.blame_links, MOST_LINK_CELLS),
            ];
            for (places, most) in places {
                let counts = self.peers.all_gather(places.counts());
                places.settle(&counts, blame.window_ps, most);
            }
        }
        if let Some(skipper) = &mut self.skipper {
            skipper.complete(&self.plan, &mut here);
        }
        let mut all = self.peers.gather(here)?.into_iter().reduce(Results::and)?;
        if let Some(blame) = self.plan.record.blame {
            all.blame_links.keep_longest(blame.links);
        }
        Some(all)
    }

    fn progress(&self, status: &Status) -> Progress {
        let of_programs = status.progress();
        let fraction = match self.plan.stop.duration_ps {
            0 => of_programs,
            // The earlier of the two ends the run.
            duration => {
                let share = self.shown(self.until) as f64 / duration as f64;
                Some(share.min(1.0).max(of_programs.unwrap_or(0.0)))
            }
        };
        Progress {
            now: self.shown(self.until),
            packets_delivered: status.totals.packets_delivered,
            packet_hops: status.totals.packet_hops,
            ranks_done: status.ended,
            ranks: status.ranks,
            fraction,
        }
    }

    /// Returns the length of the run: the duration if it ended the run, the time of the last event
    /// if no event is left, otherwise the end of the last step. Zero before the run.
    #[must_use]
    pub fn simulated(&self) -> Time {
        self.shown(self.simulated)
    }

    /// Returns what the run has skipped, after it, if the plan has `skip`.
    #[must_use]
    pub fn skip_summary(&self, results: &Results) -> Option<SkipSummary> {
        let skipper = self.skipper.as_ref()?;
        Some(skipper.summary(self.simulated, &results.reports))
    }

    /// Returns the time that tables show for a time of the core.
    fn shown(&self, time: Time) -> Time {
        self.skipper.as_ref().map_or(time, |skipper| skipper.timeline.shown(time))
    }
}

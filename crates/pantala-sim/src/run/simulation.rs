//! A plan, running.

mod records;
mod setup;
mod watchdog;

pub use setup::MAX_THREADS;

use crate::output::recorder::JobPackets;
use crate::output::results::Results;
use crate::output::streamed_tables::{Records, StreamedTables};
use crate::plan::Plan;
use crate::run::process_group::{Alone, ProcessGroup};
use crate::run::rank_reports::{Net, Status};
use crate::run::termination::{End, Progress};
use pantala_engine::{NEVER, Time};
use pantala_workload::Endpoints;
use std::path::PathBuf;

/// A plan with its network, hosts and recorders; with other processes, the parts of it that are
/// here.
pub struct Simulation<Q = Alone> {
    /// The resolved plan.
    pub plan: Plan,
    /// The network, its hosts and recorders.
    pub network: Net,
    peers: Q,
    /// What jobs' packets have come to in the partitions that are here, up to the end of a run.
    jobs: Vec<JobPackets>,
    /// Records of windows that are not over, or that end with the current step.
    records: Records,
    /// Records completed before this time are written.
    written: Time,
    /// The most records that have been held at a time.
    max_held: usize,
    tables: StreamedTables,
    /// Where the tables are; `None` if they are only hashed.
    directory: Option<PathBuf>,
    link_bytes: Vec<u64>,
    endless: bool,
    /// Moves of packets by the latest step in which there was one, and that step's end.
    moved: (u64, Time),
    /// Up to when everything has happened.
    until: Time,
    /// How long the run was.
    simulated: Time,
    /// When the last event was, of all parts.
    now: Time,
}

/// Simulated time between looks at the clock and at signals: a sixteenth of a window, but at least
/// a microsecond, or a window if that is shorter, so that time passes in few pieces. Results do not
/// depend on it.
fn step_of(window: Time) -> Time {
    (window / 16).max(window.min(1_000_000)).max(1)
}

impl<Q: ProcessGroup> Simulation<Q> {
    /// Makes the plan's duration longer, for a run that it ended: [`run`](Self::run) goes on from
    /// there, and what comes out is that of a run of the longer plan. The old duration must be a
    /// multiple of the window if link windows are recorded.
    pub fn extend(&mut self, duration: Time) {
        debug_assert!(duration > self.plan.stop.duration_ps, "longer");
        self.plan.stop.duration_ps = duration;
    }

    /// Runs to the end; `observe` is called every now and then and may stop the run by answering
    /// false.
    pub fn run(&mut self, mut observe: impl FnMut(&Progress) -> bool) -> End {
        let (window, step) = self.pieces();
        let duration =
            if self.plan.stop.duration_ps > 0 { self.plan.stop.duration_ps } else { NEVER };
        let mut window_ends = (self.until / window + 1) * window;
        let mut until = ((self.until / step + 1) * step).min(window_ends).min(duration);
        let (end, status) = loop {
            self.advance(until);
            let status = self.status();
            if until == window_ends {
                self.close_window(window_ends - window);
                window_ends += window;
                if self.endless && status.finished() {
                    self.network.hosts_mut().for_each(|host| host.settle(until));
                    let status = self.status();
                    break (status.failure().unwrap_or(End::Finished), status);
                }
            }
            self.write_records(until - until % self.plan.record.window_ps);
            if let Some(end) = status.failure() {
                break (end, status);
            }
            if until == duration {
                break (End::Duration, status);
            }
            if status.idle() {
                break (self.standstill(&status), status);
            }
            if let Some(end) = self.watchdog(&status) {
                break (end, status);
            }
            if self.any_stops(!observe(&self.progress(&status)) || self.tables.failed()) {
                break (End::Interrupted, status);
            }
            // Nothing happens before the next event: go to the step that holds it, past windows
            // without any.
            let next = status.next;
            if next >= window_ends {
                self.close_window(window_ends - window);
                window_ends = (next / window + 1) * window;
            }
            until = ((next / step + 1) * step).min(window_ends).min(duration);
        };
        self.close_window(window_ends - window);
        self.simulated = match end {
            End::Duration => duration,
            _ if status.idle() => status.now,
            _ => until,
        };
        self.network.learn_before(self.simulated);
        self.take_jobs();
        end
    }

    /// In which windows and steps time passes. Only the bytes of links and the end of finite jobs
    /// beside endless ones are looked for at the end of a window; else there is one for ever.
    fn pieces(&self) -> (Time, Time) {
        let window = self.plan.record.window_ps;
        let all_endless = self.plan.jobs.iter().all(|job| job.workload.is_endless());
        if self.link_bytes.is_empty() && (all_endless || !self.endless) {
            return (NEVER, step_of(window.max(1_000_000)));
        }
        (window, step_of(window))
    }

    /// After a run: the patterns fall silent, and it goes on until nothing is left in the network.
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
            if self.any_stops(!observe(&self.progress(&status))) {
                break End::Interrupted;
            }
            // Like that of `run`, a step lies in one window.
            self.advance(status.next.saturating_add(step).min((status.next / window + 1) * window));
        };
        self.take_jobs();
        end
    }

    /// Handles every event before `until`.
    fn advance(&mut self, until: Time) {
        self.peers.advance(&mut self.network, until);
        self.until = until;
        for host in self.network.hosts_mut() {
            host.take_messages(&mut self.records.messages);
            host.take_iterations(&mut self.records.iterations);
        }
    }

    /// How far all parts are, wherever they are.
    fn status(&mut self) -> Status {
        let all = self.peers.all(Status::of(&self.network));
        let Some(status) = all.into_iter().reduce(Status::and) else {
            unreachable!("this process is one of all")
        };
        self.now = status.now;
        status
    }

    /// Whether anybody wants the run to stop.
    fn any_stops(&mut self, here: bool) -> bool {
        self.peers.all(here).contains(&true)
    }

    /// What has been recorded of jobs' packets in the parts that are here, up to the end of a run.
    #[must_use]
    pub fn jobs(&self) -> &[JobPackets] {
        &self.jobs
    }

    /// By job, the payload that has been delivered in the parts that are here, up to the end of a
    /// run: numbers of windows, in order, and bytes.
    pub fn delivered(&self) -> impl Iterator<Item = Vec<(u64, u64)>> + '_ {
        let of =
            |job: &JobPackets| job.windows.iter().map(|w| (w.number, w.delivered_bytes)).collect();
        self.jobs.iter().map(of)
    }

    /// After a run, what it has come to; for the first process only, if there are several. What has
    /// been recorded goes there.
    pub fn results(&mut self) -> Option<Results> {
        self.write_records(NEVER);
        let jobs = std::mem::take(&mut self.jobs);
        let here = Results::of(&self.plan, &self.network, jobs, self.simulated, self.now);
        self.peers.gather(here)?.into_iter().reduce(Results::and)
    }

    fn progress(&self, status: &Status) -> Progress {
        let of_programs = status.progress();
        let fraction = match self.plan.stop.duration_ps {
            0 => of_programs,
            // Whichever comes first ends the run.
            duration => {
                Some((self.until as f64 / duration as f64).min(1.0).max(of_programs.unwrap_or(0.0)))
            }
        };
        Progress {
            now: self.until,
            packets_delivered: status.totals.packets_delivered,
            packet_hops: status.totals.packet_hops,
            ranks_done: status.ended,
            ranks: status.ranks,
            fraction,
        }
    }

    /// How long the run was: its duration if that ended it; the time of the last event if none was
    /// left; else the time up to which everything has happened. Zero before the run.
    #[must_use]
    pub const fn simulated(&self) -> Time {
        self.simulated
    }
}

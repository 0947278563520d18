//! A plan, running.

use crate::coarsen;
use crate::columns::Written;
use crate::end::{End, Progress, deadlock};
use crate::error::{PlanError, WriteError};
use crate::fabric::fabric_config;
use crate::peers::{Alone, ProcessGroup};
use crate::plan::Plan;
use crate::ranks::{Net, Status, Waiting};
use crate::recorder::{JobPackets, LinkWindow, Recorder};
use crate::resolve::{Resolved, resolve};
use crate::results::Results;
use crate::streams::{Records, StreamedTables};
use pantala_engine::random::{key_of, mix};
use pantala_engine::{NEVER, Time};
use pantala_fabric::{Diagnosis, FabricConfig, Network, PartitionMap, PartitionShare, Totals};
use pantala_mpi::Recording;
use pantala_topology::Topology;
use pantala_workload::{Endpoints, JobSpec, PatternContext};
use std::path::{Path, PathBuf};
use std::sync::Arc;

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

/// No simulation runs on more threads.
pub const MAX_THREADS: u32 = 1_024;

/// Simulated time between looks at the clock and at signals: a sixteenth of a window, but at least
/// a microsecond, or a window if that is shorter, so that time passes in few pieces. Results do not
/// depend on it.
fn step_of(window: Time) -> Time {
    (window / 16).max(window.min(1_000_000)).max(1)
}

impl Simulation {
    /// Builds a simulation; packets delivered before `measure_from` count in the series only.
    ///
    /// # Errors
    /// A [`PlanError`] for the first fault of the plan.
    pub fn new(plan: Plan, measure_from: Time) -> Result<Self, PlanError> {
        Self::with_config(plan, measure_from, |_| {})
    }

    /// As [`new`](Self::new), with a fabric that is not quite as the plan says. For tests of the
    /// watchdog: what resolves without a warning has no network that gets stuck.
    ///
    /// # Errors
    /// A [`PlanError`] for the first fault of the plan.
    pub fn with_config(
        plan: Plan,
        measure_from: Time,
        change: impl FnOnce(&mut FabricConfig),
    ) -> Result<Self, PlanError> {
        Self::on_threads(plan, measure_from, 1, change)
    }

    /// As that, on so many threads: one for each part of the machine, so no more than it has
    /// groups, and one only where routers read the queues of other groups. Results do not depend on
    /// how many.
    ///
    /// # Errors
    /// A [`PlanError`] for the first fault of the plan, or if there are no threads or more than
    /// [`MAX_THREADS`].
    pub fn on_threads(
        plan: Plan,
        measure_from: Time,
        threads: u32,
        change: impl FnOnce(&mut FabricConfig),
    ) -> Result<Self, PlanError> {
        Self::among(Alone, plan, measure_from, threads, change)
    }
}

impl<Q: ProcessGroup> Simulation<Q> {
    /// Builds the parts of a simulation that are here: one for each thread, if there are no other
    /// processes; one, if there are.
    ///
    /// # Errors
    /// As [`on_threads`](Simulation::on_threads); and if there are more processes than groups.
    pub fn among(
        peers: Q,
        plan: Plan,
        measure_from: Time,
        threads: u32,
        change: impl FnOnce(&mut FabricConfig),
    ) -> Result<Self, PlanError> {
        if !(1..=MAX_THREADS).contains(&threads) {
            let message = format!("must be from 1 to {MAX_THREADS}");
            return Err(PlanError::new(
                "threads",
                threads,
                message,
                "give as many threads as there are idle cores",
            ));
        }
        let Resolved { plan, topology, estimates } = resolve(plan)?;
        let mut config = fabric_config(&plan);
        change(&mut config);
        let topology = Arc::new(topology);
        let (place, processes) = peers.place();
        let parts = match processes {
            1 if config.reads_everywhere() => 1,
            1 => threads,
            _ => processes_allowed(&config, &topology, processes)?,
        };
        let partitions = Arc::new(PartitionMap::new(&topology, parts));
        let jobs: Vec<JobSpec> = plan
            .jobs
            .iter()
            .map(|job| JobSpec {
                name: job.name.clone(),
                nodes: job.node_of_rank(),
                start: job.start_ps,
                noise: job.compute_noise,
                workload: job.workload.clone().into(),
            })
            .collect();
        let context = PatternContext {
            packet_bytes: plan.packet_bytes,
            flit_bytes: plan.flit_bytes,
            terminal_bytes_per_second: plan.links.terminal.bandwidth_bytes_per_s,
            group_of_node: (0..topology.nodes()).map(|n| topology.group_of_node(n)).collect(),
        };
        let recording =
            Recording { messages: plan.record.messages, iterations: plan.record.iterations };
        let recorder =
            Recorder::new(plan.jobs.len(), &plan.record, plan.nic.latency_from, measure_from);
        let mut ends = Vec::new();
        let here = if processes > 1 { place..place + 1 } else { 0..partitions.count() };
        for part in here.clone() {
            let share = PartitionShare { partitions: Arc::clone(&partitions), part };
            let share = (partitions.count() > 1).then_some(share);
            let host = Endpoints::in_partition(
                &jobs,
                plan.mpi,
                recording,
                &context,
                topology.nodes(),
                plan.seed,
                share,
            );
            let mut host = host.map_err(|error| {
                let part = if error.of_workload { ".workload" } else { "" };
                PlanError::at(&format!("jobs[{}]{part}", error.job), error.fault)
            })?;
            if let Some(grain) = coarsen::grain(&plan) {
                host.coarsen(grain);
            }
            ends.push((host, recorder.clone()));
        }
        let keys = routing_keys(&plan, topology.nodes());
        let links = (topology.routers() * topology.ports_per_router() + topology.nodes()) as usize;
        let endless = plan.jobs.iter().any(|job| job.workload.is_endless());
        let mut network = Network::new(&config, topology, partitions, here, &keys, ends);
        if let Some(estimates) = &estimates {
            network.start_from(estimates);
        }
        if plan.record.q_learning {
            network.record_learning(plan.record.window_ps);
        }
        Ok(Self {
            link_bytes: if plan.record.link_windows { vec![0; links] } else { Vec::new() },
            jobs: recorder.jobs,
            records: Records::default(),
            written: 0,
            max_held: 0,
            tables: StreamedTables::hashed(plan.record.window_ps),
            directory: None,
            plan,
            network,
            peers,
            endless,
            moved: (0, 0),
            until: 0,
            simulated: 0,
            now: 0,
        })
    }

    /// Makes the plan's duration longer, for a run that it ended: [`run`](Self::run) goes on from
    /// there, and what comes out is that of a run of the longer plan. The old duration must be a
    /// multiple of the window if link windows are recorded.
    pub fn extend(&mut self, duration: Time) {
        debug_assert!(duration > self.plan.stop.duration_ps, "longer");
        self.plan.stop.duration_ps = duration;
    }

    /// Has the tables written to `directory`, which is there: those whose rows come during the run
    /// while it goes on, the others by [`document::write`](crate::document::write). Call it before
    /// the run. Without it, tables are hashed and not written.
    ///
    /// # Errors
    /// A [`WriteError`] that names the file.
    ///
    /// # Panics
    /// If the run has begun: its first rows are gone.
    pub fn write_to(&mut self, directory: &Path) -> Result<(), WriteError> {
        assert!(self.until == 0, "a run is written from its beginning");
        self.tables = StreamedTables::new(Some(directory), self.plan.record.window_ps)?;
        self.directory = Some(directory.to_owned());
        Ok(())
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

    /// Takes over what the recorders that are here have of jobs.
    fn take_jobs(&mut self) {
        for recorder in self.network.probes_mut() {
            for (mine, theirs) in self.jobs.iter_mut().zip(&mut recorder.jobs) {
                mine.absorb(std::mem::take(theirs));
            }
        }
    }

    /// Writes the records completed before `time`, of all partitions and processes, if that has not
    /// happened yet. `time` is the end of a window, or of the run.
    fn write_records(&mut self, time: Time) {
        if time <= self.written {
            return;
        }
        self.written = time;
        for recorder in self.network.probes_mut() {
            self.records.packets.append(&mut recorder.packets);
        }
        self.max_held = self.max_held.max(self.records.len());
        let here = self.records.take_before(time);
        if let Some(all) = self.peers.gather(here) {
            self.tables.append(all.into_iter().reduce(Records::and).unwrap_or_default());
        }
    }

    /// The most records that have been in memory at a time, waiting for the end of their window.
    #[must_use]
    pub const fn max_records_held(&self) -> usize {
        self.max_held
    }

    /// Completes the tables whose rows came during the run, which are not here any more.
    pub(crate) fn finish_tables(&mut self) -> Result<[Written; 4], WriteError> {
        let hashed = StreamedTables::hashed(self.plan.record.window_ps);
        std::mem::replace(&mut self.tables, hashed).finish()
    }

    /// Where the tables are written, if they are.
    pub(crate) fn directory(&self) -> Option<&Path> {
        self.directory.as_deref()
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

    /// No event is left.
    fn standstill(&mut self, status: &Status) -> End {
        if status.in_flight > 0 {
            return self.stalled(status);
        }
        if status.finished() {
            return End::Finished;
        }
        if self.plan.jobs.iter().all(|job| job.workload.is_endless()) {
            // Patterns that send nothing: the plan's duration passes in silence.
            return End::Duration;
        }
        End::Stalled(deadlock(&Waiting::together(self.peers.all(Waiting::of(&self.network)))))
    }

    /// Packets in flight do not move.
    fn stalled(&mut self, status: &Status) -> End {
        let held = self.peers.all(self.network.held()).into_iter().flatten().collect();
        End::Stalled(Diagnosis::of(held, status.in_flight).to_string())
    }

    /// A run whose packets in flight do not move for the watchdog's time is stalled; nothing moves
    /// before the next event.
    fn watchdog(&mut self, status: &Status) -> Option<End> {
        let Totals { packet_hops, packets_delivered, flits_delivered, flits_injected, .. } =
            status.totals;
        let moves = packet_hops + packets_delivered + flits_delivered + flits_injected;
        let nothing_to_move = status.in_flight == 0;
        if moves != self.moved.0 || nothing_to_move {
            self.moved = (moves, self.until);
        }
        let still = status.next.saturating_sub(self.moved.1);
        (!nothing_to_move && still >= self.plan.stop.watchdog_ps).then(|| self.stalled(status))
    }

    /// Records the bytes that every link has carried since the last window.
    fn close_window(&mut self, start: Time) {
        if self.link_bytes.is_empty() {
            return;
        }
        let (network, known, windows) =
            (&self.network, &mut self.link_bytes, &mut self.records.link_windows);
        let (routers, ports) =
            (network.topology().routers(), network.topology().ports_per_router());
        let mut close = |link: u32, bytes: u64| {
            let carried = bytes - std::mem::replace(&mut known[link as usize], bytes);
            if carried > 0 {
                windows.push(LinkWindow { link, start, bytes: carried });
            }
        };
        for router in network.routers() {
            for port in 0..ports {
                close(
                    router * ports + port,
                    network.link_counters(router, port as u16, start).bytes,
                );
            }
        }
        for node in network.nodes() {
            close(routers * ports + node, network.injection_counters(node, start).bytes);
        }
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

/// As many parts as there are processes.
fn processes_allowed(
    config: &FabricConfig,
    topology: &Topology,
    processes: u16,
) -> Result<u32, PlanError> {
    const KEY: &str = "processes";
    let groups = topology.groups();
    if u32::from(processes) > groups {
        let message = format!(
            "more than the {groups} groups of the machine, and a process has one group at least"
        );
        return Err(PlanError::new(KEY, processes, message, format!("start at most {groups}")));
    }
    if config.reads_everywhere() {
        let message = "ugal_global reads the queues of all groups, which are in one process";
        return Err(PlanError::new(
            KEY,
            processes,
            message,
            "start one, or choose another routing",
        ));
    }
    Ok(processes.into())
}

/// One key a node for the routing's draws: a function of the job's name and the node's place in it
/// (the rank, if it has one), so that a job's packets draw the same alone and in company.
fn routing_keys(plan: &Plan, nodes: u32) -> Vec<u64> {
    let mut keys: Vec<u64> = (0..u64::from(nodes)).map(mix).collect();
    for job in &plan.jobs {
        let name = key_of(&job.name);
        for (place, &node) in job.nodes.iter().enumerate() {
            keys[node as usize] = mix(name ^ (place as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15));
        }
    }
    keys
}

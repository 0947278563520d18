//! A plan, running.

use crate::error::PlanError;
use crate::fabric::fabric_config;
use crate::plan::Plan;
use crate::ranks::{self, Net};
use crate::recorder::Recorder;
use crate::resolve::{Resolved, resolve};
use pantala_engine::random::{key_of, mix};
use pantala_engine::{NEVER, Time};
use pantala_fabric::{FabricConfig, Machine, Partitions, Share};
use pantala_mpi::{Blocked, IterationRecord, MessageRecord, Recording};
use pantala_topology::LinkClass;
use pantala_workload::{Endpoints, JobSpec, PatternContext};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Why a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// Every finite job has ended.
    Finished,
    /// The plan's duration is over.
    Duration,
    /// Somebody asked for it.
    Interrupted,
    /// Nothing moves any more: what the network or the ranks wait for.
    Stalled(String),
    /// A program did what MPI forbids.
    Failed(String),
}

impl End {
    /// The word in run.json.
    #[must_use]
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Finished => "finished",
            Self::Duration => "duration",
            Self::Interrupted => "interrupted",
            Self::Stalled(_) => "stalled",
            Self::Failed(_) => "failed",
        }
    }

    /// Whether the run has come to the end that its plan foresaw.
    #[must_use]
    pub const fn complete(&self) -> bool {
        matches!(self, Self::Finished | Self::Duration)
    }

    /// The diagnosis, if there is one.
    #[must_use]
    pub fn diagnosis(&self) -> Option<&str> {
        match self {
            Self::Stalled(text) | Self::Failed(text) => Some(text),
            _ => None,
        }
    }
}

/// How far a run is.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// Simulated time.
    pub now: Time,
    /// Packets delivered.
    pub packets_delivered: u64,
    /// Packet-hops.
    pub packet_hops: u64,
    /// Ranks whose program has ended.
    pub ranks_done: u32,
    /// Ranks with a program.
    pub ranks: u32,
    /// How much of the run is done, 0 to 1, where it can be told.
    pub fraction: Option<f64>,
}

/// Bytes of one link in one window.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LinkWindow {
    /// `router * ports + port`.
    pub link: u32,
    /// When the window starts.
    pub start: Time,
    /// Payload.
    pub bytes: u64,
}

/// A plan with its network, hosts and recorder.
pub struct Simulation {
    /// The resolved plan.
    pub plan: Plan,
    /// The network, its hosts and recorders.
    pub network: Net,
    /// What has been recorded of packets, all parts together, up to the end of a run.
    pub recorded: Recorder,
    /// Messages, in the order of delivery.
    pub messages: Vec<MessageRecord>,
    /// Iterations, in the order of their ends.
    pub iterations: Vec<IterationRecord>,
    /// Bytes by link and window.
    pub link_windows: Vec<LinkWindow>,
    link_bytes: Vec<u64>,
    endless: bool,
    /// Moves of packets by the latest step in which there was one, and that step's end.
    moved: (u64, Time),
    /// Up to when everything has happened.
    until: Time,
    /// How long the run was.
    simulated: Time,
}

/// No simulation runs on more threads.
pub const MOST_THREADS: u32 = 1_024;

/// Simulated time between looks at the clock and at signals: a sixteenth of a window, but at least a microsecond where windows are
/// as long, so that time passes in few pieces. Results do not depend on it.
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

    /// As [`new`](Self::new), with a fabric that is not quite as the plan says. For tests of the watchdog: what resolves
    /// without a warning has no network that gets stuck.
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

    /// As that, on so many threads: one for each part of the machine, so no more than it has groups, and one only where routers
    /// read the queues of other groups. Results do not depend on how many.
    ///
    /// # Errors
    /// A [`PlanError`] for the first fault of the plan, or if there are no threads or more than [`MOST_THREADS`].
    pub fn on_threads(
        plan: Plan,
        measure_from: Time,
        threads: u32,
        change: impl FnOnce(&mut FabricConfig),
    ) -> Result<Self, PlanError> {
        if !(1..=MOST_THREADS).contains(&threads) {
            let message = format!("must be from 1 to {MOST_THREADS}");
            return Err(PlanError::new("threads", threads, message, "give as many threads as there are idle cores"));
        }
        let Resolved { plan, topology, estimates } = resolve(plan)?;
        let mut config = fabric_config(&plan);
        change(&mut config);
        let topology = Arc::new(topology);
        let parts = if config.reads_everywhere() { 1 } else { threads };
        let partitions = Arc::new(Partitions::new(&topology, parts));
        let jobs: Vec<JobSpec> = plan
            .jobs
            .iter()
            .map(|job| JobSpec {
                name: job.name.clone(),
                nodes: job.nodes.clone(),
                start: job.start_ps,
                workload: job.workload.clone(),
            })
            .collect();
        let context = PatternContext {
            packet_bytes: plan.packet_bytes,
            flit_bytes: plan.flit_bytes,
            terminal_bytes_per_second: plan.links.terminal.bandwidth_bytes_per_s,
            group_of_node: (0..topology.nodes()).map(|n| topology.group_of_node(n)).collect(),
        };
        let recording = Recording { messages: plan.record.messages, iterations: plan.record.iterations };
        let recorder = Recorder::new(plan.jobs.len(), &plan.record, plan.nic.latency_from, measure_from);
        let mut ends = Vec::new();
        for part in 0..partitions.count() {
            let share = Share { partitions: Arc::clone(&partitions), part };
            let share = (partitions.count() > 1).then_some(share);
            let host = Endpoints::part(&jobs, plan.mpi, recording, &context, topology.nodes(), plan.seed, share);
            let host = host.map_err(|error| {
                let part = if error.of_workload { ".workload" } else { "" };
                PlanError::at(&format!("jobs[{}]{part}", error.job), error.fault)
            })?;
            ends.push((host, recorder.clone()));
        }
        let keys = routing_keys(&plan, topology.nodes());
        let links = (topology.routers() * topology.ports_per_router()) as usize;
        let endless = plan.jobs.iter().any(|job| job.workload.is_endless());
        let mut network = Machine::new(&config, topology, partitions, &keys, ends);
        if let Some(estimates) = &estimates {
            network.start_from(estimates);
        }
        if plan.record.q_learning {
            network.record_learning(plan.record.window_ps);
        }
        Ok(Self {
            link_bytes: if plan.record.link_windows { vec![0; links] } else { Vec::new() },
            plan,
            network,
            recorded: recorder,
            messages: Vec::new(),
            iterations: Vec::new(),
            link_windows: Vec::new(),
            endless,
            moved: (0, 0),
            until: 0,
            simulated: 0,
        })
    }

    /// Runs to the end; `observe` is called every now and then and may stop the run by answering false.
    pub fn run(&mut self, mut observe: impl FnMut(&Progress) -> bool) -> End {
        let window = self.plan.record.window_ps;
        let step = step_of(window);
        let duration = if self.plan.stop.duration_ps > 0 { self.plan.stop.duration_ps } else { NEVER };
        let mut window_ends = window;
        let mut until = step.min(window).min(duration);
        let end = loop {
            self.network.advance(until);
            self.until = until;
            for host in self.network.hosts_mut() {
                host.take_messages(&mut self.messages);
                host.take_iterations(&mut self.iterations);
            }
            if until == window_ends {
                self.close_window(window_ends - window);
                window_ends += window;
                if self.endless && ranks::finished(&self.network) {
                    break End::Finished;
                }
            }
            if let Some(error) = ranks::first_error(&self.network) {
                break End::Failed(error.to_string());
            }
            if until == duration {
                break End::Duration;
            }
            let next = self.network.next_time();
            if next == NEVER {
                break self.standstill();
            }
            if let Some(end) = self.watchdog(next) {
                break end;
            }
            if !observe(&self.progress()) {
                break End::Interrupted;
            }
            // Nothing happens before the next event: go to the step that holds it, past windows without any.
            if next >= window_ends {
                self.close_window(window_ends - window);
                window_ends = (next / window + 1) * window;
            }
            until = ((next / step + 1) * step).min(window_ends).min(duration);
        };
        self.close_window(window_ends - window);
        self.simulated = match end {
            End::Duration => duration,
            _ if self.network.next_time() == NEVER => self.network.now(),
            _ => until,
        };
        self.network.learn_before(self.simulated);
        self.gather();
        end
    }

    /// After a run: the patterns fall silent, and it goes on until nothing is left in the network.
    pub fn drain(&mut self, mut observe: impl FnMut(&Progress) -> bool) -> End {
        let window = self.plan.record.window_ps;
        let step = step_of(window);
        self.network.hosts_mut().for_each(Endpoints::silence);
        let end = loop {
            let next = self.network.next_time();
            if next == NEVER {
                break self.standstill();
            }
            if let Some(end) = self.watchdog(next) {
                break end;
            }
            if !observe(&self.progress()) {
                break End::Interrupted;
            }
            // Like that of `run`, a step lies in one window.
            self.until = next.saturating_add(step).min((next / window + 1) * window);
            self.network.advance(self.until);
        };
        self.gather();
        end
    }

    /// Puts what the parts have recorded together.
    fn gather(&mut self) {
        for part in self.network.probes_mut() {
            self.recorded.absorb(part);
        }
    }

    /// No event is left.
    fn standstill(&self) -> End {
        if self.network.packets_in_flight() > 0 {
            return End::Stalled(self.network.diagnose().to_string());
        }
        if ranks::finished(&self.network) {
            return End::Finished;
        }
        if self.plan.jobs.iter().all(|job| job.workload.is_endless()) {
            // Patterns that send nothing: the plan's duration passes in silence.
            return End::Duration;
        }
        End::Stalled(deadlock(&ranks::blocked(&self.network)))
    }

    /// A run whose packets in flight do not move for the watchdog's time is stalled; nothing moves before `next`.
    fn watchdog(&mut self, next: Time) -> Option<End> {
        let totals = self.network.totals();
        let moves = totals.packet_hops + totals.packets_delivered + totals.packets_injected;
        let nothing_to_move = self.network.packets_in_flight() == 0;
        if moves != self.moved.0 || nothing_to_move {
            self.moved = (moves, self.until);
        }
        let still = next.saturating_sub(self.moved.1);
        (!nothing_to_move && still >= self.plan.stop.watchdog_ps)
            .then(|| End::Stalled(self.network.diagnose().to_string()))
    }

    /// Notes what every local and global link has carried since the last window.
    fn close_window(&mut self, start: Time) {
        if self.link_bytes.is_empty() {
            return;
        }
        let topology = self.network.topology();
        let ports = topology.ports_per_router();
        for router in 0..topology.routers() {
            for port in 0..ports {
                if topology.class_of_port(port as u16) == LinkClass::Terminal {
                    continue;
                }
                let link = router * ports + port;
                let bytes = self.network.link_counters(router, port as u16).bytes;
                let carried = bytes - std::mem::replace(&mut self.link_bytes[link as usize], bytes);
                if carried > 0 {
                    self.link_windows.push(LinkWindow { link, start, bytes: carried });
                }
            }
        }
    }

    fn progress(&self) -> Progress {
        let totals = self.network.totals();
        let (ranks_done, ranks) = ranks::ended(&self.network);
        let of_programs = ranks::progress(&self.network);
        let fraction = match self.plan.stop.duration_ps {
            0 => of_programs,
            // Whichever comes first ends the run.
            duration => Some((self.until as f64 / duration as f64).min(1.0).max(of_programs.unwrap_or(0.0))),
        };
        Progress {
            now: self.until,
            packets_delivered: totals.packets_delivered,
            packet_hops: totals.packet_hops,
            ranks_done,
            ranks,
            fraction,
        }
    }

    /// How long the run was: its duration if that ended it; the time of the last event if none was left; else the time
    /// up to which everything has happened. Zero before the run.
    #[must_use]
    pub const fn simulated(&self) -> Time {
        self.simulated
    }
}

/// The diagnosis of ranks that wait for one another.
fn deadlock(blocked: &[Blocked]) -> String {
    const SHOWN: usize = 12;
    let ranks: BTreeSet<_> = blocked.iter().map(|b| (b.job, b.rank)).collect();
    let mut text = format!("{} ranks wait for one another (MPI deadlock):", ranks.len());
    for line in blocked.iter().take(SHOWN) {
        text.push_str(&format!("\n  {line}"));
    }
    if blocked.len() > SHOWN {
        text.push_str(&format!("\n  ... and {} more", blocked.len() - SHOWN));
    }
    text
}

/// One key a node for the routing's draws: a function of the job's name and the rank, so that a job's packets draw the same
/// alone and in company.
fn routing_keys(plan: &Plan, nodes: u32) -> Vec<u64> {
    let mut keys: Vec<u64> = (0..u64::from(nodes)).map(mix).collect();
    for job in &plan.jobs {
        let name = key_of(&job.name);
        for (rank, &node) in job.nodes.iter().enumerate() {
            keys[node as usize] = mix(name ^ (rank as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15));
        }
    }
    keys
}

#[cfg(test)]
mod tests {
    use super::*;
    use pantala_mpi::Waits;

    #[test]
    fn a_deadlock_is_told_rank_by_rank() {
        let wait = |rank| Blocked {
            job: 0,
            rank,
            call: "send",
            since: 5,
            waits: Waits::ToSend,
            peer: Some(rank ^ 1),
            tag: Some(3),
            bytes: 20_000,
            matched: false,
            peer_ended: false,
        };
        assert_eq!(
            deadlock(&[wait(0), wait(1)]),
            "2 ranks wait for one another (MPI deadlock):\n  \
             job 0 rank 0 is blocked in send since 5 ps: 20000 bytes to rank 1, tag 3, no receive matches\n  \
             job 0 rank 1 is blocked in send since 5 ps: 20000 bytes to rank 0, tag 3, no receive matches"
        );
        let many: Vec<Blocked> = (0..40).map(wait).collect();
        let text = deadlock(&many);
        assert!(text.starts_with("40 ranks wait") && text.ends_with("  ... and 28 more"), "{text}");
        assert_eq!(text.lines().count(), 14);
    }
}

//! The construction of a simulation from a plan: partitions, hosts, recorders and keys of random
//! draws.

use super::Simulation;
use crate::error::PlanError;
use crate::output::link_record::LinkRecord;
use crate::output::link_traffic::LinkTraffic;
use crate::output::packet_record::{self, PacketRows};
use crate::output::recorder::Recorder;
use crate::output::streamed_tables::{Records, StreamedTables};
use crate::plan::coarsen;
use crate::plan::fabric_config::fabric_config;
use crate::plan::resolve::{Resolved, resolve};
use crate::plan::{CallEventRecord, Plan};
use crate::run::process_group::{ProcessGroup, SingleProcess};
use crate::run::skip::Skipper;
use pantala_engine::random::{key_of, mix};
use pantala_engine::{NEVER, Time};
use pantala_fabric::{BlameDetail, FabricConfig, Network, PartitionMap, PartitionShare};
use pantala_mpi::Recording;
use pantala_topology::Topology;
use pantala_workload::{Endpoints, JobSpec, PatternContext};
use std::sync::Arc;

/// Largest number of threads of a simulation.
pub const MAX_THREADS: u32 = 1_024;

impl Simulation {
    /// Builds a simulation on one thread. Packets delivered before `measure_from` count in the time
    /// series only.
    ///
    /// # Errors
    /// A [`PlanError`] for the first fault of the plan.
    pub fn new(plan: Plan, measure_from: Time) -> Result<Self, PlanError> {
        Self::with_config(plan, measure_from, |_| {})
    }

    /// Like [`new`](Self::new), with a change of the fabric's configuration. Tests of the watchdog
    /// use it, because the network of a valid plan cannot deadlock.
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

    /// Like [`with_config`](Self::with_config), on several threads, one per partition. It uses at
    /// most one thread per group, and one thread if routers read queues of other groups. Results do
    /// not depend on the number.
    ///
    /// # Errors
    /// A [`PlanError`] for the first fault of the plan, or if `threads` is zero or above
    /// [`MAX_THREADS`].
    pub fn on_threads(
        plan: Plan,
        measure_from: Time,
        threads: u32,
        change: impl FnOnce(&mut FabricConfig),
    ) -> Result<Self, PlanError> {
        Self::among(SingleProcess, resolve(plan)?, measure_from, threads, change)
    }

    /// Builds a simulation of a resolved plan on several threads, as
    /// [`on_threads`](Self::on_threads) does of a plan.
    ///
    /// # Errors
    /// A [`PlanError`] if `threads` is zero or above [`MAX_THREADS`], or a job has a fault that
    /// only its set-up finds.
    pub fn of(resolved: Resolved, measure_from: Time, threads: u32) -> Result<Self, PlanError> {
        Self::among(SingleProcess, resolved, measure_from, threads, |_| {})
    }
}

impl<Q: ProcessGroup> Simulation<Q> {
    /// Builds the local partitions of a simulation: one per thread for a single process, one per
    /// process for several.
    ///
    /// # Errors
    /// As [`on_threads`](Simulation::on_threads), and if there are more processes than groups.
    pub fn among(
        peers: Q,
        resolved: Resolved,
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
        let Resolved { plan, topology, estimates } = resolved;
        let mut config = fabric_config(&plan);
        change(&mut config);
        let (place, processes) = peers.rank_and_size();
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
                end: if job.end_ps > 0 { job.end_ps } else { NEVER },
                repeat: job.repeat,
                noise: job.compute_noise,
                workload: job.workload.clone().into(),
            })
            .collect();
        let nodes = plan.node_map();
        let context = PatternContext {
            packet_bytes: plan.packet_bytes,
            flit_bytes: plan.flit_bytes,
            terminal_bytes_per_second: plan.links.terminal.bandwidth_bytes_per_s,
            group_of_node: (0..nodes.nodes(topology.terminals()))
                .map(|node| topology.group_of_terminal(nodes.first_nic(node)))
                .collect(),
        };
        let recording = Recording {
            messages: plan.record.messages,
            iterations: plan.record.iterations,
            unexpected: plan.record.unexpected,
            rank_messages: plan.record.rank_messages,
            rank_calls: plan.record.rank_calls,
            latency_window: plan.record.latency_windows_ps,
            call_window: plan.record.call_windows_ps,
            starts: plan.skip.is_some(),
        };
        let keys = routing_keys(&plan, topology.terminals());
        let rows = PacketRows::new(&plan, &keys, &topology, config.virtual_channels);
        let (record, latency_from) = (&plan.record, plan.nic.latency_from);
        let recorder = Recorder::new(plan.jobs.len(), record, latency_from, measure_from, rows);
        let mut ends = Vec::new();
        let here = if processes > 1 { place..place + 1 } else { 0..partitions.count() };
        for part in here.clone() {
            let share = PartitionShare { partitions: Arc::clone(&partitions), partition: part };
            let share = (partitions.count() > 1).then_some(share);
            let host = Endpoints::in_partition(
                &jobs,
                plan.mpi,
                recording,
                &context,
                (topology.terminals(), nodes),
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
            if let Some(events) = &plan.record.call_events {
                let CallEventRecord { jobs: names, ranks } = events;
                host.record_calls(|job, rank| {
                    let name = &plan.jobs[usize::from(job)].name;
                    (names.is_empty() || names.contains(name))
                        && (ranks.is_empty() || ranks.contains(&rank))
                });
            }
            ends.push((host, recorder.clone()));
        }
        let workloads: Vec<_> = jobs.into_iter().map(|job| job.workload).collect();
        let skipper = Skipper::of(&plan, &workloads);
        let links =
            (topology.routers() * topology.ports_per_router() + topology.terminals()) as usize;
        let awaited = plan.awaited();
        let mut network =
            Network::new(&config, Arc::clone(&topology), partitions, here, &keys, ends);
        if skipper.is_some() {
            network.hosts_mut().for_each(Endpoints::mark_repetitions);
        }
        let link_record = LinkRecord::of(&plan, &topology);
        if let Some(record) = &link_record {
            let buffer = |link| record.buffer(&topology, link);
            network.watch_ports(record.ends, record.traffic(), buffer);
        }
        if packet_record::follows(&plan.record) {
            network.record_paths(&packet_record::choice_of(&plan));
        }
        if let Some(estimates) = &estimates {
            network.start_from(estimates);
        }
        if let Some(blame) = plan.record.blame {
            let detail = BlameDetail { groups: blame.groups, links: blame.links };
            network.record_blame(blame.window_ps, detail);
        }
        if plan.record.q_learning {
            network.record_learning(plan.record.window_ps);
        }
        let next_look = plan.stop.watchdog_ps;
        Ok(Self {
            link_traffic: if plan.record.link_windows {
                LinkTraffic::new(links, plan.jobs.len(), plan.record.link_window_ps)
            } else {
                LinkTraffic::off()
            },
            link_record,
            skipper,
            topology,
            jobs: recorder.jobs,
            records: Records::default(),
            written: 0,
            packets_written: 0,
            max_held: 0,
            tables: StreamedTables::hashed(plan.record.window_ps),
            directory: None,
            plan,
            network,
            peers,
            awaited,
            moved: (0, 0),
            next_look,
            until: 0,
            simulated: 0,
            now: 0,
        })
    }
}

/// Returns the number of partitions: one per process.
fn processes_allowed(
    config: &FabricConfig,
    topology: &Topology,
    processes: u16,
) -> Result<u32, PlanError> {
    const KEY: &str = "processes";
    let groups = topology.groups();
    if u32::from(processes) > groups {
        let message =
            format!("more than the {groups} groups of the machine; each process needs a group");
        return Err(PlanError::new(KEY, processes, message, format!("start at most {groups}")));
    }
    if config.reads_everywhere() {
        let message = "ugal_global reads the queues of all groups, which requires one process";
        return Err(PlanError::new(
            KEY,
            processes,
            message,
            "start one, or choose another routing",
        ));
    }
    Ok(processes.into())
}

/// Returns one key per node for the random draws of its packets' routing. The key depends on the
/// job's name and the node's place in the job, so a job's packets draw the same numbers alone and
/// with other jobs.
fn routing_keys(plan: &Plan, terminals: u32) -> Vec<u64> {
    let mut keys: Vec<u64> = (0..u64::from(terminals)).map(mix).collect();
    let nodes = plan.node_map();
    for job in &plan.jobs {
        let name = key_of(&job.name);
        for (place, &node) in job.nodes.iter().enumerate() {
            keys[nodes.first_nic(node) as usize] =
                mix(name ^ (place as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15));
        }
    }
    keys
}

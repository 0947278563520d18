//! The measurement of one point of a latency-throughput curve, and the cost of a whole run.

use crate::error::{PlanError, WriteError};
use crate::hex::hex;
use crate::output::columns::ns;
use crate::output::recorder::{JobPackets, JobWindow};
use crate::output::span_counts::SpanCount;
use crate::plan::resolve::{Resolved, resolve};
use crate::plan::{PacketRecord, Plan};
use crate::run::document::result_hash;
use crate::run::simulation::Simulation;
use crate::run::termination::Progress;
use pantala_engine::Time;
use pantala_fabric::Totals;
use pantala_mpi::LatencyStatistics;
use pantala_topology::LinkClass;
use pantala_workload::WorkloadSpec;
use serde::Serialize;
use sha2::{Digest, Sha256};

/// A network is saturated if it accepts less than this fraction of the offered load.
pub const SATURATED_BELOW: f64 = 0.97;

/// Throughput can fall below the load by chance, up to this many standard deviations of the number
/// of packets that are offered.
const DEVIATIONS: f64 = 4.0;

/// Number of equal spans of the warm-up, and of the window, in the record of how they went.
const SPANS: usize = 8;

/// One point of a curve. Latencies, hops and fractions cover the packets delivered in the measured
/// window or, if the measurement drains, the packets injected in it.
#[derive(Clone, Debug, Serialize)]
pub struct Point {
    /// Offered load, as a fraction of terminal bandwidth.
    pub load: f64,
    /// Flits delivered in the window, as a fraction of terminal bandwidth.
    pub accepted: f64,
    /// Whether `accepted` is below 0.97 of `load`, and below it by more than 4 standard deviations
    /// of the number of packets offered in the window.
    pub saturated: bool,
    /// Mean packet latency; `nic.latency_from` of the plan defines its start.
    pub latency_mean_ns: Option<f64>,
    /// Median.
    pub latency_p50_ns: Option<f64>,
    /// 95th percentile.
    pub latency_p95_ns: Option<f64>,
    /// 99th percentile.
    pub latency_p99_ns: Option<f64>,
    /// Mean network latency, from the head's entry into the network.
    pub network_latency_mean_ns: Option<f64>,
    /// Median.
    pub network_latency_p50_ns: Option<f64>,
    /// 99th percentile.
    pub network_latency_p99_ns: Option<f64>,
    /// Number of links between routers that a packet crossed, mean over packets.
    pub link_hops_mean: Option<f64>,
    /// Fraction of packets on a non-minimal path.
    pub nonminimal_share: Option<f64>,
    /// Number of packets.
    pub packets: u64,
    /// `link_hops_mean` of all packets delivered from time zero to the end of the window.
    pub link_hops_mean_from_start: Option<f64>,
    /// `nonminimal_share` of these packets.
    pub nonminimal_share_from_start: Option<f64>,
    /// The warm-up in equal spans; empty without one.
    pub warmup_spans: Vec<Span>,
    /// The window in equal spans.
    pub spans: Vec<Span>,
    /// The timeline, if the measurement has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeline: Option<Vec<Window>>,
    /// The cost.
    pub bench: Cost,
}

/// One window of a timeline.
#[derive(Clone, Debug, Serialize)]
pub struct Window {
    /// Start of the window.
    pub window_start_ns: f64,
    /// As in [`Point`].
    pub accepted: f64,
    /// As in [`Point`].
    pub nonminimal_share: Option<f64>,
}

/// All packets delivered in one of the equal spans of a measurement.
#[derive(Clone, Debug, Serialize)]
pub struct Span {
    /// Delivered flits as a fraction of the capacity of the terminals.
    pub accepted: f64,
    /// Fraction of the packets that took a non-minimal path.
    pub nonminimal_share: Option<f64>,
    /// Mean packet latency in ns.
    pub latency_mean_ns: Option<f64>,
    /// Number of packets.
    pub packets: u64,
}

/// Work and memory of a whole run, or of a measurement with its warm-up. The caller adds times.
#[derive(Clone, Debug, Serialize)]
pub struct Cost {
    /// Packets delivered.
    pub packets: u64,
    /// Link traversals between routers, plus ejections.
    pub packet_hops: u64,
    /// Events, including events that an earlier event made superfluous.
    pub events: u64,
    /// Events per packet-hop.
    pub events_per_packet_hop: f64,
    /// Bytes of the network's state per node.
    pub bytes_per_node: u64,
    /// SHA-256 of the totals and both histograms of a point, or the `result_hash` of a run.
    pub result_hash: String,
}

/// The results of a whole run: the part of a [`Point`] that every run has.
#[derive(Clone, Debug, Serialize)]
pub struct WholeRun {
    /// Flits delivered, as a fraction of the capacity of the jobs' terminals in the simulated time.
    pub accepted: f64,
    /// As in [`Point`].
    pub latency_mean_ns: Option<f64>,
    /// The cost.
    pub bench: Cost,
}

/// Returns the results of a simulation after its run, with the `result_hash` of run.json.
///
/// # Errors
/// A [`WriteError`] if the simulation cannot write its tables.
pub fn whole_run(mut simulation: Simulation) -> Result<WholeRun, WriteError> {
    let accepted = accepted(&simulation, flits_delivered(&simulation), simulation.simulated());
    let latency_mean_ns = latencies(&simulation).0.mean().map(|m| m / 1_000.0);
    let Some(results) = simulation.results() else { unreachable!("there is one process") };
    let result_hash = result_hash(&mut simulation, &results)?;
    Ok(WholeRun { accepted, latency_mean_ns, bench: cost(&simulation, result_hash) })
}

fn cost(simulation: &Simulation, result_hash: String) -> Cost {
    let network = &simulation.network;
    let totals = network.totals();
    let events = totals.events + network.overtaken_events();
    Cost {
        packets: totals.packets_delivered,
        packet_hops: totals.packet_hops,
        events,
        events_per_packet_hop: events as f64 / totals.packet_hops.max(1) as f64,
        bytes_per_node: network.memory() as u64 / u64::from(network.topology().terminals()),
        result_hash,
    }
}

/// Returns flits as a fraction of the capacity of all terminals of the jobs in `time`; 0 for `time`
/// 0.
fn accepted(simulation: &Simulation, flits: f64, time: Time) -> f64 {
    let ranks: f64 = simulation.plan.jobs.iter().map(|j| f64::from(j.ranks)).sum();
    let flit = simulation.network.config().timing(LinkClass::Terminal).flit as f64;
    if time == 0 { 0.0 } else { flits * flit / (time as f64 * ranks) }
}

/// Returns the flits of all jobs delivered in the measured time.
fn flits_delivered(simulation: &Simulation) -> f64 {
    simulation.jobs().iter().map(|job| job.flits).sum::<u64>() as f64
}

/// Returns packet latency and network latency over all jobs.
fn latencies(simulation: &Simulation) -> (LatencyStatistics, LatencyStatistics) {
    let (mut latency, mut network_latency) = (LatencyStatistics::new(), LatencyStatistics::new());
    for job in simulation.jobs() {
        latency.add(&job.latency);
        network_latency.add(&job.network_latency);
    }
    (latency, network_latency)
}

/// Returns the offered load, mean over ranks, or `None` without jobs or with a job that is not a
/// pattern.
fn offered_load(plan: &Plan) -> Option<f64> {
    let loads = plan.jobs.iter().map(|job| match &job.workload {
        WorkloadSpec::Pattern(pattern) => Some((pattern.load, f64::from(job.ranks))),
        _ => None,
    });
    let loads = loads.collect::<Option<Vec<(f64, f64)>>>()?;
    let first = loads.first()?.0;
    let ranks: f64 = loads.iter().map(|(_, ranks)| ranks).sum();
    // For one job this gives its load exactly.
    let excess: f64 = loads.iter().map(|(load, ranks)| (load - first) * ranks).sum();
    Some(first + excess / ranks)
}

/// Gives a plan the duration and the records of a measurement. Returns its offered load.
fn prepare(plan: &mut Plan, warmup: Time, window: Time, timeline: Time) -> Result<f64, PlanError> {
    if window == 0 {
        return Err(PlanError::new("measure", 0, "must be more than zero", "give a positive time"));
    }
    let Some(load) = offered_load(plan) else {
        return Err(PlanError::new(
            "jobs",
            "...",
            "a curve needs patterns",
            "give every job a pattern",
        ));
    };
    plan.stop.duration_ps = warmup.saturating_add(window);
    plan.skip = None; // every packet of the window counts
    let record = &mut plan.record;
    record.link_windows = false;
    record.q_learning = false;
    (record.ports, record.system, record.routers, record.blame) = (None, None, None, None);
    record.call_windows_ps = 0;
    record.packets = PacketRecord::Off;
    record.window_ps = if timeline > 0 { timeline } else { plan.stop.duration_ps };
    Ok(load)
}

/// A measurement before its run, so that callers can time set-up and simulation separately.
pub struct Measurement {
    simulation: Simulation,
    warmup: Time,
    window: Time,
    timeline: bool,
    drain: bool,
    load: f64,
}

impl Measurement {
    /// Sets up `plan`: `warmup` ps, then `window` ps in which deliveries count. If `timeline` is
    /// not zero, the point has a timeline in windows of `timeline` ps.
    ///
    /// # Errors
    /// A [`PlanError`] if the plan is faulty or has jobs that are not patterns.
    pub fn new(
        mut plan: Plan,
        warmup: Time,
        window: Time,
        timeline: Time,
    ) -> Result<Self, PlanError> {
        // The duration of the measurement ends a plan that has no end of its own.
        prepare(&mut plan, warmup, window, timeline)?;
        Self::of(resolve(plan)?, warmup, window, timeline, 1)
    }

    /// Like [`new`](Self::new), of a resolved plan and on several threads.
    ///
    /// # Errors
    /// As [`new`](Self::new) and [`Simulation::of`].
    pub fn of(
        mut resolved: Resolved,
        warmup: Time,
        window: Time,
        timeline: Time,
        threads: u32,
    ) -> Result<Self, PlanError> {
        let load = prepare(&mut resolved.plan, warmup, window, timeline)?;
        let mut simulation = Simulation::of(resolved, warmup, threads)?;
        let until = warmup.saturating_add(window);
        simulation.network.probes_mut().for_each(|probe| probe.count_spans(SPANS, until));
        Ok(Self { simulation, warmup, window, timeline: timeline > 0, drain: false, load })
    }

    /// Counts the packets injected in the window and not the packets delivered in it, as BookSim2
    /// does. After the window the sources stop and the network drains. Accepted throughput covers
    /// the window in both cases.
    #[must_use]
    pub fn draining(mut self) -> Self {
        self.drain = true;
        let until = self.warmup + self.window;
        self.simulation.network.probes_mut().for_each(|probe| probe.count_injected(until));
        self
    }

    /// Runs the measurement. Returns `None` if `observe` stopped it.
    ///
    /// # Errors
    /// The diagnosis of a stalled network.
    pub fn run(
        &mut self,
        mut observe: impl FnMut(&Progress) -> bool,
    ) -> Result<Option<Point>, String> {
        let mut end = self.simulation.run(&mut observe);
        if self.drain && end.planned() {
            end = self.simulation.drain(&mut observe);
        }
        if let Some(diagnosis) = end.diagnosis() {
            return Err(diagnosis.to_owned());
        }
        Ok(end.planned().then(|| self.point()))
    }

    fn point(&self) -> Point {
        let jobs = self.simulation.jobs();
        let (latency, network_latency) = latencies(&self.simulation);
        let sum = |f: fn(&JobPackets) -> u64| jobs.iter().map(f).sum::<u64>();
        let packets = sum(|j| j.packets);
        let per_packet = |total: u64| (packets > 0).then(|| total as f64 / packets as f64);
        let at = |statistics: &LatencyStatistics, q: f64| statistics.quantile(q).map(ns);
        let accepted = accepted(&self.simulation, flits_delivered(&self.simulation), self.window);
        let mut hash = Sha256::new();
        // The number of events depends on the partitions; no other total does.
        hash.update(format!("{:?}", Totals { events: 0, ..self.simulation.network.totals() }));
        for statistics in [&latency, &network_latency] {
            hash.update(format!("{:?}", statistics.mean()));
            for value in statistics.histogram().iter_recorded() {
                hash.update(value.value_iterated_to().to_le_bytes());
                hash.update(value.count_at_value().to_le_bytes());
            }
        }
        let (warmup_spans, spans, whole) = self.spans();
        let from_start =
            |part: u64| (whole.packets > 0).then(|| part as f64 / whole.packets as f64);
        Point {
            load: self.load,
            accepted,
            saturated: accepted < self.least_accepted() * self.load,
            latency_mean_ns: latency.mean().map(|m| m / 1_000.0),
            latency_p50_ns: at(&latency, 0.5),
            latency_p95_ns: at(&latency, 0.95),
            latency_p99_ns: at(&latency, 0.99),
            network_latency_mean_ns: network_latency.mean().map(|m| m / 1_000.0),
            network_latency_p50_ns: at(&network_latency, 0.5),
            network_latency_p99_ns: at(&network_latency, 0.99),
            link_hops_mean: per_packet(sum(|j| j.hops)),
            nonminimal_share: per_packet(sum(|j| j.nonminimal)),
            packets,
            link_hops_mean_from_start: from_start(whole.hops),
            nonminimal_share_from_start: from_start(whole.nonminimal),
            warmup_spans,
            spans,
            timeline: self.timeline.then(|| self.timeline()),
            bench: cost(&self.simulation, hex(&hash.finalize())),
        }
    }

    /// Returns the fraction of the offered load below which the network is saturated.
    fn least_accepted(&self) -> f64 {
        let plan = &self.simulation.plan;
        let capacity = accepted(&self.simulation, 1.0, self.window);
        let flits = if capacity > 0.0 { self.load / capacity } else { 0.0 };
        let packets = flits / f64::from(plan.packet_bytes.div_ceil(plan.flit_bytes));
        SATURATED_BELOW.min(1.0 - DEVIATIONS / packets.sqrt())
    }

    /// Returns the spans of the warm-up, those of the window, and their sum.
    fn spans(&self) -> (Vec<Span>, Vec<Span>, SpanCount) {
        let mut sums = vec![SpanCount::default(); 2 * SPANS];
        let mut whole = SpanCount::default();
        for job in self.simulation.jobs() {
            for (sum, span) in sums.iter_mut().zip(&job.spans) {
                sum.add(span);
                whole.add(span);
            }
        }
        let spans = |counts: &[SpanCount], time: Time| -> Vec<Span> {
            let per_packet = |count: &SpanCount, part: f64| {
                (count.packets > 0).then(|| part / count.packets as f64)
            };
            let span = |count: &SpanCount| Span {
                accepted: SPANS as f64 * accepted(&self.simulation, count.flits as f64, time),
                nonminimal_share: per_packet(count, count.nonminimal as f64),
                latency_mean_ns: per_packet(count, count.latency_sum as f64 / 1_000.0),
                packets: count.packets,
            };
            if time == 0 { Vec::new() } else { counts.iter().map(span).collect() }
        };
        let (before, during) = sums.split_at(SPANS);
        (spans(before, self.warmup), spans(during, self.window), whole)
    }

    fn timeline(&self) -> Vec<Window> {
        let plan = &self.simulation.plan;
        let step = plan.record.window_ps;
        let flit_bytes = f64::from(plan.flit_bytes);
        let mut sums = vec![JobWindow::default(); ((self.warmup + self.window) / step) as usize];
        for window in self.simulation.jobs().iter().flat_map(|job| &job.windows) {
            // The last window may be shorter and does not count.
            if let Some(sum) = sums.get_mut(window.number as usize) {
                sum.delivered_bytes += window.delivered_bytes;
                sum.packets += window.packets;
                sum.nonminimal += window.nonminimal;
            }
        }
        (0..)
            .zip(sums)
            .map(|(number, sum)| Window {
                window_start_ns: ns(number * step),
                accepted: accepted(&self.simulation, sum.delivered_bytes as f64 / flit_bytes, step),
                nonminimal_share: (sum.packets > 0)
                    .then(|| sum.nonminimal as f64 / sum.packets as f64),
            })
            .collect()
    }
}

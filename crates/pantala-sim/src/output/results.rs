//! The results of a run: totals, reports and counters of the local partitions, merged over all
//! processes.

use pantala_engine::Time;
use pantala_fabric::{BlameCell, ConservationCounts, JobTraffic, LinkCounters, Totals};
use pantala_mpi::{CallReport, CallWindow, LatencyStatistics, RankMessages, RankReport};
use pantala_routing::learning::{LearningWindow, QTable};
use pantala_workload::{Endpoints, RankLog};
use serde::{Deserialize, Serialize};

use crate::output::blamed_places::BlamedPlaces;
use crate::output::epoch_record::EpochRow;
use crate::output::recorder::JobPackets;
use crate::output::recorder::Net;
use crate::plan::{Plan, QTableRecord};

/// The traffic of one directed link.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct LinkTotals {
    /// Counters over all jobs.
    pub counters: LinkCounters,
    /// The stall as SST counts it, in ps; none of an injection link.
    pub sst_stall: Option<Time>,
    /// Traffic by job.
    pub jobs: Vec<JobTraffic>,
}

/// The data of run.json and of the tables that a run writes at its end.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Results {
    /// Reports of the ranks of finite programs, in any order.
    pub reports: Vec<RankReport>,
    /// Reports of MPI calls, in any order.
    pub calls: Vec<CallReport>,
    /// The messages of ranks, in any order; empty if they are not recorded.
    pub rank_messages: Vec<RankMessages>,
    /// The logs of programs, in any order.
    pub logs: Vec<RankLog>,
    /// The packets of each job.
    pub jobs: Vec<JobPackets>,
    /// Message latencies of each job; `None` for a pattern.
    pub message_latency: Vec<Option<LatencyStatistics>>,
    /// Traffic of each output port.
    pub outputs: Vec<LinkTotals>,
    /// Traffic of each injection link, by node.
    pub injections: Vec<LinkTotals>,
    /// Estimates of q_adaptive.
    pub estimates: QTable,
    /// Learning of q_adaptive over time.
    pub learning: Vec<LearningWindow>,
    /// Waiting times by the job that causes them.
    pub blame: Vec<BlameCell>,
    /// Waiting times by the groups that a link connects, and the job that causes them.
    pub(crate) blame_groups: BlamedPlaces,
    /// Waiting times by link, and the job that causes them.
    pub(crate) blame_links: BlamedPlaces,
    /// The time of ranks in MPI calls, in windows.
    pub call_windows: Vec<CallWindow>,
    /// Totals.
    pub totals: Totals,
    /// Packets injected and not delivered.
    pub in_flight: u64,
    /// Conservation counts.
    pub counts: ConservationCounts,
    /// The epochs of a run that may skip time.
    pub(crate) epochs: Vec<EpochRow>,
}

impl Results {
    /// Returns the results of the local partitions up to `simulated`.
    pub(crate) fn of(
        plan: &Plan,
        network: &mut Net,
        jobs: Vec<JobPackets>,
        simulated: Time,
    ) -> Self {
        let blame = network.blame_until(simulated);
        let (groups, links) = network.blamed_places_until(simulated);
        let ports = network.topology().ports_per_router() as u16;
        let outputs =
            network.routers().flat_map(|router| (0..ports).map(move |port| (router, port)));
        let message_latency = |job| {
            network.hosts().filter_map(|host| host.message_statistics(job)).fold(
                None,
                |sum: Option<LatencyStatistics>, part| {
                    Some(added(sum, Some(part)).unwrap_or_default())
                },
            )
        };
        Self {
            reports: network.hosts().flat_map(|host| host.rank_reports(simulated)).collect(),
            calls: network.hosts().flat_map(|host| host.call_reports(simulated)).collect(),
            rank_messages: network.hosts().flat_map(Endpoints::rank_messages).collect(),
            logs: network.hosts().flat_map(Endpoints::program_logs).collect(),
            jobs,
            message_latency: (0..plan.jobs.len()).map(|job| message_latency(job as u16)).collect(),
            outputs: outputs
                .map(|(router, port)| LinkTotals {
                    counters: network.link_counters(router, port, simulated),
                    sst_stall: Some(network.stall_after_arrival(router, port, simulated)),
                    jobs: network.link_jobs(router, port, simulated).collect(),
                })
                .collect(),
            injections: network
                .terminals()
                .map(|node| LinkTotals {
                    counters: network.injection_counters(node, simulated),
                    sst_stall: None,
                    jobs: network.injection_jobs(node, simulated).collect(),
                })
                .collect(),
            estimates: match plan.record.q_tables {
                QTableRecord::Off => QTable::default(),
                QTableRecord::End => network.estimates(),
            },
            learning: network.learning_windows(),
            blame,
            blame_groups: BlamedPlaces::new(groups),
            blame_links: BlamedPlaces::new(links),
            call_windows: CallWindow::summed(
                network.hosts().flat_map(|host| host.call_windows(simulated)),
            ),
            totals: network.totals(),
            in_flight: network.packets_in_flight(),
            counts: network.counts(),
            epochs: Vec::new(),
        }
    }

    /// Merges the results of two processes. Call it in the order of the processes.
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        for (mine, theirs) in self.jobs.iter_mut().zip(other.jobs) {
            mine.absorb(theirs);
        }
        let latency = self.message_latency.into_iter().zip(&other.message_latency);
        Self {
            message_latency: latency.map(|(mine, theirs)| added(mine, theirs.as_ref())).collect(),
            reports: joined(self.reports, other.reports),
            calls: joined(self.calls, other.calls),
            rank_messages: joined(self.rank_messages, other.rank_messages),
            logs: joined(self.logs, other.logs),
            outputs: joined(self.outputs, other.outputs),
            injections: joined(self.injections, other.injections),
            estimates: QTable::joined([&self.estimates, &other.estimates]),
            learning: LearningWindow::summed(self.learning.iter().chain(&other.learning)),
            blame: BlameCell::summed(self.blame.into_iter().chain(other.blame)),
            blame_groups: self.blame_groups.and(other.blame_groups),
            blame_links: self.blame_links.and(other.blame_links),
            call_windows: CallWindow::summed(
                self.call_windows.into_iter().chain(other.call_windows),
            ),
            totals: self.totals.and(other.totals),
            in_flight: self.in_flight + other.in_flight,
            counts: self.counts.and(other.counts),
            jobs: self.jobs,
            epochs: self.epochs,
        }
    }
}

fn joined<T>(mut one: Vec<T>, mut other: Vec<T>) -> Vec<T> {
    one.append(&mut other);
    one
}

fn added(
    sum: Option<LatencyStatistics>,
    more: Option<&LatencyStatistics>,
) -> Option<LatencyStatistics> {
    let Some(more) = more else { return sum };
    let mut sum = sum.unwrap_or_default();
    sum.add(more);
    Some(sum)
}

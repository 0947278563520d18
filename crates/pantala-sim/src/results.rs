//! What a run has come to: of the parts of a machine that are here, and put together of all. The
//! tables are made of it.

use pantala_engine::Time;
use pantala_fabric::{ConservationCounts, LinkCounters, Totals};
use pantala_mpi::{CallReport, IterationRecord, LatencyStatistics, MessageRecord, RankReport};
use pantala_routing::learning::{LearningWindow, QTable};
use serde::{Deserialize, Serialize};

use crate::plan::{Plan, QTableRecord};
use crate::ranks::Net;
use crate::recorder::{JobPackets, PacketRow, Recorder};
use crate::simulation::LinkWindow;

/// What one directed link has carried.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Carried {
    /// All of it.
    pub counters: LinkCounters,
    /// Payload bytes by job.
    pub jobs: Vec<u64>,
}

/// All that tables and run.json tell of a run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Results {
    /// Ranks of finite programs, in any order.
    pub reports: Vec<RankReport>,
    /// What ranks have called, in any order.
    pub calls: Vec<CallReport>,
    /// By job.
    pub jobs: Vec<JobPackets>,
    /// By job, the latencies of messages; none of a pattern.
    pub message_latency: Vec<Option<LatencyStatistics>>,
    /// Recorded packets, in any order.
    pub packets: Vec<PacketRow>,
    /// Messages, in any order.
    pub messages: Vec<MessageRecord>,
    /// Iterations, in any order.
    pub iterations: Vec<IterationRecord>,
    /// Bytes by link and window, in any order.
    pub link_windows: Vec<LinkWindow>,
    /// By output port.
    pub outputs: Vec<Carried>,
    /// Injection links, by node.
    pub injections: Vec<Carried>,
    /// What routers have learned.
    pub estimates: QTable,
    /// Learning over time.
    pub learning: Vec<LearningWindow>,
    /// Totals.
    pub totals: Totals,
    /// Packets injected and not delivered.
    pub in_flight: u64,
    /// The books.
    pub counts: ConservationCounts,
}

/// What a simulation has collected besides what the network and its hosts hold.
#[derive(Debug)]
pub(crate) struct Collected {
    pub(crate) recorded: Recorder,
    pub(crate) messages: Vec<MessageRecord>,
    pub(crate) iterations: Vec<IterationRecord>,
    pub(crate) link_windows: Vec<LinkWindow>,
}

impl Collected {
    /// All of it, which is not here any more.
    pub(crate) fn taken(&mut self) -> Self {
        Self {
            recorded: self.recorded.taken(),
            messages: std::mem::take(&mut self.messages),
            iterations: std::mem::take(&mut self.iterations),
            link_windows: std::mem::take(&mut self.link_windows),
        }
    }
}

impl Results {
    /// Those of the parts that are here: up to `simulated`, the last event of all parts having been
    /// at `now`.
    pub(crate) fn of(
        plan: &Plan,
        network: &Net,
        collected: Collected,
        simulated: Time,
        now: Time,
    ) -> Self {
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
            jobs: collected.recorded.jobs,
            message_latency: (0..plan.jobs.len()).map(|job| message_latency(job as u16)).collect(),
            packets: collected.recorded.packets,
            messages: collected.messages,
            iterations: collected.iterations,
            link_windows: collected.link_windows,
            outputs: outputs
                .map(|(router, port)| Carried {
                    counters: network.link_counters(router, port, now),
                    jobs: network.link_job_bytes(router, port),
                })
                .collect(),
            injections: network
                .nodes()
                .map(|node| Carried {
                    counters: network.injection_counters(node, now),
                    jobs: network.injection_job_bytes(node),
                })
                .collect(),
            estimates: match plan.record.q_tables {
                QTableRecord::Off => QTable::default(),
                QTableRecord::End => network.estimates(),
            },
            learning: network.learning_windows(),
            totals: network.totals(),
            in_flight: network.packets_in_flight(),
            counts: network.counts(),
        }
    }

    /// Those of all parts, from those of each in their order.
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
            packets: joined(self.packets, other.packets),
            messages: joined(self.messages, other.messages),
            iterations: joined(self.iterations, other.iterations),
            link_windows: joined(self.link_windows, other.link_windows),
            outputs: joined(self.outputs, other.outputs),
            injections: joined(self.injections, other.injections),
            estimates: QTable::joined([&self.estimates, &other.estimates]),
            learning: LearningWindow::summed(self.learning.iter().chain(&other.learning)),
            totals: self.totals.and(other.totals),
            in_flight: self.in_flight + other.in_flight,
            counts: self.counts.and(other.counts),
            jobs: self.jobs,
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

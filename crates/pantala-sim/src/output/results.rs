//! What a run has come to: of the parts of a machine that are here, and put together of all. The
//! tables are made of it.

use pantala_engine::Time;
use pantala_fabric::{ConservationCounts, LinkCounters, Totals};
use pantala_mpi::{CallReport, LatencyStatistics, RankReport};
use pantala_routing::learning::{LearningWindow, QTable};
use serde::{Deserialize, Serialize};

use crate::output::recorder::JobPackets;
use crate::plan::{Plan, QTableRecord};
use crate::run::rank_reports::Net;

/// What one directed link has carried.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Carried {
    /// All of it.
    pub counters: LinkCounters,
    /// Payload bytes by job.
    pub jobs: Vec<u64>,
}

/// All that run.json and the tables tell of a run, but the tables that are written while it goes
/// on.
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

impl Results {
    /// Those of the parts that are here: up to `simulated`, the last event of all parts having been
    /// at `now`.
    pub(crate) fn of(
        plan: &Plan,
        network: &Net,
        jobs: Vec<JobPackets>,
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
            jobs,
            message_latency: (0..plan.jobs.len()).map(|job| message_latency(job as u16)).collect(),
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

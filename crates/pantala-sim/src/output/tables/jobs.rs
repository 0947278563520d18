//! The table `jobs`: its columns and how a run fills them.

use super::source::Run;
use crate::output::columns::{ns, table};
use pantala_mpi::{LatencyStatistics, RankReport};
use std::ops::Add;

table! {
    /// One row per job: its run time, the communication time of its ranks, the latency of its
    /// packets and messages. Latencies include every delivered packet and message of the job;
    /// `record.packets` does not matter. Columns about packets are null if the job delivered none.
    pub(super) jobs: JobRow {
        /// Number of the job in the plan, from 0.
        job: u16,
        /// The job's name in the scenario.
        name: String,
        /// Number of ranks.
        ranks: u32,
        /// Start of the job.
        start_ns: f64 [ns],
        /// End of the job's last rank; null for a pattern and for a job that did not finish.
        end_ns: Option<f64> [ns],
        /// Whether every rank finished; false for a pattern.
        complete: bool,
        /// Communication time, mean over ranks; null for a pattern. It is the time inside the
        /// application's MPI calls: `MPI_Init` and `MPI_Finalize` do not count.
        communication_time_mean_ns: Option<f64> [ns],
        /// Communication time, standard deviation over ranks; null for a pattern.
        communication_time_std_ns: Option<f64> [ns],
        /// Communication time of the slowest rank; null for a pattern.
        communication_time_max_ns: Option<f64> [ns],
        /// Packets delivered.
        packets: u64,
        /// MPI payload: bytes of all messages that the job's ranks sent, including messages inside
        /// a node and messages of collectives. Control messages of rendezvous and messages of a
        /// rank to itself do not count. Null for a pattern.
        mpi_bytes: Option<u64> [bytes],
        /// Bytes of the job's packets that entered the network over injection links: messages
        /// between nodes and the control messages of rendezvous. Messages inside a node and
        /// responses do not count.
        injected_bytes: u64 [bytes],
        /// The part of `injected_bytes` that reached the destination NIC.
        delivered_bytes: u64 [bytes],
        /// Mean packet latency: from the packet's creation at the source to its tail at the
        /// destination NIC, unless `machine.nic.latency_from` says otherwise.
        packet_latency_mean_ns: Option<f64> [ns],
        /// Median packet latency.
        packet_latency_p50_ns: Option<f64> [ns],
        /// 95th percentile of packet latency.
        packet_latency_p95_ns: Option<f64> [ns],
        /// 99th percentile of packet latency.
        packet_latency_p99_ns: Option<f64> [ns],
        /// Mean network latency: from the head's entry into the network to the tail at the
        /// destination NIC.
        network_latency_mean_ns: Option<f64> [ns],
        /// Median network latency.
        network_latency_p50_ns: Option<f64> [ns],
        /// 95th percentile of network latency.
        network_latency_p95_ns: Option<f64> [ns],
        /// 99th percentile of network latency.
        network_latency_p99_ns: Option<f64> [ns],
        /// Mean message latency: from the posted send to the delivery of the last byte; null for a
        /// job without messages.
        message_latency_mean_ns: Option<f64> [ns],
        /// Median message latency.
        message_latency_p50_ns: Option<f64> [ns],
        /// 95th percentile of message latency.
        message_latency_p95_ns: Option<f64> [ns],
        /// 99th percentile of message latency.
        message_latency_p99_ns: Option<f64> [ns],
        /// Number of links between routers that a packet crossed, mean over packets.
        link_hops_mean: Option<f64>,
        /// Fraction of packets that took a non-minimal path.
        nonminimal_share: Option<f64> [1],
        /// Number of responses that reached the sender of their request packet; 0 without
        /// `machine.nic.responses`. `packets`, `injected_bytes`, `delivered_bytes` and all
        /// latencies except request-response latency exclude responses.
        responses: u64,
        /// Mean request-response latency: from the head's entry into the network to the delivery of
        /// the response; null without `machine.nic.responses`.
        request_response_latency_mean_ns: Option<f64> [ns],
        /// Median request-response latency.
        request_response_latency_p50_ns: Option<f64> [ns],
        /// 95th percentile of request-response latency.
        request_response_latency_p95_ns: Option<f64> [ns],
        /// 99th percentile of request-response latency.
        request_response_latency_p99_ns: Option<f64> [ns],
    }
}

pub(super) fn rows(run: &Run<'_>) -> impl Iterator<Item = JobRow> {
    (0..run.plan.jobs.len()).map(move |job| row(run, job))
}

fn row(run: &Run<'_>, job: usize) -> JobRow {
    let plan = &run.plan.jobs[job];
    let packets = &run.results.jobs[job];
    let reports = || run.reports.iter().filter(|report| usize::from(report.job) == job);
    let end = if plan.workload.is_endless() { None } else { last_end(reports()) };
    let communication =
        spread(&reports().map(|report| ns(report.totals.communication())).collect::<Vec<_>>());
    let per_packet =
        |part: u64| (packets.packets > 0).then(|| part as f64 / packets.packets as f64);
    let message_latency = run.results.message_latency[job].as_ref();
    JobRow {
        job: job as u16,
        name: plan.name.clone(),
        ranks: plan.ranks,
        start_ns: ns(plan.start_ps),
        end_ns: end.map(ns),
        complete: end.is_some(),
        communication_time_mean_ns: communication.map(|c| c.mean),
        communication_time_std_ns: communication.map(|c| c.std),
        communication_time_max_ns: communication.map(|c| c.max),
        packets: packets.packets,
        mpi_bytes: reports().map(|report| report.totals.bytes_sent).reduce(u64::add),
        injected_bytes: packets.windows.iter().map(|window| window.injected_bytes).sum::<u64>()
            + packets.skipped_injected_bytes,
        delivered_bytes: packets.delivered_bytes,
        packet_latency_mean_ns: mean(&packets.latency),
        packet_latency_p50_ns: quantile(&packets.latency, 0.5),
        packet_latency_p95_ns: quantile(&packets.latency, 0.95),
        packet_latency_p99_ns: quantile(&packets.latency, 0.99),
        network_latency_mean_ns: mean(&packets.network_latency),
        network_latency_p50_ns: quantile(&packets.network_latency, 0.5),
        network_latency_p95_ns: quantile(&packets.network_latency, 0.95),
        network_latency_p99_ns: quantile(&packets.network_latency, 0.99),
        message_latency_mean_ns: message_latency.and_then(mean),
        message_latency_p50_ns: message_latency.and_then(|l| quantile(l, 0.5)),
        message_latency_p95_ns: message_latency.and_then(|l| quantile(l, 0.95)),
        message_latency_p99_ns: message_latency.and_then(|l| quantile(l, 0.99)),
        link_hops_mean: per_packet(packets.hops),
        nonminimal_share: per_packet(packets.nonminimal),
        responses: packets.responses,
        request_response_latency_mean_ns: mean(&packets.request_response_latency),
        request_response_latency_p50_ns: quantile(&packets.request_response_latency, 0.5),
        request_response_latency_p95_ns: quantile(&packets.request_response_latency, 0.95),
        request_response_latency_p99_ns: quantile(&packets.request_response_latency, 0.99),
    }
}

/// Returns the end of the last rank in ps, or `None` if a rank has not ended.
fn last_end<'a>(mut reports: impl Iterator<Item = &'a RankReport>) -> Option<u64> {
    reports.try_fold(0, |latest, report| report.end.map(|end| latest.max(end)))
}

fn mean(latency: &LatencyStatistics) -> Option<f64> {
    latency.mean().map(|mean| mean / 1_000.0)
}

fn quantile(latency: &LatencyStatistics, quantile: f64) -> Option<f64> {
    latency.quantile(quantile).map(ns)
}

#[derive(Clone, Copy)]
struct Spread {
    mean: f64,
    /// Standard deviation of the population.
    std: f64,
    max: f64,
}

/// Returns mean, standard deviation and maximum over ranks, or `None` for a pattern.
fn spread(values: &[f64]) -> Option<Spread> {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let variance = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / n;
    let max = values.iter().copied().fold(0.0, f64::max);
    (!values.is_empty()).then(|| Spread { mean, std: variance.sqrt(), max })
}

//! The table `ranks`: its columns and how a run fills them.

use super::source::Run;
use crate::output::columns::{ns, table};

table! {
    /// One row per rank: its placement and its account of time. The four columns from `send_ns` to
    /// `collective_ns` divide the communication time by kind of call. A rank's run time is the sum
    /// of its communication time, its compute time, `init_ns` and `finalize_ns`. In a run that
    /// skipped time, the sum is only close to the run time.
    pub(super) ranks: RankRow {
        /// Number of the job in the plan, from 0.
        job: u16,
        /// Rank within the job, from 0.
        rank: u32,
        /// Node on which the rank was placed.
        node: u32,
        /// Router of that node.
        router: u32,
        /// Group of that router.
        group: u32,
        /// Start of the rank's program; null if it had not started.
        start_ns: Option<f64> [ns],
        /// End of the rank's program; null if it had not finished.
        end_ns: Option<f64> [ns],
        /// Duration inside the application's MPI calls: all but `MPI_Init` and `MPI_Finalize`.
        communication_time_ns: f64 [ns],
        /// Duration of compute phases.
        compute_time_ns: f64 [ns],
        /// Duration inside blocking and non-blocking sends.
        send_ns: f64 [ns],
        /// Duration inside receives.
        recv_ns: f64 [ns],
        /// Duration inside waits.
        wait_ns: f64 [ns],
        /// Duration inside collectives.
        collective_ns: f64 [ns],
        /// Duration inside `MPI_Init` and the calls of size and rank that follow it
        /// (`mpi.initialization`). It is no communication time.
        init_ns: f64 [ns],
        /// Duration inside `MPI_Finalize` (`mpi.finalize`), where a rank waits for the others. It
        /// is no communication time.
        finalize_ns: f64 [ns],
        /// Messages sent.
        messages_sent: u64,
        /// Payload sent.
        bytes_sent: u64 [bytes],
        /// Largest payload of a run of sends with neither a receive nor a wait between them,
        /// blocking or not, in the program and inside collectives. This is the peak ingress volume
        /// of Kang et al. (SC 2022), IV.
        peak_ingress_bytes: u64 [bytes],
        /// Messages received.
        messages_received: u64,
        /// Payload received.
        bytes_received: u64 [bytes],
    }
}

pub(super) fn rows(run: &Run<'_>) -> impl Iterator<Item = RankRow> {
    let (topology, nodes) = (run.topology, run.plan.node_map());
    run.reports.iter().map(move |report| {
        let totals = &report.totals;
        let nic = nodes.first_nic(report.node);
        RankRow {
            job: report.job,
            rank: report.rank,
            node: report.node,
            router: topology.router_of(nic),
            group: topology.group_of_terminal(nic),
            start_ns: report.start.map(ns),
            end_ns: report.end.map(ns),
            communication_time_ns: ns(totals.communication()),
            compute_time_ns: ns(totals.compute),
            send_ns: ns(totals.send),
            recv_ns: ns(totals.recv),
            wait_ns: ns(totals.wait),
            collective_ns: ns(totals.collective),
            init_ns: ns(totals.init),
            finalize_ns: ns(totals.finalize),
            messages_sent: totals.messages_sent,
            bytes_sent: totals.bytes_sent,
            peak_ingress_bytes: totals.peak_ingress,
            messages_received: totals.messages_received,
            bytes_received: totals.bytes_received,
        }
    })
}

//! The table `routing_windows`: its columns and how a run fills them.

use super::source::Run;
use crate::output::columns::{ns, table};
use crate::output::routing_record::RoutingWindow;

table! {
    /// One row per job and time window in which packets of the job arrived: the paths that they
    /// took. `minimal`, `nonminimal_at_source` and `rerouted` sum to `packets`. The length of a
    /// window is `record.routing_windows_ps` of the plan.
    pub(super) routing_windows: RoutingWindowRow if "record.routing_windows" {
        /// Number of the job in the plan, from 0.
        job: u16,
        /// Start of the window in which the packets arrived.
        window_start_ns: f64 [ns],
        /// Packets delivered.
        packets: u64,
        /// Packets on a minimal path.
        minimal: u64,
        /// Packets on a non-minimal path.
        nonminimal: u64,
        /// Packets whose source router chose the non-minimal path.
        nonminimal_at_source: u64,
        /// Packets that a later router diverted from their minimal path, as progressive routings
        /// do.
        rerouted: u64,
        /// Links between routers that the packets crossed, summed over packets.
        link_hops: u64,
        /// Mean of the links between routers over packets.
        link_hops_mean: f64,
    }
}

pub(super) fn rows(run: &Run<'_>) -> impl Iterator<Item = RoutingWindowRow> {
    let length = run.plan.record.routing_windows_ps;
    let jobs = run.results.jobs.iter().enumerate();
    jobs.flat_map(move |(job, packets)| {
        packets.routing.iter().map(move |window| row(job as u16, length, window))
    })
}

fn row(job: u16, length: u64, window: &RoutingWindow) -> RoutingWindowRow {
    let nonminimal = window.diverted_at_source + window.rerouted;
    RoutingWindowRow {
        job,
        window_start_ns: ns(window.number * length),
        packets: window.packets,
        minimal: window.packets - nonminimal,
        nonminimal,
        nonminimal_at_source: window.diverted_at_source,
        rerouted: window.rerouted,
        link_hops: window.hops,
        link_hops_mean: window.hops as f64 / window.packets as f64,
    }
}

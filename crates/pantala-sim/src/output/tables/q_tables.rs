//! The table `q_tables`: its columns and how a run fills them.

use super::source::Run;
use crate::output::columns::table;

table! {
    /// One row per estimate of a router under q_adaptive at the end of the run. Another run on the
    /// same topology can start from the file (`routing.q_adaptive.table`). Kang et al. (HPDC 2021;
    /// SC 2022, II.B).
    pub q_tables: EstimateRow if "record.q_tables" {
        /// The router that holds the estimate.
        router: u32,
        /// Destination group of the packets; never the router's own group.
        destination_group: u32,
        /// Place of the packets' source node at its router, from 0.
        slot: u32,
        /// Output port of the packets; it has a link to another router.
        port: u32,
        /// Estimated duration from a packet's arrival at the router to its arrival in the
        /// destination's group.
        estimate_ns: f64 [ns],
    }
}

pub(super) fn rows(run: &Run<'_>) -> impl Iterator<Item = EstimateRow> {
    run.results.estimates.estimates().map(|estimate| EstimateRow {
        router: estimate.router,
        destination_group: estimate.destination_group,
        slot: estimate.slot,
        port: estimate.port,
        estimate_ns: f64::from(estimate.ns),
    })
}

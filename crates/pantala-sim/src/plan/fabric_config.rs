//! The configuration of the fabric for a resolved plan.

use crate::plan::coarsen;
use crate::plan::form::*;
use crate::plan::routings;
use pantala_fabric::FabricConfig;
use pantala_fabric::config::LinkTiming;
use pantala_topology::LinkClass;

/// The configuration of the fabric for a resolved plan.
///
/// # Panics
/// If the plan has not been resolved.
#[must_use]
pub fn fabric_config(plan: &Plan) -> FabricConfig {
    let timing = |link: &LinkPlan| {
        LinkTiming::new(plan.flit_bytes, link.bandwidth_bytes_per_s, link.latency_ps)
    };
    // The timing of a link class without links has no effect.
    let mut links = [timing(&plan.links.terminal); LinkClass::COUNT];
    for (class, link) in plan.links.by_class() {
        links[class as usize] = timing(link);
    }
    let table = routings::table(plan);
    FabricConfig {
        packet_bytes: plan.packet_bytes,
        flit_bytes: plan.flit_bytes,
        links,
        router: coarsen::router(plan),
        virtual_channels: routings::virtual_channels(plan),
        routings: table.routings,
        routing_of: table.routing_of,
        responses: table.responses,
        nic_buffer: match plan.nic.latency_from {
            LatencyFrom::Created | LatencyFrom::Injected => 0,
            LatencyFrom::Nic => plan.nic.buffer_packets,
        },
        injection_vc: plan.nic.injection_vc,
        jobs: plan.jobs.len() as u16,
        seed: plan.seed,
        blocks: 0,
    }
}

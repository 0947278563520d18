//! Closed forms.

use pantala_engine::Time;
use pantala_topology::{Peer, Topology};

use crate::{OracleConfig, OraclePacket, RouteStep};

/// The time from a packet's start on its injection link to the arrival of its tail, without
/// contention.
#[must_use]
pub fn zero_load_latency(
    topology: &Topology,
    config: &OracleConfig,
    packet: &OraclePacket,
) -> Time {
    let mut router = topology.router_of(packet.source);
    let output = |step: &RouteStep| {
        let class = topology.class_of(router, step.port);
        if let Peer::Port { router: next, .. } = topology.peer(router, step.port) {
            router = next;
        }
        config.link(class)
    };
    let links = std::iter::once(config.terminal).chain(packet.route.iter().map(output));
    let routers = packet.route.len() as Time;
    let (mut head, mut slowest) = (
        routers * (config.input_latency + config.crossbar_flit_time + config.output_latency),
        config.crossbar_flit_time,
    );
    for link in links {
        head += link.latency + link.flit_time;
        slowest = slowest.max(link.flit_time);
    }
    head + Time::from(packet.flits - 1) * slowest
}

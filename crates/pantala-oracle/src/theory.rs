//! Closed forms.

use pantala_engine::Time;
use pantala_topology::Topology;

use crate::{OracleConfig, OraclePacket};

/// The time from a packet's start on its injection link to the arrival of its tail, without
/// contention.
#[must_use]
pub fn zero_load_latency(
    topology: &Topology,
    config: &OracleConfig,
    packet: &OraclePacket,
) -> Time {
    let injection = std::iter::once(config.terminal);
    let links = injection
        .chain(packet.route.iter().map(|step| config.link(topology.class_of_port(step.port))));
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

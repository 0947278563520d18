//! Checks of packets against the network.

use pantala_topology::{Peer, Topology};

use crate::{OracleConfig, OracleError, OraclePacket};

/// Checks that every packet has a valid route and fits the buffers.
pub(crate) fn check(
    topology: &Topology,
    config: &OracleConfig,
    packets: &[OraclePacket],
) -> Result<(), OracleError> {
    for (index, packet) in packets.iter().enumerate() {
        if let Err(message) = check_packet(topology, config, packet) {
            return Err(OracleError::Packet { packet: index, message });
        }
    }
    Ok(())
}

fn check_packet(
    topology: &Topology,
    config: &OracleConfig,
    packet: &OraclePacket,
) -> Result<(), String> {
    if packet.source >= topology.terminals() || packet.destination >= topology.terminals() {
        return Err(format!("there are only {} nodes", topology.terminals()));
    }
    let flits = packet.flits;
    if flits == 0 {
        return Err("a packet has at least one flit".into());
    }
    if flits > config.input_buffer_flits {
        return Err(format!(
            "{flits} flits never fit an input buffer of {}",
            config.input_buffer_flits
        ));
    }
    if config.output_buffer_flits != 0 && flits > config.output_buffer_flits {
        return Err(format!(
            "{flits} flits never fit an output buffer of {}",
            config.output_buffer_flits
        ));
    }
    let vcs = packet.route.iter().map(|step| step.vc).chain([packet.injection_vc]);
    if let Some(vc) = vcs.into_iter().find(|&vc| vc >= config.virtual_channels) {
        return Err(format!("there is no VC {vc} among {}", config.virtual_channels));
    }
    let mut router = topology.router_of(packet.source);
    for (hop, step) in packet.route.iter().enumerate() {
        if u32::from(step.port) >= topology.ports_per_router() {
            return Err(format!("hop {hop}: a router has no port {}", step.port));
        }
        match topology.peer(router, step.port) {
            Peer::Port { router: next, .. } => router = next,
            Peer::Unconnected => {
                return Err(format!("hop {hop}: router {router} port {} leads nowhere", step.port));
            }
            Peer::Terminal(terminal) => {
                let last = hop + 1 == packet.route.len();
                return if last && terminal == packet.destination {
                    Ok(())
                } else {
                    Err(format!("hop {hop}: the route leaves the network at node {terminal}"))
                };
            }
        }
    }
    Err("the route ends inside the network".into())
}

//! Small networks and random traffic for the oracle's tests.

pub(crate) mod fabric;

use pantala_engine::Stream;
use pantala_oracle::{OracleConfig, OraclePacket, OracleRun, RouteChoice, minimal_route, simulate};
use pantala_topology::{DragonflySpec, GlobalArrangement, GroupSpec, PortAssignment, Topology};

/// A Dragonfly of full meshes, with the largest possible number of links between groups.
pub(crate) fn dragonfly(p: u32, a: u32, h: u32, g: u32) -> Topology {
    dragonfly_of(p, GroupSpec::FullMesh { routers: a, links_per_pair: 1 }, h, g)
}

/// A Dragonfly with any groups and the largest possible number of links between groups.
pub(crate) fn dragonfly_of(p: u32, group: GroupSpec, h: u32, g: u32) -> Topology {
    Topology::dragonfly(&DragonflySpec {
        terminals_per_router: p,
        group,
        global_ports: h,
        groups: g,
        links_per_pair: 0,
        global_arrangement: GlobalArrangement::Palmtree,
        port_assignment: PortAssignment::Consecutive,
        mirrored: false,
        global_arrangement_seed: 0,
    })
    .expect("a sound Dragonfly")
}

/// A packet on its minimal route.
pub(crate) fn packet(
    topology: &Topology,
    source: u32,
    destination: u32,
    created: u64,
    flits: u32,
) -> OraclePacket {
    OraclePacket {
        source,
        destination,
        created,
        flits,
        injection_vc: 0,
        route: minimal_route(topology, source, destination, RouteChoice::default()),
    }
}

/// Uniform random traffic at `load`, a fraction of the terminal bandwidth. In every packet time a
/// NIC creates a packet of `flits` flits with that probability, at a random time within it. A NIC
/// never sends to itself. Packets are ordered by NIC, then by time.
pub(crate) fn uniform(
    topology: &Topology,
    config: &OracleConfig,
    load: f64,
    flits: u32,
    packet_times: u64,
    seed: u64,
) -> Vec<OraclePacket> {
    let packet_time = u64::from(flits) * config.terminal.flit_time;
    let mut packets = Vec::new();
    for source in 0..topology.terminals() {
        let mut stream = Stream::new(seed, 0, u64::from(source));
        for slot in 0..packet_times {
            if stream.unit() <= load {
                let other = stream.below(topology.terminals() - 1);
                let destination = other + u32::from(other >= source);
                let created = slot * packet_time + u64::from(stream.below(packet_time as u32));
                packets.push(packet(topology, source, destination, created, flits));
            }
        }
    }
    packets
}

/// Runs packets that are expected to arrive.
pub(crate) fn run(
    topology: &Topology,
    config: &OracleConfig,
    packets: &[OraclePacket],
) -> OracleRun {
    simulate(topology, config, packets).expect("a run that should have ended well")
}

/// Packet latencies from creation to tail, in picoseconds.
pub(crate) fn latencies(packets: &[OraclePacket], run: &OracleRun) -> Vec<u64> {
    packets
        .iter()
        .zip(&run.deliveries)
        .map(|(packet, delivery)| delivery.delivered - packet.created)
        .collect()
}

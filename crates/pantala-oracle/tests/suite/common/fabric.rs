//! Runs of the same packets through the fabric.

use std::collections::VecDeque;

use pantala_engine::{NEVER, Time};
use pantala_fabric::config::{InjectionVc, LinkTiming, RouterConfig};
use pantala_fabric::packet::{Packet, PacketOrigin};
use pantala_fabric::{
    Delivery, FabricConfig, Host, PacketOffer, Partition, Probe, Pull, TrafficClass, Wakes,
};
use pantala_oracle::{LinkTimes, OracleConfig, OraclePacket, RouteStep};
use pantala_routing::{Algorithm, Intermediate, RoutingConfig, SegmentVcs};
use pantala_topology::{LinkClass, LocalOrder, Peer, Topology};

/// Bytes of a flit in these tests.
const FLIT_BYTES: u32 = 128;

/// The fabric's result for a packet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CarriedPacket {
    pub(crate) injected: Time,
    pub(crate) delivered: Time,
    pub(crate) nonminimal: bool,
    /// The path that it took.
    pub(crate) route: Vec<RouteStep>,
}

/// The fabric's default model with the oracle's times and sizes.
pub(crate) fn fabric_config(config: &OracleConfig, algorithm: Algorithm) -> FabricConfig {
    let link = |times: LinkTimes| LinkTiming { flit: times.flit_time, latency: times.latency };
    let mut fabric = FabricConfig {
        packet_bytes: 64 * FLIT_BYTES,
        flit_bytes: FLIT_BYTES,
        links: LinkClass::ALL.map(|class| link(config.link(class))),
        router: RouterConfig {
            input_latency: config.input_latency,
            output_latency: config.output_latency,
            crossbar_bandwidth: u64::from(FLIT_BYTES) * 1_000_000_000_000
                / config.crossbar_flit_time,
            input_buffer: config.input_buffer_flits,
            output_buffer: config.output_buffer_flits,
            ..RouterConfig::default()
        },
        virtual_channels: 0,
        routings: Vec::new(),
        routing_of: Vec::new(),
        nic_buffer: 0,
        injection_vc: InjectionVc::First,
        responses: None,
        jobs: 1,
        seed: 1,
        blocks: 0,
    };
    fabric.route_all(RoutingConfig::new(algorithm));
    fabric
}

/// Carries packets through the fabric, which chooses their routes.
///
/// There must be one link between every two groups, so that a packet's path follows from its
/// intermediate.
pub(crate) fn carry(
    topology: &Topology,
    config: &OracleConfig,
    algorithm: Algorithm,
    packets: &[OraclePacket],
) -> Vec<CarriedPacket> {
    assert!(topology.links_per_pair() <= 1, "routes would be ambiguous");
    let mut host = Script { queues: vec![VecDeque::new(); topology.terminals() as usize] };
    let mut order: Vec<usize> = (0..packets.len()).collect();
    order.sort_by_key(|&index| packets[index].created);
    for index in order {
        let packet = &packets[index];
        host.queues[packet.source as usize].push_back(PacketOffer {
            destination: packet.destination,
            bytes: packet.flits * FLIT_BYTES,
            created: packet.created,
            message: index as u32,
            number: 0,
            job: 0,
            class: TrafficClass::PointToPoint,
        });
    }
    let keys: Vec<u64> = (0..u64::from(topology.terminals())).collect();
    let log = Log { topology: topology.clone(), algorithm, carried: vec![None; packets.len()] };
    let config = fabric_config(config, algorithm);
    let mut network = Partition::new(config, topology.clone(), &keys, host, log);
    network.advance(NEVER);
    assert!(network.audit().balanced(), "{}", network.audit());
    let carried = std::mem::take(&mut network.probe.carried);
    (carried.into_iter()).map(|carried| carried.expect("the fabric has kept a packet")).collect()
}

/// Sends the given packets, in order.
struct Script {
    queues: Vec<VecDeque<PacketOffer>>,
}

impl Host for Script {
    type Message = ();

    fn start(&mut self, terminal: u32, wakes: &mut Wakes) {
        wakes.nic = !self.queues[terminal as usize].is_empty();
    }
    fn pull(&mut self, terminal: u32, now: Time, _: &mut Wakes) -> Pull {
        let queue = &mut self.queues[terminal as usize];
        match queue.pop_front() {
            None => Pull::Idle,
            Some(offer) if offer.created > now => {
                queue.push_front(offer);
                Pull::Later(offer.created)
            }
            Some(offer) => Pull::Packet(offer),
        }
    }
    fn deliver(&mut self, _: u32, _: &Delivery, _: Time, _: &mut Wakes) {}
    fn timer(&mut self, _: u32, _: Time, _: &mut Wakes) {}
}

/// Records the delivery of each packet.
struct Log {
    topology: Topology,
    algorithm: Algorithm,
    carried: Vec<Option<CarriedPacket>>,
}

impl Probe for Log {
    fn injected(&mut self, _: u16, _: u32, _: Time) {}
    fn delivered(&mut self, packet: &Packet, origin: &PacketOrigin, now: Time) -> bool {
        let route = route_taken(&self.topology, self.algorithm, packet, origin.source);
        assert_eq!(route.len(), usize::from(packet.route.hops) + 1);
        let carried = CarriedPacket {
            injected: origin.injected,
            delivered: now,
            nonminimal: packet.route.nonminimal,
            route,
        };
        let before = self.carried[origin.message as usize].replace(carried);
        assert!(before.is_none(), "delivered twice");
        false
    }
}

/// The path of a packet, computed from its intermediate.
fn route_taken(
    topology: &Topology,
    algorithm: Algorithm,
    packet: &Packet,
    source: u32,
) -> Vec<RouteStep> {
    let channels = algorithm.own_vc_map();
    let last = topology.router_of(packet.route.destination);
    let first = topology.router_of(source);
    let mut walk = Walk { topology, here: first, last, route: Vec::new() };
    if packet.route.nonminimal {
        match algorithm.intermediate() {
            Intermediate::Group => {
                walk.towards_group(packet.route.intermediate, channels.nonminimal)
            }
            Intermediate::Router => {
                let group = topology.group_of(packet.route.intermediate);
                walk.towards_group(group, channels.nonminimal);
                let stays = group == topology.group_of(first);
                let vc = if stays { channels.nonminimal.local } else { channels.to_intermediate };
                walk.towards_router(packet.route.intermediate, vc);
            }
        }
        walk.towards_group(topology.group_of(last), channels.from_intermediate);
    } else {
        walk.towards_group(topology.group_of(last), channels.minimal);
    }
    walk.towards_router(last, channels.destination_minimal);
    let port = topology.terminal_port_of(packet.route.destination);
    walk.route.push(RouteStep { port, vc: channels.destination_minimal });
    walk.route
}

/// A path under construction. It ends at the destination's router `last`, also on the way to an
/// intermediate.
struct Walk<'a> {
    topology: &'a Topology,
    here: u32,
    last: u32,
    route: Vec<RouteStep>,
}

impl Walk<'_> {
    /// Continues to another router of this group, along the row first in a grid.
    fn towards_router(&mut self, router: u32, vc: u8) {
        while router != self.here && self.here != self.last {
            let ports = self.topology.local_step(self.here, router, LocalOrder::RowFirst);
            assert_eq!(ports.count(), 1, "routes would be ambiguous");
            self.route.push(RouteStep { port: ports.first(), vc });
            let Peer::Port { router: next, .. } = self.topology.peer(self.here, ports.first())
            else {
                unreachable!("a local port leads to a router");
            };
            self.here = next;
        }
    }

    /// Continues to another group, by the only link.
    fn towards_group(&mut self, group: u32, lane: SegmentVcs) {
        let links = (self.topology).global_links(self.topology.group_of(self.here), group);
        let link = links.first().filter(|_| self.here != self.last);
        if let Some(link) = link {
            self.towards_router(link.router, lane.local);
            self.route.push(RouteStep { port: link.port, vc: lane.global });
            self.here = link.target_router;
        }
    }
}

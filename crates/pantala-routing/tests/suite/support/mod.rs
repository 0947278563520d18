//! Packets, queues and tables for the tests of routing.
#![allow(unreachable_pub)]

use pantala_routing::{CongestionView, Hop, QueueMeasure, RouteState, RoutingConfig};
use pantala_topology::{Peer, Topology};
use std::collections::BTreeMap;

pub use pantala_testing::topologies::*;

/// Queues by (port, VC), zero where nothing is said.
#[derive(Default)]
pub struct Queues(pub BTreeMap<(u16, u8), i64>);

impl CongestionView for Queues {
    fn queue(&mut self, port: u16, vc: Option<u8>, _: QueueMeasure) -> i64 {
        self.0
            .iter()
            .filter(|((p, v), _)| *p == port && vc.is_none_or(|vc| vc == *v))
            .map(|(_, flits)| flits)
            .sum()
    }
    fn queue_at(&mut self, _: u32, port: u16, vc: Option<u8>, measure: QueueMeasure) -> i64 {
        self.queue(port, vc, measure)
    }
}

/// The route state of a packet at its source router.
pub fn packet(topology: &Topology, destination: u32, draw: u64) -> RouteState {
    RouteState::to(topology, destination, 0, draw)
}

/// Decides for a packet at a router, and returns its next hop.
pub fn step(
    topology: &Topology,
    routing: &RoutingConfig,
    router: u32,
    packet: &mut RouteState,
    queues: &mut Queues,
) -> Hop {
    routing.decide(topology, router, packet, queues);
    routing.follow(topology, router, topology.group_of(router), packet)
}

/// The routers that a packet passes, and its hop from each; the last one ejects it.
pub fn walk(
    topology: &Topology,
    routing: &RoutingConfig,
    source: u32,
    packet: &mut RouteState,
    queues: &mut Queues,
) -> Vec<(u32, Hop)> {
    let mut router = topology.router_of(source);
    let mut passed = Vec::new();
    loop {
        let hop = step(topology, routing, router, packet, queues);
        passed.push((router, hop));
        assert!(passed.len() < 20, "the packet wanders: {passed:?}");
        match topology.peer(router, hop.port) {
            Peer::Terminal(terminal) => {
                assert_eq!(terminal, packet.destination);
                return passed;
            }
            Peer::Port { router: next, .. } => {
                packet.hops += 1;
                router = next;
            }
            Peer::Unconnected => panic!("routed to a port with nothing behind it"),
        }
    }
}

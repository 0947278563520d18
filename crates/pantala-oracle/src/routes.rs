//! Packets and their routes. The caller gives the routes; the oracle never chooses one.

use pantala_engine::Time;
use pantala_topology::{LocalOrder, Peer, Topology};

/// One step of a route: the output port, and the VC of the buffers at both ends of its link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RouteStep {
    /// The output port.
    pub port: u16,
    /// The VC of the output buffer and of the next router's input buffer.
    pub vc: u8,
}

/// A packet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OraclePacket {
    /// The source NIC.
    pub source: u32,
    /// The destination NIC.
    pub destination: u32,
    /// The time at which it joins its source's queue, in picoseconds.
    pub created: Time,
    /// Its length in flits, at least 1.
    pub flits: u32,
    /// The VC of the first router's input buffer.
    pub injection_vc: u8,
    /// One step per router on its path. The last step leads to the destination.
    pub route: Vec<RouteStep>,
}

/// The choice among several minimal routes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RouteChoice {
    /// The number of the parallel link to take, modulo their number, between two groups and between
    /// two routers.
    pub parallel: usize,
    /// In a group that is a grid: whether to go along the row or along the column first.
    pub order: LocalOrder,
}

/// The minimal route: at most one global hop. In the groups before and after it, at most one local
/// hop, or one hop along a row and one along a column. The VC is the number of global hops so far:
/// 0 in the source group and on the global link, 1 in the destination group. Ejection keeps the VC.
#[must_use]
pub fn minimal_route(
    topology: &Topology,
    source: u32,
    destination: u32,
    choice: RouteChoice,
) -> Vec<RouteStep> {
    route_via(topology, source, destination, &[], choice)
}

/// The route that visits the routers `via` in order and is minimal in between. The VC rises by one
/// after each global hop and at each visited router, so it never falls.
///
/// # Panics If a link of the topology leads to no router.
#[must_use]
pub fn route_via(
    topology: &Topology,
    source: u32,
    destination: u32,
    via: &[u32],
    choice: RouteChoice,
) -> Vec<RouteStep> {
    let last = topology.router_of(destination);
    let (mut here, mut vc) = (topology.router_of(source), 0);
    let mut route = Vec::new();
    for (visited, &target) in via.iter().chain([&last]).enumerate() {
        if visited > 0 {
            vc += 1;
        }
        while here != target {
            let (from, to) = (topology.group_of(here), topology.group_of(target));
            let towards = if from == to {
                target
            } else {
                let links = topology.global_links(from, to);
                let link = links[choice.parallel % links.len()];
                if link.router == here {
                    route.push(RouteStep { port: link.port, vc });
                    here = link.target_router;
                    vc += 1;
                    continue;
                }
                link.router
            };
            let ports = topology.local_step(here, towards, choice.order);
            let port = ports.nth((choice.parallel % usize::from(ports.count())) as u16);
            route.push(RouteStep { port, vc });
            here = match topology.peer(here, port) {
                Peer::Port { router, .. } => router,
                nobody => panic!("router {here} port {port} leads to {nobody:?}"),
            };
        }
    }
    route.push(RouteStep { port: topology.terminal_port_of(destination), vc });
    route
}

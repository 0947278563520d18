//! Packets and their routes: a route is given, never chosen by the oracle.

use pantala_engine::Time;
use pantala_topology::Topology;

/// How a packet leaves one router: the output port, and the VC of the buffers at both ends of the link behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RouteStep {
    /// The output port.
    pub port: u16,
    /// The VC of the output buffer there and of the next router's input buffer.
    pub vc: u8,
}

/// A packet to be carried.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OraclePacket {
    /// The node it comes from.
    pub source: u32,
    /// The node it goes to.
    pub destination: u32,
    /// When it joins its source's queue, in picoseconds.
    pub created: Time,
    /// Its length, at least 1.
    pub flits: u32,
    /// The VC of the first router's input buffer.
    pub injection_vc: u8,
    /// One step for each router on its way; the last one leads to the destination.
    pub route: Vec<RouteStep>,
}

/// The minimal route: at most one local, one global and one local hop. The VC is the number of global hops made so far, so
/// 0 in the source group and on the global link, 1 in the destination group; ejection keeps the VC.
///
/// `parallel` chooses among the links between the two groups (modulo their number).
#[must_use]
pub fn minimal_route(topology: &Topology, source: u32, destination: u32, parallel: usize) -> Vec<RouteStep> {
    route_via(topology, source, destination, &[], parallel)
}

/// The route that visits the routers `via` in order and is minimal in between, with one VC more after each global hop and
/// at each router visited (so the VCs of a route never fall).
///
/// `parallel` chooses among the links between two groups (modulo their number).
#[must_use]
pub fn route_via(topology: &Topology, source: u32, destination: u32, via: &[u32], parallel: usize) -> Vec<RouteStep> {
    let last = topology.router_of(destination);
    let (mut here, mut vc) = (topology.router_of(source), 0);
    let mut route = Vec::new();
    for (visited, &target) in via.iter().chain([&last]).enumerate() {
        if visited > 0 {
            vc += 1;
        }
        while here != target {
            let (from, to) = (topology.group_of(here), topology.group_of(target));
            let next = if from == to {
                target
            } else {
                let links = topology.global_links(from, to);
                let link = links[parallel % links.len()];
                if link.router == here {
                    route.push(RouteStep { port: link.port, vc });
                    here = link.target_router;
                    vc += 1;
                    continue;
                }
                link.router
            };
            route.push(RouteStep { port: topology.local_port(here, next), vc });
            here = next;
        }
    }
    route.push(RouteStep { port: topology.terminal_port_of(destination), vc });
    route
}

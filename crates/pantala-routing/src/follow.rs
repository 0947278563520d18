//! Following a packet's path: the next hop from its route state.

use crate::config::RoutingConfig;
use crate::descriptor::Intermediate;
use crate::draws::salted;
use crate::gateways::{self, GatewayTarget, Gateways};
use crate::state::{NONE, Phase, RouteState};
use crate::vc_map::SegmentVcs;
use pantala_topology::{LinkClass, Topology};

/// The next hop of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hop {
    /// The output port.
    pub port: u16,
    /// The VC of that port.
    pub vc: u8,
}

impl RoutingConfig {
    /// Sets what the source terminal of a packet decides, before its first router: the gateway link,
    /// with [`Gateways::BySource`].
    #[inline]
    pub fn depart(&self, topology: &Topology, source: u32, route: &mut RouteState) {
        if self.gateways != Gateways::BySource {
            return;
        }
        let (from, to) =
            (topology.group_of(topology.router_of(source)), u32::from(route.destination_group));
        if from != to {
            let links = topology.global_links(from, to).len() as u32;
            route.gateway = if links > 1 { gateways::of_source(source, links) } else { NONE };
        }
    }

    /// Returns the next hop of a packet at `router`, in `group`, and updates its route state. The
    /// decision must have been made.
    #[inline(always)]
    pub fn follow(
        &self,
        topology: &Topology,
        router: u32,
        group: u32,
        route: &mut RouteState,
    ) -> Hop {
        let Hop { port, vc } = self.step(topology, router, group, route);
        let vc = if self.vc_map.by_hop {
            // An ejection link does not count as a hop.
            route.hops.saturating_sub(u8::from(router == route.destination_router))
        } else if self.vc_map.by_local_hop && router != route.destination_router {
            // A packet from another process may have any count.
            let global = topology.class_of(router, port) == LinkClass::Global;
            route.count_hop(global).min(self.vc_map.count - 1)
        } else {
            vc
        };
        Hop { port, vc: vc + self.first_vc }
    }

    /// Does the same as [`follow`](Self::follow) if every packet takes a minimal path on a plain VC
    /// map. It has no decision to read.
    #[inline(always)]
    #[must_use]
    pub fn follow_minimal(
        &self,
        topology: &Topology,
        router: u32,
        group: u32,
        route: &mut RouteState,
    ) -> Hop {
        let destination = route.destination_router;
        let vc = self.vc_map.destination_minimal + self.first_vc;
        if router == destination {
            return Hop { port: topology.terminal_port_of(route.destination), vc };
        }
        let destination_group = u32::from(route.destination_group);
        if group == destination_group {
            return Hop {
                port: gateways::step(topology, router, destination, self.local_order, route),
                vc,
            };
        }
        let target = GatewayTarget { group: destination_group, router: Some(destination) };
        let Hop { port, vc } =
            self.towards(topology, router, group, target, self.vc_map.minimal, route);
        Hop { port, vc: vc + self.first_vc }
    }

    /// Returns whether the destination and the intermediate of a packet between two groups are of
    /// this network. For packets that another process has sent.
    #[must_use]
    pub fn fits(&self, topology: &Topology, route: &RouteState) -> bool {
        route.destination < topology.terminals()
            && route.destination_router == topology.router_of(route.destination)
            && u32::from(route.destination_group) == topology.group_of(route.destination_router)
            && match route.phase {
                Phase::ToIntermediate => match self.algorithm.intermediate() {
                    Intermediate::Group => route.intermediate < topology.groups(),
                    Intermediate::Router => route.intermediate < topology.routers(),
                },
                Phase::Inside | Phase::InsideToIntermediate => false, // they stay in their group
                Phase::Undecided | Phase::Revisable | Phase::ToDestination => true,
            }
    }

    #[inline(always)]
    fn step(&self, topology: &Topology, router: u32, group: u32, route: &mut RouteState) -> Hop {
        if router == route.destination_router {
            return Hop {
                port: topology.terminal_port_of(route.destination),
                vc: self.destination_vc(route),
            };
        }
        if route.phase == Phase::ToIntermediate {
            let intermediate = self.intermediate_target(topology, route.intermediate);
            let reached = match intermediate.router {
                Some(target) => router == target,
                None => group == intermediate.group,
            };
            if reached {
                route.phase = Phase::ToDestination;
            } else if group == intermediate.group {
                let port =
                    gateways::step(topology, router, route.intermediate, self.local_order, route);
                return Hop { port, vc: self.vc_map.to_intermediate };
            } else {
                let first = route.hops == 0;
                let lane =
                    if first { self.vc_map.nonminimal } else { self.vc_map.nonminimal_later };
                return self.towards(topology, router, group, intermediate, lane, route);
            }
        }
        let destination_group = u32::from(route.destination_group);
        if group == destination_group {
            if route.phase == Phase::InsideToIntermediate {
                if router != route.intermediate {
                    let port = gateways::step(
                        topology,
                        router,
                        route.intermediate,
                        self.local_order,
                        route,
                    );
                    return Hop { port, vc: self.vc_map.nonminimal.local };
                }
                route.phase = Phase::ToDestination;
            }
            let port =
                gateways::step(topology, router, route.destination_router, self.local_order, route);
            return Hop { port, vc: self.destination_vc(route) };
        }
        let target =
            GatewayTarget { group: destination_group, router: Some(route.destination_router) };
        let lane = if route.nonminimal {
            self.vc_map.from_intermediate
        } else if route.hops == 0 {
            self.vc_map.minimal
        } else {
            self.vc_map.minimal_later
        };
        self.towards(topology, router, group, target, lane, route)
    }

    /// Returns the VC in the destination's group.
    #[inline(always)]
    fn destination_vc(&self, route: &RouteState) -> u8 {
        if route.nonminimal {
            self.vc_map.destination_nonminimal
        } else if route.phase == Phase::Inside {
            self.vc_map.inside
        } else {
            self.vc_map.destination_minimal
        }
    }

    #[inline]
    fn intermediate_target(&self, topology: &Topology, intermediate: u32) -> GatewayTarget {
        match self.algorithm.intermediate() {
            Intermediate::Group => GatewayTarget { group: intermediate, router: None },
            Intermediate::Router => {
                GatewayTarget { group: topology.group_of(intermediate), router: Some(intermediate) }
            }
        }
    }

    /// Returns the hop towards another group, over the packet's gateway link. The first router of
    /// the segment chooses the gateway.
    #[inline(always)]
    fn towards(
        &self,
        topology: &Topology,
        router: u32,
        group: u32,
        target: GatewayTarget,
        lane: SegmentVcs,
        route: &mut RouteState,
    ) -> Hop {
        let links = topology.global_links(group, target.group);
        if route.gateway == NONE {
            let draw = || salted(route.draw, 16 + u64::from(route.hops));
            route.gateway = gateways::choose(
                topology,
                links,
                router,
                target,
                (self.gateways, self.local_order),
                draw,
            );
        }
        let gateway = links[route.gateway as usize];
        if gateway.router == router {
            route.gateway = NONE;
            if route.phase == Phase::Revisable {
                route.phase = Phase::ToDestination;
            }
            Hop { port: gateway.port, vc: lane.global }
        } else {
            Hop {
                port: gateways::step(topology, router, gateway.router, self.local_order, route),
                vc: lane.local,
            }
        }
    }
}

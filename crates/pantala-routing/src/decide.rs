//! The decision on a packet's path: the routers that decide, and the dispatch to the algorithm.

use crate::algorithms::q_adaptive;
use crate::candidates::DecisionContext;
use crate::config::RoutingConfig;
use crate::descriptor::Intermediate;
use crate::draws::{salted, third_group, third_router};
use crate::follow::Hop;
use crate::state::{NONE, Phase, RouteState};
use crate::view::CongestionView;
use pantala_topology::Topology;

impl RoutingConfig {
    /// Decides on the packet's path: at the source router, and at later routers of the source group
    /// while the packet is [`Phase::Revisable`]. At other routers only [per-hop
    /// adaptive](crate::Algorithm::per_hop_adaptive) algorithms decide.
    pub fn decide<S: CongestionView>(
        &self,
        topology: &Topology,
        router: u32,
        route: &mut RouteState,
        view: &mut S,
    ) {
        let group = topology.group_of(router);
        let context = DecisionContext { routing: self, topology, router, group };
        if route.phase > Phase::Revisable {
            self.algorithm.decide_per_hop(&context, route, view);
            return;
        }
        if group == u32::from(route.destination_group) {
            self.decide_inside(&context, route, view);
            return;
        }
        let destination = u32::from(route.destination_group);
        // A path through a third group needs one.
        if topology.third_groups(group, destination) == 0 {
            route.phase = Phase::ToDestination;
            self.algorithm.decide_per_hop(&context, route, view);
            return;
        }
        if topology.are_linked(group, destination) {
            self.algorithm.decide(&context, route, view);
        } else {
            self.cross_third_group(&context, route);
        }
        if !route.nonminimal {
            route.phase = if self.algorithm.is_progressive() {
                Phase::Revisable
            } else {
                Phase::ToDestination
            };
        }
    }

    /// Sends a packet through a random third group, because no link leads to the destination's.
    fn cross_third_group(&self, context: &DecisionContext<'_>, route: &mut RouteState) {
        let destination = u32::from(route.destination_group);
        let third = match self.algorithm.intermediate() {
            Intermediate::Group => third_group,
            Intermediate::Router => third_router,
        };
        let intermediate =
            third(context.topology, context.group, destination, salted(route.draw, 0));
        route.divert(intermediate, NONE);
    }

    /// Decides on the path of a packet in the group of its destination.
    fn decide_inside<S: CongestionView>(
        &self,
        context: &DecisionContext<'_>,
        route: &mut RouteState,
        view: &mut S,
    ) {
        if route.phase == Phase::Revisable {
            route.phase = Phase::ToDestination; // it has crossed to its group
            return;
        }
        route.phase = Phase::Inside;
        if context.router != route.destination_router {
            self.algorithm.decide_inside(context, route, view);
        }
    }

    /// Routes a packet of `q_adaptive`; returns its next hop. `row` has the estimates of `router`
    /// for the packet, per port from the first non-terminal port; it is empty in the destination's
    /// group. `early` says that this is one of the router's first decisions.
    pub fn route_by_estimates(
        &self,
        topology: &Topology,
        router: u32,
        group: u32,
        route: &mut RouteState,
        row: &[f32],
        early: bool,
    ) -> Hop {
        if group == u32::from(route.destination_group) {
            route.phase =
                if route.phase == Phase::Undecided { Phase::Inside } else { Phase::ToDestination };
            return self.follow(topology, router, group, route);
        }
        q_adaptive::route(
            &DecisionContext { routing: self, topology, router, group },
            route,
            row,
            early,
        )
    }
}

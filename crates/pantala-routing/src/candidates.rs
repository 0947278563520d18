//! Candidate paths of the adaptive algorithms: drawing them, reading their queues, and taking the
//! better one.
//!
//! The file of each algorithm states its candidates, their costs and the place of its decision.

use crate::config::QueueScope;
use crate::config::RoutingConfig;
use crate::descriptor::Intermediate;
use crate::draws::{other_router, salted};
use crate::gateways::{self, GatewayTarget};
use crate::state::{NONE, Phase, RouteState};
use crate::vc_map::SegmentVcs;
use crate::view::CongestionView;
use pantala_topology::{GlobalLink, Topology};

/// The place of a decision: a router, and the routing.
pub(crate) struct DecisionContext<'a> {
    pub(crate) routing: &'a RoutingConfig,
    pub(crate) topology: &'a Topology,
    pub(crate) router: u32,
    pub(crate) group: u32,
}

/// A candidate path: its intermediate, its gateway link, its port and VC at this router, and its
/// queue.
#[derive(Clone, Copy)]
pub(crate) struct Candidate {
    /// The intermediate group or router; [`NONE`] if the path is minimal.
    pub(crate) intermediate: u32,
    pub(crate) gateway: u32,
    pub(crate) link: GlobalLink,
    pub(crate) port: u16,
    pub(crate) vc: u8,
    pub(crate) queue: i64,
}

impl DecisionContext<'_> {
    /// Returns whether the packet has come from another router of the group, so that its gateway is
    /// fixed.
    pub(crate) fn later(route: &RouteState) -> bool {
        route.phase == Phase::Revisable
    }

    /// Returns the path over link `gateway` of `links`, without its queue.
    #[inline(always)]
    fn path(
        &self,
        links: &[GlobalLink],
        gateway: u32,
        intermediate: u32,
        route: &RouteState,
    ) -> Candidate {
        let vc_map = &self.routing.vc_map;
        let lane = match (intermediate == NONE, Self::later(route)) {
            (true, false) => vc_map.minimal,
            (true, true) => vc_map.at_hop(route.hops, vc_map.minimal_later),
            (false, false) => vc_map.nonminimal,
            (false, true) => vc_map.at_hop(route.hops, vc_map.nonminimal_later),
        };
        self.along(links[gateway as usize], gateway, lane, intermediate, route)
    }

    /// Returns the path over link `gateway` to a group, on the VCs of `lane`, without its queue.
    pub(crate) fn over(
        &self,
        to_group: u32,
        gateway: u32,
        lane: SegmentVcs,
        intermediate: u32,
        route: &RouteState,
    ) -> Candidate {
        self.along(
            self.topology.global_links(self.group, to_group)[gateway as usize],
            gateway,
            lane,
            intermediate,
            route,
        )
    }

    /// Returns the path over `link`, which is link `gateway` to a group, on the VCs of `lane`,
    /// without its queue.
    #[inline(always)]
    fn along(
        &self,
        link: GlobalLink,
        gateway: u32,
        lane: SegmentVcs,
        intermediate: u32,
        route: &RouteState,
    ) -> Candidate {
        let Self { routing, topology, router, .. } = *self;
        let (port, vc) = if link.router == router {
            (link.port, lane.global)
        } else {
            (gateways::step(topology, router, link.router, routing.local_order, route), lane.local)
        };
        Candidate { intermediate, gateway, link, port, vc: routing.first_vc + vc, queue: 0 }
    }

    /// Returns the minimal candidate of least cost, the first of equals. A packet that has left its
    /// source router keeps its gateway.
    pub(crate) fn minimal(
        &self,
        route: &RouteState,
        mut cost: impl FnMut(&Candidate) -> i64,
        salt: u64,
    ) -> Candidate {
        let target = GatewayTarget {
            group: route.destination_group.into(),
            router: Some(route.destination_router),
        };
        let links = self.topology.global_links(self.group, target.group);
        let fixed = Self::later(route) && route.gateway != NONE;
        let count = if fixed { 1 } else { self.routing.ugal.candidates_minimal };
        best(count, |k| {
            let draw = || salted(route.draw, 64 + salt + k);
            let gateway = if fixed {
                route.gateway
            } else {
                gateways::choose(
                    self.topology,
                    links,
                    self.router,
                    target,
                    (self.routing.gateways, self.routing.local_order),
                    draw,
                )
            };
            let mut path = self.path(links, gateway, NONE, route);
            path.queue = cost(&path);
            path
        })
    }

    /// Returns the non-minimal candidate of least cost, over intermediates that
    /// `draw_intermediate(draw)` returns.
    pub(crate) fn nonminimal(
        &self,
        route: &RouteState,
        mut draw_intermediate: impl FnMut(u64) -> u32,
        mut cost: impl FnMut(&Candidate) -> i64,
        salt: u64,
    ) -> Candidate {
        best(self.routing.ugal.candidates_nonminimal, |k| {
            let draw = salted(route.draw, 128 + salt + k);
            let intermediate = draw_intermediate(draw);
            let target = self.target(intermediate);
            let links = self.topology.global_links(self.group, target.group);
            let gateway_draw = || salted(draw, 2);
            let gateway = gateways::choose(
                self.topology,
                links,
                self.router,
                target,
                (self.routing.gateways, self.routing.local_order),
                gateway_draw,
            );
            let mut path = self.path(links, gateway, intermediate, route);
            path.queue = cost(&path);
            path
        })
    }

    fn target(&self, intermediate: u32) -> GatewayTarget {
        match self.routing.algorithm.intermediate() {
            Intermediate::Group => GatewayTarget { group: intermediate, router: None },
            Intermediate::Router => GatewayTarget {
                group: self.topology.group_of(intermediate),
                router: Some(intermediate),
            },
        }
    }

    /// Returns the queue at a candidate's port, by the keys `queue` and `queue_scope`.
    pub(crate) fn queue<S: CongestionView>(&self, view: &mut S, path: &Candidate) -> i64 {
        let ugal = &self.routing.ugal;
        view.queue(path.port, (ugal.scope == QueueScope::Vc).then_some(path.vc), ugal.queue)
    }

    /// Returns the queue at the port towards another router of this group, on VC `vc` if the scope
    /// is one VC.
    pub(crate) fn queue_inside<S: CongestionView>(
        &self,
        route: &RouteState,
        target: u32,
        vc: u8,
        view: &mut S,
    ) -> i64 {
        let ugal = &self.routing.ugal;
        let port =
            gateways::step(self.topology, self.router, target, self.routing.local_order, route);
        view.queue(
            port,
            (ugal.scope == QueueScope::Vc).then_some(self.routing.first_vc + vc),
            ugal.queue,
        )
    }

    /// Returns the two queues to compare. If both paths leave by the same port, only the VC of each
    /// path counts.
    pub(crate) fn queues<S: CongestionView>(
        &self,
        view: &mut S,
        minimal: &Candidate,
        other: &Candidate,
    ) -> (i64, i64) {
        if minimal.port == other.port {
            let measure = self.routing.ugal.queue;
            (
                view.queue(minimal.port, Some(minimal.vc), measure),
                view.queue(other.port, Some(other.vc), measure),
            )
        } else {
            (minimal.queue, other.queue)
        }
    }

    /// Decides a path inside the group by the rule of UGAL: minimal, or over another router, drawn by
    /// `draw`. `coin` breaks ties.
    pub(crate) fn weigh_detour<S: CongestionView>(
        &self,
        route: &mut RouteState,
        view: &mut S,
        draw: u64,
        coin: impl FnOnce() -> u64,
    ) {
        let vc_map = &self.routing.vc_map;
        let over = other_router(self.topology, self.router, draw);
        let straight = self.queue_inside(route, route.destination_router, vc_map.inside, view);
        let detour = self.queue_inside(route, over, vc_map.nonminimal.local, view);
        if self.routing.ugal.diverts(straight, detour, coin) {
            route.divert_inside(over);
        }
    }

    /// Sends the packet on the chosen path.
    pub(crate) fn take(
        &self,
        route: &mut RouteState,
        minimal: &Candidate,
        other: &Candidate,
        diverts: bool,
    ) {
        if diverts {
            route.divert(other.intermediate, other.gateway);
        } else {
            route.gateway = minimal.gateway;
        }
    }
}

/// Returns the candidate of least cost, the first of equals. A plan has at least one of each kind.
#[inline(always)]
pub(crate) fn best(count: u32, mut candidate: impl FnMut(u64) -> Candidate) -> Candidate {
    let mut best = candidate(0);
    for k in 1..count.into() {
        let new = candidate(k);
        if new.queue < best.queue {
            best = new;
        }
    }
    best
}

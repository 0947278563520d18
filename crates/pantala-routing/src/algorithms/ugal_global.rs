//! `ugal_global`: minimal or through a random group, by queues that only an oracle sees.
//!
//! ```text
//! at the source router, when the packet is the head of its injection buffer and goes to another group:
//!     candidates as ugal_g
//!     Q(c) = flits queued at the output of the global link by which c leaves the group, whichever router owns it
//!            + flits queued at this router's output towards it, if that is another router
//!     H(c) = hops of the whole path
//!     m, n = the candidates with the least H Q
//!     non-minimal through n  iff  H(m) Q(m) > H(n) Q(n) + bias_flits          (default 0)
//! ```
//! The UGAL-G of the literature: queue information of all global channels of the group, with no
//! delay. No real router can do that. It measures the cost of local information. Ties go to
//! minimal. It reads other routers, so a run with it cannot be cut into partitions.
//!
//! VCs: 3, as `ugal_g`.
//! Paper: Kim, Dally, Scott and Abts, ISCA 2008, section 4 (UGAL-G). The keys `queue` and
//! `queue_scope` say what a queue is; `threshold` has no say, the hop counts stand for it. None of
//! SST, CODES, BookSim2 and CAMINOS ships it.

use super::ugal_g;
use crate::candidates::{Candidate, DecisionContext};
use crate::descriptor::{Descriptor, Information, Intermediate, RoutingKey};
use crate::draws::{salted, third_group};
use crate::rule::Rule;
use crate::state::{NONE, RouteState};
use crate::{CongestionView, QueueScope, Tie, paths};

/// The routing.
pub(crate) struct UgalGlobal;

impl Rule for UgalGlobal {
    const DESCRIPTOR: Descriptor = Descriptor {
        title: "UGAL with global information",
        rule: "The path of minimal or of valiant_group, by path length times the queue of the \
               global link, at any router of the group. It is a reference: no real router has \
               this information.",
        source: "UGAL-G of Kim et al., ISCA 2008",
        through: "a random group, if its queue is short",
        decides: "source router",
        information: Information::GroupQueues,
        vc_map: ugal_g::CHANNELS,
        max_hops: |diameter| 3 * diameter + 2,
        paths: paths::adaptive,
        reads: &[
            RoutingKey::BiasFlits,
            RoutingKey::CandidatesMinimal,
            RoutingKey::CandidatesNonminimal,
            RoutingKey::Queue,
            RoutingKey::QueueScope,
            RoutingKey::Tie,
        ],
        intermediate: Intermediate::Group,
        serves_unlinked_groups: true,
        ..Descriptor::USUAL
    };

    /// Minimal, or through a random group.
    #[inline]
    fn decide<S: CongestionView>(
        context: &DecisionContext<'_>,
        route: &mut RouteState,
        view: &mut S,
    ) {
        let (source, destination) = (context.group, u32::from(route.destination_group));
        let mut cost = |path: &Candidate| hops(context, route, path) * queued(context, view, path);
        let minimal = context.minimal(route, &mut cost, 0);
        let draw = |draw| third_group(context.topology, source, destination, draw);
        let other = context.nonminimal(route, draw, &mut cost, 0);
        let ugal = &context.routing.ugal;
        let line = other.queue + ugal.bias;
        let coin = ugal.tie == Tie::Random && salted(route.draw, 192) & 1 == 1;
        let diverts = minimal.queue > line || (minimal.queue == line && coin);
        context.take(route, &minimal, &other, diverts);
    }
}

/// Flits queued for the path in its source group.
fn queued<S: CongestionView>(context: &DecisionContext<'_>, view: &mut S, path: &Candidate) -> i64 {
    let ugal = &context.routing.ugal;
    let lane = if path.intermediate == NONE {
        context.routing.vc_map.minimal
    } else {
        context.routing.vc_map.nonminimal
    };
    let vc = if context.routing.vc_map.by_hop {
        context.topology.local_distance(
            context.router,
            path.link.router,
            context.routing.local_order,
        ) as u8
    } else {
        lane.global
    };
    let vc = (ugal.scope == QueueScope::Vc).then_some(context.routing.first_vc + vc);
    let on_the_way = if path.link.router == context.router { 0 } else { context.queue(view, path) };
    on_the_way + view.queue_at(path.link.router, path.link.port, vc, ugal.queue)
}

/// Links between routers on the path.
fn hops(context: &DecisionContext<'_>, route: &RouteState, path: &Candidate) -> i64 {
    let (topology, order) = (context.topology, context.routing.local_order);
    let to_gateway = topology.local_distance(context.router, path.link.router, order);
    let rest = if path.intermediate == NONE {
        topology.local_distance(path.link.target_router, route.destination_router, order)
    } else {
        // The least over the links that lead on: the packet draws among those when it gets there.
        let links = topology.global_links(path.intermediate, route.destination_group.into());
        let least = links.iter().map(|link| {
            topology.local_distance(path.link.target_router, link.router, order)
                + topology.local_distance(link.target_router, route.destination_router, order)
        });
        1 + least.min().unwrap_or(0)
    };
    i64::from(to_gateway + 1 + rest)
}

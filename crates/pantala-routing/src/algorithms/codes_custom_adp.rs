//! `codes_custom_adp`: the adaptive routing of CODES' dragonfly-custom, its model of Cray XC.
//!
//! ```text
//! score(l) = flits that hold or wait for room behind the port towards link l, all VCs
//! at the source router, if the destination is in another group:
//!     candidates_minimal links to the destination's group, drawn among all; one that equals the one before is the next one
//!     candidates_nonminimal routers R of other groups, each with a link to R's group, drawn among all
//!     m, n = the least score of each kind, the first of equals
//!     minimal  iff  m <= minimal_up_to  or  m <= threshold * n
//!     else minimally to the router R of n, and from there minimally to the destination
//! at the source router, if the destination is another router of the group:
//!     V = another router of the group, drawn
//!     over V  iff  q(towards the destination) > minimal_up_to  and  > threshold * q(towards V)
//! ```
//! R is drawn among all routers; if it is in the source's group, the router in its place in the next
//! group is taken, so R may be in the destination's group, and the next group is drawn twice as
//! often. Reads this router's own outputs. Decides once. Ties go to minimal. The link from R's group
//! on is drawn among all, too. `threshold` is 2 if minimal-bias is set, which it is not by default;
//! `minimal_up_to` is adaptive_threshold. Dimensions have a fixed order (key `local_order`); CODES
//! draws it.
//!
//! VCs: 4, as `valiant_node`: l0 g0 l3, l0 g0 l1 l2 g2 l3; inside a group l3, and l0 l3 over V.
//! Source: CODES `dragonfly-custom.C`, `do_global_adaptive_routing`, `do_local_adaptive_routing`;
//! Wang et al., IPDPS 2020, section IV.C: through a random intermediate router.

use super::codes_adp;
use crate::candidates::{Candidate, DecisionContext, best};
use crate::descriptor::{Descriptor, Information, Intermediate, RoutingKey};
use crate::draws::{salted, scaled};
use crate::paths::{Detours, PathSet, Paths};
use crate::rule::Rule;
use crate::state::{NONE, RouteState};
use crate::{CongestionView, Gateways, RoutingConfig, VcMap, VcMapName};
use pantala_topology::Topology;

/// Salt of the draw that breaks ties.
const COIN: u64 = 192;

/// The routing.
pub(crate) struct CodesCustomAdp;

impl Rule for CodesCustomAdp {
    const DESCRIPTOR: Descriptor = Descriptor {
        title: "Adaptive routing of CODES' dragonfly-custom",
        rule: "The path of codes_custom_min, or one through a random router of another group. The \
               source router decides once. Inside a group, the minimal path or one over another \
               router.",
        source: "CODES, dragonfly-custom; Wang et al., IPDPS 2020, IV.C",
        through: "a random router, if its queue is short",
        decides: "source router",
        information: Information::Queues,
        vc_map: VcMap::ascending(4, 0, 0, 1, 2),
        maps: &[(VcMapName::Codes, VcMap::CODES_CUSTOM)],
        max_hops: |diameter| 4 * diameter + 2,
        paths,
        reads: RoutingKey::UGAL,
        defaults: codes_adp::DEFAULTS,
        intermediate: Intermediate::Router,
        gateways: Gateways::Any,
        ..Descriptor::USUAL
    };

    /// Minimal, or through a random router of another group.
    #[inline]
    fn decide<S: CongestionView>(
        context: &DecisionContext<'_>,
        route: &mut RouteState,
        view: &mut S,
    ) {
        let DecisionContext { routing, topology, group, .. } = *context;
        let destination = u32::from(route.destination_group);
        let links = topology.global_links(group, destination).len() as u32;
        let mut before = NONE;
        let minimal = best(routing.ugal.candidates_minimal, |k| {
            let drawn = scaled(salted(route.draw, 64 + k), links);
            before = if drawn == before { (drawn + 1) % links } else { drawn };
            let path = context.over(destination, before, routing.vc_map.minimal, NONE, route);
            Candidate { queue: context.queue(view, &path), ..path }
        });
        let anywhere = |draw| router_elsewhere(topology, group, draw);
        let other = context.nonminimal(route, anywhere, |path| context.queue(view, path), 0);
        let coin = salted(route.draw, COIN);
        let diverts = routing.ugal.diverts(minimal.queue, other.queue, || coin);
        context.take(route, &minimal, &other, diverts);
    }

    /// Straight to another router of the group, or over a third one.
    #[inline]
    fn decide_inside<S: CongestionView>(
        context: &DecisionContext<'_>,
        route: &mut RouteState,
        view: &mut S,
    ) {
        let coin = salted(route.draw, COIN);
        context.weigh_detour(route, view, salted(route.draw, 128), || coin);
    }
}

/// Returns a router of another group: one of all, and one group further if it is in `group`.
fn router_elsewhere(topology: &Topology, group: u32, draw: u64) -> u32 {
    let routers = topology.routers();
    let drawn = scaled(draw, routers);
    if topology.group_of(drawn) == group {
        (drawn + topology.routers_per_group()) % routers
    } else {
        drawn
    }
}

/// Packets take a detour over another router of their own group too, and the intermediate router
/// may be in the destination's group.
fn paths(routing: &RoutingConfig, topology: &Topology) -> Paths {
    let detours = Detours { into_destination: true, ..Detours::default() };
    PathSet::of(routing, topology).inside().inside_valiant().minimal().detours(&detours).done()
}

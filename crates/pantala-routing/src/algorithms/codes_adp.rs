//! `codes_adp`: minimal, or through a random group, by the rule of CODES' dragonfly-dally, decided
//! at the source router.
//!
//! ```text
//! links(G, k) = the links of this group to group G that this router owns, k of them drawn, all different; if it owns none,
//!               all those that the fewest local hops lead to
//! q(l)        = flits that hold or wait for room behind the port by which link l is reached, all VCs
//! best(G, k)  = a link of links(G, k) with the least q, equals drawn
//! at the source router, if the destination is in another group:
//!     I = a third group, drawn
//!     m = best(destination's group, candidates_minimal)               (CODES: global_k_picks = 2)
//!     n = best(I, candidates_nonminimal)
//!     minimal  iff  q(m) <= minimal_up_to  or  q(m) <= threshold * q(n)
//! at every later router outside the destination's group:
//!     go on by best(the group that is next, candidates_minimal, or _nonminimal on the way to I)
//! ```
//! Reads this router's own outputs. Decides once; a packet (CODES: chunk) draws for itself. Ties go
//! to minimal. The threshold is 2 by CODES' score "delta", its default and that of the
//! configurations it ships, and 1 by "alpha"; `minimal_up_to` is its adaptive_threshold. With the
//! router preset `codes_dally` a port's queue is what CODES counts: packets that hold room behind
//! the link, and those that wait for it in the router.
//!
//! VCs: 4, by [`VcMap::CODES`](crate::VcMap::CODES): l0 g1 l2 g2 l3, g0 l2 g2 l3,
//! and l0 inside a group. Source: CODES `dragonfly-dally`, its `prog-adaptive` with the decision at
//! the source router only; CODES 2 refuses `adaptive`. Yang et al. (SC16, section 2.2) and Wang et
//! al. (IPDPS20, section IV.C) send non-minimal packets through a random router of another group,
//! as CODES did before it was rewritten in 2019 (`prog-adaptive-legacy`), with two of them to
//! choose from.

use crate::candidates::{Candidate, DecisionContext};
use crate::descriptor::{Descriptor, Information, Intermediate, RoutingKey, Setting};
use crate::draws::{salted, scaled, third_group};
use crate::rule::Rule;
use crate::state::{NONE, Phase, RouteState};
use crate::{CongestionView, VcMap, VcMapName, paths};

/// Salts of the draws: a block for each hop, and in it for each kind of choice.
const SALT: u64 = 1 << 32;
const BY_HOP: u64 = 1 << 16;
const MINIMAL: u64 = 0;
const NONMINIMAL: u64 = 1 << 12;
const ONWARD: u64 = 2 << 12;
const TIES: u64 = 1 << 11;
const GROUP: u64 = 3 << 12;

/// The routing.
pub(crate) struct CodesAdp;

impl Rule for CodesAdp {
    const DESCRIPTOR: Descriptor = Descriptor {
        title: "Adaptive routing of CODES",
        rule: "The path of minimal or of valiant_group. The source router decides once: it \
               compares its best link towards the destination group with its best link towards an \
               intermediate group.",
        source: "CODES; Yang et al., SC 2016, 2.2; Wang et al., IPDPS 2020, IV.C",
        through: "a random group, if its queue is short",
        decides: "source router",
        information: Information::Queues,
        vc_map: VcMap::CODES,
        maps: &[(VcMapName::Codes, VcMap::CODES)],
        max_hops: |diameter| 3 * diameter + 2,
        paths: paths::adaptive,
        reads: RoutingKey::UGAL,
        defaults: DEFAULTS,
        intermediate: Intermediate::Group,
        per_hop_adaptive: true,
        ..Descriptor::USUAL
    };

    /// Minimal, or through a random group.
    #[inline]
    fn decide<S: CongestionView>(
        context: &DecisionContext<'_>,
        route: &mut RouteState,
        view: &mut S,
    ) {
        choose(context, route, view, intermediate(context, route));
    }

    #[inline]
    fn decide_per_hop<S: CongestionView>(
        context: &DecisionContext<'_>,
        route: &mut RouteState,
        view: &mut S,
    ) {
        decide_per_hop(context, route, view);
    }
}

/// The values of CODES.
pub(crate) const DEFAULTS: &[Setting] = &[
    Setting::Threshold(2.0),
    Setting::BiasFlits(0),
    Setting::CandidatesMinimal(2),
    Setting::CandidatesNonminimal(2),
];

/// The group that a non-minimal path of the packet goes through.
pub(crate) fn intermediate(context: &DecisionContext<'_>, route: &RouteState) -> u32 {
    third_group(
        context.topology,
        context.group,
        u32::from(route.destination_group),
        salted(route.draw, SALT + GROUP),
    )
}

/// Compares the best link to the destination's group with the best one to `intermediate`.
pub(crate) fn choose<S: CongestionView>(
    context: &DecisionContext<'_>,
    route: &mut RouteState,
    view: &mut S,
    intermediate: u32,
) {
    let ugal = &context.routing.ugal;
    let destination = u32::from(route.destination_group);
    let minimal = best(context, route, view, destination, NONE, ugal.candidates_minimal, MINIMAL);
    let other = best(
        context,
        route,
        view,
        intermediate,
        intermediate,
        ugal.candidates_nonminimal,
        NONMINIMAL,
    );
    let coin = salted(route.draw, SALT + GROUP + 1 + u64::from(route.hops));
    let diverts = ugal.diverts(minimal.queue, other.queue, || coin);
    context.take(route, &minimal, &other, diverts);
}

/// Picks the link that a packet whose path is decided leaves this group by.
#[inline]
pub(crate) fn decide_per_hop<S: CongestionView>(
    context: &DecisionContext<'_>,
    route: &mut RouteState,
    view: &mut S,
) {
    let destination = u32::from(route.destination_group);
    if context.group == destination {
        return;
    }
    let ugal = &context.routing.ugal;
    let outward = route.phase == Phase::ToIntermediate && route.intermediate != context.group;
    let (target, through, most) = if outward {
        (route.intermediate, route.intermediate, ugal.candidates_nonminimal)
    } else {
        (destination, NONE, ugal.candidates_minimal)
    };
    route.gateway = best(context, route, view, target, through, most, ONWARD).gateway;
}

/// A link with the least queue among `most` of this router's own to `group`, or, if it has none,
/// among all the nearest.
fn best<S: CongestionView>(
    context: &DecisionContext<'_>,
    route: &RouteState,
    view: &mut S,
    group: u32,
    through: u32,
    most: u32,
    salt: u64,
) -> Candidate {
    let vc_map = &context.routing.vc_map;
    let lane = match (through == NONE, route.hops == 0) {
        (true, _) if route.nonminimal => vc_map.from_intermediate,
        (true, true) => vc_map.minimal,
        (true, false) => vc_map.minimal_later,
        (false, true) => vc_map.nonminimal,
        (false, false) => vc_map.nonminimal_later,
    };
    let lane = vc_map.at_hop(route.hops, lane);
    let salt = SALT + BY_HOP * u64::from(route.hops) + salt;
    let links = context.topology.global_links(context.group, group);
    let order = context.routing.local_order;
    let distance = |gateway: u32| {
        context.topology.local_distance(context.router, links[gateway as usize].router, order)
    };
    let gateways = || 0..links.len() as u32;
    let nearest = gateways().map(distance).min().expect("every two groups are joined");
    // Those still to look at, and how many of them are still to be drawn.
    let mut left = gateways().filter(|gateway| distance(*gateway) == nearest).count() as u32;
    let mut wanted = if nearest == 0 { most.min(left) } else { left };
    let mut best: Option<Candidate> = None;
    let mut equals = 0;
    for gateway in gateways().filter(|gateway| distance(*gateway) == nearest) {
        let draw = salted(route.draw, salt + u64::from(gateway));
        let drawn = scaled(draw, left) < wanted;
        left -= 1;
        if !drawn {
            continue;
        }
        wanted -= 1;
        let path = context.over(group, gateway, lane, through, route);
        let path = Candidate { queue: context.queue(view, &path), ..path };
        let least = best.map_or(i64::MAX, |best| best.queue);
        if path.queue > least {
            continue;
        }
        // One of several equals: the n-th replaces the one before it with probability 1/n.
        equals = if path.queue == least { equals + 1 } else { 1 };
        if scaled(salted(route.draw, salt + TIES + u64::from(gateway)), equals) == 0 {
            best = Some(path);
        }
    }
    best.expect("at least one candidate")
}

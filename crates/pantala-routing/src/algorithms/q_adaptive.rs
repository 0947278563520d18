//! `q_adaptive`: every router learns how long each of its ports takes to each group.
//!
//! ```text
//! Q[D, s][port] = this router's estimate of the time until a packet arrives in group D if it leaves by `port`;
//!                 s = the place (0 to p - 1) of its source terminal at its source router
//! at first: Q = latency of a global link, if `port` is a link to D; else that of a global and a local link
//!
//! routed at router R, destination group D:
//!     R in D:                                       minimal
//!     at the source router:
//!         best = the port with the least Q          (of equals, the lowest)
//!         port = best  if (Q[min] - Q[best]) / Q[min] >= threshold_source,  else min
//!         with probability `exploration`:  port = any port to a router, drawn uniformly
//!     first link a global one, and not to D (the first router of the first intermediate group):
//!         R has a link to D:                        minimal
//!         x = the port to another router of the group, drawn uniformly
//!         port = x  if (Q[min] - Q[x]) / Q[min] >= threshold_intermediate,  else min
//!         with probability `exploration`:  port = any port to a router, drawn uniformly
//!     else:                                         minimal
//!
//! feedback, when the packet leaves the input buffer of R, for the router S before, unless S is in D:
//!     target  = arrival at R - arrival at S  +  (0 if R is in D, else the least Q[D, s] when R routed the packet)
//!     arrives = with the packet's credits;  at S, for the port that the packet left by:
//!     delta   = target - Q;   Q += (learning_rate_down if delta < 0 else learning_rate_up) * delta
//!     if `truncate`: Q is cut to whole ns, and arrivals are read on a clock of whole ns
//! ```
//! `min` is the port of the minimal path: where two groups share several links, that of the link
//! drawn for the packet among those with the fewest hops. Reads this router's own table only, no
//! queue. The time of a hop is all from arrival to arrival: the wait in the input buffer, crossbar,
//! output buffer, link. The estimate is for the arrival in the destination's group; what happens
//! inside it is not learned. With `truncate` a rise of less than 1 / learning_rate_up ns (25) is
//! lost and a fall takes at least 1 ns: estimates are biased downwards. A packet counts as
//! non-minimal once it goes to a third group; a detour inside the source group (l l g l) does not
//! count. Ties go to minimal.
//!
//! VCs: 5; a hop's VC is the number of links before it, an ejection's that of the last link. At
//! most 5 links: what follows a global link that is not to D is at most a decision's local link, l
//! g, l; or, by exploration, a second global link and l g l. Where failed links lengthen the paths
//! inside a group, there are as many VCs as a path has links at most.
//!
//! Papers: Kang, Wang and Lan, HPDC 2021; Kang et al., SC22, section II.B. The rule, the constants
//! and the truncation are those of SST's SC22 fork (`q1`, rows by destination group and source
//! terminal), on which the latter rests. What differs: draws are functions of the packet, not of a
//! router's stream; several links between groups or routers are allowed; estimates may be fractions
//! (`truncate`). CODES, BookSim2 and CAMINOS have no such routing.

use crate::QAdaptiveConfig;
use crate::candidates::DecisionContext;
use crate::descriptor::{Descriptor, Information, RoutingKey};
use crate::draws::{other_router, salted, scaled};
use crate::learning::least;
use crate::rule::Rule;
use crate::state::{NONE, Phase, RouteState};
use crate::{Hop, VcMap, gateways, paths};
use pantala_topology::Peer;

/// Most links of a path in a network whose groups lack no links. A hop's VC is the number of links
/// before it.
const MAX_HOPS: u8 = 5;

/// The routing. Its decisions are [`route`], which needs the router's estimates.
pub(crate) struct QAdaptive;

impl Rule for QAdaptive {
    const DESCRIPTOR: Descriptor = Descriptor {
        title: "Q-adaptive",
        rule: "Each router estimates the time to each group through each of its ports, and sends \
               a packet through the fastest port.",
        source: "Kang et al., HPDC 2021; SC 2022, II.B",
        through: "the port that has learned the least time",
        decides: "source router, intermediate group",
        information: Information::Estimates,
        vc_map: VcMap::by_hop(MAX_HOPS),
        // A global link and one more link, then a minimal path.
        max_hops: |diameter| 2 * diameter + 3,
        paths: paths::any_port,
        reads: &[RoutingKey::QAdaptive],
        carries_2d: false,
        ..Descriptor::USUAL
    };
}

/// Salts of a packet's draws; the number of hops made is added.
const EXPLORES: u64 = 320;
const EXPLORED_PORT: u64 = 336;
const OTHER_ROUTER: u64 = 352;

/// Routes a packet whose destination is in another group, by its row of the router's table;
/// `early`: among the router's first.
pub(crate) fn route(
    context: &DecisionContext<'_>,
    route: &mut RouteState,
    row: &[f32],
    early: bool,
) -> Hop {
    let DecisionContext { routing, topology, router, group } = *context;
    let came = std::mem::replace(&mut route.phase, Phase::ToDestination);
    let minimal = routing.follow(topology, router, group, route);
    let chosen = match came {
        Phase::Undecided => at_source(context, minimal.port, row),
        Phase::Revisable => in_intermediate(context, route, minimal.port, row),
        _ => None,
    };
    let Some(chosen) = chosen else {
        return minimal;
    };
    let port = explored(context, route, row, early).unwrap_or(chosen);
    if port == minimal.port {
        return minimal;
    }
    // The next router starts anew.
    route.gateway = NONE;
    if let Peer::Port { router: next, .. } = topology.peer(router, port) {
        let next = topology.group_of(next);
        if came == Phase::Undecided && next != group && next != u32::from(route.destination_group) {
            route.phase = Phase::Revisable;
            route.nonminimal = true;
        }
    }
    Hop { port, vc: minimal.vc }
}

/// The port chosen at the source router.
fn at_source(context: &DecisionContext<'_>, minimal: u16, row: &[f32]) -> Option<u16> {
    let first = context.topology.first_local_port();
    let least = least(row);
    let column = row.iter().position(|estimate| *estimate == least).unwrap_or_default() as u16;
    let pays = QAdaptiveConfig::pays(
        context.routing.q_adaptive.threshold_source,
        row[usize::from(minimal - first)],
        least,
    );
    Some(if pays { first + column } else { minimal })
}

/// The port chosen at the first router of the first intermediate group; none if that router has a
/// link to the destination's.
fn in_intermediate(
    context: &DecisionContext<'_>,
    route: &RouteState,
    minimal: u16,
    row: &[f32],
) -> Option<u16> {
    let DecisionContext { routing, topology, router, group } = *context;
    let links = topology.global_links(group, route.destination_group.into());
    if links.iter().any(|link| link.router == router) {
        return None;
    }
    let other = other_router(topology, router, salted(route.draw, OTHER_ROUTER));
    let port = gateways::step(topology, router, other, routing.local_order, route);
    let estimate = |port: u16| row[usize::from(port - topology.first_local_port())];
    let pays = QAdaptiveConfig::pays(
        routing.q_adaptive.threshold_intermediate,
        estimate(minimal),
        estimate(port),
    );
    Some(if pays { port } else { minimal })
}

/// A port to a router drawn uniformly, if the packet explores here.
fn explored(
    context: &DecisionContext<'_>,
    route: &RouteState,
    row: &[f32],
    early: bool,
) -> Option<u16> {
    let hops = u64::from(route.hops);
    if !early && !context.routing.q_adaptive.explores(salted(route.draw, EXPLORES + hops)) {
        return None;
    }
    // Ports without a link have no estimate.
    let mut linked =
        (0..).zip(row).filter(|(_, estimate)| estimate.is_finite()).map(|(column, _)| column);
    let count = linked.clone().count() as u32;
    let column: u16 =
        linked.nth(scaled(salted(route.draw, EXPLORED_PORT + hops), count) as usize)?;
    Some(context.topology.first_local_port() + column)
}

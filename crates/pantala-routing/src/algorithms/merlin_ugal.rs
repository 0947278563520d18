//! `merlin_ugal`: the `ugal` of SST's merlin, as it was in 2021 and since; not that of the SC22
//! fork.
//!
//! ```text
//! q(port) = flits in the output buffer of `port`, of the VC that the packet would use; nothing that has been sent
//! at the source router, destination in another group:
//!     m = the minimal path, n = one through a random third group
//!     non-minimal  iff  q(m) > 2 q(n) + 50;  if both sides are equal, a coin
//! at a later router of the source group that the packet has reached on its minimal path, if a link to the random group
//! is here too:
//!     the same rule, without the coin
//! at the source router, destination at another router of the same group:
//!     v = another router of the group;  over v  iff  q(towards the destination) > 2 q(towards v) + 50
//! ```
//! merlin chooses a port and not a path. Where both paths leave by one local port nothing is chosen
//! yet: the router behind it owns both global links and chooses between them. That is the second
//! rule; with one link a pair of groups it concerns no other packets, and without it a saturated
//! next_group accepts 4 % less. The keys `threshold` (2), `bias` (50 flits), `queue` (output),
//! `queue_scope` (vc) and `tie` (random) have these values by default under this name. An output
//! buffer drains as fast as its link, so the 50 flits keep nearly all uniform traffic minimal.
//!
//! VCs: 3, the global hops made: l0 g0 l1, l0 g0 l1 g1 l2; inside a group l0, and l0 l2 with a
//! detour. Both candidates are on VC 0, so with `queue_scope = "vc"` the VC-0 queues of two ports
//! are compared. Source: merlin's `dragonfly.cc`; measured at five points.

use crate::candidates::DecisionContext;
use crate::descriptor::{Descriptor, Information, Intermediate, RoutingKey, Setting};
use crate::draws::{salted, third_group};
use crate::paths::{Detours, PathSet, Paths, Target};
use crate::rule::Rule;
use crate::state::RouteState;
use crate::{CongestionView, QueueMeasure, QueueScope, RoutingConfig, Tie, VcMap};
use pantala_topology::Topology;

/// The routing.
pub(crate) struct MerlinUgal;

impl Rule for MerlinUgal {
    const DESCRIPTOR: Descriptor = Descriptor {
        title: "UGAL of SST's merlin",
        rule: "The path of minimal or of valiant_group, by the output buffer of one virtual \
               channel, with a bias of 50 flits towards minimal.",
        source: "upstream SST merlin, 2021",
        through: "a random group, if its queue is short",
        decides: "source router, or the gateway of both paths",
        information: Information::Queues,
        vc_map: VcMap { inside: 0, destination_minimal: 1, ..VcMap::ascending(3, 0, 0, 1, 1) },
        max_hops: |diameter| 3 * diameter + 2,
        paths,
        reads: RoutingKey::UGAL,
        defaults: &[
            Setting::Threshold(2.0),
            Setting::BiasFlits(50),
            Setting::Queue(QueueMeasure::Output),
            Setting::QueueScope(QueueScope::Vc),
            Setting::Tie(Tie::Random),
        ],
        intermediate: Intermediate::Group,
        progressive: true,
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
        let minimal = context.minimal(route, |path| context.queue(view, path), 0);
        let draw_group = |draw| third_group(context.topology, source, destination, draw);
        let other = context.nonminimal(route, draw_group, |path| context.queue(view, path), 0);
        // A coin that shows 0 leaves ties to minimal.
        let coin = if DecisionContext::later(route) { 0 } else { salted(route.draw, 192) };
        let chooses = !DecisionContext::later(route) || other.link.router == context.router;
        let diverts = chooses && context.routing.ugal.diverts(minimal.queue, other.queue, || coin);
        context.take(route, &minimal, &other, diverts);
    }

    /// Straight to another router of the group, or over a third one.
    #[inline]
    fn decide_inside<S: CongestionView>(
        context: &DecisionContext<'_>,
        route: &mut RouteState,
        view: &mut S,
    ) {
        context.weigh_detour(route, view, salted(route.draw, 128), || 0);
    }
}

/// Packets take a detour over another router of their own group too. A later router diverts over a
/// link of its own only.
fn paths(routing: &RoutingConfig, topology: &Topology) -> Paths {
    let again = Some(Target::OwnLink);
    PathSet::of(routing, topology)
        .inside()
        .inside_valiant()
        .minimal()
        .detours(&Detours { again, ..Detours::default() })
        .done()
}

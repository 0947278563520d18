//! `valiant_group`: through a random group (ValiantRestricted in Prisacari et al.; VALg).
//!
//! ```text
//! at the source router, if the destination is in another group:
//!     G = a group, uniform over all but the source's and the destination's
//!     go minimally to the first router of G that is reached, from there minimally to the destination
//! ```
//! Traffic inside a group is minimal; by the key `intra_group = "nonminimal"`, packets to another
//! router of the own group go through another group like all others; by "valiant", over a router
//! drawn from the others of the group, as in SST's merlin: l0 l2, or straight if it is the
//! destination's.
//!
//! Reads nothing. Decides once a packet, at the source router. At most 5 links: l g, l g l.
//!
//! VCs: 3. Source group 0, intermediate group 1, destination group 2: l0 g0 l1 g1 l2 ascends.
//! Paper: Kim et al., ISCA 2008 (VAL); Prisacari et al., section II. SST upstream (`valiant`, 3
//! VCs) and CODES (`nonminimal`) do the same; CODES draws for each chunk.

use crate::candidates::DecisionContext;
use crate::descriptor::{Descriptor, Intermediate, RoutingKey};
use crate::draws::{other_router, salted, third_group};
use crate::rule::Rule;
use crate::state::{NONE, RouteState};
use crate::{CongestionView, IntraGroup, VcMap, VcMapName, paths};
use pantala_topology::Topology;

/// The routing.
pub(crate) struct ValiantGroup;

impl Rule for ValiantGroup {
    const DESCRIPTOR: Descriptor = Descriptor {
        title: "Valiant through a group",
        rule: "A minimal path to the first router that the packet reaches in a random third \
               group, then a minimal path to the destination.",
        source: "Kim et al., ISCA 2008",
        through: "a random group",
        decides: "source router",
        vc_map: VcMap::ascending(3, 0, 0, 1, 1),
        maps: &[(VcMapName::Codes, VcMap::CODES)],
        max_hops: |diameter| 3 * diameter + 2,
        paths: paths::valiant,
        reads: &[RoutingKey::IntraGroup],
        intra_groups: &[IntraGroup::Minimal, IntraGroup::Nonminimal, IntraGroup::Valiant],
        intermediate: Intermediate::Group,
        serves_unlinked_groups: true,
        ..Descriptor::USUAL
    };

    #[inline]
    fn decide<S: CongestionView>(
        context: &DecisionContext<'_>,
        route: &mut RouteState,
        _view: &mut S,
    ) {
        let destination = u32::from(route.destination_group);
        let intermediate =
            third_group(context.topology, context.group, destination, salted(route.draw, 0));
        route.divert(intermediate, NONE);
    }

    #[inline]
    fn decide_inside<S: CongestionView>(
        context: &DecisionContext<'_>,
        route: &mut RouteState,
        view: &mut S,
    ) {
        match context.routing.intra_group {
            IntraGroup::Valiant => decide_beside(context.topology, context.router, route),
            IntraGroup::Nonminimal if context.topology.groups() > 2 => {
                Self::decide(context, route, view)
            }
            IntraGroup::Nonminimal | IntraGroup::Minimal | IntraGroup::Adaptive => {}
        }
    }
}

/// Draws the router that a packet to another router of its group goes over.
pub(crate) fn decide_beside(topology: &Topology, router: u32, route: &mut RouteState) {
    let over = other_router(topology, router, salted(route.draw, 0));
    if over != route.destination_router {
        route.divert_inside(over);
    }
}

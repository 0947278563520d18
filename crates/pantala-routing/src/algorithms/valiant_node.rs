//! `valiant_node`: through a random router (ValiantAny in Prisacari et al.; VALn).
//!
//! ```text
//! at the source router, if the destination is in another group:
//!     R = a router, uniform over all routers outside the source's and the destination's group
//!     go minimally to R, from there minimally to the destination
//! ```
//! Traffic inside a group is minimal; by the key `intra_group = "nonminimal"`, packets to another
//! router of the own group go through a router R outside it like all others, as in CAMINOS (one
//! that comes by its destination router is there).
//!
//! Reads nothing. Decides once a packet, at the source router. At most 6 links: l g l, l g l.
//!
//! VCs: 4. Source group 0, to R 1, from R 2 (local and global), destination group 3: l0 g0 l1 l2 g2
//! l3 ascends. Paper: Valiant and Brebner, STOC 1981; Prisacari et al., section II. SST's SC22 fork
//! (`valiant`) does the same. BookSim2 (inside its UGAL) draws a terminal of the whole network, so
//! R may lie in the source's or the destination's group.

use super::valiant_group;
use crate::candidates::DecisionContext;
use crate::descriptor::{Descriptor, Intermediate, RoutingKey};
use crate::draws::{salted, third_router};
use crate::rule::Rule;
use crate::state::{NONE, RouteState};
use crate::{CongestionView, IntraGroup, VcMap, VcMapName, paths};

/// The routing.
pub(crate) struct ValiantNode;

impl Rule for ValiantNode {
    const DESCRIPTOR: Descriptor = Descriptor {
        title: "Valiant through a router",
        rule: "A minimal path to a random router of a third group, then a minimal path to the \
               destination.",
        source: "Valiant and Brebner, STOC 1981; Prisacari et al., 2015",
        through: "a random router",
        decides: "source router",
        vc_map: VcMap::ascending(4, 0, 0, 1, 2),
        maps: &[(VcMapName::Caminos, VcMap::CAMINOS_VALIANT)],
        max_hops: |diameter| 4 * diameter + 2,
        paths: paths::valiant,
        reads: &[RoutingKey::IntraGroup],
        intra_groups: &[IntraGroup::Minimal, IntraGroup::Nonminimal, IntraGroup::Valiant],
        intermediate: Intermediate::Router,
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
            third_router(context.topology, context.group, destination, salted(route.draw, 0));
        route.divert(intermediate, NONE);
    }

    #[inline]
    fn decide_inside<S: CongestionView>(
        context: &DecisionContext<'_>,
        route: &mut RouteState,
        view: &mut S,
    ) {
        match context.routing.intra_group {
            IntraGroup::Valiant => {
                valiant_group::decide_beside(context.topology, context.router, route)
            }
            IntraGroup::Nonminimal if context.topology.groups() > 2 => {
                Self::decide(context, route, view)
            }
            IntraGroup::Nonminimal | IntraGroup::Minimal | IntraGroup::Adaptive => {}
        }
    }
}

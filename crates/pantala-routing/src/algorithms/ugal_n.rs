//! `ugal_n`: minimal or through a random router, by the queues at the source router.
//!
//! The rule of `ugal_g`, except that a non-minimal candidate is a router, uniform over all routers
//! outside the source's and the destination's group, which the packet visits.
//!
//! VCs: 4. Non-minimal: source group 0, to the intermediate router 1, from it 2, destination group
//! 3; minimal: source group
//! 2. l0 g0 l1 l2 g2 l3 and l2 g2 l3 both ascend.
//! Paper: Kang et al., SC22, section II.B (UGALn); SST's SC22 fork (`ugal-4vc`).

use crate::candidates::DecisionContext;
use crate::descriptor::{Descriptor, Information, Intermediate, RoutingKey};
use crate::draws::third_router;
use crate::rule::Rule;
use crate::state::RouteState;
use crate::ugal;
use crate::{CongestionView, VcMap, paths};

/// The VC map.
pub(crate) const CHANNELS: VcMap = VcMap::ascending(4, 2, 0, 1, 2);

/// The routing.
pub(crate) struct UgalN;

impl Rule for UgalN {
    const DESCRIPTOR: Descriptor = Descriptor {
        title: "UGAL through a router",
        rule: "The path of minimal or of valiant_node. The source router decides once, by its own \
               output queues: it chooses minimal if the minimal queue is at most threshold times \
               the other queue.",
        source: "Kim et al., ISCA 2008; Kang et al., SC 2022, II.B",
        through: "a random router, if its queue is short",
        decides: "source router",
        information: Information::Queues,
        vc_map: CHANNELS,
        max_hops: |diameter| 4 * diameter + 2,
        paths: paths::adaptive,
        reads: RoutingKey::UGAL,
        intermediate: Intermediate::Router,
        serves_unlinked_groups: true,
        ..Descriptor::USUAL
    };

    /// Minimal, or through a random router.
    #[inline]
    fn decide<S: CongestionView>(
        context: &DecisionContext<'_>,
        route: &mut RouteState,
        view: &mut S,
    ) {
        let (source, destination) = (context.group, u32::from(route.destination_group));
        ugal::decide(
            context,
            route,
            view,
            |draw| third_router(context.topology, source, destination, draw),
            0,
        );
    }
}

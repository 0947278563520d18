//! `par`: progressive adaptive routing; as `ugal_n`, and a minimal decision may be revised in the
//! source group.
//!
//! ```text
//! at the source router, if the destination is in another group:  the rule of ugal_n, one set of candidates a packet
//! at every later router of the source group, while the packet is on its minimal path:
//!     the same rule with the same intermediate routers, from here; the packet's own gateway is the only minimal candidate
//! ```
//! Reads this router's own outputs only. In one dimension there is one later router at most, the
//! gateway's; in two there are up to two. Once diverted a packet stays so, and in other groups
//! nothing is decided. Ties go to minimal.
//!
//! VCs: 5. Minimal: the local hop 0; the global hop 0 from the source router and 3 from a later
//! one; non-minimal: source group 1, to the intermediate router 2, from it 3, destination group 4.
//! l0 l1 g1 l2 l3 g3 l4 ascends. Paper: Jiang, Kim and Dally, ISCA 2009 (PAR); Kang et al., SC22,
//! section II.B. SST's SC22 fork does the same. CODES' `prog-adaptive` goes through a group and
//! draws anew at the second router (`codes_padp`); CAMINOS' PAR re-decides at every request until
//! the first global hop.

use crate::candidates::DecisionContext;
use crate::descriptor::{Descriptor, Information, Intermediate, RoutingKey};
use crate::draws::third_router;
use crate::rule::Rule;
use crate::state::RouteState;
use crate::ugal;
use crate::{CongestionView, SegmentVcs, VcMap, paths};

/// The routing.
pub(crate) struct Par;

impl Rule for Par {
    const DESCRIPTOR: Descriptor = Descriptor {
        title: "Progressive adaptive",
        rule: "As ugal_n, but each further router of the source group decides again for a packet \
               that is still minimal.",
        source: "Jiang et al., ISCA 2009; Kang et al., SC 2022, II.B",
        through: "a random router, if its queue is short",
        decides: "source group",
        information: Information::Queues,
        vc_map: VcMap {
            minimal_later: SegmentVcs { local: 0, global: 3 },
            ..VcMap::ascending(5, 0, 1, 2, 3)
        },
        // Up to a group's diameter before the change of mind, after which the way to the gateway
        // starts anew.
        max_hops: |diameter| 5 * diameter + 2,
        paths: paths::adaptive,
        reads: RoutingKey::UGAL,
        intermediate: Intermediate::Router,
        progressive: true,
        serves_unlinked_groups: true,
        ..Descriptor::USUAL
    };

    /// Minimal, or through a random router; again at the next router if minimal.
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

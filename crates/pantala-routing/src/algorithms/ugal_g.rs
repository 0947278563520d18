//! `ugal_g`: minimal or through a random group, by the queues at the source router.
//!
//! ```text
//! at the source router, when the packet is the head of its injection buffer and goes to another group:
//!     M = candidates_minimal links to the destination group          (default 1)
//!     N = candidates_nonminimal random groups                        (default 1)
//!     q(c) = flits queued at the output port of candidate c          (keys `queue`, `queue_scope`)
//!     m, n = the candidates of M, N with the least q (first of equals)
//!     non-minimal through n  iff  q(m) > floor(threshold * q(n)) + bias_flits      (default 2.0, 0)
//!     where m and n leave by the same port, q counts only the VC that each would use
//! ```
//! Reads this router's own outputs only (the literature's UGAL-L; its UGAL-G with global
//! information is another routing). Decides once. Ties go to minimal.
//! `queue = "output_and_credits"`: flits in the output buffer and flits sent whose credits are not
//! back, those in flight included.
//!
//! VCs: 3. Non-minimal: source group 0, intermediate group 1, destination group 2; minimal: source
//! group 1. l0 g0 l1 g1 l2 and l1 g1 l2 both ascend.
//! Paper: Kang et al., SC22, section II.B (UGALg), which draws two candidates of each kind; SST's
//! SC22 fork (`ugal-3vc`), on which its results rest, draws one. BookSim2 adds a constant of 30
//! flits and goes through a terminal.

use crate::candidates::DecisionContext;
use crate::descriptor::{Descriptor, Information, Intermediate, RoutingKey};
use crate::draws::third_group;
use crate::rule::Rule;
use crate::state::RouteState;
use crate::ugal;
use crate::{CongestionView, VcMap, paths};

/// The VC map.
pub(crate) const CHANNELS: VcMap = VcMap::ascending(3, 1, 0, 1, 1);

/// The routing.
pub(crate) struct UgalG;

impl Rule for UgalG {
    const DESCRIPTOR: Descriptor = Descriptor {
        title: "UGAL through a group",
        rule: "The path of minimal or of valiant_group. The source router decides once, by its \
               own output queues: it chooses minimal if the minimal queue is at most threshold \
               times the other queue.",
        source: "Kim et al., ISCA 2008; Kang et al., SC 2022, II.B",
        through: "a random group, if its queue is short",
        decides: "source router",
        information: Information::Queues,
        vc_map: CHANNELS,
        max_hops: |diameter| 3 * diameter + 2,
        paths: paths::adaptive,
        reads: RoutingKey::UGAL,
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
        ugal::decide(
            context,
            route,
            view,
            |draw| third_group(context.topology, source, destination, draw),
            0,
        );
    }
}

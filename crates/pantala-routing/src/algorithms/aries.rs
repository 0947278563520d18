//! `aries`: the adaptive routing of Cray's Aries with a bias towards minimal paths; AD0 to AD3 and
//! `bias(shift, add)`.
//!
//! ```text
//! at every router of the source group, until the packet diverts or leaves it:
//!     two minimal candidates (a link to the destination group each), two non-minimal (a random group and a link to it)
//!     load(c) = level, from 1 up, of the flits queued at c's port: those waiting and those sent and not credited
//!     m, n = the candidates of each kind with the least load
//!     minimal  iff  load(m) <= (load(n) << shift) + add
//! ```
//! AD0: shift 0, add 0 (no bias). AD1: shift 0, 1, 2 with the hops made (increasingly minimal).
//! AD2: add 4. AD3: shift 2. `shift` is a schedule by hops made, its last value holds on. Shift and
//! add are 0 to 15 each. Reads this router's own outputs. A packet that has left its source router
//! keeps its gateway; the non-minimal candidates are drawn anew at each router. Ties go to minimal.
//!
//! Paper: Chunduri et al., IPDPS 2021, section II.D. Not in the paper, and assumed here: two
//! candidates of each kind; what a load is, and its levels: a port's load is its flits as a share
//! of one VC's input and output buffer, in so many steps (key `levels`: 16, since a bias is four
//! bits wide), from 1, nothing or next to it, to the highest. The lowest level is 1, not 0, because
//! a shifted 0 is still 0: AD3, the paper's strong bias, would have no effect in a quiet network.
//! Further: AD1's schedule; links to a group are drawn among all there are, not the nearest only;
//! the intermediate is a group, from whose first router the packet goes on minimally.
//!
//! Inside a group, by the key `intra_group`:
//!
//! ```text
//! minimal:  the minimal path
//! adaptive: at the source router
//!     m = the minimal path, n = of two other routers of the group the one with the least load towards it
//!     minimal  iff  load(m) <= (load(n) << shift) + add
//! ```
//! The paper does not say whether Aries leaves minimal paths inside a group. CODES' model of Cray XC
//! does, and so it is the default. There is one minimal candidate, because the order of dimensions
//! is fixed.
//!
//! VCs: 4. Minimal: local hops 0, the global hop 0 from the source router and 2 from a later one;
//! non-minimal: source group 1, intermediate group 2, destination group 3; inside a group 3, on
//! the way to another router of it 1. With `responses` as many again.

use crate::candidates::{Candidate, DecisionContext};
use crate::descriptor::{Descriptor, Information, Intermediate, Mode, RoutingKey, Setting};
use crate::draws::{beside, salted, third_group};
use crate::rule::Rule;
use crate::state::RouteState;
use crate::{CongestionView, Gateways, IntraGroup, SegmentVcs, VcMap, paths};

/// The routing.
pub(crate) struct Aries;

impl Rule for Aries {
    const DESCRIPTOR: Descriptor = Descriptor {
        title: "Aries with a bias",
        rule: "The minimal path if its load is at most (the non-minimal load << shift) + add. A \
               packet compares two candidates of each kind. Every router of the source group \
               decides again. bias(shift,add) is the short form.",
        source: "Chunduri et al., IPDPS 2021, II.D",
        through: "a random group, if its queue is short",
        decides: "source group",
        information: Information::Queues,
        vc_map: VcMap {
            minimal_later: SegmentVcs { local: 0, global: 2 },
            ..VcMap::ascending(4, 0, 1, 2, 2)
        },
        max_hops: |diameter| 4 * diameter + 2,
        paths: paths::adaptive,
        reads: &[
            RoutingKey::CandidatesMinimal,
            RoutingKey::CandidatesNonminimal,
            RoutingKey::Queue,
            RoutingKey::QueueScope,
            RoutingKey::IntraGroup,
            RoutingKey::Aries,
        ],
        intra_groups: &[IntraGroup::Minimal, IntraGroup::Adaptive],
        defaults: &[
            Setting::CandidatesMinimal(2),
            Setting::CandidatesNonminimal(2),
            Setting::IntraGroup(IntraGroup::Adaptive),
        ],
        assumptions: &[
            (
                "candidates_minimal",
                "two, as Kang et al. (SC 2022, II.B) tell it; Chunduri et al. (IPDPS 2021) do not say",
            ),
            (
                "candidates_nonminimal",
                "two, as Kang et al. (SC 2022, II.B) tell it; Chunduri et al. do not say",
            ),
            ("queue", "what a load is, Chunduri et al. (IPDPS 2021, II.D) do not say"),
            (
                "intra_group",
                "packets may leave minimal paths inside a group, as in CODES' model of Cray XC; Chunduri et al. (IPDPS 2021) do not say",
            ),
            (
                "aries.levels",
                "how finely a router knows its load, Chunduri et al. (IPDPS 2021) do not say",
            ),
        ],
        modes: MODES,
        intermediate: Intermediate::Group,
        gateways: Gateways::Any,
        progressive: true,
        serves_unlinked_groups: true,
        ..Descriptor::USUAL
    };

    /// Minimal, or through a random group; again at the next router if minimal.
    #[inline]
    fn decide<S: CongestionView>(
        context: &DecisionContext<'_>,
        route: &mut RouteState,
        view: &mut S,
    ) {
        let (source, destination) = (context.group, u32::from(route.destination_group));
        let aries = &context.routing.aries;
        let mut cost = |path: &Candidate| aries.level(context.queue(view, path));
        let salt = 1024 * u64::from(route.hops);
        let minimal = context.minimal(route, &mut cost, salt);
        let other = context.nonminimal(
            route,
            |draw| third_group(context.topology, source, destination, draw),
            &mut cost,
            salt,
        );
        let (load_min, load_non) = (minimal.queue, other.queue);
        context.take(route, &minimal, &other, aries.diverts(load_min, load_non, route.hops));
    }

    /// With `intra_group = "adaptive"`, the default: minimal, or over another router of the group.
    #[inline]
    fn decide_inside<S: CongestionView>(
        context: &DecisionContext<'_>,
        route: &mut RouteState,
        view: &mut S,
    ) {
        let DecisionContext { routing, topology, router, .. } = *context;
        // A detour is over a third router.
        if routing.intra_group != IntraGroup::Adaptive || topology.routers_per_group() < 3 {
            return;
        }
        let destination = route.destination_router;
        let aries = &routing.aries;
        let straight = context.queue_inside(route, destination, routing.vc_map.inside, view);
        let others = (0..u64::from(routing.ugal.candidates_nonminimal)).map(|k| {
            let over = beside(topology, router, destination, salted(route.draw, 128 + k));
            let queue = context.queue_inside(route, over, routing.vc_map.nonminimal.local, view);
            (aries.level(queue), over)
        });
        // The first of equals. A plan has at least one candidate.
        let Some((load, over)) = others.min_by_key(|(load, _)| *load) else { return };
        if aries.diverts(aries.level(straight), load, route.hops) {
            route.divert_inside(over);
        }
    }
}

const MODES: &[Mode] = &[
    Mode {
        name: "aries_ad0",
        rule: "aries with shift 0 and add 0: the path with the lower load. It is the default of \
               Cray's MPI.",
        fixed: &[Setting::AriesShift(&[0]), Setting::AriesAdd(0)],
        defaults: &[],
        assumptions: &[],
    },
    Mode {
        name: "aries_ad1",
        rule: "aries with a shift that grows with the number of crossed links. Cray's MPI uses it \
               for all-to-alls.",
        fixed: &[Setting::AriesAdd(0)],
        defaults: &[Setting::AriesShift(&[0, 1, 2])],
        assumptions: &[(
            "aries.shift",
            "Chunduri et al. (IPDPS 2021, II.D) only say that the bias grows with the hops taken",
        )],
    },
    Mode {
        name: "aries_ad2",
        rule: "aries with shift 0 and add 4: a weak bias towards minimal.",
        fixed: &[Setting::AriesShift(&[0]), Setting::AriesAdd(4)],
        defaults: &[],
        assumptions: &[],
    },
    Mode {
        name: "aries_ad3",
        rule: "aries with shift 2 and add 0: a strong bias towards minimal.",
        fixed: &[Setting::AriesShift(&[2]), Setting::AriesAdd(0)],
        defaults: &[],
        assumptions: &[],
    },
];

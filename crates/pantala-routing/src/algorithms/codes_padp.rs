//! `codes_padp`: the progressive adaptive routing of CODES' dragonfly-dally (`prog-adaptive`).
//!
//! ```text
//! at the source router:  the rule of codes_adp
//! at every later router of the source group, while the packet is on its minimal path:
//!     I stays if this router owns a link to it; else I = one of the groups that it owns links to, source and
//!     destination left out, drawn anew            (there is none: the packet stays minimal)
//!     the same rule
//! ```
//! Reads this router's own outputs. Once non-minimal a packet stays so; nothing is decided in the
//! intermediate group. Ties go to minimal.
//!
//! VCs: 4, as `codes_adp`: a packet that turns at its second router leaves by that router's own
//! global link on VC 1. Source: CODES `dragonfly-dally` (`prog-adaptive`); Yang et al., SC16,
//! section 2.2 (progressive adaptive).

use super::codes_adp;
use crate::candidates::DecisionContext;
use crate::descriptor::{Descriptor, Information, Intermediate, RoutingKey};
use crate::draws::{salted, scaled};
use crate::paths::{Detours, PathSet, Paths, Target};
use crate::rule::Rule;
use crate::state::RouteState;
use crate::{CongestionView, RoutingConfig, VcMap, VcMapName};
use pantala_topology::{Peer, Topology};

/// Salt of the group that a later router draws.
const ANEW: u64 = 5 << 32;

/// The routing.
pub(crate) struct CodesPadp;

impl Rule for CodesPadp {
    const DESCRIPTOR: Descriptor = Descriptor {
        title: "Progressive adaptive routing of CODES",
        rule: "As codes_adp, but each further router of the source group decides again for a \
               packet that is still minimal.",
        source: "CODES; Yang et al., SC 2016, 2.2",
        through: "a random group, if its queue is short",
        decides: "source group",
        information: Information::Queues,
        vc_map: VcMap::CODES,
        maps: &[(VcMapName::Codes, VcMap::CODES)],
        max_hops: |diameter| 3 * diameter + 2,
        paths,
        reads: RoutingKey::UGAL,
        defaults: codes_adp::DEFAULTS,
        intermediate: Intermediate::Group,
        progressive: true,
        per_hop_adaptive: true,
        ..Descriptor::USUAL
    };

    /// The rule of `codes_adp`; again at the next router if minimal.
    #[inline]
    fn decide<S: CongestionView>(
        context: &DecisionContext<'_>,
        route: &mut RouteState,
        view: &mut S,
    ) {
        let first = codes_adp::intermediate(context, route);
        let own =
            || own_groups(context).filter(|group| *group != u32::from(route.destination_group));
        let intermediate = if !DecisionContext::later(route) || own().any(|group| group == first) {
            Some(first)
        } else {
            let draw = salted(route.draw, ANEW + u64::from(route.hops));
            own().nth(scaled(draw, own().count() as u32) as usize)
        };
        match intermediate {
            Some(group) => codes_adp::choose(context, route, view, group),
            None => codes_adp::decide_per_hop(context, route, view),
        }
    }

    #[inline]
    fn decide_per_hop<S: CongestionView>(
        context: &DecisionContext<'_>,
        route: &mut RouteState,
        view: &mut S,
    ) {
        codes_adp::decide_per_hop(context, route, view);
    }
}

/// A later router diverts over a link of its own only.
fn paths(routing: &RoutingConfig, topology: &Topology) -> Paths {
    let again = Some(Target::OwnLink);
    PathSet::of(routing, topology)
        .inside()
        .minimal()
        .detours(&Detours { again, ..Detours::default() })
        .done()
}

/// The groups that the router's own global links lead to, each once.
fn own_groups<'a>(context: &'a DecisionContext<'_>) -> impl Iterator<Item = u32> + use<'a> {
    let ports = context.topology.first_global_port()..context.topology.ports_per_router() as u16;
    let first = ports.start;
    ports.filter_map(move |port| {
        behind(context, port)
            .filter(|group| !(first..port).any(|p| behind(context, p) == Some(*group)))
    })
}

/// The group behind a global port.
fn behind(context: &DecisionContext<'_>, port: u16) -> Option<u32> {
    match context.topology.peer(context.router, port) {
        Peer::Port { router, .. } => Some(context.topology.group_of(router)),
        _ => None,
    }
}

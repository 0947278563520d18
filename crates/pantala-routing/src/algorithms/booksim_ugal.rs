//! `booksim_ugal`: BookSim2's `ugal` for its dragonfly; CAMINOS' composed UGAL has the same
//! threshold.
//!
//! ```text
//! at the source router, if the destination is in another group:
//!     I = a terminal drawn from the whole network (key `intermediate = "any"`), or
//!         a router of neither the source's nor the destination's group ("third": CAMINOS)
//!     if I is in the source's group:  minimal
//!     q(c) = flits charged to the port of c and not credited yet, all VCs
//!     minimal  iff  q(m) <= 2 q(n) + 30;  ties as `tie` says (BookSim2 minimal, CAMINOS random)
//!     if both leave by one port, it is minimal
//! ```
//! Reads this router's own outputs, what is in flight included, so that a long link looks queued
//! when it is merely busy. Decides once. The keys `threshold` (2), `bias` (30 flits), `queue`
//! (output_and_credits: BookSim2 charges a flit as it wins the switch) have these values by default
//! under this name.
//!
//! VCs: by `vc_map`. ascending: 4, as `ugal_n`. booksim2: 3, the phase; a path l g l lies on VC 0,
//! so its channel-dependency graph has cycles. caminos: 5, ascending per link class.
//! Source: BookSim2 `networks/dragonfly.cpp` (`ugal_dragonflynew`); CAMINOS `OccupancyFunction`
//! with `LowestLabel`.

use super::ugal_n;
use crate::candidates::DecisionContext;
use crate::descriptor::{Descriptor, Information, Intermediate, RoutingKey, Setting};
use crate::draws::{salted, scaled, third_router};
use crate::paths::{Detours, PathSet, Paths};
use crate::rule::Rule;
use crate::state::RouteState;
use crate::{
    CongestionView, IntermediateChoice, QueueMeasure, QueueScope, RoutingConfig, VcMap, VcMapName,
};
use pantala_topology::Topology;

/// The routing.
pub(crate) struct BooksimUgal;

impl Rule for BooksimUgal {
    const DESCRIPTOR: Descriptor = Descriptor {
        title: "UGAL of BookSim2",
        rule: "A minimal path or a path through the router of a random terminal, by the queues of \
               whole ports, with a bias of 30 flits towards minimal. With vc_map = booksim2 it \
               has three virtual channels and can deadlock.",
        source: "BookSim2; Jiang et al., ISPASS 2013",
        through: "the router of a random node, if its queue is short",
        decides: "source router",
        information: Information::Queues,
        vc_map: ugal_n::CHANNELS,
        maps: &[
            (VcMapName::Booksim2, VcMap::BOOKSIM_UGAL),
            (VcMapName::Caminos, VcMap::CAMINOS_VALIANT),
        ],
        max_hops: |diameter| 4 * diameter + 2,
        paths,
        reads: &[
            RoutingKey::Threshold,
            RoutingKey::BiasFlits,
            RoutingKey::MinimalUpToFlits,
            RoutingKey::CandidatesMinimal,
            RoutingKey::CandidatesNonminimal,
            RoutingKey::Queue,
            RoutingKey::QueueScope,
            RoutingKey::Tie,
            RoutingKey::Intermediate,
        ],
        defaults: &[
            Setting::Threshold(2.0),
            Setting::BiasFlits(30),
            Setting::Queue(QueueMeasure::OutputAndCredits),
            Setting::QueueScope(QueueScope::Port),
        ],
        intermediate: Intermediate::Router,
        ..Descriptor::USUAL
    };

    /// Minimal, or through a random router.
    #[inline]
    fn decide<S: CongestionView>(
        context: &DecisionContext<'_>,
        route: &mut RouteState,
        view: &mut S,
    ) {
        let topology = context.topology;
        let intermediate = match context.routing.intermediate {
            IntermediateChoice::Third => third_router(
                topology,
                context.group,
                route.destination_group.into(),
                salted(route.draw, 128),
            ),
            IntermediateChoice::Any => {
                topology.router_of(scaled(salted(route.draw, 128), topology.terminals()))
            }
        };
        let minimal = context.minimal(route, |path| context.queue(view, path), 0);
        if topology.group_of(intermediate) == context.group {
            route.gateway = minimal.gateway;
            return;
        }
        let other =
            context.nonminimal(route, |_| intermediate, |path| context.queue(view, path), 0);
        let coin = salted(route.draw, 192);
        let diverts = minimal.port != other.port
            && context.routing.ugal.diverts(minimal.queue, other.queue, || coin);
        context.take(route, &minimal, &other, diverts);
    }
}

/// The intermediate router may be in the destination's group, if another port than the minimal one
/// leads there.
fn paths(routing: &RoutingConfig, topology: &Topology) -> Paths {
    let several = topology.links_between_groups().1 > 1;
    let into_destination = routing.intermediate == IntermediateChoice::Any && several;
    let detours = Detours { into_destination, ..Detours::default() };
    PathSet::of(routing, topology).inside().minimal().detours(&detours).done()
}

//! Routing: from the packet at the head of an input buffer to an output port and a VC.
//!
//! What the algorithms differ in stands in one file each: their VC map ([`VcMap`]) and their
//! decision. What they share stands here: following a path. A path is a stretch or two; a stretch
//! ends at a router or in a group; inside a group the packet goes to the router that owns the
//! global link it has picked (its *gateway*), then over it. Traffic inside a group is minimal under
//! every algorithm, but for `merlin_ugal` and where `intra_group` says otherwise.
//!
//! A plan has a table of routings: packets of one job may be routed otherwise than those of
//! another. A packet carries its place in that table.

mod adaptive;
mod algorithm;
pub mod aries;
pub mod booksim_ugal;
pub mod codes_adp;
pub mod codes_padp;
mod descriptor;
pub(crate) mod draws;
mod gateways;
pub mod merlin_ugal;
pub mod minimal;
pub mod par;
mod paths;
pub mod q_adaptive;
pub mod ugal_g;
pub mod ugal_global;
pub mod ugal_n;
pub mod valiant_group;
pub mod valiant_node;
mod vc_map;

use crate::packet::{NONE, Packet, Phase};
use adaptive::Here;
use descriptor::Rule;
use draws::salted;
use gateways::GatewayTarget;
use pantala_topology::{LocalOrder, Topology};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use adaptive::{QueueMeasure, QueueScope, Tie, UgalConfig};
pub use aries::AriesConfig;
pub use descriptor::{Descriptor, Information, Intermediate, Mode, RoutingKey, Setting};
pub use gateways::Gateways;
pub use paths::{Paths, Segment, Target};
pub use q_adaptive::QAdaptiveConfig;
pub use vc_map::{SegmentVcs, VcMap, VcMapName};

algorithm::routings! {
    minimal::Minimal,
    valiant_group::ValiantGroup,
    valiant_node::ValiantNode,
    ugal_g::UgalG,
    ugal_n::UgalN,
    par::Par,
    ugal_global::UgalGlobal,
    q_adaptive::QAdaptive,
    codes_adp::CodesAdp,
    codes_padp::CodesPadp,
    aries::Aries,
    merlin_ugal::MerlinUgal,
    booksim_ugal::BooksimUgal,
}

/// Which routers `booksim_ugal` draws its intermediate from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum IntermediateChoice {
    /// Those of neither the source's nor the destination's group.
    Third,
    /// All, each by its nodes.
    Any,
}

/// How packets go to another router of their own group under valiant_group and valiant_node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum IntraGroup {
    /// Minimally.
    #[default]
    Minimal,
    /// Through another group, like all others (CAMINOS).
    Nonminimal,
    /// Over another router of the group (SST's merlin).
    Valiant,
}

/// One routing of a plan.
#[derive(Clone, Debug)]
pub struct RoutingConfig {
    /// The algorithm.
    pub algorithm: Algorithm,
    /// Its VC map: [`Algorithm::channels`], unless a test wants a deadlock.
    pub vc_map: VcMap,
    /// Added to every VC: traffic classes that must not wait for one another have VCs of their own.
    pub first_vc: u8,
    /// Two-dimensional groups: along the row or along the column first.
    pub local_order: LocalOrder,
    /// Which links between two groups a path may take.
    pub gateways: Gateways,
    /// What the adaptive algorithms compare.
    pub ugal: UgalConfig,
    /// booksim_ugal: where its intermediate is.
    pub intermediate: IntermediateChoice,
    /// valiant_group and valiant_node: how packets go to another router of their own group.
    pub intra_group: IntraGroup,
    /// aries: its bias.
    pub aries: AriesConfig,
    /// q_adaptive: its learning and its choices.
    pub q_adaptive: QAdaptiveConfig,
}

impl RoutingConfig {
    /// `algorithm` with its own VC map and SST's decision (threshold 2, one candidate each, whole
    /// port).
    #[must_use]
    pub fn new(algorithm: Algorithm) -> Self {
        Self {
            algorithm,
            vc_map: algorithm.own_vc_map(),
            first_vc: 0,
            local_order: LocalOrder::RowFirst,
            gateways: algorithm.descriptor().gateways,
            ugal: UgalConfig::default(),
            intermediate: IntermediateChoice::Third,
            intra_group: IntraGroup::Minimal,
            aries: AriesConfig::default(),
            q_adaptive: QAdaptiveConfig::default(),
        }
    }

    /// The VCs it needs, those below its first included.
    #[must_use]
    pub const fn virtual_channels(&self) -> u8 {
        self.first_vc + self.vc_map.count
    }
}

/// What a router knows of outputs when it decides.
pub trait CongestionView {
    /// Flits that wait at an output port of this router: of one VC, or (`None`) of all.
    fn queue(&mut self, port: u16, vc: Option<u8>, measure: QueueMeasure) -> i64;
    /// The same at any router: for `ugal_global` only.
    fn queue_at(&mut self, router: u32, port: u16, vc: Option<u8>, measure: QueueMeasure) -> i64;
}

/// Where a packet goes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hop {
    /// Output port.
    pub port: u16,
    /// VC on it.
    pub vc: u8,
}

impl RoutingConfig {
    /// Follows the packet's path from `router`, which is in `group`, and updates it. The packet has
    /// been decided on.
    #[inline(always)]
    pub fn follow(&self, topology: &Topology, router: u32, group: u32, packet: &mut Packet) -> Hop {
        let Hop { port, vc } = self.step(topology, router, group, packet);
        let vc = if self.vc_map.by_hop {
            // Ejection is no link of its own.
            packet.hops.saturating_sub(u8::from(router == packet.destination_router))
        } else {
            vc
        };
        Hop { port, vc: vc + self.first_vc }
    }

    /// [`follow`](Self::follow) where every packet is minimal and on a plain map: nothing to
    /// decide, nothing to look up.
    #[inline(always)]
    pub(crate) fn follow_minimal(
        &self,
        topology: &Topology,
        router: u32,
        group: u32,
        packet: &mut Packet,
    ) -> Hop {
        let destination = packet.destination_router;
        let vc = self.vc_map.destination_minimal + self.first_vc;
        if router == destination {
            return Hop { port: topology.terminal_port_of(packet.destination), vc };
        }
        let destination_group = u32::from(packet.destination_group);
        if group == destination_group {
            return Hop {
                port: gateways::step(topology, router, destination, self.local_order, packet),
                vc,
            };
        }
        let target = GatewayTarget { group: destination_group, router: Some(destination) };
        let Hop { port, vc } =
            self.towards(topology, router, group, target, self.vc_map.minimal, packet);
        Hop { port, vc: vc + self.first_vc }
    }

    #[inline(always)]
    fn step(&self, topology: &Topology, router: u32, group: u32, packet: &mut Packet) -> Hop {
        if router == packet.destination_router {
            return Hop {
                port: topology.terminal_port_of(packet.destination),
                vc: self.destination_vc(packet),
            };
        }
        if packet.phase == Phase::ToIntermediate {
            let intermediate = self.intermediate_target(topology, packet.intermediate);
            let reached = match intermediate.router {
                Some(target) => router == target,
                None => group == intermediate.group,
            };
            if reached {
                packet.phase = Phase::ToDestination;
            } else if group == intermediate.group {
                let port =
                    gateways::step(topology, router, packet.intermediate, self.local_order, packet);
                return Hop { port, vc: self.vc_map.to_intermediate };
            } else {
                let first = packet.hops == 0;
                let lane =
                    if first { self.vc_map.nonminimal } else { self.vc_map.nonminimal_later };
                return self.towards(topology, router, group, intermediate, lane, packet);
            }
        }
        let destination_group = u32::from(packet.destination_group);
        if group == destination_group {
            if packet.phase == Phase::Beside {
                if router != packet.intermediate {
                    let port = gateways::step(
                        topology,
                        router,
                        packet.intermediate,
                        self.local_order,
                        packet,
                    );
                    return Hop { port, vc: self.vc_map.nonminimal.local };
                }
                packet.phase = Phase::ToDestination;
            }
            let port = gateways::step(
                topology,
                router,
                packet.destination_router,
                self.local_order,
                packet,
            );
            return Hop { port, vc: self.destination_vc(packet) };
        }
        let target =
            GatewayTarget { group: destination_group, router: Some(packet.destination_router) };
        let lane = if packet.nonminimal {
            self.vc_map.from_intermediate
        } else if packet.hops == 0 {
            self.vc_map.minimal
        } else {
            self.vc_map.minimal_later
        };
        self.towards(topology, router, group, target, lane, packet)
    }

    /// The VC in the destination's group.
    #[inline(always)]
    fn destination_vc(&self, packet: &Packet) -> u8 {
        if packet.nonminimal {
            self.vc_map.destination_nonminimal
        } else if packet.phase == Phase::Inside {
            self.vc_map.inside
        } else {
            self.vc_map.destination_minimal
        }
    }

    /// Decides which path the packet takes: at the source router, and at later routers of its group
    /// while it is [`Phase::Revisable`]. Where there is nothing left to decide it does nothing, but
    /// for algorithms that [decide_per_hop](Algorithm::per_hop_adaptive).
    pub fn decide<S: CongestionView>(
        &self,
        topology: &Topology,
        router: u32,
        packet: &mut Packet,
        view: &mut S,
    ) {
        let group = topology.group_of(router);
        let here = Here { routing: self, topology, router, group };
        if packet.phase > Phase::Revisable {
            self.algorithm.decide_per_hop(&here, packet, view);
            return;
        }
        if group == u32::from(packet.destination_group) {
            self.decide_inside(&here, packet, view);
            return;
        }
        // A path through a third group needs one.
        if topology.groups() < 3 {
            packet.phase = Phase::ToDestination;
            self.algorithm.decide_per_hop(&here, packet, view);
            return;
        }
        self.algorithm.decide(&here, packet, view);
        if !packet.nonminimal {
            packet.phase = if self.algorithm.is_progressive() {
                Phase::Revisable
            } else {
                Phase::ToDestination
            };
        }
    }

    /// The same for a packet in the group of its destination.
    fn decide_inside<S: CongestionView>(&self, here: &Here<'_>, packet: &mut Packet, view: &mut S) {
        if packet.phase == Phase::Revisable {
            packet.phase = Phase::ToDestination; // it has crossed to its group
            return;
        }
        packet.phase = Phase::Inside;
        if here.router != packet.destination_router {
            self.algorithm.decide_inside(here, packet, view);
        }
    }

    /// Routes a packet of `q_adaptive`; `row` gives the estimates for it at `router`, by port from
    /// the first that is not a terminal, if its destination is in another group; `early` says that
    /// the router has made few decisions yet.
    pub fn route_by_estimates(
        &self,
        topology: &Topology,
        router: u32,
        group: u32,
        packet: &mut Packet,
        row: &[f32],
        early: bool,
    ) -> Hop {
        if group == u32::from(packet.destination_group) {
            packet.phase =
                if packet.phase == Phase::Undecided { Phase::Inside } else { Phase::ToDestination };
            return self.follow(topology, router, group, packet);
        }
        q_adaptive::route(&Here { routing: self, topology, router, group }, packet, row, early)
    }

    #[inline]
    fn intermediate_target(&self, topology: &Topology, intermediate: u32) -> GatewayTarget {
        match self.algorithm.intermediate() {
            Intermediate::Group => GatewayTarget { group: intermediate, router: None },
            Intermediate::Router => {
                GatewayTarget { group: topology.group_of(intermediate), router: Some(intermediate) }
            }
        }
    }

    /// The hop towards another group, over the packet's gateway, which is chosen at the first router
    /// of the stretch.
    #[inline(always)]
    fn towards(
        &self,
        topology: &Topology,
        router: u32,
        group: u32,
        target: GatewayTarget,
        lane: SegmentVcs,
        packet: &mut Packet,
    ) -> Hop {
        let links = topology.global_links(group, target.group);
        if packet.gateway == NONE {
            let draw = || salted(packet.draw, 16 + u64::from(packet.hops));
            packet.gateway = gateways::choose(topology, links, router, target, self.gateways, draw);
        }
        let gateway = links[packet.gateway as usize];
        if gateway.router == router {
            packet.gateway = NONE;
            if packet.phase == Phase::Revisable {
                packet.phase = Phase::ToDestination;
            }
            Hop { port: gateway.port, vc: lane.global }
        } else {
            Hop {
                port: gateways::step(topology, router, gateway.router, self.local_order, packet),
                vc: lane.local,
            }
        }
    }
}

/// Has a packet go over another router of its group.
fn divert_beside(packet: &mut Packet, router: u32) {
    packet.phase = Phase::Beside;
    packet.intermediate = router;
    packet.nonminimal = true;
}

/// Sets a packet on a non-minimal path.
fn divert(packet: &mut Packet, intermediate: u32, gateway: u32) {
    packet.phase = Phase::ToIntermediate;
    packet.intermediate = intermediate;
    packet.gateway = gateway;
    packet.nonminimal = true;
}

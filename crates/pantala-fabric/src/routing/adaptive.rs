//! What the adaptive algorithms share: drawing candidate paths, reading their queues, and setting
//! the packet on the better one.
//!
//! Each algorithm's file says what its candidates are, how it weighs them and when it decides.

use super::draws::salted;
use super::gateways::{self, GatewayTarget};
use super::{CongestionView, Intermediate, RoutingConfig, SegmentVcs, divert};
use crate::packet::{NONE, Packet, Phase};
use pantala_topology::{GlobalLink, Topology};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Which flits count as queued at an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum QueueMeasure {
    /// In the output buffer, or sent and their credits not back (SST, CAMINOS).
    OutputAndCredits,
    /// In the output buffer.
    Output,
    /// Sent, and their credits not back.
    Credits,
}

/// Over which VCs the queue counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum QueueScope {
    /// All VCs of the port.
    Port,
    /// The VC that the candidate would use.
    Vc,
}

/// Who wins when neither path is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Tie {
    /// The minimal path.
    Minimal,
    /// A coin.
    Random,
}

/// The keys of the comparison.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UgalConfig {
    /// Non-minimal iff `q_min > floor(threshold * q_nonmin) + bias` and `q_min > minimal_up_to`.
    pub threshold: f64,
    /// In flits.
    pub bias: i64,
    /// In flits: a minimal queue of no more than this is never left.
    pub minimal_up_to: i64,
    /// Minimal candidates.
    pub candidates_minimal: u32,
    /// Non-minimal candidates.
    pub candidates_nonminimal: u32,
    /// What counts as queued.
    pub queue: QueueMeasure,
    /// Where.
    pub scope: QueueScope,
    /// If both sides are equal.
    pub tie: Tie,
}

impl Default for UgalConfig {
    /// SST's SC22 fork: threshold 2, one candidate of each kind, output buffer plus credits of the
    /// whole port.
    fn default() -> Self {
        Self {
            threshold: 2.0,
            bias: 0,
            minimal_up_to: 0,
            candidates_minimal: 1,
            candidates_nonminimal: 1,
            queue: QueueMeasure::OutputAndCredits,
            scope: QueueScope::Port,
            tie: Tie::Minimal,
        }
    }
}

impl UgalConfig {
    /// Whether the non-minimal path is taken; `coin` draws for ties.
    #[inline]
    pub(super) fn diverts(&self, q_min: i64, q_non: i64, coin: impl FnOnce() -> u64) -> bool {
        if q_min <= self.minimal_up_to {
            return false;
        }
        let line = (self.threshold * q_non as f64) as i64 + self.bias;
        q_min > line || (q_min == line && self.tie == Tie::Random && coin() & 1 == 1)
    }
}

/// Where a decision is made.
pub(super) struct Here<'a> {
    pub(super) routing: &'a RoutingConfig,
    pub(super) topology: &'a Topology,
    pub(super) router: u32,
    pub(super) group: u32,
}

/// A candidate path: where it leads, by which link it leaves the group, by which port and VC this
/// router, and its queue.
#[derive(Clone, Copy)]
pub(super) struct Candidate {
    /// The intermediate group or router; [`NONE`] if the path is minimal.
    pub(super) intermediate: u32,
    pub(super) gateway: u32,
    pub(super) link: GlobalLink,
    pub(super) port: u16,
    pub(super) vc: u8,
    pub(super) queue: i64,
}

impl Here<'_> {
    /// Whether the packet has come from another router of the group: its gateway is fixed then.
    pub(super) fn later(packet: &Packet) -> bool {
        packet.phase == Phase::Revisable
    }

    /// The path over link `gateway` of `links`, those to a group; its queue is not read yet.
    #[inline(always)]
    fn path(
        &self,
        links: &[GlobalLink],
        gateway: u32,
        intermediate: u32,
        packet: &Packet,
    ) -> Candidate {
        let vc_map = &self.routing.vc_map;
        let lane = match (intermediate == NONE, Self::later(packet)) {
            (true, false) => vc_map.minimal,
            (true, true) => vc_map.minimal_later,
            (false, false) => vc_map.nonminimal,
            (false, true) => vc_map.nonminimal_later,
        };
        self.along(links[gateway as usize], gateway, lane, intermediate, packet)
    }

    /// The path over link `gateway` of those to a group, on the VCs of `lane`; its queue is not read
    /// yet.
    pub(super) fn over(
        &self,
        to_group: u32,
        gateway: u32,
        lane: SegmentVcs,
        intermediate: u32,
        packet: &Packet,
    ) -> Candidate {
        self.along(
            self.topology.global_links(self.group, to_group)[gateway as usize],
            gateway,
            lane,
            intermediate,
            packet,
        )
    }

    /// The path over `link`, which is number `gateway` of those to a group, on the VCs of `lane`; its
    /// queue is not read yet.
    #[inline(always)]
    fn along(
        &self,
        link: GlobalLink,
        gateway: u32,
        lane: SegmentVcs,
        intermediate: u32,
        packet: &Packet,
    ) -> Candidate {
        let Self { routing, topology, router, .. } = *self;
        let (port, vc) = if link.router == router {
            (link.port, lane.global)
        } else {
            (gateways::step(topology, router, link.router, routing.local_order, packet), lane.local)
        };
        Candidate { intermediate, gateway, link, port, vc: routing.first_vc + vc, queue: 0 }
    }

    /// The best minimal candidate: the least cost, the first of equals. A packet that has left its
    /// source router keeps its gateway.
    pub(super) fn minimal(
        &self,
        packet: &Packet,
        mut cost: impl FnMut(&Candidate) -> i64,
        salt: u64,
    ) -> Candidate {
        let target = GatewayTarget {
            group: packet.destination_group.into(),
            router: Some(packet.destination_router),
        };
        let links = self.topology.global_links(self.group, target.group);
        let fixed = Self::later(packet) && packet.gateway != NONE;
        let count = if fixed { 1 } else { self.routing.ugal.candidates_minimal };
        best(count, |k| {
            let draw = || salted(packet.draw, 64 + salt + k);
            let gateway = if fixed {
                packet.gateway
            } else {
                gateways::choose(
                    self.topology,
                    links,
                    self.router,
                    target,
                    self.routing.gateways,
                    draw,
                )
            };
            let mut path = self.path(links, gateway, NONE, packet);
            path.queue = cost(&path);
            path
        })
    }

    /// The best non-minimal candidate over intermediates that `draw_intermediate(draw)` gives.
    pub(super) fn nonminimal(
        &self,
        packet: &Packet,
        mut draw_intermediate: impl FnMut(u64) -> u32,
        mut cost: impl FnMut(&Candidate) -> i64,
        salt: u64,
    ) -> Candidate {
        best(self.routing.ugal.candidates_nonminimal, |k| {
            let draw = salted(packet.draw, 128 + salt + k);
            let intermediate = draw_intermediate(draw);
            let target = self.target(intermediate);
            let links = self.topology.global_links(self.group, target.group);
            let gateway_draw = || salted(draw, 2);
            let gateway = gateways::choose(
                self.topology,
                links,
                self.router,
                target,
                self.routing.gateways,
                gateway_draw,
            );
            let mut path = self.path(links, gateway, intermediate, packet);
            path.queue = cost(&path);
            path
        })
    }

    fn target(&self, intermediate: u32) -> GatewayTarget {
        match self.routing.algorithm.intermediate() {
            Intermediate::Group => GatewayTarget { group: intermediate, router: None },
            Intermediate::Router => GatewayTarget {
                group: self.topology.group_of(intermediate),
                router: Some(intermediate),
            },
        }
    }

    /// The queue at a candidate's port, as the keys `queue` and `queue_scope` say.
    pub(super) fn queue<S: CongestionView>(&self, view: &mut S, path: &Candidate) -> i64 {
        let ugal = &self.routing.ugal;
        view.queue(path.port, (ugal.scope == QueueScope::Vc).then_some(path.vc), ugal.queue)
    }

    /// The queue at the port towards another router of this group, on VC `vc` if the scope is that.
    pub(super) fn beside<S: CongestionView>(
        &self,
        packet: &Packet,
        target: u32,
        vc: u8,
        view: &mut S,
    ) -> i64 {
        let ugal = &self.routing.ugal;
        let port =
            gateways::step(self.topology, self.router, target, self.routing.local_order, packet);
        view.queue(
            port,
            (ugal.scope == QueueScope::Vc).then_some(self.routing.first_vc + vc),
            ugal.queue,
        )
    }

    /// The two queues to compare: where both paths leave by one port, those of the VC that each
    /// would use.
    pub(super) fn queues<S: CongestionView>(
        &self,
        view: &mut S,
        minimal: &Candidate,
        other: &Candidate,
    ) -> (i64, i64) {
        if minimal.port == other.port {
            let measure = self.routing.ugal.queue;
            (
                view.queue(minimal.port, Some(minimal.vc), measure),
                view.queue(other.port, Some(other.vc), measure),
            )
        } else {
            (minimal.queue, other.queue)
        }
    }

    /// Sets the packet on the path chosen.
    pub(super) fn take(
        &self,
        packet: &mut Packet,
        minimal: &Candidate,
        other: &Candidate,
        diverts: bool,
    ) {
        if diverts {
            divert(packet, other.intermediate, other.gateway);
        } else {
            packet.gateway = minimal.gateway;
        }
    }
}

/// The candidate of least cost, the first of equals; a plan has at least one of each kind.
#[inline(always)]
fn best(count: u32, mut candidate: impl FnMut(u64) -> Candidate) -> Candidate {
    let mut best = candidate(0);
    for k in 1..count.into() {
        let new = candidate(k);
        if new.queue < best.queue {
            best = new;
        }
    }
    best
}

/// The decision of the UGAL family (Kang et al., SC22, section II.B; SST's `adp_select_port`): the
/// least queue of each kind, compared by [`UgalConfig::diverts`]. `salt` sets the draws of one
/// decision apart from those of another.
pub(super) fn decide<S: CongestionView>(
    here: &Here<'_>,
    packet: &mut Packet,
    view: &mut S,
    draw_intermediate: impl FnMut(u64) -> u32,
    salt: u64,
) {
    let minimal = here.minimal(packet, |path| here.queue(view, path), salt);
    let other = here.nonminimal(packet, draw_intermediate, |path| here.queue(view, path), salt);
    let (q_min, q_non) = here.queues(view, &minimal, &other);
    let diverts = here.routing.ugal.diverts(q_min, q_non, || salted(packet.draw, 192 + salt));
    here.take(packet, &minimal, &other, diverts);
}

//! The comparison that the UGAL family shares (Kang et al., SC22, section II.B; SST's `adp_select_port`).

use super::{RoutingConfig, Senses, Target, choose_gate, divert, salted};
use crate::packet::Packet;
use pantala_topology::Topology;

/// Which flits count as queued at an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueueMeasure {
    /// In the output buffer, or sent and their credits not back (SST, BookSim2).
    OutputAndCredits,
    /// In the output buffer.
    Output,
    /// Sent, and their credits not back.
    Credits,
}

/// Over which VCs the queue counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueueScope {
    /// All VCs of the port.
    Port,
    /// The VC that the candidate would use.
    Vc,
}

/// The keys of the comparison.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UgalConfig {
    /// Non-minimal iff `q_min > floor(threshold * q_nonmin) + bias`.
    pub threshold: f64,
    /// In flits.
    pub bias: i64,
    /// Minimal candidates.
    pub candidates_minimal: u32,
    /// Non-minimal candidates.
    pub candidates_nonminimal: u32,
    /// What counts as queued.
    pub queue: QueueMeasure,
    /// Where.
    pub scope: QueueScope,
}

impl Default for UgalConfig {
    /// SST's SC22 fork: threshold 2, one candidate of each kind, output buffer plus credits of the whole port.
    fn default() -> Self {
        Self {
            threshold: 2.0,
            bias: 0,
            candidates_minimal: 1,
            candidates_nonminimal: 1,
            queue: QueueMeasure::OutputAndCredits,
            scope: QueueScope::Port,
        }
    }
}

/// A candidate path: where it leaves this router, and how long the queue there is.
#[derive(Clone, Copy)]
struct Candidate {
    intermediate: u32,
    gate: u32,
    port: u16,
    queue: i64,
}

/// Compares the best minimal with the best non-minimal candidate and sets the packet on its way.
///
/// `draw_intermediate(topology, source group, destination group, draw)` gives a group or a router.
pub(super) fn decide<S: Senses>(
    routing: &RoutingConfig,
    topology: &Topology,
    router: u32,
    packet: &mut Packet,
    senses: &mut S,
    draw_intermediate: impl Fn(&Topology, u32, u32, u64) -> u32,
) {
    let ugal = routing.ugal;
    let group = topology.group_of(router);
    let destination_group = u32::from(packet.destination_group);
    let (vc_min, vc_non) = (routing.channels.source_minimal, routing.channels.source_nonminimal);

    let mut candidate = |target: Target, intermediate: u32, vc: u8, draw: u64| {
        let links = topology.global_links(group, target.group);
        let gate = choose_gate(links, router, target, draw);
        let link = links[gate as usize];
        let port = if link.router == router { link.port } else { topology.local_port(router, link.router) };
        let queue = senses.queue(port, (ugal.scope == QueueScope::Vc).then_some(vc));
        Candidate { intermediate, gate, port, queue }
    };
    let better = |best: Option<Candidate>, new: Candidate| match best {
        Some(old) if old.queue <= new.queue => Some(old),
        _ => Some(new),
    };

    let direct = Target { group: destination_group, router: Some(packet.destination_router) };
    let mut minimal = None;
    for k in 0..ugal.candidates_minimal.into() {
        minimal = better(minimal, candidate(direct, 0, vc_min, salted(packet.draw, 64 + k)));
    }
    let mut nonminimal = None;
    for k in 0..ugal.candidates_nonminimal.into() {
        let draw = salted(packet.draw, 128 + k);
        let intermediate = draw_intermediate(topology, group, destination_group, draw);
        let target = routing.intermediate_target(topology, intermediate);
        nonminimal = better(nonminimal, candidate(target, intermediate, vc_non, salted(draw, 2)));
    }
    let (Some(minimal), Some(nonminimal)) = (minimal, nonminimal) else { return };

    let (q_min, q_non) = if minimal.port == nonminimal.port {
        (senses.queue(minimal.port, Some(vc_min)), senses.queue(minimal.port, Some(vc_non)))
    } else {
        (minimal.queue, nonminimal.queue)
    };
    if q_min > (ugal.threshold * q_non as f64) as i64 + ugal.bias {
        divert(packet, nonminimal.intermediate, nonminimal.gate);
    } else {
        packet.gate = minimal.gate;
    }
}

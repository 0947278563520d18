//! `ugal_n`: minimal or through a random router, by the queues at the source router.
//!
//! The rule of `ugal_g`, except that a non-minimal candidate is a router, uniform over all routers outside the source's
//! and the destination's group, which the packet visits.
//!
//! VCs: 4. Non-minimal: source group 0, to the intermediate router 1, from it 2, destination group 3; minimal: source group
//! 2. l0 g0 l1 l2 g2 l3 and l2 g2 l3 both climb.
//! Paper: Kang et al., SC22, section II.B (UGALn); SST's SC22 fork (`ugal-4vc`).

use super::adaptive;
use super::{Channels, RoutingConfig, Senses};
use crate::packet::Packet;
use pantala_topology::Topology;

/// The VC map.
pub(super) const CHANNELS: Channels = Channels {
    count: 4,
    source_minimal: 2,
    source_nonminimal: 0,
    to_intermediate: 1,
    from_intermediate: 2,
    destination: 3,
};

/// Minimal, or through a random router.
pub(super) fn decide<S: Senses>(
    routing: &RoutingConfig,
    topology: &Topology,
    router: u32,
    packet: &mut Packet,
    senses: &mut S,
) {
    adaptive::decide(routing, topology, router, packet, senses, super::third_router);
}

//! `valiant_group`: through a random group (ValiantRestricted in Prisacari et al.; VALg).
//!
//! ```text
//! at the source router, if the destination is in another group:
//!     G = a group, uniform over all but the source's and the destination's
//!     go minimally to the first router of G that is reached, from there minimally to the destination
//! ```
//! Traffic inside a group is minimal; by the key `inside_group = "nonminimal"`, packets to another router of the own group
//! go through another group like all others; by "beside", over a router drawn from the others of the group, as in SST's
//! merlin: l0 l2, or straight if it is the destination's.
//!
//! Reads nothing. Decides once a packet, at the source router. At most 5 links: l g, l g l.
//!
//! VCs: 3. Source group 0, intermediate group 1, destination group 2: l0 g0 l1 g1 l2 climbs.
//! Paper: Kim et al., ISCA 2008 (VAL); Prisacari et al., section II. SST upstream (`valiant`, 3 VCs) and CODES (`nonminimal`)
//! do the same; CODES draws for each chunk.

use super::draws::{other_router, salted, third_group};
use super::{Channels, divert, divert_beside};
use crate::packet::{NONE, Packet};
use pantala_topology::Topology;

/// The VC map.
pub(super) const CHANNELS: Channels = Channels::climbing(3, 0, 0, 1, 1);

/// Draws the intermediate group.
pub(super) fn decide(topology: &Topology, group: u32, packet: &mut Packet) {
    let intermediate = third_group(topology, group, u32::from(packet.destination_group), salted(packet.draw, 0));
    divert(packet, intermediate, NONE);
}

/// Draws the router that a packet to another router of its group goes over.
pub(super) fn decide_beside(topology: &Topology, router: u32, packet: &mut Packet) {
    let over = other_router(topology, router, salted(packet.draw, 0));
    if over != packet.destination_router {
        divert_beside(packet, over);
    }
}

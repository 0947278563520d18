//! `valiant_node`: through a random router (ValiantAny in Prisacari et al.; VALn).
//!
//! ```text
//! at the source router, if the destination is in another group:
//!     R = a router, uniform over all routers outside the source's and the destination's group
//!     go minimally to R, from there minimally to the destination
//! ```
//! Traffic inside a group is minimal; by the key `inside_group = "nonminimal"`, packets to another router of the own group
//! go through a router R outside it like all others, as in CAMINOS (one that comes by its destination router is there).
//!
//! Reads nothing. Decides once a packet, at the source router. At most 6 links: l g l, l g l.
//!
//! VCs: 4. Source group 0, to R 1, from R 2 (local and global), destination group 3: l0 g0 l1 l2 g2 l3 climbs.
//! Paper: Valiant and Brebner, STOC 1981; Prisacari et al., section II. SST's SC22 fork (`valiant`) does the same. BookSim2
//! (inside its UGAL) draws a node of the whole network, so R may lie in the source's or the destination's group.

use super::draws::{salted, third_router};
use super::{Channels, divert};
use crate::packet::{NONE, Packet};
use pantala_topology::Topology;

/// The VC map.
pub(super) const CHANNELS: Channels = Channels::climbing(4, 0, 0, 1, 2);

/// Draws the intermediate router.
pub(super) fn decide(topology: &Topology, group: u32, packet: &mut Packet) {
    let intermediate = third_router(topology, group, u32::from(packet.destination_group), salted(packet.draw, 0));
    divert(packet, intermediate, NONE);
}

//! `booksim_ugal`: BookSim2's `ugal` for its dragonfly; CAMINOS' composed UGAL has the same threshold.
//!
//! ```text
//! at the source router, if the destination is in another group:
//!     I = a node drawn from the whole network (key `intermediate = "any"`), or
//!         a router of neither the source's nor the destination's group ("third": CAMINOS)
//!     if I is in the source's group:  minimal
//!     q(c) = flits charged to the port of c and not credited yet, all VCs
//!     minimal  iff  q(m) <= 2 q(n) + 30;  ties as `tie` says (BookSim2 minimal, CAMINOS random)
//!     if both leave by one port, it is minimal
//! ```
//! Reads this router's own outputs, what is in flight included, so that a long link looks queued when it is merely busy.
//! Decides once. The keys `threshold` (2), `bias` (30 flits), `queue` (output_and_credits: BookSim2 charges a flit as it
//! wins the switch) have these values by default under this name.
//!
//! VCs: by `channels`. climbing: 4, as `ugal_n`. booksim2: 3, the phase; a path l g l lies on VC 0, so its
//! channel-dependency graph has cycles. caminos: 5, ascending per link class.
//! Source: BookSim2 `networks/dragonfly.cpp` (`ugal_dragonflynew`); CAMINOS `OccupancyFunction` with `LowestLabel`.

use super::adaptive::Here;
use super::draws::{salted, scaled, third_router};
use super::{IntermediateChoice, Senses};
use crate::packet::Packet;

/// Minimal, or through a random router.
pub(super) fn decide<S: Senses>(here: &Here<'_>, packet: &mut Packet, senses: &mut S) {
    let topology = here.topology;
    let intermediate = match here.routing.intermediate {
        IntermediateChoice::Third => {
            third_router(topology, here.group, packet.destination_group.into(), salted(packet.draw, 128))
        }
        IntermediateChoice::Any => topology.router_of(scaled(salted(packet.draw, 128), topology.nodes())),
    };
    let minimal = here.minimal(packet, |path| here.queue(senses, path), 0);
    if topology.group_of(intermediate) == here.group {
        packet.gate = minimal.gate;
        return;
    }
    let other = here.nonminimal(packet, |_| intermediate, |path| here.queue(senses, path), 0);
    let coin = salted(packet.draw, 192);
    let diverts = minimal.port != other.port && here.routing.ugal.diverts(minimal.queue, other.queue, coin);
    here.take(packet, &minimal, &other, diverts);
}

//! `codes_padp`: the progressive adaptive routing of CODES' dragonfly-dally, on which the results of Yang et al. rest.
//!
//! ```text
//! at the source router:  the rule of codes_adp
//! at every later router of the source group, while the packet is on its minimal path:
//!     the same rule; the candidates N are drawn anew, among the groups that this router has a link to
//!     (none but source and destination: the packet stays minimal)
//! ```
//! Reads this router's own outputs. Once non-minimal a packet stays so; nothing is decided in the intermediate group. Ties
//! go to minimal.
//!
//! VCs: 4, as `codes_adp`: a packet that turns at its second router leaves by that router's own global link on VC 1.
//! Source: CODES `dragonfly-dally` (`prog-adaptive`); Yang et al., SC16, section 2.2 (progressive adaptive).

use super::Senses;
use super::adaptive::{self, Here};
use super::codes_adp;
use super::draws::scaled;
use crate::packet::Packet;
use pantala_topology::Peer;

/// The rule of `codes_adp`; again at the next router if minimal.
pub(super) fn decide<S: Senses>(here: &Here<'_>, packet: &mut Packet, senses: &mut S) {
    if !Here::later(packet) {
        return codes_adp::decide(here, packet, senses);
    }
    let destination = u32::from(packet.destination_group);
    let own = || own_groups(here).filter(move |group| *group != destination);
    let count = own().count() as u32;
    if count > 0 {
        let draw = |draw| own().nth(scaled(draw, count) as usize).expect("one of those counted");
        adaptive::decide(here, packet, senses, draw, 1024 * u64::from(packet.hops));
    }
}

/// The groups that the router's own global links lead to, by port.
fn own_groups<'a>(here: &'a Here<'_>) -> impl Iterator<Item = u32> + use<'a> {
    let topology = here.topology;
    let ports = topology.first_global_port()..topology.ports_per_router() as u16;
    ports.filter_map(move |port| match topology.peer(here.router, port) {
        Peer::Port { router, .. } => Some(topology.group_of(router)),
        _ => None,
    })
}

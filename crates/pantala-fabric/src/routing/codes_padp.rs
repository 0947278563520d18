//! `codes_padp`: the progressive adaptive routing of CODES' dragonfly-dally (`prog-adaptive`).
//!
//! ```text
//! at the source router:  the rule of codes_adp
//! at every later router of the source group, while the packet is on its minimal path:
//!     I stays if this router owns a link to it; else I = one of the groups that it owns links to, source and
//!     destination left out, drawn anew            (there is none: the packet stays minimal)
//!     the same rule
//! ```
//! Reads this router's own outputs. Once non-minimal a packet stays so; nothing is decided in the intermediate group. Ties
//! go to minimal.
//!
//! VCs: 4, as `codes_adp`: a packet that turns at its second router leaves by that router's own global link on VC 1.
//! Source: CODES `dragonfly-dally` (`prog-adaptive`); Yang et al., SC16, section 2.2 (progressive adaptive).

use super::Senses;
use super::adaptive::Here;
use super::codes_adp;
use super::draws::{salted, scaled};
use crate::packet::Packet;
use pantala_topology::Peer;

/// Salt of the group that a later router draws.
const ANEW: u64 = 5 << 32;

/// The rule of `codes_adp`; again at the next router if minimal.
pub(super) fn decide<S: Senses>(here: &Here<'_>, packet: &mut Packet, senses: &mut S) {
    let first = codes_adp::intermediate(here, packet);
    let own = || own_groups(here).filter(|group| *group != u32::from(packet.destination_group));
    let intermediate = if !Here::later(packet) || own().any(|group| group == first) {
        Some(first)
    } else {
        let draw = salted(packet.draw, ANEW + u64::from(packet.hops));
        own().nth(scaled(draw, own().count() as u32) as usize)
    };
    match intermediate {
        Some(group) => codes_adp::choose(here, packet, senses, group),
        None => codes_adp::steer(here, packet, senses),
    }
}

/// The groups that the router's own global links lead to, each once.
fn own_groups<'a>(here: &'a Here<'_>) -> impl Iterator<Item = u32> + use<'a> {
    let ports = here.topology.first_global_port()..here.topology.ports_per_router() as u16;
    let first = ports.start;
    ports.filter_map(move |port| {
        behind(here, port).filter(|group| !(first..port).any(|p| behind(here, p) == Some(*group)))
    })
}

/// The group behind a global port.
fn behind(here: &Here<'_>, port: u16) -> Option<u32> {
    match here.topology.peer(here.router, port) {
        Peer::Port { router, .. } => Some(here.topology.group_of(router)),
        _ => None,
    }
}

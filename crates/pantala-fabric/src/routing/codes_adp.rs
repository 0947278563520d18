//! `codes_adp`: the adaptive routing of CODES' dragonfly-dally, on which the results of Yang et al. and Wang et al. rest.
//!
//! ```text
//! at the source router, if the destination is in another group:
//!     M = candidates_minimal links to the destination group                        (CODES: 2)
//!     N = candidates_nonminimal random groups, each by a link drawn at random      (CODES' global_k_picks: 2)
//!     q(c) = bytes that hold or wait for the port of c, all VCs, in flits
//!     m, n = the candidates of M, N with the least q
//!     minimal  iff  q(m) <= minimal_up_to  or  q(m) <= threshold * q(n)            (CODES' "delta" score: threshold 2)
//! ```
//! Reads this router's own outputs. Decides once; each packet (CODES: chunk) draws for itself. Ties go to minimal.
//! With the router preset `codes_dally` a port's queue is what CODES counts: packets that hold room behind the link, and
//! those that wait for it in the port's virtual output queue.
//!
//! VCs: 4, as CODES: source group, the local hops made (at most 1), or 1 on a non-minimal path; intermediate group 2;
//! destination group and ejection 3. l0 g1, l1 g1 l2 g2 l3: it climbs.
//! Source: CODES `dragonfly-dally` (`adaptive`). Yang et al. (SC16, section 2.2) and Wang et al. (IPDPS20, section IV.C) send
//! non-minimal packets through a random router; their simulator goes through a group.

use super::adaptive::{self, Here};
use super::draws::third_group;
use super::{Channels, Lane, Senses};
use crate::packet::Packet;

/// The VC map.
pub(super) const CHANNELS: Channels = Channels { minimal_later: Lane::both(1), ..Channels::climbing(4, 0, 1, 2, 2) };

/// Minimal, or through a random group.
pub(super) fn decide<S: Senses>(here: &Here<'_>, packet: &mut Packet, senses: &mut S) {
    let (source, destination) = (here.group, u32::from(packet.destination_group));
    adaptive::decide(here, packet, senses, |draw| third_group(here.topology, source, destination, draw), 0);
}

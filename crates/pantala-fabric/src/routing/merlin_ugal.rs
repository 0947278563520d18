//! `merlin_ugal`: the `ugal` of upstream SST/merlin in 2021, before the SC22 fork.
//!
//! ```text
//! at the source router, if the destination is in another group:
//!     one minimal path m, one path n through a random group
//!     q(c) = flits in the output buffer of c's port, of the one VC that c would use; nothing that has been sent
//!     non-minimal  iff  q(m) > 2 q(n) + 50;  if both sides are equal, a coin
//! ```
//! The keys `threshold` (2), `bias` (50 flits), `queue` (output), `queue_scope` (vc) and `tie` (random) have these values by
//! default under this name. With an output buffer that drains as fast as links do, the 50 flits keep nearly all uniform
//! traffic minimal.
//!
//! VCs: 3, as `ugal_g`.
//! Source: merlin's `dragonfly.cc`, 2021. It checks again at the second router only where one router owns both links, which
//! one link a pair of groups never does, and which is left out here. The SC22 fork replaced it by `ugal_g` and `ugal_n`.

use super::adaptive::Here;
use super::{Senses, ugal_g};
use crate::packet::Packet;

/// Minimal, or through a random group.
pub(super) fn decide<S: Senses>(here: &Here<'_>, packet: &mut Packet, senses: &mut S) {
    ugal_g::decide(here, packet, senses);
}

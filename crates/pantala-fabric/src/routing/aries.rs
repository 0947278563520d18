//! `aries`: the adaptive routing of Cray's Aries with a bias towards minimal paths; AD0 to AD3 and `bias(shift, add)`.
//!
//! ```text
//! at every router of the source group, until the packet diverts or leaves it:
//!     two minimal candidates (a link to the destination group each), two non-minimal (a random group and a link to it)
//!     load(c) = level, from 1 up, of the flits queued at c's port: those waiting and those sent and not credited
//!     m, n = the candidates of each kind with the least load
//!     minimal  iff  load(m) <= (load(n) << shift) + add
//! ```
//! AD0: shift 0, add 0 (no bias). AD1: shift 0, 1, 2 with the hops made (increasingly minimal). AD2: add 4. AD3: shift 2. `shift`
//! is a schedule by hops made, its last value holds on. Shift and add are 0 to 15 each.
//! Reads this router's own outputs. A packet that has left its source router keeps its gate; the non-minimal candidates are
//! drawn anew at each router. Ties go to minimal.
//!
//! Paper: Chunduri et al., IPDPS 2021, section II.D. Not in the paper, and assumed here: two candidates of each kind; what a
//! load is, and its levels: a port's load is its flits as a share of one VC's input and output buffer, in so many steps (key
//! `levels`: 16, since a bias is four bits wide), from 1, nothing or next to it, to the highest. It begins with 1 and not with
//! 0, which shifted is 0 still: AD3, the paper's strong bias, would be none on a quiet machine. Further: AD1's schedule; links to a group are drawn among all there are, not the nearest
//! only; the intermediate is a group, from whose first router the packet goes on minimally; traffic inside a group is minimal.
//!
//! VCs: 4. Minimal: local hops 0, the global hop 0 from the source router and 2 from a later one; non-minimal: source group 1,
//! intermediate group 2, destination group 3. With `responses` as many again.

use super::adaptive::{Candidate, Here};
use super::draws::third_group;
use super::{Channels, Lane, Senses};
use crate::packet::Packet;

/// The VC map.
pub(super) const CHANNELS: Channels =
    Channels { minimal_later: Lane { local: 0, global: 2 }, ..Channels::climbing(4, 0, 1, 2, 2) };

/// Shift, add and the levels of load.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AriesConfig {
    /// By hops made; the last value holds on. 0 to 15 each.
    pub shift: Vec<u8>,
    /// 0 to 15.
    pub add: u8,
    /// Steps of the load.
    pub levels: u32,
    /// Flits of the highest level.
    pub full: u32,
}

impl Default for AriesConfig {
    /// AD0.
    fn default() -> Self {
        Self { shift: vec![0], add: 0, levels: 16, full: 240 }
    }
}

impl AriesConfig {
    /// The level of a queue, 1 to `levels`.
    #[must_use]
    pub fn level(&self, flits: i64) -> i64 {
        let levels = i64::from(self.levels);
        1 + (flits.max(0) * levels / i64::from(self.full.max(1))).min(levels - 1)
    }

    /// Whether the minimal path is left after `hops` hops.
    #[must_use]
    pub fn diverts(&self, load_min: i64, load_nonmin: i64, hops: u8) -> bool {
        let last = self.shift.len().saturating_sub(1);
        let shift = self.shift.get(usize::from(hops).min(last)).copied().unwrap_or(0);
        load_min > (load_nonmin << shift) + i64::from(self.add)
    }
}

/// Minimal, or through a random group; again at the next router if minimal.
pub(super) fn decide<S: Senses>(here: &Here<'_>, packet: &mut Packet, senses: &mut S) {
    let (source, destination) = (here.group, u32::from(packet.destination_group));
    let aries = &here.routing.aries;
    let mut cost = |path: &Candidate| aries.level(here.queue(senses, path));
    let salt = 1024 * u64::from(packet.hops);
    let minimal = here.minimal(packet, &mut cost, salt);
    let other = here.nonminimal(packet, |draw| third_group(here.topology, source, destination, draw), &mut cost, salt);
    let (load_min, load_non) = (minimal.queue, other.queue);
    here.take(packet, &minimal, &other, aries.diverts(load_min, load_non, packet.hops));
}

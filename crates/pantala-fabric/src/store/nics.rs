//! The state of NICs: injection links with their credits, and the packets that wait for them.

use crate::config::InjectionVc;
use crate::host::PacketOffer;
use crate::partition::setup::Setup;
use crate::store::account::{Credits, PendingPool};
use crate::store::packet::NONE;
use crate::store::port::LinkCounters;
use crate::store::queue::Queue;
use crate::variant::{General, Variant};
use pantala_engine::random::mix;
use pantala_engine::{ProvenArray, Stream, Time};
use std::ops::Range;

/// Salt of the draw of the injection VC. The draws of the routing are functions of the same word.
const INJECTION_SALT: u64 = 0x496E_6A65_6374_696F;

/// A NIC: the injection link and its credits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Nic {
    pub(crate) link_free: Time,
    pub(crate) wake: Time,
    pub(crate) credits: Credits,
    /// The input VC at the router.
    pub(crate) target: u32,
    /// Whether `offer` holds a packet of the host that has no credit yet.
    pub(crate) has_offer: bool,
    /// Whether it waits for a credit that is not scheduled yet.
    pub(crate) credit_wait: bool,
    pub(crate) offer: PacketOffer,
    /// The random words of this NIC's packets.
    pub(crate) draws: Stream,
    /// The start of the current stall; [`NEVER`]: none.
    pub(crate) stalled_since: Time,
    /// The job that the current stall belongs to.
    pub(crate) stalled_job: u16,
    /// The counters of the injection link.
    pub(crate) counters: LinkCounters,
}

/// The responses of a NIC.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Responses {
    /// The responses that wait, in the order of the deliveries of their requests.
    pub(crate) queue: Queue,
    /// The number of responses that have started on the injection link.
    pub(crate) sent: u64,
}

/// The NICs of a partition.
#[derive(Debug)]
pub(crate) struct Nics {
    pub(crate) nics: ProvenArray<Nic>,
    /// Per NIC and VC, the credits of its injection link. Empty if NICs inject on VC 0 only; then
    /// [`Nic::credits`] holds them.
    pub(crate) credits: ProvenArray<Credits>,
    /// Per NIC, its responses. Empty if NICs send none.
    pub(crate) responses: ProvenArray<Responses>,
    /// Per NIC, a ring of the times when its last packets left: see
    /// [`crate::FabricConfig::nic_buffer`].
    pub(crate) departures: ProvenArray<Time>,
}

impl Nics {
    /// Returns the VCs (bits) of `vcs` that have credit for a packet of `flits`.
    #[inline(always)]
    pub(crate) fn open_vcs<F: Variant>(
        &mut self,
        setup: &Setup,
        pool: &mut PendingPool,
        terminal: u32,
        vcs: &Range<u8>,
        flits: u32,
        now: Time,
    ) -> u16 {
        let room = setup.stages.room::<F>(flits) as i32;
        if setup.stages.one_account::<F>() {
            return u16::from(self.nics[terminal as usize].credits.at(pool, now) >= room);
        }
        let mut open = 0;
        for vc in vcs.clone() {
            let account = &mut self.credits[terminal as usize * setup.vcs + usize::from(vc)];
            open |= u16::from(account.at(pool, now) >= room) << vc;
        }
        open
    }

    /// The credits of a VC of a NIC's injection link; `None` for the other VCs of a NIC that
    /// injects on VC 0 only.
    pub(crate) fn account(&self, setup: &Setup, terminal: u32, vc: u8) -> Option<&Credits> {
        if setup.stages.one_account::<General>() {
            (vc == 0).then(|| &self.nics[terminal as usize].credits)
        } else {
            Some(&self.credits[terminal as usize * setup.vcs + usize::from(vc)])
        }
    }

    /// Takes credits on one of the `open` VCs; returns the input VC at the router.
    #[inline(always)]
    pub(crate) fn take_credit<F: Variant>(
        &mut self,
        setup: &Setup,
        terminal: u32,
        open: u16,
        flits: u32,
        draw: u64,
    ) -> u32 {
        let nic = &mut self.nics[terminal as usize];
        let room = setup.stages.room::<F>(flits);
        if setup.stages.one_account::<F>() {
            nic.credits.take(room);
            return nic.target;
        }
        let vc = match setup.stages.injection_vc::<F>() {
            InjectionVc::Random => drawn_bit(open, mix(draw ^ INJECTION_SALT)),
            InjectionVc::First | InjectionVc::FirstFree => open.trailing_zeros(),
        };
        self.credits[terminal as usize * setup.vcs + vc as usize].take(room);
        nic.target + vc
    }

    /// Returns when a host's packet that starts now entered the buffer of the NIC: when the packet
    /// `nic_buffer` places before it left.
    #[inline(always)]
    pub(crate) fn accepted(
        &mut self,
        setup: &Setup,
        terminal: u32,
        created: Time,
        now: Time,
    ) -> Time {
        let buffer = setup.config.nic_buffer as usize;
        if buffer == 0 {
            return created;
        }
        let mut sent = self.nics[terminal as usize].counters.packets;
        if setup.stages.responds() {
            sent -= self.responses[terminal].sent;
        }
        let slot = &mut self.departures[terminal as usize * buffer + sent as usize % buffer];
        std::mem::replace(slot, now).max(created)
    }

    /// Returns whether a response waits in a NIC.
    #[inline]
    pub(crate) fn has_response(&self, terminal: u32) -> bool {
        self.responses[terminal as usize].queue.head != NONE
    }

    /// Returns the bytes of memory held.
    pub(crate) fn memory(&self) -> usize {
        self.nics.memory()
            + self.credits.memory()
            + self.responses.memory()
            + self.departures.memory()
    }
}

/// Returns one of the bits of `set`, which is not empty, by a draw.
fn drawn_bit(mut set: u16, draw: u64) -> u32 {
    let skipped = ((u128::from(draw) * u128::from(set.count_ones())) >> 64) as u32;
    for _ in 0..skipped {
        set &= set - 1;
    }
    set.trailing_zeros()
}

#[cfg(test)]
mod tests {
    use super::*;
    use pantala_engine::Stream;

    #[test]
    fn bits_are_drawn_evenly() {
        let mut draws = Stream::new(1, 2, 3);
        let mut seen = [0u32; 16];
        for _ in 0..30_000 {
            seen[drawn_bit(0b1010_0000_0000_0001, draws.bits()) as usize] += 1;
        }
        assert_eq!(seen.iter().filter(|&&count| count > 0).count(), 3);
        assert!(
            [0, 13, 15].iter().all(|&bit: &usize| (9_500..10_500).contains(&seen[bit])),
            "{seen:?}"
        );
    }
}

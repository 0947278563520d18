//! What a simulation wants to see of every packet, without a cost where it does not.

use crate::store::packet::{Packet, PacketOrigin};
use pantala_engine::Time;

/// Watches packets; called for every one, so implementations are short. Static dispatch: an empty
/// probe costs nothing.
pub trait Probe {
    /// The head of a host's packet starts on its injection link at `now`.
    fn injected(&mut self, job: u16, bytes: u32, now: Time);
    /// A host's packet is at its destination NIC at `now`.
    fn delivered(&mut self, packet: &Packet, origin: &PacketOrigin, now: Time);
    /// A response is at the NIC that sent its request at `now`; [`PacketOrigin::accepted`] is when
    /// that request started.
    fn answered(&mut self, _packet: &Packet, _origin: &PacketOrigin, _now: Time) {}
    /// The head of input VC `held` is routed to output VC `asked`; each is
    /// `(router * ports + port) * VCs + VC`.
    #[inline(always)]
    fn routed(&mut self, _held: u32, _asked: u32) {}
}

impl Probe for () {
    fn injected(&mut self, _: u16, _: u32, _: Time) {}
    fn delivered(&mut self, _: &Packet, _: &PacketOrigin, _: Time) {}
}

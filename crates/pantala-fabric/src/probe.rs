//! [`Probe`]: watches every packet of a simulation.

use crate::host::MessageLabel;
use crate::store::packet::{Packet, PacketOrigin};
use crate::watch::paths::PathHop;
use pantala_engine::Time;

/// Watches packets. The fabric calls it for every packet, so implementations must be short.
/// Dispatch is static: an empty probe costs nothing.
pub trait Probe {
    /// Called when the head of a host's packet starts on its injection link, at `now`.
    fn injected(&mut self, job: u16, bytes: u32, now: Time);
    /// Called when a host's packet is delivered at its destination NIC, at `now`. Returns whether
    /// the fabric calls [`belongs`](Self::belongs) next.
    fn delivered(&mut self, packet: &Packet, origin: &PacketOrigin, now: Time) -> bool;
    /// Called after [`delivered`](Self::delivered) with the message of the packet, if it has one.
    fn belongs(&mut self, _message: Option<MessageLabel>) {}
    /// Called before [`delivered`](Self::delivered) with the path of the packet, if the fabric
    /// records paths. It is empty if the packet is not chosen.
    fn passed(&mut self, _path: &[PathHop]) {}
    /// Called when a response is delivered at the NIC that sent its request, at `now`.
    /// [`PacketOrigin::accepted`] holds the time at which the request started.
    fn answered(&mut self, _packet: &Packet, _origin: &PacketOrigin, _now: Time) {}
    /// Called when the head of input VC `held` is routed to output VC `asked`. Each number is
    /// `(router * ports + port) * VCs + VC`.
    #[inline(always)]
    fn routed(&mut self, _held: u32, _asked: u32) {}
}

impl Probe for () {
    fn injected(&mut self, _: u16, _: u32, _: Time) {}
    fn delivered(&mut self, _: &Packet, _: &PacketOrigin, _: Time) -> bool {
        false
    }
}

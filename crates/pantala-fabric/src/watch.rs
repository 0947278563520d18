//! [`Watch`]: what a run records inside the network, beside the counters that every run has.
//!
//! Stages call the hooks of [`Watch`] only in a build with [`Variant::HOOKS`], so a run that records
//! nothing here pays nothing. Each record is a room of its own: an optional field of [`Watch`].
//!
//! The times of a hook can lie in the future: a packet is sent ahead of its link, and credits
//! return at known times.

use crate::fabric::Fabric;
use crate::store::packet::Packets;
use crate::variant::Variant;
use pantala_engine::Time;

/// The records of one partition.
#[derive(Debug, Default)]
pub(crate) struct Watch {
    /// Whether there is any record.
    pub(crate) on: bool,
}

/// The hooks, in the order in which a packet meets them. `packet` is the number of a record in
/// `packets`: of a packet, or of one of its flits if flits move one by one.
impl Watch {
    /// A packet is on the injection link of `node` from `start` to `end`.
    pub(crate) fn injects(
        &mut self,
        _packets: &Packets,
        _packet: u32,
        _node: u32,
        _on_link: (Time, Time),
    ) {
    }

    /// A packet's head reaches the input buffer `in_vc`.
    pub(crate) fn arrives(&mut self, _packets: &Packets, _packet: u32, _in_vc: u32, _now: Time) {}

    /// The head of an input buffer is routed to an output VC.
    pub(crate) fn routed(
        &mut self,
        _packets: &Packets,
        _packet: u32,
        _in_out: (u32, u32),
        _now: Time,
    ) {
    }

    /// A packet leaves an input VC for an output VC.
    pub(crate) fn crosses(
        &mut self,
        _packets: &Packets,
        _packet: u32,
        _in_out: (u32, u32),
        _now: Time,
    ) {
    }

    /// A packet is on the link of an output VC from `start` to `end`. `start` is now or later.
    pub(crate) fn sends(
        &mut self,
        _packets: &Packets,
        _packet: u32,
        _out_vc: usize,
        _on_link: (Time, Time),
    ) {
    }

    /// Credits for `room` flits come back to an output VC between two times, now or later.
    pub(crate) fn credited(&mut self, _out_vc: usize, _back: (Time, Time), _room: u32) {}

    /// Credits for `room` flits come back to a VC of a node's injection link between two times, now
    /// or later.
    pub(crate) fn nic_credited(&mut self, _node: u32, _vc: u8, _back: (Time, Time), _room: u32) {}

    /// A stall of an output's link has ended. It belongs to `job`.
    pub(crate) fn stalled(&mut self, _out: usize, _job: u16, _stall: (Time, Time)) {}

    /// A stall of a node's injection link has ended. It belongs to `job`.
    pub(crate) fn nic_stalled(&mut self, _node: u32, _job: u16, _stall: (Time, Time)) {}

    /// A packet, or its last flit, reaches its destination node.
    pub(crate) fn delivers(&mut self, _packets: &Packets, _packet: u32, _now: Time) {}
}

impl Fabric {
    /// Returns whether the stages call the hooks of [`Watch`].
    #[inline(always)]
    pub(crate) const fn is_watched<F: Variant>(&self) -> bool {
        F::HOOKS && (F::DEFAULT || self.watch.on)
    }
}

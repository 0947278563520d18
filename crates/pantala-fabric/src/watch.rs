//! [`Watch`]: what a run records inside the network, beside the counters that every run has.
//!
//! Stages call the hooks of [`Watch`] only in a build with [`Variant::HOOKS`], so a run that records
//! nothing here pays nothing. Each record is a room of its own: an optional field of [`Watch`].
//!
//! The times of a hook can lie in the future: a packet is sent ahead of its link, and credits
//! return at known times.

pub(crate) mod blame;
pub(crate) mod ledger;
pub(crate) mod paths;
pub(crate) mod ports;

use crate::fabric::Fabric;
use crate::store::packet::{Packet, Packets};
use crate::variant::Variant;
use crate::watch::blame::BlameWatch;
use crate::watch::paths::PathWatch;
use crate::watch::ports::PortWatch;
use pantala_engine::Time;
use std::ops::Range;

/// The records of one partition.
#[derive(Debug, Default)]
pub(crate) struct Watch {
    /// Whether there is any record.
    pub(crate) on: bool,
    /// The record of links.
    pub(crate) ports: Option<Box<PortWatch>>,
    /// The waiting time of each job, by the job that causes it.
    pub(crate) blame: Option<Box<BlameWatch>>,
    /// The paths of chosen packets.
    pub(crate) paths: Option<Box<PathWatch>>,
}

/// The hooks, in the order in which a packet meets them. `packet` is the number of a record in
/// `packets`: of a packet, or of one of its flits if flits move one by one.
impl Watch {
    /// `flits` of a packet are on the injection link of `node`, on a VC, from `start` to `end`.
    #[inline(always)]
    pub(crate) fn injects(
        &mut self,
        packet: &Packet,
        (node, vc): (u32, u8),
        flits: u32,
        on_link: (Time, Time),
    ) {
        if let Some(ports) = &mut self.ports {
            ports.sends(ports.injection(node), vc, packet, flits, on_link);
        }
    }

    /// A node's injection link takes credits for `room` flits on a VC.
    #[inline(always)]
    pub(crate) fn nic_takes(&mut self, (node, vc): (u32, u8), room: u32, now: Time) {
        if let Some(ports) = &mut self.ports {
            ports.takes(ports.injection(node), vc, room, now);
        }
    }

    /// A packet's head reaches the input buffer `in_vc`.
    #[inline(always)]
    pub(crate) fn arrives(&mut self, packets: &Packets, packet: u32, in_vc: u32, now: Time) {
        if let Some(paths) = &mut self.paths {
            paths.arrives(packets, packet, in_vc, now);
        }
    }

    /// A packet is on the link of an output from `start`, which is now or later, to `end`.
    #[inline(always)]
    pub(crate) fn sends(&mut self, packet: &Packet, out: usize, on_link: (Time, Time)) {
        if let Some(ports) = &mut self.ports {
            ports.sends(ports.output(out), packet.out_vc, packet, packet.flits.into(), on_link);
        }
    }

    /// A VC of an output takes credits for `room` flits.
    #[inline(always)]
    pub(crate) fn takes(&mut self, (out, vc): (usize, u8), room: u32, now: Time) {
        if let Some(ports) = &mut self.ports {
            ports.takes(ports.output(out), vc, room, now);
        }
    }

    /// Credits for `room` flits come back to a VC of an output between two times, now or later.
    #[inline(always)]
    pub(crate) fn credited(&mut self, (out, vc): (usize, u8), back: (Time, Time), room: u32) {
        if let Some(ports) = &mut self.ports {
            ports.gives(ports.output(out), vc, back, room);
        }
    }

    /// Credits for `room` flits come back to a VC of a node's injection link between two times, now
    /// or later.
    #[inline(always)]
    pub(crate) fn nic_credited(&mut self, (node, vc): (u32, u8), back: (Time, Time), room: u32) {
        if let Some(ports) = &mut self.ports {
            ports.gives(ports.injection(node), vc, back, room);
        }
    }

    /// A stall of an output's link begins at `now`. It belongs to a packet.
    #[inline(always)]
    pub(crate) fn stalls(&mut self, out: usize, packet: &Packet, now: Time) {
        if let Some(ports) = &mut self.ports {
            ports.stalls(ports.output(out), packet.out_vc, (packet.job, packet.route.routing), now);
        }
    }

    /// The stall of an output's link ends at `now`.
    #[inline(always)]
    pub(crate) fn unstalls(&mut self, out: usize, now: Time) {
        if let Some(ports) = &mut self.ports {
            ports.unstalls(ports.output(out), now);
        }
    }

    /// A stall of a node's injection link begins at `now`. It belongs to a packet of a job on one of
    /// `vcs`.
    #[inline(always)]
    pub(crate) fn nic_stalls(&mut self, node: u32, vcs: &Range<u8>, packet: (u16, u8), now: Time) {
        if let Some(ports) = &mut self.ports {
            ports.stalls(ports.injection(node), vcs.start, packet, now);
        }
    }

    /// The stall of a node's injection link ends at `now`.
    #[inline(always)]
    pub(crate) fn nic_unstalls(&mut self, node: u32, now: Time) {
        if let Some(ports) = &mut self.ports {
            ports.unstalls(ports.injection(node), now);
        }
    }
}

impl Fabric {
    /// Returns the record of blame, if there is one.
    #[inline(always)]
    pub(crate) fn blame<F: Variant>(&mut self) -> Option<&mut BlameWatch> {
        if self.is_watched::<F>() { self.watch.blame.as_deref_mut() } else { None }
    }

    /// Returns the record of paths, if there is one.
    #[inline(always)]
    pub(crate) fn paths<F: Variant>(&mut self) -> Option<&mut PathWatch> {
        if self.is_watched::<F>() { self.watch.paths.as_deref_mut() } else { None }
    }

    /// Returns whether the stages call the hooks of [`Watch`].
    #[inline(always)]
    pub(crate) fn is_watched<F: Variant>(&self) -> bool {
        F::watches(self.watch.on)
    }
}

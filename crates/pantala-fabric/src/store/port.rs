//! The state of ports, VCs and NICs: plain data, one record each, in flat arrays.
//!
//! Output port `p` of router `r` has the number `r * ports + p`, its VC `v` the number
//! `(r * ports + p) * vcs + v`; input ports and input VCs likewise.

use crate::host::PacketOffer;
use crate::store::account::{Account, Credits};
use crate::store::queue::Queue;
use pantala_engine::{NEVER, Stream, Time};
use serde::{Deserialize, Serialize};

/// No other part of the machine.
pub(crate) const HERE: u16 = u16::MAX;

/// No part of the machine but a node of this one.
pub(crate) const NODE: u16 = u16::MAX - 1;

/// The bit of what is in another part of the machine.
pub(crate) const ELSEWHERE: u16 = 1 << 15;

/// A VC of an input port: its buffer, and who fills it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct InVc {
    /// The input buffer.
    pub(crate) queue: Queue,
    /// When the tail of the packet that crossed last has left: the next may not overtake it.
    pub(crate) open: Time,
    /// The port.
    pub(crate) port: u32,
    /// The output VC that the head waits for.
    pub(crate) out_vc: u32,
    /// Its place among the router's input VCs.
    pub(crate) bit: u16,
    /// The length of the head that waits: who looks through those that wait need not look at
    /// packets.
    pub(crate) flits: u16,
}

/// An input port of a router.
#[derive(Clone, Copy, Debug)]
pub(crate) struct InPort {
    /// Until when the crossbar is occupied by a packet from here.
    pub(crate) busy_until: Time,
    /// Delay of a credit from here to the sender.
    pub(crate) credit_delay: Time,
    /// The router.
    pub(crate) router: u32,
    /// The router's group.
    pub(crate) group: u32,
    /// Who sends here and gets the credits: the first VC of an output port, or (terminal) a node.
    pub(crate) upstream: u32,
    /// How many of its VCs have a head that waits for an output.
    pub(crate) waiting: u16,
    /// The part of the machine that the sender is in, if it is another than this one; [`HERE`];
    /// [`NODE`].
    pub(crate) sender_part: u16,
}

impl InPort {
    /// Whether a NIC sends here.
    #[inline(always)]
    pub(crate) const fn is_terminal(&self) -> bool {
        self.sender_part == NODE
    }
}

/// An output port of a router and the link behind it: two cache lines, what a packet always touches
/// in the first.
#[repr(align(128))]
#[derive(Clone, Copy, Debug)]
pub(crate) struct OutPort {
    /// From when on the crossbar can bring a packet.
    pub(crate) crossbar_free: Time,
    /// From when on the link can take a packet.
    pub(crate) link_free: Time,
    /// Serialisation of one flit.
    pub(crate) flit: Time,
    /// From the link's start to the stage behind it: propagation and the router parts on the way.
    pub(crate) reach: Time,
    /// The first input VC of the port behind the link, or (ejection) the node.
    pub(crate) target: u32,
    /// The router.
    pub(crate) router: u32,
    /// Its place in the router.
    pub(crate) port: u16,
    /// VCs (bits) with packets in the output buffer.
    pub(crate) queued: u16,
    /// The VCs (bits) that a packet waits for at the crossbar.
    pub(crate) waiting: u16,
    /// Where the crossbar's round-robin goes on: the place of an input VC among the router's, or,
    /// under iSLIP, of an input port.
    pub(crate) next_input: u16,
    /// The block of groups that the router is in, and that of the router behind the link; of a link
    /// to another part of the machine: [`ELSEWHERE`] and the number of the part.
    pub(crate) home: u16,
    pub(crate) beyond: u16,
    /// Where the link's round-robin goes on.
    pub(crate) next_vc: u8,
    /// What is behind the link.
    pub(crate) end: LinkEnd,
    /// When the link's next decision is scheduled; [`NEVER`]: not.
    pub(crate) wake: Time,
    /// When the crossbar's next arbitration is scheduled; [`NEVER`]: not.
    pub(crate) crossbar_wake: Time,
    /// Since when a packet has been ready and none could go for want of credit; [`NEVER`]: not now.
    pub(crate) stalled_since: Time,
    /// Ejection: the delay of the node's credits.
    pub(crate) credit_delay: Time,
    /// Twice the time at which a head was last routed here, plus one if it was not the only one:
    /// for finding rivals.
    pub(crate) routed_at: Time,
    /// What it has carried.
    pub(crate) counters: LinkCounters,
}

/// What is behind a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LinkEnd {
    /// A router.
    Router,
    /// A router, and the routing sends packets of one VC only there: they go in the order in which
    /// they come.
    SingleRouter,
    /// A node whose buffer can run short, or that is sent packets of more than one VC.
    Node,
    /// A node that is sent packets of one VC, and whose buffer holds all that can be under way to
    /// it and its credits back: they need no account.
    AmpleNode,
    /// Nothing.
    Nothing,
}

impl LinkEnd {
    /// Whether the link goes to a router.
    #[inline]
    pub(crate) const fn is_router(self) -> bool {
        matches!(self, Self::Router | Self::SingleRouter)
    }

    /// Whether all packets on the link are known to be of one VC.
    #[inline]
    pub(crate) const fn is_single(self) -> bool {
        matches!(self, Self::SingleRouter | Self::AmpleNode)
    }
}

/// A VC of an output port: what is in the output buffer, and what room there is here and behind the
/// link. One cache line.
#[repr(align(64))]
#[derive(Clone, Copy, Debug)]
pub(crate) struct OutVc {
    /// Credits: room in the input buffer behind the link.
    pub(crate) credits: Credits,
    /// Room in the output buffer.
    pub(crate) space: Account,
    /// The output buffer.
    pub(crate) queue: Queue,
    /// When the tail of the packet sent last has gone: the next of this VC may not overtake it.
    pub(crate) gone: Time,
    /// Flits in `queue`.
    pub(crate) unsent: i32,
    /// How many credits the head waits for that are not all on their way yet; zero: it does not. Of
    /// several heads, who wait at the crossbar, the least.
    pub(crate) credit_wait: u16,
    /// Whether a packet waits at the crossbar for room that nobody has promised yet.
    pub(crate) space_wait: bool,
}

/// Whose turn it is at an input port, under iSLIP.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct InputTurn {
    /// The output port whose offer is taken first.
    pub(crate) next_output: u16,
    /// The VC that goes first of those that want the same output.
    pub(crate) next_vc: u16,
}

/// An output VC where packets hold one while they cross.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hold {
    /// Until when the packet that crossed last holds it.
    pub(crate) until: Time,
    /// The input VC whose head it is allocated to, until that crosses, its last flit if flits cross
    /// one by one; [`crate::store::packet::NONE`]: none.
    pub(crate) owner: u32,
    /// Where the round goes on in which it is allocated.
    pub(crate) next_input: u16,
}

impl OutVc {
    /// A packet of `flits` waits for credits.
    pub(crate) fn await_credits(&mut self, flits: u32) {
        let flits = flits as u16;
        self.credit_wait = if self.credit_wait == 0 { flits } else { self.credit_wait.min(flits) };
    }
}

/// A NIC: the injection link and its credits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Nic {
    pub(crate) link_free: Time,
    pub(crate) wake: Time,
    pub(crate) credits: Credits,
    /// The input VC at the router.
    pub(crate) target: u32,
    /// Whether there is an `offer`: a packet that the host has handed over and that lacks credit.
    pub(crate) has_offer: bool,
    /// Whether it waits for a credit that is not on its way yet.
    pub(crate) credit_wait: bool,
    pub(crate) offer: PacketOffer,
    /// The routing's draws for packets of this node.
    pub(crate) draws: Stream,
    /// Since when what comes next has been stalled.
    pub(crate) stalled_since: Time,
    /// What the injection link has carried.
    pub(crate) counters: LinkCounters,
}

/// What a link has carried.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LinkCounters {
    /// Packets started.
    pub packets: u64,
    /// Their payload.
    pub bytes: u64,
    /// Flits started.
    pub flits: u64,
    /// Time during which a packet was ready, the link idle, and no packet could go for want of
    /// credit.
    pub stall: Time,
}

impl LinkCounters {
    /// Counts a packet.
    #[inline]
    pub(crate) fn count(&mut self, bytes: u32, flits: u32) {
        self.packets += 1;
        self.bytes += u64::from(bytes);
        self.flits += u64::from(flits);
    }

    /// The counters with a stall that still lasts counted up to `now`.
    pub(crate) fn at(mut self, stalled_since: Time, now: Time) -> Self {
        if stalled_since != NEVER {
            self.stall += now.saturating_sub(stalled_since);
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_packets_touch_fits_cache_lines() {
        assert_eq!((size_of::<OutVc>(), size_of::<OutPort>()), (64, 128));
        assert_eq!((size_of::<InVc>(), size_of::<InPort>()), (32, 32));
    }
}

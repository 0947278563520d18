//! Flits that move one by one ([`crate::config::Switching::Flit`]): a packet becomes a record a flit at its NIC and is one again at
//! its destination.
//!
//! A NIC sends a packet's flits one after the other, each as soon as there is a credit for it, and nothing between them. The first flit
//! is routed; those behind it follow it from input VC to input VC and on the output VC that it was allocated, which
//! is theirs until the last of them has crossed. Every flit contends for ports, credits and links by itself. The record of the last
//! flit is the packet's own: with it the packet is delivered. Flits of one VC never pass one another.

use crate::host::Host;
use crate::network::{Kind, Network};
use crate::packet::{Packet, PacketOrigin, Part};
use crate::probe::Probe;
use crate::slab::Slab;
use crate::stages::Stages;
use pantala_engine::{NEVER, Time};

/// Where the first flit of a packet went, and what it was then.
#[derive(Clone, Copy, Debug)]
struct Lead {
    head: Packet,
    out: u32,
    out_vc: u32,
}

/// A packet that a NIC has begun to send.
#[derive(Clone, Copy, Debug)]
struct Begun {
    packet: u32,
    /// The number of the flit that comes next.
    next: u16,
    /// When the flit before it arrives at the router.
    last: Time,
}

/// What first flits leave behind for those that follow.
#[derive(Debug, Default)]
pub(crate) struct Worms {
    /// By input VC: the packet that it passes on, or passed on last.
    leads: Slab<Option<Lead>>,
    /// By output VC: when the flit sent last arrives behind the link.
    arrivals: Slab<Time>,
    /// By node: the packet of which not all flits have been sent.
    begun: Slab<Option<Begun>>,
    /// Records of flits that are not the last of their packets.
    leading: u64,
}

impl Worms {
    /// For input and output VCs of these numbers, and for these nodes: the first, and how many.
    pub(crate) fn new((first, count): (usize, usize), (first_node, nodes): (usize, usize)) -> Self {
        Self {
            leads: Slab::numbered_from(first, vec![None; count]),
            arrivals: Slab::numbered_from(first, vec![0; count]),
            begun: Slab::numbered_from(first_node, vec![None; nodes]),
            leading: 0,
        }
    }

    /// Whether a NIC has sent some flits of a packet and not all.
    #[inline]
    pub(crate) fn sends(&self, node: u32) -> bool {
        self.begun[node].is_some()
    }

    /// The packets of which not all flits have been sent.
    pub(crate) fn begun(&self) -> impl Iterator<Item = u32> {
        self.begun.iter().flatten().map(|begun| begun.packet)
    }

    /// Records of flits that are not the last of their packets.
    pub(crate) const fn leading(&self) -> u64 {
        self.leading
    }

    /// Bytes of memory held.
    pub(crate) fn memory(&self) -> usize {
        self.leads.memory() + self.arrivals.memory() + self.begun.memory()
    }

    /// A packet's first flit has been routed.
    pub(crate) fn lead(&mut self, in_vc: u32, head: &Packet, (out, out_vc): (u32, u32)) {
        self.leads[in_vc] = Some(Lead { head: *head, out, out_vc });
    }

    /// When a flit that would be behind its link at `head`, if it were a packet, is in the input buffer there. The time that an input
    /// takes for a route is the first flit's alone, and nobody passes it meanwhile.
    pub(crate) fn arrival(&mut self, out_vc: usize, part: Part, head: Time, stages: &Stages) -> Time {
        let time = behind(self.arrivals[out_vc], part, head, stages);
        self.arrivals[out_vc] = time;
        time
    }

    /// A record has gone to another part of the machine.
    pub(crate) fn post(&mut self, part: Part) {
        self.leading -= u64::from(!part.ends());
    }

    /// A record has come from another part of the machine.
    pub(crate) fn take(&mut self, part: Part) {
        self.leading += u64::from(!part.ends());
    }
}

/// See [`Worms::arrival`]; the flit before arrives at `last`.
fn behind(last: Time, part: Part, head: Time, stages: &Stages) -> Time {
    if part.starts() {
        head.max(last)
    } else {
        (head - stages.head_latency::<false>()).max(last + stages.crossbar_flit)
    }
}

impl<H: Host, P: Probe> Network<H, P> {
    /// The first flit of a packet starts on the injection link.
    pub(crate) fn begin_flits(&mut self, index: u32, node: u32) {
        self.launch_flit(node, Begun { packet: index, next: 0, last: 0 }, self.packets[index].ready);
    }

    /// The injection link is free in the midst of a packet: sends its next flit, if it has credit.
    pub(crate) fn send_flit(&mut self, node: u32, now: Time) {
        let Some(begun) = self.worms.begun[node] else { return };
        let vc = (self.packets[begun.packet].at - self.nics[node as usize].target) as u8;
        let vcs = vc..vc + 1;
        let open = self.open_vcs::<false>(node, &vcs, 1, now);
        if open == 0 {
            self.await_credit::<false>(node, &vcs, 1, now);
            return;
        }
        self.end_stall(node, now);
        self.take_credit::<false>(node, open, 1, 0);
        let free = now + self.stages.nic_flit;
        let nic = &mut self.nics[node as usize];
        nic.link_free = free;
        nic.counters.flits += 1;
        let gone = now + self.stages.head_flits::<false>() * self.stages.nic_flit;
        self.launch_flit(node, begun, gone + self.stages.nic_reach);
        if self.nics[node as usize].has_offer {
            self.ensure_nic_wake(node, free);
        } else {
            self.wake_for_next::<false>(node, free);
        }
    }

    /// The next flit of a packet is on the injection link; it would be at the router at `head` if it were a packet.
    fn launch_flit(&mut self, node: u32, Begun { packet: index, next, last }: Begun, head: Time) {
        let packet = self.packets[index];
        let part = Part::of(next, packet.flits);
        let time = if next == 0 { head } else { behind(last, part, head, &self.stages) };
        let flit = if part.ends() { index } else { self.packets.reserve() };
        self.packets[flit] = Packet { ready: time, tail: time, flits: 1, part, ..packet };
        self.worms.begun[node] = None;
        if !part.ends() {
            let nothing = PacketOrigin { created: NEVER, accepted: NEVER, injected: NEVER, source: node, message: 0 };
            *self.packets.origin_mut(flit) = nothing;
            self.worms.leading += 1;
            self.worms.begun[node] = Some(Begun { packet: index, next: next + 1, last: time });
        }
        self.wheel.push_with_hint(time, Kind::ARRIVE, flit, packet.at);
    }

    /// Has a flit that is the first of its input VC follow its packet's first flit; where to.
    pub(crate) fn follow_head(&mut self, in_vc: u32, flit: u32) -> (u32, u32) {
        // A flit comes behind its packet's first.
        let Some(Lead { head, out, out_vc }) = self.worms.leads[in_vc] else { unreachable!("a flit without a head") };
        let Packet { ready, tail, at, flits, part, bytes, .. } = self.packets[flit];
        self.packets[flit] = Packet { ready, tail, at, flits, part, bytes, ..head };
        (out, out_vc)
    }

    /// A flit is at its node. The last makes the packet whole again, others end there; whether it is the last.
    pub(crate) fn gather_flits(&mut self, flit: u32) -> bool {
        let record = &mut self.packets[flit];
        if record.part.ends() {
            (record.flits, record.part) = (self.config.flits(record.bytes) as u16, Part::Whole);
            return true;
        }
        self.worms.leading -= 1;
        self.packets.remove(flit);
        false
    }
}

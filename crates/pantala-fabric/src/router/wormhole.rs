//! Flits that move one by one ([`crate::config::FlowControl::Wormhole`]): a packet becomes a record a
//! flit at its NIC and is one again at its destination.
//!
//! A NIC sends a packet's flits one after the other, each as soon as there is a credit for it, and
//! nothing between them. The first flit is routed; those behind it follow it from input VC to input
//! VC and on the output VC that it was allocated, which is theirs until the last of them has
//! crossed. Every flit contends for ports, credits and links by itself. The record of the last flit
//! is the packet's own: with it the packet is delivered. Flits of one VC never pass one another.

use crate::host::Host;
use crate::partition::{Kind, Partition};
use crate::probe::Probe;
use crate::router::stages::Stages;
use crate::store::packet::{Packet, Piece};
use pantala_engine::FlatArray;
use pantala_engine::Time;

/// Where the first flit of a packet went, and what it was then.
#[derive(Clone, Copy, Debug)]
struct Lead {
    first: Packet,
    out: u32,
    out_vc: u32,
}

/// A packet that a NIC has begun to send, and the number of the flit that comes next.
#[derive(Clone, Copy, Debug)]
struct Begun {
    packet: u32,
    next: u16,
}

/// What flits leave behind for those that follow.
#[derive(Debug, Default)]
pub(crate) struct Worms {
    /// By input VC: the packet that it passes on, or passed on last.
    leads: FlatArray<Option<Lead>>,
    /// By output VC, and by node and VC: when the flit sent last arrives behind the link.
    arrivals: FlatArray<Time>,
    nic_arrivals: FlatArray<Time>,
    /// By node: the packet of which not all flits have been sent.
    begun: FlatArray<Option<Begun>>,
    /// Records of flits that are not the last of their packets.
    leading: u64,
}

impl Worms {
    /// For input and output VCs of these numbers, and for these nodes: the first, and how many; a
    /// node has so many VCs.
    pub(crate) fn new(
        (first, count): (usize, usize),
        (first_node, nodes): (usize, usize),
        vcs: usize,
    ) -> Self {
        Self {
            leads: FlatArray::numbered_from(first, vec![None; count]),
            arrivals: FlatArray::numbered_from(first, vec![0; count]),
            nic_arrivals: FlatArray::numbered_from(first_node * vcs, vec![0; nodes * vcs]),
            begun: FlatArray::numbered_from(first_node, vec![None; nodes]),
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
        self.leads.memory()
            + self.arrivals.memory()
            + self.nic_arrivals.memory()
            + self.begun.memory()
    }

    /// A packet's first flit has been routed.
    pub(crate) fn lead(&mut self, in_vc: u32, first: &Packet, (out, out_vc): (u32, u32)) {
        self.leads[in_vc] = Some(Lead { first: *first, out, out_vc });
    }

    /// When a flit that would be behind its link at `head`, if it were a packet, is in the input
    /// buffer there. The time that an input takes for a route is the first flit's alone, and nobody
    /// passes it meanwhile.
    pub(crate) fn arrival(
        &mut self,
        out_vc: usize,
        piece: Piece,
        head: Time,
        stages: &Stages,
    ) -> Time {
        in_order(&mut self.arrivals[out_vc], piece, head, stages)
    }

    /// A record has gone to another part of the machine.
    pub(crate) fn post(&mut self, piece: Piece) {
        self.leading -= u64::from(!piece.ends());
    }

    /// A record has come from another part of the machine.
    pub(crate) fn take(&mut self, piece: Piece) {
        self.leading += u64::from(!piece.ends());
    }
}

/// See [`Worms::arrival`]; the flit before arrives at `last`, and can cross no sooner.
fn in_order(last: &mut Time, piece: Piece, head: Time, stages: &Stages) -> Time {
    let own = if piece.starts() { head } else { head - stages.head_latency::<false>() };
    *last = own.max(*last + stages.crossbar_flit);
    *last
}

impl<H: Host, P: Probe> Partition<H, P> {
    /// The first flit of a packet starts on the injection link.
    pub(crate) fn begin_flits(&mut self, index: u32, node: u32) {
        self.launch_flit(node, Begun { packet: index, next: 0 }, self.packets[index].ready);
    }

    /// The injection link is free: in the midst of a packet, sends its next flit, if it has credit.
    /// Whether it is in the midst of one.
    pub(crate) fn send_flit(&mut self, node: u32, now: Time) -> bool {
        let Some(begun) = self.worms.begun[node] else { return false };
        let vc = (self.packets[begun.packet].at - self.nics[node as usize].target) as u8;
        let vcs = vc..vc + 1;
        let open = self.open_vcs::<false>(node, &vcs, 1, now);
        if open == 0 {
            self.await_credit::<false>(node, &vcs, 1, now);
            return true;
        }
        self.end_stall(node, now);
        self.take_credit::<false>(node, open, 1, 0);
        let free = now + self.stages.nic_flit;
        let nic = &mut self.nics[node as usize];
        nic.link_free = free;
        nic.counters.flits += 1;
        let gone = now + self.stages.head_flits::<false>() * self.stages.nic_flit;
        self.launch_flit(node, begun, gone + self.stages.nic_reach);
        self.wake_for_next::<false>(node, free);
        true
    }

    /// The next flit of a packet is on the injection link; it would be at the router at `head` if
    /// it were a packet.
    fn launch_flit(&mut self, node: u32, Begun { packet: index, next }: Begun, head: Time) {
        let packet = self.packets[index];
        let piece = Piece::of(next, packet.flits);
        let vc = (packet.at - self.nics[node as usize].target) as usize;
        let time = in_order(
            &mut self.worms.nic_arrivals[node as usize * self.vcs + vc],
            piece,
            head,
            &self.stages,
        );
        let flit = if piece.ends() { index } else { self.packets.reserve() };
        self.packets[flit] = Packet { ready: time, tail: time, flits: 1, piece, ..packet };
        self.worms.begun[node] = None;
        if !piece.ends() {
            *self.packets.origin_mut(flit) = *self.packets.origin(index);
            self.worms.leading += 1;
            self.worms.begun[node] = Some(Begun { packet: index, next: next + 1 });
        }
        self.wheel.push_with_hint(time, Kind::ARRIVE, flit, packet.at);
    }

    /// Has a flit that is the first of its input VC follow its packet's first flit; where to.
    pub(crate) fn follow_first(&mut self, in_vc: u32, flit: u32) -> (u32, u32) {
        // A flit comes behind its packet's first.
        let Some(Lead { first, out, out_vc }) = self.worms.leads[in_vc] else {
            unreachable!("a flit without a first")
        };
        let Packet { ready, tail, at, piece, .. } = self.packets[flit];
        self.packets[flit] = Packet { ready, tail, at, piece, ..first };
        (out, out_vc)
    }

    /// A flit is at its node. The last makes the packet whole again, others end there; whether it
    /// is the last.
    pub(crate) fn gather_flits(&mut self, flit: u32) -> bool {
        let record = &mut self.packets[flit];
        if record.piece.ends() {
            (record.flits, record.piece) = (self.config.flits(record.bytes) as u16, Piece::Whole);
            return true;
        }
        self.worms.leading -= 1;
        self.packets.remove(flit);
        false
    }
}

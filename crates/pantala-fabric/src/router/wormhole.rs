//! Wormhole flow control ([`crate::config::FlowControl::Wormhole`]): flits move one by one. A
//! packet has one record per flit between its NIC and its destination.
//!
//! A NIC sends the flits of a packet one after another, each when it has a credit, with no other
//! flit between them. The first flit is routed. The others follow it, on the output VC that the
//! first flit was allocated. The packet keeps that VC until its last flit has crossed. Each flit
//! contends for ports, credits and links by itself. The record of the last flit is the packet's
//! own; its delivery delivers the packet. Flits of one VC never overtake each other.

use crate::fabric::Fabric;
use crate::host::Host;
use crate::observer::Injection;
use crate::partition::Partition;
use crate::partition::agenda::Kind;
use crate::probe::Probe;
use crate::store::account::Credits;
use crate::store::packet::{Packet, Piece};
use crate::store::worms::{Begun, Lead, in_order};
use crate::variant::General;
use pantala_engine::Time;

impl Fabric {
    /// Starts the first flit of a packet on the injection link.
    pub(crate) fn begin_flits(&mut self, index: u32, terminal: u32) {
        self.launch_flit(terminal, Begun { packet: index, next: 0 }, self.packets[index].ready);
    }

    /// Puts the next flit of a packet on the injection link. A packet would arrive at the router at
    /// `head`.
    fn launch_flit(&mut self, terminal: u32, Begun { packet: index, next }: Begun, head: Time) {
        let packet = self.packets[index];
        let piece = Piece::of(next, packet.flits);
        let vc = (packet.at - self.nics.nics[terminal as usize].target) as usize;
        let time = in_order(
            &mut self.worms.nic_arrivals[terminal as usize * self.setup.vcs + vc],
            piece,
            head,
            &self.setup.stages,
        );
        let flit = if piece.ends() { index } else { self.packets.reserve() };
        self.packets[flit] = Packet { ready: time, tail: time, flits: 1, piece, ..packet };
        self.worms.begun[terminal] = None;
        if !piece.ends() {
            *self.packets.origin_mut(flit) = *self.packets.origin(index);
            self.worms.leading += 1;
            self.worms.begun[terminal] = Some(Begun { packet: index, next: next + 1 });
        }
        self.agenda.wheel.push_with_hint(time, Kind::ARRIVE, flit, packet.at);
    }

    /// Returns the output port and VC of a flit at the head of its input VC: those of its packet's
    /// first flit.
    pub(crate) fn follow_first(&mut self, in_vc: u32, flit: u32) -> (u32, u32) {
        // The first flit of a packet comes first.
        let Some(Lead { first, out, out_vc }) = self.worms.leads[in_vc] else {
            unreachable!("a flit without a first")
        };
        let Packet { ready, tail, at, piece, .. } = self.packets[flit];
        self.packets[flit] = Packet { ready, tail, at, piece, ..first };
        (out, out_vc)
    }

    /// Keeps the path of a packet whose first flit is at its NIC, until its last flit is there.
    pub(crate) fn keep_path_of_head(&mut self, flit: u32) {
        if self.packets[flit].piece != Piece::Head {
            return;
        }
        if let Some(observer) = self.observer.on::<General>() {
            observer.head_delivered(&self.packets, flit);
        }
    }

    /// Takes a flit at its NIC; returns whether it is the last. The last flit makes the packet
    /// whole again, and the records of the others end.
    pub(crate) fn gather_flits(&mut self, flit: u32) -> bool {
        let record = &mut self.packets[flit];
        if record.piece.ends() {
            (record.flits, record.piece) =
                (self.setup.config.flits(record.bytes) as u16, Piece::Whole);
            return true;
        }
        self.worms.leading -= 1;
        self.packets.remove(flit);
        false
    }
}

impl<H: Host, P: Probe> Partition<H, P> {
    /// Sends the next flit of a packet that the NIC has begun, if it has credit; returns whether
    /// the NIC has begun one. The injection link must be free.
    pub(crate) fn send_flit(&mut self, terminal: u32, now: Time) -> bool {
        let Some(begun) = self.fabric.worms.begun[terminal] else { return false };
        let vc = (self.fabric.packets[begun.packet].at
            - self.fabric.nics.nics[terminal as usize].target) as u8;
        let vcs = vc..vc + 1;
        let open = self.fabric.open_vcs::<General>(terminal, &vcs, 1, now);
        let job = self.fabric.packets[begun.packet].job;
        if open == 0 {
            self.fabric.await_credit::<General>(terminal, &vcs, 1, job, now);
            return true;
        }
        self.fabric.end_nic_stall::<General>(terminal, now);
        self.fabric.nics.take_credit::<General>(&self.fabric.setup, terminal, open, 1, 0);
        let free = now + self.fabric.setup.stages.nic_flit;
        let nic = &mut self.fabric.nics.nics[terminal as usize];
        nic.link_free = free;
        nic.counters.flits += 1;
        let Fabric { observer, packets, nics, setup, ports, .. } = &mut self.fabric;
        if let Some(observer) = observer.on::<General>() {
            let left = nics.account(setup, terminal, vc).map_or(0, Credits::left);
            let packet = &packets[begun.packet];
            let piece = Piece::of(begun.next, packet.flits);
            let injection = Injection {
                from: (terminal, vc),
                flits: 1,
                room: 1,
                left,
                ready: packets.origin(begun.packet).created,
                follows: true,
                on_link: (now, free),
            };
            let read = |vc| nics.account(setup, terminal, vc).map(|it| it.state(&ports.pool));
            observer.injected(&Packet { piece, ..*packet }, &injection, read);
        }
        let gone = now
            + self.fabric.setup.stages.head_flits::<General>() * self.fabric.setup.stages.nic_flit;
        self.fabric.launch_flit(terminal, begun, gone + self.fabric.setup.stages.nic_reach);
        self.wake_for_next::<General>(terminal, free);
        true
    }
}

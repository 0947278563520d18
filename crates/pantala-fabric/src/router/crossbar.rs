//! The crossbar stage: from input buffers to output buffers.
//!
//! A packet that wins the crossbar holds its input and output port for the time of its flits, or
//! its VCs until its tail has crossed, or both. It needs room for all its flits in the output
//! buffer of its VC.

use crate::config::Release;
use crate::fabric::Fabric;
use crate::router::credits::take_credits;
use crate::store::packet::NONE;
use crate::store::port::{InVc, LinkEnd};
use crate::store::requests::Arrived;
use crate::variant::Variant;
use pantala_engine::Time;

impl Fabric {
    /// Takes the head of an input VC through the crossbar to `out`, which it waits for.
    #[inline(always)]
    pub(crate) fn grant<F: Variant>(&mut self, in_vc: usize, out: usize, now: Time) {
        let InVc { port: in_port, bit, out_vc, .. } = self.ports.in_vcs[in_vc];
        let queue = &mut self.ports.in_vcs[in_vc].queue;
        let packet = queue.pop(&mut self.packets);
        if queue.head != NONE {
            self.requests.fresh.push(in_vc as u32);
        }
        if self.requests.end_wait(&self.setup, out_vc as usize, usize::from(bit)) {
            self.ports.out_ports[out].waiting &= !(1 << (out_vc as usize - out * self.setup.vcs));
        }
        self.ports.in_ports[in_port].waiting -= 1;
        self.cross::<F, true>(
            &Arrived { packet, in_vc: in_vc as u32, in_port, out: out as u32, out_vc },
            now,
        );
    }

    /// Takes a packet through the crossbar. `WAITED`: it was the head of its input VC and waited.
    #[inline(always)]
    pub(crate) fn cross<F: Variant, const WAITED: bool>(&mut self, arrived: &Arrived, now: Time) {
        let stages = &self.setup.stages;
        let &Arrived { packet: index, in_vc, in_port, out, out_vc } = arrived;
        self.prefetch_sender(in_vc, in_port);
        let packet = &mut self.packets[index];
        let flits = u32::from(packet.flits);
        let free = now + Time::from(flits) * stages.crossbar_flit;
        // When the tail has left the input buffer.
        let left = if stages.cut_through::<F>() {
            free.max(packet.tail - stages.head_latency::<F>() + stages.crossbar_flit)
        } else {
            free
        };
        let link_flit = self.ports.out_ports[out].flit;
        let head_delay = stages.head_delay_to::<F>(link_flit);
        packet.ready = now + head_delay;
        if stages.stores::<F>() {
            packet.ready += Time::from(flits - 1) * stages.stored_flit;
        }
        packet.tail = if stages.cut_through::<F>() {
            // The crossbar sets the distance of the tail from the head at the output.
            stages.link_slot::<F>(left - stages.crossbar_flit + head_delay, link_flit)
        } else {
            packet.ready
        };
        let given = match stages.credit_return::<F>() {
            Release::Tail => (left, left),
            Release::Head => (now, now),
            Release::Flit => (now + stages.crossbar_flit, left),
        };
        let given = if stages.links_clocked::<F>() {
            self.ports.credit_wires[in_port].carry(given, flits)
        } else {
            given
        };
        // More of the packet follows on the same VCs.
        let goes_on = stages.by_flits::<F>() && !packet.piece.ends();
        self.ports.in_vcs[in_vc].open =
            if goes_on { left } else { left + stages.input_vc_gap::<F>() };
        if stages.holds_vcs::<F>() {
            let hold = &mut self.arbiters.holds[out_vc];
            (hold.until, hold.owner) =
                if goes_on { (left, in_vc) } else { (left + stages.output_vc_gap::<F>(), NONE) };
        }
        if stages.credit_at_crossbar::<F>() && self.ports.out_ports[out].end != LinkEnd::AmpleNic {
            let room = stages.room::<F>(flits);
            let accounts = (&mut self.ports.out_vcs, &self.ports.pool, &mut self.observer);
            let at = (out as usize, out_vc as usize);
            take_credits::<F>(accounts, at, (room, packet.out_vc), (now, now));
        }
        let port = &mut self.ports.out_ports[out];
        if stages.holds_ports::<F>() {
            self.ports.in_ports[in_port].busy_until = free;
            port.crossbar_free = free;
        }
        // The pointer may be one past the last input VC, which means the first.
        port.next_input = self.ports.in_vcs[in_vc].bit + 1;
        let room = self.setup.stages.room::<F>(flits);
        self.give_credit::<F>(in_vc as usize, given, room);
        if self.setup.stages.learning() {
            self.give_feedback(in_vc, index, now);
        }
        if let Some(observer) = self.observer.on::<F>() {
            let to = (out as usize, self.setup.stages.credit_at_crossbar::<F>());
            observer.granted::<WAITED>((in_vc, in_port), to, self.packets[index].job, now);
        }
        self.enqueue::<F>(out as usize, out_vc as usize, index, now);
    }
}

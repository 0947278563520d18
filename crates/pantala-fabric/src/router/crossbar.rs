//! The crossbar stage: from input buffers to output buffers.
//!
//! A packet that wins the crossbar holds its input port and its output port for its flits at the
//! crossbar's rate, or its VCs until its tail has crossed, or both. It needs room for all its flits
//! in the output buffer of its VC.

use crate::config::Release;
use crate::host::Host;
use crate::partition::Partition;
use crate::probe::Probe;
use crate::router::arrival::Arrived;
use crate::store::packet::NONE;
use crate::store::port::{HERE, InPort, InVc, LinkEnd};
use pantala_engine::Time;

impl<H: Host, P: Probe> Partition<H, P> {
    /// Notes that an input VC no longer waits for an output VC.
    #[inline(always)]
    fn end_wait(&mut self, out: usize, out_vc: usize, bit: usize) {
        let first = out_vc * self.words;
        self.waiting[first + bit / 64] &= !(1 << (bit % 64));
        if (first..first + self.words).all(|word| self.waiting[word] == 0) {
            self.out_ports[out].waiting &= !(1 << (out_vc - out * self.vcs));
        }
    }

    /// Takes the head of an input VC, which waits for `out`, to its output.
    #[inline(always)]
    pub(crate) fn grant<const F: bool>(&mut self, in_vc: usize, out: usize, now: Time) {
        let InVc { port: in_port, bit, out_vc, .. } = self.in_vcs[in_vc];
        let queue = &mut self.in_vcs[in_vc].queue;
        let packet = queue.pop(&mut self.packets);
        if queue.head != NONE {
            self.fresh.push(in_vc as u32);
        }
        self.end_wait(out, out_vc as usize, usize::from(bit));
        self.in_ports[in_port].waiting -= 1;
        self.cross::<F>(
            &Arrived { packet, in_vc: in_vc as u32, in_port, out: out as u32, out_vc },
            now,
        );
    }

    /// Takes a packet through the crossbar.
    #[inline(always)]
    pub(crate) fn cross<const F: bool>(&mut self, arrived: &Arrived, now: Time) {
        let stages = &self.stages;
        let &Arrived { packet: index, in_vc, in_port, out, out_vc } = arrived;
        let InPort { upstream, sender_part, .. } = self.in_ports[in_port];
        if sender_part == HERE {
            // Who gets the credits.
            self.out_vcs.prefetch::<1>((upstream + in_vc) as usize - in_port as usize * self.vcs);
        }
        let packet = &mut self.packets[index];
        let flits = u32::from(packet.flits);
        let free = now + Time::from(flits) * stages.crossbar_flit;
        // When the tail has left the input buffer.
        let left = if stages.cut_through::<F>() {
            free.max(packet.tail - stages.head_latency::<F>() + stages.crossbar_flit)
        } else {
            free
        };
        packet.ready = now + stages.head_delay;
        if stages.stores::<F>() {
            packet.ready += Time::from(flits - 1) * stages.stored_flit;
        }
        packet.tail = if stages.cut_through::<F>() {
            // The tail is as far behind the head at the output as the crossbar leaves it.
            left - stages.crossbar_flit + stages.head_delay
        } else {
            packet.ready
        };
        let given = match stages.credit_return::<F>() {
            Release::Tail => (left, left),
            Release::Head => (now, now),
            Release::Flit => (now + stages.crossbar_flit, left),
        };
        // More of the packet follows on the same VCs.
        let goes_on = stages.by_flits::<F>() && !packet.piece.ends();
        self.in_vcs[in_vc].open = if goes_on { left } else { left + stages.input_vc_gap::<F>() };
        if stages.holds_vcs::<F>() {
            let hold = &mut self.holds[out_vc];
            (hold.until, hold.owner) =
                if goes_on { (left, in_vc) } else { (left + stages.output_vc_gap::<F>(), NONE) };
        }
        if stages.credit_at_crossbar::<F>() && self.out_ports[out].end != LinkEnd::AmpleNode {
            self.out_vcs[out_vc].credits.take(stages.room::<F>(flits));
        }
        let port = &mut self.out_ports[out];
        if stages.holds_ports::<F>() {
            self.in_ports[in_port].busy_until = free;
            port.crossbar_free = free;
        }
        // One past the last input VC is as good as the first.
        port.next_input = self.in_vcs[in_vc].bit + 1;
        let room = self.stages.room::<F>(flits);
        self.give_credit::<F>(in_vc as usize, given, room);
        if self.stages.learning() {
            self.give_feedback(in_vc, index, now);
        }
        self.enqueue::<F>(out as usize, out_vc as usize, index, now);
    }
}

/// The capacity of an output VC; an unlimited one has more than any run can fill.
pub(crate) const fn space_of(output_buffer: u32) -> i32 {
    match output_buffer {
        0 => i32::MAX / 2,
        flits => flits as i32,
    }
}

//! The link stage: from output buffers over links, and credits back.
//!
//! A link takes whole packets, VC by VC in round-robin order; one that it takes holds it for its flits. A packet whose link
//! is idle, whose output buffer is empty and whose credits are there is sent ahead: nothing that can happen until its head is
//! ready could change that, so no event is spent on the decision.

use crate::config::Release;
use crate::host::Host;
use crate::network::{Kind, Network};
use crate::packet::NONE;
use crate::probe::Probe;
use pantala_engine::{Event, NEVER, Time};

impl<H: Host, P: Probe> Network<H, P> {
    /// Puts a packet that has won the crossbar into its output buffer, or straight onto the link.
    #[inline]
    pub(crate) fn enqueue(&mut self, out: usize, index: u32, now: Time) {
        let packet = &self.packets[index];
        let (ready, flits) = (packet.ready, u32::from(packet.flits));
        let out_vc = out * self.vcs + usize::from(packet.out_vc);
        let port = &mut self.outputs[out];
        let idle = self.idle_flits * port.flit;
        let vc = &mut self.out_vcs[out_vc];
        vc.space.take(flits);
        if port.queued == 0 && port.link_free <= ready && vc.credits.at(&mut self.pool, now) >= flits as i32 {
            self.send(out, out_vc, index, ready + idle);
            return;
        }
        vc.unsent += flits as i32;
        vc.queue.push(&mut self.packets, index);
        port.queued += 1;
        let time = if port.link_free > ready { port.link_free } else { ready + idle };
        self.ensure_link_wake(out, time);
    }

    /// Schedules a decision unless one comes earlier.
    #[inline]
    pub(crate) fn ensure_link_wake(&mut self, out: usize, time: Time) {
        let port = &mut self.outputs[out];
        if port.wake > time {
            port.wake = time;
            self.wheel.push(Event { time, word: Kind::Link.word(out as u32, 0) });
        }
    }

    /// A link may have something to do.
    pub(crate) fn link_wake(&mut self, out: u32, now: Time) {
        let out = out as usize;
        if self.outputs[out].wake != now {
            return; // an earlier wake has overtaken this one
        }
        self.outputs[out].wake = NEVER;
        if self.outputs[out].link_free > now {
            let free = self.outputs[out].link_free;
            self.ensure_link_wake(out, free);
            return;
        }
        self.decide(out, now);
    }

    /// The link is free: picks a packet, or finds out what to wait for.
    fn decide(&mut self, out: usize, now: Time) {
        let port = self.outputs[out];
        let idle = self.idle_flits * port.flit;
        let mut lacking = 0u16;
        let mut next_ready = NEVER;
        for step in 0..self.vcs {
            let mut vc = usize::from(port.next_vc) + step;
            if vc >= self.vcs {
                vc -= self.vcs;
            }
            let out_vc = out * self.vcs + vc;
            let index = self.out_vcs[out_vc].queue.head;
            if index == NONE {
                continue;
            }
            let packet = &self.packets[index];
            if packet.ready > now {
                next_ready = next_ready.min(packet.ready);
                continue;
            }
            let flits = packet.flits;
            if self.out_vcs[out_vc].credits.at(&mut self.pool, now) < i32::from(flits) {
                lacking |= 1 << vc;
                continue;
            }
            self.start(out, out_vc, vc, now);
            return;
        }
        if lacking == 0 {
            if next_ready != NEVER {
                self.ensure_link_wake(out, next_ready + idle);
            }
            return;
        }
        self.stall(out, lacking, next_ready, now);
    }

    /// Takes the head of a VC's output queue onto the link.
    fn start(&mut self, out: usize, out_vc: usize, vc: usize, now: Time) {
        let queue = &mut self.out_vcs[out_vc];
        let index = queue.queue.pop(&self.packets);
        queue.unsent -= i32::from(self.packets[index].flits);
        let port = &mut self.outputs[out];
        port.queued -= 1;
        port.next_vc = if vc + 1 == self.vcs { 0 } else { vc as u8 + 1 };
        if port.stalled_since != NEVER {
            self.counters[out].stall += now - port.stalled_since;
            port.stalled_since = NEVER;
        }
        self.send(out, out_vc, index, now);
        if self.outputs[out].queued > 0 {
            self.arm_link(out);
        }
    }

    /// Schedules the decision after a packet that has just started.
    #[inline]
    fn arm_link(&mut self, out: usize) {
        let port = self.outputs[out];
        let mut next_ready = NEVER;
        for vc in 0..self.vcs {
            let index = self.out_vcs[out * self.vcs + vc].queue.head;
            if index != NONE {
                next_ready = next_ready.min(self.packets[index].ready);
            }
        }
        let idle = self.idle_flits * port.flit;
        let time = if next_ready < port.link_free { port.link_free } else { next_ready + idle };
        self.ensure_link_wake(out, time);
    }

    /// Something is ready and nothing can go: waits for the credits.
    #[cold]
    fn stall(&mut self, out: usize, lacking: u16, next_ready: Time, now: Time) {
        let port = &mut self.outputs[out];
        if port.stalled_since == NEVER {
            port.stalled_since = now;
        }
        let idle = self.idle_flits * port.flit;
        let mut wake = next_ready;
        let mut waiting = 0u16;
        for vc in 0..self.vcs {
            if lacking & (1 << vc) != 0 {
                let out_vc = &self.out_vcs[out * self.vcs + vc];
                let flits = u32::from(self.packets[out_vc.queue.head].flits);
                match out_vc.credits.when(&self.pool, flits) {
                    Some(time) => wake = wake.min(time),
                    None => waiting |= 1 << vc,
                }
            }
        }
        port.credit_wait |= waiting;
        if wake != NEVER {
            self.ensure_link_wake(out, wake + idle);
        }
    }

    /// A packet starts on a link at `start`.
    #[inline]
    fn send(&mut self, out: usize, out_vc: usize, index: u32, start: Time) {
        let cut_through = self.cut_through();
        let head_flits = self.head_flits;
        let port = &mut self.outputs[out];
        let packet = &mut self.packets[index];
        let flits = u32::from(packet.flits);
        let end = start + Time::from(flits) * port.flit;
        let left = if cut_through { end.max(packet.tail + port.flit) } else { end };
        port.link_free = end;
        let (reach, target, ejection) = (port.reach, port.target, port.ejection);
        let credit_delay = port.credit_delay;
        let head = start + head_flits * port.flit + reach;
        let tail = if cut_through { left + reach } else { head };
        packet.vc = packet.out_vc;
        packet.tail = tail;
        packet.ready = head;
        let (job, bytes) = (packet.job, packet.bytes);
        if ejection {
            self.wheel.push(Event { time: tail, word: Kind::Deliver.word(target, index) });
        } else {
            packet.hops += 1;
            self.wheel.push(Event { time: head, word: Kind::Arrive.word(target, index) });
        }
        let vc = &mut self.out_vcs[out_vc];
        vc.credits.take(flits);
        if ejection {
            // A NIC takes every flit as it comes, so the credits' way back is known now.
            vc.credits.give(&mut self.pool, tail + credit_delay, flits);
        }
        let released = match self.config.router.output_release {
            Release::Head => start,
            Release::Tail => left,
        };
        vc.space.give(&mut self.pool, released, flits);
        self.totals.packet_hops += 1;
        self.count(out, job, bytes, flits);
        self.room_at(out, out_vc, released);
    }

    /// A packet's credits leave an input port for whoever sent it, at `given`.
    #[inline]
    pub(crate) fn give_credit(&mut self, in_port: usize, vc: u8, given: Time, flits: u32) {
        let input = self.inputs[in_port];
        let time = given + input.credit_delay;
        if input.terminal {
            let nic = &mut self.nics[input.upstream as usize];
            nic.credits.give(&mut self.pool, time, flits);
            if nic.credit_wait {
                nic.credit_wait = false;
                let idle = self.idle_flits * self.config.terminal.flit;
                self.ensure_nic_wake(input.upstream, time + idle);
            }
        } else {
            let out = input.upstream as usize;
            self.out_vcs[out * self.vcs + usize::from(vc)].credits.give(&mut self.pool, time, flits);
            let port = &mut self.outputs[out];
            if port.credit_wait & (1 << vc) != 0 {
                port.credit_wait &= !(1 << vc);
                let idle = self.idle_flits * port.flit;
                self.ensure_link_wake(out, time + idle);
            }
        }
    }
}

//! Virtual output queues, in place of the crossbar stage if `input_queue` is `virtual_output`.
//!
//! A packet is routed when it arrives, also if others wait in its input buffer. Packets that arrive
//! at one time are routed in turn, and each reads the queues with those before it. If the buffer
//! behind the link of its output VC has room, the packet takes that room, moves to the output
//! buffer, and returns its credit, all at once. Otherwise it waits in the queue of its output VC,
//! first in, first out, and keeps its place in the input buffer. It is not routed again. So there
//! is no head-of-line blocking, and packets contend for the link only. CODES' dragonfly-dally has
//! this router.

use crate::fabric::Fabric;
use crate::probe::Probe;
use crate::router::credits::take_credits;
use crate::store::packet::NONE;
use crate::store::requests::Arrived;
use crate::variant::General;
use pantala_engine::random::mix;
use pantala_engine::{NEVER, Time};

/// Salt of the order of packets that arrive at one time.
const ORDER_SALT: u64 = 0x5669_7274_7561_6C21;

impl Fabric {
    /// Routes and queues the packets that have arrived, one after another, and moves the packets
    /// that have room.
    ///
    /// A packet that is queued is part of the queues that the routing of the next one reads.
    pub(crate) fn settle_virtual(&mut self, now: Time, probe: &mut impl Probe) {
        let mut arrived = std::mem::take(&mut self.requests.arrived);
        // Packets that arrive at one time come in a random order.
        arrived.sort_unstable_by_key(|new| {
            (mix(self.packets[new.packet].route.draw ^ ORDER_SALT), new.in_vc)
        });
        for &Arrived { packet, in_vc, in_port, .. } in &arrived {
            self.prefetch_sender(in_vc, in_port);
            let Arrived { out, out_vc, .. } = self.route::<General>(in_vc, packet, now, probe);
            self.ports.virtual_queues.prefetch::<1>(out_vc as usize);
            self.ports.out_ports.prefetch::<2>(out as usize);
            self.ports.out_vcs.prefetch::<1>(out_vc as usize);
            let room = self.setup.stages.room::<General>(self.packets[packet].flits.into());
            let waiting = &mut self.ports.virtual_queues[out_vc];
            waiting.queue.push(&mut self.packets, packet);
            waiting.room += room as i32;
            self.ports.readings[out].flits += i64::from(room);
            let job = self.packets[packet].job;
            if let Some(observer) = self.observer.on::<General>() {
                observer.waits_for_output(out as usize, job, now);
            }
            let port = &mut self.ports.out_ports[out];
            port.waiting |= 1 << (out_vc as usize % self.setup.vcs);
            let (router, port) = (port.router, port.port);
            self.requests.mark_dirty::<General>(router, port);
        }
        arrived.clear();
        self.requests.arrived = arrived;
        let mut routers = std::mem::take(&mut self.requests.dirty_routers);
        for &router in &routers {
            for word in 0..self.requests.dirty_words {
                let mut ports = std::mem::take(
                    &mut self.requests.dirty[router as usize * self.requests.dirty_words + word],
                );
                while ports != 0 {
                    let port = word * 64 + ports.trailing_zeros() as usize;
                    ports &= ports - 1;
                    self.fill_output((router * self.setup.ports) as usize + port, now);
                }
            }
        }
        routers.clear();
        debug_assert!(self.requests.dirty_routers.is_empty());
        self.requests.dirty_routers = routers;
    }

    /// Moves the packets that have room behind an output to its buffer, in the VC order of the
    /// link. The others wait for credits.
    fn fill_output(&mut self, out: usize, now: Time) {
        let mut wake = NEVER;
        let port = &self.ports.out_ports[out];
        let vcs = self.setup.vcs;
        let turn = match self.setup.stages.highest_vc::<General>() {
            true => None,
            false => Some(port.next_vc.into()),
        };
        for vc in in_turn(port.waiting, turn, vcs) {
            let out_vc = out * vcs + vc;
            while self.ports.virtual_queues[out_vc].queue.head != NONE {
                let head = self.ports.virtual_queues[out_vc].queue.head;
                let room = self.setup.stages.room::<General>(self.packets[head].flits.into());
                if !self.ports.has_credit(out, out_vc as u32, room as i32, now) {
                    let behind = &mut self.ports.out_vcs[out_vc];
                    match behind.credits.when(&self.ports.pool, room) {
                        Some(time) => wake = wake.min(time),
                        None => behind.await_credits(room),
                    }
                    break;
                }
                self.move_to_output(out, out_vc, room, now);
            }
            if self.ports.virtual_queues[out_vc].queue.head == NONE {
                self.ports.out_ports[out].waiting &= !(1 << vc);
            }
        }
        self.note_stall(out, now);
        if wake != NEVER {
            self.ensure_crossbar_wake(out, wake);
        }
    }

    /// Moves the first packet that waits for an output VC to its output buffer.
    fn move_to_output(&mut self, out: usize, out_vc: usize, room: u32, now: Time) {
        let waiting = &mut self.ports.virtual_queues[out_vc];
        let index = waiting.queue.pop(&mut self.packets);
        waiting.room -= room as i32;
        let accounts = (&mut self.ports.out_vcs, &self.ports.pool, &mut self.observer);
        let vc = self.packets[index].out_vc;
        take_credits::<General>(accounts, (out, out_vc), (room, vc), (now, now));
        self.end_stall::<General>(out, now);
        let packet = &mut self.packets[index];
        packet.ready = now + self.setup.stages.head_delay;
        packet.tail = packet.ready.max(packet.tail + self.setup.stages.head_delay);
        let in_vc = packet.at as usize;
        self.give_credit::<General>(in_vc, (now, now), room);
        if self.setup.stages.learning() {
            self.give_feedback(in_vc as u32, index, now);
        }
        let (job, in_port) = (self.packets[index].job, self.ports.in_vcs[in_vc].port);
        if let Some(observer) = self.observer.on::<General>() {
            observer.moved_to_output(in_port, out, job, now);
        }
        self.enqueue::<General>(out, out_vc, index, now);
    }
}

/// Returns the VCs of a set (bits): in round-robin order from `turn` on, or the highest first.
fn in_turn(set: u16, turn: Option<usize>, vcs: usize) -> impl Iterator<Item = usize> {
    let (set, vcs, highest) = (u32::from(set), vcs as u32, turn.is_none());
    let turn = turn.unwrap_or(0);
    let mut left = (set >> turn) | (set << (vcs - turn as u32)) & ((1 << vcs) - 1);
    std::iter::from_fn(move || {
        let step =
            (left != 0).then(|| if highest { left.ilog2() } else { left.trailing_zeros() })?;
        left &= !(1 << step);
        let vc = turn as u32 + step;
        Some(if vc < vcs { vc } else { vc - vcs } as usize)
    })
}

#[cfg(test)]
mod tests {
    use super::in_turn;

    #[test]
    fn vcs_come_in_turn() {
        for vcs in 1..=16 {
            for turn in 0..vcs {
                for set in (0..1_u32 << vcs).step_by(7) {
                    let all = (0..vcs).map(|step| (turn + step) % vcs);
                    let expected: Vec<_> = all.filter(|vc| set >> vc & 1 == 1).collect();
                    let found: Vec<_> = in_turn(set as u16, Some(turn), vcs).collect();
                    assert_eq!(found, expected, "{set:b} from {turn} of {vcs}");
                    let highest: Vec<_> = in_turn(set as u16, None, vcs).collect();
                    assert!(highest.windows(2).all(|pair| pair[0] > pair[1]));
                    assert_eq!(highest.len(), expected.len());
                }
            }
        }
    }
}

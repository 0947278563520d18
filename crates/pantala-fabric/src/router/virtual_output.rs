//! Virtual output queues: in place of the crossbar stage where `input_queue` says so.
//!
//! A packet is routed as it arrives, whoever came before it. If there is room for it behind the
//! link of its output VC, it takes that room, moves to the output buffer, and its credit goes back;
//! all at once, since nothing inside the router takes time or turns. Else it waits for that room in
//! the queue of its output VC, first in, first out, and keeps its place in the input buffer until
//! it moves. It is not routed again. So nobody waits behind a packet for another output, and the
//! link is the only thing that packets contend for. It is the router of CODES' dragonfly-dally.

use crate::host::Host;
use crate::partition::Partition;
use crate::probe::Probe;
use crate::store::packet::NONE;
use crate::store::queue::Queue;
use pantala_engine::random::mix;
use pantala_engine::{NEVER, Time};

/// Tells the order of packets that arrive at one time from other draws of the same word.
const ORDER_SALT: u64 = 0x5669_7274_7561_6C21;

/// The packets of a router that wait for room behind one of its output VCs.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct VirtualQueue {
    pub(crate) queue: Queue,
    /// The room that they will take.
    pub(crate) room: i32,
}

impl<H: Host, P: Probe> Partition<H, P> {
    /// Queues what has arrived, and moves what has room.
    pub(crate) fn settle_virtual(&mut self, now: Time) {
        let mut arrived = std::mem::take(&mut self.arrived);
        // Those that arrive at one output at one time stand in an order that is drawn.
        arrived.sort_unstable_by_key(|new| {
            (mix(self.packets[new.packet].route.draw ^ ORDER_SALT), new.in_vc)
        });
        for new in &arrived {
            let room = self.stages.room::<false>(self.packets[new.packet].flits.into());
            let waiting = &mut self.virtual_queues[new.out_vc];
            waiting.queue.push(&mut self.packets, new.packet);
            waiting.room += room as i32;
            let port = &mut self.out_ports[new.out];
            port.waiting |= 1 << (new.out_vc as usize % self.vcs);
            let (router, port) = (port.router, port.port);
            self.mark_dirty::<false>(router, port);
        }
        arrived.clear();
        self.arrived = arrived;
        let mut routers = std::mem::take(&mut self.dirty_routers);
        for &router in &routers {
            for word in 0..self.dirty_words {
                let mut ports =
                    std::mem::take(&mut self.dirty[router as usize * self.dirty_words + word]);
                while ports != 0 {
                    let port = word * 64 + ports.trailing_zeros() as usize;
                    ports &= ports - 1;
                    self.fill_output((router * self.ports) as usize + port, now);
                }
            }
        }
        routers.clear();
        debug_assert!(self.dirty_routers.is_empty());
        self.dirty_routers = routers;
    }

    /// Moves the packets that have room behind an output to its buffer, VC by VC from the one whose
    /// turn it is on the link; the others wait for credits.
    fn fill_output(&mut self, out: usize, now: Time) {
        let mut wake = NEVER;
        let turn = usize::from(self.out_ports[out].next_vc);
        for step in 0..self.vcs {
            let vc = (turn + step) % self.vcs;
            let out_vc = out * self.vcs + vc;
            while self.virtual_queues[out_vc].queue.head != NONE {
                let head = self.virtual_queues[out_vc].queue.head;
                let room = self.stages.room::<false>(self.packets[head].flits.into());
                if !self.has_credit(out_vc as u32, room as i32, now) {
                    let behind = &mut self.out_vcs[out_vc];
                    match behind.credits.when(&self.pool, room) {
                        Some(time) => wake = wake.min(time),
                        None => behind.await_credits(room),
                    }
                    break;
                }
                self.move_to_output(out, out_vc, room, now);
            }
            if self.virtual_queues[out_vc].queue.head == NONE {
                self.out_ports[out].waiting &= !(1 << vc);
            }
        }
        self.note_stall(out, now);
        if wake != NEVER {
            self.ensure_crossbar_wake(out, wake);
        }
    }

    /// Takes the first packet that waits for an output VC to its output buffer.
    fn move_to_output(&mut self, out: usize, out_vc: usize, room: u32, now: Time) {
        let waiting = &mut self.virtual_queues[out_vc];
        let index = waiting.queue.pop(&mut self.packets);
        waiting.room -= room as i32;
        self.out_vcs[out_vc].credits.take(room);
        let port = &mut self.out_ports[out];
        if port.stalled_since != NEVER {
            port.counters.stall += now.saturating_sub(port.stalled_since);
            port.stalled_since = NEVER;
        }
        let packet = &mut self.packets[index];
        packet.ready = now + self.stages.head_delay;
        packet.tail = packet.ready.max(packet.tail + self.stages.head_delay);
        let in_vc = packet.at as usize;
        self.give_credit::<false>(in_vc, (now, now), room);
        if self.stages.learning() {
            self.give_feedback(in_vc as u32, index, now);
        }
        self.enqueue::<false>(out, out_vc, index, now);
    }

    /// An output stalls from when its link is idle and its buffer empty while packets wait for room
    /// behind it.
    pub(crate) fn note_stall(&mut self, out: usize, now: Time) {
        let port = &mut self.out_ports[out];
        if port.waiting != 0 && port.queued == 0 && port.stalled_since == NEVER {
            port.stalled_since = port.link_free.max(now);
        }
    }
}

//! The crossbar stage: from input buffers to output buffers.
//!
//! The head of an input VC is routed once, when it becomes the head, and then waits for its output. A packet that wins
//! holds its input port and its output port for its flits at the crossbar's rate. It needs room for all its flits in the
//! output buffer of its VC. Whoever waits is woken by what it waits for: the output or an input port that falls free at a
//! known time, or room that a link promises when it starts a packet.

use crate::config::{Arbiter, OutputLatency, Release};
use crate::host::Host;
use crate::network::{Kind, Network};
use crate::packet::NONE;
use crate::port::{OutPort, OutVc};
use crate::probe::Probe;
use crate::routing::{QueueMeasure, Senses};
use pantala_engine::{Event, NEVER, Time};

/// The queues of one router's outputs, as its routing sees them.
struct RouterSenses<'a> {
    out_vcs: &'a mut [OutVc],
    pool: &'a mut crate::pending::PendingPool,
    vcs: usize,
    credits_full: i32,
    space_full: i32,
    measure: QueueMeasure,
    now: Time,
}

impl Senses for RouterSenses<'_> {
    fn queue(&mut self, port: u16, vc: Option<u8>) -> i64 {
        let first = usize::from(port) * self.vcs;
        let range = match vc {
            Some(vc) => first + usize::from(vc)..first + usize::from(vc) + 1,
            None => first..first + self.vcs,
        };
        let mut flits = 0;
        for out_vc in &mut self.out_vcs[range] {
            // Granted to this VC and not credited back; a packet sent ahead of time has its credits taken already.
            let sum = i64::from(self.credits_full - out_vc.credits.at(self.pool, self.now) + out_vc.unsent);
            flits += match self.measure {
                QueueMeasure::OutputAndCredits => sum,
                QueueMeasure::Output => i64::from(self.space_full - out_vc.space.at(self.pool, self.now)),
                QueueMeasure::Credits => {
                    (sum - i64::from(self.space_full - out_vc.space.at(self.pool, self.now))).max(0)
                }
            };
        }
        flits
    }
}

impl<H: Host, P: Probe> Network<H, P> {
    /// A packet's head is in an input buffer.
    #[inline]
    pub(crate) fn arrive(&mut self, in_port: u32, index: u32) {
        let in_vc = in_port as usize * self.vcs + usize::from(self.packets[index].vc);
        if self.in_queues[in_vc].push(&mut self.packets, index) {
            self.fresh.push(in_vc as u32);
        }
    }

    /// Routes the head of an input VC and has it wait for its output.
    pub(crate) fn route_head(&mut self, in_vc: u32, now: Time) {
        let in_vc = in_vc as usize;
        let index = self.in_queues[in_vc].head;
        let per_router = self.ports as usize * self.vcs;
        let router = in_vc / per_router;
        let bit = in_vc - router * per_router;
        let first = router * per_router;
        let mut senses = RouterSenses {
            out_vcs: &mut self.out_vcs[first..first + per_router],
            pool: &mut self.pool,
            vcs: self.vcs,
            credits_full: self.config.router.input_buffer as i32,
            space_full: space_of(self.config.router.output_buffer),
            measure: self.config.routing.ugal.queue,
            now,
        };
        let packet = &mut self.packets[index];
        let hop = self.config.routing.route(&self.topology, router as u32, packet, &mut senses);
        packet.out_port = hop.port as u8;
        packet.out_vc = hop.vc;
        let out = router * self.ports as usize + usize::from(hop.port);
        self.waiting[out * self.words + bit / 64] |= 1 << (bit % 64);
        match self.crossbar_period() {
            None => self.mark_dirty(out),
            Some(period) => self.ensure_crossbar_wake(out, edge_after(now, period)),
        }
    }

    #[inline]
    fn mark_dirty(&mut self, out: usize) {
        if !self.outputs[out].dirty {
            self.outputs[out].dirty = true;
            self.dirty.push(out as u32);
        }
    }

    /// Schedules an arbitration unless one comes earlier.
    #[inline]
    pub(crate) fn ensure_crossbar_wake(&mut self, out: usize, time: Time) {
        let port = &mut self.outputs[out];
        if port.crossbar_wake > time {
            port.crossbar_wake = time;
            self.wheel.push(Event { time, word: Kind::Crossbar.word(out as u32, 0) });
        }
    }

    /// An output's crossbar may have something to do.
    #[inline]
    pub(crate) fn crossbar_wake(&mut self, out: u32, now: Time) {
        let port = &mut self.outputs[out as usize];
        if port.crossbar_wake == now {
            port.crossbar_wake = NEVER;
            self.mark_dirty(out as usize);
        }
    }

    /// Room in an output buffer comes free at `time`: wakes who waits for it.
    #[inline]
    pub(crate) fn room_at(&mut self, out: usize, out_vc: usize, time: Time) {
        if self.out_vcs[out_vc].space_wait {
            self.out_vcs[out_vc].space_wait = false;
            let time = self.crossbar_period().map_or(time, |period| edge_after(time, period));
            self.ensure_crossbar_wake(out, time);
        }
    }

    /// Arbitrates for every output on the list.
    pub(crate) fn arbitrate_dirty(&mut self, now: Time) {
        if self.config.router.arbiter == Arbiter::RoundRobin {
            let mut i = 0;
            while i < self.dirty.len() {
                let out = self.dirty[i] as usize;
                self.outputs[out].dirty = false;
                if let Some(bit) = self.pick_round_robin(out, now) {
                    self.outputs[out].next_input = bit as u16 + 1;
                    self.grant(out, bit, now);
                }
                self.arm(out, now);
                i += 1;
            }
            self.dirty.clear();
        } else {
            self.sweep(now);
        }
    }

    /// The first input VC from the pointer on that can go to `out` now.
    #[inline]
    fn pick_round_robin(&mut self, out: usize, now: Time) -> Option<usize> {
        if self.outputs[out].crossbar_free > now {
            return None;
        }
        let start = usize::from(self.outputs[out].next_input);
        let bits = self.port_of_bit.len();
        let start = if start >= bits { 0 } else { start };
        self.scan(out, start, bits, now).or_else(|| self.scan(out, 0, start, now))
    }

    /// The first input VC with its bit in `from..to` that can go to `out` now.
    #[inline]
    fn scan(&mut self, out: usize, from: usize, to: usize, now: Time) -> Option<usize> {
        let mut bit = from;
        while bit < to {
            let word = self.waiting[out * self.words + bit / 64] >> (bit % 64);
            if word == 0 {
                bit = (bit / 64 + 1) * 64;
                continue;
            }
            bit += word.trailing_zeros() as usize;
            if bit >= to {
                return None;
            }
            if self.can_go(out, bit, now) {
                return Some(bit);
            }
            bit += 1;
        }
        None
    }

    /// Whether the head of an input VC that waits for `out`, whose crossbar is free, can go now.
    #[inline]
    fn can_go(&mut self, out: usize, bit: usize, now: Time) -> bool {
        let (in_port, in_vc) = self.input_of(out, bit);
        if self.inputs[in_port].busy_until > now {
            return false;
        }
        let packet = &self.packets[self.in_queues[in_vc].head];
        let out_vc = out * self.vcs + usize::from(packet.out_vc);
        self.out_vcs[out_vc].space.at(&mut self.pool, now) >= i32::from(packet.flits)
    }

    /// The input port and input VC behind a bit of an output's waiting set.
    #[inline]
    pub(crate) fn input_of(&self, out: usize, bit: usize) -> (usize, usize) {
        let first = out - out % self.ports as usize;
        (first + usize::from(self.port_of_bit[bit]), first * self.vcs + bit)
    }

    /// Router-wide arbitration in the order of age or of the last grant.
    fn sweep(&mut self, now: Time) {
        self.dirty.sort_unstable();
        let ports = self.ports;
        let mut from = 0;
        while from < self.dirty.len() {
            let router = self.dirty[from] / ports;
            let to = self.dirty[from..].iter().position(|o| o / ports != router).map_or(self.dirty.len(), |n| from + n);
            self.candidates.clear();
            for i in from..to {
                let out = self.dirty[i] as usize;
                self.outputs[out].dirty = false;
                if self.outputs[out].crossbar_free > now {
                    continue;
                }
                for bit in self.waiting_bits(out) {
                    let (_, in_vc) = self.input_of(out, bit);
                    let key = match self.config.router.arbiter {
                        Arbiter::Age => self.packets.origin(self.in_queues[in_vc].head).created,
                        Arbiter::Lru | Arbiter::RoundRobin => self.grant_stamps[in_vc],
                    };
                    self.candidates.push((key, bit as u32, out as u32));
                }
            }
            self.candidates.sort_unstable();
            let mut granted = 0;
            for i in 0..self.candidates.len() {
                let (_, bit, out) = self.candidates[i];
                let (bit, out) = (bit as usize, out as usize);
                if self.outputs[out].crossbar_free <= now && self.can_go(out, bit, now) {
                    let (_, in_vc) = self.input_of(out, bit);
                    // Of several grants at one time, SST's list puts the later before the earlier.
                    granted += 1;
                    self.grant_stamps[in_vc] = (self.grants << 8) + (255 - granted);
                    self.grant(out, bit, now);
                }
            }
            self.grants += 1;
            for i in from..to {
                self.arm(self.dirty[i] as usize, now);
            }
            from = to;
        }
        self.dirty.clear();
    }

    /// The bits of the input VCs that wait for `out`.
    pub(crate) fn waiting_bits(&self, out: usize) -> impl Iterator<Item = usize> + use<H, P> {
        let set: [u64; 64] = std::array::from_fn(|w| if w < self.words { self.waiting[out * self.words + w] } else { 0 });
        let words = self.words;
        (0..words).flat_map(move |w| {
            let mut bits = set[w];
            std::iter::from_fn(move || {
                (bits != 0).then(|| {
                    let bit = bits.trailing_zeros() as usize;
                    bits &= bits - 1;
                    w * 64 + bit
                })
            })
        })
    }

    /// Schedules the next arbitration of an output for which somebody still waits.
    #[inline]
    fn arm(&mut self, out: usize, now: Time) {
        let words = &self.waiting[out * self.words..(out + 1) * self.words];
        if words.iter().all(|w| *w == 0) {
            return;
        }
        let OutPort { crossbar_free, .. } = self.outputs[out];
        if crossbar_free > now {
            self.ensure_crossbar_wake(out, crossbar_free);
            return;
        }
        self.arm_blocked(out, now);
    }

    #[inline(never)]
    fn arm_blocked(&mut self, out: usize, now: Time) {
        let mut wake = NEVER;
        for bit in self.waiting_bits(out) {
            let (in_port, in_vc) = self.input_of(out, bit);
            let busy_until = self.inputs[in_port].busy_until;
            if busy_until > now {
                wake = wake.min(busy_until);
                continue;
            }
            let packet = &self.packets[self.in_queues[in_vc].head];
            let out_vc = &mut self.out_vcs[out * self.vcs + usize::from(packet.out_vc)];
            match out_vc.space.when(&self.pool, u32::from(packet.flits)) {
                Some(time) => {
                    wake = wake.min(self.crossbar_period().map_or(time, |period| edge_after(time, period)));
                }
                None => out_vc.space_wait = true,
            }
        }
        if wake != NEVER {
            self.ensure_crossbar_wake(out, wake);
        }
    }

    /// Moves the head of an input VC to its output.
    fn grant(&mut self, out: usize, bit: usize, now: Time) {
        let (in_port, in_vc) = self.input_of(out, bit);
        let flit = self.config.router.crossbar_flit;
        let index = self.in_queues[in_vc].pop(&self.packets);
        self.waiting[out * self.words + bit / 64] &= !(1 << (bit % 64));
        if self.in_queues[in_vc].head != NONE {
            self.fresh.push(in_vc as u32);
        }
        let cut_through = self.cut_through();
        let router = &self.config.router;
        let packet = &mut self.packets[index];
        let flits = u32::from(packet.flits);
        let free = now + Time::from(flits) * flit;
        // When the tail has left the input buffer.
        let left = if cut_through { free.max(packet.tail + flit) } else { free };
        let head_delay = if router.crossbar_delays_head { flit } else { 0 }
            + match router.output_latency_at {
                OutputLatency::Crossbar => router.output_latency,
                OutputLatency::Link => 0,
            };
        packet.ready = now + head_delay;
        packet.tail = if cut_through {
            // Without the head's flit time in the crossbar, the tail saves it, too.
            left - flit + head_delay
        } else {
            packet.ready
        };
        let vc = packet.vc;
        let given = match router.credit_return {
            Release::Head => now,
            Release::Tail => left,
        };
        self.inputs[in_port].busy_until = free;
        self.outputs[out].crossbar_free = free;
        self.give_credit(in_port, vc, given, flits);
        self.enqueue(out, index, now);
    }
}

/// The capacity of an output VC; an unlimited one has more than any run can fill.
pub(crate) const fn space_of(output_buffer: u32) -> i32 {
    match output_buffer {
        0 => i32::MAX / 2,
        flits => flits as i32,
    }
}

/// The first clock edge strictly after `time`.
#[inline]
const fn edge_after(time: Time, period: Time) -> Time {
    (time / period + 1) * period
}

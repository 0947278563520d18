//! The crossbar stage: from input buffers to output buffers.
//!
//! The head of an input VC is routed once, when it becomes the head, and then waits for its output. A packet that wins
//! holds its input port and its output port for its flits at the crossbar's rate. It needs room for all its flits in the
//! output buffer of its VC. Whoever waits is woken by what it waits for: the output or an input port that falls free at a
//! known time, or room that a link promises when it starts a packet.

use crate::FabricConfig;
use crate::config::{Arbiter, CreditCheck, Release};
use crate::host::Host;
use crate::network::{Kind, Network};
use crate::packet::{Leg, NONE};
use crate::pending::PendingPool;
use crate::port::{InPort, InVc, LinkEnd, OutPort, OutVc};
use crate::probe::Probe;
use crate::routing::{QueueMeasure, Senses};
use crate::slab::Slab;
use pantala_engine::random::mix;
use pantala_engine::{NEVER, Time};

/// Tells the draws of [`Arbiter::Random`] from others that are functions of a packet's random word.
const ARBITER_SALT: u64 = 0x4172_6269_7465_7221;

/// The queues of one router's outputs, as its routing sees them.
struct RouterSenses<'a> {
    out_vcs: &'a mut Slab<OutVc>,
    pool: &'a mut PendingPool,
    /// The router.
    router: u32,
    ports: u32,
    vcs: usize,
    config: &'a FabricConfig,
    now: Time,
}

impl Senses for RouterSenses<'_> {
    #[inline]
    fn queue(&mut self, port: u16, vc: Option<u8>, measure: QueueMeasure) -> i64 {
        self.queue_at(self.router, port, vc, measure)
    }

    fn queue_at(&mut self, router: u32, port: u16, vc: Option<u8>, measure: QueueMeasure) -> i64 {
        let first = (router * self.ports + u32::from(port)) as usize * self.vcs;
        let credits_full = self.config.router.input_buffer as i32;
        let space_full = space_of(self.config.router.output_buffer);
        let range = match vc {
            Some(vc) => first + usize::from(vc)..first + usize::from(vc) + 1,
            None => first..first + self.vcs,
        };
        let mut flits = 0;
        for out_vc in range {
            let out_vc = &mut self.out_vcs[out_vc];
            // Granted to this VC and not credited back; a packet that is ahead of its link has its credits taken already.
            let unsent = if self.config.router.credit_check == CreditCheck::Crossbar { 0 } else { out_vc.unsent };
            let sum = i64::from(credits_full - out_vc.credits.at(self.pool, self.now) + unsent);
            flits += match measure {
                QueueMeasure::OutputAndCredits => sum,
                QueueMeasure::Output => i64::from(space_full - out_vc.space.at(self.pool, self.now)),
                QueueMeasure::Credits => (sum - i64::from(space_full - out_vc.space.at(self.pool, self.now))).max(0),
            };
        }
        flits
    }
}

/// A packet that is the first of its input VC and has been routed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arrived {
    packet: u32,
    in_vc: u32,
    in_port: u32,
    out: u32,
    out_vc: u32,
}

/// For routings that look at nothing.
struct Blind;

impl Senses for Blind {
    fn queue(&mut self, _: u16, _: Option<u8>, _: QueueMeasure) -> i64 {
        0
    }
    fn queue_at(&mut self, _: u32, _: u16, _: Option<u8>, _: QueueMeasure) -> i64 {
        0
    }
}

impl<H: Host, P: Probe> Network<H, P> {
    /// A packet's head is in an input buffer. If it is the first there, it is routed at once: no queue that a routing reads
    /// changes before the arrivals of this time are over.
    #[inline(always)]
    pub(crate) fn arrive<const F: bool>(&mut self, packet: u32, now: Time) {
        let in_vc = self.packets[packet].at;
        if self.in_vcs[in_vc].queue.head != NONE {
            self.in_vcs[in_vc].queue.push(&mut self.packets, packet);
            return;
        }
        let arrived = self.route(in_vc, packet, now);
        if F {
            let port = &mut self.out_ports[arrived.out];
            port.routed_at = 2 * now + Time::from(port.routed_at >> 1 == now);
            self.arrived.push(arrived);
        } else {
            self.in_vcs[in_vc].queue.push(&mut self.packets, packet);
            self.await_output::<F>(&arrived, now);
        }
    }

    /// Moves what can move, until nothing can; routes what comes to the head of an input buffer meanwhile.
    ///
    /// Routers do not touch one another here but for credits and packets that take time, so they may come in any order.
    pub(crate) fn settle<const F: bool>(&mut self, now: Time) {
        for i in 0..self.arrived.len() {
            let arrived = self.arrived[i];
            if !self.grant_unrivalled(&arrived, now) {
                self.in_vcs[arrived.in_vc].queue.push(&mut self.packets, arrived.packet);
                self.await_output::<F>(&arrived, now);
            }
        }
        self.arrived.clear();
        self.route_fresh::<F>(now);
        while !self.dirty_routers.is_empty() {
            let mut routers = std::mem::take(&mut self.dirty_routers);
            for &router in &routers {
                if F || self.config.router.arbiter == Arbiter::RoundRobin {
                    self.arbitrate::<F>(router, now);
                } else {
                    self.sweep::<F>(router, now);
                }
            }
            routers.clear();
            debug_assert!(self.dirty_routers.is_empty());
            self.dirty_routers = routers;
            self.route_fresh::<F>(now);
        }
    }

    /// Routes the heads that grants have brought forth; their inputs are busy, so they cost another round.
    #[inline(always)]
    fn route_fresh<const F: bool>(&mut self, now: Time) {
        for i in 0..self.fresh.len() {
            let in_vc = self.fresh[i];
            let arrived = self.route(in_vc, self.in_vcs[in_vc].queue.head, now);
            self.await_output::<F>(&arrived, now);
        }
        self.fresh.clear();
    }

    /// Grants a head that has just arrived if it can go at once and nobody else wants its output or waits at its input: then the
    /// order of arbitration cannot matter to it, nor it to anybody. Such a packet never enters a queue.
    #[inline(always)]
    fn grant_unrivalled(&mut self, arrived: &Arrived, now: Time) -> bool {
        let port = &self.out_ports[arrived.out];
        let input = &self.in_ports[arrived.in_port];
        if port.routed_at != 2 * now
            || port.waiting != 0
            || input.waiting != 0
            || port.crossbar_free > now
            || input.busy_until > now
            || self.in_vcs[arrived.in_vc].open > now
            || self.out_vcs[arrived.out_vc].space.at(&mut self.pool, now)
                < i32::from(self.packets[arrived.packet].flits)
        {
            return false;
        }
        self.cross::<true>(arrived, now);
        true
    }

    /// Routes a packet that is the first of its input VC.
    #[inline(always)]
    fn route(&mut self, in_vc: u32, packet: u32, now: Time) -> Arrived {
        let in_port = self.in_vcs[in_vc].port;
        let InPort { router, first_port, group, .. } = self.in_ports[in_port];
        let state = &mut self.packets[packet];
        let routing = &self.config.routings[usize::from(state.routing)];
        if !self.stages.minimal && state.leg <= Leg::Revisable {
            if self.stages.adaptive {
                let mut senses = RouterSenses {
                    out_vcs: &mut self.out_vcs,
                    pool: &mut self.pool,
                    router,
                    ports: self.ports,
                    vcs: self.vcs,
                    config: &self.config,
                    now,
                };
                routing.decide(&self.topology, router, state, &mut senses);
            } else {
                routing.decide(&self.topology, router, state, &mut Blind);
            }
        }
        let hop = if self.stages.minimal {
            routing.follow_minimal(&self.topology, router, group, state)
        } else {
            routing.follow(&self.topology, router, group, state)
        };
        state.out_vc = hop.vc;
        let out = first_port + u32::from(hop.port);
        Arrived { packet, in_vc, in_port, out, out_vc: out * self.vcs as u32 + u32::from(hop.vc) }
    }

    /// Has the head of an input VC, which has been routed, wait for its output.
    #[inline(always)]
    fn await_output<const F: bool>(&mut self, arrived: &Arrived, now: Time) {
        let out = arrived.out as usize;
        self.in_vcs[arrived.in_vc].out_vc = arrived.out_vc;
        self.in_ports[arrived.in_port].waiting += 1;
        self.set_waiting::<F>(out, usize::from(self.in_vcs[arrived.in_vc].bit));
        if self.stages.unclocked::<F>() {
            let OutPort { router, port, .. } = self.out_ports[out];
            self.mark_dirty::<F>(router, port);
        } else {
            self.ensure_crossbar_wake(out, self.stages.edge_after::<F>(now));
        }
    }

    /// Notes that an input VC waits for `out`.
    #[inline(always)]
    fn set_waiting<const F: bool>(&mut self, out: usize, bit: usize) {
        if F || self.words == 1 {
            self.out_ports[out].waiting |= 1 << bit;
        } else {
            self.waiting[out * self.words + bit / 64] |= 1 << (bit % 64);
        }
    }

    /// Notes that an input VC no longer waits for `out`.
    #[inline(always)]
    fn clear_waiting<const F: bool>(&mut self, out: usize, bit: usize) {
        if F || self.words == 1 {
            self.out_ports[out].waiting &= !(1 << bit);
        } else {
            self.waiting[out * self.words + bit / 64] &= !(1 << (bit % 64));
        }
    }

    /// Word `word` of the set of input VCs that wait for `out`.
    #[inline(always)]
    fn waiting_word<const F: bool>(&self, out: usize, word: usize) -> u64 {
        if F || self.words == 1 { self.out_ports[out].waiting } else { self.waiting[out * self.words + word] }
    }

    #[inline(always)]
    fn mark_dirty<const F: bool>(&mut self, router: u32, port: u16) {
        let index = if F { router as usize } else { router as usize * self.dirty_words + usize::from(port / 64) };
        let set = &mut self.dirty[index];
        let first = *set == 0;
        *set |= 1 << (port % 64);
        // With more than one word a router may be listed more than once; its sets are empty the second time.
        if first {
            self.dirty_routers.push(router);
        }
    }

    /// Schedules an arbitration unless one comes earlier.
    #[inline]
    pub(crate) fn ensure_crossbar_wake(&mut self, out: usize, time: Time) {
        let port = &mut self.out_ports[out];
        if port.crossbar_wake > time {
            port.crossbar_wake = time;
            self.wheel.push(time, Kind::CROSSBAR, out as u32);
        }
    }

    /// An output's crossbar may have something to do.
    #[inline]
    pub(crate) fn crossbar_wake<const F: bool>(&mut self, out: u32, now: Time) {
        let port = &mut self.out_ports[out];
        if port.crossbar_wake != now {
            self.overtaken += 1;
            return;
        }
        port.crossbar_wake = NEVER;
        let (router, port) = (port.router, port.port);
        self.mark_dirty::<F>(router, port);
    }

    /// Room in an output buffer comes free at `time`: wakes who waits for it.
    #[inline]
    pub(crate) fn room_at<const F: bool>(&mut self, out: usize, out_vc: usize, time: Time) {
        if self.out_vcs[out_vc].space_wait {
            self.out_vcs[out_vc].space_wait = false;
            self.ensure_crossbar_wake(out, self.stages.edge_after::<F>(time));
        }
    }

    /// Arbitrates for the router's outputs on the list, in the order of their numbers.
    #[inline(always)]
    fn arbitrate<const F: bool>(&mut self, router: u32, now: Time) {
        let first_port = (router * self.ports) as usize;
        let first_in_vc = first_port * self.vcs;
        let dirty_words = if F { 1 } else { self.dirty_words };
        for word in 0..dirty_words {
            let mut set = std::mem::take(&mut self.dirty[router as usize * dirty_words + word]);
            while set != 0 {
                let out = first_port + word * 64 + set.trailing_zeros() as usize;
                set &= set - 1;
                let free = self.out_ports[out].crossbar_free;
                if free > now {
                    self.ensure_crossbar_wake(out, free);
                } else if let Some(in_vc) = self.pick_round_robin::<F>(out, first_in_vc, now) {
                    self.grant::<F>(in_vc, out, now);
                    if self.stages.holds_ports::<F>() {
                        self.arm_granted::<F>(out);
                    } else {
                        // Others may go to other VCs of the same port.
                        while let Some(in_vc) = self.pick_round_robin::<F>(out, first_in_vc, now) {
                            self.grant::<F>(in_vc, out, now);
                        }
                        self.arm_blocked::<F>(out, now);
                    }
                } else {
                    self.arm_blocked::<F>(out, now);
                }
            }
        }
    }

    /// Schedules the next arbitration of an output that has just been granted, if somebody still waits for it.
    #[inline(always)]
    fn arm_granted<const F: bool>(&mut self, out: usize) {
        if (0..if F { 1 } else { self.words }).any(|w| self.waiting_word::<F>(out, w) != 0) {
            self.ensure_crossbar_wake(out, self.out_ports[out].crossbar_free);
        }
    }

    /// The first input VC from the pointer on that can go to `out` now.
    #[inline(always)]
    fn pick_round_robin<const F: bool>(&mut self, out: usize, first: usize, now: Time) -> Option<usize> {
        if F || self.words == 1 {
            // One waiter, as a rule.
            let set = self.out_ports[out].waiting;
            if set & set.wrapping_sub(1) == 0 {
                let in_vc = first + set.trailing_zeros() as usize;
                return (set != 0 && self.can_go::<F>(in_vc, now)).then_some(in_vc);
            }
        }
        self.pick_among::<F>(out, first, now)
    }

    #[inline(never)]
    fn pick_among<const F: bool>(&mut self, out: usize, first: usize, now: Time) -> Option<usize> {
        let bits = self.ports as usize * self.vcs;
        let start = usize::from(self.out_ports[out].next_input);
        self.scan::<F>(out, first, start, bits, now).or_else(|| self.scan::<F>(out, first, 0, start, now))
    }

    /// The first input VC with its bit in `from..to` that can go to `out` now.
    #[inline]
    fn scan<const F: bool>(&mut self, out: usize, first: usize, from: usize, to: usize, now: Time) -> Option<usize> {
        let mut bit = from;
        while bit < to {
            let word = self.waiting_word::<F>(out, bit / 64) >> (bit % 64);
            if word == 0 {
                bit = (bit / 64 + 1) * 64;
                continue;
            }
            bit += word.trailing_zeros() as usize;
            if bit >= to {
                return None;
            }
            if self.can_go::<F>(first + bit, now) {
                return Some(first + bit);
            }
            bit += 1;
        }
        None
    }

    /// Whether the head of an input VC, whose output's crossbar is free, can go now.
    #[inline(always)]
    fn can_go<const F: bool>(&mut self, in_vc: usize, now: Time) -> bool {
        let InVc { queue, port, out_vc, open, .. } = self.in_vcs[in_vc];
        let flits = i32::from(self.packets[queue.head].flits);
        self.in_ports[port].busy_until.max(open) <= now
            && (!self.stages.holds_vcs::<F>() || self.held_until[out_vc] <= now)
            && self.out_vcs[out_vc as usize].space.at(&mut self.pool, now) >= flits
            && (!self.stages.credit_at_crossbar::<F>() || self.has_credit(out_vc, flits, now))
    }

    /// Whether there are credits for `flits` behind the link of an output VC, for a packet that takes them at the crossbar.
    #[inline]
    fn has_credit(&mut self, out_vc: u32, flits: i32, now: Time) -> bool {
        self.out_ports[out_vc as usize / self.vcs].end == LinkEnd::AmpleNode
            || self.out_vcs[out_vc].credits.at(&mut self.pool, now) >= flits
    }

    /// Router-wide arbitration in the order of age or of the last grant.
    fn sweep<const F: bool>(&mut self, router: u32, now: Time) {
        let first_port = (router * self.ports) as usize;
        let sets: Vec<u64> = self.dirty.run(router as usize * self.dirty_words, self.dirty_words).to_vec();
        let ports = self.ports as usize;
        let outs = || (0..ports).filter(|p| sets[p / 64] >> (p % 64) & 1 == 1).map(|p| first_port + p);
        let mut candidates = std::mem::take(&mut self.candidates);
        candidates.clear();
        for out in outs().filter(|&out| self.out_ports[out].crossbar_free <= now) {
            for in_vc in self.waiting_for::<F>(out) {
                let key = match self.config.router.arbiter {
                    Arbiter::Age => self.packets.origin(self.in_vcs[in_vc].queue.head).created,
                    Arbiter::Random => {
                        let draw = self.packets[self.in_vcs[in_vc].queue.head].draw;
                        mix(draw ^ mix(now ^ ARBITER_SALT))
                    }
                    Arbiter::Lru | Arbiter::RoundRobin => self.grant_stamps[in_vc],
                };
                candidates.push((key, in_vc as u32, out as u32));
            }
        }
        candidates.sort_unstable();
        let mut granted = 0;
        for &(_, in_vc, out) in &candidates {
            let (in_vc, out) = (in_vc as usize, out as usize);
            if self.out_ports[out].crossbar_free <= now && self.can_go::<F>(in_vc, now) {
                // Of several grants at one time, SST's list puts the later before the earlier.
                granted += 1;
                self.grant_stamps[in_vc] = (now << 8) + (255 - granted);
                self.grant::<F>(in_vc, out, now);
            }
        }
        self.candidates = candidates;
        for out in outs() {
            let free = self.out_ports[out].crossbar_free;
            if free > now {
                self.arm_granted::<F>(out);
            } else {
                self.arm_blocked::<F>(out, now);
            }
        }
        for word in 0..self.dirty_words {
            self.dirty[router as usize * self.dirty_words + word] = 0;
        }
    }

    /// The input VCs that wait for `out`.
    fn waiting_for<const F: bool>(&self, out: usize) -> impl Iterator<Item = usize> + use<H, P, F> {
        const MOST_WORDS: usize = 64; // 256 ports of 16 VCs
        let first = self.out_ports[out].router as usize * self.ports as usize * self.vcs;
        let mut set = [0u64; MOST_WORDS];
        for (word, bits) in set.iter_mut().enumerate().take(self.words) {
            *bits = self.waiting_word::<F>(out, word);
        }
        let words = self.words;
        (0..words).flat_map(move |w| {
            let mut bits = set[w];
            std::iter::from_fn(move || {
                (bits != 0).then(|| {
                    let bit = bits.trailing_zeros() as usize;
                    bits &= bits - 1;
                    first + w * 64 + bit
                })
            })
        })
    }

    /// Schedules the next arbitration of an output whose crossbar is free and whose waiters cannot go.
    #[inline(never)]
    fn arm_blocked<const F: bool>(&mut self, out: usize, now: Time) {
        let mut wake = NEVER;
        for in_vc in self.waiting_for::<F>(out) {
            let InVc { queue, port, out_vc, open, .. } = self.in_vcs[in_vc];
            let mut busy_until = self.in_ports[port].busy_until.max(open);
            if self.stages.holds_vcs::<F>() {
                busy_until = busy_until.max(self.held_until[out_vc]);
            }
            if busy_until > now {
                wake = wake.min(busy_until);
                continue;
            }
            let flits = u32::from(self.packets[queue.head].flits);
            let vc = &mut self.out_vcs[out_vc as usize];
            if self.stages.credit_at_crossbar::<F>() && vc.space.at(&mut self.pool, now) >= flits as i32 {
                match vc.credits.when(&self.pool, flits) {
                    Some(time) => wake = wake.min(self.stages.edge_after::<F>(time)),
                    None => vc.credit_wait = true,
                }
                continue;
            }
            match vc.space.when(&self.pool, flits) {
                Some(time) => wake = wake.min(self.stages.edge_after::<F>(time)),
                None => vc.space_wait = true,
            }
        }
        if wake != NEVER {
            self.ensure_crossbar_wake(out, wake);
        }
    }

    /// Takes the head of an input VC, which waits for `out`, to its output.
    #[inline(always)]
    fn grant<const F: bool>(&mut self, in_vc: usize, out: usize, now: Time) {
        let InVc { port: in_port, bit, out_vc, .. } = self.in_vcs[in_vc];
        let queue = &mut self.in_vcs[in_vc].queue;
        let packet = queue.pop(&self.packets);
        if queue.head != NONE {
            self.fresh.push(in_vc as u32);
        }
        self.clear_waiting::<F>(out, usize::from(bit));
        self.in_ports[in_port].waiting -= 1;
        self.cross::<F>(&Arrived { packet, in_vc: in_vc as u32, in_port, out: out as u32, out_vc }, now);
    }

    /// Takes a packet through the crossbar.
    #[inline(always)]
    fn cross<const F: bool>(&mut self, arrived: &Arrived, now: Time) {
        let stages = &self.stages;
        let &Arrived { packet: index, in_vc, in_port, out, out_vc } = arrived;
        let packet = &mut self.packets[index];
        let flits = u32::from(packet.flits);
        let free = now + Time::from(flits) * stages.crossbar_flit;
        // When the tail has left the input buffer.
        let left = if stages.cut_through::<F>() { free.max(packet.tail + stages.crossbar_flit) } else { free };
        packet.ready = now + stages.head_delay;
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
        self.in_vcs[in_vc].open = left + stages.input_vc_gap::<F>();
        if stages.holds_vcs::<F>() {
            self.held_until[out_vc] = left + stages.output_vc_gap::<F>();
        }
        if stages.credit_at_crossbar::<F>() && self.out_ports[out].end != LinkEnd::AmpleNode {
            self.out_vcs[out_vc].credits.take(flits);
        }
        let port = &mut self.out_ports[out];
        if stages.holds_ports::<F>() {
            self.in_ports[in_port].busy_until = free;
            port.crossbar_free = free;
        }
        // One past the last input VC is as good as the first.
        port.next_input = self.in_vcs[in_vc].bit + 1;
        self.give_credit::<F>(in_vc as usize, given, flits);
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

//! The crossbar stage: from input buffers to output buffers.
//!
//! The head of an input VC is routed once, when it becomes the head, and then waits for its output
//! (`arbitration.rs`: who goes when). A packet that wins holds its input port and its output port
//! for its flits at the crossbar's rate, or its VCs until its tail has crossed, or both. It needs
//! room for all its flits in the output buffer of its VC.

use crate::FabricConfig;
use crate::config::{CreditCheck, Release};
use crate::host::Host;
use crate::packet::NONE;
use crate::partition::{Kind, Partition};
use crate::pending::PendingPool;
use crate::port::{HERE, InPort, InVc, LinkEnd, OutPort, OutVc};
use crate::probe::Probe;
use crate::voq::VirtualQueue;
use pantala_engine::FlatArray;
use pantala_engine::{NEVER, Time};
use pantala_routing::Phase;
use pantala_routing::{Blind, CongestionView, QueueMeasure};

/// The queues of one router's outputs, as its routing sees them.
struct RouterCongestionView<'a, const F: bool> {
    out_vcs: &'a mut FlatArray<OutVc>,
    virtual_queues: &'a FlatArray<VirtualQueue>,
    pool: &'a mut PendingPool,
    /// The router.
    router: u32,
    ports: u32,
    vcs: usize,
    config: &'a FabricConfig,
    now: Time,
}

impl<const F: bool> CongestionView for RouterCongestionView<'_, F> {
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
        // The default model takes credits at the link and has no other queue in front of it.
        if F && measure == QueueMeasure::OutputAndCredits {
            let flits_of = |index: usize| {
                let out_vc = &mut self.out_vcs[index];
                credits_full - out_vc.credits.at(self.pool, self.now) + out_vc.unsent
            };
            return range.map(flits_of).sum::<i32>().into();
        }
        let mut flits = 0;
        for index in range {
            let out_vc = &mut self.out_vcs[index];
            let waiting = if self.virtual_queues.is_empty() {
                0
            } else {
                i64::from(self.virtual_queues[index].room)
            };
            // Granted to this VC and not credited back; a packet that is ahead of its link has its
            // credits taken already.
            let unsent = if self.config.router.credit_check == CreditCheck::Crossbar {
                0
            } else {
                out_vc.unsent
            };
            let sum = i64::from(credits_full - out_vc.credits.at(self.pool, self.now) + unsent);
            flits += match measure {
                QueueMeasure::OutputAndCredits => sum + waiting,
                QueueMeasure::Output => {
                    i64::from(space_full - out_vc.space.at(self.pool, self.now)) + waiting
                }
                QueueMeasure::Credits => {
                    (sum - i64::from(space_full - out_vc.space.at(self.pool, self.now))).max(0)
                }
            };
        }
        flits
    }
}

/// A packet that is the first of its input VC and has been routed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arrived {
    pub(crate) packet: u32,
    pub(crate) in_vc: u32,
    in_port: u32,
    pub(crate) out: u32,
    pub(crate) out_vc: u32,
}

impl<H: Host, P: Probe> Partition<H, P> {
    /// A packet's head is in an input buffer. If it is the first there, it is routed at once: no
    /// queue that a routing reads changes before the arrivals of this time are over.
    #[inline(always)]
    pub(crate) fn arrive<const F: bool>(&mut self, packet: u32, in_vc: u32, now: Time) {
        if self.stages.learning() {
            self.note_arrival(in_vc, packet, now);
        }
        if self.stages.virtual_output::<F>() {
            let arrived = self.route::<F>(in_vc, packet, now);
            self.arrived.push(arrived);
            return;
        }
        if self.in_vcs[in_vc].queue.head != NONE {
            self.in_vcs[in_vc].queue.push(&mut self.packets, packet);
            return;
        }
        let arrived = self.route::<F>(in_vc, packet, now);
        if F {
            // Needed as soon as all have come.
            self.out_ports.prefetch::<2>(arrived.out as usize);
            self.out_vcs.prefetch::<1>(arrived.out_vc as usize);
            self.arrived.push(arrived);
        } else {
            self.in_vcs[in_vc].queue.push(&mut self.packets, packet);
            self.await_output::<F>(&arrived, now);
        }
    }

    /// Moves what can move, until nothing can; routes what comes to the head of an input buffer
    /// meanwhile.
    ///
    /// Routers do not touch one another here but for credits and packets that take time, so they
    /// may come in any order.
    pub(crate) fn settle<const F: bool>(&mut self, now: Time) {
        if self.stages.virtual_output::<F>() {
            self.settle_virtual(now);
            return;
        }
        for i in 0..self.arrived.len() {
            let port = &mut self.out_ports[self.arrived[i].out];
            port.routed_at = 2 * now + Time::from(port.routed_at >> 1 == now);
        }
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
                if F {
                    self.arbitrate::<F>(router, now);
                } else {
                    self.arbitrate_by_name(router, now);
                }
            }
            routers.clear();
            debug_assert!(self.dirty_routers.is_empty());
            self.dirty_routers = routers;
            self.route_fresh::<F>(now);
        }
    }

    /// Routes the heads that grants have brought forth; their inputs are busy, so they cost another
    /// round.
    #[inline(always)]
    fn route_fresh<const F: bool>(&mut self, now: Time) {
        for i in 0..self.fresh.len() {
            let in_vc = self.fresh[i];
            let arrived = self.route::<F>(in_vc, self.in_vcs[in_vc].queue.head, now);
            self.await_output::<F>(&arrived, now);
        }
        self.fresh.clear();
    }

    /// Grants a head that has just arrived if it can go at once and nobody else wants its output or
    /// waits at its input: then the order of arbitration cannot matter to it, nor it to anybody.
    /// Such a packet never enters a queue.
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
    fn route<const F: bool>(&mut self, in_vc: u32, packet: u32, now: Time) -> Arrived {
        let in_port = self.in_vcs[in_vc].port;
        let InPort { router, group, .. } = self.in_ports[in_port];
        if self.stages.by_flits::<F>() && !self.packets[packet].piece.starts() {
            let (out, out_vc) = self.follow_first(in_vc, packet);
            return Arrived { packet, in_vc, in_port, out, out_vc };
        }
        let state = &mut self.packets[packet].route;
        let routing = &self.config.routings[usize::from(state.routing)];
        let learned = self.stages.learning() && routing.algorithm.learns();
        if !self.stages.minimal
            && !learned
            && (state.phase <= Phase::Revisable || self.stages.per_hop_adaptive)
        {
            if self.stages.adaptive {
                let mut view = RouterCongestionView::<F> {
                    out_vcs: &mut self.out_vcs,
                    virtual_queues: &self.virtual_queues,
                    pool: &mut self.pool,
                    router,
                    ports: self.ports,
                    vcs: self.vcs,
                    config: &self.config,
                    now,
                };
                routing.decide(&self.topology, router, state, &mut view);
            } else {
                routing.decide(&self.topology, router, state, &mut Blind);
            }
        }
        let hop = if learned {
            self.route_learned(packet, router, group, now)
        } else if self.stages.minimal {
            routing.follow_minimal(&self.topology, router, group, state)
        } else {
            routing.follow(&self.topology, router, group, state)
        };
        self.packets[packet].out_vc = hop.vc;
        let out = router * self.ports + u32::from(hop.port);
        let out_vc = out * self.vcs as u32 + u32::from(hop.vc);
        self.probe.routed(in_vc, out_vc);
        if self.stages.by_flits::<F>() {
            self.worms.lead(in_vc, &self.packets[packet], (out, out_vc));
        }
        Arrived { packet, in_vc, in_port, out, out_vc }
    }

    /// Has the head of an input VC, which has been routed, wait for its output.
    #[inline(always)]
    fn await_output<const F: bool>(&mut self, arrived: &Arrived, now: Time) {
        let out = arrived.out as usize;
        let in_vc = &mut self.in_vcs[arrived.in_vc];
        in_vc.out_vc = arrived.out_vc;
        in_vc.flits = self.packets[arrived.packet].flits;
        self.in_ports[arrived.in_port].waiting += 1;
        self.out_ports[out].waiting |= 1 << (arrived.out_vc as usize - out * self.vcs);
        let bit = usize::from(self.in_vcs[arrived.in_vc].bit);
        self.waiting[arrived.out_vc as usize * self.words + bit / 64] |= 1 << (bit % 64);
        if F {
            let free =
                self.out_ports[out].crossbar_free.max(self.in_ports[arrived.in_port].busy_until);
            self.ask_for(out, arrived.out_vc, free.max(self.in_vcs[arrived.in_vc].open), now);
        } else if self.stages.unclocked::<F>() {
            let OutPort { router, port, .. } = self.out_ports[out];
            self.mark_dirty::<F>(router, port);
        } else {
            self.ensure_crossbar_wake(out, self.stages.edge_after::<F>(now));
        }
    }

    /// Has an output arbitrated for a head that has just begun to wait and cannot go before `time`:
    /// now, or then. Nobody else can go earlier for its coming.
    #[inline(always)]
    fn ask_for(&mut self, out: usize, out_vc: u32, time: Time, now: Time) {
        if time <= now {
            let OutPort { router, port, .. } = self.out_ports[out];
            self.mark_dirty::<true>(router, port);
        } else if self.out_ports[out].crossbar_wake > time {
            let vc = &mut self.out_vcs[out_vc];
            // Who waits for room on this VC is woken by the first that comes.
            if !vc.space_wait || vc.space.at(&mut self.pool, now) > 0 {
                self.ensure_crossbar_wake(out, time);
            }
        }
    }

    /// Notes that an input VC no longer waits for an output VC.
    #[inline(always)]
    fn end_wait(&mut self, out: usize, out_vc: usize, bit: usize) {
        let first = out_vc * self.words;
        self.waiting[first + bit / 64] &= !(1 << (bit % 64));
        if (first..first + self.words).all(|word| self.waiting[word] == 0) {
            self.out_ports[out].waiting &= !(1 << (out_vc - out * self.vcs));
        }
    }

    #[inline(always)]
    pub(crate) fn mark_dirty<const F: bool>(&mut self, router: u32, port: u16) {
        let index = if F {
            router as usize
        } else {
            router as usize * self.dirty_words + usize::from(port / 64)
        };
        let set = &mut self.dirty[index];
        let first = *set == 0;
        *set |= 1 << (port % 64);
        // With more than one word a router may be listed more than once; its sets are empty the
        // second time.
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
            let home = port.home;
            self.blocks.schedule(&mut self.wheel, home, time, Kind::CROSSBAR, out as u32);
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

    /// Room in an output buffer comes free at `time`, which is `now` or later: wakes who waits for
    /// it.
    #[inline]
    pub(crate) fn room_at<const F: bool>(
        &mut self,
        out: usize,
        out_vc: usize,
        time: Time,
        now: Time,
    ) {
        if !self.out_vcs[out_vc].space_wait {
            return;
        }
        self.out_vcs[out_vc].space_wait = false;
        if !F {
            self.ensure_crossbar_wake(out, self.stages.edge_after::<F>(time));
            return;
        }
        // Before the crossbar is free, nobody can go.
        let port = &mut self.out_ports[out];
        let time = time.max(port.crossbar_free);
        if time > now {
            self.ensure_crossbar_wake(out, time);
        } else {
            // Who is served now is woken anew for later.
            port.crossbar_wake = NEVER;
            let OutPort { router, port, .. } = *port;
            self.mark_dirty::<F>(router, port);
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
    fn cross<const F: bool>(&mut self, arrived: &Arrived, now: Time) {
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

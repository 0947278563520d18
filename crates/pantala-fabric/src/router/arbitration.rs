//! Arbitration: the order in which the packets that wait for a router's outputs cross.
//!
//! A blocked output never polls. The entry that unblocks it also schedules its wake-up: the time at
//! which a port becomes free, or the room or credits that a packet gives back.

use crate::fabric::Fabric;
use crate::probe::Probe;
use crate::store::packet::NONE;
use crate::store::port::{InVc, OutPort};
use crate::store::requests::Arrived;
use crate::store::requests::bits;
use crate::variant::Variant;
use pantala_engine::random::mix;
use pantala_engine::{NEVER, Time};

/// Salt of the draws of [`Turn`].
const TURN_SALT: u64 = 0x5475_726E_4F75_7470;

/// The order in which a router serves its outputs at one time: round-robin from one output, up or
/// down. Both are drawn for the router and the time. Outputs contend for inputs, so an output that
/// always came first could starve the others.
struct Turn {
    /// The set of ports below `first`.
    before: u64,
    down: bool,
    first: usize,
}

impl Turn {
    #[inline]
    fn new(router: u32, ports: u32, now: Time) -> Self {
        let draw = mix(now ^ mix(TURN_SALT ^ u64::from(router)));
        let first = ((draw & 0xFFFF_FFFF) * u64::from(ports)) >> 32;
        Self { before: (1u64 << (first % 64)) - 1, down: draw >> 63 == 1, first: first as usize }
    }

    /// Returns the first port of a set, which is not empty. All ports are below 64.
    #[inline]
    fn next(&self, set: u64) -> usize {
        let from_first = set & !self.before;
        let below = set & self.before;
        if self.down {
            63 - (if below == 0 { from_first } else { below }).leading_zeros() as usize
        } else {
            (if from_first == 0 { below } else { from_first }).trailing_zeros() as usize
        }
    }

    /// Sorts outputs, which are in the order of their numbers. `first_port` is the router's first
    /// port.
    fn order(&self, outs: &mut [usize], first_port: usize) {
        outs.rotate_left(outs.partition_point(|&out| out < first_port + self.first));
        if self.down {
            outs.reverse();
        }
    }
}

/// Returns the distance of a number from the next number in a round of `all`. One past the last
/// number means the first.
pub(crate) const fn behind(number: u32, next: u16, all: u32) -> u32 {
    (number + all - next as u32 % all) % all
}

impl Fabric {
    /// Moves packets through all crossbars until none can move, and routes each new head of an
    /// input buffer.
    ///
    /// Routers affect each other only by credits and packets that take time, so the order of
    /// routers does not matter.
    pub(crate) fn settle<F: Variant>(&mut self, now: Time, probe: &mut impl Probe) {
        if self.setup.stages.virtual_output::<F>() {
            self.settle_virtual(now, probe);
            return;
        }
        for i in 0..self.requests.arrived.len() {
            let port = &mut self.ports.out_ports[self.requests.arrived[i].out];
            port.routed_at = 2 * now + Time::from(port.routed_at >> 1 == now);
        }
        for i in 0..self.requests.arrived.len() {
            let arrived = self.requests.arrived[i];
            let granted = if F::DEFAULT {
                self.grant_unrivalled::<F>(&arrived, now)
            } else {
                self.accept_unrivalled::<F>(&arrived, now)
            };
            if !granted {
                self.queue_first::<F>(&arrived, now);
            }
        }
        self.requests.arrived.clear();
        self.route_fresh::<F>(now, probe);
        while !self.requests.dirty_routers.is_empty() {
            let mut routers = std::mem::take(&mut self.requests.dirty_routers);
            for &router in &routers {
                if F::DEFAULT {
                    self.arbitrate::<F>(router, now);
                } else {
                    self.arbitrate_by_name::<F>(router, now);
                }
            }
            routers.clear();
            debug_assert!(self.requests.dirty_routers.is_empty());
            self.requests.dirty_routers = routers;
            self.route_fresh::<F>(now, probe);
        }
    }

    /// Routes the new heads behind granted packets. Their inputs are busy, so they need another
    /// round.
    #[inline(always)]
    fn route_fresh<F: Variant>(&mut self, now: Time, probe: &mut impl Probe) {
        for i in 0..self.requests.fresh.len() {
            let in_vc = self.requests.fresh[i];
            let arrived = self.route::<F>(in_vc, self.ports.in_vcs[in_vc].queue.head, now, probe);
            self.await_output::<F>(&arrived, now);
        }
        self.requests.fresh.clear();
    }

    /// Grants a head that has just arrived if it can cross at once, no other head wants its output,
    /// and none waits at its input. Then no order of arbitration matters. Such a packet never
    /// enters a queue.
    #[inline(always)]
    fn grant_unrivalled<F: Variant>(&mut self, arrived: &Arrived, now: Time) -> bool {
        let free = self.is_unrivalled::<F>(arrived, now);
        if free {
            self.cross::<F, false>(arrived, now);
        }
        free
    }

    /// Returns whether a head that has just arrived finds its ports free and room in the output
    /// buffer, no other head wants its output, and none waits at its input.
    #[inline(always)]
    pub(crate) fn is_unrivalled<F: Variant>(&mut self, arrived: &Arrived, now: Time) -> bool {
        let port = &self.ports.out_ports[arrived.out];
        let input = &self.ports.in_ports[arrived.in_port];
        port.routed_at == 2 * now
            && port.waiting == 0
            && input.waiting == 0
            && port.crossbar_free <= now
            && input.busy_until <= now
            && self.ports.in_vcs[arrived.in_vc].open <= now
            && self.ports.out_vcs[arrived.out_vc].space.at(&mut self.ports.pool, now)
                >= self.room_needed::<F>(arrived)
    }

    /// Returns the room that a packet which has just arrived takes in a buffer.
    #[inline(always)]
    pub(crate) fn room_needed<F: Variant>(&self, arrived: &Arrived) -> i32 {
        self.setup.stages.room::<F>(self.packets[arrived.packet].flits.into()) as i32
    }

    /// Schedules an arbitration, unless one is due earlier.
    #[inline]
    pub(crate) fn ensure_crossbar_wake(&mut self, out: usize, time: Time) {
        self.agenda.wake_crossbar(out, &mut self.ports.out_ports[out], time);
    }

    /// Handles a wake: an output may be able to take a packet.
    #[inline]
    pub(crate) fn crossbar_wake<F: Variant>(&mut self, out: u32, now: Time) {
        let port = &mut self.ports.out_ports[out];
        if port.crossbar_wake != now {
            self.agenda.overtaken += 1;
            return;
        }
        port.crossbar_wake = NEVER;
        let OutPort { router, port, waiting, .. } = *port;
        if !F::DEFAULT {
            // Needed after the last wake of this time.
            for vc in bits(waiting.into()) {
                let out_vc = &self.ports.out_vcs[out as usize * self.setup.vcs + vc];
                out_vc.credits.prefetch(&self.ports.pool, now);
            }
        }
        self.requests.mark_dirty::<F>(router, port);
    }

    /// Wakes the packets that wait for room in an output buffer, which becomes free at `time`
    /// (`now` or later).
    #[inline]
    pub(crate) fn room_at<F: Variant>(&mut self, out: usize, out_vc: usize, time: Time, now: Time) {
        if !self.ports.out_vcs[out_vc].space_wait {
            return;
        }
        self.ports.out_vcs[out_vc].space_wait = false;
        if !F::DEFAULT {
            self.ensure_crossbar_wake(out, self.setup.stages.edge_after::<F>(time));
            return;
        }
        // No packet can cross before the crossbar is free.
        let port = &mut self.ports.out_ports[out];
        let time = time.max(port.crossbar_free);
        if time > now {
            self.ensure_crossbar_wake(out, time);
        } else {
            // An output that is served now schedules its next wake itself.
            port.crossbar_wake = NEVER;
            let OutPort { router, port, .. } = *port;
            self.requests.mark_dirty::<F>(router, port);
        }
    }

    /// Arbitrates for the listed outputs of a router, in the order of [`Turn`].
    #[inline(always)]
    pub(crate) fn arbitrate<F: Variant>(&mut self, router: u32, now: Time) {
        let first_port = (router * self.setup.ports) as usize;
        if !F::DEFAULT {
            let outs = self.take_dirty(router, now);
            for &out in &outs {
                self.serve::<F>(out, first_port * self.setup.vcs, now);
            }
            self.requests.dirty_outs = outs;
            return;
        }
        let mut set = std::mem::take(&mut self.requests.dirty[router as usize]);
        // One output, as a rule.
        let several = set & set.wrapping_sub(1) != 0;
        let turn = several.then(|| Turn::new(router, self.setup.ports, now));
        while set != 0 {
            let port = match &turn {
                Some(turn) => turn.next(set),
                None => set.trailing_zeros() as usize,
            };
            set &= !(1 << port);
            self.serve::<F>(first_port + port, first_port * self.setup.vcs, now);
        }
    }

    /// Grants `out` to a packet that waits for it, if `out` is free and a packet can cross;
    /// otherwise schedules its next arbitration.
    #[inline(always)]
    fn serve<F: Variant>(&mut self, out: usize, first_in_vc: usize, now: Time) {
        let free = self.ports.out_ports[out].crossbar_free;
        if free > now {
            self.ensure_crossbar_wake(out, free);
        } else if let Some(in_vc) = self.pick_round_robin::<F>(out, first_in_vc, now) {
            self.grant::<F>(in_vc, out, now);
            self.arm_granted::<F>(out, now);
        } else {
            self.arm_blocked::<F>(out, now);
        }
    }

    /// Schedules the next arbitration of an output that has just been granted, if packets still
    /// wait for it: when the crossbar is free, or when there is room, if no VC that packets wait
    /// for has room.
    #[inline(always)]
    pub(crate) fn arm_granted<F: Variant>(&mut self, out: usize, now: Time) {
        if self.ports.out_ports[out].waiting == 0 {
            return;
        }
        if F::DEFAULT && self.ports.roomy_vcs(out, self.setup.vcs, now) == 0 {
            self.arm_blocked::<F>(out, now);
        } else {
            self.ensure_crossbar_wake(out, self.ports.out_ports[out].crossbar_free);
        }
    }

    /// Returns the first input VC from the pointer on whose head can cross to `out` now.
    #[inline(always)]
    fn pick_round_robin<F: Variant>(
        &mut self,
        out: usize,
        first: usize,
        now: Time,
    ) -> Option<usize> {
        let vcs = self.ports.roomy_vcs(out, self.setup.vcs, now);
        if vcs == 0 {
            return None;
        }
        // The pointer may be one past the last input VC, which means the first.
        let turn = usize::from(self.ports.out_ports[out].next_input);
        let turn = if turn < self.setup.ports as usize * self.setup.vcs { turn } else { 0 };
        let behind = u64::MAX << (turn % 64);
        let mut word = turn / 64;
        for step in 0..=self.setup.words {
            let mut set = self.requests.waiting_word(&self.setup, out, vcs, word);
            // The word of the pointer comes twice: first the bits from the pointer on, last the
            // bits before it.
            if step == 0 {
                set &= behind;
            } else if step == self.setup.words {
                set &= !behind;
            }
            for bit in bits(set) {
                let in_vc = first + word * 64 + bit;
                if self.can_go::<F>(in_vc, now) {
                    return Some(in_vc);
                }
            }
            word = if word + 1 == self.setup.words { 0 } else { word + 1 };
        }
        None
    }

    /// Returns whether the head of an input VC can cross now. The crossbar of its output must be
    /// free.
    #[inline(always)]
    pub(crate) fn can_go<F: Variant>(&mut self, in_vc: usize, now: Time) -> bool {
        let InVc { port, out_vc, open, flits, .. } = self.ports.in_vcs[in_vc];
        let room = self.setup.stages.room::<F>(flits.into()) as i32;
        self.ports.in_ports[port].busy_until.max(open) <= now
            && (!self.setup.stages.holds_vcs::<F>() || self.arbiters.holds[out_vc].until <= now)
            && self.ports.out_vcs[out_vc as usize].space.at(&mut self.ports.pool, now) >= room
            && (!self.setup.stages.credit_at_crossbar::<F>()
                || self.ports.has_credit(out_vc as usize / self.setup.vcs, out_vc, room, now))
    }

    /// Takes the listed outputs of a router. The caller puts the vector back, for its memory.
    pub(crate) fn take_dirty(&mut self, router: u32, now: Time) -> Vec<usize> {
        let mut outs = std::mem::take(&mut self.requests.dirty_outs);
        outs.clear();
        let first_port = (router * self.setup.ports) as usize;
        for word in 0..self.requests.dirty_words {
            let set = std::mem::take(
                &mut self.requests.dirty[router as usize * self.requests.dirty_words + word],
            );
            outs.extend(bits(set).map(|bit| first_port + word * 64 + bit));
        }
        if outs.len() > 1 {
            Turn::new(router, self.setup.ports, now).order(&mut outs, first_port);
        }
        outs
    }

    /// Returns the input VCs that wait for `out`.
    pub(crate) fn waiting_for(&self, out: usize) -> impl Iterator<Item = usize> {
        let first = self.first_in_vc(out);
        let vcs = self.ports.out_ports[out].waiting;
        (0..self.setup.words).flat_map(move |word| {
            bits(self.requests.waiting_word(&self.setup, out, vcs, word))
                .map(move |bit| first + word * 64 + bit)
        })
    }

    /// Returns the first input VC of an output's router.
    #[inline(always)]
    pub(crate) fn first_in_vc(&self, out: usize) -> usize {
        self.ports.out_ports[out].router as usize * self.setup.ports as usize * self.setup.vcs
    }

    /// Schedules the next arbitration of an output whose crossbar is free, and for which no packet
    /// can cross.
    #[inline(never)]
    pub(crate) fn arm_blocked<F: Variant>(&mut self, out: usize, now: Time) {
        let mut wake = NEVER;
        let first = self.first_in_vc(out);
        let roomy = self.ports.roomy_vcs(out, self.setup.vcs, now);
        for vc in bits(u64::from(self.ports.out_ports[out].waiting & !roomy)) {
            if self.setup.stages.holds_vcs::<F>() {
                let hold = &self.arbiters.holds[out * self.setup.vcs + vc];
                // The VC is allocated as soon as it is free, with or without room.
                if hold.owner == NONE && hold.until > now {
                    wake = wake.min(hold.until);
                }
            }
            let behind = &mut self.ports.out_vcs[out * self.setup.vcs + vc];
            match behind.space.when(&self.ports.pool, 1) {
                Some(time) => wake = wake.min(self.setup.stages.edge_after::<F>(time)),
                None => behind.space_wait = true,
            }
        }
        for word in 0..if roomy == 0 { 0 } else { self.setup.words } {
            for bit in bits(self.requests.waiting_word(&self.setup, out, roomy, word)) {
                let in_vc = first + word * 64 + bit;
                let InVc { port, out_vc, open, flits, .. } = self.ports.in_vcs[in_vc];
                let mut busy_until = self.ports.in_ports[port].busy_until.max(open);
                if self.setup.stages.holds_vcs::<F>() {
                    let hold = &self.arbiters.holds[out_vc];
                    if hold.owner != NONE && hold.owner as usize != in_vc {
                        // The owner goes first.
                        continue;
                    }
                    busy_until = busy_until.max(hold.until);
                }
                let room = self.setup.stages.room::<F>(flits.into());
                let vc = &mut self.ports.out_vcs[out_vc as usize];
                // The default model waits for the input and for room at the same time.
                if busy_until > now
                    && (!F::DEFAULT || vc.space.at(&mut self.ports.pool, now) >= room as i32)
                {
                    wake = wake.min(busy_until);
                    continue;
                }
                if self.setup.stages.credit_at_crossbar::<F>()
                    && vc.space.at(&mut self.ports.pool, now) >= room as i32
                {
                    match vc.credits.when(&self.ports.pool, room) {
                        Some(time) => wake = wake.min(self.setup.stages.edge_after::<F>(time)),
                        None => vc.await_credits(room),
                    }
                    self.tell_block::<F>((out, out_vc as usize), now);
                    continue;
                }
                match vc.space.when(&self.ports.pool, room) {
                    Some(time) => {
                        wake = wake.min(self.setup.stages.edge_after::<F>(time).max(busy_until))
                    }
                    None => vc.space_wait = true,
                }
            }
        }
        if wake != NEVER {
            let wake =
                if F::DEFAULT { wake.max(self.ports.out_ports[out].crossbar_free) } else { wake };
            self.ensure_crossbar_wake(out, wake);
        }
    }
}

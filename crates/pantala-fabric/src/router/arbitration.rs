//! Arbitration: which of the packets that wait for a router's outputs go through the crossbar, and
//! when.
//!
//! Whoever waits is woken by what it waits for: the output or an input port that falls free at a
//! known time, or room or credits that are promised when a packet moves on. Nobody polls.

use crate::host::Host;
use crate::partition::{Kind, Partition};
use crate::probe::Probe;
use crate::router::arrival::Arrived;
use crate::store::packet::NONE;
use crate::store::port::{InVc, LinkEnd, OutPort};
use pantala_engine::random::mix;
use pantala_engine::{NEVER, Time};

/// Tells the draws of [`Turn`] from others.
const TURN_SALT: u64 = 0x5475_726E_4F75_7470;

/// The order in which a router serves its outputs at one time: round from one of them, up or down,
/// both drawn for the router and the time. Outputs contend for inputs, and one that always came
/// first could have an input for itself for ever.
struct Turn {
    /// Ports below this.
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

    /// The first of a set of ports, all below 64, that is not empty.
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

    /// Puts outputs in order, given in the order of their numbers; `first_port` is the router's
    /// first.
    fn order(&self, outs: &mut [usize], first_port: usize) {
        outs.rotate_left(outs.partition_point(|&out| out < first_port + self.first));
        if self.down {
            outs.reverse();
        }
    }
}

/// How far a number is behind the one that is next in a round of `all`. One past the last is as
/// good as the first.
pub(crate) const fn behind(number: u32, next: u16, all: u32) -> u32 {
    (number + all - next as u32 % all) % all
}

/// The numbers of the bits of a word.
fn bits(mut set: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        (set != 0).then(|| {
            let bit = set.trailing_zeros() as usize;
            set &= set - 1;
            bit
        })
    })
}

impl<H: Host, P: Probe> Partition<H, P> {
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

    /// Arbitrates for the router's outputs on the list, in the order of [`Turn`].
    #[inline(always)]
    pub(crate) fn arbitrate<const F: bool>(&mut self, router: u32, now: Time) {
        let first_port = (router * self.ports) as usize;
        if !F {
            let outs = self.take_dirty(router, now);
            for &out in &outs {
                self.serve::<F>(out, first_port * self.vcs, now);
            }
            self.dirty_outs = outs;
            return;
        }
        let mut set = std::mem::take(&mut self.dirty[router as usize]);
        if set & set.wrapping_sub(1) == 0 {
            // One output, as a rule.
            if set != 0 {
                self.serve::<F>(
                    first_port + set.trailing_zeros() as usize,
                    first_port * self.vcs,
                    now,
                );
            }
            return;
        }
        let turn = Turn::new(router, self.ports, now);
        while set != 0 {
            let port = turn.next(set);
            set &= !(1 << port);
            self.serve::<F>(first_port + port, first_port * self.vcs, now);
        }
    }

    /// Grants `out` to one of those who wait for it, if it is free and any can go; else sees to it
    /// that it is asked again.
    #[inline(always)]
    fn serve<const F: bool>(&mut self, out: usize, first_in_vc: usize, now: Time) {
        let free = self.out_ports[out].crossbar_free;
        if free > now {
            self.ensure_crossbar_wake(out, free);
        } else if let Some(in_vc) = self.pick_round_robin::<F>(out, first_in_vc, now) {
            self.grant::<F>(in_vc, out, now);
            self.arm_granted::<F>(out, now);
        } else {
            self.arm_blocked::<F>(out, now);
        }
    }

    /// Schedules the next arbitration of an output that has just been granted, if somebody still
    /// waits for it: when the crossbar is free, or when there is room, if nobody waits for a VC
    /// that has any.
    #[inline(always)]
    pub(crate) fn arm_granted<const F: bool>(&mut self, out: usize, now: Time) {
        if self.out_ports[out].waiting == 0 {
            return;
        }
        if F && self.roomy_vcs(out, now) == 0 {
            self.arm_blocked::<F>(out, now);
        } else {
            self.ensure_crossbar_wake(out, self.out_ports[out].crossbar_free);
        }
    }

    /// The first input VC from the pointer on that can go to `out` now.
    #[inline(always)]
    fn pick_round_robin<const F: bool>(
        &mut self,
        out: usize,
        first: usize,
        now: Time,
    ) -> Option<usize> {
        let vcs = self.roomy_vcs(out, now);
        if vcs == 0 {
            return None;
        }
        // One past the last input VC is as good as the first.
        let turn = usize::from(self.out_ports[out].next_input);
        let turn = if turn < self.ports as usize * self.vcs { turn } else { 0 };
        let behind = u64::MAX << (turn % 64);
        let mut word = turn / 64;
        for step in 0..=self.words {
            let mut set = self.waiting_word(out, vcs, word);
            // The word that the pointer is in comes twice: first what is behind the pointer, at
            // last what is before it.
            if step == 0 {
                set &= behind;
            } else if step == self.words {
                set &= !behind;
            }
            for bit in bits(set) {
                let in_vc = first + word * 64 + bit;
                if self.can_go::<F>(in_vc, now) {
                    return Some(in_vc);
                }
            }
            word = if word + 1 == self.words { 0 } else { word + 1 };
        }
        None
    }

    /// The VCs (bits) of an output that somebody waits for and that have room for a flit: nobody
    /// who waits for another can go, however many there are.
    #[inline(always)]
    fn roomy_vcs(&mut self, out: usize, now: Time) -> u16 {
        let mut roomy = 0;
        for vc in bits(self.out_ports[out].waiting.into()) {
            let room = self.out_vcs[out * self.vcs + vc].space.at(&mut self.pool, now) > 0;
            roomy |= u16::from(room) << vc;
        }
        roomy
    }

    /// Word `word` of the set of input VCs that wait for any of these VCs of `out`.
    #[inline(always)]
    fn waiting_word(&self, out: usize, vcs: u16, word: usize) -> u64 {
        bits(vcs.into())
            .fold(0, |set, vc| set | self.waiting[(out * self.vcs + vc) * self.words + word])
    }

    /// Whether the head of an input VC, whose output's crossbar is free, can go now.
    #[inline(always)]
    pub(crate) fn can_go<const F: bool>(&mut self, in_vc: usize, now: Time) -> bool {
        let InVc { port, out_vc, open, flits, .. } = self.in_vcs[in_vc];
        let room = self.stages.room::<F>(flits.into()) as i32;
        self.in_ports[port].busy_until.max(open) <= now
            && (!self.stages.holds_vcs::<F>() || self.holds[out_vc].until <= now)
            && self.out_vcs[out_vc as usize].space.at(&mut self.pool, now) >= room
            && (!self.stages.credit_at_crossbar::<F>() || self.has_credit(out_vc, room, now))
    }

    /// Whether there is `room` behind the link of an output VC, for a packet that takes it before
    /// the link.
    #[inline]
    pub(crate) fn has_credit(&mut self, out_vc: u32, room: i32, now: Time) -> bool {
        self.out_ports[out_vc as usize / self.vcs].end == LinkEnd::AmpleNode
            || self.out_vcs[out_vc].credits.at(&mut self.pool, now) >= room
    }

    /// The router's outputs on the list, which is empty then; the caller puts the vector back for
    /// its memory.
    pub(crate) fn take_dirty(&mut self, router: u32, now: Time) -> Vec<usize> {
        let mut outs = std::mem::take(&mut self.dirty_outs);
        outs.clear();
        let first_port = (router * self.ports) as usize;
        for word in 0..self.dirty_words {
            let set = std::mem::take(&mut self.dirty[router as usize * self.dirty_words + word]);
            outs.extend(bits(set).map(|bit| first_port + word * 64 + bit));
        }
        if outs.len() > 1 {
            Turn::new(router, self.ports, now).order(&mut outs, first_port);
        }
        outs
    }

    /// The input VCs that wait for `out`.
    pub(crate) fn waiting_for(&self, out: usize) -> impl Iterator<Item = usize> {
        let first = self.first_in_vc(out);
        let vcs = self.out_ports[out].waiting;
        (0..self.words).flat_map(move |word| {
            bits(self.waiting_word(out, vcs, word)).map(move |bit| first + word * 64 + bit)
        })
    }

    /// The first input VC of an output's router.
    #[inline(always)]
    fn first_in_vc(&self, out: usize) -> usize {
        self.out_ports[out].router as usize * self.ports as usize * self.vcs
    }

    /// Schedules the next arbitration of an output whose crossbar is free and whose waiters cannot
    /// go.
    #[inline(never)]
    pub(crate) fn arm_blocked<const F: bool>(&mut self, out: usize, now: Time) {
        let mut wake = NEVER;
        let first = self.first_in_vc(out);
        let roomy = self.roomy_vcs(out, now);
        for vc in bits(u64::from(self.out_ports[out].waiting & !roomy)) {
            if self.stages.holds_vcs::<F>() {
                let hold = &self.holds[out * self.vcs + vc];
                // It is allocated anew as soon as it can be, room or not.
                if hold.owner == NONE && hold.until > now {
                    wake = wake.min(hold.until);
                }
            }
            let behind = &mut self.out_vcs[out * self.vcs + vc];
            match behind.space.when(&self.pool, 1) {
                Some(time) => wake = wake.min(self.stages.edge_after::<F>(time)),
                None => behind.space_wait = true,
            }
        }
        for word in 0..if roomy == 0 { 0 } else { self.words } {
            for bit in bits(self.waiting_word(out, roomy, word)) {
                let in_vc = first + word * 64 + bit;
                let InVc { port, out_vc, open, flits, .. } = self.in_vcs[in_vc];
                let mut busy_until = self.in_ports[port].busy_until.max(open);
                if self.stages.holds_vcs::<F>() {
                    let hold = &self.holds[out_vc];
                    if hold.owner != NONE && hold.owner as usize != in_vc {
                        // The owner's turn comes first.
                        continue;
                    }
                    busy_until = busy_until.max(hold.until);
                }
                let room = self.stages.room::<F>(flits.into());
                let vc = &mut self.out_vcs[out_vc as usize];
                // The default model waits for the input and for room at once.
                if busy_until > now && (!F || vc.space.at(&mut self.pool, now) >= room as i32) {
                    wake = wake.min(busy_until);
                    continue;
                }
                if self.stages.credit_at_crossbar::<F>()
                    && vc.space.at(&mut self.pool, now) >= room as i32
                {
                    match vc.credits.when(&self.pool, room) {
                        Some(time) => wake = wake.min(self.stages.edge_after::<F>(time)),
                        None => vc.await_credits(room),
                    }
                    continue;
                }
                match vc.space.when(&self.pool, room) {
                    Some(time) => {
                        wake = wake.min(self.stages.edge_after::<F>(time).max(busy_until))
                    }
                    None => vc.space_wait = true,
                }
            }
        }
        if wake != NEVER {
            let wake = if F { wake.max(self.out_ports[out].crossbar_free) } else { wake };
            self.ensure_crossbar_wake(out, wake);
        }
    }
}

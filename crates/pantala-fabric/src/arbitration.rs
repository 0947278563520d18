//! Arbitration: which of the packets that wait for a router's outputs go through the crossbar, and
//! when.
//!
//! Whoever waits is woken by what it waits for: the output or an input port that falls free at a
//! known time, or room or credits that are promised when a packet moves on. Nobody polls.

use crate::config::{Arbiter, CrossbarContention};
use crate::host::Host;
use crate::packet::NONE;
use crate::partition::Partition;
use crate::port::{InVc, LinkEnd};
use crate::probe::Probe;
use pantala_engine::random::mix;
use pantala_engine::{NEVER, Time};

/// Tells the draws of [`Arbiter::Random`] from others that are functions of a packet's random word.
const ARBITER_SALT: u64 = 0x4172_6269_7465_7221;

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
    fn arm_granted<const F: bool>(&mut self, out: usize, now: Time) {
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

    /// Arbitrates for the router's outputs on the list, as the configuration has it.
    pub(crate) fn arbitrate_by_name(&mut self, router: u32, now: Time) {
        let router_config = &self.config.router;
        match (router_config.crossbar_contention, router_config.arbiter) {
            (CrossbarContention::Port, Arbiter::RoundRobin) => self.arbitrate::<false>(router, now),
            (_, Arbiter::Islip) => self.arbitrate_islip(router, now),
            (CrossbarContention::PortAndVc, _) => self.arbitrate_allocated(router, now),
            _ => self.sweep(router, now),
        }
    }

    /// Router-wide arbitration in the order of age, of the last grant, or drawn: who can go goes.
    fn sweep(&mut self, router: u32, now: Time) {
        let outs = self.take_dirty(router, now);
        let mut candidates = std::mem::take(&mut self.candidates);
        candidates.clear();
        for &out in outs.iter().filter(|&&out| self.out_ports[out].crossbar_free <= now) {
            for in_vc in self.waiting_for(out) {
                candidates.push((self.rank(in_vc, now), in_vc as u32, out as u32));
            }
        }
        candidates.sort_unstable();
        let mut granted = 0;
        for &(_, in_vc, out) in &candidates {
            let (in_vc, out) = (in_vc as usize, out as usize);
            if self.out_ports[out].crossbar_free <= now && self.can_go::<false>(in_vc, now) {
                self.note_turn(in_vc, now, granted);
                granted += 1;
                self.grant::<false>(in_vc, out, now);
            }
        }
        self.candidates = candidates;
        self.arm_all(outs, now);
    }

    /// Schedules the next arbitration of all outputs that have had their turn, and puts the vector
    /// back for its memory.
    pub(crate) fn arm_all(&mut self, outs: Vec<usize>, now: Time) {
        for &out in &outs {
            if self.out_ports[out].crossbar_free > now {
                self.arm_granted::<false>(out, now);
            } else {
                self.arm_blocked::<false>(out, now);
            }
        }
        self.dirty_outs = outs;
    }

    /// Arbitration in two steps: first an output VC that is free goes to one of the packets that
    /// wait for it, which keeps it until its tail has crossed; then the packets that have theirs
    /// contend for the ports, output by output.
    fn arbitrate_allocated(&mut self, router: u32, now: Time) {
        let outs = self.take_dirty(router, now);
        for &out in &outs {
            if !self.allocate_if_free(out, now) {
                continue;
            }
            let next_input = self.out_ports[out].next_input;
            let mut next = None;
            for out_vc in out * self.vcs..(out + 1) * self.vcs {
                let owner = self.holds[out_vc].owner;
                if owner != NONE
                    && self.waits_for(owner, out_vc)
                    && self.can_go::<false>(owner as usize, now)
                {
                    let key = self.behind(owner as usize, next_input);
                    next = next.into_iter().chain([(key, owner)]).min();
                }
            }
            if let Some((_, in_vc)) = next {
                self.grant::<false>(in_vc as usize, out, now);
                self.arm_granted::<false>(out, now);
            } else {
                self.arm_blocked::<false>(out, now);
            }
        }
        self.dirty_outs = outs;
    }

    /// Whether the head of an input VC waits for an output VC: the one that it is allocated to has
    /// none between two flits.
    pub(crate) fn waits_for(&self, in_vc: u32, out_vc: usize) -> bool {
        let bit = usize::from(self.in_vcs[in_vc].bit);
        self.waiting[out_vc * self.words + bit / 64] >> (bit % 64) & 1 == 1
    }

    /// Allocates the VCs of an output whose crossbar is free; sees to it that one that is not is
    /// asked again. Whether it is free.
    pub(crate) fn allocate_if_free(&mut self, out: usize, now: Time) -> bool {
        let free = self.out_ports[out].crossbar_free;
        if free > now {
            self.ensure_crossbar_wake(out, free);
            return false;
        }
        self.allocate_vcs(out, now);
        true
    }

    /// Gives each free VC of an output to one of the packets that wait for it.
    fn allocate_vcs(&mut self, out: usize, now: Time) {
        let mut best = [(u64::MAX, NONE); 16];
        for in_vc in self.waiting_for(out) {
            let InVc { out_vc, open, .. } = self.in_vcs[in_vc];
            let hold = &self.holds[out_vc];
            if hold.owner == NONE && hold.until <= now && open <= now {
                let rank = match self.config.router.arbiter {
                    Arbiter::RoundRobin | Arbiter::Islip => self.behind(in_vc, hold.next_input),
                    _ => self.rank(in_vc, now),
                };
                let best = &mut best[out_vc as usize % self.vcs];
                *best = (*best).min((rank, in_vc as u32));
            }
        }
        for (vc, &(_, owner)) in best.iter().enumerate().filter(|(_, (_, owner))| *owner != NONE) {
            self.note_turn(owner as usize, now, vc as u64);
            let hold = &mut self.holds[out * self.vcs + vc];
            hold.owner = owner;
            hold.next_input = self.in_vcs[owner].bit + 1;
        }
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

    /// How far an input VC is behind the one that is next in a round.
    fn behind(&self, in_vc: usize, next_input: u16) -> u64 {
        behind(self.in_vcs[in_vc].bit.into(), next_input, self.ports * self.vcs as u32).into()
    }

    /// Where the head of an input VC stands under an arbiter that is not a round: the least goes
    /// first.
    fn rank(&self, in_vc: usize, now: Time) -> u64 {
        let head = self.in_vcs[in_vc].queue.head;
        match self.config.router.arbiter {
            Arbiter::Age => self.packets.origin(head).created,
            Arbiter::Random => mix(self.packets[head].route.draw ^ mix(now ^ ARBITER_SALT)),
            Arbiter::Lru | Arbiter::RoundRobin | Arbiter::Islip => self.grant_stamps[in_vc],
        }
    }

    /// It was an input VC's turn, after `before` others at this time.
    fn note_turn(&mut self, in_vc: usize, now: Time, before: u64) {
        // Of several grants at one time, SST's list puts the later before the earlier.
        self.grant_stamps[in_vc] = (now << 8) + 254u64.saturating_sub(before);
    }

    /// The input VCs that wait for `out`.
    fn waiting_for(&self, out: usize) -> impl Iterator<Item = usize> {
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
    fn arm_blocked<const F: bool>(&mut self, out: usize, now: Time) {
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

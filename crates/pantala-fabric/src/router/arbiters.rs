//! The arbiters other than the default round-robin: by age, by the last grant, random, and in two
//! steps (output VCs, then ports).

use crate::config::{Arbiter, CrossbarContention};
use crate::fabric::Fabric;
use crate::router::arbitration::behind;
use crate::store::packet::NONE;
use crate::store::port::{InVc, OutPort};
use crate::store::requests::bits;
use crate::variant::{Model, Variant};
use pantala_engine::Time;
use pantala_engine::random::mix;

/// Salt of the draws of [`Arbiter::Random`], which are functions of a packet's random word.
const ARBITER_SALT: u64 = 0x4172_6269_7465_7221;

impl Fabric {
    /// Arbitrates for the listed outputs of a router with the configured arbiter.
    pub(crate) fn arbitrate_by_name<F: Variant>(&mut self, router: u32, now: Time) {
        let Model { contention, arbiter, .. } = self.setup.stages.model::<F>();
        match (contention, arbiter) {
            (CrossbarContention::Port, Arbiter::RoundRobin) => self.arbitrate::<F>(router, now),
            (_, Arbiter::Islip) => self.arbitrate_islip::<F>(router, now),
            (CrossbarContention::PortAndVc, _) => self.arbitrate_allocated::<F>(router, now),
            _ => self.sweep::<F>(router, now),
        }
    }

    /// Arbitrates over the whole router, in the order of age, of the last grant, or at random. Each
    /// packet that can cross does.
    fn sweep<F: Variant>(&mut self, router: u32, now: Time) {
        if self.sweep_one::<F>(router, now) {
            return;
        }
        let first_port = (router * self.setup.ports) as usize;
        let mut candidates = std::mem::take(&mut self.arbiters.candidates);
        let mut outs = std::mem::take(&mut self.requests.dirty_outs);
        outs.clear();
        let words = if self.setup.stages.one_word::<F>() { 1 } else { self.requests.dirty_words };
        for word in 0..words {
            let place = router as usize * words + word;
            let set = std::mem::take(&mut self.requests.dirty[place]);
            for out in bits(set).map(|bit| first_port + word * 64 + bit) {
                if self.ports.out_ports[out].waiting == 0 {
                    continue; // an earlier arbitration has served it
                }
                outs.push(out);
                if self.ports.out_ports[out].crossbar_free <= now {
                    let mut list = |in_vc| candidates.push((in_vc as u32, out as u32));
                    self.each_candidate::<F>(out, now, &mut list);
                }
            }
        }
        // A grant takes ports and room, so a packet that cannot cross now cannot cross after it.
        if let [(in_vc, out)] = candidates[..] {
            self.note_turn(in_vc as usize, now, 0);
            self.grant::<F>(in_vc as usize, out as usize, now);
        } else if !candidates.is_empty() {
            self.grant_in_order::<F>(&candidates, now);
        }
        candidates.clear();
        self.arbiters.candidates = candidates;
        self.arm_all::<F>(outs, now);
    }

    /// As [`Self::sweep`], if the router has one output to arbitrate for and at most one packet can
    /// cross to it: as a rule in a network that is not full. Otherwise it does nothing and returns
    /// `false`.
    #[inline(always)]
    fn sweep_one<F: Variant>(&mut self, router: u32, now: Time) -> bool {
        let Some(out) = self.sole_dirty::<F>(router) else { return false };
        let OutPort { waiting, crossbar_free, .. } = self.ports.out_ports[out];
        if waiting == 0 {
            self.requests.dirty[router as usize] = 0;
            return true; // an earlier arbitration has served it
        }
        let mut sole = None;
        if crossbar_free <= now {
            let mut several = false;
            self.each_candidate::<F>(out, now, |in_vc| several |= sole.replace(in_vc).is_some());
            if several {
                return false;
            }
        }
        // A grant may list the router anew.
        self.requests.dirty[router as usize] = 0;
        if let Some(in_vc) = sole {
            self.note_turn(in_vc, now, 0);
            self.grant::<F>(in_vc, out, now);
        }
        self.arm::<F>(out, now);
        true
    }

    /// Returns the only output that a router is to arbitrate for, if there is one and its ports fit
    /// into a word.
    #[inline(always)]
    pub(crate) fn sole_dirty<F: Variant>(&self, router: u32) -> Option<usize> {
        if !self.setup.stages.one_word::<F>() {
            return None;
        }
        let set = self.requests.dirty[router as usize];
        set.is_power_of_two().then(|| (router * self.setup.ports + set.trailing_zeros()) as usize)
    }

    /// Calls `take` with each input VC whose head can cross to `out`, whose crossbar is free.
    #[inline(always)]
    fn each_candidate<F: Variant>(&mut self, out: usize, now: Time, mut take: impl FnMut(usize)) {
        let first = self.first_in_vc(out);
        let vcs = self.ports.out_ports[out].waiting;
        for word in 0..self.setup.words {
            for bit in bits(self.requests.waiting_word(&self.setup, out, vcs, word)) {
                let in_vc = first + word * 64 + bit;
                if self.can_go::<F>(in_vc, now) {
                    take(in_vc);
                }
            }
        }
    }

    /// Takes packets through the crossbar in the order of their rank, each that still can cross.
    #[inline(never)]
    fn grant_in_order<F: Variant>(&mut self, candidates: &[(u32, u32)], now: Time) {
        let mut ranked = std::mem::take(&mut self.arbiters.ranked);
        ranked.clear();
        ranked.extend(
            candidates
                .iter()
                .map(|&(in_vc, out)| (self.rank::<F>(in_vc as usize, now), in_vc, out)),
        );
        ranked.sort_unstable();
        let mut granted = 0;
        for &(_, in_vc, out) in &ranked {
            let (in_vc, out) = (in_vc as usize, out as usize);
            if self.ports.out_ports[out].crossbar_free <= now && self.can_go::<F>(in_vc, now) {
                self.note_turn(in_vc, now, granted);
                granted += 1;
                self.grant::<F>(in_vc, out, now);
            }
        }
        self.arbiters.ranked = ranked;
    }

    /// Schedules the next arbitration of all outputs served, and puts the vector back, for its
    /// memory.
    pub(crate) fn arm_all<F: Variant>(&mut self, outs: Vec<usize>, now: Time) {
        for &out in &outs {
            self.arm::<F>(out, now);
        }
        self.requests.dirty_outs = outs;
    }

    /// Schedules the next arbitration of an output.
    #[inline(always)]
    pub(crate) fn arm<F: Variant>(&mut self, out: usize, now: Time) {
        if self.ports.out_ports[out].crossbar_free > now {
            self.arm_granted::<F>(out, now);
        } else {
            self.arm_blocked::<F>(out, now);
        }
    }

    /// Arbitrates in two steps. First, each free output VC goes to a packet that waits for it, and
    /// the packet keeps it until its tail has crossed. Then the packets with an output VC contend
    /// for the ports, output by output.
    fn arbitrate_allocated<F: Variant>(&mut self, router: u32, now: Time) {
        let outs = self.take_dirty(router, now);
        for &out in &outs {
            if !self.allocate_if_free::<F>(out, now) {
                continue;
            }
            let next_input = self.ports.out_ports[out].next_input;
            let mut next = None;
            for out_vc in out * self.setup.vcs..(out + 1) * self.setup.vcs {
                let owner = self.arbiters.holds[out_vc].owner;
                if owner != NONE
                    && self.requests.is_waiting(
                        &self.setup,
                        out_vc,
                        self.ports.in_vcs[owner].bit.into(),
                    )
                    && self.can_go::<F>(owner as usize, now)
                {
                    let key = self.behind(owner as usize, next_input);
                    next = next.into_iter().chain([(key, owner)]).min();
                }
            }
            if let Some((_, in_vc)) = next {
                self.grant::<F>(in_vc as usize, out, now);
                self.arm_granted::<F>(out, now);
            } else {
                self.arm_blocked::<F>(out, now);
            }
        }
        self.requests.dirty_outs = outs;
    }

    /// Allocates the VCs of an output if its crossbar is free, otherwise schedules its next
    /// arbitration. Returns whether it is free.
    pub(crate) fn allocate_if_free<F: Variant>(&mut self, out: usize, now: Time) -> bool {
        let free = self.ports.out_ports[out].crossbar_free;
        if free > now {
            self.ensure_crossbar_wake(out, free);
            return false;
        }
        self.allocate_vcs::<F>(out, now);
        true
    }

    /// Gives each free VC of an output to a packet that waits for it.
    fn allocate_vcs<F: Variant>(&mut self, out: usize, now: Time) {
        let mut best = [(u64::MAX, NONE); 16];
        for in_vc in self.waiting_for(out) {
            let InVc { out_vc, open, .. } = self.ports.in_vcs[in_vc];
            let hold = &self.arbiters.holds[out_vc];
            if hold.owner == NONE && hold.until <= now && open <= now {
                let rank = match self.setup.stages.model::<F>().arbiter {
                    Arbiter::RoundRobin | Arbiter::Islip => self.behind(in_vc, hold.next_input),
                    _ => self.rank::<F>(in_vc, now),
                };
                let best = &mut best[out_vc as usize % self.setup.vcs];
                *best = (*best).min((rank, in_vc as u32));
            }
        }
        for (vc, &(_, owner)) in best.iter().enumerate().filter(|(_, (_, owner))| *owner != NONE) {
            self.allocate(out * self.setup.vcs + vc, owner, vc as u64, now);
        }
    }

    /// Gives an output VC to a packet that waits for it, after `before` others of this output.
    #[inline(always)]
    pub(crate) fn allocate(&mut self, out_vc: usize, owner: u32, before: u64, now: Time) {
        self.note_turn(owner as usize, now, before);
        let hold = &mut self.arbiters.holds[out_vc];
        hold.owner = owner;
        hold.next_input = self.ports.in_vcs[owner].bit + 1;
    }

    /// Returns the distance of an input VC from the next one in a round.
    fn behind(&self, in_vc: usize, next_input: u16) -> u64 {
        behind(
            self.ports.in_vcs[in_vc].bit.into(),
            next_input,
            self.setup.ports * self.setup.vcs as u32,
        )
        .into()
    }

    /// Returns the rank of the head of an input VC. The lowest rank goes first.
    fn rank<F: Variant>(&self, in_vc: usize, now: Time) -> u64 {
        let head = self.ports.in_vcs[in_vc].queue.head;
        match self.setup.stages.model::<F>().arbiter {
            Arbiter::Age => self.packets.origin(head).created,
            Arbiter::Random => mix(self.packets[head].route.draw ^ mix(now ^ ARBITER_SALT)),
            Arbiter::Lru | Arbiter::RoundRobin | Arbiter::Islip => {
                self.arbiters.grant_stamps[in_vc]
            }
        }
    }

    /// Notes a grant of an input VC, after `before` others at this time.
    fn note_turn(&mut self, in_vc: usize, now: Time, before: u64) {
        // Of several grants at one time, SST's list puts the later grant first.
        self.arbiters.grant_stamps[in_vc] = (now << 8) + 254u64.saturating_sub(before);
    }
}

//! The NIC stage: a host's packets onto the injection link, and delivered packets to the host. What
//! a NIC sends of its own is in `response.rs`.

use crate::config::InjectionVc;
use crate::host::{Delivery, Host, PacketOffer, Pull, TrafficClass};
use crate::partition::{Kind, Partition};
use crate::probe::Probe;
use crate::store::packet::{Packet, PacketOrigin, Piece};
use pantala_engine::random::mix;
use pantala_engine::{NEVER, Time};
use pantala_routing::RouteState;
use std::ops::Range;

/// Tells the draw of the injection VC from those of the routing, which are functions of the same
/// word.
const INJECTION_SALT: u64 = 0x496E_6A65_6374_696F;

/// What a packet is as it starts on the injection link.
pub(crate) struct Launch {
    /// The input VC at the router.
    pub(crate) at: u32,
    pub(crate) draw: u64,
    pub(crate) destination: u32,
    pub(crate) bytes: u32,
    pub(crate) flits: u32,
    pub(crate) job: u16,
    pub(crate) routing: u8,
}

impl<H: Host, P: Probe> Partition<H, P> {
    /// Schedules a pull unless one comes earlier.
    #[inline]
    pub(crate) fn ensure_nic_wake(&mut self, node: u32, time: Time) {
        let nic = &mut self.nics[node as usize];
        if nic.wake > time {
            nic.wake = time;
            self.wheel.push(time, Kind::NIC, node);
        }
    }

    /// The injection link may start a packet.
    #[inline(always)]
    pub(crate) fn nic_wake<const F: bool>(&mut self, node: u32, now: Time) {
        let nic = &mut self.nics[node as usize];
        if nic.wake != now {
            self.overtaken += 1;
            return;
        }
        nic.wake = NEVER;
        if nic.link_free > now {
            let free = nic.link_free;
            self.ensure_nic_wake(node, free);
            return;
        }
        nic.credit_wait = false;
        if self.stages.by_flits::<F>() && self.send_flit(node, now) {
            return;
        }
        if self.stages.responds() && self.send_response::<F>(node, now) {
            return;
        }
        let nic = &self.nics[node as usize];
        if nic.has_offer {
            let offer = nic.offer;
            self.offer::<F>(node, &offer, now);
            return;
        }
        let pulled = self.host.pull(node, now, &mut self.wakes);
        self.react(node, now);
        match &pulled {
            Pull::Packet(offer) => self.offer::<F>(node, offer, now),
            Pull::Later(time) => {
                debug_assert!(*time > now, "a host asked to be pulled in the past");
                self.ensure_nic_wake(node, time + self.stages.nic_idle);
            }
            Pull::Idle => {}
        }
    }

    /// Injects a packet, or keeps it until there is credit for it.
    #[inline(always)]
    fn offer<const F: bool>(&mut self, node: u32, offer: &PacketOffer, now: Time) {
        let flits = if offer.bytes == self.config.packet_bytes {
            self.stages.full
        } else {
            self.config.flits(offer.bytes)
        };
        let vcs = self.stages.request_vcs::<F>();
        let needed = self.stages.needed_to_start::<F>(flits);
        let open = self.open_vcs::<F>(node, &vcs, needed, now);
        if open == 0 {
            let nic = &mut self.nics[node as usize];
            nic.offer = *offer;
            nic.has_offer = true;
            self.await_credit::<F>(node, &vcs, needed, now);
            return;
        }
        self.end_stall(node, now);
        self.nics[node as usize].has_offer = false;
        self.inject::<F>(node, offer, flits, open, now);
    }

    /// The VCs (bits) of `vcs` that have room for a packet of `flits` at the router.
    #[inline(always)]
    pub(crate) fn open_vcs<const F: bool>(
        &mut self,
        node: u32,
        vcs: &Range<u8>,
        flits: u32,
        now: Time,
    ) -> u16 {
        let room = self.stages.room::<F>(flits) as i32;
        if self.stages.one_account::<F>() {
            return u16::from(self.nics[node as usize].credits.at(&mut self.pool, now) >= room);
        }
        let mut open = 0;
        for vc in vcs.clone() {
            let account = &mut self.nic_credits[node as usize * self.vcs + usize::from(vc)];
            open |= u16::from(account.at(&mut self.pool, now) >= room) << vc;
        }
        open
    }

    /// The link is free and a packet lacks credit on all of `vcs`: the NIC is woken when there is
    /// some.
    #[inline]
    pub(crate) fn await_credit<const F: bool>(
        &mut self,
        node: u32,
        vcs: &Range<u8>,
        flits: u32,
        now: Time,
    ) {
        let room = self.stages.room::<F>(flits);
        let time = if self.stages.one_account::<F>() {
            self.nics[node as usize].credits.when(&self.pool, room)
        } else {
            let account = |vc: u8| &self.nic_credits[node as usize * self.vcs + usize::from(vc)];
            vcs.clone().filter_map(|vc| account(vc).when(&self.pool, room)).min()
        };
        let nic = &mut self.nics[node as usize];
        if nic.stalled_since == NEVER {
            nic.stalled_since = now;
        }
        match time {
            Some(time) => self.ensure_nic_wake(node, time + self.stages.nic_idle),
            None => nic.credit_wait = true,
        }
    }

    /// A packet goes: if the link has stood still for want of credit, that is over.
    #[inline(always)]
    pub(crate) fn end_stall(&mut self, node: u32, now: Time) {
        let nic = &mut self.nics[node as usize];
        if nic.stalled_since != NEVER {
            nic.counters.stall += now - nic.stalled_since;
            nic.stalled_since = NEVER;
        }
    }

    /// Takes credits on one of the `open` VCs; returns the input VC at the router.
    #[inline(always)]
    pub(crate) fn take_credit<const F: bool>(
        &mut self,
        node: u32,
        open: u16,
        flits: u32,
        draw: u64,
    ) -> u32 {
        let nic = &mut self.nics[node as usize];
        let room = self.stages.room::<F>(flits);
        if self.stages.one_account::<F>() {
            nic.credits.take(room);
            return nic.target;
        }
        let vc = match self.stages.injection_vc::<F>() {
            InjectionVc::Random => drawn_bit(open, mix(draw ^ INJECTION_SALT)),
            InjectionVc::First | InjectionVc::FirstFree => open.trailing_zeros(),
        };
        self.nic_credits[node as usize * self.vcs + vc as usize].take(room);
        nic.target + vc
    }

    #[inline(always)]
    fn inject<const F: bool>(
        &mut self,
        node: u32,
        offer: &PacketOffer,
        flits: u32,
        open: u16,
        now: Time,
    ) {
        // The hot path's arrays trust these two.
        assert!(
            offer.destination < self.topology.nodes() && offer.job < self.config.jobs,
            "{offer:?}"
        );
        let draw = self.nics[node as usize].draws.bits();
        let at = self.take_credit::<F>(node, open, self.stages.needed_to_start::<F>(flits), draw);
        let accepted = self.accepted::<F>(node, offer.created, now);
        let index = self.packets.reserve();
        let &PacketOffer { destination, bytes, created, message, job, class } = offer;
        let routing =
            self.config.routing_of[usize::from(job) * TrafficClass::COUNT + class as usize];
        *self.packets.origin_mut(index) =
            PacketOrigin { created, accepted, injected: now, source: node, message };
        let free = self.launch::<F>(
            index,
            node,
            &Launch { at, draw, destination, bytes, flits, job, routing },
            now,
        );
        self.probe.injected(job, bytes, now);
        self.wake_for_next::<F>(node, free);
    }

    /// The NIC shall go on with what it has to send as soon as the link falls free.
    #[inline(always)]
    pub(crate) fn wake_for_next<const F: bool>(&mut self, node: u32, free: Time) {
        let offer = (!F || self.stages.responds()) && self.nics[node as usize].has_offer;
        let flits = self.stages.by_flits::<F>() && self.worms.sends(node);
        if offer || flits || (self.stages.responds() && self.has_response(node)) {
            self.ensure_nic_wake(node, free);
        } else {
            self.wake_for_host(node, free);
        }
    }

    /// When a packet of the host that goes now has entered the NIC's own buffer: as the one
    /// `nic_buffer` places before it left.
    #[inline(always)]
    fn accepted<const F: bool>(&mut self, node: u32, created: Time, now: Time) -> Time {
        let buffer = self.config.nic_buffer as usize;
        if buffer == 0 {
            return created;
        }
        let mut sent = self.nics[node as usize].counters.packets;
        if self.stages.responds() {
            sent -= self.responses_sent(node);
        }
        let slot = &mut self.nic_departures[node as usize * buffer + sent as usize % buffer];
        std::mem::replace(slot, now).max(created)
    }

    /// The NIC shall ask its host again as soon as that may have a packet, but not before the link
    /// falls free.
    #[inline(always)]
    pub(crate) fn wake_for_host(&mut self, node: u32, free: Time) {
        let next = self.host.next_at(node);
        if next != NEVER {
            self.ensure_nic_wake(
                node,
                if next <= free { free } else { next + self.stages.nic_idle },
            );
        }
    }

    /// A packet's head starts on the injection link; returns when the link falls free.
    #[inline(always)]
    pub(crate) fn launch<const F: bool>(
        &mut self,
        index: u32,
        node: u32,
        packet: &Launch,
        now: Time,
    ) -> Time {
        let &Launch { at, draw, destination, bytes, flits, job, routing } = packet;
        let stages = &self.stages;
        let started = stages.needed_to_start::<F>(flits);
        let free = now + Time::from(started) * stages.nic_flit;
        let nic = &mut self.nics[node as usize];
        nic.link_free = free;
        nic.counters.count(bytes, started);
        let gone = if stages.stores::<false>() {
            free
        } else {
            now + stages.head_flits::<false>() * stages.nic_flit
        };
        let head = gone + stages.nic_reach;
        let tail = if stages.cut_through::<false>() { free + stages.nic_reach } else { head };
        self.packets[index] = Packet {
            ready: head,
            tail,
            route: RouteState::to(&self.topology, destination, routing, draw),
            at,
            bytes,
            job,
            flits: flits as u16,
            out_vc: 0,
            piece: Piece::Whole,
        };
        if self.stages.by_flits::<F>() {
            self.begin_flits(index, node);
        } else {
            self.wheel.push_with_hint(head, Kind::ARRIVE, index, at);
        }
        if !self.nic_job_bytes.is_empty() {
            self.nic_job_bytes[node as usize * usize::from(self.config.jobs) + usize::from(job)] +=
                u64::from(bytes);
        }
        free
    }

    /// Counts a packet's bytes on an output's link for its job.
    #[inline]
    pub(crate) fn count_job(&mut self, out: usize, job: u16, bytes: u32) {
        if !self.job_bytes.is_empty() {
            self.job_bytes[out * usize::from(self.config.jobs) + usize::from(job)] +=
                u64::from(bytes);
        }
    }

    /// A packet is at its node.
    #[inline(always)]
    pub(crate) fn deliver<const F: bool>(&mut self, index: u32, now: Time) {
        self.flits_delivered += u64::from(self.packets[index].flits);
        if self.stages.by_flits::<F>() && !self.gather_flits(index) {
            return;
        }
        let packet = &self.packets[index];
        let node = packet.route.destination;
        let origin = self.packets.origin(index);
        self.packets_delivered += 1;
        if self.stages.responds() && self.is_response(packet) {
            self.take_response(index, now);
            return;
        }
        self.probe.delivered(packet, origin, now);
        let delivery = Delivery {
            source: origin.source,
            bytes: packet.bytes,
            created: origin.created,
            message: origin.message,
            job: packet.job,
        };
        if self.stages.responds() {
            self.answer(index, now);
        } else {
            self.packets.remove(index);
        }
        self.host.deliver(node, &delivery, now, &mut self.wakes);
        self.react(node, now);
    }
}

/// One of the bits of `set`, which is not empty, by a draw.
fn drawn_bit(mut set: u16, draw: u64) -> u32 {
    let skipped = ((u128::from(draw) * u128::from(set.count_ones())) >> 64) as u32;
    for _ in 0..skipped {
        set &= set - 1;
    }
    set.trailing_zeros()
}

#[cfg(test)]
mod tests {
    use super::*;
    use pantala_engine::Stream;

    #[test]
    fn bits_are_drawn_evenly() {
        let mut draws = Stream::new(1, 2, 3);
        let mut seen = [0u32; 16];
        for _ in 0..30_000 {
            seen[drawn_bit(0b1010_0000_0000_0001, draws.bits()) as usize] += 1;
        }
        assert_eq!(seen.iter().filter(|&&count| count > 0).count(), 3);
        assert!(
            [0, 13, 15].iter().all(|&bit: &usize| (9_500..10_500).contains(&seen[bit])),
            "{seen:?}"
        );
    }
}

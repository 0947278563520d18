//! The NIC stage: a host's packets onto the injection link, and delivered packets to the host.

use crate::config::InjectionVc;
use crate::host::{Delivery, Host, PacketOffer, Pull, TrafficClass};
use crate::network::{Kind, Network};
use crate::packet::{Leg, NONE, Packet, PacketOrigin};
use crate::probe::Probe;
use pantala_engine::random::mix;
use pantala_engine::{NEVER, Time};

/// Tells the draw of the injection VC from those of the routing, which are functions of the same word.
const INJECTION_SALT: u64 = 0x496E_6A65_6374_696F;

impl<H: Host, P: Probe> Network<H, P> {
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
        let flits =
            if offer.bytes == self.config.packet_bytes { self.stages.full } else { self.config.flits(offer.bytes) };
        let open = self.open_vcs::<F>(node, flits, now);
        let nic = &mut self.nics[node as usize];
        if open == 0 {
            nic.offer = *offer;
            nic.has_offer = true;
            if nic.stalled_since == NEVER {
                nic.stalled_since = now;
            }
            match self.next_open::<F>(node, flits) {
                Some(time) => self.ensure_nic_wake(node, time + self.stages.nic_idle),
                None => self.nics[node as usize].credit_wait = true,
            }
            return;
        }
        if nic.stalled_since != NEVER {
            nic.counters.stall += now - nic.stalled_since;
            nic.stalled_since = NEVER;
        }
        nic.has_offer = false;
        self.inject::<F>(node, offer, flits, open, now);
    }

    /// The VCs (bits) that a NIC may inject on and that have room for `flits`.
    #[inline(always)]
    fn open_vcs<const F: bool>(&mut self, node: u32, flits: u32, now: Time) -> u16 {
        if self.stages.injection_vc::<F>() == InjectionVc::First {
            return u16::from(self.nics[node as usize].credits.at(&mut self.pool, now) >= flits as i32);
        }
        let mut open = 0;
        for vc in 0..self.vcs {
            let account = &mut self.nic_credits[node as usize * self.vcs + vc];
            open |= u16::from(account.at(&mut self.pool, now) >= flits as i32) << vc;
        }
        open
    }

    /// When the first of the VCs that a NIC may inject on will have room for `flits`, by what is on its way.
    #[inline]
    fn next_open<const F: bool>(&self, node: u32, flits: u32) -> Option<Time> {
        if self.stages.injection_vc::<F>() == InjectionVc::First {
            return self.nics[node as usize].credits.when(&self.pool, flits);
        }
        let first = node as usize * self.vcs;
        (first..first + self.vcs).filter_map(|account| self.nic_credits[account].when(&self.pool, flits)).min()
    }

    #[inline(always)]
    fn inject<const F: bool>(&mut self, node: u32, offer: &PacketOffer, flits: u32, open: u16, now: Time) {
        // The hot path's arrays trust these two.
        assert!(offer.destination < self.topology.nodes() && offer.job < self.config.jobs, "{offer:?}");
        let stages = &self.stages;
        let hold = Time::from(flits) * stages.nic_flit;
        let nic = &mut self.nics[node as usize];
        nic.link_free = now + hold;
        let draw = nic.draws.bits();
        let at = if stages.injection_vc::<F>() == InjectionVc::First {
            nic.credits.take(flits);
            nic.target
        } else {
            let vc = match stages.injection_vc::<F>() {
                InjectionVc::Random => drawn_bit(open, mix(draw ^ INJECTION_SALT)),
                _ => open.trailing_zeros(),
            };
            self.nic_credits[node as usize * self.vcs + vc as usize].take(flits);
            nic.target + vc
        };
        let sent = nic.counters.packets;
        nic.counters.count(offer.bytes, flits);

        let buffer = self.config.nic_buffer as usize;
        let mut accepted = offer.created;
        if buffer > 0 {
            // The packet entered the NIC's buffer when the one `buffer` places before it left.
            let slot = &mut self.nic_departures[node as usize * buffer + sent as usize % buffer];
            accepted = accepted.max(*slot);
            *slot = now;
        }

        let head = now + stages.head_flits::<false>() * stages.nic_flit + stages.nic_reach;
        let tail = if stages.cut_through::<false>() { now + hold + stages.nic_reach } else { head };
        let destination_router = self.topology.router_of(offer.destination);
        let index = self.packets.reserve();
        self.packets[index] = Packet {
            ready: head,
            tail,
            draw,
            next: NONE,
            at,
            destination: offer.destination,
            destination_router,
            intermediate: NONE,
            gate: NONE,
            bytes: offer.bytes,
            destination_group: self.topology.group_of(destination_router) as u16,
            job: offer.job,
            flits: flits as u16,
            out_vc: 0,
            hops: 0,
            leg: Leg::Undecided,
            nonminimal: false,
            routing: self.config.routing_of[usize::from(offer.job) * TrafficClass::COUNT + offer.class as usize],
        };
        *self.packets.origin_mut(index) =
            PacketOrigin { created: offer.created, accepted, injected: now, source: node, message: offer.message };
        self.wheel.push(head, Kind::ARRIVE, index);

        self.count_job(self.out_ports.len() + node as usize, offer.job, offer.bytes);
        self.probe.injected(offer.job, offer.bytes, now);
        let (free, next) = (now + hold, self.host.next_at(node));
        if next != NEVER {
            self.ensure_nic_wake(node, if next <= free { free } else { next + self.stages.nic_idle });
        }
    }

    /// Counts a packet's bytes on a link for its job.
    #[inline]
    pub(crate) fn count_job(&mut self, link: usize, job: u16, bytes: u32) {
        if !self.job_bytes.is_empty() {
            self.job_bytes[link * usize::from(self.config.jobs) + usize::from(job)] += u64::from(bytes);
        }
    }

    /// A packet is at its node.
    #[inline(always)]
    pub(crate) fn deliver(&mut self, index: u32, now: Time) {
        let packet = &self.packets[index];
        let node = packet.destination;
        let origin = self.packets.origin(index);
        self.packets_delivered += 1;
        self.flits_delivered += u64::from(packet.flits);
        self.probe.delivered(packet, origin, now);
        let delivery = Delivery {
            source: origin.source,
            bytes: packet.bytes,
            created: origin.created,
            message: origin.message,
            job: packet.job,
        };
        self.packets.remove(index);
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
        assert!([0, 13, 15].iter().all(|&bit: &usize| (9_500..10_500).contains(&seen[bit])), "{seen:?}");
    }
}

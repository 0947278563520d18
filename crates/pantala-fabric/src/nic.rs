//! The NIC stage: a host's packets onto the injection link, and delivered packets to the host.

use crate::host::{Delivery, Host, PacketOffer, Pull, TrafficClass};
use crate::network::{Kind, Network};
use crate::packet::{Leg, NONE, Packet, PacketOrigin};
use crate::probe::Probe;
use pantala_engine::{NEVER, Time};

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
    pub(crate) fn nic_wake(&mut self, node: u32, now: Time) {
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
            self.offer(node, &offer, now);
            return;
        }
        let pulled = self.host.pull(node, now, &mut self.wakes);
        self.react(node, now);
        match &pulled {
            Pull::Packet(offer) => self.offer(node, offer, now),
            Pull::Later(time) => {
                debug_assert!(*time > now, "a host asked to be pulled in the past");
                self.ensure_nic_wake(node, time + self.stages.nic_idle);
            }
            Pull::Idle => {}
        }
    }

    /// Injects a packet, or keeps it until there is credit for it.
    #[inline(always)]
    fn offer(&mut self, node: u32, offer: &PacketOffer, now: Time) {
        let flits =
            if offer.bytes == self.config.packet_bytes { self.stages.full } else { self.config.flits(offer.bytes) };
        let nic = &mut self.nics[node as usize];
        if nic.credits.at(&mut self.pool, now) < flits as i32 {
            nic.offer = *offer;
            nic.has_offer = true;
            if nic.stalled_since == NEVER {
                nic.stalled_since = now;
            }
            match nic.credits.when(&self.pool, flits) {
                Some(time) => self.ensure_nic_wake(node, time + self.stages.nic_idle),
                None => nic.credit_wait = true,
            }
            return;
        }
        if nic.stalled_since != NEVER {
            nic.counters.stall += now - nic.stalled_since;
            nic.stalled_since = NEVER;
        }
        nic.has_offer = false;
        self.inject(node, offer, flits, now);
    }

    #[inline(always)]
    fn inject(&mut self, node: u32, offer: &PacketOffer, flits: u32, now: Time) {
        // The hot path's arrays trust these two.
        assert!(offer.destination < self.topology.nodes() && offer.job < self.config.jobs, "{offer:?}");
        let stages = &self.stages;
        let hold = Time::from(flits) * stages.nic_flit;
        let nic = &mut self.nics[node as usize];
        nic.credits.take(flits);
        nic.link_free = now + hold;
        let draw = nic.draws.bits();
        let at = nic.target;
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

//! The NIC stage: packets of hosts to the injection link, and delivered packets to hosts.
//! `responses.rs` has the packets that a NIC sends by itself.

use crate::fabric::Fabric;
use crate::host::{Delivery, Host, PacketOffer, Pull, TrafficClass};
use crate::observer::Injection;
use crate::partition::Partition;
use crate::partition::agenda::Kind;
use crate::probe::Probe;
use crate::store::account::Credits;
use crate::store::packet::{Packet, PacketOrigin, Piece};
use crate::variant::{General, Variant};
use pantala_engine::{NEVER, Time};
use pantala_routing::RouteState;
use std::ops::Range;

/// A packet that starts on the injection link.
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

impl Fabric {
    /// Schedules a pull, unless one is due earlier.
    #[inline]
    pub(crate) fn ensure_nic_wake(&mut self, terminal: u32, time: Time) {
        self.agenda.wake_nic(terminal, &mut self.nics.nics[terminal as usize], time);
    }

    /// Returns the set of those of `vcs` on which a NIC's injection link has credit for `flits`.
    #[inline(always)]
    pub(crate) fn open_vcs<F: Variant>(
        &mut self,
        terminal: u32,
        vcs: &Range<u8>,
        flits: u32,
        now: Time,
    ) -> u16 {
        self.nics.open_vcs::<F>(&self.setup, &mut self.ports.pool, terminal, vcs, flits, now)
    }

    /// Waits for credit: the link is free, and a packet of `job` has no credit on any of `vcs`.
    #[inline]
    pub(crate) fn await_credit<F: Variant>(
        &mut self,
        terminal: u32,
        vcs: &Range<u8>,
        flits: u32,
        job: u16,
        now: Time,
    ) {
        let room = self.setup.stages.room::<F>(flits);
        let time = if self.setup.stages.one_account::<F>() {
            self.nics.nics[terminal as usize].credits.when(&self.ports.pool, room)
        } else {
            let account =
                |vc: u8| &self.nics.credits[terminal as usize * self.setup.vcs + usize::from(vc)];
            vcs.clone().filter_map(|vc| account(vc).when(&self.ports.pool, room)).min()
        };
        let nic = &mut self.nics.nics[terminal as usize];
        if nic.stalled_since == NEVER {
            (nic.stalled_since, nic.stalled_job) = (now, job);
            if let Some(observer) = self.observer.on::<F>() {
                let first = self.setup.config.responses.filter(|r| vcs.start >= r.first_vc);
                let routing = first.map_or(0, |responses| responses.first_routing);
                let in_vc = nic.target + u32::from(vcs.start);
                observer.nic_stalled((terminal, in_vc), vcs, (job, routing), now);
            }
        }
        let nic = &mut self.nics.nics[terminal as usize];
        match time {
            Some(time) => self.ensure_nic_wake(terminal, time + self.setup.stages.nic_idle),
            None => nic.credit_wait = true,
        }
    }

    /// Starts a packet's head on the injection link; returns when the link becomes free.
    #[inline(always)]
    pub(crate) fn launch<F: Variant>(
        &mut self,
        index: u32,
        terminal: u32,
        packet: &Launch,
        now: Time,
    ) -> Time {
        let &Launch { at, draw, destination, bytes, flits, job, routing } = packet;
        let stages = &self.setup.stages;
        let started = stages.needed_to_start::<F>(flits);
        let free = now + Time::from(started) * stages.nic_flit;
        let nic = &mut self.nics.nics[terminal as usize];
        nic.link_free = free;
        nic.counters.count(true, bytes, started);
        let gone = if stages.stores::<General>() {
            free
        } else {
            now + stages.head_flits::<General>() * stages.nic_flit
        };
        let head = gone + stages.nic_reach;
        let tail = if stages.cut_through::<General>() { free + stages.nic_reach } else { head };
        let mut route = RouteState::to(&self.setup.topology, destination, routing, draw);
        if self.setup.stages.by_source {
            self.setup.config.routings[usize::from(routing)].depart(
                &self.setup.topology,
                terminal,
                &mut route,
            );
        }
        self.packets[index] = Packet {
            ready: head,
            tail,
            route,
            at,
            bytes,
            job,
            flits: flits as u16,
            out_vc: 0,
            piece: Piece::Whole,
        };
        if self.setup.stages.by_flits::<F>() {
            self.begin_flits(index, terminal);
        } else {
            self.agenda.wheel.push_with_hint(head, Kind::ARRIVE, index, at);
        }
        self.counters.count_nic_job(terminal as usize, self.setup.config.jobs, job, bytes);
        if let Some(observer) = self.observer.on::<F>() {
            let vc = (at - self.nics.nics[terminal as usize].target) as u8;
            let left = self.nics.account(&self.setup, terminal, vc).map_or(0, Credits::left);
            let injection = Injection {
                from: (terminal, vc),
                flits: started,
                room: self.setup.stages.room::<F>(started),
                left,
                ready: self.packets.origin(index).created + self.setup.stages.nic_idle,
                follows: false,
                on_link: (now, free),
            };
            let (nics, setup, pool) = (&self.nics, &self.setup, &self.ports.pool);
            let read = |vc| nics.account(setup, terminal, vc).map(|credits| credits.state(pool));
            observer.injected(&self.packets[index], &injection, read);
        }
        free
    }
}

impl<H: Host, P: Probe> Partition<H, P> {
    /// Handles a wake: the injection link may start a packet.
    #[inline(always)]
    pub(crate) fn nic_wake<F: Variant>(&mut self, terminal: u32, now: Time) {
        let nic = &mut self.fabric.nics.nics[terminal as usize];
        if nic.wake != now {
            self.fabric.agenda.overtaken += 1;
            return;
        }
        nic.wake = NEVER;
        if nic.link_free > now {
            let free = nic.link_free;
            self.fabric.ensure_nic_wake(terminal, free);
            return;
        }
        nic.credit_wait = false;
        if self.fabric.setup.stages.by_flits::<F>() && self.send_flit(terminal, now) {
            return;
        }
        if self.fabric.setup.stages.responds() && self.send_response::<F>(terminal, now) {
            return;
        }
        let nic = &self.fabric.nics.nics[terminal as usize];
        if nic.has_offer {
            let offer = nic.offer;
            self.offer::<F>(terminal, &offer, now);
            return;
        }
        let pulled = self.host.pull(terminal, now, &mut self.wakes);
        self.react(terminal, now);
        match &pulled {
            Pull::Packet(offer) => self.offer::<F>(terminal, offer, now),
            Pull::Later(time) => {
                debug_assert!(*time > now, "a host asked to be pulled in the past");
                self.fabric.ensure_nic_wake(terminal, time + self.fabric.setup.stages.nic_idle);
            }
            Pull::Idle => {}
        }
    }

    /// Injects a packet, or keeps it until it has credit.
    #[inline(always)]
    fn offer<F: Variant>(&mut self, terminal: u32, offer: &PacketOffer, now: Time) {
        // The arrays of the hot path do not check these two (store/bounds.rs).
        assert!(
            offer.destination < self.fabric.setup.network().terminals()
                && offer.job < self.fabric.setup.config.jobs,
            "{offer:?}"
        );
        let flits = if offer.bytes == self.fabric.setup.config.packet_bytes {
            self.fabric.setup.stages.full
        } else {
            self.fabric.setup.config.flits(offer.bytes)
        };
        let vcs = self.fabric.setup.stages.request_vcs::<F>();
        let needed = self.fabric.setup.stages.needed_to_start::<F>(flits);
        let open = self.fabric.open_vcs::<F>(terminal, &vcs, needed, now);
        if open == 0 {
            let nic = &mut self.fabric.nics.nics[terminal as usize];
            nic.offer = *offer;
            nic.has_offer = true;
            self.fabric.await_credit::<F>(terminal, &vcs, needed, offer.job, now);
            return;
        }
        self.fabric.end_nic_stall::<F>(terminal, now);
        self.fabric.nics.nics[terminal as usize].has_offer = false;
        self.inject::<F>(terminal, offer, flits, open, now);
    }

    #[inline(always)]
    fn inject<F: Variant>(
        &mut self,
        terminal: u32,
        offer: &PacketOffer,
        flits: u32,
        open: u16,
        now: Time,
    ) {
        let draw = self.fabric.nics.nics[terminal as usize].draws.bits();
        let at = self.fabric.nics.take_credit::<F>(
            &self.fabric.setup,
            terminal,
            open,
            self.fabric.setup.stages.needed_to_start::<F>(flits),
            draw,
        );
        let accepted = self.fabric.nics.accepted(&self.fabric.setup, terminal, offer.created, now);
        let index = self.fabric.packets.reserve();
        let &PacketOffer { destination, bytes, created, message, number, job, class } = offer;
        let routing = self.fabric.setup.config.routing_of
            [usize::from(job) * TrafficClass::COUNT + class as usize];
        *self.fabric.packets.origin_mut(index) =
            PacketOrigin { created, accepted, injected: now, source: terminal, message, number };
        let free = self.fabric.launch::<F>(
            index,
            terminal,
            &Launch { at, draw, destination, bytes, flits, job, routing },
            now,
        );
        self.fabric.observer.sent_by_host(&mut self.probe, job, bytes, now);
        self.wake_for_next::<F>(terminal, free);
    }

    /// Wakes the NIC for its next packet when the link becomes free.
    #[inline(always)]
    pub(crate) fn wake_for_next<F: Variant>(&mut self, terminal: u32, free: Time) {
        let offer = (!F::DEFAULT || self.fabric.setup.stages.responds())
            && self.fabric.nics.nics[terminal as usize].has_offer;
        let flits = self.fabric.setup.stages.by_flits::<F>() && self.fabric.worms.sends(terminal);
        if offer
            || flits
            || (self.fabric.setup.stages.responds() && self.fabric.nics.has_response(terminal))
        {
            self.fabric.ensure_nic_wake(terminal, free);
        } else {
            self.wake_for_host(terminal, free);
        }
    }

    /// Wakes the NIC when its host may have a packet, but not before the link becomes free.
    #[inline(always)]
    pub(crate) fn wake_for_host(&mut self, terminal: u32, free: Time) {
        let next = self.host.next_at(terminal);
        if next != NEVER {
            self.fabric.ensure_nic_wake(
                terminal,
                if next <= free { free } else { next + self.fabric.setup.stages.nic_idle },
            );
        }
    }

    /// Delivers a packet at its NIC.
    #[inline(always)]
    pub(crate) fn deliver<F: Variant>(&mut self, index: u32, now: Time) {
        self.fabric.counters.flits_delivered += u64::from(self.fabric.packets[index].flits);
        if self.fabric.setup.stages.by_flits::<F>() {
            self.fabric.keep_path_of_head(index);
            if !self.fabric.gather_flits(index) {
                return;
            }
        }
        let packet = &self.fabric.packets[index];
        let terminal = packet.route.destination;
        let origin = self.fabric.packets.origin(index);
        self.fabric.counters.packets_delivered += 1;
        if self.fabric.setup.stages.responds() && self.fabric.is_response(packet) {
            self.take_response::<F>(index, now);
            return;
        }
        let delivery = Delivery {
            source: origin.source,
            bytes: packet.bytes,
            created: origin.created,
            message: origin.message,
            number: origin.number,
            job: packet.job,
        };
        self.fabric.observer.delivered::<F>(
            &mut self.probe,
            (&self.fabric.packets, index),
            || self.host.message_of(terminal, &delivery),
            now,
        );
        if self.fabric.setup.stages.responds() {
            self.fabric.answer(index, now);
        } else {
            self.fabric.packets.remove(index);
        }
        self.host.deliver(terminal, &delivery, now, &mut self.wakes);
        self.react(terminal, now);
    }
}

//! The arrival stage: a packet's head reaches an input buffer and is routed.
//!
//! The head of an input VC is routed once, when it becomes the head, and then waits for its output.

use crate::fabric::Fabric;
use crate::probe::Probe;
use crate::router::congestion::RouterCongestionView;
use crate::store::packet::NONE;
use crate::store::port::{InPort, OutPort};
use crate::store::requests::Arrived;
use crate::variant::{Plain, Variant};
use pantala_engine::Time;
use pantala_routing::{Blind, Phase};
use std::marker::PhantomData;

impl Fabric {
    /// Takes a packet's head into an input buffer. The first packet there is routed at once: the
    /// queues that routing reads do not change before the last arrival of this time. With virtual
    /// output queues they do, so packets are routed in turn after the last arrival.
    #[inline(always)]
    pub(crate) fn arrive<F: Variant>(
        &mut self,
        packet: u32,
        in_vc: u32,
        now: Time,
        probe: &mut impl Probe,
    ) {
        if self.setup.stages.learning() {
            self.note_arrival(in_vc, packet, now);
        }
        if let Some(observer) = self.observer.on::<F>() {
            observer.arrived(&self.packets, packet, in_vc, now);
        }
        if self.setup.stages.virtual_output::<F>() {
            let in_port = self.ports.in_vcs[in_vc].port;
            self.requests.arrived.push(Arrived { packet, in_vc, in_port, out: NONE, out_vc: NONE });
            return;
        }
        if self.ports.in_vcs[in_vc].queue.head != NONE {
            let job = self.packets[packet].job;
            if let Some(observer) = self.observer.on::<F>() {
                observer.queued_behind(in_vc, job, now);
            }
            self.ports.in_vcs[in_vc].queue.push(&mut self.packets, packet);
            return;
        }
        let arrived = self.route::<F>(in_vc, packet, now, probe);
        if F::DEFAULT {
            // Needed after the last arrival of this time.
            self.ports.out_ports.prefetch::<2>(arrived.out as usize);
            self.ports.out_vcs.prefetch::<1>(arrived.out_vc as usize);
            if let Some(observer) = self.observer.on::<F>() {
                observer.prefetch_output(arrived.out as usize, arrived.out_vc as usize);
            }
            self.requests.arrived.push(arrived);
        } else {
            // Needed at the arbitration.
            self.ports.out_vcs.prefetch::<1>(arrived.out_vc as usize);
            if self.setup.stages.holds_vcs::<F>() {
                self.arbiters.holds.prefetch::<1>(arrived.out_vc as usize);
            }
            if self.setup.stages.grants_together::<F>() {
                // Other heads of the same input can arrive at this time.
                self.ports.in_ports[arrived.in_port].waiting += 1;
                self.requests.arrived.push(arrived);
            } else {
                self.queue_first::<F>(&arrived, now);
            }
        }
    }

    /// Routes the head of an input VC.
    #[inline(always)]
    pub(crate) fn route<F: Variant>(
        &mut self,
        in_vc: u32,
        packet: u32,
        now: Time,
        probe: &mut impl Probe,
    ) -> Arrived {
        let in_port = self.ports.in_vcs[in_vc].port;
        let InPort { router, group, .. } = self.ports.in_ports[in_port];
        if self.setup.stages.by_flits::<F>() && !self.packets[packet].piece.starts() {
            let (out, out_vc) = self.follow_first(in_vc, packet);
            return Arrived { packet, in_vc, in_port, out, out_vc };
        }
        let state = &mut self.packets[packet].route;
        let routing = &self.setup.config.routings[usize::from(state.routing)];
        let learned = self.setup.stages.learning() && routing.algorithm.learns();
        if !self.setup.stages.minimal
            && !learned
            && (state.phase <= Phase::Revisable || self.setup.stages.per_hop_adaptive)
        {
            if self.setup.stages.adaptive {
                let mut view = RouterCongestionView::<F> {
                    out_vcs: &mut self.ports.out_vcs,
                    virtual_queues: &self.ports.virtual_queues,
                    readings: &mut self.ports.readings,
                    pool: &mut self.ports.pool,
                    router,
                    ports: self.setup.ports,
                    vcs: self.setup.vcs,
                    config: &self.setup.config,
                    now,
                    variant: PhantomData,
                };
                routing.decide(&self.setup.topology, router, state, &mut view);
            } else {
                routing.decide(&self.setup.topology, router, state, &mut Blind);
            }
        }
        let hop = if learned {
            self.route_learned(packet, router, group, now)
        } else if self.setup.stages.minimal {
            routing.follow_minimal(&self.setup.topology, router, group, state)
        } else {
            routing.follow(&self.setup.topology, router, group, state)
        };
        self.packets[packet].out_vc = hop.vc;
        let out = router * self.setup.ports + u32::from(hop.port);
        let out_vc = out * self.setup.vcs as u32 + u32::from(hop.vc);
        self.observer.routed(probe, in_vc, out_vc);
        if self.setup.stages.by_flits::<F>() {
            self.worms.lead(in_vc, &self.packets[packet], (out, out_vc));
        }
        Arrived { packet, in_vc, in_port, out, out_vc }
    }

    /// Queues a routed packet in an empty input VC, where it waits for its output.
    #[inline(always)]
    pub(crate) fn queue_first<F: Variant>(&mut self, arrived: &Arrived, now: Time) {
        let job = self.packets[arrived.packet].job;
        if let Some(observer) = self.observer.on::<F>() {
            observer.queued_first(arrived.in_vc, job);
        }
        self.ports.in_vcs[arrived.in_vc].queue.push(&mut self.packets, arrived.packet);
        self.await_output::<F>(arrived, now);
    }

    /// Adds the routed head of an input VC to the packets that wait for its output.
    #[inline(always)]
    pub(crate) fn await_output<F: Variant>(&mut self, arrived: &Arrived, now: Time) {
        let out = arrived.out as usize;
        let in_vc = &mut self.ports.in_vcs[arrived.in_vc];
        in_vc.out_vc = arrived.out_vc;
        in_vc.flits = self.packets[arrived.packet].flits;
        self.ports.in_ports[arrived.in_port].waiting += 1;
        self.ports.out_ports[out].waiting |= 1 << (arrived.out_vc as usize - out * self.setup.vcs);
        let bit = usize::from(self.ports.in_vcs[arrived.in_vc].bit);
        self.requests.begin_wait(&self.setup, arrived.out_vc as usize, bit);
        let &Arrived { in_vc, in_port, .. } = arrived;
        let free = self.ports.in_ports[in_port].busy_until.max(self.ports.in_vcs[in_vc].open);
        if let Some(observer) = self.observer.on::<F>() {
            observer.head_waits((in_vc, in_port), arrived.out, free, now);
        }
        if F::DEFAULT {
            let free = self.ports.out_ports[out]
                .crossbar_free
                .max(self.ports.in_ports[arrived.in_port].busy_until);
            self.ask_for(out, arrived.out_vc, free.max(self.ports.in_vcs[arrived.in_vc].open), now);
        } else if self.setup.stages.unclocked::<F>() {
            let OutPort { router, port, .. } = self.ports.out_ports[out];
            self.requests.mark_dirty::<F>(router, port);
        } else {
            let (port, period) =
                (&mut self.ports.out_ports[out], self.setup.stages.crossbar_period);
            self.agenda.wake_crossbar_at_edge(out, port, period, now);
        }
    }

    /// Schedules the arbitration for a head that has just begun to wait and cannot cross before
    /// `time`. Its arrival lets no other packet cross earlier.
    #[inline(always)]
    fn ask_for(&mut self, out: usize, out_vc: u32, time: Time, now: Time) {
        if time <= now {
            let OutPort { router, port, .. } = self.ports.out_ports[out];
            self.requests.mark_dirty::<Plain>(router, port);
        } else if self.ports.out_ports[out].crossbar_wake > time {
            let vc = &mut self.ports.out_vcs[out_vc];
            // The first room on this VC wakes the packets that wait for it.
            if !vc.space_wait || vc.space.at(&mut self.ports.pool, now) > 0 {
                self.ensure_crossbar_wake(out, time);
            }
        }
    }
}

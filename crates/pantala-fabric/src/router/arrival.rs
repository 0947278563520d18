//! The arrival stage: a packet's head reaches an input buffer and is routed.
//!
//! The head of an input VC is routed once, when it becomes the head, and then waits for its output.

use crate::host::Host;
use crate::partition::Partition;
use crate::probe::Probe;
use crate::router::congestion::RouterCongestionView;
use crate::store::packet::NONE;
use crate::store::port::{InPort, OutPort};
use pantala_engine::Time;
use pantala_routing::{Blind, Phase};

/// A packet that is the first of its input VC and has been routed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arrived {
    pub(crate) packet: u32,
    pub(crate) in_vc: u32,
    pub(crate) in_port: u32,
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

    /// Routes a packet that is the first of its input VC.
    #[inline(always)]
    pub(crate) fn route<const F: bool>(&mut self, in_vc: u32, packet: u32, now: Time) -> Arrived {
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
    pub(crate) fn await_output<const F: bool>(&mut self, arrived: &Arrived, now: Time) {
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
}

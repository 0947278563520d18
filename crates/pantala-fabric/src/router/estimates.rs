//! Where packets meet the tables of `q_adaptive`: at a hop's end, when they are routed, when they leave.

use crate::host::Host;
use crate::partition::Partition;
use crate::probe::Probe;
use crate::store::port::{HERE, InPort, NODE};
use pantala_engine::Time;
use pantala_routing::Hop;
use pantala_routing::Phase;
use pantala_routing::learning::Via;

impl<H: Host, P: Probe> Partition<H, P> {
    /// Notes the time at which a packet's head comes to a router.
    #[inline]
    pub(crate) fn note_arrival(&mut self, in_vc: u32, packet: u32, now: Time) {
        let in_port = self.in_vcs[in_vc].port;
        let port = &self.in_ports[in_port];
        if port.is_terminal() {
            self.learning.enter(packet, (in_port - port.router * self.ports) as u16, now);
        } else {
            self.learning.arrive(packet, now);
        }
    }

    /// Routes a packet of `q_adaptive` that is the first of its input VC.
    #[inline]
    pub(crate) fn route_learned(&mut self, packet: u32, router: u32, group: u32, now: Time) -> Hop {
        let state = &mut self.packets[packet].route;
        let routing = &self.config.routings[usize::from(state.routing)];
        let destination_group = u32::from(state.destination_group);
        if group == destination_group {
            self.learning.at_destination(packet);
            return routing.route_by_estimates(&self.topology, router, group, state, &[], false);
        }
        let early = state.phase <= Phase::Revisable && self.learning.decides_early(router, now);
        let row = self.learning.consult(router, group, packet, destination_group, now);
        routing.route_by_estimates(&self.topology, router, group, state, row, early)
    }

    /// A packet leaves an input buffer: tells the router that sent it how it went.
    #[inline]
    pub(crate) fn give_feedback(&mut self, in_vc: u32, packet: u32, now: Time) {
        let InPort { upstream, group, credit_delay, sender_part, .. } =
            self.in_ports[self.in_vcs[in_vc].port];
        let state = &self.packets[packet].route;
        if sender_part == NODE
            || !self.config.routings[usize::from(state.routing)].algorithm.learns()
        {
            return;
        }
        let destination_group = u32::from(state.destination_group);
        let out = upstream / self.vcs as u32;
        let (sender, port) = (out / self.ports, out % self.ports);
        let senders_group = self.topology.group_of(sender);
        if senders_group == destination_group {
            return;
        }
        let via = if group == senders_group {
            Via::Local
        } else if group == destination_group {
            Via::Direct
        } else {
            Via::Detour
        };
        let at = (sender, senders_group, port);
        let sent = self.learning.feedback(at, packet, destination_group, via, now + credit_delay);
        if sender_part == HERE {
            self.learning.expect(sent);
        } else {
            self.post_feedback(sender_part, sent);
        }
    }
}

//! The estimates of `q_adaptive` on a packet's way: at its arrival, its routing and its departure.

use crate::fabric::Fabric;
use crate::store::port::{HERE, InPort, NIC};
use pantala_engine::Time;
use pantala_routing::Hop;
use pantala_routing::Phase;
use pantala_routing::learning::Via;

impl Fabric {
    /// Notes the time at which a packet's head arrives at a router.
    #[inline]
    pub(crate) fn note_arrival(&mut self, in_vc: u32, packet: u32, now: Time) {
        let in_port = self.ports.in_vcs[in_vc].port;
        let port = &self.ports.in_ports[in_port];
        if port.is_terminal() {
            self.learning.enter(packet, (in_port - port.router * self.setup.ports) as u16, now);
        } else {
            self.learning.arrive(packet, now);
        }
    }

    /// Routes a packet of `q_adaptive` at the head of its input VC.
    #[inline]
    pub(crate) fn route_learned(&mut self, packet: u32, router: u32, group: u32, now: Time) -> Hop {
        let state = &mut self.packets[packet].route;
        let routing = &self.setup.config.routings[usize::from(state.routing)];
        let destination_group = u32::from(state.destination_group);
        if group == destination_group {
            self.learning.at_destination(packet);
            return routing.route_by_estimates(
                &self.setup.topology,
                router,
                group,
                state,
                &[],
                false,
            );
        }
        let early = state.phase <= Phase::Revisable && self.learning.decides_early(router, now);
        let row = self.learning.consult(router, group, packet, destination_group, now);
        routing.route_by_estimates(&self.setup.topology, router, group, state, row, early)
    }

    /// Sends feedback about a packet that leaves an input buffer to the router that sent the
    /// packet.
    #[inline]
    pub(crate) fn give_feedback(&mut self, in_vc: u32, packet: u32, now: Time) {
        let InPort { upstream, group, credit_delay, sender_partition, .. } =
            self.ports.in_ports[self.ports.in_vcs[in_vc].port];
        let state = &self.packets[packet].route;
        if sender_partition == NIC
            || !self.setup.config.routings[usize::from(state.routing)].algorithm.learns()
        {
            return;
        }
        let destination_group = u32::from(state.destination_group);
        let out = self.setup.by_vcs.quotient(upstream);
        let sender = self.setup.by_ports.quotient(out);
        let port = out - sender * self.setup.ports;
        let senders_group = self.setup.topology.group_of(sender);
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
        if sender_partition == HERE {
            self.learning.expect(sent);
        } else {
            self.post_feedback(sender_partition, sent);
        }
    }
}

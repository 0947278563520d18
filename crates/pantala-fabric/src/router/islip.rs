//! The arbiter iSLIP with one iteration: outputs make offers, inputs accept one each.
//!
//! N. McKeown: The iSLIP scheduling algorithm for input-queued switches. IEEE/ACM Transactions on
//! Networking 7(2), 1999. BookSim2 allocates its crossbars in this way. Each output offers itself
//! to one of the input ports that want it, round-robin. Each input port accepts one offer,
//! round-robin. A pointer moves past a match only. An output whose offer is not accepted stays idle
//! for one crossbar flit time, even if other inputs want it.

use crate::fabric::Fabric;
use crate::router::arbitration::behind;
use crate::store::arbiter_state::{InputTurn, Offer};
use crate::store::packet::NONE;
use crate::store::port::OutPort;
use crate::variant::Variant;
use pantala_engine::Time;

impl Fabric {
    /// Arbitrates for the listed outputs of a router: output VCs first
    /// ([`crate::config::CrossbarContention::PortAndVc`]), then ports by one iteration of iSLIP.
    pub(crate) fn arbitrate_islip<F: Variant>(&mut self, router: u32, now: Time) {
        let outs = self.take_dirty(router, now);
        let mut offers = std::mem::take(&mut self.arbiters.offers);
        offers.clear();
        for &out in &outs {
            if !self.allocate_if_free::<F>(out, now) {
                continue;
            }
            if let Some(offer) = self.offer_of::<F>(out, now) {
                // Accepted or not, it makes no other offer before the next step.
                self.ports.out_ports[out].crossbar_free = now + self.setup.stages.crossbar_flit;
                offers.push(offer);
            }
        }
        offers.sort_unstable_by_key(|offer| (offer.in_port, offer.behind));
        offers.dedup_by_key(|offer| offer.in_port);
        for &Offer { in_port, in_vc, out, .. } in &offers {
            let vc = in_vc - in_port * self.setup.vcs as u32;
            self.arbiters.input_turns[in_port] = InputTurn {
                next_output: self.ports.out_ports[out].port + 1,
                next_vc: vc as u16 + 1,
            };
            self.grant::<F>(in_vc as usize, out, now);
            // The pointer counts ports.
            self.ports.out_ports[out].next_input =
                (in_port - self.ports.in_ports[in_port].router * self.setup.ports) as u16 + 1;
        }
        self.arbiters.offers = offers;
        self.arm_all::<F>(outs, now);
    }

    /// Returns the offer of a free output, if an input port wants it.
    fn offer_of<F: Variant>(&mut self, out: usize, now: Time) -> Option<Offer> {
        let OutPort { router, port, next_input, .. } = self.ports.out_ports[out];
        let (ports, vcs) = (self.setup.ports, self.setup.vcs as u32);
        let mut best: Option<((u32, u32), Offer)> = None;
        for out_vc in out * self.setup.vcs..(out + 1) * self.setup.vcs {
            let in_vc = self.arbiters.holds[out_vc].owner;
            if in_vc == NONE
                || !self.requests.is_waiting(
                    &self.setup,
                    out_vc,
                    self.ports.in_vcs[in_vc].bit.into(),
                )
                || !self.can_go::<F>(in_vc as usize, now)
            {
                continue;
            }
            let in_port = self.ports.in_vcs[in_vc].port;
            let turn = self.arbiters.input_turns[in_port];
            let rank = (
                behind(in_port - router * ports, next_input, ports),
                behind(in_vc - in_port * vcs, turn.next_vc, vcs),
            );
            let behind = behind(u32::from(port), turn.next_output, ports);
            if best.is_none_or(|(least, _)| rank < least) {
                best = Some((rank, Offer { in_port, behind, in_vc, out }));
            }
        }
        best.map(|(_, offer)| offer)
    }
}

//! iSLIP, one iteration: inputs and outputs choose each other in one step, and what does not match
//! waits for the next.
//!
//! N. McKeown: The iSLIP scheduling algorithm for input-queued switches. IEEE/ACM Transactions on
//! Networking 7(2), 1999. BookSim2 allocates its crossbars so. Each output offers itself to one of
//! the input ports that want it, in the order of a round; each input port takes one offer, in the
//! order of its own. Rounds go on behind those who have matched. An output whose offer is not taken
//! stays idle for a crossbar flit time though others may want it: that is what a maximal matching
//! would not lose.

use crate::host::Host;
use crate::partition::Partition;
use crate::probe::Probe;
use crate::router::arbitration::behind;
use crate::store::packet::NONE;
use crate::store::port::{InputTurn, OutPort};
use pantala_engine::Time;

/// What an output offers: itself to the head of an input VC.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Offer {
    in_port: u32,
    /// How far the output is behind the one whose turn it is at the input port.
    behind: u32,
    in_vc: u32,
    out: usize,
}

impl<H: Host, P: Probe> Partition<H, P> {
    /// Arbitrates for the router's outputs on the list: output VCs first
    /// ([`crate::config::CrossbarContention::PortAndVc`]), then ports by one iteration of iSLIP.
    pub(crate) fn arbitrate_islip(&mut self, router: u32, now: Time) {
        let outs = self.take_dirty(router, now);
        let mut offers = std::mem::take(&mut self.offers);
        offers.clear();
        for &out in &outs {
            if self.allocate_if_free(out, now)
                && let Some(offer) = self.offer_of(out, now)
            {
                // Taken or not, it does not offer itself again before the next step.
                self.out_ports[out].crossbar_free = now + self.stages.crossbar_flit;
                offers.push(offer);
            }
        }
        offers.sort_unstable_by_key(|offer| (offer.in_port, offer.behind));
        offers.dedup_by_key(|offer| offer.in_port);
        for &Offer { in_port, in_vc, out, .. } in &offers {
            let vc = in_vc - in_port * self.vcs as u32;
            self.input_turns[in_port] =
                InputTurn { next_output: self.out_ports[out].port + 1, next_vc: vc as u16 + 1 };
            self.grant::<false>(in_vc as usize, out, now);
            // The round is one of ports.
            self.out_ports[out].next_input =
                (in_port - self.in_ports[in_port].router * self.ports) as u16 + 1;
        }
        self.offers = offers;
        self.arm_all(outs, now);
    }

    /// The offer of an output that is free, if any input port wants it.
    fn offer_of(&mut self, out: usize, now: Time) -> Option<Offer> {
        let OutPort { router, port, next_input, .. } = self.out_ports[out];
        let (ports, vcs) = (self.ports, self.vcs as u32);
        let mut best: Option<((u32, u32), Offer)> = None;
        for out_vc in out * self.vcs..(out + 1) * self.vcs {
            let in_vc = self.holds[out_vc].owner;
            if in_vc == NONE
                || !self.waits_for(in_vc, out_vc)
                || !self.can_go::<false>(in_vc as usize, now)
            {
                continue;
            }
            let in_port = self.in_vcs[in_vc].port;
            let turn = self.input_turns[in_port];
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

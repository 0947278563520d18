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
use crate::store::port::{InVc, OutPort};
use crate::store::requests::Arrived;
use crate::variant::Variant;
use pantala_engine::Time;

impl Fabric {
    /// Arbitrates for the listed outputs of a router: output VCs first
    /// ([`crate::config::CrossbarContention::PortAndVc`]), then ports by one iteration of iSLIP.
    pub(crate) fn arbitrate_islip<F: Variant>(&mut self, router: u32, now: Time) {
        if self.islip_one::<F>(router, now) {
            return;
        }
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
            self.accept::<F>((in_port, in_vc), out, now);
        }
        self.arbiters.offers = offers;
        self.arm_all::<F>(outs, now);
    }

    /// As [`Self::arbitrate_islip`], if the router has one output to arbitrate for and one input VC
    /// waits for it: as a rule in a network that is not full. Otherwise it does nothing and returns
    /// `false`.
    #[inline(always)]
    fn islip_one<F: Variant>(&mut self, router: u32, now: Time) -> bool {
        let Some(out) = self.sole_dirty::<F>(router) else { return false };
        let OutPort { waiting, crossbar_free, .. } = self.ports.out_ports[out];
        if !waiting.is_power_of_two() {
            return false;
        }
        let mut inputs = self.waiting_for(out);
        let (Some(in_vc), None) = (inputs.next(), inputs.next()) else { return false };
        drop(inputs);
        // A grant may list the router anew.
        self.requests.dirty[router as usize] = 0;
        if crossbar_free <= now {
            let InVc { port, out_vc, open, .. } = self.ports.in_vcs[in_vc];
            let hold = &self.arbiters.holds[out_vc];
            if hold.owner == NONE && hold.until <= now && open <= now {
                self.allocate(out_vc as usize, in_vc as u32, 0, now);
            }
            if self.arbiters.holds[out_vc].owner == in_vc as u32 && self.can_go::<F>(in_vc, now) {
                self.ports.out_ports[out].crossbar_free = now + self.setup.stages.crossbar_flit;
                self.accept::<F>((port, in_vc as u32), out, now);
            }
        }
        self.arm::<F>(out, now);
        true
    }

    /// Accepts the offer of an output: its packet crosses.
    #[inline(always)]
    fn accept<F: Variant>(&mut self, (in_port, in_vc): (u32, u32), out: usize, now: Time) {
        self.grant::<F>(in_vc as usize, out, now);
        self.turn_pointers((in_port, in_vc), out);
    }

    /// Moves the pointers of an output and an input past their match.
    #[inline(always)]
    fn turn_pointers(&mut self, (in_port, in_vc): (u32, u32), out: usize) {
        let vc = in_vc - in_port * self.setup.vcs as u32;
        self.arbiters.input_turns[in_port] =
            InputTurn { next_output: self.ports.out_ports[out].port + 1, next_vc: vc as u16 + 1 };
        // The pointer counts ports.
        self.ports.out_ports[out].next_input =
            (in_port - self.ports.in_ports[in_port].router * self.setup.ports) as u16 + 1;
    }

    /// Grants a head that has just arrived if it can cross at once, no other head wants its output,
    /// and none waits or arrives at its input. Then there is one offer, and the packet never enters
    /// a queue.
    #[inline(always)]
    pub(crate) fn accept_unrivalled<F: Variant>(&mut self, arrived: &Arrived, now: Time) -> bool {
        let &Arrived { in_vc, in_port, out, out_vc, .. } = arrived;
        self.ports.in_ports[in_port].waiting -= 1; // the arrival
        let hold = &mut self.arbiters.holds[out_vc];
        if hold.until > now || hold.owner != NONE && hold.owner != in_vc {
            return false;
        }
        let room = self.room_needed::<F>(arrived);
        if !self.is_unrivalled::<F>(arrived, now)
            || self.setup.stages.credit_at_crossbar::<F>()
                && !self.ports.has_credit(out as usize, out_vc, room, now)
        {
            return false;
        }
        let hold = &mut self.arbiters.holds[out_vc];
        if hold.owner == NONE {
            hold.next_input = self.ports.in_vcs[in_vc].bit + 1;
        }
        self.cross::<F, false>(arrived, now);
        self.turn_pointers((in_port, in_vc), out as usize);
        true
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

//! The way of credits back to the sender: a NIC, an output VC here, or another partition.

use crate::host::Host;
use crate::partition::Partition;
use crate::partition::messages::CreditMessage;
use crate::probe::Probe;
use crate::store::account::Ledger;
use crate::store::port::HERE;
use pantala_engine::Time;

impl<H: Host, P: Probe> Partition<H, P> {
    /// The credits of a packet that takes `room` leave an input VC for whoever sent it, from
    /// `first` to `last`.
    #[inline(always)]
    pub(crate) fn give_credit<const F: bool>(
        &mut self,
        in_vc: usize,
        (first, last): (Time, Time),
        room: u32,
    ) {
        let port = self.in_vcs[in_vc].port;
        let input = &self.in_ports[port];
        let (upstream, vc) = (input.upstream, in_vc - port as usize * self.vcs);
        let (first, last) = (first + input.credit_delay, last + input.credit_delay);
        if input.is_terminal() {
            let nic = &mut self.nics[upstream as usize];
            let account = if self.stages.one_account::<F>() {
                &mut nic.credits
            } else {
                &mut self.nic_credits[upstream as usize * self.vcs + vc]
            };
            account.give_over::<F>(&mut self.pool, first, last, room);
            if nic.credit_wait {
                self.ensure_nic_wake(upstream, first + self.stages.nic_idle);
            }
        } else if input.sender_part == HERE {
            self.credit::<F>(upstream as usize + vc, first, last, room);
        } else {
            self.post_credit(
                input.sender_part,
                CreditMessage { out_vc: upstream + vc as u32, first, last, room },
            );
        }
    }

    /// Credits of a packet that takes `room` come back to an output VC, from `first` to `last`.
    #[inline(always)]
    pub(crate) fn credit<const F: bool>(
        &mut self,
        out_vc: usize,
        first: Time,
        last: Time,
        room: u32,
    ) {
        let vc = &mut self.out_vcs[out_vc];
        vc.credits.give_over::<F>(&mut self.pool, first, last, room);
        if vc.credit_wait > 0 {
            self.end_credit_wait::<F>(out_vc);
        }
    }

    /// Credits have been given to an output VC where a packet waits for some: wakes it when there
    /// will be enough.
    fn end_credit_wait<const F: bool>(&mut self, out_vc: usize) {
        let vc = &mut self.out_vcs[out_vc];
        let Some(time) = vc.credits.when(&self.pool, u32::from(vc.credit_wait)) else { return };
        vc.credit_wait = 0;
        let out = out_vc / self.vcs;
        if self.stages.credit_at_crossbar::<F>() {
            self.ensure_crossbar_wake(out, self.stages.edge_after::<F>(time));
        } else {
            let idle = self.stages.idle_flits::<F>() * self.out_ports[out].flit;
            self.ensure_link_wake(out, time + idle);
        }
    }
}

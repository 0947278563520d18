//! The return of credits to the sender: a NIC, an output VC of this partition, or another
//! partition.

use crate::fabric::Fabric;
use crate::observer::Observer;
use crate::partition::messages::CreditMessage;
use crate::store::account::{PendingPool, Repayment};
use crate::store::port::{HERE, InPort, OutVc};
use crate::variant::Variant;
use pantala_engine::{ProvenArray, Time};

/// Takes credits for `room` flits of an output VC, and tells the records: at a time that is now or
/// later.
#[inline(always)]
pub(crate) fn take_credits<F: Variant>(
    (out_vcs, pool, observer): (&mut ProvenArray<OutVc>, &PendingPool, &mut Observer),
    (out, out_vc): (usize, usize),
    (room, vc): (u32, u8),
    time_and_now: (Time, Time),
) {
    let credits = &mut out_vcs[out_vc].credits;
    credits.take(room);
    let left = credits.left();
    if let Some(observer) = observer.on::<F>() {
        let first = out_vc - usize::from(vc);
        let read = |vc: u8| Some(out_vcs[first + usize::from(vc)].credits.state(pool));
        observer.took_credit((out, vc), (room, left), time_and_now, read);
    }
}

impl Fabric {
    /// Prefetches the account that gets the credits of a packet in an input VC.
    #[inline(always)]
    pub(crate) fn prefetch_sender(&self, in_vc: u32, in_port: u32) {
        let InPort { upstream, sender_partition, .. } = self.ports.in_ports[in_port];
        if sender_partition == HERE {
            self.ports
                .out_vcs
                .prefetch::<1>((upstream + in_vc) as usize - in_port as usize * self.setup.vcs);
        }
    }

    /// Returns the credits of a packet that takes `room` to the sender. They leave the input VC
    /// from `first` to `last`.
    #[inline(always)]
    pub(crate) fn give_credit<F: Variant>(
        &mut self,
        in_vc: usize,
        (first, last): (Time, Time),
        room: u32,
    ) {
        let port = self.ports.in_vcs[in_vc].port;
        let input = &self.ports.in_ports[port];
        let (upstream, vc) = (input.upstream, in_vc - port as usize * self.setup.vcs);
        let (first, last) = (first + input.credit_delay, last + input.credit_delay);
        if input.is_terminal() {
            let nic = &mut self.nics.nics[upstream as usize];
            let account = if self.setup.stages.one_account::<F>() {
                &mut nic.credits
            } else {
                &mut self.nics.credits[upstream as usize * self.setup.vcs + vc]
            };
            account.give_over::<F>(&mut self.ports.pool, first, last, room);
            if let Some(observer) = self.observer.on::<F>() {
                observer.nic_credited((upstream, vc as u8), (first, last), room);
            }
            if nic.credit_wait {
                self.ensure_nic_wake(upstream, first + self.setup.stages.nic_idle);
            }
        } else if input.sender_partition == HERE {
            self.credit::<F>(upstream as usize + vc, first, last, room);
        } else {
            self.post_credit(
                input.sender_partition,
                CreditMessage { out_vc: upstream + vc as u32, first, last, room },
            );
        }
    }

    /// Schedules the credits of a packet that takes `room` at an output VC, from `first` to `last`.
    #[inline(always)]
    pub(crate) fn credit<F: Variant>(&mut self, out_vc: usize, first: Time, last: Time, room: u32) {
        self.ports.out_vcs[out_vc].credits.give_over::<F>(&mut self.ports.pool, first, last, room);
        if self.setup.stages.virtual_output::<F>() {
            self.ports.readings[out_vc / self.setup.vcs].ends(first);
        }
        if let Some(observer) = self.observer.on::<F>() {
            let vcs = self.setup.vcs;
            observer.credited((out_vc / vcs, (out_vc % vcs) as u8), (first, last), room);
        }
        if self.ports.out_vcs[out_vc].credit_wait > 0 {
            self.end_credit_wait::<F>(out_vc);
        }
    }

    /// Wakes a packet that waits for credits at an output VC, when there will be enough.
    fn end_credit_wait<F: Variant>(&mut self, out_vc: usize) {
        let vc = &mut self.ports.out_vcs[out_vc];
        let Some(time) = vc.credits.when(&self.ports.pool, u32::from(vc.credit_wait)) else {
            return;
        };
        vc.credit_wait = 0;
        let out = out_vc / self.setup.vcs;
        if self.setup.stages.credit_at_crossbar::<F>() {
            self.ensure_crossbar_wake(out, self.setup.stages.edge_after::<F>(time));
        } else {
            let idle = self.setup.stages.idle_flits::<F>() * self.ports.out_ports[out].flit;
            self.ensure_link_wake(out, time + idle);
        }
    }
}

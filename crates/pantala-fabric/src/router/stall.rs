//! Stalls: a packet is ready, its link is idle, and no packet has credit.
//!
//! A stall belongs to one job, that of the packet which the link would send first: the first ready
//! head in the round-robin order of the link's VCs when the stall begins. At a NIC it is the job of
//! the packet that waits.

use crate::fabric::Fabric;
use crate::store::packet::NONE;
use crate::variant::{General, Variant};
use pantala_engine::{NEVER, Time};

impl Fabric {
    /// Begins a stall of an output's link with a packet at `now`, unless one lasts.
    pub(crate) fn begin_stall<F: Variant>(&mut self, out: usize, packet: u32, now: Time) {
        let port = &mut self.ports.out_ports[out];
        if port.stalled_since == NEVER {
            (port.stalled_since, port.stalled_job) = (now, self.packets[packet].job);
            if let Some(observer) = self.observer.on::<F>() {
                observer.stalled(out, &self.packets[packet], now);
            }
            let out_vc = out * self.setup.vcs + usize::from(self.packets[packet].out_vc);
            self.tell_block::<F>((out, out_vc), now);
        }
    }

    /// Tells the observer that credits block an output from `since` on, which is now or later.
    pub(crate) fn tell_block<F: Variant>(&mut self, (out, out_vc): (usize, usize), since: Time) {
        let (buffer, now) = (self.setup.config.router.input_buffer as i32, self.agenda.now);
        if let Some(observer) =
            self.observer.on::<F>().filter(|observer| observer.asks_for_block(out))
        {
            let credits = self.ports.out_vcs[out_vc].credits.at(&mut self.ports.pool, now);
            observer.blocked((out, out_vc), (buffer - credits) as u32, since);
        }
    }

    /// Begins a stall at `now`, or when the link falls idle, if packets wait for room behind the
    /// link and none is in the output buffer (virtual output queues).
    pub(crate) fn note_stall(&mut self, out: usize, now: Time) {
        let port = &self.ports.out_ports[out];
        let buffered = port.queued != 0 && !self.bookings.have_all(out);
        if port.waiting == 0 || buffered || port.stalled_since != NEVER {
            return;
        }
        let (turn, idle) = (usize::from(port.next_vc), port.link_free.max(now));
        let waiting = (0..self.setup.vcs)
            .map(|step| self.setup.stages.vc_at_step::<General>(turn, step))
            .map(|vc| out * self.setup.vcs + vc)
            .map(|out_vc| self.ports.virtual_queues[out_vc].queue.head)
            .find(|&head| head != NONE);
        if let Some(head) = waiting {
            self.begin_stall::<General>(out, head, idle);
        }
    }

    /// Ends the stall of an output's link, if there is one, because a packet starts at `now`.
    #[inline(always)]
    pub(crate) fn end_stall<F: Variant>(&mut self, out: usize, now: Time) {
        if self.ports.out_ports[out].stalled_since != NEVER {
            self.count_stall::<F>(out, now);
        }
    }

    #[inline(never)]
    fn count_stall<F: Variant>(&mut self, out: usize, now: Time) {
        let port = &mut self.ports.out_ports[out];
        let since = std::mem::replace(&mut port.stalled_since, NEVER);
        let (stall, job) = (now.saturating_sub(since), port.stalled_job);
        port.counters.stall += stall;
        self.counters.count_stall(out, (self.setup.config.jobs, job), (since, now));
        if let Some(observer) = self.observer.on::<F>() {
            observer.stall_ended(out, now);
        }
    }

    /// Ends the stall of a NIC's injection link, if there is one, because a packet starts at
    /// `now`.
    #[inline(always)]
    pub(crate) fn end_nic_stall<F: Variant>(&mut self, terminal: u32, now: Time) {
        if self.nics.nics[terminal as usize].stalled_since != NEVER {
            self.count_nic_stall::<F>(terminal, now);
        }
    }

    #[inline(never)]
    fn count_nic_stall<F: Variant>(&mut self, terminal: u32, now: Time) {
        let nic = &mut self.nics.nics[terminal as usize];
        let since = std::mem::replace(&mut nic.stalled_since, NEVER);
        let (stall, job) = (now - since, nic.stalled_job);
        nic.counters.stall += stall;
        self.counters.count_nic_stall(terminal as usize, self.setup.config.jobs, job, stall);
        if let Some(observer) = self.observer.on::<F>() {
            observer.nic_stall_ended(terminal, now);
        }
    }
}

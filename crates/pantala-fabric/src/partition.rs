//! A partition of a network: the event loop over its fabric and its hosts.
//!
//! The loop handles the events of one time in a fixed order: arrivals, then deliveries, timers,
//! link decisions and NIC pulls, in the order of [`Kind`]. Then it routes and arbitrates at every
//! router that a packet came to (`settle`). Routers affect each other only over links with latency,
//! so the order of routers within one time does not matter.

pub(crate) mod agenda;
pub(crate) mod audit;
pub(crate) mod build;
mod exchange;
mod hand_over;
mod look_ahead;
pub(crate) mod messages;
pub(crate) mod network;
mod pace;
pub(crate) mod partition_map;
mod readings;
pub(crate) mod setup;
pub(crate) mod threads;

use crate::fabric::Fabric;
use crate::host::{Host, Wakes};
use crate::partition::agenda::Kind;
use crate::partition::messages::PartitionMessages;
use crate::probe::Probe;
use crate::store::requests::Requests;
use crate::variant::{General, Model, Plain, Sst, Variant, Watched};
use pantala_engine::Time;
use serde::{Deserialize, Serialize};

/// The totals of a run so far, responses included.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Totals {
    /// Events handled, and decisions made ahead of them. Wakes that were dropped do not count, because their number depends on the
    /// order of events within a phase.
    pub events: u64,
    /// Packets whose head has started on an injection link.
    pub packets_injected: u64,
    /// Packets delivered at their destination NIC.
    pub packets_delivered: u64,
    /// Flits of these packets.
    pub flits_injected: u64,
    /// Flits of these packets.
    pub flits_delivered: u64,
    /// Traversals of links between routers, plus ejections.
    pub packet_hops: u64,
}

impl Totals {
    /// Returns the sum of both.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self {
            events: self.events + other.events,
            packets_injected: self.packets_injected + other.packets_injected,
            packets_delivered: self.packets_delivered + other.packets_delivered,
            flits_injected: self.flits_injected + other.flits_injected,
            flits_delivered: self.flits_delivered + other.flits_delivered,
            packet_hops: self.packet_hops + other.packet_hops,
        }
    }
}

/// One partition of a network: its fabric, its hosts and its probe. A [`crate::Network`] has one or
/// more.
pub struct Partition<H: Host, P> {
    /// The NICs, routers and links.
    pub(crate) fabric: Fabric,
    /// The wakes that hosts have asked for and that are not scheduled yet.
    pub(crate) wakes: Wakes,
    /// Per partition, empty messages between calls of `advance`: while one set is sent, messages
    /// are posted to the other.
    pub(crate) spare_messages: Vec<PartitionMessages<H::Message>>,
    /// The hosts.
    pub host: H,
    /// The probe.
    pub probe: P,
}

impl<H: Host, P: Probe> Partition<H, P> {
    /// Handles every event before `until`.
    pub fn advance(&mut self, until: Time) {
        self.fabric.agenda.until = until;
        let (stages, records) = (&self.fabric.setup.stages, self.fabric.observer.records);
        match (stages.default_model, records) {
            (true, false) => self.run_blocks::<Plain>(until),
            (true, true) => self.run_blocks::<Watched>(until),
            (false, _) if stages.model::<General>() == Model::SST => {
                self.run_blocks::<Sst>(until);
            }
            _ => self.run_blocks::<General>(until),
        }
    }

    /// Handles every event before `until`, block by block.
    fn run_blocks<F: Variant>(&mut self, until: Time) {
        let blocks = self.fabric.agenda.blocks();
        if blocks == 0 {
            self.run::<F>(until);
            return;
        }
        loop {
            let first = self.next_time();
            if first >= until {
                return;
            }
            let end = first.saturating_add(self.fabric.agenda.ahead()).min(until);
            for block in 0..blocks {
                self.fabric.agenda.enter(block);
                self.run::<F>(end);
                let agenda = &mut self.fabric.agenda;
                agenda.latest = agenda.latest.max(agenda.now);
            }
        }
    }

    /// Handles every event of the current block before `until`.
    ///
    /// The loop is compiled for each [`Variant`].
    fn run<F: Variant>(&mut self, until: Time) {
        while let Some((now, phase)) = self.fabric.next_group::<F>(until) {
            self.fabric.agenda.now = now;
            match phase {
                Kind::ARRIVE => {
                    while let Some((id, in_vc)) = self.fabric.agenda.wheel.pop_with_hint() {
                        self.fabric.arrive::<F>(id, in_vc, now, &mut self.probe);
                    }
                }
                Kind::DELIVER => self.each(|partition, id| partition.deliver::<F>(id, now)),
                Kind::TIMER => self.each(|partition, id| {
                    partition.host.timer(id, now, &mut partition.wakes);
                    partition.react(id, now);
                }),
                Kind::LINK => self.each(|partition, id| partition.fabric.link_wake::<F>(id, now)),
                Kind::NIC => self.each(|partition, id| partition.nic_wake::<F>(id, now)),
                _ => self.each(|partition, id| partition.fabric.crossbar_wake::<F>(id, now)),
            }
            let Requests { arrived, dirty_routers, .. } = &self.fabric.requests;
            let unsettled = !arrived.is_empty() || !dirty_routers.is_empty();
            if unsettled && !self.fabric.agenda.wheel.more_at(now) {
                self.fabric.settle::<F>(now, &mut self.probe);
            }
        }
    }

    /// Handles the events of the current group.
    #[inline(always)]
    fn each(&mut self, handle: impl Fn(&mut Self, u32)) {
        while let Some(id) = self.fabric.agenda.wheel.pop() {
            handle(self, id);
        }
    }

    /// Schedules the wakes that a host asked for.
    #[inline(always)]
    pub(crate) fn react(&mut self, terminal: u32, now: Time) {
        if self.wakes.nic || !self.wakes.timers.is_empty() {
            self.react_to_wakes(terminal, now);
        }
    }

    #[inline(never)]
    fn react_to_wakes(&mut self, terminal: u32, now: Time) {
        if !self.wakes.timers.is_empty() {
            for &time in &self.wakes.timers {
                self.fabric.agenda.wheel.push(time, Kind::TIMER, terminal);
            }
            self.wakes.timers.clear();
        }
        if self.wakes.nic {
            self.wakes.nic = false;
            let nic = &self.fabric.nics.nics[terminal as usize];
            if !nic.has_offer {
                let time = if nic.link_free > now {
                    nic.link_free
                } else {
                    now + self.fabric.setup.stages.nic_idle
                };
                self.fabric.ensure_nic_wake(terminal, time);
            }
        }
    }
}

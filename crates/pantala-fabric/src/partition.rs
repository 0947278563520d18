//! The network: state, construction, and the loop over events.
//!
//! What happens at one time happens in a fixed order: arrivals (phase 1), then deliveries, timers,
//! link decisions and NIC pulls in the order of [`Kind`], then routing and arbitration of every
//! router that something came to (`settle`). Routers speak to one another only through links with
//! latency, so within one time their order cannot matter.

pub(crate) mod audit;
pub(crate) mod blocks;
mod build;
pub(crate) mod messages;
pub(crate) mod network;
pub(crate) mod partition_map;
pub(crate) mod threads;

use crate::config::FabricConfig;
use crate::host::{Host, Wakes};
use crate::partition::blocks::Blocks;
use crate::partition::messages::PartitionMessages;
use crate::partition::partition_map::PartitionMap;
use crate::probe::Probe;
use crate::router::arrival::Arrived;
use crate::router::islip::Offer;
use crate::router::responses::Responses;
use crate::router::stages::Stages;
use crate::router::virtual_output::VirtualQueue;
use crate::router::wormhole::Worms;
use crate::store::account::{Credits, PendingPool};
use crate::store::packet::Packets;
use crate::store::port::{Hold, InPort, InVc, InputTurn, LinkCounters, Nic, OutPort, OutVc};
use pantala_engine::FlatArray;
use pantala_engine::{NEVER, Time, Wheel};
use pantala_routing::learning::{Learning, LearningWindow, QTable};
use pantala_topology::{Divisor, Topology};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// What an event is: its phase within one time. The order inside a phase does not matter.
pub(crate) struct Kind;

impl Kind {
    /// A packet's head is in the input VC it was sent to. Identity: the packet; hint: the input VC.
    pub(crate) const ARRIVE: u8 = 0;
    /// A packet is at its node. Identity: the packet.
    pub(crate) const DELIVER: u8 = 1;
    /// A host asked for this. Identity: the node.
    pub(crate) const TIMER: u8 = 2;
    /// A link may start a packet. Identity: the output port.
    pub(crate) const LINK: u8 = 3;
    /// A NIC may start a packet. Identity: the node.
    pub(crate) const NIC: u8 = 4;
    /// A crossbar output may have become free. Identity: the output port.
    pub(crate) const CROSSBAR: u8 = 5;
}

/// Totals of a run so far, responses included.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Totals {
    /// Events that had something to do. (A wake that an earlier one has overtaken is dropped and
    /// not counted here; how many of those there are depends on the order inside a phase, which
    /// nothing in the results may.)
    pub events: u64,
    /// Packets whose head has started on an injection link.
    pub packets_injected: u64,
    /// Packets at their destination NIC.
    pub packets_delivered: u64,
    /// Flits of them.
    pub flits_injected: u64,
    /// Flits of them.
    pub flits_delivered: u64,
    /// Link traversals between routers, plus ejections.
    pub packet_hops: u64,
}

impl Totals {
    /// The sum of both.
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

/// A Dragonfly with its routers, links, NICs and hosts, or one part of it ([`crate::Network`]).
pub struct Partition<H: Host, P> {
    pub(crate) config: FabricConfig,
    pub(crate) stages: Stages,
    pub(crate) topology: Arc<Topology>,
    /// The parts that the machine is simulated in, and which one this is.
    pub(crate) partitions: Arc<PartitionMap>,
    pub(crate) part: u16,
    /// By part, what is to be sent there.
    pub(crate) outbox: Vec<PartitionMessages<H::Message>>,
    /// As many more, empty between calls of `advance`: what is posted goes on while more is posted.
    pub(crate) spare_messages: Vec<PartitionMessages<H::Message>>,
    pub(crate) ports: u32,
    pub(crate) vcs: usize,
    /// The same, to divide by.
    pub(crate) by_vcs: Divisor,
    /// Words of 64 bits that hold one bit for each (input port, VC) of a router.
    pub(crate) words: usize,
    /// The events of the block that time passes in.
    pub(crate) wheel: Wheel,
    /// The blocks of groups that time passes in one after the other, and the events of the others.
    pub(crate) blocks: Blocks,
    pub(crate) packets: Packets,
    pub(crate) pool: PendingPool,
    pub(crate) in_ports: FlatArray<InPort>,
    pub(crate) in_vcs: FlatArray<InVc>,
    pub(crate) out_ports: FlatArray<OutPort>,
    pub(crate) out_vcs: FlatArray<OutVc>,
    /// By output VC, in `words` each: which input VCs of the router have a head that waits for it.
    pub(crate) waiting: FlatArray<u64>,
    /// By input VC: when it was granted last, for [`crate::config::Arbiter::Lru`].
    pub(crate) grant_stamps: FlatArray<u64>,
    /// By input port: whose turn it is, under [`crate::config::Arbiter::Islip`].
    pub(crate) input_turns: FlatArray<InputTurn>,
    /// By output VC: which packet on its way through the crossbar holds it; empty if none ever
    /// does.
    pub(crate) holds: FlatArray<Hold>,
    /// What packets whose flits move one by one leave behind them.
    pub(crate) worms: Worms,
    /// By output VC: who waits for room behind it; empty unless inputs queue by output.
    pub(crate) virtual_queues: FlatArray<VirtualQueue>,
    /// What routers have learned, if any routing does.
    pub(crate) learning: Learning,
    pub(crate) nics: FlatArray<Nic>,
    /// By node and VC, the credits of its injection link; empty if NICs inject on VC 0 only:
    /// [`Nic::credits`] stands for them.
    pub(crate) nic_credits: FlatArray<Credits>,
    /// By node, its responses; empty if there are none.
    pub(crate) nic_responses: FlatArray<Responses>,
    /// By node, a ring of when its last packets left: see [`FabricConfig::nic_buffer`].
    pub(crate) nic_departures: FlatArray<Time>,
    /// By output port and job: payload. Empty with a single job, whose bytes are the link's.
    pub(crate) job_bytes: FlatArray<u64>,
    /// By node and job: payload on the injection link. Likewise.
    pub(crate) nic_job_bytes: FlatArray<u64>,
    /// Packets that have just been routed, and where to: the first of their input VCs, or, where
    /// inputs queue by output, all.
    pub(crate) arrived: Vec<Arrived>,
    /// Input VCs whose head has to be routed now.
    pub(crate) fresh: Vec<u32>,
    /// Outputs to arbitrate now: by router a set of ports, and the routers whose set is not empty.
    pub(crate) dirty: FlatArray<u64>,
    pub(crate) dirty_words: usize,
    pub(crate) dirty_routers: Vec<u32>,
    pub(crate) dirty_outs: Vec<usize>,
    pub(crate) candidates: Vec<(u64, u32, u32)>,
    pub(crate) offers: Vec<Offer>,
    pub(crate) wakes: Wakes,
    /// The time of the event handled last in this block, and in any.
    pub(crate) now: Time,
    pub(crate) latest: Time,
    pub(crate) overtaken: u64,
    pub(crate) packets_delivered: u64,
    pub(crate) flits_delivered: u64,
    /// Of the packets delivered, those that are responses; and responses that wait in their NICs.
    pub(crate) responses_delivered: u64,
    pub(crate) responses_waiting: u64,
    /// The hosts.
    pub host: H,
    /// The probe.
    pub probe: P,
}

impl<H: Host, P: Probe> Partition<H, P> {
    /// Handles every event before `until`.
    pub fn advance(&mut self, until: Time) {
        if self.stages.default_model {
            self.run_blocks::<true>(until);
        } else {
            self.run_blocks::<false>(until);
        }
    }

    /// The loop, compiled twice: `F` says that all stages are those of the default model, so that
    /// its code holds no others.
    pub(crate) fn run<const F: bool>(&mut self, until: Time) {
        while let Some((now, phase)) = self.next_group(until) {
            self.now = now;
            match phase {
                Kind::ARRIVE => {
                    while let Some((id, in_vc)) = self.wheel.pop_with_hint() {
                        self.arrive::<F>(id, in_vc, now);
                    }
                }
                Kind::DELIVER => self.each(|partition, id| partition.deliver::<F>(id, now)),
                Kind::TIMER => self.each(|partition, id| {
                    partition.host.timer(id, now, &mut partition.wakes);
                    partition.react(id, now);
                }),
                Kind::LINK => self.each(|partition, id| partition.link_wake::<F>(id, now)),
                Kind::NIC => self.each(|partition, id| partition.nic_wake::<F>(id, now)),
                _ => self.each(|partition, id| partition.crossbar_wake::<F>(id, now)),
            }
            let unsettled = !self.arrived.is_empty() || !self.dirty_routers.is_empty();
            if unsettled && !self.wheel.more_at(now) {
                self.settle::<F>(now);
            }
        }
    }

    /// Moves to the next group of events, and fetches what those need that come soon after: in a
    /// large or saturated network hardly anything of it is in the cache, and the times of all these
    /// misses pass together.
    #[inline(always)]
    fn next_group(&mut self, until: Time) -> Option<(Time, u8)> {
        let Self {
            wheel,
            packets,
            in_vcs,
            in_ports,
            out_ports,
            out_vcs,
            waiting,
            nics,
            vcs,
            by_vcs,
            words,
            learning,
            stages,
            ..
        } = self;
        wheel.next_group_foreseen(until, |phase, id, hint| match phase {
            Kind::ARRIVE => {
                packets.prefetch(id);
                if stages.learning() {
                    learning.prefetch(id);
                }
                in_vcs.prefetch::<1>(hint as usize);
                in_ports.prefetch::<1>(by_vcs.quotient(hint) as usize);
            }
            Kind::DELIVER => packets.prefetch_whole(id),
            Kind::LINK | Kind::CROSSBAR => {
                let id = id as usize;
                out_ports.prefetch::<2>(id);
                // Four VCs or so.
                out_vcs.prefetch::<4>(id * *vcs);
                waiting.prefetch::<1>(id * *vcs * *words);
            }
            Kind::NIC => nics.prefetch::<2>(id as usize),
            _ => {}
        })
    }

    /// Handles the events of the current group.
    #[inline(always)]
    fn each(&mut self, handle: impl Fn(&mut Self, u32)) {
        while let Some(id) = self.wheel.pop() {
            handle(self, id);
        }
    }

    /// Does what a host asked for.
    #[inline(always)]
    pub(crate) fn react(&mut self, node: u32, now: Time) {
        if self.wakes.nic || !self.wakes.timers.is_empty() {
            self.react_to_wakes(node, now);
        }
    }

    #[inline(never)]
    fn react_to_wakes(&mut self, node: u32, now: Time) {
        if !self.wakes.timers.is_empty() {
            for &time in &self.wakes.timers {
                self.wheel.push(time, Kind::TIMER, node);
            }
            self.wakes.timers.clear();
        }
        if self.wakes.nic {
            self.wakes.nic = false;
            let nic = &self.nics[node as usize];
            if !nic.has_offer {
                let time =
                    if nic.link_free > now { nic.link_free } else { now + self.stages.nic_idle };
                self.ensure_nic_wake(node, time);
            }
        }
    }

    /// From now on, draws the order of events that nothing may depend on: for tests.
    pub fn scramble(&mut self, seed: u64) {
        for wheel in self.blocks.others_mut().chain(std::iter::once(&mut self.wheel)) {
            wheel.scramble(seed);
        }
    }

    /// When the next event comes; [`pantala_engine::NEVER`] if there is none.
    pub fn next_time(&self) -> Time {
        self.wheels().map(Wheel::next_time).min().unwrap_or(NEVER)
    }

    /// The time of the event handled last.
    #[must_use]
    pub fn now(&self) -> Time {
        self.latest.max(self.now)
    }

    /// Totals so far, summed over all ports.
    #[must_use]
    pub fn totals(&self) -> Totals {
        let injected =
            |f: fn(&LinkCounters) -> u64| self.nics.iter().map(|nic| f(&nic.counters)).sum();
        Totals {
            events: self.wheels().map(Wheel::popped).sum::<u64>() - self.overtaken,
            packets_injected: injected(|c| c.packets),
            packets_delivered: self.packets_delivered,
            flits_injected: injected(|c| c.flits),
            flits_delivered: self.flits_delivered,
            packet_hops: self.out_ports.iter().map(|port| port.counters.packets).sum(),
        }
    }

    /// Packets injected and not delivered.
    #[must_use]
    pub fn packets_in_flight(&self) -> u64 {
        self.packets.live() as u64 - self.worms.leading() - self.responses_waiting
    }

    /// Responses that wait in their NICs for the injection link.
    #[must_use]
    pub fn responses_waiting(&self) -> u64 {
        self.responses_waiting
    }

    /// Wakes that an earlier one had overtaken: handled, at a cost, in vain.
    #[must_use]
    pub fn overtaken_events(&self) -> u64 {
        self.overtaken
    }

    /// The topology.
    #[must_use]
    pub fn topology(&self) -> &Topology {
        &self.topology
    }

    /// The configuration.
    #[must_use]
    pub fn config(&self) -> &FabricConfig {
        &self.config
    }

    /// The counters of output port `port` of `router`.
    #[must_use]
    pub fn link_counters(&self, router: u32, port: u16) -> LinkCounters {
        self.link_counters_at(router, port, self.now())
    }

    /// The same, if nothing has happened up to `now`.
    pub(crate) fn link_counters_at(&self, router: u32, port: u16, now: Time) -> LinkCounters {
        let port = &self.out_ports[(router * self.ports + u32::from(port)) as usize];
        port.counters.at(port.stalled_since, now)
    }

    /// The counters of a node's injection link.
    #[must_use]
    pub fn injection_counters(&self, node: u32) -> LinkCounters {
        self.injection_counters_at(node, self.now())
    }

    /// The same, if nothing has happened up to `now`.
    pub(crate) fn injection_counters_at(&self, node: u32, now: Time) -> LinkCounters {
        let nic = &self.nics[node as usize];
        nic.counters.at(nic.stalled_since, now)
    }

    /// Payload bytes by job of output port `port` of `router`.
    #[must_use]
    pub fn link_job_bytes(&self, router: u32, port: u16) -> Vec<u64> {
        let link = (router * self.ports + u32::from(port)) as usize;
        self.job_row(&self.job_bytes, link, self.out_ports[link].counters.bytes)
    }

    /// Payload bytes by job of a node's injection link.
    #[must_use]
    pub fn injection_job_bytes(&self, node: u32) -> Vec<u64> {
        self.job_row(&self.nic_job_bytes, node as usize, self.nics[node as usize].counters.bytes)
    }

    fn job_row(&self, bytes: &FlatArray<u64>, link: usize, total: u64) -> Vec<u64> {
        let jobs = usize::from(self.config.jobs);
        if bytes.is_empty() {
            return vec![total; jobs];
        }
        bytes.run(link * jobs, jobs).to_vec()
    }

    /// What routers have learned, feedback included up to the last call of [`Self::learn_before`];
    /// no rows in a network without `q_adaptive`.
    #[must_use]
    pub fn estimates(&self) -> &QTable {
        self.learning.table()
    }

    /// Has routers start from what others have learned.
    ///
    /// # Panics
    /// If the tables are for another machine.
    pub fn start_from(&mut self, estimates: &QTable) {
        self.learning.start_from(estimates);
    }

    /// Applies all feedback before `until`, up to which all events have been handled; changes
    /// nothing that follows.
    pub fn learn_before(&mut self, until: Time) {
        self.learning.apply_before(until);
    }

    /// From now on, sums feedback up by windows of this length.
    pub fn record_learning(&mut self, window: Time) {
        self.learning.record(window);
    }

    /// What has been recorded of learning, in order of time.
    #[must_use]
    pub fn learning_windows(&self) -> &[LearningWindow] {
        self.learning.windows()
    }

    /// Bytes of memory that the network's state holds, hosts and topology left out.
    #[must_use]
    pub fn memory(&self) -> usize {
        self.in_ports.memory()
            + self.in_vcs.memory()
            + self.out_ports.memory()
            + self.out_vcs.memory()
            + self.waiting.memory()
            + self.grant_stamps.memory()
            + self.learning.memory()
            + self.dirty.memory()
            + self.holds.memory()
            + self.input_turns.memory()
            + self.worms.memory()
            + self.virtual_queues.memory()
            + self.nics.memory()
            + self.nic_credits.memory()
            + self.nic_responses.memory()
            + self.nic_departures.memory()
            + self.job_bytes.memory()
            + self.nic_job_bytes.memory()
            + self.packets.memory()
            + self.pool.memory()
            + self
                .outbox
                .iter()
                .chain(&self.spare_messages)
                .map(PartitionMessages::memory)
                .sum::<usize>()
            + self.wheels().map(Wheel::memory).sum::<usize>()
    }
}

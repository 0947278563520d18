//! The network: state, construction, and the loop over events.
//!
//! What happens at one time happens in a fixed order: arrivals (phase 1), then deliveries, timers, link decisions and NIC
//! pulls in the order of [`Kind`], then routing and arbitration of every router that something came to (`settle`). Routers
//! speak to one another only through links with latency, so within one time their order cannot matter.

use crate::config::{CrossbarClock, FabricConfig, HandOver, LinkDecision};
use crate::host::{Host, Wakes};
use crate::packet::{Packets, Queue};
use crate::pending::{Account, PendingPool};
use crate::port::{InPort, LinkCounters, Nic, OutPort, OutVc};
use crate::probe::Probe;
use pantala_engine::{Event, NEVER, Stream, Time, Wheel};
use pantala_topology::{LinkClass, Peer, Topology};

/// The purpose of the routing's random streams.
const ROUTING_STREAM: u64 = 0x526F_7574_696E_6721;

/// What an event is; the order of the variants is the order within one time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Kind {
    /// A packet's head is in an input buffer: entity input port, payload packet.
    Arrive,
    /// A packet is at its node: entity node, payload packet.
    Deliver,
    /// A host asked for this: entity node.
    Timer,
    /// A link may start a packet: entity output port.
    Link,
    /// A NIC may start a packet: entity node.
    Nic,
    /// A crossbar output may have become free: entity output port.
    Crossbar,
}

impl Kind {
    const ALL: [Self; 6] = [Self::Arrive, Self::Deliver, Self::Timer, Self::Link, Self::Nic, Self::Crossbar];

    #[inline]
    pub(crate) const fn word(self, entity: u32, payload: u32) -> u64 {
        ((self as u64) << 60) | ((entity as u64) << 32) | payload as u64
    }

    #[inline]
    pub(crate) const fn of(word: u64) -> (Self, u32, u32) {
        (Self::ALL[(word >> 60) as usize], (word >> 32) as u32 & 0x0FFF_FFFF, word as u32)
    }
}

/// Totals of a run so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Events handled.
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

/// A Dragonfly with its routers, links, NICs and hosts.
pub struct Network<H, P> {
    pub(crate) config: FabricConfig,
    pub(crate) topology: Topology,
    pub(crate) ports: u32,
    pub(crate) vcs: usize,
    /// Words of 64 bits that hold one bit for each (input port, VC) of a router.
    pub(crate) words: usize,
    pub(crate) wheel: Wheel,
    pub(crate) packets: Packets,
    pub(crate) pool: PendingPool,
    pub(crate) inputs: Vec<InPort>,
    pub(crate) in_queues: Vec<Queue>,
    pub(crate) outputs: Vec<OutPort>,
    pub(crate) out_vcs: Vec<OutVc>,
    pub(crate) waiting: Vec<u64>,
    pub(crate) grant_stamps: Vec<u64>,
    pub(crate) grants: u64,
    pub(crate) port_of_bit: Vec<u16>,
    pub(crate) nics: Vec<Nic>,
    pub(crate) nic_departures: Vec<Time>,
    pub(crate) counters: Vec<LinkCounters>,
    pub(crate) job_bytes: Vec<u64>,
    pub(crate) fresh: Vec<u32>,
    pub(crate) dirty: Vec<u32>,
    pub(crate) candidates: Vec<(u64, u32, u32)>,
    pub(crate) wakes: Wakes,
    /// Flit-time factors of the link decision: what an idle link waits, and what a head then needs (one of them is one).
    pub(crate) idle_flits: Time,
    pub(crate) head_flits: Time,
    pub(crate) now: Time,
    pub(crate) totals: Totals,
    /// The hosts.
    pub host: H,
    /// The probe.
    pub probe: P,
}

impl<H: Host, P: Probe> Network<H, P> {
    /// Builds the network and starts every host at time zero.
    ///
    /// `routing_keys` holds one key a node: its packets' random words depend on the seed and this key only.
    ///
    /// # Panics
    /// If a latency is zero, if there are more than 16 VCs, or if `routing_keys` is not one a node: plans are checked
    /// before.
    pub fn new(config: FabricConfig, topology: Topology, routing_keys: &[u64], host: H, probe: P) -> Self {
        let vcs = usize::from(config.routing.virtual_channels);
        let ports = topology.ports_per_router();
        assert!((1..=16).contains(&vcs), "1 to 16 VCs");
        assert_eq!(routing_keys.len(), topology.nodes() as usize, "one routing key a node");
        for timing in [config.terminal, config.local, config.global] {
            assert!(timing.latency > 0 && timing.flit > 0, "a link takes time");
        }
        let (idle_flits, head_flits) = match config.router.link_decision {
            LinkDecision::AtStart => (0, 1),
            LinkDecision::AfterFlit => (1, 0),
        };
        let bits = ports as usize * vcs;
        let words = bits.div_ceil(64);
        let out_ports = (topology.routers() * ports) as usize;
        let nodes = topology.nodes() as usize;
        // About one event a node and a picosecond-sized share of a flit time is due; 16 events a bucket sort fast.
        let width_log2 = 6u32.saturating_sub((nodes / 2_048 + 1).ilog2()).max(2);
        let mut network = Self {
            ports,
            vcs,
            words,
            wheel: Wheel::new(width_log2, 20 - width_log2),
            packets: Packets::default(),
            pool: PendingPool::new(),
            inputs: Vec::with_capacity(out_ports),
            in_queues: vec![Queue::default(); out_ports * vcs],
            outputs: Vec::with_capacity(out_ports),
            out_vcs: Vec::with_capacity(out_ports * vcs),
            waiting: vec![0; out_ports * words],
            grant_stamps: vec![0; out_ports * vcs],
            grants: 0,
            port_of_bit: (0..bits).map(|bit| (bit / vcs) as u16).collect(),
            nics: Vec::with_capacity(nodes),
            nic_departures: vec![0; nodes * config.nic_buffer as usize],
            counters: vec![LinkCounters::default(); out_ports + nodes],
            job_bytes: vec![0; (out_ports + nodes) * usize::from(config.jobs)],
            fresh: Vec::new(),
            dirty: Vec::new(),
            candidates: Vec::new(),
            wakes: Wakes::default(),
            idle_flits,
            head_flits,
            now: 0,
            totals: Totals::default(),
            host,
            probe,
            config,
            topology,
        };
        network.build_ports();
        network.build_nics(routing_keys);
        for node in 0..network.topology.nodes() {
            network.host.start(node, &mut network.wakes);
            network.react(node, 0);
        }
        network
    }

    fn timing(&self, class: LinkClass) -> crate::config::LinkTiming {
        match class {
            LinkClass::Terminal => self.config.terminal,
            LinkClass::Local => self.config.local,
            LinkClass::Global => self.config.global,
        }
    }

    fn build_ports(&mut self) {
        use crate::config::{CreditLatency, OutputLatency};
        let router_config = &self.config.router;
        let (input_latency, output_latency) = (router_config.input_latency, router_config.output_latency);
        let on_link = match router_config.output_latency_at {
            OutputLatency::Link => output_latency,
            OutputLatency::Crossbar => 0,
        };
        let credits_pass_routers = router_config.credit_latency == CreditLatency::LinkAndRouter;
        let space = match router_config.output_buffer {
            0 => i32::MAX / 2,
            flits => flits as i32,
        };
        let vc = OutVc {
            credits: Account::new(router_config.input_buffer as i32),
            space: Account::new(space),
            queue: Queue::default(),
            unsent: 0,
            space_wait: false,
        };
        for router in 0..self.topology.routers() {
            for port in 0..self.ports {
                let timing = self.timing(self.topology.class_of_port(port as u16));
                let peer = self.topology.peer(router, port as u16);
                let (target, ejection, connected) = match peer {
                    Peer::Node(node) => (node, true, true),
                    Peer::Port { router, port } => (router * self.ports + u32::from(port), false, true),
                    Peer::Unconnected => (u32::MAX, false, false),
                };
                // Data pass the sender's output part and the receiver's input part; a NIC has neither.
                let router_parts = output_latency + if ejection { 0 } else { input_latency };
                let credit_delay = timing.latency + if credits_pass_routers { router_parts } else { 0 };
                self.inputs.push(InPort {
                    busy_until: 0,
                    credit_delay,
                    upstream: target,
                    router,
                    terminal: ejection,
                });
                self.outputs.push(OutPort {
                    flit: timing.flit,
                    reach: on_link + timing.latency + if ejection { 0 } else { input_latency },
                    credit_delay: timing.latency + if credits_pass_routers { input_latency } else { 0 },
                    target,
                    ejection,
                    connected,
                    ..OutPort::UNCONNECTED
                });
                self.out_vcs.extend(std::iter::repeat_n(vc, self.vcs));
            }
        }
    }

    fn build_nics(&mut self, routing_keys: &[u64]) {
        for (node, &key) in routing_keys.iter().enumerate() {
            let node = node as u32;
            let router = self.topology.router_of(node);
            let port = u32::from(self.topology.terminal_port_of(node));
            self.nics.push(Nic {
                link_free: 0,
                wake: NEVER,
                credits: Account::new(self.config.router.input_buffer as i32),
                target: router * self.ports + port,
                credit_wait: false,
                offer: None,
                draws: Stream::new(self.config.seed, ROUTING_STREAM, key),
                stalled_since: NEVER,
                sent: 0,
            });
        }
    }

    /// Handles every event before `until`.
    pub fn advance(&mut self, until: Time) {
        while let Some(event) = self.wheel.pop_before(until) {
            let now = event.time;
            self.now = now;
            self.dispatch(event);
            while let Some(event) = self.wheel.pop_at(now) {
                self.dispatch(event);
            }
            if !(self.fresh.is_empty() && self.dirty.is_empty()) {
                self.settle(now);
            }
        }
    }

    #[inline]
    fn dispatch(&mut self, event: Event) {
        self.totals.events += 1;
        let now = event.time;
        let (kind, entity, payload) = Kind::of(event.word);
        match kind {
            Kind::Arrive => self.arrive(entity, payload),
            Kind::Deliver => self.deliver(entity, payload, now),
            Kind::Timer => {
                self.host.timer(entity, now, &mut self.wakes);
                self.react(entity, now);
            }
            Kind::Link => self.link_wake(entity, now),
            Kind::Nic => self.nic_wake(entity, now),
            Kind::Crossbar => self.crossbar_wake(entity, now),
        }
    }

    /// Routes what has come to the head of an input buffer and arbitrates where something can move, until nothing can.
    fn settle(&mut self, now: Time) {
        loop {
            let mut i = 0;
            while i < self.fresh.len() {
                let in_vc = self.fresh[i];
                self.route_head(in_vc, now);
                i += 1;
            }
            self.fresh.clear();
            if self.dirty.is_empty() {
                return;
            }
            self.arbitrate_dirty(now);
        }
    }

    /// Does what a host asked for.
    #[inline]
    pub(crate) fn react(&mut self, node: u32, now: Time) {
        for i in 0..self.wakes.timers.len() {
            let time = self.wakes.timers[i];
            self.wheel.push(Event { time, word: Kind::Timer.word(node, 0) });
        }
        self.wakes.timers.clear();
        if std::mem::take(&mut self.wakes.nic) {
            let nic = &self.nics[node as usize];
            if nic.offer.is_none() {
                let idle = self.idle_flits * self.config.terminal.flit;
                let time = if nic.link_free > now { nic.link_free } else { now + idle };
                self.ensure_nic_wake(node, time);
            }
        }
    }

    /// Whether the crossbar is clocked, and if so its period.
    #[inline]
    pub(crate) fn crossbar_period(&self) -> Option<Time> {
        match self.config.router.crossbar_clock {
            CrossbarClock::None => None,
            CrossbarClock::Flit => Some(self.config.router.crossbar_flit),
        }
    }

    /// Whether a packet's tail follows its head at the links' rate.
    #[inline]
    pub(crate) fn cut_through(&self) -> bool {
        self.config.router.hand_over == HandOver::Tail
    }

    /// When the next event comes; [`NEVER`] if there is none.
    pub fn next_time(&mut self) -> Time {
        self.wheel.next_time()
    }

    /// The time of the event handled last.
    #[must_use]
    pub fn now(&self) -> Time {
        self.now
    }

    /// Totals so far.
    #[must_use]
    pub fn totals(&self) -> &Totals {
        &self.totals
    }

    /// Packets injected and not delivered.
    #[must_use]
    pub fn packets_in_flight(&self) -> u64 {
        self.totals.packets_injected - self.totals.packets_delivered
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
        let index = (router * self.ports + u32::from(port)) as usize;
        let mut counters = self.counters[index];
        counters.stall += stalled(self.outputs[index].stalled_since, self.now);
        counters
    }

    /// The counters of a node's injection link.
    #[must_use]
    pub fn injection_counters(&self, node: u32) -> LinkCounters {
        let mut counters = self.counters[self.outputs.len() + node as usize];
        counters.stall += stalled(self.nics[node as usize].stalled_since, self.now);
        counters
    }

    /// Payload bytes by job of output port `port` of `router`.
    #[must_use]
    pub fn link_job_bytes(&self, router: u32, port: u16) -> &[u64] {
        self.job_row((router * self.ports + u32::from(port)) as usize)
    }

    /// Payload bytes by job of a node's injection link.
    #[must_use]
    pub fn injection_job_bytes(&self, node: u32) -> &[u64] {
        self.job_row(self.outputs.len() + node as usize)
    }

    fn job_row(&self, link: usize) -> &[u64] {
        let jobs = usize::from(self.config.jobs);
        &self.job_bytes[link * jobs..(link + 1) * jobs]
    }

    /// Bytes of memory that the network's state holds, hosts and topology left out.
    #[must_use]
    pub fn memory(&self) -> usize {
        self.inputs.capacity() * size_of::<InPort>()
            + self.in_queues.capacity() * size_of::<Queue>()
            + self.outputs.capacity() * size_of::<OutPort>()
            + self.out_vcs.capacity() * size_of::<OutVc>()
            + (self.waiting.capacity() + self.grant_stamps.capacity()) * size_of::<u64>()
            + self.nics.capacity() * size_of::<Nic>()
            + (self.nic_departures.capacity() + self.job_bytes.capacity()) * size_of::<u64>()
            + self.counters.capacity() * size_of::<LinkCounters>()
            + self.packets.memory()
            + self.pool.memory()
            + self.wheel.len() * size_of::<Event>()
    }
}

/// The stall time that is not in the counters yet.
fn stalled(since: Time, now: Time) -> Time {
    if since == NEVER { 0 } else { now.saturating_sub(since) }
}

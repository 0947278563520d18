//! Hosts and configurations for the fabric's tests.
#![allow(unreachable_pub)]

use pantala_engine::{Geometric, Stream, Time};
use pantala_fabric::config::*;
use pantala_fabric::packet::{Packet, PacketOrigin};
use pantala_fabric::{
    Delivery, FabricConfig, Host, PacketOffer, Partition, Probe, Pull, TrafficClass, Wakes,
};
use pantala_routing::{Algorithm, RoutingConfig, VcMap};
use pantala_topology::{LinkClass, Topology};
use std::collections::VecDeque;

pub use pantala_testing::topologies::*;

/// Kang et al.'s machine with the default router model.
pub fn kang(algorithm: Algorithm) -> FabricConfig {
    let link = |latency| LinkTiming::new(128, 25_000_000_000, latency);
    let mut config = FabricConfig {
        packet_bytes: 512,
        flit_bytes: 128,
        links: [link(10_000), link(30_000), link(30_000), link(30_000), link(300_000)],
        router: RouterConfig::default(),
        virtual_channels: 0,
        routings: Vec::new(),
        routing_of: Vec::new(),
        nic_buffer: 0,
        injection_vc: InjectionVc::First,
        responses: None,
        jobs: 1,
        seed: 1,
        blocks: 0,
    };
    config.route_all(RoutingConfig::new(algorithm));
    config
}

/// The same with SST's stages.
pub fn sst(algorithm: Algorithm) -> FabricConfig {
    let mut config = kang(algorithm);
    let router = &mut config.router;
    router.output_latency_at = OutputLatency::Link;
    router.crossbar_delay = CrossbarDelay::None;
    router.crossbar_clock = CrossbarClock::Flit;
    router.arbiter = Arbiter::Lru;
    router.serialization = Serialization::None;
    router.link_decision = LinkDecision::AfterFlit;
    router.credit_return = Release::Head;
    router.credit_latency = CreditLatency::LinkAndRouter;
    config.nic_buffer = 30;
    config
}

/// The same with the stages of CODES' dragonfly-dally.
pub fn codes(algorithm: Algorithm) -> FabricConfig {
    let mut config = kang(algorithm);
    let router = &mut config.router;
    router.input_latency = 0;
    router.output_latency = 100_000;
    router.output_latency_at = OutputLatency::Link;
    router.crossbar_delay = CrossbarDelay::None;
    router.input_queue = InputQueue::VirtualOutput;
    router.credit_check = CreditCheck::Crossbar;
    router.buffer_unit = BufferUnit::Packet;
    router.input_buffer = 16;
    router.output_buffer = 0;
    router.flow_control = FlowControl::StoreAndForward;
    router.credit_return = Release::Head;
    router.credit_latency = CreditLatency::Fixed;
    router.credit_delay = 1_500;
    config
}

/// Cycles of 1 ns and flits of 1 B: links of these latencies, crossbars of `speedup` flits a cycle.
fn cycles(
    algorithm: Algorithm,
    latencies: [Time; 3],
    speedup: u64,
    packet_flits: u32,
) -> FabricConfig {
    let mut config = kang(algorithm);
    config.packet_bytes = packet_flits;
    config.flit_bytes = 1;
    let [terminal, local, global] = latencies;
    for (link, latency) in config.links.iter_mut().zip([terminal, local, local, local, global]) {
        *link = LinkTiming { flit: 1_000, latency };
    }
    cross_in(&mut config, 1_000 / speedup);
    config.router.credit_return = Release::Flit;
    config
}

/// Makes a flit take `time` through a crossbar.
pub fn cross_in(config: &mut FabricConfig, time: Time) {
    config.router.crossbar_bandwidth = u64::from(config.flit_bytes) * 1_000_000_000_000 / time;
    assert_eq!(config.crossbar_flit(), time);
}

/// BookSim2's router, as the preset has it.
pub fn booksim2(
    algorithm: Algorithm,
    packet_flits: u32,
    speedup: u64,
    buffer: u32,
) -> FabricConfig {
    let mut config = cycles(algorithm, [1_000, 10_000, 100_000], speedup, packet_flits);
    config.injection_vc = InjectionVc::Random;
    let router = &mut config.router;
    router.input_latency = 2_000 / speedup;
    router.output_latency = 0;
    // Who learns, learns from packets.
    router.flow_control = if algorithm == Algorithm::QAdaptive {
        FlowControl::VirtualCutThrough
    } else {
        FlowControl::Wormhole
    };
    router.arbiter = Arbiter::Islip;
    router.crossbar_contention = CrossbarContention::PortAndVc;
    router.input_vc_gap = 2;
    router.output_vc_gap = 1;
    router.credit_check = CreditCheck::Crossbar;
    router.link_order = LinkOrder::Arrival;
    router.link_clock = LinkClock::Flit;
    router.input_buffer = buffer;
    router.output_buffer = 0;
    config
}

/// CAMINOS' router, as the preset has it.
pub fn caminos(algorithm: Algorithm, crossbar_delay: Time) -> FabricConfig {
    let mut config = cycles(algorithm, [1, 9_000, 99_000], 1, 4);
    config.injection_vc = InjectionVc::FirstFree;
    let router = &mut config.router;
    router.input_latency = 0;
    router.output_latency = crossbar_delay;
    router.crossbar_delay = CrossbarDelay::None;
    router.crossbar_contention = CrossbarContention::Vc;
    router.arbiter = Arbiter::Random;
    router.output_release = OutputRelease::Flit;
    router.input_buffer = 120;
    router.output_buffer = 8;
    config
}

/// Every router model under one routing, with and without responses, and when its traffic falls
/// silent: at `quiet`, a third of that with responses.
pub fn all_models(algorithm: Algorithm, quiet: Time) -> impl Iterator<Item = (FabricConfig, Time)> {
    let plain = [
        kang(algorithm),
        sst(algorithm),
        codes(algorithm),
        booksim2(algorithm, 4, 2, 12),
        caminos(algorithm, 2_000),
    ];
    let answering = plain.clone().map(|mut config| {
        config.respond(config.packet_bytes / 2);
        (config, quiet / 3)
    });
    plain.map(|config| (config, quiet)).into_iter().chain(answering)
}

/// A host that sends given packets (created, destination, bytes), in order.
pub struct Script {
    pub queues: Vec<VecDeque<(Time, u32, u32)>>,
}

impl Script {
    pub fn new(terminals: u32) -> Self {
        Self { queues: vec![VecDeque::new(); terminals as usize] }
    }
}

impl Host for Script {
    type Message = ();

    fn start(&mut self, terminal: u32, wakes: &mut Wakes) {
        wakes.nic = !self.queues[terminal as usize].is_empty();
    }
    fn pull(&mut self, terminal: u32, now: Time, _: &mut Wakes) -> Pull {
        let queue = &mut self.queues[terminal as usize];
        match queue.front() {
            None => Pull::Idle,
            Some(&(created, _, _)) if created > now => Pull::Later(created),
            Some(&(created, destination, bytes)) => {
                queue.pop_front();
                Pull::Packet(PacketOffer {
                    destination,
                    bytes,
                    created,
                    message: 0,
                    number: 0,
                    job: 0,
                    class: TrafficClass::PointToPoint,
                })
            }
        }
    }
    fn deliver(&mut self, _: u32, _: &Delivery, _: Time, _: &mut Wakes) {}
    fn timer(&mut self, _: u32, _: Time, _: &mut Wakes) {}
}

/// Uniform random Bernoulli or periodic traffic without end, each packet of a job and a class drawn
/// for it.
pub struct Uniform {
    pub jobs: u32,
    pub terminals: u32,
    pub slot: Time,
    pub gaps: Geometric,
    pub bytes: u32,
    /// Packets are of this size to `bytes`, evenly.
    pub shortest: u32,
    pub next: Vec<Time>,
    pub streams: Vec<Stream>,
    pub until: Time,
}

impl Uniform {
    pub fn new(terminals: u32, config: &FabricConfig, load: f64, until: Time) -> Self {
        let p = load / f64::from(config.flits(config.packet_bytes));
        let mut host = Self {
            jobs: config.jobs.into(),
            terminals,
            slot: config.timing(LinkClass::Terminal).flit,
            gaps: Geometric::new(p),
            bytes: config.packet_bytes,
            shortest: config.packet_bytes,
            next: vec![0; terminals as usize],
            streams: (0..terminals).map(|n| Stream::new(config.seed, 99, u64::from(n))).collect(),
            until,
        };
        for terminal in 0..terminals as usize {
            host.step(terminal);
        }
        host
    }
    fn step(&mut self, terminal: usize) {
        self.next[terminal] += self.slot * self.gaps.draw(&mut self.streams[terminal]);
    }
}

impl Host for Uniform {
    type Message = ();

    fn start(&mut self, _: u32, wakes: &mut Wakes) {
        wakes.nic = true;
    }
    fn pull(&mut self, terminal: u32, now: Time, _: &mut Wakes) -> Pull {
        let created = self.next[terminal as usize];
        if created >= self.until {
            return Pull::Idle;
        }
        if created > now {
            return Pull::Later(created);
        }
        let mut destination = self.streams[terminal as usize].below(self.terminals - 1);
        destination += u32::from(destination >= terminal);
        let (mut job, mut class) = (0, TrafficClass::PointToPoint);
        if self.jobs > 1 {
            job = self.streams[terminal as usize].below(self.jobs) as u16;
            if self.streams[terminal as usize].below(2) == 1 {
                class = TrafficClass::AllToAll;
            }
        }
        self.step(terminal as usize);
        Pull::Packet(PacketOffer {
            destination,
            bytes: self.bytes,
            created,
            message: 0,
            number: 0,
            job,
            class,
        })
    }
    fn next_at(&self, terminal: u32) -> Time {
        self.next[terminal as usize]
    }
    fn deliver(&mut self, _: u32, _: &Delivery, _: Time, _: &mut Wakes) {}
    fn timer(&mut self, _: u32, _: Time, _: &mut Wakes) {}
}

/// Keeps every delivery, and every response's.
#[derive(Default)]
pub struct Log {
    pub packets: Vec<Seen>,
    pub responses: Vec<Seen>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Seen {
    pub source: u32,
    pub destination: u32,
    pub created: Time,
    pub accepted: Time,
    pub injected: Time,
    pub delivered: Time,
    pub hops: u8,
    pub nonminimal: bool,
    pub routing: u8,
}

impl Seen {
    fn new(packet: &Packet, origin: &PacketOrigin, now: Time) -> Self {
        Self {
            source: origin.source,
            destination: packet.route.destination,
            created: origin.created,
            accepted: origin.accepted,
            injected: origin.injected,
            delivered: now,
            hops: packet.route.hops,
            nonminimal: packet.route.nonminimal,
            routing: packet.route.routing,
        }
    }
}

impl Probe for Log {
    fn injected(&mut self, _: u16, _: u32, _: Time) {}
    fn delivered(&mut self, packet: &Packet, origin: &PacketOrigin, now: Time) -> bool {
        self.packets.push(Seen::new(packet, origin, now));
        false
    }
    fn answered(&mut self, packet: &Packet, origin: &PacketOrigin, now: Time) {
        self.responses.push(Seen::new(packet, origin, now));
    }
}

pub fn partition<H: Host>(config: FabricConfig, topology: Topology, host: H) -> Partition<H, Log> {
    let keys: Vec<u64> = (0..u64::from(topology.terminals())).collect();
    Partition::new(config, topology, &keys, host, Log::default())
}

/// A loaded network that stands still: `valiant_node` with one VC for everything, and one packet's
/// room in every input VC.
pub fn deadlocked(mut config: FabricConfig) -> Partition<Uniform, Log> {
    let vc_map = VcMap::ascending(1, 0, 0, 0, 0);
    config.route_all(RoutingConfig { vc_map, ..RoutingConfig::new(Algorithm::ValiantNode) });
    config.router.input_buffer = 4;
    let topology = dragonfly(4, 4, 1, 5);
    let host = Uniform::new(topology.terminals(), &config, 1.0, 50_000_000);
    let mut net = partition(config, topology, host);
    net.advance(Time::MAX);
    assert!(net.packets_in_flight() > 0, "it should have deadlocked");
    assert!(net.audit().balanced());
    net
}

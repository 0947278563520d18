//! An ideal network for tests. Every packet takes its serialization and a latency, which is fixed
//! or random (so that packets overtake each other). There is no contention except at the injection
//! of a NIC.

use std::collections::BTreeMap;

use pantala_engine::{Stream, Time};
use pantala_fabric::{Delivery, PacketOffer, Pull, Wakes};
use pantala_mpi::{
    COMM_WORLD, Communicator, GetService, Incoming, IterationMark, MpiConfig, MpiLayer, NicOrder,
    Op, OperationStream, Outcome, Outgoing, Progress, RankReport, RankSetup, ReceiveRegistration,
    Recording, Source, TagSelect,
};

/// The hosts that the network drives. A node is a NIC.
pub trait Hosts {
    /// Starts the host of a node at time zero.
    fn start(&mut self, node: u32, wakes: &mut Wakes);
    /// Returns what the host of a node offers to its NIC.
    fn pull(&mut self, node: u32, now: Time, wakes: &mut Wakes) -> Pull;
    /// Gives the host of a node a packet.
    fn deliver(&mut self, node: u32, packet: &Delivery, now: Time, wakes: &mut Wakes);
    /// Handles a timer of the host of a node.
    fn timer(&mut self, node: u32, now: Time, wakes: &mut Wakes);
}

impl<P: OperationStream> Hosts for MpiLayer<P> {
    fn start(&mut self, node: u32, wakes: &mut Wakes) {
        Self::start(self, node, wakes);
    }
    fn pull(&mut self, node: u32, now: Time, wakes: &mut Wakes) -> Pull {
        Self::pull(self, node, now, wakes)
    }
    fn deliver(&mut self, node: u32, packet: &Delivery, now: Time, wakes: &mut Wakes) {
        Self::deliver(self, node, packet, now, wakes);
    }
    fn timer(&mut self, node: u32, now: Time, wakes: &mut Wakes) {
        Self::timer(self, node, now, wakes);
    }
}

#[derive(Clone, Copy, Debug)]
enum Event {
    Deliver(Delivery),
    Timer,
    Pull,
}

/// The network and its clock.
#[derive(Debug)]
pub struct Ideal {
    /// Latency of every packet, ps.
    pub latency: Time,
    /// Serialization at the NIC, in ps per byte.
    pub per_byte: Time,
    /// Largest additional latency, drawn per packet.
    pub jitter: u32,
    /// Every packet offered, with node and time.
    pub offered: Vec<(Time, u32, PacketOffer)>,
    /// Whether `offered` is kept.
    pub keep_offers: bool,
    /// The number of packets offered.
    pub packets: u64,
    /// The bytes of all packets offered.
    pub bytes: u64,
    stream: Stream,
    events: BTreeMap<(Time, u8, u32, u64), Event>,
    sequence: u64,
    free_at: Vec<Time>,
    next_pull: Vec<Option<Time>>,
}

impl Ideal {
    /// Returns a network that keeps the order of packets.
    pub fn new(latency: Time, per_byte: Time) -> Self {
        Self {
            latency,
            per_byte,
            jitter: 0,
            offered: Vec::new(),
            keep_offers: true,
            packets: 0,
            bytes: 0,
            stream: Stream::new(99, 0, 0),
            events: BTreeMap::new(),
            sequence: 0,
            free_at: Vec::new(),
            next_pull: Vec::new(),
        }
    }

    /// Returns a network in which packets overtake each other, by at most `jitter`.
    pub fn reordering(latency: Time, per_byte: Time, jitter: u32, seed: u64) -> Self {
        Self { jitter, stream: Stream::new(seed, 0, 0), ..Self::new(latency, per_byte) }
    }

    fn push(&mut self, time: Time, phase: u8, node: u32, event: Event) {
        self.sequence += 1;
        self.events.insert((time, phase, node, self.sequence), event);
    }

    fn pull_at(&mut self, node: u32, time: Time) {
        let time = time.max(self.free_at[node as usize]);
        if self.next_pull[node as usize].is_none_or(|t| t > time) {
            self.next_pull[node as usize] = Some(time);
            self.push(time, 2, node, Event::Pull);
        }
    }

    fn react(&mut self, node: u32, now: Time, wakes: &mut Wakes) {
        if std::mem::take(&mut wakes.nic) {
            self.pull_at(node, now);
        }
        for time in wakes.timers.drain(..) {
            assert!(time >= now, "a timer in the past");
            self.push(time, 1, node, Event::Timer);
        }
    }

    /// Runs until nothing can happen any more, or until `end`. Returns the time of the last event.
    ///
    /// # Panics
    /// If a host asks for a time in the past or offers an empty packet.
    pub fn run(&mut self, hosts: &mut impl Hosts, nodes: u32, end: Time) -> Time {
        self.free_at = vec![0; nodes as usize];
        self.next_pull = vec![None; nodes as usize];
        let mut wakes = Wakes::default();
        for node in 0..nodes {
            hosts.start(node, &mut wakes);
            self.react(node, 0, &mut wakes);
        }
        let mut last = 0;
        while let Some(((now, _, node, _), event)) = self.events.pop_first() {
            if now > end {
                break;
            }
            last = now;
            match event {
                Event::Deliver(packet) => hosts.deliver(node, &packet, now, &mut wakes),
                Event::Timer => hosts.timer(node, now, &mut wakes),
                Event::Pull if self.next_pull[node as usize] == Some(now) => {
                    self.next_pull[node as usize] = None;
                    match hosts.pull(node, now, &mut wakes) {
                        Pull::Idle => {}
                        Pull::Later(time) => {
                            assert!(time > now, "later is later than now");
                            self.pull_at(node, time);
                        }
                        Pull::Packet(packet) => self.send(node, packet, now),
                    }
                }
                Event::Pull => {}
            }
            self.react(node, now, &mut wakes);
        }
        last
    }

    fn send(&mut self, node: u32, packet: PacketOffer, now: Time) {
        assert!(packet.bytes > 0 && packet.created <= now);
        self.packets += 1;
        self.bytes += u64::from(packet.bytes);
        if self.keep_offers {
            self.offered.push((now, node, packet));
        }
        let tail = now + u64::from(packet.bytes) * self.per_byte;
        self.free_at[node as usize] = tail;
        self.pull_at(node, tail);
        let jitter = if self.jitter > 0 { u64::from(self.stream.below(self.jitter)) } else { 0 };
        let PacketOffer { destination, bytes, created, message, number, job, class: _ } = packet;
        let delivery = Delivery { source: node, bytes, created, message, number, job };
        self.push(tail + self.latency + jitter, 0, destination, Event::Deliver(delivery));
    }
}

/// A program that is a list.
#[derive(Clone, Debug)]
pub struct Script(pub std::vec::IntoIter<Op>);

impl OperationStream for Script {
    fn next(&mut self, _: Time, _: &Outcome) -> Option<Op> {
        self.0.next()
    }
}

/// The host stack of SST's firefly with the values of Kang et al. (SC 2022).
pub fn firefly() -> MpiConfig {
    MpiConfig {
        control_bytes: 45,
        get_bytes: 13,
        acknowledgement_bytes: 15,
        eager_header_bytes: 45,
        data_header_bytes: 13,
        call_overhead_ps: 30_000,
        send_overhead_ps: 24_000,
        receive_overhead_ps: 10_000,
        send_copy_per_byte_fs: 344_000,
        registration_ps: 300_000,
        registration_per_page_ps: 10_000,
        receive_registration: ReceiveRegistration::Posted,
        deregistration_ps: 300_000,
        deregistration_per_page_ps: 10_000,
        match_per_entry_ps: 15_000,
        host_to_nic_ps: 5_000,
        nic_to_host_ps: 5_000,
        nic_transmit_ps: 5_000,
        nic_match_ps: 10_000,
        get_service: GetService::Nic,
        nic_read_ps: 200_000,
        nic_order: NicOrder::GetsApart,
        progress: Progress::InCalls,
        ..MpiConfig::default()
    }
}

/// A layer with one job (number 0), rank r on node r, start at 0.
///
/// # Panics
/// If the layer refuses the job.
pub fn layer(config: MpiConfig, scripts: Vec<Vec<Op>>) -> MpiLayer<Script> {
    layer_with(config, scripts, |_| Vec::new())
}

/// As [`layer`], with communicators.
///
/// # Panics
/// If the layer refuses the job.
pub fn layer_with(
    config: MpiConfig,
    scripts: Vec<Vec<Op>>,
    communicators: impl Fn(u32) -> Vec<Communicator>,
) -> MpiLayer<Script> {
    let mut layer = MpiLayer::new(config, Recording::default(), 512);
    let ranks = scripts
        .into_iter()
        .enumerate()
        .map(|(r, script)| RankSetup {
            nic: layer.add_nic(r as u32),
            program: Script(script.into_iter()),
            communicators: communicators(r as u32),
        })
        .collect();
    layer.add_job(0, 0, ranks).unwrap();
    layer
}

/// A layer with one job (number 0) and `per_node` ranks per node, in blocks.
///
/// # Panics
/// If the layer refuses the job.
pub fn shared_layer(config: MpiConfig, per_node: u32, scripts: Vec<Vec<Op>>) -> MpiLayer<Script> {
    let mut layer = MpiLayer::new(config, Recording::default(), 512);
    let nodes = (scripts.len() as u32).div_ceil(per_node);
    (0..nodes).for_each(|node| assert_eq!(layer.add_nic(node), node));
    let setup = |(r, script): (u32, Vec<Op>)| RankSetup {
        nic: r / per_node,
        program: Script(script.into_iter()),
        communicators: Vec::new(),
    };
    layer.add_job(0, 0, (0..).zip(scripts).map(setup).collect()).unwrap();
    layer
}

/// Runs a layer on an ideal network to the end.
///
/// # Panics
/// If a rank has not ended, or the layer reports an error.
pub fn finish<P: OperationStream>(layer: &mut MpiLayer<P>, network: &mut Ideal) -> Time {
    let nodes = layer.ranks_ended().1;
    let end = network.run(layer, nodes, Time::MAX);
    assert_eq!(layer.errors(), []);
    assert!(layer.finished(), "{:#?}", layer.blocked_report());
    end
}

/// The reports of the ranks of job 0.
pub fn reports<P: OperationStream>(layer: &MpiLayer<P>) -> Vec<RankReport> {
    layer.rank_reports(0).collect()
}

/// The start mark of an iteration.
pub fn iteration(number: u32) -> Op {
    Op::IterationStart(IterationMark { iteration: number, ..IterationMark::default() })
}

/// A message to a rank of the world.
pub fn to(destination: u32, tag: i32, bytes: u64) -> Outgoing {
    Outgoing { communicator: COMM_WORLD, destination, tag, bytes }
}

/// A receive from a rank of the world.
pub fn from(source: u32, tag: i32, bytes: u64) -> Incoming {
    Incoming {
        communicator: COMM_WORLD,
        source: Source::Rank(source),
        tag: TagSelect::Is(tag),
        bytes,
    }
}

/// A receive from any rank of the world.
pub fn from_any(tag: TagSelect, bytes: u64) -> Incoming {
    Incoming { communicator: COMM_WORLD, source: Source::Any, tag, bytes }
}

//! Construction: from a configuration and a topology to the network's arrays.

use crate::config::{
    Arbiter, BufferUnit, CreditCheck, CreditLatency, CrossbarContention, FabricConfig, InputQueue,
    LinkDecision, LinkTiming, OutputLatency, Serialization,
};
use crate::host::{Host, PacketOffer, TrafficClass, Wakes};
use crate::partition::Partition;
use crate::partition::blocks::Blocks;
use crate::partition::messages::PartitionMessages;
use crate::partition::partition_map::PartitionMap;
use crate::probe::Probe;
use crate::router::crossbar::space_of;
use crate::router::responses::Responses;
use crate::router::stages::Stages;
use crate::router::virtual_output::VirtualQueue;
use crate::router::wormhole::Worms;
use crate::store::account::{Account, Credits, PendingPool};
use crate::store::packet::{NONE, Packets};
use crate::store::port::{
    ELSEWHERE, HERE, Hold, InPort, InVc, InputTurn, LinkCounters, LinkEnd, NODE, Nic, OutPort,
    OutVc,
};
use crate::store::queue::Queue;
use pantala_engine::FlatArray;
use pantala_engine::{NEVER, Stream, Time, Wheel};
use pantala_routing::MAX_VIRTUAL_CHANNELS;
use pantala_routing::learning::Learning;
use pantala_topology::{Divisor, LinkClass, Peer, Topology};
use std::ops::Range;
use std::sync::Arc;

/// The purpose of the routing's random streams.
const ROUTING_STREAM: u64 = 0x526F_7574_696E_6721;

/// An empty array for items of which the first has this number, and there will be so many.
fn room<T>((first, count): (usize, usize)) -> FlatArray<T> {
    FlatArray::numbered_from(first, Vec::with_capacity(count))
}

/// Empty messages for so many partitions.
fn empty_messages<M>(parts: u16) -> Vec<PartitionMessages<M>> {
    std::iter::repeat_with(PartitionMessages::default).take(parts.into()).collect()
}

/// So many of one item, the first with this number.
fn filled<T: Clone>((first, count): (usize, usize), item: T) -> FlatArray<T> {
    FlatArray::numbered_from(first, vec![item; count])
}

impl<H: Host, P: Probe> Partition<H, P> {
    /// Builds the network and starts every host at time zero.
    ///
    /// `routing_keys` holds one key a node: its packets' random words depend on the seed and this
    /// key only.
    ///
    /// # Panics
    /// If a latency is zero, if there are more than [`MAX_VIRTUAL_CHANNELS`] VCs, or if `routing_keys` is
    /// not one a node: plans are checked before.
    pub fn new(
        config: FabricConfig,
        topology: Topology,
        routing_keys: &[u64],
        host: H,
        probe: P,
    ) -> Self {
        let partitions = Arc::new(PartitionMap::whole(&topology));
        Self::part(config, Arc::new(topology), partitions, 0, routing_keys, host, probe)
    }

    /// Builds one part of a machine, as [`new`](Self::new) does the whole; the keys are those of
    /// all nodes.
    pub(crate) fn part(
        config: FabricConfig,
        topology: Arc<Topology>,
        partitions: Arc<PartitionMap>,
        part: u16,
        routing_keys: &[u64],
        host: H,
        probe: P,
    ) -> Self {
        let vcs = usize::from(config.virtual_channels);
        let ports = topology.ports_per_router();
        assert!((1..=usize::from(MAX_VIRTUAL_CHANNELS)).contains(&vcs), "1 to 16 VCs");
        assert_eq!(routing_keys.len(), topology.nodes() as usize, "one routing key a node");
        assert!(
            config.routings.iter().all(|r| r.virtual_channels() <= config.virtual_channels),
            "VCs for every routing"
        );
        assert_eq!(
            config.routing_of.len(),
            usize::from(config.jobs) * TrafficClass::COUNT,
            "a routing for every job and class"
        );
        assert!(
            config.routing_of.iter().all(|&r| usize::from(r) < config.routings.len()),
            "routings that exist"
        );
        if let Some(responses) = config.responses {
            let (requests, answers) =
                config.routings.split_at(usize::from(responses.first_routing));
            assert_eq!(
                requests.len(),
                answers.len(),
                "a routing of responses for every routing of requests"
            );
            assert!(
                requests.iter().all(|r| r.virtual_channels() <= responses.first_vc),
                "requests on VCs of their own"
            );
            assert!(
                answers.iter().all(|r| r.first_vc >= responses.first_vc),
                "responses on VCs of their own"
            );
            assert!(
                config.routing_of.iter().all(|&r| r < responses.first_routing),
                "requests that are routed as such"
            );
            assert!((1..=config.packet_bytes).contains(&responses.bytes), "a response is a packet");
        }
        let fixed = config.router.credit_latency == CreditLatency::Fixed;
        assert!(!fixed || config.router.credit_delay > 0, "a credit takes time");
        for timing in config.links {
            assert!(timing.latency > 0 && timing.flit > 0, "a link takes time");
        }
        let words = (ports as usize * vcs).div_ceil(64);
        let dirty_words = ports.div_ceil(64) as usize;
        let (own_routers, own_nodes) = (partitions.routers(part), partitions.nodes(part));
        // The first number and how many, of what there are `each` of a router or node.
        let by_router = |each: usize| (own_routers.start as usize * each, own_routers.len() * each);
        let by_node = |each: usize| (own_nodes.start as usize * each, own_nodes.len() * each);
        let by_port = |each: usize| by_router(ports as usize * each);
        let jobs = if config.jobs > 1 { usize::from(config.jobs) } else { 0 };
        let mut partition = Self {
            stages: Stages::new(&config, ports),
            ports,
            vcs,
            by_vcs: Divisor::new(vcs as u32),
            words,
            wheel: Wheel::new(),
            blocks: Blocks::default(),
            packets: Packets::default(),
            pool: PendingPool::default(),
            in_ports: room(by_port(1)),
            in_vcs: room(by_port(vcs)),
            out_ports: room(by_port(1)),
            out_vcs: room(by_port(vcs)),
            waiting: filled(by_port(vcs * words), 0),
            grant_stamps: FlatArray::default(),
            holds: FlatArray::default(),
            input_turns: FlatArray::default(),
            virtual_queues: FlatArray::default(),
            worms: Worms::default(),
            learning: Learning::new(
                &config.routings,
                config.link_latencies(),
                &topology,
                own_routers.clone(),
            ),
            nics: room(by_node(1)),
            nic_credits: FlatArray::default(),
            nic_responses: FlatArray::default(),
            nic_departures: filled(by_node(config.nic_buffer as usize), 0),
            job_bytes: filled(by_port(jobs), 0),
            nic_job_bytes: filled(by_node(jobs), 0),
            fresh: Vec::new(),
            arrived: Vec::new(),
            dirty: filled(by_router(dirty_words), 0),
            dirty_words,
            dirty_routers: Vec::new(),
            dirty_outs: Vec::new(),
            candidates: Vec::new(),
            offers: Vec::new(),
            wakes: Wakes::default(),
            now: 0,
            latest: 0,
            overtaken: 0,
            packets_delivered: 0,
            flits_delivered: 0,
            responses_delivered: 0,
            responses_waiting: 0,
            host,
            probe,
            outbox: empty_messages(partitions.count()),
            spare_messages: empty_messages(partitions.count()),
            config,
            topology,
            partitions,
            part,
        };
        if partition.config.router.arbiter != Arbiter::RoundRobin
            || partition.stages.holds_vcs::<false>()
        {
            partition.grant_stamps = filled(by_port(vcs), 0);
        }
        if partition.stages.holds_vcs::<false>() {
            partition.holds = filled(by_port(vcs), Hold { until: 0, owner: NONE, next_input: 0 });
        }
        if partition.config.router.arbiter == Arbiter::Islip {
            assert!(
                partition.stages.holds_vcs::<false>() && partition.stages.holds_ports::<false>(),
                "iSLIP matches ports"
            );
            partition.input_turns = filled(by_port(1), InputTurn::default());
        }
        if partition.stages.by_flits::<false>() {
            let router = &partition.config.router;
            assert!(
                router.input_queue == InputQueue::Fifo
                    && router.crossbar_contention == CrossbarContention::PortAndVc
                    && router.serialization == Serialization::Counted
                    && router.buffer_unit == BufferUnit::Flit
                    && router.link_decision == LinkDecision::AtStart
                    && !partition.stages.learning(),
                "flits move one by one through routers that let them"
            );
            partition.worms = Worms::new(by_port(vcs), by_node(1), vcs);
        }
        if partition.config.router.input_queue == InputQueue::VirtualOutput {
            partition.virtual_queues = filled(by_port(vcs), VirtualQueue::default());
        }
        if partition.config.responses.is_some() {
            partition.nic_responses = filled(by_node(1), Responses::default());
        }
        if !partition.stages.one_account::<false>() {
            let full = Credits::new(partition.config.router.input_buffer as i32);
            partition.nic_credits = filled(by_node(vcs), full);
        }
        partition.blocks =
            Blocks::of(&partition.config, &partition.topology, partition.partitions.groups(part));
        partition.build_ports(own_routers);
        partition.build_nics(own_nodes.clone(), routing_keys);
        for node in own_nodes {
            partition.enter(partition.blocks.of_group(partition.topology.group_of_node(node)));
            partition.host.start(node, &mut partition.wakes);
            partition.react(node, 0);
        }
        partition
    }

    fn build_ports(&mut self, own: Range<u32>) {
        let router_config = self.config.router.clone();
        let (input_latency, output_latency) =
            (router_config.input_latency, router_config.output_latency);
        let on_link = match router_config.output_latency_at {
            OutputLatency::Link => output_latency,
            OutputLatency::Crossbar => 0,
        };
        // How long a credit takes over a link of `latency` on which data pass these router parts.
        let credit_delay = |latency: Time, parts: Time| match router_config.credit_latency {
            CreditLatency::Link => latency,
            CreditLatency::LinkAndRouter => latency + parts,
            CreditLatency::Fixed => router_config.credit_delay,
        };
        let out_vc = OutVc {
            credits: Credits::new(router_config.input_buffer as i32),
            space: Account::new(space_of(router_config.output_buffer)),
            queue: Queue::default(),
            gone: 0,
            unsent: 0,
            credit_wait: 0,
            space_wait: false,
        };
        for router in own {
            let group = self.topology.group_of(router);
            for port in 0..self.ports {
                let port_class = self.topology.class_of_port(port as u16);
                let timing = self.config.timing(port_class);
                let peer = self.topology.peer(router, port as u16);
                let number = router * self.ports + port;
                let first_vc = |port: u32| port * self.vcs as u32;
                let (upstream, target, end) = match peer {
                    Peer::Node(node) => (node, node, self.node_end(timing, on_link, input_latency)),
                    Peer::Port { router, port } => {
                        let vc = first_vc(router * self.ports + u32::from(port));
                        (vc, vc, self.router_end(port_class))
                    }
                    Peer::Unconnected => (u32::MAX, u32::MAX, LinkEnd::Nothing),
                };
                let terminal = matches!(peer, Peer::Node(_));
                let home = self.blocks.of_group(group);
                let other_part = match peer {
                    Peer::Port { router, .. } => self.partitions.of_router(router),
                    _ => self.part,
                };
                let (beyond, sender_part) = match peer {
                    _ if other_part != self.part => (ELSEWHERE | other_part, other_part),
                    Peer::Port { router, .. } => {
                        (self.blocks.of_group(self.topology.group_of(router)), HERE)
                    }
                    _ => (home, HERE),
                };
                // Data pass the sender's output part and the receiver's input part; a NIC has
                // neither.
                let parts = output_latency + if terminal { 0 } else { input_latency };
                self.in_ports.push(InPort {
                    busy_until: 0,
                    credit_delay: credit_delay(timing.latency, parts),
                    router,
                    group,
                    upstream,
                    waiting: 0,
                    sender_part: if terminal { NODE } else { sender_part },
                });
                for vc in 0..self.vcs as u32 {
                    let queue = Queue::default();
                    let bit = (port * self.vcs as u32 + vc) as u16;
                    self.in_vcs.push(InVc {
                        queue,
                        open: 0,
                        port: number,
                        out_vc: 0,
                        bit,
                        flits: 0,
                    });
                }
                self.out_ports.push(OutPort {
                    waiting: 0,
                    crossbar_free: 0,
                    link_free: 0,
                    wake: NEVER,
                    crossbar_wake: NEVER,
                    routed_at: 0,
                    flit: timing.flit,
                    reach: on_link + timing.latency + if terminal { 0 } else { input_latency },
                    target,
                    queued: 0,
                    next_input: 0,
                    home,
                    beyond,
                    next_vc: 0,
                    port: port as u16,
                    router,
                    end,
                    counters: LinkCounters::default(),
                    stalled_since: NEVER,
                    credit_delay: credit_delay(timing.latency, input_latency),
                });
                self.out_vcs.extend(std::iter::repeat_n(out_vc, self.vcs));
            }
        }
    }

    /// Whether the routing sends packets of one VC only over links of `class`.
    fn router_end(&self, class: LinkClass) -> LinkEnd {
        if self.stages.minimal && class == LinkClass::Global {
            LinkEnd::SingleRouter
        } else {
            LinkEnd::Router
        }
    }

    /// Whether a node's buffer can ever run short of credits: they come back a fixed time after a
    /// packet's tail, and no more flits than the link can send in that time are under way. Where
    /// packets of several VCs come, they take turns on the link; and packets that hold credits
    /// before the link, or more than their flits, can use up any buffer.
    fn node_end(&self, terminal: LinkTiming, on_link: Time, input_latency: Time) -> LinkEnd {
        let full = u64::from(self.config.flits(self.config.packet_bytes));
        let slowest = self.config.slowest_flit().max(self.stages.crossbar_flit);
        let round_trip =
            on_link + 2 * terminal.latency + input_latency + self.config.router.output_latency;
        let under_way = (round_trip + 2 * full * slowest) / terminal.flit + 2 * full;
        let router = &self.config.router;
        let at_link =
            router.credit_check == CreditCheck::Link && router.buffer_unit == BufferUnit::Flit;
        if u64::from(router.input_buffer) >= under_way && at_link && self.stages.one_ejection_vc {
            LinkEnd::AmpleNode
        } else {
            LinkEnd::Node
        }
    }

    fn build_nics(&mut self, own: Range<u32>, routing_keys: &[u64]) {
        for node in own {
            let key = routing_keys[node as usize];
            let port = self.topology.router_of(node) * self.ports
                + u32::from(self.topology.terminal_port_of(node));
            self.nics.push(Nic {
                link_free: 0,
                wake: NEVER,
                credits: Credits::new(self.config.router.input_buffer as i32),
                target: port * self.vcs as u32,
                credit_wait: false,
                has_offer: false,
                offer: PacketOffer {
                    destination: 0,
                    bytes: 0,
                    created: 0,
                    message: 0,
                    job: 0,
                    class: TrafficClass::PointToPoint,
                },
                draws: Stream::new(self.config.seed, ROUTING_STREAM, key),
                stalled_since: NEVER,
                counters: LinkCounters::default(),
            });
        }
    }
}

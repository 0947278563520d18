//! Building a partition from a configuration and a topology.

use crate::config::{
    Arbiter, BufferUnit, CreditCheck, CreditLatency, CrossbarContention, FabricConfig, InputQueue,
    LinkClock, LinkDecision, LinkTiming, OutputLatency, Serialization,
};
use crate::fabric::Fabric;
use crate::host::{Host, PacketOffer, TrafficClass, Wakes};
use crate::observer::Observer;
use crate::partition::Partition;
use crate::partition::agenda::{Agenda, Blocks, Kind};
use crate::partition::messages::{FabricMessages, PartitionMessages};
use crate::partition::partition_map::PartitionMap;
use crate::partition::setup::Setup;
use crate::probe::Probe;
use crate::router::stages::Stages;
use crate::store::account::{Account, Credits, pending_pool, space_of};
use crate::store::arbiter_state::{ArbiterState, Hold, InputTurn};
use crate::store::bookings::Bookings;
use crate::store::bounds::{empty, filled, room};
use crate::store::counters::{Counters, JobTraffic, StallAfterArrival};
use crate::store::nics::{Nic, Nics, Responses};
use crate::store::packet::{NONE, Packets};
use crate::store::port::{
    CreditWire, ELSEWHERE, HERE, InPort, InVc, LinkCounters, LinkEnd, NIC, OutPort, OutVc,
    PortReading, Ports, VirtualQueue,
};
use crate::store::queue::Queue;
use crate::store::requests::Requests;
use crate::store::worms::Worms;
use crate::variant::General;
use pantala_engine::{Event, NEVER, Stream, Time};
use pantala_routing::MAX_VIRTUAL_CHANNELS;
use pantala_routing::learning::Learning;
use pantala_topology::{Divisor, LinkClass, Peer, Topology};
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

/// The purpose of the routing's random streams.
const ROUTING_STREAM: u64 = 0x526F_7574_696E_6721;

/// Returns the stream of the random words of a NIC's packets. `key` is the NIC's routing key.
#[must_use]
pub const fn routing_stream(seed: u64, key: u64) -> Stream {
    Stream::new(seed, ROUTING_STREAM, key)
}

/// Empty messages of hosts and fabric for so many partitions.
fn spare_messages<M>(count: u16) -> Vec<PartitionMessages<M>> {
    std::iter::repeat_with(PartitionMessages::default).take(count.into()).collect()
}

/// Empty messages of the fabric for so many partitions.
fn outbox(count: u16) -> Vec<FabricMessages> {
    std::iter::repeat_with(FabricMessages::default).take(count.into()).collect()
}

impl<H: Host, P: Probe> Partition<H, P> {
    /// Builds a network of one partition and starts every host at time zero.
    ///
    /// `routing_keys` has one key per NIC. The random words of a NIC's packets depend on the seed
    /// and this key only.
    ///
    /// # Panics
    /// If a latency is zero, if there are more than [`MAX_VIRTUAL_CHANNELS`] VCs, or if
    /// `routing_keys` does not have one key per NIC. Plans are checked before.
    pub fn new(
        config: FabricConfig,
        topology: Topology,
        routing_keys: &[u64],
        host: H,
        probe: P,
    ) -> Self {
        let partitions = Arc::new(PartitionMap::whole(&topology));
        Self::numbered(config, Arc::new(topology), partitions, 0, routing_keys, host, probe)
    }

    /// Builds partition `number` of a network. The keys are those of all NICs; the other arguments
    /// are those of [`new`](Self::new).
    pub(crate) fn numbered(
        config: FabricConfig,
        topology: Arc<Topology>,
        partitions: Arc<PartitionMap>,
        number: u16,
        routing_keys: &[u64],
        host: H,
        probe: P,
    ) -> Self {
        let vcs = usize::from(config.virtual_channels);
        let ports = topology.ports_per_router();
        assert!((1..=usize::from(MAX_VIRTUAL_CHANNELS)).contains(&vcs), "1 to 16 VCs");
        assert_eq!(routing_keys.len(), topology.terminals() as usize, "one routing key a node");
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
            partitions.routers(partitions.count() - 1).end == topology.routers()
                && partitions.terminals(partitions.count() - 1).end == topology.terminals(),
            "partitions of this network"
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
        let (own_routers, own_terminals) =
            (partitions.routers(number), partitions.terminals(number));
        // The number of the first item and the number of items, with `each` per router or NIC.
        let by_router = |each: usize| (own_routers.start as usize * each, own_routers.len() * each);
        let by_terminal =
            |each: usize| (own_terminals.start as usize * each, own_terminals.len() * each);
        let by_port = |each: usize| by_router(ports as usize * each);
        let jobs = if config.jobs > 1 { usize::from(config.jobs) } else { 0 };
        let blocks = Blocks::of(&config, &topology, partitions.groups(number));
        let learning = Learning::new(
            &config.routings,
            config.link_latencies(),
            &topology,
            own_routers.clone(),
        );
        let mut fabric = Fabric {
            agenda: Agenda::new(blocks),
            packets: Packets::default(),
            // SAFETY: the proof of ports (store/bounds.rs). `build_ports` fills the arrays.
            ports: unsafe {
                Ports {
                    in_ports: room(by_port(1)),
                    in_vcs: room(by_port(vcs)),
                    out_ports: room(by_port(1)),
                    out_vcs: room(by_port(vcs)),
                    virtual_queues: empty(),
                    readings: empty(),
                    credit_wires: match config.router.link_clock {
                        LinkClock::None => empty(),
                        LinkClock::Flit => room(by_port(1)),
                    },
                    pool: pending_pool(),
                }
            },
            bookings: Bookings::new(by_port(1).0),
            requests: Requests {
                // SAFETY: the proof of ports: a bit is the place of an input VC in its router.
                waiting: unsafe { filled(by_port(vcs * words), 0) },
                fresh: Vec::new(),
                arrived: Vec::new(),
                // SAFETY: the proof of ports: a router, and the place of a port in it.
                dirty: unsafe { filled(by_router(dirty_words), 0) },
                dirty_words,
                dirty_routers: Vec::new(),
                dirty_outs: Vec::new(),
            },
            arbiters: ArbiterState::default(),
            nics: Nics {
                // SAFETY: the proof of NICs (store/bounds.rs). `build_nics` fills the array.
                nics: unsafe { room(by_terminal(1)) },
                credits: empty(),
                responses: empty(),
                // SAFETY: the proof of NICs, and a remainder by `nic_buffer`.
                departures: unsafe { filled(by_terminal(config.nic_buffer as usize), 0) },
            },
            worms: Worms::default(),
            learning,
            // SAFETY: the proofs of ports, of NICs and of jobs (store/bounds.rs).
            counters: unsafe {
                Counters::new(
                    filled(by_port(jobs), JobTraffic::default()),
                    filled(by_terminal(jobs), JobTraffic::default()),
                    filled(by_port(1), StallAfterArrival::default()),
                )
            },
            observer: Observer::default(),
            outbox: outbox(partitions.count()),
            setup: Setup {
                stages: Stages::new(&config, ports),
                ports,
                vcs,
                by_ports: Divisor::new(ports),
                by_vcs: Divisor::new(vcs as u32),
                words,
                config,
                topology,
                partitions,
                number,
            },
        };
        if fabric.setup.config.router.arbiter != Arbiter::RoundRobin
            || fabric.setup.stages.holds_vcs::<General>()
        {
            // SAFETY: the proof of ports (store/bounds.rs).
            fabric.arbiters.grant_stamps = unsafe { filled(by_port(vcs), 0) };
        }
        if fabric.setup.stages.holds_vcs::<General>() {
            let free = Hold { until: 0, owner: NONE, next_input: 0 };
            // SAFETY: the proof of ports (store/bounds.rs).
            fabric.arbiters.holds = unsafe { filled(by_port(vcs), free) };
        }
        if fabric.setup.config.router.arbiter == Arbiter::Islip {
            assert!(
                fabric.setup.stages.holds_vcs::<General>()
                    && fabric.setup.stages.holds_ports::<General>(),
                "iSLIP matches ports"
            );
            // SAFETY: the proof of ports (store/bounds.rs).
            fabric.arbiters.input_turns = unsafe { filled(by_port(1), InputTurn::default()) };
        }
        if fabric.setup.stages.by_flits::<General>() {
            let router = &fabric.setup.config.router;
            assert!(
                router.input_queue == InputQueue::Fifo
                    && router.crossbar_contention == CrossbarContention::PortAndVc
                    && router.serialization == Serialization::Counted
                    && router.buffer_unit == BufferUnit::Flit
                    && router.link_decision == LinkDecision::AtStart
                    && !fabric.setup.stages.learning(),
                "flits move one by one through routers that let them"
            );
            fabric.worms = Worms::new(by_port(vcs), by_terminal(1), vcs);
        }
        if fabric.setup.config.router.input_queue == InputQueue::VirtualOutput {
            assert!(
                fabric.setup.stages.credit_at_crossbar::<General>(),
                "packets leave virtual output queues with their credits"
            );
            // SAFETY: the proof of ports (store/bounds.rs).
            fabric.ports.virtual_queues = unsafe { filled(by_port(vcs), VirtualQueue::default()) };
            // SAFETY: the proof of ports (store/bounds.rs).
            fabric.ports.readings = unsafe { filled(by_port(1), PortReading::default()) };
        }
        if fabric.setup.config.responses.is_some() {
            // SAFETY: the proof of NICs (store/bounds.rs).
            fabric.nics.responses = unsafe { filled(by_terminal(1), Responses::default()) };
        }
        if !fabric.setup.stages.one_account::<General>() {
            let full = Credits::new(fabric.setup.config.router.input_buffer as i32);
            // SAFETY: the proof of NICs (store/bounds.rs), and a VC below `vcs`.
            fabric.nics.credits = unsafe { filled(by_terminal(vcs), full) };
        }
        fabric.build_ports(own_routers);
        fabric.build_nics(own_terminals.clone(), routing_keys);
        let spare_messages = spare_messages(fabric.setup.partitions.count());
        let mut partition = Self { fabric, wakes: Wakes::default(), spare_messages, host, probe };
        for terminal in own_terminals {
            partition.start(terminal, 0);
        }
        partition
    }

    /// Forgets the events that start NICs at these times.
    pub(crate) fn forget_starts(&mut self, starts: &BTreeSet<(u32, Time)>) {
        if starts.is_empty() {
            return;
        }
        let is_start = |event: Event| {
            matches!(event.phase, Kind::TIMER | Kind::NIC)
                && starts.contains(&(event.id, event.time))
        };
        self.fabric.agenda.wheels_mut().for_each(|wheel| wheel.forget(is_start));
    }

    /// Lets the host of a NIC ask for its first packet and its timers, now.
    pub(crate) fn start(&mut self, terminal: u32, now: Time) {
        let network = self.fabric.setup.network();
        let group = network.cell_of(network.router_of(terminal));
        let block = self.fabric.agenda.blocks.of_group(group);
        self.fabric.agenda.enter(block);
        self.host.start(terminal, &mut self.wakes);
        self.react(terminal, now);
    }
}

impl Fabric {
    fn build_ports(&mut self, own: Range<u32>) {
        let router_config = self.setup.config.router.clone();
        let (input_latency, output_latency) =
            (router_config.input_latency, router_config.output_latency);
        let on_link = match router_config.output_latency_at {
            OutputLatency::Link => output_latency,
            OutputLatency::Crossbar => 0,
        };
        // The delay of a credit over a link of `latency` whose data spend `in_routers` in the two
        // routers.
        let credit_delay = |latency: Time, in_routers: Time| match router_config.credit_latency {
            CreditLatency::Link => latency,
            CreditLatency::LinkAndRouter => latency + in_routers,
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
            let group = self.setup.network().cell_of(router);
            for port in 0..self.setup.ports {
                let port_class = self.setup.network().class_of(router, port as u16);
                let timing = self.setup.config.timing(port_class);
                let peer = self.setup.network().peer(router, port as u16);
                let number = router * self.setup.ports + port;
                let first_vc = |port: u32| port * self.setup.vcs as u32;
                let (upstream, target, end) = match peer {
                    Peer::Terminal(terminal) => {
                        (terminal, terminal, self.nic_end(timing, on_link, input_latency))
                    }
                    Peer::Port { router, port } => {
                        let vc = first_vc(router * self.setup.ports + u32::from(port));
                        (vc, vc, self.router_end(port_class))
                    }
                    Peer::Unconnected => (u32::MAX, u32::MAX, LinkEnd::Nothing),
                };
                let is_terminal = matches!(peer, Peer::Terminal(_));
                let home = self.agenda.blocks.of_group(group);
                let other_partition = match peer {
                    Peer::Port { router, .. } => self.setup.partitions.of_router(router),
                    _ => self.setup.number,
                };
                let (beyond, sender_partition) = match peer {
                    _ if other_partition != self.setup.number => {
                        (ELSEWHERE | other_partition, other_partition)
                    }
                    Peer::Port { router, .. } => {
                        (self.agenda.blocks.of_group(self.setup.network().cell_of(router)), HERE)
                    }
                    _ => (home, HERE),
                };
                // Data pass the sender's output stage and the receiver's input stage. A NIC has
                // neither.
                let in_routers = output_latency + if is_terminal { 0 } else { input_latency };
                self.ports.in_ports.push(InPort {
                    busy_until: 0,
                    credit_delay: credit_delay(timing.latency, in_routers),
                    router,
                    group,
                    upstream,
                    waiting: 0,
                    sender_partition: if is_terminal { NIC } else { sender_partition },
                });
                if self.setup.stages.links_clocked::<General>() {
                    let has_clock = self.setup.stages.has_clock::<General>(timing.flit);
                    let flit = if has_clock { timing.flit } else { 0 };
                    self.ports.credit_wires.push(CreditWire { flit, free: 0 });
                }
                for vc in 0..self.setup.vcs as u32 {
                    let queue = Queue::default();
                    let bit = (port * self.setup.vcs as u32 + vc) as u16;
                    self.ports.in_vcs.push(InVc {
                        queue,
                        open: 0,
                        port: number,
                        out_vc: 0,
                        bit,
                        flits: 0,
                    });
                }
                self.ports.out_ports.push(OutPort {
                    waiting: 0,
                    crossbar_free: 0,
                    link_free: 0,
                    wake: NEVER,
                    crossbar_wake: NEVER,
                    routed_at: 0,
                    flit: timing.flit,
                    reach: on_link + timing.latency + if is_terminal { 0 } else { input_latency },
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
                    stalled_job: 0,
                    credit_delay: credit_delay(timing.latency, input_latency),
                });
                self.ports.out_vcs.extend(std::iter::repeat_n(out_vc, self.setup.vcs));
            }
        }
    }

    /// Returns the kind of the far end of a link to a router.
    fn router_end(&self, class: LinkClass) -> LinkEnd {
        if self.setup.stages.minimal && class == LinkClass::Global {
            LinkEnd::SingleRouter
        } else {
            LinkEnd::Router
        }
    }

    /// Returns the kind of the far end of a link to a NIC: whether its buffer can run out of
    /// credits.
    ///
    /// Credits return a fixed time after a packet's tail, so at most the flits that the link sends
    /// in that time are without credit. That bound fails if packets of several VCs share the link,
    /// or if packets hold credits before the link or for more than their flits.
    fn nic_end(&self, terminal: LinkTiming, on_link: Time, input_latency: Time) -> LinkEnd {
        let full = u64::from(self.setup.config.flits(self.setup.config.packet_bytes));
        let slowest = self.setup.config.slowest_flit().max(self.setup.stages.crossbar_flit);
        let round_trip = on_link
            + 2 * terminal.latency
            + input_latency
            + self.setup.config.router.output_latency;
        let under_way = (round_trip + 2 * full * slowest) / terminal.flit + 2 * full;
        let router = &self.setup.config.router;
        let at_link =
            router.credit_check == CreditCheck::Link && router.buffer_unit == BufferUnit::Flit;
        if u64::from(router.input_buffer) >= under_way
            && at_link
            && self.setup.stages.one_ejection_vc
        {
            LinkEnd::AmpleNic
        } else {
            LinkEnd::Nic
        }
    }

    fn build_nics(&mut self, own: Range<u32>, routing_keys: &[u64]) {
        for terminal in own {
            let key = routing_keys[terminal as usize];
            let port = self.setup.network().router_of(terminal) * self.setup.ports
                + u32::from(self.setup.network().terminal_port_of(terminal));
            self.nics.nics.push(Nic {
                link_free: 0,
                wake: NEVER,
                credits: Credits::new(self.setup.config.router.input_buffer as i32),
                target: port * self.setup.vcs as u32,
                credit_wait: false,
                has_offer: false,
                offer: PacketOffer {
                    destination: 0,
                    bytes: 0,
                    created: 0,
                    message: 0,
                    number: 0,
                    job: 0,
                    class: TrafficClass::PointToPoint,
                },
                draws: routing_stream(self.setup.config.seed, key),
                stalled_since: NEVER,
                stalled_job: 0,
                counters: LinkCounters::default(),
            });
        }
    }
}

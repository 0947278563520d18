//! The fabric's parameters, compiled from a plan: times in picoseconds, buffers in flits, stages by name.

use crate::host::TrafficClass;
use crate::routing::{Algorithm, RoutingConfig};
use pantala_engine::{Time, transfer_time};
use pantala_topology::LinkClass;

/// Most VCs that a port can have: a set of them is a `u16`.
pub const MOST_CHANNELS: u8 = u16::BITS as u8;

/// When a packet counts as handed from one stage to the next, and when it is delivered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HandOver {
    /// Cut-through to the tail: the head goes ahead, the tail follows at the rate of the slowest link so far; a packet is
    /// delivered with its tail.
    Tail,
    /// The head stands for the packet, as in SST's merlin: no serialisation is added to a packet's own latency.
    Head,
    /// Store and forward: a packet is at the next stage when its tail is, and only then can it go on (CODES). Every link adds
    /// a whole serialisation.
    Store,
}

/// How packets wait at a router's inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputQueue {
    /// One queue an input VC: only its head is routed and crosses, others wait behind it.
    Fifo,
    /// One queue an output VC: a packet is routed as it arrives and goes to its output buffer as soon as there is room behind
    /// the link; there is no crossbar (CODES).
    VirtualOutput,
}

/// What a packet takes of a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BufferUnit {
    /// Its flits.
    Flit,
    /// The flits of a full packet, however short it is (CODES).
    Packet,
}

/// When the crossbar arbitrates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CrossbarClock {
    /// At once, whenever something changes.
    None,
    /// On the edges of a clock of one crossbar flit time, strictly after what changed (SST's merlin).
    Flit,
}

/// Who goes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arbiter {
    /// Round-robin over (input port, VC), one pointer an output.
    RoundRobin,
    /// The packet created first.
    Age,
    /// The (input port, VC) granted longest ago, over the whole router (SST's `xbar_arb_lru`).
    Lru,
    /// Drawn anew at every arbitration (CAMINOS' `Random` allocator).
    Random,
    /// One iteration of iSLIP (McKeown, 1999; BookSim2): every output offers itself to an input port, round-robin; every input port
    /// takes one of its offers, round-robin; the others stay unused for a crossbar flit time. Output VCs by round-robin.
    Islip,
}

/// What moves as one through crossbars and over links.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Switching {
    /// A packet: nothing comes between its flits (virtual cut-through).
    Packet,
    /// A flit: each contends for crossbar, credits and link by itself, and those of other VCs come between two of a packet
    /// (wormhole switching, as in BookSim2).
    Flit,
}

/// What a packet holds while it crosses, so that others wait for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CrossbarContention {
    /// Its input port and its output port, for its flits.
    Port,
    /// Its input VC and its output VC, until its tail has crossed; ports are as wide as need be (CAMINOS).
    Vc,
    /// Both (BookSim2).
    PortAndVc,
}

/// Where a packet waits for the credits of the link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CreditCheck {
    /// In the output buffer: it takes them as it starts on the link.
    Link,
    /// In the input buffer: it takes them as it wins the crossbar (BookSim2).
    Crossbar,
}

/// When an idle link decides which packet goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkDecision {
    /// At the start of the first flit.
    AtStart,
    /// One flit time after something has come to an idle link (SST's merlin); a busy link decides as it falls free.
    AfterFlit,
}

/// With which part of a packet something is given back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Release {
    /// All of it when the head moves on.
    Head,
    /// All of it when the tail has moved on.
    Tail,
    /// Flit by flit, as each moves on; those between head and tail count as evenly spread.
    Flit,
}

/// On which VC a NIC injects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InjectionVc {
    /// Always the first.
    First,
    /// The first of all VCs that has room for the packet (CAMINOS).
    FirstFree,
    /// One drawn from those that have room for it (BookSim2).
    Random,
}

/// Where the router's output latency lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutputLatency {
    /// Between crossbar and output buffer.
    Crossbar,
    /// Between output buffer and link (SST's merlin).
    Link,
}

/// Which delay a credit has on its way back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CreditLatency {
    /// That of the link.
    Link,
    /// That of the link and of the router parts that data pass, too (SST's merlin).
    LinkAndRouter,
    /// [`RouterConfig::credit_delay`], the same on all links (CODES).
    Fixed,
}

/// A link class: how long a flit takes to be sent, and how long it travels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinkTiming {
    /// Serialisation of one flit.
    pub flit: Time,
    /// Propagation; not zero.
    pub latency: Time,
}

impl LinkTiming {
    /// The timing of a link of `bytes_per_second` for flits of `flit_bytes`.
    #[must_use]
    pub fn new(flit_bytes: u32, bytes_per_second: u64, latency: Time) -> Self {
        Self { flit: transfer_time(u64::from(flit_bytes), bytes_per_second), latency }
    }
}

/// Router stages and times.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RouterConfig {
    /// From the link to the input buffer.
    pub input_latency: Time,
    /// See [`OutputLatency`].
    pub output_latency: Time,
    /// Where the output latency lies.
    pub output_latency_at: OutputLatency,
    /// What moves as one.
    pub switching: Switching,
    /// How packets wait at the inputs.
    pub input_queue: InputQueue,
    /// Time of one flit through the crossbar.
    pub crossbar_flit: Time,
    /// Whether the head's own crossbar flit time delays it (`flit`) or not (`none`, SST).
    pub crossbar_delays_head: bool,
    /// When the crossbar arbitrates.
    pub crossbar_clock: CrossbarClock,
    /// What a packet holds while it crosses.
    pub crossbar_contention: CrossbarContention,
    /// Crossbar flit times that an input VC rests between a packet's tail and the next one's head (BookSim2: 2, to compute the
    /// route and to allocate the output VC). If there are any, the input latency is that of a head: flits behind it need none.
    pub input_vc_gap: u32,
    /// The same of an output VC, where packets hold one (BookSim2: 1, to allocate it).
    pub output_vc_gap: u32,
    /// Where a packet waits for credits.
    pub credit_check: CreditCheck,
    /// Who wins the crossbar.
    pub arbiter: Arbiter,
    /// What a packet takes of a buffer.
    pub buffer_unit: BufferUnit,
    /// Flits a VC can hold at an input, and at a destination NIC.
    pub input_buffer: u32,
    /// Flits a VC can hold at an output; zero: unlimited.
    pub output_buffer: u32,
    /// Tail, head or whole packet.
    pub hand_over: HandOver,
    /// When an idle link decides.
    pub link_decision: LinkDecision,
    /// When a packet's credits leave for the sender: as its head, its tail or each flit leaves the input buffer.
    pub credit_return: Release,
    /// When a packet's place in the output buffer is free: as its head, its tail or each flit leaves.
    pub output_release: Release,
    /// The credits' delay.
    pub credit_latency: CreditLatency,
    /// The delay that [`CreditLatency::Fixed`] means; not zero there.
    pub credit_delay: Time,
}

impl Default for RouterConfig {
    /// The router model `pantala` with the times and sizes of Kang et al. (SC 2022).
    fn default() -> Self {
        Self {
            input_latency: 10_000,
            output_latency: 10_000,
            output_latency_at: OutputLatency::Crossbar,
            switching: Switching::Packet,
            input_queue: InputQueue::Fifo,
            crossbar_flit: 1_280,
            crossbar_delays_head: true,
            crossbar_clock: CrossbarClock::None,
            crossbar_contention: CrossbarContention::Port,
            input_vc_gap: 0,
            output_vc_gap: 0,
            credit_check: CreditCheck::Link,
            arbiter: Arbiter::RoundRobin,
            buffer_unit: BufferUnit::Flit,
            input_buffer: 120,
            output_buffer: 120,
            hand_over: HandOver::Tail,
            link_decision: LinkDecision::AtStart,
            credit_return: Release::Tail,
            output_release: Release::Head,
            credit_latency: CreditLatency::Link,
            credit_delay: 0,
        }
    }
}

/// What a NIC sends back for every packet that it delivers to its host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ResponseConfig {
    /// Payload of a response: at most a packet's.
    pub bytes: u32,
    /// The first VC of responses; requests use those below.
    pub first_vc: u8,
    /// Where the routings of responses begin: the response to a packet of routing `r` has routing `first_routing + r`.
    pub first_routing: u8,
}

impl ResponseConfig {
    /// The routings of responses to requests that use `routings`: the same, on VCs of their own from `first_vc` on.
    #[must_use]
    pub fn routings(requests: &[RoutingConfig], first_vc: u8) -> Vec<RoutingConfig> {
        requests.iter().map(|request| RoutingConfig { first_vc, ..request.clone() }).collect()
    }
}

/// All that the fabric must know.
#[derive(Clone, Debug)]
pub struct FabricConfig {
    /// Largest payload of a packet.
    pub packet_bytes: u32,
    /// Payload of a flit; packets are rounded up to whole flits.
    pub flit_bytes: u32,
    /// The link classes, by [`LinkClass`] number.
    pub links: [LinkTiming; LinkClass::COUNT],
    /// The router.
    pub router: RouterConfig,
    /// VCs a port has: at least as many as any routing needs, at most [`MOST_CHANNELS`].
    pub virtual_channels: u8,
    /// The routings of packets, those of responses last; at most 255.
    pub routings: Vec<RoutingConfig>,
    /// Which of them, by job and [`TrafficClass`]: `job * TrafficClass::COUNT + class`.
    pub routing_of: Vec<u8>,
    /// Packets a NIC's own buffer holds; it decides only when a packet counts as having entered the NIC.
    pub nic_buffer: u32,
    /// On which VC NICs inject, of those of requests or of those of responses.
    pub injection_vc: InjectionVc,
    /// Whether NICs answer packets, and how.
    pub responses: Option<ResponseConfig>,
    /// Jobs, for counters by job.
    pub jobs: u16,
    /// The seed of the routing's draws.
    pub seed: u64,
    /// In how many blocks of groups time passes, one after the other; zero: as the machine's size asks for. What is simulated does
    /// not depend on it.
    pub blocks: u32,
}

impl FabricConfig {
    /// How long it takes, in ps, until anything that happens in one group can have an effect in another: the latency of a global
    /// link, or the delay of its credits if that is shorter.
    #[must_use]
    pub fn lookahead(&self) -> Time {
        let latency = self.timing(LinkClass::Global).latency;
        match self.router.credit_latency {
            CreditLatency::Fixed => latency.min(self.router.credit_delay),
            CreditLatency::Link | CreditLatency::LinkAndRouter => latency,
        }
    }

    /// Whether routers read the queues of other groups, so that the machine cannot be simulated in parts.
    #[must_use]
    pub fn reads_everywhere(&self) -> bool {
        self.routings.iter().any(|routing| routing.algorithm == Algorithm::UgalGlobal)
    }

    /// The timing of links of `class`.
    #[inline]
    #[must_use]
    pub const fn timing(&self, class: LinkClass) -> LinkTiming {
        self.links[class as usize]
    }

    /// The longest flit time of any link class.
    #[must_use]
    pub fn slowest_flit(&self) -> Time {
        self.links.iter().map(|timing| timing.flit).max().unwrap_or(0)
    }

    /// One routing for every packet of every job, and no responses.
    pub fn route_all(&mut self, routing: RoutingConfig) {
        self.virtual_channels = routing.virtual_channels();
        self.routing_of = vec![0; usize::from(self.jobs) * TrafficClass::COUNT];
        self.routings = vec![routing];
        self.responses = None;
    }

    /// From now on, every packet is answered by a response of `bytes`, on as many VCs again.
    pub fn respond(&mut self, bytes: u32) {
        let first_vc = self.virtual_channels;
        self.responses = Some(ResponseConfig { bytes, first_vc, first_routing: self.routings.len() as u8 });
        self.routings.extend(ResponseConfig::routings(&self.routings, first_vc));
        self.virtual_channels = 2 * first_vc;
    }

    /// Flits of a packet of `bytes`: at least one.
    #[inline]
    #[must_use]
    pub fn flits(&self, bytes: u32) -> u32 {
        bytes.div_ceil(self.flit_bytes).max(1)
    }
}

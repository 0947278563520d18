//! The parameters of the fabric: times in picoseconds, buffers in flits, stages by name.
//! [`RouterConfig`] is the `router` object of a plan.

mod choices;

pub use choices::*;

use crate::host::TrafficClass;
use pantala_engine::{LONGEST_TIME, Time, transfer_time};
use pantala_routing::dependencies::{ChannelUse, ResponseUse};
use pantala_routing::learning::LinkLatencies;
use pantala_routing::{Information, RoutingConfig};
use pantala_topology::LinkClass;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A link class: how long a flit takes to be sent, and how long it travels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinkTiming {
    /// Time to send one flit, in ps.
    pub flit: Time,
    /// Propagation time, in ps; not zero.
    pub latency: Time,
}

impl LinkTiming {
    /// Returns the timing of a link of `bytes_per_second` for flits of `flit_bytes`. `latency` is
    /// in ps.
    #[must_use]
    pub fn new(flit_bytes: u32, bytes_per_second: u64, latency: Time) -> Self {
        Self { flit: transfer_time(u64::from(flit_bytes), bytes_per_second), latency }
    }
}

/// An input-output-queued router whose stages are named choices; the `router` object of a plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RouterConfig {
    /// Name of the router model that these stages come from: a label.
    pub model: String,
    /// Time from a packet's arrival at the input to its routing decision.
    #[serde(rename = "input_latency_ps")]
    #[schemars(range(max = LONGEST_TIME))]
    pub input_latency: Time,
    /// Time from the crossbar to the link.
    #[serde(rename = "output_latency_ps")]
    #[schemars(range(max = LONGEST_TIME))]
    pub output_latency: Time,
    /// Where the output latency lies: before or after the output buffer.
    pub output_latency_at: OutputLatency,
    /// How packets move through routers and over links.
    pub flow_control: FlowControl,
    /// Whether the serialization of a packet counts in its own latency.
    pub serialization: Serialization,
    /// How packets wait at the inputs.
    pub input_queue: InputQueue,
    /// Data rate of one crossbar port.
    #[serde(rename = "crossbar_bandwidth_bytes_per_s")]
    #[schemars(range(min = 1), extend("x-effect" = {"input_queue": ["fifo"]}))]
    pub crossbar_bandwidth: u64,
    /// The room that a packet takes in a buffer.
    pub buffer_unit: BufferUnit,
    /// Room of an input buffer, per virtual channel; also of the buffer at a destination NIC.
    #[serde(rename = "input_buffer_flits")]
    #[schemars(range(min = 1, max = MAX_FLITS))]
    pub input_buffer: u32,
    /// Room of an output buffer, per virtual channel.
    #[serde(rename = "output_buffer_flits")]
    #[schemars(range(max = MAX_FLITS), extend("x-zero" = "unlimited"))]
    pub output_buffer: u32,
    /// When the crossbar arbitrates.
    pub crossbar_clock: CrossbarClock,
    /// What the crossbar adds to the time of a packet's head.
    pub crossbar_delay: CrossbarDelay,
    /// What a packet holds while it crosses, so that other packets wait for it.
    pub crossbar_contention: CrossbarContention,
    /// Crossbar flit times that an input virtual channel rests between the tail of one packet and
    /// the head of the next. BookSim2 needs 2, in which it computes the route and allocates the
    /// output virtual channel. With a gap, the input latency is that of the head only.
    #[schemars(range(max = 1000))]
    pub input_vc_gap: u32,
    /// Crossbar flit times that an output virtual channel rests between two packets. BookSim2 needs
    /// 1, in which it allocates the channel.
    #[schemars(range(max = 1000), extend("x-effect" = {"crossbar_contention": ["vc", "port_and_vc"]}))]
    pub output_vc_gap: u32,
    /// Which packet wins the crossbar.
    pub arbiter: Arbiter,
    /// When an idle link decides which packet goes.
    pub link_decision: LinkDecision,
    /// In which order a link takes the packets of its output buffers.
    #[serde(default)]
    pub link_order: LinkOrder,
    /// When a link may start a packet, or send a credit.
    #[serde(default, skip_serializing_if = "LinkClock::is_none")]
    #[schemars(extend("default" = "none", "x-later" = true))]
    pub link_clock: LinkClock,
    /// Where a packet waits for the credits of the link.
    pub credit_check: CreditCheck,
    /// When the credits of a packet return to the sender.
    pub credit_return: Release,
    /// When an output buffer frees the room of a packet.
    pub output_release: OutputRelease,
    /// How long a credit takes to return.
    pub credit_latency: CreditLatency,
    /// Time that a credit takes to return on any link. CODES takes the time of 8 bytes on a local
    /// link.
    #[serde(rename = "credit_delay_ps", default)]
    #[schemars(range(max = LONGEST_TIME), extend("x-effect" = {"credit_latency": ["fixed"]}))]
    pub credit_delay: Time,
}

/// The largest buffer, in flits.
const MAX_FLITS: u32 = 1 << 30;

impl RouterConfig {
    /// Returns the time until a group can have an effect in another over a global link of this
    /// latency: see [`FabricConfig::lookahead`].
    #[must_use]
    pub fn lookahead(&self, global_latency: Time) -> Time {
        match self.credit_latency {
            CreditLatency::Fixed => global_latency.min(self.credit_delay),
            CreditLatency::Link | CreditLatency::LinkAndRouter => global_latency,
        }
    }

    /// Returns the time of one flit of `flit_bytes` through the crossbar, in ps.
    #[must_use]
    pub fn crossbar_flit(&self, flit_bytes: u32) -> Time {
        transfer_time(u64::from(flit_bytes), self.crossbar_bandwidth)
    }
}

impl Default for RouterConfig {
    /// The router model `pantala` with the times and sizes of Kang et al. (SC 2022).
    fn default() -> Self {
        Self {
            model: "pantala".to_owned(),
            input_latency: 10_000,
            output_latency: 10_000,
            output_latency_at: OutputLatency::Crossbar,
            flow_control: FlowControl::VirtualCutThrough,
            serialization: Serialization::Counted,
            input_queue: InputQueue::Fifo,
            crossbar_bandwidth: 100_000_000_000,
            buffer_unit: BufferUnit::Flit,
            input_buffer: 120,
            output_buffer: 120,
            crossbar_clock: CrossbarClock::None,
            crossbar_delay: CrossbarDelay::Flit,
            crossbar_contention: CrossbarContention::Port,
            input_vc_gap: 0,
            output_vc_gap: 0,
            arbiter: Arbiter::RoundRobin,
            link_decision: LinkDecision::AtStart,
            link_order: LinkOrder::RoundRobin,
            link_clock: LinkClock::None,
            credit_check: CreditCheck::Link,
            credit_return: Release::Tail,
            output_release: OutputRelease::Start,
            credit_latency: CreditLatency::Link,
            credit_delay: 0,
        }
    }
}

/// The response that a NIC sends for every packet that it delivers to its host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ResponseConfig {
    /// Payload of a response in bytes: at most the largest payload of a packet.
    pub bytes: u32,
    /// The first VC of responses. Requests use the VCs below it.
    pub first_vc: u8,
    /// Place of the first routing of responses in the table. The response to a packet of routing
    /// `r` has the routing `first_routing + r`.
    pub first_routing: u8,
}

impl ResponseConfig {
    /// Returns the routings of responses to `requests`: the same routings, on VCs from `first_vc`
    /// on.
    #[must_use]
    pub fn routings(requests: &[RoutingConfig], first_vc: u8) -> Vec<RoutingConfig> {
        requests.iter().map(|request| RoutingConfig { first_vc, ..request.clone() }).collect()
    }
}

/// The configuration of the fabric.
#[derive(Clone, Debug)]
pub struct FabricConfig {
    /// Largest payload of a packet, in bytes.
    pub packet_bytes: u32,
    /// Payload of a flit, in bytes. A packet occupies whole flits.
    pub flit_bytes: u32,
    /// The timing of each [`LinkClass`].
    pub links: [LinkTiming; LinkClass::COUNT],
    /// The router.
    pub router: RouterConfig,
    /// VCs of a port: at least as many as any routing needs, at most
    /// [`MAX_VIRTUAL_CHANNELS`](pantala_routing::MAX_VIRTUAL_CHANNELS).
    pub virtual_channels: u8,
    /// The table of routings, with those of responses last; at most 255.
    pub routings: Vec<RoutingConfig>,
    /// Per job and [`TrafficClass`], the place of its routing: entry `job * TrafficClass::COUNT +
    /// class`.
    pub routing_of: Vec<u8>,
    /// Packets that the buffer of a NIC holds. It only decides the time at which a packet counts as
    /// having entered the NIC.
    pub nic_buffer: u32,
    /// The VC on which NICs inject: among the VCs of requests, or of responses.
    pub injection_vc: InjectionVc,
    /// The responses of NICs, if they send any.
    pub responses: Option<ResponseConfig>,
    /// Number of jobs, for counters per job.
    pub jobs: u16,
    /// Seed of the routing's random draws.
    pub seed: u64,
    /// Number of blocks of groups that are simulated one after the other, window by window; zero: a
    /// number that fits the size of the network. Results do not depend on it.
    pub blocks: u32,
}

impl FabricConfig {
    /// Returns the time in ps until an event in one group can have an effect in another: the
    /// latency of a global link, or the delay of its credits if that is shorter.
    #[must_use]
    pub fn lookahead(&self) -> Time {
        self.router.lookahead(self.timing(LinkClass::Global).latency)
    }

    /// Returns whether routers read the queues of other groups. Then the network has one partition.
    #[must_use]
    pub fn reads_everywhere(&self) -> bool {
        self.routings
            .iter()
            .any(|routing| routing.algorithm.information() == Information::GroupQueues)
    }

    /// Returns the time of one flit through a crossbar, in ps.
    #[must_use]
    pub fn crossbar_flit(&self) -> Time {
        self.router.crossbar_flit(self.flit_bytes)
    }

    /// Returns the timing of links of `class`.
    #[inline]
    #[must_use]
    pub const fn timing(&self, class: LinkClass) -> LinkTiming {
        self.links[class as usize]
    }

    /// Returns the longest flit time of any link class, in ps.
    #[must_use]
    pub fn slowest_flit(&self) -> Time {
        self.links.iter().map(|timing| timing.flit).max().unwrap_or(0)
    }

    /// Returns the routings and the VCs of links, as the channel-dependency graph reads them.
    #[must_use]
    pub fn channel_use(&self) -> ChannelUse<'_> {
        ChannelUse {
            routings: &self.routings,
            virtual_channels: self.virtual_channels,
            injects_on_first: self.injection_vc == InjectionVc::First,
            responses: self.responses.map(|responses| ResponseUse {
                first_vc: responses.first_vc,
                first_routing: responses.first_routing,
            }),
        }
    }

    /// Returns the latencies that untrained tables of `q_adaptive` are made from.
    #[must_use]
    pub fn link_latencies(&self) -> LinkLatencies {
        LinkLatencies {
            local: self.timing(LinkClass::Local).latency,
            global: self.timing(LinkClass::Global).latency,
        }
    }

    /// Sets one routing for every packet of every job, and no responses.
    pub fn route_all(&mut self, routing: RoutingConfig) {
        self.virtual_channels = routing.virtual_channels();
        self.routing_of = vec![0; usize::from(self.jobs) * TrafficClass::COUNT];
        self.routings = vec![routing];
        self.responses = None;
    }

    /// Makes NICs answer every packet with a response of `bytes`. Responses use as many VCs as
    /// requests.
    pub fn respond(&mut self, bytes: u32) {
        let first_vc = self.virtual_channels;
        self.responses =
            Some(ResponseConfig { bytes, first_vc, first_routing: self.routings.len() as u8 });
        self.routings.extend(ResponseConfig::routings(&self.routings, first_vc));
        self.virtual_channels = 2 * first_vc;
    }

    /// Returns the flits of a packet of `bytes`: at least one.
    #[inline]
    #[must_use]
    pub fn flits(&self, bytes: u32) -> u32 {
        bytes.div_ceil(self.flit_bytes).max(1)
    }
}

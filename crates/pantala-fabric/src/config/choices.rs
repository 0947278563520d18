//! The choices of a router and its NICs, by name.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How packets move through routers and over links.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FlowControl {
    /// A packet moves on as soon as its head has arrived and the next buffer has room for all its
    /// flits. Nothing comes between its flits. The tail follows at the rate of the slowest link.
    #[default]
    VirtualCutThrough,
    /// Each flit contends for the crossbar, credits and the link by itself, as in BookSim2. Flits
    /// of other virtual channels can come between two flits of a packet.
    Wormhole,
    /// A packet moves on only after its tail has arrived, as in CODES. Each link adds one
    /// serialization of the whole packet.
    StoreAndForward,
}

/// Whether the serialization of a packet counts in its own latency.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Serialization {
    /// The packet is delivered when its tail arrives.
    #[default]
    Counted,
    /// The packet is delivered when its head arrives, as in SST's merlin. Serialization delays only
    /// the packets behind it.
    None,
}

/// How packets wait at a router's inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum InputQueue {
    /// One queue per input virtual channel. Only the packet at its head is routed and crosses; the
    /// others wait behind it.
    Fifo,
    /// One queue per output virtual channel, as in CODES. A packet is routed when it arrives and
    /// enters its output buffer as soon as the buffer behind the link has room. There is no
    /// crossbar.
    VirtualOutput,
}

/// The room that a packet takes in a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum BufferUnit {
    /// The packet's flits.
    Flit,
    /// The flits of a full packet, however short the packet is, as in CODES.
    Packet,
}

/// When the crossbar arbitrates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CrossbarClock {
    /// At once, whenever a packet can move.
    None,
    /// Once per crossbar flit time, on the first clock edge after the change, as in SST's merlin.
    Flit,
}

/// What the crossbar adds to the time of a packet's head.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CrossbarDelay {
    /// One crossbar flit time; with `flow_control = "store_and_forward"`, one for each flit of the
    /// packet.
    Flit,
    /// Nothing, as in SST's merlin.
    None,
}

/// Which packet wins the crossbar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Arbiter {
    /// Round-robin over (input port, virtual channel), with one pointer per output.
    RoundRobin,
    /// The packet that was created first.
    Age,
    /// The (input port, virtual channel) whose last grant is oldest, over the whole router, as
    /// `xbar_arb_lru` of SST.
    Lru,
    /// Drawn anew at every arbitration, as the `Random` allocator of CAMINOS.
    Random,
    /// One iteration of iSLIP (McKeown, 1999), as in BookSim2: each output offers itself to one
    /// input port, each input port takes one offer, both round-robin; the other outputs stay unused
    /// for one crossbar flit time. Output virtual channels are allocated round-robin.
    Islip,
}

/// What a packet holds while it crosses, so that other packets wait for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CrossbarContention {
    /// Its input port and its output port, for its flits.
    Port,
    /// Its input virtual channel and its output virtual channel, until its tail has crossed; ports
    /// are as wide as necessary, as in CAMINOS.
    Vc,
    /// Both, as in BookSim2.
    PortAndVc,
}

/// Where a packet waits for the credits of the link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CreditCheck {
    /// In the output buffer: the packet takes its credits when it starts on the link.
    Link,
    /// In the input buffer: the packet takes its credits when it wins the crossbar, as in BookSim2.
    Crossbar,
}

/// In which order a link takes the packets of its output buffers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LinkOrder {
    /// Round-robin over virtual channels.
    #[default]
    RoundRobin,
    /// From the highest virtual channel that has a packet ready, as in CODES' dragonfly-custom.
    HighestVc,
    /// From the lowest virtual channel that has a packet ready, as in CODES' dragonfly-dally before
    /// September 2019.
    LowestVc,
    /// In the order in which they have crossed, whatever their virtual channel, as BookSim2's output
    /// queue. Only with `credit_check = "crossbar"` and `input_queue = "fifo"`.
    Arrival,
}

/// When a link may start a packet, or send a credit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LinkClock {
    /// At any time.
    #[default]
    None,
    /// At multiples of its flit time, as in BookSim2, whose routers send at the end of a cycle. A
    /// flit leaves in the flit time in which it crosses, a crossbar flit time after its grant. A
    /// port returns at most one credit per flit time. No effect on links that are as fast as the
    /// crossbar, or faster. Only with `link_order = "arrival"`.
    Flit,
}

impl LinkClock {
    /// Returns whether there is none. Plans leave the key out then, as those of earlier versions.
    pub(crate) fn is_none(&self) -> bool {
        *self == Self::None
    }
}

/// When an idle link decides which packet goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LinkDecision {
    /// At once: at the start of the first flit.
    AtStart,
    /// One flit time after a packet reaches an idle link, as in SST's merlin. A busy link decides
    /// when it becomes free.
    AfterFlit,
}

/// When the credits of a packet return to the sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Release {
    /// All of them when the head leaves the input buffer.
    Head,
    /// All of them when the tail has left the input buffer.
    Tail,
    /// One per flit, as each flit leaves; the flits between head and tail count as evenly spread.
    Flit,
}

/// When an output buffer frees the room of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OutputRelease {
    /// When the link starts to send the packet.
    Start,
    /// When the packet's tail has left.
    Tail,
    /// One flit at a time, as the link sends them.
    Flit,
}

/// On which virtual channel a NIC injects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum InjectionVc {
    /// Always the first.
    First,
    /// The first one that has room for the packet, as in CAMINOS.
    FirstFree,
    /// One drawn from those that have room for the packet, as in BookSim2.
    Random,
}

/// Where the router's output latency lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OutputLatency {
    /// Between the crossbar and the output buffer.
    Crossbar,
    /// Between the output buffer and the link, as in SST's merlin.
    Link,
}

/// How long a credit takes to return.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CreditLatency {
    /// The latency of its link.
    Link,
    /// The latency of its link plus the router's input and output latency, as in SST's merlin.
    LinkAndRouter,
    /// `credit_delay` on every link, as in CODES.
    Fixed,
}

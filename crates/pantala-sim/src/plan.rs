//! The plan: a scenario fully resolved. Integers in picoseconds, bytes and bytes per second; no default is left open.

use pantala_mpi::MpiConfig;
use pantala_topology::{DragonflySpec, GroupSpec, LinkClass, Spread, Wiring};
use pantala_workload::{Noise, WorkloadSpec};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

mod routing;

pub use routing::{AriesPlan, QAdaptivePlan, RoutingPlan};

/// The version of the plan's form; a plan of another version is refused.
pub const PLAN_VERSION: u32 = 3;

/// A plan.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// [`PLAN_VERSION`].
    pub plan_version: u32,
    /// The scenario's name.
    pub name: String,
    /// Every random stream starts from it.
    pub seed: u64,
    /// What is wired to what.
    pub topology: TopologyPlan,
    /// Slots that no job gets: first and last node of each run of them. Absent: none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub service_nodes: Vec<[u32; 2]>,
    /// The link classes.
    pub links: LinksPlan,
    /// Largest payload of a packet.
    pub packet_bytes: u32,
    /// Payload of a flit.
    pub flit_bytes: u32,
    /// The router's stages.
    pub router: RouterPlan,
    /// The NIC.
    pub nic: NicPlan,
    /// The routing of the system.
    pub routing: RoutingPlan,
    /// The routing of all-to-all collectives; absent: as everything else.
    #[serde(default)]
    pub routing_all_to_all: Option<RoutingPlan>,
    /// Run although packets could wait for one another in a cycle.
    #[serde(default)]
    pub allow_deadlock: bool,
    /// The MPI layer.
    pub mpi: MpiConfig,
    /// The jobs; a job's number is its place.
    pub jobs: Vec<JobPlan>,
    /// When the run ends.
    pub stop: StopPlan,
    /// What is recorded.
    pub record: RecordPlan,
    /// What the plan's numbers assume where no paper says them: reasons by key of the scenario. A label.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub assumptions: BTreeMap<String, String>,
    /// What follows from the rest; written by `resolve`, ignored when read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub derived: Option<Derived>,
}

/// A Dragonfly.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TopologyPlan {
    /// One or two dimensions.
    pub kind: TopologyKind,
    /// Nodes a router.
    pub p: u32,
    /// Routers a group: in two dimensions `rows * columns`.
    pub a: u32,
    /// Two dimensions: rows of a group; else 1.
    pub rows: u32,
    /// Two dimensions: columns of a group; else `a`.
    pub columns: u32,
    /// Global ports a router.
    pub h: u32,
    /// Groups.
    pub g: u32,
    /// One dimension: links between each pair of routers of a group.
    pub links_per_local_pair: u32,
    /// Two dimensions: links between each pair of routers of a row.
    pub links_per_row_pair: u32,
    /// Two dimensions: links between each pair of routers of a column.
    pub links_per_column_pair: u32,
    /// Links between each pair of groups; 0: as many as fit.
    pub links_per_pair: u32,
    /// absolute, palmtree, circulant or random.
    pub wiring: String,
    /// consecutive or round_robin: which router of a group owns which of its global links.
    pub spread: String,
    /// Palmtree as CAMINOS has it.
    pub mirrored: bool,
    /// Seed of the random wiring.
    pub wiring_seed: u64,
}

/// Kinds of topology.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum TopologyKind {
    /// All-to-all inside a group, all-to-all between groups.
    #[serde(rename = "dragonfly")]
    Dragonfly,
    /// All-to-all along the rows and the columns of a group, all-to-all between groups.
    #[serde(rename = "dragonfly_2d")]
    Dragonfly2d,
}

impl TopologyPlan {
    /// The topology crate's view.
    #[must_use]
    pub fn spec(&self, wiring: Wiring, spread: Spread) -> DragonflySpec {
        let group = match self.kind {
            TopologyKind::Dragonfly => {
                GroupSpec::FullMesh { routers: self.a, links_per_pair: self.links_per_local_pair }
            }
            TopologyKind::Dragonfly2d => GroupSpec::Grid {
                rows: self.rows,
                columns: self.columns,
                links_per_row_pair: self.links_per_row_pair,
                links_per_column_pair: self.links_per_column_pair,
            },
        };
        DragonflySpec {
            nodes_per_router: self.p,
            group,
            global_ports: self.h,
            groups: self.g,
            links_per_pair: self.links_per_pair,
            wiring,
            spread,
            mirrored: self.mirrored,
            wiring_seed: self.wiring_seed,
        }
    }
}

/// The link classes.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LinksPlan {
    /// Node to router and back.
    pub terminal: LinkPlan,
    /// Inside a group of one dimension.
    #[serde(default)]
    pub local: Option<LinkPlan>,
    /// Along the rows of a group of two.
    #[serde(default)]
    pub row: Option<LinkPlan>,
    /// Along its columns.
    #[serde(default)]
    pub column: Option<LinkPlan>,
    /// Between groups.
    pub global: LinkPlan,
}

impl LinksPlan {
    /// Those that there are, by class.
    #[must_use]
    pub fn by_class(&self) -> Vec<(LinkClass, &LinkPlan)> {
        let inside = [(LinkClass::Local, &self.local), (LinkClass::Row, &self.row), (LinkClass::Column, &self.column)];
        let inside = inside.into_iter().filter_map(|(class, link)| link.as_ref().map(|link| (class, link)));
        let mut all = vec![(LinkClass::Terminal, &self.terminal)];
        all.extend(inside);
        all.push((LinkClass::Global, &self.global));
        all
    }
}

/// One link class.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LinkPlan {
    /// Per direction.
    pub bandwidth_bytes_per_s: u64,
    /// Propagation.
    pub latency_ps: u64,
}

macro_rules! named {
    ($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
        #[serde(rename_all = "snake_case")]
        #[allow(missing_docs)]
        pub enum $name { $($(#[$vdoc])* $variant),* }
    };
}

named!(/// See `pantala_fabric::config::HandOver`.
HandOver { Tail, Head, Store });
named!(/// See `pantala_fabric::config::Switching`.
#[derive(Default)]
Switching { #[default] Packet, Flit });
named!(/// See `pantala_fabric::config::InputQueue`.
InputQueue { Fifo, VirtualOutput });
named!(/// See `pantala_fabric::config::BufferUnit`.
BufferUnit { Flit, Packet });
named!(/// See `pantala_fabric::config::CrossbarClock`.
CrossbarClock { None, Flit });
named!(/// Whether the head's crossbar flit time delays it.
CrossbarDelay { Flit, None });
named!(/// See `pantala_fabric::config::CrossbarContention`.
CrossbarContention { Port, Vc, PortAndVc });
named!(/// See `pantala_fabric::config::Arbiter`.
Arbiter { RoundRobin, Age, Lru, Random, Islip });
named!(/// See `pantala_fabric::config::LinkDecision`.
LinkDecision { AtStart, AfterFlit });
named!(/// See `pantala_fabric::config::CreditCheck`.
CreditCheck { Link, Crossbar });
named!(/// See `pantala_fabric::config::Release`: of credits.
CreditReturn { Tail, Head, Flit });
named!(/// See `pantala_fabric::config::Release`: of output buffers, as the packet starts, its tail leaves or each flit starts.
OutputRelease { Start, Tail, Flit });
named!(/// See `pantala_fabric::config::CreditLatency`.
CreditLatency { Link, LinkAndRouter, Fixed });
named!(/// See `pantala_fabric::config::OutputLatency`.
OutputLatencyAt { Crossbar, Link });
named!(/// From when a packet's latency counts.
LatencyFrom {
    /// Its creation, source queueing included.
    Created,
    /// Its entry into the NIC's bounded buffer (SST).
    Nic,
    /// Its start on the injection link (CODES).
    Injected,
});
named!(/// See `pantala_fabric::config::InjectionVc`.
InjectionVc { First, FirstFree, Random });
named!(/// See `pantala_fabric::routing::QueueMeasure`.
Queue { OutputAndCredits, Output, Credits });
named!(/// See `pantala_fabric::routing::QueueScope`.
QueueScope { Port, Vc });
named!(/// See `pantala_fabric::routing::Tie`.
Tie { Minimal, Random });
named!(/// See `pantala_fabric::routing::IntermediateChoice`.
Intermediate { Third, Any });
named!(/// How traffic inside a group goes under valiant_group and valiant_node.
#[derive(Default)]
InsideGroup { #[default] Minimal, Nonminimal, Beside });
named!(/// Which packets are recorded one by one.
PacketRecord { Off, Sampled, All });

/// Whether the tables of q_adaptive are kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum QTableRecord {
    /// No.
    #[default]
    Off,
    /// As they are when the run ends.
    End,
}

/// The router.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RouterPlan {
    /// Name of the router-model preset this came from: a label.
    pub model: String,
    /// From the link to the input buffer.
    pub input_latency_ps: u64,
    /// From the crossbar to the link.
    pub output_latency_ps: u64,
    /// On which side of the output buffer it lies.
    pub output_latency_at: OutputLatencyAt,
    /// What moves as one.
    #[serde(default)]
    pub switching: Switching,
    /// How packets wait at the inputs.
    pub input_queue: InputQueue,
    /// Of one crossbar port.
    pub crossbar_bandwidth_bytes_per_s: u64,
    /// Clocked or not.
    pub crossbar_clock: CrossbarClock,
    /// The head's delay.
    pub crossbar_delay: CrossbarDelay,
    /// What a packet holds while it crosses.
    pub crossbar_contention: CrossbarContention,
    /// Crossbar flit times between two packets of an input VC.
    pub input_vc_gap: u32,
    /// Crossbar flit times between two packets of an output VC that packets hold.
    pub output_vc_gap: u32,
    /// Who wins the crossbar.
    pub arbiter: Arbiter,
    /// What a packet takes of a buffer.
    pub buffer_unit: BufferUnit,
    /// Per VC.
    pub input_buffer_flits: u32,
    /// Per VC; 0: unlimited.
    pub output_buffer_flits: u32,
    /// Tail, head or whole packet.
    pub hand_over: HandOver,
    /// When an idle link decides.
    pub link_decision: LinkDecision,
    /// Where a packet waits for credits.
    pub credit_check: CreditCheck,
    /// When credits leave.
    pub credit_return: CreditReturn,
    /// When room in the output buffer comes free.
    pub output_release: OutputRelease,
    /// The credits' delay.
    pub credit_latency: CreditLatency,
    /// The delay of credits where it is fixed; else 0.
    pub credit_delay_ps: u64,
}

/// The NIC.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NicPlan {
    /// Packets its buffer holds; matters for `latency_from = "nic"` only.
    pub buffer_packets: u32,
    /// From when packet latency counts.
    pub latency_from: LatencyFrom,
    /// On which VC it injects.
    pub injection_vc: InjectionVc,
    /// Whether NICs answer every packet that they deliver, on VCs of their own.
    #[serde(default)]
    pub responses: bool,
    /// Payload of a response; without meaning where there are none.
    #[serde(default)]
    pub response_bytes: u32,
}

/// A job.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct JobPlan {
    /// Unique.
    pub name: String,
    /// The application that the workload stands for, or the name of the pattern: a label.
    #[serde(default)]
    pub application: String,
    /// Ranks.
    pub ranks: u32,
    /// Ranks on each of its nodes, dealt out in blocks; the last node may have fewer.
    #[serde(default = "one")]
    pub ranks_per_node: u32,
    /// When its ranks start.
    pub start_ps: u64,
    /// How much the times differ that its ranks compute; none if it is left out.
    #[serde(default)]
    pub compute_noise: Noise,
    /// How its nodes are chosen.
    pub placement: PlacementPlan,
    /// Its nodes: rank i is on number `i / ranks_per_node`; empty: not resolved yet.
    pub nodes: Vec<u32>,
    /// What it does.
    pub workload: WorkloadSpec,
    /// Its routing; absent: the system's.
    #[serde(default)]
    pub routing: Option<RoutingPlan>,
    /// The routing of its all-to-all collectives; absent: the system's.
    #[serde(default)]
    pub routing_all_to_all: Option<RoutingPlan>,
}

impl JobPlan {
    /// How many nodes its ranks need.
    #[must_use]
    pub const fn node_count(&self) -> u32 {
        if self.ranks_per_node == 0 { self.ranks } else { self.ranks.div_ceil(self.ranks_per_node) }
    }

    /// The node of each rank, once it is placed.
    #[must_use]
    pub fn node_of_rank(&self) -> Vec<u32> {
        let block = self.ranks_per_node as usize;
        (0..self.ranks as usize).map(|rank| self.nodes[rank / block]).collect()
    }
}

const fn one() -> u32 {
    1
}

/// How a job's nodes are chosen.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum PlacementPlan {
    /// Nodes drawn at random from those that are free.
    Random {},
    /// The free nodes of routers drawn at random.
    RandomRouters {},
    /// The free nodes of groups drawn at random.
    RandomGroups {},
    /// The first run of free nodes in order, from `first_node` on.
    Contiguous {
        /// Where to begin; absent: at the lowest free node.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        first_node: Option<u32>,
    },
    /// These, in the order of ranks.
    Nodes {
        /// One for every `ranks_per_node` ranks.
        nodes: Vec<u32>,
    },
}

/// When the run ends.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StopPlan {
    /// At this time; 0: when every finite job has ended.
    pub duration_ps: u64,
    /// A run in which no packet moves for this long while packets are in flight is stalled.
    pub watchdog_ps: u64,
}

/// What is recorded.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RecordPlan {
    /// Window of the series over time; also the grid on which a run with endless jobs sees that the others have ended.
    pub window_ps: u64,
    /// Which packets.
    pub packets: PacketRecord,
    /// One in so many, when sampled.
    pub packet_sample: u32,
    /// Every message.
    pub messages: bool,
    /// Every iteration.
    pub iterations: bool,
    /// Bytes a link and window.
    pub link_windows: bool,
    /// The tables of q_adaptive.
    #[serde(default)]
    pub q_tables: QTableRecord,
    /// Feedback and estimates of q_adaptive a window.
    #[serde(default)]
    pub q_learning: bool,
}

/// What follows from a plan.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Derived {
    /// Nodes of the machine.
    pub nodes: u32,
    /// Routers.
    pub routers: u32,
    /// Groups.
    pub groups: u32,
    /// Ports a router.
    pub ports_per_router: u32,
    /// VCs a port.
    pub virtual_channels: u8,
    /// Directed links between routers, by class.
    pub links: BTreeMap<String, u64>,
    /// Links between each pair of groups.
    pub links_per_pair: u32,
    /// Flits of a full packet.
    pub flits_per_packet: u32,
    /// Time of one flit by stage, in whole picoseconds.
    pub flit_time_ps: BTreeMap<String, u64>,
    /// How far rounding to the picosecond is off, in parts per million.
    pub flit_time_error_ppm: BTreeMap<String, f64>,
    /// SHA-256 of the estimates that q_adaptive starts from, if they come from a file: see `q_tables::fingerprint`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub q_table_sha256: Option<String>,
    /// What the user should know before he runs it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

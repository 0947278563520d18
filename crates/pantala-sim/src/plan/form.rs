//! The plan: a scenario fully resolved. Integers in picoseconds, bytes and bytes per second; no
//! default is left open.

use pantala_engine::LONGEST_TIME;
use pantala_fabric::config::{InjectionVc, RouterConfig};
use pantala_mpi::MpiConfig;
use pantala_topology::LinkClass;
use pantala_workload::{Noise, WorkloadSpec};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

mod record;
mod routing;
mod topology;

pub use record::{PacketRecord, QTableRecord, RecordPlan};
pub use routing::{AriesPlan, QAdaptivePlan, RoutingPlan};
pub use topology::{TopologyKind, TopologyPlan};

/// The version of the plan's form; a plan of another version is refused.
pub const PLAN_VERSION: u32 = 4;

/// A plan.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// [`PLAN_VERSION`].
    pub plan_version: u32,
    /// The scenario's name.
    pub name: String,
    /// Every random number follows from it: one seed, one result.
    #[schemars(range(max = LARGEST_SEED), extend("default" = 1))]
    pub seed: u64,
    /// What is wired to what.
    pub topology: TopologyPlan,
    /// Slots that no job gets: first and last node of each run of them. Absent: none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub service_nodes: Vec<[u32; 2]>,
    /// The link classes.
    pub links: LinksPlan,
    /// Payload of a full packet.
    ///
    /// A plan holds the payload of a simulated packet: that of the machine's packet, times
    /// `detail.coarsen`.
    #[schemars(range(min = 1))]
    pub packet_bytes: u32,
    /// The unit of buffers and credits.
    #[schemars(range(min = 1))]
    pub flit_bytes: u32,
    /// How much detail the simulation keeps.
    #[serde(default)]
    pub detail: DetailPlan,
    /// The router's stages.
    pub router: RouterConfig,
    /// The NIC.
    pub nic: NicPlan,
    /// The routing of the system.
    pub routing: RoutingPlan,
    /// The routing of all-to-all collectives; absent: as everything else.
    #[serde(default)]
    pub routing_all_to_all: Option<RoutingPlan>,
    /// Run although packets could wait for each other in a cycle, with a warning. Otherwise such a
    /// scenario is refused, and `pantala topology FILE --deadlock` shows the cycle. booksim_ugal
    /// with `vc_map = "booksim2"` runs without this key.
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
    /// What the plan's numbers assume where no paper says them: reasons by key of the scenario. A
    /// label.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub assumptions: BTreeMap<String, String>,
    /// What follows from the rest; written by `resolve`, ignored when read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub derived: Option<Derived>,
}

/// How much detail the simulation keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DetailPlan {
    /// How many packets of the machine one simulated packet stands for: 1, 2, 4 or 8. The packets
    /// of long messages are so many times as long. Flits, bandwidths, latencies and the size of
    /// buffers in bytes stay as they are.
    #[schemars(range(min = 1, max = 8), extend("default" = 1))]
    pub coarsen: u32,
}

impl Default for DetailPlan {
    fn default() -> Self {
        Self { coarsen: 1 }
    }
}

impl DetailPlan {
    /// Whether a simulated packet stands for several.
    #[must_use]
    pub const fn is_coarse(self) -> bool {
        self.coarsen > 1
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
        let inside = [
            (LinkClass::Local, &self.local),
            (LinkClass::Row, &self.row),
            (LinkClass::Column, &self.column),
        ];
        let inside =
            inside.into_iter().filter_map(|(class, link)| link.as_ref().map(|link| (class, link)));
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
    /// Data rate of one direction.
    #[schemars(range(min = 1))]
    pub bandwidth_bytes_per_s: u64,
    /// Time of flight; serialisation comes on top.
    #[schemars(range(min = 1, max = LONGEST_TIME))]
    pub latency_ps: u64,
}

/// When a packet's latency starts to count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LatencyFrom {
    /// The packet's creation, source queueing included.
    Created,
    /// Its entry into the NIC's buffer, as in SST.
    Nic,
    /// Its start on the injection link, as in CODES.
    Injected,
}

const fn created() -> LatencyFrom {
    LatencyFrom::Created
}

const fn first() -> InjectionVc {
    InjectionVc::First
}

/// The network interface of a node.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NicPlan {
    /// Room for packets on their way out.
    #[schemars(extend("x-zero" = "unlimited", "x-effect" = {"latency_from": ["nic"]}))]
    pub buffer_packets: u32,
    /// When a packet's latency starts to count.
    #[serde(default = "created")]
    pub latency_from: LatencyFrom,
    /// On which virtual channel packets enter.
    #[serde(default = "first")]
    pub injection_vc: InjectionVc,
    /// Whether the NIC answers every packet that it delivers by a small one, in a virtual channel
    /// of its own, as Aries does for its puts.
    #[serde(default)]
    #[schemars(extend("x-words" = true))]
    pub responses: bool,
    /// Size of a response; one flit if not given, which is an assumption: no paper gives it.
    #[serde(default)]
    #[schemars(extend("x-zero" = "one flit", "x-effect" = {"responses": [true]}))]
    pub response_bytes: u32,
}

/// A job.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct JobPlan {
    /// The job's name in tables and figures. Its random numbers follow the name, not the job's
    /// place in the list.
    pub name: String,
    /// The application that the workload stands for, or the name of the pattern: a label.
    #[serde(default)]
    pub application: String,
    /// Number of ranks.
    #[schemars(range(min = 1))]
    pub ranks: u32,
    /// Ranks that share a node: rank i is on the job's node i // ranks_per_node. They share its
    /// NIC, which sends first what is handed to it first, and talk to each other through memory
    /// (`mpi.memory_latency`). A pattern has one rank per node.
    #[serde(default = "one")]
    #[schemars(range(min = 1))]
    pub ranks_per_node: u32,
    /// When the job starts.
    #[serde(default)]
    #[schemars(range(max = LONGEST_TIME))]
    pub start_ps: u64,
    /// Noise of the times that ranks compute.
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

/// Seeds are below 2^63, so that every language can hold them.
const LARGEST_SEED: u64 = i64::MAX as u64;

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

/// When a run ends. Without a duration: when every job that ends has ended.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StopPlan {
    /// Stop after this much simulated time, finished or not.
    #[serde(default)]
    #[schemars(range(max = LONGEST_TIME), extend("x-zero" = "none"))]
    pub duration_ps: u64,
    /// Call the network stalled, and say why, when no packet has moved for this long while some are
    /// in flight.
    #[serde(default = "hundred_microseconds")]
    #[schemars(range(min = 1, max = LONGEST_TIME))]
    pub watchdog_ps: u64,
}

const fn hundred_microseconds() -> u64 {
    100_000_000
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
    /// What a coarsened run is, and how far off it is known to be.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub coarsened: Option<String>,
    /// Room of the buffers of a coarsened run, input and output, as it is simulated.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub simulated_buffer_flits: BTreeMap<String, u32>,
    /// SHA-256 of the estimates that q_adaptive starts from, if they come from a file: see
    /// `q_tables::fingerprint`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub q_table_sha256: Option<String>,
    /// What the user should know before he runs it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

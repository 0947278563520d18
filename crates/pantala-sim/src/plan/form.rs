//! The form of a plan: a scenario in integers (picoseconds, bytes, bytes per second) with every
//! default filled in.

use pantala_engine::LONGEST_TIME;
use pantala_fabric::config::{InjectionVc, RouterConfig};
use pantala_mpi::{MpiConfig, NodeMap};
use pantala_topology::LinkClass;
use pantala_workload::{Noise, WorkloadSpec};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

mod links;
mod record;
mod routing;
mod skip;
mod topology;

pub use links::{DrawnNumber, FailureFile, LinkDraw, LinkFailures, LinkFile, NamedLink, Place};
pub use record::links::{PortRecord, PortSplit, RouterRecord, SystemRecord};
pub use record::{BlameRecord, CallEventRecord, PacketRecord, QTableRecord, RecordPlan};
pub use routing::{AriesPlan, QAdaptivePlan, RoutingPlan};
pub use skip::SkipPlan;
pub use topology::{TopologyKind, TopologyPlan};

/// The version of the plan's form. Pantala refuses a plan of another version.
pub const PLAN_VERSION: u32 = 5;

/// A plan.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// [`PLAN_VERSION`].
    pub plan_version: u32,
    /// The scenario's name.
    pub name: String,
    /// The seed of all random numbers. The same seed gives the same result.
    #[schemars(range(max = LARGEST_SEED), extend("default" = 1))]
    pub seed: u64,
    /// The topology of the network.
    pub topology: TopologyPlan,
    /// Ranges of nodes that no job may use, each as its first and last node. Absent: no such nodes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub service_nodes: Vec<[u32; 2]>,
    /// The link classes.
    pub links: LinksPlan,
    /// Payload of a full packet.
    ///
    /// A plan holds the payload of a simulated packet: the payload of the machine's packet times
    /// `detail.coarsen`.
    #[schemars(range(min = 1))]
    pub packet_bytes: u32,
    /// Size of a flit, the unit of buffers and credits.
    #[schemars(range(min = 1))]
    pub flit_bytes: u32,
    /// How much detail the simulation keeps.
    #[serde(default)]
    pub detail: DetailPlan,
    /// The router's stages.
    pub router: RouterConfig,
    /// The NIC.
    pub nic: NicPlan,
    /// The routing of all jobs that have none of their own.
    pub routing: RoutingPlan,
    /// The routing of all-to-all collectives. Absent: `routing`.
    #[serde(default)]
    pub routing_all_to_all: Option<RoutingPlan>,
    /// Whether to run, with a warning, a scenario whose packets can wait for each other in a cycle.
    /// By default Pantala refuses such a scenario; `pantala topology FILE --deadlock` shows the
    /// cycle. booksim_ugal with `vc_map = "booksim2"` runs without this key.
    #[serde(default)]
    pub allow_deadlock: bool,
    /// The MPI layer.
    pub mpi: MpiConfig,
    /// The jobs. A job's number is its place in the list, from 0.
    pub jobs: Vec<JobPlan>,
    /// When the run ends.
    pub stop: StopPlan,
    /// What the run records.
    pub record: RecordPlan,
    /// Skipping of time in which jobs repeat. Absent: all time is simulated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skip: Option<SkipPlan>,
    /// The values of the plan that no paper states, with the reasons, by key of the scenario. They
    /// have no effect.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub assumptions: BTreeMap<String, String>,
    /// Values that follow from the rest of the plan. `resolve` writes them; a reader ignores them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub derived: Option<Derived>,
}

/// How much detail the simulation keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DetailPlan {
    /// Number of the machine's packets that one simulated packet stands for: 1, 2, 4 or 8. The
    /// packets of long messages are longer by this factor. Flits, bandwidths, latencies and buffer
    /// sizes in bytes do not change.
    #[schemars(range(min = 1, max = 8), extend("default" = 1))]
    pub coarsen: u32,
}

impl Default for DetailPlan {
    fn default() -> Self {
        Self { coarsen: 1 }
    }
}

impl DetailPlan {
    /// Whether a simulated packet stands for several packets of the machine.
    #[must_use]
    pub const fn is_coarse(self) -> bool {
        self.coarsen > 1
    }
}

/// The link classes.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LinksPlan {
    /// Links between nodes and routers, in both directions.
    pub terminal: LinkPlan,
    /// Links inside a group; one dimension only.
    #[serde(default)]
    pub local: Option<LinkPlan>,
    /// Links between the routers of a row; two dimensions only.
    #[serde(default)]
    pub row: Option<LinkPlan>,
    /// Links between the routers of a column; two dimensions only.
    #[serde(default)]
    pub column: Option<LinkPlan>,
    /// Links between groups.
    pub global: LinkPlan,
}

impl LinksPlan {
    /// The link classes of the plan, each with its class.
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
    /// Propagation delay. Serialization adds to it.
    #[schemars(range(min = 1, max = LONGEST_TIME))]
    pub latency_ps: u64,
}

/// The start of a packet's latency.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LatencyFrom {
    /// The packet's creation. The latency includes source queueing.
    Created,
    /// The packet's entry into the NIC's buffer, as in SST.
    Nic,
    /// The head's start on the injection link, as in CODES.
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
    /// Number of packets that the injection buffer holds.
    #[schemars(extend("x-zero" = "unlimited", "x-effect" = {"latency_from": ["nic"]}))]
    pub buffer_packets: u32,
    /// The start of a packet's latency.
    #[serde(default = "created")]
    pub latency_from: LatencyFrom,
    /// The virtual channel on which packets enter the network.
    #[serde(default = "first")]
    pub injection_vc: InjectionVc,
    /// Whether the NIC answers every delivered packet with a small response packet in a separate
    /// virtual channel, as Aries does for puts.
    #[serde(default)]
    #[schemars(extend("x-words" = true))]
    pub responses: bool,
    /// Size of a response. The default of one flit is an assumption: no paper states the size.
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
    /// The name of the application or pattern. It has no effect.
    #[serde(default)]
    pub application: String,
    /// Number of ranks.
    #[schemars(range(min = 1))]
    pub ranks: u32,
    /// Number of ranks per node. Rank i runs on the job's node i // ranks_per_node. The ranks of a
    /// node share its NIC, which sends messages in the order that it receives them. They exchange
    /// messages with each other through memory (`mpi.memory_latency`). A pattern has one rank per
    /// node.
    #[serde(default = "one")]
    #[schemars(range(min = 1))]
    pub ranks_per_node: u32,
    /// Start of the job.
    #[serde(default)]
    #[schemars(range(max = LONGEST_TIME))]
    pub start_ps: u64,
    /// End of the job, even if its programs have not ended: from then on, its ranks start no
    /// operation and create no packet. The run does not wait for this job.
    #[serde(default, skip_serializing_if = "is_zero")]
    #[schemars(range(max = LONGEST_TIME), extend("default" = 0, "x-zero" = "none"))]
    pub end_ps: u64,
    /// Whether the ranks start their programs again, after a barrier, until the run or the job
    /// ends. Iterations are numbered on. The run does not wait for this job. Traces and programs
    /// repeat too; the log of a coNCePTuaL program is that of its last pass.
    #[serde(default, skip_serializing_if = "is_false")]
    #[schemars(extend("default" = false))]
    pub repeat: bool,
    /// Random variation of the compute times of the ranks.
    #[serde(default)]
    pub compute_noise: Noise,
    /// The placement of the job.
    pub placement: PlacementPlan,
    /// The job's nodes. Rank i runs on node number `i / ranks_per_node` of the list, unless the
    /// placement is `ranks`. Empty: `resolve` places the job.
    pub nodes: Vec<u32>,
    /// The workload of the job.
    pub workload: WorkloadSpec,
    /// The routing of the job. Absent: the plan's `routing`.
    #[serde(default)]
    pub routing: Option<RoutingPlan>,
    /// The routing of the job's all-to-all collectives. Absent: the plan's `routing_all_to_all`.
    #[serde(default)]
    pub routing_all_to_all: Option<RoutingPlan>,
}

impl Plan {
    /// Returns the NICs of each node: one, of the node's number.
    #[must_use]
    pub fn node_map(&self) -> NodeMap {
        NodeMap::ONE_NIC
    }

    /// By job: whether the run ends only after this job has ended. These are the jobs of
    /// `stop.target`, or else all jobs that end by themselves.
    #[must_use]
    pub fn awaited(&self) -> Vec<bool> {
        let target = &self.stop.target;
        let is_target = |job: &JobPlan| target.is_empty() || target.contains(&job.name);
        self.jobs.iter().map(|job| is_target(job) && job.ends_by_itself()).collect()
    }
}

impl JobPlan {
    /// Whether the job ends by itself: it is no pattern, does not repeat and has no set end.
    #[must_use]
    pub const fn ends_by_itself(&self) -> bool {
        !self.workload.is_endless() && !self.repeat && self.end_ps == 0
    }

    /// Number of nodes that the job needs.
    #[must_use]
    pub fn node_count(&self) -> u32 {
        match &self.placement {
            PlacementPlan::Ranks { nodes } => nodes.iter().collect::<BTreeSet<_>>().len() as u32,
            _ if self.ranks_per_node == 0 => self.ranks,
            _ => self.ranks.div_ceil(self.ranks_per_node),
        }
    }

    /// The node of each rank of a placed job.
    #[must_use]
    pub fn node_of_rank(&self) -> Vec<u32> {
        if let PlacementPlan::Ranks { nodes } = &self.placement {
            return nodes.clone();
        }
        let block = self.ranks_per_node as usize;
        (0..self.ranks as usize).map(|rank| self.nodes[rank / block]).collect()
    }
}

const fn one() -> u32 {
    1
}

fn is_zero<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
const fn is_false(value: &bool) -> bool {
    !*value
}

/// Seeds are below 2^63, so that every language can represent them.
const LARGEST_SEED: u64 = i64::MAX as u64;

/// How Pantala chooses the nodes of a job.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum PlacementPlan {
    /// Random free nodes.
    Random {},
    /// All free nodes of random routers.
    RandomRouters {},
    /// All free nodes of random groups.
    RandomGroups {},
    /// The first range of consecutive free nodes from `first_node` on.
    Contiguous {
        /// First node to consider. Absent: the lowest free node.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        first_node: Option<u32>,
        /// The order of the nodes. Absent: by their numbers.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        numbering: Option<Numbering>,
    },
    /// The first range of free nodes that lies in few groups.
    Compact {
        /// The largest number of groups. Absent: two, or as many as the job needs at least.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(range(min = 1))]
        groups: Option<u32>,
    },
    /// Random free nodes of random groups, as many in each group.
    Dispersed {
        /// The number of groups. Absent: all groups with free nodes, at most one per node.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(range(min = 1))]
        groups: Option<u32>,
    },
    /// Contiguous for jobs that communicate little, random for the others. Resolving replaces it.
    Hybrid {
        /// The payload per rank from which the job is random. Absent: it follows from the payloads
        /// of all hybrid jobs.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        random_from_bytes: Option<u64>,
    },
    /// The listed nodes, in the order of ranks.
    Nodes {
        /// One node for every `ranks_per_node` ranks.
        nodes: Vec<u32>,
    },
    /// The node of each rank. `ranks_per_node` is the largest number of ranks on a node.
    Ranks {
        /// One node per rank. Ranks with the same node share its NIC.
        nodes: Vec<u32>,
    },
}

/// An order of the nodes other than by their numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Numbering {
    /// Groups in a random order that all jobs share, and the nodes of each group in order.
    RandomGroups,
}

/// When a run ends. Without a duration, it ends when every job that ends by itself has ended, or
/// every target.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StopPlan {
    /// Simulated time after which the run stops, even if jobs have not finished.
    #[serde(default)]
    #[schemars(range(max = LONGEST_TIME), extend("x-zero" = "none"))]
    pub duration_ps: u64,
    /// The jobs whose end ends the run, even if other jobs have not finished. Absent: all jobs that
    /// end by themselves.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub target: Vec<String>,
    /// Simulated time after which the run stops as stalled if packets are in flight and none of
    /// them moves. The run then reports the packets that wait.
    #[serde(default = "hundred_microseconds")]
    #[schemars(range(min = 1, max = LONGEST_TIME))]
    pub watchdog_ps: u64,
}

const fn hundred_microseconds() -> u64 {
    100_000_000
}

/// Values that follow from a plan.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Derived {
    /// Nodes of the machine.
    pub nodes: u32,
    /// Routers.
    pub routers: u32,
    /// Groups.
    pub groups: u32,
    /// Ports per router.
    pub ports_per_router: u32,
    /// Virtual channels per port.
    pub virtual_channels: u8,
    /// Directed links between routers, by class.
    pub links: BTreeMap<String, u64>,
    /// Links between routers that have failed, by class. A link counts once, not per direction.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub failed_links: BTreeMap<String, u64>,
    /// Links between each pair of groups; the smallest number if it differs.
    pub links_per_pair: u32,
    /// The largest number of links between two groups, if it differs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub most_links_per_pair: Option<u32>,
    /// Flits of a full packet.
    pub flits_per_packet: u32,
    /// Time of one flit by stage, in whole picoseconds.
    pub flit_time_ps: BTreeMap<String, u64>,
    /// Error of the flit times by rounding to the picosecond, in parts per million.
    pub flit_time_error_ppm: BTreeMap<String, f64>,
    /// A sentence that states the known error of a coarsened run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub coarsened: Option<String>,
    /// The share of the time that a run with `skip` simulates, about, by the numbers of iterations.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skip_share: Option<f64>,
    /// Why a run that skips only if it is worth it (`skip.if_worth`) skips nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skip_declined: Option<String>,
    /// Simulated size of the input and output buffers of a coarsened run.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub simulated_buffer_flits: BTreeMap<String, u32>,
    /// SHA-256 of the estimates that q_adaptive starts from, if they come from a file
    /// (`q_tables::fingerprint`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub q_table_sha256: Option<String>,
    /// Warnings for the user of the plan.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

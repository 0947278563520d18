//! The routing of a plan. It has the keys of all algorithms, including keys without an effect under
//! the plan's algorithm.
//!
//! The keys from `threshold` on have an effect under some algorithms only.
//! [`Descriptor::reads`](pantala_routing::Descriptor::reads) lists them for each algorithm.

use pantala_routing::MAX_VIRTUAL_CHANNELS;
use pantala_routing::{
    Algorithm, GatewayChoice, IntermediateChoice, IntraGroup, QueueMeasure, QueueScope, Tie,
    VcMapName,
};
use pantala_topology::LocalOrder;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How packets choose their paths.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RoutingPlan {
    /// The algorithm. In the names, `_g` and `_group` mean an intermediate group, `_n` and `_node`
    /// an intermediate router.
    #[schemars(extend("x-source" = "Kang et al., SC 2022, II.B"))]
    pub algorithm: Algorithm,
    /// Virtual channels per port. 0 means the number that the algorithms of the plan need to be
    /// free of deadlock.
    #[schemars(range(max = MAX_VIRTUAL_CHANNELS), extend("default" = 0, "x-zero" = "as many as needed"))]
    pub virtual_channels: u8,
    /// The map from the place of a packet on its path to its virtual channel.
    #[schemars(extend("default" = "ascending"))]
    pub vc_map: VcMapName,
    /// The first direction of a path inside a group.
    #[schemars(extend("default" = "row_first", "x-effect" = {"/machine.topology.kind": ["dragonfly_2d"]}))]
    pub local_order: LocalOrder,
    /// A packet takes the non-minimal path if the minimal queue is longer than threshold times
    /// the non-minimal queue, rounded down, plus the bias.
    #[schemars(range(min = 0.0), extend("default" = 2.0, "x-source" = "Kang et al., SC 2022, II.B"))]
    pub threshold: f64,
    /// Bias towards the minimal path in flits, added to the non-minimal queue.
    #[schemars(extend("default" = 0, "x-source" = "zero in Kang et al., SC 2022, III"))]
    pub bias_flits: i64,
    /// A packet takes the minimal path if its queue is at most this long.
    #[serde(default)]
    #[schemars(extend("x-source" = "adaptive_threshold of CODES"))]
    pub minimal_up_to_flits: i64,
    /// Number of random minimal paths that a packet compares.
    #[schemars(
        range(min = 1, max = 16),
        extend("default" = 1, "x-source" = "1 in SST, 2 in the text of Kang et al., SC 2022, II.B, and on Aries")
    )]
    pub candidates_minimal: u32,
    /// Number of random non-minimal paths that a packet compares.
    #[schemars(
        range(min = 1, max = 16),
        extend("default" = 1, "x-source" = "1 in SST, 2 in the text of Kang et al., SC 2022, II.B, and on Aries")
    )]
    pub candidates_nonminimal: u32,
    /// Which flits count as queued at a port.
    #[schemars(extend("default" = "output_and_credits", "x-source" = "output_and_credits in SST"))]
    pub queue: QueueMeasure,
    /// Whether a queue covers the whole port or one virtual channel.
    #[schemars(extend("default" = "port"))]
    pub queue_scope: QueueScope,
    /// The path that a packet takes if both queues are equal.
    #[schemars(extend("default" = "minimal"))]
    pub tie: Tie,
    /// The routers from which a packet draws its intermediate router.
    #[schemars(extend("default" = "any"))]
    pub intermediate: IntermediateChoice,
    /// The path of packets to another router of their own group.
    #[serde(default)]
    pub intra_group: IntraGroup,
    /// The link that a packet takes between two groups with several links.
    #[serde(default, skip_serializing_if = "super::is_zero")]
    #[schemars(extend("default" = "fewest_hops", "x-later" = true))]
    pub gateways: GatewayChoice,
    /// The bias of aries.
    pub aries: AriesPlan,
    /// The learning of q_adaptive.
    pub q_adaptive: QAdaptivePlan,
}

/// The bias of the adaptive routing of Aries: a packet takes the minimal path if its load is at
/// most (non-minimal load << shift) + add.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AriesPlan {
    /// Left shift of the non-minimal load, one value per number of links that the packet has
    /// crossed. The last value also holds for all larger numbers.
    #[schemars(length(min = 1), inner(range(max = 15)), extend("x-source" = "Chunduri et al., IPDPS 2021, II.D"))]
    pub shift: Vec<u8>,
    /// Levels added to the non-minimal load.
    #[schemars(range(max = 15), extend("default" = 0, "x-source" = "Chunduri et al., IPDPS 2021, II.D"))]
    pub add: u8,
    /// Number of load levels between an empty and a full port. The first level is 1. The default of
    /// 16 follows from the four bits of a bias.
    #[schemars(range(min = 2, max = 65_536), extend("default" = 16, "x-source" = "assumption"))]
    pub levels: u32,
}

/// The learning of q_adaptive. The defaults are the values of the simulator published with Kang et
/// al., SC 2022.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct QAdaptivePlan {
    /// Fraction of the error by which an estimate falls if it was too high.
    #[schemars(range(min = 0.0, max = 1.0), extend("default" = 0.2, "x-source" = "Kang et al., SC 2022, II.B"))]
    pub learning_rate_down: f64,
    /// Fraction of the error by which an estimate rises if it was too low.
    #[schemars(range(min = 0.0, max = 1.0), extend("default" = 0.04, "x-source" = "Kang et al., SC 2022, II.B"))]
    pub learning_rate_up: f64,
    /// Fraction of decisions that are random.
    #[schemars(range(min = 0.0, max = 1.0), extend("default" = 0.001, "x-source" = "Kang et al., SC 2022, II.B"))]
    pub exploration: f64,
    /// Number of random decisions at the start of each router. SST behaves as with 4, because its
    /// random streams start with small numbers. The key matters in the first microseconds of a cold
    /// start.
    #[serde(default)]
    #[schemars(extend("x-source" = "SST, SC22 fork"))]
    pub first_explorations: u32,
    /// Fraction of the minimal port's estimate by which the best port must be faster at the source
    /// router.
    #[schemars(range(min = 0.0), extend("default" = 0.2, "x-source" = "Kang et al., SC 2022, II.B"))]
    pub threshold_source: f64,
    /// Fraction of the minimal port's estimate by which a random local port must be faster at the
    /// first router of an intermediate group.
    #[schemars(range(min = 0.0), extend("default" = 0.35, "x-source" = "Kang et al., SC 2022, II.B"))]
    pub threshold_intermediate: f64,
    /// Whether times and estimates are truncated to whole nanoseconds, as in SST. Truncation loses
    /// small increases.
    #[schemars(extend("default" = true, "x-source" = "SST, SC22 fork"))]
    pub truncate: bool,
    /// Path of the q_tables.parquet to start from, written by a run on the same topology with
    /// record.q_tables = "end". Empty: no training. A relative path starts in the working
    /// directory.
    pub table: String,
}

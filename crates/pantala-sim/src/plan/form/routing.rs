//! The routing of a plan: every key of every algorithm, also those without an effect under the
//! plan's own.
//!
//! The keys from `threshold` on have an effect under some algorithms only:
//! [`Descriptor::reads`](pantala_routing::Descriptor::reads) lists them for each.

use pantala_routing::MAX_VIRTUAL_CHANNELS;
use pantala_routing::{
    Algorithm, IntermediateChoice, IntraGroup, QueueMeasure, QueueScope, Tie, VcMapName,
};
use pantala_topology::LocalOrder;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How packets choose their paths.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RoutingPlan {
    /// The algorithm. `_g` and `_group` name an intermediate group, `_n` and `_node` a router of
    /// it.
    #[schemars(extend("x-source" = "Kang et al., SC 2022, II.B"))]
    pub algorithm: Algorithm,
    /// Virtual channels per port; 0 means as many as the algorithms in use need to be free of
    /// deadlock.
    #[schemars(range(max = MAX_VIRTUAL_CHANNELS), extend("default" = 0, "x-zero" = "as many as needed"))]
    pub virtual_channels: u8,
    /// The map from the place of a packet on its path to its virtual channel.
    #[schemars(extend("default" = "ascending"))]
    pub vc_map: VcMapName,
    /// The first direction of a path inside a group.
    #[schemars(extend("default" = "row_first", "x-effect" = {"/machine.topology.kind": ["dragonfly_2d"]}))]
    pub local_order: LocalOrder,
    /// A packet goes non-minimally if the minimal queue exceeds this many times the non-minimal
    /// one, rounded down, plus the bias.
    #[schemars(range(min = 0.0), extend("default" = 2.0, "x-source" = "Kang et al., SC 2022, II.B"))]
    pub threshold: f64,
    /// Bias towards the minimal path, added to the non-minimal queue.
    #[schemars(extend("default" = 0, "x-source" = "zero in Kang et al., SC 2022, III"))]
    pub bias_flits: i64,
    /// A packet stays on a minimal path whose queue is no longer than this.
    #[serde(default)]
    #[schemars(extend("x-source" = "adaptive_threshold of CODES"))]
    pub minimal_up_to_flits: i64,
    /// Minimal paths drawn and compared.
    #[schemars(
        range(min = 1, max = 16),
        extend("default" = 1, "x-source" = "1 in SST, 2 in the text of Kang et al., SC 2022, II.B, and on Aries")
    )]
    pub candidates_minimal: u32,
    /// Non-minimal paths drawn and compared.
    #[schemars(
        range(min = 1, max = 16),
        extend("default" = 1, "x-source" = "1 in SST, 2 in the text of Kang et al., SC 2022, II.B, and on Aries")
    )]
    pub candidates_nonminimal: u32,
    /// The flits that count as queued at a port.
    #[schemars(extend("default" = "output_and_credits", "x-source" = "output_and_credits in SST"))]
    pub queue: QueueMeasure,
    /// Whether a queue is that of the port or that of one virtual channel.
    #[schemars(extend("default" = "port"))]
    pub queue_scope: QueueScope,
    /// The path that a packet takes if neither is better.
    #[schemars(extend("default" = "minimal"))]
    pub tie: Tie,
    /// The routers that the intermediate is drawn from.
    #[schemars(extend("default" = "any"))]
    pub intermediate: IntermediateChoice,
    /// The path of packets to another router of their own group.
    #[serde(default)]
    pub intra_group: IntraGroup,
    /// The bias of aries.
    pub aries: AriesPlan,
    /// The learning of q_adaptive.
    pub q_adaptive: QAdaptivePlan,
}

/// The bias of the adaptive routing of Aries: minimal while its load is at most (the non-minimal
/// load << shift) + add.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AriesPlan {
    /// Left shift of the non-minimal load, by the number of links that the packet has crossed. The
    /// last value holds from there on.
    #[schemars(length(min = 1), inner(range(max = 15)), extend("x-source" = "Chunduri et al., IPDPS 2021, II.D"))]
    pub shift: Vec<u8>,
    /// Levels added to the non-minimal load.
    #[schemars(range(max = 15), extend("default" = 0, "x-source" = "Chunduri et al., IPDPS 2021, II.D"))]
    pub add: u8,
    /// Levels of load between an empty and a full port. The first is 1. Sixteen, since a bias has
    /// four bits.
    #[schemars(range(min = 2, max = 65_536), extend("default" = 16, "x-source" = "assumption"))]
    pub levels: u32,
}

/// The learning of q_adaptive. The defaults are those of the simulator published with Kang et al.,
/// SC 2022.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct QAdaptivePlan {
    /// Share of an error by which an estimate that was too high falls.
    #[schemars(range(min = 0.0, max = 1.0), extend("default" = 0.2, "x-source" = "Kang et al., SC 2022, II.B"))]
    pub learning_rate_down: f64,
    /// Share of an error by which an estimate that was too low rises.
    #[schemars(range(min = 0.0, max = 1.0), extend("default" = 0.04, "x-source" = "Kang et al., SC 2022, II.B"))]
    pub learning_rate_up: f64,
    /// Share of decisions that are drawn at random.
    #[schemars(range(min = 0.0, max = 1.0), extend("default" = 0.001, "x-source" = "Kang et al., SC 2022, II.B"))]
    pub exploration: f64,
    /// Number of each router's first decisions that are drawn at random too. SST's random streams
    /// start with small numbers, which amounts to 4. It shows in the first microseconds of a cold
    /// start.
    #[serde(default)]
    #[schemars(extend("x-source" = "SST, SC22 fork"))]
    pub first_explorations: u32,
    /// Share of the minimal port's estimate by which the best port must be faster, at the source
    /// router.
    #[schemars(range(min = 0.0), extend("default" = 0.2, "x-source" = "Kang et al., SC 2022, II.B"))]
    pub threshold_source: f64,
    /// Share of the minimal port's estimate by which a random local port must be faster, at the
    /// first router of an intermediate group.
    #[schemars(range(min = 0.0), extend("default" = 0.35, "x-source" = "Kang et al., SC 2022, II.B"))]
    pub threshold_intermediate: f64,
    /// Whether clocks and estimates are cut to whole nanoseconds, which loses small increases.
    #[schemars(extend("default" = true, "x-source" = "SST, SC22 fork"))]
    pub truncate: bool,
    /// A q_tables.parquet to start from, of a run on the same topology with record.q_tables =
    /// "end". Empty: untrained. The path starts where pantala is run.
    pub table: String,
}

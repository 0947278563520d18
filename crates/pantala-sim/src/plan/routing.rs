//! The routing of a plan: every key of every algorithm, whether it has a say or not.

use super::{InsideGroup, Intermediate, Queue, QueueScope, Tie};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A routing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RoutingPlan {
    /// Name of the algorithm.
    pub algorithm: String,
    /// VCs a port; 0: as many as the algorithm needs.
    pub virtual_channels: u8,
    /// Whose VC map: climbing, booksim2, caminos or codes.
    pub channels: String,
    /// Two dimensions: row_first or column_first.
    pub local_order: String,
    /// Adaptive: non-minimal iff q_min > floor(threshold q_nonmin) + bias and q_min > minimal_up_to.
    pub threshold: f64,
    /// Adaptive: in flits.
    pub bias_flits: i64,
    /// Adaptive: a minimal queue of no more flits than this is never left.
    #[serde(default)]
    pub minimal_up_to_flits: i64,
    /// Adaptive: candidates of each kind.
    pub candidates_minimal: u32,
    /// Adaptive: candidates of each kind.
    pub candidates_nonminimal: u32,
    /// Adaptive: which flits count.
    pub queue: Queue,
    /// Adaptive: over which VCs.
    pub queue_scope: QueueScope,
    /// Adaptive: who wins when neither is better.
    pub tie: Tie,
    /// booksim_ugal: where its intermediate is.
    pub intermediate: Intermediate,
    /// valiant_group, valiant_node: how traffic inside a group goes.
    #[serde(default)]
    pub inside_group: InsideGroup,
    /// aries: its bias.
    pub aries: AriesPlan,
    /// q_adaptive: its learning.
    pub q_adaptive: QAdaptivePlan,
}

/// The bias of `aries`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AriesPlan {
    /// By hops made; the last value holds on.
    pub shift: Vec<u8>,
    /// Added to the non-minimal load.
    pub add: u8,
    /// Steps of the load.
    pub levels: u32,
}

/// The learning of `q_adaptive`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct QAdaptivePlan {
    /// Share of the difference by which an estimate falls.
    pub learning_rate_down: f64,
    /// And rises.
    pub learning_rate_up: f64,
    /// Probability of a random port.
    pub exploration: f64,
    /// Of a router's decisions, so many at the start explore.
    #[serde(default)]
    pub first_explorations: u32,
    /// What the best port must save, of the minimal port's estimate, at the source router.
    pub threshold_source: f64,
    /// And a random one in the intermediate group.
    pub threshold_intermediate: f64,
    /// Whether estimates are whole nanoseconds, cut towards zero.
    pub truncate: bool,
    /// A saved table to start from; empty: none.
    pub table: String,
}

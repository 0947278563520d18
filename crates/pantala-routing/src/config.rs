//! [`RoutingConfig`]: one routing of a plan, compiled.

mod aries;
mod q_adaptive;
mod ugal;

use crate::algorithm::Algorithm;
use crate::gateways::Gateways;
use crate::vc_map::VcMap;
use pantala_topology::LocalOrder;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use aries::AriesConfig;
pub use q_adaptive::QAdaptiveConfig;
pub use ugal::{QueueScope, Tie, UgalConfig};

/// Which routers `booksim_ugal` draws its intermediate from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum IntermediateChoice {
    /// Those of neither the source's nor the destination's group.
    Third,
    /// All, each by its nodes.
    Any,
}

/// How packets go to another router of their own group under valiant_group and valiant_node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum IntraGroup {
    /// Minimally.
    #[default]
    Minimal,
    /// Through another group, like all others (CAMINOS).
    Nonminimal,
    /// Over another router of the group (SST's merlin).
    Valiant,
}

/// One routing of a plan.
#[derive(Clone, Debug)]
pub struct RoutingConfig {
    /// The algorithm.
    pub algorithm: Algorithm,
    /// Its VC map: [`Algorithm::channels`], unless a test wants a deadlock.
    pub vc_map: VcMap,
    /// Added to every VC: traffic classes that must not wait for one another have VCs of their own.
    pub first_vc: u8,
    /// Two-dimensional groups: along the row or along the column first.
    pub local_order: LocalOrder,
    /// Which links between two groups a path may take.
    pub gateways: Gateways,
    /// What the adaptive algorithms compare.
    pub ugal: UgalConfig,
    /// booksim_ugal: where its intermediate is.
    pub intermediate: IntermediateChoice,
    /// valiant_group and valiant_node: how packets go to another router of their own group.
    pub intra_group: IntraGroup,
    /// aries: its bias.
    pub aries: AriesConfig,
    /// q_adaptive: its learning and its choices.
    pub q_adaptive: QAdaptiveConfig,
}

impl RoutingConfig {
    /// `algorithm` with its own VC map and SST's decision (threshold 2, one candidate each, whole
    /// port).
    #[must_use]
    pub fn new(algorithm: Algorithm) -> Self {
        Self {
            algorithm,
            vc_map: algorithm.own_vc_map(),
            first_vc: 0,
            local_order: LocalOrder::RowFirst,
            gateways: algorithm.descriptor().gateways,
            ugal: UgalConfig::default(),
            intermediate: IntermediateChoice::Third,
            intra_group: IntraGroup::Minimal,
            aries: AriesConfig::default(),
            q_adaptive: QAdaptiveConfig::default(),
        }
    }

    /// The VCs it needs, those below its first included.
    #[must_use]
    pub const fn virtual_channels(&self) -> u8 {
        self.first_vc + self.vc_map.count
    }
}

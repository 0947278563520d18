//! [`RoutingConfig`]: one routing of a plan, compiled.

mod aries;
mod q_adaptive;
mod ugal;

use crate::algorithm::Algorithm;
use crate::descriptor::RoutingKey;
use crate::gateways::Gateways;
use crate::vc_map::VcMap;
use pantala_topology::LocalOrder;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use aries::AriesConfig;
pub use q_adaptive::QAdaptiveConfig;
pub use ugal::{QueueScope, Tie, UgalConfig};

/// The routers that `booksim_ugal` draws its intermediate from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum IntermediateChoice {
    /// Routers outside the source's and the destination's group.
    Third,
    /// All routers, weighted by their terminals.
    Any,
}

/// The paths to another router of the same group. Each routing takes some of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum IntraGroup {
    /// Minimal paths.
    #[default]
    Minimal,
    /// Paths through another group, as for all other packets (CAMINOS).
    Nonminimal,
    /// Paths over another router of the group (SST's merlin).
    Valiant,
    /// Minimal paths, or paths over another router of the group, by loads and bias (the default of
    /// aries).
    Adaptive,
}

/// The links between two groups that a packet may take, if there are several.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum GatewayChoice {
    /// A link with the fewest hops from the source router to the destination router, drawn per
    /// packet.
    #[default]
    FewestHops,
    /// A link of the source router if it has one, otherwise one of the nearest routers that have
    /// one, drawn per packet, wherever in the other group the link ends (CODES' dragonfly-dally).
    Nearest,
    /// The link whose number is that of the source node modulo the number of links (SST's merlin).
    BySource,
}

/// One routing of a plan.
#[derive(Clone, Debug, PartialEq)]
pub struct RoutingConfig {
    /// The algorithm.
    pub algorithm: Algorithm,
    /// The VC map.
    pub vc_map: VcMap,
    /// Added to every VC, so that responses have VCs of their own.
    pub first_vc: u8,
    /// The order of dimensions in a two-dimensional group.
    pub local_order: LocalOrder,
    /// The gateway links that a path may take.
    pub gateways: Gateways,
    /// The keys of UGAL's comparison.
    pub ugal: UgalConfig,
    /// `booksim_ugal`: the routers that it draws its intermediate from.
    pub intermediate: IntermediateChoice,
    /// `valiant_group`, `valiant_node` and `aries`: the paths to another router of the same group.
    pub intra_group: IntraGroup,
    /// `aries`: its bias.
    pub aries: AriesConfig,
    /// `q_adaptive`: its learning and its thresholds.
    pub q_adaptive: QAdaptiveConfig,
}

impl RoutingConfig {
    /// Returns `algorithm` with its own VC map and the decision of SST's SC22 fork: threshold 2,
    /// one candidate of each kind, queues of the whole port.
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

    /// Sets the links between two groups that a path may take, if the algorithm reads the choice.
    pub fn choose_gateways(&mut self, choice: GatewayChoice) {
        let descriptor = self.algorithm.descriptor();
        self.gateways = match choice {
            _ if !descriptor.reads.contains(&RoutingKey::Gateways) => descriptor.gateways,
            GatewayChoice::FewestHops => Gateways::Fewest,
            GatewayChoice::Nearest => Gateways::Nearest,
            GatewayChoice::BySource => Gateways::BySource,
        };
    }

    /// Returns the VCs that the routing needs, with those below its first one.
    #[must_use]
    pub const fn virtual_channels(&self) -> u8 {
        self.first_vc + self.vc_map.count
    }
}

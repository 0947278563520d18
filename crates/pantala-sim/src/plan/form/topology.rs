//! The topology of a plan: the parameters of a Dragonfly.

use super::LARGEST_SEED;
use pantala_topology::{DragonflySpec, GlobalArrangement, GroupSpec, PortAssignment};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A Dragonfly.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TopologyPlan {
    /// The shape of a group.
    pub kind: TopologyKind,
    /// Nodes per router.
    #[schemars(range(min = 1))]
    pub p: u32,
    /// Routers per group. In two dimensions it is rows * columns.
    pub a: u32,
    /// Rows per group; two dimensions only. A column has this many routers.
    pub rows: u32,
    /// Columns per group; two dimensions only. A row has this many routers.
    pub columns: u32,
    /// Global links per router.
    #[schemars(range(min = 1))]
    pub h: u32,
    /// Number of groups, at most a * h + 1. With fewer groups, two groups can have several links.
    pub g: u32,
    /// Links between two routers of a group; one dimension only.
    #[serde(default = "super::one")]
    #[schemars(range(min = 1))]
    pub links_per_local_pair: u32,
    /// Links between two routers of a row; two dimensions only.
    #[serde(default = "super::one")]
    #[schemars(range(min = 1))]
    pub links_per_row_pair: u32,
    /// Links between two routers of a column; two dimensions only. Aries has three.
    #[serde(default = "super::one")]
    #[schemars(range(min = 1))]
    pub links_per_column_pair: u32,
    /// Global links between two groups; 0 means as many as the ports allow.
    #[serde(default = "super::one")]
    #[schemars(extend("x-zero" = "as many as the ports allow"))]
    pub links_per_pair: u32,
    /// The global link arrangement: which group each global link of a group leads to.
    #[serde(default)]
    pub global_arrangement: GlobalArrangement,
    /// Which router of a group owns global link k of the group.
    #[serde(default)]
    pub port_assignment: PortAssignment,
    /// Whether the palmtree counts from the last router and port down, as in CAMINOS.
    #[serde(default)]
    #[schemars(extend("x-effect" = {"global_arrangement": ["palmtree"]}))]
    pub mirrored: bool,
    /// Seed of the random global link arrangement. It is separate from the scenario's seed, so that
    /// runs with different seeds can share an arrangement.
    #[serde(default)]
    #[schemars(range(max = LARGEST_SEED), extend("x-effect" = {"global_arrangement": ["random"]}))]
    pub global_arrangement_seed: u64,
}

/// The kinds of topology.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum TopologyKind {
    /// One dimension: local links connect all routers of a group with each other (Kim et al., ISCA
    /// 2008).
    #[serde(rename = "dragonfly")]
    Dragonfly,
    /// Two dimensions: row links connect the routers of a row, column links the routers of a column
    /// (Faanes et al., SC 2012).
    #[serde(rename = "dragonfly_2d")]
    Dragonfly2d,
}

impl TopologyPlan {
    /// The parameters in the form of the topology crate.
    #[must_use]
    pub fn spec(&self) -> DragonflySpec {
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
            global_arrangement: self.global_arrangement,
            port_assignment: self.port_assignment,
            mirrored: self.mirrored,
            global_arrangement_seed: self.global_arrangement_seed,
        }
    }
}

//! The topology of a plan: the parameters of a Dragonfly.

use super::{LARGEST_SEED, LinkFailures, LinkFile};
use pantala_topology::{
    DragonflySpec, GlobalArrangement, GlobalLink, GroupSpec, PortAssignment, Topology,
    TopologyError,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A Dragonfly.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
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
    /// All global links, if a file of links gives them: of each link once, router and port of one
    /// end and of the other. They replace those of the global link arrangement. The links of two
    /// groups are numbered in this order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub global_links: Option<Vec<[u32; 4]>>,
    /// Links between routers that have failed: of each link, router and port of one end. A link
    /// fails in both directions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failed_links: Vec<[u32; 2]>,
    /// All links between routers, as a file gives them. Resolving replaces it by `global_links`,
    /// and adds the links inside groups that the file lacks to `failed_links`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub links_file: Option<LinkFile>,
    /// Links that fail, by name or drawn at random. Resolving adds them to `failed_links`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link_failures: Option<LinkFailures>,
}

/// A port of a plan. No router has the largest number.
fn port(number: u32) -> u16 {
    number.try_into().unwrap_or(u16::MAX)
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
    /// Builds the topology of a resolved plan.
    ///
    /// # Errors
    /// If the parameters give no topology, or a link is not one of it.
    pub(in crate::plan) fn build(&self) -> Result<Topology, TopologyError> {
        self.build_whole()?.without(&self.failed_ends())
    }

    /// The ends of `failed_links`.
    pub(in crate::plan) fn failed_ends(&self) -> Vec<(u32, u16)> {
        self.failed_links.iter().map(|&[router, number]| (router, port(number))).collect()
    }

    /// Builds the topology of a resolved plan with the links that have failed.
    ///
    /// # Errors
    /// As [`Self::build`].
    pub(in crate::plan) fn build_whole(&self) -> Result<Topology, TopologyError> {
        let Some(links) = &self.global_links else {
            return Topology::dragonfly(&self.spec());
        };
        let link = |&[router, from, target_router, to]: &[u32; 4]| GlobalLink {
            router,
            port: port(from),
            target_router,
            target_port: port(to),
        };
        Topology::with_global_links(&self.spec(), &links.iter().map(link).collect::<Vec<_>>())
    }

    /// Whether the links are not all of those that the numbers give, and no others.
    #[must_use]
    pub fn is_irregular(&self) -> bool {
        self.global_links.is_some() || !self.failed_links.is_empty()
    }

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
            terminals_per_router: self.p,
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

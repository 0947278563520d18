//! [`Descriptor`]: all facts about a routing except its decision. Each algorithm declares its own.
//!
//! Plans, checks, the channel-dependency graph, the catalogue, Python's models and the reference
//! pages read descriptors. None of them names a routing itself.

use crate::{
    Gateways, IntraGroup, Paths, QueueMeasure, QueueScope, RoutingConfig, Tie, VcMap, VcMapName,
};
use pantala_topology::Topology;
use serde::Serialize;

/// The facts about a routing.
#[derive(Clone, Copy, Debug)]
pub struct Descriptor {
    /// The name in words.
    pub title: &'static str,
    /// The rule in one or two sentences.
    pub rule: &'static str,
    /// The publication or the simulator that defines it.
    pub source: &'static str,
    /// What a non-minimal path goes through, in words; empty if all paths are minimal.
    pub through: &'static str,
    /// Where it decides, in words; empty if it decides nothing.
    pub decides: &'static str,
    /// The state that its decisions read.
    pub information: Information,
    /// Its own VC map. It is free of deadlock.
    pub vc_map: VcMap,
    /// The VC maps that other simulators have for it.
    pub maps: &'static [(VcMapName, VcMap)],
    /// Most links between routers that a packet takes, if a minimal path inside a group has at most
    /// this many links.
    pub max_hops: fn(u8) -> u8,
    /// The paths that packets may take.
    pub paths: fn(&RoutingConfig, &Topology) -> Paths,
    /// The keys that have an effect under it, besides those that concern every routing.
    pub reads: &'static [RoutingKey],
    /// The values that its source gives to keys. They replace the defaults of the keys, not values
    /// that a scenario gives.
    pub defaults: &'static [Setting],
    /// The values that no source states: key of the plan, below the routing, and reason.
    pub assumptions: &'static [(&'static str, &'static str)],
    /// Names for the algorithm with particular values.
    pub modes: &'static [Mode],
    /// The intermediate of a non-minimal path.
    pub intermediate: Intermediate,
    /// The values of the key `intra_group` that it takes.
    pub intra_groups: &'static [IntraGroup],
    /// The links between two groups that a path may take.
    pub gateways: Gateways,
    /// Whether the later routers of the source group decide again.
    pub progressive: bool,
    /// Whether every router outside the destination's group picks the link to the next group anew,
    /// by queues.
    pub per_hop_adaptive: bool,
    /// Whether it can send packets between two groups without a link through a third group: it
    /// draws third groups with links to both, and its paths have such detours.
    pub serves_unlinked_groups: bool,
    /// Whether two-dimensional groups can carry it.
    pub carries_2d: bool,
}

impl Descriptor {
    /// The values that most routings share; a descriptor replaces what differs.
    pub(crate) const USUAL: Self = Self {
        title: "",
        rule: "",
        source: "",
        through: "",
        decides: "",
        information: Information::Nothing,
        vc_map: VcMap::ascending(1, 0, 0, 0, 0),
        maps: &[],
        max_hops: |_| 0,
        paths: super::paths::adaptive,
        reads: &[],
        defaults: &[],
        assumptions: &[],
        modes: &[],
        intermediate: Intermediate::Group,
        intra_groups: &[IntraGroup::Minimal],
        gateways: Gateways::Fewest,
        progressive: false,
        per_hop_adaptive: false,
        serves_unlinked_groups: false,
        carries_2d: true,
    };
}

/// A name for an algorithm with particular values.
#[derive(Clone, Copy, Debug)]
pub struct Mode {
    /// The name.
    pub name: &'static str,
    /// The rule in one or two sentences.
    pub rule: &'static str,
    /// The values that make the mode.
    pub fixed: &'static [Setting],
    /// The values of the mode that a scenario may replace.
    pub defaults: &'static [Setting],
    /// The values that no source states, besides those of the algorithm.
    pub assumptions: &'static [(&'static str, &'static str)],
}

/// The state that a routing's decisions read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Information {
    /// None.
    Nothing,
    /// The output queues of the router that decides.
    Queues,
    /// The output queues of all global links of the group, which no router has.
    GroupQueues,
    /// The estimates that the router has learned.
    Estimates,
}

/// What a non-minimal path visits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Intermediate {
    /// Any router of a group: the first one reached.
    Group,
    /// One router.
    Router,
}

/// A key of a plan's routing that has an effect under some algorithms only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RoutingKey {
    /// `threshold`
    Threshold,
    /// `bias_flits`
    BiasFlits,
    /// `minimal_up_to_flits`
    MinimalUpToFlits,
    /// `candidates_minimal`
    CandidatesMinimal,
    /// `candidates_nonminimal`
    CandidatesNonminimal,
    /// `queue`
    Queue,
    /// `queue_scope`
    QueueScope,
    /// `tie`
    Tie,
    /// `intermediate`
    Intermediate,
    /// `intra_group`
    IntraGroup,
    /// `gateways`
    Gateways,
    /// All keys of `aries`
    Aries,
    /// All keys of `q_adaptive`
    QAdaptive,
}

impl RoutingKey {
    /// Every key.
    pub const ALL: [Self; 13] = [
        Self::Threshold,
        Self::BiasFlits,
        Self::MinimalUpToFlits,
        Self::CandidatesMinimal,
        Self::CandidatesNonminimal,
        Self::Queue,
        Self::QueueScope,
        Self::Tie,
        Self::Intermediate,
        Self::IntraGroup,
        Self::Gateways,
        Self::Aries,
        Self::QAdaptive,
    ];

    /// The keys of UGAL's comparison, [`super::UgalConfig`].
    pub(crate) const UGAL: &'static [Self] = &[
        Self::Threshold,
        Self::BiasFlits,
        Self::MinimalUpToFlits,
        Self::CandidatesMinimal,
        Self::CandidatesNonminimal,
        Self::Queue,
        Self::QueueScope,
        Self::Tie,
    ];
}

/// A value of a key of a plan's routing, under the name of the key.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Setting {
    /// `threshold`
    Threshold(f64),
    /// `bias_flits`
    BiasFlits(i64),
    /// `candidates_minimal`
    CandidatesMinimal(u32),
    /// `candidates_nonminimal`
    CandidatesNonminimal(u32),
    /// `queue`
    Queue(QueueMeasure),
    /// `queue_scope`
    QueueScope(QueueScope),
    /// `tie`
    Tie(Tie),
    /// `intra_group`
    IntraGroup(IntraGroup),
    /// `aries.shift`
    #[serde(rename = "aries.shift")]
    AriesShift(&'static [u8]),
    /// `aries.add`
    #[serde(rename = "aries.add")]
    AriesAdd(u8),
}

impl Setting {
    /// The key that it belongs to.
    #[must_use]
    pub const fn key(&self) -> RoutingKey {
        match self {
            Self::Threshold(_) => RoutingKey::Threshold,
            Self::BiasFlits(_) => RoutingKey::BiasFlits,
            Self::CandidatesMinimal(_) => RoutingKey::CandidatesMinimal,
            Self::CandidatesNonminimal(_) => RoutingKey::CandidatesNonminimal,
            Self::Queue(_) => RoutingKey::Queue,
            Self::QueueScope(_) => RoutingKey::QueueScope,
            Self::Tie(_) => RoutingKey::Tie,
            Self::IntraGroup(_) => RoutingKey::IntraGroup,
            Self::AriesShift(_) | Self::AriesAdd(_) => RoutingKey::Aries,
        }
    }
}

#[cfg(test)]
mod tests;

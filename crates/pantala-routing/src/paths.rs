//! The paths of every routing as data: their segments and VCs.
//!
//! `follow` and `decide` move one packet. This file states all paths that packets may take. The
//! channel-dependency graph is built from it ([`crate::dependencies`]), and tests compare packets
//! of real runs with the graph. The descriptor of a routing names its paths: one of the functions
//! here, or its own function, made with [`PathSet`].

use super::descriptor::Intermediate;
use super::{Gateways, IntraGroup, RoutingConfig, SegmentVcs};
use pantala_topology::Topology;
use std::collections::BTreeSet;

/// The target of a packet in the group that it enters next. Under [`Gateways::Fewest`] its gateway
/// has the fewest hops to the target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// One router.
    Router,
    /// Any router.
    Group,
    /// Any router at the far end of this router's own global links.
    OwnLink,
}

/// A path segment. The next segment begins at the router where this one ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Segment {
    /// To a router of the group; no hop if that is this router.
    Within {
        /// The VC of its hops.
        vc: u8,
    },
    /// To another group: to the router that owns the gateway link, then over that link.
    Leave {
        /// The VCs at the first router of the segment.
        first: SegmentVcs,
        /// The VCs at later routers.
        later: SegmentVcs,
        /// The target in the other group.
        target: Target,
        /// Whether the path may return to the group that it came from.
        back: bool,
    },
    /// Like `Leave`, but it ends at a router after the first one of the segment: the packet is
    /// diverted there, or has arrived.
    BreakOff {
        /// The VC of the first hop.
        first: u8,
        /// The VC of later hops.
        later: u8,
        /// The target in the other group.
        target: Target,
    },
    /// To a terminal of this router.
    Eject {
        /// The VC.
        vc: u8,
    },
}

/// All paths of a routing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Paths {
    /// Lists of segments. A path that leaves a group goes neither to the group that it left before
    /// (except with [`Segment::Leave::back`]) nor to the group of a segment that ended early.
    Segments(Vec<Vec<Segment>>),
    /// Lists of segments with the VCs of a map by local hops ([`crate::VcMap::by_local_hop`]), which
    /// replace those of the segments, except for ejection.
    Counted(Vec<Vec<Segment>>),
    /// Over any port of any router. The VC is the number of hops made. Ejection is on any VC.
    AnyPort {
        /// Most links between routers.
        hops: u8,
        /// Number of VCs. All further hops use the last one.
        count: u8,
    },
}

impl Paths {
    /// Returns the VCs on which packets are ejected.
    #[must_use]
    pub fn ejection_vcs(&self) -> BTreeSet<u8> {
        match self {
            Self::Segments(paths) | Self::Counted(paths) => {
                let ends = paths.iter().filter_map(|path| path.last());
                ends.filter_map(
                    |end| if let Segment::Eject { vc } = end { Some(*vc) } else { None },
                )
                .collect()
            }
            Self::AnyPort { count, .. } => (0..*count).collect(),
        }
    }
}

impl RoutingConfig {
    /// Returns the paths that packets may take through `topology`. VCs are counted from
    /// [`RoutingConfig::first_vc`].
    #[must_use]
    pub fn paths(&self, topology: &Topology) -> Paths {
        if self.vc_map.by_hop {
            any_port(self, topology)
        } else {
            (self.algorithm.descriptor().paths)(self, topology)
        }
    }

    /// Returns the gateway links that packets take: [`RoutingConfig::gateways`], if it has an
    /// effect.
    #[must_use]
    pub const fn gateways_taken(&self) -> Gateways {
        if self.algorithm.per_hop_adaptive() { Gateways::Fewest } else { self.gateways }
    }

    /// The target of a packet in the destination's group. A per-hop adaptive routing minimises the
    /// path to the link only. In one and in two dimensions that path has the same links as with a
    /// fixed choice.
    const fn onward_target(&self) -> Target {
        if self.algorithm.per_hop_adaptive() { Target::Group } else { Target::Router }
    }

    /// The target of a packet in the intermediate group.
    const fn detour_target(&self) -> Target {
        match self.algorithm.intermediate() {
            Intermediate::Group => Target::Group,
            Intermediate::Router => Target::Router,
        }
    }
}

/// Minimal paths only.
pub(super) fn minimal(routing: &RoutingConfig, topology: &Topology) -> Paths {
    PathSet::of(routing, topology).inside().minimal().done()
}

/// Minimal paths, and non-minimal ones from every router that decides; inside a group as the key
/// `intra_group` says.
pub(super) fn adaptive(routing: &RoutingConfig, topology: &Topology) -> Paths {
    let again = routing.algorithm.is_progressive().then(|| routing.detour_target());
    let paths = PathSet::of(routing, topology).inside();
    let over_another = routing.intra_group == IntraGroup::Adaptive;
    let paths = if over_another { paths.inside_valiant() } else { paths };
    paths.minimal().detours(&Detours { again, ..Detours::default() }).done()
}

/// Non-minimal paths only, wherever there is a third group with links to both groups; inside a
/// group as the key `intra_group` says.
pub(super) fn valiant(routing: &RoutingConfig, topology: &Topology) -> Paths {
    let paths = PathSet::of(routing, topology);
    let back = routing.intra_group == IntraGroup::Nonminimal;
    let paths =
        if back && paths.has_detours() { paths.inside_through_another() } else { paths.inside() };
    let paths =
        if routing.intra_group == IntraGroup::Valiant { paths.inside_valiant() } else { paths };
    let paths = if topology.neighbours_have_third_groups() { paths } else { paths.minimal() };
    paths.detours(&Detours { back, ..Detours::default() }).done()
}

/// Any path of as many links as the algorithm takes at most.
pub(super) fn any_port(routing: &RoutingConfig, topology: &Topology) -> Paths {
    let hops = routing.algorithm.max_hops(topology.local_diameter() as u8);
    Paths::AnyPort { hops, count: routing.vc_map.count }
}

/// The paths of a routing, collected kind by kind.
pub(super) struct PathSet<'a> {
    routing: &'a RoutingConfig,
    topology: &'a Topology,
    paths: Vec<Vec<Segment>>,
}

/// Which non-minimal paths there are.
#[derive(Default)]
pub(super) struct Detours {
    /// The target of a packet that a later router of the source group diverts; `None` if later
    /// routers do not decide.
    pub(super) again: Option<Target>,
    /// Whether the destination may be in the source's group.
    pub(super) back: bool,
    /// Whether the intermediate router may be in the destination's group.
    pub(super) into_destination: bool,
}

impl<'a> PathSet<'a> {
    /// No path yet.
    pub(super) const fn of(routing: &'a RoutingConfig, topology: &'a Topology) -> Self {
        Self { routing, topology, paths: Vec::new() }
    }

    /// All that have been added.
    pub(super) fn done(self) -> Paths {
        if self.routing.vc_map.by_local_hop {
            Paths::Counted(self.paths)
        } else {
            Paths::Segments(self.paths)
        }
    }

    /// Whether there is a third group for a path to go through.
    fn has_detours(&self) -> bool {
        self.topology.groups() >= 3
    }

    fn with(mut self, path: Vec<Segment>) -> Self {
        self.paths.push(path);
        self
    }

    /// Adds paths inside a group, minimal.
    pub(super) fn inside(self) -> Self {
        let vc = self.routing.vc_map.inside;
        self.with(within(vc).to_vec())
    }

    /// Adds paths inside a group that go through another one. They may end before they leave.
    fn inside_through_another(self) -> Self {
        let map = &self.routing.vc_map;
        let (first, later) = (map.nonminimal.local, map.nonminimal_later.local);
        let eject = Segment::Eject { vc: map.destination_nonminimal };
        let leave = Segment::BreakOff { first, later, target: self.routing.detour_target() };
        // The first is that to another terminal of the router.
        self.with(vec![Segment::Eject { vc: map.inside }]).with(vec![leave, eject])
    }

    /// Adds paths inside a group over a router that is not on the minimal path.
    pub(crate) fn inside_valiant(self) -> Self {
        let map = &self.routing.vc_map;
        let over = Segment::Within { vc: map.nonminimal.local };
        self.with([&[over], &within(map.destination_nonminimal)[..]].concat())
    }

    /// Adds minimal paths to another group, if there is one.
    pub(super) fn minimal(self) -> Self {
        if self.topology.groups() < 2 {
            return self;
        }
        let map = &self.routing.vc_map;
        let target = self.routing.onward_target();
        let minimal =
            Segment::Leave { first: map.minimal, later: map.minimal_later, target, back: false };
        self.with([&[minimal], &within(map.destination_minimal)[..]].concat())
    }

    /// Adds non-minimal paths, if there is a third group.
    pub(super) fn detours(mut self, detours: &Detours) -> Self {
        if !self.has_detours() {
            return self;
        }
        let routing = self.routing;
        let map = &routing.vc_map;
        let out = |first, target| Segment::Leave {
            first,
            later: map.nonminimal_later,
            target,
            back: false,
        };
        let (first, target) = (map.from_intermediate, routing.onward_target());
        let on = Segment::Leave { first, later: first, target, back: detours.back };
        let to_router = Segment::Within { vc: map.to_intermediate };
        let after = match routing.algorithm.intermediate() {
            Intermediate::Group => vec![vec![on]],
            Intermediate::Router if detours.into_destination => {
                vec![vec![to_router, on], vec![to_router]]
            }
            Intermediate::Router => vec![vec![to_router, on]],
        };
        let mut before = vec![vec![out(map.nonminimal, routing.detour_target())]];
        if let Some(again) = detours.again {
            let (first, later) = (map.minimal.local, map.minimal_later.local);
            before.push(vec![
                Segment::BreakOff { first, later, target },
                out(map.nonminimal_later, again),
            ]);
        }
        let end = within(map.destination_nonminimal);
        let both = before
            .iter()
            .flat_map(|before| after.iter().map(|after| [&before[..], after, &end].concat()));
        self.paths.extend(both);
        self
    }
}

/// To a router of the group and to its terminal.
const fn within(vc: u8) -> [Segment; 2] {
    [Segment::Within { vc }, Segment::Eject { vc }]
}

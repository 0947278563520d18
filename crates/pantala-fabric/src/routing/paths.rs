//! The paths of every routing, as data: which stretches they are made of, and on which VCs.
//!
//! `follow` and `decide` move one packet; this says where they may move any packet. The
//! channel-dependency graph is built from it ([`crate::dependencies`]), and tests hold the packets
//! of real runs against that. A routing's descriptor names its paths: one of the functions here, or
//! its own, put together from [`PathSet`].

use super::descriptor::Intermediate;
use super::{Gates, InsideGroup, Lane, RoutingConfig};
use pantala_topology::Topology;
use std::collections::BTreeSet;

/// What a packet is after in the group that it leaves for: its gate has the fewest hops to that,
/// under [`Gates::Fewest`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goal {
    /// One router.
    Router,
    /// Any router.
    Group,
    /// Any router that this one has a global link of its own to: over that.
    OwnLink,
}

/// A part of a path. The next one begins at the router where it ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stretch {
    /// To a router of the group, or nowhere if that is this one.
    Within {
        /// The VC of its hops.
        vc: u8,
    },
    /// Over a link to another group: to the router that owns it, and over it.
    Leave {
        /// The VCs at the first router of the stretch.
        first: Lane,
        /// The VCs at those after it.
        later: Lane,
        /// What is sought in the other group.
        goal: Goal,
        /// Whether the other group may be the one that the path has come from.
        back: bool,
    },
    /// As `Leave`, broken off at a router after the first one of the stretch: the packet thinks
    /// again, or is there.
    BreakOff {
        /// The VC of the first hop.
        first: u8,
        /// The VC of those after it.
        later: u8,
        /// What was sought in the other group.
        goal: Goal,
    },
    /// To a node of this router.
    Eject {
        /// The VC.
        vc: u8,
    },
}

/// All paths of a routing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Paths {
    /// Stretch after stretch. A path that leaves a group goes neither to the one that it left
    /// before (but for [`Stretch::Leave::back`]) nor to the one on the way to which it was broken
    /// off.
    Stretches(Vec<Vec<Stretch>>),
    /// Over any port of any router, on the VC that is the number of hops made; ejection on any VC.
    AnyPort {
        /// Most links between routers.
        hops: u8,
        /// VCs; the last one holds on.
        count: u8,
    },
}

impl Paths {
    /// The VCs that packets are ejected on.
    #[must_use]
    pub fn ejection_vcs(&self) -> BTreeSet<u8> {
        match self {
            Self::Stretches(paths) => {
                let ends = paths.iter().filter_map(|path| path.last());
                ends.filter_map(
                    |end| if let Stretch::Eject { vc } = end { Some(*vc) } else { None },
                )
                .collect()
            }
            Self::AnyPort { count, .. } => (0..*count).collect(),
        }
    }
}

impl RoutingConfig {
    /// The paths that packets may take through `topology`. VCs are counted from
    /// [`RoutingConfig::first_vc`].
    #[must_use]
    pub fn paths(&self, topology: &Topology) -> Paths {
        if self.channels.by_hop {
            any_port(self, topology)
        } else {
            (self.algorithm.descriptor().paths)(self, topology)
        }
    }

    /// Which links between two groups are taken: [`RoutingConfig::gates`], where it has an effect.
    #[must_use]
    pub const fn gates_taken(&self) -> Gates {
        if self.algorithm.steers() { Gates::Fewest } else { self.gates }
    }

    /// The goal of a packet in the destination's group. A routing that picks links anew at every
    /// router minimises the path to the link only. In one and in two dimensions that path has the
    /// same links as if the first pick had stood.
    const fn onward_goal(&self) -> Goal {
        if self.algorithm.steers() { Goal::Group } else { Goal::Router }
    }

    /// The goal of a packet in the intermediate group.
    const fn detour_goal(&self) -> Goal {
        match self.algorithm.intermediate() {
            Intermediate::Group => Goal::Group,
            Intermediate::Router => Goal::Router,
        }
    }
}

/// Minimal paths only.
pub(super) fn minimal(routing: &RoutingConfig, topology: &Topology) -> Paths {
    PathSet::of(routing, topology).inside().minimal().done()
}

/// Minimal paths, and non-minimal ones from every router that decides.
pub(super) fn adaptive(routing: &RoutingConfig, topology: &Topology) -> Paths {
    let again = routing.algorithm.is_progressive().then(|| routing.detour_goal());
    PathSet::of(routing, topology)
        .inside()
        .minimal()
        .detours(&Detours { again, ..Detours::default() })
        .done()
}

/// Non-minimal paths only, wherever there is a third group; inside a group as the key
/// `inside_group` says.
pub(super) fn valiant(routing: &RoutingConfig, topology: &Topology) -> Paths {
    let paths = PathSet::of(routing, topology);
    let back = routing.inside_group == InsideGroup::Nonminimal;
    let paths =
        if back && paths.has_detours() { paths.inside_through_another() } else { paths.inside() };
    let paths = if routing.inside_group == InsideGroup::Beside { paths.beside() } else { paths };
    let paths = if paths.has_detours() { paths } else { paths.minimal() };
    paths.detours(&Detours { back, ..Detours::default() }).done()
}

/// Any path of as many links as the algorithm takes at most.
pub(super) fn any_port(routing: &RoutingConfig, topology: &Topology) -> Paths {
    let diameter = if topology.is_2d() { 2 } else { 1 };
    Paths::AnyPort { hops: routing.algorithm.most_hops(diameter), count: routing.channels.count }
}

/// The paths of a routing, collected kind by kind.
pub(super) struct PathSet<'a> {
    routing: &'a RoutingConfig,
    topology: &'a Topology,
    paths: Vec<Vec<Stretch>>,
}

/// Which non-minimal paths there are.
#[derive(Default)]
pub(super) struct Detours {
    /// What a later router of the source group seeks when it diverts a packet; `None` if later
    /// routers do not decide.
    pub(super) again: Option<Goal>,
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
        Paths::Stretches(self.paths)
    }

    /// Whether there is a third group for a path to go through.
    fn has_detours(&self) -> bool {
        self.topology.groups() >= 3
    }

    fn with(mut self, path: Vec<Stretch>) -> Self {
        self.paths.push(path);
        self
    }

    /// Adds paths inside a group, minimal.
    pub(super) fn inside(self) -> Self {
        let vc = self.routing.channels.inside;
        self.with(within(vc).to_vec())
    }

    /// Adds paths inside a group that go through another one. They may end before they leave.
    fn inside_through_another(self) -> Self {
        let map = &self.routing.channels;
        let (first, later) = (map.nonminimal.local, map.nonminimal_later.local);
        let eject = Stretch::Eject { vc: map.destination_nonminimal };
        let leave = Stretch::BreakOff { first, later, goal: self.routing.detour_goal() };
        // The first is that to another node of the router.
        self.with(vec![Stretch::Eject { vc: map.inside }]).with(vec![leave, eject])
    }

    /// Adds paths inside a group over a router that is not on the minimal path.
    pub(super) fn beside(self) -> Self {
        let map = &self.routing.channels;
        let over = Stretch::Within { vc: map.nonminimal.local };
        self.with([&[over], &within(map.destination_nonminimal)[..]].concat())
    }

    /// Adds minimal paths to another group, if there is one.
    pub(super) fn minimal(self) -> Self {
        if self.topology.groups() < 2 {
            return self;
        }
        let map = &self.routing.channels;
        let goal = self.routing.onward_goal();
        let minimal =
            Stretch::Leave { first: map.minimal, later: map.minimal_later, goal, back: false };
        self.with([&[minimal], &within(map.destination_minimal)[..]].concat())
    }

    /// Adds non-minimal paths, if there is a third group.
    pub(super) fn detours(mut self, detours: &Detours) -> Self {
        if !self.has_detours() {
            return self;
        }
        let routing = self.routing;
        let map = &routing.channels;
        let out =
            |first, goal| Stretch::Leave { first, later: map.nonminimal_later, goal, back: false };
        let (first, goal) = (map.from_intermediate, routing.onward_goal());
        let on = Stretch::Leave { first, later: first, goal, back: detours.back };
        let to_router = Stretch::Within { vc: map.to_intermediate };
        let after = match routing.algorithm.intermediate() {
            Intermediate::Group => vec![vec![on]],
            Intermediate::Router if detours.into_destination => {
                vec![vec![to_router, on], vec![to_router]]
            }
            Intermediate::Router => vec![vec![to_router, on]],
        };
        let mut before = vec![vec![out(map.nonminimal, routing.detour_goal())]];
        if let Some(again) = detours.again {
            let (first, later) = (map.minimal.local, map.minimal_later.local);
            before.push(vec![
                Stretch::BreakOff { first, later, goal },
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

/// To a router of the group and to its node.
const fn within(vc: u8) -> [Stretch; 2] {
    [Stretch::Within { vc }, Stretch::Eject { vc }]
}

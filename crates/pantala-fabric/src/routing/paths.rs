//! The paths of every routing, as data: which stretches they are made of, and on which VCs.
//!
//! `follow` and `decide` move one packet; this says where they may move any packet. The channel-dependency graph is built from
//! it ([`crate::dependencies`]), and tests hold the packets of real runs against that. Who changes what an algorithm's packets
//! do changes it here as well.

use super::{Algorithm, Gates, InsideGroup, Intermediate, IntermediateChoice, Lane, RoutingConfig};
use pantala_topology::Topology;
use std::collections::BTreeSet;

/// What a packet is after in the group that it leaves for: its gate has the fewest hops to that, under [`Gates::Fewest`].
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
    /// As `Leave`, broken off at a router after the first one of the stretch: the packet thinks again, or is there.
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
    /// Stretch after stretch. A path that leaves a group goes neither to the one that it left before (but for
    /// [`Stretch::Leave::back`]) nor to the one on the way to which it was broken off.
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
                ends.filter_map(|end| if let Stretch::Eject { vc } = end { Some(*vc) } else { None }).collect()
            }
            Self::AnyPort { count, .. } => (0..*count).collect(),
        }
    }
}

impl RoutingConfig {
    /// The paths that packets may take through `topology`. VCs are counted from [`RoutingConfig::first_vc`].
    #[must_use]
    pub fn paths(&self, topology: &Topology) -> Paths {
        let map = &self.channels;
        if map.by_hop {
            let diameter = if topology.is_2d() { 2 } else { 1 };
            return Paths::AnyPort { hops: self.algorithm.most_hops(diameter), count: map.count };
        }
        let within = |vc| [Stretch::Within { vc }, Stretch::Eject { vc }];
        let valiant = self.is_valiant();
        // A path through a third group needs one.
        let detours = topology.groups() >= 3 && self.algorithm != Algorithm::Minimal;
        let mut paths = Vec::new();
        if valiant && detours && self.inside_group == InsideGroup::Nonminimal {
            // To another node of the router; the path through another group may end before it leaves.
            let (first, later) = (map.nonminimal.local, map.nonminimal_later.local);
            let eject = Stretch::Eject { vc: map.destination_nonminimal };
            paths.push(vec![Stretch::Eject { vc: map.inside }]);
            paths.push(vec![Stretch::BreakOff { first, later, goal: self.detour_goal() }, eject]);
        } else {
            paths.push(within(map.inside).to_vec());
        }
        if self.algorithm == Algorithm::MerlinUgal || (valiant && self.inside_group == InsideGroup::Beside) {
            let over = Stretch::Within { vc: map.nonminimal.local };
            paths.push([&[over], &within(map.destination_nonminimal)[..]].concat());
        }
        if topology.groups() >= 2 && !(detours && valiant) {
            let minimal =
                Stretch::Leave { first: map.minimal, later: map.minimal_later, goal: self.onward_goal(), back: false };
            paths.push([&[minimal], &within(map.destination_minimal)[..]].concat());
        }
        if detours {
            for detour in self.detours(topology) {
                paths.push([&detour[..], &within(map.destination_nonminimal)].concat());
            }
        }
        Paths::Stretches(paths)
    }

    const fn is_valiant(&self) -> bool {
        matches!(self.algorithm, Algorithm::ValiantGroup | Algorithm::ValiantNode)
    }

    /// Which links between two groups are taken: [`RoutingConfig::gates`], where it has a say.
    #[must_use]
    pub const fn gates_taken(&self) -> Gates {
        if self.algorithm.steers() { Gates::Fewest } else { self.gates }
    }

    /// What is sought in the destination's group. Who picks links anew at every router looks at the way to the link only; in
    /// either dimension that leads over the same links as if the first pick had stood.
    const fn onward_goal(&self) -> Goal {
        if self.algorithm.steers() { Goal::Group } else { Goal::Router }
    }

    /// What is sought in the intermediate group.
    const fn detour_goal(&self) -> Goal {
        match self.algorithm.intermediate() {
            Intermediate::Group => Goal::Group,
            Intermediate::Router => Goal::Router,
        }
    }

    /// The non-minimal paths up to the destination's group.
    fn detours(&self, topology: &Topology) -> Vec<Vec<Stretch>> {
        let map = &self.channels;
        let back = self.is_valiant() && self.inside_group == InsideGroup::Nonminimal;
        let out = |first, goal| Stretch::Leave { first, later: map.nonminimal_later, goal, back: false };
        let (first, goal) = (map.from_intermediate, self.onward_goal());
        let on = Stretch::Leave { first, later: first, goal, back };
        let to_router = Stretch::Within { vc: map.to_intermediate };
        let anywhere = self.algorithm == Algorithm::BooksimUgal && self.intermediate == IntermediateChoice::Any;
        let into_destination = anywhere && topology.links_per_pair() > 1;
        let after: Vec<Vec<Stretch>> = match self.algorithm.intermediate() {
            Intermediate::Group => vec![vec![on]],
            // The intermediate router may be in the destination's group, if another port than the minimal one leads there.
            Intermediate::Router if into_destination => vec![vec![to_router, on], vec![to_router]],
            Intermediate::Router => vec![vec![to_router, on]],
        };
        let mut before = vec![vec![out(map.nonminimal, self.detour_goal())]];
        if self.algorithm.is_progressive() {
            let (first, later, goal) = (map.minimal.local, map.minimal_later.local, self.onward_goal());
            let own_links = matches!(self.algorithm, Algorithm::CodesPadp | Algorithm::MerlinUgal);
            let again = if own_links { Goal::OwnLink } else { self.detour_goal() };
            before.push(vec![Stretch::BreakOff { first, later, goal }, out(map.nonminimal_later, again)]);
        }
        let both = before.iter().flat_map(|before| after.iter().map(|after| [&before[..], after].concat()));
        both.collect()
    }
}

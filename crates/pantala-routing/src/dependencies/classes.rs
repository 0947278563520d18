//! The graph of channels by class and VC: the graph of the network with all channels of one link
//! class and one VC merged.
//!
//! Every dependency of the network is one between the classes and VCs of its two channels. So a
//! cycle in the network is a cycle here. The reverse does not hold: a cycle here need not be a
//! cycle of links.
//!
//! Where failed links lengthen the paths inside groups, a path has several hops of one class on one
//! VC. The graph then has one class for all links inside groups, and leaves out the dependencies of
//! that class on itself which arise within a segment of a path. So if it has no cycle, every cycle
//! of the network lies inside one group and on one VC. [`local_paths`] excludes those.

use super::local_paths;
use super::{ChannelUse, PathRules, answers, path_rules};
use crate::{MAX_VIRTUAL_CHANNELS, Paths, Segment, Target, VcMap};
use pantala_topology::{LocalOrder, Topology};
use petgraph::algo::is_cyclic_directed;
use petgraph::graph::DiGraph;
use std::collections::BTreeMap;

/// A set of channels, by class and VC: bit `class * 16 + VC`.
type Set = u128;

// Classes of links, as they are numbered here.
const INJECTION: u8 = 0;
const LOCAL: u8 = 1;
const ROW: u8 = 2;
const COLUMN: u8 = 3;
const GLOBAL: u8 = 4;
const EJECTION: u8 = 5;
const CLASSES: usize = 6;

/// Per channel held, the channels asked for.
#[derive(Clone, Debug)]
struct Classes {
    asked: Vec<Set>,
}

/// Returns whether the graph by class and VC has no cycle. Then the network is free of deadlock.
/// Otherwise it may still be: [`super::Dependencies`] decides.
#[must_use]
pub fn ascends(channels: &ChannelUse<'_>, topology: &Topology) -> bool {
    Classes::of(channels, topology).are_acyclic()
        && (!topology.has_local_detours() || local_paths::are_acyclic(channels, topology))
}

/// The classes of links inside groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Inside {
    /// Full meshes: a path has one hop.
    Mesh,
    /// Grids: a path has one hop along each dimension.
    Grid,
    /// Groups with detours: one class, of which a path has any number of hops.
    Detours,
}

impl Classes {
    /// Builds the graph of all routings of `channels`.
    fn of(channels: &ChannelUse<'_>, topology: &Topology) -> Self {
        let mut classes = Self { asked: vec![0; CLASSES * usize::from(MAX_VIRTUAL_CHANNELS)] };
        for rules in path_rules(channels, topology) {
            let inside = match (topology.has_local_detours(), topology.is_2d()) {
                (true, _) => Inside::Detours,
                (false, true) => Inside::Grid,
                (false, false) => Inside::Mesh,
            };
            classes.walk(&rules, inside);
        }
        for (ejected, injected) in answers(channels, topology) {
            classes.join(channel(EJECTION, ejected), channel(INJECTION, injected));
        }
        classes
    }

    /// Returns whether there is no cycle.
    fn are_acyclic(&self) -> bool {
        let edges = self
            .asked
            .iter()
            .enumerate()
            .flat_map(|(held, asked)| bits(*asked).map(move |a| (held as u32, a)));
        !is_cyclic_directed(&DiGraph::<(), ()>::from_edges(edges))
    }

    /// Adds the dependencies of each channel of `held` on each of `asked`.
    fn join(&mut self, held: Set, asked: Set) {
        bits(held).for_each(|channel| self.asked[channel as usize] |= asked);
    }

    /// Adds a routing's paths.
    fn walk(&mut self, rules: &PathRules, inside: Inside) {
        let of = |class: u8, vc: u8| channel(class, rules.first_vc + vc);
        let injected = rules
            .injection_vcs
            .clone()
            .map(|vc| channel(INJECTION, vc))
            .fold(0, |all, one| all | one);
        match &rules.paths {
            Paths::Segments(paths) => {
                for path in paths {
                    let mut front = injected;
                    for segment in path {
                        front = match *segment {
                            Segment::Within { vc } => {
                                front | self.hops(front, rules, inside, (vc, vc))
                            }
                            Segment::BreakOff { first, later, .. } => {
                                self.hops(front, rules, inside, (first, later))
                            }
                            Segment::Leave { first, target: Target::OwnLink, .. } => {
                                self.join(front, of(GLOBAL, first.global));
                                of(GLOBAL, first.global)
                            }
                            Segment::Leave { first, later, .. } => {
                                let last =
                                    self.hops(front, rules, inside, (first.local, later.local));
                                self.join(front, of(GLOBAL, first.global));
                                self.join(last, of(GLOBAL, later.global));
                                of(GLOBAL, first.global) | of(GLOBAL, later.global)
                            }
                            Segment::Eject { vc } => {
                                self.join(front, of(EJECTION, vc));
                                0
                            }
                        };
                    }
                }
            }
            Paths::Counted(paths) => {
                paths.iter().for_each(|path| self.walk_counted(path, rules, inside, injected));
            }
            &Paths::AnyPort { hops, count } => {
                let inside: &[u8] = if inside == Inside::Grid { &[ROW, COLUMN] } else { &[LOCAL] };
                let mut front = injected;
                for hop in 0..=hops {
                    let vc = hop.min(count - 1);
                    (0..count).for_each(|vc| self.join(front, of(EJECTION, vc)));
                    if hop < hops {
                        let next =
                            inside.iter().fold(of(GLOBAL, vc), |all, class| all | of(*class, vc));
                        self.join(front, next);
                        front = next;
                    }
                }
            }
        }
    }

    /// Adds a path whose VCs count local hops. The channels held are kept by the VC that the next
    /// local hop has.
    fn walk_counted(&mut self, path: &[Segment], rules: &PathRules, inside: Inside, injected: Set) {
        let of = |class: u8, vc: u8| channel(class, rules.first_vc + vc);
        let vc_of = |channel: u32| channel as u8 % MAX_VIRTUAL_CHANNELS - rules.first_vc;
        let mut fronts = BTreeMap::from([(0, injected)]);
        let mut globals = 0;
        for segment in path {
            let leaves = matches!(segment, Segment::Leave { .. });
            let over = of(GLOBAL, globals);
            globals += u8::from(leaves);
            let mut next: BTreeMap<u8, Set> = BTreeMap::new();
            let mut put = |vc: u8, set: Set| {
                *next.entry(vc.max(VcMap::least_local(globals))).or_default() |= set;
            };
            for (vc, front) in fronts {
                if let Segment::Eject { vc } = *segment {
                    self.join(front, of(EJECTION, vc));
                    continue;
                }
                put(vc, if leaves { over } else { front });
                let last = self.hops(front, rules, inside, (vc, vc + 1));
                bits(last).for_each(|held| {
                    put(vc_of(held) + 1, if leaves { over } else { 1 << held });
                });
                if leaves {
                    self.join(front | last, over);
                }
            }
            fronts = next;
        }
    }

    /// Adds one or more hops inside a group; returns the channels held after each.
    fn hops(
        &mut self,
        front: Set,
        rules: &PathRules,
        inside: Inside,
        (first, later): (u8, u8),
    ) -> Set {
        let of = |class: u8, vc: u8| channel(class, rules.first_vc + vc);
        match inside {
            Inside::Grid => {}
            Inside::Mesh => {
                self.join(front, of(LOCAL, first));
                return of(LOCAL, first);
            }
            Inside::Detours => {
                self.join(front, of(LOCAL, first));
                if first != later {
                    self.join(of(LOCAL, first), of(LOCAL, later));
                }
                return of(LOCAL, first) | of(LOCAL, later);
            }
        }
        let (one, other) = match rules.local_order {
            LocalOrder::RowFirst => (ROW, COLUMN),
            LocalOrder::ColumnFirst => (COLUMN, ROW),
        };
        self.join(front, of(one, first) | of(other, first));
        self.join(of(one, first), of(other, later));
        of(one, first) | of(other, first) | of(other, later)
    }
}

/// The set of one channel.
const fn channel(class: u8, vc: u8) -> Set {
    1 << (class * MAX_VIRTUAL_CHANNELS + vc)
}

/// The channels of a set.
fn bits(mut set: Set) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        (set != 0).then(|| {
            let bit = set.trailing_zeros();
            set &= set - 1;
            bit
        })
    })
}

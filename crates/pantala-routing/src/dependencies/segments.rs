//! The dependencies of one routing: a walk over its paths through the topology, segment by segment.
//!
//! The walk visits a segment once between all pairs of routers at which it may begin and end, and
//! not once per path. Where two segments meet, it joins every last channel of the first to every
//! first channel of the second. A [`Front`] carries two facts over the meeting point, so that no
//! impossible dependency arises: the group that a packet may not enter next, and the routers that
//! may be its target.

use super::PathRules;
use super::channel::Number;
use super::gateways::GatewayTable;
use super::graph::Graph;
use crate::{Paths, Segment, SegmentVcs, Target};
use pantala_topology::{GlobalLink, Peer, Topology};

/// The groups that packets of one channel may not enter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Groups {
    /// There is no such packet.
    #[default]
    None,
    /// This group for all of them.
    One(u32),
    /// Not the same one for all.
    Many,
}

impl Groups {
    /// Joins the groups of other packets to these.
    pub(super) fn add(&mut self, other: Self) {
        *self = match (*self, other) {
            (Self::None, groups) | (groups, Self::None) => groups,
            (Self::One(a), Self::One(b)) if a == b => other,
            _ => Self::Many,
        }
    }

    /// Whether one can be taken from each so that they differ.
    fn differ(self, other: Self) -> bool {
        match (self, other) {
            (Self::None, _) | (_, Self::None) => false,
            (Self::One(a), Self::One(b)) => a != b,
            _ => true,
        }
    }
}

/// The end of one segment, where the next begins.
pub(super) struct Front {
    /// Per channel, the groups that packets which hold it here may not enter next.
    pub(super) avoided: Vec<Groups>,
    /// Per channel, the routers (bits) of the group that may be the target of its packets; empty:
    /// all, for every channel.
    pub(super) sought: Vec<u64>,
    /// Per channel, the numbers (bits) of hops inside the group that its packets have made in the
    /// segment; empty if the segment does not tell.
    pub(super) hops: Vec<u8>,
}

/// A routing's paths, walked.
pub(super) struct Walk<'a> {
    pub(super) graph: &'a mut Graph,
    pub(super) topology: &'a Topology,
    pub(super) rules: &'a PathRules,
    /// Per target, the links that packets take to another group.
    gateways: [Option<GatewayTable>; 2],
    /// Words of a set of a group's routers.
    pub(super) words: usize,
}

impl<'a> Walk<'a> {
    /// Makes the walk that adds the dependencies of `way` to `graph`.
    pub(super) fn new(graph: &'a mut Graph, topology: &'a Topology, rules: &'a PathRules) -> Self {
        let words = topology.routers_per_group().div_ceil(64) as usize;
        Self { graph, topology, rules, gateways: [None, None], words }
    }

    /// Adds the dependencies of all paths.
    pub(super) fn walk(&mut self) {
        match &self.rules.paths {
            Paths::Segments(paths) => {
                for path in paths {
                    let mut front = self.injected();
                    for segment in path {
                        front = match *segment {
                            Segment::Within { vc } => self.within(&front, (vc, vc)),
                            Segment::Leave { first, later, target, back } => {
                                if back {
                                    front.forget();
                                }
                                self.leave(&front, (first, later), target)
                            }
                            Segment::BreakOff { first, later, target } => {
                                self.break_off(&front, (first, later), target)
                            }
                            Segment::Eject { vc } => self.eject(&front, vc),
                        };
                    }
                }
            }
            Paths::Counted(paths) => self.walk_counted(paths),
            Paths::AnyPort { hops, count } => self.any_port(*hops, *count),
        }
    }

    /// Returns a front without packets.
    pub(super) fn empty(&self) -> Front {
        let avoided = vec![Groups::None; self.graph.numbering.count()];
        Front { avoided, sought: Vec::new(), hops: Vec::new() }
    }

    /// Returns packets on all injection links, which may go anywhere.
    pub(super) fn injected(&self) -> Front {
        let mut front = self.empty();
        for terminal in 0..self.topology.terminals() {
            for vc in self.rules.injection_vcs.clone() {
                front.avoided[self.graph.numbering.injection(terminal, vc) as usize] = Groups::Many;
            }
        }
        front
    }

    /// Returns the channels into `router` that packets hold when a segment begins there.
    fn held(&self, front: &Front, router: u32) -> Vec<(Number, Groups)> {
        let numbering = &self.graph.numbering;
        let channels =
            numbering.links_into(self.topology, router).flat_map(|first| numbering.of_link(first));
        let held = channels.map(|channel| (channel, front.avoided[channel as usize]));
        held.filter(|(_, avoided)| *avoided != Groups::None).collect()
    }

    /// The hops from `router` to `target` in its group: the channels of each, on `first` and then
    /// `later`; calls `hop` with the channels before and those of the hop. Returns the channels of
    /// the last hop; none if there is no hop to make.
    fn hops(
        &mut self,
        (mut router, target): (u32, u32),
        (first, later): (u8, u8),
        mut hop: impl FnMut(&mut Graph, &[Number], &[Number]),
    ) -> Vec<Number> {
        let mut before = Vec::new();
        while router != target {
            let ports = self.topology.local_step(router, target, self.rules.local_order);
            let vc = self.rules.first_vc + if before.is_empty() { first } else { later };
            let channels: Vec<Number> =
                ports.iter().map(|port| self.graph.numbering.output(router, port, vc)).collect();
            hop(self.graph, &before, &channels);
            router = self.graph.numbering.far_router(channels[0]);
            before = channels;
        }
        before
    }

    /// [`Segment::Within`].
    pub(super) fn within(&mut self, front: &Front, (first, later): (u8, u8)) -> Front {
        let mut on = self.empty();
        let a = self.topology.routers_per_group();
        for router in 0..self.topology.routers() {
            let held = self.held(front, router);
            if held.is_empty() {
                continue;
            }
            let own = router - self.topology.local_index(router);
            for local in 0..a {
                let seeks = |channel: Number| front.seeks(channel, local, self.words);
                let held: Vec<_> =
                    held.iter().filter(|(channel, _)| seeks(*channel)).copied().collect();
                let mut avoided = Groups::None;
                held.iter().for_each(|(_, groups)| avoided.add(*groups));
                if avoided == Groups::None {
                    continue;
                }
                let last =
                    self.hops((router, own + local), (first, later), |graph, before, channels| {
                        if before.is_empty() {
                            held.iter().for_each(|(channel, _)| join(graph, &[*channel], channels));
                        }
                        join(graph, before, channels);
                    });
                if last.is_empty() {
                    held.iter()
                        .for_each(|(channel, groups)| on.avoided[*channel as usize].add(*groups));
                }
                last.iter().for_each(|channel| on.avoided[*channel as usize].add(avoided));
            }
        }
        on
    }

    /// [`Segment::Leave`].
    pub(super) fn leave(
        &mut self,
        front: &Front,
        (first, later): (SegmentVcs, SegmentVcs),
        target: Target,
    ) -> Front {
        let mut on = self.empty();
        let words = self.words;
        if target == Target::Router {
            on.sought = vec![0; on.avoided.len() * words];
        }
        on.hops = vec![0; on.avoided.len()];
        self.visit_gateways(front, target, |walk, router, link, sought, leads| {
            let group = walk.topology.group_of(router);
            let mut made = 0;
            let last = walk.hops(
                (router, link.router),
                (first.local, later.local),
                |graph, before, channels| {
                    made += 1;
                    join(graph, before, channels);
                    if before.is_empty() {
                        leads(channels);
                    }
                },
            );
            let vc =
                walk.rules.first_vc + if last.is_empty() { first.global } else { later.global };
            let over = walk.graph.numbering.output(link.router, link.port, vc);
            join(walk.graph, &last, &[over]);
            if last.is_empty() {
                leads(&[over]);
            }
            on.avoided[over as usize].add(Groups::One(group));
            on.hops[over as usize] |= 1 << made;
            if target == Target::Router {
                let place = over as usize * words;
                on.sought[place..place + words]
                    .iter_mut()
                    .zip(sought)
                    .for_each(|(all, new)| *all |= new);
            }
        });
        on
    }

    /// [`Segment::BreakOff`].
    fn break_off(&mut self, front: &Front, vcs: (u8, u8), target: Target) -> Front {
        let mut on = self.empty();
        self.visit_gateways(front, target, |walk, router, link, _, leads| {
            let destination = Groups::One(walk.topology.group_of(link.target_router));
            walk.hops((router, link.router), vcs, |graph, before, channels| {
                join(graph, before, channels);
                if before.is_empty() {
                    leads(channels);
                }
                channels.iter().for_each(|channel| on.avoided[*channel as usize].add(destination));
            });
        });
        on
    }

    /// Calls `to_gateway` with every router where packets are, every link that they may leave the
    /// group by, and the routers that they may seek behind it (bits). `to_gateway` says which
    /// channels out of the router lead there; who is at the router asks for these.
    fn visit_gateways(
        &mut self,
        front: &Front,
        target: Target,
        mut to_gateway: impl FnMut(&mut Self, u32, &GlobalLink, &[u64], &mut dyn FnMut(&[Number])),
    ) {
        let topology = self.topology;
        let gateways = self.gateways[usize::from(target == Target::Router)].take();
        let gateways = gateways.unwrap_or_else(|| {
            GatewayTable::new(topology, (self.rules.gateways, self.rules.local_order), target)
        });
        let mut leads = vec![Groups::None; self.graph.numbering.at_router()];
        for router in 0..topology.routers() {
            let held = self.held(front, router);
            let mut avoided = Groups::None;
            held.iter().for_each(|(_, groups)| avoided.add(*groups));
            let own = topology.group_of(router);
            leads.fill(Groups::None);
            let first = self.graph.numbering.output(router, 0, 0);
            for group in (0..topology.groups()).filter(|&group| group != own) {
                if !avoided.differ(Groups::One(group)) {
                    continue;
                }
                let links = topology.global_links(own, group);
                for (link, sought) in links.iter().zip(gateways.of(topology, router, group)) {
                    let own_only = target == Target::OwnLink;
                    if sought.iter().all(|word| *word == 0) || (own_only && link.router != router) {
                        continue;
                    }
                    to_gateway(self, router, link, sought, &mut |channels| {
                        channels
                            .iter()
                            .for_each(|c| leads[(c - first) as usize].add(Groups::One(group)));
                    });
                }
            }
            for (bit, groups) in
                leads.iter().enumerate().filter(|(_, groups)| **groups != Groups::None)
            {
                for (channel, _) in held.iter().filter(|(_, avoided)| avoided.differ(*groups)) {
                    self.graph.add(*channel, first + bit as Number);
                }
            }
        }
        self.gateways[usize::from(target == Target::Router)] = Some(gateways);
    }

    /// [`Segment::Eject`].
    pub(super) fn eject(&mut self, front: &Front, vc: u8) -> Front {
        let vc = self.rules.first_vc + vc;
        for router in 0..self.topology.routers() {
            let ports = 0..self.topology.first_local_port();
            let terminals: Vec<Number> =
                ports.map(|port| self.graph.numbering.output(router, port, vc)).collect();
            for (channel, _) in self.held(front, router) {
                join(self.graph, &[channel], &terminals);
            }
        }
        self.empty()
    }

    /// [`Paths::AnyPort`].
    fn any_port(&mut self, hops: u8, count: u8) {
        let topology = self.topology;
        let (terminals, ports) = (topology.first_local_port(), topology.ports_per_router() as u16);
        let vc = |hop: u8| self.rules.first_vc + hop.min(count - 1);
        for router in 0..topology.routers() {
            let into: Vec<Number> = self.graph.numbering.links_into(topology, router).collect();
            let linked = |port: &u16| topology.peer(router, *port) != Peer::Unconnected;
            let mut ejection: Vec<Number> = Vec::new();
            for vc in self.rules.first_vc..self.rules.first_vc + count {
                ejection.extend(
                    (0..terminals).map(|port| self.graph.numbering.output(router, port, vc)),
                );
            }
            for hop in 0..=hops {
                let held: Vec<Number> = if hop == 0 {
                    let terminals = into.iter().take(terminals.into());
                    terminals
                        .flat_map(|first| {
                            self.rules.injection_vcs.clone().map(move |vc| first + Number::from(vc))
                        })
                        .collect()
                } else {
                    into.iter()
                        .skip(terminals.into())
                        .map(|first| first + Number::from(vc(hop - 1)))
                        .collect()
                };
                join(self.graph, &held, &ejection);
                if hop < hops {
                    let out = (terminals..ports).filter(linked);
                    let out = out.map(|port| self.graph.numbering.output(router, port, vc(hop)));
                    join(self.graph, &held, &out.collect::<Vec<_>>());
                }
            }
        }
    }
}

impl Front {
    /// Packets may go anywhere from here.
    pub(super) fn forget(&mut self) {
        for avoided in self.avoided.iter_mut().filter(|avoided| **avoided != Groups::None) {
            *avoided = Groups::Many;
        }
    }

    /// Returns whether router `local` of the group may be the target of packets that hold
    /// `channel`.
    fn seeks(&self, channel: Number, local: u32, words: usize) -> bool {
        self.sought.is_empty()
            || self.sought[channel as usize * words + local as usize / 64] >> (local % 64) & 1 == 1
    }
}

/// Adds the dependencies of each of `held` on each of `asked`.
fn join(graph: &mut Graph, held: &[Number], asked: &[Number]) {
    for held in held {
        asked.iter().for_each(|asked| graph.add(*held, *asked));
    }
}

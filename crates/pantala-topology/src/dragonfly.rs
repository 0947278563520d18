//! The Dragonfly: groups, their links and their gateways, over the network that they make.

use crate::divisor::Divisor;
use crate::global_links::GlobalLinks;
use crate::group::Group;
use crate::local_paths::LocalPaths;
use crate::network_graph::NetworkGraph;
use crate::third_groups::GroupGraph;
use crate::{DragonflySpec, GlobalLink, Link, LinkClass, LocalOrder, Peer, Ports, TopologyError};
use std::ops::Deref;

/// A global link that has not been filled in.
const UNWIRED: GlobalLink = GlobalLink { router: 0, port: 0, target_router: 0, target_port: 0 };

/// A Dragonfly, built and checked: its network ([`Topology::network`]), and the groups and gateways
/// that routings ask for. It answers the questions to its network too. It takes 12 bytes per port,
/// and 16 more per global port.
///
/// Ids must be in range. Debug builds check them. In other builds a wrong id causes a panic or a
/// meaningless result.
#[derive(Clone, Debug)]
pub struct Topology {
    pub(crate) graph: NetworkGraph,
    terminals_per_router: u32,
    routers_per_group: u32,
    pub(crate) global_ports: u32,
    pub(crate) groups: u32,
    links_per_pair: u32,
    pub(crate) group: Group,
    by_routers_per_group: Divisor,
    /// By group, then by other group (without the group itself), then by parallel index.
    pub(crate) global_links: GlobalLinks,
    /// Which groups are linked; `None` if every two are.
    pub(crate) group_graph: Option<Box<GroupGraph>>,
    /// The paths of groups that lack local links; `None` if no group does.
    pub(crate) local_paths: Option<Box<LocalPaths>>,
}

impl Topology {
    /// Builds a Dragonfly.
    ///
    /// # Errors If [`DragonflySpec::check`] finds a fault.
    pub fn dragonfly(spec: &DragonflySpec) -> Result<Self, TopologyError> {
        let links_per_pair = spec.check()?;
        let mut topology = Self { links_per_pair, ..Self::unwired(spec) };
        topology.wire(spec);
        Ok(topology)
    }

    /// A Dragonfly without global links, of a specification that has been checked.
    pub(crate) fn unwired(spec: &DragonflySpec) -> Self {
        let group = Group::new(spec.group);
        Self {
            graph: network(spec, &group),
            terminals_per_router: spec.terminals_per_router,
            routers_per_group: spec.group.routers(),
            global_ports: spec.global_ports,
            groups: spec.groups,
            links_per_pair: 0,
            group,
            by_routers_per_group: Divisor::new(spec.group.routers()),
            global_links: GlobalLinks::default(),
            group_graph: None,
            local_paths: None,
        }
    }

    /// Computes the global ports and links.
    fn wire(&mut self, spec: &DragonflySpec) {
        let (a, h, g) = (self.routers_per_group, self.global_ports, self.groups);
        let slots = g - 1;
        let used = self.links_per_pair * slots;
        let places = spec.global_arrangement.places(spec.global_arrangement_seed, g, used);
        let place = |group: u32, k: u32| {
            places.as_ref().map_or(k, |places| places[group as usize * used as usize + k as usize])
        };
        // The router and the global port that own a global index of `group`.
        let first_port = self.first_global_port();
        let owner = |group: u32, place: u32| {
            let (local, port) = spec.port_assignment.owner(a, h, place);
            (group * a + local, port)
        };

        let mut links = vec![UNWIRED; g as usize * used as usize];
        for group in 0..g {
            for slice in 0..self.links_per_pair {
                for m in 0..slots {
                    let (other, back) =
                        spec.global_arrangement.far_slot(spec.mirrored, g, group, m);
                    let (router, port) = owner(group, place(group, slice * slots + m));
                    let (target_router, target_port) =
                        owner(other, place(other, slice * slots + back));
                    let target_port = first_port + target_port as u16;
                    let port = first_port + port as u16;
                    self.graph.join((router, port), (target_router, target_port));
                    let first = self.pair(group, other) * self.links_per_pair as usize;
                    links[first + slice as usize] =
                        GlobalLink { router, port, target_router, target_port };
                }
            }
        }
        self.global_links = GlobalLinks::uniform(links, self.links_per_pair);
    }

    /// The network without the properties of a Dragonfly.
    #[inline]
    #[must_use]
    pub fn network(&self) -> &NetworkGraph {
        &self.graph
    }

    /// Number of groups.
    #[inline]
    #[must_use]
    pub fn groups(&self) -> u32 {
        self.groups
    }

    /// Number of terminals per router (`p`).
    #[inline]
    #[must_use]
    pub fn terminals_per_router(&self) -> u32 {
        self.terminals_per_router
    }

    /// Number of routers per group (`a`).
    #[inline]
    #[must_use]
    pub fn routers_per_group(&self) -> u32 {
        self.routers_per_group
    }

    /// Whether groups are grids (2D). If not, they are full meshes (1D).
    #[inline]
    #[must_use]
    pub fn is_2d(&self) -> bool {
        self.group.is_grid()
    }

    /// Number of rows per group; 1 if groups are full meshes.
    #[inline]
    #[must_use]
    pub fn rows(&self) -> u32 {
        self.group.rows()
    }

    /// Number of columns per group, that is, of routers per row. If groups are full meshes: the
    /// number of routers per group.
    #[inline]
    #[must_use]
    pub fn columns(&self) -> u32 {
        self.group.columns()
    }

    /// Number of global ports per router (`h`), including unconnected ones.
    #[inline]
    #[must_use]
    pub fn global_ports(&self) -> u32 {
        self.global_ports
    }

    /// Number of links that the global link arrangement gives every two groups, those counted that
    /// have failed; 0 if there is one group, or if the links are given as a list.
    #[inline]
    #[must_use]
    pub fn links_per_pair(&self) -> u32 {
        self.links_per_pair
    }

    /// The first local port, after the terminal ports.
    #[inline]
    #[must_use]
    pub fn first_local_port(&self) -> u16 {
        self.terminals_per_router as u16
    }

    /// The first global port, after the local ports.
    #[inline]
    #[must_use]
    pub fn first_global_port(&self) -> u16 {
        (self.terminals_per_router + self.group.ports()) as u16
    }

    /// The group of `router`.
    #[inline]
    #[must_use]
    pub fn group_of(&self, router: u32) -> u32 {
        debug_assert!(router < self.routers(), "no router {router}");
        self.by_routers_per_group.quotient(router)
    }

    /// The group of `terminal`.
    #[inline]
    #[must_use]
    pub fn group_of_terminal(&self, terminal: u32) -> u32 {
        self.group_of(self.router_of(terminal))
    }

    /// The number of `router` within its group, from 0.
    #[inline]
    #[must_use]
    pub fn local_index(&self, router: u32) -> u32 {
        router - self.group_of(router) * self.routers_per_group
    }

    /// The row of `router` in its group, from 0; 0 if groups are full meshes.
    #[inline]
    #[must_use]
    pub fn row_of(&self, router: u32) -> u32 {
        self.group.place(self.local_index(router)).0
    }

    /// The column of `router` in its group, from 0. If groups are full meshes: its number within
    /// the group.
    #[inline]
    #[must_use]
    pub fn column_of(&self, router: u32) -> u32 {
        self.group.place(self.local_index(router)).1
    }

    /// The ports of `router` that lead to the next router on the minimal path inside its group to
    /// `target`, another router of the group. In a full mesh the next router is `target`. In a grid
    /// it is also `target` if both share a row or a column; otherwise `order` tells whether the
    /// path goes along the row or along the column first. In a group that lacks links, the path
    /// goes around them, if possible inside each dimension. Repeated steps reach `target` after
    /// [`Topology::local_distance`] steps. There are no ports if no path inside the group leads to
    /// `target` ([`Topology::parted_routers`]).
    #[inline]
    #[must_use]
    pub fn local_step(&self, router: u32, target: u32, order: LocalOrder) -> Ports<'_> {
        debug_assert_eq!(
            self.group_of(router),
            self.group_of(target),
            "routers {router} and {target}"
        );
        if let Some(ports) = self.step_around(router, target, order) {
            return ports;
        }
        let (first, count) = self.usual_step(router, target, order);
        Ports::Range { first, count }
    }

    /// One of the ports of [`Topology::local_step`]: that of number `draw(count)` if there are
    /// several. The hot path: it makes no list of ports.
    #[inline(always)]
    #[must_use]
    pub fn local_port(
        &self,
        router: u32,
        target: u32,
        order: LocalOrder,
        draw: impl FnOnce(u16) -> u16,
    ) -> u16 {
        if self.local_paths.is_some() {
            if let Some(ports) = self.step_around(router, target, order) {
                return match ports.count() {
                    1 => ports.first(),
                    count => ports.nth(draw(count)),
                };
            }
        }
        let (first, count) = self.usual_step(router, target, order);
        if count == 1 { first } else { first + draw(count) }
    }

    /// The first port and the number of ports in a group that lacks no links.
    #[inline]
    fn usual_step(&self, router: u32, target: u32, order: LocalOrder) -> (u16, u16) {
        let there = self.local_index(target);
        let here = router - (target - there);
        let (first, count) = self.group.step(here, there, order);
        (self.first_local_port() + first as u16, count as u16)
    }

    /// The ports in a group that lacks links; `None` in any other.
    #[cold]
    fn step_around(&self, router: u32, target: u32, order: LocalOrder) -> Option<Ports<'_>> {
        let there = self.local_index(target);
        let here = router - (target - there);
        let paths = self.local_paths.as_ref()?;
        let local = paths.step(self.group_of(target), here, there, order)?;
        Some(Ports::List { first: self.first_local_port(), local })
    }

    /// The number of links on the minimal path from `router` to `other`, a router of its group. It
    /// is 0 to itself and otherwise 1, or 2 in a grid if they share neither row nor column. Where
    /// links are missing it is larger, and can depend on the direction and on `order`.
    #[inline]
    #[must_use]
    pub fn local_distance(&self, router: u32, other: u32, order: LocalOrder) -> u32 {
        debug_assert_eq!(
            self.group_of(router),
            self.group_of(other),
            "routers {router} and {other}"
        );
        if self.local_paths.is_some() {
            if let Some(distance) = self.distance_around(router, other, order) {
                return distance;
            }
        }
        let there = self.local_index(other);
        self.group.distance(router - (other - there), there)
    }

    /// The distance in a group that lacks links; `None` in any other.
    #[cold]
    fn distance_around(&self, router: u32, other: u32, order: LocalOrder) -> Option<u32> {
        let there = self.local_index(other);
        let here = router - (other - there);
        let paths = self.local_paths.as_ref()?;
        paths.distance(self.group_of(other), here, there, order).map(u32::from)
    }

    /// The links from one group to another, by parallel index. Empty from a group to itself.
    #[inline]
    #[must_use]
    pub fn global_links(&self, from_group: u32, to_group: u32) -> &[GlobalLink] {
        if from_group == to_group {
            return &[];
        }
        self.global_links.of(self.pair(from_group, to_group))
    }

    /// The number of an ordered pair of groups.
    #[inline]
    pub(crate) fn pair(&self, group: u32, other: u32) -> usize {
        debug_assert!(group < self.groups && other < self.groups && group != other);
        let slot = other - u32::from(other > group);
        group as usize * (self.groups - 1) as usize + slot as usize
    }

    /// All links between two routers, once per direction, by source router and then by source port.
    pub fn links(&self) -> impl Iterator<Item = Link> + '_ {
        let ports = self.first_local_port()..self.ports_per_router() as u16;
        (0..self.routers())
            .flat_map(move |router| ports.clone().map(move |port| (router, port)))
            .filter_map(|(router, port)| self.link(router, port))
    }

    /// The link at `port` of `router`, if it leads to another router.
    #[must_use]
    pub fn link(&self, router: u32, port: u16) -> Option<Link> {
        let Peer::Port { router: target_router, port: target_port } = self.peer(router, port)
        else {
            return None;
        };
        let class = self.class_of(router, port);
        let parallel_index = if class == LinkClass::Global {
            let pair = self.global_links(self.group_of(router), self.group_of(target_router));
            pair.iter().take_while(|link| (link.router, link.port) != (router, port)).count() as u32
        } else {
            self.group.parallel_index(u32::from(port - self.first_local_port()))
        };
        Some(Link {
            source_router: router,
            source_port: port,
            target_router,
            target_port,
            class,
            parallel_index,
        })
    }
}

/// The questions to a topology's network are questions to the topology too.
impl Deref for Topology {
    type Target = NetworkGraph;

    #[inline]
    fn deref(&self) -> &NetworkGraph {
        &self.graph
    }
}

/// The network of a Dragonfly, without its global links.
fn network(spec: &DragonflySpec, group: &Group) -> NetworkGraph {
    let (routers, first_local) = (group.rows() * group.columns(), spec.terminals_per_router);
    let first_global = first_local + group.ports();
    let class = |_: u32, port: u16| match u32::from(port) {
        port if port < first_local => LinkClass::Terminal,
        port if port < first_global => group.class(port - first_local),
        _ => LinkClass::Global,
    };
    let terminals = vec![spec.terminals_per_router; (spec.groups * routers) as usize];
    let cells = vec![routers; spec.groups as usize];
    let mut graph =
        NetworkGraph::unlinked(first_global + spec.global_ports, &terminals, &cells, class);
    for first in (0..spec.groups).map(|number| number * routers) {
        for (here, port) in (0..routers).flat_map(|r| (0..group.ports()).map(move |p| (r, p))) {
            let (there, back) = group.peer(here, port);
            if here < there {
                let far = (first + there, (first_local + back) as u16);
                graph.join((first + here, (first_local + port) as u16), far);
            }
        }
    }
    graph
}

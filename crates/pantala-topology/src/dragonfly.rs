//! The one-dimensional Dragonfly: ids, ports, peers and global links.

use crate::divisor::Divisor;
use crate::{DragonflySpec, TopologyError};

/// What a link joins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum LinkClass {
    /// A node and its router (injection one way, ejection the other).
    Terminal = 0,
    /// Two routers of one group.
    Local = 1,
    /// Two routers of different groups.
    Global = 2,
}

impl LinkClass {
    /// Its name in tables: `terminal`, `local`, `global`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Terminal => "terminal",
            Self::Local => "local",
            Self::Global => "global",
        }
    }
}

/// What is at the far end of a router's port.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Peer {
    /// A node.
    Node(u32),
    /// A port of another router.
    Port {
        /// That router.
        router: u32,
        /// Its port.
        port: u16,
    },
    /// Nothing: a global port that the wiring leaves unused.
    Unconnected,
}

/// A global link, seen in one direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct GlobalLink {
    /// The router it leaves.
    pub router: u32,
    /// The port it leaves by.
    pub port: u16,
    /// The router it reaches.
    pub target_router: u32,
    /// The port it reaches.
    pub target_port: u16,
}

/// A link between two routers, seen in one direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Link {
    /// The router it leaves.
    pub source_router: u32,
    /// The port it leaves by.
    pub source_port: u16,
    /// The router it reaches.
    pub target_router: u32,
    /// The port it reaches.
    pub target_port: u16,
    /// [`LinkClass::Local`] or [`LinkClass::Global`].
    pub class: LinkClass,
    /// Which of the links of its pair of groups it is, from 0; 0 for local links.
    pub parallel_index: u32,
}

/// The far end of a global port.
#[derive(Clone, Copy, Debug)]
struct GlobalEnd {
    router: u32,
    port: u16,
}

const NOWHERE: GlobalEnd = GlobalEnd { router: u32::MAX, port: u16::MAX };

/// A Dragonfly, built and checked. About `20 h/p` bytes a node: its size is that of its global links.
///
/// Ids out of range are the caller's fault: accessors check them in debug builds and otherwise answer with a panic or with
/// an id that means nothing.
#[derive(Clone, Debug)]
pub struct Topology {
    nodes_per_router: u32,
    routers_per_group: u32,
    global_ports: u32,
    groups: u32,
    links_per_pair: u32,
    by_nodes_per_router: Divisor,
    by_routers_per_group: Divisor,
    /// By router, then global port.
    global_peers: Vec<GlobalEnd>,
    /// By group, then other group (its own skipped), then parallel index.
    global_links: Vec<GlobalLink>,
}

impl Topology {
    /// Builds a Dragonfly.
    ///
    /// # Errors
    /// If [`DragonflySpec::check`] finds a fault.
    pub fn dragonfly(spec: &DragonflySpec) -> Result<Self, TopologyError> {
        let links_per_pair = spec.check()?;
        let mut topology = Self {
            nodes_per_router: spec.nodes_per_router,
            routers_per_group: spec.routers_per_group,
            global_ports: spec.global_ports,
            groups: spec.groups,
            links_per_pair,
            by_nodes_per_router: Divisor::new(spec.nodes_per_router),
            by_routers_per_group: Divisor::new(spec.routers_per_group),
            global_peers: Vec::new(),
            global_links: Vec::new(),
        };
        topology.wire(spec);
        Ok(topology)
    }

    /// Fills in the global ports and links.
    fn wire(&mut self, spec: &DragonflySpec) {
        let (a, h, g) = (self.routers_per_group, self.global_ports, self.groups);
        let (per_group, slots) = ((a * h) as usize, g - 1);
        let used = self.links_per_pair * slots;
        let places = spec.wiring.places(spec.wiring_seed, g, used);
        let place = |group: u32, k: u32| {
            places.as_ref().map_or(k, |places| places[group as usize * used as usize + k as usize])
        };
        // The router and port that own place `place` of `group`.
        let first = self.first_global_port();
        let owner = |group: u32, place: u32| (group * a + place / h, first + (place % h) as u16);

        self.global_peers = vec![NOWHERE; g as usize * per_group];
        self.global_links =
            vec![GlobalLink { router: 0, port: 0, target_router: 0, target_port: 0 }; g as usize * used as usize];
        for group in 0..g {
            for slice in 0..self.links_per_pair {
                for m in 0..slots {
                    let (other, back) = spec.wiring.far_slot(spec.mirrored, g, group, m);
                    let near = place(group, slice * slots + m);
                    let (router, port) = owner(group, near);
                    let (target_router, target_port) = owner(other, place(other, slice * slots + back));
                    self.global_peers[group as usize * per_group + near as usize] =
                        GlobalEnd { router: target_router, port: target_port };
                    let index = self.pair_start(group, other) + slice as usize;
                    self.global_links[index] = GlobalLink { router, port, target_router, target_port };
                }
            }
        }
    }

    /// Nodes in all.
    #[inline]
    #[must_use]
    pub fn nodes(&self) -> u32 {
        self.routers() * self.nodes_per_router
    }

    /// Routers in all.
    #[inline]
    #[must_use]
    pub fn routers(&self) -> u32 {
        self.groups * self.routers_per_group
    }

    /// Groups.
    #[inline]
    #[must_use]
    pub fn groups(&self) -> u32 {
        self.groups
    }

    /// Ports of every router, the unconnected ones included.
    #[inline]
    #[must_use]
    pub fn ports_per_router(&self) -> u32 {
        self.nodes_per_router + self.routers_per_group - 1 + self.global_ports
    }

    /// Nodes on every router (`p`).
    #[inline]
    #[must_use]
    pub fn nodes_per_router(&self) -> u32 {
        self.nodes_per_router
    }

    /// Routers in every group (`a`).
    #[inline]
    #[must_use]
    pub fn routers_per_group(&self) -> u32 {
        self.routers_per_group
    }

    /// Global ports of every router (`h`), the unconnected ones included.
    #[inline]
    #[must_use]
    pub fn global_ports(&self) -> u32 {
        self.global_ports
    }

    /// Links between every two groups; 0 if there is one group.
    #[inline]
    #[must_use]
    pub fn links_per_pair(&self) -> u32 {
        self.links_per_pair
    }

    /// The first local port; where the terminal ports end.
    #[inline]
    #[must_use]
    pub fn first_local_port(&self) -> u16 {
        self.nodes_per_router as u16
    }

    /// The first global port; where the local ports end.
    #[inline]
    #[must_use]
    pub fn first_global_port(&self) -> u16 {
        (self.nodes_per_router + self.routers_per_group - 1) as u16
    }

    /// The router that `node` hangs on.
    #[inline]
    #[must_use]
    pub fn router_of(&self, node: u32) -> u32 {
        debug_assert!(node < self.nodes(), "no node {node}");
        self.by_nodes_per_router.quotient(node)
    }

    /// The port of its router that `node` hangs on.
    #[inline]
    #[must_use]
    pub fn terminal_port_of(&self, node: u32) -> u16 {
        (node - self.router_of(node) * self.nodes_per_router) as u16
    }

    /// The group of `router`.
    #[inline]
    #[must_use]
    pub fn group_of(&self, router: u32) -> u32 {
        debug_assert!(router < self.routers(), "no router {router}");
        self.by_routers_per_group.quotient(router)
    }

    /// The group of the router that `node` hangs on.
    #[inline]
    #[must_use]
    pub fn group_of_node(&self, node: u32) -> u32 {
        self.group_of(self.router_of(node))
    }

    /// The place of `router` in its group, from 0.
    #[inline]
    #[must_use]
    pub fn local_index(&self, router: u32) -> u32 {
        router - self.group_of(router) * self.routers_per_group
    }

    /// The node on `port` of `router`, if that is a terminal port.
    #[inline]
    #[must_use]
    pub fn node_at(&self, router: u32, port: u16) -> Option<u32> {
        debug_assert!(router < self.routers(), "no router {router}");
        (u32::from(port) < self.nodes_per_router).then(|| router * self.nodes_per_router + u32::from(port))
    }

    /// The class of the links on `port`, the same on every router.
    #[inline]
    #[must_use]
    pub fn class_of_port(&self, port: u16) -> LinkClass {
        debug_assert!(u32::from(port) < self.ports_per_router(), "no port {port}");
        if port < self.first_local_port() {
            LinkClass::Terminal
        } else if port < self.first_global_port() {
            LinkClass::Local
        } else {
            LinkClass::Global
        }
    }

    /// What is at the far end of `port` of `router`.
    #[inline]
    #[must_use]
    pub fn peer(&self, router: u32, port: u16) -> Peer {
        match self.class_of_port(port) {
            LinkClass::Terminal => Peer::Node(router * self.nodes_per_router + u32::from(port)),
            LinkClass::Local => {
                let here = self.local_index(router);
                let index = u32::from(port - self.first_local_port());
                let there = index + u32::from(index >= here);
                Peer::Port {
                    router: router - here + there,
                    port: self.first_local_port() + (here - u32::from(here > there)) as u16,
                }
            }
            LinkClass::Global => {
                let index = router as usize * self.global_ports as usize;
                let end = self.global_peers[index + usize::from(port - self.first_global_port())];
                if end.router == NOWHERE.router {
                    Peer::Unconnected
                } else {
                    Peer::Port { router: end.router, port: end.port }
                }
            }
        }
    }

    /// The port of `router` that leads to `other`, another router of its group.
    #[inline]
    #[must_use]
    pub fn local_port(&self, router: u32, other: u32) -> u16 {
        debug_assert!(router != other, "router {router} has no link to itself");
        debug_assert_eq!(self.group_of(router), self.group_of(other), "routers {router} and {other}");
        self.first_local_port() + (self.local_index(other) - u32::from(other > router)) as u16
    }

    /// The links from one group to another, by parallel index; none from a group to itself.
    #[inline]
    #[must_use]
    pub fn global_links(&self, from_group: u32, to_group: u32) -> &[GlobalLink] {
        if from_group == to_group {
            return &[];
        }
        let start = self.pair_start(from_group, to_group);
        &self.global_links[start..start + self.links_per_pair as usize]
    }

    /// Where the links from `group` to `other` start in `global_links`.
    #[inline]
    fn pair_start(&self, group: u32, other: u32) -> usize {
        debug_assert!(group < self.groups && other < self.groups && group != other);
        let slot = other - u32::from(other > group);
        (group as usize * (self.groups - 1) as usize + slot as usize) * self.links_per_pair as usize
    }

    /// Every link between two routers, once in each direction, by source router and then source port.
    pub fn links(&self) -> impl Iterator<Item = Link> + '_ {
        let ports = self.first_local_port()..self.ports_per_router() as u16;
        (0..self.routers())
            .flat_map(move |router| ports.clone().map(move |port| (router, port)))
            .filter_map(|(router, port)| self.link(router, port))
    }

    /// The link that leaves `router` by `port`, if that leads to another router.
    #[must_use]
    pub fn link(&self, router: u32, port: u16) -> Option<Link> {
        let Peer::Port { router: target_router, port: target_port } = self.peer(router, port) else {
            return None;
        };
        let pair = self.global_links(self.group_of(router), self.group_of(target_router));
        let parallel_index = pair.iter().position(|link| (link.router, link.port) == (router, port)).unwrap_or(0);
        Some(Link {
            source_router: router,
            source_port: port,
            target_router,
            target_port,
            class: self.class_of_port(port),
            parallel_index: parallel_index as u32,
        })
    }
}

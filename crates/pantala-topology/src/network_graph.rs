//! The network of a topology: its routers, ports, links, terminals and cells.

use crate::divisor::Divisor;
use crate::{LinkClass, Peer};
use std::ops::Range;

/// What every kind of topology is to the simulation of packets: routers with numbered ports, links
/// between ports, terminals, and the cells from which partitions are made.
///
/// The fabric, the MPI layer and the records of links ask these questions only. Groups, gateways
/// and global link arrangements are questions to a [`crate::Topology`], for routings. Routers may
/// have different numbers of terminals, and the links at a port may have another class at each
/// router. The numbers of ports are equal; a port without a link is [`Peer::Unconnected`].
///
/// **Invariant:** a router's terminals have consecutive numbers and are at its first ports. The
/// routers of a cell have consecutive numbers. Only links between cells connect partitions.
#[derive(Clone, Debug)]
pub struct NetworkGraph {
    ports: u32,
    terminals: Terminals,
    /// By router, then by port.
    ends: Vec<PortEnd>,
    /// The first router of each cell, and the number of routers.
    first_routers: Vec<u32>,
}

/// The routers of terminals.
#[derive(Clone, Debug)]
enum Terminals {
    /// Every router has this many.
    Equal { routers: u32, per_router: u32, divisor: Divisor },
    /// The first terminal of each router and the number of terminals; the router of each terminal.
    Different { first: Vec<u32>, router_of: Vec<u32> },
}

/// The class of a port, and its far end.
#[derive(Clone, Copy, Debug)]
struct PortEnd {
    /// The far router, or the terminal.
    number: u32,
    port: u16,
    class: LinkClass,
    leads_to: FarEnd,
}

/// The kind of a port's far end.
#[derive(Clone, Copy, Debug)]
enum FarEnd {
    Nothing,
    Terminal,
    Router,
}

impl NetworkGraph {
    /// Makes a network without links between routers. `terminals` has the number of terminals of
    /// each router, `cells` the number of routers of each cell. A port of a router has the class
    /// `class(router, port)`; its first ports are those of its terminals.
    pub(crate) fn unlinked(
        ports: u32,
        terminals: &[u32],
        cells: &[u32],
        class: impl Fn(u32, u16) -> LinkClass,
    ) -> Self {
        let starts = |counts: &[u32]| {
            let mut end = 0;
            let ends = counts.iter().map(|count| {
                end += count;
                end
            });
            [0].into_iter().chain(ends).collect::<Vec<u32>>()
        };
        let terminals = Terminals::new(terminals, starts);
        let mut ends = Vec::with_capacity(terminals.routers() as usize * ports as usize);
        for router in 0..terminals.routers() {
            let own = terminals.of(router);
            ends.extend((0..ports).map(|port| {
                let class = class(router, port as u16);
                let terminal = port < own.end - own.start;
                debug_assert_eq!(terminal, class == LinkClass::Terminal);
                let leads_to = if terminal { FarEnd::Terminal } else { FarEnd::Nothing };
                let number = if terminal { own.start + port } else { 0 };
                PortEnd { number, port: 0, class, leads_to }
            }));
        }
        Self { ports, terminals, ends, first_routers: starts(cells) }
    }

    /// Adds a link between two ports, each given as router and port.
    pub(crate) fn join(&mut self, one: (u32, u16), other: (u32, u16)) {
        for ((router, port), (number, far)) in [(one, other), (other, one)] {
            let place = self.place(router, port);
            let end = &mut self.ends[place];
            (end.number, end.port, end.leads_to) = (number, far, FarEnd::Router);
        }
    }

    /// Removes the link at a port, if there is one, in both directions.
    pub(crate) fn separate(&mut self, router: u32, port: u16) {
        if let Peer::Port { router: far_router, port: far_port } = self.peer(router, port) {
            for (router, port) in [(router, port), (far_router, far_port)] {
                let place = self.place(router, port);
                self.ends[place].leads_to = FarEnd::Nothing;
            }
        }
    }

    #[inline]
    fn place(&self, router: u32, port: u16) -> usize {
        debug_assert!(router < self.routers(), "no router {router}");
        debug_assert!(u32::from(port) < self.ports, "no port {port}");
        router as usize * self.ports as usize + usize::from(port)
    }

    /// Number of routers.
    #[inline]
    #[must_use]
    pub fn routers(&self) -> u32 {
        self.terminals.routers()
    }

    /// Number of ports per router, including unconnected ones.
    #[inline]
    #[must_use]
    pub fn ports_per_router(&self) -> u32 {
        self.ports
    }

    /// Number of terminals.
    #[inline]
    #[must_use]
    pub fn terminals(&self) -> u32 {
        match &self.terminals {
            Terminals::Equal { routers, per_router, .. } => routers * per_router,
            Terminals::Different { router_of, .. } => router_of.len() as u32,
        }
    }

    /// The terminals of `router`.
    #[inline]
    #[must_use]
    pub fn terminals_of(&self, router: u32) -> Range<u32> {
        self.terminals.of(router)
    }

    /// The router of `terminal`.
    #[inline]
    #[must_use]
    pub fn router_of(&self, terminal: u32) -> u32 {
        debug_assert!(terminal < self.terminals(), "no terminal {terminal}");
        match &self.terminals {
            Terminals::Equal { divisor, .. } => divisor.quotient(terminal),
            Terminals::Different { router_of, .. } => router_of[terminal as usize],
        }
    }

    /// The router port of `terminal`.
    #[inline]
    #[must_use]
    pub fn terminal_port_of(&self, terminal: u32) -> u16 {
        (terminal - self.terminals.first(self.router_of(terminal))) as u16
    }

    /// The terminal at `port` of `router`, if it is a terminal port.
    #[inline]
    #[must_use]
    pub fn terminal_at(&self, router: u32, port: u16) -> Option<u32> {
        debug_assert!(router < self.routers(), "no router {router}");
        let own = self.terminals.of(router);
        Some(own.start + u32::from(port)).filter(|terminal| *terminal < own.end)
    }

    /// The link class of `port` of `router`.
    #[inline]
    #[must_use]
    pub fn class_of(&self, router: u32, port: u16) -> LinkClass {
        self.ends[self.place(router, port)].class
    }

    /// Whether a port has this link class.
    #[must_use]
    pub fn has_class(&self, class: LinkClass) -> bool {
        self.ends.iter().any(|end| end.class == class)
    }

    /// The far end of `port` of `router`.
    #[inline]
    #[must_use]
    pub fn peer(&self, router: u32, port: u16) -> Peer {
        let PortEnd { number, port, leads_to, .. } = self.ends[self.place(router, port)];
        match leads_to {
            FarEnd::Nothing => Peer::Unconnected,
            FarEnd::Terminal => Peer::Terminal(number),
            FarEnd::Router => Peer::Port { router: number, port },
        }
    }

    /// Number of cells. A partition has whole cells; the cells of a Dragonfly are its groups.
    #[must_use]
    pub fn cells(&self) -> u32 {
        (self.first_routers.len() - 1) as u32
    }

    /// The routers of these cells.
    #[must_use]
    pub fn routers_of_cells(&self, cells: Range<u32>) -> Range<u32> {
        self.first_routers[cells.start as usize]..self.first_routers[cells.end as usize]
    }

    /// The terminals of these routers.
    #[must_use]
    pub fn terminals_of_routers(&self, routers: Range<u32>) -> Range<u32> {
        self.terminals.first(routers.start)..self.terminals.first(routers.end)
    }

    /// The cell of `router`.
    #[must_use]
    pub fn cell_of(&self, router: u32) -> u32 {
        (self.first_routers.partition_point(|&first| first <= router) - 1) as u32
    }
}

impl Terminals {
    fn new(counts: &[u32], starts: impl Fn(&[u32]) -> Vec<u32>) -> Self {
        match counts {
            &[per_router, ref others @ ..]
                if per_router > 0 && others.iter().all(|&count| count == per_router) =>
            {
                let (routers, divisor) = (counts.len() as u32, Divisor::new(per_router));
                Self::Equal { routers, per_router, divisor }
            }
            _ => Self::Different {
                first: starts(counts),
                router_of: (0..)
                    .zip(counts)
                    .flat_map(|(router, &count)| (0..count).map(move |_| router))
                    .collect(),
            },
        }
    }

    #[inline]
    fn routers(&self) -> u32 {
        match self {
            Self::Equal { routers, .. } => *routers,
            Self::Different { first, .. } => (first.len() - 1) as u32,
        }
    }

    /// The first terminal of a router; after the last router, the number of terminals.
    #[inline]
    fn first(&self, router: u32) -> u32 {
        match self {
            Self::Equal { per_router, .. } => router * per_router,
            Self::Different { first, .. } => first[router as usize],
        }
    }

    #[inline]
    fn of(&self, router: u32) -> Range<u32> {
        self.first(router)..self.first(router + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Leaves with `p` terminals and two links upwards, spines with two links downwards and links
    /// to other cells, as in a Dragonfly+: the classes of a port differ between routers.
    fn leaves_and_spines() -> NetworkGraph {
        let class = |router: u32, port: u16| match (router % 4 < 2, port) {
            (true, 0..3) => LinkClass::Terminal,
            (true, _) | (false, 0..2) => LinkClass::Local,
            (false, _) => LinkClass::Global,
        };
        let mut graph = NetworkGraph::unlinked(5, &[3, 3, 0, 0, 3, 3, 0, 0], &[4, 4], class);
        for cell in 0..2 {
            for leaf in 0..2 {
                for spine in 0..2 {
                    let (low, high) = (4 * cell + leaf, 4 * cell + 2 + spine);
                    graph.join((low, 3 + spine as u16), (high, leaf as u16));
                }
            }
        }
        graph.join((2, 2), (6, 2));
        graph
    }

    #[test]
    fn terminals_and_classes_can_differ_between_routers() {
        let mut graph = leaves_and_spines();
        assert_eq!((graph.routers(), graph.terminals(), graph.cells()), (8, 12, 2));
        assert_eq!(graph.terminals_of(2), 6..6);
        assert_eq!((graph.router_of(6), graph.terminal_port_of(8)), (4, 2));
        assert_eq!((graph.terminal_at(1, 2), graph.terminal_at(2, 0)), (Some(5), None));
        assert_eq!(
            (graph.class_of(0, 2), graph.class_of(2, 0), graph.class_of(2, 2)),
            (LinkClass::Terminal, LinkClass::Local, LinkClass::Global)
        );
        assert!(graph.has_class(LinkClass::Global) && !graph.has_class(LinkClass::Row));
        assert_eq!(graph.peer(6, 2), Peer::Port { router: 2, port: 2 });
        graph.separate(6, 2);
        assert_eq!((graph.peer(6, 2), graph.peer(2, 2)), (Peer::Unconnected, Peer::Unconnected));
        assert_eq!((graph.cell_of(3), graph.cell_of(4)), (0, 1));
        assert_eq!(graph.terminals_of_routers(graph.routers_of_cells(1..2)), 6..12);
    }

    proptest! {
        /// Each terminal is at one port of one router, whatever numbers of terminals routers have.
        #[test]
        fn every_terminal_has_one_port(counts in prop::collection::vec(0..4u32, 1..20)) {
            let class = |router: u32, port: u16| {
                if u32::from(port) < counts[router as usize] {
                    LinkClass::Terminal
                } else {
                    LinkClass::Global
                }
            };
            let graph = NetworkGraph::unlinked(4, &counts, &[counts.len() as u32], class);
            let mut next = 0;
            for router in 0..graph.routers() {
                for port in 0..4 {
                    let terminal = graph.terminal_at(router, port);
                    if let Some(terminal) = terminal {
                        prop_assert_eq!(terminal, next);
                        prop_assert_eq!(graph.router_of(terminal), router);
                        prop_assert_eq!(graph.terminal_port_of(terminal), port);
                        next += 1;
                    }
                    let peer = terminal.map_or(Peer::Unconnected, Peer::Terminal);
                    prop_assert_eq!(graph.peer(router, port), peer);
                }
            }
            prop_assert_eq!(graph.terminals(), next);
        }
    }
}

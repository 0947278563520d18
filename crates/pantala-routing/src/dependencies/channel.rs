//! Channels and their numbers.

use pantala_topology::{LinkClass, Peer, Topology};

/// A link in one direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Link {
    /// The injection link from a terminal to its router.
    Injection {
        /// The terminal.
        terminal: u32,
    },
    /// The link at an output port of a router: to another router, or to a terminal (ejection).
    Output {
        /// The router.
        router: u32,
        /// The port.
        port: u16,
    },
}

/// A virtual channel of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Channel {
    /// The link.
    pub link: Link,
    /// The VC.
    pub vc: u8,
}

impl Channel {
    /// Returns `injection`, `ejection`, or the class of a link between routers.
    #[must_use]
    pub fn class(&self, topology: &Topology) -> &'static str {
        match self.link {
            Link::Injection { .. } => "injection",
            Link::Output { router, port } => match topology.class_of(router, port) {
                LinkClass::Terminal => "ejection",
                class => class.name(),
            },
        }
    }
}

/// The number of a channel. The channels of one link are consecutive, then those of one router's
/// outputs. Injection channels follow all outputs.
pub(super) type Number = u32;

/// The numbering of channels.
#[derive(Clone, Debug)]
pub(super) struct Numbering {
    routers: u32,
    ports: u32,
    vcs: u32,
    terminals: u32,
    /// Per link, the number of the first channel that leaves its far end, or [`NOWHERE`].
    after: Vec<Number>,
}

/// The far end of a port without a link.
const NOWHERE: Number = Number::MAX;

impl Numbering {
    /// Numbers the channels of a network with `vcs` per link.
    pub(super) fn new(topology: &Topology, vcs: u8) -> Self {
        let (routers, ports, terminals) =
            (topology.routers(), topology.ports_per_router(), topology.terminals());
        let vcs = u32::from(vcs);
        let mut numbering = Self { routers, ports, vcs, terminals, after: Vec::new() };
        let outputs = (0..routers)
            .flat_map(|router| (0..ports).map(move |port| topology.peer(router, port as u16)));
        let after = outputs.map(|peer| match peer {
            Peer::Port { router, .. } => numbering.output(router, 0, 0),
            Peer::Terminal(terminal) => numbering.injection(terminal, 0),
            Peer::Unconnected => NOWHERE,
        });
        let injection =
            (0..terminals).map(|terminal| numbering.output(topology.router_of(terminal), 0, 0));
        numbering.after = after.chain(injection).collect();
        numbering
    }

    /// Returns the number of numbers, with those of ports without a link.
    pub(super) const fn count(&self) -> usize {
        (self.routers as usize * self.ports as usize + self.terminals as usize) * self.vcs as usize
    }

    /// Returns the number of channels that exist.
    pub(super) fn existing(&self) -> usize {
        self.after.iter().filter(|&&after| after != NOWHERE).count() * self.vcs as usize
    }

    /// Returns the number of channels that leave one router.
    pub(super) const fn at_router(&self) -> usize {
        (self.ports * self.vcs) as usize
    }

    /// The number of a channel out of `router` by `port`.
    pub(super) const fn output(&self, router: u32, port: u16, vc: u8) -> Number {
        (router * self.ports + port as u32) * self.vcs + vc as u32
    }

    /// The number of a channel from `terminal` to its router.
    pub(super) const fn injection(&self, terminal: u32, vc: u8) -> Number {
        (self.routers * self.ports + terminal) * self.vcs + vc as u32
    }

    /// The number of a channel.
    pub(super) const fn number(&self, channel: Channel) -> Number {
        match channel.link {
            Link::Injection { terminal } => self.injection(terminal, channel.vc),
            Link::Output { router, port } => self.output(router, port, channel.vc),
        }
    }

    /// The channel of a number.
    pub(super) fn channel(&self, number: Number) -> Channel {
        let (link, vc) = (number / self.vcs, (number % self.vcs) as u8);
        let link = match link.checked_sub(self.routers * self.ports) {
            Some(terminal) => Link::Injection { terminal },
            None => Link::Output { router: link / self.ports, port: (link % self.ports) as u16 },
        };
        Channel { link, vc }
    }

    /// The number of the first channel that leaves the far end of `channel`.
    pub(super) fn after(&self, channel: Number) -> Number {
        self.after[(channel / self.vcs) as usize]
    }

    /// The router at the far end of a link between routers.
    pub(super) fn far_router(&self, channel: Number) -> u32 {
        self.after(channel) / (self.ports * self.vcs)
    }

    /// All channels of the link whose first one is `first`.
    pub(super) fn of_link(&self, first: Number) -> std::ops::Range<Number> {
        first..first + self.vcs
    }

    /// The first channel of every link into `router`, those from its terminals first.
    pub(super) fn links_into<'a>(
        &'a self,
        topology: &'a Topology,
        router: u32,
    ) -> impl Iterator<Item = Number> + 'a {
        (0..self.ports as u16).filter_map(move |port| match topology.peer(router, port) {
            Peer::Port { router, port } => Some(self.output(router, port, 0)),
            Peer::Terminal(terminal) => Some(self.injection(terminal, 0)),
            Peer::Unconnected => None,
        })
    }
}

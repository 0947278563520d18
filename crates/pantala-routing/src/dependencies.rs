//! The proof of freedom from deadlock: the channel-dependency graph, and the search for cycles in
//! it.
//!
//! A *channel* is a virtual channel of a link in one direction, with the buffers at both its ends.
//! Injection links (terminal to router) and ejection links (router to terminal) have channels, too.
//! A packet holds a channel and asks for the next. There is a *dependency* from one channel to
//! another if some packet may hold the first while it asks for the second. In a deadlock, packets
//! hold the channels of a cycle of dependencies. So a network whose graph has no cycle is free of
//! deadlock (Dally and Seitz, 1987). This also holds for adaptive routings, because the graph has
//! the dependencies of every choice.
//!
//! The graph covers all routings of a run together, because their packets share the channels. It is
//! built from the paths that each routing declares
//! ([`RoutingConfig::paths`](crate::RoutingConfig::paths)), not from sampled packets. So it also
//! has dependencies that no run has shown. If NICs send responses, the ejection channels of
//! requests depend on the injection channels of responses.
//!
//! There are two checks. [`ascends`] merges all channels of one link class and one VC. If that
//! graph, of less than a hundred nodes, has no cycle, the graph of the network has none, for any
//! size. Otherwise [`Dependencies`] is the graph itself, link by link.

mod channel;
mod classes;
mod counted;
mod exceptions;
mod gateways;
mod graph;
mod local_paths;
mod search;
mod segments;

#[cfg(test)]
mod tests;

use crate::RoutingConfig;
use crate::{Gateways, Paths};
use graph::Graph;
use pantala_topology::{LocalOrder, Topology};
use std::ops::Range;

pub use channel::{Channel, Link};
pub use classes::ascends;
pub use exceptions::exception;

/// The routings of a network and the VCs of its links: the input of the graph.
#[derive(Clone, Copy, Debug)]
pub struct ChannelUse<'a> {
    /// The routings of all packets, with those of responses last.
    pub routings: &'a [RoutingConfig],
    /// VCs of a port.
    pub virtual_channels: u8,
    /// Whether NICs inject on the first VC only: the first of requests, or of responses.
    pub injects_on_first: bool,
    /// The VCs and routings of responses, if NICs send any.
    pub responses: Option<ResponseUse>,
}

/// The VCs and routings of responses.
#[derive(Clone, Copy, Debug)]
pub struct ResponseUse {
    /// The first VC of responses. Requests use the VCs below it.
    pub first_vc: u8,
    /// Place of the first routing of responses. A response to a packet of routing `r` has the
    /// routing `first_routing + r`.
    pub first_routing: u8,
}

/// The channel-dependency graph of a network.
#[derive(Clone, Debug)]
pub struct Dependencies {
    graph: Graph,
}

impl Dependencies {
    /// Builds the graph of all routings of `channels` on `topology`.
    ///
    /// It takes one bit of memory per pair of a channel and a channel that leaves its far end.
    #[must_use]
    pub fn of(channels: &ChannelUse<'_>, topology: &Topology) -> Self {
        let numbering = channel::Numbering::new(topology, channels.virtual_channels);
        let mut graph = Graph::new(numbering);
        for rules in path_rules(channels, topology) {
            segments::Walk::new(&mut graph, topology, &rules).walk();
        }
        for (ejected, injected) in answers(channels, topology) {
            for router in 0..topology.routers() {
                for port in 0..topology.first_local_port() {
                    let terminal =
                        topology.terminal_at(router, port).expect("a node on a terminal port");
                    let held = graph.numbering.output(router, port, ejected);
                    graph.add(held, graph.numbering.injection(terminal, injected));
                }
            }
        }
        Self { graph }
    }

    /// Returns the number of channels of the network, used or not.
    #[must_use]
    pub fn channels(&self) -> u64 {
        self.graph.numbering.existing() as u64
    }

    /// Returns the number of dependencies.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.graph.size()
    }

    /// Returns whether some packet may hold `held` and ask for `asked`.
    #[must_use]
    pub fn contains(&self, held: Channel, asked: Channel) -> bool {
        let number = |channel| self.graph.numbering.number(channel);
        self.graph.contains(number(held), number(asked))
    }

    /// Returns all dependencies in a fixed order: the channel held and the channel asked for.
    pub fn iter(&self) -> impl Iterator<Item = (Channel, Channel)> + '_ {
        let numbering = &self.graph.numbering;
        (0..numbering.count() as u32).flat_map(move |held| {
            self.graph
                .asked(held)
                .map(move |asked| (numbering.channel(held), numbering.channel(asked)))
        })
    }

    /// Returns a cycle of channels, in which packets that may hold one channel ask for the next;
    /// `None` if there is none, so that the network is free of deadlock. No cycle through its
    /// channels is shorter.
    #[must_use]
    pub fn cycle(&self) -> Option<Vec<Channel>> {
        let cycle = search::cycle(&self.graph)?;
        Some(cycle.into_iter().map(|number| self.graph.numbering.channel(number)).collect())
    }
}

/// The facts of a routing that the graph depends on.
#[derive(Clone, Debug, PartialEq)]
struct PathRules {
    paths: Paths,
    gateways: Gateways,
    local_order: LocalOrder,
    first_vc: u8,
    injection_vcs: Range<u8>,
}

/// Returns the path rules of all routings. Routings that differ in their comparison only share one.
fn path_rules(channels: &ChannelUse<'_>, topology: &Topology) -> Vec<PathRules> {
    let mut path_rules: Vec<PathRules> = Vec::new();
    for (place, routing) in channels.routings.iter().enumerate() {
        let rules = PathRules {
            paths: routing.paths(topology),
            gateways: routing.gateways_taken(),
            local_order: routing.local_order,
            first_vc: routing.first_vc,
            injection_vcs: injection_vcs(channels, place),
        };
        if !path_rules.contains(&rules) {
            path_rules.push(rules);
        }
    }
    path_rules
}

/// Returns the VCs on which packets of a routing are injected.
fn injection_vcs(channels: &ChannelUse<'_>, place: usize) -> Range<u8> {
    let (first, end) = match channels.responses {
        Some(responses) if place >= usize::from(responses.first_routing) => {
            (responses.first_vc, channels.virtual_channels)
        }
        Some(responses) => (0, responses.first_vc),
        None => (0, channels.virtual_channels),
    };
    first..if channels.injects_on_first { first + 1 } else { end }
}

/// Returns the pairs of an ejection VC of requests and an injection VC of their responses.
fn answers(channels: &ChannelUse<'_>, topology: &Topology) -> Vec<(u8, u8)> {
    let Some(responses) = channels.responses else { return Vec::new() };
    let first = usize::from(responses.first_routing);
    let requests = channels.routings[..first].iter().enumerate();
    let pairs = requests.flat_map(|(place, request)| {
        let injected = injection_vcs(channels, first + place);
        let ejected =
            request.paths(topology).ejection_vcs().into_iter().map(|vc| request.first_vc + vc);
        ejected.flat_map(move |ejected| injected.clone().map(move |injected| (ejected, injected)))
    });
    pairs.collect()
}

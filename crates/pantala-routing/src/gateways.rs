//! The choice of a gateway link to another group, and of one of several parallel links to a
//! neighbour.

use crate::draws::{salted, scaled};
use crate::state::RouteState;
use pantala_topology::{GlobalLink, LocalOrder, Topology};

/// Salt of the choice among parallel links inside a group.
const PARALLEL: u64 = 256;

/// The target of a path segment: a group, and the router in it if the target is a router.
#[derive(Clone, Copy)]
pub(crate) struct GatewayTarget {
    pub(crate) group: u32,
    pub(crate) router: Option<u32>,
}

/// The gateway links that a path may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gateways {
    /// Links with the fewest hops from here to the target.
    Fewest,
    /// Links with the fewest hops from here to the router that owns the link.
    Nearest,
    /// The link whose place is the number of the source terminal modulo the number of links.
    BySource,
    /// All links.
    Any,
}

/// Returns the place of the gateway link of a packet from terminal `source` with
/// [`Gateways::BySource`].
pub(crate) const fn of_source(source: u32, links: u32) -> u32 {
    source % links
}

/// Returns the gateway link that a path takes: uniform over the links that `gateways` allows, by a
/// draw if there are several.
#[inline(always)]
pub(crate) fn choose(
    topology: &Topology,
    links: &[GlobalLink],
    router: u32,
    target: GatewayTarget,
    (gateways, order): (Gateways, LocalOrder),
    draw: impl FnOnce() -> u64,
) -> u32 {
    if links.len() <= 1 {
        0
    } else {
        choose_of_several(topology, links, router, target, (gateways, order), draw())
    }
}

fn choose_of_several(
    topology: &Topology,
    links: &[GlobalLink],
    router: u32,
    target: GatewayTarget,
    (gateways, order): (Gateways, LocalOrder),
    draw: u64,
) -> u32 {
    if matches!(gateways, Gateways::Any | Gateways::BySource) {
        return scaled(draw, links.len() as u32);
    }
    let beyond = target.router.filter(|_| gateways == Gateways::Fewest);
    let cost = |link: &GlobalLink| {
        topology.local_distance(router, link.router, order)
            + beyond.map_or(0, |r| topology.local_distance(link.target_router, r, order))
    };
    let fewest = links.iter().map(cost).min().unwrap_or(0);
    let ties = links.iter().filter(|l| cost(l) == fewest).count() as u32;
    let pick = scaled(draw, ties) as usize;
    links
        .iter()
        .enumerate()
        .filter(|(_, l)| cost(l) == fewest)
        .nth(pick)
        .map_or(0, |(index, _)| index as u32)
}

/// Returns the port of the next hop towards `target`, another router of the group. One of several
/// parallel links is drawn per packet and hop.
#[inline(always)]
pub(crate) fn step(
    topology: &Topology,
    router: u32,
    target: u32,
    order: LocalOrder,
    route: &RouteState,
) -> u16 {
    topology.local_port(router, target, order, |count| {
        let draw = salted(route.draw, PARALLEL + u64::from(route.hops));
        scaled(draw, count.into()) as u16
    })
}

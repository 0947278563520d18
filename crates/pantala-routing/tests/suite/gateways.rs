//! Which of several links between two groups a minimal path takes.

use crate::support::{Queues, dragonfly, packet, spec, walk};
use pantala_routing::{Algorithm, Gateways, RoutingConfig};
use pantala_topology::{GlobalLink, GroupSpec, LocalOrder, PortAssignment, Topology};
use std::collections::BTreeMap;

/// Networks of one and two dimensions with several links between two groups, some routers of a
/// group with several of them and some with none.
fn networks() -> Vec<Topology> {
    let grid =
        GroupSpec::Grid { rows: 2, columns: 3, links_per_row_pair: 1, links_per_column_pair: 1 };
    let spread = spec(2, GroupSpec::FullMesh { routers: 4, links_per_pair: 1 }, 3, 4);
    let [spread, grid] = [spread, spec(1, grid, 2, 3)].map(|spec| {
        let spec =
            pantala_topology::DragonflySpec { port_assignment: PortAssignment::RoundRobin, ..spec };
        Topology::dragonfly(&spec).unwrap()
    });
    vec![dragonfly(1, 4, 3, 3), dragonfly(2, 8, 2, 5), spread, grid]
}

/// The link that a packet from `source` takes to another group, and its path's links.
fn taken(
    topology: &Topology,
    gateways: Gateways,
    (source, destination): (u32, u32),
    draw: u64,
) -> (GlobalLink, u8) {
    let routing = RoutingConfig { gateways, ..RoutingConfig::new(Algorithm::Minimal) };
    let mut packet = packet(topology, destination, draw);
    routing.depart(topology, source, &mut packet);
    let mut fast = packet;
    let passed = walk(topology, &routing, source, &mut packet, &mut Queues::default());
    let router = topology.router_of(source);
    let straight = routing.follow_minimal(topology, router, topology.group_of(router), &mut fast);
    assert_eq!(straight, passed[0].1, "with and without a decision");
    let links = topology.global_links(
        topology.group_of(router),
        topology.group_of(topology.router_of(destination)),
    );
    let crosses = |link: &GlobalLink| {
        passed.iter().any(|(router, hop)| (*router, hop.port) == (link.router, link.port))
    };
    (*links.iter().find(|link| crosses(link)).expect("a link to the group"), packet.hops)
}

/// All pairs of terminals in different groups.
fn pairs(topology: &Topology) -> Vec<(u32, u32)> {
    let group = |terminal| topology.group_of(topology.router_of(terminal));
    let all = 0..topology.terminals();
    all.clone()
        .flat_map(|source| all.clone().map(move |destination| (source, destination)))
        .filter(|&(source, destination)| group(source) != group(destination))
        .collect()
}

/// The router's own link if it has one, otherwise a link of the nearest routers that have one, each
/// equally often, wherever it ends.
#[test]
fn the_nearest_link_is_taken() {
    let mut longer = 0;
    for topology in networks() {
        for (source, destination) in pairs(&topology).into_iter().step_by(7) {
            let router = topology.router_of(source);
            let target = topology.router_of(destination);
            let links = topology.global_links(topology.group_of(router), topology.group_of(target));
            let hops = |link: &GlobalLink| {
                topology.local_distance(router, link.router, LocalOrder::RowFirst)
            };
            let least = links.iter().map(hops).min().unwrap();
            let mut counts: BTreeMap<(u32, u16), u32> = links
                .iter()
                .filter(|link| hops(link) == least)
                .map(|link| ((link.router, link.port), 0))
                .collect();
            let rounds = 60 * counts.len() as u32;
            for draw in 0..rounds {
                let pair = (source, destination);
                let (link, hops) = taken(&topology, Gateways::Nearest, pair, draw.into());
                *counts.get_mut(&(link.router, link.port)).expect("a nearest link") += 1;
                longer += u32::from(hops > taken(&topology, Gateways::Fewest, pair, 0).1);
            }
            assert!(counts.values().all(|count| count.abs_diff(60) < 40), "{counts:?}");
        }
    }
    assert!(longer > 0, "the destination's side does not count");
}

/// Node s takes link s modulo their number, to every destination of the group.
#[test]
fn the_source_chooses_the_link() {
    for topology in networks() {
        for (source, destination) in pairs(&topology) {
            let groups = [source, destination].map(|t| topology.group_of(topology.router_of(t)));
            let links = topology.global_links(groups[0], groups[1]);
            for draw in 0..3 {
                let (link, _) = taken(&topology, Gateways::BySource, (source, destination), draw);
                assert_eq!(link, links[source as usize % links.len()]);
            }
        }
    }
}

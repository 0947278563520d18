//! The rules of codes_custom_min and codes_custom_adp.

use crate::support::{Queues, dragonfly, packet, spec};
use pantala_routing::{Algorithm, Hop, RouteState, RoutingConfig};
use pantala_topology::{GroupSpec, LinkClass, Peer, Topology};
use std::collections::BTreeMap;

fn step(
    topology: &Topology,
    routing: &RoutingConfig,
    router: u32,
    packet: &mut RouteState,
    queues: &mut Queues,
) -> Hop {
    routing.decide(topology, router, packet, queues);
    routing.follow(topology, router, topology.group_of(router), packet)
}

/// The global links that a packet takes on empty queues, each by its router and port, and all its
/// links.
fn walk(
    topology: &Topology,
    routing: &RoutingConfig,
    source: u32,
    packet: &mut RouteState,
) -> (Vec<(u32, u16)>, u32) {
    let (mut router, mut links, mut all) = (topology.router_of(source), Vec::new(), 0);
    loop {
        let hop = step(topology, routing, router, packet, &mut Queues::default());
        if topology.class_of(router, hop.port) == LinkClass::Global {
            links.push((router, hop.port));
        }
        match topology.peer(router, hop.port) {
            Peer::Port { router: next, .. } => {
                packet.hops += 1;
                all += 1;
                router = next;
            }
            _ => return (links, all),
        }
    }
}

/// Two-dimensional groups of six routers, three groups, four links between each two.
fn grid() -> Topology {
    let group =
        GroupSpec::Grid { rows: 2, columns: 3, links_per_row_pair: 1, links_per_column_pair: 1 };
    Topology::dragonfly(&spec(1, group, 2, 3)).unwrap()
}

/// Each link between two groups carries an equal share, also those that lead a long way round. In
/// two dimensions a path has up to five links, in one up to three.
#[test]
fn minimal_paths_take_any_link() {
    for (topology, most) in [(grid(), 5), (dragonfly(1, 4, 3, 3), 3)] {
        let links = topology.global_links(0, 2).len();
        assert!(links > 3);
        let routing = RoutingConfig::new(Algorithm::CodesCustomMin);
        let (mut taken, mut longest) = (BTreeMap::new(), 0);
        for draw in 0..links as u64 * 1_000 {
            // From every node of group 0 to every node of group 2.
            let nodes = u64::from(topology.terminals() / 3);
            let (source, offset) = ((draw % nodes) as u32, (draw / nodes % nodes) as u32);
            let mut packet = packet(&topology, topology.terminals() - 1 - offset, draw);
            let (crossed, all) = walk(&topology, &routing, source, &mut packet);
            assert_eq!(crossed.len(), 1);
            *taken.entry(crossed[0]).or_insert(0_u32) += 1;
            longest = longest.max(all);
        }
        assert_eq!(taken.len(), links);
        assert!(taken.values().all(|count| count.abs_diff(1_000) < 160), "{taken:?}");
        assert_eq!(longest, most);
    }
}

/// Minimal iff q_min <= minimal_up_to or q_min <= threshold q_non, between groups and inside one.
#[test]
fn the_score_is_that_of_codes() {
    let topology = dragonfly(2, 4, 2, 9);
    for (destination, enough) in [(70, 60), (6, 60)] {
        let mut tried = 0;
        for draw in 0..200 {
            let go = |routing: &RoutingConfig, queues: Vec<((u16, u8), i64)>| {
                let mut packet = packet(&topology, destination, draw);
                let mut queues = Queues(queues.into_iter().collect());
                let hop = step(&topology, routing, 0, &mut packet, &mut queues);
                (hop.port, packet.nonminimal)
            };
            let mut routing = RoutingConfig::new(Algorithm::CodesCustomAdp);
            let (minimal, diverts) = go(&routing, Vec::new());
            assert!(!diverts, "empty queues tie, and ties go to minimal");
            let (other, _) = go(&routing, vec![((minimal, 0), 1_000_000)]);
            if other == minimal {
                continue; // both leave by one port
            }
            tried += 1;
            for (up_to, straight, around, diverts) in [
                (0, 20, 10, false),
                (0, 21, 10, true),
                (0, 1, 0, true),
                (8, 8, 0, false),
                (8, 9, 0, true),
            ] {
                routing.ugal.minimal_up_to = up_to;
                let queues = vec![((minimal, 0), straight), ((other, 1), around)];
                assert_eq!(go(&routing, queues).1, diverts, "{up_to} {straight} {around}");
            }
        }
        assert!(tried > enough, "{destination}: {tried}");
    }
}

/// The intermediate router is one of all routers outside the source's group, those of the
/// destination's group among them. A router of the source's group counts as the one in its place in
/// the next group, so routers there are drawn twice as often.
#[test]
fn the_intermediate_is_any_router_elsewhere() {
    let topology = dragonfly(1, 4, 2, 9);
    let mut routing = RoutingConfig::new(Algorithm::CodesCustomAdp);
    (routing.ugal.minimal_up_to, routing.ugal.bias) = (-1, -1); // all packets divert
    let mut counts = BTreeMap::new();
    for draw in 0..72_000 {
        // From group 3 to group 8.
        let mut packet = packet(&topology, 35, draw);
        routing.decide(&topology, 12, &mut packet, &mut Queues::default());
        *counts.entry(packet.intermediate).or_insert(0_u32) += 1;
    }
    assert_eq!(counts.len(), 32);
    for (router, count) in counts {
        let expected = match topology.group_of(router) {
            3 => 0,
            4 => 4_000,
            _ => 2_000,
        };
        assert!(count.abs_diff(expected) < 260, "{router}: {count}");
    }
}

/// With several candidates no two links that are drawn one after the other are the same: of two
/// links the emptier one is always found.
#[test]
fn of_two_links_the_emptier_is_taken() {
    let topology = grid();
    let mut routing = RoutingConfig::new(Algorithm::CodesCustomAdp);
    routing.ugal.candidates_minimal = 2;
    routing.ugal.threshold = 1e9; // minimal
    let links = topology.global_links(0, 2).len() as u64;
    let mut ports = BTreeMap::new();
    for draw in 0..links * 500 {
        let free =
            step(&topology, &routing, 0, &mut packet(&topology, 17, draw), &mut Queues::default());
        let busy = Queues([((free.port, 0), 1)].into());
        let other = step(&topology, &routing, 0, &mut packet(&topology, 17, draw), &mut { busy });
        *ports.entry(free.port != other.port).or_insert(0_u32) += 1;
    }
    // Two different links leave by different ports unless both are behind one neighbour.
    assert!(ports[&true] > 3 * ports.get(&false).copied().unwrap_or(0), "{ports:?}");
}

//! The rules of codes_custom_min and codes_custom_adp.

use crate::support::{Queues, dragonfly, packet, spec, step, walk};
use pantala_routing::dependencies::{ChannelUse, Dependencies, ascends, exception};
use pantala_routing::{Algorithm, RoutingConfig, VcMapName};
use pantala_topology::{GroupSpec, LinkClass, Topology};
use std::collections::BTreeMap;

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
            walk(&topology, &routing, source, &mut packet, &mut Queues::default())
                .into_iter()
                .map(|(router, hop)| (router, hop.port))
                .filter(|(router, port)| topology.class_of(*router, *port) == LinkClass::Global)
                .for_each(|link| *taken.entry(link).or_insert(0_u32) += 1);
            longest = longest.max(packet.hops);
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
    for destination in [70, 6] {
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
        assert!(tried > 60, "{destination}: {tried}");
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

/// Two candidates are different links if there are two: the packet finds the empty one.
#[test]
fn of_two_links_the_empty_one_is_taken() {
    let topology = dragonfly(1, 4, 1, 3);
    let links = topology.global_links(0, 2);
    assert_eq!(links.len(), 2);
    let source = (0..4).find(|router| links.iter().all(|link| link.router != *router)).unwrap();
    let mut routing = RoutingConfig::new(Algorithm::CodesCustomAdp);
    routing.ugal.candidates_minimal = 2;
    routing.ugal.threshold = 1e9; // minimal
    for draw in 0..500 {
        let port_with = |mut queues: Queues| {
            step(&topology, &routing, source, &mut packet(&topology, 11, draw), &mut queues).port
        };
        let port = port_with(Queues::default());
        assert_ne!(port_with(Queues([((port, 0), 1)].into())), port);
    }
}

/// Routings with the map of CODES.
fn with_map(algorithm: Algorithm) -> RoutingConfig {
    let vc_map = algorithm.vc_map(VcMapName::Codes).unwrap();
    RoutingConfig { vc_map, ..RoutingConfig::new(algorithm) }
}

/// `my_l_hop` and `my_g_hop` of CODES: a local hop is on the VC of the local hops made, at least 2
/// after one global hop and 4 after two; a global hop on that of the global hops made.
#[test]
fn virtual_channels_count_local_hops() {
    for topology in [grid(), dragonfly(1, 4, 2, 9)] {
        let mut seen = BTreeMap::new();
        for algorithm in [Algorithm::CodesCustomMin, Algorithm::CodesCustomAdp] {
            for (draw, diverts) in (0..4_000_u64).flat_map(|draw| [(draw, false), (draw, true)]) {
                let mut routing = with_map(algorithm);
                assert_eq!(routing.virtual_channels(), 8);
                if diverts {
                    (routing.ugal.minimal_up_to, routing.ugal.bias) = (-1, -1);
                }
                let nodes = u64::from(topology.terminals());
                let (source, destination) = ((draw % nodes) as u32, (draw / nodes % nodes) as u32);
                let mut packet = packet(&topology, destination, draw);
                let mut queues = Queues::default();
                let passed = walk(&topology, &routing, source, &mut packet, &mut queues);
                let (mut local, mut global) = (0, 0);
                for (router, hop) in passed {
                    let vc = match topology.class_of(router, hop.port) {
                        LinkClass::Terminal => 0,
                        LinkClass::Global => {
                            global += 1;
                            global - 1
                        }
                        _ => {
                            local = match global {
                                1 => local.max(2),
                                2 => local.max(4),
                                _ => local,
                            };
                            local += 1;
                            local - 1
                        }
                    };
                    assert_eq!(hop.vc, vc);
                    *seen.entry((topology.class_of(router, hop.port), vc)).or_insert(0) += 1;
                }
            }
        }
        let locals =
            seen.keys().filter(|(class, _)| *class != LinkClass::Global).map(|(_, vc)| *vc);
        assert_eq!(locals.max(), Some(if topology.is_2d() { 7 } else { 4 }));
    }
}

/// With the map of CODES, minimal paths are free of deadlock, and in one dimension all paths are. In
/// two, a path with three local hops in the intermediate group is on the VC of the first hop in the
/// destination's group, and the channels form a cycle between two groups.
#[test]
fn the_map_of_codes_has_a_cycle_in_two_dimensions_only() {
    let networks = [grid(), dragonfly(1, 4, 2, 9), dragonfly(1, 4, 3, 3)];
    for topology in &networks {
        for algorithm in [Algorithm::CodesCustomMin, Algorithm::CodesCustomAdp] {
            let routings = [with_map(algorithm)];
            let channels = ChannelUse {
                routings: &routings,
                virtual_channels: 8,
                injects_on_first: true,
                responses: None,
            };
            let graph = Dependencies::of(&channels, topology);
            let adaptive = algorithm == Algorithm::CodesCustomAdp;
            assert_eq!(exception(&routings[0]).is_some(), adaptive);
            let free = !(adaptive && topology.is_2d());
            assert_eq!(ascends(&channels, topology), free, "{algorithm:?}");
            let Some(cycle) = graph.cycle() else {
                assert!(free, "{algorithm:?}");
                continue;
            };
            let mut shape: Vec<_> =
                cycle.iter().map(|channel| (channel.class(topology), channel.vc)).collect();
            shape.sort_unstable();
            shape.dedup();
            assert!(!free && shape.contains(&("global", 1)), "{shape:?}");
            assert!(shape.iter().all(|(class, vc)| *class == "global" || (4..6).contains(vc)));
        }
    }
}

//! The parts: numbers, rows of bits, the search.

use super::channel::{Link, Numbering};
use super::graph::Graph;
use super::search;
use pantala_topology::{DragonflySpec, GlobalArrangement, GroupSpec, PortAssignment, Topology};

/// Groups of three routers with two terminals each, and four links between every two groups.
fn topology(links_per_pair: u32) -> Topology {
    let spec = DragonflySpec {
        terminals_per_router: 2,
        group: GroupSpec::FullMesh { routers: 3, links_per_pair: 1 },
        global_ports: 4,
        groups: 4,
        links_per_pair,
        global_arrangement: GlobalArrangement::Absolute,
        port_assignment: PortAssignment::Consecutive,
        mirrored: false,
        global_arrangement_seed: 0,
    };
    Topology::dragonfly(&spec).unwrap()
}

#[test]
fn channels_are_numbered_both_ways() {
    // 12 routers with 2 terminal, 2 local and 4 global ports; with one link a pair only 3 of a
    // group's 12 are linked.
    for (links_per_pair, global) in [(4, 12 * 4), (1, 4 * 3)] {
        let topology = topology(links_per_pair);
        let numbering = Numbering::new(&topology, 3);
        assert_eq!(numbering.count(), 3 * (12 * 8 + 24));
        assert_eq!(numbering.existing(), 3 * (12 * 4 + global + 24));
        for number in 0..numbering.count() as u32 {
            assert_eq!(numbering.number(numbering.channel(number)), number);
        }
        let mut links = 0;
        for router in 0..topology.routers() {
            for first in numbering.links_into(&topology, router) {
                assert_eq!(numbering.after(first), numbering.output(router, 0, 0));
                assert_eq!(numbering.far_router(first), router);
                assert_eq!(
                    matches!(numbering.channel(first).link, Link::Injection { .. }),
                    first >= 3 * 12 * 8
                );
                links += 1;
            }
        }
        assert_eq!(links, 24 + 12 * 2 + global);
    }
}

#[test]
fn rows_hold_what_is_added() {
    let topology = topology(4);
    // Nine VCs: a row is more than one word.
    let mut graph = Graph::new(Numbering::new(&topology, 9));
    let held = graph.numbering.injection(5, 8);
    let asked = [(0, 0), (3, 5), (7, 0), (7, 1), (7, 8)]
        .map(|(port, vc)| graph.numbering.output(2, port, vc));
    for number in asked {
        assert!(!graph.contains(held, number));
        graph.add(held, number);
        graph.add(held, number);
    }
    assert!(asked.iter().all(|number| graph.contains(held, *number)));
    assert_eq!(graph.asked(held).collect::<Vec<_>>(), asked);
    assert_eq!(graph.size(), 5);
    // What leaves another router is not asked for.
    assert!(!graph.contains(held, graph.numbering.output(3, 0, 0)) && !graph.contains(held, 0));
}

/// A ring of three local links, then a shorter one: there and back.
#[test]
fn the_search_finds_cycles_and_shortens_them() {
    let topology = topology(4);
    let mut graph = Graph::new(Numbering::new(&topology, 2));
    // Ports 2 and 3 lead to the first and the second of the other two routers.
    let local = |router: u32, port, vc| graph.numbering.output(router, port, vc);
    let [round, back] =
        [[local(0, 2, 1), local(1, 3, 1), local(2, 2, 1)], [local(0, 2, 1), local(1, 2, 1), 0]];
    let ring = |graph: &mut Graph, ring: &[u32]| {
        ring.iter()
            .zip(ring.iter().cycle().skip(1))
            .for_each(|(held, asked)| graph.add(*held, *asked));
    };
    graph.add(round[0], round[1]);
    graph.add(round[1], round[2]);
    assert_eq!(search::cycle(&graph), None);
    ring(&mut graph, &round);
    let mut found = search::cycle(&graph).unwrap();
    found.sort_unstable();
    assert_eq!(found, round);
    ring(&mut graph, &back[..2]);
    let mut found = search::cycle(&graph).unwrap();
    found.sort_unstable();
    assert_eq!(found, back[..2]);
}

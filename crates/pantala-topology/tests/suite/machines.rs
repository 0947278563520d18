//! Machines of papers, with the papers' numbers.

use std::collections::BTreeMap;

use crate::common::{build, grid, spec};
use pantala_topology::{
    DragonflySpec, GlobalArrangement, LinkClass, Peer, PortAssignment, Topology,
};

/// Number of links of each class that leave a router.
fn links_of(topology: &Topology, router: u32) -> BTreeMap<&'static str, u32> {
    let mut counts = BTreeMap::new();
    for port in topology.first_local_port()..topology.ports_per_router() as u16 {
        if topology.peer(router, port) != Peer::Unconnected {
            *counts.entry(topology.class_of(router, port).name()).or_insert(0) += 1;
        }
    }
    counts
}

/// A Cray XC of whole groups: six chassis (rows) of sixteen Aries routers, three links between two
/// routers of a column.
fn cray_xc(groups: u32, links_per_pair: u32) -> Topology {
    build(&DragonflySpec {
        group: grid(6, 16, 1, 3),
        links_per_pair,
        port_assignment: PortAssignment::RoundRobin,
        ..spec(4, 96, 10, groups, GlobalArrangement::Absolute)
    })
}

#[test]
fn wang_2020_in_one_dimension() {
    // Wang, Mubarak, Kang, Ross and Lan, "Union" (IPDPS 2020), Table II: 33 groups of 32 routers.
    let topology = build(&spec(8, 32, 4, 33, GlobalArrangement::Absolute));
    assert_eq!(
        (topology.terminals(), topology.routers(), topology.links_per_pair()),
        (8_448, 1_056, 4)
    );
    for router in 0..topology.routers() {
        assert_eq!(links_of(&topology, router), BTreeMap::from([("local", 31), ("global", 4)]));
    }
}

#[test]
fn wang_2020_in_two_dimensions() {
    // The same table's 22 groups of 6 x 16 routers have as many terminals.
    let topology = build(&DragonflySpec {
        group: grid(6, 16, 1, 1),
        ..spec(4, 96, 7, 22, GlobalArrangement::Absolute)
    });
    assert_eq!(
        (topology.terminals(), topology.routers(), topology.links_per_pair()),
        (8_448, 2_112, 32)
    );
    for router in 0..topology.routers() {
        assert_eq!(
            links_of(&topology, router),
            BTreeMap::from([("row", 15), ("column", 5), ("global", 7)])
        );
    }
}

#[test]
fn theta() {
    // 12 groups, 24 links per pair: 264 of a group's 960 global ports, two or three on every
    // router.
    let topology = cray_xc(12, 24);
    assert_eq!((topology.terminals(), topology.routers()), (4_608, 1_152));
    assert_eq!(topology.ports_per_router() - topology.terminals_per_router(), 40);
    for router in 0..topology.routers() {
        let links = links_of(&topology, router);
        assert_eq!((links["row"], links["column"]), (15, 15));
        assert_eq!(
            links["global"],
            if topology.local_index(router) < 264 - 2 * 96 { 3 } else { 2 }
        );
    }
    assert_eq!(
        topology.links().filter(|link| link.class == LinkClass::Global).count(),
        12 * 11 * 24
    );
}

#[test]
fn cori() {
    // 34 groups, four cables of two links between every two groups.
    let topology = cray_xc(34, 8);
    assert_eq!((topology.terminals(), topology.routers()), (13_056, 3_264));
    for from in 0..34 {
        for to in (0..34).filter(|&to| to != from) {
            assert_eq!(topology.global_links(from, to).len(), 8);
        }
    }
}

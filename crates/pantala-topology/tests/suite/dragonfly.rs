//! Properties of every Dragonfly for all groups, sizes and arrangements, and the port numbers of
//! other simulators.

use std::collections::BTreeMap;

use crate::common::{any_spec, build, spec};
use pantala_topology::{
    DragonflySpec, GlobalArrangement, GroupSpec, LinkClass, Peer, PortAssignment,
};
use proptest::prelude::*;

proptest! {
    #![proptest_config(pantala_testing::cases(256))]

    #[test]
    fn a_peer_is_its_peers_peer(spec in any_spec()) {
        let topology = build(&spec);
        for router in 0..topology.routers() {
            for port in 0..topology.ports_per_router() as u16 {
                match topology.peer(router, port) {
                    Peer::Terminal(terminal) => {
                        prop_assert_eq!(topology.class_of(router, port), LinkClass::Terminal);
                        prop_assert_eq!(topology.router_of(terminal), router);
                        prop_assert_eq!(topology.terminal_port_of(terminal), port);
                    }
                    Peer::Port { router: far, port: far_port } => {
                        prop_assert_eq!(topology.peer(far, far_port), Peer::Port { router, port });
                        prop_assert_eq!(topology.class_of(router, port), topology.class_of(far, far_port));
                        let same_group = topology.group_of(router) == topology.group_of(far);
                        prop_assert_eq!(same_group, topology.class_of(router, port) != LinkClass::Global);
                        prop_assert_ne!(router, far);
                    }
                    Peer::Unconnected => prop_assert_eq!(topology.class_of(router, port), LinkClass::Global),
                }
            }
        }
    }

    #[test]
    fn every_two_groups_have_the_same_number_of_links(spec in any_spec()) {
        let topology = build(&spec);
        let expected = match (spec.groups, spec.links_per_pair) {
            (1, _) => 0,
            (g, 0) => topology.routers_per_group() * spec.global_ports / (g - 1),
            (_, n) => n,
        };
        prop_assert_eq!(topology.links_per_pair(), expected);
        let mut counts = BTreeMap::new();
        for link in topology.links().filter(|link| link.class == LinkClass::Global) {
            let pair = (topology.group_of(link.source_router), topology.group_of(link.target_router));
            *counts.entry(pair).or_insert(0) += 1;
        }
        for from in 0..topology.groups() {
            for to in 0..topology.groups() {
                let wanted = if from == to { 0 } else { expected };
                prop_assert_eq!(counts.get(&(from, to)).copied().unwrap_or(0), wanted);
                prop_assert_eq!(topology.global_links(from, to).len() as u32, wanted);
            }
        }
    }

    #[test]
    fn global_links_agree_with_peers_and_with_their_reverse(spec in any_spec()) {
        let topology = build(&spec);
        for from in 0..topology.groups() {
            for to in 0..topology.groups() {
                let back = topology.global_links(to, from);
                for (index, link) in topology.global_links(from, to).iter().enumerate() {
                    let far = Peer::Port { router: link.target_router, port: link.target_port };
                    prop_assert_eq!(topology.peer(link.router, link.port), far);
                    prop_assert_eq!(topology.group_of(link.router), from);
                    prop_assert_eq!(topology.group_of(link.target_router), to);
                    prop_assert_eq!((back[index].router, back[index].port), (link.target_router, link.target_port));
                    let listed = topology.link(link.router, link.port).expect("a global link is a link");
                    prop_assert_eq!(listed.parallel_index as usize, index);
                }
            }
        }
    }

    #[test]
    fn ids_are_in_one_order(spec in any_spec()) {
        let topology = build(&spec);
        let p = spec.terminals_per_router;
        let (a, local_ports) = match spec.group {
            GroupSpec::FullMesh { routers, links_per_pair } => (routers, (routers - 1) * links_per_pair),
            GroupSpec::Grid { rows, columns, links_per_row_pair, links_per_column_pair } => {
                (rows * columns, (columns - 1) * links_per_row_pair + (rows - 1) * links_per_column_pair)
            }
        };
        prop_assert_eq!(topology.routers_per_group(), a);
        prop_assert_eq!(topology.terminals(), p * a * spec.groups);
        prop_assert_eq!(topology.routers(), a * spec.groups);
        prop_assert_eq!(u32::from(topology.first_local_port()), p);
        prop_assert_eq!(u32::from(topology.first_global_port()), p + local_ports);
        prop_assert_eq!(topology.ports_per_router(), p + local_ports + spec.global_ports);
        for terminal in 0..topology.terminals() {
            let router = topology.router_of(terminal);
            prop_assert_eq!(router, terminal / p);
            prop_assert_eq!(u32::from(topology.terminal_port_of(terminal)), terminal % p);
            prop_assert_eq!(topology.group_of(router), router / a);
            prop_assert_eq!(topology.group_of_terminal(terminal), terminal / p / a);
            prop_assert_eq!(topology.local_index(router), router % a);
            prop_assert_eq!(topology.terminal_at(router, topology.terminal_port_of(terminal)), Some(terminal));
        }
        for port in topology.first_local_port()..topology.ports_per_router() as u16 {
            prop_assert_eq!(topology.terminal_at(0, port), None);
        }
    }

    #[test]
    fn unconnected_ports_are_the_last_ones(spec in any_spec()) {
        let topology = build(&spec);
        let (a, h) = (topology.routers_per_group(), topology.global_ports());
        let used = topology.links_per_pair() * (topology.groups() - 1);
        for router in 0..topology.routers() {
            let l = topology.local_index(router);
            let mut connected = 0;
            for j in 0..h {
                let k = match spec.port_assignment {
                    PortAssignment::Consecutive => l * h + j,
                    PortAssignment::RoundRobin => j * a + l,
                };
                connected += u32::from(k < used);
                let peer = topology.peer(router, topology.first_global_port() + j as u16);
                prop_assert_eq!(peer == Peer::Unconnected, k >= used);
            }
            if spec.port_assignment == PortAssignment::RoundRobin {
                prop_assert!(connected == used / a || connected == used.div_ceil(a));
            }
        }
    }
}

#[test]
fn a_full_dragonfly_has_no_unconnected_port() {
    for &global_arrangement in GlobalArrangement::ALL {
        let topology = build(&spec(2, 4, 2, 9, global_arrangement));
        assert_eq!(topology.links_per_pair(), 1);
        assert_eq!(topology.links().count(), 9 * 4 * (3 + 2));
        let unconnected = (0..topology.routers())
            .flat_map(|router| {
                (0..topology.ports_per_router() as u16).map(move |port| (router, port))
            })
            .filter(|&(router, port)| topology.peer(router, port) == Peer::Unconnected);
        assert_eq!(unconnected.count(), 0);
    }
}

#[test]
fn absolute_is_the_wiring_of_sst_and_booksim() {
    let topology = build(&spec(4, 8, 4, 33, GlobalArrangement::Absolute));
    assert_eq!(
        (topology.terminals(), topology.routers(), topology.ports_per_router()),
        (1056, 264, 15)
    );
    assert_eq!((topology.first_local_port(), topology.first_global_port()), (4, 11));
    for group in 0..33 {
        for local in 0..8 {
            for j in 0..4 {
                // In both simulators index k leads to group k, without the group itself. In BookSim
                // the link returns by index G or G - 1.
                let k = local * 4 + j;
                let other = if k < group { k } else { k + 1 };
                let back = if group < other { group } else { group - 1 };
                assert_eq!(
                    topology.peer(group * 8 + local, 11 + j as u16),
                    Peer::Port { router: other * 8 + back / 4, port: 11 + (back % 4) as u16 }
                );
            }
        }
    }
}

#[test]
fn mirrored_palmtree_is_the_wiring_of_caminos() {
    let (p, a, h) = (2, 6, 3);
    let g = a * h + 1;
    let topology =
        build(&DragonflySpec { mirrored: true, ..spec(p, a, h, g, GlobalArrangement::Palmtree) });
    let first = topology.first_global_port();
    for group in 0..g {
        for l in 0..a {
            for j in 0..h {
                let other = (group + g - (l * h + j) - 1) % g;
                assert_eq!(
                    topology.peer(group * a + l, first + j as u16),
                    Peer::Port {
                        router: other * a + (a - 1 - l),
                        port: first + (h - 1 - j) as u16
                    }
                );
            }
        }
    }
}

#[test]
fn parallel_links_are_slices_of_the_global_index() {
    // 4 x 2 = 8 global ports and 3 groups: slices of two slots, four links per pair.
    let topology = build(&spec(1, 4, 2, 3, GlobalArrangement::Absolute));
    let owners: Vec<_> =
        topology.global_links(0, 2).iter().map(|link| (link.router, link.port)).collect();
    assert_eq!(owners, [(0, 5), (1, 5), (2, 5), (3, 5)]);
    // 2 links per pair and 8 ports: the last four ports stay empty.
    let topology = build(&DragonflySpec {
        links_per_pair: 2,
        ..spec(1, 4, 2, 3, GlobalArrangement::Absolute)
    });
    let owners: Vec<_> =
        topology.global_links(0, 2).iter().map(|link| (link.router, link.port)).collect();
    assert_eq!(owners, [(0, 5), (1, 5)]);
    assert_eq!(topology.peer(2, 4), Peer::Unconnected);
}

#[test]
fn parallel_links_in_turn_are_on_routers_side_by_side() {
    // 4 x 2 = 8 global ports and 4 groups, two links per pair: six used ports, the first of every
    // router and the second of two routers.
    let topology = build(&DragonflySpec {
        port_assignment: PortAssignment::RoundRobin,
        ..spec(1, 4, 2, 4, GlobalArrangement::Absolute)
    });
    let owners = |group| {
        topology
            .global_links(0, group)
            .iter()
            .map(|link| (link.router, link.port))
            .collect::<Vec<_>>()
    };
    assert_eq!(owners(1), [(0, 4), (3, 4)]);
    assert_eq!(owners(2), [(1, 4), (0, 5)]);
    assert_eq!(owners(3), [(2, 4), (1, 5)]);
    assert_eq!(topology.peer(2, 5), Peer::Unconnected);
    assert_eq!(topology.peer(3, 5), Peer::Unconnected);
    // Group 2's second link back has its index 3 + 0.
    assert_eq!(topology.peer(0, 5), Peer::Port { router: 11, port: 4 });
}

#[test]
fn random_follows_its_seed_and_nothing_else() {
    let wired = |global_arrangement_seed| {
        let topology = build(&DragonflySpec {
            global_arrangement_seed,
            ..spec(2, 4, 2, 9, GlobalArrangement::Random)
        });
        topology.links().collect::<Vec<_>>()
    };
    assert_eq!(wired(1), wired(1));
    assert_ne!(wired(1), wired(2));
}

#[test]
fn a_single_group_needs_no_global_ports() {
    let topology = build(&spec(2, 3, 0, 1, GlobalArrangement::Circulant));
    assert_eq!((topology.terminals(), topology.ports_per_router()), (6, 4));
    assert_eq!(topology.links().count(), 6);
    assert!(topology.links().all(|link| link.class == LinkClass::Local));
    assert!(topology.global_links(0, 0).is_empty());
}

#[test]
fn a_million_terminals_build() {
    let topology = build(&spec(16, 32, 16, 513, GlobalArrangement::Palmtree));
    assert_eq!(topology.terminals(), 262_656);
    let topology = build(&spec(23, 46, 23, 1_000, GlobalArrangement::Random));
    assert_eq!(topology.terminals(), 1_058_000);
    let last = topology.routers() - 1;
    let link = topology.global_links(999, 0)[0];
    assert_eq!(topology.group_of(last), 999);
    assert_eq!(topology.group_of(link.router), 999);
}

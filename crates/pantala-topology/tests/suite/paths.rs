//! The links inside groups, and the distances between routers.

use std::collections::{BTreeMap, VecDeque};

use crate::common::{any_spec, build, grid, spec};
use pantala_topology::{
    DragonflySpec, GlobalArrangement, GroupSpec, LinkClass, LocalOrder, Peer, Topology,
};
use proptest::prelude::*;

/// The number of links between two routers of a group, and their class.
fn links_between(
    spec: &DragonflySpec,
    topology: &Topology,
    one: u32,
    other: u32,
) -> (u32, LinkClass) {
    match spec.group {
        GroupSpec::FullMesh { links_per_pair, .. } => (links_per_pair, LinkClass::Local),
        GroupSpec::Grid { columns, links_per_row_pair, links_per_column_pair, .. } => {
            let (one, other) = (topology.local_index(one), topology.local_index(other));
            if one / columns == other / columns {
                (links_per_row_pair, LinkClass::Row)
            } else if one % columns == other % columns {
                (links_per_column_pair, LinkClass::Column)
            } else {
                (0, LinkClass::Local)
            }
        }
    }
}

/// The number of links from `source` to every router, over all links or over links inside its group
/// only. `None` if a router is out of reach.
fn distances(topology: &Topology, source: u32, intra_group: bool) -> Vec<Option<u32>> {
    let mut distances = vec![None; topology.routers() as usize];
    distances[source as usize] = Some(0);
    let mut queue = VecDeque::from([(source, 0)]);
    let last =
        if intra_group { topology.first_global_port() } else { topology.ports_per_router() as u16 };
    while let Some((router, distance)) = queue.pop_front() {
        for port in topology.first_local_port()..last {
            if let Peer::Port { router: next, .. } = topology.peer(router, port) {
                if distances[next as usize].is_none() {
                    distances[next as usize] = Some(distance + 1);
                    queue.push_back((next, distance + 1));
                }
            }
        }
    }
    distances
}

/// The largest distance of any two routers.
fn diameter(topology: &Topology) -> u32 {
    (0..topology.routers())
        .flat_map(|source| distances(topology, source, false))
        .map(|distance| distance.expect("a Dragonfly in two pieces"))
        .max()
        .unwrap_or(0)
}

/// The largest number of links on a path that leaves a group at most once.
fn longest_minimal_path(topology: &Topology) -> u32 {
    let to = |from, to| {
        if topology.group_of(from) == topology.group_of(to) {
            return topology.local_distance(from, to, LocalOrder::RowFirst);
        }
        let links = topology.global_links(topology.group_of(from), topology.group_of(to));
        let length = |link: &pantala_topology::GlobalLink| {
            topology.local_distance(from, link.router, LocalOrder::RowFirst)
                + 1
                + topology.local_distance(link.target_router, to, LocalOrder::RowFirst)
        };
        links.iter().map(length).min().expect("two groups without a link")
    };
    (0..topology.routers())
        .flat_map(|from| (0..topology.routers()).map(move |to| (from, to)))
        .map(|(f, t)| to(f, t))
        .max()
        .unwrap_or(0)
}

proptest! {
    #![proptest_config(pantala_testing::cases(256))]

    #[test]
    fn routers_side_by_side_have_the_links_they_should(spec in any_spec()) {
        let topology = build(&spec);
        let mut counts = BTreeMap::new();
        for link in topology.links().filter(|link| link.class != LinkClass::Global) {
            let ends = (link.source_router, link.target_router);
            let (wanted, class) = links_between(&spec, &topology, ends.0, ends.1);
            prop_assert_eq!(topology.group_of(ends.0), topology.group_of(ends.1));
            prop_assert_eq!(link.class, class);
            prop_assert!(link.parallel_index < wanted);
            // Ports come in order, so every parallel index occurs once.
            let count = counts.entry(ends).or_insert(0);
            prop_assert_eq!(link.parallel_index, *count);
            *count += 1;
            // The j-th port leads to the j-th port in the other direction.
            let back = topology.link(link.target_router, link.target_port).expect("no way back");
            prop_assert_eq!(back.parallel_index, link.parallel_index);
        }
        for one in 0..topology.routers() {
            let first = topology.group_of(one) * topology.routers_per_group();
            for other in (first..first + topology.routers_per_group()).filter(|&other| other != one) {
                let (wanted, _) = links_between(&spec, &topology, one, other);
                prop_assert_eq!(counts.get(&(one, other)).copied().unwrap_or(0), wanted);
            }
        }
    }

    #[test]
    fn steps_lead_to_their_target_by_a_shortest_path(spec in any_spec()) {
        let topology = build(&spec);
        for router in 0..topology.routers_per_group() {
            let distances = distances(&topology, router, true);
            prop_assert_eq!(topology.local_distance(router, router, LocalOrder::RowFirst), 0);
            for target in (0..topology.routers_per_group()).filter(|&target| target != router) {
                prop_assert_eq!(Some(topology.local_distance(router, target, LocalOrder::RowFirst)), distances[target as usize]);
                for order in LocalOrder::ALL {
                    let mut here = router;
                    for left in (1..=topology.local_distance(router, target, LocalOrder::RowFirst)).rev() {
                        prop_assert_eq!(topology.local_distance(here, target, LocalOrder::RowFirst), left);
                        let ports = topology.local_step(here, target, order);
                        let next = follow(&topology, here, ports.first());
                        prop_assert_eq!(u32::from(ports.count()), links_between(&spec, &topology, here, next).0);
                        for parallel in 1..ports.count() {
                            prop_assert_eq!(follow(&topology, here, ports.nth(parallel)), next);
                        }
                        if left == 2 {
                            let along_row = topology.row_of(here) == topology.row_of(next);
                            prop_assert_eq!(along_row, order == LocalOrder::RowFirst);
                        }
                        here = next;
                    }
                    prop_assert_eq!(here, target);
                }
            }
        }
    }

    #[test]
    fn every_group_is_like_the_first(spec in any_spec()) {
        let topology = build(&spec);
        let a = topology.routers_per_group();
        for router in a..topology.routers() {
            let first = topology.group_of(router) * a;
            let like = router - first;
            prop_assert_eq!(topology.row_of(router), topology.row_of(like));
            prop_assert_eq!(topology.column_of(router), topology.column_of(like));
            prop_assert_eq!(topology.row_of(router) * topology.columns() + topology.column_of(router), like);
            for target in (0..a).filter(|&target| target != like) {
                for order in LocalOrder::ALL {
                    let step = topology.local_step(like, target, order);
                    prop_assert_eq!(topology.local_step(router, first + target, order), step);
                }
            }
        }
    }

    #[test]
    fn grids_and_meshes_say_what_they_are(spec in any_spec()) {
        let topology = build(&spec);
        prop_assert_eq!(topology.rows() * topology.columns(), topology.routers_per_group());
        match spec.group {
            GroupSpec::FullMesh { routers, .. } => {
                prop_assert!(!topology.is_2d());
                prop_assert_eq!((topology.rows(), topology.columns()), (1, routers));
            }
            GroupSpec::Grid { rows, columns, .. } => {
                prop_assert!(topology.is_2d());
                prop_assert_eq!((topology.rows(), topology.columns()), (rows, columns));
            }
        }
    }
}

/// The router at the far end of a port.
fn follow(topology: &Topology, router: u32, port: u16) -> u32 {
    match topology.peer(router, port) {
        Peer::Port { router, .. } => router,
        other => panic!("router {router} port {port} leads to {other:?}"),
    }
}

#[test]
fn meshes_are_three_links_across_and_grids_five() {
    for &global_arrangement in GlobalArrangement::ALL {
        let mesh = build(&spec(1, 8, 4, 33, global_arrangement));
        assert_eq!((longest_minimal_path(&mesh), diameter(&mesh)), (3, 3), "{global_arrangement}");
        let grid = build(&DragonflySpec {
            group: grid(3, 4, 1, 2),
            ..spec(1, 12, 3, 37, global_arrangement)
        });
        assert_eq!((longest_minimal_path(&grid), diameter(&grid)), (5, 5), "{global_arrangement}");
    }
    // A single group.
    assert_eq!(diameter(&build(&spec(1, 8, 0, 1, GlobalArrangement::Absolute))), 1);
    assert_eq!(
        diameter(&build(&DragonflySpec {
            group: grid(3, 4, 1, 1),
            ..spec(1, 12, 0, 1, GlobalArrangement::Absolute)
        })),
        2
    );
}

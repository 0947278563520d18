//! Networks as data: given global links, and links that have failed.

use std::collections::{BTreeSet, VecDeque};

use crate::common::{any_spec, build, grid, spec};
use pantala_engine::Stream;
use pantala_topology::{
    DragonflySpec, GlobalArrangement, GlobalLink, Link, LinkClass, LocalOrder, Peer, Topology,
};
use proptest::prelude::*;

/// Each global link once, in the order of its pair of groups and parallel index.
fn global_links(topology: &Topology) -> Vec<GlobalLink> {
    let groups = topology.groups();
    let pairs = (0..groups).flat_map(|a| (a + 1..groups).map(move |b| (a, b)));
    pairs.flat_map(|(a, b)| topology.global_links(a, b).to_vec()).collect()
}

/// Some links of a network, each drawn by a coin of `share`.
fn some_links(topology: &Topology, share: f64, seed: u64) -> Vec<Link> {
    let mut state = seed | 1;
    let mut draw = || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1u64 << 53) as f64
    };
    topology.links().filter(|_| draw() < share).collect()
}

fn ends(links: &[Link]) -> Vec<(u32, u16)> {
    links.iter().map(|link| (link.source_router, link.source_port)).collect()
}

/// The distances from a router inside its group, by breadth-first search over peers.
fn distances(topology: &Topology, source: u32) -> Vec<Option<u32>> {
    let mut distances = vec![None; topology.routers() as usize];
    distances[source as usize] = Some(0);
    let mut queue = VecDeque::from([(source, 0)]);
    while let Some((router, distance)) = queue.pop_front() {
        for port in topology.first_local_port()..topology.first_global_port() {
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

proptest! {
    #![proptest_config(pantala_testing::cases(256))]

    /// A network built from the list of its own links answers every question alike.
    #[test]
    fn the_links_of_a_network_make_it_again(spec in any_spec()) {
        let topology = build(&spec);
        let again = Topology::with_global_links(&spec, &global_links(&topology)).unwrap();
        prop_assert_eq!(again.links().collect::<Vec<_>>(), topology.links().collect::<Vec<_>>());
        for from in 0..topology.groups() {
            for to in 0..topology.groups() {
                prop_assert_eq!(again.global_links(from, to), topology.global_links(from, to));
            }
        }
    }

    /// What remains is what has not failed; no answer names a failed link.
    #[test]
    fn failed_links_are_gone_and_no_others(spec in any_spec(), share in 0.0..0.6f64, seed: u64) {
        let whole = build(&spec);
        let failed = some_links(&whole, share, seed);
        let topology = whole.clone().without(&ends(&failed)).unwrap();
        let gone: BTreeSet<(u32, u16)> = failed
            .iter()
            .flat_map(|l| [(l.source_router, l.source_port), (l.target_router, l.target_port)])
            .collect();
        let remaining: Vec<(u32, u16)> = ends(&topology.links().collect::<Vec<_>>());
        let expected: Vec<(u32, u16)> =
            ends(&whole.links().collect::<Vec<_>>()).into_iter().filter(|end| !gone.contains(end)).collect();
        prop_assert_eq!(remaining, expected);
        for from in 0..topology.groups() {
            for to in (0..topology.groups()).filter(|&to| to != from) {
                let links = topology.global_links(from, to);
                let kept = whole.global_links(from, to).iter().filter(|l| !gone.contains(&(l.router, l.port)));
                prop_assert_eq!(links, kept.copied().collect::<Vec<_>>());
                for (index, link) in links.iter().enumerate() {
                    let back = topology.global_links(to, from)[index];
                    prop_assert_eq!((back.router, back.port), (link.target_router, link.target_port));
                    prop_assert_eq!(topology.link(link.router, link.port).unwrap().parallel_index as usize, index);
                }
            }
        }
    }

    /// Inside a group, steps lead over links that exist, in as many steps as the distance says: in
    /// one dimension by a shortest path, in two along one dimension and then the other, if the
    /// links of both are whole enough.
    #[test]
    fn steps_lead_to_their_target_over_what_remains(spec in any_spec(), share in 0.0..0.7f64, seed: u64) {
        let whole = build(&spec);
        let failed: Vec<Link> =
            some_links(&whole, share, seed).into_iter().filter(|l| l.class != LinkClass::Global).collect();
        let topology = whole.clone().without(&ends(&failed)).unwrap();
        let mut split = false;
        let mut longest = 0;
        for router in 0..topology.routers() {
            let distances = distances(&topology, router);
            let first = router - topology.local_index(router);
            for target in (first..first + topology.routers_per_group()).filter(|&target| target != router) {
                let Some(shortest) = distances[target as usize] else {
                    split = true;
                    prop_assert!(LocalOrder::ALL.iter().all(|&order| topology.local_step(router, target, order).count() == 0));
                    continue;
                };
                for order in LocalOrder::ALL {
                    let distance = topology.local_distance(router, target, order);
                    prop_assert!(distance >= shortest && (topology.is_2d() || distance == shortest));
                    longest = longest.max(distance);
                    let step = topology.local_step(router, target, order);
                    let mut next: Vec<u32> = step.iter().map(|port| far(&topology, router, port)).collect();
                    next.dedup();
                    prop_assert_eq!(next.len(), 1);
                    if next[0] != target {
                        prop_assert_eq!(topology.local_distance(next[0], target, order), distance - 1);
                    }
                    prop_assert_eq!(next[0] == target, distance == 1);
                    // All remaining parallel links.
                    let parallel = topology.links().filter(|l| (l.source_router, l.target_router) == (router, next[0])).count();
                    prop_assert_eq!(usize::from(step.count()), parallel);
                    // The usual path, as long as its links are there.
                    if distance == whole.local_distance(router, target, order) {
                        let mut here = router;
                        let usual = std::iter::from_fn(|| (here != target).then(|| {
                            let before = here;
                            here = far(&whole, here, whole.local_step(here, target, order).first());
                            (before, here)
                        }));
                        let usual: Vec<(u32, u32)> = usual.collect();
                        let there = |hop: &(u32, u32)| topology.links().any(|l| (l.source_router, l.target_router) == *hop);
                        prop_assert!(next[0] == usual[0].1 || !usual.iter().all(there));
                    }
                }
            }
        }
        prop_assert_eq!(topology.parted_routers().is_some(), split);
        if !split {
            let usual = if topology.is_2d() { 2 } else { 1 };
            prop_assert_eq!(topology.local_diameter(), usual.max(longest));
        }
    }
}

fn far(topology: &Topology, router: u32, port: u16) -> u32 {
    match topology.peer(router, port) {
        Peer::Port { router, .. } => router,
        other => panic!("router {router} port {port} leads to {other:?}"),
    }
}

/// Nine groups of four routers, one link per pair of groups.
fn nine() -> DragonflySpec {
    spec(2, 4, 2, 9, GlobalArrangement::Absolute)
}

#[test]
fn one_of_three_parallel_links_may_be_in_the_middle() {
    let spec = DragonflySpec { group: grid(2, 2, 1, 3), ..nine() };
    let whole = build(&spec);
    let ports: Vec<u16> = whole.local_step(0, 2, LocalOrder::RowFirst).iter().collect();
    let topology = whole.without(&[(0, ports[1])]).unwrap();
    let step = topology.local_step(0, 2, LocalOrder::RowFirst);
    assert_eq!(step.iter().collect::<Vec<_>>(), [ports[0], ports[2]]);
    assert_eq!((step.count(), step.first(), step.nth(1)), (2, ports[0], ports[2]));
    assert!(!topology.has_local_detours());
    assert_eq!(topology.local_step(4, 6, LocalOrder::RowFirst).count(), 3);
}

#[test]
fn a_mesh_without_a_link_goes_over_the_lowest_router() {
    let whole = build(&nine());
    let port = whole.local_step(1, 3, LocalOrder::RowFirst).first();
    let topology = whole.without(&[(1, port)]).unwrap();
    assert_eq!(topology.local_distance(1, 3, LocalOrder::RowFirst), 2);
    assert_eq!(far(&topology, 1, topology.local_step(1, 3, LocalOrder::RowFirst).first()), 0);
    assert_eq!(far(&topology, 3, topology.local_step(3, 1, LocalOrder::RowFirst).first()), 0);
    assert!(topology.has_local_detours());
    assert_eq!((topology.local_diameter(), topology.parted_routers()), (2, None));
    assert_eq!(topology.longest_detour(), Some((1, 3, 2)));
}

/// A failed row link of a grid changes paths along rows only: a packet to another row goes over a
/// third router of its own row, and not along the column first.
#[test]
fn a_grid_goes_around_inside_a_row() {
    let spec =
        DragonflySpec { group: grid(3, 4, 1, 1), ..spec(1, 12, 1, 3, GlobalArrangement::Absolute) };
    let whole = build(&spec);
    let port = whole.local_step(1, 3, LocalOrder::RowFirst).first();
    let topology = whole.without(&[(1, port)]).unwrap();
    let path = |target: u32, order: LocalOrder| {
        let mut path = vec![1];
        while path[path.len() - 1] != target {
            let here = path[path.len() - 1];
            path.push(far(&topology, here, topology.local_step(here, target, order).first()));
        }
        path
    };
    assert_eq!(path(3, LocalOrder::RowFirst), [1, 0, 3]);
    assert_eq!(path(7, LocalOrder::RowFirst), [1, 0, 3, 7]);
    assert_eq!(path(7, LocalOrder::ColumnFirst), [1, 5, 7]);
    assert_eq!(topology.local_diameter(), 3);
}

#[test]
fn a_network_says_what_it_no_longer_joins() {
    let whole = build(&nine());
    let link = whole.global_links(3, 7)[0];
    let cut = whole.clone().without(&[(link.target_router, link.target_port)]).unwrap();
    assert_eq!(cut.unlinked_groups().collect::<Vec<_>>(), [(3, 7)]);
    assert!(!cut.are_linked(7, 3) && cut.are_linked(3, 6));
    assert_eq!(cut.links_between_groups(), (0, 1));
    // Router 2 of group 0 loses its three local links.
    let local = (whole.first_local_port()..whole.first_global_port()).map(|port| (2, port));
    let split = whole.without(&local.collect::<Vec<_>>()).unwrap();
    assert!(matches!(split.parted_routers(), Some((a, b)) if a == 2 || b == 2));
}

proptest! {
    #[test]
    fn third_groups_have_links_to_both(groups in 2u32..9, share in 0.0..0.9f64, seed: u64) {
        let whole = build(&spec(1, 4, 2, groups, GlobalArrangement::Absolute));
        let global = whole.links().filter(|link| link.class == LinkClass::Global);
        let ends: Vec<(u32, u16)> = global.map(|link| (link.source_router, link.source_port)).collect();
        let mut draws = Stream::new(seed, 1, 0);
        let failed: Vec<_> = ends.into_iter().filter(|_| draws.unit() < share).collect();
        let topology = whole.without(&failed).unwrap();
        for one in 0..groups {
            for other in 0..groups {
                let both = |&third: &u32| {
                    third != one && third != other
                        && !topology.global_links(one, third).is_empty()
                        && !topology.global_links(third, other).is_empty()
                };
                let expected: Vec<u32> = (0..groups).filter(both).collect();
                let count = topology.third_groups(one, other);
                let found: Vec<u32> = (0..count).map(|k| topology.third_group(one, other, k)).collect();
                prop_assert_eq!(found, expected);
            }
        }
    }
}

#[test]
fn faults_of_links_say_what_is_wrong() {
    let whole = build(&nine());
    let failed = |end| whole.clone().without(&[end]).unwrap_err().to_string();
    assert_eq!(
        failed((36, 2)),
        "failed_links = [36, 2]: there is no router 36: there are 36; count routers from 0"
    );
    assert_eq!(
        failed((0, 7)),
        "failed_links = [0, 7]: a router has no port 7: it has 7; count ports from 0"
    );
    assert_eq!(
        failed((1, 1)),
        "failed_links = [1, 1]: the port leads to node 3, which has no other link; give the port of a link between routers"
    );
    let fault = |links: &[[u32; 4]]| {
        let link = |l: &[u32; 4]| GlobalLink {
            router: l[0],
            port: l[1] as u16,
            target_router: l[2],
            target_port: l[3] as u16,
        };
        let links: Vec<GlobalLink> = links.iter().map(link).collect();
        Topology::with_global_links(&nine(), &links).unwrap_err().to_string()
    };
    assert_eq!(
        fault(&[[0, 5, 4, 5], [0, 5, 8, 5]]),
        "global_links = [0, 5, 8, 5]: port 5 of router 0 has two links; give each port one link"
    );
    assert_eq!(
        fault(&[[0, 5, 1, 5]]),
        "global_links = [0, 5, 1, 5]: both ends are in group 0; give the routers of two groups"
    );
    assert_eq!(
        fault(&[[0, 4, 5, 5]]),
        "global_links = [0, 4, 5, 5]: port 4 is not a global port: those are 5 to 6; give global ports"
    );
    assert_eq!(
        fault(&[[0, 5, 40, 5]]),
        "global_links = [0, 5, 40, 5]: there is no router 40: there are 36; count routers from 0"
    );
}

#[test]
fn pairs_of_groups_may_have_different_numbers_of_links() {
    // Three groups: two links between 0 and 1, one to group 2.
    let spec = spec(1, 2, 2, 3, GlobalArrangement::Absolute);
    let first = build(&spec).first_global_port();
    let link = |router, port, target_router, target_port| GlobalLink {
        router,
        port: first + port,
        target_router,
        target_port: first + target_port,
    };
    let links = [link(0, 0, 2, 1), link(3, 0, 1, 0), link(0, 1, 4, 0), link(3, 1, 5, 1)];
    let topology = Topology::with_global_links(&spec, &links).unwrap();
    let count = |from, to| topology.global_links(from, to).len();
    assert_eq!((count(0, 1), count(1, 0), count(0, 2), count(2, 1)), (2, 2, 1, 1));
    assert_eq!(topology.global_links(0, 1)[1], link(1, 0, 3, 0));
    assert_eq!(topology.global_links(1, 0)[1], link(3, 0, 1, 0));
    assert_eq!(topology.links_between_groups(), (1, 2));
}

//! The decisions of q_adaptive, from given estimates.

use crate::support::{dragonflies, dragonfly, packet};
use pantala_engine::Stream;
use pantala_routing::{Algorithm, Phase, RoutingConfig};
use pantala_topology::{Peer, Topology};
use proptest::prelude::*;

/// A row with an estimate for every port that has a link.
fn row(topology: &Topology, router: u32, mut estimate: impl FnMut(u16) -> f32) -> Vec<f32> {
    (topology.first_local_port()..topology.ports_per_router() as u16)
        .map(
            |port| {
                if topology.link(router, port).is_some() { estimate(port) } else { f32::INFINITY }
            },
        )
        .collect()
}

proptest! {
    #![proptest_config(pantala_testing::cases(2048))]
    /// Whatever the tables say and however much is explored, on any one-dimensional Dragonfly with
    /// parallel links of both kinds: the packet arrives after at most five links, the k-th on VC k,
    /// and goes to its terminal on the VC it came on.
    #[test]
    fn a_packet_takes_five_links_at_most(
        topology in dragonflies(), ends in any::<(u32, u32)>(), draw: u64, seed: u64,
        exploration in prop::sample::select(vec![0.0, 0.5, 1.0]), early: bool,
    ) {
        let (source, destination) = (ends.0 % topology.terminals(), ends.1 % topology.terminals());
        let mut routing = RoutingConfig::new(Algorithm::QAdaptive);
        routing.q_adaptive.exploration = exploration;
        let mut stream = Stream::new(seed, 1, 2);
        let mut packet = packet(&topology, destination, draw);
        let mut router = topology.router_of(source);
        let mut groups = vec![topology.group_of(router)];
        loop {
            let group = topology.group_of(router);
            let row = row(&topology, router, |_| stream.below(1_000) as f32);
            let hop = routing.route_by_estimates(&topology, router, group, &mut packet, &row, early);
            match topology.peer(router, hop.port) {
                Peer::Terminal(terminal) => {
                    prop_assert_eq!(terminal, destination);
                    prop_assert_eq!(hop.vc, packet.hops.saturating_sub(1));
                    break;
                }
                Peer::Port { router: next, .. } => {
                    prop_assert_eq!(hop.vc, packet.hops);
                    packet.hops += 1;
                    prop_assert!(packet.hops <= Algorithm::QAdaptive.max_hops(1), "{groups:?}");
                    router = next;
                    if topology.group_of(next) != group {
                        groups.push(topology.group_of(next));
                    }
                }
                Peer::Unconnected => prop_assert!(false, "routed to a port without a link"),
            }
        }
        let third = groups.len() > 2;
        prop_assert_eq!(packet.nonminimal, third, "groups {:?}", groups);
        if groups[0] == *groups.last().unwrap() {
            prop_assert!(packet.hops <= 1, "traffic inside a group is minimal");
        }
    }
}

/// Port towards another router of the group.
fn local(topology: &Topology, router: u32, other: u32) -> u16 {
    topology.local_step(router, other, pantala_topology::LocalOrder::RowFirst).first()
}

#[test]
fn the_source_router_takes_the_best_port_if_it_saves_a_fifth() {
    let topology = dragonfly(2, 4, 2, 9);
    let mut routing = RoutingConfig::new(Algorithm::QAdaptive);
    routing.q_adaptive.exploration = 0.0;
    // Router 0 goes to group 8 by router 3, which is behind its last local port.
    let destination = 8 * 8;
    let gateway = topology.global_links(0, 8)[0];
    assert_eq!(gateway.router, 3);
    let minimal = local(&topology, 0, 3);
    let global = topology.first_global_port();
    let decide = |row: &[f32]| {
        let mut packet = packet(&topology, destination, 77);
        let hop = routing.route_by_estimates(&topology, 0, 0, &mut packet, row, false);
        (hop.port, packet.nonminimal, packet.phase)
    };
    let with = |port: u16, ns: f32| row(&topology, 0, |p| if p == port { ns } else { 1_000.0 });
    assert_eq!(decide(&with(global, 800.0)), (global, true, Phase::Revisable), "saves a fifth");
    assert_eq!(decide(&with(global, 801.0)), (minimal, false, Phase::ToDestination), "saves less");
    assert_eq!(
        decide(&with(local(&topology, 0, 1), 500.0)),
        (local(&topology, 0, 1), false, Phase::ToDestination)
    );
    assert_eq!(decide(&row(&topology, 0, |_| 400.0)).0, minimal, "all alike");
    // Of equals, the lowest port.
    let two = row(&topology, 0, |p| if p >= global { 100.0 } else { 1_000.0 });
    assert_eq!(decide(&two).0, global);
    // A threshold of zero takes whatever is best.
    routing.q_adaptive.threshold_source = 0.0;
    let mut packet = packet(&topology, destination, 77);
    assert_eq!(
        routing.route_by_estimates(&topology, 0, 0, &mut packet, &with(global, 999.0), false).port,
        global
    );
}

#[test]
fn the_first_intermediate_router_may_take_a_random_other() {
    let topology = dragonfly(2, 4, 2, 9);
    let mut routing = RoutingConfig::new(Algorithm::QAdaptive);
    routing.q_adaptive.exploration = 0.0;
    // From group 0 by way of group 1, entered at router 4, to group 8.
    let arrive = |draw: u64, row: &[f32], destination: u32| {
        let mut packet = packet(&topology, destination, draw);
        (packet.phase, packet.nonminimal, packet.hops) = (Phase::Revisable, true, 1);
        let hop = routing.route_by_estimates(&topology, 4, 1, &mut packet, row, false);
        assert_eq!((packet.phase, hop.vc), (Phase::ToDestination, 1));
        hop.port
    };
    let gateway = topology.global_links(1, 8)[0].router;
    assert_ne!(gateway, 4);
    let minimal = local(&topology, 4, gateway);
    let others: Vec<u16> = (5..8).map(|other| local(&topology, 4, other)).collect();
    // What else is best does not count, nor does a random router that saves less than 35 %.
    let dear = row(&topology, 4, |port| {
        if port == minimal {
            1_000.0
        } else if others.contains(&port) {
            651.0
        } else {
            1.0
        }
    });
    assert!((0..100).all(|draw| arrive(draw, &dear, 64) == minimal));
    let cheap = row(&topology, 4, |port| if port == minimal { 1_000.0 } else { 650.0 });
    let mut taken = vec![0; 16];
    for draw in 0..3_000u64 {
        taken[usize::from(arrive(draw.wrapping_mul(0x9E37_79B9_7F4A_7C15), &cheap, 64))] += 1;
    }
    assert!(
        others.iter().all(|&port| (900..1_100).contains(&taken[usize::from(port)])),
        "{taken:?}"
    );
    // A router with a link to the destination's group goes there, explores or not.
    let direct = topology
        .links()
        .find(|l| l.source_router == 4 && topology.group_of(l.target_router) > 1)
        .unwrap();
    let there = topology.group_of(direct.target_router) * 8;
    let row = row(&topology, 4, |port| if port == direct.source_port { 9_999.0 } else { 1.0 });
    assert_eq!(arrive(5, &row, there), direct.source_port);
}

//! The rules of codes_adp and codes_padp, decision by decision.

use crate::support::{Queues, dragonfly, packet, step};
use pantala_engine::Stream;
use pantala_routing::{Algorithm, Phase, RouteState, RoutingConfig};
use pantala_topology::Topology;
use std::collections::BTreeMap;

fn routing(algorithm: Algorithm, candidates: u32) -> RoutingConfig {
    let mut routing = RoutingConfig::new(algorithm);
    routing.ugal.candidates_minimal = candidates;
    routing.ugal.candidates_nonminimal = candidates;
    routing
}

/// The ports of a packet's two paths at its source router, if they differ.
fn ports(
    topology: &Topology,
    routing: &RoutingConfig,
    destination: u32,
    draw: u64,
) -> Option<(u16, u16)> {
    let mut direct = packet(topology, destination, draw);
    let minimal = step(topology, routing, 0, &mut direct, &mut Queues::default());
    assert!(!direct.nonminimal, "empty queues tie, and ties go to minimal");
    let mut diverted = packet(topology, destination, draw);
    let other = step(
        topology,
        routing,
        0,
        &mut diverted,
        &mut Queues([((minimal.port, 0), 1_000_000)].into()),
    );
    (other.port != minimal.port).then_some((minimal.port, other.port))
}

/// Minimal iff q_min <= minimal_up_to or q_min <= threshold q_non, over all VCs of the port.
#[test]
fn the_score_is_that_of_codes() {
    let topology = dragonfly(2, 4, 2, 9);
    let mut tried = 0;
    for draw in 0..200 {
        for (threshold, up_to, cases) in [
            (2.0, 0, [(20, 10, false), (21, 10, true), (1, 0, true), (0, 0, false)]), // "delta"
            (1.0, 0, [(10, 10, false), (11, 10, true), (1, 0, true), (0, 0, false)]), // "alpha"
            (2.0, 8, [(20, 10, false), (21, 10, true), (8, 0, false), (9, 0, true)]), // adaptive_threshold of two packets
        ] {
            let mut routing = routing(Algorithm::CodesAdp, 2);
            routing.ugal.threshold = threshold;
            routing.ugal.minimal_up_to = up_to;
            let Some((minimal, other)) = ports(&topology, &routing, 70, draw) else { continue };
            tried += 1;
            for (q_min, q_non, expected) in cases {
                let mut packet = packet(&topology, 70, draw);
                let mut queues = Queues([((minimal, 3), q_min), ((other, 1), q_non)].into());
                step(&topology, &routing, 0, &mut packet, &mut queues);
                assert_eq!(packet.nonminimal, expected, "{threshold} {up_to} {q_min} {q_non}");
            }
        }
    }
    assert!(tried > 300, "{tried}");
}

/// Where both paths leave by one port, neither its queue nor its VCs can make the packet turn.
#[test]
fn a_shared_port_is_minimal() {
    let topology = dragonfly(2, 2, 4, 9);
    let routing = routing(Algorithm::CodesAdp, 2);
    for draw in 0..500 {
        let mut probe = packet(&topology, 17, draw);
        let hop = step(&topology, &routing, 0, &mut probe, &mut Queues::default());
        if ports(&topology, &routing, 17, draw).is_none() {
            let mut packet = packet(&topology, 17, draw);
            step(
                &topology,
                &routing,
                0,
                &mut packet,
                &mut Queues([((hop.port, hop.vc), 1_000)].into()),
            );
            assert!(!packet.nonminimal);
        }
    }
}

/// One intermediate group a packet, uniform over the third groups, whatever the number of
/// candidates.
#[test]
fn one_group_is_drawn() {
    let topology = dragonfly(2, 4, 2, 9);
    let mut counts = BTreeMap::new();
    let mut draws = Stream::new(3, 0, 0);
    for _ in 0..7_000 {
        let draw = draws.bits();
        let groups = [1, 2].map(|candidates| {
            let routing = routing(Algorithm::CodesAdp, candidates);
            let mut probe = packet(&topology, 70, draw);
            let minimal = step(&topology, &routing, 0, &mut probe, &mut Queues::default());
            let mut packet = packet(&topology, 70, draw);
            step(
                &topology,
                &routing,
                0,
                &mut packet,
                &mut Queues([((minimal.port, 0), 1_000_000)].into()),
            );
            packet.nonminimal.then_some(packet.intermediate)
        });
        assert_eq!(groups[0], groups[1]);
        *counts.entry(groups[0]).or_insert(0u32) += 1;
    }
    // Those whose way to both groups is one local link stay minimal.
    counts.remove(&None);
    assert!(counts.len() == 7 || counts.len() == 6, "{counts:?}");
    assert!(counts.values().all(|n| n.abs_diff(1_000) < 160), "{counts:?}");
}

/// In every group the packet takes the emptiest way to the group that is next: its own links if it
/// has some, else all local hops that lead to one; equals are drawn.
#[test]
fn packets_steer_by_queues_in_every_group() {
    // Three groups of four routers with six links a pair: every router owns one or two to either
    // group.
    let topology = dragonfly(1, 4, 3, 3);
    let routing = routing(Algorithm::CodesAdp, 2);
    for router in 4..8 {
        let links = topology.global_links(1, 2);
        let own: Vec<u16> =
            links.iter().filter(|link| link.router == router).map(|link| link.port).collect();
        assert!(!own.is_empty());
        let mut seen = BTreeMap::new();
        for draw in 0..200 {
            // Through group 1, from 0 to 2.
            let arriving = || RouteState {
                phase: Phase::ToIntermediate,
                intermediate: 1,
                nonminimal: true,
                hops: 1,
                ..packet(&topology, 11, draw)
            };
            let hop = step(&topology, &routing, router, &mut arriving(), &mut Queues::default());
            assert!(own.contains(&hop.port) && hop.vc == 2);
            *seen.entry(hop.port).or_insert(0) += 1;
            if own.len() == 2 {
                let busy = Queues([((hop.port, 0), 1)].into());
                let around = step(&topology, &routing, router, &mut arriving(), &mut { busy });
                assert_ne!(around.port, hop.port, "the other of two is empty");
            }
        }
        assert_eq!(seen.len(), own.len());
        assert!(seen.values().all(|n| *n > 70), "{seen:?}");
    }
    // One link a pair: a router without it has one local hop that leads there; with four routers
    // and two links, two.
    let topology = dragonfly(1, 4, 1, 3);
    let links = topology.global_links(0, 2);
    let away = (0..4).find(|router| links.iter().all(|link| link.router != *router)).unwrap();
    let mut ways = BTreeMap::new();
    for draw in 0..300 {
        let hop = step(
            &topology,
            &routing,
            away,
            &mut packet(&topology, 11, draw),
            &mut Queues::default(),
        );
        *ways.entry(hop.port).or_insert(0) += 1;
    }
    assert_eq!(ways.len(), links.len(), "{ways:?}");
    for (port, _) in ways.clone() {
        let mut packet = packet(&topology, 11, 7);
        let others = ways.keys().filter(|p| **p != port).map(|p| ((*p, 0), 5)).collect();
        assert_eq!(step(&topology, &routing, away, &mut packet, &mut Queues(others)).port, port);
    }
}

/// A packet that is minimal so far decides again at the second router: for its own group if that
/// router has a link to it, else for another of the router's groups.
#[test]
fn progressive_packets_turn_at_the_second_router() {
    let topology = dragonfly(2, 4, 2, 9);
    let routing = routing(Algorithm::CodesPadp, 2);
    let (mut kept, mut anew) = (0, BTreeMap::new());
    for draw in 0..2_000 {
        let mut first = packet(&topology, 70, draw);
        let hop = step(&topology, &routing, 0, &mut first, &mut Queues::default());
        assert_eq!((first.phase, hop.vc), (Phase::Revisable, 0));
        let second = topology.global_links(0, 8)[0].router;
        assert_ne!(second, 0, "the source router does not own the link");
        first.hops = 1;
        let mut stays = first;
        let direct = step(&topology, &routing, second, &mut stays, &mut Queues::default());
        assert!(!stays.nonminimal && direct.vc == 1);
        let mut turns = first;
        let away = step(
            &topology,
            &routing,
            second,
            &mut turns,
            &mut Queues([((direct.port, 0), 9)].into()),
        );
        assert!(turns.nonminimal && away.vc == 1 && away.port != direct.port);
        let owned =
            topology.global_links(0, turns.intermediate).iter().any(|link| link.router == second);
        assert!(owned && turns.intermediate != 8 && turns.intermediate != 0);
        // The group of the first decision: what codes_adp would have taken.
        let mut once = packet(&topology, 70, draw);
        let adp = RoutingConfig { algorithm: Algorithm::CodesAdp, ..routing.clone() };
        step(&topology, &adp, 0, &mut once, &mut Queues([((hop.port, 0), 9)].into()));
        if once.nonminimal && topology.global_links(0, once.intermediate)[0].router == second {
            assert_eq!(turns.intermediate, once.intermediate);
            kept += 1;
        } else {
            *anew.entry(turns.intermediate).or_insert(0) += 1;
        }
    }
    // A router with two global links, one of them to the destination, has one group to offer.
    assert_eq!(anew.len(), 1, "{anew:?}");
    assert!(kept == 0 || kept > 100, "{kept}");
}

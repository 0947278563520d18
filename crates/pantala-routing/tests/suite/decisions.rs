//! What every routing promises: paths that arrive, ascend in (VC, link class), stay in their hop
//! bounds; and the rules of decision.

use crate::support::{Queues, dragonfly, grids, meshes, packet, spec};
use pantala_engine::Stream;
use pantala_routing::{
    Algorithm, IntraGroup, QueueMeasure, QueueScope, RouteState, RoutingConfig, Tie,
};
use pantala_topology::{
    DragonflySpec, GlobalArrangement, GroupSpec, LinkClass, LocalOrder, Peer, PortAssignment,
    Topology,
};
use proptest::prelude::*;
use std::collections::BTreeMap;

/// The hops of a packet until it is ejected: (class, VC), and the groups it passes.
fn walk(
    topology: &Topology,
    routing: &RoutingConfig,
    source: u32,
    packet: &mut RouteState,
    queues: &mut Queues,
) -> (Vec<(LinkClass, u8)>, Vec<u32>) {
    let passed = crate::support::walk(topology, routing, source, packet, queues);
    let hops = passed.iter().map(|(router, hop)| (topology.class_of(*router, hop.port), hop.vc));
    let mut groups: Vec<u32> =
        passed.iter().map(|(router, _)| topology.group_of(*router)).collect();
    groups.dedup();
    (hops.collect(), groups)
}

proptest! {
    #![proptest_config(pantala_testing::cases(1024))]
    /// On any Dragonfly, parallel links and every global arrangement included, under any queues.
    #[test]
    fn paths_arrive_and_ascend(
        p in 1u32..3, group in prop_oneof![meshes(1..6), grids(1..4)], h in 1u32..4, share in 0.0f64..1.0, global_arrangement in 0usize..4, round_robin: bool,
        algorithm in 0..Algorithm::COUNT, column_first: bool, inside in 0usize..3,
        ends in any::<(u32, u32)>(), draw: u64, loads in prop::collection::vec(0i64..100, 80), candidates in 1u32..3,
    ) {
        let a = group.routers();
        let groups = 2 + (f64::from(a * h - 1) * share) as u32;
        let spec = DragonflySpec {
            global_arrangement: GlobalArrangement::ALL[global_arrangement],
            port_assignment: if round_robin { PortAssignment::RoundRobin } else { PortAssignment::Consecutive },
            global_arrangement_seed: draw,
            ..crate::support::spec(p, group, h, groups)
        };
        let topology = Topology::dragonfly(&spec).unwrap();
        let (source, destination) = (ends.0 % topology.terminals(), ends.1 % topology.terminals());
        let algorithm = Algorithm::ALL[algorithm];
        prop_assume!(algorithm != Algorithm::QAdaptive); // its packets go by tables: see q_adaptive.rs
        let mut routing = RoutingConfig::new(algorithm);
        routing.local_order = if column_first { LocalOrder::ColumnFirst } else { LocalOrder::RowFirst };
        routing.aries.full = 10;
        let paths_inside = algorithm.descriptor().intra_groups;
        routing.intra_group = paths_inside[inside % paths_inside.len()];
        routing.ugal.candidates_minimal = candidates;
        routing.ugal.candidates_nonminimal = candidates;
        let mut queues = Queues(loads.iter().enumerate().map(|(i, q)| (((i / 4) as u16, (i % 4) as u8), *q)).collect());
        let mut packet = packet(&topology, destination, draw);
        let (hops, passed) = walk(&topology, &routing, source, &mut packet, &mut queues);

        let diameter = if topology.is_2d() { 2 } else { 1 };
        prop_assert!(packet.hops <= algorithm.max_hops(diameter));
        // The order in which channels may be held: VC by VC, first along one dimension, then the
        // other, then global.
        let place = |class| match class {
            LinkClass::Row => u8::from(column_first),
            LinkClass::Column => u8::from(!column_first),
            LinkClass::Global => 2,
            _ => 0,
        };
        let keys: Vec<(u8, u8)> =
            hops.iter().filter(|(class, _)| *class != LinkClass::Terminal).map(|(c, vc)| (*vc, place(*c))).collect();
        prop_assert!(keys.windows(2).all(|w| w[0] < w[1]), "{algorithm:?}: {hops:?}");
        prop_assert!(hops.iter().all(|(_, vc)| *vc < algorithm.own_vc_map().count));

        let (from, to) = (topology.group_of_terminal(source), topology.group_of_terminal(destination));
        let channels = algorithm.own_vc_map();
        let last = match (packet.nonminimal, from == to) {
            (true, _) => channels.destination_nonminimal,
            (false, true) => channels.inside,
            (false, false) => channels.destination_minimal,
        };
        prop_assert_eq!(hops.last().unwrap().1, last);
        if from == to {
            let always = matches!(algorithm, Algorithm::MerlinUgal | Algorithm::CodesCustomAdp);
            let valiant = matches!(algorithm, Algorithm::ValiantGroup | Algorithm::ValiantNode);
            let detours = always || (valiant && inside > 0);
            let leaves = !always && inside == 1 && packet.nonminimal && passed.len() == 3;
            prop_assert!(detours || !packet.nonminimal);
            prop_assert!(passed == [from] || (leaves && passed[0] == from && passed[2] == from), "{passed:?}");
        } else if packet.nonminimal {
            // The intermediate router may be in the destination's group.
            let through_end = algorithm == Algorithm::CodesCustomAdp && passed == [from, to];
            let through_third = passed.len() == 3 && passed[1] != from && passed[1] != to;
            prop_assert!(through_end || through_third, "{passed:?}");
        } else {
            prop_assert_eq!(passed, [from, to]);
        }
    }

    /// A routing whose first VC is another one does as it did, on the VCs behind that: it reads
    /// those and takes those.
    #[test]
    fn routings_can_be_moved_to_other_channels(
        group in prop_oneof![meshes(1..6), grids(1..4)], h in 1u32..4, share in 0.0f64..1.0, algorithm in 0..Algorithm::COUNT, first_vc in 1u8..6,
        ends in any::<(u32, u32)>(), draw: u64, loads in prop::collection::vec(0i64..200, 80), whole_port: bool,
    ) {
        let groups = 2 + (f64::from(group.routers() * h - 1) * share) as u32;
        let topology = Topology::dragonfly(&crate::support::spec(2, group, h, groups)).unwrap();
        let (source, destination) = (ends.0 % topology.terminals(), ends.1 % topology.terminals());
        let algorithm = Algorithm::ALL[algorithm];
        prop_assume!(algorithm != Algorithm::QAdaptive); // its packets go by tables: see q_adaptive.rs
        let mut routing = RoutingConfig::new(algorithm);
        routing.ugal.scope = if whole_port { QueueScope::Port } else { QueueScope::Vc };
        routing.aries.full = 10;
        // Every queue of the others' VCs is long; where the whole port counts there are none.
        let go = |first_vc: u8| {
            let ports = 0..topology.ports_per_router() as u16;
            let own = ports.clone().flat_map(|port| (0..8).map(move |vc| (port, vc))).zip(loads.iter().cycle());
            let mut queues = Queues(own.map(|((port, vc), load)| ((port, vc + first_vc), *load)).collect());
            if !whole_port {
                queues.0.extend(ports.flat_map(|port| (0..first_vc).map(move |vc| ((port, vc), 10_000))));
            }
            let mut packet = packet(&topology, destination, draw);
            let (hops, _) =
                walk(&topology, &RoutingConfig { first_vc, ..routing.clone() }, source, &mut packet, &mut queues);
            hops.into_iter().map(|(class, vc)| (class, vc - first_vc)).collect::<Vec<_>>()
        };
        prop_assert_eq!(go(0), go(first_vc));
    }

    /// Minimal means the fewest hops that any of the links between the two groups allows.
    #[test]
    fn minimal_is_minimal(a in 2u32..6, h in 1u32..4, share in 0.0f64..1.0, ends in any::<(u32, u32)>(), draw: u64) {
        let groups = 2 + (f64::from(a * h - 1) * share) as u32;
        let topology = dragonfly(1, a, h, groups);
        let (source, destination) = (ends.0 % topology.terminals(), ends.1 % topology.terminals());
        let (from, to) = (topology.group_of(source), topology.group_of(destination));
        let best = match (source == destination, from == to) {
            (true, _) => 0,
            (_, true) => 1,
            _ => topology.global_links(from, to).iter()
                .map(|l| 1 + u8::from(l.router != source) + u8::from(l.target_router != destination)).min().unwrap(),
        };
        let mut packet = packet(&topology, destination, draw);
        walk(&topology, &RoutingConfig::new(Algorithm::Minimal), source, &mut packet, &mut Queues::default());
        prop_assert_eq!(packet.hops, best);
    }
}

/// The intermediate is uniform over what its name says.
#[test]
fn intermediates_are_uniform() {
    let topology = dragonfly(2, 4, 2, 9);
    let (source, destination) = (0, 70); // groups 0 and 8
    for (algorithm, choices) in [(Algorithm::ValiantGroup, 7), (Algorithm::ValiantNode, 28)] {
        let mut counts = BTreeMap::new();
        let mut draws = Stream::new(3, 0, 0);
        const DRAWS: u32 = 28_000;
        for _ in 0..DRAWS {
            let mut packet = packet(&topology, destination, draws.bits());
            RoutingConfig::new(algorithm).decide(
                &topology,
                topology.router_of(source),
                &mut packet,
                &mut Queues::default(),
            );
            *counts.entry(packet.intermediate).or_insert(0u32) += 1;
        }
        assert_eq!(counts.len(), choices, "{algorithm:?}: {counts:?}");
        let expected = DRAWS / choices as u32;
        let spread = 5.0 * f64::from(expected).sqrt();
        assert!(
            counts.values().all(|n| f64::from(n.abs_diff(expected)) < spread),
            "{algorithm:?}: {counts:?}"
        );
    }
}

/// Non-minimal iff q_min > floor(threshold q_nonmin) + bias; ties go to minimal.
#[test]
fn ugal_compares_as_its_docs_say() {
    let topology = dragonfly(2, 4, 2, 9);
    let mut routing = RoutingConfig::new(Algorithm::UgalN);
    let mut tried = 0;
    for draw in 0..200 {
        // Which ports the two candidates use: ask with empty and with full queues.
        let port = |queues: &mut Queues| {
            let mut packet = packet(&topology, 70, draw);
            routing.decide(&topology, 0, &mut packet, queues);
            (routing.follow(&topology, 0, 0, &mut packet), packet.nonminimal)
        };
        let (minimal, diverted) = port(&mut Queues::default());
        assert!(!diverted, "a tie of empty queues goes to minimal");
        let (other, diverted) = port(&mut Queues([((minimal.port, minimal.vc), 1_000_000)].into()));
        if !diverted || other.port == minimal.port {
            continue;
        }
        tried += 1;
        for (q_min, q_non, expected) in
            [(20, 10, false), (21, 10, true), (1, 0, true), (0, 0, false), (13, 6, true)]
        {
            let mut queues = Queues([((minimal.port, 3), q_min), ((other.port, 1), q_non)].into());
            assert_eq!(port(&mut queues).1, expected, "{q_min} {q_non}");
        }
    }
    assert!(tried > 50);
    // A bias in flits, and a threshold that is not whole.
    routing.ugal.bias = 5;
    routing.ugal.threshold = 1.5;
    let decide = |q_min, q_non| {
        let mut sample = None;
        for draw in 0..200 {
            let mut probe = packet(&topology, 70, draw);
            routing.decide(&topology, 0, &mut probe, &mut Queues::default());
            let minimal = routing.follow(&topology, 0, 0, &mut probe);
            let mut probe = packet(&topology, 70, draw);
            routing.decide(
                &topology,
                0,
                &mut probe,
                &mut Queues([((minimal.port, 0), 1_000_000)].into()),
            );
            let other = routing.follow(&topology, 0, 0, &mut probe);
            if probe.nonminimal && other.port != minimal.port {
                let mut chosen = packet(&topology, 70, draw);
                let mut queues =
                    Queues([((minimal.port, 0), q_min), ((other.port, 0), q_non)].into());
                routing.decide(&topology, 0, &mut chosen, &mut queues);
                sample = Some(chosen.nonminimal);
                break;
            }
        }
        sample.unwrap()
    };
    assert!(!decide(9, 3)); // floor(4.5) + 5 = 9
    assert!(decide(10, 3));
}

/// Where both candidates leave by one port, only the VC that each would use counts.
#[test]
fn ugal_with_a_shared_port_compares_virtual_channels() {
    // One router a group owns all global links: with two routers a group, half of the sources reach
    // both by one local link.
    let topology = dragonfly(2, 2, 4, 9);
    let routing = RoutingConfig::new(Algorithm::UgalG);
    let (vc_min, vc_non) = (routing.vc_map.minimal.local, routing.vc_map.nonminimal.local);
    let mut seen = 0;
    for destination in 4..topology.terminals() {
        for draw in 0..20 {
            let port = |queues: &mut Queues| {
                let mut packet = packet(&topology, destination, draw);
                routing.decide(&topology, 0, &mut packet, queues);
                (routing.follow(&topology, 0, 0, &mut packet), packet.nonminimal)
            };
            let (minimal, _) = port(&mut Queues::default());
            let (other, diverted) = port(&mut Queues([((minimal.port, vc_min), 1_000)].into()));
            if diverted && other.port == minimal.port {
                seen += 1;
                // The other VC is as full: 1,000 is not more than twice 1,000.
                assert!(
                    !port(&mut Queues(
                        [((minimal.port, vc_min), 1_000), ((minimal.port, vc_non), 1_000)].into()
                    ))
                    .1
                );
            }
        }
    }
    assert!(seen > 10, "{seen}");
}

/// `queue_scope = "vc"` looks at one VC only.
#[test]
fn scope_vc_ignores_other_channels() {
    let topology = dragonfly(2, 4, 2, 9);
    let mut routing = RoutingConfig::new(Algorithm::UgalN);
    routing.ugal.scope = QueueScope::Vc;
    let mut diverted = 0;
    for draw in 0..100 {
        let mut probe = packet(&topology, 70, draw);
        routing.decide(&topology, 0, &mut probe, &mut Queues::default());
        let minimal = routing.follow(&topology, 0, 0, &mut probe);
        for (vc, counts) in [(minimal.vc, true), (minimal.vc + 1, false)] {
            let mut packet = packet(&topology, 70, draw);
            routing.decide(
                &topology,
                0,
                &mut packet,
                &mut Queues([((minimal.port, vc), 1_000)].into()),
            );
            assert!(counts || !packet.nonminimal);
            diverted += u32::from(packet.nonminimal);
        }
    }
    assert!(diverted > 50, "{diverted}");
}

/// merlin's `ugal`: twice the other queue and 50 flits, a coin where both sides are equal, VC 0 of
/// both ports.
#[test]
fn merlin_weighs_single_channels() {
    let topology = dragonfly(2, 4, 2, 9);
    let routing = merlin();
    let (mut tried, mut coins) = (0, [0, 0]);
    for draw in 0..400 {
        let decided = |queues: &mut Queues| {
            let mut packet = packet(&topology, 70, draw);
            routing.decide(&topology, 0, &mut packet, queues);
            (routing.follow(&topology, 0, 0, &mut packet), packet.nonminimal)
        };
        let (minimal, _) = decided(&mut Queues::default());
        let (other, diverted) = decided(&mut Queues([((minimal.port, 0), 1_000)].into()));
        if !diverted {
            continue;
        }
        assert_eq!((minimal.vc, other.vc), (0, 0));
        tried += 1;
        for (q_min, q_non, expected) in
            [(50, 0, None), (51, 0, Some(true)), (49, 0, Some(false)), (71, 10, Some(true))]
        {
            let mut queues = Queues(
                [((minimal.port, 0), q_min), ((other.port, 0), q_non), ((other.port, 1), 99)]
                    .into(),
            );
            let (_, diverted) = decided(&mut queues);
            match expected {
                Some(expected) => assert_eq!(diverted, expected, "{q_min} {q_non}"),
                None => coins[usize::from(diverted)] += 1,
            }
        }
    }
    assert!(tried > 100 && coins.iter().all(|side| *side > tried / 4), "{tried} {coins:?}");
}

/// Where both of merlin's paths leave by one local port, the router behind it chooses; no other
/// packet is decided on twice.
#[test]
fn merlin_chooses_at_the_gateway() {
    let topology = dragonfly(2, 4, 2, 9);
    let routing = merlin();
    let mut chosen = [0, 0];
    for draw in 0..400 {
        let mut fresh = packet(&topology, 70, draw);
        routing.decide(&topology, 0, &mut fresh, &mut Queues::default());
        let first = routing.follow(&topology, 0, 0, &mut fresh);
        let Peer::Port { router: gateway, .. } = topology.peer(0, first.port) else { panic!() };
        fresh.hops = 1;
        let mut queues = Queues::default();
        let mut there = fresh;
        routing.decide(&topology, gateway, &mut there, &mut queues);
        assert!(!there.nonminimal);
        let minimal = routing.follow(&topology, gateway, 0, &mut there);
        // A tie is minimal, a flit more is not, if the random group is behind this router as well.
        for (flits, may) in [(50, false), (51, true)] {
            queues.0.insert((minimal.port, 0), flits);
            let mut there = fresh;
            routing.decide(&topology, gateway, &mut there, &mut queues);
            let hop = routing.follow(&topology, gateway, 0, &mut there);
            assert_eq!(
                topology.class_of(gateway, hop.port),
                LinkClass::Global,
                "no second local hop"
            );
            assert!(may || !there.nonminimal);
            assert_eq!(there.nonminimal, hop.port != minimal.port);
            if may {
                chosen[usize::from(there.nonminimal)] += 1;
            }
        }
    }
    // A router has two links, and the third groups are seven: one of them is behind the gateway.
    assert!(chosen[1] > 20 && chosen[0] > 4 * chosen[1], "{chosen:?}");
}

/// Inside a group merlin's `ugal` weighs a detour; its `valiant` and CAMINOS' take one always, by
/// `intra_group`.
#[test]
fn detours_inside_a_group() {
    let topology = dragonfly(2, 4, 2, 9);
    let source = 0;
    let destination = 6; // on router 3 of the same group
    let mut ways = BTreeMap::new();
    for draw in 0..400 {
        let go = |routing: &RoutingConfig, queues: &mut Queues| {
            let mut packet = packet(&topology, destination, draw);
            let (hops, groups) = walk(&topology, routing, source, &mut packet, queues);
            (hops, groups, packet.nonminimal)
        };
        let straight =
            Queues([((topology.local_step(0, 3, LocalOrder::RowFirst).first(), 0), 51)].into());
        for (name, routing, mut queues) in [
            ("merlin_ugal idle", merlin(), Queues::default()),
            ("merlin_ugal", merlin(), straight),
            (
                "valiant_group",
                RoutingConfig {
                    intra_group: IntraGroup::Valiant,
                    ..RoutingConfig::new(Algorithm::ValiantGroup)
                },
                Queues::default(),
            ),
            (
                "valiant_node",
                RoutingConfig {
                    intra_group: IntraGroup::Nonminimal,
                    ..RoutingConfig::new(Algorithm::ValiantNode)
                },
                Queues::default(),
            ),
        ] {
            let (hops, groups, nonminimal) = go(&routing, &mut queues);
            let between: Vec<u8> = hops[..hops.len() - 1].iter().map(|(_, vc)| *vc).collect();
            assert!(between.windows(2).all(|w| w[0] <= w[1]), "{name}: {hops:?}");
            *ways.entry((name, hops.len() - 1, groups.len(), nonminimal)).or_insert(0) += 1;
        }
    }
    let count = |name: &str, hops: usize, groups: usize, nonminimal: bool| {
        ways.get(&(name, hops, groups, nonminimal)).copied().unwrap_or(0)
    };
    assert_eq!(count("merlin_ugal idle", 1, 1, false), 400);
    for name in ["merlin_ugal", "valiant_group"] {
        // A third of the draws is the destination's own router.
        let (over, direct) = (count(name, 2, 1, true), count(name, 1, 1, false));
        assert!(over + direct == 400 && (230..300).contains(&over), "{ways:?}");
    }
    // By way of another group, unless the way out leads over the destination's router.
    let out: i32 = (3..=6).map(|hops| count("valiant_node", hops, 3, true)).sum();
    let by_chance = count("valiant_node", 1, 1, true);
    assert!(out > 250 && by_chance > 50 && out + by_chance == 400, "{ways:?}");
}

/// Inside a group `aries` weighs two detours by its bias, if `intra_group = "adaptive"`.
#[test]
fn aries_leaves_minimal_paths_inside_a_group() {
    let topology = dragonfly(2, 4, 2, 9);
    let port = |to| topology.local_step(0, to, LocalOrder::RowFirst).first();
    let (source, destination) = (0, 6); // on routers 0 and 3 of the same group
    let mut routing = RoutingConfig::new(Algorithm::Aries);
    routing.aries.full = 160; // ten flits a level
    routing.ugal.candidates_nonminimal = 2;
    let ways = |routing: &RoutingConfig, queued: &[(u32, i64)]| {
        let mut over = [0; 4];
        for draw in 0..400 {
            let mut queues =
                Queues(queued.iter().map(|&(to, flits)| ((port(to), 0), flits)).collect());
            let mut packet = packet(&topology, destination, draw);
            let (hops, groups) = walk(&topology, routing, source, &mut packet, &mut queues);
            assert_eq!(groups.len(), 1);
            let vcs: Vec<u8> = hops.iter().map(|(_, vc)| *vc).collect();
            if packet.nonminimal {
                assert_eq!(vcs, [1, 3, 3]);
                over[packet.intermediate as usize] += 1;
            } else {
                assert_eq!(vcs, [3, 3]);
                over[3] += 1;
            }
        }
        over
    };
    let busy = [(3, 25)]; // level 3
    assert_eq!(ways(&routing, &busy), [0, 0, 0, 400]);
    routing.intra_group = IntraGroup::Adaptive;
    assert_eq!(ways(&routing, &[]), [0, 0, 0, 400]);
    let [none, one, two, straight] = ways(&routing, &busy);
    assert!(none == 0 && straight == 0 && one > 150 && two > 150, "{one} {two}");
    // One of the detours is as busy: both candidates are over router 2 in a quarter of cases.
    let [_, one, two, straight] = ways(&routing, &[(3, 25), (2, 25)]);
    assert!(two == 0 && one + straight == 400 && (60..140).contains(&straight), "{straight}");
    // AD3 asks for more than four times the load.
    routing.aries.shift = vec![2];
    assert_eq!(ways(&routing, &busy), [0, 0, 0, 400]);
    let [_, one, two, _] = ways(&routing, &[(3, 45)]);
    assert_eq!(one + two, 400);
}

/// In two dimensions a detour has up to four links, first along a row each time.
#[test]
fn aries_detours_in_two_dimensions_ascend() {
    let group =
        GroupSpec::Grid { rows: 3, columns: 4, links_per_row_pair: 1, links_per_column_pair: 3 };
    let topology = Topology::dragonfly(&spec(1, group, 1, 3)).unwrap();
    let mut routing = RoutingConfig::new(Algorithm::Aries);
    routing.intra_group = IntraGroup::Adaptive;
    routing.aries.full = 4;
    let mut most = 0;
    for draw in 0..500 {
        let (source, destination) = ((draw % 12) as u32, (draw / 12 % 12) as u32);
        let first = topology.ports_per_router() as u16;
        let mut queues = Queues((0..first).map(|port| ((port, 0), i64::from(port) % 5)).collect());
        let mut packet = packet(&topology, destination, draw);
        let (hops, _) = walk(&topology, &routing, source, &mut packet, &mut queues);
        assert!(hops.windows(2).all(|pair| pair[0].1 <= pair[1].1), "{hops:?}");
        most = most.max(hops.len() - 1);
    }
    assert_eq!(most, 4);
}

fn merlin() -> RoutingConfig {
    let mut routing = RoutingConfig::new(Algorithm::MerlinUgal);
    routing.ugal.bias = 50;
    routing.ugal.queue = QueueMeasure::Output;
    routing.ugal.scope = QueueScope::Vc;
    routing.ugal.tie = Tie::Random;
    routing
}

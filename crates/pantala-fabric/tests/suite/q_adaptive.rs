//! q_adaptive: five links at most, decisions by the rule, feedback at its time and of its size, and
//! traffic that learns.

use crate::support::*;
use pantala_engine::{Stream, Time};
use pantala_fabric::config::CreditLatency;
use pantala_fabric::learning::{Estimate, QTable, Via};
use pantala_fabric::packet::Phase;
use pantala_fabric::routing::{Algorithm, QAdaptiveConfig, RoutingConfig};
use pantala_fabric::{
    Delivery, FabricConfig, Host, PacketOffer, Partition, Pull, TrafficClass, Wakes,
};
use pantala_topology::{
    DragonflySpec, GlobalArrangement, GroupSpec, Peer, PortAssignment, Topology,
};
use proptest::prelude::*;

fn learning(base: FabricConfig, change: impl FnOnce(&mut QAdaptiveConfig)) -> FabricConfig {
    let mut config = base;
    change(&mut config.routings[0].q_adaptive);
    config
}

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

fn dragonflies() -> impl Strategy<Value = Topology> {
    (1u32..4, 1u32..6, 1u32..3, 1u32..4, 0.0f64..1.0, 0usize..4, any::<bool>(), any::<u64>())
        .prop_map(
            |(
                p,
                routers,
                links_per_pair,
                h,
                share,
                global_arrangement,
                round_robin,
                global_arrangement_seed,
            )| {
                let groups = 2 + (f64::from(routers * h - 1) * share) as u32;
                let spec = DragonflySpec {
                    global_arrangement: GlobalArrangement::ALL[global_arrangement],
                    port_assignment: if round_robin {
                        PortAssignment::RoundRobin
                    } else {
                        PortAssignment::Consecutive
                    },
                    global_arrangement_seed,
                    ..spec(p, GroupSpec::FullMesh { routers, links_per_pair }, h, groups)
                };
                Topology::dragonfly(&spec).unwrap()
            },
        )
}

proptest! {
    #![proptest_config(pantala_testing::cases(2048))]
    /// Whatever the tables say and however much is explored, on any one-dimensional Dragonfly with
    /// parallel links of both kinds: the packet arrives after at most five links, the k-th on VC k,
    /// and goes to its node on the VC it came on.
    #[test]
    fn a_packet_takes_five_links_at_most(
        topology in dragonflies(), ends in any::<(u32, u32)>(), draw: u64, seed: u64,
        exploration in prop::sample::select(vec![0.0, 0.5, 1.0]), early: bool,
    ) {
        let (source, destination) = (ends.0 % topology.nodes(), ends.1 % topology.nodes());
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
                Peer::Node(node) => {
                    prop_assert_eq!(node, destination);
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

proptest! {
    #![proptest_config(pantala_testing::cases(96))]
    /// The same of packets in a network, which loses none of them.
    #[test]
    fn explorers_arrive(topology in dragonflies(), seed: u64, load in 0.1f64..1.0, sst_stages: bool, buffer in 1u32..4) {
        let base = if sst_stages { sst(Algorithm::QAdaptive) } else { kang(Algorithm::QAdaptive) };
        let mut config = learning(base, |learning| learning.exploration = 1.0);
        config.seed = seed;
        config.router.input_buffer = 4 * buffer;
        config.router.output_buffer = 4 * buffer;
        let host = Uniform::new(topology.nodes(), &config, load, 1_500_000);
        let mut net = partition(config, topology, host);
        net.advance(Time::MAX);
        prop_assert!(net.audit().balanced(), "{}", net.audit());
        prop_assert_eq!(net.packets_in_flight(), 0, "{}", net.diagnose());
        prop_assert!(net.probe.packets.iter().all(|packet| packet.hops <= 5));
    }
}

/// Port towards another router of the group.
fn local(topology: &Topology, router: u32, other: u32) -> u16 {
    topology.local_step(router, other, pantala_topology::LocalOrder::RowFirst).first
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

/// Sends one packet from node 0 to a node of router 35, group 8, of a quiet machine: l g l, by
/// routers 0, 3, 32 and 35.
fn one_packet(config: FabricConfig) -> (Partition<Script, Log>, Vec<Estimate>) {
    let topology = dragonfly(2, 4, 2, 9);
    let untrained = QTable::untrained(&config, &topology).estimates().collect();
    let mut host = Script::new(topology.nodes());
    host.queues[0].push_back((0, 8 * 8 + 7, 512));
    (partition(config, topology, host), untrained)
}

/// What differs from `before`: router, destination group, slot, port, estimate.
fn learned(net: &Partition<Script, Log>, before: &[Estimate]) -> Vec<(u32, u32, u32, u32, f32)> {
    let now = net.estimates().estimates();
    now.zip(before)
        .filter(|(now, before)| now.ns != before.ns)
        .map(|(e, _)| (e.router, e.destination_group, e.slot, e.port, e.ns))
        .collect()
}

/// A hop takes 10 ns of output latency, a crossbar flit of 1.28, a link flit of 5.12, the link, and
/// 10 ns of input latency: 56.4 ns locally and 326.4 globally. The packet is at its source router
/// at 25.12 ns, at the gateway at 81.52, in group 8 at 407.92. From there the gateway hears 326.4 + 0 and
/// its 300 become 301.056; the source router hears 56.4 + 300 and its 330 become 331.056. Credits
/// take the link's latency back: 111.52 and 707.92 ns.
#[test]
fn a_packet_teaches_the_routers_before() {
    for (truncate, local, global) in [(false, 331.056, 301.056), (true, 331.0, 301.0)] {
        let config = learning(kang(Algorithm::QAdaptive), |learning| {
            (learning.truncate, learning.exploration) = (truncate, 0.0);
        });
        let (mut net, before) = one_packet(config);
        net.record_learning(100_000);
        let topology = dragonfly(2, 4, 2, 9);
        let gateway = topology.global_links(0, 8)[0];
        let to_gateway =
            u32::from(topology.local_step(0, 3, pantala_topology::LocalOrder::RowFirst).first);
        let first = (0, 8, 0, to_gateway, local);
        let second = (3, 8, 0, u32::from(gateway.port), global);
        for (until, expected) in [
            (111_520, vec![]),
            (111_521, vec![first]),
            (707_920, vec![first]),
            (707_921, vec![first, second]),
        ] {
            net.advance(until);
            net.learn_before(until);
            assert_eq!(learned(&net, &before), expected, "before {until} ps");
        }
        net.advance(Time::MAX);
        net.learn_before(Time::MAX);
        assert_eq!(
            learned(&net, &before),
            [first, second],
            "nothing inside the destination's group"
        );
        assert_eq!(net.probe.packets[0].hops, 3);
        let windows = net.learning_windows();
        assert_eq!(windows.iter().map(|w| w.number).collect::<Vec<_>>(), [1, 7]);
        let (one, two) =
            (windows[0].via[Via::Local as usize], windows[1].via[Via::Direct as usize]);
        let feedback = if truncate { (356_000, 326_000) } else { (356_400, 326_400) };
        assert_eq!((one.updates, one.feedback, one.error), (1, feedback.0, feedback.0 - 330_000));
        assert_eq!((two.updates, two.feedback, two.error), (1, feedback.1, feedback.1 - 300_000));
    }
}

/// With SST's stages a credit, and so feedback, passes the router's parts as well: 10 ns each.
#[test]
fn feedback_has_the_delay_of_credits() {
    let mut config = learning(kang(Algorithm::QAdaptive), |learning| learning.exploration = 0.0);
    config.router.credit_latency = CreditLatency::LinkAndRouter;
    let (mut net, before) = one_packet(config);
    net.advance(131_521);
    net.learn_before(131_520);
    assert!(learned(&net, &before).is_empty());
    net.learn_before(131_521);
    assert_eq!(learned(&net, &before).len(), 1);
}

#[test]
fn packets_of_other_routings_teach_nothing_and_loaded_tables_are_followed() {
    let mut config = kang(Algorithm::QAdaptive);
    config.routings.insert(0, RoutingConfig::new(Algorithm::Minimal));
    let (mut net, before) = one_packet(config);
    net.advance(Time::MAX);
    net.learn_before(Time::MAX);
    assert_eq!(net.probe.packets.len(), 1);
    assert!(learned(&net, &before).is_empty());

    let config = learning(kang(Algorithm::QAdaptive), |learning| learning.exploration = 0.0);
    let (mut net, before) = one_packet(config);
    let port = u32::from(dragonfly(2, 4, 2, 9).first_global_port());
    let tempting = |e: Estimate| (e.router, e.destination_group, e.slot, e.port) == (0, 8, 0, port);
    let changed = before.iter().map(|&e| if tempting(e) { Estimate { ns: 10.0, ..e } } else { e });
    net.start_from(&net.estimates().filled(changed).unwrap());
    net.advance(Time::MAX);
    assert!(net.probe.packets[0].nonminimal, "it should have believed its router");
    net.learn_before(Time::MAX);
    let of_source = |e: &&(u32, u32, u32, u32, f32)| e.0 == 0;
    let heard = learned(&net, &before);
    // 326.4 ns to the next router, whose best port says 300 or 330.
    let (_, _, _, by, ns) = heard.iter().find(of_source).unwrap();
    assert!(*by == port && (*ns == 34.0 || *ns == 35.0), "{heard:?}");
}

/// A network without q_adaptive has no tables.
#[test]
fn others_learn_nothing() {
    let (net, before) = one_packet(kang(Algorithm::Minimal));
    assert!(net.estimates().is_empty() && before.len() == 36 * 16 * 5);
    let with = one_packet(kang(Algorithm::QAdaptive)).0;
    assert!(with.memory() > net.memory() + 36 * 16 * 5 * 4);
}

/// Nodes of a group that send to the next, at random to one of its nodes.
struct NextGroup {
    inner: Uniform,
    per_group: u32,
}

impl Host for NextGroup {
    type Message = ();

    fn start(&mut self, node: u32, wakes: &mut Wakes) {
        self.inner.start(node, wakes);
    }
    fn pull(&mut self, node: u32, now: Time, wakes: &mut Wakes) -> Pull {
        match self.inner.pull(node, now, wakes) {
            Pull::Packet(offer) => {
                let next = (node / self.per_group + 1) * self.per_group % self.inner.nodes;
                let destination = next + offer.destination % self.per_group;
                Pull::Packet(PacketOffer {
                    destination,
                    class: TrafficClass::PointToPoint,
                    ..offer
                })
            }
            other => other,
        }
    }
    fn next_at(&self, node: u32) -> Time {
        self.inner.next_at(node)
    }
    fn deliver(&mut self, _: u32, _: &Delivery, _: Time, _: &mut Wakes) {}
    fn timer(&mut self, _: u32, _: Time, _: &mut Wakes) {}
}

fn to_the_next_group(config: FabricConfig, until: Time) -> Partition<NextGroup, Log> {
    let topology = dragonfly(2, 4, 2, 9);
    let inner = Uniform::new(topology.nodes(), &config, 0.3, until);
    partition(config, topology, NextGroup { inner, per_group: 8 })
}

/// Eight nodes offer 0.3 each to one link: minimal paths carry 1/8. Learning finds the others.
#[test]
fn traffic_to_the_next_group_learns_to_go_round() {
    let span = 2_000_000;
    let mut net = to_the_next_group(kang(Algorithm::QAdaptive), 400_000_000);
    net.advance(400_000_000);
    let packets = &net.probe.packets;
    let of = |window: u64| packets.iter().filter(move |p| p.delivered / span == window);
    let accepted = |window: u64| of(window).count() as f64 * 4.0 * 5_120.0 / (span as f64 * 72.0);
    let nonminimal = |window: u64| {
        of(window).filter(|p| p.nonminimal).count() as f64 / of(window).count() as f64
    };
    assert!(accepted(0) < 0.16, "at first {}", accepted(0));
    assert!(accepted(199) > 0.27, "in the end {}", accepted(199));
    assert!(nonminimal(199) > 0.5, "non-minimal {}", nonminimal(199));
    let minimal = to_the_next_group(kang(Algorithm::Minimal), 400_000_000);
    let mut minimal = minimal;
    minimal.advance(400_000_000);
    assert!(packets.len() > minimal.probe.packets.len() * 3 / 2);
}

/// Tables, windows and packets are the same in whatever order events of one time come, and however
/// often somebody looks.
#[test]
fn nothing_learned_depends_on_order() {
    for base in [kang, sst, codes].map(|base| base(Algorithm::QAdaptive)) {
        let run = |scramble: Option<u64>, step: Time| {
            let config = learning(base.clone(), |learning| {
                (learning.exploration, learning.first_explorations) = (0.05, 3)
            });
            let mut net = to_the_next_group(config, 20_000_000);
            net.record_learning(1_000_000);
            if let Some(seed) = scramble {
                net.scramble(seed);
            }
            let mut until = 0;
            while net.next_time() != Time::MAX {
                until += step;
                net.advance(until);
                net.learn_before(until);
            }
            net.learn_before(until + 1_000_000);
            let estimates: Vec<Estimate> = net.estimates().estimates().collect();
            let windows = net.learning_windows().to_vec();
            (estimates, windows, net.totals())
        };
        let one = run(None, 50_000_000);
        assert!(one.1.len() > 15 && one.1.iter().map(|w| w.via[0].updates).sum::<u64>() > 1_000);
        for seed in 0..3 {
            assert!(one == run(Some(seed), 333_333), "tables depend on order");
        }
    }
}

/// The first decisions of every router explore, and no others.
#[test]
fn first_explorations_come_first() {
    let run = |first: u32| {
        let config = learning(kang(Algorithm::QAdaptive), |learning| {
            (learning.exploration, learning.first_explorations) = (0.0, first);
            // Nothing else leaves the minimal path.
            (learning.threshold_source, learning.threshold_intermediate) = (1.0, 1.0);
        });
        let topology = dragonfly(2, 4, 2, 9);
        let host = Uniform::new(topology.nodes(), &config, 0.2, 20_000_000);
        let mut net = partition(config, topology, host);
        net.advance(Time::MAX);
        let detours = net.probe.packets.iter().filter(|p| p.nonminimal).count();
        let latest = net.probe.packets.iter().filter(|p| p.nonminimal).map(|p| p.created).max();
        (detours, latest)
    };
    assert_eq!(run(0), (0, None));
    let (detours, latest) = run(4);
    // 36 routers explore 4 times or a little more; 2 of 5 ports lead to other groups, one of eight
    // to the right one.
    assert!((20..110).contains(&detours), "{detours}");
    assert!(latest.unwrap() < 3_000_000, "{latest:?}");
}

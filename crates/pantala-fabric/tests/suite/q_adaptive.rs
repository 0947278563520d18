//! q_adaptive in a network: five links at most, feedback at its time and of its size, and traffic
//! that learns.

use crate::support::*;
use pantala_engine::Time;
use pantala_fabric::config::CreditLatency;
use pantala_fabric::{
    Delivery, FabricConfig, Host, PacketOffer, Partition, Pull, TrafficClass, Wakes,
};
use pantala_routing::learning::{Estimate, QTable, Via};
use pantala_routing::{Algorithm, QAdaptiveConfig, RoutingConfig};
use proptest::prelude::*;

fn learning(base: FabricConfig, change: impl FnOnce(&mut QAdaptiveConfig)) -> FabricConfig {
    let mut config = base;
    change(&mut config.routings[0].q_adaptive);
    config
}

proptest! {
    #![proptest_config(pantala_testing::cases(96))]
    /// Packets that explore at every router take at most five links, and the network loses none.
    #[test]
    fn explorers_arrive(topology in dragonflies(), seed: u64, load in 0.1f64..1.0, sst_stages: bool, buffer in 1u32..4) {
        let base = if sst_stages { sst(Algorithm::QAdaptive) } else { kang(Algorithm::QAdaptive) };
        let mut config = learning(base, |learning| learning.exploration = 1.0);
        config.seed = seed;
        config.router.input_buffer = 4 * buffer;
        config.router.output_buffer = 4 * buffer;
        let host = Uniform::new(topology.terminals(), &config, load, 1_500_000);
        let mut net = partition(config, topology, host);
        net.advance(Time::MAX);
        prop_assert!(net.audit().balanced(), "{}", net.audit());
        prop_assert_eq!(net.packets_in_flight(), 0, "{}", net.diagnose());
        prop_assert!(net.probe.packets.iter().all(|packet| packet.hops <= 5));
    }
}

/// Sends one packet from NIC 0 to a NIC of router 35, group 8, of a quiet machine: l g l, by
/// routers 0, 3, 32 and 35.
fn one_packet(config: FabricConfig) -> (Partition<Script, Log>, Vec<Estimate>) {
    let topology = dragonfly(2, 4, 2, 9);
    let untrained = QTable::untrained(&config.routings, config.link_latencies(), &topology)
        .estimates()
        .collect();
    let mut host = Script::new(topology.terminals());
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
/// at 25.12 ns, at the gateway at 81.52, in group 8 at 407.92. From there the gateway hears 326.4 +
/// 0 and its 300 become 301.056; the source router hears 56.4 + 300 and its 330 become 331.056.
/// Credits take the link's latency back: 111.52 and 707.92 ns.
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
            u32::from(topology.local_step(0, 3, pantala_topology::LocalOrder::RowFirst).first());
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

/// NICs of a group that send to the next, at random to one of its NICs.
struct NextGroup {
    inner: Uniform,
    per_group: u32,
}

impl Host for NextGroup {
    type Message = ();

    fn start(&mut self, terminal: u32, wakes: &mut Wakes) {
        self.inner.start(terminal, wakes);
    }
    fn pull(&mut self, terminal: u32, now: Time, wakes: &mut Wakes) -> Pull {
        match self.inner.pull(terminal, now, wakes) {
            Pull::Packet(offer) => {
                let next = (terminal / self.per_group + 1) * self.per_group % self.inner.terminals;
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
    fn next_at(&self, terminal: u32) -> Time {
        self.inner.next_at(terminal)
    }
    fn deliver(&mut self, _: u32, _: &Delivery, _: Time, _: &mut Wakes) {}
    fn timer(&mut self, _: u32, _: Time, _: &mut Wakes) {}
}

fn to_the_next_group(config: FabricConfig, until: Time) -> Partition<NextGroup, Log> {
    let topology = dragonfly(2, 4, 2, 9);
    let inner = Uniform::new(topology.terminals(), &config, 0.3, until);
    partition(config, topology, NextGroup { inner, per_group: 8 })
}

/// Eight NICs offer 0.3 each to one link: minimal paths carry 1/8. Learning finds the others.
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
        let host = Uniform::new(topology.terminals(), &config, 0.2, 20_000_000);
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

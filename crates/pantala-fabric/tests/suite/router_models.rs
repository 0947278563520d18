//! What the stages of other simulators' routers promise, one by one.

use crate::support::*;
use pantala_engine::Time;
use pantala_fabric::config::*;
use pantala_fabric::{Delivery, FabricConfig, Host, PacketOffer, Pull, TrafficClass, Wakes};
use pantala_routing::{Algorithm, VcMap};
use pantala_topology::{LinkClass, Topology};
use std::collections::{BTreeMap, BTreeSet};

/// NICs that always have a packet: each goes round its destinations.
struct Greedy {
    bytes: u32,
    destinations: BTreeMap<u32, Vec<u32>>,
    /// Until when, if not for ever.
    until: BTreeMap<u32, Time>,
    sent: BTreeMap<u32, usize>,
}

impl Greedy {
    fn new(bytes: u32, destinations: impl IntoIterator<Item = (u32, Vec<u32>)>) -> Self {
        let destinations = destinations.into_iter().collect();
        Self { bytes, destinations, until: BTreeMap::new(), sent: BTreeMap::new() }
    }
}

impl Host for Greedy {
    type Message = ();

    fn start(&mut self, terminal: u32, wakes: &mut Wakes) {
        wakes.nic = self.destinations.contains_key(&terminal);
    }
    fn pull(&mut self, terminal: u32, now: Time, _: &mut Wakes) -> Pull {
        let Some(destinations) = self.destinations.get(&terminal) else { return Pull::Idle };
        if self.until.get(&terminal).is_some_and(|until| *until <= now) {
            return Pull::Idle;
        }
        let sent = self.sent.entry(terminal).or_default();
        let destination = destinations[*sent % destinations.len()];
        *sent += 1;
        let class = TrafficClass::PointToPoint;
        Pull::Packet(PacketOffer {
            destination,
            bytes: self.bytes,
            created: now,
            message: 0,
            number: 0,
            job: 0,
            class,
        })
    }
    fn deliver(&mut self, _: u32, _: &Delivery, _: Time, _: &mut Wakes) {}
    fn timer(&mut self, _: u32, _: Time, _: &mut Wakes) {}
}

/// A NIC that NIC 0 reaches over a local, the global and a local link.
fn three_hops_away(topology: &Topology) -> u32 {
    let config = booksim2(Algorithm::Minimal, 4, 2, 256);
    let far = |&destination: &u32| sent_alone(&config, topology, 0, destination).hops == 3;
    (topology.terminals() / 2..topology.terminals()).find(far).expect("a Dragonfly has such a way")
}

fn sent_alone(config: &FabricConfig, topology: &Topology, source: u32, destination: u32) -> Seen {
    let mut host = Script::new(topology.terminals());
    host.queues[source as usize].push_back((0, destination, config.packet_bytes));
    let mut net = partition(config.clone(), topology.clone(), host);
    net.advance(Time::MAX);
    net.probe.packets[0]
}

/// The packets of 300 ns of uniform traffic, in the order of their delivery.
fn uniform(config: FabricConfig, topology: Topology, load: f64) -> Vec<Seen> {
    let host = Uniform::new(topology.terminals(), &config, load, 300_000);
    let mut net = partition(config, topology, host);
    net.advance(Time::MAX);
    assert!(net.audit().balanced());
    let mut packets = net.probe.packets;
    packets.sort_unstable_by_key(|seen| (seen.delivered, seen.destination));
    packets
}

/// The latencies that BookSim2 prints for packets of four flits, and its closed form 2 + R (4 / s -
/// 1) + sum (L + 1) + 2 + (S - 1).
#[test]
fn booksim2_takes_4_by_s_less_1_cycles_a_router() {
    let topology = dragonfly(2, 4, 2, 9);
    for (speedup, in_router, printed) in
        [(1, 3, [10, 24, 114, 128, 142]), (2, 1, [8, 20, 110, 122, 134])]
    {
        let mut seen = BTreeSet::new();
        for flits in [1, 4] {
            let config = booksim2(Algorithm::Minimal, flits, speedup, 256);
            for destination in 0..topology.terminals() {
                let packet = sent_alone(&config, &topology, 0, destination);
                let cycles = (packet.delivered - packet.created) / 1_000;
                let global = u64::from(topology.group_of_terminal(destination) != 0);
                let (routers, local) =
                    (u64::from(packet.hops) + 1, u64::from(packet.hops) - global);
                let expected =
                    2 + in_router * routers + 11 * local + 101 * global + 2 + u64::from(flits) - 1;
                assert_eq!(cycles, expected, "{speedup} {flits} {destination}");
                if flits == 4 {
                    seen.insert(cycles);
                }
            }
        }
        assert_eq!(seen.into_iter().collect::<Vec<_>>(), printed);
    }
}

/// 1 (server) + R * crossbar_delay + sum of delays + 1 (server) + (S - 1), and the two picoseconds
/// that stand for zero.
#[test]
fn caminos_takes_its_delays_and_nothing_else() {
    let topology = dragonfly(2, 4, 2, 9);
    for delay in [2u64, 4] {
        let config = caminos(Algorithm::Minimal, delay * 1_000);
        for destination in 1..topology.terminals() {
            let packet = sent_alone(&config, &topology, 0, destination);
            let global = u64::from(topology.group_of_terminal(destination) != 0);
            let (routers, local) = (u64::from(packet.hops) + 1, u64::from(packet.hops) - global);
            let expected = 1 + routers * delay + 10 * local + 100 * global + 1 + 3;
            assert_eq!(
                packet.delivered - packet.created,
                1_000 * expected + 2,
                "{delay} {destination}"
            );
        }
    }
}

/// What one flow over a local, the global and a local link carries in BookSim2, as it was measured
/// there: two idle steps a packet and input VC, and a buffer against the round trip of the credits.
#[test]
fn booksim2_serialises_one_hot_link() {
    let topology = dragonfly(2, 4, 2, 9);
    let destination = three_hops_away(&topology);
    for (flits, speedup, buffer, measured) in [
        (1, 1, 256, 0.333),
        (4, 1, 256, 0.664),
        (1, 2, 256, 0.666),
        (4, 2, 256, 1.0),
        (4, 2, 120, 0.584),
    ] {
        let config = booksim2(Algorithm::Minimal, flits, speedup, buffer);
        let host = Greedy::new(flits, [(0, vec![destination])]);
        let mut net = partition(config, topology.clone(), host);
        net.advance(3_000_000);
        let before = net.totals().flits_delivered;
        net.advance(33_000_000);
        let rate = (net.totals().flits_delivered - before) as f64 / 30_000.0;
        assert!(
            (rate / measured - 1.0).abs() < 0.02,
            "{flits}/{speedup}/{buffer}: {rate} for {measured}"
        );
        assert!(net.audit().balanced());
    }
}

/// Two packets of two NICs of a router want one output VC at once: how long after the first the
/// second comes.
fn spacing(config: &FabricConfig) -> Time {
    let topology = dragonfly(2, 4, 2, 9);
    let mut host = Script::new(topology.terminals());
    for source in [0, 1] {
        host.queues[source].push_back((0, 2, config.packet_bytes));
    }
    let mut net = partition(config.clone(), topology, host);
    net.advance(Time::MAX);
    net.probe.packets[1].delivered - net.probe.packets[0].delivered
}

#[test]
fn an_output_vc_is_held_until_the_tail_and_rests() {
    for (flits, gap) in [(1, 0), (1, 1), (4, 1), (4, 3)] {
        let mut config = booksim2(Algorithm::Minimal, flits, 1, 256);
        (config.router.input_vc_gap, config.router.output_vc_gap) = (0, gap);
        assert_eq!(spacing(&config), 1_000 * Time::from(flits + gap));
    }
    // Where only ports are held, and crossbars are fast, the link alone sets the pace.
    let mut config = booksim2(Algorithm::Minimal, 4, 2, 256);
    config.router.crossbar_contention = CrossbarContention::Port;
    (config.router.flow_control, config.router.arbiter) =
        (FlowControl::VirtualCutThrough, Arbiter::RoundRobin);
    assert_eq!(spacing(&config), 4_000);
}

/// Where VCs contend, not ports, an input port can feed two outputs at once.
#[test]
fn without_contention_of_ports_an_input_feeds_two_outputs_at_once() {
    let topology = dragonfly(2, 4, 2, 9);
    let last = |contention| {
        let mut config = caminos(Algorithm::Minimal, 2_000);
        config.router.crossbar_contention = contention;
        // The second packet enters while the first one crosses, both of them over one injection
        // link.
        cross_in(&mut config, 8_000);
        config.injection_vc = InjectionVc::Random;
        let sources: Vec<_> = (0..64)
            .map(|seed| {
                let mut config = config.clone();
                config.seed = seed;
                let mut host = Script::new(topology.terminals());
                host.queues[0].extend([(0, 2, 4), (0, 4, 4)]);
                let mut net = partition(config, topology.clone(), host);
                net.advance(Time::MAX);
                net.probe.packets[1].delivered
            })
            .collect();
        (*sources.iter().min().unwrap(), *sources.iter().max().unwrap())
    };
    // 16 ns apart in two VCs; 32 ns apart in one VC, or through one port.
    let (soonest, latest) = last(CrossbarContention::Vc);
    assert_eq!(latest - soonest, 28_000);
    let (soonest, latest) = last(CrossbarContention::PortAndVc);
    assert_eq!(soonest, latest);
}

/// Where a packet is one flit, it makes no difference whether packets move or flits.
#[test]
fn packets_of_one_flit_move_as_flits_do() {
    for algorithm in [Algorithm::Minimal, Algorithm::ValiantNode, Algorithm::UgalN, Algorithm::Par]
    {
        for base in [booksim2(algorithm, 1, 2, 8), booksim2(algorithm, 1, 1, 60)] {
            let packets =
                [FlowControl::VirtualCutThrough, FlowControl::Wormhole].map(|flow_control| {
                    let mut config = base.clone();
                    config.router.flow_control = flow_control;
                    uniform(config, dragonfly(3, 4, 3, 13), 0.6)
                });
            assert!(packets[0].len() > 5_000 && packets[0] == packets[1], "{algorithm:?}");
        }
    }
}

/// A NIC gets long packets on one VC from a NIC of its router, and short ones on another from
/// another group. By the packet a short one waits at the ejection link until the long one before it
/// is through; by the flit they take turns. In the order of crossing, it waits for the flits of the
/// long packet that the crossbar, twice as fast as the link, has passed before it.
#[test]
fn flits_of_two_channels_take_turns_on_a_link() {
    const LONG: u32 = 400;
    let topology = dragonfly(2, 4, 2, 9);
    let far = three_hops_away(&topology);
    let waits = [
        (FlowControl::VirtualCutThrough, LinkOrder::RoundRobin),
        (FlowControl::Wormhole, LinkOrder::RoundRobin),
        (FlowControl::Wormhole, LinkOrder::Arrival),
    ]
    .map(|(flow_control, link_order)| {
        let mut config = booksim2(Algorithm::Minimal, LONG, 2, 1_000);
        config.routings[0].vc_map = VcMap::BOOKSIM_MINIMAL;
        config.router.flow_control = flow_control;
        config.router.link_order = link_order;
        let alone = {
            let mut host = Script::new(topology.terminals());
            host.queues[far as usize].push_back((0, 0, 1));
            let mut net = partition(config.clone(), topology.clone(), host);
            net.advance(Time::MAX);
            net.probe.packets[0].delivered
        };
        let mut host = Script::new(topology.terminals());
        host.queues[1].extend((0..20).map(|_| (0, 0, LONG)));
        host.queues[far as usize].extend((0..100).map(|number| (number * 37_000, 0, 1)));
        let mut net = partition(config, topology.clone(), host);
        net.advance(Time::MAX);
        assert!(net.audit().balanced());
        let short = net.probe.packets.iter().filter(|seen| seen.source == far);
        short.map(|seen| seen.delivered - seen.created - alone).max().unwrap() / 1_000
    });
    assert!(waits[0] > u64::from(LONG) / 2 && waits[1] <= 4, "{waits:?} cycles");
    assert!(waits[2] > 40 && waits[2] <= u64::from(LONG) / 2, "{waits:?} cycles");
}

/// A NIC is sent packets on VC 0 from a NIC of its router and on VC 1 from other groups, more than
/// its link carries. By turns both get half of it. By the highest or the lowest VC, one gets all of
/// it for as long as it has packets.
#[test]
fn a_link_prefers_the_highest_or_the_lowest_channel() {
    let topology = dragonfly(2, 4, 2, 9);
    let far = three_hops_away(&topology);
    let share = |link_order, virtual_output: bool| {
        let base = if virtual_output { codes } else { kang };
        let mut config = base(Algorithm::Minimal);
        config.router.input_buffer = 1_000; // no NIC waits for credits
        config.routings[0].vc_map = VcMap::BOOKSIM_MINIMAL;
        config.router.link_order = link_order;
        let mut host = Script::new(topology.terminals());
        for source in [1, far] {
            host.queues[source as usize].extend((0..600).map(|_| (0, 0, 512)));
        }
        let mut net = partition(config, topology.clone(), host);
        net.advance(Time::MAX);
        assert!(net.audit().balanced() && net.packets_in_flight() == 0);
        let mut packets = net.probe.packets;
        packets.sort_unstable_by_key(|seen| seen.delivered);
        packets[200..300].iter().filter(|seen| seen.source == far).count()
    };
    for virtual_output in [false, true] {
        let shares = [LinkOrder::RoundRobin, LinkOrder::HighestVc, LinkOrder::LowestVc]
            .map(|order| share(order, virtual_output));
        assert!((35..=65).contains(&shares[0]), "{shares:?}");
        assert!(shares[1] >= shares[0] + 20 && shares[2] + 20 <= shares[0], "{shares:?}");
    }
}

/// Where packets have one VC, its order is that of the link.
#[test]
fn the_order_of_a_link_does_not_matter_with_one_channel() {
    for flow_control in [FlowControl::VirtualCutThrough, FlowControl::Wormhole] {
        let packets = [LinkOrder::RoundRobin, LinkOrder::Arrival].map(|link_order| {
            let mut config = booksim2(Algorithm::Minimal, 4, 2, 60);
            config.injection_vc = InjectionVc::First;
            config.router.flow_control = flow_control;
            config.router.link_order = link_order;
            // All ways lie in one group.
            uniform(config, dragonfly(3, 8, 0, 1), 0.9)
        });
        assert!(packets[0].len() > 1_000 && packets[0] == packets[1], "{flow_control:?}");
    }
}

/// With an internal speed-up, flits cross at half cycles, and BookSim2's links start none there:
/// every packet comes at a whole cycle. Two flits that cross in one cycle leave in two.
#[test]
fn links_with_a_clock_start_flits_at_whole_flit_times() {
    for flow_control in [FlowControl::VirtualCutThrough, FlowControl::Wormhole] {
        let off = [LinkClock::None, LinkClock::Flit].map(|link_clock| {
            let mut config = booksim2(Algorithm::UgalN, 4, 2, 60);
            config.router.flow_control = flow_control;
            config.router.link_clock = link_clock;
            let packets = uniform(config, dragonfly(2, 4, 2, 9), 0.6);
            assert!(packets.len() > 1_000);
            packets.iter().filter(|seen| seen.delivered % 1_000 != 0).count()
        });
        assert!(off[0] > 100 && off[1] == 0, "{flow_control:?}: {off:?}");
    }
}

/// A NIC sends a flit as soon as there is a credit for it, and nothing before the packet is
/// through.
#[test]
fn a_packet_longer_than_the_credits_goes_flit_by_flit() {
    let topology = dragonfly(2, 4, 2, 9);
    let far = three_hops_away(&topology);
    let config = booksim2(Algorithm::Minimal, 64, 1, 8);
    let packet = sent_alone(&config, &topology, 0, far);
    // 8 flits in 203 cycles and somewhat more for the first, over the global link.
    let cycles = (packet.delivered - packet.created) / 1_000;
    assert!((142 + 7 * 203..142 + 7 * 210).contains(&cycles), "{cycles}");
}

/// A crossbar slower than the injection link: flits queue at the input, and no packet's get before
/// those of the one ahead.
#[test]
fn flits_of_packets_back_to_back_keep_their_order() {
    let topology = dragonfly(2, 4, 2, 9);
    let mut config = booksim2(Algorithm::Minimal, 4, 1, 256);
    config.injection_vc = InjectionVc::First;
    cross_in(&mut config, 2_700);
    let destinations = [70, 1, 33, 1, 50, 2];
    let mut host = Script::new(topology.terminals());
    host.queues[0].extend(destinations.map(|destination| (0, destination, 4)));
    let mut net = partition(config, topology, host);
    net.advance(Time::MAX);
    assert!(net.audit().balanced() && net.packets_in_flight() == 0);
    let mut packets = net.probe.packets;
    packets.sort_unstable_by_key(|seen| seen.injected);
    assert_eq!(packets.iter().map(|seen| seen.destination).collect::<Vec<_>>(), destinations);
}

/// Two NICs of a router send to a third at one time, packet for packet: the older goes first,
/// whatever else moves by the flit.
#[test]
fn age_is_that_of_the_packet() {
    let topology = dragonfly(4, 4, 2, 9);
    let mut config = booksim2(Algorithm::Minimal, 4, 1, 256);
    config.router.arbiter = Arbiter::Age;
    let mut host = Script::new(topology.terminals());
    for number in 0..50 {
        host.queues[0].push_back((2 * number, 3, 4));
        host.queues[1].push_back((2 * number + 1, 3, 4));
    }
    let mut net = partition(config, topology, host);
    net.advance(Time::MAX);
    let mut packets = net.probe.packets;
    packets.sort_unstable_by_key(|seen| seen.delivered);
    let from_first = packets[..40].iter().filter(|seen| seen.source == 0).count();
    assert!((19..=21).contains(&from_first), "{from_first} of 40");
}

/// A stuck packet blocks its VC. With one injection VC nothing of its NIC gets past; with several,
/// others do.
#[test]
fn injection_vcs_let_packets_pass() {
    let topology = dragonfly(2, 4, 2, 9);
    let far = three_hops_away(&topology);
    let overtaken = |injection| {
        let mut config = booksim2(Algorithm::Minimal, 4, 2, 16);
        config.injection_vc = injection;
        // The far destination is held up by credits, the near one is free.
        let host = Greedy::new(4, [(0, vec![far, 1])]);
        let mut net = partition(config, topology.clone(), host);
        net.advance(5_000_000);
        let packets = &net.probe.packets;
        assert!(packets.iter().any(|seen| seen.destination == far));
        let injected: Vec<Time> =
            packets.iter().filter(|seen| seen.destination == 1).map(|seen| seen.injected).collect();
        let far_ones = packets.iter().filter(|seen| seen.destination == far).count();
        (injected.len(), far_ones)
    };
    let (near, far) = overtaken(InjectionVc::First);
    for injection in [InjectionVc::FirstFree, InjectionVc::Random] {
        let (near_too, far_too) = overtaken(injection);
        assert!(
            near_too >= near && far_too + 10 >= far,
            "{injection:?}: {near_too} {far_too} for {near} {far}"
        );
    }
}

/// A random arbiter is as fair as a round, without its regularity.
#[test]
fn a_random_arbiter_is_fair() {
    let topology = dragonfly(2, 4, 2, 9);
    let mut config = caminos(Algorithm::Minimal, 2_000);
    config.packet_bytes = 4;
    let mut host = Script::new(topology.terminals());
    for source in [0usize, 4] {
        host.queues[source].extend((0..4_000).map(|_| (0, 2, 4)));
    }
    let mut net = partition(config, topology, host);
    net.advance(8_000_000);
    let order: Vec<u32> = net.probe.packets.iter().map(|seen| seen.source).collect();
    assert!(order.len() > 1_900, "{}", order.len());
    let of_first = order.iter().filter(|source| **source == 0).count() as f64 / order.len() as f64;
    assert!((of_first - 0.5).abs() < 0.04, "{of_first}");
    let repeats =
        order.windows(2).filter(|pair| pair[0] == pair[1]).count() as f64 / order.len() as f64;
    assert!((0.3..0.7).contains(&repeats), "{repeats}");
}

/// Two flows share a local link on two VCs and part at the router behind it: one ends there, one
/// goes on to another group. A crowd holds one of them up for a while. When it is gone, no output
/// wants more than one of the two, so each gets half the link, though the other's packets are at
/// hand at every moment.
#[test]
fn an_input_that_is_always_busy_starves_none_of_its_channels() {
    let topology = dragonfly(4, 4, 2, 9);
    let gateway = |group, to| topology.global_links(group, to)[0].router;
    // From group 0 by way of the routers `first` and `last` to a group that `last` has a link to;
    // and from a group that `first` has a link to, to a NIC of `last`.
    let (outward, inward) = (1, (1..9).find(|&other| gateway(0, other) != gateway(0, 1)).unwrap());
    let (first, last) = (gateway(0, inward), gateway(0, outward));
    let [leaving, arriving, away, here] =
        [first, gateway(inward, 0), gateway(outward, 0), last].map(|router| 4 * router);
    for arbiter in [Arbiter::RoundRobin, Arbiter::Lru, Arbiter::Random, Arbiter::Islip] {
        for held_up in [away, here] {
            let mut config = kang(Algorithm::Minimal);
            config.router.arbiter = arbiter;
            if arbiter == Arbiter::Islip {
                config.router.crossbar_contention = CrossbarContention::PortAndVc;
            }
            let terminal = config.timing(LinkClass::Terminal).flit;
            cross_in(&mut config, terminal);
            let crowd = (here + 1..here + 4).map(|terminal| (terminal, vec![held_up]));
            let mut host =
                Greedy::new(512, crowd.chain([(leaving, vec![away]), (arriving, vec![here])]));
            host.until.extend((here + 1..here + 4).map(|terminal| (terminal, 100_000_000)));
            let mut net = partition(config, topology.clone(), host);
            net.advance(400_000_000);
            let flows = [leaving, arriving].map(|source| {
                net.probe
                    .packets
                    .iter()
                    .filter(|p| p.source == source && p.injected > 200_000_000)
                    .count()
            });
            let share = flows[0] as f64 / (flows[0] + flows[1]) as f64;
            assert!((share - 0.5).abs() < 0.05, "{arbiter:?}: {flows:?}");
        }
    }
}

/// What the fabric holds depends on the packets in flight, not on the packets so far.
#[test]
fn memory_does_not_grow_with_time() {
    for (config, _) in all_models(Algorithm::Minimal, 0).take(5) {
        let topology = dragonfly(2, 4, 2, 9);
        let host = Uniform::new(topology.terminals(), &config, 0.2, Time::MAX);
        let mut net = partition(config.clone(), topology, host);
        net.advance(60_000_000);
        let early = net.memory();
        net.advance(240_000_000);
        assert!(net.memory() < 2 * early, "{early} {} {:?}", net.memory(), config.router);
    }
}

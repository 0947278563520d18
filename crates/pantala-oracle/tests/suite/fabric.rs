//! The fabric against the oracle, packet by packet: the oracle carries the same packets on the
//! paths that the fabric chose.
//!
//! The fabric's times are exact in the default model, so the tests require equality to the
//! picosecond at any load. A separate test measures the model's one simplification: late flits pass
//! (see `LateFlits`).

use crate::common::fabric::{CarriedPacket, carry};
use crate::common::{dragonfly, dragonfly_of, latencies, packet, run, uniform};
use pantala_engine::Stream;
use pantala_oracle::{LateFlits, LinkTimes, OracleConfig, OraclePacket, zero_load_latency};
use pantala_routing::Algorithm;
use pantala_topology::{GroupSpec, LocalOrder, Topology};
use proptest::prelude::*;

/// Runs the packets through the fabric and gives them the routes that they took.
fn carry_and_trace(
    topology: &Topology,
    config: &OracleConfig,
    algorithm: Algorithm,
    packets: &mut [OraclePacket],
) -> Vec<CarriedPacket> {
    let carried = carry(topology, config, algorithm, packets);
    for (packet, carried) in packets.iter_mut().zip(&carried) {
        packet.route.clone_from(&carried.route);
    }
    carried
}

/// Algorithms whose routes follow from a packet's intermediate: they decide once, and the VC does
/// not depend on hops.
fn carried() -> Vec<Algorithm> {
    let follows = |algorithm: &Algorithm| {
        let it = algorithm.descriptor();
        !it.progressive && !it.per_hop_adaptive && !it.vc_map.by_hop
    };
    Algorithm::ALL.into_iter().filter(follows).collect()
}

/// Asserts that fabric and oracle agree on every packet.
fn assert_equal(
    topology: &Topology,
    config: &OracleConfig,
    algorithm: Algorithm,
    mut packets: Vec<OraclePacket>,
) {
    let carried = carry_and_trace(topology, config, algorithm, &mut packets);
    let deliveries = run(topology, config, &packets).deliveries;
    let differs = |&i: &usize| {
        (carried[i].injected, carried[i].delivered)
            != (deliveries[i].injected, deliveries[i].delivered)
    };
    let different: Vec<usize> = (0..packets.len()).filter(differs).collect();
    if let Some(&first) = different.iter().min_by_key(|&&i| deliveries[i].delivered) {
        panic!(
            "{}: {} of {} packets differ, first {:?}: fabric {:?}, oracle {:?}",
            algorithm.name(),
            different.len(),
            packets.len(),
            packets[first],
            (carried[first].injected, carried[first].delivered),
            deliveries[first],
        );
    }
}

fn kang() -> OracleConfig {
    OracleConfig { virtual_channels: 4, ..OracleConfig::kang() }
}

/// Every algorithm under uniform random traffic of packets of one to four flits.
fn uniform_agrees(config: &OracleConfig, load: f64) {
    let topology = dragonfly(2, 4, 2, 9);
    for algorithm in carried() {
        let mut packets = uniform(&topology, config, load, 4, 70, 5);
        for (i, packet) in packets.iter_mut().enumerate() {
            packet.flits = 1 + (i as u32 * 5) % 4;
        }
        assert_equal(&topology, config, algorithm, packets);
    }
}

/// Groups of two dimensions, with rows and columns of different speeds.
#[test]
fn a_network_of_grids() {
    let group =
        GroupSpec::Grid { rows: 2, columns: 3, links_per_row_pair: 1, links_per_column_pair: 1 };
    let topology = dragonfly_of(2, group, 1, 7);
    let mut config = OracleConfig { virtual_channels: 4, ..OracleConfig::kang() };
    config.row = LinkTimes { flit_time: 7_000, latency: 21_000 };
    config.column = LinkTimes { flit_time: 4_100, latency: 43_000 };
    for (load, algorithm) in [0.2, 0.6]
        .into_iter()
        .flat_map(|load| carried().into_iter().map(move |algorithm| (load, algorithm)))
    {
        let packets = uniform(&topology, &config, load, 4, 60, 9);
        assert_equal(&topology, &config, algorithm, packets);
    }
}

/// Groups that lack links, in one and in two dimensions: packets take detours inside them.
#[test]
fn a_network_with_failed_links() {
    let group =
        GroupSpec::Grid { rows: 2, columns: 3, links_per_row_pair: 1, links_per_column_pair: 1 };
    for (whole, failed) in [
        (dragonfly(2, 4, 2, 9), [(0, 1), (7, 5), (30, 31)]),
        (dragonfly_of(2, group, 1, 7), [(0, 2), (10, 7), (18, 21)]),
    ] {
        let port = |&(from, to)| (from, whole.local_step(from, to, LocalOrder::RowFirst).first());
        let failed: Vec<(u32, u16)> = failed.iter().map(port).collect();
        let topology = whole.clone().without(&failed).expect("links that there are");
        assert!(topology.has_local_detours());
        for algorithm in carried() {
            let packets = uniform(&topology, &kang(), 0.7, 4, 40, 9);
            assert_equal(&topology, &kang(), algorithm, packets);
        }
    }
}

#[test]
fn a_lightly_loaded_network() {
    uniform_agrees(&kang(), 0.2);
}

#[test]
fn a_saturated_network() {
    uniform_agrees(&kang(), 1.0);
}

#[test]
fn a_network_with_little_room() {
    let config = OracleConfig { input_buffer_flits: 16, output_buffer_flits: 8, ..kang() };
    uniform_agrees(&config, 0.6);
}

#[test]
fn a_network_with_unlimited_output_buffers() {
    let config = OracleConfig { output_buffer_flits: 0, input_buffer_flits: 40, ..kang() };
    uniform_agrees(&config, 0.6);
}

#[test]
fn a_network_of_unequal_links() {
    let link = |flit_time, latency| LinkTimes { flit_time, latency };
    let config = OracleConfig {
        terminal: link(10_240, 10_000),
        local: link(2_560, 30_000),
        global: link(4_096, 300_000),
        ..kang()
    };
    uniform_agrees(&config, 0.9);
}

#[test]
fn a_crossbar_slower_than_the_links() {
    let config = OracleConfig { crossbar_flit_time: 6_000, ..kang() };
    uniform_agrees(&config, 0.5);
}

#[test]
fn adversarial_traffic() {
    // Every NIC sends to its counterpart in the next group. One global link carries all minimal
    // traffic of a group.
    let topology = dragonfly(2, 4, 2, 9);
    let config = kang();
    for algorithm in carried() {
        let mut packets = uniform(&topology, &config, 0.3, 4, 70, 6);
        for sent in &mut packets {
            sent.destination = (sent.source + 8) % 72;
        }
        assert_equal(&topology, &config, algorithm, packets);
    }
}

#[test]
fn many_to_one() {
    let topology = dragonfly(2, 4, 2, 9);
    let config = kang();
    for algorithm in carried() {
        let mut packets = uniform(&topology, &config, 0.05, 4, 100, 7);
        packets.retain(|sent| sent.source != 33);
        for sent in &mut packets {
            sent.destination = 33;
        }
        assert_equal(&topology, &config, algorithm, packets);
    }
}

#[test]
fn the_price_of_letting_late_flits_pass() {
    // Against routers that never carry two flits at once, at 0.8 of the terminal bandwidth
    // (minimal) and 0.35 (Valiant); both are about 0.8 of saturation. The mean is within 3 %, the
    // 99th percentile within 6 %.
    let topology = dragonfly(2, 4, 2, 9);
    let slow_terminals =
        OracleConfig { terminal: LinkTimes { flit_time: 10_240, latency: 10_000 }, ..kang() };
    for config in [kang(), slow_terminals] {
        for (algorithm, load) in [(Algorithm::Minimal, 0.8), (Algorithm::ValiantNode, 0.35)] {
            let mut packets = uniform(&topology, &config, load, 4, 150, 8);
            let carried = carry_and_trace(&topology, &config, algorithm, &mut packets);
            let fabric = (packets.iter().zip(&carried))
                .map(|(packet, carried)| carried.delivered - packet.created)
                .collect();
            let queue = OracleConfig { late_flits: LateFlits::Queue, ..config.clone() };
            let oracle = latencies(&packets, &run(&topology, &queue, &packets));
            let (fabric, oracle) = (mean_and_p99(fabric), mean_and_p99(oracle));
            assert!((fabric.0 / oracle.0 - 1.0).abs() < 0.03, "{fabric:?} {oracle:?}");
            assert!((fabric.1 / oracle.1 - 1.0).abs() < 0.06, "{fabric:?} {oracle:?}");
        }
    }
}

fn mean_and_p99(mut latencies: Vec<u64>) -> (f64, f64) {
    latencies.sort_unstable();
    let sum: u64 = latencies.iter().sum();
    let p99 = latencies[latencies.len() * 99 / 100];
    (sum as f64 / latencies.len() as f64, p99 as f64)
}

fn any_link(unit: u64) -> impl Strategy<Value = LinkTimes> {
    (1..=4u64, 1..=9u64).prop_map(move |(flit_time, latency)| LinkTimes {
        flit_time: flit_time * unit,
        latency: latency * unit,
    })
}

/// Times are small multiples of `unit`, so that many events coincide. Buffers hold one or two
/// packets.
fn any_config(unit: u64) -> impl Strategy<Value = OracleConfig> {
    let links = [any_link(unit), any_link(unit), any_link(unit), any_link(unit), any_link(unit)];
    let router = (0..=3u64, 0..=3u64, 1..=4u64);
    let buffers = (4..=9u32, prop_oneof![Just(0), 4..=9u32]);
    (links, router, buffers).prop_map(move |(links, router, buffers)| OracleConfig {
        terminal: links[0],
        local: links[1],
        row: links[2],
        column: links[3],
        global: links[4],
        input_latency: router.0 * unit,
        output_latency: router.1 * unit,
        crossbar_flit_time: router.2 * unit,
        virtual_channels: 4,
        input_buffer_flits: buffers.0,
        output_buffer_flits: buffers.1,
        late_flits: LateFlits::Pass,
    })
}

/// `count` packets with random ends, lengths and times.
fn any_packets(topology: &Topology, count: u32, span: u32, seed: u64) -> Vec<OraclePacket> {
    let mut stream = Stream::new(seed, 0, 0);
    (0..count)
        .map(|_| {
            let source = stream.below(topology.terminals());
            let other = stream.below(topology.terminals() - 1);
            let destination = other + u32::from(other >= source);
            packet(topology, source, destination, stream.below(span).into(), 1 + stream.below(4))
        })
        .collect()
}

proptest! {
    #![proptest_config(pantala_testing::cases(256))]

    #[test]
    fn any_network_any_traffic(
        config in any_config(1_000),
        algorithm in prop::sample::select(carried()),
        shape in prop_oneof![Just((2, 2, 1, 3)), Just((1, 3, 1, 4)), Just((3, 2, 2, 5)), Just((3, 4, 0, 1))],
        seed in any::<u64>(),
    ) {
        let topology = dragonfly(shape.0, shape.1, shape.2, shape.3);
        let packets = any_packets(&topology, 150, 200_000, seed);
        assert_equal(&topology, &config, algorithm, packets);
    }

    #[test]
    fn packets_that_never_meet_take_the_time_of_the_closed_form(
        config in any_config(997),
        algorithm in prop::sample::select(carried()),
        seed in any::<u64>(),
    ) {
        let topology = dragonfly(2, 4, 2, 9);
        let mut packets = any_packets(&topology, 20, 1, seed);
        for (i, sent) in packets.iter_mut().enumerate() {
            sent.created = i as u64 * 1_000_000;
        }
        let carried = carry_and_trace(&topology, &config, algorithm, &mut packets);
        for (sent, carried) in packets.iter().zip(&carried) {
            prop_assert_eq!(carried.injected, sent.created);
            prop_assert_eq!(carried.delivered - sent.created, zero_load_latency(&topology, &config, sent));
        }
    }
}

//! Zero-load latencies equal the closed form to the picosecond, for every routing and hop count.

use crate::support::*;
use pantala_engine::Time;
use pantala_fabric::FabricConfig;
use pantala_fabric::config::{CrossbarContention, CrossbarDelay, FlowControl, LinkTiming};
use pantala_routing::Algorithm;
use pantala_topology::LinkClass;

/// T = sum over links (latency + t) + R (t_in + t_xbar + t_out) + (S - 1) max t, for l local and g
/// global hops.
fn closed_form(config: &FabricConfig, local: u64, global: u64, flits: u64) -> Time {
    let router = &config.router;
    let mut slowest = config.timing(LinkClass::Terminal).flit.max(config.crossbar_flit());
    let mut time =
        2 * (config.timing(LinkClass::Terminal).latency + config.timing(LinkClass::Terminal).flit);
    for (hops, link) in
        [(local, config.timing(LinkClass::Local)), (global, config.timing(LinkClass::Global))]
    {
        time += hops * (link.latency + link.flit);
        if hops > 0 {
            slowest = slowest.max(link.flit);
        }
    }
    let routers = local + global + 1;
    time + routers * (router.input_latency + config.crossbar_flit() + router.output_latency)
        + (flits - 1) * slowest
}

fn send_one(config: &FabricConfig, source: u32, destination: u32, bytes: u32) -> Seen {
    let topology = dragonfly(2, 4, 2, 9);
    let mut host = Script::new(topology.terminals());
    host.queues[source as usize].push_back((1_000, destination, bytes));
    let mut net = partition(config.clone(), topology, host);
    net.advance(Time::MAX);
    assert!(net.audit().balanced());
    assert_eq!(net.probe.packets.len(), 1);
    net.probe.packets[0]
}

fn configurations(algorithm: Algorithm) -> Vec<FabricConfig> {
    let base = kang(algorithm);
    let mut slow_global = base.clone();
    slow_global.links[LinkClass::Global as usize] = LinkTiming::new(128, 4_690_000_000, 300_000);
    let mut slow_local = base.clone();
    slow_local.links[LinkClass::Local as usize] = LinkTiming::new(128, 5_250_000_000, 77_777);
    slow_local.links[LinkClass::Terminal as usize] = LinkTiming::new(128, 16_000_000_000, 1_234);
    let mut slow_crossbar = base.clone();
    cross_in(&mut slow_crossbar, 9_999);
    let mut big = base.clone();
    big.packet_bytes = 4_096;
    let whole = vec![base, slow_global, slow_local, slow_crossbar, big];
    let mut by_flits = if algorithm == Algorithm::QAdaptive { Vec::new() } else { whole.clone() };
    for config in &mut by_flits {
        config.router.flow_control = FlowControl::Wormhole;
        config.router.crossbar_contention = CrossbarContention::PortAndVc;
    }
    [whole, by_flits].concat()
}

#[test]
fn every_path_of_every_routing() {
    for algorithm in Algorithm::ALL {
        for mut config in configurations(algorithm) {
            for seed in 0..3 {
                config.seed = seed;
                for (source, destination) in
                    [(0, 1), (0, 3), (0, 8), (0, 70), (5, 40), (17, 66), (71, 0)]
                {
                    for bytes in [1, 128, 300, config.packet_bytes] {
                        let seen = send_one(&config, source, destination, bytes);
                        let topology = dragonfly(2, 4, 2, 9);
                        let global = match (
                            topology.group_of_terminal(source)
                                != topology.group_of_terminal(destination),
                            seen.nonminimal,
                        ) {
                            (false, _) => 0,
                            (true, false) => 1,
                            (true, true) => 2,
                        };
                        let local = u64::from(seen.hops) - global;
                        let expected =
                            closed_form(&config, local, global, u64::from(config.flits(bytes)));
                        assert_eq!(
                            seen.delivered - seen.created,
                            expected,
                            "{algorithm:?} {source} -> {destination} {bytes} B: {seen:?}"
                        );
                        assert!(seen.hops <= algorithm.max_hops(1));
                    }
                }
            }
        }
    }
}

/// The design's figure: 506.08 ns for local-global-local with Kang et al.'s numbers.
#[test]
fn kang_local_global_local() {
    let config = kang(Algorithm::Minimal);
    assert_eq!(closed_form(&config, 2, 1, 4), 506_080);
    let hops: Vec<_> =
        (8..72).map(|d| send_one(&config, 0, d, 512)).filter(|s| s.hops == 3).collect();
    assert!(!hops.is_empty());
    for seen in hops {
        assert_eq!(seen.delivered - seen.created, 506_080);
    }
}

/// SST's pipeline: 490.72 ns less what the crossbar's clock saves, no serialisation.
#[test]
fn sst_local_global_local() {
    let config = sst(Algorithm::Minimal);
    for destination in 8..72 {
        let seen = send_one(&config, 0, destination, 512);
        if seen.hops == 3 {
            let latency = seen.delivered - seen.created;
            assert!((490_720 - 4 * 1_280..=490_720).contains(&latency), "{latency}");
        }
    }
}

/// Store and forward: T = sum over links (latency + S t) + R router delays, for the router of
/// CODES.
#[test]
fn store_and_forward() {
    for algorithm in
        [Algorithm::Minimal, Algorithm::ValiantGroup, Algorithm::CodesAdp, Algorithm::CodesPadp]
    {
        let mut config = codes(algorithm);
        config.links[LinkClass::Terminal as usize] = LinkTiming::new(128, 16_000_000_000, 1_234);
        config.links[LinkClass::Global as usize] = LinkTiming::new(128, 4_690_000_000, 300_000);
        let link = |class| config.timing(class);
        for (source, destination) in [(0, 1), (0, 3), (0, 8), (0, 70), (5, 40), (17, 66)] {
            for bytes in [1, 128, 300, 512] {
                let seen = send_one(&config, source, destination, bytes);
                let flits = u64::from(config.flits(bytes));
                let global = match (source / 8 != destination / 8, seen.nonminimal) {
                    (false, _) => 0,
                    (true, false) => 1,
                    (true, true) => 2,
                };
                let local = u64::from(seen.hops) - global;
                let classes = [
                    (2, LinkClass::Terminal),
                    (local, LinkClass::Local),
                    (global, LinkClass::Global),
                ];
                let on_links: Time = classes
                    .map(|(hops, class)| hops * (link(class).latency + flits * link(class).flit))
                    .iter()
                    .sum();
                let routers = u64::from(seen.hops) + 1;
                assert_eq!(
                    seen.delivered - seen.created,
                    on_links + routers * config.router.output_latency,
                    "{algorithm:?} {source} -> {destination} {bytes} B: {seen:?}"
                );
            }
        }
    }
}

/// Store and forward through a crossbar adds a serialisation there, too, unless a grant moves the
/// packet at once.
#[test]
fn store_and_forward_through_a_crossbar() {
    let mut config = kang(Algorithm::Minimal);
    config.router.flow_control = FlowControl::StoreAndForward;
    let (flits, router) = (4, config.router.clone());
    for delays in [true, false] {
        config.router.crossbar_delay =
            if delays { CrossbarDelay::Flit } else { CrossbarDelay::None };
        let seen = send_one(&config, 0, 2, 512); // one local hop: two routers
        let links = [LinkClass::Terminal, LinkClass::Local, LinkClass::Terminal]
            .map(|class| config.timing(class));
        let on_links: Time = links.iter().map(|link| link.latency + flits * link.flit).sum();
        let crossbar = if delays { flits * config.crossbar_flit() } else { 0 };
        let inside = 2 * (router.input_latency + router.output_latency + crossbar);
        assert_eq!(seen.delivered - seen.created, on_links + inside);
    }
}

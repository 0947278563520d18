//! Several routings in one network: jobs and traffic classes that are routed each in its own way,
//! side by side.

use crate::support::*;
use pantala_engine::Time;
use pantala_fabric::FabricConfig;
use pantala_fabric::config::InjectionVc;
use pantala_routing::{Algorithm, RoutingConfig};
use pantala_topology::{GroupSpec, Topology};
use proptest::prelude::*;

/// `base` with these algorithms as its table, and two jobs whose two classes use them as `uses`
/// says.
fn mixed(mut config: FabricConfig, algorithms: &[Algorithm], uses: [usize; 4]) -> FabricConfig {
    config.jobs = 2;
    config.routings = algorithms.iter().map(|algorithm| RoutingConfig::new(*algorithm)).collect();
    config.routing_of = uses.map(|place| (place % algorithms.len()) as u8).to_vec();
    config.virtual_channels =
        config.routings.iter().map(RoutingConfig::virtual_channels).max().unwrap();
    config
}

fn machines() -> impl Strategy<Value = Topology> {
    let mesh = (1u32..5, 1u32..3)
        .prop_map(|(routers, links_per_pair)| GroupSpec::FullMesh { routers, links_per_pair });
    let grid = (2u32..3, 2u32..4).prop_map(|(rows, columns)| GroupSpec::Grid {
        rows,
        columns,
        links_per_row_pair: 1,
        links_per_column_pair: 2,
    });
    (1u32..4, prop_oneof![2 => mesh, 1 => grid], 1u32..4)
        .prop_flat_map(|(p, group, h)| {
            (Just(p), Just(group), Just(h), 2..=(group.routers() * h + 1))
        })
        .prop_map(|(p, group, h, g)| Topology::dragonfly(&spec(p, group, h, g)).unwrap())
}

proptest! {
    #![proptest_config(pantala_testing::cases(256))]
    /// Whatever two or three routings share buffers of one to three packets, with or without
    /// responses: everything arrives, and each packet on a path that its own routing allows.
    #[test]
    fn mixed_routings_lose_nothing(
        topology in machines(), table in prop::collection::vec(0..Algorithm::COUNT, 2..4), uses: [usize; 4], model in 0usize..5,
        load in 0.2f64..1.0, seed: u64, packets in 1u32..4, responses in 0u32..3, injection in 0usize..3,
    ) {
        let algorithms: Vec<Algorithm> = table.into_iter().map(|place| Algorithm::ALL[place]).collect();
        prop_assume!(topology.terminals() > 1);
        prop_assume!(!topology.is_2d() || algorithms.iter().all(|algorithm| algorithm.carries_2d()));
        // Who learns, learns from packets, so that flits do not move one by one.
        let learns = algorithms.contains(&Algorithm::QAdaptive);
        let any = if learns { Algorithm::QAdaptive } else { Algorithm::Minimal };
        let bases = [kang(any), sst(any), codes(any), booksim2(any, 4, 2, 12), caminos(any, 2_000)];
        let mut config = mixed(bases[model].clone(), &algorithms, uses);
        config.seed = seed;
        config.router.input_buffer = 4 * packets;
        if config.router.output_buffer > 0 {
            config.router.output_buffer = 4 * packets;
        }
        config.injection_vc = [InjectionVc::First, InjectionVc::FirstFree, InjectionVc::Random][injection];
        if responses > 0 {
            config.respond(config.packet_bytes / (4 * responses) + 1);
        }
        let diameter = if topology.is_2d() { 2 } else { 1 };
        let host = Uniform::new(topology.terminals(), &config, load, 2_000_000);
        let mut net = partition(config, topology, host);
        net.advance(2_000_000);
        prop_assert!(net.audit().balanced(), "loaded: {}", net.audit());
        net.advance(Time::MAX);
        prop_assert!(net.audit().balanced(), "drained: {}", net.audit());
        prop_assert_eq!((net.packets_in_flight(), net.responses_waiting()), (0, 0), "{}", net.diagnose());
        let all = || net.probe.packets.iter().chain(&net.probe.responses);
        prop_assert_eq!(all().count() as u64, net.totals().packets_injected);
        for seen in all() {
            let algorithm = algorithms[usize::from(seen.routing) % algorithms.len()];
            prop_assert!(seen.hops <= algorithm.max_hops(diameter), "{:?} {:?}", algorithm, seen);
            prop_assert!(!seen.nonminimal || algorithm != Algorithm::Minimal);
        }
    }
}

/// Each job and class goes its own way, and the order within a phase does not matter.
#[test]
fn each_goes_its_own_way() {
    let algorithms = [Algorithm::Minimal, Algorithm::ValiantNode, Algorithm::Aries];
    for base in [kang(Algorithm::Minimal), sst(Algorithm::Minimal)] {
        let run = |scramble: Option<u64>| {
            let mut config = mixed(base.clone(), &algorithms, [0, 1, 2, 0]);
            config.router.input_buffer = 12;
            config.router.output_buffer = 12;
            config.respond(128);
            let topology = dragonfly(2, 4, 2, 9);
            let host = Uniform::new(topology.terminals(), &config, 0.6, 4_000_000);
            let mut net = partition(config, topology, host);
            if let Some(seed) = scramble {
                net.scramble(seed);
            }
            net.advance(Time::MAX);
            let mut seen = net.probe.packets;
            seen.append(&mut net.probe.responses);
            seen.sort_unstable_by_key(|s| (s.delivered, s.destination, s.source));
            seen
        };
        let seen = run(None);
        let share = |routing: u8| {
            let of =
                seen.iter().filter(|s| s.routing == routing && s.source / 8 != s.destination / 8);
            let (all, diverted) =
                of.fold((0, 0), |(all, diverted), s| (all + 1, diverted + u32::from(s.nonminimal)));
            assert!(all > 500, "{all} of routing {routing}");
            f64::from(diverted) / f64::from(all)
        };
        // Requests by table, responses after them in the same order.
        assert_eq!([share(0), share(1), share(3), share(4)], [0.0, 1.0, 0.0, 1.0]);
        assert!(share(2) > 0.01 && share(2) < 0.9, "{}", share(2));
        for scramble in 0..3 {
            assert!(seen == run(Some(scramble)), "the order within a phase matters");
        }
    }
}

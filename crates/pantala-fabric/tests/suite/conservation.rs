//! Property tests on random small dragonflies: every packet is delivered exactly once, in hop
//! bounds, and no credit is lost.

use crate::choices::{choices, configuration, machines};
use crate::support::*;
use pantala_engine::Time;
use pantala_fabric::{Partition, Totals};
use pantala_routing::Algorithm;
use proptest::prelude::*;

proptest! {
    #![proptest_config(pantala_testing::cases(256))]
    #[test]
    fn nothing_is_lost(
        topology in machines(), algorithm in 0..Algorithm::COUNT, load in 0.05f64..1.0, seed: u64, choices in choices(),
        quiet in 1_000_000u64..3_000_000, responses in 0u32..4,
    ) {
        let algorithm = Algorithm::ALL[algorithm];
        prop_assume!(topology.terminals() > 1 && (algorithm.carries_2d() || !topology.is_2d()));
        let diameter = if topology.is_2d() { 2 } else { 1 };
        let mut config = configuration(algorithm, seed, &choices);
        if let Some(&bytes) = [64, 256, 512].get(responses as usize) {
            config.respond(bytes);
        }
        let answers = config.responses.is_some();
        let mut host = Uniform::new(topology.terminals(), &config, load, quiet);
        host.shortest = if choices.short { 1 } else { host.bytes };
        let mut net = partition(config, topology, host);
        // The counts balance at any moment, not only at the end.
        net.advance(quiet / 2);
        prop_assert!(net.audit().balanced(), "half way: {}", net.audit());
        net.advance(quiet);
        prop_assert!(net.audit().balanced(), "loaded: {}", net.audit());
        net.advance(Time::MAX);
        prop_assert!(net.audit().balanced(), "drained: {}", net.audit());
        prop_assert_eq!((net.packets_in_flight(), net.responses_waiting()), (0, 0), "{}", net.diagnose());
        let Log { packets, responses } = &net.probe;
        prop_assert_eq!((packets.len() + responses.len()) as u64, net.totals().packets_injected);
        prop_assert_eq!(responses.len(), if answers { packets.len() } else { 0 });
        for seen in packets.iter().chain(responses) {
            prop_assert!(seen.hops <= algorithm.max_hops(diameter));
            prop_assert!(seen.created <= seen.injected && seen.injected < seen.delivered);
        }
        // One flow's packets of one source leave in order of creation: no packet twice.
        let mut keys: Vec<_> = net.probe.packets.iter().map(|s| (s.source, s.created)).collect();
        keys.sort_unstable();
        let before = keys.len();
        keys.dedup();
        prop_assert_eq!(keys.len(), before);
    }

    #[test]
    fn the_same_seed_gives_the_same_run_in_any_number_of_blocks(
        topology in machines(), algorithm in 0..Algorithm::COUNT, seed: u64, choices in choices(), blocks in 2u32..20,
    ) {
        prop_assume!(topology.terminals() > 1 && (Algorithm::ALL[algorithm].carries_2d() || !topology.is_2d()));
        let run = |seed, step: Time, blocks| {
            let mut config = configuration(Algorithm::ALL[algorithm], seed, &choices);
            config.blocks = blocks;
            let topology = topology.clone();
            let host = Uniform::new(topology.terminals(), &config, 0.6, 500_000);
            let mut net: Partition<_, Log> = partition(config, topology, host);
            let mut until = 0;
            while net.next_time() != Time::MAX {
                until += step;
                net.advance(until);
            }
            let mut packets = net.probe.packets;
            packets.sort_unstable_by_key(|seen| (seen.delivered, seen.destination));
            packets
        };
        let one = run(seed, 1_000_000_000, 1);
        prop_assert_eq!(&one, &run(seed, 777, 1));
        prop_assert_eq!(&one, &run(seed, 1_000_000_000, blocks), "in blocks");
        if one.len() > 20 {
            prop_assert_ne!(&one, &run(seed.wrapping_add(1), 1_000_000_000, 1));
        }
    }
}

/// With one VC for everything and tiny buffers a Dragonfly deadlocks; the diagnosis shows the
/// cycle.
#[test]
fn too_few_virtual_channels_deadlock_and_are_diagnosed() {
    let mut config = kang(Algorithm::ValiantNode);
    config.router.output_buffer = 4;
    let net = deadlocked(config);
    let diagnosis = net.diagnose();
    assert!(diagnosis.cycle && diagnosis.waits.len() > 1, "{diagnosis}");
    let text = diagnosis.to_string();
    assert!(text.contains("a cycle of") && text.contains("waits for port"), "{text}");
}

/// Events of equal time and phase commute: drawing their order changes nothing, nor does passing
/// time block by block.
#[test]
fn the_order_within_a_phase_does_not_matter() {
    for algorithm in Algorithm::ALL {
        for (base, quiet) in pantala_testing::sample(all_models(algorithm, 1_200_000)) {
            let run = |scramble: Option<u64>, blocks| {
                let mut config = base.clone();
                config.blocks = blocks;
                config.router.input_buffer = 12;
                config.router.output_buffer = 8;
                let topology = dragonfly(3, 4, 3, 13);
                let host = Uniform::new(topology.terminals(), &config, 0.8, quiet);
                let mut net = partition(config, topology, host);
                if let Some(seed) = scramble {
                    net.scramble(seed);
                }
                net.advance(Time::MAX);
                // How many events that takes is another matter.
                let totals = Totals { events: 0, ..net.totals() };
                let mut packets = net.probe.packets;
                packets.append(&mut net.probe.responses);
                packets.sort_unstable_by_key(|s| (s.delivered, s.destination));
                (packets, totals)
            };
            let ordered = run(None, 1);
            for (seed, blocks) in [(0, 1), (1, 2), (2, 13)] {
                let drawn = run(Some(seed), blocks);
                let differs = ordered.0.iter().zip(&drawn.0).find(|(a, b)| a != b);
                assert!(differs.is_none(), "{algorithm:?}: {differs:?}");
                assert_eq!(ordered.1, drawn.1, "{algorithm:?}");
            }
        }
    }
}

/// Routers so wide that their sets of input VCs and of ports take more than one word.
#[test]
fn wide_routers_lose_nothing_and_do_not_depend_on_order() {
    for (p, a, h, g) in [(20, 6, 6, 4), (60, 3, 3, 3)] {
        for base in pantala_testing::sample([
            kang(Algorithm::UgalN),
            sst(Algorithm::ValiantNode),
            codes(Algorithm::CodesPadp),
            booksim2(Algorithm::UgalN, 4, 1, 16),
            caminos(Algorithm::ValiantNode, 2_000),
        ]) {
            let run = |scramble: Option<u64>| {
                let mut config = base.clone();
                config.router.input_buffer = 16;
                config.router.output_buffer = 12;
                let topology = dragonfly(p, a, h, g);
                let host = Uniform::new(topology.terminals(), &config, 0.7, 1_000_000);
                let mut net = partition(config, topology, host);
                if let Some(seed) = scramble {
                    net.scramble(seed);
                }
                net.advance(Time::MAX);
                assert!(net.audit().balanced(), "{}", net.audit());
                assert_eq!(net.packets_in_flight(), 0, "{}", net.diagnose());
                let totals = net.totals();
                let mut packets = net.probe.packets;
                packets.sort_unstable_by_key(|s| (s.delivered, s.destination));
                (packets, totals)
            };
            let ordered = run(None);
            assert!(ordered.0.len() > 1_000);
            assert!(
                ordered == run(Some(7)),
                "{p} nodes a router: the order within a phase matters"
            );
        }
    }
}

//! Networks that lack links: a routing refuses them with a reason, or its channel-dependency graph
//! has a cycle, or every packet arrives over links that exist.

use crate::choices::{choices, configuration, damaged, machines};
use crate::partitions::run;
use crate::support::*;
use pantala_engine::{Stream, Time};
use pantala_fabric::FabricConfig;
use pantala_routing::dependencies::{Dependencies, ascends};
use pantala_routing::{Algorithm, Gateways, Information, MAX_VIRTUAL_CHANNELS, VcMapName};
use pantala_topology::{GroupSpec, LinkClass, Peer, Topology};
use proptest::prelude::*;
use std::sync::Arc;

/// The configuration with the VC map that this network needs; `None` if the routing refuses the
/// network, or if packets could deadlock.
fn fitted(mut config: FabricConfig, map: VcMapName, topology: &Topology) -> Option<FabricConfig> {
    let routing = &mut config.routings[0];
    if let Some(refusal) = routing.algorithm.refusal(map, topology) {
        assert!(!refusal.message.is_empty() && !refusal.message.contains('\n'));
        return None;
    }
    routing.vc_map = routing.algorithm.vc_map_for(map, topology.local_diameter() as u8)?;
    config.virtual_channels = routing.virtual_channels();
    let proven = ascends(&config.channel_use(), topology)
        || Dependencies::of(&config.channel_use(), topology).cycle().is_none();
    (config.virtual_channels <= MAX_VIRTUAL_CHANNELS && proven).then_some(config)
}

proptest! {
    #![proptest_config(pantala_testing::cases(256))]

    #[test]
    fn every_packet_arrives_over_the_links_that_remain(
        whole in machines(), algorithm in 0..Algorithm::COUNT, by_hop: bool, load in 0.05f64..1.0, share in 0.0..0.4f64, seed: u64,
        choices in choices(), quiet in 1_000_000u64..2_000_000,
    ) {
        prop_assume!(whole.terminals() > 1);
        let topology = damaged(whole, share, seed);
        let algorithm = Algorithm::ALL[algorithm];
        let map = if by_hop { VcMapName::ByHop } else { VcMapName::Ascending };
        let config = fitted(configuration(algorithm, seed, &choices), map, &topology);
        prop_assume!(config.is_some());
        let config = config.unwrap();
        let host = Uniform::new(topology.terminals(), &config, load, quiet);
        let mut net = partition(config, topology.clone(), host);
        net.advance(Time::MAX);
        prop_assert!(net.audit().balanced(), "{}", net.audit());
        prop_assert_eq!(net.packets_in_flight(), 0, "{}", net.diagnose());
        prop_assert_eq!(net.probe.packets.len() as u64, net.totals().packets_injected);
        let most = algorithm.max_hops(topology.local_diameter() as u8);
        prop_assert!(net.probe.packets.iter().all(|packet| packet.hops <= most));
        for router in 0..topology.routers() {
            for port in 0..topology.ports_per_router() as u16 {
                if topology.peer(router, port) == Peer::Unconnected {
                    prop_assert_eq!(net.link_counters(router, port).bytes, 0);
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(pantala_testing::cases(32))]

    #[test]
    fn partitions_change_nothing(
        whole in machines(), algorithm in 0..Algorithm::COUNT, share in 0.0..0.3f64, seed: u64, choices in choices(),
        count in 2u32..16, blocks in 0u32..4,
    ) {
        let algorithm = Algorithm::ALL[algorithm];
        prop_assume!(whole.terminals() > 1 && algorithm.information() != Information::GroupQueues);
        let topology = Arc::new(damaged(whole, share, seed));
        let config = configuration(algorithm, seed, &choices);
        let config = fitted(config, VcMapName::Ascending, &topology);
        prop_assume!(config.is_some());
        let mut config = config.unwrap();
        let all = run(&config, &topology, 1, 150_000, None);
        config.blocks = blocks;
        prop_assert!(all == run(&config, &topology, count, 150_000, None));
    }
}

/// One group of five routers whose remaining links form a ring.
fn ring() -> Topology {
    let group = GroupSpec::FullMesh { routers: 5, links_per_pair: 1 };
    let whole = Topology::dragonfly(&spec(1, group, 1, 1)).unwrap();
    let chord = |l: &pantala_topology::Link| (l.source_router + 2) % 5 == l.target_router;
    let chords: Vec<(u32, u16)> =
        whole.links().filter(chord).map(|l| (l.source_router, l.source_port)).collect();
    whole.without(&chords).unwrap()
}

/// Two links around a ring, on one VC, are the textbook's cycle; a VC per hop opens it.
#[test]
fn a_ring_inside_a_group_is_found() {
    let topology = ring();
    assert_eq!(topology.local_diameter(), 2);
    for algorithm in [Algorithm::Minimal, Algorithm::UgalG, Algorithm::Par] {
        let config = kang(algorithm);
        assert!(!ascends(&config.channel_use(), &topology));
        let cycle = Dependencies::of(&config.channel_use(), &topology).cycle().unwrap();
        assert_eq!(cycle.len(), 5, "{algorithm:?}: {cycle:?}");
        assert!(cycle.iter().all(|channel| channel.class(&topology) == LinkClass::Local.name()));
        assert_eq!(fitted(config.clone(), VcMapName::Ascending, &topology).map(|_| ()), None);
        let by_hop = fitted(config, VcMapName::ByHop, &topology).unwrap();
        assert!(ascends(&by_hop.channel_use(), &topology));
    }
}

/// Routings that draw the next link anew at every router serve detours with a VC per hop only.
#[test]
fn refusals_name_what_is_cut() {
    let whole = dragonfly(2, 4, 2, 9);
    let local = whole.first_local_port();
    let detour = whole.clone().without(&[(5, local)]).unwrap();
    let link = whole.global_links(2, 6)[0];
    let cut = whole.clone().without(&[(link.router, link.port)]).unwrap();
    // Group 0 keeps one link, to group 8, and group 1 none to group 8.
    let links = whole.links().filter(|l| l.class == LinkClass::Global);
    let cut_off = links.filter(|l| {
        let (from, to) = (whole.group_of(l.source_router), whole.group_of(l.target_router));
        (from == 0 && to != 8) || (from == 1 && to == 8)
    });
    let cut_off: Vec<_> = cut_off.map(|l| (l.source_router, l.source_port)).collect();
    let alone = whole.clone().without(&cut_off).unwrap();
    let split = whole.without(&[(5, local), (5, local + 1), (5, local + 2)]).unwrap();
    assert_eq!(split.parted_routers(), Some((4, 5)));
    for algorithm in Algorithm::ALL {
        let refusal = |topology| algorithm.refusal(VcMapName::Ascending, topology);
        assert_eq!(refusal(&detour).is_some(), algorithm.per_hop_adaptive());
        assert_eq!(algorithm.refusal(VcMapName::ByHop, &detour), None);
        match refusal(&cut) {
            None => assert!(algorithm.descriptor().serves_unlinked_groups),
            Some(found) => assert!(found.message.contains("no link joins groups 2 and 6")),
        }
        let message = refusal(&alone).unwrap().message;
        assert!(message.contains("no link joins groups 0 and 1"), "{message}");
        let message = refusal(&split).unwrap().message;
        assert!(message.contains("no path inside group 1 joins routers 4 and 5"), "{message}");
    }
}

/// Group 0 sends all it can to group 1, over `n` links drawn evenly of which `k` have failed: the
/// `n - k` others are full, so that `(n - k) / n` as much arrives.
#[test]
fn throughput_falls_with_the_links_of_a_pair() {
    let whole = dragonfly(16, 1, 8, 2);
    let pair = whole.global_links(0, 1).to_vec();
    assert_eq!(pair.len(), 8);
    let sent = |failed: usize| {
        let ends: Vec<(u32, u16)> = pair[..failed].iter().map(|l| (l.router, l.port)).collect();
        let topology = whole.clone().without(&ends).unwrap();
        let mut config = kang(Algorithm::Minimal);
        config.routings[0].gateways = Gateways::Any;
        let mut host = Script::new(topology.terminals());
        let mut draws = Stream::new(5, 9, 0);
        let half = topology.terminals() / 2;
        for queue in &mut host.queues[..half as usize] {
            queue.extend((0..4_000).map(|_| (0, half + draws.below(half), config.packet_bytes)));
        }
        let mut net = partition(config, topology.clone(), host);
        let total = |net: &pantala_fabric::Partition<_, _>| {
            let links = topology.global_links(0, 1).iter();
            links.map(|link| net.link_counters(link.router, link.port).bytes).sum::<u64>()
        };
        net.advance(20_000_000);
        let before = total(&net);
        net.advance(80_000_000);
        (total(&net) - before) as f64
    };
    let config = kang(Algorithm::Minimal);
    let flits = 60_000_000 / config.timing(LinkClass::Global).flit;
    let link = (flits * u64::from(config.flit_bytes)) as f64;
    for failed in [0, 2, 4, 6] {
        let full = link * (pair.len() - failed) as f64;
        let share = sent(failed) / full;
        assert!((0.93..1.001).contains(&share), "{failed} failed: {share} of all remaining links");
    }
}

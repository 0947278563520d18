//! The channel-dependency graph against the packets of real runs: nothing that a packet does is
//! missing, and nothing is in it that no packet does.

use crate::choices::damaged;
use crate::support::{Script, codes, grids, kang, meshes, spec};
use pantala_engine::Stream;
use pantala_fabric::config::InjectionVc;
use pantala_fabric::packet::{Packet, PacketOrigin};
use pantala_fabric::{FabricConfig, Partition, Probe};
use pantala_routing::dependencies::{Channel, Dependencies, Link, ascends};
use pantala_routing::{
    Algorithm, Gateways, IntermediateChoice, IntraGroup, MAX_VIRTUAL_CHANNELS, QueueMeasure,
    RoutingKey, Tie, VcMapName,
};
use pantala_topology::{
    DragonflySpec, GlobalArrangement, GroupSpec, LocalOrder, Peer, PortAssignment, Topology,
};
use proptest::prelude::*;
use std::collections::BTreeSet;

/// The pairs of input and output VCs that packets have been routed over.
#[derive(Default)]
struct Pairs(BTreeSet<(u32, u32)>);

impl Probe for Pairs {
    fn injected(&mut self, _: u16, _: u32, _: u64) {}
    fn delivered(&mut self, _: &Packet, _: &PacketOrigin, _: u64) -> bool {
        false
    }
    fn routed(&mut self, held: u32, asked: u32) {
        self.0.insert((held, asked));
    }
}

/// Runs packets between random NICs, a NIC's own included, and says which dependencies they have
/// shown.
fn shown(
    config: &FabricConfig,
    topology: &Topology,
    packets: u32,
    gap: u32,
    seed: u64,
) -> BTreeSet<(Channel, Channel)> {
    let terminals = topology.terminals();
    let mut host = Script::new(terminals);
    let mut draws = Stream::new(seed, 7, 0);
    for terminal in 0..terminals {
        let mut created = 0;
        for _ in 0..packets {
            created += u64::from(draws.below(gap)) * 1_000;
            host.queues[terminal as usize].push_back((
                created,
                draws.below(terminals),
                config.packet_bytes,
            ));
        }
    }
    let keys: Vec<u64> = (0..u64::from(terminals)).collect();
    let config = FabricConfig { seed, ..config.clone() };
    let (vcs, ports) = (u32::from(config.virtual_channels), topology.ports_per_router());
    let mut partition = Partition::new(config, topology.clone(), &keys, host, Pairs::default());
    partition.advance(u64::MAX);
    let end =
        |number: u32| (number / vcs / ports, (number / vcs % ports) as u16, (number % vcs) as u8);
    let pair = |&(held, asked): &(u32, u32)| {
        let (router, port, vc) = end(held);
        let link = match topology.peer(router, port) {
            Peer::Terminal(terminal) => Link::Injection { terminal },
            Peer::Port { router, port } => Link::Output { router, port },
            Peer::Unconnected => panic!("a packet came from nowhere"),
        };
        let (router, port, asked) = end(asked);
        (Channel { link, vc }, Channel { link: Link::Output { router, port }, vc: asked })
    };
    partition.probe.0.iter().map(pair).collect()
}

/// Kang's machine with small buffers, and a routing that takes the path that a coin says wherever
/// queues are empty.
fn configuration(algorithm: Algorithm, map: VcMapName, diameter: u32) -> Option<FabricConfig> {
    let mut config = kang(algorithm);
    let routing = &mut config.routings[0];
    routing.vc_map = algorithm.vc_map_for(map, diameter as u8)?;
    routing.ugal.threshold = 0.5;
    routing.ugal.minimal_up_to = -1;
    routing.ugal.tie = Tie::Random;
    routing.aries.full = 20;
    config.virtual_channels = routing.virtual_channels();
    config.router.input_buffer = 12;
    config.router.output_buffer = 12;
    Some(config)
}

/// Every routing with every map that it has.
fn pairs() -> Vec<(Algorithm, VcMapName)> {
    let all =
        Algorithm::ALL.into_iter().flat_map(|algorithm| VcMapName::ALL.map(|map| (algorithm, map)));
    all.filter(|&(algorithm, map)| configuration(algorithm, map, 1).is_some()).collect()
}

/// Three groups in a chain: the ends are joined through the middle, and the neighbours, which have
/// no third group in common, directly.
#[test]
fn neighbours_without_a_third_group_keep_to_the_graph() {
    let group = GroupSpec::FullMesh { routers: 2, links_per_pair: 1 };
    let whole = Topology::dragonfly(&spec(2, group, 1, 3)).unwrap();
    let cut: Vec<_> = whole.global_links(0, 2).iter().map(|l| (l.router, l.port)).collect();
    let topology = whole.without(&cut).unwrap();
    for algorithm in Algorithm::ALL {
        if algorithm.refusal(VcMapName::Ascending, &topology).is_some() {
            continue;
        }
        let config = configuration(algorithm, VcMapName::Ascending, 1).unwrap();
        let graph = Dependencies::of(&config.channel_use(), &topology);
        for (held, asked) in shown(&config, &topology, 40, 60, 1) {
            assert!(graph.contains(held, asked), "{}: {held:?} {asked:?}", algorithm.name());
        }
    }
}

proptest! {
    #![proptest_config(pantala_testing::cases(512))]
    /// On any network, under any routing and map, whatever the queues are.
    #[test]
    fn packets_keep_to_the_graph(
        p in 1u32..3, group in prop_oneof![meshes(1..5), grids(1..4)], h in 1u32..4, share in 0.0f64..1.0, global_arrangement in 0usize..4, round_robin: bool,
        (algorithm, map) in proptest::sample::select(pairs()), column_first: bool, any_gateway: bool, any_intermediate: bool,
        inside in 0usize..3, choice in 0usize..3, injection in 0usize..3, responses: bool, explores: bool, virtual_queues: bool, seed: u64,
        failed in prop_oneof![Just(0.0), 0.0..0.4f64],
    ) {
        let ports = group.routers() * h;
        let spec = DragonflySpec {
            global_arrangement: GlobalArrangement::ALL[global_arrangement],
            port_assignment: if round_robin { PortAssignment::RoundRobin } else { PortAssignment::Consecutive },
            global_arrangement_seed: seed,
            ..spec(p, group, h, 1 + (f64::from(ports) * share) as u32)
        };
        let topology = damaged(Topology::dragonfly(&spec).unwrap(), failed, seed);
        prop_assume!(algorithm.refusal(map, &topology).is_none());
        let mut config = configuration(algorithm, map, topology.local_diameter()).unwrap();
        let requests = if responses { 2 } else { 1 };
        prop_assume!(config.virtual_channels * requests <= MAX_VIRTUAL_CHANNELS);
        let routing = &mut config.routings[0];
        routing.local_order = if column_first { LocalOrder::ColumnFirst } else { LocalOrder::RowFirst };
        routing.gateways = if any_gateway { Gateways::Any } else { routing.gateways };
        routing.gateways = gateways_of(algorithm).nth(choice).unwrap_or(routing.gateways);
        routing.intermediate = if any_intermediate { IntermediateChoice::Any } else { IntermediateChoice::Third };
        let paths_inside = algorithm.descriptor().intra_groups;
        routing.intra_group = paths_inside[inside % paths_inside.len()];
        routing.q_adaptive.exploration = if explores { 1.0 } else { 0.001 };
        config.injection_vc = [InjectionVc::First, InjectionVc::FirstFree, InjectionVc::Random][injection];
        if virtual_queues {
            config.router = codes(algorithm).router;
        }
        if responses {
            config.respond(64);
        }
        let graph = Dependencies::of(&config.channel_use(), &topology);
        for (held, asked) in shown(&config, &topology, 60, 40, seed) {
            prop_assert!(graph.contains(held, asked), "{algorithm:?}: {held:?} asks for {asked:?}");
        }
        // What is so by classes is so by links.
        prop_assert!(graph.cycle().is_none() || !ascends(&config.channel_use(), &topology), "{algorithm:?}");
    }
}

fn grid((rows, columns): (u32, u32), (row, column): (u32, u32)) -> GroupSpec {
    GroupSpec::Grid { rows, columns, links_per_row_pair: row, links_per_column_pair: column }
}

/// A small network of one or two dimensions.
fn small(group: GroupSpec, h: u32, g: u32, port_assignment: PortAssignment) -> Topology {
    Topology::dragonfly(&DragonflySpec { port_assignment, ..spec(1, group, h, g) }).unwrap()
}

/// The links between two groups that a routing can take.
fn gateways_of(algorithm: Algorithm) -> impl Iterator<Item = Gateways> {
    let own = algorithm.descriptor().gateways;
    let reads = algorithm.descriptor().reads.contains(&RoutingKey::Gateways);
    let others = if reads { &[Gateways::Nearest, Gateways::BySource][..] } else { &[] };
    std::iter::once(own).chain(others.iter().copied())
}

/// Nothing is in the graph that no packet does: long runs on small networks show every dependency.
/// Left out are `q_adaptive` and maps by hops, of which the graph says that they go anywhere, and
/// paths over another router of the destination's group (`merlin_ugal`; `codes_custom_adp` and
/// `booksim_ugal` with any intermediate), which in the graph may lead back to where they have come
/// from.
#[test]
fn every_dependency_is_taken() {
    let mesh = |routers, links_per_pair| GroupSpec::FullMesh { routers, links_per_pair };
    let machines = [
        small(mesh(3, 1), 1, 4, PortAssignment::Consecutive),
        small(mesh(2, 2), 3, 4, PortAssignment::RoundRobin),
        small(mesh(4, 1), 2, 3, PortAssignment::Consecutive),
        small(grid((2, 2), (1, 2)), 1, 5, PortAssignment::Consecutive),
        small(grid((2, 3), (1, 1)), 1, 4, PortAssignment::RoundRobin),
    ];
    for topology in pantala_testing::sample(&machines) {
        for ((algorithm, map), gateways) in
            pairs().into_iter().flat_map(|pair| gateways_of(pair.0).map(move |of| (pair, of)))
        {
            let mut config = configuration(algorithm, map, topology.local_diameter()).unwrap();
            config.routings[0].gateways = gateways;
            if matches!(
                algorithm,
                Algorithm::QAdaptive | Algorithm::MerlinUgal | Algorithm::CodesCustomAdp
            ) || map == VcMapName::ByHop
            {
                continue;
            }
            config.routings[0].ugal.queue = QueueMeasure::Output;
            config.router.input_buffer = 1_000; // nobody deadlocks
            if map == VcMapName::Caminos {
                config.routings[0].intra_group = IntraGroup::Nonminimal;
            }
            let mut left: Vec<(Channel, Channel)> =
                Dependencies::of(&config.channel_use(), topology).iter().collect();
            for seed in 0..40 {
                let shown = shown(&config, topology, 1_000, 160, seed);
                left.retain(|dependency| !shown.contains(dependency));
                if left.is_empty() {
                    break;
                }
            }
            assert!(left.is_empty(), "{algorithm:?} {map:?} {gateways:?}: nobody takes {left:?}");
        }
    }
}

//! Every shipped pair of a topology and a routing is free of deadlock; the named exceptions have
//! their cycles.

use crate::support::{dragonfly, kang, spec};
use pantala_fabric::FabricConfig;
use pantala_fabric::config::{InjectionVc, ResponseConfig};
use pantala_routing::dependencies::{Channel, Dependencies, ascends, exception};
use pantala_routing::{
    Algorithm, IntermediateChoice, IntraGroup, RoutingConfig, RoutingKey, VcMap, VcMapName,
};
use pantala_topology::{
    DragonflySpec, GlobalArrangement, GroupSpec, LocalOrder, PortAssignment, Topology,
};

const fn mesh(routers: u32, links_per_pair: u32) -> GroupSpec {
    GroupSpec::FullMesh { routers, links_per_pair }
}

/// Groups as Cray's: one link along a row, three along a column.
const fn cray(rows: u32, columns: u32) -> GroupSpec {
    GroupSpec::Grid { rows, columns, links_per_row_pair: 1, links_per_column_pair: 3 }
}

fn built(spec: &DragonflySpec) -> Topology {
    Topology::dragonfly(spec).unwrap()
}

/// The machines of the papers, at full size.
fn papers() -> Vec<(&'static str, Topology)> {
    let aries = |g, links_per_pair| DragonflySpec {
        links_per_pair,
        port_assignment: PortAssignment::RoundRobin,
        ..spec(4, cray(6, 16), 10, g)
    };
    let palmtree = DragonflySpec {
        global_arrangement: GlobalArrangement::Palmtree,
        ..spec(8, mesh(16, 1), 8, 129)
    };
    vec![
        ("kang2022", dragonfly(4, 8, 4, 33)),
        ("wang2020_1d", built(&spec(8, mesh(32, 1), 4, 33))),
        ("prisacari2015(8,16,8)", built(&palmtree)),
        ("theta", built(&aries(12, 24))),
        ("wang2020_2d", built(&spec(4, cray(6, 16), 7, 22))),
        ("cori", built(&aries(34, 8))),
    ]
}

/// Small machines of every shape: of one and two dimensions, with one and several links between
/// routers and between groups, under every global arrangement and port assignment, fully and partly
/// populated.
fn small() -> Vec<Topology> {
    let shapes = [
        spec(1, mesh(4, 1), 2, 9),
        spec(2, mesh(4, 1), 2, 5),
        spec(1, mesh(3, 2), 2, 3),
        spec(1, mesh(1, 1), 4, 5),
        spec(1, mesh(8, 1), 4, 2),
        spec(1, mesh(4, 1), 1, 1),
        spec(1, cray(2, 3), 2, 7),
        spec(1, cray(3, 4), 2, 5),
        spec(1, cray(2, 2), 1, 3),
        spec(1, cray(1, 4), 2, 9),
    ];
    let mut all = Vec::new();
    for (shape, global_arrangement) in shapes.iter().flat_map(|shape| {
        GlobalArrangement::ALL.iter().map(move |&global_arrangement| (shape, global_arrangement))
    }) {
        for port_assignment in [PortAssignment::Consecutive, PortAssignment::RoundRobin] {
            all.push(built(&DragonflySpec {
                global_arrangement,
                port_assignment,
                global_arrangement_seed: 3,
                ..shape.clone()
            }));
        }
    }
    all
}

/// Every algorithm with every VC map and every variant that it has.
fn shipped() -> Vec<RoutingConfig> {
    let mut all = Vec::new();
    for (algorithm, map) in
        Algorithm::ALL.into_iter().flat_map(|a| VcMapName::ALL.map(|map| (a, map)))
    {
        // A VC per hop ascends by its definition; `failed_links.rs` tests it.
        let Some(vc_map) = algorithm.vc_map(map).filter(|_| map != VcMapName::ByHop) else {
            continue;
        };
        let one = RoutingConfig { vc_map, ..RoutingConfig::new(algorithm) };
        let facts = algorithm.descriptor();
        if facts.reads.contains(&RoutingKey::Intermediate) {
            let choices = [IntermediateChoice::Third, IntermediateChoice::Any];
            all.extend(choices.map(|intermediate| RoutingConfig { intermediate, ..one.clone() }));
        } else {
            let inside = facts.intra_groups.iter().copied();
            all.extend(inside.map(|intra_group| RoutingConfig { intra_group, ..one.clone() }));
        }
    }
    all
}

/// These routings together, in one network.
fn together(routings: Vec<RoutingConfig>) -> FabricConfig {
    let virtual_channels = routings.iter().map(RoutingConfig::virtual_channels).max().unwrap();
    FabricConfig { routings, virtual_channels, ..kang(Algorithm::Minimal) }
}

fn cycle(config: &FabricConfig, topology: &Topology) -> Option<Vec<Channel>> {
    cycle_of(&Dependencies::of(&config.channel_use(), topology))
}

/// A cycle, every step of which is in the graph.
fn cycle_of(graph: &Dependencies) -> Option<Vec<Channel>> {
    let cycle = graph.cycle();
    if let Some(cycle) = &cycle {
        let on = cycle.iter().cycle().skip(1);
        assert!(
            cycle.iter().zip(on).all(|(held, asked)| graph.contains(*held, *asked)),
            "{cycle:?}"
        );
    }
    cycle
}

/// The classes and VCs of a cycle, from its lowest on.
fn shape(cycle: &[Channel], topology: &Topology) -> Vec<(&'static str, u8)> {
    let mut shape: Vec<_> =
        cycle.iter().map(|channel| (channel.class(topology), channel.vc)).collect();
    let turned = (0..shape.len()).map(|by| [&shape[by..], &shape[..by]].concat()).min();
    shape = turned.unwrap();
    shape
}

/// Each alone, in both local orders, with and without responses, under every rule of injection.
#[test]
fn shipped_pairs_are_free_of_deadlock() {
    assert_eq!(small().len(), 48 + 32);
    for topology in pantala_testing::sample(small()) {
        for routing in shipped() {
            let algorithm = routing.algorithm;
            if exception(&routing).is_some() || (topology.is_2d() && !algorithm.carries_2d()) {
                continue;
            }
            for local_order in LocalOrder::ALL {
                let mut config = together(vec![RoutingConfig { local_order, ..routing.clone() }]);
                assert_eq!(cycle(&config, &topology), None, "{algorithm:?} {topology:?}");
                for injection_vc in
                    [InjectionVc::First, InjectionVc::FirstFree, InjectionVc::Random]
                {
                    let mut config = FabricConfig { injection_vc, ..config.clone() };
                    config.respond(64);
                    assert_eq!(
                        cycle(&config, &topology),
                        None,
                        "{algorithm:?} answered {topology:?}"
                    );
                }
                config.virtual_channels += 1;
                assert_eq!(cycle(&config, &topology), None, "{algorithm:?} with a VC to spare");
            }
        }
    }
}

/// The graph of all routings with maps that ascend, in one network: no two of them can wait for one
/// another, and as each one's graph is a part of it, none alone has a cycle.
#[test]
fn routings_that_ascend_are_free_together() {
    let ascending = |topology: &Topology, local_order| {
        let ascends = |routing: &RoutingConfig| routing.vc_map == routing.algorithm.own_vc_map();
        let carried = |routing: &RoutingConfig| !topology.is_2d() || routing.algorithm.carries_2d();
        let all = shipped().into_iter().filter(|routing| ascends(routing) && carried(routing));
        together(all.map(|routing| RoutingConfig { local_order, ..routing }).collect())
    };
    for topology in small() {
        for local_order in LocalOrder::ALL {
            let mut config = ascending(&topology, local_order);
            assert!(ascends(&config.channel_use(), &topology), "{topology:?}");
            assert_eq!(cycle(&config, &topology), None, "{topology:?}");
            config.respond(64);
            assert!(ascends(&config.channel_use(), &topology), "{topology:?}");
            assert_eq!(cycle(&config, &topology), None, "{topology:?}");
        }
    }
    for (name, topology) in papers() {
        let config = ascending(&topology, LocalOrder::RowFirst);
        assert!(ascends(&config.channel_use(), &topology), "{name}");
    }
    // Link by link at full size, where that takes no more than seconds.
    for (name, topology) in papers().into_iter().take(2) {
        assert_eq!(cycle(&ascending(&topology, LocalOrder::RowFirst), &topology), None, "{name}");
    }
}

/// One of the exceptions.
const BOOKSIM: &str = "booksim_ugal with 3 VCs";

/// CODES' count of local hops: free in one dimension; in two, a cycle goes through two groups.
#[test]
fn the_count_of_local_hops_has_its_cycle_in_two_dimensions() {
    let vc_map = Algorithm::CodesCustomAdp.vc_map(VcMapName::Codes).unwrap();
    let config =
        together(vec![RoutingConfig { vc_map, ..RoutingConfig::new(Algorithm::CodesCustomAdp) }]);
    assert_eq!(exception(&config.routings[0]), Some("codes_custom_adp with 8 VCs"));
    for topology in small() {
        let found = cycle(&config, &topology).map(|cycle| shape(&cycle, &topology));
        let ascends = ascends(&config.channel_use(), &topology);
        assert!(found.is_none() || !ascends, "{topology:?}");
        assert!(ascends || topology.is_2d(), "{topology:?}");
        assert!(topology.is_2d() || found.is_none(), "{found:?}");
    }
    let found = cycle(&config, &built(&spec(1, cray(2, 3), 2, 7))).expect("a cycle");
    assert_eq!(found.len(), 4, "{found:?}");
}

/// BookSim2's ugal: the way to the intermediate router, l g l, is all on VC 0. With one link
/// between two groups a cycle goes through three of them, with several through two.
#[test]
fn the_exception_has_its_cycle() {
    let exceptions: Vec<RoutingConfig> =
        shipped().into_iter().filter(|routing| exception(routing) == Some(BOOKSIM)).collect();
    let intermediates: Vec<_> = exceptions.iter().map(|routing| routing.intermediate).collect();
    assert_eq!(intermediates, [IntermediateChoice::Third, IntermediateChoice::Any]);
    let cases = [
        (dragonfly(2, 4, 2, 9), 3),
        (dragonfly(4, 8, 4, 33), 3),
        (dragonfly(1, 4, 2, 5), 2),
        (built(&spec(1, mesh(4, 2), 2, 3)), 2),
    ];
    for (topology, groups) in cases {
        for routing in &exceptions {
            let config = together(vec![routing.clone()]);
            let cycle = cycle(&config, &topology).expect("a cycle");
            let expected: Vec<_> =
                [("global", 0), ("local", 0)].into_iter().cycle().take(2 * groups).collect();
            assert_eq!(shape(&cycle, &topology), expected);
            assert!(!ascends(&config.channel_use(), &topology));
        }
    }
    // Where there is no third group, or no local link, there is no cycle either.
    for topology in [dragonfly(2, 4, 2, 2), dragonfly(2, 1, 4, 5)] {
        assert_eq!(cycle(&together(vec![exceptions[0].clone()]), &topology), None);
    }
}

/// Maps and orders that are free alone are not all free together.
#[test]
fn what_does_not_go_together_is_found() {
    let ring = |routings: Vec<RoutingConfig>, topology: &Topology| {
        let config = together(routings);
        assert!(!ascends(&config.channel_use(), topology));
        cycle(&config, topology).map(|cycle| shape(&cycle, topology))
    };
    // BookSim2's minimal has global before local on VC 1, ugal_g local before global.
    let booksim = Algorithm::Minimal.vc_map(VcMapName::Booksim2).unwrap();
    let booksim = RoutingConfig { vc_map: booksim, ..RoutingConfig::new(Algorithm::Minimal) };
    let found = ring(vec![booksim, RoutingConfig::new(Algorithm::UgalG)], &dragonfly(2, 4, 2, 9))
        .expect("a cycle");
    assert!(found.iter().all(|(_, vc)| *vc == 1) && found[0].0 == "global", "{found:?}");
    // Along the row first, and along the column first.
    let orders = LocalOrder::ALL
        .map(|local_order| RoutingConfig { local_order, ..RoutingConfig::new(Algorithm::Minimal) });
    let topology = built(&spec(1, cray(2, 3), 2, 7));
    let square = [("column", 0), ("row", 0), ("column", 0), ("row", 0)];
    assert_eq!(ring(orders.to_vec(), &topology), Some(square.to_vec()));
    // In a grid of one row they are the same.
    assert_eq!(ring(orders.to_vec(), &built(&spec(1, cray(1, 4), 2, 7))), None);
}

/// Without VCs of their own, responses and requests wait for one another at the NIC.
#[test]
fn responses_on_the_channels_of_requests_have_a_cycle() {
    let mut config = together(vec![RoutingConfig::new(Algorithm::Minimal)]);
    config.responses = Some(ResponseConfig { bytes: 64, first_vc: 0, first_routing: 1 });
    config.routings.push(config.routings[0].clone());
    let topology = dragonfly(2, 4, 2, 9);
    let found = shape(&cycle(&config, &topology).expect("a cycle"), &topology);
    // Two NICs of one router that answer each other.
    assert_eq!(found, [("ejection", 1), ("injection", 0)]);
}

/// One VC for everything.
#[test]
fn a_single_channel_has_a_cycle() {
    for algorithm in Algorithm::ALL.into_iter().filter(|algorithm| !algorithm.learns()) {
        let vc_map = VcMap::ascending(1, 0, 0, 0, 0);
        let config = together(vec![RoutingConfig { vc_map, ..RoutingConfig::new(algorithm) }]);
        assert!(cycle(&config, &dragonfly(2, 4, 2, 9)).is_some(), "{algorithm:?}");
        assert!(!ascends(&config.channel_use(), &dragonfly(2, 4, 2, 9)), "{algorithm:?}");
    }
}

/// Every shipped pair on these machines of the papers, each alone and link by link: all channels
/// are there, and there is a cycle where the exception is and nowhere else.
/// `pantala topology --preset NAME --deadlock` says it of any machine.
fn at_full_size(names: &[&str]) {
    for (name, topology) in papers().into_iter().filter(|(name, _)| names.contains(name)) {
        let (links, groups) = match name {
            "kang2022" => (33 * (8 * 7 + 32), 3),
            "wang2020_1d" => (33 * (32 * 31 + 128), 2),
            "prisacari2015(8,16,8)" => (129 * (16 * 15 + 128), 3),
            "theta" => (12 * (6 * 16 * (15 + 3 * 5) + 11 * 24), 2),
            "wang2020_2d" => (22 * (6 * 16 * (15 + 3 * 5) + 21 * 32), 2),
            "cori" => (34 * (6 * 16 * (15 + 3 * 5) + 33 * 8), 2),
            _ => panic!("{name} is new"),
        };
        let links = u64::from(2 * topology.terminals()) + links;
        for routing in shipped() {
            let algorithm = routing.algorithm;
            if topology.is_2d() && !algorithm.carries_2d() {
                continue;
            }
            let config = together(vec![routing.clone()]);
            // With detours inside a group it takes as long again; that these ascend is proof
            // enough.
            if routing.intra_group != IntraGroup::Minimal {
                assert!(ascends(&config.channel_use(), &topology), "{name} {algorithm:?}");
                continue;
            }
            let graph = Dependencies::of(&config.channel_use(), &topology);
            assert_eq!(
                graph.channels(),
                u64::from(config.virtual_channels) * links,
                "{name} {algorithm:?}"
            );
            // Every packet asks for the channel that ejects it; minimal alone goes over every link.
            // Some of CODES' eight VCs are used by no link.
            let all_used = !routing.vc_map.by_local_hop;
            assert!(!all_used || graph.count() > graph.channels(), "{name} {algorithm:?}");
            let found = cycle_of(&graph).map(|cycle| cycle.len());
            let length = exception(&routing).and_then(|known| match (known, topology.is_2d()) {
                (BOOKSIM, _) => Some(2 * groups),
                (_, two_dimensions) => two_dimensions.then_some(4),
            });
            assert_eq!(found, length, "{name} {algorithm:?}");
        }
    }
}

#[test]
fn kangs_machine_at_full_size() {
    at_full_size(&["kang2022"]);
}

#[test]
#[ignore = "large: make test-all"]
fn larger_machines_of_one_dimension_at_full_size() {
    at_full_size(&["wang2020_1d", "prisacari2015(8,16,8)"]);
}

#[test]
#[ignore = "large: make test-all"]
fn theta_and_wangs_grid_at_full_size() {
    at_full_size(&["theta", "wang2020_2d"]);
}

#[test]
#[ignore = "large: make test-all"]
fn cori_at_full_size() {
    at_full_size(&["cori"]);
}

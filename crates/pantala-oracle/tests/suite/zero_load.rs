//! A packet without contention takes exactly the time of the closed form.

use crate::common::{dragonfly, dragonfly_of, packet, run};
use pantala_oracle::{
    LateFlits, LinkTimes, OracleConfig, OraclePacket, RouteChoice, minimal_route, route_via,
    zero_load_latency,
};
use pantala_topology::{GroupSpec, LocalOrder};
use proptest::prelude::*;

#[test]
fn kang_hop_by_hop() {
    // 5.12 ns per flit, 21.28 ns per router, 15.36 ns for the flits after the head.
    let topology = dragonfly(4, 8, 4, 33);
    let config = OracleConfig::kang();
    let takes = |destination| {
        let run = run(&topology, &config, &[packet(&topology, 0, destination, 7, 4)]);
        run.deliveries[0].delivered - 7
    };
    let routers = |count: u64| count * 21_280 + 2 * (10_000 + 5_120) + 15_360;
    let (local, global) = (30_000 + 5_120, 300_000 + 5_120);
    assert_eq!(takes(1), routers(1));
    assert_eq!(takes(4), routers(2) + local);
    let mut seen = std::collections::BTreeSet::new();
    for destination in 32..1056 {
        let latency = takes(destination);
        let kinds =
            [routers(2) + global, routers(3) + global + local, routers(4) + global + 2 * local];
        assert!(kinds.contains(&latency), "{latency}");
        seen.insert(latency);
    }
    assert_eq!(seen.len(), 3);
    assert!(seen.contains(&506_080), "the local-global-local path of the paper's network");
}

#[test]
fn the_head_arrives_first_and_the_tail_with_the_slowest_stage() {
    let topology = dragonfly(1, 2, 1, 3);
    let config =
        OracleConfig { local: LinkTimes { flit_time: 50_000, latency: 0 }, ..OracleConfig::kang() };
    let run = run(&topology, &config, &[packet(&topology, 0, 1, 0, 3)]);
    let delivery = run.deliveries[0];
    assert_eq!(delivery.injected, 0);
    assert_eq!(delivery.delivered - delivery.head_arrival, 2 * 50_000);
}

fn grid(rows: u32, columns: u32, links_per_row_pair: u32, links_per_column_pair: u32) -> GroupSpec {
    GroupSpec::Grid { rows, columns, links_per_row_pair, links_per_column_pair }
}

#[test]
fn a_grid_hop_by_hop() {
    // One group of 2 x 3 routers, two links per pair along rows and three along columns, from
    // router 0 to router 5.
    let topology = dragonfly_of(1, grid(2, 3, 2, 3), 0, 1);
    let link = |latency| LinkTimes { flit_time: 5_120, latency };
    let config = OracleConfig { row: link(1_000), column: link(200), ..OracleConfig::kang() };
    for (order, parallel, ports) in [
        (LocalOrder::RowFirst, 0, [3, 5, 0]),
        (LocalOrder::RowFirst, 5, [4, 7, 0]),
        (LocalOrder::ColumnFirst, 0, [5, 3, 0]),
        (LocalOrder::ColumnFirst, 4, [6, 3, 0]),
    ] {
        let route = minimal_route(&topology, 0, 5, RouteChoice { parallel, order });
        assert_eq!(
            route.iter().map(|step| step.port).collect::<Vec<_>>(),
            ports,
            "{order:?} {parallel}"
        );
        let packet = OraclePacket {
            source: 0,
            destination: 5,
            created: 0,
            flits: 4,
            injection_vc: 0,
            route,
        };
        let delivered = run(&topology, &config, &[packet]).deliveries[0].delivered;
        assert_eq!(
            delivered,
            3 * 21_280 + 2 * 10_000 + 1_000 + 200 + 4 * 5_120 + 15_360,
            "{order:?} {parallel}"
        );
    }
}

fn any_link() -> impl Strategy<Value = LinkTimes> {
    (1..9_000u64, 0..50_000u64).prop_map(|(flit_time, latency)| LinkTimes { flit_time, latency })
}

fn any_config() -> impl Strategy<Value = OracleConfig> {
    let routers = (0..9_000u64, 0..9_000u64, 0..9_000u64, any::<bool>());
    let links = [any_link(), any_link(), any_link(), any_link(), any_link()];
    (links, routers).prop_map(|([terminal, local, row, column, global], router)| OracleConfig {
        terminal,
        local,
        row,
        column,
        global,
        input_latency: router.0,
        output_latency: router.1,
        crossbar_flit_time: router.2,
        virtual_channels: 6,
        input_buffer_flits: 8,
        output_buffer_flits: 8,
        late_flits: if router.3 { LateFlits::Pass } else { LateFlits::Queue },
    })
}

proptest! {
    #![proptest_config(pantala_testing::cases(256))]

    #[test]
    fn any_speeds_any_route(
        config in any_config(),
        shape in 0..3,
        parallel in 0..6usize,
        row_first in any::<bool>(),
        source in 0..72u32,
        destination in 0..72u32,
        via in proptest::option::of(0..36u32),
        flits in 1..=8u32,
        created in 0..10_000u64,
    ) {
        // Nine groups of four routers: full meshes, squares, or squares with parallel links; one
        // link per pair of groups.
        let (topology, longest) = match shape {
            0 => (dragonfly(2, 4, 2, 9), 7),
            1 => (dragonfly_of(2, grid(2, 2, 1, 1), 2, 9), 11),
            _ => (dragonfly_of(2, grid(2, 2, 2, 3), 2, 9), 11),
        };
        let choice = RouteChoice { parallel, order: if row_first { LocalOrder::RowFirst } else { LocalOrder::ColumnFirst } };
        let route = route_via(&topology, source, destination, via.as_slice(), choice);
        prop_assert!(route.len() <= longest);
        let packet = OraclePacket { source, destination, created, flits, injection_vc: 0, route };
        let expected = zero_load_latency(&topology, &config, &packet);
        let deliveries = run(&topology, &config, &[packet]).deliveries;
        prop_assert_eq!(deliveries[0].injected, created);
        prop_assert_eq!(deliveries[0].delivered - created, expected);
    }
}

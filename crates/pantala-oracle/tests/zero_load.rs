//! An undisturbed packet takes exactly the time of the closed form.

mod common;

use common::{dragonfly, packet, run};
use pantala_oracle::{LateFlits, LinkTimes, OracleConfig, OraclePacket, route_via, zero_load_latency};
use proptest::prelude::*;

#[test]
fn kang_hop_by_hop() {
    // 5.12 ns a flit, 21.28 ns a router, 15.36 ns for the flits behind the head.
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
        let kinds = [routers(2) + global, routers(3) + global + local, routers(4) + global + 2 * local];
        assert!(kinds.contains(&latency), "{latency}");
        seen.insert(latency);
    }
    assert_eq!(seen.len(), 3);
    assert!(seen.contains(&506_080), "the local-global-local path of the paper's network");
}

#[test]
fn the_head_arrives_first_and_the_tail_with_the_slowest_stage() {
    let topology = dragonfly(1, 2, 1, 3);
    let config = OracleConfig { local: LinkTimes { flit_time: 50_000, latency: 0 }, ..OracleConfig::kang() };
    let run = run(&topology, &config, &[packet(&topology, 0, 1, 0, 3)]);
    let delivery = run.deliveries[0];
    assert_eq!(delivery.injected, 0);
    assert_eq!(delivery.delivered - delivery.head_arrival, 2 * 50_000);
}

fn any_link() -> impl Strategy<Value = LinkTimes> {
    (1..9_000u64, 0..50_000u64).prop_map(|(flit_time, latency)| LinkTimes { flit_time, latency })
}

fn any_config() -> impl Strategy<Value = OracleConfig> {
    let routers = (0..9_000u64, 0..9_000u64, 0..9_000u64, any::<bool>());
    (any_link(), any_link(), any_link(), routers).prop_map(|(terminal, local, global, router)| OracleConfig {
        terminal,
        local,
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
    #[test]
    fn any_speeds_any_route(
        config in any_config(),
        source in 0..72u32,
        destination in 0..72u32,
        via in proptest::option::of(0..36u32),
        flits in 1..=8u32,
        created in 0..10_000u64,
    ) {
        let topology = dragonfly(2, 4, 2, 9);
        let route = route_via(&topology, source, destination, via.as_slice(), 0);
        prop_assert!(route.len() <= 7);
        let packet = OraclePacket { source, destination, created, flits, injection_vc: 0, route };
        let expected = zero_load_latency(&topology, &config, &packet);
        let deliveries = run(&topology, &config, &[packet]).deliveries;
        prop_assert_eq!(deliveries[0].injected, created);
        prop_assert_eq!(deliveries[0].delivered - created, expected);
    }
}

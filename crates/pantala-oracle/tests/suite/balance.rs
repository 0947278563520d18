//! Under load nothing is lost, nothing overtakes within a virtual channel, and impossible packets
//! are refused.

use std::collections::BTreeMap;

use crate::common::{dragonfly, latencies, packet, run, uniform};
use pantala_oracle::{
    LateFlits, OracleConfig, OracleError, OraclePacket, OracleRun, RouteStep, simulate,
};
use pantala_topology::LocalOrder;

fn tight(late_flits: LateFlits) -> OracleConfig {
    OracleConfig {
        input_buffer_flits: 9,
        output_buffer_flits: 5,
        late_flits,
        ..OracleConfig::kang()
    }
}

#[test]
fn an_overloaded_network_delivers_every_flit_over_every_link_of_its_route() {
    // The oracle itself asserts that buffers never overflow and that all credits return.
    let topology = dragonfly(2, 4, 2, 9);
    for late_flits in [LateFlits::Pass, LateFlits::Queue] {
        let config = tight(late_flits);
        let packets = uniform(&topology, &config, 1.0, 4, 30, 1);
        let run = run(&topology, &config, &packets);
        let carried: u64 =
            run.injection_flits.iter().chain(run.output_flits.iter().flatten()).sum();
        let owed: u64 = packets.iter().map(|packet| 4 * (packet.route.len() as u64 + 1)).sum();
        assert_eq!(carried, owed);
        assert!(
            run.deliveries
                .iter()
                .all(|delivery| delivery.delivered >= delivery.head_arrival + 3 * 5_120)
        );
    }
}

#[test]
fn packets_on_one_route_arrive_in_the_order_of_their_injection() {
    let topology = dragonfly(2, 4, 2, 9);
    for late_flits in [LateFlits::Pass, LateFlits::Queue] {
        let config = tight(late_flits);
        let mut packets = uniform(&topology, &config, 0.9, 4, 150, 2);
        // Lengths differ, from one flit to five.
        for (i, packet) in packets.iter_mut().enumerate() {
            packet.flits = 1 + (i as u32 * 7) % 5;
        }
        let run = run(&topology, &config, &packets);
        let mut flows: BTreeMap<(u32, u32), Vec<_>> = BTreeMap::new();
        for (packet, delivery) in packets.iter().zip(&run.deliveries) {
            flows.entry((packet.source, packet.destination)).or_default().push(*delivery);
        }
        assert!(flows.values().any(|flow| flow.len() > 3));
        for flow in flows.values_mut() {
            flow.sort_by_key(|delivery| delivery.injected);
            assert!(flow.is_sorted_by(|a, b| a.delivered < b.head_arrival), "{flow:?}");
        }
    }
}

#[test]
fn later_is_the_same_later() {
    let topology = dragonfly(2, 4, 2, 9);
    let config = OracleConfig::kang();
    let packets = uniform(&topology, &config, 0.5, 4, 20, 3);
    let shift = 123_457;
    let shifted: Vec<_> = packets
        .iter()
        .map(|packet| OraclePacket { created: packet.created + shift, ..packet.clone() })
        .collect();
    let delivered = |run: OracleRun| run.deliveries.into_iter().map(|delivery| delivery.delivered);
    let then: Vec<_> =
        delivered(run(&topology, &config, &packets)).map(|time| time + shift).collect();
    assert_eq!(then, delivered(run(&topology, &config, &shifted)).collect::<Vec<_>>());
}

#[test]
fn letting_late_flits_pass_hardly_changes_a_loaded_network() {
    // The error of the fabric's model if all links are equally fast: less than half a percent of
    // the mean latency.
    let topology = dragonfly(2, 4, 2, 9);
    let mean = |late_flits| {
        let config = OracleConfig { late_flits, ..OracleConfig::kang() };
        let packets = uniform(&topology, &config, 0.7, 4, 150, 4);
        let latencies = latencies(&packets, &run(&topology, &config, &packets));
        latencies.iter().sum::<u64>() as f64 / latencies.len() as f64
    };
    let (pass, queue) = (mean(LateFlits::Pass), mean(LateFlits::Queue));
    assert!((pass / queue - 1.0).abs() < 0.005, "{pass} {queue}");
}

#[test]
fn packets_that_block_each_other_in_a_ring_are_reported() {
    // Three routers. All traffic makes two hops around the ring in one virtual channel with room
    // for one packet.
    let topology = dragonfly(1, 3, 0, 1);
    let config = OracleConfig {
        virtual_channels: 1,
        input_buffer_flits: 4,
        output_buffer_flits: 4,
        ..OracleConfig::kang()
    };
    let mut packets = Vec::new();
    for _ in 0..20 {
        for source in 0..3 {
            let (next, last) = ((source + 1) % 3, (source + 2) % 3);
            let step = |port| RouteStep { port, vc: 0 };
            let port = |from, to| topology.local_step(from, to, LocalOrder::RowFirst).first();
            packets.push(OraclePacket {
                route: vec![
                    step(port(source, next)),
                    step(port(next, last)),
                    step(topology.terminal_port_of(last)),
                ],
                ..packet(&topology, source, last, 0, 4)
            });
        }
    }
    match simulate(&topology, &config, &packets) {
        Err(OracleError::Stalled { undelivered, .. }) => {
            assert!(undelivered.len() >= 6, "{undelivered:?}")
        }
        other => panic!("a deadlock was missed: {other:?}"),
    }
    // A second virtual channel for the second hop breaks the cycle.
    for packet in &mut packets {
        packet.route[1].vc = 1;
        packet.route[2].vc = 1;
    }
    run(&topology, &OracleConfig { virtual_channels: 2, ..config }, &packets);
}

#[test]
fn packets_that_do_not_fit_are_refused() {
    let topology = dragonfly(2, 4, 2, 5);
    let config = OracleConfig::kang();
    let good = packet(&topology, 0, 20, 0, 4);
    let refusal = |change: &dyn Fn(&mut OraclePacket)| {
        let mut bad = good.clone();
        change(&mut bad);
        simulate(&topology, &config, &[good.clone(), bad])
            .expect_err("a bad packet was taken")
            .to_string()
    };
    assert_eq!(refusal(&|p| p.source = 40), "packet 1: there are only 40 nodes");
    assert_eq!(refusal(&|p| p.flits = 0), "packet 1: a packet has at least one flit");
    assert_eq!(refusal(&|p| p.flits = 121), "packet 1: 121 flits never fit an input buffer of 120");
    assert_eq!(refusal(&|p| p.injection_vc = 2), "packet 1: there is no VC 2 among 2");
    assert_eq!(
        refusal(&|p| p.destination = 21),
        "packet 1: hop 2: the route leaves the network at node 20"
    );
    assert_eq!(refusal(&|p| p.route[0].port = 99), "packet 1: hop 0: a router has no port 99");
    assert_eq!(refusal(&|p| p.route.truncate(1)), "packet 1: the route ends inside the network");
}

//! Stalls of links, and what SST's statistic has of them.

use crate::support::*;
use pantala_engine::Time;
use pantala_fabric::FabricConfig;
use pantala_routing::Algorithm;
use pantala_topology::LinkClass;

/// The stall of the local link from router 0 to router 1, as Pantala and as SST count it: two
/// packets of NIC 0 to it, which has room for one, and one of NIC 1 created at `third`.
fn stalls(config: &FabricConfig, third: Option<Time>) -> (Time, Time) {
    let topology = dragonfly(2, 4, 2, 9);
    let mut host = Script::new(topology.terminals());
    host.queues[0].extend([(1, 2, 512), (1, 2, 512)]);
    host.queues[1].extend(third.map(|created| (created, 3, 512)));
    let port = (0..topology.ports_per_router() as u16)
        .find(|&port| match topology.peer(0, port) {
            pantala_topology::Peer::Port { router, .. } => router == 1,
            _ => false,
        })
        .expect("routers of a group are connected");
    assert_eq!(topology.class_of(0, port), LinkClass::Local);
    let mut net = partition(config.clone(), topology, host);
    net.advance(Time::MAX);
    (net.link_counters(0, port).stall, net.stall_after_arrival(0, port))
}

/// Until a packet comes into the output buffer, SST counts nothing of a stall.
#[test]
fn sst_counts_a_stall_from_the_last_arrival_on() {
    let mut config = sst(Algorithm::Minimal);
    config.router.crossbar_clock = pantala_fabric::config::CrossbarClock::None;
    config.router.input_buffer = 4; // one packet a VC
    let (alone, counted) = stalls(&config, None);
    assert!(alone > 0);
    assert_eq!(alone, counted);

    // From 45 ns on, both packets of NIC 0 are ahead of that of NIC 1.
    let uncounted: Vec<_> = (45..200_u64)
        .map(|ns| {
            let (stall, counted) = stalls(&config, Some(ns * 1000));
            stall - counted
        })
        .collect();
    let during = uncounted.iter().filter(|&&time| time > 0).count() as u64;
    assert_eq!(during, alone / 1000, "{uncounted:?}");
    for pair in uncounted.windows(2).filter(|pair| pair[0] > 0 && pair[1] > 0) {
        assert_eq!(pair[1] - pair[0], 1000);
    }
    assert!(uncounted.iter().all(|&time| time <= alone));
}

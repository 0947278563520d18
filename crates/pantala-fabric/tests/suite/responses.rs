//! Responses: every request has one, on virtual channels apart; what they cost, and what they do
//! not touch.

use crate::support::*;
use pantala_engine::Time;
use pantala_fabric::FabricConfig;
use pantala_fabric::config::{InjectionVc, LinkTiming};
use pantala_routing::{Algorithm, QueueScope};
use pantala_topology::LinkClass;
use std::collections::BTreeMap;

/// T = sum over links (latency + t) + R (t_in + t_xbar + t_out) + (S - 1) max t, for a packet that
/// meets nobody.
fn zero_load(config: &FabricConfig, seen: &Seen, groups: u64, flits: u64) -> Time {
    let (terminal, router) = (config.timing(LinkClass::Terminal), &config.router);
    let (global, local) = (groups - 1, u64::from(seen.hops) + 1 - groups);
    let mut time = 2 * (terminal.latency + terminal.flit);
    let mut slowest = terminal.flit.max(config.crossbar_flit());
    for (hops, link) in
        [(local, config.timing(LinkClass::Local)), (global, config.timing(LinkClass::Global))]
    {
        time += hops * (link.latency + link.flit);
        slowest = slowest.max(if hops > 0 { link.flit } else { 0 });
    }
    let routers = u64::from(seen.hops) + 1;
    time + routers * (router.input_latency + config.crossbar_flit() + router.output_latency)
        + (flits - 1) * slowest
}

/// At zero load a pair takes what its request and its response take, to the picosecond; the
/// response starts as the request's tail is there.
#[test]
fn a_pair_takes_two_ways() {
    for algorithm in Algorithm::ALL {
        for (seed, bytes) in [(0, 1), (1, 128), (2, 300), (3, 512)] {
            let mut config = kang(algorithm);
            config.links[LinkClass::Global as usize] = LinkTiming::new(128, 4_690_000_000, 300_000);
            config.seed = seed;
            config.respond(bytes);
            for (source, destination) in
                [(0, 1), (0, 3), (0, 8), (0, 70), (5, 40), (17, 66), (71, 0)]
            {
                let topology = dragonfly(2, 4, 2, 9);
                let groups = |seen: &Seen| match topology.group_of_terminal(source)
                    == topology.group_of_terminal(destination)
                {
                    true => 1,
                    false => 2 + u64::from(seen.nonminimal),
                };
                let mut host = Script::new(topology.terminals());
                host.queues[source as usize].push_back((1_000, destination, 512));
                let mut net = partition(config.clone(), topology.clone(), host);
                net.advance(Time::MAX);
                assert!(net.audit().balanced(), "{}", net.audit());
                let (request, response) = (net.probe.packets[0], net.probe.responses[0]);
                assert_eq!((net.probe.packets.len(), net.probe.responses.len()), (1, 1));
                assert_eq!((response.source, response.destination), (destination, source));
                assert_eq!(
                    (response.created, response.injected),
                    (request.delivered, request.delivered)
                );
                assert_eq!(response.accepted, request.injected);
                assert!(response.hops <= algorithm.max_hops(1));
                let there = zero_load(&config, &request, groups(&request), 4);
                let back = zero_load(
                    &config,
                    &response,
                    groups(&response),
                    u64::from(config.flits(bytes)),
                );
                assert_eq!(request.delivered - request.created, there, "{algorithm:?} {request:?}");
                assert_eq!(
                    response.delivered - response.accepted,
                    there + back,
                    "{algorithm:?} {response:?}"
                );
            }
        }
    }
}

/// At uniform load L the injection links carry L (1 + r), r being a response's flits over a
/// request's, and so do ejection links; what requests see is as without responses.
#[test]
fn links_carry_both() {
    for (bytes, r) in [(128, 0.25), (512, 1.0)] {
        let load = 0.4;
        let mut config = kang(Algorithm::Minimal);
        config.respond(bytes);
        let topology = dragonfly(2, 4, 2, 9);
        let terminals = topology.terminals();
        let window = 100_000_000;
        let host = Uniform::new(terminals, &config, load, window);
        let mut net = partition(config, topology, host);
        net.advance(window);
        let injected: u64 =
            (0..terminals).map(|terminal| net.injection_counters(terminal).flits).sum();
        let ejected: u64 = net.totals().flits_delivered;
        let slots = window as f64 / 5_120.0 * f64::from(terminals);
        for flits in [injected, ejected] {
            let measured = flits as f64 / slots;
            assert!(
                (measured / (load * (1.0 + r)) - 1.0).abs() < 0.02,
                "{measured} of {}",
                load * (1.0 + r)
            );
        }
        let accepted = net.probe.packets.len() as f64 * 4.0 / slots;
        assert!((accepted / load - 1.0).abs() < 0.02, "{accepted}");
        net.advance(Time::MAX);
        assert_eq!(net.probe.packets.len(), net.probe.responses.len());
    }
}

/// A NIC's packets draw the same whether NICs answer or not.
#[test]
fn responses_do_not_touch_the_draws_of_requests() {
    let paths = |responses: bool| {
        let mut config = kang(Algorithm::ValiantNode);
        if responses {
            config.respond(512);
        }
        let topology = dragonfly(2, 4, 2, 9);
        let host = Uniform::new(topology.terminals(), &config, 0.3, 2_000_000);
        let mut net = partition(config, topology, host);
        net.advance(Time::MAX);
        let seen = net.probe.packets.iter();
        let paths: BTreeMap<_, _> =
            seen.map(|s| ((s.source, s.created), (s.destination, s.hops, s.nonminimal))).collect();
        paths
    };
    let (with, without) = (paths(true), paths(false));
    assert!(with.len() > 1_000 && with == without);
}

/// Requests that are stuck behind one another do not keep responses from passing, nor the other way
/// about: with a response as long as its request, both classes of a hot spot come through, and
/// everything drains.
#[test]
fn a_hot_spot_answers_and_drains() {
    for (algorithm, injection) in [
        (Algorithm::Minimal, InjectionVc::First),
        (Algorithm::UgalN, InjectionVc::Random),
        (Algorithm::Par, InjectionVc::FirstFree),
    ] {
        let mut config = kang(algorithm);
        config.injection_vc = injection;
        config.router.input_buffer = 4;
        config.router.output_buffer = 4;
        config.respond(512);
        let topology = dragonfly(2, 4, 2, 9);
        let mut host = Script::new(topology.terminals());
        for terminal in 1..topology.terminals() {
            host.queues[terminal as usize].extend((0..20).map(|_| (0, 0, 512)));
        }
        let mut net = partition(config, topology, host);
        for until in (0..40).map(|step| step * 1_000_000).chain([Time::MAX]) {
            net.advance(until);
            assert!(net.audit().balanced(), "{}", net.audit());
        }
        assert_eq!(
            (net.packets_in_flight(), net.responses_waiting()),
            (0, 0),
            "{}",
            net.diagnose()
        );
        assert_eq!((net.probe.packets.len(), net.probe.responses.len()), (71 * 20, 71 * 20));
        // The hot spot's ejection link takes all requests, its injection link all responses.
        assert_eq!(net.injection_counters(0).packets, 71 * 20);
    }
}

/// A response goes before the host's packets: one that comes while the injection link is busy is
/// next.
#[test]
fn responses_go_first() {
    let mut config = kang(Algorithm::Minimal);
    config.respond(128);
    let topology = dragonfly(2, 4, 2, 9);
    let mut host = Script::new(topology.terminals());
    host.queues[0].push_back((0, 1, 512));
    host.queues[1].extend((0..40).map(|_| (0, 70, 512)));
    let mut net = partition(config, topology, host);
    net.advance(Time::MAX);
    let response = net.probe.responses.iter().find(|s| s.destination == 0).unwrap();
    // NIC 1 sends one packet after another; the response waits for the one on the link only.
    let on_link = net.probe.packets.iter().filter(|s| s.source == 1).map(|s| s.injected);
    let next = on_link.map(|start| start + 4 * 5_120).find(|end| *end >= response.created).unwrap();
    assert_eq!(response.injected, next);
    let after = net
        .probe
        .packets
        .iter()
        .filter(|s| s.source == 1 && s.injected > response.injected)
        .count();
    assert!(after > 10, "there was nothing to go before");
}

/// A response is routed as its request was, by what queues there are on its own virtual channels.
#[test]
fn responses_are_routed_by_their_own_channels() {
    let mut config = kang(Algorithm::UgalG);
    config.routings[0].ugal.scope = QueueScope::Vc;
    config.respond(512);
    let topology = dragonfly(2, 4, 2, 9);
    let host = Uniform::new(topology.terminals(), &config, 0.35, 20_000_000);
    let mut net = partition(config, topology, host);
    net.advance(Time::MAX);
    let diverted =
        |seen: &[Seen]| seen.iter().filter(|s| s.nonminimal).count() as f64 / seen.len() as f64;
    let (requests, responses) = (diverted(&net.probe.packets), diverted(&net.probe.responses));
    assert!(
        net.probe.responses.iter().all(|s| s.routing == 1)
            && net.probe.packets.iter().all(|s| s.routing == 0)
    );
    // Two classes of equal load and length fare alike.
    assert!(requests > 0.05 && (responses / requests - 1.0).abs() < 0.2, "{requests} {responses}");
}
